-- How much of the GPU busy time the reports on ops cover.
-- set: pytorch
-- question: raw
-- alias: explained_time
-- position: 100
-- key: subject
-- measure: time_ms, events
-- when: never
CREATE VIEW gpu_time_coverage AS
WITH sums AS MATERIALIZED (
  SELECT run, trace_id, busy_ns, linked_ns, categorised_ns, modelled_ns, graph_ns, unlinked_ns, clipped, dropped, zero, overlapping
  FROM coverage
),
kinds (position, subject) AS (
  VALUES (1, 'busy'), (2, 'linked to an op'), (3, 'with a category'), (4, 'with a model'), (5, 'in graphs'),
  (6, 'unlinked'), (7, 'clipped'), (8, 'dropped'), (9, 'without duration'), (10, 'overlapping')
),
parts AS (
  SELECT run, trace_id, busy_ns, position, subject,
    CASE position WHEN 1 THEN busy_ns WHEN 2 THEN linked_ns WHEN 3 THEN categorised_ns WHEN 4 THEN modelled_ns
      WHEN 5 THEN graph_ns WHEN 6 THEN unlinked_ns END AS ns,
    CASE position WHEN 7 THEN clipped WHEN 8 THEN dropped WHEN 9 THEN zero WHEN 10 THEN overlapping END AS events
  FROM sums CROSS JOIN kinds
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  subject AS subject, -- [text] part of the busy time, or kind of event
  ns / 1000000.0 AS time_ms, -- [ms] busy time of the part
  ns * 100.0 / nullif(busy_ns, 0) AS percent, -- [%] share of the busy time
  events AS events -- [integer] number of events of the kind in the whole trace
FROM parts
ORDER BY run, trace_id, position;
