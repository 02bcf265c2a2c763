"""tpq report --report-dir: reports of the user, one SQL file each."""

import os
import shutil

from support import main, sheets_in
from test_report import DEFAULTS, RANK_0, RANK_1, Reports
from test_report_outputs import sheets_of

OWN = """-- Kernels by name. Whatever their stream.
-- set: pytorch
-- position: 15
-- alias: kernel_names
CREATE VIEW own_kernels AS
SELECT
  run AS run, -- run
  trace_id AS trace_id, -- trace
  name AS name, -- "Kernel" its name
  count(*) AS n, -- how often it ran
  sum(dur_ns) / 1000.0 AS total -- "total time" [us] (lower) how long
FROM gpu_slice
GROUP BY run, trace_id, name
ORDER BY run, trace_id, total DESC;
"""


class Own(Reports):
    def setUp(self):
        super().setUp()
        self.write("own/kernels.sql", OWN)

    def test_several_directories(self):
        self.write("more/others.sql", OWN.replace("own_kernels", "others").replace(
            "kernel_names", "other_names"))
        both = ("--report-dir", "own", "--report-dir", "more")
        for name in ("own_kernels", "others"):
            self.assertTrue(self.table(RANK_0, *both, name))
            self.assertIn(f"{name} ", self.report(*both, "--list").out)
            self.assertIn('"Kernel": its name', self.tpq("describe", *both, name).out)

    def test_one_file_is_all_that_it_takes(self):
        self.assertRegex(self.report("--report-dir", "own", "--list").out,
                         r"(?m)^Your reports\n    own_kernels +Kernels by name\.$")
        words = self.tpq("describe", "--report-dir", "own", "own_kernels").out
        self.assertIn('"Kernel": its name', words)
        rows = self.table(RANK_0, "--report-dir", "own", "own_kernels")
        self.assertEqual(list(rows[0]), ["Kernel", "n", "total time"])
        self.assertEqual(rows[0]["Kernel"], "ampere_sgemm_128x64_tn")
        self.assertEqual(self.table(RANK_0, "--report-dir", "own", "kernel_names"), rows)
        self.report(RANK_0, "--report-dir", "own", "--csv", "out", "--xlsx=a.xlsx")
        with_own = [DEFAULTS[0], "own_kernels", *DEFAULTS[1:]]
        self.assertEqual(sorted(os.listdir(self.path("out"))),
                         sorted(f"{name}.csv" for name in with_own))
        self.assertEqual([name for name in sheets_of(self.path("a.xlsx"))
                          if name not in ("index", "trace_health") and not name.startswith("roofline ")], with_own)

    def test_without_the_folder_it_is_unknown(self):
        self.refused(RANK_0, "own_kernels", parts=["neither a report nor a file"])

    def test_it_leaves_no_trace_in_a_warehouse(self):
        self.tpq("ingest", "-q", RANK_0)
        before = self.dump()
        self.report("own_kernels", "--report-dir", "own")
        self.assertEqual(self.dump(), before)
        self.report("own_kernels", "--report-dir", "own", "--into-tables")
        self.assertEqual(len(self.rows("SELECT * FROM frozen_own_kernels")), 6)

    def test_a_set_of_its_own(self):
        self.write("own/kernels.sql", OWN.replace("set: pytorch", "set: mine"))
        self.assertEqual(self.sheets(RANK_0, "--report-dir", "own"), DEFAULTS)
        self.assertEqual(self.sheets(RANK_0, "--report-dir", "own", "--set", "mine"),
                         ["own_kernels"])
        self.assertEqual(len(self.report("--list", "--report-dir", "own", "--set", "mine").out
                             .splitlines()), 2)

    def test_it_goes_before_a_shipped_one_of_that_name(self):
        self.write("own/kernels.sql", OWN.replace("VIEW own_kernels", "VIEW gpu_timeline"))
        self.assertEqual(len(self.table(RANK_0, "gpu_timeline", "--report-dir", "own")), 6)
        self.assertEqual(len(self.table(RANK_0, "gpu_timeline")), 8)

    def test_other_files_are_passed_over(self):
        self.write("own/notes.txt", "x")
        self.write("own/.hidden.sql", "x")
        self.assertIn("own_kernels", self.report("--report-dir", "own", "--list").out)

    def test_only_views_are_made(self):
        evil = OWN + "DROP TABLE event; ATTACH 'evil.db' AS evil; CREATE TABLE evil (x);\n"
        self.write("own/kernels.sql", evil)
        self.tpq("ingest", "-q", RANK_0)
        before = self.dump()
        self.assertEqual(len(self.table("own_kernels", "--report-dir", "own")), 6)
        self.assertEqual(self.dump(), before)
        self.assertFalse(os.path.exists(self.path("evil.db")))

    def test_a_view_that_is_no_report(self):
        self.write("view.sql", "-- Mine.\nCREATE VIEW mine AS SELECT\n  1 AS n -- [integer] one\n;\n")
        for words in (["mine", "--extension-file", "view.sql"], ["gpu_slice"]):
            self.one_line(self.report(RANK_0, *words, status=2), "is a view, no report: it has no line")

    def test_a_skipped_file_does_no_harm_to_others(self):
        self.write("bad/a.sql", "-- Mine.\nCREATE VIEW mine AS SELECT\n  1 AS n -- [integer] one\n;\n")
        self.assertIn("did you mean", self.tpq("describe", "--report-dir", "bad", "mine", status=2).err)
        self.assertIn("gap_ms", self.tpq("describe", "--report-dir", "bad", "ranks_gpu_gaps").out)

    def left_out(self, why, is_listed=False):
        """The file stops nothing but its own report."""
        result = self.report(RANK_0, "--report-dir", "own", "--csv", "out", "-q")
        line = result.err.splitlines()[0]
        self.assertTrue(line.startswith(f"tpq: {why}"), line)
        self.assertTrue(line.endswith(" (skipped)"), line)
        self.assertEqual(sorted(os.listdir(self.path("out"))),
                         sorted(f"{name}.csv" for name in DEFAULTS))
        listed = self.report("--report-dir", "own", "--list").out
        self.assertIn("gpu_timeline ", listed)
        self.assertEqual("own_kernels" in listed, is_listed)
        for name in ("own_kernels", "kernels"):
            if name == "kernels" or "own_kernels" in listed or "own_kernels:" in why:
                result = self.report(RANK_0, "--report-dir", "own", name, "--csv", "more", status=3)
                self.assertIn(f"there is no report '{name}': {why}", result.err.splitlines()[-1])
                self.assertFalse(os.path.exists(self.path("more")))
        shutil.rmtree(self.path("out"))

    def test_a_bad_file_beside_a_good_one(self):
        self.write("own/other.sql", OWN.replace("own_kernels", "other").replace("count(*)", "coun(*)"))
        self.assertEqual(len(self.table(RANK_0, "--report-dir", "own", "own_kernels")), 6)
        self.write("own/timeline.sql", OWN.replace("own_kernels", "gpu_timeline").replace("FROM", "X"))
        result = self.report(RANK_0, "--report-dir", "own", "gpu_timeline", status=3)
        self.assertIn("own/timeline.sql: ", result.err.splitlines()[-1])

    def test_files_that_are_no_reports(self):
        for content in ("", "SELECT 1;", "-- A.\nCREATE VIEW x AS SELECT 1 AS y;\n", "-- set: pytorch\n"):
            self.write("own/kernels.sql", content)
            self.left_out("own/kernels.sql: no report")
        self.refused("--report-dir", "nowhere", "--list", parts=["nowhere: cannot be read"])
        self.refused("--report-dir", "own/kernels.sql", "--list", parts=["cannot be read"])

    def test_bad_sql(self):
        for wrong, word in (("count(*)", "coun(*)"), ("FROM", "FORM"), ("name AS", "nobody AS"),
                            ("gpu_slice", "nowhere")):
            self.write("own/kernels.sql", OWN.replace(wrong, word))
            self.left_out("own/kernels.sql: ", is_listed=True)

    def test_wrong_declarations(self):
        for line, part in (("shet: x", "there is no such declaration"), ("paragraphs: no", "it is: "),
                           ("drop-with: name", "it is: "), ("spread: n by name", "it is: ")):
            self.write("own/kernels.sql", OWN.replace("-- alias", f"-- {line}\n-- alias"))
            self.left_out(f'own/kernels.sql: own_kernels: "{line}": {part}')
        for line in ("drop-empty: n, nobody", "sheet-by: nobody", "spread: n over nobody",
                     "columns-when: nobody compat", "unfold: name x nobody"):
            self.write("own/kernels.sql", OWN.replace("-- alias", f"-- {line}\n-- alias"))
            self.left_out(f'own/kernels.sql: own_kernels: "{line}": it has no column nobody',
                          is_listed=True)

    def test_a_report_in_two_sets(self):
        self.write("own/kernels.sql", OWN.replace("-- alias", "-- also: more 7 names\n-- alias"))
        own = [RANK_0, "--report-dir", "own", "--csv", "out", "--force"]
        self.report(*own, "--set", "more")
        self.assertEqual(os.listdir(self.path("out")), ["names.csv"])
        shutil.rmtree(self.path("out"))
        self.report(*own, "names")
        self.assertEqual(os.listdir(self.path("out")), ["own_kernels.csv"])
        self.assertIn("own_kernels ", self.report("--report-dir", "own", "--set", "more", "--list").out)
        self.assertIn(": more 7 names\n", self.tpq("describe", "--report-dir", "own", "own_kernels").out)
        self.assertIn("own_kernels ", self.tpq("describe", "--report-dir", "own", "names").out)

    def test_lists_that_are_no_json(self):
        for text in ("[}", "{]", "[1,[}", "]", "[", '["', "[{"):
            self.write("own/kernels.sql", "-- A.\n-- set: pytorch\nCREATE VIEW own AS SELECT "
                       f"'{text}' AS k, -- [list] k\n'{text}' AS l -- [tuple] l\nFROM scope;\n")
            self.report(RANK_0, "own", "--report-dir", "own", "--compat", "--csv")

    def test_a_sheet_for_each_value(self):
        self.write("own/kernels.sql", OWN.replace("-- alias", "-- sheet-by: name\n-- alias"))
        sheets = sheets_in(self.report(RANK_0, "own_kernels", "--report-dir", "own", "--json").out)
        self.assertEqual(len(sheets), 6)
        self.assertEqual(sheets["ampere_sgemm_128x64_tn"][0]["n"], 54)
        self.assertNotIn("Kernel", sheets["ampere_sgemm_128x64_tn"][0])
        self.report(RANK_0, "own_kernels", "--report-dir", "own", "--csv", "out", "--xlsx=a.xlsx")
        self.assertEqual(len(os.listdir(self.path("out"))), 6)
        self.assertEqual(len(sheets_of(self.path("a.xlsx"))), 8)  # with index and trace_health
        result = self.report(RANK_0, "own_kernels", "--report-dir", "own", "--csv", status=2)
        self.one_line(result, "own_kernels: one CSV takes one sheet, and there are 6")
        self.assertEqual(result.out, "")

    def test_sheets_whose_files_would_have_one_name(self):
        self.write("own/kernels.sql", "-- A.\n-- set: pytorch\n-- sheet-by: k\nCREATE VIEW own AS "
                   "SELECT column1 AS k, column2 AS v FROM (VALUES ('a/b', 1), ('a_b', 2), (NULL, 3), "
                   "('../x', 4), ('', 5));\n")
        self.report(RANK_0, "own", "--report-dir", "own", "--csv", "out")
        self.assertEqual(sorted(os.listdir(self.path("out"))),
                         ["_._x.csv", "a_b.csv", "a_b_2.csv", "own.csv", "own_2.csv"])

    def test_columns_for_each_rank(self):
        here = os.path.dirname(os.path.abspath(__file__))
        shutil.copytree(os.path.join(here, "..", "reports"), self.path("ranks"))
        rows = self.table(RANK_0, RANK_1, "--report-dir", "ranks", "rank_busy")
        self.assertEqual(list(rows[0]), ["class", "busy 0", "busy 1", "kernels 0", "kernels 1"])
        for rank, path in enumerate((RANK_0, RANK_1)):
            alone = {row["type"]: float(row["time ms"]) for row in self.table(path, "gpu_timeline")}
            wide = {row["class"]: float(row[f"busy {rank}"]) / 1000 for row in rows}
            self.assertAlmostEqual(wide["computation"], alone["computation_time"])
            self.assertAlmostEqual(wide["communication"], alone["total_comm_time"])
        self.tpq("ingest", "-q", RANK_0, RANK_1, "--run", "one")
        self.tpq("ingest", "-q", RANK_0, "--run", "two")
        rows = self.table("--report-dir", "ranks", "rank_busy")
        self.assertEqual([row["run"] for row in rows], ["one"] * 3 + ["two"] * 3)
        self.assertEqual(rows[3]["busy 1"], "")


if __name__ == "__main__":
    main()
