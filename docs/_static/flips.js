/* Samples that only one of two models gets right, or on which one of them comes nearer to the truth.
   compare.js loads it when its part is opened; hear.js says what is better. */
(() => {
  "use strict";

  const { make, set } = window.scoring;
  const { load, inside, losses, betterBy, counts, thousands, text } = window.sampleTables;
  const top = document.documentElement.dataset.content_root;
  const UNCHANGED = "original";
  /** Tests that compare each answer with the truth. */
  const SCORED = /_(classification|regression|segment_based)$/;
  /** So many samples of each kind are listed; the page of samples has all. */
  const LISTED = 3;

  /** The cell of a table with most unchanged samples that are annotated; nothing if there is none. */
  function cellOf(table) {
    if (!table.truth) return null;
    const cells = Object.entries(table.tests).flatMap(([test, { samples, lines }]) =>
      lines.filter(([, line]) => line === UNCHANGED && !table.changes[`${test}/${line}`]).map(([data, line, , bits]) =>
        ({ test, data, line, name: `${test}/${line}`, places: table.samples.map((_, n) => n).filter((n) => inside(samples, n) && inside(bits, n)) })));
    return cells.sort((a, b) => b.places.length - a.places.length || SCORED.test(b.test) - SCORED.test(a.test))[0] || null;
  }

  /** Address of all flipped samples of two models. */
  function addressOf(samples, { test, data }, model, beside) {
    const query = new URLSearchParams({ model, beside, test, data });
    return `${top}${samples.href}#?${query}`;
  }

  function answerCell(table, cell, model, n) {
    const loss = losses(table, model, cell.name)[n];
    if (table.kind === "events") return make("td", { className: "n", textContent: `${loss} s wrong` });
    const node = make("td", { textContent: text(table, table.answers[model].at(n)) });
    if (table.kind === "number") node.append(make("small", { textContent: `error ${(loss / window.sampleTables.SCALE).toFixed(3)}` }));
    else {
      node.className = loss ? "f" : "p";
      node.append(" ", set(make("b", { textContent: loss ? "✗" : "✓" }), { role: "img", "aria-label": loss ? "wrong" : "right" }));
    }
    return node;
  }

  function soundCell(samples, table, n) {
    const index = table.heard[""][n];
    if (index === undefined) return make("td", { textContent: "–" });
    const player = make("audio", { controls: true, preload: "none", src: `${samples.media}/${table.sounds[index][0]}` });
    return make("td", {}, set(player, { "aria-label": table.samples[n] }));
  }

  /** The largest differences, of equal ones those that can be heard: those of the first model first, then those of the other. */
  function listOf(samples, table, cell, better, [first, other]) {
    const silent = (n) => Number(table.heard[""][n] === undefined);
    const largest = (fits) => cell.places.filter((n) => better[n] && fits(better[n])).sort((a, b) => Math.abs(better[b]) - Math.abs(better[a]) || silent(a) - silent(b) || a - b).slice(0, LISTED);
    const chosen = [...largest((change) => change > 0), ...largest((change) => change < 0)];
    if (!chosen.length) return "";
    const models = [first, other];
    const heard = chosen.some((n) => table.heard[""][n] !== undefined);
    const annotated = table.kind !== "events";
    const titles = ["Sample", ...(annotated ? ["Truth"] : []), ...models.map(({ model }) => model.label), ...(heard ? ["Sound"] : [])];
    const head = make("thead", {}, make("tr", {}, ...titles.map((title) => set(make("th", { textContent: title }), { scope: "col" }))));
    const rows = chosen.map((n) => make("tr", {}, set(make("th", {}, make("code", { textContent: table.samples[n] })), { scope: "row" }),
      ...(annotated ? [make("td", { textContent: text(table, table.truth[n]) })] : []),
      ...models.map(({ model }) => answerCell(table, cell, model.id, n)), ...(heard ? [soundCell(samples, table, n)] : [])));
    const node = make("table", { className: "answers flips" }, head, make("tbody", {}, ...rows));
    return set(make("div", { className: "scroll" }, node), { tabindex: "0", role: "region", "aria-label": `Samples of ${table.label} that flipped between ${first.model.label} and ${other.model.label}` });
  }

  /** What is said of a pair of models on a dataset; nothing without samples that both have answers for. */
  function pairOn(samples, table, cell, [first, other]) {
    const better = betterBy(table, first.model.id, other.model.id, cell.name);
    const both = better ? cell.places.filter((n) => better[n] !== null) : [];
    if (!both.length) return [];
    const flipped = both.filter((n) => better[n]);
    const part = table.samples.length < table.total ? ` kept here, the worst of each model among ${thousands(table.total)}` : "";
    const said = make("p", {}, make("strong", { textContent: table.label }), `: of ${thousands(both.length)} samples${part}, ${counts(table, cell.name, better, both, [first.model.label, other.model.label])}. `);
    const all = table.kind === "word" ? "that flipped" : "on which they differ";
    if (flipped.length) said.append(make("a", { href: addressOf(samples, cell, first.model.id, other.model.id), textContent: flipped.length === 1 ? `The one ${all}` : `All ${thousands(flipped.length)} ${all}` }));
    return [said, listOf(samples, table, cell, better, [first, other])];
  }

  /** Fills a part with the samples that flipped between the first own model and each other one. */
  async function fill(node, { id, samples }, own) {
    const box = make("div", {}, make("p", { className: "quiet", textContent: "Samples are being loaded …" }));
    node.append(box);
    const parts = [];
    for (const [dataset, { file }] of Object.entries(samples.datasets)) {
      try {
        const table = await load(file, `${id}/${dataset}`);
        const cell = cellOf(table);
        if (cell) own.slice(1).forEach((other) => parts.push(...pairOn(samples, table, cell, [own[0], other])));
      } catch (error) {
        parts.push(make("p", { className: "note", textContent: error.message }));
      }
    }
    box.replaceChildren(...(parts.length ? parts : [make("p", { textContent: "There are no annotated samples that two of these models have answers for." })]));
    node.dataset.shown = "";
  }

  window.flips = { fill };
})();
