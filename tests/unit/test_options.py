"""Every option that a view, a report or a table of C reads is a row of sql/binding/options.h, by the
same spelling, and every row is read.

    test_options.py [Options.test_NAME ...]
"""

import collections
import re
import unittest
from pathlib import Path

from looked import looked_at

ROOT = Path(__file__).resolve().parents[2]
ROWS = re.compile(r'\b(?:ROW|SET|TOLD)\(\s*"([\w-]+)"')
IN_SQL = re.compile(r"tpq_option\('([\w-]+)'\)")
IN_C = re.compile(r'(context_get\([^;"]*|ranges_option\([^;"]*|\bhas_option\([^;"]*|\bhas\(context, |'
                  r'\bcontext_set\(context, |is_asked\([^;"]*)"([\w-]+)"')
WAYS = ("tpq_option", "context_get", "ranges_option", "has_option", "has", "context_set", "is_asked", "when", "columns-when",
        "keep-empty")
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
    found, ways = {}, collections.Counter(dict.fromkeys(WAYS, 0))
    for room in ("sql", "query", "src"):
        for path in sorted((ROOT / room).rglob("*")):
            if path.suffix not in (".c", ".h", ".sql"):
                continue
            text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
            names = [("tpq_option", name) for name in IN_SQL.findall(text)]
            names += [(call.split("(")[0], name) for call, name in IN_C.findall(text)]
            for key, words in DECLARED.findall(text) if path.parent.name == "reports" else []:
                names += [(key, name) for name in declared(key, words)]
            for way, name in names:
                ways[way] += 1
                found.setdefault(name, path.relative_to(ROOT))
    looked_at(**ways)
    return found


class Options(unittest.TestCase):
    def test_what_is_read_has_a_row(self):
        rows = known()
        looked_at(rows=len(rows))
        self.assertEqual({}, {name: place for name, place in read().items() if name not in rows})

    def test_a_row_is_read(self):
        text = "".join(path.read_text() for path in sorted((ROOT / "sql").rglob("*.c"))
                       + sorted((ROOT / "src").rglob("*.c")))
        self.assertEqual(set(), {name for name in known() - set(read()) if f'"{name}"' not in text})


if __name__ == "__main__":
    unittest.main()
