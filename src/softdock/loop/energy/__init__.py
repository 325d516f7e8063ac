"""Every joule accounted for: the ledger of the loop, the observed energy, and the log of
contacts."""
