"""The commands of a rig as a person types them: what they write, say and refuse."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from softdock.cli.main import cli
from softdock.cli.rig import LAZY
from softdock.cli.rig_arguments import confirm_motion, make_phrase
from softdock.errors import BadInput
from softdock.rig.drivers.rsi_config import read_ethernet_file
from softdock.rig.file import load_rig

ORDER = ["new", "machine", "emulate", "check", "listen", "tare", "delay", "run", "recover"]
REAL = ["--computer", "192.168.7.1", "--chaser", "192.168.7.2", "--sensor", "192.168.7.4"]


def softdock(*arguments):
    return CliRunner().invoke(cli, ["rig", *map(str, arguments)])


def test_every_command_of_a_rig_has_help_and_json():
    """In the order in which an engineer types them."""
    assert [name for name in LAZY if name in ORDER] == ORDER
    for name in LAZY:
        told = softdock(name, "--help")
        assert told.exit_code == 0, (name, told.output)
        assert "--json" in told.output, name
    assert "Did you mean 'listen'" in softdock("lisen").output


def test_a_new_rig_can_be_read_and_its_files_belong_together(tmp_path):
    """Emulated without addresses; real with them: then what is beyond loopback is said."""
    told = softdock("new", tmp_path / "my.toml", "--json")
    assert json.loads(told.output)["written"] == [str(tmp_path / "my.toml")]  # no controller
    rig = load_rig(tmp_path / "my.toml")
    assert rig.emulate is not None
    assert rig.ethernet["target"].port == 59153
    told = softdock("new", tmp_path / "real.toml", *REAL, "--target", "fixed", "--mode", "IPO")
    assert told.exit_code == 0, told.output
    rig = load_rig(tmp_path / "real.toml")
    assert (rig.moving, rig.clock.cycle_ms, rig.emulate) == (("chaser",), 12.0, None)
    assert "192.168.7.1" in " ".join(rig.notes)
    assert read_ethernet_file(tmp_path / "real_chaser.xml").address == "192.168.7.1"
    assert b"RSI_ON(#ABSOLUTE, #IPO)" in (tmp_path / "real_chaser.src").read_bytes()
    for file in tmp_path.glob("real_*"):
        assert b"127." not in file.read_bytes()


def test_a_new_rig_of_another_shape(tmp_path):
    """Two sensors; only the target with a robot, which is then the clock."""
    told = softdock("new", tmp_path / "two.toml", "--target-sensor", "127.0.0.1")
    assert told.exit_code == 0, told.output
    rig = load_rig(tmp_path / "two.toml")
    assert [rig.sensors[n].port for n in ("chaser", "target")] == [59154, 59156]
    told = softdock(
        *("new", tmp_path / "one.toml", "--chaser", "fixed", "--sensor", "none"),
        *("--target-sensor", "127.0.0.1"),
    )
    assert told.exit_code == 0, told.output
    rig = load_rig(tmp_path / "one.toml")
    assert (rig.moving, rig.clock.master, tuple(rig.sensors)) == (
        ("target",),
        "target",
        ("target",),
    )
    refused = softdock("new", tmp_path / "no.toml", "--sensor", "none")
    assert refused.exit_code == 2
    assert "a force sensor" in refused.output


def test_a_new_rig_is_not_written_over_another(tmp_path):
    """Nor is anything written that could not be read."""
    assert softdock("new", tmp_path / "my.toml").exit_code == 0
    assert "--force" in softdock("new", tmp_path / "my.toml").output
    assert "KRL" in softdock("new", tmp_path / "a name.toml").output
    told = softdock("new", tmp_path / "bad.toml", "--computer", "here")
    assert told.exit_code == 2
    assert "the IPv4 address of one machine" in told.output
    assert not (tmp_path / "bad.toml").exists()


@pytest.mark.parametrize("command", ["listen", "tare", "delay", "check", "emulate"])
def test_a_rig_that_cannot_be_is_refused_before_anything_is_opened(command):
    """With its key, and exit code 2."""
    told = softdock(command, "emulated_pair", "--set", "robots.target.port=59152")
    assert told.exit_code == 2
    assert "two robots on one port" in told.output


def test_motion_beyond_loopback_needs_a_person(tmp_path):
    """Without a terminal it is refused; the phrase repeats speed, box and energy. On loopback
    nobody is asked."""
    assert softdock("new", tmp_path / "real.toml", *REAL, "--target", "fixed").exit_code == 0
    rig = load_rig(tmp_path / "real.toml")
    assert make_phrase(rig, 0.1, 0.0152) == "100 mm/s in 600 mm with 0.0152 J"
    with pytest.raises(BadInput, match="a person types: 100 mm/s in 600 mm"):
        confirm_motion(rig, "a docking", 0.1, 0.0152)
    confirm_motion(load_rig("emulated_pair"), "a docking", 0.1, 0.0152)
    told = softdock("tare", tmp_path / "real.toml")
    assert told.exit_code == 2
    assert "confirmation" in told.output
