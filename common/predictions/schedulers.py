"""Clusters that compute shards: the address of a scheduler, or a file that says how to start one.

A file names one of the classes in :data:`CLUSTERS` and its arguments; no other code can be named::

    cluster: dask_jobqueue.SLURMCluster
    arguments: {cores: 4, processes: 4, memory: 16GB, queue: normal, walltime: "04:00:00"}
    jobs: 20
"""

from __future__ import annotations

import importlib
import logging
import re
import shlex
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pydantic

from ..core import leftovers, processes
from ..core.documents import read_yaml
from ..core.errors import BenchmarkError, ConfigError, MissingDependency
from ..core.registry import unknown
from ..models.base import one_line
from ..spec.criterion import Record
from ..spec.loading import fault
from .starting import quietly, reason, silently

if TYPE_CHECKING:
    from distributed import Client

#: classes that a file may name -> package to install
CLUSTERS: Mapping[str, str] = {
    "dask_jobqueue.HTCondorCluster": "dask-jobqueue",
    "dask_jobqueue.LSFCluster": "dask-jobqueue",
    "dask_jobqueue.MoabCluster": "dask-jobqueue",
    "dask_jobqueue.OARCluster": "dask-jobqueue",
    "dask_jobqueue.PBSCluster": "dask-jobqueue",
    "dask_jobqueue.SGECluster": "dask-jobqueue",
    "dask_jobqueue.SLURMCluster": "dask-jobqueue",
    "dask_kubernetes.operator.KubeCluster": "dask-kubernetes",
    "distributed.LocalCluster": "distributed",
}
#: the one whose workers are processes of this machine
LOCAL = "distributed.LocalCluster"
logger = logging.getLogger(__name__)

EXTRA = "pip install dask distributed"
ADDRESS = re.compile(r"(tcp|tls|ws|wss|ucx)://[^\s/]+")
#: seconds after which a scheduler that does not answer is given up
PATIENCE_S = 30


class Scheduler(Protocol):
    """A cluster that can be connected to."""

    def client(self) -> Any:
        """Context with a ``distributed.Client``.

        Raises:
            BenchmarkError: if it cannot be started or reached
        """
        ...


class Address:
    """A scheduler that runs already.

    Args:
        address: such as ``tcp://10.0.0.1:8786``
    """

    def __init__(self, address: str):
        self._address = address

    @contextmanager
    def client(self) -> Iterator[Client]:
        """As :meth:`Scheduler.client`."""
        with _client(self._address, f"--scheduler {self._address}") as client:
            yield client


class ClusterFile(Record):
    """A file that says how to start a cluster.

    Args:
        cluster: its class, one of :data:`CLUSTERS`
        arguments: of the class
        jobs: number of jobs, or of workers where there are no jobs
    """

    cluster: str
    arguments: Mapping[str, Any] = {}
    jobs: int = pydantic.Field(gt=0, strict=True)


class Started:
    """A cluster that is started for a run and ends with it.

    Args:
        path: file that says how
        formatter: as of :func:`scheduler`
    """

    def __init__(self, path: Path, formatter: str = ""):
        self._path = path
        self._formatter = formatter
        content = read_yaml(path)
        if not isinstance(content, Mapping):
            raise ConfigError(f"{path}: expected key: value lines, found {content!r:.60}")
        try:
            self._declared = ClusterFile.model_validate(content)
        except pydantic.ValidationError as error:
            raise ConfigError(f"{path}: {fault(ClusterFile, '', error)}") from None
        name = self._declared.cluster
        if name not in CLUSTERS:
            raise unknown("cluster", name, CLUSTERS, f"{path}: cluster")
        module, _, self._class = name.rpartition(".")
        self._module = _imported(module, f"{path}: {name}", CLUSTERS[name])

    @contextmanager
    def client(self) -> Iterator[Client]:
        """As :meth:`Scheduler.client`."""
        declared, place = self._declared, f"{self._path}: {self._declared.cluster}"
        _quiet()
        # those of processes that a cluster starts here: a later run can clear them if this one is killed
        leftovers.name_semaphores()
        with ExitStack() as stack:
            try:
                with quietly(self._formatter), processes.shielded(declared.cluster == LOCAL):
                    cluster = getattr(self._module, self._class)(**declared.arguments)
                    ending = stack.enter_context(_Ending(cluster, place))
            # whatever the class or the batch system does not like
            except Exception as error:
                raise BenchmarkError(f"{place}: cannot be started: {reason(error)}") from error
            try:
                with quietly(self._formatter):
                    _start(cluster, declared.jobs)
            except Exception as error:
                raise BenchmarkError(f"{place}: cannot start jobs: {reason(error)}") from error
            ending.level = logging.WARNING
            yield stack.enter_context(_client(cluster, place))


class _Ending:
    """Ends a cluster; of one that has no jobs yet, nobody wants to know whether it can be ended."""

    def __init__(self, cluster: Any, place: str):
        self._cluster = cluster
        self._place = place
        self.level = logging.DEBUG

    def __enter__(self) -> _Ending:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            with silently():  # it may have to kill workers
                self._cluster.close()
        except Exception as error:
            logger.log(self.level, "%s: cannot be ended: %s", self._place, one_line(error))


def _start(cluster: Any, count: int) -> None:
    """Start jobs, or workers where there are no jobs; a batch system that refuses them raises here."""
    import distributed

    if not isinstance(cluster, distributed.SpecCluster):
        cluster.scale(count)
        return
    while len(cluster.worker_spec) < count:
        cluster.worker_spec.update(cluster.new_worker_spec())
    cluster.sync(
        cluster._correct_state
    )  # what its scale() does in the background, where errors are lost


def _quiet() -> None:
    """Let dask say what is wrong only; what it says of lost connections becomes the message of an error."""
    logging.getLogger("distributed").setLevel(logging.WARNING)
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)


@contextmanager
def _client(of: Any, place: str) -> Iterator[Client]:
    import distributed

    _quiet()
    try:
        client = distributed.Client(of, timeout=PATIENCE_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise BenchmarkError(f"{place}: cannot be reached: {one_line(error)}") from None
    try:
        yield client
    finally:
        client.close()


def scheduler(text: str, formatter: str = "") -> Scheduler:
    """The cluster that an option names.

    Args:
        text: address of a scheduler, or a YAML file
        formatter: name of what makes the formatter of messages of processes that are started on this
            machine; empty: as a person reads them

    Raises:
        ConfigError: if it is neither, or the file is wrong
        MissingDependency: if dask, or what the file names, is not installed
    """
    _imported("distributed", "--scheduler", "")
    if ADDRESS.fullmatch(text):
        return Address(text)
    if Path(text).suffix in (".yaml", ".yml"):
        return Started(Path(text), formatter)
    raise ConfigError(
        f"--scheduler {shlex.quote(text)}: expected the address of a scheduler, such as tcp://10.0.0.1:8786, or a"
        " YAML file that says how to start one"
    )


def _imported(module: str, place: str, package: str) -> Any:
    """A module of dask.

    Raises:
        MissingDependency: if it is not installed
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        name = package or "dask"
        install = EXTRA if name in ("dask", "distributed") else f"pip install {name}"
        raise MissingDependency(
            f"{place} needs {name}, which is not here: {error}", install
        ) from None
