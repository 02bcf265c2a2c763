"""Writes the Python wheel of tpq: the program, the extension, the module, manual and completions.

    python3 src/python/wheel.py BUILD OUT              OUT/tpq-VERSION-py3-none-PLATFORM.whl
    python3 src/python/wheel.py --datasette BUILD OUT  OUT/datasette_tpq-VERSION-py3-none-any.whl

BUILD is a folder that CMake has built, OUT a folder; the path of the wheel is printed. The same input gives the same
bytes; files have the time of $SOURCE_DATE_EPOCH, else 1980. For a wheel that runs elsewhere, build with
-DTPQ_STATIC_LIBS=ON: the platform is computed from the libraries and the version of glibc that the two binaries need.
"""

import argparse
import base64
import glob
import hashlib
import os
import re
import struct
import subprocess
import tempfile
import time
import zipfile

from options import options_text

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
MACHINES = {62: "x86_64", 183: "aarch64"}
# What manylinux promises; PEP 600 leaves the list to auditwheel.
PROMISED = re.compile(r"(lib(c|m|dl|pthread|rt|z|expat)|ld-linux.*)\.so\.\d+")
# Whose licences want to be named where their code is copied: archives, and xxHash, a header.
LINKED = ["libsqlite3-dev", "libxxhash-dev", "zlib1g-dev", "libpcre2-dev", "libcsv-dev", "libexpat1-dev"]
SUMMARY = "warehouse for performance traces of AI accelerators"


class Elf:
    """What a 64-bit binary needs: machine, names of libraries, and versions of their symbols."""

    DYNAMIC, LOAD = 2, 1  # kinds of segments
    NEEDED, STRINGS, VERSIONS, VERSION_COUNT = 1, 5, 0x6FFFFFFE, 0x6FFFFFFF  # tags

    def __init__(self, content):
        if content[:6] != b"\x7fELF\x02\x01":
            raise SystemExit("wheel.py: not a 64-bit little-endian ELF file")
        self.content = content
        self.machine = MACHINES.get(self.read("H", 18), "unknown")
        (at,), (size, count) = self.unpack("Q", 32), self.unpack("2H", 54)
        segments = [self.unpack("2I4Q", at + i * size) for i in range(count)]
        self.loaded = [(start, start + length, offset) for kind, _, offset, start, _, length in segments if kind == self.LOAD]
        places = [(offset, length) for kind, _, offset, _, _, length in segments if kind == self.DYNAMIC]
        entries = [self.unpack("2Q", at + i) for at, length in places for i in range(0, length, 16)]
        tags = dict(entries)
        self.strings = self.offset(tags[self.STRINGS])
        self.libraries = [self.string(value) for tag, value in entries if tag == self.NEEDED]
        self.versions = set()
        at = self.offset(tags[self.VERSIONS]) if self.VERSIONS in tags else 0
        for _ in range(tags.get(self.VERSION_COUNT, 0)):
            _, count, _, first, following = self.unpack("2H3I", at)
            name = at + first
            for _ in range(count):
                _, _, _, string, step = self.unpack("I2H2I", name)
                self.versions.add(self.string(string))
                name += step
            at += following

    def unpack(self, form, at):
        return struct.unpack_from("<" + form, self.content, at)

    def read(self, form, at):
        return self.unpack(form, at)[0]

    def offset(self, address):
        return next(address - start + offset for start, end, offset in self.loaded if start <= address < end)

    def string(self, at):
        at += self.strings
        return self.content[at:self.content.index(b"\0", at)].decode()


def needs(binaries):
    """The newest version of glibc that the binaries ask for, and the platform of the tag: manylinux where all that
    they need is promised there."""
    files = [Elf(content) for content in binaries]
    machine = files[0].machine
    versions = {version for file in files for version in file.versions if version.startswith("GLIBC_")}
    numbers = [re.fullmatch(r"GLIBC_2\.(\d+)(\.\d+)*", version) for version in versions]
    newest = max((int(number[1]) for number in numbers if number), default=0)
    if all(numbers) and numbers and all(PROMISED.fullmatch(name) for file in files for name in file.libraries):
        return (2, newest), f"manylinux_2_{newest}_{machine}"
    return (2, newest), f"linux_{machine}"


def content_of(*path):
    with open(os.path.join(*path), "rb") as file:
        return file.read()


def cached(build, name):
    """What CMake knows under a name in a build."""
    found = re.search(rf"(?m)^{name}:\w+=(.*)$", content_of(build, "CMakeCache.txt").decode())
    return found[1] if found else ""


def installed(build, root):
    """Installs a build, without symbols for debuggers; gives the files as names below the root."""
    subprocess.run([cached(build, "CMAKE_COMMAND"), "--install", build, "--prefix", root, "--strip"], check=True,
                   stdout=subprocess.DEVNULL)
    return [os.path.relpath(path, root) for path in glob.glob(os.path.join(root, "**"), recursive=True) if os.path.isfile(path)]


def licences(build):
    yield "LICENSE", content_of(ROOT, "LICENSE")
    if cached(build, "TPQ_STATIC_LIBS") == "ON":
        for package in LINKED:
            yield package + ".txt", content_of("/usr/share/doc", package, "copyright")


def information(name, version, tag, fields, licences=()):
    """The files of the folder dist-info, without the record."""
    folder = f"{name}-{version}.dist-info/"
    licences = dict(licences)
    lines = ["Metadata-Version: 2.4", f"Name: {name.replace('_', '-')}", f"Version: {version}", *fields,
             *(f"License-File: {licence}" for licence in licences)]
    pure = "true" if tag.endswith("-any") else "false"
    wheel = ["Wheel-Version: 1.0", f"Generator: tpq {version}", f"Root-Is-Purelib: {pure}", f"Tag: {tag}"]
    return {folder + "METADATA": "\n".join([*lines, ""]).encode(), folder + "WHEEL": "\n".join([*wheel, ""]).encode(),
            **{folder + "licenses/" + licence: text for licence, text in licences.items()}}


def tpq(build, version):
    """The tag and the files of the wheel of tpq."""
    data = f"tpq-{version}.data/"
    files = {}
    with tempfile.TemporaryDirectory() as root:
        for path in installed(build, root):
            if path == "bin/tpq":
                files[data + "scripts/tpq"] = content_of(root, path)
            elif path.endswith("/tpq.so"):
                files["tpq/tpq.so"] = content_of(root, path)
            elif path.startswith("share/") and (not path.startswith("share/doc/") or "/extensions/" in path):
                files[data + "data/" + path] = content_of(root, path)
        for path in glob.glob(os.path.join(HERE, "tpq", "*.*")):  # before what is made here
            files["tpq/" + os.path.basename(path)] = content_of(path)
        glibc, platform = needs([files[data + "scripts/tpq"], files["tpq/tpq.so"]])
        files["tpq/_options.py"] = options_text(os.path.join(root, "bin/tpq"), glibc).encode()
    tag = "py3-none-" + platform
    fields = [f"Summary: {SUMMARY}", "License-Expression: MIT", "Requires-Python: >=3.9",
              f"Requires-External: glibc (>={glibc[0]}.{glibc[1]})",
              "Provides-Extra: pandas", 'Requires-Dist: pandas; extra == "pandas"',
              "Provides-Extra: datasette", 'Requires-Dist: datasette-tpq; extra == "datasette"']
    return tag, {**files, **information("tpq", version, tag, fields, licences(build))}


def datasette_tpq(version):
    """The tag and the files of the wheel of the plugin."""
    name, tag = "datasette_tpq", "py3-none-any"
    fields = ["Summary: tpq's functions and views in Datasette", "License-Expression: MIT", "Requires-Python: >=3.9",
              "Requires-Dist: datasette", "Requires-Dist: tpq"]
    return tag, {name + ".py": content_of(HERE, name + ".py"),
                 f"{name}-{version}.dist-info/entry_points.txt": b"[datasette]\ntpq = datasette_tpq\n",
                 **information(name, version, tag, fields, [("LICENSE", content_of(ROOT, "LICENSE"))])}


def add_record(files):
    """Adds the list of all files, with their hashes and sizes."""
    record = os.path.dirname(next(name for name in files if name.endswith("/WHEEL"))) + "/RECORD"
    lines = [f"{record},,\n"]
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(content)}\n")
    files[record] = "".join(sorted(lines)).encode()


def write(path, files):
    moment = max(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), 315532800)  # a zip knows no time before 1980
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, time.gmtime(moment)[:6])
            entry.create_system = 3  # Unix: modes count
            mode = 0o755 if "/scripts/" in name else 0o644
            entry.external_attr = (0o100000 | mode) << 16
            wheel.writestr(entry, files[name], zipfile.ZIP_DEFLATED, 9)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasette", action="store_true", help="write the plugin of Datasette instead, which is Python alone")
    parser.add_argument("build", metavar="BUILD")
    parser.add_argument("out", metavar="OUT")
    arguments = parser.parse_args()
    version = cached(arguments.build, "CMAKE_PROJECT_VERSION")
    name = "datasette_tpq" if arguments.datasette else "tpq"
    tag, files = datasette_tpq(version) if arguments.datasette else tpq(arguments.build, version)
    add_record(files)
    os.makedirs(arguments.out, exist_ok=True)
    path = os.path.join(arguments.out, f"{name}-{version}-{tag}.whl")
    write(path, files)
    print(path)


if __name__ == "__main__":
    main()
