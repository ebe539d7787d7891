"""The player of sounds: what a page holds, and how it behaves in a real Chromium."""

from __future__ import annotations

import re
from typing import Any

import pytest

PAGE = "method/listen"
GAIN, CROP = 1, 2
#: where a change-over ends: position of the old sound when it was paused, of the new one then
WATCH = """() => {
    window.swaps = [];
    document.querySelectorAll(".listen audio").forEach((audio) => audio.addEventListener("pause", () => {
        const on = [...document.querySelectorAll(".listen audio")].find((a) => !a.paused && !a.muted);
        if (on) window.swaps.push(on.currentTime - audio.currentTime);
    }));
}"""
STATE = """() => [...document.querySelectorAll(".listen audio")].map(
    ({ paused, muted, currentTime, volume }) => ({ paused, muted, time: currentTime, volume }))"""


def heard(page: Any) -> list[int]:
    """Which sounds can be heard."""
    states = page.evaluate(STATE)
    return [n for n, state in enumerate(states) if not state["paused"] and not state["muted"]]


def wait_until_heard(page: Any, number: int) -> None:
    page.wait_for_function(
        f"""() => [...document.querySelectorAll(".listen audio")].every(
            (a, n) => (!a.paused && !a.muted) === (n === {number}))""",
        timeout=30000,
    )


def wait_until_played(page: Any, number: int, time_s: float) -> None:
    """Wait until a sound has come to a time; it goes on playing."""
    page.wait_for_function(
        f"() => document.querySelectorAll('.listen audio')[{number}].currentTime >= {time_s}"
    )


@pytest.fixture
def page(visit: Any) -> Any:
    opened = visit(PAGE)
    opened.evaluate(WATCH)
    yield opened
    assert opened.faults == []
    opened.close()


def play(page: Any) -> Any:
    return page.get_by_role("button", name="Play")


# -- the page itself --------------------------------------------------------------------------------


def test_each_sound_has_its_picture_and_a_plain_player(small: Any) -> None:
    html = small.page(PAGE)
    assert html.count('<div class="sound" ') == 3
    assert len(re.findall(r"<audio controls[^>]* aria-label=", html)) == 3
    assert html.count('alt="waves"') == 3
    for src in re.findall(r'<audio[^>]* src="([^"]+)"', html):
        assert (small.html / "method" / src).resolve().is_file()


def test_what_is_made_of_sounds_needs_all_of_them(small: Any) -> None:
    html = small.page(PAGE)
    assert html.count("<p>Made of ") == 1
    assert "There is no picture here. no &lt;encoder&gt;" in html


def test_a_sound_that_could_not_be_made_says_why(small: Any) -> None:
    html = small.page(PAGE)
    absent = html[html.index('class="sound absent"') :]
    assert "There is no sound here. no &lt;encoder&gt;" in absent
    assert "<audio" not in absent


def test_names_stay_text(small: Any) -> None:
    assert 'aria-label="Listen: &lt;changes&gt;"' in small.page(PAGE)


def test_without_scripts_the_players_of_the_browser_are_there(visit: Any) -> None:
    page = visit(PAGE, java_script_enabled=False)
    players = page.locator(".listen audio")
    assert players.count() == 3
    for n in range(3):
        box = players.nth(n).bounding_box()
        assert box and box["height"] > 30 and box["width"] > 200
    assert page.get_by_role("button", name="Play").count() == 0


# -- result pages -----------------------------------------------------------------------------------

RESULT = "results/arousal/correctness_regression"


def test_a_result_page_has_sounds_truth_and_the_answer_of_every_model(small: Any) -> None:
    html = small.page(RESULT)
    part = html[html.index('id="run--listen"') :]
    part = part[: part.index("</section>")]
    assert part.count("<details") == 1  # a condition that changed nothing is left out
    assert part.count("<audio controls") == 2
    text = re.sub(r"<[^>]+>|\s+", " ", part)
    assert "truth 0.25" in re.sub(r" +", " ", text)
    lines = [re.sub(r"<[^>]+>", " ", line).split() for line in re.findall("<tr.*?</tr>", part)]
    assert [line[-2:] for line in lines[1:]] == [["0.20", "0.31"], ["0.20", "0.90"]]
    assert lines[2][0] == "Dice"  # the chance model comes last
    assert 'href="#run--listen">Listen</a>' in html
    for src in re.findall(r'<audio[^>]* src="([^"]+)"', part):
        assert (small.html / RESULT).parent.joinpath(src).resolve().is_file()
    assert 'href="https://example.org/mine"' in part
    assert "--listen" not in small.page("results/arousal/correctness_consistency")


def test_the_player_of_a_result_page_plays(visit: Any) -> None:
    page = visit(RESULT)
    page.locator("details.heard > summary").click()
    assert page.get_by_text("0:00.0 / 0:01.0").count() == 1  # known before anything is loaded
    play(page).click()
    wait_until_heard(page, 0)
    page.keyboard.press("2")
    wait_until_heard(page, 1)
    assert page.evaluate(STATE)[1]["volume"] == pytest.approx(10 ** (-6 / 20), abs=0.01)
    assert page.faults == []


# -- the player -------------------------------------------------------------------------------------


def test_switching_while_playing_keeps_the_position(page: Any) -> None:
    play(page).click()
    wait_until_heard(page, 0)
    wait_until_played(page, 0, 0.3)
    for count, number in enumerate((GAIN, CROP, 0, GAIN), start=1):
        page.keyboard.press(str(number + 1))
        wait_until_heard(page, number)
        wait_until_played(page, number, 0.3 + 0.15 * count)
    swaps = page.evaluate("window.swaps")
    assert len(swaps) == 4
    assert max(map(abs, swaps)) < 0.05, swaps
    assert page.evaluate(STATE)[GAIN]["time"] > 0.3


def test_switching_while_paused_keeps_the_position(page: Any) -> None:
    page.get_by_role("slider", name="Position").fill("2.5")
    page.get_by_role("radio", name="Gain").check()
    assert page.evaluate(STATE)[GAIN]["time"] == pytest.approx(2.5, abs=0.02)
    assert heard(page) == []


def test_the_space_bar_plays_and_pauses(page: Any) -> None:
    page.keyboard.press("2")  # no player was used yet: the key belongs to nobody
    assert page.get_by_role("radio", name="Original").is_checked()
    page.get_by_role("radio", name="Crop end").focus()
    page.keyboard.press("Space")
    wait_until_heard(page, 0)
    page.keyboard.press("3")
    assert page.get_by_role("radio", name="Crop end").is_checked()
    wait_until_heard(page, CROP)
    page.keyboard.press("Space")
    wait_until_heard(page, -1)


def test_keys_outside_of_a_player_belong_to_the_page(page: Any) -> None:
    """WCAG 2.1.4: a key of one character acts only where the focus is."""
    play(page).click()
    wait_until_heard(page, 0)
    page.keyboard.press("2")  # in the player: the button has the focus
    wait_until_heard(page, GAIN)
    page.locator("h1").click()
    page.evaluate("() => { document.body.style.minHeight = '5000px'; scrollTo(0, 0); }")
    page.keyboard.press("3")
    page.keyboard.press("Space")
    page.wait_for_function("() => scrollY > 0")
    assert page.get_by_role("radio", name="Gain").is_checked()
    assert heard(page) == [GAIN]


def test_a_click_in_a_picture_gives_its_player_the_keys(page: Any) -> None:
    page.locator(".listen-frame").nth(GAIN).click()
    page.keyboard.press("3")
    assert page.get_by_role("radio", name="Crop end").is_checked()


def test_keys_in_a_text_field_are_text(page: Any) -> None:
    play(page).click()
    wait_until_heard(page, 0)
    page.evaluate("document.querySelector('article').append(document.createElement('textarea'))")
    page.locator("article textarea").press_sequentially("2 3")
    assert page.locator("article textarea").input_value() == "2 3"
    assert heard(page) == [0]


def test_all_sounds_are_equally_loud_unless_asked_otherwise(page: Any) -> None:
    levels = [state["volume"] for state in page.evaluate(STATE)]
    # the gain example has half the amplitude of the others, so it is the softest
    assert levels == pytest.approx([0.5, 1, 0.5], abs=0.01)
    page.get_by_role("checkbox", name="Same loudness").uncheck()
    assert [state["volume"] for state in page.evaluate(STATE)] == [1, 1, 1]


def test_the_end_stops_and_play_begins_again(page: Any) -> None:
    page.get_by_role("slider", name="Position").fill("3.8")
    play(page).click()
    page.wait_for_function("() => document.querySelector('.listen audio').ended", timeout=30000)
    assert heard(page) == []
    play(page).click()
    wait_until_heard(page, 0)
    assert page.evaluate(STATE)[0]["time"] < 1.0


def test_a_click_in_a_picture_goes_there(page: Any) -> None:
    frame = page.locator(".listen-frame").nth(GAIN)
    box = frame.bounding_box()
    frame.click(position={"x": box["width"] * 0.5, "y": 20})
    assert page.get_by_role("radio", name="Gain").is_checked()
    # the axis goes from 9 % to 96 % of the width and from 0 to 4 s
    assert page.evaluate(STATE)[GAIN]["time"] == pytest.approx(4 * 0.41 / 0.87, abs=0.05)


def test_names_roles_and_sizes(visit: Any) -> None:
    page = visit(PAGE, 390)
    group = page.get_by_role("group", name="Listen: <changes>")
    assert group.count() == 1
    assert group.get_by_role("radio").count() == 3
    assert group.get_by_role("group", name="Sound").count() == 1
    assert play(page).get_attribute("aria-keyshortcuts") == "Space"
    assert page.get_by_role("slider", name="Position").get_attribute("aria-valuetext")
    targets = page.evaluate(
        """() => [...document.querySelectorAll(".listen-bar button, .listen-bar label")].map((node) => {
            const box = node.getBoundingClientRect();
            return [box.height, box.right - innerWidth];
        })"""
    )
    assert min(height for height, _ in targets) >= 44
    assert max(right for _, right in targets) <= 0
    page.get_by_role("radio", name="Gain").focus()
    page.keyboard.press("ArrowDown")
    outline = "node => getComputedStyle(node.closest('label')).outlineStyle"
    assert page.get_by_role("radio", name="Crop end").evaluate(outline) == "solid"


def test_no_fault_that_axe_knows(visit: Any) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page = visit(PAGE)
    found = axe.Axe().run(page, context=".listen").response["violations"]
    assert not found, [(fault["id"], fault["nodes"][0]["html"]) for fault in found]
