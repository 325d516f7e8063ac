"""Which hooks the listed methods have, as constants in compiled code: a hook that no method has is
not compiled.
"""

from __future__ import annotations

from typing import Any

from numba.extending import overload

from softdock.core.adaptation.method import (
    entry_of,
    keep_set_point,
    keep_states,
    keep_wrench,
    no_external,
    no_past,
    nothing_replaced,
    nothing_rewound,
)
from softdock.core.machine.compiled import CHOSEN_OPTIONS, class_of


def _any_method(classes, *hooks):
    defaults: dict[str, Any] = {
        "wrench": keep_wrench,
        "correct": keep_states,
        "set_point": keep_set_point,
        "external": no_external,
    }
    defaults |= {"rewound": nothing_rewound, "replaced": nothing_replaced, "past": no_past}
    return any(
        getattr(entry_of(cls), hook) is not defaults[hook] for cls in classes for hook in hooks
    )


def _known_at_compile_time(name, *hooks):
    """A function of the methods that is a constant in compiled code: whether any of them has one of
    these hooks."""

    def ask(methods):
        return _any_method([type(method) for method in methods], *hooks)

    def typed(methods):
        answer = _any_method([class_of(method) for method in methods], *hooks)
        return lambda methods: answer

    ask.__name__ = name
    overload(ask, jit_options=CHOSEN_OPTIONS)(typed)
    return ask


any_wrench = _known_at_compile_time("any_wrench", "wrench")  # else F_sat is F_meas


any_correct = _known_at_compile_time(
    "any_correct", "correct"
)  # else the integrated state is the state


any_lead = _known_at_compile_time(
    "any_lead", "correct", "set_point"
)  # else the satellites' own motion is sent


any_external = _known_at_compile_time("any_external", "external")


any_rewound = _known_at_compile_time("any_rewound", "rewound")  # else the past stays as it was


any_replaced = _known_at_compile_time(
    "any_replaced", "replaced"
)  # else satellites feel the real contact


any_books = _known_at_compile_time(
    "any_books", "wrench", "correct", "set_point"
)  # else there is no virtual or designed work


any_past = _known_at_compile_time("any_past", "past")  # else nothing is recomputed
