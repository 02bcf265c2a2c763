"""Reports on Tenstorrent devices (tenstorrent.py), held against tables that reference_ttmetal.py made without tpq."""
import unittest

import tenstorrent
from support import Miniature


class Tenstorrent(Miniature):
    def report(self, *options):
        with open(self.path("ops_perf_results.csv"), "w", encoding="utf-8") as file:
            file.write("\n".join(tenstorrent.lines()) + "\n")
        self.tpq("report", "ops_perf_results.csv", "tt_ops", "tt_stacked", "--csv", "out/", *options)

    def test_default(self):
        self.report()
        self.holds("ttmetal/default", "out")

    def test_as_the_older_tool(self):
        self.report("--compat")
        self.holds("ttmetal/compat", "out")


if __name__ == "__main__":
    unittest.main()
