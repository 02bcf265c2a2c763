"""The Debian package: built, unpacked, and the tour of the README taken with what was in it. As root,
`dpkg -i` of it and tests/cli/test_readme.py do the same on a bare machine."""

import gzip
import os
import re
import shutil
import subprocess
import sys
import unittest

from support import BUILD, Case, main, plain

CPACK = os.environ.get("CPACK", "cpack")
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TOUR = os.path.join(ROOT, "tests", "cli", "test_readme.py")


@plain("a package of that is of no use")
@unittest.skipUnless(shutil.which("dpkg-shlibdeps") and shutil.which("file"), "dpkg-dev or file is not installed")
class Package(Case):
    def call(self, *words, **more):
        done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=self.folder,
                              env=self.environment(), **more)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def prepare(self):
        # Of a generator that makes nothing before it installs: the build stays as it is.
        self.call(CPACK, "--config", os.path.join(BUILD, "CPackConfig.cmake"), "-B", self.path("made"),
                  "-D", "CPACK_CMAKE_GENERATOR=Ninja")
        self.call("dpkg-deb", "-x", self.deb(), self.path("root"))

    def deb(self):
        name, = (name for name in os.listdir(self.path("made")) if name.endswith(".deb"))
        return self.path("made", name)

    def test_without_its_tool_it_is_refused(self):
        folders = ";".join(os.environ["PATH"].split(":") + ["/usr/bin", "/bin"])
        done = subprocess.run([CPACK, "--config", os.path.join(BUILD, "CPackConfig.cmake"), "-B", self.path("none"), "-D",
                               "CPACK_CMAKE_GENERATOR=Ninja", "-D", f"CMAKE_IGNORE_PATH={folders}"], capture_output=True,
                              text=True, cwd=self.folder, env=self.environment())
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("apt-get install dpkg-dev file", done.stderr)
        self.assertFalse(os.path.exists(self.path("none")))

    def field(self, name):
        return self.call("dpkg-deb", "-f", self.deb(), name).strip()

    def unpacked(self, pattern):
        """The one file whose place matches."""
        found = [os.path.join(at, name) for at, _, names in os.walk(self.path("root")) for name in names
                 if re.fullmatch(pattern, os.path.relpath(os.path.join(at, name), self.path("root")))]
        self.assertEqual(len(found), 1, pattern)
        return found[0]

    def test_what_it_says_is_so_and_the_tour_works(self):
        self.assertEqual(self.field("Package"), "tpq")
        self.assertRegex(os.path.basename(self.deb()), rf"^tpq_{re.escape(self.field('Version'))}_\w+\.deb$")
        needed = re.findall(r"(?m)NEEDED +lib(\w+?)\.so|NEEDED +lib(\w[\w-]*)\.so",
                            self.call("objdump", "-p", self.unpacked("usr/bin/tpq")))
        depends = self.field("Depends")
        for library in {first or second for first, second in needed} - {"m", "z"}:
            self.assertRegex(depends, rf"\b(lib)?{re.escape(library.split('-')[0])}[\w-]* \(>=", depends)
        for loaded in ("libxlsxwriter", "libedit"):  # when a workbook or the prompt is asked for
            self.assertRegex(depends, rf"\b{loaded}\d+\b")
        self.assertNotIn("dev", depends)
        lines = self.field("Description").splitlines()
        self.assertTrue(len(lines) > 3 and all(re.match(r" \S", line) for line in lines[1:]), lines)
        control = os.path.join(self.folder, "control")
        self.call("dpkg-deb", "-e", self.deb(), control)
        self.assertEqual(sorted(os.listdir(control)), ["control", "md5sums"])

        with gzip.open(self.unpacked(r"usr/share/man/man1/tpq\.1\.gz"), "rt", encoding="utf-8") as file:
            self.assertTrue(file.read().startswith(".TH TPQ 1 "))
        with gzip.open(self.unpacked(r"usr/share/doc/tpq/changelog\.gz"), "rt") as file:
            self.assertTrue(file.read().startswith(f"tpq ({self.field('Version')}) "))
        with open(self.unpacked("usr/share/doc/tpq/copyright"), encoding="utf-8") as file:
            self.assertRegex(file.read(), r"(?s)Copyright: \d{4} .*License: Expat\n Permission is")
        for place in ("bash-completion/completions/tpq", "zsh/vendor-completions/_tpq",
                      r"fish/vendor_completions\.d/tpq\.fish"):
            self.unpacked("usr/share/" + place)
        self.assertFalse(os.path.exists(self.path("root/usr/share/man/man1/tpq.1")))

        self.call("env", "TPQ=" + self.unpacked("usr/bin/tpq"),
                  "TPQ_EXTENSION=" + self.unpacked(r"usr/lib/(.*/)?tpq/tpq\.so"), sys.executable, "-B", TOUR)


if __name__ == "__main__":
    main()
