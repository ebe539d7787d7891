"""Recordings of others, whose licences keep them out of the repository.

This is the only place from which a test looks outside. Whatever is tested with them is tested with
synthesised signals, too.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from common.core.paths import REPOSITORY

#: where the recordings lie, if not beside the repository
VARIABLE = "SPEECHPROOF_RECORDINGS"


def recordings(name: str, counterpart: str) -> Path:
    """Folder of recordings; skips the test if they are not on this machine.

    Args:
        name: folder of the collection
        counterpart: what is tested without them, in every clone
    """
    beside = REPOSITORY.parent / "shared" / "data"
    folder = Path(os.environ.get(VARIABLE, beside)) / name
    if not folder.is_dir():
        pytest.skip(
            f"the recordings '{name}' are not here: their licence keeps them out of the repository "
            f"(${VARIABLE} may name their folder); tested instead: {counterpart}"
        )
    return folder
