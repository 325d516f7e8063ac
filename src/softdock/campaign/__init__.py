"""Many runs: parameter columns in, outcomes out, on CPU threads or a GPU."""
