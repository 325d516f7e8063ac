"""The live viewer without a browser: what can be turned, what is said, when time goes slowly, who
may connect."""

from __future__ import annotations

import re
import socket
import sys
from html import escape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scenarios import cone_docking, epos_wall

from softdock.cli.main import cli
from softdock.errors import BadInput, BadRecording, BadRunFolder
from softdock.output.viewer import panels
from softdock.output.viewer.server import choose_port, list_own_origins
from softdock.output.viewer.session import (
    Session,
    apply_knobs,
    chart_stability,
    lateral_direction,
    list_knobs,
    open_session,
)
from softdock.output.viewer.stage import CONTACT_S, Clock, distance_between_panels, triangles
from softdock.results.scene.model import RobotJoints
from softdock.results.verdict import Verdict, Word
from softdock.scenario.build import build

HOSTILE = "<script>alert(1)</script>"


def test_knobs_turn_what_they_name() -> None:
    """Each slider changes its own keys and nothing else, and starts at the scenario's own value."""
    scenario = build(cone_docking(delay_ms=8.0))
    knobs = {knob.name: knob for knob in list_knobs(scenario)}
    assert set(knobs) == {"delay", "damping", "stiffness", "friction", "speed", "offset"}
    assert all(knob.low <= knob.value <= knob.high for knob in knobs.values())
    assert apply_knobs(scenario, {name: knob.value for name, knob in knobs.items()}) is scenario
    values = {"delay": 12.0, "damping": 33.0, "stiffness": 2500.0, "friction": 0.2, "speed": 25.0}
    new = apply_knobs(scenario, values | {"offset": 10.0}).tables
    assert {new["robots"][body]["delay_ms"] for body in ("chaser", "target")} == {12.0}
    law = new["contact"][0]["real"]
    assert (law["damping_Ns_per_m"], law["stiffness_N_per_m"], law["friction"]) == (
        33.0,
        2500.0,
        0.2,
    )
    before = np.array(scenario.tables["chaser"]["velocity_m_per_s"])
    after = np.array(new["chaser"]["velocity_m_per_s"])
    assert np.allclose(after, 0.025 * before / np.linalg.norm(before))
    way = np.subtract(new["chaser"]["position_m"], scenario.tables["chaser"]["position_m"])
    assert np.allclose(way, 0.010 * lateral_direction(scenario.tables))
    assert abs(way @ np.array(scenario.tables["contact"][0]["axis"])) < 1e-12


def test_knobs_without_meaning_are_not_there() -> None:
    """No offset before an endless wall; without contact only what moves the bodies."""
    assert "offset" not in {knob.name for knob in list_knobs(build(epos_wall()))}
    names = {knob.name for knob in list_knobs(build(epos_wall() | {"contact": []}))}
    assert names == {"delay", "speed"}


def verdict(word: Word, headline: str) -> Verdict:
    return Verdict(word, headline, "", (), {}, ("Only one sampling phase was judged.",), "")


@pytest.mark.parametrize(
    ("word", "headline", "light"),
    [
        (Word.FAITHFUL, "FAITHFUL. Error 1 % (limit 5 %).", "green"),
        (Word.DISTORTED, "DISTORTED. Error 20 % (limit 5 %).", "amber"),
        (Word.UNSAFE, "UNSAFE. Rebound <128 %.", "red"),
        (Word.NO_VERDICT, "NO VERDICT: a contact was not over.", "grey"),
    ],
)
def test_light_shows_the_verdict(word: Word, headline: str, light: str) -> None:
    """The word of the verdict object in its colour, its headline and its doubts, as text."""
    html = panels.verdict_html(verdict(word, headline))
    assert panels.LIGHTS[light] in html
    assert f"<b>{word.upper()}</b>" in html
    assert html.count(word.upper()) == 1
    assert escape(headline[len(word) :].lstrip(".: ")) in html
    assert "Doubt: Only one sampling phase was judged." in html


def test_clock_slows_down_in_contacts_and_never_jumps_into_one() -> None:
    """A contact takes its time on the screen, the flight before it does not, and the end starts
    anew."""
    clock = Clock(10.0, [(2.0, 2.1)])
    clock.playing = True
    clock.advance(1.9)
    assert clock.time == pytest.approx(1.9)
    clock.advance(0.5)  # would be 2.4 s without the contact
    begin, end = clock.slow[0]
    assert begin < clock.time < end
    assert clock.rate() == pytest.approx((end - begin) / CONTACT_S)
    clock.speed = "1"
    assert clock.rate() == 1.0
    clock.set_run(1.0, [])
    assert clock.time == 1.0
    clock.advance(0.25)
    assert clock.time == pytest.approx(0.25)


def test_panels_escape_and_stand_without_a_chart() -> None:
    """Text is text; a rig without contact says that there is no chart."""
    assert "<script>" not in panels.light_html("red", HOSTILE, HOSTILE) + panels.wait_html(HOSTILE)
    assert "<script>" not in panels.ledger_html({HOSTILE: 1.0}, 1.0)
    assert chart_stability(build(epos_wall() | {"contact": []})) is None
    assert "No contact" in panels.stability_html(None)


def test_the_dot_moves_on_axes_that_stay() -> None:
    """A session's chart has the same axes at every delay: the dot goes to the right with it, by
    as much as the delay; green ends where the longest allowed delay is."""
    session = Session(build(epos_wall(delay_ms=8.0)))
    dots, ticks = [], []
    for delay in (0.0, 10.0, 20.0, 40.0):
        chart = chart_stability(apply_knobs(session.base, {"delay": delay}), session.ends)
        assert chart is not None
        html = panels.stability_html(chart)
        dots.append(float(re.search(r'<circle cx="([\d.]+)"', html)[1]))
        ticks.append(re.findall(r">([\d.]+)</text>", html))
        assert ("decays" in html) == (chart.point[0] < chart.allowed_ms)
    way = dots[1] - dots[0]
    assert np.diff(dots) == pytest.approx([way, way, 2.0 * way], abs=0.2)
    assert way > 20.0
    assert all(one == ticks[0] for one in ticks)
    assert len(ticks[0]) == 6
    assert [panels.round_up(x) for x in (0.9, 1.0, 17.0, 450.0)] == [1.0, 1.0, 20.0, 500.0]


def test_port_in_use_is_refused_by_name() -> None:
    """A port asked for must be free; without a wish another one is taken."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(BadInput, match=f"another program uses {port}"):
            choose_port(port)
    assert all(origin.endswith(":8765") for origin in list_own_origins(8765))
    assert 8765 <= choose_port(None) < 8765 + 50


def test_what_cannot_be_shown_is_refused(tmp_path: Path) -> None:
    """A folder that is no run, a recording that is not there or of another format, a ring, a
    scenario that does not exist: each says what is allowed."""
    with pytest.raises(BadRunFolder, match=r"run\.json"):
        open_session(str(tmp_path))
    with pytest.raises(BadInput, match="run folder"):
        open_session("flight.bag")
    with pytest.raises(BadInput, match=r"softdock rig recover flight\.ring"):
        open_session("flight.ring")
    with pytest.raises(BadRecording, match="no such file"):
        open_session("flight.mcap")
    with pytest.raises(BadInput):
        open_session("no_such_scenario")


def test_a_preset_fits_between_the_panels() -> None:
    """On a wide screen the camera stands where the preset says; where panels take the sides it
    stands farther away, so that as much is seen between them; on a phone the one panel floats;
    before a size is known, nothing is assumed."""
    assert distance_between_panels(2400, 1000) == 1.0
    assert distance_between_panels(0, 0) == 1.0
    assert distance_between_panels(1280, 720) * (1280 - 630) / 720 == pytest.approx(1.5)
    assert distance_between_panels(390, 844) * 390 / 844 == pytest.approx(1.5)


def test_joints_are_shown_in_their_ranges() -> None:
    """A dot for each joint where it is in its range; red at an end; names are text."""
    robot = RobotJoints(
        body=HOSTILE,
        arm=HOSTILE,
        names=("A1", HOSTILE),
        joints=np.array([[0.0, 0.99]]),
        low=np.array([-1.0, -1.0]),
        high=np.array([1.0, 1.0]),
        usage=HOSTILE,
    )
    html = panels.joints_html([robot], 0)
    assert "<script>" not in html
    assert "left:50.0%" in html
    assert html.count(panels.LIGHTS["red"]) == 1
    assert panels.joints_html([], 0) == ""


def test_quads_become_triangles_once() -> None:
    """A quad gives two triangles, a triangle one, with their sense kept."""
    faces = np.array([[0, 1, 2, 3], [4, 5, 6, 6]])
    assert triangles(faces).tolist() == [[0, 1, 2], [4, 5, 6], [0, 2, 3]]


def test_missing_extra_and_missing_browser_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without viser the command names the one thing to install; without a browser, the address."""
    monkeypatch.setitem(sys.modules, "viser", None)
    for name in ("show", "server", "rig_window"):
        monkeypatch.delitem(sys.modules, f"softdock.output.viewer.{name}", raising=False)
    without = CliRunner().invoke(cli, ["view", "epos_1d"])
    assert without.exit_code == 2
    assert "pip install 'softdock[viewer]'" in without.output
    beside = CliRunner().invoke(cli, ["view", "--rig"])
    assert beside.exit_code == 2
    assert "pip install 'softdock[viewer]'" in beside.output

    class Window:
        address = "http://127.0.0.1:8765"

        def __init__(self, session: Any, port: int, dark: bool) -> None:
            assert session.own == "direct"
            assert dark

        def run(self) -> None:
            raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "softdock.output.viewer.show", SimpleNamespace(Window=Window))
    chosen = SimpleNamespace(choose_port=choose_port)  # as it is with viser
    monkeypatch.setitem(sys.modules, "softdock.output.viewer.server", chosen)
    monkeypatch.setattr("webbrowser.open", lambda address: False)
    shown = []
    monkeypatch.setattr("softdock.cli.view.console.print", lambda text, **more: shown.append(text))
    assert CliRunner().invoke(cli, ["view", "epos_1d"]).exit_code == 0
    assert Window.address in shown[0]
    assert "No browser" in shown[1]
