"""Numbers between 0 and 1 that depend on the seed, the dimension and the index of the run alone:
any part of a design can be made by itself, in any order, by any worker, to the same bits.

    random            Philox, one stream per dimension
    latin_hypercube   every dimension cut into as many layers as there are runs, each used once:
                      layers shuffled by a keyed permutation
    sobol             Sobol's sequence with the direction numbers of Joe and Kuo, shifted by seed
    saltelli          two Sobol points A and B and, for each dimension, A with that one coordinate
                      of B: for Sobol's indices (sensitivity.py)
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np

# The normal distribution's inverse, vectorised: Wichura's algorithm AS 241 (PPND16), to 1e-16, as
# in Python's own `statistics`.

_CENTRE = (
    2509.0809287301226727,
    33430.575583588128105,
    67265.770927008700853,
    45921.953931549871457,
    13731.693765509461125,
    1971.5909503065514427,
    133.14166789178437745,
    3.387132872796366608,
)
_CENTRE_BELOW = (
    5226.495278852854561,
    28729.085735721942674,
    39307.89580009271061,
    21213.794301586595867,
    5394.1960214247511077,
    687.1870074920579083,
    42.313330701600911252,
    1.0,
)
_NEAR = (
    7.7454501427834140764e-4,
    0.0227238449892691845833,
    0.24178072517745061177,
    1.27045825245236838258,
    3.64784832476320460504,
    5.7694972214606914055,
    4.6303378461565452959,
    1.42343711074968357734,
)
_NEAR_BELOW = (
    1.05075007164441684324e-9,
    5.475938084995344946e-4,
    0.0151986665636164571966,
    0.14810397642748007459,
    0.68976733498510000455,
    1.6763848301838038494,
    2.05319162663775882187,
    1.0,
)
_FAR = (
    2.01033439929228813265e-7,
    2.71155556874348757815e-5,
    0.0012426609473880784386,
    0.026532189526576123093,
    0.29656057182850489123,
    1.7848265399172913358,
    5.4637849111641143699,
    6.6579046435011037772,
)
_FAR_BELOW = (
    2.04426310338993978564e-15,
    1.4215117583164458887e-7,
    1.8463183175100546818e-5,
    7.868691311456132591e-4,
    0.0148753612908506148525,
    0.13692988092273580531,
    0.59983220655588793769,
    1.0,
)


def _ratio(x: np.ndarray, above: tuple[float, ...], below: tuple[float, ...]) -> np.ndarray:
    return np.asarray(np.polyval(above, x) / np.polyval(below, x))


def inverse_normal(p: np.ndarray) -> np.ndarray:
    """Standard normal deviates of probabilities between 0 and 1, neither included."""
    q = p - 0.5
    central = np.abs(q) <= 0.425
    with np.errstate(divide="ignore", invalid="ignore"):
        r = np.sqrt(-np.log(np.minimum(p, 1.0 - p)))
    tail = np.where(
        r <= 5.0, _ratio(r - 1.6, _NEAR, _NEAR_BELOW), _ratio(r - 5.0, _FAR, _FAR_BELOW)
    )
    middle = q * _ratio(0.180625 - q * q, _CENTRE, _CENTRE_BELOW)
    return np.where(central, middle, np.copysign(tail, q))


def normal_probability(x: float) -> float:
    """Of a standard normal deviate below x."""
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


SAMPLINGS = ("random", "latin_hypercube", "sobol", "saltelli")
MOST_SOBOL = 21  # dimensions; the table below
BITS = 32
TO_UNIT = 2.0**-53
ROUNDS = 6  # of the keyed permutation
# Joe and Kuo (2008), new-joe-kuo-6: degree, coefficients of the polynomial, first direction
# numbers; dimension 2 onwards
JOE_KUO = (
    (1, 0, (1,)),
    (2, 1, (1, 3)),
    (3, 1, (1, 3, 1)),
    (3, 2, (1, 1, 1)),
    (4, 1, (1, 1, 3, 3)),
    (4, 4, (1, 3, 5, 13)),
    (5, 2, (1, 1, 5, 5, 17)),
    (5, 4, (1, 1, 5, 5, 5)),
    (5, 7, (1, 1, 7, 11, 19)),
    (5, 11, (1, 1, 5, 1, 1)),
    (5, 13, (1, 1, 1, 3, 11)),
    (5, 14, (1, 3, 5, 5, 31)),
    (6, 1, (1, 3, 3, 9, 7, 49)),
    (6, 13, (1, 1, 1, 15, 21, 21)),
    (6, 16, (1, 3, 1, 13, 27, 49)),
    (6, 19, (1, 1, 1, 15, 7, 5)),
    (6, 22, (1, 3, 1, 15, 13, 25)),
    (6, 25, (1, 1, 5, 5, 19, 61)),
    (7, 1, (1, 3, 7, 11, 23, 15, 103)),
    (7, 4, (1, 3, 7, 13, 13, 15, 69)),
)


def draw_words(seed: int, stream: int, first: int, count: int) -> np.ndarray:
    """Random 64-bit words number first .. first + count - 1 of a stream."""
    block = first // 4  # Philox gives four words a counter
    generator = np.random.Philox(counter=[block, 0, stream, 0], key=[seed, 0])
    words = generator.random_raw(4 * (-(-(first + count) // 4) - block))
    return np.asarray(words[first - 4 * block :][:count])


def draw_uniform(seed: int, dimension: int, first: int, count: int) -> np.ndarray:
    """In the open interval: a normal deviate of it is finite."""
    return (
        (draw_words(seed, dimension, first, count) >> np.uint64(11)).astype(float) + 0.5
    ) * TO_UNIT


def permute(seed: int, dimension: int, index: np.ndarray, size: int) -> np.ndarray:
    """A keyed permutation of 0 .. size - 1, one index at a time: a Feistel network on the next
    power of four, walked until it is inside."""
    half = max(1, (int(size - 1).bit_length() + 1) // 2)
    tables = _make_round_tables(seed, dimension, half)
    result = index.astype(np.int64)
    outside = np.arange(len(result))
    while len(outside):
        here = result[outside]
        left, right = here >> half, here & ((1 << half) - 1)
        for table in tables:
            left, right = right, left ^ table[right]
        here = (left << half) | right
        result[outside] = here
        outside = outside[here >= size]
    return result


@functools.lru_cache(64)
def _make_round_tables(seed: int, dimension: int, half: int) -> np.ndarray:
    """Each round's function of its half of the index."""
    right, keys = (
        np.arange(1 << half, dtype=np.uint64),
        draw_words(seed, 1_000_000 + dimension, 0, ROUNDS),
    )
    return np.stack([_mix_bits(right + key) & np.uint64((1 << half) - 1) for key in keys]).astype(
        np.int64
    )


def _mix_bits(x: np.ndarray) -> np.ndarray:
    """Splitmix64's finaliser."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def draw_latin_hypercube(
    seed: int, dimension: int, first: int, count: int, size: int
) -> np.ndarray:
    layers = permute(seed, dimension, np.arange(first, first + count), size).astype(float)
    return np.minimum((layers + draw_uniform(seed, dimension, first, count)) / size, 1.0 - TO_UNIT)


def compute_directions(dimension: int) -> np.ndarray:
    """Direction numbers of one dimension (0 is the first), as whole numbers of BITS bits."""
    if dimension == 0:
        return np.array([1 << (BITS - 1 - i) for i in range(BITS)], dtype=np.uint64)
    degree, coefficients, start = JOE_KUO[dimension - 1]
    m = list(start)
    for i in range(degree, BITS):
        new = m[i - degree] ^ (m[i - degree] << degree)
        for j in range(1, degree):
            if (coefficients >> (degree - 1 - j)) & 1:
                new ^= m[i - j] << j
        m.append(new)
    return np.array([m[i] << (BITS - 1 - i) for i in range(BITS)], dtype=np.uint64)


def compute_sobol_words(dimension: int, first: int, count: int) -> np.ndarray:
    """Sobol's sequence as whole numbers of BITS bits, in Gray-code order."""
    index = np.arange(first, first + count, dtype=np.uint64)
    gray = index ^ (index >> np.uint64(1))
    words = np.zeros(count, dtype=np.uint64)
    for i, table in enumerate(
        _make_byte_tables(dimension)[: max(1, -(-int(first + count).bit_length() // 8))]
    ):
        words ^= table[(gray >> np.uint64(8 * i)) & np.uint64(255)]
    return words


@functools.cache
def _make_byte_tables(dimension: int) -> np.ndarray:
    """For each byte of the index, the direction numbers of its bits added up."""
    tables = np.zeros((BITS // 8, 256), dtype=np.uint64)
    for bit, direction in enumerate(compute_directions(dimension)):
        tables[bit // 8] ^= np.where((np.arange(256) >> (bit % 8)) & 1, direction, np.uint64(0))
    return tables


def draw_sobol(seed: int, dimension: int, first: int, count: int) -> np.ndarray:
    """With a digital shift by seed, and the rest of the digits after the 32nd in the middle: never
    0 or 1."""
    shift = draw_words(seed, 2_000_000 + dimension, 0, 1)[0] >> np.uint64(64 - BITS)
    return ((compute_sobol_words(dimension, first, count) ^ shift).astype(float) + 0.5) * 2.0**-BITS


def draw_saltelli(seed: int, dimension: int, first: int, count: int, dimensions: int) -> np.ndarray:
    """Run s = n (d + 2) + j: A for j = 0, B for j = d + 1, else A with coordinate j - 1 of B."""
    index = np.arange(first, first + count)
    n, j = index // (dimensions + 2), index % (dimensions + 2)
    low, points = int(n[0]), int(n[-1] - n[0]) + 1
    draw: Callable[..., np.ndarray] = draw_sobol if 2 * dimensions <= MOST_SOBOL else draw_uniform
    a, b = draw(seed, dimension, low, points), draw(seed, dimension + dimensions, low, points)
    from_b = (j == dimensions + 1) | (j == dimension + 1)
    return np.where(from_b, b[n - low], a[n - low])


def draw_uniforms(
    sampling: str, seed: int, dimensions: int, first: int, count: int, size: int
) -> np.ndarray:
    """Points first .. first + count - 1 of a design of `size` points: (count, dimensions)."""
    columns = []
    for d in range(dimensions):
        if sampling == "latin_hypercube":
            columns.append(draw_latin_hypercube(seed, d, first, count, size))
        elif sampling == "sobol":
            columns.append(draw_sobol(seed, d, first, count))
        elif sampling == "saltelli":
            columns.append(draw_saltelli(seed, d, first, count, dimensions))
        else:
            columns.append(draw_uniform(seed, d, first, count))
    return np.stack(columns, axis=1) if columns else np.zeros((count, 0))
