"""Imported by the process that emulators are forked from (forked_emulators.py): what they import
and the code that they run is there."""

from __future__ import annotations

from softdock import load_scenario
from softdock.rig.drivers.emulators import warm_up
from softdock.rig.emulated_rig import make_emulation
from softdock.rig.file import load_rig
from softdock.rig.scenario import put_on_rig

warm_up(make_emulation(put_on_rig(load_rig("emulated_pair"), load_scenario("epos_1d"))))
