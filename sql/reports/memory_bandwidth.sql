-- Memcpy and memset by kind: bytes, time and bandwidth. The bandwidth of an operation is its bytes
-- by its duration; 1 GB = 10^9 bytes. Memset of HIP records no bytes: only its count is included.
-- set: pytorch
-- question: memory first
-- words: h2d, d2h, transfer, throughput, pcie
-- position: 315
-- without-ops: 30, rocprof 30
-- key: kind
-- measure: active_ms, bytes
-- when: never
-- drop-empty: percent_of_link
-- empty: no_work, no_copies
CREATE VIEW memory_bandwidth AS
WITH named AS MATERIALIZED (
  SELECT work.run AS run, work.trace_id AS trace_id, work.category_id AS category_id, work.name_id AS name_id,
    coalesce(regexp_substr(string.text, '^(Memcpy|Memset)( [A-Za-z0-9]+)?'), category.name) AS kind
  FROM work_class AS work
  JOIN category ON category.id = work.category_id AND category.name IN ('gpu_memcpy', 'gpu_memset')
  JOIN string ON string.id = work.name_id
),
moved AS (
  SELECT work.run AS run, work.trace_id AS trace_id, named.kind AS kind, work.ts_ns AS ts_ns, work.dur_ns AS dur_ns, work.bytes AS bytes,
    work.bytes * 1.0 / nullif(work.dur_ns, 0) AS gbps
  FROM analysed_work AS work
  JOIN named ON named.run = work.run AND named.trace_id = work.trace_id AND named.category_id = work.category_id AND named.name_id = work.name_id
),
sums AS (
  SELECT run, trace_id, kind, count(*) AS copies, coalesce(sum(bytes), 0) AS bytes,
    interval_union_ns(ts_ns, dur_ns) FILTER (WHERE bytes IS NOT NULL) AS active_ns,
    avg(gbps) AS gbps_mean, median(gbps) AS gbps_median, interval_peak(ts_ns, dur_ns, gbps) AS gbps_peak,
    CASE WHEN instr(',' || (SELECT tpq_option('link-gbps')), ',' || kind || '=') THEN
      CAST(substr(',' || (SELECT tpq_option('link-gbps')), instr(',' || (SELECT tpq_option('link-gbps')), ',' || kind || '=') + length(kind) + 2) AS REAL) END AS link_gbps
  FROM moved
  GROUP BY run, trace_id, kind
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  kind AS kind, -- [text] kind of operation: memcpy with its direction, or memset
  copies AS copies, -- [integer] number of memcpy or memset operations
  bytes AS bytes, -- [bytes] total bytes of the operations with a recorded size
  active_ns / 1000000.0 AS active_ms, -- [ms] (lower) busy time (union) of the operations with a recorded size
  bytes * 1.0 / nullif(active_ns, 0) AS gbps_active, -- [GB/s] (higher) bandwidth over the busy time
  gbps_mean AS gbps_mean, -- [GB/s] mean bandwidth of an operation
  gbps_median AS gbps_median, -- [GB/s] (higher) median bandwidth of an operation
  gbps_peak AS gbps_peak, -- [GB/s] maximum total bandwidth of operations that ran at the same time
  bytes * 100.0 / nullif(active_ns * link_gbps, 0) AS percent_of_link -- [%] gbps_active as a share of --link-gbps for this kind
FROM sums
ORDER BY run, trace_id, active_ns DESC, kind;
