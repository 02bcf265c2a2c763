"""How the call that launched work is known, and what --compat does not see of it."""

import csv
import gzip
import io
import json

from support import Case, main, slice_event, trace_of

ARROW = {"cat": "ac2g", "name": "ac2g"}


def call(name, ts, correlation):
    return slice_event(name, ts, 5, "cuda_runtime", args={"correlation": correlation})


def work(name, ts, dur, correlation, category="kernel"):
    return slice_event(name, ts, dur, category, thread=3, process=0, args={
        "correlation": correlation, "device": 0, "stream": 3})


def tail(ts, correlation):
    return {**ARROW, "ph": "s", "id": correlation, "pid": 1, "tid": 1, "ts": ts}


def head(ts, correlation):
    return {**ARROW, "ph": "f", "id": correlation, "pid": 0, "tid": 3, "ts": ts, "bp": "e"}


# An op that sets memory, whose arrow has two heads and no tail, and launches a kernel; another one
# whose call launches two kernels, with an arrow to the last of them.
TRACE = trace_of(
    slice_event("aten::mse_loss", 100, 50, args={"Input Dims": [[4]], "Input type": ["float"]}),
    call("hipMemsetAsync", 105, 7), call("hipLaunchKernel", 120, 8), tail(120, 8),
    work("Memset (Device)", 200, 8, 7, "gpu_memset"), head(200, 7), head(200, 7),
    work("reduce", 210, 60, 8), head(210, 8),
    slice_event("aten::add", 160, 20, args={"Input Dims": [[4]], "Input type": ["float"]}),
    call("hipLaunchKernel", 165, 9), tail(165, 9),
    work("add", 300, 3, 9), work("add", 310, 4, 9), head(300, 9), head(310, 9),
    work("lonely", 400, 1, 99))


class Links(Case):
    def times(self, *options, report="ops_summary", key="name", value="total_direct_kernel_time_ms"):
        out = self.tpq("report", report, *options, "--csv", "-").out
        return {row[key]: round(1000 * float(row[value])) for row in csv.DictReader(io.StringIO(out))}

    def test_ids_link_what_arrows_do_not(self):
        self.tpq("ingest", "-q", self.write("a.json", TRACE))
        self.assertEqual(
            self.tpq("sql", "-m", "csv", "SELECT name, dur_ns / 1000, link FROM gpu_slice "
                     "ORDER BY ts_ns").out.splitlines()[1:],
            ["Memset (Device),8,correlation", "reduce,60,arrow", "add,3,correlation",
             "add,4,arrow", "lonely,1,"])
        self.assertEqual(self.notes()["gpu_without_launch"], 1)
        self.assertEqual(self.times(), {"aten::mse_loss": 68, "aten::add": 7})

    def test_compat_sees_arrows_alone(self):
        self.tpq("ingest", "-q", self.write("a.json", TRACE))
        self.assertEqual(self.times("--compat"), {"aten::mse_loss": 60, "aten::add": 4})
        unlinked = {"report": "unlinked_kernels", "value": "time_us"}
        self.assertEqual(self.times(**unlinked), {"lonely": 1000})
        self.assertEqual(self.times("--compat", **unlinked),
                         {"Memset (Device)": 8000, "add": 3000, "lonely": 1000})
        stacks = {}
        for options in ((), ("--compat",)):
            out = self.tpq("report", "ops_unique_args", "--include-call-stack", *options, "--json").out
            stacks[options] = out.count("Memset (Device)")
        self.assertGreater(stacks[()], 0)
        self.assertEqual(stacks["--compat",], 0)

    def test_links_of_an_older_warehouse_are_seen(self):
        self.tpq("ingest", "-q", self.write("a.json", TRACE))
        self.tpq("sql", "--write", "UPDATE gpu_event SET link_id = NULL")
        self.assertEqual(self.times("--compat"), self.times())

    def test_a_kind_that_compat_does_not_know_is_a_row(self):
        self.tpq("ingest", "-q", self.write("a.json", TRACE))
        self.tpq("sql", "--write", "UPDATE launch_kind SET is_newer = 0, source = 'user'")
        self.assertEqual(self.times("--compat"), self.times())

    def test_parts_of_a_trace_link_alike(self):
        step = slice_event("execute_0_context_1(sq8sk8sqsq1sqsk1)_generation_0(sq0sk0sqsq0sqsk0)", 90,
                           400, "user_annotation")
        self.tpq("split", "-o", "parts", "--iterations", "0",
                 self.write("a.json", {"traceEvents": [step, *TRACE["traceEvents"]]}))
        with open(self.path("parts", "execution_details.json"), encoding="utf-8") as file:
            (part,) = json.load(file)
        with gzip.open(self.path(part["output_path"])) as file:
            events = json.load(file)["traceEvents"]
        self.assertEqual(sorted(event["id"] for event in events if event["ph"] == "s"), [8, 9])
        self.tpq("ingest", "-q", self.path(part["output_path"]))
        self.assertEqual(self.times(), {"aten::mse_loss": 68, "aten::add": 7})
        self.assertEqual(self.times("--compat"), {"aten::mse_loss": 60, "aten::add": 4})

    def test_work_without_ids_belongs_to_the_op_around_it(self):
        """As traces are that were made by hand; what is cut out of them or exported is linked so, too."""
        shapes = {"Input Dims": [[64, 64], [64, 64]], "Input type": ["float", "float"]}
        events = [slice_event("aten::mm", 100, 50, args=shapes),
                  {key: value for key, value in work("gemm", 110, 30, 0).items() if key != "args"},
                  slice_event("aten::mm", 200, 50, args=shapes),
                  {**work("gemm", 210, 30, 0, "gpu_kernel"), "args": {}}]
        step = slice_event("execute_0_context_1(sq8sk8sqsq1sqsk1)_generation_0(sq0sk0sqsq0sqsk0)", 90,
                           400, "user_annotation")
        path = self.write("a.json", [step, *events])
        self.tpq("ingest", "-q", path)
        self.assertEqual(self.notes(), {"launch_by_time": 2})
        self.assertEqual(self.times(), {"aten::mm": 60})
        self.assertEqual(self.times("--compat"), {})
        roofline = self.tpq("report", path, "roofline", "--gpu-arch-platform", "H100", "--csv", "-").out
        self.assertIn("aten::mm", roofline)
        self.tpq("export", path, "-o", "b.json")
        self.tpq("split", "-o", "parts", "--iterations", "0", path)
        with open(self.path("parts", "execution_details.json"), encoding="utf-8") as file:
            (part,) = json.load(file)
        for path in (self.path("b.json"), self.path(part["output_path"])):
            out = self.tpq("report", path, "ops_summary", "--csv", "-").out
            self.assertEqual([row["name"] for row in csv.DictReader(io.StringIO(out))], ["aten::mm"], path)


if __name__ == "__main__":
    main()
