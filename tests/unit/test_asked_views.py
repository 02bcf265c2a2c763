#!/usr/bin/env python3
"""asked_views: the views that tables in C ask while a statement runs stay in sight of a connection
(sql/views.c); when one is missing there, a warehouse that is open for reading cannot give it.

Reads the C files of sql/ and takes what stands behind FROM and JOIN.
"""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def views():
    """The text of each view by name, without comments and texts."""
    found = {}
    for folder in ("views", "reports", "fleet"):
        for path in sorted((ROOT / "sql" / folder).glob("*.sql")):
            text = re.sub(r"--.*|'[^']*'", "", path.read_text())
            found.update(re.findall(r"^CREATE VIEW (\w+)(.*?;)", text, re.M | re.S))
    return found


def asked(known):
    """The views that SQL in C names, and all below them."""
    found, open_ones = set(), set()
    for path in sorted((ROOT / "sql").glob("*/*.c")):
        whole = re.sub(r'"\n\s*"', "", path.read_text())  # texts in several pieces
        named = re.findall(r"\b(?:FROM|JOIN)\s+(\w+)", whole)
        open_ones |= set(named) & set(known)
    while open_ones:
        name = open_ones.pop()
        found.add(name)
        open_ones |= (set(re.findall(r"\w+", known[name])) & set(known)) - found
    return found


class AskedViews(unittest.TestCase):
    def test_the_list_is_whole(self):
        source = (ROOT / "sql" / "views.c").read_text()
        listed = re.search(r"asked\[\] = \{(.*?)\}", source, re.S).group(1)
        self.assertEqual(sorted(re.findall(r"\w+", listed)), sorted(asked(views())))

    def test_one_view_has_rules_asked(self):
        source = (ROOT / "sql" / "provider.c").read_text()
        users = [name for name, text in views().items() if re.search(r"\badvice_question\b", text)]
        self.assertEqual(users, re.findall(r'asks_rules \|= strcmp\(view->name, "(\w+)"', source))


if __name__ == "__main__":
    sys.exit(unittest.main())
