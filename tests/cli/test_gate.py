"""tpq gate: what may pass, how it is said, and what is refused."""

import itertools
import json
import os
from xml.etree import ElementTree

from page_file import read_page
from support import Case, main, sentences
from test_compare import OPS, changed, trace


class Gates(Case):
    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def prepare(self):
        self.write("base.json", trace(1, steps=12))
        self.write("same.json", trace(2, steps=12))
        self.write("slow.json", trace(3, steps=12, ops=changed("aten::bmm", times=1.5)))

    def gate(self, *arguments, candidate="slow.json", status=0):
        return self.tpq("gate", "--baseline", "base.json", "--candidate", candidate, *arguments,
                        status=status)

    def rules(self, text):
        return ("--rules", self.write("rules.csv", text))


class Passing(Gates):
    def test_the_same_passes(self):
        result = self.gate(candidate="same.json")
        self.assertRegex(result.out, r"same is 0\.\d % \w+ than base: .* within\snoise\.\n")
        self.assertIn("rules: passed (4 rules, 10 rows)\n", result.out)
        self.assertRegex(result.out, r"\n +3 +time ms of gpu_timeline, rows total_time: at most 2 % more +1 +0 +within noise\n")
        self.assertEqual(result.err, "")

    def test_what_is_slower_does_not(self):
        result = self.gate(status=1)
        self.one_line(result, r"^tpq: gate: 4 regressions \(4 rules, 10 rows\)$")
        self.assertRegex(result.out.splitlines()[0], r"^slow is 8\.\d % slower than base")
        self.assertRegex(result.out, r"regression +aten::bmm \[\[16,128,64\],")

    def test_what_is_faster_does(self):
        result = self.tpq("gate", "--baseline", "slow.json", "--candidate", "base.json")
        self.assertRegex(result.out, r"improvement +aten::bmm")

    def test_how_much_may_be_lost(self):
        self.gate("--max-regression", "60%")
        self.gate("--max-regression", "60")
        self.gate("--max-regression", "7.5%", status=1)
        self.one_line(self.gate("--max-regression", "much", status=2), "--max-regression")

    def test_what_is_new_is_told(self):
        self.write("more.json", trace(4, steps=12, ops=[*OPS, ("my::op", [[1]], "k", 60.0, 1)]))
        findings = json.loads(self.gate("--json", candidate="more.json", status=1).out)["findings"]
        self.assertIn(("added", "my::op [[1]]"),
                      [(row["verdict"], row["name"]) for row in findings])

    def test_what_is_new_does_not_fail_a_faster_run(self):
        added = ("my::op", [[1]], "k", 60.0, 1)
        self.write("fast.json", trace(4, steps=12, clock=0.1, ops=[*OPS, ("my::op", [[1]], "k", 600.0, 1)]))
        findings = json.loads(self.gate("--json", candidate="fast.json").out)["findings"]
        self.assertIn(("added", "my::op [[1]]"), [(row["verdict"], row["name"]) for row in findings])
        self.gate(*self.rules("level,key\nop,my::*\n"), candidate="fast.json")
        self.write("more.json", trace(4, steps=12, ops=[*OPS, added]))
        self.gate(*self.rules("level,key\nop,my::*\n"), candidate="more.json", status=1)
        self.write("other.json", trace(4, steps=12, ops=[(op[0].replace("bmm", "baddbmm"), *op[1:]) for op in OPS]))
        self.gate(candidate="other.json")

    def test_what_is_new_does_not_fail_steps_of_one_length(self):
        """The host is slow enough that its kernels end in time: GPU time rises, and no step takes longer."""
        ops = [OPS[0], ("my::op", [[1]], "k", 200.0, 1), *OPS[1:]]
        before, after = (trace(seed, steps=12, clock=0.1, ops=ops) for seed in (1, 2))
        of_kernel = {event["args"]["correlation"] for event in before["traceEvents"] if event["name"] == "k"}
        before["traceEvents"] = [event for event in before["traceEvents"]
                                 if event["name"] != "my::op" and event.get("args", {}).get("correlation") not in of_kernel]
        self.write("before.json", before)
        self.write("after.json", after)
        gate = ("gate", "--baseline", "before.json", "--candidate", "after.json")
        rows = json.loads(self.tpq(*gate, "--json").out)["findings"]
        self.assertEqual([("added", "my::op [[1]]")], [(row["verdict"], row["name"]) for row in rows])
        slower = trace(2, steps=12, clock=0.1, ops=[("aten::mm", *op[1:3], op[3] * 1.2, op[4]) if op[0] == "aten::mm" else op for op in ops])
        self.write("after.json", slower)
        rows = json.loads(self.tpq(*gate, "--json", status=1).out)["findings"]
        self.assertIn(("regression", "total"), [(row["verdict"], row["name"]) for row in rows])
        self.write("rules.csv", "level,metric,direction,relative\nop,count,up,1\n")
        self.tpq(*gate, "--rules", "rules.csv", status=1)  # who asks for counts gets them

    def test_few_samples_prove_nothing(self):
        self.write("base.json", trace(1, steps=2))
        self.write("slow.json", trace(3, steps=2, clock=1.5))
        done = self.gate(status=5)
        self.one_line(done, r"gate: undecided: too few samples: 2 against 2 steps, 5 steps a side would decide \(--single-ok")
        self.assertIn("undecided", done.out)
        self.gate("--single-ok", status=1)

    def test_few_samples_of_an_improvement_pass(self):
        self.write("base.json", trace(1, steps=2))
        self.write("fast.json", trace(3, steps=2, clock=0.5))
        sheets = json.loads(self.gate("--json", candidate="fast.json").out)
        self.assertEqual({row["verdict"] for sheet in ("findings", "rules") for row in sheets[sheet]}, {"improvement, not tested"})
        self.assertEqual(self.gate("--github", candidate="fast.json").out.count("::notice title=tpq gate: improvement, not tested::"), 10)

    def test_ranks_of_few_steps_cannot_decide(self):
        """Of three steps a side all orders are likely; five a side are enough, as the line says."""
        slow = {"ops": changed("aten::bmm", times=1.25)}
        for steps, status in ((4, 5), (6, 1)):  # one is of warming up
            self.write("base.json", trace(1, steps=steps))
            self.write("slow.json", trace(3, steps=steps, **slow))
            done = self.gate(status=status)
            self.assertEqual(status == 5, "3 against 3 steps, 5 steps a side would decide" in done.err)

    def test_clocks_are_one_regression(self):
        self.write("low.json", trace(5, steps=12, clock=1 / 0.92))
        findings = json.loads(self.gate("--json", candidate="low.json", status=1).out)["findings"]
        self.assertEqual({row["name"] for row in findings}, {"total", "total_time"})

    def test_waiting_is_a_regression(self):
        """No op takes longer, and still each step does."""
        made = trace(6, steps=12)
        for event in made["traceEvents"]:
            event["ts"] = event.get("ts", 0) * 1.5
            if event["name"].startswith("ProfilerStep"):
                event["dur"] *= 1.5
        self.write("host.json", made)
        findings = json.loads(self.gate("--json", candidate="host.json", status=1).out)["findings"]
        self.assertEqual([(row["level"], row["name"]) for row in findings], [("gpu_timeline", "total_time"), ("step_mfu", "total")])


class Undecided(Gates):
    def test_one_sample_a_side(self):
        """It says so, ends with a status of its own, and a call may say what that is worth."""
        self.write("base.json", trace(1, steps=1))
        self.write("slow.json", trace(1, steps=1, clock=1.103))
        self.assertRegex(self.gate("--junit=a.xml", "--github=a.txt", "--json=a.json", status=5).err,
                         r"(?m)^tpq: gate: undecided: too few samples: 1 against 1 step, 5 steps a side would decide \(--single-ok.*\n\Z")
        suite = ElementTree.parse(self.path("a.xml")).getroot()
        self.assertEqual([suite.get(name) for name in ("tests", "failures", "skipped")], ["4", "0", "4"])
        self.assertEqual({found.get("message").split(":")[0] for found in suite.iter("skipped")}, {"undecided"})
        self.assertIn("::warning title=tpq gate: undecided::total", self.read("a.txt"))
        sheets = json.loads(self.read("a.json"))
        self.assertEqual({row["verdict"] for sheet in ("findings", "rules") for row in sheets[sheet]}, {"undecided"})
        self.assertIn("undecided", self.gate("--undecided", "pass").err)
        self.one_line(self.gate("--undecided", "fail", status=1), "gate: undecided: too few samples")
        self.one_line(self.gate("--single-ok", status=1), "regressions")
        self.one_line(self.gate("--undecided", "perhaps", status=2), "pass")

    def test_within_the_limits_few_samples_pass(self):
        self.write("base.json", trace(1, steps=1, noise=0))
        self.write("slow.json", trace(1, steps=1, noise=0, clock=1.005))
        self.assertIn("passed (4 rules", self.gate().out)

    def test_another_device(self):
        self.write("slow.json", trace(3, steps=12, clock=1.5, device="Other GPU"))
        self.assertIn("tpq: gate: undecided: other device: Test GPU; Other GPU", self.gate("--single-ok", status=5).err)
        self.write("slow.json", trace(3, steps=12, device="Other GPU"))
        self.assertIn("other device", self.gate(status=5).err)  # nothing is slower, and still it is another

    def test_another_number_of_steps(self):
        self.write("slow.json", trace(3, steps=11, clock=1.5))
        self.assertRegex(self.gate(status=1).err, "regressions")  # values of a step are comparable
        self.assertRegex(self.gate("--step", "2-9", "--single-ok", status=1).err, "regressions")  # which both have
        self.write("same.json", trace(2, steps=7))
        self.assertIn("passed (4 rules, 10 rows)", self.gate(candidate="same.json").out)
        self.assertIn("other number of steps: 12; 11",
                      self.gate("--normalize", "trace", "--single-ok", status=5).err)

    def test_an_incomplete_trace(self):
        made = trace(3, steps=12, ops=changed("aten::bmm", times=1.5))
        whole = json.dumps({"traceEvents": [*made["traceEvents"], made["traceEvents"][0]]})
        self.write("cut.json", whole[:whole.rindex("}, {") + 1])
        self.tpq("ingest", "--quiet", "--run", "cut", "cut.json")
        self.tpq("ingest", "--run", "base", "base.json")
        cut = ("gate", "--baseline", "base", "--candidate", "cut")
        done = self.tpq(*cut, status=5)
        self.assertRegex(done.err, r"tpq: gate: undecided: incomplete trace: cut: file_cut \(cut\.json.*\. --allow-incomplete")
        self.tpq(*cut, "--allow-incomplete", status=1)
        self.tpq("gate", "--baseline", "base", "--candidate", "trace:1", "--undecided=pass")

    def lose(self, path, every, **more):
        """A trace that lacks every so-manieth kernel, and takes longer."""
        made = trace(3, steps=12, **more)
        gone = [event for event in made["traceEvents"] if event.get("cat") == "kernel"][1:-1:every]
        made["traceEvents"] = [event for event in made["traceEvents"] if event not in gone]
        self.write(path, made)
        return path

    def test_that_a_side_lacks_events_comes_first(self):
        self.lose("lost.json", 40, clock=1.5)
        first = "Undecided: incomplete trace: lost: kernels_lost ("
        for verb in (("gate", "--baseline", "base.json", "--candidate", "lost.json"), ("compare", "base.json", "lost.json", "--fail-if", "regression")):
            result = self.tpq(*verb, "--json=a.json", "--markdown=a.md", status=5)
            headline = json.loads(self.read("a.json"))["meta"]["headline"]
            self.assertTrue(headline[0].startswith(first), headline)
            self.assertTrue(headline[1].startswith("lost is 4"), headline)
            self.assertTrue(self.read("a.md").replace("\\", "").startswith(first))
            self.assertTrue(self.tpq(*verb, status=5).out.startswith(first))
            self.assertNotIn("Undecided", self.tpq(*verb, "--allow-incomplete", status=1).out)
        self.gate("--junit=a.xml", "--github=a.txt", candidate="lost.json", status=5)
        suite = ElementTree.parse(self.path("a.xml")).getroot()
        self.assertTrue(suite.find("properties/property").get("value").startswith(first))
        self.assertTrue(self.read("a.txt").startswith("::warning title=tpq gate: undecided::incomplete trace: lost: kernels_lost ("))

    def test_both_sides_lack_events(self):
        self.lose("lost.json", 40)
        self.lose("more.json", 20)
        found = r"incomplete traces: more: kernels_lost \(\d+ of 312 kernel launches without GPU activity\); lost: kernels_lost \(8 of 312 kernel launches without GPU activity\)\. --allow-incomplete decides all the same"
        care = ("--health-rule", "kernels_lost.broken_share=0.9")
        rules = self.rules("level,key\ntimeline,idle_time\n")
        for words in (rules, (*rules, *care)):
            result = self.tpq("gate", "--baseline", "more.json", "--candidate", "lost.json", *words, status=5)
            self.assertRegex(result.err, rf"^tpq: gate: undecided: {found} \(1 rule")
        for words, where in (((), ""), (care, " in 1 of \\d rows")):
            out = self.tpq("compare", "more.json", "lost.json", "--by", "timeline", *words).out
            self.assertRegex(sentences(out)[0], rf"^Undecided{where}: {found}$")

    def test_a_check_that_warns_touches_a_figure_of_a_rule(self):
        self.lose("lost.json", 40)
        care = ("--single-ok", "--health-rule", "kernels_lost.broken_share=0.9")
        rules = self.rules("level,key\ntimeline,idle_time\ntimeline,computation_time\n")
        result = self.gate(*rules, *care, "--json", candidate="lost.json", status=5)
        self.assertRegex(result.err, r"tpq: gate: undecided: incomplete trace: lost: kernels_lost \(\d of \d+ kernel launches without GPU activity\)\. --allow")
        sheets = json.loads(result.out)
        self.assertTrue(sheets["meta"]["headline"][0].startswith("Undecided: incomplete trace: lost: kernels_lost ("))
        verdicts = [row["verdict"] for row in sheets["rules"]]
        self.assertEqual(verdicts[0], "undecided")
        self.assertNotEqual(verdicts[1], "undecided")
        for other in ((*self.rules("level,key\ntimeline,computation_time\n"), *care), (*rules, *care, "--allow-incomplete")):
            self.assertNotIn("ncomplete", self.gate(*other, candidate="lost.json").err)
        self.gate(*rules, *care, candidate="same.json")

    def test_a_cut_step_is_in_no_mean(self):
        made = trace(3, steps=12)
        kernels = [event for event in made["traceEvents"] if event.get("cat") == "kernel"]
        last = kernels[-len(kernels) // 12 + 1:]
        self.write("cut.json", {"traceEvents": [event for event in made["traceEvents"] if event not in last]})
        said = "tpq: cut: 1 cut step not included (trace_health), 10 counted\n"
        self.gate(candidate="cut.json")
        self.tpq("ingest", "-q", "--run", "base", "base.json")
        self.tpq("ingest", "-q", "--run", "cut", "cut.json")
        self.tpq("gate", "--pin", "base", "cut")
        for level in ((), ("--by", "step_bounds"), ("--by", "step_mfu")):
            result = self.tpq("compare", "base", "cut", *level, "--single-ok", "--json")
            self.assertEqual(result.err.count(said), 1, level)
            sheets = json.loads(result.out)
            self.assertEqual([row["samples"] for row in sheets["summary"]], [11, 10])
            self.assertEqual(sheets["summary"][1]["verdict"], "within noise")
            for row in sheets.get("step_bounds", sheets.get("step_mfu", [])):
                self.assertEqual([row["step"] == 11] * 2, [row["verdict"] == "undecided", row["value_2"] is None])
        named = self.tpq("compare", "base", "cut", "--by", "step_bounds", "--step", "8-11")  # its user names it
        self.assertNotIn("not included", named.err)
        self.assertIn("Undecided: incomplete trace: ", named.out)

    def test_rows_that_a_check_touches_have_a_mark(self):
        self.lose("lost.json", 40)
        timeline = ("compare", "base.json", "lost.json", "--by", "timeline", "--single-ok", "--health-rule", "kernels_lost.broken_share=0.9")
        note = r"\* touched by findings of trace_health: lost: kernels_lost \(\d of \d+ kernel launches without GPU activity\)"
        self.tpq(*timeline, "--json=a.json", "--markdown=a.md", "--csv=a.csv", "--html=a.html")
        out = self.tpq(*timeline).out
        self.assertRegex(out, r"\nidle_time .* undecided \* ")
        self.assertRegex(out, r"\ncomputation_time .* (?!undecided)[a-z]+ +-?\d")
        self.assertRegex(out, rf"\n{note}\n")
        self.assertRegex(sentences(out)[0], r"^Undecided in 1 of \d rows: incomplete trace: lost: kernels_lost \(\d of \d+ kernel launches without GPU activity\)\. --allow")
        self.assertRegex(self.read("a.md"), r"\| idle_time \|.*\| undecided \\?\* \|")
        self.assertIn("undecided *", sum(read_page(self.path("a.html")).table("timeline")[1], []))
        sheets = json.loads(self.read("a.json"))
        self.assertEqual(sheets["meta"]["touched"], {"gpu_timeline": ["kernels_lost"]})
        self.assertEqual({row["verdict"] for row in sheets["timeline"] if row["type"] == "idle_time"}, {"undecided"})
        self.assertNotIn("*", self.read("a.csv"))
        out = self.tpq("compare", "lost.json", "base.json", "--by", "kernel").out
        self.assertRegex(out, rf"\n{note}\n")
        whole = self.tpq("compare", "base.json", "same.json", "--by", "timeline", "--json")
        self.assertNotIn("touched", whole.out)

    def test_parts_of_the_time_without_a_basis(self):
        self.lose("lost.json", 20)
        sheets = json.loads(self.tpq("compare", "base.json", "lost.json", "--json").out)
        parts = {row["part"]: row for row in sheets["time_parts"]}
        self.assertEqual({name for name, row in parts.items() if row["diff"] is None}, {"idle: launch-bound", "idle: other"})
        self.assertNotIn(None, [row["value_2"] for row in parts.values()])
        self.assertEqual(sheets["meta"]["touched"], {"unified_perf_summary": ["kernels_lost"], "time_parts": ["kernels_lost"]})
        out = self.tpq("compare", "base.json", "lost.json").out
        self.assertRegex(out, r"\nidle: other \* +[\d,]+ +[\d,]+ +–\n")
        self.assertRegex(out, r"\ncomputation +[\d,]+ +[\d,]+ +-[\d,]+\n")
        self.assertRegex(out, r"\n\* touched by findings of trace_health: lost: kernels_lost \(\d+ of 312 kernel launches without GPU activity\)\n")
        self.assertNotIn("idle time", out)
        allowed = self.tpq("compare", "base.json", "lost.json", "--allow-incomplete").out
        self.assertRegex(allowed, r"\nidle: other \* +[\d,]+ +[\d,]+ +[\d,]+\n")

    def test_the_health_of_each_side_is_its_own(self):
        """Files are each in a warehouse of their own, where traces have the same number."""
        self.lose("lost.json", 40)
        meta = json.loads(self.gate("--json", candidate="lost.json", status=5).out)["meta"]
        self.assertEqual([side["health"]["verdict"] for side in meta["sides"]], ["complete", "not comparable"])
        self.assertEqual(meta["health"], {name: meta["sides"][1]["health"][name] for name in ("verdict", "line", "checks")})
        self.assertEqual([list(side["health"]["traces"].values()) for side in meta["sides"]], [["complete"], ["not comparable"]])

    def test_a_regression_beside_a_side_that_lacks_events(self):
        self.lose("lost.json", 40)
        self.write("r.sql", "SELECT 'slow' AS name, 1 AS base, 2 AS candidate;")
        result = self.gate("--rules", "r.sql", "--junit=a.xml", "--markdown", candidate="lost.json", status=5)
        self.assertIn("| regression | slow |", result.out)
        self.assertRegex(result.err, r"tpq: gate: undecided: incomplete trace: .*; 1 regression \(1 rule, 1 row\)")
        suite = ElementTree.parse(self.path("a.xml")).getroot()
        self.assertEqual([suite.get(name) for name in ("tests", "failures", "skipped")], ["1", "0", "1"])


class Rules(Gates):
    def test_rules_say_what_counts(self):
        self.gate(*self.rules("key,relative\naten::mm*,3\n"))
        self.gate(*self.rules("key,relative\naten::b*,60\n"))
        self.gate(*self.rules("key,relative\naten::b*,40\n"), status=1)
        self.gate(*self.rules("level,key\nkernel,bmm_16*\n"), status=1)
        self.gate(*self.rules("level\ntimeline\n"), status=1)
        self.gate(*self.rules("level,key,metric,direction,relative\n"
                              "op,*,count,up,0\n"))

    def test_another_figure(self):
        done = self.gate("--by", "op", "--metric", "count", status=2)
        self.one_line(done, "less or more of ops_summary.count is worse")
        self.one_line(self.gate("--metric", "colour", status=2), "no figures 'colour'")
        done = self.gate("--by", "kernel", "--metric", "kernel_duration_mean", *self.rules("key,direction\n*,up\n"),
                         "--json", status=1)
        self.assertEqual({row["metric"] for row in json.loads(done.out)["findings"]}, {"kernel_duration_mean"})

    def test_wrong_rules(self):
        for text, words in (("level\nkernal\n", r"rules\.csv:2: .*did you mean kernel"),
                            ("metric\nkernel_tim_sum\n", r"rules\.csv:2: .*did you mean"),
                            ("key,metric\n*,operation_count\n", "less or more"),
                            ("metric\ntflops_mean\n", "needs a key"),
                            ("colour\nx\n", "no such column"), ("level\n", "no rules")):
            self.one_line(self.gate(*self.rules(text), status=2), words)
        self.one_line(self.gate("--rules", "none.csv", status=3), "none.csv")
        for name in ("rules.csv", "rules.sql"):
            self.write(name, "level\nop\n\0kernel\n")
            self.one_line(self.gate("--rules", name, status=2), f"{name}: a byte is 0")

    def test_a_rule_about_nothing(self):
        """It is no success, and every form says so."""
        rules = self.rules("level,key,relative\nop,aten::bnm,3\nop,aten::bmm,60\n")
        done = self.gate(*rules, "--junit=a.xml", "--github=a.txt", "--json=a.json", "--markdown")
        self.assertEqual(done.err.count("no row of"), 1)
        self.assertRegex(done.err, r"rules\.csv:2: no row of ops_summary matches 'aten::bnm'\n")
        self.assertIn("passed (2 rules, 1 of them without a row, 1 row)", done.out)
        self.assertRegex(done.out, r"\| nothing \| aten::bnm")
        suite = ElementTree.parse(self.path("a.xml")).getroot()
        self.assertEqual([suite.get(name) for name in ("tests", "failures", "skipped")], ["2", "0", "1"])
        self.assertEqual([found.get("message") for found in suite.iter("skipped")],
                         ["aten::bnm: no such row in ops_summary"])
        self.assertIn("::warning title=tpq gate: nothing::aten::bnm: no such row in ops_summary\n", self.read("a.txt"))
        row, = json.loads(self.read("a.json"))["findings"]
        self.assertEqual((row["verdict"], row["base"], row["candidate"]), ("nothing", None, None))
        strict = self.gate(*rules, "--strict-compare", status=3)
        self.assertIn("tpq: gate: 1 of 2 rules has no row, which --strict-compare does not allow\n", strict.err)
        self.assertRegex(strict.out, "nothing +aten::bnm")

    def test_rules_that_are_all_about_nothing(self):
        done = self.gate(*self.rules("level,key\nop,aten::bnm\n"), status=3)
        self.assertIn("tpq: gate: nothing was judged (1 rule, 0 rows)\n", done.err)

    def test_files_as_spreadsheets_write_them(self):
        files = []
        for end, mark in itertools.product(("\n", "\r\n"), ("", "\ufeff")):
            for rules in (("level,key", "op,aten::bmm", ""), ("level\tkey", "op\taten::bmm", "")):
                files += "--rules", self.write(f"{len(files)}.csv", (mark + end.join(rules)).encode())
            files += "--rules", self.write(f"{len(files)}.sql", (mark + end.join(("-- No x.", "SELECT 'x' AS name", ""))).encode())
        done = self.gate(*files, "--junit", status=1)
        self.one_line(done, r"12 regressions \(12 rules, 12 rows\)")
        self.assertEqual([case.find("failure") is None for case in ElementTree.fromstring(done.out).iter("testcase")], [False] * 12)
        self.assertEqual(done.out.count('name="No x."'), 4)

    def test_wrong_calls(self):
        self.one_line(self.tpq("gate", status=2), "--baseline is required")
        self.one_line(self.tpq("gate", "base.json", status=2), "unexpected operand")
        self.one_line(self.gate(candidate="base.json", status=2), "are the same")


class SqlRules(Gates):
    NEW = ("-- No kernel is new,\n-- whatever it is.\nSELECT kernel_name AS name, 'kernel' AS level,"
           "\n sum(kernel_duration_sum) AS candidate, 'us' AS unit FROM kernel_summary\n"
           "WHERE run = :candidate AND kernel_name NOT IN (SELECT kernel_name FROM kernel_summary "
           "WHERE run = :baseline) GROUP BY kernel_name;\n")
    SLOW = ("SELECT new.name, 'time' AS metric, old.ms AS base, new.ms AS candidate FROM "
            "(SELECT run, name, sum(dur_ns) / 1e6 AS ms FROM gpu_slice GROUP BY run, name) AS new "
            "JOIN (SELECT run, name, sum(dur_ns) / 1e6 AS ms FROM gpu_slice GROUP BY run, name) AS "
            "old ON old.name = new.name AND old.run = :baseline WHERE new.run = :candidate "
            "AND new.ms > 1.2 * old.ms")

    def sql(self, text):
        return ("--rules", self.write("rules.sql", text))

    def test_rows_are_findings(self):
        self.write("more.json", trace(4, steps=12, ops=[*OPS, ("my::op", [[1]], "k", 60.0, 1)]))
        result = self.gate(*self.sql(self.NEW + self.SLOW), "--json", candidate="more.json",
                           status=1)
        self.one_line(result, r"1 regression \(2 rules, 1 row\)")
        sheets = json.loads(result.out)
        self.assertEqual([(row["name"], row["level"], row["verdict"], row["base"])
                          for row in sheets["findings"]], [("k", "kernel", "regression", None)])
        self.assertEqual([row["says"] for row in sheets["rules"]],
                         ["No kernel is new, whatever it is.", self.path("rules.sql") + ":6"])
        row, = json.loads(self.gate(*self.sql(self.SLOW), "--json", status=1).out)["findings"]
        self.assertAlmostEqual(row["pct"], 50, delta=2)
        self.assertAlmostEqual(row["diff"], row["candidate"] - row["base"])
        self.gate(*self.sql(self.NEW + self.SLOW), candidate="same.json")
        out = self.gate(*self.sql(self.NEW), "--junit", candidate="more.json", status=1).out
        case, = ElementTree.fromstring(out).findall("testcase")
        self.assertIn("No kernel is new", case.get("name"))

    def test_verdicts(self):
        for verdict, status in (("regression", 1), ("added", 1), ("undecided", 5),
                                ("improvement", 0)):
            rule = self.sql(f"SELECT 'x' AS name, '{verdict}' AS verdict")
            self.gate(*rule, status=status)
        self.gate(*self.sql("SELECT 'x' AS name, 'undecided' AS verdict"), "--single-ok", status=1)

    def test_what_a_finding_does_not_say_is_left_out(self):
        for cells, words in (("", "x (regression)"), (", 5.0 AS candidate, 'us' AS unit", "x: 5.00 us, no baseline (regression)"),
                             (", 5.0 AS base, 'm' AS metric", "x: m 5, no candidate (regression)"),
                             (", 'm' AS metric, 0 AS base, 5.0 AS candidate", "x: m 0 -> 5 (regression)"),
                             (", 4.0 AS base, 5.0 AS candidate", "x: 4 -> 5 (+25.0 %)")):
            done = self.gate(*self.sql("SELECT 'x' AS name" + cells), "--junit", "--github=a.txt", "--json=a.json",
                             status=1)
            self.assertEqual([found.text for found in ElementTree.fromstring(done.out).iter("failure")], [words + "\n"])
            self.assertEqual(self.read("a.txt"), "::error title=tpq gate: regression::" + words.replace("%", "%25") + "\n")
            self.assertNotIn("nan", (done.out + self.read("a.txt") + self.read("a.json")).lower())

    def test_views_are_about_the_sides(self):
        for name in ("base", "same", "slow"):
            self.tpq("ingest", "--run", name, f"{name}.json")
        rule = self.sql("SELECT DISTINCT run AS name FROM gpu_timeline UNION "
                        "SELECT 'side ' || run FROM gate_side WHERE side = 'candidate'")
        out = self.tpq("gate", "--baseline", "base", "--candidate", "slow", *rule, "--json",
                       status=1).out
        self.assertEqual([row["name"] for row in json.loads(out)["findings"]],
                         ["base", "side slow", "slow"])
        self.check()

    def test_comments_are_what_a_rule_is_called(self):
        rule = self.sql("/* No x,\n   at all. */\nSELECT 'x' AS name WHERE 0;\n-- No\n/**/ -- y.\n"
                        "SELECT 'y' AS name WHERE 0; /* No more\n */")
        rules = json.loads(self.gate(*rule, "--json").out)["rules"]
        self.assertEqual([rule["says"] for rule in rules], ["No x, at all.", "No y."])
        self.one_line(self.gate(*self.sql("/* x\n\n*/ SELECT 1 AS colour"), status=2), r":3: .*no column 'colour'")

    def test_both_kinds(self):
        result = self.gate(*self.rules("level\ntimeline\n"), *self.sql(self.SLOW), "--json",
                           status=1)
        self.assertEqual([row["rule"] for row in json.loads(result.out)["findings"]], [1, 2])

    def test_wrong_sql(self):
        for text, words in (("SELECT nme AS name", r"rules\.sql:1: no such column: nme"),
                            ("-- x\n\nSELECT 'a' AS name FROM none", r":3: no such table"),
                            ("SELECT 1 AS name;\nSELECT 'a' AS colour", r":2: .*no column 'colour'"),
                            ("SELECT 1 AS p", "needs a column name"),
                            ("SELECT 'a' AS name, 'bad' AS verdict", "verdict of a finding is"),
                            ("SELECT :run AS name", "not ':run'"), ("SELECT ? AS name", "not"),
                            ("DELETE FROM run", "is a SELECT"), ("ATTACH 'x' AS y", "is a SELECT"),
                            ("EXPLAIN SELECT 1 AS name", "is a SELECT"), (";", "is missing"),
                            ("SELECT abs(-9223372036854775808) AS name", "overflow"),
                            ("-- nothing", "no rules")):
            before = self.snapshot()
            self.one_line(self.gate(*self.sql(text), "--json=out.json", status=2), words)
            os.remove(self.path("rules.sql"))
            before.pop(self.path("rules.sql"), None)
            self.assertEqual(self.snapshot(), before)
        self.one_line(self.gate("--rules", "none.sql", status=3), "none.sql")
        self.tpq("ingest", "--run", "base", "base.json")
        self.one_line(self.tpq("gate", "--baseline", "base", "--candidate", "slow.json",
                               *self.sql(self.SLOW), status=2), "both sides in one warehouse")


class Outputs(Gates):
    def test_junit(self):
        self.gate("--junit", status=1)
        out = self.gate("--junit=gate.xml", status=1)
        self.assertEqual(out.out, "")
        suite = ElementTree.parse(self.path("gate.xml")).getroot()
        self.assertEqual((suite.get("tests"), suite.get("failures")), ("4", "4"))
        self.assertIn("aten::bmm", suite.findall("testcase/failure")[1].text)
        passed = ElementTree.fromstring(self.gate("--junit", candidate="same.json").out)
        self.assertEqual(passed.get("failures"), "0")

    def test_several_outputs(self):
        """Each has its place, and none of them takes that of another."""
        out = self.gate("--junit=a.xml", "--github=a.txt", "--xlsx=a.xlsx", "--json=a.json", status=1)
        for name in ("a.xml", "a.txt", "a.xlsx", "a.json"):
            self.assertTrue(os.path.getsize(self.path(name)), name)
        self.assertEqual(out.out, "")
        for two in (("--junit", "--json"), ("--junit", "--github"), ("--markdown", "--github=-")):
            self.one_line(self.gate(*two, status=2), "both go to standard output")
        self.one_line(self.gate("--junit=x", "--json=x", status=2), "both go to x")
        self.one_line(self.gate("--junit=base.json", status=2), "is an input")
        rules = self.write("rules.csv", "level,key\nop,*\n")
        self.one_line(self.gate("--rules", rules, "--csv=rules.csv", status=2), "is an input")

    def test_names_are_no_markup(self):
        """Whatever an op is called, it is a text: in XML, in a line of a log, in a table."""
        name = "ev%il: \n<op> \"&'::error,x]]>|`\U0001f600\uffff"
        self.write("evil.json", trace(4, steps=12, ops=[*OPS, (name, [[1]], "k", 60.0, 1)]))
        self.gate("--junit=a.xml", "--github=a.txt", "--markdown=a.md", "--json=a.json", candidate="evil.json",
                  status=1)
        shown = name.replace("\n", "\\n")
        suite = ElementTree.parse(self.path("a.xml")).getroot()
        in_xml = shown.replace("\uffff", "\ufffd")  # which XML cannot hold
        self.assertIn(f"\n{in_xml} [[1]]: ", "".join("\n" + found.text for found in suite.iter("failure")))
        lines = self.read("a.txt").splitlines()
        self.assertEqual(len(lines), 4)
        self.assertIn("::added::" + shown.replace("%", "%25") + " [[1]]: ",
                      "\n".join(lines).replace("error title=tpq gate: ", ""))
        self.assertIn(shown + " [[1]]", [row["name"] for row in json.loads(self.read("a.json"))["findings"]])
        row, = (line for line in self.read("a.md").splitlines() if line.startswith("| added"))
        self.assertRegex(row, r"ev%il: \\\\n\\<op\\> .*\\\|\\`")

    def test_annotations(self):
        out = self.gate("--github", status=1).out
        self.assertRegex(out, r"(?m)^::error title=tpq gate: regression::aten::bmm .*%25\)$")
        self.assertEqual(self.gate("--github", candidate="same.json").out, "")

    def test_forms(self):
        sheets = json.loads(self.gate("--json", status=1).out)
        self.assertEqual([row["regressions"] for row in sheets["rules"]], [1, 1, 1, 1])
        self.assertLess(max(row["p"] for row in sheets["findings"]), 0.01)
        self.assertEqual(sorted(row["unit"] for row in sheets["findings"]), ["ms", "ms", "us", "us"])
        self.assertIn("| regression | aten::bmm", self.gate("--markdown", status=1).out)
        before = os.listdir(self.folder)
        self.gate("--json=base.json", status=2)
        self.assertEqual(os.listdir(self.folder), before)


class Pins(Gates):
    def test_a_run_is_kept_and_held_against(self):
        """What a build server does: keep a run once, then ask about each new one."""
        self.tpq("ingest", "--run", "base", "base.json")
        self.one_line(self.tpq("gate", "--pin", "green", "base"), "@pin:green is now base")
        self.tpq("ingest", "--run", "new", "same.json")
        self.tpq("gate", "--baseline", "@pin:green", "--max-regression", "3%")
        self.tpq("ingest", "--run", "newer", "slow.json")
        self.tpq("gate", "--baseline", "@pin:green", "--max-regression", "3%", "--junit=gate.xml",
                 status=1)
        self.tpq("gate", "--pin", "green", "@last")
        self.assertEqual(self.rows("SELECT value FROM setting WHERE name = 'pin:green'"),
                         [("newer",)])
        self.check()

    def test_a_run_that_lacks_events(self):
        made = trace(7, steps=12)
        launches = [event for event in made["traceEvents"] if event.get("cat") == "kernel"]
        made["traceEvents"] = [event for event in made["traceEvents"] if event not in launches[1:-1:4]]
        self.write("lost.json", made)
        self.tpq("ingest", "-q", "--run", "lost", "lost.json")
        result = self.tpq("gate", "--pin", "green", "lost", status=5)
        self.one_line(result, r"lost is incomplete: kernels_lost \(.*--allow-incomplete keeps it")
        self.assertEqual(self.rows("SELECT count(*) FROM setting WHERE name LIKE 'pin:%'"), [(0,)])
        self.one_line(self.tpq("gate", "--pin", "green", "lost", "--allow-incomplete"), "@pin:green is now lost")

    def test_pins_that_are_none(self):
        self.tpq("ingest", "--run", "base", "--label", "a=1", "base.json")
        self.tpq("ingest", "--run", "same", "--label", "a=1", "same.json")
        self.one_line(self.tpq("gate", "--pin", "green", "bas", status=2), "did you mean base")
        self.one_line(self.tpq("gate", "--pin", "green", status=2), "an operand is missing")
        self.one_line(self.tpq("gate", "--pin", "green", "a=1", status=2), "keeps one run")
        self.one_line(self.tpq("gate", "--pin", "", "base", status=2), "needs a name")
        self.assertEqual(self.rows("SELECT count(*) FROM setting WHERE name LIKE 'pin:%'"), [(0,)])
        for option in ("--baseline=x", "--candidate=x", "--max-regression=3%", "--junit", "--single-ok", "--rules=x"):
            self.one_line(self.tpq("gate", "--pin", "green", "base", option, status=2),
                          "--pin only keeps a run; " + option.partition("=")[0] + " is for another call")
        self.tpq("gate", "--pin", "green", "base")
        self.one_line(self.tpq("gate", "--baseline", "@pin:gren", status=2),
                      "no run is kept as 'gren'; did you mean green?")
        self.one_line(self.tpq("gate", "--baseline", "@pin:other", status=2),
                      "no run is kept as 'other'; there are green")

    def test_a_pin_whose_run_is_gone_or_another(self):
        """A name that stayed is not the run that was kept."""
        self.tpq("ingest", "--run", "base", "base.json")
        self.tpq("ingest", "--run", "new", "same.json")
        self.tpq("gate", "--pin", "green", "base")
        for call in (("--dry-run", "base"), ("base",)):
            self.one_line(self.tpq("rm", *call), "^tpq: @pin:green loses its run base$")
        for verb in (("gate", "--baseline"), ("runs",), ("report", "--run"), ("compare", "new")):
            self.one_line(self.tpq(*verb, "@pin:green", status=2),
                          "@pin:green was run 'base', which is not there any more; tpq gate --pin green RUN keeps")
        self.tpq("ingest", "--run", "base", "slow.json")
        self.one_line(self.tpq("gate", "--baseline", "@pin:green", status=2),
                      "run 'base' has other traces than when it was kept as @pin:green; tpq gate --pin green base")
        self.assertEqual(self.tpq("rm", "base", "--quiet").err, "")
        self.tpq("ingest", "--run", "base", "base.json")
        self.tpq("gate", "--baseline", "@pin:green", "--candidate", "new")
        self.one_line(self.tpq("rm", "trace:3"), "@pin:green loses its run base")
        self.check()


if __name__ == "__main__":
    main()
