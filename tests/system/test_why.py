"""`softdock why`: causes switched off, their shares, the sentence."""

import json

import pytest
from click.testing import CliRunner

from softdock.analysis.causes import causes
from softdock.analysis.why import _orders, sentence, switched_off, why
from softdock.cli.main import cli
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
    names = [cause.name for cause in causes(rig)]
    assert "sensor: filter" in names
    assert "chaser's tool: weight" in names
    assert "sensor: bias" not in names
    assert "friction" not in names
    ideal = switched_off(rig, causes(rig))
    assert [cause.name for cause in causes(ideal)] == ["cycle"]  # a cycle can always be finer


def test_delay_is_found():
    """EPOS on one axis: the delay is nearly all of it, and its share is said."""
    found = why(load_scenario("epos_1d"), phases=1)
    assert found["rows"][0]["cause"] == "chaser's robot: delay"
    assert found["rows"][0]["share_of_distance"] > 0.6
    assert found["rows"][0]["distance_left"] < 0.2 * found["distance_from_orbit"]
    assert sum(row["share_of_distance"] for row in found["rows"]) == pytest.approx(1.0)


def test_weight_is_found_before_delay():
    """300 g that nobody compensates for 6 s are more than 2 ms of delay, and the ledger's row
    sensor has their joules."""
    rig = load_scenario(
        "epos_3d",
        {**QUICK, **TOOL, "robots.chaser.delay_ms": 2.0, "robots.target.delay_ms": 2.0},
    )
    found = why(rig, phases=1, orders=2)
    assert found["rows"][0]["cause"] == "chaser's tool: weight"
    assert found["rows"][0]["of_sensor_row_J"] == pytest.approx(found["sensor_row_J"], rel=0.3)
    assert "chaser's tool: weight" in found["sentence"]
    assert "uncompensated weight" in found["free_flight"]


def test_the_sentence_follows_the_numbers():
    """Shares swapped: the order of the sentence is swapped; nothing above the bound: it says so."""
    rows = [
        {"cause": "a", "what": "w", "share_of_distance": s, "distance_left": 0.1, "helps": "h"}
        for s in (0.7, 0.3)
    ]
    rows[1]["cause"] = "b"
    result = {"distance_from_orbit": 0.4, "rows": rows}
    assert "a (70 % of it; w), then b (30 % of it; w)" in sentence(result)
    result["rows"] = rows[::-1]
    assert sentence(result).index("b (30 %") < sentence(result).index("a (70 %")
    for row in rows:
        row["share_of_distance"] = 0.001
    assert "no single cause" in sentence(result)


def test_orders_are_all_or_come_in_pairs():
    """Three causes: all six orders. Many: as many as asked, each with its reverse."""
    assert len(set(_orders(3, 12))) == 6
    many = _orders(8, 12)
    assert len(many) == 12
    assert all(tuple(reversed(order)) in many for order in many)


def test_the_command(monkeypatch):
    """JSON alone on standard output; the judgement first in words."""
    result = CliRunner().invoke(cli, ["why", "epos_1d", "--phases", "1", "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["judgement"]["word"] == "unsafe"
    shown = CliRunner().invoke(cli, ["why", "epos_1d", "--phases", "1"])
    assert shown.stdout.startswith("Unsafe:")
    assert CliRunner().invoke(cli, ["why", "no_such"]).exit_code == 2
