"""A Universal Robots controller on loopback that the library ur_rtde accepts: its tool goes where
servoL says, some packets late, in front of a spring wall.

    python -m softdock.rig.drivers.ur_emulator [--late 8] [--wall-N-per-m 1000]

RTDE on port 30004, the dashboard on 29999, programs on 30001 to 30003, as a controller has them.
What ur_rtde's own program does is here: servoL (straight to a pose in its time), and an end; every
other command is answered as done. The tool is at its start whenever a program is loaded. One
thread: at every tick it moves, then sends what each client has asked for.

Not a robot: no joints, no singularities, no speed limits, no noise; `late` stands for servoL's
look-ahead.
"""

from __future__ import annotations

import argparse
import selectors
import socket
import struct
import time
from collections import deque
from typing import Any

from softdock.rig.driver import Three
from softdock.rig.drivers.compiled_loop import ask_priority
from softdock.rig.drivers.ur_rtde import FORMS, RTDE_PORT, to_quaternion, turn_back

DASHBOARD, PROGRAMS = 29999, (30001, 30002, 30003)
TICK_S = 0.002
VERSION = (5, 11, 0, 108249)
ANSWERS = {
    "polyscopeversion": "URSoftware 5.11.0.108249 (Apr 13 2021)",
    "get serial number": "20205500001",
    "is in remote control": "true",
    "running": "Program running: true",
    "programstate": "PLAYING softdock",
    "stop": "Stopped",
    "robotmode": "Robotmode: RUNNING",
    "safetystatus": "Safetystatus: NORMAL",
}
TYPES = {  # of variables that are no register
    "timestamp": "DOUBLE",
    "actual_TCP_pose": "VECTOR6D",
    "target_TCP_pose": "VECTOR6D",
    "actual_TCP_force": "VECTOR6D",
    "ft_raw_wrench": "VECTOR6D",
    "robot_status_bits": "UINT32",
    "safety_status_bits": "UINT32",
    "runtime_state": "UINT32",
    "robot_mode": "INT32",
    "safety_mode": "INT32",
    "external_force_torque": "VECTOR6D",
}
# commands of ur_rtde's program, in input_int_register_0; its answers, in output_int_register_0
NOTHING, SERVO_L, STOP_PROGRAM = 0, 24, 255
READY, DONE = 1, 2
POWER_ON, RUNNING, NORMAL, PLAYING, ENDED = 1, 2, 1, 2, 1


def find_type(name: str) -> str:
    if "_int_register_" in name:
        return "INT32"
    return "DOUBLE" if "_double_register_" in name else TYPES.get(name, "NOT_FOUND")


class EmulatedUr:
    """Registers, tool and wall; no socket, no clock."""

    def __init__(
        self, start: tuple[float, ...], late: int, wall_m: float, wall_N_per_m: float
    ) -> None:
        self.start, self.late = [float(one) for one in start], late
        self.wall_m, self.wall_N_per_m = wall_m, wall_N_per_m
        self.tick, self.safety = 0, NORMAL
        self.inputs: dict[str, Any] = {}
        self.running, self.answer = False, READY
        self.poses: deque[list[float]] = deque([self.start] * (late + 1), late + 1)
        self.target = self.start
        self._steps: deque[list[float]] = deque()  # to the target, a tick each

    @property
    def pose(self) -> list[float]:
        """Where the tool is: where it was told to be `late` ticks ago."""
        return self.poses[0]

    @property
    def aim(self) -> list[float]:
        """Where it will be `late` ticks from now."""
        return self.poses[-1]

    def load_program(self) -> None:
        self.running, self.answer = True, READY
        self.target = self.start
        self._steps.clear()
        self.poses.extend([self.start] * (self.late + 1))

    def take_inputs(self, values: dict[str, Any]) -> None:
        """Input registers: what ur_rtde's program reads of them."""
        self.inputs |= values
        command = self.inputs.get("input_int_register_0", NOTHING)
        if not self.running:
            return
        if command == SERVO_L:
            *pose, time_s = (self.inputs[f"input_double_register_{i}"] for i in (*range(6), 8))
            ticks, begin, self.target = max(1, round(time_s / TICK_S)), self.aim, pose
            rows = ([a + i / ticks * (b - a) for a, b in zip(begin, pose)] for i in range(1, ticks))
            self._steps, self.answer = deque([*rows, pose]), READY
        elif command == STOP_PROGRAM:
            self.running = False
        else:
            self.answer = READY if command == NOTHING else DONE

    def advance(self) -> None:
        """To the next tick."""
        self.tick += 1
        self.poses.append(self._steps.popleft() if self._steps else self.aim)

    def force(self) -> Three:
        """Of the wall on the tool, base axes [N]: it stands across x."""
        return self.wall_N_per_m * max(0.0, self.wall_m - self.pose[0]), 0.0, 0.0

    def get(self, name: str) -> Any:
        """A variable of RTDE."""
        if name == "timestamp":
            return TICK_S * self.tick
        if name in ("actual_TCP_pose", "target_TCP_pose"):
            return self.pose if name == "actual_TCP_pose" else self.target
        if name == "actual_TCP_force":
            return (*self.force(), 0.0, 0.0, 0.0)
        if name == "ft_raw_wrench":
            x, y, z = self.pose[3:]
            return (*turn_back(to_quaternion((x, y, z)), self.force()), 0.0, 0.0, 0.0)
        plain = {
            "robot_status_bits": POWER_ON | (RUNNING if self.running else 0),
            "safety_status_bits": self.safety,
            "runtime_state": PLAYING if self.running else ENDED,
            "output_int_register_0": self.answer,
            "robot_mode": 7,
            "safety_mode": 1,
        }
        return plain.get(name, (0.0,) * 6 if find_type(name) == "VECTOR6D" else 0)


class Client:
    """One connection: its bytes, its recipes."""

    def __init__(self, wire: socket.socket, port: int) -> None:
        self.wire, self.port, self.data = wire, port, b""
        self.recipes: list[list[str]] = []  # of inputs
        self.outputs: list[str] = []
        self.form, self.every, self.started = "", 1, False

    def answer(self, robot: EmulatedUr, data: bytes) -> bytes:
        """What is sent back."""
        self.data += data
        if self.port == DASHBOARD:
            return self._answer_dashboard()
        if self.port != RTDE_PORT:
            if b"end" in self.data[-200:]:  # the whole program has come
                self.data = b""
                robot.load_program()
            return b""
        back = b""
        while len(self.data) >= 3 and len(self.data) >= (size := self.data[0] << 8 | self.data[1]):
            kind, rest, self.data = chr(self.data[2]), self.data[3:size], self.data[size:]
            reply = self._answer_rtde(robot, kind, rest)
            if reply is not None:
                back += struct.pack(">HB", len(reply) + 3, ord(kind)) + reply
        return back

    def _answer_dashboard(self) -> bytes:
        *lines, self.data = self.data.split(b"\n")
        asked = [line.decode(errors="replace").strip().lower() for line in lines]
        return b"".join(f"{ANSWERS.get(one, 'false')}\n".encode() for one in asked)

    def _answer_rtde(self, robot: EmulatedUr, kind: str, rest: bytes) -> bytes | None:
        if kind == "V":
            return b"\x01"
        if kind == "v":
            return struct.pack(">4I", *VERSION)
        if kind == "O":
            (rate_Hz,) = struct.unpack(">d", rest[:8])
            self.every = max(1, round(1.0 / (rate_Hz * TICK_S)))
            self.outputs = [one for one in rest[8:].decode().split(",") if one]
            return b"\x01" + self._name_types(self.outputs)
        if kind == "I":
            names = [one for one in rest.decode().split(",") if one]
            self.recipes.append(names)
            return bytes([len(self.recipes)]) + self._name_types(names)
        if kind in "SP":
            self.started = kind == "S"
            return b"\x01"
        if kind == "U":
            names = self.recipes[rest[0] - 1]
            values = struct.unpack(">" + "".join(map(self._form, names)), rest[1:])
            robot.take_inputs(dict(zip(names, values)))
        return None

    def _form(self, name: str) -> str:
        return FORMS.get(find_type(name), "")

    def _name_types(self, names: list[str]) -> bytes:
        self.form = ">" + "".join(map(self._form, names))
        return ",".join(map(find_type, names)).encode()

    def packet(self, robot: EmulatedUr) -> bytes:
        """One data packet."""
        values: list[Any] = []
        for name in self.outputs:
            value = robot.get(name)
            values += value if isinstance(value, list | tuple) else [value]
        form = ">" + "".join(map(self._form, self.outputs))
        body = b"\x01" + struct.pack(form, *values)
        return struct.pack(">HB", len(body) + 3, ord("U")) + body


class Controller:
    """The sockets of an emulated controller, and its clock."""

    def __init__(self, robot: EmulatedUr, host: str) -> None:
        self.robot, self.clients = robot, dict[socket.socket, Client]()
        self._selector = selectors.DefaultSelector()
        for port in (RTDE_PORT, DASHBOARD, *PROGRAMS):
            listening = socket.create_server((host, port))
            self._selector.register(listening, selectors.EVENT_READ, port)
        self._due_s = time.monotonic()

    def step(self) -> None:
        """Until the next tick, and that tick."""
        self._due_s += TICK_S
        while (left := self._due_s - time.monotonic()) > 0.0:
            for key, _ in self._selector.select(left):
                if isinstance(key.data, int):
                    self._accept(key.fileobj, key.data)
                else:
                    self._hear(key.data)
        self.robot.advance()
        for client in list(self.clients.values()):
            if client.started and self.robot.tick % client.every == 0:
                self._send(client, client.packet(self.robot))

    def _accept(self, listening: Any, port: int) -> None:
        wire, _ = listening.accept()
        wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client = self.clients[wire] = Client(wire, port)
        self._selector.register(wire, selectors.EVENT_READ, client)
        if port == DASHBOARD:
            self._send(client, b"Connected: Universal Robots Dashboard Server\n")

    def _hear(self, client: Client) -> None:
        try:
            data = client.wire.recv(1 << 16)
        except OSError:
            data = b""
        if data:
            self._send(client, client.answer(self.robot, data))
        else:
            self._drop(client)

    def _send(self, client: Client, data: bytes) -> None:
        try:
            client.wire.sendall(data)
        except OSError:
            self._drop(client)

    def _drop(self, client: Client) -> None:
        if self.clients.pop(client.wire, None) is not None:
            self._selector.unregister(client.wire)
            client.wire.close()


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="softdock.rig.drivers.ur_emulator", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1", help="address of loopback")
    parser.add_argument("--late", type=int, default=8, help="packets of 2 ms")
    parser.add_argument("--wall-m", type=float, default=0.6, help="place of the wall, base x")
    parser.add_argument("--wall-N-per-m", type=float, default=1000.0)
    parser.add_argument(
        "--start", type=float, nargs=6, default=(0.65, 0.0, 0.4, 0.0, 0.0, 0.0), help="m, rad"
    )
    given = parser.parse_args(arguments)
    robot = EmulatedUr(given.start, given.late, given.wall_m, given.wall_N_per_m)
    controller = Controller(robot, given.host)
    ask_priority(85)
    print(f"an emulated UR at {given.host}; Ctrl-C ends it", flush=True)
    try:
        while True:
            controller.step()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
