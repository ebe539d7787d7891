"""The labels of an embedded corpus as an ``audformat.Database``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from common.embedded.acoustics import SAMPLING_RATE
from common.embedded.speech import Recipe, Utterance

MEDIA = "speech"
SPEAKER = "speaker"


def database(recipe: Recipe, utterances: Sequence[Utterance]) -> Any:
    """Database without audio.

    Args:
        recipe: what the corpus is made from
        utterances: what the recipe gives

    Returns:
        ``audformat.Database`` with the tables that the utterances name; each has a column for
        every label and one for the speaker, whose sex, language and age the scheme knows
    """
    import audformat

    define = audformat.define
    speakers = {one.speaker.id: one.speaker.attributes for one in utterances}
    db = audformat.Database(
        recipe.id,
        source=recipe.source,
        usage=define.Usage.UNRESTRICTED,
        languages=sorted({labels["language"] for labels in speakers.values()}),
        description=recipe.description,
        license=recipe.license,
    )
    db.media[MEDIA] = audformat.Media(
        sampling_rate=SAMPLING_RATE, channels=1, bit_depth=16, format="flac"
    )
    for name, arguments in recipe.schemes().items():
        db.schemes[name] = audformat.Scheme(**arguments)
    db.schemes[SPEAKER] = audformat.Scheme(labels=speakers)
    for name, split in dict.fromkeys((one.table, one.split) for one in utterances):
        rows = [one for one in utterances if one.table == name]
        db.splits[split] = audformat.Split(type=split)
        table = audformat.Table(
            audformat.filewise_index([one.file for one in rows]), split_id=split, media_id=MEDIA
        )
        db[name] = table
        for column in recipe.schemes():
            table[column] = audformat.Column(scheme_id=column)
            table[column].set([one.labels[column] for one in rows])
        table[SPEAKER] = audformat.Column(scheme_id=SPEAKER)
        table[SPEAKER].set([one.speaker.id for one in rows])
    return db
