"""JAMS files, where the library is installed."""

from __future__ import annotations

import json

import pytest

from common.core.errors import DataError
from common.samples.event_lists import read_events
from common.samples.event_lists.jams_files import read_jams

pytest.importorskip("jams")


def content(*annotations: tuple[str, list]) -> str:
    return json.dumps(
        {
            "annotations": [
                {
                    "namespace": namespace,
                    "data": [
                        {"time": time, "duration": length, "value": value, "confidence": None}
                        for time, length, value in data
                    ],
                    "annotation_metadata": {},
                    "sandbox": {},
                }
                for namespace, data in annotations
            ],
            "file_metadata": {"title": "a.wav", "duration": 10.0, "identifiers": {}},
            "sandbox": {},
        }
    )


def test_events(tmp_path) -> None:
    path = tmp_path / "x.jams"
    path.write_text(content(("tag_open", [(0.5, 1.0, "dog"), (3.0, 1.0, "cat")]), ("beat", [])))
    assert read_events(path).rows() == [("a.wav", 0.5, 1.5, "dog"), ("a.wav", 3.0, 4.0, "cat")]
    path.write_text(content(("scaper", [(0.5, 1.0, {"label": "dog"})])))
    assert read_events(path).rows() == [("a.wav", 0.5, 1.5, "dog")]
    path.write_text(content(("tag_open", [])))
    assert read_events(path).rows() == [("a.wav", None, None, None)]


def test_a_key_stands_once(tmp_path) -> None:
    path = tmp_path / "x.jams"
    text = content(("tag_open", [(0.5, 1.0, "dog")]))
    path.write_text(text.replace('"time": 0.5', '"time": 0.5, "time": 0.7'))
    with pytest.raises(DataError, match=r"x.jams: cannot be read: .*'time' appears twice"):
        read_jams(path)


def test_which_annotation(tmp_path) -> None:
    path = tmp_path / "x.jams"
    path.write_text(content(("tag_open", [(0, 1, "a")]), ("segment_open", [(0, 2, "b")])))
    with pytest.raises(DataError, match="holds 2 annotations of events; choose one"):
        read_jams(path)
    assert read_jams(path, annotation=1).rows() == [("a.wav", 0.0, 2.0, "b")]
    with pytest.raises(DataError, match="annotation 2 of 2"):
        read_jams(path, annotation=2)
    path.write_text(content(("beat", [])))
    with pytest.raises(DataError, match=r"no annotation of events .*Found: beat"):
        read_jams(path)
    path.write_text("no JSON")
    with pytest.raises(DataError, match=r"x.jams: cannot be read"):
        read_jams(path)
