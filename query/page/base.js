'use strict';
/* base: what all views share: elements, numbers as people read them and as a CSV has them, colours.
 * Texts of traces become text nodes and attributes, never markup, and never keys of plain objects.
 */

const views = new Map(); /* by name; each file of a view adds its own */

/* An element. Of what is given, functions are listeners (onclick). */
const el = (tag, given, ...children) => fill(document.createElement(tag), given, children);
const svg = (tag, given, ...children) =>
  fill(document.createElementNS('http://www.w3.org/2000/svg', tag), given, children);

/* A text in which signs that are not seen are: nobody takes it for another one. */
const visible = text =>
  text.replace(/[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g,
  sign => `⟨U+${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`);

function fill(made, given, children) {
  for (const [name, value] of Object.entries(given || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? '' : visible(String(value)));
  }
  made.append(...children.flat().filter(child => child !== null && child !== undefined)
    .map(child => typeof child === 'string' ? visible(child) : child));
  return made;
}

const button = (words, onclick, given) => el('button', {type: 'button', onclick, ...given}, words);

/* A button that stays pressed. */
const toggle = (words, onclick, title) => button(words, onclick, {title, 'aria-pressed': 'false'});
const press = (made, isOn) => made.setAttribute('aria-pressed', isOn);
const faint = (...words) => el('p', {class: 'faint'}, ...words);
const status = (tag, ...words) => el(tag, {class: 'faint', role: 'status'}, ...words);
const searchBox = (placeholder, words, oninput) =>
  el('input', {type: 'search', placeholder, 'aria-label': words, oninput});

/* A choice of one of some words; its value is the place of the word, or what is given for it. */
const menu = (label, options, onchange, values) => el('select', {'aria-label': label, onchange},
  options.map((text, i) => el('option', {value: values ? values[i] : i}, text)));

/* A small table; cells that are texts of figures stand on the right, so many columns of them. */
function listTable(head, rows, figures, caption) {
  const cells = (tag, row) => el('tr', {}, row.map((cell, i) => el(tag,
    {class: i < figures ? 'n' : null, scope: tag === 'th' ? 'col' : null}, cell)));
  return el('table', {}, caption ? el('caption', {}, caption) : null,
    head ? el('thead', {}, cells('th', head)) : null,
      el('tbody', {}, rows.map(row => cells('td', row))));
}

/* How many pixels of the screen one of the page has. */
const screenRatio = () => Math.min(2, devicePixelRatio || 1);

/* Makes a canvas so large; gives its pen, which measures in pixels of the page. */
function penOf(canvas, width, height) {
  for (const [name, size] of [['width', width], ['height', height]]) {
    canvas[name] = Math.round(size * screenRatio());
    canvas.style.setProperty(name, size + 'px');
  }
  const pen = canvas.getContext('2d');
  pen.scale(screenRatio(), screenRatio());
  pen.font = '12px system-ui, sans-serif';
  pen.textBaseline = 'middle';
  return pen;
}

/* Draws a line that is written as in SVG. */
function drawPath(pen, colour, width, path) {
  pen.strokeStyle = cssOf(colour);
  pen.lineWidth = width;
  pen.stroke(new Path2D(path));
}
const boxPath = (x, y, width, height) => `M${x} ${y}h${width}v${height}h${-width}z`;

/* The map's entry for a key, made where it is not there; a map that is full is emptied. */
function kept(map, key, make, most = Infinity) {
  if (!map.has(key)) {
    if (map.size >= most) map.clear();
    map.set(key, make());
  }
  return map.get(key);
}

const byId = id => document.getElementById(id);
const sumOf = (list, value) => list.reduce((sum, one) => sum + value(one), 0);
const mostOf = (list, value, least = 0) =>
  list.reduce((most, one) => Math.max(most, value(one)), least);
const upTo = count => [...Array(count).keys()];

/* -- numbers */
const formats = new Map();
function fixed(value, decimals) {
  return kept(formats, decimals, () => new Intl.NumberFormat('en-US',
    {minimumFractionDigits: decimals, maximumFractionDigits: decimals})).format(value);
}

/* Four digits that count, grouped. */
function figure(value) {
  if (value === null || !isFinite(value)) return '';
  if (Number.isInteger(value)) return fixed(value, 0);
  const size = Math.floor(Math.log10(Math.abs(value)));
  if (size < -4 || size > 14) return value.toPrecision(3);
  return fixed(value, Math.max(0, Math.min(7, 3 - size)));
}

const SIZES = [['GiB', 2 ** 30], ['MiB', 2 ** 20], ['KiB', 1024]];
function bytesText(bytes) {
  const [name, size] = SIZES.find(unit => Math.abs(bytes) >= unit[1]) || ['bytes', 1];
  return fixed(bytes / size, size === 1 ? 0 : 2) + '\u00a0' + name;
}

const TIMES = [['s', 1e9], ['ms', 1e6], ['µs', 1e3], ['ns', 1]];
const timeUnit = ns => TIMES.find(unit => Math.abs(ns) >= unit[1]) || TIMES[3];
function duration(ns) {
  const [name, size] = timeUnit(ns);
  return (ns === 0 ? '0' : figure(ns / size)) + '\u00a0' + name;
}

/* The first number from `low` to before `high` of which something, which holds below it, is not
 * true. */
function firstWhere(low, high, isBelow) {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBelow(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

const plural = (count, word) => fixed(count, 0) + '\u00a0' + word + (count === 1 ? '' : 's');
const activities = count => `${fixed(count, 0)} GPU activit${count === 1 ? 'y' : 'ies'}`;

/* -- colours */
function hashOf(text) {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++)
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return hash;
}

const hashWord = text => hashOf(text).toString(16).padStart(8, '0');
const colourCache = new Map();

/* A colour that the style has under this name, as [red, green, blue]; the theme decides. */
function colourOf(name) {
  return kept(colourCache, name, () => {
    const text = getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
    const number = parseInt(text.slice(1), 16);
    return [number >> 16, number >> 8 & 255, number & 255];
  });
}

/* One kind's colour, lighter or darker by the name: the same name always looks the same. */
function colourByName(kind, name) {
  const shift = kind === 'frame' ? 0 : (hashOf(name) % 7 - 3) / 24;
  return mixed(colourOf('kind-' + kind), shift < 0 ? [0, 0, 0] : [255, 255, 255], Math.abs(shift));
}

const cssColour = ([red, green, blue]) => `rgb(${red},${green},${blue})`;
const cssOf = name => cssColour(colourOf(name));

/* A colour so far on the way to another. */
const mixed = (from, to, part) => from.map((one, i) => Math.round(one + (to[i] - one) * part));

/* Black or white, whichever is read more easily on a colour. */
function inkOn(colour) {
  const [red, green, blue] = colour.map(part => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000' : '#fff';
}
