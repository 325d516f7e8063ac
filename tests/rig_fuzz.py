"""Hostile peers for a rig's program: forged telegrams and records, and random rigs. Sizes and seeds
are given; whoever fails is printed. Reduced in `make test`, at full size in `make prove`."""

from __future__ import annotations

import math
import struct

import numpy as np
from rig_runs import MASS, quick, sends
from virtual_time import VirtualTime

from softdock.rig.drivers.emulation import Faults
from softdock.rig.drivers.links import SensorLink
from softdock.rig.emulated_rig import VirtualRig, make_emulation, make_peers
from softdock.rig.program import RigProgram
from softdock.rig.supervisor import layout
from softdock.rig.supervisor.layout import COUNT, ROBOT_VALUE, VALUE

SHARE = 0.1  # of each fault
T = 0.004  # s
RECORD = struct.Struct("!IIIiiiiii")
# a rig that bears lost and late telegrams, so that it gets far enough to be fooled
PATIENT = {
    "limits.lost_share": 1.0,
    "limits.lost_in_a_row": 100,
    "limits.late_in_a_row": 100,
    "limits.silence_cycles": 100,
    "robots.chaser.timeout_packets": 1000,
    "robots.target.timeout_packets": 1000,
    "limits.late_share_of_timeout": 1.0,
    "limits.bad_in_a_row": 100,
    "limits.stale_ms": 500.0,
    "limits.touch_N": 20.0,
}


class Forger:
    """A peer some of whose datagrams say something else: values, sequences, status, anything."""

    def __init__(self, peer, share, seed):
        self.peer, self.name, self.share = peer, peer.name, share
        self.chance = np.random.default_rng(seed)
        self.forged = 0

    @property
    def next_ns(self):
        return self.peer.next_ns

    def receive(self, data):
        self.peer.receive(data)

    def act(self):
        return [self._changed(data) for data in self.peer.act()]

    def _changed(self, data):
        if self.chance.random() >= self.share:
            return data
        self.forged += 1
        return self._record(data) if self.name == "sensor" else self._telegram(data)

    def _record(self, data):
        fields = list(RECORD.unpack(data))
        kind = self.chance.integers(4)
        if kind == 0:  # a force from nowhere
            fields[3 + self.chance.integers(6)] = int(self.chance.integers(-(2**31), 2**31))
        elif kind == 1:  # a small one
            fields[3] += int(self.chance.normal(0.0, 2e6))
        elif kind == 2:  # a count from elsewhere
            fields[self.chance.integers(2)] = int(self.chance.integers(2**32))
        else:
            fields[2] = int(self.chance.integers(2**32))
        return RECORD.pack(*fields)

    def _telegram(self, data):
        text, kind = data.decode(), self.chance.integers(4)
        before, _, rest = text.partition('X="')
        value, _, after = rest.partition('"')
        wild = (1e9, -1e9, float(value) + self.chance.normal(0.0, 0.2), 0.0)[kind]
        if self.chance.random() < 0.5:
            return f'{before}X="{wild:.6f}"{after}'.encode()
        before, _, rest = text.partition("<IPOC>")
        ipoc, _, after = rest.partition("</IPOC>")
        other = int(ipoc) + int(self.chance.integers(-2000, 2000)) * (1, 4)[kind % 2]
        return f"{before}<IPOC>{other}</IPOC>{after}".encode()


def largest_step(program, before):
    """Of the replies since the last look [m, rad], from what was sent; `before`: kept by caller."""
    kept = program.arrays.robot_values
    now = kept[:, ROBOT_VALUE.reply : ROBOT_VALUE.reply + 7].copy()
    zeroed = program.arrays.robot_counts[:, layout.ROBOT_COUNT.has_start] != 0
    way = np.linalg.norm(now[:, :3] - before[:, :3], axis=1)[zeroed & (before[:, 3] != 0.0)]
    return now, max(way, default=0.0)


def forge(packets, seed, seconds=3.0):
    """Forged and disturbed datagrams, session after session, until so many have arrived. Returns
    how many sessions there were and what they ended with; raises on the first that misbehaves."""
    chance, arrived, ends = np.random.default_rng(seed), 0, {}
    while arrived < packets:
        one = int(chance.integers(2**31))
        faults = Faults(seed=one, loss=SHARE, duplicates=SHARE, reordering=SHARE, malformed=SHARE)
        on = quick(PATIENT if one % 2 else {})
        peers = make_peers(make_emulation(on, faults))
        program = RigProgram(on)
        limit = on.rig.limits.speed_m_per_s * T * (1.0 + 1e-9)
        before = np.zeros((2, 7))

        def answer(now_ns, who, data, program=program, limit=limit, one=one):
            nonlocal before
            yield from program(now_ns, who, data)
            before, way = largest_step(program, before)
            assert way <= limit, (one, way, program.state, program.why)

        forgers = [Forger(p, SHARE, one + i) for i, p in enumerate(peers.all)]
        time = VirtualTime(forgers, answer, faults, look=program.look)
        time.tell("sensor", SensorLink.request())
        time.run(round(seconds * 1e9))
        if program.reason == "none":  # still on its way: the operator has enough
            program.arrays.request[0] = layout.STOP_REQUEST
            time.run(round((seconds + 1.0) * 1e9))
        arrived += time.counts["delivered"]
        assert program.why, (one, program.state, program.counts())
        ends[program.reason] = ends.get(program.reason, 0) + 1
    return arrived, ends


def random_rig(seed):
    """A rig, a scenario's approach and faults, all from a seed."""
    chance = np.random.default_rng(seed)
    restitution = float(chance.uniform(1.0, 1.3))
    changes = {
        "limits.restitution": restitution,
        "limits.energy_contact": float(chance.uniform(0.05, 1.0)),
        "limits.energy_run": 5.0,
        "limits.energy_floor_J": float(chance.choice([0.0, 1e-4, 1e-3])),
        "run_up.ramp_s": 0.1,
        "emulate.phase_ms": float(chance.uniform(0.0, 4.0)),
        "robots.chaser.delay_ms": float(chance.uniform(4.0, 40.0)),
    }
    share = 0.05 * chance.random() if chance.random() < 0.5 else 0.0
    if chance.random() < 0.7:
        changes |= {k: v for k, v in PATIENT.items() if k not in ("limits.touch_N",)}
    faults = Faults(
        seed=seed,
        loss=share * chance.random(),
        duplicates=share * chance.random(),
        reordering=share * chance.random(),
        malformed=share * chance.random(),
        latency_us=float(chance.uniform(0.0, 300.0)),
        jitter_us=float(chance.uniform(0.0, 300.0)),
    )
    return changes, faults


def energy_that_leaves(seed, scenario):
    """One random run: the largest kinetic energy of what was sent after the first touch over the
    bound of that contact; how it ended. 0: it never touched."""
    changes, faults = random_rig(seed)
    rig = VirtualRig(quick(changes, scenario), faults)
    t, x = sends(rig, 12.0)
    arrays = rig.program.arrays
    bound, stand = float(arrays.values[VALUE.kinetic_bound]), arrays.counts
    if stand[COUNT.contacts] == 0:
        return 0.0, rig.program.reason
    end = 1e-9 * stand[COUNT.first_ns] + rig.program.total * T + T
    if rig.program.reason != "completed":
        end = t[-1]
    docked = (t > 1e-9 * stand[COUNT.first_ns]) & (t <= end)
    cycles = np.maximum(np.rint(np.diff(t[docked]) / T), 1.0)
    speed = np.diff(x[docked]) / (cycles * T)
    leaving = speed[speed > 0.0]  # away from the wall
    most = 0.5 * MASS * float(np.max(leaving, initial=0.0)) ** 2
    if bound == 0.0:  # touched at standstill, without a floor: nothing may leave
        return (math.inf if most > 0.0 else 0.0), rig.program.reason
    return most / bound, rig.program.reason


def energy_runs(runs, seed, scenario):
    """Random runs: the largest share of a bound that left, and what they ended with."""
    worst, ends = 0.0, {}
    for number in range(runs):
        share, reason = energy_that_leaves(seed + number, scenario)
        ends[reason] = ends.get(reason, 0) + 1
        if share > worst:
            worst = share
        assert share <= 1.0 + 1e-6, (seed + number, share, reason)
    return worst, ends
