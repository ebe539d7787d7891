/* Rankings over what a reader chooses: cells, thresholds, weights. The page is complete without it.
   The choice stands in the address after "#?", so a link brings it back. */
(() => {
  "use strict";

  const tools = document.querySelector(".board-tools");
  if (!tools) return;
  const { scoring } = window;
  const { make, set, official } = scoring;
  const top = document.documentElement.dataset.content_root;
  const KINDS = ["family", "test", "dataset", "language"];
  const TITLES = { family: "Family", test: "Test", dataset: "Dataset", language: "Language", origin: "Origin" };
  const RULE_NAMES = { above: "above", below: "below", within: "within ±", beyond: "beyond ±", between: "between" };
  const choices = JSON.parse(tools.dataset.choices);
  const targets = tools.dataset.cells.split(" ").map((entry) => entry.split("="));
  const overview = "overview" in tools.dataset;

  const few = (count, one, more) => `${count} ${count === 1 ? one : more}`;

  // -- what the reader chose, and the address ----------------------------------------------------------

  let state;
  const fresh = () => ({ q: "", origin: "", sort: "", only: {}, weights: {}, rules: {} });

  const isWeight = (value) => /^\d+(\.\d+)?$/.test(value) && Number(value) <= 1000;

  function read(hash) {
    const next = fresh();
    if (!hash.startsWith("#?")) return next;
    new URLSearchParams(hash.slice(2)).forEach((value, name) => {
      const [first, kind, ...rest] = name.split(".");
      const id = rest.join(".");
      if (["q", "origin", "sort"].includes(name)) next[name] = value;
      else if (KINDS.includes(name)) next.only[name] = value;
      else if (first === "w" && KINDS.includes(kind) && isWeight(value)) (next.weights[kind] ||= {})[id] = value;
      else if (name.startsWith("t.")) {
        const [rule, ...bounds] = value.split(":");
        const numbers = bounds.map(Number);
        const fits = Object.hasOwn(scoring.HOLDS, rule) && numbers.length === (rule === "between" ? 2 : 1);
        if (fits && bounds.every(Boolean) && numbers.every(Number.isFinite)) next.rules[name.slice(2)] = { kind: rule, bounds: numbers };
      }
    });
    return next;
  }

  function written() {
    const query = new URLSearchParams();
    ["q", "origin", "sort"].forEach((name) => state[name] && query.set(name, state[name]));
    KINDS.forEach((kind) => state.only[kind] && query.set(kind, state.only[kind]));
    KINDS.forEach((kind) => Object.entries(state.weights[kind] || {}).forEach(([id, value]) => query.set(`w.${kind}.${id}`, value)));
    Object.entries(state.rules).forEach(([id, { kind, bounds }]) => query.set(`t.${id}`, [kind, ...bounds].join(":")));
    return query.toString();
  }

  function keep() {
    const query = written();
    if (query) history.replaceState(null, "", `#?${query}`);
    else if (location.hash.startsWith("#?")) history.replaceState(null, "", location.pathname + location.search);
  }

  const weighted = () => KINDS.reduce((sum, kind) => sum + Object.keys(state.weights[kind] || {}).length, 0);
  const chosen = () => Boolean(KINDS.some((kind) => state.only[kind]) || weighted() || Object.keys(state.rules).length);

  // -- controls ----------------------------------------------------------------------------------------

  const search = set(make("input", { type: "search", placeholder: "Search models" }), { "aria-label": "Search models" });
  const selects = {};
  const reset = make("button", { type: "button", className: "tool reset", textContent: "Reset to the paper" });
  const panel = make("details", { className: "own-rules" }, make("summary", { textContent: "Your thresholds, your weights" }));
  const status = set(make("p", { className: "quiet small" }), { role: "status" });

  function build() {
    const bar = make("div", { className: "tools" }, search);
    for (const kind of [...KINDS, "origin"]) {
      if ((choices[kind] || []).length < 2) continue;
      const select = (selects[kind] = make("select"));
      select.append(make("option", { value: "", textContent: `All` }));
      let group = select;
      let last = "";
      choices[kind].forEach(([id, label, heading]) => {
        if (heading && heading !== last) select.append((group = set(make("optgroup"), { label: (last = heading) })));
        group.append(make("option", { value: id, textContent: label }));
      });
      select.addEventListener("change", () => {
        if (kind === "origin") state.origin = select.value;
        else if (select.value) state.only[kind] = select.value;
        else delete state.only[kind];
        show();
      });
      bar.append(make("label", {}, TITLES[kind], select));
    }
    search.addEventListener("input", () => {
      state.q = search.value;
      keep();
      searchRows();
    });
    reset.addEventListener("click", () => {
      state = fresh();
      show();
      search.focus();
    });
    bar.append(reset);
    panel.addEventListener("toggle", async () => {
      if (panel.open && panel.childElementCount < 2) await fillPanel();
    });
    tools.replaceChildren(bar, panel, status);
  }

  const loaded = () => Promise.all(targets.map(([target, file]) => scoring.load(target, file)));

  /** Every rule of the targets of this page: metric and criterion, and where it is used. */
  function rules(all) {
    const lines = new Map();
    all.forEach((data) => data.boards.forEach((board) => {
      scoring.rulesOf(data, board).forEach((id, cell) => {
        if (board.cells.counts[cell] !== "1") return;
        const metric = data.metrics[board.cells.metric[cell]];
        if (!lines.has(id)) lines.set(id, { id, label: metric.label, rule: id.slice(metric.id.length + 1), tests: new Set() });
        lines.get(id).tests.add(data.tests[board.cells.test[cell]].title);
      });
    }));
    return [...lines.values()].sort((a, b) => a.label.localeCompare(b.label) || a.rule.localeCompare(b.rule));
  }

  async function fillPanel() {
    const all = await loaded();
    const body = make("tbody");
    rules(all).forEach((line) => body.append(ruleRow(line)));
    const head = make("tr", {}, ...["Metric", "Paper", "Yours", "Used by"].map((name) => set(make("th", { textContent: name }), { scope: "col" })));
    const table = make("table", { className: "rules" }, make("thead", {}, head), body);
    const thresholds = make("fieldset", {}, make("legend", { textContent: "Thresholds" }), set(make("div", { className: "scroll" }, table), { tabindex: "0", role: "region", "aria-label": "Thresholds" }));
    const note = make("p", { className: "quiet small", textContent: "Weights: 1 is usual, 2 counts double, 0 leaves out. Families weigh in the score, tests within their family, datasets and languages within a test." });
    const weights = make("fieldset", {}, make("legend", { textContent: "Weights" }), note);
    KINDS.filter((kind) => (choices[kind] || []).length > 1).forEach((kind) => {
      const list = make("div", { className: "weights" });
      choices[kind].forEach(([id, label]) => {
        const input = make("input", { type: "number", min: 0, max: 1000, step: "any", value: (state.weights[kind] || {})[id] ?? "1" });
        input.dataset.weight = `${kind}.${id}`;
        input.addEventListener("input", () => {
          const plain = isWeight(input.value) && Number(input.value) !== 1;
          if (plain) (state.weights[kind] ||= {})[id] = input.value;
          else if (state.weights[kind]) delete state.weights[kind][id];
          show(false);
        });
        list.append(make("label", {}, input, label));
      });
      weights.append(make("p", { className: "weight-title", textContent: TITLES[kind] }), list);
    });
    const summary = panel.firstElementChild;
    panel.replaceChildren(summary, thresholds, weights);
  }

  function ruleRow({ id, label, rule, tests }) {
    const paper = scoring.criterion(rule);
    const mine = state.rules[id] || paper || { kind: "within", bounds: [] };
    const select = set(make("select"), { "aria-label": `Kind of threshold: ${label}` });
    Object.entries(RULE_NAMES).forEach(([kind, name]) => select.append(make("option", { value: kind, textContent: name, selected: kind === mine.kind })));
    const inputs = [0, 1].map((place) => set(make("input", { type: "number", step: "any", value: mine.bounds[place] ?? "" }), { "aria-label": `${place ? "Upper bound" : "Bound"}: ${label}` }));
    const update = () => {
      inputs[1].hidden = select.value !== "between";
      const texts = inputs.filter((input) => !input.hidden).map((input) => input.value);
      const bounds = texts.map(Number);
      const same = paper && paper.kind === select.value && paper.bounds.every((bound, place) => bound === bounds[place]);
      if (same || texts.includes("")) delete state.rules[id];
      else state.rules[id] = { kind: select.value, bounds };
      return show(false);
    };
    select.addEventListener("change", update);
    inputs.forEach((input) => input.addEventListener("input", update));
    inputs[1].hidden = select.value !== "between";
    const names = [...tests];
    const used = make("td", { textContent: names.length > 2 ? `${names.length} tests` : names.join(", "), title: names.join(", ") });
    const shown = rule === "simulated" ? "simulated" : rule.replaceAll("-", "−");
    const row = make("tr", {}, set(make("th", { textContent: label }), { scope: "row" }), make("td", {}, make("code", { textContent: shown })), make("td", {}, select, ...inputs), used);
    row.dataset.rule = id;
    return row;
  }

  function mirror() {
    search.value = state.q;
    Object.entries(selects).forEach(([kind, select]) => (select.value = kind === "origin" ? state.origin : state.only[kind] || ""));
    if (panel.childElementCount < 2) return;
    panel.querySelectorAll("input[data-weight]").forEach((input) => {
      const [kind, ...rest] = input.dataset.weight.split(".");
      input.value = (state.weights[kind] || {})[rest.join(".")] ?? "1";
    });
    fillPanel();
  }

  // -- tables ------------------------------------------------------------------------------------------

  const ranked = [...document.querySelectorAll(".as-ranked")];
  const heads = (...names) => make("thead", {}, make("tr", {}, ...names.map((name) => set(make("th", { textContent: name }), { scope: "col" }))));
  const boxed = (table, label) => set(make("div", { className: "scroll" }, table), { tabindex: "0", role: "region", "aria-label": label });
  const cell = (text, sort) => {
    const node = make("td", { className: "n", textContent: text });
    node.dataset.sort = sort;
    return node;
  };

  function bar(share, floor) {
    const width = (value) => `${scoring.tenths(value).replace("−", "-")}%`;
    const fill = make("span");
    fill.style.width = width(share);
    const back = make("span", { className: "bar" }, fill);
    if (floor) {
      const mark = make("i");
      mark.style.left = width(floor);
      back.append(mark);
    }
    return make("span", { className: "share wide" }, back, make("span", { className: "num", textContent: scoring.percent(share) }));
  }

  function name(model, remark) {
    const head = set(make("th", {}, make("a", { href: top + model.href, textContent: model.label })), { scope: "row" });
    head.dataset.name = model.label;
    if (model.chance) remark = "chance";
    if (remark) head.append(make("small", { textContent: remark }));
    return head;
  }

  const points = (share) => {
    const text = scoring.tenths(share);
    return /^−?0\.0$/.test(text) ? "0.0" : text.startsWith("−") ? text : `+${text}`;
  };
  const zero = [0n, 1n];
  const sortKey = (share) => (share ? scoring.number(share) : -1e9);

  /** The ranking over the selection, as the ranking of the page has it. */
  function table(data, board, result) {
    const families = [...new Set(result.lines.flatMap((line) => [...line.families.keys()]))];
    const order = choices.family.map(([id]) => id).filter((id) => families.includes(id));
    const body = make("tbody");
    const rest = set(make("tbody"), { class: "outside" });
    result.lines.forEach((line) => {
      const { model, score } = line;
      const shares = order.map((family) => line.families.get(family));
      const before = official(model);
      const change = score && before && scoring.minus(score, before);
      const shown = make("td", {}, score ? bar(score, result.floor) : make("span", { className: "share none", textContent: "none" }));
      shown.dataset.sort = sortKey(score);
      const row = make("tr", {}, name(model, line.remark), cell(line.place ?? "", line.place ?? 9999), shown,
        cell(change ? points(change) : "", sortKey(change)), cell(line.beyond ? scoring.percent(line.beyond) : "", sortKey(line.beyond)),
        ...shares.map((share) => cell(share ? scoring.percent(share) : "", sortKey(share))),
        cell(line.cells ? `${line.passed} / ${line.cells}` : "", line.cells || 0));
      (line.place || (score && !model.chance) ? body : rest).append(row);
    });
    const titles = choices.family.filter(([id]) => families.includes(id)).map(([, label]) => label);
    const node = make("table", { className: "ranking standings sortable" }, heads("Model", "Place", "Score", "Change", "Beyond chance", ...titles, "Cells passed"), body, rest);
    node.tHead.rows[0].cells[1].dataset.first = "ascending";
    window.sortableTable(node);
    return boxed(node, `Your selection: ranking for ${data.label}, ${board.title}`);
  }

  function tests(data, board, result) {
    const lines = result.lines.filter((line) => line.tests.size);
    const present = data.tests.map((test, place) => place).filter((place) => lines.some((line) => line.tests.has(place)));
    const body = make("tbody");
    present.forEach((place) => {
      const test = data.tests[place];
      const head = set(make("th", {}, make("a", { href: top + test.href, textContent: test.title })), { scope: "row" });
      body.append(make("tr", {}, head, ...lines.map((line) => heat(share(line.tests.get(place)), part(line.tests.get(place))))));
    });
    const node = make("table", { className: "matrix" }, heads("Test", ...lines.map((line) => line.model.label)), body);
    return make("details", { className: "folded" }, make("summary", { textContent: "Share of passed cells per test and model in your selection" }), boxed(node, "Share per test and model in your selection"));
  }
  const share = (part) => (part ? scoring.fraction(BigInt(part.right), BigInt(part.weight)) : null);
  const part = (tally) => (tally ? `${tally.passed} of ${few(tally.cells, "cell", "cells")} passed` : "");
  function heat(value, title, href) {
    if (!value) return make("td", { className: "s", textContent: "–" });
    const text = scoring.percent(value);
    const node = make("td", { className: "heat", title }, href ? make("a", { href, textContent: text }) : text);
    node.style.setProperty("--share", scoring.number(value).toFixed(3));
    node.dataset.sort = scoring.number(value);
    return node;
  }

  /** What was chosen, in words. */
  function words() {
    const of = (kind) => choices[kind].find(([id]) => id === state.only[kind]);
    const parts = KINDS.filter((kind) => state.only[kind]).map((kind) => `${TITLES[kind].toLowerCase()} ${(of(kind) || [0, state.only[kind]])[1]}`);
    const count = Object.keys(state.rules).length;
    if (count) parts.push(few(count, "own threshold", "own thresholds"));
    if (weighted()) parts.push(few(weighted(), "own weight", "own weights"));
    const all = parts.join(", ");
    return all.charAt(0).toUpperCase() + all.slice(1);
  }

  function verdict(data, board, result) {
    const answer = make("p", { className: "answer" }, make("strong", { textContent: "Your selection" }));
    const firsts = result.lines.filter((line) => line.place === 1);
    if (!firsts.length) {
      const only = result.lines.find((line) => line.score && !line.model.chance);
      answer.append(only ? `: ${only.model.label} has a score of ${scoring.percent(only.score)}; there is no other model to compare it with.` : ": no model has a score on these cells.");
      return [answer];
    }
    const names = firsts.map((line) => line.model.label).join(" and ");
    const floor = result.floor ? ` (chance: ${scoring.percent(result.floor)})` : "";
    answer.append(`: ${names} ${firsts.length > 1 ? "have" : "has"} the highest score, `, make("strong", { textContent: scoring.percent(firsts[0].score) }), `${floor}.`);
    const { rankings, firsts: counts } = scoring.stability(data, board, state, result);
    const times = counts.get(firsts[0].model) || 0;
    const stable = rankings
      ? times === rankings ? ` ${firsts[0].model.label} stays first without any one test or dataset.` : ` ${firsts[0].model.label} is first in ${times} of ${rankings} rankings without one test or one dataset.`
      : "";
    answer.append(stable);
    return [answer];
  }

  function selection(box, data, board) {
    const result = scoring.rank(data, board, state);
    const counted = [...board.cells.counts].filter((letter) => letter === "1").length;
    const about = make("p", { className: "quiet", textContent: `${words()}. ${result.cells.length} of ${counted} cells count. A difference between places may be chance: which models can be told apart is computed for the whole ranking only.` });
    box.replaceChildren(...verdict(data, board, result), about, table(data, board, result), tests(data, board, result));
  }

  /** Models by targets over the selection. */
  function matrix(box, all, board) {
    const columns = all.filter((data) => data.boards.some((each) => each.name === board));
    const { title } = columns[0].boards.find((each) => each.name === board);
    const lines = new Map();
    columns.forEach((data, place) => {
      const part = data.boards.find((each) => each.name === board);
      scoring.rank(data, part, state).lines.filter((line) => !line.model.chance).forEach((line) => {
        if (!lines.has(line.model.label)) lines.set(line.model.label, []);
        lines.get(line.model.label)[place] = line;
      });
    });
    const mean = (entries) => scoring.mean(entries.filter((line) => line && line.score).map((line) => [line.score, 1000])) || [-1n, 1n];
    const sorted = [...lines].sort(([a, x], [b, y]) => scoring.compare(mean(y), mean(x)) || (a < b ? -1 : 1));
    const body = make("tbody");
    sorted.forEach(([label, entries]) => {
      const head = set(make("th", { textContent: label }), { scope: "row" });
      head.dataset.name = label;
      body.append(make("tr", {}, head, ...columns.map((data, place) => {
        const line = entries[place];
        return line ? heat(line.score, line.remark, top + line.model.href) : make("td", { className: "m", textContent: "not run" });
      })));
    });
    const node = make("table", { className: "matrix sortable" }, heads("Model", ...columns.map((data) => data.label)), body);
    window.sortableTable(node);
    box.replaceChildren(make("p", {}, make("strong", { textContent: "Your selection" }), `: ${words()}. Scores are computed over these cells only.`), boxed(node, `Your selection: score per model and target, ${title}`));
  }

  // -- showing -----------------------------------------------------------------------------------------

  const visible = () => document.querySelectorAll(".as-ranked:not([hidden]) table, .selection:not([hidden]) table:not(details table)");

  function searchRows() {
    const text = state.q.trim().toLowerCase();
    let shown = 0;
    visible().forEach((each) => [...each.tBodies].forEach((body) => {
      let any = false;
      [...body.rows].forEach((row) => {
        if (row.classList.contains("head")) return;
        row.hidden = !row.cells[0].dataset.name.toLowerCase().includes(text);
        any ||= !row.hidden;
        shown += !row.hidden;
      });
      body.querySelectorAll("tr.head").forEach((row) => (row.hidden = !any));
    }));
    status.textContent = text ? few(shown, "line", "lines") + ` for “${state.q.trim()}”` : "";
  }

  /** Sorting stands in the address by heading, and holds for every table that has it. */
  let sorting = false;
  function sortRows() {
    const place = state.sort.lastIndexOf(":");
    const [heading, order] = [state.sort.slice(0, place), state.sort.slice(place + 1)];
    sorting = true;
    visible().forEach((each) => {
      const head = [...each.tHead.rows[0].cells].find((node) => node.textContent.trim() === heading);
      for (let turn = 0; head && turn < 2 && head.getAttribute("aria-sort") !== order; turn += 1) head.querySelector("button.sort").click();
    });
    sorting = false;
  }
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button.sort");
    if (!button || sorting || !button.closest(".as-ranked, .selection")) return;
    const head = button.closest("th");
    state.sort = `${head.textContent.trim()}:${head.getAttribute("aria-sort")}`;
    reset.hidden = false;
    keep();
  });

  let latest = 0;
  async function show(controls = true) {
    const turn = (latest += 1);
    keep();
    if (controls) mirror();
    reset.hidden = !written();
    const own = chosen();
    const all = own ? await loaded() : [];
    if (turn !== latest) return;
    ranked.forEach((original) => {
      const section = original.closest("section");
      section.hidden = Boolean(state.origin && original.dataset.origin !== state.origin);
      let box = original.nextElementSibling;
      if (!box || !box.classList.contains("selection")) original.after((box = make("div", { className: "selection" })));
      original.hidden = own;
      box.hidden = !own;
      if (!own || section.hidden) box.replaceChildren();
      else if (overview) matrix(box, all, original.dataset.board);
      else selection(box, all[0], all[0].boards.find((each) => each.name === original.dataset.board));
    });
    if (state.sort) sortRows();
    searchRows();
    tools.dataset.shown = written();
  }

  build();
  state = read(location.hash);
  addEventListener("hashchange", () => {
    if (!location.hash.startsWith("#?")) return;
    state = read(location.hash);
    open();
  });
  function open() {
    if (weighted() || Object.keys(state.rules).length) panel.open = true;
    show();
  }
  reset.hidden = true;
  if (written()) open();
})();
