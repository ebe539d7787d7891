"""Serving the website on this computer, and making it anew while somebody edits."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from ..core import paths
from ..core.errors import ConfigError
from ..core.mirror import stats
from ..core.paths import Paths

Say = Callable[[str], None]
#: seconds between two looks at the files
PAUSE_S = 0.5
#: addresses that only a watched site has
STATE, SCRIPT = "/-/state", "/-/reload.js"
#: asks for the state, and loads the page again when it is another one
RELOAD = b"""(function () {
  "use strict";
  let last = null;
  async function look() {
    try {
      const state = await (await fetch("/-/state", { cache: "no-store" })).text();
      if (last !== null && state !== last) location.reload();
      last = state;
    } catch (error) {
      /* the server is away; it may come back */
    }
    setTimeout(look, 500);
  }
  look();
})();
"""
TAG = f'<script src="{SCRIPT}"></script>'.encode()


class Watch:
    """Builds the site again when a file changes that it is made from.

    Args:
        folders: folders whose files count, those of code and texts among them
        build: brings the site up to date; returns what went wrong, empty if nothing did
        say: takes one line for a person
    """

    def __init__(self, folders: Sequence[Path], build: Callable[[], str], say: Say):
        self._folders = folders
        self._build = build
        self._say = say
        self._last = self._stats()
        #: number of builds that ended well
        self.state = 0

    def look(self) -> bool:
        """Build if something changed since the last look; returns whether something did."""
        try:
            now = self._stats()
        except FileNotFoundError:  # of an editor, gone while we looked: the next look decides
            return False
        if now == self._last:
            return False
        self._last = now
        fault = self._build()
        self._say(fault or "website built anew")
        self.state += not fault
        return True

    def go_on(self, end: threading.Event) -> None:
        """Look again and again until ``end`` is set."""
        while not end.wait(PAUSE_S):
            self.look()

    def _stats(self) -> list[Any]:
        return [
            entry
            for folder in self._folders
            for entry in stats(folder)
            if "__pycache__" not in str(entry[0])
        ]


class SiteHandler(SimpleHTTPRequestHandler):
    """Serves files; the website has a page of its own for addresses that lead nowhere."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer with the page for lost readers, or as the server does."""
        page = Path(self.directory, "404.html")
        if code == HTTPStatus.NOT_FOUND and page.is_file():
            self._send(page.read_bytes(), "text/html; charset=utf-8", code)
        else:
            super().send_error(code, message, explain)

    def _send(self, content: bytes, kind: str, code: int = HTTPStatus.OK) -> None:
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)


class WatchedHandler(SiteHandler):
    """Serves files; pages get a script that loads them again after a build."""

    def __init__(self, *args: Any, watch: Watch, **settings: Any):
        self._watch = watch
        super().__init__(*args, **settings)

    def do_GET(self) -> None:
        """Answer with a file, the state, or the script."""
        path = self.path.partition("?")[0].partition("#")[0]
        if path == STATE:
            self._send(str(self._watch.state).encode(), "text/plain")
        elif path == SCRIPT:
            self._send(RELOAD, "text/javascript")
        elif path.endswith((".html", "/")):
            file = Path(self.translate_path(path))
            try:
                page = (file / "index.html" if file.is_dir() else file).read_bytes()
            except OSError:
                super().do_GET()
            else:
                self._send(page.replace(b"</body>", TAG + b"</body>"), "text/html; charset=utf-8")
        else:
            super().do_GET()

    def log_message(self, *_: Any) -> None:
        """Say nothing: the question for the state comes twice a second."""


def watched(folders: Paths, catalogs: Sequence[Path]) -> list[Path]:
    """Folders that decide about the website."""
    return [paths.DOCS, paths.PACKAGE, *catalogs, folders.method_tests, folders.media]


def rebuild(options: Sequence[str]) -> str:
    """Build in a new process, in which edited code counts; returns its error messages."""
    launcher = ["-m", paths.IMPORTED] if paths.INSTALLED else [str(paths.REPOSITORY / "build.py")]
    command = [sys.executable, *launcher, "site", "--quiet", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return (done.stderr.strip() or f"exit code {done.returncode}") if done.returncode else ""


def serve(folder: Path, port: int, say: Say, watch: Watch | None = None) -> None:
    """Serve a folder until Ctrl-C.

    Args:
        folder: the website
        port: where to listen, on this computer only
        say: takes one line for a person
        watch: builds the site again while it is served; None: nothing does

    Raises:
        ConfigError: if the port cannot be used
    """
    handler: Any = partial(SiteHandler, directory=str(folder))
    if watch:
        handler = partial(WatchedHandler, directory=str(folder), watch=watch)
    try:
        server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    except OSError as error:
        raise ConfigError(f"--serve {port}: {error.strerror}") from None
    end = threading.Event()
    with server, contextlib.suppress(KeyboardInterrupt):
        say(f"serving at http://127.0.0.1:{server.server_port}/ (Ctrl-C ends it)")
        if watch:
            say("watching texts, code, catalogs and results; pages load themselves again")
            threading.Thread(target=watch.go_on, args=(end,), daemon=True).start()
        try:
            server.serve_forever()
        finally:
            end.set()
