"""tpq merge: warehouses that were made elsewhere, taken into one."""

import contextlib
import os
import pathlib
import shutil
import sqlite3
import struct

from support import Case, made_trace, main, slice_event, trace_of

FIXTURES = pathlib.Path(__file__).resolve().parents[1] / "fixtures"
ALL = [FIXTURES / name for name in (
    "train/rank_0.json.gz", "train/rank_1.json.gz", "jax/small.xplane.pb", "nsys/small.sqlite",
    "rocpd/small.db", "tt/ops_perf_results.csv")]


class Merge(Case):
    def warehouse(self, name, run, *traces):
        """A warehouse with a run of these files."""
        self.tpq("ingest", "-q", "--db", name, "--run", run, *traces)
        return self.path(name)

    def small(self, name, run="run", rank=0, *options):
        """One with a made trace."""
        trace = self.path(f"made{rank}{''.join(map(str, options))}.json")
        if not os.path.exists(trace):
            self.make_trace(trace, "--rank", rank, "--seed", rank, "--layers", 1, "--steps", 1,
                            *options)
        return self.warehouse(name, run, trace)

    def change(self, path, *statements):
        with contextlib.closing(sqlite3.connect(path)) as connection:
            for statement in statements:
                connection.execute(statement)
            connection.commit()
        return path

    def summary(self, result):
        return result.out.splitlines()[-1]


class Whole(Merge):
    def test_it_is_as_if_all_had_been_ingested(self):
        apart = []
        for number, trace in enumerate(ALL):
            apart.append(self.warehouse(f"{number}.db", "ab"[number % 2], trace))
            self.warehouse("direct.db", "ab"[number % 2], trace)
        self.tpq("merge", *apart)
        self.check()
        self.assertEqual(self.dump(), self.dump(self.path("direct.db")))
        for run in "ab":
            one, other = (self.tpq("report", "--db", db, "--run", run, "--json").out
                          for db in (self.db, "direct.db"))
            self.assertEqual(one.replace("direct.db", "w.db"), other.replace("direct.db", "w.db"))
        self.assertLess(os.path.getsize(self.db), 1.02 * os.path.getsize(self.path("direct.db")))
        # and all of it in one, once more
        self.tpq("merge", "--db", "again.db", self.db)
        self.assertEqual(self.dump(self.path("again.db")), self.dump())

    def test_the_same_again_changes_nothing(self):
        sources = [self.small("a.db", "x", 0), self.small("b.db", "x", 1)]
        first = self.tpq("merge", *sources)
        self.assertEqual(self.summary(first), "run x: 2 stored")
        before = self.dump()
        again = self.tpq("merge", *sources)
        self.assertEqual(self.summary(again), "run x: 0 stored, 2 known already")
        self.assertEqual(self.dump(), before)
        replaced = self.tpq("merge", "--replace", *sources)
        self.assertEqual(self.summary(replaced), "run x: 2 stored")
        self.check()
        self.assertEqual(self.value("SELECT count(*) FROM trace"), 2)
        self.assertEqual(self.value("SELECT count(*) FROM event"),
                         len(before["event"]))

    def test_gaps_close_and_what_is_known_stays_away(self):
        traces = [self.make_trace(f"{i}.json", "--layers", 1, "--seed", i) for i in range(5)]
        self.warehouse("source.db", "x", *traces[:4])
        self.tpq("rm", "-q", "--db", "source.db", "--trace", 2)
        self.warehouse("w.db", "x", traces[4], traces[2])
        self.tpq("rm", "-q", "--trace", 1)
        self.tpq("merge", "source.db")
        self.check()
        self.assertEqual(
            [os.path.basename(path) for (path,) in self.rows("SELECT path FROM trace ORDER BY id")],
            ["2.json", "0.json", "3.json"])
        self.assertEqual(self.rows(
            "SELECT first_event - coalesce(lag(last_event) OVER (ORDER BY id), first_event - 1) "
            "FROM trace"), [(1,)] * 3)
        self.warehouse("direct.db", "x", traces[2], traces[0], traces[3])
        ops = ("SELECT path, kind, e.ts_ns, e.dur_ns, n.text, d.text, json FROM event AS e JOIN "
               "trace ON trace.id = e.trace_id JOIN string AS n ON n.id = e.name_id JOIN track ON "
               "track.id = track_id LEFT JOIN op ON op.id = op_id LEFT JOIN string AS d ON "
               "d.id = dims_id LEFT JOIN args ON args.id = args_id ORDER BY path, uid")
        self.assertEqual(self.rows(ops), self.rows(ops, db=self.path("direct.db")))

    def test_kinds_that_nobody_knows_go_by_name(self):
        odd = [trace_of(slice_event("a", 1, 2, category=name)) for name in ("odd", "strange")]
        self.warehouse("a.db", "x", self.write("a.json", odd[0]))
        self.warehouse("w.db", "x", self.write("b.json", odd[1]))
        self.tpq("merge", "a.db")
        kinds = "SELECT id, name FROM category WHERE id >= 1000 ORDER BY id"
        self.assertEqual(self.rows(kinds), [(1000, "strange"), (1001, "odd")])
        self.assertEqual(self.rows("SELECT category_id FROM event ORDER BY id"), [(1000,), (1001,)])

    def test_roles_that_users_changed(self):
        """What a GPU activity is, is said by the program; the roles here are for views."""
        path = self.small("a.db")
        self.change(path, "UPDATE category SET role = 'other' WHERE name = 'kernel'")
        self.change(self.small("w.db", "other", 1),
                    "UPDATE category SET role = iif(role = 'gpu', 'other', 'gpu')")
        self.tpq("merge", path)
        self.assertEqual(self.rows("SELECT count(*) FROM gpu_event WHERE trace_id = 2"),
                         self.rows("SELECT count(*) FROM gpu_event", db=path))

    def test_a_table_that_nobody_has_heard_of(self):
        path = self.small("a.db")
        self.small("w.db", "other", 1)
        tables = (
            "CREATE TABLE unit (id INTEGER PRIMARY KEY, trace_id INTEGER REFERENCES trace (id), "
            "first_event INTEGER, above_id INTEGER REFERENCES unit (id))",
            'CREATE TABLE "odd name" ("a unit" INTEGER REFERENCES unit (id), words INTEGER '
            "REFERENCES string (id))",
            "CREATE TABLE sample (id INTEGER PRIMARY KEY REFERENCES event (id), trace_id INTEGER "
            "REFERENCES trace (id))",
            "CREATE TABLE verdict (run_id INTEGER REFERENCES run (id) PRIMARY KEY, words TEXT)")
        self.change(path, *tables, "INSERT INTO unit SELECT 7, id, first_event + 1, 7 FROM trace",
                    'INSERT INTO "odd name" SELECT 7, id FROM string WHERE text = \'aten::mm\'',
                    "INSERT INTO sample SELECT id, trace_id FROM gpu_event",
                    "INSERT INTO verdict VALUES (1, 'good')")
        self.change(self.db, *tables)
        first, events = self.value("SELECT last_event + 1 FROM trace"), self.rows(
            "SELECT id FROM sample", db=path)
        self.tpq("merge", "a.db")
        self.check()
        self.assertEqual(self.rows("SELECT * FROM unit"), [(1, 2, first + 1, 1)])
        self.assertEqual(self.rows('SELECT "a unit", text FROM "odd name" JOIN string ON id = words'),
                         [(1, "aten::mm")])
        self.assertEqual(self.rows("SELECT id, trace_id FROM sample"),
                         [(first + event - 1, 2) for (event,) in events])
        self.assertEqual(self.rows("SELECT * FROM verdict"), [(2, "good")])
        self.tpq("merge", self.small("b.db", "third", 2))  # that does not have them
        self.assertEqual(self.value("SELECT count(*) FROM trace"), 3)

    def test_tables_about_events_that_users_made(self):
        """However they are called, and whatever must hold of their rows."""
        rows = 600  # more than are inserted one by one
        trace = self.write("many.json", trace_of(*(
            slice_event(f"op {i % 7}", 10 * i, 5) for i in range(rows))))
        key = "(id INTEGER PRIMARY KEY REFERENCES event (id), "
        tables = ('CREATE TABLE "my.mark" ' + key + "n INTEGER)",
                  'CREATE TABLE "order" ' + key + "n INTEGER)",
                  'CREATE TABLE word ' + key + '"order" INTEGER)',
                  "CREATE TABLE loose " + key + "n INTEGER)",
                  "CREATE TABLE once " + key + "n INTEGER UNIQUE)",
                  "CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT REFERENCES event (id), n INTEGER)",
                  'CREATE TABLE "my, unit" (id INTEGER PRIMARY KEY, trace_id INTEGER REFERENCES trace (id))',
                  "CREATE TABLE part " + key + 'n INTEGER REFERENCES "my, unit" (id))')
        names = ('"my.mark"', '"order"', "word", "loose", "once", "counted", "part")
        values = {"loose": "'text'", "part": "1"}
        path = self.change(
            self.warehouse("a.db", "x", trace), *tables, 'INSERT INTO "my, unit" VALUES (1, 1)',
            *(f"INSERT INTO {name} SELECT id, {values.get(name, 'id')} FROM event" for name in names))
        self.change(self.small("w.db", "other", 1), *tables)
        self.tpq("merge", path)
        self.check()
        for name in names:
            self.assertEqual(self.rows(f"SELECT id FROM {name}"), self.rows(
                "SELECT id FROM event WHERE trace_id = 2"), name)

    def test_a_column_that_users_added(self):
        """A name that is also a word of SQL."""
        more = 'ALTER TABLE event ADD COLUMN "database" INTEGER'
        path = self.change(self.small("a.db"), more, 'UPDATE event SET "database" = uid')
        self.change(self.small("w.db", "other", 1), more)
        self.tpq("merge", path)
        self.check()
        self.assertEqual(self.value('SELECT count(*) FROM event WHERE "database" = uid'),
                         self.value("SELECT count(*) FROM event WHERE trace_id = 2"))

    def test_conditions_that_users_added(self):
        """They hold for rows that are copied by pages, too."""
        long = self.write("long.json", trace_of(*(
            slice_event(f"op {i % 7}", 1000 * i, 5 if i < 599 else 900) for i in range(600))))
        more = "ALTER TABLE event ADD COLUMN mine INTEGER"
        path = self.change(self.warehouse("a.db", "x", long), more)
        self.change(self.small("w.db", "other", 1),
                    more + " CONSTRAINT short CHECK (trace_id = 1 OR dur_ns < 800000)")
        before = self.snapshot()
        for status, *words in (3, "merge", "--trust", path), (4, "ingest", "--trust", "--run", "y", long):
            self.one_line(self.tpq(*words, status=status), "short")
            self.assertEqual(self.snapshot(), before)
        self.change(path, "UPDATE event SET dur_ns = 5000")
        self.one_line(self.tpq("merge", path, status=4), "table event is not defined as tpq defines it")
        self.tpq("merge", "--trust", path)


class Runs(Merge):
    def test_sources_in_a_row_are_each_read_as_they_are(self):
        """A file that looks like the one before takes its place; others are opened anew."""
        made = self.small("made.db")

        def another(name, rank):
            path = shutil.copyfile(made, self.path(name))
            return self.change(path, f"UPDATE trace SET rank = {rank}, content_hash = 'of {rank}'",
                               f"UPDATE event SET uid = uid + {1000 * rank}",
                               f"UPDATE gpu_event SET uid = uid + {1000 * rank}",
                               f"UPDATE run SET name = 'run {rank}'")

        one = [another(f"s{rank}.db", rank) for rank in range(9)]
        wal = self.change(one[2], "PRAGMA journal_mode = wal")
        self.change(one[3], "PRAGMA page_size = 8192", "VACUUM")
        self.change(one[4], "CREATE TABLE mine (x)")
        # the count of changes says nothing here: the tables stand on other pages
        words = self.value("SELECT sql FROM sqlite_schema WHERE name = 'device_op'", db=made)
        cookie = self.value("PRAGMA schema_version", db=made)
        self.change(one[6], "DROP TABLE device_op", words, "VACUUM",
                    f"PRAGMA schema_version = {cookie}")
        root = "SELECT rootpage FROM sqlite_schema WHERE name = 'edge'"
        self.assertNotEqual(self.value(root, db=made), self.value(root, db=one[6]))
        self.write("s7.db-journal", "")
        broken = self.change(another("broken.db", 20), "UPDATE event SET name_id = 99999 WHERE id = 3")
        left = self.path("left.db")
        with contextlib.closing(sqlite3.connect(another("hot.db", 21), isolation_level=None)) as connection:
            for statement in ("PRAGMA cache_size = 1", "BEGIN", "UPDATE event SET uid = uid + 7",
                              "UPDATE perf_model SET source = 'mine'"):
                connection.execute(statement)
            for end in ("", "-journal"):
                shutil.copyfile(self.path("hot.db") + end, left + end)
        done = self.tpq("merge", *one[:2], left, *one[5:8], broken, wal, one[3], one[4], one[8],
                        one[0], status=3)
        self.assertEqual([line.split(": ")[1] for line in done.err.splitlines() if line.endswith(
            ("is not there", "undoes that"))], [left, broken])
        self.check()
        question = ("SELECT count(*), sum(uid), sum(ts_ns), group_concat((SELECT text FROM string "
                    "WHERE id = name_id)) FROM event WHERE trace_id = (SELECT id FROM trace WHERE rank = ?)")
        for rank, path in enumerate(one):
            self.assertEqual(self.rows(question, rank), self.rows(question, rank, db=path))
        self.tpq("merge", "--db", "log.db", wal), self.tpq("report", "--db", wal, "overview")

    def test_names(self):
        self.small("a.db", "x", 0), self.small("b.db", "y", 1)
        self.tpq("merge", "--prefix", "lab/", "a.db", "b.db")
        self.assertEqual(self.rows("SELECT name FROM run"), [("lab/x",), ("lab/y",)])
        self.assertEqual(self.summary(self.tpq("merge", "--run", "z", "a.db", "b.db")),
                         "run z: 2 stored")
        self.assertEqual(self.summary(self.tpq("merge", "--db", "other.db", "--run", "z", self.db)),
                         "run z: 2 stored, 2 known already")

    def test_the_same_content_of_other_ranks(self):
        trace = self.make_trace("t.json", "--layers", 1)
        for rank in (3, 4):
            shutil.copyfile(trace, self.path(f"rank_{rank}.json"))
            self.warehouse(f"{rank}.db", "x", f"rank_{rank}.json")
            self.change(self.path(f"{rank}.db"), f"UPDATE trace SET rank = {rank}")
        self.tpq("merge", "3.db", "4.db")
        self.assertEqual(self.rows("SELECT rank FROM trace"), [(3,), (4,)])

    def test_labels_notes_and_dates(self):
        one, other = self.small("a.db", "x", 0), self.small("b.db", "x", 1)
        self.change(one, """UPDATE run SET labels = '{"gpu": "H100", "pr": "8"}', note = NULL, """
                         "created_at = '2025-02-02 00:00:00'")
        self.change(other, """UPDATE run SET labels = '{"gpu": "A100", "who": "me"}', """
                           "note = 'slow', created_at = '2025-01-01 00:00:00'")
        done = self.tpq("merge", one, other)
        self.one_line(done, "run x: its label gpu stays H100 and does not become A100")
        self.assertEqual(self.rows("SELECT labels, note, created_at FROM run"),
                         [('{"gpu":"H100","pr":"8","who":"me"}', "slow", "2025-01-01 00:00:00")])
        self.assertEqual(self.tpq("merge", "-q", other).err, "")

    def test_results_of_replays(self):
        path = self.change(self.small("a.db", "x"), "INSERT INTO replay_result VALUES "
                           "(1, 'gemm', 'c', 'bench', 't', 'c', 'ok', 1.5, NULL, '2025')")
        self.tpq("merge", path)
        self.change(path, "UPDATE replay_result SET time_us = 9")
        self.tpq("merge", path)
        self.assertEqual(self.rows("SELECT run_id, time_us FROM replay_result"), [(1, 1.5)])

    def test_choices_stay_where_they_are(self):
        path = self.change(
            self.small("a.db", "x"), "CREATE TABLE mine (x)", "INSERT INTO setting VALUES ('a', 'b')",
            "INSERT INTO op_category (op, category) VALUES ('mine::op', 'Mine')")
        done = self.tpq("merge", path)
        self.one_line(done, "a.db: not taken, as they are no facts of traces: 1 row of the catalog, "
                            "1 setting, 1 other table")
        self.assertEqual(self.value("SELECT count(*) FROM op_category WHERE op = 'mine::op'"), 0)


class Bad(Merge):
    """What is no warehouse, or says what cannot be, leaves everything as it was."""

    def refused(self, path, *words, options=()):
        before = self.snapshot()
        done = self.tpq("merge", *options, path, status=3)
        self.one_line(done, *words)
        self.assertEqual(self.snapshot(), before)

    def setUp(self):
        super().setUp()
        self.good = self.small("good.db", "good", 7)

    def test_calls(self):
        self.one_line(self.tpq("merge", status=2), "WAREHOUSE")
        self.one_line(self.tpq("merge", "--run", "a", "--prefix", "b", "good.db", status=2), "--run")
        self.one_line(self.tpq("merge", "--run", "", "good.db", status=2), "--run")
        os.link(self.good, self.path("w.db"))
        self.one_line(self.tpq("merge", "good.db", status=2), "it is the warehouse")

    def test_files_that_are_no_warehouses(self):
        self.write("words", "no database" * 100)
        self.write("empty", "")
        self.change(self.path("other"), "CREATE TABLE event (id)")
        os.mkdir(self.path("folder"))
        for name in ("words", "empty", "other"):
            self.refused(name, f"{name}: not a tpq warehouse")
        self.refused("folder", "not a file")
        self.refused("nowhere", "No such file")
        self.assertFalse(os.path.exists(self.db))

    def test_versions(self):
        self.change(self.good, "PRAGMA application_id = 0x74707131")
        self.refused("good.db", "made by a tpq older than 0.2.0; ingest its traces again")
        self.change(self.good, "PRAGMA application_id = 0x74707177")
        self.change(self.good, "PRAGMA user_version = 99")
        self.refused("good.db", "newer tpq")

    def test_the_good_ones_are_taken(self):
        self.write("bad", "bad")
        other = self.small("other.db", "other", 8)
        for target in ("w.db", "old.db"):
            if target == "old.db":
                self.small("old.db", "old", 9)
            done = self.tpq("merge", "--db", target, "bad", self.good, "bad", other, status=3)
            self.assertEqual(len(done.err.splitlines()), 2)
            self.assertEqual(done.out.splitlines()[-2:], ["run good: 1 stored", "run other: 1 stored"])
            self.check(self.path(target))

    def test_what_must_be_a_table(self):
        for name, (said, *statements) in {
            "view": ("edge has a name that tpq", "ALTER TABLE edge RENAME TO old", "CREATE VIEW edge AS SELECT * FROM old"),
            "gone": ("edge is missing", "DROP TABLE edge",),
            "short": ("edge is not defined as tpq", "ALTER TABLE edge DROP COLUMN trace_id",),
        }.items():
            path = shutil.copyfile(self.good, self.path(name))
            self.change(path, "PRAGMA writable_schema = ON", "DELETE FROM sqlite_schema WHERE type = 'view'")
            self.change(path, *statements)
            self.refused(name, said)

    def test_damage(self):
        self.small("w.db", "here", 1)
        cases = (
            ("string that is not there", "UPDATE event SET name_id = 99999 WHERE id = 3"),
            ("op that is not there", "UPDATE gpu_event SET launcher_op_id = 0"),
            ("event that is not there", "UPDATE gpu_event SET call_id = 999999"),
            ("track that is not there", "DELETE FROM track WHERE id = 1"),
            ("have not the events", "DELETE FROM event WHERE id = 5"),
            ("events that are none", "UPDATE trace SET last_event = 9223372036854775807"),
            ("events that are none", "UPDATE trace SET first_event = 0"),
            ("belongs to another", "UPDATE event SET below = 99999999 WHERE id = 1"),
            ("belongs to another", "UPDATE event SET up = -1 WHERE id = 2"),
            ("do not nest", "UPDATE event SET up = up + 1 WHERE id = (SELECT max(id) FROM event WHERE up = 1)"),
            ("do not nest", "UPDATE event SET below = below + 1 WHERE id = (SELECT max(id) FROM event WHERE up = 1 AND below = 0)"),
            ("ends before it starts", "UPDATE event SET dur_ns = -1 WHERE id = 3"),
            ("differ from their events", "UPDATE gpu_event SET dur_ns = dur_ns + 1"),
            ("differ from their events", "DELETE FROM gpu_event WHERE id = (SELECT max(id) FROM gpu_event)"),
            ("differ from their events", "DELETE FROM gpu_event"),
            ("signatures are the same", "INSERT INTO op (name_id, dims_id) SELECT 1, 2 UNION ALL SELECT 1, 2"),
            ("of a track", "UPDATE track SET last_event = last_event + 100000"),
            ("JSON", "UPDATE args SET json = '{' WHERE id = 1"),
            ("JSON", "UPDATE trace SET metadata = '[1'"),
            ("JSON", "UPDATE run SET labels = '[]'"),
            ("in no order", "INSERT INTO trace SELECT 9, run_id, 9, world_size, path, format, "
             "file_bytes, content_bytes, content_hash, element_count, clock_start_ns, "
             "wall_start_ns, first_event, last_event, tree, frames, metadata, tool_version, "
             "ingested_at FROM trace"),
        )
        paths = [self.change(shutil.copyfile(self.good, self.path(f"{number}.db")), *statements)
                 for number, (_, *statements) in enumerate(cases)]
        before = self.snapshot()
        told = self.tpq("merge", *paths, status=3).err.splitlines()
        self.assertEqual(self.snapshot(), before)
        self.assertEqual(len(told), len(cases))
        for number, (words, *_) in enumerate(cases):
            self.assertRegex(told[number], rf"{number}\.db: the warehouse is damaged: .*{words}")

    def test_values_that_no_table_of_ours_has(self):
        """A table may be made without the word that keeps other values out."""
        self.small("w.db", "here", 1)
        loose = ("PRAGMA writable_schema = ON",
                 "UPDATE sqlite_schema SET sql = replace(sql, ') STRICT', ')') WHERE name = 'event'")
        for number, (words, statement) in enumerate((
            ("cannot store .* in INTEGER column event.ts_ns", "UPDATE event SET ts_ns = 'soon' WHERE id = 3"),
            ("cannot store .* in INTEGER column event.ts_ns", "UPDATE event SET ts_ns = 0.5 WHERE id = 3"),
            ("cannot store .* in INTEGER column event.correlation", "UPDATE event SET correlation = x'00' WHERE id = 3"),
            (None, "UPDATE event SET dur_ns = dur_ns"),
        )):
            path = self.change(shutil.copyfile(self.good, self.path(f"{number}.db")), *loose)
            self.change(path, statement)
            if words:
                self.refused(path, rf"{number}\.db: the warehouse is damaged: {words}", options=["--trust"])
            else:
                self.tpq("merge", "--trust", path)
                self.check()

    def test_damaged_bytes(self):
        self.small("w.db", "here", 1)
        with open(self.good, "rb") as file:
            content = bytearray(file.read())
        pages = self.value("SELECT group_concat(rootpage) FROM sqlite_schema WHERE name IN "
                           "('event', 'string', 'track')", db=self.good)
        for page in map(int, pages.split(",")):
            broken = bytearray(content)
            broken[(page - 1) * 4096:page * 4096] = b"\xfe" * 4096
            self.write("broken.db", bytes(broken))
            self.refused("broken.db", "broken.db: .*(damaged|malformed|cannot be read)")
        self.write("short.db", bytes(content[:len(content) // 2]))
        self.refused("short.db", "short.db: ")

    def test_a_target_that_another_process_holds(self):
        self.small("w.db", "here", 1)
        with contextlib.closing(sqlite3.connect(self.db, isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            self.one_line(self.tpq("merge", "--wait", 0, self.good, status=4), "another process")
        self.tpq("merge", self.good)

    def test_a_source_with_a_log(self):
        with contextlib.closing(sqlite3.connect(self.good, isolation_level=None)) as connection:
            self.assertEqual(connection.execute("PRAGMA journal_mode = wal").fetchone(), ("wal",))
            connection.execute("UPDATE run SET note = 'logged'")
            self.tpq("merge", self.good)
        self.assertEqual(self.value("SELECT note FROM run"), "logged")

    def test_tables_among_views(self):
        """What comes behind the views is seen, wherever it stands in the schema."""
        path = self.change(self.good, "CREATE TABLE mine (x)", *(
            f"CREATE VIEW view_{i} AS SELECT '{'x' * 900}' AS x" for i in range(40)),
            "CREATE TABLE also_mine (x)", "CREATE VIEW last AS SELECT 1", "CREATE TABLE yours (x)")
        self.one_line(self.tpq("merge", path), "3 other tables")
        self.check()

    def test_a_source_is_only_read(self):
        before = pathlib.Path(self.good).read_bytes()
        os.chmod(self.good, 0o444)
        os.rename(self.good, self.path("a b%3f?#.db"))
        self.tpq("merge", "a b%3f?#.db")
        self.assertEqual(self.path("a b%3f?#.db") and
                         pathlib.Path(self.path("a b%3f?#.db")).read_bytes(), before)


if __name__ == "__main__":
    main()
