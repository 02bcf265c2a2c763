-- Where the rows of perf_model differ by profile.
-- by rows: perf_model.profile
INSERT OR IGNORE INTO deviation (name, standard, compat, reason, source) VALUES
  ('models: convolution bias', 'counted where there is one, in bytes of its type', 'only with three recorded arguments; its gradient in elements', 'profilers record nine arguments', 'tpq'),
  ('models: gradients of a convolution or batch norm', 'those that the mask asks for', 'input and filter always, of norms the input always', 'the first layer needs none of its input', 'tpq'),
  ('models: transposed convolution with groups', 'output channels times groups', 'groups ignored', 'the filter has the channels of one group', 'tpq'),
  ('models: reductions', 'the output has what the dimensions leave; max and min of two tensors are elementwise; without a shape a failure', 'the output has one element; without a shape there are none', 'dimensions are recorded as texts', 'tpq'),
  ('models: norms in evaluation', 'training is what its flag says; weights and biases count where they are', 'any flag that is recorded counts as training; weights and biases always', 'the text False is not false there', 'tpq'),
  ('models: attention bytes', 'bytes of the type of the queries', 'two bytes an element', 'types are recorded', 'tpq'),
  ('models: causal attention with fewer queries than keys', 'the queries are the last ones', 'no figures', 'decoding would have none', 'tpq'),
  ('models: attention of some libraries', 'has a peak by its type', 'has none', 'types are recorded', 'tpq'),
  ('models: sparse latent attention', 'values are as wide as the fifth input says', 'always 512', 'it is recorded', 'tpq'),
  ('models: traces without strides', 'models work', 'elementwise ops and norms fail', 'no formula needs strides', 'tpq'),
  ('models: calls without types or settings', 'figures as far as what is recorded goes', 'no figures', 'FLOPs need no types, and attention is rarely causal where nobody says so', 'tpq'),
  ('models: linear attention without an annotation', 'a failure, which keeps its time', 'left out', 'no time is lost', 'tpq'),
  ('models: compiled kernels', 'sizes of all types; peaks by precision; without arguments a failure', 'types in the spelling of profilers count nothing; peaks by the name of the type; without arguments left out', 'nothing would be bounded by a roofline', 'tpq'),
  ('models: matrix products of mixed types', 'operands, bias and result in bytes of their own types; packed weights and biases by their extent', 'all in bytes of the first operand; a bias has a row of elements', 'weights are often narrower', 'tpq'),
  ('models: batched matrix products backward', 'times the batch', 'of one matrix', 'each matrix has gradients', 'tpq'),
  ('models: copies that broadcast', 'what is read is the source', 'the source has the shape of the destination', 'its elements are read once', 'tpq'),
  ('models: types', 'every type of PyTorch has its bytes; integers of eight bits have int8 as their precision', 'bool, short and complex have none; unsigned bytes count as fp8', 'they are known', 'tpq'),
  ('models: types of experts', 'as everywhere; bytes that hold several numbers by their extent', 'a table of its own that minds case', 'float and unsigned char are missing in it', 'tpq'),
  ('models: SiLU times gate of Liger', 'five operations an element', 'one', 'it is fused', 'tpq'),
  ('models: ops in place', 'have the model and the category of those that are not (relu_ those of relu)', 'only where they are listed', 'they do the same', 'tpq'),
  ('models: XLA convolutions', 'the whole filter', 'its last extents only', 'input channels are summed over, too', 'tpq');
