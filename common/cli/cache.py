"""The command cache."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.endings import check_ending
from ..core.errors import ConfigError
from ..core.wording import counted
from .exits import FAILED, OK

if TYPE_CHECKING:
    from .main import CommandContext

#: what can be done with the cache
ACTIONS = ("show", "verify", "prune", "export")
#: option -> the action that it belongs to
OPTIONS = {"yes": "prune", "model": "export", "out": "export"}


def add_options(add: Callable[[str, str], argparse.ArgumentParser]) -> None:
    """Add the command.

    Args:
        add: makes the parser of a command from its name and what it does
    """
    cache = add("cache", "what the cache holds: show, verify, prune, or export predictions")
    cache.add_argument(
        "action",
        nargs="?",
        choices=ACTIONS,
        default=ACTIONS[0],
        help="show: sizes; verify: compare predictions with their checksums; prune: predictions that no "
        "run with these catalogs can use; export: predictions of a model as one table",
    )
    cache.add_argument("--yes", action="store_true", help="with prune: remove what is listed")
    cache.add_argument("--model", metavar="ID", default="", help="with export: whose predictions")
    cache.add_argument(
        "--out",
        metavar="FILE",
        type=Path,
        help="with export: CSV, or Parquet by its ending (default: MODEL.csv)",
    )


def command_cache(context: CommandContext) -> int:
    """Look after the cache."""
    args, folder = context.args, context.folders.cache
    for option, action in OPTIONS.items():
        if getattr(args, option) and args.action != action:
            raise ConfigError(f"cache {args.action}: --{option} belongs to 'cache {action}'")
    if not folder.is_dir() and args.action != "show":
        raise ConfigError(f"--cache {folder}: is not a folder")
    actions = {"show": _show, "verify": _verify, "prune": _prune, "export": _export}
    return actions[args.action](context)


def _show(context: CommandContext) -> int:
    from ..core.display import size
    from ..reports import cached

    rows = cached.summary(context.folders)
    context.answer({"cache": str(context.folders.cache), "parts": rows})
    context.say(f"{context.folders.cache}: {size(sum(row['bytes'] for row in rows))}")
    for row in rows:
        context.say(f"  {size(row['bytes']):>8}  {row['files']:>8,} files  {row['holds']}")
    return OK


def _verify(context: CommandContext) -> int:
    from ..reports import cached

    faults = [(str(path), reason) for path, reason in cached.damaged(context.folders)]
    code = context.ends(FAILED if faults else OK)
    context.answer({"damaged": [{"file": path, "reason": reason} for path, reason in faults]})
    for path, reason in faults:
        context.say(f"{path}: {reason}")
    damaged = f"{counted(len(faults), 'file is', 'files are')} damaged; {cached.REPAIRED}"
    context.say(damaged if faults else "all predictions are as they were written")
    return code


def _prune(context: CommandContext) -> int:
    from ..core.display import size
    from ..reports import cached

    stores = list(cached.unused(context.whole_benchmark(), context.folders))
    total = size(sum(entry.size_bytes for entry, _ in stores))
    rows = [{"store": e.name, "bytes": e.size_bytes, "reason": reason} for e, reason in stores]
    for entry, reason in stores:
        context.say(f"{entry.name}: {size(entry.size_bytes)}: {reason}")
    removed = bool(stores) and context.args.yes
    if removed:
        cached.remove(context.folders, [entry for entry, _ in stores])
    context.answer({"removed": removed, "stores": rows})
    if not stores:
        context.say("nothing to remove: these catalogs can use all predictions")
    elif removed:
        context.say(f"{counted(len(stores), 'store')} removed, {total}")
    else:
        context.say(
            f"{counted(len(stores), 'store')}, {total}, of no use with these catalogs; --yes removes"
            f" {'it' if len(stores) == 1 else 'them'}"
        )
    return OK


def _export(context: CommandContext) -> int:
    from ..core import files
    from ..reports import cached

    args = context.args
    if not args.model:
        raise ConfigError(
            "cache export: missing --model ID, the model whose predictions are exported"
        )
    benchmark, folders = context.whole_benchmark(), context.folders
    table = cached.predictions_of(benchmark, folders, args.model, seed=args.seed)
    out = args.out or Path(f"{args.model}.csv")
    check_ending("--out", out, (".csv", ".parquet"))
    if out.suffix.lower() == ".csv":
        files.write_text(out, table.to_csv(index=False))
    else:
        files.write_bytes(out, table.to_parquet(None, index=False))
    context.answer({"out": str(out), "rows": len(table)})
    context.say(f"{len(table):,} predictions of {args.model}: {out}")
    return OK
