"""The answer of :mod:`common.reports.explain` for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..core import advice
from ..core.display import number
from ..results.keys import split
from ..spec.criterion import Criterion
from ..uncertainty import is_decidable

WIDTH = 12


def lines(content: Mapping[str, Any]) -> Iterator[str]:
    """Lines of text."""
    for row in content["rows"]:
        yield from _row(row)
    yield from _state(content)
    yield from _samples(content["samples"])
    yield ""
    model, dataset, hashes = content["model"], content["dataset"], content["hashes"]
    yield _line("seed", content["seed"])
    yield _line("model", f"{model['id']} {model['version']}, fingerprint {model['fingerprint']}")
    data = dataset["fingerprint"]
    yield _line("dataset", f"{dataset['id']} {dataset['version']}, fingerprint {data}")
    yield _line("cell", f"hash {hashes['cell']}")
    for name in ("test", "target", "dataset", "code"):
        if hashes[name]:
            yield _line("", f"{name} {hashes[name]}")
    for name, digest in hashes["perturbations"].items():
        yield _line("", f"perturbation of {name} {digest}")
    yield _line("packages", ", ".join(f"{n} {v}" for n, v in content["environment"].items()))
    for name, versions in content["environment_changed"].items():
        yield _line("", f"now: {name} {versions['now'] or 'not installed'}")
    for name, path in content["files"].items():
        yield _line("files" if name == next(iter(content["files"])) else "", f"{name}: {path}")


def _line(name: str, text: object) -> str:
    return f"{name:<{WIDTH}}{text}".rstrip()


def _row(entry: Mapping[str, Any]) -> Iterator[str]:
    row = entry["row"]
    yield entry["key"]
    value = "no value" if row["value"] is None else repr(row["value"])
    yield _line("  value", f"{value}, {row['status']}" + _because(row))
    if row["criterion"]:
        kind = f", {row['bound']} bound" if row["bound"] else ""
        yield _line("  criterion", row["criterion"] + kind)
    if row["fairness"]:
        p = "" if row["p_adjusted"] is None else f" (adjusted p {row['p_adjusted']:.4g})"
        yield _line("  fairness", row["fairness"] + p)
    if row["ci_low"] is not None:
        ends = f"{row['ci_low']:.4g} to {row['ci_high']:.4g}"
        yield _line("  interval", f"{ends} (95 %, {row['clusters']} clusters), {row['certain']}")
        yield from _reach(row)
    if row["reference_value"] is not None:
        yield _line("  reference", f"{row['reference']}: {row['reference_value']!r}")
    yield _line("  n", row["n"])
    if row["note"]:
        yield _line("  note", row["note"])
    if entry["recomputed"] is not None:
        again = entry["recomputed"]["value"]
        text = "equal, digit by digit" if entry["equal"] else "DIFFERS"
        yield _line("  again", f"{'no value' if again is None else repr(again)}: {text}")
    for text in entry["differences"]:
        yield _line("", text)


def _reach(row: Mapping[str, Any]) -> Iterator[str]:
    """How far from a bound a verdict is certain, and whether any score could pass."""
    if row["mde_above"] is not None:
        ends = f"{row['mde_above']:.4g} above a bound, {row['mde_below']:.4g} below"
        yield _line("  mde", ends)
    if row["certain"]:
        rule = Criterion.of_text(row["criterion"])
        if not is_decidable(row["ci_low"], row["value"], row["ci_high"], rule):
            yield _line("", "too few for any score to pass for certain")


def _because(row: Mapping[str, Any]) -> str:
    return f": {row['reason']}" if row["reason"] else ""


def _state(content: Mapping[str, Any]) -> Iterator[str]:
    yield ""
    if content["earlier_version"]:
        yield _line("version", "these are results of an earlier version of the model")
    for reason in content["stale"]:
        yield _line("stale", reason)
    if content["stale"]:
        cell = split(content["key"])[0]._asdict()
        options = [word for name, value in cell.items() for word in (f"--{name}", value)]
        yield _line("", f"make these rows again with: {advice.command('run', *options)}")
    if not content["recomputed"]:
        yield _line("not redone", content["not_recomputed"])


def _samples(summary: Mapping[str, Any] | None) -> Iterator[str]:
    if summary is None:
        return
    yield _line("samples", f"{summary['n']}, hash {summary['hash']}")
    if summary["first"]:
        more = " ..." if summary["n"] > len(summary["first"]) else ""
        yield _line("", f"first: {', '.join(summary['first'])}{more}")
    listed = summary.get("all", summary["worst"])
    if listed:
        title = "all samples" if "all" in summary else f"the {len(listed)} worst"
        yield ""
        yield f"{title}: truth, then predictions ({', '.join(listed[0]['predictions'])})"
    for sample in listed:
        values = [sample["truth"], *sample["predictions"].values()]
        yield f"  {sample['id']}: " + ", ".join(_value(value) for value in values)


def _value(value: Any) -> str:
    if value is None:
        return "none"
    return number(value, digits=4) if isinstance(value, float) else str(value)
