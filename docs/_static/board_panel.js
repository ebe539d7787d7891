/* The panel of a reader's own thresholds and weights; boards.js loads it when it is opened. */
(() => {
  "use strict";

  const { scoring, boards } = window;
  const { make, set } = scoring;
  const { choices, KINDS, TITLES, panel, show } = boards;
  const RULE_NAMES = { above: "above", below: "below", within: "within ±", beyond: "beyond ±", between: "between" };

  /** Lets the browser say beside a field why it is left out; an empty text takes that back. */
  function refuse(input, why) {
    input.setCustomValidity(why);
    input.reportValidity();
  }

  /** Every rule of the targets of this page: metric and criterion, and where it is used. */
  function rules(all) {
    const lines = new Map();
    all.forEach((data) => data.boards.forEach((board) => {
      scoring.rulesOf(data, board).forEach((id, cell) => {
        if (board.cells.counts[cell] !== "1") return;
        const metric = data.metrics[board.cells.metric[cell]];
        if (!lines.has(id)) lines.set(id, { ...metric, id, rule: id.slice(metric.id.length + 1), tests: new Set() });
        lines.get(id).tests.add(data.tests[board.cells.test[cell]].title);
      });
    }));
    return [...lines.values()].sort((a, b) => a.label.localeCompare(b.label) || a.rule.localeCompare(b.rule));
  }

  async function fillPanel() {
    const all = await boards.loaded();
    const body = make("tbody");
    rules(all).forEach((line) => body.append(ruleRow(line)));
    const head = make("tr", {}, ...["Metric", "Paper", "Yours", "Used by"].map((name) => set(make("th", { textContent: name }), { scope: "col" })));
    const table = scoring.stopOnce(make("table", { className: "rules" }, make("thead", {}, head), body));
    const thresholds = make("fieldset", {}, make("legend", { textContent: "Thresholds" }), set(make("div", { className: "scroll" }, table), { tabindex: "0", role: "region", "aria-label": "Thresholds" }));
    const note = make("p", { className: "quiet small", textContent: "Weights: 1 is usual, 2 counts double, 0 leaves out. Families weigh in the score, tests within their family, datasets and languages within a test." });
    const weights = make("fieldset", {}, make("legend", { textContent: "Weights" }), note);
    KINDS.filter((kind) => (choices[kind] || []).length > 1).forEach((kind) => {
      const list = make("div", { className: "weights" });
      choices[kind].forEach(([id, label]) => {
        const input = make("input", { type: "number", min: 0, max: 1000, step: "any", value: (boards.state.weights[kind] || {})[id] ?? "1" });
        input.dataset.weight = `${kind}.${id}`;
        input.addEventListener("input", () => {
          const plain = boards.isWeight(input.value) && Number(input.value) !== 1;
          if (plain) (boards.state.weights[kind] ||= {})[id] = input.value;
          else if (boards.state.weights[kind]) delete boards.state.weights[kind][id];
          const known = input.value === "" || boards.isWeight(input.value);
          refuse(input, known ? "" : "A weight is a number from 0 to 1000; until then this one counts as 1.");
          show(false);
        });
        list.append(make("label", {}, input, label));
      });
      weights.append(make("p", { className: "weight-title", textContent: TITLES[kind] }), list);
    });
    const summary = panel.firstElementChild;
    const people = await shares();
    panel.replaceChildren(summary, ...people, thresholds, weights);
  }

  /** Groups of the speakers whose sums were kept: trait -> names. */
  async function traits() {
    await Promise.all([...boards.sumsOf.values()].map((file) => scoring.script(file)));
    const groups = new Map();
    Object.entries(window.sumsOfTarget || {}).filter(([target]) => boards.sumsOf.has(target)).forEach(([, entries]) => {
      entries.forEach((entry) => Object.entries(entry.traits).forEach(([trait, names]) => {
        if (!groups.has(trait)) groups.set(trait, new Set());
        names.forEach((name) => groups.get(trait).add(name));
      }));
    });
    return groups;
  }

  /** Shares of groups of speakers in the population that a reader has in mind. */
  async function shares() {
    const groups = await traits();
    if (!groups.size) return [];
    const note = make("p", { className: "quiet small", textContent: "Percent of your users. Scores of own runs are computed again from the sums of each speaker as if the samples behind them had these shares; groups without a number share the rest. Leave a field empty for the data as they are." });
    const fieldset = make("fieldset", {}, make("legend", { textContent: "Your users" }), note);
    groups.forEach((names, trait) => {
      const list = make("div", { className: "weights" });
      [...names].sort().forEach((name) => {
        const input = make("input", { type: "number", min: 0, max: 100, step: "any", placeholder: "–", value: boards.state.people[trait]?.[name] ?? "" });
        input.dataset.people = `${trait}.${name}`;
        input.addEventListener("input", () => {
          const chosen = (boards.state.people[trait] ||= {});
          if (boards.isWeight(input.value)) chosen[name] = input.value;
          else delete chosen[name];
          const known = input.value === "" || boards.isWeight(input.value);
          refuse(input, known ? "" : "A share is a number of percent, 0 or more; until then this group has none of its own.");
          show(false);
        });
        const label = trait === "language" && (choices.language || []).find(([id]) => id === name);
        list.append(make("label", {}, input, label ? label[1] : name.charAt(0).toUpperCase() + name.slice(1)));
      });
      fieldset.append(make("p", { className: "weight-title", textContent: `${trait.charAt(0).toUpperCase()}${trait.slice(1)}, %` }), list);
    });
    return [fieldset];
  }

  function ruleRow({ id, label, hint, href, rule, tests }) {
    const paper = scoring.criterion(rule);
    const mine = boards.state.rules[id] || paper || { kind: "within", bounds: [] };
    const select = set(make("select"), { "aria-label": `Kind of threshold: ${label}` });
    Object.entries(RULE_NAMES).forEach(([kind, name]) => select.append(make("option", { value: kind, textContent: name, selected: kind === mine.kind })));
    const inputs = [0, 1].map((place) => set(make("input", { type: "number", step: "any", value: mine.bounds[place] ?? "" }), { "aria-label": `${place ? "Upper bound" : "Bound"}: ${label}` }));
    const update = ({ target }) => {
      inputs[1].hidden = select.value !== "between";
      const missing = inputs.find((input) => !input.hidden && input.value === "");
      inputs.forEach((input) => input.setCustomValidity(input === missing ? "A bound is missing; until then the threshold of the paper counts." : ""));
      if (missing && [missing, select].includes(target)) missing.reportValidity();
      const texts = inputs.filter((input) => !input.hidden).map((input) => input.value);
      const bounds = texts.map(Number);
      const same = paper && paper.kind === select.value && paper.bounds.every((bound, place) => bound === bounds[place]);
      if (same || texts.includes("")) delete boards.state.rules[id];
      else boards.state.rules[id] = { kind: select.value, bounds };
      return show(false);
    };
    select.addEventListener("change", update);
    inputs.forEach((input) => input.addEventListener("input", update));
    inputs[1].hidden = select.value !== "between";
    const names = [...tests];
    const used = names.length > 2
      ? make("td", {}, make("details", {}, set(make("summary", { textContent: `${names.length} tests` }), { "aria-label": `${names.length} tests: ${label}, ${rule}` }), names.join(", ")))
      : make("td", { textContent: names.join(", ") });
    const shown = rule === "simulated" ? "simulated" : rule.replaceAll("-", "−");
    const row = make("tr", {}, set(make("th", {}, scoring.term({ label, hint, href })), { scope: "row" }), make("td", {}, make("code", { textContent: shown })), make("td", {}, select, ...inputs), used);
    row.dataset.rule = id;
    return row;
  }

  window.boardPanel = { fill: fillPanel, ruleRow };
})();
