"""Graphs and arrays that stay on disk: stores, work folders, and the passes that build them."""
