-- Categories by kernel name, with reasons. A purpose with "fixed" behind it holds only without
-- --compat: its rules stand among those of the purpose, by priority.
INSERT OR IGNORE INTO kernel_category (purpose, priority, kind, pattern, category, reason, source) VALUES
  ('timeline', 10, 'gpu_memcpy', '', 'memcpy', 'the profiler says so', 'tpq'),
  ('timeline', 20, 'kernel', '^(MEMORY_COPY_(HOST_TO_DEVICE|DEVICE_TO_HOST|DEVICE_TO_DEVICE)|__amd_rocclr_copyBuffer(Rect)?(Aligned)?)(\.kd)?$', 'memcpy', 'AMD''s runtime copies with kernels of its own', 'tpq'),
  ('timeline', 30, 'kernel', '^__amd_rocclr_fillBuffer(Aligned)?(\.kd)?$', 'computation', 'AMD''s runtime fills with kernels of its own', 'tpq'),
  ('timeline', 40, NULL, '(?i)rccl|nccl|cross_device_reduce', 'communication', 'NCCL, RCCL, and the all-reduces of vLLM and aiter', 'tpq'),
  ('timeline', 50, NULL, '', 'computation', 'nothing says otherwise', 'tpq'),
  ('op', 10, NULL, '(?s)^void at::native.*elementwise', 'elementwise', 'kernels of PyTorch say what they do', 'tpq'),
  ('op', 20, NULL, '(?s)^void at::native.*reduce', 'reduce', 'kernels of PyTorch say what they do', 'tpq'),
  ('op', 30, NULL, '(?s)^void at::native.*multi_tensor_apply', 'multi_tensor_apply', 'kernels of PyTorch say what they do', 'tpq'),
  ('launcher', 10, NULL, '(?i)cudagraph|graphlaunch', 'graph', 'the call says what it launches', 'tpq'),
  ('launcher', 20, NULL, '', 'runtime', 'nothing says otherwise', 'tpq'),
  ('xla timeline', 10, NULL, '(?i)rccl|nccl|cross_device_reduce', 'communication', 'NCCL, RCCL, and the all-reduces of vLLM and aiter', 'tpq'),
  ('xla timeline', 20, NULL, '', 'computation', 'nothing says otherwise', 'tpq'),
  ('xla', 10, NULL, 'Cijk|gemm|nvjet|cublasLt', 'GEMM', 'the library or the instruction says what the kernel does', 'tpq'),
  ('xla', 20, NULL, 'FmhaBwd|flash_bprop|ck_fused_attn::dk_dv_reduce_thd|fmha_bwd', 'FA BWD', 'the library or the instruction says what the kernel does', 'tpq'),
  ('xla', 30, NULL, 'FmhaFwd|flash_fprop|fmha_fwd', 'FA FWD', 'the library or the instruction says what the kernel does', 'tpq'),
  ('xla', 40, NULL, 'kernel_func', 'FA V3', 'the library or the instruction says what the kernel does', 'tpq'),
  ('xla', 50, NULL, 'conv[_.-]', 'Conv', 'the library or the instruction says what the kernel does', 'tpq'),
  ('xla', 60, NULL, 'transformer_engine|te_fused_attn', 'TE', 'the library or the instruction says what the kernel does', 'tpq'),
  ('xla', 70, NULL, 'rccl|nccl', 'Communication rccl/nccl', 'the library or the instruction says what the kernel does', 'tpq');

-- Kinds of work that the reference takes for computation.
INSERT OR IGNORE INTO kernel_category (purpose, priority, kind, pattern, category, reason, source) VALUES
  ('timeline fixed', 15, 'gpu_memset', '', 'memcpy', 'setting memory computes nothing', 'tpq'),
  ('timeline fixed', 25, 'kernel', '^__amd_rocclr_fillBuffer(Aligned)?(\.kd)?$', 'memcpy', 'setting memory computes nothing', 'tpq'),
  ('timeline fixed', 26, 'kernel', '^Memset\b', 'memcpy', 'some producers list sets of memory among kernels', 'tpq'),
  ('timeline fixed', 35, NULL, '(?i)^dma_request', 'memcpy', 'MTIA and TPU: requests to engines for copies stand among kernels', 'tpq'),
  ('timeline fixed', 36, NULL, '^%?(ragged-)?(all-(reduce(-scatter)?|gather|to-all)|reduce-scatter|collective-(permute|broadcast)|async-collective-(start|done)|send|recv)(-(start|done))?(\.\w+)*( = |$)', 'communication', 'on a TPU work has the name of its instruction; a fusion of a collective and a computation computes', 'tpq'),
  ('timeline fixed', 37, NULL, '^triton_(poi|red|per|tem|for|spl)_', 'computation', 'kernels of torch.compile are named after all that stood around them, collectives too', 'tpq'),
  ('timeline fixed', 41, NULL, '(?i)msccl|hccl|^hcom_|oneccl|xccl|\bccl::', 'communication', 'libraries whose names are in those of their kernels: MSCCL and MSCCL++, Ascend''s HCCL, oneCCL', 'tpq'),
  ('timeline fixed', 42, NULL, '(?i)nvshmem|rocshmem|symmetric_memory|symm_mem|multimem_|userbuffers', 'communication', 'memory of other accelerators: NVSHMEM, rocSHMEM, symmetric memory of PyTorch, userbuffers of Transformer Engine', 'tpq'),
  ('timeline fixed', 43, NULL, '(?i)deep_ep::(intranode|internode)|\bpplx::|mori::(moe|shmem)', 'communication', 'experts: DeepEP (its layout kernels only count), pplx, MoRI', 'tpq'),
  ('timeline fixed', 44, NULL, '(?i)all_?reduce|\bar_fusion|all_?gather|reduce_?scatter|all_?(to|2)_?all|quick_?reduce|lamport', 'communication', 'what a kernel says it does: custom and fused all-reduces of vLLM, FlashInfer, TensorRT-LLM, aiter (ar_fusion) and others', 'tpq'),
  ('xla timeline fixed', 5, NULL, '^%?(ragged-)?(all-(reduce(-scatter)?|gather|to-all)|reduce-scatter|collective-(permute|broadcast)|async-collective-(start|done)|send|recv)(-(start|done))?(\.\w+)*( = |$)', 'communication', 'on a TPU work has the name of its instruction; a fusion of a collective and a computation computes', 'tpq'),
  ('xla timeline fixed', 15, NULL, '(?i)nvshmem|all_?reduce_?kernel|mosaic_all_reduce', 'communication', 'NVSHMEM, and the all-reduces of XLA and Mosaic', 'tpq'),
  ('xla fixed', 65, NULL, 'rccl|nccl', 'Communication', 'NCCL and RCCL', 'tpq'),
  ('xla fixed', 66, NULL, '^%?(ragged-)?(all-(reduce(-scatter)?|gather|to-all)|reduce-scatter|collective-(permute|broadcast)|async-collective-(start|done)|send|recv)(-(start|done))?(\.\w+)*( = |$)', 'Communication', 'on a TPU work has the name of its instruction; a fusion of a collective and a computation computes', 'tpq');

-- Activities in which a device only waits: it is not busy.
INSERT OR IGNORE INTO kernel_category (purpose, priority, kind, pattern, category, reason, source) VALUES
  ('timeline fixed', 5, NULL, '(?i)^(event|notify|stream|semaphore|barrier)[ _]?(wait|record|reset|sync\w*)(_\w+)?$', 'wait', 'streams of MTIA and Ascend wait in entries of their own', 'tpq'),
  ('timeline fixed', 6, NULL, '^%?(copy|slice|async)-done(\.\w+)*( = |$)', 'wait', 'XLA waits for asynchronous copies in instructions of their own', 'tpq'),
  ('xla timeline fixed', 3, NULL, '^%?(copy|slice|async)-done(\.\w+)*( = |$)', 'wait', 'XLA waits for asynchronous copies in instructions of their own', 'tpq');

-- Categories for the first lines, by names of kernels and of ops, before the rules of ops.
INSERT OR IGNORE INTO kernel_category (purpose, priority, kind, pattern, category, reason, source) VALUES
  ('kind', 10, NULL, '(?i)fmha|flash_?attn|flash_(fwd|bwd|fprop|bprop)|flashmla|sage_(fwd|bwd|attn)|(^|[^a-z])mha_|paged_att|mla_(decode|prefill)|unified_attention', 'SDPA_fwd', 'a word in the name', 'tpq'),
  ('kind', 20, NULL, '(?i)(^|_|::)(fused_)?moe(_|:|$)|expert', 'MoE_fused', 'a word in the name', 'tpq'),
  ('kind', 30, NULL, '^aten::_?(addmm|mm|bmm|baddbmm|linear|matmul|addmv|mv|dot)(_|$)', 'GEMM', 'the name of the op', 'tpq'),
  ('kind', 31, NULL, '(?i)splitk', 'GEMM', 'the sum of the parts of a GEMM', 'tpq'),
  ('kind', 32, NULL, '(?i)nchwtonhwc|nhwctonchw|batched_transpose', 'memory', 'a change of layout', 'tpq'),
  ('kind', 40, NULL, '^triton_(poi|red|per|for)_', 'elementwise', 'kernels of torch.compile are named after all that stood around them', 'tpq');

-- Communication that sheets about ops leave out, as the reference does.
INSERT OR IGNORE INTO kernel_category (purpose, priority, kind, pattern, category, reason, source) VALUES
  ('collective', 10, NULL, '(?i)rccl|nccl|cross_device_reduce', 'communication', 'NCCL, RCCL, and the all-reduces of vLLM and aiter', 'tpq');

-- Kinds of kernels for AMD's profilers.
INSERT OR IGNORE INTO kernel_category (purpose, priority, kind, pattern, category, reason, source) VALUES
  ('rocprof', 10, NULL, '(?i)gemm|matmul|cijk', 'GEMM', 'a word in the name of the kernel', 'tpq'),
  ('rocprof', 20, NULL, '(?i)elementwise', 'Elementwise', 'a word in the name of the kernel', 'tpq'),
  ('rocprof', 30, NULL, '(?i)reduce|sum', 'Reduction', 'a word in the name of the kernel', 'tpq'),
  ('rocprof', 40, NULL, '(?i)conv', 'Convolution', 'a word in the name of the kernel', 'tpq'),
  ('rocprof', 50, NULL, '(?i)norm', 'Normalization', 'a word in the name of the kernel', 'tpq'),
  ('rocprof', 60, NULL, '(?i)flash|attn|fmha', 'Attention', 'a word in the name of the kernel', 'tpq'),
  ('rocprof', 70, NULL, '(?i)copy|memcpy', 'Memory', 'a word in the name of the kernel', 'tpq'),
  ('rocprof', 80, NULL, '(?i)rccl|nccl', 'COMM', 'a word in the name of the kernel', 'tpq'),
  ('rocprof', 90, NULL, '', 'Other', 'nothing says otherwise', 'tpq');

-- Kinds of work for AMD's profilers in traces of Perfetto's format.
INSERT OR IGNORE INTO kernel_category (purpose, priority, kind, pattern, category, reason, source) VALUES
  ('pftrace', 10, NULL, '(?i)rccl|nccl|cross_device_reduce', 'rccl', 'the library or a word in the name of the kernel', 'tpq'),
  ('pftrace', 20, NULL, '(?i)cublasLt|Cijk|gemm|nvjet', 'gemm', 'the library or a word in the name of the kernel', 'tpq'),
  ('pftrace', 30, NULL, '(?i)FmhaBwd|kernel_func|flash_bprop', 'ckbwd', 'the library or a word in the name of the kernel', 'tpq'),
  ('pftrace', 40, NULL, '(?i)FmhaFwd|flash_fprop', 'ckfwd', 'the library or a word in the name of the kernel', 'tpq'),
  ('pftrace', 50, NULL, '(?i)copy|memcpy|memset', 'memcpy/memset', 'the library or a word in the name of the kernel', 'tpq'),
  ('pftrace', 60, NULL, '(?i)transformer_engine', 'te', 'the library or a word in the name of the kernel', 'tpq'),
  ('pftrace', 70, NULL, '(?i)aiter::fmha_fwd', 'aiterfwd', 'the library or a word in the name of the kernel', 'tpq'),
  ('pftrace', 80, NULL, '(?i)aiter::fmha_bwd', 'aiterbwd', 'the library or a word in the name of the kernel', 'tpq'),
  ('pftrace', 90, NULL, '(?i)fillbuffer', 'fillBuffer', 'the library or a word in the name of the kernel', 'tpq'),
  ('pftrace', 100, NULL, '', 'xla', 'nothing says otherwise', 'tpq');

-- Implementations of attention by kernel name; '-' are kernels around attention.
INSERT OR IGNORE INTO kernel_category (purpose, priority, kind, pattern, category, reason, source) VALUES
  ('attention', 10, NULL, '(?i)reshape_and_cache|kv_indices|populate_rng|sage_quant|^triton_(poi|red|per|for|spl)_', '-', 'caches, indices and pointwise kernels', 'tpq'),
  ('attention', 20, NULL, '(?i)flash_?mla|splitkv_mla', 'FlashMLA', 'the library in the name', 'tpq'),
  ('attention', 30, NULL, 'FlashAttention(Forward|Backward)Sm\d', 'FlashAttention 4', 'classes of its CuTe kernels', 'tpq'),
  ('attention', 40, NULL, 'FlashAttn(Fwd|Bwd)', 'FlashAttention 3', 'classes of its kernels: FlashAttnFwdSm90, FlashAttnBwdSm90, FlashAttnFwdCombine', 'tpq'),
  ('attention', 50, NULL, 'flash_(fwd|bwd)_(splitkv_|dq_dk_dv_|dot_do_o_|convert_dk?q?v?_|clear_)?\w*kernel', 'FlashAttention 2', 'flash_fwd_kernel and its like, of PyTorch too', 'tpq'),
  ('attention', 60, NULL, 'fmha_(fwd|bwd)\w*_loop_', 'FlashAttention 1', 'fmha_fwd_loop_kernel, fmha_bwd_dq_dk_dv_loop_kernel', 'tpq'),
  ('attention', 70, NULL, '(?i)cudnn.*(sdpa|fmha|flash)|flash_[fb]prop|^fmha_(?!v2|(fwd|bwd)_hd|cutlass)\w*(fprop|dgrad)', 'cuDNN', 'cudnn_generated_fort_native_sdpa and older names', 'tpq'),
  ('attention', 80, NULL, '(?i)^(void )?fmha_v2|^fmhaSm\d', 'TensorRT-LLM', 'names of its FMHA kernels', 'tpq'),
  ('attention', 90, NULL, 'fmha_cutlass[FB]|PyTorchMemEffAttention|\bAttention(Backward)?Kernel<|efficient_attention_(forward|backward)_cutlass', 'memory-efficient (xFormers, CUTLASS)', 'names of its kernels', 'tpq'),
  ('attention', 100, NULL, 'paged_attention_(v[12]|ll4mi)|single_query_cached_kv_attention', 'PagedAttention (vLLM, aiter)', 'names of its kernels', 'tpq'),
  ('attention', 110, NULL, 'Fmha(Fwd|Bwd|BatchPrefill)|ck_tile.*(?i:fmha)', 'Composable Kernel', 'classes of ck_tile', 'tpq'),
  ('attention', 120, NULL, 'aiter\w*::(fmha|mla|pa)_|fmha_(fwd|bwd)_hd\d', 'aiter (assembly)', 'names of its kernels', 'tpq'),
  ('attention', 130, NULL, '(Batch|Single)(Prefill|Decode)With|BatchMLAPaged|flashinfer::.*(Prefill|Decode|Attention|Cascade|MergeState)', 'FlashInfer', 'names of its kernels', 'tpq'),
  ('attention', 140, NULL, '(?i)(^|_|::)sage_(fwd|bwd|attn)|qk_int\d*_sv_f', 'SageAttention', 'names of its kernels', 'tpq'),
  ('attention', 150, NULL, '^triton_tem_fused_\w*attention', 'FlexAttention (Triton)', 'templates of torch.compile', 'tpq'),
  ('attention', 160, NULL, '^_?attn_(fwd|bwd)|^kernel_unified_attention|^_(fwd|bwd)(_grouped)?_kernel', 'Triton', 'names of its kernels, of AOTriton in PyTorch too', 'tpq');
