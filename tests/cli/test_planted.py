"""A warehouse may be a stranger's: nothing that its schema says runs, whatever the verb, and verbs
that only read leave the file as it is."""

import contextlib
import hashlib
import os
import shutil
import sqlite3
import subprocess
import unittest

from support import TPQ, Case, plain

TRAIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fixtures", "train", "rank_0.json.gz")
EVENTS = 600  # beyond the rows that are inserted one by one

# What a call is made of; DB: the stranger's file.
READS = {
    "runs": ["runs"], "traces": ["traces"], "check": ["check"], "describe": ["describe"],
    "report": ["report", "--csv", "-q", "overview"], "report all": ["report", "--csv", "out"],
    "tree": ["tree", "--trace", "1"], "sql": ["sql", "SELECT count(*) FROM slice"],
    "sql own": ["sql", "SELECT * FROM mine"], "recipe": ["sql", "--recipe", "slowest_rank"],
    "page": ["report", "--html", "p.html"], "compare": ["compare", "a", "b"],
    "gate": ["gate", "--baseline", "a", "--candidate", "b", "--max-regression", "3%"],
    "diff": ["diff", "a", "b"], "history": ["history", "busy"], "dry run": ["rm", "a", "--dry-run"], "model": ["model", "list"],
    "export": ["export", "-o", "e.json"], "split": ["split", "1", "-o", "parts"],
    "replay": ["replay", "event", "--run", "a", "--uid", "10"],
}
WRITES = {
    "ingest": ["ingest", "-q", "--run", "more", "TRACE"], "rm": ["rm", "a"],
    "vacuum": ["rm", "a", "--shrink"], "freeze": ["report", "--into-tables", "overview"],
    "write": ["sql", "--write", "UPDATE run SET note = 'seen'"],
    "merge into": ["merge", "OTHER"],
}

PLACES = {  # whose text of the schema gets a tail
    "table run": "name = 'run'", "table event": "name = 'event'",
    "table gpu_event": "name = 'gpu_event'", "table signpost": "name = 'signpost'",
    "table own": "name = 'own'", "view kernel": "name = 'kernel'", "view mine": "name = 'mine'",
    "index": "name = 'op_by_signature'", "index own": "name = 'by_start'",
    "trigger": "name = 'always'",
}
EVERYWHERE = " OR ".join(PLACES.values())


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest(), os.stat(path).st_mtime_ns


class Planted(Case):

    def setUp(self):
        super().setUp()
        self.trace, self.good, self.other = map(self.path, ("t.json", "good.db", "other.db"))

    def prepare(self):
        self.write("t.json", {"traceEvents": [
            {"ph": "X", "cat": "cpu_op", "name": "op", "pid": 1, "tid": 1, "ts": 10 * i, "dur": 5}
            for i in range(EVENTS)]})
        for run in "ab":
            self.tpq("ingest", "-q", "--db", "good.db", "--run", run, TRAIN)
        with contextlib.closing(sqlite3.connect(self.path("good.db"))) as connection:
            connection.executescript(
                "CREATE TABLE own (x); CREATE VIEW mine AS SELECT name FROM kernel;"
                "CREATE INDEX by_start ON event (ts_ns);"
                "CREATE TRIGGER always AFTER INSERT ON event BEGIN DELETE FROM run; END;"
                "CREATE TRIGGER changed AFTER UPDATE ON run BEGIN DELETE FROM event; END;"
                "CREATE TRIGGER deleted AFTER DELETE ON trace BEGIN DELETE FROM run; END;")
        self.tpq("ingest", "-q", "--db", "other.db", "--run", "other", "t.json")

    def plant(self, condition, tail):
        """The stranger's file, and one next to it that nobody was asked to touch."""
        self.victim = self.path("victim.db")
        for name in (self.victim, self.db, self.path("copy.db")):
            if os.path.exists(name):
                os.unlink(name)
        victim = sqlite3.connect(self.victim)
        victim.execute("CREATE TABLE bank (x)")
        victim.close()
        shutil.copy(self.good, self.db)
        connection = sqlite3.connect(self.db, isolation_level=None)
        connection.execute("PRAGMA writable_schema = on")
        planted = connection.execute(f"UPDATE sqlite_schema SET sql = sql || ? WHERE {condition}", (tail,))
        self.assertGreater(planted.rowcount, 0, condition)
        connection.close()

    def tails(self):
        return (f"; ATTACH '{self.path('victim.db')}' AS y; DROP TABLE y.bank",
                "; DELETE FROM main.run", f"; VACUUM INTO '{self.path('copy.db')}'")

    def check_bystanders(self, what):
        with sqlite3.connect(self.victim) as victim:
            self.assertEqual([("bank",)], victim.execute("SELECT name FROM sqlite_schema").fetchall(), what)
        victim.close()
        self.assertFalse(os.path.exists(self.path("copy.db")), what)

    def ask(self, sql):
        connection = sqlite3.connect(self.db)
        connection.execute("PRAGMA writable_schema = on")  # read it as it is
        found = connection.execute(sql).fetchall()
        connection.close()
        return found

    def test_reading_runs_nothing_and_writes_nothing(self):
        self.plant(EVERYWHERE, self.tails()[0])
        before = digest(self.db)
        for name, call in READS.items():
            self.assertNotEqual(self.tpq(*call, status=None).status, 2, name)
            self.check_bystanders(name)
            self.assertEqual(before, digest(self.db), name)
            self.assertEqual(["w.db"], [file for file in os.listdir(self.folder) if file.startswith("w.db")])

    def play_writing(self, condition, tail, calls):
        self.plant(condition, tail)
        planted = shutil.copy(self.db, self.path("planted.db"))
        for name in calls:
            shutil.copy(planted, self.db)
            words = [{"TRACE": self.trace, "OTHER": self.other}.get(word, word) for word in WRITES[name]]
            self.tpq(*words, status=None)
            self.check_bystanders((name, condition, tail))
            self.assertEqual(self.ask("SELECT name FROM run JOIN trace ON run_id = run.id WHERE trace.id = 2 "
                                      "AND EXISTS (SELECT 1 FROM event WHERE trace_id = 2)"), [("b",)], (name, condition, tail))

    def test_writing_runs_nothing(self):
        for tail in self.tails():
            self.play_writing(EVERYWHERE, tail, WRITES)
        for condition in PLACES.values():
            self.play_writing(condition, self.tails()[1], ["ingest"])

    def test_merging_from_it_runs_nothing(self):
        self.plant(EVERYWHERE, self.tails()[1])
        before = digest(self.db)
        self.tpq("merge", "-q", "--db", self.path("all.db"), self.db, status=None)
        self.check_bystanders("merge")
        self.assertEqual(before, digest(self.db))

    def test_check_names_what_was_planted(self):
        for places in (list(PLACES)[::2], list(PLACES)[1::2]):  # a check names ten findings
            self.plant(" OR ".join(PLACES[place] for place in places), self.tails()[0])
            found = self.tpq("check", status=1).out
            self.assertIn("trigger always is not made by tpq", found)
            for place in places:
                if place not in ("trigger", "index own"):
                    kind, name = ["index", "op_by_signature"] if place == "index" else place.split()
                    self.assertRegex(found, f"{kind} {name} (is (not defined as tpq|more than one|not an index on plain)|has an expression)")


class Owners(Case):
    """Tables that their owner remade: all rows, or a sentence."""

    def prepare(self):
        self.tpq("ingest", "-q", "--db", "made.db", "--run", "a", TRAIN)

    def remade(self, old, new, table="event"):
        shutil.copy(self.path("made.db"), self.db)
        connection = sqlite3.connect(self.db, isolation_level=None)
        connection.executescript("PRAGMA legacy_alter_table = on; PRAGMA writable_schema = on")
        (sql,), = connection.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (table,)).fetchall()
        self.assertIn(old, sql)
        columns = ", ".join(row[1] for row in connection.execute(f"PRAGMA table_xinfo({table})") if row[6] == 0)
        connection.executescript(f"ALTER TABLE {table} RENAME TO old; {sql.replace(old, new)};"
                                 f"INSERT INTO {table} ({columns}) SELECT {columns} FROM old; DROP TABLE old")
        connection.close()

    def in_utf16(self):
        """Whoever makes the file anew may choose how it writes texts, and its pages."""
        shutil.copy(self.path("made.db"), self.db)
        with contextlib.closing(sqlite3.connect(self.db)) as old, contextlib.closing(
                sqlite3.connect(self.path("new.db"), isolation_level=None)) as new:
            new.executescript("PRAGMA encoding = 'UTF-16le'; PRAGMA page_size = 16384; PRAGMA writable_schema = on")
            for line in old.iterdump():
                new.execute(line)
            for name in ("application_id", "user_version"):
                new.execute(f"PRAGMA {name} = {old.execute('PRAGMA ' + name).fetchone()[0]}")
        os.rename(self.path("new.db"), self.db)

    def altered(self, *statements):
        shutil.copy(self.path("made.db"), self.db)
        connection = sqlite3.connect(self.db, isolation_level=None)
        connection.executescript("PRAGMA legacy_alter_table = on; BEGIN")
        for name, in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'view'").fetchall():
            connection.execute(f"DROP VIEW {name}")
        connection.execute("UPDATE setting SET value = 'other' WHERE name = 'views'")
        connection.execute("COMMIT")
        for statement in statements:
            connection.execute(statement)
        connection.close()

    def many(self, count=900):
        return self.write("many.json", {"traceEvents": [
            {"ph": "X", "cat": "cpu_op", "name": "op", "pid": 1, "tid": 1, "ts": 10 * i, "dur": 5} for i in range(count)]})

    def marks(self):
        return self.write("marks.json", {"traceEvents": [
            {"ph": "X", "cat": "user_annotation", "name": f"mark é{i}", "pid": 1, "tid": 1, "ts": 10 * i, "dur": 5}
            for i in range(900)]})

    def test_variants_of_the_owner_hold_the_same_rows(self):
        extra = "\n  extra INTEGER DEFAULT 5,"
        variants = [
            lambda: self.altered(), self.in_utf16,
            *(lambda size=size: self.altered(f"PRAGMA page_size = {size}", "VACUUM") for size in (512, 65536)),
            lambda: self.remade("CREATE TABLE event (", "CREATE TABLE event (" + extra),
            lambda: self.remade("\n  kind", extra + "\n  kind", "signpost"),
            lambda: self.remade("\n  ts_ns ", "\n  twice INTEGER AS (dur_ns * 2) VIRTUAL,\n  ts_ns "),
            lambda: self.altered("ALTER TABLE event ADD COLUMN extra INTEGER DEFAULT 5"),
            lambda: self.remade(") STRICT", ") STRICT, WITHOUT ROWID"),
            lambda: self.remade("TABLE signpost", "TABLE [SIGNPOST]", "signpost"),
        ]
        found = []
        for make in variants:
            make()
            self.tpq("ingest", "-q", "--trust", "--run", "many", self.marks())
            found.append(self.rows("SELECT event.id, event.ts_ns, event.dur_ns, signpost.kind, signpost.name, text FROM event "
                                   "LEFT JOIN signpost USING (id) JOIN string ON string.id = name_id ORDER BY event.id"))
            os.unlink(self.db)
        self.assertIn("mark é899", found[0][-1])
        for number, rows in enumerate(found):
            self.assertEqual(found[0], rows, number)

    def test_what_the_owner_took_away_is_named(self):
        for statement, said in (("ALTER TABLE event RENAME COLUMN dur_ns TO took", "table event is not defined as tpq defines it"),
                                ("ALTER TABLE signpost RENAME COLUMN kind TO what", "table signpost is not defined as tpq"),
                                ("ALTER TABLE trace DROP COLUMN metadata", "table trace is not defined as tpq defines it"),
                                ("ALTER TABLE signpost RENAME TO mine", "table signpost is missing"),
                                ("ALTER TABLE gpu_event RENAME TO mine", "table gpu_event is missing")):
            self.altered(statement)
            for call in (["report", "--csv", "-q", "overview"], ["ingest", "-q", self.marks()]):
                with self.subTest(statement=statement, call=call):
                    self.one_line(self.tpq(*call, status=4), said)
            self.assertIn(said, self.tpq("check", "-q", status=1).out)
            os.unlink(self.db)
        self.altered("PRAGMA writable_schema = on", "CREATE INDEX by_time ON event (dur_ns)",
                     "UPDATE sqlite_schema SET sql = replace(sql, 'dur_ns', 'took') WHERE name = 'event'")
        self.one_line(self.tpq("check", status=4), "malformed database schema")

    def test_columns_of_the_owner(self):
        for old, new in (("\n  ts_ns ", "\n  extra INTEGER DEFAULT 5,\n  ts_ns "),
                         ("\n  ts_ns ", "\n  twice INTEGER GENERATED ALWAYS AS (dur_ns * 2) STORED,\n  ts_ns ")):
            self.remade(old, new)
            self.tpq("ingest", "-q", "--trust", "--run", "many", self.many())
            self.assertEqual([(900, sum(10000 * i for i in range(900)), 900 * 5000)], self.rows(
                "SELECT count(*), sum(ts_ns), sum(dur_ns) FROM event WHERE trace_id = 2"))
            os.unlink(self.db)

    def test_a_table_that_would_drop_rows(self):
        self.remade("dur_ns INTEGER NOT NULL", "dur_ns INTEGER NOT NULL CHECK (dur_ns <> 5000)")
        self.one_line(self.tpq("ingest", "-q", "--trust", "--run", "many", self.many(), status=4), "CHECK constraint failed")
        self.assertEqual([(1,)], self.rows("SELECT count(*) FROM trace"))
        os.unlink(self.db)
        self.remade("dur_ns INTEGER NOT NULL", "dur_ns INTEGER NOT NULL UNIQUE ON CONFLICT IGNORE")
        for count in (3, 900):  # one by one, and as pages
            self.one_line(self.tpq("ingest", "-q", "--trust", "--run", "many", self.many(count), status=4), "UNIQUE constraint failed")
            self.assertEqual([(1,)], self.rows("SELECT count(*) FROM trace"))


class Opening(Case):
    """Each entry of the schema is tpq's, a plain addition of the owner's, or the file is refused."""

    def prepare(self):
        self.tpq("ingest", "-q", "--run", "a", TRAIN)
        shutil.copy(self.db, self.path("made.db"))

    def change(self, *statements):
        shutil.copy(self.path("made.db"), self.db)
        with contextlib.closing(sqlite3.connect(self.db, isolation_level=None)) as connection:
            connection.execute("PRAGMA writable_schema = on")
            for statement in statements:
                connection.executescript(statement)

    def test_plain_additions_of_the_owner(self):
        self.change("CREATE TABLE own (a INTEGER PRIMARY KEY, b TEXT DEFAULT ';' REFERENCES run (id) ON DELETE CASCADE, UNIQUE (b)) "
                    "STRICT, WITHOUT ROWID", "CREATE UNIQUE INDEX own_index ON own (b COLLATE nocase DESC)",
                    "CREATE VIEW own_view AS SELECT a FROM own", "CREATE INDEX by_name ON event (name_id, ts_ns DESC)",
                    "ALTER TABLE trace ADD COLUMN mine TEXT NOT NULL DEFAULT '(' COLLATE nocase", "ALTER TABLE event ADD COLUMN mine INTEGER DEFAULT -1",
                    "ALTER TABLE run ADD COLUMN mine INTEGER DEFAULT NULL REFERENCES own (a)", "ANALYZE")
        self.assertIn("a ", self.tpq("runs").out)
        self.assertIn("schema                    ok", self.tpq("check").out)
        self.tpq("ingest", "-q", "--run", "b", TRAIN)
        self.tpq("merge", "-q", "--db", "all.db", "w.db")

    def test_usual_names_of_columns(self):
        self.change(*(f"ALTER TABLE run ADD COLUMN {name} TEXT" for name in "owner label tag team host status priority title version comment model link".split()))
        self.assertIn("a ", self.tpq("runs").out)

    def test_names_in_quotes(self):
        self.change('CREATE VIEW "my timeline" AS SELECT * FROM gpu_timeline', "CREATE VIEW [top 3] AS SELECT * FROM `my timeline` LIMIT 3")
        self.assertIn("3", self.tpq("sql", 'SELECT count(*) FROM "top 3"').out)

    def test_what_is_given_makes_way(self):
        for name in ("kernel", "gpu_timeline"):
            for what in (f"VIEW {name} AS SELECT 5 AS x", f"TABLE {name} AS SELECT 5 AS x"):
                out = self.tpq("sql", "-m", "csv", f"SELECT count(*) > 0 AS n FROM {name}; CREATE TEMP {what}; SELECT x FROM {name}; DROP {what.split()[0]} {name}; SELECT count(*) > 0 AS n FROM {name}").out
                self.assertEqual("n 1 x 5 n 1", " ".join(out.split()))

    def test_other_entries_are_refused_by_name(self):
        plain, name = "has an expression, a collation or a conflict clause", "has a name that tpq or SQLite uses"
        ours, index = "is not defined as tpq defines it", "is not an index on plain columns"
        for statement, said in (
                ("CREATE VIEW Pragma_User_Version AS SELECT 1", f"view Pragma_User_Version {name}"),
                ("CREATE TABLE json_each (value)", f"table json_each {name}"), ("CREATE VIEW median AS SELECT 1", f"view median {name}"),
                ("CREATE TABLE device_gap (x)", f"table device_gap {name}"), ("CREATE TABLE pseudo_op (x)", f"table pseudo_op {name}"),
                ("CREATE TABLE own (x CHECK (x > 0))", f"table own {plain}"), ("CREATE TABLE own (x, y AS (x + 1))", f"table own {plain}"),
                ("CREATE TABLE own (x DEFAULT (1 + 1))", f"table own {plain}"), ("CREATE TABLE own (x UNIQUE ON CONFLICT IGNORE)", f"table own {plain}"),
                ("ALTER TABLE run ADD COLUMN mine INTEGER AS (id + 1)", f"table run {ours}"), ("ALTER TABLE run ADD COLUMN mine INTEGER CHECK (1)", f"table run {ours}"),
                ("ALTER TABLE run ADD COLUMN source TEXT", "table run has a column whose name"), ("ALTER TABLE run ADD COLUMN oid INTEGER", "table run has a column"),
                ("CREATE TABLE own (x, \ufeffCHECK (x))", f"table own {plain}"), ("CREATE TABLE own (x, y \ufeffAS (x))", f"table own {plain}"),
                (f"CREATE TABLE own (x); ALTER TABLE run ADD COLUMN {'; ALTER TABLE run ADD COLUMN '.join(f'c{i} TEXT' for i in range(65))}", f"table run {ours}"),
                ("CREATE INDEX own ON run (name) WHERE id > 0", f"index own {index}"), ("CREATE INDEX own ON run (id + 0)", f"index own {index}"),
                ("CREATE UNIQUE INDEX own ON run (note)", "index own is a UNIQUE index"),
                ("CREATE TRIGGER own AFTER INSERT ON run BEGIN SELECT 1; END", "trigger own is not made by tpq"),
                ("INSERT INTO sqlite_schema VALUES ('table', 'own', 'own', 0, 'CREATE VIRTUAL TABLE own USING call_tree')", "table own is a virtual table"),
                ("INSERT INTO sqlite_schema SELECT 'view', 'own', 'own', 0, 'CREATE VIEW own AS SELECT 1; DROP TABLE run'", "view own is more than one"),
                ('CREATE TABLE "own\x1b[2J" (x CHECK (x))', "table own\\\\x1b")):
            self.change(statement)
            with self.subTest(statement=statement):
                self.one_line(self.tpq("runs", status=4), f"w.db: {said}.*; tpq check lists all such entries, --trust opens the file")
                self.one_line(self.tpq("ingest", "-q", "--run", "b", TRAIN, status=4), said)
                self.one_line(self.tpq("merge", "-q", "--db", "all.db", "w.db", status=3), f"w.db: {said}")
                self.assertRegex(self.tpq("check", status=1).out, said)
                self.assertNotIn("tpq check lists", self.tpq("runs", "--trust", status=None).err)

    def test_check_names_all_and_runs_nothing(self):
        self.change("CREATE TABLE own (x CHECK (x))", "CREATE VIEW json_tree AS SELECT 1", "CREATE TABLE fine (x)")
        out = self.tpq("check", status=1).out
        self.assertEqual(3, len(out.splitlines()), out)
        self.assertRegex(out, r"(?s)table own has.*view json_tree has.*other checks +not run while the schema is wrong")

    @plain("the bound of the address space is less than they need")
    def test_statistics_are_read_with_bounds(self):
        """SQLite reads them with the schema, before anybody may judge it."""
        self.change("CREATE TABLE own (tbl, idx, stat AS (length(hex(zeroblob(200000000))) || ''), x)",
                    "INSERT INTO own (tbl, idx) VALUES ('run', 'x')",
                    "UPDATE sqlite_schema SET name = 'sqlite_stat1', tbl_name = 'sqlite_stat1', "
                    "sql = replace(sql, 'own', 'sqlite_stat1') WHERE name = 'own'")
        limit = "ulimit -v 400000; exec \"$0\" \"$@\""
        for call, status in (["runs"], 4), (["merge", "--db", "all.db", "w.db"], 3), (["check"], 1):
            done = subprocess.run(["sh", "-c", limit, TPQ, *call], cwd=self.folder, capture_output=True, text=True,
                                  env={**os.environ, "TPQ_DB": self.db})
            self.assertEqual(status, done.returncode, done.stderr)
            self.assertIn("table sqlite_stat1 has an expression", done.stdout + done.stderr)

    def test_what_the_file_says_of_itself_proves_nothing(self):
        self.change("CREATE VIEW pragma_application_id AS SELECT 1953526135 AS application_id", "PRAGMA application_id = 5")
        self.one_line(self.tpq("runs", status=2), "not a tpq warehouse")


class Reading(Case):
    """A verb that only reads writes nothing but answers about whole runs, once, and only into a file as tpq makes it."""

    def prepare(self):
        self.tpq("ingest", "-q", "--run", "a", TRAIN)
        self.tpq("ingest", "-q", "--run", "b", TRAIN)

    def change(self, sql):
        connection = sqlite3.connect(self.db, isolation_level=None)
        connection.executescript(sql)
        connection.close()

    def play(self, status=None):
        before = {name: digest(self.path(name)) for name in os.listdir(self.folder) if name.startswith("w.db")}
        for name, call in READS.items():
            self.tpq(*call, status=status)
            after = {file: digest(self.path(file)) for file in os.listdir(self.folder) if file.startswith("w.db")}
            self.assertEqual(before, after, name)

    def test_a_file_as_it_was_made(self):
        before = self.dump()
        for call in READS.values():
            self.tpq(*call, status=None)
        self.assertEqual(self.dump(), before)
        self.play()

    def test_views_of_another_version(self):
        self.change("CREATE VIEW slice AS SELECT 1 AS one;"
                    "UPDATE setting SET value = 'other' WHERE name = 'views'")
        self.assertEqual("1\n", self.tpq("sql", "-m", "csv", "SELECT count(*) > 9 FROM slice").out.split(chr(10), 1)[1])
        self.play()

    def test_what_a_dead_process_left(self):
        runs = self.tpq("runs").out
        child = os.fork()
        if child == 0:  # dies in the middle of a transaction that has reached the file
            connection = sqlite3.connect(self.db, isolation_level=None)
            connection.execute("PRAGMA cache_size = 5")
            connection.execute("BEGIN")
            connection.execute("UPDATE event SET dur_ns = dur_ns + 1")
            connection.execute("UPDATE string SET text = text || hex(randomblob(200))")
            connection.execute("DELETE FROM run")
            os._exit(0)
        os.waitpid(child, 0)
        self.assertGreater(os.stat(self.db + "-journal").st_size, 512)
        self.assertEqual(runs, self.tpq("runs").out)
        self.play()
        self.tpq("rm", "a")  # who writes rolls back first
        self.assertFalse(os.path.exists(self.db + "-journal"))
        self.tpq("check")

    def test_a_journal_that_names_another(self):
        victim = self.write("victim-journal", "precious")
        name = victim.encode()
        header = bytes.fromhex("d9d505f920a163d7") + bytes(8) + (4).to_bytes(4, "big")
        header = header + (512).to_bytes(4, "big") + (4096).to_bytes(4, "big")
        tail = ((4096 * 4) // 4096 + 1).to_bytes(4, "big") + name + len(name).to_bytes(4, "big") + \
            (sum(name) & 0xFFFFFFFF).to_bytes(4, "big") + bytes.fromhex("d9d505f920a163d7")
        self.write("w.db-journal", header.ljust(512, b"\0") + tail)
        for call in (["runs"], ["rm", "a"], ["ingest", "-q", "--run", "c", self.db]):
            self.tpq(*call, status=None)
            self.assertTrue(os.path.exists(victim), call)


if __name__ == "__main__":
    unittest.main()
