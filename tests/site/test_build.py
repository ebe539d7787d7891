"""The website as a whole: what it says, that it is reproducible, and what it does about faults."""

from __future__ import annotations

import json
import pickle
import posixpath
import re
import shutil
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pandas as pd
import pytest

from common import results
from common.core import closure
from common.core.closure import STOPS
from common.pages import identity

RANKING = "results/arousal/index"
TEST = "results/arousal/correctness_regression"
OWN = "results/arousal/model/alpha"
PAPER = "results/arousal/published/wavlm"


class Tags(HTMLParser):
    """All tags with their attributes, and the text of a page."""

    def __init__(self, html: str):
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", "".join(self.words))


def text(html: str) -> str:
    return Tags(html).text


def lines(html: str) -> list[str]:
    """Text of all table rows."""
    return [text(row).strip() for row in re.findall(r"<tr.*?</tr>", html, re.DOTALL)]


# -- what the pages say -------------------------------------------------------------------------


def table_of(html: str, section: str) -> str:
    """First table after an id."""
    rest = html[html.index(f'id="{section}"') :]
    return rest[rest.index("<table") : rest.index("</table>")]


def test_every_page_is_reached_from_the_start(small: Any) -> None:
    """Sphinx does not know generated pages, so it cannot tell of one that nothing leads to."""
    pages = {path.relative_to(small.html).as_posix() for path in small.html.rglob("*.html")}
    reached: set[str] = set()
    following = ["index.html"]
    while following:
        place = following.pop()
        if place in pages - reached:
            reached.add(place)
            links = re.findall(r'href="([^"#?]+)', (small.html / place).read_text("utf-8"))
            folder = posixpath.dirname(place)
            following += [
                posixpath.normpath(posixpath.join(folder, unquote(link))) for link in links
            ]
    assert len(pages) > 30 and pages - reached == {"404.html"}


def test_ranking_shows_rank_share_chance_and_common_tests(small: Any) -> None:
    table = table_of(small.page(RANKING), "published")
    head, *rest = [line for line in lines(table) if "%" in line or "Ranks" in line]
    assert head == "ModelRanksScoreBeyond chanceCorrectnessFairnessCells passedExecuted"
    # the mean of 8 of 9 in one family and 28 of 28 in the other; nobody can be told apart
    # from two tests on four datasets
    assert rest[0].startswith("w2v2-L 1–494.4 % 88.9 %88.9 % 100.0 % 36 / 37")
    assert re.match(r"random-gaussianchance model 50.0 % 0.0 %0.0 % 100.0 %", rest[-1])
    shown = text(small.page(RANKING))
    assert "Cannot tell which model is best" in shown
    assert "with fewer than 6 pairs of test and dataset in common" in shown
    assert "A chance model passes every fairness test, without listening." in shown


def test_the_shares_of_the_paper_stand_below(small: Any) -> None:
    table = table_of(small.page(RANKING), "published-counted")
    first, *rest = [line for line in lines(table) if "%" in line]
    # w2v2-L passes 36 of 37 executed cells of these two tests: 8 of 9 and 28 of 28
    assert first.startswith("1w2v2-L 97.3 % 36 / 37 8 94.4 % 88.9 % 100.0 %")
    assert rest[-1].startswith("–random-gaussian")
    assert "chance model" in rest[-1]
    assert [line[0] for line in rest[:-1]] == ["2", "2", "4"]


def test_one_model_is_not_ranked(small: Any) -> None:
    html = small.page(RANKING)
    own = text(html[html.index('id="run"') : html.index('id="published"')])
    assert "There is no other model to compare it with." in own
    assert "nan" not in own.lower()


def test_ties_share_a_place_and_both_definitions_are_shown(small: Any) -> None:
    html = small.page(RANKING)
    assert "Mean over tests" in text(html)
    assert "pools all cells of a model" in text(html)


def test_results_on_other_data_stand_apart(small: Any) -> None:
    shown = text(small.page(RANKING))
    assert shown.index("Own runs") < shown.index("Published results")
    assert "because it is based on other data" in shown


def test_model_page_counts_verdicts(small: Any) -> None:
    assert "2 passed, 1 failed, share as in the paper: 66.7 %." in text(small.page(OWN))
    assert "1 skipped, without a verdict." in text(small.page(OWN))
    assert "1 ended in an error." in text(small.page(OWN))
    assert "34 passed, 3 failed, share as in the paper: 91.9 %." in text(small.page(PAPER))


def test_cells_have_value_verdict_and_n(small: Any) -> None:
    html = small.page(TEST)
    own = html[html.index('id="run"') : html.index('id="published"')]
    assert "passes if CCC > 0.5" in text(own)
    assert "passes if MAE < 0.1" in text(own)
    (ccc,) = re.findall(r'<td class="p"[^>]*>0\.5004.*?</td>', own)[:1]
    assert " <b>pass</b>" in ccc
    assert re.search(r'<td class="f">0\.30 <b>fail</b>', own)
    assert "1\u202f200" in own  # n


def test_a_rounded_value_never_meets_its_threshold(small: Any) -> None:
    """0.5004 passes > 0.5; shown as 0.500 it would look wrong."""
    assert "0.5004" in small.page(TEST)


def test_full_precision_is_one_hover_away(small: Any) -> None:
    assert 'title="0.7512345678901234"' in small.page(TEST)


def test_published_cells_say_that_n_is_unknown(small: Any) -> None:
    html = small.page(TEST)
    assert "n not published" in html[html.index('id="published"') :]


def test_skips_and_errors_are_explained(small: Any) -> None:
    html = small.page("results/arousal/correctness_speaker_ranking")
    assert " <b>skipped</b>" in html
    assert "2 speakers with 10 samples, 6 needed (2 cells)" in text(html)
    assert " <b>error</b>" in small.page("results/arousal/correctness_consistency")


def test_what_was_not_run_is_listed(small: Any) -> None:
    for page in (TEST, OWN):
        assert "Not run, so neither passed nor failed: far-away" in text(small.page(page))
        assert "dataset unavailable: 'far-away' is not here" in text(small.page(page))


def test_figures_have_text_alternatives(small: Any) -> None:
    for page in (TEST, OWN):
        images = [
            a
            for tag, a in Tags(small.page(page)).tags
            if tag == "img" and "visualization" in a["src"]
        ]
        assert images
        assert {image["alt"] for image in images} == {"rising dots"}
        for image in images:
            assert (small.html / page).parent.joinpath(image["src"]).is_file()


def test_every_place_shows_the_same_score_of_a_model(small: Any) -> None:
    """Ranking, results, model page, comparison, badge and card: no second definition."""
    name = "published/w2v2-L"
    badge, card = (
        (small.html / "data" / file).read_text("utf-8")
        for file in ("badges/published/arousal/w2v2-L.svg", "cards/published/w2v2-L.md")
    )
    texts = {
        "ranking": table_of(small.page(RANKING), "published"),
        "results": small.page("results/index"),
        "model page": small.page(f"results/arousal/{name}").split("All executed cells")[0],
        "comparison": small.page("results/arousal/comparison/w2v2-L_hubert-L_wavlm_data2vec"),
        "badge": badge,
        "card": card,
    }
    for place, shown in texts.items():
        assert "94.4 %" in shown, place
        assert "97.3 %" not in shown, f"{place}: the share of the paper"


def test_a_published_model_is_not_anonymous(small: Any) -> None:
    html = small.page("results/arousal/published/w2v2-L")
    assert "Built on wav2vec 2.0 large (Meta AI, about 317 million parameters)." in text(html)
    assert '<a href="https://arxiv.org/abs/2006.11477">' in html
    identity = text(html.partition("</dl>")[0])
    weights = "pre-trained (not stated which): huggingface.co/facebook/wav2vec2-large or "
    assert f"fine-tuned ones are not published; {weights}" in identity
    assert "of the pre-trained weights: Apache-2.0" in identity
    assert '<a href="https://huggingface.co/facebook/wav2vec2-large">huggingface.co/' in html
    card = (small.html / "data/cards/published/w2v2-L.md").read_text("utf-8")
    assert "* License: of the pre-trained weights: Apache-2.0\n" in card
    assert "* Weights: fine-tuned ones are not published" in card and "license:" not in card
    chance = small.page("results/arousal/published/random-gaussian")
    assert "Built on" not in chance
    assert "<code>python build.py report w2v2-L --pdf</code>" in html


def test_comparison_starts_with_the_overall_score(small: Any) -> None:
    html = small.page("results/arousal/comparison/w2v2-L_hubert-L_wavlm_data2vec")
    rows = lines(html)
    assert rows[1].startswith("Score 94.4 % ")
    # wavlm fails three cells, of which w2v2-L fails one
    changed = html[html.index('id="changed--wavlm"') : html.index('id="changed--data2vec"')]
    assert "37 cells have a verdict for both models." in text(changed)
    assert "✓ 0 fail for w2v2-L and pass for wavlm; ✗ 2 the other way round" in text(changed)
    assert len(re.findall("<tr>", changed)) == 1 + 2


# -- nothing from data is markup or path ----------------------------------------------------------


def test_hostile_names_stay_text(small: Any) -> None:
    found = 0
    for path in small.html.rglob("*.html"):
        html = path.read_text("utf-8")
        assert "alert(1)</script>" not in html, path
        found += "alert(1)&lt;/script&gt;" in html
        for tag, attributes in Tags(html).tags:
            assert not any(name.startswith("on") for name in attributes), (path, tag, attributes)
    assert found > 5
    assert small.hostile in text(small.page("results/arousal/correctness_consistency"))


def test_headings_do_not_reach_the_search_as_tags(small: Any) -> None:
    titles = (small.html / "_static" / "search-index.js").read_text("utf-8")
    assert "‹script›" in titles
    assert "<" not in titles


# -- offline --------------------------------------------------------------------------------------


def addresses(html: str) -> Iterator[str]:
    """Everything that a browser loads for a page."""
    for tag, attributes in Tags(html).tags:
        if tag in ("script", "img", "audio", "source", "video", "iframe") and attributes.get("src"):
            yield attributes["src"] or ""
        if tag == "link" and attributes.get("href"):
            yield attributes["href"] or ""


def test_nothing_is_loaded_from_elsewhere(small: Any) -> None:
    for path in small.html.rglob("*.html"):
        if path.parent.name == "_static":
            continue
        for address in addresses(path.read_text("utf-8")):
            assert not re.match(r"(https?:)?//", address), (path, address)
            assert (path.parent / re.split(r"[?#]", address)[0]).exists(), (path, address)
    for path in small.html.rglob("*.css"):
        assert not re.search(r"(url\(|@import)\s*[\"']?(https?:)?//", path.read_text("utf-8")), path


def test_every_link_inside_the_site_leads_somewhere(small: Any) -> None:
    ids = {
        path: {a["id"] for _, a in Tags(path.read_text("utf-8")).tags if a.get("id")}
        for path in small.html.rglob("*.html")
        if path.parent.name != "_static"
    }
    for path in ids:
        for tag, attributes in Tags(path.read_text("utf-8")).tags:
            href = attributes.get("href") if tag == "a" else None
            if not href or re.match(r"[a-z]+:", href):
                continue
            name, _, place = href.partition("#")
            goal = (path.parent / name).resolve() if name else path
            assert goal.exists(), (path, href)
            # after "#?" stands a choice of the reader, which a script reads
            assert not place or place[0] == "?" or place in ids[goal], (path, href)


def test_formulas_are_mathml(small: Any) -> None:
    html = small.page("index")
    assert html.count("<math ") == 2
    assert "<mfrac>" in html and "<msqrt>" in html
    assert 'encoding="application/x-tex"' in html
    assert "MathJax" not in html


def test_criteria_tables_are_within_reach_of_prose(small: Any) -> None:
    assert "Concordance Correlation Coeff 0.5" in lines(small.page("index"))


# -- data -----------------------------------------------------------------------------------------


def test_downloads_hold_every_row_in_full_precision(small: Any) -> None:
    folder = small.html / "data"
    table = pd.read_csv(folder / "results.csv", dtype=str, keep_default_na=False)
    own = table[table["source"] == "run"].drop(columns="source").reset_index(drop=True)
    written = results.read_all(small.folders.method_tests)
    assert own["value"].tolist() == ["" if v != v else repr(v) for v in written["value"]]
    one = results.read_csv(folder / "results" / "arousal" / "model" / "alpha.csv")
    assert one.equals(written[written["model"] == "alpha"].reset_index(drop=True))


def test_compact_json_is_the_same_table(small: Any) -> None:
    folder = small.html / "data"
    whole = pd.read_csv(folder / "results.csv", dtype=str, keep_default_na=False)
    for target, table in whole.groupby("target"):
        content = json.loads((folder / "results" / target / "rows.json").read_text("utf-8"))
        assert content["rows"] == len(table)
        for name, texts in content["texts"].items():
            assert [texts[code] for code in content["columns"][name]] == table[name].tolist()
        values = ["" if v is None else repr(v) for v in content["columns"]["value"]]
        assert values == table["value"].tolist()
        sizes = ["" if v is None else str(v) for v in content["columns"]["n"]]
        assert sizes == table["n"].tolist()


def test_schema_describes_the_files(small: Any) -> None:
    folder = small.html / "data"
    schema = json.loads((folder / "schema.json").read_text("utf-8"))
    compact = json.loads((folder / "results" / "arousal" / "rows.json").read_text("utf-8"))
    models = json.loads((folder / "models.json").read_text("utf-8"))
    described = schema["$defs"]["rows.json"]["properties"]
    assert compact["version"] == models["version"] == schema["version"]
    assert list(compact["columns"]) == list(described["columns"]["properties"])
    assert set(compact["texts"]) == set(described["texts"]["properties"])
    entry = schema["$defs"]["models.json"]["properties"]["models"]["items"]
    assert all(set(model) == set(entry["properties"]) for model in models["models"])
    for model in models["models"]:
        assert (small.html / model["page"]).is_file()
        assert (small.html / model["rows"]).is_file()


# -- building again -------------------------------------------------------------------------------


def test_same_bytes_in_another_folder_with_another_hash_seed_and_more_processes(
    small: Any, new_site: Callable[..., Any]
) -> None:
    other = new_site("alpha")
    assert other.build(seed=2, workers=3)["built"]
    first, second = small.files(), other.files()
    assert sorted(first) == sorted(second)
    assert [name for name in first if first[name] != second[name]] == []


def test_nothing_to_do_is_recognised(small: Any) -> None:
    small.build()
    before = {path: path.stat().st_mtime_ns for path in small.html.rglob("*")}
    report = small.build()
    assert not report["built"]
    assert {path: path.stat().st_mtime_ns for path in small.html.rglob("*")} == before


@pytest.mark.parametrize(
    ("trace", "starts"), [("site", identity.RENDERING), ("pages", [identity.RESULTS])]
)
def test_no_module_that_makes_pages_is_missing_from_their_identity(
    new_site: Callable[..., Any], trace: str, starts: list[str]
) -> None:
    report = new_site("alpha").build(trace=trace)
    seen = {name for name in report["seen"] if closure.SOURCES.modules(name)} - STOPS
    assert {"benchmark_site.tables", "common.results.published"} <= seen
    assert seen - set(closure.SOURCES.modules(*starts)) == set()


def test_changes_touch_few_pages_and_end_where_a_clean_build_ends(
    small: Any, new_site: Callable[..., Any]
) -> None:
    """A model less, a value changed, a page lost: the outcome is that of a clean build."""
    site = new_site("alpha", "beta")
    assert site.build()["built"]
    assert "beta" in site.page(RANKING)
    times = {path: path.stat().st_mtime_ns for path in site.html.rglob("*.html")}
    shutil.rmtree(site.folders.method_tests / "arousal" / "beta")
    shutil.rmtree(site.folders.media / "arousal" / "beta")
    (site.html / "results" / "emotion" / "index.html").unlink()
    report = site.build()
    assert report["removed"] == [
        "results/arousal/comparison/run.html",
        "results/arousal/model/beta.html",
        "results/arousal/provenance/beta.html",
    ]
    before, after = small.files(), site.files()
    assert sorted(before) == sorted(after)
    assert [name for name in before if before[name] != after[name]] == []
    touched = {p for p, time in times.items() if p.exists() and p.stat().st_mtime_ns != time}
    names = {path.relative_to(site.html).as_posix() for path in touched}
    assert f"{PAPER}.html" not in names
    assert f"{TEST}.html" in names
    assert "results/emotion/index.html" in names


def test_a_moved_repository_is_no_trouble(small: Any) -> None:
    """Sphinx remembers absolute paths; they must not outlive the place they name."""
    docs = small.docs
    moved = docs.with_name("moved")
    before = small.files()
    try:
        small.docs = docs.rename(moved)
        assert small.build().get("built") is True
        assert small.files() == before
    finally:
        small.docs = moved.rename(docs)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_warning_is_an_error_each_time(new_site: Callable[..., Any], workers: int) -> None:
    site = new_site()
    page = site.docs / "method" / "correctness_regression.rst"
    page.write_text("Regression\n==========\n\n:doc:`nowhere` and :math:`\\foo{x}`.\n")
    for _ in range(2):
        head, *warnings = site.build(workers=workers)["error"].splitlines()
        assert head == "website: 2 warnings from Sphinx"
        assert sorted(line.split(": WARNING: ")[0] for line in warnings) == [
            "docs/method/correctness_regression.rst:4",
            "docs/method/correctness_regression.rst:4",
        ]
        assert any("unknown document: 'nowhere'" in line for line in warnings)
        assert any("formula cannot be converted" in line for line in warnings)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_broken_result_file_is_named(new_site: Callable[..., Any], workers: int) -> None:
    site = new_site("alpha")
    site.result_file("alpha").write_text("no,result\n1,2\n")
    error = site.build(workers=workers)["error"]
    assert re.fullmatch(r"\S+/alpha/correctness_regression.csv: not a result file, .*", error)


@pytest.fixture(scope="module")
def empty(new_site: Callable[..., Any]) -> Any:
    site = new_site()
    shutil.rmtree(site.folders.method_tests)
    return site


def test_a_site_without_own_results(empty: Any) -> None:
    assert empty.build()["built"]
    assert "Own runs" not in text(empty.page(RANKING))
    assert "No model was tested yet." in text(empty.page("results/dominance/index"))


# -- an output folder that somebody else has filled ----------------------------------------------


class Code:
    """Leaves a mark when its pickle is loaded."""

    def __init__(self, mark: Path):
        self.mark = mark

    def __reduce__(self) -> Any:
        return Path.touch, (self.mark,)


def test_nothing_in_an_output_folder_is_run(new_site: Callable[..., Any], tmp_path: Path) -> None:
    site, mark = new_site("alpha"), tmp_path / "mark"
    assert site.build()["built"]
    expected = site.files()
    pickled = pickle.dumps(Code(mark))
    remembered = [path.name for path in site.cache.rglob("*.pickle")]
    assert "environment.pickle" in remembered
    for folder in ("build", "build/source", "build/html", "build/html/.doctrees"):
        for name in ("environment.pickle", "index.doctree"):
            path = site.root / folder / "doctrees" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(pickled)
    page = f"Evil\n====\n\n.. plot::\n\n   open({str(mark)!r}, 'w').close()\n"
    for folder in ("build/source/results", "build/source/extra", "extra/media", "method-tests"):
        (site.root / folder).mkdir(parents=True, exist_ok=True)
        (site.root / folder / "evil.rst").write_text(page)
    (site.root / "build" / "site.json").write_text('{"docs": "elsewhere"}')
    report = site.build()
    assert report.get("built"), report
    assert not mark.exists()
    assert not (site.root / "build" / "doctrees").exists()
    found = {name: data for name, data in site.files().items() if name in expected}
    assert found == expected


def test_a_moved_output_is_built_as_a_new_one(new_site: Callable[..., Any]) -> None:
    """What Sphinx remembers of a place is not that of the site which lies there now."""
    site, other = new_site("alpha"), new_site("alpha", "beta")
    assert site.build()["built"] and other.build()["built"]
    expected = site.files()
    shutil.rmtree(other.root)
    shutil.copytree(site.root, other.root)
    shutil.rmtree(other.cache)
    shutil.copytree(site.cache, other.cache)
    other.folders.build.joinpath("site.json").write_text("[]")
    assert other.build()["built"]
    assert other.files() == expected


def test_websites_that_are_gone_are_forgotten(new_site: Callable[..., Any], tmp_path: Path) -> None:
    site = new_site()
    gone = site.cache / "speechproof" / "site" / "gone"
    gone.mkdir(parents=True)
    (gone / "place.txt").write_text(str(tmp_path / "nowhere"))
    assert site.build()["built"]
    assert not gone.exists()
    assert len(list(gone.parent.iterdir())) == 1
