"""What the demo says is made of its rows: rows made wrong on purpose say something else."""

from __future__ import annotations

from softdock.output.pages.demo import describe_remedies, describe_worst, explain_delay

ORBIT = {"label": "orbit", "delay_ms": None, "restitution": 1.0}
RAW = [
    {
        "label": f"{delay:g}",
        "delay_ms": delay,
        "method": "direct",
        "restitution": e,
        "energy_added_J": energy,
    }
    for delay, e, energy in ((0.0, 1.01, 3e-4), (16.0, 1.12, 3e-3), (32.0, 1.24, 7e-3))
]
DAMPED = {
    "label": "16, damped",
    "delay_ms": 16.0,
    "method": "adaptive_damping",
    "restitution": 1.002,
    "energy_added_J": 3e-3,
}


def test_the_sentence_on_top_follows_orbit_and_the_worst_row():
    """Orbit's own restitution, and a rig that gives back less as one that gives back more."""
    assert describe_worst([ORBIT, *RAW]).endswith(
        "the rebound speed is 124 % of the approach speed; on orbit it is 100 %."
    )
    lossy = ORBIT | {"restitution": 0.7}
    assert describe_worst([lossy, *RAW]).endswith("on orbit it is 70 %.")
    slow = [row | {"restitution": 0.8} for row in RAW]
    assert "80 % of the approach speed" in describe_worst([ORBIT, *slow])


def test_what_a_delay_did_follows_the_energies():
    """It grows with the delay only where it does, and is added only where it is."""
    assert "mJ here, more with a longer delay." in explain_delay([ORBIT, *RAW])
    mixed = [RAW[0], RAW[1] | {"energy_added_J": 1e-4}, RAW[2]]
    assert "not always more with a longer delay" in explain_delay([ORBIT, *mixed])
    taken = [row | {"energy_added_J": -1e-3} for row in RAW]
    assert "In these runs no energy is added." in explain_delay([ORBIT, *taken])


def test_what_a_remedy_did_follows_its_row():
    """It takes energy out again only if the bounce is nearer to orbit's than without it."""
    assert "which the method removes within the contact" in describe_remedies([ORBIT, *RAW, DAMPED])
    worse = describe_remedies([ORBIT, *RAW, DAMPED | {"restitution": 1.5}])
    assert "removes" not in worse
    assert "Rebound speed is 150 % of the approach speed, without the method 112 %." in worse
    assert "the loop adds no energy." in describe_remedies(
        [ORBIT, *RAW, DAMPED | {"energy_added_J": 0.0}]
    )


def test_orbit_is_no_remedy():
    """Orbit's row names no method (`None`), as the demo writes it: nothing is said of it."""
    orbit = ORBIT | {"method": None, "delay_ms": None}
    assert describe_remedies([orbit, *RAW]) == ""
    assert "None" not in describe_remedies([orbit, *RAW, DAMPED])
