/* Scores of models over any choice of cells, thresholds and weights, by the definition of the rankings.
   All shares are exact fractions. common/reports/summary (outcomes, model_score, standings) says the same in Python. */
(() => {
  "use strict";

  // -- exact fractions: [numerator, denominator] of BigInt ------------------------------------------

  const gcd = (a, b) => {
    while (b) [a, b] = [b, a % b];
    return a < 0n ? -a : a;
  };
  const fraction = (top, bottom = 1n) => {
    const common = gcd(top, bottom) || 1n;
    return [top / common, bottom / common];
  };
  const ZERO = [0n, 1n];
  const ONE = [1n, 1n];
  const add = (a, b) => fraction(a[0] * b[1] + b[0] * a[1], a[1] * b[1]);
  const minus = (a, b) => fraction(a[0] * b[1] - b[0] * a[1], a[1] * b[1]);
  const times = (a, b) => fraction(a[0] * b[0], a[1] * b[1]);
  const over = (a, b) => (b[0] < 0n ? fraction(-a[0] * b[1], -a[1] * b[0]) : fraction(a[0] * b[1], a[1] * b[0]));
  const compare = (a, b) => {
    const left = a[0] * b[1];
    const right = b[0] * a[1];
    return left < right ? -1 : left > right ? 1 : 0;
  };
  const number = (a) => Number((a[0] * 10n ** 15n) / a[1]) / 1e15;
  const text = (a) => (a ? (a[1] === 1n ? `${a[0]}` : `${a[0]}/${a[1]}`) : null);
  const floorOf = (top, bottom) => (top >= 0n || top % bottom === 0n ? top / bottom : top / bottom - 1n);

  /** Tenths of a percent as text, rounded once, halves up. */
  function tenths(share) {
    const [top, bottom] = add(times(share, [1000n, 1n]), [1n, 2n]);
    const whole = floorOf(top, bottom);
    const size = whole < 0n ? -whole : whole;
    return `${whole < 0n ? "−" : ""}${size / 10n}.${size % 10n}`;
  }
  const percent = (share) => (share ? `${tenths(share)} %` : "none");

  // -- weights and criteria --------------------------------------------------------------------------

  /** A weight in thousandths; what is no weight counts as 1. */
  const MOST = 1000;
  function thousandths(value) {
    const weight = value === undefined || value === "" ? 1 : Number(value);
    return Number.isFinite(weight) && weight >= 0 ? Math.round(Math.min(weight, MOST) * 1000) : 1000;
  }

  const NUMBER = "(-?\\d[^ ]*)";
  const RULES = [
    ["above", new RegExp(`^> ${NUMBER}$`)],
    ["below", new RegExp(`^< ${NUMBER}$`)],
    ["within", new RegExp(`^\\|x\\| < ${NUMBER}$`)],
    ["beyond", new RegExp(`^\\|x\\| > ${NUMBER}$`)],
    ["between", new RegExp(`^${NUMBER} < x < ${NUMBER}$`)],
  ];
  const HOLDS = {
    above: (value, [bound]) => value > bound,
    below: (value, [bound]) => value < bound,
    within: (value, [bound]) => Math.abs(value) < bound,
    beyond: (value, [bound]) => Math.abs(value) > bound,
    between: (value, [low, high]) => low < value && value < high,
  };

  /** Kind and bounds of a criterion as result rows name it; null where it has no number. */
  function criterion(rule) {
    for (const [kind, pattern] of RULES) {
      const match = pattern.exec(rule);
      if (match) return { kind, bounds: match.slice(1).map(Number) };
    }
    return null;
  }

  /** The line of thresholds that a cell belongs to: its metric with its rule; simulated bounds are one. */
  function ruleOf(data, board, cell, model) {
    const { cells } = board;
    const own = model && model.criteria[cell];
    const metric = data.metrics[cells.metric[cell]].id;
    if (data.names.bound[cells.bound[cell]] === "simulated") return `${metric}|simulated`;
    return `${metric}|${data.names.criterion[own ?? cells.criterion[cell]]}`;
  }

  /** Rules of all cells, once for each board. */
  const rulesOf = (data, board) => (board.rules ||= board.cells.test.map((_, cell) => ruleOf(data, board, cell)));

  // -- what counts ------------------------------------------------------------------------------------

  /** Weight of each cell: that of its dataset and language; 0 where it is left out. Those outside the ranking have one if it is for `every` cell. */
  function cellWeights(data, board, choice, every = false) {
    const { cells } = board;
    const weights = choice.weights || {};
    const only = choice.only || {};
    const of = (kind, id) => thousandths((weights[kind] || {})[id]);
    const fits = (kind, id) => only[kind] === undefined || only[kind] === "" || only[kind] === id;
    const tests = data.tests.map((t) =>
      fits("test", t.id) && fits("family", t.family) && of("test", t.id) > 0 && of("family", t.family) > 0);
    const datasets = data.datasets.map((d) => (fits("dataset", d.id) ? of("dataset", d.id) : 0));
    const languages = data.languages.map((l) => (fits("language", l.id) ? of("language", l.id) : 0));
    return cells.test.map((test, cell) =>
      (every || cells.counts[cell] === "1") && tests[test] ? datasets[cells.dataset[cell]] * languages[cells.language[cell]] : 0);
  }

  /** Whether a model passes a cell, with the thresholds of the reader. */
  function passes(data, board, model, cell, rules) {
    const letter = model.ran[cell];
    if (letter !== "1" && letter !== "0") return false;
    const mine = rules && rules[model.criteria[cell] === undefined ? rulesOf(data, board)[cell] : ruleOf(data, board, cell, model)];
    if (!mine || !model.value || model.value[cell] === null) return letter === "1";
    return HOLDS[mine.kind](model.value[cell], mine.bounds);
  }

  /** Models that are compared, and the cells that they are compared on. */
  function common(board, cells) {
    const ran = (model, cell) => model.ran[cell] !== ".";
    const models = board.models.filter((model) => !model.chance && cells.some((cell) => ran(model, cell)));
    const usual = cells.filter((cell) => models.filter((model) => ran(model, cell)).length > models.length / 2);
    const compared = models.filter((model) => usual.length && usual.every((cell) => ran(model, cell)));
    if (compared.length > 1 || compared.length === models.length) return [compared, usual];
    return [models, cells.filter((cell) => models.every((model) => ran(model, cell)))];
  }

  /** What a model made of the cells of each test, in weights and in numbers. */
  function tally(data, board, model, cells, weights, rules) {
    const tests = new Map();
    for (const cell of cells) {
      if (model.ran[cell] === ".") continue;
      const test = board.cells.test[cell];
      let part = tests.get(test);
      if (!part) tests.set(test, (part = { weight: 0, right: 0, cells: 0, passed: 0, unscored: 0 }));
      part.weight += weights[cell];
      part.cells += 1;
      part.unscored += model.ran[cell] === "n";
      if (passes(data, board, model, cell, rules)) {
        part.right += weights[cell];
        part.passed += 1;
      }
    }
    return tests;
  }

  function mean(parts) {
    let sum = ZERO;
    let whole = 0n;
    for (const [share, weight] of parts) {
      sum = add(sum, times(share, [BigInt(weight), 1n]));
      whole += BigInt(weight);
    }
    return whole ? over(sum, [whole, 1n]) : null;
  }

  /** Mean over the tests of each family. */
  function familyMeans(data, tests, weights) {
    const parts = new Map();
    for (const [test, part] of tests) {
      const { id, family } = data.tests[test];
      if (!parts.has(family)) parts.set(family, []);
      parts.get(family).push([fraction(BigInt(part.right), BigInt(part.weight)), thousandths((weights.test || {})[id])]);
    }
    return new Map([...parts].map(([family, shares]) => [family, mean(shares)]));
  }
  const scoreOf = (families, weights) =>
    mean([...families].map(([family, share]) => [share, thousandths((weights.family || {})[family])]));

  function remark(board, model, every, cells) {
    if (!every.some((cell) => model.ran[cell] !== ".")) return "no cell was executed";
    const missing = cells.filter((cell) => model.ran[cell] === ".");
    if (!missing.length) return "";
    const pair = (cell) => `${board.cells.test[cell]} ${board.cells.dataset[cell]}`;
    const all = new Set(cells.map(pair));
    const there = new Set(cells.filter((cell) => model.ran[cell] !== ".").map(pair));
    if (there.size === all.size) return `was not run on ${missing.length} of ${cells.length} cells`;
    return `has ${there.size} of ${all.size} (test, dataset) pairs`;
  }

  const before = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  const order = (a, b) =>
    (a.score === null) - (b.score === null) ||
    a.model.chance - b.model.chance ||
    (a.score && b.score ? -compare(a.score, b.score) : 0) ||
    before(a.model.id, b.model.id) ||
    before(a.model.version, b.model.version);

  /** Scores of all models of a board.

      choice: `only` (family, test, dataset, language -> the one that counts), `weights` (the same -> id -> weight),
      `rules` (metric|criterion -> kind and bounds); what is absent is as in the ranking. */
  function rank(data, board, choice = {}) {
    const weights = choice.weights || {};
    const byCell = cellWeights(data, board, choice);
    return rankCells(data, board, choice, byCell, byCell.flatMap((weight, cell) => (weight ? [cell] : [])), weights);
  }

  function rankCells(data, board, choice, byCell, every, weights) {
    const [compared, cells] = common(board, every);
    const chosen = new Set(compared);
    const tests = new Set(cells.map((cell) => board.cells.test[cell]));
    const lines = board.models.map((model) => {
      const tallies = tally(data, board, model, cells, byCell, choice.rules);
      const scored = tallies.size && (chosen.has(model) || model.chance);
      if (!scored) return { model, score: null, families: new Map(), tests: new Map(), remark: remark(board, model, every, cells) };
      const families = familyMeans(data, tallies, weights);
      const sum = (name) => [...tallies.values()].reduce((all, part) => all + part[name], 0);
      return {
        model, families, tests: tallies, score: scoreOf(families, weights), remark: "",
        passed: sum("passed"), cells: sum("cells"), unscored: sum("unscored"),
      };
    });
    let floor = null;
    for (const line of lines) {
      if (!line.model.chance || !line.score || line.tests.size !== tests.size) continue;
      if (!floor || compare(line.score, floor.score) > 0) floor = line;
    }
    for (const line of lines) {
      const room = floor && minus(ONE, floor.score);
      line.beyond = line.score && room && room[0] ? over(minus(line.score, floor.score), room) : null;
      const rivals = lines.filter((other) => chosen.has(other.model) && other.score);
      line.place = chosen.has(line.model) && line.score && compared.length > 1
        ? 1 + rivals.filter((other) => compare(other.score, line.score) > 0).length : null;
    }
    return { lines: lines.sort(order), cells, every: byCell, floor: floor && floor.score, compared: compared.length };
  }

  /** In how many rankings without one test, or one dataset, each model is first. */
  function stability(data, board, choice, ranked) {
    const { cells } = board;
    const firsts = new Map();
    let rankings = 0;
    for (const column of [cells.test, cells.dataset]) {
      const units = new Set(ranked.cells.map((cell) => column[cell]));
      if (units.size < 2) continue;
      for (const unit of units) {
        const rest = ranked.cells.filter((cell) => column[cell] !== unit);
        const again = rankCells(data, board, choice, ranked.every, rest, choice.weights || {});
        rankings += 1;
        again.lines.filter((line) => line.place === 1).forEach(({ model }) => firsts.set(model, (firsts.get(model) || 0) + 1));
      }
    }
    return { rankings, firsts };
  }

  /** Score of a model in the ranking of its page; null if it has none. */
  function official(model) {
    const score = model.standing && model.standing.score;
    if (!score) return null;
    const [up, down = "1"] = score.split("/");
    return fraction(BigInt(up), BigInt(down));
  }

  // -- for the pages that show them ----------------------------------------------------------------

  const make = (tag, properties = {}, ...children) => {
    const node = Object.assign(document.createElement(tag), properties);
    node.append(...children);
    return node;
  };
  const set = (node, attributes) => {
    Object.entries(attributes).forEach(([name, value]) => node.setAttribute(name, value));
    return node;
  };

  const tidy = (text) => text.replace(/(?<![\w.)\]-])-(?=[.\d])/g, "−").replace(/\(-inf,/g, "(−∞,").replace(/, inf[\])]/g, ", ∞)");
  /** What a reader calls the data of a cell, and which version and part of them it is. */
  const source = (label, dataset, data) => ({ label, part: data.startsWith(dataset) ? data.slice(dataset.length).replace(/^-+/, "") : data });
  /** Where the samples of a cell come from, and which of them it is about. */
  function aboutOf(data, cells, cell) {
    const [name, condition, label] = ["data", "condition", "label"].map((kind) => data.names[kind][cells[kind][cell]]);
    const { id, label: dataset } = data.datasets[cells.dataset[cell]];
    return about(source(dataset, id, name), name, condition, label);
  }
  const about = ({ label: dataset, part }, name, condition, label) => {
    const implied = !condition || condition === "original" || name.endsWith(`-${condition}`);
    return { text: tidy([dataset, implied ? "" : condition, label].filter(Boolean).join(", ")), part };
  };
  /** Name of a metric, which says what it means while it has the pointer or the focus: see hints.js. */
  function term({ label, hint, href }) {
    if (!hint) return label;
    const link = make("a", { className: "term", href: document.documentElement.dataset.content_root + href, textContent: label });
    link.dataset.hint = hint;
    return link;
  }
  /** The keyboard stops at the first name of each metric in a table only. */
  function stopOnce(table) {
    const seen = new Set();
    table.querySelectorAll("a.term").forEach((link) => {
      if (seen.has(link.href)) link.tabIndex = -1;
      seen.add(link.href);
    });
    return table;
  }
  /** Name of a line: its metric, what it is about, and the version and part of the data. */
  const lineHead = (metric, { text, part }) =>
    set(make("th", {}, term(metric), make("small", { textContent: text }), part ? make("small", { className: "part", textContent: part }) : ""), { scope: "row" });
  /** A value that is never rounded onto or across a bound that it does not equal. */
  function shown(value, rule, least = 0) {
    if (!Number.isFinite(value)) return value < 0 ? "−∞" : "∞";
    const bounds = rule ? rule.bounds.map(Math.abs) : [];
    let digits = least || (Math.round(value * 100) / 100 === value ? 2 : 3);
    const size = Math.abs(value); // what differs by the rounding of floats alone is shown as equal
    const exact = bounds.find((bound) => Math.abs(size - bound) <= Math.max(1e-12 * Math.max(size, bound), 1e-15)) ?? size;
    const crossed = () => bounds.some((bound) => {
      const text = Math.abs(Number(value.toFixed(digits)));
      return exact > bound !== text > bound || exact < bound !== text < bound;
    });
    while (digits < 12 && crossed()) digits += 1;
    const text = value.toFixed(digits);
    return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
  }

  window.scoring = {
    make, set, official, tidy, shown, source, about, aboutOf, lineHead, term, stopOnce,
    rank, stability, cellWeights, criterion, passes, ruleOf, rulesOf, percent, tenths, text, number, minus, compare, fraction, mean, thousandths, HOLDS,
  };

  // -- loading: scripts work from a disk, too ---------------------------------------------------------

  const loading = new Map();
  /** A script of this site, once. */
  function script(file) {
    if (!loading.has(file)) {
      loading.set(file, new Promise((done, fail) => {
        const node = document.createElement("script");
        node.charset = "utf-8"; // a busy browser once took another one
        node.src = document.documentElement.dataset.content_root + file;
        node.addEventListener("load", () => done());
        node.addEventListener("error", () => fail(new Error(`${file} cannot be loaded`)));
        document.head.append(node);
      }));
    }
    return loading.get(file);
  }
  window.scoring.script = script;
  /** Cells of a target. */
  window.scoring.load = async (target, file) => {
    await script(file);
    return window.cellsOfTarget[target];
  };
})();
