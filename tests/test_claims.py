"""Runs that share a cache at the same time divide what is to be computed, and wait for nobody without need."""

from __future__ import annotations

import errno
import logging
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from common.core import paths
from common.core.errors import OutputError
from common.engine.plan import Filters
from common.predictions import claims, executing, inputs
from common.predictions.claims import FOLDER, GATE, WorkClaims
from common.predictions.shards import compute

#: a process that claims a recording, says so, and waits to be killed
HOLDER = """
import sys
from pathlib import Path
from common.predictions.claims import WorkClaims

with WorkClaims(Path(sys.argv[1])) as mine:
    mine.take(0, [(["s"], frozenset({"a", "b"}))])
    print("claimed", flush=True)
    sys.stdin.read()
"""
ALL = [(["s", "t"], frozenset("abc"))]


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that claims two recordings in one of the stores."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)],
        **{"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True},
        cwd=paths.REPOSITORY,
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == "claimed\n"
        yield process
        process.kill()


def in_thread(pool: ThreadPoolExecutor, *arguments, of: WorkClaims):
    """A claim of another thread, as of another run."""
    return pool.submit(of.take, *arguments).result()


@pytest.mark.parametrize("chosen", [("loud",), ("loud", "chance-value")])
def test_two_runs_divide_the_work(mini, monkeypatch, chosen) -> None:
    monkeypatch.setattr(inputs, "CHUNK_S", 1.0)
    filters = Filters(models=chosen, datasets=("tones",))
    mini.engine("alone", cache="other").run(filters)
    both, begun, seen = threading.Barrier(2), threading.local(), []

    def noted(shard, resources):
        seen.append(shard)
        return compute(shard, resources)

    def told(stage: str, done: int, total: int) -> None:
        if stage.startswith("predict") and not hasattr(begun, "once"):
            begun.once = True
            both.wait(60)  # both are in the middle

    monkeypatch.setattr(executing, "compute", noted)

    def run(out: str):
        engine = mini.engine(out, cache="store")
        engine.progress = told
        return engine.run(filters)

    with ThreadPoolExecutor(2) as pool:
        reports = [*pool.map(run, "ab")]
    assert not any(report.errors for report in reports)
    assert all(report.calls for report in reports), "one of them had nothing to do"
    predictions = Counter(
        (wish.model, wish.condition, shard.files[n], shard.starts[n])
        for shard in seen
        for wish in shard.wishes
        for n in wish.segments.nonzero()[0]
    )
    assert set(predictions.values()) == {1}
    of_models = {key for key in predictions if key[0] in chosen}
    assert len(of_models) == sum(report.calls for report in reports)
    assert mini.files("a") == mini.files("b")
    assert mini.files("a") == mini.files("alone")
    assert not (mini.root / "store" / FOLDER).exists()


def test_what_another_run_claims_is_left_to_it(holder, tmp_path: Path) -> None:
    with WorkClaims(tmp_path) as mine:
        assert mine.take(0, ALL) == {"s": {"a", "b"}}
        assert mine.has_left
        with ThreadPoolExecutor(1) as pool, WorkClaims(tmp_path) as other:
            claims._threads[other._name] = 0
            assert in_thread(pool, 0, ALL, of=other) == {"s": {*"abc"}, "t": {*"abc"}}


def test_what_is_stored_is_news_and_free(tmp_path: Path) -> None:
    with WorkClaims(tmp_path) as mine, WorkClaims(tmp_path) as other:
        claims._threads[other._name] = 0
        mine.has_news(), other.has_news()
        other.take("first", ALL)
        other.take("second", [(["u"], frozenset("a"))])
        assert mine.take(0, ALL) == {"s": {*"abc"}, "t": {*"abc"}}
        assert not mine.has_news()
        other.release(["first"])
        assert mine.has_news() and not mine.has_news()
        assert not other.has_news(), "what it stored itself is no news"
        assert mine.take(1, [*ALL, (["u"], frozenset("ab"))]) == {"u": {"a"}}


def test_claims_of_a_killed_run_count_no_more(holder, tmp_path: Path) -> None:
    with WorkClaims(tmp_path) as mine:
        assert mine.take(0, ALL)
        holder.kill()
        holder.wait()
        mine.wait(lambda: None)
        assert not mine.has_left
        assert mine.take(1, ALL) == {}
        assert len([*(tmp_path / FOLDER).glob("*.jsonl")]) == 1
    assert not (tmp_path / FOLDER).exists()


def test_a_run_that_ends_is_waited_for(holder, tmp_path: Path) -> None:
    with WorkClaims(tmp_path) as mine:
        mine.has_news()
        assert mine.take(0, ALL)
        looks = []

        def meanwhile() -> None:
            looks.append(mine.has_left)
            if len(looks) == 3:
                assert holder.stdin is not None
                holder.stdin.close()
                holder.wait()

        mine.wait(meanwhile)
        assert looks == [True] * 3
        assert mine.has_news()
        assert mine.take(1, ALL) == {}


def test_a_run_that_says_nothing_is_not_waited_for(holder, tmp_path: Path, monkeypatch) -> None:
    with WorkClaims(tmp_path) as mine:
        mine.has_news()
        assert mine.take(0, ALL)
        monkeypatch.setattr(claims, "STALLED_S", 0.0)
        mine.wait(pytest.fail)
        assert mine.take(1, ALL) == {}


def test_a_run_does_not_wait_for_itself(tmp_path: Path) -> None:
    with WorkClaims(tmp_path) as outer, WorkClaims(tmp_path) as inner:
        outer.take(0, ALL)
        assert inner.take(0, ALL) == {}


def test_a_gate_in_which_somebody_stands(holder, tmp_path: Path, monkeypatch) -> None:
    """A suspended run may stand there for ever; the others compute."""
    monkeypatch.setattr(claims, "GATE_S", 0.0)
    with WorkClaims(tmp_path) as mine, WorkClaims(tmp_path) as other, other._inside():
        assert mine.take(0, ALL) == {"s": {"a", "b"}}
        mine.release([0])


def test_without_locks_there_are_no_claims(tmp_path: Path, monkeypatch, caplog) -> None:
    def none(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(claims.fcntl, "flock", none)
    with caplog.at_level(logging.WARNING), WorkClaims(tmp_path) as mine:
        assert mine.take(0, ALL) == {}
        mine.release([0])
        assert not mine.has_news() and not mine.has_left
    assert "no locks here (No locks available)" in caplog.text
    assert not [*(tmp_path / FOLDER).glob("*.jsonl")]


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"-1", b"9" * 5000])
def test_a_damaged_gate(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / GATE).write_bytes(content)
    with WorkClaims(tmp_path) as mine:
        assert mine.take(0, ALL) == {}
        mine.release([0])
        mine.has_news()
        assert not mine.has_news()


@pytest.mark.parametrize(
    "line", [b"[", b"\xff", b"1", b"[1]", b"[[]]", b'[["s",1]]', b'[[["s"],[]]]', b"[" * 9999]
)
def test_damaged_claims_are_none(holder, tmp_path: Path, line: bytes) -> None:
    (path,) = (tmp_path / FOLDER).glob("*.jsonl")
    path.write_bytes(line + b"\n" + b'[["t",["c"]]]\n')
    with WorkClaims(tmp_path) as mine:
        assert mine.take(0, ALL) == {"t": {"c"}}


@pytest.mark.parametrize("name", [FOLDER, f"{FOLDER}/{GATE}"])
def test_what_stands_in_the_way_is_set_aside(tmp_path: Path, name: str) -> None:
    if name == FOLDER:
        (tmp_path / name).write_text("a file")
    else:
        (tmp_path / name).mkdir(parents=True)
    with WorkClaims(tmp_path) as mine:
        assert mine.take(0, ALL) == {}
    assert [path.name for path in tmp_path.rglob("*.broken")]


def test_a_cache_that_cannot_be_written(tmp_path: Path, monkeypatch) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with WorkClaims(tmp_path) as mine:
        monkeypatch.setattr(claims.os, "write", full)
        with pytest.raises(
            OutputError, match=r"claims: cannot be written: No space left on device"
        ):
            mine.take(0, ALL)
