"""`softdock place`: places, the table written back, the check, and what is refused."""

from __future__ import annotations

import json

import pytest
from browser import chromium, opened
from click.testing import CliRunner

from softdock.cli.main import cli
from softdock.scenario.files import preset_text


def run(*arguments, expect=0):
    result = CliRunner().invoke(cli, list(arguments))
    assert result.exit_code == expect, result.output
    return result


@pytest.fixture(scope="module")
def placed(tmp_path_factory):
    """Places for both robots of Lange's cone, few candidates; and a scenario with the table in."""
    folder = tmp_path_factory.mktemp("place")
    out = folder / "out"
    result = run(
        "place", "lange_cone", "--arm", "kr16", "--candidates", "40", "--out", str(out), "--json"
    )
    scenario = folder / "scenario.toml"
    table = (out / "facility.toml").read_text()
    scenario.write_text(preset_text("lange_cone") + "\n" + table)
    return out, json.loads(result.stdout), scenario


def test_the_table_written_back_is_checked(placed):
    """The facility that was found fits when it is read again, and JSON says the same numbers."""
    out, data, scenario = placed
    assert data == json.loads((out / "placement.json").read_text())
    again = json.loads(run("place", str(scenario), "--check", "--json").stdout)
    assert again["fits"]
    for robot in ("chaser", "target"):
        first, second = (d["robots"][robot]["uses"]["range"] for d in (data["check"], again))
        assert first["use"] == pytest.approx(second["use"], abs=1e-6)
        assert data["robots"][robot]["best"][0]["limited_by"]
    assert "Fits" in run("check", str(scenario)).output
    assert "joint range" in run("place", str(scenario), "--check").output


def test_the_workspace_that_a_nominal_motion_saves_is_said(placed):
    """A target that tumbles at 0.3 rad/s: its robot carries it as the scenario maps it, and rests
    relative to its free motion."""
    spin = "target.rate_rad_per_s=[0.0, 0.0, 0.3]"
    words = ("place", str(placed[2]), "--set", spin, "--check", "--motion", "nominal")
    result = CliRunner().invoke(cli, list(words))
    (said,) = (line for line in result.output.splitlines() if line.startswith("target's tip:"))
    relative, absolute = (
        float(part.split(" mm and ")[1].split(" deg")[0]) for part in said.split(";")
    )
    assert relative < 0.2 * absolute
    assert absolute > 20.0


def test_the_loop_does_not_read_the_table(placed):
    """A scenario with a facility is the same scenario to the loop, to the last number."""
    from softdock.scenario.files import load_scenario

    with_table, without = load_scenario(str(placed[2])), load_scenario("lange_cone")
    assert (with_table.vector == without.vector).all()
    assert with_table.markers == without.markers


def test_what_does_not_fit_is_refused(placed):
    """A base too far away: exit code 2, with joint, instant and what would help."""
    scenario = str(placed[2])
    far = run("place", scenario, "--check", "--set", "facility.chaser.base_m=[-6,0,0]", expect=2)
    assert "unreachable at the start, joint A3" in far.output
    assert "mm nearer" in far.output
    assert "unreachable" in run(
        "check", scenario, "--set", "facility.chaser.base_m=[-6,0,0]", expect=2
    ).output  # fmt: skip
    places = [f"facility.{robot}.base_m=[0,0,0]" for robot in ("chaser", "target")]
    text = run("check", scenario, "--set", places[0], "--set", places[1], expect=2)
    assert "from the chaser's base" in text.output


def test_bad_arguments_end_as_one_message():
    """No arm, an unknown arm, --check without a table: exit code 2 and what is allowed."""
    assert "kr16" in run("place", "lange_cone", expect=2).output
    assert "did you mean 'kr16'" in run("place", "lange_cone", "--arm", "kr61", expect=2).output
    assert "[facility]" in run("place", "lange_cone", "--check", expect=2).output


@pytest.mark.browser
def test_the_page_opens(placed):
    """The map and the joints are drawn, nothing is requested and nothing complains."""
    with chromium() as browser, opened(browser, placed[0] / "report.html") as page:
        page.drawn()
        assert page.page.locator("#chart-map-chaser .heatmaplayer image").count() >= 1
        assert page.requests == []
        assert page.complaints == []
