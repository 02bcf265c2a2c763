-- Texts of programs of XLA: shapes, groups of ranks, and what reports make of them.
SELECT 'bytes of arrays', hlo_bytes('["bf16[2,3]{1,0}","pred[]"]') = 13;
SELECT 'bytes of tuples', hlo_bytes('["(f32[2]{0},(s8[3]{0},u64[]))"]') = 8 + 3 + 8;
SELECT 'bytes of halves are rounded up', hlo_bytes('["s4[3]{0}"]') = 2;
SELECT 'no bytes', hlo_bytes('[]') = 0 AND hlo_bytes('["token[]"]') = 0 AND hlo_bytes(NULL) IS NULL;
SELECT 'bytes as the reference counts', hlo_bytes('["f64[2]{0}","f32[]","(f32[2]{0})","f8e5m2[4]{0}","bf16[2,3]{1,0}"]', 1) = 4 + 12;
SELECT 'bytes of many', hlo_bytes('["f64[4611686018427387904,4611686018427387904]"]') > 1e37;
SELECT 'inputs', hlo_inputs('["f32[]","bf16[2,3]{1,0}","pred[4]{0}"]', 'dims', 0, 9) = '[[2,3]]'
  AND hlo_inputs('["f32[]","bf16[2,3]{1,0}","pred[4]{0}"]', 'types', 0, 9) = '["bf16"]';
SELECT 'the end of a type', hlo_inputs('["f8e5m2[4]{0}","f8e4m3fn[4]{0}"]', 'types', 0, 9) = '["m2"]';
SELECT 'some inputs', hlo_inputs('["a1[1]{0}","b2[2]{0}","c3[3]{0}"]', 'dims', 1, 1) = '[[2]]'
  AND hlo_inputs('["a1[1]{0}"]', 'dims', 1, 1) = '[]' AND hlo_inputs(NULL, 'dims', 0, 1) IS NULL;
SELECT 'inputs that are no shapes', hlo_inputs('["","[","]","[]{","x[1]{"]', 'dims', 0, 9) = '[]'
  AND hlo_inputs('no list', 'dims', 0, 9) = '[]' AND hlo_inputs('["open', 'types', 0, 9) = '[]';
SELECT 'moved', hlo_moved('bf16[1,768,48,128]{3,2,1,0}', 'all-gather', '[1]', 8) = 1179648;
SELECT 'moved of several', hlo_moved('(f32[8]{0},f32[4]{0})', 'all-gather', '[0]', 4) = 12
  AND hlo_moved('(f32[8]{0},f32[3]{0})', 'all-gather', '[0]', 4) = 8;
SELECT 'moved of a start', hlo_moved('((f32[4]{0}),(f32[8]{0}))', 'all-gather-start', '[0]', 2) = 16
  AND hlo_moved('(f32[4]{0},f32[8]{0})', 'all-gather-start', '[0]', 2) = 16;
SELECT 'moved of a scatter', hlo_moved('f32[128]{0}', 'reduce-scatter', '[0]', 8) = 512;
SELECT 'moved without one dimension', hlo_moved('f32[8,8]', 'all-to-all', '[0,1]', 8) = 256
  AND hlo_moved('f32[8]', 'all-reduce', NULL, 8) = 32 AND hlo_moved(NULL, 'x', NULL, 1) IS NULL;
SELECT 'groups', hlo_group('[[0,1],[2,3]]', 3, 0) = 1 AND hlo_group('[[0,1],[2,3]]', 4, 0) IS NULL
  AND hlo_group('[[0,1],[1,0]]', 1, 1) = 1 AND hlo_group('[[0,1],[1,0]]', 1, 2) IS NULL;
SELECT 'no groups', hlo_group('[]', 0, 0) IS NULL AND hlo_group(NULL, 0, 0) IS NULL AND hlo_group('[[0]]', NULL, 0) IS NULL;
SELECT 'sizes of groups', hlo_group_size('[[0,1],[2,3,4]]', 1) = 3 AND hlo_group_size('[[0]]', 0) = 1
  AND hlo_group_size('[[0]]', 1) IS NULL AND hlo_group_size(NULL, 0) IS NULL;
SELECT 'transposes', gemm_transposes('Cabc_Axyz_Bxyz_Alik_Bjlk_') = '[true,true]'
  AND gemm_transposes('Cijk_Ailk_Bljk_x') = '[false,false]' AND gemm_transposes('nvjet_x_NT') = '[false,true]';
SELECT 'no transposes', gemm_transposes('gemm') IS NULL AND gemm_transposes('nvjet') IS NULL
  AND gemm_transposes('_A') IS NULL AND gemm_transposes(NULL) IS NULL AND gemm_transposes('Cabc_Axyz_Bxyz') = '[null,null]';
SELECT 'leading', leading('a=1, b', 'abc=123 ') = 'a=1' AND leading('', 'a') = '' AND leading('a', '') = ''
  AND leading(NULL, 'a') IS NULL;
SELECT 'keywords', has_keyword('abc', 'x' || char(10) || 'bc') = 1 AND has_keyword('abc', 'x') = 0
  AND has_keyword(NULL, 'x') IS NULL AND has_keyword('a', '') = 0;
SELECT 'records', json_record('name', 'x"y', 'list[]', '[1,2]', 'none', NULL, 'real', 0.5, 'whole', 7)
  = '{"name":"x\"y","list":[1,2],"none":null,"real":0.5,"whole":7}' AND json_record() = '{}';
