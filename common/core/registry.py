"""Names for things: one small dictionary with good error messages."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

from .errors import ConfigError

T = TypeVar("T")


def unknown(
    what: str, name: str, options: Iterable[str], where: str = "", of: str = ""
) -> ConfigError:
    """Error for an unknown name that offers the nearest known one; ``of`` follows the name.

    >>> str(unknown("metric", "cc", ["ccc", "mae"], "suite/a.yaml: regression[0].metric"))
    "suite/a.yaml: regression[0].metric: unknown metric 'cc'. Did you mean 'ccc'? Known: ccc, mae"
    """
    names = sorted(options)
    near = _nearest(str(name), names)
    hint = f" Did you mean '{near}'?" if near else ""
    shown = ", ".join(names[:30]) + (f", ... ({len(names)} in all)" if len(names) > 30 else "")
    place = f"{where}: " if where else ""
    whose = f" {of}" if of else ""
    return ConfigError(f"{place}unknown {what} '{name}'{whose}.{hint} Known: {shown or 'none'}")


def _nearest(name: str, names: Iterable[str]) -> str:
    """Most similar name, of equally similar ones that with the same first letter; or empty."""
    ranked = [
        (difflib.SequenceMatcher(None, option, name).ratio(), option[:1] == name[:1], option)
        for option in names
    ]
    ratio, _, nearest = max(ranked, default=(0.0, False, ""))
    return nearest if ratio >= 0.5 else ""


def _importing() -> str:
    """Module whose import runs at the moment; of code outside an import, its own module."""
    first = frame = sys._getframe(2)
    while frame.f_code.co_name != "<module>" and frame.f_back is not None:
        frame = frame.f_back
    module_frame = frame if frame.f_code.co_name == "<module>" else first
    return str(module_frame.f_globals["__name__"])


class Registry(Generic[T]):
    """Ordered mapping from id to thing; unknown and duplicate ids are errors.

    Args:
        what: singular noun for messages, for example ``"metric"``

    >>> metrics = Registry("metric")
    >>> @metrics.register("zero")
    ... def zero(): return 0
    >>> metrics.names()
    ['zero']
    """

    def __init__(self, what: str):
        self.what = what
        self._items: dict[str, T] = {}
        self._origins: dict[str, str] = {}

    def add(self, name: str, item: T) -> T:
        """Store ``item``; raises ConfigError if the name is taken."""
        if name in self._items:
            raise ConfigError(f"{self.what} '{name}' is defined twice")
        self._items[name] = item
        self._origins[name] = _importing()
        return item

    def register(self, name: str) -> Callable[[T], T]:
        """Decorator form of :meth:`add`."""
        return lambda item: self.add(name, item)

    def get(self, name: str, where: str = "") -> T:
        """Item of that name; raises ConfigError with the nearest name if there is none."""
        if name not in self._items:
            raise unknown(self.what, name, self._items, where)
        return self._items[name]

    def origin(self, name: str) -> str:
        """Dotted name of the module that was being imported when a name was defined."""
        self.get(name)
        return self._origins[name]

    def names(self) -> list[str]:
        """All names in the order of definition."""
        return list(self._items)

    def __contains__(self, name: object) -> bool:
        return name in self._items

    def __iter__(self) -> Iterator[T]:
        return iter(self._items.values())

    def __len__(self) -> int:
        return len(self._items)
