"""`softdock identify LOG.csv --joint-stiffness ARM`: how an arm's joints give way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from softdock.cli.estimates_table import add_row, table_of
from softdock.cli.progress import echo, output, working


def identify_stiffness(
    log: Path, arm: str, point: tuple[float, float, float], as_json: bool
) -> None:
    """From a log of known loads and measured deflections."""
    with working("identifying"):
        from softdock.archive.stiffness_logs import arm_lines, stiffness_log
        from softdock.arms.sources import load_arm
        from softdock.identification.joint_stiffness import joint_stiffness

        machine = load_arm(arm)
        found = joint_stiffness(machine, stiffness_log(log, machine, point))
    if as_json:
        echo(json.dumps(found.to_dict(), indent=1, allow_nan=False) + "\n")
        return
    _show(found)
    output().print(arm_lines(found), markup=False, soft_wrap=True)


def _show(found: Any) -> None:

    table = table_of(f"Joints of {found.arm}, from {found.rows} loads")
    for name, one in found.stiffness.items():
        add_row(table, name, None if one is None else one.to_dict(), found.units[name])
    show = output()
    show.print(table)
    for name, why in found.cannot_tell.items():
        bound = found.at_least.get(name)
        more = "" if bound is None else f"; at least {bound:.3g} {found.units[name]}"
        show.print(f"cannot tell {name}: {why}{more}", markup=False, soft_wrap=True)
    left = f"{1e3 * found.scatter_m:.2g} mm"
    if found.scatter_rad is not None:
        left += f", {1e3 * found.scatter_rad:.2g} mrad"
    show.print(f"scatter that no stiffness explains: {left}", markup=False, soft_wrap=True)
