#!/usr/bin/env python3
"""portable: views over many runs (sql/fleet) stay within what every engine means the same by."""

import pathlib
import re
import sys
import unittest

from looked import looked_at

FLEET = pathlib.Path(__file__).resolve().parents[2] / "sql" / "fleet"

# What one engine lacks, or means something else by.
REFUSED = {
    r"\bFILTER\b": "CASE WHEN", r"\bREGEXP\b|\bGLOB\b|\bMATCH\b": "no patterns", r"\bLIKE\b(?! lower\()": "lower() on both sides",
    r"\bjson_\w+|->": "no JSON", r"\bprintf\b|\bformat\b": "no texts made of numbers",
    r"\bCROSS JOIN\b[^;]*?\bON\b": "JOIN", r"\b(?:min|max)\([^()]*,": "CASE WHEN", r"\biif\b|\bifnull\b|\btotal\(": "CASE WHEN",
    r"\bAS (?:REAL|FLOAT|INTEGER|INT|NUMERIC|TEXT)\)": "DOUBLE PRECISION or BIGINT", r"\bIS NOT (?!NULL)|\bIS (?!NOT|NULL)": "=",
    r"\bSELECT \*|\.\*": "names of columns", r"\btpq_\w+|\bscope\b|\binterval_\w+|\bmedian\b|\bpercentile\w*|\barg\(": "no function of tpq",
    r"\bWHERE \w+(?:\s*\)|\s*$|\s+AND\b|\s+GROUP\b)": "a comparison", r"\bround\(|\btrunc\(": "no rounding", r"\bDISTINCT ON\b": "GROUP BY",
    r"\bFROM VALUES|\(VALUES": "VALUES in a named CTE", r"\bLIMIT\b|\bOFFSET\b": "all rows", r'"': "plain names",
    r"\bMATERIALIZED\b": "WITH", r"\bIN \(SELECT\b|\bEXISTS\b": "JOIN",
}


def statement(text):
    """Without comments."""
    return re.sub(r"--[^\n]*", "", text)


def faults(text):
    sql, found = statement(text), []
    for pattern, instead in REFUSED.items():
        hit = re.search(pattern, sql, re.M)
        if hit:
            found.append(f"{hit.group(0)!r}: {instead}")
    for divisor in re.findall(r"/ *([^\s,;]+(?: AS DOUBLE PRECISION)?)", sql):
        if not re.match(r"1000(000)?\b|CAST\(|\w*\.?\w*(_ms|_us)\b", divisor):
            found.append(f"/ {divisor}: division of what is no real number")
    for dividend in re.findall(r"(?m)(?:THEN|,|^) *([^,\n]*?) /", sql):
        if not re.search(r"CAST\(.* AS DOUBLE PRECISION\)|_ms\b|_us\b", dividend):
            found.append(f"{dividend} /: division of what is no real number")
    names = {name for name in re.findall(r"\b(\w+) AS \(", sql)}
    for table in re.findall(r"\b(?:FROM|JOIN) (\w+)", sql):
        if table not in names and not re.match("fact_|sheet_", table):
            found.append(f"{table}: neither a fact nor a sheet")
    for keys in re.findall(r"GROUP BY ([^)\n;]+)", sql):
        if not re.match(r"(\w+\.)?run\b", keys):
            found.append(f"GROUP BY {keys}: without run, rows of runs are brought together")
    for alias in re.findall(r"JOIN (\w+) ON ([^\n]+)", sql):
        if ".run = " not in alias[1]:
            found.append(f"JOIN {alias[0]}: without run")
    for column in split_columns(sql):
        if not re.search(r" AS \w+$", column.strip()):
            found.append(f"{column.strip()}: without a name")
    if not re.search(r"ORDER BY [^()]+;\s*$", sql):
        found.append("rows in no order")
    return found


def split_columns(sql):
    """The columns of the last SELECT."""
    text = sql[sql.rindex("\nSELECT\n") + len("\nSELECT\n"):]
    text, depth, columns, start = text[:text.index("\nFROM ")], 0, [], 0
    for at, letter in enumerate(text):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and not depth:
            columns.append(text[start:at])
            start = at + 1
    return columns + [text[start:]]


class Portable(unittest.TestCase):
    def test_every_view(self):
        files = [path for path in sorted(FLEET.glob("*.sql")) if "CREATE VIEW fleet_" in path.read_text(encoding="utf-8")]  # others stand on kept answers
        self.assertGreaterEqual(len(files), 7)
        whole = "".join(statement(path.read_text(encoding="utf-8")) for path in files)
        looked_at(views=len(files), **{word: whole.count(word) for word in ("FROM", "JOIN", "GROUP BY", "ORDER BY", "CAST")})
        for path in files:
            text = path.read_text(encoding="utf-8")
            with self.subTest(view=path.name):
                self.assertIn("-- set: fleet\n", text)
                self.assertIn(f"CREATE VIEW fleet_{path.stem} AS", text)
                self.assertEqual(faults(text), [])

    def test_what_is_refused(self):
        good = (FLEET / "kernel.sql").read_text(encoding="utf-8")
        for old, new in (("count(*)", "count(*) FILTER (WHERE bytes > 0)"), ("DOUBLE PRECISION", "REAL"), ("BIGINT", "INTEGER"),
                         ("GROUP BY run, kind, name", "GROUP BY kind, name"), ("max(dur_ns)", "max(dur_ns, 1)"),
                         ("FROM fact_gpu", "FROM gpu_event"), ("FROM fact_gpu", "FROM fact_gpu\n  WHERE has_op"),
                         ("ON whole.run = grouped.run", "ON 1 = 1"), ("grouped.run AS run", "grouped.run"),
                         ("CAST(grouped.max_ns AS DOUBLE PRECISION) / 1000", "grouped.max_ns / 1000"),
                         ("ORDER BY grouped.run", "-- ORDER BY grouped.run"), ("CAST(whole.total_ns AS DOUBLE PRECISION)", "total_ns"),
                         ("FROM fact_gpu", "FROM fact_gpu\n  WHERE name LIKE 'a%'"), ("min(dur_ns)", "round(min(dur_ns))"),
                         ("kind AS kind", "json_extract(args, '$') AS kind"), ("FROM fact_gpu", "FROM fact_gpu\n  WHERE kind IS NOT 'a'")):
            self.assertIn(old, good)
            self.assertTrue(faults(good.replace(old, new)), new)


if __name__ == "__main__":
    sys.exit(unittest.main())
