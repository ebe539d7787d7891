/* How predictions are compared: the designs of common/designs that need no changed signal, by the same definitions.
   A test comes with its samples and groups (common/pages/own); what follows from predictions is computed here. */
(() => {
  "use strict";

  const { TABLE, LEVELS, unitValues, binCodes, binLabels, countCodes, isConstant, byName } = window.metrics;
  const NONE = Number.NaN;
  const DATA = "data";
  const MODEL = "model";
  /** What a group is compared with. */
  const EVERYONE = "all";
  /** A bound that is simulated for the samples of a score, which does not exist. */
  const SIMULATED = "|x| < simulated";
  /** A model with a larger share of predictions outside the range of the target has another scale. */
  const MOST_OUTSIDE = 0.1;

  /** The answers of a model that no design accepts. */
  class ModelError extends Error {}

  // -- names and reasons -----------------------------------------------------------------------------------

  const remark = (...parts) => parts.filter(Boolean).join("; ");
  const python = (value) => (typeof value === "number" && Number.isInteger(value) ? value.toFixed(1) : String(value));
  const NO_CLASS = "no class"; // a prediction that names a class which the target does not have
  const observed = (...values) => [...new Set(values.flat())].filter((value) => value !== NO_CLASS).sort(byName);
  const values = (result) => (typeof result === "number" ? { "": result } : result);
  const at = (list, places) => places.map((place) => list[place]);

  const isSilent = (recordings) => recordings.every(({ events }) => !events.length);
  function whyUndefinedEvents(truth, label) {
    if (!truth.length) return "no samples";
    if (isSilent(truth)) return "no annotated events";
    return label ? `no annotated events of ${label}` : "no frame scores";
  }
  /** What caused a missing value: the data, if the class is not annotated. */
  const causeOfEvents = (truth, label, labels) => {
    const code = labels.indexOf(label);
    return isSilent(truth) || (label && !truth.some(({ events }) => events.some((event) => event.label === code))) ? DATA : MODEL;
  };

  function whyUndefined(truth, prediction, what = "samples", label = "", params = {}) {
    const least = params.min_count || 0;
    if (!truth.length || !prediction.length) return `no ${what}`;
    if (label && least) return `fewer than ${least} ${what} in ${label}`;
    if (prediction.length < 2) return `fewer than 2 ${what}`;
    const constant = [["annotations", truth], ["predictions", prediction]].filter(([, list]) => isConstant(list)).map(([name]) => name);
    return constant.length ? `constant ${constant.join(" and ")}` : "not defined for these values";
  }

  /** What caused a missing value: the data, if predictions that equal the truth have none either. */
  const causeOf = (perfect, label) => (Number.isNaN(values(perfect)[label] ?? NONE) ? DATA : MODEL);

  /** What is wrong with the predictions as a whole: why nothing can be compared, and a remark. */
  function checkPredictions(target, prediction) {
    const n = prediction.length;
    if (target.kind === "events") return [isSilent(prediction) ? "no predicted events in any recording" : "", ""];
    if (n && isConstant(prediction)) return [`constant predictions: ${python(prediction[0])} for all ${n} samples`, ""];
    if (!target.range) return ["", ""];
    const [low, high] = target.range;
    const outside = prediction.filter((value) => value < low || value > high);
    if (!outside.length) return ["", ""];
    const text = `${outside.length} of ${n} predictions outside [${low}, ${high}]`;
    if (outside.length > MOST_OUTSIDE * n) {
      const [least, most] = [Math.min(...outside, ...prediction.slice(0, 1)), Math.max(...outside, ...prediction.slice(0, 1))];
      throw new ModelError(`${text}, from ${Number(least.toPrecision(6))} to ${Number(most.toPrecision(6))}. Scale them to the range of the target`);
    }
    return ["", text];
  }

  // -- one metric on pairs ---------------------------------------------------------------------------------

  function sizesOf(use, truth, prediction) {
    if (!use.counts) return null;
    const chosen = use.counts === "truth" ? truth : prediction;
    const sizes = new Map();
    if (use.params.bins) {
      const counts = countCodes(binCodes(chosen, use.params.bins), use.params.bins);
      binLabels(use.params.bins).forEach((label, place) => sizes.set(label, counts[place]));
    } else chosen.forEach((value) => sizes.set(value, (sizes.get(value) || 0) + 1));
    return sizes;
  }

  /** Scores of a metric that compares samples one by one. */
  function scorePair(target, use, truth, prediction, labels, params = use.params) {
    const measure = (first, second) => TABLE[use.metric](first, second, { ...params, labels });
    const sizes = sizesOf(use, truth, prediction);
    return Object.entries(values(measure(truth, prediction))).map(([label, value]) => {
      const missing = Number.isNaN(value);
      const listed = target.kind === "events";
      const reason = () => (listed ? whyUndefinedEvents(truth, label) : whyUndefined(truth, prediction, "samples", label, params));
      const cause = () => (listed ? causeOfEvents(truth, label, labels) : causeOf(measure(truth, truth), label));
      return {
        metric: use.metric, label, value,
        n: sizes && label ? sizes.get(label) || 0 : prediction.length,
        reason: missing ? reason() : "",
        cause: missing ? cause() : "",
      };
    });
  }
  const classesOf = (target, truth, prediction) =>
    target.kind === "classification" ? observed(truth, prediction) : target.kind === "events" ? target.labels : [];

  // -- groups ------------------------------------------------------------------------------------------------

  const membersOf = (entry) => entry.groups.map((_, group) => entry.codes.flatMap((code, place) => (code === group ? [place] : [])));
  const leftOut = (entry, use, condition = null) => entry.left_out.map((group) => ({
    metric: use.metric, label: "", value: NONE, n: 0, cause: DATA,
    ...group, condition: condition ?? group.condition,
  }));
  const uncounted = ({ params }) => ("min_count" in params ? { ...params, min_count: 0 } : params);
  /** Of a group that cannot be compared because all answers are alike. */
  const unlessConstant = (score, constant, cause = MODEL) =>
    constant ? { ...score, value: NONE, reason: constant, cause } : score;

  // -- designs -----------------------------------------------------------------------------------------------

  function againstTruth(entry, target, truth, prediction) {
    const labels = classesOf(target, truth, prediction);
    return entry.uses.flatMap((use) => scorePair(target, use, truth, prediction, labels));
  }

  function perUnit(entry, target, truth, prediction) {
    const labels = target.kind === "classification" ? target.labels : null;
    const [first, second] = [truth, prediction].map((list) => unitValues(list, entry.codes, entry.units, labels));
    const note = `${entry.units} ${entry.unit}${entry.units === 1 ? "" : "s"}`;
    return entry.uses.flatMap((use) => {
      const measure = (a, b) => TABLE[use.metric](a, b, { ...use.params, labels: labels || [] });
      return Object.entries(values(measure(first, second))).map(([label, value]) => {
        const column = (rows) => (labels ? rows.map((row) => row[labels.indexOf(label)]) : rows);
        const missing = Number.isNaN(value);
        return {
          metric: use.metric, label, value, n: truth.length, note,
          reason: missing ? whyUndefined(column(first), column(second), `${entry.unit}s`) : "",
          cause: missing ? causeOf(measure(first, first), label) : "",
        };
      });
    });
  }

  function expectedRange(entry, target, truth, prediction) {
    return entry.uses.flatMap((use) => {
      const { categories, low, high } = entry.ranges[use.metric];
      return categories.map((label) => {
        const code = entry.categories.indexOf(label);
        const chosen = prediction.filter((_, place) => entry.codes[place] === code);
        const reason = chosen.length ? "" : `no sample of ${label}`;
        return { metric: use.metric, label, value: TABLE[use.metric](chosen, { low, high }), n: chosen.length, reason, cause: reason ? DATA : "" };
      });
    });
  }

  function byGroup(entry, target, truth, prediction) {
    const labels = classesOf(target, truth, prediction);
    const [constant, outside] = checkPredictions(target, prediction);
    const members = membersOf(entry);
    return entry.uses.flatMap((use) => {
      const everyone = scorePair(target, use, truth, prediction, labels);
      const scores = entry.groups.flatMap((group, number) => {
        const part = scorePair(target, use, at(truth, members[number]), at(prediction, members[number]), labels, uncounted(use));
        return part.map((score, place) => {
          const all = everyone[place];
          const cause = [score.cause, all.cause].includes(DATA) ? DATA : score.cause || all.cause;
          const joined = {
            ...score, ...group, cause,
            value: score.value - all.value,
            reference: EVERYONE, reference_value: all.value,
            reason: all.reason || score.reason,
            note: remark(entry.note, outside),
          };
          return unlessConstant(joined, constant, cause || MODEL);
        });
      });
      return [...scores, ...leftOut(entry, use)];
    });
  }

  function groupShift(entry, target, truth, prediction) {
    const [constant, outside] = checkPredictions(target, prediction);
    const members = membersOf(entry);
    const labels = target.labels;
    return entry.uses.flatMap((use) => {
      const level = (list, params) => values(LEVELS[use.metric](list, { ...params, labels }));
      const all = level(prediction, use.params);
      const least = use.params.min_count || 0;
      const scores = entry.groups.flatMap((group, number) =>
        Object.entries(level(at(prediction, members[number]), uncounted(use))).map(([label, value]) => {
          const missing = Number.isNaN(all[label]);
          const score = {
            metric: use.metric, label, ...group,
            value: value - all[label], n: members[number].length,
            reference: EVERYONE, reference_value: all[label], note: remark(entry.note, outside),
            reason: missing ? whyUndefined(prediction, prediction, "predictions of all groups", label, use.params) : "",
            cause: missing ? (prediction.length >= Math.max(1, least) ? MODEL : DATA) : "",
          };
          return unlessConstant(score, constant);
        }));
      return [...scores, ...leftOut(entry, use)];
    });
  }

  function contextShift(entry, target, truth, prediction) {
    const [constant, outside] = checkPredictions(target, prediction);
    const names = entry.codes.map(String);
    const two = (value) => value.toFixed(2).replace("-0.00", "0.00").replace("-", "−");
    const after = (text) => (text.startsWith("−") ? `(${text})` : text);
    return entry.uses.flatMap((use) => entry.contexts.flatMap((condition, context) => {
      const inside = entry.inside.map((code) => code === context);
      const shifts = TABLE[use.metric](prediction, names, inside, { ...use.params, labels: target.labels });
      const total = inside.filter(Boolean).length;
      const least = use.params.min_count || 0;
      const scores = entry.groups.flatMap((group, number) => {
        const own = shifts[String(number)];
        const n = inside.filter((there, place) => there && entry.codes[place] === number).length;
        return Object.entries("difference" in own ? { "": own } : own).map(([label, shift]) => {
          const missing = Number.isNaN(shift.difference);
          const few = n && label && "min_count" in use.params;
          const score = {
            metric: use.metric, label, ...group, condition,
            value: shift.difference, n, reference: EVERYONE, reference_value: shift.average,
            reason: !missing ? "" : few ? `fewer than ${least} predictions of all groups in ${label} in this context` : "no sample of the group in this context",
            cause: !missing ? "" : n && total >= least ? MODEL : DATA,
            note: remark(missing ? "" : `(${two(shift.shift)} − ${after(two(shift.average))})`, entry.note, outside),
          };
          return unlessConstant(score, constant);
        });
      });
      return [...scores, ...leftOut(entry, use, condition)];
    }));
  }

  const DESIGNS = {
    against_truth: againstTruth,
    per_unit: perUnit,
    expected_range: expectedRange,
    by_group: byGroup,
    group_shift: groupShift,
    context_shift: contextShift,
  };

  // -- verdicts ----------------------------------------------------------------------------------------------

  /** Verdict on a score; a bound that no score could exceed gives none. */
  function judged(score, criterion, skip) {
    if (Number.isNaN(score.value)) return { status: "skip", reason: score.reason || "not defined", cause: score.cause };
    if (skip) return { status: "skip", reason: skip, cause: DATA };
    const { kind, bounds } = window.scoring.criterion(criterion);
    return { status: window.scoring.HOLDS[kind](score.value, bounds) ? "pass" : "fail", reason: "", cause: "" };
  }

  /** Metrics of a test that this page does not know, such as a reader's own. */
  const unknownOf = (entry) => entry.uses.map(({ metric }) => metric).filter((metric) => !Object.hasOwn(TABLE, metric));

  /** Result rows of a test; predictions and truth are those of its samples. */
  function rowsOf(entry, { target, dataset }, truth, prediction) {
    const rules = new Map(entry.rules.map(([metric, condition, data, ...rule]) => [JSON.stringify([metric, condition, data]), rule]));
    const scores = prediction.length
      ? DESIGNS[entry.design](entry, target, truth, prediction)
      : entry.uses.map(({ metric }) => ({ metric, label: "", value: NONE, n: 0, reason: entry.reason, cause: DATA }));
    return scores.map((score) => {
      const { condition = "original", data = dataset.data, reference = "", reference_value = NONE } = score;
      const [criterion, bound, skip, about] = rules.get(JSON.stringify([score.metric, condition, data]));
      return {
        target: target.id, test: entry.id, dataset: dataset.id, dataset_version: dataset.version, data, condition, reference,
        metric: score.metric, label: score.label, value: score.value, reference_value, n: score.n,
        criterion: bound === "simulated" && Number.isNaN(score.value) ? SIMULATED : criterion, bound, ...judged(score, criterion, skip), note: remark(score.note, Number.isNaN(score.value) ? "" : about),
      };
    });
  }

  window.designs = { ModelError, DESIGNS, rowsOf, unknownOf };
})();
