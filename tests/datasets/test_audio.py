"""Decoding, cutting, mixdown and resampling, with good and broken files."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
import soundfile

from common.core.errors import AudioError
from common.samples import audio, decode
from tests.recordings import recordings

NS = 1_000_000_000
RATE = 16000

#: extension, format and subtype of libsndfile, largest error of a sample (None: lossy)
FORMATS = [
    ("wav", "WAV", "PCM_U8", 2**-7),
    ("wav", "WAV", "PCM_16", 2**-15),
    ("wav", "WAV", "PCM_24", 2**-23),
    ("wav", "WAV", "PCM_32", 2**-24),
    ("wav", "WAV", "FLOAT", 0),
    ("wav", "WAV", "DOUBLE", 0),
    ("wav", "WAV", "MS_ADPCM", None),
    ("wav", "WAV", "IMA_ADPCM", None),
    ("wav", "WAV", "ULAW", None),
    ("flac", "FLAC", "PCM_16", 2**-15),
    ("flac", "FLAC", "PCM_24", 2**-23),
    ("ogg", "OGG", "VORBIS", None),
    ("opus", "OGG", "OPUS", None),
    ("mp3", "MP3", "MPEG_LAYER_III", None),
    ("m4a", "", "", None),
]
IDS = ["-".join(filter(None, (f[0], f[2]))) for f in FORMATS]


def write_m4a(path: Path, signal: np.ndarray, rate: int = RATE) -> None:
    with av.open(str(path), "w", format="ipod") as container:
        stream = container.add_stream("aac", rate=rate)
        stream.layout = "mono"
        size = 1024
        for start in range(0, signal.shape[1], size):
            part = np.ascontiguousarray(signal[:1, start : start + size])
            frame = av.AudioFrame.from_ndarray(part, format="fltp", layout="mono")
            frame.sample_rate, frame.pts, frame.time_base = rate, start, Fraction(1, rate)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))


@pytest.fixture
def make(tmp_path: Path, speech: np.ndarray) -> Callable[..., Path]:
    def write(kind: tuple[str, str, str, float | None], signal: np.ndarray = speech) -> Path:
        path = tmp_path / f"audio.{kind[0]}"
        if kind[0] == "m4a":
            write_m4a(path, signal)
        else:
            soundfile.write(path, signal.T, RATE, format=kind[1], subtype=kind[2])
        return path

    return write


def wav(path: Path, signal: np.ndarray, rate: int = RATE, subtype: str = "PCM_16") -> Path:
    soundfile.write(path, np.atleast_2d(signal).T, rate, subtype=subtype)
    return path


@pytest.mark.parametrize("kind", FORMATS, ids=IDS)
def test_all_formats_give_the_signal(make, speech, kind):
    signal, rate = audio.read(make(kind))
    assert rate == RATE
    assert signal.dtype == np.float32
    assert abs(signal.shape[1] - 32000) <= 1600  # ADPCM and AAC fill up their last block
    if kind[3] is None:
        assert np.corrcoef(signal[0, :32000], speech[0])[0, 1] > 0.98
    else:
        assert np.abs(signal - speech).max() <= kind[3]


@pytest.mark.parametrize("kind", FORMATS, ids=IDS)
def test_a_segment_is_a_part_of_the_whole(make, kind):
    path = make(kind)
    whole, _ = audio.read(path)
    part, _ = audio.read(path, NS // 2, 3 * NS // 2)
    np.testing.assert_array_equal(part, whole[:, 8000:24000])
    rest, _ = audio.read(path, NS // 2, -1)
    np.testing.assert_array_equal(rest, whole[:, 8000:])


@pytest.mark.parametrize("kind", FORMATS, ids=IDS)
def test_the_header_tells_duration_rate_and_channels(make, kind):
    info = audio.info(make(kind))
    assert info.duration_s == pytest.approx(2, abs=0.1)
    assert (info.sampling_rate, info.channels) == (RATE, 1)


def test_content_decides_about_the_decoder_not_the_extension(tmp_path, speech):
    path = tmp_path / "really-flac.wav"
    soundfile.write(path, speech.T, RATE, format="FLAC")
    assert audio.read(path)[0].shape == (1, 32000)


def test_a_segment_is_cut_at_the_nearest_sample(tmp_path):
    path = wav(tmp_path / "a.wav", np.arange(100) / 128, subtype="FLOAT")
    step = NS / RATE
    for start, end in [(10, 20), (0, 1), (99, 100)]:
        for shift in (-0.49, 0, 0.49):
            moved = max(0, round((start + shift) * step)), round((end + shift) * step)
            signal, _ = audio.read(path, *moved)
            np.testing.assert_array_equal(signal[0], np.arange(start, end) / np.float32(128))


def test_half_a_sample_is_rounded_up_far_into_a_file():
    hour = 3600 * NS
    assert audio._sample(hour, 96000) == 3600 * 96000
    assert audio._sample(hour + 5208, 96000) == 3600 * 96000  # 0.49997 samples
    assert audio._sample(hour + 5209, 96000) == 3600 * 96000 + 1


def test_load_mixes_down_and_resamples(tmp_path, speech):
    path = wav(tmp_path / "a.wav", np.vstack([speech, np.zeros_like(speech)]), subtype="FLOAT")
    signal = audio.load(path, 0, -1, RATE)
    np.testing.assert_allclose(signal, speech / 2, atol=1e-7)
    assert audio.load(path, NS, 2 * NS, 8000).shape == (1, 8000)
    assert audio.load(path, 0, -1, 44100).shape == (1, 88200)


def test_resampling_keeps_frequency_phase_and_input():
    tone = np.sin(2 * np.pi * 1000 * np.arange(44100) / 44100)[None].astype(np.float32)
    before = tone.copy()
    resampled = audio.resample(tone, 44100, RATE)
    expected = np.sin(2 * np.pi * 1000 * np.arange(RATE) / RATE)
    np.testing.assert_allclose(resampled[0, 200:-200], expected[200:-200], atol=1e-5)
    np.testing.assert_array_equal(tone, before)
    assert audio.resample(tone, 8000, 8000) is tone


@pytest.mark.parametrize("samples", [1, 2, 3, 10])
@pytest.mark.parametrize("rate", [8000, 11025, 44100, 192000])
def test_short_signals_keep_at_least_one_sample(samples, rate):
    signal = np.full((1, samples), 0.5, dtype=np.float32)
    resampled = audio.resample(signal, rate, RATE)
    assert resampled.shape[1] == max(1, resampled.shape[1])
    assert abs(resampled.shape[1] - samples * RATE / rate) <= 1
    assert np.isfinite(resampled).all()
    assert audio.resample(signal[:, :0], rate, RATE).shape == (1, 0)


def test_results_do_not_depend_on_threads(make, speech):
    path = make(FORMATS[9])
    segments = [(n * NS // 20, n * NS // 20 + NS) for n in range(20)]
    alone = [audio.load(path, *segment, 11025) for segment in segments]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda segment: audio.load(path, *segment, 11025), segments))
    for a, b in zip(alone, together, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("kind", FORMATS, ids=IDS)
def test_many_segments_equal_single_ones_and_open_the_file_once(make, kind, monkeypatch):
    path = make(kind)
    segments = [(NS, 3 * NS // 2), (0, -1), (NS // 4, NS), (0, NS // 2), (NS, -1)]
    single = [audio.load(path, *segment, 8000) for segment in segments]
    opened = []
    original = decode.open_audio
    monkeypatch.setattr(audio, "open_audio", lambda *a: opened.append(a) or original(*a))
    many = audio.load_many(path.parent, path.name, segments, 8000)
    assert len(opened) == 1
    for a, b in zip(single, many, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("kind", FORMATS[-4:], ids=IDS[-4:])
def test_formats_without_jumps_are_decoded_once(make, kind, monkeypatch):
    path = make(kind)
    blocks = []
    name = "_av_blocks" if kind[0] == "m4a" else "_sndfile_blocks"
    original = getattr(decode, name)

    def counted(*args):
        for block in original(*args):
            blocks.append(block.shape[1])
            yield block

    monkeypatch.setattr(decode, name, counted)
    whole = audio.read(path)[0].shape[1]
    assert sum(blocks) == whole
    blocks.clear()
    audio.load_many(path.parent, path.name, [(NS, 2 * NS), (0, NS), (0, -1)], RATE)
    assert sum(blocks) == whole


def test_one_bad_segment_does_not_take_others_with_it(tmp_path, speech):
    wav(tmp_path / "a.wav", speech)
    segments = [(0, NS), (5 * NS, 6 * NS), (NS, NS), (NS, 2 * NS)]
    first, late, empty, last = audio.load_many(tmp_path, "a.wav", segments, RATE)
    assert first.shape == last.shape == (1, 16000)
    assert str(late) == (
        "a.wav: segment 5.00 s to 6.00 s starts after the end of the file (2.00 s)"
    )
    assert str(empty) == "a.wav: segment 1.00 s to 1.00 s holds no samples"
    assert isinstance(late, AudioError) and isinstance(empty, AudioError)


def test_a_bad_file_fails_in_all_places_and_is_named_without_root(tmp_path):
    results = audio.load_many(tmp_path, "sub/no.wav", [(0, -1), (0, NS)], RATE)
    assert [str(result) for result in results] == ["sub/no.wav: no such file"] * 2
    assert all(isinstance(result, AudioError) for result in results)
    assert audio.load_many(tmp_path, "sub/no.wav", [], RATE) == []


def test_annotations_may_end_a_little_behind_the_file(tmp_path, speech):
    path = wav(tmp_path / "a.wav", speech)
    assert audio.read(path, NS, 2 * NS + NS // 11)[0].shape == (1, 16000)
    with pytest.raises(AudioError, match=r"1\.00 s to 2\.20 s ends after the end .*2\.00 s"):
        audio.read(path, NS, 2 * NS + NS // 5)


@pytest.mark.parametrize("kind", [FORMATS[1], FORMATS[13]], ids=["wav", "mp3"])
def test_a_segment_behind_the_end_is_refused(make, kind):
    with pytest.raises(AudioError, match=r"starts after the end of the file \(2\.0"):
        audio.read(make(kind), 3 * NS, -1)


def test_silence_one_sample_and_ten_minutes_are_fine(tmp_path):
    silent = wav(tmp_path / "silent.wav", np.zeros(8000))
    assert not audio.load(silent, 0, -1, RATE).any()
    for rate in (RATE, 44100):
        tiny = wav(tmp_path / "tiny.wav", np.array([0.5]), rate)
        assert audio.load(tiny, 0, -1, RATE).shape == (1, 1)
    long = wav(tmp_path / "long.wav", np.zeros(8000 * 600), 8000)
    assert audio.load(long, 0, -1, RATE).shape == (1, RATE * 600)


def test_missing_empty_and_strange_files(tmp_path, speech):
    with pytest.raises(AudioError, match=r"no\.wav: no such file$"):
        audio.read(tmp_path / "no.wav")
    with pytest.raises(AudioError, match=r"is not a file that may be read$"):
        audio.read(tmp_path)
    (tmp_path / "empty.wav").write_bytes(b"")
    with pytest.raises(AudioError, match=r"is empty \(0 bytes\)$"):
        audio.read(tmp_path / "empty.wav")
    (tmp_path / "text.wav").write_text("file,label\n" * 100)
    with pytest.raises(AudioError, match=r"is no audio file that can be decoded$"):
        audio.read(tmp_path / "text.wav")
    with pytest.raises(AudioError, match=r"holds no samples$"):
        audio.read(wav(tmp_path / "header.wav", np.zeros(0)))


def test_a_video_without_sound_is_refused(tmp_path):
    path = tmp_path / "picture.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=10)
        stream.width = stream.height = 16
        stream.pix_fmt = "yuv420p"
        frame = av.VideoFrame.from_ndarray(np.zeros((16, 16, 3), np.uint8), format="rgb24")
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    with pytest.raises(AudioError, match=r"holds no audio$"):
        audio.read(path)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_that_are_no_numbers_are_refused_where_they_are(tmp_path, speech, value):
    broken = speech.copy()
    broken[0, 24000] = value
    path = wav(tmp_path / "a.wav", broken, subtype="FLOAT")
    with pytest.raises(AudioError, match=r"holds NaN or infinite samples, the first at 1\.500 s"):
        audio.read(path)
    assert audio.read(path, 0, NS)[0].shape == (1, 16000)


@pytest.mark.parametrize("share", [0.6, 0.03])
@pytest.mark.parametrize(
    "kind", [k for k in FORMATS if k[0] != "mp3"], ids=[i for i in IDS if i[:3] != "mp3"]
)
def test_truncated_files_are_refused(make, kind, share):
    path = make(kind)
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(AudioError, match=r"audio\.\w+: (is truncated|cannot be dec|is no audio)"):
        audio.read(path)


def test_a_truncated_mp3_is_refused_if_its_header_tells_the_length(make, capfd):
    path = make(FORMATS[13])
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * 0.6)])
    for look in (audio.info, audio.read):
        with pytest.raises(AudioError, match=r"is truncated: holds \d+ of \d+ bytes"):
            look(path)
    at = max(content.find(b"Xing"), content.find(b"Info")) + 7
    assert content[at] & 3 == 3  # numbers of frames and of bytes
    silent = content[:at] + bytes([content[at] & ~2]) + content[at + 1 :]
    path.write_bytes(silent[: int(len(content) * 0.6)])
    with pytest.raises(AudioError, match=r"is truncated: decodes to 1\.\d\d of 2\.\d\d s"):
        audio.read(path)


def test_an_mp3_without_length_is_what_it_decodes_to(make):
    path = make(FORMATS[13])
    content = path.read_bytes()
    path.write_bytes(content.replace(b"Info", b"\0\0\0\0").replace(b"Xing", b"\0\0\0\0"))
    assert audio.info(path).duration_s == audio.read(path)[0].shape[1] / RATE


def test_a_wav_from_a_stream_has_no_length_in_its_header(tmp_path, speech):
    path = wav(tmp_path / "a.wav", speech)
    content = bytearray(path.read_bytes())
    at = content.index(b"data") + 4
    content[at : at + 4] = content[4:8] = b"\xff\xff\xff\xff"
    path.write_bytes(content)
    assert audio.read(path)[0].shape == (1, 32000)


def test_a_few_missing_bytes_are_no_reason_to_refuse(tmp_path, speech):
    path = wav(tmp_path / "a.wav", speech)
    path.write_bytes(path.read_bytes()[:-100])
    assert audio.read(path)[0].shape == (1, 31950)


@pytest.mark.parametrize(
    "folder",
    [
        "audio-formats",
        "audb-examples",
        "coughs",
        "music",
        "emodb",
        "ravdess",
        "nemo",
    ],
)
def test_real_files(folder):
    root = recordings(folder, "a synthesised signal in 15 formats")
    files = sorted(p for p in root.rglob("*") if p.is_file() and p.suffix not in (".md", ".csv"))
    for path in files[:40]:
        signal = audio.load(path, 0, -1, RATE)
        assert signal.dtype == np.float32
        assert signal.shape[0] == 1
        assert signal.shape[1] / RATE == pytest.approx(audio.info(path).duration_s, abs=0.01)
