'use strict';
/* base: what all views share: elements, numbers as people read them and as a CSV has them, colours.
 * Texts of traces become text nodes and attributes, never markup, and never keys of plain objects.
 */

const LINKS = new Set(['href']);
const views = new Map(); /* by name; each file of a view adds its own */

/* An element. Of what is given, functions are listeners (onclick), links lead within the page. */
function el(tag, given, ...children) {
  const made = document.createElement(tag);
  fill(made, given, children);
  return made;
}

function svg(tag, given, ...children) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  fill(made, given, children);
  return made;
}

function fill(made, given, children) {
  for (const [name, value] of Object.entries(given || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') made.addEventListener(name.slice(2), value);
    else if (LINKS.has(name)) made.setAttribute(name, '#' + String(value).replace(/^#/, ''));
    else made.setAttribute(name, value === true ? '' : value);
  }
  made.append(...children.flat().filter(child => child !== null && child !== undefined));
}

const byId = id => document.getElementById(id);

/* -- numbers */
/* As Python and tpq write it: the shortest that reads back, 12.0, 1.5e-05, 1e+16. */
function exactText(value, isReal) {
  if (!isReal) return String(value);
  const text = String(Math.abs(value)), sign = value < 0 || Object.is(value, -0) ? '-' : '';
  let [digits, power] = text.split('e');
  let [whole, part = ''] = digits.split('.');
  let exponent = Number(power || 0) + whole.length - 1;
  let all = whole + part;
  const zeros = all.match(/^0*/)[0].length;
  if (zeros === all.length) return sign + '0.0';
  all = all.slice(zeros).replace(/0+$/, '');
  exponent -= zeros;
  if (exponent < -4 || exponent >= 16) {
    const tail = String(Math.abs(exponent)).padStart(2, '0');
    return sign + all[0] + (all.length > 1 ? '.' + all.slice(1) : '') +
      (exponent < 0 ? 'e-' : 'e+') + tail;
  }
  if (exponent < 0) return sign + '0.' + '0'.repeat(-exponent - 1) + all;
  if (all.length <= exponent + 1) return sign + all.padEnd(exponent + 1, '0') + '.0';
  return sign + all.slice(0, exponent + 1) + '.' + all.slice(exponent + 1);
}

const formats = new Map();

function fixed(value, decimals) {
  if (!formats.has(decimals))
    formats.set(decimals, new Intl.NumberFormat('en-US',
      {minimumFractionDigits: decimals, maximumFractionDigits: decimals}));
  return formats.get(decimals).format(value);
}

/* Four digits that count, grouped. */
function figure(value) {
  if (value === null || value === undefined || !isFinite(value)) return '';
  if (value === 0 || Number.isInteger(value)) return fixed(value, 0);
  const size = Math.floor(Math.log10(Math.abs(value)));
  if (size < -4 || size > 14) return value.toPrecision(3);
  return fixed(value, Math.max(0, Math.min(7, 3 - size)));
}

const TIMES = [['s', 1e9], ['ms', 1e6], ['µs', 1e3], ['ns', 1]];

function timeUnit(ns) {
  return TIMES.find(unit => Math.abs(ns) >= unit[1]) || TIMES[3];
}

function duration(ns) {
  const [name, size] = timeUnit(ns);
  return (ns === 0 ? '0' : figure(ns / size)) + '\u00a0' + name;
}

function sizeText(bytes) {
  for (const [name, size] of [['GB', 1e9], ['MB', 1e6], ['kB', 1e3]])
    if (bytes >= size) return figure(bytes / size) + '\u00a0' + name;
  return bytes + '\u00a0bytes';
}

const plural = (count, word) => fixed(count, 0) + '\u00a0' + word + (count === 1 ? '' : 's');

/* -- colours */
function hashOf(text) {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++)
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return hash;
}

const colourCache = new Map();

/* A colour that the style has under this name, as [red, green, blue]; the theme decides. */
function colourOf(name) {
  if (!colourCache.has(name)) {
    const text = getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
    const number = parseInt(text.slice(1), 16);
    colourCache.set(name, [number >> 16, number >> 8 & 255, number & 255]);
  }
  return colourCache.get(name);
}

/* One kind's colour, lighter or darker by the name: the same name always looks the same. */
function colourByName(kind, name) {
  const shift = kind === 'frame' ? 0 : (hashOf(name) % 7 - 3) / 24;
  return colourOf('kind-' + kind).map(part =>
    Math.round(shift < 0 ? part * (1 + shift) : part + (255 - part) * shift));
}

const cssColour = ([red, green, blue]) => `rgb(${red},${green},${blue})`;

/* Black or white, whichever is read more easily on a colour. */
function inkOn(colour) {
  const [red, green, blue] = colour.map(part => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000' : '#fff';
}
