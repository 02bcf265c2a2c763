"""Every value of a column of a report has the type that the column's comment states, or that its unit or the
ending of its name means: on every miniature, with options that fill columns which are empty without."""
import json
import os
import re
import sys
import unittest

import kineto
import serve
import tables
import tenstorrent
import train
import xla
from support import Miniature

sys.path.insert(0, os.path.join(os.path.dirname(tables.EXPECTED), "..", "tools"))
import unique_keys  # noqa: E402

SQL = os.path.join(os.path.dirname(tables.EXPECTED), "..", "..", "sql")
INTEGER = {"integer", "ns", "ps", "bytes", "boolean", "name"}
REAL = {"real", "us", "μs", "ms", "s", "%", "MB", "MiB", "GFLOP", "FLOP/byte", "fraction", "TFLOPS"}
TEXT = {"text", "list", "tuple", "array", "kernel", "call"}
OPTIONS = ["include_overlap_info", "include_first_occurrence_time", "include_call_stack", "group_by_num_kernels",
           "group_by_parent_module", "include_unlinked_kernels", "detect_recompute", "short_kernel_study"]


def type_of(unit):
    if unit in INTEGER:
        return "integer"
    if unit in REAL or unit.endswith("/s"):
        return "real"
    # labels of ranks are texts for other engines, and numbers here where no rank stands twice
    return "label" if unit == "label" else "text" if unit in TEXT else ""


def stated():
    """{report: {column: type}}"""
    found = {}
    for name in sorted(os.listdir(os.path.join(SQL, "reports"))):
        with open(os.path.join(SQL, "reports", name), encoding="utf-8") as file:
            text = file.read()
        if not re.search(r"(?m)^-- set: ", text):
            continue
        columns = found.setdefault(re.search(r"CREATE VIEW (\w+)", text).group(1), {})
        for column, unit in re.findall(r'(?m)\b(\w+),? *-- *(?:"[^"]*" *)?(?:\[([^\]]*)\])?', text.split("CREATE VIEW", 1)[1]):
            ending = re.search(r"_(ns|us|ms|bytes|pct)$", column)
            unit = unit or (ending.group(1).replace("pct", "%") if ending else "")
            if type_of(unit):
                columns[column] = type_of(unit)
    return found


class Types(Miniature):
    made = b""  # the warehouse of all tests

    def setUp(self):
        super().setUp()
        if not Types.made:
            self.make()
            with open(self.path("w.db"), "rb") as file:
                Types.made = file.read()
        with open(self.path("w.db"), "wb") as file:
            file.write(Types.made)

    def make(self):
        os.mkdir(self.path("train"))
        for rank in range(2):
            kineto.write(self.path(f"train/rank_{rank}.json"), train.trace(rank))
        kineto.write(self.path("serve.json"), serve.trace())
        with open(self.path("node0.xplane.pb"), "wb") as file:
            file.write(xla.profile())
        with open(self.path("ops_perf_results.csv"), "w", encoding="utf-8") as file:
            file.write("\n".join(tenstorrent.lines()) + "\n")
        for run in ("train", "serve.json", "node0.xplane.pb", "ops_perf_results.csv"):
            self.tpq("ingest", "-q", "--db", "w.db", "--run", run.split(".")[0], run)

    def types(self, reports, *before):
        """{report: [{column: types of its values}]}, asked in one call."""
        queries = []
        for report, columns in reports.items():
            kinds = " || ' ' || ".join(f"'{column}=' || coalesce(group_concat(DISTINCT typeof({column})), '')"
                                       for column in columns)
            queries.append(f"SELECT '{report}' AS report, {kinds} AS types FROM {report};")
        with open(self.path("types.sql"), "w", encoding="utf-8") as file:
            file.write("\n".join([*before, *queries]))
        out = self.tpq("sql", "--db", "w.db", "-m", "jsonl", "-f", "types.sql").stdout
        return {row["report"]: dict(pair.split("=") for pair in row["types"].split())
                for row in map(json.loads, out.splitlines()) if "report" in row}

    def holds_with(self, *before):
        reports = {report: columns for report, columns in stated().items() if columns}
        seen = 0
        for report, columns in self.types(reports, *before).items():
            for column, kinds in columns.items():
                found = set(kinds.split(",")) - {"null", ""}
                seen += bool(found)
                with self.subTest(column=f"{report}.{column}"):
                    stated_type = reports[report][column]
                    self.assertLessEqual(found, {"integer", "text"} if stated_type == "label" else {stated_type})
        return seen

    def test_by_default(self):
        self.assertGreater(self.holds_with(), 300)

    def test_with_options(self):
        self.holds_with(*(f"SELECT tpq_set('{option}', '1');" for option in OPTIONS))

    def test_as_the_older_tools(self):
        self.holds_with("SELECT tpq_set('compat', '1');")

    def test_nothing_repeats_a_key(self):
        """What a report declares as its key, with what holds within a run, tells its rows apart."""
        sets = {"pytorch", "inference", "multirank", "collectives", "jax", "jax-analysis", "tt"}
        with open(self.path("keys.sql"), "w", encoding="utf-8") as file:
            file.write(unique_keys.questions(sets))
        out = self.tpq("sql", "--db", "w.db", "-m", "csv", "-f", "keys.sql").stdout
        self.assertEqual(unique_keys.answers(out), [])
        # rows that nothing tells apart are found
        out = self.tpq("sql", "--db", "w.db", "-m", "csv",
                       unique_keys.question({"kernel_launchers": ["name"]}, "kernel_launchers")).stdout
        self.assertEqual([name for name, _ in unique_keys.answers(out)], ["kernel_launchers"])

    def test_json_has_columns_as_keys_and_lists_as_lists(self):
        """What is a list in a trace is never a text that looks like one."""
        rows = 0
        for run, reports in (("train", "pytorch"), ("serve", "pytorch"), ("node0", "jax"), ("node0", "jax-analysis"),
                             ("ops_perf_results", "tt"), ("train", "multirank"), ("train", "collectives")):
            names = [report["name"] for report in json.loads(
                self.tpq("report", "--list", "--set", reports, "--json").stdout)["reports"]]
            document = json.loads(self.tpq("report", "--db", "w.db", "--run", run, *names, "--json").stdout)
            told = document.pop("meta")["sheets"]
            for sheet, found in document.items():
                for row in found:
                    rows += 1
                    self.assertEqual(list(row), list(told[sheet]["columns"]), sheet)
                    self.assertEqual(row["run"], run)
                    for key, value in row.items():
                        self.assertRegex(key, r"^[A-Za-z]\w*$", sheet)
                        if isinstance(value, str) and value[:1] in ("[", "{"):
                            with self.assertRaises(ValueError, msg=f"{sheet}.{key}: {value}"):
                                json.loads(value)
        self.assertGreater(rows, 100)


if __name__ == "__main__":
    unittest.main()
