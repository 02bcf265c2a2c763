-- Calls and what models say about them, against the tables that they are read from.
-- ------------------------------------------------------------------ calls with a model
SELECT 'there are calls', count(*) > 0 AND count(*) = count(DISTINCT id) FROM op_call;
SELECT 'each is in a selected trace', count(*) = 0 FROM op_call
WHERE NOT EXISTS (SELECT 1 FROM scope WHERE op_call.trace_id = scope.trace_id AND op_call.id BETWEEN first_event AND last_event);
SELECT 'time below: ' || call.id, call.kernel_ns = coalesce((SELECT interval_union_ns(ts_ns, dur_ns) FROM gpu_event
  WHERE gpu_event.id BETWEEN call.id AND call.last_id), 0)
FROM (SELECT id, last_id, kernel_ns FROM op_call ORDER BY id LIMIT 40) AS call;
SELECT 'figures are those of the signature', count(*) = 0 FROM op_call JOIN op_metric USING (op_id)
WHERE op_call.flops IS NOT op_metric.flops OR op_call.status <> op_metric.status;
SELECT 'each has its metric', count(*) > 0 AND sum(op_metric.flops IS op_call.flops AND op_metric.status = op_call.status AND op_metric.op_id = op_call.op_id) = count(*)
FROM op_call LEFT JOIN op_metric USING (metric_id);
SELECT 'no metric of a cache that is gone', count(*) = 0 FROM op_metric WHERE metric_id IN ((1 << 50) + 1, -1, (1 << 32) + 4000000000);
SELECT 'none is a pseudo op', sum(is_pseudo) = 0 FROM op_call;
SELECT 'one run', count(*) > 0 AND min(run) = 'rank1' AND max(run) = 'rank1' FROM op_call WHERE run = 'rank1';
SELECT 'one trace', count(*) > 0 AND min(trace_id) = 2 AND max(trace_id) = 2 FROM op_call WHERE trace_id = 2;
SELECT 'no trace', count(*) = 0 FROM op_call WHERE trace_id = 'x' OR run = 'nobody';
SELECT 'no run', count(*) = 0 FROM op_call WHERE run = NULL;
SELECT 'no run of rows', count(*) = 0 FROM roofline_row WHERE run = 'nobody' AND trace_id = 1;
SELECT 'nested', count(*) > 0 FROM op_call WHERE is_nested = 0;

-- ------------------------------------------------------------------ rows
SELECT 'rows have all calls: ' || run, calls = (SELECT count(*) FROM op_call WHERE op_call.run = rows.run
  AND op_call.status IN ('ok', 'no_bytes') AND op_call.sheet <> '')
FROM (SELECT run, sum(calls) AS calls FROM roofline_row WHERE status <> 'fail' AND sheet NOT LIKE '%_bwd' GROUP BY run) AS rows;
SELECT 'each piece of work is collected once: ' || run, abs(us - (SELECT sum(dur_ns) / 1000.0 FROM gpu_slice WHERE gpu_slice.run = rows.run
  AND call_id IS NOT NULL AND name NOT LIKE '%nccl%')) < 1e-6 * us
FROM (SELECT run, sum(kernel_us) AS us FROM collected_row GROUP BY run) AS rows;
SELECT 'mean and sum: ' || name_id, abs(kernel_us_mean * calls - kernel_us) < 1e-6 AND kernel_us_min <= kernel_us_median AND kernel_us_median <= kernel_us_max
FROM collected_row;
SELECT 'times alone are those: ' || run || ' ' || name_id, (calls, round(us, 3)) = (SELECT sum(calls), round(sum(kernel_us), 3) FROM collected_row AS one
  WHERE one.run = rows.run AND one.name_id = rows.name_id AND one.op_id IS rows.op_id AND one.kernel_name_id IS rows.kernel_name_id)
FROM (SELECT run, name_id, op_id, kernel_name_id, sum(calls) AS calls, sum(kernel_us) AS us FROM collected_time GROUP BY 1, 2, 3, 4) AS rows;
SELECT 'times alone leave none out', (SELECT sum(calls) FROM collected_time) = (SELECT sum(calls) FROM collected_row);
SELECT 'time with a model: ' || run, modelled_ns > 0 AND modelled_ns <= (SELECT busy_ns FROM coverage WHERE coverage.run = modelled_time.run)
FROM modelled_time;
SELECT 'the view coverage says the same: ' || run, modelled_ns = (SELECT modelled_ns FROM modelled_time WHERE modelled_time.run = coverage.run) FROM coverage;

-- ------------------------------------------------------------------ where a call stands
SELECT 'call_stack of nothing', call_stack(NULL, NULL, NULL) IS NULL AND call_stack(-1, NULL, NULL) IS NULL;
SELECT 'call_stack: ' || id, instr(call_stack(id, NULL, NULL), '"aten::mm"') > 0
FROM (SELECT id FROM slice WHERE name = 'aten::mm' AND category = 'cpu_op' LIMIT 5);
SELECT 'entry_point inside', entry_point('["a.py(1): f","aten::mm","b.py(2): my_mm_kernel"]', 'aten::mm') = 'b.py(2): my_mm_kernel';
SELECT 'entry_point around', entry_point('["a.py(1): f","nn.Module: X","torch/_ops.py(3): __call__","aten::mm",["k"]]', 'aten::mm') = 'a.py(1): f';
SELECT 'entry_point with a number', entry_point('["a.py(1): f","aten::mm"]', 'aten::mm_12') = 'a.py(1): f';
SELECT 'no entry_point', entry_point('["aten::mm"]', 'aten::mm') = 'Not found' AND entry_point('[]', 'x') = 'Not found';
SELECT 'entry_way inside', entry_way('["a.py(1): f","aten::mm","b.py(2): my_mm_kernel"]', 'aten::mm') = '{"num_wrappers":0,"traversal":"inward","wrappers":[]}';
SELECT 'entry_way around', entry_way('["a.py(1): f","nn.Module: X","torch/_ops.py(3): __call__","aten::mm",["k"]]', 'aten::mm')
  = '{"num_wrappers":2,"traversal":"outward","wrappers":["torch/_ops.py(3): __call__","nn.Module: X"]}';
SELECT 'no entry_way', entry_way('["torch/_ops.py(3): __call__","aten::mm"]', 'aten::mm') = '{"num_wrappers":1,"traversal":null,"wrappers":["torch/_ops.py(3): __call__"]}'
  AND entry_way('[]', 'x') = '{"num_wrappers":0,"traversal":null,"wrappers":[]}' AND entry_way(NULL, 'x') IS NULL;
SELECT 'entry_point of nothing', entry_point(NULL, 'x') IS NULL AND entry_point('[]', NULL) IS NULL;
