"""tpq ingest: what its options do, and what it prints."""

import json
import os
import pty
import re
import select
import termios

from support import Case, PATIENCE, TPQ, main, slice_event, slices_in, trace_of


def event_of(name, **metadata):
    return trace_of(slice_event(name, 0, 1), **metadata)


class Labels(Case):
    def labels(self):
        return json.loads(self.value("SELECT labels FROM run"))

    def test_several(self):
        self.write("a.json", event_of("a"))
        self.tpq("ingest", "--label", "gpu=H100", "--label=commit=a=b", "--label", "empty=",
                 "a.json")
        self.assertEqual(self.labels(), {"gpu": "H100", "commit": "a=b", "empty": ""})

    def test_later_ones_are_put_over_earlier_ones(self):
        self.write("a.json", event_of("a"))
        self.write("b.json", event_of("b"))
        self.tpq("ingest", "--run", "r", "--label", "x=1", "--label", "y=1", "a.json")
        self.tpq("ingest", "--run", "r", "--label", "x=2", "--label", "z=3", "b.json")
        self.assertEqual(self.labels(), {"x": "2", "y": "1", "z": "3"})

    def test_any_character(self):
        self.write("a.json", event_of("a"))
        odd = {"a.b": "1", "a b": '"', "größe": "\\", "[0]": "'; DROP TABLE run; --", "$": "{}",
               "C:\\tmp": "1", 'a"b': "2", "a\tb": "3"}
        options = [word for key, value in odd.items() for word in ("--label", f"{key}={value}")]
        for _ in range(2):  # to put them over themselves changes nothing
            self.tpq("ingest", *options, "a.json")
            self.assertEqual(self.labels(), odd)

    def test_what_is_not_utf8_is_replaced(self):
        self.write("a.json", event_of("a"))
        self.tpq("ingest", "--label", b"k\xff=\xfe".decode(errors="surrogateescape"), "a.json")
        self.assertEqual(self.labels(), {"k\ufffd": "\ufffd"})

    def test_what_is_no_label_is_refused(self):
        self.write("a.json", event_of("a"))
        for label in ("gpu", "=H100", ""):
            self.one_line(self.tpq("ingest", "--label", label, "a.json", status=2),
                          f"--label '{label}' is not KEY=VALUE")
        self.assertFalse(os.path.exists(self.db))


class Ranks(Case):
    def rank_of(self, name, *options, content=None):
        self.write(name, content or event_of(name))
        self.tpq("ingest", "--run", name, *options, name)
        return self.value("SELECT rank FROM trace ORDER BY id DESC LIMIT 1")

    def test_from_the_name_of_the_file(self):
        for name, rank in {"rank3.json": 3, "a_rank-12_b.json.gz": 12, "rank_007.json": 7,
                           "x.rank[5].json": 5, "train.json": None, "rank.json": None}.items():
            self.assertEqual(self.rank_of(name), rank, name)

    def test_from_a_directory(self):
        self.assertEqual(self.rank_of("rank4/trace.json"), 4)
        self.assertEqual(self.rank_of("rank4/rank5.json"), 5)

    def test_from_the_file_itself(self):
        stated = event_of("a", distributedInfo={"rank": 6, "world_size": 8})
        self.assertEqual(self.rank_of("a.json", content=stated), 6)
        self.assertEqual(self.value("SELECT world_size FROM trace"), 8)

    def test_the_file_itself_is_believed_and_the_difference_is_noted(self):
        stated = event_of("a", distributedInfo={"rank": 6})
        self.assertEqual(self.rank_of("rank2.json", content=stated), 6)
        self.assertEqual(self.notes(), {"rank_disagrees": 1})

    def test_a_pattern_is_believed_before_the_file(self):
        stated = event_of("a", distributedInfo={"rank": 6})
        self.assertEqual(self.rank_of("w2.json", "--rank-pattern", "w", content=stated), 2)

    def test_patterns(self):
        for name, pattern, rank in (("node3_gpu1.json", r"node(\d+)", 3),
                                    ("node3_gpu2.json", "gpu", 2),
                                    ("n1-g4.json", r"n(\d+)-g(?<rank>\d+)", 4),
                                    ("other.json", "gpu", None)):
            self.assertEqual(self.rank_of(name, "--rank-pattern", pattern), rank, name)

    def test_a_pattern_that_is_none(self):
        self.write("a.json", event_of("a"))
        self.one_line(self.tpq("ingest", "--rank-pattern", "(", "a.json", status=2),
                      r"rank pattern '\(': .* character 2")
        self.assertFalse(os.path.exists(self.db))

    def test_ranks_that_are_no_numbers_are_none(self):
        for number, rank in enumerate((-1, "3", 2.5, None, [1])):
            stated = event_of(f"{number}", distributedInfo={"rank": rank})
            self.assertIsNone(self.rank_of(f"{number}.json", content=stated))


class Jobs(Case):
    def test_any_number_of_threads_gives_the_same_warehouse(self):
        for rank in range(5):
            self.make_trace(f"t/rank{rank}.json{'.gz' if rank % 2 else ''}", "--rank", rank,
                            "--seed", rank, "--layers", 2 + rank)
        self.write("t/broken.json", b'{"traceEvents": [{"ph": "X"')
        self.write("t/foreign.json", {"a": 1})
        dumps, outputs = [], []
        for jobs in ("1", "4", "16", None):
            db = self.path(f"{jobs}.db")
            result = self.tpq("ingest", "t", "--db", db, *(["-j", jobs] if jobs else []), status=3)
            dumps.append(self.dump(db))
            outputs.append(re.sub(r"[\d.]+ s\b.*", "", result.out) + result.err)
            self.check(db)
        for dump, output in zip(dumps[1:], outputs[1:]):
            self.assertEqual(dump, dumps[0])
            self.assertEqual(output, outputs[0])

    def test_one_compressed_file_is_read_by_two_threads(self):
        self.make_trace("a.json.gz", "--steps", 3)
        for jobs in (1, 2):
            self.tpq("ingest", "a.json.gz", "--db", f"{jobs}.db", "-j", jobs)
        self.assertEqual(self.dump(self.path("1.db")), self.dump(self.path("2.db")))

    def test_numbers_that_make_no_sense(self):
        self.write("a.json", event_of("a"))
        for jobs in ("0", "-1", "257", "many", "", "1.5"):
            self.one_line(self.tpq("ingest", f"--jobs={jobs}", "a.json", status=2),
                          f"--jobs must be a whole number from 1 to 256, not '{jobs}'")


class Replace(Case):
    def test_the_same_path_with_other_content(self):
        self.write("a.json", event_of("old"))
        self.tpq("ingest", "--run", "r", "a.json")
        self.write("b.json", event_of("beside"))
        self.tpq("ingest", "--run", "r", "b.json")
        self.write("a.json", event_of("new"))
        self.tpq("ingest", "--run", "r", "--replace", "a.json")
        self.assertEqual(
            self.rows("SELECT text FROM event JOIN string ON string.id = name_id ORDER BY event.id"),
            [("beside",), ("new",)])
        self.check()

    def test_without_it_both_stay(self):
        self.write("a.json", event_of("old"))
        self.tpq("ingest", "a.json")
        self.write("a.json", event_of("new"))
        self.tpq("ingest", "a.json")
        self.assertEqual(self.value("SELECT count(*) FROM trace"), 2)

    def test_the_same_content_is_read_again(self):
        self.make_trace("a.json")
        self.tpq("ingest", "a.json")
        frames = self.value("SELECT count(*) FROM event")
        self.tpq("ingest", "--replace", "--no-python", "a.json")
        self.assertEqual(self.rows("SELECT count(*), frames FROM trace"), [(1, 0)])
        self.assertLess(self.value("SELECT count(*) FROM event"), frames)
        self.check()

    def test_other_runs_are_left_alone(self):
        self.make_trace("a.json")
        self.tpq("ingest", "--run", "other", "a.json")
        before = self.rows("SELECT * FROM event WHERE trace_id = 1")
        for _ in range(2):
            self.tpq("ingest", "--run", "r", "--replace", "a.json")
        self.assertEqual(self.rows("SELECT * FROM event WHERE trace_id = 1"), before)
        self.assertEqual(self.value("SELECT count(*) FROM trace"), 2)
        self.check()

    def test_a_bad_input_replaces_nothing(self):
        self.write("a.json", event_of("old"))
        self.tpq("ingest", "a.json")
        self.write("a.json", b'{"traceEvents": [{"ph": "X", "na')
        before = self.snapshot()
        self.tpq("ingest", "--replace", "a.json", status=3)
        self.assertEqual(self.snapshot(), before)


class Tree(Case):
    def test_frames_are_left_out_and_counted(self):
        self.make_trace("a.json")
        self.tpq("ingest", "--run", "with", "a.json")
        self.tpq("ingest", "--run", "without", "--no-python", "a.json")
        frames = self.value("SELECT count(*) FROM event JOIN category ON category.id = category_id "
                            "WHERE role = 'frame' AND trace_id = 1")
        self.assertGreater(frames, 0)
        self.assertEqual(self.value("SELECT sum(count) FROM ingest_note "
                                    "WHERE trace_id = 2 AND kind = 'frame_left_out'"), frames)
        counts = self.rows("SELECT count(*) FROM event GROUP BY trace_id")
        self.assertEqual(counts[0][0] - frames, counts[1][0])
        ops = ("SELECT uid, launcher.uid FROM gpu_event LEFT JOIN (SELECT id AS op, uid FROM event) "
               "AS launcher ON op = launcher_id WHERE trace_id = ? ORDER BY 1")
        self.assertEqual(self.rows(ops.replace("uid,", "gpu_event.uid,", 1), 1),
                         self.rows(ops.replace("uid,", "gpu_event.uid,", 1), 2))

    def test_orders(self):
        self.write("a.json", trace_of(slice_event("short", 0, 5), slice_event("long", 0, 10)))
        for order in ("default", "reference"):
            self.tpq("ingest", "--run", order, "--tree", order, "a.json")
        parents = ("SELECT text FROM event JOIN string ON string.id = name_id "
                   "WHERE trace_id = ? AND up IS NOT NULL")
        self.assertEqual(self.rows(parents, 1), [("short",)])
        self.assertEqual(self.rows(parents, 2), [])
        self.assertEqual(self.rows("SELECT tree FROM trace ORDER BY id"),
                         [("default",), ("reference",)])
        self.one_line(self.tpq("ingest", "--tree", "oak", "a.json", status=2),
                      "--tree cannot be 'oak'; it is one of: default reference")


class Metadata(Case):
    SECRET = "hunter2-credential"

    def database_holds(self, text):
        with open(self.db, "rb") as file:
            return text.encode() in file.read()

    def trace(self):
        return trace_of(slice_event("a", 0, 1), schemaVersion=1, env={"TOKEN": self.SECRET},
                        **{self.SECRET + "-key": 1, "args": [self.SECRET]})

    def test_what_may_hold_credentials_is_not_stored(self):
        self.write("a.json", self.trace())
        out = self.tpq("ingest", "a.json", "--json").out
        self.assertFalse(self.database_holds(self.SECRET))
        self.assertEqual(json.loads(self.value("SELECT metadata FROM trace")),
                         {"schemaVersion": 1})
        self.assertEqual(self.notes(), {"metadata_left_out": 3})
        self.assertEqual(json.loads(out)["notes"], {"metadata_left_out": 3})

    def test_made_traces_have_a_secret_that_stays_out(self):
        self.make_trace("a.json")
        self.tpq("ingest", "a.json")
        self.assertFalse(self.database_holds("not to be kept"))
        self.assertEqual(json.loads(self.value("SELECT metadata FROM trace"))["record_shapes"], 1)

    def test_all_of_it_is_stored_on_demand(self):
        self.write("a.json", self.trace())
        self.tpq("ingest", "--keep-metadata", "a.json")
        stored = json.loads(self.value("SELECT metadata FROM trace"))
        self.assertEqual(stored["env"], {"TOKEN": self.SECRET})
        self.assertEqual(self.notes(), {})


class Names(Case):
    def test_names_that_are_not_utf8_are_kept_readable(self):
        odd = os.path.join(os.fsencode(os.path.dirname(self.make_trace("a.json"))), b"\xff\xc3.json")
        os.rename(os.path.join(os.path.dirname(odd), b"a.json"), odd)
        self.tpq("ingest", os.fsdecode(odd))
        self.assertEqual(self.value("SELECT name FROM run"), "\ufffd\ufffd")
        self.assertTrue(self.value("SELECT path FROM trace").endswith("/\ufffd\ufffd.json"))


class Output(Case):
    def test_the_summary(self):
        path = self.make_trace("a.json")
        with open(path, "rb") as file:
            content = file.read()
        result = self.tpq("ingest", "a.json")
        self.assertEqual(result.err, "")
        ops, kernels, gpu, memory = (
            self.value("SELECT count(*) FROM event WHERE category_id = (SELECT id FROM category "
                       "WHERE name = 'cpu_op')"),
            self.value("SELECT count(*) FROM gpu_event WHERE category_id = (SELECT id FROM "
                       "category WHERE name = 'kernel')"),
            self.value("SELECT count(*) FROM gpu_event"),
            self.value("SELECT count(*) FROM memory_event"))
        self.assertRegex(
            result.out,
            rf"\Aa\.json: trace 1, {slices_in(content)} events, 0\.1 MB in \d+\.\d\d s\n"
            rf"run a: 1 stored\n"
            rf"  {slices_in(content)} events: {ops} ops, {kernels} kernels, "
            rf"{gpu - kernels} other GPU activit(ies|y); "
            rf"{memory} memory records\n"
            rf"  0\.1 MB in \d+\.\d\d s, \d+ MB/s\n"
            rf"  notes: 1 gpu_without_launch \(-v explains them\)\n\Z")

    def test_large_numbers_are_grouped_and_one_is_singular(self):
        self.write("many.json", trace_of(*(slice_event("a", i, 1) for i in range(1234))))
        self.assertIn("  1,234 events: 1,234 ops, 0 kernels, 0 other GPU activities; 0 memory records",
                      self.tpq("ingest", "many.json").out)
        self.write("one.json", trace_of(slice_event("b", 0, 1)))
        self.assertIn("  1 event: 1 op, 0 kernels", self.tpq("ingest", "one.json").out)

    def test_quiet_prints_failures_only(self):
        self.make_trace("a.json")
        result = self.tpq("ingest", "-q", "a.json")
        self.assertEqual(result.out + result.err, "")
        self.write("bad.json", b"{")
        result = self.tpq("ingest", "--quiet", "a.json", "bad.json", status=3)
        self.assertEqual(result.out, "")
        self.one_line(result, "bad.json")

    def test_every_kind_of_note_that_is_stored_is_printed(self):
        self.write("a.json", trace_of(
            {"ph": "C", "name": "counter", "ts": 1}, {"ph": "P", "name": "sample", "ts": 1}, 17,
            slice_event("a", 0, 0), slice_event("b", 1, -1), {"name": "no phase"}, env={}))
        out = self.tpq("ingest", "-v", "a.json", "--run", "b").out
        explained = {kind: int(count) for count, kind in
                     re.findall(r"(?m)^  (?:notes:|      ) ([\d,]+) (\w+) - \S.*$", out)}
        self.assertEqual(explained, self.notes())
        (line,) = re.findall(r"(?m)^  notes: (.*) \(-v explains them\)$",
                             self.tpq("ingest", "a.json", "--run", "a", "--replace", "--db", "c.db").out)
        printed = {note.split()[1]: int(note.split()[0]) for note in line.split(", ")}
        usual = {"phase_unused": 2, "metadata_left_out": 1}  # kept, but nobody can act on them
        self.assertEqual({**printed, **usual}, self.notes())
        self.assertEqual(set(printed), {"not_an_object", "duration_zero", "duration_negative",
                                        "phase_missing"})
        self.assertEqual(
            self.rows("SELECT detail, count FROM ingest_note WHERE kind = 'phase_unused'"),
            [("event of a phase that is not used: C", 1),
             ("event of a phase that is not used: P", 1)])

    def test_notes_point_at_their_first_example(self):
        content = json.dumps(trace_of(slice_event("fine", 0, 1), slice_event("bad", 1, -1)))
        self.write("a.json", content)
        self.tpq("ingest", "a.json")
        uid, offset = self.rows("SELECT example_uid, example_offset FROM ingest_note")[0]
        self.assertEqual(uid, 1)
        self.assertEqual(json.JSONDecoder().raw_decode(content[offset:])[0]["name"], "bad")

    def test_notes_of_arrows_point_at_one(self):
        def arrow(phase, category, ts):
            return {"ph": phase, "cat": category, "name": category, "id": ts, "ts": ts, "pid": 1,
                    "tid": 1}
        self.write("a.json", trace_of(slice_event("a", 0, 1), arrow("s", "ac2g", 1),
                                      arrow("s", "ac2g", 2), arrow("f", "fwdbwd", 3)))
        out = self.tpq("ingest", "a.json").out
        self.assertNotIn("flow_half", out)  # is kept, but nobody can act on it
        self.assertIn("notes: 1 flow_without_event (", out)
        self.assertEqual(self.rows("SELECT kind, count, example_uid FROM ingest_note ORDER BY kind"),
                         [("flow_half", 2, 1), ("flow_without_event", 1, 3)])

    def test_names_of_files_cannot_reach_the_terminal_raw(self):
        name = "a\x1b[31m\nb.json"
        self.write(f"t/{name}", event_of("a"))
        self.write(f"t/bad{name}", b"{")
        result = self.tpq("ingest", "t", "--run", "r\x1b]0;x\x07", status=3)
        self.assertNotIn("\x1b", result.out + result.err)
        self.assertIn("t/a\\x1b[31m\\nb.json: trace 1", result.out)
        self.one_line(result, r"t/bada\\x1b\[31m\\nb\.json")
        result = self.tpq("ingest", f"no{name}", status=3)
        self.assertNotIn("\x1b", result.out + result.err)
        self.one_line(result, r"noa\\x1b\[31m\\nb\.json: cannot be opened")

    def test_names_of_files_may_be_long(self):
        deep = "/".join(["d" * 200] * 8)
        self.write(f"{deep}/bad.json", b"{")
        self.one_line(self.tpq("ingest", f"{deep}/bad.json", status=3), "^tpq: d+/")


class Progress(Case):
    """At a terminal of any width. The trace comes through a pipe and stays away until a line of
    progress was seen."""

    def progress_lines(self, columns):
        os.mkfifo(self.path("pipe.json"))
        process, terminal = pty.fork()
        if process == 0:
            termios.tcsetwinsize(2, (24, columns))
            os.chdir(self.folder)
            os.execve(TPQ, [TPQ, "ingest", "--db", self.db, "pipe.json"], self.environment())
        shown, ended = b"", False
        with open(self.path("pipe.json"), "wb") as pipe:
            while not ended:
                if not select.select([terminal], [], [], PATIENCE)[0]:
                    raise AssertionError(f"nothing more came behind {shown!r}")
                try:
                    shown += os.read(terminal, 65536)
                except OSError:  # the program has ended
                    ended = True
                if b"\x1b[K" in shown and not pipe.closed:
                    pipe.write(json.dumps(event_of("a")).encode())
                    pipe.close()
        os.close(terminal)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), 0, shown)
        os.remove(self.path("pipe.json"))
        os.remove(self.db)
        return re.findall(r"\r([^\r\n]+)\x1b\[K", shown.decode())

    def test_a_line_is_never_wider_than_the_terminal(self):
        for columns in (0, 10, 31, 40, 80, 200):
            lines = self.progress_lines(columns)
            self.assertTrue(lines)
            for line in lines:
                self.assertLess(len(line), columns or 80, line)
                if columns == 0 or columns > 60:
                    self.assertRegex(line, r"^\[ {24}\]   0%  [01]/1 files  0 MB/s$")


if __name__ == "__main__":
    main()
