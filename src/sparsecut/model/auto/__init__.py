"""Everything that is chosen from the graph: weighting, filter, channels, directions to smooth; and its constants."""
