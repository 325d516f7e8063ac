"""Where the run's rig stands on the stability chart: the boundary of the continuous loop with its
whole delay, in closed form, and the run as a dot.

`softdock stability` draws the sampled boundary too, which takes longer than a run.
"""

from __future__ import annotations

from softdock.core.adaptation.registry import METHODS
from softdock.errors import BadInput
from softdock.report.frame.elements import text
from softdock.report.stability.page import EXPLAINED, chart_section
from softdock.runs.run import Run
from softdock.stability import Dot, loops_of
from softdock.stability.budget import total_delay
from softdock.stability.chart import chart_of
from softdock.stability.latched import latched_modes, said
from softdock.stability.loop import Loop, Robot


def stability_section(run: Run) -> str:
    """The first contact's operating point; empty for a scenario without one."""
    try:
        point = loops_of(run.scenario)[0]
    except (BadInput, IndexError):
        return ""
    loop = point.loop
    alike = Loop(
        loop.mass,
        loop.stiffness,
        loop.damping + loop.virtual_damping,
        (Robot(delay=total_delay(loop)),),
    )
    if alike.stiffness <= 0.0:
        return ""
    dots = (
        [Dot(total_delay(loop), alike.damping, run.restitution, "this run")] if run.contacts else []
    )
    panels = chart_of(alike, figure="5", dots=dots)[:1]
    late = f"{1e3 * total_delay(loop):.4g} ms of delay in all: sensor, hold, integrator and robots"
    facts = f"{point.name}: effective mass {loop.mass:.4g} kg, {loop.stiffness:.4g} N/m, {late}."
    methods = [
        method["name"]
        for method in run.scenario.tables["methods"]
        if METHODS[method["name"]].linear_part is None
    ]
    raw = (
        f" The chart is that of the loop without {', '.join(methods)}: the measured force "
        "straight to the satellites."
        if methods
        else ""
    )
    once_latched = " ".join(said(latched_modes(run.scenario)))
    return (
        (text(once_latched, "plain") if once_latched else "")
        + text(facts)
        + text(f"{EXPLAINED}{raw} The sampled loop: softdock stability.")
        + chart_section(panels)
    )
