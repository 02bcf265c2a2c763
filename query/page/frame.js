/* frame: header, tabs, the state in the address, keys, help, and the start. A view is a row of
 * `views`: whether it has data, and what opens it in an element. */

const state = new Map();
let opened = null, restTimer = 0;

/* has: whether there is data; open: fills the element, gives {update, key} or nothing. */
function defineView(name, title, has, open) { views.set(name,
  {name, title, has, open, element: null, handle: null}); }

/* -- state */
const KEYS = new Set([...'vtsyxfqomniwralcdezbp', 'sheet']);
function readState() {
  state.clear();
  for (const [key, value] of new URLSearchParams(location.hash.slice(1, 2001)))
    if (KEYS.has(key)) state.set(key, value);
}

function stateText() {
  const words = [...state].filter(pair => pair[1] !== '')
    .map(([key, value]) => key + '=' + encodeURIComponent(value)).join('&');
  return words.length <= 2000 ? words : '';
}

/* Changes of what is looked at are steps of the browser's history, movements are not. */
function setState(changes, isMovement) {
  for (const [key, value] of Object.entries(changes))
    if (value === null || value === undefined || value === '') state.delete(key);
    else state.set(key, String(value));
  clearTimeout(restTimer);
  const write = () => { // the text of a frame, as in a notebook, has no address of its own
    try { history[isMovement ? 'replaceState' : 'pushState'](null, '', '#' + stateText()); }
    catch {}
  };
  if (isMovement) restTimer = setTimeout(write, 200);
  else if ('#' + stateText() !== location.hash) write();
}

/* Goes somewhere, as a link would. */
const go = changes => { setState(changes, false); show(); };

/* Shows an event on the timeline. */
const goEvent = id => go({v: 'timeline', s: id, t: null, y: null});

/* -- views */
const present = () => page.views.map(name => views.get(name)).filter(view => view && view.has());
function show() {
  const all = present();
  const view = all.find(one => one.name === state.get('v')) ||
    all.find(one => one.name === 'compare' || one.name === 'history') ||
    all.find(one => sheetsOf(one.name).length) || all[1] || all[0];
  setTheme();
  if (!view) return;
  if (opened !== view) {
    byId('overview').hidden = view.name !== 'overview';
    for (const other of all) if (other.element) other.element.hidden = other !== view;
    for (const other of all) {
      const isOpen = other === view;
      fill(byId('tab-' + other.name), {'aria-selected': String(isOpen), tabindex: isOpen ? 0 : -1},
        []);
    }
    opened = view;
    document.body.dataset.view = view.name;
  }
  if (!view.element) {
    view.element = view.name === 'overview' ? byId('overview') : el('div', {id: view.name});
    byId('view').append(fill(view.element,
      {class: 'view', role: 'tabpanel', 'aria-labelledby': 'tab-' + view.name}, []));
    view.element.hidden = false;
    view.ready = Promise.resolve().then(() => view.open(view.element))
      .then(handle => { view.handle = handle || {}; })
      .catch(error => { view.handle = {}; fail(view.element, error); });
  } else if (view.handle && view.handle.update) {
    view.handle.update();
  }
}

const fault = words => el('p', {class: 'fault', role: 'alert'}, words);
const fail = (element, error) => element.append(fault('This part of the page cannot be shown: ' +
  error.message + '.'));

/* Without figures of its own the overview only says what the page is about. */
function makeTabs() {
  if (!page.sheets.some(sheet => sheet.tab === 'overview')) views.get('overview').title = 'About';
  const list = el('div', {role: 'tablist', 'aria-label': 'Views'});
  present().forEach((view, place) => list.append(button(view.title, () => go({v: view.name}),
    {role: 'tab', id: 'tab-' + view.name, 'aria-selected': 'false', tabindex: -1,
      title: 'key ' + (place + 1)})));
  list.addEventListener('keydown', event => {
    const tabs = [...list.children], at = tabs.indexOf(document.activeElement);
    const to = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1}[event.key];
    if (to === undefined) return;
    const tab = tabs[(to + tabs.length) % tabs.length];
    tab.click();
    tab.focus();
    event.preventDefault();
    event.stopPropagation();
  });
  byId('tabs').append(list, el('span', {class: 'tools'},
    button('Keys', toggleHelp, {id: 'help-button', title: 'key ?'}), button('Theme', switchTheme)));
}

/* -- themes */
const darkSystem = matchMedia('(prefers-color-scheme: dark)');
const isDark = () => (state.get('d') || (darkSystem.matches ? 'dark' : 'light')) === 'dark';
const darkRule = [...document.styleSheets[0].cssRules].find(rule =>
  rule.media && rule.media.mediaText.includes('dark'));

/* The rule for dark systems is made to hold always, or never. */
const THEMES = new Map([['dark', 'all'], ['light', 'not all']]);
function setTheme(theme = state.get('d')) {
  const wanted = THEMES.get(theme) || '(prefers-color-scheme: dark)';
  if (darkRule.media.mediaText === wanted) return;
  darkRule.media.mediaText = wanted;
  document.documentElement.style.colorScheme = THEMES.has(theme) ? theme : 'light dark';
  repaint();
}

/* Colours were read from the style of the theme. */
function repaint() {
  colourCache.clear();
  for (const view of views.values()) if (view.handle && view.handle.repaint) view.handle.repaint();
}

function switchTheme() {
  setState({d: isDark() ? 'light' : 'dark'}, true);
  setTheme();
}

/* -- keys and words */
function toggleHelp() {
  const help = byId('help');
  help.hidden = !help.hidden;
  (help.hidden ? byId('help-button') : help).focus();
}

const isTyping = target => /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName);
function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === 'Escape' && !byId('help').hidden) return toggleHelp();
  if (isTyping(event.target)) {
    if (event.key === 'Escape') event.target.blur();
    return;
  }
  const handle = opened && opened.handle;
  if (handle && handle.key && handle.key(event)) return event.preventDefault();
  if (event.key === '?') toggleHelp();
  else if (event.key === '/') {
    const find = opened && opened.element.querySelector('input[type=search]');
    if (find) find.focus();
    else return;
  } else if (event.key >= '1' && event.key <= '9') {
    const view = present()[Number(event.key) - 1];
    if (view) go({v: view.name});
  } else return;
  event.preventDefault();
}

let sayTimer = 0;

/* Speaks to those who cannot see, once movement rests. */
function say(words) {
  clearTimeout(sayTimer);
  sayTimer = setTimeout(() => { byId('live').textContent = words; }, 250);
}

/* -- overview */
defineView('overview', 'Overview', () => true, element => {
  for (const picture of views.get('timeline').has() ? element.querySelectorAll('.over-time svg') :
    []) {
    const {from, to} = picture.closest('.over-time').dataset, wide = to - from;
    fill(picture, {class: 'leads', onclick: event => {
      const box = picture.getBoundingClientRect(),
        at = Number(from) + wide * (event.clientX - box.left) / box.width;
      go({v: 'timeline', t: [at - wide / 40,
        at + wide / 40].map(ms => Math.round(ms * 1e6)).join('-')});
    }}, []);
  }
  if (!page.isWhole) element.prepend(fault(
    'The end of this file is missing: it shows what is there.'));
});

/* -- start */
function start() {
  readPage();
  readState();
  document.body.append(el('div', {id: 'live', role: 'status', 'aria-live': 'polite'}));
  makeTabs();
  addEventListener('keydown', onKey);
  for (const moved of ['hashchange', 'popstate']) addEventListener(moved,
    () => { readState(); show(); });
  darkSystem.addEventListener('change', repaint);
  addEventListener('beforeprint', () => setTheme('light'));
  addEventListener('afterprint', () => setTheme());
  fill(document.querySelector('.skip'), {onclick: event =>
    { event.preventDefault(); byId('view').focus(); }}, []);
  show();
}

addEventListener('DOMContentLoaded', start);
