"""CUDA kernels on disk: Numba's own cache, in a folder of ours, with damaged files forgotten."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from softdock.compile.disk_cache import warn_once


def cache_kernel(cuda: Any, function: Any, max_registers: int | None, folder: Path | None) -> Any:
    """A kernel with Numba's own cache in this folder; None: in memory."""
    if folder is None:
        return cuda.jit(max_registers=max_registers)(function)
    config: Any = importlib.import_module("numba.cuda.core.config")
    before, config.CACHE_DIR = config.CACHE_DIR, str(folder)
    try:
        made = cuda.jit(max_registers=max_registers, cache=True)(function)
    finally:
        config.CACHE_DIR = before
    made._cache.save_overload = keep_if_possible(made._cache.save_overload)
    made._cache.load_overload = load_if_whole(made._cache)
    return made


def load_if_whole(cache: Any) -> Callable[..., Any]:
    """A damaged file of Numba's cache is forgotten, and the kernel recompiled."""
    load = cache.load_overload

    def try_to_load(*kernel: Any) -> Any:
        try:
            return load(*kernel)
        except Exception:  # whatever a cut or garbled pickle raises
            warn_once("damaged", f"damaged kernels were thrown away ({cache.cache_path})")
            with contextlib.suppress(OSError):
                cache.flush()
            return None

    return try_to_load


def keep_if_possible(keep: Callable[..., None]) -> Callable[..., None]:
    """A kernel that a library was linked into (networks reshape arrays) cannot be kept on disk: it
    is recompiled in each process."""

    def try_to_keep(*kernel: Any) -> None:
        try:
            keep(*kernel)
        except OSError as error:
            warn_once("write", f"kernels cannot be kept ({error.strerror})")
        except RuntimeError as error:
            if "linking files" not in str(error):
                raise

    return try_to_keep
