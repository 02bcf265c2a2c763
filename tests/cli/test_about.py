"""What outputs of comparisons are about, and what they leave out: said in every form, of each side."""

import json
import xml.etree.ElementTree
import zipfile

from page_file import PageFile
from support import Case, main
from test_compare import trace

COLLECTIVES = "GPU activities of collectives (coll_analysis)"


def side(seed, rank, device, steps=4):
    made = trace(seed, steps=steps, device=device)
    made["distributedInfo"] = {"rank": rank, "world_size": 2}
    return made


class About(Case):
    def prepare(self):
        self.write("a.json", side(1, 0, "GPU <A>"))
        self.write("b.json", side(2, 1, "GPU B"))
        self.tpq("ingest", "-q", "--run", "base", "a.json")
        self.tpq("ingest", "-q", "--run", "tuned", "b.json")

    def setUp(self):
        super().setUp()
        self.version = self.tpq("--version").out.strip()
        self.base = "run base · GPU <A> · rank 0 · steps 1-3 · all events"
        self.tuned = "run tuned · GPU B · rank 1 · steps 1-3 · all events"
        self.lines = [f"{self.version} · base: {self.base}", f"tuned: {self.tuned}"]

    def has(self, words, lines=None):
        for line in lines or self.lines:
            self.assertIn(line, words)

    def with_roles(self):
        """What compare and gate call the sides."""
        self.lines = [self.lines[0].replace(" · base:", " · baseline base:"), "candidate " + self.lines[1]]

    def properties(self, path):
        with zipfile.ZipFile(self.path(path)) as book:
            index = book.read("xl/sharedStrings.xml").decode() if "xl/sharedStrings.xml" in book.namelist() else ""
            index += book.read("xl/worksheets/sheet1.xml").decode()
            custom = xml.etree.ElementTree.fromstring(book.read("docProps/custom.xml"))
            core = book.read("docProps/core.xml").decode()
        return index, {node.get("name"): "".join(node.itertext()) for node in custom}, core

    def in_every_form(self, *call):
        """All forms of a call say both sides; CSV does not."""
        if call[0] != "history":
            self.with_roles()
        self.assertIn("\n".join(self.lines), self.tpq(*call).out)
        self.has(self.tpq(*call, "--line").out.splitlines())
        self.tpq(*call, "--markdown=a.md", "--html=a.html", "--json=a.json", "--jsonl=a.jsonl", "--xlsx=a.xlsx", "--force")
        def made(name):
            with open(self.path(name), encoding="utf-8") as file:
                return file.read()
        self.has(made("a.md").replace("\\", "").splitlines())
        self.assertEqual(PageFile(made("a.html")).contents["about"], self.lines)
        self.assertNotIn("GPU", self.tpq(*call, "--csv").out.replace("device GPU <A> to GPU B", ""))
        for text in (made("a.json"), made("a.jsonl").splitlines()[-1]):
            meta = json.loads(text)["meta"]
            self.assertEqual([meta[name] for name in ("version", "run", "device", "rank", "steps", "selection")],
                             [self.version.split()[1], ["base", "tuned"], ["GPU <A>", "GPU B"], [0, 1], "1-3", ["all events"]])
            self.assertEqual([side.pop("health")["verdict"] for side in meta["sides"]], ["complete"] * 2)
            windows = [[window["trace_id"] for window in side.pop("window")] for side in meta["sides"]]
            self.assertEqual(windows, [[1], [2]])  # steps 1-3 of each
            self.assertEqual(meta["sides"], [
                {"side": "base", "run": ["base"], "device": ["GPU <A>"], "rank": [0], "steps": "1-3", "selection": ["all events"]},
                {"side": "tuned", "run": ["tuned"], "device": ["GPU B"], "rank": [1], "steps": "1-3", "selection": ["all events"]}])
        index, custom, core = self.properties("a.xlsx")
        self.assertEqual((custom["run"], custom["side 1"], custom["side 2"]),
                         ("base, tuned", f"base: {self.base}", f"tuned: {self.tuned}"))
        self.assertIn(self.tuned, core)
        self.assertIn(self.tuned, index)


class Sides(About):
    def test_compare(self):
        self.in_every_form("compare", "base", "tuned", "--by", "op")

    def test_files_are_told_without_where_they_lie(self):
        self.with_roles()
        made = self.tpq("compare", self.path("a.json"), self.path("b.json"), "--by", "op", "--html", "-").out
        self.assertEqual(PageFile(made).contents["about"], [line.replace("base: run base · ", "a: ").replace("tuned: run tuned · ", "b: ") for line in self.lines])

    def test_gate(self):
        self.in_every_form("gate", "--undecided=pass", "--baseline", "base", "--candidate", "tuned")

    def test_gate_for_a_build_server(self):
        root = xml.etree.ElementTree.fromstring(
            self.tpq("gate", "--undecided=pass", "--baseline", "base", "--candidate", "tuned", "--junit").out)
        found = {node.get("name"): node.get("value") for node in root.find("properties")}
        self.assertEqual((found["version"], found["run"]), (self.version.split()[1], "base, tuned"))
        for name, values in (("base", ("base", "GPU <A>", "0", "1-3", "all events")),
                             ("tuned", ("tuned", "GPU B", "1", "1-3", "all events"))):
            self.assertEqual([found[f"{name} {fact}"] for fact in ("run", "device", "rank", "steps", "selection")], [*values])
        self.assertEqual(self.tpq("gate", "--undecided=pass", "--baseline", "base", "--candidate", "tuned", "--junit=-").out[:5], "<?xml")

    def test_history(self):
        self.in_every_form("history", "op", "base", "tuned")

    def test_diff(self):
        self.base, self.tuned = (words.replace("1-3", "0-3") for words in (self.base, self.tuned))
        self.lines = [f"{self.version} · base: {self.base}", f"tuned: {self.tuned}"]
        self.has(self.tpq("diff", "base", "tuned").out.splitlines())
        meta = json.loads(self.tpq("diff", "base", "tuned", "--json").out)["meta"]
        self.assertEqual([(one["side"], one["rank"], one["steps"]) for one in meta["sides"]],
                         [("base", [0], "0-3"), ("tuned", [1], "0-3")])
        self.tpq("diff", "base", "tuned", "--into-tables")
        self.assertEqual(self.rows("SELECT value FROM frozen_meta WHERE table_name = 'frozen_diff_lca' AND name = 'side'"),
                         [(f"base: {self.base}",), (f"tuned: {self.tuned}",)])

    def test_tables(self):
        """They hold what other forms have, beside those of the reports, and have names of their own."""
        self.tpq("report", "-q", "--into-tables", "findings", "ops_summary")
        before = self.rows("SELECT sql FROM sqlite_schema WHERE name IN ('frozen_findings', 'frozen_ops_summary')")
        for call, sheets in ((("compare", "base", "tuned", "--by", "op"), {"frozen_compare_op": "op", "frozen_compare_summary": "summary"}),
                             (("gate", "--undecided=pass", "--baseline", "base", "--candidate", "tuned"),
                              {"frozen_gate_findings": "findings", "frozen_gate_rules": "rules"}),
                             (("history", "op", "base", "tuned"), {"frozen_history": "history"})):
            told = json.loads(self.tpq(*call, "--json").out)
            for _ in range(2):
                self.assertIn("tpq: wrote tables in ", self.tpq(*call, "--into-tables").err)
            for table, sheet in sheets.items():
                self.assertEqual(self.rows(f"SELECT * FROM {table}"),
                                 [tuple(json.dumps(cell) if isinstance(cell, list) else cell for cell in row.values())
                                  for row in told[sheet]])
                self.assertEqual(self.rows(f"SELECT value FROM frozen_meta WHERE table_name = '{table}' AND name = 'side'"),
                                 [(f"base: {self.base}",), (f"tuned: {self.tuned}",)])
        self.assertEqual(before, self.rows("SELECT sql FROM sqlite_schema WHERE name IN ('frozen_findings', "
                                           "'frozen_ops_summary')"))
        self.tpq("compare", "base", "tuned", "--compat", "--into-tables")  # with sheets that have no columns
        self.assertEqual(self.rows("SELECT * FROM frozen_compare_unified_perf_summary_only_baseline_tuned"), [])
        self.one_line(self.tpq("history", "op", "a.json", "b.json", "--into-tables", status=2), "needs a warehouse that stays")

    def test_what_is_selected(self):
        shown = lambda *words: self.tpq("compare", *words, "--by", "op").out.splitlines()
        self.has(shown("base", "b.json", "--step", "2"),
                 [f"{self.version} · baseline base: run base · GPU <A> · rank 0 · steps 2 · step 2",
                  "candidate b: run b.json · GPU B · rank 1 · steps 2 · step 2"])
        self.has(shown("trace:1", "tuned", "--normalize", "trace", "--where", "dur_ns > 5"),
                 [f"{self.version} · baseline trace:1: run base · GPU <A> · rank 0 · steps 0-3 · where dur_ns > 5, trace 1"])
        self.has(shown("base", "tuned", "--warmup", "2"), [f"candidate tuned: {self.tuned.replace('1-3', '2-3')}"])

    def test_steps_are_those_that_are_there(self):
        self.assertIn(" · steps 3 · step 3-9\n", self.tpq("report", "--run", "base", "--step", "3-9").out)
        meta = json.loads(self.tpq("report", "--run", "base", "--step", "2-77", "--json").out)["meta"]
        self.assertEqual((meta["steps"], meta["selection"]), ("2-3", ["step 2-77"]))

    def test_a_device_without_a_name_says_what_is_known_of_it(self):
        known = {"computeMajor": 9, "computeMinor": 4, "numSms": 304, "totalGlobalMem": 192 << 30}
        for device, words in (({**known, "name": ""}, "device without a name (architecture 9.4, 304 cores, 192 GiB)"),
                              ({"numSms": 8}, "device without a name (8 cores)")):
            made = side(3, 0, "")
            made["deviceProperties"] = [{"id": 0, **device}]
            self.write("c.json", made)
            self.assertIn(f" · {words} · rank 0 · ", self.tpq("report", "c.json").out)

    def test_many_sides_have_one_line(self):
        for i in range(5):
            self.tpq("ingest", "-q", "--run", f"r{i}", "a.json")
        self.assertEqual(self.tpq("history", "op").out.splitlines()[0],
                         f"{self.version} · run base, tuned, r0 and 4 more · GPU <A>, GPU B · rank 0, 1 · steps 1-3 · all events")
        meta = json.loads(self.tpq("history", "op", "--json").out)["meta"]
        self.assertEqual([one["side"] for one in meta["sides"]], ["base", "tuned", *(f"r{i}" for i in range(5))])


class LeftOut(Case):
    def setUp(self):
        super().setUp()
        for name, count in (("a", 1), ("b", 2)):
            made = trace(name, steps=4)
            for i in range(count):
                at = [one["ts"] for one in made["traceEvents"] if one["cat"] == "kernel"][-1 - i]
                made["traceEvents"].append({"ph": "X", "cat": "kernel", "name": "stray", "pid": 0, "tid": 9, "ts": at,
                                            "dur": 3, "args": {"stream": 9, "device": 0}})
            self.write(f"{name}.json", made)

    def test_each_side_says_it(self):
        stray = "unlinked GPU activities (unlinked_kernels)"
        line = f"Not included: a: {stray}: 1, 3.00 us; b: {stray}: 2, 6.00 us"
        for call in (("compare", "a.json", "b.json", "--by", "op"), ("history", "op", "a.json", "b.json"),
                     ("gate", "--baseline", "a.json", "--candidate", "b.json", "--by", "op", "--allow-incomplete")):
            self.assertIn(line, " ".join(self.tpq(*call).out.split()))
            document = json.loads(self.tpq(*call, "--json").out)
            told = next(iter(document["meta"]["sheets"].values()))
            self.assertEqual(told["left_out"], [{"what": f"a: {stray}", "count": 1, "time_ms": 0.003},
                                                {"what": f"b: {stray}", "count": 2, "time_ms": 0.006}])

    def test_nothing_is_left_out(self):
        out = self.tpq("compare", "a.json", "b.json", "--by", "kernel").out
        self.assertNotIn("Left out", out)

    def test_why_it_is_empty(self):
        result = self.tpq("compare", "a.json", "b.json", "--by", "collective")
        self.assertIn("No rows: no collectives are selected", result.out)


if __name__ == "__main__":
    main()
