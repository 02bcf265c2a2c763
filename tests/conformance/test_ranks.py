#!/usr/bin/env python3
"""Two ranks of different machines as one configuration, sheet by sheet, and the names of workbooks.

The traces lie beside the checkout (../shared/conformance, or the folder in $TPQ_CONFORMANCE); where
they do not, this is skipped.
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.environ.get("TPQ_CONFORMANCE", os.path.join(HERE, "../../../shared/conformance"))
TPQ = os.environ.get("TPQ", os.path.join(HERE, "../../build/tpq"))
BERT = [os.path.join(FOLDER, "pytorch", name, "trace.json.gz") for name in ("bert_mi300", "bert_h100")]
CONFIGURATIONS = ["013_profile_544p_bs1", "013_profile_720p_bs1",
                  "014_profile_544p_bs1", "014_profile_720p_bs1"]
TREE = "P"


def tpq(folder, *arguments, status=0):
    done = subprocess.run([TPQ, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == status, f"tpq {' '.join(arguments)}: {done.returncode}\n{done.stderr}"
    return done.stdout


def sheets_in(text):
    """The sheets of a report with headings for keys, without where rows are from."""
    document = json.loads(text)
    told = document.pop("meta")["sheets"]
    return {name: [{told[name]["columns"][key]["heading"]: value for key, value in row.items() if key != "run"}
                   for row in rows] for name, rows in document.items()}


class Folder(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory(prefix="tpq-ranks-")
        cls.folder = cls.kept.name
        cls.fill()

    @classmethod
    def tearDownClass(cls):
        cls.kept.cleanup()

    @classmethod
    def put(cls, path, rank):
        """One of the traces, as that of a rank."""
        path = os.path.join(cls.folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with gzip.open(BERT[rank % 2]) as packed, open(path, "wb") as file:
            file.write(packed.read())


class TwoRanks(Folder):
    @classmethod
    def fill(cls):
        for rank in (0, 1):
            cls.put(f"bert/rank_{rank}.json", rank)
        cls.sheets = sheets_in(tpq(cls.folder, "report", "-b", "bert", "-f", "rank_", "-a", "--json"))
        cls.compat = sheets_in(tpq(cls.folder, "report", "-b", "bert", "-f", "rank_", "--compat",
                                    "--json"))

    def near(self, value, expected, part=5e-6):
        """As exact as times in microseconds are that were added as floating-point numbers."""
        self.assertAlmostEqual(value, expected, delta=abs(expected) * part)

    def test_the_sheets(self):
        self.assertEqual([name for name in self.sheets if name != "meta"], [
            "kernels_0", "kernels_1", "gemm", "attn", "bin_elemwise", "kernel_launchers",
            "gpu_timelines", "linked_and_short_kernels", "short_cpu_op_counts",
            "cuda_events_summary", "grouped_breakdown"])

    def test_timelines(self):
        rows = {row["type"]: row for row in self.sheets["gpu_timelines"]}
        total, computing = rows["total_time"], rows["computation_time"]
        self.near(total["time_ms_0"], 3.495976074)
        self.near(total["time_ms_1"], 3.907824951)
        self.near(total["time_ms_avg"], 3.701900513)
        self.near(total["time_ms_std"], 0.205924438)
        self.near(computing["time_ms_0"], 0.388344727)
        self.near(computing["time_ms_1"], 0.307197754)
        self.near(computing["time_ms_avg"], 0.347771240)
        self.near(computing["time_ms_std"], 0.040573486)
        self.near(rows["idle_time"]["percent_0"], 88.822905911)
        self.near(rows["idle_time"]["percent_1"], 92.081586355)
        self.assertEqual(list(total), ["type", "time_ms_0", "percent_0", "time_ms_1", "percent_1",
                                       "time_ms_avg", "time_ms_std", "time_ms_min", "time_ms_max",
                                       "is_recompute"])
        self.assertEqual(list(rows), ["computation_time", "exposed_comm_time", "exposed_memcpy_time",
                                      "busy_time", "idle_time", "total_time", "total_comm_time",
                                      "total_memcpy_time"])

    def test_launchers(self):
        rows = self.sheets["kernel_launchers"]
        self.assertEqual([(row["name"], row["count"]) for row in rows], [
            ("aten::addmm", 52), ("aten::_flash_attention_forward", 8),
            ("aten::native_layer_norm", 20), ("aten::add", 18), ("aten::gelu", 10),
            ("aten::index_select", 6), ("aten::all", 2), ("aten::eq", 2),
            ("aten::_local_scalar_dense", 2), ("aten::add_", 2)])
        self.near(rows[0]["kernel_time_ms"], 0.371729004)
        self.near(rows[0]["pct"], 53.090015457)
        self.near(rows[0]["time_ms_avg"], 0.185864502)
        self.assertEqual(rows[0]["count_avg"], 26)
        self.near(rows[1]["kernel_time_ms"], 0.151063965)
        self.near(rows[2]["kernel_time_ms"], 0.070431152)
        self.near(rows[-1]["cum_pct"], 100)

    def test_matrix_products(self):
        for sheets in (self.sheets, self.compat):
            rows = sheets["gemm"]
            self.assertEqual(len(rows), 8)
            first, second, third = rows[:3]
            sizes = [[row[f"param: {name}"] for name in "MNK"] for row in rows[:3]]
            self.assertEqual(sizes, [[141, 512, 512], [141, 512, 512], [141, 30522, 512]])
            self.assertTrue(first["param: bias"])
            self.assertIn(first["param: transpose"], (None, "nan"))  # as text, with --compat
            self.assertEqual(first["name_count"], 17)
            self.near(first["Kernel Time (µs)_sum"], 98.718018)
            self.near(first["Kernel Time (µs)_mean"], 5.806942)
            self.near(first["Kernel Time (µs)_std"], 0.114843, 1e-3)
            self.near(first["kernel_time_sum_cum_pct"], 0.265564)
            self.near(first["GFLOPS_first"], 0.0739968)
            self.assertEqual(second["name_count"], 17)
            self.near(second["Kernel Time (µs)_sum"], 85.736328)
            self.assertEqual(third["name_count"], 1)
            self.near(third["Kernel Time (µs)_sum"], 41.280029)
            for row, share in zip(rows[1:], (0.496206, 0.607255, 0.698167, 0.787181, 0.865364,
                                             0.934062, 1.0)):
                self.near(row["kernel_time_sum_cum_pct"], share)
            self.assertEqual([row["ranks"] for row in rows], [1] * 8)
        self.assertEqual(self.compat["gemm"][0]["param: stride_A"], "(512, 1)")
        self.assertEqual(self.compat["gemm"][0]["param: stride_B"], "(1, 512)")
        self.assertEqual(self.compat["gemm"][1]["param: transpose"], "(True, False)")

    def test_columns_of_matrix_products(self):
        self.assertEqual(list(self.sheets["gemm"][0]), [
            "name", "param: M", "param: N", "param: K", "param: bias", "param: stride_A",
            "param: stride_B", "param: dtype_A_B", "param: B", "param: transpose", "GFLOPS_first",
            "Data Moved (MB)_first", "FLOPS/Byte_first", "TB/s_mean", "TB/s_std", "TFLOPS/s_mean",
            "TFLOPS/s_std", "Non-Data-Mov TFLOPS/s_mean", "Non-Data-Mov TFLOPS/s_std",
            "Non-Data-Mov Kernel Time (µs)_sum", "kernel_details__summarize_kernel_stats",
            "Input Dims_first", "Input type_first", "Input Strides_first", "Concrete Inputs_first",
            "Kernel Time (µs)_mean", "Kernel Time (µs)_std", "Kernel Time (µs)_sum", "name_count",
            "UID_first", "kernel_time_sum_cum_pct", "ranks", "rank_time_min_us",
            "rank_time_max_us"])

    def test_linked_and_short(self):
        self.assertEqual([list(row.values()) for row in self.sheets["linked_and_short_kernels"]],
                         [[0, 61, 61, 0, 55, 0], [1, 61, 61, 0, 59, 0]])

    def test_short_ops(self):
        self.assertEqual([tuple(row.values()) for row in self.sheets["short_cpu_op_counts"]], [
            ("aten::addmm", 49), ("aten::native_layer_norm", 20), ("aten::add", 18),
            ("aten::gelu", 10), ("aten::index_select", 6), ("aten::_flash_attention_forward", 3),
            ("aten::add_", 2), ("aten::all", 2), ("aten::eq", 2), ("Total", 112)])

    def test_breakdown(self):
        times = {row["Group"]: row["Time (s)"] for row in self.sheets["grouped_breakdown"]}
        for group, time in {"GEMM": 0.000185865, "Norm": 0.000035216, "Elemwise": 0.000019165,
                            "Memcpy": 0.000002322, "Other": 0.000109849,
                            "Total": 0.000352415}.items():
            self.assertAlmostEqual(times[group], time, delta=2e-9)
        self.assertEqual(list(times), ["Attention", "GEMM", "Conv", "Norm", "UpSample", "Pad",
                                       "Elemwise", "Concat", "MoE", "Triton", "Comms", "Memcpy",
                                       "Other", "Total"])

    def test_kernels(self):
        rows = self.sheets["kernels_0"]
        self.assertEqual(list(rows[0]), [
            "UID", "Kernel name", "Kernel duration (µs)", "Kernel stream", "Parent cpu_op UID",
            "Parent cpu_op", "Input dims", "Input types", "Input strides", "Concrete Inputs",
            "kernel_file", "Parent cpu_op busy time (µs)", "Parent cpu_op kernel count",
            "Percent of Parent cpu_op busy time (%)"])
        self.assertEqual([row["UID"] for row in rows], sorted(row["UID"] for row in rows))
        self.assertEqual(len([row for row in rows if row["Parent cpu_op"] == "aten::addmm"]), 26)
        for row in rows:
            expected = (100 if row["Parent cpu_op kernel count"] == 1 else
                        row["Kernel duration (µs)"] * 100 / row["Parent cpu_op busy time (µs)"])
            self.near(row["Percent of Parent cpu_op busy time (%)"], expected)

    def test_runtime_calls(self):
        rows = self.sheets["cuda_events_summary"]
        self.assertEqual(list(rows[0]), ["name", "cat", *(f"{kind}_{rank}" for kind in
                                         ("count", "min_dur", "max_dur", "mean_dur")
                                         for rank in (0, 1))])
        launch = {row["name"]: row for row in rows}
        self.assertIsNone(launch["cudaLaunchKernel"]["count_0"])
        self.assertEqual(launch["cudaLaunchKernel"]["count_1"], 34)
        self.assertEqual(launch["hipLaunchKernel"]["count_0"], 30)


class Names(Folder):
    """The four calls, in a tree of four configurations with eight ranks each."""

    @classmethod
    def fill(cls):
        for name in CONFIGURATIONS:
            for rank in range(8):
                cls.put(f"{TREE}/{name}/traces_rank_{rank}_step_8.json", rank)

    def made(self, *arguments, status=0):
        """The workbooks that a call makes."""
        before = self.workbooks()
        tpq(self.folder, "report", "-b", *arguments, status=status)
        return sorted(self.workbooks() - before)

    def workbooks(self):
        return {os.path.relpath(os.path.join(at, name), os.path.join(self.folder, TREE))
                for at, _, names in os.walk(self.folder) for name in names
                if name.endswith(".xlsx")}

    def test_all_of_it(self):
        first = CONFIGURATIONS[0]
        self.assertEqual(self.made(TREE, "-f", "step_8", "-d"), [])
        self.assertEqual(self.made(TREE, "-f", "step_8"), [
            f"{name}/{name}_step_8_performance_report.xlsx" for name in CONFIGURATIONS])
        self.assertEqual(self.made(f"{TREE}/{first}", "-f", "step_8", status=4), [])
        self.assertEqual(self.made(f"{TREE}/{first}", "-f", "step_8", "--force"), [])
        self.assertEqual(self.made(TREE, "-f", first, "step_8"), [
            f"{first}/{first}_{first}_step_8_performance_report.xlsx"])
        self.assertEqual(self.made(TREE, "-f", "rank_0", "step_8"), [
            f"{name}/{name}_rank_0_step_8_performance_report.xlsx" for name in CONFIGURATIONS])


if not all(map(os.path.exists, BERT)):
    print("no real traces here")
    sys.exit(77)
if __name__ == "__main__":
    unittest.main()
