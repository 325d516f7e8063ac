"""A rig with one robot and a bolted client: no page, table, scene, place or log has a second
robot. And the exit code that a verdict may set."""

from __future__ import annotations

import re

import numpy as np
import pytest
from click.testing import CliRunner

import softdock
from softdock.cli.arguments import FAILING, exit_if_failed
from softdock.cli.main import FAILED, cli
from softdock.errors import BadInput
from softdock.output.pages.recording import recording_page
from softdock.output.pages.run.page import run_page
from softdock.recording.logs.mapping import parse_map
from softdock.results.scene import build_scene
from softdock.results.simulation import simulate
from softdock.scenario.files import load_scenario
from softdock.scenario.moving_robots import moving_robots

PRESET = "one_robot_wall"
MAP = """
schema = 1
[clock.log]
column = "time"
[chaser.command]
position = ["command.chaser.position.x", "command.chaser.position.y", "command.chaser.position.z"]
attitude = [1.0, 0.0, 0.0, 0.0]
[chaser.measured]
position = ["mock_up.chaser.position.x", 0.0, 0.0]
attitude = [1.0, 0.0, 0.0, 0.0]
[chaser.satellite]
same_as = "command"
[chaser.wrench]
force = ["measured.chaser.force.x", 0.0, 0.0]
torque = [0.0, 0.0, 0.0]
[chaser.wrench_on_satellite]
same_as = "wrench"
"""


@pytest.fixture(scope="module")
def flown():
    return simulate(load_scenario(PRESET, ["time.duration_s=0.8"]))


def read(page):
    """What a person reads of a page, without its charts and what is folded away."""
    for part in ("script", "style", "details"):
        page = re.sub(rf"<{part}.*?</{part}>", "", page, flags=re.S)
    return re.sub(r"<[^>]+>", " ", page)


def call(*words):
    return CliRunner().invoke(cli, [str(word) for word in words])


def test_which_robots_a_rig_has():
    """A fixed body has none; one that shares the relative motion, or whose arm is stated, has."""
    one = load_scenario(PRESET)
    assert moving_robots(one.tables) == ("chaser",)
    shared = one.replace({"laboratory.mapping": "shared", "laboratory.chaser_share": 0.5})
    assert moving_robots(shared.tables) == ("chaser", "target")
    assert moving_robots(one.tables | {"facility": {"target": {"arm": "kr16"}}})[1] == "target"
    assert moving_robots(load_scenario("epos_3d").tables) == ("chaser", "target")


def test_a_fixed_body_needs_no_mass():
    """Its mass changes no number of a run; a body that moves is refused without one."""
    one = load_scenario(PRESET)
    del one.tables["target"]["mass_kg"], one.tables["target"]["inertia_kg_m2"]
    light = one.replace({"target.mass_kg": 1.0, "time.duration_s": 0.8})
    plain = one.replace({"time.duration_s": 0.8})
    assert np.array_equal(simulate(light).series.rows, simulate(plain).series.rows)
    with pytest.raises(BadInput, match=r"target\.mass_kg"):
        one.replace({"target.fixed": False})


def test_pages_and_scenes_have_no_second_robot(flown, tmp_path):
    """No row, line or drawn satellite of a client that is bolted to the floor."""
    text = read(run_page(flown))
    for absent in ("target's robot", "Target velocity", "Target's position", "both satellites"):
        assert absent not in text
    assert "chaser's robot" in text
    assert "momentum" not in text.split("Fidelity")[-1].replace("Linear momentum", "")
    parts = build_scene(flown).parts
    assert "target's mount" in [part.name for part in parts]
    assert "target" not in [part.name for part in parts]
    recording = softdock.open_recording(flown.save_mcap(tmp_path / "run.mcap"), as_rig=True)
    assert "target, commanded" not in recording_page(recording)


def test_one_arm_is_placed():
    """`place` looks for places for the robot that there is; two arms are asked for by two names."""
    from softdock.loop.arms.facility import Facility
    from softdock.studies.placement.place import choose_robots

    there = moving_robots(load_scenario(PRESET).tables)
    assert choose_robots(Facility(), ("kr16",), None, there) == {"chaser": "kr16"}
    assert list(choose_robots(Facility(), ("kr16", "kr120"), None, there)) == ["chaser", "target"]


def test_a_log_without_a_target(flown, tmp_path):
    """A target that no column names is fixed by the map or by the attached scenario: observed
    energy, contacts and page are those of a log that says where it stands; a log that says neither
    has no observed energy."""
    file = tmp_path / "log.csv"
    names = [n for n in flown.series if n == "time" or ".chaser." in n or n.startswith("chaser.")]
    rows = np.stack([flown.series[n] for n in names], axis=1)
    np.savetxt(file, rows, fmt="%.17g", delimiter=",", header=",".join(names), comments="")
    said = MAP + "".join(
        f"[target.{kind}]\nposition = [0.0, 0.0, 0.0]\nattitude = [1.0, 0.0, 0.0, 0.0]\n"
        for kind in ("command", "measured", "satellite")
    )
    said += "[target.wrench_on_satellite]\nforce = [0.0, 0.0, 0.0]\ntorque = [0.0, 0.0, 0.0]\n"
    known = softdock.import_log(file, parse_map(said))
    by_map = softdock.import_log(file, parse_map(MAP + "[target]\nfixed = true\n"))
    by_scenario = softdock.import_log(file, parse_map(MAP), scenario=PRESET)
    for found in (by_map, by_scenario):
        assert np.array_equal(found.observed, known.observed)
        assert found.contacts == known.contacts
        assert "target, commanded" not in recording_page(found)
    assert softdock.import_log(file, parse_map(MAP)).observed is None
    with pytest.raises(BadInput, match=r"target\.fixed"):
        parse_map(MAP + "[target]\nfixed = 1\n")
    assert call("import", file, "--guess").exit_code == 0
    assert "[target]" in (tmp_path / "log.map.toml").read_text()
    assert "fixed = true" in (tmp_path / "log.map.toml").read_text()


@pytest.mark.parametrize("asked", FAILING)
def test_exit_codes_of_the_verdict(asked):
    """`--fail-on` ends `run` and `stability` with 4 at the words it names, and with 0 at others."""
    for command in ("run", "stability"):
        line = [command, "--json", "--fail-on", asked, "--set", "time.duration_s=0.8"]
        assert call(*line, PRESET).exit_code == FAILED
        assert call(*line[:-1], "robots.chaser.delay_ms=0", "epos_1d").exit_code == 0
    assert call("stability", "--mass", 1, "--stiffness", 9, "--fail-on", asked).exit_code == 2


def test_what_fails():
    """Distorted fails at unsafe too; no verdict fails nothing."""
    for asked, word in (
        ("unsafe", "distorted"),
        ("unsafe", "no verdict"),
        ("distorted", "faithful"),
    ):
        exit_if_failed(asked, {"word": word})
    exit_if_failed("distorted", None)
    exit_if_failed(None, {"word": "unsafe"})
    for asked, word in (("unsafe", "unsafe"), ("distorted", "unsafe"), ("distorted", "distorted")):
        with pytest.raises(Exception, match=str(FAILED)):
            exit_if_failed(asked, {"word": word})
