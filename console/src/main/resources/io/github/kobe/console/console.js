// The page of the console. Text from the server reaches the page through textContent only: keys are chosen by others.

const WINDOW_MS = 300_000;        // what sparklines show
const BUCKET_MS = 3_000;          // one column of a sparkline
const GAP_MS = 8_000;             // samples further apart are not joined
const RATE_MS = 5_000;            // rates are means over this time
const MAX_HISTORIES = 400;
const PAGE_SIZE = 50;
const NOTE_MS = 6_000;
const RETRY_MS = [1_000, 2_000, 4_000, 8_000, 10_000];
const FIRST_EVENT_MS = 5_000;     // a proxy that buffers delivers nothing for longer than this
const MIN_STREAM_MS = 5_000;      // the server ends a stream after a while; one that ends earlier is lost
const STREAM_AGAIN_MS = 60_000;   // how long to poll before the stream is tried again

const $ = id => document.getElementById(id);

// ---- elements ---------------------------------------------------------------------------------------------------

/** Makes an element. Attributes are set as such, except for the text and for listeners. */
function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'text') {
      element.textContent = value;
    } else if (name.startsWith('on')) {
      element.addEventListener(name.slice(2), value);
    } else if (value === true) {
      element.setAttribute(name, '');
    } else if (value !== false && value !== undefined) {
      element.setAttribute(name, value);
    }
  }
  element.append(...children);
  return element;
}

/** Writes only what has changed, so that a selection survives. */
function text(element, value) {
  const next = String(value);
  if (element.textContent !== next) {
    element.textContent = next;
  }
  return element;
}

function toggle(element, name, on) {
  if (on !== element.hasAttribute(name)) {
    element.toggleAttribute(name, on);
  }
}

/** Makes the children of an element those of the items, in their order. A child is made once and updated after that. */
function keyed(parent, items, keyOf, create, update) {
  const known = parent.keyedChildren ??= new Map();
  const wanted = new Set(items.map(keyOf));
  for (const [key, child] of known) {
    if (!wanted.has(key)) {
      child.remove();
      known.delete(key);
    }
  }
  let previous = null;
  for (const item of items) {
    const key = keyOf(item);
    let child = known.get(key);
    if (!child) {
      child = create(item);
      known.set(key, child);
    }
    const place = previous ? previous.nextSibling : parent.firstChild;
    if (child !== place) {
      parent.insertBefore(child, place);
    }
    update(child, item);
    previous = child;
  }
}

let announceTimer = 0;

/** Says something to those who see and to those who listen. */
function announce(message, isError = false) {
  const note = $('announce');
  text(note, message);
  note.classList.toggle('error', isError);
  note.classList.add('shown');
  clearTimeout(announceTimer);
  announceTimer = setTimeout(() => note.classList.remove('shown'), NOTE_MS);
}

// ---- numbers ----------------------------------------------------------------------------------------------------

const WHOLE = new Intl.NumberFormat('en', {maximumFractionDigits: 0});
const SHORT = new Intl.NumberFormat('en', {maximumFractionDigits: 1, notation: 'compact'});

function count(n) {
  return n < 1_000_000 ? WHOLE.format(n) : SHORT.format(n);
}

function duration(ms) {
  if (ms < 1) {
    return ms === 0 ? '0 ms' : ms < 0.01 ? '< 0.01 ms' : ms.toFixed(2) + ' ms';
  }
  if (ms < 1_000) {
    return ms.toFixed(ms < 10 ? 1 : 0) + ' ms';
  }
  if (ms < 60_000) {
    return (ms / 1_000).toFixed(ms < 10_000 ? 1 : 0) + ' s';
  }
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) {
    return minutes + ' min ' + Math.floor(ms % 60_000 / 1_000) + ' s';
  }
  return Math.floor(minutes / 60) + ' h ' + String(minutes % 60).padStart(2, '0') + ' min';
}

function rate(perSecond) {
  if (perSecond === null) {
    return '–';
  }
  return (perSecond > 0 && perSecond < 10 ? perSecond.toFixed(1) : count(perSecond)) + '/s';
}

function limitText(limit) {
  return limit === null ? 'no limit' : count(limit);
}

function clock(at) {
  const then = new Date(at);
  const time = then.toLocaleTimeString([], {hour: '2-digit', minute: '2-digit', second: '2-digit'});
  return then.toDateString() === new Date().toDateString() ? time : `${then.toLocaleDateString()} ${time}`;
}

function plural(n, noun) {
  return `${count(n)} ${noun}${n === 1 ? '' : 's'}`;
}

// ---- five minutes -----------------------------------------------------------------------------------------------

/** The samples of one group or executor, as this tab has received them. */
class History {
  samples = [];

  add(at, sample) {
    const last = this.samples.at(-1);
    if (last && last.at >= at) {
      return;
    }
    this.samples.push({at, ...sample});
    const first = this.samples.findIndex(s => s.at > at - WINDOW_MS);
    if (first > 0) {
      this.samples.splice(0, first);
    }
  }

  /** The increase of a count in a second, over the last seconds; null if there are not enough samples. */
  rate(name) {
    const last = this.samples.at(-1);
    if (!last) {
      return null;
    }
    const since = this.samples.find(s => s.at >= last.at - RATE_MS);
    const seconds = (last.at - since.at) / 1_000;
    return seconds < 0.5 ? null : Math.max(0, last[name] - since[name]) / seconds;
  }
}

const histories = new Map();

function history(id) {
  let known = histories.get(id);
  if (known) {
    histories.delete(id);           // the one that was not used for longest is first
  } else {
    known = new History();
    if (histories.size >= MAX_HISTORIES) {
      histories.delete(histories.keys().next().value);
    }
  }
  histories.set(id, known);
  return known;
}

function record(id, at, row) {
  const known = history(id);
  known.add(at, {
    running: row.running,
    queued: row.queued,
    done: (row.succeeded ?? 0) + (row.failed ?? 0),
    failed: row.failed ?? 0,
    rejected: row.rejected ?? 0,
  });
  return known;
}

const SVG = 'http://www.w3.org/2000/svg';

function spark(width) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('class', 'spark');
  svg.setAttribute('viewBox', `0 0 ${width} 20`);
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('aria-hidden', 'true');
  for (const name of ['run', 'wait']) {
    const path = document.createElementNS(SVG, 'path');
    path.setAttribute('class', name);
    svg.append(path);
  }
  svg.width100 = width;
  return svg;
}

/** Draws running tasks, and queued tasks above them. */
function draw(svg, known, now) {
  const columns = [];
  for (const sample of known.samples) {
    const bucket = Math.floor(sample.at / BUCKET_MS);
    const last = columns.at(-1);
    if (last && last.bucket === bucket) {
      last.running = Math.max(last.running, sample.running);
      last.queued = Math.max(last.queued, sample.queued);
      last.at = sample.at;
    } else {
      columns.push({bucket, at: sample.at, running: sample.running, queued: sample.queued});
    }
  }
  const highest = Math.max(1, ...columns.map(c => c.running + c.queued));
  const x = at => (1 - (now - at) / WINDOW_MS) * svg.width100;
  const y = n => 20 - n / highest * 19;
  let run = '';
  let wait = '';
  for (const part of parts(columns)) {
    const points = part.length === 1 ? [{...part[0], at: part[0].at - BUCKET_MS}, part[0]] : part;
    const line = (of, list) => list.map(c => `${x(c.at).toFixed(2)} ${y(of(c)).toFixed(2)}`).join('L');
    const tops = line(c => c.running, points);
    const backwards = points.toReversed();
    run += `M${tops}L${line(() => 0, backwards)}Z`;
    wait += `M${line(c => c.running + c.queued, points)}L${line(c => c.running, backwards)}Z`;
  }
  const [runPath, waitPath] = svg.children;
  runPath.setAttribute('d', run);
  waitPath.setAttribute('d', wait);
  const axis = svg.parentElement?.querySelector('.axis');
  if (axis) {
    text(axis, `5 min, up to ${count(highest)}`);
  }
}

/** Splits columns where no samples came, for example while the tab was hidden. */
function parts(columns) {
  const result = [];
  for (const column of columns) {
    const last = result.at(-1);
    if (last && column.at - last.at(-1).at <= GAP_MS) {
      last.push(column);
    } else {
      result.push([column]);
    }
  }
  return result;
}

// ---- bars -------------------------------------------------------------------------------------------------------

/** A number, what it is part of, and a bar. */
function meter(kind) {
  return el('span', {class: 'meter'},
      el('b'), el('span', {class: 'of'}), el('span', {class: `bar ${kind}`}, el('i')));
}

function setMeter(element, value, limit) {
  const [number, of, bar] = element.children;
  text(number, count(value));
  text(of, limit === null ? '' : ' / ' + count(limit));
  bar.classList.toggle('none', limit === null);
  bar.classList.toggle('full', limit !== null && value >= limit);
  bar.style.setProperty('--share', limit ? Math.min(1, value / limit) : 0);
}

// ---- state, in the address --------------------------------------------------------------------------------------

const DEFAULTS = {tab: '', search: '', filter: 'all', sort: 'wait', page: '0', executor: '-1', detail: ''};
const state = {...DEFAULTS};
const prefix = location.pathname;         // other consoles may have the same origin
let token = takeToken();
let latest = null;                         // what the server sent last
let receivedAt = 0;

/** The token is in the part of the address that is never sent. It is removed from there, since people copy addresses. */
function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (given) {
    sessionStorage.setItem('token ' + prefix, given);
    window.history.replaceState(null, '', location.pathname + location.search);
  }
  return given ?? sessionStorage.getItem('token ' + prefix);
}

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const name of Object.keys(DEFAULTS)) {
    state[name] = given.get(name) ?? DEFAULTS[name];
  }
}

function writeAddress() {
  const changed = Object.entries(state).filter(([name, value]) => value !== DEFAULTS[name]);
  const hash = new URLSearchParams(changed).toString();
  window.history.replaceState(null, '', location.pathname + location.search + (hash && '#' + hash));
}

/** Changes what is shown, and asks the server for it. */
function show(changes) {
  const narrowed = ['search', 'filter', 'sort', 'executor'].some(name => name in changes);
  Object.assign(state, narrowed ? {page: '0'} : {}, changes);
  writeAddress();
  renderControls();
  connection.restart();
}

function query() {
  const parameters = new URLSearchParams({tab: state.tab || 'groups', size: PAGE_SIZE, client: clientId});
  for (const name of ['search', 'filter', 'sort', 'page', 'executor', 'detail']) {
    if (state[name] !== DEFAULTS[name]) {
      parameters.set(name, state[name]);
    }
  }
  return parameters.toString();
}

const clientId = Array.from(crypto.getRandomValues(new Uint8Array(12)), b => b.toString(16).padStart(2, '0')).join('');

// ---- connection -------------------------------------------------------------------------------------------------

function headers() {
  return token ? {Authorization: 'Bearer ' + token} : {};
}

let csrf = {};                    // what a server that the console is part of wants with a change

function rememberCsrf(response) {
  const name = response.headers.get('X-Csrf-Header');
  if (name) {
    csrf = {[name]: response.headers.get('X-Csrf-Token')};
  }
}

/** A response that is not what was asked for. */
class Refused extends Error {
  constructor(response) {
    super(`status ${response.status}`);
    this.status = response.status;
    this.retryAfter = Number(response.headers.get('Retry-After')) * 1_000;
  }
}

/**
 * Receives snapshots: from a stream, or, where that does not work, by one request after the other. There is never more than one request, and none
 * while the tab is hidden.
 */
class Connection {
  #abort = null;
  #failures = 0;
  #streamFrom = 0;                // when the stream is tried again
  state = 'connecting';

  restart() {
    this.stop();
    if (document.visibilityState === 'visible') {
      this.#abort = new AbortController();
      this.#run(this.#abort.signal);
    }
  }

  stop() {
    this.#abort?.abort();
    this.#abort = null;
  }

  async #run(signal) {
    while (!signal.aborted) {
      try {
        if (Date.now() >= this.#streamFrom) {
          await this.#stream(signal);
        } else {
          await this.#poll(signal);
        }
      } catch (error) {
        if (signal.aborted) {
          return;
        }
        if (error.status === 401 || error.status === 403) {
          this.state = 'lost';
          signIn(error.status);
          return;
        }
        if (error.status === 503 || error.buffered) {
          this.#streamFrom = Date.now() + (error.retryAfter || STREAM_AGAIN_MS);
          continue;
        }
        if (error.status === 400) {       // an address that was made by hand
          Object.assign(state, DEFAULTS);
          writeAddress();
          renderControls();
        }
        this.state = 'lost';
        await pause(RETRY_MS[Math.min(this.#failures++, RETRY_MS.length - 1)], signal);
      }
    }
  }

  async #stream(signal) {
    const request = new AbortController();
    const stop = () => request.abort();
    signal.addEventListener('abort', stop);
    let received = false;
    const begun = Date.now();
    const timer = setTimeout(() => received || request.abort(), FIRST_EVENT_MS);
    try {
      const response = await fetch('api/stream?' + query(), {headers: headers(), signal: request.signal, cache: 'no-store'});
      if (!response.ok) {
        throw new Refused(response);
      }
      rememberCsrf(response);
      for await (const event of events(response.body)) {
        received = true;
        this.#received(event, 'live');
      }
      if (Date.now() - begun < MIN_STREAM_MS) {
        throw new Error('the stream has ended');
      }
    } catch (error) {
      if (!received && request.signal.aborted && !signal.aborted) {
        error = Object.assign(new Error('no event came'), {buffered: true});
      }
      throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      request.abort();
    }
  }

  async #poll(signal) {
    const response = await fetch('api/view?' + query(), {headers: headers(), signal, cache: 'no-store'});
    if (!response.ok) {
      throw new Refused(response);
    }
    rememberCsrf(response);
    this.#received(await response.json(), 'polling');
    await pause(Math.max(1_000, latest.every), signal);
  }

  #received(snapshot, how) {
    if (this.state === 'lost') {
      announce('Connected again.');
    }
    this.state = how;
    this.#failures = 0;
    latest = snapshot;
    receivedAt = Date.now();
    $('signin').hidden = true;
    $('main').hidden = false;
    render();
  }
}

function pause(ms, signal) {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    }, {once: true});
  });
}

/** The events of a stream. Each is one line of JSON after "data: ", and an empty line. */
async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  while (true) {
    const {value, done} = await reader.read();
    if (done) {
      return;
    }
    const pieces = (rest + value).split('\n\n');
    rest = pieces.pop();
    for (const piece of pieces) {
      if (piece.startsWith('data: ')) {
        yield JSON.parse(piece.slice(6));
      }
    }
  }
}

const connection = new Connection();

function signIn(status) {
  $('main').hidden = true;
  $('signin').hidden = false;
  text($('signin-error'), status === 403 ? 'You may not use this console.' : token ? 'The console does not know this token.' : '');
  $('signin-form').hidden = status === 403;
  $('token').focus();
}

/** Sends a change. Returns what the server says of it; throws a message for the reader. */
async function send(path, body) {
  let response;
  try {
    response = await fetch(path, {
      method: 'POST',
      headers: {...headers(), ...csrf, 'Content-Type': 'application/json'},
      body: JSON.stringify(body),
      cache: 'no-store',
    });
  } catch {
    throw new Error('The console cannot be reached.');
  }
  if (!response.ok) {
    throw new Error((await response.text()).trim());
  }
  const change = await response.json();
  announce(`Changed ${change.what} from ${change.from} to ${change.to}.`);
  return change;
}

// ---- a setting that can be changed ------------------------------------------------------------------------------

/**
 * A field with a button.
 *
 * @param orNone whether an empty field means that there is no limit
 * @param order the path, and what to send beside the value
 */
function field(label, orNone, order) {
  const input = el('input', {inputmode: 'numeric', autocomplete: 'off', placeholder: orNone ? 'no limit' : ''});
  const output = el('output');
  const button = el('button', {type: 'submit', text: 'Set'});
  const form = el('form', {class: 'field', 'data-setting': label},
      el('label', {}, el('span', {text: label}), input), button, output);
  const clean = () => {
    form.classList.remove('dirty');
    input.value = form.current ?? '';
  };
  input.addEventListener('input', () => form.classList.toggle('dirty', input.value.trim() !== (form.current ?? '')));
  input.addEventListener('keydown', event => {
    if (event.key === 'Escape' && form.classList.contains('dirty')) {
      event.stopPropagation();
      clean();
    }
  });
  form.addEventListener('submit', async event => {
    event.preventDefault();
    const given = input.value.trim();
    const value = given === '' && orNone ? null : /^-?\d+$/.test(given) ? Number(given) : given;
    const {path, ...body} = order();
    button.disabled = true;
    output.classList.remove('error');
    text(output, '');
    try {
      const change = await send(path, {...body, value});
      form.current = value === null ? '' : String(value);
      clean();
      text(output, `was ${change.from}`);
    } catch (error) {
      output.classList.add('error');
      text(output, error.message);
      announce(error.message, true);
    } finally {
      button.disabled = false;
    }
  });
  return form;
}

/** Shows the value in force, unless the user is about to change it. */
function setField(form, value) {
  form.current = value === null || value === undefined ? '' : String(value);
  const input = form.querySelector('input');
  if (!form.classList.contains('dirty') && input.value !== form.current) {
    input.value = form.current;
  }
}

// ---- totals -----------------------------------------------------------------------------------------------------

function stat(label) {
  return el('div', {class: 'stat', 'data-stat': label.toLowerCase()}, el('dl', {},
      el('dt', {text: label}),
      el('dd', {class: 'value'}, el('span'), el('span', {class: 'of'})),
      el('dd', {class: 'sub'})));
}

function setStat(element, value, of, sub, tone) {
  const [number, part] = element.querySelector('.value').children;
  text(number, value);
  text(part, of);
  text(element.querySelector('.sub'), sub);
  element.dataset.tone = tone ?? '';
  element.classList.toggle('long', value.length + of.length > 8);
}

function legend() {
  return el('div', {class: 'legend'},
      el('span', {class: 'l-running'}, el('i'), 'running'), el('span', {class: 'l-queued'}, el('i'), 'queued'),
      el('span', {class: 'axis', text: '5 min'}));
}

const STATS = ['Running', 'Queued', 'Oldest wait', 'Done', 'Rejected', 'Groups'];

function renderTotals(groups, at) {
  const box = $('totals');
  if (!box.firstChild) {
    box.append(...STATS.map(stat), el('div', {class: 'stat chart'}, legend(), spark(300)));
  }
  const shown = groups.executors.filter((_, i) => state.executor === '-1' || state.executor === String(i));
  const sum = name => shown.reduce((total, e) => total + e[name], 0);
  const limit = shown.some(e => e.limit === null) ? null : sum('limit');
  const total = {
    running: sum('running'), queued: sum('queued'), succeeded: sum('succeeded'), failed: sum('failed'), rejected: sum('rejected'),
  };
  const known = record('total ' + state.executor, at, total);
  const [running, queued, wait, done, rejected, count_, chart] = box.children;
  setStat(running, count(total.running), limit === null ? '' : ' / ' + count(limit), limit === null ? 'no global limit' : `${Math.round(total.running / limit * 100)} % of the limit`);
  setStat(queued, count(total.queued), '', sum('retrying') ? `${count(sum('retrying'))} await a retry` : sum('blocked') ? `${plural(sum('blocked'), 'submitter')} blocked` : '', total.queued ? 'queued' : '');
  setStat(wait, duration(Math.max(0, ...shown.map(e => e.wait))), '', '');
  setStat(done, rate(known.rate('done')), '', known.rate('failed') ? `${rate(known.rate('failed'))} failed` : plural(total.succeeded + total.failed, 'task'));
  setStat(rejected, rate(known.rate('rejected')), '', `${count(total.rejected)} in all`, known.rate('rejected') ? 'bad' : '');
  setStat(count_, count(sum('groups')), '', [sum('paused') && `${count(sum('paused'))} paused`, sum('changed') && `${count(sum('changed'))} changed`].filter(Boolean).join(', '));
  draw(chart.querySelector('svg'), known, at);
}

function renderExecutors(groups) {
  keyed($('executor-rows'), groups.executors.map((executor, i) => ({...executor, i})), e => e.i, executor => {
    const cells = Array.from({length: 8}, (_, i) => el('td', {class: i ? 'number' : ''}));
    const global = field('Global limit', true, () => ({path: 'api/groups/limit', executor: executor.i}));
    const initial = field('Default limit', false, () => ({path: 'api/groups/default-limit', executor: executor.i}));
    return el('tr', {}, ...cells, el('td', {}, global), el('td', {}, initial));
  }, (tr, e) => {
    const values = [e.name, count(e.groups), `${count(e.running)} / ${limitText(e.limit)}`, count(e.queued), duration(e.wait),
      e.waiting.count ? duration(e.waiting.p99) : '–', e.ran.count ? duration(e.ran.p99) : '–', count(e.faults)];
    values.forEach((value, i) => text(tr.children[i], value));
    tr.children[7].classList.toggle('hot', e.faults > 0);
    const [global, initial] = tr.querySelectorAll('form');
    editableField(global, e.limit);
    editableField(initial, e.defaultLimit);
  });
}

/** In a console that is read-only, a field shows its value and has no button. */
function editableField(form, value) {
  setField(form, value);
  toggle(form.querySelector('input'), 'disabled', !latest.editable);
  toggle(form.querySelector('button'), 'hidden', !latest.editable);
}

// ---- the table --------------------------------------------------------------------------------------------------

let pointerInside = false;
let held = null;                  // the rows, while they stay where they are, and what was asked for

/** While the pointer is over the rows, or the keyboard is among them, they keep their order: nobody can point at what moves. */
function hold(rows) {
  if (!pointerInside && (focusedId() === null || !document.activeElement.matches(':focus-visible'))) {
    held = null;
    return rows;
  }
  const asked = [state.search, state.filter, state.sort, state.page, state.executor].join('\n');
  if (held?.asked !== asked) {
    held = {asked, rows};
  }
  const byId = new Map(rows.map(row => [row.id, row]));
  return held.rows.map(row => byId.get(row.id) ?? {...row, gone: true});
}

function renderTable(groups, at) {
  if (groups.pages > 0 && groups.page >= groups.pages) {
    show({page: String(groups.pages - 1)});
    return;
  }
  const single = groups.executors.length === 1;
  groups.rows.forEach(row => record(row.id, at, row));
  const rows = hold(groups.rows);
  $('held').hidden = held === null;
  keyed($('group-rows'), rows, row => row.id, createRow, (tr, row) => updateRow(tr, row, at, single ? null : groups.executors[row.executor].name));
  const first = groups.page * PAGE_SIZE;
  text($('range'), groups.matching === 0 ? 'no groups'
      : `${count(first + 1)}–${count(first + groups.rows.length)} of ${count(groups.matching)}`);
  $('more').hidden = groups.page + 1 < groups.pages || groups.matching <= (groups.page + 1) * PAGE_SIZE;
  $('previous').disabled = groups.page === 0;
  $('next').disabled = groups.page + 1 >= groups.pages;
  const empty = $('empty');
  empty.hidden = rows.length > 0;
  if (!empty.hidden) {
    text(empty, state.search ? 'No group has this in its name.'
        : state.filter !== 'all' ? 'No group is like that.'
        : 'The executors know no groups. A group appears with its first task, and leaves when it was idle for a while.');
  }
}

function createRow(row) {
  const badges = el('span', {class: 'name'},
      el('button', {class: 'link key', type: 'button', tabindex: '-1'}),
      el('span', {class: 'badge executor-name'}),
      el('span', {class: 'badge paused', text: 'paused'}),
      changedBadge(() => row.id));
  const cell = (...children) => el('td', {role: 'cell'}, ...children);
  const tr = el('tr', {role: 'row', tabindex: '-1', 'data-id': row.id},
      cell(badges), cell(meter('running')), cell(meter('queued')), cell(), cell(), cell(), cell(), cell(spark(100)));
  tr.children[4].className = 'extra';
  tr.children[6].className = 'extra';
  return tr;
}

/** The badge of a group with settings that were made at run time. They outlast the group, so it has a way back. */
function changedBadge(id) {
  const reset = el('button', {type: 'button', text: 'reset', title: 'Back to the policy', onclick: async event => {
    event.stopPropagation();
    await tryReset(id());
  }});
  return el('span', {class: 'badge changed'}, el('span', {}, 'changed', el('span', {class: 'by-hand', text: ' by hand'})), reset);
}

async function tryReset(id) {
  const [executor, group] = id.split('.');
  try {
    await send('api/group/reset', {executor: Number(executor), group});
  } catch (error) {
    announce(error.message, true);
  }
}

function updateRow(tr, row, at, executorName) {
  const [name, running, queued, wait, typical, done, rejected, last] = tr.children;
  const [key, executor, paused, changed] = name.firstChild.children;
  text(key, row.key);
  key.title = row.key;
  text(executor, executorName ?? '');
  executor.hidden = executorName === null;
  paused.hidden = !row.paused;
  changed.hidden = !row.changed;
  changed.classList.toggle('fixed', !latest.editable);
  changed.querySelector('button').hidden = !latest.editable;
  setMeter(running.firstChild, row.running, row.limit);
  setMeter(queued.firstChild, row.queued, row.capacity);
  text(wait, row.queued ? duration(row.wait) : '–');
  wait.classList.toggle('dim', !row.queued);
  text(typical, row.typical ? duration(row.typical) : '–');
  const known = history(row.id);
  text(done, rate(known.rate('done')));
  done.classList.toggle('dim', !known.rate('done'));
  const refusals = known.rate('rejected');
  text(rejected, row.rejected ? count(row.rejected) + (refusals ? ` (${rate(refusals)})` : '') : '–');
  rejected.classList.toggle('hot', Boolean(refusals));
  rejected.classList.toggle('dim', !row.rejected);
  tr.classList.toggle('gone', Boolean(row.gone) || !row.known);
  tr.setAttribute('aria-current', String(row.id === state.detail));
  tr.tabIndex = row.id === (focusedId() ?? latest.groups.rows[0]?.id) ? 0 : -1;
  draw(last.firstChild, known, at);
}

function focusedId() {
  return document.activeElement?.closest?.('tr[data-id]')?.dataset.id ?? null;
}

// ---- one group --------------------------------------------------------------------------------------------------

/** How many permits of a shared limit this JVM may have in use; null if there is no limit. */
function available(shared) {
  return shared.leased !== null && (shared.limit === null || shared.leased < shared.limit) ? shared.leased : shared.limit;
}

/** Whether a shared limit of the fleet has fewer permits here than it allows, and all of them are in use. */
function isShortOfLeased(shared) {
  return shared.leased !== null && (shared.limit === null || shared.leased < shared.limit) && shared.running >= shared.leased;
}

/** Why tasks of the group wait, in one sentence. */
function verdict(group, executor) {
  if (!group.known) {
    return 'The group is idle, and the executor has forgotten it. Its settings stay in force until they are reset.';
  }
  if (group.paused) {
    return `Paused: no task starts. ${plural(group.queued, 'task')} queued.`;
  }
  if (!group.queued) {
    return group.running ? `Nothing waits. ${count(group.running)} of ${limitText(group.limit)} running.` : 'Idle.';
  }
  const waiting = `${plural(group.queued, 'task')} queued, the oldest for ${duration(group.wait)}.`;
  if (group.lease?.paused) {
    return `Paused in the whole fleet '${group.lease.fleet}': no task starts. ${waiting}`;
  }
  if (group.lease && group.running >= group.lease.held) {
    return `Waits for the fleet '${group.lease.fleet}': this JVM holds ${count(group.lease.held)} of ${limitText(group.lease.limit)} permits. ${waiting}`;
  }
  if (group.limit !== null && group.running >= group.limit) {
    return `At its limit: ${count(group.running)} of ${count(group.limit)} running. ${waiting}`;
  }
  const inTheWay = group.shared.find(shared => shared.paused || available(shared) !== null && shared.running >= available(shared));
  if (inTheWay) {
    const name = `the shared limit ${inTheWay.name} '${inTheWay.value}'`;
    return inTheWay.paused ? `Waits for ${name}, which is paused. ${waiting}`
        : isShortOfLeased(inTheWay) ? `Waits for permits of ${name} from the fleet: this JVM holds ${count(inTheWay.leased)} of ${limitText(inTheWay.limit)}. ${waiting}`
        : `Waits for ${name}: ${count(inTheWay.running)} of ${count(inTheWay.limit)} in use. ${waiting}`;
  }
  if (executor.limit !== null && executor.running >= executor.limit) {
    return `Waits for the global limit: ${count(executor.running)} of ${count(executor.limit)} running in all groups. ${waiting}`;
  }
  return `About to start. ${waiting}`;
}

function createDetail(id) {
  const [executor, group] = id.split('.');
  const order = path => () => ({path: 'api/group/' + path, executor: Number(executor), group});
  const pauseButton = el('button', {type: 'button', id: 'pause', onclick: async () => {
    pauseButton.disabled = true;
    try {
      await send('api/group/pause', {executor: Number(executor), group, value: pauseButton.dataset.paused !== 'true'});
      text(error, '');
    } catch (problem) {
      text(error, problem.message);
      announce(problem.message, true);
    } finally {
      pauseButton.disabled = false;
    }
  }});
  const error = el('span', {class: 'error', role: 'alert'});
  const box = el('div', {'data-id': id},
      el('header', {}, el('h2', {id: 'detail-title', tabindex: '-1'}),
          el('button', {type: 'button', id: 'close', 'aria-label': 'Close the group', title: 'Close (Esc)', text: '×', onclick: closeDetail})),
      el('div', {class: 'badges'}, el('span', {class: 'badge executor-name'}), el('span', {class: 'badge paused', text: 'paused'}), changedBadge(() => id)),
      el('p', {class: 'verdict'}),
      spark(300), legend(),
      el('div', {class: 'steer'},
          el('h3', {text: 'Change'}),
          el('div', {class: 'fields'},
              field('Limit', false, order('limit')), field('Queue', true, order('queue')), field('Weight', false, order('weight'))),
          el('div', {class: 'actions'}, pauseButton, error)),
      el('div', {class: 'body'},
          el('h3', {text: 'Now'}), el('dl', {class: 'facts', 'data-part': 'now'}),
          el('div', {'data-part': 'shared'}, el('h3', {text: 'Shared limits'}), el('table', {}, el('tbody'))),
          el('h3', {text: 'Times'}), timesTable(), el('p', {class: 'hint no-times', text: 'No times: the policy has no recordTimes(true), or no task has completed.'}),
          el('h3', {text: 'Since the group is known'}), el('dl', {class: 'facts', 'data-part': 'counts'}),
          el('div', {'data-part': 'reasons'}, el('h3', {text: 'Rejected, by reason'}), el('table', {}, el('tbody'))),
          el('div', {'data-part': 'tags'}, el('h3', {text: 'Completed, by tag'}), el('table', {}, el('tbody'))),
          el('div', {'data-part': 'tasks'}, el('h3', {text: 'Running, the oldest first'}), el('table', {}, el('tbody')))));
  return box;
}

const TIMES = [['mean', 'mean'], ['p50', 'p50'], ['p90', 'p90'], ['p99', 'p99'], ['max', 'max']];

function timesTable() {
  const row = label => el('tr', {}, el('th', {scope: 'row', text: label}), ...TIMES.map(() => el('td', {class: 'number'})));
  return el('table', {'data-part': 'times'},
      el('thead', {}, el('tr', {}, el('td'), ...TIMES.map(([label]) => el('th', {scope: 'col', class: 'number', text: label})))),
      el('tbody', {}, row('waiting'), row('running')));
}

function setTimes(tr, times) {
  TIMES.forEach(([, name], i) => text(tr.children[i + 1], times?.count ? duration(times[name]) : '–'));
}

function setFacts(list, facts) {
  keyed(list, facts, ([label]) => label, ([label]) => el('div', {}, el('dt', {text: label}), el('dd')),
      (div, [, value]) => text(div.lastChild, value));
}

/** Rows of names and numbers; without any, the part is hidden. */
function setPart(part, rows, keyOf, cells) {
  part.hidden = rows.length === 0;
  keyed(part.querySelector('tbody'), rows, keyOf, row => el('tr', {}, ...cells(row).map((_, i) => el('td', {class: i ? 'number' : 'wrap'}))),
      (tr, row) => cells(row).forEach((value, i) => text(tr.children[i], value)));
}

function renderDetail(groups, at) {
  const aside = $('detail');
  const open = state.detail !== '';
  aside.hidden = !open;
  document.querySelector('.split').classList.toggle('open', open);
  if (!open) {
    aside.replaceChildren();
    return;
  }
  let box = aside.firstChild;
  const isNew = box?.dataset?.id !== state.detail;
  if (isNew) {
    box = createDetail(state.detail);
    aside.replaceChildren(box);
  }
  const group = groups.detail;
  const title = box.querySelector('h2');
  const gone = !group || group.id !== state.detail;
  for (const part of box.querySelectorAll('.steer, .body, .legend, svg, .badges')) {
    part.toggleAttribute('hidden', gone || (part.className === 'steer' && !latest.editable) || (part.className === 'body' && !group.known));
  }
  if (gone) {
    text(title, title.textContent || 'A group');
    text(box.querySelector('.verdict'), groups.detail === undefined ? 'Loading.' : 'The group is idle, and the executor has forgotten it. It appears again with its next task.');
    return;
  }
  text(title, group.key);
  const executor = groups.executors[group.executor];
  const [name, paused, changed] = box.querySelector('.badges').children;
  text(name, executor.name);
  paused.hidden = !(group.paused ?? group.live.paused);
  changed.hidden = !group.changed;
  changed.classList.toggle('fixed', !latest.editable);
  changed.querySelector('button').hidden = !latest.editable;
  text(box.querySelector('.verdict'), verdict(group, executor));
  const [limit, queue, weight] = box.querySelectorAll('form');
  setField(limit, group.known ? group.maxConcurrency : group.live.limit);
  setField(queue, group.known ? group.capacity : group.live.capacity);
  setField(weight, group.known ? group.weight : group.live.weight);
  const isPaused = group.known ? group.paused : group.live.paused === true;
  const pauseButton = box.querySelector('#pause');
  pauseButton.dataset.paused = isPaused;
  text(pauseButton, isPaused ? 'Resume' : 'Pause');
  if (group.known) {
    draw(box.querySelector('svg'), record(group.id, at, group), at);
    renderKnown(box, group);
  }
  if (isNew) {
    title.focus({preventScroll: true});
  }
}

function renderKnown(box, group) {
  const part = name => box.querySelector(`[data-part="${name}"]`);
  setFacts(part('now'), [
    ['running', `${count(group.running)} / ${limitText(group.limit)}`],
    ['queued', `${count(group.queued)} / ${limitText(group.capacity)}`],
    ['oldest wait', group.queued ? duration(group.wait) : '–'],
    ['oldest run', group.oldestRunning ? duration(group.oldestRunning) : '–'],
    ['typical run', group.typical ? duration(group.typical) : '–'],
    ['weight', count(group.weight)],
    ...(group.maxInFlight === null ? [] : [['in-flight limit', count(group.maxInFlight)]]),
    ...(group.retrying ? [['await a retry', count(group.retrying)]] : []),
    ...(group.blocked ? [['blocked submitters', count(group.blocked)]] : []),
  ]);
  setPart(part('shared'), group.shared, shared => shared.name,
      shared => [`${shared.name} '${shared.value}'`, `${count(shared.running)} / ${limitText(shared.limit)}`, shared.paused ? 'paused' : plural(shared.waiting, 'group') + (shared.waiting === 1 ? ' waits' : ' wait')]);
  const [waiting, running] = part('times').querySelectorAll('tbody tr');
  setTimes(waiting, group.waiting);
  setTimes(running, group.ran);
  box.querySelector('.no-times').hidden = group.waiting.count > 0 || group.ran.count > 0;
  setFacts(part('counts'), [
    ['submitted', count(group.submitted)], ['succeeded', count(group.succeeded)], ['failed', count(group.failed)],
    ['timed out', count(group.timedOut)], ['cancelled', count(group.cancelled)], ['retried', count(group.retried)],
    ['rejected', count(group.rejected)],
  ]);
  setPart(part('reasons'), Object.entries(group.reasons), ([reason]) => reason, ([reason, n]) => [reason, count(n)]);
  setPart(part('tags'), group.tags, tag => tag.tag, tag => [tag.tag, count(tag.completed)]);
  setPart(part('tasks'), group.tasks, task => task.threadId, task => [taskName(task), duration(task.running), '#' + task.threadId]);
}

function taskName(task) {
  return task.task + (task.tag ? ` [${task.tag}]` : '');
}

let opener = null;

function openDetail(id) {
  opener = id;
  show({detail: id});
}

function closeDetail() {
  show({detail: ''});
  $('detail').hidden = true;
  $('shared-detail').hidden = true;
  document.querySelector('.split').classList.remove('open');
  document.querySelector(`tr[data-id="${CSS.escape(opener ?? '')}"]`)?.focus();
}

function renderGroups(snapshot) {
  renderTotals(snapshot.groups, snapshot.at);
  renderExecutors(snapshot.groups);
  renderTable(snapshot.groups, snapshot.at);
  renderDetail(snapshot.groups, snapshot.at);
  const select = $('executor');
  select.hidden = snapshot.groups.executors.length < 2;
  if (select.options.length !== snapshot.groups.executors.length + 1) {
    select.replaceChildren(el('option', {value: '-1', text: 'All executors'}),
        ...snapshot.groups.executors.map((executor, i) => el('option', {value: i, text: executor.name})));
    select.value = state.executor;
  }
}

// ---- pools ------------------------------------------------------------------------------------------------------

function labelled(label, content) {
  return el('div', {}, el('span', {class: 'label', text: label}), content);
}

function createPool(pool) {
  const order = path => () => ({path: 'api/pool/' + path, executor: pool.i});
  return el('article', {class: 'card panel', 'data-pool': pool.i},
      el('header', {}, el('h2'), el('span', {class: 'badge closed', text: 'shut down'})),
      el('p', {class: 'advice'}),
      el('div', {class: 'meters'},
          labelled('Workers busy', meter('running')), labelled('Queued', meter('queued')),
          labelled('Oldest wait', el('span', {class: 'meter'})), labelled('Busy in the last minute', meter('running')),
          labelled('Done', el('span', {class: 'meter'}))),
      el('div', {class: 'columns'},
          el('div', {},
              el('div', {class: 'steer'}, el('h3', {text: 'Change'}), el('div', {class: 'fields'},
                  field('Minimum of workers', false, order('min-workers')), field('Maximum of workers', false, order('max-workers')),
                  field('Queue', true, order('queue')))),
              el('h3', {text: 'Since the pool was built'}), el('dl', {class: 'facts'}),
              el('div', {'data-part': 'reasons'}, el('h3', {text: 'Rejected, by reason'}), el('table', {}, el('tbody')))),
          el('div', {},
              spark(300), legend(),
              el('div', {'data-part': 'tasks'}, el('h3', {text: 'Running, the oldest first'}), el('table', {}, el('tbody'))),
              el('div', {'data-part': 'decisions'}, el('h3', {text: 'Sizing decisions'}), el('div', {class: 'log'}, el('table', {}, el('tbody')))))));
}

function updatePool(card, pool, at) {
  text(card.querySelector('h2'), pool.name);
  card.querySelector('.closed').hidden = !pool.closed;
  const advice = card.querySelector('.advice');
  text(advice, pool.advice);
  advice.classList.toggle('fine', pool.advice === 'Nothing to change.');
  const [busy, queued, wait, share, done] = card.querySelector('.meters').children;
  setMeter(busy.lastChild, pool.active, pool.max);
  setMeter(queued.lastChild, pool.queued, pool.capacity);
  text(wait.lastChild, pool.queued ? duration(pool.wait) : '–');
  setMeter(share.lastChild, Math.round(pool.busy * 100), 100);
  text(share.lastChild.children[1], ' %');
  const known = record('pool ' + pool.i, at, {...pool, running: pool.active});
  text(done.lastChild, rate(known.rate('done')));
  const [min, max, queue] = card.querySelectorAll('form');
  setField(min, pool.min);
  setField(max, pool.max);
  setField(queue, pool.capacity);
  card.querySelector('.steer').hidden = !latest.editable;
  setFacts(card.querySelector('.facts'), [
    ['workers', count(pool.workers)], ['between', `${count(pool.min)} and ${count(pool.max)}`],
    ...(pool.size === pool.max ? [] : [['size in use', count(pool.size)]]),
    ['submitted', count(pool.submitted)], ['succeeded', count(pool.succeeded)], ['failed', count(pool.failed)], ['timed out', count(pool.timedOut)],
    ['cancelled', count(pool.cancelled)], ['retried', count(pool.retried)], ['rejected', count(pool.rejected)],
    ['zombies', count(pool.zombies)], ['replaced', count(pool.replaced)], ['restarts', count(pool.restarts)],
    ...(pool.blocked ? [['blocked submitters', count(pool.blocked)]] : []), ['callback faults', count(pool.faults)],
  ]);
  draw(card.querySelector('svg'), known, at);
  const part = name => card.querySelector(`[data-part="${name}"]`);
  setPart(part('reasons'), Object.entries(pool.reasons), ([reason]) => reason, ([reason, n]) => [reason, count(n)]);
  setPart(part('tasks'), pool.tasks, task => task.threadId, task => [taskName(task), duration(task.running), task.thread]);
  setPart(part('decisions'), pool.decisions, d => d.at + d.why, d => [d.why, `${d.from} → ${d.to}`, clock(d.at)]);
}

function renderPools(snapshot) {
  keyed($('view-pools'), snapshot.pools.map((pool, i) => ({...pool, i})), pool => pool.i, createPool, (card, pool) => updatePool(card, pool, snapshot.at));
}

// ---- isolation --------------------------------------------------------------------------------------------------

function laneBadge() {
  return el('span', {class: 'badge lane'});
}

function setLane(badge, lane) {
  text(badge, lane);
  badge.className = 'badge lane lane-' + lane.replaceAll(' ', '-');
}

const LANE_COLUMNS = ['Lane', 'Running', 'Started', 'Waiting p50', 'p99', 'max'];
const KEY_COLUMNS = ['Key', 'Lane', 'Running', 'Queued', 'Completed', 'Typical time'];

function head(columns, isNumber = (name, i) => i > 1 || name === 'Running') {
  return el('thead', {}, el('tr', {}, ...columns.map((name, i) => el('th', {scope: 'col', class: isNumber(name, i) ? 'number' : '', text: name}))));
}

function createIsolation(executor) {
  const order = path => () => ({path: 'api/isolation/' + path, executor: executor.i});
  const search = el('input', {type: 'search', placeholder: 'Search keys', 'aria-label': 'Search keys', autocomplete: 'off', spellcheck: 'false',
    oninput: event => searchSoon(event.target.value)});
  search.value = state.search;
  return el('article', {class: 'card panel', 'data-isolation': executor.i},
      el('header', {}, el('h2')),
      el('div', {class: 'meters'},
          labelled('Running', meter('running reserve')), labelled('Queued', meter('queued')),
          labelled('Reserved for fast keys', el('span', {class: 'meter'})), labelled('Done', el('span', {class: 'meter'})),
          labelled('Rejected', el('span', {class: 'meter'}))),
      el('div', {class: 'columns'},
          el('div', {},
              el('h3', {text: 'Lanes'}), el('div', {class: 'scroll'}, el('table', {'data-part': 'lanes'}, head(LANE_COLUMNS), el('tbody'))),
              el('div', {class: 'steer'}, el('h3', {text: 'Change'}), el('div', {class: 'fields'},
                  field('Limit', false, order('limit')), field('Queue', true, order('queue'))))),
          el('div', {},
              spark(300), legend(),
              el('div', {'data-part': 'decisions'}, el('h3', {text: 'Decisions, the latest first'}), el('div', {class: 'log'}, el('table', {}, el('tbody')))))),
      el('div', {class: 'keys-toolbar'}, el('h3', {text: 'Keys'}), search, el('span', {class: 'hint range'})),
      el('div', {class: 'scroll'}, el('table', {'data-part': 'keys'}, head(KEY_COLUMNS), el('tbody'))));
}

function updateIsolation(card, executor, at) {
  text(card.querySelector('h2'), executor.name);
  const [running, queued, reserve, done, rejected] = card.querySelector('.meters').children;
  setMeter(running.lastChild, executor.running, executor.limit);
  running.querySelector('.bar').style.setProperty('--reserve', Math.min(1, executor.reserve / executor.limit));
  setMeter(queued.lastChild, executor.queued, executor.capacity);
  text(reserve.lastChild, `${count(executor.reserve)} of ${count(executor.limit)}`);
  const known = record('isolation ' + executor.i, at, executor);
  text(done.lastChild, rate(known.rate('done')));
  text(rejected.lastChild, rate(known.rate('rejected')));
  draw(card.querySelector('svg'), known, at);
  const [limit, queue] = card.querySelectorAll('form');
  setField(limit, executor.limit);
  setField(queue, executor.capacity);
  card.querySelector('.steer').hidden = !latest.editable;
  const part = name => card.querySelector(`[data-part="${name}"]`);
  keyed(part('lanes').querySelector('tbody'), executor.lanes, lane => lane.lane,
      () => el('tr', {}, el('td', {}, laneBadge()), ...LANE_COLUMNS.slice(1).map(() => el('td', {class: 'number'}))),
      (tr, lane) => {
        setLane(tr.firstChild.firstChild, lane.lane);
        const times = lane.waiting;
        [count(lane.running), count(lane.started), ...(times.count ? [times.p50, times.p99, times.max].map(duration) : ['–', '–', '–'])]
            .forEach((value, i) => text(tr.children[i + 1], value));
        tr.classList.toggle('dim', !lane.started);
      });
  text(card.querySelector('.range'), executor.matching > executor.keys.length ? `the busiest ${count(executor.keys.length)} of ${count(executor.matching)}`
      : plural(executor.matching, 'key'));
  keyed(part('keys').querySelector('tbody'), executor.keys, key => key.id,
      () => el('tr', {}, el('td', {class: 'wrap'}), el('td', {}, laneBadge()), ...KEY_COLUMNS.slice(2).map(() => el('td', {class: 'number'}))),
      (tr, key) => {
        text(tr.firstChild, key.key);
        setLane(tr.children[1].firstChild, key.lane);
        [count(key.running), count(key.queued), count(key.completed), key.completed || key.running ? duration(key.typical) : '–']
            .forEach((value, i) => text(tr.children[i + 2], value));
      });
  const same = new Map();           // several decisions may be made at the same time
  const decisions = executor.decisions.toReversed().map(decision => {
    const id = `${decision.at} ${decision.key}`;
    same.set(id, (same.get(id) ?? 0) + 1);
    return {...decision, id: `${id} ${same.get(id)}`};
  }).toReversed();
  setPart(part('decisions'), decisions, d => d.id,
      d => [d.key === undefined ? `reserve ${d.from} → ${d.to}` : `${d.key}: ${d.from} → ${d.to}`, duration(d.at) + ' after the start']);
}

function renderIsolation(snapshot) {
  keyed($('view-isolation'), snapshot.isolation.map((executor, i) => ({...executor, i})), executor => executor.i, createIsolation,
      (card, executor) => updateIsolation(card, executor, snapshot.at));
}

// ---- shared limits ----------------------------------------------------------------------------------------------

function createSharedRow(row) {
  const [executor, shared] = row.id.split('.');
  const target = {executor: Number(executor), shared};
  const act = (path, value) => async event => {
    const button = event.target;
    button.disabled = true;
    try {
      await send('api/shared/' + path, {...target, ...value(button)});
    } catch (error) {
      announce(error.message, true);
    } finally {
      button.disabled = false;
    }
  };
  const changed = el('span', {class: 'badge changed'}, el('span', {}, 'changed', el('span', {class: 'by-hand', text: ' by hand'})),
      el('button', {type: 'button', class: 'reset', text: 'reset', title: 'Back to the policy', onclick: act('reset', () => ({}))}));
  return el('tr', {'data-shared': row.id},
      el('td'),
      el('td', {class: 'wrap'}, el('span', {class: 'name'},
          el('button', {class: 'link key', type: 'button', title: 'Which groups wait', onclick: () => show({detail: row.id})}),
          el('span', {class: 'badge executor-name'}), el('span', {class: 'badge paused', text: 'paused'}), changed)),
      el('td', {}, meter('running')), el('td', {class: 'number'}), el('td', {class: 'number'}),
      el('td', {class: 'change'}, el('div', {class: 'actions'}, field('Limit', false, () => ({path: 'api/shared/limit', ...target})),
          el('button', {type: 'button', class: 'pause', onclick: act('pause', button => ({value: button.dataset.paused !== 'true'}))}))));
}

function updateSharedRow(tr, row, executorName) {
  const [name, value, running, waiting, groups, change] = tr.children;
  const [key, executor, paused, changed] = value.firstChild.children;
  text(name, row.name);
  text(key, row.value === '' ? '(empty)' : row.value);
  text(executor, executorName ?? '');
  executor.hidden = executorName === null;
  paused.hidden = !row.paused;
  changed.hidden = !row.changed;
  changed.classList.toggle('fixed', !latest.editable);
  changed.querySelector('button').hidden = !latest.editable;
  setMeter(running.firstChild, row.running, row.limit);
  text(waiting, count(row.waiting));
  waiting.classList.toggle('hot', row.waiting > 0);
  text(groups, count(row.groups));
  tr.classList.toggle('gone', !row.known);
  tr.setAttribute('aria-current', String(row.id === state.detail));
  setField(change.querySelector('form'), row.limit);
  const button = change.querySelector('.pause');
  button.dataset.paused = row.paused;
  text(button, row.paused ? 'Resume' : 'Pause');
  change.hidden = !latest.editable;
}

function renderShared(snapshot) {
  const shared = snapshot.shared;
  const single = shared.executors.length === 1;
  keyed($('shared-rows'), shared.rows, row => row.id, createSharedRow, (tr, row) => updateSharedRow(tr, row, single ? null : shared.executors[row.executor].name));
  $('shared-change').hidden = !latest.editable;
  text($('shared-range'), shared.matching > shared.rows.length ? `the first ${count(shared.rows.length)} of ${count(shared.matching)}` : plural(shared.matching, 'value'));
  $('shared-empty').hidden = shared.rows.length > 0;
  text($('shared-empty'), state.search ? 'No shared limit has this in its name or value.'
      : 'No group is known. A value appears with the first task of a group that belongs to it.');
  const box = $('shared-detail');
  box.hidden = state.detail === '';
  if (box.hidden) {
    return;
  }
  const open = shared.detail;
  const isNew = box.dataset.id !== state.detail;
  box.dataset.id = state.detail;
  const gone = !open || open.id !== state.detail;
  keyed($('shared-waiting'), gone ? [] : open.waitingGroups, group => group.id,
      group => el('li', {}, el('button', {class: 'link key', type: 'button', onclick: () => show({tab: 'groups', detail: group.id, search: '', page: '0'})})),
      (li, group) => text(li.firstChild, group.key));
  text(box.querySelector('.verdict'), gone ? (open === undefined ? 'Loading.' : 'No group belongs to this value any more.') : sharedVerdict(open));
  if (!gone) {
    text($('shared-detail-title'), `${open.name} '${open.value}'`);
  }
  if (isNew) {
    $('shared-detail-title').focus({preventScroll: true});
  }
}

/** Why groups wait there, in one sentence. */
function sharedVerdict(shared) {
  const inUse = `${count(shared.running)} of ${limitText(shared.limit)} in use` + (shared.leased === null ? '.' : `, ${count(shared.leased)} held by this JVM.`);
  if (!shared.known) {
    return 'No group belongs to this value now. Its settings stay in force until they are reset.';
  }
  if (shared.paused) {
    return `Paused: no task of its groups starts. ${inUse}`;
  }
  if (!shared.waitingCount) {
    return `No group waits here. ${inUse}`;
  }
  const some = shared.waitingCount > shared.waitingGroups.length ? `; the first ${count(shared.waitingGroups.length)} are` : '';
  return `${inUse} ${plural(shared.waitingCount, 'group')} ${shared.waitingCount === 1 ? 'waits' : 'wait'} here${some}:`;
}

// ---- fleets -----------------------------------------------------------------------------------------------------

const NODE_COLUMNS = ['Node', 'Sessions', 'Held', 'Wanted', 'Debt', 'Permits go to others in'];
const SESSION_COLUMNS = ['Executor', 'State', 'Lease', 'Learning'];
const FLEET_SHARED_COLUMNS = ['Shared limit', 'Value', 'Held', 'Wanted', 'Debt', 'Held here', 'In use here', 'Holders'];
const FLEET_COLUMNS = ['Group', 'Held', 'Wanted', 'Debt', 'Holders', 'Change'];

function createFleet(fleet) {
  const search = el('input', {type: 'search', placeholder: 'Search groups', 'aria-label': 'Search groups of the fleet', autocomplete: 'off', spellcheck: 'false',
    oninput: event => searchSoon(event.target.value)});
  search.value = state.search;
  const value = label => labelled(label, el('span', {class: 'meter'}));
  return el('article', {class: 'card panel', 'data-fleet': fleet.i},
      el('header', {}, el('h2'), el('span', {class: 'badge node'})),
      el('p', {class: 'advice problem', role: 'status'}),
      el('div', {class: 'meters'}, value('Held here'), value('Wanted here'), value('In use here'), value('Debt here'), value('Exchanges'), value('Lost calls')),
      el('div', {class: 'columns'},
          el('div', {'data-part': 'nodes'}, el('h3', {text: 'Nodes, with what they have of the groups below'}), el('div', {class: 'scroll'}, el('table', {}, head(NODE_COLUMNS), el('tbody')))),
          el('div', {'data-part': 'sessions'}, el('h3', {text: 'Sessions of this JVM'}), el('div', {class: 'scroll'}, el('table', {}, head(SESSION_COLUMNS), el('tbody'))))),
      el('div', {class: 'total', 'data-part': 'total'}, el('h3', {text: 'All groups together'}),
          el('div', {class: 'meters'}, labelled('Held', meter('running')), value('Wanted'), value('Debt'),
              el('div', {class: 'steer'}, field('Total limit', false, () => ({path: 'api/fleet/total-limit', executor: fleet.i}))))),
      el('div', {'data-part': 'shared'}, el('h3', {text: 'Shared limits that this JVM uses'}), el('div', {class: 'scroll'},
          el('table', {class: 'fleet-shared'}, head(FLEET_SHARED_COLUMNS, name => FLEET_SHARED_COLUMNS.indexOf(name) > 2 && name !== 'Holders'), el('tbody'))), el('p', {class: 'hint range-shared'})),
      el('div', {class: 'keys-toolbar'}, el('h3', {text: 'Groups that this JVM uses'}), search, el('span', {class: 'hint range'})),
      el('div', {class: 'scroll'}, el('table', {class: 'fleet-groups', 'data-part': 'groups'}, head(FLEET_COLUMNS, name => name === 'Wanted' || name === 'Debt'), el('tbody'))));
}

function createFleetRow(fleet, row) {
  const order = path => () => ({path: 'api/fleet/' + path, executor: fleet.i, group: row.id});
  const act = (path, value) => async event => {
    const button = event.target;
    button.disabled = true;
    try {
      await send('api/fleet/' + path, {executor: fleet.i, group: row.id, ...value(button)});
    } catch (error) {
      announce(error.message, true);
    } finally {
      button.disabled = false;
    }
  };
  return el('tr', {'data-group': row.id},
      el('td', {class: 'wrap'}, el('span', {class: 'name'}, el('span', {class: 'key'}), el('span', {class: 'badge paused', text: 'paused'}))),
      el('td', {}, meter('running')), el('td', {class: 'number'}), el('td', {class: 'number'}), el('td', {class: 'wrap holders'}),
      el('td', {class: 'change'}, el('div', {class: 'actions'}, field('Limit', false, order('limit')),
          el('button', {type: 'button', class: 'pause', onclick: act('pause', button => ({value: button.dataset.paused !== 'true'}))}),
          el('button', {type: 'button', class: 'reset', text: 'Reset', title: 'Back to the policies of the nodes', onclick: act('reset', () => ({}))}))));
}

function updateFleetRow(tr, row) {
  const [name, held, wanted, debt, holders, change] = tr.children;
  const [key, paused] = name.firstChild.children;
  text(key, row.key);
  paused.hidden = !row.paused;
  setMeter(held.firstChild, row.held, row.limit);
  text(wanted, count(row.wanted));
  text(debt, count(row.debt));
  debt.classList.toggle('hot', row.debt > 0);
  text(holders, holdersText(row));
  setField(change.querySelector('form'), row.limit);
  const button = change.querySelector('.pause');
  button.dataset.paused = row.paused;
  text(button, row.paused ? 'Resume' : 'Pause');
  change.firstChild.hidden = !latest.editable;
}

function createFleetSharedRow(row) {
  const number = () => el('td', {class: 'number'});
  return el('tr', {'data-shared': row.id}, el('td', {class: 'wrap'}),
      el('td', {class: 'wrap'}, el('span', {class: 'name'}, el('span', {class: 'key'}), el('span', {class: 'badge paused', text: 'paused'}))),
      el('td', {}, meter('running')), number(), number(), number(), number(), el('td', {class: 'wrap holders'}));
}

function updateFleetSharedRow(tr, row) {
  const [name, value, held, wanted, debt, heldHere, usedHere, holders] = tr.children;
  const [key, paused] = value.firstChild.children;
  text(name, row.name);
  text(key, row.value === '' ? '(empty)' : row.value);
  paused.hidden = !row.paused;
  setMeter(held.firstChild, row.held, row.limit);
  text(wanted, count(row.wanted));
  text(debt, count(row.debt));
  debt.classList.toggle('hot', row.debt > 0);
  text(heldHere, count(row.heldHere));
  text(usedHere, count(row.usedHere));
  text(holders, holdersText(row));
}

/** Who holds, wants and owes permits. */
function holdersText(row) {
  return row.holders.map(holder => `${holder.node} ${count(holder.held)}` + (holder.wanted > holder.held ? ` of ${count(holder.wanted)}` : '')
      + (holder.debt ? `, owes ${count(holder.debt)}` : '')).join('; ') || '–';
}

function updateFleet(card, fleet) {
  text(card.querySelector('h2'), fleet.name);
  text(card.querySelector('.node'), 'this is ' + fleet.node);
  const problem = card.querySelector('.problem');
  const learning = fleet.learning > 0 ? `The store may have lost data. It grants no permit for another ${duration(fleet.learning)}.` : '';
  problem.hidden = !fleet.problem && !learning;
  text(problem, fleet.problem ?? learning);
  const part = name => card.querySelector(`[data-part="${name}"]`);
  const meters = [...card.querySelector('.meters').children].map(child => child.lastChild);
  [fleet.held, fleet.wanted, fleet.used, fleet.debt, fleet.exchanges, fleet.lostCalls].forEach((value, i) => text(meters[i], count(value)));
  meters[3].classList.toggle('hot', fleet.debt > 0);
  const cells = columns => el('tr', {}, ...columns.map((name, i) => el('td', {class: i > 1 ? 'number' : 'wrap'})));
  const fill = (tr, values) => values.forEach((value, i) => text(tr.children[i], value));
  part('nodes').hidden = !fleet.nodes;
  keyed(part('nodes').querySelector('tbody'), fleet.nodes ?? [], node => node.node, () => cells(NODE_COLUMNS), (tr, node) => {
    fill(tr, [node.node, count(node.sessions), count(node.held), count(node.wanted), count(node.debt), node.expires ? duration(node.expires) : 'now']);
    tr.classList.toggle('dim', node.expires === 0);
  });
  keyed(part('sessions').querySelector('tbody'), fleet.sessions, session => session.executor + ' ' + session.shard, () => cells(SESSION_COLUMNS), (tr, session) => {
    const name = fleet.sessions.some(other => other.shard > 0) ? `${session.executor} in shard ${session.shard}` : session.executor;
    fill(tr, [name, session.state, session.lease ? duration(session.lease) : 'none', session.learning ? duration(session.learning) : '–']);
    tr.children[2].classList.toggle('hot', !session.lease && fleet.wanted > 0);
  });
  part('total').hidden = !fleet.total;
  if (fleet.total) {
    const [held, wanted, debt, steer] = part('total').querySelector('.meters').children;
    setMeter(held.lastChild, fleet.total.held, fleet.total.limit);
    text(wanted.lastChild, count(fleet.total.wanted));
    text(debt.lastChild, count(fleet.total.debt));
    setField(steer.querySelector('form'), fleet.total.limit);
    steer.hidden = !latest.editable;
  }
  text(card.querySelector('.range'), fleet.matching > fleet.rows.length ? `the first ${count(fleet.rows.length)} of ${count(fleet.matching)}` : plural(fleet.matching, 'group'));
  part('shared').hidden = fleet.shared.length === 0;
  keyed(part('shared').querySelector('tbody'), fleet.shared, row => row.id, createFleetSharedRow, updateFleetSharedRow);
  const notShown = fleet.sharedMatching - fleet.shared.length;
  part('shared').querySelector('.range-shared').hidden = notShown === 0;
  text(part('shared').querySelector('.range-shared'), `and ${plural(notShown, 'value')} more`);
  keyed(part('groups').querySelector('tbody'), fleet.rows, row => row.id, row => createFleetRow(fleet, row), updateFleetRow);
  const change = part('groups').querySelector('th:last-child');
  change.hidden = !latest.editable;
}

function renderFleets(snapshot) {
  keyed($('view-fleet'), snapshot.fleet.map((fleet, i) => ({...fleet, i})), fleet => fleet.i, createFleet, updateFleet);
}

// ---- changes ----------------------------------------------------------------------------------------------------

function renderChanges(snapshot) {
  keyed($('change-rows'), snapshot.changes, change => change.number,
      () => el('tr', {}, ...Array.from({length: 5}, () => el('td', {class: 'wrap'}))),
      (tr, change) => [clock(change.at), change.who, change.what, change.from, change.to].forEach((value, i) => text(tr.children[i], value)));
  $('no-changes').hidden = snapshot.changes.length > 0;
}

// ---- the page ---------------------------------------------------------------------------------------------------

/** The tabs. A tab is shown if the server has something for it. Another kind of executor is another entry. */
const TABS = [
  {id: 'groups', title: 'Groups', render: renderGroups, number: s => s.groups?.executors.reduce((n, e) => n + e.groups, 0)},
  {id: 'shared', title: 'Shared limits', render: renderShared, number: s => s.shared?.known},
  {id: 'pools', title: 'Pools', render: renderPools, number: s => s.tabs.pools},
  {id: 'isolation', title: 'Isolation', render: renderIsolation, number: s => s.tabs.isolation},
  {id: 'fleet', title: 'Fleet', render: renderFleets, number: s => s.tabs.fleet},
  {id: 'changes', title: 'Changes', render: renderChanges, number: s => s.tabs.changes, always: true},
];

function render() {
  const offered = TABS.filter(tab => tab.always || latest.tabs[tab.id] > 0);
  if (!offered.some(tab => tab.id === state.tab)) {
    const first = offered[0].id;
    if (state.tab === '' && first === 'groups') {
      state.tab = first;
    } else {
      state.tab = first;
      connection.restart();
      return;
    }
  }
  text($('title'), latest.title);
  document.title = latest.title;
  $('readonly').hidden = latest.editable;
  text($('cost'), `A snapshot takes ${duration(latest.cost)}.`);
  renderTabs(offered);
  const tab = TABS.find(t => t.id === state.tab);
  if (latest[tab.id] !== undefined) {
    tab.render(latest);
  }
  for (const {id} of TABS) {
    $('view-' + id).hidden = id !== state.tab;
  }
  renderStatus();
}

function renderTabs(offered) {
  keyed($('tabs'), offered, tab => tab.id,
      tab => el('button', {type: 'button', 'data-tab': tab.id, onclick: () => openTab(tab.id)}, tab.title, el('span')),
      (button, tab) => {
        const number = tab.number(latest);
        if (number !== undefined) {
          text(button.lastChild, count(number));
        }
        if (tab.id === state.tab) {
          button.setAttribute('aria-current', 'page');
        } else {
          button.removeAttribute('aria-current');
        }
      });
}

function openTab(id) {
  if (TABS.some(tab => tab.id === id)) {
    show({tab: id, detail: '', search: '', page: '0'});
  }
}

/** How old what is shown is. Grey if it is too old. */
function renderStatus() {
  const age = Date.now() - receivedAt;
  const lost = latest !== null && age > Math.max(3_500, 3.5 * latest.every);
  if (lost && !document.body.classList.contains('stale')) {
    announce('The connection is lost. What is shown is old.');
  }
  document.body.classList.toggle('stale', lost);
  const shown = lost ? 'lost' : latest === null ? 'connecting' : connection.state === 'lost' ? 'live' : connection.state;
  $('status').dataset.state = shown;
  const ago = age < 1_500 ? 'just now' : duration(Math.round(age / 1_000) * 1_000).replace('.0', '') + ' ago';
  text($('status-text'), latest === null ? connection.state : lost ? `lost, updated ${ago}` : `updated ${ago}` + (shown === 'polling' ? ', polling' : ''));
}

/** The controls show the state, whichever way it was changed. */
function renderControls() {
  for (const search of [$('search'), $('shared-search')]) {
    if (search.value !== state.search && document.activeElement !== search) {
      search.value = state.search;
    }
  }
  for (const button of $('filters').children) {
    button.setAttribute('aria-pressed', String(button.dataset.filter === state.filter));
  }
  for (const th of document.querySelectorAll('th[data-sort]')) {
    if (th.dataset.sort === state.sort) {
      th.setAttribute('aria-sort', state.sort === 'key' ? 'ascending' : 'descending');
    } else {
      th.removeAttribute('aria-sort');
    }
  }
  $('sort').value = state.sort;
  $('executor').value = state.executor;
  for (const button of $('tabs').children) {
    button.toggleAttribute('aria-current', false);
    if (button.dataset.tab === state.tab) {
      button.setAttribute('aria-current', 'page');
    }
  }
}

// ---- theme ------------------------------------------------------------------------------------------------------

const THEMES = ['auto', 'light', 'dark'];

function setTheme(theme) {
  if (theme === 'auto') {
    delete document.documentElement.dataset.theme;
  } else {
    document.documentElement.dataset.theme = theme;
  }
  text($('theme'), 'Theme: ' + theme);
  localStorage.setItem('console-theme', theme);
}

function nextTheme() {
  const now = document.documentElement.dataset.theme ?? 'auto';
  setTheme(THEMES[(THEMES.indexOf(now) + 1) % THEMES.length]);
}

// ---- what the user does -----------------------------------------------------------------------------------------

let searchTimer = 0;

/** Not for every key that is pressed. */
function searchSoon(value) {
  clearTimeout(searchTimer);
  searchTimer = setTimeout(() => show({search: value.trim()}), 200);
}

function turnPage(step) {
  const page = Number(state.page) + step;
  if (latest?.groups && page >= 0 && page < latest.groups.pages) {
    show({page: String(page)});
  }
}

function moveFocus(step) {
  const rows = [...$('group-rows').children];
  const now = rows.findIndex(row => row.dataset.id === focusedId());
  const next = rows[Math.max(0, Math.min(rows.length - 1, now + step))];
  for (const row of rows) {
    row.tabIndex = row === next ? 0 : -1;
  }
  next?.focus();
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) {
    return;
  }
  if (event.key === 'Escape' && !$('keys').open) {
    if (state.detail) {
      closeDetail();
    } else if (focusedId() !== null) {
      document.activeElement.blur();      // the rows may move again
    }
  }
  if (event.target.matches('input, select, textarea') || $('keys').open) {
    if (event.key === 'Escape' && event.target.id === 'search') {
      event.target.blur();
    }
    return;
  }
  const isRow = event.target.matches('tr[data-id]');
  const actions = {
    '/': () => (['isolation', 'fleet', 'shared'].includes(state.tab) ? document.querySelector(`#view-${state.tab} input[type=search]`) : $('search'))?.focus(),
    'ArrowDown': () => moveFocus(1),
    'j': () => moveFocus(1),
    'ArrowUp': () => moveFocus(-1),
    'k': () => moveFocus(-1),
    '[': () => turnPage(-1),
    ']': () => turnPage(1),
    't': nextTheme,
    '?': () => $('keys').showModal(),
    '1': () => openTab($('tabs').children[0]?.dataset.tab),
    '2': () => openTab($('tabs').children[1]?.dataset.tab),
    '3': () => openTab($('tabs').children[2]?.dataset.tab),
    '4': () => openTab($('tabs').children[3]?.dataset.tab),
    '5': () => openTab($('tabs').children[4]?.dataset.tab),
    '6': () => openTab($('tabs').children[5]?.dataset.tab),
    'Enter': () => isRow && openDetail(event.target.dataset.id),
  };
  const action = actions[event.key];
  if (!action || (event.key.startsWith('Arrow') && state.tab !== 'groups') || (event.key === 'Enter' && !isRow)) {
    return;
  }
  event.preventDefault();
  action();
}

function listen() {
  $('theme').addEventListener('click', nextTheme);
  $('help').addEventListener('click', () => $('keys').showModal());
  $('search').addEventListener('input', event => searchSoon(event.target.value));
  $('filters').addEventListener('click', event => event.target.dataset.filter && show({filter: event.target.dataset.filter}));
  $('shared-search').addEventListener('input', event => searchSoon(event.target.value));
  $('shared-close').addEventListener('click', closeDetail);
  $('sort').addEventListener('change', event => show({sort: event.target.value}));
  $('executor').addEventListener('change', event => show({executor: event.target.value}));
  $('previous').addEventListener('click', () => turnPage(-1));
  $('next').addEventListener('click', () => turnPage(1));
  for (const th of document.querySelectorAll('th[data-sort]')) {
    th.addEventListener('click', () => show({sort: th.dataset.sort}));
  }
  const rows = $('group-rows');
  rows.addEventListener('click', event => {
    const row = event.target.closest('tr[data-id]');
    if (row) {
      openDetail(row.dataset.id);
    }
  });
  rows.addEventListener('pointerenter', () => pointerInside = true);
  rows.addEventListener('pointerleave', () => pointerInside = false);
  $('signin-form').addEventListener('submit', event => {
    event.preventDefault();
    token = $('token').value.trim();
    $('token').value = '';
    sessionStorage.setItem('token ' + prefix, token);
    connection.restart();
  });
  document.addEventListener('keydown', onKey);
  document.addEventListener('visibilitychange', () => connection.restart());
  window.addEventListener('pagehide', () => connection.stop());
  window.addEventListener('hashchange', () => {
    token = takeToken();
    readAddress();
    renderControls();
    connection.restart();
  });
  setInterval(renderStatus, 1_000);
}

setTheme(localStorage.getItem('console-theme') ?? 'auto');
readAddress();
listen();
renderControls();
connection.restart();
