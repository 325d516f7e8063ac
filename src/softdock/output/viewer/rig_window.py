"""The view beside a rig: the facility as the recorder's rings have it, run after run.

Read only. This process maps the rings for reading (recording/rings.py), has no socket to a
robot and imports nothing that has: it cannot command anything, and the loop cannot wait for it.
While no loop runs it waits; a finished run is replayed until the next begins.
"""

from __future__ import annotations

import os
import time
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from softdock.errors import BadRecording, SoftdockError
from softdock.methods.registry import METHODS
from softdock.output.pages.recording import build_recording_scene
from softdock.output.viewer import panels
from softdock.output.viewer.server import HOST, serve, set_theme
from softdock.output.viewer.stage import Clock, Stage
from softdock.recording.recording import RIG, SCENARIO, Recording, ShownSeries, make_recording
from softdock.recording.rings import RingReader, list_running_rings
from softdock.reference import run_reference
from softdock.results.scene.model import CAMERAS, LAYERS, Scene
from softdock.results.scene.moving import MovingScene
from softdock.results.series import Series
from softdock.scenario.build import Scenario, build
from softdock.scenario.files import load_scenario
from softdock.studies.placement.motion import load_motion

SHOWN_S = 20.0  # of the force curve
CURVE_POINTS = 500
STATES = "states"  # in the table `run` of a recording: the supervisor's states by number
REASONS = "reasons"


class ObservedRun:
    """One run of a rig, observed while it runs."""

    def __init__(self, path: str | Path) -> None:
        self.look = RingReader(path)
        self.scenario = read_scenario(self.look.about.attachments, str(path))
        limits = self.look.about.tables.get("limits", {})
        self.touch_N = _number(limits.get("touch_N", ""))
        plan = plan_motion(self.scenario)
        self.reference = plan.reference
        self.moving = MovingScene(plan, merge_facility(self.look.about.attachments), self.touch_N)
        self.scene: Scene = self.moving.scene  # as planned, until the first row comes
        self.newest: Series | None = None
        self.forces: list[np.ndarray] = []  # (n, 2): time, size of the measured force

    @property
    def state(self) -> str:
        return self.look.state

    def poll(self) -> bool:
        """Read new rows; whether there is something new to show."""
        before = len(self.look.events)
        rows = self.look.poll()
        if not len(rows):
            return len(self.look.events) > before
        series = Series(rows, self.look.stream.channels)
        self.newest = Series(rows[-1:], self.look.stream.channels)
        as_seen = ShownSeries(series)
        size = np.linalg.norm(np.nan_to_num(as_seen["true.chaser.force"]), axis=1)
        self.forces.append(np.stack([np.asarray(series["time"], float), size], axis=1))
        self.scene = self.moving.at(as_seen)
        return True

    def recording(self) -> Recording | None:
        """Recording of all rows read; None without rows."""
        return make_recording(self.look.contents()) if self.look.kept else None

    def force_curves(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Time, measured force and the reference's, of the last seconds."""
        whole = np.concatenate(self.forces) if self.forces else np.zeros((1, 2))
        kept = whole[whole[:, 0] > whole[-1, 0] - SHOWN_S]
        self.forces = [kept]
        thin = np.unique(np.linspace(0, len(kept) - 1, min(len(kept), CURVE_POINTS)).astype(int))
        time, own = kept[thin, 0], self.reference.series
        force = np.linalg.norm(own["true.chaser.force"], axis=1)
        return time, kept[thin, 1], np.interp(time, own["time"], force, right=0.0)

    def status_words(self) -> tuple[str, str, str]:
        """Colour of the lamp, the supervisor's state, and the last event."""
        events = [event for event in self.look.events if event["text"]]
        last = str(events[-1]["text"]) if events else "nothing has been said yet"
        stopped = any(event["level"] >= 50 for event in events)
        if self.state == "dead":
            return "red", "the loop's process is gone", last
        if self.state == "ended":
            return ("red", "stopped", last) if stopped else ("green", "the run is over", last)
        if self.newest is None:
            return "amber", "not docking yet: bodies are drawn as planned", last
        return ("red" if stopped else "green"), self._name_state(STATES, "state"), last

    def _name_state(self, table: str, channel: str) -> str:
        names = self.look.about.tables.get("run", {}).get(table, "").split(", ")
        if self.newest is None or channel not in self.newest:
            return "running"
        number = int(self.newest[channel][-1])
        return names[number] if 0 <= number < len(names) else f"{channel} {number}"

    def numbers(self) -> list[tuple[str, str]]:
        """Names and values of the newest row; only those that are recorded."""
        row = self.newest
        if row is None:
            return []
        quantities = (
            ("time", "time", 1.0, "s", ".3f"),
            ("force_age", "age of the force", 1e3, "ms", ".2f"),
            ("pose_age.chaser", "age of the chaser's pose", 1e3, "ms", ".2f"),
            ("pose_age.target", "age of the target's pose", 1e3, "ms", ".2f"),
            ("energy.kinetic", "kinetic energy", 1e3, "mJ", ".3f"),
            ("energy.observed", "observed energy", 1e3, "mJ", "+.3f"),
            ("late_s", "last answer took", 1e6, "us", ".0f"),
            ("lost", "packets lost", 1.0, "", ".0f"),
        )
        numbers = [
            (label, f"{factor * float(row[name][-1]):{form}} {unit}".strip())
            for name, label, factor, unit, form in quantities
            if name in row and np.isfinite(row[name][-1])
        ]
        if self.forces:
            numbers.insert(1, ("measured force", f"{self.forces[-1][-1, 1]:.2f} N"))
        if self.look.missed:
            numbers.append(("rows missed by this viewer", f"{self.look.missed}"))
        return numbers


def read_scenario(attachments: Mapping[str, str], path: str) -> Scenario:
    """The scenario that the loop runs, without methods of a user's own file, whose code runs only
    if the user names the file: the planned motion is the reference's. Raises `BadRecording` if none
    is attached."""
    if SCENARIO not in attachments:
        raise BadRecording(f"{path}: no scenario is attached: nothing is known to draw")
    tables = tomllib.loads(attachments[SCENARIO])
    listed = tables.get("methods", [])
    tables["methods"] = [one for one in listed if one.get("name") in METHODS]
    return build(tables)


def merge_facility(attachments: Mapping[str, str]) -> dict[str, Any] | None:
    """The rig file's `[facility]` over the scenario's, robot by robot; None if neither has one."""
    found: dict[str, Any] = {}
    for name in (SCENARIO, RIG):
        table = tomllib.loads(attachments.get(name, "")).get("facility", {})
        for key, value in table.items():
            both = isinstance(value, dict) and isinstance(found.get(key), dict)
            found[key] = {**found[key], **value} if both else value
    return found or None


def plan_motion(scenario: Scenario) -> Any:
    """Motion that the docking asks of the robots, as a run: the reference's motion in the
    laboratory."""
    motion, reference = load_motion(scenario), run_reference(scenario)
    series = {"time": motion.time}
    for body, poses in motion.poses.items():
        series[f"mock_up.{body}.position"] = poses[:, :3]
        series[f"mock_up.{body}.attitude"] = poses[:, 3:]
        for key in ("position", "attitude"):
            series[f"{body}.{key}"] = np.asarray(reference.series[f"{body}.{key}"])
    nothing = np.zeros((len(motion.time), 3))
    series |= {"true.chaser.force": nothing, "true.chaser.torque": nothing}
    return SimpleNamespace(
        scenario=scenario, series=series, contacts=[], status="completed", reference=reference
    )


def load_code() -> None:
    """Load machine code of the reference and of the arms, before a rig needs the machine."""
    plan = plan_motion(load_scenario("epos_3d", ["time.duration_s=0.02"]))
    MovingScene(plan).at(plan.series)


def _number(text: str) -> float:
    try:
        return max(float(text), 0.0)
    except ValueError:
        return 0.0


def find_newest_ring(folder: Path | None = None) -> Path | None:
    """Ring of the loop that began last on this machine; None if none runs."""
    rings = list_running_rings(folder)
    return rings[0] if rings else None


PICTURES_PER_S = 15.0
PANELS_S = 0.3  # between two looks at words and curves
SEARCH_S = 0.5  # between two searches for a loop that runs
NICE = 5  # behind everything that a rig needs
READ_ONLY = (
    "Read only: this page commands nothing. softdock is no safety function: the robots' own limits "
    "and safety controller are the guard."
)


class RigWindow:
    """Server, widgets, and the observed run."""

    def __init__(self, port: int, dark: bool = True, ring: Path | None = None) -> None:
        with suppress(OSError, AttributeError):
            os.nice(NICE)
        self.server = serve(port)
        self.ring = ring  # this one only; None: the newest that runs
        self.stage = Stage(self.server)
        self.stage.dark = dark
        self.clock = Clock()
        self.observed: ObservedRun | None = None
        self.seen: Path | None = None  # the ring that was looked at last
        self.over = False
        self._widgets()
        set_theme(self.server, dark)
        load_code()
        self.server.on_client_connect(self._on_connect)

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.server.get_port()}"

    def run(self, until_left: bool = False, until: float | None = None) -> None:
        """Observe until interrupted. `until_left`: end once no loop runs and no page is open."""
        start = last = time.monotonic()
        panels_updated = last_search = left = 0.0
        try:
            while until is None or time.monotonic() - start < until:
                time.sleep(1.0 / PICTURES_PER_S)
                now = time.monotonic()
                if now - last_search > SEARCH_S and (self.observed is None or self.over):
                    last_search = now
                    self._search()
                new = self._move(now - last)
                last = now
                if new and now - panels_updated > PANELS_S:
                    panels_updated = now
                    self._update_panels()
                busy = self.observed is not None and not self.over
                left = now if busy or self.server.get_clients() else left or now
                if until_left and now - left > 30.0:
                    return
        finally:
            self.stop()

    def stop(self) -> None:
        self.server.stop()

    # What is looked at -------------------------------------------------------------------------

    def _search(self) -> None:
        """Open the given ring, or the newest of a loop that runs and was not observed to its
        end."""
        found = self.ring if self.ring is not None else find_newest_ring()
        if found is None or found == self.seen:
            return
        self.seen = found
        message = "Its scene is being made; rows are not lost meanwhile."
        self.light.content = panels.light_html("amber", "a rig was found", message)
        try:
            self.observed = ObservedRun(found)
        except (SoftdockError, OSError, ValueError) as error:
            self.light.content = panels.light_html(
                "amber", "a loop that cannot be shown", str(error)
            )
            return
        self.over = False
        self.clock = Clock()
        self._show(self.observed.scene)
        for client in self.server.get_clients().values():
            self._on_connect(client)
        self._update_panels()

    def _move(self, seconds: float) -> bool:
        """Move everything to its present pose; whether the panels must be updated."""
        if self.observed is None:
            return False
        if self.over:
            if self.clock.playing:
                self.stage.set_time(self.clock.advance(seconds))
                self.slider.value = round(self.clock.time, 3)
            return False
        ended = self.observed.state != "running"  # before the last look: nothing comes after it
        new = self.observed.poll()
        if new and self.observed.newest is not None:
            self.stage.move(self.observed.scene)
        if ended:
            self._finish()
        return new

    def _finish(self) -> None:
        """End of the run: the recorded rows can be replayed."""
        self.over = True
        assert self.observed is not None
        recording = self.observed.recording()
        if recording is not None:
            scene = build_recording_scene(recording)
            self.clock = Clock(float(scene.time[-1]), scene.contacts)
            self.clock.time = self.clock.end
            self.slider.max = max(round(self.clock.end, 3), 1e-3)
            self._show(scene)
            self.stage.set_time(self.clock.time)
        self.again.visible = recording is not None
        self._update_panels()

    def _show(self, scene: Scene) -> None:
        self.stage.show(scene)
        self.stage.set_time(float(scene.time[0]))
        for layer, box in self.boxes.items():
            box.visible = layer in scene.layers
            box.value = layer in self.stage.shown

    def _update_panels(self) -> None:
        if self.observed is None:
            return
        lamp, word, last = self.observed.status_words()
        self.light.content = panels.light_html(lamp, word, last)
        self.numbers.content = panels.numbers_html(self.observed.numbers())
        self.forces.content = panels.force_html(self.observed.force_curves(), "measured")
        self.joints.content = panels.joints_html(self.observed.scene.robots, 0)

    # Widgets ----------------------------------------------------------------------------------

    def _widgets(self) -> None:
        gui = self.server.gui
        gui.set_panel_label("softdock, beside a rig")
        waiting = "Waiting for a loop that records on this machine: softdock rig run RIG SCENARIO"
        self.light = gui.add_html(panels.light_html("amber", "no rig runs", waiting))
        gui.add_html(panels.wait_html(READ_ONLY))
        self.numbers = gui.add_html("")
        self.again: Any = gui.add_folder("The run again")
        with self.again:
            self.slider: Any = gui.add_slider("time [s]", 0.0, 1.0, 0.001, 0.0)
            self.slider.on_update(self._on_scrub)
            gui.add_button("Play / pause").on_click(lambda _: self._toggle())
        self.again.visible = False
        with gui.add_folder("See"):
            views = gui.add_button_group("camera", CAMERAS)
            views.on_click(self._look)
            self.boxes = {layer: self._box(layer) for layer in LAYERS}
        left = gui.add_panel()
        left.dock_left()
        with left.add_tab("Force"):
            self.forces = gui.add_html("")
            self.joints = gui.add_html("")
        gui.main_panel.dock_right()

    def _box(self, layer: str) -> Any:
        box = self.server.gui.add_checkbox(LAYERS[layer], layer in ("mock_ups", "robots"))

        def changed(event: Any) -> None:
            shown = set(self.stage.shown)
            (shown.add if event.target.value else shown.discard)(layer)
            self.stage.layers(shown)

        box.on_update(changed)
        return box

    def _on_scrub(self, event: Any) -> None:
        if event.client is None or not self.over:
            return
        self.clock.playing = False
        self.clock.time = float(event.target.value)
        self.stage.set_time(self.clock.time)

    def _toggle(self) -> None:
        self.clock.playing = self.over and not self.clock.playing

    def _look(self, event: Any) -> None:
        scene = self.stage.scene
        if event.client is None or scene is None or event.target.value not in scene.views:
            return
        self.stage.look(str(event.target.value), event.client, float(scene.time[-1]))
        self.stage.layers(set(scene.views[event.target.value].layers))
        for layer, box in self.boxes.items():
            box.value = layer in self.stage.shown

    def _on_connect(self, client: Any) -> None:
        scene = self.stage.scene
        if scene is not None:
            self.stage.look(scene.first_view, client, float(scene.time[-1]))
