"""The semi-supervised networks of the paper's table: a graph, the labels of some nodes in, a label for every node out."""
