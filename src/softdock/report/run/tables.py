"""The tables and tiles of a run, every number from the metrics."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

from softdock.analysis.metric import Metric, names_over_phases
from softdock.analysis.metrics import METRICS
from softdock.report.frame.elements import folded, look_up, shown, table, text, tile, tiles, unit_of
from softdock.report.frame.words import OF_METHODS, ROWS, label

CONTACT_COLUMNS = {
    "start_s": "start [s]",
    "end_s": "end [s]",
    "cycles": "cycles",
    "gap_rate_before_m_per_s": "gap rate before [m/s]",
    "gap_rate_after_m_per_s": "after [m/s]",
    "restitution": "restitution",
    "restitution_energetic": "by energy",
    "impulse_Ns": "impulse [Ns]",
    "peak_force_real_N": "peak force, mock-ups [N]",
    "peak_force_satellite_N": "satellite [N]",
}

AXIS_COLUMNS = {
    "removed_J": "removed [J]",
    "returned_J": "returned [J]",
    "first_s": "first [s]",
    "last_s": "last [s]",
}


def key_tiles(metrics: Mapping[str, Any]) -> str:
    """The numbers to look at first, each beside orbit's."""
    found = []
    for metric in METRICS.values():
        if metric.tile and metric.name in metrics:
            made = TILES.get(metric.name, _tile)(metrics, metric)
            found += [made] if made else []
    return tiles(found)


def _tile(metrics: Mapping[str, Any], metric: Metric) -> str:
    key = f"reference.{metric.name}"
    known = metric.name in metrics["reference"] and look_up(metrics, key) is not None
    parts = [f"orbit {shown(metrics, key)}"] if known else []
    if look_up(metrics, metric.name) is None:
        if metric.name not in metrics["reference"]:
            return ""  # no tile for what this rig does not have
        parts.insert(0, _why_not(metrics))
    return tile(label(metric.name), shown(metrics, metric.name), "<br>".join(parts), metric.tile)


def _invented(metrics: Mapping[str, Any], metric: Metric) -> str:
    beside = f"{shown(metrics, 'ledger.kinetic_start_J')} at the start"
    return tile(label(metric.name), shown(metrics, metric.name), beside, metric.tile)


def _distance(metrics: Mapping[str, Any], metric: Metric) -> str:
    known = metrics[metric.name] is not None
    beside = ""
    if metrics.get("distance_from_orbit_later") is not None:
        settle = metrics["judgement"]["bounds"]["settle_s"]
        beside = f"{settle:g} s later {shown(metrics, 'distance_from_orbit_later')}<br>"
    beside += "0 is orbit" if known else _why_not(metrics)
    return tile(label(metric.name), shown(metrics, metric.name), beside, metric.tile)


def _peak_force(metrics: Mapping[str, Any], metric: Metric) -> str:
    """On the satellite, with the mock-ups' beside it."""
    contacts = metrics["contacts"]
    if not contacts:
        return ""
    beside = (
        f"mock-ups {shown(metrics, _hardest(contacts, metric.name))}<br>orbit "
        f"{shown(metrics, 'fidelity.peak_force_orbit_N')}"
    )
    most = shown(metrics, _hardest(contacts, "peak_force_satellite_N"))
    return tile("Peak satellite force", most, beside, metric.tile)


def _peak_torque(metrics: Mapping[str, Any], metric: Metric) -> str:
    if not metrics[metric.name]:
        return ""
    return tile("Peak torque", shown(metrics, metric.name), "of the mock-ups", metric.tile)


def _captured(metrics: Mapping[str, Any], metric: Metric) -> str:
    if metrics[metric.name] is None:
        return ""
    when = f"at {shown(metrics, 'captured_at_s')}" if metrics["captured"] else "within the run"
    return tile("Captured", "yes" if metrics["captured"] else "no", when, metric.tile)


def _latched(metrics: Mapping[str, Any], metric: Metric) -> str:
    if metrics[metric.name] is None:
        return ""
    bore = f"bore {shown(metrics, 'latch.peak_force_N')}, {shown(metrics, 'latch.peak_torque_Nm')}"
    when = f"at {shown(metrics, 'latched_at_s')}, {bore}" if metrics["latched"] else bore
    return tile("Latched", "yes" if metrics["latched"] else "no", when, metric.tile)


TILES: dict[str, Callable[[Mapping[str, Any], Metric], str]] = {  # those with words of their own
    "energy_invented_J": _invented,
    "distance_from_orbit": _distance,
    "peak_force_real_N": _peak_force,
    "peak_torque_real_Nm": _peak_torque,
    "captured": _captured,
    "latched": _latched,
}


def _hardest(contacts: Sequence[Mapping[str, Any]], name: str) -> str:
    """Path of the largest of one number of the contacts."""
    return f"contacts.{max(range(len(contacts)), key=lambda i: contacts[i][name] or 0.0)}.{name}"


def _why_not(metrics: Mapping[str, Any]) -> str:
    return "not defined: " + ("still in contact" if metrics["contacts"] else "no contact")


def contact_tables(metrics: Mapping[str, Any]) -> str:
    """The contacts of this run, and orbit's."""
    if not metrics["contacts"]:
        mine = text("The mock-ups never touched.", "plain")
    else:
        mine = _contact_table(metrics, "contacts", "Contacts in this run")
    return mine + (
        _contact_table(metrics, "reference.contacts", "Contacts in orbit")
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
        cells = [shown(metrics, f"{path}.{i}.{c}", unit="") for c in columns]
        rows.append(
            [str(i + 1), *cells, *([shown(metrics, f"{path}.{i}.pair")] if len(pairs) > 1 else [])]
        )
    return table(caption, headings, rows)


def ledger_table(metrics: Mapping[str, Any]) -> str:
    """The rows and their sum; then all the other books."""
    rows = [
        [
            f"{escape(row)} <small>{escape(ROWS.get(row, ''))}</small>",
            shown(metrics, f"ledger.rows.{row}", unit="J"),
        ]
        for row in metrics["ledger"]["rows"]
    ]
    rows.append(["Energy invented", shown(metrics, "energy_invented_J")])
    others = [
        [escape(label(key)), shown(metrics, f"ledger.{key}")]
        for key, value in metrics["ledger"].items()
        if not isinstance(value, Mapping)
    ]
    for robot, books in metrics["ledger"].get("joints", {}).items():
        others += [
            [
                f"{escape(robot)}'s joint: {escape(label(key).lower())}",
                shown(metrics, f"ledger.joints.{robot}.{key}"),
            ]
            for key in books
        ]
    return side_by_side(
        table("Where the invented energy came from", ["", "energy"], rows, strong=[len(rows) - 1]),
        table("The other books", ["", "value"], others),
    )


def methods_tables(metrics: Mapping[str, Any], fixed: Sequence[str] = ()) -> str:
    """What each method did: its sums, and what it removed and returned by axis; `fixed`: bodies
    that never move."""
    parts = []
    for name, books in metrics["method_books"].items():
        path = f"method_books.{name}"
        sums = [
            [escape(OF_METHODS.get(key, label(key))), shown(metrics, f"{path}.{key}")]
            for key, value in books.items()
            if not isinstance(value, list)
        ]
        parts.append(table(f"{name}: in all", ["", "value"], sums))
        if books.get("axes"):
            rows = [
                [
                    escape(str(axis["axis"])),
                    *(shown(metrics, f"{path}.axes.{i}.{key}", unit="") for key in AXIS_COLUMNS),
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
    keys = [key for key in names_over_phases() if key in metrics["phases"]["spread"]]
    return _spread(
        metrics,
        f"{metrics['phases']['count']} runs that differ in where in a cycle the contact falls",
        keys,
    )


def phases_rest(metrics: Mapping[str, Any]) -> str:
    """The same for every other number."""
    keys = [key for key in metrics["phases"]["spread"] if key not in names_over_phases()]
    return folded(
        "Every other number over the sampling phase", _spread(metrics, "Every other number", keys)
    )


def _spread(metrics: Mapping[str, Any], caption: str, keys: Sequence[str]) -> str:
    columns = {"mean": "mean", "std": "spread (std)", "min": "least", "max": "most"}
    rows = [
        [
            escape(_long_name(key)),
            *(shown(metrics, f"phases.spread.{key}.{c}", unit="") for c in columns),
        ]
        for key in keys
    ]
    return table(caption, ["", *columns.values()], rows)


def _long_name(key: str) -> str:
    """With the part of the metrics it is from, as one name may stand in several."""
    part = key.rpartition(".")[0].replace(".", ", ")
    unit = " [J]" if key.startswith("ledger.rows.") else ""
    return _with_unit(key) + unit + (f" ({part})" if part else "")


def _with_unit(key: str) -> str:
    unit = unit_of(key)
    return f"{label(key)} [{unit}]" if unit else label(key)


def side_by_side(*parts: str) -> str:
    return f'<div class="grid">{"".join(f"<div>{part}</div>" for part in parts)}</div>'
