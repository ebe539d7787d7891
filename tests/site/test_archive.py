"""The data set of the site as one archive."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from typing import Any

from benchmark_site import archive

from common.core import archives, paths

FILE = f"data/{archive.NAME}"


def test_the_archive_has_everything_and_explains_it(small: Any) -> None:
    with zipfile.ZipFile(small.html / FILE) as packed:
        names = packed.namelist()
        assert names == sorted(names)
        assert {entry.date_time for entry in packed.infolist()} == {archives.DATE}
        read = {n.removeprefix(f"{archive.ROOT}/"): packed.read(n) for n in names}
    for name in ("results.csv", "models.json", "schema.json"):
        assert read[name] == (small.html / "data" / name).read_bytes()
    manifest = small.folders.manifest("arousal", "alpha")
    assert read["manifests/arousal/alpha/manifest.json"] == manifest.read_bytes()
    assert read["criteria/arousal/correctness_regression.csv"].startswith(b"Test,Threshold")
    assert b"MIT License" in read["LICENSE"]
    for path in paths.PUBLISHED.glob("*.csv"):
        assert read[f"published/{path.name}"] == path.read_bytes()
    about = read["README.md"].decode()
    head = read["results.csv"].decode().partition("\n")[0]
    for column in head.split(","):
        assert f"| `{column}` | " in about


def test_the_same_content_gives_the_same_bytes() -> None:
    content = {"b": b"2" * 1000, "a": b"1"}
    packed_bytes = archives.packed(content, archive.ROOT)
    assert packed_bytes == archives.packed(dict(reversed(content.items())), archive.ROOT)
    with zipfile.ZipFile(io.BytesIO(packed_bytes)) as packed:
        assert packed.read(f"{archive.ROOT}/b") == content["b"]


def test_it_is_packed_only_where_something_changed(
    new_site: Callable[..., Any],
) -> None:
    site = new_site("alpha")
    site.build()
    before = (site.html / FILE).stat().st_mtime_ns
    with (site.docs / "index.rst").open("a") as page:
        page.write("\nMore text.\n")
    assert site.build()["built"]
    assert (site.html / FILE).stat().st_mtime_ns == before
    site.add_model("beta")
    assert site.build()["built"]
    assert (site.html / FILE).stat().st_mtime_ns > before
