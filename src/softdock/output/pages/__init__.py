"""Pages that a person reads: one self-contained HTML file each, no network. page.py is the frame,
elements.py what stands on it, charts.py the charts."""
