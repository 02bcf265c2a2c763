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
    if (at % PIECE === 0 && at + PIECE <= end) {
      const piece = at / PIECE, row = lane.longest.items[piece];
      sum += lane.sums.items[piece];
      if (dur[row] > dur[longest]) longest = row;
      at += PIECE;
    } else {
      const row = rows[at++];
      sum += dur[row];
      if (dur[row] > dur[longest]) longest = row;
    }
  }
  return {longest, sum};
}

/* What is seen of a lane from a time on: `wide(row, x, width)` for each slice that is drawn by
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
const widthOfText = (context, text) => kept(textWidths, text, () => context.measureText(text).width, 20000);

function drawLabel(context, text, ink, x, y, room) {
  const width = widthOfText(context, text);
  if (width > room) {
    let chars = Math.floor(text.length * room / width);
    while (chars > 1 && widthOfText(context, text.slice(0, chars) + '…') > room) chars--;
    if (chars < 2) return;
    text = text.slice(0, chars) + '…';
  }
  context.fillStyle = ink;
  context.fillText(text, x, y);
}

/* Draws lanes [{track, lane, y, label}] of one window; `ratio`: pixels of the screen for one of the
 * page. Gives how many rectangles and columns there were. */
function drawLanes(context, lanes, view, ratio) {
  const width = Math.max(1, Math.round(view.width * ratio)), scale = view.width * ratio / (view.to - view.from);
  const height = (LANE - 1) * ratio, rectangles = [];
  let columns = 0;
  if (lanes.length) {
    strip.width = width;
    strip.height = lanes.length;
    const stripContext = strip.getContext('2d');
    const image = stripContext.createImageData(width, lanes.length);
    const pixels = new Uint32Array(image.data.buffer);
    lanes.forEach(({track, lane}, line) => {
      walkLane(track, lane, view.from - track.offset, scale, width,
        (row, x, wide) => rectangles.push(line, row, x, wide),
        (pixel, row, cover) => {
          const name = track.name[row];
          if (palette.pixel[name] === undefined) colourName(name);
          pixels[line * width + pixel] = (palette.pixel[name] | opacity(cover) << 24) >>> 0;
          columns++;
        });
    });
    stripContext.putImageData(image, 0, 0);
    context.imageSmoothingEnabled = false;
    lanes.forEach(({y}, line) =>
      context.drawImage(strip, 0, line, width, 1, view.left * ratio, y * ratio, width, height));
  }
  for (let i = 0; i < rectangles.length; i += 4) {
    const {track, y, label} = lanes[rectangles[i]], row = rectangles[i + 1], name = track.name[row];
    if (palette.css[name] === undefined) colourName(name);
    const left = Math.max(0, rectangles[i + 2]), right = Math.min(width, rectangles[i + 2] + rectangles[i + 3]);
    const shown = Math.max(1, right - left - (rectangles[i + 3] > 4 ? ratio * 0.5 : 0));
    context.fillStyle = palette.css[name];
    context.fillRect(view.left * ratio + left, y * ratio, shown, height);
    if (othersIn(track, row)) hatch(context, view.left * ratio + left, y * ratio, shown, height);
    if (right - left >= LABEL_LEAST * ratio)
      drawLabel(context, label(track, row), palette.ink[name], view.left * ratio + left + 4 * ratio,
        y * ratio + height / 2, right - left - 6 * ratio);
  }
  return {rectangles: rectangles.length / 4, columns};
}

/* Stripes of a row that stands for several slices: nobody takes it for one. */
function hatch(context, x, y, width, height) {
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.strokeStyle = cssOf('ground');
  context.globalAlpha = 0.55;
  context.lineWidth = 1.5;
  context.beginPath();
  for (let at = x - height; at < x + width; at += 6) {
    context.moveTo(at, y + height);
    context.lineTo(at + height, y);
  }
  context.stroke();
  context.restore();
}

/* Ticks of a time axis: [time, text], of round numbers. */
function timeTicks(from, to, most) {
  const rough = (to - from) / Math.max(1, most), size = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(one => one * size).find(one => one >= rough) || size * 10;
  const [unit, unitSize] = timeUnit(Math.max(Math.abs(from), Math.abs(to)) / 2 || 1);
  const decimals = Math.max(0, Math.ceil(-Math.log10(step / unitSize) - 1e-9));
  const ticks = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step)
    ticks.push([at, fixed(at / unitSize, Math.min(9, decimals)) + ' ' + unit]);
  return ticks;
}
