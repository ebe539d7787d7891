"""The options of the command line."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..core import advice
from ..core.terminal import Parser
from ..reports.events.options import add_options as add_events_options
from .bundles import add_options as add_bundle_options
from .cache import add_options as add_cache_options
from .clusters import add_option as add_scheduler_option
from .common_options import common_options
from .model_options import add_model_options
from .numbers import port, positive
from .reference import add_options as add_reference_options

LISTS = (
    "models",
    "datasets",
    "targets",
    "tests",
    "metrics",
    "perturbations",
    "corpora",
    "stale",
    "run",
)
#: benchmarks that measure speed, and those that measure something else
SPEED = ("engine", "events", "fairness", "perturb", "site", "suite", "uncertainty")
BENCHES = (*sorted((*SPEED, "pages", "paper", "ranking", "run", "scale")), "all")


def _filter_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("selection (default: everything)")
    for name in ("model", "target", "test", "dataset"):
        group.add_argument(
            f"--{name}",
            metavar="ID",
            action="append",
            default=[],
            help=f"only this {name} (repeatable); 'list {name}s' names them",
        )
    parser.add_argument("--force", action="store_true", help="compute again what is up to date")
    parser.add_argument(
        "--download",
        action="store_true",
        help="fetch datasets of remote repositories (a dataset named by --dataset always is)",
    )
    parser.add_argument(
        "--device", choices=("auto", "cpu", "cuda"), default="auto", help="where models run"
    )
    add_scheduler_option(parser)
    parser.add_argument(
        "--cost",
        action="store_true",
        help="also measure how fast models are and how much memory they need, unless this is already "
        "known for this machine (on the CPU, unless --device cuda)",
    )


def _report_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--run-report",
        action="store_true",
        help="put what the last run took (stages, memory, slowest cells, errors) on the website, which "
        "then differs after each run",
    )


def _simulate_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--metric", metavar="ID", action="append", default=[], help="metric (repeatable)"
    )
    for name, text in (
        ("--samples", "samples per group, for shifts per group and context (repeatable)"),
        ("--groups", "number of groups (repeatable)"),
    ):
        parser.add_argument(
            name, metavar="N", action="append", type=positive, default=[], help=text
        )
    parser.add_argument(
        "--repetitions",
        metavar="N",
        type=positive,
        default=0,
        help="draws per number (default: 1000 for maxima, 100000 or more for quantiles)",
    )
    parser.add_argument(
        "--compat", action="store_true", help="draw as the paper did, digit by digit"
    )
    parser.add_argument(
        "--table", metavar="FILE", type=Path, help="write the complete table of the paper as CSV"
    )
    parser.add_argument(
        "--plots", action="store_true", help="draw extra/media/fairness_thresholds/plots/max_*.png"
    )
    parser.add_argument(
        "--alarms",
        action="store_true",
        help="instead, how often a fair model is called unfair if speakers differ "
        "(--repetitions: simulated models, default: 400)",
    )


def _compare_options(parser: argparse.ArgumentParser) -> None:
    side = "ID, ID@VERSION, or a folder with results: FOLDER, FOLDER:ID, FOLDER:ID@VERSION"
    parser.add_argument("first", metavar="BASELINE", help=side)
    parser.add_argument("second", metavar="CANDIDATE", help="the same")
    parser.add_argument(
        "--gate",
        action="store_true",
        help="exit code 1 if a score is significantly worse or one of the baseline is missing",
    )
    parser.add_argument(
        "--allow-missing",
        action="store_true",
        help="with --gate: scores of the baseline may be missing or not comparable",
    )
    parser.add_argument("--alpha", metavar="P", type=float, help="level (default: 0.05)")
    parser.add_argument(
        "--min-effect", metavar="X", type=float, help="smallest difference that counts (default: 0)"
    )
    parser.add_argument(
        "--rules", metavar="FILE", type=Path, help="YAML file: alpha, min_effect, tests, metrics"
    )
    parser.add_argument("--samples", action="store_true", help="name all samples that flipped")
    parser.add_argument(
        "--format", choices=("table", "json", "junit", "markdown"), help="default: table"
    )
    parser.add_argument("--out", metavar="FILE", type=Path, help="write to a file instead")


def _slices_options(parser: argparse.ArgumentParser) -> None:
    for name, text in (
        ("model", "only this model, of those with results (default: all but chance models)"),
        ("target", "only this target"),
        ("dataset", "only this dataset"),
    ):
        parser.add_argument(
            f"--{name}", metavar="ID", action="append", default=[], help=f"{text} (repeatable)"
        )
    parser.add_argument(
        "--level",
        metavar="Q",
        type=float,
        default=0.05,
        help="share of false slices that is allowed (default: 0.05)",
    )
    parser.add_argument(
        "--top",
        metavar="N",
        type=positive,
        default=10,
        help="print at most so many slices of a model and dataset (default: 10)",
    )


def _bench_options(bench: argparse.ArgumentParser) -> None:
    bench.add_argument(
        "what", choices=BENCHES, help="what is measured; all: everything about speed"
    )
    bench.add_argument(
        "--write",
        action="store_true",
        help="with all: note the figures in docs/reference/speed.rst, too",
    )
    bench.add_argument(
        "--large", action="store_true", help="with events: 11,680 recordings and 407 labels, too"
    )
    bench.add_argument(
        "--models",
        metavar="N",
        type=positive,
        default=0,
        help="with site: N models with results for all targets, beside the published ones",
    )
    bench.add_argument(
        "--lighthouse",
        action="store_true",
        help="with pages: the points of Lighthouse, too (needs Node.js)",
    )
    bench.add_argument(
        "--segments",
        metavar="N",
        nargs="+",
        type=positive,
        default=[],
        help="with scale: sizes of the generated databases (default: 10000 100000 1000000)",
    )
    bench.add_argument(
        "--keep",
        metavar="DIR",
        type=Path,
        help="with scale: folder for databases, results and caches, which stay there",
    )
    bench.add_argument(
        "--model",
        metavar="ID",
        action="append",
        default=[],
        help="with all, suite and paper: only these models",
    )
    bench.add_argument(
        "--dataset",
        metavar="ID",
        action="append",
        default=[],
        help="with all, suite and paper: only these data",
    )


def parser() -> argparse.ArgumentParser:
    """The complete argument parser."""
    shared = common_options()
    top = Parser(
        prog=advice.PROGRAM,
        description="Test speech models for correctness, fairness and robustness, and publish "
        "the outcome as a website. Without a command: all.",
        parents=[shared],
    )
    commands = top.add_subparsers(dest="command", metavar="COMMAND")

    def add(name: str, text: str) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=text, description=text, parents=[shared])

    everything = add("all", "check, run what is missing or stale, and build the website")
    _filter_options(everything)
    _report_option(everything)
    add("check", "load every YAML, resolve every id and path, look into files; a line per fault")
    listing = add("list", "list what is declared")
    listing.add_argument(
        "what",
        choices=LISTS,
        help="what is listed; corpora: original downloads that import knows, and how to get them; "
        "stale: results that no longer belong to what is declared, and why; run: what the last run took, "
        "stage by stage",
    )
    listing.add_argument(
        "--dataset", metavar="ID", help="with tests: which tests the dataset takes part in"
    )
    running = add("run", "run tests")
    _filter_options(running)
    _report_option(running)
    running.add_argument(
        "--severity",
        action="store_true",
        help="instead, run the robustness tests at all levels of their perturbations",
    )
    site = add("site", "pages and HTML from what is in method-tests/")
    site.add_argument("--force", action="store_true", help="build from scratch")
    _report_option(site)
    site.add_argument(
        "--serve", metavar="PORT", nargs="?", const=8000, type=port, help="serve it locally"
    )
    site.add_argument(
        "--watch", action="store_true", help="with --serve: build and load pages again on changes"
    )
    summary = add("summary", "passed, failed and skipped per model, target, family and test")
    summary.add_argument(
        "--published", action="store_true", help="include the published results of the paper"
    )
    summary.add_argument(
        "--card", metavar="MODEL", help="print a model card with the results of this model"
    )
    summary.add_argument(
        "--badges", metavar="DIR", type=Path, help="write a badge (SVG) per target and model"
    )
    explaining = add("explain", "where a number comes from, and the number computed once more")
    explaining.add_argument(
        "key",
        metavar="KEY",
        help="target/model/test/dataset[/metric[/label[/condition]]]; '-' for no label, "
        "model@version for an earlier version",
    )
    explaining.add_argument(
        "--samples", action="store_true", help="list all samples with truth and predictions"
    )
    explaining.add_argument(
        "--population",
        metavar="SHARES",
        action="append",
        default=[],
        help="also the score for other shares of speakers, for example sex=female:0.7 or "
        "language=de:0.6,en:0.3 (repeatable)",
    )
    _slices_options(
        add(
            "slices",
            "where a model fails: slices of the samples in which it is worse than elsewhere",
        )
    )
    _compare_options(add("compare", "two models, paired cell by cell: better, worse, cannot tell"))
    _import_options(add("import", "turn data into a dataset of a catalog"))
    looking = add(
        "describe", "what datasets are like, for their pages; by default those of catalogs"
    )
    looking.add_argument("--dataset", metavar="ID", action="append", default=[], help="repeatable")
    add_model_options(add)
    add_reference_options(add)
    reporting = add("report", "a model as one HTML file that needs no network")
    reporting.add_argument("name", metavar="MODEL", help="id of a model with results")
    reporting.add_argument(
        "--out", metavar="FILE", type=Path, help="HTML or .pdf file to write (default: MODEL.html)"
    )
    reporting.add_argument(
        "--pdf", action="store_true", help="print it as well, with Chromium, beside the HTML file"
    )
    texts = add("texts", "write sentences with words of sentiment for a speech synthesiser")
    texts.add_argument(
        "--templates", metavar="FILE", type=Path, help="YAML file (default: the built-in one)"
    )
    texts.add_argument("--out", metavar="FILE", type=Path, required=True, help="CSV to write")
    texts.add_argument(
        "--number",
        metavar="N",
        type=positive,
        help="sentences of each language and sentiment (default: that of the templates)",
    )
    _simulate_options(
        add(
            "simulate",
            "how far scores of groups differ by chance; without options: beside the thresholds "
            "of the suite, for the numbers of samples that they were chosen for",
        )
    )
    add_events_options(
        add("events", "sound event scores from event lists or frame scores, without a model")
    )
    add_bundle_options(add)
    add_cache_options(add)
    _bench_options(add("bench", "the performance benchmarks"))
    return top


def _import_options(importing: argparse.ArgumentParser) -> None:
    importing.add_argument(
        "path",
        metavar="PATH",
        type=Path,
        help="folder with metadata.csv, .tsv, .jsonl or .parquet, such a table, an audformat database, a "
        "folder of Hugging Face datasets, of Kaldi or of WebDataset, or the original download of a corpus",
    )
    importing.add_argument("--as", dest="name", metavar="ID", help="id (default: folder name)")
    importing.add_argument(
        "--format",
        metavar="NAME",
        help="folder, audformat, table, datasets, kaldi, webdataset or a corpus (default: found)",
    )
    importing.add_argument(
        "--layout",
        metavar="FILE",
        type=Path,
        help="YAML that says how paths and tables are to be read",
    )
    importing.add_argument(
        "--guess",
        action="store_true",
        help="import nothing; print a layout that fits the names and tables found",
    )
    importing.add_argument(
        "--columns",
        metavar="NAME=COLUMN",
        action="append",
        default=[],
        help="what columns of a table are, such as emotion=label,speaker=spk (default: guessed)",
    )
    importing.add_argument(
        "--split",
        metavar="PART",
        default="",
        help="part of a corpus, such as test or all (default: that of the paper)",
    )
    importing.add_argument(
        "--encoding", metavar="NAME", default="", help="encoding of a table (default: UTF-8)"
    )
    importing.add_argument(
        "--to",
        metavar="DIR",
        type=Path,
        default=Path("catalog"),
        help="catalog folder that gets the entry (default: ./catalog)",
    )
    importing.add_argument(
        "--corpora",
        metavar="NAME",
        default="embedded",
        help="set of noises and rooms that robustness tests draw from: embedded, paper (must be "
        "fetched), or one of your perturbations.yaml (default: embedded)",
    )
    importing.add_argument(
        "--write",
        metavar="FORM",
        default="",
        help="audformat: an audformat database beside the catalog, also of a metadata.csv that could be used "
        "where it lies; csv: a table (default: a database if rows have to be written)",
    )
    importing.add_argument("--force", action="store_true", help="replace an entry of this id")
