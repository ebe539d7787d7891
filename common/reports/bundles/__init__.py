"""Bundles: the results of one model as one file that somebody else can check and publish.

A bundle is a zip archive with result rows, sums of speakers and manifests of all targets, and the
predictions on open data that they were computed of. :mod:`~common.reports.bundles.making` packs it,
:mod:`~common.reports.bundles.checking` looks at every file of one that a stranger sent, and
:mod:`~common.reports.bundles.recomputing` computes all rows on open data once more.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ...core.paths import Paths

#: version of the layout of a bundle
FORMAT = "1"
#: file that lists all others
INDEX = "bundle.json"
ROWS, PREDICTIONS = "method-tests", "predictions"

_NAME = r"[A-Za-z0-9][A-Za-z0-9._+-]*"
#: what entries of a bundle may be called
NAMES = re.compile(
    rf"{re.escape(INDEX)}"
    rf"|{ROWS}/{_NAME}/(?:manifest\.json|{_NAME}\.csv|sums/{_NAME}\.parquet)"
    rf"|{PREDICTIONS}/{_NAME}/{_NAME}/{_NAME}/(?:key\.json|{_NAME}\.parquet)"
)
#: most bytes of all entries of a kind: those of an honest bundle are a hundredth of it
LARGEST = {".csv": 64 * 2**20, ".json": 64 * 2**20}
#: names of cells in a manifest, which become parts of paths: ``test/dataset``
CELLS = re.compile(rf"{_NAME}/{_NAME}")


@dataclass(frozen=True)
class BundleFolders(Paths):
    """Folders of an unpacked bundle: its own predictions, and the data of this machine."""

    @property
    def predictions(self) -> Path:
        """Predictions of the bundle."""
        return self.output / PREDICTIONS
