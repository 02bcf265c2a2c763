-- Counters over time (clocks, power, memory), with the mean over the time for which values held. A
-- sample belongs to the step at its time.
-- set: pytorch
-- question: raw
-- words: power, clock, temperature, throttling
-- position: 260
-- key: device, place, counter, unit, source
-- measure: mean, samples
-- no-sum: yes
-- when: never
-- drop-empty: device, place, place_name
-- empty: no_counters
CREATE VIEW counters AS
WITH grouped AS (
  SELECT span.run AS run, span.trace_id AS trace_id, sample.counter_id AS counter_id, count(*) AS samples, min(value) AS min,
    mean_over_time(ts_ns, value, nullif(first_ns, -9223372036854775807)) AS mean, max(value) AS max, percentile(value, 99) AS p99, min(ts_ns) AS first_ns, max(ts_ns) AS last_ns
  FROM scope_span AS span
  CROSS JOIN counter_track AS track ON track.trace_id = span.trace_id
  CROSS JOIN counter_sample AS sample ON sample.counter_id = track.id AND sample.ts_ns BETWEEN span.first_ns AND span.last_ns
  GROUP BY span.run, span.trace_id, sample.counter_id
)
SELECT
  grouped.run AS run, -- [text] name of the run
  grouped.trace_id AS trace_id, -- [integer] id of the trace
  track.device AS device, -- [integer] number of the device
  track.place AS place, -- [text] process of the counter, or its part of the machine
  track.place_name AS place_name, -- [text] name of the process
  track.name AS counter, -- [text] name of the counter
  track.unit AS unit, -- [text] unit of the counter's values
  samples AS samples, -- [integer] number of samples of the counter
  min AS min, -- [real] minimum value of the counter
  mean AS mean, -- [real] mean value of the counter over time; a value holds until the next sample, the last one until all counters end
  max AS max, -- [real] maximum value of the counter
  p99 AS p99, -- [real] 99th percentile of the counter's values
  first_ns / 1000000.0 AS first_ms, -- [ms] time of the first sample, from the start of the trace
  last_ns / 1000000.0 AS last_ms, -- [ms] time of the last sample, from the start of the trace
  track.source AS source -- [text] table or kind of event that the counter is read from
FROM grouped
JOIN counter_track AS track ON track.id = grouped.counter_id
ORDER BY grouped.run, grouped.trace_id, track.device, track.place, track.name, track.unit, track.source;
