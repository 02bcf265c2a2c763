"""What the tests of miniatures share: a folder, the program, and its reports held against expected tables."""
import glob
import os
import shutil
import subprocess
import tempfile
import unittest

import tables

TPQ = os.environ.get("TPQ", os.path.join(os.path.dirname(tables.EXPECTED), "..", "..", "build", "tpq"))

LARGE_PAGES = "glibc.malloc.hugetlb=1:glibc.malloc.top_pad=33554432:glibc.malloc.trim_threshold=1073741824"  # see cli/support.py


class Miniature(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tpq-mini-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def tpq(self, *arguments, status=0):
        environment = {key: value for key, value in os.environ.items() if key != "TPQ_DB"}
        done = subprocess.run([TPQ, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=300,
                              env={**environment, "HOME": self.folder, "LC_ALL": "C.UTF-8", "GLIBC_TUNABLES": LARGE_PAGES})
        self.assertEqual(done.returncode, status, f"tpq {' '.join(arguments)}\n{done.stderr}")
        return done

    def holds(self, expected, written, prefix=""):
        """Every table of the folder `expected` is in the folder `written`, cell by cell."""
        files = sorted(glob.glob(os.path.join(tables.EXPECTED, expected, "*.csv")))
        self.assertTrue(files, f"no expected tables in {expected}")
        for file in files:
            name = os.path.basename(file)
            with self.subTest(table=f"{expected}/{name}"):
                found = self.path(written, prefix + name)
                self.assertTrue(os.path.exists(found), f"{name} is not among {os.listdir(self.path(written))}")
                wrong = tables.differences(tables.read(file), tables.read(found))
                self.assertFalse(wrong, "\n" + "\n".join(wrong[:40]))
