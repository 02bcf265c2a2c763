-- Categories of ops of tt-metal.
INSERT OR IGNORE INTO tt_category (category, is_newer, moves_all, op, source)
SELECT column1, column2, column3, value, 'tpq'
FROM (VALUES
  ('Compute', 0, 0, '["AllGatherMatmul", "ScaledDotProductAttentionDecode", "RotaryEmbeddingLlama",
    "SDPAOperation", "OptimizedConvNew", "Conv2d", "Matmul", "Pool2D", "UpSample",
    "UpsampleOperation", "GridSample", "Accumulation", "ScaledDotProductAttention", "Embeddings",
    "MinimalMatmulOp", "IntImg", "GridSampleOperation"]'),
  ('Compute', 0, 1, '["BinaryNg", "Binary", "Unary", "GroupNorm", "LayerNorm", "Reduce",
    "Softmax"]'),
  ('DM', 0, 0, '["PagedUpdateCacheDeviceOperation", "InterleavedToShardedPartial",
    "ShardedToInterleavedPartial", "Halo", "PaddedSlice", "SliceWrite", "ReduceScatter"]'),
  ('DM', 0, 1, '["Move", "Copy", "InterleavedToSharded", "ShardedToInterleaved", "Where",
    "CloneOperation", "Reshard"]'),
  ('TM', 0, 0, '["NLPCreateHeadsDecodeDeviceOperation", "NLPConcatHeadsDecodeDeviceOperation",
    "Fold", "Reshape", "Slice", "Concat", "Split", "FillPad", "PadDeviceOperation"]'),
  ('TM', 0, 1, '["CreateQKVHeadsDeviceOperation", "ConcatenateHeads", "Transpose", "Permute",
    "TilizeWithValPadding", "Tilize", "UntilizeWithUnpadding", "Untilize", "Typecast",
    "NLPConcatHeads", "NlpCreateHeads", "Ternary"]'),
  ('Host', 0, 0, '["(torch)"]'),
  ('Compute', 1, 0, '["RMSAllGather", "SdpaDecode", "RotaryEmbedding", "SparseMatmul",
    "RingJointSDPA", "JointSDPA"]'),
  ('Compute', 1, 1, '["FastReduceNC", "ArgMax"]'),
  ('TM', 1, 0, '["ReshapeView", "Repeat", "Pad"]'),
  ('DM', 1, 0, '["AllGather", "AllGatherAsync", "AllReduce", "AllReduceAsync",
    "ReduceScatterMinimalAsync"]'))
  CROSS JOIN json_each(column4);
