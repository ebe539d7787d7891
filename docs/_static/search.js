/* Search as you type over window.searchIndex, which the build of the site writes. */
(() => {
  "use strict";

  const MOST = 30;
  const make = (tag, attributes = {}, ...children) => {
    const node = document.createElement(tag);
    Object.entries(attributes).forEach(([name, value]) => node.setAttribute(name, value));
    node.append(...children);
    return node;
  };
  const words = (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) || [];
  const pages = window.searchIndex.map(([address, kind, order, title, about, headings, text]) => ({
    address, kind, order, title, about,
    titleWords: words(title),
    headings: headings.map(([name, anchor]) => ({ name, anchor, words: words(name) })),
    text: ` ${text} `,
  }));

  /** How well a word fits into words: 1 as it is, 0.6 as a beginning, else 0. */
  const fit = (word, others) => {
    let best = 0;
    for (const other of others) {
      if (other === word) return 1;
      if (other.startsWith(word)) best = 0.6;
    }
    return best;
  };

  /** Points of a page; 0 if a word is nowhere in it. Title before heading before text. */
  function points(page, wanted) {
    let sum = 0;
    let anchor = null;
    for (const word of wanted) {
      const title = fit(word, page.titleWords);
      let heading = 0;
      for (const each of page.headings) {
        const found = fit(word, each.words);
        if (found > heading) {
          heading = found;
          if (!title) anchor = anchor || each;
        }
      }
      const text = page.text.includes(` ${word} `) ? 1 : page.text.includes(` ${word}`) ? 0.6 : 0;
      const most = Math.max(100 * title, 30 * heading, 8 * text);
      if (!most) return null;
      sum += most + heading + text;
    }
    const covered = wanted.length / Math.max(page.titleWords.length, 1);
    return { page, anchor, sum: sum / wanted.length + 4 * Math.min(1, covered) + page.order };
  }

  function find(text) {
    /* numbers of pages are not in the index: "threshold 0.5" is looked for as "threshold" */
    const all = words(text);
    const named = all.filter((word) => !/^\d+$/.test(word));
    const wanted = named.length ? named : all;
    if (!wanted.length) return [];
    const hits = pages.map((page) => points(page, wanted)).filter(Boolean);
    return hits.sort((a, b) => b.sum - a.sum || (a.page.address < b.page.address ? -1 : 1));
  }

  function hit({ page, anchor }) {
    const address = document.documentElement.dataset.content_root + page.address;
    const link = make("a", { href: anchor ? `${address}#${anchor.anchor}` : address });
    link.append(make("span", { class: "hit-title" }, anchor ? `${page.title} › ${anchor.name}` : page.title));
    link.append(make("span", { class: "hit-kind" }, page.kind));
    if (page.about) link.append(make("span", { class: "hit-about" }, page.about));
    return make("li", {}, link);
  }

  window.buildSearch = (box, text = "") => {
    const input = make("input", { type: "search", "aria-label": "Search all pages", autocomplete: "off", spellcheck: "false", placeholder: "A test, model, metric or word" });
    const count = make("p", { class: "quiet", role: "status" });
    const list = make("ol", { class: "hits" });
    const show = () => {
      const hits = find(input.value);
      list.replaceChildren(...hits.slice(0, MOST).map(hit));
      const more = hits.length > MOST ? `, the best ${MOST} are shown` : "";
      count.textContent = input.value.trim() ? `${hits.length} page${hits.length === 1 ? "" : "s"}${more}` : "";
    };
    input.addEventListener("input", show);
    box.addEventListener("keydown", (event) => {
      const links = [input, ...list.querySelectorAll("a")];
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (event.key === "Enter" && event.target === input && links[1]) links[1].click();
      if (!step) return;
      event.preventDefault();
      links[Math.max(0, Math.min(links.length - 1, links.indexOf(document.activeElement) + step))].focus();
    });
    const row = make("div", { class: "search-row" }, input);
    if (box instanceof HTMLDialogElement) {
      const close = make("button", { type: "button", class: "tool" }, "Close");
      close.addEventListener("click", () => box.close());
      row.append(close);
    }
    box.append(row, count, list);
    input.value = text;
    show();
    input.focus();
  };
})();
