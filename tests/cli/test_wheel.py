"""The wheel of the build under test: its bytes, its record, its tag, and what pip makes of it."""

import base64
import csv
import ensurepip
import glob
import hashlib
import io
import os
import re
import struct
import subprocess
import sys
import unittest
import zipfile

from support import BUILD, Case, TPQ, main, plain

PYTHON = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "python")
sys.path.insert(0, PYTHON)  # before a package of that name
from wheel import Elf, needs  # noqa: E402


def elf(libraries, versions, machine=62):
    """A binary of headers alone: the libraries that it needs, and versions of their symbols."""
    strings, places = b"\0", {}
    for text in [*libraries, *versions]:
        places[text] = len(strings)
        strings += text.encode() + b"\0"
    strings_at = 64 + 2 * 56
    needs_at = strings_at + len(strings)
    needs = b"".join(struct.pack("<2H3I", 1, 1, 0, 16, 32 if version != versions[-1] else 0) +
                     struct.pack("<I2H2I", 0, 0, 2, places[version], 0) for version in versions)
    dynamic_at = needs_at + len(needs)
    base = 0x400000  # addresses are not places in the file
    entries = [(1, places[name]) for name in libraries]
    entries += [(5, base + strings_at), (0x6FFFFFFE, base + needs_at), (0x6FFFFFFF, len(versions)), (0, 0)]
    dynamic = b"".join(struct.pack("<2Q", *entry) for entry in entries)
    end = dynamic_at + len(dynamic)
    head = b"\x7fELF\2\1\1".ljust(16, b"\0") + struct.pack("<2H5I", 3, machine, 1, 0, 0, 64, 0)
    head = head.ljust(54, b"\0") + struct.pack("<2H", 56, 2)
    load = struct.pack("<2I6Q", 1, 4, 0, base, base, end, end, 4096)
    return head.ljust(64, b"\0") + load + struct.pack("<2I6Q", 2, 4, dynamic_at, base + dynamic_at, 0, len(dynamic), 0, 8) + \
        strings + needs + dynamic


def platform(binaries):
    return needs(binaries)[1]


class Tag(unittest.TestCase):
    PROMISED = ["libm.so.6", "libz.so.1", "libexpat.so.1", "libc.so.6", "ld-linux-x86-64.so.2"]

    def test_what_a_binary_needs(self):
        file = Elf(elf(["libz.so.1", "libc.so.6"], ["GLIBC_2.2.5", "ZLIB_1.2"]))
        self.assertEqual(file.libraries, ["libz.so.1", "libc.so.6"])
        self.assertEqual(file.versions, {"GLIBC_2.2.5", "ZLIB_1.2"})
        self.assertEqual(file.machine, "x86_64")

    def test_the_highest_version_of_both_is_asked_for(self):
        program, extension = elf(self.PROMISED, ["GLIBC_2.2.5", "GLIBC_2.34"]), elf(["libc.so.6"], ["GLIBC_2.9"])
        self.assertEqual(platform([program, extension]), "manylinux_2_34_x86_64")
        self.assertEqual(needs([extension, program]), ((2, 34), "manylinux_2_34_x86_64"))
        self.assertEqual(platform([elf(["libc.so.6"], ["GLIBC_2.17"], machine=183)]), "manylinux_2_17_aarch64")

    def test_without_a_promise_it_is_for_this_machine(self):
        good = elf(["libc.so.6"], ["GLIBC_2.17"])
        for other in (elf(["libedit.so.2", "libc.so.6"], ["GLIBC_2.17"]), elf(["libzstd.so.1"], ["GLIBC_2.17"]),
                      elf(["libc.so.6"], ["GLIBC_2.17", "GLIBC_ABI_DT_RELR"])):
            self.assertEqual(platform([good, other]), "linux_x86_64")
            self.assertEqual(platform([other, good]), "linux_x86_64")


class Wheel(Case):
    def pack(self, out, *options, **variables):
        done = subprocess.run([sys.executable, "-B", os.path.join(PYTHON, "wheel.py"), *options, BUILD, self.path(out)],
                              capture_output=True, text=True, check=False, env=self.environment(variables))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        path, = done.stdout.splitlines()
        self.assertEqual(os.listdir(self.path(out)), [os.path.basename(path)])
        return path

    def prepare(self):
        self.pack("out")

    def packed(self):
        path, = glob.glob(self.path("out", "*.whl"))
        return path

    def content(self, path):
        with open(path, "rb") as file:
            return file.read()

    def check_record(self, path):
        """Each file stands in the record, with its hash and size."""
        with zipfile.ZipFile(path) as wheel:
            names = wheel.namelist()
            self.assertEqual(names, sorted(names))
            record, = (name for name in names if name.endswith(".dist-info/RECORD"))
            rows = {name: rest for name, *rest in csv.reader(io.StringIO(wheel.read(record).decode()))}
            self.assertEqual(sorted(rows), names)
            self.assertEqual(rows.pop(record), ["", ""])
            for name, (digest, size) in rows.items():
                content = wheel.read(name)
                expected = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
                self.assertEqual((digest, size), ("sha256=" + expected, str(len(content))), name)

    def test_what_is_in_it(self):
        version = self.tpq("--version").out.split()[1]
        first = self.packed()
        self.assertEqual(self.content(first), self.content(self.pack("second")))
        self.check_record(first)
        tag = "py3-none-" + platform([self.content(TPQ), self.content(os.path.join(BUILD, "tpq.so"))])
        self.assertEqual(os.path.basename(first), f"tpq-{version}-{tag}.whl")
        with zipfile.ZipFile(first) as wheel:
            modes = {entry.filename: entry.external_attr >> 16 for entry in wheel.infolist()}
            program = f"tpq-{version}.data/scripts/tpq"
            self.assertEqual(modes.pop(program), 0o100755)
            self.assertEqual(set(modes.values()), {0o100644})
            shared = f"tpq-{version}.data/data/share/"
            for name in ("tpq/__init__.py", "tpq/_options.py", "tpq/py.typed", "tpq/tpq.so", shared + "man/man1/tpq.1",
                         shared + "bash-completion/completions/tpq", f"tpq-{version}.dist-info/licenses/LICENSE"):
                self.assertIn(name, modes)
            self.assertEqual(wheel.read(f"tpq-{version}.dist-info/WHEEL").decode().splitlines()[2:],
                             ["Root-Is-Purelib: false", "Tag: " + tag])
            words = wheel.read(f"tpq-{version}.dist-info/METADATA").decode().splitlines()
            self.assertTrue({"Name: tpq", "Version: " + version, "Requires-Python: >=3.9", "Provides-Extra: pandas",
                             "Provides-Extra: datasette"} < set(words))
            self.assertEqual([line for line in words if line.startswith("Requires-Dist:") and "extra ==" not in line], [])

    def test_the_plugin_of_datasette(self):
        path = self.pack("plugin", "--datasette", SOURCE_DATE_EPOCH="1700000000")
        self.assertRegex(os.path.basename(path), r"^datasette_tpq-[\d.]+-py3-none-any\.whl$")
        self.check_record(path)
        with zipfile.ZipFile(path) as wheel:
            self.assertEqual({entry.date_time for entry in wheel.infolist()}, {(2023, 11, 14, 22, 13, 20)})
            points, = (wheel.read(name).decode() for name in wheel.namelist() if name.endswith("/entry_points.txt"))
            self.assertEqual(points, "[datasette]\ntpq = datasette_tpq\n")
            self.assertIn("datasette_tpq.py", wheel.namelist())

    @plain("Python is not built like this")
    def test_pip_installs_it(self):
        wheels = [path for folder in ("/usr/share/python-wheels", os.path.join(os.path.dirname(ensurepip.__file__), "_bundled"))
                  for path in glob.glob(os.path.join(folder, "pip-*.whl"))]
        if not wheels:
            self.skipTest("python3-venv is not installed")
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", self.path("venv")], check=True)
        python = self.path("venv/bin/python")
        called = {"check": True, "capture_output": True, "text": True, "cwd": self.folder, "env": self.environment()}
        subprocess.run([python, os.path.join(wheels[0], "pip"), "install", "-q", "--no-index", "--no-deps", self.packed(),
                        self.pack("plugin", "--datasette")], **called)
        done = subprocess.run([self.path("venv/bin/tpq"), "--version"], **called)
        self.assertEqual(done.stdout, self.tpq("--version").out)
        self.assertTrue(os.path.exists(self.path("venv/share/man/man1/tpq.1")))
        said = subprocess.run([self.path("venv/bin/tpq"), "help", "extensions"], **called).stdout.splitlines()[-1]
        self.assertIn("attention.csv", os.listdir(said.removeprefix("The examples are in ")))
        module, = glob.glob(self.path("venv/lib/python*/site-packages/tpq"))
        self.assertTrue(os.path.exists(os.path.join(module, "tpq.so")))
        self.write("datasette.py", "def hookimpl(function):\n    return function\n")
        done = subprocess.run([python, "-c", "import datasette_tpq, sqlite3; db = sqlite3.connect(':memory:');"
                               "datasette_tpq.prepare_connection(db);"
                               "print(*db.execute('SELECT median(column1) FROM (VALUES (1), (2), (6))').fetchone())"],
                              **called)
        self.assertEqual(done.stdout, "2.0\n")
        options = self.content(os.path.join(module, "_options.py")).decode()
        with open(os.path.join(module, "_options.py"), "w", encoding="utf-8") as file:
            file.write(re.sub(r"(?m)^GLIBC = .*$", "GLIBC = (2, 999)", options))
        done = subprocess.run([python, "-c", "import tpq"], **dict(called, check=False))
        self.assertRegex(done.stderr.splitlines()[-1], r"^ImportError: tpq needs glibc 2\.999 or newer; this machine has glibc 2\.\d+$")


if __name__ == "__main__":
    main()
