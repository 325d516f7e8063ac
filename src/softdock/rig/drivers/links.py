"""What the controller's end knows of each peer: one object per robot and per sensor.

`receive` takes a datagram and when it arrived [ns on our clock]; the rest are questions. The logic
is rig/wire/links.py, the same arrays serve a compiled loop."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.loop.instants import MS, SECOND
from softdock.rig.drivers.rsi_config import EthernetFile, make_rob_telegram, make_sen_telegram
from softdock.rig.wire import clocks, entry_points, links, rdt, sequences, telegram

RING = 4096  # samples, half a second at 7 kHz
BELIEVED_S = 1.0  # a count that is further ahead than this needs a second one that agrees
HALF = 0.5  # of a cycle: a clock that jumps by more is a clock that has jumped


def _make_settings(step: int, ahead: float, jump_ns: float, rate: int) -> np.ndarray:
    made = np.zeros(links.LINK_SETTINGS, np.int64)
    made[links.STEP], made[links.MOST_AHEAD] = step, max(1, round(ahead))
    made[links.JUMP_NS], made[links.RATE] = round(jump_ns), rate
    return made


def _make_clock() -> tuple[np.ndarray, np.ndarray]:
    return np.zeros(clocks.CLOCK_WHOLES, np.int64), np.zeros(clocks.CLOCK_NUMBERS)


class RobotLink:
    """A robot controller with RSI, as heard, and what it is answered."""

    def __init__(self, file: EthernetFile, cycle_ms: float, text: str = "softdock") -> None:
        if cycle_ms != int(cycle_ms) or not 1 <= cycle_ms <= 1000:
            raise BadInput(Problem("cycle_ms", cycle_ms, "whole milliseconds, 1 to 1000"))
        self.rob, self.sen = make_rob_telegram(file), make_sen_telegram(file, text=text)
        self.cycle_ms = int(cycle_ms)
        self._measured = self.rob.frame("RIst")
        if not all(self._measured):
            allowed = "DEF_RIst: without the measured pose no robot can be supervised"
            raise BadInput(Problem("SEND", "no RIst", allowed, file.file))
        clock, line = _make_clock()
        self.arrays = links.RobLink(
            names=self.rob.names,
            table=self.rob.table,
            values=self.rob.values(),
            scratch=self.rob.values(),
            seen=self.rob.seen(),
            delay_row=np.array([self.rob.rows.get(("Delay", "D"), 0)], np.int64),
            settings=_make_settings(
                self.cycle_ms, 1e3 * BELIEVED_S / cycle_ms, HALF * cycle_ms * MS, 1000
            ),
            whole=np.zeros(links.LINK_WHOLES, np.int64),
            sequence=np.zeros(sequences.SEQUENCE_COLUMNS, np.int64),
            step=np.zeros(sequences.STEP_COLUMNS, np.int64),
            clock=clock,
            line=line,
        )
        self.values = self.sen.values()  # of the next reply, by row
        self.correction_rows = self.sen.frame(file.correction())
        self._out = np.zeros(telegram.LONGEST, np.uint8)

    def receive(self, data: bytes, arrival_ns: int) -> str:
        """One datagram: a verdict of sequences.VERDICTS, or why it is no telegram."""
        verdict = entry_points.receive_telegram(
            self.arrays, np.frombuffer(data, np.uint8).copy(), len(data), arrival_ns
        )
        if verdict == links.NO_DATAGRAM:
            return telegram.REASONS[self.arrays.whole[links.LAST_REASON]]
        return sequences.VERDICTS[verdict]

    @property
    def ipoc(self) -> int:
        return int(self.arrays.whole[links.NEWEST])

    @property
    def lost_now(self) -> int:
        """Telegrams that were lost just before the newest."""
        return int(self.arrays.whole[links.LOST_NOW])

    @property
    def stamp_ns(self) -> int:
        """When the newest telegram was sent, on our clock, with the path's shortest latency."""
        return int(self.arrays.whole[links.STAMP_NS])

    @property
    def measured(self) -> np.ndarray:
        """X, Y, Z [mm], A, B, C [degrees], base axes."""
        return self.arrays.values[self._measured]

    def value(self, element: str, attribute: str = "") -> float | None:
        """Any other value of the newest telegram; None where it had it not."""
        row = self.rob.rows.get((element, attribute))
        if row is None or np.isnan(self.arrays.values[row]):
            return None
        return float(self.arrays.values[row])

    def reply(self, correction: Sequence[float] | np.ndarray) -> bytes:
        """The answer to the newest telegram: correction in mm and degrees from RSI_ON's pose."""
        self.values[self.correction_rows] = correction
        size = entry_points.write_telegram(
            self.sen.literals, self.sen.pieces, self.values, self.ipoc, self._out
        )
        if size < 0:
            raise BadInput(Problem("correction", list(correction), "six finite numbers"))
        return self._out[:size].tobytes()

    def counts(self) -> dict[str, int | float]:
        """What was heard so far; `drift_ppm` is the robot's clock against ours."""
        a = self.arrays
        return {
            "heard": int(a.sequence[sequences.HEARD]),
            "lost": int(a.sequence[sequences.LOST]),
            "twice": int(a.sequence[sequences.TWICE]),
            "old": int(a.sequence[sequences.OLD]),
            "not_believed": int(a.sequence[sequences.FAR]),
            "jumps": int(a.sequence[sequences.JUMPS]),
            "off_step": int(a.sequence[sequences.ODD]),
            "malformed": int(a.whole[links.REFUSED]),
            "late_replies": int(a.whole[links.LATE_REPLIES]),
            "step_ms": self.cycle_ms if self.counts_telegrams else int(a.whole[links.LEARNT_STEP]),
            "clock_jumps": int(a.clock[clocks.CLOCK_JUMPS]),
            "drift_ppm": float(entry_points.compute_drift_ppm(a.line)),
        }

    @property
    def counts_telegrams(self) -> bool:
        """Whether IPOC steps by 1 a cycle, as some simulators have it: not ms."""
        return bool(self.arrays.whole[links.COUNTS_TELEGRAMS])

    def check_step(self) -> None:
        """Refuse a robot whose IPOC steps otherwise than the stated cycle; once it is learnt."""
        learnt = int(self.arrays.whole[links.LEARNT_STEP])
        if learnt not in (0, self.cycle_ms) and not self.counts_telegrams:
            allowed = f"{learnt}: IPOC steps by {learnt} ms"
            raise BadInput(Problem("cycle_ms", self.cycle_ms, allowed))


class SensorLink:
    """A Net F/T sensor, as heard."""

    def __init__(self, counts_per_N: float, counts_per_Nm: float, sample_Hz: int = 7000) -> None:
        clock, line = _make_clock()
        self.sample_Hz = sample_Hz
        self.arrays = links.RecordLink(
            settings=_make_settings(1, BELIEVED_S * sample_Hz, 2.0 * MS, sample_Hz),
            scale=np.array([counts_per_N, counts_per_Nm]),
            whole=np.zeros(links.LINK_WHOLES, np.int64),
            sequence=np.zeros(sequences.SEQUENCE_COLUMNS, np.int64),
            clock=clock,
            line=line,
            record=np.zeros(rdt.RECORD_COLUMNS, np.int64),
            wrench=np.zeros(links.SAMPLE_VALUES),
            stamps=np.zeros(RING, np.int64),
            samples=np.zeros((RING, links.SAMPLE_VALUES)),
            counted=np.zeros((RING, links.SAMPLE_COUNTS.size), np.int64),
            head=np.zeros(1, np.int64),
        )

    @staticmethod
    def request(command: int = rdt.START_REALTIME, count: int = 0) -> bytes:
        out = np.zeros(rdt.REQUEST_BYTES, np.uint8)
        entry_points.write_request(out, command, count)
        return out.tobytes()

    def receive(self, data: bytes, arrival_ns: int) -> int:
        """One datagram: how many samples it brought; links.NO_DATAGRAM if it is none."""
        array = np.frombuffer(data, np.uint8).copy()
        return int(entry_points.receive_records(self.arrays, array, len(data), arrival_ns))

    def newest(self, t_ns: int) -> tuple[np.ndarray, int] | None:
        """Wrench in sensor axes [N, Nm] and stamp [ns] of the newest sample not after t."""
        a = self.arrays
        slot = entry_points.find_sample(a.stamps, a.head, t_ns)
        if slot == links.NO_SAMPLE:
            return None
        return a.samples[slot], int(a.stamps[slot])

    def number_at(self, t_ns: int) -> int:
        """The number that the sensor gives, or gave, to its sample of an instant of our clock."""
        a = self.arrays
        slot = int(a.head[0] - 1) % len(a.stamps)
        ahead = round((t_ns - int(a.stamps[slot])) * self.sample_Hz / SECOND)
        return int(a.counted[slot, links.COUNTED.sequence] + ahead) % rdt.WORD

    def counts(self) -> dict[str, int | float]:
        a = self.arrays
        return {
            "heard": int(a.sequence[sequences.HEARD]),
            "lost": int(a.whole[links.RDT_LOST]),
            "twice": int(a.sequence[sequences.TWICE]),
            "old": int(a.sequence[sequences.OLD]),
            "not_believed": int(a.sequence[sequences.FAR]),
            "malformed": int(a.whole[links.REFUSED]),
            "jumps": int(a.sequence[sequences.JUMPS]),
            "faulty": int(a.whole[links.FAULTY]),
            "drift_ppm": float(entry_points.compute_drift_ppm(a.line)),
        }
