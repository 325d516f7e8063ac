"""The sampled loop along one normal on arrays: every signal is a row, every column is one loop on
its own.

The same cycle as cycle.py's, for one linear degree of freedom: measure, integrate, set-point,
robots, contact, sensor, hand-over. The columns serve as unit vectors (the lifted matrix), as two
force laws side by side (the loop's response to position and to rate), or as sampling phases of one
impact (the predicted restitution). Depth x [m] is positive in contact, so a positive force
decelerates it: x'' = -F / mass.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from softdock.loop.instants import SAME_CYCLE
from softdock.studies.stability.loop import POSITION_SHARE, Loop, Robot

Law = Callable[[np.ndarray, np.ndarray], np.ndarray]  # depth and its rate to force


def compute_hermite_weights(s: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Position and T times velocity at fraction s between two set-points, as weights of (x_a, T
    v_a, x_b, T v_b); as loop/robots/history.py."""
    h1, h0p, h1p = s * s * (3.0 - 2.0 * s), s * (1.0 - s) * (1.0 - s), s * s * (s - 1.0)
    d1, d0p, d1p = 6.0 * s * (1.0 - s), (1.0 - s) * (1.0 - 3.0 * s), s * (3.0 * s - 2.0)
    return (1.0 - h1, h0p, h1, h1p), (-d1, d0p, d1, d1p)


def compute_weights_between(
    interpolation: str, s: float
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    if interpolation == "hold":
        return (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0)
    if interpolation == "linear":
        return (1.0 - s, 0.0, s, 0.0), (-1.0, 0.0, 1.0, 0.0)
    return compute_hermite_weights(s)


def compute_lag_gains(w: float, zeta: float, dt: float) -> tuple[float, float, float, float]:
    """Free response of the lag over dt: error and rate from error and rate; as
    loop/robots/lag.py."""
    root = np.emath.sqrt(zeta * zeta - 1.0) * w
    if abs(root) < 1e-6 * w:
        c, s = 1.0, dt
    else:
        c, s = float(np.real(np.cosh(root * dt))), float(np.real(np.sinh(root * dt) / root))
    e, decay = math.exp(-zeta * w * dt), zeta * w
    return e * (c + decay * s), e * s, -e * w * w * s, e * (c - decay * s)


class ArrayLoop:
    """State and cycle of a `Loop` with a cycle, on arrays. `state` has a row a signal; see
    `rows`."""

    def __init__(self, loop: Loop, columns: int):
        assert loop.cycle is not None
        self.loop, self.T = loop, loop.cycle
        self.period, self.late, self.keep = (
            loop.period / loop.cycle,
            loop.sensor_delay / loop.cycle,
            loop.keep,
        )  # cycles
        longest = max(robot.delay for robot in loop.robots) / self.T
        self.history = (
            math.ceil(longest - SAME_CYCLE) + 2
        )  # stamps k, k-1, ...: the delay, and the interval read at the start of a cycle
        # forces below are delivered as zero, a number or one a column; what makes the loop
        # non-linear is set by impact_restitution.py alone
        self.dead_band: float | np.ndarray = 0.0
        self.lags = [i for i, robot in enumerate(loop.robots) if robot.lag > 0.0]
        each = self.T / loop.period  # samples a cycle
        kept = math.ceil(loop.sensor_delay / loop.period - SAME_CYCLE) + 1
        self.samples = kept + (math.ceil(each) if loop.handover == "mean" else 0)
        self.poses = math.ceil(loop.pose_delay / self.T - SAME_CYCLE) + 2 if self._uses_pose else 0
        sizes = {
            "x": self.history,
            "v": self.history,
            "lag": 2 * len(self.lags),
            "samples": self.samples,
            "filter": 1,
            "reading": 1,
        }
        sizes |= {"pose": self.poses, "pose_rate": self.poses}
        if loop.leads_force:
            self.led = math.floor(loop.predicted_delay / self.T + SAME_CYCLE) + 2
            sizes |= {"applied": 1, "rate": 1, "before": 1, "led": self.led}
        if loop.leads_position:  # the set-points are not where the satellite is
            sizes |= {"own": 2}  # position and velocity
        self.rows: dict[str, slice] = {}
        at = 0
        for name, size in sizes.items():
            self.rows[name] = slice(at, at + size)
            at += size
        self.state = np.zeros((at, columns))
        self._instants = [self.list_instants(k) for k in range(loop.pattern)]

    @property
    def _uses_pose(self) -> bool:
        return self.loop.virtual_from == "measured"

    def get_rows(self, name: str) -> np.ndarray:
        return self.state[self.rows[name]]

    def push(self, name: str, newest: np.ndarray) -> None:
        rows = self.get_rows(name)
        rows[1:] = rows[:-1].copy()
        rows[0] = newest

    def set_point_at(self, robot: Robot, back: float) -> tuple[np.ndarray, np.ndarray]:
        """Delayed set-point and its rate, `back` cycles before the newest stamp (the robot's delay
        included)."""
        x, v = self.get_rows("x"), self.get_rows("v")
        return self._interpolate(x, v, robot.interpolation, back)

    def _interpolate(
        self, x: np.ndarray, v: np.ndarray, interpolation: str, back: float
    ) -> tuple[np.ndarray, np.ndarray]:
        nearest = round(back)
        if abs(back - nearest) < SAME_CYCLE:
            return x[nearest], v[nearest]
        b = math.floor(back)  # the later stamp
        p, r = compute_weights_between(interpolation, b + 1 - back)
        T = self.T
        position = p[0] * x[b + 1] + p[1] * T * v[b + 1] + p[2] * x[b] + p[3] * T * v[b]
        return position, (r[0] * x[b + 1] + r[1] * T * v[b + 1] + r[2] * x[b] + r[3] * T * v[b]) / T

    def compute_mock_ups(self, now: float, later: float) -> tuple[np.ndarray, np.ndarray]:
        """Depth and its rate at `later`, from `now` [cycles since t_k, 0 to 1; the newest stamp is
        at 1]."""
        depth, rate = np.zeros(self.state.shape[1]), np.zeros(self.state.shape[1])
        for i, robot in enumerate(self.loop.robots):
            back = 1.0 - later + robot.delay / self.T
            p, r = self.set_point_at(robot, back)
            if robot.lag > 0.0:
                before, _ = self.set_point_at(robot, back + later - now)
                p, r = self._follow(i, robot, (later - now) * self.T, before, p)
            depth, rate = depth + robot.share * p, rate + robot.share * r
        return depth, rate

    def _follow(
        self, i: int, robot: Robot, dt: float, u0: np.ndarray, u1: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        rows = self.get_rows("lag")[2 * self.lags.index(i) :][:2]
        ee, er, re, rr = compute_lag_gains(robot.lag, robot.lag_damping, dt)
        ramp = (u1 - u0) / dt
        behind = 2.0 * robot.lag_damping / robot.lag * ramp
        e, r = rows[0] - u0 + behind, rows[1] - ramp
        rows[0], rows[1] = u1 - behind + ee * e + er * r, ramp + re * e + rr * r
        return rows[0].copy(), rows[1].copy()

    def get_reading(self) -> np.ndarray:
        """The real force delivered at t_k."""
        return self.get_rows("reading")[0]

    def get_felt(self) -> np.ndarray:
        """The same as the methods lead it: what acts on the satellite."""
        return self.get_rows("applied")[0] if self.loop.leads_force else self.get_reading()

    def get_satellite(self) -> tuple[np.ndarray, np.ndarray]:
        """The satellite's own depth and rate."""
        if self.loop.leads_position:
            own = self.get_rows("own")
            return own[0], own[1]
        return self.get_rows("x")[0], self.get_rows("v")[0]

    def place(self, depth: np.ndarray, rate: np.ndarray) -> None:
        """Put a satellite that flew freely so far at a depth [m], with its rate [m/s]; its
        set-points lead as they do in free flight."""
        n = self.history
        if self.loop.leads_position:
            self.get_rows("own")[:] = np.stack([depth, rate])
        ahead = depth + self.loop.position_lead * rate
        self.get_rows("x")[:] = ahead - np.arange(n)[:, None] * self.T * rate
        self.get_rows("v")[:] = rate

    def get_seen_motion(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Depth and rate that the virtual contact uses at t_k."""
        if not self._uses_pose:
            return self.get_satellite()
        p, rate = self._interpolate(
            self.get_rows("pose"),
            self.get_rows("pose_rate"),
            "hermite",
            self.loop.pose_delay / self.T,
        )
        return p + (
            self.loop.pose_delay - self.compute_force_age(k)
        ) * rate, rate  # carried to the instant of the force, as the method hybrid does

    def compute_force_age(self, k: int) -> float:
        """Age of the force that the controller has at t_k [s]: of its sample, or of its samples on
        average; as readings.py."""
        newest = self._find_newest_arrived(k)
        age = k - self.period * newest
        if self.loop.handover == "mean":
            while self._find_newest_arrived(k - 1) == newest:  # back to when it was delivered
                k -= 1
            age += 0.5 * self.period * (newest - self._find_newest_arrived(k - 1) - 1)
        return age * self.T

    def _find_newest_arrived(self, k: int) -> int:
        """Number of the newest force sample that has arrived at t_k."""
        return math.floor((k - self.late) / self.period + SAME_CYCLE)

    def advance(self, k: int, force: np.ndarray, law: Law) -> None:
        """From t_k to t_{k+1} under a held force on the satellite."""
        T, (x, v) = self.T, self.get_satellite()
        gained = -T * force / self.loop.mass
        moved = x + T * v + POSITION_SHARE[self.loop.integrator] * T * gained
        faster = v + gained
        if self.loop.leads_position:
            self._lead_position(moved, faster)
        else:
            self.push("x", moved)
            self.push("v", faster)
        now = 0.0
        for later, is_sample in self._instants[k % len(self._instants)]:
            depth, rate = self.compute_mock_ups(now, later)
            if is_sample:
                self._sample(law(depth, rate))
            now = later
        if self.poses:
            self.push("pose", depth)
            self.push("pose_rate", rate)
        self._hand_over(k + 1)

    def _lead_position(self, x: np.ndarray, v: np.ndarray) -> None:
        """The set-point as the method phase_lead sends it."""
        own = self.get_rows("own")
        a = (v - own[1]) / self.T
        own[0], own[1] = x, v
        self.push("x", x + self.loop.position_lead * v + self.loop.position_curve * a)
        self.push("v", v + self.loop.position_lead * a)

    def _lead_force(self, k: int) -> None:
        """The reading of t_k as the methods phase_lead and smith_predictor lead it."""
        loop, reading = self.loop, self.get_reading()
        before, rate, led = self.get_rows("before"), self.get_rows("rate"), self.get_rows("led")
        taken = k * self.T - self.compute_force_age(k)
        dt = taken - (k - 1) * self.T + self.compute_force_age(k - 1)
        if dt > SAME_CYCLE * self.T:
            tau = loop.force_lead_filter
            keep = math.exp(-dt / tau) if tau > 0.0 else 0.0
            rate[0] = keep * rate[0] + (1.0 - keep) * (reading - before[0]) / dt
            before[0] = reading
        self.push("led", reading + loop.force_lead * rate[0])
        if loop.predicted_delay == 0.0:
            self.get_rows("applied")[0] = led[0]
            return
        back = loop.predicted_delay / self.T
        whole = math.floor(back + SAME_CYCLE)
        share = max(back - whole, 0.0)
        older = led[whole + 1] if share > 0.0 else led[whole]
        self.get_rows("applied")[0] = reading + led[0] - (1.0 - share) * led[whole] - share * older

    def list_instants(self, k: int) -> list[tuple[float, bool]]:
        """Ends of the plant's steps in cycle k [cycles since t_k], and whether the sensor samples
        there; as loop/facility/simulated.py."""
        steps, period = self.loop.plant_steps, self.period
        plant = [(i + 1) / steps for i in range(steps)]
        first = math.floor(k / period + SAME_CYCLE) + 1
        last = math.floor((k + 1) / period + SAME_CYCLE)
        taken = [n * period - k for n in range(first, last + 1)]
        times = sorted({*plant, *(t for t in taken if all(abs(t - p) > SAME_CYCLE for p in plant))})
        return [(t, any(abs(t - s) <= SAME_CYCLE for s in taken)) for t in times]

    def _sample(self, force: np.ndarray) -> None:
        if self.keep > 0.0:
            force = self.keep * self.get_rows("filter")[0] + (1.0 - self.keep) * force
        self.get_rows("filter")[0] = force
        self.push("samples", force)

    def _hand_over(self, k: int) -> None:
        """What the controller gets at t_k: the newest sample that has arrived, or the mean of those
        since the last hand-over."""
        self._read(k)
        if np.any(self.dead_band):
            reading = self.get_rows("reading")
            reading[0] = np.where(np.abs(reading[0]) < self.dead_band, 0.0, reading[0])
        if self.loop.leads_force:
            self._lead_force(k)

    def _read(self, k: int) -> None:
        newest, handed = self._find_newest_arrived(k), self._find_newest_arrived(k - 1)
        if newest <= handed:
            return
        age = math.floor(k / self.period + SAME_CYCLE) - newest  # samples taken since
        samples = self.get_rows("samples")
        if self.loop.handover == "latest" or newest == handed + 1:
            self.get_rows("reading")[0] = samples[age]
        else:
            self.get_rows("reading")[0] = samples[age : age + newest - handed].mean(axis=0)
