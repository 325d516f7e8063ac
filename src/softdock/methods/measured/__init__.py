"""What several methods make of a reading."""
