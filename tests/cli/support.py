"""What the tests of the command line share: the program in $TPQ, a folder for each test, and traces
from make_trace ($MAKE_TRACE) or from Python dicts. CMake sets the environment; by hand, with a build
in build/, `python3 tests/cli/test_ingest.py Known` runs the tests of one class.
"""

import contextlib
import fcntl
import gzip
import json
import os
import re
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import unittest

sys.path += [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", beside) for beside in ("tools", "mini", "unit")]
from looked import looked_at  # noqa: E402, F401

BUILD = os.environ.get("TPQ_BUILD", os.path.realpath(
    os.path.join(os.path.dirname(__file__), "..", "..", "build")))
TPQ = os.environ.get("TPQ", os.path.join(BUILD, "tpq"))
MAKE_TRACE = os.environ.get("MAKE_TRACE", os.path.join(BUILD, "tests", "make_trace"))
EXTENSION = os.environ.get("TPQ_EXTENSION", os.path.join(BUILD, "tpq.so"))
SANITIZED = bool(os.environ.get("TPQ_SANITIZED"))  # memory is no measure then

# A test that takes longer hangs; none of them measures time.
PATIENCE = float(os.environ.get("TPQ_TEST_PATIENCE", 300))

# Most calls read all views: with small pages a third of their time goes into page faults.
LARGE_PAGES = "glibc.malloc.hugetlb=1:glibc.malloc.top_pad=33554432:glibc.malloc.trim_threshold=1073741824"

VERBS = ["ingest", "report", "sql", "describe", "runs", "traces", "tree", "rm", "merge", "check",
         "model", "compare", "gate", "diff", "history", "split", "export",
         "replay", "mcp"]


HEALTH = re.compile(r"tpq: (\S+: )?Health: ")
WRAPPED = re.compile(r"\n {5}(?=\S)")  # a message goes on below its first word


def sentences(out, width=120):
    """The lines above the first empty one as the program made them, before they were broken at the width."""
    made = []
    for line in out.partition("\n\n")[0].splitlines():
        if made and len(made[-1].rpartition("\n")[2]) + 1 + len(line.split(" ")[0]) > width:
            made[-1] += "\n" + line
        else:
            made.append(line)
    return [line.replace("\n", " ") for line in made]


class Result:
    """What a call of the program gave. What it said about the health of traces stands by itself: most
    traces of tests are pieces that no profiler would write."""

    def __init__(self, arguments, status, out, err):
        lines = WRAPPED.sub(" ", err).splitlines(keepends=True)
        self.arguments, self.status, self.out = arguments, status, out
        self.health = "".join(line for line in lines if HEALTH.match(line))
        self.err = "".join(line for line in lines if not HEALTH.match(line))

    def __str__(self):
        return f"tpq {' '.join(self.arguments)}\nstatus {self.status}\n{self.out}{self.err}"


class Case(unittest.TestCase):
    """A test with a folder of its own, in which the program runs."""

    maxDiff = None
    prepared = {}  # by what has made them: a folder, and the copy that each later test begins with

    def prepare(self):
        """Fills the folder. It is called once, by the first test of those with equal files."""

    def setUp(self):
        made = type(self).prepare
        self.folder, kept = self.prepared.get(made) or (os.path.realpath(tempfile.mkdtemp(prefix="tpq-test-")), None)
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.db, self.opened = self.path("w.db"), {}
        if not any(hasattr(part, "is_plain") for part in (self, getattr(self, self._testMethodName))):
            CALLS[self.id()] = set()
        if kept:
            shutil.copytree(kept, self.folder, symlinks=True)
        elif made != Case.prepare:
            self.prepare()
            kept = tempfile.mkdtemp(prefix="tpq-test-")
            unittest.addModuleCleanup(shutil.rmtree, kept)
            shutil.copytree(self.folder, kept, symlinks=True, dirs_exist_ok=True)
            self.prepared[made] = self.folder, kept

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def write(self, name, content):
        """Makes a file from bytes, a text, or anything that JSON can say; returns its path."""
        if not isinstance(content, (bytes, str)):
            content = json.dumps(content)
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        return path

    def environment(self, changes=None):
        """For a call that a test makes itself. Nobody notes its kind, so such a test is played with sanitizers."""
        CALLS.pop(self.id(), None)
        UNKNOWN.add(self.id())
        return self.variables(changes)

    def variables(self, changes):
        kept = {key: value for key, value in os.environ.items() if key != "TPQ_DB"}
        kept.update(HOME=self.folder, LC_ALL="C.UTF-8", GLIBC_TUNABLES=LARGE_PAGES)
        kept.update(changes or {})
        return kept

    def on_terminal(self, width, *call, status=0):
        """What the program writes to a terminal that is so wide."""
        def sized():
            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
        ours, theirs = os.openpty()
        self.addCleanup(os.close, ours)
        found = []
        def read():
            try:
                while chunk := os.read(ours, 65536):
                    found.append(chunk)
            except OSError:  # nobody has the other end any more
                pass
        reader = threading.Thread(target=read)
        reader.start()
        try:
            self.tpq(*call, status=status, stdout=theirs, preexec_fn=sized, env={"NO_COLOR": "1"})
        finally:
            os.close(theirs)
            reader.join()
        return b"".join(found).decode().replace("\r\n", "\n")

    def tpq(self, *arguments, status=0, stdin=b"", env=None, **more):
        """Runs the program, on w.db where a verb works on a warehouse, and checks its status."""
        call = [TPQ, *map(str, arguments)]
        variables = self.variables({"TPQ_DB": self.db, **(env or {})})
        if isinstance(stdin, (bytes, str)):
            more["input"] = stdin.encode() if isinstance(stdin, str) else stdin
        else:
            more["stdin"] = stdin
        done = subprocess.run(call, stdout=more.pop("stdout", subprocess.PIPE),
                              stderr=subprocess.PIPE, cwd=more.pop("cwd", self.folder),
                              env=variables, timeout=PATIENCE, **more)
        if self.id() in CALLS:
            CALLS[self.id()] |= kinds_of_call(call[1:], done.returncode)
        result = Result(call[1:], done.returncode,
                        (done.stdout or b"").decode(errors="surrogateescape"),
                        done.stderr.decode(errors="surrogateescape"))
        if status is not None:
            self.assertEqual(result.status, status, str(result))
        return result

    def peak_memory(self, *arguments, status=0):
        """Runs the program and gives the most memory that it had, in bytes, and its output. The
        small process between them is there because a child starts with the peak of its parent."""
        between = ("import resource, subprocess, sys\n"
                   "done = subprocess.run(sys.argv[1:], stderr=subprocess.STDOUT)\n"
                   "sys.stderr.write(f'{resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss}')\n"
                   "sys.exit(done.returncode)\n")
        done = subprocess.run([sys.executable, "-I", "-S", "-c", between, TPQ,
                               *map(str, arguments)], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, cwd=self.folder, timeout=PATIENCE,
                              env=self.environment({"TPQ_DB": self.db, "GLIBC_TUNABLES": ""}))
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return int(done.stderr) * 1024, done.stdout

    def one_line(self, result, *parts):
        """The failure is one line on stderr, and has these parts in it."""
        lines = result.err.splitlines()
        self.assertEqual(len(lines), 1, str(result))
        self.assertTrue(result.err.endswith("\n"), str(result))
        for part in parts:
            self.assertRegex(lines[0], part, str(result))

    def connection(self, db=None):
        """The warehouse without tpq. Opening it is dear: SQLite reads all of its views."""
        return contextlib.closing(sqlite3.connect(f"file:{db or self.db}?mode=ro", uri=True))

    def rows(self, query, *values, db=None):
        """Asks the warehouse's tables without tpq. A file stays open for the next question."""
        file = os.stat(db or self.db)
        connection = self.opened.get((file.st_dev, file.st_ino))
        if not connection:
            while len(self.opened) > 9:
                self.opened.pop(next(iter(self.opened))).close()
            connection = self.opened[file.st_dev, file.st_ino] = sqlite3.connect(f"file:{db or self.db}?mode=ro", uri=True)
            self.addCleanup(connection.close)
        connection.execute("PRAGMA shrink_memory")  # a test may write other bytes into the file
        return connection.execute(query, values).fetchall()

    def value(self, query, *values, db=None):
        return self.rows(query, *values, db=db)[0][0]

    def notes(self, db=None):
        """The notes of all traces: {kind: count}."""
        return dict(self.rows("SELECT kind, sum(count) FROM ingest_note GROUP BY kind", db=db))

    def check(self, db=None):
        self.tpq("check", "--quiet", "--db", db or self.db)

    def dump(self, db=None):
        """All rows of all tables but for the time stamps."""
        stamps = {"created_at", "ingested_at", "mtime_ns"}
        tables = {}
        for (name,) in self.rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'rollup'", db=db):
            columns = [column for (column,) in self.rows("SELECT name FROM pragma_table_xinfo(?)", name, db=db)
                       if column not in stamps]
            listed = ", ".join(f'"{column}"' for column in columns)
            tables[name] = sorted(self.rows(f'SELECT {listed} FROM "{name}"', db=db), key=repr)
        return tables

    def snapshot(self):
        """Names and bytes of everything in the folder."""
        found = {}
        for at, folders, files in os.walk(self.folder):
            for name in folders:
                found[os.path.join(at, name)] = None
            for name in files:
                path = os.path.join(at, name)
                if os.path.islink(path):
                    found[path] = os.readlink(path)
                elif os.path.isfile(path) and os.access(path, os.R_OK):
                    with open(path, "rb") as file:
                        found[path] = file.read()
        return found

    def make_trace(self, name, *options):
        """A trace file by make_trace; compressed when its name ends with .gz."""
        content = made_trace(*options)
        return self.write(name, gzip.compress(content, mtime=0) if name.endswith(".gz") else content)


def made_trace(*options):
    return subprocess.run([MAKE_TRACE, *map(str, options)], check=True,
                          stdout=subprocess.PIPE).stdout


def sheets_in(text):
    """The sheets of a report in JSON, without what it says about them."""
    sheets = json.loads(text)
    del sheets["meta"]
    return sheets


def headed_sheets_in(text):
    """The same as CSV has them: headings for keys, and not of which trace all rows are."""
    document = json.loads(text)
    told = document.pop("meta")["sheets"]
    rows_of_all = [row for rows in document.values() for row in rows]
    alike = [key for key in ("run", "trace_id") if len({row.get(key) for row in rows_of_all}) < 2]
    return {name: [{told[name]["columns"][key]["heading"]: value for key, value in row.items() if key not in alike}
                   for row in rows] for name, rows in document.items()}


def slice_event(name, ts, dur, category="cpu_op", thread=1, process=1, **more):
    """A slice as a dict; `more` may have args."""
    return {"ph": "X", "cat": category, "name": name, "pid": process, "tid": thread,
            "ts": ts, "dur": dur, **more}


def trace_of(*events, **metadata):
    """A trace as a dict: metadata first, then the events."""
    return {**metadata, "traceEvents": list(events)}


def slices_in(content):
    """How many slices a trace in JSON has."""
    return sum(event.get("ph") == "X" for event in json.loads(content)["traceEvents"])


def plain(why):
    """Marks a test or class that sanitizers cannot play."""
    def marked(test):
        test.is_plain = True
        return unittest.skipIf(SANITIZED, why)(test)
    return marked


# ------------------------------------------------------------------ which tests are played with sanitizers
#
# A sanitizer finds what a call does to memory, not what a test makes of the answer. So tests that are
# played without sanitizers note the kinds of their calls in the folder $TPQ_CALLS; with sanitizers a
# test is played when it has a kind that no test before it has, or notes none. Files about inputs that
# may hold anything end with unittest.main() and are played whole.

CALLS = {}  # of each test that was played: the kinds of its calls
UNKNOWN = set()  # tests that make calls of their own
NOTES = os.environ.get("TPQ_CALLS")


def kinds_of_call(arguments, status):
    """The verb with its status, with each option, and with each kind of file."""
    options = {word.split("=")[0] for word in arguments[1:] if word.startswith("-")}
    files = {word[word.rindex("."):] for word in arguments[1:] if re.fullmatch(r"[^\s'\"]+\.[a-z]+", word)}
    return {" ".join([*arguments[:1], word]) for word in {str(status), *options, *files}}


def tests_of_new_kinds(name):
    known, chosen = set(), set()
    for other in sorted(file for file in os.listdir(NOTES) if file <= name):
        with open(os.path.join(NOTES, other), encoding="utf-8") as file:
            for test, kinds in json.load(file).items():
                if other == name and (not kinds or not known.issuperset(kinds)):
                    chosen.add(test)
                known.update(kinds)
    return chosen


class NewKinds(unittest.TestLoader):
    def __init__(self, chosen):
        super().__init__()
        self.chosen = chosen

    def getTestCaseNames(self, case):
        return [test for test in super().getTestCaseNames(case) if f"{case.__module__}.{case.__qualname__}.{test}" in self.chosen]


def main():
    name = os.path.basename(sys.argv[0]).replace(".py", ".json")
    is_chosen = SANITIZED and NOTES and os.path.exists(os.path.join(NOTES, name))
    loader = NewKinds(tests_of_new_kinds(name)) if is_chosen else unittest.defaultTestLoader
    played = unittest.main(verbosity=1, testLoader=loader, exit=False).result
    if NOTES and not SANITIZED and played.wasSuccessful():
        os.makedirs(NOTES, exist_ok=True)
        with open(os.path.join(NOTES, name), "w", encoding="utf-8") as file:
            json.dump({**CALLS, **dict.fromkeys(UNKNOWN, ())}, file, default=sorted)
    sys.exit(not played.wasSuccessful())
