-- Categories of ops that the reference has under other: by the name of the op, and where that tells
-- nothing by its first kernel. Only without --compat; the rules of op come before them.
INSERT OR IGNORE INTO kernel_category (purpose, priority, kind, pattern, category, source) VALUES
  -- a graph has kernels of every kind
  ('op name fixed', 110, NULL, '(?i)^\w*graph_?launch\w*$', 'graph', 'tpq'),
  ('op name fixed', 120, NULL, '(?i)^(symm_mem|deep_ep|_?c10d(_functional)?|nvshmem)::|all_?reduce|all_?gather|reduce_?scatter|all_?to_?all', 'CustomCollective', 'tpq'),
  ('op name fixed', 130, NULL, '^aten::.*softmax|^(softmax|LogSoftmax)', 'softmax', 'tpq'),
  -- what is inside scaled dot product attention, and what libraries call the same
  ('op name fixed', 140, NULL, '(?i)(attention|flash_?attn|fmha|sdpa).*(backward|bwd)', 'SDPA_bwd', 'tpq'),
  ('op name fixed', 141, NULL, '(?i)attention|flash_?attn|fmha|sdpa', 'SDPA_fwd', 'tpq'),
  -- tables of embeddings, of FBGEMM too, whose other ops prepare what is looked up
  ('op name fixed', 150, NULL, '(?i)quantize', 'GroupQuant', 'tpq'),
  ('op name fixed', 151, NULL, '(?i)^torch::autograd::.*(Lookup|embedding|Embs)|embedding.*backward', 'embedding_bwd', 'tpq'),
  ('op name fixed', 152, NULL, '(?i)^fbgemm::|(?<!rotary_)embedding|_lookup_function', 'embedding_fwd', 'tpq'),
  ('op name fixed', 160, NULL, '^aten::.*pool.*backward', 'pool_bwd', 'tpq'),
  ('op name fixed', 161, NULL, '^aten::.*pool', 'pool_fwd', 'tpq'),
  -- what picks elements, and what only moves them
  ('op name fixed', 170, NULL, '^aten::_?(index|gather|scatter|take|masked_(select|scatter)|nonzero|unique|embedding)', 'indexing', 'tpq'),
  ('op name fixed', 171, NULL, '^aten::(sort|argsort|topk|kthvalue|msort|searchsorted|bucketize|histc|bincount)', 'sort', 'tpq'),
  ('op name fixed', 172, NULL, '^aten::(_?cat|stack|hstack|vstack|_local_scalar_dense|item|_pin_memory|roll|flip|repeat|im2col|col2im|_chunk_cat|split_with_sizes_copy)(_|$|\.)', 'memory', 'tpq'),
  ('op name fixed', 180, NULL, '^aten::(nll_loss|cross_entropy).*backward', 'CrossEntropy_bwd', 'tpq'),
  ('op name fixed', 181, NULL, '^aten::(nll_loss|cross_entropy)', 'CrossEntropy_fwd', 'tpq'),
  ('op name fixed', 190, NULL, '^aten::(native_|_fused_)?dropout|^aten::native_dropout_backward', 'elementwise', 'tpq'),
  ('op name fixed', 195, NULL, '^aten::_(foreach|fused_(adam|sgd|adagrad))', 'multi_tensor_apply', 'tpq'),
  -- kernels, where neither the op nor its kernel is known to the reference
  ('op fixed', 210, NULL, '(?i)^(memcpy|memset|memory_copy|__amd_rocclr_(copy|fill)|copy(device|host)to)|CatArrayBatchedCopy', 'memory', 'tpq'),
  ('op fixed', 220, NULL, '^triton_', 'triton', 'tpq'),
  ('op fixed', 230, NULL, '(?i)softmax', 'softmax', 'tpq'),
  ('op fixed', 240, NULL, '(?i)(fmha|flash|attn|attention).*(bwd|backward)', 'SDPA_bwd', 'tpq'),
  ('op fixed', 241, NULL, '(?i)fmha|flash_|attn_|attention', 'SDPA_fwd', 'tpq'),
  ('op fixed', 250, NULL, '(?i)(batch|layer|group|instance|rms)_?norm.*(bwd|backward)', 'NORM_bwd', 'tpq'),
  ('op fixed', 251, NULL, '(?i)(batch|layer|group|instance|rms)_?norm|batchnorm|bn_(fw|bw)', 'NORM_fwd', 'tpq'),
  ('op fixed', 260, NULL, '(?i)dgrad|wgrad|^igemm_(wrw|bwd)|conv.*(bwd|backward|wrw)', 'CONV_bwd', 'tpq'),
  ('op fixed', 261, NULL, '(?i)fprop|^igemm_fwd|winograd|im[23]d?2?col|col2im|conv[^e]', 'CONV_fwd', 'tpq'),
  ('op fixed', 270, NULL, '(?i)gemm|^Cijk_|cublas|nvjet|cutlass|matmul|^ck_tile.*Gemm', 'GEMM', 'tpq'),
  ('op fixed', 279, NULL, '(?i)pool.*(bwd|backward)', 'pool_bwd', 'tpq'),
  ('op fixed', 280, NULL, '(?i)max_?pool|avg_?pool', 'pool_fwd', 'tpq'),
  ('op fixed', 290, NULL, '(?i)quant', 'GroupQuant', 'tpq'),
  ('op fixed', 295, NULL, '(?i)rotary|(^|_)rope(_|$)', 'RoPE_fwd', 'tpq'),
  ('op fixed', 300, NULL, '(?i)(?<!rotary_)embedding', 'embedding_fwd', 'tpq'),
  ('op fixed', 305, NULL, '(?i)elementwise|TensorOp|OpTensor|silu|gelu|act_and_mul', 'elementwise', 'tpq'),
  ('op fixed', 310, NULL, '(?i)index|gather|scatter', 'indexing', 'tpq'),
  ('op fixed', 320, NULL, '(?i)radix|sort|topk', 'sort', 'tpq'),
  ('op fixed', 340, NULL, '(?i)transpose|permute|copy', 'memory', 'tpq'),
  ('op fixed', 350, NULL, '(?i)reduce', 'reduce', 'tpq'),
  -- where neither tells, what launched it may
  ('op launch fixed', 410, NULL, '(?i)graph_?launch', 'graph', 'tpq');
