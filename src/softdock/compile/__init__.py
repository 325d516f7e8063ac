"""The decorators of compiled functions, how they are compiled, and where machine code is kept."""
