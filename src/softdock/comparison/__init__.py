"""Methods and integrators side by side on one scenario, against orbit: what each gives, what it
must know, what an error in that costs."""

from softdock.comparison.compare import compare
from softdock.comparison.result import Comparison
from softdock.scenario.method_file import load_method_file

__all__ = ["Comparison", "compare", "load_method_file"]
