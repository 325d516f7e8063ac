"""What a user writes: tables of values in, a checked `Scenario` with its parameter vector out."""
