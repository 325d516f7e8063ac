"""Peers of a rig in virtual time whose datagrams are changed on their way: by a rule, not by chance
alone. What changes a datagram knows the protocol's own bytes and nothing of softdock's reading."""

from __future__ import annotations

import re
import struct

from rig_runs import quick
from virtual_time import VirtualTime

from softdock.rig.drivers.links import SensorLink
from softdock.rig.emulated_rig import make_emulation, make_peers
from softdock.rig.program import RigProgram

RECORD = struct.Struct("!IIIiiiiii")
IPOC = re.compile(rb"<IPOC>(\d+)</IPOC>")


class Altered:
    """A peer with a rule for what it sends, `sends(data, t_s)`, and one for what it hears."""

    def __init__(self, peer, sends, hears=lambda data: data):
        self.peer, self.name, self.sends, self.hears = peer, peer.name, sends, hears

    @property
    def next_ns(self):
        return self.peer.next_ns

    def receive(self, data):
        self.peer.receive(self.hears(data))

    def act(self):
        t = 1e-9 * self.next_ns
        return [new for data in self.peer.act() for new in self.sends(data, t)]


class AlteredRig:
    """The emulated pair with some peers altered: `rules` by name, each `(sends, hears)` or `sends`.
    Has `program`, as the rig in virtual time has."""

    def __init__(self, rules, changes=None, scenario=None, seconds=12.0):
        on = quick(changes, scenario)
        self.emulation = make_emulation(on)
        self.peers, self.program = make_peers(self.emulation), RigProgram(on, ends=True)
        altered = []
        for peer in self.peers.all:
            rule = rules.get(peer.name)
            rule = rule if isinstance(rule, tuple) else (rule,)
            altered.append(peer if rule[0] is None else Altered(peer, *rule))
        time = VirtualTime(altered, self.program, look=self.program.look)
        time.tell("sensor", SensorLink.request())
        at = 0.0
        while at < seconds and not self.program.is_over:
            at += 0.5
            time.run(round(at * 1e9))


def fields(change):
    """A rule for a sensor: `change(nine numbers, t_s)` in place, or what to send instead."""

    def sends(data, t):
        values = list(RECORD.unpack(data))
        instead = change(values, t)
        made = [values] if instead is None else instead
        return [RECORD.pack(*one) for one in made]

    return sends


def ipoc_of(data):
    return int(IPOC.search(data)[1])


def with_ipoc(data, ipoc):
    return IPOC.sub(b"<IPOC>%d</IPOC>" % ipoc, data)
