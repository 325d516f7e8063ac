"""The page of the haptic loop."""
