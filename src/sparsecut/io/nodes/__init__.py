"""Files and columns of nodes: their features, labels and ids."""
