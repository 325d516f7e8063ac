"""Who sends a robot's telegrams: the first port of its address that sent a valid one.

The robot's controller sends from one port for as long as RSI is on. Another program at the same
address (a second emulator, a forgotten one, a forger) is not answered, or one of the two robots'
clocks would run twice; it is counted, and its port is kept. Another port takes the place of the
first when that one has sent nothing for SILENT_NS, as after a restart of the controller.
"""

from __future__ import annotations

from softdock.core.instants import SECOND
from softdock.core.machine.cells import Cell, Cells
from softdock.core.machine.compiled import compiled

SENDER = Cells(
    "robot_sender",
    Cell("port", 1, "-", "that is answered; 0: none yet"),
    Cell("heard_ns", 1, "ns", "when its newest telegram arrived"),
    Cell("others", 1, "-", "telegrams from other ports of the same address"),
    Cell("other", 1, "-", "the port of the last of them"),
)
PORT, HEARD_NS, OTHERS, OTHER = SENDER.at
SENDER_COLUMNS = SENDER.size
SILENT_NS = 1 * SECOND


@compiled
def may_send(sender, port, arrival):
    """Whether telegrams from a port are this robot's."""
    if sender[PORT] in (0, port):
        return True
    return arrival - sender[HEARD_NS] > SILENT_NS


@compiled
def has_sent(sender, port, arrival):
    """A valid telegram from a port that may send."""
    sender[PORT], sender[HEARD_NS] = port, arrival


@compiled
def count_other(sender, port):
    """A valid telegram from a port that may not."""
    sender[OTHERS] += 1
    sender[OTHER] = port
