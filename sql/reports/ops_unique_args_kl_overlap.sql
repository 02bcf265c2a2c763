-- GPU time by op, arguments and concurrent activities on other streams.
-- set: pytorch
-- question: ops
-- position: 50
-- key: name, input_dims, input_type, input_strides, concrete_inputs, overlapping_kernel_names, num_kernels, is_recompute
-- within: op_category, process_name, process_label, thread_name
-- measure: total_direct_kernel_time_sum, operation_count
-- when: include-overlap-info
-- drop-empty: num_kernels, is_recompute, first_occurrence_time, partners_not_examined
-- terminal: name, total_direct_kernel_time_sum, percentage, overlapping_kernel_names, overlap_pct_mean, operation_count, op_category, is_recompute, overlap_pct_max, input_dims, num_kernels, partners_not_examined
-- not-included: not_included_in_ops
-- columns-of: ops_unique_args
-- empty: no_work, no_ops, no_launchers
CREATE VIEW ops_unique_args_kl_overlap AS
WITH grouped AS MATERIALIZED (
  SELECT run, trace_id, is_recompute, num_kernels, name_id, category, op_id, same_track_id, overlapping_names,
    count(*) AS operation_count,
    min(ts_ns) AS first_ns, min(position) AS position,
    median(direct_ns) / 1000.0 AS direct_median, median(subtree_ns) / 1000.0 AS subtree_median,
    stddev_samp(direct_ns) / 1000.0 AS direct_std, stddev_samp(subtree_ns) / 1000.0 AS subtree_std,
    min(direct_ns) / 1000.0 AS direct_min, min(subtree_ns) / 1000.0 AS subtree_min,
    max(direct_ns) / 1000.0 AS direct_max, max(subtree_ns) / 1000.0 AS subtree_max,
    sum(direct_ns) AS direct_ns, sum(subtree_ns) AS subtree_ns,
    value_at_least(launcher_id, position) AS launcher_id,
    kernel_details(position, kernels) AS kernel_details,
    kernel_details_short(position, kernels) AS kernel_details_short,
    kernel_details(position, overlapping_kernels) AS overlapping_details,
    kernel_details_short(position, overlapping_kernels) AS overlapping_details_short,
    avg(overlap_pct) AS overlap_mean, median(overlap_pct) AS overlap_median, stddev_samp(overlap_pct) AS overlap_std,
    min(overlap_pct) AS overlap_min, max(overlap_pct) AS overlap_max,
    sum(partners_not_examined) AS not_examined
  FROM launcher_work
  WHERE trace_id IN (SELECT trace_id FROM trace_with_ops)
  GROUP BY run, trace_id, is_recompute, num_kernels, name_id, category, op_id, same_track_id, overlapping_names
),
numbered AS (
  SELECT grouped.run, grouped.trace_id, grouped.is_recompute, grouped.num_kernels, grouped.name_id,
    grouped.category, grouped.op_id, grouped.same_track_id, grouped.overlapping_names, grouped.operation_count,
    grouped.direct_median, grouped.subtree_median, grouped.direct_std, grouped.subtree_std, grouped.direct_min,
    grouped.subtree_min, grouped.direct_max, grouped.subtree_max, grouped.direct_ns, grouped.subtree_ns,
    grouped.launcher_id, grouped.kernel_details, grouped.kernel_details_short, grouped.overlapping_details,
    grouped.overlapping_details_short, grouped.overlap_mean, grouped.overlap_median, grouped.overlap_std,
    grouped.overlap_min, grouped.overlap_max, grouped.not_examined,
    event.uid AS uid,
    grouped.first_ns - min(grouped.first_ns) OVER (PARTITION BY grouped.run, grouped.trace_id) AS occurrence_ns,
    sum(grouped.direct_ns) OVER (PARTITION BY grouped.run, grouped.trace_id) AS all_ns,
    sum(grouped.direct_ns) OVER in_order AS so_far_ns,
    row_number() OVER in_order AS place
  FROM grouped
  JOIN event ON event.id = grouped.launcher_id
  WINDOW in_order AS (PARTITION BY grouped.run, grouped.trace_id ORDER BY grouped.direct_ns DESC, CASE WHEN (SELECT tpq_like_reference('calls: the first ones')) THEN event.uid ELSE grouped.position END, event.uid, grouped.overlapping_names ROWS UNBOUNDED PRECEDING)
)
SELECT
  numbered.run, numbered.trace_id, name.text AS name,
  numbered.overlapping_names AS overlapping_kernel_names, -- [list] kernels of other ops that overlap the kernels of the op on other streams
  numbered.category AS op_category, coalesce(track.process_name, 'Unknown') AS process_name,
  coalesce(track.process_labels, 'Unknown') AS process_label, coalesce(track.thread_name, 'Unknown') AS thread_name, dims.text AS input_dims,
  types.text AS input_type, strides.text AS input_strides, concrete.text AS concrete_inputs, numbered.num_kernels, numbered.is_recompute,
  numbered.operation_count,
  CASE WHEN (SELECT tpq_option('include-first-occurrence-time')) IS NOT NULL THEN numbered.occurrence_ns / 1000.0 END AS first_occurrence_time,
  numbered.direct_ns / 1000.0 / numbered.operation_count AS total_direct_kernel_time_mean,
  numbered.subtree_ns / 1000.0 / numbered.operation_count AS total_subtree_kernel_time_mean,
  numbered.direct_median AS total_direct_kernel_time_median, numbered.subtree_median AS total_subtree_kernel_time_median,
  numbered.direct_std AS total_direct_kernel_time_std, numbered.subtree_std AS total_subtree_kernel_time_std,
  numbered.direct_min AS total_direct_kernel_time_min, numbered.subtree_min AS total_subtree_kernel_time_min,
  numbered.direct_max AS total_direct_kernel_time_max, numbered.subtree_max AS total_subtree_kernel_time_max,
  numbered.direct_ns / 1000.0 AS total_direct_kernel_time_sum,
  numbered.subtree_ns / 1000.0 AS total_subtree_kernel_time_sum,
  numbered.uid AS ex_uid, numbered.kernel_details AS kernel_details_summary, numbered.kernel_details_short AS trunc_kernel_details,
  numbered.overlapping_details AS overlapping_kernels_details_summary, -- [list] GPU activities that overlap the kernels of a call, with statistics over all calls
  numbered.overlapping_details_short AS trunc_overlapping_kernels_details, -- [list] GPU activities that overlap the kernels of a call, shortened
  numbered.overlap_mean AS overlap_pct_mean, -- [real] mean overlapped part of the direct GPU time of a call, as a fraction
  numbered.overlap_median AS overlap_pct_median, -- [real] median overlapped part of the GPU time of a call
  numbered.overlap_std AS overlap_pct_std, -- [real] standard deviation of the overlapped part of the GPU time of a call
  numbered.overlap_min AS overlap_pct_min, -- [real] minimum overlapped part of the GPU time of a call
  numbered.overlap_max AS overlap_pct_max, -- [real] maximum overlapped part of the GPU time of a call
  nullif(numbered.not_examined, 0) AS partners_not_examined, -- [integer] number of GPU activities not examined because nearly all overlap
  numbered.direct_ns * 100.0 / nullif(numbered.all_ns, 0) AS percentage,
  numbered.so_far_ns * 100.0 / nullif(numbered.all_ns, 0) AS cumulative_percentage
FROM numbered
JOIN string AS name ON name.id = numbered.name_id
JOIN track ON track.id = numbered.same_track_id
LEFT JOIN op ON op.id = numbered.op_id
LEFT JOIN string AS dims ON dims.id = op.dims_id
LEFT JOIN string AS types ON types.id = op.types_id
LEFT JOIN string AS strides ON strides.id = op.strides_id
LEFT JOIN string AS concrete ON concrete.id = op.concrete_id
WHERE (SELECT tpq_option('topk-ops')) IS NULL OR numbered.place <= (SELECT CAST(tpq_option('topk-ops') AS INTEGER))
ORDER BY numbered.run, numbered.trace_id, numbered.place;
