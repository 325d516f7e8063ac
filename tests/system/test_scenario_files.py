"""Broken scenario files: whatever is in them, they are refused as bad input with file, line and
key, and nothing else happens.

The files are made from a preset's text, one mutation each; that a mutation is bad follows from how
it is made.
"""

from __future__ import annotations

import random
import re
import subprocess
import sys
import tomllib

import pytest
from click.testing import CliRunner
from scenario_mutations import LINES, MUTATIONS, NUMBERS, TEXT, mutations, name_of, with_line

from softdock import BadInput
from softdock.cli.main import cli
from softdock.scenario.files import load_scenario

ODD = [
    b"[[",
    b"]",
    b"=",
    b'"""',
    b"{}",
    b"1e999",
    b"\n",
    b"\r",
    b"#",
    b".",
    b"nan",
    b"-",
    b"\xff",
    b"inf",
    b"[]",
]


def test_there_are_enough_mutations():
    """At least a hundred files, all different from the preset, names unique."""
    assert len(MUTATIONS) >= 100
    assert len(MUTATIONS) == len(list(mutations()))
    assert TEXT not in MUTATIONS.values()


def check_refused(path):
    with pytest.raises(BadInput) as caught:
        load_scenario(path)
    problems = caught.value.problems
    assert problems
    for problem in problems:
        assert problem.key
        assert re.fullmatch(rf"{re.escape(str(path))}:\d+", problem.where), (
            f"no file:line in {str(problem)[:300]}"
        )
        assert problem.allowed
        assert len(str(problem)) < 2000
    return problems


@pytest.fixture
def written(tmp_path):
    def write(content):
        path = tmp_path / "scenario.toml"
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return path

    return write


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_broken_file_is_refused_with_file_line_and_key(written, name):
    """Bad input with every problem placed, never another exception."""
    content = MUTATIONS[name]
    path = written(content)
    lines = (content if isinstance(content, bytes) else content.encode()).count(b"\n") + 1
    for problem in check_refused(path):
        assert 1 <= int(problem.where.rpartition(":")[2]) <= lines


def in_order(text):
    """Whether a cut file still is a scenario: TOML, with all needed keys. Cut values stay in range,
    cut texts and arrays do not parse."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    bodies = [tables.get(name, {}) for name in ("chaser", "target")]
    needed = "duration_s" in tables.get("time", {}) and all(
        "mass_kg" in b and "inertia_kg_m2" in b for b in bodies
    )
    cone = ("mouth_radius_m", "bottom_radius_m", "half_angle_deg", "geometry")
    touches = all(
        all(key in pair for key in cone) and "stiffness_N_per_m" in pair.get("real", {})
        for pair in tables.get("contact", [])
    )
    named = all("name" in method for method in tables.get("methods", []))
    robots = tables.get("facility", {}).keys() & {"chaser", "target"}
    placed = "facility" not in tables or (
        bool(robots)
        and all({"arm", "base_m"} <= tables["facility"][robot].keys() for robot in robots)
    )
    return needed and touches and named and placed


def test_a_file_cut_anywhere_is_refused_or_still_a_scenario(written):
    """Cut at every third character: refused unless what is left has all it needs (a cut in a
    comment, before or after the contact)."""
    outcomes = []
    for at in range(0, len(TEXT), 3):
        path = written(TEXT[:at])
        if in_order(TEXT[:at]):
            load_scenario(path)
            outcomes.append(True)
        else:
            check_refused(path)
            outcomes.append(False)
    assert outcomes.count(False) > 300
    assert outcomes.count(True) > 50


@pytest.mark.parametrize(("count", "seed"), [(400, 7)])
def test_random_damage_is_refused_or_harmless(written, count, seed):
    """Bytes lost, doubled, swapped or replaced anywhere: bad input with every problem placed, or a
    scenario; never another exception."""
    rng, data = random.Random(seed), TEXT.encode()
    for n in range(count):
        damaged = bytearray(data)
        for _ in range(rng.randint(1, 4)):
            at, length = rng.randrange(len(damaged)), rng.randint(1, 12)
            piece = rng.choice(
                [
                    b"",
                    bytes(rng.randrange(256) for _ in range(length)),
                    damaged[at : at + length] * 2,
                    rng.choice(ODD),
                ]
            )
            damaged[at : at + length] = piece
        path = written(bytes(damaged))
        try:
            load_scenario(path)
        except BadInput as refused:
            for problem in refused.problems:
                assert problem.key, bytes(damaged)
                assert re.fullmatch(rf"{re.escape(str(path))}:\d+", problem.where), (
                    str(problem),
                    bytes(damaged),
                )
        except Exception as other:
            pytest.fail(f"damage {n} of seed {seed}: {other!r} from {bytes(damaged)!r}")


def test_the_line_is_that_of_the_mistake(written):
    """For mistakes on one line: the very line."""
    for i, m in NUMBERS.items():
        (problem,) = check_refused(written(with_line(i, f'{m[1]} = "three"')))
        assert problem.where.endswith(f":{i + 1}"), name_of(i)
        assert problem.key.endswith(m[1])
        assert problem.value == "three"


def test_all_mistakes_of_a_file_are_told_at_once(written):
    """Ten mistakes, ten lines."""
    lines = list(LINES)
    wrong = list(NUMBERS)[:10]
    for i in wrong:
        lines[i] = f'{NUMBERS[i][1]} = "three"'
    problems = check_refused(written("\n".join(lines)))
    assert {int(p.where.rpartition(":")[2]) for p in problems} == {i + 1 for i in wrong}


@pytest.mark.parametrize("path", ["missing.toml", "folder.toml", "no/such/place"])
def test_a_file_that_cannot_be_read_is_refused(tmp_path, path):
    """Missing, a folder, a path through nothing: bad input that names it."""
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(BadInput, match=re.escape(path)):
        load_scenario(tmp_path / path)


def test_an_unknown_preset_is_refused_with_a_suggestion():
    """The nearest preset is offered."""
    with pytest.raises(BadInput) as caught:
        load_scenario("epos_1dd")
    assert caught.value.problems[0].suggestion == "epos_1d"


# through the command line

BY_COMMAND = [
    "empty",
    "utf-16",
    "ten megabytes of garbage",
    "a key of many dots",
    "twice chaser.mass_kg",
    "text for the number time.cycle_ms",
]


def refused(code, out, said, folder):
    assert code == 2, said[-2000:]
    assert "Traceback" not in said
    assert "scenario.toml:" in said
    assert len(said) < 10_000
    assert out == ""
    assert [p.name for p in folder.iterdir()] == ["scenario.toml"]


@pytest.mark.parametrize("name", BY_COMMAND)
def test_the_command_refuses_with_exit_code_2(tmp_path, written, monkeypatch, name):
    """One message on standard error, no traceback, nothing written."""
    path = written(MUTATIONS[name])
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(cli, ["check", path.name])
    refused(done.exit_code, done.stdout, done.stderr, tmp_path)


def test_the_process_refuses_with_exit_code_2(tmp_path, written):
    """The same of a process of its own, as a shell sees it."""
    path = written(MUTATIONS["a key of many dots"])
    program = [sys.executable, "-c", "from softdock.cli.main import main; main()"]
    done = subprocess.run(
        [*program, "check", path.name], capture_output=True, text=True, cwd=tmp_path
    )
    refused(done.returncode, done.stdout, done.stderr, tmp_path)


def test_the_command_accepts_a_scenario_and_its_changes(tmp_path, written, monkeypatch):
    """Exit code 0 and one line; a change that is wrong is blamed on --set."""
    written(TEXT)
    monkeypatch.chdir(tmp_path)
    check = ["check", "scenario.toml", "--set"]
    done = CliRunner().invoke(cli, [*check, "robots.chaser.delay_ms=8"])
    assert done.exit_code == 0, done.stderr
    assert "in order" in done.stdout
    wrong = CliRunner().invoke(cli, [*check, "robots.chaser.delay_ms=-8"])
    assert wrong.exit_code == 2
    assert "--set: robots.chaser.delay_ms" in wrong.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["scenario.toml"]


def test_check_refuses_bodies_that_touch_at_the_start():
    """`softdock run` does; `check` said that all was in order."""
    done = CliRunner().invoke(cli, ["check", "epos_1d", "--set", "chaser.position_m=[-1e6,0,0]"])
    assert done.exit_code == 2
    assert "bodies apart at the start" in done.stderr
