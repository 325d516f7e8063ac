"""`softdock new`: a file that passes `check`, every line commented; nothing written that would not
run."""

from click.testing import CliRunner

from softdock.cli.main import cli
from softdock.scenario.files import load_scenario


def call(*arguments, **more):
    return CliRunner().invoke(cli, ["new", *map(str, arguments)], **more)


def test_the_file_is_commented_and_passes_check(tmp_path):
    """Options in, every line with a comment, what was given in the resolved scenario."""
    file = tmp_path / "my_rig.toml"
    result = call(file, "--chaser-mass", 300, "--delay", 16, "--tool-error", 5)
    assert result.exit_code == 0, result.output
    lines = [line for line in file.read_text().splitlines() if "=" in line]
    assert all("#" in line or line.startswith("description") for line in lines)
    tables = load_scenario(file).tables
    assert tables["chaser"]["mass_kg"] == 300.0
    assert tables["robots"]["target"]["delay_ms"] == 16.0
    assert tables["mock_up"]["chaser"]["believed"]["mass_kg"] == 1.9
    checked = CliRunner().invoke(cli, ["check", str(file)])
    assert checked.exit_code == 0
    assert "uncompensated weight" in checked.stdout


def test_one_slow_robot_and_a_filtered_sensor(tmp_path):
    """What differs between two robots, and a sensor's filter, lateness and bias, have options."""
    file = tmp_path / "slow.toml"
    options = [
        "--delay",
        "8",
        "--target-delay",
        "30",
        "--filter",
        "15",
        "--bias",
        "0.15",
        "--sensor-delay",
        "2",
    ]
    assert call(file, *options).exit_code == 0
    tables = load_scenario(file).tables
    assert [tables["robots"][b]["delay_ms"] for b in ("chaser", "target")] == [8.0, 30.0]
    sensor = tables["sensor"]
    assert (sensor["lowpass_Hz"], sensor["bias_N"][0], sensor["delay_ms"]) == (15.0, 0.15, 2.0)
    assert "8 and 30 ms" in tables["description"]
    assert call(tmp_path / "x.toml", "--target-delay", "-1").exit_code == 2


def test_walls_too(tmp_path):
    """The other shape."""
    assert call(tmp_path / "w.toml", "--shape", "wall", "--offset", 0).exit_code == 0
    assert load_scenario(tmp_path / "w.toml").tables["contact"][0]["geometry"] == "wall"


def test_it_asks(tmp_path):
    """An answer for each question that no option gives; empty: the default."""
    file = tmp_path / "asked.toml"
    result = call(file, "--ask", input="500\n" + "\n" * 30)
    assert result.exit_code == 0, result.output
    assert "mass of the servicer [kg]" in result.output
    assert load_scenario(file).tables["chaser"]["mass_kg"] == 500.0


def test_bad_answers_write_nothing(tmp_path):
    """All problems at once; an impossible inertia; a file that is there."""
    file = tmp_path / "rig.toml"
    result = call(file, "--chaser-mass", -1, "--speed", "fast", "--target-inertia", "1,2")
    assert result.exit_code == 2
    for option in ("--chaser-mass", "--speed", "--target-inertia"):
        assert option in result.output
    assert call(file, "--chaser-inertia", "1,1,100").exit_code == 2
    assert call(tmp_path / "rig.txt").exit_code == 2
    assert not file.exists()
    assert call(file).exit_code == 0
    assert "--force" in call(file).output
    assert call(file, "--force").exit_code == 0


def test_a_tip_that_comes_beside_the_mouth_is_said(tmp_path):
    """An offset larger than the mouth is allowed, and said before anything runs."""
    file = tmp_path / "beside.toml"
    assert call(file, "--offset", 15).exit_code == 0
    text = file.read_text().replace("lateral_offset_m = 0.015", "lateral_offset_m = 0.5")
    file.write_text(text)
    said = CliRunner().invoke(cli, ["check", str(file)]).output
    assert "500 mm off the axis, beside the mouth of 50 mm" in said
