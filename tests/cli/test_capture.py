"""Captured graphs: what was captured gets the work of its replays."""

import csv
import os

from support import Case, main, slice_event, trace_of

STEP = "execute_8_context_1(sq8sk8sqsq64sqsk64)_generation_0(sq0sk0sqsq0sqsk0)"
OPS = [("aten::mm", "gemm"), ("aten::relu", "relu"), ("aten::mm", "gemm2")]


def captured(*recordings, ops=OPS, mark=None, rows=8, says=True):
    """A trace of captures: each has ops that launch a kernel; nothing runs."""
    events = [slice_event("server.py(1): capture", 0, 100000, "python_function")]
    if mark:
        events.append(slice_event(mark, 1, 5, "user_annotation"))
    for number, own in enumerate(recordings or [ops]):
        at = 1000 + 10000 * number
        events.append(slice_event("hipStreamBeginCapture", at, 10, "cuda_runtime"))
        for i, (name, kernel) in enumerate(own):
            start = at + 100 * (i + 1)
            events += [
                slice_event("nn.Module: Layer_0", start - 1, 70, "python_function"),
                slice_event(name, start, 50, args={"Input Dims": [[rows, 4], [4, 2]],
                                                   "Input type": ["float", "float"]}),
                slice_event("hipLaunchKernel" if says else kernel + " Launch", start + 10, 5,
                            "cuda_runtime", args={"kernel": kernel} if says else {})]
        events.append(slice_event("hipStreamEndCapture", at + 5000, 10, "cuda_runtime"))
    return trace_of(*events)


def replayed(*kernels, launches=1, streams=(7,), step=STEP):
    """A trace of a step that replays a graph so many times."""
    events = [slice_event(step, 0, 100000, "user_annotation"),
              slice_event("server.py(9): run", 1, 99000, "python_function"),
              slice_event("aten::before", 10, 50)]
    for number in range(launches):
        at, link = 100 + 1000 * number, {"correlation": 5 + number}
        events.append(slice_event("hipGraphLaunch", at, 30, "cuda_runtime", args=link))
        for i, kernel in enumerate(kernels):
            stream = streams[i % len(streams)]
            events.append(slice_event(kernel, at + 40 + 20 * i, 10 + i, "kernel", thread=stream,
                                      process=0, args={**link, "stream": stream, "device": 0}))
    events.append(slice_event("aten::after", 50000, 50))
    return trace_of(*events)


class Capture(Case):
    def launchers(self, trace, capture, *, index=None, status=0, folder="captures"):
        """{(launcher, kernel): nanoseconds} of the trace with the capture merged."""
        self.write(f"{folder}/capture.json", capture)
        if index is not None:
            self.write(f"{folder}/execution_details.json", index)
        self.tpq("ingest", "--quiet", "--run", folder, self.write(f"{folder}.json", trace),
                 "--capture-folder", folder, status=status)
        out = self.tpq("sql", "--mode", "csv", "SELECT launcher, name, dur_ns FROM gpu_slice "
                       f"WHERE run = '{folder}' ORDER BY ts_ns").out
        self.check()
        return [tuple(row) for row in csv.reader(out.splitlines()[1:])]

    WHOLE = [("aten::mm", "gemm", "10000"), ("aten::relu", "relu", "11000"),
             ("aten::mm", "gemm2", "12000")]
    HIDDEN = [("hipGraphLaunch", "gemm", "10000"), ("hipGraphLaunch", "relu", "11000"),
              ("hipGraphLaunch", "gemm2", "12000")]

    def test_work_is_of_what_was_captured(self):
        found = self.launchers(replayed("gemm", "relu", "gemm2"), captured(), index=[
            {"file": "capture.json", "batch_size": 8, "mode": "FULL"}])
        self.assertEqual(found, self.WHOLE)
        self.assertEqual(self.notes()["graph_merged"], 1)
        # the times of the trace are its own, and what was captured has those of the launch
        rows = self.rows("SELECT text, ts_ns, dur_ns, self_ns, up IS NULL FROM event "
                         "JOIN string ON string.id = name_id WHERE op_id IS NOT NULL OR "
                         "text IN ('hipGraphLaunch', 'server.py(9): run') ORDER BY event.id")
        self.assertEqual([row[:3] for row in rows], [
            ("server.py(9): run", 1000, 99000000), ("aten::before", 10000, 50000),
            ("hipGraphLaunch", 100000, 30000), ("aten::mm", 100000, 30000),
            ("aten::relu", 100000, 30000), ("aten::mm", 100000, 30000),
            ("aten::after", 50000000, 50000)])
        self.assertEqual(rows[0][3], 99000000 - 50000 - 30000 - 50000)
        out = self.tpq("tree", "--trace", "1").out
        self.assertRegex(out, r"hipGraphLaunch.*\n +nn.Module: Layer_0.*\n +aten::mm.*\n"
                              r" +hipLaunchKernel.*\n +> gemm .*\n +nn.Module: Layer_0")
        # the whole is another content than the trace alone, and is known when it comes again
        self.tpq("ingest", "--quiet", "--run", "captures", "captures.json")
        self.assertEqual(self.value("SELECT count(*) FROM trace"), 2)
        self.tpq("ingest", "--quiet", "--run", "captures", "captures.json", "--capture-folder",
                 "captures")
        self.assertEqual(self.value("SELECT count(*) FROM trace"), 2)

    def test_captures_beside_a_trace_are_told_of(self):
        self.write("both/served.json", replayed("gemm", "relu", "gemm2"))
        self.write("both/captures/capture.json", captured())
        words = "both/captures; --capture-folder takes it"
        self.assertIn(words, self.tpq("report", "both", "ops_summary").err)
        self.assertIn(words, self.tpq("report", "both/served.json", "ops_summary").err)
        self.assertIn(f"recorded in {self.path('both/captures')};", self.tpq("report", "served.json", "ops_summary", cwd=self.path("both")).err)
        self.assertNotIn(words, self.tpq("report", "both/captures", "ops_summary").err)
        self.assertNotIn(words, self.tpq("report", "both/served.json", "ops_summary", "--capture-folder",
                                         "both/captures").err)

    def test_captures_beside_a_file_are_told_of_where_they_would_help(self):
        def said(*arguments):
            return [line for line in self.tpq("report", *arguments, "ops_summary").err.splitlines() if "capture" in line]

        self.write("served.json", replayed("gemm", "relu", "gemm2"))
        self.write("other/lies.json", captured())
        self.write("empty_capture/readme", "")
        self.write("capture", "a file")
        self.assertEqual(said("served.json"), [])
        self.write("other/execution_details.json", "[]")
        self.assertEqual(said("served.json"), [f"tpq: graphs may have been recorded in {self.path('other')}; "
                                               "--capture-folder takes it to tell what their launches ran"])
        self.assertEqual(said("other/lies.json"), [])  # it launches no graph
        self.tpq("ingest", "-q", "served.json")
        self.assertEqual(said("--run", "served"), [])  # no file is named
        self.write("named_Captures/a.pt.trace.json", captured())
        self.assertEqual(len(said("served.json")), 2)
        self.assertEqual(said("served.json", "--capture-folder", "named_Captures"), [])

    def test_without_a_list_the_captures_say_what_they_are_of(self):
        self.assertEqual(self.launchers(replayed("gemm", "relu", "gemm2"), captured()), self.WHOLE)
        self.assertEqual(self.launchers(replayed("gemm", "relu", "gemm2"), captured(rows=4),
                                        folder="small"), self.HIDDEN)
        self.assertEqual(self.launchers(replayed("gemm", "relu", "gemm2"),
                                        captured(rows=4, mark="capture_16_decode"), folder="marked"),
                         self.WHOLE)

    def test_pieces_belong_to_launches_by_their_place(self):
        first, second = [("aten::one", "k")], [("aten::two", "k")]
        found = self.launchers(replayed("k", launches=2), captured(first, second))
        self.assertEqual([row[0] for row in found], ["aten::one", "aten::two"])
        found = self.launchers(replayed("k", launches=3), captured(first, second), folder="odd")
        self.assertEqual([row[0] for row in found], ["hipGraphLaunch"] * 3)
        self.assertEqual(self.value("SELECT count FROM ingest_note WHERE trace_id = 2 AND "
                                    "kind = 'graph_without_capture'"), 3)

    def test_calls_without_work_are_passed_over(self):
        found = self.launchers(replayed("gemm", "gemm2"), captured())
        self.assertEqual([row[:2] for row in found], [("aten::mm", "gemm"), ("aten::mm", "gemm2")])

    def test_another_order_is_put_right_by_name(self):
        found = self.launchers(replayed("gemm2", "relu", "gemm"), captured())
        self.assertEqual([row[:2] for row in found],
                         [("aten::mm", "gemm2"), ("aten::relu", "relu"), ("aten::mm", "gemm")])

    def test_streams(self):
        found = self.launchers(replayed("gemm", "gemm2", "relu", streams=(7, 7, 8)), captured())
        self.assertEqual([row[:2] for row in found],
                         [("aten::mm", "gemm"), ("aten::mm", "gemm2"), ("aten::relu", "relu")])
        found = self.launchers(replayed("gemm", "relu", "gemm2", streams=(7, 8)),
                               captured(says=False), folder="silent")
        self.assertEqual(found, self.HIDDEN)

    def test_without_names_places_count(self):
        self.assertEqual(self.launchers(replayed("a", "b", "c"), captured(says=False)),
                         [(op, kernel, time) for (op, _), kernel, (_, _, time) in
                          zip(OPS, "abc", self.WHOLE)])

    def test_copies_and_sets(self):
        ops = [("aten::copy_", "x"), ("aten::zero_", "y")]
        capture = captured(ops)
        for event in capture["traceEvents"]:
            if event["name"] == "hipLaunchKernel":
                event["name"] = {"x": "hipMemcpyAsync", "y": "hipMemsetAsync"}[
                    event["args"].pop("kernel")]
        found = self.launchers(replayed("Memcpy DtoD", "__amd_rocclr_fillBufferAligned"), capture)
        self.assertEqual([row[0] for row in found], ["aten::copy_", "aten::zero_"])

    def test_the_form_for_inference_says_what_is_hidden(self):
        self.write("captures/capture.json", captured())
        path = self.write("a.json", replayed("gemm", "relu", "gemm2", launches=2))
        report = lambda *options: self.tpq("report", path, "ops_summary", "--csv", "-", *options).err
        self.assertRegex(report("--inference"), "^tpq: the ops of 2 graph launches are not known; ")
        self.assertEqual(report("--inference", "--capture-folder", "captures"), "")
        self.assertNotIn("not known", report())

    def test_what_does_not_fit_stays(self):
        for folder, trace in (("names", replayed("gemm", "relu", "other")),
                              ("more", replayed("gemm", "relu", "gemm2", "gemm3")),
                              ("large", replayed("gemm", "relu", "gemm2",
                                                 step=STEP.replace("sq8sk8", "sq9sk9"))),
                              ("unmarked", replayed("gemm", "relu", "gemm2", step="my range"))):
            found = self.launchers(trace, captured(), folder=folder)
            self.assertEqual({row[0] for row in found}, {"hipGraphLaunch"}, folder)
        self.assertEqual(self.notes()["graph_without_capture"], 4)

    def test_reports(self):
        self.write("captures/capture.json", captured())
        path = self.write("a.json", replayed("gemm", "relu", "gemm2"))
        for words, share in ([], "100.0 % in CUDA or HIP graphs"), (["--capture-folder", "captures"],
                                                           "0.0 % in CUDA or HIP graphs"):
            self.assertIn(share, self.tpq("report", path, "ops_summary", *words).out)

    def test_wrong_folders(self):
        path = self.write("a.json", replayed("gemm"))
        os.mkdir(self.path("empty"))
        self.write("odd/execution_details.json", "no list")
        for folder in "gone", "empty", "odd":
            for verb in "ingest", "report":
                self.one_line(self.tpq(verb, path, "--capture-folder", folder, status=3), folder)
        self.write("outside/execution_details.json", [{"file": "../a.json", "batch_size": 8}])
        self.one_line(self.tpq("report", path, "--capture-folder", "outside", status=3), "outside")


if __name__ == "__main__":
    main()
