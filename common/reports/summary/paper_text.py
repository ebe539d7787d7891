"""The paper's Tables VI and VII as text, with exact fractions and denominators beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from ...results.paper import (
    Table,
    all_mean_over_tests,
    table6,
    table6_counts,
    table6_exact,
    table7,
)

MEAN = "mean"


def paper_text(rows: pd.DataFrame, families: Mapping[str, str], order: Sequence[str]) -> str:
    """Tables VI and VII of the paper.

    Args:
        rows: result rows of the published results
        families: test -> family
        order: targets in the order in which the means of Table VII are added

    Returns:
        per block of Table VI and per target: share with the rounding of the paper, share from
        exact fractions, passed/executed cells and skipped ones; then the second definition of
        the block *all* (mean over tests) and Table VII
    """
    exact, counts = table6_exact(rows, families), table6_counts(rows, families)
    parts = []
    for block, table in table6(rows, families).items():
        lines = [f"Table VI, {block}: paper | exact | passed/executed, skipped"]
        targets = [name for name in next(iter(table.values())) if name != MEAN]
        lines.append(f"{'':14}" + "".join(f"{name:>31}" for name in targets) + f"{MEAN:>15}")
        for model, values in table.items():
            cells = []
            for target in targets:
                count = counts[block][model][target]
                share = f"{values[target]:.3f} | {exact[block][model][target]:.3f} | "
                number = f"{count['passed']}/{count['executed']}, {count['skipped']}"
                cells.append(f"{share + number:>31}")
            mean = f"{values[MEAN]:.3f} | {exact[block][model][MEAN]:.3f}"
            lines.append(f"{model:14}" + "".join(cells) + f"{mean:>15}")
        parts.append("\n".join(lines))
    second = all_mean_over_tests(rows, families)
    parts.append(_plain("Table VI, all, by the definition in the text: mean over tests", second, 3))
    parts.append(_plain("Table VII: mean CCC, mean UAR", table7(rows, order), 2))
    return "\n\n".join(parts) + "\n"


def _plain(title: str, table: Table, digits: int) -> str:
    names = list(next(iter(table.values())))
    lines = [title, f"{'':14}" + "".join(f"{name:>12}" for name in names)]
    for model, values in table.items():
        lines.append(f"{model:14}" + "".join(f"{values[name]:>12.{digits}f}" for name in names))
    return "\n".join(lines)
