"""What a compiled loop answers: a program, chosen by its type when the loop is compiled.

The loop over sockets (rig/wire/serve.py) and the queue in virtual time (virtual_queue.py) call
`answer_telegram` for the newest telegram of each robot, when all records that have arrived are in
the sensors' rings. A program is a NamedTuple class with compiled functions as its attributes:

    PREPARE(program) -> params                  once, when the loop begins; handed to all others
    ANSWER(program, params, desk, robots, sensors, which, size)
                                                -> size of the answer in desk.out; 0: none
    AFTER(program, params, robots, sensors, which, spent_ns)
                                                when the answer has left: what it took
    WATCH(program, params, robots, sensors, now) -> 0, or a reason to end the loop

`WATCH` is called whenever something has happened and at least every few ms, so that a program sees
what does not come. `robots` are two links (links.RobLink), the chaser's and the target's, `which`
the one to answer; `sensors` two (links.RecordLink). One that the rig has not hears nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from softdock.compile.jit import by_type, compiled
from softdock.rig.wire.links import NEWEST
from softdock.rig.wire.telegram import write_telegram


class DatagramBuffers(NamedTuple):
    """Room for the datagram that came and for the one that leaves."""

    data: Any  # uint8
    out: Any  # uint8


class HoldProgram(NamedTuple):
    """The program that holds corrections: to listen, to warm up, and to measure a machine with."""

    literals: Any  # uint8, of Sen
    pieces: Any  # int64
    values: Any  # float64
    echo: Any  # int64, one: 1 sends back what came


@compiled
def _answer_held(program, params, desk, robots, sensors, which, size):
    """A constant correction, or what came."""
    if program.echo[0] != 0:
        for i in range(size):
            desk.out[i] = desk.data[i]
        return size
    ipoc = robots[which].whole[NEWEST]
    return write_telegram(program.literals, program.pieces, program.values, ipoc, desk.out)


@compiled
def _prepare_nothing(program):
    return 0


@compiled
def _watch_nothing(program, params, robots, sensors, now):
    return 0


@compiled
def _record_nothing(program, params, robots, sensors, which, spent_ns):
    return


HoldProgram.PREPARE = _prepare_nothing  # type: ignore[attr-defined]
HoldProgram.ANSWER = _answer_held  # type: ignore[attr-defined]
HoldProgram.AFTER = _record_nothing  # type: ignore[attr-defined]
HoldProgram.WATCH = _watch_nothing  # type: ignore[attr-defined]


@by_type(lambda cls: cls.PREPARE)  # type: ignore[attr-defined]
def prepare_program(program):
    """What the program needs in every call, made once: numbers only."""


@by_type(lambda cls: cls.ANSWER)  # type: ignore[attr-defined]
def answer_telegram(program, params, desk, robots, sensors, which, size):
    """The answer to a robot's newest telegram into `desk.out`: its size, or 0 for none."""


@by_type(lambda cls: cls.WATCH)  # type: ignore[attr-defined]
def watch_program(program, params, robots, sensors, now):
    """A look at all links at an instant [ns]: 0, or why the loop is to end."""


@by_type(lambda cls: cls.AFTER)  # type: ignore[attr-defined]
def after_answer(program, params, robots, sensors, which, spent_ns):
    """The answer has left: what it took [ns]."""
