"""Numbers with their nouns, in messages and on pages."""

from __future__ import annotations


def counted(n: int, noun: str, several: str = "") -> str:
    """A number of things.

    Args:
        n: how many
        noun: what one of them is called
        several: what more of them, or none, are called; empty: the noun with an s

    >>> counted(1, "cell"), counted(0, "cell"), counted(2, "entry", "entries")
    ('1 cell', '0 cells', '2 entries')
    """
    return f"{n} {noun}" if n == 1 else f"{n} {several or noun + 's'}"
