"""The power fails: what tpq has written and synced is there, of the rest any part may be.

The writes, syncs and names of a verb are recorded (record.c). Of each cut the disk is made as it may be
then: what was synced before it, and of what was not any part, down to sectors of 512 bytes, whatever its
order. tpq opens it: the warehouse is the one of before or the one of afterwards (rm --shrink removes
first, and has one between). TPQ_CUTS: how many of
each verb; TPQ_SEED: which.
"""
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
import support  # noqa: E402

CUTS = int(os.environ.get("TPQ_CUTS", 9))
SEED = int(os.environ.get("TPQ_SEED", 1))
SECTOR = 512
VERBS = {  # name: the call, whether there is a warehouse before
    "ingest": (["ingest", "--run", "b", "b.json"], True),
    "ingest into a new one": (["ingest", "--run", "b", "b.json"], False),
    "replace": (["ingest", "--run", "a", "--replace", "a.json"], True),
    "merge": (["merge", "--prefix", "m", "from.db"], True),
    "merge into a new one": (["merge", "from.db"], False),
    "rm": (["rm", "-q", "a"], True),
    "vacuum": (["rm", "-q", "a", "--shrink"], True),
}


def entries(path):
    with open(path, "rb") as log:
        while line := log.readline():
            what, file, place, count = line.decode().split()
            yield what, int(file), int(place), log.read(int(count))


def is_safe(operations):
    """Of each operation, the place of the sync behind which it cannot be lost."""
    synced, waiting = [None] * len(operations), {}
    for at, (what, file, _, _) in enumerate(operations):
        subject = 0 if what in "NUD" else file
        if what in "SD":
            for before in waiting.pop(subject, []):
                synced[before] = at
        else:
            waiting.setdefault(subject, []).append(at)
    return synced


def write(content, place, data):
    content.extend(bytes(max(0, place + len(data) - len(content))))
    content[place:place + len(data)] = data


class Disk:
    """Names and contents of a folder."""

    def __init__(self, folder):
        self.names, self.contents = {}, {}
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            self.names[name] = os.stat(path).st_ino
            with open(path, "rb") as file:
                self.contents[self.names[name]] = file.read()

    def cut(self, operations, end, safe, chance):
        """What may be there when the power fails before the operation `end`: name, content."""
        names = dict(self.names)
        contents = {file: bytearray(content) for file, content in self.contents.items()}
        likely, follows = chance.choice((0, 0.1, 0.5, 0.9, 1)), False
        for at, (what, file, place, data) in enumerate(operations[:end]):
            is_kept = (safe[at] or end) < end or chance.random() < likely
            content = contents.setdefault(file, bytearray())
            if what == "W" and not is_kept and likely and chance.random() < 0.5:  # torn
                for sector in range(place - place % SECTOR, place + len(data), SECTOR):
                    start, stop = max(sector, place), min(sector + SECTOR, place + len(data))
                    if chance.random() < 0.5:
                        write(content, start, data[start - place:stop - place])
            elif what == "W" and is_kept:
                write(content, place, data)
            elif what == "T" and is_kept:
                content[:] = content[:place].ljust(place, b"\0")
            elif what == "N":
                follows = is_kept if place else None
                if is_kept:
                    names[data] = file
            elif what == "U":  # of a renaming with the other half
                if is_kept if follows is None else follows:
                    names.pop(data, None)
                follows = None
        return {os.fsdecode(name): bytes(contents[file]) for name, file in names.items()}


class Power(support.Case):

    def facts(self, path):
        if not os.path.exists(path):
            return None
        self.tpq("runs", "--db", path)
        sqlite3.connect(path).execute("SELECT * FROM sqlite_schema").fetchall()  # rolls back what has to be
        with self.connection(path) as db:
            self.assertEqual(db.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        return self.dump(path)

    def play(self, name, words, is_there, between):
        folder = self.path("disk")
        os.mkdir(folder)
        if is_there:
            shutil.copy(self.path("old.db"), folder + "/w.db")
        disk, old = Disk(folder), self.facts(self.path("old.db")) if is_there else None
        disk.names = {os.fsencode(key): file for key, file in disk.names.items()}
        log = self.path("log")
        self.tpq(*words, "--db", folder + "/w.db",
                 env={"LD_PRELOAD": os.environ["RECORD"], "RECORD_FOLDER": folder, "RECORD_LOG": log})
        operations, new = list(entries(log)), self.facts(folder + "/w.db")
        safe = is_safe(operations)
        self.assertNotEqual(old, new)
        good = [old, new, *([between] if name == "vacuum" else [])]
        turns = [at for at, operation in enumerate(operations) if operation[0] not in "W"]
        found = [0] * len(good)
        for number in range(CUTS):
            chance = random.Random(f"{SEED} {name} {number}")
            end = chance.randrange(len(operations) + 1)
            if number % 3:  # about a sync or a name, or at the end
                end = min((chance.choice(turns) if number % 3 == 1 else len(operations) - 2) +
                          chance.randrange(3), len(operations))
            shutil.rmtree(folder)
            os.mkdir(folder)
            for file, content in disk.cut(operations, end, safe, chance).items():
                with open(os.path.join(folder, file), "wb") as out:
                    out.write(content)
            said = f"{name}, cut {number} of seed {SEED}: before {end} of {len(operations)}"
            with self.subTest(said):
                now = self.facts(folder + "/w.db")
                self.assertTrue(now in good, "torn")
                found[good.index(now)] += 1
        shutil.rmtree(folder)
        os.unlink(log)
        if os.environ.get("TPQ_CUTS"):
            print(f"{name}: {len(operations)} operations, {CUTS} cuts: as before, as afterwards: {found}", flush=True)

    def test_power(self):
        self.make_trace("a.json", "--steps", 2)
        self.make_trace("b.json", "--steps", 3, "--seed", 5)
        self.make_trace("c.json", "--steps", 2, "--seed", 6)
        self.tpq("ingest", "-q", "--db", "old.db", "--run", "a", "a.json")
        self.tpq("ingest", "-q", "--db", "old.db", "--run", "c", "c.json")
        self.tpq("ingest", "-q", "--db", "from.db", "--run", "b", "b.json")
        shutil.copy(self.path("old.db"), self.path("between.db"))
        self.tpq("rm", "-q", "a", "--db", "between.db")
        between = self.facts(self.path("between.db"))
        for name, (words, is_there) in VERBS.items():
            self.play(name, words, is_there, between)


if __name__ == "__main__":
    unittest.main()
