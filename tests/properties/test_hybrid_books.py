"""Virtual elements keep the books: rows sum to the invented energy, what they absorb is stored or
dissipated, momentum is kept; gains change without a jump; the monitor pairs force and motion by
age, and acts."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from scenarios import (
    CHASER_INERTIA,
    TARGET_INERTIA,
    cone_docking,
    epos_wall,
    hard_for_the_core,
    sphere_on_sphere,
    whole_facility,
)
from turned import matrix

from softdock import Stepper, build, run_loop
from softdock.errors import BadInput
from softdock.loop.energy.ledger import ROWS
from softdock.methods.hybrid.virtual_contact import STATE

TIP = [-1.0, 0.0, 0.0]  # of cone_docking
FULL = {
    "stiffness_N_per_m": [200.0, 100.0, 50.0],
    "damping_Ns_per_m": [20.0, 10.0, 5.0],
    "rotation_stiffness_Nm_per_rad": [5.0, 3.0, 2.0],
    "rotation_damping_Nms_per_rad": [2.0, 1.0, 0.5],
}
NORMAL = {
    "stiffness_N_per_m": [300.0, 0.0, 0.0],
    "damping_Ns_per_m": [30.0, 0.0, 0.0],
    "rotation_stiffness_Nm_per_rad": [5.0, 3.0, 3.0],
    "rotation_damping_Nms_per_rad": [2.0, 1.0, 1.0],
}
CHANGES = [[0.4, 0.0, 0.0, 0.0, 60.0, 0.0, 0.0], [1.0, 800.0, 0.0, 0.0, 10.0, 0.0, 0.0]]


def hybrid(frame="normal", **keys):
    gains = NORMAL if frame == "normal" else FULL | {"tip_m": TIP}
    return {"name": "hybrid", "frame": frame, **copy.deepcopy(gains), **keys}


def with_methods(tables, *methods):
    return tables | {"methods": [dict(m) for m in methods]}


CASES = {
    **{
        f"{frame}, {pose}": (cone_docking, {"delay_ms": 8.0}, hybrid(frame, pose=pose))
        for frame in ("normal", "target", "chaser", "world")
        for pose in ("measured", "simulated")
    },
    "pulling": (cone_docking, {"delay_ms": 8.0}, hybrid(contact="pull")),
    "gains change": (sphere_on_sphere, {"delay_ms": 8.0, "duration_s": 1.5}, hybrid(gains=CHANGES)),
    "noise, fractional delay": (hard_for_the_core, {}, hybrid(contact_N=0.5)),
    "whole facility": (whole_facility, {}, hybrid("target", contact_N=1.0)),
}


@pytest.fixture(scope="module")
def runs():
    return {
        name: run_loop(with_methods(make(**keys), method))
        for name, (make, keys, method) in CASES.items()
    }


@pytest.mark.parametrize("name", CASES)
def test_the_rows_sum_to_the_invented_energy(runs, name):
    """Bookkeeping (docs/energy.md), at every cycle: 1e-12 of the turnover + 1e-12 J. The
    virtual contact took part."""
    run = runs[name]
    s = run.series
    assert run.status == "completed"
    assert np.isfinite(s.rows).all()
    assert np.abs(s["energy.virtual"]).max() > 1e-5
    assert s["energy.virtual"] == pytest.approx(s["hybrid.absorbed"], abs=1e-12)
    w = {
        k: s[f"energy.{k}"]
        for k in ("kinetic", "kinetic_start", "external", "real", "virtual", "designed", "turnover")
    }
    invented = (
        w["kinetic"] - w["kinetic_start"] - w["external"] + w["real"] + w["virtual"] - w["designed"]
    )
    rows = sum(s[f"energy.{row}"] for row in ROWS)
    assert (np.abs(rows - invented) <= 1e-12 * w["turnover"] + 1e-12).all()


@pytest.mark.parametrize(
    "name", [name for name in CASES if name != "whole facility"]
)  # a thruster acts there
def test_the_pair_keeps_its_momentum(runs, name):
    """Virtual forces are equal and opposite."""
    run = runs[name]
    tables, s = run.scenario.tables, run.series
    momentum = sum(tables[body]["mass_kg"] * s[f"{body}.velocity"] for body in ("chaser", "target"))
    assert momentum[-1] == pytest.approx(momentum[0], abs=1e-11)


@pytest.mark.parametrize("frame", ["normal", "target"])
def test_the_pair_keeps_its_angular_momentum(frame):
    """With symplectic Euler, where a measured wrench keeps it exactly: virtual torques are those of
    forces at one point, and couples."""
    run = run_loop(with_methods(sphere_on_sphere("symplectic_euler", delay_ms=8.0), hybrid(frame)))
    tables, s, total = run.scenario.tables, run.series, 0.0
    for body, inertia in (("chaser", CHASER_INERTIA), ("target", TARGET_INERTIA)):
        orbital = tables[body]["mass_kg"] * np.cross(s[f"{body}.position"], s[f"{body}.velocity"])
        total = (
            total
            + orbital
            + [
                matrix(q) @ inertia @ w
                for q, w in zip(s[f"{body}.attitude"], s[f"{body}.rate"], strict=True)
            ]
        )
    assert total[-1] == pytest.approx(total[0], abs=1e-9)


@pytest.mark.parametrize("pose", ["measured", "simulated"])
@pytest.mark.parametrize("frame", ["normal", "target"])
def test_what_virtual_elements_absorb_is_stored_or_dissipated(frame, pose):
    """Physics (docs/energy.md) of the virtual contact at its port: absorbed from
    displacements, dissipated from velocities and gains. 1e-3 of the largest absorbed energy, at a
    fine cycle; dampers only take. The clamp off: its jump at separation is of first order."""
    tables = with_methods(
        cone_docking("symplectic_euler", delay_ms=4.0), hybrid(frame, pose=pose, contact="pull")
    )
    tables["time"] = {"cycle_ms": 0.5, "duration_s": 1.5}
    s = run_loop(tables).series
    apart = s["hybrid.absorbed"] - s["hybrid.stored"] - s["hybrid.dissipated"]
    assert np.abs(apart).max() < 1e-3 * s["hybrid.absorbed"].max()
    assert (np.diff(s["hybrid.dissipated"]) >= -1e-15).all()
    assert s["hybrid.stored"].max() > 0.01 * s["hybrid.absorbed"].max()


def test_without_gains_the_loop_is_the_raw_loop():
    """A virtual contact of nothing changes nothing."""
    raw, nothing = (
        run_loop(hard_for_the_core()),
        run_loop(with_methods(hard_for_the_core(), {"name": "hybrid"})),
    )
    assert nothing.series["chaser.velocity"] == pytest.approx(
        raw.series["chaser.velocity"], abs=1e-15
    )
    assert nothing.ledger["virtual"] == 0.0


def test_one_sided_never_pulls_and_pull_may():
    """In one dimension the force on the satellite is never negative, unless the scenario asks for
    the papers' law."""
    forces = {}
    for contact in ("one_sided", "pull"):
        method = {"name": "hybrid", "contact": contact, "damping_Ns_per_m": [60.0, 0.0, 0.0]}
        forces[contact] = (
            run_loop(with_methods(epos_wall(), method)).series["satellite.chaser.force.x"].min()
        )
    assert forces["one_sided"] > -1e-12
    assert forces["pull"] < -0.1


def test_it_acts_only_in_contact():
    """In free flight nothing virtual acts, though the frame's gains are large."""
    s = run_loop(with_methods(cone_docking(delay_ms=8.0), hybrid("world"))).series
    away = ~(np.linalg.norm(s["measured.chaser.force"], axis=1) > 0.0)
    acted = np.linalg.norm(s["hybrid.force"], axis=1) > 0.0
    assert acted.any()
    assert not (
        acted[1:] & away[:-1]
    ).any()  # a row holds the wrench of the cycle that ended, decided one row before


def test_a_virtual_spring_adds_to_the_real_one():
    """Zebenay eq. 121: 600 N/m real and 400 N/m virtual, both on the delayed pose, bounce as 1000
    N/m. 1e-3: the virtual contact is seen to begin half a cycle off at most."""
    mixed = run_loop(
        with_methods(
            epos_wall(stiffness=600.0), {"name": "hybrid", "stiffness_N_per_m": [400.0, 0.0, 0.0]}
        )
    )
    whole = run_loop(epos_wall(stiffness=1000.0))
    assert mixed.restitution == pytest.approx(whole.restitution, abs=1e-3)
    peaks = [np.abs(run.series["satellite.chaser.force.x"]).max() for run in (mixed, whole)]
    assert peaks[0] == pytest.approx(peaks[1], rel=5e-3)


# gains that change


def forces_of(gains, blend_ms=50.0):
    method = {
        "name": "hybrid",
        "damping_Ns_per_m": [20.0, 0.0, 0.0],
        "gains": gains,
        "blend_ms": blend_ms,
    }
    return run_loop(with_methods(epos_wall(), method)).series


@pytest.mark.parametrize("at", [0.6, 0.75, 1.0])
def test_gains_change_without_a_jump(at):
    """Stiffness and damping change at once in mid-contact; the force on the satellite goes on where
    it was: no step larger than those of the loop around it. Without the offset the step would be
    many times that."""
    series = forces_of([[at, 500.0, 0.0, 0.0, 80.0, 0.0, 0.0]])
    steps, row = np.abs(np.diff(series["satellite.chaser.force.x"])), round(at / 0.004)
    usual = np.abs(np.diff(forces_of([])["satellite.chaser.force.x"])).max()
    assert steps[row - 2 : row + 25].max() < 2.0 * usual
    abrupt = forces_of([[at, 500.0, 0.0, 0.0, 80.0, 0.0, 0.0]], blend_ms=1e-3)
    assert (
        np.abs(np.diff(abrupt["satellite.chaser.force.x"]))[row : row + 3].max()
        > 3.0 * steps[row - 2 : row + 25].max()
    )


def test_the_offset_fades_and_its_energy_is_booked():
    """Long after a change the gains alone act; what the offset took is part of what the virtual
    contact absorbed."""
    series = forces_of([[0.6, 0.0, 0.0, 0.0, 60.0, 0.0, 0.0]], blend_ms=20.0)
    k = round(0.9 / 0.004)  # 15 time constants later
    rate = -series["mock_up.chaser.velocity.x"][k]
    assert series["hybrid.force.x"][k + 1] == pytest.approx(60.0 * rate, rel=1e-4)
    assert series["hybrid.offset_work"][-1] != 0.0
    apart = series["hybrid.absorbed"] - series["hybrid.stored"] - series["hybrid.dissipated"]
    assert np.abs(apart).max() < 0.01 * series["hybrid.absorbed"].max()


def test_gains_written_by_whoever_steps_the_loop():
    """An operator changes the damping while the loop runs, through the method's memory: no jump,
    and the new damping holds."""
    loop = Stepper(build(with_methods(epos_wall(), {"name": "hybrid"})), rows=751)
    loop.step(175)
    state = STATE(loop.method_memory(0))
    state.gains = state.gains._replace(b=(70.0, 0.0, 0.0))
    loop.step(575)
    force = loop.record[:, 97]
    assert np.abs(np.diff(force))[170:190].max() < 0.2
    e = loop.record[-1, 8] / 0.02
    assert e < run_loop(epos_wall()).restitution - 0.1


# refusals


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (
            {"damping_Ns_per_m": [1.0, 1.0, 0.0]},
            r"methods\.0\.damping_Ns_per_m.*frame target, chaser or world",
        ),
        (
            {"rotation_damping_Nms_per_rad": [1.0, 1.0, 0.0]},
            r"rotation_damping_Nms_per_rad.*equal second and third",
        ),
        ({"gains": [[0.0, 1.0, 0.0, 0.0, -1.0, 0.0, 0.0]]}, r"gains.*none negative"),
        (
            {"gains": [[1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0], [0.5, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0]]},
            r"gains.*does not rise",
        ),
        ({"gains": [[0.0, 1.0, 2.0, 0.0, 1.0, 0.0, 0.0]]}, r"gains.*across the normal"),
        ({"frame": "target"}, r"methods\.0\.tip_m"),
        ({"tip_m": [0.0, 0.0, 0.0]}, r"tip_m.*applies only for frame"),
        ({"stiffness_N_per_m": [-1.0, 0.0, 0.0]}, r"stiffness_N_per_m"),
    ],
)
def test_bad_gains_are_refused(keys, message):
    """Gains that are negative, unsorted or not of one axis are refused by key before the clock
    starts."""
    with pytest.raises(BadInput, match=message):
        build(with_methods(epos_wall(), {"name": "hybrid", **keys}))


def test_noise_that_would_be_taken_for_a_contact_is_warned_about():
    """A sensor's noise near the contact threshold is warned of, and a larger threshold ends the
    warning."""
    tables = with_methods(epos_wall(), {"name": "hybrid", "damping_Ns_per_m": [9.0, 0.0, 0.0]}) | {
        "sensor": {"noise_N": 0.25}
    }
    assert any("contact_N" in w and "1 N" in w for w in build(tables).warnings)
    tables["methods"][0]["contact_N"] = 1.0
    assert build(tables).warnings == []
