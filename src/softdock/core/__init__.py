"""What is compiled: plain Python on numbers and tuples, under the one decorator `compiled`."""
