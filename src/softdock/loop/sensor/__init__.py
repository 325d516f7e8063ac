"""Stage 5, the sensors: true wrench and pose of the mock-ups in, measured ones with their ages out.

`force_torque.py`: the electronics of the force/torque sensor and its hand-over. `mock_up.py`:
weight and inertia of what it carries, their compensation, and the wrench moved to the centre of
mass. `pose.py`: measured poses.
"""
