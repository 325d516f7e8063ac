"""What Numba does at length while it compiles, done shortly and to the same effect.

Which variables an instruction uses, whether two sets of flags are the same, which function takes a
place in the sources, who listens to an event (nobody does), what would be said of an error (there
is none): each is asked at every instruction or call, and together they took a sixth of the time to
compile `faithful`'s loop. The answers are the same; clocks that nobody reads are not started while
a door compiles (docs/decisions/39-lean-compiling.md).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

from softdock.core.machine.numba_internals import (
    PATCHED,
    NumbaError,
    PassManager,
    TargetConfig,
    errors,
    event,
    has_loc,
    ir,
    lowering,
    target_base,
    typeinfer,
)

_DEPTH = [0]  # doors that are being compiled
_install_timer: Any = getattr(event, "install_timer", None)

# -- variables that an instruction uses ---------------------------------------------------------

_NEITHER, _VARIABLE, _INSTRUCTION, _ROW, _TABLE = range(5)
_KINDS: dict[type, int] = {}  # by class


def _kind_of(cls: type) -> int:
    bases = ((ir.Var, _VARIABLE), (ir.Inst, _INSTRUCTION), ((list, tuple), _ROW), (dict, _TABLE))
    found = next((kind for base, kind in bases if issubclass(cls, base)), _NEITHER)
    _KINDS[cls] = found
    return found


def _gather(values: Iterable[Any], found: list[Any]) -> list[Any]:
    """Variables among values and within them, in their order."""
    for value in values:
        cls = type(value)
        kind = _KINDS.get(cls)
        if kind is None:
            kind = _kind_of(cls)
        if kind == _VARIABLE:
            found.append(value)
        elif kind == _INSTRUCTION:
            found.extend(value.list_vars())
        elif kind == _ROW:
            _gather(value, found)
        elif kind == _TABLE:
            _gather(value.values(), found)
    return found


def _of_statement(self: Any) -> list[Any]:
    """In place of `Stmt.list_vars`."""
    return _gather(self.__dict__.values(), [])


def _of_expression(self: Any) -> list[Any]:
    """In place of `Expr.list_vars`."""
    return _gather(self._kws.values(), [])


# -- flags --------------------------------------------------------------------------------------

_differ_or_not: Any = getattr(TargetConfig, "__eq__", None)
_HASHES: dict[type, int] = {}


def _same(self: Any, other: Any) -> Any:
    """In place of `TargetConfig.__eq__`, which lists all flags first."""
    if self is other or (type(self) is type(other) and self._values == other._values):
        return True
    return _differ_or_not(self, other)


def _hash(self: Any) -> int:
    """In place of `TargetConfig.__hash__`: of the names of the flags, as there."""
    cls = type(self)
    if cls not in _HASHES:
        _HASHES[cls] = hash(tuple(sorted(self.options)))
    return _HASHES[cls]


# -- places, events, errors, clocks -------------------------------------------------------------

_PLACES: dict[Any, bool] = {}  # by code: whether it takes `loc`


def _takes_place(function: Any) -> bool:
    """In place of `_has_loc`."""
    code = getattr(function, "__code__", None)
    if code is None or hasattr(function, "__wrapped__"):
        return bool(has_loc(function))
    if code not in _PLACES:
        _PLACES[code] = bool(has_loc(function))
    return _PLACES[code]


def _begin(kind: str, data: Any = None) -> None:
    """In place of `start_event`."""
    if event._registered.get(kind):
        event.broadcast(event.Event(kind=kind, status=event.EventStatus.START, data=data))


def _end(kind: str, data: Any = None, exc_details: Any = None) -> None:
    """In place of `end_event`."""
    if event._registered.get(kind):
        status = event.EventStatus.END
        event.broadcast(event.Event(kind, status, data=data, exc_details=exc_details))


def _timer(kind: str, callback: Any) -> Any:
    """In place of `install_timer`."""
    return contextlib.nullcontext() if _DEPTH[0] else _install_timer(kind, callback)


class _ErrorContext:
    """In place of `new_error_context`: nothing is written unless there is an error."""

    __slots__ = ("args", "keywords", "text")

    def __init__(self, fmt_: str, *args: Any, **keywords: Any):
        self.text, self.args, self.keywords = fmt_, args, keywords
        loc = keywords.get("loc")
        if loc is not None and not loc.filename.startswith(errors._numba_path):
            errors.loc_info.update(keywords)

    def __enter__(self) -> None: ...

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        if isinstance(error, NumbaError):
            error.add_context(errors._format_msg(self.text, self.args, self.keywords))


class LeanPasses(PassManager):
    """Numba's row of passes without clocks, and without spelling out every argument's type for
    every pass to tell listeners."""

    def _runPass(self, index: int, pss: Any, internal_state: Any) -> None:
        pss.analysis = self._analysis
        with _ErrorContext("Pass {name}", name=pss.name()):
            pss.run_initialization(internal_state)
            pss.run_pass(internal_state)
            pss.run_finalizer(internal_state)


if PATCHED:
    ir.Stmt.list_vars, ir.Expr.list_vars = _of_statement, _of_expression
    TargetConfig.__eq__, TargetConfig.__hash__ = _same, _hash
    target_base._has_loc = _takes_place
    event.start_event, event.end_event, event.install_timer = _begin, _end, _timer
    for module in (errors, lowering, typeinfer):
        module.new_error_context = _ErrorContext


@contextlib.contextmanager
def without_clocks() -> Iterator[None]:
    """Within it, Numba does not measure how long it takes."""
    _DEPTH[0] += 1
    try:
        yield
    finally:
        _DEPTH[0] -= 1
