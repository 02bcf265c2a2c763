"""tpq help recipes: every question of every day is asked, of a warehouse that has answers."""

import csv
import io
import os
import re
import sqlite3

from support import Case, looked_at, main, slice_event, trace_of

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
FIXTURES = os.path.join(ROOT, "tests", "fixtures", "train")
PARAMETERS = {"run": "base", "before": "base", "after": "tuned", "op": "aten::*", "days": 7}


class Recipes(Case):
    """Run base, ingested two weeks ago, and tuned, in which kernels take twice as long."""

    @classmethod
    def names(cls):
        return sorted(name[:-4] for name in os.listdir(os.path.join(ROOT, "sql", "recipes")))

    def prepare(self):
        for run in ("base", "tuned"):
            self.tpq("ingest", "-q", "--run", run, FIXTURES)
        connection = sqlite3.connect(self.db)
        connection.executescript(
            "UPDATE run SET created_at = datetime('now', '-14 days') WHERE name = 'base';"
            "UPDATE gpu_event SET dur_ns = 2 * dur_ns WHERE trace_id > 2;"
            "UPDATE event SET dur_ns = 2 * dur_ns WHERE trace_id > 2 "
            "AND id IN (SELECT id FROM gpu_event);"
            "UPDATE device SET name = 'other' WHERE trace_id > 2;")
        connection.close()

    def ask(self, name, *more, status=0):
        sql = self.tpq("help", "recipes", name).out
        given = [f"--param={key}={value}" for key, value in PARAMETERS.items()
                 if re.search(rf":{key}\b", sql)]
        out = self.tpq("sql", "--recipe", name, "-m", "csv", *given, *more, status=status).out
        return list(csv.DictReader(io.StringIO(out)))

    def test_every_recipe_has_an_answer(self):
        self.assertGreaterEqual(len(self.names()), 10)
        for name in self.names():
            self.assertTrue(self.ask(name), name)

    def test_what_got_slower(self):
        row = self.ask("slower_ops")[0]
        self.assertGreater(float(row["slower_ms"]), 0)
        self.assertAlmostEqual(float(row["after_ms"]), 2 * float(row["before_ms"]), 2)
        row = self.ask("slower_kernels")[0]
        self.assertEqual(row["before_calls"], row["after_calls"])
        self.assertAlmostEqual(float(row["after_mean_us"]), 2 * float(row["before_mean_us"]), 6)
        self.assertAlmostEqual(float(self.ask("slower_shapes")[0]["ratio"]), 2, 2)
        self.assertAlmostEqual(float(self.ask("since")[0]["ratio"]), 2, 6)
        self.assertEqual(self.ask("slower_ops", "--param", "after=base")[0]["slower_ms"], "0.0")
        self.assertEqual(self.ask("slower_ops", "--param", "before=@last~1", "--param", "after=@last"),
                         self.ask("slower_ops"))
        for words, said in (("after=tund", "there is no run 'tund'; did you mean tuned"),
                            ("after=*", "'*' is not one run"), ("after=trace:1", "is not one run")):
            self.one_line(self.tpq("sql", "--recipe", "slower_ops", "--param", "before=base", "--param", words,
                                   status=2), re.escape(said))

    def test_what_came_and_what_went(self):
        """Ops of a step of each of two runs, on the host and on the accelerator."""
        sides = {"control": [("aten::mm", "cpu_op", 40), ("aten::mm", "cpu_op", 40), ("nccl:all_reduce", "cpu_op", 67),
                             ("aten::add", "cpu_op", 5), ("gemm", "kernel", 9)],
                 "test": [("aten::mm", "cpu_op", 42), ("aten::mm", "cpu_op", 40), ("AddmmBackward0", "cpu_op", 207),
                          ("All2All_Pooled_Req", "cpu_op", 300), ("All2All_Pooled_Req", "cpu_op", 11),
                          ("aten::add", "cpu_op", 5), ("aten::add", "cpu_op", 2), ("CatBackward0", "cpu_op", 11),
                          ("gemm", "kernel", 8)]}
        for run, work in sides.items():
            events = [slice_event(name, 1000 + 400 * i, us, category, thread=7 if category == "kernel" else 1)
                      for i, (name, category, us) in enumerate(work)]
            self.tpq("ingest", "-q", "--run", run, self.write(f"{run}.json", trace_of(*events)))
        expected = {"AddmmBackward0": (1, 207, "added"), "All2All_Pooled_Req": (2, 311, "added"),
                    "CatBackward0": (1, 11, "added"), "nccl:all_reduce": (-1, -67, "deleted"),
                    "aten::mm": (0, 2, "unchanged"), "aten::add": (1, 2, "increased"),
                    "gemm": (0, -1, "unchanged")}
        def told(*more):
            rows = self.ask("op_counts", "--param", "before=control", "--param", "after=test", *more)
            return {row["name"]: (int(row["more_calls"]), float(row["more_us"]), row["change"]) for row in rows}
        self.assertEqual(told(), expected)
        self.assertEqual(list(told())[:3], ["All2All_Pooled_Req", "AddmmBackward0", "nccl:all_reduce"])
        self.assertEqual(told("--where", "category = 'kernel'"), {"gemm": expected["gemm"]})
        self.assertEqual(told("--param", "before=test", "--param", "after=control")["aten::add"],
                         (-1, -2, "decreased"))

    def test_machines_ranks_and_steps(self):
        rows = self.ask("two_machines")
        self.assertEqual({row["accelerator"] for row in rows}, {"NVIDIA H100 80GB HBM3", "other"})
        rows = [row for row in self.ask("slowest_rank") if row["run"] == "base"]
        self.assertEqual({row["rank"] for row in rows}, {"0", "1"})
        self.assertGreaterEqual(sum(int(row["came_last"]) for row in rows),
                                int(rows[0]["collectives"]))
        rows = self.ask("exposed_communication", "--run", "base", "--rank", "0")
        steps = [step for (step,) in self.rows(
            "SELECT DISTINCT step FROM signpost WHERE kind = 'step' AND trace_id = 1 ORDER BY step")]
        self.assertEqual([int(row["step"]) for row in rows], steps)
        for row in rows:
            self.assertTrue(0 <= float(row["exposed_ms"]) <= float(row["communication_ms"])
                            <= float(row["busy_ms"]), row)
        self.assertEqual([int(row["step"]) for row in self.ask("mfu_by_step", "--trace", 1)], steps)

    def test_the_selection_narrows(self):
        self.assertEqual({row["run"] for row in self.ask("copies", "--run", "tuned")}, {"tuned"})
        gaps = self.ask("longest_gaps", "--run", "base")
        self.assertEqual({row["run"] for row in gaps}, {"base"})
        idle = [float(row["idle_us"]) for row in gaps]
        self.assertEqual(idle, sorted(idle, reverse=True))

    def test_words(self):
        out, parameters = self.tpq("help", "recipes").out, 0
        self.assertEqual(re.findall(r"(?m)^(\w+)$", out), self.names())
        for name in self.names():
            sql = self.tpq("help", "recipes", name).out
            question = sql.splitlines()[0].removeprefix("-- ")
            self.assertTrue(question.endswith("?"), question)
            self.assertIn(f"\n    {question}\n", out)
            found = re.findall(r"(?m)^[^-].*?:([a-z]+)\b", sql)
            parameters += len(found)
            for parameter in found:
                self.assertRegex(sql, rf"(?m)^-- .*:{parameter}\b", name)
        looked_at(recipes=len(self.names()), parameters=parameters)
        self.one_line(self.tpq("help", "recipes", "slower_op", status=2), "did you mean slower_ops")
        self.one_line(self.tpq("sql", "--recipe", "zzz", status=2), "see tpq help recipes")
        self.one_line(self.tpq("sql", "--recipe", "copies", "SELECT 1", status=2), "not both")
        self.one_line(self.tpq("sql", "--recipe", "since", status=2), "no value for :days")


if __name__ == "__main__":
    main()
