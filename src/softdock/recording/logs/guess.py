"""`softdock import LOG --guess`: what the columns of a log are, from their names and numbers.

What is recognised says why; what had to be assumed is listed; what stays open is a question. Units
are taken from names or a line of units, else from the size of the numbers. Columns that are empty
in the same rows share a clock: a file may hold several rates.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.loop.spatial.arrays import matrices, rotate, rotate_back
from softdock.recording.logs.guess_parts import (
    NEVER,
    ColumnMeaning,
    FoundQuantity,
    find_quantities,
    find_wpr_angles,
    group_stems,
    read_name,
)
from softdock.recording.logs.mapping import ASKED, BODIES
from softdock.recording.logs.table_files import read_tables
from softdock.recording.logs.tables import CsvForm, Table
from softdock.recording.logs.units import FACTORS, QUANTITY, convert_to_quaternions

Key = tuple[str, str, str]  # body, role, quantity
FEWEST_STEPS, MOST_HELD, EVENLY = 20, 100, 0.97  # of a value that is held for some rows
EVEN = 0.5  # of a step: less jitter, and a column without a name for it is a clock


@dataclass
class GuessedClock:
    topic: str
    column: str
    unit: str
    why: str
    empty: bytes = b""  # which rows of its table are none of its
    every: tuple[int, int] = (1, 0)  # of its rows one of so many is new, and the first


@dataclass
class Guess:
    """Everything recognised in one log."""

    form: CsvForm
    tables: dict[str, Table]
    clocks: dict[str, GuessedClock] = field(default_factory=dict)
    parts: dict[Key, FoundQuantity] = field(default_factory=dict)
    clock_of: dict[tuple[str, str], str] = field(default_factory=dict)
    ages: dict[str, tuple[str, str]] = field(default_factory=dict)
    axes: str = "world"
    acts: str = "on_body"
    axes_why: str = "please look"
    unused: list[str] = field(default_factory=list)
    assumed: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)

    def get_table(self, key: Key) -> Table:
        return self.tables[self.clocks[self.clock_of[key[:2]]].topic]


def guess_log(log: str | Path, form: CsvForm | None = None) -> Guess:
    """What a log holds. Raises `BadInput` if it cannot be opened."""
    form = form or CsvForm()
    tables = read_tables(Path(log), form)
    guess = Guess(form=form, tables=tables)
    for topic, table in tables.items():
        _guess_table(guess, topic, table)
    if not any(table.columns for table in tables.values()):
        others = [name for table in tables.values() for name in table.others]
        raise BadInput(Problem("LOG", ", ".join(others[:20]), "columns of numbers", str(log)))
    if not guess.clocks:  # nothing was recognised
        topic, table = next(iter(tables.items()))
        named = {name: read_name(name) for name in table.columns}
        stamps = ["log_time"] if topic else _find_stamps(table, named)
        _find_clock(guess, topic, table, named, stamps, list(table.columns)[:1], "log")
    _fill_missing(guess)
    guess_axes(guess)
    return guess


def _guess_table(guess: Guess, topic: str, table: Table) -> None:
    named = {
        name: read_name(f"{topic}.{name}" if topic else name, table.units.get(name, ""))
        for name in table.columns
    }
    named |= find_wpr_angles(named)
    stamps = _find_stamps(table, named)
    if topic and not stamps:
        stamps = ["log_time"]
    used = set(stamps[:1])
    for (body, role, quantity), found in _find_parts(table, named, stamps).items():
        if (body, role, quantity) in guess.parts:
            continue
        clock = _find_clock(guess, topic, table, named, stamps, found.names, role)
        if guess.clock_of.setdefault((body, role), clock) != clock:
            continue
        guess.parts[body, role, quantity] = found
        used |= {guess.clocks[clock].column, *found.names}
        if found.question:
            guess.questions.append(f"{body}.{role}: {found.question}")
    for name, one in named.items():
        if one.is_age and name not in used:
            kind = "pose" if "pose" in one.words else "force"
            guess.ages.setdefault(kind, (name, one.unit or "s"))
            used.add(name)
    guess.unused += [f"{topic} {name}".strip() for name in table.columns if name not in used]


def _find_stamps(table: Table, named: dict[str, ColumnMeaning]) -> list[str]:
    """Columns that grow from row to row and are named like a time, the best first; else the first
    column, if it grows evenly."""
    growing = [
        name
        for name, column in table.columns.items()
        if (named[name].is_time or name in table.clocks) and _is_growing(column)
    ]
    growing.sort(key=lambda name: ("header.stamp" not in name, "log_time" not in name))
    if not growing and table.columns:
        first = next(iter(table.columns))
        if named[first].axis in ("", "1") and _is_growing(table.columns[first], evenly=True):
            return [first]
    return growing


def _select_finite(column: np.ndarray) -> np.ndarray:
    return np.isfinite(column) if column.dtype.kind == "f" else np.ones(len(column), bool)


def _is_growing(column: np.ndarray, evenly: bool = False) -> bool:
    steps = np.diff(column[_select_finite(column)])
    if len(steps) == 0 or not np.all(steps > 0):
        return False
    return not evenly or bool(np.ptp(steps) < EVEN * np.median(steps))


def _find_parts(
    table: Table, named: dict[str, ColumnMeaning], stamps: list[str]
) -> dict[Key, FoundQuantity]:
    """Columns by body, role and quantity, in the order of their axes."""
    stems = group_stems({n: one for n, one in named.items() if _is_wanted(n, one, stamps)})
    known = {(one.body, one.role) for one in stems}
    found: dict[Key, FoundQuantity] = {}
    for stem in sorted(stems, key=lambda one: one.rank):
        role = stem.role
        if stem.is_wrench:
            role = (
                "wrench_on_satellite" if role in ("satellite", "wrench_on_satellite") else "wrench"
            )
        elif role in ("", "wrench", "wrench_on_satellite"):
            role = _find_undeclared({r for body, r in known if body in (stem.body, "")})
        for quantity, part in find_quantities(stem, table).items():
            found.setdefault((stem.body or "chaser", role, quantity), part)
    return found


def _is_wanted(name: str, one: ColumnMeaning, stamps: list[str]) -> bool:
    if name in stamps or one.is_age or not one.axis or one.role == "truth":
        return False
    return not any(word in NEVER for word in one.words)


def _find_undeclared(roles: set[str]) -> str:
    """What motion is whose name says no role: what the others leave open."""
    if "command" not in roles:
        return "command" if "measured" in roles else "measured"
    return "satellite" if "measured" in roles else "measured"


def _find_clock(
    guess: Guess,
    topic: str,
    table: Table,
    named: dict[str, ColumnMeaning],
    stamps: list[str],
    columns: list[str],
    role: str,
) -> str:
    """The clock by which these columns are written; made if it is new."""
    full = np.any([_select_finite(table.columns[name]) for name in columns], axis=0)
    order = list(table.columns)
    first = order.index(columns[0])

    def fits(stamp: str) -> tuple[bool, bool, int]:
        own = _select_finite(table.columns[stamp])
        before = order.index(stamp) <= first
        return (not np.all(own[full]), not np.array_equal(own, full), -order.index(stamp) * before)

    stamp = min(stamps, key=fits) if len(stamps) > 1 and not topic else (stamps or [ASKED])[0]
    empty, every = (
        np.packbits(~full).tobytes(),
        _count_held([table.columns[n][full] for n in columns]),
    )
    for name, clock in guess.clocks.items():
        if (clock.topic, clock.column, clock.empty, clock.every) == (topic, stamp, empty, every):
            return name
    plain = "_".join(part for part in topic.split("/") if part) or (role if guess.clocks else "log")
    plain = "".join(c if c.isalnum() or c in "_-" else "_" for c in plain)
    name, number = plain, 1
    while name in guess.clocks:
        number += 1
        name = f"{plain}_{number}"
    unit, why = _guess_time_unit(table, stamp, full, named)
    guess.clocks[name] = GuessedClock(
        topic=topic, column=stamp, unit=unit, why=why, empty=empty, every=every
    )
    if stamp == ASKED:
        guess.questions.append("which column has the stamps of the rows?")
    elif not unit:
        guess.clocks[name].unit = ASKED
        guess.questions.append(f"in which unit are the stamps in {stamp}? {why}")
    return name


def _count_held(columns: list[np.ndarray]) -> tuple[int, int]:
    """Of how many rows one is new, and the first such row: a slower signal in faster rows."""
    fresh = 1 + np.flatnonzero(np.any([np.diff(column) != 0.0 for column in columns], axis=0))
    if len(fresh) < FEWEST_STEPS:
        return 1, 0
    every = int(np.median(np.diff(fresh)))
    first = int(np.bincount(fresh % every).argmax())
    evenly = float(np.mean(fresh % every == first))
    return (every, first) if 1 < every <= MOST_HELD and evenly > EVENLY else (1, 0)


def _guess_time_unit(
    table: Table, stamp: str, full: np.ndarray, named: dict[str, ColumnMeaning]
) -> tuple[str, str]:
    """The unit that the name says, or the one in which rows are 0.1 ms to 100 ms apart, and why."""
    if stamp == ASKED:
        return "s", "not known"
    if stamp in table.clocks:
        return "s", "time of day"
    steps = np.diff(table.columns[stamp][full])
    step = float(np.median(steps[np.isfinite(steps)])) if len(steps) else 0.0
    said = named[stamp].unit if stamp in named else ""
    if said in FACTORS["time"] and 1e-5 <= step * FACTORS["time"][said] <= 1.0:
        return said, "unit by name"
    for unit in ("s", "ms", "us", "ns"):
        plain = step == 1.0 and not said and not _is_clock(stamp)  # rows that are only counted
        if not plain and 1e-4 <= step * FACTORS["time"][unit] <= 0.1:
            return unit, f"rows are {step:g} apart: {1e3 * step * FACTORS['time'][unit]:g} ms"
    return "", f"rows are {step:g} apart, which fits no unit"


def _is_clock(stamp: str) -> bool:
    """Whether a name says so."""
    return read_name(stamp).is_time


def _fill_missing(guess: Guess) -> None:
    """What stands in for what the log does not hold."""
    for body in BODIES:
        roles = {key[1] for key in guess.parts if key[0] == body}
        poses = [
            role for role in ("command", "measured") if (body, role, "position") in guess.parts
        ]
        if "measured" in poses and "command" not in poses:
            for quantity in ("position", "attitude"):
                if (body, "measured", quantity) in guess.parts:
                    guess.parts[body, "command", quantity] = guess.parts[body, "measured", quantity]
            guess.clock_of[body, "command"] = guess.clock_of[body, "measured"]
            guess.assumed.append(
                f"no set-points of the {body}: its measured poses stand in; its delay is not "
                "identified"
            )
        guess.assumed += [
            f"no attitude in {body}.{role}: taken not to turn"
            for role in ("command", "measured", "satellite")
            if role in roles
            and (body, role, "position") in guess.parts
            and (body, role, "attitude") not in guess.parts
        ]
    if not any(key[1:] == ("wrench", "force") for key in guess.parts):
        guess.questions.append("chaser.wrench: which columns are its force?")
    for body in BODIES:
        if not any(key[0] == body and key[2] == "position" for key in guess.parts):
            if body == "chaser":
                guess.questions.append("chaser.command: which columns are its position?")
            else:
                guess.assumed.append(f"no column names the {body}: taken to stand at the origin")


# In which axes a force is logged, and on whom it acts: a contact slows its body down, so the force
# on the body points against the approach. The axes and the sign in which the force of the first
# contact does so best are taken.

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
    weight = _find_weight(guess, body)
    if weight is not None:
        guess.axes, guess.acts = weight
        guess.axes_why = "the force is a weight that turns with the tool, in these axes"
        return
    cosines = _compute_cosines(guess, body)
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


def _read_values(
    guess: Guess, key: tuple[str, str, str], part: FoundQuantity
) -> tuple[np.ndarray, np.ndarray]:
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


def _find_place(guess: Guess, body: str, quantity: str) -> tuple[str, str, str] | None:
    roles = ("measured", "command")
    return next((k for r in roles if (k := (body, r, quantity)) in guess.parts), None)


def _find_weight(guess: Guess, body: str) -> tuple[str, str] | None:
    """Axes and sign in which the force of the whole log is a weight and a bias, the weight down;
    None: it is something else, or the tool does not turn."""
    place = _find_place(guess, body, "attitude")
    if place is None or not _is_timed(guess) or guess.parts[place].form == "?":
        return None
    key = (body, "wrench", "force")
    time, force = _read_values(guess, key, guess.parts[key])
    stamps, rows = _read_values(guess, place, guess.parts[place])
    if len(time) < FEWEST or len(stamps) < FEWEST:
        return None
    kept = np.linspace(0, len(time) - 1, min(len(time), MOST)).astype(int)
    near = np.clip(np.searchsorted(stamps, time[kept]), 0, len(stamps) - 1)
    q, force = convert_to_quaternions(rows[near], guess.parts[place].form), force[kept]
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


def _compute_cosines(guess: Guess, body: str) -> dict[str, float]:
    """Cosine between force and approach in the first contact, by axes; empty: nothing to see."""
    place, force_key = _find_place(guess, body, "position"), (body, "wrench", "force")
    if place is None or not _is_timed(guess):
        return {}
    time, force = _read_values(guess, force_key, guess.parts[force_key])
    stamps, position = _read_values(guess, place, guess.parts[place])
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
    mean["body"] = rotate(_interpolate_attitude(guess, place, start), mean["world"][None])[0]
    speed = float(np.linalg.norm(moved))
    if speed < 1e-5:
        return {}
    return {axes: float(one @ moved / (np.linalg.norm(one) * speed)) for axes, one in mean.items()}


def _interpolate_attitude(guess: Guess, place: tuple[str, str, str], at: float) -> np.ndarray:
    key = (*place[:2], "attitude")
    part = guess.parts.get(key)
    if part is None or part.form == "?" or len(part.names) < len(part.columns):
        return np.array([[1.0, 0.0, 0.0, 0.0]])
    time, values = _read_values(guess, key, part)
    row = int(np.argmin(np.abs(time - at)))
    return convert_to_quaternions(values[row : row + 1], part.form)
