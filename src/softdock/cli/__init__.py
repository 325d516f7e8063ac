"""The command line. Heavy modules are imported inside the commands that need them."""
