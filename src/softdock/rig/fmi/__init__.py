"""FMI: the controller of a scenario as an FMU for Simulink, Dymola or OpenModelica (export.py), and
an FMU of one's own as the rig (facility.py). Variables are the cells of the seam (names.py)."""
