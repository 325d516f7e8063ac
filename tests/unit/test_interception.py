"""The fastest profile of one axis, against Ruckig and against its own definition.

Ruckig is the oracle where it answers. It accepts a profile whose end misses the target by up to
1e-8, and in rare corners it finds no profile or a slower one. Such cases are counted and printed,
and ours must still be valid there.
"""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from plain import run_plain
from ruckig_campaign import CYCLE, Case, Tally, check_valid, random_case, run_campaign

from softdock.compile.jit import entry_point
from softdock.loop.robots import interception, interception_path

advance_profile = entry_point(interception.advance_profile)
time_optimal_profile, intercepting_profile = (
    entry_point(interception.time_optimal_profile),
    entry_point(interception.intercepting_profile),
)
direct, crest_of, point, travel = (
    entry_point(getattr(interception_path, name))
    for name in ("_direct", "_crest", "_point", "_travel")
)
SEED = 20240611


def test_random_targets_as_ruckig():
    """Duration, path and peak deviation are Ruckig's; end, limits and continuity hold even where
    Ruckig has no answer."""
    run_campaign(4000, SEED, lambda tally, case: tally.compare(time_optimal_profile(*case), case))


def test_before_and_after_the_crest_as_ruckig():
    """Braking already, with more to come, a target is met early or, if just out of reach, only much
    later: the first is taken."""
    rng, tally, before = np.random.default_rng(SEED + 8), Tally(), 0
    while tally.compared < 1500:
        amax, jmax, a0 = 1.0, 10 ** rng.uniform(-1, 2), -rng.uniform(0.1, 1.0)
        unit = a0**2 / (2 * jmax)
        v0 = unit * rng.uniform(0.5, 1.6)
        vf = v0 - unit * rng.uniform(1.0, 6.0)
        balance, start = direct(v0, a0, vf, amax, jmax, 0.0)
        crest = crest_of(v0, a0, balance, amax, jmax)
        if crest <= start:
            continue
        d_start, d_crest = (
            travel(v0, a0, *point(w, balance, amax, jmax), jmax)[0] for w in (start, crest)
        )
        d = d_start + (d_crest - d_start) * rng.uniform(0.0, 2.0)
        before += d < d_crest
        s = rng.choice([-1.0, 1.0])
        vmax = max(abs(v0), abs(vf)) * rng.uniform(1.0, 3.0)
        case = Case(*(float(x) for x in (0.0, s * v0, s * a0, s * d, s * vf, vmax, amax, jmax)))
        try:
            tally.compare(time_optimal_profile(*case), case)
        except AssertionError:
            print(f"failed: {case!r}")
            raise
    print(tally)
    assert 500 < before < 1000


def test_infinite_jerk_as_ruckig():
    """Without a limit of jerk the profile is Ruckig's second-order one; a0 plays no part."""

    def one(tally, case):
        case = case._replace(a0=0.0, jmax=math.inf)
        tally.compare(time_optimal_profile(*case), case)

    run_campaign(2000, SEED + 1, one)


def in_the_set_points_frame(case: Case) -> tuple[Case, float]:
    relative = case._replace(
        p0=case.p0 - case.pf, v0=case.v0 - case.vf, pf=0.0, vf=0.0, vmax=case.vmax - case.vf
    )
    return relative, -case.vmax - case.vf


def test_interception_as_ruckig_in_the_frame_of_the_set_point():
    """Seen from the set-point, interception is Ruckig's problem with unequal limits of speed; the
    jerks are the same."""

    def one(tally, case):
        case = case._replace(vf=0.95 * case.vf)  # Ruckig wants a positive limit
        profile = intercepting_profile(*case)
        assert profile.end_position == pytest.approx(
            case.pf + case.vf * profile.duration, rel=1e-12, abs=1e-12
        )
        check_valid(profile, case, -case.vmax, case.vmax)
        relative, vmin = in_the_set_points_frame(case)
        profile = profile._replace(end_position=0.0, end_velocity=0.0)
        tally.compare(profile, relative, vmin)

    run_campaign(2000, SEED + 2, one)


def test_infinite_speed_limit_is_the_limit_of_a_large_one():
    """vmax = inf gives what a limit that is never reached gives."""
    rng = np.random.default_rng(SEED + 3)
    for _ in range(500):
        case = random_case(rng)._replace(vmax=1e9)
        case = case._replace(jmax=case.jmax if rng.random() < 0.8 else math.inf)
        for plan in (time_optimal_profile, intercepting_profile):
            large, infinite = plan(*case), plan(*case._replace(vmax=math.inf))
            assert infinite.durations == pytest.approx(large.durations, rel=1e-9, abs=1e-12), case


def test_large_jerk_tends_to_infinite_jerk():
    """Third and second order meet: at 1e4 m/s^3 the durations differ by no more than the ramps
    take."""
    rng = np.random.default_rng(SEED + 4)
    for _ in range(500):
        case = random_case(rng)._replace(a0=0.0, amax=1.0, jmax=1e4, vf=0.0)
        third, second = (
            time_optimal_profile(*case),
            time_optimal_profile(*case._replace(jmax=math.inf)),
        )
        assert -1e-9 <= third.duration - second.duration <= 40 * case.amax / case.jmax, case


@pytest.mark.parametrize("jmax", [9.6, 125.0, 1e4, math.inf])
@pytest.mark.parametrize("plan", [time_optimal_profile, intercepting_profile])
def test_on_the_set_point_it_stays(plan, jmax):
    """A state exactly on the set-point needs no time and is carried along exactly."""
    rng = np.random.default_rng(SEED + 5)
    for _ in range(200):
        pf, vf = rng.normal(), rng.uniform(-1.0, 1.0)
        profile = plan(pf, vf, 0.0, pf, vf, 1.0, 2.3, jmax)
        assert profile.duration == 0.0
        assert advance_profile(profile, pf, vf, 0.0, CYCLE) == (pf + vf * CYCLE, vf, 0.0)


@pytest.mark.parametrize("seed", range(8))
def test_a_moving_set_point_is_met_in_the_planned_time_and_tracked(seed):
    """Planned anew every cycle, the time left falls as planned; after arrival the deviation is
    rounding, without chatter."""
    rng = np.random.default_rng(SEED + 100 + seed)
    for _ in range(25):
        amax, vmax = 10 ** rng.uniform(-1, 1), rng.choice([10 ** rng.uniform(-1, 1), math.inf])
        jmax = rng.choice([10 ** rng.uniform(0, 4), math.inf])
        vf = rng.uniform(-0.9, 0.9) * min(vmax, 1.0)
        start = rng.normal()
        p, v = start + 0.05 * rng.normal(), vf * rng.normal()
        a = 0.5 * amax * rng.normal() if jmax < math.inf else 0.0
        planned = intercepting_profile(p, v, a, start, vf, vmax, amax, jmax).duration
        case = (p, v, a, start, vf, vmax, amax, jmax)
        if planned > 10.0:
            continue
        for k in range(int(planned / CYCLE) + 100):
            profile = intercepting_profile(p, v, a, start + vf * (k * CYCLE), vf, vmax, amax, jmax)
            assert profile.duration == pytest.approx(
                max(planned - k * CYCLE, 0.0), abs=1e-4 * planned
            ), case
            p, v, a = advance_profile(profile, p, v, a, CYCLE)
            if k * CYCLE > planned:
                assert abs(p - start - vf * ((k + 1) * CYCLE)) <= 1e-12, case
                assert v == vf, case
                assert a == 0.0, case


def test_following_a_plan_keeps_the_plan():
    """Planned anew on the way to a fixed target, with a target velocity: rounding never makes it go
    back and come again."""
    rng = np.random.default_rng(SEED + 6)
    for _ in range(400):
        case = random_case(rng)
        planned = time_optimal_profile(*case).duration
        if not 1e-3 < planned < 1e3:
            continue
        p, v, a = case[:3]
        steps = int(rng.integers(20, 200))
        step = planned / (steps + rng.random())
        for k in range(steps + 1):
            profile = time_optimal_profile(p, v, a, *case[3:])
            assert profile.duration == pytest.approx(planned - k * step, abs=1e-3 * planned), case
            p, v, a = advance_profile(profile, p, v, a, step)


def test_a_fixed_target_lags_behind_a_moving_set_point():
    """The documented reason for `intercepting_profile`: planned to where the set-point was, the lag
    hardly falls."""
    vf, jmax, start = 0.1, 125.0, 0.02
    p, v, a, lag = 0.0, 0.0, 0.0, 0.0
    for k in range(3000):
        profile = time_optimal_profile(p, v, a, start + vf * (k * CYCLE), vf, 1.0, 2.3, jmax)
        p, v, a = advance_profile(profile, p, v, a, CYCLE)
        before, lag = lag, start + vf * ((k + 1) * CYCLE) - p
    assert 1e-4 < lag < vf * CYCLE
    assert before - lag == pytest.approx(jmax * (before / vf) ** 3 / 32, rel=1e-3)


def test_never_arriving_is_an_infinite_duration():
    """Behind a set-point that moves at vmax there is no interception: the profile runs along at
    vmax for ever."""
    for jmax in (100.0, math.inf):
        profile = intercepting_profile(0.0, 0.0, 0.0, 1.0, 0.5, 0.5, 2.0, jmax)
        assert profile.duration == math.inf
        p, v, a = advance_profile(profile, 0.0, 0.0, 0.0, 10.0)
        assert p < 1.0 + 0.5 * 10.0
        assert (v, a) == pytest.approx((0.5, 0.0))


PLAIN = """
import json, sys
from softdock.loop.robots import interception
from softdock.loop.robots.interception import advance_profile
assert type(advance_profile).__name__ == "function"
answers = []
for case in json.load(sys.stdin):
    for plan in (interception.time_optimal_profile, interception.intercepting_profile):
        profile = plan(*case)
        phases = [*profile.durations, *profile.accelerations, *profile.jerks]
        answers.append([*phases, *advance_profile(profile, *case[:3], 0.004)])
json.dump(answers, sys.stdout)
"""


def test_plain_python_equals_compiled():
    """Compiling changes nothing: the same phases and the same next state to 1e-12, with every
    function in plain Python."""
    rng = np.random.default_rng(SEED + 7)
    cases = [random_case(rng) for _ in range(100)]
    cases += [case._replace(jmax=math.inf) for case in cases[:20]] + [
        case._replace(vmax=math.inf) for case in cases[20:40]
    ]
    done = run_plain(PLAIN, given=json.dumps(cases))
    assert done.returncode == 0, done.stderr
    plain = iter(json.loads(done.stdout))
    for case in cases:
        for plan in (time_optimal_profile, intercepting_profile):
            profile = plan(*case)
            answer = [
                *profile.durations,
                *profile.accelerations,
                *profile.jerks,
                *advance_profile(profile, *case[:3], 0.004),
            ]
            assert answer == pytest.approx(next(plain), rel=1e-12, abs=1e-12), case


def test_it_compiles_for_a_gpu(monkeypatch):
    """Called from a CUDA kernel, the planner compiles to PTX; no GPU is needed for that."""
    cuda = pytest.importorskip("numba.cuda")
    dispatcher = pytest.importorskip("numba.cuda.dispatcher")
    from numba import types

    class Device:
        compute_capability = (9, 0)

    monkeypatch.setattr(dispatcher, "get_current_device", Device)

    def kernel(x, y):
        i = cuda.grid(1)
        if i < x.shape[0]:
            fixed = interception.time_optimal_profile(
                x[i, 0], x[i, 1], x[i, 2], x[i, 3], x[i, 4], x[i, 5], x[i, 6], x[i, 7]
            )
            p, v, a = interception.advance_profile(fixed, x[i, 0], x[i, 1], x[i, 2], 0.004)
            moving = interception.intercepting_profile(
                p, v, a, x[i, 3], x[i, 4], x[i, 5], x[i, 6], x[i, 7]
            )
            y[i, 0], y[i, 1], y[i, 2] = interception.advance_profile(moving, p, v, a, 0.004)

    ptx, _ = cuda.compile_ptx(kernel, (types.float64[:, ::1], types.float64[:, ::1]), cc=(9, 0))
    assert "sqrt.rn.f64" in ptx
