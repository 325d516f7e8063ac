"""Comparisons: what runs and what is refused, errors of knowledge, the order, the recommendation,
and a user's own file."""

from __future__ import annotations

import sys
import tomllib
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from scenarios import epos_wall, sphere_on_sphere

from softdock import BadInput, build, simulate
from softdock.cli.compile_ahead import tasks_of
from softdock.comparison import compare, load_method_file
from softdock.comparison.knowledge import ERRORS_PERCENT, beliefs, wrong_beliefs
from softdock.comparison.ranking import rank, recommend, worst_of
from softdock.comparison.settings import advised
from softdock.core.adaptation import direct
from softdock.core.adaptation.method import BY_TYPE
from softdock.core.adaptation.registry import KINDS, METHODS, Belief, Method, register
from softdock.core.machine import doors
from softdock.core.machine.compiled import SOURCES_NAME, compiled
from softdock.core.machine.parameters import Group, Parameter
from softdock.core.satellites import INTEGRATORS
from softdock.scenario.candidates import candidates, chains
from softdock.scenario.files import load_scenario
from softdock.stability.budget import total_delay
from softdock.stability.from_scenario import loops_of
from softdock.stability.impact_restitution import restitution_of_loop


class Told(NamedTuple):
    memory: int


class Pushing(NamedTuple):
    memory: int


TOLD = Group(
    "told",
    "Believes a delay and a stiffness, and does nothing with them.",
    Parameter(
        "delay", "delay_ms", "delay as believed", 20.0, unit="ms", low=0.0, high=24.0, scale=1e-3
    ),
    Parameter(
        "stiffness",
        "contact.stiffness_N_per_m",
        "stiffness as believed",
        unit="N/m",
        low=0.0,
        high=1e9,
    ),
)
NEEDS = (Belief("delay", "delay_ms"), Belief("stiffness", "contact.stiffness_N_per_m"))


def told(**changes: Any) -> Method:
    fields = {
        "needs": NEEDS,
        "suggest": lambda s: {
            "contact": {"stiffness_N_per_m": s.tables["contact"][0]["real"]["stiffness_N_per_m"]}
        },
    }
    return Method(
        name="told",
        summary="told much",
        knows="delay and stiffness",
        group=TOLD,
        marker=Told(0),
        prepare=direct.prepare,
        **(fields | changes),
    )


@pytest.fixture
def own_registry() -> Iterator[None]:
    """What a test registers is gone after it."""
    methods, types_ = dict(METHODS), dict(BY_TYPE)
    yield
    for now, before in ((METHODS, methods), (BY_TYPE, types_)):
        now.clear()
        now.update(before)


# What runs


def test_every_method_runs_with_every_integrator(own_registry):
    """A new method joins by its entry alone, with what it suggests for the scenario."""
    register(told())
    able, unable = candidates(build(epos_wall(stiffness=2500.0)))
    assert {(c.method, c.integrator) for c in able} == {
        (m, i.name) for m in METHODS for i in INTEGRATORS if not METHODS[m].is_plug_in
    }
    assert not unable
    entry = next(c for c in able if c.method == "told").entries[0]
    assert entry == {"name": "told", "delay_ms": 20.0, "contact": {"stiffness_N_per_m": 2500.0}}


def test_a_scenarios_own_settings_count(own_registry):
    """A scenario that lists a method says how it is set; a chain is compared as it stands, and each
    of it alone."""
    register(told())
    tables = epos_wall() | {
        "methods": [
            {"name": "direct"},
            {"name": "told", "delay_ms": 3.0, "contact": {"stiffness_N_per_m": 7.0}},
        ]
    }
    scenario = build(tables)
    assert chains(scenario)[0] == ("direct", "told")
    for candidate in candidates(scenario, ["told", "direct+told"], ["exact_hold"])[0]:
        assert candidate.entries[-1] == {
            "name": "told",
            "delay_ms": 3.0,
            "contact": {"stiffness_N_per_m": 7.0},
        }


def test_what_cannot_run_says_why(own_registry):
    """The method's own reason, a parameter that nobody gave, an entry that fails; once where no
    integrator helps."""
    scenario = build(epos_wall())
    register(
        told(
            refuses=lambda s: (
                "it needs a cone" if s.tables["satellites"]["integrator"] == "lie_rk4" else None
            )
        )
    )
    able, unable = candidates(scenario, "told")
    assert len(able) == len(INTEGRATORS) - 1
    assert [(r.method, r.integrator, r.reason) for r in unable] == [
        ("told", "lie_rk4", "it needs a cone")
    ]
    register(told(suggest=lambda s: {}))
    (one,) = candidates(scenario, "told")[1]
    assert one.integrator == "any"
    assert "must be told stiffness_N_per_m" in one.reason
    register(told(suggest=lambda s: s.tables["nothing"]))
    (one,) = candidates(scenario, "told")[1]
    assert "KeyError" in one.reason


def test_unknown_names_are_refused_all_at_once():
    """With a suggestion, methods and integrators together."""
    with pytest.raises(BadInput) as caught:
        candidates(build(epos_wall()), "dirct,other", "exact_hole")
    assert [(p.key, p.value, p.suggestion) for p in caught.value.problems] == [
        ("--integrators", "exact_hole", "exact_hold"),
        ("--methods", "dirct", "direct"),
        ("--methods", "other", ""),
    ]
    with pytest.raises(BadInput, match="once"):
        candidates(build(epos_wall()), "direct+direct")


def test_a_plug_in_stays_whatever_is_compared(own_registry):
    """A method that only adds a wrench of its own is part of the scenario, not a candidate; it
    comes after whatever is compared."""

    @compiled
    def push(method, mem, rig, satellites):
        return satellites

    group = Group("pushing", "Pushes.")
    register(
        Method(
            name="pushing",
            summary="pushes",
            knows="nothing",
            group=group,
            marker=Pushing(0),
            prepare=direct.prepare,
            external=push,
        )
    )
    scenario = build(epos_wall() | {"methods": [{"name": "pushing"}]})
    able, _ = candidates(scenario, "direct", "exact_hold")
    assert [(c.method, [m["name"] for m in c.scenario.tables["methods"]]) for c in able] == [
        ("direct", ["direct", "pushing"])
    ]


# Errors of knowledge


def test_every_registered_belief_is_one_of_its_keys():
    """An entry that names a key it does not have would be compared without errors."""
    for method in METHODS.values():
        for belief in method.needs:
            assert belief.kind in KINDS
            assert belief.key in {p.key for p in method.group}
    assert set(ERRORS_PERCENT) == {*KINDS, "wanted"}


def test_an_error_of_knowledge_changes_what_is_believed_and_nothing_else(own_registry):
    """One number of the parameter vector per belief, by just that much; the truth stays."""
    register(told())
    scenario = candidates(build(epos_wall()), "told", "exact_hold")[0][0].scenario
    wrongs = wrong_beliefs(scenario)
    assert [(w.kind, w.percent) for w in wrongs] == [
        (kind, p) for kind in ("delay", "stiffness") for p in (-30.0, -10.0, 10.0, 30.0)
    ]
    for wrong in wrongs:
        if (wrong.kind, wrong.percent) == ("delay", 30.0):
            assert wrong.scenario is None  # 26 ms, and the method takes 24 at most
            assert "24" in wrong.reason
            continue
        changed = np.flatnonzero(wrong.scenario.vector != scenario.vector)
        assert len(changed) == 1
        assert wrong.scenario.vector[changed[0]] == pytest.approx(
            scenario.vector[changed[0]] * (1.0 + wrong.percent / 100.0), rel=1e-12
        )


def test_the_tools_mass_is_believed_by_the_sensor():
    """Whatever the method, where the scenario compensates a mock-up; the mock-up itself keeps its
    mass."""
    tables = sphere_on_sphere(delay_ms=4.0) | {
        "mock_up": {"chaser": {"mass_kg": 4.0, "centre_m": [0.1, 0.0, 0.0]}}
    }
    scenario = build(tables)
    assert beliefs(scenario) == {"tool_mass": {"mock_up.chaser.believed.mass_kg": 4.0}}
    assert [
        w.believed["mock_up.chaser.believed.mass_kg"] for w in wrong_beliefs(scenario)
    ] == pytest.approx([3.96, 4.04])
    assert all(
        w.scenario.tables["mock_up"]["chaser"]["mass_kg"] == 4.0 for w in wrong_beliefs(scenario)
    )
    (row,) = compare(scenario, "direct", "exact_hold").ranked
    assert [e["error_percent"] for e in row["knowledge_errors"]] == [-1.0, 1.0]
    assert len({e["distance_from_orbit"] for e in [row, *row["knowledge_errors"]]}) == 3
    worst = max(row["knowledge_errors"], key=lambda e: e["distance_from_orbit_max"])
    assert row["worst"] in row["knowledge_errors"]
    assert row["worst"]["distance_from_orbit_max"] <= worst["distance_from_orbit_max"]


def test_nothing_believed_has_no_error(own_registry):
    """Ten percent of no delay is no delay."""
    register(told(suggest=lambda s: {"delay_ms": 0.0, "contact": {"stiffness_N_per_m": 0.0}}))
    assert wrong_beliefs(candidates(build(epos_wall()), "told", "exact_hold")[0][0].scenario) == []


# The comparison


def test_a_comparison_says_what_its_runs_say():
    """Rank, numbers and cost of the raw loop on EPOS 1-D: the less effective delay an integrator
    has, the nearer to orbit."""
    comparison = compare(epos_wall(), "direct", "all", phases=1)
    assert [r["integrator"] for r in comparison.ranked] == [
        "symplectic_euler",
        "exact_hold",
        "lie_rk4",
        "lie_midpoint",
        "forward_euler",
    ]
    for row in comparison.ranked:
        alone = simulate(epos_wall(integrator=row["integrator"])).metrics
        for key in (
            "status",
            "restitution",
            "energy_ratio",
            "energy_invented_J",
            "distance_from_orbit",
            "contact_count",
        ):
            assert row[key] == alone[key]
        assert 20.0 < row["cost_ns_per_cycle"] < 1e6
        assert row["cost_ratio_to_direct"] == 1.0
        assert row["knows"] == "nothing"
        assert row["worst"] is None
    assert comparison.results["orbit"]["restitution"] == alone["reference"]["restitution"]
    orbit, first = comparison.curves[:2]
    assert orbit.label == "orbit"
    assert first.label == comparison.ranked[0]["label"]
    assert first.energy_invented_J[-1] == pytest.approx(
        comparison.ranked[0]["energy_invented_J"], rel=1e-9
    )
    assert first.off_m[0] == 0.0


def test_every_method_is_measured_as_it_suggests_itself():
    """On EPOS 1-D: each row is the run of its own settings; what must be known gets its errors;
    remedies beat the raw loop, the observer is the raw loop."""
    comparison = compare(epos_wall(), integrators="exact_hold", phases=1)
    rows = {row["method"]: row for row in comparison.ranked}
    assert set(rows) == {name for name, method in METHODS.items() if not method.is_plug_in}
    assert not comparison.results["refused"]
    for name, row in rows.items():
        assert (
            row["distance_from_orbit"]
            == simulate(epos_wall() | {"methods": row["settings"]}).metrics["distance_from_orbit"]
        )
        told = {belief.kind for belief in METHODS[name].needs}
        assert {e["kind"] for e in row["knowledge_errors"]} == told | (
            {"wanted"} if name == "remapping" else set()
        )
    for remedy in ("hybrid", "adaptive_damping"):
        assert rows[remedy]["distance_from_orbit"] < 0.1 * rows["direct"]["distance_from_orbit"]
        assert rows[remedy]["worst"]["distance_from_orbit"] < rows["direct"]["distance_from_orbit"]
    assert rows["monitor"]["distance_from_orbit"] == rows["direct"]["distance_from_orbit"]


def test_phases_give_means():
    """The mean over two phases is that of the two runs."""
    (row,) = compare(epos_wall(), "direct", "exact_hold", phases=2).ranked
    alone = [simulate(epos_wall(phase=p)).metrics["distance_from_orbit"] for p in (0.0, 0.5)]
    assert row["distance_from_orbit"] == pytest.approx(np.mean(alone), rel=1e-9)
    assert (row["distance_from_orbit_min"], row["distance_from_orbit_max"]) == pytest.approx(
        (min(alone), max(alone)), rel=1e-9
    )


def test_a_run_that_stopped_ranks_last():
    """A hard stop by force makes no recommendation."""
    comparison = compare(
        epos_wall() | {"stop": {"force_N": 2.0}}, "direct", "exact_hold,forward_euler"
    )
    assert {r["status"] for r in comparison.ranked} == {"force limit"}
    assert "every run stopped early" in comparison.recommendation


def test_the_recommended_integrator_is_the_better_of_two():
    """One row a method by default, judged at eight phases, with the lines to paste and orbit's
    peak beside it."""
    comparison = compare(epos_wall(), "direct")
    (row,) = comparison.ranked
    assert row["integrator"] == "symplectic_euler"
    assert row["judgement"]["runs"] == 8
    assert row["judgement"]["word"] == "unsafe"
    assert row["distance_from_orbit_worst"] >= row["distance_from_orbit_max"]
    assert comparison.results["orbit"]["peak_force_N"] == pytest.approx(5.02, abs=0.01)
    pasted = tomllib.loads(comparison.results["paste"])
    assert pasted == {
        "satellites": {"integrator": "symplectic_euler"},
        "methods": [{"name": "direct"}],
    }


def test_methods_are_set_as_stability_advises():
    """Virtual damping that makes the sampled impact neutral, lag and integrator counted; the hold
    in the delay once, because the method adds half a cycle itself."""
    scenario = build(epos_wall())
    damping = advised("hybrid", scenario)["damping_Ns_per_m"][0]
    loop = loops_of(scenario)[0].loop
    assert restitution_of_loop(loop.changed(virtual_damping=damping)) == pytest.approx(1, abs=1e-3)
    lagging = scenario.with_keys({"robots.chaser.model": "lag", "robots.chaser.lag_Hz": 10.0})
    assert advised("hybrid", lagging)["damping_Ns_per_m"][0] > 1.2 * damping
    assert advised("adaptive_damping", scenario)["delay_ms"] == pytest.approx(
        1e3 * total_delay(loop) - 2.0
    )
    assert advised("direct", scenario) == {}


def test_a_wanted_contact_is_a_belief_too():
    """The re-mapping believes the wanted law, and a stiffness that stands only in the scenario's
    contact: both get errors, orbit keeps the truth."""
    scenario = candidates(build(epos_wall()), "remapping", "exact_hold")[0][0].scenario
    bare = scenario.with_keys({"methods": [{"name": "remapping"}]})
    for one in (scenario, bare):
        believed = beliefs(one)
        assert believed["stiffness"]["methods.0.stiffness_N_per_m"] == 1000.0
        assert believed["wanted"]["contact.0.wanted"]["stiffness_N_per_m"] == 1000.0
    wrong = [w for w in wrong_beliefs(bare) if w.kind == "wanted"]
    assert [w.scenario.tables["contact"][0]["wanted"]["stiffness_N_per_m"] for w in wrong] == [
        pytest.approx(900.0),
        pytest.approx(1100.0),
    ]


# The order and the recommendation


def row(
    method: str,
    distance: float | None,
    energy: float | None = 0.1,
    status: str = "completed",
    errors: tuple = (),
    knows: str = "nothing",
) -> dict:
    errors = [
        {
            "kind": k,
            "error_percent": p,
            "status": s,
            "distance_from_orbit": d,
            "energy_invented_J": 0.0,
        }
        for k, p, s, d in errors
    ]
    made = {
        "method": method,
        "integrator": "exact_hold",
        "status": status,
        "distance_from_orbit": distance,
        "energy_invented_J": energy,
    }
    return made | {
        "restitution": 1.01,
        "knows": knows,
        "knowledge_errors": errors,
        "worst": worst_of(made, errors),
    }


ORBIT = {"restitution": 1.0, "contact_count": 1}


def test_the_order():
    """Stopped runs last, then by distance, then by the size of the energy; what is equal to 1e-9
    stays as listed."""
    rows = [
        row("stopped", 0.0, status="diverged"),
        row("unknown", None),
        row("b", 0.02, -0.3),
        row("a", 0.01),
        row("c", 0.02, 0.2),
        row("a2", 0.01 + 1e-12),
    ]
    ranked = rank(rows)
    assert [r["method"] for r in ranked] == ["a", "a2", "c", "b", "unknown", "stopped"]
    assert [r["rank"] for r in ranked] == [1, 2, 3, 4, 5, 6]


def test_the_recommendation_in_words():
    """What to use, what it must know, what is left with that wrong; and what is safer."""
    errors = (
        ("delay", -30.0, "completed", 0.03),
        ("delay", 30.0, "completed", 0.04),
        ("delay", 10.0, "completed", 0.9),
        ("tool_mass", 1.0, "diverged", None),
    )
    best, safe = row("led", 0.001, errors=errors[:2], knows="the delay"), row("safe", 0.01)
    text = recommend(rank([best, safe]), ORBIT)
    assert text.startswith(
        "Use led with exact_hold: at worst it ends 0.1 % of the approach away from orbit "
        "(restitution "
        "1.0100, orbit 1.0000)"
    )
    assert "It must know the delay." in text
    assert "With the delay wrong by 30 % it still ends 4 % away." in text
    assert "safe with exact_hold is safer: never more than 1 % away" in text
    assert "the tool's mass wrong by 1 % it stops early: diverged" in recommend(
        rank([row("led", 0.001, errors=errors)]), ORBIT
    )
    assert recommend(rank([row("raw", 0.2)]), ORBIT).startswith(
        "Nothing here comes near orbit; raw with exact_hold comes nearest"
    )
    assert "every run stopped early" in recommend(rank([row("raw", 0.2, status="diverged")]), ORBIT)
    assert "nothing could run" in recommend([], ORBIT)
    assert "No distance from orbit" in recommend(rank([row("raw", None)]), ORBIT)


# A user's own file

GOOD = """
from typing import NamedTuple
from softdock.core.adaptation.registry import Belief, Method, register
from softdock.core.machine.compiled import compiled
from softdock.core.machine.parameters import Group, Parameter

print("hello")

class Mine(NamedTuple):
    memory: int

@compiled
def prepare(marker, vector, base, memory):
    return Mine(memory)

def method(**changes):
    given = {"name": "mine", "summary": "mine", "knows": "nothing", "prepare": prepare}
    given |= {"group": Group("mine", "Mine."), "marker": Mine(0)} | changes
    return Method(**given)

"""
BAD = {
    "syntax": ("x = (\n", r"bad.py:1: --method-file: given .SyntaxError"),
    "raises": ("x = 1\nraise RuntimeError('no luck')\n", r"bad.py:2: .*RuntimeError: no luck"),
    "leaves": ("import sys\nsys.exit(0)\n", r"bad.py:2: .*SystemExit"),
    "missing module": ("import nothing_of_this_name\n", r"bad.py:1: .*ModuleNotFoundError"),
    "no method": ("x = 1\n", "has no method"),
    "no Method": ("METHOD = 3\n", "METHOD: given 3"),
    "taken": (GOOD + "register(method(name='direct'))", "no other method has; taken: direct"),
    "taken, by METHOD": (
        GOOD + "METHOD = method(name='direct')",
        "no other method has; taken: direct",
    ),
    "a name with a comma": (GOOD + "METHOD = method(name='a,b')", "letters, digits"),
    "not compiled": (GOOD + "METHOD = method(wrench=lambda *a: a[-1])", "under @compiled"),
    "marker": (GOOD + "METHOD = method(marker=(1, 2))", "a field 'memory'"),
    "another's marker": (
        GOOD
        + "from softdock.core.adaptation.direct import Direct\nMETHOD = method(marker=Direct(0))",
        "a NamedTuple class of its own",
    ),
    "a marker like another's": (
        GOOD + "class Direct(NamedTuple):\n    memory: int\nMETHOD = method(marker=Direct(0))",
        "a NamedTuple class of its own.*already that of 'direct'; give it another name",
    ),
    "a variant's marker": (
        GOOD + "from softdock.core.adaptation.networks.nonlinear import NonlinearContact\n"
        "METHOD = method(marker=NonlinearContact(0, 0, 0, 0, 0.0, 0.0))",
        "a NamedTuple class of its own",
    ),
    "removes one": (
        GOOD + "from softdock.core.adaptation.registry import METHODS\n"
        "del METHODS['direct']\nMETHOD = method()",
        "register: given 'direct'; allowed: .*may not change or remove",
    ),
    "changes one's code": (
        GOOD + "from softdock.core.adaptation.direct import Direct\n"
        "from softdock.core.adaptation.method import BY_TYPE\n"
        "METHOD = method()\nBY_TYPE[Direct] = METHOD",
        "register: given 'direct'; allowed: .*may not change or remove",
    ),
    "a class of another's name": (
        GOOD + "class Direct: ...\nMETHOD = method(marker=Direct())",
        "a field 'memory'",
    ),
    "one marker twice": (
        GOOD + "METHOD = [method(), method(name='mine_too')]",
        "a NamedTuple class of its own",
    ),
    "one marker twice, registered": (
        GOOD + "register(method())\nregister(method(name='mine_too'))",
        r"bad.py:\d+: .*already that of 'mine'; give it another name",
    ),
    "needs": (
        GOOD + "METHOD = method(needs=(Belief('delay', 'delay_ms'),))",
        "key one of its parameters",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_method_file_that_is_no_good_is_refused(case, tmp_path, own_registry, capsys):
    """In words, with file and line; and the registry is as before."""
    source, message = BAD[case]
    file = tmp_path / "bad.py"
    file.write_text(source)
    methods, kinds = dict(METHODS), dict(BY_TYPE)
    with pytest.raises(BadInput, match=message):
        load_method_file(file)
    assert methods == METHODS
    assert kinds == BY_TYPE
    assert not [name for name in sys.modules if name.startswith("softdock_user_bad")]
    assert capsys.readouterr().out == ""  # what the file prints does not get into the results


@pytest.mark.parametrize("path", ["missing.py", "."])
def test_a_method_file_that_cannot_be_read_is_refused(path, tmp_path):
    """Missing, or a folder."""
    with pytest.raises(BadInput, match="--method-file"):
        load_method_file(tmp_path / path)


def test_a_method_file_is_loaded_once(tmp_path, own_registry):
    """By register or by METHOD, with modules beside it; loading the same file again changes
    nothing."""
    (tmp_path / "beside_mine.py").write_text("NAME = 'from_beside'\n")
    file = tmp_path / "my-method.v2.py"
    more = "class Second(NamedTuple):\n    memory: int\n"
    file.write_text(
        GOOD + more + "from beside_mine import NAME\nregister(method(name='registered'))\nMETHOD = "
        "[method(name=NAME, marker=Second(0))]\n"
    )
    assert load_method_file(file) == ["registered", "from_beside"]
    entry = METHODS["registered"]
    assert load_method_file(file) == ["registered", "from_beside"]
    assert METHODS["registered"] is entry


def test_the_hash_of_a_method_file_covers_what_it_imports(tmp_path, own_registry):
    """An edit of a module beside the file is never answered with old machine code."""
    hashes = []
    for value in ("1", "2"):
        folder = tmp_path / value
        folder.mkdir()
        (folder / f"constants_{value}.py").write_text(f"GAIN = {value}\n")
        (folder / "mine.py").write_text(
            GOOD + f"from constants_{value} import GAIN\nMETHOD = method(name='mine_{value}')\n"
        )
        load_method_file(folder / "mine.py")
        module = sys.modules[type(METHODS[f"mine_{value}"].marker).__module__]
        hashes.append(getattr(module, SOURCES_NAME))
    assert len(set(hashes)) == 2


def test_markers_have_names_of_their_own(tmp_path, own_registry):
    """Numba finds compiled code by a class's name and fields, not by the class: two methods with
    one name between them would run one code."""
    names = [type(method.marker).__name__ for method in METHODS.values()]
    assert len(set(names)) == len(names)
    for edit in ("first", "second"):
        (tmp_path / "mine.py").write_text(GOOD + f"METHOD = method(name='{edit}')\n")
        load_method_file(tmp_path / "mine.py")
    marks = [METHODS[edit].marker for edit in ("first", "second")]
    assert numba._dispatcher.compute_fingerprint(
        (marks[0],)
    ) != numba._dispatcher.compute_fingerprint((marks[1],))
    for mark in marks:
        assert getattr(sys.modules[type(mark).__module__], type(mark).__qualname__) is type(mark)


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="plain Python keeps no machine code")
def test_code_of_a_users_method_is_kept_apart(own_registry, monkeypatch):
    """In a folder named by the user's sources; not at all where these have no name; softdock's own
    where they always were."""
    cache, context = doors.run_cycles._cache, doors.run_cycles.targetctx

    def place(*markers: Any) -> Path | None:
        file = cache.path((numba.typeof(np.zeros(1)), numba.typeof(markers)), context)
        return None if file is None else file.parent

    assert place(direct.Direct(0)) == Path(cache.cache_path)
    assert place(Told(0)) is None
    assert place(direct.Direct(0), Told(0)) is None
    monkeypatch.setitem(sys.modules, "users_module", types.SimpleNamespace(**{SOURCES_NAME: "abc"}))
    monkeypatch.setattr(Pushing, "__module__", "users_module")
    assert place(direct.Direct(0), Pushing(0)) == Path(cache.cache_path) / "users" / "abc"


def test_the_longest_loop_is_not_left_to_the_end():
    """Two processes compile a comparison's loops: one would wait for the other. The lightest, whose
    parts all others link, comes before it, and beside that one the start of a run and orbit; no
    loop is compiled twice."""
    able, _ = candidates(load_scenario("epos_3d"), "all")
    names = [task.name for task in tasks_of(one.scenario for one in able)]
    loops = [name.removeprefix("the loop with ") for name in names if "loop" in name]
    assert loops[:2] == ["direct", "faithful"]
    assert names[1] == "the start of a run"
    assert names.index("orbit") < names.index("the loop with faithful")
    assert len(set(loops)) == len(loops) > 8
    assert tasks_of([]) == []
