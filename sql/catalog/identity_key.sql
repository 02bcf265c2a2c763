-- Metadata that says what a run ran on (setup) and where it comes from (origin). Ingest keeps these
-- keys, which stand first in their rows.
INSERT OR IGNORE INTO identity_key (key, field, kind, position, form, source) VALUES
  ('device.name', 'device', 'setup', 1, 'text', 'tpq'),
  ('trace.world_size', 'world_size', 'setup', 1, 'text', 'tpq'),
  ('*_version', NULL, 'setup', 9, 'version', 'tpq'),
  ('pytorch_version', 'torch', 'setup', 1, 'text', 'tpq'), ('torch_version', 'torch', 'setup', 2, 'text', 'tpq'),
  ('cuda_driver_version', 'cuda_driver', 'setup', 1, 'cuda', 'tpq'), ('CudaDriverVersion', 'cuda_driver', 'setup', 2, 'cuda', 'tpq'),
  ('cuda_runtime_version', 'cuda_runtime', 'setup', 1, 'cuda', 'tpq'),
  ('hip_driver_version', 'hip_driver', 'setup', 1, 'hip', 'tpq'),
  ('hip_runtime_version', 'hip_runtime', 'setup', 1, 'hip', 'tpq'),
  ('driver_version', 'driver', 'setup', 1, 'text', 'tpq'), ('nvidia_driver_version', 'driver', 'setup', 2, 'text', 'tpq'), ('NvDriverVersion', 'driver', 'setup', 3, 'text', 'tpq'),
  ('model_name', 'model', 'setup', 1, 'text', 'tpq'), ('model', 'model', 'setup', 2, 'text', 'tpq'),
  ('dtype', 'dtype', 'setup', 1, 'text', 'tpq'), ('torch_dtype', 'dtype', 'setup', 2, 'text', 'tpq'),
  ('allow_tf32', 'tf32', 'setup', 1, 'text', 'tpq'), ('torch.backends.cuda.matmul.allow_tf32', 'tf32', 'setup', 2, 'text', 'tpq'),
  ('record_shapes', 'profiler', 'setup', 1, 'flag', 'tpq'), ('with_stack', 'profiler', 'setup', 2, 'flag', 'tpq'), ('profile_memory', 'profiler', 'setup', 3, 'flag', 'tpq'), ('with_flops', 'profiler', 'setup', 4, 'flag', 'tpq'), ('with_modules', 'profiler', 'setup', 5, 'flag', 'tpq'),
  ('git_commit', 'commit', 'origin', 1, 'text', 'tpq'), ('git_sha', 'commit', 'origin', 2, 'text', 'tpq'), ('commit', 'commit', 'origin', 3, 'text', 'tpq'), ('commit_hash', 'commit', 'origin', 4, 'text', 'tpq'),
  ('job_name', 'job', 'origin', 1, 'text', 'tpq'), ('PT_PROFILER_JOB_NAME', 'job', 'origin', 2, 'text', 'tpq'), ('mast_job_name', 'job', 'origin', 3, 'text', 'tpq'),
  ('job_version', 'job_version', 'origin', 1, 'text', 'tpq'), ('PT_PROFILER_JOB_VERSION', 'job_version', 'origin', 2, 'text', 'tpq'), ('mast_job_version', 'job_version', 'origin', 3, 'text', 'tpq'),
  ('job_attempt_index', 'attempt', 'origin', 1, 'text', 'tpq'), ('PT_PROFILER_JOB_ATTEMPT_INDEX', 'attempt', 'origin', 2, 'text', 'tpq'), ('mast_job_attempt', 'attempt', 'origin', 3, 'text', 'tpq'),
  ('host_name', 'host', 'origin', 1, 'text', 'tpq'), ('hostname', 'host', 'origin', 2, 'text', 'tpq');
