#!/usr/bin/env python3
"""The reference tool's comparison of two traces, cell by cell, and what its report says of the
other trace beside some of its calls.

The traces and tables lie beside the checkout (../shared/conformance, or the folder in
$TPQ_CONFORMANCE); where they do not, this is skipped. Headings must be the same, in the same order;
rows are matched as a whole, since the reference leaves the order of ties open. Times may differ by
what floating-point microseconds lose.
"""
import csv
import importlib.machinery
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.environ.get("TPQ_CONFORMANCE", os.path.join(HERE, "../../../shared/conformance"))
TPQ = os.environ.get("TPQ", os.path.join(HERE, "../../build/tpq"))
TRACES = [os.path.join(FOLDER, "pytorch", name, "trace.json.gz") for name in ("qwen_h100", "qwen_mi300")]
SHEETS = [os.path.join(os.path.dirname(path), "expected") for path in TRACES]
EXPECTED = os.path.join(FOLDER, "compare", "expected")
SLACK = 1e-6  # absolute, as the reference accepts it
TIMELINE_MS = 5e-5  # what floating-point times lose in the sum over all events
sys.dont_write_bytecode = True


def slack_of(heading, name, row):
    """What a cell may differ by; shares of a timeline by what their base may."""
    if "time ms__mi300_diff" not in heading:
        return SLACK
    base = float(row[heading.index("h100::time ms")])
    return 200 * TIMELINE_MS / base if name.endswith("_pct") and base else TIMELINE_MS


def differs(check, heading, expected, found):
    """The first column in which two rows differ; None when they do not."""
    for name, left, right in zip(heading, expected, found):
        if not check.same(check.value_of(left), check.value_of(right),
                          slack_of(heading, name, expected)):
            return name
    return None


def unmatched(check, heading, expected, found):
    """Rows that have no partner, with the column in which the nearest one differs."""
    left = list(found)
    lines = []
    for row in expected:
        partner = next((other for other in left if differs(check, heading, row, other) is None), None)
        if partner is not None:
            left.remove(partner)
            continue
        near = max(left, key=lambda other: heading.index(differs(check, heading, row, other)),
                   default=None)
        name = near and differs(check, heading, row, near)
        lines.append(f"{row[0][:50]}: {name}: {row[heading.index(name)]!r} is "
                     f"{near[heading.index(name)]!r}" if near else f"{row[0]}: no such row")
    return lines


# name, calls, ratio, difference, points of difference, their time in the other trace
BESIDE = [
    ("aten::mm", "48", 1.308988, 1253.020559, "48", 5308.273),
    ("aten::copy_", "72", 0.516171, -1020.003744, "72", 1088.184),
    ("aten::bmm", "1", 7.767614, 23.82198, "1", 27.342),
    ("aten::_scaled_dot_product_flash_attention", "24", 1.475130, 1293.638654, "24", 4016.343),
]


class Beside(unittest.TestCase):
    def test_the_other_trace(self):
        with tempfile.TemporaryDirectory(prefix="tpq-beside-") as folder:
            subprocess.run([TPQ, "report", "--profile_json_path", TRACES[0], "--comparison_json_path",
                            TRACES[1], "--compat", "--csv", folder], check=True,
                           stderr=subprocess.DEVNULL)
            with open(os.path.join(folder, "unified_perf_summary.csv"), newline="") as file:
                rows = list(csv.DictReader(file))
            with open(os.path.join(folder, "diff_stats.csv"), newline="") as file:
                stats = list(csv.DictReader(file))
        found = [(row["name"], row["operation_count"], round(float(row["speedup (trace2/trace1)"]), 6),
                  round(float(row["delta_us (trace2 - trace1)"]), 6), row["lca_count_trace2"],
                  float(row["lca_total_kernel_time_trace2_us"])) for row in rows]
        for row in BESIDE:
            self.assertIn(row, found)
        self.assertEqual([row["lca_id"] for row in rows if row["name"] == "aten::bmm"], ["48"])
        sources = [row["source"] for row in stats]
        self.assertEqual((sources.count("trace1"), sources.count("trace2")), (1198, 1054))


class Comparison(unittest.TestCase):
    def test_traces(self):
        self.compare(TRACES)

    def test_sheets_of_the_reference(self):
        self.compare(SHEETS)

    def compare(self, sides):
        loader = importlib.machinery.SourceFileLoader("check", os.path.join(FOLDER, "check"))
        check = importlib.util.module_from_spec(importlib.util.spec_from_loader("check", loader))
        loader.exec_module(check)
        with tempfile.TemporaryDirectory(prefix="tpq-compare-") as folder:
            subprocess.run([TPQ, "compare", *sides, "--names", "h100", "mi300", "--compat",
                            "--csv", folder], check=True, stderr=subprocess.DEVNULL)
            self.assertEqual(sorted(os.listdir(folder)), sorted(os.listdir(EXPECTED)))
            for name in sorted(os.listdir(EXPECTED)):
                with self.subTest(sheet=name):
                    heading, expected = check.read_table(os.path.join(EXPECTED, name))
                    own, found = check.read_table(os.path.join(folder, name))
                    self.assertEqual(own, heading)
                    self.assertEqual(len(found), len(expected))
                    self.assertEqual(unmatched(check, heading, expected, found), [])


if __name__ == "__main__":
    if not os.path.exists(EXPECTED):
        print("no reference tables here")
        sys.exit(77)
    unittest.main()
