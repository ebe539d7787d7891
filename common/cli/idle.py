"""Options that would have no effect: refused, so that nobody takes a result for what it is not."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from ..core.errors import ConfigError

#: values of options that were not given
_UNUSED: tuple[Any, ...] = (None, False, 0, "", [])


def refuse_idle(args: argparse.Namespace, why: str, **options: Any) -> None:
    """Refuse options that have no effect.

    Args:
        args: options of the command
        why: end of the message, such as "goes with 'cache export' only"
        options: name of each option that has none -> its default value

    Raises:
        ConfigError: with the first option that was given

    >>> refuse_idle(argparse.Namespace(per_file="a"), "goes with --estimate only", per_file=None)
    Traceback (most recent call last):
    ...
    common.core.errors.ConfigError: --per-file goes with --estimate only
    """
    for name, default in options.items():
        value = getattr(args, name)
        if value not in _UNUSED and value != default:
            raise _refusal(name, why)


def refuse_present(args: argparse.Namespace, why: str, *options: str) -> None:
    """Refuse options that have no effect and are None where the user did not write them.

    Other than with :func:`refuse_idle`, 0 and false are values like any other.

    Args:
        args: options of the command
        why: end of the message, as there
        options: names of the options

    Raises:
        ConfigError: with the first option that was given

    >>> refuse_present(argparse.Namespace(t_collar=0.0), "goes with event_based only", "t_collar")
    Traceback (most recent call last):
    ...
    common.core.errors.ConfigError: --t-collar goes with event_based only
    """
    for name in options:
        if getattr(args, name) is not None:
            raise _refusal(name, why)


def _refusal(name: str, why: str) -> ConfigError:
    return ConfigError(f"--{_SPELLED.get(name, name.replace('_', '-'))} {why}")


def refuse_of_others(
    args: argparse.Namespace, command: str, chosen: str, owners: Mapping[str, tuple[str, ...]]
) -> None:
    """Refuse options that belong to other actions of a command.

    Args:
        args: options of the command
        command: its name
        chosen: the action
        owners: option -> the actions that it belongs to

    Raises:
        ConfigError: with the first option that was given
    """
    for name, actions in owners.items():
        if chosen not in actions:
            words = [f"'{command} {actions[0]}'", *(f"'{action}'" for action in actions[1:])]
            text = " and ".join([", ".join(words[:-1]), words[-1]] if words[1:] else words)
            refuse_idle(args, f"goes with {text} only", **{name: None})


#: what options are called whose values have other names
_SPELLED = {"id": "as", "name": "as"}
