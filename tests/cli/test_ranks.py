"""tpq report -b: configurations of ranks below a directory: which files, names, traps, sheets."""

import contextlib
import json
import os
import re
import shutil
import sqlite3
import zipfile

from support import Case, headed_sheets_in, main, sheets_in, slice_event, trace_of
from test_report_golden import cells_of

RANK_0 = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../fixtures/train/rank_0.json.gz")


def op_trace(rank=0, shift=0, **metadata):
    """One matrix product with its kernel, later and longer on higher ranks."""
    kernel = {"External id": 1, "correlation": 2, "stream": 7, "device": 0}
    return trace_of(
        slice_event("aten::mm", 10 + shift, 10, args={
            "External id": 1, "Input Dims": [[4, 8], [8, 2]], "Input type": ["float", "float"],
            "Input Strides": [[8, 1], [2, 1]], "Concrete Inputs": ["", ""]}),
        slice_event("cudaLaunchKernel", 12 + shift, 4, "cuda_runtime", args={"correlation": 2}),
        slice_event("sgemm", 20 + shift, 5 + rank, "kernel", thread=7, process=0, args=kernel),
        **metadata)


class Ranks(Case):
    def report(self, *arguments, **more):
        return self.tpq("report", *arguments, **more)

    def rank(self, path, rank=0, **more):
        return self.write(path, op_trace(rank, **more))

    def made(self):
        """The workbooks below the folder."""
        return sorted(os.path.relpath(os.path.join(at, name), self.folder)
                      for at, _, names in os.walk(self.folder) for name in names
                      if name.endswith(".xlsx"))

    def json(self, *arguments):
        return headed_sheets_in(self.report("-b", "b", *arguments, "--json").out)

    def blocks(self, *arguments):
        """What a dry run says: {directory: (workbook, traces)}."""
        found = {}
        for block in self.report(*arguments, "-d").out.split("==== Creating ")[1:]:
            lines = block.splitlines()
            words = dict(line.split(": ", 1) for line in lines if ": " in line)
            start = lines.index("Traces:") + 1
            found[os.path.relpath(words["Parent directory"], self.folder)] = (
                words.get("Excel file"),
                [line for line in lines[start:] if not line.startswith("====")])
        return found


class Discovery(Ranks):
    def test_a_dry_run(self):
        for rank in (0, 10, 2, 1):
            self.write(f"base/traces_rank_{rank}_step_8.json", "not even JSON")
        result = self.report("-b", "base", "-f", "step_8", "-d")
        self.assertEqual(result.out, f"""\
==================== Creating performance report ====================
Parent directory: {self.path("base")}
Excel file: base_step_8_performance_report.xlsx
Filters: step_8
Rank pattern: rank_
Traces:
traces_rank_0_step_8.json
traces_rank_1_step_8.json
traces_rank_2_step_8.json
traces_rank_10_step_8.json
==================== End of dry run ====================
""")
        self.assertEqual(result.err, f"tpq: {self.path('base')}: no trace of rank 3-9\n")
        self.assertEqual(self.made(), [])

    def test_every_directory_is_a_configuration(self):
        for path in ("b/rank_0.json", "b/y/rank_0.json", "b/x/rank_0.json", "b/x/z/rank_0.json",
                     "b/.hidden/rank_0.json", "b/x/.rank_0.json", "b/x/rank_0.json.gz",
                     "b/x/rank_0.txt"):
            self.write(path, "")
        os.symlink(self.path("b/y"), self.path("b/w"))
        self.assertEqual(self.blocks("-b", "b"), {
            name: (f"{os.path.basename(name)}_rank_0_performance_report.xlsx", ["rank_0.json"])
            for name in ("b", "b/w", "b/x", "b/x/z", "b/y")})
        self.assertEqual(self.blocks("-b", "b/", "-e", "gz"), {
            "b/x": ("x_rank_0_performance_report.xlsx", ["rank_0.json.gz"])})

    def test_filters(self):
        for path in ("b/x_bs1/rank_0_step_7.json", "b/x_bs1/rank_0_step_8.json",
                     "b/x_bs1/rank_1_step_8.json", "b/x_bs2/rank_1_step_8.json"):
            self.write(path, "")
        self.assertEqual(self.blocks("-b", "b", "-f", "step_8", "bs1"), {
            "b/x_bs1": ("x_bs1_step_8_bs1_performance_report.xlsx",
                        ["rank_0_step_8.json", "rank_1_step_8.json"])})
        self.assertEqual(self.blocks("-b", "b", "-f", "bs1", "-f", "step_7"), {
            "b/x_bs1": ("x_bs1_bs1_step_7_performance_report.xlsx", ["rank_0_step_7.json"])})
        # in the path as it was given, and capitals count
        self.assertEqual(list(self.blocks("-b", "b", "-f", "b/x_bs2/")), ["b/x_bs2"])
        self.one_line(self.report("-b", "b", "-f", "Step_8", status=3),
                      "No json files found, check filters and filepaths")
        self.one_line(self.report("-b", "b", "-f", self.folder, status=3), "No json files found")

    def test_characters_that_names_of_files_may_not_have(self):
        self.write("b/rank_0 x.json", "")
        name = self.blocks("-b", "b", "-f", "b/rank", "0 x")["b"][0]
        self.assertEqual(name, "b_b_rank_0 x_performance_report.xlsx")

    def test_patterns(self):
        self.write("b/a-rank-3-rank_5.json", "")
        self.write("b/a-rank-x-rank-4-rank_5.json", "")
        self.assertEqual(self.blocks("-b", "b", "-p", "rank-", "-f", "a")["b"][1],
                         ["a-rank-3-rank_5.json", "a-rank-x-rank-4-rank_5.json"])
        result = self.report("-b", "b", "-f", "a", "-p", "rank.", "-d", status=3)
        self.assertIn("its name has no rank behind \"rank.\" (passed over)", result.err)
        self.assertIn("No json files found", result.err)
        self.write("c/7.json", "")
        self.assertEqual(self.blocks("-b", "c", "-p", "", "-f", "c")["c"][1], ["7.json"])

    def test_two_files_of_one_rank(self):
        self.rank("b/rank_0_step_7.json")
        self.rank("b/rank_0_step_8.json", shift=3)
        self.rank("b/rank_1_step_8.json", 1)
        self.one_line(self.report("-b", "b", "-f", "rank_", status=3),
                      f"duplicate rank 0 in {self.path('b')}.*use -f to select one step")
        self.assertEqual(self.made(), [])
        sheet = self.json("-f", "rank_", "--allow-duplicate-ranks")["gpu_timelines"]
        self.assertEqual(list(sheet[0]), ["type", "time_ms_0.1", "percent_0.1", "time_ms_0.2",
                                          "percent_0.2", "time_ms_1", "percent_1", "time_ms_avg",
                                          "time_ms_std", "time_ms_min", "time_ms_max", "is_recompute"])

    def test_a_filter_that_takes_longer_numbers(self):
        for rank in (1, 10, 11):
            self.rank(f"b/rank_{rank}.json", rank)
        result = self.report("-b", "b", "-f", "rank_1", "-d")
        self.assertIn("tpq: the filter rank_1 also takes b/rank_10.json\n", result.err)
        self.assertNotIn("also takes", self.report("-b", "b", "-f", "rank_1.", "-d").err)
        self.assertNotIn("also takes", self.report("-b", "b", "-f", "rank_", "-d").err)

    def test_wrong_calls(self):
        self.rank("b/rank_0.json")
        self.rank("b/c/rank_0.json")
        for words, status, why in (
                (["-b", "b", "-e", "csv"], 2, "Invalid extension csv"),
                (["-b", "b", "-o", "x.xlsx"], 2, "Multiple parent directories with traces found"),
                (["-b", "b", "--xlsx=x.xlsx"], 2, "Multiple parent directories"),
                (["-b", "b", "b/rank_0.json"], 2, "-b finds the traces itself"),
                (["-b", "no"], 3, "no: No such file or directory"),
                (["-b", ""], 3, "names no directory"),
                (["-b", "b/rank_0.json"], 3, "is no directory"),
                (["-b", "b", "nothing"], 2, "neither a report nor a file"),
                (["-b", "b", "--jobs", "0"], 2, "--jobs must be a whole number"),
                (["-b", "b", "--config", "x=b"], 2, "either -b or --config"),
                (["--config", "b"], 2, "is not NAME=DIRECTORY"),
                (["-f", "x", "b/rank_0.json"], 2, "--filter only goes with -b"),
                (["-b", "b", "--run", "x"], 2, "--run does not go with -b"),
                (["-b", "b", "--min-explained", "5"], 2, "--min-explained does not go with -b"),
                (["-b", "b", "-f"], 2, "--filter needs a value")):
            with self.subTest(words=words):
                self.assertIn(why, self.report(*words, status=status).err)
                self.assertEqual(self.made(), [])

    def test_explicit_configurations(self):
        self.rank("a/x/rank_0.json")
        self.rank("b/x/rank_0.json", 3)
        self.report("--config", "old=a", "--config", "new=b/x", "--db", "w.db")
        self.assertEqual(self.made(), ["a/x/old_rank_0_performance_report.xlsx",
                                       "b/x/new_rank_0_performance_report.xlsx"])
        self.assertEqual(self.rows("SELECT name FROM run ORDER BY name"), [("new",), ("old",)])
        self.rank("a/y/rank_0.json")
        self.one_line(self.report("--config", "old=a", status=3), "a: has traces in several")

    def test_directories_with_the_same_name(self):
        self.rank("b/x/same/rank_0.json")
        self.rank("b/y/same/rank_0.json")
        self.report("-b", "b", "--db", "w.db")
        self.assertEqual(self.rows("SELECT name FROM run ORDER BY name"),
                         [(self.path("b/x/same"),), (self.path("b/y/same"),)])

    def test_where_nobody_may_look(self):
        self.rank("b/rank_0.json")
        os.mkdir(self.path("b/closed"), 0)
        self.addCleanup(os.chmod, self.path("b/closed"), 0o755)
        result = self.report("-b", "b", "-d")
        if os.geteuid() != 0:
            self.assertIn("b/closed: Permission denied (passed over)", result.err)
        self.assertIn("rank_0.json\n", result.out)


class Workbooks(Ranks):
    def test_one_that_is_there(self):
        for name in "xy":
            self.rank(f"b/{name}/rank_0.json")
        there = self.write("b/y/y_rank_0_performance_report.xlsx", "mine")
        self.one_line(self.report("-b", "b", status=4), "y_rank_0_performance_report.xlsx: exists")
        self.assertEqual(len(self.made()), 1)
        self.report("-b", "b", "--skip-existing")
        self.assertEqual(len(self.made()), 2)
        with open(there) as file:
            self.assertEqual(file.read(), "mine")
        self.report("-b", "b", "--force")
        self.assertTrue(zipfile.is_zipfile(there))

    def test_names_that_are_given(self):
        self.rank("b/rank_0.json")
        self.report("-b", "b", "-o", "mine.xlsx")
        self.assertEqual(self.made(), ["mine.xlsx"])
        self.report("-b", "b", "-o", "mine.xlsx", status=4)
        self.report("-b", "b", "-o", "mine.xlsx", "--force")
        self.assertEqual(self.report("-b", "b", "-o", "b/rank_0.json", "--force", status=2).status, 2)

    def test_the_sheets(self):
        for rank in (0, 1, 2, 10):
            self.rank(f"b/rank_{rank}.json", rank)
        self.report("-b", "b", "-f", "rank_", "-a")
        text = cells_of(self.path("b/b_rank__performance_report.xlsx"))
        sheets = [line[1:-1] for line in text.splitlines() if line.startswith("[")]
        self.assertEqual(sheets, ["index", "kernels_0", "kernels_1", "kernels_2", "kernels_10",
                                  "gemm", "kernel_launchers", "gpu_timelines",
                                  "linked_and_short_kernels", "short_cpu_op_counts",
                                  "cuda_events_summary", "grouped_breakdown"])

    def test_the_sheets_of_traces(self):
        for rank in (0, 1):
            self.rank(f"b/rank_{rank}.json", rank)
        self.report("-b", "b", "-f", "rank_", "--set", "pytorch")
        text = cells_of(self.path("b/b_rank__performance_report.xlsx"))
        self.assertIn("[ops_summary]", text)
        self.assertIn("[unified_perf_summary]", text)

    def test_one_for_each_rank(self):
        for rank in (0, 1):
            self.rank(f"b/rank_{rank}.json", rank)
        self.report("-b", "b", "-f", "rank_", "--per-rank")
        self.assertEqual(self.made(), [f"b/b_rank_{rank}_rank__performance_report.xlsx"
                                       for rank in (0, 1)])
        first = cells_of(self.path("b/b_rank_0_rank__performance_report.xlsx"))
        self.assertIn("'time_ms_0'", first)
        self.assertNotIn("'time_ms_1'", first)

    def test_a_trace_that_cannot_be_read(self):
        self.rank("b/x/rank_0.json")
        self.write("b/y/rank_0.json", '{"traceEvents": [')
        self.rank("b/z/rank_0.json")
        result = self.report("-b", "b", status=3)
        self.assertIn("y/rank_0.json", result.err)
        self.assertEqual([os.path.dirname(path) for path in self.made()], ["b/x", "b/z"])

    def test_without_accelerator_work(self):
        self.write("b/rank_0.json", trace_of(slice_event("aten::mm", 0, 1)))
        self.report("-b", "b")
        self.assertEqual(len(self.made()), 1)


    def test_configurations_side_by_side(self):
        for name, longer in (("x", 0), ("y", 10)):
            for rank in (0, 1):
                self.rank(f"b/{name}/rank_{rank}.json", rank + longer)
        self.report("-b", "b", "-f", "rank_", "--compare")
        self.assertEqual(self.made(), ["b/multi_config_summary.xlsx",
                                       "b/x/x_rank__performance_report.xlsx",
                                       "b/y/y_rank__performance_report.xlsx"])
        text = cells_of(self.path("b/multi_config_summary.xlsx"))
        self.assertEqual([line for line in text.splitlines() if line.startswith("[")],
                         ["[index]", "[configs]", "[grouped_breakdown]"])
        self.assertNotIn("[configs]", cells_of(self.path(self.made()[1])))
        self.report("-b", "b", "-f", "rank_", "--db", "w.db", "--force")
        sheets = headed_sheets_in(self.report("--db", "w.db", "--set", "multirank-summary", "--json").out)
        configs, parts = sheets["configs"], sheets["grouped_breakdown"]
        self.assertEqual([(row["name"], row["world_size"], row["total_time_ms_avg"],
                           row["busy_time_ms_min"], row["computation_time_ms_max"])
                          for row in configs],
                         [("x", 2, 0.0055, 0.005, 0.006), ("y", 2, 0.0155, 0.015, 0.016)])
        gemm, total = parts[1], parts[-1]
        self.assertEqual(list(gemm), ["Group", "Time (s) x", "Time (s) y"])
        self.assertEqual(list(gemm.values()), ["GEMM", 5.5e-6, 15.5e-6])
        self.assertEqual(list(total.values()), ["Total", 5.5e-6, 15.5e-6])

    def test_comparing_again(self):
        for name in "xy":
            self.rank(f"b/{name}/rank_0.json")
        self.report("-b", "b", "--compare", "--json")  # an output of its own, and no others
        self.assertEqual(self.made(), ["b/multi_config_summary.xlsx"])
        self.one_line(self.report("-b", "b", "--compare", status=4), "summary.xlsx: exists already")
        self.report("-b", "b")
        os.remove(self.path("b/multi_config_summary.xlsx"))
        self.report("-b", "b", "--compare", "--skip-existing")
        self.assertIn("'y'", cells_of(self.path("b/multi_config_summary.xlsx")))
        for words, why in ((("--config", "x=b/x", "--compare"), "--compare writes below"),
                           (("b/x/rank_0.json", "--compare"), "--compare only goes with -b")):
            self.one_line(self.report(*words, status=2), why)


class ExtensionFiles(Ranks):
    FILE = """INSERT INTO perf_model (op, flops, bytes, category)
VALUES ('aten::mm', '7000', '70', 'Mine_fwd');
INSERT INTO op_group (purpose, op, op_group, place) VALUES ('sheet', 'aten::mm', 'mine', 1);
INSERT INTO ext_sheet (name, sql)
VALUES ('seen', 'SELECT run, sum(calls) AS calls FROM group_row GROUP BY run');
"""

    def prepare(self):
        for name, ranks in (("x", 2), ("y", 3)):
            for rank in range(ranks):
                self.rank(f"b/{name}/rank_{rank}.json", rank)
        self.write("mine.sql", self.FILE)

    def extended(self, *arguments, **more):
        return self.report("-b", "b", "-f", "rank_", "--extension-file", "mine.sql", *arguments,
                           **more)

    def test_workbooks(self):
        for words in ((), ("--force", "--db", "w.db"), ("--force", "--compare")):
            self.assertNotIn("left out", self.extended(*words).err)
            for name, calls in (("x", 2), ("y", 3)):
                text = cells_of(self.path(f"b/{name}/{name}_rank__performance_report.xlsx"))
                self.assertIn("[mine]", text)
                self.assertIn("'7E-06'", text)
                self.assertIn("[seen]", text)
                self.assertIn(str(calls), text.split("[seen]")[1])
                self.assertNotIn("[gemm]", text)
        self.assertEqual(self.rows("SELECT count(*) FROM op_group WHERE op_group = 'mine'"), [(0,)])

    def test_all_configurations_in_one_output(self):
        for words in ((), ("--db", "w.db")):
            sheets = headed_sheets_in(self.extended("--json", "--xlsx", "--force", *words).out)
            self.assertEqual([(row["run"], row["GFLOPS_first"], row["name_count"])
                              for row in sheets["mine"]], [("x", 7e-6, 2), ("y", 7e-6, 3)])
            self.assertEqual([list(row.values()) for row in sheets["seen"]], [["x", 2], ["y", 3]])
            self.assertEqual(len(self.made()), 2)

    def test_a_sheet_by_its_name(self):
        sheets = headed_sheets_in(self.extended("seen", "gpu_timelines", "--json").out)
        self.assertEqual(sorted(sheets), ["gpu_timelines", "seen"])
        self.assertIn("there is no report 'other'", self.extended("other", status=2).err)

    def test_a_file_that_fails(self):
        self.write("mine.sql", "\nINSERT INTO nothing VALUES (1);\n")
        self.assertIn("mine.sql:2: near \"nothing\": syntax error (skipped)",
                      self.extended().err)
        self.assertEqual(len(self.made()), 2)
        self.extended("--strict-extensions", "--force", status=3)


class Statistics(Ranks):
    def prepare(self):
        for rank in (0, 2, 1):
            self.rank(f"b/rank_{rank}.json", rank)

    def test_over_ranks(self):
        sheets = self.json("-f", "rank_")
        total = {row["type"]: row for row in sheets["gpu_timelines"]}["total_time"]
        self.assertEqual([total[f"time_ms_{rank}"] for rank in range(3)], [0.005, 0.006, 0.007])
        self.assertAlmostEqual(total["time_ms_avg"], 0.006)
        self.assertAlmostEqual(total["time_ms_std"], (2 / 3) ** 0.5 / 1000)
        self.assertEqual((total["time_ms_min"], total["time_ms_max"]), (0.005, 0.007))
        row, = sheets["gemm"]
        self.assertEqual((row["name_count"], row["ranks"]), (3, 3))
        self.assertEqual((row["rank_time_min_us"], row["rank_time_max_us"]), (5, 7))
        self.assertEqual(row["Kernel Time (µs)_sum"], 18)
        self.assertEqual(row["Kernel Time (µs)_std"], 1)
        self.assertEqual(row["kernel_time_sum_cum_pct"], 1)
        launcher, = sheets["kernel_launchers"]
        self.assertEqual((launcher["count"], launcher["count_avg"]), (3, 1))
        self.assertEqual([row["Time (s)"] for row in sheets["grouped_breakdown"]
                          if row["Group"] == "GEMM"], [6e-6])

    def test_the_same_content_on_several_ranks(self):
        for rank in (1, 2):
            shutil.copy(self.path("b/rank_0.json"), self.path(f"b/rank_{rank}.json"))
        self.report("-b", "b", "-f", "rank_", "--db", "w.db")
        self.assertEqual(self.rows("SELECT rank FROM trace ORDER BY rank"), [(0,), (1,), (2,)])
        self.assertEqual(self.json("-f", "rank_")["gemm"][0]["name_count"], 3)
        self.report("-b", "b", "-f", "rank_", "--db", "w.db", "--force")
        self.assertEqual(self.value("SELECT count(*) FROM trace"), 3)
        self.check()

    def test_the_rank_is_in_the_name_whatever_the_file_says(self):
        self.write("b/rank_2.json", op_trace(2, distributedInfo={"rank": 0, "world_size": 3}))
        self.report("-b", "b", "-f", "rank_", "--db", "w.db")
        self.assertEqual(self.rows("SELECT rank FROM trace ORDER BY rank"), [(0,), (1,), (2,)])

    def test_a_warehouse_answers_again(self):
        first = self.json("-f", "rank_", "--db", "w.db")
        shutil.rmtree(self.path("b"))
        again = self.report("--db", "w.db", "--run", "b", "--set", "multirank", "--json").out
        self.assertEqual(headed_sheets_in(again), first)
        rows = self.tpq("sql", "--db", "w.db", "-m", "json",
                        "SELECT run, rank, time_ms FROM ranks_timeline WHERE type = 'busy_time'").out
        self.assertEqual([row["time_ms"] for row in json.loads(rows)], [0.005, 0.006, 0.007])

    def test_several_configurations_in_one_output(self):
        self.rank("b/other/rank_0.json", 5)
        sheet = self.json("-f", "rank_")["kernel_launchers"]
        self.assertEqual([(row["run"], row["count"]) for row in sheet], [("b", 3), ("other", 1)])
        self.report("-b", "b", "-f", "rank_", "--csv", "out")
        with open(self.path("out/gpu_timelines.csv")) as file:
            self.assertTrue(file.readline().startswith("run,type,time_ms_0,percent_0,"))
        self.assertEqual(self.made(), [])
        self.report("-b", "b", "-f", "rank_", "--csv", "out", "--xlsx")
        self.assertEqual(len(self.made()), 2)

    def test_only_some_reports(self):
        self.assertEqual(list(self.json("kernel_launchers", "gpu_timelines", "-f", "rank_")),
                         ["kernel_launchers", "gpu_timelines"])

    def test_jobs(self):
        alone, many = (self.json("-f", "rank_", "--jobs", jobs) for jobs in (1, 8))
        self.assertEqual(alone, many)

    def test_unlinked_work(self):
        self.assertNotIn("unlinked_short_kernels_summary", self.json("-f", "rank_"))
        trace = op_trace()
        trace["traceEvents"] += [
            slice_event(name, ts, 20, kind, thread=7, process=0, args={"stream": 7})
            for name, kind, ts in (("far", "kernel", 50), ("far", "kernel", 80),
                                   ("copy", "gpu_memcpy", 110))]
        self.write("b/rank_1.json", trace)
        sheets = self.json("-f", "rank_")
        self.assertEqual([list(row.values()) for row in sheets["unlinked_short_kernels_summary"]],
                         [["far", "kernel", 2, 20, 20, 20], ["copy", "gpu_memcpy", 1, 20, 20, 20]])
        self.assertEqual([list(row.values()) for row in sheets["linked_and_short_kernels"]],
                         [[0, 1, 1, 0, 1, 0], [1, 4, 1, 3, 1, 0], [2, 1, 1, 0, 1, 0]])

    def test_what_is_said_about_groups(self):
        err = self.report("-b", "b", "-f", "rank_", "-v").err
        self.assertIn("tpq: b: no op of the group conv\n", err)
        self.assertIn("tpq: b: ops with shapes below nothing: aten::mm (0, 0.010 ms), which calls "
                      "cudaLaunchKernel for 0.004 ms\n", err)
        self.assertNotIn("ops with shapes", self.report("-b", "b", "-f", "rank_", "--force").err)

    def test_groups_of_the_user(self):
        self.report("-b", "b", "-f", "rank_", "--db", "w.db")
        connection = sqlite3.connect(self.db)
        connection.execute("DELETE FROM op_group WHERE op = 'aten::mm'")
        connection.execute("INSERT INTO op_group (purpose, op, op_group, place) VALUES "
                           "('breakdown', 'aten::', 'Mine', 5), ('sheet', 'aten::mm', 'own', 5)")
        connection.execute("UPDATE op_group SET is_prefix = 1 WHERE op_group = 'Mine'")
        connection.commit()
        connection.close()
        sheets = headed_sheets_in(self.report("--db", "w.db", "--set", "multirank", "--json").out)
        self.assertEqual(sheets["grouped_breakdown"][0], {"Group": "Mine", "Time (s)": 6e-6})
        self.assertEqual(sheets["own"][0]["name_count"], 3)

    def test_breakdown_by_categories(self):
        sheet = self.json("-f", "rank_", "--breakdown", "categories")["grouped_breakdown"]
        self.assertEqual([row["Time (s)"] for row in sheet if row["Group"] == "GEMM"], [6e-6])


# Four ranks, one group; (name, type, in, out, starts and durations of the ranks).
RANKS = 4
def kernel_of(start, duration, rank, group, ranks):
    """An allreduce of some ranks."""
    return slice_event("ncclKernel", start, duration, "kernel", thread=7, process=0, args={
        "External id": start, "correlation": start, "stream": 7, "Process Group Name": group,
        "Process Group Ranks": str(ranks), "Group size": len(ranks), "Rank": rank,
        "Collective name": "allreduce", "dtype": "Float", "In msg nelems": 8, "Out msg nelems": 8})


COLLECTIVES = [
    ("allreduce", "Float", 1048576, 1048576, [(1000, 60), (1010, 50), (1005, 55.5), (1030, 31)]),
    ("_allgather_base", "BFloat16", 1048576, 4194304,
     [(2000, 40), (2004, 36), (2001, 39), (2002, 38.5)]),
    ("_reduce_scatter_base", "Float", 4194304, 1048576,
     [(3000, 120), (3050, 70.5), (3020, 100), (3040, 80)]),
    ("all_to_all", "BFloat16", 2097152, 2097152,
     [(4000, 25), (4000, 25.5), (4001, 24), (4003, 22.5)]),
    ("broadcast", "Float", 1024, 1024, [(5000, 10), (5001, 9), (5002, 8), (5003, 7)]),
    ("allreduce", "Float", 1048576, 1048576, [(6000, 20), (6002, 18), (6001, 19), (6000.5, 19.5)]),
    ("all_to_allv", "Float", 1024, 1024, [(8000, 10), (8000, 12), (8001, 9), (8002, 9.5)]),
]


# What each rank sends to each other one: of those above and of one in other parts.
SENT = [[1000, 2000, 3000, 4000], [500, 500, 500, 500], [0, 0, 0, 0], [100, 200, 300, 400]]
EXCHANGES = [*COLLECTIVES[:6],
             ("all_to_allv", "BFloat16", SENT, [list(column) for column in zip(*SENT)],
              [(7000, 100), (7010, 80), (7005, 90), (7020, 75)]),
             ("all_to_allv", "Float", [[256] * 4] * 4, [[256] * 4] * 4, [(8000, 10), (8000, 12), (8001, 9), (8002, 9.5)])]


class Collectives(Ranks):
    def kernels(self, rank, collectives=COLLECTIVES, group="0", name="ncclDevKernel", **left_out):
        for index, (kind, dtype, elements, out, times) in enumerate(collectives):
            args = {"External id": index + 1, "correlation": index + 1, "stream": 7,
                    "Process Group Name": group, "Process Group Ranks": "[0, 1, 2, 3]",
                    "Collective name": kind, "Group size": RANKS, "dtype": dtype,
                    "In msg nelems": elements, "Out msg nelems": out, "In split size": "[]",
                    "Out split size": "[]"}
            if isinstance(elements, list):
                args.update({"In msg nelems": sum(elements[rank]), "In split size": str(elements[rank]),
                             "Out msg nelems": sum(out[rank]), "Out split size": str(out[rank])})
            if left_out.get("bare"):
                args = {"correlation": index + 1, "stream": 7}
            start, duration = times[rank]
            yield slice_event(name, start, duration, "kernel", thread=7, process=0, args=args)

    def fill(self, ranks=RANKS, properties=(), **more):
        for rank in range(ranks):
            content = trace_of(
                slice_event("cudaLaunchKernel", 1, 1, "cuda_runtime", args={"correlation": 1}),
                *self.kernels(rank, **more))
            self.write(f"b/rank_{rank}.json", {**content, "deviceProperties": list(properties)})

    def test_starts_are_exact_late_in_the_life_of_a_clock(self):
        """13 ns at 1.7e15 us are less than a double tells apart."""
        for rank, start in enumerate(("1700000000000100.987", "1700000000000101.000")):
            content = json.dumps(trace_of(
                slice_event("cudaLaunchKernel", 1, 1, "cuda_runtime", args={"correlation": 1}),
                *self.kernels(rank, [("allreduce", "Float", 8, 8, [(2, 5)] * 2)])))
            self.write(f"b/rank_{rank}.json", content.replace('"ts": 1,', '"ts": 1700000000000000.000,').replace(
                '"ts": 2,', f'"ts": {start},'))
        found = self.json("-f", "rank_")
        self.assertEqual([row["ts"] for row in found["long"]], [100.987, 101.0])
        detailed, = found["nccl_implicit_sync_cat_detailed"]
        self.assertEqual((detailed["rank_0_ts"], detailed["rank_1_ts"], detailed["rank_0_wait_time"]),
                         (100.987, 101.0, 0.013))

    def test_each_of_them(self):
        self.fill()
        rows = {row["collective_id"]: row
                for row in self.json("-f", "rank_")["nccl_implicit_sync_cat"]}
        expected = {
            "0_0": (4, 31, 30, 0, 18.75, 1.0, 126.00806451612902, 189.01209677419354),
            "0_1": (8, 36, 4, 0, 2.25, 0.5, 217.01388888888889, 162.76041666666666),
            "0_2": (16, 70.5, 50, 0, 22.5, 0.5, 221.63120567375884, 166.22340425531914),
            "0_3": (4, 22.5, 3, 1, 2.0, 0.5, 173.61111111111111, 130.20833333333334),
            "0_5": (4, 18, 2, 0, 1.125, 0.0, 217.01388888888889, 325.5208333333333)}
        self.assertEqual(list(rows), list(expected))
        for key, figures in expected.items():
            row = rows[key]
            found = [row[name] for name in (
                "Full msg size (MB)", "comm_latency", "skew in start time", "earliest arrival rank",
                "avg_wait_time", "skew in end time", "algo bw (GB/s)", "bus bw (GB/s)")]
            for value, figure in zip(found, figures):
                self.assertAlmostEqual(value, figure, delta=1e-9 * abs(figure), msg=key)

    def rows(self, name, *arguments):
        """A report that is shown by name, of the run."""
        self.tpq("ingest", "--db", "r.db", "--run", "r", "b")
        sheet, = sheets_in(self.report("--db", "r.db", name, "--json", *arguments).out).values()
        return sheet

    def test_what_each_rank_sent_to_each_other(self):
        """One exchange by splits, as texts, and one in equal parts, of a list or without one."""
        for rank in range(RANKS):
            group = {"External id": 1, "stream": 7, "Process Group Name": "0", "Collective name": "all_to_allv",
                     "Process Group Ranks": "[0, 1, 2, 3]", "Group size": RANKS}
            self.write(f"b/rank_{rank}.json", trace_of(*(
                slice_event("ncclDevKernel", start, 10, "kernel", thread=7, process=0, args={
                    **group, "correlation": start, "dtype": dtype, "In msg nelems": sum(split) or 1024,
                    "Out msg nelems": 1024, "In split size": text, "Out split size": text})
                for start, dtype, split, text in (
                    (7000, "BFloat16", SENT[rank], str(SENT[rank])),
                    (8000, "Float", [256] * 4, [256] * 4),
                    (9000, "Float", [256] * 4, "[]"),
                    (9500, "Float", [256] * 4, "[256, 256, ...]"),
                    (9600, "Float", [256] * 4, "[512, 512]")))))
        found = {(int(row["src_rank"]), int(row["dst_rank"])): (row["total_sent"], row["avg_sent"], row["count"])
                 for row in self.rows("ranks_all2allv_heatmap")}
        self.assertEqual(len(found), RANKS * RANKS)
        self.assertEqual(found[0, 3], ((4000 * 2 + 2 * 256 * 4) / 2**20, (4000 * 2 + 2 * 256 * 4) / 2**20 / 3, 3))
        self.assertEqual(found[2, 0], (2 * 256 * 4 / 2**20, 2 * 256 * 4 / 2**20 / 3, 3))

    def test_places_of_a_group_are_its_ranks(self):
        args = {"External id": 1, "correlation": 1, "stream": 7, "Process Group Name": "odd", "dtype": "Byte",
                "Collective name": "all_to_allv", "Process Group Ranks": "[1, 3]", "Group size": 2,
                "In msg nelems": 30, "Out msg nelems": 30, "In split size": "[10, 20]", "Out split size": "[10, 20]"}
        for rank in (1, 3):
            self.write(f"b/rank_{rank}.json", trace_of(
                slice_event("ncclDevKernel", 100 + rank, 10, "kernel", thread=7, process=0, args=args)))
        found = self.rows("ranks_all2allv_heatmap")
        self.assertEqual([(int(row["src_rank"]), int(row["dst_rank"]), row["total_sent"] * 2**20) for row in found],
                         [(1, 1, 10), (1, 3, 20), (3, 1, 10), (3, 3, 20)])

    def test_pairs_of_very_many_ranks(self):
        args = {"External id": 1, "correlation": 1, "stream": 7, "Process Group Name": "all", "dtype": "Byte",
                "Collective name": "all_to_allv", "Process Group Ranks": "[0, 1]", "Group size": 2,
                "In msg nelems": 30, "Out msg nelems": 30, "In split size": "[10, 20]", "Out split size": "[10, 20]"}
        for rank in (0, 1):
            self.write(f"b/rank_{rank}.json", trace_of(
                slice_event("ncclDevKernel", 100 + rank, 10, "kernel", thread=7, process=0, args=args)))
        self.tpq("ingest", "-q", "--run", "b", "b")

        def told():
            done = self.report("--set", "multirank", "--all2allv_heatmap", "--json")
            warned = [line.split(": ", 3)[3] for line in done.err.splitlines() if ": W11: " in line]
            return len(json.loads(done.out).get("nccl_all2allv_heatmap", [])), warned

        self.assertNotIn("nccl_all2allv_heatmap", json.loads(self.report("--set", "multirank", "--json").out))
        self.assertEqual(told(), (4, []))
        for ranks, pairs, warning in (
                (1024, 4, "ranks_all2allv_heatmap has up to 1048576 pairs of 1024 ranks"),
                (1025, 0, "ranks_all2allv_heatmap does not look at the pairs of 1025 ranks: 1024 are the most")):
            with contextlib.closing(sqlite3.connect(self.db)) as connection:
                columns = [row[1] for row in connection.execute("PRAGMA table_info(trace)") if row[1] not in ("id", "rank")]
                there, = connection.execute("SELECT count(*) FROM trace").fetchone()
                meant = ", ".join({"first_event": "1", "last_event": "0"}.get(name, name) for name in columns)
                connection.execute(
                    "WITH RECURSIVE more(n) AS (SELECT ?1 UNION ALL SELECT n + 1 FROM more WHERE n < ?2 - 1) "
                    f"INSERT INTO trace (rank, {', '.join(columns)}) SELECT n, {meant} FROM more JOIN trace ON trace.id = 1",
                    (there, ranks))
                connection.commit()
            self.assertEqual(told(), (pairs, [warning]))
        why = "pairs of ranks are not listed for runs of more than 1,024"
        self.assertIn(why, " ".join(self.report("ranks_all2allv_heatmap").out.split()))

    def test_how_far_ranks_are_apart(self):
        for rank, starts in enumerate(([100, 200, 300], [130, 210, 290], [150, 250])):
            self.write(f"b/rank_{rank}.json", trace_of(*(
                slice_event("sgemm", start, 5, "kernel", thread=7, process=0,
                            args={"correlation": start, "stream": 7, "device": 0}) for start in [90, *starts][rank == 2:])))
        rows = [(row["number"], row["ranks"], row["apart_us"], int(row["first_rank"]), int(row["last_rank"]))
                for row in self.rows("ranks_kernel_pace")]
        # rank 2 has two of them only
        self.assertEqual([row[1:] for row in rows[1:]], [(2, 30, 0, 1), (2, 10, 0, 1), (2, 10, 1, 0)])

    def test_all_sheets_of_them(self):
        self.fill()
        sheets = self.json("-f", "rank_")
        summary = sheets["summary_nccl_implicit_sync_cat"]
        self.assertEqual([(row["Collective name"], row["count"]) for row in summary], [
            ("_reduce_scatter_base", 1), ("allreduce", 2), ("_allgather_base", 1),
            ("all_to_all", 1)])
        self.assertAlmostEqual(summary[0]["Total comm latency (ms)"], 0.0705)
        self.assertAlmostEqual(summary[1]["comm_latency_mean_ms"], 0.0245)
        self.assertAlmostEqual(summary[1]["skew_start_mean_ms"], 0.016)
        self.assertAlmostEqual(summary[1]["algo bw (GB/s)_mean"], 171.51097670250897)
        self.assertAlmostEqual(summary[1]["bus bw (GB/s)_mean"], 257.26646505376345)
        self.assertEqual(len(sheets["long"]), RANKS * len(COLLECTIVES))
        self.assertEqual([row["collective_id"] for row in sheets["long"][:7]],
                         [f"0_{index}" for index in range(7)])
        self.assertEqual(sheets["long"][0]["In msg size (MB)"], 4)
        detailed = sheets["nccl_implicit_sync_cat_detailed"][0]
        self.assertEqual(list(detailed)[-12:], [
            *(f"rank_{rank}_{what}" for rank in range(4) for what in ("ts", "dur")),
            *(f"rank_{rank}_wait_time" for rank in range(4))])
        self.assertEqual([detailed[f"rank_{rank}_wait_time"] for rank in range(4)], [30, 20, 25, 0])
        self.assertEqual([detailed[f"rank_{rank}_ts"] for rank in range(4)], [999, 1009, 1004, 1029])
        detailed = self.json("-f", "rank_", "--compat")["nccl_implicit_sync_cat_detailed"][0]
        self.assertEqual([detailed[f"rank_{rank}_ts"] for rank in range(4)], [1000, 1010, 1005, 1030])
        exchange, = sheets["nccl_all2allv"]
        self.assertEqual((exchange["collective_id"], exchange["total data communicated (MB)"],
                          exchange["total nelems communicated"], exchange["skew in start time"],
                          exchange["skew in end time"]), ("0_6", 0.015625, 4096, 2, 2))

    def figures(self, row, expected):
        for name, figure in expected.items():
            with self.subTest(name):
                self.assertAlmostEqual(row[name], figure, delta=1e-9 * abs(figure))

    def of_collectives(self, *options):
        return self.json("-f", "rank_", "--set", "collectives", *options)

    def test_the_set_about_collectives(self):
        self.fill(collectives=EXCHANGES)
        sheets = self.of_collectives("--all2allv_heatmap")
        self.assertEqual(list(sheets), [
            "nccl_summary_implicit_sync", "nccl_summary_long", "nccl_summary_all2allv", "nccl_all2allv_heatmap", "nccl_long",
            "nccl_implicit_sync", "nccl_all2allv", "straggler_summary", "nccl_summary_by_group", "straggler_by_group"])
        self.assertEqual([row["Collective name"] for row in sheets["nccl_summary_implicit_sync"]],
                         ["_reduce_scatter_base", "allreduce", "_allgather_base", "all_to_all"])
        self.figures(sheets["nccl_summary_implicit_sync"][1], {
            "count": 2, "comm_latency_mean": 24.5, "comm_latency_median": 24.5, "comm_latency_min": 18, "comm_latency_max": 31,
            "skew in start time_mean": 16, "skew in end time_mean": 0.5, "algo bw (GB/s)_mean": 171.51097670250897,
            "bus bw (GB/s)_mean": 257.26646505376345, "Total comm latency (ms)": 0.049})
        group = sheets["nccl_summary_by_group"][1]
        self.assertEqual((group["Process Group"], group["Collective name"]), ("0", "allreduce"))
        self.figures(group, {"comm_latency_p10": 19.3, "comm_latency_p90": 29.7, "comm_latency_p99": 30.87,
                             "wait_share": 79.5 / 273, "skew in start time_max": 30, "count": 2})  # waits 75 + 4.5
        # 4 MB each: from 1000 to 1061, from 6000 to 6020
        self.figures(group, {"effective bw (GB/s)": (4 / 1024 / 61e-6 + 4 / 1024 / 20e-6) / 2})
        sums = sheets["nccl_summary_long"]
        self.assertEqual(len(sums), 28)
        self.assertEqual((sums[0]["rank"], sums[0]["Collective name"], sums[0]["dur_sum"]), (0, "_reduce_scatter_base", 120))
        both, = (row for row in sums if (row["rank"], row["Collective name"]) == (0, "allreduce"))
        self.figures(both, {"dur_sum": 80, "dur_mean": 40, "dur_std": 28.284271247461902, "dur_min": 20, "dur_max": 60,
                            "operation_count": 2, "In msg size (MB)_first": 4, "Out msg size (MB)_first": 4})
        self.assertEqual([row["collective_id"] for row in sheets["nccl_long"][:8]], [f"0_{index}" for index in range(8)])
        self.assertEqual(len(sheets["nccl_implicit_sync"]), 5)

    def test_nodes(self):
        properties = [{"id": i, "name": "NVIDIA H100 80GB HBM3"} for i in range(2)]
        self.fill(collectives=EXCHANGES)
        self.assertNotIn("node_id", self.of_collectives()["nccl_long"][0])
        chosen = self.of_collectives("--gpus_per_node", "2")
        self.fill(collectives=EXCHANGES, properties=properties)
        sheets = self.of_collectives()
        self.assertEqual(sheets, chosen)
        for name in ("nccl_long", "nccl_summary_long", "straggler_summary"):
            for row in sheets[name]:
                self.assertEqual(row["node_id"], row["rank"] // 2, name)
        for name in ("nccl_long", "nccl_summary_long", "nccl_implicit_sync", "nccl_all2allv", "nccl_summary_all2allv"):
            for row in sheets[name]:
                self.assertEqual((list(row)[-1], row["node_span"]), ("node_span", "inter_node"), name)
        self.assertEqual({row["node_span"] for row in self.of_collectives("--gpus-per-node", "4")["nccl_long"]}, {"intra_node"})
        self.assertNotIn("node_id", self.json("-f", "rank_", "--set", "multirank")["long"][0])
        self.assertIn("W13", self.report("-b", "b", "-f", "rank_", "--set", "collectives", "--gpus-per-node", "1", "--json").err)

    def test_statistics_are_chosen(self):
        self.fill(collectives=EXCHANGES)
        usual, chosen = self.of_collectives(), self.of_collectives("--agg_metrics", "std", "sum", "mean")
        for sheet, kept in (("nccl_summary_implicit_sync", 5), ("nccl_summary_by_group", 5), ("nccl_summary_all2allv", 3)):
            told = {name for name in usual[sheet][0] if name.endswith(("_median", "_min", "_max"))}
            lost = set(usual[sheet][0]) - set(chosen[sheet][0])
            self.assertEqual(len(lost), 3 * kept, sheet)
            self.assertLessEqual(lost, told, sheet)
        for sheet in ("nccl_summary_implicit_sync", "nccl_summary_by_group"):
            row, = (row for row in chosen[sheet] if row["Collective name"] == "allreduce")
            self.figures(row, {"comm_latency_std": 13 / 2 ** 0.5, "comm_latency_sum": 49, "skew in start time_std": 28 / 2 ** 0.5,
                               "skew in end time_sum": 1, "comm_latency_mean": 24.5})
        self.assertIsNone(chosen["nccl_summary_all2allv"][0]["wall_time (us)_std"])  # of a single one
        result = self.report("-b", "b", "-f", "rank_", "--set", "collectives", "--agg-metrics", "mean", "most", status=2)
        self.assertIn("--agg-metrics cannot be 'most'; it is one of: mean median min max std sum", result.err)

    def test_sheets_with_a_row_for_each_collective_can_be_left_out(self):
        self.fill(collectives=EXCHANGES)
        some, all_sheets = self.of_collectives("--no-detailed"), self.of_collectives()
        self.assertEqual(set(all_sheets) - set(some), {"nccl_long", "nccl_implicit_sync", "nccl_all2allv"})

    def test_exchanges_as_a_matrix(self):
        self.fill(collectives=EXCHANGES)
        sheets = self.of_collectives("--all2allv-heatmap", "--heatmap-wide")
        matrix = {(row["src_rank"], int(name[5:])): cell for row in sheets["nccl_all2allv_matrix"]
                  for name, cell in row.items() if name.startswith("rank_") and cell is not None}
        self.assertEqual(matrix, {(row["src_rank"], row["dst_rank"]): row["total_sent_MB"] for row in sheets["nccl_all2allv_heatmap"]})
        self.assertNotIn("nccl_all2allv_matrix", self.of_collectives("--all2allv-heatmap"))

    def test_exchanges(self):
        self.fill(collectives=EXCHANGES)
        sheets = self.of_collectives()
        names = ("total data communicated (MB)", "total nelems communicated", "wall_time (us)", "max_rank_dur (us)",
                 "min_rank_dur (us)", "avg_rank_dur (us)", "throughput (GB/s)", "max_rank_throughput (GB/s)",
                 "min_rank_throughput (GB/s)", "size_imbalance", "skew in start time", "skew in end time")
        expected = {"0_6": (0.0247955322265625, 13000, 100, 100, 75, 86.25, 0.24214386940002441, 0.1862645149230957,
                            0.02483526865641276, 3.076923076923077, 20, 10),
                    "0_7": (0.015625, 4096, 12, 12, 9, 10.125, 1.2715657552083333, 0.4238552517361111, 0.3178914388020833, 1, 2, 2)}
        rows = {row["collective_id"]: row for row in sheets["nccl_all2allv"]}
        self.assertEqual(list(rows), list(expected))
        for key, figures in expected.items():
            self.figures(rows[key], dict(zip(names, figures)))
        row = rows["0_6"]
        self.assertEqual([row[f"rank_{rank}_skew in end time"] for rank in range(4)], [0, 10, 5, 5])
        self.assertEqual([row[f"rank_{rank}_skew in start time"] for rank in range(4)], [0, 10, 5, 20])
        self.assertEqual(list(row)[7:], [
            *names, *(f"rank_{rank}_{what}" for rank in range(4) for what in (
                "ts", "dur", "In msg nelems", "Out msg nelems", "In msg size (MB)", "Out msg size (MB)", "In split size", "Out split size")),
            *(f"rank_{rank}_skew in {what} time" for rank in range(4) for what in ("start", "end"))])
        self.assertEqual((row["rank_1_In split size"], row["rank_1_Out split size"]), (SENT[1], [2000, 500, 0, 200]))
        long, short = sheets["nccl_summary_all2allv"]
        self.assertEqual((long["Process Group Name"], long["dtype"], short["dtype"], short["Collective name"], short["Group size"]),
                         ("0", "BFloat16", "Float", "all_to_allv", 4))
        self.figures(long, {"total data communicated (MB)_median": 0.0247955322265625, "wall_time (us)_max": 100,
                            "Total wall_time (us)": 100, "size_imbalance_max": 3.076923076923077, "count": 1,
                            "throughput (GB/s)_min": 0.24214386940002441, "Total wall_time (ms)": 0.1})
        # where types are not known neither are sizes
        self.fill(collectives=[("all_to_allv", "Other", 8, 8, times) for _, _, _, _, times in EXCHANGES[6:]])
        row = self.of_collectives()["nccl_all2allv"][0]
        self.assertEqual([row[name] for name in names if "put" in name or "MB" in name or "imbalance" in name], [None] * 5)

    def test_stragglers(self):
        self.fill(collectives=EXCHANGES)
        sheets = self.of_collectives()
        head = ("rank", "total_wait_time_us", "mean_wait_time_us", "times_arrived_last", "times_arrived_first", "pct_arrived_last",
                "num_collectives", "total_nccl_dur_us")
        expected = [(3, 13.5, 2.7, 2, 0, 40, 5, 283), (1, 23, 4.6, 3, 1, 60, 5, 301),
                    (2, 61, 12.2, 0, 0, 0, 5, 344.5), (0, 89, 17.8, 0, 4, 0, 5, 385)]
        rows = sheets["straggler_summary"]
        # both exchanges run at one time on all ranks
        self.assertEqual([tuple(row[name] for name in head) for row in rows], [
            (3, 13.5, 13.5 / 7, 4, 0, 400 / 7, 7, 283), (1, 35, 5, 3, 2, 300 / 7, 7, 301),
            (2, 77, 11, 0, 0, 0, 7, 344.5), (0, 111, 111 / 7, 0, 5, 0, 7, 385)])
        self.assertEqual([row["participated"] for row in rows], [7] * 4)
        group = sheets["straggler_by_group"]
        self.assertEqual([(row["Process Group"], row["rank"], row["blame_us"]) for row in group],
                         [("0", row["rank"], row["blame_us"]) for row in rows])
        self.assertNotIn("straggler_by_step", sheets)
        sheets = self.of_collectives("--compat")
        self.assertEqual([tuple(row.values()) for row in sheets["straggler_summary"]], expected)
        self.assertEqual(list(sheets["straggler_summary"][0]), list(head))
        self.assertNotIn("straggler_by_group", sheets)

    def test_tenths_of_stragglers(self):
        """Halves go to the even tenth, as the reference rounds."""
        for wait, rounded in ((0.25, 0.2), (0.75, 0.8), (0.26, 0.3)):
            for rank in range(2):
                kernel = kernel_of(10, 5, rank, "a", [0, 1])
                self.write(f"b/rank_{rank}.json", trace_of({**kernel, "ts": 10 + rank * wait}))
            row = self.of_collectives("--compat")["straggler_summary"][1]
            self.assertEqual((row["rank"], row["total_wait_time_us"]), (0, rounded))
            self.assertEqual(self.of_collectives()["straggler_summary"][1]["total_wait_time_us"], wait)

    def test_stragglers_of_several_groups(self):
        """Two pairs; one rank alone in a group of which the other one is not there."""
        for rank in range(RANKS):
            pair = [0, 1] if rank < 2 else [2, 3]
            calls = [kernel_of(start + (rank % 2) * late, 20, rank, "tp", pair)
                     for start, late in ((100, 5), (200, 7))[:2 if rank < 2 else 1]]
            alone = [kernel_of(300, 5, rank, "far", [3, 9])] if rank == 3 else []
            self.write(f"b/rank_{rank}.json", trace_of(*calls, *alone))
        rows = {row["rank"]: row for row in self.of_collectives()["straggler_summary"]}
        self.assertEqual([(rows[rank]["participated"], rows[rank]["num_collectives"], rows[rank]["pct_arrived_last"], rows[rank]["blame_us"])
                          for rank in range(RANKS)], [(2, 3, 0, 0), (2, 3, 100, 12), (1, 3, 0, 0), (1, 3, 100, 5)])
        groups = self.of_collectives()["straggler_by_group"]
        self.assertEqual([(row["Process Group"], row["rank"], row["participated"]) for row in groups],
                         [("tp@0,1", 1, 2), ("tp@0,1", 0, 2), ("tp@2,3", 3, 1), ("tp@2,3", 2, 1)])
        rows = {row["rank"]: row for row in self.of_collectives("--compat")["straggler_summary"]}
        self.assertEqual((rows[3]["times_arrived_last"], rows[3]["times_arrived_first"]), (1, 1))
        self.assertEqual({row["num_collectives"] for row in rows.values()}, {3})

    def test_stragglers_by_step(self):
        for rank in range(2):
            events = [slice_event(f"ProfilerStep#{step}", step * 100, 90, "user_annotation") for step in (1, 2)]
            for number, (start, late) in enumerate(((110, 3), (150, 5), (210, -4), (310, 2))):
                at = start + late * rank
                events.append(slice_event("cudaLaunchKernel", at, 1, "cuda_runtime", args={"correlation": start}))
                kernel = kernel_of(start, 20, rank, "0", [0, 1])
                events.append({**kernel, "ts": at + 1, "args": {**kernel["args"], "correlation": start}})
            self.write(f"b/rank_{rank}.json", trace_of(*events))
        rows = self.of_collectives()["straggler_by_step"]
        self.assertEqual([(row["step"], row["rank"], row["total_wait_time_us"], row["times_arrived_last"], row["blame_us"]) for row in rows],
                         [(None, 1, 0, 1, 2), (None, 0, 2, 0, 0), (1, 1, 0, 2, 8), (1, 0, 8, 0, 0), (2, 0, 0, 1, 4), (2, 1, 4, 0, 0)])

    def test_what_is_not_said_of_collectives(self):
        """Sums keep kernels that say nothing; as the reference there are only headings."""
        self.fill(ranks=2, name="cross_device_reduce_1stage", bare=True,
                  collectives=[("", "", 0, 0, [(start + shift, dur) for start, dur in ((10, 20), (11, 19))]) for shift in (0, 100, 200)])
        sheets = self.of_collectives()
        self.assertEqual([(row["rank"], row["Collective name"], row["dur_sum"]) for row in sheets["nccl_summary_long"]],
                         [(0, "allreduce", 60), (1, "allreduce", 57)])
        summary, = sheets["nccl_summary_implicit_sync"]
        self.assertEqual((summary["Collective name"], summary["dtype"], summary["In msg nelems"], summary["Total comm latency (ms)"]),
                         ("allreduce", "Unknown", "Unknown", 0.057))
        first = sheets["straggler_summary"][0]
        self.assertEqual((first["rank"], first["times_arrived_last"], first["pct_arrived_last"]), (1, 3, 100))
        self.report("-b", "b", "-f", "rank_", "--set", "collectives", "--compat", "--csv", "out")
        with open(self.path("out/nccl_summary_long.csv"), encoding="utf-8") as file:
            self.assertEqual(len(file.readlines()), 1)
        with open(self.path("out/nccl_summary_implicit_sync.csv"), encoding="utf-8") as file:
            self.assertNotIn("bw", file.readline())

    def test_one_trace_has_no_other_rank(self):
        self.fill(ranks=1)
        self.assertNotIn("nccl_", self.report("-b", "b", "--set", "collectives", "--json").out)
        for name in ("ranks_sync_statistics", "ranks_collective_sums", "ranks_all2allv_summary", "ranks_all2allv_detailed",
                     "ranks_stragglers", "ranks_sync_groups", "ranks_straggler_groups", "ranks_straggler_steps"):
            with self.subTest(name):
                self.assertIn("there is only one rank", self.report("b/rank_0.json", name).out)

    def test_one_rank_and_no_collectives(self):
        self.fill(ranks=1)
        self.assertNotIn("long", self.json("-f", "rank_"))
        self.rank("b/rank_0.json")
        self.rank("b/rank_1.json", 1)
        self.assertNotIn("long", self.json("-f", "rank_"))

    def test_kernels_that_say_nothing(self):
        times = [(10, 20), (11, 19)]
        self.fill(ranks=2, name="cross_device_reduce_1stage", bare=True,
                  collectives=[("", "", 0, 0, [(start + shift, dur) for start, dur in times])
                               for shift in (0, 100, 200)])
        sheets = self.json("-f", "rank_")
        self.assertEqual([(row["collective_id"], row["comm_latency"], row["skew in start time"],
                           row["earliest arrival rank"], row["avg_wait_time"],
                           row["skew in end time"], row["bus bw (GB/s)"])
                          for row in sheets["nccl_implicit_sync_cat"]],
                         [(str(index), 19, 1, 0, 0.5, 0, None) for index in range(3)])
        summary, = sheets["summary_nccl_implicit_sync_cat"]
        self.assertEqual((summary["Collective name"], summary["dtype"], summary["In msg nelems"],
                          summary["Total comm latency (ms)"]),
                         ("allreduce", "Unknown", "Unknown", 0.057))

    def test_what_the_op_says(self):
        for rank in range(2):
            kernel = {"External id": 5, "correlation": 5, "stream": 7}
            said = {"External id": 5, "Process Group Name": "dp", "Collective name": "allreduce",
                    "Group size": 2, "dtype": "Float", "In msg nelems": 262144,
                    "Out msg nelems": 262144, "Process Group Ranks": "[0, 1]"}
            self.write(f"b/rank_{rank}.json", trace_of(
                slice_event("record_param_comms", 10, 20, args=said),
                slice_event("cudaLaunchKernel", 12, 4, "cuda_runtime", args={"correlation": 5}),
                slice_event("ncclKernel", 20, 10, "kernel", thread=7, process=0, args=kernel)))
        row, = self.json("-f", "rank_")["nccl_implicit_sync_cat"]
        self.assertEqual((row["collective_id"], row["Full msg size (MB)"]), ("dp_0", 1))
        self.assertEqual(self.json("-f", "rank_", "--compat").get("nccl_implicit_sync_cat"), None)

    def test_ranks_that_disagree(self):
        for rank, dtype in enumerate(("Float", "Half")):
            kernel, = self.kernels(rank, COLLECTIVES[:1])
            kernel["args"].update({"Group size": 2, "dtype": dtype, "Seq": 5})
            self.write(f"b/rank_{rank}.json", trace_of(kernel))
        result = self.report("-b", "b", "-f", "rank_", "--json")
        self.assertIn("tpq: b: W06: ranks disagree about dtype of 0_0: allreduce Float 1048576 "
                      "1048576,allreduce Half 1048576 1048576; the first rank counts\n", result.err)
        row = headed_sheets_in(result.out)["nccl_implicit_sync_cat"][0]
        self.assertEqual((row["dtype"], row["metadata_mismatch"]), ("Float", "dtype"))

    def test_groups_with_the_same_name(self):
        for rank in range(RANKS):
            kernel, = self.kernels(rank, COLLECTIVES[:1], group="tp")
            kernel["args"]["Process Group Ranks"] = "[0, 1]" if rank < 2 else "[2, 3]"
            kernel["args"]["Group size"] = 2
            self.write(f"b/rank_{rank}.json", trace_of(kernel))
        rows = self.json("-f", "rank_")["nccl_implicit_sync_cat"]
        self.assertEqual([(row["Process Group Ranks"], row["skew in start time"]) for row in rows],
                         [([0, 1], 10), ([2, 3], 25)])

    def test_clocks(self):
        for rank in range(2):
            kernel, = self.kernels(rank, COLLECTIVES[:1])
            self.write(f"b/rank_{rank}.json",
                       trace_of(kernel, baseTimeNanoseconds=10**18 + rank * 5000))
        row, = self.json("-f", "rank_")["nccl_implicit_sync_cat"]
        self.assertEqual(row["skew in start time"], 15)
        row, = self.json("-f", "rank_", "--compat")["nccl_implicit_sync_cat"]
        self.assertEqual(row["skew in start time"], 10)

    def test_clocks_by_collectives(self):
        """Collectives end together: --align sync moves clocks so that they do."""
        for rank, late in enumerate((0, 500, 1500)):  # [us]; the third is known by the second alone
            calls = [kernel_of(10 + late, 30 - rank * 4, rank, "tp", [0, 1])] if rank < 2 else []
            calls += [kernel_of(start + late, 20, rank, "dp", [1, 2])
                      for start in (100, 200, 301) if rank > 0]
            self.write(f"b/rank_{rank}.json",
                       trace_of(*calls, baseTimeNanoseconds=10**18 + rank * 1000))
        skews = {}
        for how in ("none", "base", "sync"):
            rows = self.json("-f", "rank_", "--align", how)["nccl_implicit_sync_cat"]
            skews[how] = [row["skew in start time"] for row in rows]
        self.assertEqual(skews, {"none": [500, 1000, 1000, 1000], "base": [501, 1001, 1001, 1001],
                                 "sync": [4, 0, 0, 0]})
        self.report("-b", "b", "-f", "rank_", "--db", "w.db")
        rows = self.tpq("sql", "--db", "w.db", "-m", "csv",
                        "SELECT rank, late_ns, spread_ns, collectives, moved_ns FROM rank_clock").out
        self.assertEqual(rows.split()[1:], ["0,0,0,0,0", "1,497000,0,1,0", "2,1498000,0,3,0"])
        self.report("-b", "b", "-f", "rank_", "--align", "never", status=2)

    def test_types_of_collectives(self):
        self.fill(ranks=2, collectives=[("reduce_scatter", "Char", 1048576, 524288,
                                         [(10, 20), (12, 18)])])
        row, = self.json("-f", "rank_")["nccl_implicit_sync_cat"]
        self.assertEqual((row["In msg size (MB)"], row["skew in start time"]), (1, 2))
        self.assertNotIn("nccl_implicit_sync_cat", self.json("-f", "rank_", "--compat"))


class Matching(Ranks):
    """Which kernels of ranks are one collective."""

    def put(self, rank, calls, steps=(), **metadata):
        """A trace of (start, duration, what else it says); each is launched when it starts."""
        events = [slice_event(f"ProfilerStep#{number}", start, 100, "user_annotation")
                  for number, start in steps]
        for index, (start, duration, more) in enumerate(calls):
            args = {"External id": index + 1, "correlation": index + 1, "stream": 7,
                    "Process Group Name": "dp", "Process Group Ranks": "[0, 1]", "Group size": 2,
                    "Collective name": "allreduce", "dtype": "Float", "In msg nelems": 262144,
                    "Out msg nelems": 262144, **more}
            args = {key: value for key, value in args.items() if value is not None}
            events += [slice_event("cudaLaunchKernel", start, 0.5, "cuda_runtime",
                                   args={"correlation": index + 1}),
                       slice_event("ncclKernel", start, duration, "kernel", thread=7, process=0,
                                   args=args)]
        self.write(f"b/rank_{rank}.json", trace_of(*events, **metadata))

    def sync(self, *arguments):
        """(id, start skew, ranks, method) of each collective."""
        result = self.report("-b", "b", "-f", "rank_", "--json", *arguments)
        self.said = [line.removeprefix("tpq: b: ") for line in result.err.splitlines()
                     if line.startswith("tpq: b: W")]
        return [(row["collective_id"], row["skew in start time"], row.get("n_ranks_present"),
                 row.get("match_method"))
                for row in headed_sheets_in(result.out)["nccl_implicit_sync_cat"]]

    def warnings(self, *codes):
        return [line for line in self.said if line.startswith(codes)]

    def test_the_first_one_is_missing(self):
        self.put(0, [(start, 20, {}) for start in (1000, 2000, 3000)])
        self.put(1, [(start + 1, 19, {}) for start in (2000, 3000)])
        self.assertEqual(self.sync(), [("dp_0", 0, 1, "aligned"), ("dp_1", 1, 2, "aligned"),
                                       ("dp_2", 1, 2, "aligned")])
        self.assertEqual(self.said, [
            "W05: group dp: ranks have different collectives (2 on rank 1; 3 on rank 0), matched "
            "by aligned; 1 on one rank alone"])
        reference = [("dp_0", 1001), ("dp_1", 1001), ("dp_2", 0)]
        self.assertEqual([row[:2] for row in self.sync("--compat")], reference)
        self.assertEqual([row[:2] for row in self.sync("--match", "index")], reference)
        rows = headed_sheets_in(self.report("-b", "b", "-f", "rank_", "--json").out)
        self.assertEqual([row["complete"] for row in rows["nccl_implicit_sync_cat"]],
                         [False, True, True])

    def test_one_in_the_middle_is_missing(self):
        sizes = [{"In msg nelems": size, "Out msg nelems": size} for size in (8, 16, 24, 32)]
        self.put(0, [(1000 * n, 20, size) for n, size in enumerate(sizes)])
        self.put(1, [(5 + 1000 * n, 15, size) for n, size in enumerate(sizes) if n != 1],
                 baseTimeNanoseconds=7 * 10**15)  # clocks that have nothing to do with each other
        skews = [("dp_0", 2), ("dp_1", 1), ("dp_2", 2), ("dp_3", 2)]
        self.assertEqual([(row[0], row[2]) for row in self.sync()], skews)

    def test_sequence_numbers(self):
        self.put(0, [(1000 * n, 20, {"Seq": n}) for n in (3, 4, 5, 6)])
        self.put(1, [(1000 * n + 7, 13, {"Seq": n}) for n in (4, 6, 7)])
        self.assertEqual(self.sync(), [
            ("dp_0", 0, 1, "seq"), ("dp_1", 7, 2, "seq"), ("dp_2", 0, 1, "seq"),
            ("dp_3", 7, 2, "seq"), ("dp_4", 0, 1, "seq")])
        self.assertEqual({row[3] for row in self.sync("--match", "aligned")}, {"aligned"})

    def test_sequence_numbers_that_the_op_says(self):
        for rank in (0, 1):
            said = {"Seq": 4 + rank}
            self.write(f"b/rank_{rank}.json", trace_of(
                slice_event("record_param_comms", 10, 20, args={"External id": 5, **said}),
                slice_event("cudaLaunchKernel", 12, 4, "cuda_runtime", args={"correlation": 5}),
                slice_event("ncclKernel", 20, 10, "kernel", thread=7, process=0, args={
                    "External id": 5, "correlation": 5, "stream": 7, "Process Group Name": "dp",
                    "Collective name": "allreduce", "Group size": 2})))
        self.assertEqual([row[2:] for row in self.sync()], [(1, "seq"), (1, "seq")])

    def test_steps(self):
        calls = [(start, 10, {}) for start in (10, 50, 110, 150, 210)]
        self.put(0, calls, [(4, 0), (5, 100), (6, 200)])
        self.put(1, [(start + 5000, 8, {}) for start in (112, 152, 213)], [(5, 5100), (6, 5200)])
        self.assertEqual([(row[0], row[2], row[3]) for row in self.sync()], [
            ("dp_0", 1, "step"), ("dp_1", 1, "step"), ("dp_2", 2, "step"), ("dp_3", 2, "step"),
            ("dp_4", 2, "step")])
        self.assertTrue(self.warnings("W09"))
        self.assertEqual({row[3] for row in self.sync("--match", "index")}, {"index"})

    def test_what_is_sent_to_another_rank(self):
        def call(start, name, peer):
            where = {"send": "Dst Rank", "recv": "Src Rank"}[name]
            return start, 10, {"Collective name": name, "Process Group Ranks": "[0, 1, 2]",
                               "Group size": 3, where: peer}
        self.put(0, [call(100, "send", 1), call(200, "send", 2), call(300, "send", 1)])
        self.put(1, [call(103, "recv", 0), call(304, "recv", 0)])
        self.put(2, [call(206, "recv", 0)])
        self.report("-b", "b", "-f", "rank_", "--db", "w.db")
        rows = self.tpq("sql", "-m", "json", "SELECT collective_id AS id, skew_start_ns / 1000 AS "
                        "us, ranks, expected_ranks AS of FROM collective").out
        self.assertEqual([tuple(row.values()) for row in json.loads(rows)], [
            ("dp:0>1_0", 3, 2, 2), ("dp:0>2_0", 6, 2, 2), ("dp:0>1_1", 4, 2, 2)])

    def test_lists_of_ranks(self):
        long = "[" + ", ".join(str(rank) for rank in range(0, 60, 2)) + ", ...]"
        for rank, list_of in enumerate(("[0, 2]", [0, 2])):  # the same in other words
            self.put(rank, [(100, 10, {"Process Group Ranks": list_of}),
                            (200, 10, {"Process Group Ranks": "[4, 5]"}),
                            (300, 10, {"Process Group Ranks": long, "Group size": None})])
        rows = self.sync()
        self.assertEqual([row[0] for row in rows], ["dp@0,2_0", "dp@4,5_0", rows[2][0]])
        self.assertEqual({row[2] for row in rows}, {2})
        self.assertEqual(self.warnings("W06"), [])
        self.assertEqual(self.warnings("W08"),
                         ["W08: lists of ranks or split sizes are cut short in 2 kernels"])

    def test_lists_that_were_cut_short_stand_in_the_file(self):
        members = list(range(0, 64, 2))
        short = str(members[:30])[:-1] + ", ...]"
        groups = [{"pg_name": "dp", "ranks": members}, {"pg_name": "other", "ranks": [0, 2]}, {"pg_name": "odd", "ranks": "[0, "}, 7]
        for rank in (0, 2):
            self.put(rank, [(100, 10, {"Process Group Ranks": short, "Group size": 32}),
                            (200, 10, {"Process Group Name": "other", "Process Group Ranks": short, "Group size": 32}),
                            (300, 10, {"Process Group Name": "odd", "Process Group Ranks": short, "Group size": 32})],
                     distributedInfo={"rank": rank, "world_size": 64, "pg_config": groups})
        self.sync()
        # what the file says of the other group is another one
        self.assertEqual(self.warnings("W08"), ["W08: lists of ranks or split sizes are cut short in 4 kernels"])
        self.tpq("ingest", "--db", "l.db", "--run", "r", "b")
        rows = json.loads(self.tpq("sql", "--db", "l.db", "-m", "json", "SELECT DISTINCT group_name, group_ranks AS ranks FROM collective").out)
        self.assertEqual({row["group_name"]: row["ranks"] for row in rows}, {
            "dp": str(members).replace(" ", ""), "other": short, "odd": short})

    def test_ranks_that_are_missing(self):
        info = {"distributedInfo": {"rank": 1, "world_size": 8}}
        whole = {"Process Group Ranks": "[0, 1, 2, 3, 4]", "Group size": 5}
        for rank in (1, 2, 5):
            self.put(rank, [(100, 10, whole)], **info)
        self.sync()
        self.assertEqual(self.said, [
            "W01: ranks are missing: 3 of 8 are there, without 0, 3-4, 6-7",
            *(f"W03: {self.path('b')}/rank_{rank}.json is taken for rank {rank}, but states that it is rank 1"
              for rank in (2, 5)),
            "W04: group dp: 3 of its 5 ranks are there; latencies are upper bounds"])

    def test_gaps_between_ranks(self):
        for rank in (1, 2, 5):
            self.put(rank, [(100, 10, {"Group size": 3})])
        self.sync()
        self.assertEqual(self.said, ["W01: ranks are missing: 3 of 6 are there, without 0, 3-4"])

    def test_what_ranks_may_say_in_their_own_way(self):
        sizes = (10000, 2000, 0, 1000)
        times = [(7000, 100), (7010, 80), (7005, 90), (7020, 75)]
        for rank, size in enumerate(sizes):
            more = {"Process Group Ranks": "[0, 1, 2, 3]", "Group size": 4}
            self.put(rank, [
                (*times[rank], {**more, "Collective name": "all_to_allv", "dtype": "BFloat16",
                                "In msg nelems": size, "Out msg nelems": 13000 - size}),
                (8000, 10, {**more, "Collective name": "gather", "Out msg nelems": 0 if rank else 8}),
                (9000, 10, more)])
        self.assertEqual(self.sync(), [("dp_2", 0, 4, "index")])
        self.assertEqual(self.said, [])
        row, = headed_sheets_in(self.report("-b", "b", "-f", "rank_", "--json").out)["nccl_all2allv"]
        self.assertEqual((row["collective_id"], row["total data communicated (MB)"],
                          row["total nelems communicated"], row["skew in start time"],
                          row["skew in end time"]), ("dp_0", 0.0247955322265625, 13000, 20, 10))

    def test_two_traces_of_a_rank(self):
        for start, name in enumerate(("rank_0_a", "rank_0_b")):
            self.put(0, [(start, 10, {"Group size": 2})])
            os.rename(self.path("b/rank_0.json"), self.path(f"b/{name}.json"))
        self.sync("--allow-duplicate-ranks")
        self.assertEqual(self.said,
                         ["W02: rank 0 has 2 traces, which count as ranks of their own"])

    def test_what_is_not_known(self):
        nothing = {"Process Group Name": None, "Process Group Ranks": None}
        for rank in (0, 1):
            self.put(rank, [(100, 10, {**nothing, "dtype": "Odd"}), (200, 10, nothing)])
        self.sync()
        self.assertEqual(self.said, [
            "W07: sizes of Odd are not known: no bandwidths of 2 kernels",
            "W10: 4 collective kernels do not say their group; as each rank has one stream, they "
            "are taken for one"])
        for rank in (0, 1):
            self.rank(f"c/rank_{rank}.json", rank)
        self.assertIn("tpq: c: W12: no collectives were found\n",
                      self.report("-b", "c", "-f", "rank_").err)

    def test_many_that_disagree(self):
        for rank, size in ((0, 8), (1, 16)):
            self.put(rank, [(100 * n, 10, {"Seq": n, "In msg nelems": size}) for n in range(15)])
        self.sync()
        self.assertEqual(len(self.said), 10)
        self.assertIn("In msg nelems of dp_9, and of 5 more", self.said[9] + self.said[1])

    def test_strict_ranks(self):
        for rank in (0, 1):
            self.put(rank, [(100, 10, {}), *([(200, 10, {})] if rank else [])])
        self.rank("b/other/rank_0.json")
        result = self.report("-b", "b", "-f", "rank_", "--strict-ranks", status=3)
        self.assertIn("tpq: b: group dp: ranks have different collectives", result.err)
        self.assertIn("(--strict-ranks)\n", result.err)
        self.assertEqual(self.made(), ["b/other/other_rank__performance_report.xlsx"])
        self.one_line(self.report("--strict-ranks", "b/rank_0.json", status=2), "only goes with -b")

    def test_several_runs(self):
        self.put(0, [(100, 10, {}), (200, 10, {})])
        self.put(1, [(101, 9, {}), (202, 8, {})])
        for run in ("b", "c"):
            self.tpq("ingest", "--run", run, "b")
        for given in ("", "WHERE whole.run = 'c'", "WHERE part.run = 'c'"):
            rows = json.loads(self.tpq(
                "sql", "-m", "json", "SELECT whole.run, whole.skew_start_ns, max(part.wait_ns), "
                "count(*) FROM collective AS whole CROSS JOIN collective_call AS part USING "
                f"(collective) {given} GROUP BY whole.run, whole.collective_id").out)
            self.assertEqual([tuple(row.values()) for row in rows], [
                (run, skew, skew, 2) for run in ("b", "c")[bool(given):] for skew in (1000, 2000)])

    def test_a_warehouse_tells_them_too(self):
        self.put(0, [(100, 10, {}), (200, 10, {})])
        self.put(1, [(101, 9, {})])
        self.report("-b", "b", "-f", "rank_", "--db", "w.db")
        rows = self.tpq("sql", "-m", "json", "SELECT run, code, group_key FROM rank_warning").out
        self.assertEqual([tuple(row.values()) for row in json.loads(rows)], [("b", "W05", "dp")])
        self.assertRegex(self.report("--set", "multirank", "gpu_timelines").err,
                         r"^tpq: b: W05: group dp: ranks have different collectives")
        rows = self.tpq("sql", "-m", "json", "SELECT label, wait_ns, source FROM collective_call "
                        "WHERE collective_id = 'dp_0' AND run = 'b'").out
        self.assertEqual([tuple(row.values()) for row in json.loads(rows)],
                         [(0, 1000, "kernel"), (1, 0, "kernel")])


class WhatIf(Ranks):
    def listed(self, count):
        paths = [self.rank(f"{count}/rank_{rank}.json", rank, distributedInfo={"rank": rank, "world_size": count})
                 for rank in range(count)]
        self.tpq("ingest", "-q", "--run", str(count), *paths)
        told = json.loads(self.report("--run", str(count), "ranks_what_if", "--json").out)
        left_out = told["meta"]["sheets"]["ranks_what_if"].get("left_out", [])
        self.assertEqual([row["count"] for row in left_out], [count - 16] if count > 16 else [])
        rows = told["ranks_what_if"]
        return [row["scenario"] for row in rows if row["scenario"].startswith("rank ")]

    def test_of_many_ranks_those_on_the_path_are_listed(self):
        def names(ranks):
            return [f"rank {rank} computation x0.5" for rank in ranks]
        self.assertEqual(self.listed(16), names(range(16)))
        self.assertEqual(self.listed(18), names([*range(15), 17]))

    def balanced(self, run, *steps):
        """Three ranks that compute (100, 200, 600) us in two kernels of one stream, launched in the first step,
        and (500, 300, 100) us between them on another stream, launched in the second one."""
        for rank, (first, second) in enumerate(((100, 500), (200, 300), (600, 100))):
            part, events = first // 4, []
            for number, (launch, start, took, stream) in enumerate((
                    (0, 20, part, 7), (20, 30, second, 8), (12, 20 + part, first - part, 7))):
                linked = {"correlation": number + 1, "device": 0, "stream": stream}
                events += [slice_event("cudaLaunchKernel", launch, 10 if number < 2 else 2, "cuda_runtime",
                                       args={"correlation": number + 1}),
                           slice_event("gemm", start, took, "kernel", stream, 0, args=linked)]
            self.write(f"{run}/rank_{rank}.json", trace_of(*events, *steps, distributedInfo={"rank": rank, "world_size": 3}))
        self.tpq("ingest", "-q", "--run", run, run)
        row, = json.loads(self.report("--run", run, "ranks_what_if", "--what-if", "balanced", "--json").out)["ranks_what_if"]
        return row["makespan_ms"], row["new_ms"]

    def test_balanced_ranks_take_what_their_median_takes_in_each_step(self):
        steps = [slice_event(f"ProfilerStep#{n}", start, took, "user_annotation") for n, start, took in ((2, 15, 25), (1, 0, 15))]
        self.assertEqual(self.balanced("steps", *steps), (.62, .33))  # 200 us of the first step, 300 of the second
        whole, new = self.balanced("whole")  # (600, 500, 700) us: the last rank takes 6/7 of its 600 on one stream
        self.assertEqual((whole, round(new, 3)), (.62, .534))
        none = self.balanced("none", slice_event("ProfilerStep#3", 100, 10, "user_annotation"))
        self.assertEqual(none, (.62, .62))


class Plans(Case):
    # What may be gone through for each row of something else: lists of the catalog, which do not grow,
    # names for each pattern of the catalog, and the path of step_bounds, which is empty without --with-path.
    SHORT = {"named", "kinds", "string", "path"}

    def test_no_report_goes_through_all_ranks_for_each(self):
        self.tpq("ingest", "-q", self.write("a.json", op_trace()))
        listed = json.loads(self.tpq("report", "--list", "--set", "multirank", "--json").out)
        names = [report["name"] for report in listed["reports"]]
        plans = self.tpq("sql", "-m", "jsonl", "-", stdin="".join(
            f"SELECT '{name}' AS v; EXPLAIN QUERY PLAN SELECT * FROM {name};\n" for name in names)).out.split('{"v":')[1:]
        self.assertEqual(len(plans), len(names))
        for name, plan in zip(names, plans):
            loops = {}
            for row in map(json.loads, plan.splitlines()[1:]):
                if re.match("SCAN|SEARCH", row["detail"]) and row["detail"] != "SCAN CONSTANT ROW":
                    loops.setdefault(row["parent"], []).append(row["detail"])
            inner = [step.split()[1] for steps in loops.values() for step in steps[1:]
                     if step.startswith("SCAN") and "VIRTUAL TABLE" not in step]
            self.assertLessEqual(set(inner), self.SHORT, name)


if __name__ == "__main__":
    main()
