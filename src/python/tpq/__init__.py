"""Performance traces of AI accelerators: the reports of tpq, its SQL and its pages, in Python.

    import tpq
    tpq.report("gpu_timeline", "trace.json.gz")          # rows of a report, as a Table
    tpq.ingest("trace.json.gz", run="base")              # into the warehouse tpq.db
    tpq.sql("SELECT * FROM ops_summary", run="base")
    tpq.connect(run="base")                              # a sqlite3.Connection, with the views of tpq

Figures come from the program: they are those of the command line. A source is a warehouse, one or more
traces, or None: $TPQ_DB, else tpq.db. Further keywords are the options of the verb that is called, such as
run, rank, step, time, where, top, compat; `tpq help report` explains them.
"""

from __future__ import annotations

import os

from ._options import GLIBC, OPTIONS, VERSION as __version__
from ._program import (CheckFailed, DatabaseError, Error, ExtensionError, InputError, UsageError, extension, is_warehouse,
                       paths_of, program, run as _run, source_of, words_of)
from ._table import Column, Page, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from typing import Any, Dict, List, Optional, Union
    import pandas
    from ._program import Path, Paths
    Rows = Union[Table, "pandas.DataFrame"]

__all__ = ["CheckFailed", "Column", "DatabaseError", "Error", "ExtensionError", "InputError", "Page", "Table", "UsageError", "__version__",
           "compare", "connect", "extension", "findings", "ingest", "load", "overview", "page", "program", "report",
           "reports", "runs", "sql"]

_found = (os.confstr("CS_GNU_LIBC_VERSION") if "CS_GNU_LIBC_VERSION" in os.confstr_names else None) or "no glibc"
if GLIBC > (0, 0) and [int(number) for number in _found[6:].split(".") if number.isdigit()] < list(GLIBC):
    raise ImportError(f"tpq needs glibc {GLIBC[0]}.{GLIBC[1]} or newer; this machine has {_found}")

WHOLE = ("--precise", "--max-tokens=0")  # all rows, all digits, whole texts


def _tables(verb: str, options: "List[str]", operands: "List[str]" = []) -> Table:
    out, notes = _run(verb, [*_form(verb), *options], operands)
    table = _read(out, notes)
    if table is None:  # such as of a statement that answers nothing
        empty = {"columns": [], "rows": [], "keys": [], "notes": [], "trust": {}, "meta": {"tool": verb}}
        table = Table(empty, notes)
    return table


def _form(verb: str) -> "List[str]":
    return ["--mode=envelope" if verb == "sql" else "--envelope", *WHOLE]


def _read(out: bytes, notes: "List[Dict[str, Any]]") -> "Optional[Table]":
    """The tables that a verb answers; the first has the others in `more`. None: it prints something else."""
    import json
    answers = [json.loads(line.decode(errors="replace")) for line in out.split(b"\n") if line.startswith(b'{"meta"')]
    tables = [Table(answer, notes if number == 0 else []) for number, answer in enumerate(answers)]
    if not tables:
        return None
    tables[0].more = tables[1:]
    return tables[0]


def _report(function: str, name: str, source: "Optional[Paths]", given: "Dict[str, Any]") -> Table:
    options, operands = source_of(source)
    options += words_of("report", given, function)
    return _tables("report", ["--sheet=" + name, *options], operands)


def _db(db: "Optional[Path]") -> "List[str]":
    return [] if db is None else ["--db=" + os.fsdecode(db)]


def report(name: str, source: "Optional[Paths]" = None, *, frame: "Optional[bool]" = None, **selection: "Any") -> "Rows":
    """The rows of a report, of a warehouse or of one or more traces. frame=True gives a pandas DataFrame."""
    table = _report("report", name, source, selection)
    return table.to_pandas() if frame else table


def reports(find: "Optional[str]" = None) -> Table:
    """Reports, by words such as "idle time", the best match first; without words all."""
    return _tables("describe", ["--find", "--only=kind=report"], [find or ""])


def overview(source: "Optional[Paths]" = None, **selection: "Any") -> Table:
    """The main figures: busy and idle time, communication, kernels, steps, peak memory, MFU."""
    return _report("overview", "overview_figures", source, selection)


def findings(source: "Optional[Paths]" = None, **selection: "Any") -> Table:
    """What to change first, with the estimated saving and the report that shows the evidence."""
    return _report("findings", "findings", source, selection)


def runs(db: "Optional[Path]" = None) -> Table:
    """The traces of a warehouse, and what each of them recorded."""
    return _tables("report", ["--sheet=recorded", *_db(db)])


def ingest(paths: "Paths", db: "Optional[Path]" = None, *, run: "Optional[str]" = None,
           labels: "Optional[Dict[str, Any]]" = None, **options: "Any") -> Table:
    """Stores traces in a warehouse, which is made where it is missing; the rows of runs() for them."""
    import json
    words = words_of("ingest", {"run": run, "label": labels, **options})
    out, notes = _run("ingest", ["--json", *_db(db), *words], paths_of(paths))
    stored = {file.get("trace_id") for file in json.loads(out)["files"]}
    table = runs(db)
    kept = [number for number, row in enumerate(table) if row["trace_id"] in stored]
    table.keys = [table.keys[number] for number in kept]
    table[:] = [table[number] for number in kept]
    table.notes = notes
    return table


def sql(query: str, db: "Optional[Path]" = None, *, parameters: "Optional[Dict[str, Any]]" = None,
        frame: "Optional[bool]" = None, **selection: "Any") -> "Rows":
    """The rows of a statement. parameters: numbers and texts for :NAME in it."""
    from math import isfinite
    words = words_of("sql", selection)
    for name, value in (parameters or {}).items():
        if not isinstance(value, (int, float, str)):
            raise TypeError(f"the parameter {name} is a number or a text, not {value!r}")
        if "=" in str(name):
            raise UsageError(f"a parameter is NAME=VALUE, and {name!r} is no name")
        if not isinstance(value, str) and not -2**63 <= value < 2**63 and not (isinstance(value, float) and isfinite(value)):
            raise UsageError(f"the parameter {name} is a finite number, an integer of 64 bits or a text, not {value!r}")
        words.append(f"--param={name}='{value}'" if isinstance(value, str) else f"--param={name}={value + 0!r}")
    query = " " + query if query[:1] in ("-", ".") else query  # no command, and no standard input
    table = _tables("sql", [*_db(db), *words], [query])
    return table.to_pandas() if frame else table


def compare(a: "Path", b: "Path", db: "Optional[Path]" = None, *, by: str = "op", **options: "Any") -> Table:
    """The baseline a beside the candidate b: runs of a warehouse, or traces. by: a level or a report."""
    sides = [os.fsdecode(a), os.fsdecode(b)]
    return _tables("compare", ["--by=" + by, *_db(db), *words_of("compare", options)], sides)


def page(source: "Optional[Paths]" = None, *, path: "Optional[Path]" = None, **selection: "Any") -> Page:
    """The page of a report for browsers, which shows itself in a notebook; in a file where a path is given."""
    options, operands = source_of(source)
    name = "-" if path is None else os.fsdecode(path)
    out, _ = _run("report", ["--html=" + name, "--quiet", *options, *words_of("report", selection, "page")], operands)
    if path is None:
        return Page(out.decode(errors="replace"))
    with open(name, encoding="utf-8", errors="replace") as file:
        return Page(file.read(), name)


def load(connection: "sqlite3.Connection") -> None:
    """Gives a connection the functions and tables that the views of tpq need."""
    import sqlite3
    if not hasattr(connection, "enable_load_extension"):
        raise ExtensionError("this Python's sqlite3 cannot load extensions; tpq.sql asks a warehouse without them")
    if sqlite3.sqlite_version_info < (3, 40):
        raise ExtensionError(f"the extension needs SQLite 3.40, and this Python has {sqlite3.sqlite_version}; "
                             "tpq.sql asks a warehouse without it")
    path = extension()
    try:
        connection.enable_load_extension(True)
        try:
            connection.load_extension(path)
        finally:
            connection.enable_load_extension(False)
    except sqlite3.Error as error:
        raise ExtensionError(f"{path}: {error}; tpq.sql asks a warehouse without it") from None


def connect(path: "Optional[Path]" = None, *, run: "Optional[str]" = None, read_only: bool = True) -> "sqlite3.Connection":
    """A warehouse as a connection in which all views and functions of tpq work; run selects one run."""
    import sqlite3
    from urllib.parse import quote
    name = os.fsdecode(path if path is not None else os.environ.get("TPQ_DB") or "tpq.db")
    if "\0" in f"{name}{run}":
        raise UsageError(f"a text with a NUL: {name if run is None else run!r}")
    if not os.path.exists(name):
        raise UsageError(f"{name}: no such warehouse; tpq.ingest makes one")
    if not is_warehouse(name):
        raise UsageError(f"{name}: not a tpq warehouse")
    mode = "ro" if read_only else "rw"
    connection = sqlite3.connect(f"file:{quote(os.path.abspath(name))}?mode={mode}", uri=True)
    try:
        load(connection)
        connection.execute("PRAGMA trusted_schema = off")
        if run is not None:
            connection.execute("SELECT tpq_select(?)", (run,)).fetchall()
    except BaseException as error:
        connection.close()
        if isinstance(error, sqlite3.OperationalError) and run is not None and "no such run" in str(error):
            raise UsageError(f"{name}: there is no run {run!r}") from None
        raise
    return connection


def _magic(line: str, cell: "Optional[str]" = None) -> "Optional[Table]":
    """%tpq VERB OPTION... in a notebook: a table where the verb has one, else what it prints. The text of a cell
    %%tpq sql is the statement."""
    import shlex
    try:
        verb, *words = shlex.split(line) or ["help"]
    except ValueError as error:  # a quote that is not closed
        raise UsageError(f"%tpq {line}: {str(error).lower()}") from None
    form = _form(verb) if verb in OPTIONS and verb != "ingest" else []
    out, notes = _run(verb, [*form, *words], [] if cell is None else [cell])
    table = _read(out, notes)
    if table is None:
        print(out.decode(errors="replace"), end="")
    return table


def load_ipython_extension(ipython: "Any") -> None:
    """For %load_ext tpq."""
    ipython.register_magic_function(_magic, "line_cell", "tpq")
