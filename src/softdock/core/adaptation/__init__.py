"""Stage 6, the adaptation: measured wrench in, wrench on the satellites out, by methods. The list
of methods is in `registry.py`."""
