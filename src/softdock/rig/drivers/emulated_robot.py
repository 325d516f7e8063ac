"""An emulated robot controller as Python holds it: settings checked, arrays made, bytes in and out.

The logic is rig/wire/emulated_robot.py. The arrays that a sensor must see may stand in a buffer
shared between processes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.loop.instants import MS
from softdock.loop.robots.models import ROBOT_MODELS
from softdock.loop.robots.robot import ROBOT
from softdock.loop.spatial.motion import MOTION_FLOATS, Motion
from softdock.loop.vector import CHASER_ROBOT_AT, MAP, MEMORY_AT, TARGET_ROBOT_AT
from softdock.rig.drivers.rsi_config import (
    FRAME,
    EthernetFile,
    make_rob_telegram,
    make_sen_telegram,
)
from softdock.rig.wire import emulated_robot as logic
from softdock.rig.wire import entry_points
from softdock.rig.wire.faults import WINDOW_COLUMNS
from softdock.rig.wire.telegram import LONGEST

ROBOTS = ("chaser", "target")
NO_FRAME = (0.0,) * 6
LOOK_BACK_MS = 250.0  # how far a sensor may look back
MOST_SLOTS = 1 << 14
REST = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@dataclass(frozen=True)
class RobotSettings:
    """One emulated controller; lengths in mm and angles in degrees, as its screens have them."""

    ethernet: EthernetFile
    which: str = "chaser"
    cycle_ms: float = 4.0  # 4: IPO_FAST, 12: IPO
    drift_ppm: float = 0.0
    timeout_packets: int = 100
    timeout_in_a_row: bool = False  # else late packets count in all
    lower_mm: tuple[float, float, float] = (-500.0, -500.0, -500.0)  # PosCorr
    upper_mm: tuple[float, float, float] = (500.0, 500.0, 500.0)
    max_turn_deg: float = 45.0
    monitor_mm: float = 900.0  # PosCorrMon
    monitor_deg: float = 50.0
    base_in_world: tuple[float, ...] = NO_FRAME
    tool_from_flange: tuple[float, ...] = NO_FRAME
    decimals: int = 6

    def __post_init__(self) -> None:
        wrong = []
        if self.which not in ROBOTS:
            wrong.append(Problem("which", self.which, " or ".join(ROBOTS)))
        if self.cycle_ms != int(self.cycle_ms) or not 1 <= self.cycle_ms <= 1000:
            allowed = "whole milliseconds, 1 to 1000: IPOC counts them"
            wrong.append(Problem("cycle_ms", self.cycle_ms, allowed))
        if not abs(self.drift_ppm) <= 1e4:
            wrong.append(Problem("drift_ppm", self.drift_ppm, "-10000 to 10000"))
        if not 1 <= self.timeout_packets <= 1_000_000:
            wrong.append(Problem("timeout_packets", self.timeout_packets, "1 to 1000000"))
        for low, high in zip(self.lower_mm, self.upper_mm):
            if not low <= 0.0 <= high:
                wrong.append(Problem("lower_mm, upper_mm", (low, high), "low <= 0 <= high"))
        if wrong:
            raise BadInput(wrong)

    def numbers(self) -> np.ndarray:
        made = np.zeros(logic.ROBOT_SETTINGS)
        made[logic.PERIOD_NS], made[logic.DRIFT_PPM] = self.cycle_ms * MS, self.drift_ppm
        made[logic.TIMEOUT], made[logic.IN_A_ROW] = self.timeout_packets, self.timeout_in_a_row
        made[logic.IPOC_STEP], made[logic.WHICH] = self.cycle_ms, ROBOTS.index(self.which)
        made[logic.SETTINGS.slice_of("lower")] = self.lower_mm
        made[logic.SETTINGS.slice_of("upper")] = self.upper_mm
        made[logic.MOST_TURN] = self.max_turn_deg
        made[logic.MONITOR_MM], made[logic.MONITOR_DEG] = self.monitor_mm, self.monitor_deg
        made[logic.SETTINGS.slice_of("base")] = self.base_in_world
        made[logic.SETTINGS.slice_of("tool")] = self.tool_from_flange
        return made


def _count_slots(settings: RobotSettings, vector: np.ndarray) -> int:
    """Ticks that the rings hold: the longest delay and how far a sensor looks back."""
    at = CHASER_ROBOT_AT if settings.which == "chaser" else TARGET_ROBOT_AT
    if vector[at + ROBOT.at.joint_stiffness] > 0.0:
        key = f"robots.{settings.which}.joint_stiffness_N_per_m"
        raise BadInput(
            Problem(key, vector[at + ROBOT.at.joint_stiffness], "0 with emulated robots")
        )
    model = ROBOT_MODELS[int(vector[at + ROBOT.at.model])]
    if model.is_arm:
        *first, last = (one.name for one in ROBOT_MODELS if not one.is_arm)
        allowed = f"{', '.join(first)} or {last} with emulated robots, which take poses"
        raise BadInput(Problem(f"robots.{settings.which}.model", model.name, allowed))
    delay = sum(vector[at + getattr(ROBOT.at, k)] for k in ("delay", "computation", "transport"))
    delay += vector[at + ROBOT.at.jitter] + vector[at + ROBOT.at.wobble]
    wanted = (1e3 * delay + LOOK_BACK_MS) / settings.cycle_ms + 8
    slots = 1 << int(np.ceil(np.log2(wanted)))
    if slots > MOST_SLOTS:
        raise BadInput(Problem("delay_ms", 1e3 * delay, f"{MOST_SLOTS} cycles at most"))
    return slots


def compute_shared_sizes(
    settings: RobotSettings, vector: np.ndarray
) -> dict[str, tuple[int, type]]:
    """Arrays that other processes see: the sensor the motion, a person the values told."""
    slots, own = _count_slots(settings, vector), int(vector[MEMORY_AT + MAP.robot_floats])
    return {
        "settings": (logic.ROBOT_SETTINGS, np.float64),
        "whole": (logic.ROBOT_WHOLES, np.int64),
        "mem": (logic.OWN + own + 2 * slots * MOTION_FLOATS, np.float64),
        "instants": (slots, np.int64),
        "told": (len(make_rob_telegram(settings.ethernet).table), np.float64),
    }


def count_shared_bytes(settings: RobotSettings, vector: np.ndarray) -> int:
    return 8 * sum(length for length, _ in compute_shared_sizes(settings, vector).values())


def map_shared_arrays(
    settings: RobotSettings, vector: np.ndarray, buffer: Any
) -> dict[str, np.ndarray]:
    """Those arrays in a buffer, or without one on their own."""
    made: dict[str, np.ndarray] = {}
    at = 0
    for name, (length, kind) in compute_shared_sizes(settings, vector).items():
        if buffer is None:
            made[name] = np.zeros(length, kind)
        else:
            made[name] = np.frombuffer(buffer, kind, length, at)
        at += 8 * length
    return made


class EmulatedRobot:
    """One robot controller that speaks RSI."""

    def __init__(
        self,
        settings: RobotSettings,
        scenario: Any,
        windows: np.ndarray | None = None,
        buffer: Any = None,
        attach: bool = False,
    ) -> None:
        """`buffer`: where the shared arrays stand; `attach`: another process has made them."""
        self.settings, self.name = settings, settings.which
        self.features = scenario.markers.features
        rob, sen = (
            make_rob_telegram(settings.ethernet, settings.decimals),
            make_sen_telegram(settings.ethernet),
        )
        rows = np.zeros(logic.ROBOT_ROWS, np.int64)
        rows[: len(FRAME)] = sen.frame(settings.ethernet.correction())
        rows[logic.STOP_ROW] = sen.rows.get(("Stop", ""), 0)
        rows[logic.ROWS.slice_of("measured")] = rob.frame("RIst")
        rows[logic.ROWS.slice_of("wanted")] = rob.frame("RSol")
        rows[logic.DELAY_ROW] = rob.rows.get(("Delay", "D"), 0)
        if windows is None:
            windows = np.zeros((0, WINDOW_COLUMNS), np.int64)
        self.arrays = logic.Robot(
            rows=rows,
            windows=windows,
            vector=scenario.vector,
            names=sen.names,
            table=sen.table,
            heard=sen.values(),
            seen=sen.seen(),
            literals=rob.literals,
            pieces=rob.pieces,
            **map_shared_arrays(settings, scenario.vector, buffer),
        )
        if not attach:
            self.arrays.settings[:] = settings.numbers()
        self.rob = rob
        self._out = np.zeros(LONGEST, np.uint8)

    def start(self, first_ns: int, motion: Motion, ipoc: int = 4208163634) -> None:
        """RSI_ON: the mock-up's pose in the world, and its twist if it has been moving steadily."""
        entry_points.start_robot(self.arrays, first_ns, ipoc, motion)

    @property
    def next_ns(self) -> int:
        return int(self.arrays.whole[logic.NEXT_NS])

    def act(self) -> list[bytes]:
        """The tick at `next_ns`: the telegram it sends, if RSI is on."""
        size = entry_points.tick_robot(self.features, self.arrays, self._out)
        if size < 0:
            raise RuntimeError(f"the {self.name}'s telegram does not fit {LONGEST} bytes")
        return [self._out[:size].tobytes()] if size > 0 else []

    def receive(self, data: bytes) -> None:
        """A datagram from the stated peer."""
        entry_points.receive_reply(self.arrays, np.frombuffer(data, np.uint8).copy(), len(data))

    def show(self, value: float, element: str, attribute: str = "") -> None:
        """Set a value that the controller sends on, such as a digital input: DiL."""
        self.arrays.told[self.rob.rows[element, attribute]] = value

    def motion_at(self, instant_ns: int) -> Motion:
        motion, _ = entry_points.interpolate_motion(self.arrays, instant_ns)
        return motion

    @property
    def state(self) -> str:
        return logic.STATES[self.arrays.whole[logic.STATE]]

    def counts(self) -> dict[str, int]:
        """What a controller's own screen would show."""
        w = self.arrays.whole
        return {
            "ticks": int(w[logic.TICK]) + 1,
            "late": int(w[logic.LATE]),
            "late_in_a_row": int(w[logic.LATE_IN_A_ROW]),
            "rejected": int(w[logic.REJECTED]),
            "clamped": int(w[logic.CLAMPED]),
        }
