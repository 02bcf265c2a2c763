"""What outputs say beside their rows: what a sheet leaves out, why it is empty, what it is about."""

import csv
import html
import io
import json
import re
import zipfile

from page_file import PageFile
from support import Case, main, sheets_in, slice_event, trace_of


class Notes(Case):
    def setUp(self):
        super().setUp()
        self.events, self.correlation = [], 0

    def work(self, start, length, name="k", call=None, category="kernel", op=None, **args):
        """Accelerator work in us; `call` = when it is launched, `op` = by which op."""
        self.correlation += 1
        if op:
            self.events.append(slice_event(op, call - 1, 5, args={"Input Dims": [[4, 8], [8, 2]],
                                                                  "Input type": ["float", "float"]}))
        if call is not None:
            self.events.append(slice_event("cudaLaunchKernel", call, 2, "cuda_runtime",
                                           args={"correlation": self.correlation}))
        self.events.append(slice_event(name, start, length, category, 7, 0, args={
            "device": 0, "stream": 7, "correlation": self.correlation, **args}))

    def usual(self, device="NVIDIA H100 80GB HBM3"):
        self.work(100, 10, "gemm", 50, op="aten::mm")
        self.work(120, 20, "vectorized_elementwise_kernel", 60, op="aten::add")
        self.work(150, 30, "ncclDevKernel_AllReduce", 70, op="c10d::allreduce_")
        self.work(190, 5, "Memcpy DtoD", 80, "gpu_memcpy", op="aten::copy_")
        self.work(200, 7, "lost")
        self.work(210, 8, "lost too")
        self.write("t.json", trace_of(*self.events, deviceProperties=[{"id": 0, "name": device}]))

    def report(self, *words, **more):
        return self.tpq("report", "t.json", *words, **more).out

    def said(self, sheet, *words):
        """What the sheet of a report leaves out: {words: (count, ms)}."""
        meta = json.loads(self.report(*words, "--json"))["meta"]
        notes = meta.get("sheets", {}).get(sheet, {}).get("left_out", [])
        return {note["what"]: (note["count"], note["time_ms"]) for note in notes}

    def rows(self, *words):
        return list(csv.DictReader(io.StringIO(self.report(*words, "--csv"))))

    COLLECTIVES = "GPU activities of collectives (coll_analysis)"
    UNLINKED = "unlinked GPU activities (unlinked_kernels)"


class LeftOut(Notes):
    def test_rows_and_what_they_leave_out_are_all_work(self):
        self.usual()
        for report, column, unit in (
                ("ops_summary", "total_direct_kernel_time_ms", 1),
                ("ops_summary_by_category", "total_direct_kernel_time_ms", 1),
                ("ops_unique_args", "total_direct_kernel_time_sum", 1e3),
                ("kernel_launchers", "total_direct_kernel_time", 1e3),
                ("unified_perf_summary", "Kernel Time (µs)_sum", 1e3),
                ("ops_without_model", "kernel_time_ms", 1),
                ("kernel_summary", "Kernel duration (µs)_sum", 1e3)):
            for mode in ([], ["--compat"]):
                if report == "ops_without_model":
                    continue
                rows = sum(float(row[column]) for row in self.rows(report, *mode)) / unit
                notes = sum(time for _, time in self.said(report, report, *mode).values())
                self.assertAlmostEqual(rows + notes, 0.080, msg=report)

    def test_what_ops_leave_out(self):
        self.usual()
        both = {self.COLLECTIVES: (1, 0.03), self.UNLINKED: (2, 0.015)}
        self.assertEqual(self.said("ops_summary", "ops_summary"), both)
        self.assertEqual(self.said("unified_perf_summary", "unified_perf_summary"), both)
        self.assertEqual(self.said("kernel_summary", "kernel_summary"),
                         {"memcpy, memset and other GPU activities but kernels": (1, 0.005)})
        self.assertEqual(self.said("launch_delay", "launch_delay"), {self.UNLINKED: (2, 0.015)})

    def test_a_timeline_leaves_nothing_out(self):
        self.usual()
        self.assertEqual(self.said("gpu_timeline", "gpu_timeline"), {})
        words = "unlinked GPU activities (--include-unlinked-kernels)"
        self.assertEqual(self.said("gpu_timeline", "gpu_timeline", "--compat"), {words: (2, 0.015)})
        self.assertEqual(self.said("gpu_timeline", "gpu_timeline", "--compat", "--include-unlinked-kernels"), {})

    def test_rows_beyond_the_first(self):
        self.usual()
        self.assertEqual(self.said("ops_unique_args", "ops_unique_args", "--topk-ops", "1")["rows beyond --topk-ops"],
                         (2, 0.015))
        found = self.said("short_kernels_summary", "short_kernels_summary", "--topk-short-kernels", "1",
                          "--short-kernel-threshold-us", "100")
        self.assertEqual(found, {"rows beyond --topk-short-kernels": (4, 0.045)})
        self.assertEqual(len(self.rows("short_kernels_summary", "--topk-short-kernels", "1",
                                       "--short-kernel-threshold-us", "100")), 1)

    def test_rows_of_a_sheet_beyond_the_first(self):
        for i in range(3):
            self.work(100 + 20 * i, 10 + i, f"gemm{i}", 50 + 10 * i)
            self.events.append(slice_event("aten::mm", 49 + 10 * i, 5, args={
                "Input Dims": [[4 + i, 8], [8, 2]], "Input type": ["float", "float"]}))
        self.work(200, 10, "vectorized_elementwise_kernel", 90, op="aten::add")
        self.write("t.json", trace_of(*self.events, deviceProperties=[{"id": 0, "name": "NVIDIA H100 80GB HBM3"}]))
        words = ("roofline", "--topk-roofline-ops", "1")
        self.assertEqual(self.said("GEMM", *words), {"rows beyond --topk-roofline-ops": (2, None)})
        self.assertEqual(len(sheets_in(self.report(*words, "--json"))["GEMM"]), 1)
        self.assertEqual(self.said("GEMM", "roofline"), {})

    def test_several_traces_together(self):
        self.usual()
        for name in ("a", "b"):
            self.tpq("ingest", "-q", "--run", name, "t.json")
        meta = json.loads(self.tpq("report", "ops_summary", "--json").out)["meta"]
        self.assertEqual([note["count"] for note in meta["sheets"]["ops_summary"]["left_out"]], [2, 4])
        self.assertEqual(meta["run"], ["a", "b"])

    def test_described(self):
        said = self.tpq("describe", "ops_summary").out
        self.assertIn("Not included: GPU activities of collectives (coll_analysis)", said)
        self.assertIn("Empty when: no GPU activities are selected", said)
        self.assertNotIn("Not included", self.tpq("describe", "memory_peak").out)

    def test_a_view_that_is_not_there(self):
        self.usual()
        self.write("own/own.sql", "-- Own.\n-- set: pytorch\n-- leaves-out: not_included_in_mine\nCREATE VIEW own AS\n"
                   "SELECT run AS run, -- run\ntrace_id AS trace_id -- trace\nFROM scope;\n")
        result = self.tpq("report", "t.json", "own", "--report-dir", "own", status=3)
        self.assertIn('own: "not-included": no such table: not_included_in_mine', result.err)


class Forms(Notes):
    LINE = f"Not included: {Notes.COLLECTIVES}: 1, 30.00 us; {Notes.UNLINKED}: 2, 15.00 us"

    def cells(self, path):
        with zipfile.ZipFile(self.path(path)) as book:
            sheets = " ".join(book.read(name).decode() for name in book.namelist() if "worksheets/sheet" in name)
            return sheets, book.read("docProps/custom.xml").decode(), book.read("docProps/core.xml").decode()

    def test_each_says_what_is_left_out(self):
        self.usual()
        plain = lambda text: re.sub(r"\s+", " ", text)
        self.assertIn(self.LINE, plain(self.report("ops_summary")))
        self.assertIn(self.LINE, self.report("ops_summary", "--markdown"))
        self.assertEqual(PageFile(self.report("ops_summary", "--html", "-")).notes("ops_summary"), self.LINE)
        self.report("ops_summary", "--xlsx=a.xlsx")
        self.assertIn(self.LINE, self.cells("a.xlsx")[0])
        self.assertTrue(self.report("ops_summary", "--line").endswith(f"\n\n{self.LINE}\n"))
        left_out = [{"what": self.COLLECTIVES, "count": 1, "time_ms": 0.03},
                    {"what": self.UNLINKED, "count": 2, "time_ms": 0.015}]
        for text in (self.report("ops_summary", "--json"), self.report("ops_summary", "--jsonl").splitlines()[-1]):
            self.assertEqual(json.loads(text)["meta"]["sheets"]["ops_summary"]["left_out"], left_out)

    def test_csv_only_where_asked_for(self):
        self.usual()
        self.assertNotIn("Not included", self.report("ops_summary", "--csv"))
        self.assertEqual(self.report("ops_summary", "--csv", "--csv-notes"),
                         self.report("ops_summary", "--csv") + f"# {self.LINE}\n")
        self.report("--csv", "out", "--csv-notes")
        with open(self.path("out", "ops_summary.csv"), encoding="utf-8") as file:
            self.assertTrue(file.read().endswith(f"# {self.LINE}\n"))

    def test_workbooks_as_the_reference_has_them(self):
        self.usual()
        self.report("ops_summary", "--xlsx=a.xlsx", "--compat")
        sheets, custom, core = self.cells("a.xlsx")
        self.assertNotIn("Not included", sheets)
        self.assertIn(">all events<", custom)
        self.assertIn("run t", core)

    def test_each_says_what_it_is_about(self):
        self.usual(device="")
        version = self.tpq("--version").out.strip()
        self.tpq("ingest", "-q", "--run", "a|<b>", "t.json")
        say = lambda *words: self.tpq("report", "gpu_timeline", "--where", "dur_ns > 0", *words).out
        self.assertEqual(say().splitlines()[0], f"{version} · run a|<b> · where dur_ns > 0")
        self.assertEqual(say("--markdown").splitlines()[0], f"{version} · run a\\|\\<b\\> · where dur_ns \\> 0")
        self.assertIn(html.escape("run a|<b> · where dur_ns > 0"), say("--html", "-"))
        for text in (say("--json"), say("--jsonl").splitlines()[-1]):
            meta = json.loads(text)["meta"]
            self.assertEqual(list(meta.pop("sheets")), ["gpu_timeline"])
            self.assertEqual(list(meta.pop("health")), ["verdict", "line", "checks", "traces"])
            self.assertEqual(meta, {"version": version.split()[1], "run": ["a|<b>"], "selection": ["where dur_ns > 0"]})
        self.assertEqual(say("--line").splitlines()[0], f"{version} · run a|<b> · where dur_ns > 0")
        say("--xlsx=a.xlsx")
        sheets, custom, core = self.cells("a.xlsx")
        self.assertIn("where dur_ns &gt; 0", sheets)
        self.assertIn("where dur_ns &gt; 0", custom)
        self.assertIn("a|&lt;b&gt;", core)
        for word in (version.split()[1], "where"):
            self.assertNotIn(word, say("--csv"))

    def test_steps_ranks_and_devices(self):
        self.usual()
        for step in (4, 5, 6, 9):
            self.events.append(slice_event(f"ProfilerStep#{step}", 40 + 30 * step, 20, "user_annotation"))
        self.write("r/rank_0.json", trace_of(*self.events, deviceProperties=[{"id": 0, "name": "NVIDIA A100"}],
                                             distributedInfo={"rank": 0, "world_size": 2}))
        self.write("r/rank_1.json", trace_of(*self.events[:-1], distributedInfo={"rank": 1, "world_size": 2}))
        about = lambda *words: self.tpq("report", "r", "gpu_timeline", *words).out.splitlines()[0].split(" · ")[1:]
        self.assertEqual(about("--set", "pytorch"), ["run r", "NVIDIA A100", "rank 0, 1", "steps 4-6, 9", "all events"])
        self.assertEqual(about("--set", "pytorch", "--rank", "1", "--step", "5"),
                         ["run r", "rank 1", "steps 5", "rank 1, step 5"])


class Empty(Notes):
    def test_every_report_says_why_it_is_empty(self):
        self.write("t.json", trace_of(slice_event("aten::mm", 0, 5)))
        names = {}  # by set: its sheets have names of their own
        for report in json.loads(self.tpq("report", "--list", "--json").out)["reports"]:
            names.setdefault(report["set"], []).append(report["name"])
        looked_at = 0
        for of_set in names.values():
            found = json.loads(self.report(*of_set, "--json"))
            told = found.pop("meta").get("sheets", {})
            for sheet, rows in found.items():
                looked_at += 1
                self.assertEqual(bool(rows), "no_rows" not in told.get(sheet, {}), sheet)
                self.assertNotIn("of this kind", str(told.get(sheet)))
        self.assertGreaterEqual(looked_at, sum(map(len, names.values())) * 3 // 4)

    def test_the_reason(self):
        def why(report, *words):
            return re.findall(r"(?m)^No rows: (.*?)(?:\. Not included.*)?(?: · .*)?$", self.report(report, *words))

        self.write("t.json", trace_of(slice_event("aten::mm", 0, 5)))
        self.assertEqual(why("ops_summary"), ["no GPU activities are selected"])
        self.assertEqual(why("ops_summary", "--where", "dur_ns < 0"), ["nothing is selected"])
        self.events = []
        self.work(0, 5)
        self.write("t.json", trace_of(*self.events))
        self.assertEqual(why("ops_summary"), ["no CPU ops were recorded"])
        self.usual()
        self.assertEqual(why("ranks_sync_summary"), ["there is only one rank"])
        self.assertEqual(why("memory_peak"),
                         ["the allocator was not recorded (profile_memory=True of the PyTorch profiler)"])
        self.assertEqual(why("inference_steps"),
                         ["no engine steps were found (step_pattern has their names)"])
        self.assertEqual(why("short_kernels_summary", "--short-kernel-threshold-us", "1"),
                         ["no kernel is shorter than 1 us"])


if __name__ == "__main__":
    main()
