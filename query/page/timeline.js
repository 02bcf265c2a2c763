/* timeline: every slice, in tracks: the view, what is selected in it, and how one moves. */

const NAMES = 190, AXIS = 24, OPEN_LANES = 6, MINIMAP = 30;
defineView('timeline', 'Timeline', () => page.blocks.some(block => block.kind === 'slices'), openTimeline);
async function openTimeline(element) {
  const view = {from: 0, to: 1, left: NAMES, width: 800};
  let layout = [], strips = [], curves = [], tall = 0, selected = null, range = null, hovered = null, frame = 0, ratio = 1;
  let isAll = false, seen = [], isPlaced = false, buttons = new Map(), found = null;
  const opened = new Map();
  const note = status('span', 'reading slices');
  const find = searchBox('find slices', 'find slices', () => { setState({q: find.value}, true); search(); });
  find.addEventListener('keydown', event => { if (event.key === 'Enter') nextHit(); });
  const frames = toggle('Python frames', () => toggleFrames(), 'key p'), asTable = toggle('As table', toggleTable);
  const allArrows = toggle('Arrows', () => toggleArrows(), 'all launches that are seen; key F');
  const ownStarts = toggle('Own starts', () => go({a: model.own ? null : 1, t: null, r: null}), 'each trace from its own start, not on the clock that they share');
  const map = el('canvas', {class: 'minimap', 'aria-hidden': 'true'});
  const canvas = el('canvas', {class: 'lanes', tabindex: 0, role: 'application',
    'aria-label': 'timeline', 'aria-describedby': 'timeline-keys'}, 'The timeline as a picture; "As table" lists it.');
  const spacer = el('div', {class: 'spacer'}), names = el('div', {class: 'names'});
  const box = el('div', {class: 'lanes-box', onscroll: () => redraw()}, canvas, names, spacer);
  const panel = el('div', {class: 'panel'}), table = el('div', {class: 'scroll longest', hidden: true});
  const tip = el('div', {class: 'tip', hidden: true});
  element.append(el('div', {class: 'tools'}, find, frames, allArrows, ownStarts,
    button('All', () => window_(model.from, model.to), {title: 'key 0'}),
    asTable, note), el('p', {class: 'unseen', id: 'timeline-keys'},
    'Arrows move between slices, w and s zoom, a and d move, g goes to what launched a slice.'),
  map, box, table, panel, tip);

  /* -- layout */
  const label = (track, row) => {
    const name = shortOf({track, row});
    const op = track.link && !othersIn(track, row) ? launcherOf(track, row) : '';
    return (op ? op + ' · ' : '') + name + (othersIn(track, row) ? ` (${plural(othersIn(track, row) + 1, 'slice')})` : '');
  };
  const launcherCache = new Map();
  const launcherOf = (track, row) => kept(launcherCache, track.id[row], () => launcherName(track, row), 50000);

  /* Accelerators first, the busiest stream on top, then marks, then threads, the fullest first. */
  function sortedTracks() {
    const rank = track => track.info.kind === 'stream' ? 0 : track.info.kind === 'marks' ? 1 : 2;
    const other = track => page.sides.length && (page.traces[track.info.trace] || {}).run !== page.sides[0];
    return [...model.tracks].sort((a, b) => other(a) - other(b) || a.info.trace - b.info.trace || rank(a) - rank(b) ||
      b.total - a.total || a.number - b.number);
  }
  function trackName({info}) {
    const plain = info.name || info.thread, isNumber = /^-?\d+$/.test(plain);
    const own = !isNumber ? plain : info.kind === 'stream' ? 'stream ' + plain : Number(plain) ? 'thread ' + plain : '';
    const words = [own, own.includes(info.group) ? '' : info.group.replace(/^.*\/device:/, '')];
    const text = words.map(word => word.trim()).filter(Boolean).join(' · ') || (isFinite(info.process) ? 'process ' : '') + info.process;
    return ((info.kind === 'marks' ? 'marks ' : '') + text).trim();
  }
  function place() {
    const several = page.traces.length > 1;
    const tracks = sortedTracks(), rows = [];
    let y = AXIS, trace = -1, threads = 0;
    const add = text => { rows.push({y, text}); y += LANE + 2; };
    const placeCurves = isQueue => model.curves.filter(one => one.trace === trace && Boolean(one.queue) === isQueue)
      .forEach(curve => { curves.push({y, curve}); add(curveName(curve)); });
    layout = [], strips = [], curves = [];
    for (const track of tracks) {
      if (track.info.trace !== trace) {
        placeCurves(false);
        trace = track.info.trace;
        threads = 0;
        const of = page.traces[trace];
        if (several) {
          rows.push({y, text: traceName(of), isGroup: true});
          y += LANE;
        }
        const streams = tracks.filter(one => one.info.trace === trace && one.info.kind === 'stream' && lanesOf(one).length);
        for (const process of new Set(streams.map(one => one.info.process))) {
          const own = streams.filter(one => one.info.process === process);
          strips.push(...own.map(one => ({track: one, lane: lanesOf(one)[0], y, label: () => ''})));
          add('busy · ' + (own[0].info.group.replace(/^.*\/device:/, '') || 'GPU ' + process));
        }
        placeCurves(true);
      }
      const all = lanesOf(track);
      if (!all.length) continue; // frames alone, which are not shown
      if (track.info.kind === 'thread') threads++;
      const usual = track.info.kind !== 'thread' || threads <= 2 ? 1 : 0;
      const how = opened.has(track.number) ? opened.get(track.number) : usual;
      const count = how === 2 ? all.length : Math.min(all.length, how ? OPEN_LANES : 1);
      rows.push({y, track, how, hidden: all.length - count, text: trackName(track)});
      for (let i = 0; i < count; i++) layout.push({track, lane: all[i], y: y + i * LANE, depth: i, label});
      y += Math.max(1, count) * LANE + 6;
    }
    placeCurves(false);
    tall = y;
    spacer.style.setProperty('height', Math.max(0, tall) + 'px');
    names.replaceChildren(...rows.map(row => {
      const made = !row.track ? el('div', {class: row.isGroup ? 'group' : 'curve', title: row.text}, row.text)
        : button([(row.how ? '▾ ' : '▸ ') + row.text, row.hidden ? el('small', {}, ' +' + row.hidden) : null],
          () => turn(row), {title: row.text, 'aria-expanded': row.how > 0 ? 'true' : 'false'});
      made.style.setProperty('top', row.y + 'px');
      return made;
    }));
    resize();
  }

  /* Closed, six lanes, all lanes. */
  function turn(row) {
    const all = lanesOf(row.track).length;
    opened.set(row.track.number, row.how === 0 ? 1 : row.how === 1 && all > OPEN_LANES ? 2 : 0);
    setState({x: [...opened].map(([number, how]) => number + '.' + how).join('_')}, true);
    place();
    const at = [...names.children].find(child => child.title === row.text);
    if (at) at.focus();
  }

  /* -- drawing */
  function resize() {
    view.width = Math.max(100, box.clientWidth - NAMES);
    sizeCanvas(map, box.clientWidth, MINIMAP);
    ratio = sizeCanvas(canvas, box.clientWidth, box.clientHeight);
    redraw();
  }
  function redraw() { if (!frame) frame = requestAnimationFrame(draw); }

  /* Slices of a lane in the window. */
  const rowsSeen = ({track, lane}) => [...rowsBetween(track, lane, view.from - track.offset, view.to - track.offset)]
    .map(row => ({track, row}));
  const xOf = time => view.left + (time - view.from) / (view.to - view.from) * view.width;
  const timeAt = x => view.from + (x - view.left) / view.width * (view.to - view.from);
  function draw() {
    frame = 0;
    if (!canvas.width || !canvas.height || element.hidden) return;
    const context = penOf(canvas, ratio), top = box.scrollTop, height = box.clientHeight;
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.save();
    context.beginPath();
    context.rect(view.left * ratio, AXIS * ratio, view.width * ratio, height * ratio);
    context.clip();
    const shown = layout.filter(one => one.y + LANE > top + AXIS && one.y < top + height)
      .map(one => ({...one, y: one.y - top}));
    drawLanes(context, strips.map(one => ({...one, y: one.y - top})), view, ratio);
    for (const one of curves) if (one.y + LANE > top && one.y < top + height) drawCurve(context, one.curve, one.y - top);
    model.drawn = drawLanes(context, shown, view, ratio);
    drawMarks(context, shown, height);
    context.restore();
    drawAxis(context, height);
    drawMap();
  }
  const curveName = curve => `${curve.name}${curve.device === null ? '' : ' · GPU ' + curve.device}: ≤ ${amount(curve.most, curve.unit)}`;
  const amount = (value, unit) => unit === 'bytes' ? figure(value / 1e6) + ' MB' : figure(value) + (unit ? ' ' + unit : '');

  /* The greatest value in a stretch of time: of its samples, and of the one that holds at its start. */
  function valueIn({time, value}, from, to) {
    const at = firstWhere(0, time.length, i => time[i] <= from);
    let most = at ? value[at - 1] : 0;
    for (let i = at; i < time.length && time[i] < to; i++) most = Math.max(most, value[i]);
    return most;
  }
  function drawCurve(context, curve, y) {
    const wide = (view.to - view.from) / view.width;
    context.fillStyle = cssOf('kind-call');
    for (let x = 0; x < view.width; x++) {
      const from = timeAt(view.left + x) - startOf(curve.trace);
      const tall = Math.max(0, valueIn(curve, from, from + wide) / (curve.most || 1)) * (LANE - 2);
      context.fillRect((view.left + x) * ratio, (y + LANE - tall) * ratio, Math.ceil(ratio), tall * ratio);
    }
  }
  function drawAxis(context, height) {
    context.fillStyle = cssOf('faint');
    context.strokeStyle = cssOf('line');
    context.lineWidth = 1;
    for (const [time, text] of timeTicks(view.from, view.to, view.width / 110)) {
      const x = Math.round(xOf(time) * ratio) + 0.5;
      context.beginPath();
      context.moveTo(x, (AXIS - 6) * ratio);
      context.lineTo(x, AXIS * ratio);
      context.stroke();
      if (x + 4 * ratio + widthOfText(context, text) <= canvas.width)
        context.fillText(text, x + 4 * ratio, AXIS / 2 * ratio);
    }
    context.strokeRect(-1, 0, canvas.width + 2, AXIS * ratio);
    context.strokeRect(view.left * ratio - 0.5, 0, canvas.width, height * ratio + 1);
  }

  /* What is selected, hovered, marked, and the arrows of launches. */
  function drawMarks(context, shown, height) {
    if (range) {
      context.fillStyle = cssOf('kind-mark');
      context.globalAlpha = 0.18;
      context.fillRect(xOf(range.from) * ratio, 0, (xOf(range.to) - xOf(range.from)) * ratio, height * ratio);
      context.globalAlpha = 1;
    }
    const at = ({track, row}) => shown.find(one => one.track === track && isOn(one.lane, track, row));
    context.strokeStyle = cssOf('ink');
    context.lineWidth = 2 * ratio;
    if (selected && at(selected)) {
      const x = xOf(spanOf(selected).from), wide = Math.max(2, xOf(spanOf(selected).to) - x);
      context.strokeRect(x * ratio, (at(selected).y - 0.5) * ratio, wide * ratio, (LANE - 1) * ratio);
    }
    context.lineWidth = 1.5 * ratio;
    seen = isAll ? arrowsSeen() : [];
    if (isAll) tell();
    for (const [from, to] of [...selected ? selected.arrows : [], ...seen || []]) {
      const one = at(from), other = at(to);
      if (!one || !other) continue;
      const x = xOf(spanOf(from).from) * ratio, toX = xOf(spanOf(to).from) * ratio;
      const y = (one.y + LANE / 2) * ratio, toY = (other.y + LANE / 2) * ratio, bend = Math.min(60 * ratio, Math.abs(toX - x) / 2 + 8);
      context.beginPath();
      context.moveTo(x, y);
      context.bezierCurveTo(x + bend, y, toX - bend, toY, toX, toY);
      context.lineTo(toX - 6 * ratio, toY - 4 * ratio);
      context.moveTo(toX, toY);
      context.lineTo(toX - 6 * ratio, toY + 4 * ratio);
      context.stroke();
    }
  }

  /* The launches in the window, while there are few enough. */
  function arrowsSeen() {
    const ARROWS_MOST = 500, found = [];
    for (const {track, lane} of layout.filter(one => one.track.link))
      for (const row of rowsBetween(track, lane, view.from - track.offset, view.to - track.offset)) {
        const call = findEvent(track.link[row]);
        if (call && found.push([call, {track, row}]) > ARROWS_MOST) return null;
      }
    return found;
  }
  function isOn(lane, track, row) {
    const at = firstFrom(track, lane.rows, track.start[row]);
    for (let i = at; i < lane.rows.count && track.start[lane.rows.items[i]] === track.start[row]; i++)
      if (lane.rows.items[i] === row) return true;
    return false;
  }

  /* The first stream over the whole time, and the window in it. */
  function drawMap() {
    const context = penOf(map, ratio), first = layout[0];
    context.clearRect(0, 0, map.width, map.height);
    if (!first) return;
    const whole = {from: model.from, to: Math.max(model.to, model.from + 1), left: view.left, width: view.width};
    drawLanes(context, [{...first, y: 6, label: () => ''}], whole, ratio);
    const x = time => (view.left + (time - whole.from) / (whole.to - whole.from) * view.width) * ratio;
    context.strokeStyle = cssOf('ink');
    context.lineWidth = 2 * ratio;
    context.strokeRect(x(view.from), ratio, Math.max(3 * ratio, x(view.to) - x(view.from)), (MINIMAP - 2) * ratio);
  }

  /* -- moving */
  function window_(from, to) {
    const whole = Math.max(1, model.to - model.from), least = 20;
    let wide = Math.min(Math.max(to - from, least), whole * 1.1);
    const middle = (from + to) / 2;
    from = Math.min(Math.max(middle - wide / 2, model.from - wide / 2), model.to - wide / 2);
    view.from = from;
    view.to = from + wide;
    setState({t: Math.round(view.from) + '-' + Math.round(view.to)}, true);
    hideTip();
    if (!table.hidden) fillTable();
    redraw();
  }
  function zoom(factor, x = view.left + view.width / 2) {
    const at = timeAt(x), share = (x - view.left) / view.width, wide = (view.to - view.from) * factor;
    window_(at - share * wide, at - share * wide + wide);
  }

  const move = share => window_(view.from + share * (view.to - view.from), view.to + share * (view.to - view.from));
  const spanOf = ({track, row}) =>
    ({from: track.start[row] + track.offset, to: endOf(track, row) + track.offset});

  function fit(one) {
    const span = spanOf(one), margin = Math.max((span.to - span.from) * 0.15, 10);
    window_(span.from - margin, span.to + margin);
  }

  /* Moves just as far as it takes to see a slice. */
  function reveal(one) {
    const span = spanOf(one), wide = view.to - view.from;
    if (span.to < view.from || span.from > view.to || span.to - span.from < wide / 2000) {
      const width = Math.min(wide, Math.max((span.to - span.from) * 12, 2000));
      window_((span.from + span.to) / 2 - width / 2, (span.from + span.to) / 2 + width / 2);
    }
    const all = lanesOf(one.track), depth = all.findIndex(lane => isOn(lane, one.track, one.row));
    let line = layout.find(place => place.track === one.track && place.depth === depth);
    if (!line && depth >= 0) {
      opened.set(one.track.number, depth < OPEN_LANES ? 1 : 2);
      place();
      line = layout.find(place => place.track === one.track && place.depth === depth);
    }
    if (!line) return;
    if (line.y < box.scrollTop + AXIS) box.scrollTop = line.y - AXIS - LANE;
    else if (line.y + LANE > box.scrollTop + box.clientHeight) box.scrollTop = line.y + 2 * LANE - box.clientHeight;
    redraw();
  }

  /* -- what is where */
  function hit(x, y) {
    if (x < view.left || y < AXIS) return null;
    const line = layout.find(one => y + box.scrollTop >= one.y && y + box.scrollTop < one.y + LANE);
    return line ? nearest(line, timeAt(x) - line.track.offset, (view.to - view.from) / view.width) : null;
  }

  /* The slice at a time; else the longest that starts in that pixel or beside it. */
  function nearest({track, lane}, time, pixel) {
    const at = firstReaching(track, lane, time), row = lane.rows.items[at];
    if (at < lane.rows.count && track.start[row] <= time) return {track, row};
    const from = firstFrom(track, lane.rows, time - 1.5 * pixel), to = firstFrom(track, lane.rows, time + 1.5 * pixel);
    return to > from ? {track, row: summary(track, lane, from, to).longest} : null;
  }
  function words({track, row}) {
    const count = othersIn(track, row);
    return `${nameOf({track, row})}, ${duration(track.dur[row])}` +
      (count ? `, ${plural(count + 1, 'slice')} that cover ${duration(track.dur[row] - track.gap[row])}` : '');
  }
  function hideTip() { tip.hidden = true; hovered = null; }
  function hover(event) {
    hovered = hit(event.offsetX, event.offsetY);
    const y = event.offsetY + box.scrollTop, over = curves.find(one => y >= one.y && y < one.y + LANE);
    tip.hidden = !hovered && !over;
    canvas.style.setProperty('cursor', hovered ? 'pointer' : 'default');
    if (!hovered && !over) return;
    const time = over ? timeAt(event.offsetX) - startOf(over.curve.trace) : 0;
    if (over) tip.replaceChildren(el('b', {}, amount(valueIn(over.curve, time, time), over.curve.unit)), el('br'), over.curve.name);
    else tip.replaceChildren(el('b', {}, shortOf(hovered)), el('br'), words(hovered), el('br'), el('span', {class: 'faint'}, trackName(hovered.track)));
    tip.style.setProperty('left', Math.min(event.clientX + 14, innerWidth - 340) + 'px');
    tip.style.setProperty('top', Math.min(event.clientY + 16, innerHeight - 110) + 'px');
  }

  /* -- selection */
  function select(one, isStep = true) {
    selected = one;
    if (one) {
      const {track, row} = one, launcher = track.link && track.link[row] ? findEvent(track.link[row]) : null;
      one.launcher = launcher;
      one.launched = track.link ? [] : launchedBy(one);
      one.arrows = launcher ? [[launcher, one]] : one.launched.slice(0, 200).map(other => {
        const call = other.track.link[other.row] === track.id[row] ? one : findEvent(other.track.link[other.row]);
        return [call || one, other];
      });
      one.together = (model.together.get(track.id[row]) || []).map(findEvent).filter(Boolean);
      for (const other of one.together.slice(1)) one.arrows.push([one.together[0], other]);
      say(words(one) + ', ' + trackName(track));
    }
    setState({s: one ? one.track.id[one.row] : null}, !isStep);
    fillPanel();
    redraw();
  }

  const link = (one, text) => button(text, () => { select(one); reveal(one); }, {class: 'plain'});
  function fillPanel() {
    if (range) return fillRange();
    if (!selected) {
      panel.replaceChildren(faint('Click a slice, or move with the arrows; Shift and drag marks a range.'));
      return;
    }
    const {track, row, launcher, launched} = selected, number = track.id[row];
    const parents = parentsOf(selected).reverse(), lines = [];
    const sum = launched.reduce((all, one) => all + one.track.dur[one.row], 0);
    lines.push(el('p', {class: 'whole-name'}, el('b', {}, nameOf(selected))));
    lines.push(el('p', {}, `at ${duration(track.start[row])}, for `, el('b', {}, duration(track.dur[row])),
      track.link ? '' : `, itself ${duration(selfTime(selected))}`, `, ${trackName(track)}, event ${number}`));
    if (othersIn(track, row)) lines.push(el('p', {}, words(selected)));
    if (launcher) {
      const delay = track.start[row] - launcher.track.start[launcher.row];
      lines.push(el('p', {}, 'launched by ', link(launcher, nameOf(launcher)),
        `, ${duration(delay)} before`, launcherOf(track, row) ? ', in ' + launcherOf(track, row) : ''));
    }
    if (selected.together.length > 1)
      lines.push(el('p', {}, `of a collective of ${plural(selected.together.length, 'rank')}; last came `, selected.together.slice(0, 8).flatMap((other, i) =>
        [i === 1 ? ', others: ' : ' ', link(other, traceName(page.traces[other.track.info.trace]))])));
    if (launched.length)
      lines.push(el('p', {}, `launched ${plural(launched.length, 'piece')} of work, ${duration(sum)}: `,
        launched.slice(0, 3).flatMap(one => [link(one, shortOf(one)), ' ']),
        launched.length > 3 ? '…' : ''));
    if (parents.length)
      lines.push(el('p', {class: 'path'}, 'in ', parents.slice(-8).flatMap((one, i) =>
        [i ? ' › ' : '', link(one, shortOf(one))])));
    const more = el('p', {class: 'faint details'});
    lines.push(more, faint(el('code', {}, `tpq tree ${number}`), ' · ', el('code', {}, `tpq export --time ${track.start[row]}ns-${endOf(track, row)}ns -o part.pftrace`)));
    panel.replaceChildren(...lines);
    details(selected, more);
  }
  async function details(one, element) {
    const {track, row} = one;
    const signature = track.op[row] ? (await jsonBlock(blockOf('signatures')))[track.op[row] - 1] : null;
    const given = track.args[row] ? (await jsonBlock(blockOf('arguments')))[track.args[row] - 1] : '';
    if (selected === one) element.textContent = [...(signature || []).filter(Boolean), given].filter(Boolean).join('  ');
  }

  /* Without what is directly below on its thread. */
  function selfTime({track, row}) {
    const end = endOf(track, row);
    let below = 0, at = track.start[row];
    for (let i = row + 1; i < track.rows && i < track.late && track.start[i] < end; i++) {
      if (!model.frames && model.kinds[track.name[i]] === 'frame') continue;
      const to = endOf(track, i);
      if (track.start[i] >= at && to <= end) {
        below += track.dur[i];
        at = to;
      }
    }
    return track.dur[row] - below;
  }

  /* -- a marked range */
  function mark(from, to) {
    range = to - from > 0 ? {from, to} : null;
    setState({r: range ? Math.round(from) + '-' + Math.round(to) : null}, true);
    fillPanel();
    redraw();
  }

  /* Sums over the range, clipped to it: exact but for bundles, which count as covered evenly. */
  function sumRange() {
    const byName = new Map(), busy = [];
    let slices = 0;
    for (const track of model.tracks) {
      const from = range.from - track.offset, to = range.to - track.offset;
      let outermost = 0;
      lanesOf(track).forEach((lane, depth) => {
        for (const row of rowsBetween(track, lane, from, to)) {
          const part = Math.min(to, endOf(track, row)) - Math.max(from, track.start[row]);
          slices += 1 + othersIn(track, row);
          if (depth === 0 && track.link) outermost += part;
          const isWork = Boolean(track.link), key = track.name[row] * 2 + Number(isWork);
          const sum = byName.get(key) || {name: track.name[row], isWork, time: 0, count: 0};
          sum.time += part;
          sum.count++;
          byName.set(key, sum);
        }
      });
      if (track.link) busy.push([trackName(track), outermost]);
    }
    return {slices, busy, names: [...byName.values()].sort((a, b) => b.isWork - a.isWork || b.time - a.time)};
  }
  function fillRange() {
    const sums = sumRange(), length = range.to - range.from;
    panel.replaceChildren(el('p', {}, el('b', {}, duration(length)), ` marked, ${plural(sums.slices, 'slice')}. `,
      sums.busy.map(([name, time]) => `${name}: ${figure(100 * time / length)} % busy. `), ' ',
      button('Unmark', () => mark(0, 0)), ' ', button('Fit', () => window_(range.from, range.to))),
    listTable(null, sums.names.slice(0, 10).map(one => [duration(one.time), figure(100 * one.time / length) + ' %',
      plural(one.count, 'slice'), el('span', {title: model.names[one.name]}, model.shorts[one.name])]), 3));
  }

  /* -- find, table */
  function search() {
    const word = find.value.toLowerCase();
    palette.hits = word ? model.names.map(name => name.toLowerCase().includes(word)) : null;
    clearPalette();
    found = null;
    if (word) {
      let count = 0, time = 0;
      for (const track of model.tracks)
        for (let i = 0; i < track.rows; i++)
          if (palette.hits[track.name[i]]) {
            count++;
            time += track.dur[i];
          }
      found = {count, time};
    }
    tell();
    redraw();
  }

  /* The next hit from what is selected, or the beginning of the window on, over all tracks. */
  function nextHit() {
    if (!palette.hits) return;
    const after = selected && palette.hits[selected.track.name[selected.row]] ? spanOf(selected).from : view.from - 1;
    let best = null;
    for (const track of model.tracks)
      for (let i = 0; i < track.rows; i++) {
        const start = track.start[i] + track.offset;
        if (start > after && palette.hits[track.name[i]] && (!best || start < best.start)) best = {start, track, row: i};
        if (start > after && best && start > best.start && i < track.late) break;
      }
    if (!best) return;
    select({track: best.track, row: best.row});
    reveal(selected);
  }
  function tell() {
    const bundles = page.slices > model.rows;
    note.textContent = found ? `${plural(found.count, 'hit')}, ${duration(found.time)}` :
      !model.isReady ? `reading: ${fixed(model.read, 0)} of ${fixed(model.rows, 0)} slices` :
        bundles ? (page.left_out[0] || '') : plural(model.rows, 'slice');
    const unsure = Math.max(...page.traces.map(trace => Math.abs(trace.unsure)));
    if (unsure && !model.own) note.textContent += `; clocks of ranks are unsure by ${duration(unsure)}, by when collectives end`;
    if (isAll && !seen) note.textContent += '; more launches than are drawn: zoom in';
  }
  function toggleTable() {
    press(asTable, !(table.hidden = !table.hidden));
    if (!table.hidden) fillTable();
  }
  function fillTable() {
    const most = layout.flatMap(rowsSeen);
    most.sort((a, b) => b.track.dur[b.row] - a.track.dur[a.row]);
    table.replaceChildren(listTable(['start', 'duration', 'name', 'track'], most.slice(0, 200).map(one =>
      [duration(one.track.start[one.row]), duration(one.track.dur[one.row]),
        link(one, shortOf(one)), trackName(one.track)]), 2, 'The 200 longest slices that are seen'));
  }
  function toggleArrows() {
    press(allArrows, isAll = !isAll);
    tell();
    redraw();
  }
  async function toggleFrames(isShown = !model.frames) {
    press(frames, isShown);
    setState({f: isShown ? 1 : null}, true);
    await showFrames(isShown, place);
  }

  /* -- keys */
  /* The next slice on the lane, or the nearest one on another lane. */
  function step(along, across) {
    if (!selected) {
      for (const {track, lane} of layout)
        for (const row of rowsBetween(track, lane, view.from - track.offset, Infinity)) return select({track, row});
      return;
    }
    const {track, row} = selected, time = track.start[row];
    let at = layout.findIndex(one => one.track === track && isOn(one.lane, track, row));
    if (at < 0) return reveal(selected);
    if (along) {
      const {lane} = layout[at], place = firstFrom(track, lane.rows, time) + along;
      if (place >= 0 && place < lane.rows.count) select({track, row: lane.rows.items[place]}, false);
    } else {
      const line = layout[at + across];
      if (!line) return;
      const from = time + track.offset - line.track.offset, rows = line.lane.rows;
      const place = Math.min(firstReaching(line.track, line.lane, from), rows.count - 1);
      if (place >= 0) select({track: line.track, row: rows.items[place]}, false);
    }
    if (selected) reveal(selected);
  }
  function sameName(by) {
    if (!selected) return;
    const {track, row} = selected;
    for (let i = row + by; i >= 0 && i < track.rows; i += by)
      if (track.name[i] === track.name[row]) {
        select({track, row: i}, false);
        return reveal(selected);
      }
  }
  function key(event) {
    if (event.target.closest('button') && (event.key === 'Enter' || event.key === ' ')) return false;
    const actions = new Map([
      ['w', () => zoom(0.6)], ['s', () => zoom(1 / 0.6)], ['a', () => move(-0.2)], ['d', () => move(0.2)],
      ['ArrowRight', () => step(1, 0)], ['ArrowLeft', () => step(-1, 0)], ['ArrowUp', () => step(0, -1)],
      ['ArrowDown', () => step(0, 1)], [',', () => sameName(-1)], ['.', () => sameName(1)],
      ['f', () => selected && fit(selected)], ['0', () => window_(model.from, model.to)],
      ['p', () => toggleFrames()], ['F', toggleArrows], ['m', () => selected && mark(spanOf(selected).from, spanOf(selected).to)],
      ['Home', () => window_(model.from, model.from + view.to - view.from)],
      ['End', () => window_(model.to - view.to + view.from, model.to)],
      ['g', () => {
        const to = selected && (selected.launcher || selected.launched[0]);
        if (to) { select(to); reveal(to); }
      }],
      ['Escape', () => range ? mark(0, 0) : select(null)],
    ]);
    const action = actions.get(event.key);
    if (!action) return false;
    action();
    return true;
  }

  /* -- pointer */
  let drag = null;
  const touches = new Map();
  canvas.addEventListener('pointerdown', event => {
    const x = event.offsetX;
    touches.set(event.pointerId, x);
    drag = {x, from: view.from, to: view.to, isRange: event.shiftKey, moved: false, at: timeAt(x)};
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', event => {
    if (!drag) return hover(event);
    const x = event.offsetX;
    if (touches.size === 2) {
      const [one, other] = [...touches.values()], before = Math.abs(one - other);
      touches.set(event.pointerId, x);
      const [left, right] = [...touches.values()];
      return zoom(before / Math.max(1, Math.abs(left - right)), (left + right) / 2);
    }
    touches.set(event.pointerId, x);
    if (Math.abs(x - drag.x) > 3) drag.moved = true;
    if (!drag.moved) return;
    const time = (x - drag.x) / view.width * (drag.to - drag.from);
    if (drag.isRange) mark(Math.min(drag.at, timeAt(x)), Math.max(drag.at, timeAt(x)));
    else window_(drag.from - time, drag.to - time);
  });
  canvas.addEventListener('pointerup', event => {
    touches.delete(event.pointerId);
    if (drag && !drag.moved) {
      range = null;
      select(hit(event.offsetX, event.offsetY));
    }
    drag = null;
  });
  canvas.addEventListener('pointercancel', () => { drag = null; touches.clear(); });
  canvas.addEventListener('pointerleave', hideTip);
  canvas.addEventListener('dblclick', () => selected && fit(selected));
  canvas.addEventListener('wheel', event => {
    if (event.ctrlKey || event.metaKey) zoom(Math.exp(event.deltaY / 300), event.offsetX);
    else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) move((event.deltaX || event.deltaY) / 1000);
    else return;
    event.preventDefault();
  }, {passive: false});
  map.addEventListener('click', event => {
    const share = (event.offsetX - view.left) / view.width, at = model.from + share * (model.to - model.from);
    window_(at - (view.to - view.from) / 2, at + (view.to - view.from) / 2);
  });

  /* -- state */
  const spanIn = text => /^(-?\d{1,16})-(-?\d{1,16})$/.exec(text || '');
  function fromState() {
    press(ownStarts, model.own = state.get('a') === '1');
    if (model.isReady) setOffsets();
    const times = spanIn(state.get('t')), marked = spanIn(state.get('r')), id = Number(state.get('s'));
    if (times && Number(times[2]) > Number(times[1])) {
      view.from = Number(times[1]);
      view.to = Number(times[2]);
      isPlaced = true;
    } else if (!isPlaced || model.isReady) {
      view.from = model.from;
      view.to = Math.max(model.to, model.from + 1);
    }
    range = marked ? {from: Number(marked[1]), to: Number(marked[2])} : null;
    for (const word of (state.get('x') || '').split('_')) {
      const [number, how] = word.split('.').map(Number);
      if (how >= 0 && how <= 2) opened.set(number, how);
    }
    const now = selected ? selected.track.id[selected.row] : 0;
    if (id && id !== now && model.isReady) {
      const one = findEvent(id);
      if (one) select(one, false);
      if (one && !times) fit(one);
      if (one) reveal(one);
    } else if (!id) selected = null;
    if (find.value !== (state.get('q') || '')) {
      find.value = state.get('q') || '';
      search();
    }
  }

  new ResizeObserver(resize).observe(box);
  await slicesRead(() => {
    if (!state.get('t') && !isPlaced) {
      view.from = model.from;
      view.to = model.to;
    }
    tell();
    place();
  });
  if (state.get('f') === '1') await toggleFrames(true);
  frames.hidden = !model.kinds.includes('frame');
  ownStarts.hidden = !page.traces.some(trace => trace.offset);
  fromState();
  fillPanel();
  place();
  return {
    key,
    update: () => { fromState(); place(); fillPanel(); },
    repaint: () => { clearPalette(); redraw(); },
    test: {view, draw, layout: () => layout, seen: () => seen, select, hit, window: window_, selected: () => selected},
  };
}
