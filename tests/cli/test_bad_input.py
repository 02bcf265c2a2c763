"""tpq ingest: inputs that cannot be used. Whatever they are: status 3, one line on stderr that names
the file and the place, and nothing is changed."""

import gzip
import io
import json
import os
import re
import struct
import unittest
import zipfile
import zlib

from support import Case, made_trace, slice_event, trace_of

EVENT = slice_event("a", 1, 2)
GOOD = json.dumps(trace_of(EVENT)).encode()


class Refused(Case):
    """Every input is tried beside a warehouse that exists and where none does; the contents of a test
    together, when it ends."""

    ending = ".json"

    def setUp(self):
        super().setUp()
        self.files = []

    def prepare(self):
        self.tpq("ingest", "-q", "--run", "before", self.write("before.json", GOOD))

    def refused(self, operand, *parts, stdin=b""):
        for db in (self.db, self.path("new.db")):
            before = self.snapshot()
            result = self.tpq("ingest", "--db", db, operand, status=3, stdin=stdin)
            self.one_line(result, *parts)
            self.assertEqual(self.snapshot(), before)

    def refused_content(self, content, *parts):
        name = f"x{len(self.files)}{self.ending}"
        self.write(name, content)
        self.files.append((name, parts))

    def tearDown(self):
        for db in (self.db, self.path("new.db")) if self.files else ():
            before = self.snapshot()
            result = self.tpq("ingest", "-q", "--db", db, *(name for name, _ in self.files), status=3)
            lines = result.err.splitlines()
            self.assertEqual(len(lines), len(self.files), str(result))
            for line, (name, parts) in zip(lines, self.files):
                for part in (f"^tpq: {re.escape(name)}: ", *parts):
                    self.assertRegex(line, part)
            self.assertEqual(self.snapshot(), before)


class NoInput(Refused):
    def test_a_file_that_does_not_exist(self):
        self.refused("missing.json", r"^tpq: missing\.json: cannot be opened: No such file")

    def test_a_link_to_nowhere(self):
        os.symlink("nowhere", self.path("link.json"))
        self.refused("link.json", r"^tpq: link\.json: cannot be opened: No such file")

    @unittest.skipIf(os.geteuid() == 0, "nothing is denied to root")
    def test_a_file_that_may_not_be_read(self):
        os.chmod(self.write("secret.json", GOOD), 0)
        self.refused("secret.json", r"^tpq: secret\.json: cannot be opened: Permission denied")

    def test_a_path_below_a_file(self):
        self.refused("before.json/x.json", r"before\.json/x\.json: cannot be opened: Not a dir")

    def test_a_directory_without_traces(self):
        os.makedirs(self.path("t/sub"))
        self.write("t/readme.txt", "nothing here")
        self.refused("t", r"^tpq: t: no traces below this directory \(looked for \*\.pickle, \*\.pftrace, "
                          r"\*\.xplane\.pb, \*_results\.json, \*\.json, \*\.sqlite, \*\.db, \*\.csv, also compressed\); skipped 1 file$")

    def test_a_file_that_cannot_be_read_on(self):
        self.refused("/proc/self/mem", r"^tpq: /proc/self/mem: cannot be read: ")

    def test_standard_input_that_is_a_directory(self):
        folder = os.open(self.folder, os.O_RDONLY)
        self.addCleanup(os.close, folder)
        self.refused("-", r"^tpq: \(stdin\): cannot be read: Is a directory", stdin=folder)


class NoTrace(Refused):
    def test_an_empty_file(self):
        self.refused_content(b"", "the file is empty")
        self.refused_content(gzip.compress(b""), "the file is empty")
        self.refused("-", r"^tpq: \(stdin\): the file is empty")

    def test_white_space(self):
        self.refused_content(b" \n\t\r\n" * 3000, "not a trace")

    def test_garbage(self):
        for content in (b"\0" * 5000, b"\x7fELF\x02\x01\x01", b"hello", b"17", b"null", b'"text"',
                        bytes(range(255, 1, -1)), b"\xff\xfe{\0}\0"):
            self.refused_content(content, "not a trace: .* byte 0")

    def test_other_json(self):
        for content in ({}, {"a": 1}, {"traceEvents": {}}, {"traceEvents": None},
                        {"TraceEvents": [EVENT]}, {"traceEvents": "[]"}):
            self.refused_content(content, 'not a trace: it has no list "traceEvents"')
        for content in ([], [1, 2], ["a"], [[]], [{"a": 1}]):
            self.refused_content(content, "not a trace: the list holds no trace events")

    def test_events_of_which_none_can_be_used(self):
        for events, count, why in (
                ([{"ph": "X", "name": "a", "dur": 1}, {"ph": "X", "name": "b", "ts": None}], "2 of its 2",
                 "without a usable time"),
                ([{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "a"}},
                  {"ph": "C", "name": "a", "ts": 1}, {"ph": "C", "name": "a", "ts": 2},
                  {"ph": "X", "name": "a"}], "2 of its 4", "of a phase that is not used")):
            self.refused(self.write("a.json", {"traceEvents": events}), "nothing in it can be used",
                         count, why)

    def test_what_follows_the_end(self):
        for space, more in ((b" ", b"x"), (b"\n\n", b"{}"), (b"", b","), (b"", b"]"), (b"", GOOD),
                            (b"", b"\0")):
            self.refused_content(GOOD + space + more,
                                 f"something follows .*at byte {len(GOOD + space)}$")

    def test_structure_that_is_broken(self):
        for content, place, what in (
                (b'{"traceEvents" []}', 15, "a colon is missing"),
                (b'{"a":1 "traceEvents":[]}', 7, "a comma is missing"),
                (b'{"traceEvents":[{"ph":"X"} {"ph":"X"}]}', 27, "a comma is missing"),
                (b'{"traceEvents":[{"ph":"X",}]}', 26, "a key is missing"),
                (b'{"traceEvents":[{ph:"X"}]}', 17, "a key is missing"),
                (b'{traceEvents:[]}', 1, "a key is missing"),
                (b'{"traceEvents":[{"ph":"X","ts":oops}]}', 31, "not JSON"),
                (b"[{'ph':'X'}]", 2, "a key is missing"),
                (b'{"a":nope,"traceEvents":[]}', 5, "not JSON")):
            self.refused_content(content, f"{what}.* at byte {place}$")

    def test_inside_of_values_that_is_broken(self):
        for args in (b'{"a":[1,}', b'{"a":[1 2]}', b'{"a":{"b"}}', b'{"a":[tru]}', b'{"a":[01x]}',
                     b'{"a":{1:2}}', b'{"a":[}}'):
            content = (b'{"traceEvents":[{"ph":"X","name":"a","cat":"cpu_op","ts":1,"dur":2,'
                       b'"args":' + args + b"}]}")
            self.refused_content(content, r"byte \d+")


class Packed(Refused):
    ending = ".gz"

    def test_gzip_that_is_damaged(self):
        packed = gzip.compress(made_trace())
        damaged = bytearray(packed)
        damaged[len(damaged) // 2] ^= 0x55
        self.refused_content(bytes(damaged), r"byte \d+")
        self.refused_content(packed[:-8] + b"\0\0\0\0" + packed[-4:], r"damaged near byte \d+")
        self.refused_content(packed[:-4] + b"\0\0\0\0", r"damaged near byte \d+")
        self.refused_content(packed[:3] + b"\xff" * 20, r"damaged near byte \d+")

    def test_what_follows_a_gzip(self):
        packed = gzip.compress(GOOD)
        self.refused_content(packed + b"x", f"near byte {len(packed)}: something that is not gzip")
        self.refused_content(packed + b"\0" * 200000 + b"x", "something that is not gzip follows")

    def test_gzip_of_something_else(self):
        self.refused_content(gzip.compress(b"hello"), "not a trace")
        self.refused_content(gzip.compress(gzip.compress(GOOD)), "not a trace")

    def test_compressions_that_are_not_known(self):
        for mark, name in ((b"\x28\xb5\x2f\xfd", "zstd"), (b"BZh9", "bzip2"),
                           (b"\xfd7zXZ\0", "xz")):
            self.refused_content(mark + b"x" * 50, f"compressed with {name}.*decompress it first")

    def test_zip_with_other_than_one_member(self):
        for names in ([], ["a.json", "b.json"]):
            archive = io.BytesIO()
            with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
                for name in names:
                    file.writestr(name, GOOD)
            self.refused_content(archive.getvalue(), "more than one member" if names else "not a")

    def header(self, method=8, flags=0, size=len(GOOD), crc=zlib.crc32(GOOD), name=b"a", extra=b""):
        return struct.pack("<4sHHHHHIIIHH", b"PK\3\4", 20, flags, method, 0, 0, crc, size, size,
                           len(name), len(extra)) + name + extra

    def test_zip_that_is_damaged(self):
        directory = b"PK\1\2" + bytes(42)
        self.refused_content(self.header(0) + GOOD[:-1] + b" " + directory, "checksum mismatch")
        self.refused_content(self.header(0, crc=1) + GOOD + directory, "checksum mismatch")
        self.refused_content(self.header(0) + GOOD[:20], "ends early")
        self.refused_content(self.header(0) + GOOD, "ends early")
        self.refused_content(self.header(8) + b"\xff" * 40, r"damaged near byte \d+")
        self.refused_content(self.header(0, flags=1) + GOOD, "encrypted")
        self.refused_content(self.header(99) + GOOD, "not supported")
        self.refused_content(self.header(0, flags=8) + GOOD, "not supported")

    def test_zip_with_the_longest_names(self):
        long = self.header(0, name=b"n" * 65535, extra=b"e" * 65535)
        self.refused_content(long[:-1], r"ends early, at byte \d+")
        self.refused_content(long + b"x" * 400000, r"byte \d+")
        self.write("good.zip", long + GOOD + b"PK\1\2" + bytes(42))
        self.assertIn("1 stored", self.tpq("ingest", "--run", "long", "good.zip").out)


class GoodAndBad(Case):
    def test_the_good_ones_are_in_and_the_bad_ones_are_named(self):
        for jobs in (1, 3):
            for name in ("a", "c", "e"):
                self.write(f"{name}.json", trace_of(slice_event(name, 0, 1)))
            self.write("b.json", GOOD[:-20])
            self.write("d.json", b"")
            result = self.tpq("ingest", "-j", jobs, "--db", f"{jobs}.db", *(
                f"{name}.json" for name in ("a", "b", "missing", "c", "d", "e")), status=3)
            self.assertEqual([line.split(":")[1] for line in result.err.splitlines()],
                             [" b.json", " missing.json", " d.json"])
            self.assertIn("3 stored, 3 failed", result.out)
            db = self.path(f"{jobs}.db")
            self.assertEqual(self.rows("SELECT path FROM trace ORDER BY id", db=db),
                             [(self.path(f"{name}.json"),) for name in ("a", "c", "e")])
            self.check(db)

    def test_all_bad_is_no_warehouse(self):
        self.write("a.json", b"{")
        result = self.tpq("ingest", "a.json", "missing.json", status=3)
        self.assertEqual(len(result.err.splitlines()), 2)
        self.assertFalse(os.path.exists(self.db))

    @unittest.skipIf(os.geteuid() == 0, "nothing is denied to root")
    def test_a_directory_that_lets_nobody_in_is_named(self):
        self.write("t/a.json", GOOD)
        os.mkdir(self.path("t/closed"), 0)
        result = self.tpq("ingest", "t", status=3)
        self.one_line(result, r"^tpq: t/closed: cannot be opened: Permission denied$")
        self.assertIn("1 stored, 1 failed", result.out)


class Salvage(Case):
    def test_complete_events_are_kept_and_counted(self):
        events = [slice_event(f"e{i}", i, 1) for i in range(100)]
        text = json.dumps(trace_of(*events))
        at = text.index('"e60"')
        self.write("a.json", text[:at])
        result = self.tpq("ingest", "--salvage", "a.json")
        self.assertIn("60 events", result.out)
        self.assertIn("note: the file breaks off", result.out)
        self.assertEqual(self.value("SELECT count(*) FROM event"), 60)
        self.assertEqual(self.notes(), {"salvaged": 1})
        self.check()

    def test_of_a_gzip_too(self):
        content = made_trace("--steps", 4)
        packed = gzip.compress(content)
        self.write("a.json.gz", packed[:len(packed) // 2])
        for jobs in (1, 2):
            self.tpq("ingest", "--salvage", "-j", jobs, "--db", f"{jobs}.db", "a.json.gz")
        self.assertEqual(self.dump(self.path("1.db")), self.dump(self.path("2.db")))
        self.check(self.path("1.db"))

    def test_nothing_to_salvage(self):
        self.write("a.json", b'{"traceEvents": [{"ph": "X", "na')
        self.one_line(self.tpq("ingest", "--salvage", "a.json", status=3), "ends early")
        self.assertFalse(os.path.exists(self.db))

    def test_a_whole_input_is_what_it_is_without(self):
        self.make_trace("a.json")
        self.tpq("ingest", "a.json", "--db", "1.db")
        self.tpq("ingest", "--salvage", "a.json", "--db", "2.db")
        self.assertEqual(self.dump(self.path("1.db")), self.dump(self.path("2.db")))


if __name__ == "__main__":
    unittest.main()
