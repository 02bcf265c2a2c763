"""Tables that people read, held against the same tables as machines read them: what tells rows apart is shown, so that two
different rows never look alike, however narrow the terminal is.

    faults, seen = alike.faults(tpq, ["trace.json", "roofline"], 80)

A fault is a sentence; none: all is well. Markdown is looked at, too: width 0, as wide as a page. A report is known by its words.
"""
import fcntl
import glob
import json
import os
import pty
import re
import struct
import subprocess
import tempfile
import termios
import unicodedata

SQL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "sql")
HEADING = re.compile(r'(?m)^.*?\b(\w+)"?,? *-- *(?:"([^"]*)" *)?(?:\[([^\]]*)\])?')
REST = re.compile(r"[\d,]+ more (row|column)s? \(")


class Report:
    """What a report's file says of its columns."""

    def __init__(self, comment, name, view, views):
        self.title, declared = comment.split("-- set: ", 1)
        self.set = declared.split()[0]
        self.title, self.name = " ".join(line[3:] for line in self.title.splitlines()), name
        self.headings, self.forms = {}, {}
        self.sheets = re.findall(r"(?m)^-- (?:sheet: |also: \w+ \d+ )(.+)$", declared)
        like = re.search(r"(?m)^-- columns-of: (\w+)$", declared)
        for column, heading, form in HEADING.findall((views[like.group(1)] if like else "") + view):
            self.headings[column] = heading or column
            self.forms[heading or column] = form
        key = re.search(r"(?m)^-- key: (.*)$", declared)
        unfold = re.search(r"(?m)^-- unfold: (\w+) (\w+)", declared)
        self.key = [self.headings[column] for column in re.split(r", *", key.group(1))] if key else []
        self.unfolds = self.headings[unfold.group(1)] in self.key if unfold else False
        self.unfolded = unfold.group(2) + ": " if unfold else None

    def is_key(self, heading):
        return heading in self.key or self.unfolds and heading.startswith(self.unfolded)


def reports():
    text = ""
    for name in sorted(glob.glob(os.path.join(SQL, "[rv]*", "*.sql"))):
        with open(name, encoding="utf-8") as file:
            text += file.read()
    views = re.findall(r"(?m)((?:^-- .*\n)+)CREATE VIEW (\w+)((?:\n|.)*?);\n", text)
    columns = {name: view for _, name, view in views}
    return [Report(*view, columns) for view in views if "\n-- set: " in view[0]]


REPORTS = reports()


def environment():
    kept = {key: value for key, value in os.environ.items() if key != "TPQ_DB"}
    return {**kept, "LC_ALL": "C.UTF-8"}


def on_terminal(call, width, cwd=None):
    """What a call prints on a terminal of that many characters."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    process = subprocess.Popen(call, stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.DEVNULL, cwd=cwd, env=environment())
    os.close(theirs)
    out = b""
    while True:
        try:
            part = os.read(ours, 1 << 16)
        except OSError:
            break  # the other side is closed
        if not part:
            break
        out += part
    os.close(ours)
    process.wait()
    return out.decode(errors="replace").replace("\r\n", "\n")


def output(call, cwd=None):
    return subprocess.run(call, stdin=subprocess.DEVNULL, capture_output=True, cwd=cwd, env=environment()).stdout.decode(errors="replace")


def width_of(text):
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(one) else 2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in text)


def pieces(line, columns):
    """A line cut at the places of columns, which are (start, end) in characters as wide as they are shown; None: it is none."""
    if line.isascii():
        between = zip([0] + [end for _, end in columns], [start for start, _ in columns] + [None])
        return None if any(line[end:start].strip(" ") for end, start in between) else [line[start:end].strip() for start, end in columns]
    cut, at, place = [""] * len(columns), 0, 0
    for one in line:
        while place < len(columns) and at >= columns[place][1]:
            place += 1
        if place < len(columns) and at >= columns[place][0]:
            cut[place] += one
        elif one != " ":
            return None
        at += width_of(one)
    return [part.strip() for part in cut]


def packed(text):
    return re.sub(r"\s", "", text)


class Table:
    """A sheet as it is shown."""

    def __init__(self, name, title, headings, rows, lines):
        self.name, self.title, self.headings, self.rows, self.lines = name, title, headings, rows, lines


def tables_on_terminal(text):
    """Those in paragraphs are passed over."""
    found, lines = [], text.split("\n")
    for i, line in enumerate(lines):
        if not line or set(line) - {"─", " "}:
            continue
        columns = [run.span() for run in re.finditer("─+", line)]
        above = i
        while above > 0 and lines[above - 1]:
            above -= 1
        below = i + 1
        while below < len(lines) and lines[below] and not REST.match(lines[below]):
            below += 1
        found.append((lines[above], lines[above + 1:i], columns, lines[i + 1:below]))
    return found


def table_of(name, head, columns, lines):
    words = packed("".join(head))
    fits = [report for report in REPORTS if words.startswith(packed(report.title))]
    if not fits:
        return None
    report = max(fits, key=lambda one: len(one.title))
    length, at = len(packed(report.title)), 0
    while length > 0:  # what is left are headings, and units
        length -= len(packed(head[at]))
        at += 1
    cut = [pieces(line, columns) for line in head[at:]]
    headings = ["".join(packed(line[i]) for line in cut) for i in range(len(columns))]
    return Table(name, report, headings, [pieces(line, columns) for line in lines], lines)


def tables_in_markdown(text):
    found, lines = [], text.split("\n")
    for i, line in enumerate(lines):
        if not re.match(r"\| (---:?)( \| ---:?)* \|$", line):
            continue
        split = lambda row: [re.sub(r"\\(.)", r"\1", cell).strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]]
        above = max(at for at in range(i) if lines[at].startswith("## "))
        title = packed(re.sub(r"\\(.)", r"\1", " ".join(lines[above + 1:i - 1])))
        fits = [report for report in REPORTS if title.startswith(packed(report.title))]
        below = i + 1
        while below < len(lines) and lines[below].startswith("|"):
            below += 1
        if fits:
            found.append(Table(re.sub(r"\\(.)", r"\1", lines[above][3:]), max(fits, key=lambda one: len(one.title)),
                               [packed(cell) for cell in split(lines[i - 1])], [split(row) for row in lines[i + 1:below]],
                               lines[i + 1:below]))
    return found


class Pairs(dict):
    """An object with all its members, also those of one name: sheets of two sets may have the same."""

    def __init__(self, pairs):
        super().__init__(pairs)
        self.pairs = pairs


def value(cell):
    return "" if cell is None else json.dumps(cell)


def named(table, headings):
    """The heading of each column; behind it stood a unit."""
    found = []
    for words in table.headings:
        cut = re.compile(".*".join(map(re.escape, words.split("…"))))
        fits = [heading for heading in headings if words.startswith(packed(heading)) or "…" in words and cut.match(packed(heading))]
        found.append(max(fits, key=len) if fits else None)
    return found


def first_alike(shown, meant):
    """The numbers of two rows that mean different things and look alike."""
    seen = {}
    for i, (look, mean) in enumerate(zip(shown, meant)):
        if look not in seen:
            seen[look] = (i, mean)
        elif seen[look][1] != mean:
            return seen[look][0], i
    return None


def faults_of(table, rows):
    headings = list(dict.fromkeys(heading for row in rows[:1] for heading in row))
    names, report = named(table, headings), table.title
    count = min(len(table.rows), len(rows))
    rows, shown, lines = rows[:count], table.rows[:count], table.lines[:count]
    whole = [tuple(value(row[heading]) for heading in headings) for row in rows]
    keys = [tuple(value(row[heading]) for heading in headings if report.is_key(heading)) for row in rows]
    places = [i for i, name in enumerate(names) if name and report.is_key(name)]
    pair = first_alike([tuple(row[i] for i in places) for row in shown], keys)
    if pair:
        yield f"by their keys ({', '.join(names[i] for i in places)}): {table.lines[pair[0]]} | {table.lines[pair[1]]}"
    pair = first_alike(lines, whole)
    if pair:
        yield f"whole rows: {table.lines[pair[0]]}"
    for i, name in enumerate(names):
        if name and not name.startswith("param: ") and report.forms.get(name, "") in ("kernel", "call", "text", ""):
            if all(isinstance(row[name], (str, type(None))) for row in rows):
                pair = first_alike([row[i] for row in shown], [value(row[name]) for row in rows])
                if pair:
                    yield f"{name}: {rows[pair[0]][name]} | {rows[pair[1]][name]}"


def sheets_of(path):
    """[(name, rows as text, {column: heading})] of a report in JSON, which has a line for each row."""
    found = []
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.startswith('"meta": '):
                meta = json.loads("{" + line + file.read(), object_pairs_hook=Pairs)["meta"]
            elif line.startswith('"'):
                found.append((json.loads(line.rpartition(": ")[0]), []))
            elif line.startswith('{"'):
                found[-1][1].append(line.rstrip(",\n"))
    told = meta["sheets"].pairs
    assert [name for name, _ in found] == [name for name, _ in told]
    return [(name, rows, {key: column["heading"] for key, column in one["columns"].items()}) for (name, rows), (_, one) in zip(found, told)]


def headed(rows, headings):
    """Rows with headings for keys."""
    return [{headings[key]: cell for key, cell in json.loads(row).items()} for row in rows]


def made(tpq, arguments, cwd=None):
    """The sheets of a report, and the report in Markdown: to work it out is what takes time."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "report.json")
        markdown = output([tpq, "report", *arguments, f"--json={path}", "--markdown"], cwd)
        return sheets_of(path), markdown


def with_rows(sheets, names):
    """Reports with rows."""
    filled = {name for name, rows, _ in sheets if rows}
    return [name for name in names if name in filled or name not in {sheet for sheet, _, _ in sheets}]


def faults_in(sheets, text, width):
    """Where different rows look alike; and how many tables were looked at."""
    found, seen = [], 0
    tables = tables_in_markdown(text) if not width else [table_of(*one) for one in tables_on_terminal(text)]
    for table in tables:
        if not table or not table.rows:
            continue
        names = [packed(name) for name in (table.name, *[sheet for one in REPORTS if one.name == table.name for sheet in one.sheets])]
        rows = (headed(rows[:len(table.rows)], headings) for name, rows, headings in sheets if packed(name) in names and rows)
        rows = [rows for rows in rows if all(named(table, rows[0]))]
        if not rows:
            found.append(f"{width}: {table.name}: not in JSON")
            continue
        seen += 1
        found += [f"{width}: {table.name}: {fault}" for fault in faults_of(table, rows[0])]
    found += [f"{width}: longer than that: {line}" for line in text.split("\n")
              if width and width_of(line) > width and " " in line.strip()]  # a word is not broken
    return found, seen


def faults(tpq, arguments, width, cwd=None):
    """Faults of a call, on a terminal of that width and in Markdown."""
    sheets, markdown = made(tpq, arguments, cwd)
    narrow = faults_in(sheets, on_terminal([tpq, "report", *arguments, "--no-color"], width, cwd), width)
    return [sum(parts, type(parts[0])()) for parts in zip(narrow, faults_in(sheets, markdown, 0))]
