"""Reports on a served model (serve.py), held against tables that reference_inference.py made without tpq:
by default with the recording of the graph and phases from the marks of steps, as the older tools have them with
neither."""
import json
import os
import unittest

import kineto
import serve
from reference_pytorch import ARCHITECTURE
from support import Miniature

REPORTS = ["inference_steps", "inference_phases", "ops_summary_by_phase", "gpu_timeline", "ops_summary_by_category",
           "roofline"]


class Serving(Miniature):
    def report(self, *options):
        kineto.write(self.path("serve.json"), serve.trace())
        with open(self.path("mini.json"), "w", encoding="utf-8") as file:
            json.dump(ARCHITECTURE, file)
        self.tpq("report", "serve.json", *REPORTS, "--inference-phase-analysis", "--gpu-arch-json-path", "mini.json",
                 "--csv", "out", *options)

    def test_default(self):
        os.mkdir(self.path("captures"))
        kineto.write(self.path("captures", serve.INDEX[0]["file"]), serve.capture())
        with open(self.path("captures", "execution_details.json"), "w", encoding="utf-8") as file:
            json.dump(serve.INDEX, file)
        self.report("--capture-folder", "captures", "--phase-detection-method", "annotation")
        self.holds("inference/default", "out")

    def test_as_the_older_tools(self):
        self.report("--compat", "--phase-detection-method", "kernel_names")
        self.holds("inference/compat", "out")


if __name__ == "__main__":
    unittest.main()
