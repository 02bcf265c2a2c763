"""tpq sql: statements from the command line, from files and from standard input; what may be changed;
and the forms of the output."""

import contextlib
import csv
import io
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import zipfile

from support import TPQ, Case, main, plain, slice_event, trace_of

SQL = pathlib.Path(__file__).resolve().parents[2] / "sql"
ENDLESS = "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"


class Sql(Case):
    def prepare(self):
        self.make_trace("a.json")
        self.tpq("ingest", "-q", "a.json")


class Sources(Sql):
    def answers(self, out, *call, stdin=b""):
        self.assertEqual(self.tpq("sql", "-m", "csv", *call, stdin=stdin).out, out)

    def test_the_command_line(self):
        self.answers("x\n1\n", "SELECT 1 AS x")
        self.answers("x\n1\n", "SELECT 1 AS x;")
        self.answers("x\n1\ny\n2\n", "SELECT 1 AS x; SELECT 2 AS y")
        self.answers("", "")
        self.answers("", " ; ;; -- nothing\n /* at all */ ;")

    def test_a_file(self):
        self.write("q.sql", "SELECT 1\n  AS x;\n\nSELECT\n2 AS y -- no semicolon")
        self.answers("x\n1\ny\n2\n", "-f", "q.sql")
        self.answers("x\n1\ny\n2\n", "--file=q.sql")

    def test_standard_input(self):
        for way in ([], ["-"], ["-f", "-"]):
            self.answers("x\n1\ny\n2\n", *way, stdin="SELECT 1 AS x; SELECT\n 2 AS y")
        self.answers("", stdin="")

    def test_statements_over_several_lines_with_semicolons_inside(self):
        self.answers("x\n;\n", stdin="SELECT -- ;\n /* ; */ ';'\n AS x;")
        script = ("CREATE TEMP TABLE t (a);\nCREATE TEMP TRIGGER g AFTER INSERT ON t BEGIN\n"
                  "  SELECT 1;\n  SELECT 2;\nEND;\nINSERT INTO t VALUES (5);\nSELECT a FROM t;\n")
        self.answers("a\n5\n", stdin=script)

    def test_a_statement_of_very_many_lines(self):
        """Looked at from its start at each line, it would never end."""
        self.answers("x\n1\n", stdin="SELECT 1\n" + f"-- {'many':40}\n" * 200000 + "AS x;\n")

    def test_a_statement_ends_where_the_comment_behind_it_ends(self):
        self.answers("x\n1\ny,z\n2,3\n",
                     stdin="SELECT 1 AS x; /* one\ntwo */\n.mode csv\nSELECT 2 AS y, 3 AS z;")

    def test_line_ends_of_windows(self):
        self.write("q.sql", b"SELECT 1 AS x;\r\n.mode json\r\nSELECT 2 AS y;\r\n")
        self.answers('x\n1\n[\n{"y":2}\n]\n', "-f", "q.sql")

    def test_a_file_and_a_statement(self):
        self.write("q.sql", "SELECT 1")
        self.one_line(self.tpq("sql", "-f", "q.sql", "SELECT 1", status=2), "not both$")

    def test_a_file_that_cannot_be_read(self):
        self.one_line(self.tpq("sql", "-f", "no.sql", status=3),
                      r"^tpq: no\.sql: cannot be opened: No such file")
        self.one_line(self.tpq("sql", "-f", ".", status=3), r"^tpq: \.: cannot be read: Is a dir")

    def test_a_zero_byte(self):
        self.one_line(self.tpq("sql", stdin=b"SELECT 1\0;", status=2), "zero byte")


class Commands(Sql):
    def script(self, text, status=0):
        self.write("q.sql", text)
        return self.tpq("sql", "-f", "q.sql", status=status)

    def test_modes(self):
        self.assertEqual(self.script(".mode csv\nSELECT 1 AS x;\n.mode json\nSELECT 2 AS y;").out,
                         'x\n1\n[\n{"y":2}\n]\n')
        self.assertEqual(self.tpq("sql", ".mode csv").out, "")
        self.one_line(self.script(".mode xml", status=2), r"\.mode is one of: table box csv")

    def test_commands_behind_empty_lines_and_comments(self):
        self.assertEqual(self.script("-- a report\n\n.mode csv\n/* of two\nlines */\n  \n.mode tsv\n"
                                     "SELECT 1 AS x, 2 AS y;\n\n.mode csv\nSELECT 3 AS z;\n").out,
                         "x\ty\n1\t2\nz\n3\n")

    def test_a_dot_inside_of_a_statement_is_no_command(self):
        self.assertEqual(self.script(".mode csv\nSELECT 1\n.5 AS x;", status=2).out, "")
        self.assertEqual(self.script(".mode csv\nSELECT '\n.quit' AS x;").out, 'x\n"\n.quit"\n')

    def test_tables_and_schema(self):
        tables = self.tpq("sql", ".tables").out
        for name in ("event", "gpu_slice", "run"):
            self.assertRegex(tables, rf"(?m)^{name} ")
        self.assertTrue(self.tpq("sql", ".schema run").out.startswith("CREATE TABLE run (\n"))
        self.assertIn("CREATE VIEW slice", self.tpq("sql", ".schema").out)
        self.one_line(self.tpq("sql", ".schema nosuch", status=2), "no table or view 'nosuch'")

    def test_the_schema_is_sql(self):
        connection = sqlite3.connect(":memory:")
        connection.executescript(self.tpq("sql", ".schema event").out)

    def test_read(self):
        self.write("inner.sql", "SELECT 2 AS y;\n")
        self.assertEqual(self.script(".mode csv\n.read inner.sql\nSELECT 3 AS z;").out,
                         "y\n2\nz\n3\n")
        self.write("loop.sql", ".read loop.sql\n")
        self.one_line(self.tpq("sql", "-f", "loop.sql", status=2), "read each other too deep")
        self.one_line(self.tpq("sql", ".read no.sql", status=3), r"^tpq: no\.sql: cannot be opened")
        self.one_line(self.tpq("sql", ".read", status=2), r"\.read needs the name of a file")

    def test_quit(self):
        self.assertEqual(self.script(".mode csv\nSELECT 1 AS x;\n.quit\nSELEC nonsense").out, "x\n1\n")

    def test_timer(self):
        result = self.script(".timer on\nSELECT 1 AS x;\n.timer off\nSELECT 2 AS y;")
        self.assertRegex(result.err, r"\A\d+\.\d{3} s, processor \d+\.\d{3} s\n\Z")
        self.one_line(self.tpq("sql", ".timer maybe", status=2), r"\.timer is on or off")

    def test_help_names_every_command(self):
        out = self.tpq("sql", ".help").out
        for command in (".tables .describe .schema .mode .headers .output .once .param .timer .read "
                        ".help .quit .exit").split():
            self.assertRegex(out, rf"(?m)^\{command} ")

    def test_tables_by_pattern(self):
        listed = lambda *words: [line.split()[0] for line in self.tpq(
            "sql", " ".join([".tables", *words])).out.splitlines()[2:]]
        for pattern in ("launcher", "*launcher*", "%launcher%", "LAUNCHER"):
            self.assertIn("kernel_launchers", listed(pattern), pattern)
            self.assertNotIn("event", listed(pattern), pattern)
        self.assertEqual(listed("event"), [name for name in listed() if "event" in name])
        self.assertEqual(listed("run?"), [])
        self.assertEqual(listed("r?n"), ["run"])
        self.assertEqual(listed("no'such"), [])

    def test_headers(self):
        out = self.script(".headers off\n.mode csv\nSELECT 1 AS x;\n.mode tsv\nSELECT 2 AS x;\n"
                          ".mode table\nSELECT 3 AS x;\n.headers on\n.mode csv\nSELECT 4 AS x;").out
        self.assertEqual(out, "1\n2\n3\nx\n4\n")
        self.one_line(self.tpq("sql", ".headers maybe", status=2), r"\.headers is on or off")

    def test_output_and_once(self):
        result = self.script(".mode csv\n.once one.csv\nSELECT 1 AS x;\nSELECT 2 AS x;\n"
                             ".output two.csv\nSELECT 3 AS x;\nSELECT 4 AS y;\n.output\n"
                             "SELECT 5 AS x;\n.once words\n.describe run\n.once list\n.tables run\n")
        before = self.snapshot()
        self.assertEqual((before[self.path("one.csv")], before[self.path("two.csv")], result.out),
                         (b"x\n1\n", b"x\n3\ny\n4\n", "x\n2\nx\n5\n"))
        self.assertTrue(before[self.path("words")].startswith(b"run (table)\n"))
        self.assertIn(b"run,table\n", before[self.path("list")])
        self.assertIn("w.db", self.script(f".output {self.db}", status=2).err)
        self.script(".once no/where\nSELECT 1;", status=4)
        self.script(".once", status=2)
        self.assertEqual(self.snapshot()[self.db], before[self.db])

    def test_describe(self):
        out = self.tpq("sql", ".describe gpu_event").out
        self.assertEqual(out, self.tpq("describe", "gpu_event").out)
        self.assertEqual(self.tpq("sql", ".describe").out, self.tpq("describe").out)
        self.one_line(self.tpq("sql", ".describe gpu_evnt", status=2), "did you mean gpu_event")

    def test_an_unknown_command(self):
        self.one_line(self.tpq("sql", ".tabels", status=2), "command .tabels; did you mean .tables")
        self.one_line(self.tpq("sql", ".frobnicate", status=2), r"unknown command \.frobnicate; see")


class Parameters(Sql):
    def test_values(self):
        out = self.tpq("sql", "-m", "csv", "--param", "a=5", "--param", "b=-1.5e3", "--param", "c='7'",
                       "--param", "d=x y", "--param=e=", "--param", ":f=f=g",
                       "SELECT typeof(:a), @a, typeof($b), :b, typeof(:c), :c, :d, :e, :f").out
        self.assertEqual(out.splitlines()[1], "integer,5,real,-1500.0,text,7,x y,,f=g")
        out = self.tpq("sql", "-m", "csv", "--param", "1=8", "--param", "2=9", "SELECT ?1, ?2").out
        self.assertEqual(out.splitlines()[1], "8,9")

    def test_what_looks_like_a_number_to_c_alone_is_a_text(self):
        for value in ("inf", "nan", "0x10 ", "99999999999999999999999", "1 2", "+"):
            out = self.tpq("sql", "-m", "csv", "--param", f"a={value}", "SELECT typeof(:a)").out
            expected = "real" if value.isdigit() else "text"
            self.assertEqual(out.splitlines()[1], expected, value)

    def test_a_name_of_digits_that_begins_with_zero_is_a_text(self):
        for value, expected in (("007", "text,007"), ("-00.5", "text,-00.5"), ("0", "integer,0"), ("0.5", "real,0.5")):
            out = self.tpq("sql", "-m", "csv", "--param", f"a={value}", "SELECT typeof(:a), :a").out
            self.assertEqual(out.splitlines()[1], expected)

    def test_a_script_sets_them(self):
        out = self.tpq("sql", "-m", "csv", stdin=".param x=1\n.param $y=two\n.param\n.param x=3\n"
                       "SELECT :x AS x, :y AS y;\n.param clear\n.param\n").out
        self.assertEqual(out, "x=1\ny=two\nx,y\n3,two\n")

    def test_what_is_missing_or_wrong(self):
        self.one_line(self.tpq("sql", "SELECT :x", status=2), "there is no value for :x; --param x=")
        self.one_line(self.tpq("sql", "SELECT ?", status=2), "write :NAME")
        for wrong in ("x", "=5", "a b=1", ""):
            self.one_line(self.tpq("sql", "--param", wrong, "SELECT 1", status=2), "is NAME=VALUE")
        self.one_line(self.tpq("sql", ".param x", status=2), "is NAME=VALUE")


class Selection(Sql):
    def prepare(self):
        super().prepare()
        self.make_trace("b.json", "--rank", 1)
        self.tpq("ingest", "-q", "--label", "pr=8", "b.json")

    def value_of(self, sql, *options):
        return int(self.tpq("sql", "-m", "csv", *options, sql).out.splitlines()[1])

    def test_views_see_what_is_selected(self):
        count = "SELECT count(*) AS c FROM gpu_slice"
        every = self.value_of(count)
        for options in (("--run", "b"), ("--label", "pr=8"), ("--trace", 2), ("--rank", 1),
                        ("--where", "trace_id = 2"), ("--run", "[b-z]*")):
            self.assertEqual(self.value_of(count, *options), every // 2, options)
            self.assertEqual(self.value_of("SELECT count(DISTINCT trace_id) FROM scope", *options), 1)
        one = self.value_of(count, "--run", "b", "--step", 1)
        self.assertTrue(0 < one < every // 2)
        self.assertEqual(self.value_of("SELECT count(*) FROM event", "--run", "b"),
                         self.value("SELECT count(*) FROM event"))

    def test_words_for_runs(self):
        """As tpq compare takes them: the newest, one that is kept, a trace."""
        self.tpq("gate", "--pin", "green", "@last~1")
        for words, runs in ((("@last",), "b"), (("@last~1",), "a"), (("@pin:green",), "a"),
                            (("trace:2",), "b"), (("@pin:green", "@last"), "ab")):
            options = [part for word in words for part in ("--run", word)]
            rows = self.tpq("sql", "-m", "csv", *options, "SELECT DISTINCT run FROM scope ORDER BY 1").out.split()
            self.assertEqual(rows[1:], list(runs))
        for word, said in (("@last~7", "not so many runs"), ("@lats", "neither @last nor @pin:NAME"),
                           ("@pin:x", "no run is kept as 'x'"), ("trace:99", "there is no trace 99"),
                           ("trace:x", "needs the number of a trace")):
            self.one_line(self.tpq("sql", "--run", word, "SELECT 1", status=2), said)

    def test_what_is_not_there(self):
        self.one_line(self.tpq("sql", "--run", "c", "SELECT 1", status=2), "there is no run 'c'")
        self.one_line(self.tpq("sql", "--step", 77, "SELECT 1", status=2), "there is no step 77")
        result = self.tpq("sql", "--id-range", "999999-", "SELECT count(*) AS n FROM scope")
        self.one_line(result, "^tpq: no event has an id in 999999-$")
        self.assertEqual(result.out.split()[-1], "0")


class Views(Sql):
    """A warehouse that is only read has views when they are asked for; that changes no answer."""

    def setUp(self):
        super().setUp()
        with contextlib.closing(sqlite3.connect(self.db)) as db:
            db.execute("CREATE VIEW mine AS SELECT name, dur_ns FROM slice")
            db.execute("CREATE VIEW deeper (name, n) AS SELECT name, count(*) FROM MINE GROUP BY 1")
            db.execute("CREATE VIEW strict AS SELECT name FROM main.kernel")
            db.execute("CREATE VIEW apart AS SELECT text FROM string")
            self.events = str(db.execute("SELECT count(*) FROM event").fetchone()[0])
            self.names = sorted(row[0] for row in db.execute("SELECT name FROM sqlite_schema"))

    def ask(self, sql, status=0):
        return self.tpq("sql", "-m", "csv", sql, status=status)

    def test_views_of_users_stand_on_ours(self):
        self.assertEqual(self.ask("SELECT count(*) AS n FROM mine").out.split()[1:],
                         [self.events])
        self.assertEqual(self.ask("SELECT sum(n) AS n FROM deeper").out.split()[1:],
                         [self.events])
        self.assertEqual(self.ask("SELECT count(*) FROM strict").out,
                         self.ask("SELECT count(*) FROM kernel").out)
        self.assertIn("\n", self.ask("SELECT text FROM apart").out)

    def test_the_schema_is_as_it_is(self):
        asked = self.ask("SELECT name FROM sqlite_schema ORDER BY name").out.split()[1:]
        self.assertEqual(sorted(asked), self.names)
        behind = self.ask("SELECT count(*) AS n FROM gpu_slice; SELECT name FROM SQLITE_MASTER")
        self.assertEqual(sorted(behind.out.split()[3:]), self.names)
        listed = self.tpq("sql", ".tables *").out
        for name in ("gpu_slice", "kernel", "mine", "event"):
            self.assertRegex(listed, rf"(?m)^{name} ")
        self.assertIn("CREATE VIEW gpu_slice AS", self.tpq("sql", ".schema gpu_slice").out)

    def test_nothing_of_it_is_written(self):
        self.assertIn("open for reading only", self.ask("DROP VIEW mine", status=2).err)
        self.ask("SELECT count(*) FROM gpu_slice; DROP VIEW gpu_slice; SELECT count(*) FROM gpu_slice")
        self.ask("CREATE TEMP VIEW gpu_slice AS SELECT 1 AS one; SELECT one FROM gpu_slice")

    def test_slips_are_said_with_all_names(self):
        self.assertIn("did you mean gpu_slice?", self.ask("SELECT 1 FROM gpu_slise", 2).err)
        self.assertIn("dur_ns", self.ask("SELECT dur_n FROM gpu_slice", 2).err)

    def test_a_table_that_asks_views_itself(self):
        self.ask("SELECT category FROM launcher_work; SELECT * FROM collective; "
                 "SELECT * FROM advice_question; SELECT * FROM advice_measure")

    def test_a_plan_is_that_of_the_view(self):
        self.assertIn("SCAN", self.ask("EXPLAIN QUERY PLAN SELECT * FROM deeper").out)

    def test_the_category_of_a_name_is_looked_up(self):
        plan = self.ask("EXPLAIN QUERY PLAN SELECT (SELECT category FROM category_of_model "
                        "WHERE op = string.text ORDER BY place LIMIT 1) FROM string").out
        self.assertIn("SEARCH perf_model USING INDEX perf_model_by_op (op=?)", plan)

    def test_marks_of_a_trace_are_found_by_their_place(self):
        texts = [path.read_text(encoding="utf-8") for folder in ("reports", "views") for path in sorted((SQL / folder).glob("*.sql"))]
        views = [view for text in texts for view in re.findall(r"^CREATE VIEW (\w+) AS$(.*?);$", text, re.S | re.M)]
        names = [name for name, body in views if re.search(r"(FROM|JOIN) signpost\b", body)]
        self.assertGreater(len(names), 4)
        plans = self.ask("; ".join(f"EXPLAIN QUERY PLAN SELECT * FROM {name}" for name in names)).out
        self.assertIn("SEARCH signpost USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)", plans)
        self.assertNotIn("SCAN signpost", plans)

    def test_a_log_beside_the_file(self):
        with contextlib.closing(sqlite3.connect(self.db)) as db:
            db.execute("PRAGMA journal_mode = wal")
            db.execute("CREATE TABLE other (x)")
            db.commit()
            self.test_views_of_users_stand_on_ours()

    def test_what_another_process_has_not_finished(self):
        for mode in ("delete", "wal"):
            with contextlib.closing(sqlite3.connect(self.db, isolation_level=None)) as db:
                db.execute(f"PRAGMA journal_mode = {mode}")
                db.execute("BEGIN IMMEDIATE")
                db.execute("UPDATE event SET dur_ns = dur_ns + 1")
                db.execute("DROP VIEW mine")
                self.test_views_of_users_stand_on_ours()
                db.execute("ROLLBACK")
        with contextlib.closing(sqlite3.connect(self.db)) as db:
            db.execute("PRAGMA journal_mode = delete")
        self.test_views_of_users_stand_on_ours()

    def test_while_another_process_ingests(self):
        kept = self.write("more.json", trace_of(*[slice_event("op", i * 10, 5)
                                                  for i in range(2000)]))
        allowed = {self.events, str(int(self.events) + 2000)}
        writer = subprocess.Popen([TPQ, "ingest", "-q", "--db", self.db, "--run", "more", kept],
                                  env=self.environment())
        seen = []
        while writer.poll() is None or not seen:
            seen.append(self.ask("SELECT count(*) AS n FROM slice").out.split()[1])
        self.assertEqual(writer.returncode, 0)
        seen.append(self.ask("SELECT sum(n) AS n FROM deeper").out.split()[1])
        self.assertLessEqual(set(seen), allowed)
        self.assertEqual(seen, sorted(seen, key=int))
        self.assertEqual(int(seen[-1]), max(map(int, allowed)))

    def test_many_of_the_user_s_own(self):
        with contextlib.closing(sqlite3.connect(self.db)) as db:
            for i in range(500):
                db.execute(f"CREATE VIEW own_{i} AS SELECT {i} AS i, name FROM slice -- {'.' * 900}")
            db.commit()
        self.assertEqual(self.ask("SELECT max(i) AS i FROM own_499").out.split(), ["i", "499"])


class OneRun(Case):
    """A view's rows of one run do not depend on other runs."""

    def prepare(self):
        fixtures = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fixtures")
        self.make_trace("a.json", "--steps", 1, "--layers", 1)
        for run, path in (("made", "a.json"), ("train", os.path.join(fixtures, "train")),
                          ("nsys", os.path.join(fixtures, "nsys/small.sqlite")),
                          ("again", "a.json")):
            self.tpq("ingest", "-q", "--run", run, path)

    def views(self):
        names = "SELECT name FROM sqlite_temp_schema WHERE type = 'view' ORDER BY name"
        with_run = ("SELECT v.name FROM sqlite_temp_schema AS v, pragma_table_info(v.name) AS c WHERE "
                    "v.type = 'view' AND c.name = 'run' ORDER BY v.name")
        self.assertGreater(len(self.tpq("sql", "-m", "tsv", names).out.split()), 200)
        return self.tpq("sql", "-m", "tsv", with_run).out.split()[1:]

    @plain("what each view says is SQL, in which sanitizers do not look")
    def test_every_view_says_the_same(self):
        across = {"fleet_history", "slower_than_best",  # each run against others
                  "modelled_call", "nsys_range_summary", "step_cut",  # numbered over all runs
                  "busy_curve", "findings", "headline", "overview"}  # with several runs, they name each
        self.assertLessEqual(across, set(self.views()))
        views = [view for view in self.views() if not view.startswith("diff_") and view not in across]
        for run in ("train", "nsys"):
            where = "".join(f"SELECT '{view}' AS v; SELECT * FROM {view} WHERE run = :run;\n"
                            for view in views)
            call = ("sql", "-m", "jsonl", "--param", f"run={run}", "-")
            found = self.tpq(*call, stdin=where).out
            alone = self.tpq(*call, "--run", run, stdin=where).out
            for view, ours, theirs in zip(views, found.split('{"v":')[1:], alone.split('{"v":')[1:]):
                self.assertEqual(ours, theirs, view)
            self.assertEqual(len(found), len(alone))
            self.assertGreater(found.count("\n"), 2 * len(views))


class ByStep(Case):
    def prepare(self):
        self.tpq("ingest", "-q", "--run", "train", os.path.join(
            os.path.dirname(os.path.abspath(__file__)), "..", "fixtures", "train"))

    def csv(self, *call):
        return list(csv.DictReader(io.StringIO(self.tpq("sql", "-m", "csv", *call).out)))

    def test_a_timeline_by_step_and_rank_is_that_of_the_report(self):
        for by in ("step", "rank", "step,rank"):
            rows = self.csv("--by", by, "SELECT * FROM gpu_timeline")
            self.tpq("report", "--by", by, "gpu_timeline", "--jsonl=t.jsonl", "-q")
            with open(self.path("t.jsonl"), encoding="utf-8") as file:
                told = [json.loads(line) for line in file][:-1]
            self.assertEqual([(row.get("step"), row.get("rank"), row["type"], float(row["time_ms"]))
                              for row in rows],
                             [tuple(None if name not in row else "" if row[name] is None
                                    else str(row[name]) for name in ("step", "rank"))
                              + (row["type"], row["time_ms"]) for row in told], by)
            self.assertGreater(len(rows), 15)

    def test_steps_are_grouped_and_joined_like_any_column(self):
        steps = self.csv("--by", "step", "--rank", "0", """
            SELECT t.step AS step, t.time_ms AS busy, sum(k.total_direct_kernel_time_ms) AS ops
            FROM gpu_timeline AS t JOIN ops_summary AS k ON k.step = t.step
            WHERE t.type = 'busy_time' GROUP BY t.step ORDER BY t.step""")
        self.assertGreater(len(steps), 1)
        for row in steps:
            alone = self.csv("--rank", "0", "--step", row["step"],
                             "SELECT time_ms FROM gpu_timeline WHERE type = 'busy_time'")
            self.assertEqual(row["busy"], alone[0]["time_ms"])

    def test_views_that_have_the_columns_or_cannot(self):
        self.csv("--by", "step,rank", "SELECT step, rank, run FROM slice LIMIT 1")
        self.csv("--by", "step", "SELECT step FROM step_mfu")
        self.assertIn("no such column: rank",
                      self.tpq("sql", "--by", "rank", "SELECT rank FROM nvtx_sum", status=2).err)
        self.assertIn("--by takes", self.tpq("sql", "--by", "run", "SELECT 1", status=2).err)

    def test_without_steps(self):
        self.write("plain.json", trace_of(slice_event("a", 0, 1)))
        self.tpq("ingest", "-q", "--run", "plain", "plain.json")
        self.assertIn("nothing that is selected is in a profiler step", self.tpq(
            "sql", "--run", "plain", "--by", "step", "SELECT * FROM gpu_timeline", status=2).err)


class Workbook(Sql):
    def sheets(self, path):
        with zipfile.ZipFile(path) as book:
            names = re.findall(r'<sheet name="([^"]*)"', book.read("xl/workbook.xml").decode())
            text = "".join(book.read(name).decode() for name in book.namelist()
                           if name.startswith("xl/worksheets/") or "sharedStrings" in name)
        return names, text

    def test_a_worksheet_for_each_statement(self):
        call = ("SELECT 42 AS answer, 'words' AS words; SELECT name FROM run; "
                "SELECT 1 AS x WHERE 0; CREATE TEMP TABLE t (a)")
        result = self.tpq("sql", "--xlsx=out.xlsx", call)
        self.assertEqual((result.out, result.err), ("", "tpq: wrote out.xlsx: 3 sheets, 2 rows\n"))
        names, text = self.sheets(self.path("out.xlsx"))
        self.assertEqual(names[-3:], ["sql", "sql (2)", "sql (3)"])
        for part in ("answer", "42", "words", "SELECT name FROM run"):
            self.assertIn(part, text)

    def test_a_name_of_its_own_and_one_that_is_there(self):
        self.assertEqual(self.tpq("sql", "-q", "--xlsx", "SELECT 1").err, "")
        before = self.snapshot()
        self.one_line(self.tpq("sql", "--xlsx", "SELECT 2", status=4), "tpq.xlsx: exists already")
        self.one_line(self.tpq("sql", "--xlsx=no.xlsx", "SELECT 1; SELEC", status=2), "SELEC")
        self.one_line(self.tpq("sql", "--xlsx=no.xlsx", ";", status=2), "no statement gave rows")
        self.one_line(self.tpq("sql", "--xlsx=no.xlsx", "-m", "csv", "SELECT 1", status=2), "either")
        self.one_line(self.tpq("sql", f"--xlsx={self.db}", "--force", "SELECT 1", status=2), "w.db")
        self.assertEqual(self.snapshot(), before)
        self.tpq("sql", "--xlsx", "--force", "SELECT 2")
        self.assertNotEqual(self.snapshot(), before)


class Failures(Sql):
    def test_errors_in_sql(self):
        for sql, why in (("SELEC 1", 'near "SELEC": syntax error'), ("SELECT 1 FROM", "incomplete"),
                         ("SELECT nosuch", "no such column: nosuch"),
                         ("SELECT * FROM nosuch", "no such table: nosuch"),
                         ("SELECT nosuch(1)", "no such function: nosuch"),
                         ("SELECT 'open", 'unrecognized token: "\'open"'),
                         ("SELECT 'a' REGEXP '('", "regular expression: missing closing"),
                         ("SELECT load_extension('x')", "not authorized")):
            for way in ([sql], ["-"]):
                self.one_line(self.tpq("sql", *way, stdin=sql, status=2), rf"^tpq: .*{why}")

    def test_names_that_were_perhaps_meant(self):
        for sql, why in (("SELECT * FROM kernel_sumary", "kernel_sumary; did you mean kernel_summary"),
                         ("SELECT nam FROM gpu_slice", "column: nam; did you mean name"),
                         ("SELECT s.nmae FROM slice AS s", "column: s.nmae; did you mean name"),
                         ("SELECT nam FROM string", "column: nam; there are id, text$"),
                         ("SELECT zzz FROM event", "zzz; there are id, trace_id, .* and \\d+ more$"),
                         ("SELECT strin.text FROM string", "strin.text; did you mean string"),
                         ("SELECT dur FROM (SELECT dur_ns FROM gpu_event)", "dur; did you mean dur_ns"),
                         ("SELECT medain(1)", "function: medain; did you mean median"),
                         ("SELECT * FROM launcher_wrk", "launcher_wrk; did you mean launcher_work"),
                         ("SELECT * FROM launcher_", "launcher_; it may mean launcher_phase, "),
                         ("SELECT * FROM kernel_", "kernel_; it may mean kernel_.*, kernel_"),
                         ("SELECT * FROM zzzzzz", "no such table: zzzzzz$")):
            self.one_line(self.tpq("sql", sql, status=2), rf"^tpq: SQL: .*{why}")
        self.tpq("sql", "--db", self.db, "--write", "CREATE TABLE mine (colour)")
        self.one_line(self.tpq("sql", "SELECT color FROM mine", status=2), "did you mean colour\\?$")
        self.one_line(self.tpq("report", "--where", "nmae = 'x'", status=2),
                      "no such column: nmae; did you mean name\\?$")

    def test_a_failure_ends_it_behind_what_went_before(self):
        result = self.tpq("sql", "-m", "csv", "SELECT 1 AS x; SELEC 2; SELECT 3 AS z", status=2)
        self.assertEqual(result.out, "x\n1\n")

    def test_a_statement_that_takes_too_long_is_stopped(self):
        for way in ([ENDLESS], []):
            self.one_line(self.tpq("sql", "--timeout", 1, *way, stdin=ENDLESS, status=4),
                          r"^tpq: SQL: stopped after 1 s$")

    def test_one_that_is_quick_is_not(self):
        self.assertIn("5", self.tpq("sql", "--timeout", 86400, "SELECT 5").out)


class Writing(Sql):
    CHANGES = ["DELETE FROM event", "UPDATE run SET name = 'x'", "INSERT INTO run (name) VALUES ('x')",
               "CREATE TABLE mine (x)", "DROP TABLE event", "CREATE VIEW mine AS SELECT 1",
               "ALTER TABLE run ADD COLUMN x", "PRAGMA user_version = 5", "REINDEX", "VACUUM",
               "CREATE INDEX mine ON event (uid)", "PRAGMA journal_mode = wal",
               "PRAGMA application_id = 5", "REPLACE INTO setting VALUES ('a', 'b')",
               "VACUUM INTO 'copy.db'", "/**/ ; \ufeffVACUUM main INTO 'copy' || '.db'"]

    def refused(self, *call, stdin=b""):
        before = self.snapshot()
        result = self.tpq("sql", *call, stdin=stdin, status=2)
        self.one_line(result, "open for reading only; see --write$")
        self.assertEqual(self.snapshot(), before)

    def test_needs_to_be_allowed(self):
        for change in self.CHANGES:
            self.refused(change)
        self.refused(stdin="SELECT 1; DELETE FROM event;")
        self.write("q.sql", "DELETE FROM run;")
        self.refused("-f", "q.sql")
        self.refused(".read q.sql")

    def test_no_way_around(self):
        for way in ("PRAGMA query_only = off; DELETE FROM event",
                    "PRAGMA main.query_only = 0; DROP TABLE event",
                    f"ATTACH '{self.db}' AS other; DELETE FROM other.event",
                    "ATTACH 'w.db' AS other; DROP TABLE other.event",
                    "BEGIN; DELETE FROM event; COMMIT"):
            self.refused(way)
        for way in (f"ATTACH 'file:{self.db}?mode=rw' AS other; DELETE FROM other.event",
                    f"ATTACH 'file:{self.db}?mode=rwc' AS other; DELETE FROM other.event",
                    "ATTACH 'new.db' AS other; CREATE TABLE other.x (y)",
                    "PRAGMA writable_schema = on; DELETE FROM sqlite_schema",
                    "BEGIN EXCLUSIVE; DELETE FROM event", "SELECT writefile('x', 'y')",
                    "DETACH main; DELETE FROM event"):
            before = self.snapshot()
            self.one_line(self.tpq("sql", way, status=2), "^tpq: SQL: ")
            self.assertEqual(self.snapshot(), before)

    def test_allowed(self):
        self.tpq("sql", "--write", "UPDATE run SET note = 'mine'; CREATE TABLE mine (x)")
        self.assertEqual(self.value("SELECT note FROM run"), "mine")
        self.tpq("sql", "--write", "INSERT INTO mine SELECT count(*) FROM event")
        self.assertEqual(self.value("SELECT x FROM mine"), self.value("SELECT count(*) FROM event"))
        self.check()

    def test_a_copy_is_written_when_it_is_allowed(self):
        self.tpq("sql", "--write", "VACUUM INTO 'copy.db'")
        self.check(db=self.path("copy.db"))

    def test_even_then_the_schema_is_defended(self):
        self.one_line(self.tpq("sql", "--write", "PRAGMA writable_schema = on; "
                               "DELETE FROM sqlite_schema", status=2), "may not be modified")

    def test_tables_of_the_connection_need_no_leave(self):
        out = self.tpq("sql", "-m", "csv", "CREATE TEMP TABLE t (a); INSERT INTO t VALUES (3); "
                       "SELECT a FROM t").out
        self.assertEqual(out, "a\n3\n")

    def test_other_warehouses_can_be_read(self):
        self.tpq("ingest", "-q", "--db", "other.db", "--run", "b", "a.json")
        out = self.tpq("sql", "-m", "csv", "ATTACH 'other.db' AS o; SELECT a.name, b.name FROM run AS "
                       "a, o.run AS b").out
        self.assertEqual(out, "name,name\na,b\n")


class Modes(Sql):
    def test_no_mode_lets_a_text_drive_a_terminal(self):
        acting = [*range(1, 9), 11, 12, *range(14, 32), *range(127, 160)]
        text = "char(" + ", ".join(map(str, acting)) + ")"
        for mode in "table box csv tsv json jsonl line markdown html".split():
            shown = self.on_terminal(400, "sql", "-m", mode, f"SELECT 'a' || {text} || 'z' AS x, 2 AS y")
            self.assertRegex(shown, r"(?s)a.+z", mode)
            self.assertEqual([ord(letter) for letter in shown if ord(letter) in acting], [], mode)
        for mode in "csv", "tsv":  # a file holds what the rows hold
            self.assertIn("a\x1bz", self.tpq("sql", "-m", mode, "SELECT 'a' || char(27) || 'z'").out)

    QUERY = ("SELECT 1 AS id, 'a|b,\"<é' AS \"na,me\", NULL AS n, 1.5 AS x, x'00ff' AS b UNION ALL "
             "SELECT 22, '=1+1', 'tab' || char(9) || 'nl' || char(10), -1e300, 3")
    NASTY = ("SELECT 'a' || char(27) || '[31m' || char(7, 155, 8238, 0) || 'b' AS "
             '"x\x1b]0;y\x07"')

    def out(self, mode, query=QUERY):
        return self.tpq("sql", "--mode", mode, query).out

    def test_table(self):
        self.assertEqual(self.out("table"),
                         "id  na,me    n                x  b\n"
                         "--  -------  ---------  -------  ----\n"
                         " 1  a|b,\"<é                 1.5  00ff\n"
                         "22  =1+1     tab\\tnl\\n  -1e+300  3\n")

    def test_box(self):
        lines = self.out("box").splitlines()
        self.assertEqual({len(line) for line in lines}, {len(lines[0])})
        self.assertEqual(lines[3], "│  1 │ a|b,\"<é │           │     1.5 │ 00ff │")

    def test_csv(self):
        out = self.out("csv")
        self.assertEqual(list(csv.reader(io.StringIO(out))),
                         [["id", "na,me", "n", "x", "b"], ["1", 'a|b,"<é', "", "1.5", "00ff"],
                          ["22", "=1+1", "tab\tnl\n", "-1e+300", "3"]])

    def test_csv_leaves_what_looks_like_formulas(self):
        for text in ("=1", "+1", "-1", "-5", "@x", "\tx", "\rx"):
            out = self.tpq("sql", "-m", "csv", f"SELECT '{text}' AS x, -1 AS y").out
            self.assertEqual(list(csv.reader(io.StringIO(out, newline="")))[1], [text, "-1"])

    def test_tsv(self):
        self.assertEqual(self.out("tsv"), "id\tna,me\tn\tx\tb\n1\ta|b,\"<é\t\t1.5\t00ff\n"
                                          "22\t=1+1\ttab\\tnl\\n\t-1e+300\t3\n")

    def test_json(self):
        rows = [{"id": 1, "na,me": 'a|b,"<é', "n": None, "x": 1.5, "b": "00ff"},
                {"id": 22, "na,me": "=1+1", "n": "tab\tnl\n", "x": -1e300, "b": 3}]
        self.assertEqual(json.loads(self.out("json")), rows)
        self.assertEqual([json.loads(line) for line in self.out("jsonl").splitlines()], rows)
        odd = "SELECT 9e999 AS a, 9223372036854775807 AS b, char(0, 34, 92, 27) AS c, 0.1 AS d"
        self.assertEqual(json.loads(self.out("json", odd)),
                         [{"a": None, "b": 9223372036854775807, "c": '\0"\\\x1b', "d": 0.1}])

    def test_line(self):
        self.assertEqual(self.out("line"), "id    = 1\nna,me = a|b,\"<é\nn     = \nx     = 1.5\n"
                                           "b     = 00ff\n\nid    = 22\nna,me = =1+1\n"
                                           "n     = tab\\tnl\\n\nx     = -1e+300\nb     = 3\n")

    def test_markdown(self):
        self.assertEqual(self.out("markdown").splitlines()[2], '| 1 | a\\|b,"\\<é |  | 1.5 | 00ff |')

    def test_html(self):
        out = self.out("html")
        self.assertIn("<td>a|b,&quot;&lt;é</td>", out)
        self.assertIn('<td align="right">1.5</td>', out)
        self.assertEqual(out.count("<tr>"), 3)
        script = self.out("html", "SELECT '<script>' || char(27) AS [<b>]")
        self.assertNotIn("<script>", script)
        self.assertNotIn("<b>", script)
        self.assertNotIn("\x1b", script)

    def test_no_rows(self):
        for mode, out in (("table", "x\n-\n"), ("csv", "x\n"), ("json", "[]\n"), ("jsonl", ""),
                          ("line", ""), ("markdown", "| x |\n| --- |\n")):
            self.assertEqual(self.out(mode, "SELECT 1 AS x WHERE 0"), out)

    def test_many_rows(self):
        count = "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 2500) SELECT x"
        lines = self.out("table", f"{count}, 'wide' || x AS y FROM c").splitlines()
        self.assertEqual((len(lines), lines[2501].split()), (2502, ["2500", "wide2500"]))
        self.assertEqual(len(json.loads(self.out("json", f"{count} FROM c"))), 2500)

    def test_what_is_not_plain_cannot_reach_the_terminal(self):
        for mode in ("table", "box", "line", "markdown"):
            out = self.out(mode, self.NASTY)
            for character in "\x1b\x07\x9b\u202e\0":
                self.assertNotIn(character, out, mode)
            for shown in ("x1b", "x9b", "u202e", "x00"):
                self.assertIn("\\" + shown, out, mode)

    def test_names_in_traces_neither(self):
        self.write("b.json", trace_of(slice_event("evil\x1b[2J\x9b31m\n", 0, 1)))
        self.tpq("ingest", "-q", "b.json")
        out = self.tpq("sql", "SELECT name FROM slice WHERE run = 'b'").out
        self.assertEqual(out.splitlines()[2], "evil\\x1b[2J\\x9b31m\\n")
        self.assertIn("evil\\x1b[2J", self.tpq("sql", 'SELECT 1 AS "evil\x1b[2J"').out)

    def test_errors_neither(self):
        result = self.tpq("sql", 'SELECT * FROM "evil\x1b[2J\n"', status=2)
        self.assertNotIn("\x1b", result.err)
        self.one_line(result, r"no such table: evil\\x1b\[2J\\n")


class Reach(Sql):
    def test_scope_and_functions_are_there(self):
        out = self.tpq("sql", "-m", "csv", "SELECT run, count(*) FROM slice WHERE run = 'a'").out
        self.assertEqual(out, f"run,count(*)\na,{self.value('SELECT count(*) FROM event')}\n")
        out = self.tpq("sql", "-m", "csv", "SELECT median(dur_ns) > 0 AS m, 'ab' REGEXP '^a' AS r, "
                       "interval_union_ns(ts_ns, dur_ns) > 0 AS u FROM gpu_event").out
        self.assertEqual(out, "m,r,u\n1,1,1\n")

    def test_a_warehouse_that_may_not_be_written_can_be_read(self):
        os.chmod(self.db, 0o444)
        self.assertIn("1", self.tpq("sql", "SELECT count(*) FROM run").out)


if __name__ == "__main__":
    main()
