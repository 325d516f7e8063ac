"""Which core has run something, in words: said where runs of two cores would be mixed.

What is compared is the hash of the core's sources and of Numba's version
(compile/sources.py: source_hash). The package's version is told beside it, and alone says
nothing: between two of them the core changes with many commits.
"""

from __future__ import annotations

import numba

from softdock._version import __version__
from softdock.compile.sources import source_hash


def describe_core(version: str, core: str) -> str:
    """A version and its core."""
    return f"softdock {version} (core {core})"


def describe_own_core(version: str, core: str) -> str:
    """What runs here beside another core, and what differs where the version does not."""
    here = f"this is {describe_core(__version__, source_hash())}"
    if version != __version__ or core == source_hash():
        return here
    other = f"other sources of the core or another Numba than {numba.__version__}"
    return f"{here}, the same version with {other}"
