"""What is installed beside the program: completions, manual page, extension."""

import os
import re
import shutil
import sqlite3
import subprocess
import unittest

from support import BUILD, Case, TPQ, VERBS, main, plain, slice_event, trace_of

CMAKE = os.environ.get("CMAKE", "cmake")
MODES = "table box csv tsv json envelope jsonl markdown line html".split()


def run(*call, **more):
    return subprocess.run(call, capture_output=True, text=True, check=False, **more)


def options_in_help(case, verb):
    """Every option of a verb with its letter, which may be empty, from its help."""
    text = case.tpq(verb, "--help").out.split("\nExamples:\n")[0]
    return {long: letter for letter, long in
            re.findall(r"(?m)^(?:  -(\w), | {6})(--[\w-]+)", text)}


def stand_ins(case):
    """The commands of other tools that help names, with the verbs that stand for them."""
    found = {}
    for verb in VERBS:
        text = " ".join(case.tpq(verb, "--help").out.split())
        for names in re.findall(r"Started as (.*?), tpq takes", text):
            found.update(dict.fromkeys(names.split(", "), verb))
    return found


class CompatLinks(Case):
    def snapshot_of(self, folder):
        return {name: os.readlink(os.path.join(folder, name)) for name in os.listdir(folder)}

    def test_a_link_for_each_command_and_each_stands_for_its_verb(self):
        self.assertIn("--compat-links DIRECTORY", self.tpq("--help").out)
        self.tpq("--compat-links", "links")
        links = self.snapshot_of(self.path("links"))
        self.assertEqual(sorted(links), sorted(stand_ins(self)))
        self.assertEqual(set(links.values()), {os.path.realpath(TPQ)})
        for name, verb in stand_ins(self).items():
            done = run(self.path("links", name), "--help")
            if name.endswith("_genesis"):  # there is no such report
                self.assertEqual(done.returncode, 2)
                self.assertRegex(done.stderr, f"^tpq: {name}: .*; tpq report TRACE .*\n$")
                continue
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            theirs, ours = (set(re.findall(r"(?m)^ +(?:-., )?--([a-z-]+)", text))
                            for text in (done.stdout, self.tpq(verb, "--help").out))
            self.assertTrue({"help"} < theirs < ours, name)
            self.assertIn(f"Usage: {name} ", done.stdout)
            done = run(self.path("links", name), cwd=self.folder)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertRegex(done.stderr, rf"{name}: (--\w+( or --\w+)*|FILE|REPORT) is required; see {name} --help\n$")

    def test_what_a_command_implies(self):
        self.tpq("--compat-links", "links")
        self.make_trace("a.json")
        trace = self.path("a.json")
        for name, same in (("", []), ("_inference", ["--inference"])):
            done = run(self.path("links/TraceLens_generate_perf_report_pytorch" + name),
                       "--profile_json_path", trace, "--json=-", cwd=self.folder)
            self.assertIn("gpu_timeline", done.stdout)
            self.assertEqual(done.stdout, self.tpq("report", "--compat", *same, trace, "--json=-").out)

    def test_beside_the_program_they_are_relative(self):
        os.makedirs(self.path("bin"))
        program = shutil.copy(TPQ, self.path("bin/tpq"))
        self.assertEqual(run(program, "--compat-links", self.path("bin")).returncode, 0)
        os.remove(program)
        self.assertEqual(set(self.snapshot_of(self.path("bin")).values()), {"tpq"})

    def test_again_is_no_mistake_and_what_is_there_stays(self):
        for _ in range(2):
            self.tpq("--compat-links", "links")
        os.remove(self.path("links/tt-perf-report"))
        mine = self.write("links/TraceLens_generate_perf_report_jax_analysis.x", "mine")
        os.remove(self.path("links/TraceLens_generate_perf_report_jax_analysis"))
        os.rename(mine, self.path("links/TraceLens_generate_perf_report_jax_analysis"))
        before = self.snapshot()
        self.one_line(self.tpq("--compat-links", "links", status=4),
                      r"links/TraceLens_generate_perf_report_jax_analysis: is there already")
        self.assertEqual(self.snapshot(), before)

    def test_wrong_calls(self):
        for call in ((), ("a", "b")):
            self.one_line(self.tpq("--compat-links", *call, status=2), "needs a value")
        self.write("file", "")
        self.one_line(self.tpq("--compat-links", "file", status=4), "^tpq: file: ")


class Bash(Case):
    SCRIPT = os.path.join(BUILD, "tpq.bash")

    def completed(self, *words):
        """What the last word is completed to. Bash makes words of their own of = signs."""
        words = [piece for word in words for piece in re.split("(=)", word) if piece or word == ""]
        script = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tpq; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        done = run("bash", "-c", script, "bash", self.SCRIPT, "tpq", *words, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return sorted(done.stdout.split("\n")[:-1]) if done.stdout.strip() else []

    def test_syntax(self):
        self.assertEqual(run("bash", "-n", self.SCRIPT).stderr, "")

    def test_it_registers_itself(self):
        out = run("bash", "-c", 'source "$1"; complete -p tpq', "bash", self.SCRIPT).stdout
        self.assertIn("-F _tpq tpq", out)

    def test_verbs(self):
        self.assertEqual(self.completed(""), sorted([*VERBS, "help", "--help", "--version", "--compat-links"]))
        self.assertEqual(self.completed("tr"), ["traces", "tree"])
        self.assertEqual(self.completed("--v"), ["--version"])
        self.assertEqual(self.completed("zzz"), [])

    def test_options(self):
        for verb in VERBS:
            self.assertEqual(self.completed(verb, "--"), sorted(options_in_help(self, verb)), verb)
        self.assertEqual(self.completed("ingest", "--no"), ["--no-python"])
        self.assertEqual(self.completed("rm", "x", "--sh"), ["--shrink"])

    def test_choices(self):
        for verb in ("sql", "runs", "traces"):
            for way in (["--mode", ""], ["-m", ""], ["--mode="]):
                self.assertEqual(self.completed(verb, *way), sorted(MODES), f"{verb} {way}")
            for way in (["--mode", "js"], ["-m", "js"], ["--mode=js"]):
                self.assertEqual(self.completed(verb, *way), ["json", "jsonl"], f"{verb} {way}")
        self.assertEqual(self.completed("ingest", "--tree", "r"), ["reference"])

    def test_files(self):
        for name in ("a.json", "a trace.json", "a*.json", "b.db"):
            self.write(name, b"")
        self.assertEqual(self.completed("ingest", "a"), ["a trace.json", "a*.json", "a.json"])
        self.assertEqual(self.completed("runs", "--db", "b"), ["b.db"])
        self.assertEqual(self.completed("runs", "--db=b"), ["b.db"])


class OtherShells(Case):
    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh(self):
        script = os.path.join(BUILD, "_tpq")
        done = run("zsh", "-f", "-n", script)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(script, encoding="utf-8") as file:
            text = file.read()
        self.assertTrue(text.startswith("#compdef tpq\n"))
        for verb in VERBS:
            for long, letter in options_in_help(self, verb).items():
                self.assertIn(long, text)
                if letter:
                    self.assertRegex(text, rf"'\*?-{letter}\+?\[", f"{verb} -{letter}")

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish(self):
        script = os.path.join(BUILD, "tpq.fish")
        self.assertEqual(run("fish", "-n", script).stderr, "")

        def completed(line):
            done = run("fish", "--no-config", "-c", f'source "{script}"; complete -C "{line}"',
                       cwd=self.folder, env=self.environment())
            self.assertEqual(done.stderr, "")
            return sorted(word.split("\t")[0] for word in done.stdout.splitlines())

        self.assertEqual(completed("tpq "), sorted([*VERBS, "help"]))
        self.assertEqual(completed("tpq sql --mode js"), ["json", "jsonl"])
        self.assertEqual(completed("tpq sql -m js"), ["json", "jsonl"])
        for verb in VERBS:
            self.assertEqual(completed(f"tpq {verb} --"), sorted(options_in_help(self, verb)))
        self.write("a.json", b"")
        self.assertIn("a.json", completed("tpq ingest a"))


class Manual(Case):
    PAGE = os.path.join(BUILD, "tpq.1")

    @unittest.skipUnless(shutil.which("groff"), "groff is not installed")
    def test_no_warnings(self):
        done = run("groff", "-man", "-ww", "-Tutf8", "-z", self.PAGE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    @unittest.skipUnless(shutil.which("man"), "man is not installed")
    def test_man_shows_it_without_warnings(self):
        done = run("man", "--warnings", "-l", "-Tutf8", self.PAGE, env={**os.environ, "LC_ALL": "C.UTF-8"})
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    @unittest.skipUnless(shutil.which("groff"), "groff is not installed")
    def test_everything_is_in_it_as_it_would_be_typed(self):
        done = run("groff", "-man", "-Tutf8", "-rLL=400n", "-P-c", "-P-bou", self.PAGE)
        lines = [line.strip() for line in done.stdout.splitlines()]
        for verb in VERBS:
            text = self.tpq(verb, "--help").out
            for example in re.findall(r"(?m)^    (\S.*)$", text.split("\nExamples:\n")[1]):
                self.assertIn(example, lines)
            for long in options_in_help(self, verb):
                if long != "--help":
                    self.assertTrue(any(long in re.split(r"[\[=]", line)[0].split() for line in lines), long)
        for command in stand_ins(self):
            self.assertIn(command, done.stdout)
        for heading in ("NAME", "SYNOPSIS", "WITHOUT A VERB", "EXIT STATUS", "ENVIRONMENT"):
            self.assertIn(heading, lines)


EXAMPLES = os.listdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "sql",
                                    "extensions"))


class Install(Case):
    def prepare(self):
        done = run(CMAKE, "--install", BUILD, "--prefix", self.path("root"))
        if done.returncode:
            self.fail(done.stdout + done.stderr)

    def installed(self, pattern):
        found = [os.path.join(at, name) for at, _, names in os.walk(self.path("root"))
                 for name in names if re.fullmatch(pattern, os.path.relpath(
                     os.path.join(at, name), self.path("root")))]
        self.assertEqual(len(found), 1, pattern)
        return found[0]

    def test_everything_has_its_place_and_nothing_else_is_there(self):
        library = r"lib(/[\w-]+)?"
        places = (r"bin/tpq", library + r"/tpq/tpq\.so", r"share/man/man1/tpq\.1",
                  library + r"/pkgconfig/tpq\.pc",
                  *(library + rf"/cmake/tpq/tpqConfig{part}\.cmake" for part in ("", "-\\w+", "Version")),
                  r"share/bash-completion/completions/tpq", r"share/zsh/site-functions/_tpq",
                  r"share/fish/vendor_completions\.d/tpq\.fish",
                  *(r"share/doc/(tpq|TPQ)/extensions/" + re.escape(name) for name in EXAMPLES))
        for place in places:
            self.installed(place)
        self.assertEqual(sum(len(names) for _, _, names in os.walk(self.path("root"))), len(places))

    def test_the_program_works_wherever_it_lies(self):
        self.write("a.json", trace_of(slice_event("a", 0, 1)))
        moved = self.path("moved")
        os.rename(self.installed("bin/tpq"), moved)
        for call in (["ingest", "a.json"], ["check"], ["describe"]):
            done = run(moved, *call, "--db=w.db" if call != ["describe"] else "--", cwd=self.folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    @plain("Python is not built like this")
    def test_the_extension_works(self):
        self.make_trace("a.json")
        self.tpq("ingest", "-q", "a.json")
        connection = sqlite3.connect(self.db)
        self.addCleanup(connection.close)
        if not hasattr(connection, "enable_load_extension"):
            self.skipTest("this Python loads no extensions")
        connection.enable_load_extension(True)
        connection.load_extension(self.installed(r"lib.*/tpq\.so")[:-len(".so")])
        self.assertEqual(connection.execute("SELECT count(*) FROM slice").fetchone(),
                         connection.execute("SELECT count(*) FROM event").fetchone())
        self.assertGreater(connection.execute("SELECT median(dur_ns) FROM gpu_event").fetchone()[0], 0)

    def moved(self):
        """Everything in another place than it was installed to."""
        os.rename(self.path("root"), self.path("moved"))
        os.mkdir(self.path("root"))
        os.rename(self.path("moved"), self.path("root/moved"))
        return os.path.realpath(self.installed(r".*/tpq\.so"))

    @unittest.skipUnless(shutil.which("pkg-config"), "pkg-config is not installed")
    def test_pkg_config_knows_the_extension(self):
        extension = self.moved()

        def known(*options):
            done = run("pkg-config", *options, "tpq", env={
                **os.environ, "PKG_CONFIG_PATH": os.path.dirname(self.installed(r".*/tpq\.pc"))})
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            return done.stdout.strip()

        self.assertEqual(os.path.realpath(known("--variable=extension")), extension)
        self.assertEqual(known("--variable=entry_point"), "sqlite3_tpq_init")
        self.assertEqual("tpq " + known("--modversion"), self.tpq("--version").out.strip())

    def test_cmake_finds_the_extension_and_the_program(self):
        extension = self.moved()
        version = self.tpq("--version").out.split()[1]
        self.write("user/CMakeLists.txt", f"""cmake_minimum_required(VERSION 3.18)
            project(user C)
            find_package(tpq {version} REQUIRED)
            file(GENERATE OUTPUT found CONTENT "$<TARGET_FILE:tpq::extension>\n$<TARGET_FILE:tpq::tpq>")
            """)
        done = run(CMAKE, "-S", self.path("user"), "-B", self.path("user/build"),
                   "-DCMAKE_PREFIX_PATH=" + self.path("root/moved"))
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("user/build/found"), encoding="utf-8") as file:
            self.assertEqual([os.path.realpath(line) for line in file.read().split()],
                             [extension, os.path.realpath(self.installed(".*bin/tpq"))])

    def test_what_only_tests_need_is_not_needed(self):
        """A machine with what src/demo.sh installs: no cmocka, and nothing to make packages."""
        bin_folder = self.path("bin")
        os.mkdir(bin_folder)
        self.write("bin/pkg-config", "#!/bin/sh\nPATH=${PATH#*:}\n"
                   "case $* in *cmocka*) exit 1 ;; esac\nexec pkg-config \"$@\"\n")
        os.chmod(self.path("bin/pkg-config"), 0o755)
        root = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
        done = run(CMAKE, "-S", root, "-B", self.path("build"), "-DSHLIBDEPS=SHLIBDEPS-NOTFOUND",
                   "-DPKG_CONFIG_EXECUTABLE=" + self.path("bin/pkg-config"),
                   env={**os.environ, "PATH": bin_folder + ":" + os.environ["PATH"]})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Tests are not built: cmocka is missing", done.stdout)

    def test_the_version_in_the_manual_is_that_of_the_program(self):
        with open(self.installed(r"share/man/man1/tpq\.1"), encoding="utf-8") as file:
            self.assertIn(self.tpq("--version").out.strip(), file.read())
        self.assertTrue(os.access(TPQ, os.X_OK))


if __name__ == "__main__":
    main()
