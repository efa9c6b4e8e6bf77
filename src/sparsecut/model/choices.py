"""Every filter, negative graph, solver and engine of the library, one line each.

A class that is listed here is known by its word (`SCE(filter="heat")`), is a public name (`sparsecut.Heat`), and is on the
help pages of the command line and on the API page.
"""

from sparsecut.engines.auto_choice import Auto as Auto
from sparsecut.engines.dask.dask_choice import Dask as Dask
from sparsecut.engines.disk.disk_choice import Disk as Disk
from sparsecut.engines.memory_choice import Memory as Memory
from sparsecut.model.adam import Adam as Adam
from sparsecut.model.closed_form import ClosedForm as ClosedForm
from sparsecut.operators.filters.average import Average as Average
from sparsecut.operators.filters.difference import Difference as Difference
from sparsecut.operators.filters.heat import Heat as Heat
from sparsecut.operators.filters.lazy import Lazy as Lazy
from sparsecut.operators.filters.pagerank import PageRank as PageRank
from sparsecut.operators.filters.paired_powers import Paired as Paired
from sparsecut.operators.filters.power import Power as Power
from sparsecut.operators.filters.symmetric import Symmetric as Symmetric
from sparsecut.operators.negatives.complete import Complete as Complete
from sparsecut.operators.negatives.degrees import Degrees as Degrees
from sparsecut.operators.negatives.pairs import Pairs as Pairs
from sparsecut.operators.negatives.sampled import Sampled as Sampled
from sparsecut.operators.negatives.sparsifier import Sparsifier as Sparsifier
