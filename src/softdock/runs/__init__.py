"""What a run is: the loop stepped by hand, labelled series, frames, a figure. Data only."""
