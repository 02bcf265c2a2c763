"""trace_health: whether a trace can be believed, and by which rules."""

import json
import sqlite3

from support import Case, main, slice_event, trace_of


def older(path):
    """Makes a warehouse what a tpq wrote that knew no health."""
    with sqlite3.connect(path) as connection:
        connection.executescript("DROP TABLE health_fact; DROP TABLE health_check; DROP TABLE IF EXISTS health_touch;"
                                 "UPDATE setting SET value = 'feedfacecafebeef' WHERE name = 'views'")
    connection.close()


class Health(Case):
    def health(self, *arguments, **more):
        """The rows of trace_health by their check."""
        rows = json.loads(self.tpq("report", *arguments, "trace_health", "--json", **more).out)["trace_health"]
        return {row["check"]: row for row in rows}

    def verdicts(self, *arguments):
        return {check: (row["verdict"], row["count"]) for check, row in self.health(*arguments).items()}


class OlderWarehouses(Health):
    def setUp(self):
        super().setUp()
        self.make_trace("t.json")
        self.tpq("ingest", "t.json")
        older(self.db)

    def test_reads(self):
        before = self.snapshot()
        self.assertEqual({(row["verdict"], row["reason"]) for row in self.health().values()
                          if not row["reason"].startswith("not checked for")},
                         {("cannot tell", "ingested by an older tpq")})
        self.tpq("report", "overview")
        self.assertEqual(self.snapshot(), before)
        self.check()
        self.tpq("ingest", self.make_trace("other.json", "--seed", 2))
        self.assertEqual(self.value("SELECT count(DISTINCT trace_id) FROM health_fact"), 1)
        self.check()

    def test_merges(self):
        self.tpq("merge", self.db, "--db", "into.db")
        self.assertEqual({row["verdict"] for row in self.health("--db", "into.db").values()}, {"cannot tell"})
        self.check("into.db")

    def test_what_a_newer_one_lost_is_missing(self):
        self.tpq("ingest", "t.json", "--db", "new.db")
        with sqlite3.connect(self.path("new.db")) as connection:
            connection.execute("DROP TABLE health_fact")
        connection.close()
        self.assertIn("table health_fact: missing", self.tpq("check", "--db", "new.db", status=4).out)


if __name__ == "__main__":
    main()
