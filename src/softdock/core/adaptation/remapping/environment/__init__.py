"""Where the environment is, from wrench and poses."""
