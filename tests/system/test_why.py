"""`softdock why`: causes switched off, their shares, the sentence."""

import json

import pytest
from click.testing import CliRunner

from softdock.cli.main import cli
from softdock.results.causes import list_causes
from softdock.results.why import describe_causes, find_causes, switch_off
from softdock.scenario.files import load_scenario

QUICK = {"time.duration_s": 6.0, "sensor.noise_N": 0.0}
TOOL = {
    "mock_up.chaser.mass_kg": 2.0,
    "mock_up.chaser.believed.mass_kg": 1.7,
    "laboratory.gravity_m_per_s2": [0.0, 0.0, -9.81],
}


def test_a_rig_has_the_causes_that_it_has():
    """What is ideal already is no cause; each cause switched off leaves none of itself."""
    rig = load_scenario("epos_3d", {**TOOL, "sensor.lowpass_Hz": 40.0})
    names = [cause.name for cause in list_causes(rig)]
    assert "sensor: filter" in names
    assert "chaser's tool: weight" in names
    assert "sensor: bias" not in names
    assert "friction" not in names
    ideal = switch_off(rig, list_causes(rig))
    assert [cause.name for cause in list_causes(ideal)] == ["cycle"]  # a cycle can always be finer


def test_delay_is_found():
    """EPOS on one axis: the delay is nearly all of the energy that fails the verdict, and its share
    is said."""
    found = find_causes(load_scenario("epos_1d"), phases=1)
    first = found["rows"][0]
    assert (found["criterion"], first["cause"]) == ("energy", "chaser's robot: delay")
    assert first["share"] > 0.6
    assert first["left"] < 0.2 * found["number"]
    assert sum(row["share"] for row in found["rows"]) == pytest.approx(1.0)
    assert found["sentence"].startswith("Causes: 16 ms delay of the chaser's robot (89")


def test_the_cycle_is_not_blamed_for_an_ideal_integrator():
    """symplectic_euler takes out the half cycle that a held force is late: with it there is nothing
    left for the cycle, and all causes off leave nothing."""
    rig = load_scenario("epos_1d", {"satellites.integrator": "symplectic_euler"})
    found = find_causes(rig, phases=1)
    shares = {row["cause"]: row["share"] for row in found["rows"]}
    assert shares["chaser's robot: delay"] > 0.99
    assert shares["cycle"] < 1e-3
    assert abs(found["all_off"]) < 1e-4


def test_weight_is_found_before_delay():
    """300 g that nobody compensates for 6 s are more than 2 ms of delay, and the ledger's row
    sensor has their joules."""
    rig = load_scenario(
        "epos_3d",
        {**QUICK, **TOOL, "robots.chaser.delay_ms": 2.0, "robots.target.delay_ms": 2.0},
    )
    found = find_causes(rig, phases=1)
    assert found["rows"][0]["cause"] == "chaser's tool: weight"
    assert found["rows"][0]["of_sensor_row_J"] == pytest.approx(found["sensor_row_J"], rel=0.3)
    assert "weight of the chaser's tool" in found["sentence"]
    assert "uncompensated weight" in found["free_flight"]


def test_the_sentence_follows_the_numbers():
    """Shares swapped: the order of the sentence is swapped; nothing above the bound: it says so."""
    rows = [
        {"cause": what, "what": what, "share": s, "left": 0.01, "helps": "h"}
        for what, s in (("a", 0.7), ("b", 0.3))
    ]
    result = {"of": "the energy", "number": 0.4, "bound": 0.05, "rows": rows, "all_off": 0.2}
    said = describe_causes(result, ["hybrid"])
    assert said.startswith("Causes: a (70 % of the energy), then b (30 %).")
    assert "The energy is 40 % (limit 5 %); without them 1 % remains." in said
    assert "With all causes removed, 20 % remains: it comes from hybrid." in said
    result["rows"] = rows[::-1]
    assert describe_causes(result).startswith("Causes: b (30 % of the energy), then a (70 %).")
    for row in rows:
        row["share"] = 0.001
    assert "No single cause" in describe_causes(result)


def test_the_command(monkeypatch):
    """JSON alone on standard output; the verdict first in words."""
    result = CliRunner().invoke(cli, ["why", "epos_1d", "--phases", "1", "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["verdict"]["word"] == "unsafe"
    shown = CliRunner().invoke(cli, ["why", "epos_1d", "--phases", "1"])
    assert shown.stdout.startswith("UNSAFE. Rebound 112 %")
    assert "Main cause: 16 ms delay of the chaser's robot." in shown.stdout
    assert CliRunner().invoke(cli, ["why", "no_such"]).exit_code == 2
