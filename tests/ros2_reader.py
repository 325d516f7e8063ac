"""A reader of ROS 2 topics in a process of its own: raw messages of DDS as hexadecimal digits.

    python ros2_reader.py COUNT TOPIC=TYPE ...

Ends with COUNT messages of each topic (1 of a latched one), and prints so many as JSON.
"""

from __future__ import annotations

import json
import os
import sys
import time

from cyclonedds._clayer import ddspy_take
from cyclonedds.core import Policy, Qos
from cyclonedds.domain import Domain, DomainParticipant
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic

from softdock.recording.ros2 import LOOPBACK_ONLY, import_cyclonedds, make_type

LISTEN_S = 60.0
ANY_STATE = 127


def main(count: int, topics: dict[str, str]) -> None:
    number = int(os.environ["ROS_DOMAIN_ID"])
    domain, idl = Domain(number, LOOPBACK_ONLY), import_cyclonedds().idl
    participant, types, readers = DomainParticipant(number), {}, {}
    for name, kind in topics.items():
        latched = name == "/robot_description"
        durability = Policy.Durability.TransientLocal if latched else Policy.Durability.Volatile
        qos = Qos(Policy.Reliability.Reliable(0), Policy.History.KeepLast(1000), durability)
        topic = Topic(participant, f"rt{name}", make_type(idl, kind, types))
        readers[name] = DataReader(participant, topic, qos=qos)
    print("listening", flush=True)
    heard = {name: [] for name in topics}
    until = time.monotonic() + LISTEN_S
    while time.monotonic() < until and any(
        len(found) < (1 if name == "/robot_description" else count) for name, found in heard.items()
    ):
        for name, reader in readers.items():
            taken = ddspy_take(reader._ref, ANY_STATE, 100)
            heard[name] += [one[0].hex() for one in taken if one[1].valid_data]
        time.sleep(0.01)
    print(json.dumps({name: found[:count] for name, found in heard.items()}), flush=True)
    del domain


if __name__ == "__main__":
    main(int(sys.argv[1]), dict(one.split("=") for one in sys.argv[2:]))
