"""The state of the field on the landing page: one heat map of families, models and targets."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

ROW = re.compile(r"<tr>(<th scope=\"row\".*?)</tr>", re.S)
CELL = re.compile(r"<td\b[^>]*>.*?</td>", re.S)
SHARE = re.compile(r'data-sort="([\d.]+)"><a href="([^"]+)">(\d+)</a>')


def heat_map(site: Any, name: str = "Published results") -> str:
    html = site.page("index")
    return str(html[html.index(f'aria-label="{name} at a glance"') :].partition("</table>")[0])


def lines(table: str) -> dict[str, list[str]]:
    """Name of a row -> its cells."""
    rows = {}
    for row in ROW.findall(table):
        head = re.split(r"<small>|</th>", row)[0]
        rows[unescape(re.sub("<[^>]+>", "", head))] = CELL.findall(row)
    return rows


def entries(site: Any) -> list[dict[str, Any]]:
    models = json.loads((site.html / "data" / "models.json").read_text("utf-8"))["models"]
    return [entry for entry in models if entry["board"] == "published"]


def test_cells_average_to_the_score_of_the_ranking(small: Any) -> None:
    rows = lines(heat_map(small))
    count = 0
    for entry in entries(small):
        if entry["chance"] or entry["score"] is None:
            continue
        cells = [SHARE.search(cell) for cell in rows[entry["label"]]]
        of_target = [float(c[1]) for c in cells if c and f"results/{entry['target']}/" in c[2]]
        assert abs(sum(of_target) / len(of_target) - entry["score"]) < 1e-9, entry
        count += 1
    assert count == 8


def test_each_cell_carries_its_number_and_leads_to_its_page(small: Any) -> None:
    table = heat_map(small)
    colours = re.findall(r"--share:([\d.]+)\" data-sort=\"([\d.]+)\"", table)
    links = SHARE.findall(table)
    assert len(colours) == len(links) > 16
    for (colour, share), (_, href, number) in zip(colours, links, strict=True):
        assert abs(float(colour) - float(share)) < 1e-3  # nothing is cut
        assert abs(float(number) - 100 * float(share)) < 1
        assert (small.html / href).exists()


def test_chance_has_a_row_of_its_own_in_which_it_passes_fairness(small: Any) -> None:
    rows = lines(heat_map(small))
    assert list(rows)[-2:] == ["By chance", "May be the best"]
    shares = [float(match[1]) for cell in rows["By chance"] if (match := SHARE.search(cell))]
    chance = [entry["score"] for entry in entries(small) if entry["chance"]]
    assert len(shares) == 4
    assert abs(sum(shares) / 4 - sum(chance) / 2) < 1e-9


def test_no_place_is_given_where_models_cannot_be_told_apart(small: Any) -> None:
    table = heat_map(small)
    assert "<ol" not in small.page("index").partition("<article")[2].partition("</article>")[0]
    assert lines(table)["May be the best"][0].count("4 of 4") == 1


def test_results_on_other_data_have_a_heat_map_of_their_own(small: Any) -> None:
    html = small.page("index")
    assert html.index("Published results at a glance") < html.index("Own runs at a glance")
    assert "must not be compared" in html
    (own,) = [row for name, row in lines(heat_map(small, "Own runs")).items() if "alpha" in name]
    assert SHARE.search(own[0])


def test_the_heat_map_is_read_in_any_light_and_on_a_phone(visit: Any) -> None:
    measure = """() => {
        const bright = (colour) => {
            const context = document.createElement("canvas").getContext("2d");
            context.fillStyle = colour;
            context.fillRect(0, 0, 1, 1);
            const [r, g, b] = [...context.getImageData(0, 0, 1, 1).data]
                .map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        return [...document.querySelectorAll(".field td[data-sort]")].map((cell) => {
            const style = getComputedStyle(cell);
            const box = cell.querySelector("a").getBoundingClientRect();
            return [Number(cell.dataset.sort), bright(style.color), bright(style.backgroundColor), box.width, box.height];
        });
    }"""
    for scheme in ("light", "dark"):
        page = visit("index", 390, color_scheme=scheme)
        cells = sorted(page.evaluate(measure))
        backs = [back for _, _, back, *_ in cells]
        # brightness follows the share without a step or a stop, so no hue is needed to read it
        assert backs == sorted(backs, reverse=scheme == "light")
        for share, front, back, width, height in cells:
            contrast = (max(front, back) + 0.05) / (min(front, back) + 0.05)
            assert contrast >= 4.5 and width >= 24 and height >= 24, (scheme, share, contrast)
        assert page.faults == []
        page.close()
