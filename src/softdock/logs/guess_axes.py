"""In which axes a force is logged, and on whom it acts: a contact slows its body down, so the force
on the body points against the approach. The axes and the sign in which the force of the first
contact does so best are taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from softdock.core.spatial.arrays import rotate
from softdock.logs.attitudes import quaternions
from softdock.logs.guess_parts import Found
from softdock.logs.units import FACTORS, QUANTITY

if TYPE_CHECKING:
    from softdock.logs.guess import Guess

CLEAR = 0.7  # cosine between force and approach from which the sign is believed
BETTER = 0.1  # of the cosine: other axes than the usual must fit better by this
BEFORE_S = 0.1  # of the approach
WORDS = {"world": ("base", "world"), "body": ("tool", "tcp", "body", "flange")}


def guess_axes(guess: Guess) -> None:
    """Sets axes and sign of the guess's wrench, and says why."""
    body = next((key[0] for key in guess.parts if key[1:] == ("wrench", "force")), "")
    if not body:
        return
    found = guess.parts[body, "wrench", "force"]
    said = {word for name in found.names for word in name.lower().replace(".", "_").split("_")}
    named = next((a for a, words in WORDS.items() if said & set(words)), "")
    cosines = _cosines(guess, body)
    if not cosines:
        guess.axes, guess.axes_why = named or "world", "no contact shows it: please look"
        return
    usual = named or "world"
    other = "body" if usual == "world" else "world"
    axes = other if abs(cosines[other]) > abs(cosines[usual]) + BETTER else usual
    cosine = cosines[axes]
    guess.axes = axes
    guess.acts = "on_sensor" if cosine > 0.0 else "on_body"
    guess.axes_why = (
        f"in these axes the first contact's force is {np.degrees(np.arccos(abs(cosine))):.0f} "
        "degrees off the approach"
    )
    if abs(cosine) < CLEAR:
        guess.assumed.append(
            f"the wrench is taken in {axes} axes, {guess.acts.replace('_', ' the ')}: "
            f"{guess.axes_why}"
        )


def _values(guess: Guess, key: tuple[str, str, str], part: Found) -> tuple[np.ndarray, np.ndarray]:
    """Times [s] and rows in SI."""
    clock = guess.clocks[guess.clock_of[key[:2]]]
    table = guess.tables[clock.topic]
    count = len(table)
    rows = [
        table.columns[c].astype(float) if isinstance(c, str) else np.full(count, c)
        for c in part.columns
    ]
    stamps = table.columns[clock.column]
    start = stamps[np.isfinite(stamps.astype(float))][0]
    time = (stamps - start).astype(float) * FACTORS["time"][clock.unit]
    if clock.column in guess.tables[clock.topic].clocks or len(guess.tables) == 1:
        first = next(iter(guess.clocks.values()))
        other = table.columns.get(first.column)
        if other is not None and first.unit in FACTORS["time"] and first.topic == clock.topic:
            zero = other[np.isfinite(other.astype(float))][0]
            time = (
                time
                + float(start * FACTORS["time"][clock.unit])
                - float(zero * FACTORS["time"][first.unit])
            )
    values = np.stack(rows, axis=1) * FACTORS[QUANTITY[key[2]]].get(part.unit, 1.0)
    good = np.isfinite(time) & np.isfinite(values).all(axis=1)
    return time[good], values[good]


def _cosines(guess: Guess, body: str) -> dict[str, float]:
    """Cosine between force and approach in the first contact, by axes; empty: nothing to see."""
    place = next(
        (
            (body, role, "position")
            for role in ("measured", "command")
            if (body, role, "position") in guess.parts
        ),
        None,
    )
    force_key = (body, "wrench", "force")
    if place is None or any(c.unit not in FACTORS["time"] for c in guess.clocks.values()):
        return {}
    if any(c.column not in guess.tables[c.topic].columns for c in guess.clocks.values()):
        return {}
    time, force = _values(guess, force_key, guess.parts[force_key])
    stamps, position = _values(guess, place, guess.parts[place])
    if len(time) < 50 or len(stamps) < 50:
        return {}
    force = force - np.median(force[: max(10, len(force) // 20)], axis=0)
    size = np.linalg.norm(force, axis=1)
    touching = np.flatnonzero(size > 0.3 * size.max())
    if size.max() <= 0.0 or touching[0] == 0:
        return {}
    contact = touching[touching < touching[0] + max(3, len(time) // 200)]
    start = time[contact[0]]
    ahead = (stamps >= start - BEFORE_S) & (stamps <= start)
    if ahead.sum() < 3:
        return {}
    moved = np.polyfit(stamps[ahead], position[ahead], 1)[0]
    mean = {"world": force[contact].mean(axis=0)}
    mean["body"] = rotate(_attitude(guess, place, start), mean["world"][None])[0]
    speed = float(np.linalg.norm(moved))
    if speed < 1e-5:
        return {}
    return {axes: float(one @ moved / (np.linalg.norm(one) * speed)) for axes, one in mean.items()}


def _attitude(guess: Guess, place: tuple[str, str, str], at: float) -> np.ndarray:
    key = (*place[:2], "attitude")
    part = guess.parts.get(key)
    if part is None or part.form == "?" or len(part.names) < len(part.columns):
        return np.array([[1.0, 0.0, 0.0, 0.0]])
    time, values = _values(guess, key, part)
    row = int(np.argmin(np.abs(time - at)))
    return quaternions(values[row : row + 1], part.form)
