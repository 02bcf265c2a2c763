"""Traces that break off: what is missing cannot be known, and every output says so at its head."""

import contextlib
import gzip
import json
import os
import shutil
import sqlite3
import zipfile
import unittest

from page_file import PageFile
from support import Case, made_trace, slice_event, trace_of

MISSING = "events after the last one may be missing"
LINE = ("Health: not comparable: file_cut (cut.json: the file ends before its closing bracket; "
        + MISSING + "); 5 of 29 checks cannot tell")
OPEN = ("Health: usable with care: file_cut (list.json: the list of events has no closing bracket, "
        "which its format allows; " + MISSING + "); 5 of 29 checks cannot tell")
FIXTURES = os.path.join(os.path.dirname(__file__), "..", "fixtures")


class BreaksOff(Case):
    def prepare(self):
        events = json.loads(made_trace())["traceEvents"]
        called = {event["args"].get("correlation") for event in events if event.get("cat") == "cuda_runtime"}
        whole = json.dumps(trace_of(*(event for event in events if event.get("cat") not in ("kernel", "gpu_memcpy", "gpu_memset")
                                      or event["args"]["correlation"] in called)))
        end = whole.index("}, {", len(whole) // 2) + 1
        self.write("whole.json", whole)
        self.write("cut.json", whole[:end])
        self.write("list.json", whole[whole.index("["):end])
        self.tpq("ingest", "-q", "cut.json")

    def report(self, *words):
        return self.tpq("report", "gpu_timeline", "--run", "cut", "--db", self.db, *words)

    def test_the_terminal_says_it_below_the_head(self):
        out = self.report("--wide").out.splitlines()
        self.assertIn("run cut", out[0])
        self.assertEqual(out[1], LINE)
        self.assertIn("\x1b[31mHealth", self.report("--color").out)

    def test_csv_stays_clean(self):
        result = self.report("--csv")
        self.assertNotIn("Health", result.out)
        self.assertEqual(result.health, f"tpq: {LINE}\n")

    def test_json_and_its_lines(self):
        health = {"verdict": "not comparable", "line": LINE, "checks": {"broken": ["file_cut"], "warning": []},
                  "traces": {"1": "not comparable"}}
        self.assertEqual(json.loads(self.report("--json").out)["meta"]["health"], health)
        last = self.report("--jsonl").out.splitlines()[-1]
        self.assertEqual(json.loads(last)["meta"]["health"], health)
        tree = json.loads(self.tpq("tree", "--trace", 1, "--json").out)
        self.assertEqual(tree["meta"]["health"], health)

    def test_markdown_page_and_plain_lines(self):
        self.assertIn(LINE, self.report("--markdown").out.splitlines())
        self.assertIn(LINE, self.report("--line").out.splitlines())
        self.report("--html", "x.html")
        with open(self.path("x.html"), encoding="utf-8") as file:
            page = file.read()
        self.assertIn(f"<br>{LINE}<br>", page)
        self.assertIn(LINE, PageFile(page).contents["about"])

    def test_workbook(self):
        self.report("--xlsx=x.xlsx")
        with zipfile.ZipFile(self.path("x.xlsx")) as book:
            for part in ("docProps/core.xml", "xl/comments1.xml", "xl/worksheets/sheet1.xml"):
                self.assertIn(LINE, book.read(part).decode(), part)

    def test_tables(self):
        self.report("--into-tables")
        self.assertEqual(self.rows("SELECT value FROM frozen_meta WHERE name = 'health'"), [(LINE,)])

    def test_lists_trees_and_comparisons(self):
        for verb in ("runs", "traces"):
            self.assertIn("not comparable", self.tpq(verb).out)
            (row,) = json.loads(self.tpq(verb, "--json").out)[verb]
            self.assertEqual(row["health"], "not comparable")
        self.assertEqual(self.tpq("tree", "--trace", 1).out.splitlines()[1], LINE)
        self.tpq("ingest", "-q", "whole.json")
        out = self.tpq("compare", "whole", "cut", "--wide").out.splitlines()
        self.assertIn(f"cut: {LINE}", out)
        self.assertFalse([line for line in out if line.startswith("whole: Health")])

    def test_a_whole_trace_is_complete(self):
        self.tpq("ingest", "-q", "whole.json", "--db", "whole.db")
        result = self.tpq("report", "gpu_timeline", "--json", "--db", "whole.db")
        health = json.loads(result.out)["meta"]["health"]
        self.assertEqual(health, {"verdict": "complete", "line": "Health: complete; 5 of 29 checks cannot tell",
                                  "checks": {"broken": [], "warning": []}, "traces": {"1": "complete"}})
        self.assertEqual(result.health, "")
        self.assertNotIn("Health", self.tpq("report", "gpu_timeline", "--db", "whole.db").out)

    def test_a_list_may_stay_open(self):
        out = self.tpq("report", "list.json", "gpu_timeline", "--wide").out.splitlines()
        self.assertEqual(out[1], OPEN)
        self.assertIn("\x1b[33mHealth",
                      self.tpq("report", "list.json", "gpu_timeline", "--color").out)

    def test_of_several_traces_the_worst_one(self):
        shutil.copy(self.path("cut.json"), self.path("second.json"))
        with open(self.path("second.json"), "a", encoding="utf-8") as file:
            file.write("  ")  # another content
        out = self.tpq("report", "list.json", "second.json", "cut.json", "whole.json",
                       "gpu_timeline", "--wide").out.splitlines()
        self.assertEqual(out[1], LINE.replace("cut.json", "second.json").replace("missing)", "missing; worst of 3 traces)"))

    def test_merge_keeps_it(self):
        self.tpq("merge", "--db", "other.db", self.db)
        result = self.tpq("report", "gpu_timeline", "--json", "--db", "other.db")
        self.assertEqual(json.loads(result.out)["meta"]["health"]["line"], LINE)


class Salvaged(Case):
    """Of every format what broke off is kept with --salvage, and said at the head."""

    def salvaged(self, name, content, processes=1):
        self.write(name, content)
        self.tpq("ingest", "-q", "--salvage", "--db", "s.db", "--run", name, name)
        result = self.tpq("report", "overview", "--json", "--db", "s.db", "--run", name)
        found = json.loads(result.out)["meta"]["health"]
        self.assertEqual(found["verdict"], "not comparable")
        self.assertTrue(found["line"].startswith(
            f"Health: not comparable: file_cut ({name}: the file breaks off; only the events before "
            "are kept"), found["line"])
        count = self.value("SELECT count(DISTINCT trace_id) FROM ingest_note WHERE kind = 'salvaged' "
                           "AND trace_id IN (SELECT trace.id FROM trace JOIN run ON run.id = run_id "
                           "WHERE run.name = ?)", name, db=self.path("s.db"))
        self.assertEqual(count, processes)

    def fixture(self, *parts):
        with open(os.path.join(FIXTURES, *parts), "rb") as file:
            return file.read()

    def test_json(self):
        content = made_trace("--steps", 1)
        self.salvaged("a.json", content[:len(content) * 2 // 3])
        self.salvaged("a.json.gz", gzip.compress(content, mtime=0)[:-4])

    def test_tables_of_ops(self):
        content = self.fixture("tt", "ops_perf_results.csv").rstrip()
        self.salvaged("ops.csv", content[:content.rindex(b",")])

    def test_protobuf(self):
        content = self.fixture("jax", "small.xplane.pb")
        self.salvaged("a.xplane.pb", content[:len(content) - 3])

    def test_databases_of_all_processes(self):
        for name in ("nsys/small.sqlite", "rocpd/small.db"):
            path = self.write("a" + os.path.splitext(name)[1], self.fixture(name))
            with contextlib.closing(sqlite3.connect(path)) as export, export:
                export.execute("CREATE TABLE more (what)")
                export.execute("INSERT INTO more VALUES (zeroblob(100000))")
            with open(path, "rb") as file:
                self.salvaged(os.path.basename(path), file.read()[:-4096], self.processes(name))

    def processes(self, name):
        self.tpq("ingest", "-q", "--db", "whole.db", "--run", name, os.path.join(FIXTURES, name))
        return self.value("SELECT count(*) FROM trace JOIN run ON run.id = run_id WHERE name = ?",
                          name, db=self.path("whole.db"))


if __name__ == "__main__":
    unittest.main()
