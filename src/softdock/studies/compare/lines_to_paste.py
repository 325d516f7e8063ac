"""What to set, as lines to paste into a scenario file: the best candidate's integrator and methods,
without the keys that stand at their defaults."""

from __future__ import annotations

from typing import Any

from softdock.methods.registry import METHODS
from softdock.scenario.files import to_toml


def format_lines_to_paste(ranked: list[dict[str, Any]]) -> str:
    """TOML of the first row that reached its end; empty: there is none."""
    best = next((row for row in ranked if row["status"] == "completed"), None)
    if best is None:
        return ""
    return to_toml(
        {
            "satellites": {"integrator": best["integrator"]},
            "methods": list_settings_to_paste(best["settings"]),
        }
    )


def list_settings_to_paste(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Methods' tables as a scenario file lists them."""
    return [_round_numbers(drop_defaults(entry)) for entry in entries]


def _round_numbers(value: Any) -> Any:
    """Numbers to six digits: more is not known of any rig."""
    if isinstance(value, dict):
        return {key: _round_numbers(x) for key, x in value.items()}
    if isinstance(value, list):
        return [_round_numbers(x) for x in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def drop_defaults(entry: dict[str, Any]) -> dict[str, Any]:
    """A method's table without what its defaults say already."""
    kept: dict[str, Any] = {"name": entry["name"]}
    for parameter in METHODS[entry["name"]].group:
        value: Any = entry
        for part in parameter.key.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        default = parameter.default
        default = list(default) if isinstance(default, tuple) else default
        if value is None or value == default or (isinstance(value, list) and not value):
            continue
        *parents, last = parameter.key.split(".")
        here = kept
        for part in parents:
            here = here.setdefault(part, {})
        here[last] = value
    return kept
