"""Numbers in datagrams: decimals as XML carries them, and big-endian words.

In: `data` (uint8) and the range `at` .. `end` that may be read. Out: the number, where the scan
stopped, and whether there was a number; nothing is read at or behind `end`. Writers return where
they stopped, or `NO_ROOM`; nothing is written at or behind the array's end.

Decimals of at most 15 digits are read to the nearest float64 (a whole mantissa below 2^53 times
or over a power of ten up to 10^22: one rounding); longer ones to within a few units in the last
place. Neither infinity nor NaN is a number here.
"""

from __future__ import annotations

import math

from softdock.compile.jit import compiled

NO_ROOM = -1  # the array ends, or the value cannot be written in this form
MOST_DIGITS = 18  # of an int64 that cannot overflow
POWERS = tuple(10.0**n for n in range(23))  # exact in float64
LONGEST_EXPONENT = 400  # beyond, every decimal is zero or no number
LARGEST_WRITTEN = 9.0e15  # of a scaled decimal: whole numbers are exact in float64 up to here
MOST_DECIMALS = 9
BLANKS = (32, 9, 10, 13)  # blank, tab, line feed, return
MINUS, PLUS, POINT, ZERO, NINE = 45, 43, 46, 48, 57
UPPER_E, LOWER_E = 69, 101


@compiled
def is_blank(c):
    return c in BLANKS


@compiled
def skip_blanks(data, at, end):
    while at < end and is_blank(data[at]):
        at += 1
    return at


@compiled
def is_digit(c):
    return ZERO <= c <= NINE


@compiled
def _read_sign(data, at, end):
    """-1 or +1, and where the digits begin."""
    if at < end and data[at] == MINUS:
        return -1, at + 1
    if at < end and data[at] == PLUS:
        return 1, at + 1
    return 1, at


@compiled
def scan_integer(data, at, end):
    """A whole number with at most 18 digits (leading zeros do not count)."""
    sign, at = _read_sign(data, at, end)
    value, digits, kept = 0, 0, 0
    while at < end and is_digit(data[at]):
        if kept == MOST_DIGITS:
            return 0, at, False
        value = 10 * value + int(data[at]) - ZERO
        kept = kept + 1 if value > 0 else 0
        digits += 1
        at += 1
    return sign * value, at, digits > 0


@compiled
def _read_exponent(data, at, end):
    """The power of ten behind an `e`, 0 without one; and whether it is well formed."""
    if at >= end or (data[at] != UPPER_E and data[at] != LOWER_E):
        return 0, at, True
    value, after, found = scan_integer(data, at + 1, end)
    return min(max(value, -LONGEST_EXPONENT), LONGEST_EXPONENT), after, found


@compiled
def _scale_by_power(mantissa, power):
    """A whole mantissa times 10^power: one rounding for |power| <= 22 and mantissa below 2^53."""
    value = float(mantissa)
    while power > 22:
        value *= POWERS[22]
        power -= 22
    while power < -22:
        value /= POWERS[22]
        power += 22
    return value * POWERS[power] if power >= 0 else value / POWERS[-power]


@compiled
def scan_decimal(data, at, end):
    """A decimal number: sign, digits, a point with digits, an exponent."""
    sign, at = _read_sign(data, at, end)
    mantissa, kept, digits, power, behind = 0, 0, 0, 0, False
    while at < end and (is_digit(data[at]) or (data[at] == POINT and not behind)):
        c = int(data[at])
        at += 1
        if c == POINT:
            behind = True
            continue
        digits += 1
        if kept < MOST_DIGITS:
            mantissa = 10 * mantissa + c - ZERO
            kept = kept + 1 if mantissa > 0 else 0
            power -= 1 if behind else 0
        else:
            power += 0 if behind else 1
    if digits == 0:
        return 0.0, at, False
    exponent, at, found = _read_exponent(data, at, end)
    value = sign * _scale_by_power(mantissa, power + exponent) if mantissa > 0 else sign * 0.0
    return value, at, found and math.isfinite(value)


@compiled
def _count_digits(value):
    number = 1
    while value >= 10:
        value //= 10
        number += 1
    return number


@compiled
def _write_digits(data, at, value, digits):
    """`digits` digits of a whole number, with zeros in front."""
    for i in range(digits):
        data[at + digits - 1 - i] = ZERO + value % 10
        value //= 10
    return at + digits


@compiled
def write_integer(data, at, value):
    size = _count_digits(abs(value)) + (1 if value < 0 else 0)
    if at < 0 or at + size > data.shape[0]:
        return NO_ROOM
    if value < 0:
        data[at] = MINUS
        at += 1
    return _write_digits(data, at, abs(value), _count_digits(abs(value)))


@compiled
def write_decimal(data, at, value, decimals):
    """A number with a fixed number of decimals (0 to 9), half a unit rounded away from zero."""
    if not math.isfinite(value) or decimals < 0 or decimals > MOST_DECIMALS:
        return NO_ROOM
    scaled = math.floor(abs(value) * POWERS[decimals] + 0.5)
    if scaled > LARGEST_WRITTEN:
        return NO_ROOM
    units, unit = int(scaled), int(POWERS[decimals])
    whole, rest = units // unit, units % unit
    negative = value < 0.0 and units > 0
    size = _count_digits(whole) + (1 if negative else 0) + (decimals + 1 if decimals > 0 else 0)
    if at < 0 or at + size > data.shape[0]:
        return NO_ROOM
    if negative:
        data[at] = MINUS
        at += 1
    at = _write_digits(data, at, whole, _count_digits(whole))
    if decimals > 0:
        data[at] = POINT
        at = _write_digits(data, at + 1, rest, decimals)
    return at


@compiled
def read_word(data, at, size):
    """An unsigned big-endian word of `size` bytes; the caller has checked the bounds."""
    value = 0
    for i in range(size):
        value = (value << 8) | int(data[at + i])
    return value


@compiled
def read_signed(data, at):
    """A signed 32-bit big-endian word."""
    value = read_word(data, at, 4)
    return value - (1 << 32) if value >= 1 << 31 else value


@compiled
def write_word(data, at, size, value):
    """The low `size` bytes of a whole number, big-endian; the caller has checked the bounds."""
    for i in range(size):
        data[at + size - 1 - i] = (value >> (8 * i)) & 0xFF
