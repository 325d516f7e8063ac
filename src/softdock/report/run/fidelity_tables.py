"""The tables of the section Fidelity: this run against orbit, and the satellites at the end.

`fixed` names the bodies that never move: of them, and of the momenta of a pair with one, which its
mount takes up, there is nothing to say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from softdock.report.frame.elements import look_up, shown, table, unit_of
from softdock.report.frame.words import label, of_orbit

MOMENTA_OF_THE_PAIR = (
    "linear_momentum_error_Ns",
    "angular_momentum_error_Nms",
    "angular_momentum_Nms",
    "kinetic_energy_relative_J",  # the same as kinetic_energy_J: the frame is the room
)


def fidelity_table(metrics: Mapping[str, Any], fixed: Sequence[str] = ()) -> str:
    """Every number of the comparison with orbit; `fixed`: bodies that never move, of which, and of
    the momenta of a pair with them, there is nothing to say."""
    keys = [key for key in metrics["fidelity"] if not _of_fixed(key, fixed)]
    beside = {key: of_orbit(key) for key in keys if of_orbit(key) in metrics["fidelity"]}
    rows = []
    for key in keys:
        if key not in beside.values():
            orbit = shown(metrics, f"fidelity.{beside[key]}") if key in beside else ""
            rows.append([escape(label(key)), shown(metrics, f"fidelity.{key}"), orbit])
    return table("This run against orbit", ["", "this run", "orbit"], rows)


def _of_fixed(key: str, fixed: Sequence[str]) -> bool:
    """Whether a number is of a body that never moves, or of momenta, which its mount takes up."""
    return any(key.startswith(f"{body}_") for body in fixed) or (
        bool(fixed) and key in MOMENTA_OF_THE_PAIR
    )


def final_table(metrics: Mapping[str, Any], fixed: Sequence[str] = ()) -> str:
    """State at the end, this run's and orbit's; `fixed`: bodies that never move."""
    final = metrics["final"]
    paths = [
        key
        for key, value in final.items()
        if not isinstance(value, Mapping) and not _of_fixed(key, fixed)
    ]
    moving = [body for body in ("chaser", "target") if body not in fixed]
    paths += [f"{body}.{key}" for body in moving for key in final[body]]
    rows = []
    for path in paths:
        body = path.rpartition(".")[0]
        unit = f" [{unit_of(path)}]" if unit_of(path) else ""
        name = (
            f"{body.capitalize()}'s {label(path).lower()}{unit}" if body else f"{label(path)}{unit}"
        )
        rows.append(
            [escape(name), _vector(metrics, f"final.{path}"), _vector(metrics, f"reference.{path}")]
        )
    title = "Satellite at the end" if fixed else "Satellites at the end"
    return table(title, ["", "this run", "orbit"], rows)


def _vector(metrics: Mapping[str, Any], path: str) -> str:
    value = look_up(metrics, path)
    if isinstance(value, Sequence) and not isinstance(value, str):
        numbers = (shown(metrics, f"{path}.{i}", unit="") for i in range(len(value)))
        return f'<span class="vector">{" &ensp;".join(numbers)}</span>'
    return shown(metrics, path, unit="")
