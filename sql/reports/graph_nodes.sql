-- CUDA graph nodes: GPU time over all replays, with the module and op that captured each.
-- set: pytorch
-- question: kernels
-- words: cuda graph, replay, capture, layer, module, annotation
-- position: 386
-- key: graph_id, node_id, name
-- measure: gpu_ms, replays
-- work: GPU time of graph nodes
-- when: never
-- terminal: graph_id, position, name, module, op, gpu_ms, replays, mean_us, min_us, max_us
-- not-included: not_included_annotations
-- frames: yes
-- empty: no_work, no_graph_nodes
CREATE VIEW graph_nodes AS
WITH node AS MATERIALIZED (
  SELECT run, trace_id, graph_id, node_id, name_id, max(module) AS module, max(op) AS op, max(source) AS source, count(*) AS replays, sum(dur_ns) AS sum_ns,
    min(dur_ns) AS min_ns, max(dur_ns) AS max_ns, min(ts_ns) AS first_ns
  FROM graph_node_work
  GROUP BY run, trace_id, graph_id, node_id, name_id
),
begun AS (
  SELECT run, trace_id, graph_id, node_id, name_id, module, op, source, replays, sum_ns, min_ns, max_ns, first_ns,
    min(first_ns) OVER of_node AS node_first_ns, count(*) OVER of_node AS names
  FROM node
  WINDOW of_node AS (PARTITION BY run, trace_id, graph_id, node_id)
)
SELECT
  begun.run AS run, -- [text] name of the run
  begun.trace_id AS trace_id, -- [integer] id of the trace
  begun.graph_id AS graph_id, -- [integer] id of the graph, as recorded
  begun.node_id AS node_id, -- [text] id of the graph node, decimal
  dense_rank() OVER (PARTITION BY begun.run, begun.trace_id, begun.graph_id ORDER BY begun.node_first_ns, begun.node_id) - 1 AS position, -- [integer] position of the node in its graph by first start, from 0
  string.text AS name, -- [text] name of the kernel, memcpy or memset
  begun.module AS module, -- [text] qualified name of the nn.Module that captured the node
  begun.op AS op, -- [text] name of the op that captured the node
  begun.source AS source, -- [text] source of module and op: file (annotations), kernel (its own arguments), capture (capture trace) or nodes (table of graph nodes)
  begun.names AS names, -- [integer] number of kernel names that the node has
  begun.replays AS replays, -- [integer] number of replays of the node
  begun.sum_ns / 1e6 AS gpu_ms, -- (lower) GPU time over all replays
  begun.sum_ns / 1e3 / begun.replays AS mean_us, -- mean duration of the node
  begun.min_ns / 1e3 AS min_us, -- shortest duration of the node
  begun.max_ns / 1e3 AS max_us -- longest duration of the node
FROM begun
JOIN string ON string.id = begun.name_id
ORDER BY begun.run, begun.trace_id, begun.graph_id, position, name;
