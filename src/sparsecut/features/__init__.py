"""What the method smooths: the weighted features, or the graph's structure where it brings none."""
