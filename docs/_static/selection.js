/* What a selection of a reader gives: a ranking with tiers, shares of tests, models by targets.
   boards.js loads this when a reader chooses something. */
(() => {
  "use strict";

  const { scoring, tiers, boards } = window;
  const { make, set, official } = scoring;
  const { choices, KINDS, TITLES, few } = boards;
  const top = document.documentElement.dataset.content_root;
  const MEANINGS = ["may be the best", "not the best"];

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
  const sortKey = (share) => (share ? scoring.number(share) : -1e9);

  /** Bodies of the table: a tier each, then what is outside, as the ranking of the page has them. */
  function bodies(result, judged) {
    const parts = new Map();
    result.lines.forEach((line) => {
      const title = partOf(line, judged);
      if (!parts.has(title)) parts.set(title, make("tbody", { className: judged.standings.has(line.model) || !title ? "" : "outside" }));
    });
    return parts;
  }
  function partOf({ model, score }, { standings }) {
    const standing = standings.get(model);
    if (!standing) return model.chance ? "By chance" : score ? "" : "Outside the ranking";
    const several = [...standings.values()].some(({ tier }) => tier > 1);
    return several ? `Tier ${standing.tier}: ${MEANINGS[Number(standing.tier > 1)]}` : "One tier";
  }

  /** The ranking over the selection, as the ranking of the page has it. */
  function table(data, board, result, judged) {
    const families = [...new Set(result.lines.flatMap((line) => [...line.families.keys()]))];
    const order = choices.family.map(([id]) => id).filter((id) => families.includes(id));
    const titles = choices.family.filter(([id]) => families.includes(id)).map(([, label]) => label);
    const ranked = judged.standings.size > 0;
    const tested = ranked && !judged.reason;
    const leader = result.lines[0].model;
    const columns = ["Model", ...(ranked ? ["Ranks"] : []), ...(tested ? ["p"] : []), "Score", "Change", "Beyond chance", ...titles, "Cells passed", "Executed"];
    const weights = scoring.cellWeights(data, board, boards.state, true);
    const parts = bodies(result, judged);
    parts.forEach((body, title) => title && body.append(set(make("tr", {}, set(make("th", { colSpan: columns.length }, make("span", { textContent: title })), { scope: "rowgroup" })), { class: "head" })));
    result.lines.forEach((line) => {
      const { model, score } = line;
      const standing = judged.standings.get(model);
      const shares = order.map((family) => line.families.get(family));
      const before = official(model);
      const change = score && before && scoring.minus(score, before);
      const shown = make("td", {}, score ? bar(score, result.floor) : make("span", { className: "share none", textContent: "none" }));
      shown.dataset.sort = sortKey(score);
      const ranks = standing ? ranksText(standing) : "";
      parts.get(partOf(line, judged)).append(make("tr", {}, name(model, line.remark), ...(ranked ? [cell(ranks, line.place ?? 9999)] : []),
        ...(tested ? [pCell(standing && model !== leader ? judged.p(leader, model) : null)] : []), shown,
        cell(change ? points(change) : "", sortKey(change)), cell(line.beyond ? scoring.percent(line.beyond) : "", sortKey(line.beyond)),
        ...shares.map((share) => cell(share ? scoring.percent(share) : "", sortKey(share))),
        cell(line.cells ? `${line.passed} / ${line.cells}` : "", line.cells ? line.passed / line.cells : -1), executed(model, weights)));
    });
    const node = make("table", { className: "ranking standings sortable" }, heads(...columns), ...parts.values());
    if (ranked) node.tHead.rows[0].cells[1].dataset.first = "ascending";
    window.sortableTable(node);
    return boxed(node, `Your selection: ranking for ${data.label}, ${board.title}`);
  }
  /** How many of the chosen cells have a verdict, also those outside the ranking, and how many have none. */
  function executed(model, weights) {
    const number = (letters) => weights.reduce((sum, weight, place) => sum + Number(weight > 0 && letters.includes(model.status[place])), 0);
    const node = cell(`${number("pf")}`, number("pf"));
    if (number("s")) node.append(make("small", { textContent: `${number("s")} skipped` }));
    if (number("e")) node.append(make("small", { className: "e", textContent: `${number("e")} in error` }));
    return node;
  }
  const pCell = (p) => (p === null ? cell("", 2) : cell(p < 0.001 ? "< 0.001" : p.toFixed(3), p));
  const ranksText = ({ low, high }) => (low === high ? `${low}` : `${low}–${high}`);

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
    const of = (kind) => choices[kind].find(([id]) => id === boards.state.only[kind]);
    const parts = KINDS.filter((kind) => boards.state.only[kind]).map((kind) => `${TITLES[kind].toLowerCase()} ${(of(kind) || [0, boards.state.only[kind]])[1]}`);
    const count = Object.keys(boards.state.rules).length;
    if (count) parts.push(`${few(count, "threshold", "thresholds")} changed`);
    Object.entries(boards.state.people).forEach(([trait, groups]) => {
      const label = (name) => (trait === "language" && (choices.language || []).find(([id]) => id === name)?.[1]) || name;
      const whole = Object.values(groups).reduce((sum, percent) => sum + Number(percent), 0);
      const percent = (number) => `${Number(number.toFixed(1))} %`;
      const text = Object.entries(groups).map(([name, part]) => `${label(name)} ${percent(Number(part) * Math.min(1, 100 / whole))}`).join(", ");
      if (text) parts.push(`${trait}: ${text}${whole > 100 ? ` (${percent(whole)} in all, taken as 100 %)` : ""}`);
    });
    if (boards.weighted()) parts.push(`${few(boards.weighted(), "weight", "weights")} changed`);
    const all = parts.join(", ");
    return all.charAt(0).toUpperCase() + all.slice(1);
  }

  /** Who is first, who may be as good, and whether that holds without a test or a dataset. */
  function verdict(data, board, result, judged) {
    const answer = make("p", { className: "answer" }, make("strong", { textContent: "Your selection" }));
    const firsts = result.lines.filter((line) => line.place === 1);
    if (!firsts.length) {
      const only = result.lines.find((line) => line.score && !line.model.chance);
      answer.append(only ? `: ${only.model.label} has a score of ${scoring.percent(only.score)}; there is no other model to compare it with.` : ": no model has a score on these cells.");
      return answer;
    }
    const labels = firsts.map((line) => line.model.label);
    const names = [labels.slice(0, -1).join(", "), labels.at(-1)].filter(Boolean).join(" and ");
    const others = judged.standings.size - firsts.length;
    const asGood = [...judged.standings.values()].filter(({ tier }) => tier === 1).length - firsts.length;
    const floor = result.floor ? ` (chance: ${scoring.percent(result.floor)})` : "";
    answer.append(`: ${names} ${firsts.length > 1 ? "have" : "has"} the highest score, `, make("strong", { textContent: scoring.percent(firsts[0].score) }), `${floor}`);
    if (judged.reason) answer.append(`, but it cannot be told which model is best: ${judged.reason}.`);
    else if (asGood) answer.append(`, but ${asGood === others ? few(others, "the other one", `all ${others} others`).replace(/^\d+ /, "") : `${asGood} of the other ${others}`} may be as good.`);
    else answer.append(others ? `, and ${firsts.length > 1 ? "are" : "is"} told apart from ${few(others, "the other one", `all ${others} others`).replace(/^\d+ /, "")}.` : ".");
    return answer;
  }

  /** How often the first model stays first. */
  function stability(data, board, result) {
    const firsts = result.lines.filter((line) => line.place === 1);
    const { rankings, firsts: counts } = firsts.length ? scoring.stability(data, board, boards.state, result) : { rankings: 0 };
    if (!rankings) return "";
    const { model } = firsts[0];
    const times = counts.get(model) || 0;
    if (firsts.length > 1 && times === rankings) return ""; // it shares the first place: nothing is said of the others
    return times === rankings ? ` ${model.label} stays first whichever single test or dataset is left out.` : ` ${model.label} is first in ${times} of ${rankings} rankings without one test or one dataset.`;
  }

  function selection(box, data, board) {
    const result = scoring.rank(data, board, boards.state);
    const judged = tiers.judge(data, board, boards.state, result);
    const counted = [...board.cells.counts].filter((letter) => letter === "1").length;
    const about = make("p", { className: "quiet", textContent: `${words()}. ${result.cells.length} of ${counted} cells count.${ofPeople(board, result)}${stability(data, board, result)}` });
    const change = "Change: percentage points against the ranking of this page.";
    const method = make("p", { className: "quiet small", textContent: !judged.standings.size ? change : "Tiers and ranks are computed here by the definition of the ranking: each test and each dataset of your selection is left out once, and the probability that any two equal models are told apart is held at 5 %. p: of the difference from the first model, adjusted for all pairs. " + change });
    const scores = board.sources && board.sources.size ? [window.populationScores.table(data, board, result)] : [];
    box.replaceChildren(verdict(data, board, result, judged), about, table(data, board, result, judged), method, ...scores, tests(data, board, result));
  }

  /** How many cells follow the shares of speakers that were set. */
  function ofPeople(board, result) {
    if (!boards.peopled()) return "";
    if (!board.sources) return " Samples of these results were not published, so they do not follow the shares of speakers.";
    const number = result.cells.filter((cell) => board.sources.has(cell)).length;
    return ` ${number} of them ${number === 1 ? "is" : "are"} computed for these shares of speakers; the others keep their scores, because nothing is known about their speakers, or because the metric cannot be computed from sums.`;
  }

  /** Models by targets over the selection. */
  function matrix(box, all, board) {
    const columns = all.filter((data) => data.boards.some((each) => each.name === board));
    const { title } = columns[0].boards.find((each) => each.name === board);
    const lines = new Map();
    const results = columns.map((data, place) => {
      const part = data.boards.find((each) => each.name === board);
      const result = scoring.rank(data, part, boards.state);
      result.lines.filter((line) => !line.model.chance).forEach((line) => {
        if (!lines.has(line.model.label)) lines.set(line.model.label, []);
        lines.get(line.model.label)[place] = line;
      });
      return { result, judged: tiers.judge(data, part, boards.state, result) };
    });
    const mean = (entries) => scoring.mean(entries.filter((line) => line && line.score).map((line) => [line.score, 1000])) || [-1n, 1n];
    const sorted = [...lines].sort(([a, x], [b, y]) => scoring.compare(mean(y), mean(x)) || (a < b ? -1 : 1));
    const body = make("tbody");
    sorted.forEach(([label, entries]) => {
      const head = set(make("th", { textContent: label }), { scope: "row" });
      head.dataset.name = label;
      body.append(make("tr", {}, head, ...columns.map((data, place) => {
        const line = entries[place];
        return line ? standingCell(line, results[place]) : make("td", { className: "m", textContent: "not run" });
      })));
    });
    const node = make("table", { className: "matrix overview sortable" }, heads("Model", ...columns.map((data) => data.label)), body);
    window.sortableTable(node);
    box.replaceChildren(make("p", {}, make("strong", { textContent: "Your selection" }), `: ${words()}. Scores are computed over these cells only; pages of targets have their tiers and ranks.`), boxed(node, `Your selection: score per model and target, ${title}`));
  }

  /** Score, bar, tier and ranks of a model on a target, as the overview has them. */
  function standingCell(line, { result, judged }) {
    const { model, score } = line;
    const standing = judged.reason ? null : judged.standings.get(model);
    const node = make("td", { className: "standing", title: line.remark }, make("a", { href: top + model.href, textContent: score ? scoring.percent(score) : "no score" }));
    node.dataset.sort = score ? scoring.number(score) : -1;
    if (score) node.append(set(make("span", { className: "share" }, bar(score, result.floor).firstChild), { "aria-hidden": "true" }));
    if (standing) node.append(make("small", { textContent: `Tier ${standing.tier}, rank ${ranksText(standing)}` }));
    if (line.cells) node.append(make("small", { textContent: `${line.passed} / ${line.cells} passed` }));
    return node;
  }

  window.selections = { selection, matrix };
})();
