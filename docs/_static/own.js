/* A reader's own predictions: read, scored and ranked on this machine. Nothing leaves the page. */
(() => {
  "use strict";

  const tools = document.querySelector(".own-tools");
  if (!tools) return;
  const { scoring, predictions } = window;
  let designs;
  const { make, set, tidy, shown, about, source } = scoring;
  const targets = JSON.parse(tools.dataset.targets);
  const files = JSON.parse(tools.dataset.files);
  const top = document.documentElement.dataset.content_root;
  const OWN = "Your predictions";
  const MARKS = { pass: ["p", "✓"], fail: ["f", "✗"], skip: ["s", "–"], error: ["e", "!"] };
  /** Columns of the download: those of a result file that this page knows. */
  const COLUMNS = [
    "target", "test", "dataset", "dataset_version", "data", "condition", "reference", "metric", "label", "value",
    "reference_value", "n", "criterion", "bound", "status", "reason", "cause", "note",
  ];
  const truthOf = async ({ id, src }) => {
    await scoring.script(src);
    return window.truthOf[id];
  };

  // -- scores ----------------------------------------------------------------------------------------------

  const annotation = ({ target, truth }, place) =>
    (target.kind === "classification" ? target.labels[truth[place]] : target.kind === "events" ? recording(truth[place]) : truth[place]) ?? null;
  const recording = ([seconds, events]) => ({ seconds, events: events.map(([onset, offset, label]) => ({ onset, offset, label })) });

  /** Rows of a test that cannot be scored: one per metric. */
  const failed = (test, { target, dataset }, reason) => test.uses.map(({ metric }) => ({
    target: target.id, test: test.id, dataset: dataset.id, dataset_version: dataset.version, data: dataset.data,
    condition: "original", reference: "", metric, label: "", value: Number.NaN, reference_value: Number.NaN, n: 0,
    criterion: "", bound: "", status: "error", reason, cause: "model", note: "",
  }));

  function rowsOfTest(source, truth, found, test) {
    const chosen = test.rows ?? truth.samples.file.map((_, place) => place);
    const unknown = designs.unknownOf(test);
    if (unknown.length) return failed(test, truth, `this page does not know the metric '${unknown[0]}'; 'build.py run' does`);
    const lack = predictions.lacking(source, truth, truth.target, found, chosen);
    if (lack) return failed(test, truth, lack).map((row) => ({ ...row, cause: "not run" }));
    try {
      return designs.rowsOf(test, truth, chosen.map((place) => annotation(truth, place)), chosen.map((place) => found.values[place]));
    } catch (error) {
      if (!(error instanceof designs.ModelError)) throw error;
      return failed(test, truth, error.message);
    }
  }

  /** Rows of a target on all datasets that the file has predictions for. */
  async function scoresOf(source, places, bare) {
    const truths = await Promise.all(files.filter((file) => file.target === bare.id).map(truthOf));
    const target = { ...bare, words: truths[0].target.words };
    const listed = target.kind === "events";
    const values = listed ? predictions.eventLists(source, target) : predictions.valuesOf(source, target);
    if (!values) return null;
    const align = (truth) => (listed ? predictions.alignedEvents(source, values, truth) : predictions.aligned(source, places, values, truth));
    const found = truths.map((truth) => ({ truth, found: align(truth) }));
    const there = found.filter((each) => each.found.rows.some((row) => row >= 0));
    return {
      target, found: found.map((each) => each.found), file: source.name, truths: there.map(({ truth }) => truth),
      missing: truths.filter((truth) => !there.some((each) => each.truth === truth)),
      lack: there.length ? "" : predictions.lacking(source, truths[0], target, found[0].found, truths[0].samples.file.map((_, place) => place)),
      rows: there.flatMap(({ truth, found: own }) => truth.tests.flatMap((test) => rowsOfTest(source, truth, own, test))),
    };
  }

  // -- the place among other models --------------------------------------------------------------------------

  const CELL = ["test", "dataset", "metric", "data", "condition", "label"];
  /** Letters of a row as in the cells of a model: passed, not passed, without a verdict because of it, not run. */
  const letterOf = ({ status, cause }) =>
    status === "pass" ? "1" : status === "fail" ? "0" : cause === "model" ? "n" : ".";

  /** Row of each cell of a board; an error stands for all cells of its metric. */
  function matched(data, board, rows) {
    const key = (parts) => JSON.stringify(parts);
    const whole = new Map(rows.map((row) => [key(CELL.map((name) => row[name])), row]));
    const broken = new Map(rows.filter(({ status }) => status === "error").map((row) => [key([row.test, row.dataset, row.metric]), row]));
    const { cells } = board;
    return cells.test.map((_, cell) => {
      const ids = [data.tests[cells.test[cell]].id, data.datasets[cells.dataset[cell]].id, data.metrics[cells.metric[cell]].id];
      const names = ["data", "condition", "label"].map((name) => data.names[name][cells[name][cell]]);
      return whole.get(key([...ids, ...names])) || broken.get(key(ids)) || null;
    });
  }

  /** Ranking with the reader's predictions, on the cells that they cover; null if no other model was run there. */
  function standing(data, rows) {
    const boards = data.boards.map((board) => ({ board, own: matched(data, board, rows) }));
    const [{ board, own }] = boards.sort((a, b) => b.own.filter(Boolean).length - a.own.filter(Boolean).length);
    const ran = own.map((row) => (row ? letterOf(row) : ".")).join("");
    const counts = [...board.cells.counts].map((count, cell) => (ran[cell] === "." ? "0" : count)).join("");
    if (!counts.includes("1")) return null;
    const mine = { id: "", version: "", label: OWN, chance: false, ran, criteria: {}, value: own.map((row) => (row && !Number.isNaN(row.value) ? row.value : null)) };
    const joined = { ...board, cells: { ...board.cells, counts }, models: [...board.models, mine] };
    const ranked = scoring.rank(data, joined);
    return { ranked, mine, board, own, judged: window.tiers.judge(data, joined, {}, ranked) };
  }

  /** Scores of chance models in each cell, by its row. */
  function chanceOf({ board, own }) {
    const values = new Map();
    own.forEach((row, cell) => {
      const scores = board.models.filter((model) => model.chance && model.value).map((model) => model.value[cell]).filter((value) => value !== null && value !== undefined);
      if (row && scores.length) values.set(row, scores);
    });
    return values;
  }

  // -- what is shown -----------------------------------------------------------------------------------------

  const cell = (text, properties = {}) => make("td", { textContent: text, ...properties });
  const heading = (text) => set(make("th", { textContent: text }), { scope: "col" });
  const region = (node, label, name = "") => set(make("div", { className: `scroll ${name}`.trim() }, node), { tabindex: "0", role: "region", "aria-label": label });

  function rankingTable(target, { ranked, mine, judged }) {
    const tested = judged.standings.has(mine) && !judged.reason;
    const ranks = (model) => {
      const { low, high } = judged.standings.get(model) || {};
      return low === undefined ? "–" : low === high ? `${low}` : `${low}–${high}`;
    };
    const p = (model) => (model === mine || !judged.standings.has(model) ? "–" : pText(judged.p(mine, model)));
    const body = ranked.lines.filter((line) => line.score).map((line) => make("tr", { className: line.model === mine ? "own" : "" },
      set(make("th", { textContent: line.model.label }, line.model.chance ? make("small", { textContent: "does not listen" }) : ""), { scope: "row" }),
      cell(line.place === null ? "–" : String(line.place)), ...(tested ? [cell(ranks(line.model))] : []), cell(scoring.percent(line.score)),
      cell(`${line.passed} of ${line.cells}`), ...(tested ? [cell(p(line.model))] : [])));
    const head = make("thead", {}, make("tr", {}, ...["Model", "Place", ...(tested ? ["Ranks"] : []), "Score", "Passed cells", ...(tested ? ["p, against yours"] : [])].map(heading)));
    return region(make("table", { className: "matrix" }, head, make("tbody", {}, ...body)), `${target.label}: ranking on the cells of your predictions`);
  }

  const pText = (p) => (p < 0.001 ? "< 0.001" : p.toFixed(3));

  /** How sure the place is, as tests and datasets are samples of those that could have been taken. */
  function certainty({ mine, judged }) {
    const standing = judged.standings.get(mine);
    if (!standing) return "";
    if (judged.reason) return ` How sure this place is cannot be told: ${judged.reason}.`;
    const { low, high } = standing;
    return low === high ? " With other tests and datasets, the place would be the same (95 % confidence)." : ` With other tests and datasets, any place from ${low} to ${high} is possible (95 % confidence).`;
  }

  function valueCell(row) {
    const [name, mark] = MARKS[row.status];
    const node = make("td", { className: name });
    if (!Number.isNaN(row.value)) node.append(shown(row.value, scoring.criterion(row.criterion)), " ");
    node.append(set(make("b", { textContent: mark }), { role: "img", "aria-label": row.status === "skip" ? "skipped" : row.status }));
    return node;
  }

  const chanceText = (values) => {
    if (!values) return "–";
    const ends = [...new Set([Math.min(...values), Math.max(...values)].map((value) => shown(value)))];
    return ends.join(" to ");
  };

  function scoresTable(target, { rows, truths }, labels, chance) {
    const titles = ["Cell", "Score", "Passes if", "By chance", "n", "Remark"];
    const table = make("table", { className: "scores live" }, make("thead", {}, make("tr", {}, ...titles.map((title) => Object.assign(heading(title), { className: title === "Remark" ? "reason" : "" })))));
    const tests = new Map(truths.flatMap((truth) => truth.tests.map((test) => [test.id, test.title])));
    const datasets = new Map(truths.map(({ dataset }) => [dataset.id, dataset.label]));
    const order = [...labels.tests.keys()];
    [...tests].sort(([a], [b]) => order.indexOf(a) - order.indexOf(b)).forEach(([id, title]) => {
      const part = rows.filter((row) => row.test === id);
      const link = labels.tests.get(id);
      const name = link ? make("a", { href: top + link, textContent: title }) : title;
      const head = make("tr", { className: "head" }, set(make("th", { colSpan: titles.length }, make("span", {}, name)), { scope: "rowgroup" }));
      table.append(make("tbody", {}, head, ...part.map((row) => {
        const from = source(datasets.get(row.dataset), row.dataset, row.data);
        const first = scoring.lineHead(labels.metrics.get(row.metric), about(from, row.data, row.condition, row.label));
        return make("tr", {}, first, valueCell(row), make("td", {}, make("code", { textContent: tidy(row.criterion) })),
          cell(chanceText(chance.get(row))), cell(String(row.n)), cell(tidy(row.reason || row.note), { className: "reason" }));
      })));
    });
    return region(scoring.stopOnce(table), `${target.label}: your scores`, "all");
  }

  function answer(rows, standings) {
    const node = make("p", { className: "answer" });
    if (rows.every(({ status }) => status === "error")) {
      node.append(`No cell could be scored: ${rows[0].reason}.`);
      return node;
    }
    if (!standings) {
      node.append("No other model was run on these cells, so there is no place to tell.");
      return node;
    }
    const { ranked, mine } = standings;
    const line = ranked.lines.find(({ model }) => model === mine);
    const score = make("strong", { textContent: scoring.percent(line.score) });
    node.append("Your predictions have a score of ", score, ` on ${line.cells} common cells (${line.passed} passed${line.unscored ? `, ${line.unscored} without a verdict` : ""})`);
    if (line.place !== null) node.append(": ", make("strong", { textContent: `place ${line.place} of ${ranked.compared}` }));
    node.append(ranked.floor ? `. Models that do not listen have up to ${scoring.percent(ranked.floor)}.` : ".");
    node.append(" As in the rankings, families of tests weigh the same, and so do the tests of a family, so the score is not the share of passed cells.");
    if (line.place !== null) node.append(certainty(standings));
    return node;
  }

  function counts(rows) {
    const words = { pass: "passed", fail: "failed", skip: "skipped", error: "in error" };
    const parts = Object.entries(words).map(([status, word]) => {
      const [name, mark] = MARKS[status];
      const number = rows.filter((row) => row.status === status).length;
      return number || status !== "error" ? make("span", { className: name }, set(make("b", { textContent: mark }), { "aria-hidden": "true" }), ` ${number} ${word}`) : "";
    });
    const node = make("span", { className: "verdicts" });
    parts.forEach((part, place) => node.append(place ? " " : "", part));
    return make("p", {}, node);
  }

  function csvOf(rows) {
    const field = (value) => {
      const text = typeof value === "number" && Number.isNaN(value) ? "" : String(value);
      return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    return [COLUMNS, ...rows.map((row) => COLUMNS.map((name) => row[name]))].map((line) => `${line.map(field).join(",")}\n`).join("");
  }
  function save(text, name) {
    const address = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
    const link = make("a", { href: address, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
  }
  function saving(label, name, text) {
    const node = make("button", { type: "button", textContent: label });
    node.addEventListener("click", async () => save(await text(), name));
    return node;
  }

  async function section(part) {
    const { target, rows, missing } = part;
    const data = await scoring.load(target.id, target.cells);
    const standings = standing(data, rows);
    const named = new Map(data.metrics.map((metric) => [metric.id, metric]));
    const labels = {
      tests: new Map(data.tests.map(({ id, href }) => [id, href])),
      metrics: new Map(part.truths.flatMap((truth) => truth.tests.flatMap((test) => test.uses.map(({ metric, label }) => [metric, named.get(metric) || { label }])))),
    };
    const title = make("h2", { textContent: target.label, id: `own-${target.id}` });
    const node = set(make("section", {}, title, answer(rows, standings)), { "aria-labelledby": title.id });
    // where one reason says all, a table of it says no more
    if (rows.every(({ status, reason }) => status === "error" && reason === rows[0].reason)) return node;
    node.append(counts(rows));
    if (standings) node.append(rankingTable(target, standings));
    node.append(saving("Download all scores (CSV)", `scores-${target.id}.csv`, () => csvOf(rows)));
    node.append(scoresTable(target, part, labels, standings ? chanceOf(standings) : new Map()));
    if (missing.length) node.append(make("p", { className: "quiet", textContent: `The file has no predictions for: ${missing.map(({ dataset }) => dataset.label).join("; ")}.` }));
    return node;
  }

  // -- the page ----------------------------------------------------------------------------------------------

  const status = set(make("p", { className: "own-status" }), { role: "status" });
  const result = make("div", { className: "own-result" });
  function say(text, wrong = false) {
    status.textContent = text;
    status.classList.toggle("wrong", wrong);
  }

  /** Definitions are loaded when there is something to score; each needs those before it. */
  async function ready() {
    for (const file of ["sums", "metrics", "event_metrics", "designs", "student", "tiers"]) await scoring.script(`_static/${file}.js`);
    ({ designs } = window);
  }

  /** Why nothing can be scored; of several datasets, none is to blame. */
  function lackOf(parts) {
    const labels = [...new Set(parts.flatMap(({ missing }) => missing.map(({ dataset }) => dataset.label)))];
    if (labels.length < 2) return parts[0].lack;
    const [{ dataset, samples }] = parts[0].missing;
    return `${parts[0].file}: none of its names is one of a sample of ${labels.join(", ")}; samples of ${dataset.label} have names such as ${samples.file[0]}`;
  }

  async function evaluate(text, name) {
    await ready();
    const source = predictions.table(text, name);
    const [listed, plain] = [true, false].map((is) => targets.filter(({ kind }) => (kind === "events") === is));
    const holdsEvents = listed.length && predictions.eventColumns(source);
    const ids = holdsEvents ? [] : predictions.targetsOf(source, plain.map(({ id }) => id));
    const places = holdsEvents ? null : predictions.index(source);
    const chosen = holdsEvents ? listed : plain.filter(({ id }) => ids.includes(id));
    const parts = (await Promise.all(chosen.map((target) => scoresOf(source, places, target)))).filter(Boolean);
    const there = parts.filter(({ truths }) => truths.length);
    if (!there.length) throw new predictions.PredictionError(lackOf(parts));
    const taken = [...(source.taken ?? [])].map(([word, label]) => `${word} = ${label}`);
    const strangers = predictions.strangers(source, parts.flatMap(({ found }) => found));
    return { parts: there, sections: await Promise.all(there.map(section)), rows: source.rows.length, taken, strangers };
  }

  const counted = (number, what) => `${number} ${what}${number === 1 ? "" : "s"}`;

  /** How many lines are of no use here, and which is the first. */
  function leftOut(strangers) {
    if (!strangers.length) return "";
    const [{ line, name }] = strangers;
    return `, of which ${counted(strangers.length, "line")} ${strangers.length === 1 ? "belongs" : "belong"} to no sample here (the first: row ${line}, ${name})`;
  }

  let latest = 0;
  async function score(text, name) {
    const turn = (latest += 1);
    say(`${name} is being scored …`);
    try {
      const { parts, sections, rows, taken, strangers } = await evaluate(await text, name);
      if (turn !== latest) return;
      result.replaceChildren(...sections);
      const number = parts.reduce((all, part) => all + part.rows.length, 0);
      const words = taken.length ? ` Names of classes were taken as import-predictions takes them: ${taken.join(", ")}.` : "";
      say(`${name}: ${counted(rows, "line")} read${leftOut(strangers)}; ${counted(number, "cell")} of ${parts.map(({ target }) => target.label).join(", ")} shown below.${words}`);
    } catch (error) {
      if (turn !== latest) return;
      result.replaceChildren();
      say(error.message, true);
      if (!(error instanceof predictions.PredictionError)) throw error;
    }
  }

  function drop() {
    const input = make("input", { type: "file", accept: ".csv,text/csv", id: "own-file" });
    /* so that the same file, mended, can be chosen again */
    input.addEventListener("click", () => (input.value = ""));
    input.addEventListener("change", () => input.files.length && score(input.files[0].text(), input.files[0].name));
    const zone = make("div", { className: "own-drop" }, make("label", { htmlFor: input.id, textContent: "Choose a CSV file, or drop it here" }), input,
      make("p", { className: "small", textContent: "It stays on your machine." }));
    const over = (event, isOver) => {
      event.preventDefault();
      zone.classList.toggle("over", isOver);
    };
    zone.addEventListener("dragover", (event) => over(event, true));
    zone.addEventListener("dragleave", (event) => over(event, false));
    zone.addEventListener("drop", (event) => {
      over(event, false);
      const [file] = event.dataTransfer.files;
      if (file) score(file.text(), file.name);
    });
    return zone;
  }

  function paste() {
    const area = make("textarea", { id: "own-text", spellcheck: false });
    const button = make("button", { type: "button", textContent: "Score the text" });
    button.addEventListener("click", () => score(area.value, "the text"));
    return make("details", {}, make("summary", { textContent: "Or paste the lines of the file" }),
      make("label", { htmlFor: area.id, textContent: "Text of a CSV file" }), area, button);
  }

  /** A file with all samples of a dataset and made-up predictions, to be filled in. */
  async function template(file) {
    const { target, samples, dataset } = await truthOf(file);
    if (target.kind === "events") {
      return `${["file,onset,offset,label", ...samples.file.map((path) => `${path},0.50,1.50,${target.labels[0]}`)].join("\n")}\n`;
    }
    const timed = Boolean(samples.start);
    const head = ["file", ...(timed ? ["start", "end"] : []), "dataset", target.id];
    const [low, high] = target.range || [0, 1];
    const seconds = (time) => (time < 0 ? "" : String(time / 1e9));
    const field = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const lines = samples.file.map((path, place) => {
      const value = target.labels.length ? target.labels[(place * 7) % target.labels.length] : (low + ((high - low) * ((place * 37) % 101)) / 100).toFixed(2);
      return [field(path), ...(timed ? [seconds(samples.start[place]), seconds(samples.end[place])] : []), dataset.database, value].join(",");
    });
    return `${[head.join(","), ...lines].join("\n")}\n`;
  }
  document.querySelectorAll("[data-template]").forEach((place) => {
    const file = files.find(({ id }) => id === place.dataset.template);
    const button = saving("CSV", `predictions-${file.id.replace("/", "-")}.csv`, () => template(file));
    place.replaceChildren(set(button, { "aria-label": `File to fill in: ${file.id}` }));
  });

  tools.replaceChildren(drop(), paste(), status, result);
})();
