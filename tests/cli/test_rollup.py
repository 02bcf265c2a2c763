"""Figures of runs that are kept: answers are the same with them, and never stale."""

import json
import os
import sqlite3

from support import Case, main, plain
from test_compare import changed, trace

OVERVIEW = "ranks, steps, time_ms, step_time_ms, busy_pct, idle_pct, exposed_comm_pct, bottleneck, finding, saves_ms, headline".split(", ")


class Kept(Case):
    RUNS = 5

    def prepare(self):
        for i in range(self.RUNS):
            self.write(f"r{i}.json", trace(i, steps=3, ops=changed("aten::bmm", times=1 + i / 4)))
            self.tpq("ingest", "-q", "--run", f"r{i}", f"r{i}.json")

    def overview(self, db="w.db", *more):
        rows = json.loads(self.tpq("report", "--db", db, "run_overview", "--json", *more).out)["run_overview"]
        return {row["run"]: [row[name] for name in OVERVIEW] for row in rows}

    def sql(self, text, db="w.db"):
        connection = sqlite3.connect(self.path(db))
        try:
            rows = connection.execute(text).fetchall()
            connection.commit()
            return rows
        finally:
            connection.close()

    def kept(self, db="w.db"):
        return self.sql("SELECT count(DISTINCT run_id) FROM rollup", db)[0][0]

    def fresh(self, *files):
        """The figures of a run without a warehouse."""
        return self.rows("report", *files, "run_overview")[0]

    def rows(self, *words):
        found = json.loads(self.tpq(*words, "--json").out)["run_overview"]
        return [[row[name] for name in OVERVIEW] for row in found]


class Answers(Kept):
    def test_the_second_answer_is_the_first_and_that_of_files(self):
        self.assertEqual(self.kept(), 0)
        first = self.overview()
        self.assertEqual(self.kept(), self.RUNS)
        self.assertEqual(self.overview(), first)
        self.assertEqual(first, {f"r{i}": self.fresh(f"r{i}.json") for i in range(self.RUNS)})
        self.assertEqual({row[0]: list(row[1:]) for row in self.sql(f"SELECT run, {', '.join(OVERVIEW)} FROM run_figure")}, first)
        lines = self.tpq("report", "--db", "w.db").out
        self.assertEqual(lines, self.tpq("report", "--db", "w.db").out)

    def test_kept_figures_are_what_is_told(self):
        self.overview()
        self.sql("UPDATE rollup SET rows = replace(rows, '[[1,', '[[7,') WHERE question = 'run_overview'")
        self.assertEqual({row[0] for row in self.overview().values()}, {7})
        self.assertNotIn(7, {row[0] for row in self.overview("w.db", "--step", "1").values()})
        self.assertNotIn(7, {row[0] for row in self.overview("w.db", "--compat").values()})

    def test_damaged_rows_are_computed_again(self):
        first = self.overview()
        for rows in ("[", "[[1]]", "x'00'", "x'ffffffff00'", "'[[\"\\x\"]]'", "1", "'[[1,2,3,4,5,6,7,8,9,10,11]'"):
            rows = rows if rows[0] in "x1'" else f"'{rows}'"
            self.sql(f"UPDATE rollup SET rows = {rows}")
            self.assertEqual(self.overview(), first, rows)

    def test_another_program_does_not_use_them(self):
        first = self.overview()
        self.sql("UPDATE rollup SET made_by = 'another', rows = '[]'")
        self.assertEqual(self.overview(), first)
        self.assertEqual(self.sql("SELECT count(*) FROM rollup WHERE made_by = 'another'"), [(0,)])

    def test_a_file_that_somebody_writes_stays_as_it_is(self):
        connection = sqlite3.connect(self.path("w.db"))
        connection.execute("BEGIN IMMEDIATE")
        first = self.overview()
        connection.close()
        self.assertEqual(self.kept(), 0)
        self.assertEqual(self.overview(), first)
        self.assertEqual(self.kept(), self.RUNS)

    def test_a_file_without_a_trigger_keeps_nothing(self):
        first = self.overview()
        self.sql("UPDATE rollup SET rows = '[]'")
        self.sql("DROP TRIGGER rollup_insert_op_category")
        self.assertEqual(self.overview(), first)


class Comparisons(Kept):
    CALLS = (("compare", "r0", "r4"), ("compare", "r0", "r4", "--json"), ("compare", "r*", "r4", "--by", "kernel", "--json"), ("history", "busy_ms", "--json"),
             ("history", "op_shape", "--key", "aten::bmm"), ("compare", "r1", "r2", "--by", "step_bounds", "--json"), ("gate", "--baseline", "r0", "--candidate", "r4", "--json"))

    def answers(self, *more):
        return [self.tpq(*call, *more, status=None).out for call in self.CALLS]

    def test_the_second_answer_is_the_first(self):
        first = self.answers()
        self.assertGreater(self.sql("SELECT count(DISTINCT question) FROM rollup")[0][0], 10)
        self.assertEqual(self.answers(), first)
        self.sql("DELETE FROM rollup")
        self.assertEqual(self.answers(), first)

    def test_rows_of_the_user_make_new_ones(self):
        self.answers()
        change = "INSERT OR REPLACE INTO op_category (op, category) VALUES ('aten::bmm', 'mine')"
        self.write("rule.sql", change + ";")
        first = self.tpq("compare", "r0", "r4", "--by", "category", "--json").out
        with_rule = self.tpq("compare", "r0", "r4", "--by", "category", "--json", "--extension-file", "rule.sql").out
        self.assertNotEqual(with_rule, first)
        self.assertEqual(self.tpq("compare", "r0", "r4", "--by", "category", "--json").out, first)
        self.sql(change)
        self.assertIn('"mine"', self.tpq("compare", "r0", "r4", "--by", "category", "--json").out)


class Drops(Kept):
    def setUp(self):
        super().setUp()
        self.first = self.overview()

    def test_other_clients_drop_what_a_change_touches(self):
        self.sql("UPDATE run SET name = 'r0' WHERE name = 'r0'")
        self.assertEqual(self.kept(), self.RUNS - 1)
        self.sql("DELETE FROM health_fact WHERE trace_id = 2")
        self.assertEqual(self.kept(), self.RUNS - 2)
        self.sql("UPDATE run SET labels = '{}', note = 'seen'")  # no part of answers
        self.assertEqual(self.kept(), self.RUNS - 2)
        self.sql("UPDATE device SET name = 'other' WHERE trace_id = 3")
        self.assertEqual(self.kept(), self.RUNS - 3)
        self.overview()
        self.sql("UPDATE trace SET run_id = 4 WHERE id = 5")  # of two runs
        self.assertEqual(self.kept(), self.RUNS - 2)
        self.sql("INSERT OR REPLACE INTO op_category (op, category) VALUES ('aten::bmm', 'mine')")
        self.assertEqual(self.kept(), 0)

    def test_the_program_drops_the_same(self):
        self.tpq("sql", "--db", "w.db", "--write", "UPDATE run SET name = 'r0' WHERE name = 'r0'")
        self.assertEqual(self.kept(), self.RUNS - 1)
        self.tpq("sql", "--db", "w.db", "--write", "INSERT OR REPLACE INTO op_category (op, category) VALUES ('aten::bmm', 'mine')")
        self.assertEqual(self.kept(), 0)

    def test_a_trace_more_a_trace_less_another_one(self):
        self.tpq("ingest", "-q", "--db", "w.db", "--run", "r0", "r1.json")
        self.assertEqual(self.kept(), self.RUNS - 1)
        self.assertEqual(self.overview()["r0"][0], 2)
        self.tpq("rm", "--db", "w.db", "--trace", str(self.RUNS + 1))
        self.assertEqual(self.overview(), self.first)
        self.write("r0.json", trace(9, steps=3, ops=changed("aten::bmm", times=4)))
        self.tpq("ingest", "-q", "--db", "w.db", "--run", "r0", "--replace", "r0.json")
        self.assertEqual(self.overview(), dict(self.first, r0=self.fresh("r0.json")))

    def test_check_computes_them_again(self):
        self.assertIn("kept figures              ok", self.tpq("check", "--db", "w.db").out)
        self.sql("UPDATE rollup SET rows = replace(rows, '[[1,', '[[7,') WHERE question = 'run_overview' AND run_id = 3")
        self.assertIn("run r2: run_overview is not what is kept", self.tpq("check", "--db", "w.db", status=1).out)

    def test_merge_takes_them_with_new_runs_of_an_equal_catalog(self):
        self.tpq("merge", "--db", "m.db", "w.db")
        self.assertEqual(self.kept("m.db"), self.RUNS)
        self.assertEqual(self.overview("m.db"), self.first)
        self.tpq("merge", "--db", "p.db", "--prefix", "x-", "w.db")  # another name
        self.assertEqual(self.kept("p.db"), 0)
        self.tpq("ingest", "-q", "--db", "n.db", "--run", "r0", "r1.json")
        self.overview("n.db")
        self.tpq("merge", "--db", "n.db", "w.db")  # r0 has a trace more
        self.assertEqual(self.kept("n.db"), self.RUNS - 1)
        self.assertEqual(self.overview("n.db")["r0"][0], 2)
        self.sql("INSERT OR REPLACE INTO op_category (op, category) VALUES ('aten::bmm', 'mine')")
        self.overview()
        self.tpq("merge", "--db", "c.db", "w.db")
        self.assertEqual(self.kept("c.db"), 0)

    def test_a_trace_in_the_place_of_another(self):
        columns = ", ".join(name for name, in self.sql("SELECT name FROM pragma_table_info('trace')"))
        moved = columns.replace("run_id", "1", 1)
        self.sql(f"INSERT OR REPLACE INTO trace ({columns}) SELECT {moved} FROM trace WHERE id = 3")
        self.assertEqual(self.kept(), self.RUNS - 2)

    def test_order_does_not_tell_what_is_kept(self):
        out = self.tpq("report", "--db", "w.db").out
        self.sql("DELETE FROM rollup WHERE run_id = 1")
        self.assertEqual(self.tpq("report", "--db", "w.db").out, out)

    def test_kept_answers_name_no_id_of_this_file(self):
        call = ("compare", "--db", "m.db", "r1", "r3", "--json")
        self.tpq("compare", "r1", "r3", "--json")
        self.tpq("ingest", "-q", "--db", "m.db", "--run", "a", "r0.json")
        self.tpq("merge", "--db", "m.db", "w.db")
        first = self.tpq(*call).out
        self.sql("DELETE FROM rollup", "m.db")
        self.assertEqual(self.tpq(*call).out, first)

    def test_what_is_known_drops_nothing(self):
        self.tpq("ingest", "-q", "--db", "w.db", "--run", "r0", "--label", "a=b", "r0.json")
        self.tpq("ingest", "-q", "--db", "o.db", "--run", "r0", "r0.json")
        self.tpq("merge", "--db", "w.db", "o.db")
        self.assertEqual(self.kept(), self.RUNS)

    @plain("the extension is loaded into another program")
    def test_every_table_that_kept_answers_read_has_triggers(self):
        for call in Comparisons.CALLS:
            self.tpq(*call, status=None)
        asked = {question.split()[0] for question, in self.sql("SELECT DISTINCT question FROM rollup")}
        watched = {row[0] for row in self.sql("SELECT tbl_name FROM sqlite_schema WHERE type = 'trigger'")}
        tables = {name for name, in self.sql("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        # Rows of a trace come and go with it; texts are shared.
        of_trace = {name for name in tables if self.sql(f"SELECT 1 FROM pragma_foreign_key_list('{name}') WHERE \"table\" IN ('trace', 'event', 'gpu_event')")}
        read = set()

        def note(action, table, column, database, view):
            if action == sqlite3.SQLITE_READ and database == "main" and column:
                read.add(table)
            return sqlite3.SQLITE_OK

        connection = sqlite3.connect(self.path("w.db"))
        connection.enable_load_extension(True)
        connection.load_extension(os.environ["TPQ_EXTENSION"])
        views = {name for name, in connection.execute("SELECT name FROM temp.sqlite_schema WHERE type = 'view'")}
        connection.set_authorizer(note)
        asked |= {"shape_time", "step_mark", "window_ledger", "run_finding", "health_touched", "trace_verdict"}
        self.assertGreater(len(asked & views), 8)
        for view in sorted(asked & views):
            connection.execute(f"SELECT * FROM {view}").fetchall()
        connection.close()
        self.assertTrue({"trace", "device", "health_check", "op_category"} <= read, read)
        self.assertEqual((read & tables) - watched - of_trace, {"args", "category", "op", "string"})

    def test_all_tables_of_the_catalog_have_triggers(self):
        tables = {row[0] for row in self.sql("SELECT name FROM pragma_table_list WHERE type = 'table' AND schema = 'main'") if self.sql(f"SELECT 1 FROM pragma_table_info('{row[0]}') WHERE name = 'source'")}
        for change in ("insert", "update", "delete"):
            have = {row[0] for row in self.sql(f"SELECT tbl_name FROM sqlite_schema WHERE type = 'trigger' AND name GLOB 'rollup_{change}_*'")}
            self.assertEqual(tables - have, {"counter_track"})  # comes and goes with its trace
            self.assertEqual(have - tables, {"run", "trace", "device", "ingest_note", "replay_result", "health_fact", "graph_annotation", "served_request"} - tables)


if __name__ == "__main__":
    main()
