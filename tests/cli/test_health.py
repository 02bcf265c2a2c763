"""trace_health: whether a trace can be believed, and by which rules."""

import contextlib
import gzip
import json
import os
import random
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


def launches(count, *, without=(), first=1):
    """So many launches a thread, each with an op around it and a kernel."""
    events = []
    for i in range(first, first + count):
        at = 1000 * i
        events += [slice_event("aten::mm", at, 100, args={"Input Dims": [[4, 8]], "External id": i}),
                   slice_event("cudaLaunchKernel", at + 20, 6.5, "cuda_runtime", args={"correlation": 10 * i})]
        if i not in without:
            events.append(slice_event("gemm", at + 50, 600.5, "kernel", thread=7, process=0,
                                      args={"correlation": 10 * i, "device": 0, "stream": 7}))
    return events


def kernel(ts, dur, correlation, **more):
    return slice_event("gemm", ts, dur, "kernel", thread=7, process=0,
                       args={"device": 0, "stream": 7, "correlation": correlation}, **more)


CLEAN = launches(20)
BROKEN = {  # what is put in, or what is there instead: check, verdict, count
    "kernels_lost": (launches(20, without=(5, 6)), "broken", 2),
    "carried_out": (launches(20, without=(19, 20)), "warning", 2),
    "gpu_missing": (launches(20, without=range(21)), "broken", 20),
    "carried_in": ([*CLEAN, kernel(10, 900, 3)], "warning", 1),
    "calls_lost": ([*CLEAN, kernel(10, 900, 55)], "warning", 1),
    "correlation_missing": ([*CLEAN, kernel(10, 900, 0)], "warning", 1),
    "correlation_reused": ([*CLEAN, slice_event("cudaLaunchKernel", 700, 6.5, "cuda_runtime", args={"correlation": 10})], "broken", 1),
    "kernel_before_launch": ([*CLEAN[:-1], kernel(20010, 5, 200)], "warning", 1),
    "stream_overlap": ([*CLEAN, kernel(1100, 500, 10)], "warning", 1),
    "host_overlap": ([*CLEAN, slice_event("aten::add", 1090, 90)], "broken", 1),
    "duplicate_events": ([*CLEAN, CLEAN[-1]], "broken", 1),
    "duration_negative": ([*CLEAN, slice_event("aten::add", 900, -5)], "broken", 1),
    "time_unit": ([{**event, "dur": event["dur"] * 1000} if "cuda" in event["name"] else event for event in CLEAN], "broken", 1),
    "shapes_missing": ([*CLEAN, slice_event("aten::mm", 900, 5)], "warning", 1),
}


class Checks(Health):
    def test_what_is_broken(self):
        self.tpq("ingest", self.write("clean.json", trace_of(*CLEAN)))
        self.assertEqual({verdict for verdict, _ in self.verdicts().values()}, {"ok", "cannot tell"})
        for check, (events, verdict, count) in BROKEN.items():
            with self.subTest(check):
                rows = self.health(self.write(f"{check}.json", trace_of(*events)))
                self.assertEqual((rows[check]["verdict"], rows[check]["count"]), (verdict, count))

    def test_values_and_limits_are_said(self):
        cut = [slice_event(f"ProfilerStep#{i}", at, length, "user_annotation", thread=2) for i, (at, length) in enumerate(((900, 2000), (3000, 8900), (12000, 8900), (20950, 100)))]
        for check, events, said in (("stream_overlap", BROKEN["stream_overlap"][0], ("500 us", "≤ 20 us", "ns")),
                                    ("time_unit", BROKEN["time_unit"][0], ("6.5 ms", "100 ns to 500 us", "ns")),
                                    ("far_events", [*CLEAN * 20, slice_event("aten::mm", 9e6, 1)], ("471.4 spans", "≤ 10 spans", "spans")),
                                    ("step_cut", CLEAN + cut, ("0", "≥ 0.5", "share")),
                                    ("kernels_lost", BROKEN["kernels_lost"][0], (None, None, None))):
            row = self.health(self.write(f"{check}.json", trace_of(*events)))[check]
            self.assertEqual(tuple(row[name] for name in ("value", "expected", "unit")), said, check)

    def test_order_does_not_matter(self):
        for check, (events, *_) in BROKEN.items():
            shuffled = random.Random(check).sample(events, len(events))
            self.assertEqual(self.verdicts(self.write("straight.json", trace_of(*events))),
                             self.verdicts(self.write("shuffled.json", trace_of(*shuffled))), check)

    def test_facts_travel(self):
        for check in ("kernels_lost", "carried_in", "host_overlap"):
            self.tpq("ingest", self.write(f"{check}.json", trace_of(*BROKEN[check][0])), "--db", f"{check}.db")
        self.tpq("merge", "kernels_lost.db", "carried_in.db", "host_overlap.db")
        for check in ("kernels_lost", "carried_in", "host_overlap"):
            told = self.verdicts("--run", check)
            self.assertEqual(told, self.verdicts("--db", f"{check}.db"))
            self.tpq("export", "--run", check, "--format", "chrome", "-o", f"{check}_again.json")
            again = self.verdicts(f"{check}_again.json")
            self.assertEqual({row: verdict for row, (verdict, _) in told.items()},
                             {row: verdict for row, (verdict, _) in again.items()}, check)
        self.check()


class Touched(Health):
    def line(self, *events):
        return json.loads(self.tpq("report", self.write("t.json", trace_of(*events)), "overview", "--json").out)["meta"]["health"]

    def test_doubts_that_touch_no_figure_of_the_gpu(self):
        """Links are lost, and no time of the GPU: the trace stays comparable."""
        events = [*CLEAN, *(kernel(30000 + 900 * i, 800.5, 0) for i in range(5))]
        self.assertEqual(self.line(*events)["verdict"], "usable with care")
        self.assertTrue(self.line(*events)["line"].startswith(
            "Health: GPU figures complete; correlation_missing (5 of 25 GPU activities without correlation id); "), self.line(*events))

    def test_devices_without_ids(self):
        events = [slice_event(event["name"], event["ts"], event["dur"], event["cat"], thread=event["tid"], process=event["pid"]) for event in CLEAN]
        self.assertEqual(self.line(*events)["checks"]["broken"], [])

    def test_an_empty_element_is_no_event(self):
        made = trace_of(*CLEAN)
        made["traceEvents"].insert(0, {})
        self.assertEqual(self.verdicts(self.write("e.json", made))["events_unreadable"], ("ok", 0))
        made["traceEvents"].insert(0, {"a": 1})
        self.assertEqual(self.verdicts(self.write("e.json", made))["events_unreadable"][1], 1)


class Runs(Health):
    def test_what_is_selected_hides_nothing(self):
        for rank in (0, 1, 3):
            self.tpq("ingest", self.write(f"{rank}.json", trace_of(*CLEAN, distributedInfo={"rank": rank, "world_size": 4})), "--run", "r")
        for selection in ((), ("--rank", "1"), ("--time", "1ms-2ms")):
            row = self.health(*selection)["ranks_missing"]
            self.assertEqual((row["verdict"], row["count"], row["base"], row["trace_id"]), ("warning", 1, 4, None))
            self.assertIn("Health: usable with care: ranks_missing (1 of 4 ranks", self.tpq("report", "gpu_timeline", *selection).out)
        self.assertNotIn("ranks_missing", self.health("1.json"))

    def verdict_of_run(self, run):
        sql = f"SELECT verdict, warnings, broken, untold, line FROM trace_verdict WHERE trace_id IS NULL AND run = '{run}'"
        row, = json.loads(self.tpq("sql", "-m", "json", sql).out)
        return tuple(row.values())

    def test_a_run_is_no_better_than_its_traces(self):
        """Both are said at the head: what is broken in a trace, and what is broken in the run."""
        for name, rank, without in (("a", 0, ()), ("b", 1, (5, 6)), ("c", 1, (5,)), ("d", 2, ())):
            self.tpq("ingest", self.write(f"{name}.json", trace_of(*launches(20, without=without), distributedInfo={"rank": rank, "world_size": 3})),
                     "--run", "r" if name != "b" else "alone")
        line = "Health: not comparable: kernels_lost (1 of 20 kernel launches without GPU activity; rank 1); 8 of 32 checks cannot tell"
        self.assertEqual(self.verdict_of_run("r"), ("not comparable", 0, 1, 8, line))
        self.assertEqual(self.verdict_of_run("alone"), ("not comparable", 0, 1, 7, line.replace("1 of 20", "2 of 20").replace("; rank 1", "").replace("8 of 32", "7 of 29")))
        self.tpq("ingest", "b.json", "--run", "r")
        line = line.replace("1 of 20 kernel launches without GPU activity; rank 1)", "2 of 20 kernel launches without GPU activity; worst of 2 traces), rank_twice (1 of 3 ranks that are in the run more than once)")
        self.assertEqual(self.verdict_of_run("r"), ("not comparable", 0, 2, 8, line))
        report = self.tpq("report", "gpu_timeline", "--run", "r", "--json")
        health = json.loads(report.out)["meta"]["health"]
        self.assertEqual((health["line"], health["checks"]["broken"]), (line, ["kernels_lost", "rank_twice"]))
        self.assertEqual([row["health"] for row in json.loads(self.tpq("runs", "--json").out)["runs"]], ["not comparable"] * 2)
        self.assertIn("; 1 other run is also doubtful (report trace_health)", self.tpq("report", "gpu_timeline", "--wide", "--run", "r", "--run", "alone").out)


class Parts(Health):
    """What tpq itself cut out has edges, and they are no fault."""

    def setUp(self):
        super().setUp()
        steps = [slice_event(f"ProfilerStep#{i}", 5000 * i + 1000, 4990, "user_annotation", thread=2) for i in range(4)]
        self.write("whole.json", trace_of(*CLEAN, *steps, schemaVersion=1))

    def is_part(self, path):
        with (gzip.open if path.endswith(".gz") else open)(self.path(path)) as file:
            return json.load(file).get("tpq_part", False)

    def test_of_split(self):
        self.tpq("split", "whole.json", "-o", "parts", "--store-single-iteration")
        names = [name for name in sorted(os.listdir(self.path("parts"))) if name.endswith(".gz")]
        self.assertEqual(len(names), 4)
        for name in names:
            self.assertIs(self.is_part(f"parts/{name}"), True)
            self.assertEqual({row["verdict"] for row in self.health(f"parts/{name}").values()}, {"ok", "cannot tell"})

    def test_of_export(self):
        for name, options, is_part in (("all.json", (), False), ("part.json", ("--time", "4ms-9ms"), True)):
            self.tpq("export", "whole.json", "-o", name, *options)
            self.assertIs(self.is_part(name), is_part)
            self.assertEqual(self.health(name)["file_cut"]["verdict"], "ok")
        self.tpq("export", "part.json", "-o", "again.json")
        self.assertIs(self.is_part("again.json"), True)

    def test_edges_are_notes(self):
        for check in ("carried_in", "carried_out"):
            events, _, count = BROKEN[check]
            rows = self.health(self.write("part.json", trace_of(*events, tpq_part=True)))
            self.assertEqual((rows[check]["verdict"], rows[check]["count"]), ("note", count))
        for check in ("host_overlap", "kernels_lost", "calls_lost"):  # no cut makes these
            rows = self.health(self.write("part.json", trace_of(*BROKEN[check][0], tpq_part=True)))
            self.assertIn(rows[check]["verdict"], ("warning", "broken"))


class Thresholds(Health):
    def prepare(self):
        self.write("t.json", trace_of(*BROKEN["kernels_lost"][0]))
        self.tpq("ingest", "t.json")

    def verdict(self, *arguments):
        row = self.health(*arguments)["kernels_lost"]
        return row["verdict"], row["count"]

    def change(self, statement):
        with sqlite3.connect(self.db) as connection:
            connection.execute(f"UPDATE health_check SET {statement}, source = 'user' WHERE \"check\" = 'kernels_lost'")
        connection.close()

    def test_rows_of_the_warehouse(self):
        self.assertEqual(self.verdict(), ("broken", 2))
        self.change("broken_share = 0.11")
        self.assertEqual(self.verdict(), ("warning", 2))
        self.change("warning_share = 0.11")
        self.assertEqual(self.verdict(), ("note", 2))
        self.change("warning_count = NULL")
        self.assertEqual(self.verdict(), ("cannot tell", None))
        self.assertEqual(self.health()["kernels_lost"]["reason"], "turned off")

    def test_extension_files(self):
        change = self.write("change.sql", "UPDATE health_check SET broken_share = 0.11 WHERE \"check\" = 'kernels_lost';")
        self.assertEqual(self.verdict("--extension-file", change), ("warning", 2))
        replace = self.write("replace.sql",
                             "INSERT INTO health_check (\"check\", position, counts, base, warning_count, title) "
                             "VALUES ('kernels_lost', 5, 'launches', 'launches', 3, 'lost');")
        self.assertEqual(self.verdict("--extension-file", replace), ("note", 2))
        self.assertEqual(self.verdict(), ("broken", 2))

    def test_rules_of_a_call(self):
        rule = ("--health-rule", "kernels_lost.broken_share=0.11")
        self.assertEqual(self.verdict(*rule), ("warning", 2))
        self.assertEqual(self.verdict("t.json", *rule, "--health-rule", "kernels_lost.warning_count=3"), ("note", 2))
        self.assertIn("usable with care", self.tpq("report", *rule, "trace_health", "--csv").health)
        self.assertEqual(self.verdict(), ("broken", 2))
        for words, problem in (("lost.warning_count=3", "there is no check 'lost'"),
                               ("kernels_lost.source=3", "COLUMN is warning_count"),
                               ("kernels_lost.warning_count=much", "VALUE is no whole number"),
                               ("kernels_lost.warning_count=1.5", "VALUE is no whole number"),
                               ("kernels_lost.warning_share=", "VALUE is no number"),
                               ("kernels_lost.tolerance=5", "there is no check 'kernels_lost' with such a tolerance"),
                               ("stream_overlap.tolerance=1..5", "there is no check 'stream_overlap' with such a tolerance"),
                               ("time_unit.tolerance=1..much", "VALUE is a number, or two with .. between: 100..500000"),
                               ("kernels_lost", "expected CHECK.COLUMN=VALUE")):
            self.one_line(self.tpq("report", "trace_health", "--health-rule", words, status=2), problem)

    def test_a_check_is_turned_off(self):
        for nothing in ("", "NULL"):
            rule = ("--health-rule", f"kernels_lost.warning_count={nothing}")
            row = self.health(*rule)["kernels_lost"]
            self.assertEqual((row["verdict"], row["reason"]), ("cannot tell", "turned off"))

    def test_rules_of_other_calls(self):
        self.tpq("ingest", self.write("clean.json", trace_of(*CLEAN)))
        care, off = (("--health-rule", f"kernels_lost.{words}") for words in ("broken_share=0.11", "warning_count="))
        for verb, key in (("runs", "run"), ("traces", "run")):
            def verdict(*rule):
                listed = json.loads(self.tpq(verb, "--json", *rule).out)[verb]
                return {row[key]: row["health"] for row in listed}["t"]
            self.assertEqual([verdict(*rule) for rule in ((), care, off)], ["not comparable", "usable with care", "complete"])
        for verb in (("compare", "clean", "t"), ("gate", "--baseline", "clean", "--candidate", "t", "--single-ok")):
            status = 5 if verb[0] == "gate" else 0  # in any case: they are windows of one length
            self.assertIn("Undecided: incomplete trace: t: kernels_lost", self.tpq(*verb, status=status).out)
            self.assertNotIn("incomplete", self.tpq(*verb, *care, status=status).out)
            self.assertNotIn("kernels_lost", self.tpq(*verb, *off, status=status).out)
        self.assertIn("not comparable", self.tpq("history", "op").out)
        self.assertNotIn("not comparable", self.tpq("history", "op", *care).out)


LONG = "SELECT trace_id, count(*) FILTER (WHERE dur_ns > 600000), count(*) FROM gpu_event GROUP BY trace_id"


class Measures(Health):
    """Checks of users: a SELECT counts when verdicts are asked for."""

    def prepare(self):
        self.write("t.json", trace_of(*CLEAN))
        self.tpq("ingest", "t.json")

    def measured(self, measure, *more, level="trace", name="mine"):
        """The options for a check of this name with this SELECT."""
        text = measure.replace("'", "''")
        file = self.write(f"{name}.sql", "INSERT INTO health_check (\"check\", position, level, counts, base, warning_count, title, measure) "
                          f"VALUES ('{name}', 5, '{level}', 'long kernels', 'kernels', 1, 'kernels that take long', '{text}');")
        return ("--extension-file", file, *more)

    def mine(self, measure, *more, **how):
        return self.health(*self.measured(measure, *more, **how)).get("mine")

    def test_columns_by_name(self):
        columns = LONG.replace("FILTER (WHERE dur_ns > 600000), count(*)", "AS count, 40 AS base, max(dur_ns) AS value, max(id) AS example_id, 7e6 AS first_ns")
        for measure, found in ((LONG, (20, 20, 1.0, None, None)),
                               (columns, (20, 40, 0.5, "600,500", 7.0)),
                               (f"SELECT base, count, trace_id FROM ({columns})", (20, 40, 0.5, None, None))):
            row = self.mine(measure)
            self.assertEqual((row["verdict"], row["trace_id"]), ("warning", 1))
            self.assertEqual(tuple(row[name] for name in ("count", "base", "share", "value", "first_ms")), found)
        result = self.tpq("report", *self.measured(columns), "overview", "--csv")
        self.assertIn("Health: usable with care: mine (20 of 40 kernels: kernels that take long)", result.health)
        self.assertEqual(self.tpq("report", "overview", "--csv").health, "")

    def test_views_and_rows_of_the_warehouse(self):
        measure = "SELECT trace_id, count(*) AS count, count(*) AS base FROM slice JOIN run ON run.name = slice.run GROUP BY trace_id"
        with sqlite3.connect(self.db) as connection:
            connection.execute("INSERT INTO health_check (\"check\", position, counts, base, warning_count, title, measure) "
                               "VALUES ('mine', 5, 'slices', 'slices', 1, 'slices', ?)", (measure,))
        connection.close()
        self.assertEqual(self.verdicts()["mine"], ("warning", 60))
        self.assertIn("warning", self.tpq("sql", "SELECT verdict FROM trace_health WHERE \"check\" = 'mine'").out)
        self.assertIn("60", self.tpq("sql", "SELECT \"check\", count FROM health_measured").out)
        self.assertEqual(self.value("SELECT count(*) FROM health_fact WHERE \"check\" = 'mine'"), 0)
        self.check()

    def test_rows_of_a_file_are_bounded(self):
        endless = "(WITH RECURSIVE c (x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c)"
        change = "INSERT OR REPLACE INTO health_check (\"check\", position, counts, base, warning_count, title, measure) VALUES ('mine', 5, 'slices', 'slices', 1, 'slices', ?)"
        reads = "SELECT trace_id, count(*) AS count, {} AS base FROM slice GROUP BY trace_id"
        for base, why in ((endless, "stopped after a second"), ("load_extension('x')", "not authorized"), ("tpq_set('limit', 1)", "not authorized"),
                          ("(SELECT count(*) FROM pragma_database_list)", "not authorized|prohibited"), ("(SELECT count(*) FROM own)", "own.x is prohibited|not authorized|prohibited"),
                          ("sum(dur_ns > 0) + length(upper(max(name))) * 0 + coalesce(median(dur_ns), 0) * 0", None)):
            with contextlib.closing(sqlite3.connect(self.db, isolation_level=None)) as connection:
                connection.execute("CREATE TABLE IF NOT EXISTS own (x)")
                connection.execute(change, (reads.format(base),))
            with self.subTest(base=base):
                row = self.health()["mine"]
                if why:
                    self.assertRegex(str(row), why)
                else:
                    self.assertNotIn("its measure fails", str(row))
                self.assertLess(len(self.tpq("runs").err.splitlines()), 3)
        with contextlib.closing(sqlite3.connect(self.db, isolation_level=None)) as connection:
            connection.execute(change, (reads.format("(SELECT 1 + count(*) FROM own)"),))
        self.assertNotIn("its measure fails", str(self.health("--trust")["mine"]))
        with contextlib.closing(sqlite3.connect(self.db, isolation_level=None)) as connection:
            connection.execute("DELETE FROM health_check WHERE \"check\" = 'mine'")
            connection.execute("DROP TABLE own")
            connection.execute("INSERT INTO advice_rule (rule, position, threshold, unit, title, action, report, doc, measure) VALUES "
                               f"('bad', 1, 1, 'us', 't', 'a', 'advice', 'd', 'SELECT run, trace_id, {endless} AS value, 1 AS count, 1 AS time_ns, 1 AS saving_ns, 1 AS example_id FROM slice')")
        self.assertIn("stopped after a second", self.tpq("report", "--db", self.db, "advice", status=4).err)
        with contextlib.closing(sqlite3.connect(self.db, isolation_level=None)) as connection:  # each list has its second
            connection.execute("UPDATE advice_rule SET measure = replace(measure, ?, 'max(dur_ns)') WHERE rule = 'bad'", (endless,))
            connection.execute(change, (reads.format(endless),))
        told = self.tpq("sql", "-m", "csv", "SELECT reason FROM trace_health WHERE \"check\" = 'mine'; SELECT rule FROM advice_question WHERE rule = 'bad'").out
        self.assertRegex(told, r"(?s)stopped after a second.*\nbad\n")

    def test_what_cannot_be_told(self):
        one = "SELECT 1 AS trace_id, 0 AS count, 0 AS base"
        cases = (("SELECT lost FROM gpu_event", "its measure fails: no such column: lost"),
                 ("SELECT 1 AS trace_id, 2 AS count", "its measure fails: it has no column base"),
                 ("SELECT 1 FROM FROM run", "its measure fails: near \"FROM\": syntax error"),
                 ("SELECT 1; SELECT 2", "its measure fails: more than one statement"),
                 (f"{one}); DELETE FROM run; SELECT 1 FROM (SELECT 2", "its measure fails: more than one statement"),
                 (f"{one} UNION ALL SELECT 1, abs(-9223372036854775807 - 1), 1", "its measure fails: integer overflow"),
                 ("SELECT trace_id, 1 AS count, 2 AS base FROM health_verdict", "its measure fails: what a check measures asks for checks"),
                 (f"{one} WHERE 0", "its measure has no row for the trace"),
                 (f"{one} UNION ALL SELECT 1, 2, 3", "its measure has several rows for one trace"),
                 ("SELECT 1 AS trace_id, 'abc' AS count, 10 AS base", "its measure gives a count that is no number from 0 on"),
                 ("SELECT 1 AS trace_id, -3 AS count, 10 AS base", "its measure gives a count that is no number from 0 on"),
                 ("SELECT 1 AS trace_id, 3 AS count, '' AS base", "its measure gives a base that is no number from 0 on"),
                 (one, "there are no kernels"),
                 ("SELECT 1 AS trace_id, NULL AS count, 3 AS base, 'not today' AS reason", "not today"))
        found = self.health(*(word for number, (measure, _) in enumerate(cases) for word in self.measured(measure, name=f"mine{number}")))
        for number, (_, reason) in enumerate(cases):
            row = found[f"mine{number}"]
            self.assertEqual((row["verdict"], row["count"], row["reason"]), ("cannot tell", None, reason))
        self.assertEqual(self.mine(one, "--health-rule", "kernels_lost.warning_count=3")["reason"], "there are no kernels")

    def test_of_runs(self):
        measure = "SELECT name AS run, 3 AS count, 4 AS base FROM run"
        self.tpq("ingest", "t.json", "--run", "other")
        row = self.mine(measure, "--run", "other", level="run")
        self.assertEqual((row["run"], row["trace_id"], row["verdict"], row["share"]), ("other", None, "warning", 0.75))
        self.assertEqual(self.mine("SELECT 1 AS trace_id", "--run", "other", level="run")["reason"], "its measure fails: it has no column run")


class OlderWarehouses(Health):
    def prepare(self):
        self.make_trace("t.json")
        self.tpq("ingest", "t.json")
        older(self.db)

    def test_reads(self):
        before = self.snapshot()
        self.assertEqual({check for check, row in self.health().items() if row["reason"] == "ingested by an older tpq"},
                         {"file_cut", "duplicate_events", "frames_lost"})
        self.tpq("report", "overview")
        self.assertEqual(self.snapshot(), before)
        self.check()
        self.tpq("ingest", self.make_trace("other.json", "--seed", 2))
        self.assertEqual(self.value("SELECT count(DISTINCT trace_id) FROM health_fact"), 1)
        self.check()

    def test_merges(self):
        self.tpq("merge", self.db, "--db", "into.db")
        self.assertEqual(self.verdicts("--db", "into.db"), self.verdicts())
        self.check("into.db")

    def test_what_a_newer_one_lost_is_missing(self):
        self.tpq("ingest", "t.json", "--db", "new.db")
        with sqlite3.connect(self.path("new.db")) as connection:
            connection.execute("DROP TABLE health_fact")
        connection.close()
        self.assertIn("table health_fact is missing", self.tpq("check", "--db", "new.db", status=1).out)


if __name__ == "__main__":
    main()
