"""A page that `--html` wrote, read without a browser: its contents, its sheets as a CSV would have
them, its blocks."""

import base64
import html
import json
import re
import zlib


class PageFile:
    def __init__(self, text):
        self.text = text
        self.contents = json.loads(self.script("page"))
        self.end = json.loads(self.script("end"))
        self.names = [sheet["name"] for sheet in self.contents["sheets"]]

    def script(self, name):
        return re.search(f'<script type="[^"]*" id="{name}">([^<]*)</script>', self.text).group(1)

    def block(self, number):
        raw = zlib.decompress(base64.b64decode(self.script(f"b{number}"), validate=True), -15)
        assert len(raw) == self.contents["blocks"][number]["raw"]
        return raw

    def data(self, name):
        """What the page has of a sheet; numbers as the texts that stand there."""
        number = next(sheet["block"] for sheet in self.contents["sheets"] if sheet["name"] == name)
        return json.loads(self.block(number), parse_float=str, parse_int=str)

    def table(self, name):
        """Headings, and rows as csv.reader gives them."""
        columns = self.data(name)["columns"]
        cell = lambda one: "" if one is None else one[0] if isinstance(one, list) else one
        rows = zip(*([cell(one) for one in column["cells"]] for column in columns))
        return [column["heading"] for column in columns], [list(row) for row in rows]

    def notes(self, name):
        return self.data(name).get("notes", "")

    def words(self):
        """What people read before a program runs."""
        body = self.text[self.text.index("<body>"):self.text.index("<noscript>")]
        return html.unescape(re.sub(r"<[^>]*>", " ", body))


def read_page(path):
    with open(path, encoding="utf-8") as file:
        return PageFile(file.read())
