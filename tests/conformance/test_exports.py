#!/usr/bin/env python3
"""Real traces: figures of exported facts that were worked out by other means, with the rules of the reference (--compat).

Runs on the reference traces that lie beside the checkout (../shared/conformance, or the folder in
$TPQ_CONFORMANCE) and is skipped where they are not.
"""
import glob
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = pathlib.Path(os.environ.get("TPQ_CONFORMANCE", HERE / "../../../shared/conformance"))
TPQ = os.environ.get("TPQ", HERE / "../../build/tpq")
sys.path.insert(0, str(HERE.parent / "tools"))
from read_parquet import Parquet  # noqa: E402

# traces: of events (rows, self time), of work (rows, time, with a call, names), of launchers (rows, own time, time below,
# work), of calls with a model (rows, time of work), rows of modules and steps. Times in ns; of the second
# trace they are sums of fractions that are rounded one by one here.
FIGURES = {
    "pytorch/owlv2_h100/trace.json.gz": (
        (104159, 7110358988), (5165, 566759477, 5165, 58), (4320, 566759477, 566759477, 5165), (4495, 307667642), (2345, 8)),
    "pytorch/resnet_recompute_mi300/trace.json.gz": (
        (49208, 422968328), (3653, 100230072, 2604, 57), (1296, 20867535, 20975649, 2592), (1410, 23905717), (450, 45)),
    "multirank/*.gz": (
        (9487, 15641513000), (2358, 1275374000, 2358, 199), (2136, 500122000, 501338000, 2338), (1645, 172308000), (0, 138)),
}


class Figures(unittest.TestCase):
    def facts(self, folder, table):
        """{column: values}"""
        path = f"{folder}/{table}.parquet"
        return Parquet(path).columns if os.path.exists(path) else {}

    def found(self, folder):
        events, work, launchers, calls = (self.facts(folder, f"fact_{name}") for name in ("event", "gpu", "launcher", "call"))
        return (
            (len(events["event"]), sum(events["self_ns"])),
            (len(work["event"]), sum(work["dur_ns"]), len(work["event"]) - work["call_event"].count(None), len(set(work["name"]))),
            (len(launchers["event"]), *(sum(launchers[name]) for name in ("direct_ns", "subtree_ns", "kernel_count"))),
            (len(calls["event"]), sum(calls["kernel_ns"])),
            tuple(len(self.facts(folder, f"fact_{name}").get("event", ())) for name in ("module", "step")))

    def test_facts(self):
        for pattern, figures in FIGURES.items():
            paths = sorted(glob.glob(str(FOLDER / pattern)))
            if not paths:
                self.skipTest("traces not here")
            with self.subTest(traces=pattern), tempfile.TemporaryDirectory() as scratch:
                subprocess.run([TPQ, "ingest", "-q", "--db", f"{scratch}/w.db", "--run", "one", *paths], check=True)
                subprocess.run([TPQ, "export", "-q", "--db", f"{scratch}/w.db", "--compat", "--events", "--sheets", "none",
                                "--parquet", f"{scratch}/lake"], check=True)
                self.assertEqual(self.found(f"{scratch}/lake"), figures)


if __name__ == "__main__":
    if not FOLDER.is_dir():
        print(f"skipped: {FOLDER} is not there")
        sys.exit(77)
    unittest.main()
