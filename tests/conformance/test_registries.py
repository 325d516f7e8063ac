"""Every registered model keeps its interface: it is defined, it runs, and it does what its entry
says. A new entry is tested by being listed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from arm_cases import holding
from mesh_files import box_docking, plate_docking, ring_docking
from scenarios import ARM_ON_A_SERVICER, cone_docking, epos_wall, sphere_on_sphere

from softdock import build, run_loop
from softdock.files.schema import OPTIONAL
from softdock.files.values import to_vector
from softdock.loop.contact.laws import LAWS
from softdock.loop.contact.pairs import GEOMETRIES, PAIR
from softdock.loop.record import CHANNELS
from softdock.loop.robots.history import INTERPOLATIONS
from softdock.loop.robots.robot import MODELS
from softdock.loop.satellites import INTEGRATORS
from softdock.loop.vector import PARTS, SCHEDULE
from softdock.methods.registry import METHODS
from softdock.scenario.schema import TABLES

GROUPS = [
    *{id(group): group for _, group in PARTS}.values(),
    PAIR,
    *(m.group for m in METHODS.values()),
]
PARAMETERS = [pytest.param(p, id=f"{g.name}.{p.key}") for g in GROUPS for p in g]
SCENARIOS = {
    "wall": epos_wall,
    "sphere": sphere_on_sphere,
    "cone": cone_docking,
    "mesh": plate_docking,
    "ring": ring_docking,
    "box": box_docking,
}
LAW_KEYS = {
    "spring_damper": {"stiffness_N_per_m": 2000.0, "damping_Ns_per_m": 20.0},
    "spring_damper_pull": {"stiffness_N_per_m": 2000.0, "damping_Ns_per_m": 20.0},
    "hunt_crossley": {"stiffness_N_per_m": 20000.0, "exponent": 1.5, "lambda_s_per_m": 2.0},
    "table": {"table_m_N": [[0.0, 0.0], [0.002, 4.0], [0.01, 40.0]], "damping_Ns_per_m": 20.0},
}


def check_run(tables):
    """It ran to its end, touched, and recorded no NaN."""
    run = run_loop(tables)
    assert run.status == "completed"
    assert run.contact_count >= 1
    assert np.isfinite(run.series.rows).all()
    return run


@pytest.mark.parametrize("integrator", [i.name for i in INTEGRATORS])
@pytest.mark.parametrize("geometry", GEOMETRIES)
def test_every_integrator_runs_with_every_geometry(geometry, integrator):
    """No pair of choices leaves the loop with NaN or without contact."""
    check_run(SCENARIOS[geometry](integrator=integrator, delay_ms=6.0))


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("geometry", GEOMETRIES)
def test_every_law_runs_on_every_geometry(geometry, law):
    """Laws and shapes combine freely; with damping, the contact dissipates."""
    tables = SCENARIOS[geometry](delay_ms=2.0)
    tables["contact"][0]["real"] = {"law": law, **LAW_KEYS[law]}
    run = check_run(tables)
    assert run.ledger["dissipated"] > 0.0


@pytest.mark.parametrize("interpolation", INTERPOLATIONS)
def test_every_interpolation_runs(interpolation):
    """With a fractional delay, so that it is used; each gives its own result."""
    tables = sphere_on_sphere(delay_ms=7.0)
    for name in ("chaser", "target"):
        tables["robots"][name]["interpolation"] = interpolation
    run = check_run(tables)
    others = {
        i: run_loop(
            {
                **tables,
                "robots": {n: {"delay_ms": 7.0, "interpolation": i} for n in ("chaser", "target")},
            }
        )
        for i in INTERPOLATIONS
    }
    assert all(
        other.restitution != run.restitution for i, other in others.items() if i != interpolation
    )


ROBOT_KEYS = {
    "delay": {},
    "lag": {"lag_Hz": 8.0},
    "limited": {"max_acceleration_m_per_s2": 1.0, "max_jerk_m_per_s3": 20.0},
    "arm": {"joints": "lag", "joint_lag_Hz": 6.0},
}


@pytest.mark.parametrize("model", MODELS)
def test_every_robot_runs(model):
    """Each on both mock-ups, with jitter, lost set-points and a heavy mock-up; each gives its own
    result, with all else the same."""
    found = {}
    for other in MODELS:
        tables = sphere_on_sphere(delay_ms=7.0)
        robot = {
            "delay_ms": 7.0,
            "model": other,
            "delay_jitter_ms": 1.0,
            "dropout_probability": 0.01,
            **ROBOT_KEYS[other],
        }
        tables["robots"] = {"chaser": dict(robot), "target": dict(robot)}
        tables["mock_up"] = {"chaser": {"mass_kg": 2.0, "centre_m": [0.1, 0.0, 0.0]}}
        tables["facility"] = holding(tables)
        found[other] = check_run(tables).restitution
    own = found.pop(model)
    assert all(own != restitution for restitution in found.values())


# what no method can suggest
MUST_BE_TOLD = {
    "network_contact": {
        "network": {
            "model": "standard_linear_solid",
            "arguments": {"k1": 500.0, "k2": 50.0, "b1": 100.0},
        },
        "distance_m": 1.9,
    },
    "network_satellite": {
        "network": {
            "model": "flexible_satellite",
            "arguments": {"hub": 55.0, "appendage": 5.0, "stiffness": 100.0, "damping": 1.0},
        }
    },
    "servicer_arm": ARM_ON_A_SERVICER,
}

ON_LIMITED_ROBOTS = ("remapping",)  # the robots it is for; its own tests compile that loop


# controllers fly in tests/system/test_guided_docking.py, where nothing is compiled for them
@pytest.mark.parametrize("name", [name for name, m in METHODS.items() if not m.at_top])
def test_every_method_runs(name):
    """As it suggests itself for a loop with noise and a fractional delay; what it neither suggests
    nor is told has a default."""
    tables = cone_docking(delay_ms=6.0)
    tables["sensor"] = {"noise_N": 0.05}
    if name in ON_LIMITED_ROBOTS:
        tables["robots"] = {
            body: {"delay_ms": 6.0, "model": "limited", **ROBOT_KEYS["limited"]}
            for body in ("chaser", "target")
        }
    scenario = build(tables)
    assert METHODS[name].refuses(scenario) is None
    tables["methods"] = [
        {"name": name, **METHODS[name].suggest(scenario), **MUST_BE_TOLD.get(name, {})}
    ]
    check_run(tables)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_says_what_it_is(name):
    """The registry entry is complete: docs and command line derive from it."""
    method = METHODS[name]
    assert method.name == name
    assert method.summary
    assert method.knows
    assert method.group.meaning


@pytest.mark.parametrize("parameter", PARAMETERS)
def test_every_parameter_is_defined(parameter):
    """Meaning, unit and range are there, the range is not empty, and the default lies in it."""
    assert len(parameter.meaning) > 5
    assert parameter.meaning.strip() == parameter.meaning
    assert parameter.unit
    assert parameter.low < parameter.high
    assert parameter.allowed
    if parameter.choices:
        assert len(set(parameter.choices)) == len(parameter.choices)
    if parameter.kind in ("table", "schedule", "gains", "own_rows"):
        assert parameter.default in (None, (), OPTIONAL)
    elif isinstance(parameter.default, str) and parameter.default.startswith("@"):
        group = next(g for g in GROUPS if parameter in g.parameters)
        assert parameter.default[1:] in {p.key for p in group}
    elif parameter.default is not None:
        values = to_vector(
            parameter,
            list(parameter.default) if isinstance(parameter.default, tuple) else parameter.default,
        )
        assert len(values) == parameter.size
        assert all(math.isfinite(v) for v in values)


SUFFIXES = {
    "_ms": "ms",
    "_Ns": "Ns",
    "_per_s": "1/s",
    "_s": "s",
    "_m": "m",
    "_N": "N",
    "_Nm": "Nm",
    "_Hz": "Hz",
    "_kg": "kg",
    "_deg": "deg",
}
SUFFIXES |= {"_m_per_s": "m/s", "_rad_per_s": "rad/s", "_J": "J"}
SUFFIXES |= {
    "_m_per_s2": "m/s^2",
    "_m_per_s3": "m/s^3",
    "_rad_per_s2": "rad/s^2",
    "_rad_per_s3": "rad/s^3",
    "_rad": "rad",
}
SUFFIXES |= {
    "_N_per_s": "N/s",
    "_km": "km",
    "_Nm_per_s": "Nm/s",
    "_m_N": "m, N",
}  # the last: a table of depth and force
SUFFIXES |= {"_J": "J", "_Nm_per_rad": "Nm/rad", "_Nms_per_rad": "Nms/rad"}
SUFFIXES |= {
    "_N_per_m": "N/m",
    "_Ns_per_m": "Ns/m",
    "_s_per_m": "s/m",
    "_m_per_N": "m/N",
    "_ms_per_s": "ms/s",
    "_kg_m2": "kg m^2",
}


@pytest.mark.parametrize("parameter", PARAMETERS)
def test_a_keys_suffix_is_its_unit(parameter):
    """`delay_ms` is in ms: the unit spelled in a key and the unit of its definition are the same;
    without a unit there is no suffix."""
    ending = max((s for s in SUFFIXES if parameter.key.endswith(s)), key=len, default=None)
    if parameter in SCHEDULE.parameters:
        return  # a row of a schedule holds times, forces and torques
    if parameter.unit == "-":
        assert ending is None
    else:
        assert ending is not None, f"{parameter.key} does not spell its unit {parameter.unit}"
        assert SUFFIXES[ending] == parameter.unit


@pytest.mark.parametrize("group", GROUPS, ids=lambda g: g.name)
def test_offsets_do_not_overlap(group):
    """Each parameter has its own place in the vector, and names and keys are unique."""
    taken = [offset + i for p, offset in zip(group, group.at, strict=True) for i in range(p.size)]
    assert taken == list(range(group.size))
    assert len({p.key for p in group}) == len({p.name for p in group}) == len(group.parameters)


def test_tables_do_not_overlap_in_the_vector():
    """No table of a scenario writes over another."""
    taken = [table.base + i for table in TABLES for i in range(table.group.size)]
    assert len(set(taken)) == len(taken)


def test_every_channel_is_labelled():
    """Name, unit, frame and meaning; names are unique."""
    assert len({c.name for c in CHANNELS}) == len(CHANNELS)
    assert all(c.unit and c.frame and c.meaning for c in CHANNELS)
