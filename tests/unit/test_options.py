"""Every option that a view, a report or a table of C reads is a row of sql/binding/options.h, by the
same spelling, and every row is read.

    test_options.py [Options.test_NAME ...]
"""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROWS = re.compile(r'\b(?:ROW|SET|TOLD)\(\s*"([\w-]+)"')
IN_SQL = re.compile(r"tpq_option\('([\w-]+)'\)")
IN_C = re.compile(r'(?:context_get\([^;"]*|launcher_rows_option\(\w+, |\bhas\(context, |'
                  r'\bput\(context, |is_asked\([^;"]*)"([\w-]+)"')
DECLARED = re.compile(r"(?m)^-- (when|columns-when|keep-empty): (.+)$")


def known():
    return set(ROWS.findall((ROOT / "sql/binding/options.h").read_text()))


def declared(key, words):
    """Options in a declaration: CONDITION, ...; of columns COLUMN CONDITION, ..."""
    for part in words.split(","):
        part = part.split()
        part = part[1:] if key == "columns-when" else part
        if part and part[-1] not in ("never", "yes"):
            yield part[-1].split("=")[0]


def read():
    """Each option that is read, with a place that does."""
    found = {}
    for room in ("sql", "query", "src"):
        for path in sorted((ROOT / room).rglob("*")):
            if path.suffix not in (".c", ".h", ".sql"):
                continue
            text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
            names = IN_SQL.findall(text) + IN_C.findall(text)
            for key, words in DECLARED.findall(text) if path.parent.name == "reports" else []:
                names += declared(key, words)
            for name in names:
                found.setdefault(name, path.relative_to(ROOT))
    return found


class Options(unittest.TestCase):
    def test_what_is_read_has_a_row(self):
        self.assertEqual({}, {name: place for name, place in read().items()
                              if name not in known()})

    def test_a_row_is_read(self):
        text = "".join(path.read_text() for path in sorted((ROOT / "sql").rglob("*.c"))
                       + sorted((ROOT / "src").rglob("*.c")))
        self.assertEqual(set(), {name for name in known() - set(read()) if f'"{name}"' not in text})


if __name__ == "__main__":
    unittest.main()
