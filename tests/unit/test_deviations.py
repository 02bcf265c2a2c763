"""Every branch on --compat names its row of the table `deviation`, and every row is carried out, or
says `by nothing` that --compat does the same.

    test_deviations.py [Deviations.test_NAME ...]

Reads the sources: names in like_reference (C) and tpq_like_reference (SQL), rows in
sql/catalog/*deviation*.sql.
"""

import re
import unittest
from pathlib import Path

from looked import looked_at

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("ingest", "sql", "query", "src")
ROW = re.compile(r"^  \('((?:[^']|'')+)', '")
MARK = re.compile(r"^-- by (rows|declaration|nothing): (.+)$")
IN_C = re.compile(r'like_reference\(((?:[^()"]|\((?:[^()]|\([^()]*\))*\))*),\s*"([^"]+)"\s*\)')
IN_SQL = re.compile(r"tpq_like_reference\('([^']+)'\)")


def sources(*endings):
    return [path for room in ROOMS for path in sorted((ROOT / room).rglob("*"))
            if path.suffix in endings]


def rows():
    """The name of each row with what is said to carry it out: None, or a kind and words."""
    found = {}
    for path in sorted((ROOT / "sql/catalog").glob("*deviation*.sql")):
        mark = None
        for line in path.read_text().splitlines():
            said = MARK.match(line)
            if said:
                mark = said.groups()
            row = ROW.match(line)
            if row:
                found[row[1].replace("''", "'")] = mark
            elif not line.strip():
                mark = None
    return found


def names():
    """Each name in the sources with the places that have it."""
    found = {}
    for path in sources(".c", ".h", ".sql"):
        text = path.read_text()
        said = [match[2] for match in IN_C.finditer(text)] if path.suffix != ".sql" else []
        for name in said + IN_SQL.findall(text):
            found.setdefault(name, []).append(path.relative_to(ROOT))
    return found


def bare(text):
    """C without comments, texts and branches that have a name."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r'\bcompat = \w+\([^";]*"compat"\)', "", text)  # where it is read
    text = re.sub(r"\S*compat == \S*compat\b", "", text)  # whether it is what it was
    text = IN_C.sub("NAMED", text)
    return re.sub(r'"(?:[^"\\]|\\.)*"', lambda word: word[0] if word[0] == '"compat"' else '""',
                  text)


class Deviations(unittest.TestCase):
    def test_a_name_has_a_row(self):
        known, named = rows(), names()
        in_sql = [path.suffix == ".sql" for places in named.values() for path in places]
        looked_at(names=len(named), places_in_SQL=sum(in_sql), places_in_C=len(in_sql) - sum(in_sql))
        for name, places in named.items():
            with self.subTest(name, places=places):
                if name.endswith(":"):
                    self.assertTrue([row for row, mark in known.items()
                                     if row.startswith(name) and mark and mark[0] == "rows"])
                else:
                    self.assertIn(name, known)

    def test_a_row_has_a_name(self):
        known, named = rows(), names()
        looked_at(rows=len(known), marked=sum(map(bool, known.values())))
        for row, mark in known.items():
            with self.subTest(row):
                self.assertTrue(row in named or mark)

    def test_what_is_said_to_carry_rows_out_is_there(self):
        known = rows()
        looked_at(**{kind: sum(mark is not None and mark[0] == kind for mark in known.values())
                     for kind in ("rows", "declaration", "nothing")})
        for row, mark in known.items():
            for words in mark[1].split() if mark and mark[0] != "nothing" else []:
                with self.subTest(row, by=words):
                    if mark[0] == "rows":
                        table, column = words.split(".")
                        schema = "".join(path.read_text() for path in sources(".sql")
                                         if path.parent.name == "schema")
                        body = schema.split(f"CREATE TABLE {table} (")[1].split(") STRICT")[0]
                        self.assertRegex(body, rf"(?m)^  {column} .*'fixed', 'compat'")
                    else:
                        report = ROOT / "sql/reports" / f"{words}.sql"
                        self.assertRegex(report.read_text(), r"(?m)^-- columns-when: .*\bcompat\b|^-- .*not compat")

    def test_nothing_branches_without_a_name(self):
        for path in sources(".sql"):
            with self.subTest(path.relative_to(ROOT)):
                self.assertNotIn("tpq_option('compat')", path.read_text())
        branch = re.compile(r"(![\w.>()-]*|(?:&&|\|\||\?|\bif \(|\bwhile \(|\breturn )\s*!?[\w.>-]*)"
                            r'\b(?<!")compat\b(?!\w)|\bcompat\b\)* *(\?|&&|\|\|)')
        texts = {path: path.read_text() for path in sources(".c", ".h") if path.name != "deviation.h"}
        texts = {path: bare(text) for path, text in texts.items() if re.search("compat|like_reference", text)}
        looked_at(files=len(texts), **{f"places_of_{word}": sum(len(re.findall(rf"\b{word}\b", text)) for text in texts.values())
                                       for word in ("compat", "NAMED")})
        for path, text in texts.items():
            with self.subTest(path.relative_to(ROOT)):
                self.assertEqual([], [found[0] for found in branch.finditer(text)])
                if path.name != "scope.c":
                    self.assertEqual([], re.findall(r'.*(?<!\{)(?<!ROW\()"compat"(?! :).*', text))


if __name__ == "__main__":
    unittest.main()
