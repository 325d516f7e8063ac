"""A second computation of the verdict, from the saved series of every judged phase. Nothing of
softdock is imported here: what this package shares with softdock is the text of docs/verdict.md."""
