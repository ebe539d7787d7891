"""Synthesised music: short pieces with melody, harmony and rhythm.

A piece has a key, a tempo and a sequence of chords. Its melody steps mostly to neighbouring
notes of the scale and stresses notes of the chord. :data:`STYLES` says who plays what; each is
registered in :data:`~common.samples.demo.sounds.SOUNDS` under its name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from .dsp import band, count, decay, faded, harmonics, noise, place, struck, tone
from .sounds import SOUNDS, finished

MAJOR, MINOR = (0, 2, 4, 5, 7, 9, 11), (0, 2, 3, 5, 7, 8, 10)
#: degrees of the scale on which the chords of a piece are built
PROGRESSIONS = ((0, 5, 3, 4), (0, 3, 4, 0), (5, 3, 0, 4), (0, 4, 5, 3), (0, 1, 4, 0))
#: lengths of the notes of a bar, in beats
RHYTHMS = (
    (1, 1, 1, 1),
    (1, 0.5, 0.5, 1, 1),
    (1.5, 0.5, 1, 1),
    (0.5, 0.5, 0.5, 0.5, 1, 1),
    (2, 1, 1),
    (1, 1, 2),
)
BEATS = 4
#: names of the pieces
STYLES: list[str] = []

#: (frequency in Hz, length in s, generator, sampling rate) -> a note
Instrument = Callable[[float, float, np.random.Generator, int], np.ndarray]


@dataclass(frozen=True)
class Note:
    """A note: start and length in beats, pitch in semitones above A4, loudness."""

    start: float
    beats: float
    pitch: int
    loudness: float


@dataclass(frozen=True)
class Song:
    """What all voices of a piece agree on."""

    scale: Sequence[int]
    key: int
    chords: Sequence[int]
    bars: int

    def pitch(self, degree: int) -> int:
        """Semitones above A4 of a degree of the scale, which goes on in both directions."""
        octave, step = divmod(degree, len(self.scale))
        return self.key + 12 * octave + self.scale[step]

    def chord(self, bar: int) -> list[int]:
        """Degrees of the triad of a bar."""
        root = self.chords[bar % len(self.chords)]
        return [root, root + 2, root + 4]


def compose(random: np.random.Generator, bars: int) -> Song:
    """Scale, key and chords of a piece."""
    scale = (MAJOR, MINOR)[int(random.integers(2))]
    chords = PROGRESSIONS[int(random.integers(len(PROGRESSIONS)))]
    return Song(scale, int(random.integers(-9, 3)), chords, bars)


def melody(random: np.random.Generator, song: Song) -> list[Note]:
    """Bar by bar; the second bar and its multiples repeat the rhythm of the first."""
    rhythms = [RHYTHMS[int(random.integers(len(RHYTHMS)))] for _ in range(2)]
    degree, notes = 7, []
    for bar in range(song.bars):
        start = 0.0
        for beats in rhythms[bar // 2 % 2]:
            if start in (0.0, 2.0):  # stressed: the nearest note of the chord
                tones = [d + 7 * octave for d in song.chord(bar) for octave in (0, 1, 2)]
                degree = min(tones, key=lambda tone: (abs(tone - degree), tone))
            else:
                degree += int(random.choice([-2, -1, -1, 1, 1, 2]))
                degree = int(np.clip(degree, 3, 15))
            loudness = random.uniform(0.8, 1.0) if start == 0 else random.uniform(0.6, 0.85)
            notes.append(Note(bar * BEATS + start, beats, song.pitch(degree), loudness))
            start += beats
    return notes


def bass(song: Song) -> list[Note]:
    """Root and fifth of every chord, two octaves below."""
    return [
        Note(bar * BEATS + beat, 2, song.pitch(song.chord(bar)[part]) - 24, 0.9)
        for bar in range(song.bars)
        for beat, part in ((0, 0), (2, 2))
    ]


def held(song: Song) -> list[Note]:
    """Chords over whole bars."""
    return [
        Note(bar * BEATS, BEATS, song.pitch(degree) - 12, 0.5)
        for bar in range(song.bars)
        for degree in song.chord(bar)
    ]


def broken(song: Song) -> list[Note]:
    """Chords note by note, up and down in eighths."""
    order = (0, 1, 2, 3, 2, 1, 2, 1)
    notes = []
    for bar in range(song.bars):
        tones = [*song.chord(bar), song.chord(bar)[0] + 7]
        for number, part in enumerate(order):
            start = bar * BEATS + number / 2
            notes.append(Note(start, 0.5, song.pitch(tones[part]) - 12, 0.6))
    return notes


def plucked(
    frequency_hz: float, length_s: float, random: np.random.Generator, sampling_rate: int
) -> np.ndarray:
    """A string that is struck: high partials fade first."""
    samples = count(max(1.2 * length_s, 0.8), sampling_rate)
    sound = np.zeros(samples)
    for number in range(1, 13):
        partial_hz = number * frequency_hz * np.sqrt(1 + 4e-4 * number**2)
        if partial_hz < 0.45 * sampling_rate:
            fading = decay(samples, sampling_rate, 3.0 / number**0.7 / (frequency_hz / 220) ** 0.5)
            sound += fading * tone(partial_hz, samples, sampling_rate) / number**1.1
    return faded(sound, sampling_rate, 0.004)


def blown(
    frequency_hz: float, length_s: float, random: np.random.Generator, sampling_rate: int
) -> np.ndarray:
    """A flute: few partials, breath, and a vibrato that comes late."""
    samples = count(length_s, sampling_rate)
    time = np.arange(samples) / sampling_rate
    vibrato = 0.006 * np.clip(time / 0.4, 0, 1) * np.sin(2 * np.pi * 5.2 * time)
    sound = harmonics(frequency_hz * (1 + vibrato), [1, 0.35, 0.15, 0.05], sampling_rate)
    breath = noise(random, samples, sampling_rate, band(frequency_hz, 5 * frequency_hz, order=1))
    return faded(sound + 0.04 * breath, sampling_rate, min(0.06, length_s / 4))


def bowed(
    frequency_hz: float, length_s: float, random: np.random.Generator, sampling_rate: int
) -> np.ndarray:
    """Strings: three players who are not quite in tune, with a soft beginning."""
    samples = count(length_s + 0.1, sampling_rate)
    sound = np.zeros(samples)
    for _ in range(3):
        time = np.arange(samples) / sampling_rate + random.uniform(0, 1)
        sway = random.normal(0, 0.002) + 0.004 * np.sin(2 * np.pi * 5.0 * time)
        amplitudes = [1 / number for number in range(1, 14)]
        sound += harmonics(frequency_hz * (1 + sway), amplitudes, sampling_rate)
    return faded(sound / 3, sampling_rate, 0.12)


def organ(
    frequency_hz: float, length_s: float, random: np.random.Generator, sampling_rate: int
) -> np.ndarray:
    """Pipes of one, two, three, four and eight times the frequency."""
    steady = np.full(count(length_s, sampling_rate), frequency_hz)
    sound = harmonics(steady, [1, 0.6, 0.3, 0.35, 0, 0, 0, 0.12], sampling_rate)
    return faded(sound, sampling_rate, 0.03)


def glass(
    frequency_hz: float, length_s: float, random: np.random.Generator, sampling_rate: int
) -> np.ndarray:
    """A music box: a bar that rings long, with its high second mode."""
    samples = count(max(length_s, 1.2), sampling_rate)
    sound = decay(samples, sampling_rate, 2.0) * tone(2 * frequency_hz, samples, sampling_rate)
    if 5.5 * frequency_hz < 0.45 * sampling_rate:
        high = tone(5.5 * frequency_hz, samples, sampling_rate)
        sound += 0.25 * decay(samples, sampling_rate, 0.35) * high
    return faded(sound, sampling_rate, 0.003)


def played(
    notes: Sequence[Note],
    instrument: Instrument,
    beat_s: float,
    random: np.random.Generator,
    samples: int,
    sampling_rate: int,
) -> np.ndarray:
    """One voice of a piece; what lies behind ``samples`` is lost."""
    sound = np.zeros(samples)
    for note in notes:
        at = count(note.start * beat_s + random.uniform(0, 0.008), sampling_rate)
        if at < samples:
            pitch_hz = 440 * 2 ** (note.pitch / 12)
            piece = instrument(pitch_hz, note.beats * beat_s, random, sampling_rate)
            place(sound, note.loudness * piece, at)
    return sound


def drums(
    random: np.random.Generator, bars: int, beat_s: float, samples: int, sampling_rate: int
) -> np.ndarray:
    """Bass drum, snare and cymbal."""
    size = count(0.25, sampling_rate)
    time = np.arange(size) / sampling_rate
    falling = 50 + 90 * np.exp(-time / 0.03)
    kick = tone(falling, size, sampling_rate) * struck(
        size, sampling_rate, attack_s=0.002, decay_s=0.25
    )
    skin = tone(190.0, size, sampling_rate) * decay(size, sampling_rate, 0.15)
    wires = noise(random, size, sampling_rate, band(1200, 6500, order=1))
    snare = 0.5 * skin + 0.35 * wires * decay(size, sampling_rate, 0.18)
    hat = noise(random, size, sampling_rate, band(5000, np.inf)) * decay(size, sampling_rate, 0.06)
    pattern = [(0, kick, 1.0), (2, kick, 0.9), (2.5, kick, 0.6), (1, snare, 0.7), (3, snare, 0.7)]
    pattern += [(eighth / 2, hat, 0.12 if eighth % 2 else 0.18) for eighth in range(2 * BEATS)]
    sound = np.zeros(samples)
    for bar in range(bars):
        for beat, piece, loudness in pattern:
            at = count((bar * BEATS + beat) * beat_s, sampling_rate)
            if at < samples:
                place(
                    sound,
                    loudness * random.uniform(0.85, 1.0) * faded(piece, sampling_rate, 0.001),
                    at,
                )
    return sound


def style(
    name: str,
    beats_per_minute: tuple[int, int],
    lead: Instrument,
    *others: tuple[Callable[[Song], list[Note]], Instrument, float],
    drummed: float = 0.0,
) -> None:
    """Register a piece.

    Args:
        name: its name
        beats_per_minute: range of the tempo
        lead: plays the melody
        others: what else is played, by what, and how loud
        drummed: how loud the drums are
    """

    def make(random: np.random.Generator, sampling_rate: int, duration_s: float) -> np.ndarray:
        beat_s = 60 / random.uniform(*beats_per_minute)
        song = compose(random, int(np.ceil(duration_s / (BEATS * beat_s))))
        samples = count(duration_s, sampling_rate)
        where = (beat_s, random, samples, sampling_rate)
        sound = played(melody(random, song), lead, *where)
        for notes, instrument, loudness in others:
            sound += loudness * played(notes(song), instrument, *where)
        if drummed:
            sound += drummed * drums(random, song.bars, beat_s, samples, sampling_rate)
        return finished(sound, sampling_rate)

    STYLES.append(name)
    SOUNDS.add(name, make)


style("piano", (76, 108), plucked, (broken, plucked, 0.7), (bass, plucked, 0.8))
style("strings", (60, 80), bowed, (held, bowed, 0.6), (bass, bowed, 0.7))
style("flute", (84, 116), blown, (broken, plucked, 0.4))
style("organ", (66, 88), organ, (held, organ, 0.5), (bass, organ, 0.6))
style("music-box", (90, 130), glass, (broken, glass, 0.4))
style("band", (100, 132), plucked, (held, organ, 0.25), (bass, plucked, 1.2), drummed=1.2)
