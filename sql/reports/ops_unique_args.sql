-- Accelerator time by op and arguments: every distinct call, how often it ran and which kernels.
-- set: pytorch
-- position: 40
-- alias: ops_all
-- drop-empty: num_kernels, is_recompute, first_occurrence_time
-- terminal: name, operation_count, total_direct_kernel_time_sum, percentage, op_category, input_dims, total_direct_kernel_time_mean, ex_uid, is_recompute, cumulative_percentage, input_type
CREATE VIEW ops_unique_args AS
WITH calls AS (
  SELECT work.run AS run, work.trace_id AS trace_id, work.is_recompute AS is_recompute,
    CASE WHEN (SELECT tpq_option('group_by_num_kernels')) IS NOT NULL THEN work.kernel_count END AS num_kernels,
    work.name_id AS name_id, work.category AS category, work.op_id AS op_id, track_words.same_id AS track_id,
    work.ts_ns AS ts_ns, work.direct_ns AS direct_ns, work.subtree_ns AS subtree_ns,
    work.position AS position, work.launcher_id AS launcher_id, work.kernels AS kernels
  FROM launcher_work AS work
  JOIN track_words ON track_words.track_id = work.track_id
  WHERE work.trace_id IN (SELECT trace_id FROM trace_with_ops)
),
grouped AS MATERIALIZED (
  SELECT run, trace_id, is_recompute, num_kernels, name_id, category, op_id, track_id,
    count(*) AS operation_count,
    min(ts_ns) AS first_ns,
    avg(direct_ns) / 1000.0 AS direct_mean, avg(subtree_ns) / 1000.0 AS subtree_mean,
    median(direct_ns) / 1000.0 AS direct_median, median(subtree_ns) / 1000.0 AS subtree_median,
    stddev_samp(direct_ns) / 1000.0 AS direct_std, stddev_samp(subtree_ns) / 1000.0 AS subtree_std,
    min(direct_ns) / 1000.0 AS direct_min, min(subtree_ns) / 1000.0 AS subtree_min,
    max(direct_ns) / 1000.0 AS direct_max, max(subtree_ns) / 1000.0 AS subtree_max,
    sum(direct_ns) AS direct_ns, sum(subtree_ns) AS subtree_ns,
    value_at_least(launcher_id, position) AS launcher_id,
    kernel_details(position, kernels) AS kernel_details,
    kernel_details_short(position, kernels) AS kernel_details_short
  FROM calls
  GROUP BY run, trace_id, is_recompute, num_kernels, name_id, category, op_id, track_id
),
ranked AS (
  SELECT grouped.launcher_id AS launcher_id, event.uid AS uid,
    row_number() OVER (PARTITION BY grouped.run, grouped.trace_id ORDER BY grouped.direct_ns DESC, event.uid) AS place,
    min(grouped.first_ns) OVER (PARTITION BY grouped.run, grouped.trace_id) AS first_of_all_ns,
    sum(grouped.direct_ns) OVER (PARTITION BY grouped.run, grouped.trace_id) AS all_ns,
    sum(grouped.direct_ns) OVER (PARTITION BY grouped.run, grouped.trace_id ORDER BY grouped.direct_ns DESC, event.uid ROWS UNBOUNDED PRECEDING) AS so_far_ns
  FROM grouped
  JOIN event ON event.id = grouped.launcher_id
)
SELECT
  grouped.run AS run, -- run
  grouped.trace_id AS trace_id, -- trace
  name.text AS name, -- name of the op
  grouped.category AS op_category, -- "op category" its category
  (SELECT process_name FROM track_words WHERE track_words.track_id = grouped.track_id AND track_words.trace_id = grouped.trace_id) AS process_name, -- name of the process
  (SELECT process_label FROM track_words WHERE track_words.track_id = grouped.track_id AND track_words.trace_id = grouped.trace_id) AS process_label, -- labels of the process
  (SELECT thread_name FROM track_words WHERE track_words.track_id = grouped.track_id AND track_words.trace_id = grouped.trace_id) AS thread_name, -- name of the thread
  signature.input_dims AS input_dims, -- "Input Dims" [tuple] dimensions of the inputs
  signature.input_types AS input_type, -- "Input type" [tuple] types of the inputs
  signature.input_strides AS input_strides, -- "Input Strides" [tuple] strides of the inputs
  signature.concrete_inputs AS concrete_inputs, -- "Concrete Inputs" [tuple] values of scalar inputs
  grouped.num_kernels AS num_kernels, -- kernels of a call, with the option group_by_num_kernels
  grouped.is_recompute AS is_recompute, -- [boolean] whether it recomputes activations
  grouped.operation_count AS operation_count, -- calls
  CASE WHEN (SELECT tpq_option('include_first_occurrence_time')) IS NOT NULL
    THEN (grouped.first_ns - ranked.first_of_all_ns) / 1000.0
  END AS first_occurrence_time, -- [us] start of the first call, from the first of all rows
  grouped.direct_mean AS total_direct_kernel_time_mean, -- [us] time covered by the work that a call launched: mean
  grouped.subtree_mean AS total_subtree_kernel_time_mean, -- [us] time covered by all work below a call: mean
  grouped.direct_median AS total_direct_kernel_time_median, -- [us] median of the first
  grouped.subtree_median AS total_subtree_kernel_time_median, -- [us] median of the second
  grouped.direct_std AS total_direct_kernel_time_std, -- [us] standard deviation of the first
  grouped.subtree_std AS total_subtree_kernel_time_std, -- [us] standard deviation of the second
  grouped.direct_min AS total_direct_kernel_time_min, -- [us] least of the first
  grouped.subtree_min AS total_subtree_kernel_time_min, -- [us] least of the second
  grouped.direct_max AS total_direct_kernel_time_max, -- [us] most of the first
  grouped.subtree_max AS total_subtree_kernel_time_max, -- [us] most of the second
  grouped.direct_ns / 1000.0 AS total_direct_kernel_time_sum, -- [us] sum of the first
  grouped.subtree_ns / 1000.0 AS total_subtree_kernel_time_sum, -- [us] sum of the second
  ranked.uid AS ex_uid, -- "ex_UID" place of the first call in the file
  grouped.kernel_details AS kernel_details_summary, -- [list] the kernels of a call with statistics over all calls
  grouped.kernel_details_short AS trunc_kernel_details, -- [list] the same, shortened
  grouped.direct_ns * 100.0 / nullif(ranked.all_ns, 0) AS percentage, -- "Percentage (%)" [%] share of the sum over all rows
  ranked.so_far_ns * 100.0 / nullif(ranked.all_ns, 0) AS cumulative_percentage -- "Cumulative Percentage (%)" [%] share of this row and those above
FROM grouped
JOIN ranked ON ranked.launcher_id = grouped.launcher_id
JOIN string AS name ON name.id = grouped.name_id
LEFT JOIN signature ON signature.op_id = grouped.op_id
WHERE (SELECT tpq_option('topk_ops')) IS NULL OR ranked.place <= (SELECT CAST(tpq_option('topk_ops') AS INTEGER))
ORDER BY grouped.run, grouped.trace_id, ranked.place;
