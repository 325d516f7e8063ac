"""Comparisons: what their rows say, their order, the recommendation and its words."""

from __future__ import annotations

import tomllib

import numpy as np
import pytest
from scenarios import epos_wall

from softdock import build, simulate
from softdock.methods.registry import METHODS
from softdock.studies.compare import compare
from softdock.studies.compare.ranking import find_worst, rank, recommend
from softdock.studies.compare.settings import advise_settings
from softdock.studies.stability.analysis import total_delay
from softdock.studies.stability.from_scenario import loops_of
from softdock.studies.stability.impact_restitution import restitution_of_loop


def test_a_comparison_says_what_its_runs_say():
    """Rank, numbers and cost of the raw loop on EPOS 1-D: the less effective delay an integrator
    has, the nearer to orbit."""
    comparison = compare(epos_wall(), "direct", "all", phases=1)
    assert [r["integrator"] for r in comparison.ranked] == [
        "symplectic_euler",
        "exact_hold",
        "lie_rk4",
        "lie_midpoint",
        "lie_split",
        "forward_euler",
    ]
    for row in comparison.ranked:
        alone = simulate(epos_wall(integrator=row["integrator"])).metrics
        for key in (
            "status",
            "restitution",
            "energy_ratio",
            "energy_added_J",
            "error_against_orbit",
            "contact_count",
        ):
            assert row[key] == alone[key]
        assert 20.0 < row["cost_ns_per_cycle"] < 1e6
        assert row["cost_ratio_to_direct"] == 1.0
        assert row["knows"] == "no parameter"
        assert row["worst"] is None
    assert comparison.results["orbit"]["restitution"] == alone["reference"]["restitution"]
    orbit, first = comparison.curves[:2]
    assert orbit.label == "orbit"
    assert first.label == comparison.ranked[0]["label"]
    assert first.energy_added_J[-1] == pytest.approx(
        comparison.ranked[0]["energy_added_J"], rel=1e-9
    )
    assert first.off_m[0] == 0.0


def test_every_method_is_measured_as_it_suggests_itself():
    """On EPOS 1-D: each row is the run of its own settings; what must be known gets its errors;
    remedies beat the raw loop, the observer is the raw loop."""
    comparison = compare(epos_wall(), integrators="exact_hold", phases=1)
    rows = {row["method"]: row for row in comparison.ranked}
    assert set(rows) == {name for name, method in METHODS.items() if not method.is_plug_in}
    assert not comparison.results["refused"]
    for name, row in rows.items():
        assert (
            row["error_against_orbit"]
            == simulate(epos_wall() | {"methods": row["settings"]}).metrics["error_against_orbit"]
        )
        told = {belief.kind for belief in METHODS[name].needs}
        assert {e["kind"] for e in row["knowledge_errors"]} == told | (
            {"wanted"} if name == "remapping" else set()
        )
    for remedy in ("hybrid", "adaptive_damping"):
        assert rows[remedy]["error_against_orbit"] < 0.1 * rows["direct"]["error_against_orbit"]
        assert rows[remedy]["worst"]["error_against_orbit"] < rows["direct"]["error_against_orbit"]
    assert rows["monitor"]["error_against_orbit"] == rows["direct"]["error_against_orbit"]


def test_phases_give_means():
    """The mean over two phases is that of the two runs."""
    (row,) = compare(epos_wall(), "direct", "exact_hold", phases=2).ranked
    alone = [simulate(epos_wall(phase=p)).metrics["error_against_orbit"] for p in (0.0, 0.5)]
    assert row["error_against_orbit"] == pytest.approx(np.mean(alone), rel=1e-9)
    assert (row["error_against_orbit_min"], row["error_against_orbit_max"]) == pytest.approx(
        (min(alone), max(alone)), rel=1e-9
    )


def test_a_run_that_stopped_ranks_last():
    """A hard stop by force makes no recommendation."""
    comparison = compare(
        epos_wall() | {"stop": {"force_N": 2.0}}, "direct", "exact_hold,forward_euler"
    )
    assert {r["status"] for r in comparison.ranked} == {"force limit"}
    assert "every run stopped early" in comparison.recommendation


def test_the_recommended_integrator_is_the_better_of_two():
    """One row a method by default, judged at eight phases, with the lines to paste and orbit's
    peak beside it."""
    comparison = compare(epos_wall(), "direct")
    (row,) = comparison.ranked
    assert row["integrator"] == "symplectic_euler"
    assert row["verdict"]["runs"] == 8
    assert row["verdict"]["word"] == "unsafe"
    assert row["error_against_orbit_worst"] >= row["error_against_orbit_max"]
    assert comparison.results["orbit"]["peak_force_N"] == pytest.approx(5.02, abs=0.01)
    pasted = tomllib.loads(comparison.results["paste"])
    assert pasted == {
        "satellites": {"integrator": "symplectic_euler"},
        "methods": [{"name": "direct"}],
    }


def test_methods_are_set_as_stability_advises():
    """Virtual damping that makes the sampled impact neutral, lag and integrator counted; the hold
    in the delay once, because the method adds half a cycle itself."""
    scenario = build(epos_wall())
    damping = advise_settings("hybrid", scenario)["damping_Ns_per_m"][0]
    loop = loops_of(scenario)[0].loop
    assert restitution_of_loop(loop.changed(virtual_damping=damping)) == pytest.approx(1, abs=1e-3)
    lagging = scenario.replace({"robots.chaser.model": "lag", "robots.chaser.lag_Hz": 10.0})
    assert advise_settings("hybrid", lagging)["damping_Ns_per_m"][0] > 1.2 * damping
    assert advise_settings("adaptive_damping", scenario)["delay_ms"] == pytest.approx(
        1e3 * total_delay(loop) - 2.0
    )
    assert advise_settings("direct", scenario) == {}


# The order and the recommendation


def row(
    method: str,
    distance: float | None,
    energy: float | None = 0.1,
    status: str = "completed",
    errors: tuple = (),
    knows: str = "nothing",
) -> dict:
    errors = [
        {
            "kind": k,
            "error_percent": p,
            "status": s,
            "error_against_orbit": d,
            "energy_added_J": 0.0,
        }
        for k, p, s, d in errors
    ]
    made = {
        "method": method,
        "integrator": "exact_hold",
        "status": status,
        "error_against_orbit": distance,
        "energy_added_J": energy,
    }
    return made | {
        "restitution": 1.01,
        "knows": knows,
        "knowledge_errors": errors,
        "worst": find_worst(errors),
    }


ORBIT = {"restitution": 1.0, "contact_count": 1}


def test_the_order():
    """Stopped runs last, then by distance, then by the size of the energy; what is equal to 1e-9
    stays as listed."""
    rows = [
        row("stopped", 0.0, status="diverged"),
        row("unknown", None),
        row("b", 0.02, -0.3),
        row("a", 0.01),
        row("c", 0.02, 0.2),
        row("a2", 0.01 + 1e-12),
    ]
    ranked = rank(rows)
    assert [r["method"] for r in ranked] == ["a", "a2", "c", "b", "unknown", "stopped"]
    assert [r["rank"] for r in ranked] == [1, 2, 3, 4, 5, 6]


def test_the_recommendation_in_words():
    """What to use, what it must know, what is left with that wrong; and what is safer."""
    errors = (
        ("delay", -30.0, "completed", 0.03),
        ("delay", 30.0, "completed", 0.04),
        ("delay", 10.0, "completed", 0.9),
        ("tool_mass", 1.0, "diverged", None),
    )
    best, safe = row("led", 0.001, errors=errors[:2], knows="the delay"), row("safe", 0.01)
    text = recommend(rank([best, safe]), ORBIT)
    assert text.startswith(
        "Use led with exact_hold: its worst error against the on-orbit reference is 0.1 % of the "
        "approach speed (restitution 1.010, on orbit 1.000)"
    )
    assert "It needs the delay." in text
    assert "With the delay wrong by 30 % the error is still 4 %." in text
    assert "use safe with exact_hold: its error is never above 1 %" in text
    assert "the tool's mass wrong by 1 % it stops early: diverged" in recommend(
        rank([row("led", 0.001, errors=errors)]), ORBIT
    )
    assert recommend(rank([row("raw", 0.2)]), ORBIT).startswith(
        "No compared method is within limits; the nearest is raw with exact_hold"
    )
    assert "every run stopped early" in recommend(rank([row("raw", 0.2, status="diverged")]), ORBIT)
    assert "none runs" in recommend([], ORBIT)
    assert "No error against the on-orbit reference" in recommend(rank([row("raw", None)]), ORBIT)


def test_only_a_faithful_method_is_recommended():
    """A verdict that is worse than faithful is said in the same sentence, with right and with wrong
    parameters."""

    def judged(method, distance, word="faithful", wrong=(), **more):
        errors = tuple(("delay", percent, "completed", d) for percent, d, _ in wrong)
        made = row(method, distance, errors=errors, **more)
        for error, (_, _, its_word) in zip(made["knowledge_errors"], wrong, strict=True):
            error["word"] = its_word
        excess = distance / 0.05
        return made | {"verdict": {"word": word, "criteria": {"distance": {"excess": excess}}}}

    distorted = judged("passivity", 0.0001, "distorted")
    best = judged("led", 0.001, wrong=[(30.0, 0.04, "faithful")])
    text = recommend(rank([distorted, best]), ORBIT)
    assert text.startswith("Use led")
    assert "passivity" not in text

    best = judged("led", 0.001, wrong=[(30.0, 0.2, "unsafe")])
    text = recommend(rank([distorted, best]), ORBIT)
    assert "With the delay wrong by 30 % the error is 20 % and the verdict unsafe." in text
    assert text.endswith(
        "With parameters as wrong as these no method is faithful; the nearest is passivity with "
        "exact_hold, distorted: its error is never above 0.01 %."
    )
    sure = judged("sure", 0.04)
    text = recommend(rank([distorted, best, sure]), ORBIT)
    assert text.endswith(
        "With less certain parameters use sure with exact_hold: its error is never above 4 %."
    )
    assert recommend(rank([distorted]), ORBIT).startswith(
        "No compared method is within limits; the nearest is passivity with exact_hold, "
        "distorted: its worst error"
    )
