"""tpq ingest --run-per: many runs of one call, how they are called, which are refused, and that the
same files cost nothing when they come again."""

import json
import os
import shutil
import sqlite3
import subprocess

from support import TPQ, Case, main, slice_event, trace_of


def trace(name, rank=None):
    content = trace_of(slice_event(name, 1, 2))
    return content if rank is None else {**content, "distributedInfo": {"rank": rank}}


class RunPer(Case):
    def runs(self, db=None):
        """{run: [(rank, path)]}"""
        found = {}
        with self.connection(db) as connection:
            for run, rank, path in connection.execute("SELECT name, rank, path FROM trace JOIN run ON run.id = run_id ORDER BY 1, 2, 3"):
                found.setdefault(run, []).append((rank, os.path.relpath(path, self.folder)))
        return found

    def per(self, how, *words, **more):
        return self.tpq("ingest", "--run-per", how, *words, **more)


class Names(RunPer):
    def test_a_run_is_a_file_and_its_ranks_stand_together(self):
        names = ["s/big.json", "s/r1_rank0.json", "s/r1_rank1.pt.trace.json", "s/a-rank-3-b.json", "t/rank_0.json", "u/trace.json"]
        for name in names:
            self.write(name, trace(name))
        out = self.per("file", "s", "t", "u").out
        self.assertEqual(self.runs(), {
            "a-b": [(3, "s/a-rank-3-b.json")], "big": [(None, "s/big.json")],
            "r1": [(0, "s/r1_rank0.json"), (1, "s/r1_rank1.pt.trace.json")],
            "t": [(0, "t/rank_0.json")], "u": [(None, "u/trace.json")]})
        self.assertIn("5 runs: 6 stored\n", out)
        self.check()

    def test_the_rank_is_what_the_pattern_says(self):
        for name in ("m_w0.json", "m_w1.json", "n_w1.json"):
            self.write("s/" + name, trace(name))
        self.per("file", "--rank-pattern", r"w(\d+)\.json", "s")
        self.assertEqual({run: [rank for rank, _ in rows] for run, rows in self.runs().items()}, {"m": [0, 1], "n": [1]})
        self.tpq("ingest", "--db", "all.db", "--run-per", "file", "--rank-pattern", r"^.*(\d+)", "s")
        self.assertEqual({run: [rank for rank, _ in rows] for run, rows in self.runs(self.path("all.db")).items()}, {"m_w": [0, 1], "n_w": [1]})

    def test_equal_names_get_the_shortest_ends_that_differ(self):
        for name in ("a/x.json", "b/x.json", "c/b/x.json", "y.json", "d/e/trace.json", "f/e/trace.json"):
            self.write("s/" + name, trace(name))
        self.per("file", "s")
        self.assertEqual(sorted(self.runs()), ["a/x", "c/b/x", "d/e/trace", "f/e/trace", "s/b/x", "y"])

    def test_no_name_is_empty_or_ends_in_a_slash(self):
        for name in ("a/rank0.json", "a/rank1.json", "a/trace.json", "a.json", "b/a/rank0.json", "b/r.json"):
            self.write("s/" + name, trace(name))
        self.per("file", "s")
        self.assertEqual({run: len(rows) for run, rows in self.runs().items()},
                         {"a/trace": 1, "b/a": 1, "r": 1, "s/a/rank0.json": 2, "s/a.json": 1})
        self.tpq("ingest", "--db", "re.db", "--run-per", "(?<run>^.*/)|^(?<first>/)", "s", self.path("s", "a.json"))
        self.assertEqual(sorted(self.runs(self.path("re.db"))), sorted(["a", "b", "b/a", self.path("s")]))
        self.check()

    def test_a_run_is_a_directory(self):
        for name in ("p/one/rank_0.json", "p/one/rank_1.json", "p/one/deep/q.json", "q/one/z.json"):
            self.write(name, trace(name))
        self.per("directory", "p", "q/one/z.json")
        self.assertEqual(self.runs(), {
            "p/one": [(0, "p/one/rank_0.json"), (1, "p/one/rank_1.json")], "deep": [(None, "p/one/deep/q.json")],
            "q/one": [(None, "q/one/z.json")]})

    def test_a_pattern_names_runs_and_labels(self):
        for name in ("bert/r1/rank_0.json", "bert/r1/rank_1.json", "gpt/r2/rank_0.json", "other.json"):
            self.write("s/" + name, trace(name))
        result = self.per("(?<model>[^/]+)/(?<run>r[0-9]+)/", "--label", "team=blue", "s/")
        self.assertEqual({run: len(rows) for run, rows in self.runs().items()}, {"r1": 2, "r2": 1})
        self.assertEqual(dict(self.rows("SELECT name, labels FROM run")),
                         {"r1": '{"model":"bert","team":"blue"}', "r2": '{"model":"gpt","team":"blue"}'})
        self.one_line(result, "skipped 1 that --run-per does not match")
        self.assertIn("2 runs: 3 stored, 1 skipped", result.out)
        for how, runs in ((r"r(\d)", ["1", "2"]), (r"r\d", ["r1", "r2"]), ("(?<model>[a-z]+)/", ["bert", "gpt"])):
            self.tpq("ingest", "-q", "--db", how[-3:-1] + ".db", "--run-per", how, "s")
            self.assertEqual(sorted(self.runs(self.path(how[-3:-1] + ".db"))), runs)
        self.assertIn("s/other.json: --run-per does not match it", self.per("r([0-9])", "-v", "s").err)

    def test_labels_tell_runs_of_a_pattern_apart(self):
        for name in ("bert/n0/rank0.json", "bert/n0/rank1.json", "gpt/n0/rank0.json", "gpt/n1/rank0.json"):
            self.write("s/" + name, trace(name))
        labels = lambda: dict(self.rows("SELECT name, labels FROM run"))
        for words in (["s/bert"], ["s"], ["s"]):  # the first one sees no model
            self.per("(?:(?<model>[^/]+)/)?(?<run>[^/]+)/[^/]*$", *words)
        self.assertEqual({run: len(rows) for run, rows in self.runs().items()}, {"n0": 2, "gpt/n0": 1, "n1": 1})
        for pattern, names in (("(?<model>[^/]+)/(?<run>[^/]+)/[^/]*$", ["bert/n0", "gpt/n0", "n1"]),
                               ("(?<run>[^/]+)/n(?<number>[0-9])/", ["bert", "gpt/n0", "gpt/n1"]),
                               ("/n(?<run>[0-9])/(?<kind>r)(?<rank>ank)", ["0", "1"]),
                               (r"^(?:(?<a>b)|(?<b>g))\w+/(?<run>n)", ["bert/n", "gpt/n"])):
            os.remove(self.db)
            self.per(pattern, "s")
            self.assertEqual(sorted(self.runs()), names)
        self.assertEqual(labels(), {"bert/n": '{"a":"b"}', "gpt/n": '{"b":"g"}'})
        self.check()

    def test_slips_are_told_and_nothing_is_made(self):
        self.write("s/a.json", trace("a"))
        self.write("t/" + 60 * "a" + ".json", trace("a"))
        for words, status, said in (
                (["--run-per", "^(a|aa|a?)+$", "t"], 2, "takes too many steps on aaaaaa"),
                (["--run-per", r"^(a|aa|a?)+$|^(\w)/a", "s/a.json", "t"], 2, "takes too many steps on aaaaaa"),
                (["--run-per", "(", "s"], 2, r"--run-per '\(': missing closing parenthesis at character 2"),
                (["--run-per", "file", "--run", "x", "s"], 2, "--run is for one run, and --run-per for many"),
                (["--run-per", "file", "--capture-folder", "s", "s"], 2, "--capture-folder is for one run"),
                (["--run-per", "file", "--request-log", "s", "s"], 2, "--request-log is for one run"),
                (["--run-per", "file", "--graph-annotations", "s", "s"], 2, "--graph-annotations is for one run"),
                (["--run-per", "file", "-"], 2, "--run-per needs paths"),
                (["--run-per", r"z(\d+)", "s"], 3, "matches no path, such as a.json")):
            self.one_line(self.tpq("ingest", *words, status=status), said)
        self.assertFalse(os.path.exists(self.db))


class Stored(RunPer):
    def test_a_bad_file_costs_only_itself_and_documents_say_the_runs(self):
        for i in range(5):
            self.write(f"s/{i}.json", trace(str(i)) if i != 2 else '{"traceEvents": [{"ph": "X", "name":')
        result = self.per("file", "--json", "-j", 3, "s", status=3)
        self.one_line(result, "2.json")
        document = json.loads(result.out)
        self.assertEqual(document["meta"]["run"], ["0", "1", "2", "3", "4"])
        self.assertEqual([(file["run"], file["result"]) for file in document["files"]],
                         [(str(i), "stored" if i != 2 else "failed") for i in range(5)])
        self.assertEqual((document["sum"]["stored"], document["sum"]["failed"]), (4, 1))
        self.tpq("ingest", "-q", "--db", "one.db", "-j", 1, "--run-per", "file", "s", status=3)
        self.assertEqual(self.dump(self.path("one.db")), self.dump())

    def test_runs_are_those_with_traces(self):
        for name in ("a", "b", "c/a_rank1", "d"):
            self.write(f"s/{name}.json", trace(name))
        for name in ("config", "index"):
            self.write(f"s/{name}.json", '{"architectures": []}')
        self.assertIn("4 runs: 4 stored, 2 skipped\n", self.per("file", "s").out)
        self.write("s/b.json", "{")
        self.assertIn("3 runs: 0 stored, 3 known already, 2 skipped, 1 failed\n", self.per("file", "-v", "s", status=3).out)

    def test_health_is_said_of_each_run(self):
        for name in ("a", "b"):
            self.write(f"s/{name}.json", json.dumps(trace_of(slice_event("x", 1, 2), slice_event(name, 3, 4)))[:-20])
        health = self.per("file", "--salvage", "s").health
        self.assertRegex(health, r"a\.json: Health: .*\n(.*\n)*.*b\.json: Health: ")

    def test_a_run_of_another_path_is_refused(self):
        for name in ("a/x.json", "a/m_rank1.json", "b/x.json", "b/m_rank0.json", "b/m_rank1.json", "b/new.json"):
            self.write(name, trace(name))
        self.write("a/s.json", trace("s", 5))
        self.write("b/s.json", trace("other", 5))
        self.per("file", "a")
        before = self.runs()
        result = self.per("file", "b", status=3)
        self.assertEqual(self.runs(), {**before, "new": [(None, "b/new.json")]})
        for name, cause, other in (("x", "x", "x"), ("s", "s", "s"), ("m_rank0", "m_rank1", "m_rank1"), ("m_rank1", "m_rank1", "m_rank1")):
            self.assertIn(f"b/{name}.json: run {name[0]} has the rank of {self.path('b', cause)}.json from {self.path('a', other)}.json already; "
                          "name runs with --run-per REGEX\n", result.err)
        self.assertIn("1 stored, 4 failed", result.out)
        # the same content is known wherever it lies, and the same path may have another one
        shutil.copytree(self.path("a"), self.path("c"))
        self.assertIn("3 runs: 0 stored, 3 known already", self.per("file", "c").out)
        self.write("a/x.json", trace("newer"))
        self.per("file", "--replace", "a/x.json")
        self.assertEqual(self.runs(), {**before, "new": [(None, "b/new.json")]})
        self.assertEqual(self.value("SELECT count(*) FROM event JOIN string ON string.id = name_id WHERE text = 'newer'"), 1)
        self.check()


class Again(RunPer):
    def change(self, path, old, new):
        """Another content of the same length at the same time."""
        before = os.stat(path)
        with open(path, "r+b") as file:
            content = file.read().replace(old, new)
            file.seek(0)
            file.write(content)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    def test_a_trace_keeps_its_run_whatever_else_is_in_the_call(self):
        for name in ("d1/step.json", "d2/step.json", "e/m_rank0.json", "e/m_rank1.json"):
            self.write(name, trace(name))
        self.per("file", "d1", "e/m_rank1.json")
        kept = {"d2/step": [(None, "d2/step.json")], "m": [(0, "e/m_rank0.json"), (1, "e/m_rank1.json")], "step": [(None, "d1/step.json")]}
        self.assertIn("3 runs: 2 stored, 2 known already", self.per("file", "d1", "d2", "e").out)
        self.assertEqual(self.runs(), kept)
        self.write("d2/step.json", trace("newer"))
        for words in (["d2"], ["d1", "d2"], ["--replace", "d2"], ["-j", 1, "d1", "d2", "e"]):
            self.per("file", *words, status=None)
            self.assertEqual({run: {path for _, path in rows} for run, rows in self.runs().items()},
                             {run: {path for _, path in rows} for run, rows in kept.items()})
        self.check()

    def test_a_renamed_run_keeps_its_traces_and_a_run_of_many_groups_is_none_of_theirs(self):
        for name in ("s/a.json", "s/b.json"):
            self.write(name, trace(name))
        self.per("file", "s/a.json")
        with sqlite3.connect(self.db) as renaming:
            renaming.execute("UPDATE run SET name = 'old'")
        renaming.close()
        self.per("file", "s")
        self.assertEqual(sorted(self.runs()), ["b", "old"])
        self.per("directory", "s")
        self.assertEqual({run: len(rows) for run, rows in self.runs().items()}, {"b": 1, "old": 1, "s": 2})
        self.assertIn("2 known", self.per("directory", "s").out)
        for words in (["--run", "all"], ["--run-per", "file"]):
            self.tpq("ingest", "-q", "--db", "all.db", *words, "s")
        self.assertEqual(sorted(self.runs(self.path("all.db"))), ["a", "all", "b"])
        self.check()

    def test_files_of_the_same_size_and_time_are_not_read(self):
        path = self.write("s/a.json", trace("aaa"))
        for db, words in (("one.db", ["--run", "a"]), ("many.db", ["--run-per", "file"])):
            self.write("s/a.json", trace("aaa"))
            known = lambda *more: json.loads(self.tpq("ingest", "--json", "--db", db, *words, *more, path).out)["sum"]["known"]
            self.assertEqual((known(), known()), (0, 1))
            self.change(path, b"aaa", b"bbb")
            self.assertEqual(known(), 1)
            self.assertEqual(known("--no-python"), 0)
            self.change(path, b"bbb", b"ccc")
            self.assertEqual(known("--tree", "reference"), 0)
            os.utime(path, (1, 1))
            self.assertEqual(known(), 1)  # by its content
            self.check(self.path(db))

    def test_times_of_files_go_where_their_traces_go(self):
        for name in ("a", "b"):
            self.write(f"s/{name}.json", trace(name))
        self.per("file", "s")
        times = [os.stat(self.path("s", name)).st_mtime_ns for name in ("a.json", "b.json")]
        ask = "SELECT mtime_ns FROM trace_file ORDER BY trace_id"
        self.assertEqual(self.rows(ask), [(time,) for time in times])
        self.tpq("merge", "--db", "to.db", self.db)
        self.assertEqual(self.rows(ask, db=self.path("to.db")), [(time,) for time in times])
        self.tpq("rm", "a")
        self.assertEqual(self.rows(ask), [(times[1],)])
        self.tpq("ingest", "--as", "p.json", "-", stdin=json.dumps(trace("p")))
        self.assertEqual(len(self.rows(ask)), 1)
        with sqlite3.connect(self.db) as old:  # as files are that were made before
            old.execute("DROP TABLE trace_file")
            old.execute("UPDATE setting SET value = 'old' WHERE name = 'views'")
        old.close()
        self.tpq("runs")
        self.write("s/c.json", trace("c"))
        self.assertIn("1 stored, 1 known", self.per("file", "s/b.json", "s/c.json").out)
        self.assertEqual(len(self.rows(ask)), 1)
        self.check()

    def test_others_read_while_it_writes(self):
        for i in range(60):
            self.write(f"s/{i}.json", trace(str(i)))
        self.per("file", "s/0.json")
        writer = subprocess.Popen([TPQ, "ingest", "-q", "--db", self.db, "--run-per", "file", "s"], cwd=self.folder, env=self.environment())
        seen = []
        while writer.poll() is None or not seen:
            seen.append(self.value("SELECT count(*) FROM run WHERE id IN (SELECT run_id FROM trace)"))
        self.assertEqual(writer.returncode, 0)
        self.assertEqual(seen, sorted(seen))
        self.assertEqual(len(self.runs()), 60)
        self.check()


if __name__ == "__main__":
    main()
