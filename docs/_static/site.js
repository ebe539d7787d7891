/* Comfort for readers: sorting, filtering, choosing models. Every page is complete without it. */
(function () {
  "use strict";

  function make(name, properties, children) {
    const node = Object.assign(document.createElement(name), properties);
    node.append(...(children || []));
    return node;
  }

  /* "9" before "10" before "10axlstm", whatever the case */
  const natural = new Intl.Collator("en", { numeric: true });

  /* Sorting: a button in each heading; rows move within their part of the table. Names begin with A, numbers with the largest. */
  function sortable(table) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, place) => {
      const button = make("button", { type: "button", className: "sort" });
      button.append(...head.childNodes);
      const link = button.querySelector("a");
      if (link) {
        head.append(link, " ", button);
        button.setAttribute("aria-label", "Sort by " + link.textContent);
      } else {
        head.append(button);
      }
      button.addEventListener("click", () => {
        const first = head.dataset.first || (place === 0 || head.dataset.by === "text" ? "ascending" : "descending");
        const other = first === "descending" ? "ascending" : "descending";
        const order = head.getAttribute("aria-sort") === first ? other : first;
        heads.forEach((each) => each.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", order);
        [...table.tBodies].forEach((body) => sortBody(body, place, order === "ascending" ? 1 : -1, head.dataset.by));
      });
    });
  }

  /* What a row is sorted by: the number or the name that its cell declares, or what its column says. */
  function key(row, place, by) {
    const cell = row.cells[place];
    if (!cell) return "";
    if (cell.dataset.sort !== undefined) return Number(cell.dataset.sort);
    const text = cell.textContent.trim();
    if (by === "number") {
      const number = parseFloat(text.replace(/\u202f/g, "").replace("−", "-"));
      return Number.isNaN(number) ? text : number;
    }
    return cell.dataset.name ?? text;
  }

  function sortBody(body, place, sign, by) {
    const rows = [...body.rows].filter((row) => !row.classList.contains("head"));
    const keyed = rows.map((row) => [key(row, place, by), row]);
    keyed.sort(([a], [b]) => {
      if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
      return sign * (typeof a === "number" ? a - b : natural.compare(a, b));
    });
    body.append(...keyed.map(([, row]) => row));
  }

  /* Tools above score tables: filter rows, show rows with failures, choose models. */
  function tools(tables) {
    const search = make("input", { type: "search", placeholder: "Filter rows" });
    search.setAttribute("aria-label", "Filter rows of all tables");
    const failures = make("input", { type: "checkbox" });
    const bar = make("div", { className: "tools" }, [
      search,
      make("label", {}, [failures, "only rows with a failed cell"]),
    ]);
    const hidden = new Set();
    const names = new Map();
    tables.forEach((table) => {
      table.tHead.querySelectorAll("th[data-m]").forEach((head) => {
        names.set(head.dataset.m, head.textContent.trim());
      });
    });
    const update = () => tables.forEach((table) => {
      show(table, search.value, failures.checked, hidden);
      const folded = table.closest("details.long");
      if (folded && (search.value.trim() || failures.checked)) folded.open = true;
    });
    search.addEventListener("input", update);
    failures.addEventListener("change", update);
    if (names.size > 2) {
      const list = make("div", { className: "names" });
      names.forEach((name, tag) => {
        const box = make("input", { type: "checkbox", checked: true });
        box.addEventListener("change", () => {
          hidden[box.checked ? "delete" : "add"](tag);
          update();
        });
        list.append(make("label", {}, [box, name]));
      });
      bar.append(make("details", {}, [make("summary", { textContent: "Choose models" }), list]));
    }
    return bar;
  }

  function show(table, text, failures, hidden) {
    const wanted = text.trim().toLowerCase();
    const heads = [...table.tHead.rows[0].cells];
    const away = heads.map((head) => hidden.has(head.dataset.m));
    heads.forEach((head, place) => (head.hidden = away[place]));
    [...table.tBodies].forEach((body) => {
      const title = body.querySelector("tr.head");
      const begin = title ? title.textContent.toLowerCase() + " " : "";
      let any = false;
      [...body.rows].forEach((row) => {
        if (row === title) return;
        const cells = [...row.cells];
        cells.forEach((cell, place) => (cell.hidden = away[place]));
        const fails = cells.some((cell, place) => !away[place] && cell.classList.contains("f"));
        const found = (begin + row.cells[0].textContent.toLowerCase()).includes(wanted);
        row.hidden = !found || (failures && !fails);
        any = any || !row.hidden;
      });
      if (title) title.hidden = !any;
    });
  }

  /* Table of all cells of a model: addresses that its rows share, and tools above it. */
  function allCells(table) {
    const rows = [...table.tBodies[0].rows];
    const { tests: named, data, hear, timelines } = JSON.parse(table.dataset.named);
    const places = rows.map((row) => row.dataset.of.split(" ").map(Number));
    rows.forEach((row, at) => addresses(row, named[places[at][0]], data[places[at][1]], places[at][0], hear, timelines[row.dataset.of]));
    const later = rows.length > AT_ONCE ? layOutLater(rows) : () => {};
    if (!addressed()) later();
    table.tHead.addEventListener("click", later, true);
    sortable(table);
    let texts;
    const search = make("input", { type: "search", placeholder: "Filter cells" });
    search.setAttribute("aria-label", "Filter cells by any word");
    const tests = make("select", {}, [make("option", { value: "", textContent: "All tests" })]);
    tests.setAttribute("aria-label", "Test");
    named.forEach(([value, textContent]) => tests.append(make("option", { value, textContent })));
    const failures = make("input", { type: "checkbox" });
    const shown = make("output", {});
    const update = () => {
      later();
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      texts ||= rows.map((row) => row.textContent.toLowerCase());
      let count = 0;
      rows.forEach((row, at) => {
        const away =
          (tests.value && named[places[at][0]][0] !== tests.value) ||
          (failures.checked && !row.querySelector("td.f")) ||
          !words.every((word) => texts[at].includes(word));
        if (row.hidden !== Boolean(away)) row.hidden = Boolean(away);
        count += away ? 0 : 1;
      });
      shown.textContent = count + " of " + rows.length;
    };
    search.addEventListener("input", update);
    tests.addEventListener("change", update);
    failures.addEventListener("change", update);
    shown.textContent = rows.length + " of " + rows.length;
    const bar = table.closest(".scroll").previousElementSibling;
    bar.className = "tools cells-tools";
    bar.replaceChildren(search, tests, make("label", {}, [failures, "only failed"]), shown);
  }

  /* Rows that are out of sight may be laid out when the browser has time: until then they have an assumed height,
     and no part of them is there for screen readers. */
  const AT_ONCE = 60;
  const SOON_MS = 500; // at the latest: a browser may never find that it has time
  const whenIdle = window.requestIdleCallback ? (work) => requestIdleCallback(work, { timeout: SOON_MS }) : setTimeout;
  function layOutLater(rows) {
    let left = 0; // rows from the end of the table that still wait
    const some = () => {
      const waiting = [...rows[0].parentElement.rows].slice(-left, left > AT_ONCE ? AT_ONCE - left : undefined);
      waiting.forEach((row) => row.classList.remove("later"));
      left -= waiting.length;
      if (left) whenIdle(some);
    };
    return () => {
      rows.forEach((row) => row.classList.add("later"));
      if (!left) whenIdle(some);
      left = rows.length;
    };
  }

  /* What a score was made from, and its samples. */
  function addresses(row, [test, , origin], [data, rest, heard], place, hear, timelines) {
    const [, score, , , part] = row.cells;
    const value = score.firstChild;
    const mark = score.querySelector("b");
    if (origin && value !== mark && value.textContent.trim()) {
      const link = make("a", { className: "from", href: `${origin}--${rest}`, textContent: value.textContent.trim() });
      value.replaceWith(link, " ");
    }
    if (timelines || heard.includes(place)) {
      const samples = `${hear}&${new URLSearchParams({ test, data, part: part.textContent })}`;
      const some = heard.includes(place);
      const link = make("a", { className: "hear", href: some ? samples : timelines });
      link.setAttribute("aria-label", some ? "Its samples" : "Its timelines");
      mark.after(" ", link);
    }
  }

  /* An address leads to what is folded, in browsers that do not open it themselves. */
  const addressed = () => {
    try {
      return location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    } catch {
      return null; // no address of anything
    }
  };
  const reveal = (moved) => {
    const at = addressed();
    if (!at) return;
    let folded = at.closest("details");
    const closed = folded && !folded.open;
    for (; folded; folded = folded.parentElement.closest("details")) folded.open = true;
    at.querySelectorAll(":scope > * > details.long").forEach((each) => (each.open = true));
    if (closed || moved) at.scrollIntoView();
  };
  addEventListener("hashchange", () => {
    const [moved] = notLaidOut();
    if (moved) fit();
    reveal(moved);
  });

  /* Paper shows everything, no picture comes later, and heads that repeat on each page have no buttons, which do not. */
  let opened = [];
  let buttons = [];
  addEventListener("beforeprint", () => {
    document.querySelectorAll('img[loading="lazy"]').forEach((image) => (image.loading = "eager"));
    opened = [...document.querySelectorAll("details:not([open], .many)")];
    opened.forEach((each) => (each.open = true));
    readyCells();
    buttons = [...document.querySelectorAll("button.sort")].map((button) => {
      const text = make("span", {}, button.childNodes);
      button.replaceWith(text);
      return [button, text];
    });
  });
  addEventListener("afterprint", () => {
    buttons.forEach(([button, text]) => {
      button.append(...text.childNodes);
      text.replaceWith(button);
    });
    opened.forEach((each) => (each.open = false));
  });

  /* Asked for its place or width, what is folded would be laid out. */
  const unfolded = (selector) => [...document.querySelectorAll(selector)].filter((node) => !node.closest("details:not([open])"));

  /* A table no wider than the page needs no box that scrolls. A wider one, nearly as high as the window, has its full height,
     and its head is moved below; that of all cells, whose filters should stay in sight, scrolls in a box of limited height. */
  const fitted = (boxes) => {
    boxes.forEach(({ classList }) => {
      classList.remove("fits", "tall", "long");
      classList.add("laid-out");
    });
    const sizes = boxes.map((box) => {
      const whole = box.clientWidth && box.firstElementChild.scrollWidth <= box.clientWidth && box.scrollHeight <= box.clientHeight + 1;
      const high = box.firstElementChild.offsetHeight > 0.8 * innerHeight;
      const limited = box.querySelector("table.all-cells") ? "tall" : getComputedStyle(box).maxHeight === "none" ? "long" : "";
      return whole ? "fits" : high ? limited : "";
    });
    boxes.forEach((box, place) => {
      if (sizes[place]) box.classList.add(sizes[place]);
      if (sizes[place] === "fits") box.removeAttribute("tabindex");
      else box.tabIndex = 0;
    });
  };
  /* While a page that begins at its top opens, tables far below the window are laid out one by one, when the browser has time. */
  const notLaidOut = () => unfolded(".scroll:not(.laid-out)");
  const layOutRest = () => {
    const [next] = notLaidOut();
    if (next) {
      whenIdle(() => {
        fitted([next]);
        layOutRest();
      });
    } else {
      document.documentElement.classList.remove("at-top");
      follow();
      fade();
    }
  };
  const fit = () => {
    const far = document.querySelector(".at-top") && !addressed() ? 2 * innerHeight : Infinity;
    fitted(unfolded(".scroll").filter((box) => box.matches(".laid-out") || box.getBoundingClientRect().top < far));
    layOutRest();
  };
  /* A browser lets the head of a table that scrolls sideways stay in sight of its own box only. */
  const head = document.querySelector(".site-head");
  /* Pixels by which each head is moved now. */
  const moved = new WeakMap();
  const follow = () => {
    const top = Math.max(0, head.getBoundingClientRect().bottom);
    const heads = unfolded(".scroll.laid-out thead");
    const shifts = heads.map((node) => {
      const box = node.closest(".scroll");
      if (!box.classList.contains("long")) return 0;
      const { top: here, height } = node.getBoundingClientRect();
      const start = here - (moved.get(node) || 0);
      return Math.floor(Math.max(0, Math.min(top - start, box.getBoundingClientRect().bottom - start - 2 * height)));
    });
    heads.forEach((node, place) => {
      if ((moved.get(node) || 0) === shifts[place]) return;
      moved.set(node, shifts[place]);
      node.style.transform = shifts[place] ? `translateY(${shifts[place]}px)` : "";
    });
  };
  /* The edge of a table is faded where columns are out of sight. */
  const fade = () => {
    const boxes = unfolded(".scroll.laid-out");
    const wider = boxes.map((box) => box.scrollLeft + box.clientWidth < box.scrollWidth - 2);
    boxes.forEach((box, place) => box.classList.toggle("wider", wider[place]));
  };
  addEventListener("scroll", ({ target }) => (target === document ? follow() : fade()), { capture: true, passive: true });
  let frame = 0;
  const fitSoon = () => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      fit();
    });
  };
  addEventListener("resize", fit);
  document.addEventListener("toggle", fit, true);
  /* tables that scripts show later */
  new MutationObserver((changes) => changes.some(({ addedNodes }) => [...addedNodes].some((node) => node.querySelector?.("table"))) && fitSoon())
    .observe(document.querySelector("article"), { childList: true, subtree: true });

  document.querySelectorAll("table.sortable:not(.all-cells)").forEach(sortable);
  window.sortableTable = sortable;
  /* the longest table gets what it needs when it is opened */
  const cellTables = [...document.querySelectorAll("table.all-cells")];
  const readyCells = () => {
    cellTables.filter((table) => !table.closest("details:not([open])")).forEach((table) => {
      cellTables.splice(cellTables.indexOf(table), 1);
      allCells(table);
    });
  };
  readyCells();
  document.addEventListener("toggle", readyCells, true);
  reveal();
  const tables = [...document.querySelectorAll("table.scores:not(.all-cells)")];
  const place = document.querySelector(".tools-here");
  if (tables.length && place) place.replaceWith(tools(tables));
  fit();
})();
