"""The command line itself: verbs, options, help, and the exit statuses of wrong calls."""

import os
import re
import sqlite3
import subprocess

from support import Case, TPQ, VERBS, main, slice_event, trace_of


class Verbs(Case):
    def test_nothing_at_all_prints_the_overview_as_an_error(self):
        result = self.tpq(status=2)
        self.assertEqual(result.out, "")
        self.assertIn("Usage: tpq VERB", result.err)
        for verb in VERBS:
            self.assertRegex(result.err, rf"(?m)^    {verb} +\S")

    def test_an_unknown_verb(self):
        for word, meant in (("ingst", "ingest"), ("sq", "sql"), ("describ", "describe"),
                            ("trace", "traces"), ("chekc", "check")):
            self.one_line(self.tpq(word, status=2),
                          rf"^tpq: unknown verb '{word}'; did you mean {meant}\?$")
        for word in ("frobnicate", ""):
            self.one_line(self.tpq(word, status=2), rf"^tpq: unknown verb '{word}'; see tpq --help$")
        self.one_line(self.tpq("--frobnicate", status=2), "^tpq: there is no verb, or none of its options is '--frobnicate'; see tpq --help$")

    def test_what_a_beginning_may_mean(self):
        for call, why in ((["r"], "verb 'r'; it may mean report, runs, rm, replay$"),
                          (["desc"], "did you mean describe"),
                          (["report", "ops_s"], "it may mean ops_summary, ops_summary_by_category, "),
                          (["report", "--set", "jax-"], "set 'jax-'; did you mean jax-analysis"),
                          (["report", "--set", "j", "--list"], "it may mean jax-analysis, jax$")):
            self.one_line(self.tpq(*call, status=2), why)

    def test_the_version(self):
        self.assertRegex(self.tpq("--version").out, r"\Atpq \d+\.\d+\.\d+\n\Z")

    def test_a_database_that_exists_is_not_needed_for_words(self):
        for call in (["--help"], ["--version"], ["describe"], ["rm", "--help"]):
            self.tpq(*call)
        self.assertFalse(os.path.exists(self.db))


class Help(Case):
    def test_of_the_program(self):
        help_text = self.tpq("--help")
        self.assertEqual(help_text.err, "")
        for way in ("-h", "help"):
            self.assertEqual(self.tpq(way).out, help_text.out)
        for status in range(6):
            self.assertRegex(help_text.out, rf"\b{status} [a-z]")
        self.assertLessEqual(len(help_text.out.splitlines()), 45)

    def test_of_every_verb(self):
        for verb in VERBS:
            text = self.tpq(verb, "--help").out
            for way in ([verb, "-h"], ["help", verb], ["--help", verb], [verb, "--mystery", "-h"],
                        [verb, "a", "b", "c", "--help"]):
                if "--mystery" not in way:
                    self.assertEqual(self.tpq(*way).out, text)
            self.assertTrue(text.startswith(f"tpq {verb} - "), text)
            self.assertIn(f"\nUsage: tpq {verb} [OPTION]...", text)
            self.assertRegex(text, "\n(Options|Most used options):\n")
            self.assertIn("-h, --help", text)
            self.assertIn("\nExamples:\n", text)
            for line in text.splitlines():
                self.assertLessEqual(len(line), 100, line)
                self.assertEqual(line, line.rstrip())

    def test_options_of_report_are_in_sections(self):
        text = self.tpq("report", "--help").out
        titles = re.findall(r"(?m)^([A-Za-z].*):$", text)
        self.assertEqual(titles[0], "Most used options")
        self.assertEqual(titles[-1], "Examples")
        self.assertGreaterEqual(len(titles), 10)
        most_used = text.split(titles[0])[1].split("\n\n")[0]
        self.assertIn("--csv", most_used)
        self.assertLessEqual(most_used.count("\n      --"), 12)
        for option in re.findall(r"(?m)^ {6}(--[\w-]+)", text):
            self.assertEqual(len(re.findall(rf"(?m)^ {{6}}{option}\b(?!-)", text)), 1, option)

    def test_of_a_verb_that_does_not_exist(self):
        for way in ("help", "--help", "-h"):
            self.one_line(self.tpq(way, "ingst", status=2),
                          r"^tpq: unknown verb 'ingst'; did you mean ingest\?$")

    def test_of_an_option_that_is_shortened(self):
        self.assertEqual(self.tpq("sql", "--hel").out, self.tpq("sql", "--help").out)

    def test_the_examples_are_calls_that_are_understood(self):
        """Their options and verbs exist; what they work on need not."""
        for verb in VERBS:
            text = self.tpq(verb, "--help").out
            examples = re.findall(r"(?m)^    (\S.*)$", text.split("\nExamples:\n")[1])
            self.assertTrue(examples)
            for example in examples:
                call = re.sub(r"\S+ \S+ cat \S+|echo", "true", example).replace("tpq ", f"{TPQ} ", 1)
                call = call.replace(" | less", "") if "tpq" in call.split("|")[0] else call
                done = subprocess.run(["bash", "-c", call], cwd=self.folder, text=True,
                                      stdin=subprocess.DEVNULL, capture_output=True,
                                      env=self.environment())
                self.assertNotRegex(done.stderr, "option|unexpected|missing|syntax", example)


class Options(Case):
    def test_an_unknown_option(self):
        self.one_line(self.tpq("ingest", "--jbs", "1", "x", status=2),
                      r"^tpq ingest: unknown option --jbs; did you mean --jobs\?$")
        self.one_line(self.tpq("runs", "--modes=csv", status=2),
                      r"^tpq runs: unknown option --modes; did you mean --mode\?$")
        self.one_line(self.tpq("runs", "--frobnicate", status=2),
                      r"^tpq runs: unknown option --frobnicate; see tpq runs --help$")
        self.one_line(self.tpq("runs", "-x", status=2), r"^tpq runs: unknown option -x; see ")
        self.one_line(self.tpq("tree", "-5", status=2), r"^tpq tree: unknown option -5; see ")

    def test_a_value_that_is_missing(self):
        for verb, option, name in (("ingest", "--run", "NAME"), ("ingest", "-j", "N"),
                                   ("runs", "--db", "FILE"), ("sql", "-f", "FILE"),
                                   ("sql", "--timeout", "SECONDS"), ("rm", "--trace", "TRACE")):
            self.one_line(self.tpq(verb, option, status=2), rf"^tpq {verb}: --\w+ needs a value "
                                                            rf"\({name}\)$")

    def test_a_file_without_a_name(self):
        for call in (["runs", "--db", ""], ["sql", "--db=", "SELECT 1"]):
            self.one_line(self.tpq(*call, status=2), r"^tpq \w+: --db needs the name of a file$")
        self.one_line(self.tpq("sql", "-f", "", status=2), "--file needs the name of a file$")

    def test_a_value_that_is_too_much(self):
        self.one_line(self.tpq("ingest", "--quiet=yes", "x", status=2),
                      "^tpq ingest: --quiet takes no value$")

    def test_a_value_that_is_not_one_of_those(self):
        self.one_line(self.tpq("runs", "--mode", "xml", status=2),
                      "--mode cannot be 'xml'; it is one of: table box csv ")
        for option in ("--wait", "--timeout"):
            for value in ("-1", "soon", "1.5", "99999999999999999999", ""):
                self.one_line(self.tpq("sql", f"{option}={value}", "SELECT 1", status=2),
                              rf"^tpq sql: {option} must be a whole number from \d to \d+, not "
                              rf"'{value}'$")

    def test_operands_that_are_too_many_or_missing(self):
        for verb in ("check",):
            self.one_line(self.tpq(verb, "x", status=2), f"^tpq {verb}: unexpected operand 'x'$")
        for verb in ("traces", "sql", "tree"):
            self.one_line(self.tpq(verb, "1", "y", status=2), "unexpected operand 'y'$")
        for verb in ("ingest", "tree", "rm"):
            self.one_line(self.tpq(verb, status=2), f"^tpq {verb}: an operand is missing; usage: tpq {verb} ")

    def test_shortened_options(self):
        self.write("a.json", trace_of(slice_event("a", 0, 1)))
        self.tpq("ingest", "--qui", "--lab", "x=1", "--r=first", "--no-p", "a.json", status=2)
        self.tpq("ingest", "--qui", "--lab", "x=1", "--run=first", "--no-p", "a.json")
        self.assertEqual(self.rows("SELECT name, labels FROM run"), [("first", '{"x":"1"}')])
        self.one_line(self.tpq("ingest", "--r", "x", "a.json", status=2),
                      "^tpq ingest: option --r may mean --run, --.+$")
        self.one_line(self.tpq("ingest", "--=x", "a.json", status=2), "^tpq ingest: ")

    def test_dashes_and_underscores_are_the_same(self):
        self.make_trace("a.json")
        self.tpq("ingest", "--no_python", "--keep_metadata", "--rank_pattern=k", "a.json")
        self.assertEqual(self.value("SELECT frames FROM trace"), 0)

    def test_letters(self):
        self.write("a.json", trace_of(slice_event("a", 0, 1)))
        self.tpq("ingest", "-qj2", "a.json")
        self.assertEqual(self.tpq("runs", "-mcsv").out, self.tpq("runs", "--mode", "csv").out)
        self.assertEqual(self.tpq("runs", "-m", "csv").out, self.tpq("runs", "--mode=csv").out)
        self.one_line(self.tpq("ingest", "-qx", "a.json", status=2), "unknown option -x")

    def test_the_last_value_counts(self):
        self.write("a.json", trace_of(slice_event("a", 0, 1)))
        self.tpq("ingest", "--run", "one", "--run", "two", "a.json")
        self.assertEqual(self.rows("SELECT name FROM run"), [("two",)])

    def test_options_may_stand_behind_operands_until_two_dashes(self):
        self.write("a.json", trace_of(slice_event("a", 0, 1)))
        self.write("--run", trace_of(slice_event("b", 0, 1)))
        self.tpq("ingest", "a.json", "--run", "r", "--", "--run")
        self.assertEqual(self.value("SELECT count(*) FROM trace"), 2)


class Databases(Case):
    READERS = (["runs"], ["traces"], ["tree", "1"], ["check"], ["sql", "SELECT 1"])
    WRITERS = (["rm", "x"], ["rm", "--shrink"], ["sql", "--write", "SELECT 1"])

    def refused(self, db, *parts, status=2):
        for call in (*self.READERS, *self.WRITERS):
            before = self.snapshot()
            self.one_line(self.tpq(*call, "--db", db, status=status), *parts)
            self.assertEqual(self.snapshot(), before)

    def test_one_that_does_not_exist(self):
        self.refused("none.db", r"^tpq: none\.db: no such warehouse; tpq ingest TRACE... makes one$")
        self.refused("no/none.db", r"^tpq: no/none\.db: no such warehouse; tpq ingest TRACE... makes one$")

    def test_the_name_may_come_from_the_environment(self):
        self.one_line(self.tpq("runs", status=2, env={"TPQ_DB": "x.db"}), "^tpq: x.db: no such warehouse")
        self.one_line(self.tpq("runs", status=2, env={"TPQ_DB": ""}), "^tpq: tpq.db: no such warehouse")

    def test_files_that_are_none(self):
        self.write("x.json", trace_of(slice_event("a" * 600, 0, 1)))
        self.write("short", b"x")
        self.write("empty", b"")
        self.write("a.json", trace_of(slice_event("a", 0, 1)))
        for name, what in (("x.json", "not a database"), ("short", "not a "),
                           ("empty", "not a tpq warehouse")):
            self.refused(name, rf"^tpq: {name}: {what}")
            self.one_line(self.tpq("ingest", "--db", name, "a.json", status=2),
                          rf"^tpq: {name}: {what}")

    def test_a_database_of_somebody_else(self):
        connection = sqlite3.connect(self.path("other.db"))
        connection.execute("CREATE TABLE event (id INTEGER PRIMARY KEY)")
        connection.commit()
        connection.close()
        self.refused("other.db", r"^tpq: other\.db: not a tpq warehouse$")

    def test_a_directory(self):
        self.write("a.json", trace_of(slice_event("a", 0, 1)))
        self.refused(".", r"^tpq: \.: a directory, not a database$")
        self.one_line(self.tpq("ingest", "--db", ".", "a.json", status=2), "not a database$")

    def test_a_warehouse_from_the_future(self):
        self.make_trace("a.json")
        self.tpq("ingest", "a.json")
        connection = sqlite3.connect(self.db)
        connection.execute("PRAGMA user_version = 999")
        connection.close()
        self.refused(self.db, "made by a newer tpq", status=4)


class Forms(Case):
    """Every form of output of every verb is asked for in the same way."""

    # A call with something to write; a form that is not for it: another call.
    CALLS = {"ingest": ["a.json", "--run", "c"], "report": ["a.json", "ops_summary"], "sql": ["SELECT 1 AS one"], "describe": ["kernel"],
             "runs": [], "traces": [], "tree": ["1"], "check": [], "model": ["list"], "compare": ["a", "b", "--by", "timeline"],
             "gate": ["--baseline", "a", "--candidate", "b", "--single-ok", "--rules", "one.csv"], "diff": ["a.json", "b.json", "diff_stats"], "history": ["gpu_timeline.time_ms"], "export": []}
    UNNAMED = {"xlsx"}  # alone, it gets a name from the input
    CHANGING = re.compile(r"(?m)^.*(\"(id|seconds|total_seconds|created_at|already|traces)\"|wall).*$")

    def test_all(self):
        for run, duration in (("a", 9), ("b", 8)):
            self.write(f"{run}.json", trace_of(
                slice_event("op", 0, duration), slice_event("cudaLaunchKernel", 1, 1, "cuda_runtime", args={"correlation": 1}),
                slice_event("k", 20, duration, "kernel", process=0, thread=7, args={"correlation": 1, "stream": 7})))
            self.tpq("ingest", f"{run}.json", "--run", run)
        self.tpq("ingest", "a.json", "--run", "c", status=None)
        self.write("one.csv", "level\ntimeline\n")
        for verb in VERBS:
            text = self.tpq(verb, "--help").out
            forms = re.findall(r"--([a-z-]+)(?:\[=FILE\]| \(X\))", text)
            self.assertTrue(not forms or verb in self.CALLS, verb)
            files = {form: f"{verb}.csv" if form == "csv" else f"{verb}.{form}.x" for form in forms}
            call = [verb, *self.CALLS.get(verb, []), *["-q"][:"-q, --quiet" in text]]
            if forms:
                alone = {"csv", "html", "line"} & set(forms)  # what they hold depends on the forms beside them
                for some in (sorted(set(forms) - alone), *([form] for form in alone)):
                    told = self.raw(*call, *[f"--{form}={files[form]}" for form in some])
                    self.assertTrue(not told or "github" in some, told)  # the annotations are beside the words
            for form, name in files.items():
                with self.subTest(verb=verb, form=form), open(self.path(name), "rb") as file:
                    self.alike(call, form, file.read())

    def alike(self, call, form, in_file):
        ways = {f"--{form}=FILE": in_file, f"--{form}=-": self.raw(*call, f"--{form}=-")}
        if form in ("json", "xlsx"):  # one option is read as another: src/command/option.c
            ways[f"--{form} -"] = self.raw(*call, f"--{form}", "-")
        if form not in self.UNNAMED and form != "html":  # slow, and read as csv is
            ways[f"--{form}"] = self.raw(*call, f"--{form}")
        self.assertEqual(1, len({self.steady(told, form) for told in ways.values()}), ways)
        self.assertFalse({"-", form} & set(os.listdir(self.folder)), f"{call} {form}")

    def steady(self, told, form):
        """Without what differs from call to call."""
        if form == "xlsx":
            return told[:4]
        return self.CHANGING.sub("", told.decode())

    def raw(self, *call):
        done = subprocess.run([TPQ, *call], cwd=self.folder, env=self.environment({"TPQ_DB": self.db}), capture_output=True)
        self.assertIn(done.returncode, (0, 1), f"{call} {done.stderr}")
        return done.stdout

    def test_a_form_that_is_for_no_terminal(self):
        self.write("a.json", trace_of(slice_event("op", 0, 9)))
        for call in (["report", "a.json", "--xlsx=-"], ["report", "a.json", "--html"], ["sql", "SELECT 1", "--xlsx", "-"]):
            self.assertEqual(self.on_terminal(80, *call, status=2), "")
        ours, theirs = os.openpty()
        result = self.tpq("report", "a.json", "--xlsx", "-", stdout=theirs, status=2)
        self.one_line(result, r"^tpq report: --xlsx does not write to a terminal; name a file by --xlsx=FILE$")
        os.close(ours)
        os.close(theirs)

    def test_what_may_not_be_written_over(self):
        self.write("a.json", trace_of(slice_event("op", 0, 9)))
        before = self.path("a.json")
        self.one_line(self.tpq("ingest", "a.json", "--json=./a.json", status=2), "is an input and is not written over")
        self.tpq("ingest", "a.json")
        self.one_line(self.tpq("runs", f"--json={self.db}", status=2), "is an input and is not written over")
        self.one_line(self.tpq("runs", "--json=no/such", status=None), "no/such")
        self.tpq("tree", "77", "--json=none.json", status=None)
        self.assertFalse(os.path.exists(self.path("none.json")))
        self.assertTrue(os.path.exists(before))


if __name__ == "__main__":
    main()
