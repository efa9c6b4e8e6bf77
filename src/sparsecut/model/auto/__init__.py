"""Everything that is chosen from the graph: the weighting, the filter, the channels, the directions that are smoothed."""
