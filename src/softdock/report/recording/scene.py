"""The scene of a recording: mock-ups where they were measured, forces as they were measured."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from softdock.recorder.measured_series import AsSeen
from softdock.recorder.recording import Recording
from softdock.scenario.build import build
from softdock.scene import Scene, scene_of

NOTE = "A recording: mock-ups where they were measured, or commanded where nothing was measured."


def _two_bodies(recording: Recording) -> dict[str, Any]:
    """What a scene cannot do without, where nothing is known of the bodies."""
    time = recording.series["time"]
    body = {"mass_kg": 1.0, "inertia_kg_m2": [1.0, 1.0, 1.0]}
    return {
        "time": {
            "cycle_ms": 1e3 * float(time[1] - time[0]) if len(time) > 1 else 4.0,
            "duration_s": max(float(time[-1]), 1e-3) if len(time) else 1.0,
        },
        "chaser": body,
        "target": {**body, "position_m": [-10.0, 0.0, 0.0]},
    }


class _Shown:
    """A recording as a scene takes it."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        # without a scenario no shapes are known: two bodies of the schema's defaults
        self.scenario: Any = recording.scenario or build(_two_bodies(recording))
        self.series: Any = AsSeen(recording.series)
        self.contacts = [{**contact, "pair": 0} for contact in recording.contacts]
        self.status = "completed"

    @property
    def orbit(self) -> Any:
        return self._recording.orbit


def scene_of_recording(recording: Recording) -> Scene:
    """With orbit beside it where the scenario is attached: flown here if that was not done."""
    shown = _Shown(recording)
    if recording.scenario is not None:
        recording.fly_orbit()
    scene = scene_of(shown, name=recording.name, orbit=recording.scenario is not None)
    return replace(scene, notes=(NOTE, *scene.notes))
