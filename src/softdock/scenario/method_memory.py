"""How much memory a method asks for: a whole number of floats, or a refusal in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock.files.values import Refused
from softdock.methods.registry import Method

MOST_FLOATS = 2**27  # 1 GiB of one run's memory


def floats_of(method: Method, values: Mapping[str, Any], T: float) -> int:
    """Floats of `mem` for these values and this cycle [s]; raises `Refused`."""
    try:
        floats = method.memory(dict(values), T)
    except Exception as error:  # a user's function may raise anything
        if is_own(method):
            raise
        raise Refused(
            f"a method whose memory(values, T) can be computed ({type(error).__name__}: {error})"
        ) from None
    least = len(method.channels)
    if (
        isinstance(floats, bool)
        or not isinstance(floats, int | np.integer)
        or not least <= floats <= MOST_FLOATS
    ):
        raise Refused(
            f"a method whose memory(values, T) is a whole number from {least} (its channels) to "
            f"{MOST_FLOATS}; this one gives {floats!r:.60}"
        )
    return int(floats)


def is_own(method: Method) -> bool:
    """Whether it is one of softdock's: an exception in it is then a fault of ours."""
    return type(method.marker).__module__.partition(".")[0] == "softdock"
