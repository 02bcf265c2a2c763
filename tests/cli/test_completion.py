"""Completions of bash that tpq itself is asked for, and tpq help names, which answers them."""

import os
import shutil
import subprocess
import unittest

from support import BUILD, TPQ, Case, main

EVIL = "$(touch evil) `touch evil` x"


class Completion(Case):
    def setUp(self):
        super().setUp()
        self.make_trace("a.json")
        for run in ("base", "baseline 2", EVIL):
            self.tpq("ingest", "-q", "--run", run, "--label", "pr=8", "a.json")

    def names(self, kind, **env):
        return self.tpq("help", "names", kind, env=env).out.splitlines()

    def test_names(self):
        self.assertEqual(self.names("runs"), ["base", "baseline 2", EVIL])
        self.assertEqual(self.names("labels"), ["pr=8"])
        self.assertEqual(self.names("runs", TPQ_DB="none.db"), [])
        self.assertEqual(self.names("reports"), [line.split()[0] for line in self.tpq(
            "report", "--list").out.splitlines()])
        self.assertTrue({"pytorch", "jax", "tt", "multirank"} <= set(self.names("sets")))
        self.assertIn("H200-SXM-141GB", self.names("accelerators"))
        self.assertTrue({"gpu_event", "median", "gpu_timeline"} <= set(self.names("described")))
        self.assertIn("slower_ops", self.names("recipes"))
        self.one_line(self.tpq("help", "names", "run", status=2), "kind 'run'; did you mean runs")
        self.tpq("ingest", "-q", "--run", "tab\there", "a.json")
        self.assertNotIn("tab", "".join(self.names("runs")))

    @unittest.skipUnless(shutil.which("bash"), "there is no bash")
    def test_bash(self):
        script = ('. "$1"; COMP_WORDS=("${@:2}"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _tpq; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        for words, expected in ((("rm", "base"), ["base", "baseline 2"]),
                                (("report", "--run", "$"), [EVIL]),
                                (("sql", "--label", ""), ["pr=8"]),
                                (("report", "gpu_timeline_"), [name for name in self.names("reports")
                                                              if name.startswith("gpu_timeline_")]),
                                (("report", "a"), ["a.json"]),
                                (("report", "--gpu-arch-platform", "H200"), ["H200-SXM-141GB"]),
                                (("describe", "gpu_ev"), ["gpu_event"]),
                                (("sql", "--recipe", "slower_o"), ["slower_ops"]),
                                (("rm", "--db", "none.db", "base"), [""]),
                                (("rm", "--db", "=", self.db, "baseline"), ["baseline 2"])):
            done = subprocess.run(["bash", "-c", script, "bash", os.path.join(BUILD, "tpq.bash"),
                                   TPQ, *words], cwd=self.folder, capture_output=True, text=True,
                                  env=self.environment({"TPQ_DB": self.db}))
            self.assertEqual((done.stdout.splitlines(), done.stderr), (expected, ""), words)
        self.assertFalse(os.path.exists(self.path("evil")))


if __name__ == "__main__":
    main()
