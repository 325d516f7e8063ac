"""One method told nothing: the contact's law is identified, and the satellites feel it where they
are."""
