"""Reports on a training run (train.py), on one rank and over both, held against tables that reference_pytorch.py
and reference_ranks.py made without tpq."""
import json
import os
import sys
import unittest

import kineto
import serve
import train
from reference_pytorch import ARCHITECTURE
from support import Miniature

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import shares  # noqa: E402

REPORTS = ["gpu_timeline", "ops_summary_by_category", "ops_summary", "ops_unique_args", "unified_perf_summary",
           "kernel_summary", "coll_analysis", "roofline", "launch_delay", "idle_causes"]


class Training(Miniature):
    def report(self, *options):
        kineto.write(self.path("rank_0.json"), train.trace(0))
        with open(self.path("mini.json"), "w", encoding="utf-8") as file:
            json.dump(ARCHITECTURE, file)
        self.tpq("report", "rank_0.json", *REPORTS, "--gpu-arch-json-path", "mini.json", "--csv", "out", *options)

    def test_default(self):
        self.report()
        self.holds("pytorch/default", "out")

    def test_as_the_older_tools(self):
        self.report("--compat")
        self.holds("pytorch/compat", "out")

    def test_one_step(self):
        kineto.write(self.path("rank_0.json"), train.trace(0))
        self.tpq("report", "rank_0.json", "gpu_timeline", "ops_summary", "ops_unique_args", "--step", "6",
                 "--csv", "out")
        self.holds("pytorch/step_6", "out")

    def test_what_takes_time_has_a_category_and_a_model(self):
        kineto.write(self.path("rank_0.json"), train.trace(0))
        kineto.write(self.path("serve.json"), serve.trace())
        for name in ("rank_0.json", "serve.json"):
            rows = json.loads(self.tpq("report", name, shares.SHEET, "--json=-").stdout)[shares.SHEET]
            found = shares.gaps(rows)
            self.assertTrue(found)
            self.assertEqual([gap for gap in found if gap[2]], [], name)

    def ranks(self, *options):
        for rank in range(2):
            kineto.write(self.path(f"rank_{rank}.json"), train.trace(rank))
        self.tpq("report", "--set", "multirank", "rank_0.json", "rank_1.json", "--csv", "out", *options)

    def test_ranks(self):
        self.ranks()
        self.holds("ranks/default", "out")

    def test_ranks_as_the_older_tools(self):
        self.ranks("--compat")
        self.holds("ranks/compat", "out")


if __name__ == "__main__":
    unittest.main()
