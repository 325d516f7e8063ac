"""The page of layouts in the docs: where everything stands in the flat arrays, as the declarations
say.

python -m softdock.scenario.layouts_page docs/layouts.md    writes it; a test keeps it
"""

from __future__ import annotations

import sys
from pathlib import Path

from softdock.core import seam
from softdock.core.adaptation.registry import METHODS
from softdock.core.arms import sweep, volumes
from softdock.core.contact.latch import LATCH_CELLS
from softdock.core.contact_log import LOG
from softdock.core.controller_state import KEPT
from softdock.core.machine import memory, state
from softdock.core.machine.cells import Cells
from softdock.core.machine.corrected_record import CORRECTED
from softdock.core.machine.doors import OUTCOME
from softdock.core.machine.record import CHANNELS, CORRECTED_CHANNELS, RECORD, rewinds
from softdock.core.machine.simulated_report import TRUTH
from softdock.core.orbit import attached, flight
from softdock.core.ports import (
    haptic_loop,
    law_cells,
    linear_net,
    published_net,
    satellite,
    telemanipulation_loop,
    wall_step,
)
from softdock.core.realtime import serve, system_calls
from softdock.core.recorder import layout as recorded
from softdock.core.recorder.ring import SLOT
from softdock.core.rig import layout as rig
from softdock.core.robots import memory as robots
from softdock.core.robots.arm import layout as arm
from softdock.core.schedules import ENTRY, ROW_CELLS
from softdock.core.settled_motion import WATCHED
from softdock.core.shapes.law import LAW_CELLS
from softdock.core.shapes.pair import PAIR_CELLS
from softdock.core.shapes.shape import SHAPE_CELLS
from softdock.core.shapes.table import TABLE_CELLS
from softdock.core.spatial.motion import MOTION, POSE, WRENCH
from softdock.core.spatial.rigid_body import BODY_STATE
from softdock.core.tables import TABLE_KEY
from softdock.core.wire import (
    emulated_sensor,
    faults,
    kuka_frame,
    links,
    peer_clock,
    rdt,
    robot_cells,
    senders,
    sequences,
    telegram,
    virtual_queue,
    wall_clock,
)


def _declared(field: str) -> tuple[Cells, ...]:
    """Layouts that methods declare, each once."""
    found = [layout for method in METHODS.values() for layout in getattr(method, field)]
    return tuple({layout.name: layout for layout in found}.values())


GROUPS: dict[str, tuple[str, tuple[Cells, ...]]] = {
    "Structures": ("Parts of the layouts below.", (POSE, MOTION, WRENCH, BODY_STATE)),
    "State": (
        "The loop's state (`Stepper.state`); `softdock.core.machine.state.place` finds a path.",
        (state.STATE, *state.PARTS.values()),
    ),
    "Record": (
        "A row of a recorded run. Where a listed method recomputes the past "
        "([adaptation.md](adaptation.md)), `corrected_record` stands behind; then the methods' own "
        "channels.",
        (RECORD, CORRECTED),
    ),
    "Recording": (
        "Rows that a loop in real time hands to the recorder, and a slot of the ring before the "
        "row's contents ([recording.md](recording.md)).",
        (recorded.CYCLE, recorded.PACKET, recorded.SAMPLE, recorded.EVENT, SLOT),
    ),
    "Outcome": ("A row of a batch, and of orbit.", (OUTCOME, flight.OUTCOME, flight.ROW)),
    "Contact log": (
        "A row per contact. A batch that is compared with orbit has three more rows: pose and "
        "velocity of each body, then `settled_rest`.",
        (LOG, WATCHED),
    ),
    "Memory": (
        "Parts of `mem`; where each begins is found by `memory_map`. The methods' slices stand "
        "behind.",
        (
            memory.HEAD,
            PAIR_CELLS,
            LATCH_CELLS,
            SHAPE_CELLS,
            LAW_CELLS,
            robots.ROBOT_STATE,
            robots.AXIS,
            robots.WAY,
            robots.JOINT,
            arm.ARM_STATE,
            arm.JOINT_ROW,
            memory.REPORTS,
            linear_net.HEAD,
            published_net.HEAD,
            *_declared("parts"),
        ),
    ),
    "Networks on a bench": (
        "Haptic devices at a virtual wall, and motions against one ([ports.md](ports.md)): a row "
        "per sample. `sample_answer`: of a store or damper of a nonlinear network.",
        (
            published_net.BOOKS,
            wall_step.WALL_BOOKS,
            haptic_loop.BENCH_ROW,
            telemanipulation_loop.TELE_ROW,
            telemanipulation_loop.CHANNEL,
            telemanipulation_loop.TANKS,
            satellite.BOUNCE_ROW,
            law_cells.ANSWER,
        ),
    ),
    "Seam": (
        "Between controller and facility ([seam.md](seam.md)): the command, the report, what the "
        "simulated facility knows beyond it, and what the controller keeps.",
        (seam.COMMAND, seam.REPORT, TRUTH, KEPT),
    ),
    "Rig": (
        "A rig's program ([rig_run.md](rig_run.md)): what it is told before it starts, what it "
        "keeps (whole numbers and numbers), and the same for each robot.",
        (
            rig.LIMITS,
            rig.PLAN,
            rig.FRAME,
            rig.SENSE,
            rig.STAND,
            rig.SEEN,
            rig.SENSOR_STAND,
            rig.SENSOR_SEEN,
            rig.ROBOT_STAND,
            rig.ROBOT_SEEN,
        ),
    ),
    "Wire": (
        "Telegrams and records, what is known of each peer, and emulated robots and sensors "
        "([wire.md](wire.md)): float64 where a cell is a measured number, else int64.",
        (
            telegram.TABLE,
            telegram.PIECE,
            kuka_frame.KUKA_FRAME,
            rdt.RECORD,
            sequences.SEQUENCE,
            sequences.LEARNT_STEP,
            senders.SENDER,
            wall_clock.WALL,
            peer_clock.WHOLES,
            peer_clock.NUMBERS,
            peer_clock.MINIMUM,
            links.WHOLES,
            links.SETTINGS,
            links.SAMPLE_COUNTS,
            faults.RATES,
            faults.WINDOW,
            robot_cells.SETTINGS,
            robot_cells.WHOLES,
            robot_cells.ROWS,
            robot_cells.HEAD,
            emulated_sensor.SETTINGS,
            emulated_sensor.WHOLES,
            emulated_sensor.MEMORY,
            virtual_queue.FLIGHT,
            virtual_queue.COUNTS,
        ),
    ),
    "Arms": (
        "Paths through an arm, and distances between volumes ([arms.md](arms.md)).",
        (sweep.WORST_ROW, sweep.ENDED, volumes.NEAREST, volumes.VOLUME_PAIR),
    ),
    "System calls": (
        "Words (int64) of the kernel's structures on 64-bit Linux, and counts of each socket.",
        (
            serve.COUNTS,
            system_calls.HEADER,
            system_calls.PART,
            system_calls.MESSAGE,
            system_calls.TIMESPEC,
            system_calls.SOURCE,
            system_calls.AT,
        ),
    ),
    "Rows in the parameter vector": (
        "Tables and schedules at its end, and how a key refers to them.",
        (
            TABLE_KEY,
            ENTRY,
            ROW_CELLS,
            TABLE_CELLS,
            *_declared("row_parts"),
            law_cells.STORE,
            law_cells.DAMPER,
            law_cells.NODE,
            attached.LISTED,
        ),
    ),
}
LAYOUTS: dict[str, Cells] = {one.name: one for _, layouts in GROUPS.values() for one in layouts}


def _rewinding() -> str:
    """Names of the methods that recompute the past."""
    return ", ".join(f"`{name}`" for name in METHODS if rewinds([name]))


def layouts_page() -> str:
    """The page, in Markdown."""
    parts = [
        "# Layouts\n\nGenerated by `python -m softdock.scenario.layouts_page "
        "docs/layouts.md` from the "
        "declarations; do not edit.\nWhere everything stands in softdock's flat float64 arrays. "
        "`at`: offset from the layout's first float.\n"
    ]
    for title, (meaning, layouts) in GROUPS.items():
        parts.append(f"## {title}\n\n{meaning}\n")
        for layout in layouts:
            parts.append(f"`{layout.name}`, {layout.size} floats:\n\n{layout.table()}")
    for name, bits in (("status", seam.STATUS_BITS), ("present", seam.PRESENT_BITS)):
        named = ", ".join(f"{bit} `{one}`" for one, bit in bits.items())
        parts.append(f"Bits of `{name}` in a report: {named}.\n")
    parts.append(
        "## Channels\n\nColumns of a recorded run, one per float of `record`; `corrected.*` only "
        f"where a listed method recomputes the past ({_rewinding()}).\n"
    )
    rows = ["| channel | unit | frame | meaning |", "|---|---|---|---|"]
    channels = (*CHANNELS, *CORRECTED_CHANNELS)
    rows += [f"| `{c.name}` | {c.unit} | {c.frame} | {c.meaning} |" for c in channels]
    parts.append("\n".join(rows) + "\n")
    return "\n".join(parts)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(layouts_page(), encoding="utf-8")
