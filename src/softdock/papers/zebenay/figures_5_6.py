"""Figs. 5 and 6: where the linear loop is stable, around m = 60 kg, k = 1000 N/m, b = 50 Ns/m."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from softdock.output.pages.frame.charts import ROLES, Line, chart
from softdock.papers.frame import Column, Exhibit, Findings
from softdock.papers.zebenay.loops import critical_delay_of_the_loop
from softdock.papers.zebenay.models import Chaser
from softdock.studies.stability import (
    critical_dampings,
    critical_delay,
    critical_delays,
    critical_stiffness,
    nose,
    unstable_poles,
)
from softdock.studies.stability.closed_forms import crossing_frequency, short_delay_rule

AGREE = 1e-3  # relative: closed form and simulated runs


def summarise_figure_5(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Findings:
    worst = numbers["largest_departure_of_the_simulation"]
    agree = "agree" if worst < AGREE else "DO NOT agree"
    printed = next(row for row in rows if row["published_ms"] is not None)
    met = abs(printed["ours_ms"] / printed["published_ms"] - 1.0) < 0.05
    return Findings(
        "At m = 60 kg, k = 1000 N/m, b = 50 Ns/m the loop is stable up to "
        f"{numbers['critical_delay_ms']:.1f} ms of delay; with no damping is it stable above "
        f"{numbers['nose_delay_ms']:.1f} ms. Closed forms and simulated runs {agree} (worst "
        f"{100 * worst:.2g} %). The one printed number, {printed['published_ms']:g} ms at "
        f"{printed['damping_Ns_per_m']:g} Ns/m, is {'met' if met else 'NOT met'}: "
        f"{printed['ours_ms']:.2f} ms."
    )


def _is_falling(values: list[float]) -> bool:
    return all(b < a for a, b in pairwise(values))


def _select_sweep(rows: list[dict[str, Any]], key: str) -> list[dict[str, Any]]:
    """The rows in which `key` varies, sorted; the common point of all sweeps occurs once."""
    others = [k for k in ("mass_kg", "stiffness_N_per_m", "damping_Ns_per_m") if k != key]
    values = {k: sorted(row[k] for row in rows)[len(rows) // 2] for k in others}
    unique = {row[key]: row for row in rows if all(row[k] == values[k] for k in others)}
    return [unique[value] for value in sorted(unique)]


def summarise_figure_6(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Findings:
    by_k, by_m, by_b = (
        _select_sweep(rows, key) for key in ("stiffness_N_per_m", "mass_kg", "damping_Ns_per_m")
    )
    shrinks = _is_falling([r["critical_delay_ms"] for r in by_k]) and _is_falling(
        [r["nose_delay_ms"] for r in by_k]
    )
    widens = _is_falling([-r["nose_delay_ms"] for r in by_m])
    low, high = numbers["light_least_ms"], numbers["light_most_ms"]
    hardly = high / low - 1.0 < 0.05
    stated = [
        f"more stiffness {'shrinks' if shrinks else 'does NOT shrink'} the stable region",
        f"more mass {'widens' if widens else 'does NOT widen'} it",
        f"with 20 Ns/m the critical delay {'hardly depends' if hardly else 'DEPENDS'} on the mass "
        f"({low:.2f} to {high:.2f} ms)",
    ]
    published = "As published" if shrinks and widens and hardly else "Not all as published"
    most = max(row["damping_Ns_per_m"] for row in by_b)
    nose = by_b[0]["nose_damping_Ns_per_m"]
    grows = _is_falling([-r["critical_delay_ms"] for r in by_b])
    return Findings(
        f"{published}: {', '.join(stated)}.",
        [
            '"An increasing damping enlarges the stable region" '
            + (f"holds up to {most:g} Ns/m here" if grows else f"fails up to {most:g} Ns/m here")
            + f", and can hold only below the nose's damping, {nose:.0f} Ns/m: above it more "
            "damping costs delay."
        ],
    )


def simulated_critical_delay(mass: float, damping: float, stiffness: float) -> float:
    """Critical delay by bisection on the growth of simulated runs [s]."""
    chaser = Chaser(
        mass=mass,
        inertia=10.0 * np.eye(3),
        lever=np.zeros(3),
        stiffness=stiffness,
        damping=damping,
        normal=np.array([1.0, 0.0, 0.0]),
    )
    guess = critical_delay(mass, damping, stiffness)
    return critical_delay_of_the_loop(chaser, guess, tolerance=1e-4)


def damping_against_delay(mass: float, stiffness: float, name: str, role: str) -> list[Line]:
    """Fig. 5a: both branches, joined at the nose."""
    longest, _ = nose(mass, stiffness)
    h = longest * np.sin(np.linspace(0.02, 0.5 * np.pi, 300))
    lower, upper = critical_dampings(mass, stiffness, h)
    return [
        Line(
            name,
            role,
            1e3 * np.concatenate([h, h[::-1]]),
            np.concatenate([lower, upper[::-1]]),
            extra={"mode": "lines"},
        )
    ]


def stiffness_against_delay(mass: float, damping: float, name: str, role: str) -> list[Line]:
    """Fig. 5b."""
    h = np.linspace(0.002, 0.3, 400)
    return [Line(name, role, 1e3 * h, np.asarray(critical_stiffness(mass, damping, h)))]


def delay_against_mass(damping: float, stiffness: float, name: str, role: str) -> list[Line]:
    """Fig. 5c."""
    m = np.geomspace(0.3, 300.0, 300)
    return [Line(name, role, m, 1e3 * np.asarray(critical_delay(m, damping, stiffness)))]


MASS, STIFFNESS, DAMPING = 60.0, 1000.0, 50.0  # kg, N/m, Ns/m; published
MASSES, STIFFNESSES, DAMPINGS = (
    (30.0, 60.0, 120.0),
    (500.0, 1000.0, 2000.0),
    (20.0, 50.0, 100.0),
)  # of Fig. 6, assumed
TESTED = (
    20.0,
    50.0,
    100.0,
    200.0,
    400.0,
)  # Ns/m: critical delays that are also found by simulation


def _critical_delays() -> list[dict[str, Any]]:
    """Critical delays by the formulas and by simulation, at every tested damping."""
    rows = []
    for b in TESTED:
        exact, simulated = (
            critical_delay(MASS, b, STIFFNESS),
            simulated_critical_delay(MASS, b, STIFFNESS),
        )
        rows.append(
            {
                "damping_Ns_per_m": b,
                "published_ms": 20.0 if b == 20.0 else None,
                "ours_ms": 1e3 * exact,
                "simulated_ms": 1e3 * simulated,
                "rule_ms": 1e3 * short_delay_rule(b, STIFFNESS),
                "unstable_poles_at_300_ms": unstable_poles(MASS, b, STIFFNESS, 0.3),
            }
        )
    return rows


def _panels(rows: list[dict[str, Any]], h_c_ms: float) -> list[str]:
    """The three panels, with the operating point."""
    dots = Line(
        "simulated",
        "c2",
        np.array([r["simulated_ms"] for r in rows]),
        np.array(TESTED),
        extra={"mode": "markers", "marker": {"size": 9}},
    )
    here = {"mode": "markers", "marker": {"size": 11, "symbol": "x"}}
    shapes = {"hovermode": "closest"}
    return [
        chart(
            "figure_5a",
            "(a) Damping against delay: stable inside",
            [
                *damping_against_delay(MASS, STIFFNESS, "limit", "c1"),
                dots,
                Line(
                    "operating point",
                    "c3",
                    np.array([h_c_ms]),
                    np.array([DAMPING]),
                    extra=here,
                ),
            ],
            "delay [ms]",
            "damping [Ns/m]",
            time_axis=False,
            layout=shapes | {"yaxis": {"title": {"text": "damping [Ns/m]"}, "range": [0, 800]}},
        ),
        chart(
            "figure_5b",
            "(b) Stiffness against delay: stable below",
            [
                *stiffness_against_delay(MASS, DAMPING, "limit", "c1"),
                Line(
                    "operating point",
                    "c3",
                    np.array([h_c_ms]),
                    np.array([STIFFNESS]),
                    extra=here,
                ),
            ],
            "delay [ms]",
            "stiffness [N/m]",
            time_axis=False,
            layout=shapes | {"yaxis": {"title": {"text": "stiffness [N/m]"}, "range": [0, 5000]}},
        ),
        chart(
            "figure_5c",
            "(c) Critical delay against mass: stable below",
            [
                *delay_against_mass(DAMPING, STIFFNESS, "limit", "c1"),
                Line("operating point", "c3", np.array([MASS]), np.array([h_c_ms]), extra=here),
            ],
            "mass [kg]",
            "critical delay [ms]",
            time_axis=False,
            layout=shapes,
        ),
    ]


def make_figure_5() -> Exhibit:
    h_c, w_c = (
        critical_delay(MASS, DAMPING, STIFFNESS),
        crossing_frequency(MASS, DAMPING, STIFFNESS),
    )
    longest, best = nose(MASS, STIFFNESS)
    rows = _critical_delays()
    worst = max(abs(r["simulated_ms"] / r["ours_ms"] - 1.0) for r in rows)
    return Exhibit(
        key="figure_5",
        title="Fig. 5: where the linear loop is stable",
        says=summarise_figure_5,
        columns=(
            Column("damping_Ns_per_m", "b [Ns/m]"),
            Column("published_ms", "critical delay, published [ms]"),
            Column("ours_ms", "by (108), (110) [ms]"),
            Column("simulated_ms", "simulated [ms]"),
            Column("rule_ms", "by (112), b/k [ms]"),
            Column("unstable_poles_at_300_ms", "unstable poles at 300 ms"),
        ),
        rows=rows,
        numbers={
            "critical_delay_ms": 1e3 * h_c,
            "crossing_frequency_rad_per_s": w_c,
            "nose_delay_ms": 1e3 * longest,
            "nose_damping_Ns_per_m": best,
            "critical_delays_ms": [
                1e3 * float(h) for h in critical_delays(MASS, DAMPING, STIFFNESS, 4)
            ],
            "largest_departure_of_the_simulation": worst,
        },
        assumptions=(
            "Published: the operating point, curves without numbers, and that 20 Ns/m is stable "
            "up to 20 ms.",
        ),
        remarks=(
            "The paper's limit beyond which no damping helps is given without a number; in "
            "closed form it is the nose, x tan x = 2.",
            "The family (109) counts upwards only: each further delay adds two unstable poles.",
        ),
        charts=_panels(rows, 1e3 * h_c),
    )


Curve = Callable[[float, str, str], list[Line]]

# panel: title, what is varied with its unit, its values, the curve for one value, axis titles
PANELS: tuple[tuple[str, str, str, Sequence[float], Curve, str, str], ...] = (
    (
        "a",
        "stiffness",
        "N/m",
        STIFFNESSES,
        lambda k, name, role: damping_against_delay(MASS, k, name, role),
        "delay [ms]",
        "damping [Ns/m]",
    ),
    (
        "b",
        "mass",
        "kg",
        MASSES,
        lambda m, name, role: damping_against_delay(m, STIFFNESS, name, role),
        "delay [ms]",
        "damping [Ns/m]",
    ),
    (
        "c",
        "mass",
        "kg",
        MASSES,
        lambda m, name, role: stiffness_against_delay(m, DAMPING, name, role),
        "delay [ms]",
        "stiffness [N/m]",
    ),
    (
        "d",
        "damping",
        "Ns/m",
        DAMPINGS,
        lambda b, name, role: stiffness_against_delay(MASS, b, name, role),
        "delay [ms]",
        "stiffness [N/m]",
    ),
    (
        "e",
        "damping",
        "Ns/m",
        DAMPINGS,
        lambda b, name, role: delay_against_mass(b, STIFFNESS, name, role),
        "mass [kg]",
        "critical delay [ms]",
    ),
    (
        "f",
        "stiffness",
        "N/m",
        STIFFNESSES,
        lambda k, name, role: delay_against_mass(DAMPING, k, name, role),
        "mass [kg]",
        "critical delay [ms]",
    ),
)


def make_figure_6() -> Exhibit:
    charts, rows = [], []
    for letter, what, unit, values, curve, x_title, y_title in PANELS:
        lines = [
            line
            for i, value in enumerate(values)
            for line in curve(value, f"{value:g} {unit}", ROLES[i])
        ]
        most = {"damping [Ns/m]": 1000, "stiffness [N/m]": 5000}.get(y_title)
        limits = {"yaxis": {"title": {"text": y_title}, "range": [0, most]}} if most else {}
        charts.append(
            chart(
                f"figure_6{letter}",
                f"({letter}) {what} varied",
                lines,
                x_title,
                y_title,
                time_axis=False,
                layout={"hovermode": "closest"} | limits,
            )
        )
    for what, values in (
        ("stiffness_N_per_m", STIFFNESSES),
        ("mass_kg", MASSES),
        ("damping_Ns_per_m", DAMPINGS),
    ):
        for value in values:
            point = {
                "mass_kg": MASS,
                "stiffness_N_per_m": STIFFNESS,
                "damping_Ns_per_m": DAMPING,
            } | {what: value}
            m, k, b = point["mass_kg"], point["stiffness_N_per_m"], point["damping_Ns_per_m"]
            longest, best = nose(m, k)
            rows.append(
                point
                | {
                    "critical_delay_ms": 1e3 * critical_delay(m, b, k),
                    "nose_delay_ms": 1e3 * longest,
                    "nose_damping_Ns_per_m": best,
                }
            )
    light = [1e3 * critical_delay(m, 20.0, STIFFNESS) for m in MASSES]
    numbers = {"light_least_ms": min(light), "light_most_ms": max(light)}
    return Exhibit(
        key="figure_6",
        title="Fig. 6: how the limits move",
        says=summarise_figure_6,
        columns=(
            Column("mass_kg", "m [kg]"),
            Column("stiffness_N_per_m", "k [N/m]"),
            Column("damping_Ns_per_m", "b [Ns/m]"),
            Column("critical_delay_ms", "critical delay [ms]"),
            Column("nose_delay_ms", "longest of any damping [ms]"),
            Column("nose_damping_Ns_per_m", "at damping [Ns/m]"),
        ),
        rows=rows,
        numbers=numbers,
        assumptions=(
            "The swept values are not published; assumed: k 500, 1000, 2000 N/m; m 30, 60, "
            "120 kg; b 20, 50, 100 Ns/m.",
        ),
        remarks=(),
        charts=charts,
    )
