"""Op tables of tt-metal against the figures of another tool, where they lie beside the checkout.

Cases that are not counted: KNOWN says why. Exits with 77 when there is nothing to compare with.
"""
import os
import re
import subprocess
import sys
import tempfile

FIDELITIES = os.path.join("ttmetal", "fidelity.tsv")
HERE = os.path.dirname(os.path.abspath(__file__))
CHECK = os.path.join(HERE, "..", "..", "..", "shared", "conformance", "check-ttmetal")

KNOWN = {
    "oft/color": "rows that are grey are not found in the expected text, but are in the CSV",
    "oft/color_min5": "the same",
    "syn_host_advice/color": "the same",
}

if not os.path.exists(CHECK):
    sys.exit(77)
done = subprocess.run([CHECK, "--tpq", os.environ["TPQ"], "--show", "3"], capture_output=True,
                      text=True)
print(done.stdout, done.stderr)
failed = set(re.findall(r"^FAIL (\S+)", done.stdout, re.M))
if not re.search(r"^\d+ passed", done.stdout, re.M) or failed - set(KNOWN):
    sys.exit(1)

# Whether a fidelity fits the types: all rows, and of their advice whether there is any.
with open(os.path.join(os.path.dirname(CHECK), FIDELITIES), encoding="utf-8") as handle:
    rows = [line.rstrip("\r\n").split("\t") for line in handle][1:]
values = ", ".join("('%s', '%s', '%s', '%s')" % tuple(row[:4]) for row in rows)
with tempfile.TemporaryDirectory() as folder:
    database = os.path.join(folder, "w.db")
    table = os.path.join(os.path.dirname(CHECK), "ttmetal", "inputs", "syn_v1.csv")
    subprocess.run([os.environ["TPQ"], "ingest", "-q", "--db", database, table], check=True)
    done = subprocess.run(
        [os.environ["TPQ"], "sql", "--mode", "tsv", "--db", database, "-"], capture_output=True,
        text=True, input="SELECT column1, column2, column3, column4, "
        "tt_fidelity(column1, column2, column3, column4), "
        "tt_fidelity_advice(column1, column2, column3, column4) IS NOT NULL "
        f"FROM (VALUES {values});")
found = [line.split("\t") for line in done.stdout.splitlines()][1:]
expected = [row[:5] + [str(int(bool(row[5] if len(row) > 5 else "")))] for row in rows]
if found != expected or len(rows) < 2000:
    print(f"fidelities: {len(found)} of {len(expected)}", done.stderr,
          [pair for pair in zip(found, expected) if pair[0] != pair[1]][:5])
    sys.exit(1)
