"""tpq report: every form of output, as it was when somebody last looked at it and found it good.

The files are in tests/golden. After a change that is meant, `TPQ_WRITE_GOLDEN=1 python3
tests/cli/test_report_golden.py` writes them again; look at the difference before it is committed.
"""

import os
import re
import shutil
import xml.etree.ElementTree
import zipfile

from support import main
from test_report import RANK_0, Reports

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden")
WRITE = bool(os.environ.get("TPQ_WRITE_GOLDEN"))
NAMES = ["gpu_timeline", "ops_summary", "short_kernels_summary", "coll_analysis"]
CELL = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def cells_of(path):
    """A workbook as text: its sheets with their cells, a line a row."""
    lines = []
    with zipfile.ZipFile(path) as book:
        read = lambda name: xml.etree.ElementTree.fromstring(book.read(name))
        shared = []
        if "xl/sharedStrings.xml" in book.namelist():
            shared = ["".join(item.itertext()) for item in read("xl/sharedStrings.xml")]
        for number, sheet in enumerate(read("xl/workbook.xml").iter(CELL + "sheet"), 1):
            lines.append(f"[{sheet.get('name')}]")
            for row in read(f"xl/worksheets/sheet{number}.xml").iter(CELL + "row"):
                words = []
                for cell in row.iter(CELL + "c"):
                    text = "".join(cell.itertext())
                    words.append(repr(shared[int(text)] if cell.get("t") == "s" else text))
                lines.append(" ".join(words))
    return "\n".join(lines) + "\n"


class Golden(Reports):
    def setUp(self):
        super().setUp()
        shutil.copy(RANK_0, self.path("rank_0.json.gz"))

    def same(self, name, text):
        text = re.sub(r"(tpq\W{1,5})\d+\.\d+\.\d+", r"\1VERSION", text)
        path = os.path.join(GOLDEN, name)
        if WRITE:
            os.makedirs(GOLDEN, exist_ok=True)
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write(text)
        with open(path, encoding="utf-8", newline="") as file:
            self.assertEqual(text, file.read(), f"{name}: see the head of this test")

    def made(self, *options):
        return self.report("rank_0.json.gz", *NAMES, *options).out

    def test_csv(self):
        for name in NAMES:
            for compat in ([], ["--compat"]):
                text = self.report("rank_0.json.gz", name, "--csv", "-", *compat).out
                self.same(f"{name}{'_compat' if compat else ''}.csv", text)

    def test_json(self):
        self.same("report.json", self.made("--json"))

    def test_json_lines(self):
        self.same("report.jsonl", self.made("--jsonl"))

    def test_markdown(self):
        self.same("report.md", self.made("--markdown"))

    def test_workbook(self):
        self.made("--xlsx=a.xlsx")
        self.same("report.xlsx.txt", cells_of(self.path("a.xlsx")))

    def test_tables(self):
        self.made("--into-tables", "--db", "new.db", "--csv", "out")
        lines = []
        for name in (*NAMES, "meta"):
            columns = self.rows("SELECT name FROM pragma_table_info(?)", f"frozen_{name}",
                                db=self.path("new.db"))
            lines.append(f"[frozen_{name}] " + " ".join(column for (column,) in columns))
            lines += [repr(row) for row in self.rows(f"SELECT * FROM frozen_{name}",
                                                       db=self.path("new.db"))]
        self.same("report.tables.txt", "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
