/* Any two to five models of a target side by side, cell by cell. The choice stands in the address after "#?". */
(() => {
  "use strict";

  const tools = document.querySelector(".compare-tools");
  if (!tools) return;
  const { scoring } = window;
  const { make, set, official: score } = scoring;
  const top = document.documentElement.dataset.content_root;
  const targets = JSON.parse(tools.dataset.targets);
  const MOST = 5;
  const SHOWN = { differ: "cells that differ", verdicts: "only cells where verdicts differ", certain: "cells that differ for certain", all: "all cells" };
  /** What may be chosen of so many models. */
  const HOW_MANY = ["no model", "one model", "two models", "choose two or three models", "choose two to four models", "choose two to five models"];
  const CERTAIN = 0.05;
  const VERDICTS = "Verdicts differ";
  /** With at most so many cells, all tests are open. */
  const FEW = 30;

  // -- what the reader chose -----------------------------------------------------------------------

  let state;
  function read(hash) {
    const query = new URLSearchParams(hash.startsWith("#?") ? hash.slice(2) : "");
    const target = query.get("target");
    return {
      target: targets.some(({ id }) => id === target) ? target : targets[0].id,
      models: [...new Set(query.getAll("model"))].slice(0, MOST),
      show: Object.hasOwn(SHOWN, query.get("show")) ? query.get("show") : "differ",
      test: query.get("test") || "",
      q: query.get("q") || "",
      /** Whether one model alone, as a link names it, gets another one beside it. */
      isNew: true,
      /** Models of the address that are not here, and its target if that is not. */
      unknown: [],
      noTarget: target === null || targets.some(({ id }) => id === target) ? "" : target,
    };
  }
  function addressOf(change = {}) {
    const { target, models, show: kind, test, q } = { ...state, ...change };
    const query = new URLSearchParams({ target });
    models.forEach((name) => query.append("model", name));
    if (kind !== "differ") query.set("show", kind);
    if (test) query.set("test", test);
    if (q) query.set("q", q);
    return `#?${query}`;
  }
  /** What the page knows of the chosen target. */
  const here = () => targets.find(({ id }) => id === state.target);
  const keep = () => history.replaceState(null, "", addressOf());

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
    const order = (row) => data.boards.indexOf(row.board);
    return [...rows.values()].sort((a, b) => a.test - b.test || order(a) - order(b) || a.cell - b.cell);
  }
  const statusOf = (side, cell) => (cell === undefined ? "." : side.model.status[cell]);
  const column = (side, name, cell) => (cell === undefined ? null : side.model[name]?.[cell] ?? null);
  function ends(side, cell) {
    const both = ["ci_low", "ci_high"].map((name) => column(side, name, cell));
    return both.includes(null) ? null : both;
  }
  const apart = (a, b) => Boolean(a && b && (a[1] < b[0] || b[1] < a[0]));
  const pairs = (values) => values.flatMap((a, place) => values.slice(place + 1).map((b) => [a, b]));

  const isVerdict = (status) => status === "p" || status === "f";
  const FITS = {
    all: () => true,
    verdicts: (row, sides) => new Set(sides.map((side, n) => statusOf(side, row.places[n])).filter(isVerdict)).size > 1,
    certain: (row, sides) => row.tested
      ? row.tested.some((each) => each && each.q !== null && each.q < CERTAIN)
      : pairs(sides.map((side, n) => ends(side, row.places[n]))).some(([a, b]) => apart(a, b)),
    differ: (row, sides) => FITS.verdicts(row, sides) || FITS.certain(row, sides),
  };

  /** Difference of each model from the first one in each cell, paired by speakers, with q values over all cells. */
  const answers = new Map();
  const keyOf = (sides) => `${state.target} ${sides.map((side) => side.key).join(" ")}`;
  async function testCells(sides, rows) {
    const { sums } = here();
    const [{ board }] = sides;
    if (!sums || board.origin === "published" || sides.some((side) => side.board !== board)) return;
    for (const name of ["student", "sums", "population"]) await scoring.script(`_static/${name}.js`);
    const key = keyOf(sides);
    if (answers.has(key)) return;
    const files = (await window.population.load(state.target, sums, board.name)).map((content) => window.population.file(content, {}));
    const [first, ...others] = sides.map((side) => side.model);
    const lines = rows.map(({ cell }) => others.map((other) => {
      const source = files.find((file) => [first, other].every((model) => typeof model.value?.[cell] === "number" && file.has(model.id, cell, model.value[cell])));
      return source ? source.difference(first.id, other.id, cell) : null;
    }));
    others.forEach((_, n) => {
      const q = window.student.falseDiscoveries(lines.map((line) => line[n] && line[n].p));
      lines.forEach((line, place) => line[n] && (line[n].q = q[place]));
    });
    answers.set(key, lines);
  }

  // -- text --------------------------------------------------------------------------------------------

  /** What is said of a model beside the first one. */
  function sentence(first, other) {
    const [a, b] = [score(first.model), score(other.model)];
    const item = make("li", {}, make("strong", { textContent: other.model.label }));
    if (!a || !b || first.board !== other.board) {
      item.append(first.board === other.board ? " is not compared by score: one of the two models has none." : " is not compared by score: the two models were run on different data.");
      return item;
    }
    const change = scoring.minus(b, a);
    const points = `${scoring.tenths(change).replace("−", "")} percentage points`;
    const ends = [first.place, other.place].sort((x, y) => x - y);
    const pair = first.board.differences.find(([one, two]) => one === ends[0] && two === ends[1]);
    const p = pair ? make("span", { className: "p-value", textContent: ` (p ${pair[2] < 0.001 ? "< 0.001" : `= ${pair[2].toFixed(3)}`})` }) : "";
    const better = change[0] >= 0n;
    if (pair && pair[3]) item.append(` is ${better ? "better" : "worse"} than ${first.model.label} by ${points}`, p, ".");
    else if (pair) item.append(` cannot be told apart from ${first.model.label}: ${points} ${better ? "more" : "less"}`, p, ".");
    else item.append( ` has a score that is ${points} ${better ? "higher" : "lower"}; whether they differ was not tested.`);
    return item;
  }

  // -- the page ----------------------------------------------------------------------------------------

  const option = ([id, text]) => make("option", { value: id, textContent: text });
  const select = (label, entries, change) => {
    const node = make("select", {}, ...entries.map(option));
    node.addEventListener("change", () => change(node.value));
    return { node, label: make("label", {}, label, node) };
  };
  const update = (change) => {
    Object.assign(state, change, { unknown: null, noTarget: "" });
    show();
  };
  const result = make("div", { className: "comparison-result" });

  const ownOf = (sides) => sides.filter((side) => side.board.origin !== "published");

  /** A folded part whose scripts are loaded, and which is filled, when it is opened. */
  function folded(css, title, scripts, fill_) {
    const node = make("details", { className: `folded ${css}` }, make("summary", { textContent: title }));
    node.addEventListener("toggle", async () => {
      if (!node.open || "begun" in node.dataset) return;
      node.dataset.begun = "";
      try {
        for (const name of scripts) await scoring.script(`_static/${name}.js`);
        await fill_(node);
      } catch (error) {
        node.append(make("p", { className: "note", textContent: error.message }));
      }
    });
    return node;
  }

  /** A folded part with the samples that flipped between own models, if there are at least two. */
  function flippedOf(target, own) {
    if (!target.samples || own.length < 2) return [];
    return [folded("flipped", "Flipped samples", ["hear", "flips"], (node) => window.flips.fill(node, target, own))];
  }

  /* What a reader has in hand stays in the page, as the keyboard is lost on what is replaced. */
  const chosen = {
    target: select("Target", targets.map(({ id, label }) => [id, label]), (target) => update({ target, test: "" })),
    show: select("Show", Object.entries(SHOWN), (value) => update({ show: value })),
    test: select("Test", [["", "All"]], (test) => update({ test })),
  };
  const search = set(make("input", { type: "search", placeholder: "Filter cells" }), { "aria-label": "Filter cells" });
  search.addEventListener("input", () => {
    state.q = search.value;
    keep();
    if (present) fill(...present);
  });
  const groups = make("div");
  /** Data and models of the target whose controls are shown. */
  let present;

  /** Models and tests of another target. */
  function offer(data, all) {
    present = [data, all];
    chosen.test.node.replaceChildren(...[["", "All"], ...data.tests.map((test) => [test.id, test.title])].map(option));
    groups.replaceChildren(...data.boards.map((board) => {
      const boxes = all.filter((side) => side.board === board).map((side) => {
        const box = make("input", { type: "checkbox" });
        box.dataset.model = side.key;
        box.addEventListener("change", () => {
          const models = state.models.filter((key) => key !== side.key);
          update({ models: box.checked ? [...models, side.key] : models });
        });
        return make("label", {}, box, side.model.label);
      });
      return make("fieldset", {}, make("legend", { textContent: `${board.title}: ${HOW_MANY[Math.min(board.models.length, MOST)]}` }), make("div", { className: "names" }, ...boxes));
    }));
    if (!tools.contains(result)) tools.replaceChildren(make("div", { className: "tools" }, ...Object.values(chosen).map(({ label }) => label), search), groups, result);
  }

  /** Controls say what is chosen. */
  function mirror() {
    Object.entries(chosen).forEach(([name, { node }]) => {
      node.value = state[name];
      if (node.selectedIndex < 0) node.selectedIndex = 0;
    });
    if (search.value !== state.q) search.value = state.q;
    groups.querySelectorAll("input").forEach((box) => {
      box.checked = state.models.includes(box.dataset.model);
      box.disabled = !box.checked && state.models.length >= MOST;
    });
  }

  function fill(data, all) {
    const sides = state.models.map((key) => all.find((side) => side.key === key)).filter(Boolean);
    const note = (what, names) => (names.length ? [make("p", { className: "note", textContent: `The address names ${what} not here: ${names.join(", ")}.` })] : []);
    const lacking = state.unknown || [];
    const unknown = [...note("a target that is", state.noTarget ? [state.noTarget] : []), ...note(lacking.length === 1 ? "a model that is" : "models that are", lacking)];
    if (sides.length < 2) {
      result.replaceChildren(...unknown, make("p", { className: "answer", textContent: "Choose at least two models." }));
      return;
    }
    const rows = join(data, sides);
    const lines = answers.get(keyOf(sides));
    rows.forEach((row, place) => lines && lines[place].some(Boolean) && (row.tested = lines[place]));
    const text = state.q.trim().toLowerCase();
    const test = data.tests.findIndex((each) => each.id === state.test);
    const [verdicts, certain] = ["verdicts", "certain"].map((name) => rows.filter((row) => FITS[name](row, sides)).length);
    const fitting = rows.filter((row) => FITS[state.show](row, sides) && (test < 0 || row.test === test) && (!text || words(data, row).includes(text)));
    const scores = sides.map((side) => `${side.model.label} ${scoring.percent(score(side.model))}`).join(", ");
    const list = make("ul", { className: "plain answer-list" }, ...sides.slice(1).map((side) => sentence(sides[0], side)));
    const how = lines
      ? ` On ${certain}, scores differ for certain: q is below ${CERTAIN}, from leaving out each speaker once (each sample where no speaker is known), paired, with the share of false differences held at 5 % over all cells.`
      : `${certain ? ` On ${certain}, intervals do not overlap.` : ""} Cells are not tested, as these models have no sums of the same speakers.`;
    const shared = rows.filter((row) => sides.filter((side, n) => isVerdict(statusOf(side, row.places[n]))).length > 1).length;
    const having = sides.length > 2 ? "at least two of them have" : "both have";
    const differ = shared ? `Verdicts differ on ${verdicts} of ${shared} cells on which ${having} a verdict.` : "No two of these models have a verdict on the same cell.";
    const about = make("p", { className: "quiet", textContent: `Scores in the ranking: ${scores}. ${differ}${how} ${few(fitting.length)} shown.${list.querySelector(".p-value") ? " p values of scores are adjusted for all pairs of the ranking." : ""}${rows.some((row) => sides.some((side, n) => ends(side, row.places[n]))) ? " Small numbers are 95 % intervals." : ""} On the axes, a line is a model, in this order: a dot passes, a cross fails, and the broken line is the threshold; scores of the same unit and range have one axis in each test.` });
    const [before, after] = about.textContent.split(VERDICTS);
    if (state.show !== "verdicts" && verdicts) about.replaceChildren(before, make("a", { href: addressOf({ show: "verdicts" }), textContent: VERDICTS }), after);
    const parts = window.compareTable.parts(data, sides, rows, fitting, { open: fitting.length <= FEW || test >= 0 || Boolean(text), hear: hearOf(), target: here() });
    const flipped = flippedOf(here(), ownOf(sides));
    flipped.forEach((part) => { part.open = Boolean(result.querySelector(".flipped")?.open); });
    result.replaceChildren(...unknown, list, about, ...flipped, ...(fitting.length ? parts : [nothing()]));
  }

  /** Address of the samples of a cell; empty if there are none to hear. */
  function hearOf() {
    const { samples } = here();
    return (data, side, row, beside) => {
      const { cells } = row.board;
      const [id, dataset] = [data.tests[row.test].id, data.datasets[cells.dataset[row.cell]].id];
      if (!samples || side.board.origin === "published" || !(samples.datasets[dataset]?.[beside ? "compared" : "tests"] || []).includes(id)) return "";
      const [part, condition, label] = ["data", "condition", "label"].map((name) => data.names[name][cells[name][row.cell]]);
      const query = Object.entries({ model: side.model.id, beside: beside ? beside.model.id : "", test: id, data: part, line: condition === "original" ? "" : condition, of: label });
      return `${top}${samples.href}#?${query.filter(([, text]) => text).map((pair) => pair.map(encodeURIComponent).join("=")).join("&")}`;
    };
  }

  /** Way out where no cell fits. */
  function nothing() {
    const button = make("button", { type: "button", className: "tool", textContent: "Show all cells" });
    button.addEventListener("click", () => {
      update({ show: "all", test: "", q: "" });
      chosen.show.node.focus();
    });
    return make("p", { className: "nothing" }, "No cell fits what is chosen above. ", button);
  }

  const few = (count) => (count === 1 ? "1 cell is" : `${count} cells are`);

  function words(data, row) {
    const { cells } = row.board;
    const parts = ["data", "condition", "label"].map((name) => data.names[name][cells[name][row.cell]]);
    return [data.datasets[cells.dataset[row.cell]].label, data.tests[row.test].title, data.metrics[cells.metric[row.cell]].label, ...parts].join(" ").toLowerCase();
  }

  let latest = 0;
  async function show() {
    const turn = (latest += 1);
    const data = await scoring.load(state.target, here().cells);
    if (turn !== latest) return;
    const all = names(data);
    const there = state.models.filter((key) => all.some((side) => side.key === key));
    state.unknown?.push(...state.models.filter((key) => !there.includes(key)));
    const rest = all.filter((side) => !there.includes(side.key) && !side.model.chance && side.model.standing?.score);
    const best = rest.sort((a, b) => scoring.compare(score(b.model), score(a.model)));
    const others = [...best, ...all].filter((side, place, every) => side.board === every[0].board && every.indexOf(side) === place);
    const alone = state.isNew && there.length === 1 && !state.unknown?.length && !state.noTarget ? all.find((side) => side.key === there[0]).board : null;
    const beside = alone ? [...best, ...all].filter((side) => side.board === alone && side.key !== there[0]).slice(0, 1) : [];
    state.models = there.length ? [...there, ...beside.map((side) => side.key)] : others.slice(0, 2).map((side) => side.key);
    state.isNew = false;
    keep();
    if (!present || present[0] !== data) offer(data, all);
    mirror();
    const sides = state.models.map((key) => all.find((side) => side.key === key));
    if (sides.length > 1 && !answers.has(keyOf(sides))) result.replaceChildren(make("p", { className: "quiet", textContent: "Cells are being compared …" }));
    await scoring.script("_static/compare_table.js");
    if (sides.length > 1) await testCells(sides, join(data, sides));
    if (turn !== latest) return;
    fill(data, all);
    tools.dataset.shown = location.hash;
  }

  state = read(location.hash);
  addEventListener("hashchange", () => {
    if (location.hash && !location.hash.startsWith("#?")) return; // a place of the page
    state = read(location.hash);
    /* the link that was followed is replaced */
    show().then(() => document.activeElement === document.body && chosen.show.node.focus({ preventScroll: true }));
  });
  window.comparison = { statusOf, column, ends, apart, ownOf, folded };
  show();
})();
