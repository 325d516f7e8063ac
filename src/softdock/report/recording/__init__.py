"""What is shown of a recording."""
