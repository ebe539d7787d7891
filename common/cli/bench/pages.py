"""What pages of a finished website weigh, and how fast they are in a browser.

Of each kind of page the heaviest is opened in Chromium as on a phone of the middle class: a processor
four times slower, and a network of 1.6 Mbit/s with 150 ms from question to answer, which sends files as
they lie on the disk. Lighthouse assumes the same, and is asked where the command says so; it gets texts
compressed by gzip, as hosts of static websites send them. Then the largest table is sorted and filtered at
full speed.
"""

from __future__ import annotations

import gzip
import io
import statistics
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, BinaryIO

from ...core.errors import ConfigError
from ...pages.browser import browser_path, browser_settings
from ...pages.weight import LIMITS as WEIGHTS
from ...pages.weight import Weight, weight
from .lighthouse import points

#: milliseconds that a page may take as on a phone, and a table in this browser
LIMITS = {
    "first text in ms": 1800.0,
    "largest part in ms": 2500.0,
    "blocked in ms": 200.0,
    "a sort or filter in ms": 100.0,
}
SLOWER = 4
NETWORK = {
    "offline": False,
    "latency": 150,
    "downloadThroughput": 1_600_000 / 8,
    "uploadThroughput": 750_000 / 8,
}
PHONE = {"width": 412, "height": 823}
#: milliseconds of rest after which nothing more is waited for
REST_MS = 500
TURNS = 3
#: kind of page -> files below the website, of which the heaviest counts
KINDS = {
    "start": "index.html",
    "method": "method/*.html",
    "reference": "reference/*.html",
    "overview": "results/index.html",
    "compare": "results/compare.html",
    "cost": "results/cost.html",
    "own predictions": "results/own.html",
    "ranking": "results/*/index.html",
    "test": "results/*/[!i]*.html",
    "own model": "results/*/model/*.html",
    "published model": "results/*/published/*.html",
    "comparison": "results/*/comparison/*.html",
    "provenance": "results/*/provenance/*.html",
    "samples": "results/*/samples/*.html",
    "datasets": "results/dataset/index.html",
    "dataset": "results/dataset/[!i]*.html",
    "how-to": "howto/*.html",
    "bibliography": "bibliography.html",
    "search": "search.html",
    "page that is not there": "404.html",
}
DATASETS = "results/dataset/"

OBSERVE = """() => {
    window.seen = { lcp: 0, long: [] };
    new PerformanceObserver((list) => list.getEntries().forEach((entry) => (seen.lcp = entry.startTime)))
        .observe({ type: "largest-contentful-paint", buffered: true });
    new PerformanceObserver((list) => list.getEntries().forEach((entry) => seen.long.push([entry.startTime, entry.duration])))
        .observe({ type: "longtask", buffered: true });
}"""
READ = """() => {
    const first = performance.getEntriesByName("first-contentful-paint")[0].startTime;
    const blocked = seen.long.filter(([start]) => start >= first).reduce((sum, [, took]) => sum + Math.max(0, took - 50), 0);
    return [first, seen.lcp, blocked];
}"""
#: opens everything, then times a sort and a filter of the table with most rows, each until it is drawn
TABLE = """async () => {
    document.querySelectorAll("details").forEach((each) => (each.open = true));
    const drawn = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const time = async (act) => {
        await drawn();
        const start = performance.now();
        act();
        await drawn();
        return performance.now() - start;
    };
    const tables = [...document.querySelectorAll("table.sortable")];
    const table = tables.sort((a, b) => b.rows.length - a.rows.length)[0];
    const times = [];
    for (const head of table.tHead.rows[0].cells) times.push(await time(() => head.querySelector("button").click()));
    const search = document.querySelector(".cells-tools input[type=search]");
    for (const text of search ? ["n", "no", "noise", ""] : []) {
        times.push(await time(() => {
            search.value = text;
            search.dispatchEvent(new Event("input"));
        }));
    }
    return [table.rows.length, Math.max(...times)];
}"""


def bench_lighthouse(site: Path) -> dict[str, int]:
    """Points that Lighthouse gives to the heaviest page of each kind.

    Args:
        site: folder of the finished website

    Returns:
        kind and category -> points of 100

    Raises:
        ConfigError: if there is no website, no browser, or no Lighthouse
    """
    names = {kind: path.relative_to(site).as_posix() for kind, (path, _) in _heaviest(site)}
    with _served(site, _Compressing) as address:
        return points((kind, f"{address}/{name}") for kind, name in names.items())


def bench_pages(site: Path) -> dict[str, Any]:
    """Weight, requests and times of the heaviest page of each kind.

    Args:
        site: folder of the finished website

    Returns:
        figure -> value; times in ms are medians of :data:`TURNS` visits

    Raises:
        ConfigError: if there is no website, no browser, or no playwright
    """
    heaviest = dict(_heaviest(site))
    figures: dict[str, Any] = {}
    with _chromium() as chromium, _served(site) as address:
        for kind, (path, sizes) in heaviest.items():
            name = path.relative_to(site).as_posix()
            figures[f"{kind}: page"] = name
            figures[f"{kind}: kB before its content"] = round(sizes.frame / 1000)
            figures[f"{kind}: kB"] = round(sizes.page / 1000)
            figures[f"{kind}: kB with all figures"] = round(sizes.figures / 1000)
            figures[f"{kind}: requests"] = sizes.requests
            visits = [_visit(chromium, f"{address}/{name}") for _ in range(TURNS)]
            for figure, values in zip(LIMITS, zip(*visits, strict=True), strict=False):
                figures[f"{kind}: {figure}"] = float(statistics.median(values))
        for kind in ("own model", "published model"):
            if kind in heaviest:
                name = heaviest[kind][0].relative_to(site).as_posix()
                rows, took = _table(chromium, f"{address}/{name}")
                figures[f"{kind}: rows of its largest table"] = rows
                figures[f"{kind}: a sort or filter in ms"] = took
    return figures


def limits() -> dict[str, float]:
    """What the figures of every kind of page are held to."""
    sizes = [round(size / 1000) for size in WEIGHTS[:3]]
    names = ("kB before its content", "kB", "kB with all figures")
    return {**dict(zip(names, sizes, strict=True)), "requests": WEIGHTS.requests, **LIMITS}


def _heaviest(site: Path) -> Iterator[tuple[str, tuple[Path, Weight]]]:
    """The heaviest page of each kind that the website has."""
    if not (site / "index.html").is_file():
        raise ConfigError(f"bench pages: no website in {site}; make it with 'python build.py'")
    for kind, pattern in KINDS.items():
        every = [
            path
            for path in sorted(site.glob(pattern))
            if kind.startswith("dataset")
            or not path.relative_to(site).as_posix().startswith(DATASETS)
        ]
        if every:
            sizes = {path: weight(path) for path in every}
            yield kind, max(sizes.items(), key=lambda entry: entry[1].page)


@contextmanager
def _chromium() -> Iterator[Any]:
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        raise ConfigError("bench pages: needs playwright: pip install playwright") from None
    if not browser_path():
        raise ConfigError("bench pages: no Chromium here; install it, e.g. apt install chromium")
    with sync_playwright() as started:
        launched = started.chromium.launch(executable_path=browser_path(), args=browser_settings())
        yield launched
        launched.close()


class _Silent(SimpleHTTPRequestHandler):
    """Serves files."""

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


class _Compressing(_Silent):
    """Serves files, texts among them compressed."""

    #: endings of texts
    TEXTS = frozenset({".css", ".html", ".js", ".json", ".svg", ".txt", ".xml"})

    def send_head(self) -> io.BytesIO | BinaryIO | None:
        """Headers are sent; what follows them."""
        path = Path(self.translate_path(self.path))
        accepted = "gzip" in self.headers.get("Accept-Encoding", "")
        if not accepted or path.suffix not in self.TEXTS or not path.is_file():
            return super().send_head()
        content = gzip.compress(path.read_bytes())
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        return io.BytesIO(content)


@contextmanager
def _served(site: Path, serves: type[_Silent] = _Silent) -> Iterator[str]:
    """Address under which a folder is served on this computer."""
    handler: Callable[..., Any] = partial(serves, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def _visit(chromium: Any, address: str) -> tuple[float, float, float]:
    """First text, largest part and blocked time of a first visit, in ms."""
    with _page(chromium, PHONE) as page:
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.send("Network.emulateNetworkConditions", NETWORK)
        session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
        page.add_init_script(f"({OBSERVE})()")
        page.goto(address, wait_until="load")
        page.wait_for_timeout(REST_MS)
        first, largest, blocked = page.evaluate(READ)
        return first, largest, blocked


def _table(chromium: Any, address: str) -> tuple[int, float]:
    """Rows of the largest table of a page, and the longest of its sorts and filters in ms."""
    with _page(chromium, {"width": 1280, "height": 900}) as page:
        page.goto(address, wait_until="load")
        rows, took = page.evaluate(TABLE)
        return rows, float(took)


@contextmanager
def _page(chromium: Any, size: dict[str, int]) -> Iterator[Any]:
    context = chromium.new_context(viewport=size)
    yield context.new_page()
    context.close()
