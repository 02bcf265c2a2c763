-- pseudo_calls: pseudo ops from ?1 to ?2, with what they wrap or stand before.
SELECT pseudo.first_id, pseudo.last_id, pseudo.name_id, pseudo.op_id, target.uid, target.track_id,
  CASE place WHEN 'inject' THEN -1 ELSE target.dur_ns END, pseudo.args_id, pseudo.id, pseudo.place = 'wrap', target.ts_ns
FROM pseudo_event AS pseudo JOIN event AS target ON target.id = pseudo.first_id - (pseudo.place = 'wrap')
WHERE pseudo.first_id BETWEEN ?1 AND ?2 ORDER BY pseudo.first_id, pseudo.id;
