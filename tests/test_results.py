"""Result files: columns, and files of older versions of the program."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from common import results
from common.core.errors import DataError


def older(path: Path, *without: str) -> Path:
    """A result file as the program wrote it before it knew some columns."""
    table = results.frame([{"target": "t", "model": "m", "value": 0.5, "status": "pass"}])
    path.parent.mkdir(parents=True, exist_ok=True)
    table.drop(columns=list(without)).to_csv(path, index=False)
    return path


@pytest.mark.parametrize("without", [("p_value", "effect"), ("p_value",)])
def test_an_older_file_names_the_command_that_helps(tmp_path: Path, without) -> None:
    path = older(tmp_path / "valence" / "lstm" / "fairness_sex.csv", *without)
    for read in (lambda: results.read_csv(path), lambda: results.read_all(tmp_path)):
        with pytest.raises(DataError) as caught:
            read()
        text = str(caught.value)
        assert text.startswith(f"{path}: written by an older version of this program")
        assert f"column missing: {', '.join(without)}" in text
        assert "'python build.py run --model lstm --target valence'" in text
        assert text.endswith(f"or delete {path.parent}")


def test_columns_that_were_added_are_empty_in_older_files(tmp_path: Path) -> None:
    path = older(tmp_path / "valence" / "lstm" / "fairness_sex.csv", *results.ADDED)
    for table in (results.read_csv(path), results.read_all(tmp_path)):
        assert list(table) == list(results.COLUMNS) and table["value"].tolist() == [0.5]
        assert table["fairness"].tolist() == table["bound"].tolist() == [""]
        assert np.isnan(table["p_adjusted"]).all() and table["gap"].isna().all()
        assert table["cause"].tolist() == [""]
    text = results.merged_csv(path, {"mine": [{"dataset": "mine", "value": 1.0}]}, ["", "mine"])
    assert len(text.splitlines()) == 3 and text.startswith("target,")


def test_another_table_is_no_older_file(tmp_path: Path) -> None:
    path = older(tmp_path / "valence" / "lstm" / "fairness_sex.csv", "value", "p_value")
    with pytest.raises(DataError, match="not a result file, column missing: value, p_value"):
        results.read_csv(path)


EFFECTS = ("mde_above", "mde_below")


def test_files_without_the_effect_of_each_side_are_read(tmp_path: Path) -> None:
    """Older ones have one column for both; what they say otherwise still holds."""
    path = older(tmp_path / "valence" / "lstm" / "fairness_sex.csv", *EFFECTS)
    path.write_text(path.read_text().replace("clusters,", "clusters,mde,").replace("0.5,", "0.5,,"))
    for table in (results.read_csv(path), results.read_all(tmp_path)):
        assert table.value.tolist() == [0.5]
        assert np.isnan(table[list(EFFECTS)].to_numpy()).all()
    line = results.merged_csv(path, {}, [""]).splitlines()
    assert len(line) == 2 and line[1].count(",") == len(results.COLUMNS) - 1


def test_numbers_survive_and_missing_ones_are_empty(tmp_path: Path) -> None:
    path = tmp_path / "valence" / "lstm" / "fairness_sex.csv"
    path.parent.mkdir(parents=True)
    table = results.frame([{"p_value": 2 / 1001, "effect": -0.1 / 3}, {"n": 3}])
    path.write_text(results.to_csv(table))
    back = results.read_csv(path)
    assert back.p_value.tolist()[0] == 2 / 1001 and back.effect.tolist()[0] == -0.1 / 3
    assert np.isnan(back[["p_value", "effect"]].to_numpy()[1]).all()
