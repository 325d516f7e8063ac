"""Materials outside softdock's laws behind the public facility seam: one body meets them twice, the
second time pushed back by a thrust, on robots that are 8 to 44 ms late. The truth is that of
material_laws.py, which shares no code with softdock.

Error: speed after parting against the truth from the same approach, of the approach speed. Energy:
the same of the kinetic energy before. A doubt is the method's own of the run. The second contact is
judged from its own approach.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.model_mediated.material_laws import (
    FINE,
    KNOWN,
    NAMES,
    STATES,
    draw_material,
    hit,
    press,
)
from softdock import drive, load_scenario
from softdock.loop.seam import COMMAND, PRESENT_BITS, REPORT
from softdock.methods.model_mediated.notes import list_doubts

T = 4e-3  # s, a control cycle
FLIGHT, REST, PUSHED = 0.5, 0.3, 0.4  # s: before the first touch, after it, of the thrust
SEEN = sum(PRESENT_BITS[name] for name in ("chaser_pose", "chaser_twist", "target_pose"))
SEEN += (
    PRESENT_BITS["target_twist"] + PRESENT_BITS["chaser_wrench"] + PRESENT_BITS["chaser_reduced"]
)


@dataclass
class Rig:
    """One rig with a material: a body of `mass` before a fixed wall."""

    numbers: np.ndarray
    mass: float
    speed: float
    late: float  # s
    noise: float  # N
    phase: float  # s
    again: float  # second approach, of the first


class MaterialRig:
    """The facility: a robot that goes the set-points' cubic `late` seconds later, and a force
    sensor. Depth of the mock-up: minus its place along x."""

    def __init__(self, rig: Rig, seed: int):
        self.rig, self.rng = rig, np.random.default_rng(seed)

    def start(self, command: np.ndarray, report: np.ndarray) -> int:
        place = COMMAND(command).chaser
        self.sent = [(place.p[0], place.v[0])]
        self.inner, self.peaks, self.number = np.zeros(STATES), [0.0], 0
        self.at = self._look(0.0)
        return self._report(0, 0.0, report)

    def _look(self, t: float) -> tuple[float, float]:
        """Place and velocity at t."""
        share, k = math.modf(max(t - self.rig.late, -1e9) / T + 1e6)
        k = int(k) - 1_000_000
        first = self.sent[0]
        if k < 0:
            return first[0] + first[1] * (t - self.rig.late), first[1]
        (p, v), (q, w) = self.sent[k], self.sent[k + 1]
        a, b = 1.0 - share, share
        place = a * a * (1 + 2 * b) * p + b * b * (1 + 2 * a) * q + T * a * b * (a * v - b * w)
        return place, (6 * a * b * (q - p) / T + a * (a - 2 * b) * v + b * (b - 2 * a) * w)

    def exchange(self, k: int, command: np.ndarray, report: np.ndarray) -> int:
        to = COMMAND(command).chaser
        self.sent.append((to.p[0], to.v[0]))
        # the cubic has a knot within the cycle: on either side of it by itself
        late = self.rig.late / T
        knot = (k + late - math.floor(late)) * T
        force, most, last = 0.0, 0.0, self.at
        for end in ([knot] if k * T + 1e-9 < knot < k * T + T - 1e-9 else []) + [k * T + T]:
            begin = k * T if last is self.at else knot
            now = self._look(end)
            force, high = press(
                self.rig.numbers,
                self.inner,
                -last[0],
                -last[1],
                -now[0],
                -now[1],
                end - begin,
                FINE,
            )
            most, last = max(most, high), now
        self.at = last
        self.peaks.append(most)
        return self._report(k + 1, force, report)

    def _report(self, k: int, force: float, report: np.ndarray) -> int:
        said = REPORT(report)
        said.cycle, said.now, said.late, said.lost = k, round(k * T * 1e9), 0.0, 0
        said.status, said.present = 0, SEEN
        for name in ("chaser", "target"):
            setattr(said, f"{name}_stamp", said.now)
            setattr(said, f"{name}_age", 0.0)
        still, level = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
        kind = type(said.chaser)
        said.chaser = kind((self.at[0], 0.0, 0.0), level, (self.at[1], 0.0, 0.0), still)
        said.target = kind(still, level, still, still)
        said.chaser_force_stamp, said.chaser_force_age = said.now, 0.0
        said.chaser_force_number = k + 1
        felt = [force + self.rig.noise * self.rng.normal(), 0.0, 0.0]
        said.chaser_wrench = type(said.chaser_wrench)(tuple(felt), still)
        return 0

    def stop(self, why: int) -> None:
        """It is a simulation."""


def draw(rng: np.random.Generator, kind: int, noise: float) -> Rig:
    mass = math.exp(rng.uniform(math.log(50.0), math.log(5000.0)))
    contact = T * math.exp(rng.uniform(math.log(6.0), math.log(100.0)))
    speed, state = rng.uniform(0.01, 0.1), rng.bit_generator.state
    lossless = contact
    for _ in range(3):  # of the lossless contact that makes the real one last `contact`
        rng.bit_generator.state = state
        k, deep = mass * (math.pi / lossless) ** 2, speed * lossless / math.pi
        numbers = draw_material(rng, kind, k, deep, lossless)
        lossless *= contact / hit(numbers, mass, speed, T / FINE)[1]
    return Rig(
        numbers=numbers,
        mass=mass,
        speed=speed,
        late=rng.uniform(0.008, 0.044),
        noise=noise * k * deep,
        phase=T * rng.uniform(),
        again=rng.uniform(0.8, 1.2),
    )


def _tables(rig: Rig, first: float, method: dict[str, Any]) -> dict[str, Any]:
    return {
        "chaser.mass_kg": rig.mass,
        "chaser.position_m": [rig.speed * first, 0.0, 0.0],
        "chaser.velocity_m_per_s": [-rig.speed, 0.0, 0.0],
        "contact.0.real.stiffness_N_per_m": 3.0 * rig.numbers[1],  # declared wrong
        "methods": [method],
    }


def touch_once(rig: Rig, seed: int = 0, **keys: Any) -> tuple[float, dict[str, Any]]:
    """Error of the speed after one contact, of the approach, and what the method says."""
    out, lasts, _, _ = hit(rig.numbers, rig.mass, rig.speed, T / FINE)
    first = FLIGHT + rig.phase
    given = _tables(rig, first, {"name": "model_mediated", **keys})
    given["time.duration_s"] = math.ceil((first + lasts + rig.late + REST) / T) * T
    run = drive(load_scenario("epos_1d", given), MaterialRig(rig, seed))
    said = run.method_books["model_mediated"]
    return (run.series["chaser.velocity"][-1, 0] - out) / rig.speed, said


def measure(rig: Rig, seed: int = 0, **keys: Any) -> dict[str, Any]:
    """Errors of both contacts, and what the method says."""
    out, lasts, _, _ = hit(rig.numbers, rig.mass, rig.speed, T / FINE)
    first = FLIGHT + rig.phase
    begins = first + lasts + rig.late + REST
    ends, force = begins + PUSHED, -rig.mass * (rig.again * rig.speed + out) / PUSHED
    rows = [[0.0, 0.0], [begins, 0.0], [begins + T, force], [ends, force], [ends + T, 0.0]]
    back = (out * (REST + rig.late) + 0.6 * PUSHED * out) / (rig.again * rig.speed) + PUSHED
    given = _tables(rig, first, {"name": "model_mediated", **keys}) | {
        "time.duration_s": begins + 2.0 * back + 3.0 * lasts + 0.5,
        "external.chaser.rows": [[t, f, *[0.0] * 5] for t, f in [*rows, [100.0, 0.0]]],
    }
    facility = MaterialRig(rig, seed)
    run = drive(load_scenario("epos_1d", given), facility)
    books = run.method_books["model_mediated"]
    v, x = run.series["chaser.velocity"][:, 0], run.series["chaser.position"][:, 0]
    t = T * np.arange(len(v))
    parted = v[int((begins - 0.1 * REST) / T)]
    found = {
        "first": (parted - out) / rig.speed,
        "first_energy": (parted**2 - out**2) / rig.speed**2,
        "late": rig.late / lasts,
        "doubted": bool(list_doubts(books)),
        "books": books,
        "second": math.nan,
        "peak": math.inf,
    }
    touches = np.flatnonzero((t > ends + T) & (x <= 0.0))
    if len(touches) == 0 or v[touches[0] - 2] >= 0.0:  # the first error was too large for another
        return found
    v_2 = -v[touches[0] - 2]
    out_2, _, peak_2, _ = hit(rig.numbers, rig.mass, v_2, T / FINE)
    # nothing reacts within the delay: the mock-up goes on at the speed of the touch
    way = v_2 * rig.late
    causal = press(rig.numbers, np.zeros(STATES), 0.0, v_2, way, v_2, rig.late, 4 * FINE)[1]
    found["second"] = (v[-1] - out_2) / v_2
    found["peak"] = max(facility.peaks[touches[0] - 2 :]) / max(peak_2, causal)
    return found


def materials(count: int, seed: int, noise: float = 0.0) -> None:
    """A row for each material; `noise`: of the sensor, of the lossless contact's force."""
    rng = np.random.default_rng(seed)
    rows: list[list[dict[str, Any]]] = []
    head = "| median / 90 % [%] | within 1, 3 % | energy, 90 % [%] | misses doubted | hits doubted "
    print(
        f"\n| seed {seed}, {count} rigs a row {head}| second: median / 90 % | within 1 % | peak |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for kind, name in enumerate(NAMES):
        rows.append([])
        for i in range(count):
            one = measure(draw(rng, kind, noise), i)
            rows[-1].append(one)
        _print_row(name, rows[-1])
    every = [one for row in rows for one in row]
    _print_row("all", every)
    _print_row("of these, known when the elements were drawn up", every[: KNOWN * count])
    _print_row("the others", every[KNOWN * count :])
    _print_row("contacts longer than four delays", [one for one in every if one["late"] < 0.25])
    rng = np.random.default_rng(seed)
    kinds = [kind for kind in range(len(NAMES)) for _ in range(count)]
    again = [
        measure(draw(rng, kind, noise), i % count, elements=False) for i, kind in enumerate(kinds)
    ]
    _print_row("all, named laws alone", again)


def _print_row(name: str, found: list[dict[str, Any]]) -> None:
    if not found:
        return
    first = 100.0 * np.abs([one["first"] for one in found])
    energy = 100.0 * np.abs([one["first_energy"] for one in found])
    second = 100.0 * np.abs([one["second"] for one in found])
    second = np.where(np.isfinite(second), second, np.inf)
    misses = [one["doubted"] for one, x in zip(found, first, strict=True) if x > 1.0]
    hits = [one["doubted"] for one, x in zip(found, first, strict=True) if x <= 1.0]
    peaks = [one["peak"] for one in found]
    n = len(found)
    print(
        f"| {name} | {np.median(first):.2g} / {np.percentile(first, 90.0):.2g} | "
        f"{sum(first <= 1.0)}, {sum(first <= 3.0)} of {n} | {np.percentile(energy, 90.0):.2g} | "
        f"{sum(misses)} of {len(misses)} | {sum(hits)} of {len(hits)} | "
        f"{np.median(second):.2g} / {np.percentile(second, 90.0, method='higher'):.2g} | "
        f"{sum(second <= 1.0)} of {n} | {sum(x <= 1.1 for x in peaks)} of {n} |",
        flush=True,
    )
