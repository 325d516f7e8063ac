"""A wrench that acts on the satellites in free flight, before anything touches: weight that is
compensated wrongly, a bias, a drift. Found from the scenario alone, before a run.

In: a scenario. Out: force [N] and torque [Nm, on the body with the sensor], what they are made of,
and what they make until the end of the run: relative speed, rates of both bodies, and the distance
from the reference that is. Noise is not counted: its mean is nothing. What comes with a force below
the sensor's threshold is delivered as nothing, and is none.

    distance^2 = (m v^2 + w.J w of both bodies) / (m v_approach^2),  1/m = 1/m_chaser + 1/m_target
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from softdock.loop.spatial.arrays import matrix
from softdock.results.momenta import read_mass_properties
from softdock.scenario.build import Scenario

# What is said of a wrench in free flight, and what is to be set.

ENDS = ("chaser", "target")
WORDS = {"weight": "uncompensated weight", "bias": "bias", "drift": "drift"}
SIGMAS = 4.0  # of the noise: a threshold so far above the force is seldom crossed
ABOVE = 1.05  # of the force: a threshold lets through what equals it
SHOWS = 0.002  # rad/s: a rate below is not said


def describe_free_flight(f: Any) -> str:
    """What acts, and what it makes until the end of the run. `f`: a FreeFlight."""
    what = f"{_list_parts(f.parts, f.force_N, 'N')}" if f.parts else ""
    if not what:
        what = _list_parts(f.turning, f.torque_Nm, "Nm")
    makes = []
    if f.parts:
        makes.append(f"{1e3 * f.speed_m_per_s:.3g} mm/s in {f.duration_s:.3g} s")
    body = max(ENDS, key=lambda one: f.rates_rad_per_s[one])
    rate = f.rates_rad_per_s[body]
    if rate > SHOWS or not f.parts:
        within = "" if makes else f" in {f.duration_s:.3g} s"
        makes.append(f"{math.degrees(rate):.3g} deg/s of the {body}{within}")
    return f"{what} acts in free flight: {' and '.join(makes)}, {_compare_with_approach(f)}."


def _list_parts(parts: dict[str, float], whole: float, unit: str) -> str:
    if len(parts) == 1:
        return f"{whole:.3g} {unit} of {WORDS[next(iter(parts))]}"
    listed = ", ".join(f"{size:.3g} {unit} of {WORDS[name]}" for name, size in parts.items())
    return f"{whole:.3g} {unit} ({listed})"


def _compare_with_approach(f: Any) -> str:
    if not f.approach_m_per_s > 0.0:
        return "where nothing approaches"
    if f.speed_m_per_s > f.approach_m_per_s:
        return f"more than the approach ({1e3 * f.approach_m_per_s:.3g} mm/s)"
    if f.distance > 1.0:
        return f"an error of {f.distance:.2g} times the approach speed"
    return f"an error of {100.0 * f.distance:.2g} % of the approach speed"


def suggest_remedy(f: Any, t: dict[str, Any], small: float, gravity: float) -> str:
    """What to set, with the size that it must have. `small`: distance from the reference that is
    borne; `gravity`: m/s^2."""
    smaller = small / f.distance if f.distance > 0.0 else 1.0
    parts = f.parts or f.turning
    largest = max(parts, key=lambda name: parts[name])
    if largest == "weight":
        mend = _suggest_weighing(t, f, smaller, gravity)
    elif f.parts:
        mend = f"tare the sensor (sensor.bias_N) to within {smaller * f.force_N:.2g} N"
    else:
        mend = f"tare the sensor (sensor.bias_Nm) to within {smaller * f.torque_Nm:.2g} Nm"
    if not f.parts:
        return f"{mend}."
    threshold = choose_threshold(f.force_N, float(t["sensor"]["noise_N"]))
    return (
        f"{mend}, or set a dead band, sensor.threshold_N = {threshold:g}, which also "
        "hides contact forces below it."
    )


def choose_threshold(force: float, noise: float) -> float:
    """A threshold that the force in free flight and its noise [N] seldom reach, to two digits."""
    bound = ABOVE * force + SIGMAS * noise
    digits = -math.floor(math.log10(bound)) + 1
    return math.ceil(bound * 10.0**digits) / 10.0**digits


def _suggest_weighing(t: dict[str, Any], f: Any, smaller: float, gravity: float) -> str:
    """Weigh it, or find its centre: the error that is there."""
    if f.parts:
        body = max(ENDS, key=lambda b: abs(_compute_mass_error(t["mock_up"][b])))
        allowed = 1e3 * smaller * f.force_N / gravity
        return (
            f"re-weigh the {body}'s tool (mock_up.{body}.believed.mass_kg) to within "
            f"{allowed:.2g} g"
        )
    body = max(ENDS, key=lambda b: math.dist(*_get_centres(t["mock_up"][b])))
    allowed = 1e3 * smaller * math.dist(*_get_centres(t["mock_up"][body]))
    return (
        f"find the centre of the {body}'s tool (mock_up.{body}.believed.centre_m) to within "
        f"{allowed:.2g} mm"
    )


def _compute_mass_error(tool: dict[str, Any]) -> float:
    return float(tool["mass_kg"]) - float(tool["believed"]["mass_kg"])


def _get_centres(tool: dict[str, Any]) -> tuple[list[float], list[float]]:
    return tool["centre_m"], tool["believed"]["centre_m"]


# The wrench that a sensor delivers in free flight: what its tool's compensation misses, and its
# bias.
#
# In: the tables of a scenario. Out: force on the chaser, torques on both bodies about their centres
# of mass [N, Nm, world axes, attitudes of the start], in parts by cause. The other body gets the
# opposite wrench, moved to its own centre of mass. The drift as it is half way through the run.

PARTS = ("weight", "bias", "drift")
Tables = dict[str, Any]


class FreeFlightWrench(NamedTuple):
    """A wrench on both satellites."""

    body: str  # whose sensor it is; the chaser's where both have one
    force: np.ndarray  # on the chaser
    torques: dict[str, np.ndarray]  # on each body, about its centre of mass
    parts: dict[str, np.ndarray]  # of the force
    turning: dict[str, np.ndarray]  # of the torque on `body`

    @staticmethod
    def of(t: Tables, body: str, force: np.ndarray, torque: np.ndarray) -> FreeFlightWrench:
        """A force and a torque on one body, and what the other gets of them."""
        sign = 1.0 if body == "chaser" else -1.0
        return FreeFlightWrench(
            body=body,
            force=sign * force,
            torques=_sum_on_both(t, body, force, torque),
            parts={},
            turning={},
        )


def find_free_flight_wrench(t: Tables) -> FreeFlightWrench:
    """All that acts in free flight."""
    on = t["sensor"]["on"]
    sensors = {"chaser": 1.0} if on == "chaser" else {"target": 1.0}
    sensors = dict.fromkeys(ENDS, 0.5) if on == "both" else sensors
    parts, turning = ({name: np.zeros(3) for name in PARTS} for _ in range(2))
    torques = {name: np.zeros(3) for name in ENDS}
    first = next(iter(sensors))
    for body, share in sensors.items():
        for name, (force, torque) in _find_sensor_wrenches(t, body).items():
            one = FreeFlightWrench.of(t, body, share * force, share * torque)
            parts[name] = parts[name] + one.force
            turning[name] = turning[name] + one.torques[first]
            torques = {end: torques[end] + one.torques[end] for end in ENDS}
    return FreeFlightWrench(
        body=first,
        force=sum(parts.values(), np.zeros(3)),
        torques=torques,
        parts=parts,
        turning=turning,
    )


def _find_sensor_wrenches(t: Tables, body: str) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """By cause: force and torque on a body, from its own sensor."""
    tool, sensor = t["mock_up"][body], t["sensor"]
    turn, place = matrix(t[body]["attitude_wxyz"]), np.asarray(tool["sensor_m"], float)
    down = turn.T @ get_gravity(t)
    true, believed = (_compute_weight(one, down) for one in (tool, tool["believed"]))
    half = 0.5 * float(t["time"]["duration_s"])
    bias = _shift_wrench(place, sensor["bias_N"], sensor["bias_Nm"])
    drift = _shift_wrench(place, sensor["drift_N_per_s"], sensor["drift_Nm_per_s"])
    inside = {
        "weight": (true[0] - believed[0], true[1] - believed[1]),
        "bias": bias,
        "drift": (half * drift[0], half * drift[1]),
    }
    return {name: (turn @ force, turn @ torque) for name, (force, torque) in inside.items()}


def _compute_weight(load: Tables, down: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    force = float(load["mass_kg"]) * down
    return force, np.cross(np.asarray(load["centre_m"], float), force)


def _shift_wrench(place: np.ndarray, force: Any, torque: Any) -> tuple[np.ndarray, np.ndarray]:
    """A wrench about the sensor, about the centre of mass."""
    f = np.asarray(force, float)
    return f, np.asarray(torque, float) + np.cross(place, f)


def _sum_on_both(
    t: Tables, body: str, force: np.ndarray, torque: np.ndarray
) -> dict[str, np.ndarray]:
    other = ENDS[1 - ENDS.index(body)]
    arm = np.subtract(t[body]["position_m"], t[other]["position_m"])
    return {body: torque, other: -(torque + np.cross(arm, force))}


def get_gravity(t: Tables) -> np.ndarray:
    """World axes [m/s^2]."""
    laboratory = t["laboratory"]
    return matrix(laboratory["attitude_wxyz"]).T @ np.asarray(laboratory["gravity_m_per_s2"], float)


NOTHING = 1e-12  # N, Nm


class FreeFlight(NamedTuple):
    """What acts in free flight. All zero: nothing does."""

    force_N: float  # size of all parts together
    torque_Nm: float  # on the body with the sensor, about its centre of mass
    parts: dict[str, float]  # N, by name: weight, bias, drift
    turning: dict[str, float]  # Nm, by name: weight, bias, drift
    speed_m_per_s: float  # relative speed that it makes until the end of the run
    rates_rad_per_s: dict[str, float]  # rate that it makes of each body
    distance: float  # from the reference, of the approach, at the end of the run
    duration_s: float
    approach_m_per_s: float  # relative speed at the start
    text: str  # for people; empty: nothing acts
    remedy: str  # what to set; empty: nothing acts


def analyse_free_flight(scenario: Scenario) -> FreeFlight:
    """The wrench in free flight and what it does."""
    t = scenario.tables
    found = find_free_flight_wrench(t)
    force = float(np.linalg.norm(found.force))
    torque = float(np.linalg.norm(found.torques[found.body]))
    quiet = force < float(t["sensor"]["threshold_N"])
    if quiet or (force <= NOTHING and torque <= NOTHING):
        return _make_zero(t)
    speed, rates, distance = _compute_effects(scenario, found)
    made = FreeFlight(
        force_N=force,
        torque_Nm=torque,
        parts=_compute_sizes(found.parts),
        turning=_compute_sizes(found.turning),
        speed_m_per_s=speed,
        rates_rad_per_s=rates,
        distance=distance,
        duration_s=float(t["time"]["duration_s"]),
        approach_m_per_s=_compute_approach_speed(t),
        text="",
        remedy="",
    )
    gravity = float(np.linalg.norm(get_gravity(t)))
    return made._replace(
        text=describe_free_flight(made),
        remedy=suggest_remedy(made, t, _compute_small_distance(t), gravity),
    )


def _make_zero(t: dict[str, Any]) -> FreeFlight:
    return FreeFlight(
        force_N=0.0,
        torque_Nm=0.0,
        parts={},
        turning={},
        speed_m_per_s=0.0,
        rates_rad_per_s=dict.fromkeys(ENDS, 0.0),
        distance=0.0,
        duration_s=float(t["time"]["duration_s"]),
        approach_m_per_s=_compute_approach_speed(t),
        text="",
        remedy="",
    )


def _compute_sizes(parts: dict[str, np.ndarray]) -> dict[str, float]:
    sizes = {name: float(np.linalg.norm(x)) for name, x in parts.items()}
    return {name: size for name, size in sizes.items() if size > NOTHING}


def _compute_approach_speed(t: dict[str, Any]) -> float:
    chaser_velocity, target_velocity = (t[name]["velocity_m_per_s"] for name in ENDS)
    return float(np.linalg.norm(np.subtract(chaser_velocity, target_velocity)))


def _compute_mobility(t: dict[str, Any]) -> float:
    """1/m of both bodies together [1/kg]; 0: nothing is free to move."""
    return sum(1.0 / float(np.min(t[name]["mass_kg"])) for name in ENDS if not t[name]["fixed"])


def _compute_effects(
    scenario: Scenario, found: FreeFlightWrench
) -> tuple[float, dict[str, float], float]:
    """Relative speed, rates, and the distance from the reference at the end of the run."""
    t, inertias = scenario.tables, read_mass_properties(scenario.vector).inertia
    duration, mobility = float(t["time"]["duration_s"]), _compute_mobility(t)
    speed = float(np.linalg.norm(found.force)) * mobility * duration
    energy = speed * speed / mobility if mobility else 0.0  # twice the kinetic energy
    rates = dict.fromkeys(ENDS, 0.0)
    for body, inertia in zip(ENDS, inertias, strict=True):
        if t[body]["fixed"]:
            continue
        torque = matrix(t[body]["attitude_wxyz"]).T @ found.torques[body]
        rate = np.linalg.solve(inertia, torque) * duration
        rates[body] = float(np.linalg.norm(rate))
        energy += float(rate @ torque) * duration
    approach = _compute_approach_speed(t)
    of = approach * approach / mobility if mobility else 0.0
    return speed, rates, math.sqrt(energy / of) if of > 0.0 else math.inf if energy else 0.0


def suggest_first_step(scenario: Scenario) -> str:
    """What to mend before anything else: a wrench in free flight that is not small; else
    nothing."""
    free_flight = analyse_free_flight(scenario)
    return (
        free_flight.remedy
        if free_flight.distance > _compute_small_distance(scenario.tables)
        else ""
    )


def _compute_small_distance(t: dict[str, Any]) -> float:
    """A distance from the reference that leaves half of what is called faithful for everything
    else."""
    return 0.5 * float(t["verdict"]["faithful_distance"])


def compute_allowed_force(scenario: Scenario, body: str = "chaser") -> float:
    """Force at a tool's centre, in the worst direction, that leaves half of the distance from the
    reference that is called faithful for everything else [N]; infinite where nothing is free to
    move."""
    t = scenario.tables
    if not _compute_mobility(t):
        return math.inf
    turn = matrix(t[body]["attitude_wxyz"])
    arm = turn @ np.asarray(t["mock_up"][body]["centre_m"], float)
    each = []
    for axis in np.eye(3):
        one = FreeFlightWrench.of(t, body, axis, np.cross(arm, axis))
        each.append(_compute_effects(scenario, one)[2])
    return _compute_small_distance(t) / max(each)


def list_warnings(scenario: Scenario) -> list[str]:
    """For a run's list: one sentence, or none."""
    free_flight = analyse_free_flight(scenario)
    if not free_flight.text:
        return []
    step = suggest_first_step(scenario)
    return [
        f"{free_flight.text} {f'To do: {step}' if step else 'That is small against the limits.'}"
    ]
