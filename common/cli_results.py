"""Commands that read results: summary, explain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from common.exits import FAILED, OK

if TYPE_CHECKING:
    from common.cli import Context


def command_summary(context: Context) -> int:
    """Counts and shares of passed tests."""
    from common import published, results, summary

    benchmark, rows = context.benchmark(), results.read_all(context.folders.method_tests)
    families = {test.id: test.family for test in benchmark.tests.values()}
    with_published = context.args.published or rows.empty
    if context.args.json:
        content = summary.to_json(rows, families, published=with_published)
        context.answer({**content, "stale": _stale(context, benchmark)})
        return OK
    if not rows.empty:
        chance = {model.id for model in benchmark.models.values() if model.is_chance}
        print(summary.text(rows, families, chance=chance, tests=True))
        _tell_stale(context, benchmark, rows)
    if with_published:
        title, chance = "Published results of the paper", set(published.chance())
        scores = published.load()
        print(summary.text(scores, families, title=title, chance=chance))
        print(summary.paper_text(scores, families, published.target_order()))
    return OK


def command_explain(context: Context) -> int:
    """Where a number comes from."""
    from common.explain import explain
    from common.explain_text import lines

    args = context.args
    answer = explain(
        context.benchmark(),
        context.folders,
        args.key,
        samples=args.samples,
        workers=context.workers,
    )
    context.answer(answer.content)
    for line in lines(answer.content):
        context.say(line)
    return OK if answer.equal else FAILED


def _stale(context: Context, benchmark: Any) -> list[dict[str, Any]]:
    from common.listing import listing

    return listing(benchmark, "stale", folders=context.folders)


def _tell_stale(context: Context, benchmark: Any, rows: Any) -> None:
    found = _stale(context, benchmark)
    if found:
        every = len(rows[["target", "model", "test", "dataset"]].drop_duplicates())
        context.say(
            f"{len(found)} of {every} cells are stale: what they were made from has changed. "
            "'build.py list stale' says how; 'build.py run' makes them again."
        )
