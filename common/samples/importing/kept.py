"""What an import writes beside the catalog: all of it, or nothing."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def kept(*places: Path) -> Iterator[None]:
    """Files and folders that are written anew; as they were before if that fails.

    Folders that had to be made for them are removed as well if they stay empty.

    Args:
        places: files or folders, which may be there or not
    """
    above = [path.parent for path in places if not path.parent.exists()]
    aside = {path: path.with_name(f".{path.name}.before") for path in places}
    for path, before in aside.items():
        _remove(before)
        if path.exists():
            path.rename(before)
    try:
        yield
    except BaseException:
        for path, before in aside.items():
            _remove(path)
            if before.exists():
                before.rename(path)
        for folder in above:
            if folder.is_dir() and not any(folder.iterdir()):
                folder.rmdir()
        raise
    for before in aside.values():
        _remove(before)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
