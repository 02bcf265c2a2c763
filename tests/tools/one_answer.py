"""One answer: every output of a call has the same findings with the same numbers in the same order, and no finding saves
more than there is. Checks for a test case with `folder` and `tpq`, which gives what the program prints.
"""
import html
import json
import os
import re
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from page_file import read_page  # noqa: E402
from test_report_golden import cells_of  # noqa: E402

REPORTS = ["findings", "headline", "advice", "gpu_timeline"]
IDLE = {"sync-copy", "explicit-sync", "allocations", "long-gaps", "host-bound", "host-bound-compiled", "small-kernels", "data-loading", "host-outside-ops",
        "low-utilisation"}
ITEM = re.compile(r"(\d+)\. ([a-z-]+)(?: \(([^)]*)\))?(?:, saves (?:about |up to )?(?:[\d.,]+ [mun]s to )?([\d.,]+ [mun]s) \((replay|guess|upper bound)\))?: (.*) "
                  r"\(report (\w+)\)")
MORE = re.compile(r"\d+ more findings?: report findings")
ROUND = 0.001  # ms


def time_words(ms):
    return f"{ms:,.1f} ms" if ms >= 0.05 else f"{ms * 1e3:.1f} us" if ms >= 0.001 else f"{ms * 1e6:.0f} ns"


class OneAnswer:
    def text(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

    def one_answer(self, paths, told, on_terminal):
        """The findings of these files, whose REPORTS in JSON are given; a false one fails."""
        findings, headline, advice, timeline = map(told.__getitem__, REPORTS)
        self.agree(findings, headline, advice)
        self.outputs_agree(paths, headline, on_terminal)
        self.savings_are_possible(findings, advice, timeline)
        return findings

    def agree(self, findings, headline, advice):
        rules = {(row["trace_id"], row["rule"]): row for row in advice}
        for row in findings:
            rule = rules[row["trace_id"], row["kind"]]
            self.assertEqual(row["verdict"], rule["verdict"])
            if row["verdict"] == "hidden":  # told without a saving, and with what holds the GPU instead
                self.assertEqual((row["saves_ms"], row["saving_kind"], row["report"], row["uid"]), (None, None, rule["report"], rule["uid"]))
                continue
            self.assertEqual((row["saves_ms"], row["percent"], row["saving_kind"], row["report"], row["uid"]),
                             (rule["saving_ms"], rule["saving_percent"], rule["saving_kind"], rule["report"], rule["uid"]))
            self.assertEqual(row["words"], ". ".join(filter(None, (rule["title"], rule["cause"], rule["action"]))) + ".")
        for trace in {row["trace_id"] for row in findings}:
            listed = [row["kind"] for row in findings if row["trace_id"] == trace]
            self.assertEqual(listed, [row["rule"] for row in advice if row["trace_id"] == trace and row["rule"] in listed])
            self.assertEqual([row["place"] for row in findings if row["trace_id"] == trace], list(range(1, len(listed) + 1)))
        said = [row for row in headline if row["place"]]
        self.assertEqual([row["place"] for row in said], list(range(1, len(said) + 1)))
        self.assertEqual({row["kind"] for row in said}, {row["kind"] for row in findings})
        for row in said:
            of_kind = [one for one in findings if one["kind"] == row["kind"]]
            savings = [one["saves_ms"] for one in of_kind if one["saves_ms"] is not None]
            self.assertEqual((row["least_ms"], row["saves_ms"]), (min(savings, default=None), max(savings, default=None)))
            self.assertIn((row["words"], row["saves_ms"], row["percent"], row["saving_kind"], row["report"]),
                          [(one["words"], one["saves_ms"], one["percent"], one["saving_kind"], one["report"]) for one in of_kind])
        if len({row["trace_id"] for row in findings}) == 1:
            self.assertEqual([row["kind"] for row in said], [row["kind"] for row in findings])

    def workbook_agrees(self, index, headline):
        """The first sheet has each line of the headline, and each finding as name, advice and saving."""
        for row in headline:
            cells = repr(row["line"]) if row["form"] == "line" else repr(row["name"])
            if row["words"] and row["form"] == "list":
                cells += " " + repr(f"{row['words']} (report {row['report']})")
            found = [line for line in index if cells in line]
            self.assertEqual(len(found), 1, (cells, index))
            if row["form"] == "list" and row["saves_ms"] is not None:
                self.assertAlmostEqual(float(found[0].rsplit(" ", 1)[1].strip("'")), row["saves_ms"], 3)

    def outputs_agree(self, paths, headline, on_terminal):
        self.tpq("report", *paths, "--json=a.json", "--markdown=a.md", "--xlsx=a.xlsx", "--html=a.html", "--force")
        lines = json.loads(self.text("a.json"))["meta"]["headline"]
        first = [row for row in headline if row["place"] is None or row["place"] <= 3]
        said = [line for line in lines if not MORE.fullmatch(line)]
        self.assertEqual(len(lines) - len(said), any((row["place"] or 0) > 3 for row in headline))
        self.assertEqual(said, [row["line"] for row in first])
        for line, row in zip(said, first):
            if row["place"]:
                saves = None if row["saves_ms"] is None else time_words(row["saves_ms"])
                self.assertEqual(ITEM.fullmatch(line).groups(), (str(row["place"]), row["kind"], row["ranks"], saves,
                                                                 row["saving_kind"] if saves else None, row["words"], row["report"]))
        if on_terminal:
            terminal = re.sub(r"\AHealth: .*(\n.+)*\n\n", "", self.tpq("report", *paths))
            self.assertTrue(" ".join(terminal.split()).startswith(" ".join(" ".join(lines).split())), terminal[:2000])
        markdown = [html.unescape(re.sub(r"\\(.)", r"\1", line)) for line in self.text("a.md").split("\n\n")]
        self.assertEqual(markdown[:len(lines)], lines)
        self.workbook_agrees(cells_of(os.path.join(self.folder, "a.xlsx")).split("\n[")[0].splitlines(), first)
        heads, rows = read_page(os.path.join(self.folder, "a.html")).table("headline")
        rows = [dict(zip(heads, row)) for row in rows]
        self.assertEqual([[row["kind"], row["line"], float(row["saves_ms"] or 0)] for row in rows],
                         [[row["kind"], row["line"], row["saves_ms"] or 0] for row in headline])

    def savings_are_possible(self, findings, advice, timeline):
        for row in advice:
            times = {one["type"]: one["time_ms"] for one in timeline if row["trace_id"] in (None, one["trace_id"])}
            with self.subTest(rule=row["rule"]):
                self.assertLessEqual(row["saving_ms"] or 0, times["total_time"] + ROUND)
                if row["rule"] in IDLE and row["saving_kind"] == "replay":
                    self.assertLessEqual(row["saving_ms"], times["idle_time"] + ROUND)
        for trace in {row["trace_id"] for row in findings}:
            rows = [row for row in findings if row["trace_id"] == trace]
            replayed = [row["saves_ms"] for row in rows if row["saving_kind"] == "replay"]
            together = {row["together_ms"] for row in rows}
            self.assertEqual(len(together), 1)
            if together != {None}:
                self.assertTrue(replayed)
                self.assertLessEqual(max(replayed), min(together) + ROUND)
                # causes that hide each other save a little more together than alone
                self.assertLessEqual(max(together), sum(replayed) * 1.01 + ROUND)
                self.assertLessEqual(max(together), max(one["time_ms"] for one in timeline if one["trace_id"] == trace and
                                                        one["type"] == "total_time") + ROUND)
