"""Reports on a JAX program (xla.py), held against tables that reference_jax.py made without tpq."""
import unittest

import xla
from support import Miniature


class Jax(Miniature):
    def report(self, *options):
        with open(self.path("node0.xplane.pb"), "wb") as file:
            file.write(xla.profile())
        self.tpq("report", "node0.xplane.pb", "--csv", "out/", *options)
        self.tpq("report", "node0.xplane.pb", "jax_analysis_categories", "jax_analysis_gemms", "--csv", "out/", *options)

    def test_default(self):
        self.report()
        self.holds("jax/default", "out")

    def test_as_the_older_tools(self):
        self.report("--compat")
        self.holds("jax/compat", "out")


if __name__ == "__main__":
    unittest.main()
