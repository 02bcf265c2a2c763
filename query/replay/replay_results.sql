-- calls_replayed: calls of replayed rows, in their order.
SELECT line.run, line.op_group, line.name, line.call_key, line.params, dims.text, types.text, strides.text, concrete.text,
  line.kernel_details, line.row_no, line.calls, line.mean_us
FROM replayed_row AS line LEFT JOIN op ON op.id = line.op_id LEFT JOIN string AS dims ON dims.id = op.dims_id
LEFT JOIN string AS types ON types.id = op.types_id LEFT JOIN string AS strides ON strides.id = op.strides_id
LEFT JOIN string AS concrete ON concrete.id = op.concrete_id ORDER BY line.run, line.place, line.row_no;

-- result_kept: a result of run ?1; one with a time takes the place of another.
INSERT INTO replay_result (run_id, op_group, call, source, tool, command, status, time_us, output_path)
SELECT id, ?2, ?3, ?4, ?5, ?6, ?7, iif(?8 > 0, ?8, NULL), ?9 FROM run WHERE name = ?1
ON CONFLICT DO UPDATE SET tool = excluded.tool, command = excluded.command, status = excluded.status, time_us = excluded.time_us,
  output_path = excluded.output_path, imported_at = CURRENT_TIMESTAMP
WHERE excluded.time_us IS NOT NULL;
