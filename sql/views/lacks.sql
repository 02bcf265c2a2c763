-- Why a report may have no rows (empty): each view has a row where something is not there that
-- reports which name it are made of. The words above a view are those of tpq describe.

-- Nothing is selected.
CREATE VIEW lacks_events AS
SELECT
  'nothing is selected' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM scope);

-- No GPU activities are selected.
CREATE VIEW lacks_work AS
SELECT
  'no GPU activities are selected' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM scope CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event);

-- No kernels are selected.
CREATE VIEW lacks_kernels AS
SELECT
  'no kernels are selected' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM kernel_work);

-- There are no ops: the profiler did not look at the host.
CREATE VIEW lacks_ops AS
SELECT
  'no CPU ops were recorded' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM trace_with_ops);

-- No runtime call is selected.
CREATE VIEW lacks_calls AS
SELECT
  'no runtime calls are selected' AS why -- the reason
WHERE NOT EXISTS (
  SELECT 1 FROM scope CROSS JOIN event ON event.id BETWEEN scope.first_event AND scope.last_event
  WHERE event.category_id = (SELECT id FROM category WHERE name = 'cuda_runtime'));

-- No work has a known launch.
CREATE VIEW lacks_launches AS
SELECT
  'all GPU activities are unlinked: their launches were not recorded' AS why -- the reason
WHERE NOT EXISTS (
  SELECT 1 FROM scope CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event WHERE gpu_event.call_id IS NOT NULL);

-- All work has a known launch.
--
-- harmless: yes
CREATE VIEW lacks_unlinked AS
SELECT
  'no GPU activity is unlinked' AS why -- the reason
WHERE NOT EXISTS (
  SELECT 1 FROM scope CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event WHERE gpu_event.call_id IS NULL);

-- Nothing but collectives was launched.
CREATE VIEW lacks_launchers AS
SELECT
  'no op and no runtime call launched anything but collectives' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM launcher_work);

-- No shapes were recorded.
CREATE VIEW lacks_shapes AS
SELECT
  'input shapes were not recorded (record_shapes=True of the PyTorch profiler)' AS why -- the reason
WHERE NOT EXISTS (
  SELECT 1 FROM scope CROSS JOIN event ON event.id BETWEEN scope.first_event AND scope.last_event
  JOIN op ON op.id = event.op_id WHERE op.dims_id IS NOT NULL);

-- No call has a model.
CREATE VIEW lacks_models AS
SELECT
  'no op has a performance model that gives FLOPs' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM modelled_call);

-- No Python frames were recorded.
CREATE VIEW lacks_frames AS
SELECT
  'Python frames were not recorded (with_stack=True of the PyTorch profiler)' AS why -- the reason
WHERE NOT EXISTS (
  SELECT 1 FROM scope CROSS JOIN event ON event.id BETWEEN scope.first_event AND scope.last_event
  WHERE event.category_id IN (SELECT id FROM category WHERE role = 'frame'));

-- The allocator was not recorded.
CREATE VIEW lacks_memory AS
SELECT
  'the allocator was not recorded (profile_memory=True of the PyTorch profiler)' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM scope JOIN memory_event ON memory_event.trace_id = scope.trace_id);

-- No counter was sampled.
CREATE VIEW lacks_counters AS
SELECT
  'no counter was sampled in the selection' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM counter_value);

-- There is one rank only.
CREATE VIEW lacks_ranks AS
SELECT
  'there is only one rank' AS why -- the reason
WHERE (SELECT count(DISTINCT trace_id) FROM scope) < 2;

-- No collective is selected.
CREATE VIEW lacks_collectives AS
SELECT
  'no collectives are selected' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM work_class WHERE class = 'communication');

-- No collective can be matched with those of other ranks in any engine.
CREATE VIEW lacks_sequences AS
SELECT
  'no collective records its number within its communicator (ranks_collectives and ranks_sync match without it)' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM collective_stated WHERE seq IS NOT NULL);

-- No collective is one in which ranks wait for each other.
CREATE VIEW lacks_waiting AS
SELECT
  'no selected collective makes ranks wait for each other' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM sync_collective);

-- No collective has kernels of several ranks that wait for each other.
CREATE VIEW lacks_arrivals AS
SELECT
  'no collective that makes ranks wait was found on several ranks' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM rank_arrival);

-- No collective is part of a step.
CREATE VIEW lacks_stepped_arrivals AS
SELECT
  'no collective that makes ranks wait was launched in a profiler step' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM rank_arrival WHERE step IS NOT NULL);

-- No pieces of different sizes were exchanged.
CREATE VIEW lacks_exchanges AS
SELECT
  'there is no exchange of unequal sizes (all_to_allv)' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM collective WHERE type = 'alltoallv');

-- Every run has so many ranks that their pairs are too many.
CREATE VIEW lacks_pairs AS
SELECT
  'pairs of ranks are not listed for runs of more than 1,024 ranks (W11)' AS why -- the reason
WHERE (SELECT min(ranks) FROM (SELECT count(*) AS ranks FROM run_rank GROUP BY run)) > 1024;

-- No exchange says how it is parted.
CREATE VIEW lacks_splits AS
SELECT
  'no exchange (all_to_allv) records all of its splits' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM ranks_all2allv_heatmap);

-- No kernel repeats on several ranks.
CREATE VIEW lacks_pace AS
SELECT
  'no kernel ran three times or more on two ranks' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM ranks_kernel_pace);

-- Ranges are too few for a pace.
CREATE VIEW lacks_range_pace AS
SELECT
  'no range started three times or more' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM range_pace);

-- No engine has marked its steps.
CREATE VIEW lacks_engine_steps AS
SELECT
  'no engine steps were found (step_pattern has their names)' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM inference_step);

-- No kernel is short.
--
-- harmless: yes
CREATE VIEW lacks_short_kernels AS
SELECT
  'no kernel is shorter than ' || tpq_option('short_kernel_threshold_us') || ' us' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM short_kernel);

-- There was no gap between GPU activities.
--
-- harmless: yes
CREATE VIEW lacks_gaps AS
SELECT
  'there is no gap between GPU activities' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM timeline_sum WHERE total_ns > busy_ns);

-- Nothing recomputes activations, or it was not looked for.
CREATE VIEW lacks_recompute AS
SELECT
  CASE WHEN count(*) THEN 'no op recomputes activations' ELSE 'recomputed activations were not looked for (--detect-recompute)' END AS why -- the reason
FROM scope
WHERE is_recompute IS NOT NULL
HAVING coalesce(max(is_recompute), 0) = 0;

-- No kernel of XLA is selected.
CREATE VIEW lacks_xla_kernels AS
SELECT
  'no XLA kernels are selected' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM xla_listed_kernel);

-- No collective of XLA is selected.
CREATE VIEW lacks_xla_collectives AS
SELECT
  'no XLA collectives are selected' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM xla_collective);

-- The programs of XLA are not in the file.
CREATE VIEW lacks_programs AS
SELECT
  'the file has no XLA programs' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM xla_instruction);

-- No program of XLA has a matrix product of a library.
CREATE VIEW lacks_gemms AS
SELECT
  'no XLA program calls a GEMM library' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM xla_gemm);

-- No op table of tt-metal is selected, or nothing of it.
CREATE VIEW lacks_tt_ops AS
SELECT
  'no op matches the chosen signposts, ids and options' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM tt_op);

-- No advice is known for these ops.
--
-- harmless: yes
CREATE VIEW lacks_advice AS
SELECT
  'there is no advice on these ops' AS why -- the reason
WHERE EXISTS (SELECT 1 FROM tt_op) AND NOT EXISTS (SELECT 1 FROM tt_advice);

-- No call of the accelerator's runtime or driver is selected.
CREATE VIEW lacks_runtime_calls AS
SELECT
  'no runtime or driver calls are selected' AS why -- the reason
WHERE NOT EXISTS (
  SELECT 1 FROM scope CROSS JOIN event ON event.id BETWEEN scope.first_event AND scope.last_event
  WHERE event.category_id IN (SELECT id FROM category WHERE name IN ('cuda_runtime', 'cuda_driver')));

-- The work of the two traces does not differ.
--
-- harmless: yes
CREATE VIEW lacks_differences AS
SELECT
  'the GPU activities of the two traces do not differ' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM diff_gpu WHERE source IS NOT NULL);

-- No range that a program marked is selected.
CREATE VIEW lacks_ranges AS
SELECT
  'no NVTX or ROCTX range was recorded' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM nsys_range);

-- No range that ends in the thread in which it began.
CREATE VIEW lacks_nested_ranges AS
SELECT
  'no push/pop range was recorded' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM nsys_range WHERE style = 'PushPop');

-- No range that may end anywhere.
CREATE VIEW lacks_free_ranges AS
SELECT
  'no start/end range was recorded' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM nsys_range WHERE style = 'StartEnd');

-- No range launched work.
CREATE VIEW lacks_projections AS
SELECT
  'no range launched GPU activities' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM nsys_projection);

-- No call of a library of the operating system was recorded.
CREATE VIEW lacks_library_calls AS
SELECT
  'no OS runtime call was recorded' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM nsys_summary WHERE kind = 'system');

-- No call of the operating system was recorded.
CREATE VIEW lacks_system_calls AS
SELECT
  'no system call was recorded' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM nsys_summary WHERE kind = 'kernel call');

-- No call of MPI.
CREATE VIEW lacks_mpi_calls AS
SELECT
  'no MPI calls are selected' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM nsys_mpi);

-- No call of MPI states a size.
CREATE VIEW lacks_messages AS
SELECT
  'no selected MPI call records its bytes' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM nsys_message);

-- No event of OpenACC.
CREATE VIEW lacks_openacc_events AS
SELECT
  'no OpenACC events are selected' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM nsys_directive WHERE kind = 'openacc');

-- No event of OpenMP.
CREATE VIEW lacks_openmp_events AS
SELECT
  'no OpenMP events are selected' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM nsys_directive WHERE kind = 'openmp');

-- Unified memory was not used, or not recorded.
CREATE VIEW lacks_unified_memory AS
SELECT
  'no migration and no page fault of unified memory is selected' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM nsys_unified);

-- The host had no page faults of unified memory, or they were not recorded.
CREATE VIEW lacks_host_faults AS
SELECT
  'no CPU page fault of unified memory is selected' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM nsys_unified WHERE host_faults > 0);

-- No accelerator idled for long.
--
-- harmless: yes
CREATE VIEW lacks_long_gaps AS
SELECT
  'no GPU idle gap is longer than ' || tpq_option('gpu_gap_us') || ' us' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM nsys_gpu_gaps);

-- Accelerators were in use.
--
-- harmless: yes
CREATE VIEW lacks_low_use AS
SELECT
  'every device was busy for at least ' || tpq_option('gpu_use_percent') || ' % of each part of the time' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM nsys_gpu_time_util);

-- The host waited for no copy.
--
-- harmless: yes
CREATE VIEW lacks_waited_copies AS
SELECT
  'no memcpy is synchronous' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM nsys_sync_copies);

-- No asynchronous copy is from or to memory that may be paged out.
--
-- harmless: yes
CREATE VIEW lacks_pageable_copies AS
SELECT
  'no async memcpy uses pageable memory' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM nsys_pageable_copies);

-- The host waited for no set.
--
-- harmless: yes
CREATE VIEW lacks_waited_sets AS
SELECT
  'no memset is synchronous' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM nsys_sync_sets);

-- The host waited in no call.
--
-- harmless: yes
CREATE VIEW lacks_waiting_calls AS
SELECT
  'no device or stream synchronization is selected' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM nsys_sync_calls);

-- There is no memcpy and no memset.
CREATE VIEW lacks_copies AS
SELECT
  'no memcpy and no memset is selected' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM analysed_work WHERE category_id <> (SELECT id FROM category WHERE name = 'kernel'));

-- There is no communication.
CREATE VIEW lacks_communication AS
SELECT
  'no communication is selected' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM analysed_work WHERE kind = 'communication');

-- There are no steps.
CREATE VIEW lacks_steps AS
SELECT
  'no profiler steps were recorded' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM steps_by_time);

-- No call of HIP was recorded.
CREATE VIEW lacks_hip_calls AS
SELECT
  'no HIP call was recorded' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM rocpd_hip_summary);

-- No call of HSA was recorded.
CREATE VIEW lacks_hsa_calls AS
SELECT
  'no HSA call was recorded' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM rocpd_hsa_summary);

-- No call of RCCL was recorded.
CREATE VIEW lacks_rccl_calls AS
SELECT
  'no RCCL call was recorded' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM rocpd_rccl_summary);

-- No call of rocDecode was recorded.
CREATE VIEW lacks_rocdecode_calls AS
SELECT
  'no rocDecode call was recorded' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM rocpd_rocdecode_summary);

-- No call of rocJPEG was recorded.
CREATE VIEW lacks_rocjpeg_calls AS
SELECT
  'no rocJPEG call was recorded' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM rocpd_rocjpeg_summary);

-- No copy was recorded.
CREATE VIEW lacks_directed_copies AS
SELECT
  'no memcpy was recorded' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM rocpd_memory_copies_summary);

-- No allocation of memory was recorded.
CREATE VIEW lacks_allocations AS
SELECT
  'no memory allocation was recorded' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM rocpd_memory_allocations_summary);

-- No allocation of scratch memory was recorded.
CREATE VIEW lacks_scratch_memory AS
SELECT
  'no scratch memory allocation was recorded' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM rocpd_scratch_memory_summary);

-- No summary of rocpd has a row.
CREATE VIEW lacks_summaries AS
SELECT
  'nothing for rocpd summaries was recorded' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM rocpd_domain_summary);

-- Neither calls nor work were recorded.
CREATE VIEW lacks_timed_names AS
SELECT
  'no calls, kernels or memcpy were recorded' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM rocpd_top);

-- Rules that fire, where nothing does: for advice without rows.
--
-- harmless: yes
CREATE VIEW lacks_firing_rules AS
SELECT
  'no rule of advice fires (--all shows what was measured)' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM advice_verdict WHERE verdict = 'fires');

-- No device is idle between two GPU activities.
--
-- harmless: yes
CREATE VIEW lacks_device_gaps AS
SELECT
  'no GPU idle gap is as long as the option gap_min_us' AS why -- the reason
WHERE NOT EXISTS (SELECT 1 FROM gpu_gaps);
