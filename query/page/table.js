/* table: sheets as tables: columns that matter first, all on demand; sorted by a heading, filtered
 * by words; only rows in view are in the document. */

const ROW_HEIGHT = 24, COLUMNS_FIRST = 10, CELL_WIDEST = 46;
defineView('tables', 'Tables', () => page.sheets.length > 0, element => {
  const list = el('ul', {class: 'sheets'}), area = el('div', {class: 'sheet'});
  const filter = searchBox('sheets', 'find sheets', () => fillList());
  let table = null, shown = null;
  element.append(el('div', {class: 'side'}, filter, list), area);

  function fillList() {
    const word = filter.value.toLowerCase();
    list.replaceChildren(...page.sheets
      .filter(sheet => (sheet.name + ' ' + sheet.label).toLowerCase().includes(word))
      .map(sheet => el('li', {}, button([el('span', {}, sheet.label),
        el('small', {}, fixed(sheet.rows, 0))],
        () => go({v: 'tables', sheet: sheet.name, q: null, o: null}),
        {'aria-current': shown === sheet ? 'true' : null, title: sheet.title}))));
  }
  async function update() {
    const sheet = sheetNamed(state.get('sheet')) || page.sheets[0];
    if (sheet === shown) {
      if (table) table.fromState();
      return;
    }
    shown = sheet;
    fillList();
    area.replaceChildren();
    try {
      const open = await openSheet(sheet);
      if (sheet === shown) table = makeTable(open, area, sheetChart(open));
    } catch (error) {
      fail(area, error);
    }
  }
  fillList();
  return update().then(() => ({update}));
});

/* -- cells */
const cellValue = cell => Array.isArray(cell) ? Number(cell[0]) : cell;
const valueAt = (column, row) => cellValue(column.cells[row]);
const amountAt = (column, row) => Number(valueAt(column, row)) || 0;
const textAt = (column, row) => shownText(column, column.cells[row]);

/* The CSV text of a cell; numbers that would read otherwise come as texts. */
function cellText(column, cell) {
  if (Array.isArray(cell)) return cell[0];
  return cell === null ? '' : cell + (column.numbers === 'real' && Number.isInteger(cell) ? '.0' :
    '');
}

/* How the cells of a column are shown: the same number of decimals for all. */
function prepareColumn(column) {
  const size = cell => typeof cellValue(cell) === 'number' && isFinite(cellValue(cell)) ?
    Math.abs(cellValue(cell)) : 0;
  const most = column.most = mostOf(column.cells, size);
  column.decimals = column.numbers === 'whole' ? 0 :
    Math.min(6, Math.max(most < 1e5 ? 2 : 0, 3 - Math.floor(Math.log10(most || 1))));
  column.shortNames = new Map(column.names);
  column.isNumber = column.numbers !== undefined;
}

function shownText(column, cell) {
  const value = cellValue(cell);
  if (value === null) return '';
  if (typeof value !== 'number') return column.shortNames.get(value) || value;
  if (!isFinite(value)) return cell[0];
  if (column.form === 'name') return String(value);
  if (column.unit === 'bytes' && !column.shown) return bytesText(value);
  if (column.numbers === 'whole') return fixed(value, 0);
  if (value !== 0 && Math.abs(value) < 0.5 * 10 ** -column.decimals) return value.toPrecision(2);
  return fixed(value, column.decimals);
}

/* [words, unit] of a heading. */
const headingOf = column => [column.words || column.heading, column.shown || ''];

/* -- order and filter */
function compareCells(left, right) {
  const a = cellValue(left), b = cellValue(right);
  if (a === b) return 0;
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
  return a < b ? -1 : 1;
}

const BOUNDS = new Map([['<', (a, b) => a < b], ['<=', (a, b) => a <= b], ['=', (a, b) => a === b],
  ['>=', (a, b) => a >= b], ['>', (a, b) => a > b]]);

/* Words, >5, <=3, "whole cell", each perhaps with column: before it; all must hold. */
function readFilter(text, columns) {
  return (text.match(/(?:[\w%.]+:)?(?:"[^"]*"|\S+)/g) || []).map(word => {
    const cut = word.match(/^([\w%.]+):(.+)$/) || [];
    const named = columns.filter(one => one.name === cut[1] || one.heading === cut[1]);
    const of = named.length ? named : columns, rest = named.length ? cut[2] : word,
      part = rest.toLowerCase();
    const bound = rest.match(/^(>=|<=|>|<|=)(-?[\d.]+(?:e[-+]?\d+)?)$/i),
      whole = rest.match(/^"([^"]*)"$/);
    const test = bound ? value => typeof value === 'number' &&
      BOUNDS.get(bound[1])(value, Number(bound[2])) :
      whole ? value => String(value) === whole[1] : value =>
        String(value).toLowerCase().includes(part);
    return row => of.some(column => {
      const value = valueAt(column, row), short = column.shortNames.get(value);
      return value !== null && (test(value) || short !== undefined && test(short));
    });
  });
}

/* Texts that a spreadsheet would take for formulas are not that outside of the page. */
const guarded = text => /^[=+\-@\t\r]/.test(text) ? "'" + text : text;
const fieldOf = (column, row) => typeof column.cells[row] === 'string' ?
  guarded(column.cells[row]) : cellText(column, column.cells[row]);
const csvField = text => /[",\n\r]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;

/* -- a table */
/* The columns that stand first: those that have a place, by it, else the first ones. */
function firstColumns(columns) {
  const placed = columns.filter(column => column.place).sort((a, b) => a.place - b.place);
  return placed.length ? placed : columns.slice(0, COLUMNS_FIRST);
}

function barColumns(columns) {
  const declared = columns.filter(column => column.bar), times = /^(ns|us|μs|µs|ms|s)$/;
  return declared.length ? declared :
    columns.filter(column => column.polarity === 'lower' && times.test(column.unit || '')).slice(0,
      1);
}

const ruler = document.createElement('canvas').getContext('2d');
function widthOf(text, font) {
  ruler.font = font;
  return ruler.measureText(text).width;
}

/* `isOne`: of several on a view, none of which is in the address. `isHidden`: rows for the chart
 * alone. */
function makeTable(open, area, chart, isOne, isHidden = () => false) {
  const {sheet, data} = open, shown = upTo(sheet.rows).filter(row => !isHidden(row));
  let order = [], isWide = false, columns = [], sorted = null, top = -1;
  const bars = new Set(barColumns(data.columns));
  const count = status('span');
  const find = searchBox('filter: words, >5, column:word', 'filter rows',
    () => { if (!isOne) setState({q: find.value}, true); refresh(); });
  const more = toggle('All columns', () => widen(!isWide));
  const hasMore = firstColumns(data.columns).length < data.columns.length;
  const head = el('tr'), body = el('tbody'), group = el('colgroup');
  const table = el('table', {class: 'grid', 'aria-rowcount': sheet.rows + 1}, group,
    el('caption', {class: 'unseen'}, sheet.title), el('thead', {}, head), body);
  const box = el('div', {class: 'scroll grid-box', tabindex: 0, role: 'region',
    'aria-label': sheet.label, onscroll: () => draw(false)}, table);
  area.append(el('h2', {}, sheet.label), faint(sheet.title), ...(chart ? [chart] : []),
    el('div', {class: 'tools'}, find, hasMore ? more : null,
      button('Copy', copy), button('Save CSV', save), count),
    box, ...(data.notes ? [faint(data.notes)] : []));
  new ResizeObserver(() => draw(false)).observe(box);

  function widen(all) {
    isWide = all;
    press(more, all);
    choose();
  }
  function choose() {
    columns = isWide ? data.columns : firstColumns(data.columns);
    const style = getComputedStyle(document.body), font = '13px ' + style.fontFamily;
    const sample = upTo(Math.min(sheet.rows, 300));
    let total = 0;
    group.replaceChildren(...columns.map(column => {
      const widest = mostOf(sample, row => widthOf(textAt(column, row).slice(0, CELL_WIDEST), font),
        24);
      const heading = mostOf(headingOf(column)[0].replace(/_/g, '_ ').split(' '),
        word => widthOf(word, '600 ' + font));
      const one = el('col'), most = Math.max(120, box.clientWidth * 0.35);
      const width = Math.ceil(Math.max(Math.min(widest * 1.06, most), heading + 14)) + 22;
      total += width;
      one.style.setProperty('width', width + 'px');
      return one;
    }));
    table.style.setProperty('width', total + 'px');
    head.replaceChildren(...columns.map(heading));
    refresh();
  }
  function heading(column) {
    const [own, unit] = headingOf(column),
      words = own.split('_').flatMap((part, i) => i ? ['_', el('wbr'), part] : [part]);
    return el('th', {scope: 'col', class: column.isNumber ? 'n' : null,
      'aria-sort': sorted && sorted.column === column ? (sorted.down ? 'descending' : 'ascending') :
        'none'}, button([...words, unit ? el('small', {}, unit) : null], () => turn(column),
      {title: column.meaning}));
  }

  /* Up or down first as suits the column, then the other way, then as the report has it. */
  function turn(column) {
    const first = column.isNumber;
    if (!sorted || sorted.column !== column) sorted = {column, down: first};
    else if (sorted.down === first) sorted = {column, down: !first};
    else sorted = null;
    if (!isOne) setState({o: orderWord()}, true);
    head.replaceChildren(...columns.map(heading));
    head.children[columns.indexOf(column)].firstChild.focus();
    refresh();
  }
  const orderWord = () => sorted && (sorted.down ? '-' : '') + data.columns.indexOf(sorted.column);
  function refresh() {
    const tests = readFilter(find.value, columns);
    order = shown.filter(row => tests.every(test => test(row)));
    if (sorted) {
      const cells = sorted.column.cells, sign = sorted.down ? -1 : 1;
      order.sort((a, b) => (cells[a] === null) - (cells[b] === null) ||
        sign * compareCells(cells[a], cells[b]) || a - b);
    }
    count.textContent = (order.length < shown.length ? fixed(order.length, 0) + ' of ' : '') +
      plural(shown.length, 'row') + (isWide || !hasMore ? '' :
        `, ${columns.length} of ${data.columns.length} columns`);
    draw(true);
  }
  function cellElement(column, row) {
    const cell = column.cells[row], made = plainCell(column, cell);
    if (bars.has(column) && cell !== null && column.most > 0) {
      const most = column.unit === '%' ? Math.max(100, column.most) : column.most;
      made.classList.add('bar-cell');
      made.style.setProperty('--part', 100 * Math.abs(cellValue(cell)) / most + '%');
    }
    return made;
  }
  function rowElement(row, place) {
    const made = el('tr', {'aria-rowindex': place + 2},
      columns.map(column => cellElement(column, row)));
    const event = open.event(row), first = made.firstChild;
    if (event) first.replaceChildren(button(first.textContent || '→', () => goEvent(event),
      {class: 'plain', title: 'on the timeline'}));
    const colour = data.colours && data.colours[row];
    if (colour === 'grey') made.classList.add('faint');
    else if (colour)
      for (const word of colour.split(', ')) {
        const [name, tone] = word.split(' ');
        const at = columns.findIndex(column => column.name === name);
        if (at >= 0) made.children[at].classList.add('c-' + tone);
      }
    return made;
  }

  const spacer = rows => {
    const made = el('tr', {'aria-hidden': 'true'},
      el('td', {colspan: columns.length, class: 'space'}));
    made.style.setProperty('height', rows * ROW_HEIGHT + 'px');
    return made;
  };

  function draw(isNew) {
    const rows = Math.ceil((box.clientHeight || 600) / ROW_HEIGHT) + 20;
    const first = Math.max(0, Math.floor(box.scrollTop / ROW_HEIGHT) - 10) & ~7;
    if (!isNew && first === top) return;
    top = first;
    const some = order.slice(first, first + rows);
    body.replaceChildren(...(first ? [spacer(first)] : []),
      ...some.map((row, i) => rowElement(row, first + i)),
      ...(first + rows < order.length ? [spacer(order.length - first - rows)] : []),
      ...(first + rows >= order.length ? (data.footer || []).map(footerRow) : []));
    if (!sheet.rows && !data.footer)
      body.append(el('tr', {}, el('td', {colspan: columns.length, class: 'faint'}, 'no rows')));
  }

  const footerRow = sums => el('tr', {class: 'sums'},
    columns.map(column => plainCell(column, sums[data.columns.indexOf(column)])));
  function plainCell(column, cell) {
    const text = shownText(column, cell), exact = cellText(column, cell);
    return el('td', {class: column.isNumber ? 'n' : null,
      title: exact !== text || text.length > 20 ? exact : null}, text);
  }

  const lines = separator => [columns.map(column => column.heading),
    ...order.map(row => columns.map(column => fieldOf(column, row)))]
    .map(line => line.map(text => text.replace(/[\t\n\r]/g, ' ')).join(separator)).join('\n');

  function copy() {
    navigator.clipboard.writeText(lines('\t')).then(() => { count.textContent = 'copied'; },
      () => { count.textContent = 'the browser does not allow copying'; });
  }

  /* All columns and rows, as --csv writes them. */
  const csv = () => [data.columns.map(column => guarded(column.heading)),
    ...upTo(sheet.rows).map(row => data.columns.map(column => fieldOf(column, row)))]
    .map(row => row.map(csvField).join(',') + '\n').join('');
  function save() {
    const href = URL.createObjectURL(new Blob([csv()], {type: 'text/csv'}));
    el('a', {href, download: sheet.name.replace(/[^\w.-]/g, '_') + '.csv'}).click();
    setTimeout(() => URL.revokeObjectURL(href), 1000);
  }
  function fromState() {
    if (isOne) return choose();
    const words = state.get('q') || '', turned = /^(-?)(\d{1,4})$/.exec(state.get('o') || '');
    const column = turned && data.columns[Number(turned[2])];
    if (find.value === words && orderWord() === (column ? turned[0] : null) &&
      columns.length) return;
    find.value = words;
    sorted = column ? {column, down: turned[1] === '-'} : null;
    widen(isWide || Boolean(column) && !firstColumns(data.columns).includes(column));
  }
  fromState();
  return {fromState, csv, lines, open};
}
