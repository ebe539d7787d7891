"""``build.py import-reference``: results, thresholds and models of the reference suite.

The reference suite keeps one CSV for each metric in ``ser-tests/docs/results/test/TARGET/MODEL/TEST/`` and its
tests as YAML in ``test/TARGET/``. :mod:`~common.reports.reference.tree` reads both,
:mod:`~common.reports.reference.scores` makes tables of published results of the scores,
:mod:`~common.reports.reference.suite` makes tests of the thresholds and data, and
:mod:`~common.reports.reference.verdicts` says which verdicts this suite would not give. What has no
counterpart is listed with the reason; nothing is dropped silently.
"""

from .importing import ReferenceReport, import_reference

__all__ = ["ReferenceReport", "import_reference"]
