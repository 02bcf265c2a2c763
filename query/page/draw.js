/* draw: lanes as pictures. A slice of two pixels and more is a rectangle of its own; shorter ones
 * that start in one pixel are one column of it, in the colour of the longest of them, the more
 * opaque the more of the pixel they cover. So no slice is ever invisible, and no column takes its
 * looks from a slice that is drawn by itself. */

const LANE = 18, LABEL_LEAST = 26, WIDE = 2;
const palette = {hits: null};
const clearPalette = () => Object.assign(palette, {css: [], pixel: [], ink: []});
clearPalette();

function colourName(name) {
  let colour = colourByName(model.kinds[name], model.names[name]);
  const isFaded = palette.hits && !palette.hits[name];
  if (isFaded) colour = mixed(colour, colourOf('ground'), 0.8);
  palette.css[name] = cssColour(colour);
  palette.pixel[name] = colour[0] | colour[1] << 8 | colour[2] << 16;
  palette.ink[name] = isFaded ? cssOf('faint') : inkOn(colour);
}

/* The pixel in which something starts: the only place that decides it. */
const pixelOf = (time, from, scale) => Math.floor((time - from) * scale);

/* The first place on a lane whose row starts behind a pixel. */
function behindPixel(track, rows, at, pixel, from, scale) {
  const isIn = place => pixelOf(track.start[rows.items[place]], from, scale) <= pixel;
  let step = 1, low = at;
  for (; low + step < rows.count && isIn(low + step); step *= 2) low += step;
  return firstWhere(low + 1, Math.min(rows.count, low + step), isIn);
}

/* The longest of the rows at places from `at` to before `end`, and the sum of all of them. */
function summary(track, lane, at, end) {
  const rows = lane.rows.items, dur = track.dur;
  let longest = rows[at], sum = 0;
  while (at < end) {
    const piece = at / PIECE, isWhole = at % PIECE === 0 && at + PIECE <= end;
    const row = isWhole ? lane.longest.items[piece] : rows[at];
    sum += isWhole ? lane.sums.items[piece] : dur[row];
    if (dur[row] > dur[longest]) longest = row;
    at += isWhole ? PIECE : 1;
  }
  return {longest, sum};
}

/* The visible part of a lane from a time on: `wide(row, x, width)` for each slice that is drawn by
 * itself, `narrow(pixel, row, cover, count)` for each column. Times are those of the track. */
function walkLane(track, lane, from, scale, width, wide, narrow) {
  const {start, dur} = track, rows = lane.rows, end = from + width / scale;
  let at = firstReaching(track, lane, from);
  while (at < rows.count) {
    const row = rows.items[at], begins = start[row];
    if (begins >= end) break;
    if (dur[row] * scale >= WIDE) {
      wide(row, (begins - from) * scale, dur[row] * scale);
      at++;
      continue;
    }
    const pixel = pixelOf(begins, from, scale);
    let next = behindPixel(track, rows, at, pixel, from, scale);
    while (next - 1 > at && dur[rows.items[next - 1]] * scale >= WIDE) next--;
    const {longest, sum} = summary(track, lane, at, next);
    narrow(Math.max(0, pixel), longest, Math.min(1, sum * scale), next - at);
    at = next;
  }
}

const opacity = cover => Math.round(64 + cover * 191);
const strip = document.createElement('canvas');
const textWidths = new Map();
const widthOfText = (pen, text) => kept(textWidths, text, () => pen.measureText(text).width, 20000);

/* `halo`: what stands around the letters, where the ground is hatched. */
function drawLabel(pen, text, ink, x, y, room, halo) {
  text = visible(text);
  const width = widthOfText(pen, text);
  if (width > room) {
    let chars = Math.floor(text.length * room / width);
    while (chars > 1 && widthOfText(pen, text.slice(0, chars) + '…') > room) chars--;
    if (chars < 2) return;
    text = text.slice(0, chars) + '…';
  }
  pen.fillStyle = ink;
  pen.strokeStyle = halo;
  pen.lineWidth = 5;
  if (halo) pen.strokeText(text, x, y);
  pen.fillText(text, x, y);
}

/* Draws lanes [{track, lane, y, label}] of one window. */
function drawLanes(pen, lanes, view) {
  const ratio = screenRatio(), width = Math.max(1, Math.round(view.width * ratio)), rectangles = [];
  if (!lanes.length) return;
  strip.width = width;
  strip.height = lanes.length;
  const stripPen = strip.getContext('2d'), image = stripPen.createImageData(width, lanes.length);
  const pixels = new Uint32Array(image.data.buffer);
  const prepare = name => { if (palette.css[name] === undefined) colourName(name); };
  lanes.forEach(({track, lane, y, label}, line) =>
    walkLane(track, lane, view.from - track.offset, view.width * ratio / (view.to - view.from),
      width, (row, x, wide) => rectangles.push({track, row, y, label, x, wide}),
      (pixel, row, cover) => {
        prepare(track.name[row]);
        pixels[line * width + pixel] = (
          palette.pixel[track.name[row]] | opacity(cover) << 24) >>> 0;
      }));
  stripPen.putImageData(image, 0, 0);
  pen.imageSmoothingEnabled = false;
  lanes.forEach(({y}, line) => pen.drawImage(strip, 0, line, width, 1, view.left, y, width / ratio,
    LANE - 1));
  for (const {track, row, y, label, x, wide} of rectangles) {
    const name = track.name[row], left = Math.max(0, x), room = Math.min(width, x + wide) - left;
    const box = [view.left + left / ratio, y,
      Math.max(1, room - (wide > 4 ? ratio / 2 : 0)) / ratio, LANE - 1];
    prepare(name);
    pen.fillStyle = palette.css[name];
    pen.fillRect(...box);
    if (othersIn(track, row)) hatch(pen, ...box);
    if (room >= LABEL_LEAST * ratio)
      drawLabel(pen, label(track, row), palette.ink[name], box[0] + 4, y + (LANE - 1) / 2,
        room / ratio - 6, othersIn(track, row) && palette.css[name]);
  }
}

/* Stripes of a row that stands for several slices: nobody takes it for one. */
function hatch(pen, x, y, width, height) {
  let path = '';
  for (let at = x - height; at < x + width;
    at += 6) path += `M${at} ${y + height}l${height} ${-height}`;
  pen.save();
  pen.clip(new Path2D(boxPath(x, y, width, height)));
  pen.globalAlpha = 0.55;
  drawPath(pen, 'ground', 1.5, path);
  pen.restore();
}

/* Ticks of a time axis: [time, text], of round numbers. */
function timeTicks(from, to, most) {
  const rough = (to - from) / Math.max(1, most), size = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(one => one * size).find(one => one >= rough) || size * 10;
  const [unit, unitSize] = timeUnit(Math.max(Math.abs(from), Math.abs(to)) / 2 || 1);
  const decimals = Math.max(0, Math.ceil(-Math.log10(step / unitSize) - 1e-9));
  const ticks = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step)
    ticks.push([at, fixed(recorded(at) / unitSize, Math.min(9, decimals)) + ' ' + unit]);
  return ticks;
}
