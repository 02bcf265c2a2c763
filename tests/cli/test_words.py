"""Texts that users see are in the words of `tpq help words`, and stand on their own."""
import json
import pathlib
import re

from support import VERBS, Case, main

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


LONGEST = 25  # words of a sentence


def sentences(text):
    """Of prose: not of fenced code, headings, quotes, list items, rows of tables, and indented lines."""
    prose = ""
    for line in re.sub(r"(?ms)^```.*?^```$", "", text).splitlines():
        if "  " in line or re.match(r"$|[ |#>*-]", line):
            line = "\n"
        prose += line + " "
    for block in prose.split("\n"):
        yield from re.split(r"(?<=[.!?]) ", block.strip())


class Words(Case):
    ANSWERS = {}

    def asked(self, *call):
        """What the program says, once for all tests."""
        if call not in self.ANSWERS:
            self.ANSWERS[call] = self.tpq(*call).out
        return self.ANSWERS[call]

    def descriptions(self):
        """The description of each report, as tpq describe has it."""
        names = self.asked("help", "names", "reports").splitlines()
        self.make_trace("a.json")
        self.tpq("ingest", "-q", "a.json")
        out = self.tpq("sql", "-m", "csv", stdin="".join(f".describe {name}\n.param end={name}\nSELECT :end AS \"the end\";\n" for name in names)).out
        parts = dict(zip(names, re.split(r'(?m)^"?the end"?\n\w+\n', out)))
        self.assertEqual(parts[names[-1]], self.asked("describe", names[-1]))
        return parts.items()

    def pages(self):
        """What is read from top to bottom: where it stands, and what it says."""
        for verb in VERBS:
            yield f"help {verb}", self.asked("help", verb)
        whole = self.asked("--help")
        yield "help", whole
        guides = re.search(r"tpq help GUIDE +(.*)", whole)[1].split(", ")
        self.assertIn("extensions", guides)  # sql/extensions/guide.md
        for guide in ["recipes", *guides]:
            yield f"help {guide}", self.asked("help", guide)
        yield "README.md", (pathlib.Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")

    def texts(self):
        """Of everything that can be asked: where it stands, and what it says."""
        yield from self.pages()
        yield from self.descriptions()
        for rule in json.loads(self.tpq("sql", "-m", "json", "SELECT rule, title, action, doc FROM advice_rule").out):
            yield rule["rule"], " ".join(str(part) for part in rule.values())

    def test_no_word_of_our_own(self):
        words = glossary(self.tpq("help", "words").out)
        self.assertIn("left out", words)
        self.assertGreater(len(words), 30)
        words = [re.sub("^piece of work$", "pieces? of work", word) for word in words]
        pattern = re.compile("|".join(rf"\b{word}\b" for word in words))
        found = [f"{place}: {' '.join(text[max(0, hit.start() - 30):hit.end() + 20].split())}"
                 for place, text in self.texts() for hit in pattern.finditer(text)]
        self.assertEqual(found, [])

    def test_sentences_are_short(self):
        self.assertEqual([sentence for sentence in sentences("# A\n\nOne two. Three:\n\n    code is long\n- item\n\nfour  five\n\nSix\nseven.\n| a |\nEight.\n") if sentence],
                         ["One two.", "Three:", "Six seven.", "Eight."])
        texts = list(self.pages())
        for name, description in self.descriptions():
            title, _, words = re.split("\nSet: |\n\n", description)[0].partition("\n")
            self.assertEqual(title, f"{name} (report)")
            texts.append((name, words))
        self.assertEqual([f"{place}: {len(sentence.split())} words: {sentence}" for place, text in texts
                          for sentence in sentences(text) if len(sentence.split()) > LONGEST], [])

    def test_a_heading_is_the_name_that_is_asked(self):
        self.make_trace("a.json")
        for name in ("ranks_launchers", "ranks_collectives", "tt_ops"):
            self.assertRegex(self.tpq("report", "a.json", name).out, f"\n{name}(\n|: )")
            self.assertIn(f"## {name}\n", self.tpq("report", "a.json", name, "--markdown").out.replace("\\", ""))
        self.assertIn('"kernel_launchers"', self.tpq("report", "a.json", "ranks_launchers", "--json").out)


if __name__ == "__main__":
    main()
