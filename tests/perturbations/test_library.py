"""The catalog of perturbations, bound to recordings, on all kinds of input."""

from __future__ import annotations

import ast
import itertools
import random
import shutil
from pathlib import Path

import numpy as np
import pytest
import yaml

from common.core import closure, paths
from common.core.errors import AudioError, ConfigError
from common.models.base import SampleKey
from common.perturbations import PERTURBATIONS, Library, amr, faults, library
from common.perturbations.base import draw, perturbation
from common.spec import Perturbation, load_benchmark

RATE = 16000
BENCHMARK = load_benchmark()
NAMES = sorted(BENCHMARK.perturbations)


@pytest.fixture(scope="module")
def books(tools) -> Library:
    """The built-in catalog on recordings in memory."""
    found = Library(BENCHMARK, Path("/nonexistent"))
    sounds = tools.InMemory(*(0.5 * tools.speechlike(0.2 + n, 40 + n)[0] for n in range(3)))
    sounds.first = lambda count: sounds
    found.corpora.get = lambda spec: sounds
    return found


@pytest.fixture(autouse=True)
def _codec(request: pytest.FixtureRequest) -> None:
    names = request.node.callspec.params if hasattr(request.node, "callspec") else {}
    if names.get("name") == "low-quality-phone" and amr.missing():
        pytest.skip(amr.missing())


def key(file: str = "a.wav", start: int = 0, end: int = -1, **more) -> SampleKey:
    fields = {"database": "db", "version": "1.0.0", **more}
    return SampleKey(file=file, start=start, end=end, **fields)


@pytest.mark.parametrize("name", NAMES)
class TestEveryPerturbation:
    @pytest.mark.parametrize("rate", [8000, 16000, 22050, 44100, 96000])
    @pytest.mark.parametrize("channels", [1, 2])
    def test_rates_and_channels(self, tools, books, name: str, rate: int, channels: int) -> None:
        signal = tools.speechlike(0.2, rate=rate, channels=channels)
        changed = books.perturb(name, signal, rate, key())
        assert changed.dtype == np.float32
        assert changed.ndim == 2 and changed.shape[0] == channels
        assert np.isfinite(changed).all() and np.abs(changed).max() <= 1
        expected = 0 if "zeros" not in name and "crop" not in name else 0.0625 * rate
        assert abs(changed.shape[1] - signal.shape[1]) <= expected

    def test_changes_a_new_array(self, tools, books, name: str) -> None:
        signal = tools.speechlike(0.3)
        before = signal.copy()
        changed = books.perturb(name, signal, RATE, key())
        assert np.array_equal(signal, before)
        assert not np.may_share_memory(changed, signal)
        assert changed.shape != signal.shape or not np.array_equal(changed, signal)
        signal.flags.writeable = False
        assert np.array_equal(books.perturb(name, signal, RATE, key()), changed)

    def test_silence_has_no_level(self, books, name: str) -> None:
        silence = np.zeros((1, 4000), dtype=np.float32)
        assert not books.perturb(name, silence, RATE, key()).any()

    def test_clipping_input_stays_within_full_scale(self, tools, books, name: str) -> None:
        loud = np.clip(40 * tools.speechlike(0.3), -1, 1)
        changed = books.perturb(name, loud, RATE, key())
        assert np.abs(changed).max() <= 1

    @pytest.mark.parametrize("n", [1, 2, 99])
    def test_very_short_signals(self, tools, books, name: str, n: int) -> None:
        signal = tools.speechlike(1)[:, :n] + 0.1
        if name.startswith("crop"):
            with pytest.raises(AudioError, match=rf"signal has {n} samples, too few to remove 100"):
                books.perturb(name, signal, RATE, key())
        else:
            assert books.perturb(name, signal, RATE, key()).shape[1] >= n

    @pytest.mark.parametrize(
        ("signal", "message"),
        [
            (np.full((1, 9), np.nan), "holds NaN or infinite samples"),
            (np.full((1, 9), np.inf), "holds NaN or infinite samples"),
            (np.zeros((1, 0)), "holds no samples"),
            (np.zeros(9), r"has the shape \(9,\), expected \(channels, samples\)"),
        ],
    )
    def test_no_signal(self, books, name: str, signal: np.ndarray, message: str) -> None:
        with pytest.raises(AudioError, match=message):
            books.perturb(name, signal, RATE, key())

    def test_a11_draws_depend_on_nothing_but_their_key(self, tools, books, name: str) -> None:
        signal = tools.speechlike(0.4)
        files = [key(f"{n}.wav", start) for n in range(3) for start in (0, 10)]
        one = [books.perturb(name, signal, RATE, item) for item in files]
        np.random.seed(3)  # noqa: NPY002
        random.seed(3)
        order = list(reversed(range(len(files))))
        other = {n: books.perturb(name, signal, RATE, files[n]) for n in order}
        assert all(np.array_equal(one[n], other[n]) for n in order)

    def test_draws_do_not_depend_on_version_end_and_condition(self, tools, books, name) -> None:
        signal = tools.speechlike(0.4)
        first = books.perturb(name, signal, RATE, key())
        same = key(version="2.0.0", end=10**9, condition="x")
        assert np.array_equal(books.perturb(name, signal, RATE, same), first)

    def test_declared(self, name: str) -> None:
        entry = BENCHMARK.perturbations[name]
        assert list(faults(BENCHMARK, entry)) == []
        assert entry.label and entry.description.endswith(".")


#: the room in memory is noise, and the delay of the codec has its own test
WITHOUT_DELAY = [
    name
    for name in NAMES
    if BENCHMARK.perturbations[name].function not in ("impulse_response", "low_quality_phone")
]


@pytest.mark.parametrize("name", WITHOUT_DELAY)
def test_timing(tools, books, name: str) -> None:
    """``keeps_timing`` says whether the beginning stays where it is."""
    entry = BENCHMARK.perturbations[name]
    signal = tools.speechlike(0.5)
    changed = np.zeros_like(signal)
    found = books.perturb(name, signal, RATE, key())
    size = min(signal.shape[1], found.shape[1])
    changed[:, :size] = found[:, :size]
    spectra = np.fft.rfft(changed[0]) * np.conj(np.fft.rfft(signal[0]))
    lag = int(np.argmax(np.fft.irfft(spectra)))
    assert (lag == 0) == entry.keeps_timing


@pytest.mark.parametrize(
    "field", [{"seed": 1}, {"database": "other"}, {"file": "b.wav"}, {"start": 7}]
)
def test_draws_depend_on(tools, books, field) -> None:
    signal = tools.speechlike(0.2)
    first = books.perturb("white-noise", signal, RATE, key())
    if "seed" in field:
        other = Library(BENCHMARK, Path("/nonexistent"), seed=1)
        changed = other.perturb("white-noise", signal, RATE, key())
    else:
        changed = books.perturb("white-noise", signal, RATE, key(**field))
    assert not np.array_equal(first, changed)


def test_perturbations_draw_on_their_own(tools, books) -> None:
    """Two perturbations with equal parameters have different noise."""
    signal = tools.speechlike(0.2)
    noises = [
        books.perturb(name, signal, RATE, key()) - signal
        for name in ("white-noise", "faint-white-noise")
    ]
    assert abs(np.corrcoef(noises[0][0], noises[1][0])[0, 1]) < 0.1


class TestDigest:
    def changed(self, **params) -> Library:
        entry = BENCHMARK.perturbations["gain"].model_copy(update={"params": params})
        entries = {**BENCHMARK.perturbations, "gain": entry}
        return Library(
            BENCHMARK.model_copy(update={"perturbations": entries}), Path("/nonexistent")
        )

    def test_covers_parameters(self) -> None:
        original = Library(BENCHMARK, Path("/nonexistent"))
        other = self.changed(gain_db=[-2, -1, 1, 3])
        moved = [name for name in NAMES if original.digest(name) != other.digest(name)]
        assert moved == ["gain"]

    def test_covers_code_of_the_module_and_what_it_uses(self) -> None:
        used = {
            n: set(closure.SOURCES.modules(PERTURBATIONS.get(n))) for n in PERTURBATIONS.names()
        }
        names = {n: {m.rpartition(".")[2] for m in found} for n, found in used.items()}
        assert names["gain"] == {"base", "basics", "levels", "small_changes"}
        assert names["low_quality_phone"] >= {"phone", "amr", "compander", "levels"}
        assert "phone" not in names["background"] and "noise" in names["background"]

    def test_covers_code(self, monkeypatch, tmp_path: Path) -> None:
        """A comment changes nothing, a number changes exactly what uses the module."""
        copy = tmp_path / paths.PACKAGE.name
        shutil.copytree(paths.PACKAGE, copy)

        def digests() -> dict[str, str]:
            monkeypatch.setattr(closure, "SOURCES", closure.Sources(copy))
            books = Library(BENCHMARK, Path("/nonexistent"))
            return {name: books.digest(name) for name in NAMES}

        def replace(module: str, old: str, new: str) -> None:
            path = copy / "perturbations" / module
            text = path.read_text("utf-8")
            assert old in text
            path.write_text(text.replace(old, new, 1), "utf-8")

        before = digests()
        replace("compander.py", "FLOOR_DB = -200.0", "FLOOR_DB = -200.0  # a remark")
        assert digests() == before
        replace("compander.py", "FLOOR_DB = -200.0", "FLOOR_DB = -100.0")
        after = digests()
        assert [name for name in NAMES if after[name] != before[name]] == ["low-quality-phone"]
        replace("library.py", "int(key.start)", "int(key.start) + 1")
        assert not set(digests().values()) & set(after.values())


class TestAvailability:
    def test_unavailable_recordings(self, tmp_path: Path, monkeypatch) -> None:
        monkeypatch.setattr(
            "common.samples.datasets.availability",
            lambda dataset, cache, download: f"no {dataset.id}",
        )
        books = Library(BENCHMARK, tmp_path)
        reason = "no musan. Other recordings: 'corpora: embedded' in the dataset's entry"
        assert books.missing("music") == books.prepare("music") == reason
        assert books.missing("music-embedded") == "no demo-sounds"
        assert books.missing("white-noise") == ""

    def test_missing_encoder(self, tmp_path: Path, monkeypatch) -> None:
        monkeypatch.setitem(
            library.NEEDS, "common.perturbations.amr", lambda: "no encoder. Install it"
        )
        books = Library(BENCHMARK, tmp_path)
        assert books.missing("low-quality-phone") == "no encoder. Install it"
        assert books.missing("gain") == ""

    def test_fetching_is_asked_for_each_dataset(self, tmp_path: Path, monkeypatch) -> None:
        asked = []
        monkeypatch.setattr(
            "common.samples.datasets.availability",
            lambda dataset, cache, download: asked.append((dataset.id, download)) or "",
        )
        books = Library(BENCHMARK, tmp_path, download=lambda name: name == "air")
        books.missing("music")
        books.missing("base-room")
        assert asked == [("musan", False), ("air", True)]


def entry(**content) -> Perturbation:
    fields = {"id": "own", "label": "Own", "origin": Path("perturbations.yaml"), **content}
    return Perturbation.model_validate(fields)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            {"function": "gian", "params": {"gain_db": 1}},
            r"own\.function: unknown perturbation function 'gian'\. Did you mean 'gain'",
        ),
        (
            {"function": "gain", "params": {"gain": 1, "gain_db": 1}},
            r"own\.params: unknown parameter of 'gain' 'gain'\. Did you mean 'gain_db'",
        ),
        ({"function": "gain"}, r"own\.params: parameter 'gain_db' of 'gain' is missing"),
        (
            {"function": "gain", "params": {"gain_db": "loud"}},
            r"own\.params\.gain_db: expected a number or several to draw from, found 'loud'",
        ),
        (
            {"function": "gain", "params": {"gain_db": []}},
            r"own\.params\.gain_db: expected a number or several to draw from, found \[\]",
        ),
        (
            {"function": "lowpass", "params": {"cutoff_hz": 1, "order": 1.5}},
            r"own\.params\.order: expected a whole number, found 1\.5",
        ),
        (
            {"function": "background", "params": {"snr_db": 1, "corpus": {"dataset": "musa"}}},
            r"own\.params\.corpus\.dataset: unknown dataset 'musa'\. Did you mean 'musan'",
        ),
        (
            {
                "function": "background",
                "params": {"snr_db": 1, "corpus": {"dataset": "musan", "where": {"kind": "x"}}},
            },
            r"own\.params\.corpus\.where: unknown column 'kind'",
        ),
        (
            {"function": "background", "params": {"snr_db": 1, "corpus": {"set": "musan"}}},
            r"own\.params\.corpus\.set: unknown key",
        ),
    ],
)
def test_faults_of_an_entry(content, message: str) -> None:
    try:
        found = list(faults(BENCHMARK, entry(**content)))
    except ConfigError as error:
        found = [str(error)]
    assert len(found) == 1
    with pytest.raises(ConfigError, match=message):
        raise ConfigError(found[0])


def test_a_value_of_a_list_is_drawn_and_a_single_one_is_not() -> None:
    rng = np.random.default_rng(0)
    assert {draw(rng, [1, 2, 3]) for _ in range(30)} == {1, 2, 3}
    assert draw(rng, 5) == 5


def test_own_perturbation_is_one_function_and_one_entry(tmp_path: Path, tools) -> None:
    @perturbation("reversed")
    def reversed_in_time(signal, sampling_rate, rng):
        return signal[:, ::-1]

    try:
        (tmp_path / "perturbations.yaml").write_text(
            yaml.safe_dump([{"id": "backwards", "label": "Backwards", "function": "reversed"}])
        )
        books = Library(load_benchmark([tmp_path]), tmp_path)
        signal = tools.speechlike(0.1)
        changed = books.perturb("backwards", signal, RATE, key())
        assert np.array_equal(changed, signal[:, ::-1])
        assert not np.may_share_memory(changed, signal)
    finally:
        del PERTURBATIONS._items["reversed"]


def test_no_module_seeds_or_draws_globally() -> None:
    for path in (paths.PACKAGE / "perturbations").glob("*.py"):
        names = {
            ast.unparse(node.func)
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(node, ast.Call)
        }
        assert not {n for n in names if n.startswith(("np.random.", "random.", "numpy.random."))}


def test_every_function_is_used_by_the_catalog() -> None:
    used = {entry.function for entry in BENCHMARK.perturbations.values()}
    assert used == set(PERTURBATIONS.names())
    conditions = itertools.chain.from_iterable(
        test.options.get("conditions", []) for test in BENCHMARK.tests.values()
    )
    assert conditions
