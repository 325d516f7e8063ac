"""Which method `compare` advises by default: one that vouches for its own runs, and only where it
does."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from softdock import build
from softdock.methods.registry import METHODS
from softdock.studies.compare import ranking
from softdock.studies.compare.ranking import collect_vouching, compute_energy_ratio, rank, recommend

SURE = {
    "contacts": 1.0,
    "contacts_by_ledger": 0.0,
    "contact_0_law": "spring",
    "contact_0_misfit": 1e-9,
    "contact_0_misfit_of_noise": 0.1,
    "contacts_too_long": 0.0,
}
SABOTAGE = {
    "the ledger had a contact": {"contacts_by_ledger": 1.0},
    "no law explains it": {"contact_0_misfit": 0.2, "contact_0_misfit_of_noise": 40.0},
    "a contact was too long": {"contacts_too_long": 2.0},
    "a pair was touched and never felt": {"contact_1_unfelt": True},
    "the samples hardly tell a stiffness": {"contact_0_stiffness_spread": 0.5},
}


def run_of(books: dict[str, Any], speed: float = 0.02, external: float = 0.0) -> Any:
    """A run as far as it is asked: 63 kg that came with 0.02 m/s and leaves with `speed`."""
    tables = {
        "time": {"cycle_ms": 4.0, "duration_s": 1.0},
        "chaser": {"mass_kg": 63.0, "inertia_kg_m2": [10.0, 10.0, 10.0]},
        "target": {"fixed": True, "mass_kg": 1.0, "inertia_kg_m2": [1.0, 1.0, 1.0]},
    }
    turn, zero = np.array([[1.0, 0.0, 0.0, 0.0]] * 2), np.zeros((2, 3))
    series = {f"{b}.{p}": zero for b in ("chaser", "target") for p in ("position", "rate")}
    series |= {f"{b}.attitude": turn for b in ("chaser", "target")}
    series |= {"target.velocity": zero}
    series["chaser.velocity"] = np.array([[-0.02, 0.0, 0.0], [speed, 0.0, 0.0]])
    return SimpleNamespace(
        scenario=build(tables),
        series=series,
        metrics={"ledger": {"external_J": external}},
        method_books={"model_mediated": books},
    )


def test_a_method_vouches_only_for_what_it_learned():
    """`model_mediated` is advised by what its own books say; each thing that it could not learn,
    each joule too much and each other verdict takes that away."""
    chain = [METHODS["model_mediated"]]
    good = collect_vouching(chain, [run_of(SURE), run_of(SURE)], "faithful")
    assert good == {"holds": True, "reasons": [], "energy_ratio": pytest.approx(1.0)}
    for what, change in SABOTAGE.items():
        spoiled = collect_vouching(chain, [run_of(SURE), run_of(SURE | change)], "faithful")
        assert spoiled["reasons"], what
        assert not spoiled["holds"]
    nothing = {key: value for key, value in SURE.items() if key != "contact_0_law"}
    assert not collect_vouching(chain, [run_of(nothing)], "faithful")["holds"]
    assert not collect_vouching(chain, [run_of(SURE, speed=0.0202)], "faithful")["holds"]
    assert not collect_vouching(chain, [run_of(SURE)], "distorted")["holds"]
    assert collect_vouching([METHODS["energy_ledger"]], [run_of({})], "faithful") is None


def test_energy_from_outside_is_no_gain():
    """A thruster's work is allowed for; a rig's is not."""
    gained = 0.5 * 63.0 * (0.03**2 - 0.02**2)
    assert compute_energy_ratio(run_of(SURE, speed=0.03)) == pytest.approx(2.25)
    assert compute_energy_ratio(run_of(SURE, speed=0.03, external=gained)) == pytest.approx(1.0)


def _row(method: str, distance: float, vouch: Any = None, word: str = "faithful") -> dict[str, Any]:
    return {
        "method": method,
        "integrator": "exact_hold",
        "status": "completed",
        "error_against_orbit": distance,
        "energy_added_J": 0.0,
        "restitution": 1.0,
        "knows": "nothing",
        "knowledge_errors": [],
        "worst": None,
        "verdict": {"word": word, "criteria": {"distance": {"excess": distance / 0.05}}},
        "vouch": vouch,
    }


def test_the_default_advice():
    """One that vouches comes before a nearer one that must be told, says why, and falls back into
    the line where it does not vouch, with its reasons."""
    orbit = {"restitution": 1.0, "contact_count": 1}
    sure = {"holds": True, "reasons": [], "energy_ratio": 0.9987}
    ranked = rank([_row("told", 1e-6), _row("learned", 1e-4, sure)])
    assert [r["method"] for r in ranked] == ["learned", "told"]
    text = recommend(ranked, orbit)
    assert text.startswith("Use learned")
    assert "never exceeds 99.87 %" in text
    unsure = {"holds": False, "reasons": ["no law explains contact 0"], "energy_ratio": 1.0}
    ranked = rank([_row("learned", 1e-4, unsure), _row("told", 1e-6)])
    assert [r["method"] for r in ranked] == ["told", "learned"]
    text = recommend(ranked, orbit)
    assert "learned is not ranked first: no law explains contact 0." in text
    ranked = rank([_row("told", 0.01), _row("learned", 1e-4, sure, word="distorted")])
    assert ranked[0]["method"] == "told"
    assert ranking.ALLOWED == 1.01
