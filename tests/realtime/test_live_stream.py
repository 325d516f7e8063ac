"""The live stream beside a recorder: what a client of Foxglove's protocol hears, and that neither
the loop nor the recorder can notice."""

from __future__ import annotations

import contextlib
import json
import struct
import sys
import time

import numpy as np
import pytest
from click.testing import CliRunner
from recorded import CELLS, about, write_cycle
from websockets.sync.client import connect

from softdock.cli.main import cli
from softdock.errors import BadInput
from softdock.recording import live
from softdock.recording.live import RingFollower, stream_to_foxglove
from softdock.recording.messages import make_flat_message
from softdock.recording.ring_file import IN, make_ring
from softdock.recording.streams import make_rig_streams

MESSAGE = struct.Struct("<BIQ")  # what it is, the subscription, when [ns]
LISTEN_S = 60.0  # of a process that starts on a busy machine


@pytest.fixture
def rings(tmp_path):
    return make_ring(make_rig_streams(CELLS), about(), folder=tmp_path, seconds=4.0)


def test_rows_are_read_beside_the_recorder_and_cannot_be_written(rings):
    """Rows from now on, each once; the memory is read only; the recorder's places stay where they
    are; the end of the loop is seen."""
    write_cycle(rings, 0)
    beside, all_of_it = RingFollower(rings.path), RingFollower(rings.path, from_start=True)
    assert beside.look() == []
    write_cycle(rings, 1)
    found = {stream.name: numbers.tolist() for stream, _, numbers in beside.look()}
    assert found == {"cycle": [1], "packets": [2, 3], "samples": list(range(28, 56))}
    assert beside.look() == []
    assert {s.name: len(rows) for s, rows, _ in all_of_it.look()}["samples"] == 56
    assert not beside.rings.rings[0].slots.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        beside.rings.set("closed", 1)
    assert all(int(ring.words[IN.taken]) == 0 for ring in rings.rings)
    assert not beside.ended
    rings.set("closed", 1)
    assert beside.ended


def connected(address):
    """A client without a bound on what waits for it: a full queue would keep it from hearing that
    the server agrees to part."""
    protocols = ["foxglove.sdk.v1"]
    return connect(address, subprotocols=protocols, open_timeout=LISTEN_S, max_queue=None)


def advertised(client, topic):
    """The channel of a topic, once the server tells of it."""
    while True:
        told = json.loads(client.recv(timeout=LISTEN_S))
        for channel in told.get("channels", []):
            if channel["topic"] == topic:
                return channel


def test_a_client_hears_the_rows_of_a_run(rings):
    """Over loopback: the topics of the recording with their schemas, and after a subscription the
    very rows that the loop writes, decoded to the bit. When the stream ends, the rings are as they
    were."""
    with stream_to_foxglove(0) as stream:
        assert stream.address.startswith("ws://127.0.0.1:")
        stream.show(rings.path)
        with connected(stream.address) as client:
            channel = advertised(client, "/softdock/cycle")
            assert (channel["encoding"], channel["schemaEncoding"]) == ("cdr", "ros2msg")
            wanted = [{"id": 7, "channelId": channel["id"]}]
            subscription = json.dumps({"op": "subscribe", "subscriptions": wanted})
            client.send(subscription)
            ring, heard, number = rings.ring("cycle"), [], 0
            end = time.monotonic() + LISTEN_S
            while not heard and time.monotonic() < end:  # the subscription takes its time
                write_cycle(rings, number)
                number += 1
                with contextlib.suppress(TimeoutError):  # rows go on until one is heard
                    message = client.recv(timeout=0.02)
                    if isinstance(message, bytes):
                        heard.append(message)
                    elif json.loads(message)["op"] == "status":  # the server's package tells of a
                        client.send(subscription)  # channel shortly before it knows it itself
        assert not stream.problem
    kind, subscription, _ = MESSAGE.unpack_from(heard[0])
    assert (kind, subscription) == (1, 7)
    values = np.array(make_flat_message(ring.stream).decode([heard[0][MESSAGE.size :]])["values"])[
        0
    ]
    at = [channel.name for channel in ring.stream.channels].index("time")
    number = round(values[at] / 0.004)
    expected = (np.arange(ring.stream.width) + 1e-3 * number)[list(ring.stream.places)]
    assert np.array_equal(values[at + 1 :], expected[at + 1 :])
    assert all(int(one.words[IN.taken]) == 0 for one in rings.rings)


def test_what_a_stream_needs_is_said_before_anything_starts(monkeypatch):
    """Without its package, and without a recording to take it from."""
    words = ["rig", "run", "emulated_pair", "epos_1d", "--foxglove"]
    done = CliRunner().invoke(cli, [*words, "--no-record"])
    assert done.exit_code == 2
    assert "without --no-record" in done.output
    monkeypatch.setitem(sys.modules, "foxglove", None)
    with pytest.raises(BadInput, match=r"softdock\[live\]"):
        live.import_foxglove()
