"""A run live in ROS 2, without an installation of ROS 2: the topics of its recording over DDS.

    python -m softdock.recording.ros2 [--rate 100]

A process of its own beside the recorder's (`softdock rig run --ros2` starts it), which follows the
rings of a run as the live stream for Foxglove does (live.py). It publishes and subscribes to
nothing. Messages are those of the MCAP file, bytes ready made (messages.py); of each topic at most
`rate` a second. softdock's own messages are left out: a ROS 2 installation does not know them. Of a
rig also `/diagnostics`: the supervisor's state and why, ages, lost packets.

DDS is set as ROS 2 sets it: ROS_DOMAIN_ID; on this computer alone with ROS_LOCALHOST_ONLY=1 or
ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST; CYCLONEDDS_URI. Needs cyclonedds (softdock[ros2]).
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.loop.instants import SECOND
from softdock.recording.live import RingFollower, serve_runs
from softdock.recording.mcap_file import (
    DESCRIPTION_TOPIC,
    EVENTS_TOPIC,
    LOG,
    STRING,
    encode_log,
    format_event,
)
from softdock.recording.messages import (
    TEXTS,
    Length,
    Message,
    Numbers,
    Text,
    header_parts,
    make_topics,
    split_stamps,
)
from softdock.recording.robot_description import list_joints, write_robot_description
from softdock.recording.simulated import find_sensor, make_run_stream
from softdock.recording.streams import URDF, About, Stream, compute_stamps
from softdock.results.run import Run

LARGEST_DOMAIN = 232
RATE_HZ = 100  # messages a second of each topic, unless another number is given
DIAGNOSTICS, DIAGNOSTICS_TOPIC, DIAGNOSTICS_S = "diagnostic_msgs/DiagnosticArray", "/diagnostics", 1
OK, WARN, ERROR = 0, 1, 2  # levels of a diagnostic_msgs/DiagnosticStatus
LOOK_S = 0.04  # between two looks at the rings: several rows are encoded at once
KEPT = 100  # messages that a slow reader may fall behind
# hashes of the types (REP 2011), which ROS 2 from Iron on asks of a publisher
HASHES = {
    "geometry_msgs/PoseStamped": "10f3786d7d40fd2b54367835614bff85d4ad3b5dab62bf8bca0cc232d73b4cd8",
    "geometry_msgs/TwistStamped": (
        "5f0fcd4f81d5d06ad9b4c4c63e3ea51b82d6ae4d0558f1d475229b1121db6f64"
    ),
    "geometry_msgs/WrenchStamped": (
        "8dc3deaf06b2ab281f9f9a742a8961c328ca7cec16e3fd6586d3a5c83fa78f77"
    ),
    "tf2_msgs/TFMessage": "e369d0f05a23ae52508854b66f6aa0437f3449d652e8cbf22d5abe85d020f087",
    "sensor_msgs/JointState": "a13ee3a330e346c9d87b5aa18d24e11690752bd33a0350f11c5882bc9179260e",
    LOG: "e28ce254ca8abc06abf92773b74602cdbf116ed34fbaf294fb9f81da9f318eac",
    STRING: "df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18",
    DIAGNOSTICS: "5a8a36efb05fb25070fa0fb3810290c0e6cd4862b54a8fb975a1ee8dc55a333e",
}
LOOPBACK_ONLY = (
    "<CycloneDDS><Domain><General><Interfaces>"
    '<NetworkInterface name="lo" multicast="true"/>'
    "</Interfaces></General></Domain></CycloneDDS>"
)


def import_cyclonedds() -> Any:
    """The package, or what to install."""
    try:
        import cyclonedds.core
        import cyclonedds.domain
        import cyclonedds.idl.annotations
        import cyclonedds.idl.types
        import cyclonedds.pub
        import cyclonedds.topic
    except ImportError:
        allowed = (
            "the package cyclonedds: pip install 'softdock[ros2]' (wheels for Python 3.11 to 3.13 "
            "on Linux x86, macOS and Windows; none for 3.14 or Linux on ARM)"
        )
        raise BadInput(Problem("--ros2", "not installed", allowed)) from None
    return cyclonedds


def read_domain() -> int:
    """ROS_DOMAIN_ID, as ROS 2 reads it."""
    stated = os.environ.get("ROS_DOMAIN_ID", "0")
    if not (stated.isdigit() and int(stated) <= LARGEST_DOMAIN):
        allowed = f"a whole number, 0 to {LARGEST_DOMAIN}"
        raise BadInput(Problem("ROS_DOMAIN_ID", stated, allowed))
    return int(stated)


def refuse_ros2() -> None:
    """What can be known to be wrong before a run."""
    import_cyclonedds()
    read_domain()


def make_type(idl: Any, name: str, made: dict[str, Any]) -> Any:
    """A message as a type of DDS, by its text: `geometry_msgs/Pose` is
    `geometry_msgs::msg::dds_::Pose_`."""
    if name in made:
        return made[name]
    package, _, own = name.partition("/")
    fields: dict[str, Any] = {}
    for line in TEXTS[name].splitlines():
        kind, field = line.split()[:2]
        if "=" in field:
            continue  # a constant
        inner, _, sequence = kind.partition("[")
        plain = {"string": str, "byte": idl.types.byte}.get(inner) or getattr(
            idl.types, inner, None
        )
        if plain is None:
            plain = make_type(idl, inner if "/" in inner else f"{package}/{inner}", made)
        fields[field] = idl.types.sequence[plain] if sequence else plain
    made[name] = idl.make_idl_struct(f"{own}_", f"{package}::msg::dds_::{own}_", fields)
    idl.annotations.final(made[name])
    return made[name]


class Publisher:
    """Topics of ROS 2, each made when it is first named."""

    def __init__(self) -> None:
        self._dds = import_cyclonedds()
        from cyclonedds._clayer import ddspy_write  # takes ready bytes; 11.0 was tested

        self._write = ddspy_write
        where = read_domain()
        alone = os.environ.get("ROS_LOCALHOST_ONLY") == "1" or (
            os.environ.get("ROS_AUTOMATIC_DISCOVERY_RANGE", "").upper() == "LOCALHOST"
        )
        domain = self._dds.domain
        try:
            self._domain = domain.Domain(where, LOOPBACK_ONLY) if alone else None
            self._participant = domain.DomainParticipant(where)
        except self._dds.core.DDSException as error:
            allowed = (
                f"a network that DDS can use ({error.msg}; ROS_LOCALHOST_ONLY=1: this computer)"
            )
            raise BadInput(Problem("--ros2", f"domain {where}", allowed)) from None
        self._types: dict[str, Any] = {}
        self._writers: dict[str, Any] = {}
        self.address = f"domain {where}" + (" on this computer" if alone else "")
        self.messages, self.spent_s = 0, 0.0

    def writer(self, topic: str, kind: str) -> int:
        """The handle of a topic's writer."""
        if topic not in self._writers:
            policy, latched = self._dds.core.Policy, topic == DESCRIPTION_TOPIC
            qos = self._dds.core.Qos(
                policy.Reliability.Reliable(0),  # a message that cannot be taken is dropped
                policy.History.KeepLast(1 if latched else KEPT),
                policy.Durability.TransientLocal if latched else policy.Durability.Volatile,
                policy.DataRepresentation(use_cdrv0_representation=True),
                policy.Userdata(f"typehash=RIHS01_{HASHES[kind]};".encode()),
            )
            data_type = make_type(self._dds.idl, kind, self._types)
            made = self._dds.topic.Topic(self._participant, f"rt{topic}", data_type)
            self._writers[topic] = self._dds.pub.DataWriter(self._participant, made, qos=qos)
        return int(self._writers[topic]._ref)

    def send(self, handle: int, messages: Sequence[bytes]) -> None:
        for one in messages:
            self._write(handle, one + bytes(-len(one) % 4))
        self.messages += len(messages)

    def close(self) -> None:
        """Leave the domain: readers hear it at once."""
        self._writers.clear()
        del self._participant

    @property
    def summary(self) -> str:
        each = f"{1e6 * self.spent_s / max(1, self.messages):.1f} us of processor each"
        return f"ROS 2: {self.messages} messages on {len(self._writers)} topics, {each}"


Sending = tuple[int, Callable[[np.ndarray, np.ndarray], tuple[list[bytes], np.ndarray]]]


class RunTopics:
    """One run's rows as messages of a publisher."""

    def __init__(
        self, publisher: Publisher, about: About, streams: Sequence[Stream], rate_Hz: float
    ) -> None:
        self.publisher, self.about = publisher, about
        self._period_ns = round(SECOND / rate_Hz)
        self._newest: dict[str, int] = {}  # period of the last row that was sent, by stream
        self._topics: dict[str, list[Sending]] = {}
        self._supervisor: Supervisor | None = None
        for stream in streams:
            if stream.kind != "rows":
                continue
            standard = make_topics(stream, about.absent)[1:]  # the first is softdock's own
            self._topics[stream.name] = [
                (publisher.writer(t.name, t.schema_name.replace("/msg/", "/")), t.encode)
                for t in standard
            ]
            if stream.index("state") is not None:
                self._supervisor = Supervisor(about, stream)
                self._diagnostics = publisher.writer(DIAGNOSTICS_TOPIC, DIAGNOSTICS)
        self._events = publisher.writer(EVENTS_TOPIC, LOG)
        if about.urdf:
            handle = publisher.writer(DESCRIPTION_TOPIC, STRING)
            publisher.send(handle, Message(Text(about.urdf)).encode(1, {}))

    def add(self, stream: Stream, rows: np.ndarray) -> None:
        """Rows (n, width) that came."""
        begun = time.thread_time()
        time_ns = np.maximum(compute_stamps(stream, rows, self.about), 0)
        if stream.kind == "events":
            levels = rows[:, stream.index("level") or 0]
            for when, level, row in zip(time_ns.tolist(), levels.tolist(), rows, strict=True):
                data = encode_log(when, int(level), format_event(self.about, row))
                self.publisher.send(self._events, [data])
        elif stream.kind == "rows":
            periods = time_ns // self._period_ns
            before = np.concatenate(([self._newest.get(stream.name, -1)], periods[:-1]))
            self._newest[stream.name] = int(periods[-1])
            first = periods != before
            rows, time_ns = rows[first], time_ns[first]
            for handle, encode in self._topics[stream.name] if len(rows) else ():
                self.publisher.send(handle, encode(rows, time_ns)[0])
            if self._supervisor is not None and stream is self._supervisor.stream and len(rows):
                told = self._supervisor.tell(rows[-1], int(time_ns[-1]))
                self.publisher.send(self._diagnostics, told)
        self.publisher.spent_s += time.thread_time() - begun


class Supervisor:
    """State of a rig's supervisor as `/diagnostics`: once a second, and when it changes."""

    SHOWN = ("late_s", "lost", "force_age", "pose_age", "energy.kinetic", "energy.observed")

    def __init__(self, about: About, stream: Stream) -> None:
        self.stream = stream
        texts = list(about.event_texts)  # states first, then reasons (rig/supervisor/arrays.py)
        self._states = [one.removeprefix("state: ") for one in texts if one.startswith("state: ")]
        self._reasons = [one.partition(":")[0] for one in texts[len(self._states) :]]
        self._units = {channel.name: channel.unit for channel in stream.channels}
        self._last: tuple[str, str] = ("", "")
        self._last_ns = 0

    def tell(self, row: np.ndarray, time_ns: int) -> list[bytes]:
        """The message, where one is due."""
        state = self._name(self._states, row, "state")
        reason = self._name(self._reasons, row, "reason")
        due = time_ns - self._last_ns >= DIAGNOSTICS_S * SECOND or time_ns < self._last_ns
        if not due and (state, reason) == self._last:
            return []
        self._last, self._last_ns = (state, reason), time_ns
        values = {"state": state, "reason": reason}
        for name in self.SHOWN:
            at = self.stream.index(name)
            if at is not None:
                unit = self._units[name].replace("-", "")
                values[f"{name} [{unit}]" if unit else name] = f"{float(row[at]):.6g}"
        good = reason in ("", "none", "completed")
        level = OK if good else (ERROR if state == "stopped" else WARN)
        text = state if good else f"{state}: {reason}"
        return [encode_diagnostics(time_ns, level, text, values)]

    def _name(self, names: Sequence[str], row: np.ndarray, channel: str) -> str:
        at = self.stream.index(channel)
        code = -1 if at is None or not np.isfinite(row[at]) else int(row[at])
        return names[code] if 0 <= code < len(names) else ""


def encode_diagnostics(time_ns: int, level: int, text: str, values: Mapping[str, str]) -> bytes:
    """A diagnostic_msgs/DiagnosticArray with one status."""
    pairs = [Text(one) for pair in values.items() for one in pair]
    message = Message(
        *header_parts(""),
        Length(1),
        Numbers("level", "<u1"),
        Text("softdock: supervisor"),
        Text(text),
        Text("softdock"),
        Length(len(values)),
        *pairs,
    )
    columns = split_stamps(np.array([time_ns])) | {"level": np.array([level])}
    return message.encode(1, columns)[0]


class Broadcast:
    """The rings of one run after the other, published."""

    def __init__(self, rate_Hz: float) -> None:
        self._rate_Hz, self._publisher = rate_Hz, Publisher()
        self.address = self._publisher.address
        self._rings: RingFollower | None = None
        self._topics: RunTopics | None = None

    def show(self, rings: str) -> None:
        self._rings = RingFollower(rings)
        about, streams = self._rings.about, self._rings.streams
        self._topics = RunTopics(self._publisher, about, streams, self._rate_Hz)

    def look(self) -> None:
        if self._rings is not None and self._topics is not None:
            for stream, rows, _ in self._rings.look():
                self._topics.add(stream, rows)

    def close(self) -> str:
        """Publish what is left, and leave; what was done."""
        self.look()
        summary = self._publisher.summary
        self._publisher.close()
        return summary


def play(run: Run, rate_Hz: float, say: Callable[[float], object] = lambda seconds: None) -> str:
    """Publish a simulated run in its own time, beginning now: what was done. Ctrl-C ends it."""
    stream, rows = make_run_stream(run), np.ascontiguousarray(run.series.rows)
    urdf = write_robot_description(run.scenario.tables, list_joints([stream]))
    publisher, begun = Publisher(), time.monotonic()
    about = About(
        name=run.scenario.name,
        utc_offset_ns=time.time_ns(),
        attachments={URDF: urdf} if urdf else {},
        tables={"run": find_sensor(run)},
    )
    topics = RunTopics(publisher, about, [stream], rate_Hz)
    since_s = run.series["time"]
    done = 0
    try:
        while done < len(rows):
            now = time.monotonic() - begun
            until = int(np.searchsorted(since_s, now, side="right"))
            if until > done:
                topics.add(stream, rows[done:until])
            done = until
            say(min(now, float(since_s[-1])))
            time.sleep(LOOK_S)
    except KeyboardInterrupt:
        pass
    summary = publisher.summary
    publisher.close()
    return summary


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="softdock.recording.ros2", description=__doc__)
    parser.add_argument("--rate", type=float, default=RATE_HZ)
    rate_Hz = parser.parse_args(arguments).rate
    return serve_runs(lambda: Broadcast(rate_Hz), LOOK_S)


if __name__ == "__main__":
    sys.exit(main())
