"""What CTest played: the slowest tests, and how many expectations there were.

usage: summary.py [--share PERCENT] LOG...     logs of CTest: Testing/Temporary/LastTest.log, or copies

A test is a program of cmocka, a file of unittest or of SQL, or a checker, and tells in its own words how
much it held; one that tells nothing held one thing. With --share a test that takes more than its part
of the whole is a failure.
"""
import re
import sys

TEST = re.compile(r'^\d+/\d+ Testing: (.*)\n(?s:.*?)^Output:\n-{20,}\n((?s:.*?))^<end of output>\n'
                  r'Test time = +([\d.]+) sec\n-{20,}\n(.*)$', re.M)
# (passed, failed): sums of what a test says; of unittest the failures are among those that ran
COUNTS = [(re.compile(r"\[  PASSED  \] (\d+) test"), re.compile(r"\[  FAILED  \] (?:\w+: )?(\d+) test")),
          (re.compile(r"^Ran (\d+) tests? in", re.M), re.compile(r"\b(?:failures|errors)=(\d+)")),
          (re.compile(r"\b(\d+) (?:passed|of \d+ held)\b"), re.compile(r"\b(\d+) failed\b"))]
SLOWEST = 10


def total(pattern, text):
    return sum(map(int, pattern.findall(text)))


def counted(text, verdict):
    passed, failed, skipped = 0, 0, total(re.compile(r"\bskipped=(\d+)"), text)
    for good, bad in COUNTS:
        passed, failed = passed + total(good, text), failed + total(bad, text)
    passed -= skipped + sum(total(bad, text) for good, bad in COUNTS[1:2])
    if verdict == "Test Skipped.":
        return 0, 0, 1
    if verdict != "Test Passed.":
        return max(passed, 0), max(failed, 1), skipped
    return max(passed, 1), 0, skipped


def main(words):
    share = 100.0
    if words[0] == "--share":
        share, words = float(words[1]), words[2:]
    times, sums = [], [0, 0, 0]
    for path in words:
        with open(path, encoding="utf-8", errors="replace") as log:
            for name, output, seconds, verdict in TEST.findall(log.read()):
                times.append((float(seconds), name, path.split("/")[0]))
                sums = [a + b for a, b in zip(sums, counted(output, verdict))]
    whole = sum(time for time, _, _ in times) or 1
    times.sort(reverse=True)
    print(f"\n== slowest of {len(times)} tests, {whole:.0f} s")
    for seconds, name, folder in times[:SLOWEST]:
        print(f"{seconds:8.1f} s {100 * seconds / whole:5.1f} %  {name} ({folder})")
    too_slow = [name for seconds, name, _ in times if 100 * seconds > share * whole]
    for name in too_slow:
        print(f"{name} takes more than {share:g} % of the whole")
    print(f"{sums[2]:,} skipped\n{sums[0]:,} passed, {sums[1] + len(too_slow):,} failed")
    return 0 if times and not sums[1] and not too_slow else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
