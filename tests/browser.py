"""The system's chromium, for tests that open a page as a person would. No browser is ever
downloaded."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

# What nobody looks at here. Every window would load the pop-up of its address line, a page of the
# browser's own that takes as long as one of ours. Chromium hears only the last such list, so
# playwright's is in it.
LEFT_OUT = (
    *("WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup", "AimEnabled"),
    *("AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades"),
    *("HttpsFirstBalancedModeAutoEnable", "LensOverlay", "MediaRouter", "PaintHolding"),
    *("ThirdPartyStoragePartitioning", "AvoidCorsURLLoaderRestartOnRedirect", "OptimizationHints"),
    *("NetworkTimeServiceQuerying", "PreconnectToSearch"),
)
FLAGS = (
    f"--disable-features={','.join(LEFT_OUT)}",
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE_MS = 180_000  # a busy machine with software WebGL is not what is tested
SOFTWARE = "GPU stall due to ReadPixels"  # chromium's own remark on WebGL without a GPU


@dataclass
class Opened:
    """A page in the browser, and what it did that a reader does not see."""

    page: Any
    requests: list[str] = field(default_factory=list)  # those that are not the page itself
    complaints: list[str] = field(
        default_factory=list
    )  # errors and warnings on the console, uncaught errors

    def drawn(self) -> Opened:
        """After all charts are there."""
        self.page.wait_for_selector("html[data-drawn=yes]")
        return self


@contextmanager
def chromium() -> Iterator[Any]:
    """A running browser. Without one the test is skipped; with SOFTDOCK_REQUIRE_BROWSER=1 it
    fails."""
    path = (
        shutil.which("chromium")
        or shutil.which("chromium-browser")
        or shutil.which("google-chrome")
    )
    if path is None:
        if os.environ.get("SOFTDOCK_REQUIRE_BROWSER") == "1":
            pytest.fail("no chromium on this machine, and SOFTDOCK_REQUIRE_BROWSER=1")
        pytest.skip("no chromium on this machine")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=list(FLAGS), timeout=PATIENCE_MS
        )
        yield browser
        browser.close()


@contextmanager
def opened(browser: Any, file: Path, **options: Any) -> Iterator[Opened]:
    """A file in a fresh window. `options`: as of playwright's new_context (viewport,
    color_scheme)."""
    context = browser.new_context(**options)
    context.set_default_timeout(PATIENCE_MS)
    here = Opened(context.new_page())
    address = file.resolve().as_uri()
    here.page.on(
        "request",
        lambda r: (
            here.requests.append(r.url)
            if r.url != address and not r.url.startswith(("data:", "blob:"))
            else None
        ),
    )
    here.page.on(
        "console",
        lambda m: (
            here.complaints.append(m.text)
            if m.type in ("error", "warning") and SOFTWARE not in m.text
            else None
        ),
    )
    here.page.on("pageerror", lambda e: here.complaints.append(str(e)))
    here.page.goto(address)
    yield here
    context.close()
