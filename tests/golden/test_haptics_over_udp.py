"""The haptic loop over the wire: a device in another process is the bench in one process, to the
last bit where no time passes, and by its own clock."""

from __future__ import annotations

import numpy as np

from softdock.networks.haptics import Setting, touch
from softdock.rig.udp.haptics import touch_over_udp

SHORT = Setting(duration_s=0.5, rest_from_s=0.3)


def test_the_wire_changes_no_bit():
    """Positions, forces and energy of the better step, sample by sample, through datagrams."""
    here, there = touch(SHORT, "better_step"), touch_over_udp(SHORT, "better_step", real_time=False)
    for name in ("position_m", "velocity_m_per_s", "force_N", "energy_J"):
        assert np.array_equal(getattr(here, name), getattr(there.touch, name))
    assert np.abs(here.force_N).max() > 1.0
    assert there.lost == 0


def test_the_device_keeps_its_own_clock():
    """By the clock: no sample before its time, one exchange a sample, answers that were late are
    counted and no more than there are; the touch is judged like any other."""
    setting = Setting(duration_s=0.3, rest_from_s=0.2, sample_period_s=0.01)
    driven = touch_over_udp(setting, "better_step")
    numbers = driven.numbers()
    assert numbers["samples"] == len(driven.round_trip_us) == 31
    assert driven.seconds >= 0.3
    assert numbers["rate_Hz"] <= 100.0
    assert 0 <= driven.late <= 31
    assert np.isfinite(driven.touch.energy_J).all()
    assert "late by the way" in numbers["guarantee"]
