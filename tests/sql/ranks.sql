-- Ranks of a run, and what their calls are compared by. The warehouse has two ranks in runs of their own.

-- ------------------------------------------------------------------ kernel_layout
SELECT 'Tensile', kernel_layout('Cijk_Ailk_Bljk_BBS_MT64x64x32') = '[false,false]'
  AND kernel_layout('x Cijk_Alik_Bjlk_') = '[true,true]' AND kernel_layout('Cijk_Alik_Bljk_') = '[true,false]';
SELECT 'a layout that is not known', kernel_layout('Cijk_Axyz_Bljk_') = '[null,false]';
SELECT 'cuBLAS', kernel_layout('nvjet_hsh_128x256_NTT') = '[false,true]' AND kernel_layout('nvjet_TN') = '[true,false]';
SELECT 'names that tell nothing', coalesce(kernel_layout(NULL), kernel_layout(''), kernel_layout('gemm'), kernel_layout('nvjet_x')) IS NULL;

-- ------------------------------------------------------------------ kernels_in_order
SELECT 'in the order of starts', group_concat(hex(kernels)) = group_concat(hex(kernels), ',')
  AND min(length(kernels)) = 2 * 32 AND min(substr(hex(kernels), 1, 4)) = '0200'
FROM (SELECT kernels_in_order(column1, column2, 7, 10) AS kernels FROM (VALUES (5, 1), (3, 2)));
SELECT 'rows without a start, and none', kernels_in_order(column1, 1, 1, 1) IS NULL FROM (VALUES (NULL), (NULL));
SELECT 'statistics of what it gives', arg(substr(details, 2), 'total_duration_us') = 0.03 AND arg(substr(details, 2), 'stream') IS NULL
FROM (SELECT kernel_details(column1, kernels) AS details
  FROM (SELECT 1 AS column1, kernels_in_order(1, (SELECT min(id) FROM string), NULL, 10) AS kernels
    UNION ALL SELECT 2, kernels_in_order(1, (SELECT min(id) FROM string), NULL, 20)));

-- ------------------------------------------------------------------ run_rank
SELECT 'a run of one rank', count(*) = 1 AND min(world_size) = 1 AND min(label) = max(rank) FROM run_rank WHERE run = 'rank1';
SELECT 'every trace has a rank', count(*) = (SELECT count(*) FROM trace) AND count(label) = count(*) FROM run_rank;

-- ------------------------------------------------------------------ groups of ops
SELECT 'calls of a group are those of its ops', sum(calls) > 0 AND sum(calls) = (
  SELECT count(*) FROM event JOIN op ON op.id = event.op_id JOIN string ON string.id = op.name_id
  JOIN op_group ON op_group.purpose = 'sheet' AND op_group.op = string.text WHERE op.dims_id IS NOT NULL)
FROM group_row;
SELECT 'shares end at 1 in each group', min(abs(share - 1) < 1e-9)
FROM (SELECT max(cumulative) AS share FROM group_row GROUP BY run, op_group HAVING sum(kernel_ns) > 0);
SELECT 'rows are numbered from 0', min(row_no) = 0 AND max(row_no) = count(*) - 1 FROM group_row WHERE run = 'rank1' AND op_group = 'gemm';
SELECT 'launchers hold all their time', (SELECT sum(direct_ns) FROM rank_launcher) = (SELECT sum(direct_ns) FROM launcher_work);
SELECT 'every launcher is in one group', (SELECT count(*) FROM breakdown_launcher) = (SELECT count(*) FROM rank_launcher);

-- ------------------------------------------------------------------ collectives
SELECT 'what kernels state', count(*) > 0 AND count(*) = count(group_name) AND min(source) = 'kernel' AND count(launched_ns) = count(*)
FROM collective_stated;
SELECT 'a run of one rank has no collectives', (SELECT count(*) FROM collective) + (SELECT count(*) FROM collective_call) = 0;
SELECT 'numbers that are none', count(*) = 0 FROM collective_call WHERE collective IN (0, -1, 'x', 1.5, 9e18) OR collective IS NULL;

-- ------------------------------------------------------------------ node_span
SELECT 'ranks of a node', node_span('[0, 1, 3]', 4) = 'intra_node' AND node_span('[3, 4]', 4) = 'inter_node' AND node_span('[8,9, ...]', 8) = 'intra_node';
SELECT 'no ranks', node_span('[]', 4) = 'unknown' AND node_span(NULL, 4) = 'unknown';
SELECT 'no size', node_span('[0]', NULL) IS NULL AND node_span('[0]', 0) IS NULL;
