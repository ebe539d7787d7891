/* Samples of a cell, worst first. The choice stands in the address after "#?"; samples come from a script of their
   dataset, so that the page works from a disk, too. common/pages/listening/sample_table.py describes them. */

/* Tables of samples: how they are packed, and how bad an answer is. The comparison uses them, too: flips.js. */
(() => {
  "use strict";

  const SCALE = 10000;
  /* Numbers in three letters each. */
  const DIGITS = Array.from({ length: 92 }, (_, n) => String.fromCharCode(35 + n)).filter((sign) => !"<\\".includes(sign));
  const PLACE = new Map(DIGITS.map((sign, place) => [sign, place]));
  const BASE = DIGITS.length;
  const ZERO = Math.floor(BASE ** 3 / 2);

  /** Numbers, each unpacked when it is asked for; of an array they have what is needed here. */
  class Packed {
    constructor(text) {
      this.text = text;
    }
    at(n) {
      const digit = (place) => PLACE.get(this.text[3 * n + place]);
      const number = (digit(0) * BASE + digit(1)) * BASE + digit(2);
      return number === BASE ** 3 - 1 ? null : number - ZERO;
    }
    map(change) {
      return Array.from({ length: this.text.length / 3 }, (_, n) => change(this.at(n), n));
    }
  }
  function opened(table) {
    if (table.kind !== "number") return table;
    const all = (models) => models && Object.fromEntries(Object.entries(models).map(([id, text]) => [id, new Packed(text)]));
    const changes = Object.entries(table.changes).map(([name, change]) => [name, { ...change, before: all(change.before), after: all(change.after) }]);
    const truth = table.truth && new Packed(table.truth).map((value) => value);
    return { ...table, truth, answers: all(table.answers), changes: Object.fromEntries(changes) };
  }

  const loading = new Map();
  /** A table: the script that sets it, and its key there. */
  function load(src, key) {
    if (!loading.has(src)) {
      loading.set(src, new Promise((done, fail) => {
        const script = Object.assign(document.createElement("script"), { src, charset: "utf-8" });
        script.addEventListener("load", () => done(opened(window.samplesOf[key])));
        script.addEventListener("error", () => fail(new Error(`${src} cannot be loaded`)));
        document.head.append(script);
      }));
    }
    return loading.get(src);
  }

  /** Whether a sample belongs to a set, which has four samples in a letter; null has all. */
  const inside = (bits, n) => bits === null || Boolean((parseInt(bits[n >> 2], 16) >> (3 - (n & 3))) & 1);
  const median = (values) => {
    const sorted = values.map((value) => value).filter((value) => value !== null).sort((a, b) => a - b);
    const middle = sorted.length >> 1;
    return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  };

  /** Whether it can be told how bad samples of a model are. */
  function hasLosses(table, model, name) {
    const change = table.changes[name];
    if (table.kind === "events") return Boolean((change ? table.shifts[name] : table.losses)[model]);
    return Boolean(change ? change.after[model] && (change.before || table.answers)[model] : table.answers[model]);
  }

  /** How bad each sample of a model is, null where that is not known; the same as in Python, which tells it of events.

      name: test and line of a cell, which say whether answers before and after a change are compared. */
  function losses(table, model, name) {
    if (!hasLosses(table, model, name)) return null;
    const change = table.changes[name];
    const number = table.kind === "number";
    if (table.kind === "events") return (change ? table.shifts[name] : table.losses)[model];
    const answers = table.answers[model];
    if (change) {
      const after = change.after[model];
      const before = (change.before || table.answers)[model];
      return after.map((b, n) => {
        const a = before.at(n);
        if (a === null || b === null) return null;
        if (number) return Math.abs(b - a);
        if (a === b) return 0;
        const truth = table.truth ? table.truth[n] : null;
        return a === truth ? 3 : b === truth ? 1 : 2;
      });
    }
    const middle = number && !table.truth ? median(answers) : 0;
    return answers.map((answer, n) => {
      if (answer === null) return null;
      if (!table.truth) return number ? Math.abs(answer - middle) : 0;
      const truth = table.truth[n];
      if (truth === null || (!number && truth >= table.labels)) return null;
      return number ? Math.abs(answer - truth) : Number(answer !== truth);
    });
  }

  /** By how much a model is better than another one on each sample; of words, 1 where it alone is right, -1 where
      the other one is; null where one of the two has no answer. */
  function betterBy(table, model, other, name) {
    const [mine, its] = [model, other].map((id) => losses(table, id, name));
    if (!mine || !its) return null;
    const bad = (loss) => (table.kind === "word" ? Number(loss > 0) : loss);
    return mine.map((loss, n) => (loss === null || its[n] === null ? null : bad(its[n]) - bad(loss)));
  }

  const thousands = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, "\u202f");
  const times = (n) => (n === 1 ? "once" : `${thousands(n)} times`);
  /** In words, how often one model is better, and how often the other. */
  function counts(table, name, better, samples, [model, other]) {
    const won = times(samples.filter((n) => better[n] > 0).length);
    const lost = times(samples.filter((n) => better[n] < 0).length);
    if (table.changes[name]) return table.kind === "word" ? `only ${model} changes its answer ${lost}, only ${other} ${won}` : `${model} changes its answer more ${lost}, ${other} ${won}`;
    if (table.kind === "word") return `only ${model} is right ${won}, only ${other} ${lost}`;
    return table.kind === "number" ? `${model} is nearer to the truth ${won}, ${other} ${lost}` : `${model} has fewer wrong seconds ${won}, ${other} ${lost}`;
  }

  /** Truth or answer as text; a dash if there is none. */
  const text = (table, value) =>
    value === null || value === undefined ? "–" : table.kind === "number" ? (value / SCALE).toFixed(3).replace("-", "−") : table.words[value];

  window.sampleTables = { SCALE, load, inside, losses, hasLosses, betterBy, counts, thousands, text };
})();

/* The page. */
(() => {
  "use strict";

  const place = document.querySelector(".listen-samples");
  if (!place) return;
  const config = JSON.parse(place.dataset.config);
  const PAGE = 10;
  const AT_ONCE = 3;
  const { SCALE, inside, losses, hasLosses, betterBy, counts, thousands, text } = window.sampleTables;
  const FOR_ALL = "original";
  const NAMED = ["model", "beside", "test", "data", "line", "of", "wrong", "sound"];

  const make = (tag, attributes = {}, ...children) => {
    const node = document.createElement(tag);
    Object.entries(attributes).forEach(([name, value]) => node.setAttribute(name, value));
    node.append(...children);
    return node;
  };

  // -- what the reader chose -----------------------------------------------------------------------

  let state;
  const datasetOf = (test, data) => (config.data.find(([t, , d]) => t === test && d === data) || [])[1];
  /** The first of some data on which a model has samples, -1: any model; else the first of all. */
  const first = (entries, model) =>
    (model >= 0 && entries.find(([, , , , models]) => models.includes(model))) || entries.find(([, , , , models]) => models.length) || entries[0];
  function read() {
    const query = new URLSearchParams(location.hash.replace(/^#\??/, ""));
    const open = config.data.filter(([, dataset]) => config.files[dataset]);
    const asked = config.models.findIndex(([id]) => id === query.get("model"));
    const data = open.filter(([test]) => test === query.get("test"));
    const cell = data.find(([, , d]) => d === query.get("data")) || first(data.length ? data : open, asked) || [];
    const [test, , name, , models = []] = cell;
    const model = config.models[asked >= 0 ? asked : models[0] || 0];
    const by = {};
    query.forEach((value, key) => key.startsWith("by-") && (by[key.slice(3)] = value));
    const beside = config.models.some(([id]) => id === query.get("beside") && id !== (model && model[0])) ? query.get("beside") : "";
    return {
      model: model && model[0], beside, test, data: name, line: query.get("line") || "", of: query.get("of") || "", part: query.get("part") || "",
      wrong: query.get("wrong") === "1", sound: query.get("sound") === "1", by,
    };
  }
  function keep() {
    const query = new URLSearchParams();
    NAMED.forEach((name) => state[name] && query.set(name, state[name] === true ? "1" : state[name]));
    Object.entries(state.by).forEach(([name, value]) => value && query.set(`by-${name}`, value));
    history.replaceState(null, "", `#?${query}`);
  }

  // -- the chosen cell -------------------------------------------------------------------------------

  const load = (dataset) => window.sampleTables.load(config.files[dataset], `${config.target}/${dataset}`);
  const nameOf = (id) => (config.models.find(([other]) => other === id) || [])[1];

  /** Whether an annotation or an answer is a word, or has an event of a class. */
  const has = (table, value, word) => (table.kind === "events" ? Boolean(value) && value.some(([, , label]) => label === word) : value === word);

  /** A class, a bin or a word of another column, as result rows name it -> whether a sample belongs there. */
  function partOf(table, name, answers) {
    if (!name) return () => true;
    const word = table.words.indexOf(name);
    if (word >= 0) return (n) => (table.truth && has(table, table.truth[n], word)) || has(table, answers.at(n), word);
    const bin = /^\((-?[\d.]+|-inf), (-?[\d.]+|inf)\]$/.exec(name);
    if (bin) {
      const [low, high] = bin.slice(1).map((end) => (end.endsWith("inf") ? (end[0] === "-" ? -Infinity : Infinity) : Number(end) * SCALE));
      const fits = (value) => value !== null && value !== undefined && low < value && value <= high;
      return (n) => fits(table.truth && table.truth[n]) || fits(answers.at(n));
    }
    const column = Object.values(table.columns).find(([names]) => names.includes(name));
    if (!column) return () => true;
    const code = column[0].indexOf(name);
    return (n) => column[1][n] === code;
  }

  /** Samples of the chosen cell, worst first; beside another model, those where one of the two is better, the chosen
      one's losses first. */
  function chosen(table) {
    const test = table.tests[state.test];
    const name = `${state.test}/${state.line}`;
    const line = test.lines.find(([data, condition]) => data === state.data && condition === state.line);
    const change = table.changes[name];
    const loss = losses(table, state.model, name);
    if (!change && !table.truth) state.beside = ""; // there is nothing to be better in
    const { beside } = state;
    const better = beside && loss ? betterBy(table, state.model, beside, name) : null;
    if (!loss || (beside && !better)) return { change, loss: [], rows: [], cell: [], whole: 0 };
    const answers = change ? change.after[state.model] : table.answers[state.model];
    const part = partOf(table, state.of, answers);
    const whole = table.samples.map((_, n) => n).filter((n) => (better || loss)[n] !== null && inside(test.samples, n) && (!line || inside(line[3], n)));
    const cell = whole.filter(part);
    const rows = cell.filter((n) =>
      Object.entries(state.by).every(([column, value]) => !value || valuesOf(table, column, n).includes(value))
      && (!state.wrong || loss[n] > 0) && (!state.sound || heard(table, n)) && (!better || better[n]));
    const order = better ? (a, b) => better[a] - better[b] : () => 0;
    const silent = (n) => Number(!heard(table, n)); // among equal ones, those that can be heard come first
    return { change, name, loss, better, cell, whole: whole.length, rows: rows.sort((a, b) => order(a, b) || loss[b] - loss[a] || silent(a) - silent(b) || a - b) };
  }
  /** What a filter may ask of a sample: its annotated classes, or its value in a column. */
  function valuesOf(table, column, n) {
    if (column === "truth") return table.words.filter((_, word) => table.truth && has(table, table.truth[n], word));
    if (!table.columns[column]) return [state.by[column]]; // another dataset has it
    const [names, codes] = table.columns[column];
    return names[codes[n]] === undefined ? [] : [names[codes[n]]];
  }
  const pair = (table, n) => (table.heard[`${state.test}/${state.line}`] || {})[n];
  const heard = (table, n) => pair(table, n) || table.heard[""][n] !== undefined;

  // -- a sample --------------------------------------------------------------------------------------

  const signed = (value) => `${value > 0 ? "+" : value < 0 ? "−" : "±"}${Math.abs(value / SCALE).toFixed(3)}`;

  /* Pictures are loaded when they come into view: a browser asks for more of them at once, far below it. */
  const draw = (picture) => {
    near.unobserve(picture);
    picture.src = picture.dataset.src;
    picture.removeAttribute("data-src");
  };
  const near = new IntersectionObserver((entries) => entries.forEach(({ target, isIntersecting }) => isIntersecting && draw(target)));
  addEventListener("beforeprint", () => document.querySelectorAll("img[data-src]").forEach(draw));

  function sound(table, label, index, name) {
    const [src, seconds, lufs] = table.sounds[index];
    const file = `${config.media}/${src}`;
    const picture = make("img", {
      "data-src": file.replace(/\.flac$/, ".webp"), width: 400, height: 132, decoding: "async",
      alt: `Waveform above spectrogram, ${label.toLowerCase()}: ${name}, ${seconds.toFixed(1)} s, 0 to 8 kHz`,
    });
    near.observe(picture);
    const audio = make("audio", { controls: "", preload: "none", src: file, "aria-label": `${label}: ${name}` });
    return make("div", { class: "sound", "data-lufs": lufs, "data-seconds": seconds, "data-axis": `0 1 ${seconds}` },
      make("p", { class: "sound-name" }, label), picture, audio);
  }

  function player(table, change, n, name) {
    const both = change && pair(table, n);
    const group = make("div", { class: "listen small one", role: "group", "aria-label": `Listen: ${name}` });
    if (both) {
      group.append(sound(table, change.reference, both[0], name), sound(table, change.label, both[1], name));
    } else if (table.heard[""][n] !== undefined) {
      group.classList.add("solo");
      group.append(sound(table, "Original", table.heard[""][n], name));
      if (change) group.append(make("p", { class: "quiet" }, `The changed sound does not fit in the ${table.mb} MB.`));
    } else {
      return make("p", { class: "quiet none-heard" }, `Its sound does not fit in the ${table.mb} MB.`);
    }
    return group;
  }

  /** An answer; a word has a sign, a number its distance from the truth. */
  function answer(table, value, n, before) {
    const node = make("td", {}, text(table, value));
    const truth = table.truth ? table.truth[n] : null;
    if (value === null || value === undefined) return node;
    if (before !== undefined && before !== value) node.classList.add("moved");
    if (truth === null) return node;
    if (table.kind === "number") node.append(make("small", {}, signed(value - truth)));
    else if (truth < table.labels) {
      const right = value === truth;
      node.classList.add(right ? "p" : "f");
      node.append(" ", make("b", { role: "img", "aria-label": right ? "right" : "wrong" }, right ? "✓" : "✗"));
    }
    return node;
  }

  // -- events of a recording -------------------------------------------------------------------------

  /** So many events are named to those who do not see them. */
  const SAID = 20;
  const SIGNS = { hit: "right", false: "false", missed: "missed" };
  const span = ([onset, offset]) => `${onset.toFixed(2)} to ${offset.toFixed(2)} s`;
  const meets = ([onset, offset, label], events) => events.some(([a, b, other]) => other === label && a < offset && onset < b);
  /** Seconds of a recording that are drawn: those that are heard. */
  function drawn(table, n) {
    const index = table.heard[""][n];
    return index === undefined ? table.seconds[n] : Math.min(table.seconds[n], table.sounds[index][1]);
  }

  /** Events over time, a lane for each class; `truth`: what they are compared with, null: they are the annotation. */
  function laneBox(table, events, truth, lanes, seconds, title) {
    if (!events) return make("span", {}, "–");
    const all = events.map((event) => [event, truth ? (meets(event, truth) ? "hit" : "false") : "truth"]);
    (truth || []).filter((event) => !meets(event, events)).forEach((event) => all.push([event, "missed"]));
    const said = all.map(([event, css]) => `${table.words[event[2]]} ${span(event)}${SIGNS[css] ? `, ${SIGNS[css]}` : ""}`);
    const rest = said.length - SAID;
    const words = said.slice(0, SAID).join("; ") + (rest > 0 ? `; and ${rest} more` : "");
    const node = make("div", { class: "event-lanes", role: "img", "aria-label": `${title}: ${words || "no event"}` });
    lanes.forEach((label) => {
      const lane = make("div", { class: "event-lane" });
      all.filter(([event]) => event[2] === label && event[0] < seconds).forEach(([event, css]) => {
        const left = (100 * event[0]) / seconds;
        const width = Math.max((100 * Math.min(event[1], seconds)) / seconds - left, 0.4);
        lane.append(make("i", { class: css, style: `left:${left.toFixed(2)}%;width:${width.toFixed(2)}%`, title: `${table.words[label]}${SIGNS[css] ? `, ${SIGNS[css]}` : ""}: ${span(event)}` }));
      });
      node.append(lane);
    });
    const later = all.filter(([event]) => event[0] >= seconds).length;
    const others = all.filter(([event]) => !lanes.includes(event[2]) && event[0] < seconds).length;
    const box = make("div", { class: "event-box" }, make("div", { class: "event-names", "aria-hidden": "true" }, ...lanes.map((label) => make("span", {}, table.words[label]))), node);
    if (others) box.append(make("small", {}, `${others} of other classes`));
    if (later) box.append(make("small", {}, `${later} later than ${seconds.toFixed(0)} s`));
    return box;
  }

  const wrongSeconds = (value, word) => (value === null || value === undefined ? "" : value ? `${value} s ${word}` : `nothing ${word}`);

  /** Timelines: the annotation, then what each model answered, before and after a change. */
  function timelines(table, change, n, name) {
    const seconds = drawn(table, n);
    const truth = table.truth ? table.truth[n] : null;
    const states = change ? [[change.reference, change.before || table.answers], [change.label, change.after]] : [["Answer", table.answers]];
    // chance models may detect every class: those of their own have no lane
    const listening = config.models.filter(([id, , chance]) => !chance && states.some(([, models]) => models[id]));
    const deciding = listening.length ? listening : config.models;
    const of = (models) => [truth, ...states.flatMap(([, answers]) => models.map(([id]) => (answers[id] || [])[n]))].filter(Boolean);
    const classes = (lists) => [...new Set(lists.flatMap((events) => events.map(([, , label]) => label)))].sort((a, b) => a - b);
    const some = classes(of(deciding));
    const lanes = some.length ? some : classes(of(config.models));
    if (!lanes.length) return make("p", { class: "quiet" }, "Nothing is annotated and nothing was detected.");
    const head = make("thead", {}, make("tr", {}, ...["Model", ...states.map(([title]) => title)].map((title) => make("th", { scope: "col" }, title))));
    const body = make("tbody");
    const cell = (title, ...children) => make("td", { "data-title": title }, ...children);
    if (truth) body.append(make("tr", {}, make("th", { scope: "row" }, "Annotation"),
      ...states.map(([title]) => cell(title, laneBox(table, truth, null, lanes, seconds, `Annotation of ${name}`)))));
    config.models.filter(([id]) => states.some(([, models]) => models[id])).forEach(([id, label, chance]) => {
      const shift = change && (table.shifts[`${state.test}/${state.line}`][id] || [])[n];
      const told = change ? wrongSeconds(shift, "changed") : truth && wrongSeconds((table.losses[id] || [])[n], "wrong");
      const row = make("tr", { class: [chance ? "chance" : "", id === state.model ? "this" : ""].join(" ").trim() },
        make("th", { scope: "row" }, label, ...(told ? [make("small", {}, told)] : [])));
      states.forEach(([title, models]) => row.append(cell(title, laneBox(table, (models[id] || [])[n], truth || [], lanes, seconds, `${label}, ${title.toLowerCase()}`))));
      body.append(row);
    });
    const node = make("table", { class: "answers event-table", role: "table" }, head, body);
    // phones show rows as blocks, which takes the meaning of a table from them
    node.querySelectorAll("tr").forEach((row) => row.setAttribute("role", "row"));
    node.querySelectorAll("td").forEach((one) => one.setAttribute("role", "cell"));
    node.querySelectorAll("tbody th").forEach((one) => one.setAttribute("role", "rowheader"));
    node.querySelectorAll("thead th").forEach((one) => one.setAttribute("role", "columnheader"));
    [head, body].forEach((part) => part.setAttribute("role", "rowgroup"));
    return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Timelines: ${name}` }, node);
  }

  function answers(table, change, n, name) {
    if (table.kind === "events") return timelines(table, change, n, name);
    const titles = change ? ["Model", change.reference, change.label] : ["Model", "Answer"];
    const head = make("thead", {}, make("tr", {}, ...titles.map((title) => make("th", { scope: "col" }, title))));
    const rows = config.models.filter(([id]) => table.answers[id] || (change && change.after[id])).map(([id, label, chance]) => {
      const row = make("tr", { class: [chance ? "chance" : "", id === state.model ? "this" : ""].join(" ").trim() }, make("th", { scope: "row" }, label));
      if (change) {
        const before = ((change.before || table.answers)[id] || []).at(n);
        row.append(answer(table, before, n), answer(table, (change.after[id] || []).at(n), n, before));
      } else row.append(answer(table, table.answers[id].at(n), n));
      return row;
    });
    const node = make("table", { class: "answers" }, head, make("tbody", {}, ...rows));
    return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Answers: ${name}` }, node);
  }

  function sampleOf(table, found, n, rank) {
    const name = table.samples[n];
    const facts = Object.entries(table.columns).map(([column, [names, codes]]) => [column, names[codes[n]]]).filter(([, value]) => value !== undefined);
    const title = make("p", { class: "heard-name" }, make("span", { class: "rank" }, `${rank}.`), make("code", {}, name));
    const events = table.kind === "events";
    if (table.truth && !events) title.append(make("span", {}, "truth ", make("b", {}, text(table, table.truth[n]))));
    const size = table.kind === "number" ? (found.loss[n] / SCALE).toFixed(3) : "";
    if (events && (found.change || table.truth)) title.append(make("b", {}, wrongSeconds(found.loss[n], found.change ? "changed" : "wrong")));
    if (size) title.append(make("span", {}, found.change ? "moved by " : table.truth ? "error " : "from the median ", make("b", {}, size)));
    facts.forEach(([column, value]) => title.append(make("span", { class: "quiet" }, `${column} ${named(column, value)}`)));
    const node = make("article", { class: `hear-sample ${table.kind}`, "aria-label": `Sample ${rank}: ${name}`, "data-sample": name },
      title, player(table, found.change, n, name), answers(table, found.change, n, name));
    if (events) node.addEventListener("listen-moment", (event) => node.style.setProperty("--moment", `${(100 * event.detail) / drawn(table, n)}%`));
    return node;
  }

  // -- the page ----------------------------------------------------------------------------------------

  const bar = make("div", { class: "tools" });
  const about = make("p", { class: "answer", role: "status" });
  const note = make("p", { class: "quiet" });
  const list = make("div", { class: "hear-list" });
  const more = make("button", { type: "button", class: "tool" });
  const key = make("p", { class: "event-key quiet", hidden: "" });
  [["truth", "annotated"], ["hit", "detected, meets an annotated event of its class"], ["false", "detected, meets none"], ["missed", "annotated, missed"]].forEach(([css, words]) =>
    key.append(make("span", {}, make("i", { class: css, "aria-hidden": "true" }), words)));
  place.append(bar, about, note, key, list, more);

  function select(label, entries, value, change) {
    const node = make("select");
    entries.forEach(([id, name]) => {
      const option = make("option", { value: id }, name);
      option.selected = id === value;
      node.append(option);
    });
    node.addEventListener("change", () => change(node.value));
    return make("label", {}, label, node);
  }
  function check(label, name) {
    const box = make("input", { type: "checkbox" });
    box.checked = state[name];
    box.addEventListener("change", () => update({ [name]: box.checked }));
    return make("label", { class: "box" }, box, label);
  }
  const titled = (name) => name[0].toUpperCase() + name.slice(1);
  /** A label as tables show it. */
  const tidy = (label) => label.replace("(-inf", "(−∞").replace("inf]", "∞)").replace(/-(?=[.\d])/g, "−");
  let languages; // made once: that takes as long as hundreds of names
  /** A value of a column as readers know it: languages have names. */
  const named = (column, value) => {
    if (column !== "language") return value;
    try {
      languages ||= new Intl.DisplayNames("en", { type: "language", fallback: "none" });
      const name = languages.of(value);
      return name ? `${name} (${value})` : value;
    } catch {
      return value; // no code of a language
    }
  };
  const any = (names, column) => [["", "all"], ...names.map((name) => [name, tidy(named(column, name))])];

  function update(changes) {
    const focused = document.activeElement.closest && document.activeElement.closest(".tools label");
    const at = focused ? [...bar.children].indexOf(focused) : -1;
    Object.assign(state, changes);
    keep();
    show().then(() => at >= 0 && bar.children[at] && bar.children[at].firstElementChild && bar.children[at].querySelector("select, input").focus());
  }

  function controls(table, cell) {
    const lines = table.tests[state.test].lines.filter(([data]) => data === state.data);
    const labels = [...new Set(lines.filter(([, line]) => line === state.line).flatMap((line) => line[2]))];
    const moved = Boolean(table.changes[`${state.test}/${state.line}`]);
    /** What occurs in the cell, in the order of the table, and what is chosen already. */
    const values = (column, names) => {
      const there = new Set(cell.flatMap((n) => valuesOf(table, column, n)));
      return any(names.filter((name) => there.has(name) || name === state.by[column]), column);
    };
    const filter = (column, names) => select(titled(column), values(column, names), state.by[column] || "", (value) => update({ by: { ...state.by, [column]: value } }));
    const data = config.data.filter(([test, dataset]) => test === state.test && config.files[dataset]);
    bar.replaceChildren(
      select("Model", config.models, state.model, (model) => update({ model, beside: model === state.beside ? "" : state.beside })),
      select("Test", config.tests.filter(([id]) => config.data.some(([test, dataset]) => test === id && config.files[dataset])), state.test, (test) =>
        update({ test, data: (first(config.data.filter(([t, dataset]) => t === test && config.files[dataset]), config.models.findIndex(([id]) => id === state.model)) || [])[2], line: "", of: "" })),
      select("Data", data.map(([, , name, label]) => [name, label]), state.data, (name) => update({ data: name, line: "", of: "" })),
    );
    if (lines.length > 1 || (lines[0] && lines[0][1] !== FOR_ALL))
      bar.append(select("Part", lines.map(([, line]) => [line, line]), state.line, (line) => update({ line, of: "" })));
    if (labels.length) bar.append(select("Class or bin", any(labels), state.of, (of) => update({ of })));
    const others = config.models.filter(([id]) => id !== state.model && [state.model, id].every((one) => hasLosses(table, one, `${state.test}/${state.line}`)));
    if ((moved || table.truth) && others.length) bar.append(select("Where it differs from", [["", "all samples"], ...others], state.beside, (beside) => update({ beside })));
    if (table.kind !== "number" && table.truth) bar.append(filter("truth", table.words));
    Object.entries(table.columns).forEach(([name, [names]]) => bar.append(filter(name, names)));
    if (table.kind !== "number" && (moved || table.truth)) bar.append(check(moved ? "Only changed answers" : "Only wrong answers", "wrong"));
    bar.append(check("Only with sound", "sound"));
  }

  function sentence(table, found) {
    const label = nameOf(state.model);
    const title = (config.tests.find(([id]) => id === state.test) || [])[1];
    const all = found.cell.length;
    const shown = found.rows.length === all ? `${thousands(all)} ${all === 1 ? "sample" : "samples"}` : `${thousands(found.rows.length)} of ${thousands(all)} samples`;
    const which = [state.line === FOR_ALL ? "" : state.line, tidy(state.of)].filter(Boolean).join(", ");
    let order = "the largest errors first";
    if (found.change) order = table.kind === "word" ? "those that were right and are wrong now first" : "the largest changes of the answer first";
    else if (!table.truth) order = table.kind === "number" ? "the answers furthest from the median of the model first" : "in no order, as there are no annotations to compare with";
    else if (table.kind === "word") order = "wrong answers first";
    const other = found.better ? nameOf(state.beside) : "";
    const worse = found.better && found.rows.some((n) => found.better[n] < 0) ? `those where ${label} is worse first` : `none where ${label} is worse`;
    if (other) order = `${worse}; ${counts(table, found.name, found.better, found.rows, [label, other])}`;
    const outside = found.whole ? `no sample of this cell lies in ${tidy(state.of)}` : "no samples that have both an answer of this model and what it is compared with";
    const said = all ? `${shown}, ${order}` : outside;
    about.textContent = `${label}${other ? ` beside ${other}` : ""}, ${title}${which ? ` (${which})` : ""}: ${said}.`;
    const parts = [`${table.label}, licence ${table.license}.`];
    if (table.kind === "events") parts.push("Seconds are counted class by class: a second is wrong for a class that is only annotated or only detected in it. They are those of the whole recording; the lanes of a recording with sound show as much of it as is played.");
    parts.push(`Sounds: the worst samples of the models that listen, as many as fit in ${table.mb} MB.`);
    if (table.depth !== null) parts.push(`The table has ${thousands(table.samples.length)} of ${thousands(table.total)} samples: at least the ${table.depth} worst of each of these models in each cell.`);
    if (state.of && (table.words.includes(state.of) || state.of.endsWith("]"))) parts.push(state.of.endsWith("]") ? `Truth or answer lies in ${tidy(state.of)}.` : `Truth or answer ${table.kind === "events" ? "has" : "is"} ${state.of}.`);
    if (other) parts.push(table.kind === "word" ? "Samples that flipped are shown: only one of the two models is right, or only one changes its answer." : "All samples are shown on which one of the two models is better, by however little; the largest differences come first and last.");
    if (table.unheard) parts.push(table.unheard);
    note.textContent = parts.join(" ");
  }

  let turn = 0;
  async function show() {
    const mine = ++turn;
    const dataset = datasetOf(state.test, state.data);
    if (!dataset || !config.files[dataset]) {
      about.textContent = "There are no samples to show here.";
      return;
    }
    let table;
    try {
      table = await load(dataset);
    } catch (error) {
      about.textContent = error.message;
      return;
    }
    if (mine !== turn) return;
    const lines = table.tests[state.test].lines.filter(([data]) => data === state.data);
    // a part as a table of cells names it: a condition, a class, or both
    state.part.split(" · ").forEach((part) => {
      if (lines.some(([, line]) => line === part)) state.line = part;
      else state.of = lines.flatMap((line) => line[2]).find((label) => tidy(label) === part) || state.of;
    });
    state.part = "";
    if (lines.length && !lines.some(([, line]) => line === state.line)) state.line = lines[0][1];
    if (window.players) window.players.clear(list);
    document.querySelectorAll(".hear-plain").forEach((plain) => (plain.hidden = true));
    key.hidden = table.kind !== "events";
    const found = chosen(table);
    controls(table, found.cell);
    sentence(table, found);
    near.disconnect();
    list.replaceChildren();
    let shown = 0;
    /** Some more samples; a slow phone can answer between them. */
    const fill = async () => {
      more.hidden = true;
      const end = Math.min(shown + PAGE, found.rows.length);
      while (shown < end) {
        await new Promise((next) => setTimeout(next));
        if (mine !== turn) return;
        const some = found.rows.slice(shown, Math.min(shown + AT_ONCE, end)).map((n) => sampleOf(table, found, n, ++shown));
        list.append(...some);
        some.forEach((node) => node.querySelectorAll(".listen").forEach((group) => window.players.add(group)));
      }
      more.hidden = shown >= found.rows.length;
      more.textContent = `${Math.min(PAGE, found.rows.length - shown)} more`;
    };
    more.onclick = async () => {
      const next = shown;
      await fill();
      const node = list.children[next];
      if (node) {
        node.tabIndex = -1;
        node.focus({ preventScroll: true });
      }
    };
    await fill();
    if (mine === turn) place.dataset.shown = location.hash;
  }

  addEventListener("hashchange", () => {
    state = read();
    show();
  });
  state = read();
  show();
})();
