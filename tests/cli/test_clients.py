"""Clients other than tpq: what tpq help python, ci and cluster show is run as it stands there, and what
Datasette is told is held against the warehouse.
"""

import contextlib
import importlib.util
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import textwrap
import unittest

from support import Case, PATIENCE, TPQ, main
from test_compare import changed, trace
from test_module import CAN_LOAD, EXTENSION, LIBRARY

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TRAIN = os.path.join(ROOT, "tests", "fixtures", "train")

# What the lines need of pandas, where it is not installed.
PANDAS = """class Frame(list):
    def __str__(self):
        return "\\n".join(" ".join(map(str, row)) for row in self)
def read_sql(sql, db):
    cursor = db.execute(sql)
    return Frame([[column[0] for column in cursor.description], *cursor])
"""


class Clients(Case):
    def blocks(self, guide):
        """The indented parts of a guide."""
        text = self.tpq("help", guide).out
        return [textwrap.dedent(block) for block in re.findall(r"(?m)(?:^    .*\n)+", text)]

    def run_lines(self, command, lines, status=0, **variables):
        env = self.environment({"PATH": os.path.dirname(TPQ) + ":" + os.environ["PATH"], **variables})
        done = subprocess.run([*command, lines], capture_output=True, text=True, cwd=self.folder,
                              env=env, timeout=PATIENCE)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout


class Python(Clients):
    def setUp(self):
        super().setUp()
        self.tpq("ingest", "-q", "--db", "tpq.db", "--run", "base", TRAIN)
        if not importlib.util.find_spec("pandas"):
            print("pandas is not installed: its place is taken", file=sys.stderr)
            self.write("pandas.py", PANDAS)

    def python(self, lines):
        return self.run_lines([sys.executable, "-B", "-c"], lines, PYTHONPATH=f"{LIBRARY}:{self.folder}")

    def test_five_lines(self):
        notebook, rows, connection, without = self.blocks("python")
        self.assertLessEqual(max(len(block.splitlines()) for block in self.blocks("python")), 5)
        self.tpq("report", "-q", "--db", "tpq.db", "--into-tables", "ops_summary")
        frozen = self.python(without)
        self.assertIn("aten::mm", frozen)
        if CAN_LOAD:
            self.assertEqual(self.python(connection), frozen)
        asked = self.python(rows)
        self.assertEqual(len(asked.splitlines()), len(frozen.splitlines()) - 1)
        self.assertIn("base aten::mm ", asked)
        shutil.copy(os.path.join(TRAIN, "rank_0.json.gz"), self.path("trace.json.gz"))
        os.remove(self.path("tpq.db"))
        self.assertIn("busy_time", self.python(notebook))


class AnySQLite(Clients):
    """Views and recipes that need no extension: in Python's SQLite and in sqlite3."""

    with open(os.path.join(ROOT, "sql", "views", "stock.sql"), encoding="utf-8") as _file:
        VIEWS = re.findall(r"CREATE VIEW (\w+)", _file.read())
    EVENTS = ("kernel", "memcpy", "cpu_op", "runtime_call", "profiler_step", "collective_kernel")

    # A sum of a view, and the same sum of tpq's own views and reports.
    SAME = (
        ("SELECT trace_id, gpu_activities, gpu_time_ns, bytes FROM gpu_kind_time WHERE kind = 'kernel'",
         "SELECT trace_id, count(*), sum(dur_ns), sum(bytes) FROM gpu_slice WHERE category = 'kernel' GROUP BY trace_id"),
        ("SELECT trace_id, name, kernels, gpu_time_ns FROM kernel_time",
         "SELECT trace_id, kernel_name, sum(kernel_duration_count), CAST(round(sum(kernel_duration_sum) * 1e3) AS INTEGER) "
         "FROM kernel_summary GROUP BY trace_id, kernel_name"),
        ("SELECT trace_id, copies, bytes FROM memcpy_time", "SELECT trace_id, copies, bytes FROM memory_bandwidth"),
        ("SELECT rank, collective, bytes, collectives, gpu_time_ns FROM collective_time",
         "SELECT CAST(rank AS INTEGER), collective_name, 1048576, count(*), CAST(round(sum(dur) * 1e3) AS INTEGER) "
         "FROM ranks_collectives GROUP BY run, rank, collective_name"),
        ("SELECT trace_id, op, calls FROM op_time WHERE op NOT LIKE 'nccl:%'",
         "SELECT trace_id, name, count FROM ops_summary WHERE name <> 'cudaGraphLaunch'"),
        ("SELECT trace_id, category, sum(calls) FROM op_category_time WHERE category <> 'other' GROUP BY trace_id, category",
         "SELECT trace_id, op_category, count FROM ops_summary_by_category WHERE op_category NOT IN ('graph', 'multi_tensor_apply')"),
        ("SELECT trace_id, op, count(*), sum(calls) FROM op_shape_time WHERE op NOT LIKE 'nccl:%' GROUP BY trace_id, op",
         "SELECT trace_id, name, count(*), sum(operation_count) FROM ops_unique_args WHERE name <> 'cudaGraphLaunch' GROUP BY trace_id, name"),
        ("SELECT run, name, sum(calls), sum(total_ns) FROM runtime_call_time GROUP BY run, name",
         "SELECT run, name, num_calls, total_time FROM cuda_api_sum"),
        ("SELECT trace_id, step, gpu_activities, gpu_time_ns FROM step_time",
         "SELECT work.trace_id, step, count(*), sum(work.dur_ns) FROM gpu_event AS work JOIN step_mark AS mark "
         "ON mark.trace_id = work.trace_id AND mark.kind = 'step' AND launcher_ts_ns >= mark.ts_ns "
         "AND launcher_ts_ns < mark.ts_ns + mark.dur_ns GROUP BY work.trace_id, step"),
        ("SELECT trace_id, sum(busy_ns), sum(busy_ns + idle_ns) FROM device_busy GROUP BY trace_id",
         "SELECT trace_id, CAST(round(max(time_ms) FILTER (WHERE type = 'busy_time') * 1e6) AS INTEGER), "
         "CAST(round(max(time_ms) FILTER (WHERE type = 'total_time') * 1e6) AS INTEGER) FROM gpu_timeline GROUP BY trace_id"),
        ("SELECT trace_id, start_ns, dur_ns, before, after FROM gpu_idle_gap",
         "SELECT trace_id, CAST(round(from_ms * 1e6) AS INTEGER), CAST(round(gap_ms * 1e6) AS INTEGER), before, after FROM gpu_gaps"),
        ("SELECT trace_id, name, ranges, total_ns FROM range_time WHERE kind IN ('step', 'range')",
         "SELECT trace_id, name, count(*), sum(dur_ns) FROM slice WHERE role = 'mark' GROUP BY trace_id, name"),
        ("SELECT trace_id, device_type, device, peak_allocated_bytes, peak_reserved_bytes, allocations, frees FROM memory_summary",
         "SELECT trace_id, device_type, device, peak_allocated_bytes, peak_reserved_bytes, allocations, frees FROM memory_peak"),
        ('SELECT trace_id, "check", verdict, count, base, round(share, 9) FROM health_finding',
         'SELECT trace_id, "check", verdict, count, base, round(share, 9) FROM trace_health WHERE count > 0 AND trace_id IS NOT NULL'),
        ("SELECT run, trace_id, events, gpu_activities FROM trace_summary", "SELECT run, trace_id, events, gpu_events FROM recorded"),
        ("SELECT run, trace_id, steps FROM rank_summary", "SELECT run, trace_id, steps FROM recorded"),
    )
    QUESTIONS = {
        "memcpy by kind, with bandwidth":
            "SELECT run, kind, name, count(*), sum(bytes), sum(bytes) * 1.0 / sum(dur_ns), max(bandwidth_gb_per_s) "
            "FROM memcpy WHERE run = :before GROUP BY run, kind, name",
        "ops between two runs":
            "SELECT name, sum(gpu_time_ns) FILTER (WHERE run = :after) - sum(gpu_time_ns) FILTER (WHERE run = :before) AS more "
            "FROM cpu_op GROUP BY name ORDER BY more DESC",
    }

    def prepare(self):
        self.tpq("ingest", "-q", "--run", "base", "--label", "branch=main", TRAIN)
        self.tpq("ingest", "-q", "--run", "tuned", TRAIN)
        self.tpq("report", "run_overview")  # fills run_figure

    def setUp(self):
        super().setUp()
        self.given = {"run": "base", "before": "base", "after": "tuned", "days": 7}

    def recipes(self):
        folder = os.path.join(ROOT, "sql", "recipes")
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                text = file.read()
            if "Runs in any SQLite." in text:
                yield name, text

    def test_views(self):
        """Every kind of row is there, and says what tpq's own views say."""
        self.assertGreaterEqual(len(self.VIEWS), 25)
        with contextlib.closing(sqlite3.connect(self.db)) as db:
            db.execute("PRAGMA trusted_schema = off")
            for view in self.VIEWS:
                self.assertTrue(db.execute(f"SELECT * FROM {view}").fetchall(), view)
            plain = {sql: list(map(list, db.execute(sql))) for sql in (
                "SELECT count(*), sum(dur_ns), count(op), count(launch) FROM kernel",
                "SELECT count(*), sum(bytes) FROM memcpy", "SELECT count(*), sum(self_ns) FROM cpu_op",
                "SELECT count(*) FROM runtime_call", "SELECT * FROM run_summary",
                "SELECT bytes, group_ranks, count(*) FROM collective_kernel GROUP BY 1, 2")}
        for sql, rows in plain.items():
            out = self.tpq("sql", "-m", "json", sql).out
            self.assertEqual([list(row.values()) for row in json.loads(out)], rows, sql)
        own = ("SELECT (SELECT count(*) FROM gpu_slice WHERE category = 'kernel'), "
               "(SELECT sum(dur_ns) FROM gpu_slice WHERE category = 'kernel'), "
               "(SELECT count(*) FROM slice WHERE role = 'op'), (SELECT count(*) FROM slice WHERE role = 'call')")
        same = ("SELECT (SELECT count(*) FROM kernel), (SELECT sum(dur_ns) FROM kernel), "
                "(SELECT count(*) FROM cpu_op), (SELECT count(*) FROM runtime_call)")
        asked = [list(json.loads(self.tpq("sql", "-m", "json", sql).out)[0].values()) for sql in (own, same)]
        self.assertEqual(*asked)
        if shutil.which("sqlite3"):
            for view in self.VIEWS:
                self.assertTrue(self.run_lines(["sqlite3", self.db], f"SELECT * FROM {view};"), view)

    def test_guides_name_all_views(self):
        with open(os.path.join(ROOT, "sql", "extensions", "guide.md"), encoding="utf-8") as file:
            for text in (file.read(), self.tpq("help", "python").out):
                self.assertEqual(set(self.VIEWS) - set(re.findall(r"\w+", text)), set())

    def test_views_say_what_reports_say(self):
        with contextlib.closing(sqlite3.connect(self.db)) as db:
            db.execute("PRAGMA trusted_schema = off")
            found = [sorted(db.execute(plain).fetchall(), key=repr) for plain, _ in self.SAME]
            self.assertEqual(db.execute("SELECT run, key, value FROM run_label WHERE source = 'label'").fetchall(), [("base", "branch", "main")])
            self.assertEqual({file for (file,) in db.execute("SELECT file FROM trace_summary")}, set(os.listdir(TRAIN)))
            self.assertEqual(db.execute("SELECT sum(kernel_time_ns), sum(collective_time_ns) FROM rank_summary").fetchone(),
                             db.execute("SELECT (SELECT sum(dur_ns) FROM kernel), (SELECT sum(dur_ns) FROM collective_kernel)").fetchone())
            self.assertEqual(db.execute("SELECT run, step, slowest_rank FROM run_step_time WHERE run = 'base'").fetchall(),
                             db.execute("SELECT run, step, rank FROM (SELECT run, step, rank, max(dur_ns) FROM profiler_step "
                                        "WHERE run = 'base' GROUP BY step)").fetchall())
            self.assertEqual(db.execute("SELECT start_ns FROM gpu_idle_gap WHERE place = 1 AND trace_id = 1").fetchall(),
                             db.execute("SELECT start_ns FROM gpu_idle_gap WHERE trace_id = 1 ORDER BY dur_ns DESC LIMIT 1").fetchall())
        for (plain, own), rows in zip(self.SAME, found):
            self.assertTrue(rows, plain)
            out = self.tpq("sql", "-m", "jsonl", "SELECT tpq_set('gap-min-us', 0);" + own).out.splitlines()[1:]
            self.assertEqual(rows, sorted((tuple(json.loads(line).values()) for line in out), key=repr), plain)

    def test_recipes(self):
        asked = dict(self.recipes())
        self.assertGreaterEqual(len(asked), 7)
        with contextlib.closing(sqlite3.connect(self.db)) as db:
            db.execute("UPDATE run SET created_at = datetime('now', '-14 days') WHERE name = 'base'")
            db.commit()
            for name, sql in {**asked, **self.QUESTIONS}.items():
                given = {key: value for key, value in self.given.items() if f":{key}" in sql}
                self.assertTrue(db.execute(sql, given).fetchall(), name)
                if shutil.which("sqlite3"):
                    lines = "".join(f".parameter set :{key} '{value}'\n" for key, value in given.items())
                    self.write("ask.sql", lines + sql)
                    self.assertTrue(self.run_lines(["sqlite3", self.db], ".read ask.sql"), name)

    def test_events_are_found_by_their_trace(self):
        """No scan of all events, and no index of all events made for a question."""
        with contextlib.closing(sqlite3.connect(self.db)) as db:
            for view in self.EVENTS:
                for condition in ("run = 'base'", "trace_id = 1", "id = 7", "run = 'base' AND name = 'aten::mm'",
                                  *(["name = 'aten::mm'"] if view != "profiler_step" else [])):  # steps are few
                    plan = "\n".join(row[3] for row in db.execute(
                        f"EXPLAIN QUERY PLAN SELECT count(*), sum(dur_ns) FROM {view} WHERE {condition}"))
                    self.assertRegex(plan, r"SEARCH (gpu_)?(event|signpost) USING INTEGER PRIMARY KEY")
                    self.assertNotRegex(plan, r"SCAN (gpu_)?(event|signpost)|(event|signpost) USING AUTO", condition)
            for view in self.VIEWS:
                plan = "\n".join(row[3] for row in db.execute(f"EXPLAIN QUERY PLAN SELECT * FROM {view} WHERE run = 'base'"))
                self.assertNotRegex(plan, r"SCAN (\w+_)?(event|signpost)|(event|signpost) USING AUTO", view)


class Server(Clients):
    def test_a_gate(self):
        """Commits that pass and one that does not, with what is kept from job to job."""
        first, job, merged = self.blocks("ci")[:3]  # the loop is played by test_fleet.py
        self.write("base.json", trace(1, steps=8))
        subprocess.run(["gzip", self.path("base.json")], check=True)
        self.run_lines(["bash", "-ec"], first, BASE="c0")
        for commit, seed, ops, status in (("c1", 2, None, 0),
                                          ("c2", 3, changed("aten::bmm", times=1.5), 1),
                                          ("c3", 4, None, 0)):
            self.write("trace.json", trace(seed, steps=8, ops=ops))
            subprocess.run(["gzip", "-f", self.path("trace.json")], check=True)
            out = self.run_lines(["bash", "-ec"], job, status=status, COMMIT=commit)
            self.assertEqual("::error" in out, status == 1)
            self.assertTrue(os.path.getsize(self.path("gate.xml")))
            with open(self.path("change.md"), encoding="utf-8") as file:
                self.assertIn(commit, file.read())
            if status == 0:
                self.run_lines(["bash", "-ec"], merged, COMMIT=commit)
        self.assertEqual(self.value("SELECT value FROM setting WHERE name = 'pin:green'",
                                    db=self.path("runs.db")), "c3")


class Cluster(Clients):
    def test_from_the_ranks_to_one_warehouse_and_out_again(self):
        node, one_place, pipe, timer, retention, lake, parts, apart, retention_of_parts = self.blocks("cluster")
        os.mkdir(self.path("local"))
        for rank in "01":
            shutil.copyfile(os.path.join(TRAIN, f"rank_{rank}.json.gz"),
                            self.path(f"rank_{rank}.json.gz"))
            self.run_lines(["bash", "-ec"], node, RANK=rank, JOB="job")
        for _ in range(2):
            out = self.run_lines(["bash", "-ec"], one_place, JOB="job")
            self.assertIn("exposed", out)
        self.assertIn("run job: 0 stored, 2 known already", out)
        os.mkdir(self.path("bucket"))
        os.rename(self.path("rank_1.json.gz"), self.path("bucket/rank_1.json.gz"))
        self.run_lines(["bash", "-eco", "pipefail"], pipe, RANK="1")
        os.mkdir(self.path("incoming"))
        os.rename(self.path("rank_0.json.gz"), self.path("incoming/a.json.gz"))
        shutil.copyfile(self.path("bucket/rank_1.json.gz"), self.path("incoming/b.json.gz"))
        os.utime(self.path("incoming/a.json.gz"), (1, 1))  # the other may not be whole yet
        for _ in range(2):
            self.run_lines(["bash", "-eco", "pipefail"], timer)
        db = self.path("all.db")
        runs = ("SELECT run.name, rank, count(*) FROM trace JOIN run ON run.id = run_id "
                "GROUP BY 1, 2 ORDER BY 1, 2")
        self.assertEqual(self.rows(runs, db=db), [("job", 0, 1), ("job", 1, 1), ("nightly", 0, 1),
                                                  ("pipe", 1, 1)])
        with contextlib.closing(sqlite3.connect(db)) as connection:
            connection.execute("UPDATE trace SET ingested_at = '2020-01-01 00:00:00' "
                               "WHERE path LIKE '%/a.json.gz'")
            connection.commit()
        self.assertIn("run nightly: 1 trace", self.run_lines(["bash", "-ec"], retention))
        self.assertEqual(len(self.rows(runs, db=db)), 3)
        for rank in "01":
            self.run_lines(["bash", "-ec"], apart, RANK=rank)
        self.assertEqual(len(os.listdir(self.path("traces/fact_gpu/run=job"))), 2)
        self.run_lines(["bash", "-ec"], lake)
        self.assertIn("fact_gpu.parquet", os.listdir(self.path("lake")))
        self.run_lines(["bash", "-ec"], parts)
        self.assertEqual(sorted(os.listdir(self.path("parts/fact_gpu"))), ["run=job", "run=pipe"])
        self.run_lines(["bash", "-ec"], retention_of_parts, JOB="job")
        left = [at for at, _, files in os.walk(self.path("parts")) if at.endswith("run=job")]
        self.assertEqual((left, os.listdir(self.path("parts/fact_gpu"))), ([], ["run=pipe"]))
        self.run_lines(["bash", "-ec"], parts)
        self.assertIn("run=job", os.listdir(self.path("parts/fact_gpu")))


class Datasette(Clients):
    def test_what_it_is_told_is_there(self):
        self.tpq("ingest", "-q", "--db", "runs.db", "--run", "base", TRAIN)
        self.tpq("report", "-q", "--db", "runs.db", "--into-tables")
        told = json.loads(self.tpq("describe", "--datasette", "--db", "runs.db").out)
        runs = told["databases"]["runs"]
        db = self.path("runs.db")
        names = {name: kind for name, kind in self.rows(
            "SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view')", db=db)}
        for name, kind in names.items():
            if name.startswith("sqlite_"):
                continue
            sheet = name.startswith("frozen_") and name not in runs["tables"]
            if sheet:  # for one value of something, such as frozen_GEMM
                continue
            self.assertTrue(runs["tables"][name]["description"], name)
            if kind == "table" and not name.startswith("frozen_"):
                columns = {column for (column,) in self.rows(
                    "SELECT name FROM pragma_table_info(?)", name, db=db)}
                self.assertEqual(columns - set(runs["tables"][name]["columns"]), set(), name)
        self.assertIn("frozen_gpu_timeline", set(runs["tables"]) & set(names))
        self.assertNotIn("hidden", runs["tables"]["gpu_timeline"])
        self.assertTrue(runs["tables"]["timeline_work"]["hidden"])
        self.assertNotIn("hidden", runs["tables"]["step_time"])
        reports = {name: meaning for name, meaning in self.rows("SELECT name, meaning FROM report WHERE source = 'tpq'", db=db)}
        self.assertGreaterEqual(len(reports), 100)
        self.assertEqual(set(reports) - set(runs["queries"]), set())
        recipes = {name: query for name, query in runs["queries"].items() if name not in reports}
        for name, query in recipes.items():
            self.assertEqual(query["sql"], self.tpq("help", "recipes", name).out)
            self.assertTrue(query["title"].endswith("?"))
        self.assertGreaterEqual(len(recipes), 10)
        for name, meaning in reports.items():
            self.assertEqual(runs["queries"][name], {"title": name, "description": meaning, "sql": f"SELECT * FROM {name}"})

    @unittest.skipUnless(CAN_LOAD or shutil.which("sqlite3"), "extensions cannot be loaded")
    def test_queries_run_with_the_extension(self):
        self.tpq("ingest", "-q", "--db", "runs.db", "--run", "base", TRAIN)
        queries = json.loads(self.tpq("describe", "--datasette", "--db", "runs.db").out)["databases"]["runs"]["queries"]
        report = queries["gpu_timeline"]["sql"]
        if CAN_LOAD:
            with contextlib.closing(sqlite3.connect(self.path("runs.db"))) as db:
                db.enable_load_extension(True)
                db.load_extension(EXTENSION)
                for name, query in queries.items():
                    given = dict.fromkeys(re.findall(r":(\w+)", query["sql"]))
                    self.assertTrue(db.execute("EXPLAIN " + query["sql"], given).fetchall(), name)
                self.assertTrue(db.execute(report).fetchall())
        if shutil.which("sqlite3"):
            asked = "".join(f".print query {name}\nEXPLAIN {query['sql'].rstrip().rstrip(';')};\n" for name, query in queries.items())
            self.write("ask.sql", f".bail on\n.load {EXTENSION}\n{asked}{report};\n")
            out = self.run_lines(["sqlite3", self.path("runs.db")], ".read ask.sql")
            self.assertEqual(re.findall(r"(?m)^query (\w+)$", out), list(queries))
            self.assertIn("busy_time", out)

    def test_calls(self):
        self.assertIn("tpq", json.loads(self.tpq("describe", "--datasette", "--db", "x/tpq.db").out)
                      ["databases"])
        self.one_line(self.tpq("describe", "--datasette", "event", status=2), "unexpected operand")
        self.one_line(self.tpq("describe", "--db", "x.db", status=2), "only goes with --datasette")


if __name__ == "__main__":
    main()
