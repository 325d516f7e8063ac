"""What the loop asks of a method: its declaration, its hooks, and what it sees and returns."""
