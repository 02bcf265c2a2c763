-- keep_rollup: Runs that keep an answer of each of these take at most a tenth of what their events take.
INSERT OR REPLACE INTO rollup (run_id, question, made_by, rows)
SELECT run.id, ?2, ?3, ?4
FROM run
WHERE name = ?1 AND length(?4) + length(?2) + length(?3) + (
  SELECT coalesce(sum(length(rows) + 2 * length(question) + length(made_by)), 0) FROM rollup WHERE run_id = run.id AND question <> ?2) <=
  max(60000, 8 * (SELECT sum(last_event - first_event + 1) FROM trace WHERE run_id = run.id));
