"""Where each key of a TOML file stands: line numbers by dotted path, in every way TOML can be
written."""

from __future__ import annotations

import tomllib

import pytest

from softdock.files.toml_positions import key_lines
from softdock.scenario.files import preset_names, preset_text

TEXT = '''\
# a comment = with an equals sign
name = "one"  # line 2
robots.chaser.delay_ms = 3
"quoted key" = 1
'literal.dot' = 2

[time]
cycle_ms = 4.0
many = [
  1,  # eleven is not here
  2, 3,
]
[chaser]
story = """
mass_kg = 5
[target]
""" # the end of it
raw = \'\'\'
also = 1
\'\'\'
mass_kg = 7
inline = { a = 1, b = { c = [2, 3] }, d = "x, }" }
escaped = "a \\" b = 1"

[[contact]]
geometry = "wall"
[contact.real]
law = "x"
[[contact]]
geometry = "cone"
[[contact.parts]]
x = 1
[[contact.parts]]
x = 2
[contact.real]
law = "y"
[ spaced . out ]
key=1
tables = [ { x = 1 },
  { x = 2 } ]
'''

EXPECTED = {
    "name": 2,
    "robots.chaser.delay_ms": 3,
    "quoted key": 4,
    "literal.dot": 5,
    "time": 7,
    "time.cycle_ms": 8,
    "time.many": 9,
    "time.many.0": 10,
    "time.many.1": 11,
    "time.many.2": 11,
    "chaser": 13,
    "chaser.story": 14,
    "chaser.raw": 18,
    "chaser.mass_kg": 21,
    "chaser.inline": 22,
    "chaser.inline.a": 22,
    "chaser.inline.b.c": 22,
    "chaser.inline.b.c.1": 22,
    "chaser.inline.d": 22,
    "chaser.escaped": 23,
    "contact": 25,
    "contact.0": 25,
    "contact.0.geometry": 26,
    "contact.0.real": 27,
    "contact.0.real.law": 28,
    "contact.1": 29,
    "contact.1.geometry": 30,
    "contact.1.parts.0": 31,
    "contact.1.parts.0.x": 32,
    "contact.1.parts.1.x": 34,
    "contact.1.real.law": 36,
    "spaced.out": 37,
    "spaced.out.key": 38,
    "spaced.out.tables.0.x": 39,
    "spaced.out.tables.1.x": 40,
}


def test_every_kind_of_key_is_found():
    """Dotted and quoted keys, arrays of tables, inline tables, arrays and strings over several
    lines; text in strings is no key."""
    tomllib.loads(TEXT)
    found = key_lines(TEXT)
    assert {key: found.get(key) for key in EXPECTED} == EXPECTED
    assert "target" not in found
    assert "chaser.also" not in found


def leaves(value, path=""):
    """Paths of all values of a parsed file."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from leaves(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for i, inner in enumerate(value):
            yield from leaves(inner, f"{path}.{i}")
    else:
        yield path


@pytest.mark.parametrize("name", preset_names())
def test_every_key_of_a_preset_has_its_line(name):
    """The line found is one on which the key's last part stands."""
    text = preset_text(name)
    lines, found = text.splitlines(), key_lines(text)
    for path in leaves(tomllib.loads(text)):
        assert path in found, path
        assert path.rpartition(".")[2] in lines[found[path] - 1]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_ends(end):
    """Lines are counted alike with Windows line ends, and without one at the end."""
    text = end.join(["a = 1", "[b]", 'c = """x', 'y"""', "d = 2"])
    assert key_lines(text) == {"a": 1, "b": 2, "b.c": 3, "b.d": 5}


def test_an_empty_file_has_no_keys():
    """Nothing, white space, a comment."""
    for text in ("", "\n \t\n", "# only a comment"):
        assert key_lines(text) == {}
