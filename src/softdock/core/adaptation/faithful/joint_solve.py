"""Normal equations of the joint fit (joint.py) solved: Cholesky's triangle, the step, variances."""

from __future__ import annotations

import math

from softdock.core.adaptation.faithful.joint_cells import JOINT, UNKNOWNS
from softdock.core.machine.compiled import apart

RIDGE = 1e-13  # of an unknown's own weight


@apart
def solve_joint(mem, joint):
    """Cholesky's triangle of the equations, and the step into their right side. Rows of what is
    not sought are the unit matrix's."""
    a, b, sought = joint + JOINT.matrix, joint + JOINT.right, joint + JOINT.sought
    for p in range(UNKNOWNS):
        if mem[sought + p] == 0.0:
            continue
        for q in range(p + 1):
            if mem[sought + q] == 0.0:
                continue
            s = mem[a + p * UNKNOWNS + q]
            for r in range(q):
                s -= mem[a + p * UNKNOWNS + r] * mem[a + q * UNKNOWNS + r]
            if p == q:
                least = RIDGE * mem[a + p * UNKNOWNS + p]
                mem[a + p * UNKNOWNS + p] = math.sqrt(max(s, least))
            else:
                mem[a + p * UNKNOWNS + q] = s / mem[a + q * UNKNOWNS + q]
    for p in range(UNKNOWNS):
        s = mem[b + p]
        for r in range(p):
            s -= mem[a + p * UNKNOWNS + r] * mem[b + r]
        mem[b + p] = s / mem[a + p * UNKNOWNS + p]
    for back in range(UNKNOWNS):
        p = UNKNOWNS - 1 - back
        s = mem[b + p]
        for r in range(p + 1, UNKNOWNS):
            s -= mem[a + r * UNKNOWNS + p] * mem[b + r]
        mem[b + p] = s / mem[a + p * UNKNOWNS + p]


@apart
def variance_of(mem, joint, unknown):
    """Of one unknown, from the triangle: |L^-1 e|^2."""
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
    """That an unknown is near where it started."""
    w = 1.0 / (spread * spread)
    mem[joint + JOINT.matrix + p * UNKNOWNS + p] += w
    mem[joint + JOINT.right + p] += w * (mem[joint + JOINT.start + p] - mem[joint + JOINT.now + p])
