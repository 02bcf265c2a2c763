#!/usr/bin/python3
"""mutate.py FOLDER TABLE [FUNCTION...]: changes of core functions that the suite does not notice.

All changes are compiled at once: a copy of the tree in FOLDER holds each beside what it replaces,
and TPQ_MUTANT=NUMBER in the environment chooses one. Every quick test runs once without a change and
leaves behind which changes it came by; then each change runs the tests that came by it, the quickest
first, until one fails or hangs, or enough time is spent.

TABLE: file, function, and, for a change that makes no difference to anybody, its text and the reason.
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading

from clang.cindex import Config, CursorKind, Index, StorageClass, TranslationUnit, TypeKind

Config.set_library_file("/usr/lib/llvm-14/lib/libclang.so.1")
QUICK = 40  # seconds of the processor; what takes longer is left out
ENOUGH = 90  # for one change
SWITCH = """\
extern char *getenv(const char *);
extern int atoi(const char *), creat(const char *, unsigned), close(int);
extern int snprintf(char *restrict, unsigned long, const char *restrict, ...);
static _Bool mutant(int number) {
    static int chosen = -1;
    static _Bool is_seen[100000];
    if (chosen < 0) {
        const char *text = getenv("TPQ_MUTANT");
        chosen = text ? atoi(text) : 0;
    }
    const char *folder = is_seen[number] ? 0 : getenv("TPQ_MUTANTS_SEEN");
    is_seen[number] = 1;
    if (folder) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%d", folder, number);
        close(creat(path, 0666));
    }
    return number == chosen;
}
#line 1
"""
INSTEAD = {"<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="],
           "!=": ["=="], "&&": ["||"], "||": ["&&"], "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"],
           "%": ["/"], "&": ["|"], "|": ["&"], "<<": [">>"], ">>": ["<<"], "+=": ["-="], "-=": ["+="],
           "*=": ["/="], "/=": ["*="], "|=": ["&="], "&=": ["|="], "<<=": [">>="], ">>=": ["<<="],
           "++": ["--"], "--": ["++"]}
LOOPS = {CursorKind.WHILE_STMT: 0, CursorKind.IF_STMT: 0, CursorKind.DO_STMT: 1,
         CursorKind.CONDITIONAL_OPERATOR: 0}

Mutant = collections.namedtuple("Mutant", "number file function line text")


class Rewriter:
    """The text of one function with all of its changes in it."""

    def __init__(self, source, unit, file, function, mutants):
        self.source, self.file, self.function, self.mutants = source, file, function, mutants
        self.macros = [(m.extent.start.offset, m.extent.end.offset) for m in unit.cursor.get_children()
                       if m.kind == CursorKind.MACRO_INSTANTIATION and str(m.location.file) == file
                       and source[m.extent.end.offset - 1:m.extent.end.offset] == b")"]

    def is_in_macro(self, node):
        begin, end = node.extent.start.offset, node.extent.end.offset
        return any(begin < last and first < end and not (begin <= first and last <= end)
                   or first <= begin and end <= last for first, last in self.macros)

    def text(self, node):
        return self.source[node.extent.start.offset:node.extent.end.offset].decode()

    def add(self, node, before, after):
        line = node.extent.start.line
        said = f"{' '.join(before.split())} -> {' '.join(after.split())}"
        self.mutants.append(Mutant(len(self.mutants) + 1, self.file, self.function, line, said))
        return len(self.mutants)

    def choice(self, node, text, others):
        """TEXT, which says node with the changes below it, or one of OTHERS: (what is said, text)."""
        for said, other in others:
            text = f"(mutant({self.add(node, self.text(node), said)}) ? ({other}) : ({text}))"
        return text

    def rewrite(self, node, parent=None, place=0):
        """The text of NODE with all changes."""
        begin, end = node.extent.start.offset, node.extent.end.offset
        if self.is_in_macro(node) and node.kind.is_expression():
            return self.text(node)
        if node.kind in (CursorKind.VAR_DECL,) and node.storage_class == StorageClass.STATIC:
            return self.text(node)
        children = [child for child in node.get_children()]
        pieces, at, parts = [], begin, []
        for number, child in enumerate(children):
            first, last = child.extent.start.offset, child.extent.end.offset
            if first < at or last > end or last <= first or child.kind == CursorKind.TYPE_REF:
                parts.append(self.source[first:last].decode())
                continue
            is_fixed = (node.kind == CursorKind.CASE_STMT and number == 0
                        or node.kind in (CursorKind.FIELD_DECL, CursorKind.ENUM_CONSTANT_DECL)
                        or node.kind == CursorKind.VAR_DECL and node.type.kind == TypeKind.CONSTANTARRAY
                        and child.kind == CursorKind.INTEGER_LITERAL)
            part = self.source[first:last].decode() if is_fixed else self.rewrite(child, node, number)
            pieces += [self.source[at:first].decode(), part]
            parts.append(part)
            at = last
        text = "".join(pieces) + self.source[at:end].decode()
        if self.is_in_macro(node) or any(self.is_in_macro(child) for child in children):
            if node.kind.is_expression():
                return text
        return self.changed(node, children, parts, text, parent, place)

    def operator(self, children):
        gap = self.source[children[0].extent.end.offset:children[1].extent.start.offset].decode()
        gap = re.sub(r"/\*.*?\*/|//[^\n]*", "", gap)
        return gap.replace("(", "").replace(")", "").strip()

    def changed(self, node, children, parts, text, parent, place):
        kind = node.kind
        if kind in (CursorKind.BINARY_OPERATOR, CursorKind.COMPOUND_ASSIGNMENT_OPERATOR):
            operator = self.operator(children)
            pointers = [child.type.get_canonical().kind == TypeKind.POINTER for child in children]
            if any(pointers) and operator not in ("==", "!=", "&&", "||") and (
                    all(pointers) and operator == "-" or operator == "+" and pointers[1]):
                return text
            others = []
            for other in INSTEAD.get(operator, []):
                said = [self.text(child) for child in children]
                others.append((f"{said[0]} {other} {said[1]}", f"({parts[0]}) {other} ({parts[1]})"))
            return self.choice(node, text, others)
        if kind == CursorKind.UNARY_OPERATOR and text[:2] in ("++", "--"):
            other = INSTEAD[text[:2]][0]
            return self.choice(node, text, [(other + self.text(children[0]), other + parts[0])])
        if kind == CursorKind.UNARY_OPERATOR and text[-2:] in ("++", "--"):
            other = INSTEAD[text[-2:]][0]
            return self.choice(node, text, [(self.text(children[0]) + other, parts[0] + other)])
        if kind == CursorKind.INTEGER_LITERAL and text.isdigit() and not (
                parent and parent.kind == CursorKind.INIT_LIST_EXPR):
            return self.choice(node, text, [(str(int(text) + 1), f"{text} + 1")])
        if kind == CursorKind.CALL_EXPR and parent and parent.kind == CursorKind.COMPOUND_STMT:
            return f"(mutant({self.add(node, self.text(node), 'nothing')}) ? (void)0 : (void)({text}))"
        if parent and LOOPS.get(parent.kind, -1) == place and (
                kind != CursorKind.BINARY_OPERATOR or self.operator(children) not in INSTEAD):
            said = self.text(node)
            other = text[1:] if text.startswith("!") else f"!({text})"
            return self.choice(node, f"!!({text})", [(f"not ({said})", f"!!({other})")])
        return text


def rewrite_file(path, arguments, functions, mutants):
    source = pathlib.Path(path).read_bytes()
    unit = Index.create().parse(path, args=arguments,
                                options=TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD)
    wrong = [str(said) for said in unit.diagnostics if said.severity > 2]
    if wrong:
        sys.exit(f"{path}: {wrong[0]}")
    places, missing = [], set(functions)
    for node in unit.cursor.get_children():
        if (node.kind == CursorKind.FUNCTION_DECL and node.is_definition()
                and str(node.location.file) == path and node.spelling in functions):
            body = [child for child in node.get_children()][-1]
            new = Rewriter(source, unit, path, node.spelling, mutants).rewrite(body)
            places.append((body.extent.start.offset, body.extent.end.offset, new))
            missing.discard(node.spelling)
    if missing:
        sys.exit(f"{path} has no {', '.join(sorted(missing))}")
    for first, last, new in reversed(places):
        source = source[:first] + new.encode() + source[last:]
    pathlib.Path(path).write_bytes(SWITCH.encode() + source)


def prepare(folder, wanted):
    """A copy of the tree with all changes, built; the changes."""
    tree, build = folder / "tree", folder / "build"
    shutil.rmtree(tree, ignore_errors=True)
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], check=True, text=True,
                           stdout=subprocess.PIPE).stdout.split()
    for name in filter(os.path.exists, names):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(name, tree / name)
    subprocess.run(["cmake", "-S", tree, "-B", build, "-DTPQ_TESTS=ON", "-DCMAKE_C_FLAGS=-O1 -w",
                    "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"], check=True, stdout=subprocess.DEVNULL)
    commands = {}
    for entry in json.load(open(build / "compile_commands.json")):
        name = os.path.relpath(entry["file"], tree.resolve())
        commands.setdefault(name, [word for word in entry["command"].split()
                                   if word.startswith(("-I", "-D", "-isystem"))])
    mutants, files = [], collections.defaultdict(list)
    for file, function in wanted:
        files[file].append(function)
    here = os.getcwd()
    os.chdir(tree)
    for file, functions in files.items():
        rewrite_file(file, commands[file], functions, mutants)
    os.chdir(here)
    log = folder / "build.log"
    if subprocess.run(["cmake", "--build", build, "-j", str(os.cpu_count())], stdout=open(log, "w"),
                      stderr=subprocess.STDOUT).returncode:
        sys.exit(subprocess.run(["grep", "-m5", "error", log], text=True,
                                stdout=subprocess.PIPE).stdout or f"see {log}")
    return build, mutants


Test = collections.namedtuple("Test", "name command folder environment")


def tests_of(build):
    said = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1", "-LE",
                           "test_memory|samples|test_death|figures|tools|servers"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    for test in json.loads(said)["tests"]:
        given = {entry["name"]: entry["value"] for entry in test.get("properties", [])}
        if "command" in test and not test["name"].startswith("conformance") and not given.get("DISABLED"):
            environment = dict(line.split("=", 1) for line in given.get("ENVIRONMENT", []))
            yield Test(test["name"], test["command"], given.get("WORKING_DIRECTORY", str(build)),
                       environment)


def run(test, limit, **extra):
    """Whether TEST passes, waiting LIMIT seconds at most, and the processor's seconds that it took."""
    process = subprocess.Popen(test.command, cwd=test.folder, start_new_session=True,
                               env={**os.environ, **test.environment, **extra},
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    watch = threading.Timer(limit, os.killpg, (process.pid, 9))
    watch.start()
    _, status, used = os.wait4(process.pid, 0)
    watch.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode in (0, 77), used.ru_utime + used.ru_stime


def main():
    folder, table = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    rows = [line.split("\t") for line in table.read_text().splitlines() if not line.startswith("#")]
    reasons = {(row[0], row[1], row[2]) for row in rows if len(row) > 3}
    wanted = [(row[0], row[1]) for row in rows if len(row) == 2
              and (not sys.argv[3:] or row[1] in sys.argv[3:])]
    build, mutants = prepare(folder, wanted)
    print(f"{len(mutants)} changes in {len(wanted)} functions", flush=True)

    reached, seconds = collections.defaultdict(list), {}
    shutil.rmtree(folder / "seen", ignore_errors=True)

    def try_unchanged(test):
        seen = folder / "seen" / test.name
        seen.mkdir(parents=True)
        passed, seconds[test.name] = run(test, 30 * QUICK, TPQ_MUTANTS_SEEN=str(seen.resolve()))
        if passed and seconds[test.name] <= QUICK:
            for path in seen.iterdir():
                reached[int(path.name)].append(test)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(try_unchanged, tests_of(build)))

    def noticed_by(mutant):
        spent = 0
        for test in sorted(reached[mutant.number], key=lambda test: seconds[test.name]):
            passed, used = run(test, 30 + 30 * seconds[test.name], TPQ_MUTANT=str(mutant.number))
            if not passed:
                return test.name
            spent += used
            if spent > ENOUGH:
                break
        return None

    killed = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for mutant, test in zip(mutants, pool.map(noticed_by, mutants)):
            is_same = (mutant.file, mutant.function, mutant.text) in reasons
            killed[mutant.function] += test is not None or is_same
            if test is None and not is_same:
                print(f"{mutant.file}:{mutant.line} {mutant.function}: {mutant.text}"
                      f" ({len(reached[mutant.number])} tests)", flush=True)
    print()
    count = collections.Counter(mutant.function for mutant in mutants)
    for file, function in wanted:
        print(f"{killed[function]:4} of {count[function]:4}  {file} {function}")
    total, noticed = len(mutants), sum(killed.values())
    print(f"{noticed:4} of {total:4}  {100 * noticed / max(total, 1):.1f} %")


main()
