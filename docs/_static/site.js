/* Comfort for readers: sorting, filtering, choosing models. Every page is complete without it. */
(function () {
  "use strict";

  function make(name, properties, children) {
    const node = Object.assign(document.createElement(name), properties);
    (children || []).forEach((child) => node.append(child));
    return node;
  }

  /* "9" before "10" before "10axlstm", whatever the case */
  const natural = new Intl.Collator("en", { numeric: true });

  /* Sorting: a button in each heading; rows move within their part of the table. */
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
        const first = head.dataset.first || "descending";
        const other = first === "descending" ? "ascending" : "descending";
        const order = head.getAttribute("aria-sort") === first ? other : first;
        heads.forEach((each) => each.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", order);
        [...table.tBodies].forEach((body) => sortBody(body, place, order === "ascending" ? 1 : -1));
      });
    });
  }

  /* What a row is sorted by: the number or the name that its cell declares, else its text. */
  function key(row, place) {
    const cell = row.cells[place];
    if (!cell) return "";
    if (cell.dataset.sort !== undefined) return Number(cell.dataset.sort);
    return cell.dataset.name ?? cell.textContent.trim();
  }

  function sortBody(body, place, sign) {
    const rows = [...body.rows].filter((row) => !row.classList.contains("head"));
    const keyed = rows.map((row) => [key(row, place), row]);
    keyed.sort(([a], [b]) => {
      if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
      return sign * (typeof a === "number" ? a - b : natural.compare(a, b));
    });
    keyed.forEach(([, row]) => body.append(row));
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

  /* Tools above the table of all cells of a model. */
  function cellTools(place, table) {
    const rows = [...table.tBodies[0].rows];
    let texts;
    const search = make("input", { type: "search", placeholder: "Filter cells" });
    search.setAttribute("aria-label", "Filter cells by any word");
    const tests = make("select", {}, [make("option", { value: "", textContent: "All tests" })]);
    tests.setAttribute("aria-label", "Test");
    const named = new Map(rows.map((row) => [row.dataset.test, row.cells[0].textContent]));
    named.forEach((name, value) => tests.append(make("option", { value, textContent: name })));
    const failures = make("input", { type: "checkbox" });
    const shown = make("output", {});
    const update = () => {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      texts ||= rows.map((row) => row.textContent.toLowerCase());
      let count = 0;
      rows.forEach((row, at) => {
        const away =
          (tests.value && row.dataset.test !== tests.value) ||
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
    place.className = "tools cells-tools";
    place.replaceChildren(search, tests, make("label", {}, [failures, "only failed"]), shown);
  }

  /* An address leads to what is folded, in browsers that do not open it themselves. */
  const addressed = () => {
    try {
      return location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    } catch {
      return null; // no address of anything
    }
  };
  const reveal = () => {
    const at = addressed();
    if (!at) return;
    let folded = at.closest("details");
    const closed = folded && !folded.open;
    for (; folded; folded = folded.parentElement.closest("details")) folded.open = true;
    at.querySelectorAll(":scope > * > details.long").forEach((each) => (each.open = true));
    if (closed) at.scrollIntoView();
  };
  addEventListener("hashchange", reveal);

  /* Paper shows everything. */
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    opened.forEach((each) => (each.open = true));
  });
  addEventListener("afterprint", () => opened.forEach((each) => (each.open = false)));

  /* A table that is no wider than the page needs no box that scrolls: its head stays in sight. */
  const every = [...document.querySelectorAll(".scroll")];
  const fit = () => {
    /* asked for its width, what is folded would be laid out */
    const boxes = every.filter((box) => !box.closest("details:not([open])"));
    boxes.forEach((box) => box.classList.remove("fits"));
    const narrow = boxes.filter((box) => box.clientWidth && box.firstElementChild.scrollWidth <= box.clientWidth);
    narrow.forEach((box) => box.classList.add("fits"));
    boxes.forEach((box) => {
      if (box.classList.contains("fits")) box.removeAttribute("tabindex");
      else box.tabIndex = 0;
    });
  };
  addEventListener("resize", fit);
  document.addEventListener("toggle", fit, true);

  /* A long table names its cells once: the addresses of their samples are made of test, data and part. */
  document.querySelectorAll("table[data-hear]").forEach((table) =>
    table.querySelectorAll("tr[data-heard]").forEach((row) => {
      const link = document.createElement("a");
      const [, score, , , part] = row.cells;
      const query = new URLSearchParams({ test: row.dataset.test, data: row.dataset.heard, part: part.textContent });
      link.className = "hear";
      link.href = `${table.dataset.hear}&${query}`;
      link.setAttribute("aria-label", "Its samples");
      const mark = score.querySelector("b");
      mark.after(" ", link);
    }));

  document.querySelectorAll("table.sortable").forEach(sortable);
  window.sortableTable = sortable;
  document.querySelectorAll("div.cells-tools").forEach((place) =>
    cellTools(place, place.parentElement.querySelector("table.all-cells")));
  reveal();
  const tables = [...document.querySelectorAll("table.scores:not(.all-cells)")];
  const place = document.querySelector(".tools-here");
  if (tables.length && place) place.replaceWith(tools(tables));
  if (every.length) fit();
})();
