"""How fast is the GPU? Cycles a second in double precision: single rate, ledger on, two free bodies
with full inertia, probe in cone, 16 ms delay, every cycle in contact. With and without noise; EPOS
3-D with its 1 kHz sensor; the device's own bound; and MuJoCo's MJX beside it.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.scenarios import CYCLE_S, pressed
from softdock.scenario.build import Scenario, build
from softdock.scenario.files import load_scenario
from softdock.studies.campaign.batch import count_cores, make_empty_batch, run_cpu
from softdock.studies.campaign.columns import make_columns
from softdock.studies.campaign.cuda import (
    allocate_memories,
    compile_kernel,
    find_device,
    load_numba_cuda,
    run_cuda,
)
from softdock.studies.campaign.kernel_specialisation import tailor

BLOCK_SIZES = (32, 64, 128)
Say = Callable[[str], None]


class OnDevice:
    """A batch whose arrays are on the device, to time the kernel alone."""

    def __init__(
        self, scenario: Scenario, swept: dict[str, np.ndarray], max_registers: int | None = None
    ):
        self.cuda = load_numba_cuda()
        self.vectors, self.markers, self.mem_floats = make_columns(scenario, swept)
        lean, self.numbers, special = tailor(self.vectors, self.markers, self.mem_floats)
        self.batch = make_empty_batch(self.vectors, 4)
        self.arrays = [self.cuda.to_device(a) for a in (lean, self.batch.logs, self.batch.outcomes)]
        self.kernel = compile_kernel(special, max_registers)
        self.memories = allocate_memories(special, len(self.vectors))

    def launch(self, block: int) -> float:
        """One launch over all runs. Returns its seconds."""
        vectors, logs, outcomes = self.arrays
        self.cuda.synchronize()
        began = time.perf_counter()
        self.kernel[-(-len(self.vectors) // block), block](
            vectors, self.markers, self.numbers, logs, outcomes, self.memories
        )
        self.cuda.synchronize()
        return time.perf_counter() - began

    def cycles(self, always_in_contact: bool = True) -> float:
        """Cycles of one launch, having checked that every run completed, and was in contact from
        its first moments to its end."""
        self.arrays[1].copy_to_host(self.batch.logs)
        self.arrays[2].copy_to_host(self.batch.outcomes)
        column = self.batch.column
        inside = (
            (column("contacts") == 1)
            & (column("start_s") < 0.1)
            & (column("end_s") > CYCLE_S * column("cycles") - 0.02)
        )
        if always_in_contact and not inside.all():
            raise RuntimeError(
                "a timed run was not in contact the whole time: its speed would flatter"
            )
        if not (column("status") == 0).all():
            raise RuntimeError("a timed run did not complete")
        return float(column("cycles").sum())

    def rates(self, block: int, repeats: int, cycles: float) -> dict[str, float]:
        """Cycles a second over some launches."""
        seconds = [self.launch(block) for _ in range(repeats)]
        return {
            "best": cycles / min(seconds),
            "mean": cycles * repeats / sum(seconds),
            "worst": cycles / max(seconds),
        }


def pressed_runs(
    runs: int, duration_s: float, noisy: bool, max_registers: int | None = None
) -> OnDevice:
    """Runs that are in contact in every cycle."""
    rng = np.random.default_rng(1)
    swept = {
        "chaser.mass_kg": rng.uniform(55.0, 65.0, runs),
        "chaser.position_m.0": rng.uniform(0.001, 0.006, runs),
    }
    return OnDevice(build(pressed(duration_s, noisy)), swept, max_registers)


def epos_runs(runs: int, duration_s: float) -> OnDevice:
    """EPOS 3-D as the preset has it, with its noisy 1 kHz sensor: free flight and three
    contacts."""
    masses = np.random.default_rng(2).uniform(480.0, 520.0, runs)
    return OnDevice(
        load_scenario("epos_3d", {"time.duration_s": duration_s}), {"chaser.mass_kg": masses}
    )


def measure_speed(runs: int, duration_s: float, repeats: int, say: Say) -> dict[str, Any]:
    """Cycles a second by block size: without noise, with noise, and EPOS 3-D with its 1 kHz
    sensor."""
    found: dict[str, Any] = {"runs": runs, "unit": "cycles/s", "precision": "float64"}
    cases: dict[str, tuple[Callable[[], OnDevice], bool]] = {
        "no noise": (lambda: pressed_runs(runs, duration_s, False), True),
        "noise": (lambda: pressed_runs(runs, duration_s, True), True),
        "EPOS 3-D, 1 kHz sensor": (lambda: epos_runs(runs // 2, 1.5 * duration_s), False),
    }
    for label, (make, always_in_contact) in cases.items():
        work = make()
        first = work.launch(64)
        say(f"  {label}: first launch {first:.1f} s (compiles, unless done before)")
        cycles = work.cycles(always_in_contact)
        by_block = {}
        for block in BLOCK_SIZES:
            by_block[str(block)] = rates = work.rates(block, repeats, cycles)
            spread = f"mean {rates['mean']:.3g}, worst {rates['worst']:.3g}"
            say(f"  {label}, {block} threads a block: best {rates['best']:.3g} cycles/s ({spread})")
        found[label] = {
            "cycles_per_run": cycles / len(work.vectors),
            "by_block": by_block,
            "best": max(r["best"] for r in by_block.values()),
            "kernel": registers(work.kernel),
        }
        say(f"  {found[label]['kernel']} a thread")
    return found


def measure_model_mediated(say: Say, runs: int = 33_792) -> dict[str, Any]:
    """Cycles a second of `model_mediated` on `epos_1d`, free flight and contact, and the seconds of
    the first launch, which compiles unless the kernel is on disk."""
    masses = np.random.default_rng(2).uniform(50.0, 80.0, runs)
    base = load_scenario("epos_1d", {"methods": [{"name": "model_mediated"}]})
    work = OnDevice(base, {"chaser.mass_kg": masses})
    first = work.launch(64)
    cycles = work.cycles(always_in_contact=False)
    rates = work.rates(64, 4, cycles)
    say(f"  model_mediated: first launch {first:.1f} s; best {rates['best']:.3g} cycles/s")
    return {"runs": runs, "first_launch_s": first, "unit": "cycles/s", **rates} | {
        "kernel": registers(work.kernel)
    }


def registers(kernel: Any) -> dict[str, Any]:
    """Registers and local memory of a compiled kernel."""
    try:
        return {
            "registers": max(kernel.get_regs_per_thread().values()),
            "local_bytes": max(kernel.get_local_mem_per_thread().values()),
        }
    except Exception as error:  # a matter of numba-cuda's version; not worth failing for
        return {"registers": f"unknown: {error}"}


def end_to_end(runs: int, duration_s: float, say: Say) -> dict[str, Any]:
    """The same through `run_cuda`, transfers included; and such runs on the CPU's cores, fewer of
    them."""
    work = pressed_runs(runs, duration_s, False)
    began = time.perf_counter()
    gpu = run_cuda(work.vectors, work.markers, work.mem_floats).column("cycles").sum() / (
        time.perf_counter() - began
    )
    few = work.vectors[: 40 * count_cores()]
    run_cpu(few[:2], work.markers, work.mem_floats)  # compiles
    began = time.perf_counter()
    cpu = run_cpu(few, work.markers, work.mem_floats).column("cycles").sum() / (
        time.perf_counter() - began
    )
    say(
        f"  with transfers {gpu:.3g} cycles/s; this machine's {count_cores()} cores "
        f"{cpu:.3g} cycles/s"
    )
    return {
        "runs": runs,
        "gpu_cycles_per_s": float(gpu),
        "cpu_cycles_per_s": float(cpu),
        "cpu_cores": count_cores(),
    }


def fma_bound(say: Say) -> dict[str, float]:
    """The device's rate of double-precision fused multiply-adds, measured: the bound that no
    arithmetic passes [1/s]."""
    cuda, loops = load_numba_cuda(), 200_000

    @cuda.jit
    def chains(out):
        i = cuda.grid(1)
        x0, x1, x2, x3 = 1.0 + i, 2.0 + i, 3.0 + i, 4.0 + i
        for _ in range(loops):
            x0 = cuda.fma(x0, 0.999999, 1e-7)
            x1 = cuda.fma(x1, 0.999999, 1e-7)
            x2 = cuda.fma(x2, 0.999999, 1e-7)
            x3 = cuda.fma(x3, 0.999999, 1e-7)
        out[i] = x0 + x1 + x2 + x3

    threads = find_device().multiprocessors * 2048
    out = cuda.device_array(threads)
    seconds = []
    for _ in range(4):
        cuda.synchronize()
        began = time.perf_counter()
        chains[threads // 256, 256](out)
        cuda.synchronize()
        seconds.append(time.perf_counter() - began)
    rate = 4.0 * loops * threads / min(seconds)
    say(f"  fused multiply-adds in double precision: {rate:.3g} /s")
    return {"fma_per_s": rate}


MJX_SIZES = {8192: 200, 65_536: 200, 524_288: 50, 1_048_576: 25}  # worlds: steps timed


def measure_mjx(say: Say) -> dict[str, Any]:
    """MuJoCo's MJX on the same card: two free spheres pressed together. Its best of several sizes,
    or why there is no number."""
    try:
        import jax
        import mujoco
        from mujoco import mjx
    except Exception as error:  # not there, or it does not load
        say(f"  left out: {error}")
        return {"left_out": str(error)}
    from benchmarks.peers import two_bodies_pressed

    model, data = two_bodies_pressed()
    on_device, start = mjx.put_model(model), mjx.put_data(model, data)
    step = jax.vmap(mjx.step, in_axes=(None, 0))

    @functools.partial(jax.jit, static_argnums=1)
    def roll(states, steps):
        return jax.lax.scan(lambda s, _: (step(on_device, s), None), states, None, length=steps)[0]

    rates, failed = {}, {}
    for worlds, steps in MJX_SIZES.items():
        states = jax.vmap(lambda s: start.replace(qvel=start.qvel + 1e-4 * s))(
            jax.numpy.arange(worlds) / worlds
        )
        try:
            jax.block_until_ready(roll(states, steps))
        except Exception as error:  # more worlds than the card's memory holds
            failed[str(worlds)] = str(error)[:200]
            say(f"  MJX with {worlds} worlds: {failed[str(worlds)]}")
            break
        seconds = []
        for _ in range(3):
            began = time.perf_counter()
            jax.block_until_ready(roll(states, steps))
            seconds.append(time.perf_counter() - began)
        rates[str(worlds)] = worlds * steps / min(seconds)
        say(
            f"  MJX {mujoco.__version__}: {rates[str(worlds)]:.3g} steps/s ({worlds} worlds, "
            "single precision)"
        )
    device = str(jax.devices()[0])
    return {
        "steps_per_s": max(rates.values()),
        "by_worlds": rates,
        "failed": failed,
        "device": device,
        "mujoco": mujoco.__version__,
        "jax": jax.__version__,
    }
