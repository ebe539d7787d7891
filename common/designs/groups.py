"""What designs that compare groups of samples share: options, names, and what cannot be scored."""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pydantic

from ..core.errors import DataError
from ..predictions.attributes import ComputedColumn, recipe
from .base import Design

if TYPE_CHECKING:
    import pandas as pd

#: more groups are not named in a reason
MOST_NAMED = 10


class GroupDesign(Design):
    """What all designs that compare groups have.

    Args:
        attribute: column that names the group of a sample, or several for intersections
        groups: groups in the order of the rows; samples of others take no part. A list, or with
            several attributes a list for each of them; empty: all that occur
        compute: attribute that is computed from audio -> how
        unit: column whose values, such as speakers, have one group each; if the dataset has it
            and it is not so, the annotation is wrong
        min_group: a group with fewer samples is left out
        condition: name of the condition, with the attributes in braces
        data: name of the part of the dataset, with the attributes or ``{table}`` in braces;
            empty: the dataset as a whole
    """

    attribute: tuple[str, ...] = pydantic.Field(min_length=1)
    groups: Mapping[str, tuple[str, ...]] = {}
    compute: Mapping[str, Mapping[str, Any]] = {}
    unit: str = ""
    min_group: int = pydantic.Field(ge=1)
    condition: str = ""
    data: str = ""

    @pydantic.model_validator(mode="before")
    @classmethod
    def _several(cls, content: Any) -> Any:
        """One attribute and its groups may stand there without brackets."""
        if not isinstance(content, Mapping):
            return content
        attribute, groups = content.get("attribute"), content.get("groups")
        changed = dict(content)
        if isinstance(attribute, str):
            changed["attribute"] = (attribute,)
            if isinstance(groups, (list, tuple)):
                changed["groups"] = {attribute: groups}
        return changed

    @pydantic.model_validator(mode="after")
    def _known(self) -> GroupDesign:
        for name, options in self.compute.items():
            self._attribute(name, "compute")
            try:
                recipe(options)
            except ValueError as error:
                raise ValueError(f"compute.{name}: {error}") from None
        for name in self.groups:
            self._attribute(name, "groups")
        for text, more in ((self.condition, ()), (self.data, ("table",))):
            for _, field, _, _ in string.Formatter().parse(text):
                if field is not None and field not in more:
                    self._attribute(field, text)
        return self

    def _attribute(self, name: str, where: str) -> None:
        if name not in self.attribute:
            names = ", ".join(self.attribute)
            raise ValueError(f"{where}: '{name}' is no attribute of this test. Known: {names}")

    @cached_property
    def recipes(self) -> dict[str, ComputedColumn]:
        """Attributes that are computed from audio."""
        return {name: recipe(options) for name, options in self.compute.items()}

    def attributes(self) -> dict[str, ComputedColumn]:
        """Columns that are computed before samples are selected."""
        return self.recipes

    def columns(self) -> list[str]:
        """Columns that the dataset must have for the groups."""
        names = [name for name in self.attribute if name not in self.compute]
        for item in self.recipes.values():
            names += item.needs
        return list(dict.fromkeys(names))

    def expected(self) -> list[tuple[str, ...]]:
        """Groups that are declared; empty unless every attribute declares its own."""
        groups: list[tuple[str, ...]] = [()] if set(self.attribute) == set(self.groups) else []
        for name in self.attribute:
            groups = [(*start, value) for start in groups for value in self.groups[name]]
        return groups

    def name(self, group: Sequence[str]) -> str:
        """Condition of a group.

        >>> from common.designs.by_group import ByGroup
        >>> ByGroup(attribute="pitch", condition="{pitch}-pitch", min_group=1).name(["low"])
        'low-pitch'
        """
        template = self.condition or ", ".join(f"{{{name}}}" for name in self.attribute)
        return template.format(**dict(zip(self.attribute, group, strict=True)))

    def part(self, group: Sequence[str]) -> str:
        """Name of the part of the data that a group is; the table stays in braces."""
        values = dict(zip(self.attribute, group, strict=True))
        return self.data.format(table="{table}", **values)


def group_codes(
    design: GroupDesign, samples: pd.DataFrame
) -> tuple[list[tuple[str, ...]], np.ndarray]:
    """Groups, and the number of each row's group.

    Args:
        design: declares the groups
        samples: N rows

    Returns:
        the declared groups, or those that occur in alphabetical order; and positions in them,
        -1 for rows without an attribute or of a group that is not declared, shape (N,)
    """
    import pandas as pd

    code = np.zeros(len(samples), dtype=np.int64)
    there = np.ones(len(samples), dtype=bool)
    levels = []
    for name in design.attribute:
        codes, values = pd.factorize(samples[name].to_numpy(dtype=object), sort=True)
        labels = [str(value) for value in values]
        if name in design.groups:
            place = {value: n for n, value in enumerate(design.groups[name])}
            codes = np.array([place.get(value, -1) for value in labels] + [-1])[codes]
            labels = list(design.groups[name])
        there &= codes >= 0
        code = code * max(len(labels), 1) + codes
        levels.append(labels)
    names: list[tuple[str, ...]] = [()]
    for level in levels:
        names = [(*start, value) for start in names for value in level]
    code[~there] = -1
    if not design.expected():
        used = np.flatnonzero(np.bincount(code[there], minlength=len(names)))
        place_of = np.full(len(names) + 1, -1)
        place_of[used] = np.arange(len(used))
        names, code = [names[n] for n in used], place_of[code]
    return names, code


def check_units(design: GroupDesign, samples: pd.DataFrame) -> None:
    """Raise DataError if a unit, such as a speaker, has two values of an attribute."""
    if not design.unit or design.unit not in samples:
        return
    for name in design.attribute:
        rows = samples[[design.unit, name]].dropna().drop_duplicates()
        twice = rows[design.unit].duplicated(keep=False)
        if twice.any():
            unit = rows.loc[twice, design.unit].iloc[0]
            values = ", ".join(sorted(rows.loc[rows[design.unit] == unit, name]))
            count = rows.loc[twice, design.unit].nunique()
            raise DataError(
                f"{design.unit} '{unit}' has several values of {name}: {values} "
                f"({count} such {design.unit}s)"
            )


class Groups:
    """Which groups have enough samples.

    Args:
        design: declares the groups
        samples: usable samples
        too_few: (group of each sample, number of groups) -> why each group has too few
            samples of some kind, empty if it has enough; asked besides the number of samples
    """

    def __init__(
        self,
        design: GroupDesign,
        samples: pd.DataFrame,
        too_few: Callable[[np.ndarray, int], list[str]] = lambda codes, n: [""] * n,
    ):
        names, codes = group_codes(design, samples)
        counts = np.bincount(codes[codes >= 0], minlength=len(names))
        reasons = [
            f"{_samples(int(count))}, at least {design.min_group} needed"
            if count < design.min_group
            else other
            for count, other in zip(counts, too_few(codes, len(names)), strict=True)
        ]
        enough = np.array([not reason for reason in reasons], dtype=bool)
        place = np.append(np.where(enough, np.cumsum(enough) - 1, -1), -1)
        #: names of the groups that are compared
        self.names = [name for name, good in zip(names, enough, strict=True) if good]
        #: group of each sample, -1: none that is compared
        self.codes = place[codes]
        #: why the other groups are not compared
        self.left_out = {
            name: reason for name, reason in zip(names, reasons, strict=True) if reason
        }
        sizes = [f"{', '.join(name)} {count}" for name, count in zip(names, counts, strict=True)]
        self._sizes = "; ".join(sizes[:MOST_NAMED]) + ("; ..." if len(sizes) > MOST_NAMED else "")
        self._design = design
        self._others = _others(design, samples)

    def reason(self) -> str:
        """Why there is nothing to compare; empty if there are two groups or more."""
        if len(self.names) > 1:
            return ""
        what = " x ".join(self._design.attribute)
        sizes = self._sizes or "no sample has one"
        return (
            f"fewer than 2 groups of {what} with at least {self._design.min_group} samples; "
            f"samples: {sizes}{self._others}"
        )


def _samples(count: int) -> str:
    return f"{count} sample" if count == 1 else f"{count} samples"


def _others(design: GroupDesign, samples: pd.DataFrame) -> str:
    """Values that are there but not declared: most likely they are spelt differently."""
    texts = []
    for name, declared in design.groups.items():
        values = sorted({str(v) for v in samples[name].dropna().unique()} - set(declared))
        if values:
            more = ", ..." if len(values) > MOST_NAMED else ""
            texts.append(f"; other values of {name}: {', '.join(values[:MOST_NAMED])}{more}")
    return "".join(texts)


def remark(*parts: str) -> str:
    """Remarks that are not empty, one after the other."""
    return "; ".join(part for part in parts if part)


def criterion_name(label: str, condition: str = "") -> str:
    """Name in a criteria table: every word with a capital.

    >>> criterion_name("Precision per Class", "high-pitch")
    'Precision Per Class High Pitch'
    """
    words = f"{label} {condition.replace('-', ' ')}".split()
    return " ".join(word[:1].upper() + word[1:] for word in words)
