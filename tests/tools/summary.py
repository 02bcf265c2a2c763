"""Sums up what was played: the slowest tests, and how much passed and failed.

usage: summary.py [--share PERCENT] FILE...     files in the form of JUnit, as CTest and fuzz.sh write them

A test is a program of cmocka, a file of unittest or of SQL, or a checker, and tells in its own words how
much it held; one that tells nothing held one thing. A file that is missing is a failure, and with --share
a test that takes more than its part of the whole.
"""
import re
import sys
import xml.etree.ElementTree as xml

# (passed, failed) as each says it; unittest counts failures among the tests that ran
COUNTS = [(r"\[  PASSED  \] (\d+) test", r"\[  FAILED  \] (?:\w+: )?(\d+) test"),
          (r"(?m)^Ran (\d+) tests? in", r"(?<!expected )\b(?:failures|errors)=(\d+)"),
          (r"(?m)^(?:.*: )?(\d+) passed, \d+ failed", r"(?m)^(?:.*: )?\d+ passed, (\d+) failed")]
SKIPPED = r"\bskipped=(\d+)"
SLOWEST = 10


def total(pattern, text):
    return sum(map(int, re.findall(pattern, text)))


def counted(test):
    """Expectations of a test that passed, failed, and were skipped."""
    text, status = test.findtext("system-out") or "", test.get("status")
    skip = test.find("skipped")
    if status == "notrun" and skip is not None and "SKIP_RETURN_CODE" in (skip.get("message") or ""):
        return 0, 0, 1
    skipped = total(SKIPPED, text)
    passed = sum(total(good, text) for good, _ in COUNTS) - skipped - total(COUNTS[1][1], text)
    if status != "run":
        return max(passed, 0), max(sum(total(bad, text) for _, bad in COUNTS), 1), skipped
    return max(passed, 0 if skipped else 1), 0, skipped


def main(words):
    share = 100.0
    if words[:1] == ["--share"]:
        share, words = float(words[1]), words[2:]
    times, passed, failed, skipped = [], 0, 0, 0
    for path in words:
        try:
            tests = xml.parse(path).getroot().findall(".//testcase")
        except (OSError, xml.ParseError) as error:
            print(f"{path}: {error}")
            tests, failed = [], failed + 1
        for test in tests:
            times.append((float(test.get("time") or 0), test.get("name"), path.split("/")[0]))
            passed, failed, skipped = (a + b for a, b in zip((passed, failed, skipped), counted(test)))
    whole = sum(time for time, _, _ in times) or 1
    times.sort(reverse=True)
    print(f"\n== slowest of {len(times)} tests, {whole:.0f} s")
    for seconds, name, folder in times[:SLOWEST]:
        print(f"{seconds:8.1f} s {100 * seconds / whole:5.1f} %  {name} ({folder})")
    for seconds, name, _ in times:
        if 100 * seconds > share * whole:
            print(f"{name} takes more than {share:g} % of the whole")
            failed += 1
    print(f"{skipped} skipped\n{passed} passed, {failed} failed")
    return 0 if times and not failed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
