"""All benchmarks of this machine's CPU: `python -m benchmarks [--json] [NAME ...]`. Exits 1 if a
target is missed."""

from __future__ import annotations

import argparse
import json
import os
import sys
import traceback
from importlib import import_module
from typing import Any

NAMES = (
    "cycle_speed",
    "facility_speed",
    "threads",
    "compile_time",
    "first_use",
    "memory",
    "report_page",
    "replay",
    "run_command",
    "restitution_map",
    "stability_speed",
    "ports_speed",
    "campaign",
    "guided",
    "cluster",
    "passive_contacts",
    "noise_confidence",
    "rewind_cycle",
    "rig",
    "wire",
    "recording",
    "arm_loop",
    "mechanisms",
)


def show(name: str, found: dict[str, Any]) -> None:
    print(
        f"{name}: {'met' if found.get('met') else 'MISSED'} ({found.get('target', 'not measured')})"
    )
    for key, value in found.items():
        if key not in ("met", "target"):
            print(f"  {key}: {_text(value)}")


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_text(v)}" for key, v in value.items())
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="All benchmarks of this machine's CPU."
    )
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"which: {', '.join(NAMES)} (default: all)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    options = parser.parse_args(arguments)
    unknown = set(options.names) - set(NAMES)
    if unknown:
        parser.error(f"no benchmark {', '.join(sorted(unknown))}; there are: {', '.join(NAMES)}")
    results: dict[str, Any] = {"cores": os.cpu_count(), "load_before": os.getloadavg()[0]}
    if not options.json:
        print(
            f"{results['cores']} cores, load {results['load_before']:.2f} before: other work "
            "makes every number worse"
        )
    for name in options.names or NAMES:
        try:
            results[name] = import_module(f"benchmarks.{name}").run()
        except Exception as error:  # the others still count
            traceback.print_exc()
            results[name] = {"failed": f"{type(error).__name__}: {error}", "met": False}
        if not options.json:
            show(name, results[name])
    if options.json:
        print(json.dumps(results, indent=2))
    return 0 if all(results[name].get("met") for name in options.names or NAMES) else 1


if __name__ == "__main__":
    sys.exit(main())
