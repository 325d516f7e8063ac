"""The view beside a rig: the facility as the recorder's rings have it, run after run. Read only.

No slider of it changes anything but what is seen. While no loop runs it waits; when a run is over,
it is replayed here until the next begins.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from softdock.errors import SoftdockError
from softdock.report.recording.scene import scene_of_recording
from softdock.scene.model import LAYERS, Scene
from softdock.viewer import panels
from softdock.viewer.beside import Beside, load_code, newest_ring
from softdock.viewer.clock import Clock
from softdock.viewer.guard import HOST
from softdock.viewer.server import force_chart, serve, theme
from softdock.viewer.stage import Stage

PICTURES_PER_S = 15.0
PANELS_S = 0.3  # between two looks at words and curves
SEARCH_S = 0.5  # between two searches for a loop that runs
NICE = 5  # behind everything that a rig needs
READ_ONLY = (
    "Read only: this page commands nothing. softdock is no safety function: the robots' own limits "
    "and safety controller are the guard."
)


class RigWindow:
    """Server, widgets, and the run that is looked at."""

    def __init__(self, port: int, dark: bool = True, ring: Path | None = None) -> None:
        with suppress(OSError, AttributeError):
            os.nice(NICE)
        self.server = serve(port)
        self.ring = ring  # this one only; None: the newest that runs
        self.stage = Stage(self.server)
        self.stage.dark = dark
        self.clock = Clock()
        self.beside: Beside | None = None
        self.seen: Path | None = None  # the ring that was looked at last
        self.over = False
        self._widgets()
        theme(self.server, dark)
        load_code()
        self.server.on_client_connect(self._greet)

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.server.get_port()}"

    def run(self, until_left: bool = False, until: float | None = None) -> None:
        """Look until interrupted. `until_left`: ends once no loop runs and no page is open."""
        begun = last = time.monotonic()
        told = searched = left = 0.0
        try:
            while until is None or time.monotonic() - begun < until:
                time.sleep(1.0 / PICTURES_PER_S)
                now = time.monotonic()
                if now - searched > SEARCH_S and (self.beside is None or self.over):
                    searched = now
                    self._search()
                new = self._move(now - last)
                last = now
                if new and now - told > PANELS_S:
                    told = now
                    self._tell()
                busy = self.beside is not None and not self.over
                left = now if busy or self.server.get_clients() else left or now
                if until_left and now - left > 30.0:
                    return
        finally:
            self.stop()

    def stop(self) -> None:
        self.server.stop()

    # What is looked at -------------------------------------------------------------------------

    def _search(self) -> None:
        """The ring asked for, or the newest of a loop that runs and was not seen to its end."""
        found = self.ring if self.ring is not None else newest_ring()
        if found is None or found == self.seen:
            return
        self.seen = found
        said = "Its scene is being made; rows are not lost meanwhile."
        self.light.content = panels.light_html("amber", "a rig was found", said)
        try:
            self.beside = Beside(found)
        except (SoftdockError, OSError, ValueError) as error:
            self.light.content = panels.light_html(
                "amber", "a loop that cannot be shown", str(error)
            )
            return
        self.over = False
        self.clock = Clock()
        self._show(self.beside.scene)
        for client in self.server.get_clients().values():
            self._greet(client)
        self._tell()

    def _move(self, seconds: float) -> bool:
        """Everything to where it is now; whether words are to be renewed."""
        if self.beside is None:
            return False
        if self.over:
            if self.clock.playing:
                self.stage.set_time(self.clock.advance(seconds))
                self.slider.value = round(self.clock.time, 3)
            return False
        ended = self.beside.state != "running"  # before the last look: nothing comes after it
        new = self.beside.poll()
        if new and self.beside.newest is not None:
            self.stage.move(self.beside.scene)
        if ended:
            self._finish()
        return new

    def _finish(self) -> None:
        """The run is over: what was seen of it can be played again."""
        self.over = True
        assert self.beside is not None
        recording = self.beside.recording()
        if recording is not None:
            scene = scene_of_recording(recording)
            self.clock = Clock(float(scene.time[-1]), scene.contacts)
            self.clock.time = self.clock.end
            self.slider.max = max(round(self.clock.end, 3), 1e-3)
            self._show(scene)
            self.stage.set_time(self.clock.time)
        self.again.visible = recording is not None
        self._tell()

    def _show(self, scene: Scene) -> None:
        self.stage.show(scene)
        self.stage.set_time(float(scene.time[0]))
        for layer, box in self.boxes.items():
            box.visible = layer in scene.layers
            box.value = layer in self.stage.shown

    def _tell(self) -> None:
        if self.beside is None:
            return
        lamp, word, last = self.beside.words()
        self.light.content = panels.light_html(lamp, word, last)
        self.numbers.content = panels.numbers_html(self.beside.numbers())
        self.forces.data = self.beside.force_curves()
        self.joints.content = panels.joints_html(self.beside.scene.robots, 0)

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
            self.slider.on_update(self._scrubbed)
            gui.add_button("Play / pause").on_click(lambda _: self._toggle())
        self.again.visible = False
        with gui.add_folder("See"):
            views = gui.add_button_group("camera", ("contact", "facility", "orbit"))
            views.on_click(self._look)
            self.boxes = {layer: self._box(layer) for layer in LAYERS}
        left = gui.add_panel()
        left.dock_left()
        with left.add_tab("Force"):
            self.forces = force_chart(gui, "measured [N]", "orbit [N]")
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

    def _scrubbed(self, event: Any) -> None:
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

    def _greet(self, client: Any) -> None:
        scene = self.stage.scene
        if scene is not None:
            self.stage.look(scene.first_view, client, float(scene.time[-1]))
