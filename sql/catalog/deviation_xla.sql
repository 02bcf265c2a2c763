-- Where reports about XLA differ.
INSERT OR IGNORE INTO deviation (name, standard, compat, reason, source) VALUES
  ('jax: kernels of a call', 'op sheets have a row for each call, with the time of all its kernels', 'each kernel is charged with the whole call', 'a call is computed once', 'tpq'),
  ('jax: fusions around a product', 'have the model of the product', 'have none', 'the program says what they compute', 'tpq'),
  ('jax: instructions of kernels', 'always', 'not of roots of computations, nor of kernels that no call is known to have launched', 'the profile names them all the same', 'tpq'),
  ('jax: operands', 'all of them, of every type', 'not scalars nor types without a digit at their end; f8e5m2 is m2', 'they are inputs like others', 'tpq'),
  ('jax: concrete inputs', 'none', 'the fourth operand of fused attention, which has no others beside the first three', 'it is an operand like others', 'tpq'),
  ('jax: bytes of operands', 'of every type; scalars have one element', 'of the types that the reference knows; scalars have none', 'they are read', 'tpq'),
  ('jax: texts of instructions', 'whole', 'cut before the first character that is unusual', 'names have such characters', 'tpq'),
  ('jax: outputs of kernels', 'the shape of what the instruction gives', 'NA', 'the program says it', 'tpq'),
  ('jax: processes of calls', 'named', 'Unknown', 'the profile names them', 'tpq'),
  ('jax: events without a duration', 'take no time', 'take a picosecond', 'that is what they are', 'tpq'),
  ('jax: an instruction that is called cudnn-conv', 'is a convolution', 'is none without a number', 'the number says nothing', 'tpq'),
  ('jax: TPU', 'its work is accelerator work', 'it has none', 'it is an accelerator', 'tpq'),
  ('jax: matrix products of the analysis', 'of all programs and accelerators', 'of jit_train_step and the first accelerator', 'programs have other names, too', 'tpq'),
  ('jax: types of eight-bit products', 'those of the operands', 'fp8 where what is called has f8 in its name', 'the program states them', 'tpq'),
  ('jax: ranks of collectives', 'accelerators counted over the hosts', 'eight for each host', 'hosts have other numbers of them', 'tpq');

-- by rows: perf_model.profile
INSERT OR IGNORE INTO deviation (name, standard, compat, reason, source) VALUES
  ('jax: bytes of products', 'each matrix by its own type', 'all by the type of the first operand, which is fp8 where what is called has f8 in its name', 'products of small types give larger ones', 'tpq'),
  ('jax: fused attention', 'extents and mask are what the call states', 'those of its operands, without a mask', 'packed operands do not tell, and a mask halves the work', 'tpq'),
  ('jax: gradients of convolutions', 'each by its own operands', 'input and filter together, by the order of the operands', 'they are calls of their own', 'tpq');
