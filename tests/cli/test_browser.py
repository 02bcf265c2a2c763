#!/usr/bin/env python3
"""browser: pages as people meet them, in a browser without a window. Skipped where there is none;
src/packages.sh has it among the packages of tests."""

import csv
import io
import json
import os
import pickle
import re
import unittest

from browser import PROGRAM, Browser
from page_file import read_page
from support import Case, main, slice_event, trace_of
from test_page import EVIL
from test_snapshot import churn

VIEWS = ["overview", "timeline", "flame", "memory", "roofline", "ranks", "compare", "history", "tables"]


OWN_STARTS = "[...document.querySelectorAll('#timeline .tools button')].find(one => one.textContent === 'Own starts')"


@unittest.skipUnless(PROGRAM, "there is no chromium")
class Seen(Case):
    page_of_all = None
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser().__enter__()
        try:
            cls.browser.call("Browser.getVersion")
        except (RuntimeError, OSError):
            cls.browser.__exit__()
            raise unittest.SkipTest("chromium does not start on this machine")

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()

    def made(self, *words):
        self.tpq("report", *words, "--html", "page.html", "-q")
        return self.path("page.html")

    def usual(self):
        if not self.page_of_all:
            self.make_trace("a.json.gz")
            with open(self.made("a.json.gz"), "rb") as file:
                Seen.page_of_all = file.read()
        return self.write("page.html", self.page_of_all)

    def open(self, path, **how):
        page = self.browser.open(path, **how)
        self.addCleanup(page.close)
        if "timeline" in how.get("fragment", "") and how.get("wait", True):
            page.until("opened.name !== 'timeline' || model.isReady")
        return page

    def quiet(self, page, path):
        """Nothing was loaded but the file, and nobody complained."""
        self.assertEqual(page.lines, [])
        self.assertEqual([url for url in page.requests if not url.startswith("blob:")],
                         ["file://" + os.path.realpath(path) + page.run("location.hash.slice(0, 0)")])

    def ready(self, page, view):
        page.run(f"go({{v: '{view}'}})")
        page.until(f"opened.name === '{view}' && Boolean(opened.handle)")

    def test_every_view_of_every_kind_of_input(self):
        self.make_trace("ranks/rank_0.json.gz", "--rank", 0)
        self.make_trace("ranks/rank_1.json.gz", "--rank", 1, "--seed", 2)
        self.write("none.json", trace_of(slice_event("a", 0, 5)))
        for call, least in ((["ranks"], ["overview", "timeline", "flame", "tables"]),
                            (["none.json"], ["overview", "timeline"])):
            path = self.made(*call)
            page = self.open(path)
            tabs = json.loads(page.run("JSON.stringify(present().map(view => view.name))"))
            self.assertLessEqual(set(least), set(tabs), call)
            self.assertEqual(tabs, sorted(tabs, key=VIEWS.index))
            for view in tabs:
                self.ready(page, view)
                self.assertFalse(page.run("Boolean(document.querySelector('.fault'))"), view)
                seen = page.run("[...document.querySelectorAll('.view')].filter(one => one.getClientRects().length).map(one => one.id)")
                self.assertEqual(seen, [view], "one view at a time")
            self.quiet(page, path)

    def test_tables_give_back_the_csv(self):
        path = self.usual()
        self.make_trace("a.json.gz")
        self.tpq("report", "a.json.gz", "--csv", "sheets", "-q")
        page = self.open(path, fragment="#v=tables")
        for sheet in page.run("page.sheets.map(sheet => sheet.name)"):
            if not os.path.exists(self.path("sheets", sheet + ".csv")):
                continue
            text = page.run(f"openSheet(sheetNamed({json.dumps(sheet)})).then(open => makeTable(open, el('div')).csv())")
            with open(self.path("sheets", sheet + ".csv"), encoding="utf-8", newline="") as file:
                self.assertEqual(list(csv.reader(io.StringIO(text, newline=""))), list(csv.reader(file)), sheet)
        page.run("go({v: 'tables', sheet: 'ops_summary', q: null, o: '-1'})")
        page.until("document.querySelector('th[aria-sort=descending]')?.offsetParent !== null")
        first = page.run("[...document.querySelectorAll('.grid tbody tr')].map(row => row.cells[1].title || row.cells[1].textContent)")
        self.assertEqual(first, sorted(first, key=lambda text: -float(text.replace(",", ""))))

    def test_drawing_hides_nothing(self):
        """By brute force at many windows: long slices have their own edges, the pixel of every start
        is drawn, a column takes its colour and cover from the slices that start in it alone."""
        self.make_trace("a.json.gz", "--steps", 6, "--layers", 12)
        page = self.open(self.made("a.json.gz"), fragment="#v=timeline")
        wrong = page.run("""(() => {
          let seed = 7;
          const random = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
          const wrong = [];
          for (let n = 0; n < 120; n++) {
            const width = 900, whole = model.to - model.from, span = whole * Math.pow(10, -5 * random());
            const from = model.from + random() * (whole - span), scale = width / span;
            for (const track of model.tracks) for (const lane of lanesOf(track)) {
              const own = new Map(), columns = new Map();
              walkLane(track, lane, from, scale, width, (row, x, w) => own.set(row, [x, w]),
                (pixel, row, cover, count) => columns.set(pixel, [row, cover, count]));
              const pixels = new Map();
              for (let i = 0; i < lane.rows.count; i++) {
                const row = lane.rows.items[i], start = track.start[row], dur = track.dur[row];
                if (start + dur <= from && start < from || start >= from + span) continue;
                if (start < from && dur === 0) continue;
                if (dur * scale >= 2) {
                  const drawn = own.get(row);
                  if (!drawn || drawn[0] !== (start - from) * scale || drawn[1] !== dur * scale) wrong.push(['edges', row]);
                } else {
                  const pixel = Math.max(0, Math.floor((start - from) * scale)), of = pixels.get(pixel) || {sum: 0, longest: 0, count: 0};
                  of.sum += dur; of.longest = Math.max(of.longest, dur); of.count++;
                  pixels.set(pixel, of);
                }
              }
              for (const [pixel, of] of pixels) {
                const drawn = columns.get(pixel);
                if (!drawn) wrong.push(['empty', pixel]);
                else if (pixel > 0 && track.dur[drawn[0]] !== of.longest) wrong.push(['colour', pixel]);
                else if (pixel > 0 && Math.abs(drawn[1] - Math.min(1, of.sum * scale)) > 1e-9) wrong.push(['cover', pixel]);
                else if (pixel > 0 && drawn[2] !== of.count) wrong.push(['count', pixel]);
              }
            }
          }
          return wrong.slice(0, 5).concat(model.rows);
        })()""")
        self.assertEqual(len(wrong), 1, wrong)
        self.assertEqual(wrong[0], page.run("page.slices"))
        hits = page.run("""(() => {
          const {view, hit, layout, draw} = opened.handle.test;
          draw();
          let wrong = 0, asked = 0;
          for (const {track, lane, y} of layout()) for (let i = 0; i < lane.rows.count; i += 7) {
            const row = lane.rows.items[i], wide = track.dur[row] / (view.to - view.from) * view.width;
            if (wide < 3) continue;
            const x = view.left + (track.start[row] + track.offset - view.from) / (view.to - view.from) * view.width + wide / 2;
            const found = hit(x, y + 9);
            asked++;
            if (!found || found.row !== row || found.track !== track) wrong++;
          }
          return [asked > 0, wrong];
        })()""")
        self.assertEqual(hits, [True, 0])

    def test_slices_and_links_are_those_of_the_warehouse(self):
        self.make_trace("a.json.gz")
        self.tpq("ingest", "-q", "a.json.gz")
        page = self.open(self.made(), fragment="#v=timeline&f=1")
        page.until("model.isReady")
        mine = page.run("model.tracks.flatMap(track => [...track.id].map((id, row) => [id, track.start[row], track.dur[row]]))")
        self.assertEqual(sorted(map(tuple, mine)), sorted(self.rows("SELECT id, ts_ns, dur_ns FROM event")))
        work, call = self.rows("SELECT id, call_id FROM gpu_event WHERE call_id IS NOT NULL ORDER BY id LIMIT 1")[0]
        page.run(f"go({{s: {work}}})")
        page.until("Boolean(opened.handle.test.selected())")
        page.key("g")
        self.assertEqual(page.run("(({track, row}) => track.id[row])(opened.handle.test.selected())"), call)
        self.ready(page, "flame")
        sums = page.run("(tree => [tree.sum[0], tree.name.every((_, node) => tree.own[node] + tree.children[node]"
                        ".reduce((sum, child) => sum + tree.sum[child], 0) === tree.sum[node])])(opened.handle.test.tree())")
        self.assertEqual(sums, [self.value("SELECT sum(dur_ns) FROM gpu_event"), True])

    def test_an_icicle_by_launches_and_upside_down(self):
        self.make_trace("a.json.gz")
        self.tpq("ingest", "-q", "a.json.gz")
        page = self.open(self.made(), fragment="#v=flame&m=op&w=calls")
        tree = "opened.handle.test.tree()"
        self.assertEqual(page.run(f"{tree}.sum[0]"), self.value("SELECT count(*) FROM gpu_event"))
        self.assertTrue(page.run(f"{tree}.sum.every((sum, node) => sum === {tree}.calls[node])"))
        name, times = self.rows("SELECT text, sum(gpu_event.dur_ns) FROM gpu_event JOIN event USING (id) JOIN string ON string.id = event.name_id GROUP BY 1 ORDER BY 2 DESC LIMIT 1")[0]
        page.run(f"go({{w: null, i: hashWord({json.dumps(name)})}})")
        page.until(f"{tree}.parent[1] === 0 && {tree}.names[{tree}.name[1]][0] === {json.dumps(name)}")
        self.assertEqual(page.run(f"[{tree}.sum[0], {tree}.sum[1]]"), [times, times])
        above = "[...new Set(upTo(whole.name.length).filter(node => whole.names[whole.name[node]]?.[0] === name).map(node => whole.name[whole.parent[node]]))].sort()"
        below = f"(tree => tree.children[1].map(node => tree.name[node]).sort())({tree})"
        self.assertEqual(page.run(below), page.run(f"readTree('op').then(whole => (name => {above})({json.dumps(name)}))"))
        self.assertEqual(page.run("[...document.querySelectorAll('#flame .tools button')].find(one => one.textContent === 'Callers').getAttribute('aria-pressed')"), "true")

    def test_equal_layers_are_folded(self):
        events = [slice_event("nn.Module: Model_0", 0, 1000, "python_function", args={"Python id": 1})]
        for layer in range(3):
            start, number = 10 + 300 * layer, 3 * layer
            events += [slice_event(f"nn.Module: Layer_{layer}", start, 200, "python_function", args={"Python id": 10 + number, "Python parent id": 1})]
            for i in range(2):
                number += 1
                call = start + 10 + 80 * i
                events += [slice_event(f"nn.Module: Linear_{number}", call, 60, "python_function", args={"Python id": 10 + number, "Python parent id": 10 + 3 * layer}),
                           slice_event("aten::mm", call + 5, 50), slice_event("cudaLaunchKernel", call + 10, 5, "cuda_runtime", args={"correlation": number}),
                           slice_event("k", call + 40, 5 + number, "kernel", 7, 0, args={"correlation": number, "device": 0, "stream": 7})]
        self.write("a.json", trace_of(*events))
        page = self.open(self.made("a.json"), fragment="#v=flame&m=module")
        tree = "opened.handle.test.tree()"
        titles = f"(tree => tree.name.map((name, node) => node ? [tree.names[name][0].replace('nn.Module: ', ''), tree.sum[node], tree.calls[node]] : null).slice(1))({tree})"
        unfolded, whole = page.run(titles), page.run(f"[{tree}.sum[0], {tree}.calls[0]]")
        self.assertEqual(len([one for one in unfolded if one[0].startswith("Layer")]), 3)
        page.run("document.querySelector('.icicle').focus()")
        page.key("l")
        page.until(f"{tree}.name.length < {len(unfolded)}")
        folded = page.run(titles)
        self.assertEqual([one for one in folded if "aten" not in one[0] and one[0] != "k"], [["Model_0", *whole], ["3 × Layer", *whole], ["6 × Linear", *whole]])
        self.assertEqual(page.run(f"[{tree}.sum[0], {tree}.calls[0]]"), whole)
        self.assertIn("e=1", page.run("location.hash"))
        page.run("[...document.querySelectorAll('#flame .tools button')].find(one => one.textContent === 'Fold layers').click()")
        page.until(f"{tree}.name.length > {len(folded)}")
        self.assertEqual(page.run(titles), unfolded)

    def test_two_runs_stand_in_one_icicle(self):
        self.make_trace("a.json.gz")
        self.make_trace("b.json.gz", "--seed", 5, "--layers", 3)
        self.tpq("ingest", "-q", "--run", "base", "a.json.gz")
        self.tpq("ingest", "-q", "--run", "tuned", "b.json.gz")
        path = self.made()
        page = self.open(path)
        self.ready(page, "flame")
        self.assertEqual(page.run("page.sides"), ["base", "tuned"])
        of_run = "SELECT sum(gpu_event.dur_ns) FROM gpu_event JOIN trace ON gpu_event.id BETWEEN first_event AND last_event JOIN run ON run.id = run_id WHERE run.name = ?"
        base, tuned = (self.value(of_run, name) for name in ("base", "tuned"))
        for mode in page.run("flameModes()"):
            page.run(f"go({{m: '{mode}'}})")
            page.until(f"document.querySelector('#flame select').value === '{mode}'")
            sums = page.run("readTree(" + json.dumps(mode) + ").then(tree => [tree.sum[0], tree.second[0], tree.calls[0]])")
            self.assertEqual(sums, [base + tuned, tuned, self.value("SELECT count(*) FROM gpu_event")], mode)
        self.assertIn("base ", page.run("document.querySelector('#flame .panel').textContent"))
        self.assertIn("more in tuned", page.run("document.querySelector('#flame .tools').textContent"))
        self.quiet(page, path)

    def test_rows_and_points_lead_to_their_events(self):
        self.make_trace("a.json.gz")
        self.make_trace("b.json.gz", "--seed", 5, "--layers", 3)
        self.tpq("ingest", "-q", "--run", "one", "a.json.gz")
        self.tpq("ingest", "-q", "--run", "two", "b.json.gz")
        event = "(one => one && one.track.id[one.row])(opened.handle.test.selected())"
        self.tpq("report", "kernel_launchers", "roofline_chart", "--html", "page.html", "-q")
        page = self.open(self.path("page.html"), fragment="#v=tables&sheet=kernel_launchers")
        rows = page.run("openSheet(sheetNamed('kernel_launchers')).then(open => upTo(open.rows).map(row => "
                        "[open.at(row, 'trace_id'), open.at(row, 'uid'), open.event(row)]))")
        self.assertEqual({trace for trace, _, _ in rows}, {1, 2})
        self.assertEqual([row[2] for row in rows], [self.value("SELECT id FROM event WHERE trace_id = ? AND uid = ?", *row[:2]) for row in rows])
        page.until("Boolean(document.querySelector('.grid .plain'))")
        page.run("document.querySelector('.grid .plain').click()")
        page.until(f"opened.name === 'timeline' && Boolean(opened.handle) && model.isReady && Boolean({event})")
        self.assertEqual(page.run(event), rows[0][2])
        self.ready(page, "roofline")
        page.until("Boolean(document.querySelector('#roofline .point'))")
        page.run("globalThis.points = [...document.querySelectorAll('#roofline .point')]; points[0].focus()")
        words = page.run("points[0].getAttribute('aria-label')")
        page.key("Enter")
        page.until("opened.name === 'tables' && Boolean(document.querySelector('.grid tbody tr')) && location.hash.includes('roofline')")
        page.until("document.querySelector('.grid caption').textContent.includes('roofline')")
        self.assertIn(page.run("[...document.querySelector('.grid tbody tr').cells].find(cell => cell.textContent.startsWith('aten::')).textContent"), words)
        self.ready(page, "roofline")
        page.run("points[0].focus()")
        page.key("t")
        page.until(f"opened.name === 'timeline' && {event} !== {rows[0][2]}")
        self.assertEqual(page.run("nameOf(opened.handle.test.selected())"), words.split(",")[0])
        page.until("document.querySelector('.panel').textContent.includes('roofline')")
        self.assertIn(re.search(r": ([\d.]+) of", words)[1] + " TFLOP/s", page.run("document.querySelector('.panel').textContent"))
        kernel = page.run("idOf(opened.handle.test.selected().launched[0])")
        page.run(f"go({{s: {kernel}}})")
        page.until("document.querySelector('.panel').textContent.includes('TFLOP/s')")
        op = "[...document.querySelectorAll('.panel button')].find(one => one.previousSibling?.textContent === ', in ')"
        name = page.run(op + ".textContent")
        page.run(op + ".click()")
        self.assertEqual(page.run("shortOf(opened.handle.test.selected())"), name)

    def test_points_of_a_roofline_are_filtered(self):
        page = self.open(self.usual(), fragment="#v=roofline")
        page.until("Boolean(document.querySelector('#roofline .point'))")
        points = page.run("openSheet(sheetsOf('roofline')[0]).then(open => upTo(open.rows).filter(row => open.at(row, 'tflops') !== null)"
                          ".map(row => [open.at(row, 'name'), open.at(row, 'op_category'), open.at(row, 'kernel_time_ms')]))")
        self.assertGreater(len({point[0] for point in points}), 1)
        shown = "[...document.querySelectorAll('#roofline .point')].filter(one => one.getClientRects().length).length"
        name, category, time = points[0]
        page.until("document.querySelectorAll('#roofline .grid tbody tr').length > 1")
        calls = page.run("openSheet(sheetsOf('roofline')[0]).then(open => upTo(open.rows).filter(row => !isCeiling(open, row)).length)")
        self.assertLess(calls, page.run("sheetsOf('roofline')[0].rows"))
        self.assertIn(f"{calls}\xa0rows", page.run("document.querySelector('#roofline .sheet').textContent"), "ceilings are no rows")
        looks = "[...new Set([...document.querySelectorAll('#roofline .point')].filter(one => !one.getAttribute('transform').endsWith('scale(3)')).map(one => one.getAttribute('d')))]"
        self.assertEqual(len(page.run(looks)), min(6, len({point[1] for point in points})), "a shape for each category")
        for words, kept in (("", points), (name, [one for one in points if name in one[0]]), ("op_category:" + category, [one for one in points if one[1] == category]),
                            (f"kernel_time_ms:>={time}", [one for one in points if one[2] >= time]), ("nothing", [])):
            page.run(f"(box => {{ box.value = {json.dumps(words)}; box.dispatchEvent(new Event('input')); }})(document.querySelector('#roofline input'))")
            self.assertEqual(page.run(shown), len(kept), words)
            share = 100 * sum(one[2] for one in kept) / sum(one[2] for one in points)
            said = page.run("document.querySelector('#roofline figure > [role=status]').textContent")
            self.assertAlmostEqual(float(re.search(r"([\d.]+) %", said)[1]), share, places=1)

    def test_all_launches_in_the_window(self):
        """Each has its arrow while there are few; where there are many the view says so."""
        launches = [slice for i in range(600) for slice in (
            slice_event("cudaLaunchKernel", 10 * i, 5, "cuda_runtime", args={"correlation": i + 1}),
            slice_event("k", 10 * i + 7, 2, "kernel", 7, 0, args={"correlation": i + 1, "device": 0, "stream": 7}))]
        self.write("a.json", trace_of(*launches))
        page = self.open(self.made("a.json"), fragment="#v=timeline")
        page.until("model.isReady")
        seen = "opened.handle.test.draw(), opened.handle.test.seen()"
        self.assertEqual(page.run(seen), [])
        page.run("document.querySelector('canvas.lanes').focus()")
        page.key("F")
        self.assertIsNone(page.run(seen), "600 are too many")
        self.assertIn("zoom in", page.run("document.querySelector('#timeline .tools').textContent"))
        page.run("opened.handle.test.window(1000, 100500)")
        found = page.run("opened.handle.test.draw(), opened.handle.test.seen().map(arrow => arrow.map(({track, row}) => [track.id[row], track.link ? track.link[row] : 0]))")
        self.assertEqual(len(found), 10)
        self.assertTrue(all(work[1] == call[0] for call, work in found))
        self.assertNotIn("zoom in", page.run("document.querySelector('#timeline .tools').textContent"))
        page.key("F")
        self.assertEqual(page.run(seen), [])

    def test_forward_leads_to_backward(self):
        launch = lambda at, number: (slice_event("cudaLaunchKernel", at, 5, "cuda_runtime", number, args={"correlation": number}),
                                     slice_event("k", at + 50, 9, "kernel", 7, 0, args={"correlation": number, "device": 0, "stream": 7}))
        self.write("a.json", trace_of(
            slice_event("aten::mm", 0, 20, "cpu_op", args={"Sequence number": 5}), *launch(5, 1),
            slice_event("autograd::engine::evaluate_function: MmBackward0", 100, 30, "cpu_op", 2, args={"Sequence number": 5, "Fwd thread id": 1}), *launch(110, 2)))
        self.tpq("ingest", "-q", "a.json")
        ((forward, backward),) = self.rows("SELECT from_id, to_id FROM edge")
        page = self.open(self.made(), fragment="#v=timeline")
        for kernel, in self.rows("SELECT id FROM gpu_event") + [(forward,), (backward,)]:
            page.run(f"go({{s: {kernel}}})")
            self.assertIn([forward, backward], page.run("opened.handle.test.selected().arrows.map(ends => ends.map(idOf))"))
            self.assertIn("forward aten::mm, backward autograd::engine::evaluate_function: MmBackward0, 80\xa0µs later", page.run("document.querySelector('.panel').textContent"))

    def test_a_heat_map_tells_its_cells_and_hides_none(self):
        page = self.open(self.usual())
        page.run("""globalThis.heat = count => {
          const cells = make => Array.from({length: 2 * count}, (_, i) => make(i));
          const column = (name, unit, cells) => ({name, heading: name, unit, cells, numbers: 'whole'});
          const columns = [column('place', '', cells(i => i >> 1)), column('rank', '', cells(i => i & 1)),
            column('wait', 'us', cells(i => i === 2 * count - 2 ? 5000 : 1))];
          columns.forEach(prepareColumn);
          return heatPicture({columns, rows: 2 * count}, columns, upTo(2 * count));
        }; globalThis.canvasOf = parts => parts[1].lastChild;
        globalThis.inkAt = (canvas, x, y) => canvas.getContext('2d').getImageData(x, y, 1, 1).data[3]; 1""")
        self.assertEqual(page.run("(c => [c.width, c.height])(canvasOf(heat(4)))"), [4, 2])
        self.assertEqual(page.run("(c => [c.width, inkAt(c, 1666, 0) > 250, inkAt(c, 0, 0) < 20, inkAt(c, 1666, 1) < 20])(canvasOf(heat(5001)))"),
                         [1667, True, True, True], "the greatest of three, also behind the first 2,000")
        self.assertIn("3 in a column", page.run("heat(5001)[0].textContent"))
        page.run("globalThis.parts = heat(3); document.getElementById('view').append(...parts); canvasOf(parts).focus()")
        for key, words in (("ArrowRight", "place 0, rank 0, wait 1"), ("ArrowRight", "place 1, rank 0, wait 1"), ("ArrowRight", "place 2, rank 0, wait 5,000"),
                           ("ArrowDown", "place 2, rank 1, wait 1"), ("ArrowDown", "place 2, rank 1, wait 1"), ("ArrowLeft", "place 1, rank 1, wait 1")):
            page.key(key)
            self.assertEqual(page.run("parts[2].textContent"), words, key)

    def test_tracks_say_whose_they_are(self):
        self.write("a.json", trace_of(slice_event("op", 10, 20), slice_event("mark", 12, 2, "user_annotation", thread=0, process=-1),
                                      slice_event("PyTorch Profiler (0)", 0, 9000, "Trace", "PyTorch Profiler", "Spans"),
                                      slice_event("Event Sync", 41, 2, "cuda_sync", thread=-1, process=0, args={"device": 0, "stream": -1}),
                                      slice_event("k", 40, 10, "kernel", 7, 0, args={"device": 0, "stream": 7})))
        page = self.open(self.made("a.json"), fragment="#v=timeline")
        page.until("model.isReady")
        names = page.run("[...document.querySelectorAll('.names button')].map(one => one.title)")
        self.assertIn("annotations", names)
        self.assertIn("stream 7 · GPU 0", names)
        self.assertIn("annotations · GPU 0", names)
        self.assertEqual(page.run("(({from, to}) => [from, to])(opened.handle.test.view)"), [39700, 50300], "first the GPU activity")
        self.assertEqual(page.run("[...document.querySelectorAll('#timeline .legend li')].map(one => one.textContent)"),
                         ["compute", "CPU op", "annotation", "other", "idle"])
        page.run("document.querySelector('canvas.lanes').focus()")
        page.key("0")
        self.assertEqual(page.run("(({from, to}) => to - from)(opened.handle.test.view)"), 9000000)

    def test_keys_skip_idle_gaps(self):
        starts = [100, 900_000, 900_150, 5_000_000]
        self.write("a.json", trace_of(*(slice_event("k", at, 10, "kernel", 7, 0, args={"device": 0, "stream": 7}) for at in starts)))
        page = self.open(self.made("a.json"), fragment="#v=timeline&t=0-100000")
        page.until("model.isReady")
        page.run("document.querySelector('canvas.lanes').focus()")
        seen = []
        for key in ("]", "]", "]", "[", "[", "["):
            page.key(key)
            window = page.run("(({from, to}) => [from, to])(opened.handle.test.view)")
            self.assertEqual(round(window[1] - window[0]), 100000, "as wide as before")
            seen.append([at for at in starts if window[0] <= 1000 * (at - 100) <= window[1]])
        self.assertEqual(seen, [[900_000], [900_150], [5_000_000], [900_150], [900_000], [100]])
        self.assertIn("GPU activity before, behind the window", page.run("byId('help').textContent"))

    def test_devices_without_streams(self):
        self.write("a.csv", "OP CODE,OP TYPE,DEVICE ID,DEVICE FW DURATION [ns],DEVICE KERNEL DURATION [ns],DEVICE FW START CYCLE,CORE COUNT\n"
                   "Matmul,tt_dnn_device,0,100,90,1000,64\nMatmul,tt_dnn_device,1,100,90,1000,64\n")
        page = self.open(self.made("a.csv"), fragment="#v=timeline")
        self.assertEqual(page.run("[...document.querySelectorAll('.names button')].map(one => one.title)"), ["device 0", "device 1"])

    def test_python_frames_hide_no_ops(self):
        frames = [slice_event(f"file.py({i}): find_{i}", i, 100 - 2 * i, "python_function", args={"Python id": i + 1}) for i in range(8)]
        self.write("a.json", trace_of(*frames, slice_event("aten::find", 20, 20),
                                      slice_event("k", 40, 10, "kernel", 7, 0, args={"device": 0, "stream": 7})))
        page = self.open(self.made("a.json"), fragment="#v=timeline&q=find")
        note = "document.querySelector('#timeline .tools [role=status]').textContent"
        lanes = "opened.handle.test.layout().filter(one => !one.track.link).map(one => [nameOf({track: one.track, row: one.lane.rows.items[0]}), one.depth])"
        self.assertEqual(page.run(lanes), [["aten::find", 0]])
        self.assertIn("1\xa0hit, ", page.run(note))
        self.assertIn("8\xa0hits in hidden Python frames", page.run(note))
        page.run("document.querySelector('canvas.lanes').focus()")
        page.key("p")
        page.until("opened.handle.test.layout().length === 8")
        self.assertEqual(page.run(lanes), [["aten::find", 0]] + [[f"file.py({i}): find_{i}", i] for i in range(6)])
        page.until(f"{note}.startsWith('9')")
        page.key("Escape")
        self.assertEqual(page.run("[document.querySelector('#timeline input').value, palette.hits]"), ["", None])
        self.assertEqual(page.run(note), "10\xa0slices")

    def test_ranks_at_their_own_starts(self):
        for rank in range(2):
            self.write(f"ranks/rank{rank}.json", trace_of(
                slice_event("op", 10, 20), slice_event("k", 40, 10, "kernel", 7, 0, args={"device": 0, "stream": 7}),
                distributedInfo={"rank": rank, "world_size": 2}, baseTimeNanoseconds=10**18 + 3000 * rank))
        page = self.open(self.made("ranks"), fragment="#v=timeline")
        page.until("model.isReady")
        starts = "[[...new Set(model.tracks.map(track => track.offset))], model.to - model.from, opened.handle.test.view.to]"
        self.assertEqual(page.run(starts), [[0, 3000], 43000, 43000])
        for click, wanted in ((1, [[0], 40000, 40000]), (2, [[0, 3000], 43000, 43000]), (3, [[0], 40000, 40000])):
            page.run(OWN_STARTS + ".click()")
            self.assertEqual(page.run(starts), wanted)
            self.assertEqual(page.run(OWN_STARTS + ".getAttribute('aria-pressed')"), str(click % 2 == 1).lower())
        again = self.open(self.path("page.html"), fragment=page.run("location.hash"))
        self.assertEqual(again.run(starts), [[0], 40000, 40000], "the address says so")

    def test_a_comparison_has_both_runs_beside_each_other(self):
        for name, dur in (("zero", 40), ("a", 25)):  # the base comes later by name
            self.write(f"deep/{name}.json", trace_of(
                slice_event("op", 0, 30), slice_event("cudaLaunchKernel", 5, 5, "cuda_runtime", args={"correlation": 1}),
                slice_event("k", 50 + dur, dur, "kernel", 7, 0, args={"correlation": 1, "device": 0, "stream": 7}),
                slice_event(name + " alone", 200, 10, "kernel", 7, 0, args={"device": 0, "stream": 7})))
        for operands in (["deep/zero.json", "deep/a.json"], ["zero", "a"]):
            self.tpq("compare", *operands, "--by", "kernel", "--html", "page.html", "-q")
            with open(self.path("page.html"), encoding="utf-8") as file:
                self.assertNotIn("deep", file.read(), "no folder of the user")
            page = self.open(self.path("page.html"))
            self.assertEqual(page.run("opened.name"), "compare", "what it is about comes first")
            self.ready(page, "flame")
            self.assertEqual(page.run("page.sides"), ["zero", "a"])
            self.assertEqual(page.run("readTree('op').then(tree => [tree.sum[0], tree.second[0]])"), [85000, 35000])
            shown = "opened.handle.test.places().filter(place => place.depth === 1).length"
            self.assertEqual(page.run(shown), 3)
            page.run("go({w: 'after'})")
            page.until(f"{shown} === 2")
            self.ready(page, "timeline")
            page.until("model.isReady")
            self.assertEqual(page.run("[...document.querySelectorAll('.names .group')].map(one => one.textContent)"), ["zero", "a"])
            self.assertEqual(page.run("page.traces.map(trace => trace.offset)"), [0, 0], "at their own starts")
            starts = "model.tracks.flatMap(track => [...track.start].map((_, row) => ({track, row}))).filter(one => nameOf(one) === 'k').map(one => spanOf(one).from)"
            self.assertEqual(page.run(starts), [75000, 90000])
            press = "[...document.querySelectorAll('#timeline .tools button')].find(one => one.textContent === 'Align').click()"
            page.run("opened.handle.test.select(model.tracks.flatMap(track => [...track.start].map((_, row) => ({track, row}))).find(one => nameOf(one) === 'k'))")
            page.run(press)
            self.assertEqual(page.run(starts), [75000, 75000], "aligned at what is selected")
            page.run(press)
            self.assertEqual(page.run(starts), [75000, 90000])
            self.quiet(page, self.path("page.html"))
            if operands[0] != "zero":
                for name in ("zero", "a"):
                    self.tpq("ingest", "-q", "--run", name, f"deep/{name}.json")
        self.tpq("compare", "zero", "deep/a.json", "--by", "kernel", "--html", "page.html", "-q")
        page = self.open(self.path("page.html"))
        self.assertEqual(page.run("present().map(view => view.name)"), ["overview", "compare", "tables"], "they are not in one warehouse")

    def test_ranks_stand_side_by_side(self):
        for rank, (start, dur) in enumerate(((100, 60), (140, 20), (120, 40))):
            args = {"correlation": 1, "device": 0, "stream": 9, "Collective name": "allreduce", "Process Group Name": "0",
                    "Process Group Ranks": "[0, 1, 2]", "Group size": 3, "In msg nelems": 4, "Out msg nelems": 4, "dtype": "Float", "Seq": 7}
            self.write(f"ranks/rank{rank}.json", trace_of(
                slice_event("nccl:all_reduce", 10, 20), slice_event("cudaLaunchKernel", 12, 5, "cuda_runtime", args={"correlation": 1}),
                slice_event("k", start - 50, 10 + 10 * rank, "kernel", 7, 0, args={"device": 0, "stream": 7}),
                slice_event("ncclDevKernel_AllReduce_Sum_f32_RING_LL", start, dur, "kernel", 9, 0, args=args),
                slice_event("ncclDevKernel_AllGather_RING_LL", start + 200, dur + 5 * rank, "kernel", 9, 0, args={**args, "Collective name": "_allgather_base", "Seq": 8}),
                distributedInfo={"rank": rank, "world_size": 3}))
        self.tpq("ingest", "-q", "--run", "ranks", "ranks")
        path = self.made()
        page = self.open(path, fragment="#v=timeline")
        page.until("model.isReady")
        page.run("go({s: [...model.together.keys()][0]})")
        page.until("Boolean(opened.handle.test.selected())")
        arrows = page.run("opened.handle.test.selected().arrows.filter(arrow => arrow[0].track.link).map(arrow => arrow.map(({track, row}) => track.start[row] + track.offset))")
        self.assertEqual(sorted(to - last for last, to in arrows), [-40000, -20000], "from the last rank to the others")
        self.assertIn("collective of 3", page.run("document.querySelector('.panel').textContent"))
        self.assertEqual(page.run(OWN_STARTS + ".hidden"), True, "there is no clock that they share")
        ends = float(self.tpq("sql", "-m", "csv", "SELECT max(abs(late_ns) + spread_ns) AS most FROM rank_clock").out.split()[1])
        self.assertEqual(page.run("Math.max(...page.traces.map(trace => Math.abs(trace.unsure)))"), ends)
        self.assertIn("unsure", page.run("document.querySelector('#timeline .tools').textContent"))
        self.ready(page, "ranks")
        shown = "[...document.querySelectorAll('#ranks .chart .bar-row .name')].slice(0, 3).map(name => name.textContent)"
        self.assertEqual(page.run(shown), ["rank 0", "rank 1", "rank 2"])
        page.run("(select => { select.value = '1'; select.dispatchEvent(new Event('change')); })(document.querySelectorAll('#ranks .chart select')[1])")
        self.assertEqual(page.run(shown), ["rank 2", "rank 1", "rank 0"], "the greatest computation first")
        self.assertIn("farthest", page.run("document.querySelector('#ranks .chart').textContent"))
        heat = "[...document.querySelectorAll('#ranks .sheet')].find(one => one.querySelector('h2').textContent === 'ranks_waits')"
        page.until(f"Boolean({heat} && {heat}.querySelector('.heat'))")
        menus = page.run(f"[...{heat}.querySelectorAll('select')].map(menu => [...menu.options].map(one => one.textContent))")
        self.assertEqual([len(menu) for menu in menus], [3, 3], "wait, duration or skew; any collective, or one of two")
        self.assertEqual(page.run(f"{heat}.querySelector('.heat').width"), 2)
        page.run(f"(select => {{ select.value = '2'; select.dispatchEvent(new Event('change')); }})({heat}.querySelectorAll('select')[1])")
        self.assertEqual(page.run(f"{heat}.querySelector('.heat').width"), 1)
        sized = f"(text => {{ const box = {heat}.querySelector('.chart input'); box.value = text; box.dispatchEvent(new Event('input')); return {heat}.querySelectorAll('.heat').length; }})"
        self.assertEqual([page.run(f"{sized}('size:{test}')") for test in (">1", "<1")], [0, 1])
        page.run(f"{heat}.querySelector('.heat').focus()")
        page.key("ArrowRight")
        waited = "rank 0 waited 40\xa0µs for rank 1"
        self.assertTrue(page.run(f"{heat}.querySelector('.heat').closest('.chart').textContent").endswith(": " + waited))
        page.key("Enter")
        page.until("opened.name === 'timeline' && opened.handle.test.selected()?.together.length === 3")
        chosen = page.run("(one => one.track.start[one.row])(opened.handle.test.selected())")
        self.assertEqual(chosen, 290000, "the cell's rank in the second collective")
        panel = "document.querySelector('.panel').textContent"
        self.assertIn(f"of 3\xa0ranks: {waited}; others: rank 2 20\xa0µs", page.run(panel))
        page.run("[...document.querySelectorAll('.panel button')].find(one => one.textContent === 'rank 1').click()")
        self.assertIn("rank 1 started last, the others waited rank 2 20\xa0µs, rank 0 40\xa0µs", page.run(panel))
        self.quiet(page, path)

    def test_each_side_of_a_comparison_has_its_changes(self):
        for times, name in enumerate("abc", 1):
            self.write(f"{name}.json", trace_of(*(
                slice_event(f"kernel {i}", 100 * i, times * i, "kernel", thread=7, process=0)
                for i in range(1, 5))))
        shown = ("[...document.querySelector('#compare .sheet').querySelectorAll('figcaption')]"
                 ".filter(one => one.getClientRects().length).map(one => one.textContent)")
        for sides, fragment, caption in (("ab", "#v=compare", "Greatest changes, time_parts"), ("abc", "#v=compare", "Greatest changes, time_parts: diff b"),
                                         ("abc", "#v=compare&c=1", "Greatest changes, time_parts: diff c")):
            self.tpq("compare", *(f"{side}.json" for side in sides), "--html", "page.html", "-q")
            page = self.open(self.path("page.html"), fragment=fragment)
            page.until("Boolean(document.querySelector('#compare figcaption'))")
            self.assertEqual(page.run(shown), [caption], "one pair of runs at a time")
        menu = "document.querySelector('#compare .sheet select')"
        self.assertEqual(page.run(f"[...{menu}.options].map(one => one.textContent)"), ["diff b", "diff c"])
        page.run(f"{menu}.value = '0'; {menu}.dispatchEvent(new Event('change'))")
        self.assertEqual(page.run(shown), ["Greatest changes, time_parts: diff b"])
        page.until("location.hash.includes('c=0')")

    def test_gaps_are_squeezed(self):
        self.write("a.json", trace_of(*(slice_event(f"kernel {i}", 1000000 * i, 10, "kernel", thread=7, process=0) for i in range(3)),
                                      slice_event("forward", 0, 2000010, "user_annotation")))
        page = self.open(self.made("a.json"), fragment="#v=timeline")
        span = "Math.round(model.to - model.from)"
        self.assertEqual(page.run(span), 2000010000)
        page.run("opened.handle.key({key: 'z', target: document.body})")
        self.assertEqual(page.run("model.gaps.map(gap => gap.slice(0, 2))"), [[10000, 1000000000], [1000010000, 2000000000]])
        self.assertLess(page.run(span), 40000)
        page.run("opened.handle.test.select({track: model.tracks.find(one => one.link), row: 2})")
        self.assertIn("at 2\xa0s, for 10\xa0µs", page.run("document.querySelector('.panel').textContent"))
        page.run("opened.handle.key({key: 'z', target: document.body})")
        self.assertEqual(page.run(span), 2000010000)
        self.assertEqual(page.lines, [])

    def test_ways_of_the_icicle_are_those_that_say_something(self):
        self.make_trace("a.json.gz")
        whole = read_page(self.made("a.json.gz")).contents["blocks"]
        modes = [block["mode"] for block in whole if block["kind"] == "flame"]
        self.assertIn("op", modes)
        self.assertNotIn("program", modes)
        self.write("bare.json", trace_of(slice_event("k", 0, 5, "kernel", 7, args={"device": 0, "stream": 7})))
        bare = read_page(self.made("bare.json")).contents["blocks"]
        self.assertEqual([block["mode"] for block in bare if block["kind"] == "flame"], ["op"])

    def test_the_address_gives_the_same_picture(self):
        path = self.usual()
        page = self.open(path, fragment="#v=timeline")
        page.run("opened.handle.test.window(model.to * 0.301, model.to * 0.4017)")
        page.until("location.hash.includes('t=')")
        window = page.run("[opened.handle.test.view.from, opened.handle.test.view.to].map(Math.round)")
        again = self.open(path, fragment=page.run("location.hash"))
        self.assertEqual(again.run("[opened.handle.test.view.from, opened.handle.test.view.to]"), window)
        low = self.open(path, fragment="#v=timeline", height=330)
        top = "document.querySelector('.lanes-box').scrollTop"
        low.run(top + " = 37")
        low.until("location.hash.includes('y=37')")
        self.assertEqual(self.open(path, fragment=low.run("location.hash"), height=330).run(top), 37)
        for wild in ("#v=%&t=9-1&s=x&n=%00&q=%3Cb%3E&o=99999&zz=1", "#v=tables&sheet=__proto__&o=-99", "#" + "a=b&" * 2000):
            odd = self.open(path, fragment=wild)
            self.assertTrue(odd.run("Boolean(opened)"))
            self.assertEqual(odd.lines, [])

    def test_all_of_it_by_keys(self):
        page = self.open(self.usual())
        for number, view in enumerate(page.run("present().map(view => view.name)"), 1):
            page.key(str(number))
            page.until(f"opened.name === '{view}' && Boolean(opened.handle)")
            seen = set()
            page.run("document.body.focus()")
            for _ in range(14):
                page.key("Tab")
                seen.add(page.run("(at => at.tagName + at.className + at.textContent.slice(0, 20))(document.activeElement)"))
            self.assertGreaterEqual(len(seen), 4, view)
        self.ready(page, "timeline")
        page.run("document.querySelector('canvas.lanes').focus()")
        page.key("ArrowRight")
        page.key("ArrowRight")
        page.until("byId('live').textContent !== ''")
        page.key("f")
        page.key("m")
        self.assertIn("marked", page.run("document.querySelector('.panel').textContent"))
        page.key("?")
        self.assertEqual(page.run("document.activeElement.id"), "help")
        page.key("Escape")
        self.assertEqual(page.run("document.activeElement.id"), "help-button")
        unnamed = [node["role"]["value"] for node in page.call("Accessibility.getFullAXTree")["nodes"]
                   if node.get("role", {}).get("value") in ("button", "tab", "searchbox", "combobox", "application", "image")
                   and not node.get("name", {}).get("value")]
        self.assertEqual(unnamed, [])

    def test_both_themes_can_be_read(self):
        path = self.usual()
        for dark in (False, True):
            page = self.open(path, dark=dark, fragment="#v=timeline")
            page.until("""(() => {
              const canvas = document.querySelector('canvas.lanes');
              const pixels = canvas.getContext('2d').getImageData(190, 24, canvas.width - 190, canvas.height - 24).data;
              return new Set(new Uint32Array(pixels.buffer)).size > 8;
            })()""")
            worst = page.run("""(() => {
              const light = c => c.map(p => (p /= 255) <= 0.04045 ? p / 12.92 : ((p + 0.055) / 1.055) ** 2.4)
                .reduce((sum, p, i) => sum + p * [0.2126, 0.7152, 0.0722][i], 0);
              const contrast = (a, b) => { const [x, y] = [light(a), light(b)].sort((l, r) => r - l); return (x + 0.05) / (y + 0.05); };
              const ground = colourOf('ground');
              const text = Math.min(...['ink', 'faint', 'link', 'fault'].flatMap(n => [ground, colourOf('head')].map(g => contrast(colourOf(n), g))));
              const mark = Math.min(...['k0', 'k1', 'k2', 'k3', 'k4', 'k5', 'k6', 'k7'].map(n => contrast(colourOf(n), ground)));
              const canvas = document.querySelector('canvas.lanes'), data = new Uint32Array(canvas.getContext('2d').getImageData(190, 24, canvas.width - 190, canvas.height - 24).data.buffer);
              const drawn = data.filter(pixel => pixel !== 0);
              return [text, mark, new Set(drawn).size, drawn.length / data.length];
            })()""")
            self.assertGreaterEqual(worst[0], 4.5, (dark, worst))
            self.assertGreaterEqual(worst[1], 3, (dark, worst))
            self.assertGreaterEqual(worst[2], 8)
            self.assertGreaterEqual(worst[3], 0.02)

    def test_hostile_names_stay_names(self):
        events = [slice_event(name, 10 * i, 5) for i, name in enumerate(EVIL)]
        events += [slice_event(name, 10 * i + 1, 3, "kernel", 7, args={"device": 0, "stream": 7, "x": name}) for i, name in enumerate([*EVIL, "=1+1"])]
        self.write("a.json", trace_of(*events))
        path = self.made("a.json")
        page = self.open(path)
        for view in page.run("present().map(view => view.name)"):
            self.ready(page, view)
        page.run("go({v: 'tables', sheet: 'kernel_summary'})")
        page.run("go({d: '__proto__'})")
        self.assertEqual(page.run("darkRule.media.mediaText"), "(prefers-color-scheme: dark)")
        self.quiet(page, path)
        for act in ("fetch('a.json')", "eval('1')", "new Function('1')()", "document.body.innerHTML = '<b>x</b>'"):
            with self.assertRaises(RuntimeError, msg=act):
                page.run(f"(async () => {{ await ({act}); }})()")
        self.tpq("report", "a.json", "kernel_summary", "--html", "page.html", "-q")
        page = self.open(path, fragment="#v=tables&sheet=kernel_summary")
        page.until("document.querySelector('.grid')?.textContent.includes('abc')")
        self.assertIn("⟨U+202E⟩abc⟨U+200B⟩", page.run("document.querySelector('.grid').textContent"))
        copied = page.run("openSheet(sheetNamed('kernel_summary')).then(open => makeTable(open, el('div')).lines('\\t'))")
        self.assertRegex(copied, r"(?m)(^|\t)'=1\+1")
        self.assertNotRegex(copied, r"(?m)(^|\t)=1\+1")

    def test_a_damaged_file_says_so(self):
        with open(self.usual(), encoding="utf-8") as file:
            text = file.read()
        first = text.index('id="b0"')
        for name, content in (("cut", text[:first + (len(text) - first) // 2]),
                              ("odd", re.sub(r'(id="b\d+">.{40}).', r"\1A", text)),
                              ("short", re.sub(r'"raw":(\d)', r'"raw":9\1', text))):
            page = self.open(self.write(name + ".html", content), wait=False)
            page.until("document.readyState === 'complete' && typeof opened !== 'undefined' && Boolean(opened)")
            for view in page.run("present().map(view => view.name)"):
                self.ready(page, view)
            self.assertTrue(page.run("Boolean(document.querySelector('.fault'))"), name)
            self.assertEqual(page.lines, [], name)

    def test_memory_over_events_hides_nothing(self):
        """Bands of each column, and stacks of each event that is chosen, add up to the allocated bytes."""
        with open(self.path("a.pickle"), "wb") as out:
            out.write(pickle.dumps(churn(), 4))
        path = self.made("a.pickle")
        for width in 320, 1200:
            page = self.open(path, fragment="#v=memory", width=width)
            page.until("Boolean(opened.handle)")
            bands = page.run("(test => test.device().allocated.every((all, i) => Math.abs(test.bands()"
                             ".reduce((sum, band) => sum + band.sums[i], 0) - all) < 1))(opened.handle.test)")
            self.assertTrue(bands)
            self.assertIn("rest: ", page.run("opened.element.textContent"))
            for key in "ArrowLeft", "ArrowLeft", "ArrowRight":
                before = page.run("opened.element.querySelector('.tools').textContent")
                page.run(f"opened.handle.key({{key: '{key}'}})")
                page.until(f"opened.element.querySelector('.tools').textContent !== {json.dumps(before)}")
                at, all_of_it, tree, rows = page.run(
                    "(({device, tree, places}) => { const at = state.has('b') ? device().at.indexOf(Number(state.get('b'))) : "
                    "device().at.indexOf(device().peak), level = places().filter(one => one.depth === 1); return [at, device().allocated[at], "
                    "tree().sum[0], level.reduce((sum, one) => sum + one.bytes, 0)]; })(opened.handle.test)")
                self.assertEqual((tree, rows), (all_of_it, all_of_it), at)
            self.assertLessEqual(page.run("document.documentElement.scrollWidth"), width)
            self.quiet(page, path) if width > 320 else None

    def test_print_and_narrow_windows(self):
        path = self.usual()
        page = self.open(path)
        page.run("go({v: 'tables', sheet: 'busy_curve', d: 'dark'})")
        page.until("Boolean(document.querySelector('.grid tbody tr[aria-hidden]'))")
        ground = "getComputedStyle(document.body).backgroundColor"
        page.run(f"addEventListener('beforeprint', () => {{ globalThis.printed = {ground}; }})")
        pages = page.print().count(b"/Type /Page\n")
        self.assertTrue(1 <= pages <= 5, pages)
        self.assertEqual(page.run(f"[printed, {ground} !== printed]"), ["rgb(255, 255, 255)", True], "on paper everything is light")
        narrow = self.open(path, width=320, height=640)
        self.assertLessEqual(narrow.run("document.documentElement.scrollWidth"), 320)
        self.ready(narrow, "timeline")
        self.assertGreater(narrow.run("(view => view.width / view.left)(opened.handle.test.view)"), 2, "names leave room for slices")
        narrow.run("document.querySelector('.skip').click()")
        self.assertEqual(narrow.run("[opened.name, document.activeElement.id]"), ["timeline", "view"])


if __name__ == "__main__":
    main()
