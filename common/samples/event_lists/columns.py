"""Names of columns that event lists, detection tables and scores of others have."""

from __future__ import annotations

from collections.abc import Sequence

#: column -> names that are understood, in lower case
NAMES = {
    "file": ("filename", "file", "audio_filename", "audio_file", "segment_id"),
    "onset": ("onset", "event_onset", "start", "start_time", "start_time_seconds"),
    "offset": ("offset", "event_offset", "end", "end_time", "end_time_seconds"),
    "label": ("event_label", "label", "event", "class"),
    "duration": ("duration", "duration_s", "length"),
}
#: what a header of events must have
TIMES = ("onset", "offset")
#: what a header of a table of durations must have
DURATIONS = ("file", "duration")


def find_columns(
    header: Sequence[object], required: Sequence[str] = TIMES
) -> dict[str, int] | None:
    """Places of the known columns of a header.

    Args:
        header: names of the columns
        required: columns without which it is none

    Returns:
        column -> place; None if the header is none. A recording alone is one, too: a list of
        recordings without events

    >>> find_columns(["filename", "onset", "offset", "event_label"])
    {'file': 0, 'onset': 1, 'offset': 2, 'label': 3}
    >>> find_columns(["0.5", "1.0", "speech"]) is None
    True
    """
    names = [str(name).strip().lower() for name in header]
    columns: dict[str, int] = {}
    for column, aliases in NAMES.items():
        places = [names.index(name) for name in aliases if name in names]
        if places:
            columns[column] = places[0]
    alone = "file" in columns and len(names) == 1
    return columns if alone or set(required) <= set(columns) else None


def names_durations(header: Sequence[object]) -> bool:
    """Whether a header is that of a table of durations and of nothing else.

    >>> names_durations(["filename", "duration"]), names_durations(["filename", "scene"])
    (True, False)
    >>> names_durations(["filename", "onset", "offset", "event_label", "duration"])
    False
    """
    columns = find_columns(header, DURATIONS) or {}
    return set(DURATIONS) <= set(columns) and not set(TIMES) & set(columns)
