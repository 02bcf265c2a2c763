"""tpq report: what its operands and options choose, and what it refuses before anything is done."""

import csv
import io
import json
import os
import re
import shutil
import sqlite3
import subprocess

from support import Case, TPQ, main, sheets_in, slice_event, trace_of

FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fixtures", "train")
RANK_0 = os.path.join(FIXTURES, "rank_0.json.gz")
RANK_1 = os.path.join(FIXTURES, "rank_1.json.gz")
ROOFLINES = ["GEMM", "UnaryElementwise"]  # sheets of the report roofline
DEFAULTS = ["gpu_timeline", "ops_summary_by_category", "ops_summary", "ops_unique_args",
            "unified_perf_summary", *ROOFLINES, "coll_analysis"]
LINKED = 94.43  # per cent of the busy time of rank 0 that is linked to an op


class Reports(Case):
    def report(self, *arguments, **more):
        return self.tpq("report", *arguments, **more)

    def table(self, *arguments, **more):
        """The rows of one report as dicts."""
        return list(csv.DictReader(io.StringIO(self.report(*arguments, "--csv", "-", **more).out)))

    def sheets(self, *arguments):
        return list(sheets_in(self.report(*arguments, "--json").out))

    def refused(self, *arguments, parts=(), status=2, **more):
        """A sentence, and nothing is written."""
        before = self.snapshot()
        result = self.report(*arguments, status=status, **more)
        self.assertEqual(result.out, "")
        self.one_line(result, *parts)
        self.assertEqual(self.snapshot(), before)

    def linked_trace(self, *kernels):
        """A trace with an op that launched kernels of these durations, one after the other."""
        events = [slice_event("aten::mm", 0, 1000)]
        for number, duration in enumerate(kernels):
            events.append(slice_event("cudaLaunchKernel", number + 1, 0.5, "cuda_runtime",
                                      args={"correlation": number + 1}))
            events.append(slice_event("short", 2000 + 100 * number, duration, "kernel", process=0,
                                      thread=7, args={"correlation": number + 1, "stream": 7}))
        return trace_of(*events)


class Operands(Reports):
    def test_the_default_set(self):
        self.assertEqual(self.sheets(RANK_0), DEFAULTS)
        self.assertEqual(self.sheets(RANK_0, "--disable_coll_analysis"), DEFAULTS[:-1])
        self.assertEqual(self.sheets(RANK_0, "--enable_kernel_summary", "--short_kernel_study"),
                         [*DEFAULTS[:-1], "kernel_summary", "short_kernel_histogram",
                          "short_kernels_summary", "coll_analysis"])

    def test_a_former_name_is_described(self):
        for name, now in {"headroom": "time_above_roofline", "explained_time": "gpu_time_coverage"}.items():
            self.assertEqual(self.tpq("describe", name).out, self.tpq("describe", now).out)

    def test_names_aliases_and_capitals(self):
        self.assertEqual(self.sheets("ops_summary", RANK_0), ["ops_summary"])
        self.assertEqual(self.sheets(RANK_0, "OPS_ALL"), ["ops_unique_args"])
        self.assertEqual(self.sheets(RANK_0, "--sheet", "short_kernels_histogram"),
                         ["short_kernel_histogram"])
        self.assertEqual(self.sheets(RANK_0, "ops", "--sheet=gpu_timeline"),
                         ["kernel_launchers", "gpu_timeline"])
        self.assertEqual(self.sheets(RANK_0, "ops_all", "--legacy_sheet_names"), ["ops_all"])

    def test_one_named_twice_is_made_once(self):
        self.assertEqual(self.sheets(RANK_0, "ops_all", "ops_unique_args", "--sheet", "ops_all"),
                         ["ops_unique_args"])

    def test_a_sheet_of_a_report(self):
        every = sheets_in(self.report(RANK_0, "roofline", "--json").out)
        self.assertEqual(sorted(every), sorted(ROOFLINES))
        for name in ("GEMM", "gemm"):
            self.assertEqual(sheets_in(self.report(RANK_0, name, "--json").out),
                             {"GEMM": every["GEMM"]})
        self.assertEqual(len(self.table(RANK_0, "GEMM")), len(every["GEMM"]))
        both = sheets_in(self.report(RANK_0, "gpu_timeline", *ROOFLINES, "--json").out)
        self.assertEqual({name: both.pop(name) for name in ROOFLINES}, every)
        self.assertEqual(list(both), ["gpu_timeline"])
        both = sheets_in(self.report(RANK_0, "--sheet", "roofline", "--sheet=GEMM", "--json").out)
        self.assertEqual(both, every)
        self.tpq("ingest", "-q", RANK_0)
        self.assertEqual(len(self.table("GEMM")), len(every["GEMM"]))
        self.refused(RANK_0, "SDPA_fwd", parts=["there is no report or sheet 'SDPA_fwd'"])
        self.assertFalse(os.path.exists(self.path("out.csv")))
        self.refused(RANK_0, "SDPA_fwd", "--csv", "out.csv", parts=["no report or sheet 'SDPA_fwd'"])
        self.assertFalse(os.path.exists(self.path("out.csv")))

    def test_neither_a_report_nor_a_file(self):
        for word, near in (("kernel_sumary", "kernel_summary"), ("gpu_timelin", "gpu_timeline"),
                           ("ops_sumary", "ops_summary")):
            self.refused(word, parts=[f"'{word}' is neither a report nor a file; did you mean {near}?"])
            self.refused("--sheet", word, RANK_0, parts=[f"no report '{word}'; did you mean {near}?"])
        self.refused("nobody", parts=["'nobody' is neither a report nor a file; see tpq report"])
        self.refused(RANK_0, "--sheet", "nobody", "--db", "new.db", parts=["no report 'nobody'"])
        self.refused(RANK_0, "nobody", "--db", "new.db", parts=["'nobody'"])

    def test_a_name_is_a_report_before_it_is_a_file(self):
        shutil.copy(RANK_0, self.path("gpu_timeline"))
        self.refused("gpu_timeline", parts=["no such warehouse"])
        self.assertEqual(len(self.table("gpu_timeline", "./gpu_timeline")), 8)

    def test_several_files_are_one_run(self):
        rows = self.table(RANK_0, RANK_1, "gpu_timeline")
        self.assertEqual([len(rows), {row["run"] for row in rows}], [16, {"rank_0"}])
        self.assertEqual([row["trace_id"] for row in rows], ["1"] * 8 + ["2"] * 8)
        one = self.table(RANK_1, "gpu_timeline")
        self.assertNotIn("run", one[0])
        self.assertEqual([row["time ms"] for row in one], [row["time ms"] for row in rows[8:]])
        self.assertEqual(self.table(FIXTURES, "gpu_timeline")[0]["run"], "train")
        self.assertEqual(self.table(FIXTURES, "gpu_timeline", "--run", "x")[0]["run"], "x")

    def test_standard_input(self):
        with open(RANK_0, "rb") as file:
            content = file.read()
        self.assertEqual(self.table("-", "gpu_timeline", stdin=content),
                         self.table(RANK_0, "gpu_timeline"))

    def test_files_that_are_damaged_or_missing(self):
        self.write("cut.json", '{"traceEvents":[{"ph":"X",')
        self.write("empty.json", "")
        self.write("none.json", '{"a": 1}')
        self.tpq("ingest", RANK_0, "--run", "old")
        for name in ("cut.json", "empty.json", "none.json"):
            for more in ([], ["--db", self.db]):
                self.refused(name, "--csv", "out", "--xlsx=x.xlsx", *more, parts=[name], status=3)
        self.refused("--profile_json_path", "gone.json", parts=["gone.json"], status=3)
        os.mkdir(self.path("folder"))
        self.refused("folder", parts=["folder"], status=3)
        self.refused(RANK_0, "cut.json", "--csv", "out", parts=["cut.json"], status=3)

    def test_a_trace_without_accelerator_work(self):
        self.write("host.json", trace_of(slice_event("a", 0, 1)))
        result = self.report("host.json", "--min-explained", 99)
        self.assertIn("no GPU activities", result.out)
        self.assertEqual(self.table("host.json", "gpu_timeline"), [])
        self.report("host.json", "--csv", "out")
        self.assertEqual(os.listdir(self.path("out")), [])


class Warehouses(Reports):
    def prepare(self):
        self.tpq("ingest", "-q", "--run", "both", RANK_0, RANK_1)
        self.tpq("ingest", "-q", "--run", "again", RANK_0)

    def test_everything_a_run_and_a_trace(self):
        self.assertEqual(len(self.table("gpu_timeline")), 24)
        self.assertEqual(len(self.table("gpu_timeline", "--run", "both")), 16)
        self.assertEqual(len(self.table("gpu_timeline", "--run", "both", "--run", "again")), 24)
        self.assertEqual(self.table("gpu_timeline", "--trace", 3),
                         self.table("gpu_timeline", RANK_0))
        self.assertEqual(len(self.table("gpu_timeline", "--rank", 1)), 8)

    def test_traces_of_a_run_apart_from_each_other(self):
        for run, trace in ("b", RANK_0), ("a", RANK_0), ("b", RANK_1):
            self.tpq("ingest", "--db", "apart.db", "--run", run, trace)
        for table in ("launcher_work", "launched_work"):
            out = self.tpq("sql", "--db", "apart.db", "-m", "csv",
                           f"SELECT run, count(DISTINCT trace_id) FROM {table} GROUP BY run").out
            self.assertEqual(out.splitlines()[1:], ["a,1", "b,2"])

    def test_what_is_not_there(self):
        self.refused("--run", "nobody", parts=["no run 'nobody'"])
        self.refused("--trace", 9, parts=["no trace 9"])
        for value in ("x", "", "1.5", "99999999999999999999"):
            self.refused("--trace", value, parts=["trace number"])
        self.refused("--step", 99, parts=["there is no step 99; there are steps "])
        self.refused(RANK_0, "--step", "98-99", parts=["there is no step 98-99; there are steps "])
        self.refused("--rank", 9, parts=["there is no rank 9; there are ranks 0 to 1$"])
        self.refused("--run", "bot", parts=["no run 'bot'; did you mean both\\?"])
        self.refused("--label", "pr=8", parts=["no run has the label 'pr=8'"])
        self.refused(RANK_0, "--label", "pr=8", parts=["--label chooses from a warehouse"])
        self.refused("gpu_timeline", "--db", "none.db", parts=["no such warehouse"])

    def test_runs_by_pattern_and_label(self):
        both = self.table("gpu_timeline", "--run", "both")
        self.assertEqual(self.table("gpu_timeline", "--run", "bo*"), both)
        connection = sqlite3.connect(self.db)
        connection.execute("UPDATE run SET labels = '{\"pr\":\"8\"}' WHERE name = 'both'")
        connection.commit()
        connection.close()
        self.assertEqual(self.table("gpu_timeline", "--label", "pr=8"), both)

    def test_known_names_that_select_nothing_together(self):
        result = self.report("gpu_timeline", "--run", "again", "--rank", 0, "--id-range",
                             "99999999-", "--csv", "-")
        self.assertIn("tpq: no event has an id in 99999999-\n", result.err)

    def test_a_trace_is_not_chosen_among_files(self):
        self.refused(RANK_0, "--trace", 1, parts=["--trace chooses from a warehouse"])

    def test_files_in_memory_leave_the_named_database_alone(self):
        before = self.snapshot()
        self.table(RANK_0, "gpu_timeline")
        self.assertEqual(self.snapshot(), before)
        self.table(RANK_0, "gpu_timeline", env={"TPQ_DB": "/nowhere/x.db"})

    def test_files_with_a_database_go_there(self):
        rows = self.table(RANK_1, "gpu_timeline", "--db", self.db, "--run", "third")
        self.assertEqual(rows, self.table(RANK_1, "gpu_timeline"))
        self.assertEqual(self.value("SELECT count(*) FROM trace"), 4)
        again = self.table(RANK_1, "gpu_timeline", "--db", self.db, "--run", "third")
        self.assertEqual(again, rows)
        self.assertEqual(self.value("SELECT count(*) FROM trace"), 4)
        self.table(RANK_0, "gpu_timeline", "--db", "new.db")
        self.assertTrue(os.path.exists(self.path("new.db")))
        self.check()

    def test_a_locked_database(self):
        """No file of the database may be opened here meanwhile: closing it ends the lock."""
        holder = sqlite3.connect(self.db, isolation_level=None)
        holder.execute("BEGIN EXCLUSIVE")
        for call in (["gpu_timeline"], ["gpu_timeline", "--into-tables"],
                     [RANK_0, "--db", self.db, "--run", "x"]):
            result = self.report(*call, "--csv", "out", "--wait", 0, status=4)
            self.one_line(result, "another process")
        holder.close()
        self.assertFalse(os.path.exists(self.path("out")))
        self.report("gpu_timeline")

    def test_a_database_that_cannot_be_written(self):
        self.older()  # so that views have to be made
        os.chmod(self.folder, 0o555)
        os.chmod(self.db, 0o444)
        self.addCleanup(os.chmod, self.folder, 0o755)
        nobody = {}
        if os.geteuid() == 0:  # who may write everything
            nobody = {"user": 65534, "group": 65534, "extra_groups": []}
            try:
                subprocess.run([TPQ, "--version"], check=True, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, **nobody)
            except (OSError, subprocess.CalledProcessError):
                self.skipTest("nobody may not run the program")
        self.assertEqual(len(self.table("gpu_timeline", **nobody)), 24)
        result = self.report("gpu_timeline", "--into-tables", status=4, **nobody)
        self.one_line(result, "cannot be written")
        self.one_line(self.report("gpu_timeline", "--json=out", status=4, **nobody),
                      "out cannot be written")

    def test_reading_changes_nothing(self):
        self.report()  # keeps figures of runs
        before = self.snapshot()
        self.report()
        self.assertEqual(self.snapshot(), before)

    def older(self):
        """As a program with other views and another catalog has left it."""
        with sqlite3.connect(self.db) as db:
            db.execute("UPDATE setting SET value = 'other' WHERE name = 'views'")
            db.execute("DROP VIEW IF EXISTS gpu_timeline")
            db.execute("UPDATE op_category SET category = 'OLD' WHERE op = 'record_param_comms'")
            db.execute("INSERT OR REPLACE INTO op_category (op, category) VALUES ('aten::addmm', 'MINE')")

    def test_a_warehouse_of_another_program(self):
        expected = self.table("gpu_timeline")
        self.older()
        self.assertEqual(self.table("gpu_timeline"), expected)
        self.tpq("ingest", "-q", "--run", "more", RANK_1)  # writes, and so brings it up to date
        categories = dict(self.rows("SELECT op, category FROM op_category"))
        self.assertEqual([categories["record_param_comms"], categories["aten::addmm"]],
                         ["record_param_comms", "MINE"])
        rows = self.table("ops_summary_by_category", "--run", "again")
        self.assertEqual({row["op category"] for row in rows},
                         {"GEMM", "MINE", "elementwise", "multi_tensor_apply"})

    def test_frozen_tables_are_read_without_tpq(self):
        self.report("gpu_timeline", "ops_all", "--into-tables")
        for _ in range(2):
            frozen = self.rows("SELECT type, time_ms FROM frozen_gpu_timeline WHERE trace_id = 3")
            shown = self.table("gpu_timeline", "--trace", 3)
            self.assertEqual(frozen, [(row["type"], float(row["time ms"])) for row in shown])
            self.assertEqual(len(self.rows("SELECT * FROM frozen_ops_unique_args")), 18)
            self.report("gpu_timeline", "--into-tables", "--csv", "-")
        self.check()
        self.refused(RANK_0, "--into-tables", parts=["needs a warehouse"])


class Values(Reports):
    def test_numbers_that_are_none(self):
        for option in ("--micro-idle-thresh-us", "--short-kernel-threshold-us"):
            for value in ("", "x", "-1", "nan", "inf", "0x10", " 5", "5 ", "1e99", "5us"):
                self.refused(RANK_0, f"{option}={value}", "--db", "new.db", parts=[option])
        for option in ("--topk-ops", "--topk-short-kernels", "--short-kernel-histogram-bins"):
            for value in ("", "x", "0", "-1", "1.5", "0x1", "1000001"):
                self.refused(RANK_0, f"{option}={value}", "--db", "new.db", parts=[option])
        for value in ("", "x", "-1"):
            self.refused(RANK_0, f"--top={value}", "--db", "new.db", parts=["--top"])
            self.refused(RANK_0, f"--wait={value}", "--db", "new.db", parts=["--wait"])

    def test_min_explained(self):
        for value in ("", "x", "-1", "101", "nan"):
            self.refused(RANK_0, f"--min-explained={value}", "--csv", "out", "--db", "new.db",
                         parts=["--min-explained"])
        self.report(RANK_0, "--min-explained", LINKED - 0.1, "--csv", "out", "-q")
        result = self.report(RANK_0, "--min-explained", LINKED + 0.1, "--csv", "out", "-q", status=1)
        self.one_line(result, "94.43 % of the GPU busy time is linked to ops")
        self.assertEqual(len(os.listdir(self.path("out"))), len(DEFAULTS))

    def test_min_explained_as_the_report_says(self):
        rows = {row["subject"]: row for row in self.table("gpu_time_coverage", RANK_0)}
        self.assertAlmostEqual(float(rows["linked to an op"]["percent"]), LINKED, 2)
        self.assertEqual(float(rows["busy"]["percent"]), 100)
        self.assertEqual(self.report("explained_time", RANK_0).out, self.report("gpu_time_coverage", RANK_0).out)

    def test_idle_time_in_two_parts(self):
        def idle(*options):
            return {row["type"]: float(row["time ms"])
                    for row in self.table(RANK_0, "gpu_timeline", *options) if "idle" in row["type"]}
        whole = idle()["idle_time"]
        self.assertEqual(idle("--micro_idle_thresh_us", 0),
                         {"micro_idle_time": 0, "macro_idle_time": whole})
        self.assertEqual(idle("--micro-idle", "1e6"),
                         {"micro_idle_time": whole, "macro_idle_time": 0})
        some = idle("--micro-idle-thresh-us=0.5")
        self.assertTrue(0 < some["micro_idle_time"] < whole)
        self.assertAlmostEqual(sum(some.values()), whole)

    def test_the_first_rows(self):
        everything = self.table(RANK_0, "ops_all")
        self.assertEqual(self.table(RANK_0, "ops_all", "--topk-ops", 2), everything[:2])
        self.assertEqual(self.table(RANK_0, "ops_all", "--topk_ops=99"), everything)
        short = self.table(RANK_0, "short_kernels_summary")
        self.assertEqual(self.table(RANK_0, "short_kernels_summary", "--topk-short-kernels", 1)[0],
                         {key: value for key, value in short[0].items()
                          if key in self.table(RANK_0, "short_kernels_summary",
                                               "--topk-short-kernels", 1)[0]})

    def test_short_kernels_with_decimals(self):
        self.write("a.json", self.linked_trace(2, 2.4, 2.5, 2.6, 9.999, 10, 10.001))
        def count(*options):
            return sum(int(row["count"]) for row in self.table("a.json", "short_kernel_histogram",
                                                               *options))
        self.assertEqual(count(), 5)
        self.assertEqual(count("--short-kernel-threshold-us", "2.5"), 2)
        self.assertEqual(count("--short-kernel-threshold-us", "2.501"), 3)
        self.assertEqual(count("--short-kernel-threshold-us", 0), 0)

    def test_histograms(self):
        def bars(bins):
            return [(float(row["bin_start"]), float(row["bin_end"]), int(row["count"]))
                    for row in self.table("a.json", "short_kernel_histogram",
                                          "--short-kernel-histogram-bins", bins)]
        self.write("a.json", self.linked_trace(1, 2, 3, 5))
        self.assertEqual(bars(1), [(1, 5, 4)])
        self.assertEqual(bars(4), [(1, 2, 1), (2, 3, 1), (3, 4, 1), (4, 5, 1)])
        self.assertEqual(bars(2), [(1, 3, 2), (3, 5, 2)])
        self.write("a.json", self.linked_trace(3, 3, 3))
        self.assertEqual(bars(1), [(2.5, 3.5, 3)])
        self.assertEqual(bars(2), [(2.5, 3, 0), (3, 3.5, 3)])
        self.assertEqual(len(self.table("a.json", "short_kernel_histogram")), 100)

    def test_no_short_kernels(self):
        self.write("a.json", self.linked_trace(50))
        for more in ([], ["--compat"]):
            self.report("a.json", "--short-kernel-study", "--csv", "out", *more)
            with open(self.path("out", "short_kernel_histogram.csv"), encoding="utf-8") as file:
                self.assertEqual(file.read(), "bin_start,bin_end,count\n")

    def test_unlinked_kernels(self):
        lone = slice_event("lone", 9000, 5, "kernel", process=0, thread=7, args={"stream": 7})
        trace = self.linked_trace(10)
        trace["traceEvents"].append(lone)
        self.write("a.json", trace)
        def busy(*options):
            return [float(row["time ms"]) for row in self.table("a.json", "gpu_timeline", *options)
                    if row["type"] == "busy_time"]
        self.assertEqual([busy(), busy("--include_unlinked_kernels"), busy("--compat"),
                          busy("--compat", "--include_unlinked_kernels")], [[0.015], [0.015], [0.01], [0.015]])

    def test_first_occurrence(self):
        rows = self.table(RANK_0, "ops_all", "--include-first-occurrence-time")
        times = [float(row["first_occurrence_time"]) for row in rows]
        self.assertEqual(min(times), 0)
        self.assertNotIn("first_occurrence_time", self.table(RANK_0, "ops_all")[0])

    def test_calls_by_their_kernels(self):
        for row in self.table(RANK_0, "ops_all", "--group_by_num_kernels"):
            self.assertEqual(int(row["num_kernels"]),
                             len(json.loads(row["kernel_details_summary"])))

    def test_files_are_one_run(self):
        self.refused(RANK_0, "--run", "a", "--run", "b", parts=["files are one run"])
        self.refused(RANK_0, "--run", "a", "--run", "b", "--db", "w.db",
                     parts=["--run names it once"])
        self.assertFalse(os.path.exists(self.path("w.db")))

    def test_names_that_are_empty(self):
        for option in ("csv", "json", "jsonl", "markdown", "html", "xlsx", "output_csvs_dir",
                       "output_xlsx_path", "report-dir", "profile_json_path", "db"):
            self.refused(RANK_0, "gpu_timeline", f"--{option}=", parts=["needs the name of a file"])

    def test_spellings(self):
        expected = self.report(RANK_0, "gpu_timeline", "--micro-idle-thresh-us", 1).out
        for spelling in ("--micro_idle_thresh_us", "--micro-idle_thresh-us", "--micro"):
            self.assertEqual(self.report(RANK_0, "gpu_timeline", spelling, 1).out, expected)
        self.refused(RANK_0, "--short", parts=["may mean .*--short-kernel-study"])
        self.refused(RANK_0, "--topk", 1, parts=["may mean .*--topk-ops"])
        self.refused(RANK_0, "--enable_nothing", parts=["unknown option"])

    def test_what_is_accepted_for_compatibility(self):
        result = self.report(RANK_0, "gpu_timeline", "--enable-origami", "--python_path", "x")
        self.assertEqual(result.err.count("changes nothing: "), 2)

    def test_sets(self):
        self.refused(RANK_0, "--set", "nobody", parts=["no report is of the set 'nobody'"])
        self.assertEqual(self.sheets(RANK_0, "--set", "pytorch"), DEFAULTS)


class Limits(Reports):
    def test_what_a_row_must_not_be(self):
        self.report(RANK_0, "gpu_timeline", "--fail-if", "gpu_timeline.percent > 100")
        self.report(RANK_0, "gpu_timeline", "--fail-if", "ops_summary.count < 1", "--csv")
        done = self.report(RANK_0, "gpu_timeline", "--csv", "--fail-if", "gpu_timeline.percent > 100",
                           "--fail-if", " ops_summary.count>=36", status=1)
        self.one_line(done, r"ops_summary.count>=36: ops_summary.count is 36 of aten::mm \(1 row\)$")
        self.assertIn("busy_time", done.out)  # what was asked for is there

    def test_every_operator(self):
        for operator, status in (("<", 1), ("<=", 1), (">", 1), (">=", 1), ("=", 0), ("==", 0), ("<>", 1),
                                 ("!=", 1)):
            self.report(RANK_0, "ops_summary", "--fail-if", f"ops_summary.count{operator}7.5", "--csv",
                        status=status)

    def test_what_has_no_value_is_said(self):
        """Nothing is broken, but nothing was held either; unless nothing is there that could be wrong."""
        done = self.report(RANK_0, "gpu_timeline", "--csv", "--where", "name = 'none'", "--fail-if",
                           "ops_summary.count < 1", status=3)
        self.assertIn("tpq: ops_summary.count < 1: nothing was held: ops_summary has no rows: nothing is selected\n",
                      done.err)
        done = self.report(RANK_0, "gpu_timeline", "--csv", "--fail-if", "gpu_timeline.time_ms < 0", "--fail-if",
                           "unified_perf_summary.tflops_median > 1", "--where", "name LIKE '%nccl%'", status=3)
        self.assertRegex(done.err, r"nothing was held: unified_perf_summary.*no (value in any row|rows: )")
        self.assertIn("busy_time", done.out)
        done = self.report(RANK_0, "gpu_timeline", "--csv", "--gap-min-us", "1e6", "--fail-if", "gpu_gaps.gap_ms > 5")
        self.assertRegex(done.err, r"gpu_gaps has no rows: no GPU idle gap is as long")

    def test_limits_that_are_none(self):
        for limit, said in (("gpu_timelin.percent > 1", "did you mean gpu_timeline"),
                            ("gpu_timeline.percnt > 1", "did you mean percent"),
                            ("gpu_timeline.percent", "takes REPORT.COLUMN"),
                            ("gpu_timeline.percent > x", "takes REPORT.COLUMN"),
                            ("gpu_timeline.percent > 1 OR 1", "takes REPORT.COLUMN"),
                            ("gpu_timeline.percent < nan", "takes REPORT.COLUMN"),
                            ("ops_summary.name > 1", "ops_summary.name is no number"),
                            ("gpu_timeline", "takes REPORT.COLUMN"), ("", "takes REPORT.COLUMN")):
            done = self.report(RANK_0, "--fail-if", limit, "--csv", "out", status=2)
            self.one_line(done, said)
            self.assertFalse(os.path.exists(self.path("out")))


class Words(Reports):
    def test_the_list(self):
        reports = json.loads(self.report("--list", "--json").out)["reports"]
        every = self.report("--list", "all").out
        self.assertEqual(sorted(re.findall(r"(?m)^    (\w+)", every)), sorted(report["name"] for report in reports))
        self.assertEqual([report["name"] for report in reports if not report["question"]], [])
        first = self.report("--list").out
        self.assertLessEqual(len(first.splitlines()), 45)
        self.assertLess(set(re.findall(r"(?m)^    (\w+)", first)), set(re.findall(r"(?m)^    (\w+)", every)))
        for report in reports:  # a title is a line that is read at once
            self.assertLessEqual(len(report["meaning"].split(". ")[0].split()), 25, report["name"])

    def listed(self, *words):
        return re.findall(r"(?m)^    (\w+)", self.report("--list", *words).out)

    def test_the_list_of_a_question_of_a_set_and_of_words(self):
        self.assertIn("gpu_gaps", self.listed("idle"))
        self.assertNotIn("kernel_summary", self.listed("idle"))
        self.assertEqual(self.listed("tt"), self.listed("--set", "tt"))
        for words, found in (("what got slower", "time_parts"), ("slowest rank", "ranks_stragglers"),
                             ("exposed communication", "comm_overlap"), ("MFU by step", "step_mfu"),
                             ("ops without a model", "ops_without_model"), ("longest gaps and cause", "gpu_gaps"),
                             ("prefill/decode", "ops_summary_by_phase"), ("top kernels", "kernel_summary"),
                             ("roofline", "roofline"), ("compute- or memory-bound", "unified_perf_summary"),
                             ("expensive module", "nn_module_time"), ("what first", "findings")):
            self.assertIn(found, self.listed(*words.split())[:3], words)
            self.assertRegex(self.tpq("describe", *words.split()).out, rf"(?m)^{found} +(report|\()")
        self.one_line(self.report("--list", "nothing", "of", "this", status=2), "speaks of 'nothing of this'")

    def test_the_list_of_what_a_trace_can_fill(self):
        listed = self.listed(RANK_0)
        self.assertIn("gpu_timeline", listed)
        self.assertNotIn("nn_module_time", listed)  # its modules were not recorded
        self.assertLess(len(self.listed(RANK_0, "all")), len(self.listed("all")))

    def test_every_listed_report_is_made(self):
        names = {}  # by set: its sheets have names of their own; test_words describes each
        for report in json.loads(self.report("--list", "--json").out)["reports"]:
            names.setdefault(report["set"], []).append(report["name"])
        for of_set in names.values():
            made = json.loads(self.report(RANK_0, *of_set, "--json").out)
            self.assertGreaterEqual(len(made), len(of_set) // 2)  # some have sheets for their rows alone

    def test_what_a_report_is_about_is_on_the_terminal(self):
        self.assertIn(" 151.20 ", self.report(RANK_0, "coll_analysis").out)  # their time
        self.assertIn('["ncclDev', self.report(RANK_0, "ops_unique_args_kl_overlap").out)

    def test_the_closing_line_without_busy_time(self):
        kernel = {"thread": 7, "process": 0, "args": {"stream": 7}}
        self.write("lost.json", trace_of(slice_event("aten::mm", 0, 5),
                                         slice_event("far", 9e15, 5, "kernel", **kernel)))
        self.write("empty.json", trace_of(slice_event("empty", 0, 0, "kernel", **kernel)))
        self.assertTrue(self.report("lost.json", "gpu_timeline").out.endswith(
            "Coverage: no GPU time; events dropped: 1\n"))
        self.assertTrue(self.report("empty.json", "gpu_timeline").out.endswith(
            "; events without duration: 1\n"))

    def test_the_closing_line(self):
        out = self.report(RANK_0).out
        self.assertIn("Coverage: 94.4 % of 1.141 ms GPU busy time linked to ops", out)
        self.report(RANK_0, "--json=a.json", "--markdown=a.md", "--jsonl=a.jsonl")
        for name in ("a.json", "a.md", "a.jsonl"):
            with open(self.path(name), encoding="utf-8") as file:
                self.assertNotIn("Coverage:", file.read())


class Scenarios(Case):
    def test_what_is_no_scenario(self):
        self.write("t.json", trace_of(slice_event("op", 0, 5)))
        for text, why in (("host xNaN", "a factor like x0.5 is expected at 'xNaN'"), ("host x-1", "a factor like"),
                          ("op=a", "a factor like"), ("nothing x0", "kernel=, op=, .* is expected at 'nothing x0'"),
                          ("kernel~( x0", "there is no such regular expression at '\\( x0'"), ("", ".*is expected at ''")):
            self.one_line(self.tpq("report", "t.json", "what_if", "--what-if", text, status=2), rf"^tpq report: --what-if: {why}")

    def test_scenarios_that_are_asked_for_stand_alone(self):
        self.write("t.json", trace_of(slice_event("op", 0, 5), slice_event("op", 10, 5)))
        sheet = sheets_in(self.tpq("report", "t.json", "what_if", "--what-if", "op=op+host x0; host x0.5 ;hidden", "--json").out)
        self.assertEqual([(row["scenario"], row["saved_ms"]) for row in sheet["what_if"]],
                         [("op=op+host x0", 0.01), ("host x0.5", 0.0075), ("hidden", 0)])


class WithoutOps(Case):
    """The default reports of a trace of plain CUDA, or without ops, say where the time goes."""

    MORE = ["kernel_summary", "cuda_api_sum", "memory_bandwidth", "idle_causes", "time_parts", "gpu_gaps"]

    def sheets(self, *more, ops=()):
        events = [slice_event("cudaLaunchKernel", 0, 5, "cuda_runtime", correlation=1), slice_event("cudaMemcpyAsync", 10, 5, "cuda_runtime", correlation=2),
                  slice_event("add", 20, 30, "kernel", tid=7, device=0, stream=7, correlation=1),
                  slice_event("Memcpy HtoD (Pageable -> Device)", 9000, 10, "gpu_memcpy", tid=7, device=0, stream=7, correlation=2, bytes=64)]
        path = self.write("t.json", trace_of(*events, *ops))
        return sorted(sheets_in(self.tpq("report", path, *more, "--json").out))

    def test_where_the_time_goes(self):
        self.assertEqual(self.sheets(), sorted(["gpu_timeline"] + self.MORE))
        out = self.tpq("report", "t.json", "--top", "0").out
        for name in ["gpu_timeline"] + self.MORE:
            self.assertRegex(out, f"\n{name}(\n|: )")
        first = self.tpq("report", "t.json").out
        for name in ("gpu_timeline", "kernel_summary"):
            self.assertRegex(first, f"\n{name}: ")
        more = re.search(r"(?s)\nMore reports: (.*) \(add a name to the call; --top 0 shows all\)\n", first)[1].split()
        self.assertIn("idle_causes,", more)
        self.assertNotIn("kernel_summary,", more)
        for words in ("--set", "pytorch"), ("--compat",), ("gpu_timeline",):
            self.assertFalse(set(self.MORE) & set(self.sheets(*words)), words)
        self.assertFalse(set(self.MORE) & set(self.sheets(ops=[slice_event("aten::add", 0, 20, "cpu_op")])))


    def test_sheets_without_figures_are_named_once(self):
        def report(*words, **args):
            path = self.write("u.json", trace_of(
                *[slice_event(f"aten::{op}", at, 20, "cpu_op", args=args) for op, at in (("mm", 0), ("relu", 50))],
                *[slice_event("cudaLaunchKernel", at + 1, 5, "cuda_runtime", args={"correlation": at + 1}) for at in (0, 50)],
                *[slice_event("k", at + 30, 9, "kernel", thread=7, args={"device": 0, "stream": 7, "correlation": at + 1}) for at in (0, 50)]))
            return self.tpq("report", path, *(words or ("--top", "20"))).out
        bare = "\nNot printed, input shapes were not recorded (record_shapes=True of the PyTorch profiler): GEMM, UnaryElementwise\n"
        shapes = {"Input Dims": [[8, 8], [8, 8]], "Input type": ["float", "float"]}
        for out, is_bare in (report(), True), (report(**shapes), False):
            self.assertEqual(out.count(bare), is_bare)
            for name in "GEMM", "UnaryElementwise":
                self.assertEqual(bool(re.search(f"\n{name}(\n|: )", out)), not is_bare)
        self.assertRegex(report("GEMM"), "\nGEMM(\n|: )")
        self.assertIn("GEMM", sheets_in(report("--json")))



class Terminal(Case):
    """What stands around tables, and how wide lines are."""

    def test_lines_around_a_table(self):
        out = self.tpq("report", RANK_0, "gpu_timeline").out.split("\n\n")
        self.assertEqual(len(out), 2)  # who and what in doubt; title, table, and the line behind
        self.assertRegex(out[1], r"\Agpu_timeline: .*\n(.*\n)+total_memcpy_time .*\nCoverage: ")
        quiet = self.tpq("report", RANK_0, "gpu_timeline", "-q").out.splitlines()
        self.assertRegex(quiet[0], "percent$")
        self.assertRegex(quiet[-1], "^total_memcpy_time")

    def test_no_line_is_wider(self):
        for words in ((), ("--top", "0")):
            self.assertLessEqual(max(map(len, self.tpq("report", RANK_0, RANK_1, *words).out.splitlines())), 120)
        self.assertLessEqual(len(self.tpq("report", RANK_0, RANK_1).out.splitlines()), 100)
        done = subprocess.run([TPQ, "report", RANK_0, "--min-explained", "x" * 90], capture_output=True, env=self.environment({"COLUMNS": "60"}))
        self.assertRegex(done.stderr.decode(), r"^tpq report: --min-explained .{,40}\n     ")

    def test_rows_of_each_rank(self):
        for words in ((), ("--csv", "-")):
            out = self.tpq("report", RANK_0, RANK_1, "ops_summary:rows=2", "-q", *words).out.splitlines()
            self.assertEqual(len([line for line in out if "aten::" in line]), 4)
        found = self.tpq("report", RANK_0, RANK_1, "ops_summary:rows=2", "-q").out.splitlines()
        self.assertEqual([line.split()[0] for line in found if "aten::" in line], ["0", "0", "1", "1"])
        self.assertTrue(any(line.startswith("rank ") for line in found))


class SeveralRuns(Case):
    """Without more words a line a run is printed, and how to get the reports of one."""

    def test_a_line_a_run(self):
        self.tpq("ingest", "--run", "ranks", RANK_0, RANK_1)
        self.tpq("ingest", "--run", "alone", RANK_0)
        def out(*words):
            return self.tpq("report", *words).out
        lines = out().splitlines()
        self.assertEqual("tpq report --run NAME prints the reports of a run; --set pytorch those of all runs", lines[-1])
        self.assertEqual(["alone", "ranks"], [line.split()[0] for line in lines[-5:-3]])
        self.assertLess(len(lines), 20)
        found = json.loads(self.tpq("report", "run_overview", "--json").out)["run_overview"]
        timeline = json.loads(self.tpq("report", "--run", "alone", "gpu_timeline", "--json").out)["gpu_timeline"]
        share = {row["type"]: row["percent"] for row in timeline}
        row = {row["run"]: row for row in found}["alone"]
        self.assertEqual([share["busy_time"], share["idle_time"], share["exposed_comm_time"]], [row["busy_pct"], row["idle_pct"], row["exposed_comm_pct"]])
        self.assertEqual([1, 2], [row["ranks"] for row in found])
        self.assertTrue(" ".join(out("--run", "alone").split()).startswith(row["headline"]))
        self.assertTrue(row["headline"].startswith(row["bottleneck"]))
        for words in ("--run", "alone"), ("--set", "pytorch"), ("gpu_timeline",):
            self.assertIn("\ngpu_timeline: ", out(*words), words)
            self.assertNotIn("run_overview", out(*words), words)
        self.assertNotIn("run_overview", sheets_in(out("--json")))



class OneValue(Case):
    """A metric with one name has one value in all reports, and other definitions have other names."""

    def test_busy_idle_and_exposed_communication(self):
        names = ["gpu_timeline", "gpu_timeline_per_device", "run_overview", "time_parts", "overview", "step_mfu", "kernel_summary", "cuda_gpu_kern_sum"]
        for path in RANK_0, RANK_1:
            found = sheets_in(self.tpq("report", path, *names, "--json").out)
            timeline, device = ({row["type"]: row["time_ms"] for row in found[name]} for name in names[:2])
            share = {row["type"]: row["percent"] for row in found["gpu_timeline"]}
            run, = found["run_overview"]
            self.assertEqual(timeline, device)
            self.assertEqual([timeline["total_time"], share["busy_time"], share["idle_time"], share["exposed_comm_time"]],
                             [run["time_ms"], run["busy_pct"], run["idle_pct"], run["exposed_comm_pct"]])
            cards = {row["name"]: row["value"] for row in found["overview"] if "steps" not in row["section"]}
            self.assertEqual((cards["busy"], cards["exposed communication"]), (share["busy_time"], timeline["exposed_comm_time"]))
            self.assertNotIn("MFU", cards)  # step_mfu has it, of each step
            steps = [row["step_time_ms"] for row in found["step_mfu"]]
            self.assertAlmostEqual(run["step_time_ms"], sum(steps) / len(steps), 9)
            self.assertAlmostEqual(sum(row["kernel_duration_sum"] for row in found["kernel_summary"]) * 1000,
                                   sum(row["total_time"] for row in found["cuda_gpu_kern_sum"]), 3)
            self.assertEqual(sum(row["kernel_duration_count"] for row in found["kernel_summary"]), sum(row["instances"] for row in found["cuda_gpu_kern_sum"]))

    def test_work_of_a_step_that_goes_on_after_it(self):
        path = self.write("t.json", trace_of(
            *[slice_event(f"ProfilerStep#{number}", at, 100, "user_annotation", thread=1) for number, at in ((1, 0), (2, 100))],
            slice_event("aten::mm", 10, 20, "cpu_op"), slice_event("cudaLaunchKernel", 12, 5, "cuda_runtime", args={"correlation": 1}),
            slice_event("k", 50, 120, "kernel", thread=7, args={"device": 0, "stream": 7, "correlation": 1})))
        row, = sheets_in(self.tpq("report", path, "step_mfu", "--json").out)["step_mfu"]
        self.assertEqual((0.1, 0.12), (row["step_time_ms"], row["launched_busy_ms"]))
        self.assertIn("GPU activities that the step launched go on after its end", row["note"])


if __name__ == "__main__":
    main()
