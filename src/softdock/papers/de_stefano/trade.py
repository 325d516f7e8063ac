"""Drift under a held force against restitution in contact, for every integrator and method of
softdock.

The chart has a row for each group of schemes with equal results: drift on the left, restitution
without and with delay on the right.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from softdock.loop.satellites import INTEGRATORS
from softdock.methods.passive_integrator.method import FORMS
from softdock.methods.registry import METHODS
from softdock.output.pages.frame.charts import Line, chart
from softdock.papers.frame import Column, Exhibit, Findings
from softdock.results.simulation import run_loop
from softdock.scenario.build import build

SAME_DRIFT, SAME_RESTITUTION = 0.01, 0.0006  # mm, -: schemes nearer than this lie at one place
LINE, GAP = 1.0, 0.9  # heights: of a name, and between two places
PIXELS = 19  # a unit of height
SMALL = {"textfont": {"size": 11}}
QUIET = {"mode": "lines", "showlegend": False, "hoverinfo": "skip"}


def group_places(rows: Sequence[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Groups of schemes that agree in drift and in both restitutions; sorted by the error of the
    restitution with delay, then without, then by drift."""
    places: list[list[dict[str, Any]]] = []
    for row in rows:
        for place in places:
            first = place[0]
            near = abs(row["drift_mm"] - first["drift_mm"]) < SAME_DRIFT
            if near and all(
                abs(row[key] - first[key]) < SAME_RESTITUTION
                for key in ("restitution", "restitution_16_ms")
            ):
                place.append(row)
                break
        else:
            places.append([row])
    return sorted(
        places,
        key=lambda p: (
            round(abs(p[0]["restitution_16_ms"] - 1.0), 3),
            round(abs(p[0]["restitution"] - 1.0), 3),
            abs(p[0]["drift_mm"]),
        ),
    )


def _dumbbells(x0: np.ndarray, x1: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Line segments from x0 to x1 at every height, with gaps between."""
    blank = np.full(len(y), np.nan)
    return np.column_stack([x0, x1, blank]).ravel(), np.column_stack([y, y, blank]).ravel()


LINE_AT_ONE = {
    "type": "line",
    "xref": "x2",
    "yref": "paper",
    "x0": 1.0,
    "x1": 1.0,
    "y0": 0,
    "y1": 1,
    "layer": "below",
    "line": {"width": 1, "dash": "dot"},
}
CAPTION = (
    "Names that stand together lie at one place; beside the dots, restitution without delay and "
    "with it. Both dots at 1 and no drift: exact in a contact, with and without delay, and in "
    "free flight."
)


def _heights(grouped: Sequence[Sequence[Any]]) -> tuple[np.ndarray, float]:
    """Height of every group, downwards from zero, and the total height."""
    heights, top = [], 0.0
    for place in grouped:
        size = LINE * len(place)
        heights.append(-(top + 0.5 * size))
        top += size + GAP
    return np.array(heights), top


def _drift_lines(drift: np.ndarray, y: np.ndarray) -> list[Line]:
    """Left chart: a line from zero to every dot."""
    texts = [f"{value:+.1f}".replace("-0.0", "0").replace("+0.0", "0") for value in drift]
    stick, at = _dumbbells(np.zeros(len(y)), drift, y)
    dots = {
        "mode": "markers+text",
        "marker": {"size": 10},
        "text": texts,
        "textposition": "top center",
    }
    return [
        Line("drift", "c1", stick, at, extra=QUIET),
        Line("drift", "c1", drift, y, extra=dots | SMALL),
    ]


def _restitution_lines(bare: np.ndarray, late: np.ndarray, y: np.ndarray) -> list[Line]:
    """Right chart: a bar from the restitution without delay to that with delay."""
    both = [f"  {a:.4f}, {b:.4f}" for a, b in zip(bare, late, strict=True)]
    right = {"xaxis": "x2", "mode": "markers", "marker": {"size": 10}}
    ring = {"marker": {"size": 13, "symbol": "circle-open", "line": {"width": 2.5}}}
    labels = {"mode": "markers+text", "text": both, "textposition": "middle right"}
    bar, across = _dumbbells(bare, late, y)
    return [
        Line("from none to 16 ms", "c7", bar, across, width=1.2, extra=QUIET | {"xaxis": "x2"}),
        Line("restitution without delay", "c2", bare, y, extra=right | ring),
        Line("restitution, 16 ms of delay", "c3", late, y, extra=right | labels | SMALL),
    ]


def _layout(y: np.ndarray, names: list[str], top: float) -> dict[str, Any]:
    """Two charts side by side with one axis of names."""
    return {
        "hovermode": "closest",
        "margin": {"l": 330, "r": 20, "t": 40, "b": 50},
        "xaxis": {
            "title": {"text": "drift after 60 N for 5 s [mm]"},
            "domain": [0.0, 0.42],
            "zeroline": True,
            "range": [-5.9, 3.6],
        },
        "xaxis2": {
            "title": {"text": "restitution [-]; orbit: 1"},
            "domain": [0.5, 1.0],
            "anchor": "y",
            "range": [0.985, 1.23],
        },
        "yaxis": {
            "title": {"text": ""},
            "tickvals": y.tolist(),
            "ticktext": names,
            "range": [-top, 0.4],
            "zeroline": False,
            "showgrid": True,
        },
        "shapes": [LINE_AT_ONE],
    }


def trade_chart(rows: Sequence[dict[str, Any]]) -> str:
    """The chart as HTML."""
    grouped = group_places(rows)
    y, top = _heights(grouped)
    drift, bare, late = (
        np.array([place[0][key] for place in grouped])
        for key in ("drift_mm", "restitution", "restitution_16_ms")
    )
    names = ["<br>".join(row["scheme"] for row in place) for place in grouped]
    return chart(
        "trade",
        "Drift and restitution",
        _drift_lines(drift, y) + _restitution_lines(bare, late, y),
        "",
        "",
        caption=CAPTION,
        time_axis=False,
        height=round(PIXELS * top + 110),
        layout=_layout(y, names, top),
    )


MASS, STIFFNESS, CYCLE, SPEED = (
    250.0,
    4000.0,
    0.004,
    0.02,
)  # kg, N/m, s, m/s: physics of the four golden restitutions
PUSH, PUSH_TIME = 60.0, 5.0  # N, s
PHASES = 8
UNINFORMED = (
    "delay_passivity",
    "energy_ledger",
)  # methods of energy that must be told nothing of the rig
INFORMED = (
    "hybrid",
    "adaptive_damping",
    # told the true stiffness and delay, as `softdock compare` does: their result is a matter of
    # what
    # they are told
)
# Not listed: `monitor`, which only observes; networks, which add a part of their own; `remapping`,
# whose restitution is what it is told.
GOLDEN = {
    "symplectic_euler": 1.0000,
    "exact_hold": 1.0126,
    "forward_euler": 1.0255,
}  # exp(pi w h / 2), h = 0, T/2, T
PASSIVE_GOLDEN = {
    "symplectic": 1.0126,
    "forward": 1.0384,
}  # of the passive integrator: h = T/2 and 3T/2


def _tables(integrator: str, methods: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "time": {"cycle_ms": 1e3 * CYCLE, "duration_s": 3.0},
        "satellites": {"integrator": integrator},
        "chaser": {"mass_kg": MASS, "inertia_kg_m2": [100.0, 110.0, 120.0]},
        "target": {"fixed": True, "mass_kg": 1000.0, "inertia_kg_m2": [100.0, 100.0, 100.0]},
        "methods": methods,
    }


def _expected_restitution(name: str) -> float | None:
    return (
        PASSIVE_GOLDEN[name.split(", ")[-1]]
        if name.startswith("passive_integrator")
        else GOLDEN.get(name)
    )


def measure_drift(integrator: str, methods: list[dict[str, Any]]) -> float:
    """Drift of the set-point ahead of the exact position after 60 N for 5 s [m]."""
    tables = _tables(integrator, methods)
    tables["time"]["duration_s"] = PUSH_TIME + 1.0
    edge = 1e-9
    tables["external"] = {
        "chaser": {
            "rows": [
                [0.0, PUSH, *[0.0] * 5],
                [PUSH_TIME, PUSH, *[0.0] * 5],
                [PUSH_TIME + edge, *[0.0] * 6],
            ]
        }
    }
    end = run_loop(build(tables)).series["command.chaser.position.x"][-1]
    return float(end - PUSH / MASS * (0.5 * PUSH_TIME**2 + PUSH_TIME))


def measure_restitution(
    integrator: str, methods: list[dict[str, Any]], delay_ms: float = 0.0
) -> float:
    """Restitution on the lossless spring, mean over the sampling phase."""
    found = []
    for phase in np.arange(PHASES) / PHASES:
        found.append(
            run_loop(build(_contact(integrator, methods, delay_ms, float(phase)))).restitution
        )
    return float(np.mean(found))


def _contact(
    integrator: str, methods: list[dict[str, Any]], delay_ms: float, phase: float
) -> dict[str, Any]:
    """Scenario tables of the bounce; contact later by a share of a cycle."""
    tables = _tables(integrator, methods)
    tables["chaser"] |= {
        "position_m": [0.01 + SPEED * CYCLE * phase, 0.0, 0.0],
        "velocity_m_per_s": [-SPEED, 0.0, 0.0],
    }
    tables["robots"] = {"chaser": {"delay_ms": delay_ms}, "target": {"delay_ms": delay_ms}}
    tables["contact"] = [
        {"geometry": "wall", "axis": [1.0, 0.0, 0.0], "real": {"stiffness_N_per_m": STIFFNESS}}
    ]
    return tables


def list_schemes() -> list[tuple[str, str, list[dict[str, Any]]]]:
    """Name, integrator and methods of every scheme."""
    schemes: list[tuple[str, str, list[dict[str, Any]]]] = [
        (i.name, i.name, [{"name": "direct"}]) for i in INTEGRATORS
    ]
    for form in FORMS:
        for pairing in ("symplectic", "forward"):
            methods = [{"name": "passive_integrator", "form": form, "pairing": pairing}]
            schemes.append((f"passive_integrator, {form}, {pairing}", "symplectic_euler", methods))
    for name in UNINFORMED:
        for integrator in ("symplectic_euler", "exact_hold"):
            schemes.append((f"{name}, {integrator}", integrator, [{"name": name}]))
    schemes += [(f"{name}, exact_hold, tuned", "exact_hold", [{"name": name}]) for name in INFORMED]
    return schemes


def _suggest_keys(methods: list[dict[str, Any]], delay_ms: float) -> list[dict[str, Any]]:
    """The methods; those of INFORMED with the keys that they suggest for this contact."""
    tables = _contact("exact_hold", [{"name": "direct"}], delay_ms, 0.0)
    return [
        m | (METHODS[m["name"]].suggest(build(tables)) if m["name"] in INFORMED else {})
        for m in methods
    ]


def make_trade() -> Exhibit:
    rows: list[dict[str, Any]] = []
    for name, integrator, methods in list_schemes():
        rows.append(
            {
                "scheme": name,
                "drift_mm": round(1e3 * measure_drift(integrator, _suggest_keys(methods, 0.0)), 6)
                + 0.0,
                "restitution": measure_restitution(integrator, _suggest_keys(methods, 0.0)),
                "restitution_16_ms": measure_restitution(
                    integrator, _suggest_keys(methods, 16.0), 16.0
                ),
                "golden": _expected_restitution(name),
            }
        )
    return Exhibit(
        key="trade",
        title="The trade: drift under a held force against restitution",
        says=_summarise,
        columns=(
            Column("scheme", "integrator or method"),
            Column("drift_mm", "drift [mm]"),
            Column("restitution", "restitution, no delay"),
            Column("golden", "expected"),
            Column("restitution_16_ms", "with 16 ms of robot delay"),
        ),
        rows=rows,
        numbers={},
        assumptions=(
            "250 kg, T = 4 ms. Drift: of the set-point, 60 N held for 5 s. Restitution: "
            "lossless spring of 4000 N/m at 0.02 m/s, mean over 8 sampling phases.",
        ),
        remarks=(
            "The correction takes T/2 of position per gained velocity away: half a cycle of delay "
            "in a contact, e = exp(pi w h / 2); one cycle later (forward) it is 3T/2.",
        ),
        charts=[trade_chart(rows)],
    )


NO_DRIFT_MM, EXACT = 1e-3, 1e-3  # mm; of a restitution of 1


def _summarise(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Findings:
    at = {row["scheme"]: row for row in rows}
    plain = [row for row in rows if row["scheme"] in {i.name for i in INTEGRATORS}]
    both = [row for row in rows if _has_no_drift(row) and _keeps_restitution(row)]
    late = [row for row in both if abs(row["restitution_16_ms"] - 1.0) < EXACT]
    alone = [row["scheme"] for row in plain if row in both]
    expected = max(abs(r["restitution"] - r["golden"]) for r in rows if r["golden"] is not None)
    forward = at["passive_integrator, published, forward"]
    none = at["symplectic_euler"]
    worse = abs(forward["drift_mm"]) > abs(none["drift_mm"])
    return Findings(
        (
            f"Alone, {', '.join(alone)} neither drifts nor changes the restitution. "
            if alone
            else "No integrator alone is free of drift and keeps the restitution. "
        )
        + "Alone, "
        + "; ".join(
            f"{row['scheme']} {'does not drift' if _has_no_drift(row) else 'drifts'} and "
            f"{'keeps' if _keeps_restitution(row) else 'does not keep'} the restitution"
            for row in plain
        )
        + f". Both at once: {'; '.join(r['scheme'] for r in both) or 'none'}. With 16 ms of robot "
        f"delay as well: {'; '.join(r['scheme'] for r in late) or 'none'}.",
        [
            f"Restitutions are within {expected:.1e} of exp(pi w h / 2) where that is expected.",
            f"One cycle later (forward) the drift is {forward['drift_mm']:+.2f} mm, "
            + ("worse" if worse else "not worse")
            + f" than without any correction ({none['drift_mm']:+.2f} mm).",
        ],
    )


def _has_no_drift(row: dict[str, Any]) -> bool:
    return abs(row["drift_mm"]) < NO_DRIFT_MM


def _keeps_restitution(row: dict[str, Any]) -> bool:
    return abs(row["restitution"] - 1.0) < EXACT
