from __future__ import annotations

import pickle
import threading
from pathlib import Path

import numpy as np
import pytest
import soundfile

from common.core.errors import AudioError, ConfigError, DataError, DatasetUnavailable
from common.perturbations import corpora
from common.perturbations.corpora import Corpora, Corpus, CorpusSpec, Decoded, corpus_spec, wrapped
from common.spec import load_benchmark

RATE = 16000
ENTRIES = """
- id: sounds
  version: 1.0.0
  adapter: folder
  path: sounds
  columns: {category: category}
- id: absent
  version: 1.0.0
  adapter: folder
  path: nowhere
  columns: {category: category}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A catalog with a dataset of six recordings."""
    sounds = tmp_path / "sounds"
    sounds.mkdir()
    rng = np.random.default_rng(0)
    lines = ["file,category"]
    for n in range(6):
        soundfile.write(sounds / f"{n}.wav", 0.1 * rng.standard_normal(400 * (n + 1)), RATE)
        lines.append(f"{n}.wav,{'rain' if n % 2 else 'wind'}")
    # the order of the rows must not matter
    (sounds / "metadata.csv").write_text("\n".join([lines[0], *reversed(lines[1:])]) + "\n")
    (tmp_path / "datasets.yaml").write_text(ENTRIES)
    return tmp_path


@pytest.fixture
def known(folder: Path) -> Corpora:
    return Corpora(load_benchmark([folder]), folder / "cache", lambda name: False)


def spec(**content) -> CorpusSpec:
    return corpus_spec({"dataset": "sounds", **content}, "here")


class TestChoice:
    def test_all_in_the_order_of_their_names(self, known) -> None:
        corpus = known.get(spec())
        assert [file for file, _, _ in corpus.items] == [f"{n}.wav" for n in range(6)]
        assert len(corpus.first(2)) == 2

    def test_by_category_and_by_file(self, known) -> None:
        rain = known.get(spec(where={"category": "rain"}))
        assert [file for file, _, _ in rain.items] == ["1.wav", "3.wav", "5.wav"]
        assert [file for file, _, _ in known.get(spec(files=["4.wav"])).items] == ["4.wav"]
        assert len(known.get(spec(where={"category": ["wind", "rain"]}))) == 6

    def test_what_is_not_there(self, known) -> None:
        reason = r"sounds: has no recordings with category = snow; it has: rain, wind"
        for wanted in ("snow", ["rain", "snow"]):
            with pytest.raises(DataError, match=reason):
                known.get(spec(where={"category": wanted}))
        with pytest.raises(ConfigError, match=r"sounds: unknown column 'categry'\. Did you mean"):
            known.get(spec(where={"categry": "rain"}))
        with pytest.raises(DataError, match=r"sounds: has no file 9\.wav"):
            known.get(spec(files=["1.wav", "9.wav"]))

    def test_unavailable_dataset(self, known) -> None:
        absent = corpus_spec({"dataset": "absent"}, "here")
        assert "nowhere does not exist" in known.missing(absent)
        assert known.fingerprint(absent) == ""
        with pytest.raises(DatasetUnavailable, match="nowhere does not exist"):
            known.get(absent)
        assert known.missing(spec()) == "" and known.fingerprint(spec())

    def test_data_of_a_repository_are_known_without_being_here(self, folder, known) -> None:
        public = corpus_spec({"dataset": "musan"}, "here")
        assert known.fingerprint(public)

    def test_fingerprint_follows_the_recordings(self, folder, known) -> None:
        before = known.fingerprint(spec())
        soundfile.write(folder / "sounds" / "0.wav", np.zeros(77), RATE)
        fresh = Corpora(load_benchmark([folder]), folder / "cache", lambda name: False)
        assert fresh.fingerprint(spec()) != before

    def test_wrong_description(self) -> None:
        with pytest.raises(ConfigError, match=r"here\.wher: unknown key\. Did you mean 'where'"):
            spec(wher={})

    def test_loaded_once_by_all_threads(self, known, monkeypatch) -> None:
        calls = []
        load = corpora.datasets.load
        monkeypatch.setattr(
            corpora.datasets, "load", lambda *a, **k: calls.append(1) or load(*a, **k)
        )
        found = []
        threads = [threading.Thread(target=lambda: found.append(known.get(spec()))) for _ in "1234"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(calls) == 1 and len({id(corpus) for corpus in found}) == 1

    def test_another_process_loads_no_table(self, known, folder, monkeypatch) -> None:
        rain = spec(where={"category": "rain"})
        whole = [known.get(each).whole(2, RATE) for each in (rain, spec())]
        other = Corpora(load_benchmark([folder]), folder / "cache", lambda name: False)
        assert other.located(rain) == {}
        monkeypatch.setattr(corpora.datasets, "load", None)
        for each in (rain, spec()):
            other.take(pickle.loads(pickle.dumps(known.located(each))))
        for each, signal in zip((rain, spec()), whole, strict=True):
            assert other.get(each).items == known.get(each).items
            assert np.array_equal(other.get(each).whole(2, RATE), signal)


class TestReading:
    def test_whole(self, known, folder) -> None:
        corpus = known.get(spec())
        expected, _ = soundfile.read(folder / "sounds" / "2.wav", dtype="float32")
        found = corpus.whole(2, RATE)
        assert np.array_equal(found, expected) and found.dtype == np.float32
        assert len(corpus.whole(2, 2 * RATE)) == 2 * len(expected)

    def test_read_only_and_decoded_once(self, known, monkeypatch) -> None:
        corpus = known.get(spec())
        first = corpus.whole(0, RATE)
        monkeypatch.setattr(corpora.audio, "read", None)
        assert corpus.whole(0, RATE) is first
        with pytest.raises(ValueError, match="read-only"):
            first[0] = 1

    @pytest.mark.parametrize("position", [0.0, 0.3, 0.999])
    @pytest.mark.parametrize("samples", [1, 1200, 5000])
    def test_excerpt_of_a_long_recording_is_that_of_a_short_one(
        self, known, monkeypatch, position: float, samples: int
    ) -> None:
        corpus = known.get(spec())
        kept = corpus.excerpt(2, position, samples, RATE)
        monkeypatch.setattr(corpora, "KEPT_S", 0.0)
        read = corpus.excerpt(2, position, samples, RATE)
        assert len(kept) == len(read) == samples
        assert np.array_equal(kept, read)

    def test_long_recordings_are_read_in_part(self, known, monkeypatch) -> None:
        monkeypatch.setattr(corpora, "KEPT_S", 0.0)
        sizes = []
        read = corpora.audio.read

        def counted(*args):
            signal, rate = read(*args)
            sizes.append(signal.shape[1])
            return signal, rate

        monkeypatch.setattr(corpora.audio, "read", counted)
        known.get(spec()).excerpt(5, 0.1, 100, RATE)
        assert max(sizes) <= 100 + corpora.MARGIN_S * RATE + 1

    @pytest.mark.parametrize("kept_s", [60.0, 0.0])
    def test_other_sampling_rate(self, known, monkeypatch, kept_s: float) -> None:
        monkeypatch.setattr(corpora, "KEPT_S", kept_s)
        found = known.get(spec()).excerpt(1, 0.5, 3000, 48000)
        assert found.shape == (3000,) and found.std() > 0.03

    def test_channels(self, tmp_path: Path) -> None:
        both = np.stack([np.full(100, 0.5), np.full(100, -0.25)], axis=1)
        soundfile.write(tmp_path / "two.wav", both, RATE, subtype="FLOAT")
        corpus = Corpus("pair", tmp_path, [("two.wav", 0, -1)], Decoded())
        assert corpus.whole(0, RATE, 0).tolist() == [0.5] * 100
        assert corpus.whole(0, RATE, 1).tolist() == [-0.25] * 100
        assert corpus.whole(0, RATE).tolist() == [0.125] * 100
        with pytest.raises(DataError, match=r"pair: two\.wav has no channel 2, only 0 to 1"):
            corpus.whole(0, RATE, 2)

    def test_segments_of_a_file(self, tmp_path: Path) -> None:
        soundfile.write(tmp_path / "a.wav", np.arange(1600) / 1600, RATE, subtype="FLOAT")
        ns = 1_000_000_000
        corpus = Corpus("parts", tmp_path, [("a.wav", ns // 100, ns // 20)], Decoded())
        assert len(corpus.whole(0, RATE)) == 640
        assert corpus.excerpt(0, 0.5, 700, RATE).min() >= 160 / 1600 - 1e-6

    def test_broken_recording(self, known, folder) -> None:
        (folder / "sounds" / "3.wav").write_bytes(b"")
        with pytest.raises(AudioError, match=r"3\.wav: is empty"):
            known.get(spec()).whole(3, RATE)


def test_wrapped_repeats_without_end() -> None:
    assert wrapped(np.arange(4), 3, 10).tolist() == [3, 0, 1, 2, 3, 0, 1, 2, 3, 0]
    assert wrapped(np.arange(4), 0, 4).tolist() == [0, 1, 2, 3]


def test_memory_is_bounded() -> None:
    decoded = Decoded(room=100)
    loads = []

    def get(name: str) -> np.ndarray:
        return decoded.get((name,), lambda: loads.append(name) or np.zeros(10, dtype=np.float32))

    for name in ("a", "b", "a", "c", "a", "b"):
        get(name)
    assert loads == ["a", "b", "c", "b"], "the one that was not used for longest goes first"
