"""The page of `softdock place`."""
