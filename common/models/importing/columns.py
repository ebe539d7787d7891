"""What the columns of a table of predictions hold, told from their names and values."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from ...core.display import shortened
from ...core.errors import ConfigError
from ...core.registry import unknown
from ...samples.importing import conventions
from ...samples.importing.conventions import AUDIO
from ...samples.importing.table_files import TextTable
from ...spec import Target, kinds
from .values import number

PREDICTED = re.compile(
    r"^(?:pred(?:icted|ictions?|s)?|estimated?|hyp)[ _.:-]+|[ _.:-]+(?:pred(?:icted|ictions?|s)?|hat|est|hyp)$",
    re.I,
)
SCORE = re.compile(r"^(?:prob|probability|p|scores?|logits?|conf|confidence)[ _.:/-]+", re.I)
#: score of a class as in ``P(hap) %``
OF = re.compile(r"(?:prob|probability|p|score)\s*\(\s*(.+?)\s*\)\s*%?", re.I)
#: what a column may be besides the value of a target
KEYS = ("file", "start", "end", "condition", "dataset")
#: names of times, with their unit
TIME = re.compile(r"(start|begin|onset|end|stop|offset)(?:[ _]?time)?(?:[ _]?(s|sec|ms|ns))?", re.I)
STARTS = ("start", "begin", "onset")
#: names of columns that may hold files
FILES = ("filename", "utterance", "utt", "utt_id", "id", "name", "audio", "wav", "recording")
#: names of columns that say that they are predicted, but not of what
ANY_TARGET = (
    *("prediction", "predictions", "predicted", "pred", "predicted_label", "predicted_class"),
    *("pred_label", "pred_class", "y_pred", "y_hat", "yhat", "hyp", "hypothesis", "output"),
)
#: names of columns that may hold the class that was predicted
ANSWERS = (*ANY_TARGET, "label", "class")
#: part of the values that must be known
SHARE = 0.5


@dataclass
class Roles:
    """Which column is what.

    Args:
        file: names of files
        start: start of segments; empty: whole files
        end: their end
        units: unit that the name of a time says: column -> s, ms or ns
        keep: other keys of predictions, which are passed on
        numbers: regression target -> column
        classes: classification target -> column with a class
        scores: classification target -> column -> label of the model
        ignored: what is not used
        notes: choices that a user may want otherwise
    """

    file: str
    start: str = ""
    end: str = ""
    units: dict[str, str] = field(default_factory=dict)
    keep: list[str] = field(default_factory=list)
    numbers: dict[str, str] = field(default_factory=dict)
    classes: dict[str, str] = field(default_factory=dict)
    scores: dict[str, dict[str, str]] = field(default_factory=dict)
    ignored: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """What was taken for what, for people."""
        times = [f"'{self.start}' and '{self.end}': times"] if self.start or self.end else []
        answers = [f"'{column}': {target}" for target, column in self.numbers.items()]
        answers += [f"'{column}': classes of {name}" for name, column in self.classes.items()]
        for target, labels in self.scores.items():
            answers.append(f"{', '.join(map(repr, labels))}: scores of {target}")
        rest = [f"not used: {', '.join(self.ignored)}"] if self.ignored else []
        return [f"'{self.file}': files", *times, *answers, *self.notes, *rest]


def find(table: TextTable, targets: Mapping[str, Target], stated: Mapping[str, str]) -> Roles:
    """Which column is what.

    Args:
        table: the predictions
        targets: all targets of the suite
        stated: what the user says: file, start, end, condition, or a target -> column; empty: the target has none

    Raises:
        ConfigError: if there is no column of files, or none of a target, or several may be meant
    """
    _check_stated(table, targets, stated)
    roles = Roles(stated.get("file") or _file(table))
    _times(roles, table, stated)
    roles.keep = [name for name in ("condition", "dataset") if name in table.columns]
    taken_columns = {roles.file, roles.start, roles.end, *roles.keep, *stated.values()}
    rest = [name for name in table.columns if name not in taken_columns]
    for target in targets.values():
        kind = kinds.of(target)
        if stated.get(target.id) == "":
            continue
        if target.id in stated:
            (roles.numbers if kind.is_number else roles.classes)[target.id] = stated[target.id]
        elif kind.is_number:
            _number(roles, target, rest)
        elif kind.has_classes:
            scores = {c: _label_of(r, targets) for r, c in stated.items() if _is_of(r, target)}
            _classes(roles, target, rest, table, scores)
    _prefer_predicted(roles, table, targets, rest, stated)
    used = {*roles.numbers.values(), *roles.classes.values()}
    used |= {column for labels in roles.scores.values() for column in labels}
    roles.ignored = [name for name in rest if name not in used]
    if not used:
        raise ConfigError(
            f"{table.path}: no column for any of the targets {', '.join(targets)}; it has: "
            f"{shortened(', '.join(table.columns), 1000)}. Say which, for example --columns {next(iter(targets))}=NAME"
        )
    return roles


def _check_stated(
    table: TextTable, targets: Mapping[str, Target], stated: Mapping[str, str]
) -> None:
    for role, column in stated.items():
        if column not in table.columns and not (column == "" and role in targets):
            raise unknown("column", column, table.columns, f"--columns {role}")
        if role not in (*KEYS, *targets) and not _label_of(role, targets):
            raise unknown("part of a prediction", role, [*KEYS, *targets], "--columns")


def _prefer_predicted(
    roles: Roles,
    table: TextTable,
    targets: Mapping[str, Target],
    rest: Iterable[str],
    stated: Mapping[str, str],
) -> None:
    """Where a column says that it is predicted, do not take another one that may be an annotation.

    Args:
        roles: changed in place
        table: the predictions
        targets: all targets of the suite
        rest: columns that may hold predictions
        stated: what the user says

    Raises:
        ConfigError: if it cannot be told what is predicted
    """
    column = next((name for name in rest if name.lower() in ANY_TARGET), "")
    chosen = {**roles.numbers, **roles.classes}
    bare = [
        name
        for name, other in chosen.items()
        if name not in stated and other != column and not PREDICTED.search(other)
    ]
    if not column or not bare:
        return
    if column not in chosen.values():
        fitting = [name for name in bare if _fits(targets[name], _values(table, column))]
        if len(fitting) != 1:
            what = f"may be of {' or of '.join(fitting)}"
            if not fitting:
                what = f"says that it is predicted, but its values are not known as those of {' or '.join(bare)}"
            name = (fitting or bare)[0]
            raise ConfigError(
                f"{table.path}: '{column}' {what}; say which column it is: --columns {name}={column}, "
                f"or --columns {name}={chosen[name]}"
            )
        (name,) = fitting
        (roles.numbers if name in roles.numbers else roles.classes)[name] = column
        roles.notes.append(
            f"'{column}' rather than '{chosen[name]}', whose name does not say that it is predicted"
        )
        bare.remove(name)
    if bare:
        raise ConfigError(
            f"{table.path}: '{column}' says that it is predicted, '{chosen[bare[0]]}' does not: --columns "
            f"{bare[0]}={chosen[bare[0]]} takes it, --columns {bare[0]}= leaves it out"
        )


def _fits(target: Target, values: list[str]) -> bool:
    """Whether values may be predictions of a target."""
    if kinds.of(target).is_number:
        return bool(values) and all(math.isfinite(number(value)) for value in values)
    return conventions.load().share(target.id, set(values)) > SHARE


def _values(table: TextTable, column: str) -> list[str]:
    return [row[column] for _, row in table.rows if row[column]]


def _file(table: TextTable) -> str:
    """Column of files: by its name, or because most of its values end like audio."""
    rules = conventions.load()
    for column in table.columns:
        values = _values(table, column)
        audio = sum(PurePosixPath(value).suffix.lower() in AUDIO for value in values)
        if values and audio > SHARE * len(values):
            return column
    lower = {name.lower(): name for name in table.columns}
    name = rules.key("file", table.columns)
    name = name or next((lower[each] for each in FILES if each in lower), "")
    if not name:
        raise ConfigError(
            f"{table.path}: no column of files; it has: {shortened(', '.join(table.columns), 1000)}. "
            "Say which: --columns file=NAME"
        )
    return name


def _times(roles: Roles, table: TextTable, stated: Mapping[str, str]) -> None:
    for column in table.columns:
        match = TIME.fullmatch(column)
        role = "start" if match and match[1].lower() in STARTS else "end"
        if stated.get("start") == column or stated.get("end") == column:
            role = "start" if stated.get("start") == column else "end"
        elif match is None or stated.get(role):
            continue
        setattr(roles, role, column)
        unit = (match[2] or "").lower() if match else ""
        if unit:
            roles.units[column] = "s" if unit == "sec" else unit


def _bare(column: str) -> str:
    return PREDICTED.sub("", column).lower()


def _preferred(columns: Iterable[str]) -> str:
    """Of columns with one meaning that which says it is predicted."""
    names = list(columns)
    return next((name for name in names if PREDICTED.search(name)), names[0] if names else "")


def _number(roles: Roles, target: Target, rest: Iterable[str]) -> None:
    names = conventions.load().columns.get(target.id, (target.id,))
    column = _preferred(name for name in rest if _bare(name) in names)
    if column:
        roles.numbers[target.id] = column


def _is_of(role: str, target: Target) -> bool:
    """Whether a role is the score of a class of a target."""
    return role.startswith(f"{target.id}.")


def _label_of(role: str, targets: Mapping[str, Target]) -> str:
    """Class whose score a column holds, as in ``emotion.anger``; empty if it is something else.

    Raises:
        ConfigError: if the target has no such class
    """
    target = next(
        (t for t in targets.values() if _is_of(role, t) and kinds.of(t).has_classes), None
    )
    if target is None:
        return ""
    label = role.removeprefix(f"{target.id}.")
    if label not in target.labels:
        raise unknown("class", label, target.labels, f"--columns {role}")
    return label


def _classes(
    roles: Roles, target: Target, rest: list[str], table: TextTable, stated: Mapping[str, str]
) -> None:
    """Columns of a classification target: scores of all classes, or one with the class."""
    rules = conventions.load()
    labels = {name: SCORE.sub("", PREDICTED.sub("", name)) for name in rest}
    labels = {name: match[1] if (match := OF.fullmatch(name)) else labels[name] for name in rest}
    labels = {name: label.removeprefix(f"{target.id}/") for name, label in labels.items()}
    mapping = rules.mapping(target.id, labels.values())
    scores = {name: label for name, label in labels.items() if rules.share(target.id, [label])}
    words = {name: mapping.get(label, label) for name, label in scores.items()}
    scores = {name: label for name, label in scores.items() if words[name] not in stated.values()}
    scores |= stated
    missing = set(target.labels) - {*words.values(), *stated.values()}
    if stated and missing:
        first = next(label for label in target.labels if label in missing)
        raise ConfigError(
            f"{table.path}: scores of {target.id} need a column for each class; there is none for "
            f"'{first}': --columns {target.id}.{first}=NAME"
        )
    if not missing:
        roles.scores[target.id] = scores
        return
    names = rules.columns.get(target.id, (target.id,))
    column = _preferred(name for name in rest if _bare(name) in names)
    for answer in () if column else ANSWERS:
        named = next((name for name in rest if name.lower() == answer), "")
        if named and rules.share(target.id, set(_values(table, named))) > SHARE:
            column = named
            break
    if column:
        roles.classes[target.id] = column
