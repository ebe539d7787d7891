/* Comfort around the content: theme, search in place, copying of code, boxes that scroll. */
(() => {
  "use strict";

  const make = (tag, attributes = {}, ...children) => {
    const node = document.createElement(tag);
    Object.entries(attributes).forEach(([name, value]) => node.setAttribute(name, value));
    node.append(...children);
    return node;
  };
  const root = document.documentElement;

  // -- theme ---------------------------------------------------------------------------------

  const THEMES = { auto: ["◐", "as the system"], light: ["☀", "light"], dark: ["☾", "dark"] };
  const names = Object.keys(THEMES);
  const themes = make("button", { type: "button", class: "tool theme" });
  const showTheme = () => {
    const [sign, name] = THEMES[root.dataset.mode] || THEMES.auto;
    themes.replaceChildren(make("span", { "aria-hidden": "true" }, sign));
    themes.setAttribute("aria-label", `Colours: ${name}`);
    themes.title = `Colours: ${name}`;
  };
  themes.addEventListener("click", () => {
    window.setTheme(names[(names.indexOf(root.dataset.mode) + 1) % names.length]);
    showTheme();
  });
  const place = document.querySelector(".site-tools");
  if (place) place.append(themes);
  showTheme();

  // -- search --------------------------------------------------------------------------------

  /** Load what searches when it is wanted: a script, so that it works from a disk, too. */
  let loading = null;
  const load = (file) =>
    new Promise((done, fail) => {
      const script = make("script", { src: `${root.dataset.content_root}_static/${file}`, charset: "utf-8" });
      script.addEventListener("load", done);
      script.addEventListener("error", fail);
      document.head.append(script);
    });
  const search = () => (loading ||= load("search-index.js").then(() => load("search.js")));
  const dialog = make("dialog", { class: "search-box", "aria-label": "Search" });
  const open = async () => {
    if (dialog.open) return;
    if (!dialog.isConnected) document.body.append(dialog);
    dialog.showModal();
    await search();
    if (!dialog.firstChild) window.buildSearch(dialog);
    dialog.querySelector("input").focus();
  };
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  const here = document.querySelector(".search-here");
  if (here) {
    search().then(() => window.buildSearch(here, new URLSearchParams(location.search).get("q") || ""));
  }
  document.querySelectorAll(".search-open").forEach((link) => {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      if (here) here.querySelector("input").focus();
      else open();
    });
  });
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || here) return;
    event.preventDefault();
    open();
  });

  // -- code ----------------------------------------------------------------------------------

  const PROMPT = /^(\$|>>>|\.\.\.) /;
  const code = (pre) => {
    const lines = pre.textContent.replace(/\n$/, "").split("\n");
    if (!lines.some((line) => PROMPT.test(line))) return lines.join("\n");
    return lines.filter((line) => PROMPT.test(line)).map((line) => line.replace(PROMPT, "")).join("\n");
  };
  document.querySelectorAll("div.highlight").forEach((box) => {
    const pre = box.querySelector("pre");
    if (!pre || !navigator.clipboard) return;
    const copy = make("button", { type: "button", class: "copy" }, "Copy");
    copy.addEventListener("click", async () => {
      await navigator.clipboard.writeText(code(pre));
      copy.textContent = "Copied";
      setTimeout(() => (copy.textContent = "Copy"), 1500);
    });
    box.append(copy);
  });

  // -- the list beside the page begins near the page ------------------------------------------

  const list = document.querySelector(".section-nav");
  const current = list && list.querySelector("[aria-current]");
  if (current) list.scrollTop = current.offsetTop - list.offsetTop - list.clientHeight / 2;

  // -- what scrolls can be reached with the keyboard -------------------------------------------

  const boxes = [...document.querySelectorAll(".table-scroll, .highlight pre, :is(p, li, dd):has(> math)")];
  /* told by the browser once it has laid them out: asked for their width here, it would lay out what is out of sight too */
  const sizes = new ResizeObserver((entries) =>
    entries.forEach(({ target: box }) => {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }));
  boxes.forEach((box) => sizes.observe(box));
})();
