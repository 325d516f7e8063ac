"""Imported by the process that emulators are forked from (forked_emulators.py): what they import
and the code that they run is there."""

from __future__ import annotations

from softdock import load_scenario
from softdock.drivers.emulate import warm_up
from softdock.drivers.rig_emulation import emulation_of
from softdock.drivers.rig_file import load_rig
from softdock.drivers.rig_scenario import on_rig

warm_up(emulation_of(on_rig(load_rig("emulated_pair"), load_scenario("epos_1d"))))
