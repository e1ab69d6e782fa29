"""Layers: a family a file. `vizgrad.nn` gives them their public names."""
