"""`softdock new`: a file that passes `check`, every line commented; nothing written that would not
run."""

import tomllib

import pytest
from click.testing import CliRunner
from mesh_files import revolved, write_stl

from softdock.cli.main import cli
from softdock.meshes.kept import turn_matrix
from softdock.meshes.reading import read_mesh
from softdock.scenario.files import load_scenario
from softdock.scenario.moving_robots import moving_robots
from softdock.scenario.new_file import LOOKS, MeshPart, scenario_text


def call(*arguments, **more):
    return CliRunner().invoke(cli, ["new", *map(str, arguments)], **more)


def test_the_file_is_commented_and_passes_check(tmp_path):
    """Options in, every line with a comment, what was given in the resolved scenario."""
    file = tmp_path / "my_rig.toml"
    result = call(file, "--chaser-mass", 300, "--delay", 16, "--tool-error", 5)
    assert result.exit_code == 0, result.output
    lines = [line for line in file.read_text().splitlines() if "=" in line]
    assert all("#" in line for line in lines)
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
    assert call(tmp_path / "x.toml", "--target-delay", "-1").exit_code == 2


def test_nothing_goes_stale_when_keys_change(tmp_path):
    """No comment and no description repeats a number that was given: after an edit it would be
    wrong."""
    one, other = tmp_path / "one.toml", tmp_path / "two.toml"
    assert call(one).exit_code == 0
    assert (
        call(other, "--speed", 37, "--delay", 11, "--offset", 3, "--stiffness", 8123).exit_code == 0
    )
    said = [
        [line.partition("#")[2] for line in file.read_text().splitlines()[1:]]
        for file in (one, other)
    ]
    assert said[0] == said[1]
    assert load_scenario(one).tables["description"] == ""


def test_a_client_that_is_bolted_to_the_floor(tmp_path):
    """One robot: no mass and no robot of the client, asked for or written; what moves it is refused
    beside it; the file passes check for both shapes."""
    for shape in ("cone", "wall"):
        file = tmp_path / f"{shape}.toml"
        result = call(file, "--shape", shape, "--target", "fixed", "--offset", 2, "--tilt", 0.5)
        assert result.exit_code == 0, result.output
        assert "(the chaser alone along the axis)" in result.output
        text = file.read_text()
        assert "robots.target" not in text
        assert "tumble" not in text
        assert text.count("mass_kg") == 3  # chaser, tool, tool as believed
        tables = load_scenario(file).tables
        assert moving_robots(tables) == ("chaser",)
        assert CliRunner().invoke(cli, ["check", str(file)]).exit_code == 0
    asked = call(tmp_path / "a.toml", "--ask", input="\n\nfixed\n" + "\n" * 30)
    assert asked.exit_code == 0, asked.output
    assert "mass of the client" not in asked.output
    assert "tumble" not in asked.output
    assert load_scenario(tmp_path / "a.toml").tables["target"]["fixed"]
    refused = call(tmp_path / "b.toml", "--target", "fixed", "--target-mass", 5, "--tumble", 1)
    assert refused.exit_code == 2
    assert "--target-mass" in refused.output
    assert "--tumble" in refused.output


def test_walls_too(tmp_path):
    """The other shape."""
    assert call(tmp_path / "w.toml", "--shape", "wall", "--offset", 0).exit_code == 0
    assert load_scenario(tmp_path / "w.toml").tables["contact"][0]["geometry"] == "wall"


@pytest.mark.parametrize("looks", LOOKS)
def test_however_a_mesh_lies_in_its_file(tmp_path, looks):
    """Its foremost point is where a mouth would be, and its middle on the axis."""
    profile = [(100.0, 0.0), (100.0, -80.0), (104.0, -80.0), (104.0, 0.0)]
    vertices, faces = revolved(profile, sides=24, pieces=2)
    vertices = vertices @ turn_matrix(LOOKS["z"]).T @ turn_matrix(LOOKS[looks])
    path = write_stl(tmp_path / "tube.stl", vertices + [7.0, -30.0, 11.0], faces)
    text = scenario_text("x", "mesh", {}, part=MeshPart(path, "tube.stl", "mm", looks))
    (pair,) = tomllib.loads(text)["contact"]
    turn = turn_matrix(tuple(pair["attitude_wxyz"]))
    points = read_mesh(path.read_bytes(), "tube.stl", "mm").vertices @ turn.T + pair["origin_m"]
    low, high = points.min(axis=0), points.max(axis=0)
    assert (low[0], high[0]) == pytest.approx((-1.0, -0.92), abs=1e-5)
    assert 0.5 * (low + high)[1:] == pytest.approx([0.0, 0.0], abs=1e-5)
    assert pair["resolution_m"] == 0.0016  # 0.75 % of 208 mm


def test_a_mesh_in_millimetres(tmp_path):
    """A file that passes `check`, every line commented, with the mesh named from its folder."""
    profile = [(20.0, 0.0), (20.0, -6.0), (60.0, -6.0), (60.0, 0.0)]
    write_stl(tmp_path / "disc.stl", *revolved(profile, sides=12, pieces=1))
    file = tmp_path / "rigs" / "mine.toml"
    file.parent.mkdir()
    result = call(file, "--mesh", tmp_path / "disc.stl", "--unit", "mm", "--offset", 30)
    assert result.exit_code == 0, result.output
    assert 'file = "../disc.stl"' in file.read_text()
    assert all("#" in line for line in file.read_text().splitlines() if "=" in line)
    (pair,) = load_scenario(file).tables["contact"]
    assert (pair["geometry"], pair["resolution_m"], pair["tip_radius_m"]) == ("mesh", 9e-4, 0.006)


def test_a_thin_wall_makes_the_cells_smaller_and_bad_options_write_nothing(tmp_path):
    profile = [(100.0, 0.0), (100.0, -80.0), (101.5, -80.0), (101.5, 0.0)]
    write_stl(tmp_path / "tube.stl", *revolved(profile, sides=96, pieces=2))
    mesh = ["--mesh", tmp_path / "tube.stl"]
    written = scenario_text("x", "mesh", {}, part=MeshPart(mesh[1], "tube.stl", "mm", "z"))
    assert "resolution_m = 0.00071 #" in written
    for options, words in (
        (mesh, 'in m this one is 203 m; unit = "mm"?'),
        (["--shape", "mesh"], "--mesh FILE beside it"),
        (["--unit", "mm"], "it is for --mesh"),
        ([*mesh, "--shape", "cone"], "it is for --mesh"),
        (["--mesh", tmp_path / 'a".stl'], "a path without quotes"),
        (["--mesh", tmp_path / "none.stl"], "a mesh that can be read"),
    ):
        result = call(tmp_path / "bad.toml", *options)
        assert result.exit_code == 2, options
        assert words in " ".join(result.output.split()), result.output
    assert not (tmp_path / "bad.toml").exists()


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
