"""FMI by FMPy: the exported controller against the plain one, and FMUs of other makers' code as the
rig."""

from __future__ import annotations

import importlib
import json
import shutil
import sys
import time

import numpy as np
import pytest
from click.testing import CliRunner
from oracle import need
from udp_rigs import LATE, STIFFNESS, LateRobot

import softdock
from softdock.cli.main import cli
from softdock.errors import BadInput
from softdock.loop.seam import COMMAND, REPORT, new_report

pytestmark = pytest.mark.oracle
LONGER = {"time.duration_s": 4.0}  # 1000 cycles
RIG = '''
from pythonfmu{three} import Fmi{n}Causality as Causality, Fmi{n}Slave, {real} as Real
from pythonfmu{three} import Fmi{n}Variability as Variability

class Rig(Fmi{n}Slave):
    """A robot that is {late} cycles late in front of a spring wall."""

    def __init__(self, **given):
        super().__init__(**given)
        self.x_set = self.x = self.F = 0.0
        self.k, self.stiffness, self.speed, self.kept = 0, 0.0, -0.02, []
        self.register_variable(Real("x_set", causality=Causality.input))
        self.register_variable(Real("x", causality=Causality.output))
        self.register_variable(Real("F", causality=Causality.output))
        kind = {{"causality": Causality.parameter, "variability": Variability.tunable}}
        self.register_variable(Real("stiffness", **kind))

    def exit_initialization_mode(self):
        self.kept = [self.x_set]
        self.report()

    def report(self):
        j = self.k - {late}
        self.x = self.kept[j] if j >= 0 else self.kept[0] + self.speed * (j * 0.004)
        self.F = -self.stiffness * self.x if self.x < 0.0 else 0.0

    def do_step(self, current_time, step_size):
        self.kept.append(self.x_set)
        self.k += 1
        self.report()
        if self.k == {breaks}:
            self.x = float("nan")
        return True
'''
NAMES = {
    "x_set": "command.chaser.p.x",
    "x": "report.chaser.p.x",
    "F": "report.chaser_wrench.force.x",
}


def build_rig(folder, version, breaks=0):
    """The rig as an FMU of FMI 2 or 3."""
    three, real = ("3", "Float64") if version == 3 else ("", "Real")
    need("fmpy", f"pythonfmu{three}")
    builder = importlib.import_module(f"pythonfmu{three}").FmuBuilder
    words = {"three": three, "real": real, "n": version}
    folder.mkdir()
    script = folder / f"rig_{version}_{breaks}.py"  # a module's name counts once in a process
    script.write_text(RIG.format(late=LATE, breaks=breaks, **words))
    made = folder / "made"
    built = builder.build_FMU(script, dest=made)
    return shutil.move(built or made / "Rig.fmu", folder / "rig.fmu")


def test_the_exported_controller_is_the_plain_one(tmp_path):
    """FMPy has nothing to say against it; 1000 cycles against a simulated rig are those of the
    plain controller to the bit; a step of another length is refused."""
    need("fmpy", "pythonfmu3")
    import fmpy
    from fmpy.fmi3 import FMU3Slave
    from fmpy.validation import validate_fmu

    file = tmp_path / "docking.fmu"
    words = ["fmu", "epos_1d", str(file), "--set", "time.duration_s=4"]
    told = CliRunner().invoke(cli, words)
    assert told.exit_code == 0, told.output
    assert CliRunner().invoke(cli, words).exit_code == 2  # it is there
    assert validate_fmu(str(file)) == []
    scenario = softdock.load_scenario("epos_1d", LONGER)
    plain, rig = softdock.Controller(scenario), softdock.SimulatedFacility(scenario)
    command, report = plain.first_command(), new_report()
    described, folder = fmpy.read_model_description(str(file)), fmpy.extract(str(file))
    kinds = ("input", "output")
    inputs, outputs = (
        [v.valueReference for v in described.modelVariables if v.causality == one] for one in kinds
    )
    assert (len(inputs), len(outputs)) == (REPORT.size, COMMAND.size + 1)
    fmu = FMU3Slave(
        guid=described.guid,
        unzipDirectory=folder,
        modelIdentifier=described.coSimulation.modelIdentifier,
        instanceName="one",
    )
    fmu.instantiate()
    fmu.enterInitializationMode()
    fmu.exitInitializationMode()
    assert fmu.getFloat64(outputs) == [*command.tolist(), 0.0]
    rig.start(command, report)
    took = []
    for k in range(1000):
        begun = time.perf_counter()
        fmu.setFloat64(inputs, report.tolist())
        fmu.doStep(0.004 * k, 0.004)
        found = fmu.getFloat64(outputs)
        took.append(time.perf_counter() - begun)
        assert plain.step(k, report, command) == 0
        assert found == [*command.tolist(), 0.0], k
        rig.exchange(k, command, report)
    median_us, p99_us = 1e6 * np.percentile(took, [50, 99])
    print(f"a step: {median_us:.0f} us in the median, {p99_us:.0f} us in 99 %")  # pytest -s
    with pytest.raises(fmpy.fmi1.FMICallException):
        fmu.doStep(4.0, 0.002)
    fmu.terminate()
    fmu.freeInstance()
    shutil.rmtree(folder)


@pytest.mark.parametrize("version", [2, 3])
def test_an_fmu_as_the_rig(tmp_path, version):
    """The same rig as an FMU and in plain Python: the same docking to the bit, twice; a number that
    is none ends the run, and is named."""
    scenario = softdock.load_scenario("epos_1d")
    plain = softdock.drive(scenario, LateRobot())
    parameters = {"stiffness": STIFFNESS}
    rig = softdock.FmuFacility(build_rig(tmp_path / "a", version), NAMES, parameters=parameters)
    for _ in range(2):
        run = softdock.drive(scenario, rig)
        assert run.status == "completed", rig.reason
        assert np.array_equal(run.series.rows, plain.series.rows, equal_nan=True)
    broken = build_rig(tmp_path / "b", version, breaks=100)
    rig = softdock.FmuFacility(broken, NAMES, parameters=parameters)
    run = softdock.drive(scenario, rig)
    assert run.status == "stopped by the facility"
    assert rig.reason == "the FMU gave nan for report.chaser.p.x at 0.4 s"


def test_what_is_refused(tmp_path, monkeypatch):
    """Names that the FMU or the seam has not, an input for an output, no force; a file that is no
    FMU; missing packages."""
    file = build_rig(tmp_path / "a", 3)
    for names, says in (
        (NAMES | {"x_sett": "command.chaser.p.x"}, "did you mean 'x_set'"),
        (NAMES | {"x": "report.chaser.px"}, "did you mean 'report.chaser.p.x'"),
        (NAMES | {"x": "command.chaser.p.x"}, "an input of the FMU"),
        ({"x": "report.chaser.p.x"}, "report.chaser_wrench.force.x"),
    ):
        with pytest.raises(BadInput) as caught:
            softdock.FmuFacility(file, names)
        assert says in str(caught.value)
    (tmp_path / "none.fmu").write_text(json.dumps({}))
    with pytest.raises(BadInput, match="an FMU"):
        softdock.FmuFacility(tmp_path / "none.fmu", NAMES)
    scenario = softdock.load_scenario("epos_1d")
    with pytest.raises(BadInput, match=r"ends in \.fmu"):
        softdock.export_fmu(scenario, tmp_path / "x.zip")
    for name in ("fmpy", "pythonfmu3"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(BadInput, match=r"softdock\[fmi\]"):
        softdock.FmuFacility(file, NAMES)
    with pytest.raises(BadInput, match=r"softdock\[fmi\]"):
        softdock.export_fmu(scenario, tmp_path / "x.fmu")
