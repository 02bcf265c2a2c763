-- Rules of advice. What has no measure is measured in sql/advice/evidence.c; savings are bounds, the
-- critical path tells better.
INSERT OR IGNORE INTO advice_rule (rule, position, threshold, unit, level, needs, title, action, report, is_symptom, saving_kind, doc, measure, source) VALUES
  ('start-up', 5, 20, 'percent of the recording', 'trace', 'calls', 'Start-up is in the recording: first calls load code and create contexts',
    'Warm up before recording. Other findings leave start-up out', 'cuda_api_sum', 0, 'none',
    'Time from the first runtime call or op to the first GPU activity, and first calls of a name, or first launches of a kernel, of 5 ms and more, with the whole op around them while it takes twice the median of its name. Shorter first calls count where their name never comes back and they are 20 % of the span. A launch that waits for a busy GPU does not count.', NULL, 'tpq'),
  ('sync-copy', 10, 1, 'percent of the span', 'trace', 'calls', 'GPU idle during synchronous memcpy',
    'Copy with non_blocking=True from pinned memory, and read results later', 'nsys_sync_copies', 0, 'upper bound',
    'Idle time under synchronous memcpy (cudaMemcpy, hipMemcpyWithStream, ...). Not counted where the memcpy began more than 1 ms after its call although the GPU was idle: the GPU did something that was not recorded.', NULL, 'tpq'),
  ('pageable-copy', 20, 0.5, 'percent of the span', 'trace', 'launches', 'Async memcpy waits: its host memory is pageable',
    'Pin the host memory (pin_memory=True)', 'nsys_pageable_copies', 0, 'guess',
    'Time of async memcpy from or to pageable memory, and idle time under its runtime calls. The estimate is half of the memcpy and all of the idle time; waiting for earlier GPU activities is no cost of the memcpy.', NULL, 'tpq'),
  ('explicit-sync', 30, 2, 'percent of the span', 'trace', 'calls', 'GPU idle during synchronization',
    'Take synchronize() out of the loop; measure with events', 'nsys_sync_calls', 0, 'upper bound',
    'Idle time under synchronization of a device, a stream or an event. From 20 calls on the saving of a replay without them counts where it is more: the host also launches late after them. Calls before the first and after the last GPU activity belong to the profiler, those inside an op that reads a value to scalar-read.', NULL, 'tpq'),
  ('scalar-read', 40, 2, 'reads a step', 'trace', 'ops', 'Ops read values of the GPU (item(), nonzero(), masks)',
    'Keep the value on the device, or read it a step later', 'idle_causes', 0, 'upper bound',
    'Ops that read a value (aten::item, _local_scalar_dense, nonzero, masked_select, unique, equal) with a memcpy to the host below. Not reported where the idle time under them is less than 1 % of the span.', NULL, 'tpq'),
  ('host-waits', 298, 5, 'percent of the span', 'trace', 'calls', 'The host waits for the GPU, which is busy meanwhile: no GPU time is lost',
    'To let the host run ahead, read values a step later', 'cuda_api_sum', 0, 'none',
    'Time of synchronizations, synchronous memcpy and ops that read values of the GPU, in which the GPU is busy. Synchronizations that start before the first GPU activity, or end after the last, belong to the profiler. The longest wait is not included: it may end a measurement.', NULL, 'tpq'),
  ('warm-up-steps', 299, 1.5, 'times the median of later steps', 'trace', 'steps', 'First steps are slower than later ones: warm-up is in the recording',
    'Select steady steps with --step', 'step_bounds', 0, 'none',
    'Longest of the first steps that take 1.5 times the median of later ones and more; three steps at least. Not reported where a tenth of the later steps is as slow.',
    'WITH step AS MATERIALIZED (
  SELECT run, trace_id, id, step, dur_ns, row_number() OVER (PARTITION BY run, trace_id ORDER BY ts_ns) AS nth, count(*) OVER (PARTITION BY run, trace_id) AS steps
  FROM trace_step AS marked WHERE kind = ''step'' AND step IS NOT NULL
    AND (trace_id NOT IN (SELECT trace_id FROM scope_time) OR EXISTS (SELECT 1 FROM scope_time AS part WHERE part.trace_id = marked.trace_id AND marked.ts_ns >= part.first_ns AND marked.ts_ns + marked.dur_ns - 1 <= part.last_ns))),
late AS MATERIALIZED (
  SELECT run, trace_id, median(dur_ns) AS usual_ns FROM step WHERE steps >= 3 AND nth > max(steps / 2, 1) GROUP BY run, trace_id),
warm AS MATERIALIZED (
  SELECT step.run AS run, step.trace_id AS trace_id, late.usual_ns AS usual_ns, min(iif(dur_ns < usual_ns * 1.5, nth, steps + 1)) AS steady
  FROM step JOIN late ON late.run = step.run AND late.trace_id = step.trace_id GROUP BY step.run, step.trace_id)
SELECT step.run AS run, step.trace_id AS trace_id, max(iif(nth < steady, dur_ns, 0)) / usual_ns AS value, sum(nth < steady) AS count, sum(iif(nth < steady, dur_ns, 0)) AS time_ns, 0 AS saving_ns, min(iif(nth = 1, id, NULL)) AS example_id,
  format(''%s: %s, %s%.1f times the median of later steps (%s)'', iif(steady = 2, ''Step '' || min(step), format(''Steps %d-%d'', min(step), max(iif(nth < steady, step, NULL)))), time_words(sum(iif(nth < steady, dur_ns, 0))), iif(steady = 2, '''', ''up to ''), max(iif(nth < steady, dur_ns, 0)) / usual_ns, time_words(usual_ns)) AS cause,
  format(''Select steady steps with --step %d-%d'', min(iif(nth >= steady, step, NULL)), max(step)) AS lever
FROM step JOIN warm ON warm.run = step.run AND warm.trace_id = step.trace_id
WHERE usual_ns > 0 GROUP BY step.run, step.trace_id
HAVING steady > 1 AND steady <= max(steps) AND sum(nth >= steady AND dur_ns >= usual_ns * 1.5) * 10 <= sum(nth >= steady)', 'tpq'),
  ('busy-thread', 301, 90, 'percent of the selection', 'trace', 'launches', 'GPU idle while the launching thread is busy: the host is the limit', 'Compile, capture graphs, or give work to other threads', 'thread_use', 0, 'none', 'Busy time of the thread with most launches (20 at least), where the GPU is idle for 10 % and more: CPU time without spinning in waits, where recorded; else ops and calls without waits.',
    '-- one scalar: threads are not read where the GPU is busy
WITH busiest AS MATERIALIZED (SELECT run, trace_id, (SELECT json_array(coalesce((cpu_ms - spin_ms) * 100 / window_ms, busy_percent), launches, window_ms, thread) FROM thread_use AS thread WHERE thread.run = base.run AND thread.trace_id = base.trace_id AND launches >= 20 AND window_ms > 0 ORDER BY launches DESC, busy_ms DESC LIMIT 1) AS best
  FROM time_base AS base WHERE device IS NULL AND busy_ns * 10 <= length_ns * 9)
SELECT run, trace_id, best ->> 0 AS value, best ->> 1 AS count, CAST((best ->> 0) * (best ->> 2) * 10000 AS INTEGER) AS time_ns, 0 AS saving_ns, NULL AS example_id, format(''Thread %s is busy %.1f %% of %s'', best ->> 3, best ->> 0, time_words((best ->> 2) * 1e6)) AS cause FROM busiest WHERE best IS NOT NULL', 'tpq'),
  ('allocations', 45, 5, 'percent of the span', 'trace', 'calls', 'GPU idle while memory is allocated or freed',
    'Use an allocator that keeps memory (a caching allocator, cudaMallocAsync), or allocate before the loop', 'cuda_api_sum', 0, 'upper bound',
    'Idle time under calls that allocate or free memory, from the first GPU activity on. Calls of later steps belong to late-allocation where there is at least one per step.', NULL, 'tpq'),
  ('long-gaps', 50, 5, 'percent of the span', 'trace', 'work', 'GPU idle in gaps of 1 ms and longer',
    '', 'gpu_gaps', 1, 'upper bound',
    'Idle gaps of 1 ms and more over all devices and streams. Where a replay without the host time saves less than half of them, something that was not recorded holds the GPU, and all of them are the upper bound.', NULL, 'tpq'),
  ('host-bound', 55, 25, 'percent of the span', 'trace', 'launches', 'Launch-bound: the GPU waits for launches',
    'Compile (torch.compile), or capture a CUDA or HIP graph; larger batches need fewer launches', 'idle_causes', 0, 'upper bound',
    'Idle gaps below 1 ms that end with a GPU activity launched after the gap began, at least 20. Graph launches do not count, nor gaps in which the host mostly waited, allocated, read values or loaded data.', NULL, 'tpq'),
  ('host-bound-compiled', 56, 25, 'percent of the span', 'trace', 'launches', 'Launch-bound: the GPU waits for launches of compiled code',
    'Capture it in CUDA or HIP graphs (torch.compile mode reduce-overhead), or see what its host code does', 'idle_causes', 0, 'upper bound',
    'As host-bound, where most of the time is in code made by torch.compile (Torch-Compiled Region, CompiledFxGraph).', NULL, 'tpq'),
  ('small-kernels', 60, 10, 'percent of the span', 'trace', 'launches', 'Launch-bound: the GPU waits for launches of small kernels',
    'Capture CUDA graphs (torch.compile mode reduce-overhead), or fuse', 'kernel_sequences', 1, 'upper bound',
    'Idle gaps below 1 ms that end with a GPU activity of less than 10 us launched after the gap began, at least 100. Graph launches do not count.', NULL, 'tpq'),
  ('data-loading', 70, 5, 'percent of the span', 'trace', 'ops or ranges', 'GPU idle during data loading',
    'Add workers, prefetch, or pin memory in the DataLoader', 'critical_path_sum', 0, 'upper bound',
    'Idle time under ranges and ops of a data loader (DataLoader, data_load).', NULL, 'tpq'),
  ('garbage-collection', 71, 1, 'percent of the span', 'trace', 'frames', 'GPU idle during garbage collection',
    '', 'gpu_gaps', 0, 'upper bound',
    'Idle time under Python frames of 1 ms and more, ops and ranges that collect garbage (gc.collect, garbage collection). Not recorded without Python frames: with_stack=True of the PyTorch profiler; NVTX ranges elsewhere.', NULL, 'tpq'),
  ('recompiles', 72, 1, 'percent of the span', 'trace', 'frames', 'GPU idle while code is compiled or tuned after warm-up',
    '', 'gpu_gaps', 0, 'upper bound',
    'Idle time under Python frames of 1 ms and more, ops and ranges that compile or tune (torch.compile, Triton, XLA), after the first step. Without two steps: after 0.5 s. Not recorded without Python frames: with_stack=True of the PyTorch profiler.', NULL, 'tpq'),
  ('graph-breaks', 300, 2, 'compiled regions a pass', 'trace', 'ops', 'Eager ops run between compiled regions: graph breaks, or parts that are compiled apart',
    'See where graphs break (TORCH_LOGS=graph_breaks, fullgraph=True)', 'compiled_regions', 0, 'none',
    'Calls of regions of torch.compile that eager ops with GPU activities separate from a region of a later number, for each call that no such region follows. Not seen where ops are not recorded.',
    'SELECT run, trace_id, calls * 1.0 / (calls - breaks) AS value, breaks AS count, between_ns AS time_ns, 0 AS saving_ns, example_id,
  format(''%,d breaks in %,d calls of regions, with %s of host time and %s of GPU time between'', breaks, calls, time_words(between_ns), time_words(gpu_ns)) || coalesce('', most of it '' || name.text, '''') AS cause
FROM (SELECT run, trace_id, count(*) AS calls, sum(broken) AS breaks, sum(iif(broken, between_ns, 0)) AS between_ns, sum(iif(broken, between_gpu_ns, 0)) AS gpu_ns, min(iif(broken, id, NULL)) AS example_id,
    value_at_least(between_name_id, iif(broken, -between_gpu_ns, 1)) AS name_id
  FROM compiled_call GROUP BY run, trace_id) AS call
LEFT JOIN string AS name ON name.id = name_id WHERE breaks > 0', 'tpq'),
  ('exposed-communication', 80, 5, 'percent of the span', 'trace', 'work', 'Communication is not overlapped with computation',
    'Start collectives earlier, use larger buckets, or prefetch. One rank cannot tell waiting from transfer: record the other ranks, too', 'comm_overlap', 0, 'upper bound',
    'Time with communication and without computation.', NULL, 'tpq'),
  ('low-overlap', 90, 70, 'percent of the communication', 'trace', 'work', 'Hardly any communication is overlapped',
    'Launch collectives on a separate stream, before kernels that do not need them', 'comm_overlap_parts', 1, 'upper bound',
    'Exposed share of the communication time, where at least 5 % of the span is communication.', NULL, 'tpq'),
  ('large-copies', 95, 20, 'percent of the span', 'trace', 'work', 'Large memcpy between host and GPU is not overlapped: the link is the limit',
    'Move less (offloaded parameters or optimizer state), or overlap memcpy with computation', 'memory_bandwidth', 0, 'upper bound',
    'Time with memcpy from or to the host of 100 us and more, and no other GPU activity.', NULL, 'tpq'),
  ('exposed-copies', 100, 2, 'percent of the span', 'trace', 'work', 'Memcpy is not overlapped',
    'Copy on a separate stream, ahead of use', 'memory_bandwidth', 1, 'upper bound',
    'Time with memcpy and no other GPU activity.', NULL, 'tpq'),
  ('many-host-copies', 110, 10, 'copies a step', 'trace', 'work', 'Many small memcpy between host and GPU',
    'Combine small copies, and keep data on the device', 'memory_bandwidth', 1, 'upper bound',
    'Memcpy from and to the host per step (whole trace without steps). The estimate is all memcpy below 100 us. Small ones that pageable-copy covers do not count.', NULL, 'tpq'),
  ('unfused-attention', 115, 10, 'percent of the busy time', 'trace', 'work', 'Unfused attention: softmax between two GEMMs',
    'Use fused attention (scaled_dot_product_attention, FlashAttention), which keeps the scores on chip', 'kernel_summary', 0, 'upper bound',
    'Softmax kernels with a GEMM before and after them on their stream, within four kernels, and the kernels between. A fused kernel still multiplies: the GEMMs are not saved.', NULL, 'tpq'),
  ('fp32-matrix', 120, 5, 'percent of the busy time', 'trace', 'shapes', 'GEMMs run in fp32 without tensor cores (matrix cores)',
    'Allow TF32 (torch.set_float32_matmul_precision), or use autocast to bf16', 'unified_perf_summary', 0, 'guess',
    'Outermost GEMM and convolution ops in fp32, unless a kernel below them is named after a faster dtype. The estimate is half of their time, or what the faster peak of the GPU gives.',
    'SELECT run, trace_id, sum(kernel_ns) * 100.0 / max(busy_ns) AS value, count(*) AS count, sum(kernel_ns) AS time_ns, CAST(sum(kernel_ns * part) AS INTEGER) AS saving_ns,
  value_at_least(id, -kernel_ns) AS example_id, group_concat(format(''%d %d %f'', id, last_id, part)) AS works
FROM fp32_product WHERE faster = ''bf16'' GROUP BY run, trace_id', 'tpq'),
  ('fp32-matrix-fp16', 121, 5, 'percent of the busy time', 'trace', 'shapes', 'GEMMs run in fp32 without tensor cores (matrix cores)',
    'Use autocast to fp16: this GPU has neither TF32 nor bf16', 'unified_perf_summary', 0, 'guess',
    'Outermost GEMM and convolution ops in fp32, unless a kernel below them is named after a faster dtype. The estimate is half of their time, or what the faster peak of the GPU gives. For GPUs with matrix units and without TF32.',
    'SELECT run, trace_id, sum(kernel_ns) * 100.0 / max(busy_ns) AS value, count(*) AS count, sum(kernel_ns) AS time_ns, CAST(sum(kernel_ns * part) AS INTEGER) AS saving_ns,
  value_at_least(id, -kernel_ns) AS example_id, group_concat(format(''%d %d %f'', id, last_id, part)) AS works
FROM fp32_product WHERE faster = ''fp16'' GROUP BY run, trace_id', 'tpq'),
  ('odd-gemm', 130, 2, 'percent of the busy time', 'trace', 'shapes', 'GEMM sizes do not fit tensor cores (matrix cores)',
    'Pad N and K to multiples of 8 (vocabulary, heads, classes)', 'unified_perf_summary', 0, 'guess',
    'Outermost GEMM ops of 16-bit dtypes whose N or K is no multiple of 8; GEMMs of vectors do not count. The estimate is the difference to the median rate of the other GEMMs of the trace; a quarter where these are not faster.',
    'WITH product AS MATERIALIZED (
  SELECT run, trace_id, id, last_id, kernel_ns, flops, arg(params, ''N'') AS n, arg(params, ''K'') AS k FROM op_call
  WHERE sheet = ''GEMM'' AND is_nested = 0 AND kernel_ns > 0 AND compute_spec IN (''matrix_bf16'', ''matrix_fp16'')),
even AS (
  SELECT run, trace_id, median(flops * 1.0 / kernel_ns) AS rate FROM product WHERE n % 8 = 0 AND k % 8 = 0 GROUP BY run, trace_id)
SELECT odd.run AS run, odd.trace_id AS trace_id, sum(odd.kernel_ns) * 100.0 / max(trace.busy_ns) AS value, count(*) AS count, sum(odd.kernel_ns) AS time_ns,
  CAST(sum(odd.kernel_ns * CASE WHEN odd.flops * 1.0 / odd.kernel_ns < even.rate THEN 1 - odd.flops / odd.kernel_ns / even.rate ELSE 0.25 END) AS INTEGER) AS saving_ns,
  value_at_least(odd.id, -odd.kernel_ns) AS example_id,
  group_concat(format(''%d %d %f'', odd.id, odd.last_id, CASE WHEN odd.flops * 1.0 / odd.kernel_ns < even.rate THEN 1 - odd.flops / odd.kernel_ns / even.rate ELSE 0.25 END)) AS works
FROM product AS odd
CROSS JOIN advice_trace AS trace ON trace.run = odd.run AND trace.trace_id = odd.trace_id
LEFT JOIN even ON even.run = odd.run AND even.trace_id = odd.trace_id
WHERE odd.k > 1 AND odd.n > 1 AND (odd.n % 8 <> 0 OR odd.k % 8 <> 0)
GROUP BY odd.run, odd.trace_id HAVING max(trace.busy_ns) > 0', 'tpq'),
  ('few-blocks', 140, 5, 'percent of the busy time', 'trace', 'blocks', 'Kernels have fewer blocks than the GPU has multiprocessors',
    'Use larger batches, or kernels with more blocks (split-K)', 'kernel_summary', 0, 'guess',
    'Compute kernels of 20 us and more with less than one block per multiprocessor. The estimate is half of the time of empty multiprocessors.', NULL, 'tpq'),
  ('wave-quantisation', 145, 5, 'percent of the busy time', 'trace', 'blocks', 'Blocks do not fill the last wave of GEMM, convolution or attention kernels',
    'Choose shapes (batch, sequence, padding) or tiles that fill the waves, or stream-K kernels (max-autotune)', 'kernel_waves', 0, 'upper bound',
    'Compute-bound kernels (GEMM, convolution, attention) with more blocks than the GPU holds at a time, and the empty part of their last wave. Kernels with one wave or less, persistent ones too, do not count.',
    'WITH wave AS MATERIALIZED (SELECT * FROM launch_wave WHERE lost > 0 AND kind IN (''GEMM'', ''convolution'', ''attention'')),
worst AS (SELECT *, row_number() OVER (PARTITION BY run, trace_id ORDER BY lost * time_ns DESC, name_id, args_id) AS nth FROM wave),
event AS (
  SELECT work.run AS run, work.trace_id AS trace_id, count(*) AS count, sum(work.dur_ns) AS time_ns, sum(wave.lost * work.dur_ns) AS lost_ns, value_at_least(work.id, -wave.lost * work.dur_ns) AS example_id,
    group_concat(format(''%d %d %f'', work.id, work.id, wave.lost)) AS works
  FROM kernel_work AS work
  CROSS JOIN wave ON wave.run = work.run AND wave.trace_id = work.trace_id AND wave.name_id = work.name_id AND wave.args_id = work.args_id
  GROUP BY work.run, work.trace_id
)
SELECT event.run AS run, event.trace_id AS trace_id, lost_ns * 100.0 / trace.busy_ns AS value, event.count AS count, event.time_ns AS time_ns, CAST(event.lost_ns AS INTEGER) AS saving_ns, event.example_id AS example_id, event.works AS works,
  format(''Worst: %s, grid %s: %,d blocks in %.2f waves, the last wave is %.0f %% full%s'', kernel_short_name(name.text), grid, blocks, waves, (1 - lost * ceil(waves)) * 100,
    iif(resident_from = ''assumed'', '' (blocks at a time are not recorded: 1 per multiprocessor assumed)'', '''')) AS cause
FROM event
CROSS JOIN advice_trace AS trace ON trace.run = event.run AND trace.trace_id = event.trace_id AND trace.busy_ns > 0
JOIN worst ON worst.run = event.run AND worst.trace_id = event.trace_id AND worst.nth = 1
JOIN string AS name ON name.id = worst.name_id', 'tpq'),
  ('layout-changes', 150, 2, 'percent of the busy time', 'trace', 'launches', 'Layout conversions around convolutions',
    'Use channels_last for model and input', 'kernel_launchers', 0, 'upper bound',
    'Kernels that change the layout (nchwToNhwc, batched_transpose, ...) and were launched by a convolution.', NULL, 'tpq'),
  ('loose-optimizer', 160, 100, 'kernels a step of the optimizer', 'trace', 'optimizer steps', 'The optimizer launches one kernel per tensor',
    'Use fused=True or foreach=True', 'annotation_time', 0, 'upper bound',
    'Kernels launched within Optimizer.step ranges, less than a tenth of them for many tensors at once (multi_tensor, fused, foreach). The estimate is host time beyond the time of the kernels.', NULL, 'tpq'),
  ('late-allocation', 170, 1, 'calls a step', 'trace', 'steps', 'Memory is allocated or freed after the first step',
    'Reuse buffers; expandable_segments:True; look for retries of the allocator', 'cuda_api_sum', 0, 'upper bound',
    'Calls that allocate or free device or host memory, from the end of the first step on.', NULL, 'tpq'),
  ('memory-full', 180, 90, 'percent of the memory', 'trace', 'memory', 'The allocator holds nearly all of the memory',
    'Use smaller batches, activation checkpointing, or expandable_segments:True', 'memory_peak', 0, 'none',
    'Peak of the memory that the allocator reserved on a device, as a share of the device memory.',
    'SELECT used.run AS run, used.trace_id AS trace_id, max(used.reserved_most * 100.0 / device.memory_bytes) AS value, sum(used.records) AS count, 0 AS time_ns, 0 AS saving_ns, NULL AS example_id
FROM memory_use AS used JOIN device ON device.trace_id = used.trace_id AND device.ordinal = used.device
WHERE device.memory_bytes > 0 AND used.device_type IN (1, 6) GROUP BY used.run, used.trace_id, used.device', 'tpq'),
  ('host-outside-ops', 190, 10, 'percent of the span', 'trace', 'ops', 'GPU idle while the host is in no op (Python, data, logging)',
    'Move host work out of the loop, or compile it; Python frames (with_stack=True) show it', 'critical_path', 1, 'upper bound',
    'Idle time in which no thread was in an op or a runtime call.', NULL, 'tpq'),
  ('slow-calls', 200, 5, 'percent of the time of launches', 'trace', 'calls', 'Slow launches',
    'Bind processes to cores; other threads or the profiler itself delay launches', 'launch_stats_by_call', 0, 'upper bound',
    'Launches of kernels and memset of 50 us and more, at least 5; 10 us of each would be usual. Not reported where most of them are first launches of a kernel, which load its code.', NULL, 'tpq'),
  ('code-loading', 210, 1, 'calls', 'trace', 'calls', 'Code is loaded while the trace runs',
    'Warm up before profiling; CUDA_MODULE_LOADING=EAGER', 'cuda_api_sum', 0, 'upper bound',
    'Calls that load modules or libraries of kernels.', NULL, 'tpq'),
  ('casts-and-copies', 220, 10, 'percent of the busy time', 'trace', 'work', 'Copy, concatenation and conversion kernels take much of the GPU time',
    'Keep one dtype and layout; write results in place; compile or fuse', 'kernel_summary', 0, 'guess',
    'Kernels named after copies, concatenation and conversion. The estimate is half of their time.', NULL, 'tpq'),
  ('unfused-pointwise', 230, 15, 'percent of the busy time', 'trace', 'work', 'Unfused pointwise kernels',
    'Use torch.compile, or a fused kernel', 'kernel_sequences', 0, 'guess',
    'Sequences of 3 and more elementwise kernels on a stream. The estimate for n kernels is half of (n - 1)/n of their time.', NULL, 'tpq'),
  ('low-roofline', 240, 20, 'percent of the busy time could be saved', 'trace', 'peaks', 'Ops reach less than half of the roofline',
    'See shapes, dtypes and other kernels', 'time_above_roofline', 0, 'upper bound',
    'Outermost ops with a model that take 20 us and more, at least twice their roofline time. Memcpy between host and device does not count: the link bounds it.',
    'SELECT worst.run AS run, worst.trace_id AS trace_id, worst.above_ns * 100.0 / trace.busy_ns AS value, worst.calls AS count, worst.time_ns AS time_ns, worst.above_ns AS saving_ns,
  worst.example_id AS example_id, worst.works AS works, worst.words AS cause, worst.lever AS lever
FROM roofline_worst AS worst
CROSS JOIN advice_trace AS trace ON trace.run = worst.run AND trace.trace_id = worst.trace_id
WHERE trace.busy_ns > 0', 'tpq'),
  ('recompute', 250, 20, 'percent of the computation', 'trace', 'recompute', 'Activations are recomputed',
    'Checkpoint fewer modules, while memory allows', 'gpu_timeline_recompute_share', 0, 'upper bound',
    'Computation that recomputes activations (--detect-recompute).',
    'SELECT run, trace_id, sum(computation_ns) FILTER (WHERE is_recompute = 1) * 100.0 / sum(computation_ns) AS value, 0 AS count,
  sum(computation_ns) FILTER (WHERE is_recompute = 1) AS time_ns, sum(computation_ns) FILTER (WHERE is_recompute = 1) AS saving_ns, NULL AS example_id
FROM timeline_sum WHERE is_recompute IS NOT NULL GROUP BY run, trace_id', 'tpq'),
  ('data-parallel', 260, 1, 'ops', 'trace', 'ops', 'One process drives several GPUs with DataParallel',
    'Use DistributedDataParallel, a process for each GPU', 'ops_summary', 0, 'none',
    'Ops of DataParallel (forward, Gather, Broadcast, Scatter) in a trace with work on several devices.', NULL, 'tpq'),
  ('straggler', 270, 2, 'percent of the longest span', 'run', 'ranks', 'One rank comes last to collectives, and the others wait for it',
    'See what that rank does before: its data, its GPU, its host', 'ranks_sync', 0, 'upper bound',
    'Over collectives of 3 ranks and more: what the rank that is last most adds alone, to the one that comes before it. It must be last 3 times at least; on the common clock, and only where the latest start lies before the earliest end.',
    'SELECT run, NULL AS trace_id, lead_ns * 100.0 / nullif(span_ns, 0) AS value, count, wait_ns AS time_ns, lead_ns AS saving_ns, example_id
FROM (
  SELECT run, label, sum(lead_ns) AS lead_ns, CAST(sum(wait_ns) AS INTEGER) AS wait_ns, count(*) AS count, value_at_least(id, -lead_ns) AS example_id,
    (SELECT max(trace.span_ns) FROM advice_trace AS trace WHERE trace.run = last.run) AS span_ns, row_number() OVER (PARTITION BY run ORDER BY sum(lead_ns) DESC, label) AS nth
  FROM (
    SELECT run, label, id, common_ns - next_ns AS lead_ns, sum_ns AS wait_ns
    FROM (SELECT run, collective, label, id, common_ns, min(common_ns + dur_ns) OVER (PARTITION BY run, collective) AS first_end_ns,
            sum(wait_ns) OVER (PARTITION BY run, collective) AS sum_ns, count(*) OVER (PARTITION BY run, collective) AS ranks_here,
            row_number() OVER (PARTITION BY run, collective ORDER BY common_ns DESC, place DESC) AS nth,
            lead(common_ns) OVER (PARTITION BY run, collective ORDER BY common_ns DESC, place DESC) AS next_ns
          FROM (SELECT call.run AS run, call.collective AS collective, call.label AS label, call.id AS id, call.common_ns AS common_ns, call.dur_ns AS dur_ns,
                  call.wait_ns AS wait_ns, call.place AS place FROM collective_call AS call WHERE call.is_sync = 1))
    WHERE nth = 1 AND ranks_here >= 3 AND common_ns <= first_end_ns) AS last
  GROUP BY run, label HAVING count(*) >= 3)
WHERE nth = 1', 'tpq'),
  ('slow-collective', 280, 50, 'percent below the best', 'run', NULL, 'Some collectives are much slower than others of their kind',
    'Look at the links in use, at other traffic, and at ranks that come late', 'ranks_sync', 0, 'upper bound',
    'Bus bandwidth of messages of 64 MB and more against the best of the same kind and number of ranks, 3 of them at least.',
    'SELECT run, NULL AS trace_id, 100 - min(bus_bw) * 100.0 / max(bus_bw) AS value, count(*) AS count, CAST(sum(latency_ns) AS INTEGER) AS time_ns,
  CAST(sum(latency_ns) - min(latency_ns) * count(*) AS INTEGER) AS saving_ns, NULL AS example_id
FROM sync_collective WHERE full_mb >= 64 AND bus_bw > 0 GROUP BY run, collective_name, group_size HAVING count(*) >= 3', 'tpq'),
  ('uneven-exchange', 290, 1.5, 'times the mean', 'run', 'ranks', 'Ranks send very different amounts in exchanges (experts)',
    'Balance experts (auxiliary loss, capacity), or place them anew', 'moe_layers', 0, 'guess',
    'all_to_allv: the most elements that a rank sends, against the mean. The saving is the mean wait of ranks for the last one to combine, where a dispatch has its combine.',
    'SELECT run, NULL AS trace_id, max(uneven) AS value, count(*) AS count, sum(dur_ns) AS time_ns,
  coalesce((SELECT max(lost_ns) FROM (SELECT CAST(sum(lost_ms) * 1e6 AS INTEGER) AS lost_ns FROM moe_layers AS layer WHERE layer.run = uneven.run GROUP BY group_name)),
    CAST(sum(dur_ns * (1 - 1 / uneven)) AS INTEGER)) AS saving_ns, min(id) AS example_id
FROM (SELECT run, collective, max(in_elements) * 1.0 / nullif(avg(in_elements), 0) AS uneven, max(dur_ns) AS dur_ns, min(id) AS id
      FROM collective_call WHERE type = ''alltoallv'' GROUP BY run, collective HAVING count(*) > 1) AS uneven
WHERE uneven > 1 GROUP BY run', 'tpq'),
  ('pipeline-schedule', 291, 10, 'percent of the pipeline', 'run', 'ranks', 'The schedule of the pipeline leaves ranks without work: bubbles',
    'Take more microbatches per step, interleaved stages, or a zero-bubble schedule', 'pipeline_summary', 0, 'replay',
    'Replay of the slots of each step, all slots of a kind alike, beyond the mean work of a rank. Of several pipelines the longest counts.',
    'SELECT run, NULL AS trace_id, schedule_ms * 100 / window_ms AS value, slots AS count, CAST(schedule_ms * 1e6 AS INTEGER) AS time_ns, CAST(schedule_ms * 1e6 AS INTEGER) AS saving_ns, NULL AS example_id FROM pipeline_share', 'tpq'),
  ('pipeline-imbalance', 292, 5, 'percent of the pipeline', 'run', 'ranks', 'Stages of the pipeline take different times: ranks wait for the slowest',
    'Move layers from the slowest stage to others', 'pipeline_stages', 0, 'replay',
    'Replay of the slots of each step with their durations, beyond the one with all slots of a kind alike.',
    'SELECT run, NULL AS trace_id, imbalance_ms * 100 / window_ms AS value, slots AS count, CAST(imbalance_ms * 1e6 AS INTEGER) AS time_ns, CAST(imbalance_ms * 1e6 AS INTEGER) AS saving_ns, NULL AS example_id FROM pipeline_share WHERE imbalance_ms > 0', 'tpq'),
  ('pipeline-delay', 293, 10, 'percent of the pipeline', 'run', 'ranks', 'Slots of the pipeline start later than the schedule needs: transfers, launches, other work',
    'Overlap sends and receives with slots, and launch ahead', 'pipeline_ranks', 0, 'replay',
    'Time from the first slot to the last, beyond the replay of the slots with their durations and without transfers.',
    'SELECT run, NULL AS trace_id, delay_ms * 100 / window_ms AS value, slots AS count, CAST(delay_ms * 1e6 AS INTEGER) AS time_ns, CAST(delay_ms * 1e6 AS INTEGER) AS saving_ns, NULL AS example_id FROM pipeline_share', 'tpq'),
  ('serving-gaps', 57, 10, 'percent of the span', 'trace', 'launches', 'GPU idle between engine steps',
    'Schedule the next step while the GPU runs this one (async scheduling), and shorten the host code from step to step', 'serving_steps', 0, 'upper bound',
    'Idle time from the last GPU activity of all earlier engine steps to the first of each. GPU activities outside of steps are no idle time. A replay without the host time of these gaps, up to the first launch of the step, gives the saving.',
    'WITH step AS (
  SELECT run, trace_id, id, first_ns, first_call_ns, first_call_id, max(last_ns) OVER (PARTITION BY run, trace_id ORDER BY step_no ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS worked_ns
  FROM serving_step),
gap AS MATERIALIZED (
  SELECT step.run AS run, step.trace_id AS trace_id, step.id AS id, step.worked_ns AS ts_ns, step.first_ns - step.worked_ns AS dur_ns, step.first_call_ns AS call_ns, call.track_id AS track_id
  FROM step JOIN event AS call ON call.id = step.first_call_id WHERE step.first_ns > step.worked_ns),
idle AS (
  SELECT run, trace_id, interval_difference_ns(ts_ns, dur_ns, is_busy) AS idle_ns
  FROM (SELECT run, trace_id, ts_ns, dur_ns, 0 AS is_busy FROM gap
        UNION ALL SELECT scope.run, scope.trace_id, work.ts_ns, work.dur_ns, 1 FROM scope CROSS JOIN gpu_event AS work ON work.id BETWEEN scope.first_event AND scope.last_event
        WHERE scope.trace_id IN (SELECT trace_id FROM gap))
  GROUP BY run, trace_id)
SELECT gap.run AS run, gap.trace_id AS trace_id, max(idle.idle_ns) * 100.0 / max(trace.span_ns) AS value, count(*) AS count, max(idle.idle_ns) AS time_ns, max(idle.idle_ns) AS saving_ns,
  value_at_least(gap.id, -gap.dur_ns) AS example_id, group_concat(format(''%d %d %d'', gap.ts_ns, gap.call_ns, gap.track_id)) AS places
FROM gap
JOIN idle ON idle.run = gap.run AND idle.trace_id = gap.trace_id
JOIN advice_trace AS trace ON trace.run = gap.run AND trace.trace_id = gap.trace_id
WHERE trace.span_ns > 0 AND idle.idle_ns > 0 GROUP BY gap.run, gap.trace_id', 'tpq'),
  ('out-of-memory', 295, 1, 'failed allocations', 'trace', 'memory snapshot', 'Allocations failed: the memory of the device was full',
    'Free or shard the sites with most memory (snapshot_oom_frames), recompute activations, or take smaller batches', 'snapshot_oom', 0, 'none',
    'Failed allocations of a memory snapshot, with fewer unused reserved bytes than were requested.',
    'SELECT run, trace_id, count(*) AS value, count(*) AS count, 0 AS time_ns, NULL AS saving_ns, NULL AS example_id FROM snapshot_oom WHERE verdict = ''full'' GROUP BY run, trace_id', 'tpq'),
  ('memory-leak', 296, 0.1, 'MB a step', 'trace', 'memory snapshot', 'Memory of most steps is never freed',
    'Keep no tensors of a step beyond it: losses with their graph (use item() or detach()), lists, caches', 'snapshot_leaks', 0, 'none',
    'Bytes per step of stacks whose allocations of at least 80 % of the steps, without the first and the last, are never freed. Needs four annotated steps.',
    'SELECT run, trace_id, sum(bytes_per_step) / 1e6 AS value, count(*) AS count, 0 AS time_ns, NULL AS saving_ns, NULL AS example_id FROM snapshot_leaks GROUP BY run, trace_id', 'tpq'),
  ('fragmented-memory', 297, 10, 'percent of the reserved memory', 'trace', 'memory snapshot', 'Much reserved memory is unused when it matters: it is free in pieces',
    'Let segments grow (PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True), or allocate large tensors first', 'snapshot_pools', 0, 'none',
    'Reserved memory that is not allocated at the peak of a memory snapshot. At a failed allocation: unused bytes that would have sufficed for it.',
    'SELECT run, trace_id, max(value) AS value, count(*) AS count, 0 AS time_ns, NULL AS saving_ns, NULL AS example_id
FROM (SELECT run, trace_id, (reserved_at_peak_bytes - peak_allocated_bytes) * 100.0 / nullif(reserved_at_peak_bytes, 0) AS value FROM snapshot_devices
      UNION ALL SELECT run, trace_id, unused_bytes * 100.0 / nullif(reserved_bytes, 0) FROM snapshot_oom WHERE verdict = ''fragmented'')
WHERE value > 0 GROUP BY run, trace_id', 'tpq'),
  ('low-utilisation', 900, 50, 'percent of the span', 'trace', 'work', 'The GPU is idle for half of the time and more',
    'The other findings say why', 'idle_causes', 1, 'upper bound',
    'Time without work between the first start and the last end, over all devices together.', NULL, 'tpq');

INSERT OR IGNORE INTO advice_tie (rule, covered_by, covered_percent, path_kind, headline, lever_first, source) VALUES
  ('start-up', NULL, NULL, NULL, 'start-up', 0, 'tpq'),
  ('host-waits', 'scalar-read, explicit-sync, sync-copy', 0, NULL, 'note', 1, 'tpq'),
  ('busy-thread', 'host-bound, host-bound-compiled, small-kernels, serving-gaps, start-up, data-loading, allocations, code-loading, garbage-collection, recompiles', 0, NULL, 'note', 0, 'tpq'),
  ('graph-breaks', NULL, NULL, NULL, 'note', 0, 'tpq'),
  ('warm-up-steps', 'start-up', 0, NULL, 'note', 0, 'tpq'),
  ('low-utilisation', NULL, NULL, NULL, 'idle time', 0, 'tpq'),
  ('data-loading', NULL, NULL, 'data loading', 'Input-bound', 0, 'tpq'),
  ('host-bound', NULL, NULL, NULL, 'Launch-bound', 0, 'tpq'),
  ('host-bound-compiled', NULL, NULL, NULL, 'Launch-bound', 0, 'tpq'),
  ('host-outside-ops', 'long-gaps, garbage-collection, recompiles', 90, NULL, NULL, 1, 'tpq'),
  ('explicit-sync', NULL, NULL, 'sync return', NULL, 0, 'tpq'),
  ('exposed-communication', NULL, NULL, 'communication', NULL, 0, 'tpq'),
  ('low-overlap', NULL, NULL, 'communication', NULL, 0, 'tpq'),
  ('pageable-copy', NULL, NULL, 'copy', NULL, 0, 'tpq'),
  ('large-copies', NULL, NULL, 'copy', NULL, 0, 'tpq'),
  ('exposed-copies', 'large-copies, many-host-copies', 50, 'copy', NULL, 0, 'tpq');

INSERT OR IGNORE INTO advice_name (mark, subject, pattern, source) VALUES
  ('blocking copy', 'call', '^(cudaMemcpy|cudaMemcpy2D|cuMemcpy(DtoH|HtoD)_v2|hipMemcpy|hipMemcpyWithStream|hipMemcpy(DtoH|HtoD))$', 'tpq'),
  ('asynchronous', 'call', '(?i)async', 'tpq'),
  ('wait', 'call', '(?i)((Device|Event)Synchronize$|StreamSynchronize)', 'tpq'),
  ('graph launch', 'call', '(?i)GraphLaunch', 'tpq'),
  ('launch', 'call', '(?i)(LaunchKernel|MemsetAsync$|^hip.*Launch)', 'tpq'),
  ('allocation', 'call', '^(cudaMalloc|cudaFree|cudaHostAlloc|cudaFreeHost|cudaMallocHost|cudaMallocManaged|cudaMallocPitch|cuMemAlloc_v2|cuMemAllocHost_v2|cuMemFree_v2|cuMemFreeHost|hipMalloc|hipMallocManaged|hipFree|hipHostMalloc|hipHostFree)(_v[0-9]+)?$', 'tpq'),
  ('code loading', 'call', '(?i)^((cu|cuda|hip)ModuleLoad|cuLibraryLoad)', 'tpq'),
  ('value read', 'op', '^aten::(item|_local_scalar_dense|nonzero|is_nonzero|masked_select|unique|_unique2|equal)$', 'tpq'),
  ('data parallel', 'op', '^((?i:DataParallel.forward)|Gather$|Broadcast$|Scatter$)', 'tpq'),
  ('convolution', 'launcher', '(?i)conv', 'tpq'),
  ('pageable', 'copy', '(?i)Pageable', 'tpq'),
  ('to host', 'copy', '(?i)DtoH', 'tpq'),
  ('to device', 'copy', '(?i)HtoD', 'tpq'),
  ('copy or cast', 'kernel', '(?i)(copy_kernel|CatArrayBatchedCopy|direct_copy|LoadWithCast)', 'tpq'),
  ('pointwise', 'kernel', '(?i)elementwise_kernel', 'tpq'),
  ('layout change', 'kernel', '(?i)(nchwtonhwc|nhwctonchw|batched_transpose|transpose_readwrite|nchw2nhwc|nhwc2nchw)', 'tpq'),
  ('many tensors', 'kernel', '(?i)(multi_tensor|fused|foreach)', 'tpq'),
  ('data loading', 'range', '(?i)(DataLoader|data_load)', 'tpq'),
  ('data loading', 'op', '(?i)(DataLoader|data_load)', 'tpq'),
  ('softmax', 'kernel', '(?i)softmax', 'tpq'),
  ('product', 'kernel', '(?i)(gemm|cutlass|xmma|nvjet|wgmma|^Cijk_)', 'tpq'),
  ('compiled code', 'range', '(Torch-Compiled Region|CompiledFxGraph|CompiledFunction)', 'tpq'),
  ('compiled code', 'op', '(Torch-Compiled Region|CompiledFxGraph|CompiledFunction)', 'tpq'),
  ('optimizer', 'range', '(?i)^Optimizer.step', 'tpq'),
  ('capture begin', 'call', '(?i)StreamBeginCapture', 'tpq'),
  ('capture end', 'call', '(?i)StreamEndCapture', 'tpq');

INSERT OR IGNORE INTO advice_name (mark, subject, pattern, source)
SELECT host.column1, subject.column1, host.column2, 'tpq' FROM (VALUES ('frame'), ('range'), ('op')) AS subject, (VALUES
  ('garbage collection', '(?i)^<built-in (function collect>|method collect of (module|gc))|\bgc\.collect($|[^.\w])|(^|\W)_?gc_(collect|callback)\b|^(python )?gc( ?[:(\[#]|( gen(eration)? ?\d)?$)|\b_?garbage[ _-]?collect(ion|ing|or)?\b'),
  ('compilation', '\(dynamo_timed\)|_dynamo/convert_frame\.py|_inductor/compile_fx\.py\(\d+\): (_?compile_fx|fx_codegen|codegen_and_compile|\w+_compiler)|triton/(compiler/compiler\.py\(\d+\): compile|runtime/(jit\.py\(\d+\): _do_compile|autotuner\.py\(\d+\): _?bench)|testing\.py\(\d+\): do_bench)|triton_heuristics\.py\(\d+\): (autotune|benchmark|_?precompile)|(^|: |::)(XlaCompile(Backend|GpuAsm)?|backend_compile(_and_load)?|compile_or_get_cached)\b|Client::Compile(AndLoad)?\b')) AS host;

INSERT OR IGNORE INTO host_lever (position, pattern, lever, source) VALUES
  (10, '^((cuda|hip)Memcpy(2D|DtoH|HtoD|WithStream)?|cuMemcpy(DtoH|HtoD|DtoD)?(_v2)?)$', 'Copy with non_blocking=True from or to pinned memory, and read the result a step later', 'tpq'),
  (11, '(?i)memcpy\w*async', 'Pin the host memory (pin_memory=True) and copy with non_blocking=True; read the result a step later', 'tpq'),
  (20, '(?i)synchronize|event_?query|stream_?wait', 'Take the synchronization out of the loop, or wait a step later', 'tpq'),
  (21, '^aten::(item|_local_scalar_dense|nonzero|is_nonzero|masked_select|unique|_unique2|equal)$|\btolist\b', 'Keep the value on the device, or read it a step later', 'tpq'),
  (30, '^(cu|cuda|hip)(Mem)?(Malloc|Alloc|Free|Host(Alloc|Malloc|Free|Register|Unregister))', 'Keep memory in an allocator (a caching allocator, cudaMallocAsync), or allocate before the loop', 'tpq'),
  (31, '(?i)(Module|Library)(Load|GetFunction)|FuncGetAttributes|FuncSetAttribute|StreamCreate|EventCreate', 'Warm up before recording; CUDA_MODULE_LOADING=EAGER', 'tpq'),
  (32, '(?i)Graph(Instantiate|ExecUpdate|Upload)|(Begin|End)Capture', 'Capture and instantiate graphs before the loop', 'tpq'),
  (40, '(?i)DataLoader|data_?load|collate|prefetch', 'Add workers, prefetch, or pin memory in the DataLoader', 'tpq'),
  (41, '(?i)pre_?process|tokeniz|image_?processor|transforms|decode_?(jpeg|image|video)|pil\b', 'Preprocess in workers, ahead of the step, or on the GPU', 'tpq'),
  (50, (SELECT pattern FROM advice_name WHERE mark = 'garbage collection' AND subject = 'op'), 'Keep garbage collection out of the loop: gc.freeze() after set-up, or gc.disable() and gc.collect() every N steps', 'tpq'),
  (51, '(?i)checkpoint.*save|torch[./]serialization|\bsave(_|\b)', 'Write checkpoints from another thread or process', 'tpq'),
  (52, '(?i)\blogging\b|\bprint\b|tqdm|wandb|tensorboard', 'Log less often, or from another thread', 'tpq'),
  (60, (SELECT pattern FROM advice_name WHERE mark = 'compilation' AND subject = 'op'), 'Compile and tune before recording; mark sizes that change as dynamic (dynamic=True, mark_dynamic), or pad them', 'tpq'),
  (61, '(?i)schedul|get_next_batch|recv_requests|process_batch_result|prepare_inputs', 'Overlap the scheduler with the step (asynchronous scheduling)', 'tpq'),
  (70, '(?i)barrier|c10d::|nccl:|all_?reduce|all_?gather|reduce_?scatter|all_?to_?all', 'The host waits in a collective: record the other ranks, and see which comes late', 'tpq'),
  (80, '(?i)optimizer', 'Use fused=True or foreach=True', 'tpq'),
  (90, '^aten::|CompiledFxGraph|Torch-Compiled|autograd::', 'Compile (torch.compile), or capture a CUDA or HIP graph; larger batches need fewer launches', 'tpq'),
  (99, '\.py\(|\.py:|<built-in|nn\.Module', 'Move this Python code out of the loop, or compile it', 'tpq');

INSERT OR IGNORE INTO roofline_lever (position, sheet, feature, least, most, lever, source) VALUES
  (10, 'GEMM*', 'side', 0, 16, 'Tall and skinny: memory bandwidth bounds it. Batch more rows, quantize weights, or fuse', 'tpq'),
  (11, 'GEMM*', 'odd', 1, 2, 'Pad N and K to multiples of 8', 'tpq'),
  (12, 'GEMM*', 'tiles', 0, 0.999, 'Fewer tiles than multiprocessors: split K, or batch', 'tpq'),
  (13, 'GEMM*', 'side', 17, 64, 'Tall and skinny: memory bandwidth bounds it. Batch more rows, or fuse', 'tpq'),
  (19, 'GEMM*', 'any', 0, 0, 'Tune the GEMM (max-autotune, TunableOp), and check its layout and dtype', 'tpq'),
  (20, 'CONV*', 'channels', 1, 1, 'Depthwise: memory bandwidth bounds it. Use channels_last, and fuse it with its neighbours', 'tpq'),
  (21, 'CONV*', 'filter', 1, 1, '1 x 1: a GEMM over pixels. Use channels_last, and fuse it with its neighbours', 'tpq'),
  (29, 'CONV*', 'any', 0, 0, 'Use channels_last, cudnn.benchmark, and channels in multiples of 8', 'tpq'),
  (30, '*SDPA*', 'sequence', 1, 16, 'Decoding reads the KV cache: split it (flash decoding), batch requests, or use grouped heads', 'tpq'),
  (31, '*SDPA*', 'head', 1, 31, 'The head size wastes lanes: pad it to 64 or 128', 'tpq'),
  (32, '*SDPA*', 'sequence', 17, 512, 'Short sequences: batch more, or use varlen attention', 'tpq'),
  (39, '*SDPA*', 'any', 0, 0, 'Try another attention backend (FlashAttention, cuDNN, CK), and check the dtype', 'tpq'),
  (40, 'InferenceAttention*', 'any', 0, 0, 'Batch requests, split the KV cache, and try another attention backend', 'tpq'),
  (50, 'MoE*', 'tokens', 0, 64, 'Few tokens per expert: group the GEMMs of the experts, or batch more tokens', 'tpq'),
  (51, 'GroupedGEMM*', 'any', 0, 0, 'Few tokens per group: batch more tokens, and tune the tiles', 'tpq'),
  (59, 'MoE*', 'any', 0, 0, 'Use fused expert kernels, and tune their tiles', 'tpq'),
  (90, '*', 'any', 0, 0, 'Far below memory bandwidth: fuse it (torch.compile), vectorize, and keep inputs contiguous', 'tpq');
