"""tpq compare of sheets in files: workbooks and folders with a CSV for each sheet, of tpq and of the
reference tool, which writes lists as Python does and its workbooks by another library.
"""

import csv
import os
import zipfile
from xml.sax.saxutils import escape

from support import Case, main, sheets_in
from test_compare import OPS, changed, trace

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def column_name(number):
    name = ""
    while number >= 0:
        name = chr(ord("A") + number % 26) + name
        number = number // 26 - 1
    return name


def workbook(path, sheets, prefix="", absolute=False, **parts):
    """Writes a workbook as other libraries do: texts in a list, `prefix` before all elements. Rows
    are lists; None is no cell. `parts` take the place of files in it; None leaves one out."""
    texts, pages, p = [], [], prefix and prefix + ":"
    for rows in sheets.values():
        page = []
        for number, row in enumerate(rows, 1):
            cells = []
            for column, value in enumerate(row):
                place = f"{column_name(column)}{number}"
                if isinstance(value, bool):
                    cells.append(f'<{p}c r="{place}" t="b"><{p}v>{value:d}</{p}v></{p}c>')
                elif isinstance(value, (int, float)):
                    cells.append(f'<{p}c r="{place}" s="1"><{p}v>{value!r}</{p}v></{p}c>')
                elif value is not None:
                    texts.append(value)
                    cells.append(f'<{p}c r="{place}" t="s"><{p}v>{len(texts) - 1}</{p}v></{p}c>')
            page.append(f'<{p}row r="{number}">{"".join(cells)}</{p}row>')
        pages.append("".join(page))
    space = f'xmlns{prefix and ":" + prefix}="{MAIN}" xmlns:r="{LINKS}"'
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    root = "/xl/" if absolute else ""
    files = {
        "book": ("xl/workbook.xml", f"<{p}workbook {space}><{p}sheets>" + "".join(
            f'<{p}sheet name="{escape(name)}" sheetId="{i}" r:id="rId{i}"/>'
            for i, name in enumerate(sheets, 1)) + f"</{p}sheets></{p}workbook>"),
        "links": ("xl/_rels/workbook.xml.rels", '<Relationships xmlns="http://schemas.openxmlformats'
                  '.org/package/2006/relationships">' + "".join(
                      f'<Relationship Id="rId{i}" Type="{LINKS}/worksheet" '
                      f'Target="{root}worksheets/sheet{i}.xml"/>' for i in range(1, len(pages) + 1)) +
                  f'<Relationship Id="x" Type="{LINKS}/sharedStrings" '
                  f'Target="{root}sharedStrings.xml"/></Relationships>'),
        "texts": ("xl/sharedStrings.xml", f"<{p}sst {space}>" + "".join(
            f'<{p}si><{p}r><{p}t xml:space="preserve">{escape(text[:3])}</{p}t></{p}r><{p}r><{p}t>'
            f'{escape(text[3:])}</{p}t></{p}r><{p}rPh sb="0" eb="1"><{p}t>no</{p}t></{p}rPh></{p}si>'
            for text in texts) + f"</{p}sst>"),
        **{f"page{i}": (f"xl/worksheets/sheet{i}.xml",
                        f"<{p}worksheet {space}><{p}sheetData>{page}</{p}sheetData></{p}worksheet>")
           for i, page in enumerate(pages, 1)},
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("[Content_Types].xml", head + "<Types/>")
        for part, (name, content) in files.items():
            content = parts.get(part, content)
            if content is not None:
                book.writestr(name, head + content)


def typed(content):
    """The trace with types of all inputs: without them the reference has no roofline."""
    for event in content["traceEvents"]:
        dims = event.get("args", {}).get("Input Dims", ())
        if dims:
            event["args"]["Input type"] = ["c10::BFloat16"] * len(dims)
    return content


def rows_of(path):
    """The rows of a CSV as a workbook has them."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    def value(text):
        try:
            return float(text) if "." in text or "e" in text else int(text)
        except ValueError:
            return text or None
    return rows[:1] + [[value(text) for text in row] for row in rows[1:]]


class Files(Case):
    """Traces a and b, with their sheets as the reference has them, and as tpq does."""

    def prepare(self):
        self.write("a.json", typed(trace(1, steps=3, noise=0)))
        self.write("b.json", typed(trace(2, steps=3, noise=0, ops=changed("aten::bmm", times=1.5))))
        for name in ("a", "b"):
            self.tpq("report", f"{name}.json", "--compat", "--enable-kernel-summary",
                     "--output_csvs_dir", f"old_{name}")

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def book_of(self, name, **more):
        folder = self.path(f"old_{name}")
        sheets = {file[:-4]: rows_of(os.path.join(folder, file)) for file in os.listdir(folder)}
        workbook(self.path(f"{name}.xlsx"), sheets, **more)
        return sheets

    def sides(self, *arguments):
        return sheets_in(self.tpq("compare", *arguments, "--json").out)

    def level(self, *arguments):
        sheets = self.sides(*arguments)
        return sheets[next(name for name in sheets if name != "summary")]


class Words(Files):
    def test_what_the_sides_are(self):
        out = self.tpq("compare", "old_a", "b.json", "--by", "op").out
        self.assertRegex(out, r"(?m)^tpq \S+ · baseline old_a: sheets in a file$")
        self.assertRegex(out, r"(?m)^candidate b: run b\.json · ")


class Same(Files):
    LEVELS = ("timeline", "category", "op", "op_shape", "kernel", "ops_unique_args", "roofline")

    def test_a_run_and_its_own_export_have_the_same_rows(self):
        """What was left out of an export, and what a form cannot say, is no other key."""
        self.tpq("ingest", "-q", "--run", "a", "a.json")
        self.tpq("report", "a.json", "--xlsx=own.xlsx", "--csv", "own/")
        for level in self.LEVELS:
            for side in ("own.xlsx", "own"):
                if level != "kernel":
                    rows = self.level("a", side, "--normalize", "trace", "--by", level)
                    self.assertEqual({row["status"] for row in rows}, {"both"}, (level, side))

    def test_files_say_what_their_traces_do(self):
        """Whatever form the sheets have, what changed is the same."""
        for name, more in (("a", {}), ("b", {"prefix": "x", "absolute": True})):
            self.book_of(name, **more)
            self.tpq("report", f"{name}.json", "--enable-kernel-summary", f"--xlsx=own_{name}.xlsx")
            self.tpq("report", f"{name}.json", "--enable-kernel-summary", "--csv", f"own_{name}/")
        for level in self.LEVELS:
            own = self.sides("a.json", "b.json", "--normalize", "trace", "--by", level)
            for first, second in (("old_a", "old_b"), ("a.xlsx", "b.xlsx"), ("own_a", "own_b"),
                                  ("own_a.xlsx", "own_b.xlsx")):
                with self.subTest(level=level, files=first):
                    found = self.sides(first, second, "--names", "a", "b", "--by", level)
                    self.same(found[level], own[level], level == "roofline")

    def same(self, found, expected, is_part):
        """The reference has no roofline of some calls, and a folder no order."""
        def told(rows):
            return sorted((row.get("name", ""), *(round(row[key], 5) for key in ("value_1", "value_2", "diff")),
                           row["status"], row["verdict"]) for row in rows)
        self.assertGreater(len(found), 2)
        if is_part:
            self.assertEqual([row for row in told(found) if row not in told(expected)], [])
        else:
            self.assertEqual(told(found), told(expected))

    def test_a_column_that_one_side_lacks(self):
        """Sheets of served models tell rows apart by modules, too."""
        before = self.level("old_a", "old_b", "--by", "op")
        name = self.path("old_b/ops_summary.csv")
        with open(name, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        halves = [{**row, "parent_module": f"layer_{half}", **{
            column: float(row[column]) / 2 for column in ("total_direct_kernel_time_ms", "Count")}}
            for row in rows for half in (0, 1)]
        with open(name, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, halves[0])
            writer.writeheader()
            writer.writerows(halves)
        for sides in (("old_a", "old_b"), ("a.json", "old_b", "--normalize", "trace")):
            result = self.tpq("compare", *sides, "--by", "op")
            self.assertIn(f"rows are not told apart by parent_module, which {sides[0].split('.')[0]} "
                          "does not have", result.err)
            self.assertIn("; without parent_module, which", result.out)
            rows = self.level(*sides, "--by", "op")
            self.assertEqual([(row["name"], row["status"], round(row["diff"], 6), row["count_2"]) for row in rows],
                             [(row["name"], row["status"], round(row["diff"], 6), row["count_2"]) for row in before])
        rows = self.level("old_b", "old_b", "--names", "x", "y", "--by", "op")
        self.assertEqual({row["parent_module"] for row in rows}, {"layer_0", "layer_1"})

    def test_a_sheet_for_each_group(self):
        """The sheet's name is part of a row's key; a text that looks like a number stays a text."""
        ranks = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fixtures", "train", f"rank_{rank}.json.gz")
                 for rank in range(2)]
        self.tpq("report", *ranks, "--set", "multirank", "--csv", "ranks/")
        self.tpq("ingest", "--run", "kept", *ranks)
        level = ("--set", "multirank", "--normalize", "trace", "--by", "ranks_groups")
        rows = self.level("ranks", "kept", *level)
        self.assertEqual({row["op_group"] for row in rows}, {"gemm", "un_elemwise"})
        self.assertEqual({(row["status"], round(row["diff"], 6)) for row in rows}, {("both", 0)})
        self.write("ranks/gemm.csv", self.read("ranks/gemm.csv").replace("aten::mm,", "42,"))
        rows = self.level("ranks", "kept", *level)
        self.assertEqual({row["name"] for row in rows if row["status"] == "removed"}, {"42"})
        self.assertEqual({row["name"] for row in rows if row["status"] == "added"}, {"aten::mm"})

    def test_a_file_and_a_run(self):
        self.book_of("a")
        self.tpq("ingest", "--run", "kept", "a.json")
        self.tpq("report", "a.json", "--enable-kernel-summary", "--csv", "own/")
        for files in ("old_a", "a.xlsx", "own"):
            for level in ("timeline", "op", "op_shape", "kernel", "ops_unique_args"):
                with self.subTest(level=level, files=files):
                    rows = self.level(files, "kept", "--by", level)
                    self.assertTrue(rows)
                    for row in rows:
                        self.assertEqual(row["status"], "both", row)
                        self.assertAlmostEqual(row["diff"], 0, 6)

    def test_sheets_of_the_reference(self):
        self.book_of("a")
        self.book_of("b")
        def made(first, second):
            self.tpq("compare", first, second, "--names", "a", "b", "--compat", "--csv", "made/")
            found = {}
            for name in os.listdir(self.path("made")):
                with open(self.path("made", name), encoding="utf-8") as file:
                    found[name] = file.read()
                os.remove(self.path("made", name))
            return found
        own = made("a.json", "b.json")
        self.assertIn("unified_perf_summary_intersect_b.csv", own)
        for first, second in (("old_a", "old_b"), ("a.xlsx", "b.xlsx"), ("a.json", "b.xlsx")):
            found = made(first, second)
            self.assertEqual(sorted(set(own) - set(found)), [])
            for name, text in own.items():
                self.assertEqual(len(found[name].splitlines()), len(text.splitlines()), name)
                self.assertEqual(found[name].splitlines()[:1], text.splitlines()[:1], name)

    def test_a_gate(self):
        self.book_of("a")
        self.book_of("b")
        out = self.tpq("gate", "--baseline", "a.xlsx", "--candidate", "b.xlsx", "--single-ok",
                       status=1).out
        self.assertIn("aten::bmm", out)
        self.tpq("gate", "--baseline", "a.xlsx", "--candidate", "old_a", "--single-ok")

    def test_names(self):
        self.book_of("a")
        self.book_of("b")
        names = [row["side"] for row in self.sides("a.xlsx", "old_b")["summary"]]
        self.assertEqual(names, ["a", "old_b"])
        self.one_line(self.tpq("compare", "a.xlsx", "old_b", "--xlsx=a.xlsx", "--force", status=2))


class Kept(Files):
    """What is compared is never written over."""

    def test_inputs(self):
        self.tpq("report", "a.json", "--xlsx=a.xlsx")
        for folder, name in (("ta", "a"), ("tb", "b")):
            self.write(f"{folder}/{name}.json", self.read(f"{name}.json"))
        before = self.snapshot()
        for sides, output, named in ((("old_a", "old_b"), ("--csv", "old_a"), "old_a"),
                              (("old_a", "old_b"), ("--csv", "old_b/"), "old_b/"),
                              (("old_a", "old_b", "--compat"), ("--csv", "old_b"), "old_b"),
                              (("old_a", "old_b"), ("--output-path", "./old_a"), "old_a"),
                              (("old_a", "b.json"), ("--csv", "old_a/ops_summary.csv"), "ops_summary.csv"),
                              (("a.xlsx", "b.json"), ("--xlsx=a.xlsx", "--force"), "a.xlsx"),
                              (("ta", "tb"), ("--csv", "ta"), "ta"),
                              (("ta", "tb"), ("--json=tb/b.json",), "tb/b.json")):
            with self.subTest(output):
                self.one_line(self.tpq("compare", *sides, *output, status=2), f"{named} is an input")
        self.assertEqual(self.snapshot(), before)
        self.tpq("compare", "ta", "tb", "--json=tb/changes.json")


class Wrong(Files):
    def refused(self, first, *parts, arguments=(), status=3):
        before = self.snapshot()
        self.one_line(self.tpq("compare", first, "old_b", *arguments, "--json=out.json",
                               status=status), *parts)
        self.assertEqual(self.snapshot(), before)

    def test_what_is_no_workbook_of_ours(self):
        workbook(self.path("foreign.xlsx"), {"Sheet1": [["a", "b"], [1, 2]]})
        self.refused("foreign.xlsx", "foreign has no sheet unified_perf_summary")
        workbook(self.path("lacks.xlsx"), {"unified_perf_summary": [["name", "calls"], ["x", 1]]})
        self.refused("lacks.xlsx", "sheet unified_perf_summary has no column 'Input Dims'")
        self.write("old.xls", b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1" + bytes(600))
        self.refused("old.xls", r"old\.xls: a workbook of the old kind")
        self.refused("old_a", "no sheet", arguments=("--by", "kernel_shape"))

    def test_damage(self):
        self.book_of("a")
        with open(self.path("a.xlsx"), "rb") as file:
            whole = file.read()
        self.write("cut.xlsx", whole[:len(whole) // 2])
        self.refused("cut.xlsx", "cut.xlsx: ")
        flipped = bytearray(whole)
        flipped[len(whole) // 2] ^= 0xFF
        self.write("flipped.xlsx", bytes(flipped))
        self.tpq("compare", "flipped.xlsx", "old_b", status=3)
        sheet = {"unified_perf_summary": [["name"], ["x"]]}
        for parts, words in (
                ({"links": None}, "lacks its part xl/_rels/workbook.xml.rels"),
                ({"page1": None}, "lacks its part xl/worksheets/sheet1.xml"),
                ({"page1": "<worksheet><sheetData>"}, "ends early"),
                ({"page1": "<worksheet></sheetData>"}, "its XML is damaged in line 2"),
                ({"page1": '<!DOCTYPE a [<!ENTITY b "c">]><worksheet>&b;</worksheet>'},
                 "no document type"),
                ({"page1": '<worksheet><row r="1"><c r="A1" t="s"><v>99</v></c></row></worksheet>'},
                 "unified_perf_summary: a cell names a text that the workbook has not"),
                ({"page1": '<worksheet><row r="1"><c r="A1"><v>x</v></c></row></worksheet>'},
                 "a cell that should be a number is none"),
                ({"page1": '<worksheet><row r="1"><c r="ZZZZ1"/></row></worksheet>'},
                 "a cell is not where it says")):
            workbook(self.path("x.xlsx"), sheet, **parts)
            self.refused("x.xlsx", r"^tpq: x\.xlsx: ", words)
        self.write("old_a/ops_summary.csv", 'name,Count\n"a"b,1\n')
        self.refused("old_a", "ops_summary.csv: not CSV")
        self.write("old_a/ops_summary.csv", 'name,Count,x\na,1,2\nb,3')
        self.refused("old_a", "ops_summary.csv: row 3 has 2 of 3 fields; is the file cut off")

    def test_what_cannot_be_asked_of_a_file(self):
        for arguments in (("--step", "1"), ("--rank", "0"), ("--time", "0-1"),
                          ("--normalize", "token")):
            self.refused("old_a", "nothing can be selected", arguments=arguments, status=2)
        self.refused("old_a", "no profiler steps", arguments=("--normalize", "step"))

    def test_sheets_that_are_named(self):
        self.write("few/ops_summary.csv", "name,Count,total_direct_kernel_time_ms\na,1,2\n")
        arguments = ("--compat", "--sheets", "kernel_summary")
        self.refused("few", "few has no sheet named 'kernel_summary'", arguments=arguments)
        err = self.tpq("compare", "few", "old_b", "--compat", "--csv", "out/").err
        self.assertIn("kernel_summary is skipped: few has no such sheet", err)
        self.assertEqual(os.listdir(self.path("out")), ["ops_summary.csv"])

    def test_words_about_a_sheet_are_no_rows(self):
        rows = self.book_of("a")["ops_summary"]
        self.assertEqual(len(self.level("a.xlsx", "old_b", "--by", "op")), len(rows) - 1)
        self.tpq("report", "a.json", "--xlsx=noted.xlsx")
        self.assertEqual(len(self.level("noted.xlsx", "old_b", "--by", "op")), len(rows) - 1)
        self.assertEqual({op[0] for op in OPS},
                         {row["name"] for row in self.level("a.xlsx", "a.xlsx", "--names", "x", "y",
                                                            "--by", "op")})


class Worked(Case):
    """Sheets of files whose differences were worked out elsewhere."""

    TIMELINE = [  # type, base ms and percent, other ms and percent, difference, its share
        ("busy_time", 31197.57859527588, 46.90951336728725, 15742.27262841797, 21.88943104112027,
         -15455.305966857912, -49.54008183570453),
        ("idle", 35308.28845776367, 53.09048663271274, 56174.95810656738, 78.11056895887974,
         20866.669648803705, 59.09850225044112),
        ("memory", 0.0, 0.0, 0.0, 0.0, 0.0, None),
        ("total_time", 66505.86705303955, 100, 71917.23073498535, 100, 5411.363681945804,
         8.136671126519035)]
    KERNELS = ("name,Count,Mean Kernel Time (µs),Median Kernel Time (µs),Std Kernel Time (µs),"
               "Min Kernel Time (µs),Max Kernel Time (µs),Percentage (%),Cumulative Percentage (%),"
               "Total Kernel Time (ms),Category\n")

    def sheets(self, name, heading, left, right):
        for side, rows in (("b", left), ("v", right)):
            text = "".join(",".join(str(cell) for cell in row) + "\n" for row in rows)
            self.write(f"{side}/{name}.csv", heading + text)

    def compare(self, *arguments):
        return self.tpq("compare", "b", "v", *arguments)

    def compared(self, name):
        self.compare("--compat", "--csv", "out/")
        with open(self.path("out", f"{name}.csv"), encoding="utf-8", newline="") as file:
            return list(csv.reader(file))

    def test_a_timeline(self):
        self.sheets("gpu_timeline", "type,time ms,percent\n",
                    [row[:3] for row in self.TIMELINE],
                    [(row[0], *row[3:5]) for row in self.TIMELINE])
        heading, *rows = self.compared("gpu_timeline")
        self.assertEqual(heading, ["type", "time ms__v_diff", "time ms__v_pct", "b::time ms",
                                   "b::percent", "v::time ms", "v::percent"])
        for row, (name, base, base_part, other, other_part, more, share) in zip(rows, self.TIMELINE):
            self.assertEqual(row[0], name)
            expected = (more, share, base, base_part, other, other_part)
            for found, figure in zip(row[1:], expected):
                if figure is None:
                    self.assertEqual(found, "")
                else:
                    self.assertAlmostEqual(float(found), figure, 9)

    def test_kernels_of_rocprof(self):
        """Their sheet is told by its headings: a name is a kernel's, and there is no Kernel name."""
        def row(name, total, count, *more):
            return (name, count, total * 1000 / count, 1, 1, 1, 1, 50, 50, total, "COMM", *more)
        self.sheets("kernel_summary", self.KERNELS,
                    [row("ncclDevKernel_Generic_1", 27018592.547, 270), row("a", 1, 2)],
                    [row("ncclDevKernel_Generic_1", 11347820.855, 270), row("b", 1, 2)])
        heading, *rows = self.compared("kernel_summary")
        self.assertEqual(heading, [
            "name", "Total Kernel Time (ms)__v_diff", "Total Kernel Time (ms)__v_pct",
            "Mean Kernel Time (µs)__v_diff", "Mean Kernel Time (µs)__v_pct", "Count__v_diff",
            "Count__v_pct", "b::Count", "b::Mean Kernel Time (µs)", "b::Percentage (%)",
            "b::Cumulative Percentage (%)", "b::Total Kernel Time (ms)", "v::Count",
            "v::Mean Kernel Time (µs)", "v::Percentage (%)", "v::Total Kernel Time (ms)"])
        first = dict(zip(heading, rows[0]))
        for name, figure in (("Total Kernel Time (ms)__v_diff", -15670771.692),
                             ("Total Kernel Time (ms)__v_pct", -57.99995564069454),
                             ("Mean Kernel Time (µs)__v_diff", -58039895.155555576),
                             ("Count__v_diff", 0), ("Count__v_pct", 0)):
            self.assertAlmostEqual(float(first[name]), figure, 6)
        self.assertEqual([row[0] for row in rows], ["ncclDevKernel_Generic_1", "a", "b"])
        self.assertEqual([row[1] for row in rows[1:]], ["", ""])
        rows = sheets_in(self.compare("--by", "kernel", "--json").out)["kernel"]
        self.assertEqual([row["status"] for row in rows], ["added", "both", "removed"])

    def test_calls_and_their_length(self):
        self.sheets("ops_summary", "name,Count,total_direct_kernel_time_ms\n", [("op", 10, 50)],
                    [("op", 12, 72)])
        row, = sheets_in(self.compare("--by", "op", "--json").out)["op"]
        self.assertEqual([row[name] for name in ("diff", "mix", "rate")], [22, 10, 12])

    def test_a_base_of_nothing(self):
        """Parts that only one has, and a share of 0."""
        self.sheets("ops_summary", "name,Count,total_direct_kernel_time_ms\n",
                    [("mm", 1, 10), ("add", 1, 4), ("zero", 1, 0)],
                    [("mm", 1, 15), ("mul", 1, 2), ("zero", 1, 3)])
        heading, *rows = self.compared("ops_summary")
        self.assertEqual(heading[:3], ["name", "total_direct_kernel_time_ms__v_diff",
                                       "total_direct_kernel_time_ms__v_pct"])
        self.assertEqual([row[:3] for row in rows],
                         [["mm", "5.0", "50.0"], ["add", "", ""], ["zero", "3.0", ""], ["mul", "", ""]])
        rows = sheets_in(self.compare("--by", "op", "--json").out)["op"]
        self.assertEqual({row["name"]: (row["status"], row["diff"], row["pct"]) for row in rows},
                         {"mm": ("both", 5, 50), "add": ("removed", -4, None),
                          "zero": ("both", 3, None), "mul": ("added", 2, None)})


if __name__ == "__main__":
    main()
