/* sheets: views that are made of sheets: what a report declares for roofline, ranks and others,
 * with the chart that it declares, and a table that has all of it. */

for (const [name, title, chartOf] of [['roofline', 'Roofline', rooflineChart],
  ['ranks', 'Ranks', rankChart],
  ['compare', 'Compare', changeChart], ['history', 'History', rankChart]])
  defineView(name, title, () => sheetsOf(name).some(sheet => sheet.rows || name !== 'roofline'),
    async element => {
    for (const sheet of sheetsOf(name)) {
      const area = el('section', {class: 'sheet stacked'});
      element.append(area);
      try {
        const open = await openSheet(sheet);
        makeTable(open, area, chartOf(open, sheet) || sheetChart(open), true,
          name === 'roofline' ? row => isCeiling(open, row) : undefined);
      } catch (error) {
        fail(area, error);
      }
    }
  });

/* The greatest changes of a comparison, a chart for each side that is held against the base: less
 * on the left, more on the right, with the sign in the text. */
function changeChart(open, sheet) {
  const stem = column => column.name.replace(/_\d+$/, ''),
    declared = open.columns.filter(column => column.key);
  const first = open.columns.find(column => column.change),
    keys = declared.length ? declared : open.columns.slice(0, 1);
  const changes = open.columns.filter(column => column.change && stem(column) === stem(first)),
    charts = changes.map(change => {
    const rows = upTo(open.rows).map(row => ({value: amountAt(change, row),
      name: keys.map(key => textAt(key, row)).filter(Boolean).join(' ')})).filter(row => row.value);
    const size = row => Math.abs(row.value), some = foremost(rows, size, 12);
    const most = mostOf(some, size, 1e-9), of = changes.length > 1 ? ': ' + change.heading : '';
    return el('figure', {class: 'chart wide-names'},
      el('figcaption', {}, 'Greatest changes, ' + sheet.label + of), some.map(row =>
      barRow(row, 0.5, 0.5 + row.value / most / 2, row.value < 0 ? 't-compute' : 't-comm', '+',
        change.unit)));
  });
  const pairs = menu('pair of runs', changes.map(change => change.heading),
    () => { setState({c: pairs.value}, true); choose(); });
  const choose = () => charts.forEach((chart, i) => { chart.hidden = i !== Number(pairs.value); });
  pairs.value = changes[state.get('c')] ? state.get('c') : 0;
  choose();
  return charts.length && open.rows > 2 ? el('div', {}, charts.length > 1 ? pairs : null, charts) :
    null;
}

/* Bars of a sheet with a column for each rank: one of its rows at a time, by rank or by size. */
function rankChart(open) {
  const [kind, key, value] = (open.data.chart || []).map((word, i) => i ? open.column(word) : word);
  const columns = open.columns.filter(column =>
    column.of && value && value.name.startsWith(column.stem) && column.unit === value.unit);
  if (kind !== 'bar' || columns.length < 2) return null;
  const list = el('div'), words = status('p');
  const what = menu('what is shown', key.cells.map(cell => shownText(key, cell).replace(/_/g, ' ')),
    draw);
  const order = menu('order', ['by rank', 'greatest first', 'least first'], draw);
  function draw() {
    const bars = columns.map(column => ({name: column.of, value: amountAt(column, what.value)}));
    const sorted = bars.map(bar => bar.value).sort((a, b) => a - b),
      median = (sorted[sorted.length - 1 >> 1] + sorted[sorted.length >> 1]) / 2,
      most = sorted[sorted.length - 1];
    const far = [...bars].sort((a, b) =>
      Math.abs(b.value - median) - Math.abs(a.value - median)).slice(0, 3);
    words.textContent = `Median ${figure(median)} ${value.unit || ''}` +
      (median ? `; farthest from it: ` +
      far.map(bar => `${bar.name} ${bar.value > median ? '+' : ''}` +
        `${figure(100 * (bar.value - median) / median)} %`).join(', ') : '');
    if (order.value > 0) bars.sort((a, b) => (order.value > 1 ? 1 : -1) * (a.value - b.value));
    list.replaceChildren(...bars.slice(0,
      64).map(bar => barRow(bar, 0, bar.value / (most || 1), 'k0', '', value.unit)));
  }
  draw();
  return el('figure', {class: 'chart'}, el('div', {class: 'tools'}, what, order), words, list);
}

/* A heat map with a choice of what it shows, and of which rows: those of one text of a column, and
 * those that a filter finds, as of a size. */
function heatChart(open, [x, y, value]) {
  if (!value) return [];
  const others = open.columns.filter(column => column !== x && column !== y), picture = el('div');
  const values = [value, ...others.filter(column =>
    column !== value && column.isNumber && column.unit && column.unit === value.unit)];
  const words = column => [...new Set(column.cells)].filter(cell => cell !== null);
  const kinds = others.filter(column => !column.isNumber && words(column).length > 1 &&
    words(column).length <= 100);
  const what = menu('what is shown', values.map(column => headingOf(column).join(' ')), draw);
  const filters = kinds.map(kind => menu(kind.heading,
    ['any ' + headingOf(kind)[0], ...words(kind).map(String)], draw));
  const find = searchBox('filter: words, size:>1', 'filter cells', draw);
  function draw() {
    const tests = readFilter(find.value, open.columns);
    const isIn = row => tests.every(test => test(row)) &&
      kinds.every((kind, i) => !Number(filters[i].value) ||
      kind.cells[row] === words(kind)[filters[i].value - 1]);
    const rows = upTo(open.rows).filter(isIn);
    picture.replaceChildren(...rows.length ? heatPicture(open, [x, y, values[what.value]], rows) :
      [faint('nothing there')]);
  }
  draw();
  return [el('div', {class: 'tools'}, values.length > 1 ? what : null, filters, find), picture];
}

/* Rows by columns as cells of a colour that grows with the logarithm of the value. Where there are
 * many columns neighbours share one, which shows the greatest. Pointer and arrows read cells out;
 * Enter leads to the collective of one, where columns are places of collectives. */
function heatPicture(open, [x, y, value], chosen) {
  const CELLS_MOST = 200000, COLUMNS_MOST = 2000;
  const [placeX, placeY] = [x, y].map(of =>
    new Map([...new Set(chosen.map(row => valueAt(of, row)))].map((one, i) => [one, i])));
  const columns = [...placeX.keys()], lines = [...placeY.keys()];
  const share = Math.ceil(columns.length / Math.max(1,
    Math.min(COLUMNS_MOST, Math.floor(CELLS_MOST / lines.length))));
  const wide = Math.ceil(columns.length / share), rows = new Map(),
    amountOf = row => Math.max(0, valueAt(value, row));
  for (const row of chosen) {
    const at = placeY.get(valueAt(y, row)) * wide + Math.floor(placeX.get(valueAt(x, row)) / share);
    if (value.cells[row] !== null && isFinite(valueAt(value, row)) &&
      !(rows.has(at) && amountOf(rows.get(at)) >= amountOf(row))) rows.set(at, row);
  }
  const sizes = [...rows.values()].map(row => Math.log1p(amountOf(row)));
  const least = -mostOf(sizes, size => -size, -Infinity), most = mostOf(sizes, size => size);
  const leads = x.name === 'place' && page.traces.every(one => one.run === page.traces[0].run) ?
    blockOf('together') : -1;
  const info = status('p', 'Point at a cell, or move with the arrows' +
    (leads < 0 ? '.' : '; a click or Enter shows the rank and the late one on the timeline.'));
  const lead = async () => {
    const place = leads >= 0 && rows.has(cursor) && valueAt(x, rows.get(cursor));
    const found = place !== false && (await jsonBlock(leads)).find(one => one[0] === place);
    if (!found) return;
    await slicesRead();
    const rank = String(valueAt(y, rows.get(cursor))), isOf = one => one &&
      page.traces[one.track.info.trace].rank === rank;
    goEvent(found.slice(1).find(id => isOf(findEvent(id))) || found[1]);
  };
  let cursor = -1;
  const tell = at => {
    if (!(at >= 0 && at < wide * lines.length)) return;
    cursor = at;
    info.textContent = !rows.has(cursor) ? 'nothing there' :
      (share > 1 ? `the greatest of ${share}: ` : '') + firstColumns(open.columns)
      .map(column => [headingOf(column).filter(Boolean).join(' '),
        textAt(column, rows.get(cursor))])
      .filter(pair => pair[1] !== '').map(pair => pair.join(' ')).join(', ') +
        (rows.has(cursor) ? lateOf(rows.get(cursor)) : '');
    say(info.textContent);
  };
  const wait = leads < 0 ? null : open.column('wait_us');
  const lates = new Map(wait ? upTo(open.rows).filter(row => wait.cells[row] === 0)
    .map(row => [valueAt(x, row), textAt(y, row)]) : []);
  const lateOf = row => wait && valueAt(wait, row) && lates.has(valueAt(x, row)) ?
    `: rank ${textAt(y, row)} waited ${duration(valueAt(wait, row) * 1e3)} for rank ` +
    lates.get(valueAt(x, row)) : '';
  const steps = new Map([['ArrowLeft', -1], ['ArrowRight', 1], ['ArrowUp', -wide],
    ['ArrowDown', wide]]);
  const canvas = el('canvas', {class: 'heat', role: 'application', tabindex: 0, width: wide,
    height: lines.length,
    'aria-label': `${value.heading} by ${x.heading} and ${y.heading}; arrows move between cells`,
    onpointermove: event => tell(Math.floor(
      event.offsetY / canvas.clientHeight * lines.length) * wide +
      Math.floor(Math.max(0, event.offsetX) / canvas.clientWidth * wide)),
    onclick: lead, onkeydown: event => {
      if (event.key === 'Enter') lead();
      if (!steps.has(event.key)) return;
      event.preventDefault();
      tell(cursor < 0 ? 0 : cursor + steps.get(event.key));
    }}, 'The table below has the same.');
  const context = canvas.getContext('2d');
  for (const [at, row] of rows) {
    context.globalAlpha = Math.max(0.04, (Math.log1p(amountOf(row)) - least) / (most - least || 1));
    context.fillStyle = cssOf('k1');
    context.fillRect(at % wide, Math.floor(at / wide), 1, 1);
  }
  canvas.style.setProperty('height', Math.max(60, lines.length * 18) + 'px');
  const [words] = headingOf(value), unit = (value.unit || '');
  const ends = (list, heading) => `${heading} ${list[0]}` +
    (list.length > 1 ? ` to ${list[list.length - 1]}` : '');
  return [faint(`${words}: ${ends(lines, headingOf(y)[0])} from top to bottom, ` +
    `${ends(columns, headingOf(x)[0])} from left to right` +
    `${share > 1 ? `, ${share} in a column: the greatest` : ''}; ` +
    `from ${figure(Math.expm1(least))} (pale) to ${figure(Math.expm1(most))} ${unit} (strong)`),
  el('div', {class: 'heat-rows'}, el('div', {class: 'heat-names', 'aria-hidden': 'true'},
    lines.length <= 40 ? lines.map(line => el('span', {}, String(line))) : []), canvas), info];
}
