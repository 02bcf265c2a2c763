"""tpq runs, traces, describe and check."""

import csv
import io
import json
import os
import re
import sqlite3

from support import EXTENSION, Case, made_trace, main, plain, slice_event, slices_in, trace_of

RANK_0 = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../fixtures/train/rank_0.json.gz")


class Lists(Case):
    def prepare(self):
        for rank in range(2):
            self.make_trace(f"t/rank{rank}.json", "--rank", rank)
        self.write("other.json", trace_of(slice_event("x\x1b[2J", 0, 1)))
        self.tpq("ingest", "--run", "base", "--label", "gpu=H100", "t")
        self.tpq("ingest", "--run", "tu\x1b[2Jned", "other.json")

    def json(self, *call):
        return json.loads(self.tpq(*call, "--mode", "json").out)

    def test_runs(self):
        events = slices_in(made_trace())
        first, second = self.json("runs")
        self.assertEqual(first, {"run": "base", "traces": 2, "ranks": 2, "events": 2 * events,
                                 "MB": 0.1, "health": "usable with care", "labels": '{"gpu":"H100"}',
                                 "identity": "device=NVIDIA H100 80GB HBM3 profiler=record_shapes+with_stack world_size=2",
                                 "created": first["created"]})
        self.assertRegex(first["created"], r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$")
        self.assertEqual((second["run"], second["ranks"], second["labels"]),
                         ("tu\x1b[2Jned", 0, None))

    def test_traces(self):
        rows = self.json("traces")
        self.assertEqual([row["trace"] for row in rows], [1, 2, 3])
        self.assertEqual([row["rank"] for row in rows], [0, 1, None])
        self.assertEqual(rows[1]["path"], self.path("t/rank1.json"))
        self.assertEqual(rows[1]["device"], "NVIDIA H100 80GB HBM3")
        self.assertEqual(rows[1]["notes"], sum(self.notes().values()) // 2)

    def test_traces_of_one_run(self):
        self.assertEqual([row["trace"] for row in self.json("traces", "base")], [1, 2])

    def test_traces_of_a_run_that_does_not_exist(self):
        for verb in ("traces", "runs"):
            result = self.tpq(verb, "bas", status=2)
            self.one_line(result, rf"^tpq: {self.db}: there is no run 'bas'; did you mean base\?$")
            result = self.tpq(verb, "zzzzzz", status=2)
            self.one_line(result, rf"^tpq: {self.db}: there is no run 'zzzzzz'; there are .+$")

    def test_patterns_and_labels(self):
        self.assertEqual([row["run"] for row in self.json("runs", "b*")], ["base"])
        self.assertEqual([row["run"] for row in self.json("runs", "--label", "gpu=H100")], ["base"])
        self.assertEqual([row["trace"] for row in self.json("traces", "--label", "gpu")], [1, 2])
        self.assertEqual(self.json("traces", "tu*", "--label", "gpu=H100"), [])
        self.assertEqual([row["run"] for row in self.json("runs", "gpu=H100")], ["base"])
        self.assertEqual([row["trace"] for row in self.json("traces", "@last")], [3])
        self.assertEqual([row["trace"] for row in self.json("traces", "@last~1")], [1, 2])
        self.one_line(self.tpq("traces", "trace:1", status=2), "'trace:1' is a trace, and a run is meant")
        result = self.tpq("traces", "--label", "gpu=h100", status=2)
        self.one_line(result, "no run has the label 'gpu=h100'; did you mean gpu=H100\?$")

    def test_a_table_for_people(self):
        out = self.tpq("runs").out
        self.assertRegex(out, r"\Arun +traces +ranks +events +MB +health +labels +identity +created\n--")
        self.assertIn("\nbase ", out)
        self.assertIn("\ntu\\x1b[2Jned ", out)
        self.assertEqual(len(out.splitlines()), 4)

    def test_every_mode(self):
        for mode in "table box csv tsv json jsonl line markdown html".split():
            out = self.tpq("traces", "--mode", mode).out
            self.assertIn("rank1.json", out)
            self.assertIn("NVIDIA H100 80GB HBM3", out)
        rows = list(csv.DictReader(io.StringIO(self.tpq("traces", "--mode", "csv").out)))
        self.assertEqual([row["rank"] for row in rows], ["0", "1", ""])

    def test_what_is_empty(self):
        self.tpq("rm", "-q", "base", "tu\x1b[2Jned")
        for verb in ("runs", "traces"):
            self.assertEqual(self.json(verb), [])
            self.assertEqual(len(self.tpq(verb).out.splitlines()), 2)


class DescribeForPrograms(Case):
    def document(self, *call):
        found = json.loads(self.tpq("describe", "--json", *call).out)
        version = self.tpq("--version").out.split()[1]
        self.assertEqual(found.pop("meta"), {"version": version})
        return found

    def test_everything(self):
        objects = {row["name"]: row for row in self.document()["objects"]}
        self.assertEqual(set(objects), set(re.findall(r"(?m)^(\w+)  ", self.tpq("describe", "--all").out)))
        self.assertEqual(objects["gpu_timeline"]["kind"], "report")
        self.assertEqual(objects["gpu_timeline"]["set"], "pytorch")
        self.assertEqual(objects["gpu_timeline"]["section"],
                         "Reports that tpq report FILE makes, by set")
        self.assertEqual(objects["median"]["kind"], "aggregate")
        self.assertEqual(list(objects), re.findall(r"(?m)^(\w+)  ", self.tpq("describe", "--all").out))

    def test_a_word_that_is_no_name(self):
        found = self.document("comm")
        self.assertEqual(found["search"], "comm")
        kinds = {row["name"]: row["kind"] for row in found["objects"]}
        self.assertEqual(kinds["coll_analysis"], "report")
        self.assertEqual(kinds["fleet_rank.exposed_comm_ms"], "column")
        listed = int(re.search(r"matches of (\d+):", self.tpq("describe", "comm").out)[1])
        self.assertEqual(len(found["objects"]), listed)

    def test_a_report_a_table_and_functions(self):
        report = self.document("gpu_timeline")
        columns = {row["name"]: row for row in report["columns"]}
        self.assertEqual((report["name"], report["kind"]), ("gpu_timeline", "report"))
        self.assertEqual(columns["time_ms"]["heading"], "time ms")
        self.assertEqual(columns["time_ms"]["unit"], "ms")
        self.assertEqual(self.document("ancestors")["call"], "ancestors(event)")
        self.assertEqual([row["name"] for row in self.document("ancestors")["columns"]],
                         ["id", "depth", "event"])
        self.assertEqual(self.document("median")["columns"], [])

    def test_deviations_and_options(self):
        rows = self.document("--deviations")["deviations"]
        self.assertEqual(set(rows[0]), {"name", "standard", "compat", "reason"})
        self.assertEqual(len(rows), len(re.findall(r"(?m)^\S", self.tpq("describe", "--deviations").out)))
        options = {row["name"]: row for row in self.document("--options")["options"]}
        self.assertEqual([options[name]["type"] for name in ("compat", "min_tid", "what_if")], ["flag", "number", "text"])
        listed = self.tpq("describe", "--options").out
        self.assertEqual(re.findall(r"(?m)^(\S+)", listed), list(options))
        for row in options.values():
            if row["standard"] is not None:
                self.assertIn(f"({row['standard']})", " ".join(listed.split()))


class DescribeFunctions(Case):
    """Each function as it is listed can be called as it says, and not with less or more."""

    def open(self):
        self.tpq("ingest", self.write("a.json", trace_of(slice_event("a", 0, 1))))
        base = sqlite3.connect(self.db)
        self.addCleanup(base.close)
        before = {row[0] for row in base.execute("SELECT name FROM pragma_function_list")}
        base.enable_load_extension(True)
        base.load_extension(EXTENSION)
        return base, before

    def called(self, base, call):
        try:
            base.execute("SELECT " + call).fetchall()
        except (sqlite3.Error, MemoryError) as error:
            return f"{call}: {error!r}"

    @plain("Python is not built like this; test_functions calls them there")
    def test_calls(self):
        base, before = self.open()
        listed = json.loads(self.tpq("describe", "--functions", "--json").out)["objects"]
        ours, several = set(), set()  # several forms of one stand there once
        for name, count in base.execute("SELECT name, count(DISTINCT narg) FROM pragma_function_list GROUP BY name"):
            ours |= {name} - before if not name.startswith("_") else set()
            several |= {name} if count > 1 else set()
        self.assertEqual({row["name"] for row in listed if row["kind"] != "table function"} - before, ours)
        for row in listed:
            name, call = row["name"], row["call"]
            if row["kind"] == "table function" or "(" not in call or "..." in call:
                continue
            shown = re.search(r"\((.*)\)", call)[1]
            least, most = (shown if part else shown.split("[")[0] for part in (0, 1))
            least, most = (len([word for word in re.split(r"[,\[\]]", part) if word.strip()])
                           for part in (least, most))
            for count in range(most + 2):
                for value in ("NULL", "'x'", "x'00ff'", "-9223372036854775808", "9e999"):
                    error = self.called(base, f"{name}({', '.join([value] * count)})")
                    wrong = bool(error and "wrong number of arguments" in error)
                    if not least <= count <= most and name not in several:
                        self.assertTrue(error, f"{call} with {count}")
                    self.assertNotIn("MemoryError", error or "")
                    self.assertFalse(wrong and least <= count <= most, f"{call} with {count}: {error}")

    def test_words(self):
        out = self.tpq("describe", "--functions").out
        self.assertRegex(out, r"(?m)^tpq_set\(name, value\) +function +Sets an option")
        self.assertRegex(out, r"(?m)^scope +table function ")
        self.assertNotIn("gpu_timeline", re.findall(r"(?m)^\w+", out))


class Examples(Case):
    """Examples of functions are run, and give what they say, or at least a row."""

    def test_each_of_them(self):
        self.tpq("ingest", "-q", RANK_0)
        shown = [row for row in json.loads(self.tpq("describe", "--functions", "--json").out)["objects"] if "example" in row]
        kinds = {"interval_union_ns", "interval_intersection_ns", "interval_difference_ns", "ancestors", "descendants", "path_segment", "path_slack"}
        self.assertLessEqual(kinds, {row["name"] for row in shown})
        # one call of the program: a row of texts for each
        queries = [f"SELECT {i} AS n, (SELECT group_concat(line, ';') FROM (SELECT {self.columns(row)} AS line FROM ({row['example']}))) AS found"
                   for i, row in enumerate(shown)]
        found = dict(csv.reader(io.StringIO(self.tpq("sql", "-m", "csv", "\nUNION ALL ".join(queries)).out)))
        for i, row in enumerate(shown):
            self.assertTrue(found[str(i)], row["example"])
            if "gives" in row:
                self.assertEqual(found[str(i)], row["gives"], row["example"])
        self.assertIn("    -> 12\n", self.tpq("describe", "interval_union_ns").out)
        self.assertIn("\nExamples\n\n    SELECT ", self.tpq("describe", "--functions").out)

    def columns(self, row):
        """Something of what the example gives: its only column, or that it is there."""
        return f"({row['example']})" if "gives" in row else "1"


class Describe(Case):
    def test_everything_is_listed_with_its_kind_and_first_sentence(self):
        out = self.tpq("describe", "--all").out
        for name, kind in (("event", "table"), ("gpu_slice", "view"), ("median", "aggregate"),
                           ("regexp_substr", "function"), ("ancestors", "table function")):
            self.assertRegex(out, rf"(?m)^{name} +{kind}  +[A-Z].*")
        for line in out.splitlines():
            self.assertLessEqual(len(line), 100)

    def test_what_people_ask_for_first_comes_first(self):
        out = self.tpq("describe", "--all").out
        places = [out.index(f"\n{name} ") for name in (
            "gpu_timeline", "ops_summary", "unified_perf_summary", "ranks_timeline", "jax_gpu_timeline", "tt_ops",
            "kernel_summary", "gpu_slice", "run", "event", "perf_model", "median", "gemm_flops",
            "launcher_phase", "dim")]
        self.assertEqual(places, sorted(places))

    def test_a_word_that_is_no_name_is_searched_for(self):
        out = self.tpq("describe", "comm").out
        self.assertRegex(out, r"^Nothing is called 'comm'\. The best matches of \d+:\n\n")
        for line in (r"gpu_timeline +report +GPU time by kind", r"coll_analysis +report",
                     r"fleet_rank\.exposed_comm_ms +column +exposed communication time"):
            self.assertRegex(out, rf"(?m)^{line}")
        self.assertNotIn("queue_length ", out)
        self.assertNotRegex(out, "lacks_|left_out_|not_included_")
        start = self.tpq("describe").out.splitlines()
        self.assertLessEqual(len(start), 45)
        by_name = self.tpq("describe", "TIMELINE").out.splitlines()[2:]
        self.assertTrue(any(line.startswith("gpu_timeline ") for line in by_name[:20]), by_name)
        self.assertRegex(self.tpq("describe", "GEMM").out, r"(?m)^gemm_flops +function")
        self.assertRegex(self.tpq("describe", "percent of kernels").out,
                         r"(?m)^kernel_summary\.percent_of_kernels +column")

    def test_all_tables_and_views_of_a_warehouse_are_there(self):
        self.write("a.json", trace_of(slice_event("a", 0, 1)))
        self.tpq("ingest", "--save-views", "a.json")
        listed = set(re.findall(r"(?m)^(\w+) +(?:table|view|report)  ", self.tpq("describe", "--all").out))
        stored = {name for (name,) in self.rows("SELECT name FROM sqlite_schema "
                                                "WHERE type IN ('table', 'view')")}
        of_extensions = {"pseudo_op", "pseudo_event", "op_override", "added_edge", "ext_note",
                         "ext_sheet", "said_args"}
        self.assertEqual(listed, stored | of_extensions)

    def described(self, names):
        """Descriptions of these names, from one process."""
        told = self.tpq("sql", "-m", "csv", "-", stdin="".join(f"SELECT 1 AS next;\n.describe {name}\n" for name in names)).out
        return zip(names, told.split("next\n1\n")[1:])

    def test_every_column_is_in_words(self):
        self.write("a.json", trace_of(slice_event("a", 0, 1)))
        self.tpq("ingest", "a.json")
        tables = [table for table, in self.rows("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        for table, out in self.described(tables):
            for (column,) in self.rows("SELECT name FROM pragma_table_xinfo(?)", table):
                if column != "id":
                    self.assertRegex(out, rf"(?m)^{column} .*\S{{3}}", f"{table}.{column}\n{out}")

    def test_a_table(self):
        out = self.tpq("describe", "gpu_event").out
        self.assertTrue(out.startswith("gpu_event (table)\nGPU activities, with all columns"), out)
        self.assertRegex(out, r"(?m)^dur_ns +ns +duration of the GPU activity$")
        self.assertRegex(out, r"(?m)^bytes +bytes +bytes moved by the memcpy or memset$")

    def test_a_view(self):
        out = self.tpq("describe", "gpu_slice").out
        self.assertTrue(out.startswith("gpu_slice (view)\n"), out)
        self.assertRegex(out, r"(?m)^launcher +name of the launching op$")

    def test_functions(self):
        listed = re.findall(r"(?m)^(\w+) +(?:function|aggregate|table function)  ",
                            self.tpq("describe", "--all").out)
        self.assertGreater(len(listed), 10)
        self.tpq("ingest", "-q", self.write("a.json", trace_of(slice_event("a", 0, 1))))
        for name, told in self.described(listed):
            call, *words = told.splitlines()
            self.assertIn(name.upper(), call.upper())
            self.assertTrue(words)

    def test_capitals_are_no_matter(self):
        self.assertEqual(self.tpq("describe", "GPU_Event").out, self.tpq("describe", "gpu_event").out)
        self.assertEqual(self.tpq("describe", "Median").out, self.tpq("describe", "median").out)

    def test_what_does_not_exist(self):
        for word, meant in (("evnt", "event"), ("gpu_evnt", "gpu_event"), ("mediann", "median")):
            self.one_line(self.tpq("describe", word, status=2),
                          rf"^tpq describe: there is no '{word}'; did you mean {meant}\?$")
        for word in ("zzzzzzzzz", ""):
            self.one_line(self.tpq("describe", word, status=2),
                          rf"^tpq describe: there is no '{word}'; see tpq describe$")


class Check(Case):
    CHECKS = ["schema", "file", "references", "events outside of traces", "GPU activities", "tracks",
              "signatures", "call tree", "kept figures"]

    def prepare(self):
        for number in range(2):
            self.make_trace(f"{number}.json", "--seed", number)
        self.tpq("ingest", "-q", "0.json", "1.json")

    def found(self, damage, *findings):
        """Does damage in SQL, and checks what is found: (check, regular expression)."""
        connection = sqlite3.connect(self.db)
        connection.executescript(damage)
        connection.close()
        result = self.tpq("check", status=1)
        self.one_line(result, rf"^tpq: {self.db}: \d+ findings?$")
        for check, finding in findings:
            self.assertRegex(result.out, rf"(?m)^{check} +.*{finding}")
            self.assertNotRegex(result.out, rf"(?m)^{check} +ok$")
        quiet = self.tpq("check", "--quiet", status=1)
        self.assertNotRegex(quiet.out, r"(?m) ok$")
        self.assertEqual([line for line in result.out.splitlines() if not line.endswith(" ok")],
                         quiet.out.splitlines())

    def test_all_is_well(self):
        result = self.tpq("check")
        self.assertEqual([re.split(" {2,}", line) for line in result.out.splitlines()],
                         [[check, "ok"] for check in self.CHECKS])
        self.assertEqual(result.err, "")
        result = self.tpq("check", "--quiet")
        self.assertEqual(result.out + result.err, "")

    def test_a_text_that_is_missing(self):
        self.found("DELETE FROM string WHERE text = 'aten::relu'",
                   ("references", r"event \d+ refers to a row of string that does not exist"),
                   ("references", r"and \d+ more$"))

    def test_a_parent_that_is_wrong(self):
        self.found("UPDATE event SET up = up + 1 WHERE id = 20",
                   ("call tree", r"event 20 has parent \d+, but lies below \d+"))

    def test_descendants_that_are_wrong(self):
        self.found("UPDATE event SET below = 100000 WHERE id = 20",
                   ("call tree", "event 20 says that its last descendant is 100020"))

    def test_events_that_are_missing(self):
        self.found("DELETE FROM event WHERE id BETWEEN 7 AND 8",
                   ("call tree", "events 7 to 8 are missing"),
                   ("events outside of traces", "-2 events"))

    def test_events_of_nobody(self):
        self.found("INSERT INTO event (id, trace_id, category_id, name_id, track_id, ts_ns, dur_ns, "
                   "below, child_ns, uid) SELECT 100000, trace_id, category_id, name_id, track_id, "
                   "0, 0, 0, 0, 0 FROM event WHERE id = 1", ("events outside of traces", "1 event"))

    def test_accelerator_work_that_differs(self):
        self.found("UPDATE gpu_event SET dur_ns = dur_ns + 1 WHERE id = (SELECT min(id) FROM "
                   "gpu_event)", ("GPU activities", r"gpu_event \d+ differs from its event"))

    def test_tracks_that_reach_too_far(self):
        self.found("UPDATE track SET last_event = 100000 WHERE id = 1",
                   ("tracks", "track 1: its events are not those of trace 1"))

    def test_signatures_that_are_the_same(self):
        self.found("INSERT INTO op (name_id, dims_id, types_id, strides_id, concrete_id) SELECT "
                   "name_id, dims_id, types_id, strides_id, concrete_id FROM op WHERE id = 1",
                   ("signatures", r"op 1 and \d+ are the same"))

    def test_traces_that_share_events(self):
        self.found("UPDATE trace SET first_event = 5 WHERE id = 2",
                   ("call tree", "trace 2 shares event ids with another one"))

    def test_a_file_that_is_damaged(self):
        with open(self.db, "r+b") as file:
            size = file.seek(0, 2)
            for at in range(size // 4096 // 2, size // 4096):
                file.seek(at * 4096)
                file.write(b"\xa5" * 64)
        result = self.tpq("check", status=None)
        self.assertIn(result.status, (1, 4), str(result))
        self.one_line(result, rf"^tpq: {self.db}: ")


if __name__ == "__main__":
    main()
