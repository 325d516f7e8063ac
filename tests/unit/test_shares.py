"""Shapley's values against the definition: the mean over all orders."""

from itertools import permutations

import numpy as np
import pytest

from softdock.results import why as shares_of
from softdock.results.why import EXACT, compute_shapley_values, compute_shares


def game(count, seed):
    """A random number for each set of causes."""
    chance, known = np.random.default_rng(seed), {}

    def values(sets):
        for on in sets:
            known.setdefault(on, float(chance.normal()))
        return dict(known)

    return values


@pytest.mark.parametrize("count", [1, 2, 5])
def test_shares_are_means_over_all_orders(count):
    """Up to eight causes the value is exact."""
    values = game(count, seed=count)
    found = compute_shapley_values(count, values)
    for i in range(count):
        adds = []
        for order in permutations(range(count)):
            before = frozenset(order[: order.index(i)])
            known = values([before, before | {i}])
            adds.append(known[before | {i}] - known[before])
        assert found[i] == pytest.approx(np.mean(adds))


def test_what_changes_nothing_is_not_flown():
    """Of six causes two matter: sets of those two are flown, beside each alone and each without."""
    asked = set()

    def values(sets):
        asked.update(sets)
        return {on: 1.0 * (0 in on) + 0.5 * (3 in on) for on in asked}

    assert compute_shares(6, values) == pytest.approx([2 / 3, 0, 0, 1 / 3, 0, 0])
    assert len(asked) <= 2 + 2 * 6 + 2**2


def test_many_causes_are_sampled():
    """Beyond eight the mean is over some orders, which is exact where causes add up."""
    size = np.arange(1.0, EXACT + 3.0)

    def values(sets):
        return {on: float(sum(size[i] for i in on)) for on in sets}

    assert compute_shares(len(size), values) == pytest.approx(size / size.sum())
    listed = shares_of.draw_orders(range(12))
    assert all(order[::-1] in listed for order in listed)


def test_a_set_that_cannot_be_flown_adds_nothing():
    """NaN: the other orders decide."""

    def values(sets):
        return {on: float("nan") if on == {1} else float(len(on)) for on in sets}

    assert compute_shares(2, values) == pytest.approx([0.5, 0.5])
