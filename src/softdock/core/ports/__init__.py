"""Port-Hamiltonian networks that stay passive when sampled: structure, steps, models. Users import
`softdock.ports`.

network.py causality.py dirac.py     a network in a few lines -> who decides what -> J, R, G, H
linear_step.py wall_step.py nonlinear_step.py secants.py
                                     the better step: passive at the sampled port for every motion
                                     within a bound, the default
published.py                         Franken's algorithm as published
models.py                            ready networks
"""
