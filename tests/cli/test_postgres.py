"""tpq export --postgres: the same rows in a real PostgreSQL as in the warehouse, whoever loads them how often."""

import json
import os
import re
import sqlite3
import unittest

from support import Case, main, slice_event, trace_of
import kineto
import postgres
import serve
import tenstorrent
import train
import xla

SERVER = None
SHEETS = ("gpu_timeline", "ops_summary", "ops_summary_by_category", "ops_unique_args", "kernel_summary", "kernel_launchers",
          "roofline", "unified_perf_summary", "coll_analysis", "busy_curve", "critical_path", "overview", "findings",
          "short_kernel_histogram", "cuda_api_sum", "inference_steps", "jax_op", "jax_collectives", "jax_kernel_launchers",
          "tt_ops", "tt_advice", "ranks_breakdown", "ranks_groups", "ranks_sync", "ranks_kernels", "ranks_timeline",
          "ranks_collectives")
FEW = "gpu_timeline,kernel_summary,ranks_breakdown"  # where it does not matter which
HOSTILE = ("back\\slash", "\\.", "\\N", "tab\tand\nline\rend", "quote'\"$$;", "ünï ☃ \U0001F600", "", " ", "NULL", "x" * 70000)


def setUpModule():
    global SERVER
    if not postgres.missing():
        SERVER = postgres.Server()


def tearDownModule():
    if SERVER:
        SERVER.stop()


@unittest.skipIf(postgres.missing(), f"skipped: {postgres.missing()}")
class Postgres(Case):
    def setUp(self):
        super().setUp()
        self.name = "test_" + self.id().rsplit(".", 1)[1]
        SERVER.make(self.name)

    def script(self, *options):
        self.tpq("export", "-q", "--postgres=out.psql", *options)
        with open(self.path("out.psql"), "rb") as file:
            return file.read()

    def load(self, *options, database=None):
        status, out = SERVER.load(database or self.name, self.script(*options))
        self.assertEqual((status, out), (0, ""))

    def asked(self, query, *options):
        return [json.loads(line) for line in
                self.tpq("sql", *options, "--mode", "jsonl", query).out.splitlines()]

    def numbers(self, tables=None):
        """{table: number of rows}"""
        names = [row["name"] for row in SERVER.rows(
            self.name, "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'tpq'")]
        counts = [f"SELECT '{name}' AS name, count(*) AS n FROM tpq.\"{name}\"" for name in tables or names]
        return {row["name"]: row["n"] for row in SERVER.rows(self.name, *counts)}

    def ingest_train(self, ranks=2):
        os.mkdir(self.path("train"))
        for rank in range(ranks):
            kineto.write(self.path(f"train/rank_{rank}.json"), train.trace(rank))
        self.tpq("ingest", "-q", "--run", "train", "train")

    def ingest_serve(self):
        kineto.write(self.path("serve.json"), serve.trace())
        self.tpq("ingest", "-q", "--run", "it's \\ serve", "serve.json")


def order(rows):
    return sorted(rows, key=lambda row: [(value is not None, isinstance(value, str), value) for _, value in sorted(row.items())])


class Rows(Postgres):
    def test_all_of_them_are_those_of_the_warehouse(self):
        self.ingest_train()
        self.ingest_serve()
        with open(self.path("node0.xplane.pb"), "wb") as file:
            file.write(xla.profile())
        self.write("ops_perf_results.csv", "\n".join(tenstorrent.lines()) + "\n")
        for name in ("node0.xplane.pb", "ops_perf_results.csv"):
            self.tpq("ingest", "-q", "--run", name.split(".", maxsplit=1)[0], name)
        self.load("--events", "--sheets", ",".join(SHEETS))
        places = {"run", "trace"}
        tables = {name: columns for name, columns in self.tables().items() if re.match("fact_|sheet_", name)}
        there, here = {}, {}
        for name, columns in tables.items():
            there[name] = f"SELECT '{name}' AS name, row_to_json(answer) AS row FROM (SELECT " + \
                ", ".join(f'"{column}"' for column in columns) + f" FROM tpq.{name}" + \
                (" ORDER BY " + ("run, trace" if "trace" in columns else "run") + ", sheet_row"
                 if name.startswith("sheet_") else "") + ") AS answer"
            wanted = ", ".join(f'+"{column}" AS c_{column}' for column in columns if column not in places)  # as they are stored
            here[name] = f"SELECT '{name}' AS its_table, {wanted} FROM {name.removeprefix('sheet_')};"
        found = {name: [] for name in tables}
        for row in SERVER.rows(self.name, *there.values()):
            found[row["name"]].append(row["row"])
        wanted = {name: [] for name in tables}
        traces = self.asked("SELECT run, trace, trace_id FROM fact_key ORDER BY run, trace")
        for trace in traces:
            place = {"run": trace["run"], "trace": trace["trace"]}
            self.add_rows(wanted, place, [here[name] for name, columns in tables.items() if "trace" in columns],
                          "--trace", trace["trace_id"])
        for run in sorted({trace["run"] for trace in traces}):
            self.add_rows(wanted, {"run": run}, [here[name] for name, columns in tables.items() if "trace" not in columns],
                          "--run", run.replace("\\", "?"))
        for name in tables:
            with self.subTest(table=name):
                keep = order if name.startswith("fact_") else list
                texts = {column for row in found[name] for column, value in row.items() if isinstance(value, str)}
                stated = [{column: str(value) if column in texts and isinstance(value, int) else value
                           for column, value in row.items()} for row in wanted[name]]  # labels of ranks
                self.assertEqual(keep(found[name]), keep(stated))
        self.assertGreater(sum(len(rows) for rows in wanted.values()), 4000)
        self.assertGreater(sum(bool(rows) and name.startswith("sheet_") for name, rows in wanted.items()), 20)
        for table in ("trace", "gpu", "event"):
            self.assertEqual(*self.numbers([f"fact_{table}", f"{table}_row"]).values())

    def test_names_of_columns(self):
        """But for check, none needs quotes in PostgreSQL or DuckDB, stands for something else there, or differs by its case
        alone."""
        self.tpq("ingest", "-q", self.write("small.json", trace_of(slice_event("a", 0, 5))))
        names = [row["name"] for row in self.asked(
            "SELECT DISTINCT name FROM report_column UNION SELECT DISTINCT column.name FROM sqlite_schema AS object, "
            "pragma_table_info(object.name) AS column WHERE object.type = 'view' AND object.name LIKE 'fact\\_%' ESCAPE '\\'")]
        self.assertGreater(len(names), 800)
        taken = {row["word"] for row in SERVER.rows(self.name, "SELECT word FROM pg_get_keywords() WHERE catcode IN ('R', 'T')")}
        taken |= {"describe", "lambda", "pivot", "pivot_longer", "pivot_wider", "qualify", "show", "summarize", "unpivot"}  # DuckDB
        taken |= {"tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"}
        self.assertGreater(len(taken), 80)
        self.assertEqual([name for name in names if name.lower() in taken], ["check"])
        self.assertEqual(len({name.lower() for name in names}), len(names))

    def add_rows(self, wanted, place, queries, *options):
        self.write("queries.sql", "\n".join(queries))
        for line in self.tpq("sql", *options, "--mode", "jsonl", "-f", "queries.sql").out.splitlines():
            row = json.loads(line)
            wanted[row.pop("its_table")].append({**place, **{name[2:]: value for name, value in row.items()}})

    def tables(self):
        """{table: its columns that the warehouse has, too}"""
        found = {}
        for row in SERVER.rows(self.name, "SELECT relname AS name, attname AS column FROM pg_attribute JOIN pg_class "
                               "ON attrelid = pg_class.oid WHERE relnamespace = 'tpq'::regnamespace AND attnum > 0 "
                               "AND relkind IN ('r', 'v') ORDER BY relname, attnum"):
            if row["column"] not in ("run_id", "trace_id", "sheet_row", "options", "layout"):
                found.setdefault(row["name"], []).append(row["column"])
        return found

    def test_texts_that_mean_harm(self):
        self.write("odd.json", trace_of(*(
            slice_event(name or "empty", 10 * i, 5, args={"note": name}) for i, name in enumerate(HOSTILE))))
        self.tpq("ingest", "-q", "--run", "a\\b'c;\t--", "odd.json")
        connection = sqlite3.connect(self.db)  # what no profile brings in, but somebody's tool
        connection.execute("UPDATE string SET text = CAST(x'61ff0062eda08063' AS TEXT) WHERE text = 'back\\slash'")
        connection.execute("UPDATE event SET ts_ns = ? WHERE uid = 1", (2**63 - 1,))
        connection.execute("UPDATE event SET ts_ns = ? WHERE uid = 2", (-2**63,))
        connection.commit()
        connection.close()
        self.load("--events", "--sheets", "none")
        there = {row["uid"]: row for row in SERVER.rows(self.name, "SELECT * FROM tpq.fact_event")}
        bad = "\N{REPLACEMENT CHARACTER}"
        self.assertEqual(there[0]["name"], f"a{bad}{bad}b{3 * bad}c")
        self.assertEqual([there[1]["ts_ns"], there[2]["ts_ns"]], [2**63 - 1, -2**63])
        for i, name in enumerate(HOSTILE):
            if i:
                self.assertEqual(there[i]["name"], name or "empty")
            self.assertEqual(json.loads(there[i]["args"]), {"note": name})
            self.assertEqual(there[i]["run"], "a\\b'c;\t--")


def alike(one, other):
    """Equal but for the last digits of what was summed in another order."""
    if isinstance(one, float) and isinstance(other, (int, float)):
        return one == other or abs(one - other) <= 1e-12 * max(abs(one), abs(other), 1)
    return one == other


class Fleet(Postgres):
    VIEWS = ("kernel", "op", "efficiency", "rank", "straggler", "collective", "history")

    def assert_alike(self, one, other, what):
        self.assertEqual(len(one), len(other), what)
        for left, right in zip(one, other):
            self.assertEqual(list(left), list(right), what)
            for name in left:
                self.assertTrue(alike(left[name], right[name]), f"{what}.{name}: {left} {right}")

    def test_the_same_rows_in_the_same_order(self):
        for run in ("base", "tuned"):
            os.mkdir(self.path(run))
            for rank in range(2):
                trace = train.trace(rank)
                seen = 0
                for event in trace["traceEvents"]:
                    if event.get("cat") == "kernel" and "Collective name" in event.get("args", {}):
                        seen += 1
                        event["dur"] += 0.5 * (run == "tuned") + rank
                        if seen > 1:
                            event["args"]["Seq"] = seen
                kineto.write(self.path(f"{run}/rank_{rank}.json"), trace)
            self.tpq("ingest", "-q", "--run", run, run)
        self.ingest_serve()
        self.load("--sheets", "gpu_timeline")
        found = {}
        for view in self.VIEWS:
            here = self.asked(f"SELECT * FROM fleet_{view}")
            found[view] = here
            self.assert_alike(SERVER.rows(self.name, f"SELECT * FROM tpq.fleet_{view}"), here, view)
        self.assertGreater(min(map(len, found.values())), 1)
        # a few of them by hand
        waits = {row["run"]: row for row in found["collective"] if row["name"].startswith("allreduce")}
        self.assertEqual({run: (row["collectives"] > 0, row["ranks"]) for run, row in waits.items()},
                         {"base": (True, 2), "tuned": (True, 2)})
        kernels = [row for row in found["kernel"] if row["run"] == "base"]
        self.assertAlmostEqual(sum(row["percent"] for row in kernels), 100)
        self.assertEqual([row["total_us"] for row in kernels], sorted((row["total_us"] for row in kernels), reverse=True))
        timeline = {row["trace"]: row["time_ms"] for row in self.asked(
            "SELECT trace, time_ms FROM sheet_gpu_timeline WHERE type = 'busy_time'")}
        self.assertEqual({row["trace"]: row["busy_ms"] for row in found["rank"]}, timeline)
        for row in found["straggler"]:
            if row["run"] != "base":
                continue
            self.assertAlmostEqual(abs(row["busy_deviations"]), 1)  # there are two
        changed = [row for row in found["history"] if row["name"].startswith("nccl") and row["run"] == "tuned"]
        self.assertTrue(changed)
        self.assertGreater(sum(row["change_us"] for row in changed), 0)
        self.assertEqual({row["change_us"] for row in found["history"] if row["run"] == "base"}, {None})

    def test_only_what_has_its_tables(self):
        self.ingest_serve()
        self.load("--sheets", "none")
        self.assertEqual({name for name in self.numbers() if name.startswith("fleet_")},
                         {f"fleet_{view}" for view in self.VIEWS if view not in ("rank", "straggler")})


class Loading(Postgres):
    def test_twice_is_once(self):
        self.ingest_train()
        self.load("--events", "--sheets", FEW)
        once = self.numbers()
        self.load("--sheets", FEW)
        self.load("--events", "--sheets", FEW)
        self.assertEqual(self.numbers(), once)
        self.assertEqual(once["fact_trace"], 2)

    def test_indexes_know_all_rows(self):
        """Else each run would read what all before it have brought, to find what makes way."""
        self.ingest_train(ranks=8)
        self.load("--events", "--sheets", "none")
        self.tpq("ingest", "-q", "--run", "little", self.write("small.json", trace_of(slice_event("a", 0, 5))))
        self.load("--run", "little", "--sheets", "none")  # no page range is new
        found = SERVER.rows(self.name, "SELECT brin_summarize_new_values(indexrelid) AS more FROM pg_index JOIN pg_class "
                            "ON pg_class.oid = indexrelid JOIN pg_am ON pg_am.oid = relam WHERE amname = 'brin'")
        self.assertGreater(len(found), 5)
        self.assertEqual({row["more"] for row in found}, {0})

    def test_ranks_from_two_machines(self):
        self.ingest_train()
        self.load("--sheets", "gpu_timeline,ranks_breakdown")
        whole = self.numbers()
        SERVER.run(self.name, "DROP SCHEMA tpq CASCADE")
        for rank in range(2):
            result = self.tpq("export", "--postgres=out.psql", "--rank", rank, "--sheets", "gpu_timeline,ranks_breakdown")
            self.assertIn("1 reports about runs are left out", result.err)
            with open(self.path("out.psql"), "rb") as file:
                self.assertEqual(SERVER.load(self.name, file.read()), (0, ""))
        del whole["sheet_ranks_breakdown"]
        self.assertEqual(self.numbers(), whole)

    def test_what_is_cut_off_leaves_nothing(self):
        self.ingest_train()
        script = self.script("--sheets", FEW)
        SERVER.load(self.name, script[:script.rindex(b"COMMIT")])
        self.assertEqual(self.numbers(["fact_trace", "fact_gpu", "text"]), {"fact_trace": 0, "fact_gpu": 0, "text": 0})
        # and so does an error within a run, which psql says by its status
        status, out = SERVER.load(self.name, script.replace(b"COPY tpq.\"trace_row\"", b"COPY tpq.\"lost_row\""))
        self.assertEqual(status, 3, out)
        self.assertEqual(self.numbers(["fact_trace", "fact_gpu", "text"]), {"fact_trace": 0, "fact_gpu": 0, "text": 0})

    def test_two_texts_of_one_number_are_an_error(self):
        self.ingest_serve()
        self.load("--sheets", "none")
        SERVER.run(self.name, "UPDATE tpq.text SET text = 'another' WHERE text = 'kernel'")
        status, out = SERVER.load(self.name, self.script("--sheets", "none"))
        self.assertEqual(status, 3)
        self.assertIn("two texts have the same number", out)

    def test_many_at_once(self):
        self.ingest_train()
        self.ingest_serve()
        scripts = [self.script("--sheets", FEW, *options)
                   for options in ((), ("--run", "train"), ("--run", "it's ? serve"), ())]
        self.assertNotIn(b"it's", scripts[0][:scripts[0].index(b"COPY")])
        # numbers are asked for when all are there
        loaders = []
        for script in scripts:
            with open(self.path(f"script{len(loaders)}"), "wb") as file:
                file.write(script)
            loaders.append(SERVER.psql(self.name, "-f", "-"))
        for loader, script in zip(loaders, scripts):
            loader.stdin.write(script)
            loader.stdin.close()
        for loader in loaders:
            self.assertEqual((loader.wait(60), loader.stdout.read()), (0, b""))
            loader.stdout.close()
        many = self.numbers()
        SERVER.run(self.name, "DROP SCHEMA tpq CASCADE")
        self.load("--sheets", FEW)
        self.assertEqual(many, self.numbers())

    def test_reports_of_the_user(self):
        """A column without a stated type is as wide as its values, also those that come later."""
        self.ingest_train(1)
        self.ingest_serve()
        os.mkdir(self.path("own"))
        name = "it's $$ \\ \"quoted\""
        def rows(run, value):
            self.write("own/mine.sql", f"-- Work.\n-- set: pytorch\nCREATE VIEW mine AS SELECT trace_id, {value} AS "
                       f"\"{name.replace(chr(34), 2 * chr(34))}\", count(*) AS pieces FROM gpu_event GROUP BY trace_id;\n")
            self.load("--run", run, "--report-dir", "own", "--sheets", "mine")
            return SERVER.rows(self.name, "SELECT row_to_json(mine) AS row FROM tpq.sheet_mine AS mine ORDER BY run DESC")
        def values(found):
            return [row["row"][name] for row in found]
        self.assertEqual(values(rows("train", "1")), [1])
        self.assertEqual(values(rows("it's \\ serve", "0.1 + 0.2")), [1, 0.30000000000000004])
        self.assertEqual(values(rows("train", "2")), [2, 0.30000000000000004])
        self.assertEqual(values(rows("train", "'x'")), ["x", "0.30000000000000004"])
        self.assertEqual(values(rows("it's \\ serve", "2.5")), ["x", "2.5"])

    def test_columns_that_came_later(self):
        self.ingest_serve()
        self.load("--sheets", FEW)
        before = self.numbers()
        SERVER.run(self.name, "ALTER TABLE tpq.gpu_row DROP COLUMN args_id CASCADE; "
                              "ALTER TABLE tpq.sheet_gpu_timeline DROP COLUMN percent CASCADE")
        self.load("--sheets", FEW)
        self.assertEqual(self.numbers(), before)


class Sharded(Postgres):
    def test_queries_over_two_databases(self):
        self.ingest_train()
        self.ingest_serve()
        shards = [f"{self.name}_{i}" for i in range(2)]
        SERVER.make(*shards)
        for shard in shards:
            self.load("--sheets", FEW, database=shard)
            SERVER.run(shard, "DO $$ DECLARE name text; BEGIN FOR name IN SELECT table_name FROM information_schema.tables "
                              "WHERE table_schema = 'tpq' AND table_type = 'BASE TABLE' LOOP "
                              "EXECUTE format('TRUNCATE tpq.%I', name); END LOOP; END $$")
        sql = ["CREATE EXTENSION postgres_fdw; CREATE SCHEMA tpq;"]
        for i, shard in enumerate(shards):
            sql.append(f"CREATE SERVER s{i} FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '{SERVER.folder}', "
                       f"dbname '{shard}', use_remote_estimate 'true', async_capable 'true'); "
                       f"CREATE USER MAPPING FOR tpq SERVER s{i}; CREATE SCHEMA s{i}; "
                       f"IMPORT FOREIGN SCHEMA tpq EXCEPT (text, trace_row) FROM SERVER s{i} INTO s{i};")
        SERVER.run(self.name, "\n".join(sql))
        tables = [row["name"] for row in SERVER.rows(shards[0], "SELECT table_name AS name FROM information_schema.tables "
                                                     "WHERE table_schema = 'tpq' AND table_type = 'BASE TABLE'")]
        SERVER.run(self.name, "".join(
            f"CREATE TABLE tpq.{name} (LIKE s0.{name}) PARTITION BY HASH (run_id); " + "".join(
                f"ALTER TABLE tpq.{name} ATTACH PARTITION s{i}.{name} FOR VALUES WITH (MODULUS 2, REMAINDER {i}); "
                for i in range(2)) for name in tables if name not in ("text", "trace_row")))
        self.load("--sheets", FEW)
        SERVER.make(f"{self.name}_one")
        self.load("--sheets", FEW, database=f"{self.name}_one")
        for query in ("SELECT run, kind, name, count(*) AS n, sum(dur_ns) AS ns FROM tpq.fact_gpu GROUP BY run, kind, name "
                      "ORDER BY 1, 2, 3",
                      "SELECT * FROM tpq.fact_call ORDER BY run, trace, event",
                      "SELECT run, kind, name, launches, total_us FROM tpq.fleet_kernel",
                      "SELECT run, what, name, calls, total_us FROM tpq.fleet_history",
                      "SELECT * FROM tpq.sheet_gpu_timeline ORDER BY run, trace, sheet_row"):
            rows = SERVER.rows(self.name, query)
            self.assertEqual(rows, SERVER.rows(f"{self.name}_one", query))
            self.assertGreater(len(rows), 10)
        there = [SERVER.rows(shard, "SELECT count(DISTINCT run_id) AS n FROM tpq.gpu_row")[0]["n"] for shard in shards]
        self.assertEqual(sum(there), 2)


class Calls(Case):
    def test_wrong_calls(self):
        path = self.write("small.json", trace_of(slice_event("a", 0, 5)))
        self.tpq("ingest", "-q", path)
        for words, sentence in (
                (("--postgres", "--step", "1"), "--step says nothing with postgres"),
                (("--postgres", "--no-counters"), "--no-counters says nothing with postgres"),
                (("-o", "x.json", "--citus"), "--citus says nothing with chrome"),
                (("--postgres=a", "-o", "b"), "says what is written and where, and so does --output"),
                (("--postgres", "--format", "chrome"), "and so does --format"),
                (("--postgres", "--parquet", "x"), "and so does --postgres"),
                (("--parquet", "x", "-o", "y"), "and so does --output"),
                (("--postgres", "--sheets", "ops_summary,nosuch"), "'nosuch' is none of them"),
                (("--postgres", "--sheets", ""), "'' is none of them"),
                (("--postgres", "--sheets", "fleet_op"), "fleet_op is about more than one run"),
                (("--postgres", "--sheets", "default,diff_stats"), "diff_stats is about more than one run"),
                (("--postgres", "--run", "nosuch"), "nosuch")):
            self.assertIn(sentence, self.tpq("export", *words, status=2).err)

    def test_scripts(self):
        """The same bytes each time, to wherever they go; tables of Citus are distributed."""
        self.write("small.json", trace_of(slice_event("a", 0, 5)))
        self.tpq("ingest", "-q", "small.json")
        script = self.tpq("export", "--postgres").out
        self.assertEqual(script[-1:], "\n")
        self.tpq("export", "-o", "w.psql")
        with open(self.path("w.psql"), encoding="utf-8") as file:
            self.assertEqual(file.read(), script)
        self.assertEqual(self.tpq("export", "--postgres").out, script)
        self.assertNotIn("create_distributed_table", script)
        script = self.tpq("export", "--postgres", "--citus").out
        for table in ('gpu_row"', 'sheet_gpu_timeline"'):
            self.assertIn(f"create_distributed_table('tpq.\"{table}', 'run_id')", script)
        for table in ("tpq.text", 'tpq."trace_row"'):
            self.assertIn(f"create_reference_table('{table}')", script)


if __name__ == "__main__":
    main()
