"""Edges as people have them: columns, ids, words, weights, times and sides, made into an adjacency."""
