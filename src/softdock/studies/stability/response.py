"""How the loop answers a unit force on a unit mass: the one thing that every boundary of stability
is drawn from.

With force F in and F delivered again, the loop closes where, at z (sampled) or s (continuous),

    mass D = stiffness N_k + damping N_b + virtual_stiffness N_vk + virtual_damping N_vb

It is linear in the four coefficients, so on the unit circle z = exp(i theta) (on the axis s = i w)
every boundary is closed and parametric. The sampled N are polynomials, from the first answers of
the array loop to one held force; D collects the poles: two of the free mass, those of lags and
filter, and z = 0 for everything that only remembers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from softdock.studies.stability.array_loop import ArrayLoop
from softdock.studies.stability.loop import Loop

COEFFICIENTS = ("stiffness", "damping", "virtual_stiffness", "virtual_damping")


@dataclass(frozen=True)
class SampledResponse:
    """Polynomials in z, highest power first, one row a coefficient."""

    cycle: float  # s
    poles: np.ndarray  # zeros of D but for z = 0 and the double one at z = 1
    D: np.ndarray
    N: np.ndarray  # 4 x len(D)

    def at(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """D and the four N at z = exp(i theta)."""
        powers = (
            _compute_grid_powers(len(self.D))
            if theta is _make_sampled_grid()
            else _compute_powers(np.atleast_1d(theta), len(self.D))
        )
        return self.free(theta), np.einsum(
            "wj,cj->cw", powers, self.N
        )  # so small that threads would only hold it up

    def free(self, theta: np.ndarray) -> np.ndarray:
        """D over its highest power, from its factors: near z = 1 the sum of its terms would be lost
        in rounding."""
        back = np.exp(-1j * np.atleast_1d(theta))
        found = np.expm1(-1j * np.atleast_1d(theta)) ** 2
        for pole in self.poles:
            found = found * (1.0 - pole * back)
        return np.asarray(found)

    def grid(self) -> np.ndarray:
        return _make_sampled_grid()

    def ends(self, mass: float, coefficients: np.ndarray) -> np.ndarray:
        """Frequencies along the whole boundary."""
        return _make_sampled_grid()

    def closed(self, theta: np.ndarray, mass: float, coefficients: np.ndarray) -> np.ndarray:
        """The characteristic polynomial over its highest power: its half turns from 0 to pi are
        minus the roots outside the circle."""
        powers = (
            _compute_grid_powers(len(self.D))
            if theta is _make_sampled_grid()
            else _compute_powers(theta, len(self.D))
        )
        return np.asarray(
            mass * self.free(theta) - np.einsum("wj,j->w", powers, coefficients @ self.N)
        )

    def polynomial(self, mass: float, coefficients: np.ndarray) -> np.ndarray:
        """The closed loop's characteristic polynomial."""
        return mass * self.D - coefficients @ self.N


@dataclass(frozen=True)
class ContinuousResponse:
    """The loop's transfer functions, without sampling."""

    loop: Loop

    def at(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """D and the four N at s = i w, divided by w^2."""
        s = 1j * np.atleast_1d(np.asarray(w, float))
        return np.ones_like(s), -self.answers(s) / (s * s)

    def answers(self, s: np.ndarray) -> np.ndarray:
        """What is felt and seen of a displacement: four rows, as the coefficients."""
        loop = self.loop
        moved = sum(
            r.share * np.exp(-s * r.delay) * _compute_lag(r.lag, r.lag_damping, s)
            for r in loop.robots
        )
        felt = moved * np.exp(-s * loop.sensor_delay)
        if loop.lowpass > 0.0:
            felt = felt / (1.0 + s / (2.0 * np.pi * loop.lowpass))
        seen = (
            moved * np.exp(-s * loop.pose_delay)
            if loop.virtual_from == "measured"
            else np.ones_like(s)
        )
        return np.array([felt, s * felt, seen, s * seen])

    def ends(self, mass: float, coefficients: np.ndarray) -> np.ndarray:
        """Frequencies from far below the loop's swing to where the mass alone counts."""
        own = np.sqrt((coefficients[0] + coefficients[2]) / mass)
        return np.append(
            0.0,
            np.geomspace(
                1e-3 * own, 30.0 * max(own, (coefficients[1] + coefficients[3]) / mass), 400
            ),
        )

    def closed(self, w: np.ndarray, mass: float, coefficients: np.ndarray) -> np.ndarray:
        """mass s^2 + felt force: its half turns from 0 to infinity are one less the roots in the
        right half-plane."""
        s = 1j * np.atleast_1d(np.asarray(w, float))
        return mass * s * s + coefficients @ self.answers(s)

    def grid(self) -> np.ndarray:
        own = np.sqrt((self.loop.stiffness + self.loop.virtual_stiffness) / self.loop.mass)
        return np.geomspace(1e-3 * own, 1e3 * max(own, self.loop.damping / self.loop.mass), 2000)


def _compute_lag(w: float, zeta: float, s: np.ndarray) -> np.ndarray:
    return np.ones_like(s) if w == 0.0 else w * w / (s * s + 2.0 * zeta * w * s + w * w)


@lru_cache(maxsize=1)
def _make_sampled_grid() -> np.ndarray:
    return np.unique(np.concatenate([np.geomspace(1e-5, np.pi, 400), np.linspace(0.0, np.pi, 301)]))


def _compute_powers(theta: np.ndarray, count: int) -> np.ndarray:
    """1, 1/z, 1/z^2, ... at z = exp(i theta): polynomials come out divided by their highest
    power."""
    return np.exp(-1j * np.outer(theta, np.arange(count)))


def _compute_grid_powers(count: int) -> np.ndarray:
    wide = 32
    while wide < count:
        wide *= 2
    return _compute_wide_grid_powers(wide)[:, :count]


@lru_cache(maxsize=8)
def _compute_wide_grid_powers(count: int) -> np.ndarray:
    return _compute_powers(_make_sampled_grid(), count)


def compute_response(loop: Loop) -> SampledResponse | ContinuousResponse:
    """The answer of a loop whose sampling repeats every cycle, or of a continuous one. It does not
    depend on mass, stiffness and damping."""
    if loop.cycle is None:
        return ContinuousResponse(loop)
    if loop.pattern != 1:
        raise ValueError("this sampling repeats only after several cycles; use the lifted matrix")
    return _compute_sampled_response(
        loop.changed(
            mass=1.0,
            stiffness=1.0,
            damping=0.0,
            virtual_stiffness=0.0,
            virtual_damping=0.0,
            law="spring_damper",
        )
    )


def forget_responses() -> None:
    """Empty the cache of answers; for timing."""
    _compute_sampled_response.cache_clear()


@lru_cache(maxsize=256)
def _compute_sampled_response(loop: Loop) -> SampledResponse:
    arrays = ArrayLoop(loop, 2)  # column 0 feels the depth, column 1 its rate
    poles = _compute_poles(loop, arrays.T)
    D = np.convolve([1.0, -2.0, 1.0], np.real(np.poly(poles)))
    led = arrays.led + 1 if loop.leads_force else 0
    D = np.concatenate(
        [D, np.zeros(arrays.history + arrays.samples + arrays.poses + 3 + led)]
        if loop.leads_force or loop.leads_position
        else [D, np.zeros(arrays.history + arrays.samples + arrays.poses + 2)]
    )  # z = 0: what only remembers
    answers = np.zeros((4, len(D)))
    k, b = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    force = np.ones(2)
    for j in range(1, len(D)):
        arrays.advance(j - 1, force, lambda depth, rate: k * depth + b * rate)
        force = np.zeros(2)
        seen, seen_rate = arrays.get_seen_motion(j)
        answers[:, j] = *arrays.get_felt(), seen[0], seen_rate[0]
    N = np.array([np.convolve(D, row)[: len(D)] for row in answers])
    N[:, 0] = 0.0
    return SampledResponse(arrays.T, poles, D, N)


def _compute_poles(loop: Loop, T: float) -> np.ndarray:
    """Of lags and filter, over one cycle."""
    poles: list[complex] = []
    for w, zeta in sorted({(r.lag, r.lag_damping) for r in loop.robots if r.lag > 0.0}):
        poles += [
            complex(np.exp(T * w * (-zeta + sign * np.emath.sqrt(zeta * zeta - 1.0))))
            for sign in (1.0, -1.0)
        ]
    if loop.keep > 0.0:
        poles.append(complex(loop.keep ** round(T / loop.period)))
    if loop.leads_force and loop.force_lead_filter > 0.0:
        poles.append(complex(np.exp(-T / loop.force_lead_filter)))
    return np.array(poles, complex)


def get_coefficients(loop: Loop) -> np.ndarray:
    return np.array([getattr(loop, name) for name in COEFFICIENTS])
