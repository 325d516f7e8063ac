"""Philox4x32-10 against the published vectors, and the Gaussian numbers made of it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from softdock.compile.jit import entry_point
from softdock.loop import chance as philox

philox_entry_point, uniform, gaussians = (
    entry_point(philox.philox),
    entry_point(philox.uniform),
    entry_point(philox.gaussians),
)

# Random123 1.14, tests/kat_vectors, philox4x32 10: counter, key, result
KNOWN = [
    (
        "00000000 00000000 00000000 00000000",
        "00000000 00000000",
        "6627e8d5 e169c58d bc57ac4c 9b00dbd8",
    ),
    (
        "ffffffff ffffffff ffffffff ffffffff",
        "ffffffff ffffffff",
        "408f276d 41c83b0e a20bc7c6 6d5451fd",
    ),
    (
        "243f6a88 85a308d3 13198a2e 03707344",
        "a4093822 299f31d0",
        "d16cfe09 94fdcceb 5001e420 24126ea1",
    ),
]


def words(text):
    return tuple(np.uint64(int(word, 16)) for word in text.split())


@pytest.mark.parametrize(("counter", "key", "result"), KNOWN)
def test_known_answers(counter, key, result):
    """The generator is Philox4x32-10 as published, so its quality is known and any other
    implementation gives the same noise."""
    assert tuple(int(w) for w in philox_entry_point(*words(key), *words(counter))) == tuple(
        int(w) for w in words(result)
    )


def draw(count):
    return np.array([gaussians(7, 1, k, 0, 0, 0) for k in range(count)])


def test_moments():
    """Mean, variance, skewness and kurtosis of 80 000 numbers, each within 5 standard errors; the
    four of a block are uncorrelated."""
    rows = draw(20_000)
    x = rows.ravel()
    n = len(x)
    assert abs(x.mean()) < 5 / math.sqrt(n)
    assert abs(x.var() - 1.0) < 5 * math.sqrt(2 / n)
    assert abs((x**3).mean()) < 5 * math.sqrt(15 / n)
    assert abs((x**4).mean() - 3.0) < 5 * math.sqrt(96 / n)
    correlation = np.corrcoef(rows.T) - np.eye(4)
    assert np.abs(correlation).max() < 5 / math.sqrt(len(rows))
    assert abs(np.corrcoef(rows[1:, 0], rows[:-1, 0])[0, 1]) < 5 / math.sqrt(
        len(rows)
    )  # from one cycle to the next


def test_tails():
    """Beyond 2 and 3 sigma lies what a normal distribution has there, within 5 standard errors;
    nothing beyond 6.7 sigma."""
    x = np.abs(draw(20_000).ravel())
    for sigma in (2.0, 3.0):
        p = math.erfc(sigma / math.sqrt(2))
        assert abs((x > sigma).mean() - p) < 5 * math.sqrt(p / len(x))
    assert x.max() < 6.7


def test_uniform_never_reaches_its_ends():
    """The logarithm of Box-Muller needs u > 0."""
    assert 0.0 < uniform(np.uint64(0)) < 1e-9
    assert 1.0 - 1e-9 < uniform(np.uint64(0xFFFFFFFF)) < 1.0


def test_numbers_do_not_depend_on_the_order_of_asking():
    """A number is a function of key and counter alone: any batch, order or number of workers gives
    the same."""
    keys = [
        (seed, run, cycle, sample)
        for seed in (0, 3)
        for run in (0, 2**32 - 1)
        for cycle in (-1, 0, 9)
        for sample in (0, 2)
    ]
    forwards = {key: gaussians(*key, 0, 0) for key in keys}
    backwards = {key: gaussians(*key, 0, 0) for key in reversed(keys)}
    assert forwards == backwards


def test_every_part_of_key_and_counter_matters():
    """Seed, run, cycle, sample, sensor and block each give other numbers: no two sensors or runs
    share their noise."""
    base = (1, 2, 3, 4, 5, 6)
    seen = {gaussians(*base)}
    for i in range(6):
        seen.add(gaussians(*(x + (j == i) for j, x in enumerate(base))))
    assert len(seen) == 7


def test_start_draws_differ_from_every_cycle():
    """The reading at t = 0 is drawn at cycle -1, which no later cycle repeats."""
    first = gaussians(0, 0, -1, 0, 0, 0)
    assert first not in {gaussians(0, 0, k, 0, 0, 0) for k in range(1000)}
