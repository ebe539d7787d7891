"""The only module that knows folder and file names."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from .errors import OutputError

PACKAGE = Path(__file__).resolve().parents[1]
#: name of the package in sources, texts and hashes, whatever it is called where it is installed
NAME = "common"
#: name under which it was imported
IMPORTED = __name__.partition(".")[0]
#: where it is installed, it holds what lies beside it in a clone
INSTALLED = (PACKAGE / "share").is_dir()
REPOSITORY = PACKAGE / "share" if INSTALLED else PACKAGE.parent
CATALOG = PACKAGE / "catalog"
#: how data in the wild name columns, labels and licences
CONVENTIONS = CATALOG / "conventions.yaml"
SUITE = PACKAGE / "suite"
DOCS = REPOSITORY / "docs"
PUBLISHED = REPOSITORY / "extra" / "published"
#: folder of a catalog that holds published results, such as those of the reference suite
PUBLISHED_NAME = "published"
RANGES_CSV = "correctness_consistency_ranges.csv"
#: folder in ``extra/media/``: samples that result pages play
SAMPLES = "samples"
#: folder of results: what the samples and the audio of datasets are like
DATASETS = "datasets"
#: folder in ``extra/media/``: samples behind the cells of result pages, as tables
TABLES = "tables"
#: folder below the results of a model: what it does as perturbations get worse
SEVERITY = "severity"
#: folder below the results of a model: slices of the samples in which it is worse
SLICES = "slices"
#: folder below the results of a model: sums of each speaker
SUMS = "sums"
#: folder in ``extra/media/``: recordings whose events result pages show
SCENES = "scenes"
#: folder below the results of a model: those of its earlier versions
VERSIONS = "versions"
#: file beside the results: what was measured of the cost of models
COST = "cost.csv"
CACHE_NAME = "speechproof"
#: folder in the cache: what is known about model files (hashes, nodes)
MODELS_CACHE = "models"


def extensions() -> list[Path]:
    """Our extensions of Sphinx, packages and single modules."""
    return sorted(path for path in (DOCS / "_ext").iterdir() if not path.name.startswith("_"))


def imported(module: str) -> str:
    """Name under which a module of the package can be imported.

    >>> imported("common.core.paths") == __name__
    True
    """
    return _renamed(module, NAME, IMPORTED)


def named(module: str) -> str:
    """Name of an imported module in sources, texts and hashes; modules of others keep theirs.

    >>> named(__name__), named("numpy.linalg")
    ('common.core.paths', 'numpy.linalg')
    """
    return _renamed(module, IMPORTED, NAME)


def _renamed(module: str, before: str, after: str) -> str:
    first, dot, rest = module.partition(".")
    return after + dot + rest if first == before else module


def default_output() -> Path:
    """Where results are if nobody says: the clone, or the current folder of an installed program."""
    return Path.cwd() if INSTALLED else REPOSITORY


def default_cache() -> Path:
    """XDG cache folder of this program."""
    return _xdg("XDG_CACHE_HOME", ".cache")


def default_state() -> Path:
    """XDG folder of this program for what it did: logs, history."""
    return _xdg("XDG_STATE_HOME", ".local/state")


def _xdg(variable: str, default: str) -> Path:
    base = os.environ.get(variable)
    return (Path(base) if base else Path.home() / default) / CACHE_NAME


def _odd(path: Path) -> Iterator[Path]:
    """All links, pipes, devices and the like in a folder, or itself if it is one."""
    if path.is_symlink() or not path.is_dir():
        if path.is_symlink() or (path.exists() and not path.is_file()):
            yield path
        return
    folders = [str(path)]
    while folders:
        with suppress(OSError), os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                elif not entry.is_file(follow_symlinks=False):
                    yield Path(entry.path)


@dataclass(frozen=True)
class Paths:
    """Where one run reads and writes.

    Args:
        output: root of ``method-tests/``, ``extra/media/`` and ``build/``
        cache: predictions, audb flavours, embedded data
    """

    output: Path = field(default_factory=default_output)
    cache: Path = Path()

    def __post_init__(self) -> None:
        object.__setattr__(self, "output", Path(self.output).resolve())
        cache = default_cache() if self.cache == Path() else Path(self.cache)
        object.__setattr__(self, "cache", cache.resolve())

    def stay_inside(self) -> Paths:
        """Refuse what leads out of the output folder, or never ends: whoever sent it may have put that there.

        Returns:
            these folders

        Raises:
            OutputError: if something in it is a link to another place, or neither a file nor a folder
        """
        for path in (self.method_tests, self.media.parent, self.build):
            for entry in _odd(path):
                if not entry.is_symlink():
                    raise OutputError(f"{entry}: is neither a file nor a folder: remove it")
                if not Path(os.path.realpath(entry)).is_relative_to(self.output):
                    raise OutputError(
                        f"{entry}: is a link to another place, and nothing is read or written outside of"
                        f" {self.output}: remove it, or name the other place with --output"
                    )
        return self

    @property
    def method_tests(self) -> Path:
        """Result tables."""
        return self.output / "method-tests"

    @property
    def human(self) -> Path:
        """Agreement of single raters."""
        return self.method_tests / "human.csv"

    def dataset_facts(self, dataset: str) -> Path:
        """What the samples and the audio of a dataset are like."""
        return self.method_tests / DATASETS / f"{dataset}.json"

    @property
    def cost(self) -> Path:
        """What was measured of the cost of models."""
        return self.method_tests / COST

    @property
    def media(self) -> Path:
        """Figures and audio examples."""
        return self.output / "extra" / "media"

    @property
    def build(self) -> Path:
        """Everything that Sphinx reads and writes."""
        return self.output / "build"

    @property
    def run_report(self) -> Path:
        """What the last run into the output folder took; it lies elsewhere, as it is never the same twice."""
        output = hashlib.sha256(os.fsencode(self.output.resolve())).hexdigest()
        return default_state() / "runs" / f"{output[:16]}.json"

    @property
    def published_report(self) -> Path:
        """The same of a run whose report is part of the website, because somebody wants that."""
        return self.method_tests / "run.json"

    @property
    def source(self) -> Path:
        """Assembled Sphinx source: docs/ plus generated pages."""
        return self.build / "source"

    @property
    def html(self) -> Path:
        """The website."""
        return self.build / "html"

    def criteria(self, target: str, test: str) -> Path:
        """Criteria table of a test."""
        return self.method_tests / target / f"{test}.csv"

    def results(self, target: str, model: str, test: str) -> Path:
        """Result rows of a model in a test."""
        return self.method_tests / target / model / f"{test}.csv"

    def sums(self, target: str, model: str, test: str, dataset: str) -> Path:
        """Sums of the speakers of a model in a test on a dataset."""
        return self.method_tests / target / model / SUMS / f"{test}--{dataset}.parquet"

    def slices(self, target: str, model: str, dataset: str) -> Path:
        """Slices of a dataset that were tried for a model."""
        return self.method_tests / target / model / SLICES / f"{dataset}.csv"

    def severity(self, target: str, model: str, test: str) -> Path:
        """Rows of a model in a test at all levels of its perturbations."""
        return self.method_tests / target / model / SEVERITY / f"{test}.csv"

    def manifest(self, target: str, model: str) -> Path:
        """What the result rows of a model were made from."""
        return self.method_tests / target / model / "manifest.json"

    def versions(self, target: str, model: str) -> Path:
        """Results of earlier versions of a model."""
        return self.method_tests / target / model / VERSIONS

    def version(self, target: str, model: str, version: str) -> Path:
        """Result rows and manifest of one earlier version of a model."""
        return self.versions(target, model) / version

    def figures(self, target: str, model: str, test: str) -> Path:
        """Figures of a model in a test."""
        return self.media / target / model / test

    def sample_table(self, target: str, dataset: str) -> Path:
        """Samples of a dataset with the answers of all models, as a script for pages."""
        return self.media / TABLES / target / f"{dataset}.js"

    @property
    def predictions(self) -> Path:
        """Prediction cache."""
        return self.cache / "predictions"

    @property
    def embedded(self) -> Path:
        """Embedded data: the file-system audb repository and its parts."""
        return self.cache / "embedded"

    @property
    def audb(self) -> Path:
        """Cache of loaded audb datasets."""
        return self.cache / "audb"
