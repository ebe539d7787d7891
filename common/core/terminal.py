"""Text for a terminal: what others wrote cannot move the cursor, hide a line or end the program.

Names, labels and the messages of models come from files that somebody else may have made. In them,
control characters stand for themselves: they are shown and not obeyed.
"""

from __future__ import annotations

import argparse
import json
import logging
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import IO, Any, NoReturn

#: all control characters but tab and line feed, those that turn the direction of writing,
#: separators that some terminals take for line ends, and halves of characters, which no encoding has
_OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
#: what hides or turns a text in a page, too: control characters but those of lines and columns, line ends that are none
#: of a text, and what turns the direction of all that follows
HIDING = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
#: those of them that are ASCII
_CONTROL = bytes({*range(32), 127} - set(b"\t\n\r"))
#: types of Python -> what people call them
_TYPES = {"int": "a whole number", "float": "a number", "Path": "a path"}
#: words of a command line that are options, and not a negative number
_OPTION = re.compile(r"-(?!\d|\.\d|-?$)")
_OTHERS = re.compile("[^\x00-\x7f]")


def _shown(match: re.Match[str]) -> str:
    """A character as JSON writes it, so that JSON stays what it is."""
    return json.dumps(match[0])[1:-1]


def harmless(text: str) -> str:
    r"""Text whose control characters are shown.

    >>> harmless("\x1b[2Jall is well")
    '\\u001b[2Jall is well'
    >>> harmless("a\tb\n")
    'a\tb\n'
    """
    return _OBEYED.sub(_shown, text.replace("\r\n", "\n"))


def shown(text: str) -> str:
    r"""Text in which what would hide or turn it is shown.

    >>> shown("a\x1b[31m \u202eb\tc\n")
    'a\\u001b[31m \\u202eb\tc\n'
    """
    return HIDING.sub(_shown, text)


def is_hiding(text: str) -> bool:
    """Whether a long text may hide or turn something; quick, where it does not."""
    if text.isascii():
        data = text.encode("ascii")
        return len(data.translate(None, _CONTROL)) < len(data)
    return HIDING.search(text) is not None


def tell(text: str, *, to: IO[str] | None = None, end: str = "\n") -> None:
    """Print for a reader; everything that this program prints goes through here.

    Args:
        text: one or more lines
        to: where to; None: standard output
        end: what follows the text
    """
    stream = sys.stdout if to is None else to
    shown = harmless(text) + end
    try:
        shown.encode(getattr(stream, "encoding", None) or "utf-8")
    except UnicodeEncodeError:  # a terminal of few characters sees the numbers of the others
        shown = _OTHERS.sub(_shown, shown)
    stream.write(shown)
    stream.flush()


class Parser(argparse.ArgumentParser):
    """Parser of a command line that refuses in one line, with what is allowed and the nearest name."""

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """End the program with a harmless message."""
        super().exit(status, None if message is None else harmless(message))

    def error(self, message: str) -> NoReturn:
        """End the program with one line."""
        text = message.removeprefix("argument ")
        for name, words in _TYPES.items():
            text = text.replace(f"invalid {name} value: ", f"must be {words}, found ")
        text = " ".join(text.split())
        self.exit(2, f"error: {text} (see '{self.prog} --help')\n")

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As that of Python, but what is left over is refused by the command that it stands after."""
        self._refuse_before_command(sys.argv[1:] if args is None else args)
        parsed, rest = self.parse_known_args(args, namespace)
        if rest:
            self._command_of(parsed)._refuse(rest)
        return parsed

    def _commands(self) -> Mapping[str, argparse.ArgumentParser]:
        """Commands and their parsers."""
        actions = (a for a in self._actions if isinstance(a, argparse._SubParsersAction))
        return next((action.choices for action in actions), {})

    def _refuse_before_command(self, words: Sequence[str]) -> None:
        """Refuse an unknown option before the command; else its value would be taken for the command."""
        if not self._commands():
            return
        options = self._option_string_actions
        rest = iter(words)
        for word in rest:
            name, equals, _ = word.partition("=")
            if not _OPTION.match(name):
                return
            full = [n for n in options if n == name] or [n for n in options if n.startswith(name)]
            if len(full) > 1:
                return  # which one is meant is not clear, and argparse says so
            if not full:
                self._refuse_option(name)
            if options[full[0]].nargs is None and not equals:
                next(rest, None)

    def _refuse_option(self, name: str) -> NoReturn:
        """Refuse an option that is none, or that of a command, before the command."""
        owners = [
            command
            for command, parser in self._commands().items()
            if name in parser._option_string_actions
        ]
        if owners:
            self.error(
                f"option '{name}' must follow its command, one of: {', '.join(sorted(owners))}"
            )
        self._refuse([name])

    def _command_of(self, parsed: argparse.Namespace) -> Parser:
        """Parser of the command that was called, or this one."""
        parser = self._commands().get(str(getattr(parsed, "command", "")))
        return parser if isinstance(parser, Parser) else self

    def _refuse(self, rest: Sequence[str]) -> NoReturn:
        """Refuse what is left over."""
        from .registry import unknown  # whose errors tell harmless texts

        option = next((word for word in rest if word.startswith("-")), "")
        if not option:
            self.error(f"unexpected argument '{rest[0]}'")
        names = [name for action in self._actions for name in action.option_strings]
        names = [name for name in names if name.startswith("--")]
        self.error(str(unknown("option", option.partition("=")[0], names)))

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a value that is none of the choices."""
        if action.choices is None or value in action.choices:
            return
        from .registry import unknown

        choices = [str(choice) for choice in action.choices]
        if isinstance(action, argparse._SubParsersAction):
            raise argparse.ArgumentError(None, str(unknown("command", value, choices)))
        if action.option_strings:
            raise argparse.ArgumentError(action, str(unknown("value", value, choices)))
        after = f"after '{self.prog.split()[-1]}'"
        raise argparse.ArgumentError(None, str(unknown("value", value, choices, of=after)))


class Formatter(logging.Formatter):
    """Formatter of log messages that go to a terminal.

    Args:
        form: as in the logging of Python
        change: what is done to each message
    """

    def __init__(self, form: str, change: Callable[[str], str] = str):
        super().__init__(form)
        self._change = change

    def format(self, record: logging.LogRecord) -> str:
        """One or more harmless lines."""
        return harmless(self._change(super().format(record)))
