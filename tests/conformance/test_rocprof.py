#!/usr/bin/env python3
"""A file of rocprofv3: are the sheets those that the reference printed, and what the file says?

Runs on the sample that lies beside the checkout (../shared/conformance/rocprof, or the folder
rocprof in $TPQ_CONFORMANCE) and is skipped where it is not. The figures with --compat were
published with the reference; each cell of every sheet is also worked out from the JSON, by loops.
"""
import csv
import gzip
import json
import os
import statistics
import subprocess
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(os.environ.get("TPQ_CONFORMANCE", os.path.join(HERE, "../../../shared/conformance")), "rocprof")
SAMPLE = os.path.join(FOLDER, "908_results.json.gz")
TPQ = os.environ.get("TPQ", os.path.join(HERE, "../../build/tpq"))
OPTIONS = ["--kernel_details", "--short_kernel_study"]

# Figures of the reference: sheet -> rows from the top, None where nothing was published.
PUBLISHED = {
    "gpu_timeline": [["total_time", 19207.53247, 100.0], ["kernel", 4233.112334, 22.038813891938], ["memory", 0, 0],
                     ["busy_time", 4233.112334, 22.038813891938], ["idle", 14974.420136, 77.961186108062]],
    "kernel_summary": [
        ["ncclDevKernel_Generic_1", 1310, 3174623.4183206107, 1217193.0, 31156657.181811307, 70280, 733003332, 93.62896945325032,
         97.7109114568534, 4158756.678, "COMM"],
        ["vectorized_elementwise_kernel", 16971, 4380.451829591656, 4120.0, 7267.5778088536035, 640, 908069, 1.6736824968740898,
         99.84827979779782, 74340.648, "Elementwise"],
        ["elementwise_kernel_manual_unroll", 4150, 6497.176385542169, 6280.0, 1480.4055578737562, 3520, 40840, 0.6070430424776523,
         3.254378715428216, 26963.282, "Elementwise"],
        ["multi_tensor_apply_kernel", 500, 45308.49, 45760.0, 40624.859445169524, 19480, 920780, 0.510030708050828, 4.081942003603074,
         22654.245, "Other"],
        ["reduce_kernel", 2000, 9091.391, 9240.0, 2140.0698786866374, 3840, 43920, 0.4093615645894996, 98.15170954331957, 18182.782,
         "Reduction"]],
    "kernel_summary_by_category": [
        ["COMM", 1310, 4158756.678, 93.628969, 93.716979], ["Elementwise", 21571, 103507.352, 2.330333, None],
        ["GEMM", 5350, 65590.500, 1.476684, None], ["Other", 7813, 63265.169, 1.424333, None], ["Reduction", 2050, 18963.593, 0.426941, 100.0],
        ["Memory", 3671, 16590.646, 0.373517, None], ["Normalization", 1750, 11158.277, 0.251214, None],
        ["Attention", 400, 3909.163, 0.088010, 0.088010]],
    "kernel_details": [["ncclDevKernel_Generic_1", 733003332, 565, 2809, 26624, 1, 1, 256, 1, 1, 37946, 908],
                       ["ncclDevKernel_Generic_1", 714957025, None, 3092, None, None, None, None, None, None, None, 1229]],
    "short_kernels_summary": [],
    "short_kernel_histogram": [],
}
TRUE = {
    "short_kernels_summary": [
        ["vectorized_elementwise_kernel", 16761, 69729.578, 4.160227790704612, 1.5698702843297212],
        ["elementwise_kernel_manual_unroll", 4046, 25741.311, 6.362162876915472, 0.5795319630156056],
        ["reduce_kernel", 1474, 12355.604, None, None], ["__amd_rocclr_fillBufferAligned.kd", 3158, 12085.878, None, None]],
    "short_kernel_histogram": [[0.56, None, 35], [None, None, 21], [None, None, 15]],
}
RULES = (("GEMM", ("gemm", "matmul", "cijk")), ("Elementwise", ("elementwise",)), ("Reduction", ("reduce", "sum")),
         ("Convolution", ("conv",)), ("Normalization", ("norm",)), ("Attention", ("flash", "attn", "fmha")), ("Memory", ("copy",)),
         ("COMM", ("rccl", "nccl")))


def category(name, compat):
    if not compat and any(word in name.lower() for word in ("rccl", "nccl", "cross_device_reduce")):
        return "COMM"
    return next((kind for kind, words in RULES if any(word in name.lower() for word in words)), "Other")


def union(intervals):
    length, until = 0, None
    for start, end in sorted(intervals):
        start = start if until is None else max(start, until)
        if end > start:
            length += end - start
        until = end if until is None else max(until, end)
    return length


def shared(rows):
    """Adds 100 x value / sum of each row, and the running sum of that."""
    whole, run = sum(value for _, value in rows), 0
    out = {}
    for key, value in rows:
        run += value
        out[key] = (100.0 * value / whole, 100.0 * run / whole)
    return out


class Sheets:
    """All sheets, from the JSON."""

    def __init__(self, entry, compat):
        self.us, self.ms = (1, 1000) if compat else (1000, 1000000)
        self.compat = compat
        self.meta = entry["metadata"]
        names = {symbol["kernel_id"]: symbol["truncated_kernel_name"] or symbol["formatted_kernel_name"] or symbol["kernel_name"]
                 for symbol in entry["kernel_symbols"]}
        self.runs = [(names[run["dispatch_info"]["kernel_id"]], run["end_timestamp"] - run["start_timestamp"], run)
                     for run in entry["buffer_records"]["kernel_dispatch"]]
        self.by_name = {}
        for name, duration, _ in self.runs:
            self.by_name.setdefault(name, []).append(duration)

    def gpu_timeline(self):
        total = self.meta["fini_time"] - self.meta["init_time"]
        kernel = union((run["start_timestamp"], run["end_timestamp"]) for _, _, run in self.runs)
        return [[name, value / 1e6, 100.0 * value / total] for name, value in (
            ("total_time", total), ("kernel", kernel), ("memory", 0), ("busy_time", kernel), ("idle", total - kernel))]

    def shares(self, sums):
        ordered = sorted(sums.items()) if self.compat else sorted(sums.items(), key=lambda item: (-item[1], item[0]))
        return shared(ordered)

    def kernel_summary(self):
        shares = self.shares({name: sum(values) for name, values in self.by_name.items()})
        rows = sorted(self.by_name.items(), key=lambda item: (-sum(item[1]), item[0]))
        return [[name, len(values), sum(values) / len(values) / self.us, statistics.median(values) / self.us,
                 statistics.stdev(values) / self.us if len(values) > 1 else "", min(values) / self.us, max(values) / self.us, *shares[name],
                 sum(values) / self.ms, category(name, self.compat)] for name, values in rows]

    def kernel_summary_by_category(self):
        sums, counts = {}, {}
        for name, values in self.by_name.items():
            kind = category(name, self.compat)
            sums[kind] = sums.get(kind, 0) + sum(values)
            counts[kind] = counts.get(kind, 0) + len(values)
        shares = self.shares(sums)
        return [[kind, counts[kind], sums[kind] / self.ms, *shares[kind]] for kind in sorted(sums, key=lambda kind: (-sums[kind], kind))]

    def kernel_details(self):
        rows = []
        for name, duration, run in sorted(self.runs, key=lambda item: (-item[1], item[2]["dispatch_info"]["dispatch_id"])):
            info = run["dispatch_info"]
            rows.append([name, duration / self.us, run["stream_id"]["handle"], info["dispatch_id"], *(info["grid_size"][axis] for axis in "xyz"),
                         *(info["workgroup_size"][axis] for axis in "xyz"), info["agent_id"]["handle"], run["thread_id"]])
        return rows

    def short(self):
        return {name: [value for value in values if value < 10 * self.us] for name, values in self.by_name.items()}

    def short_kernels_summary(self):
        whole = sum(duration for _, duration, _ in self.runs)
        rows = [[name, len(values), sum(values) / self.us, sum(values) / len(values) / self.us, 100.0 * sum(values) / whole]
                for name, values in self.short().items() if values]
        return sorted(rows, key=lambda row: (-row[2], row[0]))

    def short_kernel_histogram(self):
        values = [value / self.us for values in self.short().values() for value in values]
        if not values:
            return []
        low, high, bins = min(values), max(values), 100
        edges = [low + i * (high - low) / bins for i in range(bins)] + [high]
        counts = [0] * bins
        for value in values:
            place = min(int((value - low) * bins / (high - low)), bins - 1)
            place += (place < bins - 1 and value >= edges[place + 1]) - (value < edges[place])
            counts[place] += 1
        return [[edges[i], edges[i + 1], counts[i]] for i in range(bins)]


@unittest.skipUnless(os.path.exists(SAMPLE), "no file of rocprofv3 beside the checkout")
class Sample(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with gzip.open(SAMPLE) as file:
            cls.entry = json.load(file)["rocprofiler-sdk-tool"][0]

    def holds(self, sheet, wanted, found, all_of_it):
        self.assertTrue(not all_of_it or len(wanted) == len(found), (sheet, len(wanted), len(found)))
        for row, cells in zip(wanted, found):
            for place, cell in enumerate(row):
                if isinstance(cell, str):
                    self.assertEqual(cell, cells[place], (sheet, row, cells))
                elif cell is not None:  # sums and their shares have lost some digits where others print them
                    self.assertAlmostEqual(cell, float(cells[place]), delta=max(abs(cell) * 1e-9, 5e-7 if sheet.endswith("category") else 1e-9),
                                           msg=(sheet, row, cells))

    def test_sheets(self):
        for compat in (False, True):
            with tempfile.TemporaryDirectory() as folder:
                subprocess.run([TPQ, "report", SAMPLE, *OPTIONS, *(["--compat"] if compat else []), "--output_csvs_dir", folder],
                               check=True, capture_output=True)
                sheets, found = Sheets(self.entry, compat), {}
                for sheet in PUBLISHED:
                    with open(os.path.join(folder, sheet + ".csv"), encoding="utf-8") as file:
                        found[sheet] = list(csv.reader(file))[1:]
                    self.holds(sheet, getattr(sheets, sheet)(), found[sheet], True)
                for sheet, rows in (PUBLISHED if compat else TRUE).items():
                    self.holds(sheet, rows, found[sheet], not rows)
        self.assertEqual((["125"], ["181"], 35968), self.true_counts())

    def true_counts(self):
        """The last bins, and all of them."""
        out = subprocess.run([TPQ, "report", SAMPLE, "short_kernel_histogram", "--csv", "-"], check=True, capture_output=True, text=True).stdout
        counts = [row[2] for row in csv.reader(out.splitlines())][1:]
        return [counts[-2]], [counts[-1]], sum(map(int, counts))


if __name__ == "__main__":
    unittest.main()
