/* Metrics of truth and predictions that need no signal, by the definitions of common/metrics, one function each. What
   follows from sums alone is in sums.js.
   tests/site/test_metrics.py checks every one of them against its function in Python. */
(() => {
  "use strict";

  const { VALUES, compareShifts } = window.sums;
  const NONE = Number.NaN;
  /** Values that differ by less than this part of the largest one are tied. */
  const TIE = 1e-12;

  // -- sums ----------------------------------------------------------------------------------------------

  /** Sum that keeps the digits that plain addition loses (Neumaier). */
  function sum(values) {
    let total = 0;
    let lost = 0;
    for (const value of values) {
      const next = total + value;
      lost += Math.abs(total) >= Math.abs(value) ? total - next + value : value - next + total;
      total = next;
    }
    return Number.isFinite(total) ? total + lost : total;
  }
  const mean = (values) => sum(values) / values.length;
  const largest = (values) => values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const isConstant = (values) => values.every((value) => value === values[0]);
  const minus = (second, first) => second.map((value, place) => value - first[place]);
  const hasGap = (values) => values.some(Number.isNaN);

  function sameLength(truth, prediction) {
    if (truth.length !== prediction.length) throw new RangeError(`arrays differ in length (${truth.length}, ${prediction.length})`);
  }

  // -- numbers -------------------------------------------------------------------------------------------

  function deviations(values) {
    if (!values.length || isConstant(values)) return values.map(() => 0);
    const middle = mean(values);
    return values.map((value) => value - middle);
  }

  /** n, sums of predictions and truths, of their squares and products, and of their offsets, in one unit. */
  function moments(truth, prediction) {
    sameLength(truth, prediction);
    const n = truth.length;
    const offsets = prediction.map((value, place) => value - truth[place]);
    const [x, y] = [deviations(prediction), deviations(truth)];
    const unit = Math.max(largest(x), largest(y), largest(offsets)) || 1;
    const [xs, ys] = [x, y].map((part) => part.map((value) => value / unit));
    const product = (a, b) => sum(a.map((value, place) => value * b[place]));
    const squares = [product(xs, xs), product(ys, ys), product(xs, ys)];
    return [n, sum(xs), sum(ys), ...squares, sum(offsets.map((value) => value / unit))];
  }
  const ccc = (truth, prediction) => VALUES.ccc(moments(truth, prediction))[0];
  const pcc = (truth, prediction) => VALUES.pcc(moments(truth, prediction))[0];

  function mae(truth, prediction) {
    sameLength(truth, prediction);
    return mean(truth.map((value, place) => Math.abs(value - prediction[place])));
  }

  function meanDirectionalError(truth, prediction) {
    sameLength(truth, prediction);
    return mean(prediction.map((value, place) => value - truth[place]));
  }

  // -- order ---------------------------------------------------------------------------------------------

  /** Ranks from 1; equal values share the mean of their ranks. */
  function averageRanks(values) {
    const order = values.map((_, place) => place).sort((a, b) => values[a] - values[b]);
    const least = TIE * largest(values);
    const ranks = new Array(values.length);
    let first = 0;
    order.forEach((place, at) => {
      const isLast = at + 1 === order.length || values[order[at + 1]] - values[place] > least;
      if (!isLast) return;
      order.slice(first, at + 1).forEach((member) => (ranks[member] = (first + 1 + at + 1) / 2));
      first = at + 1;
    });
    return ranks;
  }

  function spearmansRho(truth, prediction) {
    sameLength(truth, prediction);
    if (hasGap(truth) || hasGap(prediction)) return NONE;
    return pcc(averageRanks(truth), averageRanks(prediction));
  }

  // -- classes and bins ----------------------------------------------------------------------------------

  /** Order of names by their characters, as Python has it. */
  function byName(a, b) {
    const [left, right] = [Array.from(a), Array.from(b)];
    for (let place = 0; place < Math.min(left.length, right.length); place += 1) {
      const difference = left[place].codePointAt(0) - right[place].codePointAt(0);
      if (difference) return difference;
    }
    return left.length - right.length;
  }

  function classCodes(values, labels) {
    const places = new Map(labels.map((label, place) => [label, place]));
    return values.map((value) => places.get(value) ?? -1);
  }

  /** Number of values in each cell; those of -1 do not count. */
  function countCodes(codes, number) {
    const counts = new Array(number).fill(0);
    codes.forEach((code) => {
      if (code >= 0) counts[code] += 1;
    });
    return counts;
  }

  const edges = (bins) => Array.from({ length: bins - 1 }, (_, place) => (place + 1) / bins);
  function binLabels(bins) {
    const ends = ["-inf", ...edges(bins).map((edge) => String(Number(edge.toPrecision(6)))), "inf"];
    return ends.slice(1).map((end, place) => `(${ends[place]}, ${end}]`);
  }
  /** Bin of each value; bins are closed on the right, and no number counts as too high. */
  function binCodes(values, bins) {
    const ends = edges(bins);
    return values.map((value) => {
      const place = ends.findIndex((edge) => value <= edge);
      return place < 0 ? bins - 1 : place;
    });
  }
  const binCounts = (values, bins) => (hasGap(values) ? new Array(bins).fill(NONE) : countCodes(binCodes(values, bins), bins));

  /** Values by label, in alphabetical order. */
  function byLabel(labels, values) {
    const order = labels.map((_, place) => place).sort((a, b) => byName(labels[a], labels[b]));
    return Object.fromEntries(order.map((place) => [labels[place], values[place]]));
  }
  /** Values by bin; a bin with too few values has none. */
  const byBin = (values, counts, least) =>
    Object.fromEntries(binLabels(values.length).map((label, place) => [label, counts[place] < least ? NONE : values[place]]));

  /** Share of hits among the samples that the truth (recall) or the prediction (precision) puts into each class. */
  function shareOfHits(truth, prediction, side, number) {
    const chosen = side === "truth" ? truth : prediction;
    const all = countCodes(chosen, number);
    const hits = countCodes(chosen.map((code, place) => (truth[place] === prediction[place] ? code : -1)), number);
    const sums = [...hits, ...minus(all, hits)];
    return VALUES.recall_per_class(sums, sums);
  }

  function classHits(truth, prediction, side, { labels }) {
    sameLength(truth, prediction);
    return shareOfHits(classCodes(truth, labels), classCodes(prediction, labels), side, labels.length);
  }
  const unweighted = (side) => (truth, prediction, params) => mean(classHits(truth, prediction, side, params));
  const perClass = (side) => (truth, prediction, params) => byLabel(params.labels, classHits(truth, prediction, side, params));

  const perBin = (side) => (truth, prediction, { bins, min_count }) => {
    sameLength(truth, prediction);
    const unknown = hasGap(truth) || hasGap(prediction);
    const shares = unknown ? new Array(bins).fill(NONE) : shareOfHits(binCodes(truth, bins), binCodes(prediction, bins), side, bins);
    return byBin(shares, binCounts(truth, bins), min_count);
  };

  // -- distributions -------------------------------------------------------------------------------------

  function shares(counts) {
    const whole = sum(counts);
    return counts.map((count) => count / whole);
  }
  const bothBinCounts = (truth, prediction, { bins }) => [truth, prediction].flatMap((values) => binCounts(values, bins));
  const jensenShannonDistance = (...given) => VALUES.jensen_shannon_distance(bothBinCounts(...given))[0];

  const classShares = (values, { labels }) => shares(countCodes(classCodes(values, labels), labels.length));
  const binShares = (values, { bins }) => shares(binCounts(values, bins));
  const bothClassCounts = (truth, prediction, { labels }) =>
    [truth, prediction].flatMap((values) => countCodes(classCodes(values, labels), labels.length));
  const relativeDifferencePerClass = (truth, prediction, params) =>
    byLabel(params.labels, VALUES.relative_difference_per_class(bothClassCounts(truth, prediction, params)));
  const relativeDifferencePerBin = (truth, prediction, params) => {
    const differences = VALUES.relative_difference_per_bin(bothBinCounts(truth, prediction, params));
    return byBin(differences, binCounts(truth, params.bins), params.min_count);
  };
  /** About a common origin: far from zero, two means lose the digits of their difference. */
  function meanDifference(truth, prediction) {
    const origin = truth.length ? mean(truth) : 0;
    const sums = [truth, prediction].flatMap((values) => [values.length, sum(values.map((value) => value - origin))]);
    return VALUES.mean_difference(sums)[0];
  }

  /** What a difference of two sets is the difference of, for one set. */
  const LEVELS = {
    mean_difference: (values) => mean(values),
    relative_difference_per_bin: (values, params) => byBin(binShares(values, params), binCounts(values, params.bins), params.min_count),
    relative_difference_per_class: (values, params) => byLabel(params.labels, classShares(values, params)),
  };

  function shareInRange(prediction, { low, high }) {
    return prediction.filter((value) => value >= (low ?? -Infinity) && value <= (high ?? Infinity)).length / prediction.length;
  }

  // -- units, such as speakers -----------------------------------------------------------------------------

  const column = (rows, place) => rows.map((row) => row[place]);
  const perShare = (one) => (truth, prediction, { labels }) => {
    sameLength(truth, prediction);
    return byLabel(labels, labels.map((_, place) => one(column(truth, place), column(prediction, place))));
  };

  /** One value per unit: the mean of its rows, or the share of each class among them. */
  function unitValues(values, units, number, labels) {
    const rows = Array.from({ length: number }, () => []);
    units.forEach((unit, place) => rows[unit].push(values[place]));
    if (!labels) return rows.map(mean);
    return rows.map((part) => countCodes(classCodes(part, labels), labels.length).map((count) => count / part.length));
  }

  // -- shifts of groups in a context -------------------------------------------------------------------------

  function membersOf(group) {
    const members = new Map([...new Set(group)].sort(byName).map((name) => [name, []]));
    group.forEach((name, place) => members.get(name).push(place));
    return members;
  }

  function meanShiftDifference(prediction, group, context) {
    sameLength(prediction, group);
    const members = membersOf(group);
    const origin = prediction.length ? mean(prediction) : 0;
    const shifts = [...members.values()].map((places) => {
      const values = places.map((place) => prediction[place] - origin);
      return mean(values.filter((_, place) => context[places[place]])) - mean(values);
    });
    const compared = compareShifts(shifts);
    return Object.fromEntries([...members.keys()].map((name, place) => [name, compared[place]]));
  }

  /** Shifts of the shares of classes or bins; codes of the predictions, and names of the codes. */
  function shiftsOfShares(codes, names, group, context, least) {
    sameLength(codes, group);
    const members = membersOf(group);
    const counted = (places) => countCodes(places.map((place) => codes[place]), names.length);
    const parts = [...members.values()].map((places) => {
      const inside = counted(places.filter((place) => context[place]));
      return { inside, shift: minus(shares(inside), shares(counted(places))) };
    });
    const tables = names.map((_, place) => {
      const enough = sum(parts.map(({ inside }) => inside[place])) >= least;
      return compareShifts(parts.map(({ shift }) => (enough ? shift[place] : NONE)));
    });
    return Object.fromEntries([...members.keys()].map((name, row) => [
      name, Object.fromEntries(names.map((label, place) => [label, tables[place][row]])),
    ]));
  }
  function classShifts(prediction, group, context, { labels }) {
    const names = [...labels].sort(byName);
    return shiftsOfShares(classCodes(prediction, names), names, group, context, 0);
  }
  const binShifts = (prediction, group, context, { bins, min_count }) =>
    shiftsOfShares(binCodes(prediction, bins), binLabels(bins), group, context, min_count);

  // -- all of them -----------------------------------------------------------------------------------------

  /** Id of a metric -> its function, with the arrays of the function in Python, then its parameters. */
  const TABLE = {
    ccc,
    pcc,
    mae,
    mean_directional_error: meanDirectionalError,
    spearmans_rho: spearmansRho,
    uar: unweighted("truth"),
    uap: unweighted("prediction"),
    recall_per_class: perClass("truth"),
    precision_per_class: perClass("prediction"),
    recall_per_bin: perBin("truth"),
    precision_per_bin: perBin("prediction"),
    jensen_shannon_distance: jensenShannonDistance,
    relative_difference_per_class: relativeDifferencePerClass,
    relative_difference_per_bin: relativeDifferencePerBin,
    mean_difference: meanDifference,
    samples_in_expected_low_range: shareInRange,
    samples_in_expected_neutral_range: shareInRange,
    samples_in_expected_high_range: shareInRange,
    class_proportion_mae: perShare(mae),
    class_proportion_spearmans_rho: perShare(spearmansRho),
    mean_shift_difference: meanShiftDifference,
    class_proportion_shift_difference: classShifts,
    bin_proportion_shift_difference: binShifts,
  };

  window.metrics = { TABLE, LEVELS, unitValues, binCodes, binLabels, countCodes, isConstant, byName, sum };
})();
