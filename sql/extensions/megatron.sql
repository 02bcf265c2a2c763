-- Training with Megatron and Transformer Engine: the matrix products inside linear layers as calls of
-- their own, the recomputed forward ops of checkpoints linked to their backward ones, and models of
-- attention, norms and grouped products.

-- Older versions show these products themselves.
-- tpq:stage tree
-- tpq:require-not op tex_ts::te_gemm_ts

-- Inputs of a linear layer that are its weight and its input, and whether it computes in 8 bits.
CREATE TEMP TABLE te_layer (name TEXT, backward TEXT, weight INTEGER, input INTEGER, fp8 INTEGER);
INSERT INTO te_layer (name, backward, weight, input, fp8)
VALUES ('_Linear', '_LinearBackward', 0, 1, 4),
  ('_LayerNormLinear', '_LayerNormLinearBackward', 3, 0, 7);

CREATE TEMP TABLE te_call (id INTEGER PRIMARY KEY, last_id INTEGER, op_id INTEGER, ts_ns INTEGER, name TEXT);
INSERT INTO te_call (id, last_id, op_id, ts_ns, name)
SELECT event.id, event.last_id, event.op_id, event.ts_ns, string.text
FROM (
  SELECT id, text FROM string
  WHERE text = 'CheckpointFunctionBackward' OR text IN (SELECT name FROM te_layer) OR text IN (SELECT backward FROM te_layer)
) AS string
CROSS JOIN scope
CROSS JOIN event ON event.id BETWEEN scope.first_event AND scope.last_event
WHERE event.name_id = string.id;

-- A checkpoint computes its forward ops once more, and then goes back through them: the first
-- forward op belongs to the last backward one. What it calls itself is forward, all else is backward.
CREATE TEMP TABLE te_forward AS
SELECT te_call.id AS id, te_call.ts_ns AS ts_ns, te_call.name AS name, (
    SELECT above.id
    FROM ancestors(te_call.id) AS above
    CROSS JOIN event ON event.id = above.id
    CROSS JOIN category ON category.id = event.category_id
    WHERE category.role = 'op'
    ORDER BY above.depth
    LIMIT 1) AS checkpoint_id
FROM te_layer
JOIN te_call ON te_call.name = te_layer.name;

INSERT INTO edge (from_id, to_id, kind)
WITH checkpoint AS (
  SELECT id, last_id FROM te_call WHERE name = 'CheckpointFunctionBackward'
),
forward AS (
  SELECT checkpoint_id, name, te_forward.id AS id,
    count(*) OVER (PARTITION BY checkpoint_id, name) AS calls,
    row_number() OVER (PARTITION BY checkpoint_id, name ORDER BY ts_ns, te_forward.id) AS place
  FROM te_forward
  JOIN checkpoint ON checkpoint.id = checkpoint_id
),
backward AS (
  SELECT checkpoint.id AS checkpoint_id, te_layer.name AS name, te_call.id AS id,
    count(*) OVER (PARTITION BY checkpoint.id, te_layer.name) AS calls,
    row_number() OVER (PARTITION BY checkpoint.id, te_layer.name ORDER BY te_call.ts_ns DESC, te_call.id DESC) AS place
  FROM checkpoint
  CROSS JOIN te_call ON te_call.id BETWEEN checkpoint.id AND checkpoint.last_id
  JOIN te_layer ON te_layer.backward = te_call.name
)
SELECT forward.id, backward.id, 'forward_backward'
FROM forward
JOIN backward ON backward.checkpoint_id = forward.checkpoint_id AND backward.name = forward.name
AND backward.calls = forward.calls AND backward.place = forward.place;

-- The products that a layer launches: one forward, and backward the gradient of the input and then
-- that of the weight.
CREATE TEMP TABLE te_product AS
WITH part AS (
  SELECT te_forward.id AS layer_id, 0 AS is_backward, te_call.id AS first_id, te_call.last_id AS last_id
  FROM te_forward
  JOIN te_call ON te_call.id = te_forward.id
  UNION ALL
  SELECT te_forward.id, 1, event.id, event.last_id
  FROM te_forward
  CROSS JOIN edge ON edge.from_id = te_forward.id AND edge.kind = 'forward_backward'
  CROSS JOIN event ON event.id = edge.to_id
),
product AS (
  SELECT DISTINCT layer_id, is_backward, work.id AS id, work.call_id AS call_id
  FROM part
  CROSS JOIN linked_work AS work ON work.id BETWEEN part.first_id AND part.last_id AND work.call_id IS NOT NULL
  CROSS JOIN string ON string.id = work.name_id
  WHERE +work.category_id = (SELECT id FROM category WHERE name = 'kernel')
  AND (string.text GLOB '*C*_A*_B*' OR string.text GLOB 'RR_GEMM_*' OR string.text GLOB 'nvjet*')
)
SELECT layer_id, is_backward, call_id,
  row_number() OVER (PARTITION BY layer_id, is_backward ORDER BY call_id, id) AS place,
  count(*) OVER (PARTITION BY layer_id, is_backward) AS products
FROM product;

-- Input (m, k), weight (n, k); `fault` says why there is nothing to be made of a layer.
CREATE TEMP TABLE te_linear AS
WITH shape AS (
  SELECT te_call.id AS id, te_call.name AS name,
    numel(te_call.op_id, input) / nullif(dim(te_call.op_id, input, -1), 0) AS m,
    dim(te_call.op_id, weight, 0) AS n, dim(te_call.op_id, input, -1) AS k, dim(te_call.op_id, weight, 1) AS weight_k,
    CASE WHEN cin(te_call.op_id, fp8) = 'True' THEN 'fp8' ELSE dtype(te_call.op_id, input) END AS type
  FROM te_layer
  JOIN te_call ON te_call.name = te_layer.name
),
counted AS (
  SELECT layer_id, max(products) FILTER (WHERE NOT is_backward) AS forward, max(products) FILTER (WHERE is_backward) AS backward
  FROM te_product
  GROUP BY layer_id
)
SELECT id, name, m, n, k, type,
  CASE WHEN NOT EXISTS (SELECT 1 FROM edge WHERE from_id = id AND kind = 'forward_backward') THEN 'no backward op is linked to them'
    WHEN coalesce(m, n) IS NULL OR m IS NULL OR n IS NULL OR weight_k IS NULL THEN 'their shapes are not recorded'
    WHEN weight_k <> k THEN 'the shapes of input and weight do not fit'
    WHEN counted.forward IS NOT 1 THEN 'forward, not one matrix product is launched'
    WHEN counted.backward IS NOT 2 THEN 'backward, not two matrix products are launched'
  END AS fault
FROM shape
LEFT JOIN counted ON counted.layer_id = shape.id;

INSERT OR IGNORE INTO pseudo_op (name, place, event, args)
SELECT CASE WHEN NOT is_backward THEN name || '_yfwd_mm' WHEN place = 1 THEN name || 'Backward_xgrad_mm' ELSE name || 'Backward_wgrad_mm' END,
  'inject', call_id,
  json_object('dims', CASE WHEN NOT is_backward THEN json_array(json_array(m, k), json_array(k, n))
      WHEN place = 1 THEN json_array(json_array(m, n), json_array(n, k))
      ELSE json_array(json_array(n, m), json_array(m, k)) END,
    'types', json_array(type, type), 'strides', json('[]'), 'concrete', json('[]'))
FROM te_linear
JOIN te_product ON te_product.layer_id = te_linear.id
WHERE fault IS NULL;

INSERT INTO ext_note (text)
SELECT count(*) || CASE count(*) WHEN 1 THEN ' call of ' ELSE ' calls of ' END || name
  || ' without matrix products of their own, because ' || fault || ' (the first is event ' || min(id) || ')'
FROM te_linear
WHERE fault IS NOT NULL
GROUP BY name, fault;

DROP TABLE te_linear;
DROP TABLE te_product;
DROP TABLE te_forward;
DROP TABLE te_call;
DROP TABLE te_layer;

-- Models of what the trace shows itself; those of the matrix products ship with tpq.
-- tpq:stage model

-- Tensors are (tokens, batch, heads, width), behind nine inputs that say how to compute.
INSERT INTO perf_model (op, profile, category, bwd_category, family, params, shown, precision, ceiling)
SELECT 'FusedAttnFunc', column1, 'SDPA_fwd', 'SDPA_bwd', 'sdpa',
  json_object('B', 'dim(9, 1)', 'N_Q', 'dim(9, 0)', 'H_Q', 'dim(9, 2)', 'N_KV', 'dim(10, 0)', 'H_KV', 'dim(10, 2)',
    'd_qk', 'dim(9, 3)', 'd_v', 'dim(11, 3)', 'causal', column2, 'flash', '1', 'bpe', 'bpe(dtype(9))'),
  json_object('B', 'B', 'N_Q', 'N_Q', 'H_Q', 'H_Q', 'N_KV', 'N_KV', 'H_KV', 'H_KV', 'd_h_qk', 'd_qk', 'd_h_v', 'd_v',
    'dropout', '0.0', 'causal', 'bool(causal)', 'flash_impl', 'bool(flash)', 'dtype_A_B', 'json_array(dtype(9), dtype(10))'),
  'precision(dtype(9))', 'matrix'
FROM (VALUES ('fixed', '1'), ('compat', 'iif(N_Q <> N_KV, NULL, 1)'));

-- Rows of all groups, and the matrices of the groups, which may be transposed.
INSERT INTO perf_model (op, category, bwd_category, family, params, shown, flops_bwd, bytes_bwd, valid, precision, ceiling)
VALUES ('GroupedGemm', 'GroupedGEMM_fwd', 'GroupedGEMM_bwd', 'grouped_gemm',
  json_object('M', 'dim(0, 0)', 'K', 'dim(0, 1)', 'is_transposed', 'coalesce(cin_bool(3), 0)',
    'N', 'iif(is_transposed, dim(1, 1), dim(1, 2))', 'G', 'dim(1, 0)', 'bpe_in', 'bpe(dtype(0))', 'bpe_out', '2'),
  json_object('M', 'M', 'K', 'K', 'N', 'N', 'G', 'G', 'bpe_in', 'bpe_in', 'bpe_out', 'bpe_out'),
  '2 * grouped_gemm_flops(M, N, K)',
  '2 * grouped_gemm_bytes(M, N, K, G, bpe_in, bpe_out)',
  'bpe_in IN (1, 2) AND dtype(0) = dtype(1) AND K = iif(is_transposed, dim(1, 2), dim(1, 1))',
  'precision(dtype(0))', 'matrix');
INSERT INTO op_category (op, category) VALUES ('GroupedGemmBackward', 'GroupedGEMM_bwd');

-- Input, weight and bias of the norm come first.
INSERT INTO perf_model (op, category, sheet, family, params, shown, precision, ceiling)
SELECT column1, 'NORM_fwd', 'Normalization', 'norm',
  json_object('elements', 'numel(0)', 'channels', 'coalesce(dim(1, 0), dim(0, -1))', 'bpe', 'bpe(dtype(0))',
    'affine', 'coalesce(ndim(1) > 0, 0)', 'bias', 'coalesce(ndim(2) > 0, 0)', 'training', '1'),
  json_object('op_shape', 'shape(0)', 'dtype_in_out', 'json_array(dtype(0), NULL)', 'stride_input', 'stride(0)',
    'stride_output', 'NULL', 'num_channels', 'channels', 'has_bias', 'bool(bias)', 'is_affine', 'bool(affine)',
    'is_training', 'bool(training)'),
  'precision(dtype(0))', 'vector'
FROM (VALUES ('LayerNormFn'), ('_LayerNormLinear'));

-- Backward of a norm with a linear layer the input has the width of the layer: what the norm worked
-- on tells the forward op.
INSERT INTO perf_model (op, category, bwd_category, sheet, family, params, shown, valid, precision, ceiling)
SELECT column1, 'NORM_bwd', 'NORM_bwd', 'Normalization', 'norm_backward',
  json_object('input', column2, 'elements', 'prod(input)', 'channels', column3, 'bpe', 'bpe(dtype(0))', 'affine', '1',
    'bias', '0', 'training', '1'),
  json_object('op_shape', 'input', 'dtype_in_out', 'json_array(dtype(0), NULL)', 'stride_input', 'stride(0)',
    'stride_output', 'NULL', 'num_channels', 'channels', 'has_bias', 'bool(bias)', 'is_affine', 'bool(affine)',
    'is_training', 'bool(training)', 'output_mask', 'json_array(bool(1), bool(1), bool(0))'),
  'input IS NOT NULL', 'precision(dtype(0))', 'vector'
FROM (VALUES ('LayerNormFnBackward', 'shape(0)', 'dim(0, -1)'),
  ('_LayerNormLinearBackward', 'fwd_shape(0)', 'fwd_dim(1, 0)'));
