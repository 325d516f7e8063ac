"""Checks of the public functions' arguments: what is wrong is refused by its name, before anything
is done with it.

    @check_arguments(scenario=SCENARIO, count=whole_number(1, 10_000))
    def simulate_phases(scenario, count): ...

A rule takes a value and returns what is allowed instead; empty text if the value is allowed.
"""

from __future__ import annotations

import functools
import inspect
import math
import numbers
import os
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any, TypeVar

import numpy as np

from softdock.errors import BadInput, Problem

Rule = Callable[[Any], str]
F = TypeVar("F", bound=Callable[..., Any])
MOST_CYCLES = 10**9  # in one call: 5 minutes of the fastest loop
LONGEST_PATH, LONGEST_NAME = 4095, 255  # bytes, of a path and of a name in it


def check_arguments(**rules: Rule) -> Callable[[F], F]:
    """Decorator: check the named arguments of every call."""

    def decorate(function: F) -> F:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            refuse_wrong(rules, signature.bind(*args, **kwargs).arguments)
            return function(*args, **kwargs)

        return call  # type: ignore[return-value]

    return decorate


def refuse_wrong(rules: Mapping[str, Rule], given: Mapping[str, Any]) -> None:
    """Raise `BadInput` with every argument that breaks its rule."""
    found = [(name, rule(given[name])) for name, rule in rules.items() if name in given]
    wrong = [Problem(name, given[name], allowed) for name, allowed in found if allowed]
    if wrong:
        raise BadInput(wrong)


def instance_of(words: str, *classes: type) -> Rule:
    """Rule: an instance of one of the classes; `words` names them."""
    return lambda value: "" if isinstance(value, classes) else words


def optional(rule: Rule) -> Rule:
    """Rule: None, or what `rule` allows."""
    return lambda value: "" if value is None or not rule(value) else f"{rule(value)}, or None"


def is_whole_number(value: Any, low: int, high: float) -> bool:
    known = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return known and bool(low <= value <= high)


def whole_number(low: int, high: float = math.inf) -> Rule:
    """Rule: a whole number within bounds."""
    words = f"a whole number >= {low}" + ("" if high == math.inf else f" and <= {high:.0f}")
    return lambda value: "" if is_whole_number(value, low, high) else words


def finite_number(low: float = -math.inf, above: bool = False) -> Rule:
    """Rule: a finite number of at least `low`, or above it."""
    words = "a finite number"
    if low > -math.inf:
        words += f" {'>' if above else '>='} {low:g}"

    def rule(value: Any) -> str:
        real = isinstance(value, numbers.Real) and not isinstance(value, bool)
        try:
            here = float(value) if real else math.nan
        except OverflowError:
            here = math.nan
        return "" if math.isfinite(here) and (here > low or (here == low and not above)) else words

    return rule


def one_of(*known: str) -> Rule:
    words = "one of " + ", ".join(known)
    return lambda value: "" if isinstance(value, str) and value in known else words


def finite_array(*shape: int | None) -> Rule:
    """Rule: finite numbers as an array of this shape; None: any length."""
    size = " x ".join("n" if n is None else str(n) for n in shape)
    words = f"finite numbers, {size}"

    def rule(value: Any) -> str:
        try:
            array = np.asarray(value)
            fits = array.dtype.kind in "iuf" and array.ndim == len(shape)
        except (OverflowError, TypeError, ValueError):
            return words
        fits = fits and all(n is None or n == m for n, m in zip(shape, array.shape, strict=True))
        return "" if fits and bool(np.isfinite(array).all()) else words

    return rule


def _path(value: Any) -> str:
    words = "a path of at most 4095 bytes, no name in it longer than 255, without a zero byte"
    if not isinstance(value, str | os.PathLike):
        return words
    try:
        name = os.fsencode(value)
    except (TypeError, UnicodeError):
        return words
    long = len(name) > LONGEST_PATH or any(len(one) > LONGEST_NAME for one in name.split(b"/"))
    return words if not name or long or b"\0" in name else ""


def _text(value: Any) -> str:
    if not isinstance(value, str):
        return "a text"
    try:
        value.encode()
    except UnicodeError:
        return "a text without half characters"
    return ""


def _texts(value: Any) -> str:
    several = isinstance(value, Sequence) and all(isinstance(one, str) for one in value)
    return "" if several else "a text, or several"


def _changes(value: Any) -> str:
    words = "texts key=value, or a mapping from key to value"
    if isinstance(value, Mapping):
        return "" if all(isinstance(key, str) for key in value) else words
    several = isinstance(value, Sequence | Set) and not isinstance(value, str)
    return "" if several and all(isinstance(one, str) for one in value) else words


def is_float_row(array: Any, size: int) -> bool:
    """Whether an array can be passed to compiled code as a row of so many numbers, which checks
    nothing."""
    return (
        type(array) is np.ndarray
        and array.shape == (size,)
        and array.dtype == np.float64
        and array.flags.c_contiguous
    )


PATH: Rule = _path
TEXTS: Rule = _texts
CHANGES: Rule = _changes
TEXT: Rule = _text
FLAG = instance_of("True or False", bool, np.bool_)
PROGRESS = optional(lambda value: "" if callable(value) else "a function")
