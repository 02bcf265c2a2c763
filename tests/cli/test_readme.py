"""The tour of the README: each command does what stands there, and prints the lines below it. A line
"..." stands for any lines. $TPQ and $TPQ_EXTENSION may be what a package has installed."""

import os
import re
import shutil
import subprocess

from support import EXTENSION, PATIENCE, SANITIZED, TPQ, Case, looked_at, main

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as FILE:
    README = FILE.read()


def steps():
    """Commands of the tour, each with the lines that are shown below it."""
    tour = README[README.index("\n## A tour\n"):README.index("\n## Where to go next\n")]
    found = []
    for line in re.findall(r"(?m)^    (.*)$", tour):
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif not line.startswith("# "):
            found[-1][1].append(line)
    return found


class Readme(Case):
    def setUp(self):
        super().setUp()
        for name in ("tests", "sql"):
            os.symlink(os.path.join(ROOT, name), self.path(name))
        os.mkdir(self.path("bin"))
        os.symlink(os.path.abspath(TPQ), self.path("bin", "tpq"))

    def test_tour(self):
        env = self.environment({"PATH": self.path("bin") + ":/usr/bin:/bin", "COLUMNS": "120"})
        for command, shown in steps():
            if command.startswith("sqlite3 "):
                if SANITIZED or not shutil.which("sqlite3"):
                    continue
                command = command.replace("build/tpq", os.path.abspath(EXTENSION)[:-len(".so")])
            done = subprocess.run(["sh", "-euc", command], capture_output=True, text=True, cwd=self.folder,
                                  env=env, timeout=PATIENCE)
            self.assertEqual(done.returncode, 0, command + "\n" + done.stdout + done.stderr)
            if shown:
                printed = "".join(f"{line.rstrip()}\n" for line in done.stdout.splitlines())
                pattern = "".join(r"(?:.*\n)*?" if line == "..." else re.escape(line) + r"\n" for line in shown)
                if not re.fullmatch(pattern, printed):
                    self.assertEqual("".join(f"{line}\n" for line in shown), printed, command)

    def test_tour_is_found(self):
        verbs = {re.search(r"tpq (\w+)", command)[1] for command, _ in steps() if command.startswith("tpq ")}
        self.assertLessEqual({"report", "ingest", "compare", "gate", "sql", "describe"}, verbs)
        self.assertGreaterEqual(sum(bool(shown) for _, shown in steps()), 6)

    def test_page_and_picture(self):
        self.assertLessEqual(README.count("\n"), 150)
        targets, guides = (re.findall(pattern, README) for pattern in (r"\]\(([^)]+)\)", r"`tpq help (\w+)`"))
        looked_at(targets=len(targets), guides=len(guides))
        for target in targets:
            self.assertTrue(os.path.exists(os.path.join(ROOT, target)), target)
        picture = os.path.join(ROOT, "src", "package", "page.png")
        self.assertLessEqual(os.path.getsize(picture), 150_000)
        for guide in guides:
            self.assertTrue(self.tpq("help", guide).out, guide)


if __name__ == "__main__":
    main()
