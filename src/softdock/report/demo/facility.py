"""The robots that the demo draws: two arms of the class of EPOS's, face to face.

They are drawn only. The demo's scenario has no `[facility]`, since the rig of a reader of
`softdock rig run emulated_pair epos_1d` has none; joints follow from where the mock-ups were.
"""

from __future__ import annotations

from typing import Any

TILTED = (0.965926, 0.258819)  # cosine and sine of half of 30 deg: the tool mounts' tilt
FACILITY: dict[str, Any] = {
    "chaser": {
        "arm": "kr120",
        "base_m": [1.61, 0.0, -1.75],
        "base_wxyz": [0.0, 0.0, 0.0, 1.0],
        "mock_up_m": [0.2598, 0.0, 0.15],
        "mock_up_wxyz": [TILTED[1], 0.0, TILTED[0], 0.0],
    },
    "target": {
        "arm": "kr120",
        "base_m": [-1.59, 0.0, -1.75],
        "mock_up_m": [0.2642, 0.0, -0.1525],
        "mock_up_wxyz": [TILTED[0], 0.0, TILTED[1], 0.0],
    },
}
