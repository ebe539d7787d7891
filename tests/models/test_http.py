"""Servers on this machine: the same questions by POST."""

from __future__ import annotations

import base64
import contextlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from common import models
from common.core.errors import ConfigError, ModelError


@pytest.fixture
def server():
    """A server whose answer a test decides: (status, text, wait for an event before)."""
    state = {"answer": None, "asked": [], "release": threading.Event()}

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state["asked"].append((self.path, body["sampling_rate"]))
            if state["answer"] == "wait":
                state["release"].wait(60)
                return
            if state["answer"] in ("drip", "drip head", "cut"):
                self.wfile.write(b"HTTP/1.0 200 OK\r\n")
                end = (
                    b"X-Slow: "
                    if state["answer"] == "drip head"
                    else b"Content-Length: 999\r\n\r\n{"
                )
                self.wfile.write(end)
                # ten times as long as the limit, if nobody hangs up
                for _ in range(0 if state["answer"] == "cut" else 60):
                    state["release"].wait(0.05)
                    self.wfile.write(b" ")
                return
            signal = np.frombuffer(base64.b64decode(body["samples"]), dtype="<f4")
            level = float(np.abs(signal.astype(float)).mean())
            status, text = state["answer"] or (200, json.dumps({"arousal": level}))
            self.send_response(status)
            if status == 302:
                self.send_header("Location", "http://example.org/")
            self.end_headers()
            self.wfile.write(text.encode())

        def handle_one_request(self):
            """One that is hung up on is not told about."""
            with contextlib.suppress(ConnectionError):
                super().handle_one_request()

        def log_message(self, *arguments):
            """Silent."""

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=running.serve_forever)
    thread.start()
    state["url"] = f"http://127.0.0.1:{running.server_port}/predict?fast=1"
    yield state
    state["release"].set()
    running.shutdown()
    thread.join()
    running.server_close()


def served(entry, url, **params):
    return entry(adapter="http", params={"url": url, **params}, outputs={"arousal": {}})


def test_each_signal_is_sent(entry, targets, batch, signals, level, server):
    mine = served(entry, server["url"])
    models.check(mine, targets)
    answer = models.load(mine, targets, seed=0).predict(batch(signals))
    assert answer["arousal"] == pytest.approx([level(s) for s in signals], abs=1e-9)
    assert server["asked"] == [("/predict?fast=1", 16000)] * 5


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((500, "no model\nloaded"), r"the server 127.0.0.1:\d+ answered 500: no model loaded"),
        ((302, ""), r"answered 302"),
        ((200, "<html>"), r"did not answer with a JSON object, but with '<html>'"),
        ((200, '{"error": "too short"}'), r"answered with an error: too short"),
        ((200, '{"valence": 0}'), r"no 'arousal' in the answer, found: valence"),
        ((200, '{"arousal": false}'), r"expected a number, found the truth value False"),
        ((200, '{"arousal": 0, "arousal": 1}'), r"the key 'arousal' appears twice"),
        ("wait", r"did not answer within 0\.3 s"),
        ("drip", r"did not answer within 0\.3 s"),
        ("drip head", r"did not answer within 0\.3 s"),
        ("cut", r"cut its answer off"),
    ],
)
def test_faults_are_one_line(entry, targets, batch, signals, server, answer, message):
    server["answer"] = answer
    model = models.load(served(entry, server["url"], timeout_s=0.3), targets, seed=0)
    with pytest.raises(ModelError, match=message):
        model.predict(batch(signals[:1]))


def test_a_server_that_is_not_there(entry, targets, batch, signals, server):
    url = server["url"].replace("127.0.0.1", "127.0.0.2")
    model = models.load(served(entry, url), targets, seed=0)
    with pytest.raises(ModelError, match=r"the server 127.0.0.2:\d+ cannot be reached: Connection"):
        model.predict(batch(signals[:1]))


def test_recordings_stay_on_this_machine_unless_meant(entry, targets):
    for host in ("example.org", "192.168.1.7", "0.0.0.0", "localhost.example.org"):
        mine = served(entry, f"http://{host}:8000/")
        with pytest.raises(ConfigError, match=rf"'{host}' is not this machine: recordings would"):
            models.check(mine, targets)
        with pytest.raises(ConfigError, match="is not this machine"):
            models.load(mine, targets, seed=0)
    models.check(served(entry, "https://example.org/predict", remote=True), targets)
    for host in ("localhost", "127.8.8.8", "[::1]"):
        models.check(served(entry, f"http://{host}:8000/"), targets)


@pytest.mark.parametrize("url", ["", "127.0.0.1:8000", "ftp://localhost/", "http://localhost:x/"])
def test_what_is_no_address(entry, targets, url):
    with pytest.raises(ConfigError, match=r"params.url: expected an address such as http"):
        models.check(served(entry, url), targets)


def test_other_faults_of_entries(entry, targets):
    with pytest.raises(ConfigError, match="outputs: missing"):
        models.check(entry(adapter="http", params={"url": "http://localhost"}), targets)
    with pytest.raises(ConfigError, match=r"unknown parameter 'timeout'"):
        models.check(served(entry, "http://localhost", timeout=1), targets)
    with pytest.raises(ConfigError, match=r"params.timeout_s: expected seconds, found True"):
        models.check(served(entry, "http://localhost", timeout_s=True), targets)


def test_address_and_version_are_the_identity(entry):
    one = models.fingerprint(served(entry, "http://localhost:1/"))
    assert one != models.fingerprint(served(entry, "http://localhost:2/"))
