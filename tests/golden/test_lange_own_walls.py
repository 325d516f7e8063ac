"""Lange IV-B on two robots without IV-D: momentum and energy against a calculation in one dimension
with NumPy alone, and the factor 6 that was computed independently for the robots of Fig. 6."""

from __future__ import annotations

import json

import pytest
from plain import run_plain

PLAIN = """
import json
from softdock.papers.lange.impact import energy_ratio
from softdock.papers.lange.own_walls import ROBOTS, momentum_gain, run_walls
cases = [(robots, kg) for robots in ROBOTS for kg in (100.0, 1000.0) if robots != "in time"]
found = {}
for robots, kg in cases:
    run = run_walls("IV-B", robots, kg)
    found[f"{robots}, {kg:g}"] = momentum_gain(run, kg), energy_ratio(run)
run = run_walls("IV-D", "20 ms late", 1000.0)
print(json.dumps(found | {"IV-D": (momentum_gain(run, 1000.0), energy_ratio(run))}))
"""


def impact(client, delay, lead, walls=True):
    """Two points of 100 kg and `client` at 0.1 m/s, T = 4 ms, robots that are their satellites
    `delay` cycles ago, carried on by `lead` cycles; 100 N/mm each. Momentum and energy after over
    before. `walls`: each against its own."""
    T, k, m, v = 4e-3, 1e5, 100.0, 0.1
    x, y, vx, vy = -v * T * (50 - 0.75), 0.0, v, 0.0
    past = [(x + v * T * i, v, y, 0.0) for i in range(-delay, 1)]
    for _ in range(400):
        at = past[-1 - delay]
        a, b = at[0] + lead * T * at[1], at[2] + lead * T * at[3]
        f = 0.5 * k * max(a - b, 0.0)  # of the robots, both sides in series
        on_x = on_y = 0.0
        if f > 0.0 and walls:  # wall at a - f / k and at b + f / k
            on_x, on_y = -max(k * (x - a) + f, 0.0), max(k * (b - y) + f, 0.0)
        elif f > 0.0:
            on_y = 0.5 * k * max(x - y, 0.0)
            on_x = -on_y
        vx, vy = vx + T * on_x / m, vy + T * on_y / client
        x, y = x + T * vx, y + T * vy
        past.append((x, vx, y, vy))
    return (m * vx + client * vy) / (m * v), (m * vx**2 + client * vy**2) / (m * v * v)


def test_each_robot_against_its_own_wall():
    """20 ms late, the pair keeps an eighth of its momentum (100 kg each); led it gains a third with
    a client of 1000 kg, and six times it with the robots of Fig. 6. IV-D keeps it."""
    done = run_plain(PLAIN)
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout)
    for kg in (100.0, 1000.0):
        for robots, delay, lead in (("20 ms late, led", 5, 5), ("20 ms late", 5, 0)):
            assert found[f"{robots}, {kg:g}"] == pytest.approx(impact(kg, delay, lead), rel=1e-9)
    assert found["20 ms late, 100"][0] == pytest.approx(0.127, abs=1e-3)
    assert found["20 ms late, led, 1000"][0] == pytest.approx(1.362, abs=1e-3)
    assert found["of Fig. 6 (jerk), 1000"][0] == pytest.approx(6.0, abs=0.3)
    assert found["of Fig. 6 (jerk), 100"][0] == pytest.approx(1.0, abs=1e-9)
    assert found["IV-D"][0] == pytest.approx(1.0, abs=1e-12)
