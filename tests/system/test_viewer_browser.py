"""The live viewer in real chromium: a slider changes the scene, nothing leaves the machine,
strangers get 403."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from browser import SOFTWARE, chromium

pytest.importorskip("viser")

from softdock.viewer import show
from softdock.viewer.guard import chosen_port
from softdock.viewer.session import opened

OF_VISER = ("THREE.Clock", SOFTWARE)  # what its own page says on the console


@pytest.fixture(scope="module")
def window() -> Iterator[Any]:
    """EPOS on one axis, with no other method to compile."""
    before, show.possible = show.possible, lambda scenario: ["direct"]
    try:
        made = show.Window(opened("epos_1d"), chosen_port(None))
    finally:
        show.possible = before
    thread = threading.Thread(target=made.run, daemon=True)
    thread.start()
    for _ in range(600):
        if made.session.last is not None:
            break
        time.sleep(0.2)
    yield made
    made.stop()


def test_foreign_pages_get_403(window: Any) -> None:
    """A WebSocket from another page's origin, or from none, is refused; the viewer's own is
    accepted."""
    from websockets.exceptions import InvalidStatus
    from websockets.sync.client import connect

    address = window.address.replace("http", "ws")
    assert window.server.get_host() == "127.0.0.1"
    for origin in ("http://evil.example", f"{window.address}0", None):
        with pytest.raises(InvalidStatus) as refused:
            connect(address, origin=origin)
        assert refused.value.response.status_code == 403
    with connect(address, origin=window.address) as own:
        assert own.response is not None
        assert own.response.status_code == 101


def test_answer_follows_the_sliders(window: Any) -> None:
    """Without delay the same rig invents less; a refused value is told and the last answer
    stays."""
    session = window.session
    window.recompute()
    late = session.last
    assert late.light == "red"
    session.values["delay"] = 0.0
    window.recompute()
    assert session.last.run.energy_invented_J < 0.2 * late.run.energy_invented_J
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
        tab.set_default_timeout(120_000)
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
        tab.wait_for_timeout(4000)
        before, answer = tab.screenshot(timeout=120_000), window.session.last
        field.fill("38")
        field.press("Enter")
        for _ in range(300):
            if window.session.last is not answer:
                break
            tab.wait_for_timeout(100)
        assert window.session.values["delay"] == 38.0
        assert window.session.last is not answer
        tab.wait_for_timeout(2000)
        assert tab.screenshot(timeout=120_000) != before
        assert [r for r in requests if not r.startswith((window.address, "blob:", "data:"))] == []
        assert errors == []
