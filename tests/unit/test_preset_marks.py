"""Presets of the papers tell what is published from what is assumed: every number that a preset
calls published stands in its paper."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import softdock.scenario

PRESETS = Path(softdock.scenario.__file__).parent / "presets"
# What the papers print, read from their texts (section), in the presets' units.
LANGE = {100.0, 1000.0, 10.0, 300.0, 50_000.0, 100_000.0, 0.0}  # V: kg, kg m^2, 100 N/mm, D = 0
LANGE_FIG_7 = LANGE - {50_000.0, 100_000.0}  # 100 N/mm is printed for Fig. 6 only
ZEBENAY = {
    4.0,  # 250 Hz
    16.0,  # ms, used throughout
    63.0,  # kg, 6.1
    -0.02,  # m/s, 6.1
    1000.0,  # N/m, Table 2: near its identified ones
    60.0,  # kg, 4.3
    0.3,  # m, 4.3, at 30 deg
    3000.0,  # N/m (4.3) and kg (6.2)
    50.0,  # Ns/m, Table 1
    500.0,  # kg m^2, 6.2
    0.015,  # m/s, 6.2
    1.0,  # ms, 1000 Hz, 6.2
    0.25,  # N, 6.2
    4000.0,  # N/m, 6.2
    0.0,
}
DE_STEFANO = {4.0, 250.0}  # ms, kg: V
PUBLISHED = {
    "epos_1d": ZEBENAY,
    "epos_2d": ZEBENAY,
    "epos_3d": ZEBENAY,
    "oos_sim": DE_STEFANO,
    "lange_cone": LANGE_FIG_7,
    "lange_impact_acceleration": LANGE,
    "lange_impact_delay": LANGE,
    "lange_impact_jerk": LANGE,
    "lange_remapped": LANGE,
    "one_robot_wall": LANGE,
}


def marked(preset: str) -> list[tuple[str, list[float], str]]:
    """Lines of a preset with a comment: key, numbers, comment."""
    found = []
    for line in (PRESETS / f"{preset}.toml").read_text(encoding="utf-8").splitlines():
        entry = re.match(r"\s*(\w+) = (.*?)\s*# (.*)", line)
        if entry:
            numbers = [float(x) for x in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", entry[2])]
            found.append((entry[1], numbers, entry[3]))
    return found


@pytest.mark.parametrize("preset", PUBLISHED)
def test_what_is_called_published_is_in_the_paper(preset):
    """A number under a comment that begins with `published` is one that the paper prints; the tip
    of epos_2d is 0.3 m at 30 degrees."""
    for key, numbers, comment in marked(preset):
        if comment.startswith("published") and key != "tip_m":
            wrong = [x for x in numbers if x not in PUBLISHED[preset]]
            assert wrong == [], (preset, key, comment)


@pytest.mark.parametrize(
    "preset", [name for name in PUBLISHED if name.startswith(("lange", "one_robot"))]
)
def test_speed_and_limits_of_langes_rig_are_assumed(preset):
    """0.1 m/s and 2.3 m/s^2 are nowhere in the paper: each line with one says `assumed`."""
    lines = [(key, numbers, comment) for key, numbers, comment in marked(preset)]
    for key in ("velocity_m_per_s", "max_acceleration_m_per_s2", "max_jerk_m_per_s3"):
        for name, _, comment in lines:
            assert name != key or comment.startswith("assumed"), (preset, key, comment)
    assert any(0.1 in numbers for key, numbers, _ in lines if key == "velocity_m_per_s")
