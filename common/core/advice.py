"""Commands that messages advise, with the options that the reader used.

A command that is copied from a message must look where the message was about: in the same
catalog, output and cache. The command line says once what it was given (:func:`given`);
whoever advises a command asks :func:`command` for it. Outside a command line, as when the
pages of the website are made, there are no such options, so that no path of this machine
stands in what is published.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

from . import paths

#: the launcher of a clone
LAUNCHER = "build.py"
#: environment variable that allows what the option ``--allow-code`` allows
ALLOW_CODE = "SPEECHPROOF_ALLOW_CODE"
#: name of the program in its own messages
PROGRAM = "speechproof" if paths.INSTALLED else LAUNCHER
#: what the command line in use was given
_USED: dict[str, Any] = {"program": PROGRAM, "options": ()}


@contextmanager
def given(program: str, options: Mapping[str, Any]) -> Iterator[None]:
    """Let advice repeat the options of a command line while it runs.

    Args:
        program: how the program was called; what is not the launcher of a clone is taken for
            the name of the program
        options: long option -> value, list of values, or None if it was not given
    """
    before = dict(_USED)
    program = program if Path(program).name == LAUNCHER else PROGRAM
    _USED.update(program=program, options=tuple(_pairs(options)))
    try:
        yield
    finally:
        _USED.update(before)


def _pairs(options: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Words of each option; one without a value is true or false."""
    for option, value in options.items():
        name = option.replace("_", "-")
        for item in value if isinstance(value, list) else [value]:
            if item is True:
                yield (f"--{name}",)
            elif item is not None and item is not False:
                yield f"--{name}", str(item)


def command(*words: object) -> str:
    """A command that does what its words say, with the options in use.

    An option that is among the words is not repeated, but for another catalog.

    >>> command("run", "--model", "my model")
    "python build.py run --model 'my model'"
    >>> with given("build.py", {"catalog": ["catalog"], "output": None}):
    ...     command("run")
    'python build.py run --catalog catalog'
    """
    said = [str(word) for word in words]
    used = [
        pair
        for pair in _USED["options"]
        if pair not in pairwise(said) and (pair[0] == "--catalog" or pair[0] not in said)
    ]
    program = [_USED["program"]]
    start = ["python", *program] if Path(*program).name == LAUNCHER else program
    return shlex.join([*start, *said, *(w for pair in used for w in pair)])
