"use strict";
for (const box of document.querySelectorAll(".picker")) {
  const data = JSON.parse(document.getElementById(box.dataset.source).textContent);
  const family = box.querySelector("select");
  const range = box.querySelector("input");
  const output = box.querySelector("output");
  const body = box.querySelector("tbody");
  const square = data.beta * data.beta;
  const ratio = (a, b) => (b ? a / b : NaN);
  const fMeasure = (tp, fp, fn) => ratio((1 + square) * tp, (1 + square) * tp + square * fn + fp);
  const text = (value) => (Number.isNaN(value) ? "-" : value.toFixed(4));
  const rowsAt = (step) =>
    data.counts[data.families[family.value]].map(([reference, tp, fp]) => [reference, tp[step], fp[step]]);
  const macro = (rows) => {
    const known = rows.filter(([reference]) => reference > 0);
    return ratio(known.reduce((sum, [n, tp, fp]) => sum + fMeasure(tp, fp, n - tp), 0), known.length);
  };
  const line = (name, cells, strong) => {
    const row = body.insertRow();
    row.className = strong ? "summary" : "";
    const head = document.createElement("th");
    head.scope = "row";
    head.textContent = name;
    row.append(head);
    for (const cell of cells) row.insertCell().textContent = cell;
  };
  const figures = ([reference, tp, fp]) => [
    text(reference ? fMeasure(tp, fp, reference - tp) : NaN), text(ratio(tp, tp + fp)), text(ratio(tp, reference)),
    tp, fp, reference - tp,
  ];
  const show = () => {
    const step = Number(range.value);
    const rows = rowsAt(step);
    output.textContent = String(data.thresholds[step]);
    body.replaceChildren();
    line("all (micro)", figures(rows.reduce((sum, row) => sum.map((v, i) => v + row[i]), [0, 0, 0])), true);
    line("mean (macro)", [text(macro(rows)), "", "", "", "", ""], true);
    rows.forEach((row, at) => line(data.labels[at], figures(row), false));
  };
  box.querySelector("button").addEventListener("click", () => {
    const scores = data.thresholds.map((_, step) => macro(rowsAt(step)));
    range.value = String(scores.reduce((best, score, step) => (score > scores[best] ? step : best), 0));
    show();
  });
  family.addEventListener("change", show);
  range.addEventListener("input", show);
  box.hidden = false;
  show();
}
