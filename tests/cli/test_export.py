"""tpq export: what is selected as files for other programs."""

import csv
import gzip
import json
import os
import signal
import sqlite3
import subprocess

from support import Case, TPQ, main, plain, slice_event, trace_of
import kineto
import perfetto_reader as perfetto
import train


def small():
    """An op that launches a kernel, inside of a step."""
    return trace_of(
        {"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "ts": 0, "args": {"name": "py"}},
        slice_event("ProfilerStep#3", 0, 100, "user_annotation"),
        slice_event("aten::mm", 10, 50, args={"Input Dims": [[4, 8], [8, 2]],
                                              "Input type": ["float", "float"]}),
        slice_event("cudaLaunchKernel", 20, 5, "cuda_runtime", args={"correlation": 9}),
        slice_event("gemm", 60, 30, "kernel", thread=7, process=0,
                    args={"correlation": 9, "device": 0, "stream": 7}),
        slice_event("aten::add", 200, 5),
        deviceProperties=[{"id": 0, "name": "GPU"}])


class Export(Case):
    def export(self, name, *options, **more):
        """The content of a file that an export made."""
        self.tpq("export", *options, "-o", name, **more)
        return self.content(name)

    def content(self, name):
        opened = gzip.open if name.endswith(".gz") else open
        with opened(self.path(name), "rb") as file:
            return file.read()

    def small(self):
        return self.write("small.json", small())


class Calls(Export):
    def test_name_says_the_form(self):
        plain = self.export("out.json", self.small())
        self.assertEqual(self.export("out.json.gz", "small.json"), plain)
        out = self.tpq("export", "small.json", "--format", "chrome").out
        self.assertEqual(out, plain.decode())
        self.assertEqual(self.export("noname", "small.json", "--format", "chrome"), plain)
        self.assertEqual(sorted(os.listdir(self.folder)),
                         ["noname", "out.json", "out.json.gz", "small.json"])

    def test_wrong_calls(self):
        path = self.small()
        for words, sentence in (
                (("-o", "x.odd"), "x.odd: the name has no known ending; --format is required"),
                ((), "--format is required"),
                (("--format", "odd"), "--format cannot be 'odd'"),
                (("--format", "pprof"), "no longer written; speedscope opens the form chrome"),
                *((("-o", f"x.{ending}"), f"x.{ending}: pprof, speedscope and folded stacks are no longer written")
                  for ending in ("pb", "pprof.gz", "folded", "collapsed", "speedscope", "speedscope.json.gz")),
                (("-o", path), "is an input and is not written over"),
                (("--step", "8", "-o", "x.json"), "there is no step 8")):
            result = self.tpq("export", path, *words, status=2)
            self.assertIn(sentence, result.err)
        self.assertIn("x.json", self.tpq("export", path, "-o", "none/x.json", status=4).err)
        self.tpq("export", "none.json", "-o", "x.json", status=3)
        self.tpq("export", "-o", "x.json", status=2)
        self.assertEqual(os.listdir(self.folder), ["small.json"])

    def test_from_the_warehouse(self):
        self.tpq("ingest", "--db", self.db, "--run", "a", self.small())
        chosen = json.loads(self.export("step.json", "--db", self.db, "--step", "3"))
        names = [event["name"] for event in chosen["traceEvents"] if event["ph"] == "X"]
        self.assertEqual(names, ["aten::mm", "cudaLaunchKernel", "gemm", "ProfilerStep#3"])
        self.tpq("export", "--db", self.db, "-o", self.db, "--format", "chrome", status=2)

    @plain("memory is no measure then")
    def test_memory_is_bounded(self):
        """The same bound for a trace and one of 45 times as many events, whose file is larger than it."""
        for steps in (20, 900):
            self.make_trace("a.json.gz", "--steps", steps, "--layers", 4)
            self.tpq("ingest", "-q", "--db", f"{steps}.db", "a.json.gz")
            for name in ("a.json", "a.pftrace"):
                memory, _ = self.peak_memory("export", "-q", "--db", f"{steps}.db", "-o", name)
                self.assertLess(memory, 30_000_000, name)
        self.assertGreater(os.path.getsize(self.path("a.json")), 30_000_000)

    def test_window_of_time(self):
        """What starts in it on the host, and the work of that, whenever it ran."""
        for window, names in (("0.02-0.05", ["cudaLaunchKernel", "gemm"]),
                              ("10us-20us", ["aten::mm"]), ("200us-", ["aten::add"]),
                              ("0-0.02ms", ["aten::mm", "ProfilerStep#3"])):
            events = json.loads(self.export("out.json", self.small(), "--time", window))
            self.assertEqual([event["name"] for event in events["traceEvents"]
                              if event["ph"] == "X"], names, window)
        self.tpq("ingest", "--db", self.db, "small.json")
        for verb in (("sql", "SELECT count(*) FROM scope"), ("report", "gpu_timeline")):
            err = self.tpq(*verb, "--db", self.db, "--time", "2-1", status=2).err
            self.assertIn('bad time "2-1": expected FROM-TO', err)
        out = self.tpq("report", "--db", self.db, "gpu_timeline", "--time", "0.02-0.05").out
        self.assertIn("time 0.02-0.05", out)
        out = self.tpq("report", "--db", self.db, "gpu_timeline", "--time", "0.2-").err
        self.assertIn("no GPU activities are selected", out)

    def test_nothing_selected(self):
        result = self.tpq("export", self.small(), "--where", "name = 'none'", "-o", "x.json")
        self.assertIn("no event fulfils the condition", result.err)
        self.assertEqual(json.loads(self.content("x.json"))["traceEvents"], [])

    def test_devices_keep_their_names(self):
        for target in ("/dev/null", "/proc/self/fd/1"):
            os.symlink(target, self.path("there"))
            for name in ("chrome", "postgres", "perfetto"):
                result = self.tpq("export", self.small(), "--format", name, "-o", "there", status=4)
                self.assertEqual(result.err, "tpq: there: is no file that can be overwritten\n")
            self.assertEqual(os.readlink(self.path("there")), target)
            os.unlink(self.path("there"))

    def test_full_disk_and_closed_pipe(self):
        path = self.write("many.json", trace_of(
            *(slice_event("aten::add", 10 * i, 5) for i in range(5000))))
        with open("/dev/full", "wb") as full:
            call = subprocess.run([TPQ, "export", path, "--format", "chrome"], stdout=full,
                                  stderr=subprocess.PIPE, check=False)
        self.assertEqual(call.returncode, 4)
        self.assertIn(b"standard output: cannot be written", call.stderr)
        for restores, status in ((True, -signal.SIGPIPE), (False, 4)):
            with subprocess.Popen([TPQ, "export", path, "--format", "chrome"],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  restore_signals=restores) as call:
                call.stdout.close()
                self.assertEqual(b"cannot be written" in call.stderr.read(), not restores)
                self.assertEqual(call.wait(), status)


def overlapping():
    """Work that overlaps on its stream, work of no duration, and a frame that sticks out of an op."""
    calls = [slice_event("cudaLaunchKernel", 10 * i, 5, "cuda_runtime", args={"correlation": i})
             for i in (1, 2, 3)]
    work = [slice_event(f"k{i}", start, duration, "kernel", thread=7, process=0,
                        args={"correlation": i, "device": 0, "stream": 7, "grid": [1, 2, i],
                              "occupancy": 0.5, "shared": True, "negative": -3})
            for i, start, duration in ((1, 100, 50), (2, 140, 50), (3, 190, 0))]
    return trace_of(*calls, *work, slice_event("late.py(1): f", 31, 50, "python_function"),
                    slice_event("aten::add", 30, 40), slice_event("aten::add", 300, 5))


class Chrome(Export):
    def reports(self, path, folder):
        """The default reports, without places in the file, on which the order of columns of
        parameters depends, too."""
        self.tpq("report", path, "--csv", folder)
        sheets = {}
        for name in os.listdir(self.path(folder)):
            with open(self.path(folder, name), newline="", encoding="utf-8") as file:
                rows = list(csv.reader(file))
            kept = sorted((i for i, head in enumerate(rows[0]) if "UID" not in head.upper()),
                          key=lambda i: rows[0][i])
            sheets[name] = [[row[i] for i in kept] for row in rows]
        return sheets

    def test_same_reports_again(self):
        kineto.write(self.path("train.json"), train.trace(0))
        for name, content in (("odd.json", overlapping()), ("small.json", small()),
                              ("train.json", None)):
            path = self.write(name, content) if content else name
            self.export("again.json", path)
            self.assertEqual(self.reports("again.json", "b" + name), self.reports(path, "a" + name))
            once = self.content("again.json")
            self.assertEqual(len(self.export("twice.json", "again.json")), len(once))

    def test_places(self):
        """Viewers drop what overlaps on a thread; it has one of its own, and says what it was."""
        events = json.loads(self.export("out.json", self.write("odd.json", overlapping())))
        threads = {event["name"]: event["tid"] for event in events["traceEvents"]
                   if event["ph"] == "X"}
        self.assertNotEqual(threads["k2"], 7)
        (k2,) = [event for event in events["traceEvents"] if event.get("name") == "k2"]
        self.assertEqual(k2["args"]["tid_raw"], 7)

    def test_ranks(self):
        for rank in (0, 1):
            content = small()
            content["distributedInfo"] = {"rank": rank, "world_size": 2}
            content["baseTimeNanoseconds"] = 1000000 * rank
            self.write(f"r/rank{rank}.json", content)
        fused = json.loads(self.export("out.json", "r"))
        self.assertEqual([each["rank"] for each in fused["distributedInfo"]], [0, 1])
        ops = [event for event in fused["traceEvents"] if event.get("name") == "aten::mm"]
        self.assertEqual([(event["pid"], event["args"]["pid_raw"], event["args"]["rank"])
                          for event in ops], [(1, 1, 0), (101, 1, 1)])
        self.assertEqual(ops[1]["ts"] - ops[0]["ts"], 1000)
        links = {event["args"]["correlation"] for event in fused["traceEvents"]
                 if event.get("name") == "gemm"}
        self.assertEqual(len(links), 2)

    def test_ranks_in_one_file_as_the_reference_puts_them(self):
        """The worked example: numbers of the first rank decide, a later one has greater ones."""
        for rank, (process, link) in enumerate(((100, 42), (2000, 4242))):
            self.write(f"plain/rank{rank}.json", trace_of(
                slice_event("step", 0, 90, "python_function", process=process), slice_event("profiler", 0, 95, "Trace", process=process),
                slice_event("aten::mm", 5, 50, process=process),
                slice_event("cudaLaunchKernel", 10, 5, "cuda_runtime", process=process, args={"correlation": link}),
                slice_event("gemm", 30, 20, "kernel", 7, 0, args={"correlation": link, "device": 0, "stream": 7}),
                distributedInfo={"rank": rank, "world_size": 2}, baseTimeNanoseconds=10**18 + 5000 * rank))
        self.tpq("ingest", "-q", "--run", "plain", "plain")
        fused = json.loads(self.export("out.json", "plain", "--compat"))
        self.assertEqual(list(fused), ["traceEvents"])
        events = fused["traceEvents"]
        self.assertEqual({event["cat"] for event in events if event["ph"] == "X"}, {"cpu_op", "cuda_runtime", "kernel"})
        self.assertEqual(sorted({(event["pid"], event["args"]["pid_raw"], event["args"]["rank"]) for event in events if event["ph"] == "X"}),
                         [(0, 0, 0), (100, 100, 0), (10000, 0, 1), (12000, 2000, 1)])
        self.assertEqual(sorted({(event["args"]["correlation"], event["args"]["correlation_raw"]) for event in events if event.get("cat") == "kernel"}),
                         [(42, 42), (5242, 4242)])
        self.assertEqual(sorted((event["ph"], event["id"], event["args"]["id_raw"]) for event in events if event["ph"] in "sf"),
                         [("f", 42, 42), ("f", 5242, 4242), ("s", 42, 42), ("s", 5242, 4242)])
        self.assertEqual(sorted((event["args"]["name"], event["pid"]) for event in events if event.get("name") == "process_name"),
                         [("RANK 0 - CPU", 100), ("RANK 0 - GPU", 0), ("RANK 1 - CPU", 12000), ("RANK 1 - GPU", 10000)])
        self.assertEqual({event["args"]["sort_index"]: event["pid"] for event in events if event.get("name") == "process_sort_index"},
                         {0: 100, 1: 0, 2: 12000, 3: 10000})
        self.assertEqual([event["ts"] for event in events if event.get("name") == "aten::mm"], [5, 5], "each on its own clock")
        self.tpq("export", "--db", self.db, "--compat", "-o", "out.pftrace", status=2)

    def test_ids_out_of_the_order_of_starts(self):
        """A thread whose slices stand in the warehouse in another order, beside one in order."""
        self.tpq("ingest", "--db", self.db, self.write("a.json", trace_of(
            *(slice_event(f"a{i}", 100 * i, 60) for i in range(4)),
            *(slice_event(f"a{i}.in", 100 * i, 20) for i in range(4)),
            *(slice_event(f"b{i}", 100 * i + 5, 60, thread=9) for i in range(4)))))
        swapped = {"a0": "a3", "a1": "a2.in", "a2": "a2.in"}
        with sqlite3.connect(self.db) as database:
            times = {name: (event, start, duration) for name, event, start, duration in database.execute(
                "SELECT text, event.id, ts_ns, dur_ns FROM event JOIN string ON string.id = name_id")}
            for name, other in swapped.items():
                for one, two in ((name, other), (other, name)):
                    database.execute("UPDATE event SET ts_ns = ?, dur_ns = ? WHERE id = ?",
                                     (*times[two][1:], times[one][0]))
                times[name], times[other] = ((times[name][0], *times[other][1:]),
                                             (times[other][0], *times[name][1:]))
        expected = sorted((start, -duration, name) for name, (_, start, duration) in times.items())
        trace = perfetto.Trace(self.export("out.pftrace", "--db", self.db))
        self.assertEqual([(each.ts, -each.dur, each.name) for each in trace.slices], expected)
        self.assertEqual([each.depth for each in trace.slices], [0, 1, 0] * 4)

    def test_one_number_for_a_call_and_its_work(self):
        """Arrows link what bears other numbers or none: in the file the numbers do, too."""
        def numbered(event, number):
            return {**event, "args": {**event["args"], **({"correlation": number} if number else {})}}

        call = slice_event("cudaLaunchKernel", 10, 5, "cuda_runtime", args={})
        works = [slice_event(f"k{i}", 20 + 10 * i, 5, "kernel", 7, 0, args={"device": 0, "stream": 7}) for i in range(2)]
        arrows = [{"ph": phase, "id": 5, "cat": "ac2g", "name": "ac2g", "ts": event["ts"], "pid": event["pid"],
                   "tid": event["tid"]} for phase, event in (("s", call), *(("f", work) for work in works))]
        for place, numbers in enumerate(((0, 7, 0), (0, 0, 7), (0, 7, 7), (0, 7, 8), (5, 0, 0), (5, 0, 5))):
            path = self.write(f"in{place}.json", trace_of(*map(numbered, (call, *works), numbers), *arrows))
            for option in (), ("--no-flows",):
                content = json.loads(self.export("out.json", path, *option))["traceEvents"]
                found = {event["args"]["correlation"] for event in content if event["ph"] == "X"}
                self.assertEqual(len(found), 1, (numbers, found))
                self.assertEqual(len({event["id"] for event in content if event["ph"] in "sf"}), 0 if option else 1, numbers)

    def test_what_is_left_out(self):
        events = json.loads(self.export("out.json", self.write("odd.json", overlapping()),
                                        "--no-frames", "--no-args", "--no-flows", "--no-counters"))
        self.assertEqual({event["ph"] for event in events["traceEvents"]}, {"M", "X"})
        self.assertNotIn("python_function", {event.get("cat") for event in events["traceEvents"]})


class Perfetto(Export):
    def read(self, *words, name="out.pftrace"):
        return perfetto.Trace(self.export(name, *words))

    def test_slices(self):
        self.tpq("ingest", "--db", self.db, self.small())
        trace = self.read("--db", self.db)
        rows = json.loads(self.tpq("sql", "--db", self.db, "-m", "json", """
            SELECT string.text AS name, category.name AS cat, ts_ns AS ts, dur_ns AS dur, event.id AS id
            FROM event JOIN string ON string.id = name_id JOIN category ON category.id = category_id
            ORDER BY event.id""").out)
        rows = rows["rows"] if isinstance(rows, dict) else rows
        self.assertEqual(
            sorted((each.args["tpq id"], each.name, each.cat, each.ts, each.dur)
                   for each in trace.slices),
            [(row["id"], row["name"], row["cat"], row["ts"], row["dur"]) for row in rows])
        by_name = {each.name: each for each in trace.slices}
        self.assertEqual(by_name["aten::mm"].args["Input Dims"], "[[4,8],[8,2]]")
        self.assertEqual(by_name["aten::mm"].args["FLOPs"], 2 * 4 * 8 * 2)
        self.assertEqual(by_name["gemm"].args["stream"], 7)
        self.assertEqual(by_name["cudaLaunchKernel"].depth, 1)
        self.assertEqual([(trace.begun[flow][0].name, ends[0].name)
                          for flow, ends in trace.ended.items()], [("cudaLaunchKernel", "gemm")])
        self.assertEqual({each.name: each.parent for each in trace.tracks.values()
                          if each.kind == "process"}, {"host py": 0, "GPU 0 GPU": 0})
        (queue,) = trace.samples.values()
        self.assertEqual(queue, [(20000, 1.0), (60000, 0.0)])

    def test_stated_counters(self):
        samples = [{"ph": "C", "name": name, "pid": process, "ts": at, "args": {unit: value}}
                   for name, process, unit, at, value in (
                       ("queue", 1, "depth", 20, 5), ("queue", 1, "depth", 30, 5), ("queue", 1, "depth", 40, 7.5),
                       ("queue", 1, "depth", 40, 6), ("GPU power", 0, "watt", 50, 300))]
        path = self.write("counters.json", {**small(), "traceEvents": [*small()["traceEvents"], *samples]})
        expected = {"queue depth": [(20, 5), (40, 7.5)], "GPU power watt": [(50, 300)]}  # what changes nothing is left out
        found = {}
        for event in json.loads(self.export("out.json", path))["traceEvents"]:
            if event["ph"] == "C" and event.get("cat") != "tpq":
                found.setdefault(event["name"], []).append((event["ts"], event["args"]["value"]))
        self.assertEqual(found, expected)
        trace = self.read(path)
        found = {trace.tracks[track].name: [(at / 1000, value) for at, value in rows] for track, rows in trace.samples.items()}
        self.assertLessEqual(expected.items(), found.items())

    def test_overlaps(self):
        trace = self.read(self.write("odd.json", overlapping()))
        names = {each.name: trace.tracks[each.track].name for each in trace.slices}
        self.assertEqual((names["k1"], names["k2"], names["k3"]),
                         ("stream 7", "stream 7 (overlapping)", "stream 7"))
        self.assertEqual(names["late.py(1): f"][-13:], "(overlapping)")
        self.assertEqual(sorted(each.dur for each in trace.slices if each.cat == "kernel"),
                         [0, 50000, 50000])
        self.assertEqual(len(trace.slices), 9)
        args = next(each.args for each in trace.slices if each.name == "k2")
        self.assertEqual((args["occupancy"], args["shared"], args["negative"], args["grid"]),
                         (0.5, "true", -3, "[1,2,2]"))

    def test_what_is_left_out(self):
        path = self.write("odd.json", overlapping())
        trace = self.read(path, "--no-frames", "--no-args", "--no-flows", "--no-counters")
        self.assertEqual((len(trace.slices), trace.begun, trace.samples), (8, {}, {}))
        self.assertEqual({key for each in trace.slices for key in each.args}, set())

    def test_ranks(self):
        for rank in (1, 0):
            content = small()
            content["distributedInfo"] = {"rank": rank, "world_size": 2}
            content["baseTimeNanoseconds"] = 1000000 * rank
            self.write(f"r/rank{rank}.json", content)
        trace = self.read("r")
        self.assertEqual([each.name for each in trace.tracks.values() if each.kind == "process"],
                         ["rank 0 · host py", "rank 0 · GPU 0 GPU", "rank 1 · host py",
                          "rank 1 · GPU 0 GPU"])
        pids = [each.pid for each in trace.tracks.values() if each.kind == "process"]
        self.assertEqual(len(set(pids)), 4)
        starts = [each.ts for each in trace.slices if each.name == "gemm"]
        self.assertEqual(starts[1] - starts[0], 1000000)

    def test_collectives(self):
        """Arrows lead from who came last to the others, and who waited has a counter."""
        for rank, late in ((0, 0), (1, 40)):
            args = {"correlation": 1, "device": 0, "stream": 9, "Collective name": "allreduce",
                    "Process Group Name": "0", "Process Group Ranks": "[0, 1]", "Group size": 2,
                    "In msg nelems": 4, "Out msg nelems": 4, "dtype": "Float", "Seq": 7}
            self.write(f"r/rank{rank}.json", trace_of(
                slice_event("nccl:all_reduce", 10 + late, 20),
                slice_event("cudaLaunchKernel", 12 + late, 5, "cuda_runtime",
                            args={"correlation": 1}),
                slice_event("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 50 + late, 80 - late,
                            "kernel", thread=9, process=0, args=args),
                distributedInfo={"rank": rank, "world_size": 2}))
        trace = self.read("r")
        (joined,) = [each for flow, each in trace.begun.items() if flow >> 61 & 1]
        self.assertEqual([trace.tracks[trace.tracks[each.track].parent].name for each in joined],
                         ["rank 0 · GPU 0", "rank 1 · GPU 0"])
        (waits,) = [samples for uuid, samples in trace.samples.items()
                    if trace.tracks[uuid].name == "Waiting for ranks"]
        self.assertEqual([value for _, value in waits], [40000.0, 0.0])
        fused = json.loads(self.export("out.json", "r"))["traceEvents"]
        ends = {each["ph"]: each for each in fused if each.get("cat") == "collective"}
        self.assertEqual((ends["s"]["args"]["rank"], ends["f"]["args"]["rank"]), (1, 0))
        self.assertEqual(ends["s"]["ts"], ends["f"]["ts"])
        one = self.read("r", "--rank", "1")
        self.assertEqual([flow for flow in one.begun if flow >> 61 & 1], [])

    def test_stages(self):
        """Accelerator work as stages of queues; nothing else differs."""
        self.write("a.json", trace_of(
            slice_event("aten::mm", 1, 8), slice_event("cudaLaunchKernel", 2, 5, "cuda_runtime", args={"correlation": 1}),
            slice_event("gemm", 20, 9, "kernel", 7, 0, args={"correlation": 1, "device": 0, "stream": 7, "grid": [4, 2, 1],
                                                               "block": [128, 1, 1], "registers per thread": 96}),
            slice_event("gemm", 25, 9, "kernel", 7, 0, args={"device": 0, "stream": 7}),
            slice_event("Memset (Device)", 40, 0, "gpu_memset", 7, 0, args={"device": 0, "stream": 7}),
            deviceProperties=[{"id": 0, "name": "NVIDIA H100", "computeMajor": 9, "computeMinor": 0}]))
        tracks, stages = self.read("a.json"), self.read("a.json", "--gpu", "stages")
        told = lambda each: (each.name, each.ts, each.dur)
        self.assertEqual(sorted(map(told, stages.slices + stages.stages)), sorted(map(told, tracks.slices)))
        first = stages.stages[0]
        self.assertEqual((first.queue, first.stage, first.gpu), ("stream 7", "kernel", 0))
        self.assertEqual(first.launch, {"grid": [4, 2, 1], "block": [128, 1, 1], "registers per thread": 96, "device": 0, "stream": 7})
        self.assertEqual([each.stage for each in stages.stages], ["kernel", "kernel", "memset"])
        self.assertEqual(stages.launched, {first.id: "cudaLaunchKernel"})
        self.assertEqual(stages.gpus, [("GPU 0", "NVIDIA H100")])
        self.assertEqual([each for each in stages.tracks.values() if "stream 7" in each.name], [])
        self.tpq("export", "-o", "x.json", "a.json", "--gpu", "stages", status=2)

    def test_communication_alone(self):
        """Its kernels, the calls and ops that launched them, and steps."""
        self.write("a.json", trace_of(
            slice_event("ProfilerStep#1", 0, 100, "user_annotation"), slice_event("aten::mm", 1, 8),
            slice_event("cudaLaunchKernel", 2, 5, "cuda_runtime", args={"correlation": 1}),
            slice_event("gemm", 20, 5, "kernel", 7, 0, args={"correlation": 1, "device": 0, "stream": 7}),
            slice_event("nccl:all_reduce", 10, 8),
            slice_event("cudaLaunchKernelExC", 12, 5, "cuda_runtime", args={"correlation": 2}),
            slice_event("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 30, 9, "kernel", 9, 0,
                        args={"correlation": 2, "device": 0, "stream": 9})))
        kept = ["ProfilerStep#1", "cudaLaunchKernelExC", "nccl:all_reduce", "ncclDevKernel_AllReduce_Sum_f32_RING_LL"]
        self.assertEqual(sorted(each.name for each in self.read("a.json", "--collectives").slices), sorted(kept))
        chrome = json.loads(self.export("out.json", "a.json", "--collectives"))["traceEvents"]
        self.assertEqual(sorted(each["name"] for each in chrome if each["ph"] == "X"), sorted(kept))
        self.assertEqual(sum(each["ph"] == "s" for each in chrome), 1, "the launch")
        self.export("short.json", "a.json", "--col")
        self.assertEqual(self.content("short.json"), self.content("out.json"))
        older = self.tpq("export", "-o", "older.pftrace", "a.json", "--co", status=2).err
        self.assertIn("--compat", older, "the short form is older than --collectives")
        self.assertNotIn("--collectives", older)

    def test_our_own_reader(self):
        kineto.write(self.path("train.json"), train.trace(0))
        self.export("again.pftrace", "train.json")
        first, again = (self.tpq("report", "--set", "pytorch", path, "gpu_timeline", "--csv").out
                        for path in ("train.json", "again.pftrace"))
        self.assertEqual(again, first)

    def test_critical_path(self):
        kineto.write(self.path("train.json"), train.trace(0))
        self.tpq("ingest", "--db", self.db, "train.json")
        plain = self.read("--db", self.db)
        trace = self.read("--db", self.db, "--critical-path")
        marked = {each.args["tpq id"] for each in trace.slices if each.args.get("critical")}
        path = self.tpq("sql", "--db", self.db, "-m", "csv", """SELECT DISTINCT id FROM path_segment
            WHERE id IS NOT NULL AND kind NOT IN ('kernel gap', 'launch', 'sync return')""").out
        self.assertEqual(marked, {int(line) for line in path.splitlines()[1:]})
        self.assertFalse(any("critical" in each.args for each in plain.slices))
        jumps = [each for flow, each in trace.begun.items() if flow >> 60 & 1]
        self.assertTrue(jumps)
        self.assertTrue(all(len(each) == 2 and {one.args.get("critical") for one in each} == {1}
                            for each in jumps))
        events = json.loads(self.export("out.json", "--db", self.db, "--critical-path"))
        arrows = [each for each in events["traceEvents"] if each.get("cat") == "critical_path"]
        self.assertEqual(len(arrows), 2 * len(jumps))
        self.assertTrue(all(set(each["args"]) == {"kind", "weight_us"} for each in arrows))
        self.assertTrue(any(each.get("name") == "critical" for each in events["traceEvents"]))
        marked = {each.args["tpq id"]: each.name for each in trace.slices if each.args.get("critical")}
        self.assertEqual(sorted(each["name"] for each in events["traceEvents"] if each.get("args", {}).get("critical")
                                and each["ph"] == "X"), sorted(marked.values()))

    def test_hostile_names(self):
        path = self.write("long.json", trace_of(
            slice_event("ä" * 5000, 0, 5, "cpu_op"), slice_event("\x1b[31m", 10, 5, "cpu_op")))
        self.assertEqual(sorted(each.name for each in self.read(path).slices),
                         sorted(["ä" * 2048, "\x1b[31m"]))


class CallPaths(Export):
    def prepare(self):
        kineto.write(self.path("train.json"), train.trace(0))
        self.tpq("ingest", "--db", self.db, "--run", "a", "train.json")

    def test_options_that_say_nothing(self):
        for words in (("-o", "x.json", "--gpu", "stages"), ("--parquet", "x", "--no-frames"), ("-o", "x.psql", "--no-counters")):
            self.assertIn("says nothing with", self.tpq("export", "train.json", *words,
                                                        status=2).err)

    def test_tree(self):
        rows = self.tpq("sql", "--db", self.db, "-m", "csv", """
            SELECT sum(own_gpu_ns), sum(CASE WHEN parent IS NULL THEN gpu_ns END), count(DISTINCT node),
              max(node), sum(parent >= node), (SELECT sum(dur_ns) FROM gpu_event)
            FROM call_tree""").out.splitlines()[1].split(",")
        self.assertEqual(rows[0], rows[5])
        self.assertEqual(rows[1], rows[5])
        self.assertEqual(rows[2:5], [rows[3], rows[3], "0"])
        result = self.tpq("sql", "--db", self.db,
                          "SELECT tpq_set('call_tree', 'odd'); SELECT * FROM call_tree", status=2)
        self.assertIn("call_tree is stack, op, module, phase or program, not 'odd'", result.err)


if __name__ == "__main__":
    main()
