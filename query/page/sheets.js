/* sheets: views that are made of sheets: what a report declares for ranks, compare and history, with
 * the chart that it declares, and a table that has all of it. */

for (const [name, title] of [['ranks', 'Ranks'], ['compare', 'Compare'], ['history', 'History']])
  defineView(name, title, () => sheetsOf(name).length > 0, async element => {
    for (const sheet of sheetsOf(name)) {
      const area = el('section', {class: 'sheet stacked'});
      element.append(area);
      try {
        const open = await openSheet(sheet);
        makeTable(open, area, (name === 'compare' ? changeChart(open) : rankChart(open)) || sheetChart(open), true);
      } catch (error) {
        fail(area, error);
      }
    }
  });

/* The greatest changes of a comparison, a chart for each side that is held against the base: less on
 * the left, more on the right, with the sign in the text. */
function changeChart(open) {
  const stem = column => column.name.replace(/_\d+$/, ''), declared = open.columns.filter(column => column.key);
  const first = open.columns.find(column => column.change), keys = declared.length ? declared : open.columns.slice(0, 1);
  const changes = open.columns.filter(column => column.change && stem(column) === stem(first)), charts = changes.map(change => {
    [change, ...keys].forEach(prepareColumn);
    const rows = [...Array(open.rows).keys()].map(row => ({value: Number(cellValue(change.cells[row])) || 0,
      name: keys.map(key => shownText(key, key.cells[row])).filter(Boolean).join(' ')})).filter(row => row.value);
    rows.sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
    const some = rows.slice(0, 12), rest = rows.slice(12).reduce((sum, row) => sum + row.value, 0);
    if (rows.length > 12) some.push({name: plural(rows.length - 12, 'other'), value: rest});
    const most = Math.max(...some.map(row => Math.abs(row.value)), 0), of = changes.length > 1 ? ': ' + change.heading : '';
    return most && el('figure', {class: 'chart wide-names'}, el('figcaption', {}, 'Greatest changes' + of), some.map(row =>
      barRow(row, 0.5, 0.5 + row.value / most / 2, row.value < 0 ? 't-compute' : 't-comm', '+', change.unit)));
  }).filter(Boolean);
  return charts.length && open.rows > 2 ? el('div', {}, charts) : null;
}

/* Bars of a sheet with a column for each rank: one of its rows at a time, by rank or by size. */
function rankChart(open) {
  const [kind, key, value] = (open.data.chart || []).map((word, i) => i ? open.column(word) : word);
  const columns = open.columns.filter(column => column.of && value && value.name.startsWith(column.stem) && column.unit === value.unit);
  if (kind !== 'bar' || columns.length < 2) return null;
  [key, ...columns].forEach(prepareColumn);
  const list = el('div'), words = el('p', {class: 'faint', role: 'status'});
  const choose = (label, options) => el('select', {'aria-label': label, onchange: draw}, options.map((text, i) => el('option', {value: i}, text)));
  const what = choose('what is shown', key.cells.map(cell => shownText(key, cell).replace(/_/g, ' ')));
  const order = choose('order', ['by rank', 'greatest first', 'least first']);
  function draw() {
    const bars = columns.map(column => ({name: column.of, value: Number(cellValue(column.cells[what.value])) || 0}));
    const sorted = bars.map(bar => bar.value).sort((a, b) => a - b), median = sorted[sorted.length >> 1], most = sorted[sorted.length - 1];
    const far = [...bars].sort((a, b) => Math.abs(b.value - median) - Math.abs(a.value - median)).slice(0, 3);
    words.textContent = `Median ${figure(median)} ${value.unit || ''}` + (median ? `; farthest from it: ` +
      far.map(bar => `${bar.name} ${bar.value > median ? '+' : ''}${figure(100 * (bar.value - median) / median)} %`).join(', ') : '');
    if (order.value > 0) bars.sort((a, b) => (order.value > 1 ? 1 : -1) * (a.value - b.value));
    list.replaceChildren(...bars.slice(0, 64).map(bar => barRow(bar, 0, bar.value / (most || 1), 'k0', '', value.unit)));
  }
  draw();
  return el('figure', {class: 'chart'}, el('div', {class: 'tools'}, what, order), words, list);
}

/* Rows by columns as cells of a colour that grows with the logarithm of the value. */
function heatChart(open, [x, y, value]) {
  if (!value) return [];
  const lines = [...new Set(y.cells.map(cellValue))], columns = [...new Set(x.cells.map(cellValue))].slice(0, 2000);
  const placeX = new Map(columns.map((one, i) => [one, i])), placeY = new Map(lines.map((one, i) => [one, i]));
  const canvas = el('canvas', {class: 'heat', role: 'img', width: columns.length, height: lines.length,
    'aria-label': `${value.heading} by ${x.heading} and ${y.heading}`});
  const context = canvas.getContext('2d'), size = cell => Math.log1p(Math.max(0, cellValue(cell)));
  const sizes = value.cells.filter(cell => cell !== null).map(size).filter(isFinite);
  const least = sizes.reduce((a, b) => Math.min(a, b), Infinity), most = sizes.reduce((a, b) => Math.max(a, b), 0);
  value.cells.forEach((cell, row) => {
    const at = placeX.get(cellValue(x.cells[row]));
    if (at === undefined || cell === null) return;
    context.globalAlpha = Math.max(0.04, (size(cell) - least) / (most - least || 1));
    context.fillStyle = cssColour(colourOf('k1'));
    context.fillRect(at, placeY.get(cellValue(y.cells[row])), 1, 1);
  });
  canvas.style.setProperty('height', Math.max(60, lines.length * 18) + 'px');
  const [words] = headingOf(value), unit = (value.unit || '');
  const ends = (list, heading) => `${heading} ${list[0]}` + (list.length > 1 ? ` to ${list[list.length - 1]}` : '');
  return [el('p', {class: 'faint'}, `${words}: ${ends(lines, headingOf(y)[0])} from top to bottom, ` +
    `${ends(columns, headingOf(x)[0])} from left to right; from ${figure(Math.expm1(least))} (light) to ${figure(Math.expm1(most))} ${unit} (dark)`),
  el('div', {class: 'heat-rows'}, el('div', {class: 'heat-names', 'aria-hidden': 'true'},
    lines.length <= 40 ? lines.map(line => el('span', {}, String(line))) : []), canvas)];
}
