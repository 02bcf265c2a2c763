"""Facts of health that a warehouse lacks, or has with another tolerance: they are counted from the events when
verdicts are asked for. A trace with facts costs one question about them, and its events are not read."""

import json
import sqlite3

from support import main, slice_event, trace_of
from test_health import BROKEN, CLEAN, Health, kernel, launches

OF_FILE = {"file_cut", "profiler_reported", "duplicate_events", "frames_lost"}  # what only ingest sees
OLDER = "ingested by an older tpq"
STEPS = [slice_event(f"ProfilerStep#{i}", 3000 * i + 900, 2990, "user_annotation", thread=2) for i in (0, 1, 3, 4, 5, 6)]
ODD = {  # of all that is told from elsewhere than ops, calls and kernels
    "steps": [*CLEAN, *STEPS],
    "part": [*CLEAN, *STEPS, kernel(10, 900, 3)],
    "overhead": [*CLEAN, slice_event("Buffer Flush", 2000, 9000, "overhead", thread=3)],
    "copies": [*CLEAN, slice_event("Memcpy HtoD (Pinned -> Device)", 400, 1, "gpu_memcpy", thread=7, process=0,
                                   args={"device": 0, "stream": 7, "bytes": 4000000, "correlation": 10})],
    "graphs": [event for i in range(1, 5) for event in (
        slice_event("cudaGraphLaunch", 1000 * i, 8.5, "cuda_runtime", args={"correlation": i}),
        *(slice_event(f"node {node}", 1000 * i + 20 * node, 10.5, "kernel", thread=7, process=0,
                      args={"device": 0, "stream": 7, "correlation": i, "graph id": 3, "graph node id": node})
          for node in range(1, 4 if i == 2 else 5)))],
    "syncs": [*CLEAN, slice_event("cudaDeviceSynchronize", 20030, 100, "cuda_runtime")],
    "captures": [*CLEAN, slice_event("cudaStreamBeginCapture", 100, 5, "cuda_runtime"),
                 slice_event("cudaLaunchKernel", 200, 5, "cuda_runtime", args={"correlation": 2}),
                 slice_event("cudaStreamEndCapture", 300, 5, "cuda_runtime")],
    "processes": [*CLEAN, slice_event("aten::add", 900, 5, process=77)],
    "far": [*launches(60), slice_event("aten::add", 9e9, 5)],
    "unreadable": [*CLEAN, 3, {"ph": "X", "name": "lost", "dur": 5}],
}


class Old(Health):
    def change(self, statement, *values):
        with sqlite3.connect(self.db) as connection:
            connection.execute(statement, values)
        connection.close()

    def told(self, *arguments):
        """All rows of trace_health, with the text of all their columns."""
        found = json.loads(self.tpq("report", *arguments, "trace_health", "--all", "--json").out)["trace_health"]
        return {(row["run"], row["trace_id"], row["check"]): row for row in found}

    def recounted(self):
        return self.tpq("sql", "-m", "csv", "SELECT DISTINCT \"check\" AS name FROM health_recounted ORDER BY 1").out.split()[1:]


class Facts(Old):
    def test_facts_that_are_missing(self):
        for name, events in {**{check: events for check, (events, *_) in BROKEN.items()}, **ODD}.items():
            self.tpq("ingest", self.write(f"{name}.json", trace_of(*events, **({"tpq_part": True} if name == "part" else {}))))
        facts = self.told()
        self.assertEqual(self.recounted(), [])
        self.assertLessEqual({*BROKEN, "step_gap", "profiler_overhead", "copy_rate", "graph_replay_partial", "kernel_after_sync",
                              "processes_merged", "far_events", "events_unreadable"}, {row["check"] for row in facts.values() if row["count"]})
        self.change("DELETE FROM health_fact")
        for place, row in self.told().items():
            fact = facts[place]
            with self.subTest(place):
                if row["check"] in OF_FILE and not fact["reason"] == "not checked for kineto":
                    self.assertEqual((row["verdict"], row["count"], row["reason"]), ("cannot tell", None, OLDER))
                else:
                    self.assertEqual(row, fact)
        self.check()

    def test_one_that_is_missing(self):
        self.tpq("ingest", self.write("t.json", trace_of(*BROKEN["kernels_lost"][0])))
        facts = self.told()
        self.change("DELETE FROM health_fact WHERE \"check\" IN ('kernels_lost', 'carried_in')")
        self.assertEqual(self.recounted(), ["carried_in", "kernels_lost"])
        self.assertEqual(self.told(), facts)


class Tolerances(Old):
    def prepare(self):
        self.write("t.json", trace_of(*BROKEN["stream_overlap"][0]))
        self.tpq("ingest", "t.json")

    def setUp(self):
        super().setUp()
        self.facts = self.told()

    def limit(self, check, *arguments):
        row = self.health(*arguments)[check]
        return row["verdict"], row["count"], row["expected"]

    def test_of_a_call(self):
        for value, *told in (("20000", "warning", 1, "≤ 20 us"), ("499000", "warning", 1, "≤ 499 us"), ("700000", "ok", 0, "≤ 700 us"), ("7e5", "ok", 0, "≤ 700 us")):
            rule = ("--health-rule", f"stream_overlap.tolerance={value}")
            for arguments in (rule, ("t.json", *rule)):
                self.assertEqual(self.limit("stream_overlap", *arguments), tuple(told))
        self.assertEqual(self.tpq("report", "overview", "--csv", *rule).health, "")
        self.assertEqual(self.told(), self.facts)

    def test_of_two_limits(self):
        self.assertEqual(self.limit("time_unit")[0], "ok")
        for value, verdict in (("100..6000", "broken"), ("7000..500000", "broken"), ("50..7000", "ok")):
            self.assertEqual(self.limit("time_unit", "--health-rule", f"time_unit.tolerance={value}")[0], verdict)

    def test_of_the_warehouse(self):
        self.change("UPDATE health_check SET tolerance = '700000', source = 'user' WHERE \"check\" = 'stream_overlap'")
        self.assertEqual(self.limit("stream_overlap"), ("ok", 0, "≤ 700 us"))
        rest = {place: row for place, row in self.told().items() if place[2] != "stream_overlap"}
        self.assertEqual(rest, {place: row for place, row in self.facts.items() if place[2] != "stream_overlap"})
        self.assertEqual(self.value("SELECT count || ' ' || tolerance FROM health_fact WHERE \"check\" = 'stream_overlap'"), "1 20000.0")
        self.assertEqual(self.recounted(), ["stream_overlap"])

    def test_of_what_cannot_be_counted_again(self):
        self.change("UPDATE health_check SET tolerance = '3', source = 'user' WHERE \"check\" IN ('duplicate_events', 'file_cut')")
        self.assertEqual(self.recounted(), [])
        self.assertEqual({place: row["verdict"] for place, row in self.told().items()},
                         {place: row["verdict"] for place, row in self.facts.items()})


if __name__ == "__main__":
    main()
