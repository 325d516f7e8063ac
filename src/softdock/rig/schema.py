"""Every key of a rig file: its default, what is allowed, its unit and its meaning, in one place.

A table of the file is a dataclass here, and a field is a key of the same name, units and all.
file.py reads by this, docs/rig_file.md is written from it. Lengths in m and angles in degrees
unless the name says otherwise; what a KUKA controller shows in mm is in mm here too.
"""

# ruff: noqa: RUF009 - a default that is a `field` is no call at every instance

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from softdock.files.schema import OPTIONAL, declare
from softdock.rig.drivers.rsi_config import CYCLES_MS, MODES
from softdock.rig.drivers.sockets import LOOPBACK

ROBOTS = ("chaser", "target")
FIXED = "fixed"  # the driver of a mock-up without a robot
Three = tuple[float, float, float]
LONGEST_TEXT = 2000  # characters of a note
SHORTEST_MS, LONGEST_MS, DEFAULT_MS = 1, 20, 4  # of a cycle


def number(default: float | None, low: float, high: float, unit: str, meaning: str) -> Any:
    """A finite number; a default of None: it must be given."""
    return declare(meaning, default, low=low, high=high, unit=unit)


def above(default: float | None, low: float, high: float, unit: str, meaning: str) -> Any:
    """The same, above its lower bound."""
    return declare(meaning, default, low=low, high=high, unit=unit, open_low=True)


def maybe(low: float, high: float, unit: str, meaning: str) -> Any:
    """A finite number, or nothing: not known."""
    return declare(meaning, OPTIONAL, low=low, high=high, unit=unit)


def whole(default: int, low: int, high: int, unit: str, meaning: str) -> Any:
    return declare(meaning, default, low=low, high=high, unit=unit, kind="integer")


def three(default: Three, most: float, unit: str, meaning: str) -> Any:
    return declare(meaning, default, low=-most, high=most, unit=unit, size=3)


def attitude(meaning: str) -> Any:
    return declare(meaning, (1.0, 0.0, 0.0, 0.0), kind="quaternion", size=4)


def text(default: str, meaning: str) -> Any:
    return declare(meaning, default, kind="text", high=LONGEST_TEXT)


def host(meaning: str) -> Any:
    return declare(meaning, LOOPBACK, kind="address")


def choice(choices: tuple[str, ...], meaning: str) -> Any:
    return declare(meaning, choices[0], choices=choices)


def flag(default: bool, meaning: str) -> Any:
    return declare(meaning, default, kind="flag")


@dataclass(frozen=True)
class Clock:
    """`[clock]`"""

    master: str = choice(ROBOTS, "whose telegrams are the clock of the docking")
    cycle_ms: int = declare(
        "cycle of both robots; without it that of mode, and without both 4",
        OPTIONAL,
        low=SHORTEST_MS,
        high=LONGEST_MS,
        unit="ms",
        kind="integer",
    )
    mode: str | None = declare(
        "the cycle as KUKA's RSI_ON names it: IPO_FAST 4 ms, IPO 12 ms",
        OPTIONAL,
        choices=tuple(CYCLES_MS),
    )

    def with_both(self) -> Clock:
        """With the cycle and KUKA's name for it (None: RSI has it not), whichever was stated."""
        cycle_ms = self.cycle_ms or CYCLES_MS[self.mode or MODES[DEFAULT_MS]]
        return replace(self, cycle_ms=cycle_ms, mode=self.mode or MODES.get(cycle_ms))


@dataclass(frozen=True)
class RobotEnd:
    """`[robots.chaser]`, `[robots.target]`: a robot, by any driver."""

    driver: str = text("kuka_rsi", "kuka_rsi, ur_rtde, a .py file of yours, or fixed: no robot")
    address: str = host("of the robot controller: datagrams of others are not taken")
    bind: str = host("of this computer; anything but loopback must be stated and is printed")
    port: int = whole(59152, 1, 65535, "", "UDP port of this computer, one a robot")
    timeout_packets: int = whole(50, 1, 1000, "", "late replies at which the robot stops")
    lower_mm: Three = three((-200.0,) * 3, 1e5, "mm", "least way from the start (KUKA: PosCorr)")
    upper_mm: Three = three((200.0,) * 3, 1e5, "mm", "largest way from the start (KUKA: PosCorr)")
    max_turn_deg: float = above(20.0, 0.0, 180.0, "deg", "largest turn from it (KUKA: PosCorr)")
    box_min_m: Three = three((-1.0,) * 3, 100.0, "m", "least place of the set-point, base axes")
    box_max_m: Three = three((1.0,) * 3, 100.0, "m", "largest place of the set-point, base axes")
    max_angle_deg: float = above(15.0, 0.0, 180.0, "deg", "largest turn from the pose at RSI_ON")
    stop_input: str = text("DiL", "value in the telegram that is the operator's stop; none: empty")
    stop_value: int = whole(1, 0, 65535, "", "what that value is when the operator stops")
    delay_ms: float | None = maybe(0.0, 1000.0, "ms", "set-point to being there; rig delay finds")
    pose_age_ms: float | None = maybe(0.0, 1000.0, "ms", "age of the pose in a telegram")


@dataclass(frozen=True)
class SensorEnd:
    """`[sensors.chaser]`, `[sensors.target]`: the force sensor behind a mock-up, by any driver."""

    driver: str = text("ati_net_ft", "ati_net_ft, ur_rtde, or a .py file of yours")
    address: str = host("of the sensor: datagrams of others are not taken")
    bind: str = host("of this computer; anything but loopback must be stated and is printed")
    port: int = whole(49152, 1, 65535, "", "UDP port of the sensor")
    counts_per_N: float = above(1e6, 0.0, 1e12, "1/N", "scale; must be what the page says")
    counts_per_Nm: float = above(1e6, 0.0, 1e12, "1/Nm", "scale; must be what the page says")
    rate_Hz: int = whole(7000, 1, 7000, "Hz", "records a second; a slow one is older: 0.5 period")
    sample_Hz: int = whole(7000, 1, 100_000, "Hz", "of the sensor's own clock: ft_sequence")
    range_N: float = above(1000.0, 0.0, 1e6, "N", "largest force of a channel")
    range_Nm: float = above(100.0, 0.0, 1e6, "Nm", "largest torque of a channel")
    in_flange_m: Three = three((0.0,) * 3, 10.0, "m", "the sensor's origin in the flange")
    bias: bool = flag(True, "ask the sensor to take its zero before a run, at rest")
    bias_N: Three = three((0.0,) * 3, 1e6, "N", "sensor axes; rig tare finds it")
    bias_Nm: Three = three((0.0,) * 3, 1e6, "Nm", "sensor axes; rig tare finds it")
    delay_ms: float | None = maybe(0.0, 1000.0, "ms", "age of the forces; rig delay finds")
    in_flange_wxyz: tuple[float, ...] = attitude("the sensor's axes in the flange's")


@dataclass(frozen=True)
class ToolEnd:
    """`[tools.chaser]`, `[tools.target]`: what is taken out of the readings; wins over the
    scenario's `[mock_up]`."""

    mass_kg: float = number(0.0, 0.0, 1e5, "kg", "mass beyond the sensor; rig tare finds it")
    centre_m: Three = three((0.0,) * 3, 100.0, "m", "its centre, from the satellite's, body axes")
    sensor_m: Three = three((0.0,) * 3, 100.0, "m", "where the sensor sits, the same")
    inertia_kg_m2: Three = three((0.0,) * 3, 1e6, "kg m^2", "about its own centre")


@dataclass(frozen=True)
class Limits:
    """`[limits]`: what the supervisor stops at. All on measured or commanded signals."""

    restitution: float = above(1.10, 0.0, 10.0, "", "kinetic energy after over before: its square")
    energy_floor_J: float = number(1e-3, 0.0, 1e3, "J", "added to every energy bound")
    energy_contact: float = number(0.2, 0.0, 10.0, "", "observed in a contact, of the approach's")
    energy_run: float = number(0.5, 0.0, 100.0, "", "observed in a run, of the approach's")
    power_W: float = above(50.0, 0.0, 1e6, "W", "of the measured force on the measured motion")
    force_N: float = above(100.0, 0.0, 1e6, "N", "measured")
    torque_Nm: float = above(20.0, 0.0, 1e6, "Nm", "measured")
    force_step_N: float | None = maybe(
        0.0, 1e6, "N", "largest accepted step between cycles; 0.5 force_N"
    )
    range_share: float = above(0.95, 0.0, 1.0, "", "of the sensor's range, of any channel")
    bad_in_a_row: int = whole(3, 1, 100, "", "forces or poses that are rejected")
    touch_N: float = above(0.5, 0.0, 1e6, "N", "above this the mock-ups touch")
    speed_m_per_s: float = above(0.1, 0.0, 10.0, "m/s", "of a set-point")
    rate_rad_per_s: float = above(0.2, 0.0, 10.0, "rad/s", "of a set-point")
    acceleration_m_per_s2: float = above(2.0, 0.0, 100.0, "m/s^2", "of a set-point")
    angular_acceleration_rad_per_s2: float = above(10.0, 0.0, 1000.0, "rad/s^2", "of a set-point")
    tracking_m: float = above(0.002, 0.0, 1.0, "m", "robot from its delayed set-point")
    tracking_deg: float = above(1.0, 0.0, 90.0, "deg", "robot from its delayed set-point")
    lost_in_a_row: int = whole(3, 1, 100, "", "telegrams that did not come")
    lost_share: float = above(0.05, 0.0, 1.0, "", "of a second's telegrams")
    late_in_a_row: int = whole(3, 1, 100, "", "replies that came late, by the controller's count")
    late_share_of_timeout: float = above(0.5, 0.0, 1.0, "", "late replies in all")
    silence_cycles: int = whole(4, 1, 100, "", "without a telegram of a robot")
    stale_ms: float = above(8.0, 0.0, 1000.0, "ms", "age of a force: stop")
    drift_ppm: float = above(200.0, 0.0, 1e4, "ppm", "of a robot's clock against ours: warned")
    compute_share: float = above(0.25, 0.0, 1.0, "", "of a cycle, of our own time; three in a row")


@dataclass(frozen=True)
class Stop:
    """`[stop]`: how the robots come to rest."""

    deceleration_m_per_s2: float = above(0.5, 0.0, 20.0, "m/s^2", "of both robots")
    angular_deceleration_rad_per_s2: float = above(2.0, 0.0, 20.0, "rad/s^2", "of both robots")
    retreat_m: float = number(0.01, 0.0, 1.0, "m", "how far they back off from a contact, at most")
    retreat_m_per_s: float = above(0.01, 0.0, 0.25, "m/s", "how fast")
    axis: Three = three(
        (1.0, 0.0, 0.0), 1e6, "", "the chaser's way away from the target, orbit axes"
    )
    retreat_force_N: float | None = maybe(0.0, 1e6, "N", "rig retreat stops above; 0.5 force_N")
    relief_m_per_s_per_N: float = number(0.0005, 0.0, 1.0, "m/(s N)", "rig retreat: sideways")


@dataclass(frozen=True)
class RunUp:
    """`[run_up]`: from standstill to the scenario's start."""

    ramp_s: float = above(0.5, 0.0, 30.0, "s", "of the ramp to the scenario's speed")
    settle_s: float = number(0.2, 0.0, 60.0, "s", "at rest before and after a way")
    transfer_m_per_s: float = above(0.02, 0.0, 0.25, "m/s", "to the place where the ramp begins")
    listen_s: float = number(1.0, 0.1, 60.0, "s", "everything is heard before anything moves")


@dataclass(frozen=True)
class Machine:
    """`[machine]`: this computer."""

    priority: int = whole(80, 0, 99, "", "SCHED_FIFO; 0: not asked for")
    lock_memory: bool = flag(True, "keep all pages in memory")
    require_realtime: str = choice(("beyond_loopback", "always", "never"), "refuse without FIFO")


@dataclass(frozen=True)
class Record:
    """`[record]`"""

    folder: str = text("softdock-runs", "where recordings go: each series into a new folder in it")
    flush_ms: float = above(50.0, 0.0, 10_000.0, "ms", "between two flushes of the file")
    ring_s: float = above(60.0, 0.0, 3600.0, "s", "that the ring in memory holds")


@dataclass(frozen=True)
class Emulate:
    """`[emulate]`: the peers are emulated on loopback; only for `rig emulate` and its like."""

    phase_ms: float = number(1.7, 0.0, 20.0, "ms", "the target's ticks after the chaser's")
    drift_chaser_ppm: float = number(0.0, -1e4, 1e4, "ppm", "of the chaser's clock")
    drift_target_ppm: float = number(0.0, -1e4, 1e4, "ppm", "of the target's clock")
    drift_sensor_ppm: float = number(0.0, -1e4, 1e4, "ppm", "of the sensor's clock")
    latency_us: float = number(0.0, 0.0, 1e6, "us", "of every datagram")
    jitter_us: float = number(0.0, 0.0, 1e6, "us", "of every datagram, on top")
    noise_N: float = number(0.0, 0.0, 1e3, "N", "of each force sample")
    noise_Nm: float = number(0.0, 0.0, 1e3, "Nm", "of each torque sample")
    faults: str = text("", "loss=0.01,stall=20ms@3s,...")
    seed: int = whole(0, 0, 2**31 - 1, "", "of faults and noise")
