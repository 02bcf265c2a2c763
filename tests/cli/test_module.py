"""The Python module: its figures are those of the command line, its failures the program's words."""

import contextlib
import gzip
import importlib
import inspect
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from unittest import mock

from support import LARGE_PAGES, Case, EXTENSION, PATIENCE, SANITIZED, TPQ, main, slice_event, trace_of

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "python")
TRAIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fixtures", "train")
RANKS = [os.path.join(TRAIN, f"rank_{rank}.json.gz") for rank in (0, 1)]
# The extension of a sanitized build finds no sanitizer in an ordinary Python.
CAN_LOAD = hasattr(sqlite3.Connection, "enable_load_extension") and not SANITIZED


def lay_module(folder):
    """Makes the package in a folder, as the wheel has it."""
    package = os.path.join(folder, "tpq")
    shutil.copytree(os.path.join(SOURCE, "tpq"), package, ignore=shutil.ignore_patterns("__pycache__"))
    options = subprocess.run([sys.executable, "-B", os.path.join(SOURCE, "options.py"), TPQ], check=True, stdout=subprocess.PIPE)
    with open(os.path.join(package, "_options.py"), "wb") as file:
        file.write(options.stdout)
    shutil.copy(EXTENSION, os.path.join(package, "tpq.so"))


LIBRARY = tempfile.mkdtemp(prefix="tpq-module-")
unittest.addModuleCleanup(shutil.rmtree, LIBRARY, ignore_errors=True)
lay_module(LIBRARY)
sys.path.insert(0, LIBRARY)
os.environ.update(TPQ_PROGRAM=TPQ, GLIBC_TUNABLES=LARGE_PAGES)
os.environ.pop("TPQ_DB", None)
tpq = importlib.import_module("tpq")
program = importlib.import_module("tpq._program")


def kernels(*names):
    events = []
    for number, name in enumerate(names):
        events.append(slice_event("cudaLaunchKernel", 100 * number, 20, "cuda_runtime", args={"correlation": number + 1}))
        events.append(slice_event(name, 100 * number + 45, 30 + number, "kernel", 7, 0,
                                  args={"correlation": number + 1, "device": 0, "stream": 7}))
    return trace_of(*events)


class Module(Case):
    def setUp(self):
        super().setUp()
        only = mock.patch.object(program, "places", lambda: [os.environ["TPQ_PROGRAM"]])  # not one that is installed
        only.start()
        self.addCleanup(only.stop)

    def keep(self):
        for run in ("base", "tuned"):
            self.tpq("ingest", "-q", "--run", run, *RANKS)

    def keep_slow(self):
        """A run, too, whose GEMM kernels take longer."""
        self.keep()
        for rank, path in enumerate(RANKS):
            with gzip.open(path) as file:
                trace = json.load(file)
            for event in trace["traceEvents"]:
                if event.get("cat") == "kernel" and "gemm" in event["name"]:
                    event["dur"] *= 1.4
            self.write(f"slow_{rank}.json", json.dumps(trace))
        self.tpq("ingest", "-q", "--run", "slow", *(self.path(f"slow_{rank}.json") for rank in (0, 1)))

    def fails(self, kind, status, words, function, *given, **named):
        with self.assertRaises(kind) as caught:
            function(*given, **named)
        self.assertEqual(getattr(caught.exception, "status", None), status)
        self.assertRegex(str(caught.exception), r"\A" + words)


class Figures(Module):
    def test_they_are_those_of_the_command_line(self):
        self.keep()
        for name in ("gpu_timeline", "ops_summary", "findings"):
            rows = json.loads(self.tpq("report", "--run", "base", name, "--json").out)[name]
            table = tpq.report(name, self.db, run="base")
            names = [column.name for column in table.columns]
            self.assertEqual(table, [{key: row[key] for key in names} for row in rows], name)
        self.assertEqual(tpq.findings(self.db, run="base"), tpq.report("findings", self.db, run="base"))
        query = "SELECT type, time_ms FROM gpu_timeline WHERE time_ms > :least AND type <> :other"
        asked = tpq.sql(query, self.db, run="base", rank=0, parameters={"least": 0.1, "other": "it's"})
        told = {row["type"]: row["time_ms"] for row in tpq.report("gpu_timeline", self.db, run="base", rank=0)}
        self.assertGreater(len(asked), 3)
        self.assertEqual(asked, [{"type": row["type"], "time_ms": told[row["type"]]} for row in asked])
        if CAN_LOAD:
            with contextlib.closing(tpq.connect(self.db, run="base")) as db:
                self.assertEqual(dict(db.execute("SELECT type, time_ms FROM gpu_timeline WHERE trace_id = 1")), told)

    def test_several_traces(self):
        self.keep()
        files = tpq.report("gpu_timeline", iter(RANKS))
        stored = tpq.report("gpu_timeline", self.db, run="base")
        self.assertEqual([row["time_ms"] for row in files], [row["time_ms"] for row in stored])
        self.assertEqual((files.meta["traces_total"], files.columns[3]), (2, ("time_ms", "ms", "real", "time ms")))
        self.assertEqual(len(tpq.report("gpu_timeline", RANKS[0])) * 2, len(files))

    def test_all_that_is_known(self):
        self.keep()
        table = tpq.report("gpu_timeline", self.db, run="base", rank=1)
        self.assertEqual(table.keys[0], "gpu_timeline?type=computation_time")
        self.assertIn("GPU time by kind", table.title)
        self.assertEqual([note["kind"] for note in table.notes], ["health"])
        self.assertRegex(table.notes[0]["text"], r"\AHealth: .* checks cannot tell\Z")
        self.assertIn("Health: GPU figures complete; ", table._repr_html_())
        self.assertFalse(tpq.report("counters", self.db).trust["answerable"])
        self.assertIn("Not answerable: ", repr(tpq.report("counters", self.db)))
        self.assertGreater(len({row["sheet"] for row in tpq.report("roofline", self.db, run="base")}), 1)
        self.assertEqual(tpq.reports("idle time")[0]["kind"], "report")
        self.assertGreater(len(tpq.reports()), 100)
        self.assertIn("kernels", [row["figure"] for row in tpq.overview(self.db, run="base", rank=0)])
        sides = tpq.compare("base", "tuned", self.db, by="gpu_timeline")
        self.assertEqual({row["verdict"] for row in sides["gpu_timeline"]}, {"within noise"})

    def test_runs_have_the_columns_of_the_verb(self):
        self.keep()
        table = tpq.runs(self.db)
        self.assertEqual([column.name for column in table.columns], self.tpq("runs", "--csv").out.split("\n")[0].strip().split(","))
        self.assertEqual([row["run"] for row in table], ["base", "tuned"])
        self.assertEqual([row["run"] for row in tpq.runs(self.db, run="t*")], ["tuned"])

    def test_a_comparison(self):
        """It is what the command line prints: the headline, and the tables by name."""
        self.keep_slow()
        told = self.tpq("compare", "base", "slow").out
        document = json.loads(self.tpq("compare", "base", "slow", "--json").out)
        answer = tpq.compare("base", "slow", self.db)
        self.assertEqual(answer.headline.split(), told.split("\n\n", 1)[0].split())  # the terminal folds it
        self.assertEqual(list(answer), [name for name in document if name != "meta"])
        for name, table in answer.items():
            names = [column.name for column in table.columns]
            self.assertEqual(table, [{key: row[key] for key in names} for row in document[name]], name)
        self.assertEqual(answer["time_parts"][-1]["part"], "step time")
        self.assertEqual((answer.verdict, answer.status), ("regression", 0))
        self.assertEqual(tpq.compare("base", "slow", self.db, fail_if="regression").status, 1)
        self.assertEqual(tpq.compare("base", "tuned", self.db).verdict, "within noise")
        self.assertTrue(repr(answer).startswith(answer.headline + "\n\n" + list(answer)[0]))
        self.assertIn("time_parts", repr(answer))
        self.assertEqual(answer._repr_html_().count("<table>"), len(answer))
        self.fails(tpq.UsageError, 2, ".*none", tpq.compare, "base", "none", self.db)

    def test_a_gate(self):
        self.keep_slow()
        passed, undecided = tpq.gate("base", "tuned", self.db), tpq.gate("base", db=self.db)
        self.assertEqual((passed.status, passed.verdict, list(passed)), (0, "within noise", ["findings", "rules"]))
        self.assertEqual(passed.headline, "passed (4 rules, 9 rows)")
        self.assertEqual((undecided.status, undecided.verdict), (5, "undecided"))
        failed = tpq.gate("base", "slow", self.db, single_ok=True)
        self.assertEqual((failed.status, failed.verdict, failed["findings"][0]["verdict"]), (1, "regression", "regression"))
        self.assertEqual(tpq.gate("base", "slow", self.db, single_ok=True, max_regression=90).status, 0)
        self.fails(tpq.UsageError, 2, ".*none", tpq.gate, "none", "base", self.db)

    def test_every_verb(self):
        self.keep()
        rows = json.loads(self.tpq("tree", "--trace", "1", "--depth", "2", "--envelope", "--precise").out)["rows"]
        tree = tpq.tree(db=self.db, trace=1, depth=2)
        self.assertEqual([list(row.values()) for row in tree], rows)
        self.assertEqual(tpq.tree(tree[1]["id"], self.db)[0]["name"], tree[1]["name"])
        document = json.loads(self.tpq("diff", "trace:1", "trace:3", "--json").out)
        answer = tpq.diff("trace:1", "trace:3", self.db)
        self.assertEqual({name: len(table) for name, table in answer.items()},
                         {name: len(rows) for name, rows in document.items() if name != "meta"})
        self.assertEqual(list(tpq.diff(*RANKS, reports=["diff_lca"])), ["diff_lca"])
        document = json.loads(self.tpq("history", "timeline", "--json").out)
        self.assertEqual([row["value"] for row in tpq.history("timeline", self.db)], [row["value"] for row in document["history"]])
        self.assertEqual([row["run"] for row in tpq.history("timeline", self.db, run="base")], ["base"])
        self.assertEqual(tpq.describe("gpu_timeline")[2]["name"], "type")
        self.assertGreater(len(tpq.describe()), 100)
        self.assertIn("name", tpq.describe("idle gap")[0])
        chrome = tpq.export(self.db, run="base", format="chrome")
        self.assertEqual(chrome.decode(), self.tpq("export", "--run", "base", "--format", "chrome").out)
        self.assertEqual(tpq.export(RANKS[0], path=self.path("step.pftrace"), step=2), b"")
        self.assertGreater(os.path.getsize(self.path("step.pftrace")), 1000)

    def test_what_came_in(self):
        db = self.path("new.db")
        table = tpq.ingest(RANKS[0], db, run="a", labels={"lr": 0.1})
        self.assertEqual([(row["run"], row["trace_id"], row["rank"]) for row in table], [("a", 1, 0)])
        table = tpq.ingest(RANKS[1:], db, run="b")
        self.assertEqual([(row["run"], row["trace_id"], row["rank"]) for row in table], [("b", 2, 1)])
        self.assertEqual(len(table.keys), 1)
        self.assertEqual(len(tpq.runs(db)), 2)
        self.assertEqual({row["run"] for row in tpq.report("recorded", db, label={"lr": 0.1})}, {"a"})

    def test_statements(self):
        self.keep()
        self.assertEqual(tpq.sql("SELECT 1 AS a, 2 AS a, 9223372036854775807 AS big", self.db),
                         [{"a": 1, "a_2": 2, "big": 9223372036854775807}])
        self.assertEqual(tpq.sql("SELECT 1 WHERE 0", self.db), [])
        self.assertEqual(len(tpq.sql("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10500) "
                                     "SELECT i FROM n", self.db)), 10500)
        self.fails(tpq.UsageError, 2, "SQL: near", tpq.sql, ".tables", self.db)
        self.fails(TypeError, None, "the parameter x", tpq.sql, "SELECT :x", self.db, parameters={"x": None})
        for value in (2**63 - 1, -2**63, 1.5, -0.0, "nan", "o'", True):
            self.assertEqual(tpq.sql("SELECT :x AS x", self.db, parameters={"x": value}), [{"x": value}])

    def test_values_that_are_none(self):
        self.keep()
        for value in (float("nan"), float("inf"), -float("inf"), 2**63, -2**70):
            self.fails(tpq.UsageError, 2, "the parameter x is a finite number", tpq.sql, "SELECT :x", self.db, parameters={"x": value})
        for name in ("x=1 --db", "=", "", "-x", "x y", "x\ny"):
            self.fails(tpq.UsageError, 2, ".*a parameter is NAME=VALUE", tpq.sql, "SELECT 1", self.db, parameters={name: 1})
        nul = "a text with a NUL: "
        self.fails(tpq.UsageError, 2, nul, tpq.sql, "SELECT 1\0; SELECT 2", self.db)
        self.fails(tpq.UsageError, 2, nul, tpq.sql, "SELECT :x", self.db, parameters={"x": "a\0b"})
        self.fails(tpq.UsageError, 2, nul, tpq.sql, "SELECT :x", self.db, parameters={"x\0": 1})
        for function in (tpq.runs, tpq.connect, tpq.ingest, tpq.overview, tpq.page, lambda path: tpq.page(self.db, path=path),
                         lambda path: tpq.compare("base", path, self.db), lambda text: tpq.connect(self.db, run=text),
                         lambda text: tpq.report("gpu_timeline", self.db, where=text), lambda text: tpq.report(text, self.db)):
            for text in ("a\0b", self.db + "\0"):
                self.fails(tpq.UsageError, 2, nul, function, text)
        self.fails(tpq.UsageError, 2, ".*surrogate", tpq.runs, "\ud800")

    def test_threads(self):
        self.keep()
        found = []
        threads = [threading.Thread(target=lambda: found.append(tpq.report("ops_summary", self.db, run="base")))
                   for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [tpq.report("ops_summary", self.db, run="base")] * 4)

    def test_frames(self):
        self.keep()
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.fails(ImportError, None, "a frame needs pandas", tpq.report, "gpu_timeline", self.db, frame=True)
            self.skipTest("pandas is not installed")
        frame = tpq.report("gpu_timeline", self.db, run="base", frame=True)
        self.assertEqual(frame.attrs["units"]["time_ms"], "ms")
        self.assertEqual(len(frame), 16)


class Failures(Module):
    def test_words_and_status(self):
        self.keep()
        with open(self.path("x.json"), "w", encoding="utf-8") as file:
            file.write("nothing")
        self.fails(tpq.UsageError, 2, "there is no report 'gpu_timelin'; did you mean gpu_timeline", tpq.report, "gpu_timelin", self.db)
        self.fails(tpq.UsageError, 2, r"\S+missing.db: no such warehouse", tpq.runs, self.path("missing.db"))
        self.fails(tpq.UsageError, 2, r"\S+missing.db: no such warehouse", tpq.report, "findings", self.path("missing.db"))
        self.fails(tpq.InputError, 3, r"\S+x.json: not a trace", tpq.ingest, self.path("x.json"), self.db)
        self.fails(tpq.UsageError, 2, "SQL: no such column: nowhere", tpq.sql, "SELECT nowhere", self.db)
        self.fails(tpq.DatabaseError, 4, r"\S+page.html cannot be written", tpq.page, self.db, path=self.path("none", "page.html"), run="base")
        self.fails(tpq.CheckFailed, 1, "gpu_timeline.percent > 1: ", tpq.report, "gpu_timeline", self.db, run="base",
                   fail_if="gpu_timeline.percent > 1")

    def test_keywords(self):
        """None of these starts the program."""
        with mock.patch.object(program, "communicate", side_effect=AssertionError):
            self.fails(TypeError, None, "report.. has no keyword 'stpe'; did you mean step", tpq.report, "findings", stpe=3)
            self.fails(TypeError, None, "overview.. has no keyword 'frame'", tpq.overview, frame=True)
            self.fails(TypeError, None, "compat is True or False", tpq.report, "findings", compat="yes")
            self.fails(TypeError, None, "step needs a value", tpq.report, "findings", step=True)
            self.fails(TypeError, None, "step takes one value", tpq.report, "findings", step=[1, 2])
        self.assertEqual(program.words_of("report", {"step": 3, "compat": True, "wide": False, "run": ["a", "b"], "rank": None,
                                                     "columns": ["x", "y"], "only": {"k": "v"}}),
                         ["--step=3", "--compat", "--run=a", "--run=b", "--columns=x,y", "--only=k=v"])

    def test_errors_name_functions_of_the_module(self):
        self.keep()
        self.fails(tpq.UsageError, 2, r".*no such warehouse; tpq\.ingest\(\) makes one", tpq.overview, self.path("none.db"))
        self.fails(tpq.UsageError, 2, r".*; see tpq\.reports\(\)", tpq.report, "nosuch", self.db)
        with gzip.open(RANKS[0]) as file:
            path = self.write("cut.json", file.read(20000).decode())
        self.fails(tpq.InputError, 3, ".*; salvage=True keeps what came before", tpq.report, "ops_summary", path)
        self.assertGreater(len(tpq.report("recorded", path, salvage=True)), 0)

    def test_another_version(self):
        other = self.write("bin/tpq", "#!/bin/sh\necho tpq 0.0.1\n")
        os.chmod(other, 0o755)
        with mock.patch.dict(os.environ, TPQ_PROGRAM=other):
            self.fails(tpq.Error, 127, rf".*bin/tpq is tpq 0\.0\.1, and the Python module is tpq {tpq.__version__}", tpq.runs)
        with open(other, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\necho 'tpq: version `GLIBC_2.99` not found' >&2; exit 1\n")
        with mock.patch.dict(os.environ, TPQ_PROGRAM=other):
            with self.assertRaisesRegex(tpq.Error, "bin/tpq does not run here: tpq: version `GLIBC_2.99` not found"):
                tpq.program()
        with mock.patch.dict(os.environ, TPQ_PROGRAM=self.path("none")):
            self.fails(tpq.Error, 127, "the program tpq is not found", tpq.program)

    def test_an_interrupt_ends_the_child(self):
        child = self.write("child", f"#!/bin/sh\necho $$ > {self.path('pid')}\nexec sleep 600\n")
        os.chmod(child, 0o755)
        lines = f"import tpq._program as p\ntry: p.communicate([{child!r}])\nexcept KeyboardInterrupt: print('ended')"
        process = subprocess.Popen([sys.executable, "-B", "-c", lines], stdout=subprocess.PIPE,
                                   env=self.environment({"PYTHONPATH": LIBRARY}))
        until = time.monotonic() + PATIENCE
        while not (os.path.exists(self.path("pid")) and os.path.getsize(self.path("pid"))) and time.monotonic() < until:
            time.sleep(0.02)
        with open(self.path("pid"), encoding="ascii") as file:
            pid = int(file.read())
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.communicate(timeout=PATIENCE)[0], b"ended\n")
        self.assertRaises(ProcessLookupError, os.kill, pid, 0)

    def test_import_starts_nothing(self):
        lines = ("import sys\nseen = []\nsys.addaudithook(lambda event, _: seen.append(event))\nimport tpq\n"
                 "print([e for e in seen if e.split('.')[0] in ('subprocess', 'sqlite3', 'socket') or e[:7] in ('os.fork', 'os.exec', 'os.posi', 'os.syst')],\n"
                 "      [m for m in ('subprocess', 'sqlite3', 'json', 'typing', 'importlib.metadata') if m in sys.modules])")
        out = subprocess.run([sys.executable, "-B", "-S", "-c", lines], check=True, stdout=subprocess.PIPE, text=True,
                             env=self.environment({"PYTHONPATH": LIBRARY})).stdout
        self.assertEqual(out, "[] []\n")


class Signatures(Module):
    def test_names_of_the_module_are_its_own(self):
        self.assertEqual(dir(tpq), sorted(tpq.__all__))
        for name in tpq.__all__:
            self.assertEqual(getattr(getattr(tpq, name), "__module__", "tpq").split(".")[0], "tpq", name)

    def test_keywords_are_options_of_the_verb(self):
        verbs = {"report": "report", "overview": "report", "findings": "report", "page": "report"}
        own = {"frame", "parameters", "path", "labels", "reports"}  # what functions add; RUN is an operand of runs
        for name in ("report", "overview", "findings", "page", "sql", "compare", "gate", "diff", "history", "tree", "export", "ingest",
                     "describe", "runs"):
            verb = verbs.get(name, name)
            known = {option.replace("-", "_") for option in program.OPTIONS[verb]} | own | ({"run"} if name == "runs" else set())
            signature = inspect.signature(getattr(tpq, name))
            keywords = [one for one in signature.parameters.values() if one.kind == one.KEYWORD_ONLY]
            self.assertLessEqual({one.name for one in keywords}, known, name)
            for one in signature.parameters.values():
                self.assertIsNot(one.annotation, one.empty, f"{name}({one.name})")
                self.assertEqual("Any" == one.annotation, one.kind == one.VAR_KEYWORD, f"{name}({one.name})")
            self.assertIsNot(signature.return_annotation, signature.empty, name)
            self.assertTrue(getattr(tpq, name).__doc__, name)
            for word in ("run", "rank", "step", "where") if name in ("report", "overview", "findings", "page", "sql") else ():
                self.assertIn(word, signature.parameters, name)
            self.fails(TypeError, None, name + r"\(\) has no keyword 'stpe'" if name != "runs" else "", getattr(tpq, name),
                       *["base" for one in signature.parameters.values() if one.default is one.empty and one.kind != one.VAR_KEYWORD], stpe=3)

    @unittest.skipUnless(shutil.which("mypy"), "mypy is not installed")
    def test_checkers_of_types(self):
        user = self.write("user.py", """
import tpq

table = tpq.report("gpu_timeline", "t.db", run="base", rank=0, step="1-2", where="dur_ns > 1", top=5, gap_min_us=3)
for row in table:
    print(row["type"], table.columns[0].unit)
print(tpq.sql("SELECT 1 AS one", parameters={"x": 1}, run=["a", "b"])[0]["one"])
tpq.report("gpu_timeline", frame=True).plot()
answer = tpq.compare("base", "tuned", by="op", rank=0)
print(answer.headline.upper(), answer.verdict.upper(), answer.status + 1, answer["time_parts"][0]["part"])
passed: bool = tpq.gate("base", max_regression=2.5).status == 0
with tpq.connect("t.db", run="base") as db:
    for name, in db.execute("SELECT name FROM ops_summary WHERE run = ?", ("base",)):
        print(name)
data: bytes = tpq.export("t.db", run="base", format="chrome")
""")
        wrong = self.write("wrong.py", """
import tpq
tpq.report("gpu_timeline", run=3)
tpq.tree(1, depth=[2])
tpq.compare("a", "b", by=["op"])
tpq.runs(stpe=3)
tpq.overview().headline
""")
        def check(*words):
            return subprocess.run(["mypy", "--strict", "--cache-dir", self.path("cache"), *words], stdout=subprocess.PIPE, text=True,
                                  env=self.environment({"MYPYPATH": LIBRARY}))
        self.assertEqual((check(user).returncode, check(user).stdout[:8]), (0, "Success:"), check(user).stdout)
        self.assertEqual(check("-p", "tpq").returncode, 0, check("-p", "tpq").stdout)
        found = [line.split(":")[1] for line in check(wrong).stdout.splitlines() if ": error:" in line]
        self.assertEqual(found, ["3", "4", "5", "6", "7"])


class Connections(Module):
    def test_where_extensions_cannot_be_loaded(self):
        """The program answers, and answers are the same."""
        self.keep()
        queries = [("SELECT run, name, total_direct_kernel_time_ms FROM ops_summary WHERE trace_id = 1 ORDER BY 1, 2", ()),
                   ("SELECT ?, ?, ?1, '?' AS [a ?], ?2 + 1 -- ?", ("it's", None)),
                   ("SELECT :a, @b, $c, \":a\" FROM (SELECT 5 AS \":a\") /* :d */", {"a": -1.5, "b": 2**63 - 1, "c": "é:a", "e": 0}),
                   ("SELECT 3-?, 1.0, 'a' AS \"x\"\"y\", 2 AS \"x\"\"y\" LIMIT ?", (-5, 1)),
                   ("SELECT input_dims, input_type, typeof(input_dims) FROM ops_unique_args WHERE name = 'aten::mm'", []),
                   ("VALUES (1, 2), (3, 4)", ()), ("WITH a(b) AS (SELECT 1) SELECT b FROM a WHERE 0", ())]
        refused = mock.patch.object(sys.modules["tpq"], "load", side_effect=tpq.ExtensionError("not here"))
        with refused:
            other = tpq.connect(self.db)
        self.assertIsInstance(other, sqlite3.Connection)
        with other:
            answers = [other.execute(*query).fetchall() for query in queries]
            self.assertEqual(answers[1:4], [[("it's", None, "it's", "?", None)], [(-1.5, 2**63 - 1, "é:a", 5)], [(8, 1.0, "a", 2)]])
            self.assertEqual((len(answers[0]) > 3, answers[4][0][2], answers[5:]), (True, "text", [[(1, 2), (3, 4)], []]))
            if CAN_LOAD:
                with contextlib.closing(tpq.connect(self.db)) as db:
                    self.assertEqual([db.execute(*query).fetchall() for query in queries], answers)
            cursor = other.cursor().execute("SELECT 1 AS one, 'b' AS two UNION ALL SELECT 2, 'c'")
            self.assertEqual([column[0] for column in cursor.description], ["one", "two"])
            self.assertEqual((cursor.fetchone(), list(cursor), cursor.fetchone()), ((1, "b"), [(2, "c")], None))
            other.row_factory = sqlite3.Row
            self.assertEqual(other.execute("SELECT 1 AS one").fetchone()["ONE"], 1)
        for words in ("INSERT INTO run (name) VALUES ('x')", "PRAGMA cache_size = 5", "ATTACH 'x' AS y", "SELECT tpq_select('base')", "",
                      "/* SELECT */ CREATE TEMP TABLE x AS SELECT 1"):
            self.fails(sqlite3.NotSupportedError, None, "this Python's sqlite3 cannot load the extension, ", other.execute, words)
        for method in (other.executemany, other.cursor().executescript, other.create_function, other.iterdump, other.backup):
            self.fails(sqlite3.NotSupportedError, None, "this Python's sqlite3 cannot load the extension, ", method, "SELECT 1")
        self.fails(sqlite3.OperationalError, None, "SQL: no such column: nowhere", other.execute, "SELECT nowhere")
        for query, values in (("SELECT ?, ?", (1,)), ("SELECT ?", (1, 2)), ("SELECT 1", (1,)), ("SELECT ?3, '?'", (1,)), ("SELECT :a", {"b": 1})):
            with self.assertRaises(sqlite3.ProgrammingError) as caught, contextlib.closing(sqlite3.connect(":memory:")) as plain:
                plain.execute(query, values)
            self.fails(sqlite3.ProgrammingError, None, re.escape(str(caught.exception)) + r"\Z", other.execute, query, values)
        self.assertEqual(tuple(other.execute("SELECT ';' /* ; */ ; -- ;\n ;").fetchone()), (";",))
        for query in ("SELECT 1; SELECT 2", "SELECT ';'; /* */ SELECT 2 --", "SELECT 1;; DELETE FROM run"):
            self.fails(sqlite3.ProgrammingError, None, "You can only execute one statement at a time", other.execute, query)
        for value in (b"ab", bytearray(1), "a\0b", float("inf"), -float("inf")):
            self.fails(sqlite3.NotSupportedError, None, "bytes, texts with a NUL and infinities, as parameters, need", other.execute, "SELECT 1, ?", (value,))
        other.close()
        self.fails(sqlite3.ProgrammingError, None, "Cannot operate on a closed database", other.execute, "SELECT 1")
        with refused:
            with contextlib.closing(tpq.connect(self.db, run="tuned")) as db:
                self.assertEqual(db.execute("SELECT DISTINCT run FROM ops_summary").fetchall(), [("tuned",)])
            with self.assertRaisesRegex(tpq.UsageError, "there is no run 'none'") as caught:
                tpq.connect(self.db, run="none")
            self.assertIsNone(caught.exception.__context__)  # one traceback
            self.fails(tpq.ExtensionError, 127, "not here", tpq.connect, self.db, read_only=False)
            self.fails(tpq.UsageError, 2, ".*no such warehouse", tpq.connect, self.path("none.db"))

    def test_without_extensions(self):
        """Wherever sqlite3 cannot load the extension, connect asks the program."""
        self.keep()
        class Plain:
            def __init__(self, *given, **named):
                self.inner = connect(*given, **named)
            def close(self):
                self.inner.close()
        connect = sqlite3.connect
        with mock.patch.object(sqlite3, "connect", Plain):
            self.fails(tpq.ExtensionError, 127, ".*cannot load extensions; tpq.sql", tpq.load, Plain(":memory:"))
            self.assertEqual(tpq.connect(self.db).execute("SELECT count(*) FROM trace").fetchall(), [(4,)])
            self.assertEqual(tpq.sql("SELECT count(*) AS n FROM trace", self.db), [{"n": 4}])
        if CAN_LOAD:
            with mock.patch.object(sqlite3, "sqlite_version_info", (3, 39, 4)):
                self.fails(tpq.ExtensionError, 127, "the extension needs SQLite 3.40", tpq.load, connect(":memory:"))
                self.assertEqual(tpq.connect(self.db).execute("SELECT count(*) FROM trace").fetchall(), [(4,)])
            with mock.patch.object(sys.modules["tpq"], "extension", lambda: self.write("tpq.so", "none")):
                self.fails(NotImplementedError, 127, ".*tpq.so: .*; tpq.sql asks", tpq.load, connect(":memory:"))
                self.assertEqual(tpq.connect(self.db).execute("SELECT count(*) FROM trace").fetchall(), [(4,)])

    @unittest.skipUnless(CAN_LOAD, "extensions cannot be loaded")
    def test_a_connection(self):
        self.keep()
        os.rename(self.db, self.path("a b%20?#.db"))
        self.db = self.path("a b%20?#.db")
        with contextlib.closing(tpq.connect(self.db)) as db:
            self.assertEqual(db.execute("SELECT count(DISTINCT run) FROM ops_summary").fetchone(), (2,))
            self.assertRaises(sqlite3.OperationalError, db.execute, "DELETE FROM run")
            self.assertRaises(sqlite3.OperationalError, db.execute, "SELECT load_extension('x')")
        with contextlib.closing(tpq.connect(self.db, run="tuned", read_only=False)) as db:
            self.assertEqual(db.execute("SELECT DISTINCT run FROM ops_summary").fetchall(), [("tuned",)])
            db.execute("UPDATE run SET name = 'other' WHERE name = 'base'")
        self.fails(tpq.UsageError, 2, ".*there is no run 'none'", tpq.connect, self.db, run="none")
        self.fails(tpq.UsageError, 2, ".*no such warehouse", tpq.connect, self.path("none.db"))
        self.fails(tpq.UsageError, 2, ".*not a tpq warehouse", tpq.connect, self.write("x.db", "x"))


class Shown(Module):
    def test_names_are_texts(self):
        names = ['<script>alert("1")</script>', "it's\na line", "a&b"]
        path = self.write("a.json", kernels(*names))
        table = tpq.report("kernel_breakdown", path)
        html = table._repr_html_()
        self.assertEqual(len(table), 3)
        for text in ("<script", "it's", 'alert("', "a&b"):
            self.assertNotIn(text, html)
        self.assertIn("&lt;script&gt;alert(&quot;1&quot;)", html)
        self.assertIn('title="kind"', html)
        table[0]["name"] = "two\nlines<b>"
        self.assertIn("two&#10;lines&lt;b&gt;", table._repr_html_())
        self.assertNotIn("two\n", repr(table))
        self.assertIn('<th style="text-align:right" title="sum_ms">sum_ms<br><small>ms</small></th>', html)

    def test_many_rows(self):
        table = tpq.report("kernel_breakdown", self.write("a.json", kernels(*(f"k{number}" for number in range(61)))))
        html = table._repr_html_()
        self.assertEqual((len(table), html.count("<tr>")), (61, 61))  # one is the heading
        self.assertIn("60 of 61 rows are shown", html)
        self.assertIn("60 of 61 rows are shown", repr(table))
        del table[60:]
        self.assertNotIn("rows are shown", table._repr_html_())

    def test_a_page(self):
        path = self.path("page.html")
        page = tpq.page(RANKS, path=path)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), page.html)
        frame = page._repr_html_()
        self.assertTrue(frame.startswith("<iframe sandbox="), frame[:80])
        self.assertEqual((frame.count("<"), frame.count(">")), (2, 2))
        self.assertIn("<!DOCTYPE html>", tpq.page(RANKS[0]).html)

    def test_magics(self):
        self.keep()
        made = {}
        class Shell:
            def register_magic_function(self, function, kind, name):
                made[kind, name] = function
        tpq.load_ipython_extension(Shell())
        magic = made["line_cell", "tpq"]
        self.assertEqual(magic(f"report gpu_timeline --run base --db '{self.db}'"), tpq.report("gpu_timeline", self.db, run="base"))
        self.assertEqual(magic(f"sql --db '{self.db}'", "SELECT 1 AS one"), [{"one": 1}])
        with mock.patch("builtins.print") as printed:
            self.assertIsNone(magic("help words"))
        self.assertIn("GPU idle gap", printed.call_args[0][0])
        self.fails(tpq.UsageError, 2, "%tpq report 'gpu: no closing quotation", magic, "report 'gpu")


if __name__ == "__main__":
    main()
