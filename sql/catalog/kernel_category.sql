-- What names tell. AMD's runtime copies and fills with kernels of its own. A purpose with "fixed"
-- behind it holds only without --compat: its rules stand among those of the purpose, by priority.
INSERT OR IGNORE INTO kernel_category (purpose, priority, kind, pattern, category, source) VALUES
  ('timeline', 10, 'gpu_memcpy', '', 'memcpy', 'tpq'),
  ('timeline', 20, 'kernel', '^(MEMORY_COPY_(HOST_TO_DEVICE|DEVICE_TO_HOST|DEVICE_TO_DEVICE)|__amd_rocclr_copyBuffer(Rect)?(Aligned)?)(\.kd)?$', 'memcpy', 'tpq'),
  ('timeline', 30, 'kernel', '^__amd_rocclr_fillBuffer(Aligned)?(\.kd)?$', 'computation', 'tpq'),
  ('timeline', 40, NULL, '(?i)rccl|nccl|cross_device_reduce', 'communication', 'tpq'),
  ('timeline', 50, NULL, '', 'computation', 'tpq'),
  ('op', 10, NULL, '(?s)^void at::native.*elementwise', 'elementwise', 'tpq'),
  ('op', 20, NULL, '(?s)^void at::native.*reduce', 'reduce', 'tpq'),
  ('op', 30, NULL, '(?s)^void at::native.*multi_tensor_apply', 'multi_tensor_apply', 'tpq'),
  ('launcher', 10, NULL, '(?i)cudagraph|graphlaunch', 'graph', 'tpq'),
  ('launcher', 20, NULL, '', 'runtime', 'tpq'),
  ('xla timeline', 10, NULL, '(?i)rccl|nccl|cross_device_reduce', 'communication', 'tpq'),
  ('xla timeline', 20, NULL, '', 'computation', 'tpq'),
  ('xla', 10, NULL, 'Cijk|gemm|nvjet|cublasLt', 'GEMM', 'tpq'),
  ('xla', 20, NULL, 'FmhaBwd|flash_bprop|ck_fused_attn::dk_dv_reduce_thd|fmha_bwd', 'FA BWD', 'tpq'),
  ('xla', 30, NULL, 'FmhaFwd|flash_fprop|fmha_fwd', 'FA FWD', 'tpq'),
  ('xla', 40, NULL, 'kernel_func', 'FA V3', 'tpq'),
  ('xla', 50, NULL, 'conv[_.-]', 'Conv', 'tpq'),
  ('xla', 60, NULL, 'transformer_engine|te_fused_attn', 'TE', 'tpq'),
  ('xla', 70, NULL, 'rccl|nccl', 'Communication rccl/nccl', 'tpq');

-- Kinds of work that the reference takes for computation.
INSERT OR IGNORE INTO kernel_category (purpose, priority, kind, pattern, category, source) VALUES
  -- setting memory computes nothing
  ('timeline fixed', 15, 'gpu_memset', '', 'memcpy', 'tpq'),
  ('timeline fixed', 25, 'kernel', '^__amd_rocclr_fillBuffer(Aligned)?(\.kd)?$', 'memcpy', 'tpq'),
  -- MTIA: requests to its engines for copies stand among its kernels
  ('timeline fixed', 35, 'mtia_ccp_events', '(?i)^dma_request', 'memcpy', 'tpq'),
  -- kernels of torch.compile are named after all that stood around them, collectives too
  ('timeline fixed', 37, NULL, '^triton_(poi|red|per|tem|for|spl)_', 'computation', 'tpq'),
  -- libraries whose names are in those of their kernels: MSCCL and MSCCL++, Ascend's HCCL, oneCCL
  ('timeline fixed', 41, NULL, '(?i)msccl|hccl|^hcom_|oneccl|xccl|\bccl::', 'communication', 'tpq'),
  -- memory of other accelerators: NVSHMEM, rocSHMEM, symmetric memory of PyTorch, userbuffers of Transformer Engine
  ('timeline fixed', 42, NULL, '(?i)nvshmem|rocshmem|symmetric_memory|symm_mem|multimem_|userbuffers', 'communication', 'tpq'),
  -- experts: DeepEP (its layout kernels only count), pplx, MoRI
  ('timeline fixed', 43, NULL, '(?i)deep_ep::(intranode|internode)|\bpplx::|mori::(moe|shmem)', 'communication', 'tpq'),
  -- what a kernel says it does: custom and fused all-reduces of vLLM, FlashInfer, TensorRT-LLM, aiter and others
  ('timeline fixed', 44, NULL, '(?i)all_?reduce|all_?gather|reduce_?scatter|all_?(to|2)_?all|quick_?reduce|lamport', 'communication', 'tpq'),
  -- on a TPU work has the name of its instruction; a fusion of a collective and a computation computes
  ('xla timeline fixed', 5, NULL, '^%?(ragged-)?(all-(reduce|gather|to-all)|reduce-scatter|collective-(permute|broadcast)|async-collective-(start|done)|send|recv)(-(start|done))?(\.\d+)?( = |$)', 'communication', 'tpq'),
  ('xla timeline fixed', 15, NULL, '(?i)nvshmem|all_?reduce_?kernel|mosaic_all_reduce', 'communication', 'tpq'),
  ('xla fixed', 65, NULL, 'rccl|nccl', 'Communication', 'tpq'),
  ('xla fixed', 66, NULL, '^%?(ragged-)?(all-(reduce|gather|to-all)|reduce-scatter|collective-(permute|broadcast)|async-collective-(start|done)|send|recv)(-(start|done))?(\.\d+)?( = |$)', 'Communication', 'tpq');

-- Communication that sheets about ops leave out, as the reference does.
INSERT OR IGNORE INTO kernel_category (purpose, priority, kind, pattern, category, source) VALUES
  ('collective', 10, NULL, '(?i)rccl|nccl|cross_device_reduce', 'communication', 'tpq');

-- Kinds of kernels for AMD's profilers.
INSERT OR IGNORE INTO kernel_category (purpose, priority, kind, pattern, category, source) VALUES
  ('rocprof', 10, NULL, '(?i)gemm|matmul|cijk', 'GEMM', 'tpq'),
  ('rocprof', 20, NULL, '(?i)elementwise', 'Elementwise', 'tpq'),
  ('rocprof', 30, NULL, '(?i)reduce|sum', 'Reduction', 'tpq'),
  ('rocprof', 40, NULL, '(?i)conv', 'Convolution', 'tpq'),
  ('rocprof', 50, NULL, '(?i)norm', 'Normalization', 'tpq'),
  ('rocprof', 60, NULL, '(?i)flash|attn|fmha', 'Attention', 'tpq'),
  ('rocprof', 70, NULL, '(?i)copy|memcpy', 'Memory', 'tpq'),
  ('rocprof', 80, NULL, '(?i)rccl|nccl', 'COMM', 'tpq'),
  ('rocprof', 90, NULL, '', 'Other', 'tpq');

-- Kinds of work for AMD's profilers in traces of Perfetto's format.
INSERT OR IGNORE INTO kernel_category (purpose, priority, kind, pattern, category, source) VALUES
  ('pftrace', 10, NULL, '(?i)rccl|nccl|cross_device_reduce', 'rccl', 'tpq'),
  ('pftrace', 20, NULL, '(?i)cublasLt|Cijk|gemm|nvjet', 'gemm', 'tpq'),
  ('pftrace', 30, NULL, '(?i)FmhaBwd|kernel_func|flash_bprop', 'ckbwd', 'tpq'),
  ('pftrace', 40, NULL, '(?i)FmhaFwd|flash_fprop', 'ckfwd', 'tpq'),
  ('pftrace', 50, NULL, '(?i)copy|memcpy|memset', 'memcpy/memset', 'tpq'),
  ('pftrace', 60, NULL, '(?i)transformer_engine', 'te', 'tpq'),
  ('pftrace', 70, NULL, '(?i)aiter::fmha_fwd', 'aiterfwd', 'tpq'),
  ('pftrace', 80, NULL, '(?i)aiter::fmha_bwd', 'aiterbwd', 'tpq'),
  ('pftrace', 90, NULL, '(?i)fillbuffer', 'fillBuffer', 'tpq'),
  ('pftrace', 100, NULL, '', 'xla', 'tpq');
