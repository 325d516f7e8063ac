"""The whole run in a strip above the charts: the force over time, the contacts shaded, and a window
that says which part of it the charts show. A click on it takes the charts there."""

from __future__ import annotations

import numpy as np

from softdock.report.frame.charts import thin
from softdock.report.run.motion_charts import windows_of
from softdock.runs.run import Run

MOST, HEIGHT = 600, 100.0  # points of the line; height of the drawing, in its own units


def strip(run: Run) -> str:
    """As SVG, in seconds across; the page's style gives the colours."""
    t = run.series["time"]
    force = np.nan_to_num(np.linalg.norm(run.series["true.chaser.force"], axis=1))
    keep = thin(t, force, most=MOST)
    begin, whole = float(t[0]), float(t[-1] - t[0])
    most = float(force.max()) or 1.0
    points = " ".join(
        f"{x - begin:.5g},{HEIGHT * (0.94 - 0.86 * y / most):.4g}"
        for x, y in zip(t[keep].tolist(), force[keep].tolist(), strict=True)
    )
    touches = "".join(
        f'<rect class="touch" x="{a - begin:.6g}" y="0" width="{b - a:.6g}" height="{HEIGHT:g}"/>'
        for a, b in windows_of(run.contacts)
    )
    return (
        f'<svg class="strip" viewBox="0 0 {whole:.6g} {HEIGHT:g}" preserveAspectRatio="none" '
        f'data-begin="{begin:.6g}" role="img" aria-label="The whole run: force over '
        f'{whole:.4g} s; the framed part is what the charts show"><title>The whole run, force over '
        f"{whole:.4g} s. Framed: what the charts show. A click takes them there.</title>"
        f'{touches}<polyline points="{points}"/>'
        f'<rect class="window" x="0" y="0" width="{whole:.6g}" height="{HEIGHT:g}"/></svg>'
    )
