"""Options that every command has."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .. import __version__
from ..core.advice import ALLOW_CODE
from ..core.errors import ConfigError
from ..core.paths import CACHE_NAME
from ..core.rng import DEFAULT_SEED
from ..core.terminal import Parser
from .numbers import positive

DEFAULTS: dict[str, Any] = {
    "catalog": [],
    "output": None,
    "cache": None,
    "seed": DEFAULT_SEED,
    "workers": None,
    "full": False,
    "allow_code": False,
    "json": False,
    "quiet": False,
    "verbose": False,
    "log_format": "text",
}
#: options that a command in a message repeats, so that it looks at the same things
REPEATED = ("catalog", "output", "cache", "full", "allow_code")


def code_allowed(environment: Mapping[str, str]) -> bool:
    """Whether the environment allows the code of all catalogs.

    Raises:
        ConfigError: if it says neither yes nor no
    """
    text = environment.get(ALLOW_CODE, "")
    if text not in ("", "0", "1"):
        raise ConfigError(f"{ALLOW_CODE}: expected 0 or 1, found '{text}'")
    return text == "1"


def folder(text: str) -> Path:
    """A folder that is there or can be made.

    Raises:
        argparse.ArgumentTypeError: if it is none
    """
    path = Path(text)
    if not text.strip():
        raise argparse.ArgumentTypeError("expected a folder, found an empty text")
    if "://" in text:
        raise argparse.ArgumentTypeError(
            f"expected a folder, found the URL '{text}'; a store of another machine must be mounted"
        )
    above = next(place for place in (path, *path.absolute().parents) if os.path.lexists(place))
    if not above.is_dir():
        raise argparse.ArgumentTypeError(f"expected a folder, found the file {above}")
    return path if path != Path() else Path.cwd()  # which stands for the default elsewhere


def common_options() -> Parser:
    """Options that every command has; what is not given does not stand among the arguments."""
    parser = Parser(add_help=False, argument_default=argparse.SUPPRESS)
    group = parser.add_argument_group("options of every command")
    group.add_argument(
        "--catalog",
        metavar="DIR",
        action="append",
        type=Path,
        help="folder with your own models.yaml, datasets.yaml, perturbations.yaml and "
        "suite/*.yaml on top of the built-in ones (repeatable)",
    )
    group.add_argument(
        "--output",
        metavar="DIR",
        type=folder,
        help="root of method-tests/, extra/media/ and build/ (default: the clone; the current folder if the program is installed)",
    )
    group.add_argument(
        "--cache", metavar="DIR", type=folder, help="cache folder (default: the XDG cache folder)"
    )
    group.add_argument("--seed", metavar="N", type=int, help="seed of every draw (default: 0)")
    group.add_argument(
        "--workers", metavar="N", type=positive, help="parallel workers (default: all cores)"
    )
    group.add_argument(
        "--full",
        action="store_true",
        help="the large demonstration data, instead of the part of them that a quick run makes",
    )
    group.add_argument(
        "--allow-code",
        action="store_true",
        help="let models of your catalogs run code: the adapters python, command and torchscript, transforms "
        "of audonnx and trusted types of skops "
        f"(or set {ALLOW_CODE}=1)",
    )
    group.add_argument("--json", action="store_true", help="machine-readable standard output")
    group.add_argument("--quiet", action="store_true", help="errors only")
    group.add_argument("--verbose", action="store_true", help="more about what happens")
    group.add_argument(
        "--log-format",
        choices=("text", "json"),
        help="json: messages on standard error, progress included, as one JSON object per line",
    )
    group.add_argument(
        "--version",
        action="version",
        version=f"{CACHE_NAME} {__version__}",
        help="show the version and exit",
    )
    return parser
