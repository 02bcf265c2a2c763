"""fact_*: the same rows in every warehouse, of the types that they state, by names that every engine takes."""

import pathlib
import re

from support import Case, main

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests" / "fixtures"
TRACES = [FIXTURES / name for name in (
    "tt/ops_perf_results.csv", "jax/small.xplane.pb", "rocpd/small.db", "nsys/small.sqlite",
    "train/rank_1.json.gz", "train/rank_0.json.gz")]
UNITS = {"ns": "integer", "bytes": "integer", "boolean": "integer", "kernel": "text"}
# Words that PostgreSQL 15 or DuckDB 1.5 take for something else where a column may stand.
RESERVED = set("""all analyse analyze and any array as asc asymmetric both case cast check collate column
constraint create current_catalog current_date current_role current_time current_timestamp current_user default
deferrable desc distinct do else end except false fetch for foreign from grant group having in initially intersect
into lateral leading limit localtime localtimestamp not null offset on only or order placing primary references
returning select session_user some symmetric system_user table then to trailing true union unique user using
variadic when where window with authorization binary collation concurrently cross current_schema freeze full ilike
inner is isnull join left like natural notnull outer overlaps right similar tablesample verbose anti asof at
describe generated glob lambda map pivot pivot_longer pivot_wider positional qualify semi show struct summarize
try_cast unpack unpivot""".split())


def stated():
    """{view: {column: type}}, from the comments."""
    views = {}
    text = (ROOT / "sql" / "views" / "facts.sql").read_text(encoding="utf-8")
    for name, body in re.findall(r"CREATE VIEW (fact_\w+) AS\n(.*?);\n", text, re.S):
        columns = views.setdefault(name, {})
        for column, unit in re.findall(r" AS (\w+),? -- (?:\[(\w+)\] )?\S", body):
            unit = unit or ("ns" if column.endswith("_ns") else "bytes" if column.endswith("_bytes") else "")
            columns[column] = UNITS.get(unit, unit)
    del views["fact_key"]
    return views


class Facts(Case):
    def asked(self, sql, db=None):
        """The rows that tpq gives, with the types of their values."""
        out = self.tpq("sql", "--db", db or self.db, "--mode", "jsonl", sql).out
        return out.splitlines()

    def prepare(self):
        self.tpq("ingest", "-q", "--run", "a", *TRACES)
        self.tpq("ingest", "-q", "--run", "a", "--db", "other.db", *reversed(TRACES))

    def test_they_are_the_same_in_every_warehouse(self):
        for view, columns in stated().items():
            names = ", ".join(sorted(set(columns) - {"created_at", "ingested_at"}))
            sql = f"SELECT {names} FROM {view}"
            here, there = sorted(self.asked(sql)), sorted(self.asked(sql, "other.db"))
            self.assertTrue(here, view)
            self.assertEqual(here, there, view)

    def test_values_have_the_types_that_are_stated(self):
        for view, columns in stated().items():
            self.assertEqual(set(columns.values()) - {"integer", "real", "text"}, set(), view)
            self.assertEqual(list(columns)[:2], ["run", "trace"])
            found = [f"SELECT DISTINCT '{name} ' || typeof({name}) AS x FROM {view} "
                     f"WHERE typeof({name}) NOT IN ('null', '{kind}')" for name, kind in columns.items()]
            odd = self.asked(" UNION ALL ".join(found))
            # a real column may hold whole numbers, which become reals
            self.assertEqual([line for line in odd if not ("real" in columns.values() and re.search(
                r'"(flops|bytes) integer"', line))], [], view)

    def test_names_are_names_in_every_engine(self):
        columns = [(view, name) for view, names in stated().items() for name in names]
        columns += self.rows("SELECT report, name FROM report_column")
        self.assertEqual(self.rows("SELECT report, name FROM report_column WHERE coalesce(type, '') NOT IN "
                                   "('integer', 'real', 'text')"), [])
        self.assertEqual([pair for pair in columns if pair[1].lower() in RESERVED], [("trace_health", "check")])
        lower = {}
        for view, name in columns:
            self.assertEqual(lower.setdefault((view, name.lower()), name), name, view)

    def test_they_count_what_is_there(self):
        tables = {"fact_trace": "trace", "fact_gpu": "gpu_event", "fact_event": "event",
                  "fact_step": "signpost", "fact_note": "ingest_note"}
        for view, table in tables.items():
            self.assertEqual(self.asked(f"SELECT count(*) AS n FROM {view}"),
                             self.asked(f"SELECT count(*) AS n FROM {table}"), view)
        self.assertEqual(self.asked("SELECT count(*) AS n FROM fact_event AS one JOIN fact_event AS other ON "
                                    "other.trace = one.trace AND other.event = one.parent_event "
                                    "AND one.event BETWEEN other.event AND other.last_event"),
                         self.asked("SELECT count(up) AS n FROM event"))

    def test_kernels_have_the_parents_that_the_report_shows(self):
        order = " ORDER BY 1, 2, 3, 4, 5, 6"
        self.assertEqual(
            self.asked("SELECT content_hash || coalesce('-' || rank, '') AS trace, kernel_name, kernel_stream, "
                       "parent_cpu_op, parent_op_category, kernel_duration_count FROM kernel_summary JOIN trace "
                       "ON trace.id = trace_id WHERE format = 'kineto'" + order),
            self.asked("SELECT trace, name AS kernel_name, stream AS kernel_stream, parent AS parent_cpu_op, "
                       "parent_category AS parent_op_category, count(*) AS kernel_duration_count FROM fact_gpu "
                       "WHERE kind = 'kernel' AND trace IN (SELECT trace FROM fact_trace WHERE format = 'kineto') "
                       "GROUP BY trace, name, stream, parent, parent_category" + order))

    def test_those_of_a_trace_do_not_go_through_the_signatures_of_all(self):
        for view in stated():
            plan = self.asked(f"EXPLAIN QUERY PLAN SELECT * FROM {view}")
            self.assertEqual([line for line in plan if re.search(r"SCAN op\b", line)], [], view)

    def test_a_selection_is_what_is_selected(self):
        one = self.asked("SELECT * FROM fact_gpu WHERE trace LIKE '%-1'")
        self.assertEqual(sorted(one), sorted(self.tpq(
            "sql", "--rank", 1, "--mode", "jsonl", "SELECT * FROM fact_gpu WHERE trace LIKE '%-1'").out.splitlines()))


if __name__ == "__main__":
    main()
