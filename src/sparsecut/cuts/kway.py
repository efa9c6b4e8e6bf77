"""k parts with few edges between them, of about equal weight unless the objective says otherwise."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsecut.base.errors import ImbalanceWarning, InputError, check_choice, check_integer, check_real
from sparsecut.base.progress import Reporter, reporting
from sparsecut.cuts.cut_input import graph_to_cut, material
from sparsecut.cuts.cut_report import Reported, frame_of_parts, nodes_inside
from sparsecut.cuts.kway_moves import cuts_and_volumes
from sparsecut.cuts.kway_plan import Wanted
from sparsecut.cuts.kway_search import find_parts
from sparsecut.cuts.objective import Real, ratio, smaller_side, totals
from sparsecut.graph import Graph, is_frame, place_rows, place_values
from sparsecut.graph.node_ids import find_nodes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KWAY_OBJECTIVES = ("cut", "conductance", "modularity")
EFFORTS = ("usual", "best", "fast")
IMBALANCE = 0.03

Members = NDArray[np.int64]


@dataclass(frozen=True, repr=False)
class Partition(Reported):
    """A graph in k parts, as `partition` returns it.

    Attributes
    ----------
    parts : int array (n,)
        The part of every node, 0 … k - 1: the largest part first, or as the fixed nodes name them.
    sizes : int array (k,)
        The nodes of each part.
    cut : float
        The weight of the graph's edges between different parts.
    imbalance : float
        The weight of the heaviest part over the equal share, less 1.
    values : array (k,)
        φ′ of each part against the rest of the graph.
    conductances : array (k,)
        The conductance of each part.
    modularity : float
        Newman's modularity, on the graph's own edges.
    source : str
        What found the parts: "Mt-KaHyPar", "KaHIP", "METIS", "recursive cuts", "eigenvector 1", …
    graph : Graph
        The graph that was cut.
    """

    parts: Members
    sizes: NDArray[np.int64]
    cut: float
    imbalance: float
    values: NDArray[np.float64]
    conductances: NDArray[np.float64]
    modularity: float
    source: str
    graph: Graph = field(compare=False)

    def nodes(self, part: int, type: str | None = None) -> NDArray[Any]:  # noqa: A002 - as of `Graph.nodes`
        """Return the ids of the nodes of one part.

        Parameters
        ----------
        part : int
            The number of the part, 0 … k - 1; 0 is the largest.
        type : str, default=None
            Of a graph with types of nodes one of them: its nodes in this part, by their own ids, as of `Graph.nodes`.

        Returns
        -------
        array
            The ids, in the order of the graph.

        Examples
        --------
        >>> import numpy as np, sparsecut as sc
        >>> parts = sc.partition(sc.Graph(np.kron(np.eye(2), np.ones((2, 2))), node_ids=["a", "b", "c", "d"]), 2)
        >>> parts.nodes(1).tolist()
        ['c', 'd']
        """
        return nodes_inside(self.graph, self.parts == part, type)

    def to_frame(self) -> Any:
        """Return the parts as a pandas frame. Needs pandas (extra ``pandas``).

        Returns
        -------
        pandas.DataFrame
            The column `part`, with the ids as index; `type` beside it of a graph with types of nodes.

        Examples
        --------
        >>> import numpy as np, sparsecut as sc
        >>> parts = sc.partition(sc.Graph(np.kron(np.eye(2), np.ones((2, 2))), node_ids=["a", "b", "c", "d"]), 2)
        >>> parts.to_frame().loc["c", "part"].item()
        1
        """
        return frame_of_parts(self.graph, self.parts)

    def draw(self, path: str | Path | None = None, *, overwrite: bool = False) -> Figure:
        """Draw the graph with its parts in colour. Needs matplotlib (extra ``explore``).

        Parameters
        ----------
        path : str or Path, optional
            A file to write the picture to: .png, .svg or .pdf.
        overwrite : bool, default=False
            Whether to replace a file that exists.

        Returns
        -------
        matplotlib.figure.Figure
            The picture: nodes coloured by part, the edges between parts on top.

        Examples
        --------
        >>> import numpy as np, sparsecut as sc
        >>> figure = sc.partition(sc.Graph(np.ones((4, 4))), 2).draw("parts.png", overwrite=True)
        """
        from sparsecut.cuts.drawing import draw_parts

        return draw_parts(self.graph, self.parts, repr(self)[len("Partition(") : -1], path, overwrite=overwrite)

    def __repr__(self) -> str:
        return (
            f"Partition({len(self.sizes)} parts of {self.sizes.min():,} to {self.sizes.max():,} nodes, cut {self.cut:g}, "
            f"modularity {self.modularity:.3f}, from {self.source})"
        )


def partition(
    graph: Any,
    parts: int,
    *,
    imbalance: float | None = None,
    objective: str = "cut",
    effort: str = "usual",
    node_weights: Any = None,
    fixed: Any = None,
    use: str = "structure",
    embedding: ArrayLike | None = None,
    random_state: int = 0,
    progress: Reporter | None = None,
) -> Partition:
    """Cut a graph into k parts with few edges between them.

    Parameters
    ----------
    graph : Graph, an adjacency, a networkx or igraph graph, or a path
        Undirected; weights count.
    parts : int
        The number of parts, at most the number of nodes.
    imbalance : float, optional
        How much heavier than the equal share a part may be, as METIS and KaHIP have it: no part weighs more than
        (1 + imbalance) · ⌈total/parts⌉. By default 0.03 for objective="cut" and no bound for the others.
    objective : {"cut", "conductance", "modularity"}, default="cut"
        What is to be small or large: the weight of the edges between parts, the mean conductance of the parts, or
        modularity. Use "cut" to distribute work, the others to find groups whose sizes are not known.
    effort : {"usual", "best", "fast"}, default="usual"
        How much is tried where the extra ``cuts`` is installed. "usual" takes about the time of KaHIP's "strong"
        configuration, or less: a second for ten thousand nodes. "best" tries more seeds, improves longer and, for two parts,
        searches by eigenvectors and flows too: some ten times as long. "fast" takes METIS' parts as they are: some
        milliseconds.
    node_weights : array (n,), dict of id to number, series or frame, optional
        Positive weights that are balanced in place of the number of nodes; a node that a dict leaves out weighs 1. A series
        and a frame are matched to the nodes by their index.
    fixed : dict or series of id to part, or int array (n,), optional
        Nodes that must be in a given part, 0 … parts - 1; -1 in an array leaves a node free. Parts then keep these numbers.
        Where so many are in one part that the imbalance cannot be kept, an `ImbalanceWarning` says how heavy it is.
    use : {"structure", "embedding", "both"}, default="structure"
        What is cut: the graph's edges; the graph that joins each node to its ten nearest neighbours in the embedding; or
        the sum of the two, scaled to the same total weight. Use "both" where features say more than the edges.
    embedding : array or frame (n, d), optional
        One vector per node, for use="embedding" and use="both"; a frame is matched to the nodes by the ids it brings. By
        default `SCE` embeds the graph, which must have features.
    random_state : int, default=0
        Seed of all random choices. The same seed gives the same parts.
    progress : callable, optional
        Called as progress(stage, done, total) in place of the progress bar, which appears after two seconds.

    Returns
    -------
    Partition
        `parts`, `sizes`, `cut`, `imbalance`, `conductances`, `modularity` and more, measured on the graph's own edges
        whatever was cut; `source` says what found them.

    Raises
    ------
    InputError
        If there are more parts than nodes, a weight is not positive, or a fixed node or its part is unknown.

    Notes
    -----
    Parts come from Mt-KaHyPar, and on meshes from KaHIP, where they are installed (extra ``cuts``), else from recursive
    sparsest cuts.
    Weights of edges and nodes that are not whole numbers are rounded for them; the bound is then checked on the weights
    themselves. Where heavy nodes leave no way to keep it, the parts come as near as single moves get, and `imbalance` says
    how near.

    Examples
    --------
    >>> import numpy as np, sparsecut as sc
    >>> A = np.kron(np.eye(3), np.ones((3, 3)))  # three triangles
    >>> A[2, 3] = A[3, 2] = A[5, 6] = A[6, 5] = 1  # in a row
    >>> found = sc.partition(sc.Graph(A), 3)
    >>> found.parts.tolist(), found.cut, found.imbalance
    ([0, 0, 0, 1, 1, 1, 2, 2, 2], 2.0, 0.0)
    >>> sc.partition(sc.Graph(A), 3, fixed={0: 2}).parts.tolist()[:3]
    [2, 2, 2]
    """
    graph = graph_to_cut(graph)
    count = check_integer("partition", "parts", parts, minimum=1)
    seed = check_integer("partition", "random_state", random_state, minimum=0)
    check_choice("partition", "objective", objective, KWAY_OBJECTIVES)
    check_choice("partition", "effort", effort, EFFORTS)
    n = graph.n_nodes
    if count > n:
        raise InputError(f"The parts parameter of partition must be at most the number of nodes, {n:,}. Got {count}.")
    weights = _weights(graph, node_weights)
    held = None if fixed is None else _fixed(graph, fixed, count)
    allowed = _imbalance(imbalance, objective)
    with reporting(progress) as report:
        source = material(graph, use, embedding, "partition")
        wanted = Wanted(count, objective, allowed, weights, heaviest(weights, count, allowed), held)
        members, name = find_parts(source, wanted, effort=effort, seed=seed, report=report)
    if held is not None:
        _warn_of_fixed(totals(members, weights, count), wanted.most, allowed)
    return measured(graph, members if held is not None else by_size(members), count, weights, name)


def _warn_of_fixed(loads: Real, heaviest: float, imbalance: float) -> None:
    """Say that fixed nodes leave no way to keep the bound."""
    if loads.max() <= heaviest * (1 + 1e-9):
        return
    warnings.warn(
        f"The fixed nodes of partition left a part of weight {loads.max():g}, and imbalance={imbalance:g} allows "
        f"{heaviest:g}. Fix fewer nodes, or allow more.",
        ImbalanceWarning,
        stacklevel=3,
    )


def heaviest(weights: Real, count: int, imbalance: float) -> float:
    """(1 + imbalance) · ⌈total/parts⌉, at least the heaviest node; the equal share is not rounded where weights are not."""
    share = float(weights.sum()) / count
    if np.array_equal(weights, np.rint(weights)):
        share = math.ceil(share - 1e-9)
        most = math.floor((1 + imbalance) * share + 1e-9) if math.isfinite(imbalance) else math.inf
    else:
        most = (1 + imbalance) * share
    return float(max(most, weights.max()))


def by_size(members: Members) -> Members:
    """Parts as 0 … k - 1, the largest first, of equal ones that of the first node."""
    _, first, inverse, sizes = np.unique(members, return_index=True, return_inverse=True, return_counts=True)
    rank = np.empty(len(sizes), dtype=np.int64)
    rank[np.lexsort((first, -sizes))] = np.arange(len(sizes))
    return rank[inverse]


def measured(graph: Graph, members: Members, count: int, weights: Real, source: str) -> Partition:
    """What parts are worth on the graph's own edges."""
    sizes = np.bincount(members, minlength=count)
    cuts, volumes = cuts_and_volumes(graph.adjacency, members, count)
    total = max(float(volumes.sum()), 1e-300)
    return Partition(
        parts=members,
        sizes=sizes,
        cut=float(cuts.sum() / 2),
        imbalance=float(totals(members, weights, count).max() * count / weights.sum() - 1),
        values=ratio(cuts, sizes, graph.n_nodes),
        conductances=smaller_side(cuts, volumes, total),
        modularity=float(((volumes - cuts) / total - (volumes / total) ** 2).sum()),
        source=source,
        graph=graph,
    )


def _imbalance(imbalance: float | None, objective: str) -> float:
    if imbalance is None:
        return IMBALANCE if objective == "cut" else math.inf
    return check_real("partition", "imbalance", imbalance)


def _weights(graph: Graph, given: Any) -> Real:
    if given is None:
        return np.ones(graph.n_nodes)
    if isinstance(given, Mapping):
        values = np.ones(graph.n_nodes)
        values[find_nodes(list(given), graph.node_ids, "node_weights")] = list(given.values())
    elif is_frame(given):
        values = np.asarray(place_rows(given, graph.node_ids, "The frame of node_weights"), dtype=np.float64).ravel()
    else:  # a series brings ids
        values = np.asarray(place_values(given, graph.node_ids, graph.n_nodes, "The node_weights"), dtype=np.float64).ravel()
    if values.shape != (graph.n_nodes,) or not (np.isfinite(values) & (values > 0)).all():
        raise InputError(
            f"The node_weights of partition must be one positive number for each of the {graph.n_nodes:,} nodes. "
            f"Got {values.size:,} values, the least {values.min(initial=math.inf):g}."
        )
    return values


def _fixed(graph: Graph, given: Any, count: int) -> Members:
    if isinstance(given, Mapping):
        members = np.full(graph.n_nodes, -1)
        members[find_nodes(list(given), graph.node_ids, "fixed")] = list(given.values())
    else:
        members = np.asarray(place_values(given, graph.node_ids, graph.n_nodes, "The fixed nodes"))
    if (
        members.shape != (graph.n_nodes,)
        or members.dtype.kind not in "iu"
        or not ((members >= -1) & (members < count)).all()
    ):
        raise InputError(
            f"The fixed nodes of partition must be given as a dict of ids to parts from 0 to {count - 1}, or as one whole "
            f"number for each of the {graph.n_nodes:,} nodes, -1 for a free one. Got {given!r:.80}."
        )
    return members.astype(np.int64)
