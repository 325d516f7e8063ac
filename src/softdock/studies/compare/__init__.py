"""Methods and integrators side by side on one scenario, against orbit: what each gives, what it
must know, what an error in that costs."""

from softdock.scenario.method_file import load_method_file
from softdock.studies.compare.compare import Comparison, compare

__all__ = ["Comparison", "compare", "load_method_file"]
