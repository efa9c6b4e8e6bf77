"""Search an embedding and draw it: nearest neighbours, positions in the plane, pictures, the HTML report.

Other rooms use the names exported here. The search is `neighbors`, over `exact` or the index of `inverted`. The report is
`report`, which puts sections (`findings`, `separation`, `clusters`), warnings (`cautions`) and columns (`node_columns`)
into the page (`page`) that is built from `web/`.
"""

from sparsecut.explore.html_report import report
from sparsecut.explore.index_file import index_beside
from sparsecut.explore.layout import METHODS, choose_method, layout
from sparsecut.explore.nearest import Nearest, Neighbors
from sparsecut.explore.scatter import plot
from sparsecut.kernels.exact_search import METRICS

__all__ = [
    "METHODS",
    "METRICS",
    "Nearest",
    "Neighbors",
    "choose_method",
    "index_beside",
    "layout",
    "plot",
    "report",
]
