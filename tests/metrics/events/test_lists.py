from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.core.errors import DataError, LengthError
from common.metrics.events.lists import EventList, intersecting, merged


def test_columns_must_belong_together() -> None:
    with pytest.raises(LengthError, match="file: 1, label: 1, onset: 2"):
        EventList([0], [0], [0.0, 1.0], [1.0])


@pytest.mark.parametrize("time", [np.nan, np.inf])
def test_times_must_be_finite(time: float) -> None:
    with pytest.raises(DataError, match=r"event 2: onset 0 s, offset .*finite"):
        EventList([0, 0], [0, 0], [0.0, 0.0], [1.0, time])


def test_names_become_codes(rows) -> None:
    events = rows(("b.wav", 1, 2, "dog"), ("z.wav", 0, 1, "dog"), ("a.wav", 0, 1, "ant"))
    assert events.file.tolist() == [1, 0]
    # a label that is not evaluated gets a code behind the others
    assert events.label.tolist() == [1, 2]
    assert events.onset.dtype == np.float64


def test_intersections_of_one_file_and_label(rows) -> None:
    events = rows(
        ("a.wav", 0.0, 2.0, "dog"),
        ("a.wav", 2.0, 3.0, "dog"),  # touches
        ("a.wav", 1.0, 1.0, "cat"),
        ("b.wav", 1.0, 1.5, "dog"),
        ("a.wav", 1.5, 1.5, "dog"),  # without length, inside the first
        ("a.wav", 0.0, 2.0, "dog"),  # a copy
    )
    first, second = intersecting(events)
    assert list(zip(first.tolist(), second.tolist(), strict=True)) in ([(0, 4)], [(5, 4)])
    assert len(intersecting(events[:0])[0]) == 0


def test_a_point_at_the_start_of_an_event_is_outside(rows) -> None:
    events = rows(("a.wav", 0.0, 0.0, "dog"), ("a.wav", 0.0, 1.0, "dog"))
    assert len(intersecting(events)[0]) == 0


def test_long_event_over_short_ones_is_found_for_each(rows) -> None:
    events = rows(
        *[("a.wav", at, at + 0.5, "dog") for at in (1.0, 2.0, 3.0)], ("a.wav", 0, 9, "dog")
    )
    first, second = intersecting(events)
    assert sorted(second.tolist()) == [0, 1, 2]
    assert set(first.tolist()) == {3}


def test_merged_is_the_union(rows) -> None:
    events = rows(
        ("b.wav", 0.0, 1.0, "dog"),
        ("a.wav", 3.0, 4.0, "dog"),
        ("a.wav", 0.0, 2.0, "dog"),
        ("a.wav", 1.0, 1.5, "dog"),
        ("a.wav", 1.8, 3.0, "dog"),
        ("b.wav", 0.0, 1.0, "dog"),
    )
    found = merged(events)
    assert found.file.tolist() == [0, 0, 1]
    assert found.onset.tolist() == [0.0, 3.0, 0.0]
    assert found.offset.tolist() == [3.0, 4.0, 1.0]


def _naive(events: EventList) -> bool:
    found = False
    for one in range(len(events)):
        for other in range(one):
            a, b = events[[one]], events[[other]]
            key = lambda e: (e.file[0], e.label[0], e.onset[0], e.offset[0])  # noqa: E731
            same = key(a)[:2] == key(b)[:2] and key(a) != key(b)
            found |= same and a.onset[0] < b.offset[0] and b.onset[0] < a.offset[0]
    return found


@given(data=st.data())
def test_intersections_are_found_as_by_comparing_all(draw_from, data) -> None:
    events = data.draw(draw_from.events())
    assert bool(len(intersecting(events)[1])) == _naive(events)
    union = merged(events)
    assert not len(intersecting(union)[1])


@given(data=st.data())
def test_order_forgets_the_order_of_the_list(draw_from, data) -> None:
    events = data.draw(draw_from.events())
    back = events[::-1]
    for name in ("file", "label", "onset", "offset"):
        one, other = getattr(events, name), getattr(back, name)
        assert one[events.order()].tolist() == other[back.order()].tolist()
