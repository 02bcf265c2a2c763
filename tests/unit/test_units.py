"""A report states like quantities in one unit, but for columns that are there only with --compat: held by the words of
its columns. Reports that need two say why, here."""

import pathlib
import re
import unittest

from looked import looked_at

REPORTS = pathlib.Path(__file__).parents[2] / "sql/reports"
COLUMN = re.compile(r' AS (\w+),? -- (?:"[^"]*" )?\[([^\]]+)\]')
KINDS = {unit: kind for kind, units in {
    "time": ("ps", "ns", "us", "ms", "s"), "size": ("bytes", "KB", "MB", "MiB", "GB", "GiB"),
    "rate": ("MB/s", "GB/s", "GiB/s", "TB/s")}.items() for unit in units}

MOMENTS = "where something stands in the trace is told in ms, how long it took in us"
SINGLE = "what a whole run took is told in ms, what a single launch, gap or call took in us"
PINNED = "figures that are compared with those of others column by column, names and units as they are"
HEADINGS = "its columns have the headings of the tool that it stands for, by which others read them"
TWO_UNITS = {
    ("busy_curve", "time"): "its points are told in ms, the sums of their parts in ns, which add up",
    ("critical_path", "time"): MOMENTS,
    ("critical_path_graph", "time"): PINNED,
    ("critical_path_ops", "time"): SINGLE,
    ("findings", "time"): "moments are integers as events have them, so that they are found there",
    ("ranks_critical_path", "time"): MOMENTS,
    ("ranks_critical_path_graph", "time"): PINNED,
    ("ranks_critical_path_hops", "time"): PINNED,
    ("kernel_pace_instances", "time"): MOMENTS,
    ("ranks_kernel_pace", "time"): MOMENTS,
    ("unlinked_kernels", "time"): MOMENTS,
    ("rocprof_kernel_summary", "time"): HEADINGS,
    ("serving_fit", "time"): "a step takes ms, a further request us",
    **{(name, "time"): PINNED for name in (
        "idle_by_stream", "kernel_breakdown", "launch_split", "launch_stats", "queue_length",
        "ranks_idle_by_stream", "ranks_launch_split", "ranks_launch_stats", "ranks_queue_length")},
    **{(name, "time"): SINGLE for name in (
        "idle_causes", "launch_delay", "launch_stats_by_call", "nn_module_time", "ranks_all2allv_summary",
        "ranks_sync_groups", "ranks_sync_statistics")},
}


def units_of(path):
    """The units of each kind in a report as it is without --compat."""
    text = path.read_text()
    only_compat = set(re.findall(r"(\w+) compat\b", " ".join(re.findall(r"^-- columns-when: (.*)$", text, re.M))))
    found = {}
    like = re.search(r"^-- columns-of: (\w+)$", text, re.M)
    views = REPORTS.glob(f"{like[1]}.sql") if like else ()
    inherited = [(name, unit) for view in views for name, unit in COLUMN.findall(view.read_text())
                 if re.search(rf"\b{name}\b", text.split("\nSELECT")[-1])]
    for name, unit in inherited + COLUMN.findall(text):
        if unit in KINDS and name not in only_compat:
            found.setdefault(KINDS[unit], set()).add(unit)
    return found


class Units(unittest.TestCase):
    maxDiff = None

    def test_like_quantities_have_one_unit(self):
        seen, several, reports = 0, {}, sorted(REPORTS.glob("*.sql"))
        for path in reports:
            for kind, units in units_of(path).items():
                seen += 1
                if len(units) > 1:
                    several[path.stem, kind] = sorted(units)
        looked_at(reports=len(reports), quantities=seen, several=len(several))
        self.assertGreater(seen, 50)
        self.assertEqual({key: units for key, units in several.items() if key not in TWO_UNITS}, {})
        self.assertEqual([key for key in TWO_UNITS if key not in several], [], "exceptions that nobody needs")


if __name__ == "__main__":
    unittest.main()
