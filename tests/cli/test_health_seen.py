"""Where people see whether a trace can be believed: the report, ingest, workbooks, pages and the guide."""

import json
import os
import re
import zipfile

from page_file import read_page
from support import Case, main, sheets_in, slice_event, trace_of


class Health(Case):
    def trace(self, name="t.json", lost=(), slow=0, broken_off=False):
        """Forty launches of a kernel; `lost` = whose kernels were not recorded, `slow` = whose runs on into the next."""
        events = []
        for i in range(1, 41):
            args = {"args": {"correlation": i, "device": 0, "stream": 7}}
            events += [slice_event("aten::mm", 100 * i, 30), slice_event("cudaLaunchKernel", 100 * i + 5, 5.5, "cuda_runtime", **args)]
            if i not in lost:
                events.append(slice_event("gemm", 100 * i + 20, 180 if i == slow else 50, "kernel", 7, 0, **args))
        text = json.dumps(trace_of(*events, deviceProperties=[{"id": 0, "name": "H100"}]))
        return self.write(name, text[:-2] if broken_off else text)

    def report(self, *words):
        return self.tpq("report", *words, env={"COLUMNS": "120"}).out


class Report(Health):
    ALL = 30

    def test_people_read_what_is_not_ok(self):
        self.trace(lost=(3, 9))
        out = self.report("t.json", "trace_health")
        self.assertIn("\nkernels_lost\n    verdict broken, count 2, base 40, share 0.05, example_id ", out)
        self.assertIn("\n    Kernels that were launched and not recorded (2 of 40 kernel launches without GPU activity). Record", out)
        self.assertNotIn("file_cut", out)
        ok, untold = re.search(r"\nNot included: (\d+) checks that are ok, (\d+) that cannot tell \(--all shows them\)", out).groups()
        self.assertEqual(int(ok) + int(untold) + 1, self.ALL)
        self.assertTrue(all(len(line) <= 120 for line in out.splitlines()))
        markdown = self.report("t.json", "trace_health", "--markdown")
        self.assertEqual(re.findall(r"^\| (\w+) \|", markdown, re.M), ["check", "kernels_lost"])

    def test_which_check_of_which_trace(self):
        self.trace("a.json", lost=(3, 9))
        self.trace("b.json", slow=4)
        self.tpq("ingest", "-q", "--run", "r", "a.json", "b.json")
        out = self.report("trace_health")
        self.assertIn("\nkernels_lost\n    run r, trace_id 1, verdict broken, count 2, base 40, share 0.05, example_id ", out)
        self.assertIn("\nstream_overlap\n    run r, trace_id 2, verdict warning, count 1, base 40, share 0.025, value 50 us, expected ≤ 20 us", out)

    def test_all_of_them_on_demand(self):
        self.trace(lost=(3, 9))
        lines = self.report("t.json", "trace_health", "--all").splitlines()
        head = next(i for i, line in enumerate(lines) if line.startswith("check "))
        self.assertEqual(len([line for line in lines[head + 2:] if re.match(r"\S+ +(ok|broken|cannot tell|warning|note) ", line)]), self.ALL)
        self.assertFalse(any(line.startswith("Not included") for line in lines))

    def test_a_whole_trace_has_no_rows(self):
        self.trace()
        out = self.report("t.json", "trace_health")
        self.assertIn("\nNo rows: no check found anything. Not included: ", out)

    def test_programs_get_all(self):
        self.trace(lost=(3,))
        rows = sheets_in(self.report("t.json", "trace_health", "--json"))["trace_health"]
        self.assertEqual(len({row["check"] for row in rows}), self.ALL)
        self.assertEqual(len(self.report("t.json", "trace_health", "--csv").splitlines()), self.ALL + 1)
        self.report("t.json", "trace_health", "--markdown=t.md", "--json=t.json2")
        with open(self.path("t.json2"), encoding="utf-8") as file:
            self.assertEqual(len(json.load(file)["trace_health"]), self.ALL)
        self.tpq("ingest", "t.json", "--db", self.db)
        self.assertEqual(self.tpq("sql", "--db", self.db, "--mode", "csv", "SELECT count(*) FROM trace_health").out.split()[-1], str(self.ALL))


class Ingest(Health):
    def test_a_line_for_each_trace_that_is_not_complete(self):
        lost, whole, cut = self.trace("lost.json", (3, 9)), self.trace("whole.json"), self.trace("cut.json", broken_off=True)
        got = self.tpq("ingest", "--db", self.db, "--run", "r", "lost.json", "whole.json", "cut.json").health.splitlines()
        self.assertEqual([line.split(" (")[0] for line in got], [
            "tpq: lost.json: Health: not comparable: kernels_lost", "tpq: cut.json: Health: not comparable: file_cut"])
        self.assertEqual(self.tpq("ingest", "--db", self.db, "--run", "r", lost, whole, cut).health, "")
        self.assertEqual(self.tpq("ingest", "-q", "--db", self.db, "--run", "again", "lost.json").health, "")


class Workbook(Health):
    def sheets(self, *words):
        self.tpq("report", "t.json", "kernel_summary", "--xlsx=t.xlsx", "--force", *words)
        with zipfile.ZipFile(self.path("t.xlsx")) as book:
            return re.findall(r'<sheet name="([^"]*)"', book.read("xl/workbook.xml").decode())

    def test_doubts_come_first(self):
        self.trace(lost=(3,))
        self.assertEqual(self.sheets(), ["index", "trace_health", "kernel_summary"])
        self.assertNotIn("trace_health", self.sheets("--compat"))
        self.sheets("--csv=t/")
        self.assertEqual(os.listdir(self.path("t")), ["kernel_summary.csv"])

    def test_a_whole_trace_has_no_such_sheet(self):
        self.trace()
        self.assertEqual(self.sheets(), ["index", "kernel_summary"])


class Page(Health):
    def badge(self):
        self.tpq("report", "t.json", "--html=t.html", "-q")
        with open(self.path("t.html"), encoding="utf-8") as file:
            return re.search(r"</h1>\s*<details><summary class=\"(\w+)\" title=\"([^\"]*)\">([^<]*)</summary>(.*?)</details>", file.read(), re.S)

    def test_the_verdict_stands_beside_the_title(self):
        self.trace(lost=(3,))
        badge = self.badge()
        self.assertEqual(badge[1], "bad")
        self.assertIn("Health: not comparable: kernels_lost (1 of 40 kernel launches without GPU activity)", badge[2])
        self.assertEqual(badge[3], "not comparable")
        self.assertEqual(re.findall(r"<td>(\w+)</td><td>broken</td>", badge[4]), ["kernels_lost"])
        self.assertNotIn("file_cut", badge[4])

    def test_of_a_whole_trace_too(self):
        self.trace()
        badge = self.badge()
        self.assertEqual(badge.group(1, 3, 4), ("good", "complete", "No check found anything."))


    def test_examples_are_marked_on_the_timeline(self):
        self.trace(lost=(3,), slow=5)
        self.tpq("report", "t.json", "--html=t.html", "-q")
        marks = read_page(self.path("t.html")).contents["marks"]
        self.assertEqual([(mark["check"], mark["verdict"], mark["at"]) for mark in marks],
                         [("kernels_lost", "broken", 205000), ("stream_overlap", "warning", 520000)])


class Guide(Health):
    def test_it_has_each_check(self):
        self.trace()
        self.tpq("ingest", "-q", "t.json", "--db", self.db)
        text = self.tpq("help", "trust").out
        checks = self.tpq("sql", "--db", self.db, "-m", "csv", 'SELECT "check" FROM health_check').out.split()[1:]
        self.assertEqual([check for check in checks if f"    {check} " not in text], [])
        self.assertLessEqual(text.count("\n"), 80)
        self.assertIn("trust", self.tpq("help").out)


if __name__ == "__main__":
    main()
