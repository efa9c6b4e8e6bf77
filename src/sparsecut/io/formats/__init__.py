"""Formats of graph files, a module each. What a module declares in `FORMATS`, `read_graph` reads: no other file names it."""
