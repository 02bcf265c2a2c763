"""A connection of sqlite3 where the extension of tpq cannot be loaded: the program answers, once for each query."""

from __future__ import annotations

import json
import re
import sqlite3
from typing import Any, NoReturn, Optional

from . import UsageError, sql

# Comments; texts and quoted names, in which there is no parameter; parameters.
TOKEN = re.compile(r"""(--[^\n]*|/\*.*?(?:\*/|\Z))|('[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\])|\?(\d*)|(?<![\w$:])[:@$](\w+)""", re.S)


def refuse(*_: Any, **__: Any) -> NoReturn:
    raise sqlite3.NotSupportedError("this Python's sqlite3 cannot load the extension, so that tpq.connect asks the program for each "
                                    "query: SELECT, WITH, VALUES and EXPLAIN alone, and nothing is kept for the next one")


class Cursor(sqlite3.Cursor):
    """Keeps answers in memory. Blobs are hexadecimal digits there, infinities NULL, and control characters U+FFFD."""

    def __init__(self, owner: Connection):
        super().__init__(sqlite3.Connection(":memory:", isolation_level=None))
        self.owner, self.row_factory = owner, owner.row_factory

    def __del__(self) -> None:
        self.connection.close()

    def execute(self, statement: str, parameters: Any = (), /) -> Cursor:
        self.owner.total_changes  # an error where it is closed
        marks = [f"({found[0]})" for found in TOKEN.finditer(statement) if not found[1] and not found[2]]
        given = self.connection.execute(f"WITH given(x) AS (VALUES {', '.join(marks) or '(NULL)'}) SELECT quote(x), "
                                        "typeof(x) = 'blob' OR instr(x, char(0)) OR x IN (9e999, -9e999) FROM given", parameters).fetchall()
        if any(is_lost for _, is_lost in given):
            raise sqlite3.NotSupportedError("bytes, texts with a NUL and infinities, as parameters, need the extension; it cannot be loaded")
        values = iter(given)
        query = TOKEN.sub(lambda found: " " if found[1] else found[2] or f"({next(values)[0]})", statement)
        if ";" in TOKEN.sub(" ? ", query).rstrip("; \t\r\n\f"):
            raise sqlite3.ProgrammingError("You can only execute one statement at a time.")
        if not re.match(r"\s*(SELECT|WITH|VALUES|EXPLAIN)\b", query, re.I) or re.search(r"\btpq_(select|set)\b", query, re.I):
            refuse()
        try:
            table = sql(query, self.owner.path, run=self.owner.run)
        except UsageError as error:
            raise sqlite3.OperationalError(str(error)) from None
        cells = ([json.dumps(cell, separators=(",", ":"), ensure_ascii=False) if isinstance(cell, (list, dict)) else cell
                  for cell in row.values()] for row in table)
        names = {f"c{place}": column.name.replace('"', '""') for place, column in enumerate(table.columns)}
        super().execute("DROP TABLE IF EXISTS answer")
        super().execute(f"CREATE TABLE answer ({', '.join(names)})")
        super().executemany(f"INSERT INTO answer VALUES ({', '.join('?' * len(names))})", cells)
        super().execute("SELECT " + ", ".join(f'{place} AS "{name}"' for place, name in names.items()) + " FROM answer")
        return self


class Connection(sqlite3.Connection):
    def __init__(self, path: str, run: Optional[str]):
        super().__init__(":memory:")
        self.path, self.run = path, run
        sql("SELECT 1", path, run=run)  # an error where there is no such run

    def cursor(self, factory: Any = None) -> Cursor:  # type: ignore[override]
        return Cursor(self)

    def execute(self, statement: str, parameters: Any = (), /) -> Cursor:
        return self.cursor().execute(statement, parameters)


for _name in ("executemany executescript backup blobopen create_aggregate create_collation create_function deserialize "
              "create_window_function iterdump load_extension serialize set_authorizer").split():
    setattr(Connection, _name, refuse)
    setattr(Cursor, _name, refuse)
