"""Random passive contacts: does a method that claims passivity ever give back more than the real contact left?

Masses of 10 to 5000 kg, delays up to 50 ms (of each robot its own, in every second run), soft to hard contacts (a quarter of a period lasts from 8 cycles
to 0.4 s), with and without damping, poses late in every third run, force noise in every second. Three families: a wall and one axis; two free bodies that
hit off centre; two free bodies, a probe in a cone, several contacts. A run passes if

    energy_invented_J <= 1 % of KE_0 + noise term,    KE_0: of the approach, relative to the pair's common motion

Noise term: a white force of standard deviation s, N cycles of T, moves the pair's relative momentum by s T sqrt(N) (one standard deviation) and the booked
work by as much times the speed: `DEVIATIONS` of both together, v s T sqrt(2 N), and the energy of that momentum itself.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from softdock.campaign.columns import columns
from softdock.campaign.cpu import run_cpu
from softdock.scenario.build import build

ALLOWED = 0.01  # of KE_0
DEVIATIONS = 4.0
T, DURATION = 0.004, 6.0  # s
LEAD_TIME = 0.15  # s of free approach
RADIUS = 0.3  # m, of each ball in the family `balls`
FAMILIES = ("wall", "balls", "cone")
CONE = {"mouth_radius_m": 0.05, "bottom_radius_m": 0.02, "half_angle_deg": 20.0, "closed_bottom": True, "tip_radius_m": 0.01}


@dataclass(frozen=True)
class Family:
    """One family's runs."""

    name: str
    swept: dict[str, np.ndarray]  # key to a row a run
    tables: dict[str, Any]
    kinetic_J: np.ndarray  # KE_0
    noise_J: np.ndarray  # the noise term
    invented_J: np.ndarray
    completed: np.ndarray
    touched: np.ndarray

    @property
    def excess(self) -> np.ndarray:
        """Invented energy beyond the noise term, as a share of KE_0."""
        return np.asarray((self.invented_J - self.noise_J) / self.kinetic_J)

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
        return sum(len(f.invented_J) for f in self.families)

    @property
    def failures(self) -> int:
        """Runs that gave back more than allowed, or stopped."""
        return int(sum(np.sum((f.excess > ALLOWED) | ~f.completed) for f in self.families))

    @property
    def worst(self) -> tuple[Family, int]:
        """The run that exceeds most."""
        family = max(self.families, key=lambda f: float(f.excess.max()))
        return family, int(np.argmax(family.excess))


def passive_contacts(runs: int = 10_000, seed: int = 1, methods: Sequence[dict[str, Any]] = ({"name": "energy_ledger"},)) -> Campaign:
    """Draw and run the campaign. `methods`: as in a scenario; the ledger is told noise and threshold."""
    if runs < len(FAMILIES):
        raise ValueError(f"runs: at least {len(FAMILIES)}, this is {runs}")
    counts = [len(part) for part in np.array_split(np.arange(runs), len(FAMILIES))]
    return Campaign(tuple(_run(name, n, np.random.default_rng([seed, i]), methods) for i, (name, n) in enumerate(zip(FAMILIES, counts, strict=True))))


def _run(name: str, runs: int, random: np.random.Generator, methods: Sequence[dict[str, Any]]) -> Family:
    swept, tables, kinetic, mobility, speed = _draw(name, runs, random)
    peak = speed * np.sqrt(swept["contact.0.real.stiffness_N_per_m"] / mobility)
    noise = np.where(random.random(runs) < 0.5, 0.0, peak * random.uniform(0.0, 0.02, runs))
    swept |= {"sensor.noise_N": noise, "sensor.threshold_N": 4.0 * noise}
    tables["methods"] = [dict(m) for m in methods]
    for i, method in enumerate(methods):
        if method["name"] == "energy_ledger":
            swept |= {f"methods.{i}.noise_N": noise, f"methods.{i}.threshold_N": 4.0 * noise}
    batch = run_cpu(*columns(build(tables), swept), contacts=256)
    moved = noise * T * math.sqrt(DURATION / T)
    term = DEVIATIONS * speed * moved * math.sqrt(2.0) + 0.5 * mobility * (DEVIATIONS * moved) ** 2
    done = batch.column("status") == 0.0
    return Family(name, swept, tables, kinetic, term, batch.column("energy_invented_J"), done, batch.column("contacts") > 0.0)


def _log_uniform(random: np.random.Generator, low: float, high: float, runs: int) -> np.ndarray:
    return np.exp(random.uniform(math.log(low), math.log(high), runs))


def _draw(name: str, runs: int, random: np.random.Generator) -> tuple[dict[str, np.ndarray], dict[str, Any], np.ndarray, np.ndarray, np.ndarray]:
    """Swept keys, tables, KE_0, mobility at the contact (1/kg) and approach speed."""
    chaser, target = (_log_uniform(random, 10.0, 5000.0, runs) for _ in range(2))
    speed = _log_uniform(random, 0.02, 0.1, runs) if name == "cone" else _log_uniform(random, 0.005, 0.2, runs)
    inertias = [m[:, None] * random.uniform(0.15, 0.25, (runs, 3)) for m in (chaser, target)]
    arm = {"wall": 0.0, "balls": 0.15, "cone": 1.0}[name]
    mobility = sum(1.0 / m + arm**2 / inertia.min(axis=1) for m, inertia in zip((chaser, target), inertias, strict=True))
    reduced = chaser * target / (chaser + target)
    if name == "wall":
        mobility, reduced = 1.0 / chaser, chaser
    quarter = _log_uniform(random, 8.0 * T, 0.4, runs)
    stiffness = (0.5 * math.pi / quarter) ** 2 / mobility
    damping = np.where(random.random(runs) < 0.5, 0.0, random.uniform(0.0, 1.0, runs)) * np.sqrt(stiffness / mobility)
    delay = random.uniform(0.0, 50.0, runs)
    swept = {
        "chaser.mass_kg": chaser,
        "target.mass_kg": target,
        "chaser.inertia_kg_m2": inertias[0],
        "target.inertia_kg_m2": inertias[1],
        "contact.0.real.stiffness_N_per_m": stiffness,
        "contact.0.real.damping_Ns_per_m": damping,
        "robots.chaser.delay_ms": delay,
        "robots.target.delay_ms": np.where(random.random(runs) < 0.5, delay, random.uniform(0.0, 50.0, runs)),
        "pose.delay_ms": np.where(random.random(runs) < 2.0 / 3.0, 0.0, random.uniform(0.0, 30.0, runs)),
    }
    tables: dict[str, Any] = {
        "time": {"cycle_ms": 1e3 * T, "duration_s": DURATION, "plant_steps": 4},
        "chaser": {"mass_kg": 10.0, "inertia_kg_m2": [2.0, 2.0, 2.0], "position_m": [3.0, 0.0, 0.0]},
        "target": {"mass_kg": 10.0, "inertia_kg_m2": [2.0, 2.0, 2.0], "fixed": name == "wall"},
        "sensor": {"noise_N": 1.0},
        "pose": {"delay_ms": 1.0},
        "contact": [{"geometry": "wall", "axis": [1.0, 0.0, 0.0], "real": {"stiffness_N_per_m": 1.0}}],
    }
    zero, gap = np.zeros(runs), speed * (LEAD_TIME + random.uniform(0.0, T, runs))
    if name == "wall":
        position = np.stack([gap, zero, zero], axis=1)
    elif name == "balls":
        tables["contact"][0] = {
            "geometry": "sphere",
            "tip_m": [-0.1, 0.1, 0.05],
            "tip_radius_m": RADIUS,
            "origin_m": [0.1, 0.05, -0.1],
            "sphere_radius_m": RADIUS,
            "real": {"stiffness_N_per_m": 1.0},
        }
        across = random.uniform(-0.5 * RADIUS, 0.5 * RADIUS, (runs, 2))
        along = np.sqrt((2.0 * RADIUS) ** 2 - np.sum(across**2, axis=1))
        position = np.concatenate([(0.2 + along + gap)[:, None], across + np.array([-0.05, -0.15])], axis=1)
    else:
        cone = {"geometry": "cone", "tip_m": [-1.0, 0.0, 0.0], "origin_m": [1.0, 0.0, 0.0], "axis": [1.0, 0.0, 0.0], **CONE}
        tables["contact"][0] = cone | {"real": {"stiffness_N_per_m": 1.0}}
        angle, off = random.uniform(0.0, 2.0 * math.pi, runs), random.uniform(0.0, 0.035, runs)
        position = np.stack([2.01 + gap, off * np.cos(angle), off * np.sin(angle)], axis=1)
    swept["chaser.position_m"] = position
    swept["chaser.velocity_m_per_s"] = np.stack([-speed, zero, zero], axis=1)
    return swept, tables, 0.5 * reduced * speed**2, np.asarray(mobility), speed
