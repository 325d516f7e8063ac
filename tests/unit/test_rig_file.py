"""The rig file: every key known, every problem with its line, nothing beyond loopback unsaid."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import softdock
from softdock.cli.rig_arguments import open_on_rig
from softdock.errors import BadInput
from softdock.rig.drivers.rsi_templates import RobotFiles, write_files
from softdock.rig.file import load_rig, read_rig, rig_presets
from softdock.rig.scenario import put_on_rig


def refused(*changes, source="emulated_pair"):
    with pytest.raises(BadInput) as caught:
        load_rig(source, changes)
    return str(caught.value)


def test_a_preset_written_out_is_the_same_rig():
    """Defaults spelt out and read again change nothing: a recording holds the rig that ran."""
    for name in rig_presets():
        rig = load_rig(name)
        assert read_rig(tomllib.loads(rig.toml()), rig.file) == rig
    assert load_rig("emulated_pair").moving == ("chaser", "target")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("robots.target.port=59152", "two robots on one port"),
        ("robots.chaser.adress=1", "did you mean 'address'"),
        ("limits.forc_N=3", "did you mean 'force_N'"),
        ("limits.restitution=0", "> 0 and <= 10"),
        ("limits.lost_in_a_row=2.5", "a whole number >= 1 and <= 100"),
        ("robots.chaser.correction=relative", "runs away"),
        ("robots.chaser.hold_on=false", "a jump to RSI_ON"),
        ("robots.chaser.bind=0.0.0.0", "the IPv4 address of one machine"),
        ("robots.chaser.address=robot", "the IPv4 address of one machine"),
        ("robots.chaser.stop_input=DiX", "a value that softdock_chaser.xml sends"),
        ("robots.chaser.box_max_m=[-1.0, 0.3, 0.3]", "axis by axis"),
        ("sensors.chaser.rate_Hz=1001", "a whole part of sample_Hz"),
        ("sensors.chaser.port=59152", "the emulated sensor binds it"),
        ("clock.mode=FAST", "one of IPO_FAST, IPO"),
        ("facility.chaser.base=3", "did you mean 'base_m'"),
        ("schema=2", "allowed: 1"),
        ("robots.chaser=3", "a table"),
        ("emulate.drift_ppm=1", "one of phase_ms"),
        ("note=7", "a text"),
    ],
)
def test_what_does_not_fit_is_refused(change, says):
    """Each with its key, its value and what is allowed, before anything moves."""
    said = refused(change)
    assert change.partition("=")[0].rpartition(".")[2] in said
    assert says in said


def test_a_refusal_names_file_and_line(tmp_path):
    """Of a file on disc, all problems at once."""
    file = tmp_path / "my.toml"
    file.write_text("schema = 1\n[robots.chaser]\nport = 0\n[limits]\nforce = 1\n")
    said = refused(source=file)
    allowed = "a whole number >= 1 and <= 65535"
    assert f"{file}:3: robots.chaser.port: given 0; allowed: {allowed}" in said
    assert f"{file}:5: limits.force: given 1" in said
    file.write_text("schema = 1\n[robots.chaser\n")
    assert f"{file}:2: TOML" in refused(source=file)
    assert "a preset: emulated_pair" in refused(source=tmp_path / "none.toml")
    assert "did you mean 'emulated_pair'" in refused(source="emulated_pare")


REAL = """schema = 1
[robots.chaser]
address = "192.168.7.2"
bind = "192.168.7.1"
ethernet_xml = "chaser.xml"
context = "chaser.rsi.xml"
[robots.target]
driver = "fixed"
[sensors.chaser]
address = "192.168.7.4"
bind = "192.168.7.1"
"""


def real_rig(folder: Path, text: str = REAL, **files):
    described = {"name": "chaser", "address": "192.168.7.1", "port": 59152} | files
    write_files(RobotFiles(**described), folder)
    (folder / "rig.toml").write_text(text)
    return folder / "rig.toml"


def test_an_address_beyond_loopback_must_be_stated_and_is_said(tmp_path):
    """Without `bind` it is refused; with it every command prints who is heard."""
    rig = load_rig(real_rig(tmp_path))
    assert rig.moving == ("chaser",)
    assert rig.beyond_loopback == ("192.168.7.1", "192.168.7.2", "192.168.7.4")
    assert any("listening on 192.168.7.1:59152, beyond loopback" in said for said in rig.notes)
    unstated = tmp_path / "unstated.toml"
    unstated.write_text(REAL.replace('bind = "192.168.7.1"\n', ""))
    assert "robots.chaser.bind" in refused(source=unstated)
    emulated = tmp_path / "emulated.toml"
    emulated.write_text(REAL + "[emulate]\n")
    assert "this rig is emulated" in refused(source=emulated)


def test_the_controllers_files_must_be_those_of_the_rig(tmp_path):
    """Port, address, HOLDON, PosCorr limits and Timeout: what the controller has is what counts."""
    file = real_rig(tmp_path, lower_mm=(-50.0, -20.0, -30.0), timeout_packets=20)
    said = refused("robots.chaser.port=59153", source=file)
    assert f"59152, as in {tmp_path / 'chaser.xml'}" in said
    assert "[-50.0, -20.0, -30.0], as the context" in said
    assert "20, as the context" in said
    xml = tmp_path / "chaser.xml"
    xml.write_text(xml.read_text().replace('HOLDON="1"', 'HOLDON="0"'))
    assert "HOLDON=1" in refused(source=file)
    xml.write_text("<!DOCTYPE x><ROOT/>")
    assert "no entities" in refused(source=file)


MOUNTED = """[facility.chaser]
base_m = [1.0, 0.0, 0.0]
mock_up_m = [0.0, 0.0, 0.1]
[tools.chaser]
mass_kg = 2.0
"""


def test_the_rigs_values_win_over_the_scenarios_and_differences_are_said(tmp_path):
    """Delays, tools and mounting: each key that both state and that differs has a sentence."""
    (tmp_path / "rig.toml").write_text(load_rig("emulated_pair").toml() + MOUNTED)
    rig = load_rig(tmp_path / "rig.toml", ["robots.chaser.delay_ms=20.5"])
    arm = {"arm": "kr16", "base_m": [2.0, 0.0, 0.0]}
    scenario = softdock.load_scenario("epos_1d").replace({"facility": {"chaser": arm}})
    found = put_on_rig(rig, scenario)
    assert found.scenario.tables["robots"]["chaser"]["delay_ms"] == 20.5
    assert found.scenario.tables["mock_up"]["chaser"]["believed"]["mass_kg"] == 2.0
    assert found.facility.chaser.arm == "kr16"
    assert found.base_in_orbit("chaser") == pytest.approx((1000.0, 0, 0, 0, 0, 0))
    assert found.centre_from_flange("chaser") == pytest.approx((0, 0, 100.0, 0, 0, 0))
    assert found.base_in_orbit("target") == (0.0,) * 6
    said = "\n".join(found.differences)
    assert "facility.chaser.base_m: the rig's [1.0, 0.0, 0.0] counts" in said
    assert "robots.chaser.delay_ms: the rig's 20.5 counts, the scenario says 16.0" in said
    assert len(found.differences) == 3
    assert (
        put_on_rig(load_rig("emulated_pair"), softdock.load_scenario("epos_1d")).differences == ()
    )


def test_a_cycle_that_the_robots_do_not_have_is_refused():
    """A scenario of 12 ms on robots of 4 ms, with what to type."""
    slow = softdock.load_scenario("epos_1d", ["time.cycle_ms=12"])
    with pytest.raises(BadInput, match=r"--scenario-set time\.cycle_ms=4"):
        put_on_rig(load_rig("emulated_pair"), slow)


def test_a_preset_takes_the_cycle_of_the_rig(capsys):
    """Nobody can write another cycle into a preset: commands that need any scenario at all would
    refuse every rig of 12 ms. What is stated all the same is refused as before."""
    found = open_on_rig("emulated_pair", ["clock.mode=IPO"], "epos_1d")
    assert found.scenario.tables["time"]["cycle_ms"] == pytest.approx(12.0)
    assert "time.cycle_ms: the rig's 12 counts, epos_1d says 4" in capsys.readouterr().err
    with pytest.raises(BadInput, match=r"time\.cycle_ms"):
        open_on_rig("emulated_pair", ["clock.mode=IPO"], "epos_1d", ["time.cycle_ms=4"])
