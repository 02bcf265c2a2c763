"""Memory snapshots of PyTorch: what is read, what is refused, and what becomes of the events."""
import gzip
import json
import os
import pickle
import sqlite3
import struct
import zipfile

from page_file import read_page
from support import Case, main, plain, slice_event, trace_of

FORWARD = [{"name": "at::_ops::mm::call(int)", "filename": "??", "line": 0},
           {"name": "linear", "filename": "/env/lib/python3/site-packages/torch/nn/functional.py", "line": 9},
           {"name": "forward", "filename": "/job/src/model.py", "line": 7}]
BACKWARD = [{"name": "torch::autograd::generated::MmBackward0::apply(int)", "filename": "??", "line": 0},
            {"name": "torch::autograd::Engine::run()", "filename": "engine.cpp", "line": 0}]


def event(action, addr, size, time=None, frames=(), **more):
    made = {"action": action, "addr": addr, "size": size, "stream": 0, "frames": list(frames), **more}
    return made if time is None else {**made, "time_us": time}


def block(size, requested, state="active_allocated", frames=(), **more):
    return {"size": size, "requested_size": requested, "state": state, "frames": list(frames), **more}


def segment(address, *blocks, **more):
    return {"device": 0, "address": address, "total_size": sum(b["size"] for b in blocks), "stream": 0,
            "segment_type": "small", "blocks": list(blocks), **more}


def snapshot(events, segments=(), marks=()):
    return {"segments": list(segments), "device_traces": [events], "external_annotations": list(marks)}


def churn(count=3000):
    """Allocations of many lines, each older one freed after a while, some never; two failed ones."""
    events, live = [event("segment_alloc", 1 << 30, 1 << 24, 0)], []
    for i in range(count):
        place = {"name": "forward", "filename": f"/job/src/line{i % 7 if i % 100 else i}.py", "line": 3}
        live.append((4096 * (i + 1), (i % 13 + 1) * 512 + i))
        events.append(event("alloc", *live[-1], i, [place, {"name": "main", "filename": "/job/src/run.py", "line": 1}]))
        if i % 3 == 2 or i > count * 2 // 3:
            address, size = live.pop(i % len(live))
            events += [event("free_requested", address, size, i), event("free_completed", address, size, i)]
        if i % 1500 == 1499:
            events.append({"action": "oom", "size": 9999, "stream": 0, "time_us": i, "device_free": 7, "frames": FORWARD})
    return snapshot(events, [segment(address, block(size + 512, size)) for address, size in live])


class Snapshot(Case):
    def ingest(self, made, name="a.pickle", protocol=4, **more):
        data = made if isinstance(made, bytes) else pickle.dumps(made, protocol)
        with open(self.path(name), "wb") as out:
            out.write(data)
        return self.tpq("ingest", self.path(name), **more)

    def refused(self, data):
        error = self.ingest(data, status=3).err
        self.assertFalse(os.path.exists(self.path("w.db")))
        return error.replace(self.path("a.pickle"), "FILE")


class Whole(Snapshot):
    def test_a_file_by_itself(self):
        """Reports on a snapshot alone; a list of failed allocations only where there are some."""
        made = snapshot([event("alloc", 4096, 7000000, 11, FORWARD), event("free_requested", 4096, 7000000, 12),
                         event("free_completed", 4096, 7000000, 13), event("alloc", 4096, 5000000, 14, FORWARD)],
                        [segment(4096, block(9000000, 5000000))])
        self.assertIn("4 memory records\n", self.ingest(made).out)
        self.assertIn("Memory peak on GPU 0: 6.68 MiB allocated, 8.58 MiB reserved; at the end 4.77 MiB allocated.",
                      self.tpq("sql", "SELECT words FROM run_headline").out)
        for oom in False, True:
            if oom:
                made["device_traces"][0].append({"action": "oom", "size": 4000, "stream": 0, "time_us": 15, "device_free": 7, "frames": FORWARD})
                self.ingest(made, "b.pickle")
            done = self.tpq("report", "b.pickle" if oom else "a.pickle", "--json")
            self.assertEqual([name for name in json.loads(done.out) if name.startswith("snapshot_")],
                             ["snapshot_devices", "snapshot_peak_frames", "snapshot_peak_phases", "snapshot_pools", *["snapshot_oom"] * oom])
            self.assertNotIn("GPU activities", done.err)

    def test_out_of_memory_is_the_first_line(self):
        mib = 1 << 20
        for unused, end in ((96, "96.00 MiB of it unused but fragmented."), (32, "32.00 MiB of it unused.")):
            self.ingest(snapshot([event("segment_alloc", 4096, 1024 * mib, 1, FORWARD), event("alloc", 4096, (1024 - unused) * mib, 1, FORWARD),
                                  {"action": "oom", "size": 64 * mib, "device_free": 3 * mib, "stream": 0, "time_us": 2, "frames": FORWARD}],
                                 [segment(4096, block((1024 - unused) * mib, (1024 - unused) * mib), block(unused * mib, 0, "inactive"))]), f"{unused}.pickle")
            self.assertIn("\nOut of memory on GPU 0: 64.00 MiB requested, 3.00 MiB free on the device; 1.00 GiB reserved, " + end,
                             "\n" + " ".join(self.tpq("report", f"{unused}.pickle").out.split("\n\n")[0].split()))

    def test_two_files(self):
        """Lines move between two versions of a program; what is at the peak may be gone at the end."""
        for name, size, line in ("a", 500, 7), ("b", 800, 9):
            place = [{**FORWARD[-1], "line": line}]
            events = [event("alloc", 4096, size, 11, place), event("alloc", 8192, 30, 12, place), event("free_requested", 8192, 30, 13),
                      event("free_completed", 8192, 30, 13), event("alloc", 9216, 5, 14, [{**FORWARD[-1], "line": line + 1}])]
            self.ingest(snapshot(events, [segment(4096, block(1024, size)), segment(9216, block(512, 5))]), name + ".pickle")
        call = ("compare", self.path("a.pickle"), self.path("b.pickle"))
        found = json.loads(self.tpq(*call, "--json").out)
        sites = {name: [(row["site"], row["value_1"], row["value_2"]) for row in found[name]] for name in found if name.startswith("snapshot_")}
        self.assertEqual({"snapshot_peak_frames": [("src/model.py forward", 530, 830)],
                          "snapshot_live_frames": [("src/model.py forward", 505, 805)]}, sites)
        self.assertNotIn("time_parts", found)
        self.assertNotIn("snapshot_live_frames", json.loads(self.tpq(*call, "--by", "frame", "--json").out))
        self.assertEqual([("src/model.py:7 forward", 530)], [(row["frame"], row["bytes"]) for row in json.loads(
            self.tpq("report", "a.pickle", "snapshot_peak_frames", "--json").out)["snapshot_peak_frames"]])


class Page(Snapshot):
    def made(self, *options):
        self.tpq("report", "a.pickle", "--html", self.path("a.html"), "-q", *options)
        return read_page(self.path("a.html"))

    def device(self, page):
        numbers = [i for i, one in enumerate(page.contents["blocks"]) if one["kind"] == "snapshot"]
        return json.loads(page.block(numbers[0]))[0] if numbers else None

    def test_the_page_has_what_is_held_at_each_event(self):
        self.ingest(churn())
        page = self.made()
        self.assertIn("memory", page.contents["views"])
        one = self.device(page)
        peak, at, reserved = self.rows("SELECT peak_allocated_bytes, peak_at, peak_reserved_bytes FROM memory_device")[0]
        self.assertEqual((peak, at, reserved), (one["allocated"][one["at"].index(one["peak"])], one["peak"], max(one["reserved"])))
        self.assertEqual(max(one["allocated"]), peak)
        self.assertEqual([row for row, in self.rows("SELECT number FROM snapshot_event WHERE action = 'oom'")], one["ooms"])
        columns = range(0, len(one["at"]), 97)
        for column in columns:
            event = one["at"][column]
            held = dict(self.rows("SELECT frame, sum(bytes) FROM memory_allocation JOIN memory_stack ON memory_stack.id = stack_id WHERE alloc <="
                                  f" {event} AND coalesce(free_requested, 1e9) > {event} GROUP BY frame"))
            self.assertEqual(sum(held.values()), one["allocated"][column])
            found = {}
            for _node, text, steps, changes in one["stacks"]:
                now = where = 0
                for step, change in zip(steps, changes):
                    where += step
                    now += change if where <= column else 0
                if now:
                    found[one["texts"][text]] = now
            self.assertEqual({name: held[name] for name in found}, found)
            self.assertGreaterEqual(sum(found.values()), 0.9 * one["allocated"][column])
        self.assertEqual(1, one["names"].count(one["texts"].index("src/run.py:1 main")), "stacks are a tree")
        total, = self.rows("SELECT count(*), sum(total_bytes) FROM memory_segment")
        self.assertEqual(total, (one["segment_count"], one["segment_bytes"]))
        self.assertIsNone(self.device(self.made("--html-views", "overview,tables")))

    def test_blocks_of_segments(self):
        small = [block(512, 500, frames=FORWARD)] * 3
        self.ingest(snapshot([event("alloc", 1, 1)], [segment(4096, block(1 << 20, 1 << 20, "active_pending_free", FORWARD), *small,
                                                              block(1 << 20, 0, "inactive"), block(512, 0, "inactive"))]))
        (title, blocks), = self.device(self.made())["segments"]
        self.assertEqual(([2, 3, 0, 3], "small, pool 0.0, stream 0, 0x1000"), ([kind for kind, *_ in blocks], title))
        self.assertEqual([[1536, 1536], [512, 0]], [list(one[1:3]) for one in blocks if one[0] == 3])


class Older(Snapshot):
    TABLES = ["memory_frame", "memory_stack", "memory_segment", "memory_block", "memory_allocation", "memory_mark", "memory_device", "snapshot_event"]

    def test_a_warehouse_without_the_tables(self):
        self.write("t.json", trace_of(slice_event("aten::mm", 0, 5)))
        self.tpq("ingest", "-q", "t.json")
        with sqlite3.connect(self.db) as file:
            for table in self.TABLES:
                file.execute(f"DROP TABLE {table}")
            file.execute("UPDATE setting SET value = 'older' WHERE name = 'views'")
        file.close()
        self.assertIn("no memory snapshot", self.tpq("report", "snapshot_devices").out)
        self.assertIn("schema                    ok", self.tpq("check").out)
        self.ingest(snapshot([event("alloc", 4096, 500, 11, FORWARD)], [segment(4096, block(512, 500))]))
        self.assertEqual(self.rows("SELECT bytes FROM memory_allocation"), [(500,)])
        self.assertIn("schema                    ok", self.tpq("check").out)


class Facts(Snapshot):
    EVENTS = [event("segment_alloc", 4096, 2048, 10), event("alloc", 4096, 500, 11, FORWARD),
              event("alloc", 4608, 300, 12, BACKWARD, user_metadata="mine"), event("free_requested", 4096, 500, 13),
              event("free", 9216, 40, 13), event("free_completed", 4096, 500, 14), event("grow", 1, 1, 14),
              {"action": "oom", "size": 4000, "stream": 0, "time_us": 15, "device_free": 7, "frames": FORWARD}]
    SEGMENTS = [segment(4096, block(512, 0, "inactive"), block(512, 300, frames=BACKWARD), block(1024, 900, "active_pending_free", FORWARD))]
    MARKS = [{"stage": stage, "name": "Optimizer.step#A", "device": 0, "time_us": time} for stage, time in (("START", 12), ("END", 13))]

    def test_allocations(self):
        self.ingest(snapshot(self.EVENTS, self.SEGMENTS, self.MARKS))
        self.assertEqual([("snapshot", 8, 10000, 10000)], self.rows("SELECT format, element_count, clock_start_ns, wall_start_ns FROM trace"))
        self.assertEqual(
            [(4096, 500, None, 1, 3, 5, 1000, 3000, 4000, 0, 0, 1, "src/model.py:7 forward", "mm", "forward", None),
             (4608, 300, 512, 2, None, None, 2000, None, None, 0, 1, 1, "autograd MmBackward0", "(none)", "backward", "mine"),
             (9216, 40, None, -1, 4, 4, None, 3000, 3000, 1, 0, None, None, None, None, None),
             (5120, 900, 1024, -1, -1, None, None, None, None, 1, 0, None, "src/model.py:7 forward", "mm", "forward", None)],
            self.rows(
                "SELECT address, bytes, block_bytes, alloc, free_requested, free_completed, alloc_ns, free_requested_ns, free_completed_ns,"
                " is_initial, in_optimizer, step, frame, op, phase, user_metadata FROM memory_allocation"
                " LEFT JOIN memory_stack ON memory_stack.id = stack_id ORDER BY number"))
        self.assertEqual([("segment_alloc", 0, 0, 40, 940, 2048), ("oom", 7, 5000, 300, 1200, 2048)],
                         self.rows("SELECT action, number, ts_ns, allocated_bytes, active_bytes, reserved_bytes FROM snapshot_event ORDER BY number"))
        self.assertEqual([(8, 2, 2, 40, 840, 2, 2048, "unknown_action=1")], self.rows(
            "SELECT events, allocations, initial, initial_bytes, peak_allocated_bytes, peak_at, reserved_at_peak_bytes, notes FROM memory_device"))
        self.assertEqual([("Optimizer.step#A", 2000, 3000)], self.rows("SELECT name, start_ns, end_ns FROM memory_mark"))

    def test_protocols_and_wrappings_are_the_same(self):
        made, seen = snapshot(self.EVENTS, self.SEGMENTS, self.MARKS), set()
        for protocol in range(2, 6):
            data = pickle.dumps(made, protocol)
            self.ingest(data + b"\0\0", f"p{protocol}.pickle")
            with zipfile.ZipFile(self.path("wrapped"), "w") as archive:
                archive.writestr("x", data)
            self.ingest(gzip.compress(data), f"g{protocol}.pickle.gz")
            with open(self.path("wrapped"), "rb") as wrapped:
                self.ingest(wrapped.read(), f"z{protocol}.zip")
        for trace, in self.rows("SELECT id FROM trace"):
            seen.add(tuple(self.rows(f"SELECT address, bytes, alloc, free_completed, frame FROM memory_allocation LEFT JOIN memory_stack"
                                     f" ON memory_stack.id = stack_id WHERE memory_allocation.trace_id = {trace} ORDER BY number")))
        self.assertEqual((1, 12), (len(seen), self.value("SELECT count(*) FROM trace")))

    def test_old_files(self):
        made = snapshot([event("alloc", 1 << 63, 8), event("alloc", 1 << 63, 9)], [segment(
            1 << 63, {"size": 512, "state": "active_allocated", "history": [{"addr": 0, "real_size": 9, "frames": FORWARD}]},
            {"size": 512, "state": "active_allocated", "history": [{"addr": 0, "real_size": 77, "frames": FORWARD}]})])
        del made["external_annotations"]
        self.ingest(made)
        self.assertEqual([(-1 << 63, 8, 1, None), (-1 << 63, 9, None, None), ((-1 << 63) + 512, 77, None, "src/model.py:7 forward")],
                         self.rows("SELECT address, bytes, free_completed, frame FROM memory_allocation LEFT JOIN memory_stack"
                                   " ON memory_stack.id = stack_id ORDER BY number"))
        self.assertEqual([("allocated_twice=1", None)], self.rows("SELECT notes, first_ns FROM memory_device"))

    def test_rank_and_the_life_of_a_trace(self):
        made = snapshot(self.EVENTS, self.SEGMENTS, self.MARKS)
        self.ingest(made, "rank3.pickle")
        self.assertEqual([(3,)], self.rows("SELECT rank FROM trace"))
        self.tpq("merge", self.path("w.db"), "--db", self.path("other.db"))
        tables = ("memory_frame", "memory_stack", "memory_segment", "memory_block", "memory_allocation", "memory_mark", "snapshot_event", "memory_device")
        counts = "SELECT " + ", ".join(f"(SELECT count(*) FROM {table})" for table in tables)
        self.assertEqual(self.rows(counts), self.rows(counts, db=self.path("other.db")))
        self.tpq("check", "--db", self.path("other.db"))
        self.tpq("rm", "rank3")
        self.assertEqual([(0,) * len(tables)], self.rows(counts))


class Reports(Snapshot):
    def report(self, name, *options):
        return json.loads(self.tpq("report", "a.pickle", name, *options, "--json").out)[name]

    def columns(self, name, *keys):
        return [tuple(row[key] for key in keys) for row in self.report(name)]

    def test_peak_end_and_what_failed(self):
        self.ingest(snapshot(Facts.EVENTS, Facts.SEGMENTS, Facts.MARKS))
        self.assertEqual([(840, 2, 0.002, 300, 1200, 2048, 512, 336, 0, 1, 1)], self.columns(
            "snapshot_devices", "peak_allocated_bytes", "peak_event", "peak_ms", "end_allocated_bytes", "end_active_bytes",
            "end_reserved_bytes", "inactive_bytes", "internal_bytes", "fragmentation_percent", "ooms", "annotations"))
        self.assertEqual([("src/model.py:7 forward", 500), ("autograd MmBackward0", 300), ("(no stack)", 40)],
                         self.columns("snapshot_peak_frames", "frame", "bytes"))
        self.assertEqual([(["??:0 at::_ops::mm::call(int)", "torch/nn/functional.py:9 linear", "src/model.py:7 forward"], 500), (2, 300), ([], 40)], [
            (frames if len(frames) != 2 else 2, bytes) for frames, bytes in
            ((json.loads(row["stack"]), row["bytes"]) for row in self.report("snapshot_peak_stacks"))])
        self.assertEqual([("forward", 500), ("optimizer", 300), ("unknown", 40)], self.columns("snapshot_peak_phases", "phase", "bytes"))
        self.assertEqual([("(none)", 340), ("mm", 500)], sorted(self.columns("snapshot_peak_ops", "op", "bytes")))
        self.assertEqual([("autograd MmBackward0", 300, 100)], self.columns("snapshot_live_frames", "frame", "bytes", "percent"))
        self.assertEqual([(1, 7, 0.005, 4000, 848, "full", "src/model.py:7 forward")], self.columns(
            "snapshot_oom", "oom", "event", "at_ms", "requested_bytes", "unused_bytes", "verdict", "frame"))
        self.assertEqual([("src/model.py:7 forward", 900), ("autograd MmBackward0", 300)], self.columns("snapshot_oom_frames", "frame", "bytes"))
        self.assertEqual([("0x1000", "0.0", 3, 1536, 512)], self.columns("snapshot_segments", "address", "pool", "blocks", "used_bytes", "free_bytes"))
        self.assertEqual([(1, 2048, 0, 0)], self.columns("snapshot_pools", "segments", "total_bytes", "releasable_bytes", "fragmentation_percent"))
        self.assertEqual([8, 2], [len(self.report("snapshot_timeline", *option)) for option in ((), ("--snapshot-parts", "2"))])
        self.assertEqual([], self.report("snapshot_leaks"))

    def test_leaks(self):
        events, marks = [], []
        for step in range(6):
            events += [event("alloc", 4096 * (step + 1), 100, 10 * step + 1, FORWARD), event("alloc", 99, 7, 10 * step + 2, BACKWARD),
                       event("free", 99, 7, 10 * step + 3)]
            marks += [{"stage": stage, "name": "Optimizer.step#A", "device": 0, "time_us": 10 * step + time} for stage, time in (("START", 4), ("END", 5))]
        self.ingest(snapshot(events, [segment(4096 * (step + 1), block(512, 100)) for step in range(6)], marks))
        stack = "??:0 at::_ops::mm::call(int);torch/nn/functional.py:9 linear;src/model.py:7 forward"
        self.assertEqual([(stack, 4, 400, 100, 2, 5)], self.columns("snapshot_leaks", "stack", "steps", "bytes", "bytes_per_step", "first_step", "last_step"))


class Findings(Snapshot):
    report = Reports.report

    def finds(self, made):
        self.ingest(made)
        rules = {row["rule"]: (row["verdict"], row["value"]) for row in self.report("advice", "--all")}
        checks = {row["check"]: (row["verdict"], row["count"], row["base"]) for row in self.report("trace_health", "--all")}
        return {rule: rules[rule] for rule in ("memory-leak", "fragmented-memory", "out-of-memory")}, [checks[check] for check in ("memory_before", "memory_contradicts")]

    def test_nothing_is_found_in_a_sound_snapshot(self):
        made = snapshot([event("alloc", 4096, 950, 1, FORWARD)], [segment(4096, block(1000, 950))])
        rules, checks = self.finds(made)
        self.assertEqual({"nothing found", "below threshold"}, {verdict for verdict, _ in rules.values()} | {"below threshold"})
        self.assertEqual([("ok", 0, 950), ("ok", 0, 1)], checks)

    def test_memory_that_failed(self):
        """Of two failures the unused 3,000 bytes would do for the second. A block is older than the recording, an action not known."""
        made = snapshot([event("alloc", 8192, 1000, 1, FORWARD), {"action": "oom", "size": 9000, "device_free": 5, "stream": 0, "time_us": 2, "frames": FORWARD},
                         {"action": "oom", "size": 2000, "device_free": 5, "stream": 0, "time_us": 3, "frames": FORWARD}, event("dance", 1, 1, 4)],
                        [segment(4096, block(4096, 2000), block(1904, 1000))])
        rules, checks = self.finds(made)
        self.assertEqual({"memory-leak": ("nothing found", None), "fragmented-memory": ("fires", 50), "out-of-memory": ("fires", 1)}, rules)
        self.assertEqual([("warning", 2000, 3000), ("broken", 1, 4)], checks)
        self.assertIn("1. out-of-memory: Allocations failed", self.tpq("report", "a.pickle").out)

    def test_memory_that_leaks(self):
        events, marks = [], []
        for step in range(6):
            events.append(event("alloc", 4096 + (step << 20), 1 << 20, 10 * step + 1, FORWARD))
            marks += [{"stage": stage, "name": "Optimizer.step#A", "device": 0, "time_us": 10 * step + time} for stage, time in (("START", 4), ("END", 5))]
        rules, _ = self.finds(snapshot(events, [segment(4096, *[block(1 << 20, 1 << 20)] * 6)], marks))
        self.assertEqual(("fires", 1.048576), rules["memory-leak"])


class Modules(Snapshot):
    """Modules of the trace of the same process: both count microseconds since 1970."""
    FRAMES = [(1, 1000, 100, "nn.Module: Outer_0"), (1, 1010, 20, "nn.Module: Inner_0"), (1, 1040, 30, "model.py(7): forward"),
              (2, 1080, 40, "nn.Module: Other_0"), (3, 1075, 60, "nn.Module: Longer_0")]

    def snapshot_at(self, name, *times, early=0):
        events = [event("alloc", 4096 * (i + 1), 1 << i, time + early, FORWARD) for i, time in enumerate(times)]
        self.ingest(snapshot(events, [segment(4096 * (i + 1), block(512, 1 << i)) for i in range(len(times))] + [segment(64, block(512, 3))]),
                    name, more=("--run", "x"))

    def ingest(self, made, name, more=()):
        with open(self.path(name), "wb") as out:
            out.write(pickle.dumps(made, 4))
        self.tpq("ingest", *more, self.path(name))

    def trace(self, name, frames, rank=None):
        events = [slice_event(words, start, length, "python_function", thread=thread, args={"Python id": i + 1})
                  for i, (thread, start, length, words) in enumerate(frames)]
        self.write(name, {**trace_of(slice_event("aten::mm", 990, 200), *events), "baseTimeNanoseconds": 0,
                          **({} if rank is None else {"distributedInfo": {"rank": rank}})})
        self.tpq("ingest", "--run", "x", self.path(name))

    def found(self, *files):
        done = self.tpq("report", *(files or ("--run", "x")), "snapshot_peak_modules", "--json")
        return [(row["module"], row["allocations"], row["bytes"]) for row in json.loads(done.out)["snapshot_peak_modules"]]

    def said(self):
        done = self.tpq("report", "--run", "x", "snapshot_peak_modules")
        return " ".join((done.out + done.err).split())

    def test_the_innermost_module_that_started_last(self):
        self.snapshot_at("a.pickle", 999, 1000, 1009, 1010, 1029, 1030, 1050, 1076, 1085, 1119, 1120, 1135)
        self.trace("t.json", self.FRAMES)
        expected = [("(none)", 3, 2052), ("Longer_0", 2, 1152), ("Other_0", 2, 768), ("Outer_0", 4, 102), ("Inner_0", 2, 24)]
        self.assertEqual(expected, self.found())
        self.assertEqual(expected, self.found("a.pickle", "t.json"), "files by themselves, with their frames")

    def test_a_trace_of_another_time(self):
        self.snapshot_at("a.pickle", 1000, early=-500)
        self.trace("t.json", self.FRAMES)
        self.assertEqual(([], 1), (self.found(), self.said().count("not overlap")), self.said())

    def test_which_trace(self):
        self.snapshot_at("rank1.pickle", 1000)
        self.trace("a.json", self.FRAMES[1:], rank=0)
        self.assertIn("the run has no trace of the same process", self.said())
        self.trace("b.json", self.FRAMES[:1], rank=1)
        self.assertEqual([("(none)", 1, 3), ("Outer_0", 1, 1)], self.found())
        self.snapshot_at("rank2.pickle", 1000, early=-500)
        self.trace("c.json", self.FRAMES[:1], rank=2)
        self.assertIn("memory snapshots that do not overlap the trace of their process in time: 1", self.said())
        self.snapshot_at("alone.pickle", 1000, 1001)
        self.assertEqual([("(none)", 1, 3), ("Outer_0", 1, 1)], self.found())

    def test_a_trace_without_modules(self):
        self.snapshot_at("a.pickle", 1000)
        self.trace("t.json", self.FRAMES[2:3])
        self.assertIn("has no modules", self.said())


class Refusals(Snapshot):
    def test_code(self):
        for data, opcode, place in ((b"\x80\x04}\x94(cposix\nsystem\n.", "GLOBAL", "5"), (b"\x80\x04}}b.", "BUILD", "4"),
                                    (b"\x80\x04}\x8c\2os\x8c\2os\x93.", "STACK_GLOBAL", "11"),
                                    (b"\x80\x02}" + b"N0" * 600 + b"R.", "REDUCE", "1,203"), (b"\x80\x04}\x97.", "NEXT_BUFFER", "3")):
            self.assertEqual(f"tpq: FILE: not read: this pickle asks for code (opcode {opcode} at byte {place}); only plain snapshots are",
                             self.refused(data).splitlines()[0])

    def test_what_is_no_snapshot(self):
        head = b"\x80\x04"
        shared = head + b"}\x94(\x8c\1xh\0u."
        for data, words in ((pickle.dumps({"weights": [1.5]}, 4), "no list of segments"), (head + b"}]]a0" + b"](" * 1001 + b"e" * 1001 + b".", "deeper than 1,000"),
                            (head + b"}](" + b"]" * 3 + b"a" * 3 + b"0.", "takes values"), (shared, "contains itself"), (head + b"}h\7.", "is not there"),
                            (head + b"}\x8d" + b"\xff" * 7 + b"\1abc", "ends within"), (head + b"}\x8a\x0a" + b"\1" * 10 + b".", "64 bits"),
                            (pickle.dumps(snapshot([event("alloc", "x", 1)]), 4), "wrong value of addr"),
                            (pickle.dumps(snapshot([event("alloc", 1, -1)]), 4), "wrong value of size"),
                            (pickle.dumps(snapshot([{"action": "alloc", "addr": 1}]), 4), "no addr or size"),
                            (pickle.dumps(snapshot([7]), 4), "no event")):
            self.assertIn(words, self.refused(data))

    def test_a_list_that_is_shared_too_often(self):
        events = [event("alloc", i, 1) for i in range(400)]
        self.assertIn("too often", self.refused(pickle.dumps(
            {"segments": [], "device_traces": [events] * 4000}, 4)))

    @plain("memory is no measure with sanitizers")
    def test_few_bytes_that_would_be_many_rows(self):
        """Each of these would take some hundred megabytes or far more."""
        def text(words):
            return b"X" + struct.pack("<I", len(words)) + words

        def dict_of(more=b"", **members):
            return b"}(" + b"".join(text(key.encode()) + value for key, value in members.items()) + more + b"u"
        plain = {"action": text(b"alloc"), "addr": b"K\1", "size": b"K\1"}
        frame = dict_of(filename=text(b"a.py"), name=text(b"forward"), line=b"K\1")
        name = text(b"x" * 60000) + b"\x94"
        many, frames = 3000000, text(b"frames")
        for items, words in ((dict_of(**plain) + b"\x94" + b"h\0" * (many // 6), "too often"),
                             (dict_of(**plain) + b"2" * (many // 6), "too often"),
                             (b"N" * 20 * many, "more values"),
                             (b"]" * many, "more values"),
                             (dict_of(frames + b"](" + frame + b"\x94" + b"h\0" * many + b"e", **plain), "more stacks"),
                             (dict_of(**plain, user_metadata=name) + dict_of(text(b"user_metadata") + b"h\0", **plain) * 2000, "repeats its texts"),
                             (b"".join(dict_of(frames + b"](" + dict_of(filename=text(b"a.py"), name=b"h\0" if i else name, line=b"M" + struct.pack("<H", i)) + b"e",
                                               **plain) for i in range(2000)), "repeats its texts"),
                             (dict_of(frames + b"](" + dict_of(filename=text(b"a.py"), name=name, line=b"K\1") + b"\x94" + b"h\1" * 2000 + b"e", **plain),
                              "repeats its texts")):
            data = b"\x80\x04}(" + text(b"segments") + b"]" + text(b"device_traces") + b"](](" + items + b"eeu."
            with gzip.open(self.path("a.pickle.gz"), "wb", 6) as out:
                out.write(data)
            memory, said = self.peak_memory("ingest", self.path("a.pickle.gz"), status=3)
            self.assertIn(words, said)
            self.assertLess(memory, 200 << 20, words)

    def test_metadata_of_users_is_not_read_for_reports(self):
        """No report of tpq asks for it; a file of the user may."""
        made = snapshot([event("alloc", i, 1, user_metadata=str(i) * 400 + "abc") for i in range(30000)])
        self.ingest(made)
        self.assertEqual(30000, self.value("SELECT count(*) FROM memory_allocation WHERE user_metadata LIKE '%abc'"))
        self.write("few.pickle", pickle.dumps(snapshot([event("alloc", 1, 1, user_metadata="same", category="same"), event("alloc", 2, 1, user_metadata="other")]), 4))
        self.write("own/own.sql", "-- Metadata of users.\n-- set: snapshot\nCREATE VIEW own AS\nSELECT\n  user_metadata AS words, -- words\n  category AS category -- category\n"
                   "FROM memory_allocation;\n")
        self.assertEqual("words,category\nsame,same\nother,\n", self.tpq("report", "few.pickle", "--report-dir", "own", "own", "--csv=-").out)
        plain, _ = self.peak_memory("report", self.path("a.pickle"))
        whole, _ = self.peak_memory("report", self.path("a.pickle"), "--where", "1")
        self.assertLess(plain + (20 << 20), whole)


if __name__ == "__main__":
    main()
