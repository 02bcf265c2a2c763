"""Serving: what the steps of an engine cost, the gaps before them, and what requests waited for."""

import json
import os
import re

from support import Case, main, plain, slice_event, trace_of


def step(at, until, context=(0, 0), generation=(0, 0), thread=1):
    return slice_event("execute_context_%d(%d)_generation_%d(%d)" % (*context, *generation), at, until - at, "user_annotation", thread=thread)


def launch(number, at, *kernels, call="cudaLaunchKernel", op=None, thread=1):
    """A runtime call and its kernels (name, start, duration), perhaps in an op."""
    link = {"correlation": number}
    events = [slice_event(op, at - 1, 6, thread=thread)] if op else []
    events.append(slice_event(call, at, 4, "cuda_runtime", thread=thread, args=link))
    return events + [slice_event(name, start, duration, "gpu_memcpy" if name.startswith("Memcpy") else "kernel", thread=7, process=0,
                                 args={**link, "device": 0, "stream": 7}) for name, start, duration in kernels]


class Reports(Case):
    def report(self, name, *events, options=(), **metadata):
        path = self.write("t.json", trace_of(*events, **metadata))
        return json.loads(self.tpq("report", path, name, "--json", *options).out)[name]

    def columns(self, rows, *names):
        return [tuple(row[name] for name in names) for row in rows]


class Steps(Reports):
    PARTS = "gap_ms", "gap_tail_ms", "gap_between_ms", "gap_prep_ms", "gap_launch_ms"

    def test_a_gap_is_the_sum_of_its_parts(self):
        rows = self.report("serving_steps", step(0, 100, generation=(4, 4)), *launch(1, 10, ("a", 20, 30)),
                           step(140, 300, generation=(4, 4)), *launch(2, 170, ("a", 190, 10)))
        self.assertEqual(self.columns(rows, "step_no", "launches", *self.PARTS),
                         [(0, 1, None, None, None, None, None), (1, 1, 0.14, 0.05, 0.04, 0.03, 0.02)])

    def test_work_that_overlaps_leaves_no_gap(self):
        rows = self.report("serving_steps", step(0, 100, generation=(4, 4)), *launch(1, 10, ("a", 20, 300)),
                           step(140, 300, generation=(4, 4)), *launch(2, 170, ("a", 190, 10)),
                           step(310, 350, generation=(4, 4)), *launch(3, 315, ("a", 325, 5)))
        self.assertEqual(self.columns(rows, *self.PARTS)[1:], [(0, 0, 0, 0, 0), (0.005, 0, 0, 0, 0.005)])

    def test_every_earlier_step_counts_for_the_tail_and_no_moment_twice(self):
        # the second step launches nothing, the third is open within the first on another thread
        rows = self.report("serving_steps", step(0, 100, generation=(4, 4)), *launch(1, 10, ("a", 20, 30)), step(120, 140, generation=(1, 1)),
                           step(60, 130, generation=(2, 2), thread=2), step(150, 300, generation=(4, 4)), *launch(2, 170, ("a", 190, 10)),
                           *launch(9, 400, ("b", 410, 1)))
        self.assertEqual(self.columns(rows, "step_no", "mode", *self.PARTS), [
            (0, "eager", *[None] * 5), (1, None, *[None] * 5), (2, None, *[None] * 5), (3, "eager", 0.14, 0.09, 0.01, 0.02, 0.02)])

    def test_an_open_earlier_step_takes_of_preparation_and_launch(self):
        rows = self.report("serving_steps", step(0, 150, generation=(4, 4)), *launch(1, 10, ("a", 20, 30)),
                           step(100, 300, generation=(4, 4), thread=2), *launch(2, 130, ("a", 190, 10), thread=2))
        self.assertEqual(self.columns(rows, *self.PARTS)[1], (0.14, 0.1, 0, 0, 0.04))

    def test_a_step_has_what_its_own_thread_launched(self):
        rows = self.report("serving_steps", step(0, 100, generation=(4, 4)), *launch(1, 10, ("a", 20, 30)), *launch(2, 20, ("a", 50, 7), thread=2))
        self.assertEqual(self.columns(rows, "gpu_ms", "launches"), [(0.03, 1)])

    def test_modes(self):
        graph = lambda number, at, took: launch(number, at, ("a", at + 10, took), call="cudaGraphLaunch")
        rows = self.report("serving_steps", step(0, 100, generation=(4, 4)), *graph(1, 10, 18), *launch(2, 20, ("b", 40, 2)),
                           step(200, 300, generation=(4, 4)), *graph(3, 210, 17), *launch(4, 220, ("b", 240, 2)),
                           step(400, 500, generation=(4, 4)), *launch(5, 420, ("b", 440, 2)))
        self.assertEqual(self.columns(rows, "mode"), [("graph",), ("piecewise",), ("eager",)])

    def test_thousands_of_steps_in_one_that_is_open_all_the_time(self):
        events = [step(0, 10**7, context=(1, 1), thread=2)]
        for i in range(3000):
            events += [step(10 + 100 * i, 100 + 100 * i, generation=(4, 4)), *launch(i, 20 + 100 * i, ("a", 30 + 100 * i, 50))]
        rows = self.report("serving_steps", *events)
        self.assertEqual({row["gap_tail_ms"] for row in rows[2:]}, {0.05})


class Ledger(Reports):
    def ledger(self, *events):
        return {(row["phase"], row["op_group"]): row for row in self.report("serving_ledger", *events)}

    def test_groups_of_ops(self):
        kernels = [("communication", "ncclDevKernel_AllReduce_attention", None), ("kv_cache", "reshape_and_cache_flash_kernel", None),
                   ("moe", "topk_softmax", None), ("attention", "k", "vllm::unified_Attention"), ("sampling", "gumbel_kernel", None),
                   ("gemm", "k", "aten::addmm"), ("norm", "rms_norm_kernel", None), ("memory", "Memcpy DtoD", None), ("other", "silu", None)]
        events = [step(0, 1000, generation=(1, 1))]
        for i, (_, kernel, op) in enumerate(kernels):
            events += launch(i, 20 + 20 * i, (kernel, 30 + 20 * i, 1 + i), op=op)
        # in the sampler nothing but communication keeps its group
        events += [slice_event("gpu_model_runner: sample", 500, 100, "user_annotation"), *launch(20, 510, ("gemm", 520, 100)),
                   *launch(21, 530, ("nccl_x", 630, 1000))]
        found = {group: row["gpu_ms"] for (phase, group), row in self.ledger(*events).items()}
        expected = {group: (1 + i) / 1000 for i, (group, _, _) in enumerate(kernels)}
        expected["sampling"], expected["communication"] = 0.105, 1.001
        self.assertEqual(found, expected)

    def test_a_step_of_both_phases_is_split_and_nothing_is_lost(self):
        name = "execute_10_context_1(sq9sk9sqsq81sqsk81)_generation_3(sq3sk30sqsq3sqsk27)"
        rows = self.ledger(slice_event(name, 0, 100, "user_annotation"), *launch(1, 10, ("gemm", 20, 0.101)), *launch(2, 20, ("attn", 30, 0.05)),
                           *launch(3, 30, ("argmax", 40, 0.04)), *launch(4, 200, ("Memset", 210, 0.007)))
        self.assertEqual({key: (row["calls"], row["gpu_ms"]) for key, row in rows.items()}, {
            ("prefill", "gemm"): (1, 0.000076), ("decode", "gemm"): (1, 0.000025), ("prefill", "attention"): (1, 0.00003),
            ("decode", "attention"): (1, 0.00002), ("prefill", "sampling"): (1, 0.00001), ("decode", "sampling"): (1, 0.00003),
            ("outside", "memory"): (1, 0.000007)})
        self.assertAlmostEqual(rows["prefill", "gemm"]["us_per_token"], 0.101 * 9 / 12 / 9)
        self.assertAlmostEqual(rows["decode", "sampling"]["us_per_token"], 0.03 / 3)
        self.assertIsNone(rows["outside", "memory"]["us_per_token"])
        self.assertEqual(sum(round(row["gpu_ms"] * 1e6) for row in rows.values()), 198)
        self.assertAlmostEqual(sum(row["percent"] for row in rows.values()), 100)

    def test_without_query_and_key_tokens_attention_goes_by_tokens_and_without_tokens_by_requests(self):
        rows = self.ledger(step(0, 100, (1, 30), (1, 10)), *launch(1, 10, ("attn", 20, 4)), step(200, 300, (3, 0), (1, 0)), *launch(2, 210, ("attn", 220, 4)))
        self.assertEqual((rows["prefill", "attention"]["gpu_ms"], rows["decode", "attention"]["gpu_ms"]), (0.006, 0.002))

    def test_a_part_of_nothing_is_no_row(self):
        rows = self.ledger(step(0, 100, (1, 30), (1, 0)), *launch(1, 10, ("gemm", 20, 4)))
        self.assertEqual(list(rows), [("prefill", "gemm")])

    def test_a_rule_of_the_user_comes_first(self):
        self.write("rules.csv", "purpose,priority,pattern,category\nserving,1,silu,mine\n")
        rows = self.report("serving_ledger", step(0, 100, generation=(1, 1)), *launch(1, 10, ("silu", 20, 4)), options=["--extension-file", self.path("rules.csv")])
        self.assertEqual(self.columns(rows, "op_group"), [("mine",)])


class Batches(Reports):
    STEPS = [*(step(at, at + 50, generation=(n, n)) for at, n in ((0, 2), (100, 4), (300, 4), (600, 2), (700, 9))),
             *(event for i, at in enumerate((0, 100, 300)) for event in launch(i, at + 1, ("a", at + 10, 10 + i)))]

    def test_batches(self):
        rows = self.report("serving_batch", *self.STEPS)
        self.assertEqual(self.columns(rows, "phase", "batch_size", "steps", "busy_median_ms", "iteration_median_ms"), [
            ("decode_only", 2, 2, 0.005, 0.1), ("decode_only", 4, 2, 0.0115, 0.25), ("decode_only", 9, 1, 0, None)])

    def test_the_line_through_decode_steps(self):
        row, = self.report("serving_fit", *self.STEPS)
        self.assertEqual(row["steps"], 4)
        for name, value in (("intercept_ms", -0.05), ("us_per_request", 75), ("r2", 0.0225 / 0.0275)):
            self.assertAlmostEqual(row[name], value)


class Plans(Reports):
    def test_no_step_is_looked_for_in_all_steps(self):
        self.tpq("ingest", "--quiet", self.write("t.json", trace_of(step(0, 100, (1, 1), (4, 4)), *launch(1, 10, ("a", 20, 30)))))
        for report in "serving_steps", "serving_ledger", "serving_batch", "serving_fit", "serving_requests":
            plan = self.tpq("sql", f"EXPLAIN QUERY PLAN SELECT * FROM {report}").out
            self.assertIn("SEARCH", plan)
            self.assertNotRegex(plan, r"SCAN \w+ LEFT-JOIN|PARTIAL COVERING INDEX", report)


class Latency(Reports):
    """Latencies and throughput, from a log or from the starts of steps; percentiles as numpy has them."""
    STEPS = [step(0, 900, (1, 100)), *launch(1, 10, ("a", 20, 40)), step(1000, 1900, generation=(2, 2)), step(2000, 2900, generation=(4, 4)),
             step(4000, 4900, (1, 50)), step(7000, 7900, generation=(5, 5)), step(8000, 8400, (1, 30), (5, 5)), step(8500, 9000, generation=(6, 6)),
             step(100000, 100900, (2, 60)), step(101000, 101900, generation=(2, 2))]
    LOG = ("request_id,arrival,first_token,end,prompt_tokens,output_tokens\n" + "".join(
        f"{name},1700000000.{at:06d},1700000000.{first:06d},1700000000.{end:06d},{more}\n" for name, at, first, end, more in (
            ("a", 0, 2000, 9000, "100,8"), ("b", 1000, 5000, 9000, "50,1"), ("c", 200000, 203000, 223000, "30,11"), ("wrong", 5, 4, 9, "1,1"))))

    def figures(self, *events, options=()):
        rows = self.report("serving_latency", *events, options=options, baseTimeNanoseconds=1700000000 * 10**9)
        return {(row["metric"], row["basis"]): row for row in rows}

    def held(self, row, values):
        """Counts, mean, percentiles and maximum of a row against the values themselves, in us."""
        values = sorted(values)
        def percentile(percent):
            place = percent / 100 * (len(values) - 1)
            low = values[int(place)]
            return low + (values[min(int(place) + 1, len(values) - 1)] - low) * (place % 1)
        self.assertEqual(row["count"], len(values))
        for name, value in ("mean_ms", sum(values) / len(values)), ("max_ms", values[-1]), *((f"p{n}_ms", percentile(n)) for n in (50, 90, 99)):
            self.assertAlmostEqual(row[name], value / 1000, msg=name)

    def test_steps_tell_intervals_of_requests_and_tokens(self):
        """A decode step counts for each of its requests until the next one, unless prefills in between can have brought all of its requests."""
        rows = self.figures(*self.STEPS)
        self.assertEqual([("itl", "engine steps"), ("decode_throughput", "engine steps"), ("total_token_throughput", "engine steps")], list(rows))
        self.held(rows["itl", "engine steps"], [1000] * 2 + [5000] * 4 + [1000] * 5 + [500] * 5)
        for metric, tokens in ("decode_throughput", 22), ("total_token_throughput", 22 + 240):
            row = rows[metric, "engine steps"]
            self.assertEqual((row["count"], row["window_ms"], row["p50_ms"]), (tokens, 101, None))
            self.assertAlmostEqual(row["per_second"], tokens / 0.101)
        words = self.report("headline", *self.STEPS)[0]["words"]
        self.assertIn(" Engine steps: 9. Over 101.0 ms: inter-token latency p50 1.0 ms, p99 5.0 ms; 217.8 decode tokens/s (reports serving_latency, serving_ledger).", words)
        out = " ".join(self.tpq("report", self.path("t.json"), "serving_latency").out.split())
        self.assertIn("ttft, tpot, e2e_latency (not recorded: --request-log FILE has arrivals)", out)

    def test_a_log_needs_no_engine_steps(self):
        log = ["--request-log", self.write("log.csv", self.LOG)]
        rows = self.figures(*launch(1, 10, ("a", 20, 60)), options=log)
        self.assertEqual(["ttft", "tpot", "e2e_latency", "request_throughput", "output_token_throughput", "total_token_throughput"], [metric for metric, _ in rows])
        self.held(rows["ttft", "request log"], [2000, 4000, 3000])
        self.held(rows["tpot", "request log"], [1000, 2000])
        self.held(rows["e2e_latency", "request log"], [9000, 8000, 23000])
        for metric, count in ("request_throughput", 3), ("output_token_throughput", 20), ("total_token_throughput", 200):
            self.assertEqual((count, 223), (rows[metric, "request log"]["count"], rows[metric, "request log"]["window_ms"]))
            self.assertAlmostEqual(rows[metric, "request log"]["per_second"], count / 0.223)
        words = self.report("headline", *self.STEPS, options=log)[0]["words"]
        self.assertIn(" Requests: 3. Over 223.0 ms: TTFT p50 3.0 ms, p99 4.0 ms; 13.5 requests/s (report serving_latency).", words)

    def test_a_log_beside_engine_steps(self):
        """The queue is known where the trace has the request; without numbers of tokens none are counted."""
        log = self.write("log.csv", "request_id,arrival,first_token,end\na,1699999999.999900,1700000000.000950,1700000000.002000\n")
        rows = self.figures(*self.STEPS, options=["--request-log", log])
        self.held(rows["queue", "request log"], [100])
        self.assertNotIn(("tpot", "request log"), rows)
        self.assertNotIn(("output_token_throughput", "request log"), rows)
        self.assertIn(("itl", "engine steps"), rows)

    def test_a_single_step_has_no_interval(self):
        self.assertEqual({}, self.figures(*self.STEPS[:2]))
        self.assertIn(" Engine steps: 1 (reports serving_ledger", self.report("headline", *self.STEPS[:3])[0]["words"])
        self.assertIn("fewer than two engine steps", self.tpq("report", self.path("t.json"), "serving_latency").out)

    def test_compare_joins_metrics(self):
        slow = [step(2 * n * 1000, 2 * n * 1000 + 900, generation=(2, 2)) for n in range(5)]
        for name, events in ("a", self.STEPS), ("b", slow + launch(1, 10, ("a", 20, 40))):
            self.write(f"{name}.json", trace_of(*events, slice_event("ProfilerStep#1", 0, 2500, "user_annotation"), slice_event("ProfilerStep#2", 2500, 2000, "user_annotation")))
        shown = lambda *more: " ".join(self.tpq("compare", "a.json", "b.json", "--by", "serving_latency", *more).out.split())
        self.assertRegex(shown(), "itl engine steps 1.0")
        self.assertRegex(shown("--metric", "per_second"), "decode_throughput engine steps 217.8")


class Requests(Reports):
    BASE = 1700000000 * 10**9
    # prefill of 100, decode, prefill of 50, decode; their GPU work is at 20..60, 120..150, 220..270, 320..340
    STEPS = [step(0, 90, (1, 100)), *launch(1, 10, ("a", 20, 40)), step(100, 190, generation=(4, 4)), *launch(2, 110, ("a", 120, 30)),
             step(200, 290, (1, 50), (4, 4)), *launch(3, 210, ("a", 220, 50)), step(300, 490, generation=(4, 4)), *launch(4, 310, ("a", 320, 20))]
    PARTS = "queue_ms", "prefill_ms", "other_ms", "host_ms", "decode_ms", "interference_ms", "gap_ms"

    def requests(self, *rows, header="request_id,arrival,first_token,end,prompt_tokens,output_tokens", options=()):
        log = self.write("log.csv", "\n".join([header, *rows]) + "\n")
        return self.report("serving_requests", *self.STEPS, options=["--request-log", log, *options], baseTimeNanoseconds=self.BASE)

    def at(self, *us):
        return ["1700000000.%06d" % n for n in us]

    def row(self, name, *us, prompt="", output=""):
        return ",".join([name, *self.at(*us), prompt, output])

    def test_the_parts_of_a_request(self):
        one, two = self.requests(self.row("a", 180, 280, 350, output="8"), self.row("b", 5, 70, 280))
        self.assertEqual((one["ttft_ms"], one["generation_ms"], one["tpot_ms"], one["output_tokens"], one["clipped"]), (0.1, 0.07, 0.01, 8, 0))
        self.assertEqual(self.columns([one, two], *self.PARTS), [(0.02, 0.05, 0, 0.03, 0.02, 0, 0.05), (0, 0.04, 0, 0.025, 0.03, 0.05, 0.13)])
        self.assertEqual((two["tpot_ms"], two["output_tokens"]), (None, None))

    def test_a_prompt_goes_back_over_steps_from_its_arrival_on(self):
        rows = self.requests(self.row("none", -0, 280, 350), self.row("one", 0, 280, 350, prompt="50"), self.row("two", 0, 280, 350, prompt="51"),
                             self.row("more", 0, 280, 350, prompt="1000"), self.row("late", 1, 280, 350, prompt="1000"))
        self.assertEqual(self.columns(rows, "request_id", "queue_ms", "prefill_ms", "other_ms"), [
            ("none", 0.2, 0.05, 0), ("one", 0.2, 0.05, 0), ("two", 0, 0.09, 0.03), ("more", 0, 0.09, 0.03), ("late", 0.199, 0.05, 0)])

    def test_what_the_trace_does_not_have_is_clipped(self):
        rows = self.requests(self.row("early", 0, 59, 350), self.row("in", 0, 60, 490), self.row("late", 180, 280, 491))
        self.assertEqual(self.columns(rows, "clipped", "ttft_ms", "queue_ms", "gap_ms"),
                         [(1, 0.059, None, None), (0, 0.06, 0, 0.33), (1, 0.1, None, None)])

    def test_ways_to_write_times(self):
        base = 1700000000
        seconds, date = ["%d.%09d" % (base, n * 1000) for n in (180, 280, 350)], "2023-11-14"
        rows = self.requests(",".join(["s", *seconds]), "ms,%d.18,%d.28,%d.35" % ((base * 1000,) * 3), "us," + ",".join(str(base * 10**6 + n) for n in (180, 280, 350)),
                             "ns," + ",".join(str(base * 10**9 + n * 1000) for n in (180, 280, 350)),
                             f'"i, s o",{date}T22:13:20.00018Z,{date} 22:13:20.00028,2023-11-15T00:43:20.00035+02:30')
        self.assertEqual({self.columns([row], *self.PARTS)[0] for row in rows}, {(0.02, 0.05, 0, 0.03, 0.02, 0, 0.05)})
        self.assertEqual([row["request_id"] for row in rows], ["s", "ms", "us", "ns", "i, s o"])

    def test_columns_in_any_order_more_of_them_and_an_offset(self):
        rows = self.requests("350,x,280,180,a", header="end,more,first_token,arrival,request_id", options=["--log-offset-ms", "0"])
        self.assertEqual(rows[0]["clipped"], 1)
        end, first, arrival = ("1699999999.%06d" % (998500 + n) for n in (350, 280, 180))
        rows = self.requests(f"{end},x,{first},{arrival},a", header="end,more,first_token,arrival,request_id", options=["--log-offset-ms", "1.5"])
        self.assertEqual(self.columns(rows, *self.PARTS), [(0.02, 0.05, 0, 0.03, 0.02, 0, 0.05)])

    def test_rows_out_of_order_are_skipped_and_counted(self):
        log = self.write("log.csv", "request_id,arrival,first_token,end\n" + "".join(",".join([name, *self.at(*us)]) + "\n" for name, us in (
            ("a", (5, 4, 9)), ("b", (5, 9, 8)), ("c", (5, 70, 80)))))
        path = self.write("t.json", trace_of(*self.STEPS, baseTimeNanoseconds=self.BASE))
        out = " ".join(self.tpq("report", path, "serving_requests", "--request-log", log).out.split())
        self.assertIn("Not included: requests whose first token is before the arrival or after the end: 2", out)
        rows = json.loads(self.tpq("report", path, "serving_requests", "--request-log", log, "--json").out)["serving_requests"]
        self.assertEqual(self.columns(rows, "request_id"), [("c",)])

    def test_a_log_that_is_stored_with_the_trace(self):
        """A log of the report counts in its place; merged, the requests are still those of their trace."""
        path = self.write("t.json", trace_of(*self.STEPS, baseTimeNanoseconds=self.BASE))
        log = lambda name: self.write("log.csv", "request_id,arrival,first_token,end\n" + ",".join([name, *self.at(180, 280, 350)]) + "\n")
        rows = lambda *options: json.loads(self.tpq("report", "serving_requests", "--json", *options).out)["serving_requests"]
        self.tpq("ingest", "-q", "--run", "a", path, "--request-log", log("stored"))
        self.assertEqual([("stored", 0.02, 0.05, 0, 0.03, 0.02, 0, 0.05)], self.columns(rows(), "request_id", *self.PARTS))
        self.assertEqual(["given"], [row["request_id"] for row in rows("--request-log", log("given"))])
        self.tpq("ingest", "-q", "--db", "other.db", "--run", "b", path, "--request-log", log("moved"), "--log-offset-ms", "1")
        self.tpq("merge", "other.db")
        self.assertEqual({("a", "stored"), ("b", "moved")}, {(row["run"], row["request_id"]) for row in rows()})
        self.tpq("rm", "a")
        self.assertEqual(["moved"], [row["request_id"] for row in rows()])
        self.assertIn("no requests are known", self.tpq("report", path, "serving_requests").out)

    def test_a_log_that_cannot_be_read_stores_nothing(self):
        path = self.write("t.json", trace_of(*self.STEPS))
        self.one_line(self.tpq("ingest", path, "--request-log", self.write("log.csv", "request_id,arrival,end\n"), status=2), "log.csv", "line 1", "no column first_token")
        self.one_line(self.tpq("ingest", path, "--log-offset-ms", "4", status=2), "--request-log")
        self.assertFalse(os.path.exists(self.db))

    def test_logs_that_cannot_be_read(self):
        path = self.write("t.json", trace_of(*self.STEPS))
        good = "request_id,arrival,first_token,end,prompt_tokens\n"
        for text, words in (("request_id,arrival,end\n", ["line 1", "no column first_token"]), ("", ["no column request_id"]),
                            (good + "\n\"a\nb\",1,2,3,4\nc,1,2,x3,4\n", ["line 5, column end", "'x3' is no time"]), (good + "a,1,2\n", ["line 2, column end", "''"]),
                            (good + "a,1,2,3,4.5\n", ["column prompt_tokens", "'4.5' is no number of tokens"]), (good + "a,1,-2,3,\n", ["column first_token"]),
                            (good + "a,1,99999999999,3,\n", ["column first_token"]), (good + "a,2023-13-01T00:00:00,2,3,\n", ["column arrival"]),
                            (good + "a,2023-12-01T00:00:00+1,2,3,\n", ["column arrival"]), (good + 'a"b,1,2,3,\n', ["line 2", "a quote stands wrong"])):
            self.one_line(self.tpq("report", path, "serving_requests", "--request-log", self.write("log.csv", text), status=2), "log.csv", *words)
        self.one_line(self.tpq("report", path, "--request-log", "none.csv", status=3), "none.csv")
        self.one_line(self.tpq("report", path, "--log-offset-ms", "4", status=2), "--request-log")
        self.one_line(self.tpq("report", path, "--request-log", self.path("log.csv"), "--log-offset-ms", "x", status=2), "--log-offset-ms")


    def test_times_that_no_calendar_has(self):
        path, good = self.write("t.json", trace_of(*self.STEPS)), "request_id,arrival,first_token,end\r\n"
        told = lambda text: self.tpq("ingest", path, "--request-log", self.write("log.csv", text), status=2)
        for number, date in enumerate(("2023-02-29T00:00:00Z", "2023-02-30 00:00:00", "2100-02-29T00:00:00Z", "2023-04-31T12:00:00", "2023-06-31T12:00:00", "2023-00-10T00:00:00", "2023-01-32T00:00:00",
                     "2023-01-00T00:00:00", "2023-01-01T24:00:00", "2023-01-01T23:60:00", "2023-01-01T23:59:61Z", "2023-01-01T12:00:60Z", "2023-12-31T23:59:60+02:00", "2023-01-01T00:00:5Z",
                     "2023-01-01T00:00:005", "2023-01-01T00:00:00+25:00", "2023-01-01T00:00:00+02:60", "2023-01-01T00:00:00+02:", "2023-01-01T00:00:00Z0", "2023-01-01T00:00", "2023-01-01", "")):
            row = ["1", "1", "1"]
            row[number % 3] = date
            name = ("arrival", "first_token", "end")[number % 3]
            self.one_line(told(good + "a,1,1,1\r\nb," + ",".join(row) + "\r\n"), re.escape(f"line 3, column {name}: '{date}' is no time"))
        for date in ("2024-02-29T00:00:00Z", "2000-02-29t23:59:59.5z", "2016-12-31T23:59:60Z", "2017-01-01T05:29:60.25+05:30", "2023-08-31T00:00:00-0030", "2023-12-31 23:59:59+14"):
            self.tpq("ingest", "--replace", path, "--request-log", self.write("log.csv", good + f"a,{date},{date},{date}\r\n"))
        self.assertEqual([(0, "a")], self.rows("SELECT number, request_id FROM served_request"))

    def test_columns_that_stand_twice(self):
        path = self.write("t.json", trace_of(*self.STEPS))
        head = "request_id,arrival,first_token,end,prompt_tokens,note,note"
        for more, column in (("arrival", "arrival"), ("Arrival", "arrival"), ('" request_id"', "request_id"), ('"END\t"', "end"), ("prompt_tokens", "prompt_tokens")):
            self.one_line(self.tpq("report", path, "serving_requests", "--request-log", self.write("log.csv", f"\n{head},{more}\na,1,1,1,2,,,3\n"), status=2),
                          f"line 2: column {column} stands twice, as columns {'request_id arrival first_token end prompt_tokens'.split().index(column) + 1} and 8")
        self.tpq("report", path, "serving_requests", "--request-log", self.write("log.csv", b"\xef\xbb\xbf" + head.encode() + b"\na,1,1,1,2,,\n"))
        for content, words in ((head.encode() + b"\na,1,1,1\0,2\n", "line 2: a byte is 0"), (head.encode() + b'\n"' + b"x\n" * (1 << 20), "line 2: a row of more than 1 MB"),
                               (b"x" * (2 << 20), "line 1: a row of more than 1 MB")):
            self.one_line(self.tpq("report", path, "serving_requests", "--request-log", self.write("log.csv", content), status=2), words)

    @plain("memory is no measure with sanitizers")
    def test_memory_of_many_requests(self):
        """No more than 400 bytes for each of them, and no other figures than of one alone."""
        rows = self.STEPS + [step(0, 90, (1, 100))]
        path = self.write("t.json", trace_of(*rows, baseTimeNanoseconds=self.BASE))
        def memory(count):
            log = self.write("log.csv", "request_id,arrival,first_token,end,prompt_tokens,output_tokens\n" + "".join(self.row("q%d" % i, 180, 280, 350, output="8") + "\n" for i in range(count)))
            return self.peak_memory("report", path, "serving_requests", "--request-log", log, "--csv=out.csv")[0]
        few = memory(2)
        with open(self.path("out.csv")) as out:
            expected = out.read().splitlines()
        self.assertLess(memory(40000) - few, 400 * 40000 + (2 << 20))
        with open(self.path("out.csv")) as out:
            found = out.read().splitlines()
        self.assertEqual((40001, expected[1].replace("q0", "q39999")), (len(found), found[-1]))


class First(Reports):
    """What is said of a served model without being asked."""

    def rule(self, *events):
        return next(row for row in self.report("advice", *events, options=("--all",)) if row["rule"] == "serving-gaps")

    def steps(self, every, name=lambda at: step(at, at + 100, generation=(4, 4))):
        return [event for number in range(3) for event in
                (name(every * number), *launch(number + 1, every * number + 50, ("a", every * number + 60, 100)))]

    def test_gaps_between_steps(self):
        """Each of two gaps of 900 us loses 890 us before its launch: that is what the GPU can win of 2,100 us."""
        rule = self.rule(*self.steps(1000))
        self.assertEqual(("fires", 2, 1.8, 1.78, "replay"), tuple(rule[name] for name in ("verdict", "count", "time_ms", "saving_ms", "saving_kind")))
        self.assertAlmostEqual(rule["value"], 1800 / 21)
        self.assertIn("1. serving-gaps, saves 1.8 ms (replay)", self.tpq("report", self.path("t.json")).out)

    def test_activities_outside_of_steps_are_no_idle_time(self):
        """Other threads keep the GPU busy in 500 us of the first gap, and in all of the second."""
        rule = self.rule(*self.steps(1000), *launch(8, 200, ("b", 300, 500), thread=2), *launch(9, 1150, ("b", 1160, 900), thread=2))
        self.assertEqual((2, 0.4), (rule["count"], rule["time_ms"]))
        self.assertAlmostEqual(rule["value"], 400 / 21)

    def test_steps_without_gaps_and_ranges_that_are_no_steps(self):
        self.assertEqual("nothing found", self.rule(*self.steps(100))["verdict"])
        self.assertEqual("nothing found", self.rule(*self.steps(1000, lambda at: slice_event("work", at, 100, "user_annotation")))["verdict"])

    def test_requests_are_reported_where_a_log_is_given(self):
        log = self.write("log.csv", "request_id,arrival,first_token,end\nr,1.0,1.5,2.0\n")
        path = self.write("t.json", trace_of(*self.steps(1000)))
        names = lambda *options: set(json.loads(self.tpq("report", path, "--json", *options).out))
        self.assertEqual({"serving_latency", "serving_ledger", "serving_requests"}, names("--request-log", log) - names())

    def test_the_headline_names_reports_about_engine_steps(self):
        words = lambda *events: self.report("headline", *events)[0]["words"]
        mixed = [step(0, 100, context=(1, 50), generation=(4, 4)), *launch(1, 10, ("a", 20, 54))]
        self.assertIn(" Engine steps: 1 (reports serving_ledger, serving_steps).", words(*mixed))
        self.assertNotIn("Engine steps", words(*launch(1, 10, ("a", 20, 60))))



if __name__ == "__main__":
    main()
