#!/usr/bin/env python3
"""rooms: which folder may stand on which.

Reads the includes of ingest/, sql/, query/ and src/. An include must be written from the root of
the tree; a file includes its own room and rooms to the right of it; and no file, taken together
with its header, stands on itself by way of others; nor do files of one folder call each other in a
circle, which a header that they share would hide. The table below is all that there is to know.
"""

import pathlib
import re
import subprocess
import sys
import unittest

from looked import looked_at

ROOT = pathlib.Path(__file__).resolve().parents[2]

# House > floor > rooms side by side, from left to right. A room is a folder or a file without its
# ending; what stands in parentheses is one room. Houses on one line do not know each other.
HOUSES = [
    ["program: src/main src/help_tool > src/verbs > src/agent > src/report > src/command"],
    ["ingest: (ingest/ingest ingest/dialect ingest/graft ingest/capture ingest/configuration ingest/discover ingest/graph_notes)"
     " > ingest/formats > ingest/kineto ingest/xplane ingest/ttmetal ingest/nsys ingest/rocpd"
     " ingest/rocprof ingest/pftrace ingest/snapshot ingest/store > ingest/trace > ingest/input",
     "query: query/page query/export query/agent query/compare > query/split query/report query/ask"
     " > query/select query/replay query/extension query/parquet > query/sink"],
    ["sql: sql/merge sql/extension sql/build/image_tool > sql/warehouse > sql/register > sql/calls sql/advice"
     " > sql/stacks sql/time > sql/launches sql/ranges > sql/kernels sql/tt sql/ranks sql/diff sql/schedule sql/health"
     " > sql/evaluate > sql/functions > sql/models sql/binding sql/docs"
     " > sql/warehouse/tables > sql/asked > sql/database sql/build > sql/sqlite sql/statement"],
    ["base: src/base"],
]


def read_table(houses):
    """Room by path, and of each room (floor of the house, house, floor in it, room)."""
    places = {}
    for level, row in enumerate(houses):
        for house in row:
            name, floors = house.split(": ")
            for floor, rooms in enumerate(floors.split(" > ")):
                for i, room in enumerate(re.findall(r"\(.*?\)|\S+", rooms)):
                    for path in room.strip("()").split():
                        places[path] = (level, name, floor, i)
    return places


def place_of(path, places):
    return places.get(path.rsplit(".", 1)[0]) or places.get(path.rsplit("/", 1)[0])


def is_allowed(source, target):
    if source == target or source[0] < target[0]:
        return True
    return source[:2] == target[:2] and source[2] < target[2]


def includes():
    for folder in ("ingest", "query", "sql", "src"):
        for path in sorted((ROOT / folder).rglob("*.[ch]")):
            name = str(path.relative_to(ROOT))
            if name.startswith("sql/extensions/"):  # those are for users
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                found = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
                if found:
                    yield name, number, found.group(1).replace(".sql.h", ".sql")  # made of it


def node(path):
    """A noun: a file and its headers, of which x_maker.h and its like are for parts of x alone."""
    name = path.rsplit(".", 1)[0]
    whole = re.sub("_(maker|reader|reading)$", "", name)
    return name if (ROOT / (name + ".c")).exists() else whole


def calls():
    """The .c files, the functions that each gives to others, and by (caller, called) file of one
    folder the functions called. Names are looked for as words: a function in a table counts."""
    noise = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
    paths = [path for folder in ("ingest", "query", "sql", "src") for path in sorted((ROOT / folder).rglob("*.c"))]
    texts = {str(path.relative_to(ROOT)): noise.sub(" ", path.read_text()) for path in paths}
    homes, found = {}, {}
    for name, text in texts.items():
        given = r"^(?!static\b)[a-z][\w \t*]*?\b(\w+)\((?:[^;{}()]|\([^()]*\))*\)\s*\{"
        for function in re.findall(given, text, re.M):
            homes[name.rsplit("/", 1)[0], function] = name
    for name, text in texts.items():
        own = set(re.findall(r"^static\b[^;{}=]*?\b(\w+)\(", text, re.M))
        for word in set(re.findall(r"\b[a-z]\w*", text)) - own:
            home = homes.get((name.rsplit("/", 1)[0], word), name)
            if home != name:
                found.setdefault((name, home), set()).add(word)
    return texts, homes, found


def circles(edges):
    """The groups of files that stand on each other (Tarjan)."""
    order, low, stack, found = {}, {}, [], []

    def visit(at):
        order[at] = low[at] = len(order)
        stack.append(at)
        for to in edges.get(at, ()):
            if to not in order:
                visit(to)
            if to in stack:
                low[at] = min(low[at], low[to])
        if low[at] == order[at]:
            group = stack[stack.index(at):]
            del stack[stack.index(at):]
            if len(group) > 1:
                found.append(sorted(group))

    for start in sorted(edges):
        if start not in order:
            visit(start)
    return found


class Rooms(unittest.TestCase):
    maxDiff = None

    def test_includes_keep_the_order(self):
        places, wrong, found = read_table(HOUSES), [], list(includes())
        looked_at(files=len({name for name, _, _ in found}), includes=len(found))
        for name, number, target in found:
            at = f"{name}:{number}: {target}"
            if not (ROOT / target).is_file():
                wrong.append(f"{at}: not written from the root of the tree")
                continue
            source, aim = place_of(name, places), place_of(target, places)
            if not source or not aim:
                wrong.append(f"{at}: {name if not source else target} is in no room of the table")
            elif not is_allowed(source, aim):
                wrong.append(f"{at}: that room does not stand to the right of this one")
        self.assertEqual([], wrong, "\n" + "\n".join(wrong))

    def test_no_file_stands_on_itself(self):
        edges = {}
        for name, _, target in includes():
            if node(name) != node(target):
                edges.setdefault(node(name), set()).add(node(target))
        looked_at(files=len(edges), edges=sum(map(len, edges.values())))
        found = [" <-> ".join(group) for group in circles(edges)]
        self.assertEqual([], found, "\n" + "\n".join(found))

    def test_no_files_of_a_folder_call_each_other_in_a_circle(self):
        files, functions, found = calls()
        looked_at(files=len(files), functions=len(functions), edges=len(found))
        edges = {}
        for caller, called in found:
            edges.setdefault(caller, set()).add(called)
        wrong = [f"{a} calls {', '.join(sorted(found[a, b]))} of {b}"
                 for group in circles(edges) for a in group for b in group if (a, b) in found]
        self.assertEqual([], wrong, "\n" + "\n".join(wrong))

    def test_words_name_files_that_are_there(self):
        files = names = 0
        for folder in ("ingest", "query", "sql", "src", "tests"):
            for path in sorted((ROOT / folder).rglob("*")):
                if path.suffix not in (".c", ".h", ".sql", ".sh", ".md", ".txt", ".cmake"):
                    continue
                files += 1
                for name in re.findall(r"(?<![\w/])((?:ingest|query|sql|src|tests)/[\w/]+\.(?:c|h|sql|py|sh|md|cmake)\b)",
                                       path.read_text(errors="replace")):
                    names += 1
                    self.assertTrue((ROOT / name).exists() or (ROOT / folder / name).exists(), f"{path}: {name}")
        looked_at(files=files, names=names)

    def test_comments_begin_with_their_subject(self):
        """A recipe's title may be a question."""
        wrong, found = [], 0
        for path in sorted(path for folder in ("ingest", "query", "sql", "src") for path in (ROOT / folder).rglob("*.*")):
            if path.suffix not in (".c", ".h", ".js", ".sql"):
                continue
            text, name = path.read_text(), str(path.relative_to(ROOT))
            start = r"(?m)(?:/\*+[\s*]*|^(?:.*\s)?//\s*)(\w+)"
            if path.suffix == ".sql":  # the first of several lines, or behind a column
                text = re.sub(r"(?m)^([ \t]*--.*\n)((?:[ \t]*--.*\n)+)", lambda at: at[1] + "\n" * at[2].count("\n"), text)
                start = r"-- *(?:\[.*?\] )?(\w+)"
            for at in re.finditer(start, text):
                found += 1
                is_title = name.startswith("sql/recipes/") and at.start() == 0
                if at[1] in ("What", "Those", "Of", "Which") and not is_title:
                    wrong.append(f"{name}:{text.count(chr(10), 0, at.start(1)) + 1}: begins with {at[1]}")
        looked_at(comments=found)
        self.assertEqual([], wrong, "\n" + "\n".join(wrong))

    def test_long_files_begin_with_how_they_work(self):
        """A header says what for; a long file behind it says how, in a line of its own at least."""
        wrong, found = [], 0
        for folder in ("ingest", "query", "sql", "src"):
            for path in sorted((ROOT / folder).rglob("*.c")):
                text, name = path.read_text(), str(path.relative_to(ROOT))
                if text.count("\n") <= 100 or name.startswith("sql/extensions/"):  # those are for users
                    continue
                found += 1
                head = re.match(r"/\*\s*([\w, ]+): (.*?)\*/", text, re.S)
                if not head or not re.sub(r"see [\w/.]+\.h\b", "", head[2]).strip(" .*\n"):
                    wrong.append(f"{name}:1: says nothing of this file")
        looked_at(files=found)
        self.assertEqual([], wrong, "\n" + "\n".join(wrong))

    def test_nothing_else_is_kept_at_the_top(self):
        """What tools leave behind would go in with the next change."""
        house = {"CMakeLists.txt", "LICENSE", "README.md", "ingest", "query", "sql", "src", "tests"}
        listed = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True, check=False)
        if listed.returncode:
            self.skipTest("no git, or no repository")
        found = {name.split("/")[0] for name in listed.stdout.splitlines()}
        self.assertEqual({name for name in found if not name.startswith(".")}, house)

    def test_the_table_is_read_as_it_is_meant(self):
        places = read_table(HOUSES)
        for source, target, allowed in (
                ("sql/calls/a.c", "sql/time/b.h", True),
                ("sql/time/a.c", "sql/calls/b.h", False),
                ("sql/time/a.c", "sql/stacks/b.h", False),
                ("ingest/store/a.c", "query/sink/b.h", False),
                ("query/ask/a.c", "src/base/b.h", True),
                ("query/ask/a.c", "src/command/b.h", False),
                ("ingest/graft.c", "ingest/capture.h", True)):
            self.assertEqual(is_allowed(place_of(source, places), place_of(target, places)),
                             allowed, f"{source} on {target}")


if __name__ == "__main__":
    sys.setrecursionlimit(10000)
    unittest.main()
