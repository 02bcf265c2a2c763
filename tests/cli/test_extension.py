"""--extension-file: rows, statements, sheets, pseudo ops and libraries of the user."""

import json
import os
import re
import shlex
import shutil
import subprocess
import unittest

from support import Case, TPQ, headed_sheets_in, main

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..", "..", "sql", "extensions")
MODEL = ("INSERT INTO perf_model (op, flops, bytes, category) "
         "VALUES ('my::op', 'numel(0)', '8 * numel(0)', 'Mine_fwd');\n")


class Trace:
    """A trace of ops that launch kernels, as JSON."""

    def __init__(self):
        self.events, self.calls = [], 0

    def event(self, name, ts, dur, cat="cpu_op", tid=1, **args):
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": tid, "ts": ts,
                            "dur": dur, "args": args})

    def launch(self, ts, dur, name="kernel"):
        self.calls += 1
        self.event("hipLaunchKernel", ts, 5, cat="cuda_runtime", correlation=self.calls)
        self.event(name, ts + 10, dur, cat="kernel", tid=7, correlation=self.calls, device=0,
                   stream=7)

    def content(self):
        return {"deviceProperties": [{"id": 0, "name": "AMD Instinct MI300X"}],
                "traceEvents": self.events}


def sample():
    trace = Trace()
    bf16 = ["c10::BFloat16"] * 3
    trace.event("aten::mm", 0, 900, **{"Input Dims": [[4096, 4096]] * 2, "Input type": bf16[:2]})
    trace.launch(2, 400)
    trace.event("my::op", 1000, 300, **{"Input Dims": [[5, 4]], "Input type": ["float"]})
    trace.launch(1002, 50)
    trace.event("my::gather_tokens", 1500, 300, **{"Input Dims": [[5]]})
    trace.launch(1502, 20)
    trace.event("vllm::outplace_fused_experts", 2000, 900, **{
        "Input Dims": [[32, 2048], [128, 1536, 1024], [128, 2048, 384], [32, 8], [32, 8]],
        "Input type": ["c10::BFloat16", "unsigned char", "unsigned char", "float", "int"]})
    trace.launch(2010, 100, "fused_moe_kernel_gptq_awq")
    trace.launch(2200, 50, "fused_moe_kernel_gptq_awq")
    trace.launch(2300, 20, "moe_sum")
    trace.event("Memcpy DtoD", 2950, 5, cat="gpu_memcpy", tid=7, device=0, stream=7, bytes=64)
    return trace


class Extensions(Case):
    def setUp(self):
        super().setUp()
        self.trace = self.write("trace.json", sample().content())

    def keep(self):
        self.tpq("ingest", "-q", "--run", "r", self.trace)

    def ask(self, question, *options, **more):
        """The rows of an answer, as CSV, without the heading."""
        return self.tpq("sql", "-m", "csv", *options, question, **more).out.splitlines()[1:]

    def skipped(self, *cases):
        """Each of these files is left out with one line, which says where and why; returns the options."""
        options = []
        for number, (content, _) in enumerate(cases):
            self.write(f"{number}.sql", content)
            options += ["--extension-file", f"{number}.sql"]
        result = self.tpq("sql", "-m", "csv", *options, "SELECT 1 AS one")
        self.assertEqual(result.out, "one\n1\n")
        lines = result.err.splitlines()
        self.assertEqual(len(lines), len(cases), str(result))
        for number, (line, (_, words)) in enumerate(zip(lines, cases)):
            self.assertRegex(line, rf"\Atpq: {number}\.sql:{words}.*\(skipped\)\Z")
        return options

    def wrong(self, name, *cases):
        """Each file fails with one sentence, which has these parts; without them all goes on. Whoever
        tries the first of them alone is told the same."""
        options = []
        for number, (content, *_) in enumerate(cases):
            options += ["--extension-file", self.write(f"{number}/{name}", content)]
        self.one_line(self.tpq("model", "test", options[1], status=3), *cases[0][1:])
        result = self.tpq("report", self.trace, "ops_summary", "--csv", "-", *options)
        self.assertEqual(len(result.err.splitlines()), len(cases), str(result))
        for line, (_, *parts) in zip(result.err.splitlines(), cases):
            for part in (*parts, r"\(skipped\)$"):
                self.assertRegex(line, part)
        self.assertEqual(result.out, self.tpq("report", self.trace, "ops_summary", "--csv", "-").out)
        self.tpq("report", self.trace, *options, "--strict-extensions", status=3)


class Guide(Extensions):
    """Every command of the guide runs, and says what the guide says."""

    def test_it_is_true(self):
        for name in os.listdir(EXAMPLES):
            shutil.copy(os.path.join(EXAMPLES, name), self.folder)
        with open(self.path("guide.md"), encoding="utf-8") as file:
            lines = [line[4:].rstrip("\n") for line in file if line.startswith("    ")]
        out, commands = "", 0
        for line in lines:
            if line.startswith("> "):
                self.assertIn(line[2:], out)
                continue
            call = shlex.split(line)
            commands += 1
            if call[0] == "tpq":
                result = self.tpq(*call[1:])
                self.assertEqual(result.err, "", line)
                out = result.out
            elif not shutil.which("cc"):
                break
            else:
                subprocess.run(call, cwd=self.folder, check=True)
        self.assertGreater(commands, 6)

    def test_each_example_has_its_place_in_it(self):
        with open(os.path.join(EXAMPLES, "guide.md"), encoding="utf-8") as file:
            words = file.read()
        for name in os.listdir(EXAMPLES):
            self.assertTrue(name == "guide.md" or name in words, name)

    def test_all_of_them_in_one_directory(self):
        shutil.copytree(EXAMPLES, self.path("mine"))
        out = self.ask("SELECT string.text, is_pseudo FROM op_call JOIN string ON string.id = name_id",
                       "--extension-file", "mine", status=0) if self.keep() else ""
        self.assertEqual(out, "")
        result = self.tpq("sql", "-m", "csv", "--extension-file", "mine",
                          "SELECT text FROM op_call JOIN string ON string.id = name_id "
                          "WHERE is_pseudo ORDER BY op_call.id")
        self.assertEqual(result.out.splitlines()[1:],
                         ["pseudo_op::moe_gptq_awq_up", "pseudo_op::moe_gptq_awq_down"])
        # the library is not made there, so the row that needs its function is left out
        self.one_line(result, "causal_pairs.sql:2: model of 'my::causal_attention'",
                      "no such function: causal_pairs")


class Rows(Extensions):
    def test_categories_in_either_order(self):
        for header, row in (("op,category", "my::op,Mine"), ("category,op", "Mine,my::op")):
            self.write("c.csv", f"{header}\n{row}\n\n")
            out = self.tpq("report", self.trace, "ops_summary_by_category", "--csv", "-",
                           "--extension-file", "c.csv").out
            self.assertIn("\nMine,1,0.05,", out)

    def test_a_category_goes_before_a_shipped_one(self):
        self.write("c.csv", "op,category\naten::mm,Mine\n")
        out = self.tpq("report", self.trace, "ops_summary_by_category", "--csv", "-",
                       "--extension_file", "c.csv").out
        self.assertIn("Mine,1,0.4,", out)
        self.assertNotIn("GEMM", out)

    def test_other_tables(self):
        self.write("k.csv", "purpose,priority,pattern,category\ntimeline,35,^kernel$,memcpy\n")
        out = self.tpq("report", self.trace, "gpu_timeline", "--csv", "-", "--extension-file", "k.csv").out
        self.assertIn("total_memcpy_time,0.47", out)
        self.write("d.csv", "device,kind,spec,tflops,origin\nMI300X,achievable,matrix_bf16,1,mine\n")
        out = self.tpq("model", "eval", "aten::mm", "bf16[1000,1000]", "bf16[1000,1000]",
                       "--device", "MI300X", "--extension-file", "d.csv").out
        self.assertIn("2000 us, bound by computing", out)
        self.write("f.csv", "family,params,flops\nsquare,\"{\"\"n\"\": null}\",n * n\n")
        self.write("m.csv", "op,family,params\nmy::op,square,\"{\"\"n\"\": \"\"dim(0, 0)\"\"}\"\n")
        out = self.tpq("model", "eval", "my::op", "f32[7]", "--extension-file", "f.csv",
                       "--extension-file", "m.csv").out
        self.assertIn("FLOPs        49\n", out)
        self.write("t.csv", "op,category,is_newer\nmy::op,Compute,0\n")
        self.assertEqual(self.tpq("model", "test", "t.csv").out, "t.csv: 1 tt_category\n")
        self.wrong("k.csv", ("purpose,priority,pattern,category\ntimeline,40,x,memcpy\n",
                             r"k\.csv:2: op 'x': stands twice, or is there already"))

    def test_what_is_wrong_with_a_file(self):
        self.wrong(
            "x.csv",
            ("op,categry\nmy::op,Mine\n", r"x\.csv:1: table op_category has no column 'categry'"),
            ("op,params,families\nmy::op,{},x\n", r"x\.csv:1: table perf_model has no column 'fam"),
            ("op,family\nmy::op\n", r"x\.csv:2: op 'my::op': 1 fields, and the header has 2"),
            ("op,category\na::b,c\n\nmy::op,Mine,x\n", r"x\.csv:4: op 'my::op': 3 fields"),
            ("op,category\nmy::op,A\nmy::op,B\n", r"x\.csv:3: op 'my::op': stands twice"),
            ("op,family\nmy::op,gemm\nmy::op,gemm\n", r"x\.csv:3: op 'my::op': stands twice, first at .*x\.csv:2"),
            ("op,family\nmy::op,nonsense\n", r"x\.csv:2: .*'my::op': there is no family .*nonsense"),
            ("op,flops\nmy::op,numel(\n", r"x\.csv:2: .*'my::op': flops: "),
            ("op,flops\nmy::op,dim(0)\n", r"x\.csv:2: .*'my::op': flops: wrong number of arg"),
            ("op,flops,params\nmy::op,1,\"{\"\"n\"\": \"\"1\"\", \"\"N\"\": \"\"2\"\"}\"\n",
             r"x\.csv:2: .*'my::op': N: differs only in case"),
            ("op,flops,match\nmy::op,1,somehow\n", r"x\.csv:2: op 'my::op': CHECK constraint"),
            ("op,flops,match\n(my,1,regex\n", r"x\.csv:2: .*'\(my': .*regular expression"),
            ("op,flops,priority\nmy::op,1,high\n", r"x\.csv:2: op 'my::op': cannot store TEXT"),
            ("op,op\na,b\n", r"x\.csv:1: a column stands twice: op"),
            ("op,category,source\na,b,tpq\n", r"x\.csv:1: the column source"),
            ("flops,bytes\n1,2\n", r"x\.csv:1: a row of perf_model needs more columns"),
            ("op,category\n\"my::op,B\n", r"x\.csv:2: not CSV"),
            ("nothing\n", r"x\.csv:1: the first line is not the header"),
            ("", r"x\.csv:\d: the file is empty"))

    def test_lines_are_those_of_the_file(self):
        self.wrong("x.csv", ('op,flops\nmy::a,"\n1\n"\n\nmy::op,x\n', r"x\.csv:6: .*my::op"))


class Statements(Extensions):
    def test_a_model_and_its_category(self):
        self.write("m.sql", "-- Mine.\n" + MODEL)
        self.keep()
        before = self.dump()
        rows = self.ask("SELECT status, flops, bytes, category, sheet FROM op_call "
                        "WHERE model = 'my::op'", "--extension-file", "m.sql")
        self.assertEqual(rows, ["ok,20,160,Mine_fwd,Mine"])
        out = self.tpq("report", "--run", "r", "ops_summary_by_category", "--csv", "-",
                       "--extension-file", "m.sql").out
        self.assertIn("Mine_fwd,1,0.05,", out)
        shown = self.tpq("model", "show", "my::op", "--extension-file", "m.sql").out
        self.assertIn("from         m.sql:2\n", shown)
        self.assertEqual(self.ask("SELECT flops FROM op_call WHERE model = 'my::op'"), [])
        self.assertEqual(self.dump(), before)

    def test_a_later_file_goes_before_an_earlier_one(self):
        self.write("a.sql", MODEL)
        self.write("b.sql", MODEL.replace("'numel(0)'", "'1'"))
        for files, flops in ((("a.sql", "b.sql"), "1"), (("b.sql", "a.sql"), "20")):
            options = [word for name in files for word in ("--extension-file", name)]
            self.keep()
            self.assertEqual(self.ask("SELECT flops FROM op_call WHERE model = 'my::op'", *options),
                             [flops])

    def test_a_shipped_row_may_be_changed_for_a_call(self):
        self.write("m.sql", "UPDATE perf_model SET flops = '7' WHERE op = 'aten::mm';\n")
        self.assertIn("FLOPs        7\n", self.tpq("model", "eval", "aten::mm", "f32[1,1]", "f32[1,1]",
                                                   "--extension-file", "m.sql").out)
        self.wrong("m.sql", ("\nUPDATE perf_model SET flops = 'x y' WHERE op = 'aten::mm';\n",
                             r"m\.sql:2: model of 'aten::mm': flops: "))

    def test_what_is_wrong_with_a_file(self):
        self.wrong(
            "x.sql",
            ("-- A.\n\nINSERT INTO perf_model (op, family)\nVALUES ('my::op', 'nonsense');\n",
             r"x\.sql:3: .*'my::op': there is no family of this name: nonsense"),
            ("INSERT INTO perf_model (op, famly) VALUES ('my::op', 'gemm');\n",
             r"x\.sql:1: .*no column named famly"),
            ("SELECT 1;\nSELECT 2;\nSELECT\n  nowhere;\n", r"x\.sql:4: no such column: nowhere"),
            ("INSERT INTO op_category (op, category) VALUES ('my::op', 'a');\n"
             "INSERT INTO op_category (op, category) VALUES ('my::op', 'b');\n",
             r"x\.sql:2: op 'my::op': stands twice"),
            (MODEL + MODEL, r"x\.sql:2: op 'my::op': stands twice, first at .*x\.sql:1"),
            ("INSERT INTO perf_model (op, flops) VALUES ('my::op', NULL), (NULL, '1');\n",
             r"x\.sql:1: .*NOT NULL"),
            ("INSERT INTO perf_model (op, flops) VALUES ('my::op', '1 +');\n",
             r"x\.sql:1: .*'my::op': flops: "),
            ("SELECT 'a\n", r"x\.sql:1: "),
            ("-- tpq:requires op x\n", r"x\.sql:1: after tpq: comes"),
            ("\n-- tpq:stage moon\n", r"x\.sql:2: after tpq: comes"),
            ("-- tpq:require op\n", r"x\.sql:1: after tpq: comes"))

    def test_a_failure_leaves_nothing_of_its_file(self):
        self.write("x.sql", MODEL + "CREATE TEMP TABLE t (x);\nSELECT nowhere;\n")
        self.keep()
        result = self.tpq("sql", "-m", "csv", "--extension-file", "x.sql",
                          "SELECT count(*) FROM op_call WHERE model = 'my::op'")
        self.assertEqual(result.out.splitlines()[1:], ["0"])
        self.tpq("sql", "--extension-file", "x.sql", "SELECT * FROM t", status=2)

    def test_what_it_must_not_do(self):
        self.keep()
        before = self.dump()
        statements = ("DELETE FROM event", "UPDATE main.op_category SET category = 'x'",
                      "DROP TABLE event", "CREATE TABLE mine (x)", "ATTACH 'evil.db' AS evil",
                      "PRAGMA user_version = 9", "COMMIT", "ROLLBACK", "VACUUM INTO 'evil.db'",
                      "SELECT load_extension('evil.so')", "SELECT tpq_set('compat', 1)",
                      "CREATE TRIGGER t AFTER INSERT ON op_category BEGIN SELECT 1; END",
                      "CREATE TEMP TRIGGER t AFTER INSERT ON main.event BEGIN SELECT 1; END",
                      "DROP TRIGGER tpq_perf_model_after", "RELEASE extension",
                      "CREATE VIRTUAL TABLE t USING fts5(x)", "INSERT INTO event (id) VALUES (1)")
        options = self.skipped(*((statement + ";\n", "1: ") for statement in statements))
        result = self.tpq("sql", *options, "--strict-extensions", "SELECT 1", status=3)
        self.assertEqual(len(re.findall(r"(?m)^tpq: \d+\.sql:1: .*\(skipped\)$", result.err)), len(statements))
        self.tpq("sql", *options[:2], "--strict-extensions", "SELECT 1", status=3)
        self.assertEqual(self.dump(), before)
        self.assertFalse(os.path.exists(self.path("evil.db")))

    def test_the_same_in_memory(self):
        self.write("x.sql", "DELETE FROM gpu_event;\n")
        self.one_line(self.tpq("report", self.trace, "ops_summary", "--csv", "-", "--extension-file",
                               "x.sql"), r"x\.sql:1: an extension may")

    def test_guards(self):
        self.keep()
        guards = (("require op aten::mm", 1), ("require op nobody::knows", 0),
                  ("require-not op aten::mm", 0), ("require-not op nobody::knows", 1),
                  ("require kernel-like %GPTQ%", 1), ("require kernel-like %gemm%", 0),
                  ("require-not kernel-like %gemm%", 1),
                  ("require op aten::mm\n-- tpq:require op nobody::knows", 0))
        options = []
        for number, (guard, _) in enumerate(guards):
            self.write(f"{number}.sql", f"-- tpq:{guard}\n" + MODEL.replace("my::op", f"my::op_{number}"))
            options += ["--extension-file", f"{number}.sql"]
        self.assertEqual(self.ask("SELECT op FROM perf_model WHERE op LIKE 'my::op%' ORDER BY op", *options),
                         [f"my::op_{number}" for number, (_, runs) in enumerate(guards) if runs])
        for number, runs in ((0, 1), (1, 0)):
            self.write("g.sql", f"-- tpq:{guards[number][0]}\n{MODEL}")
            self.assertEqual(self.ask("SELECT count(*) FROM op_call WHERE model = 'my::op'",
                                      "--extension-file", "g.sql"), [str(runs)])

    def test_a_part_with_guards_of_its_own(self):
        self.keep()
        self.write("g.sql", f"{MODEL}-- tpq:stage sheet\n-- tpq:require op nobody::knows\n"
                   "INSERT INTO ext_sheet (name, sql) VALUES ('s', 'SELECT 1 AS one');\n")
        self.assertEqual(self.ask("SELECT (SELECT count(*) FROM op_call WHERE model = 'my::op'), "
                                  "(SELECT count(*) FROM ext_sheet)", "--extension-file", "g.sql"),
                         ["1,0"])

    def test_parameters(self):
        self.write("p.sql", "-- tpq:param N 3\n-- tpq:param WORDS\nCREATE TEMP TABLE t AS "
                   "SELECT param('N') AS n, coalesce(param('WORDS'), 'none') AS words;\n")
        self.keep()
        call = ["--extension-file", "p.sql"]
        self.assertEqual(self.ask("SELECT * FROM t", *call), ["3,none"])
        self.assertEqual(self.ask("SELECT * FROM t", *call, "--ext-param", "N=a=b", "--ext-param",
                                  "WORDS=x y"), ["a=b,x y"])
        for wrong in ("M=1", "N", "=1"):
            self.tpq("sql", *call, "--ext-param", wrong, "SELECT 1", status=2)
        self.tpq("sql", "--ext-param", "N=1", "SELECT 1", status=2)

    def test_a_read_only_warehouse(self):
        self.write("m.sql", MODEL)
        self.keep()
        os.chmod(self.db, 0o444)
        self.assertEqual(self.ask("SELECT flops FROM op_call WHERE model = 'my::op'",
                                  "--extension-file", "m.sql"), ["20"])

    def test_writing_and_extensions_exclude_each_other(self):
        self.write("m.sql", MODEL)
        self.keep()
        self.one_line(self.tpq("sql", "--write", "--extension-file", "m.sql", "SELECT 1", status=2),
                      "one of this call only")

    def test_rows_of_the_warehouse_stay_in_force(self):
        self.write("c.csv", "op,category\naten::mm,Mine\n")
        self.keep()
        self.tpq("sql", "--write", "INSERT INTO perf_model (op, flops) VALUES ('my::op', '3')")
        self.assertEqual(self.ask("SELECT flops FROM op_call WHERE model = 'my::op'",
                                  "--extension-file", "c.csv"), ["3"])


class Sheets(Extensions):
    def test_rows_before_one_that_fails(self):
        """They are on the standard output by then, but in no file."""
        path = self.write("fails.sql", "-- Rows.\n-- set: mine\n-- key: n\nCREATE VIEW fails AS\n"
                          "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5)\n"
                          "SELECT i AS n, -- number\n"
                          "  CASE i WHEN 4 THEN abs(-9223372036854775807 - 1) ELSE i END AS m -- other\nFROM n;\n")
        call = ["report", self.trace, "--extension-file", path, "fails"]
        result = self.tpq(*call, "--csv", "-", status=4)
        self.one_line(result, "numbers add up to more than 63 bits")
        self.assertEqual(result.out, "n,m\n1,1\n2,2\n3,3\n")
        files = lambda: sorted(name for _, _, names in os.walk(self.folder) for name in names)
        before = files()
        for form in ("--csv=out.csv", "--csv=out", "--json=out.json", "--jsonl=out.jsonl"):
            self.one_line(self.tpq(*call, form, status=4), "numbers add up to more than 63 bits")
            self.assertEqual(files(), before, form)

    def test_a_view_and_the_short_form(self):
        shutil.copy(os.path.join(EXAMPLES, "longest_kernels.sql"), self.folder)
        call = ["--extension-file", "longest_kernels.sql"]
        self.tpq("report", self.trace, *call, "--csv", "out")
        names = sorted(os.listdir(self.path("out")))
        self.assertIn("longest_kernels.csv", names)
        self.assertIn("copies.csv", names)
        self.assertIn("gpu_timeline.csv", names)
        out = self.tpq("report", self.trace, *call, "--ext-param", "ROWS=2", "longest_kernels",
                       "--csv", "-").out
        self.assertEqual(out.splitlines(), ["name,launcher,start,time", "kernel,aten::mm,12.0,400.0",
                                            "fused_moe_kernel_gptq_awq,vllm::outplace_fused_experts,"
                                            "2020.0,100.0"])
        self.assertEqual(self.tpq("report", self.trace, *call, "copies", "--csv", "-").out.splitlines(),
                         ["name,calls,bytes", "Memcpy DtoD,1,64"])
        self.assertIn("longest_kernels", self.tpq("report", "--list", *call).out)
        self.tpq("report", self.trace, *call, "nothing_like_it", status=2)

    def test_they_are_kept_as_tables_only_when_asked_for(self):
        shutil.copy(os.path.join(EXAMPLES, "longest_kernels.sql"), self.folder)
        self.keep()
        before = self.dump()
        self.tpq("report", "longest_kernels", "copies", "--extension-file", "longest_kernels.sql")
        self.assertEqual(self.dump(), before)
        self.tpq("report", "longest_kernels", "--extension-file", "longest_kernels.sql",
                 "--into-tables")
        self.assertEqual(self.value("SELECT count(*) FROM frozen_longest_kernels"), 6)

    def test_what_is_no_sheet(self):
        self.wrong("s.sql", *(
            (f"\nINSERT INTO ext_sheet (name, sql) VALUES ('s', '{sql}');\n",
             r"s\.sql:2: sheet 's': .*" + reason)
            for sql, reason in (("SELECT 1 AS x; DROP TABLE event", "not one SELECT"),
                                ("DELETE FROM ext_sheet", "not one SELECT"), ("", "not one SELECT"),
                                ("SELECT nowhere", "no such column: nowhere"),
                                ("SELECT * FROM nowhere", "no such table"))))

    def test_a_file_that_does_not_run_has_no_sheets(self):
        with open(os.path.join(EXAMPLES, "longest_kernels.sql"), encoding="utf-8") as file:
            content = file.read()
        self.write("s.sql", "-- tpq:require op nobody::knows\n" + content)
        self.tpq("report", self.trace, "--extension-file", "s.sql", "--csv", "out")
        self.assertNotIn("longest_kernels.csv", os.listdir(self.path("out")))
        self.write("s.sql", content + "SELECT nowhere;\n")
        result = self.tpq("report", self.trace, "--extension-file", "s.sql", "--csv", "out", "-q")
        self.one_line(result, "no such column: nowhere")
        self.assertNotIn("longest_kernels.csv", os.listdir(self.path("out")))


class PseudoOps(Extensions):
    INSERT = ("INSERT INTO pseudo_op (name, place, event, donor, args) SELECT {}, "
              "(SELECT id FROM slice WHERE name = '{}' LIMIT 1), "
              "(SELECT id FROM slice WHERE name = 'aten::mm'), {};\n")

    def calls(self, content, *options):
        self.write("x.sql", content)
        return self.ask("SELECT string.text, op_call.id, last_id, status, flops FROM op_call JOIN "
                        "string ON string.id = name_id WHERE is_pseudo", "--extension-file", "x.sql",
                        *options)

    def test_an_op_around_a_launch(self):
        self.keep()
        shutil.copy(os.path.join(EXAMPLES, "experts.sql"), self.folder)
        rows = self.ask(
            "SELECT string.text, arg(params, 'topk'), arg(params, 'gated'), flops, "
            "(SELECT group_concat(g.name) FROM gpu_slice AS g WHERE g.id BETWEEN op_call.id AND "
            "last_id) FROM op_call JOIN string ON string.id = name_id WHERE is_pseudo",
            "--extension-file", "experts.sql")
        self.assertEqual(rows, [
            "pseudo_op::moe_gptq_awq_up,8,1,1610612736,fused_moe_kernel_gptq_awq",
            "pseudo_op::moe_gptq_awq_down,8,,805306368,fused_moe_kernel_gptq_awq"])
        report = json.loads(self.tpq("report", "time_above_roofline", "--json", "--extension-file",
                                     "experts.sql").out)["time_above_roofline"]
        self.assertEqual({row["name"]: row["kernel_time_ms"] for row in report},
                         {"aten::mm": 0.4, "pseudo_op::moe_gptq_awq_up": 0.1,
                          "pseudo_op::moe_gptq_awq_down": 0.05})
        alone = self.tpq("report", "ops_summary", "--csv", "-").out
        self.assertEqual(self.tpq("report", "ops_summary", "--csv", "-", "--extension-file",
                                  "experts.sql").out, alone)

    def test_all_three_places(self):
        self.keep()
        (mm, last), = self.rows("SELECT event.id, event.id + below FROM event JOIN string ON name_id = string.id "
                                "WHERE text = 'aten::mm'")
        for place, first, flops in (("inject", mm + 1, 2 * 4096 ** 3), ("wrap", mm + 1, 2 * 4096 ** 3),
                                    ("above", mm, 2 * 4096 ** 3)):
            event = "hipLaunchKernel" if place == "inject" else "aten::mm"
            rows = self.calls(self.INSERT.format(f"'aten::mm', '{place}'", event, "NULL"))
            self.assertEqual(rows, [f"aten::mm,{first},{last},ok,{flops}"])
        rows = self.calls(self.INSERT.format("'aten::mm', 'inject'", "kernel", "NULL"))
        self.assertEqual(rows, [f"aten::mm,{mm + 1},{last},ok,{2 * 4096 ** 3}"])

    def test_what_is_around_events_launches_what_no_nearer_op_does(self):
        self.keep()
        for place, event, launchers in (
                ("wrap", "aten::mm", ["my::around,1,400000"]),  # instead of the op around it
                ("above", "aten::mm", ["aten::mm,1,400000"]),  # the op is nearer
                ("above", "hipLaunchKernel", ["my::around,2,400000"]),
                ("inject", "hipLaunchKernel", ["aten::mm,1,400000"])):
            self.write("x.sql", self.INSERT.format(f"'my::around', '{place}'", event, "NULL"))
            self.assertEqual(self.ask(
                "SELECT launcher, launcher_id, dur_ns FROM gpu_slice WHERE name = 'kernel' LIMIT 1",
                "--extension-file", "x.sql"), launchers, place)
            out = self.tpq("report", "ops_summary", "--csv", "-", "--extension-file", "x.sql").out
            self.assertIn(f"\n{launchers[0].split(',')[0]},0.4,0.4,", out)
            self.assertEqual(len(out.splitlines()), 5)

    def test_the_innermost_of_several(self):
        self.keep()
        self.write("x.sql", "".join(self.INSERT.format(f"'my::{name}', '{place}'", event, "NULL")
                                    for name, place, event in (("outer", "wrap", "aten::mm"),
                                                               ("inner", "above", "hipLaunchKernel"))))
        self.assertEqual(self.ask("SELECT launcher FROM gpu_slice WHERE name = 'kernel' LIMIT 1",
                                  "--extension-file", "x.sql"), ["my::inner"])

    def test_the_outermost_call_counts(self):
        self.keep()
        self.write("x.sql", self.INSERT.format("'aten::mm', 'above'", "aten::mm", "NULL") +
                   self.INSERT.format("'aten::mm', 'inject'", "hipLaunchKernel", "NULL"))
        self.assertEqual(self.ask("SELECT count(*), sum(kernel_ns) FROM modelled_call",
                                  "--extension-file", "x.sql"), ["1,400000"])

    def sheets(self, content, *options):
        """Rows of rooflines and of collected calls: name, count, time of its work."""
        self.write("x.sql", content)
        found = headed_sheets_in(self.tpq("report", "roofline", "unified_perf_summary", "--json",
                                   "--extension-file", "x.sql", *options).out)
        together = [[row["name"], row["operation_count"], row["Kernel Time (µs)_sum"]]
                    for row in found.pop("unified_perf_summary")]
        return {sheet: [[row["name"], row["name_count"], row["Kernel Time (µs)_sum"]] for row in rows]
                for sheet, rows in found.items() if isinstance(rows, list)}, together

    def test_they_stand_on_rooflines_and_among_collected_calls(self):
        self.keep()
        with open(os.path.join(EXAMPLES, "experts.sql"), encoding="utf-8") as file:
            experts = file.read()
        up, down = (f"pseudo_op::moe_gptq_awq_{name}" for name in ("up", "down"))
        for options in ((), ("--compat",)):
            rooflines, together = self.sheets(experts, *options)
            self.assertEqual(rooflines["MoE_unfused_fwd"], [[up, 1, 100.0], [down, 1, 50.0]])
            # each piece of work once: what is left of the op that launched them stands for itself
            self.assertEqual(together[:3:2] + together[3:], [
                ["aten::mm", 1, 400.0], ["my::op", 1, 50.0], [down, 1, 50.0],
                ["my::gather_tokens", 1, 20.0],
                ["vllm::outplace_fused_experts->moe_sum (Synthetic Op)", 1, 20.0]])
            self.assertEqual(together[1], [up, 1, 100.0])
        rooflines, together = self.sheets("-- Nothing.\n")
        self.assertEqual(list(rooflines), ["GEMM"])
        self.assertIn(["vllm::outplace_fused_experts", 1, 170.0], together)

    def shipped(self, trace, *options):
        self.write("shipped.json", trace.content())
        self.tpq("ingest", "-q", "--db", "shipped.db", "--run", "r", "shipped.json")
        rows = json.loads(self.tpq(
            "sql", "-m", "json", "--db", "shipped.db", "--enable-pseudo-ops", *options,
            "SELECT pseudo_op.name, place, slice.name AS event, donor.name AS donor_name, "
            "pseudo_op.args AS args FROM pseudo_op JOIN slice ON slice.id = event LEFT JOIN "
            "slice AS donor ON donor.id = pseudo_op.donor ORDER BY pseudo_op.event, place, pseudo_op.name").out)
        os.remove(self.path("shipped.db"))
        return [[*list(row.values())[:4], row["args"] and json.loads(row["args"])]
                for row in rows]

    def test_the_shipped_ones_of_experts(self):
        trace = Trace()
        trace.event("vllm::moe_forward", 0, 900, **{"Input Dims": [[32, 64], [32, 8]]})
        trace.event("my::TopK", 5, 10, **{"Input Dims": [[32, 8], []],
                                          "Concrete Inputs": ["", "6"]})
        trace.launch(100, 10, "_matmul_ogs_mxfp4_SwiGLU_swiglu")
        trace.launch(200, 10, "_matmul_ogs_mxfp4")
        trace.launch(300, 10, "matmul_scatter_1")
        donor, prefix = "vllm::moe_forward", "pseudo_op::moe_triton_unfused_"
        self.assertEqual(self.shipped(trace), [
            [prefix + "up", "inject", "hipLaunchKernel", donor,
             {"MoE GEMM type": "up", "MoE GEMM index": 0, "MoE GEMM gated": True, "MoE topk": 6}],
            [prefix + "down", "inject", "hipLaunchKernel", donor,
             {"MoE GEMM type": "down", "MoE GEMM index": 1, "MoE GEMM gated": False, "MoE topk": 6}],
            [prefix + "finalize_matmul_scatter", "inject", "hipLaunchKernel", donor, None]])

    def notes(self, trace):
        """What the shipped ones have to say, without who says it."""
        self.write("shipped.json", trace.content())
        result = self.tpq("report", "shipped.json", "ops_summary", "--csv", "out.csv",
                          "--enable-pseudo-ops", "-q")
        return [re.sub(r"^tpq: pseudo_ops\.sql:\d+: ", "", line) for line in result.err.splitlines()]

    def test_what_is_not_known_of_experts_is_said(self):
        trace = Trace()
        for number in range(3):
            trace.event("vllm::moe_forward", 1000 * number, 900, **{"Input Dims": [[32, 64], [32, 8]]})
            trace.launch(1000 * number + 100, 10, "_matmul_ogs")
        self.assertEqual(self.notes(trace), [
            "vllm::moe_forward: 3 of its calls do not say how many experts a token goes to, and 4 are "
            "taken (the first is event 1)"])
        trace = Trace()
        for number, dims in enumerate(([], [[1]] * 4 + [[32, 6]])):
            trace.event("vllm::outplace_fused_experts", 1000 * number, 900, **{"Input Dims": dims})
            for kernel in range(2 + number):
                trace.launch(1000 * number + 100 * kernel + 10, 10, "fused_moe_kernel_gptq_awq")
        self.assertEqual(self.notes(trace), [
            "vllm::outplace_fused_experts: 1 of its calls launch another number of matrix products than "
            "2; all but the first one are taken for the way down (the first such call is event 6)",
            "vllm::outplace_fused_experts: 1 of its calls do not say how many experts a token goes to, "
            "and 8 are taken (the first is event 1)"])
        trace = Trace()
        trace.event("vllm::moe_forward", 0, 900)
        trace.event("vllm::rocm_aiter_fused_moe", 5, 800)
        trace.launch(100, 10, "aiter::moe")
        self.assertEqual(self.notes(trace), [
            "vllm::rocm_aiter_fused_moe: 1 of its calls do not launch one kernel for all of it, and get "
            "no op (the first is event 2)"])

    def test_ops_that_launch_nothing_are_no_part_of_experts(self):
        for launches in (False, True):
            trace = Trace()
            trace.event("vllm::moe_forward", 0, 900)
            trace.event("vllm::rocm_aiter_fused_moe", 5, 800)
            trace.event("aten::view", 100, 20)
            if launches:
                trace.launch(102, 5, "aiter::other")
            trace.launch(200, 10, "aiter::fmoe_x")
            self.assertEqual(len(self.shipped(trace)), 0 if launches else 1)
            self.assertEqual(self.notes(trace), [])

    def test_the_type_of_the_cache(self):
        keys, cache = "c10::BFloat16", "c10::Float8_e4m3fnuz"
        step = "step[DECODE bs=64 g_sq=64 g_sqsq=64 g_sqsk=640 g_sk=640]"
        for op, place in (("_rocm_C::paged_attention", 5), ("aiter::paged_attention_v1", 3)):
            for kind, each in ((cache, 1), (keys, 2), (None, 2)):
                trace = Trace()
                trace.event(step, 0, 900, cat="user_annotation")
                trace.event("vllm::unified_attention_with_output", 10, 300, **{
                    "Input Dims": [[64, 32, 128], [64, 8, 128], [64, 8, 128]], "Input type": [keys] * 3})
                if kind:
                    types = [keys] * 8
                    types[place] = kind
                    trace.event(op, 20, 200, **{"Input Dims": [[1]] * 8, "Input type": types})
                trace.launch(30, 10)
                self.write("t.json", trace.content())
                self.tpq("ingest", "-q", "--db", "t.db", "--run", "r", "t.json")
                out = self.tpq("sql", "-m", "csv", "--db", "t.db", "--enable-pseudo-ops",
                               "SELECT bytes, arg(params, 'dtype_KV'), (SELECT count(*) FROM op_override) "
                               "FROM op_call WHERE model LIKE 'vllm%'").out.splitlines()[1:]
                os.remove(self.path("t.db"))
                moved = 64 * 40 * 256 * 2 + (640 - 64) * 8 * 256 * each
                self.assertEqual(out, [f"{moved},{kind or keys},{int(kind == cache)}"], (op, kind))

    def test_the_shipped_ones_of_experts_in_one_kernel(self):
        for kernels, count in ((["aiter::fmoe_x"], 1), (["aiter::fmoe_x", "aiter::fmoe_y"], 0),
                               (["aiter::fmoe_Quant", "aiter::fmoe_MoeSorting"], 0)):
            trace = Trace()
            trace.event("vllm::moe_forward", 0, 900)
            trace.event("vllm::rocm_aiter_fused_moe", 5, 800)
            for number, kernel in enumerate(kernels):
                trace.launch(100 + 100 * number, 10, kernel)
            trace.launch(500, 10, "_matmul_ogs")
            self.assertEqual(self.shipped(trace), [
                ["pseudo_op::moe_aiter_fused_1stage", "inject", "hipLaunchKernel",
                 "vllm::rocm_aiter_fused_moe", None]][:count])

    def test_the_shipped_ones_around_functions_of_python(self):
        def frame(name, ts, dur):
            trace.event(name, ts, dur, cat="python_function")
        trace, python = Trace(), "x/paged_decode.py(5): sparse_attn_v4_paged_decode"
        trace.event("aiter::fused_moe_", 0, 900)
        frame("a.py(1): flydsl_moe_stage1", 10, 100)
        trace.launch(20, 5)
        frame("a.py(2): flydsl_moe_stage2", 210, 100)
        trace.launch(220, 5)
        frame("aiter/mla.py(7): mla_decode_fwd", 1000, 100)
        trace.event("aiter::mla_decode_stage1_asm_fwd", 1010, 50)
        trace.launch(1020, 5)
        frame("b.py(7): mla_fp8_prefill_attn", 1200, 100)
        trace.event("aiter::mla_prefill_ps_asm_fwd", 1210, 50)
        trace.launch(1220, 5)
        for number, kernel in enumerate(("hca_x", "fused_compress_attn_y", "other")):
            start = 2000 + 1000 * number
            trace.event("aiter::v4_attention_with_output", start, 500)
            trace.launch(start + 10, 5, "qk_norm_rope_H8_D512_RD64")
            trace.launch(start + 50, 5, kernel)
            frame(python, start + 100, 100)
            trace.launch(start + 110, 5)
        frame("aiter/mla.py(7): mla_decode_fwd", 6000, 100)  # without the op
        frame("a.py(1): flydsl_moe_stage1", 6200, 100)
        v4 = "aiter::v4_attention_with_output"
        self.assertEqual(self.shipped(trace, "--ext-param", "TL_MODEL=DeepSeek-V4-Pro"), [
            ["pseudo_op::moe_flydsl_stage1", "above", "a.py(1): flydsl_moe_stage1",
             "aiter::fused_moe_", {"MoE flydsl stage": "flydsl_moe_stage1"}],
            ["pseudo_op::moe_flydsl_stage2", "above", "a.py(2): flydsl_moe_stage2",
             "aiter::fused_moe_", {"MoE flydsl stage": "flydsl_moe_stage2"}],
            ["pseudo_mla_decode_fwd", "wrap", "aiter/mla.py(7): mla_decode_fwd",
             "aiter::mla_decode_stage1_asm_fwd", None],
            ["pseudo_mla_prefill_fwd", "wrap", "b.py(7): mla_fp8_prefill_attn",
             "aiter::mla_prefill_ps_asm_fwd", None]] + [
            [f"pseudo_v4_paged_decode_{mode}", "wrap", python, v4,
             {"v4_mode": mode, "v4_call_index": number, "v4_model_name": "DeepSeek-V4-Pro",
              "v4_tp": 1, "v4_H_Q": 8, "v4_d_h": 512}]
            for number, mode in enumerate(("hca", "csa", "swa"))])

    def test_the_shipped_ones_of_numbered_ops(self):
        trace, stem = Trace(), "sglang_profiler::attention_x"
        for number in (3, 17):
            trace.event(f"{stem}_{number}", 1000 * number, 500, **{"Input Dims": [[4, 4]]})
            trace.launch(1000 * number + 10, 20)
        trace.event("sglang_profiler::other", 500, 100)
        trace.launch(510, 20)
        self.assertEqual(self.shipped(trace), []) # they are no ops beside those of the trace
        for report, count in (("ops_summary", "Count"), ("ops_unique_args", "operation_count"),
                              ("unified_perf_summary", "operation_count")):
            rows = headed_sheets_in(self.tpq("report", "shipped.json", report, "--json",
                                       "--enable-pseudo-ops").out)[report]
            self.assertEqual([(row["name"], row[count]) for row in rows],
                             [(stem, 2), ("sglang_profiler::other", 1)])

    def test_the_shipped_ones_in_a_report(self):
        """Frames of Python are taken in for them."""
        trace = Trace()
        trace.event("aiter/mla.py(7): mla_decode_fwd", 1000, 100, cat="python_function")
        trace.event("aiter::mla_decode_stage1_asm_fwd", 1010, 50)
        trace.launch(1020, 5)
        self.write("shipped.json", trace.content())
        for options, names in (((), ["aiter::mla_decode_stage1_asm_fwd"]),
                               (("--enable-pseudo-ops",), ["pseudo_mla_decode_fwd"])):
            out = json.loads(self.tpq("report", "shipped.json", "unified_perf_summary", "--json",
                                      *options).out)["unified_perf_summary"]
            self.assertEqual([row["name"] for row in out], names)

    def test_the_outermost_is_collected_and_all_are_on_rooflines(self):
        self.keep()
        for place, first in (("above", "aten::bmm"), ("wrap", "aten::mm")):  # the outer one
            content = self.INSERT.format(f"'aten::bmm', '{place}'", "aten::mm",
                                         "'{\"dims\": [[1, 2, 3], [1, 3, 4]]}'")
            rooflines, together = self.sheets(content)
            self.assertEqual(sorted(rooflines["GEMM"]), [["aten::bmm", 1, 400.0], ["aten::mm", 1, 400.0]])
            self.assertEqual(together[0], [first, 1, 400.0])
            self.assertEqual(sum(row[2] for row in together), 640.0)

    def test_without_a_model_it_launches_what_no_nearer_op_does(self):
        self.trace = self.write("trace.json", self.frames().content())
        self.keep()
        for place, event in (("wrap", "a.py(1): f"), ("above", "a.py(1): f"),
                             ("inject", "hipLaunchKernel")):
            together = self.sheets(self.INSERT.format(f"'my::around', '{place}'", event, "NULL"))[1]
            self.assertEqual(together, [["my::around", 1, 30.0]], place)

    @staticmethod
    def frames():
        trace = Trace()
        trace.event("a.py(1): f", 0, 100, cat="python_function", **{"Python id": 1})
        trace.launch(10, 30)
        trace.event("aten::view", 200, 10)  # without any op there is no such sheet
        return trace

    def test_arguments(self):
        self.keep()
        rows = self.calls(self.INSERT.format(
            "'aten::mm', 'inject'", "hipLaunchKernel",
            "json_object('dims', json('[[2,3],[3,4]]'), 'note', 'x')"))
        self.assertEqual(rows[0].split(",")[4], str(2 * 2 * 3 * 4))
        self.write("y.sql", "INSERT INTO perf_model (op, flops) VALUES ('my::pseudo', "
                   "'arg(''n'') + coalesce(numel(0), 0)');\n")
        rows = self.calls("INSERT INTO pseudo_op (name, place, event, args) SELECT 'my::pseudo', "
                          "'inject', call_id, json_object('n', row_number() OVER (ORDER BY id)) FROM "
                          "gpu_slice WHERE call_id IS NOT NULL;\n", "--extension-file", "y.sql")
        self.assertEqual([row.split(",")[4] for row in rows], ["1", "2", "3", "4", "5", "6"])

    def test_what_cannot_be(self):
        self.keep()
        kernel = self.value("SELECT id FROM gpu_event LIMIT 1")
        self.skipped(*((f"-- A.\nINSERT INTO pseudo_op (name, place, event, donor, args) VALUES ({row});\n",
                        "2: op 'x': .*" + reason) for row, reason in (
                ("'x', 'inject', 999999, NULL, NULL", "there is no event 999999"),
                ("'x', 'inject', 2, 999999, NULL", "there is no event 999999 to take arguments from"),
                ("'x', 'inject', 1, NULL, NULL", "event 1 launches nothing"),
                (f"'x', 'wrap', {kernel}, NULL, NULL", f"nothing is below event {kernel}"),
                ("'x', 'beside', 1, NULL, NULL", "CHECK constraint"),
                ("'x', 'above', 1, NULL, 'no JSON'", "CHECK constraint"),
                ("'x', 'above', 1, NULL, NULL), ('x', 'above', 1, NULL, NULL", "stands twice"))))


class Megatron(Case):
    """The example for Megatron and Transformer Engine."""

    FILE = os.path.join(EXAMPLES, "megatron.sql")
    GEMM = "Cijk_Alik_Bljk_X"

    @staticmethod
    def layer(trace, name, ts, width, fp8="True", dur=8, **more):
        """A linear layer of [2048, 4, 4096] to the width, forward; what it launches goes inside."""
        linear = name == "_Linear"
        given, weight = [2048, 4, 4096], [width, 4096]
        dims = [weight, given, [], [], []] if linear else [given, [4096], [], weight, [], [], [], []]
        concrete = ["", "", "", "", fp8] if linear else [""] * 7 + [fp8]
        trace.event(name, ts, dur, **{"Input Dims": dims, "Concrete Inputs": concrete,
                                      "Input type": ["c10::BFloat16"] * len(dims)}, **more)

    def backward(self, trace, name, ts, kernels=2, tid=1, **more):
        """Products start in the other order than they are launched."""
        trace.event(f"autograd::engine::evaluate_function: {name}", ts, 80, tid=tid, **more)
        trace.event(name, ts + 1, 70, tid=tid, **{"Input Dims": [[2048, 4, 6144]],
                                                  "Input type": ["c10::BFloat16"]})
        for number in range(kernels):
            trace.calls += 1
            trace.event("hipLaunchKernel", ts + 2 + 10 * number, 5, cat="cuda_runtime", tid=tid,
                        correlation=trace.calls)
            trace.event(self.GEMM, ts + 60 - 20 * number, 10 + number, cat="kernel", tid=7,
                        correlation=trace.calls, device=0, stream=7)

    def forward(self, trace, name, ts, width, **more):
        self.layer(trace, name, ts, width, **more)
        trace.launch(ts + 1, 2, self.GEMM)

    def checkpoint(self, more=False):
        trace = Trace()
        trace.event("CheckpointFunctionBackward", 100, 900)
        self.forward(trace, "_Linear", 101, 6144)
        self.forward(trace, "_Linear", 110, 4096)
        self.backward(trace, "_LinearBackward", 121)
        self.backward(trace, "_LinearBackward", 221)
        if more:
            self.backward(trace, "_LinearBackward", 321)
        return trace

    def ask(self, trace, question, *options):
        self.tpq("ingest", "-q", "--run", "r", self.write("t.json", trace.content()))
        result = self.tpq("sql", "-m", "json", "--extension-file", self.FILE, *options, question)
        os.remove(self.db)
        return [list(row.values()) for row in json.loads(result.out or "[]")], result.err

    # starts from that of the checkpoint
    PSEUDO = ("SELECT pseudo_op.name, call.ts_ns / 1000, args -> '$.dims', args -> '$.types' FROM "
              "pseudo_op JOIN event AS call ON call.id = pseudo_op.event ORDER BY call.ts_ns")

    def test_recomputed_forward_ops_of_checkpoints(self):
        rows, notes = self.ask(self.checkpoint(), self.PSEUDO)
        self.assertEqual(notes, "")
        self.assertEqual([row[:2] + [json.loads(part) for part in row[2:]] for row in rows], [
            ["_Linear_yfwd_mm", 2, [[8192, 4096], [4096, 6144]], ["fp8", "fp8"]],
            ["_Linear_yfwd_mm", 11, [[8192, 4096], [4096, 4096]], ["fp8", "fp8"]],
            ["_LinearBackward_xgrad_mm", 23, [[8192, 4096], [4096, 4096]], ["fp8", "fp8"]],
            ["_LinearBackward_wgrad_mm", 33, [[4096, 8192], [8192, 4096]], ["fp8", "fp8"]],
            ["_LinearBackward_xgrad_mm", 123, [[8192, 6144], [6144, 4096]], ["fp8", "fp8"]],
            ["_LinearBackward_wgrad_mm", 133, [[6144, 8192], [8192, 4096]], ["fp8", "fp8"]]])

    def test_links_are_seen_as_those_of_the_trace(self):
        rows, _ = self.ask(self.checkpoint(), "SELECT a.ts_ns / 1000, b.ts_ns / 1000 FROM edge JOIN "
                           "event AS a ON a.id = from_id JOIN event AS b ON b.id = to_id ORDER BY 1")
        self.assertEqual(rows, [[1, 122], [10, 22]])

    def test_numbers_must_agree(self):
        rows, notes = self.ask(self.checkpoint(more=True), self.PSEUDO)
        self.assertEqual(rows, [])
        self.assertRegex(notes, r"\Atpq: \S+megatron\.sql:\d+: 2 calls of _Linear without matrix products "
                                r"of their own, because no backward op is linked to them \(the first "
                                r"is event \d+\)\n\Z")

    def both_ways(self, kernels=1, width=6144, backward_kernels=2, **more):
        """A layer with a norm, forward on one thread and backward on another one."""
        trace = Trace()
        self.layer(trace, "_LayerNormLinear", 100, width, dur=40, **{"Sequence number": 7}, **more)
        for number in range(kernels):
            trace.launch(101 + 10 * number, 2, self.GEMM)
        self.backward(trace, "_LayerNormLinearBackward", 500, backward_kernels, tid=2,
                      **{"Sequence number": 7, "Fwd thread id": 1})
        return trace

    def test_figures(self):
        rows, notes = self.ask(self.both_ways(), "SELECT string.text, status, flops, bytes, category FROM "
                               "op_call JOIN string ON string.id = name_id ORDER BY 1")
        flops, moved = 412316860416, 8192 * 4096 + 4096 * 6144 + 2 * 8192 * 6144
        self.assertEqual(notes, "")
        self.assertEqual(rows, [
            ["_LayerNormLinear", "ok", 167796736, 134258688, "NORM_fwd"],
            ["_LayerNormLinearBackward", "ok", 301989888, 201351168, "NORM_bwd"],
            ["_LayerNormLinearBackward_wgrad_mm", "ok", flops,
             6144 * 8192 + 8192 * 4096 + 2 * 6144 * 4096, "GEMM"],
            ["_LayerNormLinearBackward_xgrad_mm", "ok", flops,
             8192 * 6144 + 6144 * 4096 + 2 * 8192 * 4096, "GEMM"],
            ["_LayerNormLinear_yfwd_mm", "ok", flops, moved, "GEMM"]])
        trace = self.both_ways(fp8="False")
        rows, _ = self.ask(trace, "SELECT bytes FROM op_call WHERE model = '_LayerNormLinear_yfwd_mm'")
        self.assertEqual(rows, [[218103808]])

    def test_what_is_left_out(self):
        for more, reason in (({"kernels": 2}, "forward, not one"), ({"kernels": 0}, "forward, not one"),
                             ({"backward_kernels": 1}, "backward, not two"),
                             ({"backward_kernels": 3}, "backward, not two")):
            rows, notes = self.ask(self.both_ways(**more), self.PSEUDO)
            self.assertEqual(rows, [])
            self.assertRegex(notes, r": 1 call of _LayerNormLinear .*" + reason)
        trace = self.both_ways()
        trace.events[0]["args"]["Input Dims"][3] = [6144, 2048]
        self.assertRegex(self.ask(trace, self.PSEUDO)[1], "do not fit")
        trace.events[0]["args"]["Input Dims"][3] = []
        self.assertRegex(self.ask(trace, self.PSEUDO)[1], "not recorded")

    def test_older_versions_show_it_themselves(self):
        trace = self.checkpoint()
        trace.event("tex_ts::te_gemm_ts", 2000, 5)
        self.assertEqual(self.ask(trace, self.PSEUDO), ([], ""))

    def test_models(self):
        bf16 = "bf16[4096,2,{},128]"
        for op, operands, flops, moved in (
                ("FusedAttnFunc", ["bf16[1]"] * 9 + [bf16.format(n) for n in (32, 8, 8)],
                 274877906944, 167772160),
                ("LayerNormFn", ["bf16[8192,4096]", "bf16[4096]", "bf16[4096]"], 167796736, 134266880),
                ("LayerNormFnBackward", ["bf16[8192,4096]"], 301989888, 201351168),
                ("GroupedGemm", ["bf16[16384,4096]", "bf16[8,14336,4096]", "3=True"], 1924145348608,
                 1543503872)):
            for options in ([], ["--compat"]):
                out = self.tpq("model", "eval", op, *operands, "--extension-file", self.FILE,
                               *options).out
                self.assertIn(f"FLOPs        {flops}\nbytes        {moved}\n",
                              out.replace("\n  ", "\n"))

    def test_attention_forward_and_backward(self):
        """Its backward pass has the figures of the forward op, and the work that is linked."""
        trace, shape = Trace(), [[1]] * 9 + [[64, 2, 8, 16]] * 3
        trace.event("FusedAttnFunc", 100, 50, **{"Input Dims": shape, "Sequence number": 3,
                                                 "Input type": ["c10::BFloat16"] * 12})
        trace.launch(110, 20, "fmha_fwd")
        trace.event("autograd::engine::evaluate_function: FusedAttnFuncBackward", 500, 80, tid=2,
                    **{"Sequence number": 3, "Fwd thread id": 1})
        trace.event("FusedAttnFuncBackward", 501, 70, tid=2)
        trace.calls += 1
        trace.event("hipLaunchKernel", 510, 5, cat="cuda_runtime", tid=2, correlation=trace.calls)
        trace.event("fmha_bwd", 520, 40, cat="kernel", tid=7, correlation=trace.calls, device=0,
                    stream=7)
        path = self.write("t.json", trace.content())
        for options in ([], ["--compat"]):
            found = headed_sheets_in(self.tpq("report", path, "roofline", "unified_perf_summary", "--json",
                                        "--extension-file", self.FILE, *options).out)
            self.assertEqual([(row["name"], row["Kernel Time (µs)_sum"]) for sheet in
                              ("SDPA_fwd", "SDPA_bwd") for row in found[sheet]],
                             [("FusedAttnFunc", 20.0), ("FusedAttnFunc", 40.0)])
            flops = 2 * 2 * 8 * 64 * 64 * 32 / 2 / 1e9
            self.assertAlmostEqual(found["SDPA_fwd"][0]["GFLOPS_first"], flops, 9)
            self.assertEqual([row["op category"] for row in found["unified_perf_summary"]],
                             ["SDPA_bwd", "SDPA_fwd"])

    def test_on_the_reports(self):
        path = self.write("t.json", self.both_ways().content())
        found = headed_sheets_in(self.tpq("report", path, "roofline", "--json", "--extension-file",
                                    self.FILE).out)
        self.assertEqual([row["name"] for row in found["GEMM"]], [
            "_LayerNormLinearBackward_wgrad_mm", "_LayerNormLinearBackward_xgrad_mm",
            "_LayerNormLinear_yfwd_mm"])


class Links(Extensions):
    """Rows of edge, and what is said about events."""

    def setUp(self):
        super().setUp()
        trace = Trace()
        for number, name in enumerate(("my::a", "my::b")):
            trace.event(name, 1000 * number, 500, **{"Input Dims": [[2 + number, 3]],
                                                     "Input type": ["float"], "mine": number})
            trace.launch(1000 * number + 10, 20)
        self.tpq("ingest", "-q", "--run", "r", self.write("t.json", trace.content()))
        self.a, self.b = [row[0] for row in self.rows(
            "SELECT event.id FROM event JOIN string ON string.id = name_id WHERE text LIKE 'my::%' "
            "ORDER BY event.id")]

    def run_file(self, content, question, *options):
        self.write("x.sql", content)
        result = self.tpq("sql", "-m", "json", "--extension-file", "x.sql", *options, question)
        return [list(row.values()) for row in json.loads(result.out or "[]")], result.err

    def test_a_link(self):
        before = self.dump()
        insert = (f"INSERT INTO edge (from_id, to_id, kind) VALUES ({self.a}, {self.b}, "
                  "'forward_backward');\n")
        model = "INSERT INTO perf_model (op, flops) VALUES ('my::b', 'numel(0) + 100 * fwd_numel(0)');\n"
        rows, notes = self.run_file(insert + insert + model, "SELECT flops, (SELECT count(*) FROM edge "
                                    "WHERE kind = 'forward_backward'), (SELECT source FROM added_edge) "
                                    "FROM op_call WHERE model = 'my::b'")
        self.assertEqual((rows, notes), ([[609, 1, "x.sql:1"]], ""))
        self.assertEqual(self.dump(), before)

    def test_what_cannot_be_linked(self):
        self.skipped(
            *((f"\nINSERT INTO edge (from_id, to_id, kind) VALUES ({row});\n", r"2: op '\d+': .*" + words)
              for row, words in ((f"{self.a}, 9999, 'flow'", "no two events"), ("1, NULL, 'flow'", "NOT NULL"),
                                 (f"{self.a}, {self.b}, 'near'", "CHECK"))),
            ("DELETE FROM edge", "1: "), (f"UPDATE edge SET to_id = {self.a}", "1: "))

    def test_another_name_and_other_arguments(self):
        before = self.dump()
        content = (f"INSERT INTO op_override (event, name, args) VALUES ({self.b}, 'my::a', "
                   "json_object('mine', 'x', 'types', json_array('c10::Half'))), "
                   f"({self.a}, NULL, json_object('more', json_array(1)));\n"
                   "INSERT INTO perf_model (op, flops) VALUES ('my::a', 'numel(0) * bpe(dtype(0)) + "
                   "coalesce(len(arg(''more'')), 0) * 100');\n")
        rows, _ = self.run_file(content, "SELECT flops FROM op_call WHERE model = 'my::a' ORDER BY id")
        self.assertEqual(rows, [[2 * 3 * 4 + 100], [3 * 3 * 2]])
        rows, _ = self.run_file(content, "SELECT slice.name, json(slice.args), gpu_slice.launcher, input_dims, "
                                "input_types FROM slice JOIN gpu_slice ON launcher_id = slice.id JOIN signature "
                                "ON signature.op_id = slice.op_id ORDER BY slice.id")
        self.assertEqual(rows, [
            ["my::a", '{"mine":0,"more":[1]}', "my::a", [[2, 3]], ["float"]],
            ["my::a", '{"mine":"x"}', "my::a", [[3, 3]], ["c10::Half"]]])
        out = self.tpq("report", "ops_summary", "--csv", "-", "--extension-file", "x.sql").out
        self.assertRegex(out, r"\nmy::a,0\.04,0\.04,2,")
        self.assertEqual(self.dump(), before)

    def test_of_work_and_beside_a_pseudo_op(self):
        work = self.value("SELECT min(id) FROM gpu_event")
        rows, _ = self.run_file(
            f"INSERT INTO op_override (event, name) VALUES ({work}, 'mine'), ({self.a}, 'my::c');\n"
            f"INSERT INTO pseudo_op (name, place, event, donor) VALUES ('my::p', 'wrap', {self.b}, "
            f"{self.b});\n", "SELECT name, launcher FROM gpu_slice ORDER BY id")
        self.assertEqual(rows, [["mine", "my::c"], ["kernel", "my::p"]])

    def test_what_cannot_be_said(self):
        self.skipped(*((f"INSERT INTO op_override (event, name, args) VALUES ({row});\n", "1: op '.*" + words)
                       for row, words in (
                           ("9999, 'x', NULL", "there is no event 9999"), (f"{self.a}, NULL, 'x'", "CHECK"),
                           (f"{self.a}, 'x', NULL), ({self.a}, 'y', NULL", "stands twice"))))

    def test_a_peak_that_no_device_has(self):
        rows = "op,flops,bytes,ceiling,precision\nmy::x,1,1,matrix,'%s'\n"
        for precision, why in (("fp99", "no device has a peak matrix_fp99"), ("bf16", None)):
            self.write("m.csv", rows % precision)
            result = self.tpq("model", "list", "--extension-file", "m.csv")
            self.assertEqual(why in result.err if why else result.err, True if why else "", result.err)

    def test_notes(self):
        content = "INSERT INTO ext_note (text) VALUES ('two' || char(10) || 'words'), ('more');\n"
        rows, notes = self.run_file(content, "SELECT 1")
        self.assertEqual((rows, notes), ([[1]], "tpq: x.sql:1: more\ntpq: x.sql:1: two words\n"))
        self.run_file(content, "SELECT 1", "--strict-extensions")
        notes = self.run_file(content + "SELECT nowhere;\n", "SELECT 1")[1]
        self.assertRegex(notes, r"\Atpq: x\.sql:2: no such column: nowhere \(skipped\)\n\Z")


class Libraries(Extensions):
    @unittest.skipUnless(shutil.which("cc"), "there is no compiler")
    def test_functions_are_there_for_rows_and_questions(self):
        source = os.path.join(EXAMPLES, "causal_pairs.c")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self.path("causal_pairs.so"), source],
                       check=True)
        shutil.copy(os.path.join(EXAMPLES, "causal_pairs.sql"), self.folder)
        self.keep()
        self.assertEqual(self.ask("SELECT causal_pairs(4, 4), causal_pairs(5, 4)",
                                  "--extension-file", "causal_pairs.so"), ["10,"])
        result = self.tpq("model", "test", "causal_pairs.sql", status=3)
        self.one_line(result, "no such function: causal_pairs")
        self.tpq("model", "eval", "my::causal_attention", "bf16[1,1,4,8]", "bf16[1,1,4,8]",
                 "bf16[1,1,4,8]", "--extension-file", ".")

    def test_what_is_no_library(self):
        self.write("x.so", "nothing")
        self.keep()
        result = self.tpq("sql", "--extension-file", "x.so", "SELECT 1")
        self.one_line(result, r"x\.so: cannot be loaded: ")
        self.tpq("sql", "--extension-file", "x.so", "--strict-extensions", "SELECT 1", status=3)


class Paths(Extensions):
    def test_what_is_no_extension_file(self):
        self.keep()
        self.write("x.py", "")
        self.write("x.txt", "")
        self.write("empty/notes.txt", "")
        self.write("zero.sql", b"SELECT\x00 1;")
        for path, status, words in (("x.py", 2, "guide"), ("x.txt", 2, r"\.sql, \.csv or \.so"),
                                    ("missing.sql", 3, "cannot be opened"),
                                    ("missing.so", 3, "cannot be opened"),
                                    ("missing", 2, r"\.sql, \.csv or \.so"),
                                    ("empty", 3, "no .sql, .csv or .so file"),
                                    ("zero.sql", 3, "zero byte")):
            for verb in (["sql", "SELECT 1"], ["report", "ops_summary"], ["model", "list"]):
                self.one_line(self.tpq(*verb, "--extension-file", path, status=status), words)

    def test_a_directory_in_its_order(self):
        self.write("d/b.csv", "op,category\nmy::op,csv\n")
        self.write("d/a.sql", "INSERT INTO op_category (op, category) VALUES ('my::op', 'sql');\n")
        self.write("d/.hidden.sql", "nonsense")
        self.keep()
        self.assertEqual(self.ask("SELECT category, source FROM op_category WHERE op = 'my::op'",
                                  "--extension-file", "d"), ["sql,d/a.sql:1"])


class Around(Case):
    """What a model asks about beside the signature."""

    def prepare(self):
        trace = Trace()
        for start, keys in ((0, 640), (1000, 1280)):
            trace.event(f"step[DECODE bs=64 g_sq=64 g_sqsq=64 g_sqsk={keys} g_sk={keys}]", start, 900,
                        cat="user_annotation")
            trace.event("aiter::mha_varlen_fwd", start + 10, 100, **{
                "Input Dims": [[64, 32, 128], [64, 8, 128], [64, 8, 128]],
                "Input type": ["c10::BFloat16"] * 3})
            trace.launch(start + 20, 10, f"kernel_{keys}")
        trace.event("aiter::mha_varlen_fwd", 2000, 100, **{
            "Input Dims": [[64, 32, 128], [64, 8, 128], [64, 8, 128]],
            "Input type": ["c10::BFloat16"] * 3})
        trace.event("my::op", 3000, 10, **{"Input Dims": [[3]], "Sequence number": 5, "n": 1})
        trace.event("my::op", 3020, 10, **{"Input Dims": [[3]], "Sequence number": 6, "n": 2})
        trace.event("autograd::engine::evaluate_function: MyBackward", 4000, 50, tid=2,
                    **{"Sequence number": 5, "Fwd thread id": 1})
        trace.event("MyBackward", 4010, 30, tid=2, **{"Input Dims": [[7]], "Fwd thread id": 1})
        self.tpq("ingest", "-q", self.write("t.json", trace.content()))

    def ask(self, question, *options):
        return self.tpq("sql", "-m", "csv", *options, question).out.splitlines()[1:]

    def test_the_step(self):
        rows = self.ask("SELECT flops, status FROM op_call WHERE model = 'aiter::mha_varlen_fwd'")
        self.assertEqual(rows, [f"{32 * 256 * 2 * 640},ok", f"{32 * 256 * 2 * 1280},ok", ",fail"])
        rows = self.ask("SELECT name, status, calls FROM model_note")
        self.assertEqual(rows, ["aiter::mha_varlen_fwd,fail,1"])
        rows = self.ask("SELECT metric.flops, arg(metric.params, 'g_sk'), (SELECT value FROM op_param "
                        "WHERE op_param.metric_id = metric.metric_id AND op_param.name = 'g_sk') "
                        "FROM modelled_call AS call JOIN op_metric AS metric ON metric.metric_id = "
                        "call.metric_id")
        self.assertEqual(rows, [f"{32 * 256 * 2 * 640},640,640", f"{32 * 256 * 2 * 1280},1280,1280"])

    def test_arguments_and_kernels(self):
        self.write("m.sql", "INSERT INTO perf_model (op, flops) VALUES ('my::op', 'arg(''n'') * 10');\n"
                   "INSERT INTO perf_model (op, priority, flops, bytes) VALUES ('aiter::mha_varlen_fwd', "
                   "1, 'coalesce(CAST(regexp_substr(kname(0), ''[0-9]+'') AS INTEGER), -1)', '1');\n")
        rows = self.ask("SELECT flops FROM op_call", "--extension-file", "m.sql")
        self.assertEqual(rows, ["640", "1280", "-1", "10", "20"])

    def test_the_forward_op(self):
        links = self.rows("SELECT count(*) FROM edge WHERE kind = 'forward_backward'")
        self.assertGreater(links[0][0], 0)
        self.write("m.sql", "INSERT INTO perf_model (op, flops) VALUES "
                   "('MyBackward', 'coalesce(100 * fwd_dim(0, 0), 0) + dim(0, 0)');\n")
        self.assertEqual(self.ask("SELECT flops FROM op_call WHERE model = 'MyBackward'",
                                  "--extension-file", "m.sql"), ["307"])
        out = self.tpq("model", "test", "1", "MyBackward", "--json", "--extension-file", "m.sql").out
        self.assertEqual(json.loads(out)["flops"], 307)


class Helpers(Extensions):
    def test_of_signatures(self):
        self.keep()
        row, = self.ask("SELECT dim(op_id, 1, 0), dim(op_id, 0, -1), ndim(op_id, 0), numel(op_id, 0), "
                        "shape(op_id, 1), dtype(op_id, 0), nargs(op_id), op_name(op_id), "
                        "dim(op_id, 9, 0), bcast(op_id, 0, 1) FROM signature WHERE name = 'aten::mm'",
                        )
        self.assertEqual(row, '4096,4096,2,16777216,"[4096,4096]",c10::BFloat16,2,aten::mm,,16777216')
        self.assertEqual(self.ask("SELECT dim(NULL, 0, 0), dim(-5, 0, 0), nargs(999)"), [",,"])
        self.assertEqual(self.ask("SELECT prod('[2,3]'), item('[4,5]', -1), len('[1]'), cdiv(7, 2)"),
                         ["6,5,1,4"])
        self.tpq("sql", "SELECT stride()", status=2)


if __name__ == "__main__":
    main()
