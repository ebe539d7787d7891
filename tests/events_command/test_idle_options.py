"""Options that would have no effect are refused, and these have none indeed."""

from __future__ import annotations

import argparse

import pytest

from common.cli import main
from common.reports.events import command, options

SEGMENT, EVENT, INTERSECTION = "segment_based", "event_based", "intersection_based"
#: option and value -> families of metrics that read it
OF_FAMILIES = {
    ("--time-resolution", "0.5"): (SEGMENT,),
    ("--segment_length", "0.5"): (SEGMENT,),
    ("--factor", "0"): (SEGMENT,),
    ("--t-collar", "0"): (EVENT,),
    ("--percentage-of-length", "0.1"): (EVENT,),
    ("--tolerance", "0.1"): (EVENT,),
    ("--evaluate-onset", "false"): (EVENT,),
    ("--evaluate-offset", "false"): (EVENT,),
    ("--matching", "greedy"): (EVENT,),
    ("--empty-system-output-handling", "nan"): (SEGMENT, EVENT),
    ("--decimals", "0"): (SEGMENT, INTERSECTION),
    ("--dtc-threshold", "0"): (INTERSECTION,),
    ("--gtc", "0.9"): (INTERSECTION,),
    ("--cttc-threshold", "0.1"): (INTERSECTION,),
    ("--alpha-ct", "0.5"): (INTERSECTION,),
    ("--alpha-st", "1"): (INTERSECTION,),
    ("--max-efpr", "50"): (INTERSECTION,),
    ("--duration-unit", "minute"): (INTERSECTION,),
    ("--preset", "psds-eval-readme"): (INTERSECTION,),
    ("--preset", "dcase-task4-1"): (EVENT, INTERSECTION),
    ("--compatibility", "sed_eval"): (SEGMENT, EVENT),
    ("--compatibility", "psds_eval-0.5"): (INTERSECTION,),
    ("--compatibility", "sed_scores_eval"): (SEGMENT, INTERSECTION),
}
ESTIMATE = ("--estimate", "@est.txt")


def systems(folder, *words: str):
    """Scores without what the command line refuses."""
    parser = argparse.ArgumentParser()
    options.add_options(parser)
    parser.set_defaults(json=True)
    words = ("--truth", "@truth.txt", "--durations", "@dur.tsv", *words)
    args = parser.parse_args([word.replace("@", f"{folder.path}/") for word in words])
    return command.run(args, report_path=folder.path, say=lambda line: None)["systems"]


@pytest.mark.parametrize("family", [SEGMENT, EVENT, INTERSECTION])
@pytest.mark.parametrize("words", OF_FAMILIES, ids=" ".join)
def test_options_of_metrics_that_are_left_out(folder, words: tuple[str, str], family: str) -> None:
    metrics = (*ESTIMATE, "--metrics", family)
    if family in OF_FAMILIES[words]:
        folder.json(*metrics, *words)
        return
    line = folder.refused(*metrics, *words)
    name = {"--segment_length": "--time-resolution", "--gtc": "--gtc-threshold"}.get(words[0])
    assert line.startswith(name or words[0]), line
    assert f" has no effect with --metrics {family}" in line
    names = " or ".join(OF_FAMILIES[words])
    assert line.endswith(f": leave it out, or add {names} to --metrics"), line
    assert systems(folder, *metrics, *words) == systems(folder, *metrics)


def test_the_line_names_option_reason_and_what_to_do(folder) -> None:
    line = folder.refused(*ESTIMATE, "--metrics", SEGMENT, EVENT, "--max-efpr", "50")
    assert line == (
        "--max-efpr has no effect with --metrics segment_based event_based: leave it out, or add "
        "intersection_based to --metrics"
    )


def test_a_value_that_is_not_allowed_is_refused_as_such(folder) -> None:
    line = folder.refused(*ESTIMATE, "--metrics", EVENT, "--preset", "dcase")
    assert "Known: dcase-task4-1" in line


@pytest.mark.parametrize("value", ["0.3", "0.5", "0"])
def test_a_threshold_needs_scores_without_events(folder, scores, value: str) -> None:
    scores()
    words = ("--threshold", value)
    line = folder.refused(*ESTIMATE, *words)
    assert line == "--threshold has no effect without --scores: leave it out, or give --scores"
    line = folder.refused(*ESTIMATE, "--scores", "@scores", *words)
    assert line == (
        "--threshold has no effect where each of --scores goes with a list of --estimate, whose "
        "events are scored: leave it out"
    )
    folder.json("--scores", "@scores", *words)
    folder.json(*ESTIMATE, "--scores", "@scores", "@scores", "--name", "a", "b", *words)
    # the picker of the page begins there
    html = ("--report", "html", "--out", "@x.html")
    assert folder.run(*ESTIMATE, "--scores", "@scores", *html, *words).code == main.OK


def test_a_share_of_lengths_is_of_offsets(folder) -> None:
    words = (*ESTIMATE, "--evaluate-offset", "false")
    share = ("--percentage-of-length", "0.2")
    line = folder.refused(*words, *share)
    assert line.startswith("--percentage-of-length has no effect with --evaluate-offset false, ")
    assert systems(folder, *words, *share) == systems(folder, *words)
    folder.json(*ESTIMATE, *share)


def test_scores_of_each_recording_are_csv(folder) -> None:
    line = folder.refused(*ESTIMATE, "--per-file", "@files.json")
    assert line.endswith("files.json: expected a name that ends in .csv")


def test_decimals_are_read_by_frame_scores(folder, scores) -> None:
    scores()
    words = ("--metrics", EVENT, "--decimals", "3")
    assert "with --metrics event_based and no --scores:" in folder.refused(*ESTIMATE, *words)
    folder.json("--scores", "@scores", *words)
    folder.json("--scores", "@scores", "--metrics", EVENT, "--compatibility", "sed_scores_eval")


@pytest.mark.parametrize("kind", ["recordings", "folds", "points"])
def test_what_a_folder_is_needs_a_folder(folder, scores, kind: str) -> None:
    scores()
    words = ("--folder", kind)
    line = folder.refused(*ESTIMATE, *words)
    assert line == (
        "--folder has no effect as --estimate names a file: leave it out, or name a folder of lists"
    )
    assert "names files" in folder.refused("--estimate", "@est.txt", "@truth.txt", *words)
    assert "without --estimate: leave" in folder.refused("--scores", "@scores", *words)
    assert "no such file" in folder.refused("--estimate", "@none.txt", *words)
    folder.write("lists/a.wav.txt", "0.1\t2.1\tdog\n")
    folder.json("--estimate", "@est.txt", "@lists", "--folder", "recordings")


def test_what_a_folder_is_has_no_effect_on_pairs(folder, capsys) -> None:
    folder.write("pairs.txt", "truth.txt\test.txt\n")
    words = ("--pairs", str(folder.path / "pairs.txt"), "--folder", "points")
    assert main.main(["events", *words]) == main.USAGE
    assert "--folder has no effect with --pairs, which" in capsys.readouterr().err


def test_defaults_are_never_refused(folder, scores) -> None:
    scores()
    for family in (SEGMENT, EVENT, INTERSECTION):
        folder.json(*ESTIMATE, "--metrics", family)
        folder.json("--scores", "@scores", "--metrics", family)
