"""Numbers written back into a rig file: the keys that were asked for, and no other byte."""

from __future__ import annotations

import pytest

from softdock.errors import BadInput
from softdock.rig.file import load_rig, rig_text
from softdock.rig.writing import write_back

MEASURED = {"robots.chaser.delay_ms": 15.973, "sensors.chaser.delay_ms": 0.071}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(rig_text("emulated_pair")[0])
    return path


def test_a_key_is_replaced_or_put_under_its_table(file):
    """The stated delay is replaced with its comment kept, the sensor's is new; all other lines are
    as they were, and the rig that is read has both."""
    before = file.read_text().splitlines()
    assert write_back(file, MEASURED) == {
        "robots.chaser.delay_ms": 16.0,
        "sensors.chaser.delay_ms": None,
    }
    after = file.read_text().splitlines()
    assert [line for line in after if line not in before] == [
        "delay_ms = 15.973 # as in the scenarios of EPOS",
        "delay_ms = 0.071",
    ]
    assert len(after) == len(before) + 1
    rig = load_rig(file)
    assert rig.robots["chaser"].delay_ms == 15.973
    assert rig.robots["target"].delay_ms == 16.0
    assert rig.sensors["chaser"].delay_ms == 0.071


def test_a_table_that_is_not_there_is_added(file):
    """Of three numbers too."""
    write_back(file, {"tools.chaser.mass_kg": 2.0, "sensors.chaser.bias_N": (0.1, -0.2, 9.8)})
    rig = load_rig(file)
    assert rig.tools["chaser"].mass_kg == 2.0
    assert rig.sensors["chaser"].bias_N == (0.1, -0.2, 9.8)


def test_what_cannot_be_written_is_refused_and_left_alone(file):
    """A preset, a table written in one line, a number that the key does not allow."""
    with pytest.raises(BadInput, match="presets stay"):
        write_back("emulated_pair", MEASURED)
    text = file.read_text().replace("[stop]", "")
    file.write_text(text + "\n[machine]\npriority = 10\n")
    for values in ({"robots.chaser.delay_ms": -1.0}, {"machine.no_such_key": 1.0}):
        before = file.read_bytes()
        with pytest.raises(BadInput, match="by hand"):
            write_back(file, values)
        assert file.read_bytes() == before
    file.write_text("run_up = { ramp_s = 0.4 }\n" + text)
    with pytest.raises(BadInput, match=r"ramp_s = 0\.7"):
        write_back(file, {"run_up.ramp_s": 0.7})
