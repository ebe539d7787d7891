"""Downloads, provenance pages and stale marks of the small site."""

from __future__ import annotations

import html
import json
import re
from typing import Any

import pandas as pd
import pyarrow.parquet
import yaml

from common import results
from common.core import files
from common.results import history
from common.results.manifest import Manifest

OWN = "results/arousal/model/alpha"
PROVENANCE = "results/arousal/provenance/alpha"


def valid(value: Any, schema: dict[str, Any], place: str = "$") -> None:
    """Check a value against the parts of JSON Schema that the site's schema uses."""
    known = {"type", "required", "properties", "items", "enum", "const", "minimum"}
    known |= {"additionalProperties", "description"}
    assert set(schema) <= known, (place, set(schema) - known)
    kinds = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
    kinds |= {"integer": int, "number": (int, float)}
    names = schema.get("type", [])
    names = [names] if isinstance(names, str) else names
    if names:
        fits = [isinstance(value, kinds[n]) for n in names]
        assert any(fits) and (not isinstance(value, bool) or "boolean" in names), (place, value)
    assert "const" not in schema or value == schema["const"], place
    assert "enum" not in schema or value in schema["enum"], (place, value)
    assert "minimum" not in schema or value is None or value >= schema["minimum"], place
    if isinstance(value, dict):
        assert set(schema.get("required", ())) <= set(value), place
        for name, item in value.items():
            part = schema.get("properties", {}).get(name, schema.get("additionalProperties", {}))
            valid(item, part, f"{place}.{name}")
    if isinstance(value, list) and "items" in schema:
        for number, item in enumerate(value):
            valid(item, schema["items"], f"{place}[{number}]")


def test_json_files_follow_the_schema(small: Any) -> None:
    folder = small.html / "data"
    schema = json.loads((folder / "schema.json").read_text("utf-8"))
    for name, part in schema["$defs"].items():
        paths = list(folder.rglob(name))
        assert paths
        for path in paths:
            valid(json.loads(path.read_text("utf-8")), part)


def test_parquet_and_csv_hold_the_same(small: Any) -> None:
    folder = small.html / "data"
    table = pyarrow.parquet.read_table(folder / "results.parquet")
    assert table.schema.metadata[b"version"] == b"3"
    packed = table.to_pandas()
    plain = pd.read_csv(folder / "results.csv", dtype=str, keep_default_na=False)
    assert list(packed) == list(plain) and len(packed) == len(plain)
    assert packed["key"].tolist() == plain["key"].tolist()
    values = plain["value"].where(plain["value"] != "").astype(float)
    assert packed["value"].equals(values)
    own = plain[plain.source == "run"]
    assert own["key"].str.startswith("arousal/").all()
    assert set(plain[plain.source == "published"]["key"]) == {""}


def test_each_model_has_a_card_and_a_badge(small: Any) -> None:
    data = small.html / "data"
    card = (data / "cards" / "model" / "alpha.md").read_text("utf-8")
    block = yaml.safe_load(card.split("---\n")[1])
    assert block["license"] == "mit" and block["model-index"][0]["results"]
    badge = (data / "badges" / "model" / "arousal" / "alpha.svg").read_text("utf-8")
    assert "66.7 %, chance 66.7 %" in badge
    page = small.page(OWN)
    for file in ("cards/model/alpha.md", "badges/model/arousal/alpha.svg"):
        assert f"data/{file}" in page
    assert (data / "cards" / "published" / "wavlm.md").exists()


def stale_site(new_site: Any) -> Any:
    """A site with results of declared tests and data, made by an older program."""
    site = new_site("alpha")
    path = site.folders.manifest("arousal", "alpha")
    manifest = Manifest.read(path)
    manifest.cells = {
        "correctness_regression/mine": {
            "hash": "0123",
            "status": "done",
            "figures": {},
            "made_of": {"dataset_version": "2.0.0", "seed": 3, "code": "abcd", "test": "ef01"},
        }
    }
    path.write_text(manifest.to_json())
    return site


def test_cells_link_to_their_provenance(new_site: Any) -> None:
    site = stale_site(new_site)
    assert site.build()["built"]
    page = site.page(PROVENANCE)
    assert "python build.py explain arousal/alpha/correctness_regression/mine" in page
    assert "given <code>--catalog</code>, <code>--output</code> or <code>--cache</code>" in page
    assert str(site.folders.output) not in page
    for text in ("0123", "abcd", "ef01", "seed 3", "2.0.0"):
        assert text in page, text
    table = site.page("results/arousal/correctness_regression")
    links = re.findall(r'<a class="from" href="([^"]+)"', table)
    own = {link for link in links if "alpha" in link}
    assert own == {"provenance/alpha.html#cell--correctness-regression--mine"}, own
    assert 'id="cell--correctness-regression--mine"' in page
    # published scores have no provenance here
    assert 'class="from"' not in site.page("results/arousal/published/wavlm")


def test_a_score_of_a_model_leads_to_what_it_was_made_from(new_site: Any, browser: Any) -> None:
    site = stale_site(new_site)
    site.build()
    page = browser.new_page()
    page.goto(f"file://{site.html}/{OWN}.html#worst-1")
    link = page.locator("tr:has(#worst-1) a.from")
    assert link.inner_text() == "0.30"
    assert link.get_attribute("href") == (
        "../provenance/alpha.html#cell--correctness-regression--mine"
    )
    assert page.locator("table.all-cells a.from").count() == 3  # of the test that is traced
    page.close()


def test_stale_rows_are_marked_but_not_made_again(new_site: Any, tmp_path: Any) -> None:
    site = stale_site(new_site)
    before = site.result_file("alpha").read_bytes()
    reason = f"the test changed {site.hostile}"
    report = site.build(stale={"arousal/alpha/correctness_regression/mine": [reason]})
    assert report["built"], report
    page = html.unescape(site.page(OWN))
    assert page.count("<small>stale</small>") == 3
    assert f"stale: {reason}" in html.unescape(site.page(PROVENANCE))
    table = pd.read_csv(site.html / "data" / "results.csv", dtype=str, keep_default_na=False)
    own = table[(table.source == "run") & (table.model == "alpha")]
    assert set(own[own.test == "correctness_regression"].stale) == {reason}
    assert set(own[own.test != "correctness_regression"].stale) == {""}
    assert not own.note.str.contains("stale").any()
    assert site.result_file("alpha").read_bytes() == before
    # as soon as they are no longer stale, the marks go
    assert site.build()["built"] and "<small>stale</small>" not in site.page(OWN)


def test_versions_of_a_model_are_compared_on_what_they_share(new_site: Any) -> None:
    site = new_site("alpha")
    folders = site.folders
    history.keep(folders, "arousal", "alpha", "0.9.0")
    folder = folders.version("arousal", "alpha", "0.9.0")
    for path in folder.glob("*.csv"):
        table = results.read_csv(path).assign(model_version="0.9.0")
        table.loc[table.metric == "ccc", "status"] = "fail"
        # a score that the newest version does not have counts for nobody
        more = table.iloc[:1].assign(metric="other", status="pass")
        files.write_text(path, results.to_csv(pd.concat([table, more])))
    manifest = Manifest.read(folder / "manifest.json")
    manifest.model["version"] = "0.9.0"
    (folder / "manifest.json").write_text(manifest.to_json())
    assert site.build()["built"]
    page = site.page(OWN)
    part = page[page.index('id="versions"') :]
    rows = re.findall(r"<tr><th scope=\"row\">(.*?)</tr>", part.partition("</table>")[0])
    cells = [re.sub(r"<[^>]+>", " ", row).split() for row in rows]
    assert [row[:6] for row in cells] == [
        ["0.9.0", "33.3", "%", "1", "/", "3"],
        ["1.0.0", "66.7", "%", "2", "/", "3"],
    ]
    assert 'role="img" aria-label="Share of passed scores' in part
    assert "build.py compare alpha@0.9.0 alpha" in part
    # a model with one version has no such section
    assert 'id="versions"' not in site.page("results/arousal/model/dice")
