-- Figures of tt-metal's ops, worked out by hand.

-- ------------------------------------------------------------------ cells
SELECT 'the padded size counts', tt_dimension('32[17]') = 32 AND tt_dimension('128') = 128
  AND tt_dimension('128.0') = 128 AND tt_dimension(64) = 64;
SELECT 'what is no size is NULL', tt_dimension('') IS NULL AND tt_dimension('x') IS NULL
  AND tt_dimension(NULL) IS NULL AND tt_dimension('9999999999999999999') IS NULL;
SELECT 'bytes go by the digits of the type', tt_tensor_bytes(1, 1, 32, 64, 'BFLOAT16') = 4096
  AND tt_tensor_bytes(1, 1, 32, 64, 'BFLOAT8_B') = 2048
  AND tt_tensor_bytes(1, 1, 32, 64, 'BFLOAT4_B') = 1024
  AND tt_tensor_bytes(2, 3, 32, 64, 'UINT8') = 12288
  AND tt_tensor_bytes(1, 1, 32, 64, 'ODD') = 8192
  AND tt_tensor_bytes(1, 1, 32, 64, NULL) = 8192;
SELECT 'bytes of an unknown size', tt_tensor_bytes(1, NULL, 32, 64, 'BFLOAT16') IS NULL;
SELECT 'short names', tt_type_name('FLOAT32') = 'FP32' AND tt_type_name('BFLOAT16') = 'BF16'
  AND tt_type_name('BFLOAT8_B') = 'BFP8' AND tt_type_name('BFLOAT4_B') = 'BFP4'
  AND tt_type_name('UINT16') = 'UINT16' AND tt_type_name(NULL) IS NULL;
SELECT 'layouts are the last two words', tt_memory_layout('DEV_1_DRAM_INTERLEAVED') = 'dram_interleaved'
  AND tt_memory_layout('DEV_0_DRAM_ND_SHARDED') = 'nd_sharded' AND tt_memory_layout('L1') = 'l1'
  AND tt_memory_layout('') = '' AND tt_memory_layout(NULL) IS NULL;

-- ------------------------------------------------------------------ formulas
SELECT 'a product of matrices', tt_matmul_flops(3200, 1792, 1536, 1) = 17616076800.0
  AND tt_matmul_flops(32, 64, 32, 2) = 262144.0 AND tt_matmul_flops(NULL, 1, 1, 1) IS NULL;
SELECT 'its share of the peak', abs(100 * tt_matmul_flops(3200, 1792, 1536, 1) / 94250e-9
  / ((SELECT tflops FROM device_peak WHERE device = 'blackhole' AND spec = 'HiFi2') * 1e12 * 100)
  - 67.60271146478043) < 1e-9;
SELECT 'its share of the memory', abs(100 * (tt_tensor_bytes(1, 1, 3200, 1792, 'BFLOAT16')
  + tt_tensor_bytes(1, 1, 1792, 1536, 'BFLOAT8_B')) / 94250e-9 / 1e9
  / (SELECT mem_bw_gbps FROM device_model WHERE device = 'blackhole')
  - 29.47055702917772) < 1e-9;
SELECT 'a convolution', abs(tt_matmul_flops(131072, 8 * tt_window_area('{''a'': ''S(window_hw=(3;3); x)''}'), 64, 1)
  / 40804e-9 / 1e12 - 29.603949416723847) < 1e-9;
SELECT 'every fidelity of every architecture has a peak', count(*) = 16 AND min(tflops) > 0
FROM device_peak WHERE kind = 'core';
SELECT 'better fidelity costs time', min(l.tflops > h2.tflops AND h2.tflops > h3.tflops AND h3.tflops > h4.tflops)
FROM device_peak AS l JOIN device_peak AS h2 USING (device) JOIN device_peak AS h3 USING (device)
JOIN device_peak AS h4 USING (device)
WHERE l.spec = 'LoFi' AND h2.spec = 'HiFi2' AND h3.spec = 'HiFi3' AND h4.spec = 'HiFi4';

-- ------------------------------------------------------------------ attributes
SELECT 'numbers of the program configuration',
  tt_config('{''program_config'': ''C(in0_block_w=12;out_subblock_h=1)''}', 'in0_block_w') = 12
  AND tt_config('{''program_config'': ''C(in0_block_w=x;in0_block_w=3)''}', 'in0_block_w') = 3
  AND tt_config('{''program_config'': ''std::nullopt''}', 'in0_block_w') IS NULL
  AND tt_config('in0_block_w=12', 'in0_block_w') IS NULL
  AND tt_config(NULL, 'x') IS NULL AND tt_config('program_config', '') IS NULL;
SELECT 'windows', tt_window_area('window_hw=(3;3); y') = 9 AND tt_window_area('window_hw=(1; 7); y') = 7
  AND tt_window_area('window_hw=(') IS NULL AND tt_window_area('window_hw=(3') IS NULL
  AND tt_window_area('') IS NULL;
SELECT 'what describes a convolution',
  tt_label('Conv2d', 'per_core_out_matrix_height_ntile=38;act_block_h_ntiles=19;') = '[ABH=38|19 ADB SR]'
  AND tt_label('Conv2d', 'enable_act_double_buffer'': ''false''; enable_split_reader'': ''true''') = '[ABH=x|x SR]'
  AND tt_label('Conv2d', NULL) = '[ABH=x|x ADB SR]' AND tt_label(NULL, 'x') IS NULL;
SELECT 'what describes a halo',
  tt_label('HaloDeviceOperation', 'window_hw=(3;3); stride_hw=(2;2); padding=((1; 1); (1; 1)); dilation_hw=(1;1); memory_layout=TensorMemoryLayout::HEIGHT_SHARDED; x')
    = 'w=(3,3) s=(2,2) p=((1, 1), (1, 1)) d=(1,1) | HEIGHT_SHARDED'
  AND tt_label('HaloDeviceOperation', '') = 'w=x s=x p=x d=x | x';

-- ------------------------------------------------------------------ fidelity
SELECT 'fidelity of ' || column1, tt_fidelity(column2, column3, column4, column5) = column6
FROM (VALUES
  ('BF16 with HiFi4', 'BFLOAT16', 'BFLOAT8_B', 'BFLOAT16', 'HiFi4', 'sufficient'),
  ('BF16 with HiFi2', 'BFLOAT16', 'BFLOAT8_B', 'BFLOAT16', 'HiFi2', 'too_low'),
  ('BF16 to BFP4 with HiFi4', 'BFLOAT16', 'BFLOAT8_B', 'BFLOAT4_B', 'HiFi4', 'too_high'),
  ('BFP8 with HiFi4', 'BFLOAT8_B', 'BFLOAT8_B', 'BFLOAT8_B', 'HiFi4', 'too_high'),
  ('BFP8 with HiFi2', 'BFLOAT8_B', 'BFLOAT8_B', 'BFLOAT8_B', 'HiFi2', 'sufficient'),
  ('BFP8 with LoFi', 'BFLOAT8_B', 'BFLOAT8_B', 'BFLOAT8_B', 'LoFi', 'too_low'),
  ('BFP4 weights with LoFi', 'BFLOAT8_B', 'BFLOAT4_B', 'BFLOAT8_B', 'LoFi', 'sufficient'),
  ('FP32 with HiFi4', 'FLOAT32', 'FLOAT32', 'FLOAT32', 'HiFi4', 'too_high'),
  ('integers', 'UINT32', 'ODD', NULL, NULL, 'not_applicable'),
  ('integers with HiFi3', 'UINT8', 'BFLOAT16', 'BFLOAT16', 'HiFi3', 'not_applicable'),
  ('HiFi3', 'BFLOAT16', 'BFLOAT16', 'BFLOAT16', 'HiFi3', 'unknown'),
  ('no type', NULL, 'BFLOAT16', 'BFLOAT16', 'HiFi4', 'unknown'),
  ('no fidelity', 'BFLOAT16', 'BFLOAT16', 'BFLOAT16', NULL, 'unknown'));
SELECT 'advice', tt_fidelity_advice('BFLOAT8_B', 'BFLOAT8_B', 'BFLOAT8_B', 'HiFi4') GLOB 'HiFi2 is enough*'
  AND tt_fidelity_advice('BFLOAT8_B', 'BFLOAT8_B', 'BFLOAT8_B', 'HiFi2') IS NULL
  AND tt_fidelity_advice('BFLOAT8_B', 'FP8', 'BFLOAT8_B', 'HiFi2') GLOB '*FP8'
  AND tt_fidelity_advice('BFLOAT16', 'BFLOAT16', 'BFLOAT16', 'HiFi3') IS NULL;

-- ------------------------------------------------------------------ order of equal times
WITH figure (n, x) AS (VALUES (1, 3.0), (2, 5.0), (3, 3.0), (4, NULL))
SELECT 'few equal ones stay in order', group_concat(place) = '2,1,3,4' FROM (
  SELECT quick_place(x) OVER (ORDER BY n ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS place FROM figure);
WITH RECURSIVE figure (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM figure WHERE n < 5000),
placed AS (
  SELECT n, n * 7919 % 61 AS x,
    quick_place(n * 7919 % 61) OVER (ORDER BY n ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS place
  FROM figure
)
SELECT 'many are sorted', count(DISTINCT place) = 5000 AND min(place) = 1 AND max(place) = 5000
  AND (SELECT min(x >= later) FROM (SELECT x, lead(x) OVER (ORDER BY place) AS later FROM placed) WHERE later IS NOT NULL)
  AND (SELECT max(n > later) FROM (SELECT n, x, lead(n) OVER (ORDER BY place) AS later, lead(x) OVER (ORDER BY place) AS next FROM placed) WHERE next = x)
FROM placed;
WITH RECURSIVE figure (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM figure WHERE n < 20000)
SELECT 'also those that are sorted, and those that are all equal',
  (SELECT max(abs(place + n - 20001)) FROM (SELECT n, quick_place(n) OVER (ORDER BY n ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS place FROM figure)) = 0
  AND (SELECT count(DISTINCT place) FROM (SELECT quick_place(1) OVER (ORDER BY n ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS place FROM figure)) = 20000;

-- ------------------------------------------------------------------ without such a trace
SELECT 'a warehouse of other traces has no ops of tt-metal', (SELECT count(*) FROM tt_sequence) = 0
  AND (SELECT count(*) FROM tt_status) = 0 AND (SELECT count(*) FROM tt_op) = 0;
