"""What a stability chart says of its operating point: inside or outside the stable area, how much
delay it bears there, and what would move it across; every number read off the chart's own curve,
the sampled one where there is one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softdock.stability.panels import Curve, Panel

NAMES = {
    False: "boundary of the continuous loop (closed form)",
    True: "boundary of this sampled loop (cycle and hold)",
}
UNITS = {"damping": "Ns/m", "stiffness": "N/m", "mass": "kg"}


class Stand(NamedTuple):
    """Where an operating point stands, by one curve."""

    stable: bool
    borne_ms: float  # delay that its value on the panel's axis bears
    crossings: tuple[float, ...]  # values on the panel's axis that are on the boundary at its delay


def judging(panel: Panel) -> Curve | None:
    """The curve that decides, where a panel has one pair of curves; None where one is varied."""
    if len([c for c in panel.curves if not c.sampled]) != 1:
        return None
    return next((c for c in panel.curves if c.sampled and len(c.value)), panel.curves[0])


def stand(panel: Panel, curve: Curve) -> Stand:
    """By interpolation between the curve's points."""
    delay, value = panel.operating_point
    order = np.argsort(curve.value, kind="stable")
    borne = float(np.interp(value, curve.value[order], curve.delay_ms[order]))
    side = curve.delay_ms - delay
    found = []
    for i in np.flatnonzero(side[:-1] * side[1:] < 0.0):
        share = side[i] / (side[i] - side[i + 1])
        found.append(float(curve.value[i] + share * (curve.value[i + 1] - curve.value[i])))
    return Stand(delay < borne, borne, tuple(sorted(found)))


def is_empty(panel: Panel) -> bool:
    """Whether no delay at all is borne anywhere on the chart, and no run is shown in it."""
    return not panel.dots and all(
        float(np.max(c.delay_ms, initial=0.0)) <= 0.0 for c in panel.curves
    )


def said(panel: Panel) -> str:
    """In a sentence or two; empty for a panel in which something is varied."""
    curve = judging(panel)
    if curve is None or not len(curve.value):
        return ""
    here, unit = stand(panel, curve), UNITS[panel.axis]
    delay, value = panel.operating_point
    where = "inside the stable area" if here.stable else "outside the stable area"
    words = [f"Cross: {delay:.4g} ms and {value:.4g} {unit}, {where}."]
    words.append(f"{value:.4g} {unit} bears {here.borne_ms:.3g} ms of delay.")
    if here.crossings:
        ends = " and ".join(f"{one:.4g}" for one in here.crossings)
        words.append(f"At {delay:.4g} ms the boundary is at {ends} {unit}.")
    elif float(curve.delay_ms.max()) <= 0.0:
        words.append("Without damping no delay is borne: no area of this chart is stable.")
    elif not here.stable:
        most = int(np.argmax(curve.delay_ms))
        words.append(
            f"At {delay:.4g} ms nothing on this chart is stable; the longest delay that it has is "
            f"{curve.delay_ms[most]:.4g} ms at {curve.value[most]:.4g} {unit}."
        )
    return " ".join(words)


def moves(panel: Panel) -> list[dict[str, object]]:
    """Arrows from the operating point to the boundary, each with its length: plotly annotations."""
    curve = judging(panel)
    if curve is None or not len(curve.value):
        return []
    here, (delay, value) = stand(panel, curve), panel.operating_point
    made = []
    if here.crossings:
        to = min(here.crossings, key=lambda one: abs(one - value))
        made.append((delay, to, f"{to - value:+.3g} {UNITS[panel.axis]}"))
    if 0.0 < here.borne_ms <= panel.limits[0]:
        made.append((here.borne_ms, value, f"{here.borne_ms - delay:+.3g} ms"))
    return [
        {
            "x": x,
            "y": y,
            "ax": delay,
            "ay": value,
            "xref": "x",
            "yref": "y",
            "axref": "x",
            "ayref": "y",
            "showarrow": True,
            "arrowhead": 2,
            "text": "",
            "hovertext": words,
        }
        for x, y, words in made
    ] + [
        {
            "x": 0.5 * (x + delay),
            "y": 0.5 * (y + value),
            "xref": "x",
            "yref": "y",
            "showarrow": False,
            "text": words,
            "xanchor": "left" if x == delay else "center",
            "xshift": 14 if x == delay else 0,
            "yshift": 12 if y == value else 0,
        }
        for x, y, words in made
    ]
