"""Which of several causes has which share of a number: Shapley's value.

A cause adds something else when it comes alone than when it comes last. So an ideal rig is made
real one cause after the other, and the share of a cause is the mean of what it adds, over all
orders. With up to EXACT causes that change the number at all, every set of them is flown and the
mean is exact; with more it is that of some orders at random and their reverses.

A cause changes the number if it does so alone (all others off) or last (all others on), by more
than NOTHING of the largest value seen.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations

EXACT = 8
ORDERS = 24
NOTHING = 1e-3
Set = frozenset[int]
# (of the sets of causes that are on) -> the number of each
Values = Callable[[Iterable[Set]], dict[Set, float]]


def shares(count: int, values: Values) -> list[float]:
    """Of each cause, of all that adds; 0: it adds nothing, or takes away."""
    added = shapley(count, values)
    total = sum(max(x, 0.0) for x in added)
    return [max(x, 0.0) / total if total > 0.0 else 0.0 for x in added]


def shapley(count: int, values: Values) -> list[float]:
    """What each cause adds in the mean. NaN values (a set that cannot be flown) add nothing."""
    everyone = frozenset(range(count))
    ends = [frozenset(), everyone]
    ends += [frozenset({i}) for i in everyone] + [everyone - {i} for i in everyone]
    known = values(ends)
    largest = max((abs(v) for v in known.values() if math.isfinite(v)), default=0.0)
    players = [
        i
        for i in range(count)
        if max(
            _size(known[frozenset({i})] - known[frozenset()]),
            _size(known[everyone] - known[everyone - {i}]),
        )
        > NOTHING * largest
    ]
    others = everyone - set(players)
    known |= values(on | others for on in _needed(players))
    if len(players) <= EXACT:
        found = {i: _exact(i, players, others, known) for i in players}
    else:
        found = _sampled(players, others, known)
    return [found.get(i, 0.0) for i in range(count)]


def _needed(players: Sequence[int]) -> list[Set]:
    if len(players) <= EXACT:
        return [frozenset(on) for k in range(len(players) + 1) for on in combinations(players, k)]
    return [frozenset(order[:k]) for order in orders(players) for k in range(len(order) + 1)]


def _exact(i: int, players: Sequence[int], others: Set, known: dict[Set, float]) -> float:
    rest, n = [j for j in players if j != i], len(players)
    total = 0.0
    for k in range(n):
        weight = math.factorial(k) * math.factorial(n - k - 1) / math.factorial(n)
        for before in combinations(rest, k):
            on = others | set(before)
            total += weight * _or_0(known[on | {i}] - known[on])
    return total


def _sampled(players: Sequence[int], others: Set, known: dict[Set, float]) -> dict[int, float]:
    found = dict.fromkeys(players, 0.0)
    listed = orders(players)
    for order in listed:
        for k, i in enumerate(order):
            on = others | set(order[:k])
            found[i] += _or_0(known[on | {i}] - known[on]) / len(listed)
    return found


def orders(players: Sequence[int]) -> list[list[int]]:
    """Some orders at random, the same every time, each with its reverse."""
    chance, found = random.Random(len(players)), []
    for _ in range(ORDERS // 2):
        order = chance.sample(list(players), len(players))
        found += [order, order[::-1]]
    return found


def _size(x: float) -> float:
    """A set that cannot be flown may hide a cause: it is taken for one."""
    return abs(x) if math.isfinite(x) else math.inf


def _or_0(x: float) -> float:
    return x if math.isfinite(x) else 0.0
