/* Any two to five models of a target side by side, cell by cell. The choice stands in the address after "#?". */
(() => {
  "use strict";

  const tools = document.querySelector(".compare-tools");
  if (!tools) return;
  const { scoring } = window;
  const { make, set, tidy, shown, official: score } = scoring;
  const top = document.documentElement.dataset.content_root;
  const targets = JSON.parse(tools.dataset.targets);
  const MOST = 5;
  const SHOWN = { all: "all cells", verdicts: "cells where verdicts differ", intervals: "cells where intervals do not overlap" };
  const MARKS = { p: ["✓", "pass"], f: ["✗", "fail"], s: ["–", "skipped"], e: ["!", "error"] };


  // -- what the reader chose -----------------------------------------------------------------------

  let state;
  function read(hash) {
    const query = new URLSearchParams(hash.startsWith("#?") ? hash.slice(2) : "");
    const target = query.get("target");
    return {
      target: targets.some(([id]) => id === target) ? target : targets[0][0],
      models: [...new Set(query.getAll("model"))].slice(0, MOST),
      show: Object.hasOwn(SHOWN, query.get("show")) ? query.get("show") : "all",
      test: query.get("test") || "",
      q: query.get("q") || "",
    };
  }
  function keep() {
    const query = new URLSearchParams({ target: state.target });
    state.models.forEach((name) => query.append("model", name));
    if (state.show !== "all") query.set("show", state.show);
    if (state.test) query.set("test", state.test);
    if (state.q) query.set("q", state.q);
    history.replaceState(null, "", `#?${query}`);
  }

  // -- models and their cells ------------------------------------------------------------------------

  const names = (data) => data.boards.flatMap((board) => board.models.map((model, place) => ({ key: `${board.name}/${model.id}`, board, model, place })));
  const COLUMNS = ["test", "dataset", "metric", "data", "condition", "label"];

  /** Cells of several models by what they are, never by their place in a board. */
  function join(data, sides) {
    const rows = new Map();
    sides.forEach((side, column) => {
      const { cells } = side.board;
      cells.test.forEach((_, cell) => {
        if (side.model.status[cell] === ".") return;
        const key = COLUMNS.map((name) => cells[name][cell]).join(" ");
        if (!rows.has(key)) rows.set(key, { test: cells.test[cell], board: side.board, cell, places: [] });
        rows.get(key).places[column] = cell;
      });
    });
    return [...rows.values()].sort((a, b) => a.test - b.test || a.cell - b.cell);
  }
  const statusOf = (side, cell) => (cell === undefined ? "." : side.model.status[cell]);
  const column = (side, name, cell) => (cell === undefined ? null : side.model[name]?.[cell] ?? null);
  function ends(side, cell) {
    const both = ["ci_low", "ci_high"].map((name) => column(side, name, cell));
    return both.includes(null) ? null : both;
  }
  const apart = (a, b) => Boolean(a && b && (a[1] < b[0] || b[1] < a[0]));
  const pairs = (values) => values.flatMap((a, place) => values.slice(place + 1).map((b) => [a, b]));

  const FITS = {
    all: () => true,
    verdicts: (row, sides) => new Set(sides.map((side, n) => statusOf(side, row.places[n])).filter((s) => s === "p" || s === "f")).size > 1,
    intervals: (row, sides) => pairs(sides.map((side, n) => ends(side, row.places[n]))).some(([a, b]) => apart(a, b)),
  };

  // -- text --------------------------------------------------------------------------------------------

  /** A difference with as many decimals as its two values. */
  const signed = (from, to) => {
    const digits = [from, to].every((value) => Math.round(value * 100) / 100 === value) ? 2 : 3;
    const text = shown(Number((to - from).toFixed(digits)), null, digits);
    return Number(text.replace("−", "-")) > 0 ? `+${text}` : text;
  };
  const ruleText = (data, row) => data.names.criterion[row.board.cells.criterion[row.cell]];

  /** What is said of a model beside the first one. */
  function sentence(first, other) {
    const [a, b] = [score(first.model), score(other.model)];
    const item = make("li", {}, make("strong", { textContent: other.model.label }));
    if (!a || !b || first.board !== other.board) {
      item.append(first.board === other.board ? " is not compared by score: one of the two models has none." : " is not compared by score: the two models were run on other data.");
      return item;
    }
    const change = scoring.minus(b, a);
    const points = `${scoring.tenths(change).replace("−", "")} percentage points`;
    const ends = [first.place, other.place].sort((x, y) => x - y);
    const pair = first.board.differences.find(([one, two]) => one === ends[0] && two === ends[1]);
    const p = pair ? ` (p ${pair[2] < 0.001 ? "< 0.001" : `= ${pair[2].toFixed(3)}`})` : "";
    const better = change[0] >= 0n;
    if (pair && pair[3]) item.append(` is ${better ? "better" : "worse"} than ${first.model.label} by ${points}${p}.`);
    else item.append(pair ? ` cannot be told apart from ${first.model.label}: ${points} ${better ? "more" : "less"}${p}.` : ` has a score that is ${points} ${better ? "higher" : "lower"}; whether they differ was not tested.`);
    return item;
  }

  // -- tables ------------------------------------------------------------------------------------------

  function scoreCell(data, side, row, column_) {
    const cell = row.places[column_];
    const status = statusOf(side, cell);
    if (status === ".") return make("td", { className: "m" });
    const [mark, word] = MARKS[status];
    const node = make("td", { className: status });
    const value = column(side, "value", cell);
    const rule = scoring.criterion(data.names.criterion[side.model.criteria[cell] ?? side.board.cells.criterion[cell]]);
    if (value !== null) node.append(shown(value, rule), " ");
    else if (side.model.reasons[cell] !== undefined) node.title = data.names.reason[side.model.reasons[cell]];
    node.append(set(make("b", { textContent: mark }), { role: "img", "aria-label": word }));
    const interval = ends(side, cell);
    if (interval) node.append(make("small", { className: "ci", textContent: interval.map((end) => shown(end)).join(" to ") }));
    return node;
  }

  function rowOf(data, sides, row) {
    const { cells } = row.board;
    const metric = data.metrics[cells.metric[row.cell]];
    const [part, condition, label] = ["data", "condition", "label"].map((name) => data.names[name][cells[name][row.cell]]);
    const about = [part, condition === "original" ? "" : condition, label].filter(Boolean).join(", ");
    const head = set(make("th", {}, metric.label, make("small", { textContent: tidy(about) })), { scope: "row" });
    const values = sides.map((side, n) => column(side, "value", row.places[n]));
    const changes = values.slice(1).map((value, n) => {
      const node = make("td", { className: "n" });
      if (value === null || values[0] === null) return node;
      node.append(signed(values[0], value));
      if (apart(ends(sides[0], row.places[0]), ends(sides[n + 1], row.places[n + 1]))) node.append(make("small", { textContent: "intervals apart" }));
      return node;
    });
    return make("tr", {}, head, make("td", {}, make("code", { textContent: tidy(ruleText(data, row)) })), ...sides.map((side, n) => scoreCell(data, side, row, n)), ...changes);
  }

  function table(data, sides, rows) {
    const titles = ["Cell", "Passes if", ...sides.map((side) => side.model.label), ...sides.slice(1).map((side) => `${side.model.label} − ${sides[0].model.label}`)];
    const head = make("thead", {}, make("tr", {}, ...titles.map((title) => set(make("th", { textContent: title }), { scope: "col" }))));
    const node = make("table", { className: "scores" }, head);
    let body;
    let last = -1;
    rows.forEach((row) => {
      if (row.test !== last) {
        last = row.test;
        const test = data.tests[row.test];
        const title = set(make("th", { colSpan: titles.length }, make("span", {}, make("a", { href: top + test.href, textContent: test.title }))), { scope: "rowgroup" });
        node.append((body = make("tbody", {}, make("tr", { className: "head" }, title))));
      }
      body.append(rowOf(data, sides, row));
    });
    return set(make("div", { className: "scroll" }, node), { tabindex: "0", role: "region", "aria-label": `Scores of ${sides.length} models, cell by cell` });
  }

  // -- the page ----------------------------------------------------------------------------------------

  const select = (label, entries, value, change) => {
    const node = make("select", {}, ...entries.map(([id, text]) => make("option", { value: id, textContent: text, selected: id === value })));
    node.addEventListener("change", () => change(node.value));
    return make("label", {}, label, node);
  };
  const result = make("div", { className: "comparison-result" });

  function controls(data, all) {
    const update = (change) => {
      Object.assign(state, change);
      show();
    };
    const search = set(make("input", { type: "search", value: state.q, placeholder: "Filter cells" }), { "aria-label": "Filter cells" });
    search.addEventListener("input", () => {
      state.q = search.value;
      keep();
      fill(data, all);
    });
    const tests = [["", "All"], ...data.tests.map((test) => [test.id, test.title])];
    const bar = make("div", { className: "tools" },
      select("Target", targets.map(([id, label]) => [id, label]), state.target, (target) => update({ target, test: "" })),
      select("Show", Object.entries(SHOWN), state.show, (value) => update({ show: value })),
      select("Test", tests, state.test, (test) => update({ test })), search);
    const groups = data.boards.map((board) => {
      const boxes = all.filter((side) => side.board === board).map((side) => {
        const box = make("input", { type: "checkbox", checked: state.models.includes(side.key) });
        box.disabled = !box.checked && state.models.length >= MOST;
        box.dataset.model = side.key;
        box.addEventListener("change", () => {
          const models = state.models.filter((key) => key !== side.key);
          update({ models: box.checked ? [...models, side.key] : models });
          tools.querySelector(`input[data-model="${CSS.escape(side.key)}"]`)?.focus();
        });
        return make("label", {}, box, side.model.label);
      });
      return make("fieldset", {}, make("legend", { textContent: `${board.title}: choose two to five models` }), make("div", { className: "names" }, ...boxes));
    });
    return [bar, ...groups];
  }

  function fill(data, all) {
    const sides = state.models.map((key) => all.find((side) => side.key === key)).filter(Boolean);
    if (sides.length < 2) {
      result.replaceChildren(make("p", { className: "answer", textContent: "Choose at least two models." }));
      return;
    }
    const rows = join(data, sides);
    const text = state.q.trim().toLowerCase();
    const test = data.tests.findIndex((each) => each.id === state.test);
    const differ = rows.filter((row) => FITS.verdicts(row, sides)).length;
    const chosen = rows.filter((row) => FITS[state.show](row, sides) && (test < 0 || row.test === test) && (!text || words(data, row).includes(text)));
    const scores = sides.map((side) => `${side.model.label} ${scoring.percent(score(side.model))}`).join(", ");
    const list = make("ul", { className: "plain answer-list" }, ...sides.slice(1).map((side) => sentence(sides[0], side)));
    const about = make("p", { className: "quiet", textContent: `Scores in the ranking: ${scores}. Verdicts differ on ${differ} of ${rows.length} cells; ${chosen.length} shown. p values are adjusted for all pairs of the ranking; small numbers are 95 % intervals where there are any.` });
    result.replaceChildren(list, about, ...(chosen.length ? [table(data, sides, chosen)] : []));
  }

  function words(data, row) {
    const { cells } = row.board;
    const parts = ["data", "condition", "label"].map((name) => data.names[name][cells[name][row.cell]]);
    return [data.tests[row.test].title, data.metrics[cells.metric[row.cell]].label, ...parts].join(" ").toLowerCase();
  }

  let latest = 0;
  async function show() {
    const turn = (latest += 1);
    const data = await scoring.load(state.target, targets.find(([id]) => id === state.target)[2]);
    if (turn !== latest) return;
    const all = names(data);
    const there = state.models.filter((key) => all.some((side) => side.key === key));
    const rest = all.filter((side) => !there.includes(side.key) && !side.model.chance && side.model.standing?.score);
    const best = rest.sort((a, b) => scoring.compare(score(b.model), score(a.model)));
    const others = [...best, ...all].filter((side, place, every) => side.board === every[0].board && every.indexOf(side) === place);
    state.models = there.length ? there : others.slice(0, 2).map((side) => side.key);
    keep();
    tools.replaceChildren(...controls(data, all), result);
    fill(data, all);
    tools.dataset.shown = location.hash;
  }

  state = read(location.hash);
  addEventListener("hashchange", () => {
    if (!location.hash.startsWith("#?")) return;
    state = read(location.hash);
    show();
  });
  show();
})();
