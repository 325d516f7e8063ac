"""A peer's clock on ours, what was lost of its count, and which sample counts at an instant."""

from __future__ import annotations

import numpy as np
import pytest

from softdock.rig.wire import (
    clocks,
    entry_points,
    links,
    sequences,
)
from softdock.rig.wire.sequences import HEARD, LAST, LOST, ODD, OLD, TWICE, VERDICTS

MS, SECOND = 1_000_000, 1_000_000_000
T = 4 * MS


def jitter(random, size, mean_us, late_share, late_us):
    """Exponential latencies [ns], and a share that is much later."""
    made = random.exponential(mean_us * 1e3, size)
    return made + np.where(random.uniform(size=size) < late_share, late_us * 1e3, 0.0)


def follow_clock(drift_ppm, seconds, latencies, period_ns=T):
    """Error of the mapped stamps [ns] after the last arrival, and the drift found [ppm]."""
    wholes, numbers = (
        np.zeros(clocks.CLOCK_WHOLES, np.int64),
        np.zeros(clocks.CLOCK_NUMBERS),
    )
    n = round(seconds * SECOND / period_ns)
    stamps = 4208163634 * MS + np.arange(n, dtype=np.int64) * period_ns
    instants = 77 * SECOND + np.round(np.arange(n) * period_ns / (1 + 1e-6 * drift_ppm))
    arrivals = (instants + 30_000 + latencies(n)).astype(np.int64)
    for stamp, arrival in zip(stamps, arrivals):
        assert not entry_points.update_peer_clock(wholes, numbers, stamp, arrival, T // 2)
    mapped = entry_points.convert_stamp(wholes, numbers, stamps[-1])
    return mapped - instants[-1] - 30_000, entry_points.compute_drift_ppm(numbers)


@pytest.mark.parametrize("drift_ppm", [0.0, 200.0, -30.0])
@pytest.mark.parametrize(
    ("mean_us", "late", "late_us", "seconds", "bound_us"),
    [(40.0, 0.01, 1000.0, 10.0, 9.0), (200.0, 0.05, 4000.0, 10.0, 24.0)],
)
def test_a_jittery_clock_is_known_to_microseconds(
    drift_ppm, mean_us, late, late_us, seconds, bound_us
):
    """Bounds as measured with a prototype, over five seeds."""
    for seed in range(5):
        random = np.random.default_rng(seed)
        error, drift = follow_clock(
            drift_ppm, seconds, lambda n, r=random: jitter(r, n, mean_us, late, late_us)
        )
        assert abs(error) <= bound_us * 1e3, seed
        assert drift == pytest.approx(drift_ppm, abs=0.03 * mean_us), seed


def test_a_perfect_clock_is_mapped_to_the_nanosecond():
    """Without jitter stamps are their arrivals, at half a year of uptime too."""
    error, drift = follow_clock(0.0, 3.0, lambda n: np.zeros(n))
    assert (error, drift) == (0, 0.0)


def test_a_clock_that_jumps_is_seen_and_followed():
    """Ten ms between two blocks: one jump, and a block later stamps are right again."""
    wholes, numbers = (
        np.zeros(clocks.CLOCK_WHOLES, np.int64),
        np.zeros(clocks.CLOCK_NUMBERS),
    )
    jumps = 0
    for n in range(400):
        offset = 10 * MS if n >= 200 else 0
        jumps += entry_points.update_peer_clock(wholes, numbers, n * T, n * T + offset, T // 2)
    assert jumps == 1 == wholes[clocks.CLOCK_JUMPS]
    assert entry_points.convert_stamp(wholes, numbers, 399 * T) == 399 * T + 10 * MS


def heard(numbers, step=1, most=1000, modulus=0, at_ms=None, lasting_ns=0):
    """Verdicts on numbers that come a millisecond for each count apart, or when it is stated."""
    state = np.zeros(sequences.SEQUENCE_COLUMNS, np.int64)
    rules = {"step": step, "most": most, "modulus": modulus, "step_ns": step * MS, "is_timed": True}
    at_ms = np.arange(len(numbers)) * step if at_ms is None else at_ms
    verdicts = [
        VERDICTS[
            entry_points.follow_count(
                state=state, number=n, arrival=round(at * MS), lasting_ns=lasting_ns, **rules
            )[0]
        ]
        for n, at in zip(numbers, at_ms, strict=True)
    ]
    return verdicts, state


def test_lost_doubled_late_and_odd_numbers_are_told_apart():
    """An IPOC that steps by 4: two lost, one twice, one late, one off the step."""
    verdicts, state = heard([100, 104, 116, 116, 108, 118, 120], step=4)
    assert verdicts == ["first", "taken", "taken", "again", "late", "off step", "taken"]
    assert [state[i] for i in (HEARD, LOST, TWICE, OLD, ODD, LAST)] == [4, 2, 1, 1, 1, 120]


def test_one_forged_number_does_not_make_all_others_old():
    """A record with a far sequence is set aside; a peer that restarts is believed at its second."""
    verdicts, state = heard([5, 6, 4_000_000, 7, 8], modulus=2**32)
    assert verdicts == ["first", "taken", "not believed", "taken", "taken"]
    assert state[LOST] == 0
    verdicts, _ = heard([500_000, 500_001, 1, 2, 3])
    assert verdicts == ["first", "taken", "not believed", "jumped", "taken"]
    verdicts, state = heard([5, 6, 900, 8, 9])  # within a second of it, and no second has passed
    assert verdicts == ["first", "taken", "not believed", "taken", "taken"]
    assert state[sequences.FAR] == 1
    verdicts, state = heard([5, 6, 900], at_ms=[0, 1, 895])  # it has: the others were lost
    assert verdicts[-1] == "taken"
    assert state[LOST] == 893
    verdicts, _ = heard([5, 9_000_000, 6, 9_000_001, 7])  # two forged ones with good ones between
    assert verdicts == ["first", "not believed", "taken", "not believed", "taken"]


def test_a_count_that_wraps_goes_on():
    """2^32 - 1 is followed by 0: nothing lost, nothing old."""
    verdicts, state = heard([2**32 - 2, 2**32 - 1, 0, 2], modulus=2**32)
    assert verdicts == ["first", "taken", "taken", "taken"]
    assert state[LOST] == 1


def test_a_count_that_goes_back_for_good_begins_anew():
    """A sensor whose count is set back by 1000 is believed after 2 ms of it; fifty old records that
    come at once, or between the true ones, are old."""
    back = [*range(5000, 5010), *range(4000, 4010)]
    verdicts, state = heard(back, most=7000, lasting_ns=2 * MS)
    assert verdicts[10:13] == ["late", "late", "jumped"]
    assert set(verdicts[13:]) == {"taken"}
    assert state[sequences.JUMPED_BY] == 4002 - 5009
    true, old = list(range(5000, 5100)), list(range(4900, 4950))
    verdicts, _ = heard(
        [*true[:50], *old, *true[50:]],
        at_ms=[*range(50), *(49 + 0.001 * i for i in range(50)), *range(50, 100)],
        lasting_ns=2 * MS,
    )
    assert verdicts[50:100] == ["late"] * 50
    assert "jumped" not in verdicts
    mixed = [n for pair in zip(true[50:], old, strict=True) for n in pair]
    verdicts, _ = heard(
        [*true[:50], *mixed], lasting_ns=2 * MS, at_ms=[*range(50), *range(50, 150)]
    )
    assert "jumped" not in verdicts


def test_the_step_of_ipoc_is_learnt_from_many_gaps():
    """With telegrams lost and two spoilt, gaps differ; the step is what most of them are, and is
    not said before 50 gaps."""
    state = np.zeros(sequences.STEP_COLUMNS, np.int64)
    numbers = [0, *range(8, 4 * 60, 4)]
    numbers[20], numbers[30] = 900_001, 7
    found = [entry_points.learn_step(state, n, 0) for n in numbers]
    assert found[:50] == [0] * 50
    assert found[51] == 4


def test_the_newest_sample_not_after_an_instant_counts():
    """A sample from after t_k belongs to the next cycle; before the first there is none."""
    stamps, values = np.zeros(4, np.int64), np.zeros((4, links.SAMPLE_VALUES))
    head = np.zeros(1, np.int64)
    assert entry_points.find_sample(stamps, head, 10) == links.NO_SAMPLE
    for stamp in (10, 20, 30, 40, 50):  # the ring holds four
        entry_points.push_sample(stamps, values, head, stamp, np.full(6, float(stamp)))
    for t, newest in ((19, None), (20, 20.0), (49, 40.0), (50, 50.0), (99, 50.0)):
        slot = entry_points.find_sample(stamps, head, t)
        assert (None if slot == links.NO_SAMPLE else values[slot, 5]) == newest


WALL_AHEAD = 1_700_000_000 * SECOND  # of the monotonic clock, at first


def arrivals(step_ns, said_at_ms, arrived_at_ms, wait_us=30.0):
    """Errors [ns] of the arrivals of datagrams that the kernel stamps by a wall clock, which is set
    by `step_ns` at 100 ms; each is read some time after it came. And the wall clock's record."""
    wall = np.zeros(clocks.WALL_COLUMNS, np.int64)
    wall[clocks.OFFSET], errors = WALL_AHEAD, []
    for arrived, said in zip(arrived_at_ms, said_at_ms, strict=True):
        came, now = round(arrived * MS), round(said * MS + wait_us * 1e3)
        stamp = came + WALL_AHEAD + (step_ns if arrived >= 100 else 0)
        reads = now + WALL_AHEAD + (step_ns if now >= 100 * MS else 0)
        entry_points.update_wall_clock(wall, now - 40, reads - 20, now)
        errors.append(entry_points.convert_arrival(wall, stamp, 0, now) - came)
    return np.array(errors), wall


@pytest.mark.parametrize("step_ms", [-3_600_000.0, -50.0, -5.0, -1.0, 1.0, 5.0, 50.0, 3_600_000.0])
def test_a_wall_clock_that_is_set_moves_no_arrival(step_ms):
    """Also of a datagram that came before the step and is read after it; and the step is named."""
    came = np.arange(0.0, 200.0, 4.0)
    came[25] = 99.99  # stamped before, read after
    errors, wall = arrivals(round(step_ms * MS), np.arange(0.0, 200.0, 4.0), came)
    assert abs(errors).max() <= 40
    assert wall[clocks.STEPS] == 1
    assert wall[clocks.STEP_NS] == pytest.approx(step_ms * MS, abs=100)
    assert wall[clocks.UNFIT] == 0


def test_a_wall_clock_that_is_slewed_is_followed_without_a_word():
    """500 ppm for a minute, as a time server slews it: 30 ms, and no arrival is off by more than
    what it moves between two looks."""
    wall = np.zeros(clocks.WALL_COLUMNS, np.int64)
    wall[clocks.OFFSET] = WALL_AHEAD
    for now in range(0, 60 * SECOND, 4 * MS):
        clock = WALL_AHEAD + now + now // 2000
        entry_points.update_wall_clock(wall, now - 40, clock - 20, now)
        assert entry_points.convert_arrival(wall, clock - 30_000, 0, now) == pytest.approx(
            now - 30_000, abs=2_100
        )
    assert wall[clocks.STEPS] == 0


def test_a_look_that_took_long_is_no_step():
    """Ten ms between two readings of our clock, with the wall clock anywhere between them."""
    for share in (0.0, 0.3, 1.0):
        wall = np.zeros(clocks.WALL_COLUMNS, np.int64)
        wall[clocks.OFFSET] = WALL_AHEAD
        entry_points.update_wall_clock(wall, 1000, WALL_AHEAD + 1000, 1000)
        later = 2000 + 10 * MS
        entry_points.update_wall_clock(
            wall, 2000, WALL_AHEAD + 2000 + round(share * 10 * MS), later
        )
        assert wall[clocks.STEPS] == 0
        assert wall[clocks.OFFSET] == WALL_AHEAD


def test_a_stamp_from_before_anything_could_wait_is_not_believed():
    """Stamps of a kernel that fit no reading of the wall clock: they came when they were read."""
    wall = np.zeros(clocks.WALL_COLUMNS, np.int64)
    wall[clocks.OFFSET] = WALL_AHEAD
    entry_points.update_wall_clock(wall, 10 * MS, WALL_AHEAD + 10 * MS, 10 * MS)
    since, now = 8 * MS, 10 * MS
    assert entry_points.convert_arrival(wall, WALL_AHEAD + 9 * MS, since, now) == 9 * MS
    assert entry_points.convert_arrival(wall, WALL_AHEAD - 40 * MS, since, now) == now
    assert wall[clocks.UNFIT] == 1
