/* Values of metrics as functions of sums, one function for each metric whose sums of speakers are kept; metrics.js
   takes them from here.
   common/metrics says the same in Python: (sums, sums of all samples, parameters) -> values. */
(() => {
  "use strict";

  const range = (number) => [...new Array(number).keys()];
  const add = (values) => values.reduce((all, value) => all + value, 0);
  const mean = (values) => {
    const there = values.filter((value) => !Number.isNaN(value));
    return there.length ? add(there) / there.length : NaN;
  };

  /** Hits as a share of hits and misses; 0 where there is no case at all, NaN where only these sums lack one. */
  function shareOfHits(sums, total) {
    const m = sums.length / 2;
    return range(m).map((c) => {
      const whole = sums[c] + sums[c + m];
      const all = total[c] + total[c + m];
      return all === 0 ? 0 : whole > 0 ? sums[c] / whole : NaN;
    });
  }
  const share = (sums) => [sums[0] / add(sums)];
  const average = (sums) => [sums[1] / sums[0]];

  /** Both parts, each divided by its own sum. */
  function twoShares(sums) {
    const m = sums.length / 2;
    const parts = [sums.slice(0, m), sums.slice(m)];
    return parts.map((part) => part.map((value) => value / add(part)));
  }
  function differenceOfShares(sums) {
    const [first, second] = twoShares(sums);
    return first.map((value, place) => second[place] - value);
  }
  function distance(sums) {
    const [first, second] = twoShares(sums);
    const entropy = (part) => add(part.map((p, k) => (p === 0 ? 0 : p * Math.log2(p / ((first[k] + second[k]) / 2)))));
    return [Math.sqrt(Math.min(1, Math.max(0, (entropy(first) + entropy(second)) / 2)))];
  }
  const differenceOfMeans = (sums) => [sums[3] / sums[2] - sums[1] / sums[0]];

  /** n, squared deviations of both sides, their products, and the mean offset. */
  function spreads([n, x, y, xx, yy, xy, offset]) {
    const clear = (value, square) => (value <= 1e-12 * square ? 0 : value);
    const [sxx, syy] = [clear(xx - (x * x) / n, xx), clear(yy - (y * y) / n, yy)];
    return [n, sxx, syy, sxx === 0 || syy === 0 ? 0 : xy - (x * y) / n, offset / n];
  }
  const clip = (value) => Math.min(1, Math.max(-1, value));
  function concordance(sums) {
    const [n, sxx, syy, sxy, offset] = spreads(sums);
    const below = sxx + syy + n * offset ** 2;
    return [n < 2 || below === 0 ? NaN : clip((2 * sxy) / below)];
  }
  function correlation(sums) {
    const [n, sxx, syy, sxy] = spreads(sums);
    return [n < 2 || sxx === 0 || syy === 0 ? NaN : clip(sxy / Math.sqrt(sxx * syy))];
  }

  /** Shift of each group, the mean shift of the groups that have one, and their difference. */
  function compareShifts(shifts) {
    const average = mean(shifts);
    return shifts.map((shift) => ({ difference: shift - average, shift, average }));
  }
  function fromAverage(shifts) {
    const columns = shifts[0].map((_, k) => compareShifts(shifts.map((line) => line[k])));
    return shifts.flatMap((line, g) => line.map((_, k) => columns[k][g].difference));
  }
  function shiftsOfMeans(sums) {
    const half = sums.length / 2;
    return fromAverage(range(half / 2).map((g) => {
      const [numbers, totals] = [sums.slice(2 * g, 2 * g + 2), sums.slice(half + 2 * g, half + 2 * g + 2)];
      return [totals[1] / numbers[1] - add(totals) / add(numbers)];
    }));
  }
  function shiftsOfShares(sums, m) {
    const table = (g) => sums.slice(2 * m * g, 2 * m * (g + 1));
    return fromAverage(range(sums.length / m / 2).map((g) => {
      const inside = range(m).map((k) => table(g)[2 * k + 1]);
      const every = range(m).map((k) => table(g)[2 * k] + inside[k]);
      return range(m).map((k) => inside[k] / add(inside) - every[k] / add(every));
    }));
  }

  /** F-scores of hits, misses and false alarms; NaN without a reference. */
  function fScores(sums) {
    const m = sums.length / 3;
    return range(m).map((c) => (sums[c] + sums[c + m] > 0 ? (2 * sums[c]) / (2 * sums[c] + sums[c + m] + sums[c + 2 * m]) : NaN));
  }
  function meanF(sums, total) {
    const m = sums.length / 3;
    return [mean(fScores(sums).filter((_, c) => total[c] + total[c + m] > 0))];
  }
  const errorRate = (sums) => [sums[1] === 0 ? NaN : sums[0] / sums[1]];
  const meanOfShares = (sums, total) => [mean(shareOfHits(sums, total))];

  const VALUES = {
    ccc: concordance,
    pcc: correlation,
    mae: average,
    mean_directional_error: average,
    uar: meanOfShares,
    uap: meanOfShares,
    recall_per_class: shareOfHits,
    precision_per_class: shareOfHits,
    recall_per_bin: shareOfHits,
    precision_per_bin: shareOfHits,
    relative_difference_per_class: differenceOfShares,
    relative_difference_per_bin: differenceOfShares,
    jensen_shannon_distance: distance,
    mean_difference: differenceOfMeans,
    percentage_unchanged: share,
    percentage_unchanged_classes: share,
    unchanged_segments: share,
    samples_in_expected_low_range: share,
    samples_in_expected_neutral_range: share,
    samples_in_expected_high_range: share,
    class_proportion_mae: (sums) => sums.slice(1).map((value) => value / sums[0]),
    mean_shift_difference: shiftsOfMeans,
    class_proportion_shift_difference: (sums, total, params) => shiftsOfShares(sums, params.labels.length),
    bin_proportion_shift_difference: (sums, total, params) => shiftsOfShares(sums, params.bins),
  };
  ["segment", "event", "intersection"].forEach((counting) => {
    Object.assign(VALUES, {
      [`${counting}_f`]: fScores,
      [`${counting}_f_macro`]: meanF,
      [`${counting}_f_per_class`]: fScores,
      [`${counting}_error_rate`]: errorRate,
    });
  });

  window.sums = { VALUES, compareShifts };
})();
