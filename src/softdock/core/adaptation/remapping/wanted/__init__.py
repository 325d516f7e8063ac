"""The wanted contact, fixed to the satellites."""
