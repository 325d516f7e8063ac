"""Columns of a signal in SI: holes, units that make no sense and attitudes that are none refused,
each with its line."""

from __future__ import annotations

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.logs.attitudes import UNIT_WITHIN, quaternions
from softdock.logs.clocks import Stamped
from softdock.logs.map_parts import Part, Signal
from softdock.logs.units import FACTORS, PLAUSIBLE, QUANTITY, smaller_unit

MOST_TURN = 2.0 * np.pi * 1.01  # rad, of an angle that is written once round


def names_of(part: Part) -> list[str]:
    """The columns that a part takes."""
    return [one for one in part.components if isinstance(one, str)]


def columns_of(signal: Signal) -> list[str]:
    """All columns that a signal takes."""
    parts = [*signal.parts.values(), *([signal.age] if signal.age else [])]
    return [name for part in parts for name in names_of(part)]


def values_of(part: Part, own: Stamped, name: str) -> np.ndarray:
    """A part's rows in SI, one column a component; checked."""
    columns = []
    for one in part.components:
        if isinstance(one, str):
            column = own.table.column(one, part.key, part.where)[own.rows].astype(float)
            _whole(column, one, part, own)
            columns.append(part.factor * column)
        else:
            columns.append(np.full(len(own.rows), part.factor * one))
    values = np.stack(columns, axis=1)
    quantity = QUANTITY.get(name, name)
    if quantity in PLAUSIBLE:
        _plausible(values, quantity, part, own)
    return values


def _whole(column: np.ndarray, name: str, part: Part, own: Stamped) -> None:
    holes = np.flatnonzero(~np.isfinite(column))
    if len(holes):
        given = f"{name}: no number ({len(holes)} such rows)"
        allowed = "a number in every row that has one of this clock's columns"
        raise BadInput(Problem(part.key, given, allowed, own.where(int(holes[0]))))


def _plausible(values: np.ndarray, quantity: str, part: Part, own: Stamped) -> None:
    most, unit = PLAUSIBLE[quantity]
    size = np.abs(values).max(axis=1)
    i = int(size.argmax())
    if size[i] > most:
        units = "time" if quantity == "age" else quantity
        near = smaller_unit(units, part.unit, size[i] / most) if part.unit in FACTORS[units] else ""
        raise BadInput(
            Problem(
                f"{part.key}_unit",
                f"{part.unit}: {size[i]:.4g} {unit}",
                f"at most {most:g} {unit}: is it another unit, or another column?",
                f"{part.where} ({own.where(i)})",
                suggestion=near,
            )
        )


def attitudes(signal: Signal, own: Stamped) -> np.ndarray:
    """Quaternions, frame from logged axes."""
    part = signal.parts["attitude"]
    values = values_of(part, own, "attitude")
    if signal.form in ("wxyz", "xyzw"):
        length = np.linalg.norm(values, axis=1)
        off = np.flatnonzero(np.abs(length - 1.0) > UNIT_WITHIN)
        if len(off):
            i = int(off[0])
            raise BadInput(
                Problem(
                    part.key,
                    f"a quaternion of length {length[i]:.4g}",
                    "unit quaternions; angles have attitude_form = kuka_abc, rpy or "
                    "rotation_vector",
                    f"{part.where} ({own.where(i)})",
                )
            )
    elif np.abs(values).max() > MOST_TURN:
        i = int(np.abs(values).max(axis=1).argmax())
        raise BadInput(
            Problem(
                f"{part.key}_unit",
                f"{part.unit}: {np.abs(values[i]).max():.4g} rad",
                "angles within one turn",
                f"{part.where} ({own.where(i)})",
                suggestion="deg" if part.unit == "rad" else "",
            )
        )
    return quaternions(values, signal.form)


def ages_of(signal: Signal, own: Stamped) -> np.ndarray:
    """Age of every row when it arrived [s]; zero where nothing is said."""
    if signal.age is None:
        return np.zeros(len(own.rows))
    ages = values_of(signal.age, own, "age")[:, 0]
    if ages.min() < -1e-9:
        i = int(ages.argmin())
        where = f"{signal.age.where} ({own.where(i)})"
        raise BadInput(Problem(signal.age.key, f"{ages[i]:g} s", "ages of at least 0 s", where))
    return np.asarray(ages)
