"""One value of a file: checked against its definition (schema.py), converted to SI, or refused with
what is allowed. What several files have, as an inertia or a direction, is checked here once."""

from __future__ import annotations

import ipaddress
import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from softdock.errors import Problem, closest
from softdock.files.schema import OwnRows, Parameter

SYMMETRIC_TO = 1e-9  # relative; an inertia matrix less symmetric than this is refused
TRIANGLE_SLACK = 1e-9  # relative; thin plates lie on the bound
MOST_ROWS = 100_000  # of a table or schedule


class Refused(Exception):
    """The value is not allowed; the message says why, beyond the definition's own range."""


def find_problems(parameter: Parameter, value: Any, path: str) -> list[Problem]:
    """What is wrong with one value, for what is built in Python instead of read from a file."""
    try:
        to_value(parameter, value)
        return []
    except Refused as why:
        near = closest(value, parameter.choices) if isinstance(value, str) else ""
        return [Problem(path, value, str(why), suggestion=near)]


def to_value(parameter: Parameter, value: Any) -> Any:
    """The value as a program uses it: SI; several numbers as a tuple; directions and attitudes as
    unit vectors. Raises `Refused`."""
    if parameter.own is not None:
        if not parameter.own.fits(value):
            raise Refused(parameter.allowed)
        return value
    if parameter.choices or parameter.kind in ("flag", "integer"):
        found = to_vector(parameter, value)[0]
        return value if parameter.kind != "integer" or isinstance(value, int) else int(found)
    if parameter.kind == "text":
        if not isinstance(value, str) or len(value) > parameter.high:
            raise Refused(parameter.allowed)
        return value
    if parameter.kind == "address":
        return address(parameter, value)
    numbers = to_vector(parameter, value)
    if parameter.kind in ("quaternion", "direction"):
        length = math.sqrt(sum(x * x for x in numbers))
        return tuple(x / length for x in numbers)
    return numbers[0] if parameter.size == 1 else tuple(numbers)


def to_vector(parameter: Parameter, value: Any) -> list[float]:
    """The value in SI, as the numbers that stand in the parameter vector. Raises `Refused`."""
    if parameter.choices:
        if not isinstance(value, str) or value not in parameter.choices:
            raise Refused(parameter.allowed)
        return [float(parameter.choices.index(value))]
    if parameter.kind == "flag":
        if not isinstance(value, bool):
            raise Refused(parameter.allowed)
        return [float(value)]
    if parameter.kind == "text":  # no number: what is made of it is written there
        to_value(parameter, value)
        return [0.0]
    if parameter.kind == "integer":
        number = _numbers(parameter, value, 1)[0]
        if number != int(number):
            raise Refused(parameter.allowed)
        return _in_range(parameter, [number])
    if parameter.kind == "inertia":
        return inertia(parameter, value)
    if parameter.kind == "tool_inertia":
        return (
            [0.0] * 6
            if not any(_numbers(parameter, _flatten(value), None))
            else inertia(parameter, value)
        )
    if parameter.kind == "moments":
        return six_moments(parameter, value)
    if parameter.kind == "stiffness":
        return stiffness(parameter, value)
    if parameter.kind == "mass":
        wide = value if _is_list(value) else [value] * 3
        return _in_range(parameter, _numbers(parameter, wide, 3))
    if parameter.kind == "six" and not _is_list(value):
        value = [value] * 6
    numbers = _numbers(parameter, value, parameter.size)
    if parameter.kind in ("quaternion", "direction") and not math.hypot(*numbers) > 1e-9:
        raise Refused(parameter.allowed)
    return [parameter.scale * x for x in _in_range(parameter, numbers)]


def inertia(parameter: Parameter, value: Any) -> list[float]:
    """Diagonal or full inertia to (xx, yy, zz, xy, xz, yz): symmetric, positive, obeying the
    triangle inequality."""
    array = np.asarray(_numbers(parameter, _flatten(value), None), dtype=float)
    if array.size == 3:
        matrix = np.diag(array)
    elif array.size == 9:
        matrix = array.reshape(3, 3)
    else:
        raise Refused(parameter.allowed)
    size = np.abs(matrix).max()
    if np.abs(matrix - matrix.T).max() > SYMMETRIC_TO * size:
        raise Refused(f"{parameter.allowed}; this matrix is not symmetric")
    _check_body(parameter, matrix)
    m = matrix
    return [m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2]]


def six_moments(parameter: Parameter, value: Any) -> list[float]:
    """Three or six moments (xx, yy, zz, xy, xz, yz) of a body, which may be a point or a rod."""
    numbers = _numbers(parameter, value, None)
    if len(numbers) not in (3, 6):
        raise Refused(parameter.allowed)
    xx, yy, zz, xy, xz, yz = (*numbers, 0.0, 0.0, 0.0)[:6]
    matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    _check_body(parameter, matrix, thin=True)
    return [xx, yy, zz, xy, xz, yz]


def _check_body(parameter: Parameter, matrix: np.ndarray, thin: bool = False) -> None:
    """Refuse what is no body's inertia. `thin`: moments may be zero, as of a point or a rod."""
    moments = np.linalg.eigvalsh(matrix)
    if moments[0] < -TRIANGLE_SLACK * np.abs(moments).max() if thin else moments[0] <= 0.0:
        raise Refused(
            f"{parameter.allowed}; the principal moments here are {_listed(moments)} kg m^2"
        )
    if moments[2] > (moments[0] + moments[1]) * (1.0 + TRIANGLE_SLACK):
        raise Refused(
            f"{parameter.allowed}; no body has the principal moments {_listed(moments)} kg m^2"
        )


def address(parameter: Parameter, value: Any) -> str:
    """The IPv4 address of one machine."""
    try:
        found = ipaddress.IPv4Address(value if isinstance(value, str) else "")
    except ValueError:
        raise Refused(parameter.allowed) from None
    if found.is_unspecified or found.is_multicast or str(found).endswith(".255"):
        raise Refused(parameter.allowed)
    return str(found)


def stiffness(parameter: Parameter, value: Any) -> list[float]:
    """One number, a diagonal or a full matrix to (xx, yy, zz, xy, xz, yz): symmetric and not
    negative along any direction."""
    array = np.asarray(_numbers(parameter, _flatten(value), None), dtype=float)
    if array.size not in (1, 3, 9):
        raise Refused(parameter.allowed)
    matrix = array.reshape(3, 3) if array.size == 9 else np.diag(np.broadcast_to(array, 3))
    if np.abs(matrix - matrix.T).max() > SYMMETRIC_TO * np.abs(matrix).max():
        raise Refused(f"{parameter.allowed}; this matrix is not symmetric")
    least = np.linalg.eigvalsh(matrix)[0]
    if least < -SYMMETRIC_TO * np.abs(matrix).max():
        raise Refused(f"{parameter.allowed}; along one direction this is {least:g} N/m")
    _in_range(parameter, list(np.diag(matrix)))
    m = matrix
    return [m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2]]


def _numbers(parameter: Parameter, value: Any, size: int | None) -> list[float]:
    if size == 1 and _is_list(value):
        raise Refused(f"{parameter.allowed}; this is a list")
    items = list(value) if _is_list(value) else [value]
    if size is not None and len(items) != size:
        raise Refused(f"{parameter.allowed}; this has {len(items)} instead of {size}")
    numbers = []
    for item in items:
        if isinstance(item, bool) or not isinstance(item, int | float | np.integer | np.floating):
            raise Refused(parameter.allowed)
        try:
            number = float(item)
        except OverflowError:  # a whole number beyond all floats
            number = math.inf
        if not math.isfinite(number):
            raise Refused(f"{parameter.allowed}; {number} is not finite")
        numbers.append(number)
    return numbers


def parse_numbers(value: Any) -> list[float]:
    """A number, or a list of numbers, as a list; empty: it is neither."""
    items = list(value) if _is_list(value) else [value]
    if not all(isinstance(x, int | float) and not isinstance(x, bool) for x in items):
        return []
    try:
        numbers = [float(x) for x in items]
    except OverflowError:  # a whole number beyond all floats
        return []
    return numbers if all(math.isfinite(x) for x in numbers) else []


_OF_A_USER: ContextVar[bool] = ContextVar("softdock_values_of_a_user", default=True)


@contextmanager
def any_range() -> Iterator[None]:
    """Within it ranges are not asked for: of a scenario that was checked, and then moved along its
    free flight."""
    token = _OF_A_USER.set(False)
    try:
        yield
    finally:
        _OF_A_USER.reset(token)


def checks_ranges() -> bool:
    """Whether values are checked against their ranges: outside `any_range`."""
    return _OF_A_USER.get()


def _in_range(parameter: Parameter, numbers: list[float]) -> list[float]:
    if not checks_ranges():
        return numbers
    for x in numbers:
        below = x <= parameter.low if parameter.open_low else x < parameter.low
        if below or x > parameter.high:
            raise Refused(parameter.allowed)
    return numbers


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple | np.ndarray)


def _flatten(value: Any) -> Any:
    if not _is_list(value):
        return [value]
    flat: list[Any] = []
    for item in value:
        flat.extend(_flatten(item) if _is_list(item) else [item])
    return flat


def _listed(numbers: Any) -> str:
    return ", ".join(f"{x:.6g}" for x in numbers)


def rows_of(parameter: Parameter, value: Any) -> np.ndarray:
    """The rows of a table or schedule, as they stand at the end of the vector: a table gets a third
    column, the energy up to there."""
    width, fewest = (2 if parameter.kind == "table" else 7), (1 if parameter.kind == "gains" else 2)
    if not _is_list(value) or len(value) < fewest or not all(_is_list(row) for row in value):
        raise Refused(parameter.allowed)
    if len(value) > MOST_ROWS:
        raise Refused(f"{parameter.allowed}, at most {MOST_ROWS}; this has {len(value)}")
    for i, row in enumerate(value):
        if len(row) != width:
            raise Refused(f"{parameter.allowed}; row {i} has {len(row)} numbers")
    rows = np.array([_numbers(parameter, row, width) for row in value])
    if not np.all(np.diff(rows[:, 0]) > 0.0):
        at = int(np.argmin(np.diff(rows[:, 0]))) + 1
        raise Refused(f"{parameter.allowed}; row {at} does not rise above the one before")
    if parameter.kind == "gains" and rows[:, 1:].min() < 0.0:
        raise Refused(parameter.allowed)
    if parameter.kind in ("schedule", "gains"):
        return rows
    if rows[0].any() or rows[:, 1].min() < 0.0:
        raise Refused(parameter.allowed)
    energy = np.concatenate(
        [[0.0], np.cumsum(0.5 * (rows[1:, 1] + rows[:-1, 1]) * np.diff(rows[:, 0]))]
    )
    return np.column_stack([rows, energy])


def check_own_rows(parameter: Parameter, rows: OwnRows, value: Any) -> None:
    """Rows that a method makes its own of; raises `Refused`."""
    if not _is_list(value) or not all(_is_list(row) for row in value):
        raise Refused(parameter.allowed)
    if len(value) > rows.most:
        raise Refused(f"{parameter.allowed}; these are {len(value)}")
    for i, row in enumerate(value):
        if why := rows.refused(_numbers(parameter, row, rows.width)):
            raise Refused(f"{parameter.allowed}; row {i} {why}")
