"""The trade: drift under a held force against restitution in contact, for every integrator and
method that softdock has."""

from __future__ import annotations

from typing import Any

import numpy as np

from softdock.analysis.simulation import fly
from softdock.core.adaptation.passive_integrator.keys import FORMS
from softdock.core.adaptation.registry import METHODS
from softdock.core.satellites import INTEGRATORS
from softdock.papers.de_stefano.trade_chart import trade_chart
from softdock.papers.frame import Column, Exhibit, Said
from softdock.scenario.build import build

MASS, STIFFNESS, CYCLE, SPEED = (
    250.0,
    4000.0,
    0.004,
    0.02,
)  # kg, N/m, s, m/s: physics of the four golden restitutions
PUSH, PUSH_TIME = 60.0, 5.0  # N, s
PHASES = 8
UNTOLD = (
    "delay_passivity",
    "energy_ledger",
)  # methods of energy that must be told nothing of the rig
TOLD = (
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


def _golden(name: str) -> float | None:
    return (
        PASSIVE_GOLDEN[name.split(", ")[-1]]
        if name.startswith("passive_integrator")
        else GOLDEN.get(name)
    )


def held_drift(integrator: str, methods: list[dict[str, Any]]) -> float:
    """Set-point ahead of the exact position after 60 N for 5 s [m]."""
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
    end = fly(build(tables)).series["command.chaser.position.x"][-1]
    return float(end - PUSH / MASS * (0.5 * PUSH_TIME**2 + PUSH_TIME))


def bounce(integrator: str, methods: list[dict[str, Any]], delay_ms: float = 0.0) -> float:
    """Restitution on the lossless spring, mean over the sampling phase."""
    found = []
    for phase in np.arange(PHASES) / PHASES:
        found.append(fly(build(_contact(integrator, methods, delay_ms, float(phase)))).restitution)
    return float(np.mean(found))


def _contact(
    integrator: str, methods: list[dict[str, Any]], delay_ms: float, phase: float
) -> dict[str, Any]:
    """The bounce, its touch later by a share of a cycle."""
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


def schemes() -> list[tuple[str, str, list[dict[str, Any]]]]:
    """Name, integrator and methods of everything that is compared."""
    found: list[tuple[str, str, list[dict[str, Any]]]] = [
        (i.name, i.name, [{"name": "direct"}]) for i in INTEGRATORS
    ]
    for form in FORMS:
        for pairing in ("symplectic", "forward"):
            methods = [{"name": "passive_integrator", "form": form, "pairing": pairing}]
            found.append((f"passive_integrator, {form}, {pairing}", "symplectic_euler", methods))
    for name in UNTOLD:
        for integrator in ("symplectic_euler", "exact_hold"):
            found.append((f"{name}, {integrator}", integrator, [{"name": name}]))
    found += [(f"{name}, exact_hold, told", "exact_hold", [{"name": name}]) for name in TOLD]
    return found


def _told(methods: list[dict[str, Any]], delay_ms: float) -> list[dict[str, Any]]:
    """The methods, those of TOLD with the keys they suggest for this contact."""
    tables = _contact("exact_hold", [{"name": "direct"}], delay_ms, 0.0)
    return [
        m | (METHODS[m["name"]].suggest(build(tables)) if m["name"] in TOLD else {})
        for m in methods
    ]


def make_trade() -> Exhibit:
    rows: list[dict[str, Any]] = []
    for name, integrator, methods in schemes():
        rows.append(
            {
                "scheme": name,
                "drift_mm": round(1e3 * held_drift(integrator, _told(methods, 0.0)), 6) + 0.0,
                "restitution": bounce(integrator, _told(methods, 0.0)),
                "restitution_16_ms": bounce(integrator, _told(methods, 16.0), 16.0),
                "golden": _golden(name),
            }
        )
    return Exhibit(
        key="trade",
        title="The trade: drift under a held force against restitution",
        says=_said,
        columns=(
            Column("scheme", "integrator or method"),
            Column("drift_mm", "drift [mm]"),
            Column("restitution", "restitution, no delay"),
            Column("golden", "expected"),
            Column("restitution_16_ms", "with robots 16 ms late"),
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


NO_DRIFT_MM, HONEST = 1e-3, 1e-3  # mm; of a restitution of 1


def _said(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Said:
    at = {row["scheme"]: row for row in rows}
    plain = [row for row in rows if row["scheme"] in {i.name for i in INTEGRATORS}]
    both = [row for row in rows if _still(row) and _bounces(row)]
    late = [row for row in both if abs(row["restitution_16_ms"] - 1.0) < HONEST]
    alone = [row["scheme"] for row in plain if row in both]
    expected = max(abs(r["restitution"] - r["golden"]) for r in rows if r["golden"] is not None)
    forward = at["passive_integrator, published, forward"]
    none = at["symplectic_euler"]
    worse = abs(forward["drift_mm"]) > abs(none["drift_mm"])
    return Said(
        "Of integrators by themselves "
        + (f"{', '.join(alone)} has both" if alone else "none has both")
        + ": "
        + "; ".join(
            f"{row['scheme']} {'does not drift' if _still(row) else 'drifts'} and "
            f"{'bounces honestly' if _bounces(row) else 'does not bounce honestly'}"
            for row in plain
        )
        + f". Both at once: {'; '.join(r['scheme'] for r in both) or 'none'}. With robots 16 ms "
        f"late as well: {'; '.join(r['scheme'] for r in late) or 'none'}.",
        [
            f"Restitutions are within {expected:.1e} of exp(pi w h / 2) where that is expected.",
            f"One cycle later (forward) the drift is {forward['drift_mm']:+.2f} mm, "
            + ("worse" if worse else "not worse")
            + f" than without any correction ({none['drift_mm']:+.2f} mm).",
        ],
    )


def _still(row: dict[str, Any]) -> bool:
    return abs(row["drift_mm"]) < NO_DRIFT_MM


def _bounces(row: dict[str, Any]) -> bool:
    return abs(row["restitution"] - 1.0) < HONEST
