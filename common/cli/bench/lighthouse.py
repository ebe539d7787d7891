"""What Lighthouse, the program by which pages of the web are compared, gives to pages of this website.

It is no part of this package: it comes with Node.js. Its settings are its own, those of a phone.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from ...core.errors import ConfigError
from ...pages.browser import browser_path, browser_settings

#: what npx fetches where Lighthouse is not installed; scores of two versions differ
VERSION = "13"
#: category -> points of 100 that every page has at least; None: only said
LIMITS = {"performance": 95, "accessibility": 95, "best-practices": None, "seo": None}
#: a page takes about 15 s; the first one may wait until npx has fetched the program
TIMEOUT_S = 300


def program() -> list[str]:
    """The words that start Lighthouse.

    Raises:
        ConfigError: if nothing here can start it
    """
    if path := shutil.which("lighthouse"):
        return [path]
    if path := shutil.which("npx"):
        return [path, "--yes", f"lighthouse@{VERSION}"]
    raise ConfigError(
        "bench pages --lighthouse: neither lighthouse nor npx here; install Node.js, "
        "then 'npm install --global lighthouse'"
    )


def points(addresses: Iterable[tuple[str, str]]) -> dict[str, int]:
    """Points of 100 that pages get.

    Args:
        addresses: name of a page -> where it is served

    Returns:
        name and category -> points

    Raises:
        ConfigError: if Lighthouse or a browser is not here, or does not come to an end
    """
    words = program()
    if not browser_path():
        raise ConfigError("bench pages: no Chromium here; install it, e.g. apt install chromium")
    with tempfile.TemporaryDirectory() as folder:
        return {
            f"{name}: Lighthouse {category}": value
            for name, address in addresses
            for category, value in _page(words, address, Path(folder) / "report.json").items()
        }


def _page(words: list[str], address: str, report: Path) -> dict[str, int]:
    flags = " ".join(["--headless=new", *browser_settings()])
    options = ["--quiet", "--output=json", f"--output-path={report}", f"--chrome-flags={flags}"]
    only = f"--only-categories={','.join(LIMITS)}"
    try:
        ended = subprocess.run(
            [*words, address, *options, only],
            env={**os.environ, "CHROME_PATH": browser_path()},
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ConfigError(f"Lighthouse: no answer about {address} in {TIMEOUT_S} s") from None
    if ended.returncode:
        last = (ended.stderr or ended.stdout).strip().splitlines()[-1:] or ["without a word"]
        raise ConfigError(f"Lighthouse: {address}: exit code {ended.returncode}: {last[0]}")
    try:
        scores = {
            name: json.loads(report.read_text("utf-8"))["categories"][name]["score"]
            for name in LIMITS
        }
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"Lighthouse: {address}: not a report of Lighthouse: {error}") from None
    finally:
        report.unlink(missing_ok=True)
    if missing := [name for name, score in scores.items() if score is None]:
        raise ConfigError(f"Lighthouse: {address}: no points for {', '.join(missing)}")
    return {name: round(100 * score) for name, score in scores.items()}
