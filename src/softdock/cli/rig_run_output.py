"""What a series of runs on a rig came to, for a person and as JSON; all of it from these runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from softdock.cli.progress import output
from softdock.cli.rig_console import NO_SAFETY
from softdock.cli.run_tables import show_judgement

if TYPE_CHECKING:
    from softdock.drivers.rig_scenario import OnRig
    from softdock.rig.series import RigRun, RigSeries

NOT_TAKEN = {  # datagrams, in words
    "other_address": "from other addresses than the stated one",
    "other_port": "from another port of the robot's address, by a second sender",
    "malformed": "malformed",
    "not_believed": "with a count that does not go on from the others",
    "faulty": "with an error or saturation in their status",
}


def granted_text(granted: Any) -> str:
    """What the machine gave of real time."""
    fifo = f"SCHED_FIFO {granted.fifo}" if granted.fifo else "no real-time priority"
    locked = "memory locked" if granted.locked else "memory not locked"
    return f"granted: {fifo}, {locked}" + "".join(f"; refused: {r}" for r in granted.refusals)


def judge_recordings(series: RigSeries) -> list[dict[str, Any] | None]:
    """The verdict of each run's recording, and its page beside it; None where nothing was recorded
    that can be read."""
    from softdock.archive.recordings import open_recording
    from softdock.errors import SoftdockError

    found: list[dict[str, Any] | None] = []
    for done in series.runs:
        found.append(None)
        if done.recording is None:
            continue
        try:
            recording = open_recording(done.recording, as_rig=True)
            found[-1] = recording.judgement(str(done.recording))  # type: ignore[union-attr]
            recording.save_page(page_of(done.recording))  # type: ignore[union-attr]
        except (SoftdockError, OSError) as error:
            done.not_judged = str(error)
    return found


def page_of(recording: Path) -> Path:
    """Where the page of a recording lies: beside it."""
    return recording.with_suffix(".html")


def as_dict(
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
            {**one.to_dict(), "judgement": verdict}
            for one, verdict in zip_longest(series.runs, judged)
        ],
        "statistics": series.statistics(),
        "not_taken": series.not_taken,
        "no_safety_function": NO_SAFETY,
    }


def sentences(on: OnRig, done: RigRun) -> list[str]:
    """One run in words, all of them from this run."""
    o = done.outcome
    lines = [f"{'completed' if o.completed else 'STOPPED'}: {o.why}"]
    if o.restitution is not None:
        lines.append(f"restitution {o.restitution:.6f} in {o.contacts} contact(s)")
    if o.force_age_ms is not None:
        lines.append(
            f"force {o.peak_force_N:.3f} N at most, {o.force_age_ms:.3f} ms old in contact"
        )
    if o.contacts:
        lines.append(
            f"energy: observed {1e3 * o.observed_J:.3f} mJ; kinetic at most "
            f"{1e3 * o.kinetic_most_J:.3f} mJ, bound {1e3 * o.kinetic_bound_J:.3f} mJ"
        )
    for robot in o.robots:
        lines.append(
            f"{robot.name}: {robot.telegrams} telegrams, {robot.lost} lost"
            + (f" ({robot.overtaken} of them came after a newer one)" if robot.overtaken else "")
            + f", {robot.late} replies late, "
            f"largest step {robot.largest_step_mm:.4f} mm, clock {robot.drift_ppm:+.0f} ppm"
        )
    lines += [f"warning: {text}" for text in o.warnings]
    if done.recording is not None and not done.said:
        lines.append(f"recorded in {done.recording}")
    lines += [f"INCOMPLETE: {text}" for text in done.said]
    lines += [f"not judged: {done.not_judged}"] if done.not_judged else []
    if o.unanswered:
        lines.append("robots no longer send: each stood on its last reply and has ended RSI itself")
    if done.recording is not None and page_of(done.recording).is_file():
        lines.append(f"The page: {page_of(done.recording)}")
    if not o.completed and any(robot.largest_step_mm > 0.0 for robot in o.robots):
        typed = on.rig.file if Path(on.rig.file).is_file() else on.rig.name  # a preset
        lines.append(f"the robots stand; back to a free place: softdock rig retreat {typed}")
    elif not o.completed:
        lines.append("nothing has moved")
    return lines


def show(
    on: OnRig, series: RigSeries, judged: Sequence[dict[str, Any] | None] | None = None
) -> None:
    """Results on standard output, the verdict of each run first where runs were judged."""
    say = output()
    for number, (done, verdict) in enumerate(zip_longest(series.runs, judged or ())):
        if series.planned > 1:
            say.print(f"run {number + 1} of {series.planned}", highlight=False)
        if verdict is not None:
            show_judgement(say, verdict)
        elif judged is not None:
            say.print("No verdict: there is no recording that can be read.", highlight=False)
        say.print("\n".join(sentences(on, done)), markup=False, soft_wrap=True)
    lines: list[str] = []
    if len(series.runs) > 1:
        for name, row in series.statistics().items():
            lines.append(
                f"{name}: mean {row['mean']:.6g}, spread {row['spread']:.2g}, "
                f"{row['least']:.6g} to {row['largest']:.6g} ({row['runs']:.0f} runs)"
            )
    for name, rows in series.not_taken.items():
        said = ", ".join(f"{count} {NOT_TAKEN[why]}" for why, count in rows.items())
        lines.append(f"{name}: datagrams that were not taken: {said}")
    lines += [granted_text(series.granted), NO_SAFETY]
    output().print("\n".join(lines), markup=False, soft_wrap=True)
