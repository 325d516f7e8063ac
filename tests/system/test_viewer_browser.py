"""The live viewer in real chromium: a slider changes the scene, nothing leaves the machine,
strangers get 403."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from beside import rig_ring, write
from browser import PATIENCE_MS, SOFTWARE, chromium

pytest.importorskip("viser")

from softdock.output.viewer import rig_window, show
from softdock.output.viewer.server import choose_port
from softdock.output.viewer.session import open_session

PATIENCE_S = 1e-3 * PATIENCE_MS
OF_VISER = ("THREE.Clock", SOFTWARE)  # what its own page says on the console


@pytest.fixture(scope="module")
def window() -> Iterator[Any]:
    """EPOS on one axis, with no other method to compile."""
    before, show.list_possible = show.list_possible, lambda scenario: ["direct"]
    try:
        made = show.Window(open_session("epos_1d"), choose_port(None))
    finally:
        show.list_possible = before
    thread = threading.Thread(target=made.run, daemon=True)
    thread.start()
    end = time.monotonic() + PATIENCE_S
    while made.session.last is None and time.monotonic() < end:
        time.sleep(0.05)
    yield made
    made.stop()


def until(tab: Any, what: Callable[[], bool]) -> None:
    """Wait for what is so sooner or later: how soon is the machine's affair."""
    end = time.monotonic() + PATIENCE_S
    while not what() and time.monotonic() < end:
        tab.wait_for_timeout(100)
    assert what()


def still(tab: Any) -> bytes:
    """A picture of the page when it is all there: the same twice, half a second apart."""
    seen = [b""]

    def drawn() -> bool:
        tab.wait_for_timeout(500)
        seen.append(tab.screenshot(timeout=PATIENCE_MS))
        return seen[-1] == seen[-2]

    until(tab, drawn)
    return seen[-1]


def test_foreign_pages_get_403(window: Any) -> None:
    """A WebSocket from another page's origin, or from none, is refused; the viewer's own is
    accepted."""
    from websockets.exceptions import InvalidStatus
    from websockets.sync.client import connect

    address = window.address.replace("http", "ws")
    assert window.server.get_host() == "127.0.0.1"
    for origin in ("http://evil.example", f"{window.address}0", None):
        with pytest.raises(InvalidStatus) as refused:
            connect(address, origin=origin, open_timeout=PATIENCE_S)
        assert refused.value.response.status_code == 403
    with connect(address, origin=window.address, open_timeout=PATIENCE_S) as own:
        assert own.response is not None
        assert own.response.status_code == 101


def test_answer_follows_the_sliders(window: Any) -> None:
    """Without delay the same rig adds less energy; the verdict is that of several sampling phases;
    a refused value is told and the last answer stays."""
    session = window.session
    window.recompute()
    late = session.last
    assert late.verdict.word == "unsafe"
    assert "Only one sampling phase" not in " ".join(late.verdict.doubts)
    assert "UNSAFE" in window.light.content
    assert window.busy.content == ""
    session.values["delay"] = 0.0
    window.recompute()
    assert session.last.run.energy_added_J < 0.2 * late.run.energy_added_J
    kept = session.last
    session.values["stiffness"] = -1.0
    window.recompute()
    assert session.last is kept
    assert "stiffness" in window.busy.content
    session.values.clear()


@pytest.mark.browser
def test_slider_changes_the_scene_and_nothing_leaves(window: Any) -> None:
    """A person types another delay: the run is another, pixels of the scene change; no foreign
    request."""
    with chromium() as browser:
        tab = browser.new_context(viewport={"width": 820, "height": 420}).new_page()
        tab.set_default_timeout(PATIENCE_MS)
        requests, errors = [], []
        tab.on("request", lambda r: requests.append(r.url))
        tab.on(
            "console",
            lambda m: (
                errors.append(m.text)
                if m.type == "error" and not any(known in m.text for known in OF_VISER)
                else None
            ),
        )
        tab.goto(window.address)
        label = tab.get_by_text("delay [ms]", exact=True)
        row = label.locator("xpath=ancestor::*[.//input[contains(@class, 'NumberInput')]][1]")
        field = row.locator("input[class*=NumberInput]").first
        field.wait_for()
        window.clock.time = 1.2
        window.stage.set_time(1.2)
        before, answer = still(tab), window.session.last
        field.fill("38")
        field.press("Enter")
        until(tab, lambda: window.session.last is not answer)
        assert window.session.values["delay"] == 38.0
        assert window.session.last is not answer
        until(tab, lambda: tab.screenshot(timeout=PATIENCE_MS) != before)
        assert [r for r in requests if not r.startswith((window.address, "blob:", "data:"))] == []
        assert errors == []


@pytest.mark.browser
def test_beside_a_rig_the_scene_follows_its_rows(tmp_path: Path) -> None:
    """A page beside a loop: the state is told, the picture changes with the rows that come, a page
    from elsewhere gets 403, nothing is requested elsewhere, and the ring is as the loop left it."""
    from websockets.exceptions import InvalidStatus
    from websockets.sync.client import connect

    rings = rig_ring(tmp_path, name="<b>a rig</b>")
    window = rig_window.RigWindow(choose_port(None), ring=rings.path)
    thread = threading.Thread(target=window.run, daemon=True)
    try:
        write(rings, [0.0, 0.004, 0.008])
        thread.start()
        address = window.address.replace("http", "ws")
        with pytest.raises(InvalidStatus) as refused:
            connect(address, origin="http://evil.example", open_timeout=PATIENCE_S)
        assert refused.value.response.status_code == 403
        with chromium() as browser:
            tab = browser.new_context(viewport={"width": 820, "height": 420}).new_page()
            tab.set_default_timeout(PATIENCE_MS)
            requests: list[str] = []
            tab.on("request", lambda r: requests.append(r.url))
            tab.goto(window.address)
            tab.get_by_text("approach", exact=True).wait_for()
            before = still(tab)
            write(rings, 5.0 + 0.004 * np.arange(5), force=30.0)
            written = rings.path.read_bytes()
            tab.get_by_text("contact", exact=True).first.wait_for()
            tab.get_by_text("30.00 N").wait_for()
            until(tab, lambda: tab.screenshot(timeout=PATIENCE_MS) != before)
            own = (window.address, "blob:", "data:")
            assert [r for r in requests if not r.startswith(own)] == []
            assert rings.path.read_bytes() == written
            rings.set("closed", 1)
            tab.get_by_text("the run is over").wait_for()
            tab.get_by_text("The run again").wait_for()
        assert window.over
    finally:
        window.stop()
        rings.remove()
