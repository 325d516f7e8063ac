"""Machine code of a rig, compiled or loaded before anything depends on it.

A part at a time, so that whoever shows progress can name it (core/machine/compile_news.py) and
`softdock warm --rig` can give each part to a process of its own. Nothing is sent and nobody is
asked: sockets here are of loopback and have no peer.
"""

from __future__ import annotations

from collections.abc import Callable

from softdock.drivers import emulate, rig_peers
from softdock.drivers.compiled_loop import CompiledServer
from softdock.drivers.rig_emulation import emulation_of
from softdock.drivers.rig_program import NAMES, RigProgram
from softdock.drivers.rig_scenario import OnRig
from softdock.drivers.rig_virtual import VirtualRig
from softdock.drivers.sockets import LOOPBACK, Port

NOBODY = (LOOPBACK, 9)


def _loop(on: OnRig) -> None:
    program = RigProgram(on)
    ports = [Port(LOOPBACK, 0, NOBODY) for _ in NAMES]
    try:
        robots = [
            (port, program.robots[n]) if n in program.robots else None
            for n, port in zip(NAMES, ports)
        ]
        CompiledServer(robots, [], program.arrays).warm_up()
    finally:
        for port in ports:
            port.close()


def _links(on: OnRig) -> None:
    rig_peers.warm_up(on.rig)


def _emulators(on: OnRig) -> None:
    if on.rig.emulate is not None:
        emulate.warm_up(emulation_of(on))


def _virtual(on: OnRig) -> None:
    if on.rig.emulate is not None:
        VirtualRig(on).run(0.0)


PARTS: dict[str, tuple[str, Callable[[OnRig], None]]] = {  # what each is, in words
    "loop": ("the rig's loop", _loop),
    "links": ("the rig's telegrams", _links),
    "emulators": ("the emulated robots and sensors", _emulators),
    "virtual": ("the rig in virtual time", _virtual),
}
OF_A_RUN = ("links", "emulators", "loop")  # `rig run`; `rig check` flies in virtual time


def warm_part(on: OnRig, part: str) -> None:
    """One part, compiled if it is not on disk."""
    PARTS[part][1](on)
