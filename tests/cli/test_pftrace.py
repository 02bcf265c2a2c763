"""Traces in Perfetto's format: what becomes of their packets in the warehouse and in reports. They
are made by tests/tools/perfetto.py."""
import csv
import io
import json
import os
import random
import struct

from support import Case, sheets_in, main
from perfetto import Trace, annotation, chrome, field, fixed, message, number, scene

SLICES = ("SELECT coalesce(above.text, ''), string.text, category.name, event.ts_ns, event.dur_ns, event.correlation FROM event"
          " JOIN string ON string.id = event.name_id JOIN category ON category.id = event.category_id"
          " LEFT JOIN event AS parent ON parent.id = event.parent_id LEFT JOIN string AS above ON above.id = parent.name_id"
          " ORDER BY event.id")


class Pftrace(Case):
    def ingest(self, trace, *options, name="t.pftrace", **more):
        content = trace if isinstance(trace, bytes) else trace.bytes()
        return self.tpq("ingest", self.write(name, content), *options, **more)

    def arguments(self):
        return [json.loads(row[0]) for row in self.rows("SELECT json FROM args ORDER BY id")]


class Slices(Pftrace):
    def test_rocprof(self):
        self.ingest(scene())
        self.assertEqual(
            [("", "hipModuleLaunchKernel", "cuda_runtime", 0, 10000, 1), ("hipModuleLaunchKernel", "Cijk_Alik_Bljk_MT64x64x64.kd", "kernel", 30000, 100000, 1),
             ("", "hipModuleLaunchKernel", "cuda_runtime", 100000, 8000, 2), ("hipModuleLaunchKernel", "loop_add_fusion_12", "kernel", 140000, 20000, 2),
             ("", "hipMemcpyHtoDAsync", "cuda_runtime", 200000, 6000, 3), ("hipMemcpyHtoDAsync", "MEMORY_COPY_HOST_TO_DEVICE", "gpu_memcpy", 210000, 30000, 3),
             ("", "hipStreamSynchronize", "cuda_runtime", 300000, 400000, 4), ("", "hipModuleLaunchKernel", "cuda_runtime", 750000, 4000, 5),
             ("hipModuleLaunchKernel", "loop_add_fusion_13", "kernel", 760000, 12000, 5), ("", "ncclDevKernel_Generic_1", "kernel", 100000, 50000, 6),
             ("", "tiny", "kernel", 780000, 1000, 7)], self.rows(SLICES))
        self.assertEqual([(0, 7, None), (0, 7, None), (0, 8, 4096), (1, 7, None), (0, 9, None), (1, 7, None)],
                         self.rows("SELECT device, stream, bytes FROM gpu_event ORDER BY id"))
        self.assertEqual([("100", "1", "app", "THREAD 0 (1)")],
                         self.rows("SELECT process, thread, process_name, thread_name FROM track WHERE kind = 'thread'"))

    def test_first_packets_as_long_as_a_bracket(self):
        """The file begins with a line end and a bracket, as JSON may."""
        for length in map(ord, "{["):
            for first in (field(4, message((1, 1))), field(6, message((1, message((1, 6), (2, 10))))), field(8, 5), field(1, message((1, 0)))):
                rest = length - len(first) - 3
                packet = first + field(900, b"x" * (rest - 1))
                packet = packet if len(packet) == length else first + field(900, b"x" * (rest - 1 - len(packet) + length))
                content = field(1, packet) + scene().bytes()
                self.assertEqual(b"\n" + bytes([length]), content[:2])
                self.ingest(content, "--replace")
                self.assertEqual([("pftrace", 11)], self.rows("SELECT format, (SELECT count(*) FROM event) FROM trace"))

    def test_forms_of_the_same(self):
        found = []
        for seed, compress, interned in ((None, 0, True), (None, 4, True), (None, 1, True)):
            self.db = self.path("%s%s.db" % (compress, interned))
            self.ingest(scene().bytes(compress))
            found.append((self.rows(SLICES), self.arguments()))
        self.assertEqual([found[0]] * 3, found)

    def test_packets_in_another_order(self):
        """Of writers that number no texts nothing depends on the order, but for what happens at one time."""
        def trace(seed):
            trace = Trace()
            plain = trace.sequence(3, interned=False)
            plain.first = False
            for i in range(20):
                plain.event(1, 5, "a%d" % (i % 3), "hip_api", 100 * i, args={"corr_id": i + 1}, old=True)
                plain.event(1, 5, "inside", "x", 100 * i + 10)
                plain.event(2, 5, time=100 * i + 20)
                plain.event(2, 5, time=100 * i + 50, args={"more": i % 2})
            for packet in range(len(trace.packets)):
                trace.packets[packet] = trace.packets[packet].replace(field(13, 2), b"")
            trace.thread(5, 1, 2, "t")
            if seed:
                trace.shuffle(seed)
            return trace
        found = []
        for seed in (None, 1, 2, 3):
            self.db = self.path("%s.db" % seed)
            self.ingest(trace(seed))
            found.append((self.rows(SLICES), self.rows("SELECT process, thread, thread_name FROM track"), sorted(map(str, self.arguments()))))
        self.assertEqual(40, len(found[0][0]))
        self.assertEqual(("a0", "inside", "library_call", 10, 10, None), found[0][0][1])
        self.assertEqual(["{'category': 'x'}", "{'more': 0}", "{'more': 1}"], found[0][2])
        self.assertEqual([found[0]] * 4, found)

    def test_sequences_have_texts_of_their_own(self):
        trace = Trace()
        other = trace.sequence(2)
        trace.main.event(1, 5, "one", "cpu_op", 10)
        other.event(1, 6, "two", "cpu_op", 20)
        trace.main.event(2, 5, time=30)
        other.event(2, 6, time=40)
        trace.main.known.clear()
        trace.main.first = True  # its numbers begin anew
        trace.main.event(1, 5, "three", "cpu_op", 50)
        trace.main.event(2, 5, time=60)
        trace.thread(5, 1, 1, "a")
        trace.thread(6, 1, 2, "b")
        self.ingest(trace)
        self.assertEqual([("one", 0, 20), ("three", 40, 10), ("two", 10, 20)], [(row[1], row[3], row[4]) for row in self.rows(SLICES)])

    def test_what_needs_a_state_that_is_lost(self):
        trace = Trace()
        late = trace.sequence(4)
        late.first = False
        late.event(1, 5, "never", "cpu_op", 10)
        trace.main.event(1, 5, "a", "cpu_op", 20)
        trace.packets.append(field(10, 1) + field(42, 1))
        trace.main.event(2, 5, time=30)
        self.ingest(trace)
        self.assertEqual([("a", 0)], [(row[1], row[4]) for row in self.rows(SLICES)])
        self.assertEqual((2, 1), (self.notes()["state_missing"], self.notes()["range_open"]))

    def test_ends_and_begins_that_are_alone(self):
        trace = Trace()
        trace.main.event(2, 5, time=5)
        trace.main.event(1, 5, "open", "cpu_op", 10)
        trace.main.event(1, 5, "inside", "cpu_op", 20)
        trace.main.event(2, 5, time=30)
        trace.main.event(1, 6, "last", "cpu_op", 40)
        trace.main.event(2, 6, time=90)
        trace.main.event(3, 5, "point", "x", 50)
        trace.main.event(3, 5, "marked", "marker_api", 60)
        trace.main.event(7, 5, "what", "x", 60)
        self.ingest(trace)
        self.assertEqual({("open", 80), ("inside", 10), ("last", 50), ("marked", 0)}, {(row[1], row[4]) for row in self.rows(SLICES)})
        self.assertEqual([("point", "marked")], self.rows("SELECT kind, name FROM signpost"))
        notes = self.notes()
        self.assertEqual([1] * 4, [notes[kind] for kind in ("end_alone", "range_open", "point_unused", "packet_unused")])

    def test_values(self):
        trace = Trace()
        values = {"b": True, "i": -3, "u": 2 ** 63 + 1, "r": 1.5, "s": "text", "d": {"x": 1, "y": [1, "two"]}, "n": float("inf")}
        trace.main.event(1, 5, "a", "cpu_op", 10, args=values)
        trace.main.event(2, 5, time=20, args={"late": 1, "s": "new"})
        json_value = field(10, "j") + field(9, '{"b": 2, "a": [1]}')
        nested = field(10, "o") + field(8, message((1, 1), (2, "k"), (3, message((5, 7)))))
        pointer = field(10, "p") + field(7, 255)
        trace.main.packet(field(11, message((9, 1), (11, 5), (23, "b"), (4, json_value), (4, nested), (4, pointer))), time=30)
        trace.main.event(2, 5, time=40)
        self.ingest(trace)
        found = {row[0]: json.loads(row[1]) for row in self.rows(
            "SELECT text, json FROM event JOIN args ON args.id = args_id JOIN string ON string.id = name_id")}
        self.assertEqual({"a": {**values, "n": None, "late": 1, "s": "new"}, "b": {"j": {"a": [1], "b": 2}, "o": {"k": 7}, "p": "0xff"}}, found)

    def test_values_of_rare_kinds(self):
        trace = Trace()
        nested = lambda *fields: (3, message(*fields))
        older = message((1, 1), *((2, key) for key in "rbsle"), nested((6, 1.5)), nested((7, 1)), nested((8, "in")),
                        nested((1, 2), (4, message((5, -1))), (4, message((7, 0)))), nested((1, 3)))
        parts = [field(10, "o") + field(8, older), field(10, "j") + field(9, "{no json"), field(10, "known") + field(17, 3), field(10, "none")]
        trace.main.packet(field(11, message((9, 1), (11, 5), (23, "a"), *((4, part) for part in parts))) +
                          field(12, message((29, message((1, 3), (2, "text"))))), time=30)
        trace.main.event(2, 5, time=40)
        self.ingest(trace)
        self.assertEqual([{"o": {"r": 1.5, "b": True, "s": "in", "l": [-1, False], "e": None}, "j": "{no json", "known": "text", "none": None}],
                         self.arguments())

    def test_numbers_that_are_stated_as_reals(self):
        trace = Trace()
        trace.thread(5, 1, 1, "t")
        for number, stated in ((7, 7.0), (8, 8.5), (9, 1e300)):
            trace.slice(5, "hip_api", "call%d" % number, 10 * number, 5, {"corr_id": stated})
            trace.slice(6, "kernel_dispatch", "k%d" % number, 100 + 10 * number, 5, {"corr_id": number})
        self.ingest(trace)
        self.assertEqual([("call7", "k7"), ("", "k8"), ("", "k9")], [row[:2] for row in sorted(self.rows(SLICES), key=lambda row: row[1]) if row[2] == "kernel"])

    def test_own_times_are_more_exact(self):
        trace = Trace()
        trace.slice(5, "kernel_dispatch", "k", 1000, 100, {"begin_ns": 990, "end_ns": 1103, "agent": "GPU-3", "queue": 1})
        trace.track(5, "COMPUTE AGENT [4] QUEUE [6] (GPU)")
        self.ingest(trace)
        self.assertEqual([(113, 3, 6)], self.rows("SELECT dur_ns, device, stream FROM gpu_event"))
        self.assertEqual(990, self.value("SELECT clock_start_ns FROM trace"))

    def test_clocks(self):
        trace = Trace()
        clock = lambda *fields: field(1, message(*fields))
        trace.main.packet(field(6, clock((1, 6), (2, 5000)) + clock((1, 64), (2, 5), (3, 1), (4, 1000)) + clock((1, 3), (2, 100)) +
                                clock((1, 1), (2, 1700000000000000000))))
        trace.main.packet(field(59, message((58, 64), (11, message((11, 5))))))
        trace.main.event(1, None, "a", "cpu_op", 1)  # 5,000 + 1,000
        trace.main.event(2, None, time=2)  # and 2,000 more
        trace.main.event(1, None, "b", "cpu_op", 5100, clock=3)
        trace.main.event(2, None, time=10100, clock=6)
        trace.main.event(1, None, "c", "cpu_op", 1, clock=65)
        trace.thread(5, 1, 1, "t")
        self.ingest(trace)
        self.assertEqual([("a", 0, 2000), ("b", 4000, 100)], [(row[1], row[3], row[4]) for row in self.rows(SLICES)])
        self.assertEqual([(6000, 1700000000000000000 + 1000)], self.rows("SELECT clock_start_ns, wall_start_ns FROM trace"))
        self.assertEqual(1, self.notes()["time_missing"])

    def test_packets_without_an_event_move_a_clock_that_counts_on(self):
        trace = Trace()
        clock = lambda *fields: field(1, message(*fields))
        trace.main.packet(field(6, clock((1, 6), (2, 5000)) + clock((1, 64), (2, 5000), (3, 1))), field(59, message((58, 64), (11, message((11, 5))))), time=0)
        trace.main.event(1, None, "a", "cpu_op", 10)
        trace.main.packet(field(60, message((1, 7), (2, "new"))), time=100)
        trace.main.event(2, None, time=5)
        trace.main.event(1, 7, "b", "cpu_op", 1)
        trace.main.event(2, 7, time=3)
        self.ingest(trace)
        self.assertEqual({("a", 0, 105), ("b", 106, 3)}, {(row[1], row[3], row[4]) for row in self.rows(SLICES)})
        self.assertEqual(5010, self.value("SELECT clock_start_ns FROM trace"))

    def test_the_clock_of_the_trace(self):
        """The boot clock, unless another is said to be it, or the boot clock is not shown at all."""
        clock = lambda *fields: field(1, message(*fields))
        mine = clock((1, 64), (2, 5000), (3, 1))
        for snapshots, start in (([clock((1, 3), (2, 700)) + mine], 710),
                                 ([clock((1, 3), (2, 700)) + clock((1, 6), (2, 9000)) + mine + field(2, 3)], 710),
                                 ([clock((1, 3), (2, 700)) + clock((1, 6), (2, 9000)) + mine], 9010),
                                 ([clock((1, 6), (2, 9000)) + clock((1, 3), (2, 700)), clock((1, 3), (2, 720)) + mine], 9030)):
            trace = Trace()
            for snapshot in snapshots:
                trace.main.packet(field(6, snapshot))
            trace.main.packet(field(59, message((58, 64), (11, message((11, 5))))))
            trace.main.event(1, None, "a", "cpu_op", 10)
            trace.main.event(2, None, time=5)
            self.db = self.path("%d-%d.db" % (start, len(os.listdir(self.folder))))
            self.ingest(trace, name="%d.pftrace" % len(os.listdir(self.folder)))
            self.assertEqual([(start, 5)], self.rows("SELECT clock_start_ns, dur_ns FROM trace JOIN event"))

    def test_new_defaults_replace_the_old_ones(self):
        trace = Trace()
        trace.main.packet(field(59, message((58, 64), (11, message((11, 5))))))
        trace.main.packet(field(59, message((11, message((11, 6))))))
        trace.main.event(1, None, "a", "cpu_op", 10)
        trace.main.event(2, None, time=15)
        trace.thread(6, 1, 2, "t")
        self.ingest(trace)
        self.assertEqual([("1", "2", 5)], self.rows("SELECT process, thread, dur_ns FROM event JOIN track ON track.id = track_id"))

    def test_ids_of_several_processes(self):
        trace = Trace()
        for pid in (40, 41):
            trace.process(pid, pid, "p%d" % pid)
            trace.thread(pid + 10, pid, pid, "t", parent=pid)
            trace.track(pid + 20, "COMPUTE AGENT [%d] STREAM [1] (GPU)" % pid, parent=pid)
        trace.track(9, "COMPUTE AGENT [9] STREAM [1] (GPU)")
        for pid, at in ((40, 100), (41, 200)):
            trace.slice(pid + 10, "hip_api", "hipLaunchKernel", at, 5, {"corr_id": 7})
            trace.slice(pid + 20, "kernel_dispatch", "k%d" % pid, at + 300, 5, {"corr_id": 7})
        trace.slice(51, "hip_api", "hipMemcpy", 250, 5, {"corr_id": 8})
        trace.slice(60, "kernel_dispatch", "none of its process", 700, 5, {"corr_id": 8})
        trace.slice(9, "memory_copy", "of the only one", 800, 5, {"corr_id": 8})
        trace.slice(9, "kernel_dispatch", "of either", 900, 5, {"corr_id": 7})
        self.ingest(trace)
        self.assertEqual({("k40", 40, 7), ("k41", 41, 7), ("none of its process", None, 8), ("of the only one", 41, 8), ("of either", None, 7)}, set(self.rows(
            "SELECT text, CAST(process AS INTEGER), event.correlation FROM gpu_event JOIN event USING (id) JOIN string ON string.id = event.name_id"
            " LEFT JOIN event AS call ON call.id = event.parent_id LEFT JOIN track ON track.id = call.track_id")))
        self.assertEqual(2, self.notes()["gpu_without_launch"])

    def test_calls_of_no_known_process_are_no_process(self):
        for others in ((), (40, 41)):
            trace = Trace()
            for pid in (39, *others):
                trace.process(pid, pid, "p")
                trace.thread(pid + 10, pid, pid, "t", parent=pid)
                trace.slice(pid + 10, "hip_api", "hipLaunchKernel", 100, 5, {"corr_id": pid})
            trace.slice(99, "hip_api", "hipFree", 200, 5, {"corr_id": 8})
            for track, number in ((9, 39), (9, 8)):
                trace.slice(track, "kernel_dispatch", "k", 300 + number, 5, {"corr_id": number})
            self.db = self.path("%d.db" % len(others))
            self.ingest(trace, name="%d.pftrace" % len(others))
            self.assertEqual([("hipFree", 8), ("hipLaunchKernel", 39)], sorted(self.rows(
                "SELECT text, gpu_event.correlation FROM gpu_event JOIN event ON event.id = gpu_event.call_id JOIN string ON string.id = event.name_id")))

    def test_arrows(self):
        trace = Trace()
        trace.thread(5, 1, 1, "t")
        trace.thread(6, 1, 2, "u")
        trace.track(7, "gpu")
        trace.slice(5, "cuda_runtime", "launch", 10, 10, flows=[77])
        trace.slice(7, "kernel", "k", 50, 10, ending=[77])
        trace.slice(5, "a", "x", 30, 5, flows=[8])
        trace.slice(6, "a", "y", 40, 5, flows=[8])
        trace.slice(6, "a", "z", 60, 5, ending=[8], old=True)
        trace.slice(6, "a", "w", 70, 5, flows=[8])  # begins anew, and leads nowhere
        trace.main.event(3, 5, "point", "x", 50, flows=[8])
        self.ingest(trace)
        self.assertEqual([("launch", "k", None)], [(row[0], row[1], row[5]) for row in self.rows(SLICES) if row[1] == "k"])
        self.assertEqual([("x", "y", "flow"), ("y", "z", "flow")], self.rows(
            "SELECT a.text, b.text, kind FROM edge JOIN event AS x ON x.id = from_id JOIN event AS y ON y.id = to_id"
            " JOIN string AS a ON a.id = x.name_id JOIN string AS b ON b.id = y.name_id ORDER BY 1"))
        self.assertEqual((1, 1), (self.notes()["flow_half"], self.notes()["flow_unused"]))

    def test_arrows_in_one_list(self):
        """Numbers that take 64 bits each, and numbers that take what they need."""
        for begin, end, several in ((47, 48, lambda *ids: struct.pack("<%dQ" % len(ids), *ids)),
                                    (36, 42, lambda *ids: b"".join(map(number, ids)))):
            trace = Trace()
            trace.thread(5, 1, 1, "t")
            for time, (name, key, ids) in enumerate((("a", begin, (8, 2 ** 40)), ("b", end, (8,)), ("c", end, (2 ** 40,)))):
                trace.main.packet(field(11, message((9, 1), (11, 5), (23, name), (key, several(*ids)))), time=10 * time)
                trace.main.event(2, 5, time=10 * time + 5)
            self.db = self.path("%d.db" % begin)
            self.ingest(trace, name="%d.pftrace" % begin)
            self.assertEqual([("a", "b"), ("a", "c")], self.rows(
                "SELECT a.text, b.text FROM edge JOIN event AS x ON x.id = from_id JOIN event AS y ON y.id = to_id"
                " JOIN string AS a ON a.id = x.name_id JOIN string AS b ON b.id = y.name_id ORDER BY 2"))
        trace.main.packet(field(11, message((9, 1), (11, 5), (47, b"short"))), time=90)
        self.one_line(self.ingest(trace, name="bad.pftrace", status=3), "no packet of a Perfetto trace at byte")

    def test_counters(self):
        trace = Trace()
        trace.process(1, 40, "program")
        trace.descriptor((1, 2), (2, "ALLOCATED"), (5, 1), (8, message((3, 3))))
        trace.descriptor((1, 3), (2, "added"), (8, message((4, 1000), (5, 1), (6, "widgets"))))
        value = lambda track, time, part: trace.main.packet(field(11, message((9, 4), (11, track)) + part), time=time)
        value(2, 20, field(30, 7))
        value(2, 10, field(30, -5))
        value(3, 10, field(44, 0.5))
        value(3, 30, field(30, 2))
        value(3, 40, field(44, float("nan")))
        trace.slice(1, "cpu_op", "a", 10, 5)
        self.ingest(trace)
        self.assertEqual([("ALLOCATED", "bytes", "40", "program", 0, -5.0), ("ALLOCATED", "bytes", "40", "program", 10, 7.0),
                          ("added", "widgets", None, None, 0, 500.0), ("added", "widgets", None, None, 20, 2500.0)],
                         self.rows("SELECT name, unit, place, place_name, ts_ns, value FROM counter_sample JOIN counter_track ON counter_track.id = counter_id ORDER BY 1, 5"))
        self.assertEqual(1, self.notes()["not_finite"])

    def test_values_beside_what_events_are_about(self):
        trace = Trace()
        trace.descriptor((1, 3), (2, "instructions"), (8, message((4, 10))))
        trace.descriptor((1, 4), (2, "share"), (8, b""))
        trace.main.packet(field(59, message((11, message((11, 5), (31, 3), (45, 4))))))
        event = lambda *fields, time: trace.main.packet(field(11, b"".join(fields)), time=time)
        event(field(9, 1), field(23, "a"), field(12, 7), field(46, 0.5), time=10)
        event(field(9, 2), field(12, number(8) + number(1)), time=20)  # one more than there are counters
        event(field(9, 1), field(23, "b"), field(31, 4), field(12, 3), time=30)
        event(field(9, 2), time=40)
        self.ingest(trace)
        self.assertEqual([("instructions", 0, 70.0), ("instructions", 10, 80.0), ("share", 0, 0.5), ("share", 20, 3.0)], self.rows(
            "SELECT name, ts_ns, value FROM counter_sample JOIN counter_track ON counter_track.id = counter_id ORDER BY 1, 2"))
        self.assertEqual(1, self.notes()["value_odd"])
        self.assertEqual([("a", 10), ("b", 10)], [(row[1], row[4]) for row in self.rows(SLICES)])

    def test_sums_begin_anew_with_the_state_of_a_sequence(self):
        trace = Trace()
        trace.descriptor((1, 3), (2, "added"), (8, message((5, 1))))
        other = trace.sequence(2)
        value = lambda sequence, time, part: sequence.packet(field(11, message((9, 4), (11, 3)) + part), time=time)
        value(trace.main, 10, field(30, 5))
        value(trace.main, 20, field(30, 2))
        value(other, 25, field(30, 100))
        value(trace.main, 30, field(30, 1))
        trace.main.first = True
        value(trace.main, 40, field(30, 9))
        value(trace.main, 50, field(30, -4))
        value(other, 60, field(30, 1))
        trace.slice(1, "cpu_op", "a", 10, 5)
        self.ingest(trace)
        self.assertEqual([5, 7, 100, 8, 9, 5, 101], [row[0] for row in self.rows("SELECT value FROM counter_sample ORDER BY ts_ns")])

    def test_tracks(self):
        trace = Trace()
        trace.process(1, 40, "program")
        trace.track(2, "work", parent=1)
        trace.track(3, "work", parent=1)
        trace.track(4, "lonely", parent=4)  # below itself
        for track in (2, 3, 4, 99):
            trace.slice(track, "cpu_op", "s", 10, 5)
        trace.packets.append(field(10, 9) + field(13, 1) + field(44, message((1, 41), (2, 42), (5, "old"))) )
        old = trace.sequence(9)
        old.first = False
        old.event(1, None, "s", "cpu_op", 10)
        old.event(2, None, time=15)
        self.ingest(trace)
        self.assertEqual([("40", "3", "program", "work"), ("40", "work", "program", "work"), ("41", "42", None, "old"), ("?", "99", None, None),
                          ("?", "lonely", None, "lonely")],
                         sorted(self.rows("SELECT process, thread, process_name, thread_name FROM track"), key=lambda row: row[:2]))

    def test_times_of_older_writers(self):
        trace = Trace()
        trace.main.packet(field(44, message((1, 41), (2, 42), (5, "old"), (6, 100))))
        for parts in (((1, 10), (9, 1), (23, "a")), ((1, 5), (9, 1), (23, "b"), (11, 0)), ((1, 2), (9, 2), (11, 0)), ((16, 200), (9, 2)),
                      ((1, 1), (9, 1), (23, "c")), ((1, 1), (9, 2))):
            trace.main.packet(field(11, message(*parts)))
        lost = trace.sequence(2)
        lost.packet(field(11, message((1, 10), (9, 1), (23, "never"))))
        self.ingest(trace)
        self.assertEqual([("a", 0, 90000), ("b", 5000, 2000), ("c", 8000, 1000)], sorted((row[1], row[3], row[4]) for row in self.rows(SLICES)))
        self.assertEqual((110000, 1), (self.value("SELECT clock_start_ns FROM trace"), self.notes()["time_missing"]))
        self.assertEqual([("41", "42")], self.rows("SELECT process, thread FROM track"))

    def test_times_of_older_writers_are_monotonic_and_come_first(self):
        trace = Trace()
        shown = lambda *fields: field(1, message(*fields))
        event = lambda *parts, **more: trace.main.packet(field(11, message(*parts)), **more)
        trace.main.packet(field(6, shown((1, 6), (2, 5000000)) + shown((1, 3), (2, 100000))))
        trace.main.packet(field(44, message((1, 41), (2, 42), (5, "old"), (6, 100))))
        event((1, 10), (9, 1), (23, "a"))
        event((1, 5), (9, 2), time=9)
        trace.main.event(1, None, "b", "cpu_op", 5020000)
        trace.main.event(2, None, time=5030000)
        self.ingest(trace)
        self.assertEqual([("a", 0, 5000), ("b", 10000, 10000)], sorted((row[1], row[3], row[4]) for row in self.rows(SLICES)))
        self.assertEqual(5010000, self.value("SELECT clock_start_ns FROM trace"))

    def test_what_is_lost_ends_times_that_are_added_up(self):
        trace = Trace()
        event = lambda *parts, before=b"": trace.main.packet(before + field(11, message(*parts)), flags=0)
        trace.main.packet(field(44, message((1, 41), (2, 42), (5, "old"), (6, 100))), flags=1)
        event((1, 10), (9, 1), (23, "a"))
        event((1, 10), (9, 2))
        event((1, 10), (9, 1), (23, "lost"), before=field(42, 1))
        event((1, 10), (9, 2))
        self.ingest(trace)
        self.assertEqual([("a", 10000)], [(row[1], row[4]) for row in self.rows(SLICES)])
        self.assertEqual(2, self.notes()["time_missing"])

    def test_clocks_that_are_too_far_apart(self):
        trace = Trace()
        shown = lambda *fields: field(1, message(*fields))
        trace.main.packet(field(6, shown((1, 6), (2, -2 ** 62)) + shown((1, 1), (2, 2 ** 63 - 1))))
        trace.slice(5, "cpu_op", "a", 10, 5)
        self.ingest(trace)
        self.assertEqual([(10, None)], self.rows("SELECT clock_start_ns, wall_start_ns FROM trace"))

    def test_letters_of_older_writers(self):
        trace = Trace()
        trace.main.event(0, 5, "whole", "cpu_op", 10, legacy=message((2, ord("X")), (3, 7)))
        trace.main.event(0, 5, "half", "cpu_op", 9000, legacy=message((2, ord("B"))))
        trace.main.event(0, 5, time=9500, legacy=message((2, ord("E"))))
        self.ingest(trace)
        self.assertEqual([("whole", 7000), ("half", 500)], [(row[1], row[4]) for row in self.rows(SLICES)])


class Odd(Pftrace):
    def test_what_is_not_read_is_counted(self):
        trace = scene()
        trace.packets.append(field(200, b"x"))
        trace.packets.append(field(33, b"x"))  # about the recording
        self.ingest(trace.bytes() + field(2, 5))
        self.assertEqual(2, self.notes()["packet_unused"])

    def test_truncated(self):
        whole = scene().bytes()
        sizes = random.Random(1).sample(range(60, len(whole) - 1), 25)
        ends, at = set(), 0
        for packet in scene().packets:
            at += len(field(1, packet))
            ends.add(at)
        for size in sizes:
            if size not in ends:
                self.one_line(self.ingest(whole[:size], status=3), "byte")
        self.ingest(whole[:-3], "--salvage")
        self.assertEqual(1, self.notes()["salvaged"])

    def test_hostile(self):
        good = scene().bytes()
        dice = random.Random(2)
        for number in range(40):
            bad = bytearray(good)
            for _ in range(dice.randrange(1, 9)):
                bad[dice.randrange(6, len(bad))] = dice.randrange(256)
            self.write(f"bad/{number}.pftrace", bytes(bad))
        self.tpq("ingest", "--run", "bad", *(f"bad/{number}.pftrace" for number in range(40)), status=3)
        deep = annotation("leaf", 1)
        for _ in range(200):
            deep = field(10, "d") + field(11, deep)
        trace = Trace()
        trace.main.packet(field(11, message((9, 1), (11, 5), (23, "deep"), (4, deep))), time=30)
        self.ingest(trace, name="deep.pftrace")
        for damaged in (field(50, b"no zlib"), field(50, b"")):
            self.one_line(self.ingest(good + field(1, damaged), status=3), "compressed")

    def test_not_taken_for_others(self):
        self.ingest(scene())
        self.write("c.json", chrome())
        self.tpq("ingest", "c.json")
        self.assertEqual([("pftrace",), ("kineto",)], self.rows("SELECT format FROM trace ORDER BY id"))
        for content in (b"\n\x05hello", b"\n\n\n", b"\n\x02\x40"):
            self.tpq("ingest", self.write("x.pftrace", content), status=3)


class Reports(Pftrace):
    """Figures as the reference gave them for this trace."""

    def prepare(self):
        self.write("t.pftrace", scene().bytes())
        self.write("t.json", chrome())

    def sheet(self, report, *options, file="t.pftrace"):
        return list(csv.reader(io.StringIO(self.tpq("report", file, report, *options, "--set", "pftrace", "--csv", "-").out)))[1:]

    def test_where_the_time_goes(self):
        usual = ["api_kernel_summary", "category_summary", "hip_summary", "kernel_summary", "memory_copy_by_copy_bytes", "xla_top"]
        for words, sheets in ((), usual + ["idle_causes", "time_parts"]), (("--compat",), usual), (("--set", "pftrace"), usual):
            found = sheets_in(self.tpq("report", "t.pftrace", *words, "--json").out)
            self.assertEqual(sorted(sheets), sorted(found))
            self.assertTrue(all(found.values()))
        self.assertIn("Most idle time: hipStreamSynchronize", self.tpq("report", "t.pftrace").out.replace("\n", " "))

    def holds(self, wanted, found):
        self.assertEqual(len(wanted), len(found), found)
        for row, cells in zip(wanted, found):
            self.assertEqual(len(row), len(cells))
            for cell, text in zip(row, cells):
                if isinstance(cell, str):
                    self.assertEqual(cell, text)
                elif cell is not None:
                    self.assertAlmostEqual(cell, float(text), places=9)

    def test_categories(self):
        for compat in ((), ("--compat",)):
            rows = self.sheet("category_summary", *compat)
            self.holds([["0", "xla", 0.02, 1, 2 / 15, 0.1], ["0", "gemm", 0.1, 1, 2 / 3, 0.5], ["0", "memcpy/memset", 0.03, 1, 0.2, 0.15],
                        ["0", "rccl", 0.05, 1, 1 / 3, 0.25], ["0", "overlapped_comm", 0.04, 0, None, None],
                        ["0", "non_overlapped_comm", 0.01, 0, None, None], ["0", "compute_total", 0.15, 0, 1, 0.75],
                        ["0", "total_incl_comm", 0.2, 0, 4 / 3, 1]],
                       [row for row in rows[:14] if float(row[2])])
            averages = {row[1]: row[2:] for row in rows if row[0] == "Avg"}
            self.assertEqual(sorted(averages), [row[1] for row in rows[28:]])
            self.holds([[0.016, 1, 0.56666666666666, 0.55], [0.081, 0, 1, None], [0.106, 0, None, 1]],
                       [averages[name] for name in ("xla", "compute_total", "total_incl_comm")])

    def test_accelerators_are_numbered_by_all_that_names_them(self):
        trace = Trace()
        for track, (name, agent, duration) in enumerate((("a", "GPU-1", 0), ("b", "GPU-0", 9000), ("c", "GPU-1", 8000))):
            trace.slice(5 + track, "kernel_dispatch", name, 100 + track, duration, {"agent": agent, "tid": 1})
        self.write("c.pftrace", trace.bytes())
        busy = lambda *options: [(row[0], float(row[2])) for row in self.sheet("category_summary", *options, file="c.pftrace") if row[1] == "xla" and row[0] != "Avg"]
        self.assertEqual([("0", 0.008), ("1", 0.009)], busy("--compat"))
        self.assertEqual([("0", 0.009), ("1", 0.008)], busy())

    def test_communication_beside_two_kernels(self):
        trace = Trace()
        for track, (name, start, duration) in enumerate((("ncclKernel", 10000, 10000), ("a", 11000, 6000), ("b", 12000, 6000))):
            trace.slice(5 + track, "kernel_dispatch", name, start, duration, {"agent": "GPU-0", "tid": 1})
        self.write("c.pftrace", trace.bytes())
        both = lambda *options: [float(row[2]) for row in self.sheet("category_summary", *options, file="c.pftrace") if "overlapped" in row[1] and row[0] == "0"]
        self.assertEqual([0.007, 0.003], both())
        self.assertEqual([0.012, -0.002], both("--compat"))

    def test_kernels(self):
        self.holds([["loop_add_fusion_12", 0.02, 1, 20 / 33], ["loop_add_fusion_13", 0.012, 1, 12 / 33], ["tiny", 0.001, 1, 1 / 33]], self.sheet("xla_top"))
        self.assertEqual(1, len(self.sheet("xla_top", "--top-xla", "1")))
        rows = self.sheet("kernel_summary")
        self.holds([["47.2%", "100.000 μs", "1", *["100.000 μs"] * 4, "0 ns", "   4096    1    1", "    256    1    1", "64", "0", "32", "0", "0",
                     "Cijk_Alik_Bljk_MT64x64x64.kd", 47.16981132075472, 100000, 100000, 100000, 100000, 100000, 0, 4096, 1, 1, 256, 1, 1]], rows[:1])
        self.holds([["MEMORY_COPY_HOST_TO_DEVICE", 14.150943396226415], ["loop_add_fusion_12", 9.433962264150944], ["loop_add_fusion_13", 5.660377358490567]],
                   [row[15:17] for row in rows[1:]])
        merged = self.sheet("kernel_summary", "--merge-kernels", "--min-event-ns", "0", "--kernel-summary-group", "name", "--kernel-summary-include-rccl")
        self.holds([["Cijk_Alik_Bljk_MTxx.kd", 46.948356807511736], ["ncclDevKernel_Generic_", 23.474178403755868], ["loop_add_fusion_", 15.023474178403756],
                    ["MEMORY_COPY_HOST_TO_DEVICE", 14.084507042253522], ["tiny", 0.4694835680751174]], [row[8:10] for row in merged])
        self.assertEqual(["32000", "16000.0", "16000.0", "12000", "20000", "4000.0"], merged[2][10:])
        self.holds([[100000 / 162000 * 100]], [row[16:17] for row in self.sheet("kernel_summary", "--kernel-summary-baseline", "compute")[:1]])

    def test_calls(self):
        self.holds([["hipStreamSynchronize", 94.33962264150944], ["hipModuleLaunchKernel", 4.245283018867925], ["hipMemcpyHtoDAsync", 1.4150943396226416]],
                   [row[8:10] for row in self.sheet("hip_summary")])
        by_stream = self.sheet("hip_summary", "--hip-summary-group", "name+stream+op", "--min-event-ns", "0")
        self.assertEqual([("0", "11"), ("2", "5"), ("2", "9"), ("3", "5")], [tuple(row[8:10]) for row in by_stream])
        self.assertEqual([], self.sheet("hip_summary", "--min-tid", "2"))

    def test_calls_with_kernels(self):
        def row(device, call, queue, kernel, name, of):
            return ["100", "1", device, "1", "1", *[value for total in (call + queue + kernel, call, queue, kernel) for value in (total,) * 4 + (0,)], name, of]
        launch = "hipModuleLaunchKernel"
        wanted = [row("0", 6000, 4000, 30000, "hipMemcpyHtoDAsync", "MEMORY_COPY_HOST_TO_DEVICE"),
                  row("0", 10000, 20000, 100000, launch, "Cijk_Alik_Bljk_MT64x64x64.kd"), row("0", 8000, 32000, 20000, launch, "loop_add_fusion_12"),
                  row("1", 4000, 6000, 12000, launch, "loop_add_fusion_13")]
        self.holds(wanted, self.sheet("api_kernel_summary"))
        wanted.insert(3, ["100", "1", "0", "1", "0", *[0] * 5, *[400000] * 4, *[0] * 11, "hipStreamSynchronize", ""])
        self.holds(wanted, self.sheet("api_kernel_summary", "--include-nonlaunch-apis"))
        self.assertEqual(3, len(self.sheet("api_kernel_summary", "--exclude-kernel-regex", "Cijk")))

    def test_calls_of_several_processes(self):
        trace = Trace()
        for pid in (40, 41):
            trace.thread(pid + 10, pid, pid, "t")
            trace.process(pid, pid, "p")
            trace.track(pid + 20, "COMPUTE AGENT [0] STREAM [1] (GPU)", parent=pid)
            trace.slice(pid + 10, "hip_api", "hipLaunchKernel", 100 * pid, 5, {"corr_id": 7})
            trace.slice(pid + 20, "kernel_dispatch", "k%d" % pid, 100 * pid + 10, 7, {"corr_id": 7, "agent": "GPU-0"})
        self.write("two.pftrace", trace.bytes())
        self.assertEqual([("40", "k40"), ("41", "k41")], [(row[0], row[-1]) for row in self.sheet("api_kernel_summary", file="two.pftrace")])
        self.assertEqual([("41", "k40")], [(row[0], row[-1]) for row in self.sheet("api_kernel_summary", "--compat", file="two.pftrace")])

    def test_copies(self):
        self.assertEqual([["4096", "h2d (GPU 1)", "1"]], self.sheet("memory_copy_by_copy_bytes", "--compat"))
        trace = Trace()
        for name, size, source, target in (("HOST_TO_DEVICE", 20138, "CPU-0", "GPU-2"), ("HOST_TO_DEVICE", 20138, "CPU-0", "GPU-2"),
                                           ("DEVICE_TO_HOST", 4096, 1, 0), ("DEVICE_TO_DEVICE", 8192, 0, 1), ("HOST_TO_HOST", 1, 0, 0)):
            trace.slice(5, "memory_copy", "MEMORY_COPY_" + name, 10 * len(trace.packets), 5, {"copy_bytes": size, "src_agent": source, "dst_agent": target})
        self.write("c.pftrace", trace.bytes())
        rest = [["1", "other", "1"], ["4096", "d2h (GPU 1)", "1"], ["8192", "d2d (GPU 0 -> GPU 1)", "1"]]
        self.assertEqual(rest + [["20138", "h2d (GPU 2)", "2"]], [row[:3] for row in self.sheet("memory_copy_by_copy_bytes", file="c.pftrace")])
        self.assertEqual(rest + [["20138", "h2d (GPU ?)", "2"]], self.sheet("memory_copy_by_copy_bytes", "--compat", file="c.pftrace"))

    def test_json_says_the_same(self):
        for report in ("category_summary", "xla_top", "kernel_summary", "hip_summary", "api_kernel_summary", "memory_copy_by_copy_bytes"):
            self.assertEqual(self.sheet(report), self.sheet(report, file="t.json"), report)

    def test_pairs_whose_begin_says_all(self):
        events = chrome()["traceEvents"]
        for event in events[:]:
            if event["cat"] == "kernel_dispatch":
                del event["dur"]
                event.update(ph="b", id=event["args"]["corr_id"])
                events.append({**event, "ph": "e", "ts": event["ts"] + 1000, "args": {}})
        self.write("pairs.json", {"traceEvents": events})
        self.assertEqual(self.sheet("category_summary"), self.sheet("category_summary", file="pairs.json"))

    def test_usual_reports(self):
        for report in ("gpu_timeline", "launch_delay", "queue_length", "idle_causes"):
            self.assertGreater(len(self.tpq("report", "t.pftrace", report, "--set", "pytorch", "--csv", "-").out.splitlines()), 1, report)


if __name__ == "__main__":
    main()
