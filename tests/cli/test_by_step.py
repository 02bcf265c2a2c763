"""tpq report --by: every report with the step and the rank of its rows, in one call."""

import csv
import io
import json
import os

from support import Case, main, sheets_in, slice_event, trace_of

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TRAIN = os.path.join(ROOT, "tests", "fixtures", "train")


class ByStep(Case):
    """Two ranks of three steps, with some work before the first step and after the last one."""

    def prepare(self):
        self.tpq("ingest", "-q", "--run", "base", TRAIN)

    def sheets(self, *arguments, **more):
        return sheets_in(self.tpq("report", *arguments, "--json", **more).out)

    def rows_of(self, report, *arguments):
        sheets = self.sheets(*arguments, report)
        return sheets.get(report, sum(sheets.values(), []))

    def test_the_timeline_of_each_step_and_rank(self):
        """One call says what a call for each of them says."""
        rows = self.rows_of("gpu_timeline", "--by", "step,rank")
        steps = sorted({row["step"] for row in rows if row["step"] is not None})
        self.assertEqual(steps, [1, 2, 3])
        for step in steps:
            for rank in (0, 1):
                alone = self.rows_of("gpu_timeline", "--step", step, "--rank", rank)
                self.assertEqual([(row["type"], row["time_ms"], row["percent"]) for row in alone],
                                 [(row["type"], row["time_ms"], row["percent"]) for row in rows
                                  if (row["step"], row["rank"]) == (step, rank)])

    def test_steps_are_all_of_it(self):
        """What adds up over an event adds up over steps, with what is in none."""
        self.write("more.sql", "UPDATE signpost SET step = NULL, kind = 'range' WHERE step = 2;")
        self.tpq("sql", "--write", "--file", "more.sql")
        for report, key, measure in (("ops_summary", "name", "total_direct_kernel_time_ms"),
                                     ("ops_summary", "name", "count"),
                                     ("kernel_launchers", "uid", "total_direct_kernel_time"),
                                     ("kernel_summary", "kernel_name", "kernel_duration_sum")):
            whole, parts = {}, {}
            for row in self.rows_of(report):
                whole[row[key]] = whole.get(row[key], 0) + (row.get(measure) or 0)
            rows = self.rows_of(report, "--by", "step")
            for row in rows:
                parts[row[key]] = parts.get(row[key], 0) + (row.get(measure) or 0)
            self.assertEqual(sorted(whole), sorted(parts), report)
            for name in whole:
                self.assertAlmostEqual(whole[name], parts[name], 9, f"{report} {name}")
        self.assertEqual({row["step"] for row in self.rows_of("ops_summary", "--by", "step")},
                         {1, 3, None})

    def test_what_is_in_no_step_has_no_window(self):
        """Its path begins and ends with what is there, as without steps."""
        whole = self.rows_of("critical_path_sum")
        parts = self.rows_of("critical_path_sum", "--by", "step")
        self.assertIn(None, [row["step"] for row in parts])
        for row in parts:
            self.assertLess(row["time_ms"], sum(part["time_ms"] for part in whole))

    def counted(self, name, level):
        """A trace of three steps with a counter that is level, 1 and 2 more in them, and one that is still."""
        events = [slice_event("aten::a", 1100 + i, 1) for i in range(3)]
        for step in range(3):
            start = 1000 + 1000 * step
            events.append(slice_event(f"ProfilerStep#{step}", start, 900, "user_annotation"))
            for i, (counter, value) in enumerate((("watts", level + step), ("MHz", 1500)) * 4):
                events.append({"ph": "C", "name": "gpu", "pid": 0, "tid": 0, "ts": start + 100 * (i + 1),
                               "args": {counter: value}})
        self.tpq("ingest", "-q", "--run", name, self.write(f"{name}.json", trace_of(*events)))

    def test_counters(self):
        self.counted("cool", 300)
        self.counted("warm", 330)
        query = ("SELECT run, step, mean, samples FROM counters WHERE counter LIKE '%watts' "
                 "ORDER BY run, step")
        rows = json.loads(self.tpq("sql", "--by", "step", "--run", "*m", "--run", "cool", "-m", "json", query).out)
        self.assertEqual([tuple(row.values()) for row in rows],
                         [(run, step, level + step, 4) for run, level in (("cool", 300), ("warm", 330))
                          for step in range(3)])
        sheets = sheets_in(self.tpq("compare", "cool", "warm", "--by", "counters", "--json").out)
        rows = {row["counter"].split()[-1]: row for row in sheets["counters"]}
        self.assertEqual([rows["watts"][name] for name in ("value_1", "value_2", "diff", "verdict")],
                         [301, 331, 30, "significant"])
        self.assertEqual(rows.get("MHz", rows.get("gpu"))["diff"], 0)
        self.assertNotIn("share", rows["watts"])  # watts and MHz have no sum
        self.assertEqual(sheets["summary"][0]["samples"], 3)
        out = self.tpq("compare", "cool", "warm", "--by", "counters").out
        self.assertNotIn("higher than", out)
        self.assertRegex(out, r"gpu watts .* 301 +331 +30 ")
        for call in (("compare", "cool", "warm", "--by", "step"), ("history", "counters.mean", "--key", "*")):
            self.tpq(*call)

    def test_every_report(self):
        names = [row["name"] for name in ("pytorch", "multirank") for row in
                 json.loads(self.tpq("report", "--list", "--set", name, "--json").out)["reports"]]
        self.assertGreater(len(names), 40)
        for rows in self.sheets("--by", "step", *names).values():
            if rows:
                self.assertIn("step", rows[0])

    def test_outputs(self):
        text = self.tpq("report", "--by", "step", "--csv", "-", "gpu_timeline").out
        heading = next(csv.reader(io.StringIO(text)))
        self.assertEqual(heading[:4], ["run", "trace_id", "step", "type"])
        self.tpq("report", "--by", "rank,step", "--into-tables", "gpu_timeline")
        self.assertEqual(self.value("SELECT count(DISTINCT step) FROM temp_check", db=self.copy()), 3)

    def copy(self):
        """The frozen table, under a name of its own, in a database that no extension is needed for."""
        import sqlite3
        path = self.path("copy.db")
        name, = [name for (name,) in self.rows("SELECT name FROM sqlite_schema WHERE type = 'table' "
                                               "AND name LIKE '%gpu_timeline%'")]
        connection = sqlite3.connect(path)
        connection.execute("ATTACH ? AS w", (self.db,))
        connection.execute(f'CREATE TABLE temp_check AS SELECT * FROM w."{name}"')
        connection.commit()
        connection.close()
        return path

    def test_with_other_selections(self):
        rows = self.rows_of("gpu_timeline", "--by", "step", "--step", "2-3", "--rank", "1")
        self.assertEqual({row["step"] for row in rows}, {2, 3})
        rows = self.rows_of("ops_summary", "--by", "step", "--where", "name = 'aten::mm'")
        self.assertEqual({row["name"] for row in rows}, {"aten::mm"})
        rows = self.rows_of("ops_summary", "--by", "step", "--detect-recompute")
        self.assertEqual({row["is_recompute"] for row in rows}, {0})

    def test_what_cannot_be(self):
        for arguments, words in ((("--by", "stepp"), "step, rank"), (("--by", ","), "step, rank"),
                                 (("--by", "rank", "ranks_groups"), "all ranks of a run together")):
            self.one_line(self.tpq("report", *arguments, status=2), words)
        self.write("plain.json", trace_of(slice_event("aten::a", 1, 5),
                                           slice_event("k", 2, 3, "kernel", 7)))
        self.tpq("ingest", "-q", "--run", "plain", "plain.json")
        self.one_line(self.tpq("report", "--run", "plain", "--by", "step", "gpu_timeline", status=2),
                      "in a profiler step")
        done = self.tpq("report", "--run", "plain", "--by", "rank", "--set", "multirank")
        self.assertIn("tpq: ranks_groups takes all ranks of a run together; --by does not part it\n", done.err)


if __name__ == "__main__":
    main()
