"""`softdock fmu`: the controller of a scenario as an FMI 3 FMU for co-simulation.

The FMU holds a Python script, the scenario and pythonfmu3; whoever runs it needs a Python with
softdock (docs/fmi.md).
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

from softdock._arguments import FLAG, PATH, check_arguments
from softdock.errors import BadInput, Problem
from softdock.files.atomic import refuse_unwritable, replacement_file
from softdock.results.stepper import SCENARIO
from softdock.rig.fmi.controller import SCENARIO_FILE
from softdock.scenario.build import Scenario
from softdock.scenario.files import to_toml
from softdock.scenario.method_sources import attached_methods
from softdock.scenario.own_models import refuse_own_models

INSTALL = "pip install 'softdock[fmi]'"
SCRIPT = '''\
"""The controller of a softdock scenario as an FMU. It needs a Python with softdock {version}."""

from pythonfmu3 import DefaultExperiment, Fmi3Causality, Fmi3Initial, Fmi3Slave, Float64
from pythonfmu3 import Fmi3Status, Fmi3StepResult, Fmi3Variability

from softdock.rig.fmi.controller import ScenarioController
from softdock.rig.fmi.names import COMMANDS, REPORTS


class SoftdockController(ScenarioController, Fmi3Slave):
    def __init__(self, **given):
        Fmi3Slave.__init__(self, **given)
        self.open(self.resources)
        self.description = {description!r}
        self.default_experiment = DefaultExperiment(0.0, {duration!r}, self.T)
        for one in REPORTS:
            self._add(one.name, f"{{one.meaning}} [{{one.unit}}]", Fmi3Causality.input)
        for one in COMMANDS:
            self._add(one.name, f"{{one.meaning}} [{{one.unit}}]", Fmi3Causality.output)
        self._add("status", self.describe_status(), Fmi3Causality.output)
        clock = Float64("time", causality=Fmi3Causality.independent, getter=lambda: 0.0,
                        variability=Fmi3Variability.continuous)
        self.register_variable(clock, nested=False)

    def _add(self, name, text, causality):
        output = causality == Fmi3Causality.output
        made = Float64(name, causality=causality, description=text, getter=float,
                       variability=Fmi3Variability.discrete,
                       initial=Fmi3Initial.calculated if output else None)
        self.register_variable(made, nested=False)

    def do_step(self, current_time, step_size):
        wrong = self.advance(current_time, step_size)
        if wrong:  # an exception here would bring the caller down
            self.log(wrong, Fmi3Status.error)
        return Fmi3StepResult(status=Fmi3Status.error if wrong else Fmi3Status.ok)
'''


def import_pythonfmu3() -> Any:
    """The package, or what to install."""
    try:
        import pythonfmu3
    except ImportError:
        raise BadInput(Problem("pythonfmu3", "not installed", INSTALL)) from None
    return pythonfmu3


@check_arguments(scenario=SCENARIO, path=PATH, force=FLAG)
def export_fmu(scenario: Scenario, path: str | Path, *, force: bool = False) -> Path:
    """Write a scenario's controller as an FMU. Refuses a file that exists, unless `force`."""
    from softdock._version import __version__

    pythonfmu3, target = import_pythonfmu3(), Path(path)
    refuse_own_models(scenario, "an FMU")
    own = sorted(attached_methods(scenario.tables))
    if own:
        raise BadInput(Problem("methods", own, "methods that ship with softdock, for an FMU"))
    if target.suffix != ".fmu":
        raise BadInput(Problem("FILE", str(path), "a file name that ends in .fmu"))
    if target.exists() and not force:
        raise BadInput(Problem("FILE", str(path), "a new file; --force writes over this one"))
    refuse_unwritable(target, "FILE")
    script = SCRIPT.format(
        version=__version__,
        description=f"softdock {__version__}: controller of the scenario {scenario.name}",
        duration=float(scenario.tables["time"]["duration_s"]),
    )
    with tempfile.TemporaryDirectory() as folder:
        source, kept = Path(folder) / "softdock_controller.py", Path(folder) / SCENARIO_FILE
        source.write_text(script)
        kept.write_text(to_toml(scenario.tables), encoding="utf-8")
        made = pythonfmu3.FmuBuilder.build_FMU(source, dest=folder, project_files=[kept])
        with replacement_file(target, "FILE") as part:
            shutil.copyfile(made, part)
    return target
