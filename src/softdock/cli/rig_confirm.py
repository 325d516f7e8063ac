"""Before anything moves beyond loopback: a person types speed, box and energy once more."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from softdock.cli.rig_arguments import say

if TYPE_CHECKING:
    from softdock.drivers.rig_model import Rig


def phrase_of(rig: Rig, speed_m_per_s: float, energy_J: float | None = None) -> str:
    """What has to be typed: how fast, how far from the middle of the box, how much energy."""
    edges = [
        (high - low)
        for which in rig.moving
        for low, high in zip(rig.robots[which].box_min_m, rig.robots[which].box_max_m)
    ]
    words = f"{1e3 * speed_m_per_s:g} mm/s in {1e3 * max(edges):g} mm"
    return words if energy_J is None else f"{words} with {energy_J:.3g} J"


def confirm_motion(
    rig: Rig, what: str, speed_m_per_s: float, energy_J: float | None = None
) -> None:
    """Nothing on loopback; else a typed confirmation, or `BadInput`."""
    if not rig.beyond_loopback:
        return
    from softdock.errors import BadInput, Problem

    phrase = phrase_of(rig, speed_m_per_s, energy_J)
    say(f"{what}: the robots at {', '.join(rig.robots[w].address for w in rig.moving)} will move.")
    for which in rig.moving:
        robot = rig.robots[which]
        say(f"  {which}: within {list(robot.box_min_m)} to {list(robot.box_max_m)} m of its base")
    say("softdock is no safety function. T1, a hand on the emergency stop, nobody in the cell.")
    if not sys.stdin.isatty():
        allowed = f"a terminal, where a person types: {phrase}"
        raise BadInput(Problem("confirmation", "no terminal", allowed))
    typed = click.prompt(f'Type "{phrase}" to go on', default="", show_default=False, err=True)
    if " ".join(typed.split()) != phrase:
        raise BadInput(Problem("confirmation", typed, f"{phrase}; nothing has moved"))
