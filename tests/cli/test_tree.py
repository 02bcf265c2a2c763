"""tpq tree: parts of the call tree as text."""

import json

from support import Case, main, slice_event, trace_of


def arrow(phase, number, ts, process, thread):
    return {"ph": phase, "cat": "ac2g", "name": "ac2g", "id": number, "pid": process,
            "tid": thread, "ts": ts}


TRACE = trace_of(
    {"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": "python"}},
    {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": "main\x1b[31m"}},
    slice_event("train.py(1): step", 0, 100, "python_function"),
    slice_event("outer", 10, 80),
    slice_event("nn.Module: X", 15, 60, "python_function"),
    slice_event("inner", 20, 50),
    slice_event("cudaLaunchKernel", 30, 10, "cuda_runtime", args={"correlation": 7}),
    slice_event("kernel\x1b[31m\n\x9b0m", 200, 40, "kernel", 7, 0,
                args={"correlation": 7, "stream": 7, "device": 0}),
    slice_event("second", 80, 5),
    slice_event("mark", 0, 300, "user_annotation"),
    slice_event("lonely", 300, 40, "kernel", 9, 0,
                args={"correlation": 9, "stream": 9, "device": 0}),
    arrow("s", 7, 30, 1, 1), arrow("f", 7, 200, 0, 7))

STEP = "train.py(1): step  100.00 us (self 20.00 us)  @0 ns  #1"
OUTER = "outer  80.00 us (self 15.00 us)  @10.00 us  #2"
MODULE = "nn.Module: X  60.00 us (self 10.00 us)  @15.00 us  #3"
INNER = "inner  50.00 us (self 40.00 us)  @20.00 us  #4"
CALL = "cudaLaunchKernel  10.00 us  @30.00 us  #5"
KERNEL = "> kernel\\x1b[31m\\n\\x9b0m  40.00 us  @200.00 us  device 0 stream 7  #6"
SECOND = "second  5.00 us  @80.00 us  #7"
LONELY = "> lonely  40.00 us  @300.00 us  device 0 stream 9  #8"
MARK = "mark  300.00 us  @0 ns  #9"


class Tree(Case):
    def prepare(self):
        self.write("t.json", TRACE)
        self.tpq("ingest", "t.json")

    def shows(self, call, *lines):
        """Each line is (depth, text)."""
        result = self.tpq("tree", *call.split())
        shown = [line for line in result.out.splitlines()[1:] if not line.startswith("Health: ")]
        self.assertEqual(shown, ["", *("  " * depth + text for depth, text in lines)])
        self.assertEqual(result.err, "")

    def test_below_an_event(self):
        self.shows("1", (0, STEP), (1, OUTER), (2, MODULE), (3, INNER), (4, CALL), (5, KERNEL),
                   (2, SECOND))
        self.shows("3", (0, MODULE), (1, INNER), (2, CALL), (3, KERNEL))
        self.shows("6", (0, KERNEL))
        self.shows("9", (0, MARK))

    def test_without_frames(self):
        self.shows("1 --no-python", (0, OUTER), (1, INNER), (2, CALL), (3, KERNEL), (1, SECOND))
        self.shows("3 --no-python", (0, INNER), (1, CALL), (2, KERNEL))

    def test_so_many_levels(self):
        self.shows("1 --depth 1", (0, STEP))
        self.shows("1 --depth 3", (0, STEP), (1, OUTER), (2, MODULE), (2, SECOND))
        self.shows("1 --depth 2 --no-python", (0, OUTER), (1, INNER), (1, SECOND))
        self.shows("1 --depth 1000000000", (0, STEP), (1, OUTER), (2, MODULE), (3, INNER),
                   (4, CALL), (5, KERNEL), (2, SECOND))

    def test_above_an_event(self):
        self.shows("6 --up", (0, STEP), (1, OUTER), (2, MODULE), (3, INNER), (4, CALL), (5, KERNEL))
        self.shows("7 --up", (0, STEP), (1, OUTER), (2, SECOND))
        self.shows("1 --up", (0, STEP))

    def test_above_an_event_without_frames(self):
        self.shows("6 --up --no-python", (0, OUTER), (1, INNER), (2, CALL), (3, KERNEL))

    def test_so_many_levels_above_an_event(self):
        self.shows("6 --up --depth 2", (0, CALL), (1, KERNEL))
        self.shows("4 --up --depth 2", (0, MODULE), (1, INNER))
        self.shows("6 --up --depth 1", (0, KERNEL))

    def test_levels_that_are_not_shown_are_not_counted(self):
        self.shows("4 --up --depth 2 --no-python", (0, OUTER), (1, INNER))
        self.shows("6 --up --depth 3 --no-python", (0, INNER), (1, CALL), (2, KERNEL))

    def test_a_whole_trace_with_a_heading_for_each_track(self):
        self.shows("--trace 1",
                   (0, "process 1 thread 1 - main\\x1b[31m"),
                   (0, STEP), (1, OUTER), (2, MODULE), (3, INNER), (4, CALL), (5, KERNEL),
                   (2, SECOND),
                   (0, "device 0 stream 9"), (0, LONELY),
                   (0, "marks of process 1 thread 1 - main\\x1b[31m"), (0, MARK))

    def test_a_whole_trace_without_frames_and_so_many_levels(self):
        self.shows("--trace 1 --no-python --depth 2",
                   (0, "process 1 thread 1 - main\\x1b[31m"), (0, OUTER), (1, INNER), (1, SECOND),
                   (0, "device 0 stream 9"), (0, LONELY),
                   (0, "marks of process 1 thread 1 - main\\x1b[31m"), (0, MARK))

    def test_the_second_trace_is_shown_with_its_own_events_only(self):
        self.tpq("ingest", "--run", "again", "t.json")
        self.assertEqual(len(self.tpq("tree", "--trace", 2).out.splitlines()), 3 + 12)
        self.assertTrue(self.tpq("tree", 10).out.endswith("second  5.00 us  @80.00 us  #16\n"))

    def test_rows_without_frames_have_the_same_levels(self):
        def rows(*words):
            answer = json.loads(self.tpq("tree", *words, "--envelope").out)
            return [row[:2] for row in answer["rows"]]
        self.assertEqual(rows("--trace", "1", "--no-python"), [[0, 2], [1, 4], [2, 5], [3, 6], [1, 7], [0, 8], [0, 9]])
        self.assertEqual(rows("--trace", "1", "--no-python", "--depth", "1"), [[0, 2], [1, 4], [1, 7], [0, 8], [0, 9]])
        self.assertEqual(rows("--trace", "1", "--depth", "1"), [[0, 1], [1, 2], [0, 8], [0, 9]])
        self.assertEqual(rows("2", "--no-python"), [[0, 2], [1, 4], [2, 5], [3, 6], [1, 7]])
        self.assertEqual(rows("2"), [[0, 2], [1, 3], [2, 4], [3, 5], [4, 6], [1, 7]])
        self.assertEqual(rows("3", "--no-python"), [[0, 3], [1, 4], [2, 5], [3, 6]])
        self.assertEqual(rows("6", "--up", "--no-python"), [[0, 6], [-1, 5], [-2, 4], [-3, 2]])

    def test_runs(self):
        shown = lambda *words: self.tpq("tree", *words).out.split("\n\n", 1)[1]
        one = shown("--trace", 1)
        self.tpq("ingest", "-q", "--run", "u", "--label", "pr=8", "t.json")
        two = shown("--trace", 2)
        self.assertEqual(shown("--run", "t"), one)
        self.assertEqual(shown("--label", "pr=8"), two)
        self.assertEqual(shown("--run", "[tu]"), one + two)
        self.one_line(self.tpq("tree", "--run", "zzzz", status=2), "there is no run 'zzzz'")
        self.one_line(self.tpq("tree", "--run", "t", "--trace", 1, status=2), "either a trace, or")

    def test_a_trace_without_events(self):
        self.write("none.json", trace_of({"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": 1, "ts": 1,
                                          "args": {"Bytes": 8, "Device Type": 1, "Device Id": 0, "Addr": 5}}))
        self.tpq("ingest", "none.json")
        self.assertEqual(self.tpq("tree", "--trace", 2).out.count("\n"), 2)

    def test_what_it_is_about(self):
        version = self.tpq("--version").out.strip()
        for call, words in (("1", "event 1"), ("6 --up", "above event 6"), ("--trace 1", "trace 1"),
                            ("--run t", "all events"), ("1 --depth 2 --no-python", "event 1, depth 2, without Python frames")):
            self.assertEqual(self.tpq("tree", *call.split()).out.splitlines()[0], f"{version} · run t · {words}")
            meta = json.loads(self.tpq("tree", *call.split(), "--json").out)["meta"]
            self.assertEqual((meta["version"], meta["run"], meta["selection"]),
                             (version.split()[1], ["t"], words.split(", ")))
        self.assertEqual(self.tpq("tree", "99", status=2).out, "")


class Times(Case):
    def test_units(self):
        self.write("t.json", trace_of(*(slice_event("e", 1e7 * i, dur) for i, dur in enumerate(
            (0, 0.999, 1, 999.99, 1000, 999999, 1e6, 9e6)))))
        self.tpq("ingest", "t.json")
        self.assertEqual([self.tpq("tree", i + 1).out.split("  ")[1] for i in range(8)],
                         ["0 ns", "999 ns", "1.00 us", "999.99 us", "1.000 ms", "999.999 ms",
                          "1.000 s", "9.000 s"])


class Wrong(Case):
    def prepare(self):
        self.write("t.json", TRACE)
        self.tpq("ingest", "t.json")

    def refused(self, call, why):
        self.one_line(self.tpq("tree", *call, status=2), why)

    def test_events_that_do_not_exist(self):
        for event in ("10", "0", "9223372036854775807"):
            for up in ([], ["--up"]):
                self.refused([event, *up], rf"^tpq: {self.db}: there is no event {event}$")
        self.refused(["--", "-1"], r"there is no event -1$")

    def test_traces_that_do_not_exist(self):
        self.refused(["--trace", "2"], rf"^tpq: {self.db}: there is no trace 2; see tpq traces$")

    def test_words_that_are_no_numbers(self):
        for word in ("x", "1x", "1.0", "", "9223372036854775808", "9" * 40):
            self.refused([word], rf"^tpq tree: '{word}' is no event id$" if len(word) > 3 else rf"there is no run '{word}'; there are t$")
            self.refused(["--trace", word], rf"^tpq tree: '{word}' is no trace number$")

    def test_depths_that_are_none(self):
        for depth in ("0", "-1", "x", ""):
            self.refused(["1", f"--depth={depth}"], "--depth must be a whole number from 1 ")

    def test_up_from_a_trace(self):
        self.refused(["--trace", "1", "--up"], "^tpq tree: --up needs an event, not a trace$")

    def test_an_event_and_a_trace(self):
        self.refused(["1", "--trace", "1"], "^tpq tree: either an event, or a trace or runs$")


if __name__ == "__main__":
    main()
