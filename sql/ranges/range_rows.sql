-- marks_of_programs: Ranges, steps and points that programs marked.
SELECT signpost.id, signpost.track_id, signpost.ts_ns, coalesce(signpost.dur_ns, 0), event.uid, event.args_id,
  signpost.kind = 'point', signpost.name
FROM signpost CROSS JOIN event ON event.id = signpost.id
WHERE signpost.id BETWEEN ?1 AND ?2 AND signpost.kind IN ('range', 'step', 'point');

-- ranges_of_ops: Ops that stand as ranges. With ?3 they are called what the file says, or what their name,
-- numbers and dimensions say.
SELECT event.id, event.track_id, event.ts_ns, event.dur_ns, event.uid, event.args_id,
  CASE
    WHEN ?3 THEN coalesce(op_range.text, (SELECT text FROM string WHERE id = event.name_id) || coalesce(', seq = ' ||
      op_range.sequence, '') || coalesce(', op_id = ' || op_range.number, '') || coalesce(', sizes = ' || (SELECT
      replace(string.text, ',', ', ') FROM op JOIN string ON string.id = op.dims_id WHERE op.id = event.op_id), '')) END
FROM op_range CROSS JOIN event ON event.id = op_range.id
WHERE op_range.id BETWEEN ?1 AND ?2;

-- calls_with_work: Runtime calls, with a row for each GPU activity that they launched.
SELECT event.id, event.track_id, event.ts_ns, event.dur_ns, event.last_id, gpu_event.category_id, gpu_event.ts_ns,
  gpu_event.dur_ns
FROM event LEFT JOIN gpu_event ON gpu_event.id BETWEEN event.id + 1 AND event.last_id AND +gpu_event.call_id = event.id
WHERE event.id BETWEEN ?1 AND ?2 AND event.below > 0 AND event.category_id IN (SELECT id FROM category WHERE role = 'call');
