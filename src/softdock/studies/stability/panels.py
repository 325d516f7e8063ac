"""The boundary of stability over delay as curves: the panels of a chart, as numbers.

The continuous boundary is the closed form; the sampled one, if the loop has a cycle, is that of the
whole loop. Delay in ms on one axis; damping [Ns/m], stiffness [N/m] or mass [kg] on the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from softdock.studies.stability import closed_forms
from softdock.studies.stability.boundary import stable_stretch
from softdock.studies.stability.critical import find_critical_delay
from softdock.studies.stability.loop import Loop

AXES = {"damping": "damping [Ns/m]", "stiffness": "stiffness [N/m]", "mass": "effective mass [kg]"}
SYMBOLS = {"damping": ("b", "Ns/m"), "stiffness": ("k", "N/m"), "mass": ("m", "kg")}
POINTS, SAMPLED_POINTS, NOSE_STEPS = 400, 80, 10
MS = 1e3


@dataclass(frozen=True)
class Dot:
    """A measured run."""

    delay: float  # s
    value: float  # on the panel's own axis
    restitution: float | None = None
    label: str = ""


@dataclass(frozen=True)
class Curve:
    label: str
    delay_ms: np.ndarray
    value: np.ndarray
    sampled: bool = False


@dataclass(frozen=True)
class Panel:
    title: str
    axis: str  # damping, stiffness or mass
    curves: list[Curve]
    operating_point: tuple[float, float]  # ms, and the axis' own unit
    dots: list[Dot] = field(default_factory=list)
    limits: tuple[float, float] = (1.0, 1.0)  # ends of both axes


def make_panel(
    loop: Loop,
    axis: str,
    varied: str | None = None,
    values: Sequence[float] = (),
    dots: Sequence[Dot] = (),
) -> Panel:
    """Delay against one parameter, one curve for each value of another."""
    loops = [loop] if varied is None else [loop.changed(**{varied: float(v)}) for v in values]
    curves: list[Curve] = []
    top, widest = _choose_top(loops, axis), _choose_width(loops, axis, dots)
    for each in loops:
        label = (
            "boundary"
            if varied is None
            else f"{SYMBOLS[varied][0]} = {getattr(each, varied):.4g} {SYMBOLS[varied][1]}"
        )
        curves.append(_make_continuous_curve(each, axis, top, label))
        if loop.cycle is not None:
            curves.append(_make_sampled_curve(each, axis, top, widest, f"{label}, sampled"))
    point = (MS * loop.delay, getattr(loop, axis))
    title = f"{axis} against delay" + ("" if varied is None else f", {varied} varied")
    return Panel(
        title=title,
        axis=axis,
        curves=curves,
        operating_point=point,
        dots=list(dots),
        limits=(MS * widest, max(top, 1.1 * point[1], *(1.1 * dot.value for dot in dots), 0.0)),
    )


def _choose_top(loops: list[Loop], axis: str) -> float:
    """End of the axis: twice the nose's damping; four times the operating stiffness or mass."""
    if axis == "damping":
        return max(2.0 * closed_forms.nose(each.mass, each.stiffness)[1] for each in loops)
    return 4.0 * max(getattr(each, axis) for each in loops)


def _choose_width(loops: list[Loop], axis: str, dots: Sequence[Dot]) -> float:
    """End of the delay axis [s]: a little beyond the nose; for stiffness and mass, twice what the
    operating point bears."""
    if axis == "damping":
        borne = [1.1 * closed_forms.nose(each.mass, each.stiffness)[0] for each in loops]
    else:
        borne = [
            2.0 * closed_forms.critical_delay(each.mass, each.damping, each.stiffness)
            for each in loops
        ]
    return max([*borne, *(1.2 * each.delay for each in loops), *(1.2 * dot.delay for dot in dots)])


def _make_continuous_curve(loop: Loop, axis: str, top: float, label: str) -> Curve:
    if axis == "damping":  # both branches in one sweep of x = w delay
        x = np.linspace(0.0, 0.5 * np.pi - 1e-4, POINTS)
        own = np.sqrt(loop.stiffness / loop.mass)
        delay, value = (
            x * np.sqrt(np.cos(x)) / own,
            np.sqrt(loop.stiffness * loop.mass) * np.sin(x) / np.sqrt(np.cos(x)),
        )
        keep = value <= top
        return Curve(label, MS * delay[keep], value[keep])
    value = np.linspace(top / POINTS, top, POINTS)
    given = {"mass": loop.mass, "damping": loop.damping, "stiffness": loop.stiffness} | {
        axis: value
    }
    return Curve(
        label,
        MS * closed_forms.critical_delay(given["mass"], given["damping"], given["stiffness"]),
        value,
    )


def _make_sampled_curve(loop: Loop, axis: str, top: float, widest: float, label: str) -> Curve:
    """From the stable stretch at each delay: both its ends for the damping, the outer one for
    stiffness and mass."""
    longest = 1e-3 * float(_make_continuous_curve(loop, axis, top, label).delay_ms.max())
    delays = np.linspace(
        0.0, widest, SAMPLED_POINTS
    )  # the same for all curves: the loop's response is computed once for each
    ends = _compute_stretches(loop, axis, delays[delays <= longest].tolist())
    if axis == "damping":
        ends += _refine_towards_nose(loop, ends[-1][0] if ends else 0.0, longest)
        rising, falling = (
            [(h, low) for h, low, _ in ends],
            [(h, high) for h, _, high in reversed(ends)],
        )
        joined = rising + falling
    else:
        joined = [(h, high if axis == "stiffness" else low) for h, low, high in ends]
        for value in (
            top,
            0.5 * top,
            0.25 * top,
        ):  # where the curve is steep, the delay is looked for
            borne = find_critical_delay(loop.changed(**{axis: value}))
            joined += [(borne, value)] if borne > 0.0 else []
        joined.sort()
    kept = [(h, value) for h, value in joined if value <= top]
    columns = np.array(kept).T if kept else np.zeros((2, 0))
    return Curve(label, MS * columns[0], columns[1], True)


def _compute_stretches(
    loop: Loop, axis: str, delays: Sequence[float]
) -> list[tuple[float, float, float]]:
    """Delay and both ends of the stable stretch, where there is one."""
    found = [(h, stable_stretch(loop.changed(delay=h), axis)) for h in delays]
    return [
        (h, float(stretch[0]), float(stretch[1])) for h, stretch in found if stretch is not None
    ]


def _refine_towards_nose(
    loop: Loop, stable: float, unstable: float
) -> list[tuple[float, float, float]]:
    """Ever closer to the longest delay that any damping bears."""
    found = []
    for _ in range(NOSE_STEPS):
        middle = 0.5 * (stable + unstable)
        ends = _compute_stretches(loop, "damping", [middle])
        stable, unstable = (middle, unstable) if ends else (stable, middle)
        found += ends
    return found


def convert_to_data(panels: list[Panel]) -> list[dict[str, Any]]:
    """The panels as plain data, for JSON."""
    return [
        {
            "title": p.title,
            "x": "delay_ms",
            "y": AXES[p.axis],
            "curves": [
                {
                    "label": c.label,
                    "sampled": c.sampled,
                    "delay_ms": c.delay_ms.tolist(),
                    "value": c.value.tolist(),
                }
                for c in p.curves
            ],
            "operating_point": list(p.operating_point),
            "runs": [
                {
                    "delay_ms": MS * d.delay,
                    "value": d.value,
                    "restitution": d.restitution,
                    "label": d.label,
                }
                for d in p.dots
            ],
        }
        for p in panels
    ]
