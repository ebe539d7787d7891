/* What a metric means, and addresses of lines in tables. Without it the names are links, and headings have addresses. */
(() => {
  "use strict";

  const make = (tag, properties) => Object.assign(document.createElement(tag), properties);

  /* What a metric means: while its name has the pointer or the focus; Escape takes it away. */
  const hint = make("div", { className: "hint", id: "hint", hidden: true });
  hint.setAttribute("role", "tooltip");
  let named;
  const hide = () => {
    hint.hidden = true;
    named?.removeAttribute("aria-describedby");
  };
  const tell = (event) => {
    const term = event.target.closest?.("a.term");
    if (!term) {
      if (named !== document.activeElement && !hint.contains(event.target)) hide();
      return;
    }
    hide();
    named = term;
    if (!hint.isConnected) document.querySelector("main").append(hint);
    hint.textContent = term.dataset.hint;
    hint.hidden = false;
    term.setAttribute("aria-describedby", "hint");
    lay();
  };
  const lay = () => {
    if (hint.hidden) return;
    const { left, top, bottom } = named.getBoundingClientRect();
    const above = bottom + hint.offsetHeight + 8 > innerHeight;
    hint.style.left = `${Math.max(8, Math.min(left, innerWidth - hint.offsetWidth - 8))}px`;
    hint.style.top = `${above ? top - hint.offsetHeight : bottom}px`;
  };
  addEventListener("pointerover", tell);
  addEventListener("focusin", tell);
  addEventListener("focusout", hide);
  addEventListener("scroll", lay, { passive: true, capture: true });
  addEventListener("keydown", (event) => event.key === "Escape" && hide());

  /* A line of a table of scores has an address, which shows while the line has the pointer or the focus.
     Where a script made the table, the address of the page says what it shows. */
  const LINES = "table.scores:not(.live) tbody tr:not(.head)";
  const nameOf = (row) => {
    const first = row.cells[0].cloneNode(true);
    first.querySelectorAll(".headerlink").forEach((link) => link.remove());
    const head = row.parentElement.querySelector("tr.head");
    const more = row.closest(".all-cells") ? [...row.cells].slice(2, 5).map((cell) => cell.textContent) : [head ? head.textContent : ""];
    const words = [row.closest("section")?.id, ...more, first.textContent].join(" ").toLowerCase();
    return "line-" + words.replace(/[^\p{L}\p{N}.−]+/gu, "-").replace(/-$/, "");
  };
  const offer = (event) => {
    const row = event.target.closest?.(LINES);
    if (!row || row.querySelector("th > .headerlink")) return;
    row.id ||= nameOf(row);
    /* the exact number of a long table, which is there for sorting */
    const { dataset: { sort }, title } = row.cells[1] || row.cells[0];
    if (sort && row.closest(".all-cells")) row.cells[1].title = [sort.replace("-", "−"), title].filter(Boolean).join(", ");
    row.cells[0].append(" ", make("a", { className: "headerlink", href: `#${row.id}`, textContent: "#", title: "Link to this line" }));
  };
  addEventListener("pointerover", offer);
  addEventListener("focusin", offer);

  const go = () => {
    const name = decodeURIComponent(location.hash.slice(1));
    if (!name.startsWith("line-") || document.getElementById(name)) return;
    const row = [...document.querySelectorAll(LINES)].find((each) => !each.id && nameOf(each) === name);
    if (!row) return;
    row.id = name;
    for (let folded = row.closest("details"); folded; folded = folded.parentElement.closest("details")) folded.open = true;
    row.classList.add("sought");
    row.scrollIntoView({ block: "center" });
  };
  addEventListener("hashchange", go);
  go();
})();
