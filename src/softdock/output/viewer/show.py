"""The live viewer in a browser, on a server of viser's (server.py).

Sliders change the session; a worker runs the scenario again, the newest wish only; a clock moves
the bodies. It simulates: nothing here can reach a rig.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np

from softdock.errors import SoftdockError
from softdock.output.pages.frame.replay import layer_name
from softdock.output.viewer import panels
from softdock.output.viewer.methods import BackgroundCompiler, list_possible
from softdock.output.viewer.server import HOST, serve, set_theme
from softdock.output.viewer.session import Answer, NewestRequestWorker, Session
from softdock.output.viewer.stage import SPEEDS, Clock, Stage
from softdock.recording.recording import Recording, ShownSeries
from softdock.results.scene.model import CAMERAS, LAYERS

PICTURES_PER_S = 30.0
SLIDER_S = 0.3  # how often the time slider is moved while playing
MOST_POINTS = 500  # of a force curve


class Window:
    """Server, widgets, and the threads that update them."""

    def __init__(self, session: Session, port: int, dark: bool = True) -> None:
        self.server = serve(port)
        self.session = session
        self.clock = Clock()
        self.stage = Stage(self.server)
        self.stage.dark = dark
        self.first_view = ""
        self.curves: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None
        self.known = list_possible(session.base)
        self.ready = [session.own]
        self.worker = NewestRequestWorker(self.recompute)
        self.background = BackgroundCompiler(
            session.base, [name for name in self.known if name not in self.ready], self.on_compiled
        )
        self._widgets()
        self._theme(dark)
        self.server.on_client_connect(self._on_connect)

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.server.get_port()}"

    def run(self, until: float | None = None) -> None:
        """Show the first answer, then advance the clock until interrupted, or for some seconds."""
        self.recompute()
        self.background.start()
        start = last = time.monotonic()
        slider_moved = 0.0
        try:
            while until is None or time.monotonic() - start < until:
                time.sleep(1.0 / PICTURES_PER_S)
                now = time.monotonic()
                if self.clock.playing:
                    self.stage.set_time(self.clock.advance(now - last))
                    if now - slider_moved > SLIDER_S:
                        slider_moved, self.slider.value = now, round(self.clock.time, 3)
                        self._update_numbers()
                last = now
        finally:
            self.stop()

    def stop(self) -> None:
        self.background.stop()
        self.worker.stop()
        self.server.stop()

    # What is computed -------------------------------------------------------------------------

    def recompute(self) -> None:
        """Run the scenario with the present setting and show it; show only the message of a
        refusal."""
        self.busy.content = panels.wait_html("running ...")
        try:
            answer = self.session.compute()
        except SoftdockError as error:
            self.busy.content = panels.wait_html(str(error))
            return
        self._show(answer)
        if self.worker.asked.is_set():  # another change waits
            return
        self.busy.content = panels.wait_html("judging it at other sampling phases ...")
        judged = self.session.judge()
        if judged is not None:
            self.light.content = panels.verdict_html(judged.verdict)
        self.busy.content = ""

    def _show(self, answer: Answer) -> None:
        self.clock.set_run(float(answer.scene.time[-1]), answer.scene.contacts)
        self.slider.max = max(round(self.clock.end, 3), 1e-3)
        self.stage.show(answer.scene)
        self.stage.set_time(self.clock.time)
        self.light.content = panels.verdict_html(answer.verdict)
        self.chart.content = panels.stability_html(answer.stability)
        self.ledger.content = panels.run_ledger_html(answer.run)
        self.curves = force_curves(answer)
        self._update_numbers()
        for layer, box in self.boxes.items():
            box.visible = layer in answer.scene.layers

    def _update_numbers(self) -> None:
        """Show force, speed and joints at the clock's time."""
        scene = self.stage.scene
        if scene is None:
            return
        frame = scene.frame_at(self.clock.time)
        if self.curves is not None:
            self.forces.content = panels.force_html(self.curves, "on the rig", self.clock.time)
        self.readings.content = panels.wait_html(", ".join(scene.describe_instant(frame)))
        if scene.robots:
            self.joints.content = panels.joints_html(scene.robots, frame)

    def on_compiled(self, name: str) -> None:
        """Add a method that has been compiled."""
        self.ready.append(name)
        self.methods.options = tuple(self.ready)
        self._update_ready()

    def _update_ready(self) -> None:
        waiting = [name for name in self.known if name not in self.ready]
        self.progress.value = 100.0 * len(self.ready) / len(self.known)
        self.progress.visible = bool(waiting)
        words = f"Being compiled, then ready to choose: {', '.join(waiting)}." if waiting else ""
        self.waiting.content = panels.wait_html(words)

    # Widgets ----------------------------------------------------------------------------------

    def _widgets(self) -> None:
        gui = self.server.gui
        gui.set_panel_label("softdock")
        self.light = gui.add_html(panels.wait_html("starting ..."))
        with gui.add_folder("Rig"):
            for knob in self.session.knobs:
                self._slider(knob)
            self.methods = gui.add_dropdown(
                "method", tuple(self.ready), initial_value=self.session.own
            )
            self.methods.on_update(self._on_method)
            self.progress: Any = gui.add_progress_bar(0.0)
            self.waiting = gui.add_html("")
            self.busy = gui.add_html("")
        with gui.add_folder("Time"):
            self.slider: Any = gui.add_slider("time [s]", 0.0, 1.0, 0.001, 0.0)
            self.slider.on_update(self._on_scrub)
            self.readings = gui.add_html("")
            self.play = gui.add_button("Play / pause")
            self.play.on_click(lambda _: self._toggle())
            speed = gui.add_dropdown("speed", tuple(SPEEDS), initial_value="auto")
            speed.on_update(lambda event: setattr(self.clock, "speed", event.target.value))
        with gui.add_folder("Fix it"):
            gui.add_button("What would fix it?").on_click(lambda event: self._fix(event.client))
            self.offers: list[Any] = []
            self.offered = gui.add_html("")
        with gui.add_folder("See"):
            views = gui.add_button_group("camera", CAMERAS)
            views.on_click(self._look)
            self.boxes = {layer: self._box(layer) for layer in LAYERS}
            dark = gui.add_checkbox("dark", self.stage.dark)
            dark.on_update(lambda event: self._theme(event.target.value))
            gui.add_button("Share as a page").on_click(self._share)
        left = gui.add_panel()
        left.dock_left()
        with left.add_tab("Energy and stability"):
            self.chart = gui.add_html("")
            self.ledger = gui.add_html("")
            self.forces = gui.add_html("")
        with left.add_tab("Robots"):
            self.joints = gui.add_html(panels.wait_html("No arm is described in [facility]."))
        gui.main_panel.dock_right()
        self._update_ready()

    def _slider(self, knob: Any) -> None:
        slider = self.server.gui.add_slider(knob.label, knob.low, knob.high, knob.step, knob.value)

        def changed(event: Any) -> None:
            if event.client is None:  # moved by this program, not by a person
                return
            self.session.values[knob.name] = float(event.target.value)
            self.worker.ask()

        slider.on_update(changed)

    def _box(self, layer: str) -> Any:
        box = self.server.gui.add_checkbox(LAYERS[layer], layer in ("mock_ups", "forces", "trail"))

        def changed(event: Any) -> None:
            shown = set(self.stage.shown)
            (shown.add if event.target.value else shown.discard)(layer)
            self.stage.layers(shown)
            self.stage.set_time(self.clock.time)

        box.on_update(changed)
        return box

    def _on_method(self, event: Any) -> None:
        if event.client is None:
            return
        self.session.method, self.session.fix = str(event.target.value), None
        self.worker.ask()

    def _on_scrub(self, event: Any) -> None:
        """The user moved the time slider: stop the clock, and do not write to the slider."""
        if event.client is None:
            return
        self.clock.playing = False
        self.clock.time = float(event.target.value)
        self.stage.set_time(self.clock.time)
        self._update_numbers()

    def _toggle(self) -> None:
        self.clock.playing = not self.clock.playing

    def _look(self, event: Any) -> None:
        if event.client is not None:
            self.stage.look(str(event.target.value), event.client, self.clock.time)
            scene = self.stage.scene
            if scene is not None and event.target.value in scene.views:
                self._layers(scene.views[event.target.value].layers)

    def _layers(self, shown: tuple[str, ...]) -> None:
        self.stage.layers(set(shown))
        for layer, box in self.boxes.items():
            box.value = layer in shown
        self.stage.set_time(self.clock.time)

    def _on_connect(self, client: Any) -> None:
        scene = self.stage.scene
        if scene is not None:
            self.stage.look(scene.first_view, client, self.clock.time)
            if not self.first_view:
                self.first_view = scene.first_view
                self._layers(scene.views[scene.first_view].layers)
                far = scene.exaggeration
                self.boxes["orbit_far"].label = layer_name(scene, "orbit_far") if far > 1.0 else ""

    def _theme(self, dark: bool) -> None:
        set_theme(self.server, dark)
        self.stage.dark = dark
        if self.stage.scene is not None:
            self.stage.show(self.stage.scene)
            self.stage.set_time(self.clock.time)

    def _fix(self, client: Any) -> None:
        """Try the compiled methods, and offer those that are better."""
        self.offered.content = panels.wait_html("trying ...")
        for button in self.offers:
            button.remove()
        self.offers = []
        found = self.session.fixes(self.ready)
        message = (
            "" if found else "No method that is ready has a smaller error against the reference."
        )
        self.offered.content = panels.wait_html(message)
        for fix in found:
            button = self.server.gui.add_button(fix.label)
            button.on_click(partial(self._apply, fix))
            self.offers.append(button)

    def _apply(self, fix: Any, _event: Any) -> None:
        self.session.fix = fix
        self.worker.ask()

    def _share(self, event: Any) -> None:
        """Send the run as one self-contained page to the user's downloads."""
        from softdock.output.pages.run.page import run_page

        if self.session.last is not None and event.client is not None:
            run = self.session.last.run
            page = (run.page() if isinstance(run, Recording) else run_page(run)).encode()
            event.client.send_file_download("softdock-run.html", page)


def force_curves(found: Answer) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Contact force of rig and reference at some of the scene's frames."""
    run, t = found.run, found.scene.time
    keep = np.unique(np.linspace(0, len(t) - 1, min(len(t), MOST_POINTS)).astype(int))
    own = ShownSeries(run.series) if isinstance(run, Recording) else run.series
    series = (own, run.reference.series)
    sizes = [np.linalg.norm(np.nan_to_num(s["true.chaser.force"]), axis=1) for s in series]
    curves = [
        np.interp(t[keep], np.asarray(s["time"]), size, right=0.0)
        for s, size in zip(series, sizes, strict=True)
    ]
    return t[keep], curves[0], curves[1]
