"""Profiles of XLA (*.xplane.pb): what becomes of them in the warehouse, and their reports. The profiles
are made by tests/tools/xplane.py; figures are those of worked examples."""
import csv
import gzip
import io
import json
import os
import shutil
import subprocess

from support import TPQ, Case, made_trace, sheets_in, main
from xplane import (Profile, Ref, computation, data, instruction, number, program)

US = 1_000_000  # picoseconds
CONVOLUTION = {3: 1, 4: 0, 6: [2, 3, 4], 7: 0, 8: 1, 11: [2, 3, 4], 9: 0, 10: 1, 12: [2, 3, 4]}
X, F, Y = "bf16[1,16,32,60,104]{4,3,2,1,0}", "bf16[5120,16,1,2,2]{4,3,2,1,0}", "bf16[1,5120,34,31,53]{4,3,2,1,0}"
GEMM = json.dumps({"gemm_backend_config": {
    "beta": 0, "epilogue": "DEFAULT", "alpha_real": 1, "dot_dimension_numbers": {
        "lhs_contracting_dimensions": ["1"], "rhs_contracting_dimensions": ["1"],
        "lhs_batch_dimensions": [], "rhs_batch_dimensions": []}}})
ATTENTION = ("{attn_heads = 16 : i64, num_gqa_groups = 16 : i64, input_batch = 2 : i64, q_max_seqlen = 2048 : i64, "
             "kv_max_seqlen = 2048 : i64, qk_head_dim = 128 : i64, v_head_dim = 128 : i64, mask_type = %d : i64, "
             "dropout_probability = 1.000000e-01 : f32, is_training = true, name = \"a, b\"}")


class Maker:
    """A profile with a GPU: work(name, ...) adds a kernel and its launch."""

    def __init__(self, programs=(), host="host0", gpus=1):
        self.profile = Profile(host)
        if programs:
            self.profile.programs({item[1]: (item[0], program(*item)) for item in programs})
        self.gpus = [self.profile.plane("/device:GPU:%d" % i, i) for i in range(gpus)]
        for plane in self.gpus:
            plane.own = [("device_vendor", Ref("AMD")), ("core_count", 304), ("memory_size", 206141652992),
                         ("compute_cap_major", 9), ("compute_cap_minor", 4)]
        self.streams = [plane.line("Stream #%d(Kernel)" % (i + 1), i + 1, 1000) for i, plane in enumerate(self.gpus)]
        self.host = self.profile.plane("/host:CPU")
        self.calls = self.host.line("py_xla_execute/7", 7, 1000)
        self.at, self.correlation = 0, 0

    def work(self, name, us=10.0, op=None, module=None, program_id=None, gpu=0, launched=True, **stats):
        if op:
            stats["hlo_op"] = Ref(op)
        if module:
            stats["hlo_module"] = Ref(module)
        if program_id is not None:
            stats["program_id"] = program_id
        self.correlation += 1
        self.streams[gpu].event(name, self.at + 5 * US, int(us * US), dict(stats, correlation_id=self.correlation))
        if launched:
            self.calls.event("hipModuleLaunchKernel", self.at, 2 * US,
                             {"correlation_id": self.correlation, "device_id": 3})
        self.at += int(us * US) + 20 * US
        return self

    def bytes(self):
        return self.profile.bytes()


def convolution(feature_groups=None, shape=(X, F, Y)):
    x, f, y = shape
    more = {"feature_groups": feature_groups} if feature_groups else {}
    return [computation(8, "main", [
        instruction(6, "param.2", "parameter", x, op_name="x"),
        instruction(7, "param.1", "parameter", f),
        instruction(84, "cudnn-conv.1", "custom-call", [y, "u8[7150336]{0}"], [6, 7], target="__cudnn$convForward",
                    window=[(1, 1), (2, 2), (2, 2)], convolution=CONVOLUTION,
                    op_name="jit(f)/conv<x>", source=("/a/b.py", 77), **more),
        instruction(85, "fusion.1", "fusion", y, [84], fusion="kLoop"),
    ], root=85)]


def gemm(a, b, c, config=GEMM, target="__cublas$lt$matmul"):
    return [computation(1, "main", [
        instruction(12884901893, "a", "parameter", a), instruction(12884901894, "b", "parameter", b),
        instruction(12884901895, "custom-call.1", "custom-call", c, [12884901893, 12884901894], target=target,
                    config=config)])]


class Jax(Case):
    def profile(self, maker, name="host0.xplane.pb"):
        return self.write(name, maker if isinstance(maker, bytes) else maker.bytes())

    def sheet(self, maker, name, *options, status=0):
        path = maker if isinstance(maker, str) else self.profile(maker)
        result = self.tpq("report", path, name, "--csv", "-", *options, status=status)
        return list(csv.DictReader(io.StringIO(result.out)))

    def folder_of(self, maker, *options):
        out = self.path("out")
        shutil.rmtree(out, ignore_errors=True)
        self.tpq("report", maker if isinstance(maker, str) else self.profile(maker), "--csv", out, *options)
        return {name[:-4]: self.read(os.path.join(out, name)) for name in os.listdir(out)}

    def read(self, path):
        with open(path, encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def ingest(self, maker, *options, status=0):
        return self.tpq("ingest", self.profile(maker), "--run", "r", *options, status=status)


class Events(Jax):
    def test_planes_lines_and_launches(self):
        maker = Maker([("jit_f", 15, convolution())])
        maker.work("Im3d2Col", 16, "cudnn-conv.1", "jit_f", 15).work("__amd_rocclr_copyBuffer", 3, launched=False)
        maker.streams[0].event("CopyDeviceToDevice", 9, 1000, {"memcpy_details": Ref("kind:Unknown size:655360 dest:2")})
        self.ingest(maker)
        self.check()
        self.assertEqual(self.rows(
            "SELECT string.text, category.name, process, thread, process_name, thread_name, ts_ns, dur_ns FROM event "
            "JOIN string ON string.id = name_id JOIN category ON category.id = category_id JOIN track ON track.id = "
            "track_id ORDER BY uid"), [
                ("CopyDeviceToDevice", "gpu_memcpy", "1", "1", "host0 /device:GPU:0", "Stream #1(Kernel)", 0, 1),
                ("Im3d2Col", "kernel", "1", "1", "host0 /device:GPU:0", "Stream #1(Kernel)", 5000, 16000),
                ("__amd_rocclr_copyBuffer", "kernel", "1", "1", "host0 /device:GPU:0", "Stream #1(Kernel)", 41000, 3000),
                ("hipModuleLaunchKernel", "cuda_runtime", "701", "7", "host0 /host:CPU", "py_xla_execute/7", 0, 2000)])
        self.assertEqual(self.rows("SELECT device, stream, bytes, call_id IS NULL FROM gpu_event ORDER BY uid"),
                         [(0, 1, 655360, 1), (0, 1, None, 0), (0, 1, None, 1)])
        self.assertEqual(self.notes(), {"gpu_without_launch": 2})
        self.assertEqual(self.rows("SELECT name, architecture, memory_bytes, cores FROM device"),
                         [("AMD", "9.4", 206141652992, 304)])
        self.assertEqual(self.value("SELECT arg FROM (SELECT json_extract(json, '$.hlo_op') AS arg FROM args "
                                    "JOIN gpu_event ON args_id = args.id WHERE uid = 1)"), "cudnn-conv.1")

    def test_picoseconds_are_kept(self):
        maker = Maker()
        maker.streams[0].event("a", 1_999_700, 1_001).event("b", 5_000_000, 2_000).event("instant", 9_000_000, 0)
        self.ingest(maker)
        self.assertEqual(self.rows("SELECT ts_ns, dur_ns, start_ps, duration_ps FROM event LEFT JOIN xla_event "
                                   "USING (id) ORDER BY uid"),
                         [(0, 1, 700, 1), (3001, 2, None, None), (7001, 0, None, None)])
        times = [row["total_direct_kernel_time"] for row in self.sheet(maker, "kernel_launchers")]
        self.assertEqual(times, ["0.001001", "0.002", "0.0"])
        times = [row["total_direct_kernel_time"] for row in self.sheet(maker, "kernel_launchers", "--compat")]
        self.assertEqual(times, ["0.001001", "0.002", "1e-06"])

    def test_what_lies_within_another_event_stays_there(self):
        maker = Maker()
        maker.host.line("w", 3).event("outer", 900, 1_900).event("inner", 1_000, 1_800)
        self.ingest(maker)
        self.assertEqual(self.value("SELECT count(*) FROM event WHERE up IS NOT NULL"), 1)

    def test_order_is_that_of_the_viewer(self):
        profile = Profile()
        host = profile.plane("/host:CPU")
        host.line("late", 9).event("e", 5, 1).event("c", 1, 1).event("d", 1, 9)
        host.line("neg", -1).event("z", 0, 1)           # 4294967295, unsigned
        host.line("early", 2 ** 40 + 3).event("a", 7, 1)  # 3
        gpu = profile.plane("/device:GPU:4", 4)
        gpu.line("Stream #2", 2).event("k", 0, 1)
        gpu.line("_counters_", 5).event("counter", 0, 1).event("counter", 1, 1)
        gpu.line("Async XLA Ops", 6).event("again", 0, 1)
        self.ingest(profile)
        self.assertEqual(self.rows("SELECT string.text, uid, process, thread FROM event JOIN string ON string.id = "
                                   "name_id JOIN track ON track.id = track_id ORDER BY uid"),
                         [("k", 2, "5", "2"), ("a", 3, "701", "3"), ("d", 4, "701", "9"), ("c", 5, "701", "9"),
                          ("e", 6, "701", "9"), ("z", 7, "701", "4294967295")])
        self.assertEqual(self.notes(), {"phase_unused": 2, "line_left_out": 1, "gpu_without_launch": 1})

    def test_maps_before_and_behind_the_lines(self):
        for first in False, True:
            maker = Maker().work("k", op="x")
            for plane in maker.profile.planes:
                plane.maps_first = first
            self.assertEqual([row["name"] for row in self.sheet(maker, "kernel_launchers")], ["k"])

    def test_names_that_are_missing_are_empty(self):
        maker = Maker()
        plane = maker.gpus[0]
        maker.streams[0].events.append(number(1, 77) + number(2, 0) + number(3, 5) +
                                       data(4, number(1, plane.stat_name("hlo_op")) + number(7, 999)))
        maker.profile.plane("/device:GPU:9")
        maker.profile.plane("").line("", 0)
        self.ingest(maker)
        self.assertEqual(self.value("SELECT json FROM args"), '{"hlo_op":""}')
        self.assertEqual(self.notes()["metadata_missing"], 1)

    def test_display_names_and_step_names(self):
        maker = Maker()
        maker.host.display["raw"] = "shown"
        maker.host.type_stats["raw"] = {"flops": 7, "both": "type"}
        line = maker.host.line("w", 3, display="Shown", display_id=44)
        line.event("raw", 0, 5, {"both": "event"}).event("other", 9, 5, {"step_name": Ref("step 5")})
        self.ingest(maker)
        self.assertEqual(self.rows("SELECT string.text, thread, thread_name, json FROM event JOIN string ON string.id "
                                   "= name_id JOIN track ON track.id = track_id LEFT JOIN args ON args.id = args_id "
                                   "ORDER BY uid"),
                         [("shown", "44", "Shown", '{"both":"event","flops":7}'),
                          ("step 5", "44", "Shown", '{"step_name":"step 5"}')])

    def test_steps_frames_memory_and_links_between_threads(self):
        maker = Maker()
        python = maker.host.line("python", 3)
        python.event("$a.py:1 f", 0, 9 * US).event("train", 1 * US, 5 * US, {"step_num": 12})
        python.event("make", 2 * US, 1 * US, {"_pt": 2, "_p": 99})
        worker = maker.host.line("tf_pjrt_thread_pool/1", 4)
        worker.event("use", 3 * US, 1 * US, {"_ct": 2, "_c": 99}).event("PrefetchProduce", 4 * US, 1)
        worker.event("MemoryAllocation", 5 * US, 0, {"address": 64, "allocation_bytes": 512, "bytes_allocated": 1024})
        worker.event("MemoryDeallocation", 6 * US, 0, {"address": 64, "allocation_bytes": 512})
        self.ingest(maker)
        self.check()
        self.assertEqual(self.rows("SELECT kind, name, step FROM signpost"), [("step", "train", 12)])
        self.assertEqual(self.rows("SELECT kind, from_id < to_id FROM edge"), [("flow", 1)])
        self.assertEqual(self.rows("SELECT bytes, address, total_allocated FROM memory_event"),
                         [(512, 64, 1024), (-512, 64, None)])
        self.assertEqual(self.notes(), {"internal_event": 1})
        self.assertEqual(self.value("SELECT category.name FROM event JOIN category ON category.id = category_id "
                                    "WHERE uid = 0"), "python_function")
        self.tpq("ingest", self.path("host0.xplane.pb"), "--run", "without", "--no-python")
        self.assertEqual(self.notes()["frame_left_out"], 1)
        self.assertEqual(self.value("SELECT min(uid) FROM event WHERE trace_id = 2"), 1)

    def test_tpu_planes(self):
        profile = Profile()
        profile.programs({3: ("jit_g", program("jit_g", 3, convolution()))})
        tpu = profile.plane("/device:TPU:0", 2)
        tpu.type_stats["%fusion.1"] = {"hlo_op": Ref("fusion.1"), "program_id": 3}
        tpu.line("XLA Ops", 1).event("%fusion.1", 0, 9 * US)
        tpu.line("Steps", 2).event("1", 0, 20 * US)
        profile.plane("/device:CUSTOM:Megascale Trace", 1).line("x", 1).event("y", 0, 1000)
        row, = self.sheet(profile, "kernel_launchers")
        self.assertEqual((row["name"], row["pid"], row["Input Dims"]), ("%fusion.1", "3", "[[1,5120,34,31,53]]"))
        self.assertEqual(self.sheet(profile, "kernel_launchers", "--compat"), [])
        self.ingest(profile)
        self.assertEqual(self.rows("SELECT process FROM track ORDER BY 1"), [("3",), ("3",), ("502",)])
        self.assertEqual(self.rows("SELECT instruction_id IS NOT NULL, execution FROM xla_event"), [(1, 1)])

    def test_loops_of_a_tpu_are_around_work(self):
        """They stand in the line of what they run, which would count twice; what only follows is no part."""
        profile = Profile()
        line = profile.plane("/device:TPU:0", 2).line("XLA Ops", 1)
        for name, start, length in (("%while.1", 0, 40), ("%tuple", 0, 0), ("%while.2", 0, 20), ("%fusion.1", 2, 9),
                                    ("%fusion.2", 11, 9), ("%conditional", 25, 10), ("%fusion.3", 25, 10),
                                    ("%fusion.4", 40, 5), ("%fusion.5", 45, 5), ("%late", 49, 5)):
            line.event(name, start * US, length * US)
        rows = {row["name"]: float(row["total_direct_kernel_time"]) for row in self.sheet(profile, "kernel_launchers")}
        self.assertEqual(rows, {"%tuple": 0, "%fusion.1": 9, "%fusion.2": 9, "%fusion.3": 10, "%fusion.4": 5,
                                "%fusion.5": 5, "%late": 5})
        self.ingest(profile)
        self.assertEqual(self.rows("SELECT text, dur_ns / 1000 FROM event JOIN string ON string.id = name_id "
                                   "WHERE category_id = (SELECT id FROM category WHERE name = 'gpu_user_annotation') "
                                   "ORDER BY event.id"), [("%while.1", 40), ("%while.2", 20), ("%conditional", 10)])

    def test_copies_of_a_tpu(self):
        """A plain copy is computed, as profiles in JSON say it, too."""
        profile = Profile()
        line = profile.plane("/device:TPU:0", 2).line("XLA Ops", 1)
        for i, name in enumerate(("copy.1", "copy-start.2", "%copy-done.2", "copy_fusion", "memcpy", "%copy.7")):
            line.event(name, 10 * i * US, 2 * US)
        times = {row["type"]: float(row["time ms"]) for row in self.sheet(profile, "gpu_timeline")}
        self.assertEqual((times["computation_time"], times["total_memcpy_time"]), (0.006, 0.006))

    def test_collectives_of_a_tpu(self):
        profile = Profile()
        work = profile.plane("/device:TPU:0", 2).line("XLA Ops", 1)
        names = ["%fusion.1", "%all-reduce.7", "%all-gather-start.2", "%all-gather-done.2", "%all-to-all = f32[2]{0} all-to-all(f32[2]{0} %x)",
                 "%async-collective-fusion.3", "%reduce.1", "%collective-permute-done"]
        for i, name in enumerate(names):
            work.event(name, i * 10 * US, 8 * US)
        rows = self.sheet(profile, "gpu_timeline")
        times = {row["type"]: float(row["time ms"]) for row in rows}
        self.assertAlmostEqual(times["computation_time"], 3 * 0.008)
        self.assertAlmostEqual(times["total_comm_time"], 5 * 0.008)
        rows = self.sheet(profile, "kernel_launchers")
        self.assertEqual([row["name"] for row in rows if row["op category"] == "Communication"],
                         [name for name in names if "fusion" not in name and name != "%reduce.1"])

    def test_times_since_1970_and_clocks(self):
        profile = Profile()
        profile.plane("/host:CPU").line("w", 1, 1_700_000_000_000_000_000).event("e", 5, 7)
        environment = profile.plane("Task Environment")
        environment.own = [("profile_start_time", 1_700_000_000_000_000_000), ("profile_stop_time", 5)]
        self.ingest(profile)
        metadata = json.loads(self.value("SELECT metadata FROM trace"))
        self.assertEqual(metadata["hostname"], "host0")
        self.assertEqual(metadata["profile_stop_time"], 5)
        self.assertEqual(metadata["planes"], ["/host:CPU", "Task Environment"])
        self.assertEqual(self.value("SELECT clock_start_ns FROM trace"), 1_700_000_000_000_000_000)

    def test_times_beyond_64_bits_are_left_out(self):
        profile = Profile()
        line = profile.plane("/host:CPU").line("w", 1, 2 ** 63 - 5)
        line.event("e", 2 ** 62, 7).event("f", 1, 2 ** 63 - 1)
        result = self.ingest(profile, status=3)
        self.assertIn("nothing in it can be used; 2 of its 2 events: event more than 146 years", result.err)
        line.event("g", 0, 7)
        line = profile.plane("/host:CPU").line("x", 2, 5).event("h", 1, 7)
        self.ingest(profile)
        self.assertEqual(self.value("SELECT count(*) FROM event"), 1)
        self.assertEqual(self.notes()["time_out_of_range"], 3)


class Inputs(Jax):
    def test_plain_gzip_and_pipes_are_the_same(self):
        content = Maker([("jit_f", 15, convolution())]).work("k", op="fusion.1", program_id=15).bytes()
        self.tpq("ingest", "--run", "plain", self.write("host0.xplane.pb", content))
        self.tpq("ingest", "--run", "gzip", self.write("host0.xplane.pb.gz", gzip.compress(content)))
        self.tpq("ingest", "--run", "pipe", "-", stdin=content)
        self.tpq("ingest", "--run", "both", "-", stdin=gzip.compress(content))
        self.assertEqual(self.value("SELECT count(DISTINCT content_hash) FROM trace"), 1)
        self.assertEqual(self.value("SELECT count(DISTINCT metadata) FROM trace"), 1)
        self.assertEqual(self.value("SELECT count(*) FROM xla_event WHERE instruction_id IS NOT NULL"), 4)
        self.assertEqual(self.rows("SELECT DISTINCT format, content_bytes FROM trace"), [("xplane", len(content))])

    def test_a_profile_directory_is_a_run_of_hosts(self):
        for name in "b", "a":
            self.write("p/plugins/profile/2025/%s.xplane.pb" % name, Maker(host=name).work(name).bytes())
        self.write("p/plugins/profile/2025/a.trace.json.gz", gzip.compress(b'{"traceEvents":[]}'))
        self.write("p/plugins/profile/2025/c.trace.json", '{"traceEvents":[{"ph":"X","ts":1,"dur":1}]}')
        self.tpq("ingest", self.path("p"))
        self.assertEqual(self.rows("SELECT run.name, rank, format, substr(path, -11) FROM trace JOIN run ON run.id = "
                                   "run_id ORDER BY path"),
                         [("p", 0, "xplane", "a.xplane.pb"),
                          ("p", 1, "xplane", "b.xplane.pb"), ("p", None, "kineto", ".trace.json")])

    def test_every_truncation_is_refused(self):
        content = Maker([("jit_f", 15, convolution())]).work("k", op="fusion.1", program_id=15).bytes()
        self.ingest(Maker())
        before = self.dump()
        whole = len(content) - len(data(4, "host0"))  # a plane ends there
        lengths = [length for length in [*range(2, 60), *range(60, len(content), 41)] if length not in (whole, len(content))]
        told = self.tpq("ingest", "--run", "cut", *(self.write(f"{length}.xplane.pb", content[:length]) for length in lengths), status=3)
        for length in lengths:
            self.assertRegex(told.err, rf"(?m)^tpq: .*\b{length}\.xplane\.pb: .*byte [0-9]+")
        self.assertEqual(self.dump(), before)

    def test_salvage_keeps_what_came_before(self):
        maker = Maker()
        for i in range(50):
            maker.work("k%d" % i)
        for plane in maker.profile.planes:
            plane.maps_first = True
        content = maker.bytes()
        path = self.write("cut.xplane.pb", content[:len(content) - 300])
        self.tpq("ingest", path, "--run", "x", status=3)
        self.tpq("ingest", path, "--run", "x", "--salvage")
        self.assertEqual(self.value("SELECT count(*) FROM gpu_event"), 50)
        self.assertEqual(self.notes()["salvaged"], 1)

    def test_corrupt_messages_are_refused(self):
        good = Maker().bytes()
        for name, content in {
                "a group": data(1, number(1, 0) + b"\x1b" + b"\x00" * 40),
                "a length beyond the parent": data(1, data(2, "/host:CPU") + b"\x1a\xff\x01" + b"\x00" * 9),
                "an endless number": data(1, data(2, "/host:CPU") + b"\x08" + b"\xff" * 11),
                "a field 0": data(1, data(2, "/host:CPU")) + b"\x02\x00" + good,
        }.items():
            with self.subTest(name):
                result = self.tpq("ingest", self.write("bad.xplane.pb", content), status=3)
                self.one_line_at_least(result)

    def one_line_at_least(self, result):
        self.assertRegex(result.err.splitlines()[0], "byte [0-9]+|not a trace")

    def test_shapes_are_not_nested_without_end(self):
        shape = b""
        for _ in range(100):
            shape = number(2, 13) + data(4, shape)
        proto = data(1, data(1, "m") + data(3, data(1, "c") + data(2, data(1, "i") + data(3, shape))))
        profile = Profile()
        profile.programs({1: ("m", proto)})
        result = self.tpq("ingest", self.profile(profile), status=3)
        self.one_line(result, "nested too deeply at byte [0-9]+")

    def test_text_that_looks_like_a_profile_is_none(self):
        for text in ['\n[{"ph":"X","ts":1,"dur":1}]'] + [start + '{"traceEvents":[{"ph":"X","ts":1,"dur":1}]}' for start in ("\n", "\n  ")]:
            self.tpq("ingest", self.write("t.json", text), "--run", "x", "--replace")
            self.assertEqual(self.value("SELECT format FROM trace"), "kineto")


class Programs(Jax):
    def test_instructions_are_kept(self):
        maker = Maker([("jit_f", 15, convolution())]).work("k", op="cudnn-conv.1", program_id=15)
        self.ingest(maker)
        self.assertEqual(self.rows("SELECT program_id, name, entry FROM hlo_module"), [(15, "jit_f", "main")])
        row = self.rows("SELECT number, name, opcode, computation, is_root, shape, operands, custom_call_target, op_name, "
                        "source_file, source_line FROM hlo_instruction WHERE opcode = 'custom-call'")[0]
        self.assertEqual(row, (84, "cudnn-conv.1", "custom-call", "main", 0, "(%s,u8[7150336]{0})" % Y,
                               '["%s","%s"]' % (X, F), "__cudnn$convForward", "jit(f)/conv<x>", "/a/b.py", 77))
        self.assertEqual(self.value("SELECT is_root FROM hlo_instruction WHERE number = 85"), 1)
        self.assertEqual(self.value("SELECT value FROM op_attr WHERE name = 'window_stride'"), "[1,2,2]")
        self.check()
        self.tpq("rm", "r", "--shrink")
        for table in "hlo_module", "hlo_instruction", "xla_event", "op", "op_attr":
            self.assertEqual(self.value("SELECT count(*) FROM " + table), 0, table)

    def test_programs_of_one_name_are_told_apart(self):
        one = [computation(1, "main", [instruction(1, "add.1", "add", "f32[7]{0}")])]
        two = [computation(1, "main", [instruction(1, "add.1", "add", "f32[9]{0}")])]
        maker = Maker([("jit_f", 1, one), ("jit_f", 2, two)])
        maker.work("a", op="add.1", module="jit_f", program_id=2).work("b", op="add.1", module="jit_f")
        maker.work("c", op="scope::add.1", module="jit_f").work("d", op="add.9", module="jit_f")
        self.ingest(maker)
        self.assertEqual(self.rows("SELECT shape FROM gpu_event LEFT JOIN xla_event USING (id) LEFT JOIN "
                                   "hlo_instruction ON instruction_id = hlo_instruction.id ORDER BY gpu_event.uid"),
                         [("f32[9]{0}",), ("f32[7]{0}",), ("f32[7]{0}",), (None,)])
        self.assertEqual(self.notes()["instruction_missing"], 1)

    def test_collectives_that_are_called_otherwise(self):
        names = ["all-gather-start.%d" % i for i in (10, 2, 7)]
        code = [computation(1, "main", [instruction(i + 1, name, "all-gather-start", "f32[%d]{0}" % (i + 1))
                                        for i, name in enumerate(names)])]
        maker = Maker([("jit_f", 1, code)])
        for name in "all-gather.30", "all-gather.4", "all-gather.100", "all-gather.200", "all-gather", "all-reduce.1":
            maker.work("rccl", op=name, module="jit_f", program_id=1)
        self.ingest(maker)
        self.assertEqual(self.rows("SELECT hlo_instruction.name FROM gpu_event LEFT JOIN xla_event USING (id) LEFT JOIN "
                                   "hlo_instruction ON instruction_id = hlo_instruction.id ORDER BY gpu_event.uid"),
                         [("all-gather-start.2",), ("all-gather-start.10",), ("all-gather-start.7",),
                          ("all-gather-start.7",), ("all-gather-start.10",), (None,)])

    def test_groups_of_ranks(self):
        code = [computation(1, "main", [
            instruction(1, "a", "all-reduce", "f32[8]{0}", groups=[[0, 1], [2, 3]]),
            instruction(2, "b", "all-gather", "f32[8]{0}", iota=(4, 2, [2, 4], [1, 0])),
            instruction(3, "c", "all-gather", "f32[8]{0}", iota=(2, 4, [4, 2], [1, 0])),
            instruction(4, "d", "all-gather", "f32[8]{0}", iota=(2, 2, [4], None)),
            instruction(5, "e", "collective-permute", "f32[8]{0}", pairs=[(0, 1), (1, 0)])])]
        self.ingest(Maker([("jit_f", 1, code)]))
        self.assertEqual([json.loads(groups) for (groups,) in
                          self.rows("SELECT replica_groups FROM hlo_instruction ORDER BY number")],
                         [[[0, 1], [2, 3]], [[0, 4], [1, 5], [2, 6], [3, 7]], [[0, 2, 4, 6], [1, 3, 5, 7]],
                          [[0, 1], [2, 3]], [[0, 1], [1, 0]]])

    def test_without_programs_reports_still_work(self):
        sheets = self.folder_of(Maker().work("Cijk_x", op="cudnn-conv.1", module="jit_f", program_id=1))
        self.assertEqual(sheets["kernel_launchers"][0]["op category"], "Conv")
        self.assertIn('"operands":"NA"', sheets["kernel_launchers"][0]["kernel_details"])
        self.assertEqual(sheets["df_xla_perf"], [])
        self.assertEqual(sheets["xla_summary"], [])
        self.assertNotIn("op_conv", sheets)


class Models(Jax):
    def convolve(self, maker, *options, sheet="jax_op"):
        return self.sheet(maker, sheet, *options)

    def usual(self):
        maker = Maker([("jit_f", 15, convolution())])
        for _ in range(2):
            maker.work("Im3d2Col", 16, "cudnn-conv.1", "jit_f", 15).work("Cijk_x", 291, "cudnn-conv.1", "jit_f", 15)
            maker.work("loop", 5, "fusion.1", "jit_f", 15)
        return maker

    def test_a_convolution_is_one_call_with_all_its_channels(self):
        row, = self.convolve(self.usual())
        self.assertEqual((row["name"], row["name_count"], row["UID_first"]), ("Cijk_x", "2", "0"))
        self.assertAlmostEqual(float(row["GFLOPS_first"]), 36.60972032)
        self.assertAlmostEqual(float(row["Kernel Time (µs)_mean"]), 307)
        self.assertEqual(row["process_name_first"], "host0 /device:GPU:0")

    def test_compat_charges_each_kernel_with_the_last_extents(self):
        rows = self.convolve(self.usual(), "--compat")
        self.assertEqual([(row["name"], row["name_count"]) for row in rows], [("Cijk_x", "2"), ("Im3d2Col", "2")])
        for row in rows:
            self.assertAlmostEqual(float(row["GFLOPS_first"]), 2.28810752)
            self.assertAlmostEqual(float(row["Data Moved (MB)_first"]), 551.6211013793945)
            self.assertEqual(row["process_name_first"], "Unknown")
            self.assertEqual(row["param: filter_shape"], "(1, 2, 2)")

    def test_kernels_that_follow_each_other(self):
        maker = Maker([("jit_f", 15, convolution())])
        for name in "fill", "fill", "Cijk_a", "Cijk_b":
            maker.work(name, 4, "cudnn-conv.1", "jit_f", 15)
        row, = self.convolve(maker)
        self.assertEqual((row["name_count"], row["Kernel Time (µs)_sum"]), ("1", "16.0"))
        maker.work("between", 1)
        for _ in range(3):
            maker.work("a", 2, "cudnn-conv.1", "jit_f", 15).work("Cijk_b", 4, "cudnn-conv.1", "jit_f", 15)
        self.assertEqual(sorted((row["name_count"], row["Kernel Time (µs)_sum"]) for row in self.convolve(maker)),
                         [("1", "16.0"), ("3", "18.0")])

    def test_groups_of_channels(self):
        shape = ("bf16[8,4,10]{2,1,0}", "bf16[6,2,3]{2,1,0}", "bf16[8,6,8]{2,1,0}")
        row, = self.convolve(Maker([("jit_f", 1, convolution(2, shape))]).work("c", 1, "cudnn-conv.1", "jit_f", 1))
        self.assertAlmostEqual(float(row["GFLOPS_first"]) * 1e9, 2 * 2 * 3 * 8 * 6 * 8)

    def test_gradients_of_convolutions(self):
        def maker(target, x, f, y):
            code = [computation(8, "main", [
                instruction(1, "a", "parameter", x), instruction(2, "b", "parameter", f),
                instruction(3, "cudnn-conv.2", "custom-call", [y, "u8[0]{0}"], [1, 2], target=target,
                            convolution={3: 1, 4: 0, 6: [2, 3], 8: 1, 10: 1, 9: 0, 7: 0, 11: [2, 3], 12: [2, 3]})])]
            return Maker([("jit_f", 1, code)]).work("c", 1, "cudnn-conv.2", "jit_f", 1)

        x, f, y = "f32[8,3,224,224]{3,2,1,0}", "f32[64,3,7,7]{3,2,1,0}", "f32[8,64,112,112]{3,2,1,0}"
        right = 2 * 3 * 49 * 8 * 64 * 112 * 112
        row, = self.convolve(maker("__cudnn$convBackwardInput", y, f, x))
        self.assertAlmostEqual(float(row["GFLOPS_first"]) * 1e9, right, delta=1)
        row, = self.convolve(maker("__cudnn$convBackwardFilter", x, y, f))
        self.assertAlmostEqual(float(row["GFLOPS_first"]) * 1e9, right, delta=1)
        row, = self.convolve(maker("__cudnn$convBackwardFilter", x.replace("f32", "bf16"), y, f), "--compat")
        self.assertAlmostEqual(float(row["GFLOPS_first"]) * 1e9, 439040, delta=1)
        self.assertAlmostEqual(float(row["Data Moved (MB)_first"]) * 1048576, 4854724, delta=1)

    def products(self, a, b, c, kernel="Cijk_Alik_Bljk_x", config=GEMM, us=116.921, options=(), **more):
        maker = Maker([("jit_f", 1, gemm(a, b, c, config, **more))]).work(kernel, us, "custom-call.1", "jit_f", 1)
        row, = self.sheet(maker, "jax_op", *options)
        return row

    def test_matrix_products(self):
        for options in (), ("--compat",):
            row = self.products("bf16[4096,6144]{1,0}", "bf16[2048,6144]{1,0}",
                                ["bf16[4096,2048]{1,0}", "s8[67108864]{0}"], "Cijk_abc_Aabc_Babc_Alik_", options=options)
            self.assertEqual([row["param: " + name] for name in ("B", "M", "N", "K", "bias", "simulation_dtype")],
                             ["1", "2048", "4096", "6144", "False", "bf16"])
            self.assertAlmostEqual(float(row["GFLOPS_first"]), 103.079215104)
            self.assertAlmostEqual(float(row["Data Moved (MB)_first"]), 88)
            self.assertAlmostEqual(float(row["FLOPS/Byte_first"]), 1117.090909090909)
            self.assertAlmostEqual(float(row["TFLOPS/s_mean"]), 103.079215104e9 / 116.921e-6 / 1e12)

    def test_orders_and_batches_of_products(self):
        config = GEMM.replace('"rhs_contracting_dimensions": ["1"]', '"rhs_contracting_dimensions": ["0"]')
        row = self.products("bf16[67320,12288]{1,0}", "bf16[12288,3072]{1,0}", "bf16[67320,3072]{1,0}", config=config)
        self.assertEqual((row["param: M"], row["param: N"], row["param: K"]), ("3072", "67320", "12288"))
        self.assertAlmostEqual(float(row["GFLOPS_first"]) * 1e9, 5082489815040)
        self.assertAlmostEqual(float(row["Data Moved (MB)_first"]) * 1048576, 2143567872)
        row = self.products("bf16[67320,12288]{1,0}", "bf16[12288,3072]{1,0}", "bf16[67320,3072]{0,1}", config=config)
        self.assertEqual((row["param: M"], row["param: N"]), ("67320", "3072"))
        config = GEMM.replace('"lhs_contracting_dimensions": ["1"]', '"lhs_contracting_dimensions": ["2"]')
        row = self.products("bf16[8,128,64]{2,1,0}", "bf16[8,64,256]{2,1,0}", "bf16[8,128,256]{2,1,0}", config=config)
        self.assertEqual([row["param: " + name] for name in "BMNK"], ["8", "256", "128", "64"])
        self.assertAlmostEqual(float(row["GFLOPS_first"]) * 1e9, 33554432)
        self.assertAlmostEqual(float(row["Data Moved (MB)_first"]) * 1048576, 917504)

    def test_products_that_make_no_sense_have_no_figures(self):
        for config in "", "no JSON", GEMM.replace('["1"]', '["7"]'), GEMM.replace('["1"]', '"x"'), "{a=b":
            maker = Maker([("jit_f", 1, gemm("bf16[2,3]{1,0}", "bf16[4,3]{1,0}", "bf16[2,4]{1,0}", config))])
            maker.work("Cijk_x", 1, "custom-call.1", "jit_f", 1)
            sheets = self.folder_of(maker)
            self.assertNotIn("op_gemm", sheets, config)
            self.assertEqual(len(sheets["kernel_launchers"]), 1)

    def test_transposes_by_the_name_of_the_kernel(self):
        for name, expected in {"Cabc_Axyz_Bxyz_Alik_Bjlk_": "[true,true]", "Cijk_Ailk_Bljk_x": "[false,false]",
                               "nvjet_hsh_128x_NTx": "[false,true]", "other": None}.items():
            answer = self.tpq("sql", "--db", self.db, "--mode", "json", "SELECT gemm_transposes('%s') AS t" % name) \
                if os.path.exists(self.db) else None
            if answer is None:
                self.ingest(Maker())
                answer = self.tpq("sql", "--mode", "json", "SELECT gemm_transposes('%s') AS t" % name)
            self.assertEqual(json.loads(answer.out)[0]["t"], expected, name)

    def attention(self, mask=2, direction="forward", shapes=None, config=ATTENTION):
        shapes = shapes or ["bf16[2,2048,3,16,128]{4,3,2,1,0}", "bf16[0]{0}", "bf16[0]{0}", "bf16[1]{0}"]
        code = [instruction(i + 1, "p%d" % i, "parameter", shape) for i, shape in enumerate(shapes)]
        code.append(instruction(9, "te_fused_attn_%s_ffi.10" % direction, "custom-call", "bf16[2,2048,16,128]{3,2,1,0}",
                                range(1, len(shapes) + 1), target="te_fused_attn_%s_ffi" % direction,
                                config=config % mask if config else ""))
        maker = Maker([("jit_f", 1, [computation(1, "main", code)])])
        maker.work("__amd_rocclr_fillBufferAligned.kd", 1, "te_fused_attn_%s_ffi.10" % direction, "jit_f", 1)
        kernel = "ck::FmhaFwdKernel" if direction == "forward" else "ck::FmhaBwdKernel"
        return maker.work(kernel, 287.043, "te_fused_attn_%s_ffi.10" % direction, "jit_f", 1)

    def test_packed_attention(self):
        for mask, flops in (2, 34359738368), (0, 68719476736):
            sheets = self.folder_of(self.attention(mask))
            row, = sheets["op_fa_fwd"]
            self.assertEqual((row["name"], row["Kernel Time (µs)_sum"]), ("ck::FmhaFwdKernel", "288.043"))
            self.assertAlmostEqual(float(row["GFLOPS_first"]) * 1e9, flops)
            self.assertEqual(row["param: causal"], "True" if mask else "False")
            self.assertNotIn("op_te", sheets)
        self.assertAlmostEqual(float(row["TFLOPS/s_mean"]), 238.57, 2)

    def test_the_bias_of_attention(self):
        row = self.sheet(self.attention(), "kernel_launchers")[0]
        self.assertEqual((row["Concrete Inputs"], row["Input Dims"]), ("[]", "[[2,2048,3,16,128],[0],[0],[1]]"))
        row = self.sheet(self.attention(), "kernel_launchers", "--compat")[0]
        self.assertEqual((row["Concrete Inputs"], row["Input Dims"]), ("((1,),)", "((2, 2048, 3, 16, 128), (0,), (0,))"))

    def test_attention_by_its_operands(self):
        shapes = ["bf16[2,2048,16,128]{3,2,1,0}", "bf16[2,2048,4,128]{3,2,1,0}", "bf16[2,2048,4,128]{3,2,1,0}"]
        for direction, flops, moved in ("forward", 68719476736, 41943040), ("backward", 171801837568, 67108864):
            sheets = self.folder_of(self.attention(0, direction, shapes, None), "--compat")
            row, = sheets["op_fa_fwd" if direction == "forward" else "op_fa_bwd"]
            self.assertAlmostEqual(float(row["GFLOPS_first"]) * 1e9, flops)
            self.assertAlmostEqual(float(row["Data Moved (MB)_first"]) * 1048576, moved)
            self.assertEqual(row["param: dtype_A_B"], "('c10::bfloat16', 'c10::bfloat16')")
            self.assertIn("op_te", sheets)  # the buffers are charged with all of it, too

    def test_fusions_around_a_product(self):
        inner = computation(2, "gemm_fusion_dot_computation", [
            instruction(1, "p0", "parameter", "f32[2,4096,1024]{2,1,0}"),
            instruction(2, "p1", "parameter", "f32[2,6144,1024]{2,1,0}"),
            instruction(3, "dot.16", "dot", "f32[2,4096,6144]{2,1,0}", [1, 2], dot=([2], [2], [0], [0]))])
        outer = computation(1, "main", [
            instruction(11, "a", "parameter", "f32[2,4096,1024]{2,1,0}"),
            instruction(12, "b", "parameter", "f32[2,6144,1024]{2,1,0}"),
            instruction(13, "gemm_fusion_dot", "fusion", "f32[2,4096,6144]{2,1,0}", [11, 12], calls=[2])])
        maker = Maker([("jit_f", 1, [inner, outer])]).work("gemm_fusion_dot.kd", 100, "gemm_fusion_dot", "jit_f", 1)
        row, = self.sheet(maker, "jax_op")
        self.assertAlmostEqual(float(row["GFLOPS_first"]) * 1e9, 103079215104)
        self.assertEqual(self.folder_of(maker, "--compat").get("op_gemm"), None)

    def test_small_types_may_give_larger_ones(self):
        """The older tool has one type for all three matrices."""
        for kind, out, target, ours, theirs, simulated in (
                ("f8e4m3fn", "bf16", "__cublas$lt$matmul$f8", 2560 + 2 * 1024, "fp8", "fp8"),
                ("f8e5m2fnuz", "f16", "__cublas$lt$matmul", 2560 + 2 * 1024, "f8", "fp8"),
                ("bf16", "f32", "__cublas$gemm", 2 * 2560 + 4 * 1024, "bf16", "bf16")):
            shapes = f"{kind}[64,32]{{1,0}}", f"{kind}[16,32]{{1,0}}", f"{out}[64,16]{{1,0}}"
            row = self.products(*shapes, target=target)
            self.assertEqual(float(row["Data Moved (MB)_first"]) * 2**20, ours)
            row = self.products(*shapes, target=target, options=("--compat",))
            self.assertEqual(float(row["Data Moved (MB)_first"]) * 2**20, 3584 * (2 if kind == "bf16" else 1))
            self.assertEqual(row["param: dtype_A_B"], f"('{theirs}', '{theirs}')")
            self.assertEqual(row["param: simulation_dtype"], simulated)

    def test_a_new_custom_call_gets_a_model_by_one_row(self):
        code = gemm("f32[5,7]{1,0}", "f32[7]{0}", "f32[5]{0}", "{scale = 3 : i64}", target="my_scaled_sum")
        self.ingest(Maker([("jit_f", 1, code)]).work("mine", 2, "custom-call.1", "jit_f", 1))
        self.assertEqual(self.tpq("report", "jax_op", "--csv", "-").out.count("\n"), 1)
        self.tpq("sql", "--write", "INSERT INTO perf_model (op, category, params, shown, flops, bytes) VALUES "
                 "('my_scaled_sum', 'Sums', '{\"n\": \"numel(0)\"}', '{\"n\": \"n\"}', 'n * arg(''scale'')', "
                 "'n * bpe(dtype(0))')")
        out = self.path("o")
        self.tpq("report", "--csv", out)
        with open(os.path.join(out, "op_sums.csv"), encoding="utf-8") as file:
            row, = csv.DictReader(file)
        self.assertEqual((row["param: n"], float(row["GFLOPS_first"])), ("35", 105e-9))

    def test_types_of_eight_bits(self):
        shapes = ["f8e4m3fn[16,32]{1,0}", "f8e5m2[8,32]{1,0}", "f32[]", "pred[4]{0}"]
        code = [instruction(i + 1, "p%d" % i, "parameter", shape) for i, shape in enumerate(shapes)]
        code.append(instruction(9, "fusion.9", "fusion", "f32[16,8]{1,0}", [1, 2, 3, 4]))
        maker = Maker([("jit_f", 1, [computation(1, "main", code)])]).work("loop", 1, "fusion.9", "jit_f", 1)
        row, = self.sheet(maker, "df_xla_perf")
        self.assertEqual((row["Input Dims"], row["Input type"]),
                         ("[[16,32],[8,32],[],[4]]", '["f8e4m3fn","f8e5m2","f32","pred"]'))
        self.assertEqual(row["total_input_bytes"], str(16 * 32 + 8 * 32 + 4 + 4))
        row, = self.sheet(maker, "df_xla_perf", "--compat")
        self.assertEqual((row["Input Dims"], row["Input type"]), ("((8, 32),)", "('m2',)"))
        self.assertEqual(row["total_input_bytes"], str(16 * 32 + 8 * 32 + 4))


class Reports(Jax):
    def usual(self):
        maker = Maker([("jit_f", 15, convolution())], gpus=2)
        maker.work("Im3d2Col", 16, "cudnn-conv.1", "jit_f", 15).work("loop_1", 5, "fusion.1", "jit_f", 15)
        maker.work("loop_2", 7, "fusion.1", "jit_f", 15, gpu=1).work("rcclAllReduce", 3, gpu=1)
        return maker

    def test_sheets_and_their_order(self):
        out = self.tpq("report", self.profile(self.usual()), "--json").out
        self.assertEqual(list(sheets_in(out)), [
            "gpu_timeline", "gpu_events_averages", "kernel_launchers", "kernel_launchers_summary",
            "kernel_launchers_summary_by_category", "kernel_launchers_unique_args", "df_xla_perf", "xla_summary",
            "op_conv", "jax_collectives"])

    def test_the_timeline_of_each_accelerator(self):
        rows = self.sheet(self.usual(), "gpu_timeline")
        found = {(row["gpu_pid"], row["type"]): float(row["time ms"]) for row in rows}
        self.assertAlmostEqual(found["1", "computation_time"], 0.021)
        self.assertAlmostEqual(found["2", "exposed_comm_time"], 0.003)
        self.assertAlmostEqual(found["2", "total_time"], 0.030)
        self.assertEqual([row["gpu_pid"] for row in rows], ["1"] * 8 + ["2"] * 8)
        mean = {row["type"]: float(row["time ms"]) for row in self.sheet(self.usual(), "gpu_events_averages")}
        self.assertAlmostEqual(mean["computation_time"], 0.014)

    def test_names_of_other_reports_stand_for_these(self):
        path = self.profile(self.usual())
        for alias, name in {"ops_summary": "kernel_launchers_summary", "ops_all": "kernel_launchers_unique_args",
                            "ops_unique_args": "kernel_launchers_unique_args",
                            "ops_summary_by_category": "kernel_launchers_summary_by_category"}.items():
            self.assertEqual(self.tpq("report", path, alias, "--csv", "-").out,
                             self.tpq("report", path, "jax_" + name, "--csv", "-").out, alias)

    def test_names_without_digits(self):
        names = [row["name"] for row in self.sheet(self.usual(), "xla_summary")]
        self.assertEqual(names, ["loop_"])
        names = [row["short_name_grouped"] for row in self.sheet(self.usual(), "xla_grouped", "--set", "jax-analysis")]
        self.assertEqual(names, ["loop_"])

    def test_keyword_filters(self):
        path = self.profile(self.usual())
        self.tpq("report", "--profile_path", path, "--kernel_metadata_keyword_filters", "nowhere", "conv<x",
                 "--output_csvs_dir", self.path("out"))
        with open(self.path("out", "kernel_launchers.csv"), encoding="utf-8") as file:
            self.assertEqual([row["name"] for row in csv.DictReader(file)], ["Im3d2Col"])
        with open(self.path("out", "df_xla_perf.csv"), encoding="utf-8") as file:
            self.assertEqual(len(file.readlines()), 1)
        with open(self.path("out", "gpu_timeline.csv"), encoding="utf-8") as file:
            self.assertEqual(len(file.readlines()), 17)
        self.assertEqual(sorted(os.listdir(self.path("out")))[-1], "xla_summary.csv")
        rows = self.sheet(path, "kernel_launchers", "--kernel-metadata-keyword-filters=conv<x", "--compat")
        self.assertEqual(rows, [])  # the text ends before <

    def test_the_default_workbook(self):
        path = self.profile(self.usual())
        self.tpq("report", "--profile-path", path)
        self.assertTrue(os.path.exists(self.path("host0_perf_report.xlsx")))

    def test_text_forms(self):
        row = self.sheet(self.usual(), "kernel_launchers")[0]
        details, = json.loads(row["kernel_details"])
        self.assertEqual(details["metadata"],
                         'metadata={op_name="jit(f)/conv<x>" source_file="/a/b.py" source_line=77}')
        self.assertEqual((details["custom_call_target"], details["outputs"]),
                         ("__cudnn$convForward", "(%s,u8[7150336]{0})" % Y))
        row = self.sheet(self.usual(), "kernel_launchers", "--compat")[0]
        self.assertIn("'metadata': 'metadata={op_name=\"jit(f)/conv'", row["kernel_details"])
        self.assertIn("'outputs': 'NA'", row["kernel_details"])
        self.assertEqual(row["GPU_kernel_launch_latency"], "5.0")

    def test_roots_and_kernels_without_launch(self):
        maker = Maker([("jit_f", 15, convolution())])
        maker.work("root", 5, "fusion.1", "jit_f", 15).work("alone", 5, "cudnn-conv.1", "jit_f", 15, launched=False)
        for row in self.sheet(maker, "kernel_launchers"):
            self.assertNotIn('"operands":"NA"', row["kernel_details"])
        rows = self.sheet(maker, "kernel_launchers", "--compat")
        self.assertEqual(["'operands': 'NA'" in row["kernel_details"] for row in rows], [True, True])
        self.assertEqual([row["GPU_kernel_launch_latency"] for row in rows], ["5.0", ""])

    def test_an_instruction_that_is_just_called_cudnn_conv(self):
        maker = Maker().work("x", 5, "cudnn-conv")
        self.assertEqual(self.sheet(maker, "kernel_launchers")[0]["op category"], "Conv")
        self.assertEqual(self.sheet(maker, "kernel_launchers", "--compat")[0]["op category"],
                         "Uncategorized Events/XLA")

    def test_categories_by_instruction_and_by_kernel(self):
        maker = Maker().work("Cijk_x", 5, "cudnn-conv.1").work("fillBuffer", 4, "te_fused_attn_backward_ffi.1")
        maker.work("xFmhaFwdKernel", 3, "te_fused_attn_forward_ffi.1").work("ncclAll", 2).work("other", 1)
        for words, options in (("Communication", []), ("Communication rccl/nccl", ["--compat"])):
            rows = self.sheet(maker, "kernel_launchers", *options)
            self.assertEqual([row["op category"] for row in rows],
                             ["Conv", "TE", "FA FWD", words, "Uncategorized Events/XLA"])
        rows = self.sheet(maker, "gpu_events_categorized_mean", "--set", "jax-analysis")
        self.assertEqual({row["name"]: row["count"] for row in rows},
                         {"GEMM": "1", "TE": "1", "FA FWD": "1", "Uncategorized Events": "1"})

    def test_the_analysis(self):
        maker = Maker([("jit_train_step", 1, gemm("bf16[4096,6144]{1,0}", "bf16[2048,6144]{1,0}",
                                                  "bf16[4096,2048]{1,0}")),
                       ("jit_other", 2, gemm("f32[2,3]{1,0}", "f32[4,3]{1,0}", "f32[2,4]{1,0}"))], gpus=2)
        maker.work("Cijk_x", 116.921, "custom-call.1", "jit_train_step", 1)
        maker.work("Cijk_x", 100, "custom-call.1", "jit_train_step", 1, gpu=1)
        analysis = ("--set", "jax-analysis")
        rows = self.sheet(maker, "gemms", *analysis)
        self.assertEqual([(row["name"], row["M"], row["Type"]) for row in rows],
                         [("%custom-call.1", "2048", "bf16"), ("%custom-call.1", "4", "f32")])
        self.assertEqual(len(self.sheet(maker, "gemms", *analysis, "--compat")), 1)
        self.assertEqual(len(self.sheet(maker, "gemms", *analysis, "--hlo-module", "jit_other")), 1)
        self.assertEqual(len(self.sheet(maker, "gemms_detailed", *analysis)), 2)
        row = self.sheet(maker, "gemms_detailed", *analysis)[0]
        self.assertEqual((row["GFLOPS"], row["Kernel Time (µs)"]), ("103.079215104", "116.921"))
        row, = self.sheet(maker, "gemms_detailed", *analysis, "--compat")
        self.assertEqual((row["GFLOPS"], row["Kernel Time (µs)"], row["Data Moved (MB)"]), ("103.08", "116.92", "88.0"))

    def started_as(self, name, *options):
        os.symlink(TPQ, self.path(name))
        done = subprocess.run([self.path(name), *options], env=self.environment(), cwd=self.folder,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_started_under_another_name(self):
        path = self.profile(self.usual())
        self.started_as("TraceLens_generate_perf_report_jax", "--profile_path", path, "--output_csvs_dir",
                        self.path("o1"))
        self.assertTrue(os.path.exists(self.path("o1", "xla_summary.csv")))
        self.started_as("TraceLens_generate_perf_report_jax_analysis", "--profile_xplane_pb_path", path,
                        "--output_path", self.path("deep", "o2"), "--num_cus", "304", "--name", "mi300x")
        sheets = "gpu_events_averages", "gpu_events_categorized_mean", "xla_grouped", "gemms", "gemms_detailed"
        self.assertEqual(sorted(os.listdir(self.path("deep", "o2"))),
                         sorted("trace_analysis_results_" + name + ending for name in sheets
                                for ending in (".csv", ".xlsx")))

    def test_files_of_the_analysis(self):
        path = self.profile(self.usual())
        self.tpq("report", "--set", "jax-analysis", path, "--output-path", self.path("o"), "--output-filename", "x",
                 "--output-table-formats", ".csv")
        self.assertEqual(len(os.listdir(self.path("o"))), 5)
        with open(self.path("o", "x_gpu_events_averages.csv"), encoding="utf-8") as file:
            self.assertEqual(file.readline().strip(), "type,time ms,percent")
        self.tpq("report", "--set", "jax-analysis", path, "--output-path", path, status=2)
        self.write("file", "")
        self.tpq("report", "--set", "jax-analysis", path, "--output-path", self.path("file"), status=4)

    def test_one_warehouse_with_both_kinds_of_traces(self):
        self.tpq("ingest", "--run", "torch", self.write("t.json", made_trace()))
        self.tpq("ingest", "--run", "jax", self.profile(self.usual()))
        out = self.tpq("sql", "--mode", "json", "SELECT run, count(*) AS kernels, sum(dur_ns) AS ns FROM gpu_slice "
                       "WHERE category = 'kernel' GROUP BY run ORDER BY run").out
        self.assertEqual([(row["run"], row["kernels"] > 0) for row in json.loads(out)], [("jax", True), ("torch", True)])
        names = set(json.loads(self.tpq("report", "--json").out))
        self.assertNotIn("kernel_launchers_summary", names)
        names = set(json.loads(self.tpq("report", "--run", "jax", "--json").out))
        self.assertIn("kernel_launchers_summary", names)
        one = self.tpq("report", "--run", "jax", "kernel_launchers", "--set", "jax", "--csv", "-").out
        self.assertEqual(one, self.tpq("report", self.path("host0.xplane.pb"), "kernel_launchers", "--csv", "-").out)


class Collectives(Jax):
    def run_of(self, opcode, shape, groups, durations, **more):
        """Four hosts with eight accelerators each; durations: rank -> us."""
        code = [computation(1, "main", [instruction(1, opcode + ".1", opcode, shape, groups=groups, **more)])]
        for node in range((max(durations) // 8) + 1):
            maker = Maker([("jit_f", 1, code)], host="h%d" % node, gpus=8)
            for rank, us in durations.items():
                if rank // 8 == node:
                    maker.work("ncclDevKernel", us, opcode + ".1", "jit_f", 1, gpu=rank % 8)
            self.write("p/h%d.xplane.pb" % node, maker.bytes())
        self.tpq("ingest", self.path("p"), "--run", "p")

    def test_an_all_gather_in_four_groups(self):
        groups = [list(range(i, i + 8)) for i in (0, 8, 16, 24)]
        durations = {rank: 900 for rank in range(32)}
        durations.update({3: 412.785, 10: 426.891, 16: 467.234, 27: 478.912})
        self.run_of("all-gather", ["bf16[1,768,48,128]{3,2,1,0}", "bf16[1,768,8,128]{3,2,1,0}",
                                   "bf16[1,768,8,128]{3,2,1,0}"], groups, durations, dimensions=[1])
        rows = json.loads(self.tpq("report", "jax_collective_groups", "--json").out)["jax_collective_groups"]
        self.assertEqual([row["fastest_gpu_rank"] for row in rows], [3, 10, 16, 27])
        self.assertEqual({row["moved_bytes"] for row in rows}, {1572864})
        self.assertEqual({row["io_bytes"] for row in rows}, {22020096})
        for row, expected in zip(rows, (49.6815836331262, 48.039927053978644, 43.89195242640733, 42.82167183115061)):
            self.assertAlmostEqual(row["algorithmic_gbps"], expected)
        self.assertAlmostEqual(rows[0]["bus_gbps"], 43.47138567898543)
        row, = json.loads(self.tpq("report", "jax-collectives", "--json").out)["jax_collectives"]
        self.assertAlmostEqual(row["avg_bandwidth_gbps"], 46.1087837361657)
        self.assertAlmostEqual(row["avg_bus_bandwidth_gbps"], 40.34518576914498)
        self.assertEqual((row["num_operations"], row["total_slices"], row["total_measurements"]), (1, 1, 4))

    def test_ranks_over_hosts(self):
        code = [computation(1, "main", [instruction(1, "all-reduce.1", "all-reduce", "f32[8]{0}", groups=[[0, 1, 2]])])]
        for name, gpus in ("a", 2), ("b", 1):
            maker = Maker([("jit_f", 1, code)], host=name, gpus=gpus)
            self.write("p/%s.xplane.pb" % name, maker.work("nccl", 9, "all-reduce.1", "jit_f", 1, gpu=gpus - 1).bytes())
        self.tpq("ingest", self.path("p"))
        for options, ranks in ((), [1, 2]), (("--compat",), [1, 8]):
            rows = json.loads(self.tpq("report", "jax_collective_events", "--json", *options).out)
            self.assertEqual([row["gpu_rank"] for row in rows["jax_collective_events"]], ranks)

    def test_each_kind(self):
        for opcode, shape, more, algorithmic, bus in (
                ("all-reduce", "f32[262144]{0}", {}, 19.53125, 29.296875),
                ("reduce-scatter", "f32[262144]{0}", {"dimensions": [0]}, 12.20703125, 9.1552734375),
                ("all-to-all", "f32[4,262144]{1,0}", {"dimensions": [0]}, 14.6484375, 10.986328125),
                ("collective-permute", "f32[262144]{0}", {}, 19.53125, 19.53125),
                ("ragged", "f32[262144]{0}", {}, 9.765625, 9.765625)):
            with self.subTest(opcode):
                shutil.rmtree(self.path("p"), ignore_errors=True)
                if os.path.exists(self.db):
                    os.unlink(self.db)
                self.run_of(opcode, shape, [[0, 1, 2, 3]], {rank: 100 for rank in range(4)}, **more)
                row, = json.loads(self.tpq("report", "jax_collectives", "--json").out)["jax_collectives"]
                self.assertAlmostEqual(row["avg_bandwidth_gbps"], algorithmic)
                self.assertAlmostEqual(row["avg_bus_bandwidth_gbps"], bus)

    def test_bytes_of_odd_types(self):
        for shape, opcode, expected in (("f8e4m3fn[64]{0}", "all-reduce", 64), ("f32[]", "all-reduce", 4),
                                        ("s4[64]{0}", "all-reduce", 32), ("f32[128]{0}", "reduce-scatter", 512),
                                        ("((f32[4]{0},f32[4]{0}),(f32[32]{0},f32[32]{0}))", "all-gather-start", 32)):
            if not os.path.exists(self.db):
                self.ingest(Maker())
            out = self.tpq("sql", "--mode", "json",
                           "SELECT hlo_moved('%s', '%s', '[0]', 8) AS b" % (
                               shape, opcode) if opcode != "all-reduce" else
                           "SELECT hlo_moved('%s', '%s', NULL, 8) AS b" % (shape, opcode)).out
            self.assertEqual(json.loads(out)[0]["b"], expected, shape)


if __name__ == "__main__":
    main()
