/* Metrics of lists of sound events, by the definitions of common/metrics/events, added to those of metrics.js.
   Here are the counts; what follows from them is in sums.js.
   A recording is { seconds, events }, an event { onset, offset, label }; its label is a place among the classes. */
(() => {
  "use strict";

  const NONE = Number.NaN;
  /** Shares that differ by less are added up once more, with what addition loses. */
  const NEAR = 1e-9;
  const { VALUES } = window.sums;

  function recordings(truth, prediction) {
    if (truth.length !== prediction.length) throw new RangeError(`arrays differ in length (${truth.length}, ${prediction.length})`);
    return truth.map((recording, place) => [recording, prediction[place]]);
  }
  const zeros = (number) => new Array(number).fill(0);
  const counted = (events, number) => {
    const counts = zeros(number);
    events.forEach(({ label }) => (counts[label] += 1));
    return counts;
  };
  const inOrder = (events) => [...events].sort((a, b) => a.onset - b.onset || a.offset - b.offset || a.label - b.label);

  // -- counts of a recording ---------------------------------------------------------------------------

  function bySegment([truth, prediction], number, { time_resolution }) {
    const segments = Math.ceil(truth.seconds / time_resolution);
    const active = [truth, prediction].map(({ events }) => {
      const cells = Array.from({ length: segments }, () => new Set());
      events.filter(({ onset, offset }) => onset <= offset).forEach(({ onset, offset, label }) => {
        const stop = Math.min(Math.ceil(offset / time_resolution), segments);
        for (let segment = Math.floor(onset / time_resolution); segment < stop; segment += 1) cells[segment].add(label);
      });
      return cells;
    });
    const counts = { tp: zeros(number), ref: zeros(number), sys: zeros(number), errors: 0 };
    active[0].forEach((ref, segment) => {
      const sys = active[1][segment];
      const both = [...ref].filter((label) => sys.has(label));
      both.forEach((label) => (counts.tp[label] += 1));
      ref.forEach((label) => (counts.ref[label] += 1));
      sys.forEach((label) => (counts.sys[label] += 1));
      counts.errors += Math.max(ref.size, sys.size) - both.length;
    });
    return counts;
  }

  /** Column of each row in an assignment of least cost; a square table (Hungarian method). */
  function assigned(cost) {
    const n = cost.length;
    const [rowPrice, columnPrice] = [zeros(n + 1), zeros(n + 1)];
    const rowOf = zeros(n + 1);
    for (let row = 1; row <= n; row += 1) {
      rowOf[0] = row;
      let column = 0;
      const least = new Array(n + 1).fill(Infinity);
      const before = zeros(n + 1);
      const used = new Array(n + 1).fill(false);
      do {
        used[column] = true;
        let [step, next] = [Infinity, 0];
        for (let other = 1; other <= n; other += 1) {
          if (used[other]) continue;
          const price = cost[rowOf[column] - 1][other - 1] - rowPrice[rowOf[column]] - columnPrice[other];
          if (price < least[other]) [least[other], before[other]] = [price, column];
          if (least[other] < step) [step, next] = [least[other], other];
        }
        for (let other = 0; other <= n; other += 1) {
          if (used[other]) {
            rowPrice[rowOf[other]] += step;
            columnPrice[other] -= step;
          } else least[other] -= step;
        }
        column = next;
      } while (rowOf[column]);
      while (column) {
        rowOf[column] = rowOf[before[column]];
        column = before[column];
      }
    }
    const columns = zeros(n);
    rowOf.slice(1).forEach((row, column) => (columns[row - 1] = column));
    return columns;
  }

  /** As many pairs of one class as possible, then as many of different classes. */
  function byEvent([truth, prediction], number, { t_collar, percentage_of_length }) {
    const [refs, found] = [truth.events, prediction.events];
    const fits = (ref, sys) =>
      Math.abs(ref.onset - sys.onset) <= t_collar &&
      Math.abs(ref.offset - sys.offset) <= Math.max(t_collar, percentage_of_length * (ref.offset - ref.onset));
    const size = Math.max(refs.length, found.length);
    const weight = Math.min(refs.length, found.length) + 1;
    const gain = (ref, sys) => (ref && sys && fits(ref, sys) ? (ref.label === sys.label ? weight : 1) : 0);
    const rows = Array.from({ length: size }, (_, row) => Array.from({ length: size }, (__, column) => -gain(refs[row], found[column])));
    const pairs = assigned(rows).map((column, row) => [refs[row], -rows[row][column]]).filter(([, value]) => value);
    const hits = pairs.filter(([, value]) => value === weight).map(([ref]) => ref);
    const substituted = pairs.length - hits.length;
    return {
      tp: counted(hits, number), ref: counted(refs, number), sys: counted(found, number),
      errors: refs.length + found.length - 2 * hits.length - substituted,
    };
  }

  /** Sum after Kahan. */
  function compensated(values) {
    let [total, lost] = [0, 0];
    values.forEach((value) => {
      const part = value - lost;
      const larger = total + part;
      lost = larger - total - part;
      total = larger;
    });
    return total;
  }
  /** Whether parts of a whole add up to a share of it. */
  function reaches(overlaps, length, limit) {
    if (!overlaps.length) return false;
    const parts = overlaps.map((overlap) => overlap / length);
    const total = parts.reduce((all, part) => all + part, 0);
    return (parts.length > 2 && Math.abs(total - limit) < NEAR ? compensated(parts) : total) >= limit;
  }

  function byIntersection([truth, prediction], number, { dtc, gtc }) {
    const usable = ({ events }) => inOrder(events.filter(({ onset, offset }) => offset > onset));
    const [refs, detections] = [usable(truth), usable(prediction)];
    const overlap = (a, b) => Math.min(a.offset, b.offset) - Math.max(a.onset, b.onset);
    const meet = (a, b) => a.label === b.label && a.offset > b.onset && a.onset < b.offset;
    const overlaps = (one, others) => others.filter((other) => meet(one, other)).map((other) => overlap(one, other));
    const isRelevant = (one) => reaches(overlaps(one, refs), one.offset - one.onset, dtc);
    const relevant = detections.filter(isRelevant);
    const wrong = detections.filter((one) => !relevant.includes(one) && one.onset < truth.seconds && one.offset > 0);
    const hits = refs.filter((ref) => reaches(overlaps(ref, relevant), ref.offset - ref.onset, gtc));
    const tp = counted(hits, number);
    return { tp, ref: counted(refs, number), sys: counted(wrong, number).map((count, label) => count + tp[label]), errors: NONE };
  }

  // -- scores of counts --------------------------------------------------------------------------------

  function tally(count, truth, prediction, params) {
    const number = params.labels.length;
    const total = { tp: zeros(number), ref: zeros(number), sys: zeros(number), errors: 0 };
    recordings(truth, prediction).forEach((pair) => {
      const counts = count(pair, number, params);
      ["tp", "ref", "sys"].forEach((name) => counts[name].forEach((value, label) => (total[name][label] += value)));
      total.errors += counts.errors;
    });
    return total;
  }
  const all = (counts) => counts.reduce((whole, count) => whole + count, 0);
  const minus = (counts, hits) => counts.map((count, place) => count - hits[place]);
  /** Hits, misses and false alarms of each class. */
  const perClass = ({ tp, ref, sys }) => [...tp, ...minus(ref, tp), ...minus(sys, tp)];
  const ofAll = ({ tp, ref, sys }) => perClass({ tp: [all(tp)], ref: [all(ref)], sys: [all(sys)] });
  /** Name of a score -> what it makes of counts, by its value of sums. */
  const SCORES = {
    f: (value, total) => value(ofAll(total))[0],
    f_macro: (value, total) => value(perClass(total), perClass(total))[0],
    f_per_class: (value, total, { labels }) =>
      Object.fromEntries(value(perClass(total)).map((score, label) => [labels[label], score])),
    error_rate: (value, { ref, errors }) => value([errors, all(ref)])[0],
  };
  const COUNTINGS = {
    segment: [bySegment, Object.keys(SCORES)],
    event: [byEvent, Object.keys(SCORES)],
    intersection: [byIntersection, ["f_macro", "f_per_class"]],
  };
  Object.entries(COUNTINGS).forEach(([name, [count, scores]]) => scores.forEach((score) => {
    const id = `${name}_${score}`;
    window.metrics.TABLE[id] = (truth, prediction, params) => SCORES[score](VALUES[id], tally(count, truth, prediction, params), params);
  }));
  // a list of events has no scores of frames, which these need
  ["psds", "psds_1", "psds_2"].forEach((id) => (window.metrics.TABLE[id] = () => NONE));
})();
