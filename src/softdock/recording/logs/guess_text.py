"""A guess written: the text of a map, with a reason in every line, and a preview of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from softdock.recording.logs.guess import Guess
from softdock.recording.logs.guess_parts import FoundQuantity
from softdock.recording.logs.mapping import ASKED, BODIES

PARTS = {
    "command": ("position", "attitude", "velocity", "rate"),
    "satellite": ("position", "attitude", "velocity", "rate"),
    "measured": ("position", "attitude"),
    "wrench": ("force", "torque"),
    "wrench_on_satellite": ("force", "torque"),
}
STILL = {"position": [0.0, 0.0, 0.0], "attitude": [1.0, 0.0, 0.0, 0.0]}
SHOWN = 3  # first values of a clock; of others the first row


def make_preview(guess: Guess) -> list[tuple[str, str, str, str]]:
    """What, columns, unit or form, first values: a row a part."""
    rows = []
    for name, clock in guess.clocks.items():
        table = guess.tables[clock.topic]
        values = table.columns.get(clock.column)
        rows.append((f"clock {name}", clock.column, clock.unit, _format_first(values)))
    for (body, role, quantity), found in guess.parts.items():
        table = guess.get_table((body, role, quantity))
        names = ", ".join(found.names)
        form = " ".join(one for one in (found.form, found.unit) if one)
        first = ", ".join(_format_first(table.columns[name], 1) for name in found.names)
        rows.append((f"{body}.{role} {quantity}", names, form, first))
    for kind, (name, unit) in guess.ages.items():
        table = next(t for t in guess.tables.values() if name in t.columns)
        rows.append((f"age of the {kind}", name, unit, _format_first(table.columns[name])))
    return rows


def _format_first(values: np.ndarray | None, count: int = SHOWN) -> str:
    if values is None:
        return ""
    good = values[np.isfinite(values)] if values.dtype.kind == "f" else values
    return ", ".join(f"{value:.6g}" for value in good[:count].tolist())


def write_map(log: Path, guess: Guess) -> str:
    """The text of a map."""
    rows = [clock for (_, role), clock in guess.clock_of.items() if role == "command"]
    lines = [
        f"# Map of {_clean_text(log.name)}, guessed from its names and numbers: please look.",
        f"# A {ASKED} is a question; softdock import refuses the map until it is answered.",
        "schema = 1",
        f'name = "{_clean_text(log.stem)}"',
        f'rows = "{(rows or list(guess.clocks))[0]}"  # the clock whose rows are the cycles',
        "# from_s, to_s: the part of the log to take; touch_N: a force above it is a contact",
        *(f"# assumed: {_clean_text(one)}" for one in guess.assumed),
    ]
    form = guess.form
    if form.delimiter or form.decimal or form.skip_lines:
        lines += ["", "[csv]", f"delimiter = {_quote_text(form.delimiter)}"]
        lines += [f'decimal = "{form.decimal}"', f"skip_lines = {form.skip_lines}"]
    for name, clock in guess.clocks.items():
        lines += ["", f"[clock.{name}]"]
        lines += [f"topic = {_quote_text(clock.topic)}"] if clock.topic else []
        lines += [f"column = {_quote_text(clock.column)}", f'unit = "{clock.unit}"  # {clock.why}']
        if clock.every[0] > 1:
            lines += [f"every = {clock.every[0]}  # its values change in one of so many rows"]
            lines += [f"first = {clock.every[1]}"]
        lines += ["offset_s = 0.0  # set this clock forward to agree with the others"]
    lines += ["", "# [frame.base]  # a frame in the world, where poses are logged in another"]
    lines += ["# position_m = [0.0, 0.0, 0.0]", "# attitude_wxyz = [1.0, 0.0, 0.0, 0.0]"]
    for body in BODIES:
        known = any(key[0] == body for key in guess.parts)
        lines += _write_body(body, guess) if known or body == "chaser" else _write_fixed(body)
    if guess.unused:
        lines += ["", "# Columns not used:"]
        lines += [f"#   {_clean_text(name)}" for name in guess.unused[:200]]
    return "\n".join(lines) + "\n"


def _clean_text(text: str) -> str:
    return "".join(c if c.isprintable() and c not in '"\\' else "_" for c in text)[:300]


def _quote_text(text: str) -> str:
    """As TOML: names may hold anything."""
    escaped = "".join(c if c.isprintable() and c not in '"\\' else f"\\U{ord(c):08x}" for c in text)
    return f'"{escaped}"'


def _write_fixed(body: str) -> list[str]:
    return [
        "",
        f"[{body}]  # no column names it: taken to be bolted to the floor. Please look",
        "fixed = true  # with position_m, attitude_wxyz where it is not at the origin",
    ]


def _write_body(body: str, guess: Guess) -> list[str]:
    lines = ["", f"# [{body}.mounting]  # the body's centre of mass and axes in the logged axes"]
    lines += ["# position_m = [0.0, 0.0, 0.0]"]
    for role, parts in PARTS.items():
        found = {part: guess.parts.get((body, role, part)) for part in parts}
        main = found[parts[0]] is not None
        if role == "satellite" and not main:
            lines += ["", f"[{body}.satellite]", 'same_as = "command"  # robots are sent there']
        elif role == "wrench_on_satellite" and not main:
            lines += [
                "",
                f"# [{body}.wrench_on_satellite]  # needed for the observed energy",
                '# same_as = "wrench"  # if the measured wrench acts on the satellite as it is',
            ]
        elif main or (role == "command") or (role == "wrench" and _needs_sensor(guess, body)):
            lines += ["", f"[{body}.{role}]"]
            clock = guess.clock_of.get((body, role))
            lines += [f'clock = "{clock}"'] if clock else []
            for part in parts:
                lines += _write_part(role, part, found[part])
            lines += _write_ends(role, guess)
    return lines


def _needs_sensor(guess: Guess, body: str) -> bool:
    """Whether a force must be asked for: of the chaser, where no body has one."""
    return body == "chaser" and not any(key[1:] == ("wrench", "force") for key in guess.parts)


def _write_part(role: str, part: str, found: FoundQuantity | None) -> list[str]:
    if found is None:
        if part in ("position", "force"):
            return [f'{part} = "{ASKED}"  # which columns? Numbers stand for all rows']
        if part == "attitude" and role in ("command", "measured", "satellite"):
            return [f"attitude = {STILL[part]}  # no column names it: taken not to turn"]
        return []
    columns = ", ".join(_quote_text(c) if isinstance(c, str) else str(c) for c in found.columns)
    lines = [f"{part} = [{columns}]  # {_clean_text(found.question or found.why)}"]
    if found.form:
        lines.append(f'attitude_form = "{found.form}"')
    if found.unit:
        lines.append(f'{part}_unit = "{found.unit}"')
    return lines


def _write_ends(role: str, guess: Guess) -> list[str]:
    kind = {"measured": "pose", "wrench": "force"}.get(role)
    if kind is None:
        return []
    if kind in guess.ages:
        name, unit = guess.ages[kind]
        lines = [f"age = {_quote_text(name)}", f'age_unit = "{unit}"']
    else:
        lines = ["age_ms = 0.0  # from the measurement to its arrival: please look"]
    if role == "wrench":
        lines += [
            f'axes = "{guess.axes}"  # world, body or sensor: {guess.axes_why}',
            f'acts = "{guess.acts}"  # on_body, or on_sensor: the opposite sign',
            "# sensor.position_m = [0.0, 0.0, 0.0]  # origin of the torque",
            "# sensor.attitude_wxyz = [1.0, 0.0, 0.0, 0.0]  # the sensor's axes in the body's",
        ]
    return lines
