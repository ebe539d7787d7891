/* Cells of models side by side, folded by test, each with its scores on one axis. compare.js loads it. */
(() => {
  "use strict";

  const { scoring, comparison } = window;
  const { make, set, tidy, shown, aboutOf, lineHead } = scoring;
  const { statusOf, column, ends, apart, ownOf, folded } = comparison;
  const top = document.documentElement.dataset.content_root;
  const MARKS = { p: ["✓", "pass"], f: ["✗", "fail"], s: ["–", "skipped"], e: ["!", "error"] };
  const CERTAIN = 0.05;
  /** Names with more letters are broken at their hyphens. */
  const LONG = 20;

  /** A difference with as many decimals as its two values. */
  const signed = (from, to) => {
    const digits = [from, to].every((value) => Math.round(value * 100) / 100 === value) ? 2 : 3;
    const text = shown(Number((to - from).toFixed(digits)), null, digits);
    return Number(text.replace("−", "-")) > 0 ? `+${text}` : text;
  };
  const ruleText = (data, row) => data.names.criterion[row.board.cells.criterion[row.cell]];

  /** Whether a score equals a bound, which does not belong to the range, but for the rounding of floats. */
  const isOnBound = (value, { kind, bounds }) => bounds.some((bound) => {
    const from = ["within", "beyond"].includes(kind) ? Math.abs(value) : value;
    return Math.abs(from - bound) <= Math.max(1e-12 * Math.max(Math.abs(from), Math.abs(bound)), 1e-15);
  });

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
    if (value !== null && rule && "pf".includes(status) && isOnBound(value, rule)) node.append(make("small", { textContent: "equals the bound" }));
    const interval = ends(side, cell);
    if (interval) node.append(make("small", { className: "ci", textContent: interval.map((end) => shown(end)).join(" to ") }));
    return node;
  }

  // -- scores on one axis --------------------------------------------------------------------------

  const SVG = "http://www.w3.org/2000/svg";
  const [WIDTH, STEP, EDGE, TEXT] = [150, 11, 5, 13];
  /** Width of a letter of the axis, and the least distance between its numbers. */
  const [LETTER, GAP] = [5.8, 4];
  const draw = (name, attributes) => set(document.createElementNS(SVG, name), attributes);
  const ruleOf = (data, row) => scoring.criterion(ruleText(data, row));
  const boundsOf = (rule) => (rule ? rule.bounds.flatMap((bound) => (["within", "beyond"].includes(rule.kind) ? [-bound, bound] : [bound])) : []);

  /** What rows on one axis have in common: the test, and the unit and range of the metric or of its difference. */
  const axisOf = (data, row) => `${row.test} ${data.metrics[row.board.cells.metric[row.cell]].kinds[ruleOf(data, row)?.kind === "within" ? 1 : 0]}`;

  /** Round numbers around two ends. */
  function rounded([low, high]) {
    const spread = Math.max(high - low, 0.02);
    const power = 10 ** Math.floor(Math.log10(spread));
    const step = [0.2, 0.25, 0.5, 1, 2].map((part) => part * power).find((each) => spread / each <= 5);
    const first = Math.floor(low / step + 1e-9);
    const last = Math.max(Math.ceil(high / step - 1e-9), first + 1);
    return [first, last].map((end) => Number((end * step).toFixed(10)));
  }

  /** Ends of each axis: around all scores, intervals and bounds of the models in all cells of a test; as long on both sides of 0 where scores pass on both. */
  function axesOf(data, sides, rows) {
    const axes = new Map();
    const twoSided = new Set();
    rows.forEach((row) => {
      const id = axisOf(data, row);
      const rule = ruleOf(data, row);
      const values = sides.flatMap((side, n) => [column(side, "value", row.places[n]), ...(ends(side, row.places[n]) || [])]);
      const all = [...values, ...boundsOf(rule)].filter((value) => value !== null && Number.isFinite(value));
      const [low, high] = axes.get(id) || [Infinity, -Infinity];
      axes.set(id, [Math.min(low, ...all), Math.max(high, ...all)]);
      if (rule?.kind === "within") twoSided.add(id);
    });
    axes.forEach(([low, high], id) => {
      const end = Math.max(-low, high);
      axes.set(id, high < low ? [0, 1] : rounded(twoSided.has(id) ? [-end, end] : [low, high]));
    });
    return axes;
  }

  const decimals = (value) => [0, 1, 2, 3].find((digits) => Math.abs(Number(value.toFixed(digits)) - value) < 1e-9) ?? 3;

  /** Numbers of an axis: its ends, and of the bounds and zero those that do not touch others. */
  function ticks([low, high], bounds, x) {
    const digits = Math.max(1, decimals(low), decimals(high));
    const end = (value, anchor) => ({ value, anchor, text: shown(value, null, digits), at: x(value) });
    const list = [end(low, "start"), end(high, "end")];
    const reach = ({ anchor, text, at }) => {
      const width = LETTER * text.length;
      const left = { start: at - EDGE, end: at + EDGE - width, middle: at - width / 2 }[anchor];
      return [left - GAP / 2, left + width + GAP / 2];
    };
    [...bounds, 0].filter((value) => value > low && value < high).forEach((value) => {
      const tick = { value, anchor: "middle", text: shown(value, null, Math.max(1, decimals(value))), at: x(value) };
      const [left, right] = reach(tick);
      if (list.every((other) => right <= reach(other)[0] || left >= reach(other)[1])) list.push(tick);
    });
    return list;
  }

  /** A line per model: interval and score, above the numbers of the axis; broken lines are the bounds. */
  function strip(data, sides, row, [low, high]) {
    const height = sides.length * STEP + 4;
    const node = draw("svg", { width: WIDTH, height: height + TEXT, viewBox: `0 0 ${WIDTH} ${height + TEXT}`, "aria-hidden": "true", class: "strip" });
    const x = (value) => EDGE + (Math.min(Math.max(value, low), high) - low) / (high - low) * (WIDTH - 2 * EDGE);
    const bounds = boundsOf(ruleOf(data, row));
    ticks([low, high], bounds, x).forEach(({ text, anchor, at }) => {
      node.append(draw("line", { class: "back", x1: at, x2: at, y1: 0, y2: height + 2 }));
      const label = draw("text", { x: at + { start: -EDGE, end: EDGE, middle: 0 }[anchor], y: height + TEXT - 2, "text-anchor": anchor });
      label.textContent = text;
      node.append(label);
    });
    bounds.forEach((bound) => node.append(draw("line", { class: "bound", x1: x(bound), x2: x(bound), y1: 0, y2: height })));
    sides.forEach((side, n) => {
      const value = column(side, "value", row.places[n]);
      const y = 2 + STEP * (n + 0.5);
      node.append(draw("line", { class: "back", x1: EDGE, x2: WIDTH - EDGE, y1: y, y2: y }));
      if (value === null || !Number.isFinite(value)) return;
      const interval = ends(side, row.places[n]);
      if (interval) node.append(draw("line", { class: "arm", x1: x(interval[0]), x2: x(interval[1]), y1: y, y2: y }));
      const right = statusOf(side, row.places[n]) === "p";
      node.append(right ? draw("circle", { class: "p", cx: x(value), cy: y, r: 3.4 }) : draw("path", { class: "f", d: `M${x(value) - 3} ${y - 3}l6 6m0 -6l-6 6` }));
    });
    return node;
  }

  // -- rows and tests ------------------------------------------------------------------------------

  const qText = (q) => (q < 0.001 ? "q < 0.001" : `q = ${q.toFixed(3)}`);

  /** Difference from the first model, with q where it was tested. */
  function changeCell(sides, row, n) {
    const [from, to] = [column(sides[0], "value", row.places[0]), column(sides[n], "value", row.places[n])];
    const node = make("td", { className: "n" });
    if (to === null || from === null) return node;
    node.append(signed(from, to));
    const tested = row.tested && row.tested[n - 1];
    if (tested && tested.q !== null) {
      const certain = tested.q < CERTAIN;
      node.append(make("small", { className: certain ? "certain" : "", textContent: qText(tested.q) }));
      node.title = `95 % interval of the difference: ${shown(tested.low)} to ${shown(tested.high)}, ${tested.speakers} speakers`;
    } else if (apart(ends(sides[0], row.places[0]), ends(sides[n], row.places[n]))) {
      node.append(make("small", { textContent: "intervals apart" }));
    }
    return node;
  }

  function rowOf(data, sides, row, axes, hear) {
    const { cells } = row.board;
    const metric = data.metrics[cells.metric[row.cell]];
    const about = aboutOf(data, cells, row.cell);
    const head = lineHead(metric, about);
    const own = sides.filter((side) => side.board === row.board);
    const link = (word, title, ...models) => {
      const address = hear(data, models[0], row, models[1]);
      if (address) head.append(set(make("a", { href: address, className: "hear-cell", textContent: word }), { "aria-label": `${title}: ${metric.label}, ${about.text}` }));
    };
    link("samples", "Samples", own[0] || sides[0]);
    own.slice(1).forEach((other) => link(own.length > 2 ? `flipped, ${other.model.label}` : "flipped samples", `Samples that flipped between ${own[0].model.label} and ${other.model.label}`, own[0], other));
    return make("tr", {}, head, make("td", {}, make("code", { textContent: tidy(ruleText(data, row)) })), make("td", { className: "on-axis" }, strip(data, sides, row, axes.get(axisOf(data, row)))),
      ...sides.map((side, n) => scoreCell(data, side, row, n)), ...sides.slice(1).map((_, n) => changeCell(sides, row, n + 1)));
  }

  /** A folded part with the figures of a test, if at least two of the chosen models may have some. */
  function figuresOf(target, test, sides) {
    const own = ownOf(sides);
    if (!target.figures?.tests[test.id] || own.length < 2) return [];
    return [folded("side-figures", "Figures side by side", ["side_figures"], (node) => window.sideFigures.fill(node, target, test, own))];
  }

  /** A folded part per test with the chosen cells; `rows` are all cells, which axes belong to. */
  let fillers = [];
  addEventListener("beforeprint", () => fillers.forEach((fill) => fill()));
  function parts(data, sides, rows, chosen, { open, hear, target }) {
    fillers = [];
    const axes = axesOf(data, sides, rows);
    const name = ({ model }) => make("span", { className: model.label.length > LONG ? "" : "name", textContent: model.label });
    const titles = ["Cell", "Passes if", "Scores on one axis", ...sides.map(name), ...sides.slice(1).map((side) => make("span", {}, name(side), " − ", name(sides[0])))];
    return [...new Set(chosen.map((row) => row.test))].map((place) => {
      const test = data.tests[place];
      const lines = chosen.filter((row) => row.test === place);
      const all = rows.filter((row) => row.test === place).length;
      const summary = make("summary", {}, make("strong", { textContent: test.title }), ` ${lines.length === all ? "" : `${lines.length} of `}${all} ${all === 1 ? "cell" : "cells"}`);
      const part = make("details", { className: "compared-test", open }, summary, make("p", { className: "small" }, make("a", { href: top + test.href, textContent: `All models in ${test.title}` })));
      const fill = () => {
        if (!part.open || part.querySelector("table")) return;
        const head = make("thead", {}, make("tr", {}, ...titles.map((title) => set(make("th", {}, title.cloneNode?.(true) ?? title), { scope: "col" }))));
        const table = scoring.stopOnce(make("table", { className: "scores live" }, head, make("tbody", {}, ...lines.map((row) => rowOf(data, sides, row, axes, hear)))));
        part.append(...figuresOf(target, test, sides), set(make("div", { className: "scroll" }, table), { tabindex: "0", role: "region", "aria-label": `${test.title}: scores of ${sides.length} models` }));
      };
      part.addEventListener("toggle", fill);
      fillers.push(fill);
      fill();
      return part;
    });
  }

  window.compareTable = { parts };
})();
