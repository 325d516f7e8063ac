"""Random passive contacts: does a method that claims passivity ever give back more than the real
contact left?

Masses of 10 to 5000 kg, delays up to 50 ms (of each robot its own, in every second run), soft to
hard contacts (a quarter of a period lasts from 8 cycles to 0.4 s), without and with damping up to
half of the critical, poses late in every third run, force noise of up to 2 % of the peak in every
second. Three families: a wall and one axis; two free bodies that hit off centre; two free bodies, a
probe in a cone, several contacts. A run passes if in the end

    KE <= max(KE_0 - W_real, KE of the pair welded together) + 1 % of KE_0 + noise term

all relative to the pair's common motion, W_real what the real contact truly absorbed. The second of
the maximum: robots that come late push on, and a damped contact may absorb more than the satellites
ever had; no internal impulse takes more than all relative motion, which is that of the last touch:
the pair's inertia grows as the bodies part. Noise term: white noise of standard deviation s makes
the work booked over N cycles of contact wrong by s v T sqrt(N), one standard deviation, v the
approach speed; the term is `DEVIATIONS` of them, less those that the method itself keeps back
(`confidence`). Runs that end within `SETTLED` of a touch are not judged, and counted.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from softdock.loop.contact.log import LOG_COLUMNS
from softdock.methods.registry import METHODS
from softdock.results.momenta import (
    MassProperties,
    compute_angular_momentum,
    compute_kinetic_energy,
)
from softdock.scenario.build import build
from softdock.studies.campaign.batch import Batch, run_cpu
from softdock.studies.campaign.columns import make_columns

# Random passive contacts, drawn: masses, delays, stiffnesses, dampings and shapes.

T, DURATION = 0.004, 6.0  # s


LEAD_TIME = 0.15  # s of free approach


RADIUS = 0.3  # m, of each ball in the family `balls`


CONE = {
    "mouth_radius_m": 0.05,
    "bottom_radius_m": 0.02,
    "half_angle_deg": 20.0,
    "closed_bottom": True,
    "tip_radius_m": 0.01,
}


def _log_uniform(random: np.random.Generator, low: float, high: float, runs: int) -> np.ndarray:
    return np.exp(random.uniform(math.log(low), math.log(high), runs))


def draw_runs(
    name: str, runs: int, random: np.random.Generator
) -> tuple[dict[str, np.ndarray], dict[str, Any], np.ndarray, np.ndarray, np.ndarray]:
    """Swept keys, tables, KE_0, mobility at the contact (1/kg) and approach speed."""
    chaser, target = (_log_uniform(random, 10.0, 5000.0, runs) for _ in range(2))
    speed = (
        _log_uniform(random, 0.02, 0.1, runs)
        if name == "cone"
        else _log_uniform(random, 0.005, 0.2, runs)
    )
    inertias = [m[:, None] * random.uniform(0.15, 0.25, (runs, 3)) for m in (chaser, target)]
    arm = {"wall": 0.0, "balls": 0.15, "cone": 1.0}[name]
    mobility = sum(
        1.0 / m + arm**2 / inertia.min(axis=1)
        for m, inertia in zip((chaser, target), inertias, strict=True)
    )
    reduced = chaser * target / (chaser + target)
    if name == "wall":
        mobility, reduced = 1.0 / chaser, chaser
    quarter = _log_uniform(random, 8.0 * T, 0.4, runs)
    stiffness = (0.5 * math.pi / quarter) ** 2 / mobility
    damping = np.where(random.random(runs) < 0.5, 0.0, random.uniform(0.0, 1.0, runs)) * np.sqrt(
        stiffness / mobility
    )
    delay = random.uniform(0.0, 50.0, runs)
    swept = {
        "chaser.mass_kg": chaser,
        "target.mass_kg": target,
        "chaser.inertia_kg_m2": inertias[0],
        "target.inertia_kg_m2": inertias[1],
        "contact.0.real.stiffness_N_per_m": stiffness,
        "contact.0.real.damping_Ns_per_m": damping,
        "robots.chaser.delay_ms": delay,
        "robots.target.delay_ms": np.where(
            random.random(runs) < 0.5, delay, random.uniform(0.0, 50.0, runs)
        ),
        "pose.delay_ms": np.where(
            random.random(runs) < 2.0 / 3.0, 0.0, random.uniform(0.0, 30.0, runs)
        ),
    }
    gap = speed * (LEAD_TIME + random.uniform(0.0, T, runs))
    contact, swept["chaser.position_m"] = _draw_contact(name, gap, random)
    zero = np.zeros(runs)
    swept["chaser.velocity_m_per_s"] = np.stack([-speed, zero, zero], axis=1)
    return (
        swept,
        _make_tables(contact, name == "wall"),
        0.5 * reduced * speed**2,
        np.asarray(mobility),
        speed,
    )


def _make_tables(contact: dict[str, Any], is_fixed: bool) -> dict[str, Any]:
    """What all runs share; masses, inertias and places are swept."""
    return {
        "time": {"cycle_ms": 1e3 * T, "duration_s": DURATION, "plant_steps": 4},
        "chaser": {
            "mass_kg": 10.0,
            "inertia_kg_m2": [2.0, 2.0, 2.0],
            "position_m": [3.0, 0.0, 0.0],
        },
        "target": {"mass_kg": 10.0, "inertia_kg_m2": [2.0, 2.0, 2.0], "fixed": is_fixed},
        "sensor": {"noise_N": 1.0},
        "pose": {"delay_ms": 1.0},
        "contact": [contact | {"real": {"stiffness_N_per_m": 1.0}}],
    }


def _draw_contact(
    name: str, gap: np.ndarray, random: np.random.Generator
) -> tuple[dict[str, Any], np.ndarray]:
    """The pair without its law, and where the chaser starts: one row per run, `gap` away [m]."""
    runs, zero = len(gap), np.zeros(len(gap))
    if name == "wall":
        wall: dict[str, Any] = {"geometry": "wall", "axis": [1.0, 0.0, 0.0]}
        return wall, np.stack([gap, zero, zero], axis=1)
    if name == "balls":
        ball = {
            "geometry": "sphere",
            "tip_m": [-0.1, 0.1, 0.05],
            "tip_radius_m": RADIUS,
            "origin_m": [0.1, 0.05, -0.1],
            "sphere_radius_m": RADIUS,
        }
        across = random.uniform(-0.5 * RADIUS, 0.5 * RADIUS, (runs, 2))
        along = np.sqrt((2.0 * RADIUS) ** 2 - np.sum(across**2, axis=1))
        start = (0.2 + along + gap)[:, None]
        return ball, np.concatenate([start, across + np.array([-0.05, -0.15])], axis=1)
    cone = {
        "geometry": "cone",
        "tip_m": [-1.0, 0.0, 0.0],
        "origin_m": [1.0, 0.0, 0.0],
        "axis": [1.0, 0.0, 0.0],
        **CONE,
    }
    angle, off = random.uniform(0.0, 2.0 * math.pi, runs), random.uniform(0.0, 0.035, runs)
    return cone, np.stack([2.01 + gap, off * np.cos(angle), off * np.sin(angle)], axis=1)


# Faults of sensors and robots for random contacts (docs/bad_input.md), drawn as columns: a sensor
# that freezes, saturates or jumps, for a while or for good; a delay that grows; set-points and
# readings that are lost.

FAULTS = (
    "none",
    "freezes for a while",
    "freezes for good",
    "saturates",
    "jumps for a while",
    "jumps for good",
    "one wild reading",
    "delay grows",
    "set-points lost",
)
CYCLE = 0.004  # s, of the draws that these go with
LARGEST = 1e6  # N; what a scenario takes as a jump


def draw_faults(
    runs: int, random: np.random.Generator, touch: np.ndarray, peak: np.ndarray
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Swept keys, and which of FAULTS each run has. `touch`: when the first touch comes [s];
    `peak`: its force [N]. A fault comes from 0.1 s before the touch to 0.6 s after it."""
    kind = random.integers(0, len(FAULTS), runs)
    when = np.maximum(touch + random.uniform(-0.1, 0.6, runs), CYCLE)
    size = peak * np.exp(random.uniform(np.log(0.1), np.log(10.0), runs))
    way = random.normal(size=(runs, 3))
    way /= np.linalg.norm(way, axis=1)[:, None]
    wild = np.where(kind == 6, 30.0, 1.0) * size

    def of(*kinds: int) -> np.ndarray:
        return np.isin(kind, kinds)

    jumps = of(4, 5, 6)
    return {
        "sensor.freeze_at_s": np.where(of(1, 2), when, 0.0),
        "sensor.freeze_for_s": np.select([of(1), of(2)], [0.15, 1e6], 0.0),
        "sensor.range_N": np.where(of(3), peak * random.uniform(0.1, 0.9, runs), 0.0),
        "sensor.jump_at_s": np.where(jumps, when, 0.0),
        "sensor.jump_for_s": np.select([of(4), of(6)], [0.1, CYCLE], 0.0),
        "sensor.jump_N": np.where(
            jumps[:, None], np.clip(wild[:, None] * way, -LARGEST, LARGEST), 0.0
        ),
        "robots.chaser.delay_ramp_ms_per_s": np.where(of(7), 40.0, 0.0),
        "robots.chaser.dropout_probability": np.where(of(8), 0.3, 0.0),
    }, kind


ALLOWED = 0.01  # of KE_0
ROUNDING = 1e-9  # of KE_0: a loan of exactly 1 % is allowed
DEVIATIONS = 4.0
CONFIDENCE = 0.9999  # that the methods under test are given
CLAIMS: dict[str, dict[str, Any]] = {
    name: {"name": name, **method.claims_passivity, "confidence": CONFIDENCE}
    for name, method in METHODS.items()
    if method.claims_passivity is not None
}
SETTLED = 0.25  # s
MOTION = ("px", "py", "pz", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz")
FAMILIES = ("wall", "balls", "cone")


@dataclass(frozen=True)
class Family:
    """One family's runs."""

    name: str
    swept: dict[str, np.ndarray]  # key to one row per run
    tables: dict[str, Any]
    kinetic_J: np.ndarray  # KE_0
    noise_J: np.ndarray  # the noise term
    left_J: np.ndarray  # what the real contact left, or the welded pair has
    end_J: np.ndarray  # what the satellites have in the end
    completed: np.ndarray
    is_judged: np.ndarray  # touched, and settled at the end

    @property
    def excess(self) -> np.ndarray:
        """Energy beyond what was left and the noise term, as a share of KE_0; -inf where the run is
        not judged."""
        return np.where(
            self.is_judged, (self.end_J - self.left_J - self.noise_J) / self.kinetic_J, -np.inf
        )

    def scenario(self, run: int) -> dict[str, Any]:
        """The tables of one run, to be built and run alone."""
        tables = copy.deepcopy(self.tables)
        for key, rows in self.swept.items():
            *path, last = key.split(".")
            here: Any = tables
            for part in path:
                here = here[int(part)] if isinstance(here, list) else here.setdefault(part, {})
            here[last] = rows[run].tolist()
        tables["random"] = {"run": run}
        return tables


@dataclass(frozen=True)
class Campaign:
    families: tuple[Family, ...]

    @property
    def runs(self) -> int:
        return sum(len(f.end_J) for f in self.families)

    @property
    def failures(self) -> int:
        """Runs that gave back more than allowed, or stopped."""
        return int(
            sum(np.sum((f.excess > ALLOWED + ROUNDING) | ~f.completed) for f in self.families)
        )

    @property
    def worst(self) -> tuple[Family, int]:
        """The run that exceeds most."""
        family = max(self.families, key=lambda f: float(f.excess.max()))
        return family, int(np.argmax(family.excess))


def run_passive_contacts(
    runs: int = 10_000,
    seed: int = 1,
    *,
    methods: Sequence[dict[str, Any]],
    faulty: bool = False,
) -> Campaign:
    """Draw and run the campaign. `methods`: as in a scenario; those that can be told noise and
    threshold are. `faulty`: sensors and robots with faults."""
    if runs < len(FAMILIES):
        raise ValueError(f"runs: at least {len(FAMILIES)}, this is {runs}")
    counts = [len(part) for part in np.array_split(np.arange(runs), len(FAMILIES))]
    return Campaign(
        tuple(
            _run_family(name, n, np.random.default_rng([seed, i]), methods, faulty)
            for i, (name, n) in enumerate(zip(FAMILIES, counts, strict=True))
        )
    )


def _run_family(
    name: str,
    runs: int,
    random: np.random.Generator,
    methods: Sequence[dict[str, Any]],
    faulty: bool,
) -> Family:
    swept, tables, kinetic, mobility, speed = draw_runs(name, runs, random)
    peak = speed * np.sqrt(swept["contact.0.real.stiffness_N_per_m"] / mobility)
    noise = np.where(random.random(runs) < 0.5, 0.0, peak * random.uniform(0.0, 0.02, runs))
    swept |= {"sensor.noise_N": noise, "sensor.threshold_N": 4.0 * noise}
    if faulty:
        found, _ = draw_faults(runs, random, np.full(runs, LEAD_TIME), peak)
        swept |= found
    tables["methods"] = [dict(m) for m in methods]
    for i, method in enumerate(methods):
        if method["name"] in CLAIMS:
            swept |= {f"methods.{i}.noise_N": noise, f"methods.{i}.threshold_N": 4.0 * noise}
    batch = run_cpu(*make_columns(build(tables), swept), contacts=256)
    count = batch.column("contacts").astype(int)
    last = batch.logs[np.arange(runs), np.maximum(count - 1, 0)]
    kept = max(
        (float(NormalDist().inv_cdf(m.get("confidence", 0.5))) for m in methods), default=0.0
    )
    term = (
        max(DEVIATIONS - kept, 0.0)
        * noise
        * T
        * speed
        * np.sqrt(_count_contact_cycles(batch, count))
    )
    end, welded = _compute_energies(
        batch, swept, name == "wall", last[:, LOG_COLUMNS.index("end_s")]
    )
    left = np.maximum(kinetic - batch.column("real_work_J"), welded)
    is_judged = (
        (count > 0)
        & ~np.isnan(last[:, LOG_COLUMNS.index("restitution")])
        & (last[:, LOG_COLUMNS.index("end_s")] < DURATION - SETTLED)
    )
    return Family(
        name=name,
        swept=swept,
        tables=tables,
        kinetic_J=kinetic,
        noise_J=term,
        left_J=left,
        end_J=end,
        completed=batch.column("status") == 0.0,
        is_judged=is_judged,
    )


def _count_contact_cycles(batch: Batch, count: np.ndarray) -> np.ndarray:
    """Of each run, a cycle more at either end of a contact."""
    start, end = (batch.logs[:, :, LOG_COLUMNS.index(key)] for key in ("start_s", "end_s"))
    listed = np.arange(start.shape[1])[None, :] < count[:, None]
    return np.asarray(np.sum(np.where(listed, (end - start) / T + 2.0, 0.0), axis=1))


def _compute_energies(
    batch: Batch, swept: dict[str, np.ndarray], fixed: bool, last_touch: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Kinetic energy of each run's end relative to the common motion, and of the pair welded
    together at its last touch or there, the larger [J]."""
    if fixed:
        return batch.column("kinetic_end_J"), np.zeros(len(batch))
    end, welded = np.zeros(len(batch)), np.zeros(len(batch))
    columns_of = {
        body: np.stack([batch.column(f"{body}.{name}") for name in MOTION])
        for body in ("chaser", "target")
    }
    for run in range(len(batch)):
        motion = np.stack([columns_of["chaser"][:, run], columns_of["target"][:, run]])
        mass = np.array([swept["chaser.mass_kg"][run], swept["target.mass_kg"][run]])
        inertia = np.stack(
            [
                np.diag(swept["chaser.inertia_kg_m2"][run]),
                np.diag(swept["target.inertia_kg_m2"][run]),
            ]
        )
        bodies = MassProperties(
            np.array([False, False]), np.repeat(mass[:, None], 3, axis=1), inertia
        )
        end[run] = compute_kinetic_energy(bodies, motion)
        momentum = compute_angular_momentum(bodies, motion)
        for then in (motion, _move_back(motion, DURATION - last_touch[run])):
            welded[run] = max(
                welded[run],
                0.5
                * float(momentum @ np.linalg.solve(compute_pair_inertia(bodies, then), momentum)),
            )
    return end, welded


def _move_back(motion: np.ndarray, dt: float) -> np.ndarray:
    """Both bodies so long before, in free flight at their present rates."""
    then = motion.copy()
    then[:, 0:3] -= dt * motion[:, 7:10]
    for i, (q, w) in enumerate(zip(motion[:, 3:7], motion[:, 10:13], strict=True)):
        angle = float(np.linalg.norm(w)) * dt
        axis = -w * (math.sin(0.5 * angle) * dt / angle if angle else 0.5 * dt)
        scalar = math.cos(0.5 * angle)
        then[i, 3] = q[0] * scalar - q[1:] @ axis
        then[i, 4:7] = q[0] * axis + scalar * q[1:] + np.cross(q[1:], axis)
    return then


def compute_pair_inertia(bodies: MassProperties, motion: np.ndarray) -> np.ndarray:
    """Of both bodies about their common centre of mass, world axes, (3, 3) [kg m^2]."""
    mass = bodies.mass[:, 0]
    centre = mass @ motion[:, 0:3] / mass.sum()
    whole = np.zeros((3, 3))
    for m, inertia, one in zip(mass, bodies.inertia, motion, strict=True):
        w, x, y, z = one[3:7]
        first, second = (
            (-y * y - z * z, x * y - w * z, x * z + w * y),
            (x * y + w * z, -x * x - z * z, y * z - w * x),
        )
        R = np.eye(3) + 2.0 * np.array(
            [first, second, (x * z - w * y, y * z + w * x, -x * x - y * y)]
        )
        r = one[0:3] - centre
        whole += R @ inertia @ R.T + m * (r @ r * np.eye(3) - np.outer(r, r))
    return whole
