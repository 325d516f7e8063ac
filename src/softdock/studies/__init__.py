"""What is computed from many runs: stability, campaigns, comparisons, identification, placement."""
