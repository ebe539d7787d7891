"""Names that become files and folders: which ones no system, and this program, can tell apart."""

from __future__ import annotations

from collections.abc import Iterable

from .paths import SAMPLES, SCENES, SEVERITY, VERSIONS

#: names beside which Windows can have no file, whatever follows a dot
_DEVICES = {
    *("con", "prn", "aux", "nul", "clock$", "conin$", "conout$"),
    *(f"{port}{number}" for port in ("com", "lpt") for number in range(10)),
}
#: folders that this program makes among those of targets and models
_OWN = {VERSIONS, SEVERITY, SAMPLES, SCENES}
#: endings of files that this program writes among these folders
_ENDINGS = (".csv", ".json")
#: characters of a name; several of them may stand in the name of one file
LONGEST = 100


def unusable(name: str) -> str:
    """Why a name cannot be an id, which becomes the name of folders; empty if it can.

    >>> unusable("wavlm-1.0"), unusable("versions")
    ('', 'is the name of a folder of this program')
    >>> unusable("nul.txt"), unusable("a.")
    ('is the name of a device on Windows', 'ends in a dot, which Windows leaves out')
    """
    if len(name) > LONGEST:
        return f"is longer than {LONGEST} characters"
    if name.endswith("."):
        return "ends in a dot, which Windows leaves out"
    if name.lower().split(".")[0] in _DEVICES:
        return "is the name of a device on Windows"
    if name.lower() in _OWN:
        return "is the name of a folder of this program"
    if name.lower().endswith(_ENDINGS):
        return f"ends as files of results do: {', '.join(_ENDINGS)}"
    return ""


def usable(name: str) -> str:
    """The name itself; raises ValueError for one that is :func:`unusable`."""
    reason = unusable(name)
    if reason:
        raise ValueError(reason)
    return name


def same_folder(names: Iterable[str]) -> tuple[str, str] | None:
    """First two names that differ in upper and lower case only; None if there are none.

    Windows and macOS have one folder for both.

    >>> same_folder(["a", "B", "b"])
    ('B', 'b')
    """
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.lower(), name)
        if other != name:
            return other, name
    return None


__all__ = ["LONGEST", "same_folder", "unusable", "usable"]
