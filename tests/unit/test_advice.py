"""Advice is run before it is given: what is offered, which lines are advised, what is said."""

import re
import shlex

import pytest

from softdock.errors import BadInput
from softdock.results.advice import advise, explain, format_line
from softdock.results.phases import judge_metrics, list_phases, simulate_metrics
from softdock.results.rig_settings import Setting, list_settings
from softdock.scenario.files import load_scenario


def verdict(scenario):
    return judge_metrics(scenario, simulate_metrics(list_phases(scenario, 8)))


def rig(**changes):
    return load_scenario("epos_1d", {key.replace("__", "."): v for key, v in changes.items()})


def helps(before, after):
    """The rule of docs/verdict.md, of two verdicts."""
    target = before["failed"][0]
    if set(after["failed"]) - set(before["failed"]):
        return False
    was, now = (one["criteria"][target]["excess"] for one in (before, after))
    return now <= 1.0 or now - 1.0 <= 0.5 * (was - 1.0)


BIASED = {"sensor__bias_N": [0.05, 0.0, 0.0], "robots__chaser__delay_ms": 1.0}
FAR_OFF = {"methods": [{"name": "hybrid", "damping_Ns_per_m": [60.0, 0.0, 0.0]}]}


@pytest.mark.parametrize("changes", [BIASED, FAR_OFF], ids=["bias", "damping"])
def test_every_advised_line_holds_as_it_is_typed(changes):
    """A line pasted behind the scenario gets the verdict that stands beside it."""
    one = rig(**changes)
    before = verdict(one)
    assert before["failed"]
    found = advise(one, before)
    assert found["lines"]
    for line in found["lines"]:
        typed = [word for word in shlex.split(line["line"]) if word != "--set"]
        after = verdict(load_with(changes, typed))
        assert helps(before, after)
        assert after["word"] == line["word"]
        assert after["failed"] == [] or sorted(after["failed"]) == line["failed"]


def load_with(changes, typed):
    """The rig with changes as they are typed."""
    from softdock.scenario.files import parse_changes

    return rig(**changes).replace(parse_changes(typed))


def test_nothing_is_advised_where_nothing_helps():
    """16 ms of delay are no setting of the rig. Where the user says that the robot can be faster,
    less delay is advised."""
    one = rig()
    before = verdict(one)
    found = advise(one, before)
    assert found["lines"] == []
    assert re.fullmatch(r"No setting of this rig is enough \(\d+ tried\)\.", found["sentence"])
    freed = advise(one, before, free=["robots.chaser.delay_ms"])
    assert "robots.chaser.delay_ms" in freed["lines"][0]["changes"]
    with pytest.raises(BadInput, match="--free"):
        advise(one, before, free=["robots.chaser.model"])


def test_other_methods_come_after_settings():
    """They are asked for only where no setting mends the rig."""
    one, asked = rig(**BIASED), []
    advise(one, verdict(one), further=lambda: asked.append("methods") or [])
    assert asked == []
    one = rig()
    method = [{"name": "hybrid", "damping_Ns_per_m": [18.5, 0.0, 0.0]}]
    further = [Setting("method hybrid", [{"methods": method}])]
    found = explain(one, verdict(one), "epos_1d", further=lambda: further)
    assert found["advice"]["lines"][0]["changes"] == {"methods": method}
    assert "hybrid" in found["verdict"]["next_step"]
    assert ": faithful, " in found["verdict"]["next_step"]


def test_what_is_offered_is_within_the_rig_s_freedom():
    """Settings and software, a tare and a weighing; neither another robot nor another contact."""
    one = rig(
        sensor__noise_N=0.1,
        sensor__lowpass_Hz=20.0,
        mock_up__chaser__mass_kg=2.0,
        mock_up__chaser__believed__mass_kg=1.9,
        pose__chaser_offset_m=[0.001, 0.0, 0.0],
        **BIASED,
    )
    keys = {key for s in list_settings(one) for value in s.values for key in value}
    assert {"satellites.integrator", "time.cycle_ms", "sensor.threshold_N"} <= keys
    assert {"sensor.bias_N", "sensor.lowpass_Hz", "mock_up.chaser.believed.mass_kg"} <= keys
    assert "pose.chaser_offset_m" in keys
    assert not any(key.startswith(("robots.", "contact.", "chaser.", "target.")) for key in keys)


def test_a_line_is_typed_as_a_shell_takes_it():
    """Lists and tables are quoted."""
    changes = {"time.cycle_ms": 2.0, "methods": [{"name": "hybrid", "damping": [1.0, 0.0]}]}
    assert format_line(changes) == (
        "--set time.cycle_ms=2.0 --set 'methods=[{name = \"hybrid\", damping = [1.0, 0.0]}]'"
    )
