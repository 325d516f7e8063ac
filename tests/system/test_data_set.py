"""The open data set: logs without the truth in them, the same for a seed, and a score that is the
distance from the truth."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from softdock.cli.main import cli
from softdock.recording.data_set import draw_rig, read_log, score_logs, tabulate
from softdock.recording.read import read_contents
from softdock.recording.recording import KNOWN_TO_A_RIG
from softdock.recording.streams import CYCLE
from softdock.scenario.build import build
from softdock.studies.identify import identify

NAMES = ("rig_01", "rig_02")  # CSV, MCAP


def called(*words):
    return CliRunner().invoke(cli, ["benchmark", *map(str, words)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "logs"
    found = called("--make-logs", path, "--seed", 7, "--random", 2)
    assert found.exit_code == 0, found.output
    return path


@pytest.fixture(scope="module")
def score(folder):
    found = called("--logs", folder, "--json")
    assert found.exit_code == 0, found.output
    return json.loads(found.stdout)


def test_a_log_has_what_a_rig_knows_and_no_truth(folder):
    """No true force, depth or mock-up's place, no scenario and no metrics in any log."""
    contents = read_contents(folder / "rig_02" / "contact.mcap")
    names = {channel.name for channel in contents.stream(CYCLE).channels}
    assert names <= KNOWN_TO_A_RIG
    assert not [one for one in names if one.startswith(("true.", "mock_up.", "depth"))]
    assert (contents.about.attachments, contents.events) == ({}, [])
    head = (folder / "rig_01" / "contact.csv").read_text().partition("\n")[0]
    assert not [one for one in head.split(",") if "true" in one or "mock" in one]
    stiffness = json.loads((folder / "truth/rig_01.json").read_text())["truth"]["stiffness_N_per_m"]
    assert str(stiffness) not in (folder / "rig_01" / "contact.map.toml").read_text()


def test_both_forms_hold_the_same_run(folder):
    """What is read of the CSV, in its own units, is what the run of its scenario has."""
    import softdock

    for name in NAMES:
        tables = tomllib.loads((folder / f"truth/{name}.toml").read_text())
        series, log = softdock.run_loop(tables).series, read_log(folder / name / "contact").series
        for key in ("measured.chaser.force", "seen.chaser.position", "command.chaser.attitude"):
            assert np.allclose(series[key], log[key], rtol=1e-9, atol=1e-11), (name, key)


def test_a_folder_that_holds_something_is_kept(folder):
    found = called("--make-logs", folder, "--seed", 8)
    assert found.exit_code == 2
    assert "--make-logs" in found.output
    assert "seed 7" in " ".join((folder / "README.md").read_text().split()).replace("--", "")


def test_a_rig_of_a_seed_is_always_the_same():
    assert draw_rig(7, 2) == draw_rig(7, 2)
    assert draw_rig(7, 2) != draw_rig(7, 3)
    for number in range(1, 60):  # every draw is a scenario
        assert all(build(tables) for tables in draw_rig(7, number))


def test_the_score_is_the_distance_from_the_truth(folder, score):
    """One number by hand; the contact within 10 %, the delays within 1 ms; the verdict of the log
    with the rig's scenario is the run's."""
    found = identify(read_log(folder / "rig_01" / "contact")).stiffness.value
    truth = json.loads((folder / "truth/rig_01.json").read_text())["truth"]["stiffness_N_per_m"]
    rows = score["by_rig"][0]["rows"]
    assert rows["stiffness_N_per_m"]["error"] == pytest.approx(abs(found / truth - 1.0), rel=1e-9)
    assert score["quantities"]["stiffness_N_per_m"]["worst"] < 0.1
    assert score["quantities"]["delay_chaser_s"]["worst"] < 1e-3
    assert score["verdicts"] == {"same": 2, "differ": []}
    assert tabulate(score)[0][1] == "2 of 2"


def test_a_wrong_truth_is_a_bad_score(folder, tmp_path):
    """So that the score can fail."""
    import shutil

    copy = tmp_path / "logs"
    shutil.copytree(folder, copy, ignore=lambda at, names: [n for n in names if n == "rig_02"])
    (copy / "truth/rig_02.json").unlink()
    file = copy / "truth/rig_01.json"
    truth = json.loads(file.read_text())
    truth["truth"]["stiffness_N_per_m"] *= 1.5
    truth["verdict"] = "faithful"
    file.write_text(json.dumps(truth))
    found = score_logs(copy)
    assert found["quantities"]["stiffness_N_per_m"]["worst"] > 0.3
    assert found["quantities"]["stiffness_N_per_m"]["held"] == 0.0
    assert found["verdicts"] == {"same": 0, "differ": ["rig_01"]}


def test_the_page_has_the_stored_score():
    """docs/logs.md: the table is the one of `softdock benchmark --logs` for seed 35."""
    root = Path(__file__).parents[2]
    stored = json.loads((root / "benchmarks/results/logs.json").read_text(encoding="utf-8"))
    page = (root / "docs/logs.md").read_text(encoding="utf-8")
    block = page.split("<!-- score: benchmarks/results/logs.json -->")[1].split("<!-- end -->")[0]
    rows = [[c.strip() for c in line.split("|")[1:-1]] for line in block.strip().splitlines()[2:]]
    assert rows == [list(row) for row in tabulate(stored)]
    assert f"run for {stored['verdicts']['same']} of {stored['rigs']}\n" in page


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--logs", "nothing"), "softdock benchmark --make-logs DIR"),
        (("--logs", "nothing", "--phases", 2), "--logs runs no method"),
        (("--make-logs", "new", "--methods", "direct"), "it goes with --seed, --random"),
    ],
)
def test_what_does_not_go_together_is_refused(words, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = called(*words)
    assert found.exit_code == 2
    assert said in " ".join(found.output.split())
    assert not list(tmp_path.iterdir())
