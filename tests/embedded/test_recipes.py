"""The built-in recipes as a whole, and what the texts say about them."""

from __future__ import annotations

import re

import pytest
import yaml

from common.core import paths
from common.samples.demo import corpus, excerpt, recipes, templates

PAGE = (paths.DOCS / "reference" / "embedded_data.rst").read_text("utf-8")
GUIDE = (paths.DOCS / "howto" / "make_sentiment_data.rst").read_text("utf-8")


@pytest.mark.parametrize("recipe", recipes.choose(), ids=lambda recipe: recipe.id)
def test_a_recipe_is_what_its_page_says(recipe: corpus.CorpusRecipe) -> None:
    (number,) = re.findall(rf"\* - ``{recipe.id}``\n +- (\d+)\n", PAGE)
    assert int(number) == len(recipe.items())
    assert recipe.license == "CC0-1.0"
    assert recipe.synthesiser in (paths.REPOSITORY / "pyproject.toml").read_text("utf-8")
    whole = recipe.whole if isinstance(recipe, excerpt.Excerpt) else recipe
    assert recipe.source.endswith(str(whole.origin.relative_to(paths.REPOSITORY)))
    text = f"{recipe.description} {recipe.label}"
    assert "Demo" in text
    assert "or demonstration only" in text
    if recipe.synthesiser:
        assert "says nothing about how a model does with people" in text


def test_choice_keeps_the_order_of_the_files() -> None:
    every = [recipe.id for recipe in recipes.choose()]
    assert every == sorted(every)
    assert [recipe.id for recipe in recipes.choose(every[::-2])] == sorted(every[::-2])
    assert recipes.choose([]) == []


def test_the_example_of_the_guide_works(tmp_path: paths.Path) -> None:
    block = GUIDE[GUIDE.index("   sentiments:") : GUIDE.index(".. list-table")]
    content = yaml.safe_load(block)
    path = tmp_path / "own.yaml"
    path.write_text(yaml.safe_dump(content), "utf-8")
    found = list(templates.sentences(templates.load(path)))
    assert len(found) == 3 * content["number"]
    table = templates.to_csv(found).splitlines()
    shown = GUIDE[GUIDE.index("   file,language") : GUIDE.index("3 Speak them")].split()
    assert table[0] == shown[0]
    fields = {*templates.Templates.model_fields, *templates.Words.model_fields}
    for field in fields - {"id", "origin", "builtin", "languages"}:
        assert f"``{field}``" in GUIDE
