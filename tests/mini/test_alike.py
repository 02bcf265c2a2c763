"""Every report on every miniature, on terminals of several widths and in Markdown: what tells rows apart is shown, and names
of two kernels never look alike (tests/tools/alike.py)."""
import os
import sys
import unittest

import kineto
import serve
import tables
import tenstorrent
import train
import xla
from support import TPQ, Miniature

SOURCES = os.path.join(os.path.dirname(tables.EXPECTED), "..")
sys.path.insert(0, os.path.join(SOURCES, "tools"))
import alike  # noqa: E402

OPTIONS = ["--include-overlap-info", "--group-by-num-kernels", "--group-by-parent-module", "--detect-recompute",
           "--include-call-stack", "--include-unlinked-kernels"]


class Alike(Miniature):
    def holds_on(self, least, sets, *arguments):
        """At least so many tables are looked at."""
        reports = [report.name for report in alike.REPORTS if report.set in sets and not report.name.startswith("diff_")]
        found, seen = alike.faults(TPQ, [*arguments, *reports], 60, cwd=self.folder)
        self.assertEqual([], found)
        self.assertGreaterEqual(seen, least)

    def ranks(self):
        for rank in range(2):
            kineto.write(self.path(f"rank_{rank}.json"), train.trace(rank))

    def test_training(self):
        self.ranks()
        self.holds_on(50, {"pytorch"}, "rank_0.json", *OPTIONS)

    def test_ranks(self):
        self.ranks()
        self.holds_on(20, {"multirank", "collectives"}, "rank_0.json", "rank_1.json")

    def test_a_served_model(self):
        kineto.write(self.path("serve.json"), serve.trace())
        self.holds_on(20, {"inference", "nsys"}, "serve.json")

    def test_a_profile_of_jax(self):
        with open(self.path("node0.xplane.pb"), "wb") as file:
            file.write(xla.profile())
        self.holds_on(20, {"jax", "jax-analysis"}, "node0.xplane.pb")

    def test_tenstorrent(self):
        with open(self.path("ops_perf_results.csv"), "w", encoding="utf-8") as file:
            file.write("\n".join(tenstorrent.lines()) + "\n")
        self.holds_on(4, {"tt"}, "ops_perf_results.csv")

    def test_an_export_of_nsys(self):
        self.holds_on(20, {"nsys"}, os.path.join(SOURCES, "fixtures", "nsys", "small.sqlite"))


if __name__ == "__main__":
    unittest.main()
