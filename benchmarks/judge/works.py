"""Work and change of velocity by what pushes the satellites from outside, cycle by cycle."""

from __future__ import annotations

import numpy as np

from benchmarks.judge.phase import BODIES, Phase, corrected, hands, motion, scheduled


def held_hands(phase: Phase) -> dict[str, np.ndarray]:
    """Of hands in the forces on the satellites: as old as the force that was handed over at the
    start of each cycle; a corrected force is the contact's alone."""
    if phase.rewinds:
        return {name: np.zeros((len(phase.time) - 1, 6)) for name in BODIES}
    return hands(phase, phase.time[:-1] - phase.loop["force_age"][:-1])


def pushes(phase: Phase) -> dict[str, np.ndarray]:
    """Schedules and hands on both satellites, a row a cycle (one fewer than instants)."""
    at = phase.time[:-1] + 0.5 * phase.T
    found = hands(phase, phase.time[:-1] - phase.loop["force_age"][:-1])
    for name in BODIES:
        R = motion(phase, phase.loop, name).R[:-1]
        found[name] = found[name] + scheduled(phase, "external", name, at, R)
    return found


def external_work(phase: Phase) -> np.ndarray:
    """J done in all until each row, in the pair's barycentric frame."""
    bodies = {name: phase.body(name) for name in BODIES}
    free = [name for name in BODIES if not bodies[name].fixed]
    moves = {name: motion(phase, phase.loop, name) for name in free}
    wrench = pushes(phase)
    mean = np.zeros((len(phase.time) - 1, 3))
    if len(free) == 2:
        total = sum(bodies[n].mass for n in free)
        mean = sum(bodies[n].mass * _middle(moves[n].v) for n in free) / total
    power = np.zeros(len(phase.time) - 1)
    for name in free:
        power += np.sum(wrench[name][:, :3] * (_middle(moves[name].v) - mean), axis=1)
        power += np.sum(wrench[name][:, 3:] * _middle(moves[name].w), axis=1)
    return np.concatenate([[0.0], np.cumsum(power * phase.T)])


def _middle(a: np.ndarray) -> np.ndarray:
    return 0.5 * (a[:-1] + a[1:])


def unexplained(phase: Phase, first: int, last: int) -> float:
    """Size of the change of relative velocity between two rows by forces that no push explains
    [m/s]. A hand that a method leaves out is no force: the smaller of with and without counts."""
    hand = held_hands(phase)
    change = {"with": np.zeros(3), "without": np.zeros(3)}
    for name, sign in (("chaser", 1.0), ("target", -1.0)):
        body = phase.body(name)
        if not body.fixed:
            force = corrected(phase.loop, f"satellite.{name}.force")[1:]
            share = sign * phase.T / body.mass
            change["with"] += share * np.sum(force[first:last], axis=0)
            change["without"] += share * np.sum((force - hand[name][:, :3])[first:last], axis=0)
    return min(float(np.linalg.norm(one)) for one in change.values())
