-- Time by nn.Module, against walks through the call tree.

CREATE TEMP TABLE module AS
SELECT slice.trace_id AS trace_id, slice.id AS id, name, dur_ns FROM slice WHERE name GLOB 'nn.Module: *';
CREATE TEMP TABLE below AS
SELECT module.id AS module_id, gpu_event.id AS id, ts_ns, gpu_event.dur_ns AS dur_ns,
  EXISTS (SELECT 1 FROM ancestors(gpu_event.id) AS above JOIN module AS inner ON inner.id = above.id
    WHERE inner.id > module.id) AS is_inside
FROM module, kernels_below(module.id) AS work JOIN gpu_event ON gpu_event.id = work.id;

SELECT 'modules are calls, and one row around them',
  count(*) = count(id) + 2 AND count(id) = (SELECT count(*) FROM module) AND count(id) = 2 * 9 + 2 * 7
FROM module_work;
SELECT 'a call covers what is below it: ' || id,
  below_ns = (SELECT interval_union_ns(ts_ns, dur_ns) FROM below WHERE module_id = work.id)
  AND inside_ns = (SELECT interval_union_ns(ts_ns, dur_ns) FROM below WHERE module_id = work.id AND is_inside)
FROM module_work AS work WHERE id IS NOT NULL;
SELECT 'the row around covers all work of its trace',
  below_ns = (SELECT interval_union_ns(ts_ns, dur_ns) FROM gpu_event WHERE gpu_event.trace_id = work.trace_id)
FROM module_work AS work WHERE id IS NULL;
SELECT 'layers stand in the model, and the model in none',
  min(CASE WHEN name.text = 'nn.Module: Model_0' THEN parent_name_id IS NULL
    ELSE parent_name_id = (SELECT id FROM string WHERE text = 'nn.Module: Model_0') END)
FROM module_work JOIN string AS name ON name.id = name_id;
SELECT 'nothing is called in itself', count(*) = 0 FROM module_work WHERE is_repeated;
SELECT 'a trace without frames has no modules', count(*) = 0 FROM module_work WHERE trace_id = 3;
SELECT 'one run', count(*) = 15 AND min(trace_id) = 2 FROM module_work WHERE run = 'rank1';
SELECT 'one trace', count(*) = 19 AND min(run) = 'rank0' FROM module_work WHERE trace_id = 1;
SELECT 'one trace of another run', count(*) = 0 FROM module_work WHERE trace_id = 1 AND run = 'rank1';

SELECT 'nn_module_time: as many rows as names', count(*) = 6 + 1 FROM nn_module_time WHERE run = 'rank0';
SELECT 'nn_module_time: a layer', calls = 2 AND class = 'Linear' AND parent_module = 'Model_0'
  AND inner_time_ms = 0 AND gpu_time_ms = own_time_ms
FROM nn_module_time WHERE run = 'rank0' AND module = 'Linear_3';
SELECT 'nn_module_time: calls of one module are summed up', calls = 8
  AND abs(own_time_ms * 1e6 - (SELECT sum(below.dur_ns) FROM below JOIN module ON module.id = module_id
    WHERE name = 'nn.Module: ReLU_0' AND module.trace_id = 1)) < 0.1
  AND abs(host_time_ms * 1e6 - (SELECT sum(dur_ns) FROM module WHERE name = 'nn.Module: ReLU_0' AND trace_id = 1)) < 0.1
FROM nn_module_time WHERE run = 'rank0' AND module = 'ReLU_0';
SELECT 'nn_module_time: the model does nothing itself', own_time_ms = 0 AND abs(inner_time_ms - gpu_time_ms) < 1e-9
  AND gpu_time_ms > 0 FROM nn_module_time WHERE module = 'Model_0';
SELECT 'nn_module_time: own times make up the whole', abs(sum(own_percent) - 100) < 1e-6
FROM nn_module_time GROUP BY run;
SELECT 'nn_module_time: the same for a run alone', count(*) = (SELECT count(*) FROM nn_module_time WHERE run = 'rank1')
FROM (SELECT * FROM nn_module_time WHERE run = 'rank1' INTERSECT SELECT * FROM nn_module_time);
SELECT 'nn_module_class_time: own times make up the whole', abs(sum(own_percent) - 100) < 1e-6 AND sum(modules) = (SELECT count(*) FROM nn_module_time WHERE run = 'rank0')
FROM nn_module_class_time WHERE run = 'rank0';
SELECT 'nn_module_class_time: a class has its modules, and the slowest of them', modules = (SELECT count(*) FROM nn_module_time WHERE run = 'rank0' AND class = 'Linear')
  AND max_gpu_time_ms = (SELECT max(gpu_time_ms) FROM nn_module_time WHERE run = 'rank0' AND class = 'Linear') AND parent_class = 'Model'
  AND slowest_module IN (SELECT module FROM nn_module_time WHERE run = 'rank0' AND class = 'Linear')
FROM nn_module_class_time WHERE run = 'rank0' AND class = 'Linear';
