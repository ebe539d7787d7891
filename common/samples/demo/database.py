"""The labels of an embedded corpus as an ``audformat.Database``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import corpus
from .corpus import SAMPLING_RATE
from .speech import SpeechRecipe, Utterance

SPEECH, AUDIO = "speech", "audio"
SPEAKER = "speaker"
#: table of corpora that have one table only
FILES = "files"


def of_speech(recipe: SpeechRecipe, utterances: Sequence[Utterance]) -> Any:
    """Database of a corpus of speech, without audio.

    Args:
        recipe: what the corpus is made from
        utterances: what the recipe gives

    Returns:
        ``audformat.Database`` with the tables that the utterances name; each has a column for
        every label and one for the speaker, whose sex, language and age the scheme knows
    """
    import audformat

    speakers = {one.speaker.id: one.speaker.attributes for one in utterances}
    db = _empty(recipe, sorted({labels["language"] for labels in speakers.values()}), SPEECH)
    for name, arguments in recipe.schemes().items():
        db.schemes[name] = audformat.Scheme(**arguments)
    db.schemes[SPEAKER] = audformat.Scheme(labels=speakers)
    for name, split in dict.fromkeys((one.table, one.split) for one in utterances):
        rows = [one for one in utterances if one.table == name]
        db.splits[split] = audformat.Split(type=split)
        table = audformat.Table(
            audformat.filewise_index([one.file for one in rows]), split_id=split, media_id=SPEECH
        )
        db[name] = table
        for column in recipe.schemes():
            table[column] = audformat.Column(scheme_id=column)
            table[column].set([one.labels[column] for one in rows])
        table[SPEAKER] = audformat.Column(scheme_id=SPEAKER)
        table[SPEAKER].set([one.speaker.id for one in rows])
    return db


def of_files(
    recipe: corpus.CorpusRecipe, schemes: Mapping[str, Mapping[str, Any]], items: Sequence[Any]
) -> Any:
    """Database of a corpus with one table, without audio.

    Args:
        recipe: what the corpus is made from
        schemes: label column -> arguments of its ``audformat.Scheme``
        items: objects with ``file`` and ``labels``
    """
    import audformat

    db = _empty(recipe, [], AUDIO)
    index = audformat.filewise_index([item.file for item in items])
    db[FILES] = audformat.Table(index, media_id=AUDIO)
    for name, arguments in schemes.items():
        db.schemes[name] = audformat.Scheme(**arguments)
        db[FILES][name] = audformat.Column(scheme_id=name)
        db[FILES][name].set([item.labels[name] for item in items])
    return db


def _empty(recipe: corpus.CorpusRecipe, languages: Sequence[str], media: str) -> Any:
    """Database that says where it comes from and what its media are."""
    import audformat

    db = audformat.Database(
        recipe.id,
        source=recipe.source,
        usage=audformat.define.Usage.UNRESTRICTED,
        languages=languages,
        description=recipe.description,
        license=recipe.license,
    )
    db.media[media] = audformat.Media(
        sampling_rate=SAMPLING_RATE, channels=1, bit_depth=16, format="flac"
    )
    return db
