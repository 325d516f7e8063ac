"""Networks in a whole scenario: as virtual contact, as appendage of a satellite, as the satellite
itself."""

from __future__ import annotations

import tomllib

import numpy as np
import pytest
from network_scenarios import BALL, SPRING, THREE_AXES, books, tables

import softdock
from softdock import BadInput
from softdock.reference import run_reference
from softdock.scenario.files import to_toml

HUB, PANEL, LINK, LOSS = 58.0, 5.0, 100.0, 1.0  # kg, kg, N/m, Ns/m
APPENDAGE = {
    "name": "appendage",
    "bonds": [
        "hub -> hub_moves",
        "hub_moves -> force",
        "force -> link, panel_moves",
        "link -> S, B",
        "panel_moves -> panel",
    ],
    "junctions": {"hub_moves": 1, "force": 0, "link": 1, "panel_moves": 1},
    "ports": {"hub": {"causality": "position"}},
    "springs": {"S": {"stiffness_N_per_m": LINK}},
    "dampers": {"B": {"damping_Ns_per_m": LOSS}},
    "masses": {"panel": {"mass_kg": PANEL}},
}
FLEXIBLE = {
    "model": "flexible_satellite",
    "arguments": {"hub": HUB, "appendage": PANEL, "stiffness": LINK, "damping": LOSS},
}


def hub_and_panel(duration):
    """Hub and panel against a spring of 1000 N/m that only pushes, by Runge-Kutta in small steps:
    the hub's velocity at the end."""

    def rates(s):
        x, v, z, w = s
        pull = LINK * (z - x) + LOSS * (w - v)
        return np.array([v, (pull + max(-1000.0 * x, 0.0)) / HUB, w, -pull / PANEL])

    s, h = np.array([0.01, -0.02, 0.01, -0.02]), 2e-4
    for _ in range(round(duration / h)):
        a = rates(s)
        b = rates(s + 0.5 * h * a)
        c = rates(s + 0.5 * h * b)
        s = s + h / 6.0 * (a + 2.0 * b + 2.0 * c + rates(s + h * c))
    return s[1]


def test_orbit_has_what_is_part_of_a_satellite():
    """An appendage on a hub and the network that is both: one orbit, that of hub and panel
    integrated by themselves; its energy is accounted for."""
    hung = softdock.build(tables(APPENDAGE, mass=HUB, wall=True, between="chaser"))
    whole = softdock.build(tables(FLEXIBLE, name="network_satellite", mass=HUB + PANEL, wall=True))
    flown = [run_reference(hung), run_reference(whole)]
    for found in flown:
        assert found.chaser[7] == pytest.approx(hub_and_panel(3.0), abs=2e-6 * 0.02)
        assert (
            abs(
                found.kinetic
                - found.kinetic_start
                + found.virtual
                + found.stored
                + found.dissipated
            )
            < 1e-14
        )
    assert (
        np.abs(flown[0].series["chaser.velocity"] - flown[1].series["chaser.velocity"]).max()
        < 1e-9 * 0.02
    )
    assert abs(flown[0].virtual) > 1e-4
    assert flown[0].restitution < 0.95  # a rigid satellite has 1


@pytest.mark.parametrize("between", ["chaser", "target"])
def test_an_appendage_in_the_loop(between):
    """The hub moves as in orbit to what the loop's own sampling costs, 1 % of its speed; nothing is
    invented but that."""
    given = tables(APPENDAGE, cycle_ms=1.0, mass=HUB, wall=True, between=between)
    if between == "target":  # the same, seen from the other side
        given["chaser"], given["target"] = (
            given["target"] | {"position_m": [0.0, 0.0, 0.0]},
            given["chaser"],
        )
        given["target"]["position_m"], given["target"]["velocity_m_per_s"] = (
            [-0.01, 0.0, 0.0],
            [0.02, 0.0, 0.0],
        )
    run = softdock.simulate(softdock.build(given))
    moved, wanted = (
        np.asarray(run.series[f"{between}.velocity"])[:, 0],
        run.reference.series[f"{between}.velocity"][:, 0],
    )
    assert np.abs(moved - wanted).max() < 0.01 * 0.02
    ledger = run.metrics["ledger"]
    assert ledger["external_J"] == 0.0
    assert ledger["virtual_J"] == pytest.approx(run.reference.virtual, rel=0.02)
    assert abs(ledger["rows"]["adaptation"]) < 1e-15
    found = books(run)
    assert found["dissipated"][-1] > 0.0


@pytest.mark.parametrize("cycle_ms", [1.0, 4.0, 16.0])
def test_a_network_is_the_satellite(cycle_ms):
    """Force in, motion out: the impulse of each cycle counted, ten samples in it. The energy that
    the port took is what the real contact gave."""
    given = tables(
        FLEXIBLE, cycle_ms=cycle_ms, name="network_satellite", mass=HUB + PANEL, wall=True
    )
    given["sensor"] = {"handover": "mean", "period_ms": 0.1 * cycle_ms}
    given["robots"] = {
        name: {"delay_ms": 0.0, "interpolation": "linear"} for name in ("chaser", "target")
    }
    given["time"]["plant_steps"] = 10
    run = softdock.simulate(softdock.build(given))
    assert run.series["chaser.velocity"][-1][0] == pytest.approx(
        run.reference.chaser[7], rel=1e-3 * cycle_ms
    )
    start, found = run.metrics["ledger"]["kinetic_start_J"], books(run, "network_satellite")
    assert abs(run.energy_added_J) < 1e-3 * cycle_ms * start
    assert found["stored"][-1] + found["dissipated"][-1] == pytest.approx(
        start + found["absorbed"][-1], rel=1e-9
    )
    assert (
        abs(run.series["network_satellite.momentum_error"][-1]) < 3e-5 * cycle_ms**2
    )  # Ns, of 2.52


def test_the_resolved_scenario_reads_back():
    """A run folder's scenario gives the same vector."""
    for scenario in (
        softdock.build(tables(APPENDAGE, between="chaser")),
        softdock.build(tables(BALL)),
    ):
        assert np.array_equal(
            softdock.build(tomllib.loads(to_toml(scenario.tables))).vector, scenario.vector
        )


def test_a_branch_too_fast_for_the_cycle_is_warned_about():
    """By the path of the key and the element's name."""
    fast = {"model": "standard_linear_solid", "arguments": {"k1": 1000.0, "k2": 500.0, "b1": 2.0}}
    assert [
        w
        for w in softdock.build(tables(fast)).warnings
        if w.startswith("methods.0.network: standard linear solid.S2")
    ]


LOOSE = {**APPENDAGE, "bonds": APPENDAGE["bonds"][:-1]}
STIFF = {
    **APPENDAGE,
    "masses": {**APPENDAGE["masses"], "rock": {"mass_kg": 2.0}},
    "bonds": [*APPENDAGE["bonds"], "hub_moves -> rock"],
}


@pytest.mark.parametrize(
    ("given", "named"),
    [
        (
            tables({"model": "rigid_satellite", "arguments": {"mass": 1.0}}),
            "ports.contact.causality: given 'force'; allowed: position",
        ),
        (
            tables({"model": "single_spring", "arguments": {"stiffness": -1.0}}),
            "S1.stiffness_N_per_m: given -1.0",
        ),
        (
            tables({**APPENDAGE, "dampers": {"B": {"damping_Ns_per_m": -1.0}}}),
            "B.damping_Ns_per_m: given -1.0",
        ),
        (tables({**APPENDAGE, "ports": {"hub": {}}}), "hub.causality: missing"),
        (
            tables({**APPENDAGE, "springs": {"S": {"coefficients": [1.0, 5.0]}}}),
            "S.coefficients: given (1.0, 5.0); allowed: a potential with a lower bound",
        ),
        (tables(LOOSE), "panel_moves.bonds: given 1"),
        (tables(STIFF), "rock: given 'derivative causality'"),
        (tables(3), "a table"),
        (tables(THREE_AXES, second_axis=[1.0, 0.0, 0.0]), "methods.0.second_axis"),
        (
            tables(SPRING, name="network_satellite"),
            "ports.hand.causality: given 'position'; allowed: force",
        ),
        (tables(FLEXIBLE, name="network_satellite", mass=60.0), "a free body of 63 kg"),
    ],
)
def test_networks_that_cannot_be_in_the_loop(given, named):
    """Refused before the clock starts, with the path of the key and the element's name."""
    with pytest.raises(BadInput, match=r"methods\.0\.") as error:
        softdock.build(given)
    assert named in str(error.value)
