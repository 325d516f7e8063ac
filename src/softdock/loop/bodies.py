"""The two bodies by number, wherever something stands once for each of them."""

from __future__ import annotations

CHASER, TARGET, BODIES = 0, 1, 2
