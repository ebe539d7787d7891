"""The five fairness tests from suite to rows: names, thresholds, bad input, intersections."""

from __future__ import annotations

import shutil

import numpy as np
import pandas as pd
import pytest
import soundfile

from common import results
from common.core.errors import ConfigError
from common.designs import ORIGINAL, View, design_of
from common.engine.check import faults
from common.engine.plan import Filters, participants
from common.results import published
from common.results.criteria import criteria
from common.results.rows import rows
from common.spec import load_benchmark
from common.spec.cell import Cell
from common.spec.records import Model

BENCHMARK = load_benchmark()
#: tests and targets of the paper
TARGETS = [target for target in BENCHMARK.targets.values() if target.kind != "events"]
FAIRNESS = [
    test
    for test in BENCHMARK.tests.values()
    if test.family == "fairness" and test.uses(TARGETS[0].kind)
]
PAIRS = [(test, target) for test in FAIRNESS for target in TARGETS]
RATE, COUNT = 16000, 240


@pytest.fixture(scope="module")
def paper() -> pd.DataFrame:
    table = published.load()
    return table[table["test"].str.startswith("fairness")]


def test_there_are_five_for_every_target() -> None:
    assert len(FAIRNESS) == 5
    assert all(test.uses(target.kind) for test, target in PAIRS)


@pytest.mark.parametrize(("test", "target"), PAIRS, ids=lambda item: item.id)
def test_criteria_equal_those_of_the_paper(test, target) -> None:
    table = published.thresholds()
    own = table[(table["task"] == target.id) & (table["test"] == test.id)]
    expected = sorted(zip(own["metric_name"], own["threshold"], strict=True))
    found = [(name, float(bound)) for name, bound in criteria(test, target)]
    assert len(expected) > 0
    assert found == expected
    assert set(own["comparison"]) == {"abs <, skip nan"}


@pytest.mark.parametrize(("test", "target"), PAIRS, ids=lambda item: item.id)
def test_rows_are_named_as_those_of_the_paper(test, target, paper) -> None:
    """Same data, condition, metric and class or bin: own and published rows share a line."""
    chosen = design_of(test)
    theirs = paper[(paper["target"] == target.id) & (paper["test"] == test.id)]
    columns = ["data", "condition", "metric", "label", "reference"]
    expected = set(theirs[columns].itertuples(index=False, name=None))
    rng = np.random.default_rng(0)
    found = set()
    for dataset in participants(BENCHMARK, test, target):
        if dataset.embedded or dataset.database not in set(theirs["dataset"]):
            continue
        names = _groups(test, chosen, theirs)
        size = 40 * len(names)
        samples = pd.DataFrame({chosen.attribute[0]: np.array(names, dtype=object)[
            np.arange(size) % len(names)]})  # fmt: skip
        if hasattr(chosen, "contexts"):
            samples[chosen.context] = np.array(chosen.contexts, dtype=object)[
                np.arange(size) // len(names) % len(chosen.contexts)
            ]
        values = [rng.random(size), rng.random(size)]
        if target.kind == "classification":
            values = [rng.choice(target.labels, size).astype(object) for _ in values]
        samples[target.id] = values[0]
        view = View(target, samples, {ORIGINAL: values[1]})
        cell = Cell(target, Model(id="m", version="1", adapter="chance"), test, dataset, "")
        for row in rows(cell, chosen.scores(view, test.uses(target.kind))):
            found.add(tuple(row[column] for column in columns))
    assert found == expected


def _groups(test, chosen, theirs: pd.DataFrame) -> list[str]:
    """Groups of the paper: declared, or named by the conditions or the data of its rows."""
    declared = chosen.groups.get(chosen.attribute[0])
    if declared:
        return list(declared)
    if hasattr(chosen, "contexts"):
        return sorted({data.rpartition("-")[2] for data in theirs["data"]})
    return sorted(set(theirs["condition"]))


def test_a_users_dataset_keeps_its_table_in_the_name() -> None:
    """Two entries may share database and version; their rows must not be taken for one."""
    test = BENCHMARK.tests["fairness_language"]
    target = next(iter(BENCHMARK.targets.values()))
    dataset = BENCHMARK.datasets[test.datasets[0]]
    view = View(
        target,
        pd.DataFrame({"language": np.array(["de", "de", "en", "en"], dtype=object)}),
        {ORIGINAL: np.array([0.1, 0.2, 0.3, 0.4])},
    )
    scores = design_of(test).scores(view, test.uses(target.kind))
    model = Model(id="m", version="1", adapter="chance")
    own = dataset.model_copy(update={"id": "mine", "name": dataset.database, "alias": "part"})
    names = [
        rows(Cell(target, model, test, entry, ""), scores)[0]["data"] for entry in (dataset, own)
    ]
    assert names == [
        f"{dataset.database}-{dataset.version}-de",
        f"{dataset.database}-{dataset.version}-part-de",
    ]


# --- through the engine -----------------------------------------------------------------------


DATASET = """
- id: voices
  version: 1.0.0
  adapter: folder
  path: voices
"""


class Voices:
    """A dataset of voices in the user's catalog of a miniature benchmark.

    Args:
        mini: the miniature benchmark
        audio: folder with the audio
    """

    def __init__(self, mini, audio):
        self.mini = mini
        rng, count = np.random.default_rng(0), COUNT
        speaker = np.arange(count) % 8
        self.table = pd.DataFrame(
            {
                "file": [f"{n:03d}.wav" for n in range(count)],
                "arousal": rng.uniform(0, 1, count).round(2),
                "emotion": rng.choice(["anger", "happiness", "neutral", "sadness"], count),
                "speaker": [f"s{k}" for k in speaker],
                "sex": np.where(speaker % 2, "female", "male"),
                "language": np.array(["de", "en", "zh"])[np.arange(count) // 8 % 3],
            }
        )
        shutil.copytree(audio, mini.catalog / "voices")
        mini.write("datasets.yaml", DATASET)

    def run(self, *tests: str, out: str = "out", **more):
        """Rows of some tests of the model that listens."""
        self.table.to_csv(self.mini.catalog / "voices" / "metadata.csv", index=False)
        engine = self.mini.engine(out, **more)
        report = engine.run(Filters(models=["loud"], datasets=["voices"], tests=tests))
        return report, results.read_all(self.mini.root / out / "method-tests")


@pytest.fixture(scope="module")
def audio(tmp_path_factory):
    """Short voiced sounds: F0 belongs to the speaker, the level varies."""
    folder = tmp_path_factory.mktemp("voices")
    rng = np.random.default_rng(0)
    time_s = np.arange(1200) / RATE
    for n in range(COUNT):
        f0 = 105 + 20 * (n % 8)
        tone = sum(np.sin(2 * np.pi * f0 * h * time_s) / h for h in (1, 2, 3))
        sound = rng.uniform(0.05, 0.55) * tone / np.abs(tone).max()
        soundfile.write(folder / f"{n:03d}.wav", sound, RATE)
    return folder


@pytest.fixture
def voices(mini, audio) -> Voices:
    return Voices(mini, audio)


def test_sex_pitch_and_language_run_on_a_users_dataset(voices) -> None:
    report, found = voices.run("fairness_sex", "fairness_pitch", "fairness_language")
    assert not report.errors and not report.not_run
    sex = found[found["test"] == "fairness_sex"]
    assert set(sex["condition"]) == {"female", "male"}
    assert set(sex.loc[sex["metric"] == "ccc", "n"]) == {120}
    pitch = found[(found["test"] == "fairness_pitch") & (found["target"] == "emotion")]
    # 80 samples per speaker group and fewer: below the smallest size of a group
    assert set(pitch["status"]) == {"skip"}
    assert pitch["reason"].str.startswith("fewer than 2 groups of pitch with at least 100").all()
    assert set(pitch["note"]) == {"F0 by autocorrelation 1"}
    language = found[found["test"] == "fairness_language"]
    assert set(language["status"]) == {"skip"}
    assert language["reason"].str.contains("samples: de 80; en 80; zh 80").all()


SMALL = """
title: Pitch of few
family: fairness
design:
  by_group:
    attribute: pitch
    compute: {pitch: {speaker_pitch: {min_samples: 25, ranges: {low: [0, 145], medium: [145, 190], high: [190, 350]}}}}
    balance: target
    min_group: 50
regression: [{metric: ccc, within: simulated}]
classification: [{metric: uar, within: 0.5}]
"""


def test_pitch_of_the_speakers_and_a_simulated_threshold(voices, monkeypatch) -> None:
    voices.mini.write("suite/few.yaml", SMALL)
    report, found = voices.run("few")
    assert not report.errors
    ccc = found[found["metric"] == "ccc"]
    # f0 is 105, 125, ... 245 Hz: 2 low speakers, 3 medium, 3 high, 30 samples each
    assert list(ccc["condition"]) == ["high", "low", "medium"]
    assert list(ccc["n"]) == [60, 60, 60]
    bound = ccc["criterion"].iloc[0]
    assert bound.startswith("|x| < 0.") and (ccc["criterion"] == bound).all()
    assert ccc["note"].str.startswith("F0 by autocorrelation 1; chance exceeds 0.").all()
    assert set(ccc["bound"]) == {"simulated"}
    text = (voices.mini.root / "out/method-tests/arousal/few.csv").read_text()
    assert text == "Test,Threshold\nConcordance Correlation Coeff,simulated\n"


NAMED = """
title: Tongue
family: fairness
design: {group_shift: {attribute: language, min_group: 20}}
datasets: [voices]
simulated: [%s]
regression: [{metric: mean_difference, %s}]
"""


def test_a_dataset_of_a_test_may_have_simulated_thresholds(voices) -> None:
    voices.mini.write("suite/tongue.yaml", NAMED % ("voices", "within: 0.001"))
    report, found = voices.run("tongue")
    assert not report.errors
    bounds = found["criterion"].str.removeprefix("|x| < ").astype(float)
    assert (bounds > 0.001).all() and set(found["bound"]) == {"simulated"}
    assert found["note"].str.contains("0.01 for 3 groups (computed)", regex=False).all()
    text = (voices.mini.root / "out/method-tests/arousal/tongue.csv").read_text()
    assert text == "Test,Threshold\nMean Value,0.001\n"


def test_a_bound_that_nothing_can_miss_is_no_pass(voices) -> None:
    """Among a handful of samples, chance alone has recalls of 0 and 1."""
    voices.mini.write(
        "suite/few.yaml",
        "title: Few\nfamily: fairness\n"
        "design: {by_group: {attribute: sex, min_group: 2}}\n"
        "classification: [{metric: recall_per_class, within: simulated}]\n",
    )
    voices.table.loc[6:, "emotion"] = ""
    _, found = voices.run("few")
    assert len(found) and found["value"].notna().any()
    assert set(found["status"]) == {"skip"} and set(found["certain"]) == {""}
    reasons = found.loc[found["value"].notna(), "reason"]
    assert reasons.str.match(r"too few samples: by chance up to \d\.\d+, no score could fail").all()


@pytest.mark.parametrize(
    ("named", "rule", "message"),
    [
        ("voicse", "within: 0.001", "unknown dataset of the test 'voicse'. Did you mean 'voices'?"),
        ("voices", "below: 0.1", "only bounds of 'within' can be simulated"),
    ],
)
def test_what_cannot_be_simulated_is_a_fault(voices, named, rule, message) -> None:
    voices.mini.write("suite/tongue.yaml", NAMED % (named, rule))
    found = [line for line in faults(load_benchmark([voices.mini.catalog])) if message in line]
    assert len(found) == 1 and "tongue.yaml" in found[0]


def test_chance_passes_on_the_embedded_sentences() -> None:
    test = BENCHMARK.tests["fairness_linguistic_sentiment"]
    for kind in ("regression", "classification"):
        assert all(use.criterion.is_simulated for use in test.uses_on(kind, "demo-sentiment"))
        assert not any(use.criterion.is_simulated for use in test.uses_on(kind, "checklist-synth"))


def test_null_distribution_is_drawn_with_the_scores(mini_with_figures, audio) -> None:
    voices = Voices(mini_with_figures, audio)
    voices.mini.write("suite/few.yaml", SMALL + "figures: {regression: scatter_by_group}\n")
    report, _ = voices.run("few")
    assert not report.errors
    folder = voices.mini.root / "out/extra/media/arousal/loud/few"
    assert {path.name.rpartition("_")[2] for path in folder.glob("*.png")} == {
        "high.png",
        "low.png",
        "medium.png",
        "chance-ccc.png",
    }


def test_the_order_of_rows_and_the_workers_do_not_matter(voices) -> None:
    _, first = voices.run("fairness_sex", out="a")
    voices.table = voices.table.iloc[::-1].reset_index(drop=True)
    _, second = voices.run("fairness_sex", out="b", workers=2)
    keys = ["target", "metric", "condition", "label"]
    both = first.merge(second, on=keys, suffixes=("", "_turned"))
    assert len(both) == len(first)
    assert np.allclose(both["value"], both["value_turned"], atol=1e-12, equal_nan=True)
    assert (both["n"] == both["n_turned"]).all()


def test_intersections_through_the_engine(voices) -> None:
    voices.mini.write(
        "suite/both.yaml",
        "title: Both\nfamily: fairness\n"
        "design: {by_group: {attribute: [sex, language], min_group: 30, balance: target}}\n"
        "regression: [{metric: ccc, within: 0.5}]\n",
    )
    _, found = voices.run("both")
    assert list(found["condition"]) == [
        f"{sex}, {language}" for sex in ("female", "male") for language in ("de", "en", "zh")
    ]
    assert set(found["n"]) == {40} and found["value"].notna().all()


def test_p_values_and_effect_sizes_of_groups(voices) -> None:
    voices.mini.write(
        "suite/tongue.yaml",
        "title: Tongue\nfamily: fairness\n"
        "design: {group_shift: {attribute: language, min_group: 20}}\n"
        "regression: [{metric: mean_difference, within: 0.9}]\n",
    )
    _, found = voices.run("fairness_sex", "tongue", "correctness_regression")
    scored = found[found["status"].isin(["pass", "fail"])]
    groups = scored[scored["reference"] == "all"]
    assert set(groups["test"]) == {"fairness_sex", "tongue"} and len(groups) > 10
    # a bin that one speaker alone was predicted into has none
    assert (groups["p_value"].isna() == (groups["clusters"] < 2)).all()
    groups = groups[groups["clusters"] > 1]
    assert len(groups) > 10 and groups["p_value"].between(0, 1).all()
    assert ((groups["p_value"] < 0.05) == (groups["ci_low"] > 0) | (groups["ci_high"] < 0)).all()
    assert groups["effect"].abs().max() < 1
    means = groups[groups["test"] == "tongue"]
    assert (np.sign(means["effect"]) == np.sign(means["value"])).all()
    others = found[found["reference"] != "all"]
    assert len(others) and others[["p_value", "effect"]].isna().all(axis=None)


def test_speakers_are_permuted_over_groups_beside_the_bound(voices) -> None:
    """8 speakers, 4 of each sex, who all speak three languages."""
    voices.mini.write(
        "suite/tongue.yaml",
        "title: Tongue\nfamily: fairness\n"
        "design: {group_shift: {attribute: language, min_group: 20}}\n"
        "regression: [{metric: mean_difference, within: 0.9}]\n",
    )
    _, found = voices.run("fairness_sex", "tongue", "correctness_regression")
    scored = found["status"].isin(["pass", "fail"])
    groups = found[scored & (found["reference"] == "all")]
    assert groups["p_adjusted"].between(0.001, 1).all()
    assert groups["fairness"].str.match("fair within|unfair|undecided|cannot tell").all()
    tongue = groups[groups["test"] == "tongue"]
    assert set(tongue["fairness"]) == {"fair within 0.9"} and set(tongue["bound"]) == {"declared"}
    assert set(groups.loc[groups["test"] == "fairness_sex", "bound"]) == {"published"}
    for number, row in groups.iterrows():
        bound = float(row["criterion"].rpartition(" ")[2])
        inside = -bound < row["ci_low"] and row["ci_high"] < bound
        unfair = row["p_adjusted"] < 0.05 and abs(row["value"]) >= bound
        expected = f"fair within {bound:g}" if inside else "unfair" if unfair else "undecided"
        assert row["fairness"] in (expected, "cannot tell"), number
    others = found[~scored | (found["reference"] != "all")]
    assert len(others) and others["p_adjusted"].isna().all()
    assert set(others["fairness"]) == {""}


# --- bad input --------------------------------------------------------------------------------


def test_missing_attribute_means_no_part(voices) -> None:
    """``list tests --dataset`` says what is missing; nothing is run and nothing passes."""
    voices.table = voices.table.drop(columns="sex")
    with pytest.raises(
        ConfigError, match=r"nothing is selected by .*: misses column sex; all tests"
    ):
        voices.run("fairness_sex")


def test_misspelt_attribute_of_a_test_is_a_fault_of_the_check(voices) -> None:
    name = next(d for d in BENCHMARK.datasets if "full" in d and "dimensions" in d)
    voices.mini.write(
        "suite/mine.yaml",
        "title: Mine\nfamily: fairness\ndesign: {by_group: {attribute: sxe, min_group: 2}}\n"
        f"datasets: [{name}]\nregression: [{{metric: ccc, within: 0.1}}]\n",
    )
    found = faults(load_benchmark([voices.mini.catalog]))
    assert len([line for line in found if "'sxe'. Did you mean 'sex'?" in line]) == 1


def test_misspelt_values_are_named(voices) -> None:
    voices.table["sex"] = voices.table["sex"].str.capitalize()
    _, found = voices.run("fairness_sex")
    assert set(found["status"]) == {"skip"}
    assert found["reason"].str.endswith("other values of sex: Female, Male").all()


def test_group_with_one_sample_is_skipped_with_its_number(voices) -> None:
    voices.table.loc[1:, "sex"] = "female"
    voices.table["speaker"] = [f"s{n}" for n in range(len(voices.table))]
    voices.table.loc[0, "sex"] = "male"
    _, found = voices.run("fairness_sex")
    assert set(found["status"]) == {"skip"}
    assert found["reason"].str.contains("samples: female 239; male 1").all()


def test_speaker_with_two_sexes_is_an_error(voices) -> None:
    voices.table.loc[0, "sex"] = "female"
    report, found = voices.run("fairness_sex")
    assert set(found["status"]) == {"error"} and report.errors
    assert (
        found["reason"]
        .str.contains(r"speaker 's0' has several values of sex: female, male", regex=True)
        .all()
    )


def test_unvoiced_and_short_audio_has_no_pitch(voices) -> None:
    folder = voices.mini.catalog / "voices"
    for n, name in enumerate(voices.table.file):
        noise = 0.01 * np.random.default_rng(n).normal(size=200 if n % 2 else 1500)
        soundfile.write(folder / name, noise, RATE)
    voices.mini.write("suite/few.yaml", SMALL)
    _, found = voices.run("few")
    assert set(found["status"]) == {"skip"}
    assert found["reason"].str.contains("samples: no sample has one; 240 of 240 samples").all()


def test_file_that_cannot_be_decoded_is_an_error(voices) -> None:
    (voices.mini.catalog / "voices" / "007.wav").write_bytes(b"")
    voices.mini.write("suite/few.yaml", SMALL)
    _, found = voices.run("few")
    assert set(found["status"]) == {"error"}
    assert found["reason"].str.contains(r"no pitch for 1 of 240 samples; first: .*007\.wav").all()


def test_language_that_nobody_knows_is_a_group(voices) -> None:
    voices.table["language"] = np.where(voices.table["language"] == "zh", "tlh", "de")
    voices.mini.write(
        "suite/tongue.yaml",
        "title: Tongue\nfamily: fairness\n"
        "design: {group_shift: {attribute: language, min_group: 20}}\n"
        "regression: [{metric: mean_difference, within: 0.9}]\n",
    )
    _, found = voices.run("tongue")
    assert list(found["condition"]) == ["de", "tlh"] and set(found["status"]) == {"pass"}


@pytest.mark.parametrize(
    ("gain", "status", "reason"),
    [(0.0, "skip", "constant predictions"), (None, "error", r"outside \[0, 1\].*scale")],
)
def test_constant_and_outlying_predictions_never_pass(voices, gain, status, reason) -> None:
    module = voices.mini.catalog / f"{voices.mini.module}.py"
    text = module.read_text()
    value = "0 * level" if gain == 0.0 else "3 + level"
    module.write_text(text.replace("np.clip(self.gain * level * 1.5, 0, 1)", value))
    voices.mini.write("suite/few.yaml", SMALL)
    _, found = voices.run("few", "fairness_sex")
    own = found[found["target"] == "arousal"]
    assert len(own) and set(own["status"]) == {status}
    assert own["reason"].str.contains(reason).all()
