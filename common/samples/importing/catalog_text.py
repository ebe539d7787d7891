"""Text of a catalog with one entry more; everything else, comments included, stays as it is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from ...core.documents import read_yaml
from ...core.errors import ConfigError
from ...core.files import write_text

_HEADER = "# {} of your own: pass this folder with --catalog\n"


def extended(catalog: Path, name: str, entry: Mapping[str, Any]) -> str:
    """Text of the catalog with the entry, in the place of the one with its id if there is one.

    Everything else, comments included, stays as it is.
    """
    header = _HEADER.format(catalog.stem.capitalize())
    text = catalog.read_text("utf-8") if catalog.exists() else header
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    items = root.value if root is not None else []
    if root is not None and (not isinstance(root, yaml.SequenceNode) or root.flow_style):
        raise ConfigError(f"{catalog}: can only be extended if each entry begins with '- id:'")
    dumped = yaml.safe_dump(
        [dict(entry)], sort_keys=False, allow_unicode=True, width=100, default_flow_style=None
    )
    indent = " " * (items[0].start_mark.column - 2 if items else 0)
    block = "".join(indent + line for line in dumped.splitlines(keepends=True))
    for item in items:
        if any(key.value == "id" and value.value == name for key, value in item.value):
            start, end = item.start_mark.index, _end(item)
            return text[:start] + block.strip()[2:] + text[end:]
    gap = "\n" if items else ""
    return f"{text.rstrip()}\n{gap}{block}"


def write_entry(catalog: Path, name: str, entry: Mapping[str, Any]) -> list[str]:
    """Write an entry into a catalog; see :func:`extended`.

    Returns:
        what the entry that it replaces said and it does not, as a remark, or nothing
    """
    remarks = _dropped(catalog, name, entry)
    write_text(catalog, extended(catalog, name, entry))
    return remarks


def _dropped(catalog: Path, name: str, entry: Mapping[str, Any]) -> list[str]:
    entries = (read_yaml(catalog) if catalog.exists() else None) or []
    for old in entries:
        if not isinstance(old, Mapping) or old.get("id") != name:
            continue
        if lost := [key for key in old if key not in entry]:
            parts = ", ".join(f"{key}: {old[key]!r:.60}" for key in lost)
            return [f"warning: the entry that was replaced had more: {parts}"]
    return []


def _end(node: yaml.Node) -> int:
    """Where the text of a node ends; marks of blocks lie behind the comments after them."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(last[1] if isinstance(last, tuple) else last)
    return int(node.end_mark.index)
