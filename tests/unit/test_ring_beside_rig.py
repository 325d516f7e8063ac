"""Beside a rig: rows of the ring become the scene, read only; the loop is as if nobody looked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from beside import rig_ring, row_at, write
from click.testing import CliRunner

from softdock import load_scenario
from softdock.cli.main import cli
from softdock.errors import BadRecording
from softdock.loop.spatial.arrays import rotate
from softdock.output.viewer.panels import light_html, numbers_html
from softdock.output.viewer.rig_window import (
    ObservedRun,
    find_newest_ring,
    merge_facility,
    read_scenario,
)
from softdock.recording.ring_file import IN, RingFile
from softdock.recording.rings import RingReader, list_running_rings
from softdock.scenario.files import to_toml

CYCLE_S = 0.004


@pytest.fixture
def rings(tmp_path: Path) -> Iterator[RingFile]:
    made = rig_ring(tmp_path)
    yield made
    made.remove()


def test_a_look_cannot_write_and_leaves_no_trace(rings: RingFile) -> None:
    """The mapping refuses writes; after many looks every byte that the loop and the recorder share
    is as the loop left it, `taken` and `lost` included."""
    write(rings, CYCLE_S * np.arange(100))
    before = rings.path.read_bytes()
    look = RingReader(rings.path)
    for _ in range(5):
        look.poll()
    with pytest.raises(ValueError, match="read-only"):
        look.rings.set("closed", 1)
    with pytest.raises(ValueError, match="read-only"):
        look.rings.ring("cycle").slots[0, 0] = 1
    assert rings.path.read_bytes() == before
    assert look.kept == look.written == 100
    assert look.missed == 0


def test_rows_are_seen_once_and_whole(rings: RingFile) -> None:
    """Each row once and as it was written; one that is being written is not shown yet; one that
    was written over before the look is counted as missed."""
    look, ring = RingReader(rings.path), rings.ring("cycle")
    write(rings, [0.0, 0.004])
    places = list(ring.stream.places)
    wanted = np.stack([row_at(rings, t)[places] for t in (0.0, 0.004)])
    assert np.array_equal(look.poll(), wanted)
    assert len(look.poll()) == 0
    write(rings, [0.008])
    number = ring.slots[2, 0]
    ring.slots[2, 0] = 0  # the loop is at it
    assert len(look.poll()) == 0
    ring.slots[2, 0] = number
    assert len(look.poll()) == 1
    write(rings, CYCLE_S * np.arange(3, 3 + 2 * len(ring.slots)))  # faster than anybody looks
    rows = look.poll()
    assert look.missed > 0
    assert look.missed + look.kept == look.written
    assert rows[-1, places.index(ring.stream.index("time"))] == pytest.approx(
        CYCLE_S * (2 + 2 * len(ring.slots))
    )
    contents = look.contents()
    assert contents.numbers["cycle"][-1] == look.written - 1


def test_the_scene_follows_the_newest_row(rings: RingFile) -> None:
    """Before the first row bodies are as planned; then mock-ups stand where they were measured,
    robots hold them there, and the force's arrow and trail come with the touch."""
    beside = ObservedRun(rings.path)
    assert beside.status_words()[:2] == ("amber", "not docking yet: bodies are drawn as planned")
    rings.ring("events").push(np.array([0.0, 20.0, 0.0, 4.0, 0.0, -1.0]))
    write(rings, CYCLE_S * np.arange(250))
    assert beside.poll()
    chaser = beside.scene.tracks["mock_up.chaser"]
    assert np.allclose(chaser.position, [[-2.01 + 0.015 * 249 * CYCLE_S, 0.035, 0.0]])
    assert beside.status_words() == ("green", "approach", "state: 4")
    hand = beside.scene.tracks["robot.chaser.6"]
    arm = next(arm for arm in beside.moving.arms if arm.robot.body == "chaser")
    last = next(c for c in arm.robot.arm.capsules if c.slot == 6)
    flange = hand.position + rotate(hand.attitude, np.array(last.end))
    held = chaser.position + rotate(chaser.attitude, np.array(arm.robot.flange.p))
    assert np.abs(flange - held).max() < 1e-6
    assert beside.scene.trails == ()
    write(rings, [1.0, 1.004], force=20.0)
    assert beside.poll()
    assert beside.status_words()[1] == "contact"
    assert len(beside.scene.trails[0].points) == 1  # one a look: nothing is made up in between
    assert np.allclose(beside.scene.arrows[0].vector, [[-20.0, 0.0, 0.0]])
    told = dict(beside.numbers())
    assert told["measured force"] == "20.00 N"
    assert told["time"] == "1.004 s"
    assert beside.force_curves()[1].max() == pytest.approx(20.0)


def test_a_run_that_is_over_can_be_shown_again(rings: RingFile) -> None:
    """Ended or dead is told apart, and what was seen becomes a recording."""
    beside = ObservedRun(rings.path)
    assert beside.recording() is None
    write(rings, CYCLE_S * np.arange(50), force=2.0)
    rings.set("closed", 1)
    assert beside.state == "ended"
    beside.poll()
    found = beside.recording()
    assert found is not None
    assert len(found.series.rows) == 50
    assert found.status == "the loop ended"
    rings.set("closed", 0)
    rings.set("writer", 2**22 + 7)  # no such process
    assert beside.status_words()[:2] == ("red", "the loop's process is gone")


def test_only_loops_that_run_are_found(rings: RingFile, tmp_path: Path) -> None:
    """The newest ring whose process lives; rubbish, closed and dead ones are passed over."""
    (tmp_path / "softdock-rubbish.ring").write_bytes(b"rubbish")
    assert find_newest_ring(tmp_path) == rings.path
    rings.set("closed", 1)
    assert list_running_rings(tmp_path) == []


def test_names_are_text_and_a_ring_without_a_scenario_is_refused(tmp_path: Path) -> None:
    """What a loop says of itself reaches the page escaped; without a scenario there is nothing to
    draw, and it is said."""
    hostile = "<script>alert(1)</script>"
    assert "<script>" not in numbers_html([(hostile, hostile)]) + light_html(
        "red", hostile, hostile
    )
    from softdock.recording.ring_file import make_ring
    from softdock.recording.streams import About, make_rig_streams

    bare = make_ring(make_rig_streams(("chaser",)), About(), folder=tmp_path, seconds=2.0)
    with pytest.raises(BadRecording, match="no scenario is attached"):
        ObservedRun(bare.path)


def test_the_rigs_own_facility_counts() -> None:
    """Robot by robot, the rig file's keys over the scenario's."""
    scenario = '[facility.chaser]\narm = "kr16"\nbase_m = [0.0, 0.0, 0.0]\n'
    rig = "[facility.chaser]\nbase_m = [1.0, 0.0, 0.0]\n"
    found = merge_facility({"scenario.toml": scenario, "rig.toml": rig})
    assert found == {"chaser": {"arm": "kr16", "base_m": [1.0, 0.0, 0.0]}}
    assert merge_facility({}) is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["view"], "or --rig"),
        (["view", "epos_1d", "--rig"], "takes no scenario"),
        (["view", "no_such.ring"], "cannot be opened"),
        (["rig", "run", "emulated_pair", "epos_1d", "--view", "--no-record"], "--no-record"),
    ],
)
def test_what_cannot_be_looked_at_is_refused(words: list[str], said: str) -> None:
    """Before anything moves or listens, with what is needed."""
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 2
    assert said in done.output


def test_nothing_of_the_viewer_can_reach_a_robot() -> None:
    """No module of the viewer imports what opens a socket to a robot or commands one."""
    import softdock.output.viewer

    folder = Path(softdock.output.viewer.__file__).parent
    for file in folder.glob("*.py"):
        text = file.read_text(encoding="utf-8")
        for word in ("softdock.rig",):
            assert f"from {word}" not in text, file.name
            assert f"import {word}" not in text, file.name


def test_counts_of_the_loop_are_its_own(rings: RingFile) -> None:
    """However often somebody looks, the loop's count and the recorder's mark are what these two
    made of them."""
    looks = [RingReader(rings.path) for _ in range(3)]
    for k in range(20):
        write(rings, [CYCLE_S * k])
        for look in looks:
            look.poll()
    words = rings.ring("cycle").words
    assert (words[IN.count], words[IN.taken], words[IN.lost]) == (20, 0, 0)
    assert json.dumps([look.kept for look in looks]) == "[20, 20, 20]"


def test_a_method_of_the_users_own_file_is_not_needed_to_draw_the_plan() -> None:
    """The viewer beside a rig is a process that runs no file: the scenario is built without the
    method, and those that softdock has stay."""
    methods = '[[methods]]\nname = "of_my_own"\ngain = 2.0\n[[methods]]\nname = "direct"\n'
    tables = load_scenario("epos_1d").tables | {"methods": []}
    text = to_toml(tables).replace("methods = []\n", "") + methods
    built = read_scenario({"scenario.toml": text}, "a ring")
    assert [one["name"] for one in built.tables["methods"]] == ["direct"]
