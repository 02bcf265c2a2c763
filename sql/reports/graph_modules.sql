-- GPU time of CUDA graph nodes by the nn.Module that captured them.
-- set: pytorch
-- question: ops first
-- words: cuda graph, replay, capture, layer, annotation
-- position: 388
-- level: module
-- key: module
-- measure: gpu_ms, kernels
-- work: GPU time of graph nodes
-- when: never
-- chart: bar module gpu_ms
-- terminal: module, gpu_ms, kernels, nested_gpu_ms, nested_kernels
-- not-included: not_included_annotations
-- frames: yes
-- empty: no_work, no_graph_nodes
CREATE VIEW graph_modules AS
WITH RECURSIVE own AS MATERIALIZED (
  SELECT run, trace_id, coalesce(module, '(none)') AS module, count(*) AS kernels, sum(dur_ns) AS sum_ns
  FROM graph_node_work
  GROUP BY run, trace_id, coalesce(module, '(none)')
),
-- a module is in itself and in all modules whose name it begins with
around(run, trace_id, module, kernels, sum_ns) AS (
  SELECT run, trace_id, module, kernels, sum_ns FROM own
  UNION ALL
  SELECT run, trace_id, rtrim(rtrim(module, replace(module, '.', '')), '.'), kernels, sum_ns FROM around WHERE instr(ltrim(module, '.'), '.') > 0
),
nested AS MATERIALIZED (SELECT run, trace_id, module, sum(kernels) AS kernels, sum(sum_ns) AS sum_ns FROM around GROUP BY run, trace_id, module)
SELECT
  own.run AS run, -- [text] name of the run
  own.trace_id AS trace_id, -- [integer] id of the trace
  own.module AS module, -- [text] qualified name of the nn.Module; (none) where no source names it
  own.kernels AS kernels, -- [integer] number of GPU activities of the module without its submodules
  own.sum_ns / 1e6 AS gpu_ms, -- (lower) GPU time of the module without its submodules
  nested.kernels AS nested_kernels, -- [integer] number of GPU activities with submodules
  nested.sum_ns / 1e6 AS nested_gpu_ms -- GPU time with submodules
FROM own
JOIN nested ON nested.run = own.run AND nested.trace_id = own.trace_id AND nested.module = own.module
ORDER BY own.run, own.trace_id, own.sum_ns DESC, own.module;
