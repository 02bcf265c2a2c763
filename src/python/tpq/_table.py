"""What comes back: tables that show themselves and become frames, and pages."""

from __future__ import annotations

from collections import namedtuple

TYPE_CHECKING = False  # the module typing takes longer to import than all of this
if TYPE_CHECKING:
    from typing import Any, Dict, List, NamedTuple, Optional
    import pandas  # type: ignore[import]
    Column = NamedTuple("Column", [("name", str), ("unit", Optional[str]), ("type", str), ("heading", str)])
else:
    Column = namedtuple("Column", "name unit type heading")

ROWS_SHOWN = 60
TEXT_SHOWN = 60  # characters of a cell, in text
PLAIN_UNITS = (None, "id", "count", "1")  # which nobody needs to be told
VERDICTS = ("regression", "added", "undecided", "too few samples", "significant", "improvement",
            "improvement, not tested", "within noise")  # the worst first


class Table(list["Dict[str, Any]"]):
    """Rows as dicts, with what is known of them.

    columns: name, unit, type and heading of each; meta: traces and selection that the rows are about;
    notes: what the rows do not hold, and the health of the traces; trust: whether the traces can answer;
    keys: a key for each row, which finds it again.
    """

    columns: "List[Column]"
    meta: "Dict[str, Any]"
    notes: "List[Dict[str, Any]]"
    trust: "Dict[str, Any]"
    keys: "List[Optional[str]]"
    title: str

    def __init__(self, answer: "Dict[str, Any]", notes: "List[Dict[str, Any]]"):
        names: "List[str]" = []
        for column in answer["columns"]:  # of a statement two may be called alike
            name, count = column["name"], 2
            while name in names:
                name, count = f"{column['name']}_{count}", count + 1
            names.append(name)
        self.columns = [Column(name, column["unit"], column["type"], column.get("heading", column["name"]))
                        for name, column in zip(names, answer["columns"])]
        big = [column.name for column in self.columns if column.type == "integer"]
        super().__init__(dict(zip(names, row)) for row in answer["rows"])
        for row in self:  # an integer beyond 2**53 came as a text
            for name in big:
                if isinstance(row[name], str) and row[name].lstrip("-").isdigit():
                    row[name] = int(row[name])
        self.meta, self.trust, self.keys = answer["meta"], answer["trust"], answer["keys"]
        self.title = self.meta.get("title") or self.meta.get("subject") or ""
        self.notes = answer["notes"] + notes

    def to_pandas(self) -> "pandas.DataFrame":
        """The rows as a DataFrame, with the units of its columns in attrs["units"]."""
        try:
            import pandas
        except ImportError:
            raise ImportError("a frame needs pandas, which is not installed; without frame=True "
                              "the rows are a tpq.Table") from None
        frame = pandas.DataFrame(list(self), columns=[column.name for column in self.columns])
        frame.attrs["units"] = {column.name: column.unit for column in self.columns}
        return frame

    def _said(self) -> "List[str]":
        """What stands below the rows."""
        words = []
        if len(self) > ROWS_SHOWN:
            words.append(f"{ROWS_SHOWN} of {len(self)} rows are shown")
        if not self.trust.get("answerable", True):
            words.append(f"Not answerable: {self.trust['text']}")
        for note in self.notes:
            count = f": {note['count']}" if "count" in note else ""
            time = f", {note['time_ms']} ms" if "time_ms" in note else ""
            kind = "Not included: " if note["kind"] == "not_included" else ""
            words.append(f"{kind}{note['text']}{count}{time}")
        return words

    def _repr_html_(self) -> str:
        def cell(name: str, words: str, is_number: bool, more: str = "") -> str:
            return f'<{name} style="text-align:{"right" if is_number else "left"}"{more}>{words}</{name}>'
        out = [f"<div><b>{escaped(self.title)}</b><table><thead><tr>"]
        for column in self.columns:
            unit = "" if column.unit in PLAIN_UNITS else f"<br><small>{escaped(column.unit)}</small>"
            out.append(cell("th", escaped(column.name) + unit, is_number(column),
                            f' title="{escaped(column.heading)}"'))
        out.append("</tr></thead><tbody>")
        for row in self[:ROWS_SHOWN]:
            cells = (cell("td", escaped(shown(row[column.name])), is_number(column)) for column in self.columns)
            out.append(f"<tr>{''.join(cells)}</tr>")
        out.append("</tbody></table>")
        out += [f"<small>{escaped(words)}</small><br>" for words in self._said()]
        return "".join(out) + "</div>"

    def __repr__(self) -> str:
        lines = [[column.name if column.unit in PLAIN_UNITS or column.name.endswith(f"_{column.unit}")
                  else f"{column.name} {column.unit}" for column in self.columns]]
        for row in self[:ROWS_SHOWN]:
            lines.append([printable(shown(row[column.name])) for column in self.columns])
        widths = [max(map(len, cells)) for cells in zip(*lines)]
        texts = [self.title] if self.title else []
        for cells in lines:
            texts.append("  ".join(words.rjust(width) if is_number(column) else words.ljust(width) for words, width, column
                                   in zip(cells, widths, self.columns)).rstrip())
        return "\n".join([*texts, *self._said()])


class Answer(dict[str, Table]):
    """Tables by name; the headline; the worst verdict, where there is one; and the status: 1 failed, 5 undecided."""

    def __init__(self, tables: "List[Table]", notes: "List[Dict[str, Any]]", status: int):
        super().__init__((table.meta.get("subject") or f"rows_{place}", table) for place, table in enumerate(tables, 1))
        nothing: "Dict[str, Any]" = {"columns": [], "rows": [], "keys": [], "notes": [], "trust": {}, "meta": {}}
        self.first, self.status = tables[0] if tables else Table(nothing, notes), status
        self.headline = "\n".join(self.first.meta.get("headline", [self.first.title]))
        judged = [row.get("verdict") for row in self.get("rules", self.get("summary", []))]
        self.verdict = "undecided" if status == 5 else next((verdict for verdict in VERDICTS if verdict in judged), "")

    def _repr_html_(self) -> str:
        return f"<p><b>{escaped(self.headline)}</b></p>" + "".join(table._repr_html_() for table in self.values())

    def __repr__(self) -> str:
        return "\n\n".join([self.headline, *(f"{name}\n{table!r}" for name, table in self.items())])


def is_number(column: Column) -> bool:
    return column.type in ("integer", "real")


def shown(value: "Any") -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, (list, dict)):
        import json
        return json.dumps(value, ensure_ascii=False)
    return str(value)


def printable(words: str) -> str:
    words = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in words)
    return words if len(words) <= TEXT_SHOWN else words[:TEXT_SHOWN - 1] + "…"


def escaped(words: "Optional[str]") -> str:
    import html
    return html.escape(words or "").replace("\n", "&#10;")


class Page:
    """The HTML page of a report: `html` is its text, `path` the file where it was asked for."""

    def __init__(self, html: str, path: "Optional[str]" = None):
        self.html, self.path = html, path

    def save(self, path: str) -> None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def _repr_html_(self) -> str:
        """A frame of its own, which reaches nothing of the notebook around it."""
        return (f'<iframe sandbox="allow-scripts" style="width:100%;height:640px;border:0" '
                f'srcdoc="{escaped(self.html)}"></iframe>')

    def __repr__(self) -> str:
        return f"<tpq.Page of {len(self.html)} characters" + (f", {self.path}>" if self.path else ">")
