"""Inputs in which a few bytes stand for many: memory and the warehouse stay in proportion to their size."""

import json
import os
import resource

from support import Case, main, plain, slice_event, trace_of
from xplane import Profile, Ref, computation, instruction, program

FREE, TIMES = 64 << 20, 200
SHORT = "f32[2]{0}"


def long_shape(extents=5000):
    return "f32[" + ",".join(["1"] * extents) + "]"


@plain("sanitizers have memory of their own")
class Bombs(Case):
    def bounded(self, name, content):
        """Takes an input in within its bounds; gives the notes."""
        path = self.write(name, content)
        size = os.path.getsize(path)

        def limit():
            resource.setrlimit(resource.RLIMIT_DATA, (FREE + TIMES * size,) * 2)
        self.tpq("ingest", "-j", "1", "--run", "r", path, preexec_fn=limit, env={"GLIBC_TUNABLES": ""})
        self.assertLess(os.path.getsize(self.db), FREE + TIMES * size)
        self.check()
        return self.notes()

    def program(self, computations, works=()):
        """A profile with a program, and kernels that carry instructions out."""
        profile = Profile()
        profile.programs({1: ("jit_f", program("jit_f", 1, computations))})
        line = profile.plane("/device:GPU:0").line("Stream #1(Kernel)", 1)
        for i, op in enumerate(works):
            line.event("k", i * 1000, 500, {"hlo_op": Ref(op), "program_id": 1})
        return profile

    def events(self, count, stats, name="k"):
        profile = Profile()
        plane = profile.plane("/device:GPU:0")
        line = plane.line("Stream #1(Kernel)", 1)
        for i in range(count):
            line.event(name, i * 1000, 500, stats(i))
        return profile


class Programs(Bombs):
    def test_groups_that_are_written_out(self):
        groups = [instruction(i, f"a{i}", "all-reduce", SHORT, iota=(1, 1 << 16, [1 << 8, 1 << 8], [1, 0]))
                  for i in range(1000)]
        notes = self.bounded("a.xplane.pb", self.program([computation(1, "main", groups)]).bytes())
        self.assertGreater(notes["expansion"], 600)
        self.assertEqual(self.value("SELECT count(*) FROM hlo_instruction"), 1000)
        kept, sized = self.rows("SELECT count(replica_groups), sum(attributes LIKE '%group_size%') "
                                "FROM hlo_instruction")[0]
        self.assertEqual(kept + sized, 1000)
        self.assertGreater(kept, 0)

    def test_operands_that_are_a_long_shape(self):
        items = [instruction(1, "p", "parameter", long_shape())]
        items += [instruction(i, f"a{i}", "add", SHORT, [1] * 200) for i in range(2, 102)]
        notes = self.bounded("a.xplane.pb", self.program([computation(1, "main", items)], ["a5"] * 50).bytes())
        self.assertGreater(notes["expansion"], 0)
        self.assertEqual(self.value("SELECT count(*) FROM hlo_instruction"), 101)

    def test_fusions_that_call_the_same_long_product(self):
        inner = computation(2, "inner", [
            instruction(1, "p", "parameter", long_shape(20000)),
            instruction(2, "d", "dot", long_shape(20000), [1, 1], dot=[[0], [0], [], []])] + [
                instruction(10 + i, f"x{i}", "add", SHORT) for i in range(3000)])
        outer = [instruction(10000 + i, f"f{i}", "fusion", SHORT, [], fusion="kLoop", calls=[2]) for i in range(3000)]
        profile = self.program([inner, computation(1, "main", outer)], [f"f{i}" for i in range(3000)])
        notes = self.bounded("a.xplane.pb", profile.bytes())
        self.assertGreater(notes["expansion"], 0)
        self.assertEqual(self.value("SELECT count(*) FROM gpu_event"), 3000)

    def test_a_computation_with_a_long_name(self):
        items = [instruction(i, f"a{i}", "add", SHORT) for i in range(1, 1000)]
        notes = self.bounded("a.xplane.pb", self.program([computation(1, "c" * 200000, items)]).bytes())
        self.assertGreater(notes["expansion"], 0)
        self.assertEqual(self.value("SELECT max(length(computation)) FROM hlo_instruction"), 200000)


class Events(Bombs):
    def test_references_to_a_long_text(self):
        long = Ref("n" * 100000)
        notes = self.bounded("a.xplane.pb", self.events(1200, lambda i: {"a": long, "i": i}).bytes())
        self.assertGreater(notes["expansion"], 900)
        self.assertEqual(self.value("SELECT count(*) FROM gpu_event"), 1200)
        self.assertEqual(self.value("SELECT sum(json LIKE '%\"i\":%') FROM args"), 1200)

    def test_one_event_with_many_references(self):
        profile = Profile()
        plane = profile.plane("/device:GPU:0")
        names = {f"s{i}": Ref("n" * 100000) for i in range(1200)}
        plane.line("Stream #1(Kernel)", 1).event("k", 0, 500, names)
        self.assertGreater(self.bounded("a.xplane.pb", profile.bytes())["expansion"], 900)

    def test_names_of_stats_that_are_long(self):
        notes = self.bounded("a.xplane.pb", self.events(1200, lambda i: {"s" * 100000: i}).bytes())
        self.assertGreater(notes["expansion"], 900)

    def test_types_with_long_stats(self):
        profile = self.events(3000, lambda i: {"i": i})
        profile.planes[0].type_stats["k"] = {f"long{i}": "x" * 4000 for i in range(20)}
        self.assertGreater(self.bounded("a.xplane.pb", profile.bytes())["expansion"], 1000)

    def test_stats_of_a_plane(self):
        profile = self.events(1, lambda i: {})
        profile.planes[0].own = [("a", Ref("n" * 100000))] * 1200
        self.bounded("a.xplane.pb", profile.bytes())

    def test_scopes_of_a_million_colons(self):
        profile = self.program([computation(1, "main", [instruction(1, "a", "add", SHORT)])],
                               [":" * 1000000, "x::" * 120000 + "a", "x::y::a"])
        self.bounded("a.xplane.pb", profile.bytes())
        self.assertEqual(self.value("SELECT count(instruction_id) FROM xla_event"), 1)

    def test_many_counters(self):
        profile = Profile()
        for i in range(1200):
            profile.plane(f"/device:CUSTOM:{i}", i).line("_counters_", i).event("c", 0, 1)
        profile.plane("/device:GPU:0").line("Stream #1(Kernel)", 1).event("k", 0, 500)
        self.bounded("a.xplane.pb", profile.bytes())
        self.assertEqual(self.value("SELECT count(*) FROM event"), 1)

    def test_lines_of_a_plane_with_a_long_name(self):
        profile = Profile()
        plane = profile.plane("/device:GPU:0" + "n" * 100000)
        for i in range(1200):
            plane.line(f"Stream #{i}(Kernel)", i + 1).event("k", 0, 500)
        self.assertGreater(self.bounded("a.xplane.pb", profile.bytes())["expansion"], 900)


class Others(Bombs):
    def test_threads_of_a_process_with_a_long_name(self):
        events = [{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "é" * 200000}}]
        events += [slice_event("a", 1, 2, thread=i) for i in range(1200)]
        notes = self.bounded("a.json", json.dumps(trace_of(*events), ensure_ascii=False))
        self.assertGreater(notes["expansion"], 900)
        self.assertEqual(self.value("SELECT max(length(process_name)) FROM track"), 200000)
        self.assertEqual(self.value("SELECT min(process_name) FROM track"), "é" * 128)

    def test_columns_with_long_names(self):
        head = "OP CODE,OP TYPE,DEVICE ID,DEVICE KERNEL DURATION [ns]," + "c" * 100000
        rows = [f"A,tt_dnn_device,0,5,{i}" for i in range(1200)]
        self.assertGreater(self.bounded("a.csv", "\n".join([head, *rows, ""]))["expansion"], 900)


if __name__ == "__main__":
    main()
