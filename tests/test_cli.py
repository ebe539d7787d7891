"""The command line: exit codes, messages, machine-readable output."""

from __future__ import annotations

import argparse
import errno
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from common.cli.main import main
from common.cli.options import parser
from common.core import files, paths
from common.core.errors import OutputError
from common.core.launching import ending_as_interrupt
from common.engine import run
from common.engine.journal import Report
from common.engine.plan import Planner
from common.models import notes
from common.results import tables
from tests.conftest import MODEL, MODELS

#: the correctness tests of two models on the miniature dataset
RUN = (
    *("--model", "loud", "--model", "chance-class", "--dataset", "tones"),
    *(
        option
        for path in sorted(paths.SUITE.glob("correctness_*.yaml"))
        for option in ("--test", path.stem)
    ),
)


@pytest.fixture
def cli(mini, capsys):
    """Runs the command line on the miniature benchmark; returns (code, stdout, stderr)."""

    def run(*arguments: str) -> tuple[int, str, str]:
        code = main(
            [
                *arguments,
                *("--catalog", str(mini.catalog), "--output", str(mini.root / "out")),
                *("--cache", str(mini.root / "cache"), "--workers", "1"),
            ]
        )
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    run.mini = mini
    return run


def test_run_then_nothing_to_do(cli) -> None:
    code, out, err = cli("run", *RUN)
    assert (code, err) == (0, "") and "13 cells computed" in out
    assert "560 signals predicted" in out
    code, out, _ = cli("run", *RUN)
    assert code == 0 and out.startswith("nothing to do: 13 cells are up to date")


def test_planning_loads_no_package_that_computes() -> None:
    """It reads YAML, manifests and hashes; packages of tables and signals would double its start."""
    code = (
        "import sys, common.cli.main, common.engine.check, common.engine.run; "
        "heavy = {'pandas', 'scipy', 'pyarrow', 'matplotlib', 'onnxruntime', 'audb', 'sphinx'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, cwd=paths.REPOSITORY, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_json_is_all_that_stands_on_standard_output(cli) -> None:
    code, out, _ = cli("run", *RUN, "--json")
    report = json.loads(out)
    assert code == 0 and report["calls"] == report["distinct"] == 560
    assert json.loads(cli("run", *RUN, "--json")[1])["calls"] == 0
    assert json.loads(cli("check", "--json")[1]) == {"faults": [], "warnings": []}
    models = json.loads(cli("list", "models", "--json")[1])
    assert {"loud", "random-gaussian"} <= {row["id"] for row in models}
    summary = json.loads(cli("summary", "--json")[1])
    assert {"target", "model", "family", "test", "passed", "failed", "skipped", "share"} <= set(
        summary["rows"][0]
    )


def _every_option() -> Iterator[tuple[str, argparse.Action]]:
    top = parser()
    yield from (("build.py", action) for action in top._actions)
    (commands,) = (a for a in top._actions if isinstance(a, argparse._SubParsersAction))
    described = {choice.dest for choice in commands._choices_actions if choice.help}
    assert described == set(commands.choices)
    for name, sub in commands.choices.items():
        yield from ((name, action) for action in sub._actions)


def test_every_option_of_every_command_has_a_help_text() -> None:
    bare = [
        f"{command}: {' '.join(action.option_strings) or action.dest}"
        for command, action in _every_option()
        if action.dest != "command" and not action.help
    ]
    assert bare == []


def test_options_stand_before_or_after_the_command(cli) -> None:
    for options in (
        ["--quiet"],
        ["--qui"],
        ["--seed", "-1", "--quiet"],
        ["--workers=1", "--quiet"],
    ):
        code, out, _ = cli(*options, "check")
        assert (code, out) == (0, "")


def test_failing_cells_give_exit_code_3_and_one_line(cli) -> None:
    cli.mini.write(
        "models.yaml",
        '- {id: loud, version: 1.0.0, adapter: python, entry: "MODULE:load", '
        "params: {fail: raise}}\n"
        "- {id: chance-class, version: 1.0.0, adapter: chance, "
        "params: {distribution: categorical}}\n",
    )
    code, out, err = cli("run", *RUN)
    assert code == 3
    lines = err.strip().splitlines()
    assert lines and all(line.startswith("error (") for line in lines)
    assert "out of luck" in err and "Traceback" not in err
    assert "4 cells computed" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", "--model", "lout"), "unknown model 'lout'. Did you mean 'loud'?"),
        (("run", "--test", "correctness_regresion"), "Did you mean 'correctness_regression'?"),
        (("list", "tests", "--dataset", "tone"), "Did you mean 'tones'?"),
        (("list", "models", "--dataset", "tones"), "--dataset goes with 'list tests' only"),
        (("site", "--watch"), "--watch goes with --serve only"),
        (
            ("run", "--test", "fairness_language", "--dataset", "tones"),
            "nothing is selected by --test fairness_language --dataset tones: 'tones' takes no part in "
            "fairness_language for arousal: misses column language; all tests: ",
        ),
        (
            ("run", *RUN[2:6], "--test", "correctness_regression"),
            "nothing is selected by --model chance-class --test correctness_regression --dataset tones: "
            "no such test has metrics for emotion (classification)",
        ),
        (
            ("run", "--model", "chance-class", "--target", "arousal", "--dataset", "tones"),
            "no model offers a selected target (arousal): chance-class predicts emotion",
        ),
    ],
)
def test_wrong_ids_give_exit_code_2_and_one_line(cli, arguments, message) -> None:
    code, out, err = cli(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("error: ") and message in err and err.count("\n") == 1


IDLE = {
    "bench engine --large": "--large goes with 'bench events' only",
    "bench all --large": "--large goes with 'bench events' only",
    "bench events --keep x": "--keep goes with 'bench scale' only",
    "bench all --segments 10": "--segments goes with 'bench scale' only",
    "bench all --models 2": "--models goes with 'bench site' only",
    "bench all --lighthouse": "--lighthouse goes with 'bench pages' only",
    "bench site --dataset x": "--dataset goes with 'bench all', 'suite' and 'paper' only",
    "simulate --alarms --metric ccc": "--metric has no effect with --alarms",
    "simulate --alarms --samples 9 --groups 2": "--samples has no effect with --alarms",
    "simulate --alarms --compat": "--compat has no effect with --alarms",
    "models try loud a.wav --labels a,b": "--labels goes with 'models new' only",
    "models try loud a.wav --as x": "--as goes with 'models new' only",
    "models try loud a.wav --force": "--force goes with 'models new' only",
    "models new a.onnx --repetitions 9": "--repetitions goes with 'models try' only",
    "models new a.onnx --device cpu": "--device goes with 'models try' only",
    "check-bundle a.zip --force": "--force goes with --unpack only",
    "summary --badges x --card loud": "--card cannot be combined with --badges",
    "summary --card loud --published": "--published cannot be combined with --card",
    "compare a b --samples --format junit": "--samples has no effect on --format junit",
    "import x --guess --as y": "--as has no effect with --guess, which imports nothing",
    "import x --guess --write csv": "--write has no effect with --guess",
    "import x --guess --to y": "--to has no effect with --guess",
    "events --timelines 2": "--timelines goes with --report html only",
    "events --pairs a.txt --table t": "events: --table and --column go with --truth only",
    "report loud --out loud.txt": "--out loud.txt: expected a name that ends in .html, .htm or .pdf",
    "report loud --out loud": "--out loud: expected a name that ends in .html, .htm or .pdf",
}


@pytest.mark.parametrize("words", IDLE)
def test_an_option_without_effect_is_refused_in_one_line(cli, words) -> None:
    code, out, err = cli(*words.split())
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {IDLE[words]}")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("adapter: predictions, path: none.csv", 2),
        ("adapter: predictions, path: other.csv", 2),
        ("adapter: predictions, path: good.csv, outputs: {emotio: {}}", 2),
        ("adapter: torchscript, path: good.csv, outputs: {arousal: {}}", 2),
        ("adapter: python, entry: 'nowhere:load', outputs: {arousal: {}}", 2),
        ("adapter: predictions, path: other.csv, outputs: {arousal: {}}", 3),
        ("adapter: predictions, path: class.csv, outputs: {emotion: {}}", 3),
        ("adapter: onnx, path: good.onnx, outputs: {arousal: {}}", 3),
        ("adapter: predictions, path: good.csv", 3),
    ],
)
def test_what_a_run_refuses_and_what_ends_in_error_cells(cli, entry, expected) -> None:
    for name, text in (
        ("good.csv", "file,arousal\n000.wav,0.5\n"),
        ("other.csv", "file,value\n000.wav,0.5\n"),
        ("class.csv", "file,emotion\n000.wav,angr\n"),
        ("good.onnx", "no graph"),
    ):
        cli.mini.write(name, text)
    cli.mini.write("models.yaml", f"- {{id: wrong, version: 1.0.0, {entry}}}\n")
    words = ("--dataset", "tones", "--test", "correctness_regression")
    words += ("--test", "correctness_classification")
    code, _, err = cli("run", "--model", "wrong", *words)
    assert code == expected, err


BROKEN = {
    "damaged": ("predictions, path: p.csv", "p.csv is not UTF-8 text"),
    "damaged, targets named": (
        "predictions, path: p.csv, outputs: {arousal: {}}",
        "p.csv is not UTF-8",
    ),
    "locked": ("predictions, path: p.csv", "'p.csv' cannot be read: Permission denied"),
    "no Python": (
        "python, entry: 'broken:load', outputs: {arousal: {}}",
        "broken.py, line 1: invalid",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_model_that_cannot_be_opened_has_error_rows_and_the_others_scores(
    cli, monkeypatch, case
) -> None:
    """Whether its targets are named or are known from results of before, and whatever is wrong with its file."""
    entry, reason = BROKEN[case]
    samples = (cli.mini.catalog / "tones" / "metadata.csv").read_text("utf-8").splitlines()[1:]
    table = "file,arousal\n" + "".join(f"{line.split(',')[0]},0.5\n" for line in samples)
    program = MODEL.replace("class Loud", "class Other")
    path = cli.mini.write("p.csv", table)
    cli.mini.write("broken.py", program.replace("return Loud", "return Other"))
    cli.mini.write("models.yaml", f"{MODELS}- {{id: wrong, version: 1.0.0, adapter: {entry}}}\n")
    words = ("--model", "wrong", "--model", "loud", "--dataset", "tones", "--target", "arousal")
    words += ("--test", "correctness_regression", "--test", "correctness_speaker_average")
    assert cli("run", *words)[0] == 0
    if case == "locked":
        digest = notes.file_digest

        def locked(file: Path) -> str:
            if file.name == path.name:
                raise PermissionError(errno.EACCES, "Permission denied", str(file))
            return digest(file)

        monkeypatch.setattr(notes, "file_digest", locked)
        monkeypatch.setattr(notes, "recall", lambda cache, key: None)
    else:
        path.write_bytes(b"file,arousal\n\xff\xfe")
        cli.mini.write("broken.py", "def load(:\n")
    results = cli.mini.root / "out" / "method-tests" / "arousal"
    loud = (results / "loud" / "correctness_regression.csv").read_bytes()
    shutil.rmtree(results / "loud")
    for _ in range(2):  # it is tried again by the next run
        code, out, err = cli("run", *words)
        (line,) = err.splitlines()
        assert code == 3 and reason in line and line.startswith("error (2 cells)")
    assert "0 cells computed, 2 up to date, 2 errors" in out
    assert (results / "loud" / "correctness_regression.csv").read_bytes() == loud
    for name in ("correctness_regression", "correctness_speaker_average"):
        rows = tables.read_csv(results / "wrong" / f"{name}.csv")
        assert set(rows["status"]) == {"error"} and set(rows["cause"]) == {"model"}
        assert rows["reason"].str.contains(reason, regex=False).all()
    assert cli("check")[0] == 1


@pytest.mark.parametrize(
    ("words", "what"),
    [(("--target", "valence"), "target (valence)"), (("--test", "fairness_language"), "cell")],
)
def test_a_model_that_cannot_be_opened_and_offers_nothing_of_a_selection(cli, words, what) -> None:
    cli.mini.write(
        "models.yaml",
        "- {id: wrong, version: 1, adapter: python, entry: 'broken:load', outputs: {arousal: {}}}",
    )
    cli.mini.write("broken.py", "def load(:\n")
    code, out, err = cli("run", "--model", "wrong", *words, "--dataset", "tones")
    assert (code, out) == (2, "") and err.count("\n") == 1
    assert f"no model offers a selected {what}: " in err and "broken.py, line 1" in err


def test_signals_of_calls_that_failed_are_not_counted_as_predicted(cli) -> None:
    table = "file,arousal\n" + "".join(f"{n:03d}.wav,0.{n:03d}\n" for n in range(200))
    cli.mini.write("part.csv", table)
    cli.mini.write("models.yaml", "- {id: part, version: 1, adapter: predictions, path: part.csv}")
    words = ("--model", "part", "--dataset", "tones", "--test", "correctness_regression")
    code, out, _ = cli("run", *words)
    assert code == 3
    assert re.search(
        r"; \d{3} signals in calls of models for 280 distinct inputs, as calls that", out
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda path: path.unlink(), "tones.path: folder "),
        (
            lambda path: path.write_text("file,emotion\n000.wav,anger\n"),
            "unknown column of table 'metadata.csv' 'arousal'",
        ),
    ],
    ids=["no table", "no column"],
)
def test_tests_of_a_dataset_that_cannot_be_read(cli, change, message) -> None:
    change(cli.mini.catalog / "tones" / "metadata.csv")
    code, out, err = cli("list", "tests", "--dataset", "tones")
    assert (code, out) == (2, "")
    assert err.startswith("error: ") and message in err and err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", "--workers", "two"), "--workers: must be a whole number, found 'two'"),
        (("run", "--workers", "0"), "--workers: must be 1 or more, found 0"),
        (("site", "--serve", "x"), "--serve: must be a whole number, found 'x'"),
        (("site", "--serve", "99999"), "--serve: must be 65535 or less, found 99999"),
    ],
)
def test_numbers_of_options(capsys, arguments, message) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(list(arguments))
    assert capsys.readouterr().err.startswith(f"error: {message} (see 'build.py ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("run --modle hk", "unknown option '--modle'. Did you mean '--model'? Known: --"),
        ("--jsn check", "unknown option '--jsn'. Did you mean '--json'? Known: --"),
        ("--catalogue x check", "unknown option '--catalogue'. Did you mean '--catalog'? Known: --"),
        ("--seed 1 --catalogue x check", "unknown option '--catalogue'. Did you mean '--catalog'?"),
        ("--model hk run", "option '--model' must follow its command, one of: all, bench, cache, run, slices"),
        ("--model hk", "option '--model' must follow its command, one of: all, bench, cache, run, slices"),
        ("--severity run", "option '--severity' must follow its command, one of: run ("),
        ("rnu", "unknown command 'rnu'. Did you mean 'run'? Known: all, bench, "),
        ("list model", "unknown value 'model' after 'list'. Did you mean 'models'? Known: corpora, "),
        ("cache prunee", "unknown value 'prunee' after 'cache'. Did you mean 'prune'? Known: "),
        ("run --device gpu", "--device: unknown value 'gpu'. Did you mean 'cpu'? Known: auto, cpu, cuda"),
        ("run --seed x", "--seed: must be a whole number, found 'x'"),
        ("compare a b --alpha x", "--alpha: must be a number, found 'x'"),
        ("explain", "the following arguments are required: KEY"),
        ("check twice", "unexpected argument 'twice'"),
        ("run --model", "--model: expected one argument"),
    ],
)  # fmt: skip
def test_wrong_usage_is_one_line_with_the_nearest_name(capsys, arguments, message) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(arguments.split())
    err = capsys.readouterr().err
    assert err.startswith(f"error: {message}") and err.count("\n") == 1
    command = arguments.split()[0]
    about = f" {command}" if command in ("run", "list", "cache", "compare", "explain") else ""
    assert err.endswith("--help')\n") and f"(see 'build.py{about}" in err


def test_check_lists_every_fault_with_its_place(cli) -> None:
    cli.mini.write(
        "suite/own.yaml",
        "title: Own\nfamily: correctness\ndesign: against_truth\ndatasets: [tone]\n"
        "regression: [{metric: cc, above: 0.5}]\n",
    )
    cli.mini.write(
        "datasets.yaml",
        "- {id: tones, version: 1, adapter: folder, path: absent, tests: [correctness_regresion]}\n",
    )
    cli.mini.write(
        "models.yaml",
        "- {id: gone, version: 1, adapter: onnx, path: gone.onnx}\n"
        "- {id: odd, version: 1, adapter: onyx}\n",
    )
    code, out, _ = cli("check")
    assert code == 1
    for text in (
        "own.yaml: regression[0].metric: unknown metric 'cc'. Did you mean 'ccc'?",
        "unknown test 'correctness_regresion'. Did you mean 'correctness_regression'?",
        "no such folder",
        "gone.onnx: no such file",
        "unknown adapter 'onyx'. Did you mean 'onnx'?",
    ):
        assert text in out, text
    assert cli("run", *RUN)[0] == 2


def test_messages_name_the_catalog_as_it_was_typed_and_rows_do_not(cli, monkeypatch) -> None:
    entry = "- {id: gone, version: 1, adapter: onnx, path: gone.onnx, outputs: {arousal: {}}}\n"
    other = cli.mini.root / "other"
    other.mkdir()
    (other / "models.yaml").write_text(entry)
    monkeypatch.chdir(cli.mini.root)
    place = str(Path("other", "models.yaml"))
    sound = str(cli.mini.catalog / "tones" / "000.wav")
    code, _, err = cli("models", "try", "gone", sound, "--catalog", "other")
    assert code == 2 and err.startswith(f"error: {place}: model 'gone'")
    cli.mini.write(f"{cli.mini.module}.py", MODEL.replace("self.gain, self.fail =", "1 / 0 #"))
    where = str(Path("catalog", "models.yaml"))
    code, _, err = cli("run", "--model", "loud", "--dataset", "tones", "--catalog", "catalog")
    assert code != 0 and f"{where}: model 'loud'" in err
    written = "".join(path.read_text() for path in (cli.mini.root / "out").rglob("*.csv"))
    assert where not in written


def test_list_says_what_is_here_and_that_nothing_is_stale(cli) -> None:
    lines = {line.split()[0]: line.split() for line in cli("list", "datasets")[1].splitlines()}
    assert "here" in lines["tones"] and "not" not in lines["tones"]
    assert lines["crema-d"][3:5] == ["not", "here"]
    code, out, _ = cli("list", "stale")
    assert code == 0 and out.startswith("nothing is stale in ")
    assert cli("list", "stale", "--json")[1].strip() == "[]"


def test_one_thing_is_not_several(cli) -> None:
    _, out, _ = cli(
        "run", "--model", "loud", "--dataset", "tones", "--test", "correctness_regression"
    )
    assert "1 cell computed, 0 up to date, 0 errors, 0 not run" in out


@pytest.mark.parametrize("settled", [False, True])
def test_what_was_not_run_is_said_once(cli, monkeypatch, settled: bool) -> None:
    absent = {f"cell {n}": "dataset unavailable: a" for n in range(3)}

    def ran(engine: run.Engine, *arguments: Any, **options: Any) -> Report:
        engine.report = Report(computed=2, not_run=absent, calls=5, distinct=5, settled=settled)
        return engine.report

    monkeypatch.setattr(run.Engine, "run", ran)
    code, out, err = cli("run", "--model", "loud")
    (line,) = [text for text in (out + err).splitlines() if "not run" in text]
    assert code == 0 and "3 not run (a dataset, a program or predictions are missing)" in line
    assert line.startswith("nothing to do: ") is settled


def test_list_tests_says_what_a_dataset_misses(cli) -> None:
    _, out, _ = cli("list", "tests", "--dataset", "tones")
    lines = {tuple(line.split()[:2]): line for line in out.splitlines()}
    assert "takes part" in lines["arousal", "correctness_regression"]
    assert "misses column valence" in lines["valence", "correctness_regression"]


def test_unwritable_output_is_one_line_and_loses_nothing(cli, monkeypatch) -> None:
    blocked = cli.mini.root / "out" / "method-tests"
    blocked.parent.mkdir()
    blocked.write_text("in the way")
    code, _, err = cli("run", *RUN)
    assert code == 2 and "cannot be written" in err and err.count("\n") == 1
    blocked.unlink()
    assert cli("run", *RUN)[0] == 0


def test_full_disk_keeps_predictions(cli, monkeypatch) -> None:
    original = files.write_text

    def full(path: Path, text: str, **options: bool) -> bool:
        if path.suffix == ".csv" and "loud" in path.parts:
            raise OutputError(f"{path}: cannot be written: No space left on device")
        return original(path, text, **options)

    monkeypatch.setattr(files, "write_text", full)
    code, _, err = cli("run", *RUN)
    assert code == 2 and "No space left on device" in err
    monkeypatch.setattr(files, "write_text", original)
    code, out, _ = cli("run", *RUN, "--json")
    assert code == 0 and json.loads(out)["calls"] == 0


def test_a_run_prepares_and_plans_once(cli, monkeypatch) -> None:
    calls: Counter[str] = Counter()

    def counted(owner: Any, name: str) -> Callable[..., Any]:
        original = getattr(owner, name)

        def function(*arguments: Any, **options: Any) -> Any:
            calls[name] += 1
            return original(*arguments, **options)

        return function

    for owner, name in ((Planner, "prepare"), (Planner, "plan"), (run, "is_settled")):
        monkeypatch.setattr(owner, name, counted(owner, name))
    for _ in ("from nothing", "nothing to do"):
        assert cli("run", *RUN)[0] == 0
        assert calls == {"prepare": 1, "plan": 1, "is_settled": 1}
        calls.clear()


def test_interruption_has_its_own_exit_code(cli, monkeypatch) -> None:
    def interrupted(self, *arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(run.Engine, "run", interrupted)
    code, _, err = cli("run", *RUN)
    assert code == 130 and "what was computed is kept" in err


@pytest.fixture
def with_hangups() -> Iterator[None]:
    """SIGHUP as in a terminal; what is started with nohup, as these tests may be, ignores it."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


def test_an_ignored_hangup_stays_ignored() -> None:
    """As with nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with ending_as_interrupt():
            os.kill(os.getpid(), signal.SIGHUP)
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


#: says something on a terminal that is gone, before its exit code
HANGS_UP = """
import signal, sys
from common.core.launching import ending_as_interrupt
try:
    with ending_as_interrupt():
        print("ready", flush=True)
        signal.pause()
except KeyboardInterrupt:
    print("stopped", flush=True)
    print("stopped", flush=True, file=sys.stderr)
    sys.exit(130)
"""


@pytest.mark.usefixtures("with_hangups")
@pytest.mark.skipif(sys.platform == "win32", reason="there are no such terminals")
def test_a_terminal_that_is_lost_ends_a_command_as_an_interrupt_does() -> None:
    import pty

    number, terminal = pty.fork()
    if not number:
        os.environ["PYTHONPATH"] = str(paths.REPOSITORY)
        os.execv(sys.executable, [sys.executable, "-c", HANGS_UP])
    said = b""
    while b"ready" not in said:
        said += os.read(terminal, 100)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(number, 0)[1]) == 130


@pytest.mark.usefixtures("with_hangups")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_killed_run_goes_on_where_it_stopped(mini, number: int) -> None:
    """The model kills its own run in the third call, and never again."""
    killed, module = mini.root / "killed", mini.catalog / f"{mini.module}.py"
    module.write_text(
        "import os, pathlib\n"
        + module.read_text().replace(
            "CALLS.append(len(signals))",
            "CALLS.append(len(signals))\n"
            f"        killed = pathlib.Path({str(killed)!r})\n"
            "        if len(CALLS) == 3 and not killed.exists():\n"
            "            killed.touch()\n"
            f"            os.kill(os.getpid(), {int(number)})",
        )
    )
    command = [
        *(
            sys.executable,
            str(paths.REPOSITORY / "build.py"),
            "run",
            "--json",
            "--model",
            "loud",
            "--test",
            "correctness_classification",
        ),
        *("--dataset", "tones", "--catalog", str(mini.catalog), "--workers", "1"),
        *("--output", str(mini.root / "out"), "--cache", str(mini.root / "cache")),
    ]
    environment = {**os.environ, "PYTHONPATH": str(paths.REPOSITORY)}
    process = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert process.returncode == 130, process.stderr
    assert "interrupted; what was computed is kept" in process.stderr
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["calls"] < 280 and not report["errors"]


@pytest.mark.parametrize("more", ["", " 2>&-"], ids=["with", "without"])
def test_what_programs_of_a_model_print_is_no_part_of_the_json(mini, more: str) -> None:
    """With and without a standard error that it could go to."""
    module = mini.catalog / f"{mini.module}.py"
    prints = 'CALLS.append(len(signals)); import os; os.system("echo from a program")'
    module.write_text(module.read_text().replace("CALLS.append(len(signals))", prints))
    command = [sys.executable, str(paths.REPOSITORY / "build.py"), "run", "--json", *RUN[:2]]
    command += ["--test", "correctness_classification", "--dataset", "tones", "--workers", "1"]
    command += ["--catalog", str(mini.catalog), "--output", str(mini.root / "out")]
    command += ["--cache", str(mini.root / "cache")]
    environment = {**os.environ, "PYTHONPATH": str(paths.REPOSITORY)}
    shell = ["sh", "-c", f'"$@"{more}', "sh", *command]
    done = subprocess.run(shell, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["calls"] > 0
    assert ("from a program" in done.stderr) == (not more)


def test_help_on_every_level(capsys) -> None:
    for arguments in (["--help"], ["run", "--help"], ["list", "--help"], ["import", "--help"]):
        with pytest.raises(SystemExit, match="0"):
            main(arguments)
        assert "--catalog DIR" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["--version"], ["run", "--version"]])
def test_the_version_is_that_of_the_package(capsys, words) -> None:
    project = tomllib.loads((paths.REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    with pytest.raises(SystemExit, match="0"):
        main(words)
    assert capsys.readouterr().out == f"{project['name']} {project['version']}\n"


def test_wrong_usage_is_exit_code_2(capsys) -> None:
    for arguments in (
        ["rum"],
        ["list", "model"],
        ["run", "--workers", "0"],
        ["run", "--no"],
        ["site", "--serve", "65536"],
    ):
        with pytest.raises(SystemExit, match="2"):
            main(arguments)
        assert "error" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (
            OSError(errno.EMFILE, "Too many open files"),
            "Too many open files: allow more open files",
        ),
        (
            OSError(errno.EROFS, "Read-only file system", "a/b"),
            "a/b: Read-only file system: choose",
        ),
        (MemoryError(), "Cannot allocate memory: try '--workers 1', which needs the least"),
    ],
)
def test_what_the_machine_refuses_is_one_line(error, line, capsys, monkeypatch) -> None:
    def refuse(context: object) -> int:
        raise error

    monkeypatch.setattr("common.cli.main._command", lambda name: refuse)
    assert main(["list", "tests"]) == 2
    assert capsys.readouterr().err.startswith(f"error: {line}")


def test_a_fault_of_the_program_keeps_its_traceback(monkeypatch) -> None:
    def wrong(context: object) -> int:
        raise OSError(errno.EBADF, "Bad file descriptor")

    monkeypatch.setattr("common.cli.main._command", lambda name: wrong)
    with pytest.raises(OSError, match="Bad file descriptor"):
        main(["list", "tests"])


@pytest.mark.parametrize(
    ("words", "entry", "expected"),
    [
        (("check",), "- {id: a, version: 1.0.0, adapter: predictions, path: none.csv}\n", 1),
        (
            ("check",),
            "- {id: a, version: 1.0.0, adapter: chance, params: {distribution: gaussian}}\n",
            0,
        ),
        (
            ("check", "--json"),
            "- {id: a, version: 1.0.0, adapter: predictions, path: none.csv}\n",
            1,
        ),
        (
            ("list", "models"),
            "- {id: a, version: 1.0.0, adapter: chance, params: {distribution: gaussian}}\n",
            0,
        ),
        (
            ("cache",),
            "- {id: a, version: 1.0.0, adapter: chance, params: {distribution: gaussian}}\n",
            141,
        ),
    ],
    ids=["faults", "no fault", "faults as JSON", "list", "outcome not known"],
)
def test_a_reader_that_goes_away_changes_no_outcome(
    tmp_path: Path, words: tuple[str, ...], entry: str, expected: int
) -> None:
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "models.yaml").write_text(entry)
    places = ("--catalog", "catalog", "--cache", "cache", "--output", "out")
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, paths.REPOSITORY / "build.py", *words, *places],
            cwd=tmp_path,
            stdout=writing,
            stderr=subprocess.PIPE,
            text=True,
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (expected, "")
