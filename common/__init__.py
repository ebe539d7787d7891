"""Test runners: models x tests x datasets -> result rows, tables and figures.

Reading order for newcomers: a YAML in ``suite/``, ``engine.py``, one module of
``designs/``, one of ``metrics/``.
"""

__version__ = "0.1.0"
