#!/usr/bin/env python3
"""prepared: who prepares statements without asking for views (database_prepare, sql/database.h).

A connection that reads has few views; a statement that is prepared by SQLite alone finds none of
the others, and says so only in those warehouses. Here stands what may: statements that name tables
and the schema alone, and what comes before there are any views.
"""

import pathlib
import re
import sys
import unittest

from looked import looked_at

ROOT = pathlib.Path(__file__).resolve().parents[2]

# How often each file does.
ALONE = {
    "sql/database.c": 8,                # what asks for views
    "sql/evaluate/compile.c": 1,        # expressions of models, no tables
    "sql/merge/merge_source.c": 1,      # open for writing
}


def alone():
    """How often a file has SQLite itself prepare; running texts (sqlite3_exec) with a question
    in them is the same."""
    found, files, runs = {}, 0, 0
    for folder in ("query", "sql", "src"):
        for path in sorted((ROOT / folder).rglob("*.c")):
            name = str(path.relative_to(ROOT))
            if name.startswith("sql/extensions/"):  # those are for users
                continue
            text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
            files, runs = files + 1, runs + len(re.findall(r"\bsqlite3_exec\s*\(", text))
            count = len(re.findall(r"\bsqlite3_(?:prepare(?:16)?(?:_v[23])?|get_table)\s*\(", text))
            count += len(re.findall(r"\bsqlite3_exec\s*\([^;]*?\b(?:FROM|JOIN)\b", text))
            if count:
                found[name] = count
    looked_at(files=files, statements=sum(found.values()), calls_of_exec=runs)
    return found


class Prepared(unittest.TestCase):
    maxDiff = None

    def test_only_these(self):
        self.assertEqual(ALONE, alone())


if __name__ == "__main__":
    sys.exit(unittest.main())
