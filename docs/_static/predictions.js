/* A table of predictions as CSV: read, checked and made searchable, by the rules and in the words of
   common/models (prediction_table, predictions), so that a file that passes here passes on the command line. */
(() => {
  "use strict";

  /** A fault of the file, in one line for its writer. */
  class PredictionError extends Error {}
  const refuse = (text) => {
    throw new PredictionError(text);
  };
  const quoted = (text) => `'${String(text).slice(0, 58)}'`;

  // -- CSV -----------------------------------------------------------------------------------------------

  /** Cells of each row, with the number of the line on which it ends; empty lines have no cells. */
  function parse(text) {
    const rows = [];
    let cells = [];
    let cell = "";
    let isQuoted = false;
    let isCellBegun = false;
    let isRowBegun = false;
    let line = 1;
    const endCell = () => {
      cells.push(cell);
      cell = "";
      isCellBegun = false;
    };
    const endRow = () => {
      if (isRowBegun) endCell();
      rows.push({ cells, line });
      cells = [];
      isRowBegun = false;
    };
    const addSign = (sign) => {
      cell += sign;
      isCellBegun = isRowBegun = true;
    };
    for (let place = 0; place < text.length; place += 1) {
      const sign = text[place];
      const isEnd = sign === "\n" || (sign === "\r" && text[place + 1] !== "\n");
      if (isQuoted && sign === '"' && text[place + 1] === '"') cell += text[(place += 1)];
      else if (isQuoted && sign === '"') isQuoted = false;
      else if (isQuoted) cell += sign;
      else if (sign === '"' && !isCellBegun) isQuoted = isCellBegun = isRowBegun = true;
      else if (sign === ",") {
        isRowBegun = true;
        endCell();
      } else if (isEnd) endRow();
      else if (sign !== "\r") addSign(sign);
      if (isEnd) line += 1;
    }
    if (isRowBegun) endRow();
    return rows;
  }

  /** Names of the columns, and the rows. */
  function table(text, name) {
    const [head, ...others] = parse(text.replace(/^\ufeff/, ""));
    const names = head ? head.cells : [];
    if (!names.length) refuse(`${name} is empty`);
    if (!names.includes("file")) {
      refuse(`${name} has no column 'file', it has: ${names.join(", ").slice(0, 200)}. Columns are separated by commas`);
    }
    const twice = names.find((each, place) => names.indexOf(each) !== place);
    if (twice !== undefined) refuse(`${name} has the column '${twice}' twice`);
    const filled = others.filter(({ cells }) => cells.length);
    const odd = filled.find(({ cells }) => cells.length !== names.length);
    if (odd) refuse(`${name} cannot be read: line ${odd.line}: expected ${names.length} cells, found ${odd.cells.length}`);
    return { name, names, rows: filled.map(({ cells }) => cells) };
  }

  /** Number of a row as an editor shows it: the header is line 1. */
  const lineOf = (row) => row + 2;
  const columnOf = ({ names, rows }, column) => {
    const place = names.indexOf(column);
    return place < 0 ? null : rows.map((cells) => cells[place]);
  };

  // -- which sample a row belongs to -----------------------------------------------------------------------

  const END = -1;
  const NUMBER = /^[+-]?(\d(_?\d)*\.?(\d(_?\d)*)?|\.\d(_?\d)*)(e[+-]?\d(_?\d)*)?$/i;
  const TIME = /^(?:(-?\d+) days?)?(?: ?\+?(\d+):(\d\d):(\d\d(?:\.\d+)?))?$/;

  /** A finite number as text, else NaN. */
  function numberOf(text) {
    const bare = text.trim();
    const value = NUMBER.test(bare) ? Number(bare.replaceAll("_", "")) : Number.NaN;
    return Number.isFinite(value) ? value : Number.NaN;
  }

  /** Time in ns; NaN if it is none. */
  function nanoseconds(text) {
    const [whole, days, hours, minutes, clock] = TIME.exec(text.trim()) || [""];
    if (!whole) {
      const seconds = numberOf(text);
      return seconds < 0 ? Number.NaN : Math.round(seconds * 1e9);
    }
    const seconds = ((Number(days || 0) * 24 + Number(hours || 0)) * 60 + Number(minutes || 0)) * 60;
    const [full, part = ""] = (clock || "0").split(".");
    const time = (seconds + Number(full)) * 1e9 + Number(part.slice(0, 9).padEnd(9, "0"));
    return time < 0 ? Number.NaN : time;
  }

  function times(source, column, empty) {
    const cells = columnOf(source, column);
    if (!cells) return source.rows.map(() => empty);
    return cells.map((cell, row) => {
      const time = cell === "" ? empty : nanoseconds(cell);
      if (Number.isNaN(time)) {
        refuse(`${source.name}: row ${lineOf(row)}: column '${column}': expected seconds or '0 days 00:00:01.5', found ${quoted(cell)}`);
      }
      return time;
    });
  }

  const keyOf = (...parts) => JSON.stringify(parts);

  /** Rows by what they belong to. */
  function index(source) {
    const [start, end] = [times(source, "start", 0), times(source, "end", END)];
    end.forEach((last, row) => {
      if (last === END || last > start[row]) return;
      refuse(`${source.name}: row ${lineOf(row)}: the end, ${last / 1e9} s, is not after the start, ${start[row] / 1e9} s`);
    });
    const [dataset, condition, file] = ["dataset", "condition", "file"].map((column) => columnOf(source, column));
    const rows = new Map();
    const groups = new Map();
    file.forEach((path, row) => {
      const state = condition && condition[row] !== "original" ? condition[row] : "";
      const group = keyOf(dataset ? dataset[row] : "", state, path);
      const key = keyOf(group, start[row], end[row]);
      if (rows.has(key)) refuse(`${source.name}: rows ${lineOf(rows.get(key))} and ${lineOf(row)} are for the same sample: ${path}`);
      rows.set(key, row);
      if (!groups.has(group)) groups.set(group, []);
      groups.get(group).push(row);
    });
    return { rows, groups, start, end, hasDataset: Boolean(dataset) };
  }

  /** Row of a sample; -1 if there is none. Times may differ by a microsecond. */
  function find({ rows, groups, start, end, hasDataset }, names, file, first, last) {
    for (const dataset of hasDataset ? [...names, ""] : [""]) {
      const group = keyOf(dataset, "", file);
      const row = rows.get(keyOf(group, first, last));
      if (row !== undefined) return row;
      const near = (groups.get(group) || []).find((each) =>
        Math.abs(start[each] - first) <= 1000 && Math.abs(end[each] - last) <= 1000 && (end[each] === END) === (last === END));
      if (near !== undefined) return near;
    }
    return -1;
  }

  // -- values ----------------------------------------------------------------------------------------------

  function numbers(source, column) {
    return columnOf(source, column).map((cell, row) => {
      if (cell === "") return null;
      const value = numberOf(cell);
      if (Number.isNaN(value)) refuse(`${source.name}: row ${lineOf(row)}: column '${column}': expected a finite number, found ${quoted(cell)}`);
      return value;
    });
  }

  /** What a word of a file is taken for: a class, "no class", or null if nobody knows it. Notes where it is another word. */
  function meaning(source, { labels, words = {} }, word) {
    if (labels.includes(word)) return word;
    const known = word.toLowerCase();
    if (!Object.hasOwn(words, known)) return null;
    (source.taken ??= new Map()).set(word, words[known]);
    return words[known];
  }

  function classes(source, column, target) {
    return columnOf(source, column).map((cell, row) => {
      if (cell === "") return null;
      const label = meaning(source, target, cell);
      if (label === null) {
        refuse(`${source.name}: row ${lineOf(row)}: column '${column}': unknown label ${quoted(cell)}. Known: ${[...target.labels].sort(window.metrics.byName).join(", ")}`);
      }
      return label;
    });
  }

  /** Class with the largest score; the first one wins a tie. */
  function scored(source, target, offered) {
    const names = new Map(target.labels.map((label) => [label, offered.includes(label) ? label : offered.find((name) => meaning(source, target, name) === label)]));
    const missing = target.labels.filter((label) => names.get(label) === undefined);
    if (missing.length) refuse(`${source.name}: columns '${target.id}/...': missing ${missing.join(", ")}; the model has: ${offered.join(", ")}`);
    const columns = target.labels.map((label) => numbers(source, `${target.id}/${names.get(label)}`));
    offered.forEach((label) => numbers(source, `${target.id}/${label}`));
    return source.rows.map((_, row) => {
      const scores = columns.map((column) => column[row]);
      return scores.includes(null) ? null : target.labels[scores.indexOf(Math.max(...scores))];
    });
  }

  function valuesOf(source, target) {
    const offered = source.names.filter((name) => name.startsWith(`${target.id}/`)).map((name) => name.slice(target.id.length + 1));
    if (target.kind === "classification" && offered.length) return scored(source, target, offered);
    if (!source.names.includes(target.id)) return null;
    return target.kind === "classification" ? classes(source, target.id, target) : numbers(source, target.id);
  }

  /** Targets that a header has columns for; all of `ids` are known. */
  function targetsOf(source, ids) {
    const there = ids.filter((id) => source.names.some((name) => name === id || name.startsWith(`${id}/`)));
    if (!there.length) refuse(`${source.name}: no column for any of the targets ${ids.join(", ")}; columns: ${source.names.join(", ")}`);
    if (!source.rows.length) refuse(`${source.name} has a header and no rows`);
    return there;
  }

  // -- lists of events -------------------------------------------------------------------------------------

  /** An event that starts so many s behind the end of its recording is an error. */
  const SLACK = 0.1;
  const NAMES = { onset: ["onset", "event_onset"], offset: ["offset", "event_offset"], label: ["event_label", "label", "event", "class"] };
  /** Names of the columns of events; null if the file holds none. */
  function eventColumns({ names }) {
    const columns = Object.entries(NAMES).map(([part, options]) => [part, options.find((name) => names.includes(name))]);
    return columns.every(([, name]) => name) ? Object.fromEntries(columns) : null;
  }

  /** Events of each recording that a file names; a row with a file alone has none. */
  function eventLists(source, target) {
    const columns = eventColumns(source);
    const place = Object.fromEntries(["file", ...Object.values(columns)].map((name) => [name, source.names.indexOf(name)]));
    const recordings = new Map();
    source.rows.forEach((cells, row) => {
      const [file, onset, offset, label] = ["file", columns.onset, columns.offset, columns.label].map((name) => cells[place[name]]);
      if (!recordings.has(file)) recordings.set(file, []);
      if (onset === "" && offset === "") return;
      const where = `${source.name}: row ${lineOf(row)}`;
      const [start, end] = [[columns.onset, onset], [columns.offset, offset]].map(([name, cell]) => {
        const time = numberOf(cell);
        if (Number.isNaN(time)) refuse(`${where}: column '${name}': expected seconds, found ${quoted(cell)}`);
        return time;
      });
      if (start < 0 || start > end) refuse(`${where}: ${start} to ${end} s is no event`);
      const code = target.labels.indexOf(label);
      if (code < 0) refuse(`${where}: column '${columns.label}': unknown label ${quoted(label)}. Known: ${[...target.labels].sort(window.metrics.byName).join(", ")}`);
      const clash = recordings.get(file).find((event) => event.label === code && ((event.onset < end && start < event.offset) || (event.onset === start && event.offset === end)));
      if (clash) refuse(`${where}: ${start} to ${end} s overlaps another event of ${label} in ${file}: ${clash.onset} to ${clash.offset} s`);
      recordings.get(file).push({ onset: start, offset: end, label: code });
    });
    return recordings;
  }

  /** Whole name of a recording, then without extension, without folder, without both. */
  function namesOf(file) {
    const bare = (path) => path.replace(/(?<=[^/])\.[^./]*$/, "");
    const last = file.split("/").pop();
    return [file, bare(file), last, bare(last)];
  }

  /** Events of each recording of a dataset, cut at its end. */
  function alignedEvents(source, recordings, truth) {
    const names = truth.samples.file.map((file) => namesOf(file).find((name) => recordings.has(name)));
    const values = truth.samples.file.map((file, place) => {
      const events = recordings.get(names[place]);
      if (!events) return null;
      const [seconds] = truth.truth[place];
      const late = events.find(({ onset }) => onset > seconds + SLACK);
      if (late) refuse(`${source.name}: ${file}: an event starts at ${late.onset} s, but the recording ends at ${seconds} s`);
      const cut = events.filter(({ onset }) => onset < seconds).map((event) => ({ ...event, offset: Math.min(event.offset, seconds) }));
      return { seconds, events: cut };
    });
    return { values, names, rows: values.map((value) => (value ? 0 : -1)) };
  }

  // -- predictions of the samples of a dataset ---------------------------------------------------------------

  function nameOf(file, start, end) {
    if (start === 0 && end < 0) return file;
    return `${file} [${start / 1e9} s, ${end < 0 ? "end" : `${end / 1e9} s`}]`;
  }

  /** Prediction of each sample of a dataset, and its row: -1 if there is none. */
  function aligned(source, places, values, truth) {
    const { database, version } = truth.dataset;
    const { file, start, end } = truth.samples;
    const rows = file.map((path, place) => find(places, [`${database}-${version}`, database], path, start ? start[place] : 0, end ? end[place] : END));
    return { rows, values: rows.map((row) => (row < 0 ? null : values[row])) };
  }

  /** Rows of unchanged signals that belong to no sample, of all that were looked for. */
  function strangers(source, found) {
    const used = new Set(found.flatMap(({ rows, names }) => names ?? rows));
    const [file, condition] = ["file", "condition"].map((column) => columnOf(source, column));
    return file.flatMap((name, row) => {
      const known = used.has(row) || used.has(name) || (condition && !["", "original"].includes(condition[row]));
      return known ? [] : [{ line: lineOf(row), name }];
    });
  }

  /** Why predictions of some samples cannot be scored; empty if they can. */
  function lacking(source, truth, target, { rows, values }, chosen) {
    const { file, start, end } = truth.samples;
    const name = (place) => nameOf(file[place], start ? start[place] : 0, end ? end[place] : END);
    const away = chosen.filter((place) => rows[place] < 0);
    if (away.length && target.kind === "events") {
      return `${source.name}: names no recording '${name(away[0])}' and ${away.length - 1} more; one without events needs a row with its name alone`;
    }
    if (away.length) return `${source.name}: no row for ${away.length} of ${chosen.length} samples; first: ${name(away[0])}`;
    const empty = chosen.filter((place) => values[place] === null);
    if (!empty.length) return "";
    return `${source.name}: no value of '${target.id}' for ${empty.length} of ${chosen.length} samples; first: ${name(empty[0])} (row ${lineOf(rows[empty[0]])})`;
  }

  window.predictions = { PredictionError, parse, table, index, targetsOf, valuesOf, aligned, lacking, strangers, eventColumns, eventLists, alignedEvents };
})();
