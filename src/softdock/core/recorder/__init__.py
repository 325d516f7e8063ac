"""What a running loop hands to the recorder: declared rows, and the ring that they go through."""
