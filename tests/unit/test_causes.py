"""Every key of a scenario that can move a rig away from the reference belongs to a cause."""

import numpy as np
import pytest

from softdock.results.causes import list_causes
from softdock.results.simulation import simulate
from softdock.results.variants import change_scenario
from softdock.results.why import switch_off
from softdock.scenario.files import load_scenario
from softdock.scenario.schema import TABLES

SEED = 29
# tables and keys that the reference has too, that are numbers of chance, or that only record
TRUTH = ("chaser", "target", "external", "hand", "orbit", "capture", "random", "time.duration_s")
# refused before a run
CHECKED_BEFORE = ("allowed_speed_m_per_s", "allowed_acceleration_m_per_s2", "reach_m")
CHECKED_BEFORE += ("reach_centre_m",)
ONLY = {"delay_jitter_ms": 3.0, "moving_mass_kg": 5.0, "model": "lag", "dropout_probability": 0.9}
OF_ARMS = ("joints", "joint_lag", "joint_max", "elastic_joints", "weight_acts", "arm")
SIZES = {"ms": 12.0, "Hz": 8.0, "N": 3.0, "Nm": 0.3, "kg": 0.5, "m": 0.004, "rad": 0.004, "s": 0.3}
SIZES |= {"N/s": 0.2, "Nm/s": 0.05, "ms/s": 2.0, "N/m": 2e4, "m/s": 0.01, "m/s^2": 0.02}
SIZES |= {"kg m^2": 0.05, "rad/s": 0.02, "rad/s^2": 0.01, "m/s^3": 0.5, "rad/s^3": 0.5, "-": 0.3}
# without these a key does nothing, or is refused
NEEDS = {
    "delay_wobble_ms": {"delay_ms": 12.0, "delay_wobble_Hz": 2.0},
    "delay_wobble_Hz": {"delay_ms": 12.0, "delay_wobble_ms": 8.0},
    "interpolation": {"delay_ms": 2.0},
    "chaser_share": {"mapping": "shared"},
    "on_dropout": {"dropout_probability": 0.9},
    "max_": {"model": "limited", "max_acceleration_m_per_s2": 0.02},
    "coordinated": {"model": "limited", "max_acceleration_m_per_s2": 0.02},
    "lag_": {"model": "lag", "lag_Hz": 5.0},
    "model": {"lag_Hz": 5.0},
    "joint_": {"joint_stiffness_N_per_m": 2e4, "moving_mass_kg": 5.0},
    "moving_mass_kg": {"joint_stiffness_N_per_m": 2e4},
    "freeze_at_s": {"freeze_for_s": 1.0},
    "freeze_for_s": {"freeze_at_s": 0.4},
    "jump_": {"jump_N": [2.0, 0.0, 0.0], "jump_at_s": 0.3},
    "handover": {"period_ms": 1.0},
}
OF_POSES = {"name": "delay_passivity"}  # reads measured poses
IDEAL = {
    "satellites.integrator": "symplectic_euler",
    "time.duration_s": 2.5,
    "target.fixed": False,
    "sensor.on": "both",
    "robots.chaser.delay_ms": 0.0,
    "robots.target.delay_ms": 0.0,
}
TOOL = {
    "mass_kg": 2.0,
    "centre_m": [0.3, 0.02, 0.0],
    "inertia_kg_m2": [0.02, 0.02, 0.02],
}


def rig(**more):
    tool = {
        f"mock_up.{body}.{key}": value
        for body in ("chaser", "target")
        for key, value in TOOL.items()
    }
    return load_scenario("epos_1d", {**IDEAL, **tool, **more})


def keys_of_the_rig():
    """All keys of the schema that do not belong to the reference."""
    for table in TABLES:
        for parameter in table.group:
            path = f"{table.path}.{parameter.key}"
            if path.startswith(TRUTH) or parameter.key in CHECKED_BEFORE:
                continue
            if parameter.kind in ("arm", "schedule") or parameter.key.startswith(OF_ARMS):
                continue
            yield path, parameter


def drawn(parameter, chance):
    """A random valid value that is not the default."""
    if parameter.key in ONLY:
        return ONLY[parameter.key]
    if parameter.choices:
        return str(
            chance.choice([c for c in parameter.choices if c not in ("arm", "mean")] or ["mean"])
        )
    if parameter.kind == "flag":
        return not parameter.default
    size = SIZES[parameter.unit] * chance.uniform(0.5, 1.0)
    if parameter.kind == "integer":
        return 4
    if parameter.kind == "quaternion":
        return [1.0, *map(float, chance.uniform(-0.1, 0.1, 3))]
    if parameter.kind == "tool_inertia":
        return [size, size, size]
    return (
        size
        if parameter.size == 1
        else [float(x) for x in size * chance.uniform(0.5, 1, parameter.size)]
    )


def needed(path, parameter):
    """Values of other keys of its table without which it does nothing."""
    table = path[: -len(parameter.key) - 1]
    found = {}
    for start, keys in NEEDS.items():
        if parameter.key.startswith(start):
            found |= {f"{table}.{key}": value for key, value in keys.items()}
    if path == "sensor.handover":
        return found
    return {key: value for key, value in found.items() if key != path}


def numbers(run):
    m = run.metrics
    invented = m["energy_added_J"] / m["fidelity"]["approach_energy_J"]
    return np.array([m["error_against_orbit_worst"] or 0.0, invented, m["ended_at_s"]])


def alike(a, b):
    """To 0.1 % of the approach; ended within a cycle."""
    return np.allclose(a, b, rtol=0.0, atol=[1e-3, 1e-3, 0.02])


@pytest.mark.parametrize("measured", [False, True], ids=["direct", "measured poses"])
def test_every_key_that_moves_the_rig_belongs_to_a_cause(measured):
    """Each key of robots, sensor, tools, poses, laboratory, limits and clock gets a random value on
    an ideal rig. Where the run differs from the run without it, a cause appears that was not there,
    and switched off it gives the run without it back."""
    base = rig(methods=[OF_POSES]) if measured else rig()
    own, chance, moved = numbers(simulate(base)), np.random.default_rng(SEED), []
    before = list_causes(base)
    for path, parameter in keys_of_the_rig():
        if measured != path.startswith("pose."):
            continue
        more = needed(path, parameter)
        value = drawn(parameter, chance)
        one = change_scenario(base, {**more, path: value})
        if alike(numbers(simulate(one)), own):
            continue
        moved.append(path)
        named = [cause for cause in list_causes(one) if cause not in before]
        assert named, f"{path} = {value} moves the rig, and no cause names it"
        back = switch_off(one, named)
        assert alike(numbers(simulate(back)), own), (path, value)
    assert len(moved) >= (7 if measured else 50), moved


def test_keys_of_arms_belong_to_the_robot_s_cause():
    """An arm's own keys go with the arm."""
    one = load_scenario("epos_3d_arms")
    for body in ("chaser", "target"):
        robot = one.tables["robots"][body]
        cause = next(c for c in list_causes(one) if f"robots.{body}.model" in c.off)
        own = [key for key in robot if key.startswith(OF_ARMS) and key[:6] == "joints"]
        assert own
        assert all(f"robots.{body}.{key}" in cause.off for key in own)


def test_a_contact_that_is_not_the_wanted_one_is_a_cause():
    """Steel mock-ups for a soft wanted contact; a method that puts the wanted one in its place
    takes the cause away."""
    soft = {"law": "spring_damper", "stiffness_N_per_m": 300.0, "damping_Ns_per_m": 10.0}
    one = rig(**{"contact.0.wanted": soft})
    named = [c for c in list_causes(one) if c.name.startswith("contact")]
    assert len(named) == 1
    assert simulate(one).metrics["error_against_orbit"] > 0.05
    assert simulate(switch_off(one, named)).metrics["error_against_orbit"] < 0.01
    remapped = one.replace({"methods": [{"name": "remapping", "stiffness_N_per_m": 1000.0}]})
    assert not any(c.name.startswith("contact") for c in list_causes(remapped))
