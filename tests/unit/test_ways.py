#!/usr/bin/env python3
"""ways: the four ways through the code that src/architecture.md tells lead where it says.

Each step names a file and something in it; the file has it, and in C, a file of an earlier step of
the same way or its header calls it by that name.
"""

import pathlib
import re
import unittest

from looked import looked_at

ROOT = pathlib.Path(__file__).resolve().parents[2]
STEP = re.compile(r"^(\d+)\. `([^`]+)` `([^`]+)`: ", re.M)


def ways():
    """Lists of (file, name), one for each way."""
    found = []
    for number, path, name in STEP.findall((ROOT / "src/architecture.md").read_text()):
        if number == "1":
            found.append([])
        found[-1].append((path, name))
    return found


def names(path, name):
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", (ROOT / path).read_text()) is not None


class Ways(unittest.TestCase):
    def test_there_are_four(self):
        self.assertEqual([len(way) >= 8 for way in ways()], [True] * 4)

    def test_files_have_what_they_are_said_to_have(self):
        lost = [step for way in ways() for step in way if not names(*step)]
        self.assertEqual(lost, [])

    def test_an_earlier_step_leads_to_each_function(self):
        lost, functions, found = [], 0, ways()
        for way in found:
            for at, (path, name) in enumerate(way):
                is_function = path.endswith(".c") and re.search(
                    rf"^(?!static)[a-z].*\b{name}\(", (ROOT / path).read_text(), re.M)
                functions += bool(is_function)
                if at and is_function and not any(names(before, name) for before, _ in way[:at]):
                    lost.append(f"{path}: {name}")
        looked_at(steps=sum(map(len, found)), functions=functions)
        self.assertEqual(lost, [])


if __name__ == "__main__":
    unittest.main()
