"""Solver of the joint fit (joint.py): Cholesky factor of the normal equations, the step of
Levenberg and Marquardt, and variances of the unknowns.
"""

from __future__ import annotations

import math

from softdock.core.adaptation.faithful.joint_cells import JOINT, UNKNOWNS
from softdock.core.adaptation.faithful.models import is_explained
from softdock.core.machine.compiled import apart, compiled
from softdock.core.spatial.cholesky import solve_factored

RIDGE = 1e-13  # of an unknown's own weight


@apart
def keep_equations(mem, joint):
    """The equations are of the best unknowns so far: steps are taken from there."""
    for p in range(UNKNOWNS * UNKNOWNS):
        mem[joint + JOINT.kept_matrix + p] = mem[joint + JOINT.matrix + p]
    for p in range(UNKNOWNS):
        mem[joint + JOINT.kept_right + p] = mem[joint + JOINT.right + p]
        mem[joint + JOINT.before + p] = mem[joint + JOINT.now + p]


@apart
def solve_kept(mem, joint, brake):
    """The step from the best unknowns, `brake` of their own weights more on each, into the right
    side; how much chi^2 is to fall by it."""
    for p in range(UNKNOWNS * UNKNOWNS):
        mem[joint + JOINT.matrix + p] = mem[joint + JOINT.kept_matrix + p]
    for p in range(UNKNOWNS):
        mem[joint + JOINT.matrix + p * UNKNOWNS + p] *= 1.0 + brake
        mem[joint + JOINT.right + p] = mem[joint + JOINT.kept_right + p]
    solve_joint(mem, joint)
    gain = 0.0
    for p in range(UNKNOWNS):
        gain += mem[joint + JOINT.right + p] * mem[joint + JOINT.kept_right + p]
    return gain


@apart
def leave_out(mem, joint, p):
    """An unknown at the end of its range that would go beyond: it stays."""
    for q in range(UNKNOWNS):
        mem[joint + JOINT.matrix + max(p, q) * UNKNOWNS + min(p, q)] = 0.0
    mem[joint + JOINT.matrix + p * UNKNOWNS + p] = 1.0
    mem[joint + JOINT.right + p] = 0.0


@apart
def _note_coupled(mem, joint):
    """Which unknowns others are tied to: of four pairs with all numbers of their laws, few are."""
    a, coupled = joint + JOINT.matrix, joint + JOINT.coupled
    for p in range(UNKNOWNS):
        mem[coupled + p] = 0.0
        for q in range(p):
            if mem[a + p * UNKNOWNS + q] != 0.0:
                mem[coupled + p], mem[coupled + q] = 1.0, 1.0


@apart
def solve_joint(mem, joint):
    """Cholesky's triangle of the equations, and the step into their right side. An unknown that no
    other is tied to has a row of its own weight alone."""
    a, b, coupled = joint + JOINT.matrix, joint + JOINT.right, joint + JOINT.coupled
    _note_coupled(mem, joint)
    for p in range(UNKNOWNS):
        if mem[coupled + p] == 0.0:
            mem[a + p * UNKNOWNS + p] = math.sqrt(mem[a + p * UNKNOWNS + p])
            continue
        for q in range(p + 1):
            if mem[coupled + q] == 0.0:
                continue
            s = mem[a + p * UNKNOWNS + q]
            for r in range(q):
                s -= mem[a + p * UNKNOWNS + r] * mem[a + q * UNKNOWNS + r]
            if p == q:
                least = RIDGE * mem[a + p * UNKNOWNS + p]
                mem[a + p * UNKNOWNS + p] = math.sqrt(max(s, least))
            else:
                mem[a + p * UNKNOWNS + q] = s / mem[a + q * UNKNOWNS + q]
    solve_factored(mem, a, UNKNOWNS, mem, b)


@apart
def variance_of(mem, joint, unknown):
    """Variance of one unknown, from Cholesky's factor: |L^-1 e|^2."""
    a, b, total = joint + JOINT.matrix, joint + JOINT.right, 0.0
    for p in range(unknown, UNKNOWNS):
        s = 1.0 if p == unknown else 0.0
        for r in range(unknown, p):
            s -= mem[a + p * UNKNOWNS + r] * mem[b + r]
        mem[b + p] = s / mem[a + p * UNKNOWNS + p]
        total += mem[b + p] * mem[b + p]
    return total


@apart
def add_prior(mem, joint, p, spread):
    """Add the prior that an unknown is near where it started; returns its part of chi^2."""
    w, off = 1.0 / (spread * spread), mem[joint + JOINT.start + p] - mem[joint + JOINT.now + p]
    mem[joint + JOINT.matrix + p * UNKNOWNS + p] += w
    mem[joint + JOINT.right + p] += w * off
    return w * off * off


@compiled
def has_explained(mem, joint):
    """Whether a kind has explained the samples."""
    used = mem[joint + JOINT.used]
    explained = is_explained(mem[joint + JOINT.best_chi] * used, used)
    return mem[joint + JOINT.best_kind] != 0.0 and explained
