"""tpq ingest: inputs that are strange, hostile or huge. What can be used is used and the rest is
counted; memory stays bounded whatever the size."""

import gzip
import json
import os
import unittest

from support import Case, plain, slice_event, trace_of

MEMORY_MAX = 64 << 20
HEAD = b'{"traceEvents":['
FIRST = json.dumps(slice_event("first", 0, 1)).encode()
TAIL = b"]}"


class Odd(Case):
    def ingest_events(self, *texts, metadata=None):
        """Takes in traces of one plain event and one that is given as raw JSON, and gives their numbers."""
        metadata = metadata or [{}] * len(texts)
        files = [f"{number}.json" for number in range(len(texts))]
        for name, text, more in zip(files, texts, metadata):
            head = json.dumps(more)[:-1].encode() + b"," if more else b"{"
            self.write(name, head + HEAD[1:] + FIRST + b"," + text.encode() + TAIL)
        self.tpq("ingest", "--replace", "--run", "r", *files)
        self.check()
        found = {os.path.basename(path): trace for path, trace in self.rows("SELECT path, id FROM trace")}
        self.assertEqual(sorted(found), sorted(files))
        return [found[name] for name in files]

    def slice(self, more="", ts=5, dur=2):
        return ('{"ph":"X","cat":"cpu_op","name":"odd","pid":1,"tid":1,'
                f'"ts":{ts},"dur":{dur}{"," if more else ""}{more}}}')

    def ingest_slice(self, more):
        self.ingest_events(self.slice(more))

    def odd(self, column, trace=1):
        return self.value(f"SELECT {column} FROM event LEFT JOIN args ON args.id = args_id "
                          "WHERE name_id = (SELECT id FROM string WHERE text = 'odd') AND trace_id = ?", trace)

    def notes_of(self, trace):
        return dict(self.rows("SELECT kind, sum(count) FROM ingest_note WHERE trace_id = ? GROUP BY kind", trace))


class Fronts(Odd):
    def test_white_space_before_the_first_bracket(self):
        """A line end and a bracket are also the first bytes of a Perfetto trace."""
        events = b"[" + FIRST + b"," + FIRST.replace(b"first", b"second") + b"]"
        long = b'[\n{"long":"' + b"x" * 200 + b'"},\n' + events[1:]
        object_of = b'{"traceEvents":%s,"schemaVersion":1}'
        fronts = (b"\n", b"\n\n\n", b"\r\n", b"\n \t", b" ", b"\xef\xbb\xbf\n", b"\n" * 4095, b"\n" * 4096, b"\xef\xbb\xbf" + b"\n" * 9000, b" \n" * 50000)
        files = []
        for number, (front, body) in enumerate((front, body) for front in fronts for body in (
                events, long, object_of % events, b"{\n  " + (object_of % long)[1:], b'{"\\u0041": 1, ' + (object_of % events)[1:])):
            content = front + body
            files.append(self.write(f"{number}.json", content) if number % 2 else self.write(f"{number}.json.gz", gzip.compress(content)))
        self.tpq("ingest", "--run", "r", *files)
        self.assertEqual([("kineto", 2, len(files))], self.rows("SELECT format, event_count, count(*) FROM trace JOIN (SELECT trace_id, count(*) AS event_count"
                                                                " FROM event GROUP BY trace_id) ON trace_id = id GROUP BY 1, 2"))
        self.write("bad.json", b"\n" * 5000 + b'{"traceEvents":[' + FIRST + b"}")
        self.assertRegex(self.tpq("ingest", "bad.json", status=3).err, "at byte %d" % (5000 + len(HEAD + FIRST)))


class Values(Odd):
    def test_keys_that_come_twice(self):
        cases = (('"args":{"a":1,"b":2,"a":3}', '{"a":3,"b":2}'),
                 ('"args":{"a":{"x":1,"x":2}}', '{"a":{"x":2}}'),
                 ('"args":{"stream":"a","stream":"b"}', '{"stream":"b"}'),
                 ('"args":{"a":1},"args":{"b":2}', '{"b":2}'),
                 ('"dur":9', None))
        traces = self.ingest_events(*(self.slice(more) for more, _ in cases))
        for trace, (more, args) in zip(traces, cases):
            self.assertEqual(self.odd("json", trace), args)
            self.assertEqual(self.notes_of(trace), {"duplicate_key": 1}, more)
        self.assertEqual(self.odd("dur_ns", traces[-1]), 9000)

    def test_two_event_lists(self):
        self.write("x.json", b'{"traceEvents":[' + FIRST + b'],"traceEvents":[' + FIRST + b"]}")
        self.tpq("ingest", "x.json")
        self.assertEqual(self.value("SELECT count(*) FROM event"), 1)
        self.assertEqual(self.notes(), {"duplicate_key": 1})
        self.check()

    def test_numbers_that_are_none(self):
        words = ("NaN", "Infinity", "-Infinity", "nan", "inf")
        *traces, dur, ts = self.ingest_events(
            *(self.slice(f'"args":{{"a":{word},"b":[1,{word}]}}') for word in words),
            self.slice(dur="NaN"), self.slice(ts="NaN"))
        for trace, word in zip(traces, words):
            self.assertEqual(self.odd("json", trace), '{"a":null,"b":[1,null]}', word)
            self.assertEqual(self.notes_of(trace), {"not_finite": 2}, word)
        self.assertEqual(self.odd("dur_ns", dur), 0)
        self.assertEqual(self.notes_of(dur), {"not_finite": 1})
        self.assertEqual(self.notes_of(ts), {"time_missing": 1})

    def test_long_numbers(self):
        digits = "1234567890" * 2 + "12345"
        self.ingest_slice(f'"args":{{"a":{digits},"b":0.{digits},"c":1e400}}')
        self.assertEqual(self.odd("json"), f'{{"a":{digits},"b":0.{digits},"c":1e400}}')
        self.ingest_slice(f'"args":{{"correlation":{digits},"stream":{digits},"Bytes":{digits}}}')
        self.assertEqual(self.value("SELECT count(*) FROM event"), 2)
        self.ingest_slice(f'"pid":{digits},"tid":-{digits}')
        self.assertEqual(self.rows("SELECT process, thread FROM track WHERE id = (SELECT track_id "
                                   "FROM event WHERE uid = 1)"), [(digits, "-" + digits)])
        self.assertEqual(self.notes(), {"duplicate_key": 2})

    def test_streams_and_devices_in_other_words(self):
        """What is whole is a number however it is written; the rest stays as it is."""
        cases = (('"7"', 7, None), ("7.0", 7, None), ('"7.00"', 7, None),
                 ("-1.0", -1, None), ("7.5", None, "7.5"), ('"a"', None, '"a"'),
                 ('".0"', None, '".0"'), ('""', None, '""'), ("[7]", None, "[7]"),
                 ("1e2", None, "1e2"), ('"7.0 "', None, '"7.0 "'))
        traces = self.ingest_events(*(
            '{"ph":"X","cat":"kernel","name":"odd","pid":0,"tid":3,"ts":5,"dur":2,'
            f'"args":{{"device":"1","stream":{stream}}}}}' for stream, _, _ in cases))
        for trace, (stream, number, left) in zip(traces, cases):
            self.assertEqual(self.rows("SELECT stream, device FROM gpu_event WHERE trace_id = ?", trace),
                             [(number, 1)], stream)
            self.assertEqual(self.odd("json", trace), f'{{"stream":{left}}}' if left else None)

    def test_durations(self):
        cases = ((-1, 0, "duration_negative"), ("-1e99", 0, "duration_negative"),
                 ("1e99", None, "duration_clipped"), ('"5"', 5000, None),
                 ('"5 us"', 0, "duration_missing"),
                 ("null", 0, "duration_missing"), ("0", 0, "duration_zero"),
                 ("9" * 25, None, "duration_clipped"), ("-0", 0, "duration_zero"),
                 ("0.0004", 0, "duration_zero"), ("0.0005", 1, None),
                 ("1.0015", 1002, None), ("1e3", 1000000, None))
        traces = self.ingest_events(*(self.slice(dur=dur) for dur, _, _ in cases))
        for trace, (dur, stored, note) in zip(traces, cases):
            if stored is not None:
                self.assertEqual(self.odd("dur_ns", trace), stored, dur)
            self.assertEqual(self.notes_of(trace), {note: 1} if note else {}, dur)

    def test_memory_of_more_than_63_bits(self):
        blocks = [{"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": 1, "ts": ts, "s": "t",
                   "args": {"Bytes": 1 << 62, "Total Allocated": 1 << 62, "Device Type": 1, "Device Id": 0}} for ts in range(3)]
        self.write("m.json", json.dumps(trace_of(slice_event("first", 0, 1), *blocks)))
        peaks = json.loads(self.tpq("report", "-q", "m.json", "memory_peak", "--json").out)["memory_peak"]
        self.assertEqual([(peak["peak_allocated_bytes"], peak["allocated_sum_bytes"]) for peak in peaks], [(1 << 62, (1 << 63) - 1)])

    def test_times(self):
        out = (("1e30", "time_out_of_range"), ("-1e30", "time_out_of_range"),
               ("9" * 25, "time_out_of_range"), ("9223372036854775808", "time_out_of_range"),
               ('"5 us"', "time_missing"), ("null", "time_missing"), ("[]", "time_missing"),
               ("true", "time_missing"))
        kept = (("-5", 0), ("1750000000000000.123", 1750000000000000123),
                ("4602678819172646.912", 4602678819172646912), ("1e-3", 1))
        traces = self.ingest_events(*(self.slice(ts=ts) for ts, _ in out),
                                    *(self.slice(ts=ts, dur=0.5) for ts, _ in kept))
        for trace, (ts, note) in zip(traces, out):
            self.assertEqual(self.notes_of(trace), {note: 1}, ts)
            self.assertEqual(self.value("SELECT count(*) FROM event WHERE trace_id = ?", trace), 1)
        for trace, (ts, stored) in zip(traces[len(out):], kept):
            self.assertEqual(self.odd("ts_ns", trace), stored, ts)
            self.assertEqual(self.notes_of(trace), {})

    def test_phases_and_elements_of_any_kind(self):
        texts = ("17", "null", '"text"', "[1,2]", "{}", '{"ph":5}', '{"ph":"XX","ts":1}',
                 '{"ph":["X"],"ts":1,"dur":1}', '{"args":[]}', '{"ph":"","dur":1}')
        for trace, text in zip(self.ingest_events(*texts), texts):
            self.assertEqual(self.value("SELECT element_count FROM trace WHERE id = ?", trace), 2, text)
            self.assertTrue(self.notes_of(trace), text)

    def test_texts_with_any_bytes(self):
        cases = ((r"a\u0000b", "a\ufffdb"), (r"\ud800x", "\ufffdx"),
                 (r"\ud83d\ude00", "\U0001f600"), (r"\q\/\u00e9", "q/é"),
                 ("tab\there", "tab\there"))
        traces = self.ingest_events(*(f'{{"ph":"X","name":"{raw}","ts":1,"dur":1}}' for raw, _ in cases))
        for trace, (_, text) in zip(traces, cases):
            self.assertEqual(self.value("SELECT text FROM event JOIN string ON string.id = name_id "
                                        "WHERE uid = 1 AND trace_id = ?", trace), text)
        self.write("x.json", HEAD + b'{"ph":"X","name":"a\xff\xc3b","ts":1,"dur":1}' + TAIL)
        self.tpq("ingest", "--run", "bytes", "x.json")
        self.assertEqual(self.rows("SELECT count FROM ingest_note WHERE kind = 'invalid_utf8'"),
                         [(2,)])
        self.check()

    def test_metadata_of_any_kind(self):
        metadata = ({"distributedInfo": 5}, {"distributedInfo": {"rank": {}}},
                    {"deviceProperties": {"id": 0}}, {"deviceProperties": [1, [], {}]},
                    {"deviceProperties": [{"id": "x", "name": 5, "computeMajor": []}]},
                    {"baseTimeNanoseconds": "soon"}, {"trace_id": None}, {"": 1})
        self.ingest_events(*[FIRST.decode()] * len(metadata), metadata=metadata)


class Launches(Odd):
    def ingest_launches(self, names, arrows=()):
        """Calls and kernels that all have the same id."""
        ids = {"correlation": 7}
        calls = [slice_event(name, 10 * i, 5, "cuda_runtime", args=ids)
                 for i, name in enumerate(names)]
        kernels = [slice_event("k", 1000 + i, 1, "kernel", process=0, thread=7,
                               args={**ids, "device": 0, "stream": 7}) for i in range(len(names))]
        self.write("x.json", trace_of(*calls, *kernels, *arrows))
        self.tpq("ingest", "x.json")
        self.check()

    def owners(self):
        return self.rows("SELECT e.uid, count(*) FROM gpu_event AS g JOIN event AS e "
                         "ON e.id = g.call_id GROUP BY e.uid")

    def test_many_calls_with_one_id(self):
        """The last one has all the work, which is looked at and counted once."""
        self.ingest_launches(["cudaLaunchKernel"] * 50)
        self.assertEqual(self.owners(), [(49, 50)])
        self.assertEqual(self.notes()["launch_by_correlation"], 50)

    def test_many_graph_launches_with_one_id(self):
        arrows = [{"ph": phase, "cat": "ac2g", "name": "ac2g", "id": 7, "ts": ts, "pid": process,
                   "tid": thread} for phase, ts, process, thread in
                  (("s", 0, 1, 1), ("f", 1000, 0, 7))]
        names = ["cudaGraphLaunch", "cuGraphLaunch"] * 20
        self.ingest_launches([*names, "cudaLaunchKernel"], arrows)
        self.assertEqual(self.owners(), [(39, 40), (40, 1)])
        self.assertEqual(self.notes()["graph_link_fallback"], 20)


@plain("what so much runs into is met there with small windows, by unit tests")
class Large(Odd):
    """Inputs of some hundred megabytes, which as gzip are a few kilobytes: members that repeat."""

    def packed(self, *pieces):
        """A gzip of pieces of (bytes, how often)."""
        self.write("x.json.gz", b"".join(gzip.compress(piece, 1, mtime=0) * times
                                         for piece, times in pieces))

    def bounded(self, *options, status=0):
        memory, text = self.peak_memory("ingest", "-j", "1", *options, "x.json.gz", status=status)
        self.assertLess(memory, MEMORY_MAX, text)
        return text

    def refused(self, reason):
        before = self.snapshot()
        text = self.bounded(status=3)
        self.assertRegex(text, rf"(?m)^tpq: x\.json\.gz: .*{reason}")
        self.assertEqual(self.snapshot(), before)

    def test_300_megabytes_of_zeros(self):
        zeros = (bytes(10 << 20), 30)
        self.packed(zeros)
        self.refused("not a trace")
        self.packed((HEAD, 1), zeros)
        self.refused(r"byte \d+")
        self.packed((HEAD + FIRST + TAIL, 1), zeros)
        self.refused(r"something follows .* byte \d+")

    def test_300_megabytes_of_blanks(self):
        blanks = (b" \n\t\r" * (5 << 19), 30)
        self.packed(blanks)
        self.refused("not a trace")
        self.packed((HEAD, 1), blanks, (FIRST, 1), blanks, (TAIL, 1))
        self.bounded()
        self.assertEqual(self.value("SELECT content_bytes FROM trace"),
                         len(HEAD + FIRST + TAIL) + 2 * 300 * (1 << 20))

    def long(self, before, piece, after, kept=True):
        """An event with 100 MB somewhere in it."""
        self.packed((HEAD + FIRST + b"," + before, 1), (piece * ((10 << 20) // len(piece)), 10),
                    (after + TAIL, 1))
        text = self.bounded("--replace")
        self.assertIn("value_cut", text)
        self.assertEqual(self.notes(), {"value_cut": 1})
        self.assertEqual(self.value("SELECT count(*) FROM event"), 2)
        self.assertLess(len(self.value("SELECT max(text) FROM string")), 100000)
        self.check()

    def test_texts_of_100_megabytes(self):
        event = b'{"ph":"X","ts":1,"dur":2,"cat":"cpu_op","args":{},"name":"odd"}'
        self.long(event[:-2], b"x", event[-2:])
        self.long(event[:-2], "\N{GRINNING FACE}".encode(), event[-2:])
        at = event.index(b"{}") + 1
        self.long(event[:at] + b'"a":"', b"\\n", b'"' + event[at:])
        self.assertLess(len(self.odd("json")), 200000)
        self.long(event[:at] + b'"Input Dims":"', b"x", b'"' + event[at:])

    def test_a_name_of_100_megabytes_as_metadata(self):
        self.packed((b'{"trace_id":"', 1), (b"x" * (10 << 20), 10),
                    (b'","traceEvents":[' + FIRST + TAIL, 1))
        self.bounded("--keep-metadata")
        self.assertEqual(self.notes(), {"value_cut": 1})
        self.assertLess(self.value("SELECT length(metadata) FROM trace"), 100000)

    def test_a_key_of_100_megabytes(self):
        event = b'{"ph":"X","ts":1,"dur":2,"name":"odd","'
        for before, after in ((event, b'":1}'), (event + b'args":{"', b'":1}}')):
            self.long(before, b"k", after)
        self.packed((b'{"', 1), (b"k" * (10 << 20), 10),
                    (b'":1,"traceEvents":[' + FIRST + TAIL, 1))
        self.bounded("--keep-metadata", "--run", "metadata", "--db", "m.db")
        self.assertEqual(self.notes(self.path("m.db")), {"value_cut": 1})

    def test_lists_and_numbers_of_100_megabytes(self):
        event = b'{"ph":"X","ts":1,"dur":2,"cat":"cpu_op","name":"odd","args":{"a":'
        self.long(event + b"[0", b",1", b"]}}")
        self.assertEqual(self.odd("json"), '{"a":null}')
        self.long(event, b"7", b"}}")
        self.assertEqual(self.odd("json"), '{"a":null}')

    def test_an_element_of_100_megabytes(self):
        self.packed((HEAD + FIRST + b",[0", 1), (b",1" * (5 << 20), 10), (b"]" + TAIL, 1))
        self.bounded()
        self.assertEqual(self.notes(), {"not_an_object": 1})

    def test_100000_keys_in_one_event(self):
        keys = ",".join(f'"k{i % 50000}":{i}' for i in range(100000))
        self.ingest_slice(keys)
        self.assertIsNone(self.odd("json"))
        self.ingest_slice(f'"args":{{{keys}}}')
        self.assertEqual(len(json.loads(self.odd("json"))), 50000)
        self.assertEqual(json.loads(self.odd("json"))["k7"], 50007)
        self.assertEqual(self.notes(), {"duplicate_key": 50000})

    def test_memory_goes_with_the_events_and_not_with_the_bytes(self):
        event = json.dumps(slice_event("a", 1, 1, args={"text": "x" * 100000})).encode()
        self.packed((HEAD + FIRST, 1), (b"," + event, 2000), (TAIL, 1))
        self.bounded()
        self.assertGreater(self.value("SELECT content_bytes FROM trace"), 200 * 1000 * 1000)


class Depth(Odd):
    """Brackets in brackets."""

    DEPTH = 1000000

    def refused(self, content):
        self.write("x.json", content)
        for options in ([], ["--salvage"]):
            result = self.tpq("ingest", *options, "x.json", status=3)
            self.one_line(result, r"^tpq: x\.json: .* at byte \d+$")

    def test_brackets_that_never_close(self):
        for bracket in (b"[", b'{"a":', b'[{"a":'):
            self.refused(bracket * self.DEPTH)
            self.refused(HEAD + bracket * self.DEPTH)
            self.refused(b'{"a":' + bracket * self.DEPTH)
            self.refused(HEAD + b'{"ph":"X","ts":1,"dur":1,"args":{"a":' + bracket * self.DEPTH)

    def test_brackets_that_do(self):
        bomb = b"[" * self.DEPTH + b"]" * self.DEPTH
        self.refused(bomb)
        self.refused(HEAD + bomb + TAIL)
        self.refused(b'{"a":' + bomb + b',"traceEvents":[]}')
        self.refused(HEAD + b'{"ph":"X","ts":1,"dur":1,"args":{"a":' + bomb + b"}}" + TAIL)
        self.refused(HEAD + b'{"ph":"X","ts":1,"dur":1,"args":' + b'{"a":' * self.DEPTH + b"1" +
                     b"}" * self.DEPTH + b"}" + TAIL)

    def test_what_is_deep_but_sane(self):
        for depth in (1, 50, 500):
            self.ingest_slice('"args":{"a":' + "[" * depth + "]" * depth + "}")
            self.assertEqual(self.odd("json"), '{"a":' + "[" * depth + "]" * depth + "}")

    def test_brackets_in_texts_do_not_count(self):
        self.ingest_slice('"args":{"a":"' + "[" * 100000 + '"}')
        self.assertEqual(self.notes(), {})

    def test_events_inside_of_each_other(self):
        events = [slice_event("deep", i, 200000 - 2 * i) for i in range(100000)]
        self.write("x.json", trace_of(*events))
        self.tpq("ingest", "x.json")
        self.assertEqual(self.value("SELECT max(below) FROM event"), 99999)
        self.check()
        out = self.tpq("tree", "--trace", 1, "--depth", 3).out
        self.assertEqual(len(out.splitlines()), 2 + 4)


if __name__ == "__main__":
    unittest.main()
