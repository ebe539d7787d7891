/* Tables as files: CSV and JSON with all that is known of a cell, LaTeX and Markdown for texts. */
(() => {
  "use strict";

  const make = (tag, attributes = {}, ...children) => {
    const node = document.createElement(tag);
    Object.entries(attributes).forEach(([name, value]) => node.setAttribute(name, value));
    node.append(...children);
    return node;
  };
  const root = document.documentElement.dataset.content_root || "./";
  const tidy = (text) => text.replace(/[\s\u202f\u00a0]+/g, " ").trim();
  const slug = (text) => tidy(text).toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 80);

  /** Text of a node, its parts that stand in lines of their own apart. */
  const words = (node) => {
    const copy = node.cloneNode(true);
    copy.querySelectorAll("small, br, p, div").forEach((part) => {
      part.before(" ");
      part.after(" ");
    });
    copy.querySelectorAll(".headerlink").forEach((link) => link.remove());
    return tidy(copy.textContent);
  };

  // -- what a cell says ----------------------------------------------------------------------

  const NUMBER = /^[+−-]?(\d[\d\u202f ]*)(\.\d+)?( ?%)?$/;
  const NONE = new Set(["", "–", "none", "no verdict", "not run"]);

  /** A number as it is shown, without spaces and signs of percent; and as exact as the cell has it. */
  const number = (cell, text) => {
    if (!NUMBER.test(text)) return null;
    const bare = text.replace(/[\u202f %+]/g, "").replace("−", "-");
    const sign = text.startsWith("+") ? "+" : "";
    const digits = (bare.split(".")[1] || "").length;
    const forms = [[Number(bare), digits]];
    const part = [Number((Number(bare) / 100).toFixed(digits + 2)), digits + 2];
    text.endsWith("%") ? forms.unshift(part) : forms.push(part);
    for (const source of [cell.dataset.sort, cell.title]) {
      const exact = parseFloat((source || "").replace("−", "-"));
      const form = forms.find(([value, places]) => Math.abs(value - exact) <= 10 ** -places);
      if (form) return { value: exact, shown: sign + form[0].toFixed(form[1]) };
    }
    const [value, places] = forms[0];
    return { value, shown: sign + value.toFixed(places) };
  };

  /** Reason that a letter stands for, from the list below the table. */
  const reason = (table, letter) => {
    const notes = box(table).nextElementSibling;
    const lines = notes && notes.matches("details.notes") ? [...notes.querySelectorAll("li")] : [];
    const line = lines.find((entry) => tidy(entry.querySelector("sup").textContent) === letter);
    return line ? tidy(line.textContent).slice(letter.length).replace(/\(\d+ cells?\)$/, "").trim() : letter;
  };

  /** Parts of a cell by name; the value has no name. */
  const read = (cell, table) => {
    const copy = cell.cloneNode(true);
    const parts = {};
    const add = (name, text) => text && (parts[name] = parts[name] ? `${parts[name]}; ${text}` : text);
    const interval = (text) => {
      const [low, high] = text.replace(/−/g, "-").split(" to ").map(Number);
      if (low <= high) Object.assign(parts, { low, high, interval: `[${text.replace(" to ", ", ")}]` });
      else add("note", text);
    };
    copy.querySelectorAll(".place, .headerlink, [hidden]").forEach((node) => node.remove());
    copy.querySelectorAll("b[role=img], :scope > b:not([role])").forEach((mark) => {
      add("verdict", mark.getAttribute("aria-label") || mark.textContent);
      mark.remove();
    });
    copy.querySelectorAll("small, sup").forEach((node) => {
      if (node.parentElement.closest("small")) return;
      const text = tidy(node.textContent);
      if (node.matches("sup") && table.matches(".scores")) add("note", reason(table, text));
      else if (node.matches("sup")) return;
      else if (node.matches(".ci")) interval(text);
      else if (/^[+−]\d+(\.\d+)?$/.test(text)) parts.change = Number(text.replace("−", "-"));
      else if (/^n [\d\u202f ]+$/.test(text)) add("n", text.slice(2).replace(/\D/g, ""));
      else add("note", text);
      node.remove();
    });
    copy.querySelectorAll("details > summary").forEach((node) => node.remove());
    const fields = [...cell.querySelectorAll("select, input:not([hidden])")].map((field) => field.selectedOptions?.[0].text ?? field.value);
    const text = fields.length ? (fields.includes("") ? "" : fields.join(" ")) : words(copy);
    const figure = number(cell, text);
    if (figure) return { ...parts, "": figure.value, shown: figure.shown };
    const plain = NONE.has(text) && cell.tagName === "TD" ? "" : cell.dataset.name || text;
    return { ...parts, "": plain, shown: plain };
  };

  // -- a table as lines of cells ---------------------------------------------------------------

  /** Rows of cells in which each cell that spans several places stands in all of them. */
  const spread = (rows) => {
    const grid = rows.map(() => []);
    rows.forEach((row, line) => {
      let place = 0;
      [...row.cells].forEach((cell) => {
        while (grid[line][place] !== undefined) place += 1;
        for (let down = 0; down < cell.rowSpan && line + down < rows.length; down += 1)
          for (let right = 0; right < cell.colSpan; right += 1) grid[line + down][place + right] = cell;
        place += cell.colSpan;
      });
    });
    return grid;
  };

  /** Names of the columns and the cells that are visible now, in their present order. */
  const content = (table) => {
    const heads = spread(table.tHead ? [...table.tHead.rows] : []);
    const width = Math.max(0, ...[...table.rows].map((row) => [...row.cells].reduce((n, cell) => n + cell.colSpan, 0)));
    const names = [];
    for (let place = 0; place < width; place += 1) {
      const cells = [...new Set(heads.map((line) => line[place]).filter(Boolean))];
      names.push(cells.map(words).filter(Boolean).join(", ") || `Column ${place + 1}`);
    }
    const visible = names.map((name, place) => !heads.some((line) => line[place] && line[place].hidden));
    const lines = [];
    [...table.tBodies].forEach((body) => {
      const rows = [...body.rows];
      const title = rows.find((row) => row.classList.contains("head"));
      const part = title ? words(title) : "";
      const plain = rows.filter((row) => row !== title && !row.hidden);
      spread(plain).forEach((cells) => lines.push({ part, cells: cells.filter((cell, place) => visible[place]) }));
    });
    const read_lines = lines.map(({ part, cells }) => ({ part, cells: cells.map((cell) => read(cell, table)) }));
    return { names: names.filter((name, place) => visible[place]), lines: read_lines };
  };

  const unique = (names) => {
    const seen = {};
    return names.map((name) => ((seen[name] = (seen[name] || 0) + 1) > 1 ? `${name} (${seen[name]})` : name));
  };

  /** All that is known: a column for each part of a cell that occurs below a heading. */
  const whole = (table) => {
    const { names, lines } = content(table);
    const columns = names.flatMap((name, place) =>
      ["", "change", "verdict", "low", "high", "n", "note"]
        .filter((kind) => !kind || lines.some(({ cells }) => cells[place] && kind in cells[place]))
        .map((kind) => ({ name: kind ? `${name}: ${kind}` : name, place, kind }))
    );
    const parts = lines.some((line) => line.part);
    const head = unique([...(parts ? ["Part"] : []), ...columns.map((column) => column.name)]);
    const rows = lines.map(({ part, cells }) => [
      ...(parts ? [part] : []),
      ...columns.map(({ place, kind }) => (cells[place] || {})[kind] ?? ""),
    ]);
    return { head, rows };
  };

  /** What fits on paper: a column per column, with verdict and interval beside the value. */
  const brief = (table) => {
    const { names, lines } = content(table);
    const parts = lines.some((line) => line.part);
    const text = (cell) => {
      if (!cell) return "";
      const extra = [cell.interval, cell.verdict && (cell.shown === "" ? cell.verdict : `(${cell.verdict})`)];
      return [cell.shown, ...extra].filter((each) => each !== undefined && each !== "").join(" ");
    };
    return {
      head: [...(parts ? ["Part"] : []), ...names],
      rows: lines.map(({ part, cells }) => [...(parts ? [part] : []), ...names.map((_, place) => text(cells[place]))]),
    };
  };

  // -- formats ---------------------------------------------------------------------------------

  const csv = (table) => {
    const { head, rows } = whole(table);
    // a spreadsheet takes no text for a formula that begins with an apostrophe
    const harmless = (text) => (/^([=@\t\r]|[+-](?![\d.]))/.test(text) ? `'${text}` : text);
    const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
    const field = (value) => quoted(harmless(String(value)));
    return [head, ...rows].map((row) => `${row.map(field).join(",")}\n`).join("");
  };
  const json = (table) => {
    const { head, rows } = whole(table);
    const objects = rows.map((row) => Object.fromEntries(row.map((value, place) => [head[place], value === "" ? null : value])));
    return `${JSON.stringify(objects, null, 1)}\n`;
  };
  const isNumeric = (rows, place) => rows.every((row) => /^([+-]?\d|$)/.test(row[place])) && rows.some((row) => row[place]);
  const markdown = (table) => {
    const { head, rows } = brief(table);
    const line = (cells) => `| ${cells.join(" | ")} |\n`;
    const safe = (text) => text.replace(/[\\`*_[\]|<~#]/g, "\\$&");
    return (
      line(head.map(safe)) +
      line(head.map((_, place) => (isNumeric(rows, place) ? "---:" : "---"))) +
      rows.map((row) => line(row.map(safe))).join("")
    );
  };
  const TEX = {
    "&": "\\&", "%": "\\%", $: "\\$", "#": "\\#", _: "\\_", "{": "\\{", "}": "\\}",
    "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "<": "$<$", ">": "$>$", "|": "$|$",
    "−": "$-$", "×": "$\\times$", "±": "$\\pm$", "≤": "$\\le$", "≥": "$\\ge$", "→": "$\\to$", "∞": "$\\infty$",
    "Δ": "$\\Delta$", "ρ": "$\\rho$", "–": "--", "—": "---", "…": "\\ldots{}", "·": "$\\cdot$", "✓": "pass", "✗": "fail",
  };
  const latex = (table) => {
    const { head, rows } = brief(table);
    const safe = (text) => [...text].map((sign) => TEX[sign] || sign).join("");
    const line = (cells) => `${cells.map(safe).join(" & ")} \\\\\n`;
    const kinds = head.map((_, place) => (isNumeric(rows, place) ? "r" : "l")).join("");
    return (
      "% \\usepackage{booktabs}\n" + `\\begin{tabular}{${kinds}}\n\\toprule\n${line(head)}\\midrule\n` +
      `${rows.map(line).join("")}\\bottomrule\n\\end{tabular}\n`
    );
  };
  const FORMATS = {
    CSV: ["csv", "text/csv", csv],
    JSON: ["json", "application/json", json],
    LaTeX: ["tex", "application/x-tex", latex],
    Markdown: ["md", "text/markdown", markdown],
  };

  // -- menu below each table -------------------------------------------------------------------

  const box = (table) => table.closest(".scroll, .table-scroll") || table;

  /** Name of the page, from the addresses of the page and of the top of the site. */
  const page = () => {
    const depth = root.split("../").length;
    return slug(decodeURI(location.pathname).replace(/\.html$/, "").split("/").slice(-depth).join("-"));
  };
  const heading = (table) => {
    const section = table.closest("section");
    const title = section && section.querySelector("h1, h2, h3, h4");
    return title ? tidy(title.firstChild.textContent) : "table";
  };
  const label = (table) => {
    const around = box(table);
    const text = tidy((around !== table && around.getAttribute("aria-label")) || "");
    const shown = text || (table.caption ? read(table.caption, table).shown : "") || heading(table);
    const others = new Set([...document.querySelectorAll(".table-files")].map((menu) => menu.dataset.table));
    let name = shown;
    for (let number = 2; others.has(name); number += 1) name = `${shown} (${number})`;
    return name;
  };
  const save = (text, type, name) => {
    const address = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
    const link = make("a", { href: address, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
  };
  const copy = async (text) => {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    const area = make("textarea", { class: "visually-hidden", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    if (!done) throw new Error("not copied");
  };
  const rowsLink = () => {
    const own = document.querySelector("article a[data-rows]");
    if (own) return make("a", { href: own.getAttribute("href"), download: "" }, "All rows of this page (CSV)");
    const path = page();
    if (path !== "index" && !path.startsWith("results")) return "";
    return make("a", { href: `${root}data/results.csv`, download: "" }, "All rows of this site (CSV)");
  };
  const fill = (menu, table, name) => {
    const status = make("span", { role: "status" });
    const button = (text, action) => {
      const node = make("button", { type: "button" }, text);
      node.addEventListener("click", action);
      return node;
    };
    const saving = Object.entries(FORMATS).map(([title, [suffix, type, format]]) =>
      button(title, () => {
        const file = `${page()}-${slug(name)}.${suffix}`;
        save(format(table), type, file);
        status.textContent = `Saved as ${file}`;
      })
    );
    const copying = ["LaTeX", "Markdown"].map((title) =>
      button(`Copy ${title}`, async () => {
        try {
          await copy(FORMATS[title][2](table));
          status.textContent = `${title} copied`;
        } catch {
          status.textContent = "The browser does not allow copying";
        }
      })
    );
    menu.append(make("div", { role: "group", "aria-label": `Download ${name}` }, ...saving, ...copying, rowsLink()), status);
  };
  const ready = new WeakSet();
  const offer = (table) => {
    if (ready.has(table) || !table.isConnected) return;
    ready.add(table);
    const name = label(table);
    const menu = make("details", { class: "table-files", "data-table": name });
    menu.append(make("summary", {}, "Download", make("span", { class: "visually-hidden" }, `: ${name}`)));
    menu.addEventListener("toggle", () => menu.childElementCount === 1 && fill(menu, table, name));
    const notes = box(table).nextElementSibling;
    (notes && notes.matches("details.notes") ? notes : box(table)).after(menu);
  };
  document.querySelectorAll("article table").forEach(offer);
  /* and what scripts show later: selections, comparisons, own scores */
  new MutationObserver((changes) => changes.forEach(({ addedNodes }) => addedNodes.forEach((node) => {
    if (node.nodeType === 1) (node.matches("table") ? [node] : node.querySelectorAll("table")).forEach(offer);
  }))).observe(document.querySelector("article"), { childList: true, subtree: true });
})();
