"""Writes tpq/_options.py, the options of the verbs that the module calls, from the help of the program.

    options.py PROGRAM > tpq/_options.py

An unknown keyword is then refused without starting the program. The kinds of options: flag (no value),
one (a value), many (may be repeated), comma and semicolon (a list in one value).
"""

import re
import subprocess
import sys

VERBS = ("ingest", "report", "sql", "compare", "describe", "tree", "diff", "gate", "history", "export", "runs")

# What the module gives itself. Forms of output are not options of it, either: they may have no value.
OWN = {"cursor", "db", "envelope", "file", "find", "help", "list", "max-tokens", "mode", "param", "precise", "sheet"}
LINE = re.compile(r"^ +(?:-\w, )?--([\w-]+)(\[=\S+\]| (?! )\S+)?((?:.*\n)(?: {20,}.*\n)*)", re.M)


def kind_of(argument, words):
    if not argument:
        return "flag"
    for ending, kind in ((",...", "comma"), (";...", "semicolon"), ("...", "many")):
        if argument.endswith(ending):
            return kind
    if argument in ("COLUMNS", "LIST"):
        return "comma"
    words = " ".join(words.split())
    return "many" if re.search(r"may be repeated|repeatable", words) else "one"


def options_text(program, glibc=(0, 0)):
    """The text of tpq/_options.py for this program, which needs so much of glibc."""
    def ask(*words):
        return subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout
    lines = ['"""Made from the help of the program by options.py."""', "",
             f"VERSION = {ask('--version').split()[1]!r}", f"GLIBC = {tuple(glibc)}", "OPTIONS = {"]
    for verb in VERBS:
        lines.append(f"    {verb!r}: {{")
        for name, argument, words in sorted(LINE.findall(ask(verb, "--help"))):
            argument = argument.strip()
            if name not in OWN and argument[:1] not in ("[", "("):
                lines.append(f"        {name!r}: {kind_of(argument, words)!r},")
        lines.append("    },")
    return "\n".join([*lines, "}", ""])


if __name__ == "__main__":
    sys.stdout.write(options_text(sys.argv[1]))
