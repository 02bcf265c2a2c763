"""The program that gives all figures: where it is, how it is called, and what its failures become."""

from __future__ import annotations

import os

from ._options import OPTIONS, VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple, Union
    Path = Union[str, "os.PathLike[str]"]
    Paths = Union[Path, Iterable[Path]]
    Place = Optional[Path]
    Source = Optional[Paths]
    Word = Union[str, int, float, None]  # the value of an option
    Words = Union[str, Sequence[str], None]  # of one that may be repeated, or is a list
    Labels = Union[Words, Dict[str, Any]]  # KEY=VALUE

HERE = os.path.dirname(os.path.abspath(__file__))
HEAD = (b"SQLite format 3\0", b"tpqw")  # of a warehouse: how it begins, and what stands at byte 68
checked: "Dict[Tuple[str, int, int], bool]" = {}  # programs of the module's version


class Error(Exception):
    """What the program says when it fails, in its words; `status` is its exit status."""

    status = 127  # without the program

    def __init__(self, text: str, status: "Optional[int]" = None):
        super().__init__(text)
        if status is not None:
            self.status = status


class CheckFailed(Error):
    """The call was done, and a check that it asked for failed."""

    status = 1


class UsageError(Error):
    """An unknown value or name, or no such warehouse."""

    status = 2


class InputError(Error):
    """A trace cannot be read, is none, or breaks off."""

    status = 3


class DatabaseError(Error):
    """The warehouse or an output: locked, full, or not to be written."""

    status = 4


class ExtensionError(Error, NotImplementedError):
    """This Python cannot load the extension; all but load, and connect for writing, work without it."""


ERRORS = {kind.status: kind for kind in (CheckFailed, UsageError, InputError, DatabaseError)}
# Words for users of the command line, and what the module has instead.
SAID_OTHERWISE = {"see tpq runs": "see tpq.runs()", "tpq ingest TRACE... makes one": "tpq.ingest() makes one",
                  "see tpq report --list all": "see tpq.reports()", "see tpq report --list": "see tpq.reports()",
                  "tpq ingest and tpq report keep what came before with --salvage": "salvage=True keeps what came before"}


def places() -> "Iterable[str]":
    """Where the program may be: in the record of this package, among scripts, or where one says."""
    from importlib import metadata
    try:
        package = metadata.distribution("tpq")
        if os.path.realpath(str(package.locate_file("tpq"))) == os.path.realpath(HERE):
            for file in package.files or ():
                if file.name in ("tpq", "tpq.exe") and file.parent.name in ("bin", "Scripts"):
                    yield str(file.locate())
    except metadata.PackageNotFoundError:
        pass
    import shutil
    import sysconfig
    yield os.path.join(sysconfig.get_path("scripts"), "tpq")
    yield os.environ.get("TPQ_PROGRAM", "")
    yield shutil.which("tpq") or ""


def program() -> str:
    """The path of the program. An Error when there is none, or its version is not the module's."""
    for path in places():
        if path and os.path.isfile(path) and os.access(path, os.X_OK):
            break
    else:
        raise Error("the program tpq is not found; TPQ_PROGRAM may name it")
    path = os.path.abspath(path)
    found = os.stat(path)
    key = (path, found.st_mtime_ns, found.st_size)
    if key not in checked:
        status, out, err = communicate([path, "--version"])
        if status:
            raise Error(f"{path} does not run here: {err.decode(errors='replace').strip() or status}")
        words = out.decode(errors="replace").split()
        if words[1:] != [VERSION]:
            raise Error(f"{path} is tpq {' '.join(words[1:]) or 'of an unknown version'}, "
                        f"and the Python module is tpq {VERSION}")
        checked[key] = True
    return path


def communicate(call: "Sequence[str]") -> "Tuple[int, bytes, bytes]":
    """Runs a child to its end, which an exception such as KeyboardInterrupt brings at once."""
    from subprocess import DEVNULL, PIPE, Popen, TimeoutExpired
    try:
        child = Popen(call, stdin=DEVNULL, stdout=PIPE, stderr=PIPE)
    except OSError as error:
        raise Error(f"{call[0]}: {error.strerror}") from None
    except ValueError as error:
        wrong = next((word for word in call if "\0" in word), None)
        raise UsageError(f"a text with a NUL: {wrong!r}" if wrong else str(error)) from None
    with child:
        try:
            out, err = child.communicate()
        except BaseException:
            child.terminate()
            try:
                child.wait(2)
            except TimeoutExpired:
                child.kill()
            raise
        return child.returncode, out, err


def run(verb: str, options: "Iterable[str]", operands: "Iterable[str]" = (),
        answers: "Sequence[int]" = ()) -> "Tuple[bytes, List[Dict[str, Any]], int]":
    """What a verb prints, what it says beside it, as notes, and its exit status: 0, or one that is an answer."""
    import re
    behind = list(operands)
    status, out, err = communicate([program(), verb, *options, *(["--", *behind] if behind else [])])
    notes: "List[Dict[str, Any]]" = []
    sentences: "List[str]" = []
    for line in re.sub(r"\n +", " ", err.decode(errors="replace")).splitlines():  # long ones are folded
        line = line.removeprefix(f"tpq {verb}: ").removeprefix("tpq: ")
        for words, ours in SAID_OTHERWISE.items():
            line = line.replace(words, ours)
        is_health = line.startswith("Health: ") or ": Health: " in line
        notes.append({"kind": "health" if is_health else "warning", "text": line})
        sentences += [] if is_health else [line]
    if status < 0:
        sentences.append(f"tpq {verb}: ended by signal {-status}")
    if status and not (out and status in answers):
        raise ERRORS.get(status, Error)("\n".join(sentences) or f"tpq {verb}: exit status {status}", status)
    return out, notes, status


def words_of(verb: str, given: "Dict[str, Any]", function: "Optional[str]" = None) -> "List[str]":
    """The options of a verb from keywords. None and False leave an option out; a dict is KEY=VALUE of each."""
    known = {name.replace("-", "_"): kind for name, kind in OPTIONS[verb].items()}
    words = []
    for keyword, value in given.items():
        name = keyword.rstrip("_")  # as_, which is no name in Python without it
        kind = known.get(name)
        if not kind:
            from difflib import get_close_matches
            near = ", ".join(get_close_matches(keyword, sorted(known), 3, 0.5))
            raise TypeError(f"{function or verb}() has no keyword {keyword!r}" + (f"; did you mean {near}?" if near else ""))
        if kind == "flag" and value not in (None, True, False):
            raise TypeError(f"{keyword} is True or False, not {value!r}")
        if kind != "flag" and isinstance(value, bool):
            raise TypeError(f"{keyword} needs a value, not {value}")
        option = "--" + name.replace("_", "-")
        if kind == "flag" and value:
            words.append(option)
        elif kind != "flag" and value is not None:
            words += [f"{option}={text}" for text in texts_of(keyword, kind, value)]
    return words


def texts_of(keyword: str, kind: str, value: "Any") -> "List[str]":
    if isinstance(value, dict):
        value = [f"{key}={item}" for key, item in value.items()]
    if isinstance(value, (str, bytes, os.PathLike)):
        return [os.fsdecode(value)]
    if isinstance(value, (list, tuple)):
        texts = [os.fsdecode(item) if isinstance(item, (bytes, os.PathLike)) else str(item) for item in value]
        if kind != "one":
            return texts if kind == "many" else [{"comma": ",", "semicolon": ";"}[kind].join(texts)]
    elif isinstance(value, float) or hasattr(value, "__index__"):
        return [str(value)]
    raise TypeError(f"{keyword} takes one value, not {value!r}")


def paths_of(paths: "Paths") -> "List[str]":
    """Paths as operands, which are never taken for the name of a report."""
    is_one = isinstance(paths, (str, bytes, os.PathLike))
    texts = [os.fsdecode(path) for path in ([paths] if is_one else paths)]  # type: ignore
    return [path if "/" in path or "." in path else os.path.join(".", path) for path in texts]


def is_warehouse(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            head = file.read(72)
    except (OSError, ValueError):  # one that is missing, and called like one, is missed by its name
        return path.endswith(".db") and not os.path.exists(path)
    return head.startswith(HEAD[0]) and head[68:] == HEAD[1]


def source_of(source: "Optional[Paths]") -> "Tuple[List[str], List[str]]":
    """The options and operands for a warehouse, for one or more traces, or for None: $TPQ_DB, else tpq.db."""
    if source is None:
        return [], []
    paths = paths_of(source)
    if len(paths) == 1 and is_warehouse(paths[0]):
        return ["--db=" + paths[0]], []
    if not paths:
        raise UsageError("no trace given")
    return [], paths


def extension() -> str:
    """The path of the SQLite extension, which stands beside the module."""
    path = os.path.join(HERE, "tpq.so")
    if not os.path.isfile(path):
        raise Error(f"{path} is missing; the wheel of tpq holds it")
    return path
