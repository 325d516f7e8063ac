"""The published compensators (docs/compensators.md) against loops of a few lines that share no code
with softdock: one mass, one spring, robots five cycles late, a held force.

The runs are plain Python, in one process (tests/plain.py): no list of methods is compiled for them.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from latched_pair import held
from plain import run_plain
from scenarios import epos_wall

from softdock import build
from softdock.methods.registry import METHODS
from softdock.studies.stability import Loop, Robot
from softdock.studies.stability.critical import find_stretch
from softdock.studies.stability.from_scenario import loops_of
from softdock.studies.stability.impact_restitution import restitution_of_loop
from softdock.studies.stability.latched import find_latched_modes

MASS, SPEED, T, LATE, GAP = 65.0, 0.02, 0.004, 5, 0.0108  # kg, m/s, s, cycles, m
DELAY = (LATE + 0.5) * T  # s, the hold's half cycle included
STIFFNESSES = (1e3, 5e3, 1e4, 3e4, 1e5, 3e5)  # N/m
# docs/related_work.md: restitution of a first sketch at these stiffnesses, w h = 0.09 to 1.49
SKETCH_DIRECT = (1.145, 1.350, 1.522, 2.020, 3.23, 5.76)
SKETCH_LEAD = (1.004, 1.023, 1.057, 1.179, 1.86, 4.23)
DIRECT = {"name": "direct"}
LEAD = {"name": "phase_lead", "force_lead_ms": 22.0}
FILTERED = {"name": "phase_lead", "force_lead_ms": 15.0, "filter_ms": 6.0}
NEVER = {**LEAD, "pull": "never"}
SPLIT = {
    "name": "phase_lead",
    "force_lead_ms": 2.0,
    "position_lead_ms": 20.0,
    "acceleration_lead_ms": 20.0,
}
SMITH = {"name": "smith_predictor", "delay_ms": 22.0}
SHARE = {"name": "smith_predictor", "delay_ms": 16.8, "filter_ms": 3.0}
PASSIVE = {"name": "normalized_passivity", "gain_Ns_per_m": 600.0}
KALMAN = {"name": "active_compliance", "force_lead_ms": 2.0}
TDPA = {"name": "time_domain_passivity"}
TOGETHER = (
    (),
    ("delay_passivity",),
    ("passive_integrator", "delay_passivity"),
    ("time_domain_passivity",),
)
METHODS_RUN = (DIRECT, LEAD, FILTERED, NEVER, SPLIT, SMITH, SHARE, PASSIVE, KALMAN, TDPA)

RUNS = """
import json, sys
import numpy as np
from softdock import run_loop
from softdock.results.latches import compute_latch_growth
from softdock import build

asked, latched, flight = json.loads(sys.stdin.read())
found = []
for tables in asked:
    run = run_loop(tables)
    found.append(float(run.series["chaser.velocity"][-1][0]))
grown = []
for tables in latched:
    scenario = build(tables)
    run = run_loop(scenario)
    grown.append(compute_latch_growth(scenario, run.series, run.latches)["growth_per_s"])
run = run_loop(flight)
names = "position", "attitude"
ways = [
    [np.asarray(run.series[f"{kind}.{name}"])[-1].tolist() for name in names]
    for kind in ("chaser", "mock_up.chaser")
]
print(json.dumps([found, grown, ways]))
"""


def docking(method, stiffness, **more):
    tables = epos_wall(delay_ms=1e3 * LATE * T, mass_kg=MASS, stiffness=stiffness, speed=SPEED)
    tables["chaser"]["position_m"] = [GAP, 0.0, 0.0]
    tables["time"]["duration_s"] = find_duration(stiffness)
    return tables | {"methods": [method]} | more


def stiff(**tables):
    """The same with a latch ten times as stiff."""
    return held(k=4e4, duration_s=4.2, **tables)


def slowly(**tables):
    """The same as those, in cycles of 8 ms."""
    return held(**{"time": {"cycle_ms": 8.0, "duration_s": 12.5}, **tables})


def find_duration(stiffness):
    """Long enough for a contact that lasts half a swing, and what the delays leave of it [s]."""
    return math.ceil((GAP / SPEED + 1.2 * math.pi * math.sqrt(MASS / stiffness) + 0.25) / T) * T


def plain_loop(stiffness, force_of, ahead=(0.0, 0.0), every=1, begin=0.2):
    """Speed with which the mass leaves. `force_of(F)`: what becomes of the readings, called once a
    cycle; `ahead`: lead of the set-points by rate and acceleration; `every`: cycles of a sample."""
    x, v = -GAP, SPEED
    sent = [x - SPEED * T * i for i in range(LATE + 1, 0, -1)] + [x]
    reading = 0.0
    for k in range(round(find_duration(stiffness) / T)):
        if k % every == 0:
            reading = max(stiffness * sent[-1 - LATE], 0.0)
        a = -force_of(reading, k, x=x, v=v, sent=sent) / MASS
        x, v = x + T * v + 0.5 * T * T * a, v + T * a
        u = min((k + 1) * T / begin, 1.0)
        sent.append(x + u * u * (3.0 - 2.0 * u) * (ahead[0] * v + ahead[1] * a))
    return -v


def leading(lead, tau=0.0, predicted=None, rule="", every=1):
    """The force lead, with its low-pass; the predictor over a delay; or the sketch's rule."""
    past, led, rate = [0.0], [], [0.0]
    dt = every * T
    keep = math.exp(-dt / tau) if tau else 0.0

    def force_of(F, k, **_):
        if k % every == 0:
            rate.append(keep * rate[-1] + (1.0 - keep) * (F - past[-1]) / dt if k else 0.0)
            past.append(F)
        led.append(F + lead * rate[-1])
        if predicted is not None:
            back = predicted / T
            before = [i for i in range(len(led)) if i <= k - back + 1e-9]
            i = before[-1] if before else -1
            share = k - back - i
            old = led[i] * (1.0 - share) + led[i + 1] * share if i >= 0 else 0.0
            if i < 0 and k - back > -1.0:  # between nothing and the first
                old = led[0] * (1.0 + k - back)
            return F + led[-1] - old
        if rule == "sketch" and F > 0.0:  # clamped in contact, free in the cycle after it
            return max(led[-1], 0.0)
        if rule == "never" and led[-1] * F <= 0.0:
            return 0.0
        return led[-1]

    return force_of


def damped(gain):
    """Normalized passivity control on one axis."""
    means, since = [0.0, 0.0], [0]

    def force_of(F, k, x, v, sent):
        if F <= 0.0:
            since[0] = 0
            return F
        since[0] = since[0] + 1
        if since[0] == 1:
            means[:] = 0.0, 0.0
        added, exchanged = F * (rates[-1 - LATE] - v), abs(F * v)
        share = max(1.0 / since[0], T / 0.5)
        means[0] += share * (added - means[0])
        means[1] += share * (exchanged - means[1])
        b = gain * max(means[0], 0.0) / means[1]
        return max(F + b * v, 0.0)

    rates = [SPEED] * (LATE + 1)

    def follow(F, k, x, v, sent):
        rates.append(v)
        return force_of(F, k, x, v, sent)

    return follow


def identifying(lead):
    """Active compliance on one axis: recursive least squares in matrices, by their inverse."""
    rates, places = [SPEED] * (LATE + 1), []
    known = {"theta": np.zeros(3), "P": None, "R": 1e-4, "gain": 1.0, "F": 0.0}

    def force_of(F, k, x, v, sent):
        rates.append(v)
        slope, known["F"] = (F - known["F"]) / T, F
        m, rate = sent[-1 - LATE], rates[-1 - LATE]
        if F <= 0.0:
            places.clear()
            return F
        if not places:
            way = T * rate * 1e6 + 0.01
            known["P"] = np.diag([1e12, 1e6, way**2])
        places.append(m)
        h = np.array([m - places[0], rate, 1.0])
        P = known["P"] / 0.99
        explained = h @ P @ h
        y = F - h @ known["theta"]
        known["theta"] = known["theta"] + P @ h * y / (explained + known["R"])
        known["P"] = P - np.outer(P @ h, P @ h) / (explained + known["R"])
        known["gain"] = known["gain"] / (known["gain"] + 0.99)
        g = known["gain"]
        known["R"] = max((1.0 - g) * known["R"] + g * (y * y - explained), 1e-4)
        stiff, loss = np.maximum(known["theta"][:2], 0.0)
        deeper, faster = x - m, v - rate
        late = stiff * (deeper + 0.5 * T * faster) + loss * faster
        return max(F + lead * slope + late, 0.0)

    force_of.known = known
    return force_of


def observing():
    """Time-domain passivity control on one axis: both observers and the damper."""
    past: dict[str, float] = {}
    energy = [0.0]

    def force_of(F, k, x, v, sent):
        m = sent[-1 - LATE]
        if past:
            way = past["x"] - x  # of parting
            integration = past["A"] * (-T * 0.5 * (past["v"] + v) - way)
            delay = past["A"] * way - 0.5 * (past["F"] + F) * (past["m"] - m)
            energy[0] += integration + delay
        A = F
        if F > 0.0 and energy[0] > 0.0:
            alpha = min(energy[0] / (T * v * v), MASS / (4.0 * T))
            A = max(F + alpha * v, 0.0)
        past.update(x=x, v=v, m=m, F=F, A=A)
        return A

    return force_of


EXPECTED = {
    "direct": lambda k: plain_loop(k, leading(0.0)),
    "lead": lambda k: plain_loop(k, leading(0.022)),
    "filtered": lambda k: plain_loop(k, leading(0.015, 0.006)),
    "never": lambda k: plain_loop(k, leading(0.022, rule="never")),
    "split": lambda k: plain_loop(k, leading(0.002), ahead=(0.02, 200e-6)),
    "smith": lambda k: plain_loop(k, leading(0.022, predicted=0.022)),
    "share": lambda k: plain_loop(k, leading(0.0168, 0.003, predicted=0.0168)),
    "passive": lambda k: plain_loop(k, damped(600.0)),
    "kalman": lambda k: plain_loop(k, identifying(0.002)),
    "tdpa": lambda k: plain_loop(k, observing()),
}
TRIED = (1e4, 1e5)


@pytest.fixture(scope="module")
def flown():
    """Speeds of softdock's own runs, by method and stiffness; growth of latched pairs."""
    asked = [docking(method, k) for method in METHODS_RUN for k in TRIED]
    asked.append(docking(LEAD, 1e4, sensor={"period_ms": 8.0}))
    asked.append(docking({**LEAD, "begin_ms": 0.0}, 1e4))
    asked += [
        epos_wall(delay_ms=delay, integrator=integrator, stiffness=4000.0, mass_kg=250.0)
        | {"methods": [{"name": name} for name in names]}
        | {"time": {"cycle_ms": 4.0, "duration_s": 1.5}}
        for names, integrator in (
            *((names, "symplectic_euler") for names in TOGETHER),
            (TOGETHER[-1], "forward_euler"),
        )
        for delay in (0.0, 16.0)
    ]
    latched = [
        stiff(methods=[{"name": name, **METHODS[name].suggest(build(stiff()))}])
        for name in (
            "smith_predictor",
            "normalized_passivity",
            "active_compliance",
            "time_domain_passivity",
        )
    ]
    slow = METHODS["normalized_passivity"].suggest(build(slowly()))
    latched.append(slowly(methods=[{"name": "normalized_passivity", **slow}]))
    flight = docking({**SPLIT, "begin_ms": 100.0}, 1e4)
    flight["chaser"] |= {"rate_rad_per_s": [0.3, -0.2, 0.5], "attitude_wxyz": [0.5, 0.5, 0.5, 0.5]}
    flight["time"]["duration_s"] = 0.2
    done = run_plain(
        RUNS, given=json.dumps([asked, latched, flight]), cwd=Path(__file__).parents[1]
    )
    assert done.returncode == 0, done.stderr
    speeds, growths, ways = json.loads(done.stdout)
    by_case = {
        (name, k): speeds[len(TRIED) * i + j]
        for i, name in enumerate(EXPECTED)
        for j, k in enumerate(TRIED)
    }
    others = speeds[len(by_case) :]
    return by_case, others[:2], growths, ways, others[2:]


@pytest.mark.parametrize("stiffness", TRIED)
@pytest.mark.parametrize("name", EXPECTED)
def test_a_method_is_its_equations(flown, name, stiffness):
    """The mass leaves as fast as in the loop of a few lines: 1e-9 of its approach."""
    assert flown[0][name, stiffness] == pytest.approx(EXPECTED[name](stiffness), abs=1e-9 * SPEED)


def test_a_slow_sensor_is_led_between_its_samples(flown):
    """One sample every second cycle: the slope is over 8 ms, and is kept in between."""
    expected = plain_loop(1e4, leading(0.022, every=2), every=2)
    assert flown[1][0] == pytest.approx(expected, abs=1e-9 * SPEED)
    assert flown[1][1] == flown[0]["lead", 1e4]  # begin_ms is of the position lead alone


def test_led_robots_are_where_the_satellite_is(flown):
    """In free flight, turning steadily, once the lead has grown: a mock-up that follows 20 ms late
    is at the satellite's pose, and not 0.4 mm and 12 mrad behind it."""
    (position, attitude), (followed, turned) = flown[3]
    assert np.abs(np.subtract(position, followed)).max() < 1e-12
    assert abs(np.dot(attitude, turned)) == pytest.approx(1.0, abs=1e-14)


def test_the_sketch_of_phase_lead():
    """A first sketch of the force lead, clamped while a force is measured and free in the cycle
    after: its numbers, at its stiffnesses, are those of this loop, and the raw loop's."""
    direct = [plain_loop(k, leading(0.0)) / SPEED for k in STIFFNESSES]
    lead = [plain_loop(k, leading(0.022, rule="sketch")) / SPEED for k in STIFFNESSES]
    assert direct == pytest.approx(SKETCH_DIRECT, rel=5e-3)
    assert lead == pytest.approx(SKETCH_LEAD, rel=5e-3)
    free = [plain_loop(k, leading(0.022)) / SPEED for k in STIFFNESSES]
    never = [plain_loop(k, leading(0.022, rule="never")) / SPEED for k in STIFFNESSES]
    assert all(a < b < c < d for a, b, c, d in zip(free, lead, never, direct, strict=True))
    # the lead as it stands in the abstract, without a clamp, and with one
    assert free == pytest.approx((1.0004, 1.0049, 1.0136, 1.0738, 1.470, 2.861), rel=2e-3)
    assert never == pytest.approx((1.0049, 1.0272, 1.0592, 1.2213, 2.065, 4.767), rel=2e-3)


@pytest.mark.parametrize("method", [LEAD, FILTERED, SPLIT, SMITH, SHARE], ids=str)
def test_the_linear_part_predicts_the_run(method):
    """What `stability` is told of a method is what the method does: the restitution of one impact
    at the run's sampling phase, from the linear loop and from the equations."""
    for stiffness in (1e3, 1e4):
        point = loops_of(build(docking(method, stiffness)))[0]
        assert not [note for note in point.notes if method["name"] in note]
        predicted = restitution_of_loop(point.loop)
        names = dict(zip(map(id, METHODS_RUN), EXPECTED, strict=True))
        expected = EXPECTED[names[id(method)]](stiffness) / SPEED
        # the prediction is a mean over sampling phases, which make 1e-3 at most
        assert predicted == pytest.approx(expected, abs=1e-3)


def test_a_force_lead_never_makes_a_lossless_contact_stable():
    """tan q > q: what is left of the phase is late at every frequency, so no stiffness is borne."""
    loop = Loop(MASS, 1e4, robots=(Robot(delay=LATE * T),), cycle=T, force_lead=DELAY)
    assert find_stretch(loop, "stiffness") is None


def test_the_stability_condition_of_the_smith_predictor():
    """Without losses and sampling: stable for w_n h < 0.9343, where Im G = 0 with
    G = 1 - (1 - D)(1 - E); sampled ever more finely, the loop's own boundary goes there."""

    def path(q):
        D = np.exp(-1j * q)
        return 1.0 - (1.0 - D) * (1.0 - (1.0 + 1j * q) * D)

    low, high = 1.0, 1.6
    assert path(low).imag > 0.0 > path(high).imag
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if path(middle).imag > 0.0 else (low, middle)
    limit = low / math.sqrt(path(low).real)
    assert (low, limit) == pytest.approx((1.3438, 0.9343), abs=1e-4)
    found = []
    for cycles in (50, 200):
        cycle = DELAY / cycles
        loop = Loop(
            mass=1.0,
            stiffness=1.0,
            robots=(Robot(delay=DELAY - 0.5 * cycle),),
            cycle=cycle,
            force_lead=DELAY,
            predicted_delay=DELAY,
        )
        stretch = find_stretch(loop, "stiffness")
        assert stretch is not None
        found.append(limit - math.sqrt(stretch[1]) * DELAY)
    assert 0.0 < found[1] < 0.3 * found[0] < 0.3 * 0.01  # of first order in the cycle


def test_latched_pairs(flown):
    """Two 3000 kg bodies on a lossless latch, 16 ms late, with the delays that are true: what the
    methods say of themselves. From the linear loop, and from runs."""
    growth = {}
    for name in ("direct", "phase_lead", "smith_predictor"):
        method = {"name": name, **METHODS[name].suggest(build(held()))}
        growth[name] = find_latched_modes(build(held(methods=[method])))[0].growth_per_s
    assert growth["direct"] == pytest.approx(0.0240, rel=0.01)
    assert growth["phase_lead"] == pytest.approx(-3.36e-6, rel=0.01)
    assert growth["smith_predictor"] == pytest.approx(-1.253e-5, rel=0.01)
    smith = {"name": "smith_predictor", "delay_ms": 18.0}
    raw, slow, led = (
        find_latched_modes(build(tables))[0].growth_per_s
        for tables in (stiff(), slowly(), stiff(methods=[smith]))
    )
    assert flown[2][0] == pytest.approx(led, rel=0.02)
    # normalized passivity: faster, and slower, than the mean over 500 ms
    assert flown[2][1] == pytest.approx(0.67 * raw, rel=0.05)
    assert flown[2][4] == pytest.approx(0.1 * slow, rel=0.3)
    # active compliance; time-domain passivity control
    assert flown[2][2] == pytest.approx(raw / 30.0, rel=0.1)
    assert 0.0 < flown[2][3] < 1e-5 * raw  # growth


def test_the_gain_of_normalized_passivity():
    """What the delay adds to an undamped spring is what the damper takes, to first order in w h:
    the gain over sqrt(k m), by quadrature."""
    p = np.linspace(0.0, np.pi, 200_001)[1:]
    added = 0.5 * p - 0.25 * np.sin(2.0 * p)  # integral of sin^2, over w h
    exchanged = np.where(p < 0.5 * np.pi, 0.5 * np.sin(p) ** 2, 0.5 + 0.5 * np.cos(p) ** 2)
    taken = np.trapezoid(added / exchanged * np.cos(p) ** 2, p)
    suggested = METHODS["normalized_passivity"].suggest(build(docking(DIRECT, 1e4)))
    expected = 0.5 * np.pi / taken * DELAY / (DELAY - 0.5 * T) * math.sqrt(1e4 * MASS)
    assert suggested["gain_Ns_per_m"] == pytest.approx(expected, rel=1e-4)


def test_the_filter_identifies_the_contact():
    """A spring without losses, from readings without noise: 1e-6."""
    loop = identifying(0.002)
    plain_loop(1e4, loop)
    stiffness, damping, _ = loop.known["theta"]
    assert stiffness == pytest.approx(1e4, rel=1e-6)
    assert damping == pytest.approx(0.0, abs=1e-3)


def test_integration_and_delay_together(flown):
    """docs/passive_integrator.md: with the passive integrator before it, the delay controller loses
    nothing without delay and gains nothing with it."""
    page = (Path(__file__).parents[2] / "docs" / "passive_integrator.md").read_text("utf-8")
    for i, names in enumerate(TOGETHER):
        bounce = [speed / SPEED for speed in flown[4][2 * i : 2 * i + 2]]
        said = ", ".join(f"`{name}`" for name in names) or "nothing"
        assert f"| {said} | {bounce[0]:.4f} | {bounce[1]:.4f} |" in page
    forward = [speed / SPEED for speed in flown[4][2 * len(TOGETHER) :]]
    assert forward == pytest.approx([1.0001, 1.0001], abs=5e-5)  # raw: 1.0255 and 1.1336


def test_the_table_of_the_page():
    """docs/compensators.md: each line is the loop of a few lines, for the six springs."""
    page = (Path(__file__).parents[2] / "docs" / "compensators.md").read_text(encoding="utf-8")
    block = page.split("<!-- restitution:")[1].split("<!-- end -->")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in block.splitlines()[3:]]
    suggested = METHODS["phase_lead"].suggest(build(docking(DIRECT, 1e4)))
    assert suggested == {key: value for key, value in SPLIT.items() if key != "name"}

    def passive(k):
        return damped(
            METHODS["normalized_passivity"].suggest(build(docking(DIRECT, k)))["gain_Ns_per_m"]
        )

    expected = {
        "`direct`": lambda k: plain_loop(k, leading(0.0)),
        '`phase_lead`, force alone, `pull = "never"`': EXPECTED["never"],
        "the same, free to pull in the cycle after a contact": lambda k: plain_loop(
            k, leading(0.022, rule="sketch")
        ),
        "`phase_lead`, force alone": EXPECTED["lead"],
        "`phase_lead`, as it suggests itself": EXPECTED["split"],
        "`smith_predictor`": EXPECTED["smith"],
        "`normalized_passivity`": lambda k: plain_loop(k, passive(k)),
        "`active_compliance`": EXPECTED["kalman"],
        "`time_domain_passivity`": EXPECTED["tdpa"],
    }
    assert [row[0] for row in rows] == list(expected)
    for row, loop in zip(rows, expected.values(), strict=True):
        found = [f"{loop(k) / SPEED:.4f}" for k in STIFFNESSES]
        assert row[1:] == found, row[0]


def test_the_boundaries_of_the_page():
    """docs/compensators.md: how stiff a contact the sampled loop bears without losses."""
    plain = Loop(MASS, 1e4, robots=(Robot(delay=LATE * T),), cycle=T)
    assert find_stretch(plain, "stiffness") is None
    for method, stiffness, limit in ((SMITH, 104.9e3, 0.884), (SPLIT, 138.8e3, 1.017)):
        point = loops_of(build(docking(method, 1e4)))[0].loop
        stretch = find_stretch(point, "stiffness")
        assert stretch is not None
        assert stretch[1] == pytest.approx(stiffness, rel=1e-3)
        assert math.sqrt(stretch[1] / MASS) * DELAY == pytest.approx(limit, abs=1e-3)
