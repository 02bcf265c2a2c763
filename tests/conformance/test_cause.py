#!/usr/bin/env python3
"""The first lines name the right cause: simulated programs, selections by step, planted changes, and real traces.

Runs with the checkers that lie beside the checkout (../shared/conformance, or the folder in
$TPQ_CONFORMANCE) and is skipped where they are not. Of what is simulated it takes a case of each kind.
"""
import os
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.environ.get("TPQ_CONFORMANCE", os.path.join(HERE, "../../../shared/conformance"))
TPQ = os.environ.get("TPQ", os.path.join(HERE, "../../build/tpq"))


class Causes(unittest.TestCase):
    def check(self, name, *words):
        done = subprocess.run([sys.executable, "-B", os.path.join(FOLDER, name), "--tpq", TPQ, *words], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, "\n".join(line for line in done.stdout.splitlines() if not line.startswith("ok ")) + done.stderr)

    def test_real_traces(self):
        self.check("expert/check-expert")

    def test_programs_with_threads(self):
        self.check("cause/check-cause", "--real", "^load_arrows$", "^mixed_", "^worker$", "^warm_", "^comm_hidden$")

    def test_selections(self):
        self.check("cause/check-steps", "resnet_recompute", "timesformer_h100")

    def test_planted_changes(self):
        self.check("cause/check-gate", "--seeds", "2", "^same_3$", "^op25_5$", "^op25_3$", "^better50_1$")


if __name__ == "__main__":
    if not os.path.exists(os.path.join(FOLDER, "cause")):
        print("skipped: no checkers in " + os.path.normpath(FOLDER))
        sys.exit(77)
    unittest.main()
