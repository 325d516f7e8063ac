"""Charts of the stable region like Zebenay's Figs. 5, 6, 7 and 10: delay against damping, stiffness
or mass, with the operating point and measured runs.

`chart(...)` computes and, given a file, draws: .png and .svg by matplotlib (extra `figures`), .html
as one page that needs nothing. The continuous boundary is the closed form, a solid line; the
sampled one, if a cycle is given, dashed. Inside, to the left, the loop is stable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.studies.stability import closed_forms
from softdock.studies.stability.boundary import stable_stretch
from softdock.studies.stability.critical import find_critical_delay
from softdock.studies.stability.dead_band import Sweep
from softdock.studies.stability.loop import Loop, Robot, check_loop

# The boundary of stability over delay as curves: the panels of a chart, as numbers.
#
# The continuous boundary is the closed form; the sampled one, if the loop has a cycle, is that of
# the whole loop. Delay in ms on one axis; damping [Ns/m], stiffness [N/m] or mass [kg] on the
# other.

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
    stretches = [(h, stable_stretch(loop.changed(delay=h), axis)) for h in delays]
    return [
        (h, float(stretch[0]), float(stretch[1])) for h, stretch in stretches if stretch is not None
    ]


def _refine_towards_nose(
    loop: Loop, stable: float, unstable: float
) -> list[tuple[float, float, float]]:
    """Ever closer to the longest delay that any damping bears."""
    stretches = []
    for _ in range(NOSE_STEPS):
        middle = 0.5 * (stable + unstable)
        ends = _compute_stretches(loop, "damping", [middle])
        stable, unstable = (middle, unstable) if ends else (stable, middle)
        stretches += ends
    return stretches


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


FIGURES = ("5", "6", "7", "10")
SWEPT = {
    "stiffness": (0.5, 1.0, 2.0),
    "mass": (0.5, 1.0, 2.0),
    "damping": (0.4, 1.0, 2.0),
}  # of the operating point; Fig. 6's own values are not published
SPREAD = 118.0 / 1066.0  # of the stiffness in Fig. 10, as printed there
ENDINGS = (".png", ".svg", ".html")


def chart(
    mass: float,
    stiffness: float,
    damping: float,
    delay: float,
    cycle: float | None = None,
    *,
    figure: str = "5",
    vary: Mapping[str, Sequence[float]] | None = None,
    dots: Sequence[Dot] = (),
    file: str | Path | None = None,
    integrator: str = "exact_hold",
) -> list[Panel]:
    """The panels of a figure around an operating point (SI), drawn to `file` if one is given.

    `figure`: 5, damping, stiffness and mass against delay; 6, the same with other parameters
    varied; 7, damping against delay; 10, the same for several stiffnesses. `vary`: values of a
    parameter in place of the default ones. `dots`: measured runs, on the damping panels.
    """
    loop = Loop(
        mass=mass,
        stiffness=stiffness,
        damping=damping,
        robots=(Robot(delay=delay),),
        cycle=cycle,
        integrator=integrator,
    )
    return chart_of(loop, figure=figure, vary=vary, dots=dots, file=file)


def chart_of(
    loop: Loop,
    *,
    figure: str = "5",
    vary: Mapping[str, Sequence[float]] | None = None,
    dots: Sequence[Dot] = (),
    file: str | Path | None = None,
    verdict: Mapping[str, Any] | None = None,
    dead_band: Sweep | None = None,
) -> list[Panel]:
    """The same for any loop: the sampled boundary is that of the whole loop, sensor, filter and lag
    included.

    `verdict`: of the rig's simulated runs, for the page; `dead_band`: drawn beside the panels. All
    robots get the delay of the axis. A virtual contact is counted with the real one, as if it were
    on the same path.
    """
    if str(figure) not in FIGURES:
        raise BadInput(Problem("figure", figure, "one of " + ", ".join(FIGURES)))
    check_loop(loop)
    target = None if file is None else check_file(file)
    drawn = _check_drawable(loop)
    swept = {
        name: [factor * getattr(drawn, name) for factor in factors if getattr(drawn, name) > 0.0]
        for name, factors in SWEPT.items()
    }
    swept["damping"] = swept["damping"] or [
        factor * drawn.stiffness * drawn.delay for factor in SWEPT["damping"]
    ]
    swept["stiffness_spread"] = [drawn.stiffness * (1.0 + s * SPREAD) for s in (-1.0, 0.0, 1.0)]
    for name, values in (vary or {}).items():
        if name not in AXES or not values or not all(v > 0.0 for v in values):
            raise BadInput(
                Problem(f"vary.{name}", list(values), "numbers > 0 for one of " + ", ".join(AXES))
            )
        swept[name] = swept[f"{name}_spread"] = list(values)
    panels = _make_panels(drawn, str(figure), swept, list(dots))
    if target is not None:
        from softdock.output.pages.stability import draw_chart

        draw_chart(panels, target, _make_title(drawn), verdict, dead_band)
    return panels


def _check_drawable(loop: Loop) -> Loop:
    """One real contact, and a sensor in step with the cycle."""
    together = loop.changed(
        stiffness=loop.stiffness + loop.virtual_stiffness,
        damping=loop.damping + loop.virtual_damping,
        virtual_stiffness=0.0,
        virtual_damping=0.0,
    )
    return (
        together if loop.cycle is None or loop.pattern == 1 else together.changed(sensor_period=0.0)
    )


def check_file(file: str | Path) -> Path:
    """The file, if its ending is one we draw and its folder is there."""
    path = Path(file)
    if path.suffix.lower() not in ENDINGS:
        raise BadInput(Problem("chart", str(file), "a file ending in " + ", ".join(ENDINGS)))
    if not path.parent.is_dir() or path.is_dir():
        raise BadInput(Problem("chart", str(file), "a file in a folder that exists"))
    return path


def _make_title(loop: Loop) -> str:
    sampled = "" if loop.cycle is None else f", cycle {MS * loop.cycle:g} ms"
    return (
        f"{loop.mass:g} kg, {loop.stiffness:g} N/m, {loop.damping:g} Ns/m, delay "
        f"{MS * loop.delay:g} ms{sampled}"
    )


def _make_panels(
    loop: Loop, figure: str, swept: dict[str, list[float]], dots: list[Dot]
) -> list[Panel]:
    if figure == "5":
        return [make_panel(loop, axis, dots=dots if axis == "damping" else []) for axis in AXES]
    if figure == "6":
        pairs = (
            ("damping", "stiffness"),
            ("damping", "mass"),
            ("stiffness", "mass"),
            ("stiffness", "damping"),
            ("mass", "damping"),
            ("mass", "stiffness"),
        )
        return [
            make_panel(loop, axis, varied, swept[varied], dots if axis == "damping" else [])
            for axis, varied in pairs
        ]
    if figure == "7":
        return [_zoom_in(make_panel(loop, "damping", dots=dots))]
    return [_zoom_in(make_panel(loop, "damping", "stiffness", swept["stiffness_spread"], dots))]


def _zoom_in(whole: Panel) -> Panel:
    """Only the part around operating point and runs."""
    delays, values = [whole.operating_point[0]], [whole.operating_point[1]]
    for dot in whole.dots:
        delays.append(MS * dot.delay)
        values.append(dot.value)
    widest = min(whole.limits[0], 2.5 * max(delays)) if max(delays) > 0.0 else whole.limits[0]
    reached = [
        float(
            c.value[: len(c.value) // 2][c.delay_ms[: len(c.value) // 2] <= widest].max(initial=0.0)
        )
        for c in whole.curves
    ]  # lower branch
    top = min(whole.limits[1], 1.15 * max([1.5 * max(values), *reached]))
    return replace(whole, limits=(widest, top))
