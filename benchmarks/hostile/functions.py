"""Every name of the API reference, called with wrong types and values.

A call is a right one with one argument replaced. It returns, where the value happens to be right,
or it raises an error of softdock's that names the argument or shows the value; within a second.
"""

from __future__ import annotations

import contextlib
import inspect
import math
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import softdock
from softdock.errors import SoftdockError
from softdock.loop.method.method import BY_TYPE
from softdock.methods.registry import METHODS
from softdock.studies.stability.time_limit import limit_time

sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))
from command_pages import ELSEWHERE

PATIENCE_S = 1.0  # of CPU: the machine may be busy
SCENARIO = {"time.duration_s": 0.3}
NO_RIG = ("127.0.0.1", 9)
WITHOUT_CALL = ("SoftdockError", "Facility")  # an error without arguments; what users implement
OF_FMI = ("FmuFacility", "export_fmu")  # need packages of softdock[fmi]
# where a right call would take minutes, or is tested elsewhere: what is said of another argument
STAND_IN = (
    "given 'no scenario'",
    "map: given 'b.toml'",
    "zero throughout",
    "takes too long",
    "no.txt",
)

FMU = """from pythonfmu3 import Fmi3Causality, Fmi3Slave, Float64

class Rig(Fmi3Slave):
    def __init__(self, **given):
        super().__init__(**given)
        self.force = 0.0
        name = "report.chaser_wrench.force.x"
        out = Fmi3Causality.output
        self.register_variable(Float64(name, causality=out, getter=lambda: self.force))

    def do_step(self, current_time, step_size):
        return True
"""  # a rig that nothing touches

WRONG: tuple[Callable[[np.random.Generator], Any], ...] = (
    *(lambda rng: math.nan, lambda rng: math.inf, lambda rng: -math.inf, lambda rng: -1),
    *(
        lambda rng: 1e308,
        lambda rng: 10**30,
        lambda rng: -(10**30),
        lambda rng: 0,
        lambda rng: True,
    ),
    *(lambda rng: "", lambda rng: "x" * 300, lambda rng: "a\0b", lambda rng: "/proc/x.toml"),
    *(lambda rng: b"bytes", lambda rng: None, lambda rng: [], lambda rng: {}, lambda rng: set()),
    *(lambda rng: object(), lambda rng: len, lambda rng: int, lambda rng: iter(())),
    *(lambda rng: [[1.0], [2.0, 3.0]], lambda rng: {1: 2}, lambda rng: {"a": object()}),
    *(lambda rng: np.zeros((2, 3)), lambda rng: np.array(["a"]), lambda rng: np.array(math.nan)),
    *(
        lambda rng: complex(1.0, 2.0),
        lambda rng: ["x", 3],
        lambda rng: "\ud800",
        lambda rng: 1e-320,
    ),
    *(lambda rng: float(rng.normal()), lambda rng: int(rng.integers(-100, 100))),
    *(lambda rng: rng.normal(size=int(rng.integers(0, 9))), lambda rng: str(rng.integers(10**9))),
)


class Subject:
    """What right calls are made of, once."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.count = folder, 0
        self.scenario = softdock.load_scenario("epos_1d", SCENARIO)
        self.run = softdock.simulate(self.scenario)
        self.run_folder, self.recording = folder / "run", folder / "a.mcap"
        self.run.save(self.run_folder)
        self.run.save_mcap(self.recording)
        tables = dict(softdock.load_scenario("vbar_docking").tables)
        del tables["methods"]
        guided = softdock.build(tables | {"guidance": {"controller": "piloted"}})
        self.pilot = softdock.Pilot(softdock.Stepper(guided))
        turns = np.random.default_rng(1).normal(size=(6, 4))
        self.attitudes = turns / np.linalg.norm(turns, axis=1, keepdims=True)
        # a rig that never answers: the port of the protocol "discard"
        self.silent_rig = softdock.UdpFacility(NO_RIG, start_s=0.01, silence_ms=1.0)

        self.fmu = self._build_fmu() if _has_fmi() else None

    def _build_fmu(self) -> Path:
        from pythonfmu3 import FmuBuilder

        script = self.folder / "rig_of_functions.py"
        script.write_text(FMU)
        return Path(FmuBuilder.build_FMU(script, dest=self.folder))

    def close(self) -> None:
        self.silent_rig.close()

    def new(self) -> Path:
        """A name that nothing has."""
        self.count += 1
        return self.folder / f"new-{self.count}"

    def right(self) -> dict[str, tuple[Callable[..., Any], dict[str, Any]]]:
        """Every name with what it is called by, and arguments that are right."""
        from softdock.loop.seam import COMMAND, REPORT

        s, run = self.scenario, self.run
        command, report = np.zeros(COMMAND.size), np.zeros(REPORT.size)
        tables = {"tables": dict(s.tables)}
        facility = softdock.SimulatedFacility(s)
        facility.start(command, report)
        stepper, controller = softdock.Stepper(s), softdock.Controller(s)
        parts, made = _fields(run), _fields(s)
        none = {"scenario": "no scenario"}
        udp, limits = self.silent_rig, dict(self.silent_rig.limits)
        seam: dict[str, Any] = {"k": 0, "command": command, "report": report}
        found: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
            "BadInput": (softdock.BadInput, {"problems": []}),
            "build": (softdock.build, {**tables, "folder": None}),
            "compare": (
                softdock.compare,
                {**none, "methods": "direct", "phases": 1},
            ),
            "Controller": (softdock.Controller, {"scenario": s, "rows": 3, "touch_N": 1.0}),
            "Controller.step": (controller.step, seam),
            "Controller.finish": (controller.finish, {"k": 0, "report": report}),
            "Controller.method_memory": (controller.method_memory, {"index": -1}),
            "drive": (softdock.drive, {"scenario": s, "facility": facility, "controller": None}),
            "run_loop": (softdock.run_loop, {"scenario": s, "progress": None}),
            "import_log": (softdock.import_log, {"log": "a.csv", "mapped": "b.toml"}),
            "judge": (softdock.judge, {"run": run, "reference": None}),
            "load_driver_file": (softdock.load_driver_file, {"path": "no.py"}),
            "load_method_file": (softdock.load_method_file, {"path": "no.py"}),
            "load_rig": (softdock.load_rig, {"source": "emulated_pair", "changes": ()}),
            "load_scenario": (softdock.load_scenario, {"source": "epos_1d", "changes": ()}),
            "open_recording": (softdock.open_recording, {"file": self.recording, "as_rig": False}),
            "open_run": (softdock.open_run, {"folder": self.run_folder}),
            "run_reference": (
                softdock.run_reference,
                {"scenario": s, "record": True, "coarser": 1.0},
            ),
            "Pilot": (softdock.Pilot, {"loop": stepper}),
            "Pilot.command": (self.pilot.command, {"force": [0, 0, 0], "torque": [0, 0, 0]}),
            "replay": (softdock.replay, {"recording": run, "method": "direct", "scenario": s}),
            "Run": (softdock.Run, parts),
            "Run.save": (run.save, {"folder": self.new(), "force": True}),
            "Run.save_mcap": (run.save_mcap, {"path": self.new(), "note": "", "force": True}),
            "Scenario": (softdock.Scenario, made),
            "Scenario.with_method": (s.with_method, {"name": "hybrid"}),
            "Scenario.with_models": (
                s.with_models,
                {"law": lambda depth, rate: 1e3 * depth, "robot": None, "method": None},
            ),
            "Scenario.replace": (s.replace, {"changes": {}}),
            "simulate": (softdock.simulate, {"scenario": s, "progress": None}),
            "simulate_phases": (softdock.simulate_phases, {"scenario": s, "count": 2}),
            "SimulatedFacility": (softdock.SimulatedFacility, {"scenario": s, "rows": 3}),
            "SimulatedFacility.start": (facility.start, {"command": command, "report": report}),
            "SimulatedFacility.exchange": (facility.exchange, seam),
            "SimulatedFacility.stop": (facility.stop, {"why": 0}),
            "Stepper": (softdock.Stepper, {"scenario": s, "rows": 3}),
            "Stepper.step": (stepper.step, {"cycles": 1}),
            "Stepper.method_memory": (stepper.method_memory, {"index": -1}),
            "UdpFacility": (
                _open_and_close,
                {"peer": NO_RIG, "bind": NO_RIG[0], "port": 0, **limits},
            ),
            "UdpFacility.start": (udp.start, {"command": command, "report": report}),
            "UdpFacility.exchange": (udp.exchange, seam),
            "UdpFacility.stop": (udp.stop, {"why": 0}),
        }
        return found | self._right_numbers() | self._right_fmi(command, report, seam)

    def _right_fmi(self, command: Any, report: Any, seam: Any) -> dict[str, Any]:
        """Of FMI, where its packages are installed."""
        if self.fmu is None:
            return {}
        rig = softdock.FmuFacility(self.fmu)
        rig.start(command, report)
        made = {"path": self.fmu, "names": {}, "wrench": "contact", "parameters": {}}
        wanted = {"path": self.folder / "no.txt", "force": False}
        return {
            "FmuFacility": (softdock.FmuFacility, made),
            "FmuFacility.start": (rig.start, {"command": command, "report": report}),
            "FmuFacility.exchange": (rig.exchange, seam),
            "FmuFacility.stop": (rig.stop, {"why": 0}),
            "export_fmu": (softdock.export_fmu, {"scenario": self.scenario, **wanted}),
        }

    def _right_numbers(self) -> dict[str, tuple[Callable[..., Any], dict[str, Any]]]:
        """Of stability, identification and campaigns."""
        from softdock.studies.campaign.plan import make_plan
        from softdock.studies.campaign.spec import load_spec
        from softdock.studies.identify.calibration import calibrate

        s, run, none = self.scenario, self.run, {"scenario": "no scenario"}
        down = np.tile([0.0, 0.0, -20.0], (6, 1))
        calibrated = calibrate(self.attitudes, _turned(self.attitudes, down), 0.0 * down)
        impact = {"mass": 60.0, "stiffness": 1000.0, "damping": 1.0}
        spec = load_spec("epos_monte_carlo")
        return {
            "critical_delay": (
                softdock.studies.stability.critical_delay,
                {**impact, "cycle": 0.004},
            ),
            "loops_of": (softdock.studies.stability.loops_of, {"scenario": s, "depth": 0.001}),
            "predicted_restitution": (
                softdock.studies.stability.predicted_restitution,
                {**impact, "delay": 0.01, "cycle": 0.004, "phase": 0.5, "phases": 2},
            ),
            "identify": (
                import_module("softdock.studies.identify").identify,
                {"run": run, "tool_only": False, "gravity": 9.81},
            ),
            "calibrate": (
                calibrate,
                {"attitudes": self.attitudes, "force": down, "torque": 0.0 * down, "least_N": 0.0},
            ),
            "warn_if_uncertain": (
                import_module("softdock.studies.identify.calibration").warn_if_uncertain,
                {"calibration": calibrated, "scenario": s, "body": "chaser"},
            ),
            "plan_poses": (
                import_module("softdock.studies.identify.pose_plan").plan_poses,
                {"count": 4, "most_deg": 60.0, "start": (1.0, 0.0, 0.0, 0.0), "readings": 10},
            ),
            "find_causes": (
                import_module("softdock.results.why").find_causes,
                {**none, "phases": 1},
            ),
            "load_plan": (
                import_module("softdock.studies.campaign.plan").load_plan,
                {"source": "epos_monte_carlo"},
            ),
            "make_plan": (make_plan, {"spec": spec, "base": None, "say": None}),
        }


def _fields(made: Any) -> dict[str, Any]:
    return {n: getattr(made, n) for n in inspect.signature(type(made)).parameters if n[0] != "_"}


def _open_and_close(**given: Any) -> None:
    softdock.UdpFacility(**given).close()


def _turned(attitudes: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    from softdock.loop.spatial.arrays import matrices

    return np.einsum("nji,nj->ni", matrices(attitudes), vectors)


def _has_fmi() -> bool:
    return all(find_spec(one) is not None for one in ("fmpy", "pythonfmu3"))


def names() -> Iterator[str]:
    """Every function, class and method of the API reference that takes arguments."""
    exported = [(name, getattr(softdock, name)) for name in softdock._EXPORTS]
    elsewhere = [
        (name, getattr(import_module(module), name))
        for module, listed in ELSEWHERE.items()
        for name in listed
    ]
    left_out = WITHOUT_CALL if _has_fmi() else (*WITHOUT_CALL, *OF_FMI)
    for name, thing in [*exported, *elsewhere]:
        if name in left_out:
            continue
        yield name
        for member, value in vars(thing).items() if inspect.isclass(thing) else ():
            takes = inspect.isfunction(value) and len(inspect.signature(value).parameters) > 1
            if takes and not member.startswith("_"):
                yield f"{name}.{member}"


def wrong_call(
    call: Callable[..., Any], right: dict[str, Any], rng: np.random.Generator
) -> tuple[str, Any, str]:
    """One call with one argument replaced: its name, its value, and what is wrong with it."""
    name = str(rng.choice(list(right)))
    value = WRONG[int(rng.integers(len(WRONG)))](rng)
    began = time.process_time()
    wrong = ""
    try:
        with limit_time(0.5 * PATIENCE_S), np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call(**{**right, name: value})
    except SoftdockError as error:
        said = str(error)
        shown = name.replace("__", ".")
        named = shown in said or str(value)[:20] in said or repr(value)[:20] in said
        if not named and not isinstance(value, dict) and not any(one in said for one in STAND_IN):
            wrong = f"does not name the argument: {said[:300]}"
    except BaseException as error:
        own = isinstance(error, TypeError | ValueError) and (value is len or value is int)
        wrong = "" if own else f"{type(error).__name__}: {str(error)[:300]}"
    spent = time.process_time() - began
    if spent > PATIENCE_S and not wrong:
        wrong = f"took {spent:.1f} s"
    return name, value, wrong


@contextlib.contextmanager
def _without_new_methods() -> Iterator[None]:
    """Methods in plain Python that a call lists are gone afterwards."""
    before = set(METHODS)
    try:
        yield
    finally:
        for name in set(METHODS) - before:
            for cls in [cls for cls, method in BY_TYPE.items() if method.name == name]:
                del BY_TYPE[cls]
            del METHODS[name]


@contextlib.contextmanager
def _quietly(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def wrong_calls(each: int, seed: int, only: str = "") -> dict[str, Any]:
    """So many calls of each name."""
    rng, failures, counts = np.random.default_rng(seed), [], {}
    with (
        tempfile.TemporaryDirectory() as made,
        _quietly(Path(made)),
        _without_new_methods(),
        contextlib.closing(Subject(Path(made))) as subject,
    ):
        right = subject.right()
        missing = sorted(set(names()) - set(right))
        for name in sorted(right):
            if only and name != only:
                continue
            call, arguments = right[name]
            with contextlib.suppress(SoftdockError):
                call(**arguments)  # what compiles, compiles now
            for i in range(each):
                argument, value, wrong = wrong_call(call, arguments, rng)
                counts[name] = counts.get(name, 0) + 1
                if wrong:
                    shown = f"{argument}={repr(value)[:80]}"
                    failures.append({"name": name, "call": i, "given": shown, "wrong": wrong})
    failures += [{"name": name, "wrong": "never called"} for name in missing]
    return {"count": sum(counts.values()), "names": len(counts), "seed": seed, "failures": failures}
