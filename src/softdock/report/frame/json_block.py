"""Data in a page: a block of JSON that the browser does not run."""

from __future__ import annotations

import json
from typing import Any

from softdock.analysis.metrics import plain


def json_block(value: Any, attributes: str) -> str:
    """Data for the script, inert to the browser. NaN and infinities are null, as JSON has no word
    for them."""
    text = json.dumps(plain(value), allow_nan=False, separators=(",", ":"), ensure_ascii=True)
    return (
        '<script type="application/json" '
        f"{attributes}>{text.replace('<', chr(92) + 'u003c')}</script>"
    )
