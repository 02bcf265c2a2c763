#!/usr/bin/env python3
"""The writer of Parquet against a reader by the specification: each value, and what the file says of them."""

import math
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "tools"))
from read_parquet import Parquet  # noqa: E402

MAKERS = os.environ["MAKE_PARQUET"].split(":")  # as it is, and with small pages
PAGE, GROUP = 20480, 122880
LONG = b"x" * (2 << 20)
EDGES = {
    "number": [-2 ** 63, 2 ** 63 - 1, -1, 0, None, -2 ** 63],
    "real": [-0.0, 0.0, math.inf, -math.inf, 5e-324, None],
    "text": [b"", LONG, "ä".encode(), None, b"", LONG],
}


def rows(count):
    """Must be what add_row in make_parquet.c gives."""
    return {
        "row": [row * 1000003 - 500 for row in range(count)],
        "few": [row % 7 - 3 if row % 11 else None for row in range(count)],
        "part": [row / 8 for row in range(count)],
        "name": [b"name %d" % (row // 3 % 200) for row in range(count)],
        "own": [b"%d is its own" % row for row in range(count)],
        "nothing": [None] * count,
        "ends": [None if row % PAGE == PAGE - 1 else b"same" for row in range(count)],
        "some": [None if row % 2 else float(row % 5) for row in range(count)],
    }


def bits(values):
    return [struct.pack("<d", value) if isinstance(value, float) else value for value in values]


class Writer(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "x.parquet")

    def made(self, *words, maker=MAKERS[0]):
        subprocess.run([maker, *map(str, words), self.path], check=True, timeout=100)
        return Parquet(self.path)

    def check(self, table, expected):
        self.assertEqual(list(table.columns), list(expected))
        for name, values in expected.items():
            self.assertTrue(bits(table.columns[name]) == bits(values), name)

    def test_each_value_is_read_back(self):
        for maker in MAKERS:
            for count in (0, 1, 7, 8, 9, 100, 101, 1023, 1024, 1025, 3000):
                table = self.made("rows", count, maker=maker)
                self.check(table, rows(count))
                self.assertEqual(table.facts, {"made by": "make_parquet", "empty": ""})

    def test_around_the_end_of_a_row_group(self):
        for count, groups in ((GROUP, [GROUP]), (GROUP + 1, [GROUP, 1])):
            table = self.made("rows", count)
            self.assertEqual(table.groups, groups)
            self.check(table, rows(count))
        # numbers that are mostly distinct, texts of which there are too many, and a column without values
        self.assertEqual({name: has for name, (has, _) in table.has_dictionary.items() if not has},
                         {"row": False, "part": False, "nothing": False})

    def test_the_least_the_most_the_longest(self):
        for maker in MAKERS:
            table = self.made("edges", maker=maker)
            self.assertEqual(table.types, {"number": "integer", "real": "real", "text": "text"})
            self.check(table, EDGES)

    def test_the_same_rows_are_the_same_bytes(self):
        for maker in MAKERS:
            self.made("rows", 3000, maker=maker)
            once = pathlib.Path(self.path).read_bytes()
            self.made("rows", 3000, maker=maker)
            self.assertEqual(once, pathlib.Path(self.path).read_bytes())

    def test_the_reader_refuses_what_is_changed(self):
        self.made("rows", 20)
        good = pathlib.Path(self.path).read_bytes()
        for at in range(0, len(good), 7):
            pathlib.Path(self.path).write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1:])
            try:
                table = Parquet(self.path)
            except Exception:  # Wrong, or what the libraries say
                continue
            # a name, a key, or a byte of a gzip member's head
            self.assertTrue(all(bits(table.columns.get(name, values)) == bits(values)
                                for name, values in rows(20).items()), at)

    def test_a_full_disk_is_said(self):
        done = subprocess.run([MAKERS[0], "rows", "200000", "/dev/full"], stderr=subprocess.PIPE, text=True, timeout=100)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "^/dev/full: cannot be written: No space left on device")


if __name__ == "__main__":
    unittest.main()
