"""Comparisons tell methods the stiffness that a commanded motion meets: surface, device and joints
in series."""

import pytest
from compliance_device import device

from softdock.results.simulation import simulate
from softdock.scenario.candidates import candidates
from softdock.scenario.files import load_scenario
from softdock.studies.compare.ranking import describe_distance, rank
from softdock.studies.compare.settings import advise_settings, compute_series_stiffness
from softdock.studies.stability.advice import advise
from softdock.studies.stability.from_scenario import loops_of

SURFACE, SPRING = 90e3, 1450.0
SERIES = 1.0 / (1.0 / SURFACE + 1.0 / SPRING)


def behind_springs():
    """A stiff surface met by a tip on a soft spring along the probe."""
    springs = device([5000.0, 5000.0, 5000.0, SPRING])
    return load_scenario(
        "epos_1d",
        {"contact.0.real.stiffness_N_per_m": SURFACE, "contact.0.device": springs},
    )


def elastic(stiffness):
    joint = {"joint_stiffness_N_per_m": stiffness, "moving_mass_kg": 2.0, "joint_damping_ratio": 0}
    keys = {f"robots.{body}.{k}": v for body in ("chaser", "target") for k, v in joint.items()}
    return load_scenario("epos_1d", {**keys, "time.plant_steps": 8})


def test_every_method_that_is_told_a_stiffness_is_told_the_series():
    """1427 N/m and not the 90 kN/m of the bare surface; and so are its errors of knowledge."""
    rig = behind_springs()
    assert compute_series_stiffness(rig, SURFACE) == pytest.approx(SERIES)
    able, _ = candidates(rig, "all", ["exact_hold"], advise_settings)
    told = {c.method: c.entries[0].get("stiffness_N_per_m") for c in able if len(c.methods) == 1}
    assert told["adaptive_damping"] == pytest.approx(SERIES)
    assert told["remapping"] == pytest.approx(SERIES)
    wanted = next(c for c in able if c.method == "remapping").entries[0]["wanted"]
    assert wanted["stiffness_N_per_m"] == pytest.approx(SERIES)


def test_a_method_told_the_series_is_near_orbit():
    """Doing nothing is 14 % wrong, adaptive damping told the series 0.2 %."""
    rig = behind_springs()
    able, _ = candidates(rig, ["direct", "adaptive_damping"], ["exact_hold"], advise_settings)
    raw, told = (simulate(c.scenario).metrics["error_against_orbit"] for c in able)
    assert raw > 0.1
    assert told < 0.01


def test_joints_are_springs_in_series():
    """The impact that stability predicts with joints of 3000 N/m at both ends is that of the run;
    as if rigid it would be 1.119."""
    rig = elastic(3000.0)
    (point,) = loops_of(rig)
    assert point.loop.stiffness == pytest.approx(600.0)
    predicted = advise(point.loop).analysis.predicted_restitution
    assert predicted == pytest.approx(simulate(rig).metrics["restitution"], abs=0.006)
    assert any("elastic joints are counted" in note for note in point.notes)
    able, _ = candidates(rig, ["adaptive_damping", "remapping"], ["exact_hold"], advise_settings)
    told = {c.method: c.entries[0]["stiffness_N_per_m"] for c in able}
    assert told["adaptive_damping"] == pytest.approx(600.0)
    assert told["remapping"] == 1000.0  # it takes the joints into account itself


def row(name, excess, word="faithful", status="completed"):
    return {
        "method": name,
        "status": status,
        "error_against_orbit": 0.01 if status == "completed" else None,
        "energy_added_J": 0.0,
        "verdict": {"word": word, "criteria": {"distance": {"excess": excess}}},
    }


def test_rows_rank_by_the_verdict():
    """Word first, then the largest excess over a bound; a run that stopped is last, and what is
    said of its distance is why it stopped."""
    rows = [
        row("stopped", None, "unsafe", "diverged"),
        row("far", 3.0, "distorted"),
        row("near", 1.5, "distorted"),
        row("good", 0.9),
        row("worst", None, "unsafe"),
    ]
    ranked = rank(rows)
    assert [r["method"] for r in ranked] == ["good", "near", "far", "worst", "stopped"]
    assert describe_distance(ranked[-1]) == "diverged"
    assert describe_distance(ranked[0]) == "1 %"
