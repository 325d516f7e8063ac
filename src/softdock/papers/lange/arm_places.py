"""Where the two KR 16 stand for Figs. 6 and 7: `[facility]` tables.

Found by `softdock place` among 600 places for each arm, so that orbit's own motion keeps clear of
joint ranges, singularities and volumes. Fig. 6: the servicer's whole way of 0.8 m; `softdock place
lange_impact_jerk --set "chaser.position_m=[-0.804,0,0]" --set time.duration_s=9.04 --arm kr16`.
Fig. 7: `softdock place lange_cone --arm kr16`. Without a described tool the contact of Fig. 6 is
0.3 m in front of the flange. The paper says nothing of where its robots stand.
"""

from __future__ import annotations

from typing import Any

IMPACT: dict[str, Any] = {
    "chaser": {
        "arm": "kr16",
        "base_m": [-1.187, 0.624, -1.794],
        "base_wxyz": [1.0, 0.0, 0.0, 0.0],
        "mock_up_m": [0.203, 0.0, -0.2208],
        "mock_up_wxyz": [0.915644185, 0.0, 0.40198971, 0.0],
        "joints_deg": [92.2, -107.6, 72.7, -132.5, 66.4, 63.4],
    },
    "target": {
        "arm": "kr16",
        "base_m": [0.88, -0.735, -1.872],
        "base_wxyz": [0.0, 0.0, 0.0, 1.0],
        "mock_up_m": [0.248, 0.0, 0.1744],
        "mock_up_wxyz": [0.301624248, 0.0, 0.953426879, 0.0],
        "joints_deg": [58.7, -82.7, 39.7, 79.4, -45.3, 61.5],
    },
}
CONE: dict[str, Any] = {
    "chaser": {
        "arm": "kr16",
        "base_m": [-1.85, -0.551, -1.682],
        "base_wxyz": [1.0, 0.0, 0.0, 0.0],
        "mock_up_m": [0.0, 0.0, 0.0],
        "mock_up_wxyz": [0.949672375, 0.0, 0.313244922, 0.0],
        "joints_deg": [-54.0, -97.0, 73.3, -61.4, -47.8, 90.3],
    },
    "target": {
        "arm": "kr16",
        "base_m": [0.985, 0.69, -0.942],
        "base_wxyz": [0.0, 0.0, 0.0, 1.0],
        "mock_up_m": [-0.3011, -0.0406, 0.2017],
        "mock_up_wxyz": [0.290793306, 0.0, -0.956785897, 0.0],
        "joints_deg": [-28.1, -47.1, 56.3, 42.2, 35.6, 127.0],
    },
}
