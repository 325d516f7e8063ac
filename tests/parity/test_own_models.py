"""Models in plain Python: the same numbers as the compiled ones, the cost said before the start,
and refusals where only compiled code runs."""

from __future__ import annotations

from pathlib import Path

import numba
import numpy as np
import pytest

import softdock
from softdock import BadInput, load_scenario, run_loop, simulate
from softdock.loop import entry_points
from softdock.loop.method.method import BY_TYPE, METHODS
from softdock.methods import Wrench, Wrenches, dot, norm, scale, subtract
from softdock.results.simulation import SlowModels
from softdock.scenario.candidates import chains
from softdock.studies.campaign.columns import make_columns

EXAMPLES = Path(__file__).parents[2] / "examples"
pytestmark = [
    pytest.mark.filterwarnings("ignore::softdock.results.simulation.SlowModels"),
    pytest.mark.skipif(
        bool(numba.config.DISABLE_JIT), reason="nothing is compiled to compare with"
    ),
]
STIFFNESS, DAMPING = 1234.5, 7.3
SHORT = {"time.duration_s": 1.6, "verdict.settle_s": 0.2}


@pytest.fixture(autouse=True)
def _leave_no_methods():
    """Methods that a test lists are no other test's."""
    before = set(METHODS)
    yield
    for name in set(METHODS) - before:
        for cls in [cls for cls, method in BY_TYPE.items() if method.name == name]:
            del BY_TYPE[cls]
        del METHODS[name]


def wall(**more):
    law = {"law": "spring_damper", "stiffness_N_per_m": STIFFNESS, "damping_Ns_per_m": DAMPING}
    return load_scenario("epos_1d", {**SHORT, "contact.0.real": law, **more})


def largest_difference(a, b):
    """Of two runs' series, or two references'."""
    return max(float(np.nanmax(np.abs(a[name] - b[name]))) for name in a)


def test_a_law_of_ones_own_gives_the_numbers_of_the_built_in_one():
    """A spring and damper as a lambda: rig, reference and verdict as of the compiled law."""
    compiled = simulate(wall())
    own = simulate(
        load_scenario("epos_1d", SHORT), law=lambda depth, rate: STIFFNESS * depth + DAMPING * rate
    )
    assert largest_difference(compiled.series, own.series) <= 1e-12
    assert largest_difference(compiled.reference.series, own.reference.series) <= 1e-12
    assert own.verdict.word == compiled.verdict.word
    assert own.verdict.headline == compiled.verdict.headline
    assert own.contact_count >= 1


def test_a_nonlinear_law_of_ones_own_gives_the_numbers_of_the_built_in_one():
    """Hunt and Crossley's: also the stored energy, which is integrated from the force."""
    hertz = {"law": "hunt_crossley", "stiffness_N_per_m": 1e5, "lambda_s_per_m": 2.0}
    scenario = load_scenario("epos_1d", {**SHORT, "contact.0.real": {**hertz, "exponent": 1.5}})
    compiled = simulate(scenario)
    own = simulate(scenario, law=lambda depth, rate: 1e5 * depth**1.5 * (1.0 + 2.0 * rate))
    assert largest_difference(compiled.series, own.series) <= 1e-12
    # The reference chooses its own steps.
    assert largest_difference(compiled.reference.series, own.reference.series) <= 1e-10
    assert "analyses take its tangent" in own.scenario.notes[0]


class ForceLead:
    """The method of examples/force_lead.py without its decorator and its layout."""

    name = "own_force_lead"

    def __init__(self, stiffness, delay_s):
        self.damping = stiffness * delay_s
        self.calls = 0

    def wrench(self, rig, measured, satellites, wrenches):
        self.calls += 1
        force = wrenches.chaser.force
        size = norm(force)
        if size <= 0.0:
            return wrenches
        rate = dot(force, subtract(satellites.chaser.v, satellites.target.v)) / size
        factor = max(0.0, size - self.damping * rate) / size
        return Wrenches(
            *(Wrench(scale(factor, w.force), scale(factor, w.torque)) for w in wrenches)
        )


def test_a_method_of_ones_own_gives_the_numbers_of_the_compiled_one():
    """The example's method, compiled and as a small class, which keeps no state of another run."""
    softdock.load_method_file(EXAMPLES / "force_lead.py")
    scenario = load_scenario("epos_1d", SHORT)
    keys = {"stiffness_N_per_m": 1000.0, "delay_ms": 18.0}
    compiled = run_loop(scenario.with_method("force_lead", **keys))
    mine = ForceLead(1000.0, 0.018)
    own = run_loop(scenario, method=mine)
    assert largest_difference(compiled.series, own.series) <= 1e-12
    assert own.scenario.tables["methods"] == [{"name": "own_force_lead"}]
    assert mine.calls == 0  # a copy ran


def test_a_function_is_a_method_and_numpy_is_understood():
    """What it returns becomes the wrench on the satellites."""

    def half(rig, measured, satellites, wrenches):
        return [(0.5 * np.array(w.force), 0.5 * np.array(w.torque)) for w in wrenches]

    run = run_loop(load_scenario("epos_1d", SHORT), method=half)
    felt, measured = run.series["satellite.chaser.force"], run.series["measured.chaser.force"]
    assert np.abs(felt).max() > 1.0
    held = slice(1, None), slice(None, -1)  # acts from the next row on
    assert np.allclose(felt[held[0]], 0.5 * measured[held[1]], atol=1e-12) or np.allclose(
        felt, 0.5 * measured, atol=1e-12
    )


class Late:
    """A pure delay: the set-point as it arrives."""

    def follow(self, set_point, motion, t0, t1):
        return set_point(t1)


def test_robots_of_ones_own_give_the_numbers_of_the_built_in_delay():
    """Both robots as classes, on the preset with a delay of whole cycles and on one between."""
    for delay_ms in (16.0, 9.3):
        delays = {f"robots.{body}.delay_ms": delay_ms for body in ("chaser", "target")}
        scenario = load_scenario("epos_1d", {**SHORT, **delays})
        own = run_loop(scenario, robot={"chaser": Late(), "target": Late()})
        assert largest_difference(run_loop(scenario).series, own.series) <= 1e-12


def test_a_robot_may_look_back():
    """Half of the set-point and half of that 20 ms ago: its mock-up is 10 ms late."""

    def mean(set_point, motion, t0, t1):
        now, before = set_point(t1), set_point(t1 - 0.02)
        return now._replace(p=tuple(0.5 * (a + b) for a, b in zip(now.p, before.p, strict=True)))

    scenario = load_scenario("epos_1d", {**SHORT, "robots.chaser.delay_ms": 0.0})
    run = run_loop(scenario, robot=mean)
    before = (run.series["time"] > 0.05) & (run.series["time"] < 0.4)
    gap = run.series["mock_up.chaser.position.x"] - run.series["command.chaser.position.x"]
    assert np.allclose(gap[before], 0.02 * 0.01, atol=1e-9)


def test_the_cost_is_said_before_the_start():
    """Cycles and seconds, measured from the first cycles, as a warning at the caller's line."""
    with pytest.warns(SlowModels, match=r"400 cycles of about .* ms take about .* s") as caught:
        run_loop(load_scenario("epos_1d", SHORT), law=lambda depth, rate: 1e3 * depth)
    assert caught[0].filename == __file__


def test_one_sampling_phase_is_judged_unless_more_are_asked_for():
    """A rig's verdict takes eight runs, which take long in plain Python."""
    scenario = load_scenario("epos_1d", SHORT).with_models(law=lambda depth, rate: 1e3 * depth)
    assert scenario.tables["verdict"]["phases"] == 1
    assert scenario.replace({"verdict.phases": 3}).own == scenario.own


def test_compiled_code_refuses_them_with_the_reason():
    """Comparison, campaign, controller, run folder and every entry point that takes markers."""
    own = load_scenario("epos_1d", SHORT).with_models(method=ForceLead(1e3, 0.02))
    for call in (
        lambda: softdock.compare(own),
        lambda: make_columns(own, {"robots.chaser.delay_ms": [1.0, 2.0]}),
        lambda: softdock.Controller(own),
        lambda: softdock.SimulatedFacility(own),
        lambda: entry_points.run_cycles(
            own.vector,
            own.markers,
            np.zeros(9),
            np.zeros(9),
            np.zeros((0, 1)),
            np.zeros((1, 1)),
            0,
            1,
        ),
        lambda: softdock.build(own.tables),
    ):
        with pytest.raises(
            BadInput, match="compiled models: a law, robot or method in plain Python"
        ):
            call()


def test_a_comparison_of_another_scenario_does_not_list_them():
    """They belong to the scenario that was given them."""
    load_scenario("epos_1d", SHORT).with_models(method=ForceLead(1e3, 0.02))
    assert ("own_force_lead",) not in chains(load_scenario("epos_1d"))


def test_a_run_with_them_cannot_be_saved(tmp_path):
    """A scenario file holds no function, and one without it would be another scenario."""
    run = run_loop(load_scenario("epos_1d", SHORT), law=lambda depth, rate: 1e3 * depth)
    with pytest.raises(BadInput, match="models that a file can hold"):
        run.save(tmp_path / "run")
    with pytest.raises(BadInput, match="models that a file can hold"):
        run.save_mcap(tmp_path / "run.mcap")


@pytest.mark.parametrize(
    ("models", "words"),
    [
        ({"law": 3.0}, r"law: given 3\.0; allowed: a function \(depth \[m\], rate \[m/s\]\)"),
        ({"law": lambda depth: depth}, "takes 1 positional argument"),
        ({"law": lambda depth, rate: -depth}, "a force that grows with the depth"),
        ({"robot": Late}, "an object with it as `follow`"),
        ({"robot": {"third": Late()}}, "the keys chaser and target"),
        ({"robot": lambda set_point, motion, t0, t1: 3.0}, "what `lambda` must return"),
        ({"robot": lambda set_point, motion, t0, t1: set_point(t1 - 1.0)}, "0.25 s before t1"),
        ({"method": ForceLead}, r"an object: ForceLead\(\)"),
        ({"method": 3.0}, "some of wrench, external, correct, set_point"),
        (
            {"method": type("Hybrid", (), {"wrench": None, "__call__": print})()},
            "a name that no other",
        ),
    ],
)
def test_what_is_no_model_is_refused(models, words):
    """With the argument's name and what it must be."""
    with pytest.raises(BadInput, match=words):
        run_loop(load_scenario("epos_1d", SHORT), **models)


def test_a_law_stands_in_the_tables_as_its_tangent():
    """So that checks and analyses know how stiff it is; another stiffness would be a lie."""
    own = load_scenario("epos_1d", SHORT).with_models(law=lambda d, r: 500.0 * d + 2.0 * r)
    real = own.tables["contact"][0]["real"]
    assert (real["stiffness_N_per_m"], real["damping_Ns_per_m"]) == (500.0, 2.0)
    with pytest.raises(BadInput, match="the tangent of `lambda`"):
        own.replace({"contact.0.real.stiffness_N_per_m": 600.0})


def test_another_method_in_its_place_leaves_a_scenario_that_compiles():
    """The last model in plain Python is gone."""
    own = load_scenario("epos_1d", SHORT).with_models(method=ForceLead(1e3, 0.02))
    assert own.with_method("direct").own is None
