"""Shards on a worker of a cluster, with temporary folders that the next worker on its machine can clear.

Packages that fetch recordings name their temporary folders by chance; a worker that is killed leaves them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from ..core import leftovers
from . import remote
from .remote import Setting
from .shards import Shard, ShardResult


@cache
def _clear() -> None:
    """Remove what dead workers have left here, once in each process."""
    leftovers.clear()


def work(setting: Setting, shard: Shard, sizes: Mapping[str, int]) -> ShardResult:
    """As :func:`common.predictions.remote.work`; temporary folders bear the name of this process."""
    _clear()
    with leftovers.contained():
        return remote.work(setting, shard, sizes)
