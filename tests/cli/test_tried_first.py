"""What people type before they read: it works, or says what to type instead."""

import re
import unittest

from support import Case, main


class TriedFirst(Case):
    def prepare(self):
        self.make_trace("a.json")
        self.tpq("ingest", "-q", "--run", "owl", "a.json")

    def test_a_warehouse_as_operand(self):
        named = self.tpq("report", "gpu_timeline").out
        for words in (("report", self.db, "gpu_timeline"), ("report", "gpu_timeline", self.db)):
            self.assertEqual(self.tpq(*words, env={"TPQ_DB": "none.db"}).out, named)
        for words in (("runs",), ("traces",), ("check",), ("tree", "owl"), ("sql", "SELECT 1")):
            self.assertEqual(self.tpq(words[0], self.db, *words[1:], env={"TPQ_DB": "none.db"}).out, self.tpq(*words).out)
        self.tpq("ingest", "-q", "--run", "second", "--db", self.db, "a.json", "--label", "x=1")
        lines = self.tpq("report", self.db).out
        self.assertTrue(re.search("(?m)^owl ", lines) and re.search("(?m)^second ", lines), lines)

    def test_a_warehouse_beside_traces_gets_nothing(self):
        before = self.tpq("runs").out
        for verb in ("report", "ingest"):
            self.one_line(self.tpq(verb, "--db", "other.db", self.db, status=3), "tpq report FILE opens it")
        self.tpq("report", self.db, "a.json", status=3)
        self.assertEqual(self.tpq("runs").out, before)

    def test_options_before_the_verb(self):
        none = {"TPQ_DB": "none.db"}
        for before in (("--db", self.db), (f"--db={self.db}",), ("--wait", "3", "--db", self.db)):
            self.assertEqual(self.tpq(*before, "runs", env=none).out, self.tpq("runs").out)
        self.one_line(self.tpq("--db", "report", "report", status=2), "report: no such warehouse")
        self.one_line(self.tpq("--db", self.db, status=2), "there is no verb, or none of its options is '--db'")

    def test_other_words_for_verbs(self):
        self.assertEqual(self.tpq("version").out, self.tpq("--version").out)
        for word, verb in (("stats", "report"), ("view", "report"), ("ls", "runs"), ("query", "sql"), ("load", "ingest"), ("delete", "rm")):
            self.one_line(self.tpq(word, status=2), f"did you mean {verb}?")

    def test_forms_as_options(self):
        for form in ("csv", "markdown"):
            for words in (("sql", "SELECT name FROM run"), ("runs",), ("traces",)):
                self.assertEqual(self.tpq(*words, f"--{form}").out, self.tpq(*words, "--mode", form).out)
        self.one_line(self.tpq("runs", "--csv", "--json", status=2), "either --csv or --json")

    def test_names_in_sql(self):
        self.one_line(self.tpq("sql", "SELECT name FROM kernels", status=2), "did you mean kernel?")
        for equal in ("=owl", " =  owl"):
            self.one_line(self.tpq("sql", f"SELECT * FROM kernel WHERE run{equal}", status=2), "written in quotes: 'owl'")

    def test_the_tree_of_a_run(self):
        self.assertEqual(self.tpq("tree", "owl").out, self.tpq("tree", "--run", "owl").out)
        self.one_line(self.tpq("tree", "owls", status=2), "owl")
        self.one_line(self.tpq("tree", "owl", "--run", "owl", status=2), "either")

    def test_salvage_is_named_and_there(self):
        with open(self.path("a.json"), "rb") as file:
            whole = file.read()
        self.write("cut.json", whole[:len(whole) * 2 // 3])
        for words in (("ingest", "cut.json"), ("report", "cut.json"), ("compare", "a.json", "cut.json")):
            self.assertIn("--salvage", self.tpq(*words, status=3).err)
        self.assertIn("file_cut", self.tpq("report", "--salvage", "cut.json").out)


if __name__ == "__main__":
    main()
