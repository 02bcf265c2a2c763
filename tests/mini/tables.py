"""Tables as CSV files: the expected ones, which are committed, and those that tpq writes.

A cell is a text, a number, empty (None), or a list or dict: JSON here, and JSON or a Python literal where
tpq writes it. Two cells are the same when their texts are, or when their numbers differ by at most TOLERANCE,
taken of the larger one if that is above 1: sums of doubles in another order are to pass, nothing else is.
"""
import ast
import csv
import json
import os

TOLERANCE = 1e-9
EXPECTED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "expected")


def write(path, rows):
    """Rows are dicts with the same keys; those are the columns."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(rows[0])
        for row in rows:
            assert list(row) == list(rows[0]), path
            writer.writerow([cell_text(value) for value in row.values()])


def cell_text(value):
    if value is None:
        return ""
    if isinstance(value, (list, tuple, dict)):
        return json.dumps(value)
    return str(value)


def read(path):
    with open(path, encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def parsed(text):
    """What a cell says; texts that are neither numbers nor lists stay as they are."""
    for parse in (int, float):
        try:
            return parse(text)
        except ValueError:
            pass
    if text[:1] in ("[", "{", "("):
        for parse in (json.loads, ast.literal_eval):
            try:
                return parse(text)
            except (ValueError, SyntaxError):
                pass
    return text


def same(left, right):
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return abs(left - right) <= TOLERANCE * max(1, abs(left), abs(right))
    return left == right


def differences(expected, actual):
    """Where two tables differ, a line a cell. Columns that are not expected are not looked at."""
    if len(expected) != len(actual):
        return [f"{len(actual)} rows instead of {len(expected)}"]
    found = []
    for number, (wanted, row) in enumerate(zip(expected, actual), 1):
        for column, text in wanted.items():
            if column not in row:
                return [f"no column {column}, but {', '.join(row)}"]
            if not same(parsed(text), parsed(row[column])):
                found.append(f"row {number} ({next(iter(wanted.values()))}), {column}: "
                             f"{row[column]!r} instead of {text!r}")
    return found
