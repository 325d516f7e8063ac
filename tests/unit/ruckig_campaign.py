"""Random targets for the fastest profile of one axis, flown by softdock and by Ruckig, and
what a valid profile is."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest
import ruckig

from softdock.compile.jit import entry_point
from softdock.loop.robots import interception

CYCLE = 0.004  # s
SAMPLES = 101


class Case(NamedTuple):
    p0: float
    v0: float
    a0: float
    pf: float
    vf: float
    vmax: float
    amax: float
    jmax: float


def random_case(rng: np.random.Generator) -> Case:
    """Any scale and regime: near and far, standing and moving, on, inside and beyond the limits,
    jerk from 0.1 to 1e4."""
    vmax, amax, jmax = (
        10 ** rng.uniform(-1.5, 1.0),
        10 ** rng.uniform(-1.0, 1.3),
        10 ** rng.uniform(-1.0, 4.0),
    )
    length = max(vmax**2 / amax, vmax * math.sqrt(vmax / jmax))
    v0, vf = (vmax * rng.choice([0.0, 1.0, -1.0, *rng.uniform(-1, 1, 6)]) for _ in range(2))
    a0 = amax * rng.choice([0.0, 0.0, 1.0, -1.0, *rng.uniform(-1, 1, 6)])
    beyond = rng.choice(["v", "a", "va", *[""] * 9])
    v0 *= 2.0 if "v" in beyond else 1.0
    a0 *= 2.0 if "a" in beyond else 1.0
    distance = rng.normal() * length * 10 ** rng.uniform(-4.0, 1.5)
    kind = rng.integers(6)
    if kind == 0:
        distance = 0.0
    elif kind == 1:
        distance = rng.normal() * 10.0 ** rng.integers(-9, -2)
    elif kind == 2:
        v0 = vf
    p0 = rng.choice([0.0, rng.normal()])
    return Case(*(float(x) for x in (p0, v0, a0, p0 + distance, vf, vmax, amax, jmax)))


def ruckig_trajectory(case: Case, vmin: float | None = None) -> ruckig.Trajectory | None:
    """Ruckig's answer for one axis, or None where it has none."""
    request = ruckig.InputParameter(1)
    request.current_position, request.current_velocity, request.current_acceleration = (
        [case.p0],
        [case.v0],
        [case.a0],
    )
    request.target_position, request.target_velocity, request.target_acceleration = (
        [case.pf],
        [case.vf],
        [0.0],
    )
    request.max_velocity, request.max_acceleration, request.max_jerk = (
        [case.vmax],
        [case.amax],
        [case.jmax],
    )
    if vmin is not None:
        request.min_velocity = [vmin]
    trajectory = ruckig.Trajectory(1)
    try:
        result = ruckig.Ruckig(1, CYCLE).calculate(request, trajectory)
    except ruckig.RuckigError:
        return None
    return trajectory if result == ruckig.Result.Working else None


@entry_point
def sample(profile, p0, v0, a0, times, states):
    for k in range(times.shape[0]):
        p, v, a = interception.advance_profile(profile, p0, v0, a0, times[k])
        states[k, 0] = p
        states[k, 1] = v
        states[k, 2] = a


def states_of(profile, case: Case, times: np.ndarray) -> np.ndarray:
    states = np.empty((len(times), 3))
    sample(profile, case.p0, case.v0, case.a0, times, states)
    return states


def speeds_of(case: Case, vmin: float, vmax: float) -> tuple[float, float]:
    """Lowest and highest velocity allowed: the limits, or what the start already has or cannot
    avoid."""
    slack = [
        x**2 / (2 * case.jmax) if case.jmax < math.inf else 0.0
        for x in (min(case.a0, 0.0), max(case.a0, 0.0))
    ]
    return min(vmin, case.v0 - slack[0]), max(vmax, case.v0 + slack[1])


def size_of(case: Case, duration: float, vmin: float, vmax: float) -> float:
    """A length to which an error of position is compared: coordinates plus the longest way the axis
    may have gone."""
    return abs(case.p0) + abs(case.pf) + max(-vmin, vmax) * duration + 1e-12


def check_valid(profile, case: Case, vmin: float, vmax: float) -> None:
    """Phases join, the end is met to 1e-9, and no limit is passed beyond what the start already
    does or cannot avoid."""
    p, v, a = case.p0, case.v0, case.a0
    bottom, top = speeds_of(case, vmin, vmax)
    speed = max(-bottom, top)
    for duration, start, jerk in zip(profile.durations, profile.accelerations, profile.jerks):
        assert duration >= 0.0
        assert abs(jerk) <= case.jmax
        if duration > 0.0:
            assert case.jmax == math.inf or abs(start - a) <= 1e-12 * max(case.amax, abs(case.a0))
            for t in (
                *np.linspace(0.0, duration, 5),
                min(max(-start / jerk, 0.0), duration) if jerk else 0.0,
            ):
                assert abs(start + jerk * t) <= max(case.amax, abs(case.a0)) * (1 + 1e-12)
                assert (
                    bottom - 1e-11 * speed
                    <= v + t * (start + 0.5 * t * jerk)
                    <= top + 1e-11 * speed
                )
            p += duration * (v + duration * (0.5 * start + duration * jerk / 6.0))
            v += duration * (start + 0.5 * duration * jerk)
            a = start + duration * jerk
    assert profile.duration == pytest.approx(sum(profile.durations), rel=1e-14)
    assert abs(p - profile.end_position) <= 1e-9 * size_of(case, profile.duration, bottom, top)
    assert abs(v - profile.end_velocity) <= 1e-9 * speed
    assert case.jmax == math.inf or abs(a) <= 1e-12 * case.amax


def peak_deviation(states: np.ndarray, times: np.ndarray, case: Case) -> float:
    """How far the axis is from the line on which it ends, at most."""
    return float(np.max(np.abs(states[:, 0] - case.pf - case.vf * (times - times[-1]))))


class Tally:
    """What a campaign found; printed at its end (pytest -s or on failure)."""

    def __init__(self) -> None:
        self.compared = self.no_answer = self.inexact = self.slower = 0
        self.worst_duration = self.worst_path = self.worst_peak = 0.0

    def compare(self, profile, case: Case, vmin: float | None = None) -> None:
        bottom = -case.vmax if vmin is None else vmin
        check_valid(profile, case, bottom, case.vmax)
        oracle = ruckig_trajectory(case, vmin)
        if oracle is None:
            self.no_answer += 1
            return
        difference = (profile.duration - oracle.duration) / max(oracle.duration, 1e-6)
        if difference < -1e-6:  # ours is valid and faster
            self.slower += 1
            print(f"Ruckig slower by {-difference:.1e}: {case}")
            return
        p, v, _ = (x[0] for x in oracle.at_time(oracle.duration * (1 - 1e-13)))
        if difference > 1e-6 and max(abs(p - case.pf), abs(v - case.vf)) > 1e-12:
            self.inexact += 1
            print(f"Ruckig misses its target by {abs(p - case.pf):.1e}: {case}")
            return
        assert difference <= 1e-6
        self.compared += 1
        times = np.linspace(0.0, profile.duration, SAMPLES)
        ours = states_of(profile, case, times)
        theirs = np.array([[x[0] for x in oracle.at_time(t)] for t in times])
        size = size_of(case, profile.duration, *speeds_of(case, bottom, case.vmax))
        apart = float(np.max(np.abs(ours[:, 0] - theirs[:, 0]))) / size
        peaks = peak_deviation(ours, times, case), peak_deviation(theirs, times, case)
        peak = abs(peaks[0] - peaks[1]) / max(peaks[1], 1e-9 * size, 1e-9)
        assert apart <= 1e-6
        assert peak <= 1e-3  # the brief asks for 2 %
        self.worst_duration = max(self.worst_duration, abs(difference))
        self.worst_path = max(self.worst_path, apart)
        self.worst_peak = max(self.worst_peak, peak)

    def __str__(self) -> str:
        return (
            f"{self.compared} agree: duration to {self.worst_duration:.1e}, path to "
            f"{self.worst_path:.1e} of its size, "
            f"peak deviation to {self.worst_peak:.1e}; "
            f"Ruckig gave no answer in {self.no_answer}, missed in {self.inexact}, was "
            f"slower in {self.slower}"
        )


def run_campaign(count: int, seed: int, one) -> Tally:
    """Draw `count` cases; print the one that fails."""
    rng, tally = np.random.default_rng(seed), Tally()
    for k in range(count):
        case = random_case(rng)
        try:
            one(tally, case)
        except AssertionError:
            print(f"failed at {k} of seed {seed}: {case!r}")
            raise
    print(tally)
    assert tally.compared >= 0.97 * count
    return tally
