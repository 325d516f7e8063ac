"""`softdock stability`: from numbers, from scenarios, as JSON, with charts; bad input ends as one
message."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import softdock
from softdock.cli.main import cli
from softdock.studies.stability import critical_damping, predicted_restitution

NUMBERS = ["--mass", "60", "--stiffness", "1000", "--damping", "50", "--delay-ms", "16"]
KEYS = {
    "critical_delay_s",
    "critical_damping_Ns_per_m",
    "critical_damping_upper_Ns_per_m",
    "crossing_frequency_rad_per_s",
    "stable",
    "predicted_restitution",
    "margins",
}


def stability(*arguments: str, expect: int = 0):
    flown = [] if "--with-runs" in arguments or "--mass" in arguments else ["--no-runs"]
    asked = [one for one in arguments if one != "--with-runs"]
    result = CliRunner().invoke(cli, ["stability", *asked, *flown])
    assert result.exit_code == expect, result.output
    return result


def as_json(*arguments: str) -> dict:
    return json.loads(stability(*arguments, "--json").stdout)


def test_numbers_without_a_scenario():
    """The continuous loop, by the golden numbers; all promised keys, and JSON alone."""
    found = as_json(*NUMBERS)
    assert set(found) >= KEYS
    assert 1e3 * found["critical_delay_s"] == pytest.approx(49.30850, abs=6e-6)
    assert found["crossing_frequency_rad_per_s"] == pytest.approx(4.125228, abs=6e-7)
    assert found["stable"] is True
    assert found["margins"]["delay_s"] == pytest.approx(found["critical_delay_s"] - 0.016)
    assert found["predicted_restitution"] == pytest.approx(
        predicted_restitution(60.0, 1000.0, 50.0, 0.016)
    )


def test_numbers_with_a_cycle():
    """Mass, held force, delay: the sampled loop."""
    found = as_json(
        "--mass",
        "15.6",
        "--stiffness",
        "3000",
        "--damping",
        "50",
        "--delay-ms",
        "16",
        "--cycle-ms",
        "4",
    )
    assert found["critical_damping_Ns_per_m"] == pytest.approx(55.17447, abs=6e-6)
    assert found["stable"] is False  # and the exit code is 0 all the same
    assert found["margins"]["damping_Ns_per_m"] == pytest.approx(50.0 - 55.17447, abs=6e-6)


def test_beyond_the_nose():
    """null, and words that say what can help."""
    found = as_json("--mass", "60", "--stiffness", "1000", "--delay-ms", "200")
    assert found["critical_damping_Ns_per_m"] is None
    assert found["critical_damping_upper_Ns_per_m"] is None
    assert any("No damping helps" in sentence for sentence in found["sentences"])


def test_a_preset_in_words():
    """Verdict, what limits it, which damping, the budget."""
    text = stability("epos_1d", "--wanted-restitution", "0.9").stdout
    for words in (
        "Linear analysis, sampled loop of contact.0: adds energy",
        "whole delay",
        "not stable",
        "Rebound speed is 111.9 % of the approach speed",
        "Ns/m of virtual damping",
        "restitution of 0.9",
        "delay budget",
        "hand-over",
    ):
        assert words in text


def test_the_page_shows_what_the_command_prints():
    """The example of docs/stability.md is what the command prints, word by word; so are the numbers
    of its Python block."""
    page = (Path(__file__).parents[2] / "docs" / "stability.md").read_text(encoding="utf-8")
    shown = page.split("```\n")[1].strip()
    assert stability("epos_1d", "--wanted-restitution", "0.9").stdout.startswith(shown)
    code = page.split("```python\n")[1]
    found = re.findall(r"^softdock\.(stability\.\w+\([^#]*\))  # ([\d.]+)", code, re.M)
    assert len(found) == 4
    for call, value in found:
        digits = len(value.partition(".")[2])
        assert eval(call, {"stability": softdock.studies.stability}) == pytest.approx(
            float(value), abs=0.6 * 10.0**-digits
        ), call


def test_a_preset_with_changed_keys():
    """--set changes the scenario; its own cycle, sensor and integrator are analysed."""
    found = as_json(
        "epos_1d",
        "--set",
        "contact.0.real.damping_Ns_per_m=30",
        "--set",
        "robots.chaser.delay_ms=8",
    )
    assert found["safe"] is True
    assert found["given"]["delay_s"] == pytest.approx(0.008)
    assert found["critical_damping_Ns_per_m"] == pytest.approx(
        critical_damping(63.0, 1000.0, 0.008, cycle=0.004)
    )


def test_a_range_of_effective_masses_is_shown():
    """A contact with many normals: smallest mass analysed, range said."""
    found = as_json("epos_3d")
    low, high = found["given"]["mass_range_kg"]
    assert found["given"]["mass_kg"] == low < high
    assert any("effective mass from" in note for note in found["given"]["notes"])


def test_uncertain_parameters():
    """Worst case and probability, as text and as JSON."""
    arguments = [
        *NUMBERS,
        "--uncertain",
        "stiffness=20%",
        "--uncertain",
        "delay_ms=40~5",
        "--samples",
        "500",
    ]
    found = as_json(*arguments)["robust"]
    assert found["worst_case"]["stiffness"] == pytest.approx(1200.0)
    assert 0.0 < found["probability_stable"] < 1.0
    assert "of 500 draws" in stability(*arguments).stdout


def test_a_chart_with_dots(tmp_path):
    """A page with the operating point and measured runs, in one call."""
    file = tmp_path / "chart.html"
    found = as_json(
        *NUMBERS,
        "--chart",
        str(file),
        "--figure",
        "10",
        "--dot",
        "16:0:1.11",
        "--dot",
        "16:30",
        "--vary",
        "stiffness=948,1066,1184",
    )
    assert found["chart"] == str(file)
    assert "k = 1066 N/m" in file.read_text(encoding="utf-8")


def test_a_run_is_a_dot(tmp_path):
    """A stored run stands on the chart where its scenario is, with the restitution it measured."""
    run = softdock.simulate(softdock.load_scenario("epos_1d", ["time.duration_s=2"]))
    run.save(tmp_path / "run")
    file = tmp_path / "chart.html"
    stability("epos_1d", "--chart", str(file), "--figure", "7", "--run", str(tmp_path / "run"))
    data = file.read_text(encoding="utf-8").split('id="stability">')[1].split("</script>")[0]
    (dot,) = json.loads(data)[0]["runs"]
    assert dot["restitution"] == pytest.approx(run.restitution)
    assert (dot["delay_ms"], dot["value"]) == (pytest.approx(16.0), 0.0)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--mass", "60", "--stiffness", "0", "--delay-ms", "16"], "stiffness"),
        (["--mass", "60", "--stiffness", "1000", "--damping", "-5", "--delay-ms", "16"], "damping"),
        (["--mass", "60", "--stiffness", "1000"], "--delay-ms"),
        ([], "--mass"),
        (["epos_1d", "--mass", "60"], "--mass"),
        (["oos_sim"], "contact"),
        (["no_such_preset"], "no_such_preset"),
        ([*NUMBERS, "--set", "a=1"], "--set"),
        ([*NUMBERS, "--chart", "chart.pdf"], "chart"),
        ([*NUMBERS, "--uncertain", "colour=1:2"], "--uncertain"),
        ([*NUMBERS, "--uncertain", "mass=heavy"], "--uncertain"),
        ([*NUMBERS, "--chart", "c.html", "--dot", "16"], "--dot"),
        ([*NUMBERS, "--chart", "c.html", "--run", "no_such_folder"], "no_such_folder"),
    ],
)
def test_bad_input(arguments, named):
    """One message that names what is wrong; exit code 2; nothing on standard output."""
    result = stability(*arguments, expect=2)
    assert named in result.stderr
    assert "Traceback" not in result.output
    assert not result.stdout
