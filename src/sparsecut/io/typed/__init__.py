"""Graphs of several types of nodes and edges: from tables, folders and other libraries' objects."""
