-- Where kinds of work, categories of ops and peaks differ.
INSERT OR IGNORE INTO deviation (name, standard, compat, reason, source) VALUES
  ('timeline: kinds of work', 'communication is also that of other libraries than NCCL and RCCL, and sets of memory count with copies: rows of kernel_category with the purpose timeline fixed', 'communication has nccl, rccl or cross_device_reduce in its name; sets of memory count as computation', 'all of it waits for other accelerators; sets of memory compute nothing', 'tpq'),
  ('jax: communication', 'also collectives of a TPU, by the instruction; their category is Communication', 'names with nccl, rccl or cross_device_reduce in them; their category is Communication rccl/nccl', 'a TPU has no such kernels', 'tpq'),
  ('categories of ops', 'also by rows of kernel_category with the purposes op name fixed and op fixed; a launch of a graph is a graph', 'ops that the reference does not know are other, but for three kinds of kernels', 'most of the time of some models would be other', 'tpq'),
  ('rooflines: peaks that an accelerator has not', 'another one holds, by the names of the kernels or by allow_tf32, and is named: rows of kernel_category with a purpose that begins with peak', 'no roofline', 'products in fp32 run as TF32 or on vector units', 'tpq'),
  ('rooflines: copies between host and accelerator', 'no roofline', 'held against the bandwidth of the accelerator''s memory', 'they pass a link that is far slower', 'tpq');

-- by rows: perf_model.profile
INSERT OR IGNORE INTO deviation (name, standard, compat, reason, source) VALUES
  ('models: ops that took time in real traces', 'softmax, activations, comparisons, losses, pooling, lists of tensors, and what picks, orders, fills or only moves elements have models', 'they have none', 'most of the time of some models would have none', 'tpq');
