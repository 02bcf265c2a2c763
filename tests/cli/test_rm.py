"""tpq rm: runs and traces that go, and all that stays as it is."""

import contextlib
import os
import sqlite3

from support import Case, main, slice_event, trace_of


class Remove(Case):
    def prepare(self):
        for number, run in enumerate(("one", "two", "two", "three")):
            self.make_trace(f"{number}.json", "--seed", number, "--layers", 1 + number)
            self.tpq("ingest", "-q", "--run", run, f"{number}.json")

    def removed(self, *call):
        """Calls rm and gives what it says was removed: traces, events."""
        words = self.tpq("rm", *call).out.splitlines()[-1].replace(",", "").split()
        self.assertEqual(words[0], "removed")
        self.check()
        return int(words[1]), int(words[3])

    def trace_rows(self, trace):
        """All that hangs on a trace, in the tables that know their trace."""
        tables = [name for (name,) in self.rows(
            "SELECT s.name FROM sqlite_schema AS s JOIN pragma_table_info(s.name) AS c "
            "WHERE s.type = 'table' AND c.name = 'trace_id'")]
        self.assertGreater(len(tables), 7)
        return {table: self.rows(f"SELECT * FROM {table} WHERE trace_id = ?", trace)
                for table in tables}

    def test_a_run_with_all_its_traces(self):
        events = self.value("SELECT sum(last_event - first_event + 1) FROM trace WHERE run_id = 2")
        self.assertEqual(self.removed("two"), (2, events))
        self.assertEqual(self.rows("SELECT name FROM run ORDER BY id"), [("one",), ("three",)])
        self.assertEqual(self.rows("SELECT id FROM trace ORDER BY id"), [(1,), (4,)])

    def test_what_belongs_to_others_is_left_alone(self):
        before = [self.trace_rows(trace) for trace in (1, 4)]
        self.removed("two")
        self.assertEqual([self.trace_rows(trace) for trace in (1, 4)], before)
        self.assertFalse(any(self.trace_rows(2).values()))

    def test_several_runs(self):
        self.assertEqual(self.removed("one", "three")[0], 2)
        self.assertEqual(self.rows("SELECT name FROM run"), [("two",)])

    def test_a_trace_of_a_run(self):
        self.assertEqual(self.removed("--trace", 3)[0], 1)
        self.assertEqual(self.rows("SELECT id FROM trace ORDER BY id"), [(1,), (2,), (4,)])
        self.assertEqual(self.removed("--trace=1", "--trace", 2)[0], 2)
        self.assertEqual(self.rows("SELECT run.name, count(trace.id) FROM run LEFT JOIN trace "
                                   "ON run_id = run.id GROUP BY run.id"),
                         [("one", 0), ("two", 0), ("three", 1)])

    def test_a_run_without_traces(self):
        self.removed("--trace", 1)
        self.assertEqual(self.removed("one"), (0, 0))
        self.assertEqual(self.value("SELECT count(*) FROM run"), 2)

    def test_runs_and_traces_together(self):
        self.assertEqual(self.removed("one", "--trace", 3)[0], 2)
        self.assertEqual(self.rows("SELECT id FROM trace ORDER BY id"), [(2,), (4,)])

    def test_what_is_named_twice_is_removed_and_counted_once(self):
        events = self.value("SELECT sum(last_event - first_event + 1) FROM trace WHERE run_id = 2")
        self.assertEqual(self.removed("two", "two", "--trace", 2, "--trace", "2"), (2, events))

    def test_one_is_singular(self):
        self.write("x.json", trace_of(slice_event("a", 0, 1)))
        self.tpq("ingest", "x.json")
        self.assertEqual(self.tpq("rm", "x").out, "run x: 1 trace, 1 event\n"
                         "removed 1 trace, 1 event\n")

    def test_a_pattern_and_what_it_means(self):
        events = dict(self.rows("SELECT run.name, sum(last_event - first_event + 1) FROM trace "
                                "JOIN run ON run.id = run_id GROUP BY run.id"))
        out = self.tpq("rm", "t*").out.replace(",", "")
        self.assertEqual(out, f"run two: 2 traces {events['two']} events\n"
                              f"run three: 1 trace {events['three']} events\n"
                              f"removed 3 traces {events['two'] + events['three']} events\n")
        self.assertEqual(self.rows("SELECT name FROM run"), [("one",)])

    def test_a_run_that_is_called_like_a_pattern(self):
        self.tpq("ingest", "-q", "--run", "t*", "0.json")
        self.assertEqual(self.removed("t*")[0], 1)
        self.assertEqual(self.value("SELECT count(*) FROM run"), 3)

    def test_labels(self):
        self.tpq("ingest", "-q", "--run", "one", "--label", "pr=8", "0.json")
        self.tpq("ingest", "-q", "--run", "two", "--label", "pr=8", "1.json")
        self.assertEqual(self.removed("o*", "--label", "pr=8")[0], 1)
        self.assertEqual(self.removed("--label", "pr")[0], 2)
        self.assertEqual(self.rows("SELECT name FROM run"), [("three",)])
        self.one_line(self.tpq("rm", "three", "--label", "pr=8", status=2), "no run has the label")

    def test_what_is_old(self):
        self.assertEqual(self.removed("--older-than", 1), (0, 0))
        with contextlib.closing(sqlite3.connect(self.db)) as connection:
            connection.execute("UPDATE trace SET ingested_at = datetime('now', '-9 days') "
                               "WHERE id IN (1, 2, 4)")
            connection.commit()
        self.assertEqual(self.removed("--older-than", 10), (0, 0))
        self.assertEqual(self.tpq("rm", "-n", "--older-than", 8).out.splitlines()[-1].split(",")[0],
                         "would remove 2 traces")  # of run two one came later
        self.assertEqual(self.removed("t*", "--older-than", 8)[0], 1)
        self.assertEqual(self.rows("SELECT name FROM run"), [("one",), ("two",)])
        self.assertEqual(self.removed("--older-than", 8, "--shrink")[0], 1)
        self.one_line(self.tpq("rm", "--older-than", "x", status=2), "older-than")
        self.one_line(self.tpq("rm", "--older-than", "-1", status=2), "older-than")

    def test_what_would_go(self):
        before = self.snapshot()
        out = self.tpq("rm", "-n", "*", "--shrink").out
        self.assertEqual(len(out.splitlines()), 4)
        self.assertTrue(out.splitlines()[-1].startswith("would remove 4 traces, "))
        self.assertEqual(self.snapshot(), before)

    def test_quiet(self):
        result = self.tpq("rm", "-q", "one")
        self.assertEqual(result.out + result.err, "")

    def test_all_of_it_and_in_again(self):
        before = self.dump()
        self.removed("one", "two", "three", "--shrink")
        for table in ("run", "trace", "event", "string", "op", "args", "track", "edge"):
            self.assertEqual(self.value(f"SELECT count(*) FROM {table}"), 0, table)
        for number, run in enumerate(("one", "two", "two", "three")):
            self.tpq("ingest", "-q", "--run", run, f"{number}.json")
        self.assertEqual(self.dump(), before)


class Vacuum(Case):
    def prepare(self):
        self.write("small.json", trace_of(slice_event("small", 0, 1, args={"own": "small"})))
        self.make_trace("large.json", "--steps", 300)
        self.tpq("ingest", "-q", "small.json")
        self.tpq("ingest", "-q", "large.json")

    def test_the_file_gets_smaller(self):
        full = os.path.getsize(self.db)
        self.tpq("rm", "large")
        self.assertEqual(os.path.getsize(self.db), full)
        self.assertRegex(self.tpq("rm", "small").out, r"removed 1 trace, 1 event\n\d+\.\d MB of .* are free "
                                                      r"for the next ingest; tpq rm --shrink gives them back\n")
        self.tpq("ingest", "-q", "small.json")
        self.assertNotIn("free", self.tpq("rm", "--shrink").out)
        self.tpq("ingest", "-q", "--db", "one.db", "small.json")
        empty = os.path.getsize(self.path("one.db"))
        self.assertLess(os.path.getsize(self.db) - empty, (full - empty) / 10)
        self.check()

    def test_the_space_is_used_again(self):
        full = os.path.getsize(self.db)
        for _ in range(3):
            self.tpq("rm", "-q", "large")
            self.tpq("ingest", "-q", "large.json")
        self.assertLess(os.path.getsize(self.db), full * 1.2)
        self.check()

    def test_what_is_still_used_stays(self):
        before = self.rows("SELECT text, json FROM event JOIN string ON string.id = name_id "
                           "JOIN args ON args.id = args_id WHERE event.id = 1")
        self.tpq("rm", "large", "--shrink")
        self.assertEqual(self.rows("SELECT text, json FROM event JOIN string ON string.id = name_id "
                                   "JOIN args ON args.id = args_id"), before)
        self.assertEqual(self.rows("SELECT text FROM string"), [("small",)])
        self.assertEqual(self.value("SELECT count(*) FROM op"), 1)

    def test_what_was_removed_cannot_be_read_in_the_file(self):
        self.write("x.json", trace_of(slice_event("confidential-name", 0, 1)))
        self.tpq("ingest", "x.json")
        self.tpq("rm", "x", "--shrink")
        with open(self.db, "rb") as file:
            self.assertNotIn(b"confidential-name", file.read())

    def test_views_and_tables_of_the_user_stay(self):
        connection = sqlite3.connect(self.db)
        connection.executescript("CREATE TABLE mine (x); INSERT INTO mine VALUES (7);"
                                 "CREATE VIEW my_view AS SELECT x FROM mine;")
        connection.close()
        self.tpq("rm", "small", "large", "--shrink")
        self.tpq("ingest", "-q", "small.json")
        self.assertEqual(self.rows("SELECT x FROM my_view"), [(7,)])


class Wrong(Case):
    def prepare(self):
        self.make_trace("baseline.json")
        self.tpq("ingest", "-q", "baseline.json")

    def refused(self, *call, why):
        before = self.snapshot()
        self.one_line(self.tpq("rm", *call, status=2), why)
        self.assertEqual(self.snapshot(), before)

    def test_a_run_that_does_not_exist(self):
        self.refused("baselin", why=rf"^tpq: {self.db}: there is no run 'baselin'; "
                     "did you mean baseline\\?$")
        self.refused("", why="there is no run ''; there are ")

    def test_nothing_is_removed_when_one_of_several_does_not_exist(self):
        self.refused("baseline", "zzz", why="there is no run 'zzz'; there are ")
        self.refused("baseline", "--trace", "9", why="there is no trace 9; see tpq traces$")
        self.refused("baseline", "--shrink", "--trace", "x", why="'x' is no trace number$")

    def test_a_name_is_a_pattern_of_files_only(self):
        self.refused("%", why="there is no run '%'")
        self.refused("base?", why=r"no run is called like 'base\?'; there are ")
        self.refused("", "--label", "x", why="there is no run ''")
        self.refused("BASELINE", why="there is no run 'BASELINE'")

    def test_nothing_to_remove(self):
        self.refused(why=r"^tpq rm: an operand is missing; usage: tpq rm \[OPTION\]\.\.\. RUN")


if __name__ == "__main__":
    main()
