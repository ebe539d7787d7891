"""Names of columns, labels, files and licences."""

from __future__ import annotations

import pytest

from common import spec
from common.core import paths
from common.core.errors import ConfigError
from common.samples.importing import conventions

KNOWN = conventions.load()


def test_synonyms_are_unambiguous_and_lead_to_other_words():
    for column, labels in KNOWN.synonyms.items():
        words = [word for label, synonyms in labels.items() for word in (label, *synonyms)]
        assert len(words) == len(set(words)), column
        assert all(word == word.lower() for word in words), column
        assert column in KNOWN.columns


def test_classes_of_the_targets_can_be_found():
    for target in spec.load_benchmark().targets.values():
        if target.kind == "events":
            continue  # events stand in tables of their own, which are named by hand
        if target.labels:
            assert set(target.labels) <= set(KNOWN.synonyms[target.id])
        assert target.id in KNOWN.columns


def test_columns_are_found_in_any_case_the_likeliest_first():
    assert KNOWN.column("sex", ["file", "Gender"]) == "Gender"
    assert KNOWN.column("sex", ["gender", "sex"]) == "sex"
    assert KNOWN.column("sex", ["file", "age"]) == ""
    assert KNOWN.column("events", ["Events"]) == "Events"


@pytest.mark.parametrize(
    ("file", "layout", "labels"),
    [
        ("03a01Fa.wav", "emodb", {"emotion": "happiness", "speaker": "03", "sex": "male"}),
        (
            "x/03-01-08-02-01-02-24.wav",
            "ravdess",
            {"emotion": "surprise", "speaker": "24", "sex": "female"},
        ),
        ("1001_IEO_HAP_LO.wav", "crema-d", {"emotion": "happiness", "speaker": "1001"}),
        ("EB0_surprised_6.wav", "nemo", {"emotion": "surprise", "speaker": "EB0"}),
    ],
)
def test_layouts(file, layout, labels):
    found = KNOWN.layout(layout).labels(file)
    assert labels.items() <= found.items()
    for other in KNOWN.layouts:
        assert (other.labels(file) is not None) == (other.id == layout)


def test_songs_and_videos_are_not_taken_for_speech():
    assert KNOWN.layout("ravdess").labels("03-02-08-02-01-02-24.wav") is None
    assert KNOWN.layout("ravdess").labels("01-01-08-02-01-02-24.mp4") is None


def test_a_layout_is_detected_if_half_of_the_files_follow_it():
    good, bad = "03a01Fa.wav", "other.wav"
    assert KNOWN.detect([good, bad]).id == "emodb"
    assert KNOWN.detect([good, bad, bad]) is None
    assert KNOWN.detect([]) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("# Data\nLicence: CC0-1.0 (as stated on a card).", "CC0-1.0"),
        ("licence CC BY-NC-SA 4.0 (do not put it into an MIT repository)", "CC-BY-NC-SA-4.0"),
        ("Licensed under the MIT license.", "MIT"),
        ("License: Apache License, Version 2.0", "Apache-2.0"),
        ("Licence: CC BY 4.0\n\nThe licence of the rest: CC0", ""),
        ("Licence: CC BY", ""),
        ("All rights reserved.", ""),
        ("", ""),
    ],
)
def test_licences_in_a_readme(tmp_path, text, found):
    (tmp_path / "README.md").write_text(text)
    assert conventions.license_of(tmp_path, []) == found


def test_licences_in_a_column_decide(tmp_path):
    (tmp_path / "README.md").write_text("Licence: CC0")
    assert conventions.license_of(tmp_path, ["CC BY 2.0", " CC-BY-2.0"]) == "CC-BY-2.0"
    assert conventions.license_of(tmp_path, ["CC BY 2.0", "CC0"]) == ""
    assert conventions.license_of(tmp_path, ["see README", "CC0"]) == ""


def test_a_broken_file_is_named(tmp_path, monkeypatch):
    (tmp_path / "conventions.yaml").write_text("columns: {}\nsynonyms: {}\nlayouts: [{id: x}]\n")
    monkeypatch.setattr(paths, "CATALOG", tmp_path)
    conventions.load.cache_clear()
    with pytest.raises(
        ConfigError, match=r"conventions\.yaml: layouts\.0\.pattern: Field required"
    ):
        conventions.load()
    conventions.load.cache_clear()
