"""Figures without a basis are empty, with the check that says so: columns that health_touch names, of traces with that check
broken."""

import csv
import fnmatch
import io
import json
import pathlib

from support import Case, main, slice_event, trace_of

KERNELS = 40


def launches(kernels=KERNELS, lost=()):
    """Steps of two launches each; some of the kernels were not recorded."""
    events = []
    for number in range(kernels):
        at, correlation = 100.0 * number, number + 1
        if number % 4 == 0:
            events.append(slice_event(f"ProfilerStep#{number // 4}", at, 399, "user_annotation"))
        events.append(slice_event("aten::mm", at + 1, 50, args={"Input Dims": [[8, 8], [8, 8]], "Input type": ["float", "float"]}))
        events.append(slice_event("cudaLaunchKernel", at + 10, 20, "cuda_runtime", args={"correlation": correlation}))
        if number not in lost:
            events.append(slice_event("gemm", at + 45, 30, "kernel", 7, 0, args={"correlation": correlation, "device": 0, "stream": 7}))
    return trace_of(*events)


class Touched(Case):
    def setUp(self):
        super().setUp()
        self.write("whole.json", launches())
        self.write("lost.json", launches(lost=range(8, 16)))
        self.write("none.json", launches(lost=range(KERNELS)))

    def report(self, *words, status=0):
        return self.tpq("report", *words, status=status)

    def sheets(self, *words):
        document = json.loads(self.report(*words, "--json").out)
        return document, document["meta"].get("abstained", [])


class Abstain(Touched):
    def test_a_whole_trace_has_all_figures(self):
        document, abstained = self.sheets("whole.json", "gpu_timeline", "overview", "gpu_gaps", "--gap-min-us", "1")
        self.assertEqual(abstained, [])
        self.assertNotIn(None, [row["percent"] for row in document["gpu_timeline"]])
        self.assertNotIn("Empty", self.report("whole.json", "gpu_timeline").out)

    def test_lost_kernels_are_no_idle_time(self):
        document, abstained = self.sheets("lost.json", "gpu_timeline", "overview", "gpu_gaps", "queue_length", "--gap-min-us", "1")
        timeline = {row["type"]: row for row in document["gpu_timeline"]}
        self.assertEqual([name for name, row in timeline.items() if row["percent"] is None], ["busy_time", "idle_time"])
        self.assertEqual([name for name, row in timeline.items() if row["time_ms"] is None], ["idle_time"])
        self.assertGreater(timeline["busy_time"]["time_ms"], 0)
        idle = [row for row in document["overview"] if "idle" in row["section"] or "idle" in row["name"]]
        self.assertTrue(idle)
        self.assertEqual({row["value"] for row in idle}, {None})
        self.assertNotIn(None, [row["value"] for row in document["overview"] if row["section"].startswith("Busy time by")])
        self.assertEqual({row["gap_ms"] for row in document["gpu_gaps"]}, {None})
        self.assertNotIn(None, [row["from_ms"] for row in document["gpu_gaps"]])  # a key
        self.assertEqual({row["length_mean"] for row in document["queue_length"]}, {None})
        self.assertEqual({entry["check"] for entry in abstained}, {"kernels_lost"})
        self.assertIn({"report": "gpu_timeline", "column": "time_ms", "check": "kernels_lost",
                       "reason": "kernels that were launched and not recorded (8 of 40 kernel launches without GPU activity)"}, abstained)
        self.assertEqual(len(abstained), len({(entry["report"], entry["column"]) for entry in abstained}))

    def test_without_gpu_activities_nothing_is_0_ms_or_idle(self):
        document, abstained = self.sheets("none.json", "gpu_timeline", "overview", "step_bounds", "idle_causes", "run_overview")
        for row in document["step_bounds"]:
            self.assertEqual([row[name] for name in ("works", "span_ms", "busy_ms", "idle_ms", "starved_ms", "verdict")], [None] * 6)
            self.assertGreater(row["host_ms"], 0)
        self.assertEqual([document["run_overview"][0][name] for name in ("time_ms", "busy_pct", "idle_pct")], [None] * 3)
        self.assertEqual(document["gpu_timeline"] + document["idle_causes"], [])
        self.assertFalse([row for row in document["overview"] if "idle" in row["name"] and row["value"] is not None])
        self.assertEqual({entry["check"] for entry in abstained}, {"gpu_missing"})

    def test_the_headline_and_findings_say_no_more_than_the_reports(self):
        idle = "gpu_gaps idle_causes critical_path critical_path_sum".split()
        document, _ = self.sheets("lost.json", "headline", "findings", "run_overview", "time_parts", "advice", "--all")
        unknown = "Bottleneck unknown: kernels_lost (8 of 40 kernel launches without GPU activity). --force-figures shows it."
        self.assertEqual(document["headline"][0]["words"], unknown)
        self.assertEqual(document["run_overview"][0]["bottleneck"], "Bottleneck unknown")
        self.assertFalse([row for row in document["findings"] if row["report"] in idle])
        rules = {row["rule"]: row for row in document["advice"]}
        self.assertEqual({row["verdict"] for row in rules.values() if row["report"] in idle}, {"no basis"})
        self.assertEqual(rules["host-bound"]["lacks"], "kernels_lost (8 of 40 kernel launches without GPU activity)")
        self.assertIsNone(rules["host-bound"]["value"])
        self.assertNotEqual(rules["unfused-attention"]["verdict"], "no basis")
        parts = document["time_parts"]
        self.assertEqual({row["time_ns"] for row in parts if row["part"].startswith("idle")}, {None})
        self.assertNotIn(None, {row["time_ns"] for row in parts if not row["part"].startswith("idle")})
        self.assertIn(unknown, self.report("lost.json").out.splitlines()[:4])
        for option in (["--force-figures"], ["--compat"]):
            document, _ = self.sheets("lost.json", "headline", "advice", "--all", *option)
            self.assertNotIn("unknown", document["headline"][0]["words"])
            self.assertNotIn("no basis", {row["verdict"] for row in document["advice"]})

    def test_the_page_draws_no_bar_without_a_part(self):
        for name, bars in (("whole", 1), ("lost", 0)):
            self.report(f"{name}.json", f"--html={name}.html", "--gap-min-us", "1")
            page = pathlib.Path(self.path(f"{name}.html")).read_text(encoding="utf-8")
            section = page.split("<h2>GPU time by kind</h2>")[1].split("</section>")[0]
            self.assertEqual("<rect" in section, bool(bars))
            self.assertEqual("Over time" in page, bool(bars))
            self.assertEqual("Empty because of kernels_lost" in page, not bars)

    def test_what_was_not_met_is_not_told(self):
        _, abstained = self.sheets("lost.json", "headline", "advice", "unified_perf_summary")
        self.assertEqual(abstained, [])

    def test_overview_says_no_more_than_its_reports(self):
        events = launches()["traceEvents"]
        twice = [event for event in events if event.get("cat") == "kernel" and event["ts"] < 2000]
        self.write("twice.json", trace_of(*events, *twice))
        document, abstained = self.sheets("twice.json", "overview", "gpu_timeline", "findings", "headline")
        self.assertEqual({entry["check"] for entry in abstained}, {"duplicate_events"})
        self.assertEqual({row["value"] for row in document["overview"]}, {None})
        self.assertEqual(document["findings"], [])
        self.assertNotIn("Coverage", self.report("twice.json", "kernel_summary").out)

    def test_replayed_savings(self):
        for name, kinds in (("whole", {"replay"}), ("lost", set())):
            document, _ = self.sheets(f"{name}.json", "advice", "--all")
            self.assertEqual({row["saving_kind"] for row in document["advice"] if row["saving_kind"] == "replay"}, kinds, name)
            whole = {row["rule"]: row["verdict"] for row in document["advice"] if row["verdict"] != "no basis"}
            fired = fired if name == "lost" else {rule for rule, verdict in whole.items() if verdict == "fires"}
            self.assertLessEqual({rule for rule, verdict in whole.items() if verdict == "fires"}, fired)
        self.assertIn("Doubtful because of kernels_lost (8 of 40 kernel launches without GPU activity). ", self.report("lost.json", "--force-figures").out)

    def test_figures_of_a_cut_step(self):
        whole = launches()
        ends = 100.0 * (KERNELS - 3)
        self.write("cut.json", trace_of(*(event for event in whole["traceEvents"] if event["ts"] < ends)))
        document, abstained = self.sheets("cut.json", "step_bounds", "time_parts", "run_overview")
        self.assertEqual({entry["check"] for entry in abstained}, {"step_cut"})
        for row in document["step_bounds"]:
            self.assertEqual([row[name] is None for name in ("works", "busy_ms", "verdict")], [row["step"] == 9] * 3)
        for row in document["time_parts"]:
            self.assertEqual(row["time_ns"] is None, row["step"] == 9)
        self.assertEqual(document["run_overview"][0]["steps"], 10)
        self.assertIn("steps that the recording cuts (trace_health), in means over steps: 1", self.report("cut.json", "run_overview").out)
        document, _ = self.sheets("cut.json", "step_bounds", "--force-figures")
        self.assertNotIn(None, [row["works"] for row in document["step_bounds"]])

    def test_each_form_says_it(self):
        note = "Empty because of kernels_lost (8 of 40 kernel launches without GPU activity): percent, time_ms. --force-figures shows them"
        out = self.report("lost.json", "gpu_timeline", "--wide").out
        self.assertIn(note, out)
        self.assertRegex(out, r"(?m)^idle_time +– +–$")
        out = self.report("lost.json", "gpu_timeline", "--markdown").out
        self.assertIn(note, out)
        self.assertIn("| idle_time | – | – |", out)
        rows = {row["type"]: row for row in csv.DictReader(io.StringIO(self.report("lost.json", "gpu_timeline", "--csv").out))}
        self.assertEqual((rows["idle_time"]["time ms"], rows["idle_time"]["percent"]), ("", ""))
        last = self.report("lost.json", "gpu_timeline", "--jsonl").out.splitlines()[-1]
        self.assertTrue(json.loads(last)["meta"]["abstained"])
        self.assertIn("–", self.report("lost.json").out)

    def test_forced(self):
        document, abstained = self.sheets("lost.json", "gpu_timeline", "--force-figures")
        self.assertNotIn(None, [row["percent"] for row in document["gpu_timeline"]])
        self.assertEqual({entry["forced"] for entry in abstained}, {True})
        self.assertIn("Doubtful because of kernels_lost", self.report("lost.json", "gpu_timeline", "--force-figures", "--wide").out)

    def test_as_the_reference_tools_do(self):
        document, abstained = self.sheets("lost.json", "gpu_timeline", "--compat")
        self.assertNotIn(None, [row["percent"] for row in document["gpu_timeline"]])
        self.assertEqual(abstained, [])

    def test_only_rows_of_the_broken_trace(self):
        for name in ("whole", "lost"):
            self.tpq("ingest", "-q", "--db", "two.db", f"{name}.json")
        document, _ = self.sheets("--db", "two.db", "gpu_timeline", "run_overview")
        empty = {row["run"] for row in document["gpu_timeline"] if row["percent"] is None}
        self.assertEqual(empty, {"lost"})
        self.assertEqual({row["run"]: row["idle_pct"] is None for row in document["run_overview"]}, {"whole": False, "lost": True})
        document, _ = self.sheets("--db", "two.db", "gpu_timeline", "--by", "step", "--run", "lost")
        self.assertIn(None, [row["percent"] for row in document["gpu_timeline"]])

    def test_a_limit_finds_no_value(self):
        limit = ("--fail-if", "queue_length.length_mean >= 0", "--csv", "gpu_timeline")
        self.report("whole.json", *limit, status=1)
        self.assertIn("queue_length.length_mean has no value in any row", self.report("lost.json", *limit, status=3).err)
        self.report("lost.json", *limit, "--force-figures", status=1)
        limit = ("--fail-if", "gpu_timeline.percent >= 0", "--csv", "gpu_timeline")
        self.assertIn("(6 rows)", self.report("lost.json", *limit, status=1).err)

    def test_a_limit_finds_the_values_of_other_traces(self):
        limit = ("queue_length", "--fail-if", "queue_length.length_mean >= 0", "--csv", "-")
        self.tpq("report", "whole.json", "lost.json", *limit, status=1)

    def test_rows_of_users(self):
        self.tpq("ingest", "-q", "--db", "own.db", "lost.json")
        self.tpq("sql", "--db", "own.db", "--write", "INSERT INTO health_touch VALUES ('kernels_lost', 'kernel_summary', "
                 "'kernel_duration_sum', '*', 'abstain', 'broken', 'user') ON CONFLICT DO UPDATE SET effect = 'abstain', source = 'user'")
        document, _ = self.sheets("--db", "own.db", "kernel_summary")
        self.assertEqual({row["kernel_duration_sum"] for row in document["kernel_summary"]}, {None})


class Rows(Touched):
    def test_each_row_names_reports_and_columns_that_are_there(self):
        self.tpq("ingest", "-q", "whole.json")
        columns, checks = {}, {check for (check,) in self.rows('SELECT "check" FROM health_check')}
        for report, column in self.rows("SELECT report, name FROM report_column"):
            columns.setdefault(report, set()).add(column)
        touches = self.rows('SELECT "check", report, column, rows FROM health_touch')
        self.assertGreater(len(touches), 100)
        for check, report, column, rows in touches:
            self.assertIn(check, checks)
            named = [name for name in columns if fnmatch.fnmatchcase(name, report)]
            self.assertTrue(named, (check, report))
            self.assertTrue([name for name in named if fnmatch.filter(columns[name], column)], (check, report, column))
            if " " in rows:
                self.assertTrue([name for name in named if rows.split(" ")[0] in columns[name]], (check, report, rows))

    def test_each_pattern_of_rows_finds_some(self):
        reports = "overview", "gpu_timeline", "time_parts", "headline"
        document, _ = self.sheets("whole.json", *reports, "--gap-min-us", "1")
        self.tpq("ingest", "-q", "whole.json")
        patterns = self.rows("SELECT DISTINCT report, rows FROM health_touch WHERE rows NOT IN ('*', 'step cut')")
        self.assertGreater(len(patterns), 5)
        for report, rows in patterns:
            column, pattern = rows.split(" ", 1)
            texts = [row[column] for name in reports if fnmatch.fnmatchcase(name, report) for row in document[name] if row.get(column)]
            with self.subTest(report, rows=rows):
                self.assertTrue(report.startswith("[") or fnmatch.filter(texts, pattern), texts)

    def test_trace_health_names_them(self):
        document, abstained = self.sheets("lost.json", "trace_health")
        rows = {row["check"]: row for row in document["trace_health"]}
        self.assertIn("gpu_gaps.*", rows["kernels_lost"]["touches"].split(", "))
        self.assertIsNone(rows["gpu_missing"]["touches"])
        self.assertEqual((rows["kernels_lost"]["count"], rows["kernels_lost"]["base"]), (8, 40))
        self.assertEqual(abstained, [])


main()
