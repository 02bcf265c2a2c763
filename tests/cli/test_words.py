"""Texts that users see are in the words of `tpq help words`, and stand on their own."""
import json
import re

from support import VERBS, Case, main

SENTENCE = 25  # words


def glossary(text):
    """The words that tpq does not use: the right column, which begins where its first row has it."""
    rows = text.split("\n\n")[1].splitlines()
    place = rows[0].rindex("  ") + 2
    cells = [row[place:].strip() for row in rows]
    whole = []  # a cell may go on in the next row, where the left column is empty
    for row, cell in zip(rows, cells):
        if row[:20].strip() and not (whole and not row[:26].strip()):
            whole.append(cell)
        else:
            whole[-1] = f"{whole[-1]} {cell}".strip()
    return [word for cell in whole for word in cell.split(", ") if word not in ("", "-")]


class Words(Case):
    def texts(self):
        """Of everything that can be asked: where it stands, and what it says."""
        for verb in VERBS:
            yield f"help {verb}", self.tpq("help", verb).out
        yield "help", self.tpq("--help").out
        yield "help recipes", self.tpq("help", "recipes").out
        for name in self.tpq("help", "names", "reports").out.splitlines():
            yield name, self.tpq("describe", name).out
        for rule in json.loads(self.tpq("sql", "--db", "memory", "-m", "json",
                                        "SELECT rule, title, action, doc FROM advice_rule").out):
            yield rule["rule"], " ".join(str(part) for part in rule.values())

    def test_no_word_of_our_own(self):
        words = glossary(self.tpq("help", "words").out)
        self.assertIn("left out", words)
        self.assertGreater(len(words), 30)
        pattern = re.compile("|".join(rf"\b{re.escape(word)}\b" for word in words))
        found = [f"{place}: {' '.join(text[max(0, hit.start() - 30):hit.end() + 20].split())}"
                 for place, text in self.texts() for hit in pattern.finditer(text)]
        self.assertEqual(found, [])


if __name__ == "__main__":
    main()
