"""tpq report: where results go, in every form, and what is never written."""

import csv
import ctypes.util
import io
import json
import os
import re
import shutil
import stat
import subprocess
import zipfile

from support import TPQ, main, slice_event, trace_of
from test_report import DEFAULTS, RANK_0, Reports

# What a spreadsheet, a terminal or a page would act upon.
EVIL = ["=cmd|'/c calc'!A1", "+1", "-1", "@x", "\tx", "\rx", "<script>alert(1)</script>",
        "\x1b[31mred", 'quote"comma,', "line\nend", "../../etc/passwd", "'", "%s%n", "\u202eabc"]


def evil_trace():
    events = [slice_event("aten::mm", 0, 1000)]
    for number, name in enumerate(EVIL):
        events.append(slice_event("launch", number + 1, 0.5, "cuda_runtime",
                                  args={"correlation": number + 1}))
        events.append(slice_event(name, 2000 + 10 * number, 5, "kernel", process=0, thread=7,
                                  args={"correlation": number + 1, "stream": 7}))
    return trace_of(*events)


def sheets_of(path):
    """The names of the sheets of a workbook."""
    with zipfile.ZipFile(path) as book:
        text = book.read("xl/workbook.xml").decode()
    return re.findall(r'<sheet name="([^"]+)"', text)


class Lines(Reports):
    def test_a_column_a_line(self):
        out = self.report(RANK_0, "gpu_timeline", "ops_summary", "--line").out
        sheets = re.split(r"(?m)^(gpu_timeline|ops_summary)\n\n", out)
        self.assertEqual(sheets[1::2], ["gpu_timeline", "ops_summary"])
        for name, text in zip(sheets[1::2], sheets[2::2]):
            rows = [dict(re.findall(r"(?m)^ *(.*?) += (.*)$", part))
                    for part in text.strip().split("\n\n") if not part.startswith("Not included: ")]
            table = self.table(RANK_0, name)
            self.assertEqual(len(rows), len(table))
            for row, expected in zip(rows, table):
                self.assertEqual(row, expected)
        result = self.report(RANK_0, "gpu_timeline", "--line=out.txt")
        self.assertEqual(result.err, "tpq: wrote out.txt: 1 sheet, 8 rows\n")
        with open(self.path("out.txt"), encoding="utf-8") as file:
            self.assertTrue(out.startswith(file.read()))


class Shapes(Reports):
    def test_parameters_that_are_lists(self):
        rows = json.loads(self.report(RANK_0, "roofline", "--json").out)["GEMM"]
        self.assertEqual(rows[0]["param_stride_A"], [64, 1])
        self.assertEqual(rows[0]["param_dtype_A_B"], ["float", "float"])
        self.assertIsNone(rows[-1]["param_stride_A"])
        lines = self.report(RANK_0, "GEMM", "--jsonl").out.splitlines()
        self.assertEqual(json.loads(lines[0])["param_stride_A"], [64, 1])
        self.assertEqual(self.table(RANK_0, "GEMM")[0]["param: stride_A"], "[64,1]")


class Files(Reports):
    def test_every_form_alone_is_as_it_is_among_others(self):
        forms = {"json": "a.json", "jsonl": "a.jsonl", "markdown": "a.md", "html": "a.html"}
        for form, name in forms.items():
            self.report(RANK_0, f"--{form}={name}")
        self.report(RANK_0, "--csv", "alone")
        self.report(RANK_0, "--csv", "out", "--xlsx=b.xlsx", *[
            f"--{form}=b{name[1:]}" for form, name in forms.items()])
        for name in forms.values():
            self.same(name, f"b{name[1:]}")
        self.assertEqual(sorted(os.listdir(self.path("out"))),
                         sorted(f"{name}.csv" for name in DEFAULTS))
        for name in DEFAULTS:
            self.same(f"alone/{name}.csv", f"out/{name}.csv")
        self.assertEqual(set(sheets_of(self.path("b.xlsx"))) - set(DEFAULTS),
                         {"index", "trace_health", "roofline H100-SXM5-80GB"})

    def same(self, left, right):
        with open(self.path(left), "rb") as one, open(self.path(right), "rb") as other:
            self.assertEqual(one.read(), other.read(), f"{left} {right}")

    def test_forms_say_the_same(self):
        rows = self.table(RANK_0, "ops_summary")
        document = json.loads(self.report(RANK_0, "ops_summary", "--json").out)
        whole = document["ops_summary"]
        lines = [json.loads(line)
                 for line in self.report(RANK_0, "ops_summary", "--jsonl").out.splitlines()]
        self.assertEqual([*({"sheet": "ops_summary", **row} for row in whole), {"meta": document["meta"]}], lines)
        self.assertEqual([row["name"] for row in rows], [row["name"] for row in whole])
        self.assertEqual([float(row["Percentage (%)"]) for row in rows],
                         [row["percentage"] for row in whole])
        self.assertEqual([json.loads(row["Categories"]) for row in rows],
                         [row["categories"] for row in whole])

    def test_a_stream_beside_a_file(self):
        out = self.report(RANK_0, "gpu_timeline", "--csv", "-", "--json=a.json").out
        self.assertTrue(out.startswith("type,time ms,percent\n"))
        self.assertTrue(os.path.exists(self.path("a.json")))

    def test_words_after_csv(self):
        expected = self.report(RANK_0, "gpu_timeline", "--csv", "-").out
        self.assertEqual(self.report(RANK_0, "gpu_timeline", "--csv").out, expected)
        self.assertEqual(self.report(RANK_0, "gpu_timeline", "--csv=-").out, expected)
        self.assertEqual(self.report(RANK_0, "--csv", "gpu_timeline").out, expected)
        self.assertEqual(self.report(RANK_0, "gpu_timeline", "--csv", "--no-color").out, expected)
        self.assertEqual(self.report("--csv", "--set", "pytorch", RANK_0, "gpu_timeline").out,
                         expected)
        self.assertEqual(os.listdir(self.folder), [])
        for word in ("./gpu_timeline", "gpu_timeline"):
            self.report(RANK_0, f"--csv={word}")
            self.assertEqual(len(os.listdir(self.path("gpu_timeline"))), len(DEFAULTS))
            shutil.rmtree(self.path("gpu_timeline"))
        self.report(RANK_0, "ops_all", "--csv", "a.csv")
        self.assertTrue(os.path.isfile(self.path("a.csv")))
        self.report(RANK_0, "--output_csvs_dir", "other")
        self.assertEqual(len(os.listdir(self.path("other"))), len(DEFAULTS))

    def test_words_after_options_that_need_a_file(self):
        for option in ("--output_csvs_dir", "--output-xlsx-path", "--output-path"):
            self.refused(RANK_0, option, "gpu_timeline", parts=["'gpu_timeline' is a report"])
            for word in ("--no-color", "-q", "--"):
                self.refused(RANK_0, option, word, parts=[f"needs a value .*{word}"])
        self.refused("--db", "--list", parts=["--db needs a value"])
        self.report(RANK_0, "--html", "./gpu_timeline")
        self.report(RANK_0, "--html=-x.html")
        self.assertEqual(sorted(os.listdir(self.folder)), ["-x.html", "gpu_timeline"])

    def test_no_option_is_a_value(self):
        for option in ("--summary-file", "--stacked-csv", "--run", "--where", "--output-filename", "--top",
                       "--gpu-arch-platform", "--hlo-module", "--label", "--kernel-metadata-keyword-filters"):
            for word in ("--no-color", "--no-c", "--csv=a.csv", "-q", "--help"):
                self.refused(RANK_0, option, word, parts=[f"{option} needs a value .*'{word}' is an option"])
        self.refused(RANK_0, "--top", "-5", parts=["--top must be a whole number"])
        self.report(RANK_0, "gpu_timeline", "--where", "-dur_ns < 0", "--csv", "-")
        self.report(RANK_0, "gpu_timeline", "--output-filename", "-odd", "--output-path", "o")
        self.assertEqual(sorted(os.listdir(self.path("o"))), ["-odd_gpu_timeline.csv", "-odd_gpu_timeline.xlsx"])

    def test_no_sheet_is_a_value(self):
        model = RANK_0
        whole = self.report(model, "GEMM", "--csv", "-").out
        for word in ("GEMM", "gemm"):
            self.assertEqual(self.report(model, "--csv", word).out, whole)
            self.assertEqual(self.report(model, "--html", word).out, self.report(model, word, "--html=-").out)
        for word in ("CONV_bwd", "gemm_node_replay", "op_conv", "ops_all"):  # of others, and another name
            self.report(model, "--csv", word, status=None)
        self.assertEqual(os.listdir(self.folder), [])
        self.report(model, "--csv", "mine")
        self.assertTrue(os.path.isdir(self.path("mine")))

    def test_what_was_written_is_said(self):
        rows = len(self.table(RANK_0, "gpu_timeline"))
        said = f": 1 sheet, {rows} rows\n"
        for call, name in ((["--csv", "a.csv"], "a.csv"), (["--csv", "d"], "d/"), (["--csv=e/"], "e/"),
                           (["--html", "a.html"], "a.html"), (["--json=a.json"], "a.json"),
                           (["--output-path", "f"], "f/")):
            result = self.report(RANK_0, "gpu_timeline", *call)
            self.assertEqual((result.out, result.err), ("", f"tpq: wrote {name}{said}"))
            for quiet in ("-q", "--quiet"):
                self.assertEqual(
                    self.report(RANK_0, "gpu_timeline", *call, "--force", quiet).err, "")
        result = self.report(RANK_0, "gpu_timeline", "ops_all", "--json=b.json", "--jsonl")
        self.assertRegex(result.err, r"\Atpq: wrote b.json: 2 sheets, \d+ rows\n\Z")
        self.assertEqual(self.report(RANK_0, "gpu_timeline", "--db", "t.db", "--into-tables").err,
                         f"tpq: wrote tables in {self.path('t.db')}{said}")
        self.assertNotIn("wrote", self.report(RANK_0, "gpu_timeline").err)

    def test_several_sheets_in_one_csv(self):
        for where in (["--csv"], ["--csv", "-"], ["--csv", "a.csv"]):
            self.refused(RANK_0, *where, parts=["one CSV takes one sheet"])
            self.refused(RANK_0, "gpu_timeline", "ops_all", "--db", "new.db", *where,
                         parts=["one CSV takes one sheet"])

    def test_two_outputs_in_one_place(self):
        self.write("old", "old")
        os.link(self.path("old"), self.path("link"))
        for pair in (["--json", "--jsonl"], ["--markdown", "--csv", "-"], ["--json=-", "--html", "-"],
                     ["--csv", "-", "--csv", "-"]):
            self.refused(RANK_0, "gpu_timeline", "--jsonl=old", *pair, parts=["standard output"])
        for pair in (["--json=a", "--jsonl=a"], ["--json=old", "--jsonl=link"],
                     ["--csv", "d", "--output_csvs_dir", "d"], ["--json=a.xlsx", "--xlsx=a.xlsx"]):
            self.refused(RANK_0, "gpu_timeline", *pair, parts=["two outputs cannot both go to"])

    def test_inputs_are_not_written_over(self):
        shutil.copy(RANK_0, self.path("a.json.gz"))
        os.mkdir(self.path("traces"))
        shutil.copy(RANK_0, self.path("traces", "rank_0.json.gz"))
        os.symlink("a.json.gz", self.path("other"))
        os.link(self.path("a.json.gz"), self.path("a.csv"))
        for inputs, name in (("a.json.gz", "a.json.gz"), ("a.json.gz", "other"), ("other", "a.json.gz"),
                             ("traces", "traces/rank_0.json.gz"), ("./a.json.gz", "a.csv")):
            for option in ("--json", "--jsonl", "--markdown", "--html", "--output_xlsx_path"):
                self.refused(inputs, "gpu_timeline", f"{option}={name}",
                             parts=["is an input and is not written over"])
            self.refused(inputs, f"--xlsx={name}", "--force", parts=["is an input"])
        self.refused("a.json.gz", "gpu_timeline", "--csv", "a.csv", parts=["is an input"])
        for db in ([], ["--db", "w.db"]):
            self.tpq("ingest", "-q", "--run", "x", "a.json.gz")
            self.refused("gpu_timeline", "--json=w.db", *db, parts=["is an input"])
        self.refused("a.json.gz", "--db", "new.db", "gpu_timeline", "--json=new.db",
                     parts=["is an input"])
        os.mkdir(self.path("d"))
        os.symlink("../a.json.gz", self.path("d", "gpu_timeline.csv"))
        self.refused("a.json.gz", "gpu_timeline", "--csv", "d", parts=["is an input"])

    def test_workbooks_that_are_there(self):
        self.write("a.xlsx", "old")
        self.refused(RANK_0, "--xlsx=a.xlsx", "--csv", "out", "--db", "new.db",
                     parts=["a.xlsx: exists already"], status=4)
        self.report(RANK_0, "--output_xlsx_path", "a.xlsx")
        self.assertIn("gpu_timeline", sheets_of(self.path("a.xlsx")))
        self.write("a.xlsx", "old")
        self.report(RANK_0, "--xlsx=a.xlsx", "--force")
        self.assertIn("gpu_timeline", sheets_of(self.path("a.xlsx")))

    def test_a_library_of_workbooks_that_cannot_be_loaded(self):
        name = ctypes.util.find_library("xlsxwriter")
        self.write(name, "no library")
        self.write("a.xlsx", "old")
        env = {"LD_LIBRARY_PATH": self.folder}
        for words in (["--xlsx=a.xlsx", "--force"], ["--output_xlsx_path", "a.xlsx"]):
            self.one_line(self.tpq("report", RANK_0, *words, "--db", "new.db", status=4, env=env),
                          r"^tpq: workbooks need libxlsxwriter \(apt-get install libxlsxwriter\d+\)$")
        self.assertFalse(os.path.exists(self.path("new.db")))  # nothing was read for it
        with open(self.path("a.xlsx"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "old")
        self.tpq("report", RANK_0, "--csv", "out", env=env)

    def test_the_default_name_of_a_workbook(self):
        os.mkdir(self.path("theirs"))
        shutil.copy(RANK_0, self.path("theirs", "a.json.gz"))
        for words in (["theirs/a.json.gz"], ["theirs/a.json.gz", "gpu_timeline", "--csv"]):
            self.report(*words, "--xlsx")
            self.assertIn("gpu_timeline", sheets_of(self.path("a_perf_report.xlsx")))
            self.refused(*words, "--xlsx", "--db", "new.db", status=4,
                         parts=["a_perf_report.xlsx: exists already"])
            self.write("a_perf_report.xlsx", "old")
            self.report(*words, "--xlsx", "--force")
            self.assertIn("gpu_timeline", sheets_of(self.path("a_perf_report.xlsx")))
            os.remove(self.path("a_perf_report.xlsx"))
        for path in ("theirs", "theirs/", self.path("theirs") + "//"):
            self.report(path, "gpu_timeline", "--xlsx")
            os.remove(self.path("theirs_perf_report.xlsx"))
        self.report(".", "gpu_timeline", "--xlsx", cwd=self.path("theirs"))
        self.assertEqual(sorted(os.listdir(self.path("theirs"))),
                         ["a.json.gz", "theirs_perf_report.xlsx"])

    def test_the_place_of_the_reference(self):
        os.mkdir(self.path("theirs"))
        shutil.copy(RANK_0, self.path("theirs", "a.json.gz"))
        for option in ("--profile_json_path", "--profile_path"):
            for _ in range(2):
                self.assertEqual(self.report(option, "theirs/a.json.gz").out, "")
                self.assertIn("gpu_timeline", sheets_of(self.path("theirs", "a_perf_report.xlsx")))
            os.remove(self.path("theirs", "a_perf_report.xlsx"))
        self.report("--profile_json_path", "theirs/a.json.gz", "--output_csvs_dir", "out")
        self.assertEqual(os.listdir(self.path("theirs")), ["a.json.gz"])

    def test_no_output_has_its_default_beside_other_peoples_data(self):
        """A form without a name goes to standard output, or a workbook into the directory where one is; once."""
        os.mkdir(self.path("theirs"))
        shutil.copy(RANK_0, self.path("theirs", "a.json.gz"))
        shutil.copy(RANK_0, self.path("theirs", "b.json.gz"))
        self.tpq("ingest", "-q", "--run", "a", "theirs/a.json.gz", "--db", "theirs/w.db")
        calls = {("report", "theirs/a.json.gz", "gpu_timeline"): ("csv", "json", "jsonl", "markdown", "line"),
                 ("report", "--db", "theirs/w.db", "gpu_timeline"): ("csv", "json", "jsonl", "markdown", "line"),
                 ("compare", "theirs/a.json.gz", "theirs/b.json.gz"): ("json", "jsonl", "markdown"),
                 ("sql", "--db", "theirs/w.db", "SELECT 1"): ()}
        theirs = self.snapshot()
        for call, forms in calls.items():
            for form in forms:
                self.assertTrue(self.tpq(*call, "--" + form).out)
                self.assertEqual(self.snapshot(), theirs, (call, form))
            self.tpq(*call, "--xlsx")
            made, = set(self.snapshot()) - set(theirs)
            self.assertEqual(os.path.dirname(made), self.folder)
            self.one_line(self.tpq(*call, "--xlsx", status=4), "exists already")
            os.remove(made)
            self.assertEqual(self.snapshot(), theirs, call)

    def test_the_place_of_the_reference_is_that_of_its_names_alone(self):
        """Its commands and options write beside the trace, and over what is there, but not where an output is named."""
        os.mkdir(self.path("theirs"))
        shutil.copy(RANK_0, self.path("theirs", "a.json.gz"))
        self.tpq("--compat-links", "links")
        call = [self.path("links", "TraceLens_generate_perf_report_pytorch"), "--profile_json_path", "theirs/a.json.gz"]
        for _ in range(2):
            done = subprocess.run(call, cwd=self.folder, capture_output=True, env=self.environment())
            self.assertEqual((done.returncode, done.stdout), (0, b""), done.stderr)
            self.assertEqual(sorted(os.listdir(self.path("theirs"))), ["a.json.gz", "a_perf_report.xlsx"])
        os.remove(self.path("theirs", "a_perf_report.xlsx"))
        for words in (["--xlsx"], ["--xlsx=b.xlsx"], ["--json=b.json"]):
            self.report("--profile_json_path", "theirs/a.json.gz", "gpu_timeline", *words)
            self.assertEqual(os.listdir(self.path("theirs")), ["a.json.gz"], words)
        self.assertTrue({"a_perf_report.xlsx", "b.xlsx", "b.json"} < set(os.listdir(self.folder)))
        self.refused("--profile_json_path", "theirs/a.json.gz", "gpu_timeline", "--xlsx", status=4, parts=["exists already"])

    def start(self, command, *words):
        """What a command of the reference, as a link to tpq, says on standard error."""
        self.tpq("--compat-links", "links")
        done = subprocess.run([self.path("links", "TraceLens_" + command), *words], cwd=self.folder, capture_output=True, env=self.environment(), text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        return done.stderr

    def test_the_command_that_compares(self):
        for rank in "01":
            self.start("generate_perf_report_pytorch", "--profile_json_path", RANK_0.replace("rank_0", "rank_" + rank), "--output_xlsx_path", f"{rank}.xlsx")
        for words, name in (([], "comparison.xlsx"), (["-o", "b.xlsx"], "b.xlsx"), (["--output=c.xlsx"], "c.xlsx")):
            self.start("compare_perf_reports_pytorch", "0.xlsx", "1.xlsx", "--names", "a", "b", "--sheets", "gpu_timeline", *words)
            with zipfile.ZipFile(self.path(name)) as book:
                self.assertIn(b"a::time ms", b"".join(book.read(part) for part in book.namelist()))
            os.remove(self.path(name))
            self.assertFalse(os.path.exists(self.path("comparison.xlsx")))

    def test_the_command_of_collectives(self):
        """Ranks are in directories of their own; the workbook is in the one that has them all."""
        for rank in "01":
            os.makedirs(self.path("job", "host" + rank))
            shutil.copy(RANK_0.replace("rank_0", "rank_" + rank), self.path("job", "host" + rank, f"r_{rank}.json.gz"))
        shutil.copy(RANK_0, self.path("job", "host0", "other.json.gz"))
        same = {}
        for words in (("--trace_glob", "job/**/r_*.json.gz", "--rank_regex", r"r_(?P<rank>\d+)"), ("--trace_pattern", "job/host*/r_*.json.gz")):
            told = self.start("generate_multi_rank_collective_report_pytorch", *words, "--world_size", "2", "--detailed_analysis", "--max_workers", "2")
            for option in ("world-size", "detailed-analysis", "max-workers"):
                self.assertIn(f"tpq: --{option} changes nothing: ", told)
            with zipfile.ZipFile(self.path("job", "nccl_analysis_report.xlsx")) as book:
                same[words] = {name: book.read(name) for name in book.namelist() if name.startswith("xl/worksheets/")}
            os.remove(self.path("job", "nccl_analysis_report.xlsx"))
        self.assertEqual(*same.values())

    def test_markdown_beside_the_workbook_of_a_command(self):
        self.start("generate_perf_report_pytorch", "--profile_json_path", RANK_0, "--output_md_path", "a.md", "--output_xlsx_path", "a.xlsx")
        with open(self.path("a.md"), encoding="utf-8") as file:
            self.assertIn("gpu_timeline", file.read())

    def test_what_cannot_be_written(self):
        self.write("file", "")
        for option in ("--json=no/a", "--jsonl=no/a", "--markdown=no/a", "--html=no/a",
                       "--output_csvs_dir=file", "--output_csvs_dir=no/no", "--output_xlsx_path=no/a",
                       "--csv=no/a.csv", "--json=."):
            self.refused(RANK_0, "gpu_timeline", option, parts=["cannot be"], status=4)

    def test_links_in_a_directory_are_not_written_through(self):
        victim = self.write("victim", "precious")
        os.mkdir(self.path("out"))
        os.symlink(victim, self.path("out/gpu_timeline.csv"))
        os.symlink("nowhere", self.path("out/ops_summary.csv"))
        os.link(victim, self.path("out/ops_unique_args.csv"))
        os.mkfifo(self.path("out/coll_analysis.csv"))
        self.report(RANK_0, "--csv", "out")
        with open(victim, encoding="utf-8") as file:
            self.assertEqual(file.read(), "precious")
        self.assertFalse(os.path.exists(self.path("out/nowhere")))
        for name in os.listdir(self.path("out")):
            self.assertTrue(stat.S_ISREG(os.lstat(self.path("out", name)).st_mode), name)

    def test_a_full_disk(self):
        for option in ("--json=/dev/full", "--html=/dev/full"):
            self.refused(RANK_0, option, parts=["No space left"], status=4)
        with open("/dev/full", "w", encoding="utf-8") as full:
            for option in ([], ["--csv", "-"], ["--jsonl"]):
                result = self.report(RANK_0, "gpu_timeline", *option, stdout=full, status=4)
                self.one_line(result, "No space left")

    def test_a_reader_that_goes_away(self):
        for option in ("--csv -", "--json", ""):
            done = subprocess.run(
                ["bash", "-c", f"{TPQ} report {RANK_0} kernel_launchers {option} | head -1; "
                               "echo ${PIPESTATUS[0]}"],
                capture_output=True, text=True, check=True, env=self.environment())
            self.assertNotRegex(done.stderr, r"(?m)^(?!tpq: Health: ).")
            self.assertRegex(done.stdout, r"\n(0|141)\n\Z")


class Safety(Reports):
    def setUp(self):
        super().setUp()
        self.write("a.json", evil_trace())

    def names(self, *options):
        return {row["Kernel name"] for row in self.table("a.json", "kernel_summary", *options)}

    def test_formulas_in_csv(self):
        plain = set(EVIL)
        self.assertEqual(self.names("--csv-raw"), plain)
        self.assertEqual(self.names("--compat"), plain)
        self.assertEqual(self.names(), {"'" + name if name[0] in "=+-@\t\r" else name
                                        for name in EVIL})

    def test_numbers_are_no_formulas(self):
        text = self.report("a.json", "gpu_timeline", "--csv", "-").out
        self.assertNotIn("'", text)

    def test_json(self):
        rows = json.loads(self.report("a.json", "kernel_summary", "--json").out)["kernel_summary"]
        self.assertEqual({row["kernel_name"] for row in rows}, set(EVIL))
        rows = [json.loads(line) for line in
                self.report("a.json", "kernel_summary", "--jsonl").out.split("\n")[:-2]]
        self.assertEqual({row["kernel_name"] for row in rows}, set(EVIL))

    def test_pages_terminals_and_markdown(self):
        self.assertNotIn("<script>alert", self.report("a.json", "kernel_summary", "--html", "-").out)
        for option in (["--wide"], ["--markdown"]):
            out = self.report("a.json", "kernel_summary", *option).out
            self.assertNotIn("\x1b", out)
            self.assertNotIn("\r", out)
        lines = self.report("a.json", "kernel_summary", "--markdown").out.splitlines()
        table = [line for line in lines if line.startswith("|")]
        self.assertEqual(len(table), len(EVIL) + 2)

    def test_workbooks(self):
        self.report("a.json", "kernel_summary", "ops_all", "--xlsx=a.xlsx")
        with zipfile.ZipFile(self.path("a.xlsx")) as book:
            for name in book.namelist():
                if name.startswith("xl/worksheets/sheet"):
                    self.assertNotIn(b"<f>", book.read(name))

    def test_names_of_runs_and_files(self):
        self.report("a.json", "kernel_summary", "--run", "\x1b[31m=x", "--db", "new.db")
        out = self.report("--db", "new.db", "--run", "\x1b[32mnobody", status=2)
        self.assertNotIn("\x1b", out.err)
        self.report("a.json", "--run", "x", "--db", "new.db", "gpu_timeline")
        out = self.report("--db", "new.db", "gpu_timeline")
        self.assertNotIn("\x1b", out.out)


class Compatible(Reports):
    def cells(self, *options, **args):
        trace = trace_of(
            slice_event("aten::mm", 0, 100, args={"Input Dims": [[2, 3], [], 5], **args}),
            slice_event("launch", 1, 1, "cuda_runtime", args={"correlation": 1}),
            slice_event("it's", 200, 5, "kernel", process=0, thread=7,
                        args={"correlation": 1, "stream": 7}))
        self.write("a.json", trace)
        return self.table("a.json", "ops_all", *options)[0]

    def test_tuples_lists_and_names(self):
        row = self.cells("--compat", **{"Input type": ["a\\b", 'q"', "it's"],
                                        "Concrete Inputs": [None, True, False, 1.0, [1]],
                                        "Input Strides": []})
        self.assertEqual(row["Input Dims"], "((2, 3), (), 5)")
        self.assertEqual(row["Input type"], "('a\\\\b', 'q\"', \"it's\")")
        self.assertEqual(row["Concrete Inputs"], "(None, True, False, 1.0, (1,))")
        self.assertEqual(row["Input Strides"], "()")
        self.assertEqual(row["trunc_kernel_details"],
                         "[{'name': \"it's\", 'stream': 7, 'mean_duration_us': 5.0}]")

    def test_json_otherwise(self):
        row = self.cells(**{"Concrete Inputs": [None, True, 1]})
        self.assertEqual(row["Input Dims"], "[[2,3],[],5]")
        self.assertEqual(json.loads(row["Concrete Inputs"]), [None, True, 1])
        self.assertEqual(row["Input type"], "")

    def test_cells_that_are_no_lists(self):
        for value in ("text", 'q"', {"a": 1}, 5, True):
            self.cells(**{"Concrete Inputs": value})
            for options in ([], ["--compat"]):
                out = self.report("a.json", "ops_all", "--json", *options).out
                self.assertEqual(len(json.loads(out)["ops_unique_args"]), 1)

    def test_json_has_python_as_text(self):
        self.cells()
        out = self.report("a.json", "ops_all", "--json", "--compat").out
        self.assertEqual(json.loads(out)["ops_unique_args"][0]["input_dims"], "((2, 3), (), 5)")

    def test_booleans(self):
        out = self.report(RANK_0, "gpu_timeline", "--detect-recompute", "--csv", "-").out
        self.assertRegex(out, r"computation_time,[\d.]+,[\d.]+,(True|False)\n")


if __name__ == "__main__":
    main()
