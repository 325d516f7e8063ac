"""A run of a rig on a terminal: the live console (states, ages, lost and late counts, energy
against its budget), and what a series of runs came to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from softdock.cli.progress import console, output
from softdock.results.quantities import format_quantity

if TYPE_CHECKING:
    from rich.console import Group

    from softdock.rig.outcome import RigOutcome
    from softdock.rig.program import RigProgram
    from softdock.rig.runs import RigRun, RigSeries
    from softdock.rig.scenario import OnRig

EVERY_S = 0.2  # between two refreshes of a terminal
LINES_S = 5.0  # between two lines where there is no terminal
BAR = 20  # characters
NEAR = 0.8  # of a limit: yellow from here on
NO_SAFETY = (
    "softdock is no safety function: the robots' own limits and safety controller are the guard."
)


class Reading(NamedTuple):
    """What the console shows of a running rig."""

    outcome: RigOutcome
    age_ms: float | None  # of the force that is in use
    energies: tuple[tuple[str, float, float], ...]  # name, J, limit in J


def read_program(program: RigProgram) -> Reading:
    """The numbers of this instant."""
    from softdock.rig.outcome import compute_outcome
    from softdock.rig.program import NAMES
    from softdock.rig.supervisor import layout
    from softdock.rig.wire.links import STAMP_NS

    now, values, at = compute_outcome(program), program.arrays.values, layout.VALUE
    used = min(
        program.arrays.sensor_counts[NAMES.index(n), layout.SENSOR_COUNT.used_ns]
        for n in program.sensors
    )
    tick = program.robots[program.on.rig.clock.master].arrays.whole[STAMP_NS]  # what counts then
    age = 1e-6 * (tick - used) if used else None
    bound = float(values[at.kinetic_bound])
    energies: tuple[tuple[str, float, float], ...] = ()
    if now.contacts and bound > 0.0:
        observed = max(0.0, float(values[at.observed_contact]))
        energies = (
            ("kinetic energy", float(values[at.kinetic]), bound),
            ("observed energy of this contact", observed, float(now.observed_bound_J)),
        )
    return Reading(now, age, energies)


def make_dashboard(reading: Reading, elapsed_s: float) -> Group:
    """State, progress, robots, force and energy as one block of a terminal."""
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    now = reading.outcome
    head = Table.grid(padding=(0, 2))
    bar = ProgressBar(total=max(now.cycles_planned, 1), completed=now.cycles, width=BAR)
    head.add_row(
        Text(f"{elapsed_s:.1f} s", style="bold"),
        Text(now.state, style="bold cyan"),
        bar,
        f"cycle {now.cycles} of {now.cycles_planned}",
        Text(now.why, style="yellow"),
    )
    robots = Table(box=None, pad_edge=False, header_style="dim")
    robots.add_column("robot")
    for heading in ("telegrams", "lost", "late", "largest error"):
        robots.add_column(heading, justify="right")
    for one in now.robots:
        faults = (Text(str(count), style="red" if count else "") for count in (one.lost, one.late))
        error = format_quantity(1e-3 * one.largest_error_mm, "m")
        robots.add_row(one.name, str(one.telegrams), *faults, error)
    rest = Table.grid(padding=(0, 2))
    rest.add_row("peak force", format_quantity(now.peak_force_N, "N"), _describe_force(reading))
    for name, energy, bound in reading.energies:
        share = energy / max(bound, 1e-12)
        style = "red" if share > 1.0 else "yellow" if share > NEAR else "green"
        used = ProgressBar(total=1.0, completed=min(share, 1.0), width=BAR, complete_style=style)
        value = f"{format_quantity(energy, 'J')} of {format_quantity(bound, 'J')}"
        rest.add_row(name, value, used)
    return Group(head, robots, rest)


def _describe_force(reading: Reading) -> str:
    now = reading.outcome
    age = "-" if reading.age_ms is None else f"{reading.age_ms:.1f} ms"
    touch = "" if now.force_age_ms is None else f", {now.force_age_ms:.2f} ms in contact"
    lost = f", {now.samples_lost} samples lost" if now.samples_lost else ""
    held = f", {now.forces_held_back} held back" if now.forces_held_back else ""
    return f"age {age}{touch}{lost}{held}"


def format_line(reading: Reading, elapsed_s: float) -> str:
    """The same in one line, for a file."""
    now = reading.outcome
    parts = [
        f"{elapsed_s:6.1f} s  {now.state}",
        f"cycle {now.cycles} of {now.cycles_planned}",
        *(f"{one.name}: {one.lost} lost, {one.late} late" for one in now.robots),
        f"peak force {format_quantity(now.peak_force_N, 'N')}, {_describe_force(reading)}",
        *(
            f"{name} {format_quantity(energy, 'J')} of {format_quantity(bound, 'J')}"
            for name, energy, bound in reading.energies
        ),
        *([now.why] if now.why else []),
    ]
    return "; ".join(parts)


class Live:
    """Called a few times a second. On a terminal one dashboard that is redrawn; off it a line for
    each new state and one every LINES_S."""

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
        self._state = state
        if self._block is not None:
            if changed or elapsed_s - self._last >= EVERY_S:
                self._last = elapsed_s
                shown = make_dashboard(read_program(program), elapsed_s)
                self._block.update(shown, refresh=True)
            return
        if changed:
            self.say(f"{elapsed_s:6.1f} s  {state}" + (f": {program.why}" if program.why else ""))
        if elapsed_s - self._last >= LINES_S:
            self._last = elapsed_s
            self.say(format_line(read_program(program), elapsed_s))

    def say(self, text: str) -> None:
        if not self.quiet:
            console.print(text, markup=False, highlight=False, soft_wrap=True)

    def close(self) -> None:
        if self._block is not None:
            self._block.stop()
            self._block = None


# What a series of runs on a rig came to, for a person and as JSON; all of it from these runs.

NOT_TAKEN = {  # datagrams, in words
    "other_address": "from other addresses than the stated one",
    "other_port": "from another port of the robot's address, by a second sender",
    "malformed": "malformed",
    "not_believed": "with a count that does not go on from the others",
    "faulty": "with an error or saturation in their status",
}


def describe_granted(granted: Any) -> str:
    """What the machine gave of real time."""
    fifo = f"SCHED_FIFO {granted.fifo}" if granted.fifo else "no real-time priority"
    locked = "memory locked" if granted.locked else "memory not locked"
    return f"granted: {fifo}, {locked}" + "".join(f"; refused: {r}" for r in granted.refusals)


def judge_recordings(series: RigSeries) -> list[dict[str, Any] | None]:
    """The verdict of each run's recording, and its page beside it; None where nothing was recorded
    that can be read."""
    from softdock.errors import SoftdockError
    from softdock.output.folders.sources import open_recording

    found: list[dict[str, Any] | None] = []
    for done in series.runs:
        found.append(None)
        if done.recording is None:
            continue
        try:
            recording = open_recording(done.recording, as_rig=True)
            found[-1] = recording.judge(str(done.recording))  # type: ignore[union-attr]
            recording.save_page(locate_page(done.recording))  # type: ignore[union-attr]
        except (SoftdockError, OSError) as error:
            done.not_judged = str(error)
    return found


def locate_page(recording: Path) -> Path:
    """Where the page of a recording lies: beside it."""
    return recording.with_suffix(".html")


def convert_to_dict(
    on: OnRig, series: RigSeries, judged: Sequence[dict[str, Any] | None] = ()
) -> dict[str, Any]:
    """Everything, for JSON."""
    import numpy as np

    times = series.compute_us
    shares = np.percentile(times, [50.0, 99.0, 99.99]) if len(times) else [math.nan] * 3
    compute = dict(zip(("p50_us", "p99_us", "p99.99_us"), map(float, shares)))
    return {
        "rig": on.rig.name,
        "scenario": on.scenario.tables["name"],
        "completed": series.completed,
        "recorded": series.recorded,
        "granted": {
            "fifo": series.granted.fifo,
            "memory_locked": series.granted.locked,
            "refused": list(series.granted.refusals),
        },
        "compute": {k: v if math.isfinite(v) else None for k, v in compute.items()},
        "runs": [
            {**one.to_dict(), "verdict": verdict}
            for one, verdict in zip_longest(series.runs, judged)
        ],
        "statistics": series.statistics(),
        "not_taken": series.not_taken,
        "drivers_in_python": series.drivers,
        "no_safety_function": NO_SAFETY,
    }


def describe_run(on: OnRig, done: RigRun) -> list[str]:
    """One run in words, all of them from this run."""
    o = done.outcome
    lines = [f"{'completed' if o.completed else 'STOPPED'}: {o.why}"]
    if o.restitution is not None:
        contacts = "one contact" if o.contacts == 1 else f"{o.contacts} contacts"
        lines.append(f"restitution {o.restitution:.3f} in {contacts}")
    if o.force_age_ms is not None:
        lines.append(
            f"peak force {format_quantity(o.peak_force_N, 'N')}, {o.force_age_ms:.2f} ms of age in "
            "contact"
        )
    if o.contacts:
        lines.append(
            f"observed energy {format_quantity(o.observed_J, 'J')}; kinetic energy at most "
            f"{format_quantity(o.kinetic_most_J, 'J')} (limit "
            f"{format_quantity(o.kinetic_bound_J, 'J')})"
        )
    for robot in o.robots:
        lines.append(
            f"{robot.name}: {robot.telegrams} telegrams, {robot.lost} lost"
            + (f" ({robot.overtaken} arrived after a newer one)" if robot.overtaken else "")
            + f", {robot.late} replies late, "
            f"largest step {robot.largest_step_mm:.4f} mm, clock {robot.drift_ppm:+.0f} ppm"
        )
    lines += [f"warning: {text}" for text in o.warnings]
    if done.recording is not None and not done.problems:
        lines.append(f"recorded in {done.recording}")
    lines += [f"INCOMPLETE: {text}" for text in done.problems]
    lines += [f"NO VERDICT: {done.not_judged}"] if done.not_judged else []
    if o.unanswered:
        lines.append("The robots stopped sending: each stands at its last reply with RSI ended.")
    if done.recording is not None and locate_page(done.recording).is_file():
        lines.append(f"The page: {locate_page(done.recording)}")
    if not o.completed and any(robot.largest_step_mm > 0.0 for robot in o.robots):
        typed = on.rig.file if Path(on.rig.file).is_file() else on.rig.name  # a preset
        lines.append(f"The robots stand. Back out with: softdock rig retreat {typed}")
    elif not o.completed:
        lines.append("Nothing has moved.")
    return lines


def show_series(
    on: OnRig, series: RigSeries, judged: Sequence[dict[str, Any] | None] | None = None
) -> None:
    """Results on standard output, the verdict of each run first where runs were judged."""
    from softdock.cli.tables import print_verdict

    say = output()
    for number, (done, verdict) in enumerate(zip_longest(series.runs, judged or ())):
        if series.planned > 1:
            say.print(f"run {number + 1} of {series.planned}", highlight=False)
        if verdict is not None:
            print_verdict(say, verdict)
        elif judged is not None:
            say.print("NO VERDICT: the run has no readable recording.", highlight=False)
        say.print("\n".join(describe_run(on, done)), markup=False, soft_wrap=True)
    lines: list[str] = []
    if len(series.runs) > 1:
        for name, row in series.statistics().items():
            lines.append(
                f"{name}: mean {row['mean']:.6g}, spread {row['spread']:.2g}, "
                f"{row['least']:.6g} to {row['largest']:.6g} ({row['runs']:.0f} runs)"
            )
    for name, rows in series.not_taken.items():
        counted = ", ".join(f"{count} {NOT_TAKEN[why]}" for why, count in rows.items())
        lines.append(f"{name}: ignored datagrams: {counted}")
    if series.drivers:
        from softdock.rig.bridge import describe_latencies

        lines += describe_latencies(series.drivers)
    lines += [describe_granted(series.granted), NO_SAFETY]
    output().print("\n".join(lines), markup=False, soft_wrap=True)
