"""tpq split: parts of a trace as files and as runs, and equal parts of two traces."""

import csv
import gzip
import json
import os

from support import Case, main, slice_event, trace_of


def served(pairs, keys=100):
    """A trace of steps with so many requests in prefill and in decode; each launches one kernel."""
    events = [{"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "ts": 0,
               "args": {"name": "server \"x\""}}]
    for i, (context, generation) in enumerate(pairs):
        at, name = 1000 * (i + 1), (
            f"execute_{i}_context_{context}(sq{8 * context}sk{8 * context}sqsq1sqsk1)"
            f"_generation_{generation}(sq{generation}sk{keys * generation}sqsq1sqsk1)")
        link = {"correlation": i + 1}
        events += [
            slice_event(name, at, 900, "user_annotation"),
            slice_event("serve.py(7): step", at + 1, 800, "python_function"),
            slice_event("aten::mm", at + 10, 50, args={"Input Dims": [[4, 8], [8, 2]],
                                                       "Input type": ["float", "float"]}),
            slice_event("cudaLaunchKernel", at + 20, 5, "cuda_runtime", args=link),
            slice_event("gemm", at + 500, 100, "kernel", thread=7, process=0,
                        args={**link, "device": 0, "stream": 7, "grid": [1, 2, 3]})]
    return trace_of(*events, deviceProperties=[{"id": 0, "name": "GPU"}])


PAIRS = [(1, 0), (1, 1), (1, 2), (1, 3)] + 3 * [(0, 4)] + [(1, 3)] + 4 * [(0, 4)] + [(1, 3)] + \
    5 * [(0, 4)] + [(1, 3)] + 2 * [(0, 4)] + [(0, 2)] + 7 * [(0, 1)]


class Split(Case):
    def split(self, *options, **more):
        return self.tpq("split", "-o", "parts", *options, **more)

    def details(self, folder="parts"):
        with open(self.path(folder, "execution_details.json"), encoding="utf-8") as file:
            return json.load(file)

    def content(self, path):
        with gzip.open(self.path(path)) as file:
            return json.load(file)

    def steps_of(self, path):
        return [int(event["name"].split("_")[1]) for event in self.content(path)["traceEvents"]
                if event.get("cat") == "user_annotation"]

    def serve(self, name="run.pt.trace.json", pairs=PAIRS, **more):
        return self.write(name, served(pairs, **more))


class Parts(Split):
    def test_one_step(self):
        self.split(self.serve(), "--iterations", "3")
        (part,) = self.details()
        self.assertEqual(part["output_path"], "parts/iterations_3_4_prefill_0_prefilldecode_1_"
                                              "decode_0_bs11_conc4_run.json.gz")
        self.assertEqual(part["steps"], [{"batch_size": 11, "num_requests": 4, "context_requests": 1,
                                          "context_sum": 8, "generation_requests": 3,
                                          "generation_sum": 3}])
        self.assertEqual(part["phase"], {"num_prefill": 0, "num_prefilldecode": 1, "num_decode": 0,
                                         "avg_bs": 11, "avg_conc": 4})
        self.assertEqual((part["num_gpu_events"], part["gpu_duration"], part["gpu_busy_duration"]),
                         (1, 100, 100))
        trace = self.content(part["output_path"])
        self.assertEqual(trace["deviceProperties"][0]["name"], "GPU")
        self.assertEqual(part["event_count"], len(trace["traceEvents"]))
        events = {event.get("cat", event["name"]) + event["ph"]: event
                  for event in trace["traceEvents"]}
        self.assertEqual(events["process_nameM"]["args"], {"name": "server \"x\""})
        op = events["cpu_opX"]
        self.assertEqual((op["name"], op["ts"], op["dur"], op["pid"], op["tid"]),
                         ("aten::mm", 4010, 50, 1, 1))
        self.assertEqual(op["args"], {"Input Dims": [[4, 8], [8, 2]],
                                      "Input type": ["float", "float"]})
        self.assertEqual(events["kernelX"]["args"], {"correlation": 4, "device": 0, "stream": 7,
                                                     "grid": [1, 2, 3]})
        self.assertEqual((events["ac2gs"]["id"], events["ac2gf"]["id"]), (4, 4))
        self.assertIn("python_functionX", events)
        with open(self.path("parts", "execution_details.csv"), encoding="utf-8") as file:
            (row,) = csv.DictReader(file)
        self.assertEqual((row["num_gpu_events"], row["gpu_busy_duration"], row["num_steps"]),
                         ("1", "100.00", "1"))

    def test_each_step(self):
        self.split(self.serve(pairs=PAIRS[:3]), "--store-single-iteration")
        self.assertEqual([self.steps_of(part["output_path"]) for part in self.details()],
                         [[0], [1], [2]])
        self.assertEqual(os.path.basename(self.details()[1]["output_path"]),
                         "run_annotation_iteration_1_execute_1_context_1_sq8sk8sqsq1sqsk1_"
                         "generation_1_sq1sk100sqsq1sqsk1.json.gz")

    def test_a_range(self):
        self.split(self.serve(), "--iterations", "27:99")
        self.assertEqual([self.steps_of(part["output_path"]) for part in self.details()], [[27, 28]])

    def test_the_steady_state(self):
        self.split(self.serve(), "--find-steady-state", "--num-steps", "8")
        found = {os.path.basename(part["output_path"]).split("_steady")[0]:
                 self.steps_of(part["output_path"]) for part in self.details()}
        self.assertEqual(found, {"mixed": list(range(6, 14)), "decode_only": list(range(19, 26)),
                                 "prefilldecode": [2, 3]})

    def test_the_load_may_ask_for_more_steps(self):
        result = self.split(self.serve(), "--find-steady-state", "--num-steps", "2", "--iterations",
                            "0:29", "--CONC", "4", "--OSL", "16", "--R", "0.8")
        self.assertIn("windows have 4 steps", result.err)
        self.assertEqual(len(self.details()[0]["steps"]), 4)

    def test_phases(self):
        self.split(self.serve(), "--divide-phases", "--find-steady-state")
        names = [part["output_path"].split("/")[1:] for part in self.details()]
        self.assertEqual([name[0] for name in names],
                         ["prefilldecodemix", "decode_only"] * 4)
        self.assertTrue(names[1][1].startswith("decode_only_chunk0_steps3_bs4_conc4_prefill_0_"
                                               "prefilldecode_0_decode_3_run"), names[1])
        self.assertTrue(names[3][1].startswith("decode_only_chunk1_steps4_"), names[3])

    def test_of_a_trace_in_the_warehouse_without_its_file(self):
        path = self.serve()
        self.tpq("ingest", "--quiet", "--run", "whole", path)
        os.remove(path)
        self.split("1", "--iterations", "2:4", "--as-run", "cut")
        self.assertEqual(self.steps_of(self.details()[0]["output_path"]), [2, 3])
        out = self.tpq("sql", "--mode", "csv",
                       "SELECT run, count(*), sum(dur_ns), sum(launcher = 'aten::mm') "
                       "FROM gpu_slice GROUP BY run").out
        self.assertEqual(out.splitlines()[1:], ["cut,2,200000,2", "whole,29,2900000,29"])
        steps = self.tpq("sql", "--mode", "csv", "SELECT run, phase FROM inference_step "
                         "WHERE run = 'cut'").out
        self.assertEqual(steps.splitlines()[1:], ["cut,prefilldecode", "cut,prefilldecode"])
        self.check()

    def test_a_part_gives_the_figures_of_the_whole(self):
        path = self.make_trace("serve.json", "--serve")
        self.split(path, "--iterations", "1")
        part = self.details()[0]["output_path"]
        name = "execute_4_context_0(sq0sk0sqsq0sqsk0)_generation_4(sq4sk404sqsq4sqsk404)"
        for report in "ops_summary", "kernel_launchers":
            whole, cut = (self.tpq("report", *words, report, "--csv", "-").out.splitlines()
                          for words in ([path, "--signpost", name], [part]))
            self.assertEqual(len(whole), len(cut))
            self.assertGreater(len(whole), 3)
        self.assertEqual(whole[0], cut[0])

    def test_samples_of_counters(self):
        path = self.make_trace("serve.json", "--serve")
        with open(path) as file:
            trace = json.load(file)
        start = min(float(event["ts"]) for event in trace["traceEvents"] if event["ph"] == "C")
        trace["traceEvents"] += [{"ph": "C", "name": "HBM", "pid": "x", "ts": start + 10 * i, "args": {"Read(MB/s)": i}}
                                 for i in range(3)]
        trace["traceEvents"].append({"ph": "M", "name": "process_name", "pid": "x", "args": {"name": "memory"}})
        self.split(self.write("more.json", trace), "--iterations", "0")
        self.tpq("ingest", "--quiet", "--run", "part", self.details()[0]["output_path"])
        out = self.tpq("sql", "--mode", "csv", "SELECT counter, unit, place, place_name, samples, max FROM counters ORDER BY counter").out
        self.assertEqual(["HBM Read,MB/s,x,memory,3,2.0", "waiting requests,,4000,python,2,8.0"], out.splitlines()[1:])

    def test_links_that_are_no_correlations(self):
        mark = slice_event("execute_context_1(8)_generation_0(0)", 0, 900, "user_annotation")
        call = slice_event("cudaLaunchKernel", 10, 5, "cuda_runtime")
        work = slice_event("k", 50, 10, "kernel", thread=7, process=0)
        arrow = [{"ph": phase, "id": 5, "cat": "async_cpu_to_gpu", "name": "x", "ts": event["ts"],
                  "pid": event["pid"], "tid": event["tid"]} for phase, event in (("s", call), ("f", work))]
        by_id = [{**event, "args": {"External id": 3}} for event in (call, work)]
        numbered = {**work, "args": {"correlation": 2}}  # its call is not
        both = [work, {**numbered, "ts": 70}, {**arrow[1], "ts": 70}]
        for name, events in (("arrows", [call, work, *arrow]), ("both", [call, *both, *arrow]), ("ids", by_id),
                             ("numbered", [call, numbered, *arrow])):
            self.split(self.write(f"{name}.json", trace_of(mark, *events)), "--force")
            self.tpq("ingest", "--quiet", "--run", name, self.details()[0]["output_path"])
        out = self.tpq("sql", "--mode", "csv", "SELECT run, launcher FROM gpu_slice ORDER BY run").out
        self.assertEqual(out.splitlines()[1:], [f"{name},cudaLaunchKernel" for name in ("arrows", "both", "both", "ids", "numbered")])

    def test_the_steps_of_a_profiler(self):
        self.split(self.make_trace("train.json"), "--store-single-iteration")
        self.assertEqual([os.path.basename(part["output_path"]) for part in self.details()],
                         [f"train_annotation_iteration_{i}_ProfilerStep#{i + 1}.json.gz"
                          for i in (0, 1)])

    def test_training_has_steps_and_no_phases(self):
        events = [slice_event(f"ProfilerStep#{i}", 1000 * i, 900, "user_annotation") for i in (5, 6)]
        for i in (5, 6):
            for stream, length in ((7, 60), (8, 40)): # one beside the other: busy 60
                number = 10 * i + stream
                events += [slice_event("cudaLaunchKernel", 1000 * i + stream, 1, "cuda_runtime", args={"correlation": number}),
                           slice_event("k", 1000 * i + 100, length, "kernel", thread=stream, process=0,
                                       args={"correlation": number, "device": 0, "stream": stream})]
        path = self.write("train.json", trace_of(*events))
        out = self.split(path).out
        self.assertEqual(2, out.count("2 GPU activities, 0.060 ms busy"))
        self.assertEqual([f"train_annotation_iteration_{i}_ProfilerStep#{i + 5}.json.gz" for i in (0, 1)],
                         [os.path.basename(part["output_path"]) for part in self.details()])
        self.assertEqual([(60, False)] * 2, [(part["gpu_busy_duration"], "phase" in part) for part in self.details()])
        self.split(path, "--iterations", "all", "--force")
        self.assertEqual("parts/iterations_0_2_train.json.gz", self.details()[0]["output_path"])
        self.assertIn("train has no phases", self.tpq("split", path, "-o", "other", "--divide-phases", status=2).err)

    def test_what_repeats(self):
        events = [slice_event("serve.py(1): loop", 0, 10000, "python_function"),
                  slice_event("aten::ones", 5, 10)]
        for i in range(4):
            at = 100 + 1000 * i
            events += [slice_event("aten::one", at, 100), slice_event("aten::two", at + 200, 100),
                       slice_event("cudaLaunchKernel", at + 10, 5, "cuda_runtime",
                                   args={"correlation": i}),
                       slice_event("k", at + 500, 10, "kernel", thread=7, process=0,
                                   args={"correlation": i, "stream": 7})]
        self.split(self.write("a.json", trace_of(*events)), "--store-single-iteration")
        parts = self.details()
        self.assertEqual([os.path.basename(part["output_path"]) for part in parts],
                         [f"a_annotation_iteration_{i}.json.gz" for i in range(4)])
        self.assertEqual([part["num_gpu_events"] for part in parts], [1] * 4)
        names = [event["name"] for event in self.content(parts[1]["output_path"])["traceEvents"]
                 if event["ph"] == "X"]
        self.assertEqual(sorted(names), ["aten::one", "aten::two", "cudaLaunchKernel", "k"])

    def test_names_lead_nowhere(self):
        mark = "execute_context_1(8)_generation_0(0)/../../etc/\u0001x"
        self.split(self.write("a.json", trace_of(slice_event(mark, 1, 10, "user_annotation"))),
                   "--store-single-iteration")
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.json", "parts"])
        self.assertEqual(len(os.listdir(self.path("parts"))), 3)

    def test_plan(self):
        out = self.tpq("split", "--plan-window", "--CONC", "4", "--OSL", "100", "--R", "0.8").out
        self.assertEqual(out, "profile 400 steps, 250 steps after the start\n")
        out = self.tpq("split", "--plan-window", "--CONC", "1", "--OSL", "100", "--R", "0").out
        self.assertEqual(out, "profile 1600 steps, 0 steps after the start\n")

    def test_from_a_pipe(self):
        with open(self.serve(), "rb") as file:
            self.split("-", stdin=file.read())
        self.assertTrue(self.details()[0]["output_path"].endswith("_conc3_trace.json.gz"))


class Wrong(Split):
    def test_usage(self):
        path = self.serve()
        for words, reason in (
                (["-o", "x"], "missing"), ([path], "-o DIRECTORY"),
                (["-o", "x", path, "more"], "unexpected"), (["-o", "x", "--match", path], "missing"),
                (["-o", "x", path, "--iterations", "b"], "--iterations"),
                (["-o", "x", path, "--iterations", "4:2"], "--iterations"),
                (["-o", "x", path, "--iterations", "29"], "29 steps"),
                (["-o", "x", path, "--num-steps", "0"], "num-steps"),
                (["-o", "x", path, "--CONC", "many"], "CONC"),
                (["-o", "x", "--match", path, path, "--phases", "thinking"], "thinking"),
                (["--plan-window"], "--CONC"), (["--plan-window", "--match"], "--match"),
                (["-o", "x", path, "--phases", "decode_only"], "without --match"),
                (["-o", "x", path, "--no-extract"], "without --match"),
                (["-o", "x", "--match", path, path, "--iterations", "1"], "with --match"),
                (["-o", "x", path, "--as-run", "cut"], "no such warehouse"), (["-o", "-", path], "-o"),
 (["-o", "x", "--match", path, "1"], "not both")):
            self.one_line(self.tpq("split", *words, status=2), reason)
        self.assertFalse(os.path.exists(self.path("x")))

    def test_inputs(self):
        self.one_line(self.split("gone.json", status=3), "gone.json")
        self.one_line(self.split(self.write("a.json", trace_of(slice_event("x", 1, 1))), status=3),
                      "nobody has marked steps")
        table = self.write("ops.csv", "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,CORE COUNT,"
                           "DEVICE KERNEL DURATION [ns]\nMatmul,tt_dnn_device,1,0,64,100\n")
        self.one_line(self.split(table, status=2), "ops.csv", "Kineto")
        self.tpq("ingest", "--quiet", self.serve())
        self.one_line(self.split("7", status=2), "no trace 7")

    def test_what_is_there_stays(self):
        path = self.serve()
        for words, name in ([path], "execution_details.json"), (["--match", path, path],
                                                                "match_report.json"):
            kept = self.write(f"parts/{name}", "of another")
            self.one_line(self.split(*words, status=4), "--force")
            with open(kept, encoding="utf-8") as file:
                self.assertEqual(file.read(), "of another")
            self.assertEqual(os.listdir(self.path("parts")), [name])
            self.split(*words, "--force")
            with open(kept, encoding="utf-8") as file:
                self.assertTrue(json.load(file))
            os.rename(self.path("parts"), self.path(name))

    def test_links_are_not_written_through(self):
        path, victim = self.serve(), self.write("victim", "precious")
        os.mkdir(self.path("elsewhere"))
        os.mkdir(self.path("parts"))
        for name in ("execution_details.json", "execution_details.csv", "match_report.json",
                     "match_report.csv", "match_notes.json"):
            os.symlink(victim, self.path("parts", name))
        self.split(path, "--force")
        os.symlink(self.path("elsewhere"), self.path("parts/decode_only"))
        self.one_line(self.split("--match", path, path, "--force", status=4), "is a link")
        os.unlink(self.path("parts/decode_only"))
        self.split("--match", path, path, "--force")
        with open(victim, encoding="utf-8") as file:
            self.assertEqual(file.read(), "precious")
        self.assertEqual(os.listdir(self.path("elsewhere")), [])

    def test_outputs(self):
        self.write("parts", "a file")
        self.one_line(self.split(self.serve(), status=4), "parts")


class Match(Split):
    def test_the_nearest_parts(self):
        left = self.serve("left.json", PAIRS)
        right = self.serve("right.json", [(2, 4)] + 6 * [(0, 3)] + [(1, 3)] + 6 * [(0, 4)],
                           keys=101)
        self.split("--match", left, right, "--num-steps", "5")
        with open(self.path("parts", "match_report.json"), encoding="utf-8") as file:
            matches = {match["phase"]: match for match in json.load(file)}
        decode, mixed = matches["decode_only"], matches["prefilldecode"]
        self.assertEqual((decode["num_steps"], decode["distance"]), (5, [0, 4]))
        self.assertEqual((decode["TraceA"]["start"], decode["TraceA"]["end"]), (13, 18))
        self.assertEqual((decode["TraceB"]["start"], decode["TraceB"]["original_num_steps"],
                          decode["TraceB"]["truncated"]), (8, 6, True))
        self.assertEqual((mixed["num_steps"], mixed["distance"], mixed["TraceA"]["start"],
                          mixed["TraceB"]["start"]), (1, [0, 0, 0, 0], 7, 7))
        for side in "TraceA", "TraceB":
            self.assertEqual(len(self.steps_of(decode[side]["output_path"])), 5)
        self.assertEqual(decode["TraceA"]["output_path"].split("/")[1], "decode_only")
        with open(self.path("parts", "match_report.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([(row["phase"], row["distance"]) for row in rows][0],
                         ("decode_only", "0.0|4.0"))

    def test_what_has_no_match_is_said(self):
        left = self.serve("left.json", [(1, 1)] + 3 * [(0, 4)])
        right = self.serve("right.json", 2 * [(0, 4)])
        self.split("--match", left, right, "--no-extract", "--phases",
                   "decode_only,prefilldecode,prefill_only")
        with open(self.path("parts", "match_notes.json"), encoding="utf-8") as file:
            notes = {note["phase"]: note["reason"] for note in json.load(file)}
        self.assertEqual(set(notes), {"decode_only", "prefilldecode", "prefill_only"})
        self.assertIn("second trace", notes["prefilldecode"])
        self.assertIn("as many steps", notes["decode_only"])
        self.assertEqual(sorted(os.listdir(self.path("parts"))),
                         ["match_notes.json", "match_report.csv", "match_report.json"])


if __name__ == "__main__":
    main()
