/* flame: GPU time by its callers, as an icicle: root on top, the heaviest first. A node
 * is a place in a few arrays. Of two runs a node is as wide as both together, and its colour says
 * which one is slower; what only one of them has is hatched. */

const FLAME_WORDS = {module: 'modules', op: 'ops', stack: 'stack', phase: 'phase',
  program: 'program'};
const flameModes = () => page.blocks.filter(block => block.kind === 'flame').map(block =>
  block.mode);
async function readTree(mode, isCalls) {
  const block = page.blocks.findIndex(one => one.kind === 'flame' && one.mode === mode);
  const data = await jsonBlock(block), count = data.parent.length + 1, own = data.own;
  const tree = {names: data.names, name: [-1, ...data.name], parent: [-1, ...data.parent],
    longest: [0, ...data.longest],
    calls: [0, ...data.calls], own: [0, ...own[0].map((one, i) => one + (own[1] ? own[1][i] : 0))],
      second: [0, ...own[1] || []]};
  if (tree.parent.some((parent, node) =>
    node && !(parent >= 0 && parent !== node && parent < count)) ||
    tree.name.some(name => !(name < data.names.length))) throw new Error(
      'a node is not in the file');
  if (isCalls) tree.own = tree.calls.slice();
  if (isCalls) tree.parent.forEach((parent, node) =>
    { if (parent > 0) tree.own[parent] -= tree.calls[node]; });
  return sumUp(tree);
}
function sumUp(tree) {
  tree.children = tree.parent.map(() => []);
  tree.parent.forEach((parent, node) => { if (node) tree.children[parent].push(node); });
  tree.sum = tree.own.slice();
  const order = [0]; /* parents before what is below them */
  for (let at = 0; at < order.length; at++) order.push(...tree.children[order[at]]);
  for (const node of order.reverse()) {
    const parent = tree.parent[node];
    if (parent < 0) continue;
    tree.sum[parent] += tree.sum[node];
    tree.second[parent] += tree.second[node];
    if (!parent) tree.calls[0] += tree.calls[node];
  }
  for (const list of tree.children) list.sort((a, b) => tree.sum[b] - tree.sum[a] || a - b);
  return tree;
}

const pathOf = (tree, node) => node > 0 ?
  [...pathOf(tree, tree.parent[node]), tree.names[tree.name[node]][0]] : [];
const pathHash = (tree, node) => hashWord(pathOf(tree, node).join('\n'));

/* A tree upside down: on top what has this name, below it who called it. What lies in others of the
 * name is in their sums. */
function callersOf(tree, name) {
  const made = {names: tree.names, name: [], parent: [], longest: [], calls: [], own: [],
    second: []}, known = new Map();
  const add = row => {
    for (const [list, value] of Object.entries({...row, calls: 0, own: 0,
      second: 0})) made[list].push(value);
    return made.name.length - 1;
  };
  const isIn = node => node > 0 && (tree.name[node] === name || isIn(tree.parent[node]));
  add({name: -1, parent: -1, longest: 0});
  for (const node of upTo(tree.name.length).filter(node =>
    tree.name[node] === name && !isIn(tree.parent[node]))) {
    let at = 0;
    for (let up = node; up > 0; up = tree.parent[up]) {
      const parent = at;
      at = kept(known, parent + ' ' + tree.name[up],
        () => add({name: tree.name[up], parent, longest: tree.longest[node]}));
      if (made.calls[at]) made.longest[at] = 0; // which of several is longer is not in the file
      made.calls[at] += tree.calls[node];
    }
    made.own[at] += tree.sum[node];
    made.second[at] += tree.second[node];
  }
  return sumUp(made);
}

/* Siblings of one class as one node, with their sums: "24 × EncoderLayer". */
const classOf = ([name]) => (/^nn\.Module: (.+)_\d+$/.exec(name) || [])[1];
function foldedOf(tree) {
  const made = {names: [...tree.names], name: [-1], parent: [-1], longest: [0], calls: [0],
    own: [tree.own[0]], second: [tree.second[0]]};
  const known = new Map(), layers = [new Set()], to = [0], order = [0];
  for (const node of order)
    for (const child of tree.children[node]) {
      const name = tree.name[child], of = classOf(tree.names[name]);
      const at = kept(known, to[node] + ' ' + (of ? ':' + of : name),
        () => layers.push(new Set()) - 1);
      made.longest[at] = layers[at].size ? 0 : tree.longest[child]; // which is longer is not known
      for (const list of [made.calls, made.own, made.second]) list[at] = list[at] || 0;
      layers[at].add(made.name[at] = name);
      made.parent[at] = to[node];
      made.calls[at] += tree.calls[child];
      made.own[at] += tree.own[child];
      made.second[at] += tree.second[child];
      order.push(child);
      to[child] = at;
    }
  tree.second.forEach((second, node) => { // sumUp adds what is below
    if (node) made.second[to[tree.parent[node]]] -= second;
  });
  layers.forEach(({size}, at) => {
    const [, kind] = tree.names[made.name[at]] || [],
      of = classOf(tree.names[made.name[at]] || ['']);
    if (size > 1)
      made.name[at] = made.names.push([`nn.Module: ${size} × ${of}`, kind]) - 1;
  });
  return sumUp(made);
}
defineView('flame', 'Flame', () => flameModes().length > 0, async element => {
  const trees = new Map(), ROW = 20;
  let tree = null, root = 0, selected = 0, places = [], hits = null, isCalls = false, callee = -1;
  const canvas = el('canvas', {class: 'icicle', tabindex: 0, role: 'application', 'aria-label':
    'icicle of GPU time; arrows move, Enter opens, Escape goes up, 0 shows all',
      onclick: event => choose(nodeAt(event)), ondblclick: () => enter(selected)},
  'GPU time by its callers; the list below has the same.');
  const panel = el('div', {class: 'panel'}), note = status('span');
  const find = searchBox('find', 'find nodes', () => search());
  const modes = menu('by', flameModes().map(value => 'by ' + FLAME_WORDS[value]),
    () => go({m: modes.value, n: null}), flameModes());
  const [before, after] = page.sides, nameOf = node => tree.names[tree.name[node]];
  const widths = after ? [['', 'both runs'], ['before', before], ['after', after]] :
    [['', 'GPU time'], ['calls', 'launches']];
  const weights = menu('width', widths.map(pair => 'width: ' + pair[1]),
    () => go({w: weights.value}), widths.map(pair => pair[0]));
  const callers = toggle('Callers', () =>
    go({i: callee < 0 && selected ? hashWord(nameOf(selected)[0]) : null, n: null}),
    'callers of the selection, wherever it is called');
  const fold = toggle('Fold layers', () => go({e: state.get('e') ? null : 1, n: null}),
    'modules of one class side by side as one; key l');
  const box = el('div', {class: 'icicle-box'}, canvas);
  element.append(el('div', {class: 'tools'}, modes, weights, callers, fold, find,
    button('Up', () => enter(tree.parent[root]), {title: 'key Esc'}), note), box, panel);
  const titleOf = node => node ? nameOf(node)[2] ||
    nameOf(node)[0].replace(/^(aten::|nn\.Module: )/, '') : callee < 0 ? 'all GPU activity' :
    'who calls it';
  const amount = weight => isCalls ? activities(weight) : duration(weight);
  const wideOf = node => ({before: tree.sum[node] - tree.second[node],
    after: tree.second[node]})[weights.value] ?? tree.sum[node];
  const share = (part, whole) => figure(100 * part / (whole || 1)) + ' %';
  async function open() {
    const all = flameModes();
    const mode = [state.get('m'), 'module', 'program', 'op'].find(one => all.includes(one));
    modes.value = mode;
    weights.value = widths.some(pair => pair[0] === state.get('w')) ? state.get('w') : '';
    isCalls = weights.value === 'calls';
    const whole = await kept(trees, mode + isCalls, () => readTree(mode, isCalls));
    callee = whole.names.findIndex(name => hashWord(name[0]) === state.get('i'));
    press(callers, callee >= 0);
    const isFolded = callee < 0 && state.get('e') === '1';
    tree = isFolded ? foldedOf(whole) : callee < 0 ? whole : callersOf(whole, callee);
    press(fold, isFolded);
    fold.hidden = callee >= 0 || !whole.names.some(classOf);
    const wanted = state.get('n');
    root = wanted ? Math.max(0, tree.name.findIndex((_, node) =>
      node && pathHash(tree, node) === wanted)) : 0;
    selected = root;
    draw();
    choose(root);
  }
  function place(node, x, width, depth) {
    if (width < 1) return;
    places.push({node, x, width, depth});
    let at = x;
    for (const child of tree.children[node]) {
      const wide = width * wideOf(child) / (wideOf(node) || 1);
      place(child, at, wide, depth + 1);
      at += wide;
    }
  }
  function draw() {
    const width = box.clientWidth;
    if (!width || !tree) return;
    places = [];
    place(root, 0, width, 0);
    const pen = penOf(canvas, width, (mostOf(places, one => one.depth) + 1) * ROW);
    for (const {node, x, width: wide, depth} of places) {
      const colour = after ? changeColour(node) : node ?
        colourByName(KINDS.get(nameOf(node)[1]) || 'other', nameOf(node)[0]) : colourOf('idle');
      const shown = hits && !hits.has(node) ? mixed(colour, colourOf('ground'), 0.75) : colour;
      const area = [x, depth * ROW, Math.max(1, wide - 0.5), ROW - 1];
      pen.fillStyle = cssColour(shown);
      pen.fillRect(...area);
      const isOne = after && wide > 2 &&
        (!tree.second[node] || tree.second[node] === tree.sum[node]);
      if (isOne) hatch(pen, ...area);
      if (wide > 30) drawLabel(pen, titleOf(node), inkOn(shown), x + 4, (depth + 0.5) * ROW,
        wide - 8, isOne && cssColour(shown));
      if (node === selected) drawPath(pen, 'ink', 2,
        boxPath(x + 1, depth * ROW + 1, Math.max(1, wide - 2), ROW - 3));
    }
    note.textContent = hits ?
      `${plural(hits.size, 'node')}, ${amount(hitTime())}: ${share(hitTime(), tree.sum[0])}` :
      amount(tree.sum[0]) + (isCalls ? '; ' : ' of GPU time, summed over streams; ') +
      `${plural(tree.name.length - 1, 'node')}` +
      (after ? `; orange: more in ${after}, blue: less, hatched: only in one` : '');
  }

  /* Towards blue or orange by the share of the difference. */
  function changeColour(node) {
    const change = (2 * tree.second[node] - tree.sum[node]) / (tree.sum[node] || 1),
      part = Math.min(1, 0.15 + 2 * Math.abs(change));
    const from = colourOf('idle'), to = colourOf(change < 0 ? 'k0' : 'k1');
    return change ? mixed(from, to, part) : from;
  }
  function changeWords(node) {
    const first = tree.sum[node] - tree.second[node], change = tree.second[node] - first,
      sign = change > 0 ? '+' : '';
    return `, ${before} ${duration(first)}, ${after} ${duration(tree.second[node])}: ` +
      `${sign}${duration(change)}` + (first ? `, ${sign}${figure(100 * change / first)} %` : '');
  }

  /* Hits below other hits are in them already. */
  function hitTime() {
    const inHit = node => node > 0 && (hits.has(node) || inHit(tree.parent[node]));
    return sumOf([...hits].filter(node => !inHit(tree.parent[node])), node => tree.sum[node]);
  }
  function search() {
    const word = find.value.toLowerCase();
    hits = word ? new Set(upTo(tree.name.length).filter(node =>
      node && nameOf(node)[0].toLowerCase().includes(word))) : null;
    draw();
  }
  function nodeAt(event) {
    const x = event.offsetX, depth = Math.floor(event.offsetY / ROW);
    const found = places.find(one => one.depth === depth && x >= one.x &&
      x < one.x + Math.max(1, one.width));
    return found ? found.node : selected;
  }
  function enter(node) {
    if (!(node >= 0)) return;
    root = node;
    setState({n: node ? pathHash(tree, node) : null});
    choose(node);
  }
  function choose(node) {
    selected = node;
    const parent = tree.parent[node], longest = tree.longest[node], own = tree.own[node];
    const words = `${titleOf(node)}: ${amount(tree.sum[node])}, ` +
      `${share(tree.sum[node], tree.sum[0])} of all` +
      (parent > 0 ? `, ${share(tree.sum[node], tree.sum[parent])} of ${titleOf(parent)}` : '') +
      (isCalls ? '' :
        `, ${activities(tree.calls[node])}, mean ${duration(tree.sum[node] / tree.calls[node])}`) +
      (own && callee < 0 ? `, itself ${amount(own)}` : '') + (after ? changeWords(node) : '');
    panel.replaceChildren(el('p', {}, el('b', {}, words)),
      el('p', {class: 'path faint'}, pathOf(tree, node).join(' › ')),
      el('p', {}, node !== root ? button('Open', () => enter(node)) : '', ' ',
        longest ? button('Longest on the timeline', () => goEvent(longest)) : ''),
      listTable(null, tree.children[node].slice(0, 30).map(child => [amount(tree.sum[child]),
        share(tree.sum[child], tree.sum[node]),
          button(titleOf(child), () => choose(child), {class: 'plain'})]), 2));
    say(words);
    draw();
  }
  function key(event) {
    if (event.target.closest('button')) return false;
    const parent = tree.parent[selected], list = parent >= 0 ? tree.children[parent] : [selected],
      at = list.indexOf(selected);
    const to = {ArrowDown: tree.children[selected][0], ArrowUp: selected === root ? root : parent,
      ArrowRight: list[at + 1], ArrowLeft: list[at - 1]}[event.key];
    if (to !== undefined) choose(to);
    else if (event.key === 'Enter') enter(selected);
    else if (event.key === 'Escape') enter(tree.parent[root]);
    else if (event.key === '0') enter(0);
    else if (event.key === 'l' && !fold.hidden) fold.click();
    else return event.key.startsWith('Arrow');
    return true;
  }

  new ResizeObserver(draw).observe(box);
  await open();
  return {key, update: open, repaint: draw, test: {tree: () => tree, places: () => places}};
});
