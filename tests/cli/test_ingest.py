"""tpq ingest: where traces come from (files, directories, standard input, compressed), what is
known already, and what runs are called."""

import gzip
import io
import json
import os
import socket
import subprocess
import threading
import zipfile

from support import Case, made_trace, main, slice_event, slices_in, trace_of

ONE = trace_of(slice_event("one", 1, 2))
TWO = trace_of(slice_event("two", 1, 2))


def zipped(content, method=zipfile.ZIP_DEFLATED, name="trace.json"):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", method) as file:
        file.writestr(name, content)
    return archive.getvalue()


class Unseekable(io.RawIOBase):
    """Makes zipfile write sizes behind the member, in a descriptor."""

    def __init__(self):
        super().__init__()
        self.bytes = bytearray()

    def writable(self):
        return True

    def write(self, data):
        self.bytes += data
        return len(data)


def zipped_with_descriptor(content):
    archive = Unseekable()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("trace.json", content)
    return bytes(archive.bytes)


class Files(Case):
    def test_a_file_is_stored_with_what_is_known_about_it(self):
        path = self.make_trace("train.json")
        with open(path, "rb") as file:
            content = file.read()
        self.tpq("ingest", "train.json")
        self.assertEqual(
            self.rows("SELECT run.name, path, format, file_bytes, content_bytes, element_count, "
                      "world_size, last_event - first_event + 1, tree, frames "
                      "FROM trace JOIN run ON run.id = run_id"),
            [("train", path, "kineto", len(content), len(content),
              len(json.loads(content)["traceEvents"]), 2, slices_in(content), "default", 1)])
        self.assertEqual(self.value("SELECT count(*) FROM event"), slices_in(content))
        self.check()

    def test_a_bare_list_of_events_is_a_trace(self):
        self.tpq("ingest", self.write("list.json", [slice_event("a", 0, 1)]))
        self.assertEqual(self.value("SELECT text FROM string WHERE text = 'a'"), "a")

    def test_metadata_may_stand_behind_the_events(self):
        events = [slice_event("a", 0, 1)]
        self.write("x.json", {"traceEvents": events, "distributedInfo": {"rank": 3}})
        self.tpq("ingest", "x.json")
        self.assertEqual(self.value("SELECT rank FROM trace"), 3)

    def test_a_byte_order_mark_is_no_obstacle(self):
        self.tpq("ingest", self.write("bom.json", b"\xef\xbb\xbf" + json.dumps(ONE).encode()))
        self.assertEqual(self.value("SELECT count(*) FROM event"), 1)

    def test_a_trace_may_have_no_events(self):
        table = "OP CODE,OP TYPE,DEVICE ID,DEVICE KERNEL DURATION [ns]\n"  # says what it is
        out = self.tpq("ingest", self.write("none.csv", table)).out
        self.assertIn("0 events", out)
        self.tpq("ingest", "--run", "next", self.write("one.json", ONE))
        self.assertEqual(self.rows("SELECT first_event, last_event FROM trace ORDER BY id"),
                         [(1, 0), (1, 1)])
        self.check()

    def test_a_list_without_events_is_no_trace(self):
        named = {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "x"}}
        for content in (trace_of(), trace_of(named), trace_of({"ph": "i", "name": "mark"}, named)):
            self.write("t/none.json", content)
            for verb in ("ingest", "report"):
                result = self.tpq(verb, "t/none.json", status=3)
                self.one_line(result, r"t/none\.json: nothing in it can be used[:;] (it has no events|1 of its 2 events)")
        self.assertFalse(os.path.exists(self.db))
        self.write("t/one.json", ONE)  # below a directory it is passed over
        self.assertIn("1 stored, 1 skipped", self.tpq("ingest", "t").out)

    def test_what_cannot_be_used_is_counted_alike(self):
        frames = [{"ph": "X", "cat": "python_function", "name": "f", "pid": 1, "tid": 1}] * 5
        self.write("a.json", trace_of(*frames, {"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1}))
        for call in (["ingest"], ["ingest", "--no-python"], ["report"], ["report", "--where", "1"], ["diff", "a.json"]):
            self.one_line(self.tpq(*call, "a.json", status=3), "6 of its 6 events: event without a usable time")

    def test_everything_in_an_event_may_be_missing_or_empty(self):
        self.write("bare.json", trace_of(
            {"ph": "X", "ts": 1, "dur": 1}, {"dur": 1, "ts": 3},
            slice_event("", 5, 1, "", "", "", args={"": 1}),
            {"ph": "X", "cat": "cpu_op", "ts": 7, "dur": 1, "args": {"Input Dims": ""}}))
        self.tpq("ingest", "bare.json")
        self.assertEqual(self.value("SELECT count(*) FROM event"), 4)
        self.assertEqual(self.notes(), {"name_missing": 3})
        self.check()

    def test_a_name_that_begins_with_a_dash(self):
        self.write("-x.json", ONE)
        self.tpq("ingest", "--", "-x.json")
        self.assertEqual(self.value("SELECT name FROM run"), "-x")

    def test_a_named_pipe(self):
        os.mkfifo(self.path("pipe.json"))
        writer = threading.Thread(target=self.write, args=("pipe.json", ONE))
        writer.start()
        self.tpq("ingest", "pipe.json")
        writer.join()
        self.assertEqual(self.value("SELECT count(*) FROM event"), 1)


class Compressed(Case):
    def setUp(self):
        super().setUp()
        self.content = made_trace("--steps", 1)
        self.tpq("ingest", "--run", "plain", self.write("plain.json", self.content))
        self.plain = self.rows("SELECT content_hash, content_bytes FROM trace")

    def takes(self, compressed, name="other"):
        self.tpq("ingest", "--run", "other", self.write(name, compressed))
        self.assertEqual(self.rows("SELECT content_hash, content_bytes FROM trace WHERE id = 2"),
                         self.plain)
        self.assertEqual(self.value("SELECT file_bytes FROM trace WHERE id = 2"), len(compressed))

    def test_gzip(self):
        self.takes(gzip.compress(self.content), "trace.json.gz")

    def test_gzip_with_any_name(self):
        self.takes(gzip.compress(self.content), "trace.json")

    def test_gzip_of_several_members_and_padding(self):
        half = len(self.content) // 2
        self.takes(gzip.compress(self.content[:half]) + gzip.compress(self.content[half:]) +
                   bytes(512))

    def test_plain_with_the_name_of_a_gzip(self):
        self.takes(self.content, "trace.json.gz")

    def test_zip(self):
        self.takes(zipped(self.content), "trace.json.zip")

    def test_zip_stored(self):
        self.takes(zipped(self.content, zipfile.ZIP_STORED))

    def test_zip_with_sizes_behind(self):
        self.takes(zipped_with_descriptor(self.content))

    def test_the_same_content_however_packed_is_known(self):
        before = self.dump()
        self.write("a.json.gz", gzip.compress(self.content))
        self.write("b.zip", zipped(self.content))
        out = self.tpq("ingest", "--run", "plain", "plain.json", "a.json.gz", "b.zip").out
        self.assertEqual(out.count("is in run plain already, as trace 1"), 3)
        self.assertIn("0 stored, 3 known already", out)
        self.assertEqual(self.dump(), before)


class Known(Case):
    def test_the_same_file_twice_is_skipped(self):
        self.write("a.json", ONE)
        self.tpq("ingest", "a.json")
        with open(self.db, "rb") as file:
            before = file.read()
        self.assertIn("1 known already", self.tpq("ingest", "a.json").out)
        with open(self.db, "rb") as file:
            self.assertEqual(file.read(), before)

    def test_the_same_file_twice_in_one_call(self):
        self.write("a.json", ONE)
        for jobs in (1, 4):
            out = self.tpq("ingest", "-j", jobs, "--run", f"r{jobs}", "a.json", "a.json").out
            self.assertIn("1 stored, 1 known already", out)

    def test_another_run_takes_the_same_content(self):
        self.write("a.json", ONE)
        self.tpq("ingest", "a.json")
        self.tpq("ingest", "--run", "again", "a.json")
        self.assertEqual(self.value("SELECT count(*) FROM trace"), 2)
        self.assertEqual(self.value("SELECT count(*) FROM string WHERE text = 'one'"), 1)
        self.check()

    def test_labels_are_set_even_when_the_content_is_known(self):
        self.write("a.json", ONE)
        self.tpq("ingest", "--label", "gpu=A100", "a.json")
        self.tpq("ingest", "--label", "gpu=H100", "a.json")
        self.assertEqual(self.value("SELECT labels FROM run"), '{"gpu":"H100"}')
        self.tpq("ingest", "--run", "a", "--label", "x=1", "-", stdin=json.dumps(ONE))
        self.assertEqual(self.value("SELECT labels FROM run"), '{"gpu":"H100","x":"1"}')
        self.assertEqual(self.value("SELECT count(*) FROM trace"), 1)


class Directories(Case):
    def test_traces_are_found_at_any_depth_in_the_order_of_version_numbers(self):
        for name in ("t/rank_10.json", "t/rank_2.json", "t/sub/deep/rank_1.json"):
            self.write(name, trace_of(slice_event(name, 0, 1)))
        self.write("t/rank_3.json.gz", gzip.compress(json.dumps(ONE).encode()))
        self.write("t/rank_4.json.zip", zipped(json.dumps(TWO)))
        self.write("t/notes.txt", "not a trace")
        self.tpq("ingest", "t")
        self.assertEqual(
            [os.path.relpath(path, self.folder) for (path,) in
             self.rows("SELECT path FROM trace ORDER BY id")],
            ["t/rank_2.json", "t/rank_3.json.gz", "t/rank_4.json.zip", "t/rank_10.json",
             "t/sub/deep/rank_1.json"])
        self.assertEqual(self.rows("SELECT name FROM run"), [("t",)])

    def test_other_json_in_a_directory_is_skipped_and_listed(self):
        self.write("t/a.json", ONE)
        self.write("t/config.json", {"layers": 3})
        self.write("t/list.json", [1, 2])
        self.write("t/garbage.json", b"\x00\x01\x02")
        result = self.tpq("ingest", "t")
        self.assertIn("1 stored, 3 skipped", result.out)
        self.one_line(result, r"^tpq: skipped 3 files that are not traces \(-v lists them\)$")
        listed = self.tpq("ingest", "-v", "t").err
        for name in ("config", "list", "garbage"):
            self.assertRegex(listed, rf"(?m)^tpq: skipped t/{name}\.json: not a trace: ")
        os.remove(self.path("t/a.json"))
        self.one_line(self.tpq("ingest", "t", status=3), "not a trace: .*; none of 3 files is a trace$")

    def test_skipped_files_are_counted_and_listed(self):
        names = [f"n{i}.txt" for i in range(1, 14)]
        for name in [*names, ".hidden", ".git/config"]:
            self.write("t/" + name, "1")
        self.write("t/a.json", ONE)
        result = self.tpq("ingest", "t")
        self.one_line(result, r"^tpq: skipped 13 files that are not traces \(-v lists them\)$")
        self.assertIn("1 stored, 13 skipped", result.out)
        self.assertEqual(self.tpq("ingest", "-v", "t").err.splitlines(),
                         [f"tpq: skipped t/{name}: not called like a trace" for name in names])
        sums = json.loads(self.tpq("ingest", "--run", "b", "t", "--json").out)["sum"]
        self.assertEqual((sums["stored"], sums["passed_over"]), (1, 13))
        for call in (["report", "./t"], ["compare", "./t", "t/a.json"], ["diff", "./t", "t/a.json"],
                     ["export", "./t", "-o", "x.json"]):
            self.assertIn("skipped 13 files that are not traces (tpq ingest -v lists them)",
                          self.tpq(*call, status=None).err, call)
        self.assertEqual(self.tpq("ingest", "-q", "t").err, "")

    def test_why_a_file_is_skipped(self):
        self.write("t/a.json", ONE)
        self.write("t/notes.txt", "1")
        os.mkfifo(self.path("t/pipe.json"))
        os.symlink("/dev/null", self.path("t/null.json"))
        os.symlink(".", self.path("t/round"))
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        listener.bind(self.path("t/listener"))
        self.assertEqual(self.tpq("ingest", "-v", "t").err.splitlines(), [
            "tpq: skipped t/listener: a socket", "tpq: skipped t/notes.txt: not called like a trace",
            "tpq: skipped t/null.json: a device", "tpq: skipped t/pipe.json: a pipe",
            "tpq: skipped t/round: a link in a circle"])

    def test_skipped_files_are_counted_when_there_is_no_trace(self):
        self.write("t/notes.txt", "1")
        for verb in ("ingest", "report"):
            self.one_line(self.tpq(verb, "t", status=3), r"t: no traces below .*; skipped 1 file$")

    def test_tables_of_any_name_are_known_by_their_bytes(self):
        table = ("OP CODE,OP TYPE,DEVICE ID,DEVICE KERNEL DURATION [ns]\n"
                 "A,tt_dnn_device,0,5\nB,tt_dnn_device,0,6\n")
        self.write("t/mine.csv", table)
        self.write("t/ops_perf_results_1.csv", table.replace("A,tt", "C,tt"))
        self.write("t/sums.csv", "name,sum\na,1\n")
        self.one_line(self.tpq("ingest", "t"), "skipped 1 file that is not a trace")
        self.assertEqual(self.rows("SELECT path FROM trace ORDER BY path"),
                         [(self.path("t/mine.csv"),), (self.path("t/ops_perf_results_1.csv"),)])

    def test_quoted_patterns_stand_for_what_they_match(self):
        for name in ("a1", "a2", "b"):
            self.write(f"t/{name}.json", trace_of(slice_event(name, 1, 2)))
        self.tpq("ingest", "t/a*.json")
        self.assertEqual(self.rows("SELECT path FROM trace ORDER BY path"),
                         [(self.path("t/a1.json"),), (self.path("t/a2.json"),)])
        self.assertEqual(self.rows("SELECT name FROM run"), [("a1",)])
        self.tpq("report", "t/*.json", "--xlsx")
        self.assertFalse([name for name in os.listdir(self.folder) if "*" in name])
        self.one_line(self.tpq("ingest", "t/c*.json", status=3), r"t/c\*\.json: .*No such file")

    def test_files_that_are_all_called_alike_are_runs_of_their_directories(self):
        for folder in ("base", "tuned/traces"):
            self.tpq("ingest", "-q", self.write(folder + "/trace.json",
                                                trace_of(slice_event(folder, 1, 2))))
        self.assertEqual(self.rows("SELECT name FROM run ORDER BY name"), [("base",), ("tuned",)])

    def test_other_json_that_was_named_is_an_error(self):
        self.write("t/a.json", ONE)
        self.write("config.json", {"layers": 3})
        result = self.tpq("ingest", "t", "config.json", status=3)
        self.assertIn("1 stored, 1 failed", result.out)

    def test_a_directory_with_nothing_but_other_json_is_an_error(self):
        self.write("t/config.json", {"layers": 3})
        self.one_line(self.tpq("ingest", "t", status=3), "t/config.json: not a trace")
        self.assertFalse(os.path.exists(self.db))

    def test_links_are_followed(self):
        self.write("elsewhere/a.json", ONE)
        self.write("b.json", TWO)
        os.mkdir(self.path("t"))
        os.symlink(self.path("elsewhere"), self.path("t/sub"))
        os.symlink(self.path("b.json"), self.path("t/b.json"))
        os.symlink(self.path("t"), self.path("t/loop"))
        self.assertIn("2 stored", self.tpq("ingest", "t").out)

    def test_a_link_to_nowhere_is_not_passed_over_in_silence(self):
        self.write("t/a.json", ONE)
        os.symlink("nowhere", self.path("t/b.json"))
        result = self.tpq("ingest", "t", status=3)
        self.one_line(result, "t/b.json: cannot be opened: No such file")
        self.assertIn("1 stored, 1 failed", result.out)

    def test_several_operands(self):
        self.write("first/a.json", ONE)
        self.write("b.json", TWO)
        self.tpq("ingest", "first", "b.json", "-", stdin=made_trace())
        self.assertEqual(self.rows("SELECT name, count(*) FROM run JOIN trace ON run_id = run.id"),
                         [("first", 3)])


class StandardInput(Case):
    def test_a_pipe_that_is_said_to_be_from_somewhere(self):
        for rank, content in ((3, ONE), (12, TWO)):
            self.tpq("ingest", "--run", "job", "--as", f"s3://b/rank_{rank}.json.gz", "-",
                     stdin=json.dumps(content))
        self.assertEqual(self.rows("SELECT path, rank FROM trace ORDER BY id"),
                         [("s3://b/rank_3.json.gz", 3), ("s3://b/rank_12.json.gz", 12)])
        out = self.tpq("ingest", "--run", "job", "--as", "s3://b/rank_3.json.gz", "--replace", "-",
                       stdin=json.dumps(TWO)).out  # a longer file of the same place
        self.assertIn("s3://b/rank_3.json.gz: trace", out)
        self.assertEqual(self.value("SELECT count(*) FROM trace WHERE rank = 3"), 1)
        self.tpq("ingest", "--rank-pattern", r"node(\d+)", "--as", "x/node7/y.json", "-",
                 stdin=json.dumps(ONE))
        self.assertEqual(self.rows("SELECT run.name, rank FROM trace JOIN run ON run.id = run_id "
                                   "WHERE path = 'x/node7/y.json'"), [("y", 7)])
        self.write("a.json", ONE)
        for call in (("a.json",), ("-", "a.json"), ()):
            self.one_line(self.tpq("ingest", "--as", "x", *call, status=2))
        self.one_line(self.tpq("ingest", "--as", "", "-", status=2), "--as PATH")

    def test_plain(self):
        self.tpq("ingest", "-", stdin=json.dumps(ONE))
        self.assertEqual(self.rows("SELECT run.name, path FROM trace JOIN run ON run.id = run_id"),
                         [("stdin", "-")])

    def test_compressed(self):
        for number, pack in enumerate((gzip.compress, zipped)):
            self.tpq("ingest", "--run", number, "-", stdin=pack(json.dumps(ONE).encode()))
        self.assertEqual(self.value("SELECT count(*) FROM event"), 2)

    def test_a_pipe_that_trickles(self):
        content = made_trace("--steps", 1)
        reader, writer = os.pipe()
        script = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=writer)
        os.close(writer)

        def trickle():
            for at in range(0, len(content), 97):
                script.stdin.write(content[at:at + 97])
                script.stdin.flush()
            script.stdin.close()

        thread = threading.Thread(target=trickle)
        thread.start()
        self.tpq("ingest", "-", stdin=reader)
        thread.join()
        script.wait()
        os.close(reader)
        self.assertEqual(self.value("SELECT count(*) FROM event"), slices_in(content))

    def test_it_is_no_file_that_is_called_like_it(self):
        self.write("-", TWO)
        self.tpq("ingest", "-", stdin=json.dumps(ONE))
        self.assertEqual(self.rows("SELECT path FROM trace"), [("-",)])

    def test_two_inputs_do_not_replace_each_other(self):
        self.tpq("ingest", "--replace", "-", stdin=json.dumps(ONE))
        self.tpq("ingest", "--replace", "-", stdin=json.dumps(TWO))
        self.assertEqual(self.value("SELECT count(*) FROM trace"), 2)


class RunNames(Case):
    def run_named(self, *arguments):
        self.tpq("ingest", *arguments)
        return self.value("SELECT name FROM run ORDER BY id DESC LIMIT 1")

    def test_the_endings_of_a_file_are_taken_off(self):
        for name, run in {"a.json": "a", "b.json.gz": "b", "c.zip": "c", "d": "d",
                          "node7_42.1750000000.pt.trace.json.gz": "node7_42.1750000000",
                          "e.f.json": "e.f", "g.log": "g.log"}.items():
            self.write(name, trace_of(slice_event(name, 0, 1)))
            self.assertEqual(self.run_named(name), run)

    def test_a_directory_keeps_its_whole_name(self):
        self.write("v1.json/a.json", ONE)
        self.assertEqual(self.run_named("v1.json"), "v1.json")
        self.assertEqual(self.run_named("v1.json/"), "v1.json")

    def test_this_directory_has_a_name(self):
        self.write("here/a.json", ONE)
        self.tpq("ingest", ".", cwd=self.path("here"))
        self.assertEqual(self.value("SELECT name FROM run"), "here")

    def test_the_name_that_was_given(self):
        self.write("a.json", ONE)
        self.write("b.json", TWO)
        for name in ("base line", "größer", "x'; DROP TABLE run; --"):
            self.assertEqual(self.run_named("--run", name, "a.json"), name)
        self.tpq("ingest", "--run", "base line", "b.json")
        self.assertEqual(self.value("SELECT count(*) FROM trace WHERE run_id = 1"), 2)

    def test_an_empty_name_is_refused(self):
        self.write("a.json", ONE)
        self.one_line(self.tpq("ingest", "--run", "", "a.json", status=2), "--run needs a name")
        self.assertFalse(os.path.exists(self.db))


class Places(Case):
    def test_which_warehouse(self):
        self.write("a.json", ONE)
        self.tpq("ingest", "--db", "given.db", "a.json")
        self.tpq("ingest", "a.json", env={"TPQ_DB": "named.db"})
        self.tpq("ingest", "a.json", env={"TPQ_DB": ""})
        for name in ("given.db", "named.db", "tpq.db"):
            self.assertTrue(os.path.exists(self.path(name)), name)

    def test_a_new_warehouse_has_the_rights_of_any_new_file(self):
        self.write("a.json", ONE)
        for mask in (0o022, 0o077):
            name = f"{mask:o}.db"
            self.tpq("ingest", "--db", name, "a.json", preexec_fn=lambda m=mask: os.umask(m))
            self.assertEqual(os.stat(self.path(name)).st_mode & 0o777, 0o666 & ~mask)

    def test_a_link_whose_target_does_not_exist_yet(self):
        self.write("a.json", ONE)
        os.mkdir(self.path("big"))
        os.symlink("../step.db", self.path("big/link.db"))
        os.symlink(self.path("big/link.db"), self.db)
        self.tpq("ingest", "a.json")
        self.assertTrue(os.path.islink(self.db))
        self.assertFalse(os.path.islink(self.path("step.db")))
        self.check(self.path("step.db"))
        os.symlink("no/such/place.db", self.path("lost.db"))
        self.one_line(self.tpq("ingest", "--db", "lost.db", "a.json", status=4), "No such file")
        os.symlink("loop.db", self.path("loop.db"))
        self.one_line(self.tpq("ingest", "--db", "loop.db", "a.json", status=None), "^tpq: ")

    def test_an_empty_name_of_a_warehouse_is_not_the_usual_one(self):
        self.write("a.json", ONE)
        self.tpq("ingest", "--db", "tpq.db", "a.json")
        for call in (["runs"], ["rm", "a"], ["ingest", "--run", "x", "a.json"]):
            self.one_line(self.tpq(*call, "--db", "", status=2), "--db needs the name of a file")
        self.assertEqual(self.rows("SELECT name FROM run", db=self.path("tpq.db")), [("a",)])


class Streams(Case):
    def test_the_thread_of_work_is_its_stream_where_none_is_stated(self):
        work = lambda thread, **args: {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": thread, "ts": 1,
                                       "dur": 1, "args": args}
        self.write("t.json", {"traceEvents": [work(7), work("8"), work(9, stream=3), work("stream 4"),
                                              work(5, stream="odd")]})
        self.tpq("ingest", "-q", "t.json")
        self.assertEqual([row[0] for row in self.rows("SELECT stream FROM gpu_event ORDER BY uid")],
                         [7, 8, 3, None, None])


if __name__ == "__main__":
    main()
