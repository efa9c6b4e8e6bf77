"""What results on parts of a graph have in common: a table of them, and a report.

The report is the page of `sparsecut.report`, with the parts, their quality, and a tree to walk down.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import import_extra

if TYPE_CHECKING:
    from sparsecut.graph import Graph


class Reported:
    """A sparsest cut, k parts or a hierarchy, whose page can be written."""

    graph: Graph

    def report(self, path: str | Path = "report.html", *, embedding: Any = None, **options: Any) -> Path:
        """Write the report on the graph with its parts, or with a tree to walk down, as one HTML file.

        Parameters
        ----------
        path : str or Path, default="report.html"
            The file to write.
        embedding : array or frame (n, d), optional
            The vectors that the map is drawn from; by default those of `SCE()`.
        **options
            What else `sparsecut.report` takes: `title`, `nodes`, `layout_method`, `overwrite`, …

        Returns
        -------
        Path
            The file that was written.

        Examples
        --------
        >>> import numpy as np, sparsecut as sc
        >>> graph = sc.Graph(np.kron(np.eye(2), np.ones((3, 3))))
        >>> sc.sparsest_cut(graph).report("cut.html", embedding=np.eye(6), overwrite=True).name
        'cut.html'
        """
        from sparsecut.explore import report
        from sparsecut.model import SCE

        named = {"title": "Parts of the graph", **options}
        if embedding is None:
            named["model"] = SCE()
            embedding = named["model"].fit_transform(self.graph)
        return report(embedding, path, graph=self.graph, cut=self, **named)


def nodes_inside(graph: Graph, inside: NDArray[np.bool_], type: str | None) -> NDArray[Any]:  # noqa: A002 - as of `Graph.nodes`
    """The ids of some nodes; of one type of them by their own ids."""
    if type is None:
        return np.asarray(graph.node_ids[inside])
    own = graph.nodes(type)  # refuses a type that is not there
    assert graph.node_types is not None
    return np.asarray(own[inside[graph.type_codes == graph.node_types.index(type)]])


def frame_of_parts(graph: Graph, parts: NDArray[np.int64]) -> Any:
    """The part of every node as a pandas frame with the ids as index, and the type of a graph with types."""
    pandas = import_extra("pandas", caller="to_frame", extra="pandas")
    columns = {"part": parts} | ({} if graph.types is None else {"type": graph.types})
    return pandas.DataFrame(columns, index=pandas.Index(graph.node_ids, name="id"))
