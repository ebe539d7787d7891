"""Adapter for a server on this machine: each signal is sent to ``params: {url: http://127.0.0.1:8000/predict}``.

By POST, as in :mod:`common.models.answers`. A server elsewhere would get the recordings, so its entry must say
``remote: true``. What a server does cannot be seen from here: with a new model behind it, the entry needs a
new version.
"""

from __future__ import annotations

import contextlib
import http.client
import ipaddress
import json
import socket
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

import numpy as np

from .. import spec
from ..core.errors import ConfigError, ModelError, ModelTimeout
from . import answers
from .answers import AnsweringModel
from .base import LoadOptions, place
from .outputs import wanted

#: the model is in a process that is not started here
ELSEWHERE = True
PARAMS = ("url", "timeout_s", "remote")
#: bytes of an answer
LONGEST = 64 * 2**20
OK = 200


def content(entry: spec.Model, cache: Path | None) -> str:
    """Nothing besides the entry, whose parameters name the server."""
    _address(entry)
    return ""


def offered(
    entry: spec.Model, targets: Mapping[str, spec.Target], cache: Path | None
) -> tuple[str, ...]:
    """Targets named in ``outputs``."""
    answers.check_params(entry, PARAMS)
    return tuple(wanted(entry, targets))


def check(entry: spec.Model, targets: Mapping[str, spec.Target]) -> None:
    """Look at the parameters, without asking the server."""
    offered(entry, targets, None)
    _address(entry)
    answers.seconds(entry, "timeout_s", answers.TIMEOUT_S)


def load(
    entry: spec.Model, targets: Mapping[str, spec.Target], options: LoadOptions
) -> AnsweringModel:
    """The model; the server is asked when the first signal comes."""
    check(entry, targets)
    timeout_s = answers.seconds(entry, "timeout_s", answers.TIMEOUT_S)
    return AnsweringModel(entry, targets, _Asking(_address(entry), timeout_s))


def _address(entry: spec.Model) -> SplitResult:
    """Parts of the address of a server that may be asked."""
    where, text = place(entry, "params.url"), str(entry.params.get("url", ""))
    try:
        url = urlsplit(text)
        if url.scheme not in ("http", "https") or not url.hostname or url.port == 0:
            raise ValueError
    except ValueError:
        raise ConfigError(
            f"{where}: expected an address such as http://127.0.0.1:8000/predict, found '{text}'"
        ) from None
    if entry.params.get("remote", False) is not True and not is_this_machine(url.hostname):
        raise ConfigError(
            f"{where}: '{url.hostname}' is not this machine: recordings would be sent there. To "
            "allow this, add 'params: {remote: true}' to the entry"
        )
    return url


def is_this_machine(host: str) -> bool:
    """Whether the name or address of a host always means this machine.

    >>> is_this_machine("localhost"), is_this_machine("::1"), is_this_machine("10.0.0.1")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class _Deadline:
    """Hangs up when the time of a question is over: a socket has a limit for each part of an answer only.

    Args:
        seconds: from now on
    """

    def __init__(self, seconds: float):
        self.sock: Any = None
        self.is_over = False
        self._timer = threading.Timer(seconds, self._hang_up)
        self._timer.daemon = True
        self._timer.start()

    def check(self) -> None:
        """Raise TimeoutError if the time is over."""
        if self.is_over:
            raise TimeoutError

    def cancel(self) -> None:
        """The answer is there, or nobody waits for it."""
        self._timer.cancel()
        self.sock = None

    def _hang_up(self) -> None:
        self.is_over = True
        with contextlib.suppress(OSError, AttributeError):
            self.sock.shutdown(socket.SHUT_RDWR)


class _Asking:
    """Asks a server about signals; nothing is redirected, and no proxy is used."""

    def __init__(self, url: SplitResult, timeout_s: float):
        self._url, self._timeout_s = url, timeout_s

    def __call__(self, signal: np.ndarray, sampling_rate: int) -> dict[str, Any]:
        body = json.dumps(answers.question(signal, sampling_rate))
        secure = self._url.scheme == "https"
        kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        connection = kind(str(self._url.hostname), self._url.port, timeout=self._timeout_s)
        deadline = _Deadline(self._timeout_s)
        target = (self._url.path or "/") + (f"?{self._url.query}" if self._url.query else "")
        try:
            connection.connect()
            deadline.sock = connection.sock
            deadline.check()  # it may have been over before there was something to hang up
            connection.request("POST", target, body, {"Content-Type": "application/json"})
            response = connection.getresponse()
            status, text = response.status, response.read(LONGEST + 1)
            deadline.check()
            if response.length and len(text) <= LONGEST:
                raise ModelError(f"the server {self._url.netloc} cut its answer off")
        except (OSError, http.client.HTTPException) as error:
            if deadline.is_over or isinstance(error, TimeoutError):
                raise ModelTimeout(
                    f"the server {self._url.netloc} did not answer within {self._timeout_s:g} s"
                ) from None
            reason = getattr(error, "strerror", None) or type(error).__name__
            raise ModelError(f"the server {self._url.netloc} cannot be reached: {reason}") from None
        finally:
            deadline.cancel()
            connection.close()
        if status != OK:
            shown = " ".join(text.decode("utf-8", "replace").split())[: answers.SHOWN]
            raise ModelError(f"the server {self._url.netloc} answered {status}: {shown}")
        if len(text) > LONGEST:
            raise ModelError(f"the server {self._url.netloc} answered more than {LONGEST} bytes")
        return answers.answer_of(text, f"the server {self._url.netloc}")
