"""Records of catalog, suite and cell; kinds; criteria.

Reading order: :mod:`~common.spec.records` (what may be declared), :mod:`~common.spec.loading`
(from YAML to records), :mod:`~common.spec.criterion`, :mod:`~common.spec.kinds`.
"""

from __future__ import annotations

from ..core.documents import read_yaml
from .loading import (
    fault,
    is_catalog,
    load_benchmark,
    load_entries,
    load_tests,
    parse,
)
from .records import (
    ID_PATTERN,
    KINDS,
    Benchmark,
    Chance,
    Column,
    Criterion,
    Dataset,
    Detection,
    Entry,
    MetricUse,
    Model,
    Output,
    Perturbation,
    Record,
    Severity,
    Target,
    Test,
)

__all__ = [
    "ID_PATTERN",
    "KINDS",
    "Benchmark",
    "Chance",
    "Column",
    "Criterion",
    "Dataset",
    "Detection",
    "Entry",
    "MetricUse",
    "Model",
    "Output",
    "Perturbation",
    "Record",
    "Severity",
    "Target",
    "Test",
    "fault",
    "is_catalog",
    "load_benchmark",
    "load_entries",
    "load_tests",
    "parse",
    "read_yaml",
]
