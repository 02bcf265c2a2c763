/* slices: the tracks of the timeline in memory. Rows are read block by block; each goes to the lane
 * of its depth, or where it overlaps others without lying in them to a lane behind. On a lane rows
 * stand in the order of their starts and never overlap. */

const PIECE = 32; /* rows for which a lane knows the longest and the sum */

const model = {tracks: [], shifts: [], gaps: [], together: new Map(), edges: new Map(), curves: [],
  names: null, signatures: null, args: null, read: 0, rows: 0,
  frames: false, from: 0, to: 1, isReady: false};

const KINDS = new Map([['computation', 'kernel'], ['communication', 'comm'], ['memcpy', 'copy'],
  ['memory', 'copy'], ['gpu', 'kernel'], ['op', 'op'], ['call', 'call'], ['frame', 'frame'],
  ['mark', 'mark'], ['module', 'frame'], ['part', 'mark'], ['gpu_mark', 'mark']]);

const growing = (Type, room) => ({items: new Type(room), count: 0});
function push(list, value) {
  if (list.count === list.items.length) {
    const more = new list.items.constructor(Math.max(64, list.count * 2));
    more.set(list.items);
    list.items = more;
  }
  list.items[list.count++] = value;
}

const endOf = (track, row) => track.start[row] + track.dur[row];

/* How many other slices a row stands for. */
const othersIn = (track, row) => track.count ? track.count[row] : 0;

/* -- lanes */
const newLane = () => ({rows: growing(Uint32Array, 64), longest: growing(Uint32Array, 4),
  sums: growing(Float64Array, 4), end: -Infinity});

function addToLane(track, lane, row) {
  const at = lane.rows.count, dur = track.dur[row];
  push(lane.rows, row);
  if (at % PIECE === 0) {
    push(lane.longest, row);
    push(lane.sums, dur);
  } else {
    const piece = lane.sums.count - 1;
    lane.sums.items[piece] += dur;
    if (dur > track.dur[lane.longest.items[piece]]) lane.longest.items[piece] = row;
  }
  lane.end = track.start[row] + dur;
}

const newLanes = () => ({nested: [], behind: [], open: []});
const resetLanes = track => Object.assign(track, {plain: newLanes(), frames: newLanes(), laid: 0});

const isFrame = (track, row) => model.kinds[track.name[row]] === 'frame';

/* Lays out the rows that have been read since; Python frames on lanes of their own. */
function layOut(track, end) {
  const {start, dur, name} = track;
  for (let row = track.laid; row < end; row++) {
    if (isFrame(track, row) && !model.frames) continue;
    const {nested, behind, open} = isFrame(track, row) ? track.frames : track.plain;
    const from = start[row], to = from + dur[row];
    while (row < track.late && open.length && open[open.length - 1] <= from) open.pop();
    const depth = open.length, isBehind = row >= track.late || depth && to > open[depth - 1] ||
      nested[depth] && nested[depth].end > from;
    let lane = isBehind ? behind.find(one => one.end <= from) : nested[depth];
    if (!lane) (isBehind ? behind : nested).push(lane = newLane());
    addToLane(track, lane, row);
    if (!isBehind) open.push(to);
  }
  track.laid = end;
}

const plainLanes = ({plain}) => [...plain.nested, ...plain.behind];
const frameLanes = ({frames}) => [...frames.nested, ...frames.behind];
const lanesOf = track => [...plainLanes(track), ...frameLanes(track)];

/* Where a trace begins: on the clock that all share, or each at its own start. */
const startOf = trace => (!model.own && (page.traces[trace] || {}).offset || 0) +
  (model.shifts[trace] || 0);

/* Moves traces so that the slices of a name, or the steps, of the same place in each begin as one
 * does. */
function alignAt(one) {
  const kindOf = name => name.replace(/#\d+$/, ''),
    isOf = model.names.map(name => kindOf(name) === kindOf(nameOf(one)));
  const starts = page.traces.map(() => []), target = spanOf(one).from;
  for (const {info, start, name} of model.tracks) start.forEach((at, row) =>
    { if (isOf[name[row]]) starts[info.trace].push(at); });
  const place = starts.map(list => list.sort((a, b) =>
    a - b))[one.track.info.trace].indexOf(one.track.start[one.row]);
  model.shifts = starts.map((list, trace) =>
    list.length ? target - startOf(trace) - list[Math.min(place, list.length - 1)] : 0);
}
/* -- squeezed gaps */
/* Times as recorded: those of a track are other ones while its gaps are squeezed. */
const raw = track => track.raw || track;

/* A time as it is squeezed (0, 2), or as it was recorded (2, 0). */
function through(time, a, b) {
  const {gaps} = model, gap = gaps[firstWhere(0, gaps.length, i => gaps[i][a] <= time) - 1];
  if (!gap) return time;
  const over = time - gap[a], wide = gap[a + 1] - gap[a];
  return over < wide ? gap[b] + over / wide * (gap[b + 1] - gap[b]) : gap[b + 1] + over - wide;
}
const recorded = time => through(time, 2, 0);
function unsqueeze() {
  for (const track of model.tracks) Object.assign(track, track.raw, {raw: null});
  model.gaps = [];
}

/* Gaps in which no track has GPU activity, an op or a call are one 200th of the rest long. */
function squeeze() {
  const isIn = model.kinds.map(kind => !/frame|mark|other/.test(kind)), from = [], to = [];
  for (const track of model.tracks) for (let row = 0; row < track.rows; row++)
    if (isIn[track.name[row]]) {
      from.push(track.start[row] + track.offset);
      to.push(endOf(track, row) + track.offset);
    }
  const starts = new Float64Array(from).sort(), ends = new Float64Array(to).sort(), gaps = [];
  let rest = ends[ends.length - 1] - starts[0], cut = 0;
  const gapAt = i => i < 0 ? 0 : starts[i + 1] - ends[i], most = rest / 1000;
  starts.forEach((_, i) => { if (gapAt(i) > most) rest -= gapAt(i); });
  const wide = rest / 200;
  starts.forEach((_, i) => {
    if (!(gapAt(i) > Math.max(most, wide))) return;
    gaps.push([ends[i], starts[i + 1], ends[i] - cut, ends[i] - cut + wide]);
    cut += gapAt(i) - wide;
  });
  model.gaps = gaps;
  for (const track of model.tracks) {
    const {start, dur, least, most, offset} = track;
    const short = time => through(time + offset, 0, 2) - offset;
    track.raw = {start, dur, least, most};
    track.start = start.map(short);
    track.dur = dur.map((one, row) => short(start[row] + one) - track.start[row]);
    Object.assign(track, {least: short(least), most: short(most)});
  }
}
/* Its start on the clock that all ranks share, however traces are drawn. */
const sharedStart = ({track, row}) =>
  raw(track).start[row] + ((page.traces[track.info.trace] || {}).offset || 0);
const spanOf = ({track, row}) => ({from: track.start[row] + track.offset,
  to: endOf(track, row) + track.offset});
function setOffsets() {
  for (const track of model.tracks) track.offset = startOf(track.info.trace);
  model.from = -mostOf(model.tracks, track => -track.least - track.offset, -Infinity);
  model.to = mostOf(model.tracks, track => track.most + track.offset, -Infinity);
}

/* -- reading */
function prepareTracks() {
  model.tracks = page.tracks.map((info, number) =>
    ({info, number, total: 0, rows: 0, least: Infinity, most: -Infinity}));
  for (const [number, block] of page.blocks.entries()) {
    if (block.kind !== 'slices') continue;
    const track = model.tracks[block.track];
    if (!track || !(block.rows > 0 && block.rows <= 65536)) throw new Error(
      `part ${number} is of no track`);
    track.total += block.rows;
  }
  for (const track of model.tracks) {
    if (track.total > 2 ** 27) throw new Error('a track has too many slices');
    for (const [name, Type] of [['start', Float64Array], ['dur', Float64Array],
      ['name', Uint32Array], ['id', Float64Array], ['op', Uint32Array], ['args', Uint32Array]])
      track[name] = new Type(track.total);
    if (track.info.kind === 'stream') track.link = new Float64Array(track.total);
    track.late = track.total;
    resetLanes(track);
  }
  model.tracks = model.tracks.filter(track => track.total);
}

function takeBlock(bytes, block, track) {
  const {rows, columns} = block, at = track.rows;
  const column = k => readColumn(bytes, columns[k][0], rows, columns[k][1], columns[k][2],
    k + 1 < columns.length ? columns[k + 1][0] : bytes.length);
  const start = column(0), dur = column(1), name = column(2), id = column(3);
  const op = column(4), args = column(5), link = column(6);
  let time = block.base, number = block.id;
  for (let i = 0; i < rows; i++) {
    if (!(name[i] < model.names.length)) throw new Error('a name is not in the file');
    time += start[i];
    track.start[at + i] = time;
    track.id[at + i] = number += i && id[i] + 1;
    if (track.link) track.link[at + i] = link[i] ? number - link[i] : 0;
  }
  track.dur.set(dur, at);
  track.name.set(name, at);
  track.op.set(op, at);
  track.args.set(args, at);
  if (columns.length > 8) {
    track.count = track.count || new Uint32Array(track.total);
    track.gap = track.gap || new Float64Array(track.total);
    track.count.set(column(7), at);
    track.gap.set(column(8), at);
  }
  if (block.part) track.late = Math.min(track.late, at);
  track.rows += rows;
  for (let i = at; i < track.rows; i++) track.most = Math.max(track.most, endOf(track, i));
  track.least = Math.min(track.least, track.start[at]);
  setOffsets();
  layOut(track, track.rows);
  model.read += rows;
}

/* Reads all blocks, and gives control back after each; `changed` draws what is there. */
async function readSlices(changed) {
  const all = await jsonBlock(blockOf('names'));
  model.names = all.map(pair => pair[0]);
  model.kinds = all.map(pair => KINDS.get(pair[1]) || 'other');
  model.shorts = all.map(one => one[2] || one[0].replace(/^(aten::|nn\.Module: )/, ''));
  prepareTracks();
  model.rows = sumOf(model.tracks, track => track.total);
  const listOf = async kind => blockOf(kind) < 0 ? [] : jsonBlock(blockOf(kind));
  model.curves = await listOf('curves');
  for (const one of model.curves) one.time.forEach((gap, i) =>
    { one.time[i] = gap + (i ? one.time[i - 1] : 0); });
  const byNumber = new Map(model.tracks.map(track => [track.number, track]));
  for (const [number, block] of page.blocks.entries()) {
    if (block.kind !== 'slices') continue;
    const bytes = await inflate(number);
    takeBlock(bytes, block, byNumber.get(block.track));
    byId('b' + number).remove(); /* it is in memory now */
    changed();
    await pause();
  }
  for (const [, ...events] of await listOf('together')) for (const id of events) model.together.set(
    id, events);
  let last = 0;
  for (const [gap, length, kind] of await listOf('edges')) {
    const edge = [last += gap, last + length, kind];
    for (const id of edge.slice(0, 2)) kept(model.edges, id, () => []).push(edge);
  }
  model.isReady = true;
  changed();
}

let sliceReading = null;
const sliceWatchers = [];

/* All slices, read once for all views. */
function slicesRead(changed) {
  if (changed) sliceWatchers.push(changed);
  sliceReading = sliceReading || readSlices(() => sliceWatchers.forEach(watcher => watcher()));
  return sliceReading;
}

async function showFrames(isShown, changed) {
  model.frames = isShown;
  for (const track of model.tracks) {
    resetLanes(track);
    for (let at = 200000; track.laid < track.rows; at += 200000) {
      layOut(track, Math.min(track.rows, at));
      await pause();
    }
  }
  changed();
}

/* -- questions */
/* The first of the rows whose start is at or behind a time. */
const firstFrom = ({start}, {items, count}, time) =>
  firstWhere(0, count, at => start[items[at]] < time);

/* The place on a lane of the first row that ends behind a time. */
function firstReaching(track, lane, time) {
  const at = firstFrom(track, lane.rows, time);
  const before = at ? lane.rows.items[at - 1] : -1;
  return before >= 0 && endOf(track, before) > time ? at - 1 : at;
}

/* The rows of a lane that are seen between two times of its track. */
function* rowsBetween(track, lane, from, to) {
  const {items, count} = lane.rows;
  for (let at = firstReaching(track, lane, from); at < count && track.start[items[at]] < to;
    at++) yield items[at];
}

/* Where an event is: ids of threads go up, others are looked for. */
function findEvent(id) {
  if (!id) return null;
  for (const track of model.tracks) {
    if (!track.link) {
      const row = firstWhere(0, Math.min(track.rows, track.late), at => track.id[at] < id);
      if (row < track.rows && track.id[row] === id) return {track, row};
    }
    const from = track.link ? 0 : track.late;
    const at = from < track.rows ? track.id.subarray(from, track.rows).indexOf(id) : -1;
    if (at >= 0) return {track, row: from + at};
  }
  return null;
}

/* The rows around one, innermost first, on its thread. */
function parentsOf({track, row}, most = 60) {
  const found = [];
  let end = endOf(track, row);
  for (let at = row - 1, steps = 0; at >= 0 && found.length < most && steps < 2e6; at--, steps++)
    if (endOf(track, at) >= end && at < track.late) {
      found.push({track, row: at});
      end = endOf(track, at);
    }
  return found;
}

const idOf = ({track, row}) => track.id[row];
const nameOf = ({track, row}) => model.names[track.name[row]];
const shortOf = ({track, row}) => model.shorts[track.name[row]];

/* Work launched by a row, with all below it: its call has an id in the row's range. */
function launchedBy({track, row}) {
  const found = [], end = endOf(track, row);
  let last = row;
  while (last + 1 < track.rows && track.start[last + 1] < end && last + 1 < track.late) last++;
  const from = track.id[row], to = track.id[last];
  for (const other of model.tracks)
    for (let i = 0; other.link && i < other.rows; i++)
      if (other.link[i] >= from && other.link[i] <= to) found.push({track: other, row: i});
  return found;
}

/* The launch of work. */
const callOf = ({track, row}) => track.link ? findEvent(track.link[row]) : null;

/* The op that launched GPU activity: the nearest around its launch; of an op, itself. */
function opOf(one) {
  const call = one.track.link ? callOf(one) : one,
    isOp = ({track, row}) => model.kinds[track.name[row]] === 'op';
  if (!call || call.track.link) return null;
  return isOp(call) ? call : parentsOf(call, 8).find(isOp);
}
function launcherName(track, row) {
  const op = opOf({track, row});
  return op ? shortOf(op) : '';
}
