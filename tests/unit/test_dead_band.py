"""A sensor's threshold as a dead band: what it does to an impact, by a loop of a few lines, by
softdock's own run, and in the words of `check` and `stability`."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner
from scenarios import epos_wall

from softdock import build, run_loop
from softdock.cli.main import cli
from softdock.studies.stability.dead_band import (
    PHASES,
    describe_dead_band,
    find_dead_bands,
    list_dead_band_warnings,
    sweep_dead_band,
)
from softdock.studies.stability.from_scenario import loops_of

MASS, STIFFNESS, SPEED, T, LATE = 63.0, 1000.0, 0.02, 0.004, 4  # kg, N/m, m/s, s, cycles
PEAK = SPEED * np.sqrt(MASS * STIFFNESS)  # N


def plain_bounce(threshold, damping=0.0, virtual=0.0):
    """Mean restitution over the phases: a spring and a damper felt 16 ms late, nothing below the
    threshold; `virtual`: a damper on the mass's own rate while a force is felt, never pulling."""
    left = []
    for phase in np.arange(PHASES) / PHASES:
        x, v = -(LATE + 1 + phase) * SPEED * T, SPEED
        places = [x - SPEED * T * i for i in range(LATE + 1, 0, -1)] + [x]
        rates = [v] * (LATE + 2)
        while True:
            depth, rate = places[-1 - LATE], rates[-1 - LATE]
            F = max(STIFFNESS * depth + damping * rate, 0.0) if depth > 0.0 else 0.0
            F = F if threshold <= F else 0.0
            if F > 0.0:
                F = max(F + virtual * v, 0.0)
            x, v = x + T * v - 0.5 * T * T * F / MASS, v - T * F / MASS
            places.append(x)
            rates.append(v)
            if v < 0.0 and max(places[-LATE - 2 :]) < 0.0:
                left.append(-v / SPEED)
                break
    return float(np.mean(left))


def scenario(threshold, damping=0.0, methods=()):
    tables = epos_wall() | {"sensor": {"threshold_N": threshold}, "methods": list(methods)}
    tables["contact"][0]["real"]["damping_Ns_per_m"] = damping
    return build(tables)


HYBRID = {"name": "hybrid", "damping_Ns_per_m": [18.0, 0.0, 0.0], "pose": "simulated"}


@pytest.mark.parametrize("share", [0.1, 0.5])
@pytest.mark.parametrize(
    ("damping", "methods", "virtual"),
    [(0.0, (), 0.0), (120.0, (), 0.0), (0.0, (HYBRID,), 18.0)],
    ids=["lossless", "damped", "virtual damper"],
)
def test_an_impact_with_a_dead_band(damping, methods, virtual, share):
    """The analysis is the loop of a few lines, with the dead band and without."""
    found = find_dead_bands(scenario(share * PEAK, damping, methods))[0]
    assert found.peak_N == pytest.approx(PEAK)
    assert found.speed_m_per_s == pytest.approx(SPEED)
    assert found.restitution == pytest.approx(
        plain_bounce(share * PEAK, damping, virtual), abs=1e-9
    )
    assert found.restitution_without == pytest.approx(plain_bounce(0.0, damping, virtual), abs=1e-9)


def test_it_diverges_and_it_converges():
    """Both ways, at half of the largest force: a late spring gives back more, a contact with losses
    less, and a virtual damper takes less than it was set for. In numbers of docs/stability.md."""
    found = {
        name: find_dead_bands(scenario(0.5 * PEAK, damping, methods))[0]
        for name, damping, methods in (
            ("lossless", 0.0, ()),
            ("damped", 120.0, ()),
            ("virtual", 0.0, (HYBRID,)),
        )
    }
    changes = {name: (one.restitution_without, one.restitution) for name, one in found.items()}
    assert changes["lossless"] == pytest.approx((1.1190, 1.1410), abs=1e-4)
    assert changes["damped"] == pytest.approx((0.5822, 0.3969), abs=1e-4)
    assert changes["virtual"] == pytest.approx((1.0025, 1.0699), abs=1e-4)
    ends = {name: describe_dead_band(one).rpartition("; ")[2] for name, one in found.items()}
    assert ends == {
        "lossless": "it makes the bounce diverge more.",
        "damped": "it makes the bounce converge more.",
        "virtual": "it makes the bounce diverge.",
    }


def test_a_run_bounces_as_the_analysis_says():
    """softdock's own loop with its own sensor: mean of four phases, of which the dead band makes a
    spread of 7e-3."""
    runs = []
    for phase in np.arange(4) / 4:
        tables = epos_wall(phase=float(phase)) | {"sensor": {"threshold_N": 0.5 * PEAK}}
        runs.append(run_loop(tables).restitution)
    found = find_dead_bands(scenario(0.5 * PEAK))[0]
    assert np.mean(runs) == pytest.approx(found.restitution, abs=2e-3)


def test_what_is_said():
    """`check` warns where the bounce changes by more than 1 %, and says nothing else; a method that
    the analysis does not know is named."""
    assert list_dead_band_warnings(scenario(0.0)) == []
    assert list_dead_band_warnings(scenario(0.02 * PEAK)) == []
    (warning,) = list_dead_band_warnings(scenario(0.5 * PEAK, 0.0, [{"name": "energy_ledger"}]))
    assert "a dead band of 50 % of the largest force of an impact at 20 mm/s" in warning
    assert "(without energy_ledger)" in warning
    tables = epos_wall() | {"sensor": {"threshold_N": 20.0 * PEAK}}
    (deep,) = list_dead_band_warnings(build(tables))
    assert "nothing is felt before the mock-ups are deeper than the whole impact" in deep


def test_the_commands_say_so():
    """`softdock check` and `softdock stability`, in the terminal and as JSON."""
    change = ["epos_1d", "--set", "sensor.threshold_N=2.5"]
    checked = CliRunner().invoke(cli, ["check", *change])
    assert checked.exit_code == 0
    assert "warning: contact.0: sensor.threshold_N = 2.5 N is a dead band of 50 %" in checked.output
    asked = ["stability", *change, "--no-runs"]
    assert "it makes the bounce diverge more" in CliRunner().invoke(cli, asked).output
    found = json.loads(CliRunner().invoke(cli, [*asked, "--json"]).stdout)["dead_band"]["points"]
    assert found[0]["restitution"] > found[0]["restitution_without"] > 1.0
    quiet = CliRunner().invoke(cli, ["stability", "epos_1d", "--no-runs", "--json"])
    assert "dead_band" not in json.loads(quiet.stdout)


def test_the_chart_shows_the_bounce_over_the_threshold(tmp_path):
    """On the page of `stability --chart`: from the bounce without a dead band up, the restitution
    of a loop of a few lines; and a panel of its own in a picture. Without a threshold neither."""
    asked = ["stability", "epos_1d", "--no-runs", "--set", "sensor.threshold_N=2.0"]
    page, picture = tmp_path / "page.html", tmp_path / "picture.svg"
    for file in (page, picture):
        assert CliRunner().invoke(cli, [*asked, "--chart", str(file)]).exit_code == 0
    assert "chart-dead-band" in page.read_text()
    assert 'id="axes_4"' in picture.read_text()  # three panels and this one
    loop = loops_of(scenario(0.4 * PEAK))[0].loop
    found = sweep_dead_band(loop, find_dead_bands(scenario(0.4 * PEAK))[0])
    assert found.threshold_N[-1] == pytest.approx(PEAK)
    for i in (0, 12, 27):
        assert found.restitution[i] == pytest.approx(plain_bounce(found.threshold_N[i]), abs=1e-9)
    assert CliRunner().invoke(cli, [*asked[:-2], "--chart", str(page)]).exit_code == 0
    assert "chart-dead-band" not in page.read_text()
