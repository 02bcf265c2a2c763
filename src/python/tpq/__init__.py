"""Performance traces of AI accelerators: the reports of tpq, its SQL and its pages, in Python.

    import tpq
    tpq.report("gpu_timeline", "trace.json.gz")          # rows of a report, as a Table
    tpq.ingest("trace.json.gz", run="base")              # into the warehouse tpq.db
    tpq.sql("SELECT * FROM ops_summary", run="base")
    tpq.compare("base", "tuned").headline                # what the first line of the command says
    tpq.connect(run="base")                              # a connection of sqlite3, with the views of tpq

Figures come from the program: they are those of the command line. A source is a warehouse, one or more
traces, or None: $TPQ_DB, else tpq.db. Further keywords are the options of the verb that is called, such as
run, rank, step, time, where, top, compat; `tpq help report` explains them.
"""

from __future__ import annotations

import os

from ._options import GLIBC, OPTIONS, VERSION as __version__
from ._program import (CheckFailed, DatabaseError, Error, ExtensionError, InputError, UsageError, extension, is_warehouse,
                       paths_of, program, run as _run, source_of, words_of)
from ._table import Answer, Column, Page, Table

TYPE_CHECKING = False  # the module typing takes two thirds as long to import as all of this; checkers read it all the same
if TYPE_CHECKING:
    import sqlite3
    from typing import Any, Dict, Iterable, List, Literal, Optional, Sequence, Tuple, Union, overload
    import pandas  # type: ignore[import]
    from ._program import Labels, Path, Paths, Place, Source, Word, Words

__all__ = ["Answer", "CheckFailed", "Column", "DatabaseError", "Error", "ExtensionError", "InputError", "Page", "Table", "UsageError",
           "__version__", "compare", "connect", "describe", "diff", "export", "extension", "findings", "gate", "history", "ingest", "load",
           "overview", "page", "program", "report", "reports", "runs", "sql", "tree"]
__dir__ = __all__.copy  # without modules and helpers

_found = (os.confstr("CS_GNU_LIBC_VERSION") if "CS_GNU_LIBC_VERSION" in os.confstr_names else None) or "no glibc"
if GLIBC > (0, 0) and [int(number) for number in _found[6:].split(".") if number.isdigit()] < list(GLIBC):
    raise ImportError(f"tpq needs glibc {GLIBC[0]}.{GLIBC[1]} or newer; this machine has {_found}")

WHOLE = ["--precise", "--max-tokens=0"]  # all rows, all digits, whole texts
TABLES = {"sql": ["--mode=envelope", *WHOLE], "runs": ["--mode=envelope"],  # the form that tables come in
          **dict.fromkeys(("report", "compare", "describe", "tree", "diff", "gate", "history"), ["--envelope", *WHOLE])}


def _call(verb: str, options: Dict[str, Any], form: List[str], operands: Iterable[Path] = (), *, source: Source = None, db: Place = None,
          function: Optional[str] = None, answers: Sequence[int] = ()) -> Tuple[bytes, List[Dict[str, Any]], int]:
    """Calls a verb with its options as keywords, and where traces are: in a source, or a warehouse (db)."""
    places, traces = source_of(source)
    if db is not None:
        places = ["--db=" + os.fsdecode(db)]
    return _run(verb, [*form, *places, *words_of(verb, options, function)], [*map(os.fsdecode, operands), *traces], answers)


def _read(out: bytes, notes: List[Dict[str, Any]], status: int) -> Answer:
    """The tables that a verb answers; none where it prints something else."""
    import json
    answers = [json.loads(line.decode(errors="replace")) for line in out.split(b"\n") if line.startswith(b'{"meta"')]
    return Answer([Table(answer, [] if number else notes) for number, answer in enumerate(answers)], notes, status)


def _ask(verb: str, options: Dict[str, Any], operands: Iterable[Path] = (), form: Sequence[str] = (), **how: Any) -> Answer:
    return _read(*_call(verb, options, [*TABLES[verb], *form], operands, **how))


# Keywords are the options of a verb that people use most; **options takes all others, and refuses what is none.
if TYPE_CHECKING:
    @overload
    def report(name: str, source: Source = None, *, frame: Literal[True], **options: Any) -> pandas.DataFrame: ...
    @overload
    def report(name: str, source: Source = None, *, frame: Literal[False, None] = None, run: Words = None, label: Labels = None,
               trace: Word = None, rank: Word = None, step: Word = None, time: Word = None, where: Word = None, by: Words = None,
               top: Word = None, columns: Words = None, compat: bool = False, **options: Any) -> Table: ...
def report(name: str, source: Source = None, *, frame: Optional[bool] = None, run: Words = None, label: Labels = None,
           trace: Word = None, rank: Word = None, step: Word = None, time: Word = None, where: Word = None, by: Words = None,
           top: Word = None, columns: Words = None, compat: bool = False, **options: Any) -> Union[Table, pandas.DataFrame]:
    """The rows of a report, of a warehouse or of one or more traces. frame=True gives a pandas DataFrame."""
    given = dict(options, run=run, label=label, trace=trace, rank=rank, step=step, time=time, where=where, by=by, top=top,
                 columns=columns, compat=compat)
    table = _ask("report", given, form=["--sheet=" + name], source=source).first
    return table.to_pandas() if frame else table


def reports(find: Optional[str] = None) -> Table:
    """Reports, by words such as "idle time", the best match first; without words all."""
    return _ask("describe", {}, [find or ""], ["--find", "--only=kind=report"]).first


def overview(source: Source = None, *, run: Words = None, label: Labels = None, trace: Word = None, rank: Word = None,
             step: Word = None, time: Word = None, where: Word = None, **options: Any) -> Table:
    """The main figures: busy and idle time, communication, kernels, steps, peak memory, MFU."""
    given = dict(options, run=run, label=label, trace=trace, rank=rank, step=step, time=time, where=where)
    return _ask("report", given, form=["--sheet=overview_figures"], source=source, function="overview").first


def findings(source: Source = None, *, run: Words = None, label: Labels = None, trace: Word = None, rank: Word = None,
             step: Word = None, time: Word = None, where: Word = None, top: Word = None, **options: Any) -> Table:
    """What to change first, with the estimated saving and the report that shows the evidence."""
    given = dict(options, run=run, label=label, trace=trace, rank=rank, step=step, time=time, where=where, top=top)
    return _ask("report", given, form=["--sheet=findings"], source=source, function="findings").first


def runs(db: Place = None, *, run: Optional[str] = None, label: Labels = None) -> Table:
    """The runs of a warehouse, as `tpq runs` lists them; report("recorded") lists their traces."""
    return _ask("runs", {"label": label}, [] if run is None else [run], db=db).first


def describe(name: Optional[str] = None, **options: Any) -> Table:
    """The columns of a report, table or view; for other words what speaks of them; without a name all that there is."""
    return _ask("describe", options, [] if name is None else [name]).first


def tree(event: Word = None, db: Place = None, *, run: Words = None, trace: Word = None, depth: Word = None, up: bool = False,
         no_python: bool = False, **options: Any) -> Table:
    """The call tree around an event, which its id names, or of a run or a trace."""
    given = dict(options, run=run, trace=trace, depth=depth, up=up, no_python=no_python)
    return _ask("tree", given, [] if event is None else [str(event)], db=db).first


def ingest(paths: Paths, db: Place = None, *, run: Optional[str] = None, labels: Labels = None, replace: bool = False,
           jobs: Word = None, **options: Any) -> Table:
    """Stores traces in a warehouse, which is made where it is missing; the rows of report("recorded") for them."""
    import json
    given = dict(options, run=run, label=labels, replace=replace, jobs=jobs)
    out, notes, _ = _call("ingest", given, ["--json"], paths_of(paths), db=db)
    stored = {file.get("trace_id") for file in json.loads(out)["files"]}
    table = _ask("report", {}, form=["--sheet=recorded"], db=db).first
    kept = [number for number, row in enumerate(table) if row["trace_id"] in stored]
    table.keys, table[:] = [table.keys[number] for number in kept], [table[number] for number in kept]
    table.notes = notes
    return table


if TYPE_CHECKING:
    @overload
    def sql(query: str, db: Place = None, *, frame: Literal[True], **options: Any) -> pandas.DataFrame: ...
    @overload
    def sql(query: str, db: Place = None, *, parameters: Optional[Dict[str, Any]] = None, frame: Literal[False, None] = None,
            run: Words = None, rank: Word = None, step: Word = None, time: Word = None, where: Word = None, **options: Any) -> Table: ...
def sql(query: str, db: Place = None, *, parameters: Optional[Dict[str, Any]] = None, frame: Optional[bool] = None, run: Words = None,
        rank: Word = None, step: Word = None, time: Word = None, where: Word = None, **options: Any) -> Union[Table, pandas.DataFrame]:
    """The rows of a statement. parameters: numbers and texts for :NAME in it."""
    from math import isfinite
    given, words = dict(options, run=run, rank=rank, step=step, time=time, where=where), []
    for name, value in (parameters or {}).items():
        if not isinstance(value, (int, float, str)):
            raise TypeError(f"the parameter {name} is a number or a text, not {value!r}")
        if "=" in str(name):
            raise UsageError(f"a parameter is NAME=VALUE, and {name!r} is no name")
        if not isinstance(value, str) and not -2**63 <= value < 2**63 and not (isinstance(value, float) and isfinite(value)):
            raise UsageError(f"the parameter {name} is a finite number, an integer of 64 bits or a text, not {value!r}")
        words.append(f"--param={name}='{value}'" if isinstance(value, str) else f"--param={name}={value + 0!r}")
    query = " " + query if query[:1] in ("-", ".") else query  # no command, and no standard input
    table = _ask("sql", given, [query], words, db=db).first
    return table.to_pandas() if frame else table


def compare(a: Path, b: Path, db: Place = None, *, by: Word = None, metric: Word = None, rank: Word = None, step: Word = None,
            time: Word = None, where: Word = None, fail_if: Word = None, **options: Any) -> Answer:
    """The baseline a beside the candidate b: runs of a warehouse, or traces. fail_if: for which verdict .status is 1."""
    given = dict(options, by=by, metric=metric, rank=rank, step=step, time=time, where=where, fail_if=fail_if)
    return _ask("compare", given, [a, b], db=db, answers=(1, 5))


def gate(baseline: Path, candidate: Path = "@last", db: Place = None, *, by: Word = None, metric: Word = None, rank: Word = None,
         step: Word = None, rules: Words = None, max_regression: Word = None, **options: Any) -> Answer:
    """The candidate held against the baseline: .status is 0, 1 for a regression, 5 for undecided."""
    given = dict(options, baseline=baseline, candidate=candidate, by=by, metric=metric, rank=rank, step=step, rules=rules,
                 max_regression=max_regression)
    return _ask("gate", given, db=db, answers=(1, 5))


def diff(a: Path, b: Path, db: Place = None, *, reports: Sequence[str] = (), rank: Word = None, step: Word = None,
         time: Word = None, **options: Any) -> Answer:
    """The call trees of two traces compared, by the reports of `tpq diff` or some of them."""
    return _ask("diff", dict(options, rank=rank, step=step, time=time), [a, b, *reports], db=db)


def history(metric: str, db: Place = None, *, run: Words = None, label: Labels = None, by: Word = None, key: Word = None,
            rank: Word = None, step: Word = None, last: Word = None, **options: Any) -> Table:
    """A metric over many runs, and where it changed."""
    return _ask("history", dict(options, run=run, label=label, by=by, key=key, rank=rank, step=step, last=last), [metric], db=db).first


def export(source: Source = None, *, path: Place = None, format: Word = None, parquet: Place = None, run: Words = None,
           trace: Word = None, rank: Word = None, step: Word = None, time: Word = None, **options: Any) -> bytes:
    """Traces in another format; nothing where they go into a file (path) or a directory (parquet)."""
    given = dict(options, format=format, parquet=parquet, run=run, trace=trace, rank=rank, step=step, time=time)
    return _call("export", given, ["--quiet"] + ([] if path is None else ["--output=" + os.fsdecode(path)]), source=source)[0]


def page(source: Source = None, *, path: Place = None, run: Words = None, label: Labels = None, trace: Word = None,
         rank: Word = None, step: Word = None, time: Word = None, where: Word = None, **options: Any) -> Page:
    """The page of a report for browsers, which shows itself in a notebook; in a file where a path is given."""
    given = dict(options, run=run, label=label, trace=trace, rank=rank, step=step, time=time, where=where)
    name = "-" if path is None else os.fsdecode(path)
    out = _call("report", given, ["--html=" + name, "--quiet"], source=source, function="page")[0]
    if path is None:
        return Page(out.decode(errors="replace"))
    with open(name, encoding="utf-8", errors="replace") as file:
        return Page(file.read(), name)


def load(connection: sqlite3.Connection) -> None:
    """Gives a connection the functions and tables that the views of tpq need."""
    import sqlite3
    if not hasattr(connection, "enable_load_extension"):
        raise ExtensionError("this Python's sqlite3 cannot load extensions; tpq.sql asks a warehouse without them")
    if sqlite3.sqlite_version_info < (3, 40):
        raise ExtensionError(f"the extension needs SQLite 3.40, not {sqlite3.sqlite_version}; tpq.sql asks a warehouse without it")
    path = extension()
    try:
        connection.enable_load_extension(True)
        try:
            connection.load_extension(path)
        finally:
            connection.enable_load_extension(False)
    except sqlite3.Error as error:
        raise ExtensionError(f"{path}: {error}; tpq.sql asks a warehouse without it") from None


def connect(path: Place = None, *, run: Optional[str] = None, read_only: bool = True) -> sqlite3.Connection:
    """A warehouse as a connection with all views; run selects one. Without the extension it reads, takes no bytes, and gives blobs in hex."""
    import sqlite3
    from urllib.parse import quote
    name = os.fsdecode(path if path is not None else os.environ.get("TPQ_DB") or "tpq.db")
    if "\0" in f"{name}{run}":
        raise UsageError(f"a text with a NUL: {name if run is None else run!r}")
    if not os.path.exists(name):
        raise UsageError(f"{name}: no such warehouse; tpq.ingest() makes one")
    if not is_warehouse(name):
        raise UsageError(f"{name}: not a tpq warehouse")
    connection = sqlite3.connect(f"file:{quote(os.path.abspath(name))}?mode={'ro' if read_only else 'rw'}", uri=True)
    try:
        load(connection)
        connection.execute("PRAGMA trusted_schema = off")
        if run is not None:
            connection.execute("SELECT tpq_select(?)", (run,)).fetchall()
        return connection
    except BaseException as error:
        connection.close()
        if isinstance(error, sqlite3.OperationalError) and run is not None and "no such run" in str(error):
            raise UsageError(f"{name}: there is no run {run!r}") from None
        if not (isinstance(error, ExtensionError) and read_only):
            raise
    from ._connection import Connection
    return Connection(name, run)


def _magic(line: str, cell: Optional[str] = None) -> Union[Table, Answer, None]:
    """%tpq VERB OPTION...: a table where the verb has one, else what it prints. The text of a cell %%tpq sql is SQL."""
    import shlex
    try:
        verb, *words = shlex.split(line) or ["help"]
    except ValueError as error:  # a quote that is not closed
        raise UsageError(f"%tpq {line}: {str(error).lower()}") from None
    out, notes, status = _run(verb, [*TABLES.get(verb, []), *words], [] if cell is None else [cell])
    answer = _read(out, notes, status)
    if answer:
        return answer if len(answer) > 1 else answer.first
    print(out.decode(errors="replace"), end="")
    return None


def load_ipython_extension(ipython: Any) -> None:
    """For %load_ext tpq."""
    ipython.register_magic_function(_magic, "line_cell", "tpq")
