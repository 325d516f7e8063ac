"""Charts of the stable region like Zebenay's Figs. 5, 6, 7 and 10: delay against damping, stiffness
or mass, with the operating point and measured runs.

`chart(...)` computes and, given a file, draws: .png and .svg by matplotlib (extra `figures`), .html
as one page that needs nothing. The continuous boundary is the closed form, a solid line; the
sampled one, if a cycle is given, dashed. Inside, to the left, the loop is stable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from softdock.errors import BadInput, Problem
from softdock.studies.stability.loop import Loop, Robot, check_loop
from softdock.studies.stability.panels import AXES, MS, Dot, Panel, make_panel

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
) -> list[Panel]:
    """The same for any loop: the sampled boundary is that of the whole loop, sensor, filter and lag
    included.

    All robots get the delay of the axis. A virtual contact is counted with the real one, as if it
    were on the same path.
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

        draw_chart(panels, target, _make_title(drawn))
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
