/* memory: what a memory snapshot holds over its events, by the frames that allocated it; who holds
 * it at a chosen event; and the segments at the end. Bands and nodes that are no pixel high or wide
 * are one rest, so what is drawn adds up to the allocated bytes. */

const frameColour = name => mixed(colourOf('k' + hashOf(name) % 8), colourOf('ground'),
  (hashOf(name) >>> 8) % 4 / 8);

/* The bytes of each stack at each column. */
function readDevice(device) {
  const count = device.at.length, frames = new Map();
  device.held = device.stacks.map(([, text, columns, bytes]) => {
    const held = new Float64Array(count);
    let at = 0;
    columns.forEach((more, i) => { held[at += more] = bytes[i]; });
    for (let i = 1; i < count; i++) held[i] += held[i - 1];
    const sums = kept(frames, device.texts[text], () => new Float64Array(count));
    held.forEach((one, i) => { sums[i] += one; });
    return held;
  });
  device.top = mostOf(device.reserved, one => one) || 1;
  device.frames = [...frames].map(([name, sums]) => ({name, sums, most: mostOf(sums, one => one)}))
    .sort((a, b) => b.most - a.most || (a.name < b.name ? -1 : 1));
  return device;
}

/* The tree of frames with what is held at a column, as flame.js has it; what has no stack of its
 * own there is a node, too. */
function heldTree(device, column) {
  const tree = {parent: [-1, ...device.parents], name: ['allocated', ...device.names.map(name =>
    device.texts[name])]};
  tree.own = tree.parent.map(() => 0);
  const loose = new Map();
  const add = (name, bytes) => {
    const node = kept(loose, name, () => tree.own.push(0) && tree.parent.push(0) &&
      tree.name.push(name) - 1);
    tree.own[node] += bytes;
  };
  let rest = device.allocated[column];
  device.stacks.forEach(([node, text], i) => {
    const bytes = device.held[i][column];
    rest -= bytes;
    if (node) tree.own[node] += bytes;
    else add(device.texts[text], bytes);
  });
  if (rest > 0) add('rest: smaller stacks', rest);
  tree.second = tree.calls = tree.parent.map(() => 0);
  return sumUp(tree);
}

defineView('memory', 'Memory', () => blockOf('snapshot') >= 0, async element => {
  const HEIGHT = 260, ROW = 18, LEFT = 72, BAND_LEAST = 1;
  const devices = (await jsonBlock(blockOf('snapshot'))).map(readDevice);
  let device = devices[0], column = 0, bands = [], tree = null, root = 0, places = [];
  const choice = menu('device', devices.map(one => [page.traces.length > 1 ?
    traceName(page.traces[one.trace]) : '', 'GPU ' + one.device].filter(Boolean).join(' ')),
  () => go({p: choice.value, b: null}));
  const toPeak = button('Peak', () => go({b: null}), {title: 'the event that reaches the peak'});
  const note = status('span'), under = el('p', {class: 'faint hint'});
  const canvasOf = (label, onclick, hint) => el('canvas', {class: 'icicle', role: 'application',
    tabindex: 0, 'aria-label': label, onclick, onmousemove: event => {
      under.textContent = hint(event) || '';
    }});
  const columnAt = event => Math.max(0, Math.min(device.at.length - 1, Math.floor(
    (event.offsetX - LEFT) / (box.clientWidth - LEFT) * device.at.length)));
  const chart = canvasOf('allocated bytes over events; arrows move, the table has the same',
    event => pick(columnAt(event)), event => {
      const at = columnAt(event);
      const value = device.top * (1 - (event.offsetY - 1) / HEIGHT);
      let sum = 0;
      const band = bands.find(one => (sum += one.sums[at]) >= value);
      return `event ${fixed(device.at[at], 0)}: ${bytesText(device.allocated[at])} allocated` +
        (band ? `; ${band.name}: ${bytesText(band.sums[at])}` : '');
    });
  const nodeAt = event => places.find(one => one.depth === Math.floor(event.offsetY / ROW) &&
    event.offsetX >= one.x && event.offsetX < one.x + one.width);
  const flame = canvasOf('allocated bytes by stack at the chosen event; a click opens', event => {
    const found = nodeAt(event);
    if (found) root = found.node === root ? Math.max(0, tree.parent[root]) : found.node;
    drawFlame();
  }, event => {
    const found = nodeAt(event);
    return found && `${found.name}: ${bytesText(found.bytes)}, ` +
      `${figure(100 * found.bytes / (tree.sum[0] || 1))} % of the allocated bytes`;
  });
  let blocks = [];
  const map = canvasOf('segments and blocks at the end of the snapshot', () => {}, event =>
    (blocks.find(one => event.offsetY >= one.y && event.offsetY < one.y + ROW &&
      event.offsetX >= one.x && event.offsetX < one.x + one.width) || {}).words);
  const box = el('div', {class: 'icicle-box'}, chart), list = el('div', {class: 'panel'});
  const mapNote = faint('');
  element.append(el('div', {class: 'tools'}, devices.length > 1 ? choice : '', toPeak, note), box,
    faint('Bands: allocated bytes by frame. Lines: reserved, and fainter active bytes.'),
    el('h2', {}, 'Allocated by frame'), list, el('h2', {}, 'Allocated by stack'),
    el('div', {class: 'icicle-box'}, flame), el('h2', {}, 'Segments at the end'), mapNote,
    el('div', {class: 'icicle-box'}, map), under);
  const peakColumn = () => Math.max(0, device.at.indexOf(device.peak));
  const pick = at => go({b: at === peakColumn() ? null : device.at[at]});

  /* Bands that are seen at some column; the others, and what no stack here holds, are the rest. */
  function findBands() {
    const least = device.top * BAND_LEAST / HEIGHT;
    bands = device.frames.filter(one => one.most >= least);
    const sums = device.allocated.map((all, i) => all - sumOf(bands, one => one.sums[i]));
    const hidden = device.frames.length - bands.length;
    bands.push({name: hidden ? `rest: ${plural(hidden, 'frame')} below a pixel, smaller stacks` :
      'rest: smaller stacks', sums, isRest: true});
  }
  const colourOfBand = band => band.isRest ? colourOf('idle') : frameColour(band.name);
  function drawChart() {
    const width = box.clientWidth - LEFT, count = device.at.length, y = bytes =>
      1 + HEIGHT * (1 - bytes / device.top);
    if (width < 1) return;
    const pen = penOf(chart, width + LEFT, HEIGHT + 24), x = at => LEFT + width * at / count;
    const below = new Float64Array(count), wide = Math.min(count, Math.floor(width));
    const shown = upTo(wide).map(i => { // of several in a pixel the one with the most
      let best = Math.floor(i * count / wide);
      for (let at = best; at < Math.floor((i + 1) * count / wide); at++)
        if (device.allocated[at] > device.allocated[best]) best = at;
      return best;
    });
    const edge = i => LEFT + Math.round(width * i / wide);
    for (const band of bands) {
      pen.fillStyle = cssColour(colourOfBand(band));
      shown.forEach((at, i) => {
        const top = below[at] + band.sums[at];
        if (top > below[at]) pen.fillRect(edge(i), y(top), edge(i + 1) - edge(i),
          y(below[at]) - y(top));
        below[at] = top;
      });
    }
    const line = (list, colour) => drawPath(pen, colour, 1.5, list.map((one, i) =>
      `${i ? 'L' : 'M'}${x(i)} ${y(one)}H${x(i + 1)}`).join(''));
    line(device.reserved, 'ink');
    line(device.active, 'faint');
    const mark = (at, colour, words) => {
      drawPath(pen, colour, 1.5, `M${x(at + 0.5)} 1V${HEIGHT}`);
      const isLeft = at < count * 0.8;
      pen.textAlign = isLeft ? 'left' : 'right';
      drawLabel(pen, words, cssOf(colour), x(at + 0.5) + (isLeft ? 4 : -4), 10, width,
        cssOf('ground'));
      pen.textAlign = 'left';
    };
    for (const oom of device.ooms)
      mark(Math.max(0, firstWhere(0, count, i => device.at[i] < oom)), 'fault', 'out of memory');
    mark(peakColumn(), 'ink', 'peak ' + bytesText(device.allocated[peakColumn()]));
    if (column !== peakColumn()) mark(column, 'link', bytesText(device.allocated[column]));
    pen.fillStyle = cssOf('faint');
    pen.textAlign = 'right';
    pen.fillText(bytesText(device.top), LEFT - 6, 8);
    pen.fillText('0', LEFT - 6, HEIGHT - 4);
    pen.fillText(`event ${fixed(device.events - 1, 0)}`, LEFT + width, HEIGHT + 14);
    pen.textAlign = 'left';
    pen.fillText(`event ${fixed(device.at[0], 0)}`, LEFT, HEIGHT + 14);
  }
  function place(node, x, width, depth) {
    places.push({node, x, width, depth, bytes: tree.sum[node], name: tree.name[node]});
    let at = x, hidden = 0, bytes = 0;
    for (const child of tree.children[node]) {
      const wide = width * tree.sum[child] / (tree.sum[node] || 1);
      if (wide >= 1) place(child, at, wide, depth + 1);
      else if (tree.sum[child]) {
        hidden++;
        bytes += tree.sum[child];
      }
      at += wide >= 1 ? wide : 0;
    }
    const wide = width * bytes / (tree.sum[node] || 1);
    if (hidden) places.push({node, x: at, width: Math.max(1, wide), depth: depth + 1, bytes,
      name: `rest: ${plural(hidden, 'frame')} below a pixel`, isRest: true});
  }
  function drawFlame() {
    places = [];
    place(root, 0, box.clientWidth, 0);
    const pen = penOf(flame, box.clientWidth, (mostOf(places, one => one.depth) + 1) * ROW);
    for (const one of places) {
      const colour = one.isRest || !one.node ? colourOf('idle') : frameColour(one.name);
      pen.fillStyle = cssColour(colour);
      pen.fillRect(one.x, one.depth * ROW, Math.max(1, one.width - 0.5), ROW - 1);
      if (one.width > 30) drawLabel(pen, one.name + ' ' + bytesText(one.bytes), inkOn(colour),
        one.x + 4, (one.depth + 0.5) * ROW, one.width - 8);
    }
  }

  /* Each segment over the whole width: live blocks by frame, waiting ones hatched, holes white. */
  function drawMap() {
    const width = box.clientWidth - LEFT, pen = penOf(map, width + LEFT,
      Math.max(1, device.segments.length) * ROW);
    blocks = [];
    device.segments.forEach(([title, list], line) => {
      const total = sumOf(list, one => one[1]) || 1, y = line * ROW;
      let x = LEFT;
      pen.fillStyle = cssOf('faint');
      pen.textAlign = 'right';
      pen.fillText(bytesText(total), LEFT - 6, y + ROW / 2);
      pen.textAlign = 'left';
      for (const [kind, bytes, live, text] of list) {
        const wide = width * bytes / total, name = device.texts[text];
        const words = ['hole', name, name + ', waits for another stream',
          `small blocks, ${bytesText(live)} of them live`][kind];
        const colour = kind === 3 ? mixed(colourOf('ground'), colourOf('k3'), live / bytes) :
          kind ? frameColour(name) : [255, 255, 255];
        pen.fillStyle = cssColour(colour);
        pen.fillRect(x, y, Math.max(0.5, wide - 0.5), ROW - 2);
        if (kind === 2) hatch(pen, x, y, wide, ROW - 2);
        if (kind && wide > 40) drawLabel(pen, words, inkOn(colour), x + 4, y + ROW / 2 - 1,
          wide - 8, kind === 2 && cssColour(colour));
        blocks.push({x, y, width: wide, words: `${title}: ${bytesText(bytes)} ${words}`});
        x += wide;
      }
      drawPath(pen, 'line', 1, boxPath(LEFT, y + 0.5, width - 1, ROW - 3));
    });
  }
  function draw() {
    if (!box.clientWidth) return;
    drawChart();
    drawFlame();
    drawMap();
  }
  function open() {
    device = devices[Number(state.get('p'))] || devices[0];
    choice.value = devices.indexOf(device);
    const wanted = device.at.indexOf(Number(state.get('b')));
    column = state.has('b') && wanted >= 0 ? wanted : peakColumn();
    findBands();
    tree = heldTree(device, column);
    root = 0;
    const all = device.allocated[column];
    note.textContent = `event ${fixed(device.at[column], 0)}: ${bytesText(all)} allocated; ` +
      `peak ${bytesText(device.allocated[peakColumn()])} after event ${fixed(device.peak, 0)}`;
    list.replaceChildren(listTable(null, bands.map(band => ({band, bytes: band.sums[column]}))
      .filter(one => one.bytes > 0).sort((a, b) => b.bytes - a.bytes)
      .map(({band, bytes}) => [bytesText(bytes), figure(100 * bytes / (all || 1)) + ' %',
        el('span', {}, swatch(colourOfBand(band)), ' ' + band.name)]), 2));
    const others = device.segment_count - device.segments.length;
    mapNote.textContent = plural(device.segments.length, 'segment') +
      '; hatched: waits for another stream, white: hole' + (others ?
      `; rest: ${plural(others, 'smaller segment')}, ${bytesText(device.segment_bytes -
        sumOf(device.segments, ([, list]) => sumOf(list, one => one[1])))}` : '');
    say(note.textContent);
    draw();
  }
  function swatch(colour) {
    const made = el('i', {class: 'swatch'});
    made.style.setProperty('background', cssColour(colour));
    return made;
  }
  function key(event) {
    const to = {ArrowLeft: column - 1, ArrowRight: column + 1}[event.key];
    if (to === undefined || to < 0 || to >= device.at.length) return false;
    pick(to);
    return true;
  }
  new ResizeObserver(draw).observe(box);
  open();
  return {key, update: open, repaint: open, test: {bands: () => bands, tree: () => tree,
    places: () => places, device: () => device}};
});
