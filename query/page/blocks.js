/* blocks: the data of the page, unpacked when a view needs it. A block that cannot be read fails
 * alone. */

const unpacked = new Map();
let page = null;
function readPage() {
  page = JSON.parse(byId('page').textContent);
  const end = byId('end');
  page.isWhole = Boolean(end) && JSON.parse(end.textContent).blocks === page.blocks.length;
}

function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const bytes = atob(text), out = new Uint8Array(bytes.length);
  for (let i = 0; i < bytes.length; i++) out[i] = bytes.charCodeAt(i);
  return out;
}

/* The bytes of a block, which must be as many as were announced. */
async function inflate(number) {
  const entry = page.blocks[number], element = byId('b' + number);
  if (!entry || !element) throw new Error(`part ${number} of the file is missing`);
  if (!(entry.raw >= 0 && entry.raw <= 2 ** 30)) throw new Error(`part ${number} has no size`);
  const out = new Uint8Array(entry.raw);
  const stream = new Blob([fromBase64(element.textContent)]).stream()
    .pipeThrough(new DecompressionStream('deflate-raw'));
  let at = 0;
  for (const reader = stream.getReader(); ;) {
    const {done, value} = await reader.read();
    if (done) break;
    if (at + value.length > entry.raw) {
      reader.cancel();
      throw new Error(`part ${number} of the file is longer than it says`);
    }
    out.set(value, at);
    at += value.length;
  }
  if (at !== entry.raw) throw new Error(`part ${number} of the file is cut off`);
  return out;
}

/* The value of a block of JSON; kept. */
const jsonBlock = number => kept(unpacked, number, () => inflate(number).then(bytes =>
    JSON.parse(new TextDecoder().decode(bytes))));

/* The run and rank that tell a trace from others. */
const traceName = of => [page.traces.some(one => one.run !== of.run) || of.rank === null ? of.run :
  '', of.rank === null ? '' : 'rank ' + of.rank].filter(Boolean).join(' ');

const blockOf = kind => page.blocks.findIndex(block => block.kind === kind);
const sheetNamed = name => page.sheets.find(sheet => sheet.name === name);
const sheetsOf = tab => page.sheets.filter(sheet => sheet.tab === tab);

/* A sheet as objects would have it: `at` gives a cell as a value, `column` a column by its name,
 * `trace` the place of the trace of a row,
   `event` the event on the timeline that a row is about. */
async function openSheet(sheet) {
  const data = await jsonBlock(sheet.block), places = blockOf('places');
  const columns = new Map(data.columns.map(column => [column.name, column]));
  data.columns.forEach(prepareColumn);
  const at = (row, name) => columns.has(name) ? cellValue(columns.get(name).cells[row]) : null;
  const uid = ['uid', 'ex_uid'].find(name => columns.has(name));
  const events = new Map(uid && places >= 0 ? await jsonBlock(places) : []);
  const trace = row => page.traces.length > 1 ?
    page.traces.findIndex(one => one.id === at(row, 'trace_id')) : 0;
  return {sheet, data, rows: sheet.rows, columns: data.columns, column: name => columns.get(name),
    at, trace, event: row => uid ? events.get(trace(row) + ' ' + at(row, uid)) : undefined};
}

/* Lets the browser draw and listen between two steps; timers would wait longer than that. */
const resumed = [], channel = new MessageChannel();
channel.port1.onmessage = () => resumed.shift()();
const pause = () => new Promise(done => {
  resumed.push(done);
  channel.port2.postMessage(0);
});

/* -- columns of numbers */
/* `rows` values of one column: planes of bytes, then the rest of those that have no room there.
 * `next` is where the following column begins. */
function readColumn(bytes, at, rows, width, isSigned, next) {
  const out = new Float64Array(rows), limit = width === 2 ? 65535 : 255;
  let rest = at + rows * width;
  if (rest > next) throw new Error('a column is cut off');
  for (let i = 0; i < rows; i++) {
    let value = bytes[at + i];
    if (width === 2) value += bytes[at + rows + i] * 256;
    if (value === limit) {
      let scale = 1, byte;
      do {
        if (rest >= next || scale > 2 ** 56) throw new Error('a column is cut off');
        byte = bytes[rest++];
        value += (byte & 127) * scale;
        scale *= 128;
      } while (byte & 128);
    }
    out[i] = isSigned ? (value % 2 ? -(value + 1) / 2 : value / 2) : value;
  }
  if (rest !== next) throw new Error('a column does not end where it should');
  return out;
}
