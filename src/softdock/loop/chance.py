"""Philox4x32-10 (Salmon et al. 2011): random numbers that are a function of a key and a counter,
and of nothing else.

Key = (seed, run index), counter = (cycle, sensor sample, sensor, block). The same numbers come out
on CPU and GPU, whatever the batch, the order or the number of workers.
"""

from __future__ import annotations

import math

import numpy as np

from softdock.compile.jit import compiled, noinline

MASK = np.uint64(0xFFFFFFFF)
LOW = 0xFFFFFFFF
SHIFT = np.uint64(32)
MULTIPLY_0, MULTIPLY_1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
WEYL_0, WEYL_1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
TO_UNIT = 2.0**-32
ROUNDS = 10
S1, S2, S3, S4, S5, S6, S7 = (1.0 / math.factorial(2 * n + 1) for n in range(1, 8))  # of sin(x)/x
C1, C2, C3, C4, C5, C6, C7, C8 = (1.0 / math.factorial(2 * n) for n in range(1, 9))  # of cos(x)


@compiled
def philox(key_0, key_1, c0, c1, c2, c3):
    """Four random 32-bit words (as uint64) from a key and a counter of 32-bit words (as uint64)."""
    for _ in range(ROUNDS):
        product_0 = MULTIPLY_0 * c0
        product_1 = MULTIPLY_1 * c2
        c0, c1, c2, c3 = (
            (product_1 >> SHIFT) ^ c1 ^ key_0,
            product_1 & MASK,
            (product_0 >> SHIFT) ^ c3 ^ key_1,
            product_0 & MASK,
        )
        key_0 = (key_0 + WEYL_0) & MASK
        key_1 = (key_1 + WEYL_1) & MASK
    return c0, c1, c2, c3


@compiled
def word(number):
    """The low 32 bits of a whole number."""
    return np.uint64(number & LOW)


@compiled
def uniform(bits):
    """Uniform in (0, 1), never 0 nor 1."""
    return (float(bits) + 0.5) * TO_UNIT


@compiled
def cosine_and_sine(turns):
    """Cosine and sine of an angle in turns, 0 to 1: to the nearest quarter, then series in the
    rest. No library function: every machine gives the same bits."""
    quarters = 4.0 * turns
    nearest = math.floor(quarters + 0.5)
    x = 0.5 * math.pi * (quarters - nearest)
    y = x * x
    s = x * (1.0 - y * (S1 - y * (S2 - y * (S3 - y * (S4 - y * (S5 - y * (S6 - y * S7)))))))
    c = 1.0 - y * (C1 - y * (C2 - y * (C3 - y * (C4 - y * (C5 - y * (C6 - y * (C7 - y * C8)))))))
    quadrant = int(nearest) & 3
    if quadrant & 1 == 1:
        c, s = -s, c
    return (-c, -s) if quadrant & 2 == 2 else (c, s)


@noinline
def gaussians(seed, run, cycle, sample, sensor, block):
    """Four independent standard normal numbers (Box-Muller; at most 6.7 sigma, from 32-bit
    uniforms)."""
    words = philox(word(seed), word(run), word(cycle), word(sample), word(sensor), word(block))
    r0 = math.sqrt(-2.0 * math.log(uniform(words[0])))
    r1 = math.sqrt(-2.0 * math.log(uniform(words[2])))
    c0, s0 = cosine_and_sine(uniform(words[1]))
    c1, s1 = cosine_and_sine(uniform(words[3]))
    return r0 * c0, r0 * s0, r1 * c1, r1 * s1


@compiled
def draw(seed, run, cycle, source):
    """One uniform number in (0, 1) for a cycle and a source of chance."""
    words = philox(word(seed), word(run), word(cycle), word(0), word(source), word(0))
    return uniform(words[0])
