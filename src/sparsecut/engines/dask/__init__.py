"""The engine for graphs larger than a machine: rows in blocks on the workers of a Dask cluster, solving on the driver."""

from sparsecut.engines.dask.dask_choice import Dask

__all__ = ["Dask"]
