"""Random cases from a seed, so that nobody can tune to the list.

In: a seed and a number. Out: a scenario's tables, in the user's units, without methods. Number i of
a seed is the same case whatever is drawn beside it.

Shapes, masses, stiffness, law, friction, delay, cycle, robots and sensor are drawn; the approach
follows from them: a second of free flight, then a touch of at least TOUCH_CYCLES cycles. A draw is
kept if the reference, simulated, has a contact after that flight, parts from the last one, and
touches no more than MOST_CONTACTS times; the run ends AFTER_S after parting. Otherwise the next
attempt of the same number is drawn.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from softdock.errors import BadInput
from softdock.reference import run_reference
from softdock.scenario.build import build
from softdock.scenario.files import to_toml

# Shapes of random cases and where the chaser begins: `gap` metres before its first touch, on the
# positive x axis of the target, which it approaches along minus x.

WALL, BALLS, CONE, PETALS = "wall", "balls", "cone", "petals"
SHAPES = (WALL, WALL, BALLS, CONE, PETALS)  # walls twice: they carry the laws
TIP = 0.02  # m, radius of a tip
BALL = 0.25  # m, radius of each ball
MOUTH, BOTTOM, HALF_ANGLE = 0.08, 0.025, 30.0  # m, m, deg
LEAN = math.radians(60.0)  # of a petal's normal from the axis


class PlacedShape(NamedTuple):
    """Contact pairs without their law, the chaser's place, and the lever of the force [m]."""

    pairs: list[dict[str, Any]]
    chaser_m: list[float]
    lever: float


def draw_shape(shape: str, random: np.random.Generator, gap: float) -> PlacedShape:
    """A shape with its sizes and offsets drawn."""
    make = {WALL: _draw_wall, BALLS: _draw_balls, CONE: _draw_cone, PETALS: _draw_petals}[shape]
    return make(random, gap)


def round_as_written(x: float) -> float:
    """Five digits: what a person would write into a file."""
    return float(f"{float(x):.5g}")


def _draw_wall(random: np.random.Generator, gap: float) -> PlacedShape:
    """A tip beside the centre of mass; half of the draws are central."""
    aside = [0.0, 0.0]
    if random.random() < 0.5:
        aside = [round_as_written(x) for x in random.uniform(-0.2, 0.2, 2)]
    pair = {
        "geometry": "wall",
        "tip_m": [-0.4, *aside],
        "tip_radius_m": TIP,
        "axis": [1.0, 0.0, 0.0],
    }
    return PlacedShape([pair], [round_as_written(0.4 + TIP + gap), 0.0, 0.0], math.hypot(*aside))


def _draw_balls(random: np.random.Generator, gap: float) -> PlacedShape:
    across = [round_as_written(x) for x in random.uniform(-0.2, 0.2, 2)]
    along = math.sqrt((2.0 * BALL) ** 2 - across[0] ** 2 - across[1] ** 2)
    pair = {
        "geometry": "sphere",
        "tip_m": [-0.05, 0.0, 0.0],
        "tip_radius_m": BALL,
        "origin_m": [0.1, 0.0, 0.0],
        "sphere_radius_m": BALL,
    }
    return PlacedShape([pair], [round_as_written(0.15 + along + gap), *across], 0.02)


def _draw_cone(random: np.random.Generator, gap: float) -> PlacedShape:
    """A probe into a closed cone; the gap is to the plane of its mouth."""
    angle, off = random.uniform(0.0, 2.0 * math.pi), random.uniform(0.0, 0.6) * MOUTH
    pair = {
        "geometry": "cone",
        "tip_m": [-0.6, 0.0, 0.0],
        "tip_radius_m": 0.01,
        "origin_m": [0.6, 0.0, 0.0],
        "axis": [1.0, 0.0, 0.0],
        "mouth_radius_m": MOUTH,
        "bottom_radius_m": BOTTOM,
        "half_angle_deg": HALF_ANGLE,
        "closed_bottom": True,
    }
    at = [
        round_as_written(1.2 + gap),
        round_as_written(off * math.cos(angle)),
        round_as_written(off * math.sin(angle)),
    ]
    return PlacedShape([pair], at, 0.5)


def _draw_petals(random: np.random.Generator, gap: float) -> PlacedShape:
    """A ball between three plates that lean inwards and meet on the axis."""
    turn = random.uniform(0.0, 2.0 * math.pi)
    off, where = random.uniform(0.0, 0.03), random.uniform(0.0, 2.0 * math.pi)
    pairs: list[dict[str, Any]] = []
    for i in range(3):
        angle = turn + 2.0 * math.pi * i / 3.0
        axis = [math.cos(LEAN), math.sin(LEAN) * math.cos(angle), math.sin(LEAN) * math.sin(angle)]
        pairs.append(
            {
                "geometry": "wall",
                "tip_m": [-0.5, 0.0, 0.0],
                "tip_radius_m": TIP,
                "origin_m": [0.4, 0.0, 0.0],
                "axis": [round_as_written(x) for x in axis],
            }
        )
    # the nearest plate is touched where the ball's centre is TIP before it
    y, z = off * math.cos(where), off * math.sin(where)
    nearest = max((TIP - p["axis"][1] * y - p["axis"][2] * z) / p["axis"][0] for p in pairs)
    return PlacedShape(
        pairs,
        [round_as_written(0.9 + nearest + gap), round_as_written(y), round_as_written(z)],
        0.4,
    )


MOST_ATTEMPTS = 500  # five of six are kept
FLIGHT_S, AFTER_S, LONGEST_S = 1.0, 1.2, 20.0  # s: before the touch, after parting, looked at
LEAST_FLIGHT_S = 0.6  # s: a tumbling target may come to meet the tip
TOUCH_CYCLES, LONGEST_TOUCH_S = 10.0, 0.8
SOFTEST, STIFFEST = 1e3, 1e6  # N/m
MOST_CONTACTS = 8
FRICTIONS = (0.0, 0.0, 0.0, 0.1, 0.2, 0.3)
Tables = dict[str, Any]


def draw_case(seed: int, number: int) -> tuple[str, str]:
    """Name and text of a case: its scenario file."""
    for attempt in range(MOST_ATTEMPTS):
        random = np.random.Generator(np.random.PCG64([seed, number, attempt]))
        tables = _complete_case(_draw_tables(random))
        if tables is not None:
            name = f"random_{seed}_{number:04d}"
            words = tables.pop("words")
            head = (
                f"# Drawn by `softdock benchmark --random` from seed {seed}, number {number}: "
                f"{words}.\n"
            )
            text = to_toml({"schema": 1, "name": name, "description": words, **tables})
            return name, head + text
    raise AssertionError("no draw in so many attempts: the generator is wrong")


def _complete_case(tables: Tables | None) -> Tables | None:
    """The tables with the length of their run, if the reference has contacts that end; None: it has
    not."""
    if tables is None:
        return None
    plain = {key: value for key, value in tables.items() if key != "words"}
    try:
        reference = run_reference(build(plain))
    except BadInput:
        return None
    if reference.status != "completed" or not 1 <= reference.contact_count <= MOST_CONTACTS:
        return None
    first, last = reference.contacts[0]["start_s"], reference.contacts[-1]["end_s"]
    if first < LEAST_FLIGHT_S or not math.isfinite(reference.contacts[-1]["restitution"]):
        return None
    duration = math.ceil(10.0 * (last + AFTER_S)) / 10.0
    if duration > LONGEST_S:
        return None
    return {**tables, "time": {**tables["time"], "duration_s": duration}}


def _draw_tables(random: np.random.Generator) -> Tables | None:
    """Everything but the length of the run; None: the stiffness is beyond what is looked at."""
    shape = str(random.choice(SHAPES))
    cycle = float(random.choice([2.0, 4.0, 4.0, 4.0, 4.0, 12.0]))
    masses = [_draw_log_uniform(random, 50.0, 5000.0) for _ in range(2)]
    speed = _draw_log_uniform(random, 0.01, 0.08)
    friction = float(random.choice(FRICTIONS))
    fixed = shape != PETALS and bool(random.random() < 0.15)
    inertias = [
        [round_as_written(m * random.uniform(0.15, 0.25)) for _ in range(3)] for m in masses
    ]
    slide = round_as_written(speed * random.uniform(-0.8, 0.8)) if friction > 0.0 else 0.0
    placed = draw_shape(shape, random, FLIGHT_S * speed)
    mobility = sum(
        1.0 / m + placed.lever**2 / min(i)
        for m, i in list(zip(masses, inertias, strict=True))[: 1 if fixed else 2]
    )
    touch = _draw_log_uniform(random, max(1e-3 * TOUCH_CYCLES * cycle, 0.06), LONGEST_TOUCH_S)
    stiffness = (math.pi / touch) ** 2 / mobility
    if not SOFTEST <= stiffness <= STIFFEST:
        return None
    law, words = _draw_law(random, stiffness, mobility, speed)
    if friction > 0.0:
        law["friction"] = friction
    peak = speed * math.sqrt(stiffness / mobility)
    robots, robots_said = _draw_robots(random, cycle)
    sensor, sensor_said = _draw_sensor(random, peak)
    tumbles = not fixed and bool(random.random() < 0.3)
    rates = [round_as_written(x) for x in random.uniform(-3.0, 3.0, 3)]
    tables: Tables = {
        "words": f"{shape}, {words}, {f'friction {friction:g}' if friction else 'no friction'}, "
        f"{robots_said}, {sensor_said}" + (", tumbling" if tumbles else ""),
        "time": {"cycle_ms": cycle, "duration_s": LONGEST_S, "plant_steps": 4},
        "chaser": {
            "mass_kg": masses[0],
            "inertia_kg_m2": inertias[0],
            "position_m": placed.chaser_m,
            "velocity_m_per_s": [-round_as_written(speed), slide, 0.0],
        },
        "target": {"fixed": fixed, "mass_kg": masses[1], "inertia_kg_m2": inertias[1]},
        "robots": robots,
        "sensor": sensor,
        "contact": [{**pair, "real": dict(law)} for pair in placed.pairs],
    }
    if tumbles:
        tables["target"]["rate_deg_per_s"] = rates
    return tables


def _draw_law(
    random: np.random.Generator, stiffness: float, mobility: float, speed: float
) -> tuple[Tables, str]:
    """The law of a contact that lasts about as long as a spring of this stiffness."""
    kind = random.choice(
        ["lossless", "damped", "hunt_crossley", "preloaded"], p=[0.4, 0.3, 0.2, 0.1]
    )
    k, depth = round_as_written(stiffness), speed / math.sqrt(stiffness * mobility)
    if kind == "lossless":
        return {"law": "spring_damper", "stiffness_N_per_m": k}, f"lossless {k:g} N/m"
    if kind == "damped":
        ratio = random.uniform(0.02, 0.3)
        damping = round_as_written(2.0 * ratio * math.sqrt(stiffness / mobility))
        law = {"law": "spring_damper", "stiffness_N_per_m": k, "damping_Ns_per_m": damping}
        return law, f"{k:g} N/m with {damping:g} Ns/m"
    if kind == "hunt_crossley":
        exponent, loss = float(random.choice([1.5, 2.0])), random.uniform(0.0, 0.4) / speed
        law = {
            "law": "hunt_crossley",
            "stiffness_N_per_m": round_as_written(stiffness * depth ** (1.0 - exponent)),
            "exponent": exponent,
            "lambda_s_per_m": round_as_written(loss),
        }
        return law, f"Hunt-Crossley, exponent {exponent:g}"
    rise, share = 0.02 * depth, random.uniform(0.1, 0.6)
    first = share * stiffness * depth
    rows = [[0.0, 0.0], [round_as_written(rise), round_as_written(first)]]
    rows.append(
        [round_as_written(100.0 * depth), round_as_written(first + stiffness * 100.0 * depth)]
    )
    return {"law": "table", "table_m_N": rows}, f"{k:g} N/m pre-loaded by {first:.3g} N"


def _draw_robots(random: np.random.Generator, cycle: float) -> tuple[Tables, str]:
    delays = [round_as_written(random.uniform(4.0, 32.0))] * 2
    if random.random() < 0.2:
        delays[1] = round_as_written(random.uniform(4.0, 32.0))
    more: Tables = {}
    words = " and ".join(f"{delay:g}" for delay in dict.fromkeys(delays)) + " ms"
    kind = random.choice(["delay", "lag", "lost", "jitter"], p=[0.7, 0.1, 0.1, 0.1])
    if kind == "lag":
        more = {"model": "lag", "lag_Hz": round_as_written(random.uniform(6.0, 20.0))}
        words += f" and a lag of {more['lag_Hz']:g} Hz"
    elif kind == "lost":
        more = {"dropout_probability": round_as_written(random.uniform(0.005, 0.08))}
        words += " with lost set-points"
    elif kind == "jitter":
        more = {"delay_jitter_ms": round_as_written(random.uniform(0.2, 0.9) * cycle)}
        words += f" and up to {more['delay_jitter_ms']:g} ms of jitter"
    chaser, target = ({**more, "delay_ms": delay} for delay in delays)
    return {"chaser": chaser, "target": target}, words


def _draw_sensor(random: np.random.Generator, peak: float) -> tuple[Tables, str]:
    kind = random.choice(["quiet", "noise", "lowpass", "mean"], p=[0.7, 0.15, 0.05, 0.1])
    if kind == "noise":
        noise = round_as_written(peak * random.uniform(0.005, 0.03))
        return {"noise_N": noise}, f"{noise:g} N of noise"
    if kind == "lowpass":
        cut = round_as_written(random.uniform(15.0, 60.0))
        return {"lowpass_Hz": cut}, f"low-pass of {cut:g} Hz"
    if kind == "mean":
        return {"period_ms": 1.0, "handover": "mean"}, "mean of 1 kHz"
    return {}, "quiet"


def _draw_log_uniform(random: np.random.Generator, low: float, high: float) -> float:
    return round_as_written(math.exp(random.uniform(math.log(low), math.log(high))))
