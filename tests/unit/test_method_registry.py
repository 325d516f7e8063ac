"""The list of methods: names and modules, imported when first asked for."""

from __future__ import annotations

import json
import subprocess
import sys

from softdock.methods.registry import AT_TOP, METHODS, MODULES, OBSERVER, SHOWN


def test_what_the_list_says_of_a_method_is_what_its_module_declares():
    """A name, a table at the top or a chart that the list leaves out would not be found."""
    declared = {name: METHODS[name] for name in MODULES}
    assert [method.name for method in declared.values()] == list(MODULES)
    assert {name for name, method in declared.items() if method.at_top} == set(AT_TOP)
    assert {name for name, method in declared.items() if method.shown} == set(SHOWN)
    assert next(name for name, method in declared.items() if method.observes) == OBSERVER


def test_a_run_imports_the_methods_it_uses_and_no_others():
    """Importing every method takes a tenth of a second in each run."""
    code = (
        "import json, sys, softdock\n"
        "softdock.load_scenario('epos_1d')\n"
        "print(json.dumps([m for m in sys.modules if m.startswith('softdock.methods.')]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    found = {name.split(".")[2] for name in json.loads(done.stdout)}
    assert "direct" in found
    assert not found & {"remapping", "model_mediated", "energy_ledger", "delay_passivity"}
