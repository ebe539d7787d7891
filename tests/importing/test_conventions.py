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
    (tmp_path / "conventions.yaml").write_text("columns: {}\nsynonyms: {}\nkeys: [x]\n")
    monkeypatch.setattr(paths, "CONVENTIONS", tmp_path / "conventions.yaml")
    conventions.load.cache_clear()
    with pytest.raises(
        ConfigError, match=r"conventions\.yaml: keys: Input should be a valid (mapping|dictionary)"
    ):
        conventions.load()
    conventions.load.cache_clear()
