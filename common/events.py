"""Sound event metrics, for everybody: a thin door to :mod:`common.metrics.events`."""

from .metrics.events import *  # noqa: F403 (all that it names)
from .metrics.events import __all__  # noqa: F401
