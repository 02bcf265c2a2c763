/* roofline: what calls reached by their operations for each byte, below what the accelerator can
 * do; both axes logarithmic. A point is a distinct call, its area the time that it took. */

const POINTS_MOST = 2000;

/* Shapes of categories, each as large as a circle of radius 1; those beyond share the last one. */
const SHAPES = [['●', 'M-1 0a1 1 0 1 0 2 0a1 1 0 1 0-2 0z'], ['■', 'M-.89-.89h1.78v1.78h-1.78z'],
  ['▲', 'M0-1.56L1.35.78h-2.7z'],
  ['◆', 'M0-1.25L1.25 0L0 1.25L-1.25 0z'], ['▼', 'M0 1.56L1.35-.78h-2.7z'],
    ['✚', 'M-.4-1.19h.8v.79h.79v.8h-.79v.79h-.8v-.79h-.79v-.8h.79z']];

/* A corner of a line of the chart, no call. */
function isCeiling(open, row) {
  const [, , x, y, ceiling] = open.data.chart || [];
  return Boolean(y) && open.at(row, y) === null && open.at(row, x) > 0 && open.at(row, ceiling) > 0;
}

function rooflineChart(open) {
  const [, series, x, y, ceiling] = open.data.chart || [],
    names = {series, x, y, ceiling, time: 'kernel_time_ms', name: 'name'};
  if (!Object.values(names).every(open.column)) return null;
  const WIDTH = 1000, HEIGHT = 440, LEFT = 70, BOTTOM = 46, RIGHT = 24, TOP = 10;
  const rows = upTo(open.rows), at = (row, name) => open.at(row, names[name]);
  let points = rows.filter(row => at(row, 'x') > 0 && at(row, 'y') > 0);
  const lines = rows.filter(row => isCeiling(open, row));
  const timeOf = list => sumOf(list, row => at(row, 'time')), all = timeOf(points) || 1;
  points.sort((a, b) => at(b, 'time') - at(a, 'time'));
  const left = Math.max(0, points.length - POINTS_MOST);
  points = points.slice(0, POINTS_MOST);
  /* decades that hold 99.9 % of the time; what is beyond stands at the edge */
  let seen = 0, last = 0;
  while (last < points.length && seen < 0.999 * all) seen += at(points[last++], 'time');
  const main = points.slice(0, last), decade = value => Math.floor(Math.log10(value));
  const xs = main.map(row => at(row, 'x')), ys = main.map(row => at(row, 'y'));
  const high = lines.map(row => at(row, 'ceiling')),
    knees = lines.map(row => at(row, 'x')).sort((a, b) => a - b);
  const fromX = decade(Math.min(...xs)), toX = Math.max(decade(Math.max(...xs)) + 1,
    Math.ceil(Math.log10(knees[knees.length >> 1] || 1)));
  const fromY = decade(Math.min(...ys)),
    toY = Math.ceil(Math.log10(1.8 * Math.max(...ys, ...high)));
  const px = value => LEFT + (WIDTH - LEFT - RIGHT) * (Math.log10(value) - fromX) / (toX - fromX);
  const py = value => HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * (Math.log10(value) - fromY) / (
    toY - fromY);
  const inX = value => Math.min(Math.max(px(value), LEFT), WIDTH - RIGHT),
    inY = value => Math.min(Math.max(py(value), TOP), HEIGHT - BOTTOM);
  const kinds = [...new Set(points.map(row => at(row, 'series')))], parts = [];
  const axis = (d, ...text) => parts.push(svg('path', {class: 'axis', d}), svgText(...text));
  const decades = (from, to, place) => upTo(to - from + 1).map(i =>
    [powerText(from + i), place(10 ** (from + i))]);
  for (const [text, x] of decades(fromX, toX, px)) axis(`M${x} ${TOP}V${HEIGHT - BOTTOM}`, text, x,
    HEIGHT - BOTTOM + 16, 'middle');
  for (const [text, y] of decades(fromY, toY, py)) axis(`M${LEFT} ${y}H${WIDTH - RIGHT}`, text,
    LEFT - 6, y + 4, 'end');
  parts.push(svgText(open.column(names.x).heading, (LEFT + WIDTH) / 2, HEIGHT - 8, 'middle'),
    svgText(open.column(names.y).heading, 14, HEIGHT / 2, 'middle',
      {transform: `rotate(-90 14 ${HEIGHT / 2})`}));
  const flat = new Map();
  for (const name of new Set(lines.map(row => at(row, 'series')))) {
    const corners = lines.filter(row => at(row, 'series') === name).sort((a, b) =>
      at(a, 'x') - at(b, 'x'));
    const d = corners.map((row, i) =>
      `${i ? 'L' : 'M'}${inX(at(row, 'x')).toFixed(1)} ${clipY(corners, row).toFixed(1)}`).join('');
    parts.push(svg('path', {class: 'line', d}));
    const high = mostOf(corners, row => at(row, 'ceiling'));
    flat.set(high, [...flat.get(high) || [], name]);
  }
  /* names above their lines, further up where another one stands */
  let free = HEIGHT;
  const flatLabels = [...flat].sort((a, b) => a[0] - b[0]).map(([high, names]) => {
    free = Math.min(inY(high) - 4, free - 13);
    return svgText(namesTogether(names), WIDTH - RIGHT - 4, Math.max(TOP + 10, free), 'end',
      {class: 'over'});
  });

  /* A slope that begins left of the frame begins at its edge. */
  function clipY(corners, row) {
    const x = at(row, 'x'), edge = 10 ** fromX;
    return inY(x < edge ? at(row, 'ceiling') * edge / x : at(row, 'ceiling'));
  }
  const info = status('p',
    left ? `The ${POINTS_MOST} longest; ${plural(left, 'other')} are in the table.` :
    'Point at a call, or move with Tab; Enter shows its row, t its first call on the timeline.');
  const dims = open.columns.find(column => column.form === 'tuple');
  const categoryOf = row => open.at(row, 'op_category') || 'without category',
    categories = [...new Set(points.map(categoryOf))];
  const shapeOf = category => SHAPES[Math.min(categories.indexOf(category), SHAPES.length - 1)];
  const marks = points.map(row => {
    const isOut = px(at(row, 'x')) < LEFT || py(at(row, 'y')) > HEIGHT - BOTTOM;
    const words = `${open.at(row, names.name)}, ${categoryOf(row)} ` +
      `${dims ? open.at(row, dims.name) || '' : ''}: ` +
      `${figure(at(row, 'y'))} of ${figure(at(row, 'ceiling'))} possible ` +
      `${open.column(names.y).unit || ''}, ` +
      `${figure(at(row, 'x'))} ${open.column(names.x).heading}, ${figure(at(row, 'time'))} ms`;
    const tell = () => { info.textContent = visible(words); };
    const leads = event => {
      const id = open.event(row);
      if (event.key === 't' && id) goEvent(id);
      else if (event.key === 'Enter' || event.type === 'click') go({v: 'tables',
        sheet: open.sheet.name, o: null, q: rowWords(open, row)});
    };
    const place = `translate(${inX(at(row, 'x')).toFixed(1)} ${inY(at(row, 'y')).toFixed(1)})`,
      size = isOut ? 3 : (2 + 22 * Math.sqrt(at(row, 'time') / all)).toFixed(1);
    return svg('path', {onclick: leads, onkeydown: leads,
      class: colourClass(kinds.indexOf(at(row, 'series'))) + ' point', tabindex: 0, role: 'button',
      'aria-label': words, transform: `${place} scale(${size})`,
        d: isOut ? SHAPES[4][1] : shapeOf(categoryOf(row))[1], onfocus: tell,
        onpointerenter: tell});
  });
  const filter = searchBox('filter: words, category, >5', 'filter calls', () => {
    const tests = readFilter(filter.value, open.columns),
      kept = points.filter(row => tests.every(test => test(row)));
    marks.forEach((mark, i) => mark.toggleAttribute('hidden', !kept.includes(points[i])));
    info.textContent = `${plural(kept.length, 'call')}, ` +
      `${figure(100 * timeOf(kept) / all)} % of the time`;
  });
  return el('figure', {class: 'chart roof'}, filter,
    svg('svg', {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: 'plot', role: 'group',
    'aria-label': open.sheet.title}, parts, marks, flatLabels), legend(kinds),
  categories.length > 1 ? faint(categories.map(one => `${shapeOf(one)[0]} ${one}`).join('\u2003')) :
    null, info);
}

/* A filter that finds a row by the cells that say what it is. */
const rowWords = (open, row) => firstColumns(open.columns).filter(column =>
  !column.isNumber && column.cells[row] !== null)
  .map(column => `${column.name}:"${column.cells[row]}"`).join(' ');

/* The name of several ceilings of one height: "peak 163 TFLOP/s a, b". */
function namesTogether([first, ...others]) {
  const last = name => name.slice(name.lastIndexOf(' ') + 1);
  return [first, ...others.map(last)].join(', ');
}

const powerText = power => power >= -3 && power <= 4 ?
  String(Number((10 ** power).toPrecision(1))) : '1e' + power;
