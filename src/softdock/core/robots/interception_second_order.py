"""The fastest profile under limits of speed and acceleration, with infinite jerk: brake, one way,
cruise, the other way.

With acceleration +-amax the distance over a peak velocity vp is (2 vp^2 - v0^2 - vf^2) / (2 amax),
so vp is a square root. The direct change from v0 to vf covers d0. A target beyond d0 is reached
over the top (vp >= v0, vf), one short of d0 over the bottom: the same, mirrored. In the form of the
nine phases of `interception.Profile`, of which four are used. Tested against Ruckig.
"""

from __future__ import annotations

import math

from softdock.core.machine.compiled import compiled


@compiled
def second_order_durations(task, bounds, resolution, relative):
    """Durations and accelerations of a task. A direct change that hits its distance to within
    `resolution` plus `relative` of its own length is taken."""
    d, v0, _, vf = task
    vmin, vmax, amax, _ = bounds
    v_b = min(max(v0, vmin), vmax)
    t_brake = abs(v0 - v_b) / amax
    a_brake = amax if v_b > v0 else -amax
    d -= 0.5 * (v0 + v_b) * t_brake

    t_direct = abs(vf - v_b) / amax
    d_direct = 0.5 * (v_b + vf) * t_direct
    resolution += relative * (abs(v_b) + abs(vf)) * t_direct
    s = 1.0 if d >= d_direct else -1.0
    up, cruise, down = 0.0, 0.0, t_direct
    if abs(d - d_direct) <= resolution:
        s = 1.0 if v_b >= vf else -1.0
    else:
        top = vmax if s > 0.0 else -vmin
        up, cruise, down = _over_the_top(s * d, s * v_b, s * vf, top, amax)
    durations = (t_brake, 0.0, up, 0.0, 0.0, cruise, 0.0, down, 0.0)
    return durations, (a_brake, 0.0, s * amax, 0.0, 0.0, 0.0, 0.0, -s * amax, 0.0)


@compiled
def _over_the_top(d, v0, vf, vmax, amax):
    """Durations up, at vmax, down."""
    half = 0.5 * (vf - v0) * (vf + v0)
    peak = math.sqrt(max(amax * d + 0.5 * (v0 * v0 + vf * vf), 0.0))
    if peak <= vmax:
        return _rise(amax * d + half, v0, peak) / amax, 0.0, _rise(amax * d - half, vf, peak) / amax
    excess = d - 0.5 * ((vmax - v0) * (vmax + v0) + (vmax - vf) * (vmax + vf)) / amax
    cruise = max(excess, 0.0) / vmax if vmax > 0.0 else math.inf
    return (vmax - v0) / amax, cruise, (vmax - vf) / amax


@compiled
def _rise(difference, v, peak):
    """peak - v, given peak^2 - v^2, without cancellation."""
    if v > 0.0:
        return max(difference, 0.0) / (peak + v)
    return peak - v
