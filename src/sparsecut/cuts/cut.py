"""The sparsest cut that can be found, and how far from the best possible it can be."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsecut.base.errors import InputError, check_integer
from sparsecut.base.progress import Reporter, reporting
from sparsecut.cuts.certificate import prove_second
from sparsecut.cuts.coarsen import Groups
from sparsecut.cuts.cut_input import DIMENSION, checked_embedding, embed, graph_to_cut
from sparsecut.cuts.cut_report import Reported, frame_of_parts, nodes_inside
from sparsecut.cuts.eigenvectors import Spectrum, is_cheap_to_factorise, scaled_laplacian
from sparsecut.cuts.exact_cut import ENUMERATED
from sparsecut.cuts.multilevel import Kahypar, Task, metis
from sparsecut.cuts.objective import CutProblem, Mask, Real
from sparsecut.cuts.other_answers import other_answers
from sparsecut.cuts.solve import solve
from sparsecut.graph import Graph

if TYPE_CHECKING:
    from matplotlib.figure import Figure

UNEVEN = (
    *((2, 0.3, "DEFAULT"), (2, 0.8, "DEFAULT")),
    *((4, 0.3, "DEFAULT"), (8, 0.3, "DEFAULT"), (16, 0.3, "LARGE_K"), (32, 0.3, "LARGE_K")),
)
HALVES = 0.05  # the imbalance of halves, which are made with several seeds, improved and combined
LEAST_SEEDS, MOST_SEEDS, ENTRIES_OF_SEEDS = 3, 16, 50_000  # stored entries times seeds between the two
LEAST_FOR_PARTS, MOST_FOR_PARTS = 32, 4_000_000  # nodes, stored entries: below, our own suffice; above, it takes minutes
METIS = ((2, 0.05), (2, 0.5), (4, 0.3), (8, 0.3), (16, 0.3))  # parts and their imbalance: seconds for a million nodes


@dataclass(frozen=True, repr=False)
class SparsestCut(Reported):
    """A cut of a graph, as `sparsest_cut` returns it.

    Attributes
    ----------
    nodes : array
        The ids of S, the smaller side (of equal sides the one without the graph's first node).
    value : float
        The objective: `φ′(S) = n·cut/(|S||S̄|)`, or the conductance cut/min(vol S, vol S̄).
    lower_bound : float
        No cut of this graph has a smaller value; the optimum lies between `lower_bound` and `value`. Proved by counting
        eigenvalues (`sparsecut.cuts.certificate`): at most λ₂ of the Laplacian, or half of the normalised Laplacian's. 0
        where the graph is too large for a proof: more than 6,000 nodes, unless its factors stay sparse (meshes, road and
        power networks, up to 250,000 nodes).
    estimate : float
        What `lower_bound` would be by the computed eigenvector alone. It may be too large, where an eigenvector was missed;
        0 where none is computed: a graph of more than 30,000 nodes and five million edges.
    source : str
        Which candidate became this cut: "eigenvector 1", "communities at resolution 0.1", "components", …
    objective : str
        "ratio" or "conductance".
    cut : float
        The weight of the edges between S and the rest.
    share : float
        The smaller side's share of the nodes, or of the volume.
    side : bool array (n,)
        True for the nodes of S.
    graph : Graph
        The graph that was cut.

    Examples
    --------
    >>> import numpy as np, sparsecut as sc
    >>> found = sc.sparsest_cut(sc.Graph(np.array([[0, 5, 0], [5, 0, 1], [0, 1, 0]]), node_ids=["a", "b", "c"]))
    >>> found
    SparsestCut(φ′ 1.5, no cut has less than 1.417, so at most 1.06 times the least; 1 of 3 nodes, cut 1, from all cuts)
    >>> found.nodes.tolist(), found.side.tolist()
    (['c'], [False, False, True])
    """

    nodes: NDArray[Any]
    value: float
    lower_bound: float
    estimate: float
    source: str
    objective: str
    cut: float
    share: float
    side: Mask
    graph: Graph = field(compare=False)

    @property
    def gap(self) -> float:
        """`value / lower_bound`: how many times the least value this cut can have at most; infinite without a bound."""
        if self.value == self.lower_bound:
            return 1.0
        return self.value / self.lower_bound if self.lower_bound > 0 else math.inf

    def __repr__(self) -> str:
        name = "φ′" if self.objective == "ratio" else "conductance"
        bound = f"no cut has less than {self.lower_bound:.4g}"
        if self.lower_bound > 0:
            bound += f", so at most {self.gap:.3g} times the least"
        elif self.value > 0:
            bound = f"no bound is proved, {self.estimate:.4g} is estimated"
        return (
            f"SparsestCut({name} {self.value:.4g}, {bound}; {len(self.nodes):,} of "
            f"{self.graph.n_nodes:,} nodes, cut {self.cut:g}, from {self.source})"
        )

    def nodes_of(self, type: str) -> NDArray[Any]:  # noqa: A002 - as of `Graph.nodes`
        """Return the nodes of S of one type, in a graph with types of nodes.

        Parameters
        ----------
        type : str
            One of the graph's `node_types`.

        Returns
        -------
        array
            Their own ids, as of `Graph.nodes`, in the order of the graph.

        Examples
        --------
        >>> import sparsecut as sc
        >>> bought = {("user", "buys", "thing"): [("a", "x"), ("b", "x"), ("c", "y"), ("c", "z"), ("d", "z"), ("b", "y")]}
        >>> found = sc.sparsest_cut(sc.from_tables(edges=bought))
        >>> found.nodes.tolist(), found.nodes_of("user").tolist()
        (['user:a', 'user:b', 'thing:x'], ['a', 'b'])
        """
        return nodes_inside(self.graph, self.side, type)

    def to_frame(self) -> Any:
        """Return the cut as a pandas frame. Needs pandas (extra ``pandas``).

        Returns
        -------
        pandas.DataFrame
            The column `part`, 1 for the nodes of S and 0 for the others, with the ids as index; `type` beside it of a graph
            with types of nodes.

        Examples
        --------
        >>> import numpy as np, sparsecut as sc
        >>> found = sc.sparsest_cut(sc.Graph(np.array([[0, 5, 0], [5, 0, 1], [0, 1, 0]]), node_ids=["a", "b", "c"]))
        >>> found.to_frame()["part"].to_dict()
        {'a': 0, 'b': 0, 'c': 1}
        """
        return frame_of_parts(self.graph, self.side.astype(np.int64))

    def draw(self, path: str | Path | None = None, *, overwrite: bool = False) -> Figure:
        """Draw the graph with the cut in colour. Needs matplotlib (extra ``explore``).

        Parameters
        ----------
        path : str or Path, optional
            A file to write the picture to: .png, .svg or .pdf.
        overwrite : bool, default=False
            Whether to replace a file that exists.

        Returns
        -------
        matplotlib.figure.Figure
            The picture. Where the smaller side has less than 5 % of the nodes, only it and its surroundings are drawn.

        Examples
        --------
        >>> import numpy as np, sparsecut as sc
        >>> figure = sc.sparsest_cut(sc.Graph(np.ones((4, 4)))).draw("cut.png", overwrite=True)
        """
        from sparsecut.cuts.drawing import draw_cut

        return draw_cut(self.graph, self.side, repr(self)[len("SparsestCut(") : -1], path, overwrite=overwrite)


def sparsest_cut(
    graph: Any,
    *,
    objective: str = "ratio",
    balance: float = 0.0,
    embedding: ArrayLike | None = None,
    random_state: int = 0,
    progress: Reporter | None = None,
) -> SparsestCut:
    """Find a set of nodes with few edges to the rest, relative to its size.

    Candidates are thresholds along the smoothest eigenvectors, their rotations and columns of an embedding, parts of
    clusterings, and parts that Mt-KaHyPar and METIS find where they are installed (extra ``cuts``). They are improved by
    maximum flow: MQI inside a set, FlowImprove and bands around its border; nearly equal halves are improved by themselves
    as well. Up to 16 nodes all cuts are tried and the result is exact.

    Parameters
    ----------
    graph : Graph, an adjacency, a networkx or igraph graph, or a path
        At least two nodes, undirected. Weights count; features are optional.
    objective : {"ratio", "conductance"}, default="ratio"
        The value to minimise: "ratio" is `φ′(S) = n·cut(S)/(|S||S̄|)`, "conductance" is cut(S)/min(vol S, vol S̄).
        Conductance suits graphs with very different degrees, where "ratio" may cut off a single leaf.
    balance : float, default=0.0
        The least share of the smaller side: of the nodes, or of the volume for conductance. At most 0.5, which for an odd
        number of nodes means as near as whole nodes allow. Raise it where the sparsest cut is too small to be of use.
    embedding : array or frame (n, d), optional
        Vectors whose columns are tried beside the eigenvectors; a frame is matched to the nodes by the ids it brings. By
        default `SCE` embeds a graph that has features.
    random_state : int, default=0
        Seed of the clustering and of the eigensolver's start. The same seed gives the same cut.
    progress : callable, optional
        Called as progress(stage, done, total) in place of the progress bar, which appears after two seconds.

    Returns
    -------
    SparsestCut
        `nodes`, `value`, `lower_bound`, `estimate`, `source` and more; `draw()` shows it.

    Raises
    ------
    InputError
        If the graph has one node, is directed, has no edges (conductance), or no cut keeps the balance.

    Examples
    --------
    >>> import numpy as np, sparsecut as sc
    >>> A = np.zeros((6, 6))
    >>> A[:3, :3] = A[3:, 3:] = 1  # two triangles
    >>> A[2, 3] = A[3, 2] = 1  # and an edge between them
    >>> found = sc.sparsest_cut(sc.Graph(A))
    >>> found.nodes.tolist(), round(found.value, 3), round(found.lower_bound, 3)
    ([3, 4, 5], 0.667, 0.438)
    """
    graph = graph_to_cut(graph)
    seed = check_integer("sparsest_cut", "random_state", random_state, minimum=0)
    problem = CutProblem.of(graph, objective, balance)
    if graph.n_nodes < 2:
        raise InputError("A cut needs at least two nodes. The graph has one.")
    # Nodes without edges have no volume: conductance does not see them, and they stay on the larger side.
    seen = np.flatnonzero(problem.measure > 0)
    if len(seen) < 2:
        raise InputError("Conductance needs edges: the graph has none, so no side has a volume. Use objective='ratio'.")
    with reporting(progress) as report:
        columns = _columns(graph, embedding)
        part = problem if len(seen) == graph.n_nodes else _part(problem, seen)
        with Kahypar(part.adjacency, np.ones(len(seen)), _tasks(part, seed)) as multilevel:
            vectors = None if columns is None else columns[seen, :DIMENSION]
            solution = solve(
                part, np.random.default_rng(seed), report, vectors=vectors, others=lambda: _others(multilevel, part, seed)
            )
        cuts = solution.cuts
        if len(seen) > ENUMERATED and not (cuts and cuts[0].value == 0):
            report("Other cuts", 0, 1)
            least = cuts[0].value * (1 - 1e-12) if cuts else math.inf
            others = other_answers(part, problem.adjacency, seen, seed)
            cuts = [*(one for one in others[:1] if one.value < least), *cuts]
        report("Lower bound", 0, 1)
        estimate, bound = _second_eigenvalue(part, solution.spectrum)
    if not cuts:
        raise InputError(
            f"No cut of these {len(seen):,} nodes has a share of at least {balance:g} on its smaller side. "
            "Ask for a smaller balance."
        )
    best = cuts[0]
    side = np.zeros(graph.n_nodes, dtype=bool)
    side[seen] = part.smaller(best.side)
    factor = 1.0 if objective == "ratio" else 0.5
    return SparsestCut(
        nodes=graph.node_ids[side],
        value=problem.value(side),
        lower_bound=factor * bound,
        estimate=factor * estimate,
        source=best.source,
        objective=objective,
        cut=problem.cut(side),
        share=float(problem.measure[side].sum() / problem.total),
        side=side,
        graph=graph,
    )


def _tasks(problem: CutProblem, seed: int) -> list[Task]:
    """What Mt-KaHyPar, where it is installed, has to find: halves, uneven halves and parts of several sizes."""
    if problem.n_nodes < LEAST_FOR_PARTS or problem.adjacency.nnz > MOST_FOR_PARTS:
        return []
    n_seeds = min(max(ENTRIES_OF_SEEDS // max(problem.adjacency.nnz, 1), LEAST_SEEDS), MOST_SEEDS)
    halves = Task(2, HALVES, "QUALITY", tuple(range(seed * 1_000, seed * 1_000 + n_seeds)), 3, 2, 3)
    return [halves, *(Task(count, imbalance, preset, (seed,)) for count, imbalance, preset in UNEVEN)]


def _others(multilevel: Kahypar, problem: CutProblem, seed: int) -> list[tuple[Groups, str]]:
    """Parts that other libraries find, where they are installed, and their names."""
    found = [(parts, "parts of Mt-KaHyPar") for parts in multilevel.parts()]
    if problem.n_nodes >= LEAST_FOR_PARTS and problem.adjacency.nnz:
        made = (metis(problem.adjacency, problem.measure, count, imbalance, seed) for count, imbalance in METIS)
        found += [(parts, "parts of METIS") for parts in made if parts is not None]
    return found


def _second_eigenvalue(problem: CutProblem, spectrum: Spectrum | None) -> tuple[float, float]:
    """(λ₂ as computed, less its residual; what is proved of it); zeros for a graph that falls apart."""
    if spectrum is None:
        return 0.0, 0.0
    estimate = max(float(spectrum.values[0]) - spectrum.residual, 0.0)
    N, root = scaled_laplacian(problem)
    return estimate, prove_second(N, root, estimate, is_cheap=is_cheap_to_factorise(problem))


def _part(problem: CutProblem, nodes: NDArray[np.int64]) -> CutProblem:
    part = CutProblem.of_adjacency(problem.adjacency[nodes][:, nodes], problem.objective)
    return CutProblem(part.adjacency, part.degrees, part.measure, part.objective, problem.allowed)


def _columns(graph: Graph, embedding: ArrayLike | None) -> Real | None:
    """The vectors given, or the embedding of a graph that has features."""
    if embedding is not None:
        return checked_embedding(graph, embedding)
    return None if graph.features is None else embed(graph)
