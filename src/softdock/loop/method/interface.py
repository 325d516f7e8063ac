"""What a method sees and returns. Only what a rig would know: measured wrench and poses with their
ages, the simulated satellites, the clock.

A method has a `Group` of parameters, a NamedTuple that `prepare` fills from the vector, and hooks
that share one slice of `mem` (its first index is the method's field `memory`; memory.py):

    wrench(method, mem, rig, measured, satellites, wrenches) -> Wrenches
        what acts on the satellites
    correct(method, mem, rig, measured, before, after, output) -> (Satellites, Output)
        the state at the end of the cycle, and what the robots are sent
    set_point(method, mem, rig, satellites, output) -> Output
        the command that leaves
    external(method, mem, rig, satellites) -> Wrenches
        a wrench of its own (thrusters, a user's function), booked as external

Three more belong to a method that puts a wanted contact in place of the real one: `rewound`,
`replaced` and `past` (method.py). Methods apply in the order a scenario lists them; each gets what
the one before returned.
"""

from __future__ import annotations

from typing import NamedTuple

from softdock.compile.cells import layout_of
from softdock.loop.spatial.motion import Motion, Wrench
from softdock.loop.spatial.rigid_body import Body, BodyParams


class Satellites(NamedTuple):
    """The simulated states."""

    chaser: Body
    target: Body


class Wrenches(NamedTuple):
    """Wrenches on each satellite, about its centre of mass, world axes."""

    chaser: Wrench
    target: Wrench


class Output(NamedTuple):
    """Pose and twist of each body: what the robots are to do."""

    chaser: Motion
    target: Motion


OUTPUT = layout_of(Output)


class Measured(NamedTuple):
    """What the facility reported at t_k."""

    wrenches: Wrenches
    mock_ups: Output  # measured poses and twists
    # s since the force sample was taken; of a mean, since its samples were taken on average
    force_age: float
    pose_age: float  # s since the poses were taken
    mismatch: float  # N; with sensors on both mock-ups, how far they are from equal and opposite


class Rig(NamedTuple):
    """What is known of the rig without measuring."""

    cycle: int  # k
    T: float  # s, the control cycle
    chaser: BodyParams
    target: BodyParams


class Replaced(NamedTuple):
    """What a method that puts a wanted contact in place of the real one did in a cycle, for the
    books and the log of contacts."""

    taken: float  # J, by the wanted contact: stored and lost
    acts: bool  # the satellites are still in it, or may be
    pushes: bool  # the wanted contact has a force in this cycle


class Past(NamedTuple):
    """An instant of a past that a method has recomputed."""

    satellites: Satellites
    force: tuple  # N, of the contact on the chaser, mean over the cycle that ended then
    largest: float  # N^2, its largest in that cycle, squared


# Cells of `mem` in which a method books, each cycle, the energy its virtual elements absorbed and
# the work by which it means to differ [J];
# and the cell it sets to 1 to end the run with this cycle.
BOOK_VIRTUAL, BOOK_DESIGNED, STOP_REQUEST = 0, 1, 2
PUSHED_BY_NAN = 2.0  # written there where a hook `external` returned something that is no number
CYCLE = 0  # where in the parameter vector the control cycle T [s] stands
