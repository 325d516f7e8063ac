"""A contact law, a robot model and a method of one's own in plain Python: functions or small
classes without a decorator.

    run = softdock.simulate(scenario, law=lambda depth, rate: 1e3 * depth + 5.0 * rate)

The loop and the reference then run uncompiled (compile/plain_python.py), with these in place of the
built-in ones; every other function is the one that is compiled. So numbers are the same as of a
compiled model of the same formula, and a cycle takes about a thousand times as long.

law     `law(depth, rate)`: m and m/s in, N out, for every contact pair, on the rig and on orbit. A
        negative force counts as zero.
robot   `robot(set_point, motion, t0, t1)`, or a class with that as its method `follow`: the
        `Motion` of the mock-up at t1 [s], from its `motion` at t0. `set_point(t)` is the `Motion`
        commanded for the time t, as it arrives after the scenario's delay; t at most t1, and not
        earlier than `LOOK_BACK_S` before it. For the chaser's robot, or a dict by body.
method  `method(rig, measured, satellites, wrenches)` -> `Wrenches`, or a class with some of the
        hooks `wrench`, `external`, `correct`, `set_point` (docs/your_own_method.md), without their
        arguments `method` and `mem`: state is kept in `self`. It replaces the scenario's methods.

An object is copied for every run, so that no run sees the state of another. What stands in
`softdock.methods` may be used within them.
"""

from __future__ import annotations

import copy
import math
import re
from collections import namedtuple
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numba.extending import typeof_impl

from softdock.compile.features import Every, Markers, Plain
from softdock.compile.plain_python import REPLACED, call_plain, get_source, running
from softdock.errors import BadInput, Problem
from softdock.loop.contact import laws
from softdock.loop.method.interface import Measured, Output, Rig, Satellites, Wrenches
from softdock.loop.method.method import METHODS, Method, register
from softdock.loop.parameters import Group
from softdock.loop.robots import models, prepare
from softdock.loop.robots.delay import delay_set_point
from softdock.loop.robots.keys import DELAY, MODELS, ROBOT
from softdock.loop.robots.memory import store_accelerations
from softdock.loop.spatial.motion import Motion, Wrench
from softdock.loop.spatial.rigid_body import Body
from softdock.loop.vector import CHASER_ROBOT_AT, TARGET_ROBOT_AT

LOOK_BACK_S = 0.25
ONLY_LATE = MODELS[DELAY]  # the model in whose place a robot of one's own stands
BODIES = {"chaser": CHASER_ROBOT_AT, "target": TARGET_ROBOT_AT}
WHY = (
    "compiled models: a law, robot or method in plain Python runs by softdock.simulate and "
    "softdock.run_loop alone (docs/your_own_method.md has the compiled form)"
)
UNSAVED = (
    "models that a file can hold: run.to_dataframe() and run.metrics have this run's numbers, and "
    "a method of a file (softdock.load_method_file) can be saved"
)


class PythonMarkers(Markers):
    """Markers of a scenario whose models are in plain Python: no compiled code takes them."""


@typeof_impl.register(PythonMarkers)
def _refuse_compiling(markers: PythonMarkers, context: Any) -> Any:
    raise BadInput(Problem("scenario", "models in plain Python", WHY))


# -- contact law --------------------------------------------------------------------------------

NEAR, SMALL = 2.0**-10, 2.0**-30  # m: 1 mm, 1 nm; m/s: 1 mm/s. Powers of two: division is exact
GAUSS = tuple(  # points between 0 and 1, and weights, which add up to 2
    (0.5 * (1.0 + float(x)), float(w))
    for x, w in zip(*np.polynomial.legendre.leggauss(16), strict=True)
)
DOUBLINGS, HALVINGS = 60, 6


class _Elastic(float):
    """The elastic part of a force, with the depth at which it is [m]."""

    depth: float


class Law:
    """A law as the loop and the reference ask for it. In: `force`, (depth, rate) -> N."""

    def __init__(self, force: Callable[[float, float], float]):
        self.force = force
        self.stiffness = self._slope(NEAR)  # N/m, its tangent at 1 mm
        self.damping = (self(NEAR, NEAR) - self(NEAR, 0.0)) / NEAR  # Ns/m
        self.linear = all(
            math.isclose(
                self(d, v), self.stiffness * d + self.damping * v, rel_tol=1e-12, abs_tol=1e-15
            )
            for d in (NEAR, 7.3e-3, 0.11)
            for v in (0.0, 1e-3, -0.04, 0.3)
        )
        if self.linear:
            self.stiffness, self.damping = self(NEAR, 0.0) / NEAR, self(0.0, NEAR) / NEAR
        self.graded = self._slope(SMALL) < 0.01 * self.stiffness

    def __call__(self, depth: float, rate: float) -> float:
        try:
            force = float(self.force(depth, rate))
        except (TypeError, ValueError) as error:
            allowed = f"a function (depth [m], rate [m/s]) -> force [N] ({error})"
            raise BadInput(Problem("law", self.force, allowed)) from error
        return force

    def _slope(self, depth: float) -> float:
        step = 0.125 * depth
        return (self(depth + step, 0.0) - self(depth - step, 0.0)) / (2.0 * step)

    def problem(self) -> str:
        """Why it can be no contact law."""
        if not (math.isfinite(self.stiffness) and math.isfinite(self.damping)):
            return "a law whose force at 1 mm is a finite number"
        if not self.stiffness > 0.0:
            return f"a force that grows with the depth (at 1 mm it has {self.stiffness:.3g} N/m)"
        return "" if self.damping >= 0.0 else "a force that does not fall as the depth grows faster"

    # what the choosers of loop/contact/laws.py are replaced by

    def elastic(self, vector: Any, law: Any, depth: float) -> float:
        return self._with_depth(self(depth, 0.0), depth)

    @staticmethod
    def _with_depth(force: float, depth: float) -> float:
        found = _Elastic(force)
        found.depth = depth
        return found

    def continued(self, vector: Any, law: Any, row: int, depth: float) -> float:
        """Odd about depth zero."""
        force = self(depth, 0.0) if depth >= 0.0 else -self(-depth, 0.0)
        return self._with_depth(force, depth)

    def damped(self, law: Any, elastic: Any, rate: float) -> float:
        d = elastic.depth
        if d >= 0.0:
            return self(d, rate)
        return float(elastic) + (self(-d, rate) - self(-d, 0.0))

    def stored(self, vector: Any, law: Any, depth: float) -> float:
        if self.linear:
            return 0.5 * self.stiffness * depth * depth
        # over the root of the share of the depth, so that half powers are polynomials
        return depth * sum(w * u * self(depth * u * u, 0.0) for u, w in GAUSS)

    def steepest(self, vector: Any, law: Any) -> float:
        return self.stiffness

    def pace(
        self,
        vector: Any,
        law: Any,
        steepest: float,
        depth: float,
        speed: float,
        mobility: float,
        outside: float,
    ) -> tuple[float, float]:
        """As of a spring with the slope at the deepest point that the touch may reach."""
        if self.linear or mobility == 0.0:
            return self.stiffness * mobility, self.damping * mobility
        deepest = self._deepest(max(depth, 0.0), speed, mobility, outside)
        force = self(deepest, 0.0)
        slope = max(self._slope(deepest), force / deepest)
        faster = max(speed, NEAR)
        return slope * mobility, abs(self(deepest, faster) - force) / faster * mobility

    def _deepest(self, depth: float, speed: float, mobility: float, outside: float) -> float:
        energy = self.stored(None, None, depth) + 0.5 * speed * speed / mobility
        high = max(depth, SMALL)
        for _ in range(DOUBLINGS):
            if self.stored(None, None, high) - outside * high > energy:
                break
            high *= 2.0
        low = 0.5 * high
        for _ in range(HALVINGS):  # to a hundredth of it
            middle = 0.5 * (low + high)
            is_deep = self.stored(None, None, middle) - outside * middle > energy
            low, high = (low, middle) if is_deep else (middle, high)
        return max(high, depth)

    def replacements(self) -> dict[Any, Callable[..., Any]]:
        return {
            laws.elastic_force: self.elastic,
            laws.continued_force: self.continued,
            laws.damped_force: self.damped,
            laws.stored_energy: self.stored,
            laws.steepest_slope: self.steepest,
            laws.pace: self.pace,
            laws.is_graded: lambda kind: self.graded,
        }


# -- robots -------------------------------------------------------------------------------------


def _floats(like: Any, value: Any, what: str, owner: Any) -> Any:
    """A NamedTuple of floats in the form of `like`, from what a user's function returned."""
    try:
        if hasattr(like, "_fields"):
            parts = zip(like, value, strict=True)
            return type(like)(*(_floats(one, other, what, owner) for one, other in parts))
        if isinstance(like, tuple):
            return tuple(float(other) for _, other in zip(like, value, strict=True))
    except (TypeError, ValueError):
        raise BadInput(Problem(what, value, f"what {describe_model(owner)} must return")) from None
    return float(value)


def _follow(robots: Mapping[int, Any], other: Any) -> Callable[..., Any]:
    """In place of the chooser of robot models; `other`: that chooser."""

    def follow(
        vector: Any, carrier: Any, robot: Any, mem: Any, motion: Any, t0: float, t1: float
    ) -> Any:
        mine = robots.get(int(carrier.follower.which))
        if mine is None:
            return get_source(other)(vector, carrier, robot, mem, motion, t0, t1)

        def set_point(t: float) -> Any:
            if not t1 - LOOK_BACK_S <= t <= t1 + 1e-9 * carrier.T:
                known = f"a time from {LOOK_BACK_S:g} s before t1 = {t1:.6g} s to t1"
                raise BadInput(Problem("set_point(t)", float(t), known))
            return delay_set_point(robot, carrier, mem, t)

        after = _floats(motion, mine(set_point, motion, t0, t1), "a Motion", mine)
        if carrier.heavy:
            store_accelerations(mem, carrier.state, t1 - t0, motion, after)
        return after

    return follow


def _prepare_unsteady(own: Mapping[int, Any]) -> Callable[..., Any]:
    """In place of `prepare_follower`: a robot of one's own is asked in every step."""
    source = get_source(prepare.prepare_follower)

    def prepare_follower(vector: Any, base: int, which: int, T: float, inertial: bool) -> Any:
        found = source(vector, base, which, T, inertial)
        return found._replace(steady=False, whole=False) if which in own else found

    return prepare_follower


# -- methods ------------------------------------------------------------------------------------

# hooks by name, with their arguments: those of a compiled method without `method` and `mem`
HOOKS: dict[str, tuple[str, ...]] = {
    "wrench": ("rig", "measured", "satellites", "wrenches"),
    "external": ("rig", "satellites"),
    "correct": ("rig", "measured", "before", "after", "output"),
    "set_point": ("rig", "satellites", "output"),
}
_ZERO = (0.0, 0.0, 0.0)
_WRENCHES = Wrenches(Wrench(_ZERO, _ZERO), Wrench(_ZERO, _ZERO))
_MOTION = Motion(_ZERO, (1.0, 0.0, 0.0, 0.0), _ZERO, _ZERO)
_OUTPUT = Output(_MOTION, _MOTION)
_BODY = Body(_ZERO, (1.0, 0.0, 0.0, 0.0), _ZERO, _ZERO)
_RETURNED: dict[str, Any] = {
    "wrench": _WRENCHES,
    "external": _WRENCHES,
    "correct": (Satellites(_BODY, _BODY), _OUTPUT),
    "set_point": _OUTPUT,
}
_CURRENT = "the method of this run"  # its place among what is replaced


def _make_hook(hook: str) -> Callable[..., Any]:
    like = _RETURNED[hook]

    def call(method: Any, mem: Any, *arguments: Any) -> Any:
        own = (REPLACED.get() or {})[_CURRENT]
        found = getattr(own, hook)(*arguments)
        if hook != "correct":
            return _floats(like, found, f"{hook}(...)", own)
        after, output = found
        return _floats(like[0], after, "correct(...)", own), _floats(
            like[1], output, "correct(...)", own
        )

    return call


class _Function:
    """A function as a method: its hook `wrench`."""

    def __init__(self, function: Callable[..., Any]):
        self.wrench = function


def name_model(own: Any) -> str:
    """By which a scenario lists a method."""
    given = getattr(own, "name", None) or getattr(own, "__name__", type(own).__name__)
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", str(given)).lower()
    return re.sub(r"[^a-z0-9_]+", "_", words).strip("_") or "own"


def _declare(name: str, own: Any) -> None:
    """List it, for a scenario to name it."""
    make: Any = namedtuple
    made = make(f"OwnMethod_{name}", "memory")
    group = Group(name, "A method in plain Python.")
    hooks: dict[str, Any] = {hook: _make_hook(hook) for hook in HOOKS if hasattr(own, hook)}
    register(
        OwnMethod(
            name=name,
            summary="a method in plain Python",
            knows="what its own code holds",
            group=group,
            marker=made(0),
            prepare=lambda marker, vector, base, memory: made(memory),
            refuses=lambda scenario: None if scenario.own is not None else f"it needs {WHY}",
            **hooks,
        )
    )


class OwnMethod(Method):
    """The declaration of a method in plain Python."""


def is_own_method(name: str) -> bool:
    """Whether a listed method is in plain Python."""
    return name in METHODS and isinstance(METHODS[name], OwnMethod)


# -- all of them --------------------------------------------------------------------------------


def describe_model(own: Any) -> str:
    """What a model is called in a sentence."""
    named = getattr(own, "__name__", None) or type(own).__name__
    return f"`{named.strip('<>')}`"


@dataclass(frozen=True)
class OwnModels:
    """The models in plain Python of a scenario."""

    law: Law | None = None
    robots: Mapping[str, Any] = field(default_factory=dict)  # by body
    method: Any = None
    method_name: str = ""

    def extend(self, law: Any, robot: Any, method: Any) -> OwnModels:
        """With these too, checked."""
        more: dict[str, Any] = {}
        if law is not None:
            more["law"] = _check_law(law)
        if robot is not None:
            more["robots"] = {**self.robots, **_check_robots(robot)}
        if method is not None:
            more["method"], more["method_name"] = _check_method(method)
        return replace(self, **more)

    def change(self, tables: dict[str, Any]) -> None:
        """What a scenario says of them: a law is its tangent, a robot a delay, a method its name;
        one sampling phase is judged."""
        if self.law is not None:
            for pair in tables["contact"]:
                pair["real"] = {
                    **{k: v for k, v in pair["real"].items() if k.startswith("friction")},
                    **self._tangent(),
                }
                pair.pop("wanted", None)
        of_models = {p.key for p in ROBOT if p.when is not None and p.when[0] == "model"}
        for body in self.robots:
            robot = {k: v for k, v in tables["robots"][body].items() if k not in of_models}
            tables["robots"][body] = {**robot, "model": ONLY_LATE}
        if self.method is not None:
            kept = [m for m in tables["methods"] if METHODS[m["name"]].is_plug_in]
            tables["methods"] = [*kept, {"name": self.method_name}]
        tables.setdefault("verdict", {})["phases"] = 1

    def refuse(self, tables: Mapping[str, Any]) -> list[Problem]:
        """What of a scenario does not go with them."""
        problems = []
        for i, pair in enumerate(tables["contact"]):
            if self.law is None:
                break
            if pair.get("device", {}).get("model", "rigid") != "rigid":
                allowed = '"rigid": a law in plain Python has no springs behind the tip'
                problems.append(
                    Problem(f"contact.{i}.device.model", pair["device"]["model"], allowed)
                )
            if pair["real"] | self._tangent() != pair["real"]:
                allowed = f"the tangent of {describe_model(self.law.force)}, which is the law"
                problems.append(Problem(f"contact.{i}.real", pair["real"], allowed))
        for body in self.robots:
            if tables["robots"][body]["model"] != ONLY_LATE:
                allowed = f'"{ONLY_LATE}": the robot is in plain Python'
                problems.append(
                    Problem(f"robots.{body}.model", tables["robots"][body]["model"], allowed)
                )
        return problems

    def _tangent(self) -> dict[str, Any]:
        """A law as a scenario has it."""
        assert self.law is not None
        return {
            "law": "spring_damper",
            "stiffness_N_per_m": self.law.stiffness,
            "damping_Ns_per_m": self.law.damping,
        }

    def keep_listed(self, tables: Mapping[str, Any]) -> OwnModels | None:
        """Those that a variant still has; None: none."""
        listed = [m.get("name") for m in tables.get("methods", ())]
        kept = self if self.method_name in listed else replace(self, method=None, method_name="")
        return kept if kept != OwnModels() else None

    def widen(self, vector: np.ndarray) -> np.ndarray:
        """A vector by which memory is laid out: with room to look back."""
        wide = vector.copy()
        for body in self.robots:
            wide[BODIES[body] + ROBOT.at.delay] += LOOK_BACK_S
        return wide

    def mark(self, markers: Markers) -> PythonMarkers:
        """With the features that its loop needs."""
        features = markers.features
        if self.robots and isinstance(features, Plain):
            features = Every(0)
        return PythonMarkers(features, markers.methods)

    def describe(self) -> list[str]:
        """What is said of them in a run."""
        said = []
        if self.law is not None:
            form = (
                "is linear"
                if self.law.linear
                else "is nonlinear: analyses take its tangent at 1 mm"
            )
            said.append(
                f"The contact law {describe_model(self.law.force)} in plain Python {form}, "
                f"{self.law.stiffness:.4g} N/m and {self.law.damping:.4g} Ns/m."
            )
        for body, robot in self.robots.items():
            said.append(
                f"The {body}'s robot is {describe_model(robot)} in plain Python; analyses take its "
                "delay alone."
            )
        return said

    def start(self) -> Started:
        """For one run: with copies of their own."""
        replaced: dict[Any, Any] = {} if self.law is None else self.law.replacements()
        if self.robots:
            which = {i: self.robots[b] for i, b in enumerate(BODIES) if b in self.robots}
            robots = {i: _bind(robot) for i, robot in copy.deepcopy(which).items()}
            replaced[prepare.prepare_follower] = _prepare_unsteady(robots)
            for chooser in (models.follow_set_points, models.follow_with_arms):
                replaced[chooser] = _follow(robots, chooser)
        if self.method is not None:
            replaced[_CURRENT] = copy.deepcopy(self.method)
        return Started(replaced)


class Started:
    """Models of one run: calls entry points with them."""

    def __init__(self, replaced: Mapping[Any, Any]):
        self._replaced = replaced

    def call(self, entry_point: Any, *args: Any, **keywords: Any) -> Any:
        with running(self._replaced):
            return call_plain(entry_point, *args, **keywords)


def _bind(robot: Any) -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(robot, "follow", robot)
    return found


def _check_law(given: Any) -> Law:
    if not callable(given):
        raise BadInput(Problem("law", given, "a function (depth [m], rate [m/s]) -> force [N]"))
    if get_source(laws.elastic_force) is laws.elastic_force:
        raise BadInput(Problem("law", given, "none with NUMBA_DISABLE_JIT: unset it"))
    law = Law(given)
    if law.problem():
        raise BadInput(Problem("law", given, law.problem()))
    return law


def _check_robots(given: Any) -> dict[str, Any]:
    robots = given if isinstance(given, Mapping) else {"chaser": given}
    for body, robot in robots.items():
        if body not in BODIES:
            raise BadInput(Problem("robot", body, "a dict with the keys chaser and target"))
        if not callable(_bind(robot)) or isinstance(robot, type):
            allowed = (
                "a function (set_point, motion, t0, t1) -> Motion, or an object with it as `follow`"
            )
            raise BadInput(Problem(f"robot of the {body}", robot, allowed))
        if get_source(laws.elastic_force) is laws.elastic_force:
            raise BadInput(Problem("robot", robot, "none with NUMBA_DISABLE_JIT: unset it"))
    return dict(robots)


def _check_method(given: Any) -> tuple[Any, str]:
    if isinstance(given, type):
        raise BadInput(Problem("method", given, f"an object: {given.__name__}()"))
    name = name_model(given)
    own = given
    if not any(callable(getattr(given, hook, None)) for hook in HOOKS):
        if not callable(given):
            allowed = f"a function, or an object with some of {', '.join(HOOKS)}"
            raise BadInput(Problem("method", given, allowed))
        own = _Function(given)
    if name in METHODS and not is_own_method(name):
        raise BadInput(Problem("method", name, "a name that no other method has (`name = ...`)"))
    _declare(name, own)
    return own, name


def check_own_models(own: OwnModels | None, tables: Mapping[str, Any]) -> list[Problem]:
    """What of a scenario's tables does not go with its models in plain Python, or without them."""
    problems = [] if own is None else own.refuse(tables)
    mine = "" if own is None else own.method_name
    for i, method in enumerate(tables["methods"]):
        if is_own_method(method["name"]) and method["name"] != mine:
            problems.append(Problem(f"methods.{i}.name", method["name"], WHY))
    return problems


def refuse_own_models(scenario: Any, what: str, allowed: str = WHY) -> None:
    """Raise `BadInput` where a scenario has models in plain Python, which `what` cannot have."""
    if getattr(scenario, "own", None) is not None:
        raise BadInput(Problem(f"scenario of {what}", "models in plain Python", allowed))


__all__ = [
    "HOOKS",
    "LOOK_BACK_S",
    "Measured",
    "OwnModels",
    "Rig",
    "Started",
    "is_own_method",
    "refuse_own_models",
]
