"""De Stefano's passive integrator."""
