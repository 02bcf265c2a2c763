"""The sources that TPQ_SMALL_WINDOWS reaches are those that CMake compiled small.

usage: test_small.py ROOT LIST     LIST: what tests/CMakeLists.txt found when it was run
"""
import pathlib
import re
import sys

from looked import looked_at


def reached(root, path, known):
    """Whether a file, or one that it includes, speaks of the macro."""
    if path not in known:
        known[path] = False
        text = (root / path).read_text()
        known[path] = "TPQ_SMALL_WINDOWS" in text or any(
            [reached(root, other, known) for other in re.findall(r'^#include "(.*)"', text, re.M)
             if (root / other).exists()])
    return known[path]


def main():
    root = pathlib.Path(sys.argv[1])
    listed = {str(pathlib.Path(line).relative_to(root)) for line in open(sys.argv[2]).read().split()}
    known = {}
    tools = {"src/main.c", "src/help_tool.c", "sql/build/embed_tool.c", "sql/build/image_tool.c", "sql/extension.c"}
    found = {path for room in ("ingest", "sql", "query", "src") for path in
             (str(source.relative_to(root)) for source in (root / room).rglob("*.c"))
             if not path.startswith("sql/extensions/") and path not in tools
             and reached(root, path, known)}
    looked_at(files=len(known), small=len(found), listed=len(listed))
    for path in sorted(found ^ listed):
        print(f"{path}: {'small, but not built so' if path in found else 'not small'}; run cmake again")
    return found != listed


sys.exit(main())
