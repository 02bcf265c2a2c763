#!/usr/bin/env python3
"""page: what `--html` writes, without a browser: one file that says everything, and is the same
each time. What it looks like and does is test_browser.py's."""

import csv
import html
import io
import json
import os
import re
import sqlite3
from html.parser import HTMLParser

from page_file import PageFile, read_page
from support import Case, looked_at, main, slice_event, trace_of

ROOT = os.path.join(os.path.dirname(__file__), "..", "..")
PAGE = os.path.join(ROOT, "query", "page")
EVIL = ["</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<!--<script>",
        "\u2028\u2029", "\u202eabc\u200b", "x" * 10000, "javascript:alert(1)", "__proto__", "\ufffd"]


class Sheets(Case):
    def test_every_cell_is_that_of_the_csv(self):
        self.ranks()
        self.tpq("report", "rank_0.json.gz", "--html", "a.html", "--csv", "sheets")
        page = read_page(self.path("a.html"))
        files = sorted(name[:-4] for name in os.listdir(self.path("sheets")))
        self.assertTrue(files and set(files) <= set(page.names), page.names)
        for name in page.names:
            if name not in files:
                self.tpq("report", "rank_0.json.gz", name, "--csv", "one.csv")
            path = self.path("sheets", name + ".csv") if name in files else self.path("one.csv")
            with open(path, newline="", encoding="utf-8") as file:
                heads, *rows = csv.reader(file)
            mine = page.table(name)
            self.assertEqual(mine[0], heads, name)
            plain = lambda text: text[1:] if re.match("'[=+@-]", text) else text
            self.assertEqual(mine[1], [[plain(cell) for cell in row] for row in rows], name)

    def ranks(self):
        self.make_trace("rank_0.json.gz")

    def test_overview_has_the_figures_of_its_report(self):
        self.ranks()
        words = PageFile(self.tpq("report", "rank_0.json.gz", "--html", "-").out).words()
        self.assertIn("Estimated savings", words)
        rows = csv.DictReader(io.StringIO(self.tpq("report", "rank_0.json.gz", "gpu_timeline", "--csv", "-").out))
        for row in rows:
            if row["type"] == "computation_time":
                self.assertIn(f"{float(row['time ms']):,.3f}", words)

    def test_a_table_is_headed_with_the_name_that_is_asked(self):
        self.ranks()
        page = PageFile(self.tpq("report", "rank_0.json.gz", "ranks_launchers", "--html", "-").out)
        labels = {sheet["name"]: sheet["label"] for sheet in page.contents["sheets"]}
        self.assertEqual(labels["kernel_launchers"], "ranks_launchers")

    def test_a_finding_leads_to_the_report_that_tells_more(self):
        self.ranks()
        page = PageFile(self.tpq("report", "rank_0.json.gz", "--html", "-").out)
        found = list(csv.DictReader(io.StringIO(self.tpq("report", "rank_0.json.gz", "headline", "--csv", "-").out)))
        self.assertTrue([row for row in found if row["report"]])
        for row in found:
            link = f'<a href="#v=tables&amp;sheet={row["report"]}">' + html.escape(row["name"]) + "</a> " + html.escape(row["words"])
            self.assertEqual(link in page.text, bool(row["report"]), row["words"])

    def test_a_page_of_a_file_is_that_of_a_warehouse(self):
        self.ranks()
        of_file = self.tpq("report", "rank_0.json.gz", "--html", "-").out
        self.tpq("ingest", "-q", "rank_0.json.gz")
        self.assertEqual(of_file, self.tpq("report", "--html", "-").out)
        modes = [block["mode"] for block in PageFile(of_file).contents["blocks"] if block["kind"] == "flame"]
        self.assertEqual(modes[:2], ["stack", "op"])
        frames = self.value("SELECT count(*) FROM event JOIN category ON category.id = category_id WHERE role = 'frame'")
        page = PageFile(self.tpq("report", "rank_0.json.gz", "--no-python", "--html", "-").out)
        self.assertRegex(page.words(), f"\\b{frames}\\s+× Python frame, not stored because of --no-python")
        self.assertEqual(self.rows("SELECT count(*) FROM event"), [(page.contents["slices"] + frames,)])
        first = [PageFile(text).table("headline") for text in (of_file, page.text)]
        self.assertEqual(first[0], first[1], "frames change no finding")

    def test_findings_of_runs_and_ranks_stand_by_what_they_save(self):
        for rank in range(2):
            self.make_trace(f"r/rank_{rank}.json.gz", "--rank", str(rank))
        self.make_trace("one.json.gz", "--seed", "3")
        self.tpq("ingest", "-q", "--run", "both", "r")
        self.tpq("ingest", "-q", "--run", "one", "one.json.gz")
        page = PageFile(self.tpq("report", "--html", "-").out)
        heads, rows = page.table("headline")
        rows = [dict(zip(heads, row)) for row in rows]
        self.assertEqual([row["run"] for row in rows if row["kind"] == "headline"], ["both", "one"])
        saves = [float(row["saves_ms"]) for row in rows if row["saves_ms"] and row["place"]]
        self.assertEqual(saves, sorted(saves, reverse=True))
        keys = [(row["run"], row["kind"]) for row in rows]
        self.assertEqual(len(keys), len(set(keys)), "ranks that say the same are said once")
        shared = [row for row in rows if row["ranks"] == "both ranks"]
        self.assertTrue(shared, rows)
        for row in shared:
            self.assertEqual(row["name"], f"{row['kind']}, both ranks ({row['saving_kind']})" if row["saving_kind"] else f"{row['kind']}, both ranks")
        for row in rows:
            self.assertIn(" ".join(row["words"].split()), " ".join(page.words().split()))
        self.assertIn("3 files", page.words())

    def test_pages_of_comparisons_have_all_views(self):
        for i in range(6):
            self.make_trace(f"{i}.json", "--seed", i, "--steps", 1)
        files = [f"{i}.json" for i in range(6)]
        for call, runs, note in (["diff", *files[:2]], ["baseline", "variant"], None), (["compare", *files[:2]], ["0", "1"], None), (
                ["compare", *files[:3]], ["0", "1", "2"], "Flame: the first two of 3 runs"), (
                ["compare", *files], ["0", "1", "2", "3"], "only the first 4 of 6 that are compared"):
            page = PageFile(self.tpq(*call, "--html", "-").out)
            heads, rows = page.table("headline")
            rows = [dict(zip(heads, row)) for row in rows]
            self.assertEqual([row["run"] for row in rows if row["kind"] == "headline"], runs, call)
            self.assertEqual({trace["run"] for trace in page.contents["traces"]}, set(runs))
            self.assertEqual(page.contents["sides"], runs[:2])
            kinds = {block["kind"] for block in page.contents["blocks"]}
            self.assertLessEqual({"flame", "slices"}, kinds)
            self.assertEqual(bool(page.contents["not_included"]), bool(note))
            self.assertIn(note or "", " ".join(page.contents["not_included"]))

    def test_overview_tells_of_prefill_and_decode_and_of_what_to_try(self):
        with open(os.path.join(ROOT, "tests", "fixtures", "tt", "ops_perf_results.csv"), newline="", encoding="utf-8") as file:
            ops = list(csv.DictReader(file))
        text = io.StringIO()
        writer = csv.DictWriter(text, [*ops[0], "OP TO OP LATENCY [ns]"])
        writer.writeheader()
        writer.writerows({**op, "OP TO OP LATENCY [ns]": 100000} for op in ops)
        self.write("ops.csv", text.getvalue())
        self.make_trace("serve.json", "--serve")
        for path, report, section in ("serve.json", "inference_phases", "Prefill and decode"), ("ops.csv", "advice", "Estimated savings"):
            page = PageFile(self.tpq("report", path, "--html", "-").out)
            rows = list(csv.DictReader(io.StringIO(self.tpq("report", path, report, "--csv", "-").out)))
            self.assertTrue(rows, path)
            self.assertEqual(page.text.count(f'<a href="#v=tables&amp;sheet={report}">'), len(rows))
            self.assertIn(section, page.words())
            self.assertIn(report, page.names)

    def test_same_bytes(self):
        self.ranks()
        call = lambda: self.tpq("report", "rank_0.json.gz", "--html", "-").out
        self.assertEqual(call(), call())

    def test_views_that_are_not_asked_for_are_not_in_the_file(self):
        self.ranks()
        page = PageFile(self.tpq("report", "rank_0.json.gz", "--html", "-", "--html-views", "overview").out)
        self.assertEqual(page.contents["views"], ["overview"])
        self.assertEqual({sheet["tab"] for sheet in page.contents["sheets"]}, {"overview"})
        page = PageFile(self.tpq("report", "rank_0.json.gz", "--html", "-", "--html-views", "overview,flame").out)
        self.assertEqual(page.contents["views"], ["overview", "flame"])
        path = self.path("a.html")
        done = self.tpq("report", "rank_0.json.gz", "--html", path, "--html-views", "overview")
        self.assertEqual(done.err, f"tpq: wrote {path}\n", "sheets that are not shown are not made")
        done = self.tpq("report", "rank_0.json.gz", "--html", path, "--html-views", "overview", "--csv", "out", "gpu_timeline")
        self.assertIn("out/: 1 sheet, ", done.err, "but for those who show them")
        done = self.tpq("report", "rank_0.json.gz", "--html", path, "--html-views", "overview,tables", "gpu_timeline")
        self.assertRegex(done.err, "a.html: 1 sheet, ")

    def test_small_branches_of_the_flame_are_one(self):
        for small in (3, 59):  # with 59 the list of nodes is full when the one for all is added
            with self.subTest(small=small):
                events = []
                for i, (name, took) in enumerate([("big", 100000)] + [(f"small{n}", 4) for n in range(small)]):
                    linked = {"correlation": i + 1, "device": 0, "stream": 7}
                    events += [slice_event("aten::" + name, 100 * i, 50),
                               slice_event("cudaLaunchKernel", 100 * i + 5, 5, "cuda_runtime",
                                           args={"correlation": i + 1}),
                               slice_event("k_" + name, 10000 + 200000 * i, took, "kernel", 7, 0, args=linked)]
                self.write("a.json", trace_of(*events))
                page = PageFile(self.tpq("report", "a.json", "--html", "-", "--html-views", "flame").out)
                blocks = page.contents["blocks"]
                flame = json.loads(page.block(next(n for n, block in enumerate(blocks) if block["kind"] == "flame")))
                names = [flame["names"][name][0] for name in flame["name"]]
                self.assertEqual(names, ["aten::big", "k_big", f"{small} others"])
                self.assertEqual((flame["parent"], flame["calls"], flame["own"]),
                                 ([0, 1, 0], [1, 1, small], [[0, 100000000, 4000 * small]]))

    def test_reports_that_the_overview_stands_on(self):
        """They may be asked for before, by name."""
        self.ranks()
        pages = [PageFile(self.tpq("report", "rank_0.json.gz", "--html", "-", *names).out)
                 for names in (["time_above_roofline"], ["time_above_roofline", "queue_length", "advice"], ["gpu_timeline"])]
        overviews = [page.table("overview") for page in pages]
        self.assertEqual(overviews, overviews[-1:] * 3)
        for words in (["--html-views", "tables,tablet"], ["--html-views", "tables,"], ["--html-limit", "511K"], ["--html-limit", "x"], ["--html-limit", "1MM"]):
            self.one_line(self.tpq("report", "rank_0.json.gz", "--html", "-", *words, status=2), words[0])


class Shown(HTMLParser):
    """Tags of a page with their attributes: names in text are none."""

    def __init__(self):
        super().__init__()
        self.names = []

    def handle_starttag(self, tag, attributes):
        self.names.append((tag, attributes))


class Hostile(Case):
    def test_nothing_of_a_trace_is_markup(self):
        events = [slice_event(name, 10 * i, 5) for i, name in enumerate(EVIL)]
        events += [slice_event(name, 10 * i + 1, 3, "kernel", 7, args={"device": 0, "stream": 7})
                   for i, name in enumerate(EVIL)]
        self.write("a.json", trace_of(*events))
        text = self.tpq("report", "a.json", "--html", "-").out
        self.assertEqual(len(re.findall("<script", text)), len(re.findall("</script>", text)))
        self.assertNotIn("<img", text)
        self.assertNotIn("alert(1)</script>", text)
        self.assertNotIn("\u2028", text)
        shown = Shown()
        shown.feed(text[text.index("<body>"):text.index('id="page"')])
        self.assertEqual({tag for tag, _ in shown.names} & {"img", "script", "iframe", "object", "base"}, set())
        for tag, attributes in shown.names:
            for name, value in attributes:
                self.assertFalse(name.startswith("on") or name in ("src", "style"), (tag, name, value))
                self.assertTrue(name != "href" or value.startswith("#"), (tag, value))
        policy = re.search('Content-Security-Policy" content="([^"]*)"', text).group(1)
        self.assertEqual(re.sub("sha256-[^']*", "#", policy),
                         "default-src 'none'; script-src '#'; style-src '#'; base-uri 'none'; form-action 'none'; "
                         "require-trusted-types-for 'script'; trusted-types 'none'")


def column(raw, place, rows, width, is_signed):
    """Values of a column, and where it ends; as query/page/tracks.h says."""
    planes = [raw[place + k * rows:place + (k + 1) * rows] for k in range(width)]
    at, most, out = place + width * rows, 256 ** width - 1, []
    for i in range(rows):
        value = sum(plane[i] << 8 * k for k, plane in enumerate(planes))
        if value == most:
            rest = shift = 0
            while True:
                byte = raw[at]
                at += 1
                rest |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    break
            value += rest
        out.append((value >> 1) ^ -(value & 1) if is_signed else value)
    return out, at


def slices_of(page):
    """{track: [(start, dur, name, id, link, count, covered)]} of all slices of a page."""
    names = json.loads(page.block(next(i for i, block in enumerate(page.contents["blocks"]) if block["kind"] == "names")))
    found = {}
    for number, block in enumerate(page.contents["blocks"]):
        if block["kind"] != "slices":
            continue
        raw, ends = page.block(number), [one[0] for one in block["columns"][1:]]
        columns = []
        for (place, width, is_signed), end in zip(block["columns"], ends + [block["raw"]]):
            values, at = column(raw, place, block["rows"], width, is_signed)
            assert at == end
            columns.append(values)
        start, event = block["base"], block["id"]
        for i, (gap, dur, name, step, _, _, link) in enumerate(zip(*columns[:7])):
            start += gap
            event += step + 1 if i else 0
            count, bare = (columns[7][i] + 1, columns[8][i]) if len(columns) > 7 else (1, 0)
            found.setdefault(block["track"], []).append(
                (start, dur, names[name][0], event, event - link if link else None, count, dur - bare))
    return found


class Slices(Case):
    SQL = ("SELECT ts_ns, max(event.dur_ns, 0), (SELECT text FROM string WHERE id = event.name_id), event.id, call_id, 1, "
           "event.dur_ns FROM event LEFT JOIN (SELECT id, call_id FROM gpu_event) AS work ON work.id = event.id ")

    def test_all_of_them_as_they_are(self):
        self.make_trace("a.json.gz")
        self.tpq("ingest", "-q", "a.json.gz")
        page = PageFile(self.tpq("report", "--html", "-").out)
        mine = sorted(row for rows in slices_of(page).values() for row in rows)
        self.assertEqual(mine, sorted(self.rows(self.SQL.replace("ts_ns", "event.ts_ns"))))
        self.assertEqual(page.contents["slices"], len(mine))

    def test_what_was_counted_over_time(self):
        self.make_trace("a.json.gz")
        self.tpq("ingest", "-q", "a.json.gz")
        with sqlite3.connect(self.db) as database:
            database.execute("INSERT INTO counter_track (trace_id, name, unit, source) SELECT id, 'PCIe', 'GB/s', 'test' FROM trace")
            database.execute("WITH RECURSIVE n (v) AS (VALUES (0) UNION ALL SELECT v + 1 FROM n WHERE v < 9999) "
                             "INSERT INTO counter_sample SELECT counter_track.id, v * 10, v * 7 % 1000 FROM counter_track, n")
        page = PageFile(self.tpq("report", "--html", "-").out)
        number = next(i for i, block in enumerate(page.contents["blocks"]) if block["kind"] == "curves")
        curves = {curve["name"]: curve for curve in json.loads(page.block(number))}
        for curve in curves.values():
            self.assertEqual(len(curve["time"]), len(curve["value"]))
            self.assertTrue(all(gap > 0 for gap in curve["time"][1:]))
            self.assertEqual(max(curve["value"]), curve["most"])
        longest = self.tpq("sql", "SELECT length_max FROM queue_length WHERE stream = 'all'").out.split()[-1]
        self.assertEqual(curves["queue"]["most"], int(longest))
        self.assertEqual((curves["PCIe"]["unit"], curves["PCIe"]["most"]), ("GB/s", 999))
        self.assertLessEqual(len(curves["PCIe"]["time"]), 4096)
        with sqlite3.connect(self.db) as database:
            for i in range(200):
                database.execute("INSERT INTO counter_track (trace_id, name, source) SELECT id, ?, 'test' FROM trace", (f"c{i}",))
            database.execute("INSERT INTO counter_sample SELECT id, 5, 1 FROM counter_track WHERE name <> 'PCIe'")
        done = self.tpq("report", "--html", self.path("a.html"))
        page = read_page(self.path("a.html"))
        left_out, = (words for words in page.contents["not_included"] if "counters" in words)
        self.assertIn(left_out, done.err)
        number = next(i for i, block in enumerate(page.contents["blocks"]) if block["kind"] == "curves")
        counters = self.value("SELECT count(*) FROM counter_track")
        self.assertEqual(int(re.search(r"\d+", left_out)[0]), counters + len(set(curves) - {"PCIe"}) - len(json.loads(page.block(number))))

    def test_odd_numbers(self):
        big = 2 ** 53 // 1000 - 1
        events = [slice_event("a", 0, 0.254), slice_event("b", 65.535, 65.535), slice_event("c", 200, 0),
                  slice_event("d", 300, 10), slice_event("e", 305, 10), slice_event("f", big, 0.001)]
        self.write("a.json", trace_of(*events))
        self.tpq("ingest", "-q", "a.json")
        with sqlite3.connect(self.db) as database:  # slices need not stand in the order of time
            database.execute("UPDATE event SET ts_ns = 400000 WHERE id = (SELECT max(id) - 2 FROM event)")
        page = PageFile(self.tpq("report", "--html", "-").out)
        self.assertIn(1, [block.get("part") for block in page.contents["blocks"]])
        mine = sorted(row for rows in slices_of(page).values() for row in rows)
        self.assertEqual(mine, sorted(self.rows(self.SQL.replace("ts_ns", "event.ts_ns"))))

    def test_short_ones_together_where_there_is_no_room(self):
        self.make_trace("a.json.gz", "--steps", 150, "--layers", 40)
        self.tpq("ingest", "-q", "a.json.gz")
        done = self.tpq("report", "--html", self.path("a.html"), "--html-limit", "512K", "--html-views", "timeline")
        self.assertLessEqual(os.path.getsize(self.path("a.html")), 512000)
        page = read_page(self.path("a.html"))
        self.assertIn("are joined with", page.contents["not_included"][0])
        self.assertIn(page.contents["not_included"][0], done.err)
        limit = int(re.search(r"below (\d+) us", done.err).group(1)) * 1000
        self.assertEqual(limit, 20_000)
        whole = self.rows("SELECT event.track_id, count(*), sum(dur_ns) FROM event GROUP BY 1 ORDER BY 2, 3")
        mine = slices_of(page)
        self.assertEqual(sorted((sum(row[5] for row in rows), sum(row[6] for row in rows)) for rows in mine.values()),
                         sorted(row[1:] for row in whole))
        alone = {row[3] for rows in mine.values() for row in rows if row[5] == 1}
        long = {event for (event,) in self.rows("SELECT id FROM event WHERE dur_ns >= ?", limit)}
        self.assertTrue(long and long <= alone)
        together = [row for rows in mine.values() for row in rows if row[5] > 1]
        self.assertTrue(together and all(row[1] <= 16 * limit for row in together))

    def test_the_finest_that_fits_by_samples(self):
        self.make_trace("a.json.gz", "--steps", 40, "--layers", 40)
        self.tpq("ingest", "-q", "a.json.gz")
        self.multiply(18)
        done = self.tpq("report", "--html", self.path("a.html"), "--html-limit", "1020K", "--html-views", "timeline")
        self.assertIn("below 15 us", done.err)
        self.assertGreater(os.path.getsize(self.path("a.html")), 830000)
        self.assertLessEqual(os.path.getsize(self.path("a.html")), 1020000)
        self.assertEqual(read_page(self.path("a.html")).contents["slices"], self.rows("SELECT count(*) FROM event")[0][0])

    def multiply(self, copies):
        """More slices than are looked at before a guess by samples."""
        with sqlite3.connect(self.db) as database:
            ((first, last, span),) = database.execute("SELECT min(id), max(id), max(ts_ns + dur_ns) FROM event")
            moved = {"id": f"id + ?1 * {last - first + 1}", "ts_ns": f"ts_ns + ?1 * {span}", "dur_ns": "dur_ns + (id * 7919 + ?1) % 97"}
            for table in ("event", "gpu_event"):
                columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
                chosen = ", ".join(moved.get(name, name) for name in columns)
                for copy in range(1, copies):
                    database.execute(f"INSERT INTO {table} ({', '.join(columns)}) SELECT {chosen} FROM {table} WHERE id BETWEEN {first} AND {last}", (copy,))
            database.execute("UPDATE trace SET last_event = ?", (first - 1 + copies * (last - first + 1),))


class Program(Case):
    def test_it_stays_small(self):
        self.write("a.json", trace_of(slice_event("a", 0, 5)))
        self.tpq("report", "a.json", "--html", "page.html", "-q")
        with open(self.path("page.html"), encoding="utf-8") as file:
            text = file.read()
        parts = re.findall(r"<style>(.*?)</style>|<script>(.*?)</script>", text, re.S)
        self.assertEqual(len(parts), 2)
        self.assertLessEqual(sum(len((style + script).encode()) for style, script in parts), 125_000)
        files = [name for name in os.listdir(PAGE) if name.endswith((".js", ".css"))]
        texts = []
        for name in files:
            with open(os.path.join(PAGE, name), encoding="utf-8") as file:
                texts.append(file.read())
        lines = [line for text in texts for line in text.splitlines()]
        self.assertLessEqual(len(lines), 3140)
        self.assertLessEqual(len(files), 13)
        self.assertLessEqual(max(map(len, lines)), 100)

    def test_it_parses_no_markup_and_runs_no_text(self):
        scripts = [name for name in os.listdir(PAGE) if name.endswith(".js")]
        looked_at(scripts=len(scripts))
        for name in scripts:
            with open(os.path.join(PAGE, name), encoding="utf-8") as file:
                self.assertNotRegex(file.read(), r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|fetch\(|XMLHttp|localStorage|import\(")


if __name__ == "__main__":
    main()
