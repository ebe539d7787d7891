/* Rankings over what a reader chooses: cells, thresholds, weights. The page is complete without it.
   The choice stands in the address after "#?", so a link brings it back. */
(() => {
  "use strict";

  const tools = document.querySelector(".board-tools");
  if (!tools) return;
  const { scoring } = window;
  const { make, set } = scoring;
  const KINDS = ["family", "test", "dataset", "language"];
  const TITLES = { family: "Family", test: "Test", dataset: "Dataset", language: "Language", origin: "Origin" };
  const choices = JSON.parse(tools.dataset.choices);
  const targets = tools.dataset.cells.split(" ").map((entry) => entry.split("="));
  const sumsOf = new Map((tools.dataset.sums || "").split(" ").filter(Boolean).map((entry) => entry.split("=")));
  const overview = "overview" in tools.dataset;

  const few = (count, one, more) => `${count} ${count === 1 ? one : more}`;

  // -- what the reader chose, and the address ----------------------------------------------------------

  let state;
  const fresh = () => ({ q: "", origin: "", sort: "", only: {}, weights: {}, rules: {}, people: {}, unknown: [] });

  const isWeight = (value) => /^\d+(\.\d+)?$/.test(value) && Number(value) <= 1000;

  function read(hash) {
    const next = fresh();
    if (!hash.startsWith("#?")) return next;
    new URLSearchParams(hash.slice(2)).forEach((value, name) => {
      const [first, kind, ...rest] = name.split(".");
      const id = rest.join(".");
      if (["q", "origin", "sort"].includes(name)) next[name] = value;
      else if (KINDS.includes(name) && (choices[name] || []).some(([each]) => each === value)) next.only[name] = value;
      else if (KINDS.includes(name)) next.unknown.push(`The address names the unknown ${name} “${value}”, which is left out`);
      else if (first === "w" && KINDS.includes(kind) && isWeight(value)) (next.weights[kind] ||= {})[id] = value;
      else if (first === "p" && kind && id && isWeight(value)) (Object.hasOwn(next.people, kind) ? next.people[kind] : (next.people[kind] = {}))[id] = value;
      else if (name.startsWith("t.")) {
        const [rule, ...bounds] = value.split(":");
        const numbers = bounds.map(Number);
        const fits = Object.hasOwn(scoring.HOLDS, rule) && numbers.length === (rule === "between" ? 2 : 1);
        if (fits && bounds.every(Boolean) && numbers.every(Number.isFinite)) next.rules[name.slice(2)] = { kind: rule, bounds: numbers };
        else next.unknown.push(`The address has the threshold “${value}”, which is none and is left out`);
      } else if (first === "w" || first === "p") next.unknown.push(`The address has the ${first === "w" ? "weight" : "share"} “${value}”, which is none and is left out`);
    });
    return next;
  }

  function written() {
    const query = new URLSearchParams();
    ["q", "origin", "sort"].forEach((name) => state[name] && query.set(name, state[name]));
    KINDS.forEach((kind) => state.only[kind] && query.set(kind, state.only[kind]));
    KINDS.forEach((kind) => Object.entries(state.weights[kind] || {}).forEach(([id, value]) => query.set(`w.${kind}.${id}`, value)));
    Object.entries(state.people).forEach(([trait, groups]) => Object.entries(groups).forEach(([id, value]) => query.set(`p.${trait}.${id}`, value)));
    Object.entries(state.rules).forEach(([id, { kind, bounds }]) => query.set(`t.${id}`, [kind, ...bounds].join(":")));
    return query.toString();
  }

  function keep() {
    const query = written();
    if (query) history.replaceState(null, "", `#?${query}`);
    else if (location.hash.startsWith("#?")) history.replaceState(null, "", location.pathname + location.search);
  }

  const weighted = () => KINDS.reduce((sum, kind) => sum + Object.keys(state.weights[kind] || {}).length, 0);
  const peopled = () => Object.values(state.people).some((groups) => Object.keys(groups).length);
  const chosen = () => Boolean(KINDS.some((kind) => state.only[kind]) || weighted() || peopled() || Object.keys(state.rules).length);

  // -- controls ----------------------------------------------------------------------------------------

  const search = set(make("input", { type: "search", placeholder: "Search models" }), { "aria-label": "Search models" });
  const selects = {};
  const reset = make("button", { type: "button", className: "tool reset", textContent: "Reset to the paper" });
  const panel = make("details", { className: "own-rules" }, make("summary", { textContent: "Your thresholds, your weights" }));
  const status = set(make("p", { className: "quiet small" }), { role: "status" });
  /** What follows from the panel, in sight while it is open. */
  const outcome = set(make("div", { className: "outcome", hidden: true }), { "aria-live": "polite" });

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
      tell();
    });
    tools.replaceChildren(bar, status, panel, outcome);
  }

  const loaded = () => Promise.all(targets.map(([target, file]) => scoring.load(target, file)));

  /** Files of sums of the boards of a target, which only a reader's shares of speakers need. */
  const POPULATION = ["student.js", "sums.js", "population.js", "population_scores.js"];
  const weightedBoards = new Map();
  async function ofPopulation(data) {
    if (!peopled() || !sumsOf.has(data.target)) return data;
    for (const file of POPULATION) await scoring.script(`_static/${file}`);
    const people = structuredClone(state.people);
    const key = `${data.target} ${JSON.stringify(people)}`;
    if (!weightedBoards.has(key)) {
      const boards = await Promise.all(data.boards.map(async (board) => {
        if (board.origin === "published") return board;
        const contents = await window.population.load(data.target, sumsOf.get(data.target), board.name);
        return window.population.boardOf(data, board, contents, people);
      }));
      weightedBoards.set(key, { ...data, boards });
    }
    return weightedBoards.get(key);
  }

  async function fillPanel() {
    await scoring.script("_static/board_panel.js");
    await window.boardPanel.fill();
  }

  function mirror() {
    search.value = state.q;
    Object.entries(selects).forEach(([kind, select]) => (select.value = kind === "origin" ? state.origin : state.only[kind] || ""));
    if (panel.childElementCount < 2) return;
    panel.querySelectorAll("input[data-people]").forEach((input) => {
      const [trait, ...rest] = input.dataset.people.split(".");
      input.value = (state.people[trait] || {})[rest.join(".")] ?? "";
    });
    panel.querySelectorAll("input[data-weight]").forEach((input) => {
      const [kind, ...rest] = input.dataset.weight.split(".");
      input.value = (state.weights[kind] || {})[rest.join(".")] ?? "1";
    });
    fillPanel();
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
    const found = shown ? few(shown, "line", "lines") + ` for “${state.q.trim()}”` : `No name of a model contains “${state.q.trim()}”`;
    status.textContent = [...state.unknown, text && found].filter(Boolean).join(". ");
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

  const ranked = [...document.querySelectorAll(".as-ranked")];
  const SCRIPTS = ["student.js", "tiers.js", "selection.js"];

  /** What sections about the whole ranking say while a selection is shown. */
  const remarks = [...document.querySelectorAll("section[id$=-trust], section[id$=-counted], section[id$=-tests]")].map((section) => {
    const remark = make("p", { className: "of-the-whole", hidden: true, textContent: "This part is about the whole ranking of the page, not about your selection above." });
    section.querySelector("h2, h3, h4, summary").after(remark);
    return remark;
  });

  function tell() {
    const answers = panel.open ? document.querySelectorAll(".selection:not([hidden]) > .answer") : [];
    outcome.replaceChildren(...[...answers].map((answer) => answer.cloneNode(true)));
    outcome.hidden = !answers.length;
    const field = document.activeElement;
    if (panel.contains(field) && field.getBoundingClientRect().bottom > outcome.getBoundingClientRect().top) field.scrollIntoView({ block: "center" });
  }

  let latest = 0;
  async function show(controls = true) {
    const turn = (latest += 1);
    keep();
    if (controls) mirror();
    reset.hidden = !written();
    const own = chosen();
    const all = own ? await Promise.all((await loaded()).map(ofPopulation)) : [];
    for (const file of own ? SCRIPTS : []) await scoring.script(`_static/${file}`);
    if (turn !== latest) return;
    remarks.forEach((remark) => (remark.hidden = !own));
    ranked.forEach((original) => {
      const section = original.closest("section");
      section.hidden = Boolean(state.origin && original.dataset.origin !== state.origin);
      let box = original.nextElementSibling;
      if (!box || !box.classList.contains("selection")) original.after((box = make("div", { className: "selection" })));
      original.hidden = own;
      box.hidden = !own;
      if (!own || section.hidden) box.replaceChildren();
      else if (overview) window.selections.matrix(box, all, original.dataset.board);
      else window.selections.selection(box, all[0], all[0].boards.find((each) => each.name === original.dataset.board));
    });
    tell();
    if (state.sort) sortRows();
    searchRows();
    tools.dataset.shown = written();
  }

  window.boards = { choices, KINDS, TITLES, few, panel, show, loaded, weighted, peopled, sumsOf, isWeight, get state() { return state; } };
  build();
  state = read(location.hash);
  addEventListener("hashchange", () => {
    if (location.hash && !location.hash.startsWith("#?")) return; // a place of the page
    state = read(location.hash);
    open();
  });
  function open() {
    if (weighted() || peopled() || Object.keys(state.rules).length) panel.open = true;
    show();
  }
  reset.hidden = true;
  if (written()) open();
})();
