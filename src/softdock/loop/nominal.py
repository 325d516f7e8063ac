"""Motion relative to a nominal one (`laboratory.mapping = "nominal"`; De Stefano 2021, after the
abstract): a large body that tumbles fits a small laboratory.

The nominal motion is the target's free one, as if nothing touched it: a third body in `mem`,
integrated as the satellites are. Set-points are the satellites' motions seen from it, so that the
target's robot carries only what the contact does. Contacts feel the relative motion alone, which is
the same. What the laboratory measures comes back by the nominal pose of its own instant, so methods
and books have it in orbit's axes; what a robot is sent, limits and records of mock-ups are the
laboratory's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from softdock.compile.features import is_full
from softdock.compile.jit import by_type, compiled, noinline
from softdock.loop.memory import HEAD
from softdock.loop.method.interface import Output, Wrenches
from softdock.loop.satellites import integrate
from softdock.loop.spatial.motion import Motion, Pose, Wrench, coasting, no_wrench
from softdock.loop.spatial.rigid_body import Body, motion_of
from softdock.loop.spatial.rotations import inverse, product, rotate, rotate_back
from softdock.loop.spatial.vectors import add, cross, subtract

if TYPE_CHECKING:
    from softdock.loop.params import Params


@compiled
def see_from(nominal: Motion, rest: Pose, motion: Motion):
    """A motion relative to the nominal one, which itself rests at `rest`."""
    back = product(rest.q, inverse(nominal.q))  # De Stefano 2021
    arm, turn = subtract(motion.p, nominal.p), rotate(nominal.q, nominal.w)
    v = subtract(subtract(motion.v, nominal.v), cross(turn, arm))
    return Motion(
        add(rest.p, rotate(back, arm)),
        product(back, motion.q),
        rotate(back, v),
        subtract(motion.w, rotate_back(motion.q, turn)),
    )


@compiled
def carry_along(nominal: Motion, rest: Pose, motion: Motion):
    """The inverse of `see_from`."""
    forth = product(nominal.q, inverse(rest.q))
    arm, turn = rotate(forth, subtract(motion.p, rest.p)), rotate(nominal.q, nominal.w)
    q = product(forth, motion.q)
    v = add(add(nominal.v, cross(turn, arm)), rotate(forth, motion.v))
    return Motion(add(nominal.p, arm), q, v, add(motion.w, rotate_back(q, turn)))


@compiled
def _turn_wrench(nominal: Motion, rest: Pose, wrench: Wrench):
    forth = product(nominal.q, inverse(rest.q))
    return Wrench(rotate(forth, wrench.force), rotate(forth, wrench.torque))


@compiled
def _find_nominal(target, mem, age):
    """The nominal motion `age` [s] before the instant that it stands at; `target`: BodyParams."""
    return coasting(motion_of(target, HEAD(mem).nominal), -age)


@compiled
def note_nominal(mem, body: Body):
    """The nominal motion is at the pose of `body`."""
    HEAD(mem).nominal = body


@compiled
def begin_nominal(params: Params, mem, target: Body):
    """The nominal motion at t = 0: it rests in the laboratory where the target is."""
    head = HEAD(mem)
    head.is_relative = params.flags.nominal
    head.nominal = target
    head.rest = Pose(target.p, target.q)


@compiled
def _stay(features, params: Params, mem):
    pass


@noinline
def _advance(features, params: Params, mem):
    head = HEAD(mem)
    head.nominal = integrate(params.integrator, params.target, params.T, head.nominal, no_wrench())


@by_type(lambda cls: _advance if is_full(cls) else _stay)
def advance_nominal(features, params, mem):
    """The nominal motion over one cycle."""


@compiled
def _keep(features, params: Params, mem, output: Output):
    return output


@noinline
def _map(features, params: Params, mem, output: Output):
    nominal, rest = _find_nominal(params.target, mem, 0.0), HEAD(mem).rest
    return Output(see_from(nominal, rest, output.chaser), see_from(nominal, rest, output.target))


@by_type(lambda cls: _map if is_full(cls) else _keep)
def map_to_nominal(features, params, mem, output):
    """Set-points of the instant that the nominal motion stands at, relative to it."""


@noinline
def restore_motions(target, mem, output: Output, age):
    """Motions of the laboratory in orbit's axes, `age` [s] before the nominal motion's instant."""
    nominal, rest = _find_nominal(target, mem, age), HEAD(mem).rest
    return Output(
        carry_along(nominal, rest, output.chaser), carry_along(nominal, rest, output.target)
    )


@noinline
def restore_wrenches(target, mem, wrenches: Wrenches, age):
    """Wrenches of the laboratory in orbit's axes."""
    nominal, rest = _find_nominal(target, mem, age), HEAD(mem).rest
    return Wrenches(
        _turn_wrench(nominal, rest, wrenches.chaser), _turn_wrench(nominal, rest, wrenches.target)
    )


@compiled
def restore_set_points(rig, mem, output: Output):
    """What is sent, as orbit has it: for a method that pairs set-points with wrenches."""
    if HEAD(mem).is_relative:
        return restore_motions(rig.target, mem, output, 0.0)
    return output


@compiled
def is_relative(mem):
    """Whether robots carry the motion relative to the nominal one."""
    return HEAD(mem).is_relative


@compiled
def relative_velocity(rig, mem, p, v):
    """Velocity of a place less the nominal motion's there: what a late robot lags behind."""
    if not HEAD(mem).is_relative:
        return v
    nominal = _find_nominal(rig.target, mem, 0.0)
    turn = rotate(nominal.q, nominal.w)
    return subtract(subtract(v, nominal.v), cross(turn, subtract(p, nominal.p)))


@noinline
def _ahead_of_nominal(rig, mem, motion: Motion, lead):
    rest = HEAD(mem).rest
    then = _find_nominal(rig.target, mem, -rig.T - lead)
    return carry_along(_find_nominal(rig.target, mem, -rig.T), rest, see_from(then, rest, motion))


@compiled
def lead_relative_motion(rig, mem, motion: Motion, lead):
    """A set-point of the next instant that is `lead` [s] ahead: ahead in the relative motion alone,
    before the nominal motion goes on."""
    if HEAD(mem).is_relative and lead > 0.0:
        return _ahead_of_nominal(rig, mem, motion, lead)
    return motion
