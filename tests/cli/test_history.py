"""tpq history: a figure over many runs, and where it changed."""

import json
import os
import re
import zipfile

from page_file import read_page
from support import Case, main
from test_compare import changed, trace


class Runs(Case):
    SLOWER_FROM = 5

    def prepare(self):
        for i in range(8):
            ops = changed("aten::bmm", times=1.5) if i >= self.SLOWER_FROM else None
            made = trace(i, steps=5, ops=ops)
            made["baseTimeNanoseconds"] = 10**18 + (8 - i if i < 2 else i + 8) * 10**9
            self.write(f"r{i}.json", made)
            self.tpq("ingest", "--run", f"r{i}", "--label", f"commit=c{i // 2}", f"r{i}.json")

    def history(self, *arguments, status=0):
        return self.tpq("history", *arguments, status=status)

    def points(self, *arguments):
        return json.loads(self.history(*arguments, "--json").out)["history"]


class Histories(Runs):
    def test_the_change_is_found_at_its_run(self):
        points = self.points("op_shape")
        self.assertEqual(sorted(row["run"] for row in points), [f"r{i}" for i in range(8)])
        self.assertEqual([row["run"] for row in points if row["change"]], ["r5"])
        found = next(row for row in points if row["run"] == "r5")
        self.assertEqual((found["change"], found["samples"]), ("up", 4))
        self.assertAlmostEqual(found["pct"], 8.5, delta=1)
        self.assertLess(found["p"], 0.01)

    def test_a_run_that_lacks_events_is_held_against_no_other(self):
        made = trace(9, steps=5, ops=changed("aten::bmm", times=3))
        kernels = [event for event in made["traceEvents"] if event.get("cat") == "kernel"]
        made["traceEvents"] = [event for event in made["traceEvents"] if event not in kernels[1:-1:4]]
        made["baseTimeNanoseconds"] = 10**18 + 11 * 10**9  # between r2 and r3
        self.write("lost.json", made)
        self.tpq("ingest", "-q", "--run", "lost", "lost.json")
        points = self.points("op_shape")
        self.assertEqual([row["run"] for row in points if row["health"]], ["lost"])
        self.assertEqual([row["run"] for row in points if row["change"]], ["r5"])
        self.assertIn("○", self.history("op_shape").out)
        empty = {row["run"]: row for row in self.points("timeline", "--key", "idle_time") if row["value"] is None}
        self.assertEqual(list(empty), ["lost"])  # as the report has it
        self.assertEqual([empty["lost"][name] for name in ("median", "spread", "pct", "change")], [None] * 4)
        self.assertIn("○", self.history("timeline", "--key", "idle_time").out)
        self.assertNotIn(None, [row["value"] for row in self.points("timeline", "--key", "busy_time")])
        care = self.points("op_shape", "--health-rule", "kernels_lost.broken_share=0.9")
        self.assertEqual([(row["run"], row["health"]) for row in care if row["health"]], [("lost", "usable with care")])

    def test_it_is_said(self):
        out = self.history("timeline", "--key", "busy_time").out
        self.assertRegex(out, r"(?m)^changed at r5: \+[89]\.\d %, 1\.\d+ -> 1\.\d+ ms$")
        self.assertRegex(out, "[▁▂▃▄▅▆▇█]{8}")

    def test_rows_are_chosen(self):
        rows = self.points("op", "--key", "aten::bmm")
        self.assertAlmostEqual(rows[-1]["value"], 0.36, delta=0.02)
        self.assertEqual([row["change"] for row in self.points("op", "--key", "aten::m*")],
                         [None] * 8)

    def test_runs_of_a_pattern(self):
        """They stand in the order of time, too, and one that is named twice stands once."""
        self.tpq("ingest", "--run", "other", "r3.json")
        self.assertEqual([row["run"] for row in self.points("busy_ms", "r[0-3]")],
                         ["r1", "r0", "r2", "r3"])
        self.assertEqual([row["run"] for row in self.points("busy_ms", "r?", "other")][-2:],
                         ["r7", "other"])
        self.assertEqual([row["run"] for row in self.points("busy_ms", "commit=c3", "r[67]")],
                         ["commit=c3", "r6", "r7"])
        self.one_line(self.history("busy_ms", "x*", status=2), r"no run is called like 'x\*'")

    def test_runs_that_are_chosen(self):
        """By the options that select runs elsewhere, in the order of time."""
        for words, runs in ((("--last", "2"), "67"), (("--run", "r[0-3]"), "1023"),
                            (("--run", "r3", "--run", "@last", "--run", "r0"), "037"),
                            (("--label", "commit=c3"), "67"), (("--label", "commit", "--last", "1"), "7"),
                            (("r[0-3]", "--last", "2"), "23")):
            self.assertEqual([row["run"] for row in self.points("busy_ms", *words)], [f"r{i}" for i in runs], words)
        self.assertEqual([row["run"] for row in self.points("busy_ms", "--by", "commit", "--run", "r[2-7]", "--last",
                                                            "2")], ["c2", "c3"])

    def test_a_value_for_each_label(self):
        rows = self.points("op", "--by", "commit")
        self.assertEqual([row["run"] for row in rows], ["c0", "c1", "c2", "c3"])
        self.assertEqual([row["samples"] for row in rows], [8] * 4)
        self.assertTrue(any(row["change"] == "up" for row in rows[2:]))

    def test_other_figures(self):
        self.assertEqual([row["value"] for row in self.points("op.count")], [26.0] * 8)
        self.assertEqual(len(self.points("step_time_ms")), 8)
        self.assertRegex(self.history("busy").out, r"busy_ms of step_bounds")  # not busy of rocpd
        self.assertEqual(self.points("busy"), self.points("busy_ms"))
        self.assertRegex(self.history("rocpd_busy").out, "of rocpd_busy")
        self.assertEqual([row["run"] for row in self.points("op", "r3", "r1")], ["r3", "r1"])
        self.assertEqual(len(self.points("op", "r1.json", "r2")), 2)

    def test_steps_of_warming_up_are_left_out(self):
        """Also of reports whose rows are steps."""
        for figure in ("op_shape", "busy_ms"):
            for words, samples in (((), 4), (("--warmup", "0"), 5), (("--warmup", "3"), 2), (("--step", "1-2"), None)):
                row, = self.points(figure, "r1", *words)
                self.assertEqual(row["samples"], samples or (2 if figure == "busy_ms" else 1), (figure, words))
        told = json.loads(self.history("busy_ms", "r1", "--json").out)["meta"]
        self.assertEqual(told["steps"], "1-4")
        self.one_line(self.history("busy_ms", "r1", "--warmup", "5", status=3), "leaves none of its 5 steps")

    def test_few_runs_have_a_history(self):
        self.assertEqual(len(self.points("op", "r1")), 1)
        self.assertEqual([row["change"] for row in self.points("op", "r3", "r6")], [None, "up"])

    def test_no_values(self):
        done = self.history("step_mfu.mfu_pct", "--json")
        self.assertEqual([(row["value"], row["samples"], row["change"]) for row in
                          json.loads(done.out)["history"]], [(None, 0, None)] * 8)
        self.one_line(done, "step_mfu has no such value of any of them")
        self.one_line(self.history("memory_peak"),
                      "no such value of any of them: the allocator was not recorded")
        made = trace(9, steps=2)
        made["traceEvents"] = [event for event in made["traceEvents"] if "ProfilerStep" not in event["name"]]
        self.write("bare.json", made)
        self.tpq("ingest", "--run", "bare", "bare.json")
        self.one_line(self.history("busy_ms", "r1", "bare", "r2"), "step_bounds has no such value of bare$")
        self.assertEqual(self.points("op", "--by", "commit", "--key", "none")[0]["value"], None)

    def test_runs_without_a_value_do_not_stand_between_others(self):
        for i in range(8):
            ops = changed("aten::bmm", times=1.5) if i >= 4 else None
            for has_steps in (True, False):
                made = trace(i, steps=1, ops=ops)
                made["baseTimeNanoseconds"] = 10**18 + (100 + 2 * i + has_steps) * 10**9
                if not has_steps:
                    made["traceEvents"] = [event for event in made["traceEvents"] if "ProfilerStep" not in event["name"]]
                self.write(f"{i}.json", made)
                self.tpq("ingest", "--run", f"n{i}" if has_steps else f"bare{i}", f"{i}.json")
        for runs in (("n?",), ("--run", "n?", "--run", "bare?")):
            rows = [row for row in self.points("busy_ms", *runs) if row["samples"]]
            self.assertEqual([row["run"] for row in rows], [f"n{i}" for i in range(8)])
            self.assertEqual([row["run"] for row in rows if row["change"]], ["n4"], runs)

    def test_a_chart(self):
        self.history("op", "--xlsx=h.xlsx")
        with zipfile.ZipFile(self.path("h.xlsx")) as book:
            charts = [name for name in book.namelist() if re.fullmatch(r"xl/charts/.*\.xml", name)]
            self.assertEqual(len(charts), 1)
            self.assertIn("lineChart", book.read(charts[0]).decode())
        self.history("op", "--html", "h.html")
        page = read_page(self.path("h.html"))
        self.assertEqual(page.contents["sheets"][0]["tab"], "history")
        self.assertEqual(page.data(page.names[0])["chart"], ["line", "run", "value"])
        with open(self.path("h.html"), encoding="utf-8") as file:
            self.assertIn(" and 5 more - tpq</title>", file.read()[:2000])  # many runs are counted

    def test_what_is_none(self):
        for arguments, words in ((("kernal",), "did you mean kernel"),
                                 (("op.cuont",), "did you mean count"),
                                 (("busyms",), "nor a column of one; did you mean busy_ms"),
                                 (("op", "--by", "none"), "no run has a label 'none'"),
                                 (("op", "r9"), "did you mean r"),
                                 (("op", "--least-change", "x"), "--least-change"),
                                 (("op", "--by", "commit", "r1"), "by --run beside --by"),
                                 (("op", "--last", "0"), "--last"),
                                 (("op", "--run", "r1", "--label", "commit=c3"), "no run is selected"),
                                 (("op", "--run", "trace:1"), "is a trace, and a run is meant"),
                                 ((), "an operand is missing")):
            self.one_line(self.history(*arguments, status=2), words)
        self.assertNotIn("h.html", os.listdir(self.folder))


if __name__ == "__main__":
    main()
