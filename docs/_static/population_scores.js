/* The scores behind a selection with own shares of speakers, cell by cell, with intervals. */
(() => {
  "use strict";

  const { scoring } = window;
  const { make, set } = scoring;
  const top = document.documentElement.dataset.content_root;
  const number = (value) => (Number.isFinite(value) ? value.toFixed(3).replace("-", "−").replace(/^−(0\.0+)$/, "$1") : "–");

  function row(data, board, cell, models) {
    const { cells } = board;
    const head = scoring.lineHead(data.metrics[cells.metric[cell]], scoring.aboutOf(data, cells, cell));
    const rule = data.names.criterion[cells.criterion[cell]].replaceAll("-", "−");
    return make("tr", {}, head, make("td", {}, make("code", { textContent: rule })), ...models.map((model) => {
      const source = board.sources.get(cell);
      if (!source.has(model.id, cell)) return make("td", { className: "m" });
      const { value, low, high, speakers } = source.score(model.id, cell);
      const right = model.status[cell] === "p";
      const node = make("td", { className: model.status[cell], title: `${speakers} speakers` }, `${number(value)} `);
      node.append(set(make("b", { textContent: right ? "✓" : "✗" }), { role: "img", "aria-label": right ? "pass" : "fail" }));
      if (low !== null) node.append(make("small", { className: "ci", textContent: `${number(low)} to ${number(high)}` }));
      const before = model.unweighted[cell];
      if (before !== null && before !== undefined) node.append(make("small", { textContent: `in the data ${number(before)}` }));
      return node;
    }));
  }

  /** All cells that follow from sums; filled when it is opened. */
  function table(data, board, result) {
    const chosen = result.cells.filter((cell) => board.sources.has(cell));
    const models = board.models.filter((model) => chosen.some((cell) => model.ran[cell] !== "."));
    const folded = make("details", { className: "folded population-scores" }, make("summary", { textContent: `Scores in your population: ${chosen.length} cells with intervals` }));
    folded.addEventListener("toggle", () => {
      if (!folded.open || folded.childElementCount > 1) return;
      const titles = ["Cell", "Passes if", ...models.map((model) => model.label)];
      const heads = make("tr", {}, ...titles.map((title) => set(make("th", { textContent: title }), { scope: "col" })));
      const node = make("table", { className: "scores live" }, make("thead", {}, heads));
      [...new Set(chosen.map((cell) => board.cells.test[cell]))].forEach((place) => {
        const test = data.tests[place];
        const link = make("a", { href: top + test.href, textContent: test.title });
        const title = set(make("th", { colSpan: titles.length }, make("span", {}, link)), { scope: "rowgroup" });
        const lines = chosen.filter((cell) => board.cells.test[cell] === place).map((cell) => row(data, board, cell, models));
        node.append(make("tbody", {}, set(make("tr", {}, title), { class: "head" }), ...lines));
      });
      const note = make("p", { className: "quiet small", textContent: "Small numbers are 95 % intervals: each speaker is left out once (jackknife), and critical values are those of Student’s t. Intervals elsewhere on this site come from resampled speakers and differ a little. No interval: no speaker makes a difference, so nothing can be said." });
      folded.append(note, set(make("div", { className: "scroll" }, scoring.stopOnce(node)), { tabindex: "0", role: "region", "aria-label": "Scores in your population" }));
    });
    return folded;
  }

  window.populationScores = { table };
})();
