"""Tables and tiles of a run; every number is from the metrics."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

from softdock.output.pages.frame.elements import (
    BALANCE_ROWS,
    METHOD_LABELS,
    details,
    label,
    look_up,
    reference_key,
    show_number,
    show_share,
    table,
    text,
    tile,
    tiles,
    unit_of,
)
from softdock.results.metric import Metric, list_phase_metrics
from softdock.results.metrics import METRICS
from softdock.results.quantities import format_percent

MOMENTA_OF_THE_PAIR = (
    "linear_momentum_error_Ns",
    "angular_momentum_error_Nms",
    "angular_momentum_Nms",
    "kinetic_energy_relative_J",  # the same as kinetic_energy_J: the frame is the room
)


def fidelity_table(metrics: Mapping[str, Any], fixed: Sequence[str] = ()) -> str:
    """Comparison with the reference. `fixed`: bodies that never move; they and the pair's momenta
    are omitted."""
    keys = [key for key in metrics["fidelity"] if not _is_of_fixed_body(key, fixed)]
    beside = {key: reference_key(key) for key in keys if reference_key(key) in metrics["fidelity"]}
    rows = []
    for key in keys:
        if key in beside.values():
            continue
        known = metrics["fidelity"][key] is not None
        if known or metrics["fidelity"].get(beside.get(key)) is not None:
            orbit = show_number(metrics, f"fidelity.{beside[key]}") if key in beside else ""
            rows.append(
                [escape(label(f"fidelity.{key}")), show_number(metrics, f"fidelity.{key}"), orbit]
            )
    return table("This run and the on-orbit reference", ["", "this run", "on orbit"], rows)


def _is_of_fixed_body(key: str, fixed: Sequence[str]) -> bool:
    """Whether a number belongs to a body that never moves, or to momenta that its mount absorbs."""
    return any(key.startswith(f"{body}_") for body in fixed) or (
        bool(fixed) and key in MOMENTA_OF_THE_PAIR
    )


def final_table(metrics: Mapping[str, Any], fixed: Sequence[str] = ()) -> str:
    """State at the end of the run and of the reference. `fixed`: bodies that never move."""
    final = metrics["final"]
    paths = [
        key
        for key, value in final.items()
        if not isinstance(value, Mapping) and not _is_of_fixed_body(key, fixed)
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
            [
                escape(name),
                _show_vector(metrics, f"final.{path}"),
                _show_vector(metrics, f"reference.{path}"),
            ]
        )
    title = "Satellite at the end" if fixed else "Satellites at the end"
    return table(title, ["", "this run", "on orbit"], rows)


ROUNDING = 1e-9  # of a vector's largest component; what is smaller is shown as 0


def _show_vector(metrics: Mapping[str, Any], path: str) -> str:
    value = look_up(metrics, path)
    if isinstance(value, Sequence) and not isinstance(value, str):
        largest = max((abs(x) for x in value if x is not None), default=0.0)
        numbers = (
            show_number(metrics, f"{path}.{i}", unit="")
            if x is None or abs(x) > ROUNDING * largest
            else "0"
            for i, x in enumerate(value)
        )
        return f'<span class="vector">{" &ensp;".join(numbers)}</span>'
    return show_number(metrics, path, unit="")


CONTACT_COLUMNS = {
    "start_s": "start",
    "end_s": "end",
    "cycles": "cycles",
    "gap_rate_before_m_per_s": "gap rate before",
    "gap_rate_after_m_per_s": "gap rate after",
    "restitution": "restitution",
    "restitution_energetic": "by energy",
    "impulse_Ns": "impulse",
    "peak_force_real_N": "peak force, mock-ups",
    "peak_force_satellite_N": "satellite",
}

AXIS_COLUMNS = {
    "removed_J": "removed",
    "returned_J": "returned",
    "first_s": "first",
    "last_s": "last",
}


def key_tiles(metrics: Mapping[str, Any]) -> str:
    """Tiles of the most important numbers, each beside the reference's."""
    found = []
    for metric in METRICS.values():
        if metric.tile and metric.name in metrics:
            html = TILES.get(metric.name, _plain_tile)(metrics, metric)
            found += [html] if html else []
    return tiles(found)


def _plain_tile(metrics: Mapping[str, Any], metric: Metric) -> str:
    key = f"reference.{metric.name}"
    known = metric.name in metrics["reference"] and look_up(metrics, key) is not None
    parts = [f"on orbit {show_number(metrics, key)}"] if known else []
    if look_up(metrics, metric.name) is None:
        if metric.name not in metrics["reference"] or metrics.get("latched"):
            return ""  # no tile for what this rig does not have
        parts.insert(0, _reason_undefined(metrics))
    return tile(
        label(metric.name), show_number(metrics, metric.name), "<br>".join(parts), metric.tile
    )


def _energy_tile(metrics: Mapping[str, Any], metric: Metric) -> str:
    beside = f"{show_number(metrics, 'ledger.kinetic_start_J')} at the start"
    return tile(label(metric.name), show_number(metrics, metric.name), beside, metric.tile)


def _distance_tile(metrics: Mapping[str, Any], metric: Metric) -> str:
    if metrics[metric.name] is None:
        worst = show_share(metrics, "error_against_orbit_worst")
        if metrics.get("latched") and metrics["error_against_orbit_worst"] is not None:
            return tile(label(metric.name), worst, "still in contact", metric.tile)
        undefined = show_share(metrics, metric.name)
        return tile(label(metric.name), undefined, _reason_undefined(metrics), metric.tile)
    bound = format_percent(metrics["verdict"]["bounds"]["faithful_distance"])
    beside = [f"limit {bound}"]
    if metrics.get("error_against_orbit_later") is not None:
        settle = metrics["verdict"]["bounds"]["settle_s"]
        beside.append(f"{settle:g} s later {show_share(metrics, 'error_against_orbit_later')}")
    value = show_share(metrics, metric.name)
    return tile(label(metric.name), value, "<br>".join(beside), metric.tile)


def _peak_force_tile(metrics: Mapping[str, Any], metric: Metric) -> str:
    """Peak force on the satellite, with the mock-ups' beside it."""
    contacts = metrics["contacts"]
    if not contacts:
        return ""
    beside = (
        f"mock-ups {show_number(metrics, _find_hardest(contacts, metric.name))}<br>on orbit "
        f"{show_number(metrics, 'fidelity.peak_force_orbit_N')}"
    )
    most = show_number(metrics, _find_hardest(contacts, "peak_force_satellite_N"))
    return tile("Peak contact force", most, beside, metric.tile)


def _peak_torque_tile(metrics: Mapping[str, Any], metric: Metric) -> str:
    if not metrics[metric.name]:
        return ""
    return tile("Peak torque", show_number(metrics, metric.name), "of the mock-ups", metric.tile)


def _capture_tile(metrics: Mapping[str, Any], metric: Metric) -> str:
    if metrics[metric.name] is None:
        return ""
    when = (
        f"at {show_number(metrics, 'captured_at_s')}" if metrics["captured"] else "within the run"
    )
    theirs = metrics["reference"]["captured"]
    orbit = "" if theirs is None else f"<br>on orbit {'yes' if theirs else 'no'}"
    return tile("Captured", "yes" if metrics["captured"] else "no", when + orbit, metric.tile)


def _latch_tile(metrics: Mapping[str, Any], metric: Metric) -> str:
    if metrics[metric.name] is None:
        return ""
    bore = (
        f"peak {show_number(metrics, 'latch.peak_force_N')}, "
        f"{show_number(metrics, 'latch.peak_torque_Nm')}"
    )
    when = f"at {show_number(metrics, 'latched_at_s')}, {bore}" if metrics["latched"] else bore
    return tile("Latched", "yes" if metrics["latched"] else "no", when, metric.tile)


TILES: dict[str, Callable[[Mapping[str, Any], Metric], str]] = {  # those with words of their own
    "energy_added_J": _energy_tile,
    "error_against_orbit": _distance_tile,
    "peak_force_real_N": _peak_force_tile,
    "peak_torque_real_Nm": _peak_torque_tile,
    "captured": _capture_tile,
    "latched": _latch_tile,
}


def _find_hardest(contacts: Sequence[Mapping[str, Any]], name: str) -> str:
    """Path of the largest value of one number over the contacts."""
    return f"contacts.{max(range(len(contacts)), key=lambda i: contacts[i][name] or 0.0)}.{name}"


def _reason_undefined(metrics: Mapping[str, Any]) -> str:
    return "still in contact" if metrics["contacts"] else "no contact"


def contact_tables(metrics: Mapping[str, Any]) -> str:
    """Contacts of the run and of the reference."""
    if not metrics["contacts"]:
        own = text("The mock-ups never touched.", "plain")
    else:
        own = _contact_table(metrics, "contacts", "Contacts in this run")
    return own + (
        _contact_table(metrics, "reference.contacts", "Contacts on orbit")
        if look_up(metrics, "reference.contacts")
        else ""
    )


def _contact_table(metrics: Mapping[str, Any], path: str, caption: str) -> str:
    contacts = look_up(metrics, path)
    columns = [
        c for c in CONTACT_COLUMNS if any(contact.get(c) is not None for contact in contacts)
    ]
    pairs = {contact.get("pair") for contact in contacts}
    headings = ["", *(CONTACT_COLUMNS[c] for c in columns), *(["pair"] if len(pairs) > 1 else [])]
    rows = []
    for i in range(len(contacts)):
        cells = [show_number(metrics, f"{path}.{i}.{c}") for c in columns]
        rows.append(
            [
                str(i + 1),
                *cells,
                *([show_number(metrics, f"{path}.{i}.pair")] if len(pairs) > 1 else []),
            ]
        )
    return table(caption, headings, rows)


def ledger_table(metrics: Mapping[str, Any]) -> str:
    """Rows of the energy balance and their sum; other energies below."""
    rows = [
        [
            f"{escape(row)} <small>{escape(BALANCE_ROWS.get(row, ''))}</small>",
            show_number(metrics, f"ledger.rows.{row}", unit="J"),
        ]
        for row in metrics["ledger"]["rows"]
    ]
    rows.append(["Energy added by the loop", show_number(metrics, "energy_added_J")])
    others = [
        [escape(label(key)), show_number(metrics, f"ledger.{key}")]
        for key, value in metrics["ledger"].items()
        if not isinstance(value, Mapping)
    ]
    for robot, books in metrics["ledger"].get("joints", {}).items():
        others += [
            [
                f"{escape(robot)}'s joint: {escape(label(key).lower())}",
                show_number(metrics, f"ledger.joints.{robot}.{key}"),
            ]
            for key in books
        ]
    return side_by_side(
        table("Where the added energy comes from", ["", "energy"], rows, strong=[len(rows) - 1]),
        table("Other energies", ["", "value"], others),
    )


def methods_tables(metrics: Mapping[str, Any], fixed: Sequence[str] = ()) -> str:
    """Sums of each method, and what it removed and returned by axis. `fixed`: bodies that never
    move."""
    parts = []
    for name, books in metrics["method_books"].items():
        path = f"method_books.{name}"
        sums = [
            [escape(METHOD_LABELS.get(key, label(key))), show_number(metrics, f"{path}.{key}")]
            for key, value in books.items()
            if not isinstance(value, list)
        ]
        parts.append(table(f"{name}: in all", ["", "value"], sums))
        if books.get("axes"):
            rows = [
                [
                    escape(str(axis["axis"])),
                    *(show_number(metrics, f"{path}.axes.{i}.{key}") for key in AXIS_COLUMNS),
                ]
                for i, axis in enumerate(books["axes"])
                if not str(axis["axis"]).startswith(tuple(fixed))
            ]
            parts.append(
                table(
                    f"{name}: by body, force or torque, and world axis",
                    ["", *AXIS_COLUMNS.values()],
                    rows,
                )
            )
    return side_by_side(*parts)


def phases_table(metrics: Mapping[str, Any]) -> str:
    """Mean and spread of the key numbers over the sampling phase."""
    keys = [key for key in list_phase_metrics() if key in metrics["phases"]["spread"]]
    return _spread_table(
        metrics,
        f"{metrics['phases']['count']} runs that differ in their sampling phase",
        keys,
    )


def other_phases_table(metrics: Mapping[str, Any]) -> str:
    """Mean and spread of all other numbers over the sampling phase."""
    keys = [key for key in metrics["phases"]["spread"] if key not in list_phase_metrics()]
    return details(
        "Every other number over the sampling phase",
        _spread_table(metrics, "Every other number", keys),
    )


def _spread_table(metrics: Mapping[str, Any], caption: str, keys: Sequence[str]) -> str:
    columns = {"mean": "mean", "std": "spread (std)", "min": "least", "max": "most"}
    rows = [
        [
            escape(_long_name(key)),
            *(show_number(metrics, f"phases.spread.{key}.{c}", unit="") for c in columns),
        ]
        for key in keys
    ]
    return table(caption, ["", *columns.values()], rows)


def _long_name(key: str) -> str:
    """Label with the part of the metrics it is from, as one name may occur in several."""
    part = key.rpartition(".")[0].replace(".", ", ")
    unit = " [J]" if key.startswith("ledger.rows.") else ""
    return _label_with_unit(key) + unit + (f" ({part})" if part else "")


def _label_with_unit(key: str) -> str:
    unit = unit_of(key)
    return f"{label(key)} [{unit}]" if unit else label(key)


def side_by_side(*parts: str) -> str:
    return f'<div class="grid">{"".join(f"<div>{part}</div>" for part in parts)}</div>'
