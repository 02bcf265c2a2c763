"""One call to the system fails, wherever an output is written or an input read.

For each output the n-th call that makes, writes, syncs or renames a file fails, with EIO and with
one more of ENOSPC, EINTR and a write of half its bytes, and the n-th that asks about one: the program says so in a sentence with
status 4, or what it wrote is as if nothing had been; each file of before is the old one whole or
the new one whole, and no other file is left. TPQ_FAULTS=all: at each n; else at some.
"""
import os
import shutil
import sqlite3
import subprocess
import sys
import unittest
import zipfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
import support  # noqa: E402

INJECT = os.environ["INJECT"]
TRACE = os.path.join(HERE, "..", "fixtures", "train", "rank_0.json.gz")
OTHER = os.path.join(HERE, "..", "fixtures", "train", "rank_1.json.gz")
SKIPPED = 77
OLD = b"what was there before\n"
AT_A_TIME = os.cpu_count() or 1
ALL = os.environ.get("TPQ_FAULTS") == "all"  # else the first, the last and some between
MOST = 2 if os.environ.get("TPQ_SANITIZED") else 5
REPORT = ("report", "-q", TRACE, "gpu_timeline", "ops_summary")

# name: the call, and the files that it makes which are there before; None: all
OUTPUTS = {
    "csv": ((*REPORT[:4], "--csv", "OUT/a.csv"), ["a.csv"]),
    "csv folder": ((*REPORT, "--csv", "OUT"), ["gpu_timeline.csv", "ops_summary.csv"]),
    "json": ((*REPORT, "--json=OUT/a.json"), ["a.json"]),
    "jsonl": ((*REPORT, "--jsonl=OUT/a.jsonl"), ["a.jsonl"]),
    "markdown": ((*REPORT, "--markdown=OUT/a.md"), ["a.md"]),
    "xlsx": ((*REPORT, "--xlsx=OUT/a.xlsx", "--force"), ["a.xlsx"]),
    "html": ((*REPORT, "--html", "OUT/a.html"), ["a.html"]),
    "sql": (("sql", "--db", "w.db", "--xlsx=OUT/a.xlsx", "SELECT 1 AS one"), []),
    "gate": (("gate", "--candidate", OTHER, "--baseline", TRACE, "--max-regression", "3%",
              "--junit=OUT/a.xml", "--json=OUT/a.json"), ["a.xml", "a.json"]),
    "perfetto": (("export", TRACE, "-o", "OUT/a.pftrace"), ["a.pftrace"]),
    "chrome": (("export", TRACE, "--format", "chrome", "-o", "OUT/a.json"), ["a.json"]),
    "chrome gz": (("export", TRACE, "--format", "chrome", "-o", "OUT/a.json.gz"), ["a.json.gz"]),
    "postgres": (("export", "--db", "w.db", "--postgres=OUT/a.sql"), ["a.sql"]),
    "diff": (("diff", TRACE, OTHER, "-o", "OUT"), None),
    "split": (("split", TRACE, "-o", "OUT", "--force"), None),
    "parquet": (("export", "--db", "w.db", "--parquet", "OUT", "--force"), None),
    "parquet by run": (("export", "--db", "w.db", "--parquet", "OUT", "--partition", "run", "--force"), None),
}


def some(count, most):
    """Numbers from 1 to `count`, the last one among them."""
    step = 1 if ALL else max(1, -(-count // most))
    return range(count, 0, -step)


def without_time(path, content):
    """A workbook as its parts, but for the one that tells when it was made."""
    if not path.endswith(".xlsx") or not zipfile.is_zipfile(path):
        return content
    with zipfile.ZipFile(path) as book:
        return b"".join(book.read(name) for name in book.namelist() if "core.xml" not in name)


def contents(folder):
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                content = file.read().replace(os.path.dirname(folder).encode(), b"")
                found[os.path.relpath(path, folder)] = without_time(path, content)
    return found


class Outputs(support.Case):

    def setUp(self):
        super().setUp()
        self.tpq("ingest", "--db", "w.db", "--run", "a", TRACE)

    def call(self, place, fault, at, words):
        """The call in a folder of its own, its n-th call to the system failing."""
        words = [word.replace("OUT", place + "/out") for word in words]
        done = subprocess.run([INJECT, place + "/" + ("in" if fault == "READ" else "out"), fault,
                               str(at), support.TPQ, *words], capture_output=True, cwd=place,
                              stdin=subprocess.DEVNULL, timeout=120,
                              env=self.environment({"TMPDIR": place + "/out"}))
        lines = done.stderr.decode(errors="replace").splitlines()
        if done.returncode == SKIPPED:
            self.skipTest("the kernel does not tell of calls")
        return done.returncode, int(lines[-1]), lines[:-1]

    def place(self, name, old):
        place = self.path(name.replace(" ", "_"))
        os.makedirs(place + "/out")
        shutil.copy(self.path("w.db"), place)
        for file, content in old.items():
            os.makedirs(os.path.dirname(place + "/out/" + file), exist_ok=True)
            with open(place + "/out/" + file, "wb") as out:
                out.write(content)
        return place

    def one(self, name, words, old, good, fault, at):
        place = self.place(f"{name}-{fault}-{at}", old)
        status, _, lines = self.call(place, fault, at, words)
        said = f"{name}, {fault} at {at}: status {status}, {lines}"
        left = contents(place + "/out")
        if status in (0, 1):
            self.assertEqual(left, good, said)
        else:
            self.assertEqual(status, 4, said)
            self.assertTrue(any(line.startswith("tpq: ") for line in lines), said)
            self.assertEqual(sorted(set(left) - set(old) - set(good)), [], said)
            for file, content in left.items():
                self.assertIn(content, (old.get(file), good.get(file)), f"{said}: {file}")
            for file in old:
                self.assertIn(file, left, said)
        shutil.rmtree(place)

    def play(self, name, words, files):
        place = self.place(f"{name}-good", {})
        status, _, lines = self.call(place, "EIO", 0, words)
        self.assertIn(status, (0, 1), f"{name}: {lines}")  # 1: the gate is shut
        good = contents(place + "/out")
        old = {file: OLD for file in (files if files is not None else good)}
        if files is None:
            old = good  # those that look at what is there replace only what is theirs
        count = self.call(self.place(f"{name}-count", old), "EIO", 0, words)[1]
        self.assertGreater(count, 1, name)
        faults = [("EIO", at) for at in some(count, MOST)]
        for number, at in enumerate(some(count, 3)):
            faults.append((("ENOSPC", "EINTR", "SHORT")[number % 3], at))
        asked = self.call(self.place(f"{name}-asked", old), "STAT", 0, words)[1]
        faults += [("STAT", at) for at in some(asked, MOST)]
        with ThreadPoolExecutor(AT_A_TIME) as threads:
            list(threads.map(lambda each: self.one(name, words, old, good, *each), faults))

    def test_outputs(self):
        for name, (words, files) in OUTPUTS.items():
            with self.subTest(name):
                self.play(name, words, files)

    def facts(self, path):
        """What a warehouse says, after whatever SQLite has to mend at opening."""
        if not os.path.exists(path):
            return None
        with sqlite3.connect(path) as db:
            self.assertEqual(db.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
            return db.execute("SELECT (SELECT count(*) FROM event), (SELECT count(*) FROM trace), "
                              "(SELECT count(*) FROM args)").fetchall()

    def test_warehouses(self):
        """Ingesting and merging into one that is there, and into a new one."""
        calls = {"ingest": ("ingest", "-q", "--db", "OUT/w.db", "--run", "b", OTHER),
                 "merge": ("merge", "-q", "--db", "OUT/w.db", "w.db")}
        for name, words in calls.items():
            for is_new in True, False:
                with self.subTest(name, new=is_new):
                    self.play_warehouse(f"{name} {is_new}", words, is_new)

    def play_warehouse(self, name, words, is_new):
        def place_of(case):
            place = self.place(f"{name}-{case}", {})
            if not is_new:
                self.tpq("ingest", "-q", "--db", place + "/out/w.db", "--run", "c", OTHER)
            return place
        place = place_of("good")
        old = self.facts(place + "/out/w.db")
        status, count, lines = self.call(place, "EIO", 0, words)
        self.assertEqual(status, 0, lines)
        good = self.facts(place + "/out/w.db")
        self.assertNotEqual(old, good)

        def one(at):
            place = place_of(at)
            fault = ("EIO", "ENOSPC", "SHORT")[at % 3]
            status, _, lines = self.call(place, fault, at, words)
            said = f"{name}, {fault} at {at}: status {status}, {lines}"
            self.assertIn(status, (0, 4), said)
            self.assertTrue(status == 0 or any(line.startswith("tpq: ") for line in lines), said)
            is_there = status == 0 or any("cannot be synced" in line for line in lines)
            self.assertEqual(self.facts(place + "/out/w.db"), good if is_there else old, said)
            shutil.rmtree(place)
        with ThreadPoolExecutor(AT_A_TIME) as threads:
            list(threads.map(one, some(count, MOST)))

    def test_the_folder_of_a_new_warehouse_cannot_be_synced(self):
        for verb in "ingest", "merge":
            words = [verb, "-q", "--db", "OUT/w.db", OTHER if verb == "ingest" else "w.db"]
            count = self.call(self.place("good-" + verb, {}), "EIO", 0, words)[1]
            status, _, lines = self.call(self.place("bad-" + verb, {}), "EIO", count, words)
            self.assertEqual(status, 4)
            self.assertRegex(lines[-1], "^tpq: .*w.db: made, but its folder cannot be synced: Input/output error$")

    def test_reads(self):
        """Of a trace: bad input, or the database; the sentence names the file."""
        for name in "trace.json.gz", "w.db":
            words = (("ingest", "-q", "--db", "OUT/new.db", "in/trace.json.gz")
                     if name != "w.db" else ("report", "-q", "--db", "in/w.db", "ops_summary",
                                             "--csv", "OUT/a.csv"))
            place = self.place(f"read-{name}", {})
            os.makedirs(place + "/in")
            shutil.copy(TRACE, place + "/in/trace.json.gz")
            shutil.copy(self.path("w.db"), place + "/in/w.db")
            status, count, lines = self.call(place, "READ", 0, words)
            self.assertEqual(status, 0, lines)
            good = contents(place + "/out")
            self.assertGreater(count, 1)
            for at in some(count, MOST):
                shutil.rmtree(place + "/out")
                os.makedirs(place + "/out")
                status, _, lines = self.call(place, "READ", at, words)
                said = f"{name}, read {at}: status {status}, {lines}"
                if status == 0 and name == "w.db":  # was not needed
                    self.assertEqual(contents(place + "/out"), good, said)
                    continue
                self.assertIn(status, (3, 4), said)
                self.assertTrue(lines and lines[-1].startswith("tpq: "), said)
                self.assertEqual(contents(place + "/out").keys() - {"new.db"}, set(), said)


if __name__ == "__main__":
    unittest.main()
