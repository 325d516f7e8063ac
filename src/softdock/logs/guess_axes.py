"""In which axes a force is logged, and on whom it acts: a contact slows its body down, so the force
on the body points against the approach. The axes and the sign in which the force of the first
contact does so best are taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from softdock.core.spatial.arrays import matrices, rotate, rotate_back
from softdock.logs.attitudes import quaternions
from softdock.logs.guess_parts import Found
from softdock.logs.units import FACTORS, QUANTITY

if TYPE_CHECKING:
    from softdock.logs.guess import Guess

CLEAR = 0.7  # cosine between force and approach from which the sign is believed
BETTER = 0.1  # of the cosine: other axes than the usual must fit better by this
FEWEST, MOST = 50, 3000  # rows
TURNED = 0.02  # of a rotation's entries
EXPLAINED = 0.3  # of the force's changes may be left by a weight and a bias
LARGEST = 1e9  # m, N: an import refuses far less
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
    weight = _weight(guess, body)
    if weight is not None:
        guess.axes, guess.acts = weight
        guess.axes_why = "the force is a weight that turns with the tool, in these axes"
        return
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
    good = np.isfinite(time) & (np.abs(values) < LARGEST).all(axis=1)  # NaN is not
    return time[good], values[good]


def _place(guess: Guess, body: str, quantity: str) -> tuple[str, str, str] | None:
    roles = ("measured", "command")
    return next((k for r in roles if (k := (body, r, quantity)) in guess.parts), None)


def _weight(guess: Guess, body: str) -> tuple[str, str] | None:
    """Axes and sign in which the force of the whole log is a weight and a bias, the weight down;
    None: it is something else, or the tool does not turn."""
    place = _place(guess, body, "attitude")
    if place is None or not _is_timed(guess) or guess.parts[place].form == "?":
        return None
    key = (body, "wrench", "force")
    time, force = _values(guess, key, guess.parts[key])
    stamps, rows = _values(guess, place, guess.parts[place])
    if len(time) < FEWEST or len(stamps) < FEWEST:
        return None
    kept = np.linspace(0, len(time) - 1, min(len(time), MOST)).astype(int)
    near = np.clip(np.searchsorted(stamps, time[kept]), 0, len(stamps) - 1)
    q, force = quaternions(rows[near], guess.parts[place].form), force[kept]
    turned = matrices(q).transpose(0, 2, 1)
    if np.abs(turned - turned[0]).max() < TURNED:
        return None
    A = np.concatenate([turned, np.broadcast_to(np.eye(3), turned.shape)], axis=2).reshape(-1, 6)
    best = None
    for axes, read in (("world", rotate_back(q, force)), ("body", force)):
        x = np.linalg.lstsq(A, read.ravel(), rcond=1e-8)[0]
        left = float(np.std(read.ravel() - A @ x)) / max(float(np.std(read, axis=0).max()), 1e-12)
        if left < EXPLAINED and (best is None or left < best[0]):
            best = left, axes, "on_body" if x[2] < 0.0 else "on_sensor"
    return None if best is None else best[1:]


def _is_timed(guess: Guess) -> bool:
    return all(
        c.unit in FACTORS["time"] and c.column in guess.tables[c.topic].columns
        for c in guess.clocks.values()
    )


def _cosines(guess: Guess, body: str) -> dict[str, float]:
    """Cosine between force and approach in the first contact, by axes; empty: nothing to see."""
    place, force_key = _place(guess, body, "position"), (body, "wrench", "force")
    if place is None or not _is_timed(guess):
        return {}
    time, force = _values(guess, force_key, guess.parts[force_key])
    stamps, position = _values(guess, place, guess.parts[place])
    if len(time) < FEWEST or len(stamps) < FEWEST:
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
