/* flame: accelerator time by what called it, as an icicle: root on top, the heaviest first. A node
 * is a place in a few arrays; the tree is made once for each mode, of all slices. */

const FLAME_MODES = [['module', 'modules'], ['op', 'ops'], ['stack', 'stack']];
const isModule = name => name.startsWith('nn.Module: ');

/* Which slices of threads are nodes. */
function flameFilter(mode) {
  return model.names.map((name, i) => {
    const kind = model.kinds[i];
    return kind === 'op' || kind === 'frame' && (mode === 'stack' || mode === 'module' && isModule(name));
  });
}

async function makeTree(mode) {
  const tree = {name: [-1], parent: [-1], sum: [0], own: [0], calls: [0], longest: [null]};
  const keep = flameFilter(mode), children = new Map(), nodeOf = new Map(), works = [];
  const child = (parent, name) => {
    const key = parent * 2 ** 24 + name;
    let node = children.get(key);
    if (node === undefined) {
      children.set(key, node = tree.name.length);
      for (const [column, value] of Object.entries({name, parent, sum: 0, own: 0, calls: 0, longest: null})) tree[column].push(value);
    }
    return node;
  };
  for (const track of model.tracks) for (const call of track.link || []) if (call) works.push(call);
  works.sort((a, b) => a - b);
  for (const track of model.tracks) {
    if (track.link) continue;
    const ends = [], nodes = [], {id, start, dur, name, late} = track, rows = Math.min(track.rows, late);
    let at = firstWhere(0, works.length, place => works[place] < id[0]);
    for (let row = 0; row < rows; row++) {
      if (row % 200000 === 199999) await pause();
      while (ends.length && ends[ends.length - 1] <= start[row]) { ends.pop(); nodes.pop(); }
      let node = nodes.length ? nodes[nodes.length - 1] : 0;
      if (keep[name[row]]) node = child(node, name[row]);
      /* calls that are told together with a slice are where that is */
      for (; works[at] < (row + 1 < rows ? id[row + 1] : id[row] + 1); at++) nodeOf.set(works[at], node);
      ends.push(start[row] + dur[row]);
      nodes.push(node);
    }
    for (let row = late; row < track.rows; row++) if (!nodeOf.has(id[row])) nodeOf.set(id[row], 0);
  }
  for (const track of model.tracks)
    for (let row = 0; track.link && row < track.rows; row++) {
      const at = child(nodeOf.get(track.link[row]) || 0, track.name[row]);
      const dur = track.count ? track.dur[row] - track.gap[row] : track.dur[row];
      tree.own[at] += dur;
      const known = tree.longest[at];
      if (!known || known.track.dur[known.row] < dur) tree.longest[at] = {track, row};
      for (let node = at; node >= 0; node = tree.parent[node]) {
        tree.sum[node] += dur;
        tree.calls[node] += 1 + (track.count ? track.count[row] : 0);
      }
    }
  tree.children = tree.name.map(() => []);
  for (let node = 1; node < tree.name.length; node++)
    if (tree.sum[node]) tree.children[tree.parent[node]].push(node);
  for (const list of tree.children) list.sort((a, b) => tree.sum[b] - tree.sum[a] || a - b);
  return tree;
}

const pathOf = (tree, node) => node > 0 ? [...pathOf(tree, tree.parent[node]), model.names[tree.name[node]]] : [];
const pathHash = (tree, node) => hashOf(pathOf(tree, node).join('\n')).toString(16).padStart(8, '0');

defineView('flame', 'Flame', () => page.tracks.some(track => track.kind === 'stream') &&
  page.blocks.some(block => block.kind === 'slices'), async element => {
  const trees = new Map(), ROW = 20;
  let tree = null, root = 0, selected = 0, places = [], hits = null, mode = '';
  const canvas = el('canvas', {class: 'icicle', tabindex: 0, role: 'application', 'aria-label':
    'icicle of accelerator time', onclick: event => choose(nodeAt(event)), ondblclick: () => enter(selected)},
  'Accelerator time by what called it; the list below has the same.');
  const panel = el('div', {class: 'panel'}), note = el('span', {class: 'faint', role: 'status'}, 'reading slices');
  const find = searchBox('find', 'find nodes', () => search());
  const modes = el('select', {'aria-label': 'by', onchange: () => { setState({m: modes.value, n: null}); open(); }},
    FLAME_MODES.map(([value, words]) => el('option', {value}, 'by ' + words)));
  const box = el('div', {class: 'icicle-box'}, canvas);
  element.append(el('div', {class: 'tools'}, modes, find,
    button('Up', () => enter(tree.parent[root]), {title: 'key Esc'}), note), box, panel);
  const titleOf = node => node ? model.shorts[tree.name[node]] : 'all accelerator work';
  const share = (part, whole) => figure(100 * part / (whole || 1)) + ' %';

  async function open() {
    const hasModules = model.names.some(isModule);
    mode = FLAME_MODES.some(one => one[0] === state.get('m')) ? state.get('m') : hasModules ? 'module' : 'op';
    modes.value = mode;
    if (!trees.has(mode)) trees.set(mode, await makeTree(mode));
    tree = trees.get(mode);
    const wanted = state.get('n');
    root = wanted ? Math.max(0, tree.name.findIndex((_, node) => node && pathHash(tree, node) === wanted)) : 0;
    selected = root;
    draw();
    choose(root);
  }
  function place(node, x, width, depth) {
    if (width < 1) return;
    places.push({node, x, width, depth});
    let at = x;
    for (const child of tree.children[node]) {
      const wide = width * tree.sum[child] / (tree.sum[node] || 1);
      place(child, at, wide, depth + 1);
      at += wide;
    }
  }
  function draw() {
    const width = box.clientWidth;
    if (!width || !tree) return;
    places = [];
    place(root, 0, width, 0);
    const ratio = sizeCanvas(canvas, width, (places.reduce((most, one) => Math.max(most, one.depth), 0) + 1) * ROW);
    const context = canvas.getContext('2d');
    context.font = 12 * ratio + 'px system-ui, sans-serif';
    context.textBaseline = 'middle';
    for (const {node, x, width: wide, depth} of places) {
      const isFaded = hits && !hits.has(node);
      const colour = node ? colourByName(model.kinds[tree.name[node]], model.names[tree.name[node]]) : colourOf('idle');
      const shown = isFaded ? colour.map((part, i) => Math.round(part * 0.25 + colourOf('ground')[i] * 0.75)) : colour;
      context.fillStyle = cssColour(shown);
      context.fillRect(x * ratio, depth * ROW * ratio, Math.max(1, wide - 0.5) * ratio, (ROW - 1) * ratio);
      if (wide > 30) drawLabel(context, titleOf(node), inkOn(shown), (x + 4) * ratio, (depth + 0.5) * ROW * ratio, (wide - 8) * ratio);
      if (node === selected) {
        context.strokeStyle = cssColour(colourOf('ink'));
        context.lineWidth = 2 * ratio;
        context.strokeRect((x + 1) * ratio, (depth * ROW + 1) * ratio, Math.max(1, wide - 2) * ratio, (ROW - 3) * ratio);
      }
    }
    note.textContent = hits ? `${plural(hits.size, 'node')}, ${duration(hitTime())}: ${share(hitTime(), tree.sum[0])}` :
      `${duration(tree.sum[0])} of accelerator work, summed over streams; ${plural(tree.name.length - 1, 'node')}`;
  }

  /* Hits below other hits are in them already. */
  function hitTime() {
    const inHit = node => node > 0 && (hits.has(node) || inHit(tree.parent[node]));
    return [...hits].filter(node => !inHit(tree.parent[node])).reduce((sum, node) => sum + tree.sum[node], 0);
  }
  function search() {
    const word = find.value.toLowerCase();
    hits = word ? new Set(tree.name.map((_, node) => node).filter(node =>
      node && model.names[tree.name[node]].toLowerCase().includes(word))) : null;
    draw();
  }
  function nodeAt(event) {
    const bounds = canvas.getBoundingClientRect(), x = event.clientX - bounds.left;
    const depth = Math.floor((event.clientY - bounds.top) / ROW);
    const found = places.find(one => one.depth === depth && x >= one.x && x < one.x + Math.max(1, one.width));
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
    const parent = tree.parent[node], longest = tree.longest[node] || heaviest(node), own = tree.own[node];
    const words = `${titleOf(node)}: ${duration(tree.sum[node])}, ${share(tree.sum[node], tree.sum[0])} of all` +
      (parent > 0 ? `, ${share(tree.sum[node], tree.sum[parent])} of ${titleOf(parent)}` : '') +
      `, ${plural(tree.calls[node], 'piece')} of work, mean ${duration(tree.sum[node] / tree.calls[node])}` +
      (own ? `, itself ${duration(own)}` : '');
    panel.replaceChildren(el('p', {}, el('b', {}, words)), el('p', {class: 'path faint'}, pathOf(tree, node).join(' › ')),
      el('p', {}, node !== root ? button('Open', () => enter(node)) : '', ' ', longest ? button('Longest on the timeline',
        () => go({v: 'timeline', s: longest.track.id[longest.row], t: null})) : ''),
      listTable(null, tree.children[node].slice(0, 30).map(child => [duration(tree.sum[child]),
        share(tree.sum[child], tree.sum[node]), button(titleOf(child), () => choose(child), {class: 'plain'})]), 2));
    say(words);
    draw();
  }
  function heaviest(node) {
    while (!tree.longest[node] && tree.children[node].length) node = tree.children[node][0];
    return tree.longest[node];
  }
  function key(event) {
    if (event.target.closest('button')) return false;
    const parent = tree.parent[selected], list = parent >= 0 ? tree.children[parent] : [selected], at = list.indexOf(selected);
    const to = {ArrowDown: tree.children[selected][0], ArrowUp: selected === root ? root : parent,
      ArrowRight: list[at + 1], ArrowLeft: list[at - 1]}[event.key];
    if (to !== undefined) choose(to);
    else if (event.key === 'Enter') enter(selected);
    else if (event.key === 'Escape') enter(tree.parent[root]);
    else if (event.key === '0') enter(0);
    else return event.key.startsWith('Arrow');
    return true;
  }

  await slicesRead();
  new ResizeObserver(draw).observe(box);
  await open();
  return {key, update: open, repaint: draw, test: {tree: () => tree, places: () => places}};
});
