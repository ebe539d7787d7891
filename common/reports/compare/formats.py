"""A comparison as table, JSON, JUnit XML and Markdown."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import Any
from xml.etree import ElementTree

from ...core.display import number, signed
from ...core.wording import counted
from ..summary.card import markdown
from .flips import Flipped, Flips
from .gate import Rules, compared, passes
from .pairs import OUTCOMES, Comparison, Pair

#: version of the JSON; higher when a reader of the old one would fail
VERSION = "1"
#: most lines of one kind in a table or comment
MOST = 20
#: most samples that are named without --samples
SAMPLES = 5
#: by this line a bot finds its comment again
MARKER = "<!-- speechproof-compare -->"
#: characters that XML 1.0 does not allow
FORBIDDEN = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def text(
    form: str, comparison: Comparison, flipped: Sequence[Flips], rules: Rules, *, samples: bool
) -> str:
    """The comparison in one of :data:`FORMATS`.

    Args:
        form: name of the format
        comparison: with outcomes
        flipped: samples that flipped
        rules: by which the outcomes were found
        samples: whether to name all flipped samples
    """
    return FORMATS[form](comparison, flipped, rules, samples)


def content(
    comparison: Comparison, flipped: Sequence[Flips], rules: Rules, samples: bool
) -> dict[str, Any]:
    """The comparison as JSON has it: null for what is missing."""
    good, why = passes(comparison, rules)
    first, second = comparison.baseline, comparison.candidate
    sides = (("base", first), ("candidate", second))
    return {
        "version": VERSION,
        **{
            f"{role}_model": {
                "id": side.model,
                "version": side.version,
                "folder": side.folder,
                "targets": sorted(side.kept),
            }
            for role, side in sides
        },
        "rules": rules.model_dump(),
        "gate": {"passes": good, "reason": why},
        "counts": {outcome: comparison.count(outcome) for outcome in OUTCOMES},
        "cells": [_cell(pair) for pair in comparison.pairs],
        "flips": [_flip(flip, samples) for flip in flipped],
    }


def _cell(pair: Pair) -> dict[str, Any]:
    cell = {"key": pair.key, **{name: _number(value) for name, value in asdict(pair).items()}}
    for name, row in zip(("base", "candidate"), (pair.baseline, pair.candidate), strict=True):
        cell[f"{name}_value"] = None if row is None else _number(row[0])
        cell[f"{name}_status"] = None if row is None else row[1]
    return {name: value for name, value in cell.items() if name not in SPLIT}


#: fields of a pair that JSON has in two parts
SPLIT = tuple(name for name in Pair.__dataclass_fields__ if name in ("candidate",)) + tuple(
    name for name in Pair.__dataclass_fields__ if name.startswith("base")
)


def _number(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _flip(flip: Flips, every: bool) -> dict[str, Any]:
    lists = {"won": flip.won, "lost": flip.lost}
    return {
        "target": flip.target,
        "dataset": flip.dataset,
        "n": flip.n,
        "mcnemar_p": flip.p,
        **{name: len(samples) for name, samples in lists.items()},
        **{
            f"{name}_samples": [asdict(s) for s in (samples if every else samples[:SAMPLES])]
            for name, samples in lists.items()
        },
    }


def _json(comparison: Comparison, flipped: Sequence[Flips], rules: Rules, samples: bool) -> str:
    document = content(comparison, flipped, rules, samples)
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def value(row: tuple[float, str] | None) -> str:
    """Value and verdict of one side.

    >>> value((0.51234, "pass")), value((float("nan"), "skip")), value(None)
    ('0.512 pass', 'skip', 'none')
    """
    if row is None:
        return "none"
    return row[1] if math.isnan(row[0]) else f"{number(row[0])} {row[1]}"


def _gain(pair: Pair) -> str:
    if math.isnan(pair.gain):
        return ""
    ends = "" if math.isnan(pair.low) else f" [{signed(pair.low)}, {signed(pair.high)}]"
    return f"{signed(pair.gain)}{ends}"


def _p(value: float) -> str:
    if math.isnan(value):
        return ""
    return "<0.001" if value < 0.001 else number(value)


def headline(comparison: Comparison) -> str:
    """What came out, in one line."""
    parts = [f"{comparison.count(outcome)} {outcome}" for outcome in OUTCOMES]
    return ", ".join(parts)


def _sorted(comparison: Comparison, outcome: str) -> list[Pair]:
    """Pairs with an outcome, the surest and largest first."""
    pairs = [pair for pair in comparison.pairs if pair.outcome == outcome]

    def order(pair: Pair) -> tuple[float, float, str]:
        q = -1.0 if math.isnan(pair.q) else pair.q
        size = 0.0 if math.isnan(pair.gain) else -abs(pair.gain)
        return q, size, pair.key

    return sorted(pairs, key=order)


def _reasons(comparison: Comparison) -> list[tuple[str, int]]:
    """Why pairs were not compared, the most frequent reason first."""
    counts: dict[str, int] = {}
    for pair in comparison.pairs:
        if pair.outcome == "not compared":
            counts[pair.reason] = counts.get(pair.reason, 0) + 1
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _verdict_changes(comparison: Comparison) -> tuple[int, int]:
    """How many rows failed and now pass, and the other way round."""
    pairs = [(p.baseline, p.candidate) for p in comparison.pairs if p.outcome != "not compared"]
    changes = [(old[1], new[1]) for old, new in pairs if old and new]
    return changes.count(("fail", "pass")), changes.count(("pass", "fail"))


# -- table --------------------------------------------------------------------------------------


def _table(comparison: Comparison, flipped: Sequence[Flips], rules: Rules, samples: bool) -> str:
    lines = [f"{comparison.candidate.name} compared with {comparison.baseline.name}"]
    lines.append(headline(comparison))
    gained, lost = _verdict_changes(comparison)
    lines.append(f"verdicts: {gained} now pass, {lost} no longer pass")
    for outcome in ("worse", "better"):
        pairs = _sorted(comparison, outcome)
        if pairs:
            lines += ["", f"{outcome} (false discovery rate {rules.alpha:g}):"]
            lines += _aligned([HEAD, *map(_line, pairs[:MOST])])
            if len(pairs) > MOST:
                lines.append(f"... and {len(pairs) - MOST} more: --format json lists all")
    for flip in flipped:
        lines += ["", _flip_line(flip)]
        for title, part in (("won", flip.won), ("lost", flip.lost)):
            for sample in part if samples else part[:SAMPLES]:
                lines.append(f"  {title}  {_sample(sample)}")
    reasons = _reasons(comparison)
    if reasons:
        lines += ["", "not compared:"]
        lines += [f"  {counted(count, 'cell')}: {reason}" for reason, count in reasons[:MOST]]
    return "\n".join(lines) + "\n"


HEAD = ("cell", "before", "after", "gain [95 %]", "q")


def _line(pair: Pair) -> tuple[str, ...]:
    gain = _gain(pair) or pair.reason
    return pair.key, value(pair.baseline), value(pair.candidate), gain, _p(pair.q)


def _aligned(lines: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  " + "  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]


def _flip_line(flip: Flips) -> str:
    place = f"{flip.target} on {flip.dataset}, {flip.n} samples"
    won, lost = len(flip.won), len(flip.lost)
    if flip.p is None:
        return f"{place}: {won} nearer to the annotation, {lost} farther away"
    return f"{place}: {won} now right, {lost} now wrong"


def _sample(sample: Flipped) -> str:
    def shown(item: Any) -> str:
        return number(item) if isinstance(item, float) else str(item)

    says = f"{shown(sample.before)} -> {shown(sample.after)}"
    return f"{sample.sample}: truth {shown(sample.truth)}, {says}"


# -- Markdown -----------------------------------------------------------------------------------


def _markdown(comparison: Comparison, flipped: Sequence[Flips], rules: Rules, samples: bool) -> str:
    good, why = passes(comparison, rules)
    first, second = comparison.baseline.name, comparison.candidate.name
    lines = [MARKER, f"### Speech model tests: {'passed' if good else '**failed**'}", ""]
    lines.append(f"`{_code(second)}` compared with `{_code(first)}`: {why}.")
    lines += ["", "| outcome | scores |", "|---|---:|"]
    lines += [f"| {outcome} | {comparison.count(outcome)} |" for outcome in OUTCOMES]
    gained, lost = _verdict_changes(comparison)
    lines += ["", f"Verdicts: {gained} now pass, {lost} no longer pass."]
    for outcome in ("worse", "better"):
        pairs = _sorted(comparison, outcome)
        if pairs:
            shown = pairs[:MOST]
            head = f"{len(pairs)} {outcome}" + (f", the first {MOST}" if len(pairs) > MOST else "")
            lines += ["", f"<details{' open' if outcome == 'worse' else ''}>"]
            lines += [f"<summary>{head}</summary>", ""]
            lines += [f"| {' | '.join(HEAD)} |", "|---|---|---|---|---|"]
            lines += ["| " + " | ".join(map(markdown, _line(pair))) + " |" for pair in shown]
            lines += ["", "</details>"]
    if flipped:
        lines += ["", "<details>", "<summary>Samples that flipped</summary>", ""]
        for flip in flipped:
            lines.append(f"* {markdown(_flip_line(flip))}")
            for title, part in (("won", flip.won), ("lost", flip.lost)):
                for sample in part if samples else part[:SAMPLES]:
                    lines.append(f"  * {title}: {markdown(_sample(sample))}")
        lines += ["", "</details>"]
    reasons = _reasons(comparison)
    if reasons:
        lines += ["", "<details>", "<summary>Not compared</summary>", ""]
        lines += [
            f"* {counted(count, 'score')}: {markdown(reason)}" for reason, count in reasons[:MOST]
        ]
        lines += ["", "</details>"]
    lines += ["", f"Paired tests, false discovery rate {rules.alpha:g}. Gain: positive is better."]
    return "\n".join(lines) + "\n"


def _code(name: str) -> str:
    return name.replace("`", "'")


# -- JUnit --------------------------------------------------------------------------------------


def _junit(comparison: Comparison, flipped: Sequence[Flips], rules: Rules, samples: bool) -> str:
    suites: dict[tuple[str, str], list[Pair]] = {}
    for pair in comparison.pairs:
        suites.setdefault((pair.target, pair.test), []).append(pair)
    root = ElementTree.Element("testsuites", name=_xml(comparison.candidate.name))
    for (target, test), pairs in suites.items():
        suite = ElementTree.SubElement(root, "testsuite", name=_xml(f"{target}.{test}"))
        _numbers(suite, pairs, rules)
        for pair in pairs:
            _case(suite, pair, rules)
    _numbers(root, comparison.pairs, rules)
    ElementTree.indent(root)
    body = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _numbers(element: ElementTree.Element, pairs: Sequence[Pair], rules: Rules) -> None:
    outcomes = [pair.outcome for pair in pairs]
    errors = 0 if rules.allow_missing else sum(pair.missing for pair in pairs)
    element.set("tests", str(len(pairs)))
    element.set("failures", str(outcomes.count("worse")))
    element.set("errors", str(errors))
    element.set("skipped", str(outcomes.count("not compared") - errors))


def _case(suite: ElementTree.Element, pair: Pair, rules: Rules) -> None:
    name = "/".join(pair.key.split("/")[2:])
    case = ElementTree.SubElement(
        suite, "testcase", classname=_xml(f"{pair.target}.{pair.test}"), name=_xml(name), time="0"
    )
    says = f"{value(pair.baseline)} -> {value(pair.candidate)}"
    if pair.outcome == "worse":
        why = pair.reason or f"gain {_gain(pair)}, q {_p(pair.q)}, {pair.method}"
        failure = ElementTree.SubElement(case, "failure", message=_xml(f"worse: {says}"))
        failure.set("type", "regression")
        failure.text = _xml(why)
    elif pair.missing and not rules.allow_missing:
        error = ElementTree.SubElement(case, "error", message=_xml(pair.reason))
        error.set("type", "missing")
    elif pair.outcome == "not compared":
        ElementTree.SubElement(case, "skipped", message=_xml(pair.reason))
    else:
        out = ElementTree.SubElement(case, "system-out")
        out.text = _xml(f"{pair.outcome}: {says}, gain {_gain(pair)}, q {_p(pair.q)}")


def _xml(text: str) -> str:
    return FORBIDDEN.sub("\ufffd", text)


_Form = Callable[[Comparison, Sequence[Flips], Rules, bool], str]
FORMATS: dict[str, _Form] = {
    "table": _table,
    "json": _json,
    "junit": _junit,
    "markdown": _markdown,
}


def summary_lines(comparison: Comparison, rules: Rules) -> Iterator[str]:
    """What the gate says, for the end of the output."""
    good, why = passes(comparison, rules)
    yield f"gate {'passed' if good else 'FAILED'}: {why}"
    left = len(comparison.pairs) - compared(comparison)
    if left:
        yield f"{left} of {len(comparison.pairs)} scores were not compared"
