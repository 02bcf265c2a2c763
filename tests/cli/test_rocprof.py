"""Files of rocprofv3: what becomes of their JSON in the warehouse and in reports. They are made by
tests/tools/rocprof_json.py."""
import csv
import io
import json
import os

from support import Case, sheets_in, main
from rocprof_json import CPU, GPU, Process, document

SLICES = ("SELECT coalesce(above.text, ''), string.text, category.name, event.ts_ns, event.dur_ns, event.correlation FROM event"
          " JOIN string ON string.id = event.name_id JOIN category ON category.id = event.category_id"
          " LEFT JOIN event AS parent ON parent.id = event.parent_id LEFT JOIN string AS above ON above.id = parent.name_id"
          " ORDER BY event.id")


def step(pid=40, agent=GPU, gpus=1):
    process = Process(pid, gpus)
    process.mark("forward", 1000, 1900, 1)
    process.mark("aten::mm, seq = 4, op_id = 11, sizes = [[2, 3], [3, 4]]", 1010, 1500, 2)
    process.call("hipLaunchKernel", 1100, 1120, 7)
    process.kernel("gemm", 1200, 1700, 7, agent=agent)
    process.kernel("ncclDevKernel_AllReduce", 1300, 1500, 9, dispatch=2, agent=agent, stream=3)
    process.call("hipMemcpy", 1910, 1990, 8, args={"kind": "1"})
    process.copy("HOST_TO_DEVICE", 1950, 1980, 8, target=agent)
    return process


class Rocprof(Case):
    def ingest(self, *processes, seed=None, options=(), **more):
        self.write("x_results.json", document(*processes, seed=seed))
        return self.tpq("ingest", self.path("x_results.json"), *options, **more)

    def sheet(self, report, *options):
        out = self.tpq("report", "x_results.json", report, *options, "--csv", "-").out
        return list(csv.reader(io.StringIO(out)))


class Facts(Rocprof):
    def test_the_tree(self):
        self.ingest(step())
        self.assertEqual([("", "aten::mm", "cpu_op", 10, 490, None),
                          ("aten::mm", "hipLaunchKernel", "cuda_runtime", 100, 20, 7),
                          ("hipLaunchKernel", "gemm", "kernel", 200, 500, 7),
                          ("", "hipMemcpy", "cuda_runtime", 910, 80, 8),
                          ("hipMemcpy", "Memcpy HtoD (Host -> Device)", "gpu_memcpy", 950, 30, 8),
                          ("", "ncclDevKernel_AllReduce", "kernel", 300, 200, 9),
                          ("", "forward", "user_annotation", 0, 900, None)], sorted(self.rows(SLICES), key=lambda row: (row[3] == 0, row[1] == "ncclDevKernel_AllReduce", row[3])))
        self.assertEqual([("[[2,3],[3,4]]", 4, 11)], self.rows(
            "SELECT dims.text, sequence, number FROM op_range JOIN event USING (id) JOIN op ON op.id = op_id JOIN string AS dims ON dims.id = dims_id"))
        self.assertEqual([("range", "forward")], self.rows("SELECT kind, name FROM signpost"))
        self.assertEqual({"clock_missing", "gpu_without_launch", "metadata_left_out"}, set(self.notes()))

    def test_what_a_kernel_is_launched_with(self):
        self.ingest(step())
        shape = {"accum vgprs": 8, "agent": GPU, "block": [256, 1, 1], "demangled": "gemm(int)", "grid": [2, 2, 1],
                 "grid work-items": [512, 2, 1], "queue": 1, "registers per thread": 32, "sgprs": 32, "shared memory": 1024, "vgprs": 24}
        found = self.rows("SELECT json, device, stream, dispatch.number, dispatch.thread FROM gpu_event JOIN args ON args.id = args_id"
                          " JOIN dispatch USING (id) WHERE correlation = 7")
        self.assertEqual([(shape, 0, 2, 1, 1)], [(json.loads(row[0]), *row[1:]) for row in found])
        self.assertEqual([(4096, 0, {"dst agent": GPU, "dst device": 0, "src agent": CPU})],
                         [(row[0], row[1], json.loads(row[2])) for row in self.rows(
                             "SELECT bytes, device, json FROM gpu_event JOIN args ON args.id = args_id WHERE bytes IS NOT NULL")])
        self.assertEqual([(0, "GFX950", "gfx950", 2 << 30, 8)], self.rows("SELECT ordinal, name, architecture, memory_bytes, cores FROM device"))

    def test_names_of_kernels(self):
        process = Process()
        for number, symbol in enumerate(({"truncated_kernel_name": ""}, {"truncated_kernel_name": "", "formatted_kernel_name": ""})):
            process.symbol("k%d" % number, **symbol)
            process.kernel("k%d" % number, 10 * number, 10 * number + 5)
        process.kernel(999, 50, 60)
        self.ingest(process)
        self.assertEqual([("k0(int)",), ("k1.kd",), ("unknown_kernel_999",)], self.rows(
            "SELECT text FROM gpu_event JOIN string ON string.id = name_id ORDER BY ts_ns"))

    def test_domains_of_calls(self):
        process = Process()
        process.call("__hipPushCallConfiguration", 10, 20, 1)
        process.call("hsa_queue_create", 30, 40, 2)
        process.call("ncclAllReduce", 50, 90, 3)
        process.mark("here", 60, 60, 4)
        process.record("scratch_memory", "SCRATCH_MEMORY", "SCRATCH_MEMORY_ALLOC", 70, 75, agent_id={"handle": GPU}, queue_id={"handle": 1},
                       flags=0, allocation_size=64)
        self.ingest(process)
        self.assertEqual([("cuda_driver", "__hipPushCallConfiguration"), ("cuda_driver", "hsa_queue_create"), ("library_call", "ncclAllReduce"),
                          ("signpost", "here"), ("scratch_memory", "SCRATCH_MEMORY_ALLOC")], self.rows(
            "SELECT category.name, text FROM event JOIN category ON category.id = category_id JOIN string ON string.id = name_id ORDER BY ts_ns"))
        self.assertEqual([("point", "here")], self.rows("SELECT kind, name FROM signpost"))
        self.assertEqual([({"agent": GPU, "bytes": 64, "queue": 1},)], [(json.loads(row[0]),) for row in self.rows("SELECT json FROM args")])

    def test_memory_is_freed_by_its_address(self):
        process = step()
        process.memory("ALLOCATE", 1020, 64, 1000)
        process.memory("ALLOCATE", 1030, 96, 500)
        process.memory("FREE", 1040, 64)
        self.ingest(process)
        self.assertEqual([(20, 1000, 64, 1000, 0), (30, 500, 96, 1500, 0), (40, -1000, 64, 500, 0)],
                         self.rows("SELECT ts_ns, bytes, address, total_allocated, device FROM memory_event ORDER BY ts_ns"))

    def test_counters(self):
        asked = ("SELECT string.text, counter_track.name, counter_track.device, instance, value FROM gpu_counter JOIN counter_track"
                 " ON counter_track.id = counter_id JOIN event ON event.id = gpu_counter.id JOIN string ON string.id = name_id ORDER BY 1, 2, 4")
        found = []
        for alone in (False, True):  # the kernels are only known by their counters
            process = step()
            process.count(0, SQ_WAVES=8, TCC_HIT=[1.5, 2])
            process.count(1, SQ_WAVES=4)
            if alone:
                process.entry["buffer_records"]["kernel_dispatch"] = []
            self.db = self.path("%s.db" % alone)
            self.ingest(process)
            found.append((self.rows(asked), [row[:5] for row in self.rows(SLICES)]))
        self.assertEqual([("gemm", "SQ_WAVES", 0, 0, 8.0), ("gemm", "TCC_HIT", 0, 0, 1.5), ("gemm", "TCC_HIT", 0, 1, 2.0),
                          ("ncclDevKernel_AllReduce", "SQ_WAVES", 0, 0, 4.0)], found[0][0])
        self.assertEqual(sorted(found[0][1]), sorted(found[1][1]))
        self.assertEqual(found[0][0], found[1][0])
        told = [line.strip() for line in self.tpq("tree", "--trace", "1").out.splitlines()]
        at = next(i for i, line in enumerate(told) if line.startswith("> gemm"))
        self.assertEqual(["= SQ_WAVES 8", "= TCC_HIT 1.5", "= TCC_HIT[1] 2"], told[at + 1:at + 4])

    def test_processes_are_traces(self):
        self.ingest(step(41, GPU + 1, 2), step(40, GPU, 2))
        self.assertEqual([(0, "40", 0), (1, "41", 1)], self.rows(
            "SELECT rank, (SELECT process FROM track WHERE trace_id = trace.id AND kind = 'thread'), (SELECT max(device) FROM gpu_event"
            " WHERE trace_id = trace.id) FROM trace ORDER BY id"))
        self.assertEqual({("train",)}, set(self.rows("SELECT process_name FROM track WHERE kind = 'thread'")))

    def test_the_first_process_has_the_columns_of_the_reference(self):
        self.ingest(step(41, GPU + 1, 2), step(40, GPU, 2))
        for compat in (True, False):
            for sheet in ("gpu_timeline", "kernel_summary", "kernel_summary_by_category", "kernel_details", "short_kernels_summary", "short_kernel_histogram"):
                heads = self.tpq("report", sheet, "--set", "rocprof", "--csv", "-", *["--compat"] * compat).out.splitlines()[0].split(",")
                self.assertEqual(not compat, "trace_id" in heads, sheet)

    def test_the_order_says_nothing(self):
        columns = "SELECT count(*), group_concat(x, char(10)) FROM (SELECT %s AS x FROM %s ORDER BY 1)"
        found = set()
        for seed in (None, 1, 2, 3):
            self.db = self.path("%s.db" % seed)
            self.ingest(step(), seed=seed)
            found.add((tuple(self.rows(SLICES)), tuple(self.rows("SELECT id, number, thread FROM dispatch ORDER BY id")),
                       self.rows(columns % ("json", "args"))[0], self.rows("SELECT replace(metadata, '', '') FROM trace")[0]))
        self.assertEqual(1, len(found))

    def test_no_secret_is_stored(self):
        self.ingest(step())
        with open(self.db, "rb") as file:
            self.assertNotIn(b"must-not-be-stored", file.read())
        self.assertEqual({"fini_time": 10500, "hostname": "h", "init_time": 500, "pid": 40, "process": 0},
                         json.loads(self.value("SELECT metadata FROM trace")))

    def test_numbers_that_are_written_otherwise(self):
        """As texts, as real numbers, as addresses: they mean the same."""
        def written(value, key=None):
            if isinstance(value, dict):
                return {key: written(item, key) for key, item in value.items()}
            if isinstance(value, list):
                return [written(item) for item in value]
            if isinstance(value, bool) or not isinstance(value, int):
                return value
            return hex(value) if key == "address" else float(value) if key in ("start_timestamp", "allocation_size", "kernel_id") else str(value)
        found = []
        for change in (lambda value: value, written):
            process = step()
            process.memory("ALLOCATE", 1020, 0x7f00dead0000, 1000)
            process.memory("FREE", 1040, 0x7f00dead0000)
            process.count(0, SQ_WAVES=8)
            for name in ("buffer_records", "callback_records", "agents", "kernel_symbols", "counters", "strings"):
                process.entry[name] = change(process.entry[name])
            self.db = self.path("%d.db" % len(found))
            self.ingest(process)
            found.append([self.rows(SLICES), self.rows("SELECT * FROM gpu_event ORDER BY id"), self.rows("SELECT json FROM args ORDER BY 1"),
                          self.rows("SELECT ts_ns, bytes, address, device FROM memory_event ORDER BY 1"), self.notes(),
                          self.rows("SELECT ordinal, name, cores, memory_bytes FROM device"), self.rows("SELECT kind, name FROM signpost")])
        self.assertEqual(found[0], found[1])

    def test_what_is_odd_is_counted(self):
        process = step()
        process.kernel("late", 3000, 2000)
        process.kernel("timeless", None, 2000)
        process.kernel("endless", 3000, None)
        process.call("hipMalloc", 10, 10, 3, surprise=1, flags="odd")
        process.entry["buffer_records"]["pc_sample_host_trap"].append({"a": 1})
        process.entry["buffer_records"]["hip_api"].append(5)
        process.entry["agents"].append([])
        process.memory("ALLOCATE", 1020, "0x" + 17 * "f", 1000)
        self.ingest(process)
        notes = self.notes()
        self.assertEqual([1, 1, 1, 1, 1, 1, 3, 1], [notes.get(kind) for kind in (
            "duration_negative", "time_missing", "duration_missing", "duration_zero", "member_unused", "table_unused", "value_odd", "not_an_object")])

    def test_what_is_no_file_of_it(self):
        for content, words in ((b'{"rocprofiler-sdk-tool": []}', "has no process"), (b'{"rocprofiler-sdk-tool": 5}', "has no process"),
                               (b'{"rocprofiler-sdk-tool": [{}]} x', "something follows"), (b'{"rocprofiler-sdk-tool": [{"agents": [{]}]}', "byte")):
            self.write("x.json", content)
            self.one_line(self.tpq("ingest", "x.json", status=3), words)

    def test_what_breaks_off(self):
        whole = document(step())
        for length in range(40, len(whole), 97):
            self.write("x.json", whole[:length])
            self.tpq("ingest", "x.json", status=3)
        self.write("x.json", whole[:whole.index(b'"memory_copy"')])
        self.tpq("ingest", "x.json", status=3)
        self.assertIn("note: the file breaks off", self.tpq("ingest", "--salvage", "x.json").out)
        self.assertEqual([(2,)], self.rows("SELECT count(*) FROM gpu_event"))

    def test_another_tool_that_has_the_word(self):
        self.write("k.json", {"traceEvents": [{"ph": "X", "name": "a", "ts": 1, "dur": 1, "pid": 1, "tid": 1,
                                               "args": {"rocprofiler-sdk-tool": 1}}]})
        self.tpq("ingest", "k.json")
        self.assertEqual("kineto", self.value("SELECT format FROM trace"))


class Reports(Rocprof):
    def test_sheets(self):
        self.write("x_results.json", document(step()))
        self.assertEqual([["type", "time ms", "percent"], ["total_time", "0.01", "100.0"], ["kernel", "0.0005", "5.0"], ["memory", "3e-05", "0.3"],
                          ["busy_time", "0.00053", "5.3"], ["idle", "0.00947", "94.7"]], self.sheet("gpu_timeline"))
        header = ["name", "Count", "Mean Kernel Time (µs)", "Median Kernel Time (µs)", "Std Kernel Time (µs)", "Min Kernel Time (µs)",
                  "Max Kernel Time (µs)", "Percentage (%)", "Cumulative Percentage (%)", "Total Kernel Time (ms)", "Category"]
        share = str(500 * 100.0 / 700)
        self.assertEqual([header, ["gemm", "1", "0.5", "0.5", "", "0.5", "0.5", share, share, "0.0005", "GEMM"],
                          ["ncclDevKernel_AllReduce", "1", "0.2", "0.2", "", "0.2", "0.2", str(200 * 100.0 / 700), "100.0", "0.0002", "COMM"]],
                         self.sheet("kernel_summary"))
        compat = self.sheet("kernel_summary", "--compat")
        self.assertEqual(["500.0", "0.5", "200.0", "Reduction"], [compat[1][2], compat[1][9], compat[2][2], compat[2][10]])
        self.assertEqual([["gemm", "0.5", "2", "1", "512", "2", "1", "256", "1", "1", str(GPU), "1"]],
                         self.sheet("kernel_details", "--topk_kernels", "1")[1:])
        self.assertEqual([["gemm", "1", "0.5", "0.5", share], ["ncclDevKernel_AllReduce", "1", "0.2", "0.2", str(200 * 100.0 / 700)]],
                         self.sheet("short_kernels_summary")[1:])
        self.assertEqual([], self.sheet("short_kernels_summary", "--compat")[1:])
        self.assertEqual(["1", "1"], [row[2] for row in self.sheet("short_kernel_histogram", "--short-kernel-histogram-bins", "2")[1:]])
        self.assertEqual(["COMM", "GEMM"], sorted(row[0] for row in self.sheet("kernel_summary_by_category")[1:]))

    def test_which_sheets_there_are(self):
        self.write("x_results.json", document(step()))
        self.assertEqual(["gpu_timeline", "kernel_summary", "kernel_summary_by_category"], self.names())
        self.assertEqual(["gpu_timeline"], self.names("--disable_kernel_summary"))
        self.assertEqual(["gpu_timeline", "kernel_details", "kernel_summary", "kernel_summary_by_category", "short_kernel_histogram",
                          "short_kernels_summary"], self.names("--kernel_details", "--short_kernel_study"))

    def test_where_the_time_goes(self):
        self.write("x_results.json", document(step()))
        usual = ["gpu_timeline", "kernel_summary", "kernel_summary_by_category"]
        more = ["cuda_api_sum", "idle_causes", "memory_bandwidth", "time_parts"]
        for words, sheets in ((), usual + more), (("--compat",), usual), (("--set", "rocprof"), usual):
            found = sheets_in(self.tpq("report", "x_results.json", *words, "--json").out)
            self.assertEqual(sorted(sheets), sorted(found))
            self.assertTrue(all(found.values()))
        self.assertRegex(self.tpq("report", "x_results.json").out, r"^\S.*: .* % of 780 ns")

    def names(self, *options):
        self.tpq("report", "x_results.json", "--set", "rocprof", *options, "--output_csvs_dir", "out")
        found = sorted(name[:-4] for name in os.listdir(self.path("out")))
        for name in os.listdir(self.path("out")):
            os.remove(self.path("out", name))
        return found

    def test_compat_looks_at_the_first_process(self):
        self.write("x_results.json", document(step(41, GPU + 1, 2), step(40, GPU, 2)))
        self.assertEqual(4, len(self.sheet("kernel_details")[1:]))
        self.assertEqual({str(GPU + 1)}, {row[-2] for row in self.sheet("kernel_details", "--compat")[1:]})

    def test_usual_reports(self):
        self.ingest(step())
        for report in ("launch_delay", "queue_length", "idle_causes", "ops_summary", "gpu_timeline_per_device"):
            self.assertGreater(len(self.tpq("report", report, "--set", "pytorch", "--csv", "-").out.splitlines()), 1, report)


if __name__ == "__main__":
    main()
