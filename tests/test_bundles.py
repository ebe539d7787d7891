"""Bundles: packed alike, checked file by file, and no way found to make a model look better."""

from __future__ import annotations

import hashlib
import io
import json
import re
import shutil
import stat
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from common.cli.main import main
from common.core import archives, display, paths
from common.core.errors import ConfigError, DataError
from common.core.paths import Paths
from common.reports.bundles import INDEX, checking, making, recomputing
from common.results import sums, tables
from common.spec import load_benchmark
from tests.conftest import Mini

Content = dict[str, bytes]
REGRESSION = "method-tests/arousal/correctness_regression.csv"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    """Results of a model in every test on data that count as open, and their bundle."""
    root = tmp_path_factory.mktemp("bundles")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(root))
        for module in (making, recomputing):
            patch.setattr(module, "is_open", lambda benchmark, name: name == "tones")
        mini = Mini(root)
        tests = tuple(load_benchmark([mini.catalog], allow_code=True).tests)
        mini.run(models=("loud",), tests=tests)
        engine = mini.engine()
        file = root / "loud.zip"
        made = making.write(engine.benchmark, engine.folders, "loud", file)
        yield SimpleNamespace(
            root=root, benchmark=engine.benchmark, folders=engine.folders, file=file, made=made
        )


@pytest.fixture
def content(results: SimpleNamespace) -> Content:
    with zipfile.ZipFile(results.file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture
def faults(results: SimpleNamespace, tmp_path: Path) -> Callable[[Content], list[str]]:
    """Function that packs files, with a list of hashes that fits, and tells the faults."""

    def look(content: Content) -> list[str]:
        index = json.loads(content[INDEX])
        names = sorted(set(content) - {INDEX})
        index["files"] = {name: hashlib.sha256(content[name]).hexdigest() for name in names}
        file = tmp_path / "forged.zip"
        file.write_bytes(archives.packed({**content, INDEX: json.dumps(index).encode()}))
        return checking.check(results.benchmark, results.folders, file).faults

    return look


def forge(content: Content, name: str, change: Callable[[pd.DataFrame], Any]) -> Content:
    """Change rows, and the hash of them in the manifest."""
    table = tables._parse(content[name].decode(), name)
    changed = change(table)
    table = table if changed is None else changed
    data = tables.to_csv(table).encode()
    place = f"{name.rpartition('/')[0]}/manifest.json"
    manifest = json.loads(content[place])
    test = Path(name).stem
    manifest["tables"][test] = hashlib.sha256(data).hexdigest()
    for key, noted in manifest["cells"].items():
        if key.split("/")[0] == test:
            noted["rows"] = int((table["dataset"] == key.split("/")[1]).sum())
    return {**content, name: data, place: json.dumps(manifest).encode()}


def test_an_honest_bundle_has_no_fault(results: SimpleNamespace) -> None:
    checked = checking.check(results.benchmark, results.folders, results.file)
    assert checked.faults == []
    assert checked.model == "loud 1.0.0"
    assert checked.targets == ["arousal", "emotion"] == results.made["targets"]
    paths = list(results.folders.method_tests.glob("*/loud/*.csv"))
    assert checked.rows == sum(len(tables.read_csv(path)) for path in paths) > 100
    assert checked.recomputed == checked.rows
    assert checked.from_sums > 20


def test_equal_results_give_equal_bytes(results: SimpleNamespace, tmp_path: Path) -> None:
    making.write(results.benchmark, results.folders, "loud", tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == results.file.read_bytes()


def test_open_data_that_were_not_run_are_told(
    results: SimpleNamespace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert results.made["lacking"] == []
    folders = Paths(tmp_path / "out", results.folders.cache)
    shutil.copytree(results.folders.method_tests, folders.method_tests)
    place = folders.manifest("arousal", "loud")
    manifest = json.loads(place.read_text("utf-8"))
    del manifest["cells"]["correctness_distribution/tones"]
    place.write_text(json.dumps(manifest), "utf-8")
    where = [f"--catalog={results.root / 'catalog'}", f"--output={folders.output}"]
    where += [f"--cache={folders.cache}", "--out", str(tmp_path / "loud.zip")]
    assert main(["bundle", "loud", *where]) == 0
    told = capsys.readouterr().out
    assert "check-bundle will refuse it: tones; run them with: python build.py run" in told
    size = (tmp_path / "loud.zip").stat().st_size
    assert size < 1_000_000 and f" {display.size(size)})\n" in told


def test_nothing_but_results_is_in_it(results: SimpleNamespace, content: Content) -> None:
    text = b"\n".join(data for name, data in content.items() if not name.endswith(".parquet"))
    assert str(results.root).encode() not in text
    assert not [name for name in content if name.endswith((".wav", ".py", ".yaml", ".png"))]


def test_a_better_value_is_found(content: Content, faults: Callable[[Content], list[str]]) -> None:
    def better(table: pd.DataFrame) -> None:
        table.loc[table["metric"] == "ccc", ["value", "ci_high"]] = 0.999

    told = faults(forge(content, REGRESSION, better))
    assert any("its sums give" in fault for fault in told)


def test_a_better_value_with_fitting_sums_is_found(
    content: Content, faults: Callable[[Content], list[str]], tmp_path: Path
) -> None:
    (name,) = (
        n for n in content if n.startswith("method-tests/arousal/sums/correctness_regression")
    )
    path = tmp_path / "sums.parquet"
    path.write_bytes(content[name])
    table = sums.read(path)
    mae = table["metric"] == "mae"
    table.loc[mae, "sums"] = table.loc[mae, "sums"].map(lambda part: np.asarray(part) * [1, 0.5])
    sums.write(path, table)
    value = sums.scores(table)["mae", "original", "", ""]

    def better(rows: pd.DataFrame) -> None:
        rows.loc[rows["metric"] == "mae", ["value", "ci_low"]] = value

    told = faults(forge({**content, name: path.read_bytes()}, REGRESSION, better))
    (fault,) = told
    assert "mae" in fault and "recomputed" in fault


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.assign(status=t["status"].replace("fail", "pass")), "give fail, not pass"),
        (lambda t: t.assign(model="other"), "column model: 'other', expected 'loud'"),
        (lambda t: t.assign(n=0), "n: recorded 0, recomputed"),
        (
            lambda t: t.assign(criterion=t["criterion"].where(t["status"] != "pass", "> 0")),
            "criterion > 0, that of the suite is",
        ),
        (lambda t: t.assign(status="great"), "status 'great'; known"),
        (lambda t: pd.concat([t, t.iloc[:1]], ignore_index=True), "a row appears twice"),
        (lambda t: t.assign(ci_low=t["ci_high"] + 1), "ends before it begins"),
    ],
)
def test_forged_rows_are_found(
    content: Content,
    faults: Callable[[Content], list[str]],
    change: Callable[[pd.DataFrame], pd.DataFrame],
    message: str,
) -> None:
    told = faults(forge(content, "method-tests/arousal/correctness_consistency.csv", change))
    assert any(message in fault for fault in told), told


def test_results_that_the_suite_does_not_have_are_found(
    content: Content, faults: Callable[[Content], list[str]]
) -> None:
    """An invented test, an invented metric, and cells that are called errors to hide from the sums."""
    place = "method-tests/arousal/correctness_consistency.csv"
    told = faults(forge(content, place, lambda t: t.assign(metric="great")))
    assert any("unknown metric. Known: samples_in" in fault for fault in told), told
    manifest = json.loads(content["method-tests/arousal/manifest.json"])
    invented = {**content, "method-tests/arousal/zzz.csv": content[place]}
    manifest["tables"]["zzz"] = manifest["tables"]["correctness_consistency"]
    invented["method-tests/arousal/manifest.json"] = json.dumps(manifest).encode()
    told = faults(invented)
    assert any("zzz.csv: unknown test. Known: correctness_" in fault for fault in told), told
    del manifest["tables"]["zzz"]
    for noted in manifest["cells"].values():
        noted["status"] = "error"
    told = faults({**content, "method-tests/arousal/manifest.json": json.dumps(manifest).encode()})
    assert any("the manifest that it ended in an error" in fault for fault in told), told


def test_tables_and_sums_that_would_fill_the_memory_are_refused(
    content: Content, faults: Callable[[Content], list[str]]
) -> None:
    place = next(name for name in content if "/sums/" in name)
    rows, long = 4000, pa.array(["a" * 1_000_000], pa.large_string())
    table = pa.table(
        {"speaker": pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), long)}
    )
    buffer = io.BytesIO()
    pq.write_table(table, buffer, dictionary_pagesize_limit=10**8, store_schema=False)
    told = faults({**content, place: buffer.getvalue()})
    assert any(fault.endswith("cannot be read as sums") for fault in told), told
    # pages of commas, which pack well, but not so well that they are a bomb
    large = b"".join(b"," * 490 + bytes([97 + n % 26]) * 22 for n in range(2**17 + 10))
    noise = np.random.default_rng(0).bytes(len(large) // 400)
    with pytest.raises(DataError, match=r"its .csv files have 6\d MiB in all; at most 64 MiB"):
        faults({**content, "method-tests/arousal/zzz.csv": large + noise})


def test_a_test_that_is_left_out_is_found(
    content: Content, faults: Callable[[Content], list[str]]
) -> None:
    place = "method-tests/arousal/manifest.json"
    manifest = json.loads(content.pop(place))
    del content["method-tests/arousal/correctness_distribution.csv"]
    del manifest["tables"]["correctness_distribution"]
    noted = manifest["cells"].pop("correctness_distribution/tones")
    content.pop(f"method-tests/arousal/sums/{noted['sums']}", None)
    told = faults({**content, place: json.dumps(manifest).encode()})
    assert told == ["method-tests/arousal: correctness_distribution/tones is missing"]


def test_predictions_that_are_not_there_are_found(
    content: Content, faults: Callable[[Content], list[str]]
) -> None:
    rest = {name: data for name, data in content.items() if not name.startswith("predictions/")}
    told = faults(rest)
    assert told and all("cannot be computed again" in fault for fault in told)


def test_other_code_or_data_is_told(
    content: Content, faults: Callable[[Content], list[str]]
) -> None:
    place = "method-tests/arousal/manifest.json"
    manifest = json.loads(content[place])
    manifest["cells"]["correctness_regression/tones"]["made_of"]["code"] = "0" * 16
    (fault,) = faults({**content, place: json.dumps(manifest).encode()})
    assert "the code that scores changed; run the model again with this version" in fault


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m.update(cells=[]),
        lambda m: m.update(tables=None),
        lambda m: m["cells"].update({"correctness_regression/tones": 1}),
        lambda m: m["cells"].update(
            {"correctness_regression/../../tones": {"sums": "tones.parquet"}}
        ),
        lambda m: m["not_run"].update({"/etc/passwd": "no"}),
    ],
)
def test_manifests_that_are_none_are_told(
    content: Content, faults: Callable[[Content], list[str]], change: Callable[[Any], Any]
) -> None:
    place = "method-tests/arousal/manifest.json"
    manifest = json.loads(content[place])
    change(manifest)
    told = faults({**content, place: json.dumps(manifest).encode()})
    assert told == [f"{place}: missing, damaged or of another format"]


def test_notes_of_another_kind_are_told(
    content: Content, faults: Callable[[Content], list[str]]
) -> None:
    place = "method-tests/arousal/manifest.json"
    manifest = json.loads(content[place])
    manifest["cells"]["correctness_regression/tones"]["made_of"]["seed"] = "first"
    (fault,) = faults({**content, place: json.dumps(manifest).encode()})
    assert "correctness_regression.csv: tones: cannot be computed again: ValueError" in fault


def test_predictions_of_another_kind_are_told(
    content: Content, faults: Callable[[Content], list[str]]
) -> None:
    for name in [name for name in content if re.match("predictions/.*parquet", name)]:
        table = pd.read_parquet(io.BytesIO(content.pop(name)))
        values = [column for column in table if column not in ("file", "start", "end")]
        buffer = io.BytesIO()
        table.assign(**dict.fromkeys(values, "high")).to_parquet(buffer)
        data = buffer.getvalue()
        file = f"{hashlib.sha256(data).hexdigest()[:32]}.parquet"
        content[f"{name.rpartition('/')[0]}/{file}"] = data
    told = faults(content)
    assert told and all("cannot be computed again" in fault for fault in told)


def _entry(name: str, data: bytes = b"x", mode: int = 0o644) -> tuple[zipfile.ZipInfo, bytes]:
    entry = zipfile.ZipInfo(name)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = mode << 16
    return entry, data


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ([_entry("../evil.csv")], "does not belong there"),
        ([_entry("/etc/passwd")], "does not belong there"),
        ([_entry("method-tests/../../evil.csv")], "does not belong there"),
        ([_entry("method-tests/arousal/run.py")], "does not belong there"),
        ([_entry(INDEX), _entry(INDEX)], "appears twice"),
        ([_entry(INDEX, b"/etc/passwd", stat.S_IFLNK | 0o777)], "is a link"),
        ([_entry(INDEX, b"0" * 2**26)], "times its size"),
        ([_entry("method-tests/arousal/a.csv")], "is no bundle"),
        ([_entry(INDEX, b"{")], "no JSON"),
        ([_entry(INDEX, b"[]")], "format 'none'"),
        ([_entry(INDEX, b'{"format": "9"}')], "format '9'; this program reads format 1"),
        ([_entry(INDEX, b'{"format": "1", "files": {}}')], "model: expected id and version"),
        (
            [
                _entry(
                    INDEX, b'{"format": "1", "files": {}, "model": {"id": "../x", "version": "1"}}'
                )
            ],
            "is no id of a model",
        ),
        (
            [
                _entry(
                    INDEX, b'{"format": "1", "files": {}, "model": {"id": "x\\n", "version": "1"}}'
                )
            ],
            "is no id of a model",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_archives_of_others_are_refused_in_one_line(
    results: SimpleNamespace,
    tmp_path: Path,
    entries: list[tuple[zipfile.ZipInfo, bytes]],
    message: str,
) -> None:
    file = tmp_path / "hostile.zip"
    with zipfile.ZipFile(file, "w") as archive:
        for entry, data in entries:
            archive.writestr(entry, data)
    before = sorted(results.root.rglob("*"))
    with pytest.raises(DataError, match=re.escape(message)) as caught:
        checking.check(results.benchmark, results.folders, file, unpack=True)
    assert "\n" not in str(caught.value)
    assert sorted(results.root.rglob("*")) == before
    assert not (tmp_path.parent / "evil.csv").exists()


def test_what_is_no_archive_or_damaged_is_told(results: SimpleNamespace, tmp_path: Path) -> None:
    file = tmp_path / "bundle.zip"
    with pytest.raises(DataError, match="no such file"):
        checking.check(results.benchmark, results.folders, file)
    file.write_bytes(b"no archive")
    with pytest.raises(DataError, match="cannot be read as a zip archive"):
        checking.check(results.benchmark, results.folders, file)
    data = bytearray(results.file.read_bytes())
    data[len(data) // 3] ^= 255
    file.write_bytes(data)
    try:
        told = checking.check(results.benchmark, results.folders, file).faults
    except DataError as error:
        told = [str(error)]
    assert told


def test_results_are_unpacked_only_without_a_fault(
    results: SimpleNamespace, content: Content, tmp_path: Path
) -> None:
    folders = Paths(tmp_path / "out", results.folders.cache)
    checking.check(results.benchmark, folders, results.file, unpack=True)
    for path in sorted(results.folders.method_tests.glob("*/loud/*.csv")):
        name = path.relative_to(results.folders.output)
        assert (folders.output / name).read_bytes() == path.read_bytes()
    shutil.rmtree(folders.output)
    content[REGRESSION] = content[REGRESSION].replace(b"pass", b"fail")
    forged = tmp_path / "forged.zip"
    forged.write_bytes(archives.packed(content))
    assert checking.check(results.benchmark, folders, forged, unpack=True).faults
    assert not folders.output.exists()


def test_other_results_of_a_model_with_the_same_id_are_not_lost(
    results: SimpleNamespace, tmp_path: Path
) -> None:
    folders = Paths(tmp_path / "out", results.folders.cache)
    unpack = partial(checking.check, results.benchmark, folders, results.file, unpack=True)
    assert not unpack().faults
    before = {path: path.read_bytes() for path in folders.method_tests.rglob("*.*")}
    own = folders.method_tests / "arousal" / "loud" / "correctness_own.csv"
    own.write_text("private")
    (fault,) = unpack().faults
    assert fault.startswith(f"{own.parent}: holds other results") and "--force" in fault
    assert own.read_text() == "private"
    assert not unpack(force=True).faults
    assert {path: path.read_bytes() for path in folders.method_tests.rglob("*.*")} == before
    assert not unpack().faults


def test_faults_are_the_exit_code(
    results: SimpleNamespace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = [f"--catalog={results.root / 'catalog'}", f"--output={results.folders.output}"]
    where += [f"--cache={results.folders.cache}"]
    file = tmp_path / "loud.zip"
    assert main(["bundle", "loud", "--out", str(file), *where]) == 0
    assert file.read_bytes() == results.file.read_bytes()
    assert main(["check-bundle", str(file), *where]) == 0
    assert "no fault" in capsys.readouterr().out
    file.write_bytes(b"")
    assert main(["check-bundle", str(results.file), str(file), "--json", *where]) == 1
    answers = json.loads(capsys.readouterr().out)
    assert [bool(answer["faults"]) for answer in answers] == [False, True]
    with pytest.raises(
        ConfigError, match=r"model 'detector' has no results .* run --model detector"
    ):
        making.write(results.benchmark, results.folders, "detector", file)


def test_a_model_that_is_not_known_has_no_bundle(results: SimpleNamespace, tmp_path: Path) -> None:
    for folders, message in (
        (
            results.folders,
            "bundle: unknown model with results 'lout'. Did you mean 'loud'? Known: ",
        ),
        (Paths(tmp_path), "bundle: unknown model 'lout'. Did you mean 'loud'? Known: "),
    ):
        with pytest.raises(ConfigError, match=re.escape(message)):
            making.write(results.benchmark, folders, "lout", tmp_path / "lout.zip")
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_no_bundle_has_one_fault_and_no_empty_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x.zip").write_bytes(b"no archive")
    assert main(["check-bundle", str(tmp_path / "x.zip"), "--cache", str(tmp_path / "c")]) == 1
    out = capsys.readouterr().out
    assert out.splitlines()[-1] == "cannot be read as a bundle: 1 fault"
    assert checking.BundleCheck(model="m 1", faults=["a", "b"]).text().endswith(": 2 faults")


def test_the_commands_of_the_guide_run(
    mini: Mini, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Pack, check and unpack as the guide says it; results of another machine become those of this one."""
    for module in (making, recomputing):
        monkeypatch.setattr(module, "is_open", lambda benchmark, name: name == "tones")
    monkeypatch.chdir(mini.root)
    guide = (paths.DOCS / "howto" / "submit_results.rst").read_text("utf-8")
    commands = re.findall(
        r"``python build\.py (\w[^`]*)``|^   \$ python build\.py (.*)$", guide, re.M
    )
    lines = [" ".join(filter(None, pair)).replace("my-model", "loud").split() for pair in commands]
    assert [words[0] for words in lines] == [
        "run",
        "bundle",
        "check-bundle",
        "run",
        "check-bundle",
        "site",
    ]
    here = {"run", "bundle"}
    for number, words in enumerate(lines):
        if words == ["run"]:  # the same command, of a maintainer
            continue
        more = ["--output", "theirs" if words[0] in here else "ours", "--cache", "cache"]
        more += ["--catalog", str(mini.catalog), "--allow-code"] * (number > 1)
        more += ["--allow-code"] * (number < 2)
        more += ["--dataset", "tones"] * (words[0] == "run")
        assert main([*words, *more]) == 0, (words, capsys.readouterr())
    rows = [
        mini.root / out / "method-tests" / REGRESSION.partition("/")[2].replace("/", "/loud/")
        for out in ("theirs", "ours")
    ]
    assert rows[0].read_bytes() == rows[1].read_bytes()
    assert (mini.root / "ours/build/html/results/arousal/model/loud.html").is_file()
