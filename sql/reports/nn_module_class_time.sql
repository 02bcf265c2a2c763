-- GPU time by class of nn.Module: how many modules (layers) of the class, their mean, and the slowest
-- one. Time without submodules adds up to all GPU time.
-- set: pytorch
-- question: ops
-- words: layers, expensive, slowest, blocks, rollup
-- position: 205
-- level: module_class
-- key: class
-- measure: own_time_ms, calls
-- work: GPU time of modules
-- when: never
-- frames: yes
-- chart: bar class own_time_ms
-- terminal: class, modules, own_time_ms, own_percent, mean_gpu_time_ms, max_gpu_time_ms, slowest_module, calls, parent_class
-- empty: no_work, no_frames
CREATE VIEW nn_module_class_time AS
WITH module AS (
  SELECT run, trace_id, coalesce(class, module) AS class, module, calls, own_time_ms, own_percent, gpu_time_ms,
    CASE WHEN parent_module REGEXP '_[0-9]+$' THEN rtrim(rtrim(parent_module, '0123456789'), '_') ELSE parent_module END AS parent_class,
    row_number() OVER (PARTITION BY run, trace_id, class ORDER BY gpu_time_ms DESC, module) AS place
  FROM nn_module_time
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  class AS class, -- [text] class of the modules
  max(parent_class) FILTER (WHERE place = 1) AS parent_class, -- [text] class of the module around the slowest one
  count(*) AS modules, -- [integer] number of modules of the class
  sum(calls) AS calls, -- [integer] number of calls of these modules
  sum(own_time_ms) AS own_time_ms, -- [ms] (lower) GPU busy time of these modules without their submodules
  sum(own_percent) AS own_percent, -- [%] GPU busy time without submodules, as a share of the busy time of all GPU activities
  avg(gpu_time_ms) AS mean_gpu_time_ms, -- [ms] mean GPU busy time of a module, submodules included
  max(gpu_time_ms) AS max_gpu_time_ms, -- [ms] GPU busy time of the slowest module, submodules included
  max(module) FILTER (WHERE place = 1) AS slowest_module -- [text] module with the most GPU busy time
FROM module
GROUP BY run, trace_id, class
ORDER BY run, trace_id, sum(own_time_ms) DESC, class;
