"""The numbers of a campaign: whose they are, how they spread, and that any part of them can be made
by itself."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import qmc

from softdock.studies.campaign.draws import (
    BITS,
    MOST_SOBOL,
    SAMPLINGS,
    compute_sobol_words,
    draw_uniforms,
    inverse_normal,
    permute,
)
from softdock.studies.campaign.summary import compute_first_order, compute_saltelli_indices


def test_sobols_sequence_is_that_of_joe_and_kuo():
    """Against scipy's own, in every dimension that softdock offers."""
    theirs = qmc.Sobol(MOST_SOBOL, scramble=False, bits=BITS).random(1024)
    ours = np.stack(
        [compute_sobol_words(d, 0, 1024) * 2.0**-BITS for d in range(MOST_SOBOL)], axis=1
    )
    np.testing.assert_array_equal(ours, theirs)


def test_the_inverse_of_the_normal_distribution():
    """To rounding against scipy's, far into both tails."""
    p = np.concatenate([np.linspace(1e-6, 1.0 - 1e-6, 10_001), 10.0 ** -np.arange(1.0, 17.0)])
    np.testing.assert_allclose(inverse_normal(p), ndtri(p), rtol=0.0, atol=1e-14)


@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_any_part_of_a_design_is_the_same_by_itself(sampling):
    """Neither the size of a batch nor who makes it changes a bit; another seed changes all."""
    whole = draw_uniforms(sampling, 5, 3, 0, 1000, 1000)
    parts = [
        draw_uniforms(sampling, 5, 3, at, min(37, 1000 - at), 1000) for at in range(0, 1000, 37)
    ]
    np.testing.assert_array_equal(np.concatenate(parts), whole)
    assert not np.any(whole == draw_uniforms(sampling, 6, 3, 0, 1000, 1000))
    assert np.all((whole > 0.0) & (whole < 1.0))
    assert np.abs(whole.mean(axis=0) - 0.5).max() < 0.04


@pytest.mark.parametrize("size", [1, 2, 7, 100, 1000])
def test_a_latin_hypercube_uses_every_layer_once(size):
    """The definition of a Latin hypercube: in each dimension every layer holds exactly one draw."""
    layers = np.floor(draw_uniforms("latin_hypercube", 1, 3, 0, size, size) * size)
    np.testing.assert_array_equal(
        np.sort(layers, axis=0), np.tile(np.arange(size)[:, None], (1, 3))
    )


def test_the_layers_are_shuffled():
    """Dimensions are not tied to each other, nor layers to the order of the runs."""
    u = draw_uniforms("latin_hypercube", 1, 2, 0, 2000, 2000)
    assert abs(np.corrcoef(u.T)[0, 1]) < 0.08
    assert abs(np.corrcoef(u[:, 0], np.arange(2000))[0, 1]) < 0.08
    assert sorted(permute(3, 1, np.arange(513), 513).tolist()) == list(range(513))


def _ishigami(x):
    return np.sin(x[:, 0]) + 7.0 * np.sin(x[:, 1]) ** 2 + 0.1 * x[:, 2] ** 4 * np.sin(x[:, 0])


ISHIGAMI_FIRST, ISHIGAMI_TOTAL = (
    (0.3139, 0.4424, 0.0),
    (0.5576, 0.4424, 0.2437),
)  # closed form (Ishigami and Homma 1990)


def test_saltellis_design_gives_sobols_indices():
    """Ishigami's function, whose indices are known in closed form: first order and total."""
    u = draw_uniforms("saltelli", 1, 3, 0, 4096 * 5, 4096 * 5)
    first, total = compute_saltelli_indices(_ishigami(np.pi * (2.0 * u - 1.0)), 3)
    np.testing.assert_allclose(first, ISHIGAMI_FIRST, atol=0.02)
    np.testing.assert_allclose(total, ISHIGAMI_TOTAL, atol=0.02)


def test_any_design_gives_first_order_indices():
    """From plain random draws too; noise about zero for what does not matter alone."""
    x = np.pi * (2.0 * draw_uniforms("random", 1, 4, 0, 20_000, 20_000) - 1.0)
    y = _ishigami(x)
    np.testing.assert_allclose(
        [compute_first_order(x[:, i], y) for i in range(4)], [*ISHIGAMI_FIRST, 0.0], atol=0.02
    )
    assert np.isnan(compute_first_order(x[:, 0], np.ones(len(x))))
