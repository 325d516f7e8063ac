"""What all tests share: Hypothesis without chance, so that a failure on one machine is a failure on
all. Scenarios are in scenarios.py."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# The first example may compile for half a minute: no deadline.
settings.register_profile(
    "softdock",
    derandomize=True,
    deadline=None,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("softdock")
