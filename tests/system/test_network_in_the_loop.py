"""Networks in a whole scenario: as virtual contact, as appendage of a satellite, as the satellite
itself."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest
from plain import run_plain
from scenarios import epos_wall

import softdock
from softdock import BadInput
from softdock.core.orbit import orbit
from softdock.scenario.files import to_toml

SPRING = {"model": "single_spring", "arguments": {"stiffness": 1000.0}}
SOLID = {"model": "standard_linear_solid", "arguments": {"k1": 1000.0, "k2": 500.0, "b1": 100.0}}
BALL = {
    "model": "hunt_crossley",
    "arguments": {"stiffness": 20000.0, "exponent": 1.5, "per_speed": 2.0},
}
NORMAL, ACROSS = (1000.0, 500.0, 100.0), (400.0, 100.0, 20.0)  # k1, k2, b1
THREE_AXES = {
    "model": "three_axis_wall",
    "arguments": {"normal": list(NORMAL), "tangential": list(ACROSS)},
}
ALONG_X = {"axis": [0.0, 1.0, 0.0], "second_axis": [0.0, 0.0, 1.0], "third_axis": [1.0, 0.0, 0.0]}
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


def tables(network, cycle_ms=4.0, name="network_contact", mass=63.0, wall=False, **keys):
    """At 0.02 m/s; the network in its way, or a real spring of 1000 N/m."""
    found = epos_wall(delay_ms=0.0, mass_kg=mass)
    if not wall:
        found["contact"] = []
    found["time"] = {"cycle_ms": cycle_ms, "duration_s": 3.0}
    found["methods"] = [{"name": name, "network": network, **keys}]
    return found


def books(run, method="network_contact"):
    """What became of the energy that a network absorbed, at every cycle."""
    return {
        name: np.asarray(run.series[f"{method}.{name}"])
        for name in ("absorbed", "stored", "dissipated")
    }


def assert_virtual(run):
    """Booked as virtual, nothing external; nothing invented; rows and total agree."""
    ledger = run.metrics["ledger"]
    assert ledger["external_J"] == 0.0
    assert ledger["virtual_J"] == pytest.approx(
        ledger["kinetic_start_J"] - ledger["kinetic_end_J"], abs=1e-12
    )
    assert abs(sum(ledger["rows"].values())) < 1e-12
    found, saved = books(run), np.asarray(run.series["network_contact.tank"]) - 1e-5
    assert (
        np.abs(found["stored"] + found["dissipated"] + saved - found["absorbed"])[1:].max() < 1e-12
    )
    assert np.diff(found["dissipated"]).min() > -1e-9
    assert run.series["network_contact.short"][-1] < 1e-15


@pytest.mark.parametrize(("cycle_ms", "lost"), [(1.0, 1e-5), (4.0, 3e-4), (16.0, 2e-3)])
def test_a_virtual_spring_gives_back_what_came_in(cycle_ms, lost):
    """Restitution at most 1 and near it, where a plainly held spring gives 1.003 to 1.05; orbit
    does not know it."""
    run = softdock.simulate(softdock.build(tables(SPRING, cycle_ms)))
    restitution = run.series["chaser.velocity"][-1][0] / 0.02
    assert 1.0 - lost < restitution <= 1.0 + 1e-6
    assert_virtual(run)
    assert run.orbit.chaser[7] == -0.02
    if cycle_ms == 4.0:
        assert f"restitution {restitution:.5f} at a cycle of 4 ms" in (
            Path(__file__).parents[2] / "docs" / "ports.md"
        ).read_text(encoding="utf-8")


def solid_force(solid, x, x2):
    return -solid[0] * x - solid[1] * x2


def test_a_solid_damps_the_bounce_along_every_axis():
    """A three-axis wall, of which two axes stick while the third touches, against the same solids
    in continuous time. With one axis it is a plain wall."""
    given = tables(THREE_AXES, **ALONG_X)
    given["chaser"]["velocity_m_per_s"] = [-0.02, 0.003, 0.001]
    run = softdock.simulate(softdock.build(given))
    plain = softdock.simulate(softdock.build(tables(SOLID)))
    m, h = 63.0, 1e-4
    x, x2, v = np.zeros(3), np.zeros(3), np.array([-0.02, 0.003, 0.001])
    laws = (NORMAL, ACROSS, ACROSS)
    for _ in range(20_000):
        force = np.array([solid_force(s, a, b) for s, a, b in zip(laws, x, x2)])
        if force[0] < 0.0:
            break
        v = v + h * force / m
        x = x + h * v
        x2 = x2 + h * (v - np.array([s[1] / s[2] for s in laws]) * x2)
    assert run.series["chaser.velocity"][-1] == pytest.approx(v, abs=2e-3 * 0.02)
    assert plain.series["chaser.velocity"][-1][0] == pytest.approx(v[0], rel=2e-3)
    for found in (run, plain):
        assert_virtual(found)
    assert (
        books(run)["stored"][-1] < 1e-3 * books(run)["dissipated"][-1]
    )  # it relaxes when the chaser has gone


def test_a_latch_holds_on_both_sides():
    """Three axes held from the start: the chaser comes to rest."""
    given = tables(THREE_AXES, sided="both", distance_m=0.01, **ALONG_X)
    given["chaser"]["velocity_m_per_s"] = [-0.02, 0.003, 0.001]
    run = softdock.simulate(softdock.build(given))
    speed = np.linalg.norm(np.asarray(run.series["chaser.velocity"]), axis=1)
    assert speed[-1] < 0.35 * speed[0]
    assert (
        run.series["network_contact.force.x"].min()
        < 0.0
        < run.series["network_contact.force.x"].max()
    )
    assert_virtual(run)


def bounced():
    """Velocity after a bounce on Hunt-Crossley as a network [m/s]; its books are looked at."""
    run = softdock.simulate(softdock.build(tables(BALL, cycle_ms=1.0)))
    assert_virtual(run)
    return float(run.series["chaser.velocity"][-1][0])


def bounced_in_plain_python():
    """The same without compiling a loop for it."""
    code = "from test_network_in_the_loop import bounced; print(bounced())"
    done = run_plain(code)
    assert done.returncode == 0, done.stderr[-3000:]
    return float(done.stdout)


@pytest.mark.parametrize(
    "fly", [bounced_in_plain_python, pytest.param(bounced, marks=pytest.mark.prove)]
)
def test_a_nonlinear_network_is_the_law_of_the_same_name(fly):
    """Hunt-Crossley as a network, against orbit with the contact law: the speed after the
    bounce."""
    real = tables(BALL, wall=True)
    real["methods"] = [{"name": "direct"}]
    real["contact"][0]["real"] = {
        "law": "hunt_crossley",
        "stiffness_N_per_m": 20000.0,
        "exponent": 1.5,
        "lambda_s_per_m": 2.0,
    }
    truth = orbit(softdock.build(real)).chaser[7]
    assert fly() == pytest.approx(truth, rel=5e-3)


def test_momentum_of_two_free_satellites_is_kept():
    """The force on the target is the opposite one, about the same line; the wall turns with the
    target, and still nothing is invented to speak of."""
    given = tables(SPRING)
    given["target"] = {
        "mass_kg": 40.0,
        "inertia_kg_m2": [10.0, 10.0, 10.0],
        "position_m": [0.0, 0.3, 0.0],
    }
    run = softdock.simulate(softdock.build(given))
    after = 63.0 * np.asarray(run.series["chaser.velocity"][-1]) + 40.0 * np.asarray(
        run.series["target.velocity"][-1]
    )
    assert after == pytest.approx([63.0 * -0.02, 0.0, 0.0], abs=1e-12)
    assert run.series["target.velocity"][-1][0] < -0.01
    assert abs(run.series["target.rate"][-1][2]) > 1e-3
    assert abs(run.energy_invented_J) < 1e-4 * run.metrics["ledger"]["kinetic_start_J"]


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
    flown = [orbit(hung), orbit(whole)]
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
        run.orbit.series[f"{between}.velocity"][:, 0],
    )
    assert np.abs(moved - wanted).max() < 0.01 * 0.02
    ledger = run.metrics["ledger"]
    assert ledger["external_J"] == 0.0
    assert ledger["virtual_J"] == pytest.approx(run.orbit.virtual, rel=0.02)
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
        run.orbit.chaser[7], rel=1e-3 * cycle_ms
    )
    start, found = run.metrics["ledger"]["kinetic_start_J"], books(run, "network_satellite")
    assert abs(run.energy_invented_J) < 1e-3 * cycle_ms * start
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
        (tables({**APPENDAGE, "ports": {"hub": {}}}), "hub.causality: nothing given"),
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
