"""Reading YAML and JSON that others wrote: the same limits for every file, one line for each fault.

YAML may hold what JSON can hold, and dates: text, numbers, truth values, lists and mappings. A short
file cannot ask for much memory or time: repeated parts (``&name`` and ``*name``), depth and
the length of texts and numbers have limits.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import yaml

from .errors import ConfigError, reason_of
from .files import may_never_end
from .terminal import HIDING, is_hiding, shown

#: largest file in bytes: the labels of all speakers of a large corpus are some megabytes
LARGEST = 16 * 2**20
#: largest JSON file in bytes, such as the events of a large corpus
LARGEST_JSON = 256 * 2**20
#: levels of lists and mappings in each other
DEEPEST = 64
_TOO_DEEP = f"more than {DEEPEST} lists and mappings are nested in each other"
#: values that all aliases of a file together may repeat
REPEATED = 10_000
#: characters of one text
LONGEST = 1_000_000
#: characters of one number
DIGITS = 100
#: pieces of JSON that are joined together
PIECES = 100_000

#: types of YAML that are read; others, such as ``!!binary``, are refused
_TYPES = {
    "null": "no value",
    "bool": "true or false",
    "int": "whole number",
    "float": "number",
    "timestamp": "valid date; put text in quotes",
    "str": "text",
    "seq": "list",
    "map": "mapping",
}
_TAG = "tag:yaml.org,2002:"
_SURROGATE = re.compile("[\ud800-\udfff]")


def _refuse_repeated(node: yaml.MappingNode) -> None:
    """Raise a YAMLError for a key that stands twice in a mapping."""
    seen: set[str] = set()
    for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
        if not isinstance(key, yaml.ScalarNode) or key.value == "<<":
            continue
        if key.value in seen:
            raise yaml.constructor.ConstructorError(
                None, None, f"the key '{key.value:.60}' appears twice", key.start_mark
            )
        seen.add(key.value)


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Safe loader that refuses a key that stands twice, of which YAML would drop the first."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> Any:
        _refuse_repeated(node)
        return super().construct_mapping(node, deep)


class _Words(getattr(yaml, "CBaseLoader", yaml.BaseLoader)):  # type: ignore[misc]
    """Loader that takes every value as text; it refuses a key that stands twice, too."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> Any:
        _refuse_repeated(node)
        return super().construct_mapping(node, deep)


def _guarded(construct: Callable[..., Any], what: str) -> Callable[..., Any]:
    """What makes a value, with an error that has a place and one kind."""

    def guarded(loader: Any, node: yaml.ScalarNode) -> Any:
        text = str(node.value)
        if "number" in what and len(text) > DIGITS:
            problem = f"a number of {len(text)} characters; at most {DIGITS} are read"
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark)
        try:
            return construct(loader, node)
        except (ValueError, LookupError, AttributeError, TypeError, ArithmeticError):
            problem = f"'{text:.40}' is no {what}"
        raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark)

    return guarded


def _constructors() -> dict[str | None, Callable[..., Any]]:
    """Tag -> what makes a value of it; None stands for all others."""
    defaults = yaml.SafeLoader.yaml_constructors
    makers: dict[str | None, Callable[..., Any]] = {None: defaults[None]}
    for name, what in _TYPES.items():
        construct = defaults[_TAG + name]
        makers[_TAG + name] = construct if name in ("seq", "map") else _guarded(construct, what)
    return makers


_Loader.yaml_constructors = _constructors()


def read_yaml(path: Path, *, words: bool = False) -> Any:
    """Content of a YAML file.

    Args:
        path: the file
        words: whether every value is text, ``no`` and ``1.0`` too

    Raises:
        ConfigError: with file, line and column, if it cannot be read or goes beyond a limit
    """
    text = _text(path, LARGEST)
    try:
        _check(text)
        return yaml.load(text, Loader=_Words if words else _Loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        # PyYAML from 6.0.4 on has a limit of its own, 1,000, and looks ahead
        problem = _TOO_DEEP if problem.endswith("maximum nesting depth") else problem
        raise ConfigError(f"{path}{place}: not valid YAML: {problem}") from None


def read_json(path: Path) -> Any:
    """Content of a JSON file.

    Raises:
        ConfigError: with file, line and column, if it cannot be read or goes beyond a limit
    """
    try:
        return parse_json(_text(path, LARGEST_JSON))
    except json.JSONDecodeError as error:
        place = f"{path}, line {error.lineno}, column {error.colno}"
        raise ConfigError(f"{place}: not valid JSON: {error.msg}") from None
    except ValueError as error:
        raise ConfigError(f"{path}: not valid JSON: {error}") from None


def parse_json(text: str | bytes) -> Any:
    """Content of a JSON text; whatever is wrong with it is a ValueError.

    Python's own parser raises RecursionError for lists that lie too deep in each other, and lets halves of
    characters pass, which no file can hold. Of a key that stands twice in an object it would drop the first
    value. What would hide or turn a text is shown (:func:`shown`).

    >>> parse_json('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    ...
    ValueError: the key 'a' appears twice
    >>> parse_json("[" * 100_000)
    Traceback (most recent call last):
    ...
    ValueError: lists and mappings are nested too deeply
    >>> parse_json("1" * 5_000)
    Traceback (most recent call last):
    ...
    ValueError: a number has more than 4300 digits
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8-sig")
    try:
        content = json.loads(text, object_pairs_hook=_object)
        return _readable(content) if "\\u" in text or is_hiding(text) else content
    except RecursionError:
        raise ValueError("lists and mappings are nested too deeply") from None
    except ValueError as error:
        if "set_int_max_str_digits" not in str(error):
            raise
        most = sys.get_int_max_str_digits()
        raise ValueError(f"a number has more than {most} digits") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Object of keys and values; a key that stands twice is a ValueError."""
    content = dict(pairs)
    if len(content) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise ValueError(f"the key '{shown(twice):.60}' appears twice")
    return content


def _readable(content: Any) -> Any:
    """Content whose texts show what they hide; half of a character is a ValueError."""
    if isinstance(content, str):
        if _SURROGATE.search(content):
            raise ValueError("a text holds half of a character (a surrogate)")
        return shown(content)
    if isinstance(content, dict):
        return {_readable(key): _readable(value) for key, value in content.items()}
    return list(map(_readable, content)) if isinstance(content, list) else content


def compact_json(content: Any) -> str:
    """JSON without spaces, made several times faster than by Python's own writer; numbers as exact.

    >>> compact_json({"a": [0.1, None], "b": (1e-7, float("inf"))})
    '{"a":[0.1,null],"b":[1e-7,Infinity]}'
    """
    from pydantic_core import to_json

    return to_json(content, inf_nan_mode="constants").decode()


def indented_json(content: Any) -> str:
    r"""JSON as people read it, a value a line; what JSON does not have becomes text.

    The pieces that Python writes, some for each number, are joined early: in a large table they take
    fifty times the memory of the text.

    >>> indented_json({"a": [1]})
    '{\n "a": [\n  1\n ]\n}'
    """
    pieces = json.JSONEncoder(ensure_ascii=False, indent=1, default=str).iterencode(content)
    return "".join(iter(lambda: "".join(islice(pieces, PIECES)), ""))


def _text(path: Path, largest: int) -> str:
    """Text of a file of a limited size."""
    try:
        if may_never_end(path):
            raise ConfigError(f"{path}: is not a file that can be read")
        with path.open("rb") as file:
            data = file.read(largest + 1)
        if len(data) > largest:
            raise ConfigError(f"{path}: is larger than {largest // 2**20} MiB, which is the limit")
        return data.decode("utf-8-sig")
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: is not UTF-8 text (byte {error.start})") from None
    except (OSError, ValueError) as error:
        why = reason_of(error)
        raise ConfigError(f"{path}: cannot be read: {why}") from None


@dataclass
class _Part:
    """A list or mapping while it is read: its anchor, and the values in it with all repeats."""

    anchor: str | None = None
    values: int = 1


@dataclass
class _Limits:
    """Follows the events of a YAML text; refuses what would be too much once it is put together."""

    open: list[_Part] = field(default_factory=list)
    sizes: dict[str, int] = field(default_factory=dict)
    repeated: int = 0

    def see(self, event: Any) -> str:
        """Take one event; returns what is wrong with it, or nothing."""
        if isinstance(event, yaml.CollectionStartEvent):
            self.open.append(_Part(event.anchor))
            return self._depth()
        if isinstance(event, yaml.CollectionEndEvent):
            part = self.open.pop()
            self._add(part.anchor, part.values)
        elif isinstance(event, yaml.AliasEvent):
            return self._alias(event.anchor or "")
        elif isinstance(event, yaml.ScalarEvent):
            self._add(event.anchor, 1)
            return _fault_of_text(event.value)
        return ""

    def _add(self, anchor: str | None, values: int) -> None:
        if anchor is not None:
            self.sizes[anchor] = values
        if self.open:
            self.open[-1].values += values

    def _depth(self) -> str:
        if len(self.open) <= DEEPEST:
            return ""
        return _TOO_DEEP

    def _alias(self, name: str) -> str:
        if any(part.anchor == name for part in self.open):
            return f"'*{name:.40}' stands inside '&{name:.40}', which would never end"
        values = self.sizes.get(name, 0)
        self.repeated += values
        self._add(None, values)
        if self.repeated <= REPEATED:
            return ""
        return f"aliases such as '*{name:.40}' repeat more than {REPEATED:,} values"


def _fault_of_text(text: str) -> str:
    if len(text) > LONGEST:
        return f"a text of {len(text):,} characters; at most {LONGEST:,} are read"
    if "\0" in text:
        return "a text holds the character NUL, which no name or path can hold"
    if not text.isascii() and _SURROGATE.search(text):
        return "a text holds half of a character (a surrogate)"
    if not text.isprintable() and (hidden := HIDING.search(text)):
        return f"a text holds the character U+{ord(hidden[0]):04X}, which hides or turns what stands around it"
    return ""


def _events(text: str) -> Iterator[Any]:
    return yaml.parse(text, Loader=_Words)


def _check(text: str) -> None:
    """Raise a YAMLError for what goes beyond a limit, before anything is put together."""
    limits = _Limits()
    for event in _events(text):
        problem = limits.see(event)
        if problem:
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)


__all__ = ["parse_json", "read_json", "read_yaml"]
