"""A method that needs no numbers: the contact's law is identified, and the satellites feel it where
they are."""
