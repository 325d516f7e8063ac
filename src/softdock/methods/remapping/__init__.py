"""Force re-mapped from robot to satellite, prediction and rewind (Lange)."""
