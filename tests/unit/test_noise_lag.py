"""The lag of a force sensor's low-pass from its noise in free flight, which a filter of this test
has passed; noise that is white, or no noise of a low-pass, shows none."""

import math

import numpy as np
import pytest

from softdock.compile.jit import entry_point
from softdock.methods.model_mediated.free_flight import FLIGHT, estimate_lag, note_correlation

T, READINGS = 0.004, 800


@entry_point
def note_all(mem, forces, skip):
    """Every reading but each `skip`-th; the lag, and by how much noise is larger before it."""
    flight = FLIGHT(mem, 0)
    for k in range(len(forces)):
        if skip == 0 or k % skip != 0:
            note_correlation(flight, k * T, T, (forces[k, 0], forces[k, 1], forces[k, 2]))
    return estimate_lag(flight, T)


def follow(keep, drift=0.0, seed=3, skip=0):
    """Noise of 1 N behind a filter that keeps a share of what it was, and what is found of it."""
    random, now, forces = np.random.default_rng(seed), np.zeros(3), []
    for k in range(READINGS):
        now = keep * now + (1.0 - keep) * random.normal(size=3)
        forces.append(now + drift * math.sin(0.01 * k))
    mem = np.zeros(FLIGHT.size)
    found = note_all(mem, np.array(forces), skip)
    return FLIGHT(mem, 0), found


@pytest.mark.parametrize("keep", [0.3, 0.6, 0.85])
@pytest.mark.parametrize("skip", [0, 7])
def test_a_low_pass_shows_in_its_noise(keep, skip):
    """The lag by which a reading's slope gives back what went in, within three of the standard
    deviations that it says, of readings with and without gaps."""
    flight, (lag, more) = follow(keep, skip=skip)
    assert lag == pytest.approx(T * keep / (1.0 - keep), abs=3.0 * flight.lag_spread)
    assert flight.lag_spread < 0.15 * lag
    assert more == pytest.approx(math.sqrt((1.0 + keep) / (1.0 - keep)), rel=0.1)


@pytest.mark.parametrize(("keep", "drift"), [(0.0, 0.0), (0.3, 1.0), (0.0, 30.0)])
def test_white_noise_and_drifts_show_none(keep, drift):
    """No correlation; one that is not that of a low-pass; a drift alone."""
    _, (lag, more) = follow(keep, drift)
    assert (lag, more) == (0.0, 1.0)
