"""Port-Hamiltonian networks at work, as Python drives them: both steps behind one class
(`Sampled`), walls rendered over a motion, the haptic bench, two devices over a delay.

Networks and their compiled steps are in core/ports/; public names in softdock/ports.py.
"""
