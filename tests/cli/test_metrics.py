"""tpq export --prometheus and --otlp: figures of runs, as readers of the published grammars find them."""

import gzip
import json
import os
import re
import subprocess

from support import Case, TPQ, main, slice_event, trace_of

# Name for Prometheus: name and unit for OTLP, figure of run_overview and what it is divided by.
METRICS = {
    "tpq_run_time_seconds": ("tpq.run.time", "s", "time_ms", 1000),
    "tpq_run_step_seconds": ("tpq.run.step", "s", "step_time_ms", 1000),
    "tpq_run_busy_ratio": ("tpq.run.busy", "1", "busy_pct", 100),
    "tpq_run_exposed_comm_ratio": ("tpq.run.exposed_comm", "1", "exposed_comm_pct", 100),
    "tpq_run_gpu_seconds": ("tpq.run.gpu", "s", None, None),
    "tpq_run_saving_seconds": ("tpq.run.saving", "s", "saves_ms", 1000),
    "tpq_run_ranks": ("tpq.run.ranks", "1", "ranks", 1),
    "tpq_run_steps": ("tpq.run.steps", "1", "steps", 1),
    "tpq_run_events": ("tpq.run.events", "1", None, None),
    "tpq_run_complete": ("tpq.run.complete", "1", None, None),
    "tpq_run_start_timestamp_seconds": ("tpq.run.start", "s", None, None),
}
START_NS = 1750000000123456000
SAMPLE = re.compile(r'([a-z_]+)\{((?:[A-Za-z_][A-Za-z0-9_]*="(?:[^"\\\n]|\\[\\"n])*",?)*)\} (-?[0-9.]+(?:e[+-][0-9]+)?)')
LABEL = re.compile(r'([A-Za-z_][A-Za-z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,|$)')
ODD = 'odd "run" \\ of\ntwo lines'


def read_prometheus(text):
    """{metric: {run: (value, other labels)}}; each line must be of the grammar, each metric in one place."""
    assert text.endswith("\n") and "\r" not in text
    metrics, name = {}, None
    lines = iter(text.split("\n")[:-1])
    for line in lines:
        if line.startswith("#"):
            _, word, name, words = line.split(" ", 3)
            assert word == "HELP" and words and name not in metrics, line
            assert next(lines) == f"# TYPE {name} gauge", line
            metrics[name] = {}
            continue
        found = SAMPLE.fullmatch(line)
        assert found and found[1] == name, line
        pairs = LABEL.findall(found[2])
        assert "".join(f'{key}="{value}"{end}' for key, value, end in pairs) == found[2], line
        labels = {key: re.sub(r"\\(.)", lambda escaped: {"n": "\n"}.get(escaped[1], escaped[1]), value) for key, value, _ in pairs}
        assert len(labels) == len(pairs) and not any(key.startswith("__") for key in labels), line
        run = labels.pop("run")
        assert run not in metrics[name], line
        metrics[name][run] = float(found[3]), labels
    return metrics


def read_otlp(text):
    """{run: (attributes, {metric: (unit, time, value)})}; no member may be there but these."""
    def one(members):
        (name, value), = members.items()
        return [one(item) for item in value["values"]] if name == "arrayValue" else value if name == "stringValue" else 1 / 0
    runs = {}
    assert not text or text.endswith("\n")
    for line in text.split("\n")[:-1]:
        data = json.loads(line, parse_constant=lambda word: 1 / 0)
        assert list(data) == ["resourceMetrics"]
        about, = data["resourceMetrics"]
        assert set(about) == {"resource", "scopeMetrics"} and list(about["resource"]) == ["attributes"]
        attributes = {item["key"]: one(item["value"]) for item in about["resource"]["attributes"]}
        assert len(attributes) == len(about["resource"]["attributes"])
        scope, = about["scopeMetrics"]
        assert scope["scope"]["name"] == attributes["service.name"] == "tpq" and scope["scope"]["version"]
        metrics = {}
        for metric in scope["metrics"]:
            assert set(metric) == {"name", "unit", "gauge"} and metric["name"] not in metrics
            point, = metric["gauge"]["dataPoints"]
            assert set(point) == {"timeUnixNano", "asDouble"} and re.fullmatch("[0-9]+", point["timeUnixNano"])
            metrics[metric["name"]] = metric["unit"], int(point["timeUnixNano"]), point["asDouble"]
        assert attributes["tpq.run"] not in runs
        runs[attributes["tpq.run"]] = attributes, metrics
    return runs


def trace(scale=1, **metadata):
    """Two steps; in each an op launches a kernel."""
    events = []
    for i in range(2):
        at = 1000 * i * scale
        events += [slice_event(f"ProfilerStep#{i}", at, 900 * scale, "user_annotation"),
                   slice_event("aten::mm", at + 10, 100),
                   slice_event("cudaLaunchKernel", at + 20, 5, "cuda_runtime", args={"correlation": i + 1}),
                   slice_event("gemm", at + 40, 333 * scale, "kernel", 7, 0, args={"correlation": i + 1, "device": 0, "stream": 7})]
    return trace_of(*events, schemaVersion=1, baseTimeNanoseconds=START_NS, **metadata)


class Metrics(Case):
    def prepare(self):
        self.write("a.json", trace(vllm_version="0.8.1"))
        self.write("rank_0.json", trace(3, host_name="n1", vllm_version="0.8.2", distributedInfo={"rank": 0, "world_size": 4}))
        self.write("rank_1.json", trace(3, host_name="n0", vllm_version="0.8.2", distributedInfo={"rank": 1, "world_size": 4}))
        self.write("cpu.json", trace_of(slice_event("aten::mm", 0, 10)))
        self.tpq("ingest", "-q", "--run", "b", "rank_0.json", "rank_1.json")
        self.tpq("ingest", "-q", "--run", "a", "a.json")
        self.tpq("ingest", "-q", "--run", "c", "cpu.json")

    def prometheus(self, *options):
        return read_prometheus(self.tpq("export", "--prometheus", "-", *options).out)

    def otlp(self, *options):
        return read_otlp(self.tpq("export", "--otlp", "-", *options).out)

    def info(self, *options):
        return {run: labels for run, (_, labels) in self.prometheus(*options)["tpq_run_info"].items()}


class Figures(Metrics):
    def test_values_are_those_of_the_report_and_of_the_tables(self):
        rows = {row["run"]: row for row in json.loads(self.tpq("report", "run_overview", "--json").out)["run_overview"]}
        metrics = self.prometheus()
        self.assertEqual(list(metrics), [*METRICS, "tpq_run_info"])
        for name, (_, _, figure, base) in METRICS.items():
            if figure:
                want = {run: (row[figure] / base, {}) for run, row in rows.items() if row[figure] is not None}
                self.assertEqual(metrics[name], want, name)
        self.assertEqual(metrics["tpq_run_gpu_seconds"], {"a": (666e-6, {}), "b": (4 * 999e-6, {})})
        self.assertEqual(metrics["tpq_run_events"], {"a": (8, {}), "b": (16, {}), "c": (1, {})})
        self.assertEqual(metrics["tpq_run_start_timestamp_seconds"]["a"], (START_NS / 1e9, {}))
        self.assertEqual(set(metrics["tpq_run_steps"]), {"a", "b"})  # c has neither steps nor a GPU
        self.assertNotIn("c", metrics["tpq_run_time_seconds"])
        told = self.tpq("sql", "-m", "jsonl", "SELECT run, verdict FROM trace_verdict WHERE trace_id IS NULL").out
        verdicts = {row["run"]: row["verdict"] for row in map(json.loads, told.splitlines())}
        self.assertEqual({verdict == "complete" for verdict in verdicts.values()}, {True, False}, verdicts)
        self.assertEqual(metrics["tpq_run_complete"], {run: (float(verdicts[run] == "complete"), {}) for run in "abc"})

    def test_otlp_has_the_same(self):
        metrics, runs = self.prometheus(), self.otlp()
        self.assertEqual(list(runs), ["a", "b", "c"])
        for run, (attributes, found) in runs.items():
            want = {other: (unit, metrics[name][run][0]) for name, (other, unit, _, _) in METRICS.items() if run in metrics[name]}
            self.assertEqual({name: (unit, value) for name, (unit, _, value) in found.items()}, want)
            start = metrics["tpq_run_start_timestamp_seconds"].get(run)
            ingested = int(self.value("SELECT strftime('%s', created_at) FROM run WHERE name = ?", run)) * 10**9
            self.assertEqual({time for _, time, _ in found.values()}, {START_NS if start else ingested})
        self.assertEqual(runs["b"][0]["tpq.label.host"], ["n0", "n1"])
        self.assertEqual(runs["a"][0]["tpq.label.vllm"], "0.8.1")

    def test_again_from_files_and_of_some_runs(self):
        first = self.tpq("export", "--prometheus", "-", "--run", "a").out
        self.assertEqual(self.value("SELECT count(*) FROM rollup"), 2)  # what it asked is kept
        self.assertEqual(self.tpq("export", "--prometheus", "-", "--run", "a").out, first)
        self.assertEqual(self.tpq("export", "--prometheus", "-", "--run", "a", "a.json").out, first)
        self.assertEqual(list(self.info("--label", "vllm=0.8.2")), ["b"])
        self.assertEqual(list(self.info("--run", "b", "--run", "a")), ["a", "b"])
        self.tpq("rm", "a", "b", "c")
        self.assertEqual(set(map(len, self.prometheus().values())), {0})
        self.assertEqual(self.otlp(), {})

    def test_whole_runs_even_if_a_file_is_named(self):
        want = self.prometheus("--run", "b")
        self.assertEqual(self.prometheus("--db", "w.db", "--run", "b", "rank_0.json"), want)


class Labels(Metrics):
    def test_names_and_values(self):
        words = ['team=a"b\\c\nd', "1-st.key=x", "run=mine", "__x=1", "a.b=1", "a-b=2", "a_b=3", "é=4", "empty="]
        self.tpq("ingest", "-q", "--run", ODD, *(f"--label={word}" for word in words), "a.json")
        found = self.info("--run", ODD)[ODD]
        self.assertEqual(found, {"team": 'a"b\\c\nd', "_1_st_key": "x", "label_run": "mine", "_x": "1", "a_b": "3", "a_b_2": "2",
                                 "a_b_3": "1", "_": "4", "empty": "", "vllm": "0.8.1"})
        attributes = self.otlp("--run", ODD)[ODD][0]
        self.assertEqual({key.removeprefix("tpq.label."): value for key, value in attributes.items() if key.startswith("tpq.label.")},
                         {**dict(word.split("=", 1) for word in words), "vllm": "0.8.1"})

    def test_several_values(self):
        self.assertEqual(self.info()["b"], {"host": "n0, n1", "vllm": "0.8.2", "world_size": "4"})


class Files(Metrics):
    def test_both_at_once_and_compressed(self):
        said = self.tpq("export", "--prometheus", "m.prom", "--otlp=m.jsonl.gz").err
        self.assertEqual(said, "tpq: wrote m.prom (prometheus, 3 runs)\ntpq: wrote m.jsonl.gz (otlp, 3 runs)\n")
        with open(self.path("m.prom"), encoding="utf-8") as file:
            self.assertEqual(file.read(), self.tpq("export", "--prometheus", "-").out)
        with gzip.open(self.path("m.jsonl.gz"), "rt") as file:
            self.assertEqual(file.read(), self.tpq("export", "--otlp", "-").out)

    def test_one_may_go_to_standard_output(self):
        done = self.tpq("export", "-q", "--prometheus", "-", "--otlp", "m.jsonl")
        read_prometheus(done.out)
        self.assertTrue(os.path.exists(self.path("m.jsonl")))
        self.assertEqual(done.err, "")

    def test_a_reader_that_leaves(self):
        program = subprocess.Popen([TPQ, "export", "--prometheus", "-"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder,
                                   env=self.environment({"TPQ_DB": self.db}))
        program.stdout.close()
        self.assertLess(program.wait(), 5)
        self.assertNotIn(b"Sanitizer", program.stderr.read())
        program.stderr.close()

    def test_a_file_stays_whole(self):
        self.write("m.prom", "kept")
        os.mkdir(self.path("d"))
        before = self.snapshot()
        for place in ("nowhere/m.prom", "d"):
            self.one_line(self.tpq("export", "--prometheus", place, status=4), place)
        self.one_line(self.tpq("export", "--prometheus", "m.prom", "--run", "none", status=None), "none")
        self.one_line(self.tpq("export", "--prometheus", self.db, status=2), "not written over")
        self.one_line(self.tpq("export", "--otlp", "a.json", "a.json", status=2), "not written over")
        after = self.snapshot()
        self.assertEqual({path for path in after if path != self.db}, {path for path in before if path != self.db})
        self.assertEqual(after[self.path("m.prom")], b"kept")

    def test_what_does_not_go_together(self):
        for options in (["--prometheus", "-", "--otlp", "-"], ["--prometheus", "m", "--otlp", "m"], ["--otlp", "m", "-o", "x.json"],
                        ["--prometheus", "m", "--format", "chrome"], ["--prometheus", "m", "--parquet", "lake"],
                        ["--otlp", "m", "--postgres"], ["--prometheus", "m", "--rank", "0"], ["--prometheus", "m", "--trace", "1"],
                        ["--prometheus", "m", "--step", "1"], ["--otlp", "m", "--sheets", "none"], ["--otlp", "m", "--compat"],
                        ["--otlp", "m", "--per-trace"], ["--otlp", "m", "--extension-file", "x.sql"], ["--otlp", "m", "--tree", "op"]):
            self.write("m", "kept")
            with self.subTest(options):
                self.one_line(self.tpq("export", *options, status=2), "--")
                with open(self.path("m"), encoding="utf-8") as file:
                    self.assertEqual(file.read(), "kept")


main()
