/* Scores of a population in which speakers have other shares: weighted sums, with intervals by leaving out each speaker.
   common/results/population.py defines the same in Python. */
(() => {
  "use strict";

  const { scoring, sums, student } = window;
  const [CLOSE, ROUNDS, ROUNDING, STATED] = [1e-13, 500, 1e-12, 1e-9];
  const add = (values) => values.reduce((all, value) => all + value, 0);

  /** Shares of the groups of a trait, the last one for all others; population: group -> percent. */
  function sharesOf(groups, percents) {
    const shares = groups.map((group) => (percents[group] === undefined ? null : Number(percents[group]) / 100));
    const whole = add(shares.map((share) => share ?? 0));
    const scaled = shares.map((share) => (share === null || whole <= 1 ? share : share / whole));
    const named = scaled.filter((share) => share !== null);
    return { scaled, others: Math.max(0, 1 - add(named)) };
  }

  /** For each trait that the reader set: the group of each speaker, and the shares of the groups. */
  function traitsOf(file, population) {
    return Object.entries(population).filter(([trait]) => file.traits[trait]).map(([trait, percents]) => {
      const { groups, codes } = file.traits[trait];
      const named = groups.filter((group) => percents[group] !== undefined);
      const { scaled, others } = sharesOf(named, percents);
      const places = codes.map((code) => {
        const place = code < 0 ? -1 : named.indexOf(groups[code]);
        return place < 0 ? named.length : place;
      });
      // the last code is that of samples whose speaker is not known
      return { codes: [...places, named.length], shares: [...scaled, others] };
    });
  }

  /** Sums of a state put together by groups of speakers that have one weight. */
  function cellsOf(state, traits) {
    const keys = new Map();
    const width = state.sums[0].length;
    const cells = [];
    const place = state.speakers.map((speaker, line) => {
      const codes = traits.map((trait) => trait.codes[speaker]);
      const key = codes.join();
      if (!keys.has(key)) {
        keys.set(key, cells.length);
        cells.push({ codes, samples: 0, sums: new Array(width).fill(0) });
      }
      const cell = cells[keys.get(key)];
      cell.samples += state.samples[line];
      state.sums[line].forEach((value, k) => (cell.sums[k] += value));
      return keys.get(key);
    });
    return { cells, place, total: cells.reduce((all, cell) => all.map((value, k) => value + cell.sums[k]), new Array(width).fill(0)) };
  }

  /** Weight of each cell such that groups have their shares of all weighted samples. */
  function weightsOf(samples, cells, traits) {
    const weights = samples.map(() => 1);
    for (let round = 0; round < ROUNDS; round += 1) {
      let change = 0;
      traits.forEach(({ shares }, t) => {
        const counts = shares.map(() => 0);
        cells.forEach((cell, c) => (counts[cell.codes[t]] += weights[c] * samples[c]));
        const goal = shares.map((share, group) => (counts[group] > 0 ? share : 0));
        const [all, whole] = [add(goal), add(counts)];
        if (all <= 0) return;
        const factors = shares.map((_, group) => (counts[group] > 0 ? ((goal[group] / all) * whole) / counts[group] : 1));
        cells.forEach((cell, c) => (weights[c] *= factors[cell.codes[t]]));
        change = Math.max(change, ...factors.map((factor) => Math.abs(factor - 1)));
      });
      if (change < CLOSE) break;
    }
    return weights;
  }

  /** A state of a model, ready for any number of scores. */
  function prepared(state, traits) {
    const joint = cellsOf(state, traits);
    const cache = new Map();
    /** All values of the state, and weights of its cells, without a speaker or with all of them. */
    function values(without = null) {
      if (cache.has(without)) return cache.get(without);
      const line = without === null ? -1 : state.speakers.indexOf(without);
      const samples = joint.cells.map((cell) => cell.samples);
      if (line >= 0) samples[joint.place[line]] -= state.samples[line];
      const weights = weightsOf(samples, joint.cells, traits);
      const weighted = joint.total.map((_, k) => add(joint.cells.map((cell, c) => {
        const removed = line >= 0 && joint.place[line] === c ? state.sums[line][k] : 0;
        return weights[c] * (cell.sums[k] - removed);
      })));
      const answer = { values: sums.VALUES[state.metric](weighted, joint.total, state.params), weights };
      cache.set(without, answer);
      return answer;
    }
    /** Speakers of equal weight: Kish's number. */
    function size() {
      const { weights } = values();
      const sizes = joint.place.map((cell, line) => weights[cell] * state.samples[line]);
      return add(sizes) ** 2 / add(sizes.map((each) => each ** 2));
    }
    const counting = () => state.speakers.filter((_, line) => values().weights[joint.place[line]] > 0);
    return { values, size, counting };
  }

  /** All states of a file with the shares of a population; each is worked out once. */
  function file(content, population) {
    const traits = traitsOf(content, population);
    const ready = new Map();
    const of = (model, number) => {
      const key = `${model} ${number}`;
      if (!ready.has(key)) {
        const state = content.models[model].states[number];
        ready.set(key, { state, ...prepared(state, traits) });
      }
      return ready.get(key);
    };
    const partsOf = (model, cell, sign) => {
      const [first, place, second, other] = content.models[model].cells[cell];
      const parts = [{ sign, place, ...of(model, first) }];
      if (second !== undefined) parts.push({ sign: -sign, place: other, ...of(model, second) });
      return parts;
    };
    const valueOf = (parts, without = null) => add(parts.map(({ sign, place, values }) => sign * values(without).values[place]));

    /** Interval and p of parts, each speaker left out once. */
    function judged(parts) {
      const value = valueOf(parts);
      const speakers = [...new Set(parts.flatMap(({ counting }) => counting()))];
      const count = speakers.length;
      const nothing = { value, low: null, high: null, speakers: count, p: null };
      if (count < 2) return nothing;
      const squares = add(speakers.map((speaker) => (valueOf(parts, speaker) - value) ** 2));
      const error = Math.sqrt(((count - 1) / count) * squares);
      if (!(error > ROUNDING)) return nothing;
      const freedom = Math.max(1, Math.min(...parts.map(({ size }) => size())) - 1);
      const arm = student.student(freedom) * error;
      const [least, most] = parts.length === 1 ? parts[0].state.bounds : [null, null];
      const [low, high] = [Math.max(value - arm, least ?? -Infinity), Math.min(value + arm, most ?? Infinity)];
      return { value, low, high, speakers: count, p: student.twoSided(value / error, freedom) };
    }
    const there = (model, cell) => Boolean(content.models[model]?.cells[cell]);
    /** Whether the score of a cell follows from the sums; `stated` is that of the data. */
    const has = (model, cell, stated) => there(model, cell) && (stated === undefined || Math.abs(valueOf(partsOf(model, cell, 1)) - stated) <= STATED * Math.max(1, Math.abs(stated)));
    return {
      has,
      weighted: traits.length > 0,
      value: (model, cell) => valueOf(partsOf(model, cell, 1)),
      score: (model, cell) => judged(partsOf(model, cell, 1)),
      difference: (one, other, cell) => judged([...partsOf(other, cell, 1), ...partsOf(one, cell, -1)]),
    };
  }

  /** The index of a target, and its files for a board; each is loaded once. */
  async function load(target, index, board, fits = () => true) {
    await scoring.script(index);
    const entries = window.sumsOfTarget[target].filter((entry) => entry.board === board && fits(entry));
    await Promise.all(entries.map((entry) => scoring.script(entry.file)));
    return entries.map((entry) => window.speakerSums[entry.file]);
  }

  /** A board with the scores and verdicts of a population; `weighted` of it counts cells that follow from sums. */
  function boardOf(data, board, contents, population) {
    const files = contents.map((content) => ({ plain: file(content, {}), ...file(content, population) })).filter((each) => each.weighted);
    const cells = new Map();
    const models = board.models.map((model) => {
      const [value, ran, status] = [[...(model.value || [])], [...model.ran], [...model.status]];
      board.cells.test.forEach((_, cell) => {
        const source = files.find((each) => each.plain.has(model.id, cell, value[cell]));
        if (!source) return;
        cells.set(cell, source);
        const own = data.names.criterion[model.criteria[cell] ?? board.cells.criterion[cell]];
        const rule = scoring.criterion(own);
        value[cell] = source.value(model.id, cell);
        if (!rule) return;
        const known = !Number.isNaN(value[cell]);
        const right = known && scoring.HOLDS[rule.kind](value[cell], rule.bounds);
        status[cell] = right ? "p" : known ? "f" : "s";
        if (ran[cell] !== ".") ran[cell] = right ? "1" : known ? "0" : "n";
        if (!known) value[cell] = null;
      });
      return { ...model, unweighted: model.value || [], value, ran: ran.join(""), status: status.join(""), ci_low: undefined, ci_high: undefined };
    });
    return { ...board, models, sources: cells };
  }

  window.population = { file, load, boardOf, weightsOf, traitsOf };
})();
