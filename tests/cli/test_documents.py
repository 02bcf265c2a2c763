"""--json of verbs that list or sum up: one document, with what it is about in its member meta."""

import json
import os

from support import Case, main

FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fixtures", "train")


class Documents(Case):
    def document(self, *call, status=0):
        found = json.loads(self.tpq(*call, "--json", status=status).out)
        self.meta = found.pop("meta")
        self.assertEqual(self.meta.pop("version"), self.tpq("--version").out.split()[1])
        return found

    def setUp(self):
        super().setUp()
        self.write("no.json", "nothing")
        self.summary = self.document("ingest", "--run", "base", "--label", "pr=8", FIXTURES,
                                     "no.json", "no.json", status=3)
        self.of_ingest = self.meta

    def test_ingest(self):
        self.assertEqual(self.of_ingest["run"], ["base"])
        self.assertEqual(self.of_ingest["units"], {"content_bytes": "bytes", "seconds": "s"})
        files, whole = self.summary["files"], self.summary["sum"]
        self.assertEqual([row["result"] for row in files][:2], ["stored", "stored"])
        self.assertIn("not a trace", files[2]["error"])
        self.assertEqual([row["trace_id"] for row in files[:2]], [1, 2])
        for name in ("events", "ops", "kernels", "other_gpu_work", "memory_records", "content_bytes"):
            self.assertEqual(sum(row[name] for row in files[:2]), whole[name], name)
        self.assertEqual(whole["events"], self.value("SELECT count(*) FROM event"))
        self.assertEqual((whole["stored"], whole["known"]), (2, 0))
        self.assertEqual(self.summary["notes"], self.notes())
        again = self.document("ingest", "--run", "base", FIXTURES)
        self.assertEqual([row["result"] for row in again["files"]], ["known", "known"])
        self.assertNotIn("events", again["files"][0])

    def test_runs_and_traces(self):
        run, = self.document("runs")["runs"]
        self.assertEqual(self.meta, {"run": ["base"], "units": {"content_bytes": "bytes"}})
        self.assertEqual((run["run"], run["traces"], run["labels"]), ("base", 2, {"pr": "8"}))
        self.assertEqual(run["content_bytes"], self.value("SELECT sum(content_bytes) FROM trace"))
        traces = self.document("traces", "b*")["traces"]
        self.assertEqual([(row["trace_id"], row["run"], row["rank"]) for row in traces],
                         [(1, "base", 0), (2, "base", 1)])
        self.tpq("ingest", "-q", "--run", "more", FIXTURES)
        self.document("runs")
        self.assertNotIn("run", self.meta)
        self.one_line(self.tpq("runs", "--json", "-m", "csv", status=2), "either --mode or --json")

    def test_check(self):
        found = self.document("check")
        words = self.tpq("check").out.splitlines()
        self.assertEqual([(row["check"], row["finding"]) for row in found["checks"]],
                         [(line.rsplit(None, 1)[0].strip(), None) for line in words])
        self.assertEqual(found["findings"], 0)
        self.tpq("sql", "--write", "UPDATE event SET track_id = 999 WHERE id = 7")
        found = self.document("check", status=1)
        self.assertEqual(found["findings"], len([row for row in found["checks"] if row["finding"]]))
        self.assertGreater(found["findings"], 0)

    def test_tree(self):
        events = self.document("tree", "--run", "base")["events"]
        self.assertEqual(self.meta["units"], {"ts_ns": "ns", "dur_ns": "ns", "self_ns": "ns"})
        stored = self.rows("SELECT event.id, parent_id, trace_id, track_id, ts_ns, dur_ns, self_ns, text "
                           "FROM event JOIN string ON string.id = name_id ORDER BY event.id")
        keys = ("id", "parent_id", "trace_id", "track_id", "ts_ns", "dur_ns", "self_ns", "name")
        self.assertEqual([tuple(row[key] for key in keys) for row in events], stored)
        depth = {row["id"]: row["depth"] for row in events}
        for row in events:
            parent = row["parent_id"]
            self.assertEqual(row["depth"], depth[parent] + 1 if parent else 0)
        one = self.document("tree", "--up", str(events[-1]["id"]))["events"]
        self.assertEqual(one[-1], events[-1])
        self.assertEqual({row["depth"] for row in
                          self.document("tree", "--trace", "1", "--depth", "2")["events"]}, {0, 1})

    def test_models_and_reports(self):
        models = {row["op"]: row for row in self.document("model", "list")["models"]}
        self.assertEqual(models["aten::mm"]["family"], "gemm")
        reports = {row["name"]: row for row in self.document("report", "--list")["reports"]}
        self.assertEqual(list(reports), self.tpq("help", "names", "reports").out.splitlines())
        self.assertEqual(reports["roofline"]["sheet_by"], "sheet")
        self.tpq("report", "--list", "--set", "tt", "--json=list.json")
        with open(self.path("list.json"), encoding="utf-8") as file:
            self.assertEqual({row["set"] for row in json.load(file)["reports"]}, {"tt"})


if __name__ == "__main__":
    main()
