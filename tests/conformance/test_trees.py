#!/usr/bin/env python3
"""Real traces: does the warehouse say what the files say?

Runs on the reference traces that lie beside the checkout (../shared/conformance, or the folder in
$TPQ_CONFORMANCE) and is skipped where they are not. Each trace is read a second time, in the
plainest way, by the few lines of Python below: parents and launches must be the same, slice by
slice. Figures that were published for these traces are checked, too.
"""
import collections
import functools
import gc
import glob
import gzip
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from decimal import Decimal

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.environ.get("TPQ_CONFORMANCE", os.path.join(HERE, "../../../shared/conformance"))
TPQ = os.environ.get("TPQ", os.path.join(HERE, "../../build/tpq"))

GPU = {"kernel", "gpu_memcpy", "gpu_memset"}
CALLS = {"cuda_runtime", "cuda_driver"}
HOST = CALLS | {"cpu_op"}
BLEED_NS = 1000

# trace: (elements, ops and calls, of them with a parent, roots among the ops, GPU, linked GPU)
PUBLISHED = {
    "bert_h100": (2551, 611, 505, 104, 61, 61),
    "qwen_mi300": (18090, 6326, 4946, 1378, 1517, 1054),
    "triton": (246, 100, 96, 2, 12, 12),
}


def nanoseconds(number):
    return int(Decimal(number) * 1000)


class Plain:
    """A trace as the specification reads it, without frames."""

    def __init__(self, path):
        with gzip.open(path) as handle:
            content = json.load(handle, parse_float=str)  # times alone are calculated with
        self.events = content["traceEvents"] if isinstance(content, dict) else content
        self.slices = sum(event.get("ph") == "X" for event in self.events)
        self.parents = self.nest()
        self.launches = self.link()
        self.newer = self.link_by_correlation()
        del self.events

    def nest(self):
        hosts = [(nanoseconds(event["ts"]), -nanoseconds(event["dur"]), uid,
                  (str(event["pid"]), str(event["tid"])))
                 for uid, event in enumerate(self.events) if event.get("cat") in HOST]
        stacks, parents = collections.defaultdict(list), {}
        for start, negative, uid, thread in sorted(hosts):
            stack, end = stacks[thread], start - negative
            while stack and start >= stack[-1][0]:
                stack.pop()
            if stack and end > stack[-1][0]:
                if stack[-1][0] - start >= BLEED_NS or len(stack) < 2:
                    parents[uid] = None
                    continue
                stack.pop()
            parents[uid] = stack[-1][1] if stack else None
            stack.append((end, uid))
        return parents

    def link(self):
        key = next(("correlation" if "correlation" in event["args"] else "External id"
                    for event in self.events
                    if event.get("cat") in CALLS and "launch" in event["name"].lower()), None)
        tails, heads, at, work = set(), {}, {}, collections.defaultdict(list)
        for uid, event in enumerate(self.events):
            if event.get("cat") == "ac2g":
                if event["ph"] == "s":
                    tails.add(event["id"])
                else:
                    heads[event["id"]] = (event["pid"], event["tid"])
            elif event.get("cat") in GPU and key in event.get("args", {}):
                link = event["args"][key]
                at[(event["pid"], event["tid"], link)] = uid
                work[link].append(uid)
        launches = {}
        for uid, event in enumerate(self.events):
            if event.get("cat") not in CALLS:
                continue
            link = event.get("args", {}).get(key)
            if event["name"] in ("cudaGraphLaunch", "hipGraphLaunch") or not heads:
                launched = work.get(link, [])
            else:
                launched = [at.get((*heads[link], link))] if link in tails and link in heads else []
            for gpu in launched:
                if gpu is not None:
                    launches[gpu] = uid
        return launches

    def link_by_correlation(self):
        """What else has the correlation id of a call; of several the nearest before has it."""
        calls, launches = collections.defaultdict(list), {}
        for uid, event in enumerate(self.events):
            if event.get("cat") in CALLS and event.get("args", {}).get("correlation"):
                calls[event["args"]["correlation"]].append((nanoseconds(event["ts"]), uid))
        for uid, event in enumerate(self.events):
            if event.get("cat") in GPU and uid not in self.launches:
                named = sorted(calls.get(event.get("args", {}).get("correlation"), []))
                before = [call for ts, call in named if ts <= nanoseconds(event["ts"])]
                if named:
                    launches[uid] = before[-1] if before else named[0][1]
        return launches


plain_of = functools.cache(Plain)


@unittest.skipUnless(os.path.isdir(FOLDER), "skipped: the reference traces are not here")
class Trees(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.path = os.path.join(cls.scratch.name, "w.db")
        cls.traces = {}
        for pattern in ("pytorch/*/trace.json.gz", "inference/*/*.json.gz",
                        "inference/*/*/*.trace.json.gz", "multirank/*.json.gz"):
            for path in sorted(glob.glob(os.path.join(FOLDER, pattern))):
                name = os.path.relpath(path, FOLDER).removesuffix(".json.gz")
                cls.traces[name.removeprefix("pytorch/").removesuffix("/trace")] = path
        for name, path in cls.traces.items():
            subprocess.run([TPQ, "ingest", "-q", "--db", cls.path, "--run", name, path], check=True)
        cls.db = sqlite3.connect(cls.path)

    @classmethod
    def tearDownClass(cls):
        cls.db.close()
        cls.scratch.cleanup()

    def rows(self, sql, *values):
        return self.db.execute(sql, values).fetchall()

    def trace(self, name):
        return self.rows("SELECT trace.id FROM trace JOIN run ON run.id = run_id "
                         "WHERE run.name = ?", name)[0][0]

    def test_integrity(self):
        done = subprocess.run([TPQ, "check", "--db", self.path], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_every_slice_parent_and_launch(self):
        for name, path in self.traces.items():
            with self.subTest(trace=name):
                plain, trace = plain_of(path), self.trace(name)
                events = {id: (uid, parent, role) for id, uid, parent, role in self.rows(
                    "SELECT event.id, uid, parent_id, role FROM event "
                    "JOIN category ON category.id = category_id WHERE trace_id = ?", trace)}
                self.assertEqual(len(events), plain.slices)
                self.assertEqual({uid for uid, in self.rows(
                    "SELECT uid FROM gpu_event WHERE trace_id = ? AND link_id IN (SELECT id FROM "
                    "launch_kind WHERE is_newer)", trace)}, set(plain.newer))
                launches = {**plain.launches, **plain.newer}
                for uid, parent, role in events.values():
                    if role not in ("op", "call", "gpu"):
                        continue
                    while parent and events[parent][2] == "frame":
                        parent = events[parent][1]
                    found = events[parent][0] if parent else None
                    wanted = launches.get(uid) if role == "gpu" else plain.parents[uid]
                    self.assertEqual(found, wanted, f"parent of event {uid}")

    def test_published_figures(self):
        for name, figures in PUBLISHED.items():
            if name not in self.traces:
                continue
            with self.subTest(trace=name):
                trace = self.trace(name)
                elements = self.rows("SELECT element_count FROM trace WHERE id = ?", trace)[0]
                hosts = self.rows(
                    """WITH RECURSIVE host AS (
                         SELECT event.id, role, parent_id FROM event
                         JOIN category ON category.id = category_id
                         WHERE trace_id = ? AND role IN ('op', 'call')
                       ), up(id, above, role) AS (
                         SELECT id, parent_id, NULL FROM host
                         UNION ALL
                         SELECT up.id, event.parent_id, category.role FROM up
                         JOIN event ON event.id = up.above
                         JOIN category ON category.id = event.category_id
                         WHERE up.role IS NULL OR up.role = 'frame'
                       )
                       SELECT count(*), count(parent), sum(role = 'op' AND parent IS NULL) FROM (
                         SELECT host.role, max(up.role) FILTER (WHERE up.role <> 'frame') AS parent
                         FROM host JOIN up USING (id) GROUP BY id)""", trace)[0]
                work = self.rows("SELECT count(*), count(call_id) FROM gpu_event "
                                 "WHERE trace_id = ?", trace)[0]
                self.assertEqual(elements + hosts + work, figures)

    def test_recomputed_events(self):
        if "resnet_recompute_mi300" not in self.traces:
            self.skipTest("trace not here")
        trace = self.trace("resnet_recompute_mi300")
        roots = self.rows(
            "SELECT event.id, last_id FROM event JOIN string ON string.id = name_id "
            "WHERE trace_id = ? AND text LIKE '%torch/utils/checkpoint.py%' "
            "AND text LIKE '%recompute_fn%'", trace)
        marked = set()
        for first, last in roots:
            marked.update(range(first, last + 1))
        marked -= {id for id, in self.rows("SELECT id FROM gpu_event WHERE link_id IN (SELECT id "
                                           "FROM launch_kind WHERE is_newer)")}
        self.assertEqual((len(roots), len(marked)), (12, 10302))
        edges = dict(self.rows("SELECT kind, count(*) FROM edge WHERE trace_id = ? GROUP BY kind",
                               trace))
        self.assertEqual(edges, {"forward_backward": 213, "flow": 213})

    def test_frames_change_no_parent(self):
        name = "resnet_recompute_mi300"
        if name not in self.traces:
            self.skipTest("trace not here")
        path = os.path.join(self.scratch.name, "without.db")
        subprocess.run([TPQ, "ingest", "-q", "--no-python", "--db", path, self.traces[name]],
                       check=True)
        without = sqlite3.connect(path)
        found = dict(without.execute("SELECT event.uid, parent.uid FROM event "
                                     "LEFT JOIN event AS parent ON parent.id = event.parent_id"))
        without.close()
        plain = plain_of(self.traces[name])
        for uid, parent in {**plain.parents, **plain.launches, **plain.newer}.items():
            self.assertEqual(found[uid], parent)


if __name__ == "__main__":
    if not os.path.isdir(FOLDER):
        print("skipped: the reference traces are not here")
        sys.exit(77)
    gc.disable()  # to look for cycles in millions of events takes longer than to read them
    unittest.main()
