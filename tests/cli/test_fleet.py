"""The commands of tpq help fleet, and of the loop of tpq help ci, as they stand."""

import os
import re
import shutil
import subprocess

from support import TPQ, Case, main
from test_compare import changed, trace


class Guides(Case):
    def prepare(self):
        for model, times in (("bert", 1), ("gpt2", 2)):
            for i in range(3):
                folder = self.path("bucket", model, f"{model}{i}")
                os.makedirs(folder)
                made = trace(i, steps=8, ops=changed("aten::bmm", times=times))
                self.write(os.path.join(folder, "trace.json"), made)
        os.makedirs(self.path("local"))
        self.write("rank_0.json.gz", trace(7, steps=2))

    def commands(self, guide, ingest):
        """Lines of a guide that are set off, from a call of ingest on."""
        lines = re.findall(r"(?m)^    (tpq .*)$", self.tpq("help", guide).out)
        return lines[next(i for i, line in enumerate(lines) if ingest in line):]

    def play(self, command, status=0):
        environment = dict(os.environ, RANK="0", PATH=self.path("bin") + os.pathsep + os.environ["PATH"])
        os.makedirs(self.path("bin"), exist_ok=True)
        if not os.path.exists(self.path("bin", "tpq")):
            os.symlink(TPQ, self.path("bin", "tpq"))
        done = subprocess.run(["sh", "-c", command], cwd=self.folder, env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, status, f"{command}\n{done.stdout[-400:]}{done.stderr}")
        return done.stdout

    def test_fleet(self):
        commands = self.commands("fleet", "--run-per")
        self.assertGreater(len(commands), 9)
        said = {command: self.play(command) for command in commands}
        figures = next(out for command, out in said.items() if "run_figure" in command)
        self.assertEqual(sorted(re.findall(r"(?m)^(bert\d|gpt2\d) ", figures)), ["bert0", "bert1", "bert2", "gpt20", "gpt21", "gpt22"])
        self.assertTrue(os.path.exists(self.path("lake", "fact_gpu.parquet")))
        self.assertLessEqual(len(self.tpq("help", "fleet").out.splitlines()), 50)
        if shutil.which("duckdb"):
            self.play("cd lake && duckdb -init views.sql -c 'SELECT count(*) FROM fact_gpu'")

    def test_loop(self):
        ingest, gate, metrics = self.commands("ci", "--run-per")
        self.play(ingest)
        self.tpq("gate", "--pin", "green", "bert0")
        self.play(gate.replace("@last", "gpt22"), status=1)
        self.play(gate.replace("@last", "bert1"))
        with open(self.path("gate.xml"), encoding="utf-8") as file:
            self.assertIn("<testsuite ", file.read())
        os.makedirs(self.path("node"))
        self.play(metrics.replace("/var/lib/node_exporter", "node"))
        for name in ("node/tpq.prom", "metrics.jsonl"):
            with open(self.path(name), encoding="utf-8") as file:
                self.assertEqual(sum("bert0" in line for line in file) > 0, True, name)


if __name__ == "__main__":
    main()
