-- Counters over time (clocks, power, memory), with the mean over the time for which values held. A
-- sample belongs to the step that it falls into.
-- set: pytorch
-- question: raw
-- words: power, clock, temperature, throttling
-- position: 260
-- key: device, place, counter, unit, source
-- measure: mean, samples
-- no-sum: yes
-- when: never
-- drop-empty: device, place, place_name
-- empty: lacks_counters
CREATE VIEW counters AS
WITH grouped AS (
  SELECT run, trace_id, counter_id, count(*) AS samples, min(value) AS min, mean_over_time(ts_ns, value, window_ns) AS mean,
    max(value) AS max, percentile(value, 99) AS p99, min(ts_ns) AS first_ns, max(ts_ns) AS last_ns
  FROM counter_value
  GROUP BY run, trace_id, counter_id
)
SELECT
  grouped.run AS run, -- [text] run
  grouped.trace_id AS trace_id, -- [integer] trace
  track.device AS device, -- [integer] number of the device
  track.place AS place, -- [text] process, or what of the machine it is
  track.place_name AS place_name, -- [text] name of the process
  track.name AS counter, -- [text] what is counted
  track.unit AS unit, -- [text] unit of its values
  samples AS samples, -- [integer] samples
  min AS min, -- [real] least value
  mean AS mean, -- [real] mean; each value holds until the next sample, the last one as long as others do
  max AS max, -- [real] greatest value
  p99 AS p99, -- [real] value that 99 % of the samples do not exceed
  first_ns / 1000000.0 AS first_ms, -- [ms] first sample, from the start of the trace
  last_ns / 1000000.0 AS last_ms, -- [ms] last sample
  track.source AS source -- [text] table or kind of event that it is from
FROM grouped
JOIN counter_track AS track ON track.id = grouped.counter_id
ORDER BY grouped.run, grouped.trace_id, track.device, track.place, track.name, track.unit, track.source;
