"""tpq compare: what changed between runs, named and judged.

The traces are made here: 20 steps of a few ops, each with its kernels, whose times vary by 2 %. A
change is planted in one of two traces, and must be named first or second.
"""

import csv
import html
import io
import json
import os
import random
import re
import subprocess
import zipfile

from support import Case, MAKE_TRACE, main, sentences

REPORTS = os.path.join(os.path.dirname(__file__), "..", "..", "sql", "reports")
NOISE = 0.02
STEPS = 20
# op, shape, kernel, microseconds, how often in a step
OPS = [("aten::mm", [[512, 512], [512, 512]], "gemm_512", 200.0, 3),
       ("aten::mm", [[1024, 512], [512, 64]], "gemm_64", 80.0, 3),
       ("aten::bmm", [[16, 128, 64], [16, 64, 128]], "bmm_16", 120.0, 2),
       ("aten::native_layer_norm", [[64, 512]], "layer_norm", 30.0, 4),
       ("aten::add", [[64, 512], [64, 512]], "add_kernel", 12.0, 6),
       ("aten::mul", [[64, 512], [64, 512]], "mul_kernel", 11.0, 6),
       ("aten::softmax", [[16, 128, 128]], "softmax", 40.0, 2)]


def trace(seed, ops=None, clock=1.0, steps=STEPS, noise=NOISE, device="Test GPU",
          pause=0):
    """A trace as a dict; `clock` is what all kernels' times are multiplied by."""
    draw = random.Random(seed)
    events, now, busy, correlation = [], 1000.0, 1000.0, 1
    for step in range(steps):
        start = now
        for name, dims, kernel, duration, count in ops or OPS:
            for _ in range(count):
                events.append({"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1,
                               "ts": round(now, 3), "dur": 8,
                               "args": {"Input Dims": dims, "External id": correlation}})
                events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel",
                               "pid": 1, "tid": 1, "ts": round(now + 2, 3), "dur": 4,
                               "args": {"correlation": correlation}})
                took = max(duration * clock * (1 + draw.gauss(0, noise)), 0.5)
                busy = max(busy, now + 5)
                events.append({"ph": "X", "cat": "kernel", "name": kernel, "pid": 0, "tid": 7,
                               "ts": round(busy, 3), "dur": round(took, 3),
                               "args": {"correlation": correlation, "stream": 7, "device": 0,
                                        "External id": correlation}})
                busy += took + 1
                now += 10
                correlation += 1
        now = max(now, busy) + pause
        events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}",
                       "pid": 1, "tid": 1, "ts": round(start - 1, 3), "dur": round(now - start, 3)})
        now += 2
    return {"traceEvents": events,
            "deviceProperties": [{"id": 0, "name": device, "computeMajor": 9}]}


def changed(name, dims=None, **more):
    """The ops with another kernel or time of one of them."""
    found = []
    for op, shape, kernel, duration, count in OPS:
        if op == name and (dims is None or shape[0] == dims):
            kernel = more.get("kernel", kernel)
            duration = duration * more.get("times", 1) + more.get("plus", 0)
        found.append((op, shape, kernel, duration, count))
    return found


class Compared(Case):
    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def pair(self, **changes):
        self.write("a.json", trace(1))
        self.write("b.json", trace(2, **changes))

    def compare(self, *arguments, status=0):
        return self.tpq("compare", "a.json", "b.json", *arguments, status=status)

    def changes(self, *arguments):
        """The rows of the comparison, and what is said of the whole."""
        sheets = json.loads(self.compare(*arguments, "--json").out)
        level = next(name for name in sheets if name != "summary")
        return sheets[level], sheets["summary"][1]


class Planted(Compared):
    def test_a_product_is_slower(self):
        self.pair(ops=changed("aten::mm", [1024, 512], plus=20))
        rows, whole = self.changes()
        self.assertEqual((rows[0]["name"], rows[0]["input_dims"]),
                         ("aten::mm", [[1024, 512], [512, 64]]))
        self.assertEqual(rows[0]["verdict"], "regression")
        self.assertAlmostEqual(rows[0]["diff"], 60, delta=4)
        self.assertAlmostEqual(rows[0]["share"], 100, delta=15)
        self.assertEqual(whole["verdict"], "regression")
        self.assertEqual([row["verdict"] for row in rows[1:]], ["within noise"] * 6)
        first = sentences(self.compare().out)[0]
        self.assertRegex(first, r"^b is 4\.\d % slower than a: 1,\d\d\d -> 1,\d\d\d us a step\. Most of it: computation "
                                r"\+\d\d\.\d+ us\. GPU time of ops: 1,\d\d\d -> 1,\d\d\d us\. "
                                r"(\d+ % of that change comes from|Largest change:) aten::mm \[\[1024,512\],\[512,64\]\]")

    def test_an_op_takes_half_as_long_again(self):
        self.pair(ops=changed("aten::native_layer_norm", times=1.5))
        rows, _ = self.changes("--by", "op")
        self.assertEqual((rows[0]["name"], rows[0]["verdict"]),
                         ("aten::native_layer_norm", "regression"))
        self.assertAlmostEqual(rows[0]["pct"], 50, delta=2)
        self.assertTrue(47 < rows[0]["low"] < rows[0]["high"] < 53)

    def test_a_kernel_is_replaced(self):
        self.pair(ops=changed("aten::softmax", kernel="softmax_fused", times=0.6))
        rows, _ = self.changes("--by", "kernel")
        self.assertEqual({row["kernel_name"]: (row["status"], row["verdict"]) for row in rows[:2]},
                         {"softmax": ("removed", "improvement"), "softmax_fused": ("added", "regression")})
        self.assertIsNone(rows[0]["pct"])
        rows, _ = self.changes("--by", "op_shape")
        self.assertEqual((rows[0]["name"], rows[0]["status"]), ("aten::softmax", "both"))

    def test_an_op_is_added(self):
        self.pair(ops=[*OPS, ("aten::dropout", [[64, 512]], "dropout", 25.0, 2)])
        rows, _ = self.changes()
        self.assertEqual((rows[0]["name"], rows[0]["status"], rows[0]["verdict"]),
                         ("aten::dropout", "added", "regression"))
        self.assertAlmostEqual(rows[0]["mix"], rows[0]["diff"])
        self.assertEqual(rows[0]["rate"], 0)
        self.assertIn("aten::dropout [[64,512]] (added).", sentences(self.compare().out)[0])

    def test_clocks_are_lower(self):
        self.pair(clock=1 / 0.92)
        rows, whole = self.changes()
        self.assertEqual({row["verdict"] for row in rows}, {"regression"})
        self.assertAlmostEqual(whole["common_factor"], 1 / 0.92, delta=0.005)
        for row in rows:
            self.assertAlmostEqual(row["excess"], 0, delta=2)
        result = self.compare()
        self.assertRegex(sentences(result.out)[0], r"comes from a common factor of 1\.08\d")
        self.assertIn("common factor, such as a lower clock", result.err)

    def test_a_product_is_slower_and_clocks_are_lower(self):
        self.pair(ops=changed("aten::bmm", times=1.4), clock=1 / 0.92)
        rows, whole = self.changes()
        self.assertEqual((rows[0]["name"], rows[0]["verdict"]), ("aten::bmm", "regression"))
        self.assertAlmostEqual(rows[0]["excess"], 40, delta=3)
        for row in rows[1:]:
            self.assertAlmostEqual(row["excess"], 0, delta=2)

    def test_findings_that_one_run_alone_has(self):
        paths = [self.write(f"{name}.json", json.dumps(trace(seed, pause=pause)))
                 for seed, (name, pause) in enumerate((("even", 0), ("gaps", 3000), ("more", 3000)))]
        told = r"^%s.*\blong-gaps\b.*\.$"
        new, gone = told % "New findings, with their savings: ", told % "Findings gone: "
        for one, other, there, absent in ((0, 1, new, gone), (1, 0, gone, new), (1, 2, None, "[Ff]indings")):
            out = self.tpq("compare", paths[one], paths[other], env={"COLUMNS": "400"}).out
            if there:
                self.assertRegex(out, re.compile(there, re.M))
            self.assertNotRegex(out, re.compile(absent, re.M))
        self.assertNotIn("indings", self.tpq("compare", paths[0], paths[1], "--by", "op").out)
        collected = trace(7, pause=3000)
        collected["traceEvents"] += [{"ph": "X", "cat": "python_function", "name": "<built-in function collect>", "pid": 1, "tid": 1, "args": {"Python id": i},
                                      "ts": event["ts"] + event["dur"] - 2950, "dur": 2900}
                                     for i, event in enumerate(collected["traceEvents"]) if event["name"].startswith("ProfilerStep")]
        path = self.write("collected.json", json.dumps(collected))
        self.assertRegex(self.tpq("compare", path, paths[0], env={"COLUMNS": "400"}).out, "(?m)^Findings gone: .*garbage-collection")

    def test_the_time_of_a_step(self):
        """Which is more than its kernels take, and may change where they do not."""
        for name, pause in (("a", 0), ("b", 300)):
            self.write(f"{name}.json", trace(1, steps=6, pause=pause))
        steps = {name: [event["dur"] for event in json.loads(self.read(f"{name}.json"))["traceEvents"]
                        if event["name"].startswith("ProfilerStep")] for name in "ab"}
        mean = {name: sum(times[1:]) / 5 for name, times in steps.items()}  # the first one warms up
        words = f"{mean['a']:,.0f} -> {mean['b']:,.0f} us a step"
        share = f"{100 * (mean['b'] / mean['a'] - 1):.1f} %"
        self.assertRegex(sentences(self.compare().out)[0],
                         rf"^b is {share} slower than a: {words}\. Most of it: "
                         r"idle time \(launch-bound\) \+2\d\d\.\d us\. GPU time of ops: (1,\d+) -> \1 us\.$")
        self.assertRegex(sentences(self.compare("--by", "timeline").out)[0],
                         rf"{words}\. .*total_time of gpu_timeline: (1,\d+|.*) -> ")
        self.assertRegex(self.compare("--by", "step").out,
                         rf"^b is {share} slower than a: {mean['a'] / 1e3:.3f} -> {mean['b'] / 1e3:.3f} ms a step\.\n")
        self.assertRegex(self.compare("--metric", "tflops_mean").out, rf"^b is {share} .*{words}\. Most of it: .*\n")
        for form, name in (("--markdown", "x.md"), ("--json", "x.json"), ("--html", "x.html")):
            self.compare(form + "=" + name)
            self.assertIn(words, html.unescape(self.read(name)).replace("\\", ""))
        self.compare("--xlsx=x.xlsx")
        with zipfile.ZipFile(self.path("x.xlsx")) as book:
            self.assertIn(words, html.unescape("".join(book.read(name).decode() for name in book.namelist()
                                                       if name.endswith(".xml"))))
        _, whole = self.changes()
        self.assertAlmostEqual(whole["step_ms"], mean["b"] / 1e3, delta=1e-3)
        self.assertEqual((whole["diff"], f"{whole['step_pct']:.1f} %"), (0, share))

    def test_steps_of_one_length_with_more_gpu_time(self):
        """The headline says what changed, not that nothing did."""
        ops = [(name, dims, kernel, 2.0, count) for name, dims, kernel, _, count in OPS]
        self.write("a.json", trace(1, ops=ops))
        self.write("b.json", trace(2, ops=ops, clock=1.3))
        first = sentences(self.compare().out)[0]
        self.assertRegex(first, r"^b has (29|30)\.\d % more GPU time of ops than a: 5\d\.\d\d -> 6\d\.\d\d us a step\. "
                                r"100 % of that change comes from a common factor of 1\.\d+\. Step time (\S+) -> \2 us, unchanged\.$")
        _, whole = self.changes()
        self.assertEqual(whole["verdict"], "regression")

    def test_rows_that_cancel_out(self):
        ops = [op if op[2] != "gemm_512" else (*op[:3], 160.0, 3) for op in changed("aten::bmm", times=1.5)]
        self.write("a.json", trace(1, noise=0.001))
        self.write("b.json", trace(2, noise=0.001, ops=ops))
        out = self.compare().out
        self.assertNotIn("same", sentences(out)[0])
        self.assertRegex(sentences(out)[0], r"\. By row: 1 regression, 1 improvement\.$")
        rows, _ = self.changes()
        self.assertEqual([(row["name"], row["verdict"]) for row in rows[:2]],
                         [("aten::bmm", "regression"), ("aten::mm", "improvement")])
        for row in rows[:2]:  # of what changed in its direction
            self.assertAlmostEqual(row["share"], 100, delta=2)
        self.assertGreaterEqual(min(row["share"] for row in rows), 0)
        for sign in (1, -1):
            self.assertAlmostEqual(sum(row["share"] for row in rows if row["diff"] * sign > 0), 100)

    def test_without_steps_the_sum_is_named(self):
        self.pair(clock=1.2)
        first = sentences(self.compare("--normalize", "trace").out)[0]
        self.assertRegex(first, r"^b has 2\d\.\d % more GPU time of ops than a: "
                                r"[\d.]+ -> [\d.]+ ms\. \d+ % of the change comes from a common factor")
        first = sentences(self.compare("--normalize", "trace", "--by", "idle_causes").out)[0]
        self.assertRegex(first, r"^b (has .* time_ms of idle_causes than a|is the same as a by time_ms of idle_causes): ")
        _, whole = self.changes("--normalize", "trace")
        self.assertEqual((whole["step_ms"], whole["step_pct"]), (None, None))

    def test_more_calls_and_longer_calls_are_told_apart(self):
        ops = [op if op[0] != "aten::add" else (*op[:3], 14.0, 8) for op in OPS]
        self.write("a.json", trace(1, noise=0))
        self.write("b.json", trace(2, noise=0, ops=ops))
        rows, _ = self.changes("--by", "op")
        self.assertEqual(rows[0]["name"], "aten::add")
        self.assertAlmostEqual(rows[0]["mix"], 2 * 0.012)
        self.assertAlmostEqual(rows[0]["rate"], 2 * 0.008)
        self.assertAlmostEqual(rows[0]["mix"] + rows[0]["rate"], rows[0]["diff"])

    def test_nothing_but_noise(self):
        self.pair()
        rows, whole = self.changes()
        self.assertEqual({row["verdict"] for row in rows}, {"within noise"})
        self.assertEqual(whole["verdict"], "within noise")
        self.assertIn("within noise", sentences(self.compare().out)[0])


class Samples(Compared):
    def test_few_steps_prove_nothing(self):
        self.write("a.json", trace(1, steps=2))
        self.write("b.json", trace(2, steps=2, clock=1.3))
        rows, whole = self.changes()
        self.assertEqual({row["verdict"] for row in rows}, {"too few samples"})
        self.assertEqual(whole["verdict"], "too few samples")
        self.assertEqual(sentences(self.compare().out)[1],
                         "Undecided: too few samples: 2 against 2 steps, a test needs 3 (--single-ok decides all the same)")
        self.assertEqual((whole["samples"], whole["p"]), (2, None))

    def test_few_steps_on_other_devices(self):
        """No test is possible whatever the devices are; what else stands in the way is told."""
        self.write("a.json", trace(1, steps=2))
        self.write("b.json", trace(2, steps=2, clock=1.3, device="Other GPU"))
        rows, whole = self.changes()
        self.assertEqual({row["verdict"] for row in rows} | {whole["verdict"]}, {"too few samples"})
        self.assertEqual(sentences(self.compare().out)[2], "Undecided: other device: Test GPU; Other GPU")
        answer = json.loads(self.compare("--envelope").out.splitlines()[0])
        place = [column["name"] for column in answer["columns"]].index("verdict")
        self.assertEqual({row[place] for row in answer["rows"]}, {"too few samples"})
        self.assertIn("side 2 is undecided: other device", [note["text"] for note in answer["notes"]])
        self.assertIn("b: undecided: other device", self.compare("--single-ok", "--fail-if", "regression", status=5).err)

    def test_steps_of_warming_up_are_left_out(self):
        self.pair()
        _, usual = self.changes()
        _, whole = self.changes("--warmup", "5")
        self.assertEqual((usual["samples"], whole["samples"]), (19, 15))
        self.one_line(self.compare("--warmup", "20", status=3), "leaves none of its 20 steps")
        self.one_line(self.compare("--warmup", "x", status=2), "--warmup")
        for other, why in ((("--step", "3-9"), "not with --step"), (("--normalize", "trace"), "--normalize"),
                           (("--by", "step", "--step", "3-9"), "not with --step")):
            self.one_line(self.compare("--warmup", "2", *other, status=2), why)
        self.write("none.json", {"traceEvents": [event for event in trace(3)["traceEvents"]
                                                 if event["cat"] != "user_annotation"]})
        self.one_line(self.tpq("compare", "a.json", "none.json", "--warmup", "2", status=3),
                      "none: there are no profiler steps that --warmup could leave out")

    def test_whole_traces(self):
        self.pair()
        rows, whole = self.changes("--normalize", "trace", "--by", "op")
        self.assertEqual(whole["samples"], 1)
        self.assertEqual(next(row for row in rows if row["name"] == "aten::add")["count_1"], 120)
        self.one_line(self.compare("--normalize", "token", status=3), "tokens")

    def test_values_of_a_token(self):
        for seed in (1, 2):
            made = subprocess.run([MAKE_TRACE, "--serve", "--steps", "4", "--seed", str(seed)],
                                  check=True, capture_output=True).stdout
            self.tpq("ingest", "--run", f"s{seed}", self.write(f"s{seed}.json", made))
        tokens = json.loads(self.tpq("sql", "--mode", "json", "SELECT run, sum(c_sq + g_sq) AS tokens "
                                     "FROM inference_step GROUP BY run ORDER BY run").out)
        def totals(*arguments):
            sheets = json.loads(self.tpq("compare", "s1", "s2", *arguments, "--json").out)
            return [row["total"] for row in sheets["summary"]]
        whole = totals("--normalize", "trace")
        for each, total, row in zip(totals("--normalize", "token"), whole, tokens):
            self.assertGreater(row["tokens"], 1)
            self.assertAlmostEqual(each * row["tokens"], total)
        self.assertIn("us a token", self.tpq("compare", "s1", "s2", "--normalize", "token").out)

    def test_runs_are_repeats(self):
        for name in ("x", "y"):
            for i in range(4):
                self.write(f"{name}{i}.json", trace(f"{name}{i}", steps=3,
                                                    clock=1.1 if name == "y" else 1))
                self.tpq("ingest", "--run", f"{name}{i}", "--label", f"model={name}",
                         f"{name}{i}.json")
        sheets = json.loads(self.tpq("compare", "--label", "model=x", "--label", "model=y",
                                     "--json").out)
        self.assertEqual([row["samples"] for row in sheets["summary"]], [4, 4])
        self.assertEqual(sheets["summary"][1]["verdict"], "regression")
        self.assertEqual(sheets["summary"][0]["side"], "model=x")
        again = json.loads(self.tpq("compare", "model=x", "model=y", "--json").out)
        self.assertEqual(again, sheets)
        patterns = json.loads(self.tpq("compare", "x*", "y[0-9]", "--json").out)
        self.assertEqual([row["samples"] for row in patterns["summary"]], [4, 4])
        self.assertEqual([row["total"] for row in patterns["summary"]],
                         [row["total"] for row in sheets["summary"]])

    def test_the_same_question_has_the_same_answer(self):
        self.pair(clock=1.05)
        self.assertEqual(self.compare("--json").out, self.compare("--json").out)


class FailIf(Compared):
    def test_a_verdict_is_a_status(self):
        self.pair(clock=1.2)
        self.assertRegex(self.compare("--fail-if", "regression", status=1).err, r"\ntpq: compare: b: regression\n$")
        self.compare("--fail-if", "improvement")
        self.one_line(self.compare("--fail-if", "slower", status=2), "regression")
        self.one_line(self.compare("--fail-if", "regression", "--metric", "tflops_mean", "--normalize", "trace", status=2),
                      "needs a total")
        self.pair()
        self.compare("--fail-if", "regression")

    def test_what_is_undecided(self):
        self.write("a.json", trace(1, steps=1))
        self.write("b.json", trace(1, steps=1, clock=1.103))
        self.assertRegex(self.compare("--fail-if", "regression", status=5).err,
                         r"\ntpq: compare: b: undecided: too few samples: 1 against 1 step, a test needs 3")
        self.assertIn("undecided", self.compare("--fail-if", "regression", "--undecided", "pass").err)
        self.compare("--fail-if", "regression", "--undecided", "fail", status=1)
        self.compare("--fail-if", "regression", "--single-ok", status=1)
        self.compare("--fail-if", "improvement", "--single-ok")
        self.write("b.json", trace(2, clock=1.5, device="Other GPU"))
        self.write("a.json", trace(1, steps=19))
        out = self.compare("--fail-if", "regression", status=5).out
        self.assertEqual(sentences(out)[2],
                         "Undecided: other device: Test GPU; Other GPU")
        self.write("b.json", trace(2, clock=1.5))
        out = self.compare("--fail-if", "regression", status=1).out
        self.assertRegex(sentences(out)[0], r"^b is \d\d\.\d % slower than a")  # of 19 and 20 steps
        out = self.compare("--fail-if", "regression", "--normalize", "trace", status=5).out
        self.assertIn("\nUndecided: other number of steps: 19; 20\n", out)


class Levels(Compared):
    def test_every_level_and_report(self):
        self.pair()
        for level in ("timeline", "category", "op", "op_shape", "kernel", "step", "gpu_timeline",
                      "ops_unique_args", "kernel_shape", "launch_delay", "idle_causes", "roofline"):
            rows, _ = self.changes("--by", level)
            self.assertTrue(rows, level)

    def test_steps_are_the_samples_of_what_tells_of_each(self):
        """Rows of a step together are one sample, and those of ranks count as one rank."""
        self.write("a.json", trace(1, steps=5))
        self.write("b.json", trace(2, steps=6, clock=1.2))
        rows, whole = self.changes("--by", "step")
        self.assertEqual([row["samples"] for row in json.loads(self.compare("--by", "step", "--json").out)[
            "summary"]], [4, 5])  # the first one warms up
        self.assertEqual(sorted(row["step"] for row in rows), [1, 2, 3, 4, 5])
        self.assertIn("b: 1 warm-up step not included", self.compare("--by", "step").err)
        rows, whole = self.changes("--by", "step", "--warmup", "3")
        self.assertEqual((whole["samples"], sorted(row["step"] for row in rows)), (3, [3, 4, 5]))
        rows, whole = self.changes("--by", "step", "--warmup", "0")
        _, period = self.changes("--by", "timeline", "--metric", "time_ms", "--warmup", "0")
        self.assertEqual(whole["samples"], 6)
        self.assertAlmostEqual(whole["total"], period["total"], delta=0.05 * period["total"])
        self.assertEqual([(row["count_1"], row["mix"]) for row in rows if row["status"] == "both"],
                         [(1, 0)] * 5)
        self.assertIn(" a step.\n", self.compare("--by", "step").out)
        for seed, name in enumerate("ab"):
            whole = trace(seed, steps=2)
            whole["traceEvents"] = [event for event in whole["traceEvents"]
                                    if not event["name"].startswith("ProfilerStep")]
            self.write(f"whole_{name}.json", whole)
        words = self.tpq("compare", "whole_a.json", "whole_b.json", "--by", "step").out
        self.assertNotIn("a step", words)  # nor is a whole trace one
        self.assertIn("mean of 1 against 1 sample\n", words)
        again, parts = self.changes("--by", "critical_path_steps", "--warmup", "0")
        self.assertEqual(parts["common_factor"], 1)
        self.assertEqual(parts["samples"], 6)
        self.assertGreater(len(again), 6)
        self.assertAlmostEqual(6 * parts["total"], sum(row["value_2"] or 0 for row in again))
        for name in "ab":
            for rank in (0, 1):
                self.write(f"{name}{name}/rank{rank}.json", {**trace(rank, steps=4), "distributedInfo": {
                    "rank": rank, "world_size": 2}})
        sheets = json.loads(self.tpq("compare", "aa", "bb", "--by", "step", "--json").out)
        alone = json.loads(self.tpq("compare", "aa/rank0.json", "bb/rank1.json", "--by", "step", "--json").out)
        self.assertEqual([row["samples"] for row in sheets["summary"]], [3, 3])
        self.assertAlmostEqual(sheets["summary"][0]["total"],
                               sum(row["total"] for row in alone["summary"]) / 2)

    def test_the_total_is_no_part(self):
        self.pair(clock=1.2)
        rows, whole = self.changes("--by", "timeline")
        total = next(row for row in rows if row["type"] == "total_time")
        self.assertEqual(total["share"], 100)
        self.assertNotIn(",-0.0,", self.compare("--by", "timeline", "--csv").out)
        self.assertAlmostEqual(whole["diff"], total["diff"])
        self.assertIn(rows[0]["type"], ("busy_time", "computation_time"))

    def test_another_figure(self):
        self.pair()
        rows, _ = self.changes("--by", "op", "--metric", "count")
        self.assertEqual([row["diff"] for row in rows], [0] * 6)
        rows, _ = self.changes("--metric", "TFLOPS/s_mean")
        self.assertNotIn("share", rows[0])
        self.one_line(self.compare("--metric", "tflops_men", status=2), "did you mean tflops_mean")

    def test_a_report_of_the_user(self):
        self.write("own/one.sql", "-- Busy time by stream.\n-- set: pytorch\n-- position: 1\n"
                   "-- level: stream\n-- key: stream\n-- measure: busy_us, n\n"
                   "CREATE VIEW stream_time AS\nSELECT\n  run AS run, -- [text] run\n"
                   "  trace_id AS trace_id, -- [integer] trace\n  stream AS stream, -- [integer] s\n"
                   "  sum(dur_ns) / 1000.0 AS busy_us, -- (lower) time\n"
                   "  count(*) AS n -- [integer] how many\nFROM gpu_slice\n"
                   "GROUP BY run, trace_id, stream;\n")
        self.pair(clock=1.3)
        for name in ("stream", "stream_time"):
            rows, whole = self.changes("--report-dir", "own", "--by", name)
            self.assertEqual((rows[0]["stream"], rows[0]["verdict"]), (7, "regression"))
            self.assertEqual(whole["verdict"], "regression")
        self.write("own/one.sql", self.read("own/one.sql").replace("count(*) AS n", "0 AS n"))
        row = self.changes("--report-dir", "own", "--by", "stream")[0][0]
        self.assertEqual((row["mix"], row["rate"]), (0, row["diff"]))  # of no calls
        self.write("own/one.sql", (self.read("own/one.sql")).replace("-- key: stream\n", ""))
        self.one_line(self.compare("--report-dir", "own", "--by", "stream", status=2),
                      "declares no key")

    def test_kernels_by_their_short_names(self):
        """Which other compilers and templates leave as they are."""
        for kernel, statuses in (("void at::softmax_warp<4, float>(float*)", {"both"}),
                                 ("void at::softmax_other<4>(float*)", {"both", "added", "removed"})):
            with self.subTest(kernel):
                self.write("a.json", trace(1, ops=changed("aten::softmax",
                                                          kernel="void at::softmax_warp<8>(int)")))
                self.write("b.json", trace(2, ops=changed("aten::softmax", kernel=kernel)))
                rows, _ = self.changes("--by", "short_name")
                self.assertEqual({row["status"] for row in rows}, statuses)

    def test_figures_of_their_own_view(self):
        """Which is asked where only key and measure are, and says the same row by row."""
        long = ("-- Busy time.\n-- set: pytorch\n-- key: stream\n"
                   "-- measure: busy_us\n-- figures: short\nCREATE VIEW long AS\nSELECT\n"
                   "  run AS run, -- [text] run\n  trace_id AS trace_id, -- [integer] trace\n"
                   "  stream AS stream, -- [integer] s\n  -1 AS least, -- (lower) another figure\n"
                   "  -1 AS busy_us -- (lower) time\nFROM gpu_slice;\n")
        short = ("-- Only that.\nCREATE VIEW short AS\nSELECT\n  stream AS stream, -- [integer] s\n"
                 "  dur_ns AS busy_us -- time\nFROM gpu_slice;\n")
        self.write("own.sql", short + long)
        self.pair()
        rows, _ = self.changes("--extension-file", "own.sql", "--by", "long")
        self.assertGreater(rows[0]["value_1"], 0)
        rows, _ = self.changes("--extension-file", "own.sql", "--by", "long", "--metric", "least")
        self.assertEqual(rows[0]["value_1"], -1)
        self.write("own.sql", short.replace("busy_us", "busy_ns") + long)
        self.one_line(self.tpq("report", "a.json", "long", "--extension-file", "own.sql", status=2),
                      'long: "figures": no such column: busy_us')

    def test_figures_are_those_of_the_report(self):
        self.write("a.json", trace(1))
        self.make_trace("b.json", "--steps", "3", "--layers", "3")
        for path in ("a.json", "b.json"):
            self.tpq("ingest", "--db", path + ".db", path)
        found = 0
        for name in os.listdir(REPORTS):
            with open(os.path.join(REPORTS, name), encoding="utf-8") as file:
                said = dict(re.findall(r"^-- (key|measure|figures): (.*)$", file.read(), re.MULTILINE))
            if "figures" not in said:
                continue
            found += 1
            for path in ("a.json", "b.json"):
                columns = said["key"]
                sums = ", ".join(f"round(sum({name}), 3)" for name in said["measure"].split(", "))
                one, other = (self.tpq("sql", "--db", path + ".db", "-m", "csv",
                                       f"SELECT {columns}, {sums} FROM {view} GROUP BY {columns}").out
                              for view in (name.replace(".sql", ""), said["figures"]))
                self.assertGreater(len(one.splitlines()), 2)
                self.assertEqual(one, other)
        self.assertGreater(found, 0)

    def test_a_sheet_of_an_extension(self):
        self.write("own.sql", "-- Work by stream.\n-- set: pytorch\n-- key: stream\n"
                   "-- measure: busy_us\nCREATE VIEW own_work AS\nSELECT\n"
                   "  run AS run, -- [text] run\n  trace_id AS trace_id, -- [integer] trace\n"
                   "  stream AS stream, -- [integer] s\n"
                   "  sum(dur_ns) / 1000.0 AS busy_us -- (lower) time\nFROM gpu_slice\n"
                   "GROUP BY run, trace_id, stream;\n")
        self.pair(clock=1.3)
        rows, whole = self.changes("--extension-file", "own.sql", "--by", "own_work")
        self.assertEqual((rows[0]["stream"], whole["verdict"]), (7, "regression"))
        own = ("--extension-file", "own.sql")
        gate = self.tpq("gate", "--baseline", "a.json", "--candidate", "b.json", "--by", "own_work",
                        *own, status=1)
        self.assertRegex(gate.out, r"regression +total")
        history = self.tpq("history", "own_work.busy_us", "a.json", "b.json", *own, "--json")
        self.assertEqual(len(json.loads(history.out)["history"]), 2)

    def test_traces_without_ops(self):
        for seed, name in enumerate("ab"):
            made = trace(seed, steps=2)
            made["traceEvents"] = [event for event in made["traceEvents"] if event["cat"] == "kernel"]
            self.write(f"{name}.json", made)
        result = self.compare()
        self.assertIn("unified_perf_summary has no rows in any of them; this is --by kernel", result.err)
        self.assertRegex(sentences(result.out)[0], r"^b has .* GPU time of kernels than a: .*\. Which is faster cannot be told")
        self.assertIn("\ngemm_512", result.out)
        self.assertIn("has no rows", self.compare("--by", "op").err)
        self.assertNotIn(" 0 %", self.compare("--by", "op").err)  # a part of nothing

    def test_unknown_levels(self):
        self.pair()
        self.one_line(self.compare("--by", "kernal", status=2), "did you mean kernel")
        self.one_line(self.compare("--by", "nothing_like_it", status=2), "neither a level")
        self.one_line(self.compare("--set", "jaks", status=2), "no report is of the set 'jaks'; did you mean jax?")

    def test_levels_of_other_sets(self):
        head = "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,DEVICE FW DURATION [ns],DEVICE KERNEL DURATION [ns]\n"
        for name in ("a", "b"):
            self.write(f"{name}.csv", head + "MatmulDeviceOperation,tt_dnn_device,1024,0,5000,4000\n")
        self.one_line(self.tpq("compare", "a.csv", "b.csv", "--by", "module", status=2),
                      "'module' is neither a level of the set tt nor a report")


class Sides(Compared):
    def prepare(self):
        for i, name in enumerate(("first", "second", "third")):
            self.write(f"{name}.json", trace(i, steps=4))
            self.tpq("ingest", f"{name}.json")

    def sides(self, *arguments, status=0):
        result = self.tpq("compare", *arguments, "--json", status=status)
        return [row["side"] for row in json.loads(result.out)["summary"]] if not status else result

    def test_runs_and_what_stands_for_them(self):
        self.assertEqual(self.sides("first", "second"), ["first", "second"])
        self.assertEqual(self.sides("@last~2", "@last"), ["first", "third"])
        self.assertEqual(self.sides("trace:1", "trace:3"), ["trace:1", "trace:3"])
        self.assertEqual(self.sides("first", self.path("second.json")), ["first", "second"])
        self.assertEqual(self.sides("first", "second", "--names", "a", "b"), ["a", "b"])

    def test_many(self):
        rows = json.loads(self.tpq("compare", "first", "second", "third", "--by", "op",
                                   "--json").out)["op"]
        self.assertEqual(len(rows), 6)
        for row in rows:
            values = {name: row[f"value_{i + 1}"] for i, name in enumerate(("first", "second", "third"))}
            self.assertEqual(row["best"], min(values, key=values.get))
            self.assertEqual(row["worst"], max(values, key=values.get))
            self.assertAlmostEqual(row["diff_3"], values["third"] - values["first"])

    def test_a_row_that_a_side_lacks_is_not_best_there(self):
        self.write("less.json", trace(9, ops=OPS[:-1], steps=4))
        rows = json.loads(self.tpq("compare", "first", "less.json", "second", "--by", "op", "--json").out)["op"]
        row = next(row for row in rows if row["name"] == "aten::softmax")
        self.assertIsNone(row["value_2"])
        self.assertEqual({row["best"], row["worst"]}, {"first", "second"})
        rows = json.loads(self.tpq("compare", "less.json", "first", "less.json", "--names", "a", "b", "c",
                                   "--by", "op", "--json").out)["op"]
        row = next(row for row in rows if row["name"] == "aten::softmax")
        self.assertEqual((row["best"], row["worst"]), (None, None))  # only b has it

    def test_runs_of_a_label_stand_in_the_order_of_time(self):
        for name, start in (("late", 2000), ("early", 1000), ("unknown", None)):
            made = trace(1, steps=3)
            if start:
                made["baseTimeNanoseconds"] = start * 10 ** 9
            self.tpq("ingest", "--run", name, "--label", "model=m", self.write(f"{name}.json", made))
        out = self.tpq("compare", "first", "--label", "model=m", "second").out
        self.assertRegex(out, r"(?m)^candidate second: run second .*\ncandidate model=m: runs? early, late, unknown ")

    def test_names_that_columns_cannot_bear(self):
        for name in ("a__b", ""):
            self.one_line(self.sides("first", "second", "--names", name, "c", status=2),
                          f"no side can be called '{name}'")
        self.write("x__y.json", trace(1, steps=3))
        self.assertEqual(self.sides("first", "x__y.json"), ["first", "x__y"])
        self.one_line(self.tpq("compare", "first", "x__y.json", "--compat", status=2), "--names gives")

    def test_unknown_ones(self):
        for word, words in (("secnd", "did you mean second"), ("@last~9", "not so many runs"),
                            ("@lst", "neither @last nor"), ("@pin:x", "no run is kept as 'x'"),
                            ("trace:99", "no trace 99"), ("model=x", "no run has the label"),
                            ("@last~x", "@last~1"), ("trace:x", "number of a trace")):
            self.one_line(self.sides("first", word, status=2), words)
        self.one_line(self.sides("first", status=2), "at least two")
        self.one_line(self.sides("first", "first", status=2), "two sides are called 'first'")
        self.one_line(self.sides("first", "second", "--names", "a", status=2), "--names")
        self.one_line(self.sides("first", "second", "--label", "x", status=2), "KEY=VALUE")
        self.one_line(self.sides("first", "second", "--alpha", "2", status=2), "--alpha")

    def test_files_without_a_warehouse(self):
        self.assertEqual(self.tpq("compare", "first.json", "none.json", "--db", "none.db",
                                  status=2).out, "")
        self.assertNotIn("none.db", [name.rsplit("/", 1)[-1] for name in self.snapshot()])
        self.write("bad.json", "not a trace")
        self.assertIn("bad.json", self.tpq("compare", "first.json", "bad.json", status=3).err)

    def test_nothing_in_common(self):
        self.write("other.json", trace(9, ops=[("my::op", [[1]], "k", 10.0, 1)], steps=4))
        self.one_line(self.tpq("compare", "first", "other.json", "--by", "op", status=3),
                      "no row in common .*name")
        self.assertEqual(len(self.sides("first", "second", "other.json", "--by", "op")), 3)

    def test_other_machines(self):
        self.write("other.json", trace(9, steps=4, device="Other GPU"))
        result = self.tpq("compare", "first", "other.json")
        self.assertIn("\nUndecided: other device: Test GPU; Other GPU\n", result.out)
        self.assertNotIn("device", result.err)
        self.one_line(self.tpq("compare", "first", "other.json", "--strict-compare", status=3),
                      "different devices")

    def test_the_warehouse_stays_as_it_is(self):
        before = self.dump()
        self.tpq("compare", "first", self.path("second.json"))
        self.assertEqual(self.dump(), before)


class Outputs(Compared):
    def test_forms(self):
        self.pair(ops=changed("aten::bmm", times=1.5))
        rows, _ = self.changes("--by", "op")
        text = self.compare("--by", "op", "--csv").out
        table = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual([row["name"] for row in table], [row["name"] for row in rows])
        self.assertEqual(float(table[0]["diff"]), rows[0]["diff"])
        page = self.compare("--html", "page.html")
        with open(self.path("page.html"), encoding="utf-8") as file:
            self.assertIn("slower than a", file.read())
        self.assertIn("page.html", page.err)

    def test_markdown_is_short(self):
        self.pair(ops=[(f"my::op{i}", [[i]], f"k{i}", 10.0 + i, 1) for i in range(30)])
        self.write("a.json", trace(1, ops=[("my::op0", [[0]], "k0", 10.0, 1)]))
        out = self.compare("--markdown").out
        lines = out.splitlines()
        heads = [line for line in lines if line.startswith("| name |")]
        self.assertEqual(len(heads), 2)
        self.assertLessEqual(heads[0].count("|"), 9)
        self.assertEqual(sum(line.startswith("| my::op") for line in lines), 30)
        self.assertEqual((out.count("<details>"), out.count("</details>")), (1, 1))
        for top, before in (("7", 7), ("0", 30)):
            out = self.compare("--markdown", "--top", top).out
            self.assertEqual(out.split("<details>")[0].count("| my::op"), before)
            self.assertEqual(out.count("| my::op"), 30)
        self.assertRegex(out, r"\| my::op29 .*\| 3\d\.\d\d \|")
        self.assertRegex(lines[0], r"^b is .* slower than a")

    def test_nothing_is_a_part_of_what_rounds_to_nothing(self):
        made = trace(1, steps=2)
        self.write("a.json", made)
        kernel = [event for event in made["traceEvents"] if event.get("cat") == "kernel"][-1]
        kernel["dur"] += 0.001
        self.write("b.json", made)
        line = sentences(self.compare("--by", "op").out)[0]
        self.assertRegex(line, r"^b is the same as a: .* us a step\. GPU time of ops: (\S+) -> \1 ms\.$")

    def test_markdown_numbers_what_it_shows_alike(self):
        """Ops that only differ in what a few columns have no room for."""
        for seed, name in enumerate("ab"):
            made = trace(seed, ops=[("aten::mm", [[8, 8]], f"k{n}", 20.0 + n, 1) for n in range(3)], steps=4)
            ops = [event for event in made["traceEvents"] if "Input Dims" in event.get("args", {})]
            for n, event in enumerate(sorted(ops, key=lambda event: event["ts"])):
                event["args"]["Input Strides"] = [[8 + n % 3, 1]]
            self.write(f"{name}.json", made)
        out = self.compare("--markdown").out
        names = [line.split("|")[1].strip() for line in out.splitlines() if line.startswith("| aten")]
        self.assertEqual(names, ["aten::mm", "aten::mm\\#2", "aten::mm\\#3"], out)

    def test_figures_come_before_what_tells_rows_apart(self):
        """Long keys take the room that figures leave."""
        ops = [("aten::mm", [[8, n], [n, 8], [], [], []], f"k{n}", 20.0 + n, 1) for n in range(4)]
        for seed, name in enumerate("ab"):
            made = trace(seed, ops=ops, steps=4)
            for event in made["traceEvents"]:
                if "Input Dims" in event.get("args", {}):
                    n = event["args"]["Input Dims"][0][1]
                    event["args"].update({"Input type": ["c10::BFloat16"] * 4 + [f"Scalar{n % 2}"] * 3,
                                          "Input Strides": [[1000000 + n % 2, 64, 1]] * 5,
                                          "Concrete Inputs": ["a long word of an argument", str(n)]})
            self.write(f"{name}.json", made)
        heading = next(line for line in self.compare().out.splitlines() if line.startswith("name "))
        self.assertEqual(heading.split()[0], "name")
        self.assertRegex(heading, r" a us +b us +us +pct %")
        narrow = self.on_terminal(40, "compare", "a.json", "b.json")
        self.assertRegex(narrow, r"(?m)^name +a us +b us")
        table = narrow[narrow.index("\nname "):].splitlines()[:8]
        self.assertLessEqual(max(map(len, table)), 40)

    def test_a_workbook_has_colours(self):
        self.pair(ops=changed("aten::bmm", times=1.5))
        self.compare("--xlsx=c.xlsx")
        with zipfile.ZipFile(self.path("c.xlsx")) as book:
            page = book.read("xl/worksheets/sheet2.xml").decode()
        rules = re.findall(r'<cfRule[^>]*priority="(\d+)"([^>]*)><formula>([^<]*)</formula>', page)
        self.assertEqual(len(rules), 6)
        self.assertIn('operator="greaterThan"', page)
        verdict = re.search(r'r="([A-Z]+)1"[^>]*><is><t>verdict<', page)[1]
        for first in rules[::3]:  # what may be chance is grey, whichever way it goes
            self.assertIn('stopIfTrue="1"', first[1])
            self.assertEqual(first[2], f'ISERROR(FIND("|"&amp;${verdict}2&amp;"|","|regression|improvement|significant|"))')
        with zipfile.ZipFile(self.path("c.xlsx")) as book:
            page = book.read("xl/worksheets/sheet3.xml").decode()
        headings = dict(re.findall(r'r="([A-Z]+)1"[^>]*><is><t>([^<]*)<', page))
        self.assertEqual([headings[column] for column in re.findall(r'sqref="([A-Z]+)2:', page)],
                         ["diff", "pct", "step_pct"])  # a time itself is neither good nor bad

    def test_a_workbook_has_a_chart_of_the_largest_differences(self):
        self.pair(ops=changed("aten::bmm", times=1.5))
        self.compare("--xlsx=c.xlsx", "--html=c.html", "--csv=c/", "--by=op_shape")
        self.assertNotIn("largest_differences.csv", os.listdir(self.path("c")))
        self.assertNotIn("largest_differences", self.read("c.html"))
        with zipfile.ZipFile(self.path("c.xlsx")) as book:
            pages = re.findall(r'<sheet name="([^"]*)"', book.read("xl/workbook.xml").decode())
            page = book.read(f"xl/worksheets/sheet{pages.index('largest_differences') + 1}.xml").decode()
            chart = book.read("xl/charts/chart1.xml").decode()
        self.assertEqual(re.findall(r'r="[A-Z]+1"[^>]*><is><t>([^<]*)<', page),
                         ["name", "baseline", "candidate", "difference", "percent"])
        self.assertIn("aten::bmm", re.search(r'r="A2"[^>]*><is><t>([^<]*)<', page)[1])
        sizes = [abs(float(value)) for value in re.findall(r'r="D\d+"[^>]*><v>([^<]*)<', page)]
        self.assertEqual(sizes, sorted(sizes, reverse=True))
        self.assertTrue(0 < len(sizes) <= 15)
        self.assertIn('<c:barDir val="bar"/>', chart)
        self.assertIn(f"<c:f>largest_differences!$D$2:$D${len(sizes) + 1}</c:f>", chart.replace("'", ""))

    def test_what_people_read_begins_with_the_values(self):
        self.pair(ops=changed("aten::bmm", times=1.5))
        first = sentences(self.compare().out)[0]
        self.compare("--xlsx=c.xlsx", "--markdown=c.md", "--csv=c.csv", "--html=c.html", "--by=op_shape")
        self.assertIn(first, html.unescape(self.read("c.html")))
        with zipfile.ZipFile(self.path("c.xlsx")) as book:
            index, page = (book.read(f"xl/worksheets/sheet{number}.xml").decode() for number in (1, 2))
        self.assertEqual(re.findall(r'r="[A-Z]+1"[^>]*><is><t>([^<]*)<', page)[:6], ["name", "a", "b", "diff", "pct", "Input Dims"])
        self.assertEqual([html.unescape(words) for words in re.findall(r'r="[AB]1"[^>]*><is><t>([^<]*)<', index)], ["headline", first])
        lines = self.read("c.md").splitlines()
        self.assertEqual(lines[0].replace("\\", ""), first)
        self.assertEqual("\n".join(lines).replace("\\", "").count(first), 1)
        self.assertRegex("\n".join(lines), r"\n\| name \| a \| b \| diff \| pct \| Input Dims \| ")
        self.assertRegex(self.read("c.csv"), r"^name,Input Dims,")

    def test_the_sheets_of_the_reference(self):
        self.pair()
        self.write("c.json", trace(3))
        self.tpq("compare", "a.json", "b.json", "c.json", "--compat", "--csv", "out")
        names = os.listdir(self.path("out"))
        for part in ("intersect", "only_baseline", "only_variant"):
            for name in ("b", "c"):
                self.assertIn(f"unified_perf_summary_{part}_{name}.csv", names)
        self.tpq("compare", "a.json", "b.json", "c.json", "--compat", "--xlsx=c.xlsx")
        with zipfile.ZipFile(self.path("c.xlsx")) as book:
            pages = re.findall(r'<sheet name="([^"]*)"', book.read("xl/workbook.xml").decode())
            words = book.read("xl/worksheets/sheet1.xml").decode()
        self.assertEqual(sum(page.startswith("unified") for page in pages), 6)
        self.assertEqual(len([page for page in pages if page.endswith(("_b", "_c"))]), len(pages) - 4)
        self.assertEqual(pages[0], "index")
        self.tpq("ingest", "--run", "c", "c.json")
        self.tpq("ingest", "--run", "a", "a.json")
        for sides, folder in ((("a", "c"), "kept"), (("a.json", "c.json"), "read")):
            self.tpq("compare", *sides, "--compat", "--csv", folder)
        kept, read = ({name: self.read(f"{folder}/{name}") for name in os.listdir(self.path(folder))}
                      for folder in ("kept", "read"))
        self.assertEqual(kept, read)
        self.assertGreater(len(kept), 4)
        self.assertIn("unified_perf_summary of a and c: rows that are only in the latter.", words)
        self.compare("--compat", "--xlsx=pair.xlsx")
        with zipfile.ZipFile(self.path("pair.xlsx")) as book:
            self.assertNotIn('name="index"', book.read("xl/workbook.xml").decode())
        for option in ("--by=op", "--warmup=1"):
            self.one_line(self.compare("--compat", option, status=2), "does not go with --compat")
        whole, part = (list(csv.DictReader(io.StringIO(self.compare("--compat", "--sheets", "gpu_timeline", "--csv=x",
                       *step).err and self.read("x/gpu_timeline.csv")))) for step in ((), ("--step", "3")))
        self.assertAlmostEqual(float(part[-1]["a::time ms"]), float(whole[-1]["a::time ms"]) / 20, delta=0.1)
        self.compare("--compat", "--sheets", "gpu_timeline", "ops_summary", "--csv", "few")
        self.assertEqual(sorted(os.listdir(self.path("few"))), ["gpu_timeline.csv",
                                                                "ops_summary.csv"])
        self.one_line(self.compare("--sheets", "all", status=2), "--compat")

    def test_what_no_side_has_is_a_slip(self):
        self.write("a.json", trace(1, steps=4))
        self.write("b.json", trace(2, steps=6))
        self.tpq("ingest", "--run", "a", "a.json")
        self.tpq("ingest", "--run", "b", "b.json")
        for sides in (["a", "b"], ["a.json", "b.json"], ["a", "b.json"]):
            gate = ["gate", "--baseline", sides[0], "--candidate", sides[1]]
            for call in (["compare", *sides], ["history", "timeline", *sides], gate):
                for option, value, why in (("--step", 77, "there is no step 77; there are steps 0"),
                                           ("--rank", 9, "there is no rank 9; no trace records")):
                    self.one_line(self.tpq(*call, option, value, status=2), why)

            self.tpq("history", "timeline", *sides, "--step", 5)  # one of them has it

    def test_colours(self):
        self.pair(ops=changed("aten::bmm", times=1.5))
        out = self.compare("--by", "op", "--color").out
        line = next(line for line in out.splitlines() if "aten::bmm" in line and "regression" in line)
        self.assertIn("\033[38;5;9m", line)


if __name__ == "__main__":
    main()
