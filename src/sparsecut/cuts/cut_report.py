"""The report on parts of a graph: the page of `sparsecut.report`, with the parts, their quality, and a tree to walk down."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

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
