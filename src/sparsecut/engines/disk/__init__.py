"""The engine for graphs and features larger than memory: panels of columns on disk, under a limit that is kept."""

from sparsecut.engines.disk.disk_choice import Disk

__all__ = ["Disk"]
