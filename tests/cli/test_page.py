#!/usr/bin/env python3
"""page: what `--html` writes, without a browser: one file that says everything, and is the same
each time. What it looks like and does is test_browser.py's."""

import csv
import io
import os
import re
import unittest

from page_file import PageFile, read_page
from support import Case, main, slice_event, trace_of

ROOT = os.path.join(os.path.dirname(__file__), "..", "..")
PAGE = os.path.join(ROOT, "query", "page")
EVIL = ["</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<!--<script>",
        "\u2028\u2029", "\u202eabc\u200b", "x" * 10000, "javascript:alert(1)", "__proto__", "\ufffd"]


class Sheets(Case):
    def test_every_cell_is_that_of_the_csv(self):
        self.ranks()
        self.tpq("report", "rank_0.json.gz", "--html", "a.html", "--csv", "sheets")
        page = read_page(self.path("a.html"))
        files = sorted(name[:-4] for name in os.listdir(self.path("sheets")))
        self.assertTrue(files and set(files) <= set(page.names), page.names)
        for name in page.names:
            if name not in files:
                self.tpq("report", "rank_0.json.gz", name, "--csv", "one.csv")
            path = self.path("sheets", name + ".csv") if name in files else self.path("one.csv")
            with open(path, newline="", encoding="utf-8") as file:
                heads, *rows = csv.reader(file)
            mine = page.table(name)
            self.assertEqual(mine[0], heads, name)
            plain = lambda text: text[1:] if re.match("'[=+@-]", text) else text
            self.assertEqual(mine[1], [[plain(cell) for cell in row] for row in rows], name)

    def ranks(self):
        self.make_trace("rank_0.json.gz")

    def test_overview_has_the_figures_of_its_report(self):
        self.ranks()
        words = PageFile(self.tpq("report", "rank_0.json.gz", "--html", "-").out).words()
        rows = csv.DictReader(io.StringIO(self.tpq("report", "rank_0.json.gz", "gpu_timeline", "--csv", "-").out))
        for row in rows:
            if row["type"] == "computation_time":
                self.assertIn(f"{float(row['time ms']):,.3f}", words)

    def test_same_bytes(self):
        self.ranks()
        call = lambda: self.tpq("report", "rank_0.json.gz", "--html", "-").out
        self.assertEqual(call(), call())

    def test_views_that_are_not_asked_for_are_not_in_the_file(self):
        self.ranks()
        page = PageFile(self.tpq("report", "rank_0.json.gz", "--html", "-", "--html-views", "overview").out)
        self.assertEqual(page.contents["views"], ["overview"])
        self.assertEqual({sheet["tab"] for sheet in page.contents["sheets"]}, {"overview"})
        for words in (["--html-views", "tables,tablet"], ["--html-limit", "511K"], ["--html-limit", "x"], ["--html-limit", "1MM"]):
            self.one_line(self.tpq("report", "rank_0.json.gz", "--html", "-", *words, status=2), words[0])


class Hostile(Case):
    def test_nothing_of_a_trace_is_markup(self):
        events = [slice_event(name, 10 * i, 5) for i, name in enumerate(EVIL)]
        events += [slice_event(name, 10 * i + 1, 3, "kernel", 7, args={"device": 0, "stream": 7})
                   for i, name in enumerate(EVIL)]
        self.write("a.json", trace_of(*events))
        text = self.tpq("report", "a.json", "--html", "-").out
        self.assertEqual(len(re.findall("<script", text)), len(re.findall("</script>", text)))
        self.assertNotIn("<img", text)
        self.assertNotIn("alert(1)</script>", text)
        self.assertNotIn("\u2028", text)
        self.assertIsNone(re.search(r"(src|href)=.(?!#)", text[text.index("<body>"):text.index('id="page"')]))
        policy = re.search('Content-Security-Policy" content="([^"]*)"', text).group(1)
        self.assertEqual(re.sub("sha256-[^']*", "#", policy),
                         "default-src 'none'; script-src '#'; style-src '#'; base-uri 'none'; form-action 'none'; "
                         "require-trusted-types-for 'script'; trusted-types 'none'")
        self.assertNotIn(" style=", text[text.index("<body>"):text.index('id="page"')])


class Program(unittest.TestCase):
    def test_it_stays_small(self):
        files = [name for name in os.listdir(PAGE) if name.endswith((".js", ".css"))]
        texts = []
        for name in files:
            with open(os.path.join(PAGE, name), encoding="utf-8") as file:
                texts.append(file.read())
        lines = [line for text in texts for line in text.splitlines()]
        self.assertLessEqual(len(lines), 2400)
        self.assertLessEqual(sum(len(text.encode()) for text in texts), 110_000)
        self.assertLessEqual(len(files), 14)
        self.assertLessEqual(max(map(len, lines)), 120)

    def test_it_parses_no_markup_and_runs_no_text(self):
        for name in os.listdir(PAGE):
            if name.endswith(".js"):
                with open(os.path.join(PAGE, name), encoding="utf-8") as file:
                    self.assertNotRegex(file.read(), r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|fetch\(|XMLHttp|localStorage|import\(")


if __name__ == "__main__":
    main()
