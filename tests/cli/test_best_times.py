"""best_times and slower_than_best: each run against the fastest calls of the same op, shapes and device."""

import json
import sqlite3
import statistics

from support import Case, main

MM, TYPES = [[64, 32], [32, 16], []], ["c10::BFloat16", "c10::BFloat16", "Scalar"]
KEY = ("aten::mm", MM, TYPES, [[32, 1], [16, 1], []], ["", "", "1"])


def trace(*calls, device="Test GPU", rank=None):
    """A call is a key, or None for a launch outside of ops, and the kernels that it launches with their time in ns."""
    events, now, ids = [], 1000, iter(range(1, 1000))
    for key, *kernels in calls:
        if key:
            name, *args = key
            args = {word: value for word, value in zip(("Input Dims", "Input type", "Input Strides", "Concrete Inputs"), args) if value is not None}
            events.append({"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": now, "dur": 90, "args": args})
        for place, (kernel, ns) in enumerate(kernels):
            number = next(ids)
            events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": now + 10 * place + 1,
                           "dur": 4, "args": {"correlation": number}})
            events.append({"ph": "X", "cat": "kernel", "name": kernel, "pid": 0, "tid": 7, "ts": now + 10 * place + 5, "dur": ns / 1000,
                           "args": {"correlation": number, "stream": 7, "device": 0}})
        now += 100
    made = {"traceEvents": events, "deviceProperties": [{"id": 0, "name": device}] if device else []}
    return made if rank is None else dict(made, distributedInfo={"rank": rank, "world_size": 2})


def calls(*times, key=KEY, kernel="gemm"):
    return [(key, (kernel, ns)) for ns in times]


class Best(Case):
    def ingest(self, run, *traces):
        names = [f"{run}_{place}.json" for place in range(len(traces))]
        for name, made in zip(names, traces):
            self.write(name, made)
        self.tpq("ingest", "-q", "--db", "w.db", "--run", run, *names)

    def rows(self, report, *more):
        return json.loads(self.tpq("report", "--db", "w.db", report, "--json", *more).out)[report]

    def slower(self, run, *more):
        return self.rows("slower_than_best", "--run", run, *more)

    def said(self, report, *more):
        return " ".join(self.tpq("report", "--db", "w.db", report, *more).out.split())


class Times(Best):
    def test_medians_of_pooled_ranks(self):
        """Even and odd numbers of calls, exact to the last bit."""
        self.ingest("a", trace(*calls(4001, 4003, 9000)))
        self.ingest("b", trace(*calls(5001, 5003), rank=0), trace(*calls(5002, 7000, 6000, 6500), rank=1))
        self.ingest("c", trace(*calls(8000)))
        row, = self.rows("best_times")
        medians = [4003, statistics.median([5001, 5002, 5003, 6000, 6500, 7000]), 8000]
        self.assertEqual([row[name] for name in ("name", "input_dims", "input_type", "input_strides", "concrete_inputs")], list(KEY))
        self.assertEqual((row["device"], row["runs"], row["calls"], row["best_us"], row["best_run"], row["best_kernels"], row["median_us"]),
                         ("Test GPU", 3, 10, 4.003, "a", ["gemm"], medians[1] / 1e3))
        slow, = self.slower("b")
        self.assertEqual((slow["calls"], slow["median_us"], slow["best_us"], slow["ratio"], slow["saves_ms"]),
                         (6, 5.5015, 4.003, 5501.5 / 4003, (34506 - 6 * 4003) / 1e6 / 2))
        self.assertEqual((slow["best_run"], slow["kernels"], slow["best_kernels"]), ("a", ["gemm"], ["gemm"]))
        self.assertEqual(slow["words"], "aten::mm [64,32], [32,16] bf16: 1.37x faster in a with the same kernel on the same device, saves 0.005 ms")
        self.assertEqual(slow["note"], "a best time of one run is no proof: compare b a")
        self.assertEqual(self.slower("a"), [])
        both = self.rows("slower_than_best")
        self.assertEqual([row["run"] for row in both], ["b", "c"])  # by saving
        self.assertEqual(both[0], slow)
        row, = self.rows("best_times", "--run", "b", "--run", "c")  # only the selected runs
        self.assertEqual((row["runs"], row["best_run"], row["median_us"]), (2, "b", (medians[1] + 8000) / 2e3))

    def test_a_key_is_all_arguments_and_the_device(self):
        self.ingest("a", trace(*calls(1000)))
        for run, place, value in (("b", 1, [[64, 32], [32, 17], []]), ("c", 2, ["float", "float", "Scalar"]),
                                  ("d", 3, [[1, 64], [16, 1], []]), ("e", 4, ["", "", "2"])):
            self.ingest(run, trace(*calls(5000, key=KEY[:place] + (value,) + KEY[place + 1:])))
        self.ingest("f", trace(*calls(5000), device="Other GPU"))
        self.ingest("g", trace(*calls(5000), device=None))
        self.ingest("h", trace(*calls(5000, key=KEY[:1] + (None,) * 4), (None, ("alone", 9000))))
        self.assertEqual(self.rows("slower_than_best"), [])
        self.assertEqual(sorted(row["best_run"] for row in self.rows("best_times")), list("abcdefg"))
        self.ingest("i", trace(*calls(4000), device=None))
        self.assertIn("1.25x faster in i with the same kernel on an unknown device", self.slower("g")[0]["words"])

    def test_words_name_other_kernels(self):
        self.ingest("a", trace((KEY, ("void ns::split<float>(int)", 600), ("tuned_gemm", 400)), *calls(3000, key=("aten::add", [[8]], ["float"]), kernel="add")))
        self.ingest("b", trace(*calls(1099, 1100, 1101), *calls(3299, key=("aten::add", [[8]], ["float"]), kernel="add")))
        row, = self.slower("b")  # from 1.1 on
        self.assertEqual((row["ratio"], row["best_kernels"]), (1.1, ["tuned_gemm", "void ns::split<float>(int)"]))
        self.assertIn("1.10x faster in a with tuned_gemm, split on the same device", row["words"])

    def test_equal_medians_and_times_of_zero(self):
        for run in ("b", "a"):
            self.ingest(run, trace(*calls(2000), *calls(0, key=("aten::add", [[8]], ["float"]))))
        self.ingest("c", trace(*calls(2000), *calls(10, key=("aten::add", [[8]], ["float"]))))
        self.assertEqual({row["name"]: row["best_run"] for row in self.rows("best_times")}, {KEY[0]: "a", "aten::add": "c"})
        self.assertEqual(self.rows("slower_than_best"), [])
        self.ingest("d", trace(*calls(2000), *calls(20, key=("aten::add", [[8]], ["float"]))))
        self.assertEqual([row["best_run"] for row in self.rows("slower_than_best")], ["c"])

    def test_why_there_are_no_rows(self):
        self.ingest("a", trace(*calls(1000)))
        self.assertIn("there is no other run", self.said("slower_than_best"))
        self.ingest("b", trace(*calls(1000)))
        self.assertIn("1.1 times as fast", self.said("slower_than_best"))
        self.ingest("c", trace((KEY,), (None, ("alone", 9000))))
        for report in ("best_times", "slower_than_best"):
            self.assertIn("no op with input shapes launched", self.said(report, "--run", "c"))


class Kept(Best):
    def setUp(self):
        super().setUp()
        for place, run in enumerate("abc"):
            self.ingest(run, trace(*calls(*range(1000 * (place + 1), 1000 * (place + 1) + 5))))

    def sql(self, text):
        connection = sqlite3.connect(self.path("w.db"))
        try:
            rows = connection.execute(text).fetchall()
            connection.commit()
            return rows
        finally:
            connection.close()

    def kept(self):
        return self.sql("SELECT count(*) FROM rollup WHERE question = 'shape_time'")[0][0]

    def test_rows_of_all_runs_are_kept(self):
        first = self.slower("c")
        self.assertEqual(([row["best_run"] for row in first], self.kept()), (["a"], 3))
        self.assertEqual(self.slower("c"), first)
        self.sql("UPDATE rollup SET rows = replace(rows, '1002.0', '502.0') WHERE question = 'shape_time'")
        self.assertEqual(self.slower("c")[0]["best_us"], 0.502)
        self.assertEqual(self.rows("best_times", "--run", "a")[0]["best_us"], 0.502)
        self.assertEqual(self.rows("best_times", "--trace", "1")[0]["best_us"], 1.002)

    def test_two_reports_of_one_call(self):
        for _ in range(2):
            found = json.loads(self.tpq("report", "--db", "w.db", "--run", "c", "best_times", "slower_than_best", "run_overview", "--json").out)
            self.assertEqual((found["best_times"][0]["best_run"], found["slower_than_best"][0]["best_run"]), ("c", "a"))
            self.assertEqual([row["run"] for row in found["run_overview"]], ["c"])

    def test_another_run_is_seen_and_a_lost_one_not(self):
        self.slower("c")
        self.ingest("d", trace(*calls(500)))
        self.assertEqual(self.slower("c")[0]["best_run"], "d")
        for run in "ad":
            self.tpq("rm", "--db", "w.db", run)
        self.assertEqual(self.slower("c")[0]["best_run"], "b")

    def test_parts_of_a_run_know_nothing_of_others(self):
        self.assertIn("a part of a run is selected", self.said("slower_than_best", "--run", "c", "--time", "0-1s"))
        self.assertEqual(self.kept(), 0)

    def test_a_report_that_keeps_what_is_not_there(self):
        self.write("own/mine.sql", "-- Mine.\n-- set: mine\n-- kept: nowhere\nCREATE VIEW mine AS\nSELECT run AS run -- [text] run\nFROM scope;\n")
        self.assertEqual(len(self.rows("mine", "--report-dir", "own")), 3)


if __name__ == "__main__":
    main()
