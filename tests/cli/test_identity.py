"""Identity: what traces state of their setup and origin is kept, is a label of the run, and differences are said."""

import contextlib
import json
import sqlite3

from support import Case, main, sentences, slice_event, trace_of

KEYS = {"pytorch_version": "2.6.0+cu124", "vllm_version": "0.8.1", "git_commit": "3f2a91", "host_name": "node00", "job_version": 3,
        "model_name": "acme/bert-base", "cuda_driver_version": 12040, "hip_runtime_version": 60443483, "allow_tf32": True,
        "with_stack": 1, "record_shapes": 1, "with_flops": 0}
SAID = {"torch": "2.6.0+cu124", "vllm": "0.8.1", "commit": "3f2a91", "host": "node00", "job_version": "3", "model": "acme/bert-base",
        "cuda_driver": "12.4", "hip_runtime": "6.4.43483", "tf32": "1", "profiler": "record_shapes+with_stack", "device": "NVIDIA H100"}
SECRET = "hunter2jane"
PRIVATE = [form.replace("X", SECRET) for form in (
    "/private/X", "~X/x", "C:\\Users\\X\\t", "c:/X", "C:X", "\\\\server\\X", "FILE:///X", "file:X", "see file:/X", "name /root/X", "name \\root\\X", "\x0b/root/X",
    "n\x0b/root/X", "n\x00/root/X", "X\x1b[1m", "X\n", "dir=/root/X", "dir:/root/X", "(/root/X)", "./X", "a ~X/b", "at /home/X/x", "at D:\\Users\\X", "/\\home\\/X", "nfs/home/X",
    "%USERPROFILE%\\X", "$HOME/X", "X@corp.com", "https://me:X@git.org/x", "s3://b/x?token=X", "python train.py X", "train --token X", "--key=X",
    '"/x/X', "password=X", "Password: X", "token: X", "api_key=X", "API-KEY = X", "key = X", "apikey: X", "access_key=X", "pwd=X", "Bearer X", "secret: X", "Authorization: X",
    "credential X", "user=X", '{"a":"X"}', '["X"]', " ['X']")]
PRIVATE_KEYS = [f"{key}_version" for key in ("user", "token", "SECRET", "db_password", "pass", "db_PWD", "auth", "apikey", "api_key", "Credential", "me@corp", "root/x", "root\\x")]
HARMLESS = ["acme/bert-base", "meta-llama/Llama-3.1-8B Instruct", "node00.rack-1", "llama3:8b", "lr=3e-4", "3f2a91", "NVIDIA H100 80GB HBM3", "tokenizer", "Zürich 2"]


def trace(scale=1, **more):
    events = []
    for step in range(8):
        at = 1000 * step
        events += [slice_event(f"ProfilerStep#{step}", at, 900, "user_annotation"),
                   slice_event("aten::mm", at + 10, 100, args={"Input Dims": [[4, 8]], "External id": step + 1}),
                   slice_event("cudaLaunchKernel", at + 20, 6, "cuda_runtime", args={"correlation": step + 1}),
                   slice_event("gemm", at + 50, scale * (100 + step % 2), "kernel", thread=7, process=0,
                               args={"correlation": step + 1, "device": 0, "stream": 7})]
    return trace_of(*events, deviceProperties=[{"id": 0, "name": "NVIDIA H100"}], **more)


class Identity(Case):
    def ingest(self, run, *arguments, scale=1, **keys):
        return self.tpq("ingest", "-q", "--run", run, *arguments, self.write(f"{run}.json", trace(scale, **keys)))

    def labels(self, run, source="trace"):
        with contextlib.closing(sqlite3.connect(self.db)) as db:
            found = {}
            for key, value in db.execute("SELECT key, value FROM run_label WHERE run = ? AND source = ? ORDER BY value", (run, source)):
                found.setdefault(key, []).append(value)
        return {key: values[0] if len(values) == 1 else values for key, values in found.items()}

    def holds(self, text):
        with open(self.db, "rb") as file:
            return text.encode() in file.read()


class Kept(Identity):
    def test_what_traces_state_is_a_label(self):
        self.ingest("a", **KEYS)
        self.assertEqual(self.labels("a"), SAID)

    def test_the_first_key_that_is_there_holds(self):
        self.ingest("a", hostname="second", host_name="first", PT_PROFILER_JOB_NAME="job", torch_version="2.7.1", git_sha="77be04")
        self.assertEqual(self.labels("a"), {"host": "first", "job": "job", "torch": "2.7.1", "commit": "77be04", "device": "NVIDIA H100"})

    def test_traces_of_a_run_may_differ(self):
        for rank in 0, 1:
            self.ingest("a", "--rank-pattern", "x", trace_id=str(rank), host_name=f"node{rank}",
                        distributedInfo={"rank": rank, "world_size": 2, "nccl_version": "2.21.5"})
        self.assertEqual(self.labels("a"), {"host": ["node0", "node1"], "world_size": "2", "nccl": "2.21.5", "device": "NVIDIA H100"})

    def test_a_label_hides_what_traces_state(self):
        self.ingest("a", "--label", "torch=patched", "--label", "branch=main", **KEYS)
        self.assertEqual(self.labels("a", "label"), {"torch": "patched", "branch": "main"})
        self.assertNotIn("torch", self.labels("a"))

    def test_versions_that_are_none(self):
        for value in ("latest", "", "1.2 " + SECRET, "1" * 65, [1], {"a": 1}, None, True, -1):
            self.ingest("a", "--replace", vllm_version=value, sglang_version="v0.4")
            self.assertEqual(self.labels("a"), {"sglang": "v0.4", "device": "NVIDIA H100"}, value)
            self.assertFalse(self.holds(SECRET))

    def test_what_is_private_is_never_kept(self):
        for value in (*PRIVATE, [SECRET], {"env": SECRET}, SECRET + "x" * 128):
            for key in "host_name", "model", "trace_id", "data_version":
                self.ingest("a", "--replace", **{key: value})
                self.assertFalse(self.holds(SECRET), (key, value))
        for key in (*PRIVATE_KEYS, "traceName", "user", "command_line", "AWS_SECRET_ACCESS_KEY", "env"):
            self.ingest("a", "--replace", **{key: "17" + SECRET})
            self.assertFalse(self.holds(SECRET), key)
        self.write("raw.json", json.dumps(trace(host_name="QQ")).replace('"QQ"', f'"\\u002fhome\\/{SECRET}"'))
        self.tpq("ingest", "-q", "raw.json")
        self.assertFalse(self.holds(SECRET))
        self.assertEqual(self.labels("raw"), {"device": "NVIDIA H100"})

    def test_all_of_it_is_no_identity_on_demand_either(self):
        self.ingest("a", "--keep-metadata", host_name=f"/home/{SECRET}", traceName=f"/home/{SECRET}", user=SECRET, token_version="1",
                    job_name=f"https://me:{SECRET}@x", model_name="m")
        self.assertTrue(self.holds(SECRET))
        self.assertEqual(self.labels("a"), {"model": "m", "device": "NVIDIA H100"})

    def test_the_view_has_the_same_rules(self):
        self.ingest("a", "--keep-metadata", **{key: "17" for key in PRIVATE_KEYS})
        self.ingest("b", "--keep-metadata", **{f"k{i}": value for i, value in enumerate(PRIVATE) if "\0" not in value})  # SQLite may end there
        self.tpq("sql", "--write", "INSERT INTO identity_key (key, field, kind) VALUES " +
                 ", ".join(f"('k{i}', 'f{i}', 'origin')" for i in range(len(PRIVATE))))
        for run in "a", "b":
            self.assertEqual(self.labels(run), {"device": "NVIDIA H100"})

    def test_harmless_values_stay(self):
        for value in HARMLESS:
            for more in [], ["--keep-metadata"]:
                self.ingest("a", "--replace", *more, model=value)
                self.assertEqual(self.labels("a"), {"model": value, "device": "NVIDIA H100"})

    def test_users_may_add_keys(self):
        self.ingest("a", "--keep-metadata", cluster="west", zone_id="7")
        self.tpq("sql", "--write", "INSERT INTO identity_key (key, field, kind) VALUES ('cluster', 'cluster', 'origin'), ('*_id', NULL, 'setup')")
        self.assertEqual(self.labels("a"), {"cluster": "west", "zone": "7", "device": "NVIDIA H100"})


class Labels(Identity):
    def prepare(self):
        self.ingest("a", **KEYS)
        self.ingest("b", **{**KEYS, "cuda_driver_version": 12080, "host_name": "node01"})
        self.ingest("c", "--label", "torch=patched", **{**KEYS, "host_name": None})

    def runs(self, *arguments):
        return json.loads(self.tpq("runs", "--json", *arguments).out)["runs"]

    def test_runs_say_what_differs(self):
        out = self.tpq("runs", "--csv").out.splitlines()
        words = {line.split(",")[0]: line for line in out}
        self.assertIn("identity", words["run"])
        self.assertIn("cuda_driver=12.4 host=node00 torch=2.6.0+cu124", words["a"])
        self.assertIn("cuda_driver=12.8 host=node01 torch=2.6.0+cu124", words["b"])
        self.assertIn("cuda_driver=12.4 torch=patched", words["c"])
        self.assertNotIn("vllm", "".join(out))
        self.assertIn("vllm=0.8.1", self.tpq("runs", "--wide").out)
        self.assertNotIn("cuda_driver", self.tpq("runs", "a").out)

    def test_runs_for_programs(self):
        rows = {row["run"]: row for row in self.runs()}
        self.assertEqual(rows["a"]["identity"], SAID)
        self.assertEqual((rows["c"]["identity"]["torch"], rows["c"]["labels"]), ("patched", {"torch": "patched"}))
        for rank in 0, 1:
            self.ingest("d", trace_id=str(rank), host_name=f"node{rank}")
        self.assertEqual(self.runs("d")[0]["identity"]["host"], ["node0", "node1"])

    def test_a_field_is_a_label(self):
        self.assertEqual([row["run"] for row in self.runs("--label", "cuda_driver=12.4")], ["a", "c"])
        self.assertEqual([row["run"] for row in self.runs("torch=2.6.0+cu124")], ["a", "b"])
        self.assertEqual([row["run"] for row in self.runs("--label", "host")], ["a", "b"])
        self.assertIn("did you mean host=node0", self.tpq("runs", "host=node09", status=2).err)
        out = json.loads(self.tpq("history", "--by", "cuda_driver", "timeline", "--json").out)
        self.assertEqual([row["run"] for row in out["history"]], ["12.4", "12.8"])


class Differences(Identity):
    def prepare(self):
        self.ingest("a", **KEYS)
        self.ingest("b", scale=2, **{**KEYS, "cuda_driver_version": 12080, "host_name": "node01", "git_commit": None, "nccl_version": "2.21"})
        self.ingest("twin", trace_id="2", **KEYS)

    SENTENCE = "Other setup: cuda_driver 12.4 against 12.8; nccl not recorded against 2.21; commit 3f2a91 against not recorded; host node00 against node01."
    DIFFERS = [{"field": "cuda_driver", "kind": "setup", "baseline": ["12.4"], "candidate": ["12.8"]},
               {"field": "nccl", "kind": "setup", "baseline": [], "candidate": ["2.21"]},
               {"field": "commit", "kind": "origin", "baseline": ["3f2a91"], "candidate": []},
               {"field": "host", "kind": "origin", "baseline": ["node00"], "candidate": ["node01"]}]

    def meta(self, *arguments, **more):
        return json.loads(self.tpq(*arguments, "--json", **more).out)["meta"]["identity_differs"]

    def test_compare(self):
        for sides in (("a", "b"), ("a.json", "b.json"), ("a", "b.json"), ("a.json", "b")):
            self.assertEqual(self.meta("compare", *sides), self.DIFFERS)
            out = self.tpq("compare", *sides).out
            self.assertEqual(sentences(out)[0], self.SENTENCE)
            self.assertTrue(self.tpq("compare", *sides, "--markdown").out.startswith(self.SENTENCE), sides)
        self.assertEqual(self.meta("compare", "a", "twin"), [])
        self.assertNotIn("Other setup", self.tpq("compare", "a", "twin").out)

    def test_an_empty_text_is_not_recorded(self):
        for i, (label, *more) in enumerate((["model="], ["model=  "], ["x=1", "--keep-metadata"])):
            self.ingest(f"e{i}", "--label", label, *more, trace_id=f"{i}0", **{**KEYS, "model_name": "  "})
            self.assertEqual(self.meta("compare", "a", f"e{i}"), [{"field": "model", "kind": "setup", "baseline": ["acme/bert-base"], "candidate": []}])
            self.assertIn("model acme/bert-base against not recorded.", " ".join(self.tpq("compare", "a", f"e{i}").out.split()))
        self.assertEqual(self.meta("compare", "e0", "e1"), [])

    def test_several_candidates(self):
        self.assertEqual(self.meta("compare", "a", "twin", "b"), [{**one, "side": "b"} for one in self.DIFFERS])
        self.assertEqual(sentences(self.tpq("compare", "a", "twin", "b").out)[0], self.SENTENCE.replace("setup:", "setup of b:"))

    def test_sheets_know_nothing(self):
        for run in "a", "b":
            self.tpq("report", "--run", run, "--csv", run)
        self.assertEqual(self.meta("compare", self.path("a"), self.path("b")), [])

    def test_many_fields_and_values(self):
        for run, more in ("c", 0), ("d", 9):
            self.ingest(run, **{f"k{i}_version": i + more for i in range(10)})
        self.assertIn("k7 7 against 16 and 2 more.", " ".join(self.tpq("compare", "c", "d").out.split()))
        for rank in range(5):
            self.ingest("e", trace_id=str(rank), **{**KEYS, "host_name": f"n{rank}"})
        self.assertIn("host node00 against n0, n1, n2 and 2 more", " ".join(self.tpq("compare", "a", "e").out.split()))

    def test_gate(self):
        sides = ("gate", "--baseline", "a", "--candidate", "b")
        self.assertEqual(self.meta(*sides, status=1), self.DIFFERS)
        self.assertEqual(sentences(self.tpq(*sides, status=1).out)[0], self.SENTENCE)
        self.assertTrue(self.tpq(*sides, "--markdown", status=1).out.startswith(self.SENTENCE))
        self.assertIn(f'<property name="other setup" value="{self.SENTENCE}"/>', self.tpq(*sides, "--junit", status=1).out)
        self.assertIn(f"::notice title=tpq gate: other setup::{self.SENTENCE}\n", self.tpq(*sides, "--github", status=1).out)
        self.assertNotIn("other setup", self.tpq("gate", "--baseline", "a", "--candidate", "twin", "--junit").out)

    def test_history(self):
        rows = json.loads(self.tpq("history", "timeline", "a", "twin", "b", "--json").out)["history"]
        change = "cuda_driver 12.4 to 12.8; nccl not recorded to 2.21; commit 3f2a91 to not recorded; host node00 to node01"
        self.assertEqual([row["identity_change"] for row in rows], [None, None, change])
        self.assertIn("changed at b (cuda_driver 12.4 to 12.8; nccl not recorded to 2.21): +",
                      self.tpq("history", "kernel", "a", "twin", "b").out)

    def test_a_label_stands_for_what_traces_state(self):
        self.ingest("mine", "--label", "vllm=patched", "--label", "branch=main", trace_id="3", **KEYS)
        self.assertEqual(self.meta("compare", "a", "mine"), [{"field": "vllm", "kind": "setup", "baseline": ["0.8.1"], "candidate": ["patched"]}])


class Older(Identity):
    """Older programs kept the path of a trace, which has the name of its user."""

    def older(self, path):
        with contextlib.closing(sqlite3.connect(path)) as db:
            db.executescript("DROP VIEW run_label; DROP TABLE identity_key; UPDATE setting SET value = 'other' WHERE name = 'views';"
                             "UPDATE trace SET metadata = json_set(metadata, '$.traceName', '/home/jane.doe/trace.json')")

    def test_the_path_goes_when_it_is_written(self):
        self.ingest("a", **KEYS)
        self.older(self.db)
        self.assertTrue(self.holds("jane.doe"))
        self.assertEqual(len(json.loads(self.tpq("sql", "-m", "json", "SELECT key FROM run_label").out)), len(SAID))  # only read
        self.ingest("b", **KEYS)
        self.assertFalse(self.holds("jane.doe"))
        self.assertEqual(self.labels("a"), SAID)

    def test_no_page_keeps_a_stale_copy(self):
        """Pages that split, overflow and go free keep what stood on them."""
        self.ingest("a", **KEYS)
        for run in range(40):
            self.ingest(f"r{run}", trace_id=f"{run}", **KEYS)
        self.older(self.db)
        with contextlib.closing(sqlite3.connect(self.db)) as db:
            db.execute("PRAGMA secure_delete = off")
            for length in 10, 1000, 30, 200, 5:
                db.execute("UPDATE trace SET metadata = json_set(metadata, '$.traceName', '/home/' || replace(printf('%.*c', ? + id % 7 * 9, '/'), '/', 'jane.doe/'))", (length,))
                db.commit()
            self.assertGreater(db.execute("PRAGMA freelist_count").fetchone()[0], 20)
            before = db.execute("SELECT id, run_id, rank, path, json_remove(metadata, '$.traceName'), ingested_at FROM trace").fetchall()
        self.ingest("b", **KEYS)
        self.assertFalse(self.holds("jane.doe"))
        with contextlib.closing(sqlite3.connect(self.db)) as db:
            self.assertEqual(db.execute("SELECT id, run_id, rank, path, metadata, ingested_at FROM trace WHERE id <= ?", (len(before),)).fetchall(), before)
            self.assertEqual(db.execute("PRAGMA integrity_check").fetchall() + db.execute("PRAGMA foreign_key_check").fetchall(), [("ok",)])
            self.assertEqual(db.execute("SELECT count(*) FROM sqlite_schema WHERE name LIKE '%stale%'").fetchone(), (0,))

    def test_the_path_goes_when_it_is_merged(self):
        self.ingest("a", **KEYS)
        self.older(self.db)
        self.tpq("merge", "-q", "--db", "new.db", self.db)
        self.db = self.path("new.db")
        self.assertFalse(self.holds("jane.doe"))
        self.assertEqual(self.labels("a"), SAID)

    def test_what_was_asked_for_stays(self):
        self.ingest("a", "--keep-metadata", traceName="/home/jane.doe/trace.json")
        self.ingest("b", **KEYS)
        self.tpq("merge", "-q", "--db", "new.db", self.db)
        self.db = self.path("new.db")
        self.assertTrue(self.holds("jane.doe"))


if __name__ == "__main__":
    main()
