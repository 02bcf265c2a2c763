"""tpq ingest: inputs that break off. Accepted, with a note, is only what lacks nothing but closing
brackets; all else is status 3 and changes nothing."""

import gzip
import json
import re

from support import Case, made_trace, main, slice_event, slices_in, trace_of

PIECES = 64


def parsed(text):
    try:
        return json.loads(text)
    except ValueError:
        return None


def complete_events(content):
    """How many events a trace that breaks off has, if only closing brackets are missing; else None.
    Behind an event there may be a comma, as profilers that are stopped leave it."""
    whole = content.decode()
    text = whole.rstrip()
    closed = parsed(text.removesuffix(",") + "]}")
    if closed is None and (text[-1] in '"]}' or text != whole):  # a number must be seen to end
        closed = parsed(text + "}")
    return len(closed.get("traceEvents", [])) or None if closed else None


class Truncation(Case):
    def setUp(self):
        super().setUp()
        self.make_trace("before.json", "--seed", 5)
        self.tpq("ingest", "-q", "before.json")

    def place_of(self, result, path):
        self.one_line(result, rf"^tpq: {re.escape(path)}: ")
        return int(re.search(r"at byte (\d+)", result.err)[1])

    def refused(self, content, name, stdin=False):
        """Neither a new nor an old warehouse is touched; gives the byte that the message names."""
        if not stdin:
            self.write(name, content)
        places = set()
        for db in (self.db, self.path("new.db")):
            before = self.snapshot()
            result = self.tpq("ingest", "--db", db, "-" if stdin else name, status=3,
                              stdin=content if stdin else b"")
            self.assertEqual(self.snapshot(), before)
            places.add(self.place_of(result, "(stdin)" if stdin else name))
        self.assertEqual(len(places), 1)
        return places.pop()

    def accepted(self, content, events):
        self.write("x.json", content)
        db = self.path("accepted.db")
        out = self.tpq("ingest", "--replace", "--db", db, "x.json").out
        self.assertEqual(self.value("SELECT element_count FROM trace", db=db), events)
        self.assertEqual(self.value("SELECT count FROM ingest_note WHERE kind = 'end_missing'",
                                    db=db), 1)
        self.assertIn("note: 1 end_missing - ", out)
        self.check(db)

    def test_a_plain_trace_at_every_64th(self):
        content = made_trace("--steps", 1)
        accepted = 0
        for piece in range(1, PIECES):
            cut = content[:len(content) * piece // PIECES]
            events = complete_events(cut)
            if events:
                self.accepted(cut, events)
                accepted += 1
            else:
                self.assertLessEqual(self.refused(cut, "x.json"), len(cut))
        self.assertLess(accepted, PIECES // 2)

    def test_a_gzip_at_every_64th(self):
        packed = gzip.compress(made_trace("--steps", 1), mtime=0)
        for piece in range(1, PIECES):
            cut = packed[:len(packed) * piece // PIECES]
            self.assertEqual(self.refused(cut, "x.json.gz"), len(cut))

    def test_a_gzip_without_its_last_bytes(self):
        packed = gzip.compress(made_trace("--steps", 1), mtime=0)
        for missing in range(1, 10):
            self.assertEqual(self.refused(packed[:-missing], "x.json.gz"), len(packed) - missing)

    def test_standard_input_that_breaks_off(self):
        content = made_trace("--steps", 1)
        for cut in (content[:1000], gzip.compress(content)[:1000]):
            self.assertLessEqual(self.refused(cut, "-", stdin=True), 1000)

    def test_a_small_trace_at_every_byte(self):
        trace = trace_of(slice_event("a\\\"é", 1.5, 2, args={"x": [1, {"y": "]}"}], "z": None}),
                         slice_event("b", 3, 1), schemaVersion=1)
        trace["record_shapes"] = 17
        trace["traceName"] = "t"
        content = json.dumps(trace, ensure_ascii=False, indent=1).encode() + b"\n"
        end = len(content) - 1
        kinds = set()
        for length in range(1, len(content) + 1):
            cut = content[:length]
            self.write("x.json", cut)
            events = None if length < 3 else self.events_of(cut)
            result = self.tpq("ingest", "--run", length, "--db", "each.db", "x.json", status=None)
            expected = 0 if length >= end or events else 3
            self.assertEqual(result.status, expected, f"{cut[-30:]} {result}")
            kinds.add((expected, "end_missing" in result.out))
            if expected == 3:
                self.assertLessEqual(self.place_of(result, "x.json"), length)
            else:
                self.assertEqual("end_missing" in result.out, length < end, str(result))
        self.assertEqual(kinds, {(0, False), (0, True), (3, False)})
        self.check(self.path("each.db"))

    def events_of(self, cut):
        try:
            return complete_events(cut)
        except UnicodeDecodeError:
            return None

    def test_what_was_complete_is_taken_whole(self):
        content = made_trace()
        end = content.rindex(b"]")
        self.write("x.json", content[:end])
        self.tpq("ingest", "--db", "x.db", "x.json")
        self.assertEqual(self.value("SELECT count(*) FROM event", db=self.path("x.db")),
                         slices_in(content))


if __name__ == "__main__":
    main()
