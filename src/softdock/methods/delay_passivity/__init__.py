"""Time-domain passivity with delay: observer and damper."""
