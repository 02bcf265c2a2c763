"""What critical paths promise, on every miniature and fixture, whole, by step and in ranges of ids: replaying gives every
time, the path has no hole, nothing is early, and no prediction saves more than the path loses. Ranks are joined, and it does not
matter how far a clock is off."""
import copy
import csv
import os
import unittest

import kineto
import serve
import tables
import train
import xla
from support import Miniature

FIXTURES = os.path.join(os.path.dirname(tables.EXPECTED), "..", "fixtures")
MOVED = (3_000_000, 5_000_000)  # us, of the second clock


class Paths(Miniature):
    def sheets(self, *names, selection=()):
        """{report: rows}, asked in one call."""
        self.tpq("report", "--db", "t.db", *names, *selection, "--csv", "out")
        found = {}
        for name in names:
            with open(self.path("out", f"{name}.csv"), encoding="utf-8", newline="") as file:
                found[name] = list(csv.DictReader(file))
        return found

    def holds_here(self, *selection):
        """The number of traces that were looked at."""
        graphs, sums, predictions, ops = self.sheets("critical_path_graph", "critical_path_sum", "what_if", "critical_path_ops",
                                                     selection=selection).values()
        for graph in graphs:
            here = [row for row in sums if row.get("trace_id") == graph.get("trace_id")]
            self.assertEqual("1", graph["holds"], graph)
            self.assertAlmostEqual(float(graph["makespan_ms"]), sum(float(row["time_ms"]) for row in here), 6)
        for graph in graphs:
            here = [row for row in ops if row.get("trace_id") == graph.get("trace_id")]
            self.assertAlmostEqual(float(graph["makespan_ms"]), sum(float(row["path_ms"]) for row in here), 6)
            for row in here:
                self.assertLessEqual(float(row["host_ms"]) + float(row["gpu_time_ms"]), float(row["path_ms"]) + 0.01, row)
                if row["segments"] != "0" and row["op"]:
                    self.assertEqual("0.0", row["slack_us"], row)
        for row in predictions:
            if "work" in row["scenario"] or row["scenario"].split()[0] in ("computation", "communication", "copies"):
                self.assertGreaterEqual(float(row["saved_ms"]), 0, row)
            self.assertLessEqual(float(row["saved_ms"]), float(row["on_path_ms"]) + 1e-9, row)
        return len(graphs)

    def ingest(self, *files):
        self.tpq("ingest", "--quiet", "--db", "t.db", *files)

    def test_every_trace(self):
        for rank in range(2):
            kineto.write(self.path(f"rank_{rank}.json"), train.trace(rank))
        kineto.write(self.path("serve.json"), serve.trace())
        with open(self.path("node0.xplane.pb"), "wb") as file:
            file.write(xla.profile())
        for name in ("train/rank_0.json.gz", "train/rank_1.json.gz", "nsys/small.sqlite", "jax/small.xplane.pb", "rocpd/small.db",
                     "tt/ops_perf_results.csv"):
            self.ingest("--run", name.replace("/", "-"), os.path.join(FIXTURES, name))
        self.ingest("--run", "mini", "rank_0.json", "rank_1.json")
        self.ingest("--run", "served", "serve.json", "node0.xplane.pb")
        self.assertGreaterEqual(self.holds_here(), 7)
        self.assertEqual(2, self.holds_here("--run", "mini", "--step", "6"))
        self.assertEqual(2, self.holds_here("--run", "mini", "--where", "id % 3 > 0"))

    def ranks(self, moved):
        for rank in range(2):
            trace = copy.deepcopy(train.trace(rank))
            for event in trace["traceEvents"]:
                if rank == 1 and "ts" in event:
                    event["ts"] += moved
            kineto.write(self.path(f"rank_{rank}.json"), trace)
        if os.path.exists(self.path("t.db")):
            os.remove(self.path("t.db"))
        self.ingest("--run", "mini", "rank_0.json", "rank_1.json")
        return self.sheets("ranks_critical_path_sum", "ranks_critical_path_steps", "ranks_critical_path_hops",
                           "ranks_critical_path_graph", "ranks_critical_path_ops", "ranks_what_if")

    def test_ranks(self):
        sheets = self.ranks(0)
        graph = sheets["ranks_critical_path_graph"][0]
        self.assertEqual("1", graph["holds"])
        self.assertGreater(int(graph["joined"]), 0)
        self.assertEqual(int(graph["joined"]), len(sheets["ranks_critical_path_hops"]))
        self.assertAlmostEqual(float(graph["path_ms"]), sum(float(row["time_ms"]) for row in sheets["ranks_critical_path_sum"]), 6)
        self.assertAlmostEqual(float(graph["path_ms"]), sum(float(row["time_ms"]) for row in sheets["ranks_critical_path_steps"]), 6)
        self.assertAlmostEqual(float(graph["path_ms"]), sum(float(row["time_ms"]) for row in sheets["ranks_critical_path_ops"]), 6)
        for row in sheets["ranks_critical_path_hops"]:
            self.assertLessEqual(float(row["lead_us"]), float(row["wait_us"]) + 1e-9)
        for row in sheets["ranks_what_if"]:
            self.assertLessEqual(float(row["saved_ms"]), float(row["on_path_ms"]) + 1e-9, row)

    def test_a_clock_that_is_off(self):
        late, early = (self.ranks(moved) for moved in MOVED)
        self.assertRegex(late["ranks_critical_path_graph"][0].pop("offsets"), "1: 30000")
        self.assertRegex(early["ranks_critical_path_graph"][0].pop("offsets"), "1: 50000")
        for name, rows in late.items():
            self.assertEqual(rows, early[name], name)


if __name__ == "__main__":
    unittest.main()
