"""Port-Hamiltonian networks as contacts, ports and satellites."""
