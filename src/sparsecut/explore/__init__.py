"""Searching an embedding and looking at it: nearest neighbours, a layout in the plane, pictures, the report."""

from sparsecut.explore.layout import layout
from sparsecut.explore.neighbors import Nearest, Neighbors
from sparsecut.explore.plot import plot
from sparsecut.explore.report import report

__all__ = ["Nearest", "Neighbors", "layout", "plot", "report"]
