"""The frame of every page: one HTML file with its style, its script and the plotly bundle inside,
so that it opens anywhere without a network.

Data reach the script as JSON blocks, never as code. The page's own policy lets no other script run
and no request leave, whatever a scenario is called.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from softdock._version import __version__
from softdock.output.pages.frame.elements import json_block
from softdock.output.pages.frame.replay import (
    player_script,
    player_style,
    three_compressed,
    three_script,
)

# Control characters and those that turn the direction of writing: spelled out, as on a terminal.
_ESCAPES = {
    code: repr(chr(code))[1:-1]
    for code in (*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
    if chr(code) not in "\t\n"
}
_CONTROLS = re.compile(f"[{re.escape(''.join(map(chr, _ESCAPES)))}]")
BUNDLE = "plotly-cartesian.min.js"  # version and licence: docs/compiled_core.md

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="softdock {version}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<div class="bar"><span class="brand">softdock</span><nav aria-label="Sections">{links}</nav>
<button type="button" id="theme" aria-pressed="false" title="Light or dark">Dark</button></div>
<h1>{title}</h1>
<p class="lead">{lead}</p>
</header>
<noscript><p class="note">The charts need JavaScript; every number below does not.</p></noscript>
<main id="content">
{body}
</main>
<footer>Written by softdock {version}. This page is complete in itself: it loads nothing and sends \
nothing.</footer>
{data}
<script>{bundle}</script>
<script>{script}</script>
{replay}</body>
</html>
"""


def page(
    title: str, lead: str, sections: Mapping[str, tuple[str, str]], data: Mapping[str, Any]
) -> str:
    """A whole page. `sections`: id -> (heading, HTML); an empty heading gives neither headline nor
    link. `data`: id -> what becomes a JSON block.

    `title` and `lead` are plain text. The HTML of the sections comes from elements.py and
    charts.py, which escape what they are given. Control characters of names are spelled out.
    """
    bundle, script = _asset(BUNDLE), _asset("page.js")
    title, lead = _escape_controls(title), _escape_controls(lead)
    links = "".join(
        f'<a href="#{escape(key)}">{escape(heading)}</a>'
        for key, (heading, _) in sections.items()
        if heading
    )
    body = "\n".join(_section(key, heading, html) for key, (heading, html) in sections.items())
    body = _escape_controls(body)
    style, player, allowed = _player_parts(body)
    return _PAGE.format(
        policy=escape(_security_policy(bundle, script, *allowed)),
        version=__version__,
        title=escape(title),
        lead=escape(lead),
        style=_asset("page.css") + style,
        replay=player,
        links=links,
        body=body,
        data="\n".join(json_block(value, f'id="{escape(key)}"') for key, value in data.items()),
        bundle=bundle,
        script=script,
    )


def _escape_controls(text: str) -> str:
    """Replace control characters by escapes. A regular expression takes a tenth of the time of
    `str.translate` on a megabyte without any."""
    return _CONTROLS.sub(lambda sign: _ESCAPES[ord(sign[0])], text)


def _player_parts(body: str) -> tuple[str, str, tuple[str, ...]]:
    """Style, scripts and allowed scripts of the replay, if a section holds one; else empty.

    Escaped text has no plain quotation mark, so only `replay` itself can write the searched tag.
    three.js follows the charts' script as text that does not run, and is parsed only when a reader
    starts the replay: it does not delay the charts.
    """
    if '<figure class="replay' not in body:
        return "", "", ()
    waiting = f'<script type="text/plain" id="three-code">{three_compressed()}</script>'
    return (
        player_style(),
        f"{waiting}\n<script>{player_script()}</script>\n",
        (player_script(), three_script()),
    )


def _section(key: str, heading: str, html: str) -> str:
    headline = f"<h2>{escape(heading)}</h2>\n" if heading else ""
    return f'<section id="{escape(key)}">\n{headline}{html}\n</section>'


def _security_policy(*scripts: str) -> str:
    """Content security policy: only these scripts run, and nothing is fetched. Plotly sets styles
    at run time and gives its picture button a blob."""
    allowed = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(s.encode()).digest()).decode()}'"
        for s in scripts
    )
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data: "
        "blob:; font-src data:; base-uri 'none'; form-action 'none'"
    )


@cache
def _asset(name: str) -> str:
    return files("softdock.output.pages").joinpath("assets", name).read_text(encoding="utf-8")
