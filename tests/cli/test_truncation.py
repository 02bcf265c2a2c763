"""tpq ingest: inputs that break off. Accepted, with a note, is only what breaks off between events:
nothing but closing brackets is known to be missing. All else is status 3 and changes nothing."""

import gzip
import json
import os
import re
import unittest

from support import Case, made_trace, slice_event, slices_in, trace_of

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
    def prepare(self):
        self.make_trace("before.json", "--seed", 5)
        self.tpq("ingest", "-q", "before.json")

    def places_in(self, result):
        """Where each file is said to be wrong: {name: byte}. There is a line for each, nothing more."""
        places = [re.match(r"tpq: (\S+): .*at byte (\d+)", line) for line in result.err.splitlines()]
        self.assertTrue(all(places), str(result))
        found = {place[1]: int(place[2]) for place in places}
        self.assertEqual(len(found), len(places), str(result))
        return found

    def refused(self, contents, stdin=b""):
        """Contents of files by their names, or all of standard input. Neither a new nor an old
        warehouse is touched; gives the bytes that the messages name, by the same names."""
        for name, content in contents.items():
            self.write(name, content)
        found = []
        for db in (self.db, self.path("new.db")):
            before = self.snapshot()
            result = self.tpq("ingest", "-q", "--db", db, *(contents or "-"), status=3, stdin=stdin)
            self.assertEqual(self.snapshot(), before)
            found.append(self.places_in(result))
        self.assertEqual(*found)
        self.assertEqual(set(found[0]), set(contents or ["(stdin)"]))
        return found[0]

    def accepted(self, content, events):
        self.write("x.json", content)
        db = self.path("accepted.db")
        out = self.tpq("ingest", "--replace", "--db", db, "x.json").out
        self.assertEqual(self.value("SELECT element_count FROM trace", db=db), events)
        self.assertEqual(self.value("SELECT count FROM ingest_note WHERE kind = 'end_missing'",
                                    db=db), 1)
        self.assertIn("note: the file ends before its closing bracket", out)
        self.check(db)

    def test_a_plain_trace_at_every_64th(self):
        content = made_trace("--steps", 1)
        cuts = {f"{piece}.json": content[:len(content) * piece // PIECES]
                for piece in range(1, PIECES)}
        events = {name: complete_events(cut) for name, cut in cuts.items()}
        for name, cut in cuts.items():
            if events[name]:
                self.accepted(cut, events[name])
        refused = {name: cut for name, cut in cuts.items() if not events[name]}
        self.assertGreater(len(refused), PIECES // 2 - 1)
        for name, place in self.refused(refused).items():
            self.assertLessEqual(place, len(refused[name]))

    def test_a_gzip_that_breaks_off(self):
        packed = gzip.compress(made_trace("--steps", 1), mtime=0)
        lengths = [len(packed) * piece // PIECES for piece in range(1, PIECES)]
        lengths += range(len(packed) - 9, len(packed))
        self.assertEqual(self.refused({f"{length}.json.gz": packed[:length] for length in lengths}),
                         {f"{length}.json.gz": length for length in lengths})

    def test_standard_input_that_breaks_off(self):
        content = made_trace("--steps", 1)
        for cut in (content[:1000], gzip.compress(content)[:1000]):
            self.assertLessEqual(self.refused({}, stdin=cut)["(stdin)"], 1000)

    def test_a_small_trace_at_every_byte(self):
        trace = trace_of(slice_event("a\\\"é", 1.5, 2, args={"x": [1, {"y": "]}"}], "z": None}),
                         slice_event("b", 3, 1), schemaVersion=1)
        trace["record_shapes"] = 17
        trace["trace_id"] = "t"
        content = json.dumps(trace, ensure_ascii=False, indent=1).encode() + b"\n"
        end = len(content) - 1
        lengths = range(1, len(content) + 1)
        for length in lengths:
            self.write(f"{length}.json", content[:length])
        result = self.tpq("ingest", "--run", "each", "--db", "each.db",
                          *(f"{length}.json" for length in lengths), status=3)
        taken = {f"{length}.json" for length in lengths
                 if length >= end or length > 2 and self.events_of(content[:length])}
        self.assertEqual(set(re.findall(r"^(\S+): trace \d", result.out, re.M)), taken)
        noted = self.rows("SELECT path FROM ingest_note JOIN trace ON trace.id = trace_id "
                          "WHERE kind = 'end_missing'", db=self.path("each.db"))
        self.assertEqual({os.path.basename(path) for (path,) in noted},
                         taken - {f"{length}.json" for length in (end, end + 1)})
        self.assertTrue(noted)
        places = self.places_in(result)
        self.assertEqual(set(places), {f"{length}.json" for length in lengths} - taken)
        for name, place in places.items():
            self.assertLessEqual(place, int(name.removesuffix(".json")))
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
    unittest.main()
