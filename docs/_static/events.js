/* Sound events: a line that follows the sound, and scores at a threshold that is chosen.
   Without this script there are plain players and a table of some thresholds. */
(() => {
  "use strict";

  // -- a line in each timeline ---------------------------------------------------------------

  for (const scene of document.querySelectorAll(".scene")) {
    const audio = scene.querySelector("audio");
    const lane = scene.querySelector(".tracks .lane");
    if (!audio || !lane) continue;
    const tracks = lane.parentElement;
    const seconds = Number(scene.dataset.seconds);
    const line = document.createElement("span");
    line.className = "scene-line";
    line.setAttribute("aria-hidden", "true");
    line.hidden = true;
    tracks.append(line);
    const show = () => {
      const share = Math.min(audio.currentTime / seconds, 1);
      line.hidden = false;
      line.style.left = `${lane.offsetLeft + share * lane.offsetWidth}px`;
    };
    const follow = () => {
      show();
      if (!audio.paused) requestAnimationFrame(follow);
    };
    audio.addEventListener("play", () => {
      for (const other of document.querySelectorAll(".scene audio")) if (other !== audio) other.pause();
      follow();
    });
    for (const event of ["seeked", "timeupdate", "pause"]) audio.addEventListener(event, show);
    window.addEventListener("resize", () => line.hidden || show());
    tracks.addEventListener("click", (event) => {
      const box = lane.getBoundingClientRect();
      const share = (event.clientX - box.left) / box.width;
      if (share < 0 || share > 1) return;
      // before anything is loaded this is where the sound will begin
      audio.preload = "auto";
      audio.currentTime = share * seconds;
      show();
    });
  }

  // -- operating points ----------------------------------------------------------------------

  const ratio = (a, b) => (b ? a / b : NaN);
  const text = (value) => (Number.isNaN(value) ? "–" : value.toFixed(3));
  const fMeasure = ([ref, tp, fp]) => (ref ? ratio(2 * tp, ref + tp + fp) : NaN);

  for (const box of document.querySelectorAll(".picker")) {
    const data = JSON.parse(document.getElementById(box.dataset.source).textContent);
    const range = box.querySelector("input");
    const output = box.querySelector("output");
    const body = box.querySelector("tbody");
    const rowsAt = (step) => data.counts.map(([ref, tp, fp]) => [ref, tp[step], fp[step]]);
    const macro = (rows) => {
      const known = rows.filter(([ref]) => ref > 0);
      return ratio(known.reduce((sum, row) => sum + fMeasure(row), 0), known.length);
    };
    const line = (name, cells, summary) => {
      const row = body.insertRow();
      row.className = summary ? "summary" : "";
      const head = document.createElement("th");
      head.scope = "row";
      head.textContent = name;
      row.append(head);
      for (const cell of cells) row.insertCell().textContent = cell;
    };
    const figures = (row, errors) => {
      const [ref, tp, fp] = row;
      const found = [fMeasure(row), ratio(tp, tp + fp), ratio(tp, ref), ratio(errors, ref)];
      return [...found.map(text), tp, fp, ref - tp];
    };
    const show = () => {
      const step = Number(range.value);
      const rows = rowsAt(step);
      const threshold = String(data.thresholds[step]).replace(/^-/, "\u2212");
      output.textContent = threshold;
      range.setAttribute("aria-valuetext", `threshold ${threshold}, macro F ${text(macro(rows))}`);
      body.replaceChildren();
      const whole = rows.reduce((sum, row) => sum.map((v, i) => v + row[i]), [0, 0, 0]);
      line("all (micro)", figures(whole, data.errors ? data.errors[step] : NaN), true);
      line("mean (macro)", [text(macro(rows)), "", "", "", "", "", ""], true);
      rows.forEach((row, place) => line(data.labels[place], figures(row, row[0] - row[1] + row[2]), false));
    };
    const best = () => {
      const scores = data.thresholds.map((_, step) => macro(rowsAt(step)));
      return scores.reduce((found, score, step) => (score > scores[found] ? step : found), 0);
    };
    for (const button of box.querySelectorAll("button"))
      button.addEventListener("click", () => {
        range.value = String(button.dataset.to === "best" ? best() : data.start);
        show();
      });
    range.addEventListener("input", show);
    box.hidden = false;
    show();
  }
})();
