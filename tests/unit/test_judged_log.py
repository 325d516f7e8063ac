"""What a log alone can judge: gains need no orbit, everything else is said to be absent."""

import numpy as np
import pytest

from softdock.recorder.log_verdict import NOT_JUDGED, is_raw, judged


def contact(taken=1.0, back=0.8, peak=50.0):
    return {
        "peak_force_measured_N": peak,
        "restitution_energetic": back,
        "work_taken_J": taken,
    }


def test_a_passive_log_is_not_called_faithful():
    """Nothing grew: no word is given that needs orbit, and what is absent is named."""
    found = judged([contact()], -0.3)
    assert found["word"] == NOT_JUDGED
    assert "distance from orbit" in found["not_judged"]
    assert "a log alone cannot tell" in found["sentence"]
    assert found["numbers"]["gain"] == pytest.approx(0.8**2 - 1.0)
    assert found["numbers"]["growth"] is None  # one contact: absent, not zero


@pytest.mark.parametrize(
    ("contacts", "observed", "said"),
    [
        ([contact(back=1.1)], None, "gave back 21 % more energy than it took (bound 5 %)"),
        ([contact()], 0.2, "gave 20 % of the energy of its largest contact"),
        ([contact(1.0), contact(0.4), contact(0.6)], None, "took 50 % more energy than one before"),
    ],
)
def test_gains_are_unsafe(contacts, observed, said):
    """Each of the three alone, with its bound."""
    found = judged(contacts, observed)
    assert found["word"] == "unsafe"
    assert said in found["sentence"]
    assert "softdock identify bench" in judged(contacts, observed, source="bench")["next_step"]


def test_a_touch_of_noise_is_not_judged():
    """A reading that stands out for a cycle, small beside the docking, decides nothing."""
    noise = contact(taken=1e-9, back=5.0, peak=2.0)
    assert judged([noise, contact()], -0.1)["word"] == NOT_JUDGED


def test_a_log_without_motion_or_contact_says_so():
    """Neither energies nor contacts: two sentences."""
    bare = {"peak_force_measured_N": 20.0, "restitution_energetic": None, "work_taken_J": None}
    assert "cannot be told" in judged([bare], None)["sentence"]
    assert "nothing touched" in judged([], None)["sentence"]


def test_the_observed_energy_of_a_method_is_not_judged():
    """A re-mapping moves the satellites by another force than the measured one and sends the robots
    ahead: what looks active is meant. The log of a faithful docking must not be called unsafe."""
    t = np.linspace(0.0, 1.0, 101)
    way = np.stack([0.02 * t, 0.0 * t, 0.0 * t], axis=1)
    force = np.stack([50.0 * np.exp(-(((t - 0.5) / 0.1) ** 2)), 0.0 * t, 0.0 * t], axis=1)

    def series(ahead, factor):
        found = {"chaser.position": way, "command.chaser.position": way + ahead}
        found |= {"measured.chaser.force": force, "satellite.chaser.force": factor * force}
        return found | {f"{name}.x": values[:, 0] for name, values in found.items()}

    assert is_raw(series(0.0, 1.0))
    assert not is_raw(series(0.005, 1.0))
    assert not is_raw(series(0.0, 0.8))
    found = judged([contact()], 0.6, raw=False)
    assert found["word"] == NOT_JUDGED
    assert any("a method acts" in one for one in found["not_judged"])
