"""A set of tips: the chaser's side of a contact pair as up to 512 spheres.

A ring, an edge or a face is a set of spheres on its surface. The pair's law is that of the whole
set: a tip has the share of stiffness and damping that its area has of all areas, so that a face
answers the same however finely it is sampled (a Winkler foundation).

The set lies in memory once for all runs (compile/shared_numbers.py), as float64: `HEAD`; for every
`IN_CLUSTER` tips the centre and radius of a ball around them; and each tip's centre from the pair's
`tip_m` (chaser axes), radius and share. Only clusters that may touch are looked into.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from softdock.compile.generated import make_replacer
from softdock.compile.jit import compiled, noinline
from softdock.compile.shared_numbers import keep_block, read_double
from softdock.files.schema import OwnRows
from softdock.loop.contact.law import Law
from softdock.loop.contact.laws import is_graded
from softdock.loop.contact.models import touch_pair
from softdock.loop.contact.pair import Pair
from softdock.loop.contact.tip import tip_in_target
from softdock.loop.contact.touch import INSIDE, NO_TOUCH
from softdock.loop.spatial.vectors import add

if TYPE_CHECKING:
    from softdock.loop.spatial.motion import Motion

MOST_TIPS = 512
HEAD = 3  # floats: how many tips, how many clusters, the smallest radius
IN_CLUSTER = 8  # tips
CLUSTER, TIP = 4, 5  # floats of each
FAR = 1.25  # of a cluster's radius: how far off it is left out, a grid's distance being inexact


def _refused(row: Any) -> str:
    return "" if row[3] >= 0.0 and row[4] > 0.0 else "has a radius < 0 or an area that is not > 0"


TIP_ROWS = OwnRows(
    5, MOST_TIPS, f"at most {MOST_TIPS} rows of x, y, z, radius >= 0 and area > 0", _refused
)
_sets: dict[bytes, int] = {}
_with_tip = make_replacer(Pair, "tip", "tip_radius", "law", "tips")
_with_share = make_replacer(Law, "stiffness", "damping", "bristle", "patch")


def place_tips(rows: Sequence[Sequence[float]]) -> int:
    """The address of a set."""
    given = np.array(rows, float).reshape(-1, TIP)
    key = given.tobytes()
    if key not in _sets:
        _sets[key] = keep_block(_pack(given))
    return _sets[key]


def _pack(tips: np.ndarray) -> np.ndarray:
    order = _neighbours(tips[:, :3], np.arange(len(tips)))
    tips = tips[order]
    tips[:, 4] /= tips[:, 4].sum()
    balls = []
    for first in range(0, len(tips), IN_CLUSTER):
        some = tips[first : first + IN_CLUSTER]
        centre = 0.5 * (some[:, :3].min(axis=0) + some[:, :3].max(axis=0))
        reach = np.linalg.norm(some[:, :3] - centre, axis=1) + some[:, 3]
        balls.append([*centre, reach.max()])
    head = [len(tips), len(balls), tips[:, 3].min()]
    return np.concatenate([head, np.ravel(balls), tips.ravel()])


def _neighbours(places: np.ndarray, mine: np.ndarray) -> np.ndarray:
    """An order in which tips that follow each other are near: halves along the longest side."""
    if len(mine) <= IN_CLUSTER:
        return mine
    axis = int(np.argmax(np.ptp(places[mine], axis=0)))
    ranked = mine[np.argsort(places[mine, axis], kind="stable")]
    half = IN_CLUSTER * math.ceil(len(mine) / (2 * IN_CLUSTER))
    return np.concatenate([_neighbours(places, ranked[:half]), _neighbours(places, ranked[half:])])


@compiled
def tips_at(address):
    """How many tips there are; 1, where there is no set."""
    return 1 if address == 0 else int(read_double(address, 0))


@compiled
def count_tips(pair: Pair):
    return tips_at(pair.tips)


@compiled
def count_clusters(pair: Pair):
    return int(read_double(pair.tips, 1))


@compiled
def count_in_cluster(pair: Pair, cluster):
    return min(IN_CLUSTER, int(read_double(pair.tips, 0)) - cluster * IN_CLUSTER)


@compiled
def _centre(pair: Pair, at):
    return add(
        pair.tip,
        (
            read_double(pair.tips, at),
            read_double(pair.tips, at + 1),
            read_double(pair.tips, at + 2),
        ),
    )


@compiled
def _moved(pair: Pair, tip, radius, share):
    """The pair with one tip in place of its own, and that share of its law."""
    law, damping = pair.law, pair.law.damping
    if not is_graded(law.kind):  # of hunt_crossley a factor on the force
        damping = share * damping
    share_of = _with_share(
        law, share * law.stiffness, damping, share * law.bristle, math.sqrt(share) * law.patch
    )
    return _with_tip(pair, tip, radius, share_of, 0)


@compiled
def cluster_depth(pair: Pair, cluster, chaser: Motion, target: Motion):
    """Depth of the ball around a cluster [m]: of its deepest tip at most."""
    at = HEAD + CLUSTER * cluster
    radius = read_double(pair.tips, at + 3)
    ball = _moved(pair, _centre(pair, at), radius, 1.0)
    _, _, tip = tip_in_target(ball, chaser, target)
    touches = touch_pair(ball, INSIDE, False, tip)
    depth = max(touches.first.depth, touches.second.depth)
    return depth, depth < (1.0 - FAR) * radius


@compiled
def tip_of(pair: Pair, i):
    """The pair with tip i alone."""
    at = HEAD + CLUSTER * int(read_double(pair.tips, 1)) + TIP * i
    radius, share = read_double(pair.tips, at + 3), read_double(pair.tips, at + 4)
    return _moved(pair, _centre(pair, at), radius, share)


@compiled
def tip_number(pair: Pair, i):
    """The same; a pair of one tip as it is."""
    if pair.tips == 0:
        return pair
    return tip_of(pair, i)


@noinline
def _deepest(pair: Pair, chaser: Motion, target: Motion):
    depth, found = NO_TOUCH, 0
    for cluster in range(count_clusters(pair)):
        bound, _ = cluster_depth(pair, cluster, chaser, target)
        if bound < depth:
            continue
        for j in range(count_in_cluster(pair, cluster)):
            i = cluster * IN_CLUSTER + j
            one = tip_of(pair, i)
            _, _, tip = tip_in_target(one, chaser, target)
            touches = touch_pair(one, INSIDE, False, tip)
            here = max(touches.first.depth, touches.second.depth)
            if here > depth:
                depth, found = here, i
    return tip_of(pair, found)


@compiled
def deepest_tip(pair: Pair, chaser: Motion, target: Motion):
    """The pair with its deepest tip alone; a pair of one tip as it is."""
    if pair.tips == 0:
        return pair
    return _deepest(pair, chaser, target)
