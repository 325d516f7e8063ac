"""The proof that no number moved must itself be able to fail: `benchmarks.fingerprint`."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import softdock
from benchmarks.fingerprint import store
from benchmarks.fingerprint.cases import CAMPAIGNS
from benchmarks.fingerprint.comparing import compare
from benchmarks.fingerprint.digests import flatten, of_array, of_float, of_value
from benchmarks.fingerprint.store import BadFile, Fingerprint

POSITION = np.linspace(-1.0, 1.0, 101)


def taken(position=POSITION, restitution=0.5, name="presets/epos_1d", **more):
    """A fingerprint with one case."""
    channels = {"series.chaser.position.x": of_array(position)}
    channels |= flatten("metrics", {"restitution": restitution, "softdock": "0.1.0"})
    return Fingerprint(dict.fromkeys(store.SAME_MACHINE, "one"), {name: channels | more})


def one_bit_more(values, at):
    changed = values.copy()
    changed[at] = np.nextafter(changed[at], math.inf)
    return changed


def test_the_same_numbers_are_equal():
    """A copy, and a version that is no number, are no difference."""
    verdict = compare(taken(), taken(POSITION.copy()))
    assert verdict.equal
    assert verdict.lines == ["1 of 1 cases equal (2 channels), 0 differ, 0 missing, 0 new"]


@pytest.mark.parametrize("at", [0, 50, 100])
def test_one_bit_of_a_series_is_told(at):
    """The last bit of one value anywhere in a series: case and channel are named."""
    verdict = compare(taken(), taken(one_bit_more(POSITION, at)))
    assert not verdict.equal
    assert verdict.lines[0] == "DIFFERS presets/epos_1d: 1 channels"
    assert "series.chaser.position.x" in verdict.lines[1]


def test_one_bit_of_a_number_is_told_with_its_size():
    """A single number is kept whole, so that a difference has a size."""
    verdict = compare(taken(), taken(restitution=math.nextafter(0.5, 1.0)))
    assert not verdict.equal
    assert "metrics.restitution: 0.5 -> 0.50000000000000011 (by 1.11e-16)" in verdict.lines[1]


def test_every_campaign_preset_is_taken():
    """A preset that is added must be added there too: how many draws it takes, or that it is run
    whole."""
    presets = Path(softdock.__file__).parent / "studies" / "campaign" / "presets"
    assert sorted(CAMPAIGNS) == sorted(path.stem for path in presets.glob("*.toml"))


def test_every_hash_counts():
    """Sabotage of each stored text in turn, by one character: none is overlooked."""
    right = taken()
    for channel, text in right.cases["presets/epos_1d"].items():
        wrong = right.cases["presets/epos_1d"] | {
            channel: text[:-1] + ("0" if text[-1] != "0" else "1")
        }
        assert not compare(right, Fingerprint(right.header, {"presets/epos_1d": wrong})).equal


def test_what_is_missing_is_a_difference_and_what_is_new_is_not():
    """A case or a channel that is not there hides nothing; nothing at all proves nothing."""
    both = Fingerprint({}, taken().cases | taken(name="presets/epos_2d").cases)
    one = Fingerprint({}, taken().cases)
    assert "MISSING presets/epos_2d" in compare(both, one).lines
    assert not compare(both, one).equal
    assert compare(both, one, partial=True).equal
    assert compare(one, both).equal
    assert "new case presets/epos_2d" in compare(one, both).lines
    more = Fingerprint({}, taken(extra=of_float(1.0)).cases)
    assert compare(one, more).equal
    assert not compare(more, one).equal
    assert not compare(Fingerprint({}, {}), Fingerprint({}, {}), partial=True).equal


def test_an_error_on_both_sides_is_not_equal():
    """Two commits that fail alike prove nothing; two that refuse alike are equal."""
    failed = Fingerprint({}, {"presets/epos_1d": {"failed": "TypeError"}})
    refused = Fingerprint({}, {"presets/epos_1d": {"refusal": "BadInput"}})
    assert not compare(failed, failed).equal
    assert compare(refused, refused).equal


def test_digests_tell_apart_what_differs_and_nothing_else():
    """-0.0, shape and order count; the payload of a NaN and the memory's layout do not."""
    table = np.arange(6.0).reshape(2, 3)
    assert of_array([0.0]) != of_array([-0.0])
    assert of_float(0.0) != of_float(-0.0)
    assert of_array(table) != of_array(table.ravel())
    assert of_array(table[:, 1]) == of_array(table[:, 1].copy())
    assert of_array([1.0, 2.0, 3.0]) != of_array([2.0, 1.0, 3.0])
    assert of_array([math.nan]) == of_array([-math.nan])
    assert of_value(["a", 1.0]) != of_value(["a", 2.0])
    assert flatten("m", {"rows": [{"x": 1.0}, {"x": 2.0}]})["m.rows.1.x"] == (2.0).hex()


def test_a_file_goes_on_where_it_was_cut(tmp_path, monkeypatch):
    """A line cut by an interruption is no case; a file of other sources is never written over."""
    out = tmp_path / "out.json"
    store.begin(out)
    store.add(out, "a", {"x": "1"}, 0.0)
    with out.open("a") as file:
        file.write('{"case": "b", "chan')
    assert store.read(out).cases == {"a": {"x": "1"}}
    assert store.begin(out).cases == {"a": {"x": "1"}}
    store.add(out, "b", {"x": "2"}, 0.0)
    assert list(store.read(out).cases) == ["a", "b"]
    header = json.loads(out.read_text().splitlines()[0])
    monkeypatch.setattr(store, "about", lambda: header | {"tree": "another"})
    with pytest.raises(BadFile, match="another tree"):
        store.begin(out)
