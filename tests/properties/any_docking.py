"""Dockings that Hypothesis draws for the properties of the loop."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scenarios import cone_docking, sphere_on_sphere

from softdock import run_loop
from softdock.loop.satellites import INTEGRATORS

NAMES = tuple(i.name for i in INTEGRATORS)


def inertia_of(body):
    values = np.array(body["inertia_kg_m2"])
    return np.diag(values) if values.ndim == 1 else values


def number(low, high):
    """Evenly spread: Hypothesis's own floats dwell on 1e-300, which says nothing here."""
    return st.integers(0, 1000).map(lambda n: low + (high - low) * n / 1000)


def vector(size):
    return st.tuples(*[number(-size, size)] * 3).map(np.array)


ANY_DELAY, ANY_DAMPING = number(0.0, 24.0), number(0.0, 40.0)  # ms, Ns/m


@st.composite
def dockings(draw, integrators=NAMES, delays=ANY_DELAY, damping=ANY_DAMPING):
    """A sphere or a cone docking, displaced, turned and tumbling a little differently each time, so
    that it still touches."""
    build = draw(st.sampled_from((sphere_on_sphere, cone_docking)))
    tables = build(draw(st.sampled_from(integrators)), draw(delays), damping=draw(damping))
    tables["time"]["plant_steps"] = draw(st.integers(1, 4))
    wide = 0.02 if build is sphere_on_sphere else 0.004  # m
    chaser, target = tables["chaser"], tables["target"]
    chaser["position_m"] = (
        np.array(chaser["position_m"]) + draw(vector(wide)) * [0.2, 1.0, 1.0]
    ).tolist()
    chaser["velocity_m_per_s"] = (
        np.array(chaser["velocity_m_per_s"]) * draw(number(0.7, 1.3))
    ).tolist()
    for body in (chaser, target):
        body["rate_rad_per_s"] = (np.array(body["rate_rad_per_s"]) + draw(vector(0.01))).tolist()
        body["mass_kg"] *= draw(number(0.5, 2.0))
    return tables


def run_docking(tables):
    run = run_loop(tables)
    assert run.status == "completed"
    assert run.contact_count >= 1, "the scenario must touch, or the test says nothing"
    return run
