/* chart: what a sheet declares as its chart, as a small picture above its table: bars, one stacked
 * bar, columns, and lines with the least and the greatest for each pixel. */

const CHART_WIDTH = 860, CHART_HEIGHT = 200, BARS_MOST = 30;
function sheetChart(open) {
  const words = open.data.chart || [];
  const kinds = new Map([['bar', barChart], ['pie', shareChart], ['column', lineChart],
    ['line', lineChart], ['stack', shareChart], ['heat', heatChart]]);
  const make = kinds.get(words[0]), columns = words.slice(1).map(name => open.column(name));
  if (!make || open.rows < 2 || !columns[0] || !columns[1]) return null;
  return el('figure', {class: 'chart'}, make(open, columns));
}

/* A number alone says not what it counts. */
function nameIn(key, row) {
  const text = textAt(key, row);
  return /^\d+$/.test(text) ? headingOf(key)[0] + ' ' + text : text;
}

/* Whose row it is, of several traces. */
function placeOf(open, row) {
  const trace = page.traces.length > 1 && page.traces[open.trace(row)];
  return trace ? traceName(trace) + ' ' : '';
}

/* The rows with the greatest values, and the sum of all others. */
function greatest(open, key, value, most) {
  return foremost(upTo(open.rows).map(row =>
    ({name: placeOf(open, row) + nameIn(key, row), value: amountAt(value, row)})), row => row.value,
    most);
}
function foremost(rows, size, most) {
  rows.sort((a, b) => size(b) - size(a));
  const rest = rows.slice(most);
  return rest.length ? [...rows.slice(0, most),
    {name: plural(rest.length, 'other'), value: sumOf(rest, row => row.value)}] : rows;
}

function barChart(open, [key, value]) {
  const rows = greatest(open, key, value, BARS_MOST), most = mostOf(rows, row => row.value);
  return most ? rows.map(row => barRow(row, 0, row.value / most, 'k0', '', value.unit)) : [];
}

/* A lying bar between shares of the width, with its name and figure. */
function barRow({name, value}, from, to, colour, sign, unit) {
  const picture = svg('svg', {viewBox: '0 0 1 1', preserveAspectRatio: 'none',
    'aria-hidden': 'true', class: sign ? 'change' : null},
    svg('rect', {class: colour, height: 1, x: Math.min(from, to).toFixed(4),
      width: Math.abs(to - from).toFixed(4)}));
  return el('div', {class: 'bar-row'}, el('span', {class: 'name', title: name}, name), picture,
    el('span', {class: 'n'}, (value > 0 ? sign : '') + figure(value) + ' ' + (unit || '')));
}

function shareChart(open, [key, value]) {
  const rows = greatest(open, key, value, 8), sum = sumOf(rows, row => row.value);
  if (!sum) return [];
  let at = 0;
  const picture = svg('svg', {viewBox: '0 0 1000 20', preserveAspectRatio: 'none',
    'aria-hidden': 'true'}, rows.map((row, i) => {
      const width = 1000 * row.value / sum;
      at += width;
      return svg('rect', {class: colourClass(i), x: (at - width).toFixed(2),
        width: width.toFixed(2), height: 20});
    }));
  return [picture, legend(rows.map(row =>
    [row.name + ' ', el('b', {}, figure(100 * row.value / sum) + ' %')]))];
}

const colourClass = i => i < 8 ? 'k' + i : 't-other';
const legend = words => el('ul', {class: 'legend'}, words.map((one, i) =>
  el('li', {}, el('i', {class: colourClass(i)}), one)));

const svgText = (text, x, y, anchor, more) =>
  svg('text', {x, y, 'text-anchor': anchor, ...more}, text);

/* Lines over the rows, or over their first column where that is a number. */
function lineChart(open, [key, ...values]) {
  const present = values.filter(Boolean), left = 70, width = CHART_WIDTH - left - 10, bottom = 26;
  const height = CHART_HEIGHT - bottom - 8;
  const places = key.isNumber ? key.cells.map(cellValue) : key.cells.map((_, i) => i);
  const least = Math.min(...places), span = Math.max(...places) - least || 1;
  const most = Math.max(...present.map(column => column.most)) || 1;
  const x = place => left + width * (place - least) / span,
    y = value => 8 + height * (1 - value / most);
  const paths = present.map((column, i) => {
    const spans = new Map();
    column.cells.map(cellValue).forEach((value, row) => {
      const at = Math.round(x(places[row])), [low, high] = spans.get(at) || [value, value];
      if (typeof value === 'number' && isFinite(value)) spans.set(at,
        [Math.min(low, value), Math.max(high, value)]);
    });
    const d = [...spans].sort((a, b) => a[0] - b[0]).map(([at, [low, high]], n) =>
      `${n ? 'L' : 'M'}${at} ${y(high).toFixed(1)}` +
      `${low < high ? `V${y(low).toFixed(1)}` : ''}`).join('');
    return svg('path', {class: 'line ' + colourClass(i), d});
  });
  return [svg('svg', {viewBox: `0 0 ${CHART_WIDTH} ${CHART_HEIGHT}`, class: 'plot', role: 'img',
    'aria-label': present.map(column => headingOf(column)[0]).join(', ') + ' by ' +
      headingOf(key)[0]},
  svg('path', {class: 'axis', d: `M${left} 8V${8 + height}H${left + width}`}), paths,
  svgText(figure(most), left - 6, 16, 'end'), svgText('0', left - 6, 8 + height, 'end'),
  svgText(key.isNumber ? figure(least) : textAt(key, 0), left, CHART_HEIGHT - 6, 'start'),
  svgText(key.isNumber ? figure(least + span) + ' ' + (key.unit || '') : textAt(key, open.rows - 1),
    left + width, CHART_HEIGHT - 6, 'end')),
  legend(present.map(column => headingOf(column).join(' ')))];
}
