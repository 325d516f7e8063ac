"""The live console of a run: states, ages, lost and late counts, energy against its budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from softdock.cli.progress import console

if TYPE_CHECKING:
    from softdock.drivers.rig_program import RigProgram

EVERY_S = 0.2  # between two refreshes of a terminal
LINES_S = 1.0  # between two lines where there is no terminal
BAR = 20  # characters
NO_SAFETY = (
    "softdock is no safety function: the robots' own limits and safety controller are the guard."
)


def bar(share: float) -> str:
    """How much of a budget is used."""
    full = max(0, min(BAR, round(share * BAR)))
    return "[" + "#" * full + "." * (BAR - full) + f"] {100.0 * share:.0f} %"


def lines_of(program: RigProgram, elapsed_s: float) -> list[str]:
    """What there is to say now."""
    from softdock.core.rig import layout
    from softdock.core.wire.links import STAMP_NS
    from softdock.drivers.rig_outcome import outcome_of
    from softdock.drivers.rig_program import NAMES

    now, seen, at = outcome_of(program), program.arrays.seen, layout.SEEN.at
    used = min(
        program.arrays.sensor_stand[NAMES.index(n), layout.SENSOR_STAND.at.used_ns]
        for n in program.sensors
    )
    tick = program.robots[program.on.rig.clock.master].arrays.whole[STAMP_NS]  # what counts then
    age = 1e-6 * (tick - used) if used else None
    first = f"{elapsed_s:6.1f} s  {now.state:<12}  cycle {now.cycles} of {now.cycles_planned}"
    lines = [first + (f"  {now.why}" if now.why else "")]
    for robot in now.robots:
        lines.append(
            f"  {robot.name:<7} telegrams {robot.telegrams}, lost {robot.lost}, late "
            f"{robot.late}, from its set-point {robot.largest_error_mm:.3f} mm at most"
        )
    force = f"{now.peak_force_N:.2f} N at most"
    lines.append(
        f"  force   {force}, age {'-' if age is None else f'{age:.2f} ms'}, in contact "
        f"{'-' if now.force_age_ms is None else f'{now.force_age_ms:.3f} ms'}, samples lost "
        f"{now.samples_lost}, held back {now.forces_held_back}"
    )
    bound = float(seen[at.kinetic_bound])
    if now.contacts and bound > 0.0:
        kinetic = float(seen[at.kinetic]) / bound
        lines.append(f"  energy  kinetic {bar(kinetic)} of {1e3 * bound:.3g} mJ")
        observed = max(0.0, float(seen[at.observed_contact])) / max(now.observed_bound_J, 1e-12)
        lines.append(f"          observed {bar(observed)} of {1e3 * now.observed_bound_J:.3g} mJ")
    return lines


class Live:
    """Called a few times a second. On a terminal one block that is redrawn; off it a line for each
    new state and, every second, one more."""

    def __init__(self, quiet: bool = False) -> None:
        self.quiet, self._state, self._last = quiet, "", -1e9
        self._block = None
        if console.is_terminal and not quiet:
            from rich.live import Live as Redrawn

            self._block = Redrawn(console=console, auto_refresh=False, transient=True)
            self._block.start()

    def __call__(self, program: RigProgram, elapsed_s: float) -> None:
        if self.quiet:
            return
        state = program.state
        changed = state != self._state
        if changed:
            self._state = state
            self.say(f"{elapsed_s:6.1f} s  {state}" + (f": {program.why}" if program.why else ""))
        if self._block is not None and (changed or elapsed_s - self._last >= EVERY_S):
            from rich.text import Text

            self._last = elapsed_s
            self._block.update(Text("\n".join(lines_of(program, elapsed_s))), refresh=True)
        elif self._block is None and elapsed_s - self._last >= LINES_S:
            self._last = elapsed_s
            for line in lines_of(program, elapsed_s):
                self.say(line)

    def say(self, text: str) -> None:
        if not self.quiet:
            console.print(text, markup=False, highlight=False, soft_wrap=True)

    def close(self) -> None:
        if self._block is not None:
            self._block.stop()
            self._block = None
