"""Methods over many cases, against orbit: which one is near it on how many, told what, at what
cost."""
