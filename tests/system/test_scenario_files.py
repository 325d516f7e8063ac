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

from softdock import BadInput
from softdock.cli.main import cli
from softdock.scenario.files import load_scenario, preset_text

TEXT = preset_text("epos_3d")
LINES = TEXT.splitlines()
KEY_LINE = re.compile(r"^(\w+)\s*=\s*([^#]*?)\s*(#.*)?$")
KEYS = {i: match for i, line in enumerate(LINES) if (match := KEY_LINE.match(line))}
NUMBERS = {i: m for i, m in KEYS.items() if re.match(r"^-?\d", m[2]) and m[1] != "schema"}
VECTORS = {i: m for i, m in KEYS.items() if m[2].startswith("[")}
TEXTS = {i: m for i, m in KEYS.items() if m[2].startswith('"')}
FLAGS = {i: m for i, m in KEYS.items() if m[2] in ("true", "false")}
NEEDED = (
    "duration_s",
    "mass_kg",
    "inertia_kg_m2",
    "geometry",
    "mouth_radius_m",
    "bottom_radius_m",
    "half_angle_deg",
    "stiffness_N_per_m",
)
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
HEADERS = [i for i, line in enumerate(LINES) if line.startswith("[")]


def with_line(i, *lines):
    return "\n".join([*LINES[:i], *lines, *LINES[i + 1 :]]) + "\n"


def name_of(i):
    """A line's table and key, for the test's name."""
    table = next((LINES[h].split("#")[0].strip(" []") for h in reversed(HEADERS) if h <= i), "top")
    return f"{table}.{KEYS[i][1]}" if i in KEYS else table


def mutations():
    """Name and content of every broken file."""
    for i, m in NUMBERS.items():
        for what, value in {
            "text": '"three"',
            "flag": "true",
            "vector": "[1.0, 2.0]",
            "date": "1979-05-27",
            "table": "{}",
            "nan": "nan",
        }.items():
            yield f"{what} for the number {name_of(i)}", with_line(i, f"{m[1]} = {value}")
        if m[1] != "mass_kg":  # it has no upper bound
            yield f"huge {name_of(i)}", with_line(i, f"{m[1]} = 1e300")
            yield f"array of one for the number {name_of(i)}", with_line(i, f"{m[1]} = [{m[2]}]")
        yield f"very negative {name_of(i)}", with_line(i, f"{m[1]} = -1e12")
        yield f"infinite {name_of(i)}", with_line(i, f"{m[1]} = inf")
    for i, m in VECTORS.items():
        for what, value in {
            "number": "1.0",
            "short": "[1.0]",
            "text inside": '[0.0, "b", 0.0]',
            "nan inside": "[0.0, nan, 0.0]",
            "long": "[1.0, 1.0, 1.0, 1.0, 1.0]",
        }.items():
            if not (m[1] == "mass_kg" and what == "number"):
                yield f"{what} for the vector {name_of(i)}", with_line(i, f"{m[1]} = {value}")
    for i, m in TEXTS.items():
        for what, value in {"number": "3", "array": "[]", "table": "{ a = 1 }"}.items():
            yield f"{what} for the text {name_of(i)}", with_line(i, f"{m[1]} = {value}")
        if m[1] not in ("name", "description"):
            yield f"unknown choice of {name_of(i)}", with_line(i, f'{m[1]} = "no such thing"')
    for i, m in FLAGS.items():
        yield f"text for the flag {name_of(i)}", with_line(i, f'{m[1]} = "yes"')
        yield f"number for the flag {name_of(i)}", with_line(i, f"{m[1]} = 1")
    for i, m in KEYS.items():
        yield f"twice {name_of(i)}", with_line(i, LINES[i], LINES[i])
        yield f"misspelt {name_of(i)}", with_line(i, LINES[i].replace(m[1], m[1] + "x", 1))
        if m[1] in NEEDED:
            yield f"without {name_of(i)}", with_line(i)
        stem, unit = m[1].rpartition("_")[::2]
        if stem and unit in ("ms", "s", "m", "N", "kg", "Nm", "deg"):
            yield f"without its unit {name_of(i)}", with_line(i, f"{stem} = {m[2]}")
            yield f"in other units {name_of(i)}", with_line(i, f"{stem}_inch = {m[2]}")
    for i in HEADERS:
        yield f"unknown key in {name_of(i)}", with_line(i, LINES[i], "colour = 'red'")
        yield f"unknown table before {name_of(i)}", with_line(i, f"[colour{i}]", "x = 1", LINES[i])
        yield (
            f"unclosed header {name_of(i)}",
            with_line(i, LINES[i].split("#")[0].rstrip().rstrip("]")),
        )
        if not LINES[i].startswith("[["):
            yield f"header twice {name_of(i)}", with_line(i, LINES[i], LINES[i])
    yield from whole_files()


def whole_files():
    """Mutations of no single line."""
    deep = 3000
    yield "empty", ""
    yield "white space", " \n\t\n"
    yield "a comment", "# nothing\n"
    yield "schema of the future", TEXT.replace("schema = 1", "schema = 2")
    yield "schema is a flag", TEXT.replace("schema = 1", "schema = true")
    yield "latin-1", TEXT.replace("a probe enters", "une sonde entre à").encode("latin-1")
    yield "utf-16", TEXT.encode("utf-16")
    yield "a zero byte", TEXT.encode().replace(b"[target]", b"[target]\x00")
    yield "a control character", TEXT.replace('name = "epos_3d"', 'name = "\x01"')
    yield "ten megabytes of garbage", bytes(range(256)) * 40_000
    yield "ten megabytes of comment", "# nothing\n" * 1_000_000
    yield "nested arrays", TEXT + "x = " + "[" * deep + "]" * deep + "\n"
    yield (
        "nested arrays in a contact",
        TEXT.replace("axis = [-1.0, 0.0, 0.0]", "axis = " + "[" * deep + "]" * deep),
    )
    yield (
        "arrays nested four hundred deep",
        TEXT.replace("axis = [-1.0, 0.0, 0.0]", "axis = " + "[" * 400 + "]" * 400),
    )
    yield "nested inline tables", TEXT + "x = " + "{a=" * deep + "1" + "}" * deep + "\n"
    yield "a key of many dots", "a." * deep + "a = 1\n" + TEXT
    yield (
        "a key of many dots in a table",
        TEXT.replace("[target] #", "a." * deep + "a = 1\n[target] #"),
    )
    yield "a table of many dots", TEXT + "[" + "a." * deep + "a]\n"
    yield (
        "a whole number of 400 digits",
        TEXT.replace("mass_kg = 3000.0", "mass_kg = 1" + "0" * 400, 1),
    )
    yield (
        "a whole number of 5000 digits",
        TEXT.replace("mass_kg = 3000.0", "mass_kg = 1" + "0" * 5000, 1),
    )
    yield "a number beyond floats", TEXT.replace("mass_kg = 3000.0", "mass_kg = 1e400", 1)
    yield "contact is a table", TEXT.replace("[[contact]]", "[contact]")
    yield (
        "contact is a number",
        TEXT[: TEXT.index("[[contact]]")].replace("schema = 1", "schema = 1\ncontact = 3"),
    )
    yield (
        "contact holds numbers",
        TEXT[: TEXT.index("[[contact]]")].replace("schema = 1", "schema = 1\ncontact = [1, 2]"),
    )
    yield (
        "five contacts",
        TEXT + '\n[[contact]]\ngeometry = "wall"\nreal.stiffness_N_per_m = 1.0\n' * 4,
    )
    yield (
        "methods is a text",
        TEXT[: TEXT.index("[[methods]]")].replace("schema = 1", 'schema = 1\nmethods = "direct"'),
    )
    yield (
        "methods holds texts",
        TEXT[: TEXT.index("[[methods]]")].replace("schema = 1", 'schema = 1\nmethods = ["direct"]'),
    )
    yield "a method without a name", TEXT + "[[methods]]\n"
    yield "time is a number", TEXT.replace("[time]", "time = 3\n[thyme]")
    yield (
        "robots is a number",
        re.sub(r"\[robots\.\w+\]\ndelay_ms.*\n", "", TEXT).replace(
            "schema = 1", "schema = 1\nrobots = 3"
        ),
    )
    yield (
        "a robot is a number",
        re.sub(r"\[robots\.\w+\]\ndelay_ms.*\n", "", TEXT).replace(
            "schema = 1", "schema = 1\nrobots.chaser = 3"
        ),
    )
    yield "a third robot", TEXT + "[robots.other]\ndelay_ms = 1.0\n"
    yield "a quoted path", TEXT.replace("schema = 1", 'schema = 1\n"chaser.mass_kg" = 3')
    yield (
        "a sub-table where a number belongs",
        TEXT.replace("[sensor]", "[sensor.noise_N]\nx = 1\n[sensor]"),
    )
    yield "a body too flat", TEXT.replace("[500.0, 500.0, 500.0]", "[1.0, 1.0, 500.0]", 1)
    yield "a cone that widens", TEXT.replace("bottom_radius_m = 0.02", "bottom_radius_m = 0.06")
    yield "a json file", '{"schema": 1, "time": {"duration_s": 1}}'
    yield "a python file", "import os\nos.abort()\n"
    yield (
        "a schedule that goes back",
        TEXT + "[hand.chaser]\nrows = [[0,0,0,0,0,0,0],[2,0,0,0,0,0,0],[1,0,0,0,0,0,0]]\n",
    )
    yield "a schedule of texts", TEXT + '[hand.chaser]\nrows = [["a"], ["b"]]\n'
    yield "a missing csv", TEXT + '[hand.chaser]\ncsv = "none.csv"\n'
    yield (
        "a table that starts above zero",
        TEXT.replace("stiffness_N_per_m = 4000.0", "table_m_N = [[0.0, 1.0], [1.0, 2.0]]").replace(
            "spring_damper", "table"
        ),
    )


MUTATIONS = dict(mutations())


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
