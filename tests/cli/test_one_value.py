"""One name has one value: times, bytes, calls and MFU of a selection are the same in all reports that have them, and on
the page."""
import json
import os

from page_file import read_page
from support import Case, main

SAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fixtures", "train")
REPORTS = ["gpu_timeline", "gpu_timeline_per_device", "run_overview", "comm_overlap", "step_mfu", "step_bounds", "time_parts",
           "memory_bandwidth", "cuda_gpu_mem_size_sum", "ops_summary", "ops_unique_args", "kernel_summary",
           "cuda_gpu_kern_sum", "kernel_breakdown", "overview"]


class OneValue(Case):
    def setUp(self):
        super().setUp()
        self.tpq("ingest", "-q", "--run", "t", SAMPLE)
        self.told = json.loads(self.tpq("report", *REPORTS, "--json").out)

    def one(self, *values):
        """All of these are one value, whatever the last digits."""
        self.assertGreater(len(values), 1)
        for value in values:
            self.assertAlmostEqual(value, values[0], delta=abs(values[0]) * 1e-9, msg=str(values))

    def rows(self, report, **is_so):
        return [row for row in self.told[report] if all(row[key] == value for key, value in is_so.items())]

    def total(self, report, column, **is_so):
        rows = self.rows(report, **is_so)
        self.assertTrue(rows, (report, is_so))
        return sum(row[column] for row in rows)

    def test_times_of_each_rank(self):
        for trace in (1, 2):
            timeline = lambda kind: self.total("gpu_timeline", "time_ms", trace_id=trace, type=kind)
            device = lambda kind: self.total("gpu_timeline_per_device", "time_ms", trace_id=trace, type=kind)
            bar = lambda name: self.total("overview", "value", trace_id=trace, section="GPU time by kind", name=name)
            self.one(timeline("computation_time"), device("computation_time"), bar("computation"))
            self.one(timeline("exposed_comm_time"), device("exposed_comm_time"), bar("exposed communication"), self.total("comm_overlap", "exposed_ms", trace_id=trace, part="all"))
            self.one(timeline("exposed_memcpy_time"), device("exposed_memcpy_time"))
            self.one(timeline("idle_time"), device("idle_time"), bar("idle"))
            self.one(timeline("busy_time"), device("busy_time"))
            self.one(timeline("busy_time") + timeline("idle_time"), timeline("total_time"))
            for row in self.rows("step_mfu", trace_id=trace):
                step = {"trace_id": trace, "step": row["step"]}
                self.one(row["step_time_ms"], self.total("step_bounds", "host_ms", **step),
                         self.total("time_parts", "time_ns", **step) / 1e6)

    def test_times_of_each_step(self):
        for step in sorted({row["step"] for row in self.told["time_parts"]}):
            of_step = json.loads(self.tpq("report", "gpu_timeline", "comm_overlap", "--step", step, "--json").out)
            for trace in (1, 2):
                part = lambda begins: sum(row["time_ns"] for row in self.rows("time_parts", trace_id=trace, step=step)
                                          if row["part"].startswith(begins)) / 1e6
                timeline = {row["type"]: row["time_ms"] for row in of_step["gpu_timeline"] if row["trace_id"] == trace}
                self.one(timeline["computation_time"], part("computation"))
                self.one(timeline["exposed_comm_time"], part("exposed communication"),
                         sum(row["exposed_ms"] for row in of_step["comm_overlap"] if (row["trace_id"], row["part"]) == (trace, "all")))
                self.one(timeline["exposed_memcpy_time"], part("exposed memcpy"))
                self.one(timeline["busy_time"], self.total("step_bounds", "busy_ms", trace_id=trace, step=step))
                self.one(timeline["idle_time"], part("idle"), self.total("step_bounds", "idle_ms", trace_id=trace, step=step))
                self.one(timeline["total_time"], part(""), self.total("step_bounds", "host_ms", trace_id=trace, step=step))

    def test_the_run_is_the_mean_of_its_ranks(self):
        (run,) = self.told["run_overview"]
        kind = lambda name: self.total("gpu_timeline", "time_ms", type=name)
        share = lambda name: kind(name) / kind("total_time") * 100
        self.one(run["busy_pct"], share("busy_time"))
        self.one(run["idle_pct"], share("idle_time"))
        self.one(run["exposed_comm_pct"], share("exposed_comm_time"))
        steps = self.rows("step_mfu")
        self.one(run["step_time_ms"], self.total("step_mfu", "step_time_ms") / len(steps))

    def test_bytes_and_calls(self):
        self.one(self.total("memory_bandwidth", "bytes"), self.total("cuda_gpu_mem_size_sum", "total") * 1e6)
        self.one(self.total("memory_bandwidth", "copies"), self.total("cuda_gpu_mem_size_sum", "count"))
        for row in self.told["cuda_gpu_kern_sum"]:
            of_name = {"name": row["name"]}
            self.one(row["instances"], self.total("kernel_breakdown", "count", **of_name))
            self.one(row["total_time"] / 1e6, self.total("kernel_breakdown", "sum_ms", **of_name))
            if self.rows("kernel_summary", kernel_name=row["name"]):
                self.one(row["instances"], self.total("kernel_summary", "kernel_duration_count", kernel_name=row["name"]))
        for row in self.told["ops_summary"]:
            of_name = {"trace_id": row["trace_id"], "name": row["name"]}
            self.one(row["count"], self.total("ops_unique_args", "operation_count", **of_name))
            self.one(row["total_direct_kernel_time_ms"],
                     self.total("ops_unique_args", "total_direct_kernel_time_sum", **of_name) / 1e3)

    def test_the_page_and_the_mfu(self):
        self.tpq("report", "-q", "--run", "t", "--html=p.html", "--no-python")
        page = read_page(self.path("p.html"))
        headings, rows = page.table("overview")
        shown = {(row[headings.index("subject")], row[headings.index("name")]): row[headings.index("value")]
                 for row in rows if row[headings.index("section")] in ("Figures", "GPU time by kind")}
        told = {(row["subject"], row["name"]): row["value"] for row in self.told["overview"]
                if row["section"] in ("Figures", "GPU time by kind")}
        self.assertTrue(any("MFU" in name for _, name in told))
        self.assertEqual(set(shown), set(told))
        for key, value in told.items():
            self.one(float(shown[key]), value) if value is not None else self.assertEqual(shown[key], "")


if __name__ == "__main__":
    main()
