"""Broken scenario files, by the hundred: each key of one file with values that cannot be,
lines that are gone or twice, and files that are none."""

from __future__ import annotations

import re

from softdock.scenario.files import preset_text

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
    yield from wrong_tables()


def wrong_tables():
    """Tables of another kind than the scenario's, and values that contradict each other."""
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
