"""What every page is made of: the frame, elements, charts, words."""
