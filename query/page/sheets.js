/* sheets: views that are made of sheets: what a report declares for ranks, compare and history, with
 * the chart that it declares, and a table that has all of it. */

for (const [name, title] of [['ranks', 'Ranks'], ['compare', 'Compare'], ['history', 'History']])
  defineView(name, title, () => sheetsOf(name).length > 0, async element => {
    for (const sheet of sheetsOf(name)) {
      const area = el('section', {class: 'sheet stacked'});
      element.append(area);
      try {
        const open = await openSheet(sheet);
        makeTable(open, area, name === 'compare' ? changeChart(open) || sheetChart(open) : sheetChart(open), true);
      } catch (error) {
        fail(area, error);
      }
    }
  });

/* The greatest changes of a comparison, to both sides of nothing: less on the left, more on the
 * right, with the sign in the text. */
function changeChart(open) {
  const change = open.columns.find(column => column.change), key = open.columns.find(column => column.key) || open.columns[0];
  if (!change) return null;
  [change, key].forEach(prepareColumn);
  const rows = [...Array(open.rows).keys()].map(row => ({name: shownText(key, key.cells[row]),
    value: Number(cellValue(change.cells[row])) || 0})).filter(row => row.value);
  rows.sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
  const some = rows.slice(0, 12), rest = rows.slice(12).reduce((sum, row) => sum + row.value, 0);
  if (rows.length > 12) some.push({name: plural(rows.length - 12, 'other'), value: rest});
  const most = Math.max(...some.map(row => Math.abs(row.value)), 0);
  if (!most) return null;
  return el('figure', {class: 'chart'}, el('figcaption', {}, 'Greatest changes: ' + change.heading), some.map(row =>
    barRow(row, 0.5, 0.5 + row.value / most / 2, row.value < 0 ? 't-compute' : 't-comm', '+', change.unit)));
}

/* Rows by columns as cells of a colour that grows with the logarithm of the value. */
function heatChart(open, [x, y, value]) {
  if (!value) return [];
  const lines = [...new Set(y.cells.map(cellValue))], columns = [...new Set(x.cells.map(cellValue))].slice(0, 2000);
  const placeX = new Map(columns.map((one, i) => [one, i])), placeY = new Map(lines.map((one, i) => [one, i]));
  const canvas = el('canvas', {class: 'heat', role: 'img', width: columns.length, height: lines.length,
    'aria-label': `${value.heading} by ${x.heading} and ${y.heading}`});
  const context = canvas.getContext('2d'), most = Math.log1p(value.most);
  value.cells.forEach((cell, row) => {
    const at = placeX.get(cellValue(x.cells[row]));
    if (at === undefined || cell === null) return;
    context.globalAlpha = Math.max(0.04, Math.log1p(Math.max(0, cellValue(cell))) / (most || 1));
    context.fillStyle = cssColour(colourOf('k1'));
    context.fillRect(at, placeY.get(cellValue(y.cells[row])), 1, 1);
  });
  canvas.style.setProperty('height', Math.max(60, lines.length * 18) + 'px');
  return [el('p', {class: 'faint'}, `${value.heading}: ${lines.length} ${y.heading} from top to bottom, ` +
    `${columns.length} ${x.heading} from left to right; darker is more, at most ${figure(value.most)} ${value.unit || ''}`), canvas];
}
