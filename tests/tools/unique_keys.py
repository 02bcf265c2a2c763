"""Rows of reports that nothing tells apart: the columns that a report declares with -- key: name a row of a
run, with those of -- within: in the run that it is from. compare, gate and history join by the first."""
import os
import re

REPORTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "sql", "reports")

# Sheets of other tools with a row for each call and no column that names the call.
NAMELESS = {"jax_analysis_gemms_detailed"}


def declared():
    """{report: [columns of its key, and of within]}"""
    keys = {}
    for name in sorted(os.listdir(REPORTS)):
        with open(os.path.join(REPORTS, name), encoding="utf-8") as file:
            text = file.read()
        words = re.findall(r"(?m)^-- (?:key|within): (.*)$", text)
        if words:
            keys[re.search(r"CREATE VIEW (\w+)", text).group(1)] = ", ".join(words).split(", ")
    return keys


def has_trace(name):
    with open(os.path.join(REPORTS, name + ".sql"), encoding="utf-8") as file:
        listed = file.read().rpartition("\nSELECT")[2].partition("\nFROM")[0]
    return re.search(r"(?m)AS trace_id,? --|^ +(\w+\.)?run, (\w+\.)?trace_id,", listed) is not None


def question(keys, name):
    """SQL: the name of the report and how many of its keys stand in several rows, where there are some."""
    columns = ", ".join(["run"] + ["trace_id"] * has_trace(name) + [f'"{key}"' for key in keys[name]])
    return (f"SELECT '{name}' AS report, count(*) AS repeated FROM (SELECT 1 FROM {name} GROUP BY {columns} "
            f"HAVING count(*) > 1) HAVING count(*) > 0;")


def questions(sets):
    """SQL about the reports of these sets."""
    keys, found = declared(), []
    for name in sorted(keys.keys() - NAMELESS):
        with open(os.path.join(REPORTS, name + ".sql"), encoding="utf-8") as file:
            if re.search(r"(?m)^-- set: (.*)$", file.read()).group(1) in sets:
                found.append(question(keys, name))
    return "\n".join(found)


def answers(out):
    """[(report, how many keys)] of what tpq sql -m csv gave for the questions."""
    lines = [line.split(",") for line in out.splitlines() if line and not line.startswith("report,")]
    return [(name, int(count)) for name, count in lines]
