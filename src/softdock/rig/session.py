"""A session with a rig: its sockets, the compiled loop in a thread, and run after run without a gap
in the answers.

Between two runs the last program goes on answering with the pose at RSI_ON, so that no robot counts
a late reply; the next one takes over its links and last replies. Everything is compiled, the
recorder follows and memory is locked before RSI is switched on. When a session ends, robots whose
Sen has a Stop are told to leave RSI; the others end by their own Timeout.
"""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable
from typing import Any

from softdock.errors import BadInput, Problem
from softdock.rig.drivers.compiled_loop import (
    CompiledServer,
    Granted,
    LoopArrays,
    real_time,
)
from softdock.rig.peers import SENSOR, Requests, RigPeers
from softdock.rig.program import NAMES, RigProgram, compute_duration_s
from softdock.rig.scenario import OnRig
from softdock.rig.supervisor.layout import DOCK, STOP_REQUEST

LOOK_S = 0.05  # between two looks at the loop
HEARD_S = 10.0  # for the first telegram
STOP_S = 15.0  # for a stop that was asked for
LEAVE_S = 0.1  # of telegrams with Stop
WAITING = ("idle", "arming")
SWITCH_S = 1.0  # for the loop to take other arrays
FOR_EVER_NS = 1 << 62
Look = Callable[[RigProgram, float], None]


class NotHeard(BadInput):
    """A robot that does not send."""


class Session:
    """Use as a context around the runs of one rig; `peers` are open sockets (rig/peers.py)."""

    def __init__(self, on: OnRig, peers: RigPeers) -> None:
        self.on, self.peers, self._beside = on, peers, LoopArrays()
        self.granted = Granted(0, False, ())
        self.program: RigProgram | None = None
        self._server: CompiledServer | None = None
        self._thread: threading.Thread | None = None
        self._next: RigProgram | None = None
        self._quiet: Any = None  # the arrays of a program whose recording has ended
        self._ending = False
        self._error: BaseException | None = None
        self._ready = threading.Event()

    def prepare(
        self,
        shift_m: tuple[float, float, float] = (0.0, 0.0, 0.0),
        rings: Any = None,
        task: int = DOCK,
    ) -> RigProgram:
        """The program of the next run, loaded and ready; nothing is answered by it yet."""
        made = RigProgram(
            self.on,
            shift_m,
            rings,
            task,
            robots=self.peers.robots,
            sensors=self.peers.sensors,
            beside=self._beside,
        )
        if self._server is None:
            ports, robots, sensors = self.peers.ports, made.robots, made.sensors
            self._server = CompiledServer(
                [(ports[n], robots[n]) if n in robots else None for n in NAMES],
                [(ports[SENSOR + n], sensors[n]) if n in sensors else None for n in NAMES],
                made.arrays,
                rows=1 << 16,
                beside=self._beside,
            )
            self._server.warm_up()
        return made

    def __enter__(self) -> Session:
        return self

    def _work(self) -> None:
        """The loop's thread: one program after the other."""
        machine, server = self.on.rig.machine, self._server
        assert server is not None
        try:
            with real_time(machine.priority, machine.lock_memory) as self.granted:
                self._ready.set()
                for port in self.peers.ports.values():  # robots that send already: none is lost
                    port.drain()
                while True:
                    server.stop[0] = 0  # first: what is asked for from here on ends the loop below
                    if self._ending:
                        return
                    program, self._next = self._next, None
                    if program is not None:
                        server.program = program.arrays
                    quiet, self._quiet = self._quiet, None
                    if quiet is not None:
                        server.program = quiet
                    server.serve_until(FOR_EVER_NS)
        except BaseException as error:
            self._error = error
            self._ready.set()

    def begin(
        self, switch_on: Callable[[], Any], granted: Callable[[Granted], None] = lambda _: None
    ) -> None:
        """Start the loop and ask the sensors for records. `granted` is told what the machine gave
        and may refuse it, before `switch_on`: what begins RSI, where that is ours to do."""
        gc.collect()
        gc.freeze()
        gc.disable()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()
        self._ready.wait(10.0)
        granted(self.granted)
        for which in self.peers.sensors:
            self.peers.request(which)
        switch_on()

    def take(self, program: RigProgram) -> None:
        """Hand the rig to a program."""
        if self.program is not None:
            program.take_over(self.program)
        self.program = self._next = program
        self._quiet = None
        assert self._server is not None
        if self._thread is None:
            self._server.program, self._next = program.arrays, None
        self._server.stop[0] = 1

    def stop_recording(self) -> None:
        """The run is over: the loop goes on answering and hands nothing more to the recorder."""
        if self.program is None or self._thread is None or not self._thread.is_alive():
            return
        assert self._server is not None
        self._quiet = self.program.without_rings()
        self._server.stop[0] = 1
        until = time.monotonic() + SWITCH_S
        while self._quiet is not None and time.monotonic() < until:
            time.sleep(1e-3)

    def ask_stop(self) -> None:
        if self.program is not None:
            self.program.arrays.request[0] = STOP_REQUEST

    def follow(self, look: Look) -> None:
        """Until the robots stand. Ctrl-C asks for a stop; a second one ends the answers."""
        program = self.program
        assert program is not None
        begun, asked = time.monotonic(), 0.0
        longest, requests = compute_duration_s(program), Requests(self.peers)
        while not program.is_over:
            try:
                time.sleep(LOOK_S)
                now = time.monotonic() - begun
                look(program, now)
                if program.state in WAITING:
                    requests.repeat(now)
                for which, data in program.point_out_docking():
                    self.peers.send(which, data)
                if self._error is not None:
                    raise self._error
                if program.state == "idle" and now > HEARD_S:
                    raise self._silent()
                if now > longest and not asked:
                    self.ask_stop()
                    asked = now
                if asked and now - asked > STOP_S:
                    return
            except KeyboardInterrupt:
                if asked:
                    raise
                self.ask_stop()
                asked = time.monotonic() - begun

    def _silent(self) -> NotHeard:
        name = self.on.rig.clock.master
        robot = self.on.rig.robots[name]
        allowed = (
            f"telegrams from {robot.address} to {robot.bind}:{robot.port}; none came in "
            f"{HEARD_S:g} s. Is RSI on, is IP_NUMBER of its Ethernet file this computer, does a "
            "firewall drop UDP?"
        )
        return NotHeard(Problem(f"robots.{name}", "silent", allowed))

    def not_taken(self) -> dict[str, dict[str, int]]:
        """Datagrams that came and changed nothing, by whose socket and why; where there were any.
        From other addresses than the stated one, or another port of it; from the one that is
        answered, but no telegram of its count."""
        assert self._server is not None
        found: dict[str, dict[str, int]] = {}
        for number, name in enumerate((*NAMES, *(SENSOR + n for n in NAMES))):
            counts = self._server.counts(number)
            found[name] = {"other_address": counts["foreign"]}
            found[name]["other_port"] = counts["other_senders"]
        for name, link in self.peers.robots.items():
            heard = link.counts()
            false = int(heard["not_believed"] - heard["jumps"])  # those were a new beginning
            found[name] |= {"malformed": int(heard["malformed"]), "not_believed": max(0, false)}
        for name, sensor in self.peers.sensors.items():
            heard = sensor.counts()
            false = int(heard["not_believed"] - heard["jumps"])
            found[SENSOR + name] |= {
                "malformed": int(heard["malformed"]),
                "not_believed": max(0, false),
                "faulty": int(heard["faulty"]),
            }
        kept = {name: {w: n for w, n in rows.items() if n} for name, rows in found.items()}
        return {name: rows for name, rows in kept.items() if rows}

    def compute_us(self) -> Any:
        """From a telegram to its answer, of all answers kept [us]."""
        assert self._server is not None
        return self._server.compute_us()

    def _leave(self) -> None:
        """Stop in the last replies, where Sen has it."""
        told = False
        for link in self.peers.robots.values():
            row = link.sen.rows.get(("Stop", ""))
            if row is not None:
                link.values[row], told = 1.0, True
        if told:
            time.sleep(LEAVE_S)

    def __exit__(self, *_: object) -> None:
        if self._thread is not None and self._thread.is_alive():
            if self.program is not None and self.program.is_over:
                self._leave()
            self._ending = True
            assert self._server is not None
            self._server.stop[0] = 1
            self._thread.join(2.0)
        gc.enable()
        gc.unfreeze()
