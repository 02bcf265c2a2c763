/* timeline: every slice, in tracks: the view, what is selected in it, and how one moves. */

const EDGE_WORDS = new Map([['forward_backward', ['forward ', ', backward ']],
  ['sync', ['awaited ', ' by ']]]);
const NAMES = 190, AXIS = 24, OPEN_LANES = 6, MINIMAP = 30;
defineView('timeline', 'Timeline', () => page.blocks.some(block => block.kind === 'slices'),
  openTimeline);
async function openTimeline(element) {
  const view = {from: 0, to: 1, left: NAMES, width: 800};
  let layout = [], strips = [], curves = [], selected = null, range = null, hovered = null,
    frame = 0, pen = null, mapPen = null;
  let isAll = false, seen = [], isPlaced = false, found = null;
  const opened = new Map();
  const note = status('span', 'reading slices');
  const find = fill(searchBox('find slices', 'find slices',
    () => { setState({q: find.value}, true); search(); }), {onkeydown: event => {
      if (event.key === 'Enter') nextHit();
      else if (event.key === 'Escape') unfind();
    }}, []);
  const frames = toggle('Python frames', () => toggleFrames(), 'key p'),
    asTable = toggle('As table', toggleTable), gaps = toggle('Squeeze gaps', toggleGaps, 'key z');
  const allArrows = toggle('Arrows', () => toggleArrows(), 'all launches that are seen; key F');
  const ownStarts = toggle('Own starts', () => go({a: model.own ? null : 1, t: null, r: null}),
    'each trace from its own start, not on the clock that they share');
  const align = toggle('Align', () => go({l: state.get('l') || !selected ? null : idOf(selected),
    t: null, r: null}), 'the selected slice, or its step, begins at one time in all traces');
  const map = el('canvas', {class: 'minimap', 'aria-hidden': 'true', onclick: event => {
    const at = timeAt(event.offsetX, {...view, ...wholeTime()}), half = (view.to - view.from) / 2;
    window_(at - half, at + half);
  }});
  const canvas = el('canvas', {class: 'lanes', tabindex: 0, role: 'application',
    'aria-label': 'timeline', 'aria-describedby': 'timeline-keys'},
      'The timeline as a picture; "As table" lists it.');
  const spacer = el('div', {class: 'spacer'}), names = el('div', {class: 'names'});
  const box = el('div', {class: 'lanes-box',
    onscroll: () => { setState({y: Math.round(box.scrollTop) || null}, true); redraw(); }}, canvas,
    names, spacer);
  const panel = el('div', {class: 'panel'}),
    table = el('div', {class: 'scroll longest', hidden: true});
  const tip = el('div', {class: 'tip', hidden: true}), colours = el('ul', {class: 'legend'});
  element.append(el('div', {class: 'tools'}, find, frames, allArrows, ownStarts,
    page.traces.length > 1 ? align : null,
    button('All', () => window_(model.from, model.to), {title: 'key 0'}),
    gaps, asTable, note), el('p', {class: 'unseen', id: 'timeline-keys'},
    'Arrows move between slices, w and s zoom, a and d move, g goes to what launched a slice.'),
  map, box, colours, table, panel, tip);

  /* -- layout */
  const label = (track, row) => {
    const name = shortOf({track, row});
    const op = track.link && !othersIn(track, row) ? launcherOf(track, row) : '';
    return (op ? op + ' · ' : '') + name +
      (othersIn(track, row) ? ` (${plural(othersIn(track, row) + 1, 'slice')})` : '');
  };
  const launcherCache = new Map();
  const launcherOf = (track, row) => kept(launcherCache, track.id[row],
    () => launcherName(track, row), 50000);

  /* Devices first, the busiest stream of each on top, then annotations, then the fullest
   * threads. */
  function sortedTracks() {
    const rank = track => track.info.kind === 'stream' ? 0 : track.info.kind === 'marks' ? 1 : 2;
    const other = track => page.sides.length &&
      (page.traces[track.info.trace] || {}).run !== page.sides[0];
    const device = track => rank(track) ? 0 : Number(track.info.process) || 0;
    return [...model.tracks].sort((a, b) => other(a) - other(b) ||
      a.info.trace - b.info.trace || rank(a) - rank(b) || device(a) - device(b) ||
      b.total - a.total || a.number - b.number);
  }

  /* GPU 0; where a trace is of other devices: device 0. */
  const isTt = ({trace}) => (page.traces[trace] || {}).format === 'ttmetal';
  const deviceOf = info => isTt(info) ? 'device ' + info.process :
    info.group.replace(/^.*\/(device|host):/, '').replace(/:(?=\d)/, ' ') || 'GPU ' + info.process;
  const isDevice = info => page.tracks.some(one => one.kind === 'stream' &&
    one.trace === info.trace && one.process === info.process &&
    (one.thread === info.thread || Number(info.thread) < 0)); // -1: events of no stream
  const isStream = info => info.kind === 'stream' || info.name.startsWith('priority') ||
    isDevice(info);
  function trackName({info, isFrames}) {
    const {kind, name, thread, process, group} = info, isOf = isStream(info);
    // Tenstorrent has no streams
    const number = isTt(info) || Number(thread) < 0 ? '' : 'stream ' + thread;
    const words = isOf ? [/^(priority.*)?$/.test(name) ? [number, name].filter(Boolean).join(', ') :
      name] :
      [name || (/^-?\d+$/.test(thread) ? Number(thread) > 0 ? 'thread ' + thread : '' : thread)];
    const whose = isOf ? deviceOf(info) : group ? deviceOf(info) : words[0] || process < 0 ? '' :
      (isFinite(process) ? 'process ' : '') + process;
    if (whose && !words[0].includes(whose)) words.push(whose);
    const first = isFrames ? 'Python frames' : kind === 'marks' ? 'annotations' : '';
    return [first, ...words].map(word => word.trim()).filter(Boolean).join(' · ');
  }
  function place() {
    const tracks = sortedTracks(), rows = [];
    let y = AXIS, trace = -1, threads = 0;
    const add = (text, isGroup) => { rows.push({y, text, isGroup}); y += LANE + (isGroup ? 0 : 2);
      };
    const placeCurves = isQueue => model.curves.filter(one =>
      one.trace === trace && Boolean(one.queue) === isQueue)
      .forEach(curve => { curves.push({y, curve}); add(curveName(curve)); });
    layout = [], strips = [], curves = [];
    for (const track of tracks) {
      if (track.info.trace !== trace) {
        placeCurves(false);
        trace = track.info.trace;
        threads = 0;
        if (page.traces.length > 1) add(traceName(page.traces[trace]), true);
        const streams = tracks.filter(one =>
          one.info.trace === trace && one.info.kind === 'stream' && lanesOf(one).length);
        for (const process of new Set(streams.map(one => one.info.process))) {
          const own = streams.filter(one => one.info.process === process);
          strips.push(...own.map(one => ({track: one, lane: lanesOf(one)[0], y, label: () => ''})));
          add('busy · ' + deviceOf(own[0].info));
        }
        placeCurves(true);
      }
      const isUsual = track.info.kind !== 'thread' || lanesOf(track).length && ++threads <= 2;
      for (const isFrames of [false, true]) {
        const all = isFrames ? frameLanes(track) : plainLanes(track);
        if (!all.length) continue;
        const number = isFrames ? -1 - track.number : track.number;
        const how = opened.get(number) ?? Number(isUsual);
        const count = how === 2 ? all.length : Math.min(all.length, how ? OPEN_LANES : 1);
        rows.push({y, track, number, all: all.length, how, hidden: all.length - count,
          text: trackName({...track, isFrames})});
        all.slice(0, count).forEach((lane, depth) =>
          layout.push({track, lane, y: y + depth * LANE, depth, label}));
        y += count * LANE + 6;
      }
    }
    placeCurves(false);
    spacer.style.setProperty('height', y + 'px');
    names.replaceChildren(...rows.map(row => {
      const made = !row.track ? el('div', {class: row.isGroup ? 'group' : 'curve', title: row.text},
        row.text)
        : button([(row.how ? '▾ ' : '▸ ') + row.text,
          row.hidden ? el('small', {}, ' +' + row.hidden) : null],
          () => turn(row), {title: row.text, 'aria-expanded': row.how > 0 ? 'true' : 'false'});
      made.style.setProperty('top', row.y + 'px');
      return made;
    }));
    resize();
  }

  const COLOURS = [['kernel', 'compute'], ['comm', 'communication'], ['copy', 'memcpy, memset'],
    ['op', 'CPU op'], ['call', 'runtime call'], ['frame', 'Python frame or module'],
    ['mark', 'annotation'], ['other', 'other']];
  function fillColours() {
    const kinds = new Set(model.kinds), known = COLOURS.filter(([kind]) => kinds.has(kind));
    colours.replaceChildren(...[...known, ['idle', 'idle']].map(([kind, words]) => {
      const sign = el('i');
      sign.style.setProperty('background', `var(--${kind === 'idle' ? 'ground' : 'kind-' + kind})`);
      return el('li', {}, sign, words);
    }));
  }

  /* Closed, six lanes, all lanes. */
  function turn(row) {
    opened.set(row.number, row.how === 0 ? 1 : row.how === 1 && row.all > OPEN_LANES ? 2 : 0);
    setState({x: [...opened].map(([number, how]) => number + '.' + how).join('_')}, true);
    place();
    const at = [...names.children].find(child => child.title === row.text);
    if (at) at.focus();
  }

  /* -- drawing */
  function resize() {
    view.left = Math.min(NAMES, Math.round(box.clientWidth * 0.3));
    view.width = Math.max(100, box.clientWidth - view.left);
    names.style.setProperty('width', view.left - 2 + 'px');
    mapPen = penOf(map, box.clientWidth, MINIMAP);
    pen = penOf(canvas, box.clientWidth, box.clientHeight);
    redraw();
  }
  function redraw() { if (!frame) frame = requestAnimationFrame(draw); }

  /* Slices of a lane in the window. */
  function* rowsSeen({track, lane}) {
    for (const row of rowsBetween(track, lane, view.from - track.offset,
      view.to - track.offset)) yield {track, row};
  }
  const xOf = (time, of = view) => of.left + (time - of.from) / (of.to - of.from) * of.width;
  const timeAt = (x, of = view) => of.from + (x - of.left) / of.width * (of.to - of.from);
  function draw() {
    frame = 0;
    if (!canvas.width || !canvas.height || element.hidden) return;
    const top = box.scrollTop, height = box.clientHeight;
    const inView = list => list.filter(one =>
      one.y + LANE > top + AXIS && one.y < top + height).map(one => ({...one, y: one.y - top}));
    const shown = inView(layout);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.save();
    pen.clip(new Path2D(boxPath(view.left, AXIS, view.width, height)));
    drawLanes(pen, inView(strips), view);
    inView(curves).forEach(drawCurve);
    drawLanes(pen, shown, view);
    drawMarks(shown, height);
    pen.restore();
    drawAxis(height);
    drawMap();
  }
  const curveName = curve => curve.name +
    `${curve.device === null ? '' : ' · GPU ' + curve.device}: ` +
    `≤ ${amount(curve.most, curve.unit)}`;
  const amount = (value, unit) => unit === 'bytes' ? bytesText(value) :
    figure(value) + (unit ? ' ' + unit : '');

  /* The greatest value in a stretch of time: of its samples, and of the one that holds at its
   * start. */
  function valueIn({time, value}, from, to) {
    const at = firstWhere(0, time.length, i => time[i] <= from);
    let most = at ? value[at - 1] : 0;
    for (let i = at; i < time.length && time[i] < to; i++) most = Math.max(most, value[i]);
    return most;
  }
  function drawCurve({curve, y}) {
    const wide = (view.to - view.from) / view.width;
    pen.fillStyle = cssOf('kind-call');
    for (let x = 0; x < view.width; x++) {
      const from = recorded(timeAt(view.left + x)) - startOf(curve.trace);
      const tall = Math.max(0, valueIn(curve, from, from + wide) / (curve.most || 1)) * (LANE - 2);
      pen.fillRect(view.left + x, y + LANE - tall, 1, tall);
    }
  }
  /* The examples of checks that traces do not pass. */
  const marksSeen = () => (page.marks || []).map(one => {
    const trace = page.traces.findIndex(other => other.id === one.trace_id);
    return {...one, x: xOf(through(one.at + startOf(trace), 0, 2))};
  }).filter(one => one.x >= view.left && one.x < view.left + view.width);
  function drawAxis(height) {
    for (const {x, verdict} of marksSeen()) {
      pen.fillStyle = cssOf(verdict === 'broken' ? 'fault' : 'k1');
      pen.fill(new Path2D(`M${x - 5} 0h10l-5 9z`));
      pen.fillRect(x, 0, 1, height);
    }
    let path = `M0 ${AXIS - 0.5}H${box.clientWidth}M${view.left - 0.5} 0V${height}`;
    pen.fillStyle = cssOf('faint');
    for (const [time, text] of timeTicks(view.from, view.to, view.width / 110)) {
      const x = Math.round(xOf(time)) + 0.5;
      path += `M${x} ${AXIS - 6}V${AXIS}`;
      if (x + 4 + widthOfText(pen, text) <= box.clientWidth) pen.fillText(text, x + 4, AXIS / 2);
    }
    drawPath(pen, 'line', 1, path);
    for (const [from, to, at, end] of model.gaps.filter(gap =>
      gap[3] > view.from && gap[2] < view.to)) {
      const x = Math.max(view.left, xOf(at)), wide = xOf(end) - x;
      pen.fillStyle = cssOf('line');
      pen.fillRect(x, AXIS, wide, height);
      drawLabel(pen, duration(to - from), cssOf('faint'), x + 2, height - 9, wide - 4);
    }
  }

  /* The selection, the hovered and marked slices, and the arrows of launches. */
  function drawMarks(shown, height) {
    if (range) {
      pen.fillStyle = cssOf('kind-mark');
      pen.globalAlpha = 0.18;
      pen.fillRect(xOf(range.from), 0, xOf(range.to) - xOf(range.from), height);
      pen.globalAlpha = 1;
    }
    const lineOf = ({track, row}) => shown.find(one =>
      one.track === track && isOn(one.lane, track, row));
    for (const one of selected ? [selected, ...selected.together.slice(0, 1)] : []) {
      const x = xOf(spanOf(one).from), wide = Math.max(2, xOf(spanOf(one).to) - x);
      if (lineOf(one)) drawPath(pen, 'ink', 2, boxPath(x, lineOf(one).y - 0.5, wide, LANE - 1));
    }
    seen = isAll ? arrowsSeen() : [];
    if (isAll) tell();
    drawPath(pen, 'ink', 1.5, [...selected ? selected.arrows : [],
      ...seen || []].map(([from, to]) => {
      const one = lineOf(from), other = lineOf(to), x = xOf(spanOf(from).from),
        toX = xOf(spanOf(to).from);
      if (!one || !other) return '';
      const y = one.y + LANE / 2, toY = other.y + LANE / 2,
        bend = Math.min(60, Math.abs(toX - x) / 2 + 8);
      return `M${x} ${y}C${x + bend} ${y} ${toX - bend} ${toY} ${toX} ${toY}l-6 -4m6 4l-6 4`;
    }).join(''));
  }

  /* The launches in the window, while there are few enough. */
  function arrowsSeen() {
    const ARROWS_MOST = 500, found = [];
    for (const line of layout.filter(one => one.track.link))
      for (const one of rowsSeen(line)) {
        const call = callOf(one);
        if (call && found.push([call, one]) > ARROWS_MOST) return null;
      }
    return found;
  }
  const isOn = (lane, track, row) => [...rowsBetween(track, lane, track.start[row],
    track.start[row] + 1)].includes(row);

  /* The first stream over the whole time, and the window in it. */
  function drawMap() {
    mapPen.clearRect(0, 0, map.width, map.height);
    if (!layout.length) return;
    const whole = {...view, ...wholeTime()}, x = xOf(view.from, whole);
    drawLanes(mapPen, [{...layout[0], y: 6, label: () => ''}], whole);
    drawPath(mapPen, 'ink', 2, boxPath(x, 1, Math.max(3, xOf(view.to, whole) - x), MINIMAP - 2));
  }

  /* The first view: from the first to the last GPU activity or profiler step, with a margin. */
  function firstTime() {
    const isStep = model.names.map(name => /^ProfilerStep#/.test(name));
    let from = Infinity, to = -Infinity;
    const take = (first, last) => { from = Math.min(from, first); to = Math.max(to, last); };
    for (const track of model.tracks) {
      if (track.link && track.rows) take(track.least + track.offset, track.most + track.offset);
      for (let row = 0; track.info.kind === 'marks' && row < track.rows; row++)
        if (isStep[track.name[row]]) take(spanOf({track, row}).from, spanOf({track, row}).to);
    }
    const whole = wholeTime(), margin = 0.03 * (to - from);
    return to > from ? {from: Math.max(whole.from, from - margin),
      to: Math.min(whole.to, to + margin)} : whole;
  }
  const wholeTime = () => ({from: model.from, to: Math.max(model.to, model.from + 1)});

  /* -- moving */
  function window_(from, to) {
    const LEAST = 20, wide = Math.min(Math.max(to - from, LEAST),
      Math.max(1, model.to - model.from) * 1.1);
    view.from = Math.min(Math.max((from + to) / 2, model.from), model.to) - wide / 2;
    view.to = view.from + wide;
    setState({t: Math.round(view.from) + '-' + Math.round(view.to)}, true);
    hideTip();
    if (!table.hidden) fillTable();
    redraw();
  }
  function zoom(factor, x = view.left + view.width / 2) {
    const at = timeAt(x), share = (x - view.left) / view.width,
      wide = (view.to - view.from) * factor;
    window_(at - share * wide, at - share * wide + wide);
  }

  const move = share => window_(view.from + share * (view.to - view.from),
    view.to + share * (view.to - view.from));
  function fit(one) {
    const span = spanOf(one), margin = Math.max((span.to - span.from) * 0.15, 10);
    window_(span.from - margin, span.to + margin);
  }

  /* Past a gap: to the next GPU activity behind the window, or to the last one before it. */
  function skipGap(by) {
    let best = null, least = Infinity;
    for (const track of model.tracks.filter(one => one.link && one.rows)) {
      const time = (by > 0 ? view.to : view.from) - track.offset;
      const at = firstWhere(0, track.rows, row => track.start[row] < time) - (by < 0);
      const away = by * (track.start[at] - time);
      if (at >= 0 && at < track.rows && away < least) [best, least] = [{track, row: at}, away];
    }
    if (!best) return say('no more GPU activity');
    const {from, to} = spanOf(best), wide = view.to - view.from;
    if (by > 0) window_(from - wide / 20, from + wide * 0.95);
    else window_(to - Math.max(wide * 0.95, to - from), to + wide / 20);
  }

  /* Moves just as far as it takes to see a slice. */
  function reveal(one) {
    const span = spanOf(one), wide = view.to - view.from;
    if (span.to < view.from || span.from > view.to || span.to - span.from < wide / 2000) {
      const width = Math.min(wide, Math.max((span.to - span.from) * 12, 2000));
      window_((span.from + span.to) / 2 - width / 2, (span.from + span.to) / 2 + width / 2);
    }
    const ofFrames = isFrame(one.track, one.row);
    const all = ofFrames ? frameLanes(one.track) : plainLanes(one.track);
    const depth = all.findIndex(lane => isOn(lane, one.track, one.row));
    const find = () => layout.find(place => place.lane === all[depth]);
    if (depth >= 0 && !find()) {
      opened.set(ofFrames ? -1 - one.track.number : one.track.number, depth < OPEN_LANES ? 1 : 2);
      place();
    }
    const line = find();
    if (!line) return;
    if (line.y < box.scrollTop + AXIS) box.scrollTop = line.y - AXIS - LANE;
    else if (line.y + LANE > box.scrollTop + box.clientHeight) box.scrollTop = line.y +
      2 * LANE - box.clientHeight;
    redraw();
  }

  /* -- what is where */
  function hit(x, y) {
    if (x < view.left || y < AXIS) return null;
    const line = layout.find(one => y + box.scrollTop >= one.y && y + box.scrollTop < one.y + LANE);
    return line ? nearest(line, timeAt(x) - line.track.offset, (view.to - view.from) / view.width) :
      null;
  }

  /* The slice at a time; else the longest that starts in that pixel or beside it. */
  function nearest({track, lane}, time, pixel) {
    const at = firstReaching(track, lane, time), row = lane.rows.items[at];
    if (at < lane.rows.count && track.start[row] <= time) return {track, row};
    const from = firstFrom(track, lane.rows, time - 1.5 * pixel),
      to = firstFrom(track, lane.rows, time + 1.5 * pixel);
    return to > from ? {track, row: summary(track, lane, from, to).longest} : null;
  }
  function words({track, row}) {
    const count = othersIn(track, row);
    return `${nameOf({track, row})}, ${duration(raw(track).dur[row])}` +
      (count ? `, ${plural(count + 1, 'slice')} that cover ` +
      `${duration(raw(track).dur[row] - track.gap[row])}` : '');
  }
  function hideTip() { tip.hidden = true; hovered = null; }
  function hover(event) {
    hovered = hit(event.offsetX, event.offsetY);
    const y = event.offsetY + box.scrollTop,
      over = curves.find(one => y >= one.y && y < one.y + LANE);
    const mark = event.offsetY < AXIS &&
      marksSeen().find(one => Math.abs(one.x - event.offsetX) < 6);
    tip.hidden = !hovered && !over && !mark;
    canvas.style.setProperty('cursor', hovered ? 'pointer' : 'default');
    if (tip.hidden) return;
    const time = over ? recorded(timeAt(event.offsetX)) - startOf(over.curve.trace) : 0;
    if (mark) tip.replaceChildren(el('b', {}, mark.check), el('br'), mark.verdict);
    else if (over) tip.replaceChildren(el('b', {},
      amount(valueIn(over.curve, time, time), over.curve.unit)), el('br'), over.curve.name);
    else tip.replaceChildren(el('b', {}, shortOf(hovered)), el('br'), words(hovered), el('br'),
      el('span', {class: 'faint'}, trackName(hovered.track)));
    tip.style.setProperty('left', Math.min(event.clientX + 14, innerWidth - 340) + 'px');
    tip.style.setProperty('top', Math.min(event.clientY + 16, innerHeight - 110) + 'px');
  }

  /* -- selection */
  function select(one, isStep = true) {
    selected = one;
    if (one) {
      one.launcher = callOf(one);
      one.launched = one.track.link ? [] : launchedBy(one);
      one.together = (model.together.get(idOf(one)) || []).map(findEvent).filter(Boolean);
      const whole = [one, ...parentsOf(one.launcher || one)].map(idOf).find(id =>
        model.edges.has(id));
      one.edges = (model.edges.get(whole) || []).map(([from, to, kind]) =>
        ({ends: [from, to].map(findEvent), kind})).filter(edge => edge.ends.every(Boolean));
      one.arrows = [...one.edges.map(edge => edge.ends),
        ...one.launcher ? [[one.launcher, one]] : [],
        ...one.launched.slice(0, 200).map(other => [callOf(other) || one, other]),
        ...one.together.slice(1).map(other => [one.together[0], other])];
      say(words(one) + ', ' + trackName(one.track));
    }
    setState({s: one ? idOf(one) : null}, !isStep);
    fillPanel();
    redraw();
  }
  function jump(one, isStep) {
    select(one, isStep);
    reveal(one);
  }

  const link = (one, text) => button(text, () => jump(one), {class: 'plain'});
  function fillPanel() {
    if (range) return fillRange();
    if (!selected) {
      panel.replaceChildren(
        faint('Click a slice, or move with the arrows; Shift and drag marks a range.'));
      return;
    }
    const {track, row, launcher, launched, together, edges} = selected, number = idOf(selected),
      start = raw(track).start[row];
    const op = opOf(selected), rate = el('p');
    const parents = parentsOf(selected).reverse(), more = el('p', {class: 'faint details'}),
      lines = [];
    const line = (...words) => lines.push(el('p', {}, ...words));
    line(`at ${duration(start)}, for `, el('b', {}, duration(raw(track).dur[row])),
      track.link ? '' : `, itself ${duration(selfTime(selected))}`,
        `, ${trackName(track)}, event ${number}`);
    if (othersIn(track, row)) line(words(selected));
    if (launcher)
      line('launched by ', link(launcher, nameOf(launcher)),
        `, ${duration(start - raw(launcher.track).start[launcher.row])} before`,
        op ? [', in ', link(op, shortOf(op))] : '');
    if (together.length > 1) {
      const rankOf = one => traceName(page.traces[one.track.info.trace]),
        [late, ...others] = together;
      const waitOf = one => sharedStart(late) - sharedStart(one);
      const isLate = number === idOf(late), shown = others.filter(one => idOf(one) !== number);
      line(`of a collective of ${plural(together.length, 'rank')}: `, isLate ?
        `${rankOf(late)} started last, the others waited ` : `${rankOf(selected)} waited `,
      isLate ? '' : [duration(waitOf(selected)), ' for ', link(late, rankOf(late))],
      shown.slice(0, 7).flatMap((one, i) => [i ? ', ' : isLate ? '' : '; others: ',
        link(one, rankOf(one)), ' ' + duration(waitOf(one))]), shown.length > 7 ? ' …' : '');
    }
    if (launched.length)
      line(`launched ${activities(launched.length)}, ` +
        `${duration(sumOf(launched, one => raw(one.track).dur[one.row]))}: `,
        launched.slice(0, 3).flatMap(one => [link(one, shortOf(one)), ' ']),
          launched.length > 3 ? '…' : '');
    for (const {ends: [from, to], kind} of edges.slice(0, 4)) {
      const [before, between] = EDGE_WORDS.get(kind) || ['arrow from ', ' to '];
      line(before, link(from, nameOf(from)), between, link(to, nameOf(to)),
        `, ${duration(raw(to.track).start[to.row] - endOf(raw(from.track), from.row))} later`);
    }
    if (parents.length) line('in ', parents.slice(-8).flatMap((one, i) =>
      [i ? ' › ' : '', link(one, shortOf(one))]));
    panel.replaceChildren(el('p', {class: 'whole-name'}, el('b', {}, nameOf(selected))), ...lines,
      rate, more, faint(el('code', {}, `tpq tree ${number}`), ' · ',
        el('code', {},
          `tpq export --time ${start}ns-${endOf(raw(track), row)}ns -o part.pftrace`)));
    details(selected, more);
    if (op) fillRate(selected, op, rate);
  }

  /* The roofline's figures of the calls of an op of these dims. */
  async function fillRate(one, op, element) {
    const signature = op.track.op[op.row],
      all = signature ? await jsonBlock(blockOf('signatures')) : [];
    for (const sheet of sheetsOf('roofline')) {
      const open = await openSheet(sheet), [, , x, y, ceiling] = open.data.chart || [];
      const dims = open.columns.find(column => column.form === 'tuple');
      const row = dims && y ? upTo(open.rows).find(at =>
        open.at(at, 'name') === nameOf(op) && open.at(at, y) !== null &&
        dims.cells[at] === ((all[signature - 1] || [])[0] || null)) : undefined;
      if (row === undefined || selected !== one) continue;
      const rate = open.at(row, y);
      element.replaceChildren(`all calls of ${shortOf(op)} with these shapes: `,
        el('b', {}, `${figure(rate)} TFLOP/s`),
        `, ${figure(open.at(row, x))} FLOP/byte, ${figure(rate / open.at(row, x))} TB/s, `,
        `roofline ${figure(100 * rate / open.at(row, ceiling))} %`);
      return;
    }
  }
  async function details(one, element) {
    const {op, args} = one.track, given = [['signatures', op[one.row]],
      ['arguments', args[one.row]]].filter(pair => pair[1]);
    const texts = await Promise.all(given.map(async ([kind, at]) =>
      (await jsonBlock(blockOf(kind)))[at - 1]));
    if (selected === one) element.textContent = visible(texts.flat().filter(Boolean).join('  '));
  }

  /* Without what is directly below on its thread. */
  function selfTime({track, row}) {
    const end = endOf(track, row);
    let below = 0, at = track.start[row];
    for (let i = row + 1; i < track.rows && i < track.late && track.start[i] < end; i++) {
      if (!model.frames && model.kinds[track.name[i]] === 'frame') continue;
      const to = endOf(track, i);
      if (track.start[i] >= at && to <= end) {
        below += raw(track).dur[i];
        at = to;
      }
    }
    return raw(track).dur[row] - below;
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
      const from = recorded(range.from) - track.offset, to = recorded(range.to) - track.offset;
      let outermost = 0;
      lanesOf(track).forEach((lane, depth) => {
        for (const row of rowsBetween(track, lane, range.from - track.offset,
          range.to - track.offset)) {
          const {start} = raw(track),
            part = Math.min(to, endOf(raw(track), row)) - Math.max(from, start[row]);
          slices += 1 + othersIn(track, row);
          if (depth === 0 && track.link) outermost += part;
          const isWork = Boolean(track.link), name = track.name[row];
          const sum = kept(byName, name * 2 + Number(isWork),
            () => ({name, isWork, time: 0, count: 0}));
          sum.time += part;
          sum.count += 1 + othersIn(track, row);
        }
      });
      if (track.link) busy.push([trackName(track), outermost]);
    }
    return {slices, busy, names: [...byName.values()].sort((a, b) =>
      b.isWork - a.isWork || b.time - a.time)};
  }
  function fillRange() {
    const sums = sumRange(), length = recorded(range.to) - recorded(range.from);
    panel.replaceChildren(el('p', {}, el('b', {}, duration(length)),
      ` marked, ${plural(sums.slices, 'slice')}. `,
      sums.busy.map(([name, time]) => `${name}: ${figure(100 * time / length)} % busy. `), ' ',
      button('Unmark', () => mark(0, 0)), ' ', button('Fit', () => window_(range.from, range.to))),
    listTable(null, sums.names.slice(0, 10).map(one =>
      [duration(one.time), figure(100 * one.time / length) + ' %',
      plural(one.count, 'slice'), el('span', {title: model.names[one.name]},
        model.shorts[one.name])]), 3));
  }

  /* -- find, table */
  function search() {
    const word = find.value.toLowerCase();
    palette.hits = word ? model.names.map(name => name.toLowerCase().includes(word)) : null;
    clearPalette();
    found = word && {count: 0, time: 0, frames: 0};
    if (word && !model.frames) {
      for (const {track, row} of hits()) if (isFrame(track, row)) found.frames++;
      palette.hits = palette.hits.map((isHit, name) => isHit && model.kinds[name] !== 'frame');
    }
    for (const {track, row} of hits()) {
      found.count += 1 + othersIn(track, row);
      found.time += raw(track).dur[row];
    }
    tell();
    redraw();
  }
  function unfind() {
    find.value = '';
    setState({q: null}, true);
    search();
  }
  function* hits() {
    for (const track of palette.hits ? model.tracks : [])
      for (let row = 0; row < track.rows; row++) if (palette.hits[track.name[row]]) yield {track,
        row};
  }

  /* The next hit from what is selected, or the beginning of the window on, over all tracks. */
  function nextHit() {
    const after = selected && palette.hits && palette.hits[selected.track.name[selected.row]] ?
      spanOf(selected).from : view.from - 1;
    let best = null, least = Infinity;
    for (const one of hits()) {
      const start = spanOf(one).from;
      if (start > after && start < least) [best, least] = [one, start];
    }
    if (best) jump(best);
  }
  function tell() {
    const bundles = page.slices > model.rows;
    note.textContent = found ? `${plural(found.count, 'hit')}, ${duration(found.time)}` +
      (found.frames ? `; ${plural(found.frames, 'hit')} in hidden Python frames (key p)` : '') :
      !model.isReady ? `reading: ${fixed(model.read, 0)} of ${fixed(model.rows, 0)} slices` :
        bundles ? (page.not_included[0] || '') : plural(model.rows, 'slice');
    const unsure = mostOf(page.traces, trace => trace.unsure);
    if (unsure && !model.own) note.textContent += `; clocks of ranks are unsure by ` +
      `${duration(unsure)}, by when collectives end`;
    if (isAll && !seen) note.textContent += '; more launches than are drawn: zoom in';
  }
  function toggleTable() {
    press(asTable, !(table.hidden = !table.hidden));
    if (!table.hidden) fillTable();
  }
  function fillTable() {
    const most = layout.flatMap(line => [...rowsSeen(line)]);
    most.sort((a, b) => raw(b.track).dur[b.row] - raw(a.track).dur[a.row]);
    table.replaceChildren(listTable(['start', 'duration', 'name', 'track'],
      most.slice(0, 200).map(one =>
      [duration(raw(one.track).start[one.row]), duration(raw(one.track).dur[one.row]),
        link(one, shortOf(one)), trackName(one.track)]), 2,
          'The 200 longest slices that are seen'));
  }
  function toggleArrows() {
    press(allArrows, isAll = !isAll);
    tell();
    redraw();
  }
  function toggleGaps() { go({z: state.get('z') ? null : 1, t: null, r: null}); }
  async function toggleFrames(isShown = !model.frames) {
    press(frames, isShown);
    setState({f: isShown ? 1 : null}, true);
    await showFrames(isShown, place);
    search();
  }

  /* -- keys */
  /* The next slice on the lane, or the nearest one on another lane. */
  function step(along, across) {
    if (!selected) {
      const first = layout.map(line => rowsSeen(line).next().value).find(Boolean);
      return first && select(first);
    }
    const at = layout.findIndex(one => one.track === selected.track &&
      isOn(one.lane, selected.track, selected.row));
    if (at < 0) return reveal(selected);
    const line = layout[at + across];
    if (!line) return;
    const {track, lane: {rows}} = line, before = firstReaching(track, line.lane,
      spanOf(selected).from - track.offset);
    const place = along ? rows.items.indexOf(selected.row) + along :
      Math.min(before, rows.count - 1);
    if (place >= 0 && place < rows.count) jump({track, row: rows.items[place]}, false);
  }
  function sameName(by) {
    if (!selected) return;
    const {track, row} = selected;
    for (let i = row + by; i >= 0 && i < track.rows; i += by)
      if (track.name[i] === track.name[row]) return jump({track, row: i}, false);
  }
  const ofSelected = act => () => selected && act(selected);
  const launchOf = one => one.launcher || one.launched[0];
  const actions = new Map([
    ['w', () => zoom(0.6)], ['s', () => zoom(1 / 0.6)], ['a', () => move(-0.2)],
      ['d', () => move(0.2)], ['ArrowRight', () => step(1, 0)], ['ArrowLeft', () => step(-1, 0)],
      ['ArrowUp', () => step(0, -1)],
    ['ArrowDown', () => step(0, 1)], [',', () => sameName(-1)], ['.', () => sameName(1)],
    ['f', ofSelected(fit)], ['0', () => window_(model.from, model.to)], ['p', () => toggleFrames()],
      ['F', toggleArrows], ['z', toggleGaps],
    ['m', ofSelected(one => mark(spanOf(one).from, spanOf(one).to))],
      ['g', ofSelected(one => launchOf(one) && jump(launchOf(one)))],
    [']', () => skipGap(1)], ['[', () => skipGap(-1)],
    ['Home', () => window_(model.from, model.from + view.to - view.from)],
    ['End', () => window_(model.to - view.to + view.from, model.to)],
      ['Escape', () => range ? mark(0, 0) : palette.hits ? unfind() : select(null)]]);
  function key(event) {
    if (event.target.closest('button') &&
      (event.key === 'Enter' || event.key === ' ')) return false;
    const action = actions.get(event.key);
    if (action) action();
    return Boolean(action);
  }

  /* -- pointer */
  let drag = null;
  const touches = new Map(), apart = () =>
    [...touches.values()].reduce((one, other) => Math.max(1, Math.abs(one - other)));
  fill(canvas, {
    onpointerdown: event => {
      const x = event.offsetX;
      touches.set(event.pointerId, x);
      drag = {x, from: view.from, to: view.to, isRange: event.shiftKey, moved: false,
        at: timeAt(x)};
      canvas.setPointerCapture(event.pointerId);
    }, onpointermove: event => {
      if (!drag) return hover(event);
      const x = event.offsetX, before = apart();
      touches.set(event.pointerId, x);
      if (touches.size === 2) return zoom(before / apart(),
        [...touches.values()].reduce((one, other) => (one + other) / 2));
      drag.moved = drag.moved || Math.abs(x - drag.x) > 3;
      if (!drag.moved) return;
      const time = (x - drag.x) / view.width * (drag.to - drag.from);
      if (drag.isRange) mark(Math.min(drag.at, timeAt(x)), Math.max(drag.at, timeAt(x)));
      else window_(drag.from - time, drag.to - time);
    }, onpointerup: event => {
      if (drag && !drag.moved) {
        range = null;
        select(hit(event.offsetX, event.offsetY));
      }
      leave();
    }, onpointercancel: leave, onpointerleave: hideTip, ondblclick: ofSelected(fit),
    onwheel: event => {
      if (event.ctrlKey || event.metaKey) zoom(Math.exp(event.deltaY / 300), event.offsetX);
      else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) move(
        (event.deltaX || event.deltaY) / 1000);
      else return;
      event.preventDefault();
    }}, []);
  function leave() {
    drag = null;
    touches.clear();
  }

  /* -- state */
  const spanIn = key => (/^(-?\d{1,16})-(-?\d{1,16})$/.exec(state.get(key)) ||
    []).slice(1).map(Number);
  function fromState() {
    press(ownStarts, model.own = state.get('a') === '1');
    model.shifts = [];
    unsqueeze();
    if (model.isReady) setOffsets();
    const pivot = model.isReady && findEvent(Number(state.get('l')));
    press(align, Boolean(pivot));
    if (pivot) alignAt(pivot);
    if (pivot) setOffsets();
    press(gaps, state.get('z') === '1');
    if (model.isReady && state.get('z') === '1') squeeze();
    if (model.isReady) setOffsets();
    const [from, to] = spanIn('t'), [first, last] = spanIn('r'), id = Number(state.get('s')),
      isGiven = to > from;
    if (isGiven || !isPlaced || model.isReady) Object.assign(view,
      isGiven ? {from, to} : firstTime());
    isPlaced = isPlaced || isGiven;
    range = last > first ? {from: first, to: last} : null;
    for (const word of (state.get('x') || '').split('_')) {
      const [number, how] = word.split('.').map(Number);
      if (how >= 0 && how <= 2) opened.set(number, how);
    }
    place();
    box.scrollTop = Number(state.get('y')) || 0;
    const one = id && model.isReady && !(selected && id === idOf(selected)) ? findEvent(id) : null;
    if (one && !isGiven) fit(one);
    if (one) jump(one, false);
    else if (!id) selected = null;
    if (find.value !== (state.get('q') || '')) {
      find.value = state.get('q') || '';
      search();
    }
  }

  new ResizeObserver(resize).observe(box);
  await slicesRead(() => {
    if (!colours.childElementCount) fillColours();
    if (!state.get('t') && !isPlaced) Object.assign(view, firstTime());
    tell();
    place();
  });
  if (state.get('f') === '1') await toggleFrames(true);
  frames.hidden = !model.kinds.includes('frame');
  ownStarts.hidden = !page.traces.some(trace => trace.offset);
  const update = () => { fromState(); fillPanel(); };
  update();
  return {
    key, update, repaint: () => { clearPalette(); draw(); },
    test: {view, draw, layout: () => layout, seen: () => seen, select, hit, window: window_,
      selected: () => selected}, };
}
