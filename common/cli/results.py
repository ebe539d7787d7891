"""Commands that read results: summary, explain, slices, compare."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core import advice
from ..core.terminal import tell
from ..core.wording import counted
from .exits import FAILED, OK
from .idle import refuse_idle
from .logs import tell_error

if TYPE_CHECKING:
    import pandas as pd

    from .main import CommandContext


logger = logging.getLogger(__name__)


def warn_altered(context: CommandContext, model: str = "") -> None:
    """Warn of results that are not as a run wrote them; what a command tells of them may be wrong.

    Args:
        context: of the command
        model: the only one that is looked at; empty: all
    """
    from ..results import altered

    noted = altered.manifests(context.folders)
    noted = {
        path: manifest
        for path, manifest in noted.items()
        if manifest is not None and model in ("", path.parent.name)
    }
    for line in altered.of_models(noted, altered.digests(noted)):
        logger.warning("%s", line)


def command_summary(context: CommandContext) -> int:
    """Counts and shares of passed tests."""
    from .. import results
    from ..reports import summary
    from ..results import published

    if context.args.badges:
        refuse_idle(context.args, "cannot be combined with --badges", card=None, published=False)
    if context.args.card:
        refuse_idle(context.args, "cannot be combined with --card", published=False)
    benchmark, rows = context.benchmark(), results.read_all(context.folders.method_tests)
    warn_altered(context)
    families = {test.id: test.family for test in benchmark.tests.values()}
    if context.args.badges:
        return _badges(context, benchmark, rows, families)
    if context.args.card:
        return _card(context, benchmark, rows, families)
    with_published = context.args.published or rows.empty
    chance, scopes = _chance(benchmark), _scopes(benchmark)
    if context.args.json:
        content = summary.to_json(
            rows, families, published=with_published, chance=chance, scopes=scopes
        )
        imported = {
            str(folder): summary.to_json(scores, families, published=False, chance=names)
            for folder, scores, names in _imported(context)
        }
        content |= {"imported": imported} if imported else {}
        context.answer({**content, "stale": _stale(context, benchmark)})
        return OK
    if not rows.empty:
        scoped = _scoped(benchmark, rows)
        tell(summary.text(scoped, families, chance=chance, tests=True))
        _tell_stale(context, benchmark, rows)
    else:
        context.say(f"no results in {context.folders.method_tests}; these are published:\n")
    if with_published:
        title, chance = "Published results of the paper", set(published.chance())
        scores = published.load()
        tell(summary.text(scores, families, title=title, chance=chance))
        tell(summary.paper_text(scores, families, published.target_order()))
    for folder, scores, names in _imported(context):
        labels = published.labels(folder)
        named = scores.assign(model=scores["model"].replace(labels))
        chance = {labels.get(name, name) for name in names}
        tell(summary.text(named, families, title=f"Results in {folder}", chance=chance))
    return OK


def _imported(context: CommandContext) -> Iterator[tuple[Path, pd.DataFrame, set[str]]]:
    """Folders of catalogs with published results, their rows and the names of chance models."""
    from ..core.paths import PUBLISHED_NAME
    from ..results import published

    for catalog in context.args.catalog:
        folder = catalog / PUBLISHED_NAME
        if (folder / published.MODELS).is_file():
            yield folder, published.load(folder), set(published.chance(folder))


def command_explain(context: CommandContext) -> int:
    """Where a number comes from."""
    from ..reports import population
    from ..reports.explain import explain
    from ..reports.explain_text import lines
    from ..results import keys

    args = context.args
    shares = population.shares_of(args.population)
    answer = explain(
        context.benchmark(),
        context.folders,
        args.key,
        samples=args.samples,
        workers=context.workers,
    )
    if shares:
        population.add_population(answer.content, context.folders, keys.split(args.key)[0], shares)
    code = context.ends(OK if answer.equal else FAILED)
    context.answer(answer.content)
    for line in lines(answer.content):
        context.say(line)
    for line in population.lines(answer.content) if shares else ():
        context.say(line)
    return code


def tell_only_swept(context: CommandContext, tests: set[str]) -> None:
    """Say which models have curves of severity on data that they have no scores on.

    Args:
        context: of the command
        tests: ids of the tests that were swept
    """
    from ..results import dose

    args = context.args
    pairs = {
        (each.model, each.dataset): None
        for each in dose.without_run(context.folders)
        if each.test in tests
        and (not args.model or each.model in args.model)
        and (not args.dataset or each.dataset in args.dataset)
    }
    for model, dataset in pairs:
        context.say(
            f"{model} was not run on {dataset} at the levels of the tests themselves, so the website has no "
            "scores of it there, and shows its curves only beside those of models that have scores. Make the scores with: "
            f"{advice.command('run', '--model', model, '--dataset', dataset)}"
        )


def command_slices(context: CommandContext) -> int:
    """Slices of the samples in which a model is worse than elsewhere."""
    from ..core.checksums import Checksums
    from ..pages.listening import clips
    from ..reports import slices, slices_text

    args = context.args
    checksums = Checksums(clips.folder(context.folders))
    checksums.discard_damaged()
    try:
        report = slices.update(
            context.benchmark(),
            context.folders,
            slices.SearchChoice(args.model, args.target, args.dataset),
            level=args.level,
            workers=context.workers,
            progress=context.progress(),
            play=clips.ClipMaker(context.folders),
        )
        clips.prune(context.folders)
        checksums.write(clips.made(context.folders))
    finally:
        context.clear_progress()
    context.answer(slices_text.content(report))
    for line in slices_text.lines(report, args.top):
        context.say(line)
    return OK


def _chance(benchmark: Any) -> set[str]:
    return {model.id for model in benchmark.models.values() if model.is_chance}


def _scopes(benchmark: Any) -> dict[str, str]:
    """Datasets whose results are ranked apart."""
    return {d.id: "demonstration data" for d in benchmark.datasets.values() if d.embedded}


def _scoped(benchmark: Any, rows: Any) -> Any:
    from ..reports import summary

    scopes = _scopes(benchmark)
    return summary.add_scope(rows, {d: scopes.get(d, "") for d in rows["dataset"]})


def _badges(context: CommandContext, benchmark: Any, rows: Any, families: Any) -> int:
    from ..core import files
    from ..reports import summary
    from ..reports.summary.badge import badge

    scored: dict[Any, str] = {}
    unranked: dict[Any, str] = {}
    chance = _chance(benchmark)
    scoped = _scoped(benchmark, rows)
    for (_, target), ranking in summary.rankings(scoped, families, chance=chance).items():
        for line in ranking.lines:
            path = context.args.badges / target / f"{line.model}.svg"
            text = badge(target, line.score, chance=ranking.floor_score, is_chance=line.chance)
            # of several rankings the first that has a score: own data come before embedded ones
            (unranked if line.score is None else scored).setdefault(path, text)
    for path, text in {**unranked, **scored}.items():
        files.write_text(path, text, only_changed=True)
        context.say(f"written: {path}")
    return OK


def _card(context: CommandContext, benchmark: Any, rows: Any, families: Any) -> int:
    from ..core.registry import unknown
    from ..reports import summary
    from ..reports.summary.card import Scored, card, model_index, records
    from ..results import history

    model = context.args.card
    model_rows = rows[rows["model"] == model]
    if model_rows.empty:
        raise unknown("model with results", model, set(rows["model"]), "--card")
    newest = history.current(context.folders, model_rows["target"].iloc[0], model)
    facts = newest.manifest.model if newest else {}
    name = str(facts.get("label") or model)
    looked_at = records(model_rows)
    context.answer(model_index(name, looked_at, families, benchmark.targets))
    ranked = summary.rankings(_scoped(benchmark, rows), families, chance=_chance(benchmark))
    scores = [
        Scored(target, scope, line.score, ranking.floor_score)
        for (scope, target), ranking in ranked.items()
        for line in ranking.lines
        if line.model == model
    ]
    text = card(name, looked_at, families, benchmark.targets, facts=facts, scores=scores)
    context.say(text.rstrip())
    return OK


def _stale(context: CommandContext, benchmark: Any) -> list[dict[str, Any]]:
    from ..reports.listing import listing

    return listing(benchmark, "stale", folders=context.folders)


def _tell_stale(context: CommandContext, benchmark: Any, rows: Any) -> None:
    cells = _stale(context, benchmark)
    if cells:
        every = len(rows[["target", "model", "test", "dataset"]].drop_duplicates())
        context.say(
            f"{len(cells)} of {counted(every, 'cell')} {'is' if len(cells) == 1 else 'are'} stale: "
            "what they were made from has changed.\n"
            f"  what changed:    {advice.command('list', 'stale')}\n"
            f"  make them again: {advice.command('run')}"
        )


def command_compare(context: CommandContext) -> int:
    """Two models, paired cell by cell."""
    from ..core import files
    from ..reports import compare
    from ..reports.compare.formats import summary_lines
    from ..reports.compare.gate import passes
    from ..reports.rebuild import Rebuilder

    args = context.args
    if args.format == "junit":
        refuse_idle(args, "has no effect on --format junit", samples=False)
    benchmark = context.benchmark()
    rules = compare.load_rules(
        args.rules,
        benchmark,
        alpha=args.alpha,
        min_effect=args.min_effect,
        allow_missing=args.allow_missing or None,
    )
    sides = compare.resolve(context.folders, args.first, args.second)
    rebuilder = Rebuilder(benchmark, context.folders, workers=context.workers)
    try:
        comparison = compare.compare(benchmark, rebuilder, *sides, progress=context.progress())
    finally:
        context.clear_progress()
    comparison = compare.judged(comparison, rules)
    code = context.ends(OK if not args.gate or passes(comparison, rules)[0] else FAILED)
    form = args.format or ("json" if args.json else "table")
    text = compare.text(form, comparison, compare.flips(comparison), rules, samples=args.samples)
    if args.out:
        files.write_text(args.out, text)
        context.say(f"written: {args.out}")
    elif form == "table":
        context.say(text.rstrip())
    else:
        tell(text, to=context.stdout, end="")
    for line in summary_lines(comparison, rules) if args.gate else ():
        tell_error(line)
    return code
