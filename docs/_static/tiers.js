/* Tiers, rank intervals and p values of a selection, by the definition of the rankings.
   common/reports/summary/leave_one_out.py says the same in Python, and why. */
(() => {
  "use strict";

  const { student } = window;
  const DRAWS = 2000;
  const LEVEL = 0.95;
  const OWN = 0.5;
  const ROUNDING = 1e-9;
  const LEAST_PAIRS = 6;
  const SEED = 0;
  const FEW_PAIRS = `with fewer than ${LEAST_PAIRS} pairs of test and dataset in common, no difference is sure`;
  const ONE_DATASET = "all cells are on one dataset, and another one may give another order";

  /** Number of each different value, in the order in which they come. */
  function codesOf(values) {
    const places = new Map();
    return [values.map((value) => places.get(value) ?? (places.set(value, places.size), places.size - 1)), [...places.keys()]];
  }
  const sum = (values) => values.reduce((all, value) => all + value, 0);

  /** Pairs of test and dataset: weighted cells of each, and those that each model passes. */
  function layoutOf(data, board, choice, ranked, models) {
    const weights = choice.weights || {};
    const of = (kind, id) => window.scoring.thousandths((weights[kind] || {})[id]) / 1000;
    const [pairOf] = codesOf(ranked.cells.map((cell) => `${board.cells.test[cell]} ${board.cells.dataset[cell]}`));
    const pairs = [];
    ranked.cells.forEach((cell, place) => (pairs[pairOf[place]] ||= { test: board.cells.test[cell], dataset: board.cells.dataset[cell], size: 0, passed: models.map(() => 0) }));
    ranked.cells.forEach((cell, place) => {
      const pair = pairs[pairOf[place]];
      pair.size += ranked.every[cell];
      models.forEach((model, m) => {
        if (window.scoring.passes(data, board, model, cell, choice.rules)) pair.passed[m] += ranked.every[cell];
      });
    });
    const [test, tests] = codesOf(pairs.map((pair) => pair.test));
    const [dataset, datasets] = codesOf(pairs.map((pair) => pair.dataset));
    const [family, families] = codesOf(tests.map((place) => data.tests[place].family));
    return {
      pairs, test, dataset, family, tests: tests.length, datasets: datasets.length, families: families.length,
      testWeight: tests.map((place) => of("test", data.tests[place].id)), familyWeight: families.map((id) => of("family", id)),
    };
  }

  /** Weight of a passed cell of each pair in the score; `keep` says which pairs are there. */
  function weightsOf(layout, keep = () => true) {
    const { pairs, test, family } = layout;
    const there = pairs.map((_, pair) => keep(pair));
    const cells = new Array(layout.tests).fill(0);
    pairs.forEach((pair, place) => there[place] && (cells[test[place]] += pair.size));
    const tests = new Array(layout.families).fill(0);
    cells.forEach((size, place) => size > 0 && (tests[family[place]] += layout.testWeight[place]));
    const whole = sum(tests.map((weight, place) => (weight > 0 ? layout.familyWeight[place] : 0)));
    return pairs.map((_, place) => {
      const [t, f] = [test[place], family[test[place]]];
      if (!there[place] || !(tests[f] > 0) || !(whole > 0)) return 0;
      return (layout.testWeight[t] / cells[t] / tests[f]) * (layout.familyWeight[f] / whole);
    });
  }

  /** How the score of each model moves without a test, a dataset, or a pair: one line for each of them. */
  function movesOf(layout) {
    const whole = weightsOf(layout);
    const moved = (keep, factor) => weightsOf(layout, keep).map((weight, place) => Math.sqrt(factor) * (weight - whole[place]));
    const perModel = (line) => layout.pairs[0].passed.map((_, m) => sum(line.map((move, place) => move * layout.pairs[place].passed[m])));
    const range = (number) => [...new Array(number).keys()];
    const inFamily = (f) => layout.family.filter((each) => each === f).length;
    return [
      range(layout.tests).map((t) => moved((pair) => layout.test[pair] !== t, 1 - 1 / inFamily(layout.family[t]))),
      range(layout.datasets).map((d) => moved((pair) => layout.dataset[pair] !== d, 1 - 1 / layout.datasets)),
      range(layout.pairs.length).map((p) => moved((pair) => pair !== p, 1 - 1 / layout.pairs.length)),
    ].map((lines) => lines.map(perModel));
  }

  /** Degrees of freedom of the tests, and of the datasets. */
  function freedomOf(layout) {
    const parts = weightsOf(layout).map((weight, place) => weight * layout.pairs[place].size);
    const equal = (codes, number) => {
      const sizes = new Array(number).fill(0);
      codes.forEach((code, place) => (sizes[code] += parts[place]));
      return sum(sizes.map((size) => size ** 2)) ** 2 / sum(sizes.map((size) => size ** 4));
    };
    return [Math.max(1, equal(layout.test, layout.tests) - layout.families), Math.max(1, equal(layout.dataset, layout.datasets) - 1)];
  }

  /** p value of the difference of each two models, adjusted for all of them. */
  function pValues(layout, scores) {
    const moves = movesOf(layout);
    const freedoms = freedomOf(layout);
    const pairs = scores.flatMap((_, i) => scores.slice(i + 1).map((__, k) => ({ i, k: i + 1 + k, p: 1 })));
    pairs.forEach((pair) => {
      pair.size = Math.abs(scores[pair.i] - scores[pair.k]);
      pair.squares = moves.map((lines) => sum(lines.map((line) => (line[pair.i] - line[pair.k]) ** 2)));
      pair.spread = Math.sqrt(pair.squares[0] + pair.squares[1]);
      pair.fixed = pair.spread < ROUNDING;
      if (pair.fixed || pair.size > ROUNDING) pair.p = pair.size > ROUNDING ? 1 / DRAWS : 1;
    });
    const means = [0, 1, 2].map((place) => sum(pairs.map((pair) => pair.squares[place])) / pairs.length);
    const more = 1 / (OWN ** 2 + (1 - OWN ** 2) / (scores.length - 1));
    const left = pairs.filter((pair) => !pair.fixed);
    left.forEach((pair) => {
      const [byTest, byDataset, byPair] = pair.squares.map((square, place) => OWN * square + (1 - OWN) * means[place]);
      const error = Math.sqrt(Math.max(byTest + byDataset - byPair, byTest, byDataset));
      const below = byTest ** 2 / (freedoms[0] * more) + byDataset ** 2 / (freedoms[1] * more);
      const freedom = Math.max((byTest + byDataset) ** 2 / Math.max(below, 1e-300), 1);
      pair.height = student.normalHeight(student.tail(pair.size / error, freedom));
    });
    left.sort((a, b) => b.height - a.height);
    const counts = countsOf(moves[0].concat(moves[1]), left);
    let most = 0;
    left.forEach((pair, place) => (pair.p = most = Math.max(most, counts[place] / DRAWS, 1 / DRAWS)));
    return pairs;
  }

  /** In how many draws the largest difference of those that are left reaches the height of each. */
  function countsOf(lines, left) {
    const { normal } = student.generator(SEED);
    const counts = new Float64Array(left.length);
    const models = lines.length ? lines[0].length : 0;
    const moved = new Float64Array(models);
    for (let draw = 0; draw < DRAWS; draw += 1) {
      moved.fill(0);
      for (const line of lines) {
        const z = normal();
        for (let m = 0; m < models; m += 1) moved[m] += z * line[m];
      }
      let largest = 0;
      for (let place = left.length - 1; place >= 0; place -= 1) {
        const pair = left[place];
        largest = Math.max(largest, Math.abs(moved[pair.i] - moved[pair.k]) / pair.spread);
        counts[place] += largest >= pair.height;
      }
    }
    return counts;
  }

  /** First and last rank of each model. */
  function rankIntervals(apart, scores) {
    const better = (a, b) => scores[b] > scores[a];
    const places = scores.map((_, m) => m);
    const first = places.map((m) => 1 + places.filter((other) => apart(m, other) && better(m, other)).length);
    const last = places.map((m) => scores.length - places.filter((other) => apart(m, other) && better(other, m)).length);
    return places.map((m) => [
      Math.min(...places.filter((other) => scores[other] <= scores[m]).map((other) => first[other])),
      Math.max(...places.filter((other) => scores[other] >= scores[m]).map((other) => last[other])),
    ]);
  }

  /** Tier of each model, 1 for the best. */
  function tiersOf(first, scores) {
    const tiers = scores.map(() => 0);
    for (let tier = 1; tiers.includes(0); tier += 1) {
      const best = Math.max(...scores.filter((_, m) => !tiers[m]));
      const rank = 1 + scores.filter((score) => score > best).length;
      scores.forEach((score, m) => {
        if (!tiers[m] && (first[m] <= rank || score === best)) tiers[m] = tier;
      });
    }
    return tiers;
  }

  /** Tiers of what `scoring.rank` gave: why there are none, each compared model, and p of two of them. */
  function judge(data, board, choice, ranked) {
    const lines = ranked.lines.filter((line) => line.place);
    if (lines.length < 2 || !ranked.cells.length) return { reason: "there is nothing to compare", standings: new Map(), pairs: [] };
    const models = lines.map((line) => line.model);
    const layout = layoutOf(data, board, choice, ranked, models);
    const reason = layout.pairs.length < LEAST_PAIRS ? FEW_PAIRS : layout.datasets < 2 ? ONE_DATASET : "";
    const scores = lines.map((line) => window.scoring.number(line.score));
    const pairs = reason ? [] : pValues(layout, scores);
    const table = new Map(pairs.map((pair) => [pair.i * models.length + pair.k, pair.p]));
    const p = (i, k) => table.get(Math.min(i, k) * models.length + Math.max(i, k)) ?? 1;
    const intervals = rankIntervals((i, k) => i !== k && p(i, k) <= 1 - LEVEL, scores);
    const tiers = tiersOf(intervals.map(([first]) => first), scores);
    return {
      reason, p: (one, other) => p(models.indexOf(one), models.indexOf(other)),
      pairs: pairs.map(({ i, k, p: value }) => ({ one: models[i], other: models[k], p: value })),
      standings: new Map(models.map((model, m) => [model, { tier: tiers[m], low: intervals[m][0], high: intervals[m][1] }])),
    };
  }

  window.tiers = { judge };
})();
