"""Files with pairs of lists, as scripts of sed_eval take them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from common.cli import main


@pytest.fixture
def pairs(tmp_path: Path, capsys):
    """Two recordings; of three annotated events one is found, and nothing is invented."""
    for name, text in {
        "ref/a.txt": "0.0\t1.0\tdog\n2.0\t3.0\tcat\n",
        "ref/b.ann": "1.0\t2.0\tdog\n",
        "est/a_est.txt": "0.1\t1.1\tdog\n",
        "est/b_est.txt": "",
        "list.txt": "ref/a.txt\test/a_est.txt\nref/b.ann\test/b_est.txt\n",
        "twice.txt": "ref/a.txt,est/a_est.txt\nref/a.txt,est/b_est.txt\n",
        "gone.txt": "ref/a.txt\test/c_est.txt\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    def run(name: str, *options: str) -> tuple[int, str, str]:
        given = ("--pairs", str(tmp_path / name), *options, "--output", str(tmp_path / "out"))
        return main.main(["events", *given]), *capsys.readouterr()

    return run


def test_each_pair_is_a_recording(pairs) -> None:
    code, out, _ = pairs("list.txt", "--durations", "4", "--json")
    assert code == 0
    (system,) = json.loads(out)["systems"]
    event = system["event_based"]["overall"]["count"]
    assert (event["Nref"], event["Nsys"], event["Ntp"], event["Nfn"]) == (3, 1, 1, 2)
    segment = system["segment_based"]["overall"]["count"]
    # 4 seconds of 2 recordings for 2 labels; the estimate reaches into a second second
    assert segment["Ntp"] + segment["Ntn"] + segment["Nfp"] + segment["Nfn"] == 4 * 2 * 2
    assert (segment["Nref"], segment["Nsys"], segment["Ntp"]) == (3, 2, 1)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("twice.txt", (), "twice.txt: two references are named 'a'"),
        ("gone.txt", (), "there is no such file: "),
        ("none.txt", (), "none.txt: there is no such file"),
        ("list.txt", ("--truth", "x.txt"), "--pairs names the truth and the estimates"),
    ],
)
def test_what_is_refused(pairs, name: str, options: tuple[str, ...], message: str) -> None:
    code, _, err = pairs(name, "--metrics", "event_based", *options)
    assert code == main.USAGE and message in err and len(err.splitlines()) == 1


def test_without_truth_or_pairs(capsys) -> None:
    assert main.main(["events", "--estimate", "x.txt"]) == main.USAGE
    assert "give --truth or --pairs" in capsys.readouterr().err
