"""tpq export --parquet: what other engines read is what the warehouse has, whole, and the same each time."""

import gzip
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import time

from support import Case, TPQ, looked_at, main, slice_event, trace_of
from read_parquet import Parquet

ROOT = pathlib.Path(__file__).resolve().parents[2]

FIXTURES = ROOT / "tests" / "fixtures"
TRAIN = FIXTURES / "train"
OTHERS = [FIXTURES / name for name in ("tt/ops_perf_results.csv", "jax/small.xplane.pb", "rocpd/small.db",
                                       "nsys/small.sqlite")]
HOSTILE = ["2025", "a/b c", "../up", ".", "ä=1", "100%", "quote's", 'double"', "line\nbreak", "$(x)", "run=run", "-q"]


def value_of(text):
    return text.decode() if isinstance(text, bytes) else text


def read_json(row):
    """Texts that are JSON as what they say: tpq sql has them so."""
    def read(value):
        try:
            return json.loads(value) if isinstance(value, str) and value[:1] in ("[", "{") else value
        except ValueError:
            return value
    return {name: read(value) for name, value in row.items()}


def sort_key(row):
    return json.dumps(row, sort_keys=True)


BY_RUN = ("--partition", "run")


class Lake(Case):
    """A directory that was exported, as rows."""

    def export(self, *options, lake="lake", **more):
        return self.tpq("export", "--parquet", lake, *options, **more)

    def files(self, lake="lake"):
        """{path below it: bytes}, without views.sql"""
        top = pathlib.Path(self.path(lake))
        return {str(path.relative_to(top)): path.read_bytes() for path in sorted(top.rglob("*"))
                if path.is_file() and path.name != "views.sql"}

    def tables(self, lake="lake"):
        """{table: rows}, as an engine has them that knows where run stands"""
        tables = {}
        for name in self.files(lake):
            if not name.endswith(".parquet"):
                continue
            table, *run = name.removesuffix(".parquet").split("/")[:2]
            file = Parquet(self.path(lake, name))
            place = {"run": re.sub(b"%(..)", lambda found: bytes.fromhex(found[1].decode()), run[0][4:].encode()).decode()} \
                if run else {}
            self.assertEqual(file.facts, {"tpq.table": table, "tpq.layout": "1", **{"tpq.run": value for value in place.values()}})
            self.assertTrue(file.rows, name)
            columns = [[value_of(value) for value in values] for values in file.columns.values()]
            rows = [dict(zip(file.columns, row), **place) for row in zip(*columns)]
            if not run:
                self.assertEqual(list(file.columns)[0], "run")
                self.assertEqual([row["run"] for row in rows], sorted((row["run"] for row in rows), key=str.encode))
            tables.setdefault(table, []).extend(rows)
        return tables

    def asked(self, sql, *options):
        return [json.loads(line) for line in
                self.tpq("sql", *options, "--mode", "jsonl", sql).out.splitlines()]

    def same_rows(self, given, expected, words):
        self.assertEqual(sorted(map(sort_key, given)), sorted(map(sort_key, expected)), words)


class Rows(Lake):
    def ingest_all(self):
        self.tpq("ingest", "-q", "--run", "train", TRAIN)
        for path in OTHERS:
            self.tpq("ingest", "-q", "--run", path.parent.name, path)

    def asked_for_each(self, reports, *selection):
        """{report: rows}, all with the same selection."""
        rows, report = {name: [] for name in reports}, None
        for row in self.asked("; ".join(f"SELECT '{name}' AS report_; SELECT * FROM \"{name}\"" for name in reports),
                              *selection):
            if "report_" in row:
                report = rows[row["report_"]]
            else:
                report.append(row)
        return rows

    def test_each_table(self):
        self.ingest_all()
        self.export("-q", "--events", "--sheets", "all")
        tables = self.tables()
        self.each_fact({name: rows for name, rows in tables.items() if name.startswith("fact_")})
        self.each_sheet({name[6:]: rows for name, rows in tables.items() if name.startswith("sheet_")})
        made = re.findall(r"VIEW (fleet_\w+)", pathlib.Path(self.path("lake", "views.sql")).read_text())
        self.assertEqual(set(made), {f"fleet_{path.stem}" for path in (ROOT / "sql/fleet").glob("*.sql")} - {"fleet_best_times", "fleet_slower_than_best"})
        self.assertNotIn("shape_time", pathlib.Path(self.path("lake", "views.sql")).read_text())
        self.assertGreater(sum(map(bool, self.asked_for_each(made).values())), 4)  # all are there

    def each_fact(self, tables):
        facts = re.findall(r"CREATE VIEW (fact_\w+)", (ROOT / "sql/views/facts.sql").read_text())
        facts.remove("fact_key")
        self.assertEqual(set(tables), set(facts))
        for table, expected in self.asked_for_each(facts).items():
            if table == "fact_trace":
                expected = [dict(row, options="{}", layout=1) for row in expected]
            for row in expected:
                for name in {"flops", "bytes"} & row.keys() if table == "fact_call" else ():
                    row[name] = row[name] if row[name] is None else float(row[name])
            self.same_rows(map(read_json, tables[table]), map(read_json, expected), table)

    def each_sheet(self, sheets):
        """Reports of two runs are asked for with one trace selected, or one run; those of the others at once."""
        self.assertGreater(len(sheets), 40)
        self.assertEqual({"trace" in rows[0] for rows in sheets.values()}, {False, True})
        of_traces = {name for name, rows in sheets.items() if "trace" in rows[0]}
        whole, found = self.asked_for_each(sheets), {name: [] for name in sheets}
        keys = self.asked("SELECT run, trace_id, trace FROM fact_key")
        last = {key["run"]: key["trace_id"] for key in sorted(keys, key=lambda key: key["trace_id"])}
        for key in keys:
            asked = of_traces if key["run"] in ("train", "tt") else \
                {name for name in of_traces if "subject" in sheets[name][0]}  # its words go by what else is selected
            answers = {name: [row for row in whole[name] if row["run"] == key["run"]] for name in of_traces}
            answers.update(self.asked_for_each(asked, "--trace", key["trace_id"]))
            of_run = None if key["trace_id"] == last[key["run"]] else key["trace_id"]  # once, beside the last trace
            self.add_rows(found, {"run": key["run"], "trace": key["trace"]},
                          {name: [row for row in rows if row["trace_id"] in (key["trace_id"], of_run)] for name, rows in answers.items()})
        of_runs = sheets.keys() - of_traces
        for run in {key["run"] for key in keys}:
            asked = of_runs if run in ("train", "tt") else {name for name in of_runs if "subject" in sheets[name][0]}
            answers = {name: [row for row in whole[name] if row["run"] == run] for name in of_runs}
            answers.update(self.asked_for_each(asked, "--run", run))
            self.add_rows(found, {"run": run}, answers)
        for name, rows in sheets.items():
            reals = {column for row in rows for column, value in row.items() if isinstance(value, float)}
            labels = {column for row in rows for column, value in row.items() if isinstance(value, str)}
            expected = [{column: value if not isinstance(value, int) else float(value) if column in reals else
                         str(value) if column in labels else value
                         for column, value in row.items() if column != "trace_id"} for row in found[name]]
            self.same_rows(map(read_json, rows), map(read_json, expected), name)

    def add_rows(self, found, place, answers):
        for name, rows in answers.items():
            found[name] += [{**row, **place, "sheet_row": number} for number, row in enumerate(rows)]

    def test_sheets_that_are_named(self):
        self.tpq("ingest", "-q", TRAIN / "rank_1.json.gz")
        def sheets(*options):
            shutil.rmtree(self.path("lake"), ignore_errors=True)
            self.export("-q", *options)
            return {name.removesuffix(".parquet") for name in self.files() if name.startswith("sheet_")}
        self.assertEqual(sheets("--sheets", "none"), set())
        self.assertEqual(sheets("--sheets", "kernel_summary,ranks_timeline"),
                         {"sheet_kernel_summary", "sheet_ranks_timeline"})
        default = sheets()
        self.assertTrue({"sheet_gpu_timeline", "sheet_ops_summary"} < default)
        self.assertEqual(sheets("--sheets", "default"), default)
        self.assertEqual(sheets("--sheets", "default,ranks_timeline"), default | {"sheet_ranks_timeline"})
        self.tpq("ingest", "-q", OTHERS[1])  # the default sheets of its format are others
        for words, traces in (("default", 1), ("default,ops_summary", 2), ("ops_summary,default", 2)):
            sheets("--sheets", words)
            self.assertEqual(len({row["trace"] for row in self.tables()["sheet_ops_summary"]}), traces, words)

    def test_what_views_over_runs_stand_on(self):
        """It is among the default sheets of every format, so that these views have all traces in every engine."""
        self.ingest_all()
        self.export("-q")
        text = "".join(path.read_text() for path in (ROOT / "sql/fleet").glob("*.sql"))
        sheets = set(re.findall(r"\bsheet_\w+", text))
        looked_at(sheets=len(sheets))
        for sheet in sheets:
            traces = {(row["run"], row["trace"]) for row in self.asked(f"SELECT DISTINCT run, trace FROM {sheet}")}
            self.assertGreater(len({run for run, _ in traces}), 2)
            self.assertEqual({(row["run"], row["trace"]) for row in self.tables()[sheet]}, traces)

    def test_collectives_that_state_no_size(self):
        events = (slice_event("cudaLaunchKernel", 1, 1, "cuda_runtime", args={"correlation": 1}),
                  slice_event("cross_device_reduce_1stage", 10, 20, "kernel", args={"stream": 7, "correlation": 1}))
        for rank in range(2):
            self.write("rank.json", trace_of(*events, distributedInfo={"rank": rank}))
            self.tpq("ingest", "-q", "--run", "a", "rank.json")
        self.export("-q", "--sheets", "all")
        row, = self.tables()["sheet_ranks_sync_summary"]
        self.assertEqual((row["dtype"], row["in_msg_nelems"]), ("Unknown", "Unknown"))

    def test_ranks_that_stand_twice(self):
        """Their labels are texts, so those of ranks that stand once are, too."""
        with gzip.open(TRAIN / "rank_1.json.gz", "rt") as file:
            text = file.read()
        with open(self.path("again.json"), "w", encoding="utf-8") as file:
            file.write(text.replace("{", '{"mark": 1, ', 1))
        self.tpq("ingest", "-q", "--run", "twice", TRAIN, "again.json")
        self.tpq("ingest", "-q", "--run", "once", TRAIN)
        self.export("-q", "--sheets", "ranks_timeline,ranks_waits,ranks_kernels")
        tables = self.tables()
        for name in ("ranks_timeline", "ranks_kernels"):
            self.assertEqual({row["rank"] for row in tables["sheet_" + name] if row["run"] == "twice"}, {"0", "1.1", "1.2"})
            self.assertEqual({row["rank"] for row in tables["sheet_" + name] if row["run"] == "once"}, {"0", "1"})

    def test_part_of_the_runs(self):
        self.tpq("ingest", "-q", "--run", "a", "--label", "kind=x", TRAIN)
        self.tpq("ingest", "-q", "--run", "b", TRAIN)
        for options, runs in ((BY_RUN, {"a", "b"}), ((), {"b"})):
            shutil.rmtree(self.path("lake"), ignore_errors=True)
            self.export("-q", "--run", "a", *options)
            self.assertEqual({row["run"] for row in self.tables()["fact_trace"]}, {"a"})
            self.export("-q", "--label", "kind=x", *options, lake="labelled")
            self.assertEqual(self.files(), self.files("labelled"))
            self.export("-q", "--run", "b", *options)
            self.assertEqual({row["run"] for row in self.tables()["fact_trace"]}, runs)
            shutil.rmtree(self.path("labelled"))

    def test_nothing_selected(self):
        self.tpq("ingest", "-q", "--run", "a", TRAIN)
        self.tpq("rm", "-q", "a")
        result = self.export()
        self.assertEqual(self.files(), {})
        self.assertRegex(result.err, "0 rows")


class Figures(Lake):
    """Options that change figures, as they do in reports."""

    def prepare(self):
        self.tpq("ingest", "-q", "--run", "a", TRAIN)

    def options(self, *words):
        shutil.rmtree(self.path("lake"), ignore_errors=True)
        self.export("-q", *words)
        found = {row["options"] for row in self.tables()["fact_trace"]}
        self.assertEqual(len(found), 1)
        return json.loads(found.pop())

    def test_they_are_said(self):
        self.assertEqual(self.options(), {})
        self.assertEqual(self.options("--compat", "--include-unlinked-kernels"),
                         {"compat": 1, "include_unlinked_kernels": 1})
        self.assertEqual(self.options("--gpu-arch-platform", "h100"), {"gpu_arch_platform": "H100-SXM5-80GB"})
        arch = {"mem_bw_gbps": 1000, "max_achievable_tflops": {"matrix_fp32": 10}}
        self.write("arch.json", arch)
        self.assertEqual(self.options("--gpu-arch-json-path", "arch.json"), {"gpu_arch": arch})

    def test_they_are_in_effect(self):
        bounds = [self.options(*words) and
                  {row["pct_roofline_mean"] for row in self.tables()["sheet_unified_perf_summary"]}
                  for words in (("--gpu-arch-platform", "h100"), ("--gpu-arch-platform", "mi300x"))]
        self.assertNotEqual(*bounds)

    def test_extension_files(self):
        file = self.write("mine.csv", "op,category\naten::mm,MINE\n")
        found = self.options("--extension-file", file)
        self.assertEqual(list(found), ["extensions"])
        self.assertRegex(found["extensions"]["mine.csv"], r"\A[0-9a-f]{16}\Z")
        self.assertIn("MINE", {row["category"] for row in self.tables()["fact_launcher"]})
        self.write("mine.csv", "op,category\naten::mm,OTHER\n")
        self.assertNotEqual(self.options("--extension-file", file), found)
        self.write("bad.sql", "no statement")
        self.export("--extension-file", "bad.sql", "--strict-extensions", status=3)
        self.one_line(self.export("--ext-param", "X=1", status=2), "ext-param")
        self.one_line(self.export("--gpu-arch-platform", "no such", status=2), "unknown architecture")
        self.one_line(self.tpq("export", "--format", "perfetto", "--compat", status=2), "--compat says nothing")


OWN_REPORT = """-- Kernels, counted.
-- set: pytorch
-- position: 900
CREATE VIEW {name} AS
SELECT trace_id, count(*) AS pieces{columns}
FROM gpu_event GROUP BY trace_id;
"""


class Own(Lake):
    """Reports and sheets of the user's files are tables like others, typed by what is in them."""

    def prepare(self):
        self.tpq("ingest", "-q", "--run", "a", TRAIN)
        self.tpq("ingest", "-q", "--run", "b", TRAIN / "rank_1.json.gz")
        os.mkdir(self.path("own"))

    def sheet(self, name, *options):
        shutil.rmtree(self.path("lake"), ignore_errors=True)
        self.export("-q", *options)
        return self.tables().get("sheet_" + name)

    def expected(self):
        return [{"run": row["run"], "trace": row["trace"], "sheet_row": 0, "pieces": row["pieces"]} for row in self.asked(
            "SELECT key.run, key.trace, count(*) AS pieces FROM fact_key AS key JOIN gpu_event USING (trace_id) "
            "GROUP BY key.trace_id")]

    def test_reports_of_a_directory(self):
        """This one does not ask what is selected: of each trace there are its own rows all the same."""
        self.write("own/mine.sql", OWN_REPORT.format(name="mine", columns=""))
        for words in ((), ("--sheets", "mine"), ("--sheets", "all")):
            self.same_rows(self.sheet("mine", "--report-dir", "own", *words), self.expected(), words)
        self.assertIsNone(self.sheet("mine", "--report-dir", "own", "--sheets", "none"))
        self.one_line(self.export("--sheets", "mine", status=2), "'mine' is none of them")
        self.one_line(self.export("--report-dir", "nowhere", status=2), "nowhere: cannot be read")
        self.one_line(self.tpq("export", "--format", "chrome", "--report-dir", "own", status=2),
                      "--report-dir says nothing")

    def test_reports_about_runs(self):
        self.write("own/whole.sql", "-- Pieces of a run.\n-- set: multirank\n-- unit: run\nCREATE VIEW whole AS SELECT\n  run,\n"
                   "  count(*) AS pieces -- [real] work\nFROM fact_key JOIN gpu_event USING (trace_id) GROUP BY run;\n")
        counts = {}
        for row in self.expected():
            counts[row["run"]] = counts.get(row["run"], 0) + row["pieces"]
        self.same_rows(self.sheet("whole", "--report-dir", "own", "--sheets", "whole"),
                       [{"run": run, "sheet_row": 0, "pieces": float(count)} for run, count in counts.items()], "whole")

    def test_types_by_values(self):
        """Those of all traces together: whole numbers, numbers, else texts."""
        self.write("own/mine.sql", OWN_REPORT.format(name="mine", columns="""
, CASE trace_id WHEN 1 THEN 7 WHEN 2 THEN 0.1 + 0.2 END AS numbers
, CASE trace_id WHEN 1 THEN 7 WHEN 2 THEN 'x' ELSE 0.1 + 0.2 END AS mixed, NULL AS nought, x'61ff' AS bytes
, 1 AS "a ""b", 9e999 AS infinite, CASE trace_id WHEN 1 THEN 2 END AS stated -- [real] a number"""))
        rows = self.sheet("mine", "--report-dir", "own")
        found = {name: sorted({repr(row[name]) for row in rows}) for name in rows[0]}
        self.assertEqual({name: found[name] for name in ("numbers", "mixed", "nought", "bytes", 'a "b', "infinite", "stated")},
                         {"numbers": ["0.30000000000000004", "7.0", "None"], "mixed": ["'0.3'", "'7'", "'x'"],
                          "nought": ["None"], "bytes": [repr("a\ufffd")], 'a "b': ["1"], "infinite": ["inf"],
                          "stated": ["2.0", "None"]})

    def test_wrong_files(self):
        """One that makes no report stops nothing but itself, and those who ask for it."""
        self.write("own/mine.sql", OWN_REPORT.format(name="mine", columns=""))
        self.write("own/bad.sql", OWN_REPORT.format(name="bad", columns=", no_column AS x"))
        self.write("own/taken.sql", OWN_REPORT.format(name="taken", columns=", 1 AS sheet_row"))
        result = self.export("--report-dir", "own", "--sheets", "mine")
        self.assertRegex(result.err, "bad.sql: .*no_column.* \\(skipped\\)")
        self.assertRegex(self.export("--report-dir", "own", "--sheets", "bad", status=3).err, "no report 'bad': .*no_column")
        self.assertRegex(self.export("--report-dir", "own", "--sheets", "taken", status=2).err, "taken: .*sheet_row")

    def test_in_place_of_shipped_ones(self):
        self.write("own/mine.sql", OWN_REPORT.format(name="gpu_timeline", columns=""))
        self.same_rows(self.sheet("gpu_timeline", "--report-dir", "own"), self.expected(), "gpu_timeline")

    def test_sheets_of_extension_files(self):
        self.write("mine.sql", "INSERT INTO ext_sheet (name, sql) VALUES ('busy kernels', "
                   "'SELECT trace_id, count(*) AS pieces FROM gpu_event GROUP BY trace_id');\n")
        for words in ((), ("--sheets", "busy_kernels"), ("--sheets", "all")):
            self.same_rows(self.sheet("busy_kernels", "--extension-file", "mine.sql", *words), self.expected(), words)
        self.assertIsNone(self.sheet("busy_kernels", "--extension-file", "mine.sql", "--sheets", "none"))

    def test_reports_of_extension_files(self):
        self.write("mine.sql", OWN_REPORT.format(name="mine", columns=""))
        self.write("bad.sql", OWN_REPORT.format(name="broken", columns="") + "no statement;")
        files = ("--extension-file", "mine.sql", "--extension-file", "bad.sql")
        self.same_rows(self.sheet("mine", *files), self.expected(), "mine")
        self.assertRegex(self.export(*files, "--sheets", "broken", status=2).err, "broken: its extension file did not run")


class Again(Lake):
    """The same data are the same bytes, whoever writes them."""

    def prepare(self):
        self.tpq("ingest", "-q", "--run", "a", TRAIN)

    def test_twice(self):
        for options in ((), BY_RUN, ("--per-trace",)):
            name = "lake" + "".join(options)
            self.export("-q", *options, lake=name)
            before = self.files(name)
            self.export("-q", *options, lake=name)
            self.assertEqual(self.files(name), before)

    def test_traces_by_themselves_are_those_of_the_run(self):
        self.export("-q", "--per-trace", lake="traces")
        self.export("-q")
        traces, whole = self.tables("traces"), self.tables()
        self.assertEqual({name for name in whole if name not in traces},
                         {name for name, rows in whole.items() if "trace" not in rows[0]})
        for name, rows in traces.items():
            self.same_rows(rows, whole[name], name)
        self.assertEqual({path.split("/")[2] for path in self.files("traces") if path.startswith("fact_gpu")},
                         {row["trace"] + ".parquet" for row in whole["fact_trace"]})

    def test_many_writers(self):
        names = ["a"] + [f"r{i}" for i in range(1)]
        for name in names[1:]:
            self.tpq("ingest", "-q", "--run", name, TRAIN)
        for per_trace in (False, True):
            whole, many = f"whole{per_trace}", f"many{per_trace}"
            options = ["--per-trace"] if per_trace else [*BY_RUN]
            self.export("-q", *options, lake=whole)
            calls = [["--run", name, *more] for name in names
                     for more in ([["--trace", str(trace)] for trace, in self.rows(
                         "SELECT trace.id FROM trace JOIN run ON run.id = run_id WHERE name = ?", name)]
                         if per_trace else [[]])]
            writers = [subprocess.Popen([TPQ, "export", "-q", "--parquet", many, *options, *call], cwd=self.folder,
                                        env=self.environment({"TPQ_DB": self.db}), stderr=subprocess.PIPE)
                       for call in calls]
            for writer in writers:
                self.assertEqual((writer.communicate()[1].replace(b"tpq: 0", b""), writer.returncode), (b"", 0))
            self.assertEqual(self.files(many), self.files(whole))
            self.assertEqual(pathlib.Path(self.path(many, "views.sql")).read_bytes(),
                             pathlib.Path(self.path(whole, "views.sql")).read_bytes())

    def test_tables_that_have_no_rows_any_more(self):
        self.export("-q", *BY_RUN)
        self.export("-q", "--sheets", "all", lake="whole")
        self.tpq("rm", "-q", "a")
        self.tpq("ingest", "-q", "--run", "a", FIXTURES / "tt" / "ops_perf_results.csv")
        self.export("-q", *BY_RUN, status=4)
        self.export("-q", *BY_RUN, "--force")
        self.export("-q", lake="whole")
        for lake in ("lake", "whole"):
            self.assertEqual({row["format"] for row in self.tables(lake)["fact_trace"]}, {"ttmetal"})
            self.assertNotIn("fact_launcher", self.tables(lake))
            self.assertNotIn("fact_launcher", pathlib.Path(self.path(lake, "views.sql")).read_text())
        self.export("-q", lake="fresh")
        self.assertEqual(self.files("whole"), self.files("fresh"))

    def test_layouts(self):
        """Both have the same rows, and a directory has one of them."""
        for path in (*OTHERS, TRAIN):  # not by name
            self.tpq("ingest", "-q", "--run", path.name, path)
        self.export("-q", "--events", lake="whole")
        self.export("-q", "--events", *BY_RUN, lake="parts")
        self.export("-q", "--events", "--per-trace", lake="traces")
        self.assertEqual([name for name in self.files("whole") if "/" in name], [])
        whole, parts = self.tables("whole"), self.tables("parts")
        self.assertEqual(set(whole), set(parts))
        for name, rows in whole.items():
            self.same_rows(rows, parts[name], name)
        for lake, options, words in (("whole", BY_RUN, "it has files of all runs"), ("whole", ("--per-trace",), "files of all"),
                                     ("parts", (), "use --partition run"), ("traces", ("--force",), "use --partition run")):
            before, views = self.files(lake), pathlib.Path(self.path(lake, "views.sql")).read_bytes()
            self.one_line(self.export("-q", *options, lake=lake, status=4), f"{lake}: .*{words}")
            self.assertEqual((self.files(lake), pathlib.Path(self.path(lake, "views.sql")).read_bytes()), (before, views))

    def test_row_groups(self):
        """They are filled over runs, in their order, and not by run."""
        for number in (10, 9, 1):
            self.write("t.json", trace_of(*(slice_event("k", at, 1, "kernel", args={"stream": 7}) for at in range(number))))
            self.tpq("ingest", "-q", "--run", f"r{number}", "t.json")
        self.export("-q", "--run", "r*")
        file = Parquet(self.path("lake", "fact_gpu.parquet"))
        self.assertEqual([value_of(run) for run in file.columns["run"]], ["r1"] + ["r10"] * 10 + ["r9"] * 9)
        self.assertEqual(file.groups, [20])


class Directory(Lake):
    def prepare(self):
        self.tpq("ingest", "-q", "--run", "a", TRAIN)

    def test_names_of_runs(self):
        for name in HOSTILE:
            self.tpq("ingest", "-q", f"--run={name}", TRAIN / "rank_1.json.gz")
        self.export("-q", "--sheets", "none", lake="whole")
        self.assertEqual(sorted(row["run"] for row in self.tables("whole")["fact_trace"]), sorted(["a", "a", *HOSTILE]))
        shutil.rmtree(self.path("whole"))
        self.export("-q", "--sheets", "none", *BY_RUN)
        self.assertEqual(sorted(row["run"] for row in self.tables()["fact_trace"]), sorted(["a", "a", *HOSTILE]))
        for path in self.files():
            self.assertRegex(path, r"\Afact_\w+/run=([A-Za-z0-9_.-]|%[0-9A-F]{2})+/(run\.parquet|_traces)\Z")
        self.assertEqual(set(os.listdir(self.folder)), {"lake", "w.db"})

    def test_a_name_that_is_too_long(self):
        for length, status in ((240, 0), (241, 4), (300, 4)):
            self.tpq("ingest", "-q", "--run", "x" * length, TRAIN)
            before = self.files() if os.path.exists(self.path("lake")) else {}
            result = self.export("-q", *BY_RUN, status=status)
            if status:
                self.one_line(result, "name of the run xxx.* too long")
                self.assertEqual(self.files(), before)

    def test_one_run_in_one_manner(self):
        for first, second, words in ((BY_RUN, ("--per-trace",), "as one file"),
                                     (("--per-trace",), BY_RUN, "a file for each trace: use --per-trace, or --force")):
            shutil.rmtree(self.path("lake"), ignore_errors=True)
            self.export("-q", *first)
            before = self.files()
            self.one_line(self.export("-q", *second, status=4), f"the run a is exported.*{words}")
            self.assertEqual(self.files(), before)
            self.export("-q", *second, "--force")
            self.export("-q", *second, lake="fresh")
            self.assertEqual(self.files(), self.files("fresh"))
            shutil.rmtree(self.path("fresh"))

    def test_traces_of_other_machines(self):
        self.export("-q", *BY_RUN)
        before = self.files()
        self.tpq("ingest", "-q", "--db", "part.db", "--run", "a", TRAIN / "rank_1.json.gz")
        result = self.export("-q", "--db", "part.db", *BY_RUN, status=4)
        self.one_line(result, "the run a is exported with 1 trace that is not here: export it from a merged "
                              "warehouse, use --per-trace, or --force")
        self.assertEqual(self.files(), before)
        self.export("-q", "--db", "part.db", *BY_RUN, "--force")
        self.assertEqual([row["rank"] for row in self.tables()["fact_trace"]], [1])
        self.export("-q", *BY_RUN)  # more traces than before
        self.assertEqual(self.files(), before)

    def test_wrong_usage(self):
        for words in (("--trace", "1"), ("--rank", "0"), ("--citus", "--per-trace"), ("-o", "x"), ("--format", "chrome"),
                      ("--sheets", "no_such"), ("--run", "nobody"), ("--no-args",), ("--step", "1"),
                      ("--partition", "trace")):
            self.one_line(self.export(*words, status=2), ".")
        self.one_line(self.tpq("export", "--format", "parquet", status=2), "standard output")
        for words in ((), ("--format", "chrome"), ("--postgres",)):
            for option in (("--force",), BY_RUN):
                self.one_line(self.tpq("export", *words, *option, status=2), option[0] if words else "--format is required")
        self.assertEqual(set(os.listdir(self.folder)), {"w.db"})

    def test_where_nothing_can_be_written(self):
        self.write("file", "words")
        self.one_line(self.export(lake="file", status=4), "file: cannot be made a folder")
        self.one_line(self.export(lake="no/such/folder", status=4), "cannot be made a folder")
        self.one_line(self.export(lake="w.db", status=2), "is an input")
        os.makedirs(self.path("lake"))
        os.makedirs(self.path("elsewhere"))
        os.symlink(self.path("elsewhere"), self.path("lake", "fact_gpu"))
        self.one_line(self.export("-q", *BY_RUN, status=4), "fact_gpu: cannot be made a folder: it is a link")
        self.assertEqual(os.listdir(self.path("elsewhere")), [])

    def test_a_newer_layout(self):
        self.export("-q")
        views = pathlib.Path(self.path("lake", "views.sql"))
        views.write_text(views.read_text().replace("-- layout 1:", "-- layout 2:"))
        before = self.files()
        self.one_line(self.export("-q", status=4), "lake: a newer tpq")
        self.assertEqual(self.files(), before)

    def test_views_of_somebody_else(self):
        self.write("lake/views.sql", "-- mine")
        self.one_line(self.export("-q", status=4), "lake/views.sql: tpq has not written it; use --force")
        self.assertEqual(os.listdir(self.path("lake")), ["views.sql"])
        self.export("-q", "--force")
        self.assertIn("VIEW fact_gpu", pathlib.Path(self.path("lake", "views.sql")).read_text())

    def test_the_disk_is_full(self):
        self.export("-q", "--events", lake="good")
        largest = max(len(content) for content in self.files("good").values())
        for size in (0, 4096, largest - 1):
            done = subprocess.run([TPQ, "export", "-q", "--events", "--parquet", "lake"], cwd=self.folder,
                                  env=self.environment({"TPQ_DB": self.db}), stderr=subprocess.PIPE, text=True,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertRegex(done.stderr, r"\Atpq: lake/\S+: cannot be (written|made): File too large\n\Z")
            self.assertEqual(self.files(), {})
        self.export("-q", "--events")
        self.assertEqual(self.files(), self.files("good"))

    def test_what_a_killed_process_left(self):
        self.export("-q")
        before = set(os.listdir(self.path("lake")))
        self.write("lake/.tpq-1-1.tmp", "left")
        self.write("lake/.tpq-1-1.other", "not ours")
        self.export("-q")
        self.assertEqual(set(os.listdir(self.path("lake"))), before | {".tpq-1-1.other"})


class Killed(Lake):
    def test_at_any_moment(self):
        self.tpq("ingest", "-q", "--run", "a", TRAIN)
        for options in ([], BY_RUN, ["--per-trace"]):
            shutil.rmtree(self.path("whole"), ignore_errors=True)
            self.export("-q", *options, lake="whole")
            whole = self.files("whole")
            started = time.monotonic()
            self.export("-q", *options, lake="whole")
            taken, chance = time.monotonic() - started, random.Random(7)
            shutil.rmtree(self.path("lake"), ignore_errors=True)
            for _ in range(4):
                process = subprocess.Popen([TPQ, "export", "-q", "--parquet", "lake", *options], cwd=self.folder,
                                           env=self.environment({"TPQ_DB": self.db}), stderr=subprocess.DEVNULL)
                time.sleep(chance.random() * taken * 1.2)
                process.send_signal(signal.SIGKILL)
                process.wait()
                self.whole_or_not_there(whole)
            self.export("-q", *options)
            self.assertEqual(self.files(), whole)
            shutil.rmtree(self.path("whole"))

    def test_traces_that_go_meanwhile(self):
        """What is there after an export that succeeded is whole; another fails and says why."""
        for number in range(12):
            self.write(f"{number}.json", trace_of(slice_event("k", number, 5, "kernel", args={"stream": 7})))
        self.tpq("ingest", "-q", "--run", "a", *(f"{number}.json" for number in range(12)))
        shutil.copy(self.db, self.path("all.db"))
        started = time.monotonic()
        self.export("-q", *BY_RUN)
        taken, chance = time.monotonic() - started, random.Random(7)
        for _ in range(12):
            shutil.rmtree(self.path("lake"), ignore_errors=True)
            process = subprocess.Popen([TPQ, "export", "-q", "--parquet", "lake", *BY_RUN], cwd=self.folder, text=True,
                                       env=self.environment({"TPQ_DB": self.db}), stderr=subprocess.PIPE)
            time.sleep(chance.random() * taken)
            self.tpq("rm", "-q", "--trace", 12)
            words = process.communicate()[1]
            if process.returncode:
                self.assertRegex(words, "^tpq: the run a was changed while it was exported: export it again\n$")
                self.assertEqual(self.files(), {})
            else:
                lists = [{row["trace"] for row in rows} for rows in self.tables().values()]
                lists.append(set(pathlib.Path(self.path("lake/fact_trace/run=a/_traces")).read_text().split()))
                self.assertEqual(set(map(frozenset, lists)), {frozenset(lists[0])})
            shutil.copy(self.path("all.db"), self.db)

    def whole_or_not_there(self, whole):
        there = {name: content for name, content in self.files().items() if not name.startswith(".tpq-")} \
            if os.path.exists(self.path("lake")) else {}
        for name, content in there.items():
            self.assertEqual(content, whole[name], name)
        for name in there:
            table, *place = name.split("/")
            if table == "fact_trace" and name.endswith(".parquet") or name == "fact_trace.parquet":
                self.assertEqual({path for path in whole if path.endswith("/".join(place))} - set(there), set())


class Engine(Lake):
    """DuckDB, where node has it."""

    SCRIPT = """
const { DuckDBInstance } = require('@duckdb/node-api');
(async () => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run(require('fs').readFileSync('views.sql', 'utf8'));
  for (const sql of process.argv.slice(1)) {
    const rows = await connection.runAndReadAll(sql);
    console.log(JSON.stringify(rows.getRowObjectsJson()));
  }
})().catch(error => { console.error(String(error)); process.exit(1); });
"""

    def duckdb(self, *questions):
        if not shutil.which("node") or subprocess.run(["node", "-e", "require('@duckdb/node-api')"],
                                                      capture_output=True, cwd=self.folder).returncode:
            self.skipTest("node, or its package @duckdb/node-api, is not there")
        done = subprocess.run(["node", "-e", self.SCRIPT, *questions], capture_output=True, text=True, check=False,
                              cwd=self.path("lake"))
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_a_session(self):
        for name in ("2025", "a/b ä=1", "b"):
            self.tpq("ingest", "-q", "--run", name, TRAIN)
        for options in ((), BY_RUN):
            shutil.rmtree(self.path("lake"), ignore_errors=True)
            self.export("-q", "--events", *options)
            self.session()

    def session(self):
        tables = self.tables()
        counts = [f"SELECT run, count(*)::INTEGER AS n FROM {name} GROUP BY run ORDER BY run" for name in tables]
        expected = [{run: sum(row["run"] == run for row in rows) for run in sorted({row["run"] for row in rows})}
                    for rows in tables.values()]
        found = self.duckdb(*counts, "SELECT DISTINCT run FROM fact_trace ORDER BY run")
        self.assertEqual([{row["run"]: row["n"] for row in rows} for rows in found[:-1]], expected)
        self.assertEqual([row["run"] for row in found[-1]], ["2025", "a/b ä=1", "b"])
        for name in re.findall(r"VIEW (fleet_\w+)", pathlib.Path(self.path("lake", "views.sql")).read_text()):
            self.alike(self.duckdb(f"SELECT * FROM {name}")[0], self.asked(f"SELECT * FROM {name}"), name)

    def alike(self, given, expected, words):
        """In the same order; DuckDB has numbers of 64 bits as texts in JSON."""
        self.assertEqual(len(given), len(expected), words)
        for row, stated in zip(given, expected):
            for name, value in stated.items():
                if isinstance(value, (int, float)):
                    self.assertAlmostEqual(float(row[name]), value, delta=1e-12 * max(abs(value), 1), msg=f"{words} {name}")
                else:
                    self.assertEqual(row[name], value, f"{words} {name}")


if __name__ == "__main__":
    main()
