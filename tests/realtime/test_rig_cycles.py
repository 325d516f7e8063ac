"""A rig of any cycle from 1 to 20 ms: restitution is that of a bounce computed here, in plain
numbers; a driver says which cycles it has."""

from __future__ import annotations

import pytest
from rig_drivers import QUICK, write_rig

from softdock import load_scenario
from softdock.errors import BadInput
from softdock.rig.emulated_rig import VirtualRig
from softdock.rig.file import load_rig
from softdock.rig.outcome import compute_outcome
from softdock.rig.scenario import put_on_rig

MASS, STIFFNESS, GAP, SPEED = 63.0, 1000.0, 0.01, 0.02  # epos_1d
DURATION_S = 2.5


def bounce(cycle_ms, delay_ms):
    """A mass that flies at a spring wall, whose force is that of a robot that is late: restitution.
    Every cycle: force at the robot's place, constant until the next; the robot is on the cubic
    through its set-points, with the speed of the last one's difference."""
    T, back = 1e-3 * cycle_ms, delay_ms / cycle_ms
    places, v = [GAP + SPEED * T, GAP], -SPEED  # at k = -1 and 0

    def place(k):
        if k < 0:
            return GAP - SPEED * T * k
        return places[k + 1]

    for k in range(round(DURATION_S / T)):
        j = int((k - back) // 1)
        s = k - back - j
        a, b = place(j), place(j + 1)
        before, after = a - place(j - 1), b - a  # per cycle
        at = (
            a * (2 * s**3 - 3 * s**2 + 1)
            + before * (s**3 - 2 * s**2 + s)
            + b * (3 * s**2 - 2 * s**3)
            + after * (s**3 - s**2)
        )
        force = STIFFNESS * max(0.0, -at)
        places.append(places[-1] + v * T + 0.5 * force / MASS * T * T)
        v += force / MASS * T
    return v / SPEED


@pytest.mark.parametrize(
    ("cycle_ms", "delay_ms"),
    [(1, 20.0), (2, 20.0), (5, 20.0), (10, 20.0), (20, 20.0), (5, 16.0), (10, 16.0)],
)
def test_the_bounce_is_that_of_its_cycle(tmp_path, cycle_ms, delay_ms):
    """Through telegrams and records in virtual time, from standstill to standstill."""
    changes = QUICK | {
        "clock.cycle_ms": cycle_ms,
        "robots.chaser.delay_ms": delay_ms,
        "limits.restitution": 1.6,  # 20 ms of cycle and 20 of delay: 1.23
        "limits.energy_contact": 2.0,
        "limits.energy_run": 3.0,
    }
    rig = load_rig(write_rig(tmp_path, emulated=True), changes)
    scenario = load_scenario("epos_1d", {"time.cycle_ms": cycle_ms})
    flown = VirtualRig(put_on_rig(rig, scenario))
    flown.run(30.0)
    found = compute_outcome(flown.program)
    assert found.reason == "completed", found.why
    assert found.cycles == DURATION_S * 1e3 / cycle_ms
    assert not found.was_late
    assert found.restitution == pytest.approx(bounce(cycle_ms, delay_ms), abs=2e-7)


def test_the_cycle_matters():
    """The bound above can fail: a cycle that is 1 ms off moves restitution by 3e-3."""
    assert bounce(4, 16.0) == pytest.approx(1.1190838714, abs=1e-9)
    assert bounce(5, 20.0) - bounce(4, 20.0) > 3e-3


def test_kuka_has_two_cycles_and_says_so():
    """RSI's own names count too; a cycle that it has not is refused with the reason."""
    assert load_rig("emulated_pair", ["clock.mode=IPO"]).clock.cycle_ms == 12
    assert load_rig("emulated_pair", ["clock.cycle_ms=12"]).clock.mode == "IPO"
    for change, said in (
        ("clock.cycle_ms=5", "4 or 12 with kuka_rsi (robots.chaser): RSI_ON of KUKA knows"),
        ("clock.cycle_ms=21", ">= 1 and <= 20"),
        ("clock.cycle_ms=2.5", "a whole number"),
    ):
        with pytest.raises(BadInput) as caught:
            load_rig("emulated_pair", [change])
        assert said in str(caught.value)
    with pytest.raises(BadInput, match=r"clock\.mode: given 'IPO'; allowed: IPO_FAST"):
        load_rig("emulated_pair", ["clock.cycle_ms=4", "clock.mode=IPO"])


def test_a_driver_has_its_own_cycles(tmp_path):
    """The template's stage has 5 ms and not 3, and says why."""
    file = write_rig(tmp_path)
    assert load_rig(file, ["clock.cycle_ms=5"]).clock.cycle_ms == 5
    with pytest.raises(BadInput, match="whole cycles"):
        load_rig(file, ["clock.cycle_ms=3"])


def test_a_delay_below_the_cycle_is_said(tmp_path):
    """A set-point cannot be there before the next exchange."""
    rig = load_rig(write_rig(tmp_path), ["clock.cycle_ms=20", "robots.chaser.delay_ms=4"])
    found = put_on_rig(rig, load_scenario("epos_1d", ["time.cycle_ms=20"]))
    said = "\n".join(found.differences)
    assert "robots.chaser.delay_ms: 4 ms is less than the cycle of 20 ms" in said
