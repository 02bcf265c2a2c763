"""How much a test of the sources looked at."""

import sys


def looked_at(**places):
    """Prints how many places of each kind a test looked at. None of a kind is a failure, so that a pattern
    whose word has another name now does not pass."""
    line = ", ".join(f"{count:,} {kind.replace('_', ' ')}" for kind, count in places.items())
    print(line, file=sys.stderr)
    if not all(places.values()):
        raise AssertionError(f"nothing to look at: {line}")
