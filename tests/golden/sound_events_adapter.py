"""The sound event metrics in the words of the cases of sed_eval, psds_eval and sed_scores_eval."""

from __future__ import annotations

import numpy as np

from common.core.errors import DataError
from common.core.registry import unknown
from common.metrics.events.criteria import Criteria
from common.metrics.events.detection_rates import rates
from common.metrics.events.event_based import EventBased
from common.metrics.events.exact_collar import ExactCollar
from common.metrics.events.exact_segment import ExactSegment
from common.metrics.events.fitting import Collar
from common.metrics.events.intersection_based import IntersectionBased
from common.metrics.events.lists import EventList
from common.metrics.events.operating_points import Constraint, distinct, macro_f, select
from common.metrics.events.presets import DCASE_TASK4_COLLAR, PsdsSettings
from common.metrics.events.psds import psds_of_scores
from common.metrics.events.roc import curves, psd_roc, psds_of_roc
from common.metrics.events.segment_based import SegmentBased
from common.samples.event_lists import from_frame, read_events, scores_from_frame
from common.samples.event_lists.durations import from_frame as durations_from_frame


class Adapter:
    """One method per kind of case: files, events and options in, figures by name out."""

    def segment(
        self,
        ref,
        est,
        files,
        labels,
        time_resolution=1.0,
        lengths=None,
        zero_score=False,
        factor=0.5,
        compatibility=None,
    ):
        pool = SegmentBased(labels, time_resolution=time_resolution)
        truth, prediction = (EventList.from_rows(rows, files, labels) for rows in (ref, est))
        given = None if lengths is None else [lengths.get(file, np.nan) for file in files]
        pool.add(files, truth, prediction, lengths=given)
        return pool.scores(
            zero_score=zero_score, factor=factor, compatibility=compatibility
        )._asdict()

    def event(
        self,
        ref,
        est,
        files,
        labels,
        evaluate_onset=True,
        evaluate_offset=True,
        t_collar=0.2,
        percentage_of_length=0.5,
        matching="optimal",
        zero_score=False,
        compatibility=None,
    ):
        pool = EventBased(
            labels,
            t_collar=t_collar,
            percentage_of_length=percentage_of_length,
            evaluate_onset=evaluate_onset,
            evaluate_offset=evaluate_offset,
            matching=matching,
        )
        # labels that are not evaluated must have the same codes in both lists
        names = [*labels, *sorted({row[3] for row in (*ref, *est)} - set(labels))]
        truth, prediction = (EventList.from_rows(rows, files, names) for rows in (ref, est))
        pool.add(files, truth, prediction)
        return pool.scores(zero_score=zero_score, compatibility=compatibility)._asdict()

    def psds(
        self,
        gt,
        meta,
        ops,
        dtc=0.5,
        gtc=0.5,
        cttc=0.3,
        alpha_ct=0.0,
        alpha_st=0.0,
        max_efpr=100.0,
        unit="hour",
        class_names=None,
        overlap="error",
        compatibility=None,
    ):
        pool = _intersections(gt, meta, ops, Criteria(dtc, gtc, cttc), class_names, overlap)
        confusion = pool.confusion()
        found = rates(confusion, alpha_ct=alpha_ct, unit=unit, compatibility=compatibility)
        roc = psd_roc(curves(found.efpr, found.tpr), alpha_st=alpha_st)
        names = [*pool.labels, "WORLD"]
        return {
            "psds": psds_of_roc(roc, max_efpr),
            "classes": list(pool.labels),
            "xp": roc.x.tolist(),
            "etpr": roc.etpr.tolist(),
            "ops": [
                {
                    "counts": {
                        row: dict(zip(names, confusion.counts[point, code].tolist(), strict=True))
                        for code, row in enumerate(pool.labels)
                    },
                    "tpr": _named(pool.labels, found.tpr[point]),
                    "fpr": _named(pool.labels, found.fpr[point]),
                    "efpr": _named(pool.labels, found.efpr[point]),
                    "ctr": {
                        row: _named(pool.labels, found.ctr[point, code])
                        for code, row in enumerate(pool.labels)
                    },
                }
                for point in range(len(confusion.counts))
            ],
        }

    def _macro_f(
        self,
        gt,
        meta,
        ops,
        compatibility,
        dtc=0.5,
        gtc=0.5,
        cttc=0.3,
        beta=1.0,
        class_names=None,
        overlap="error",
    ):
        pool = _intersections(gt, meta, ops, Criteria(dtc, gtc, cttc), class_names, overlap)
        found = macro_f(pool.confusion(), beta=beta, compatibility=compatibility)
        return {"macro_f": found.macro, "per_class": _named(pool.labels, found.classes)}

    def macro_f(self, gt, meta, ops, **options):
        return self._macro_f(gt, meta, ops, "psds_eval", **options)

    def macro_f_zero(self, gt, meta, ops, **options):
        return self._macro_f(gt, meta, ops, None, **options)

    def select_ops(
        self,
        gt,
        meta,
        ops,
        constraints=(),
        alpha_ct=0.0,
        beta=1.0,
        dtc=0.5,
        gtc=0.5,
        cttc=0.3,
        overlap="error",
    ):
        pool = _intersections(gt, meta, ops, Criteria(dtc, gtc, cttc), None, overlap)
        confusion = pool.confusion()
        found = rates(confusion, alpha_ct=alpha_ct, unit="hour")
        demands = [
            Constraint(code_of(pool.labels, label), kind, value)
            for label, kind, value in constraints
        ]
        chosen = select(demands, found, confusion, beta=beta)
        return {
            "rows": [
                {"TPR": row.tpr, "FPR": row.fpr, "eFPR": row.efpr, "Fscore": row.fscore}
                for row in chosen
            ]
        }

    def load_events(self, path, **options):
        return read_events(path, **options).rows()

    def scores(self, table, gt, durations, metric, **options):
        named = scores_from_frame(table)
        missing = sorted(set(durations) ^ set(named.files))
        if missing:
            raise DataError(f"'{missing[0]}' has no scores or no duration")
        lengths = [durations[file] for file in named.files]
        truth = EventList.from_rows(gt, named.files, named.labels)
        if metric == "psds":
            return self._exact_psds(named, truth, lengths, **options)
        threshold, beta = options.pop("threshold", 0.5), options.pop("beta", 1.0)
        if metric.startswith("collar"):
            pool = ExactCollar(named.labels, Collar(**{**DCASE_TASK4_COLLAR, **options}))
            pool.add(named.files, truth, named.scores)
        elif metric.startswith("segment"):
            pool = ExactSegment(named.labels, **{"time_resolution": 1.0, **options})
            pool.add(named.files, truth, named.scores, durations=lengths)
        else:
            raise unknown("metric", metric, METRICS)
        if metric.endswith("best_f"):
            found = pool.best(beta=beta)
        else:
            found = pool.at(threshold, beta=beta)
        values = np.array([best.f_measure for best in found.labels])
        return {"macro": found.macro, "per_class": _named(named.labels, values)}

    def _exact_psds(
        self,
        named,
        truth,
        lengths,
        dtc=0.5,
        gtc=0.5,
        cttc=0.3,
        alpha_ct=0.0,
        alpha_st=0.0,
        max_efpr=100.0,
        unit="hour",
        overlap="error",
    ):
        settings = PsdsSettings(
            Criteria(dtc, gtc, cttc, decimals=6), alpha_ct, alpha_st, max_efpr, unit
        )
        found = psds_of_scores(
            named.files,
            named.labels,
            truth,
            named.scores,
            durations=lengths,
            settings=settings,
            overlap=overlap,
        )
        return {"psds": found.value, "per_class": _named(named.labels, found.classes)}


METRICS = ("psds", "collar_f", "segment_f", "collar_best_f", "segment_best_f")


def _named(labels, values):
    return dict(zip(labels, values.tolist(), strict=True))


def code_of(labels, label):
    if label not in labels:
        raise unknown("class", label, labels)
    return labels.index(label)


def _intersections(gt, meta, ops, criteria, class_names, overlap):
    durations = durations_from_frame(meta, "metadata")
    truth = _events(gt, "ground truth")
    points = [_events(table, f"detections {at}") for at, table in enumerate(ops, start=1)]
    files = dict.fromkeys([*durations, *truth.files, *(f for each in points for f in each.files)])
    # events without length are checked but make no class
    labels = sorted({*truth[truth.offset > truth.onset].labels, *(class_names or ())})
    lists = [table.encode(list(files), labels)[0] for table in (truth, *points)]
    kept = [lists[1 + number] for number in distinct(lists[1:]).kept]
    pool = IntersectionBased(labels, criteria, points=len(kept), overlap=overlap, outside="ignore")
    lengths = [durations.get(file, np.nan) for file in files]
    pool.add(list(files), lists[0], kept, durations=lengths)
    return pool


def _events(table, name):
    complete = set(COLUMNS) <= set(getattr(table, "columns", ()))
    # psds_eval leaves rows with a missing value out, which in a truth are files without events
    return from_frame(table.dropna(subset=COLUMNS) if complete else table, name)


COLUMNS = ["filename", "onset", "offset", "event_label"]
