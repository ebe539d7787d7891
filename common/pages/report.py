"""A model as one file: HTML, and PDF where there is a browser that prints."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

from ..core import files, paths
from ..core.errors import OutputError
from ..core.paths import Paths
from ..spec import Benchmark
from . import browser

#: seconds that printing may take
PATIENCE = 300


def write(folders: Paths, benchmark: Benchmark, model: str, file: Path) -> int:
    """Write the report of a model.

    Args:
        folders: where results lie
        benchmark: catalog and suite
        model: id of the model
        file: HTML file to write

    Returns:
        size of the file in bytes
    """
    text = _text(folders, benchmark, model, opened=False)
    files.write_text(file, text)
    return len(text.encode())


def print_pdf(folders: Paths, benchmark: Benchmark, model: str, file: Path) -> None:
    """Print the report of a model, with everything unfolded.

    Args:
        folders: where results lie
        benchmark: catalog and suite
        model: id of the model
        file: PDF file to write

    Raises:
        OutputError: if there is no browser, or it does not print
    """
    program = browser.browser_path()
    if not program:
        raise OutputError(
            f"{file}: cannot be printed, as there is no Chromium here (looked for "
            f"{', '.join(browser.BROWSERS)}); install it, or print the HTML file from any browser"
        )
    page = file.with_name(f".{file.stem}.print.html")
    files.write_text(page, _text(folders, benchmark, model, opened=True))
    settings = ["--headless", "--disable-gpu", "--no-pdf-header-footer"]
    target = f"--print-to-pdf={file.resolve()}"
    try:
        file.unlink(missing_ok=True)
        subprocess.run(
            [program, *browser.browser_settings(), *settings, target, page.resolve().as_uri()],
            capture_output=True,
            check=False,
            timeout=PATIENCE,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise OutputError(f"{file}: {program} did not print it: {error}") from None
    finally:
        page.unlink(missing_ok=True)
    if not file.is_file():
        raise OutputError(f"{file}: {program} did not print it")


def _text(folders: Paths, benchmark: Benchmark, model: str, *, opened: bool) -> str:
    """HTML from the parts of the website, which lie beside its pages."""
    place = str(paths.DOCS / "_ext")
    if place not in sys.path:
        sys.path.insert(0, place)
    content = importlib.import_module("benchmark_site.content").load(folders, benchmark, [])
    text: str = importlib.import_module("benchmark_site.model_report").report(
        content, model, opened=opened
    )
    return text
