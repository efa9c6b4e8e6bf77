"""Looking at an embedding."""

from sparsecut.explore.picture import draw_map

__all__ = ["draw_map"]
