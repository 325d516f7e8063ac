"""Stage 5, the sensor: true wrench on the mock-up in, measured wrench with its age out. Model: `force_torque.py`."""
