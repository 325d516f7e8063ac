"""What the re-mapping records and remembers: its channels, and where they and the rest stand in its
slice of `mem`."""

from __future__ import annotations

from typing import Any, NamedTuple

from softdock.core.adaptation.remapping.environment.filter import FILTER_FLOATS
from softdock.core.spatial.motion import MOTION_FLOATS


def _motion(name: str, what: str) -> list[tuple[str, str, str, str]]:
    return [
        *(
            (f"{name}.position.{a}", "m", "world", f"position of {what}, its past corrected")
            for a in "xyz"
        ),
        *(
            (
                f"{name}.attitude.{a}",
                "-",
                "world from body",
                f"attitude of {what}, its past corrected",
            )
            for a in "wxyz"
        ),
        *(
            (f"{name}.velocity.{a}", "m/s", "world", f"velocity of {what}, its past corrected")
            for a in "xyz"
        ),
        *(
            (f"{name}.rate.{a}", "rad/s", "body", f"angular velocity of {what}, its past corrected")
            for a in "xyz"
        ),
    ]


CHANNELS = (
    (
        "contact",
        "-",
        "-",
        "1: a real contact is seen; 2: the satellites are in contact; 3: both; 0: neither",
    ),
    (
        "overlap",
        "m",
        "-",
        "of the satellites with the environment at the end of the cycle; negative: the gap; "
        "0 where none is known",
    ),
    (
        "environment",
        "m",
        "-",
        "place of the environment beyond the measured contact point, along the normal",
    ),
    *(
        (
            f"normal.{a}",
            "-",
            "world",
            "direction of the measured force on the chaser, kept in target axes",
        )
        for a in "xyz"
    ),
    *((f"point.{a}", "m", "target axes", "contact point") for a in "xyz"),
    (
        "line_error",
        "m",
        "-",
        "distance of the wrench's line of action from the tip of the pair nearest to it, as "
        "the measured poses have it",
    ),
    ("stiffness", "N/m", "-", "of the mock-ups' contact along the normal, as used"),
    ("rewound", "-", "-", "cycles that were computed anew in this one"),
    (
        "designed",
        "J",
        "-",
        "real minus wanted contact work so far, the real one as measured, of forces above "
        "the threshold; the ledger's has the true one",
    ),
    (
        "jumped",
        "J",
        "-",
        "energy that appeared in the wanted contact because the environment was seen "
        "elsewhere than before; so far",
    ),
    ("deviation", "m", "-", "largest distance of an executable set-point from the computed one"),
    *(
        (
            f"corrected.force.{a}",
            "N",
            "world",
            "mean force on the chaser satellite over the cycle, its past corrected",
        )
        for a in "xyz"
    ),
    *_motion("corrected.chaser", "the chaser satellite"),
    *_motion("corrected.target", "the target satellite"),
)

# The method's slice of mem: the recorded channels first
(
    CONTACT,
    OVERLAP,
    ENVIRONMENT,
    NORMAL,
    POINT,
    LINE_ERROR,
    STIFFNESS,
    REWOUND,
    DESIGNED,
    JUMPED,
    DEVIATION,
) = 0, 1, 2, 3, 6, 9, 10, 11, 12, 13, 14
PAST_FORCE, PAST = 15, 18  # the corrected past: mean force, then both motions
SEEN, KNOWN, ACTS = (
    44,
    45,
    46,
)  # flags: a real contact, an environment, satellites that went their own way in this cycle
REWOUND_ENERGY, FREE_SINCE, ACTED = (
    47,
    48,
    49,
)  # J; the cycle since which no force of ours acted; cycles in which it did
MODEL, MODEL_FLOATS = 50, 17  # the contact as the satellites feel it: see desired_contact.py
FELT, READ = 67, 93  # of the last cycle: mock-ups and wrenches on them
MEAN, AFTER = 105, 117  # mean wrenches of this cycle, satellites at its end
CONTACTS, REWINDS, DEEPEST, TOO_SHORT, OTHER_POINTS, SOFT = 143, 144, 145, 146, 147, 148  # counts
LARGEST_BELOW, LARGEST_LINE_ERROR, SHORTEST, LARGEST_JUMP, LARGEST_DEVIATION = (
    149,
    150,
    151,
    152,
    153,
)
ESTIMATE = 154  # sums of the least squares, and the estimate: see stiffness_estimate.py
FOLLOWERS, FOLLOWER_FLOATS = (
    168,
    MOTION_FLOATS + 36,
)  # of executable set-points: motion, accelerations and room to plan, per robot
FILTER_STATE = FOLLOWERS + 2 * FOLLOWER_FLOATS  # of environment = filter: see environment_filter.py
FIRST, FIRST_FLOATS = (
    FILTER_STATE + FILTER_FLOATS,
    8,
)  # of the contact under way: normal (target axes) and pair when it began; whether it has left them
TAKEN, JUMPED_BEFORE, BEGAN = (
    FIRST + 5,
    FIRST + 6,
    FIRST + 7,
)  # energy that the wanted contact took since, J; what had jumped before; stamp of its first force
TAKEN_NOW, MISSED = (
    FIRST + FIRST_FLOATS,
    FIRST + FIRST_FLOATS + 1,
)  # J, by the wanted contact in this cycle; cycles in which the line missed the surface
IMPULSE, PAST_IMPULSE, PAST_PEAK = (
    MISSED + 1,
    MISSED + 4,
    MISSED + 7,
)  # Ns on the chaser since it began; its change by a new past; N^2, the largest there
FIRST_FORCE = PAST_PEAK + 1  # N, of the contact's first reading
RING = FIRST_FORCE + 1
ROW_FLOATS = (
    26 + 12 + 3
    # satellites at a stamp; what others gave them in the cycle that begins there; the mean force in
    # it
)


class Remapping(NamedTuple):
    """What every cycle needs; the rest is read from the vector when there is a contact."""

    memory: int
    vector: Any
    base: int  # of its parameters in the vector
    rows: int  # of the history; 0: no rewind
    threshold: float  # N
    substeps: int
    lead: float  # s
    loss: float  # wanted restitution: damping ratio, or lambda times approach speed


MARKER = Remapping(0, 0, 0, 0, 0.0, 0, 0.0, 0.0)
