"""The version, in a file that imports nothing: the build and `sparsecut --version` read it."""

__version__ = "0.1.0"
