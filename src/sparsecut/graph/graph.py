"""The graph: adjacency, features, labels and node ids, checked once and frozen afterwards.

What a `Graph` holds, whatever was passed in:

- **undirected**: where A is not symmetric it becomes max(A, Aᵀ), so an edge given in one direction keeps its weight and
  one given in both counts once. A `DirectedGraphWarning` and `Graph.notes` say so. `directed="out"` or `"in"` keeps the
  directions instead: a filter then averages over the nodes that a node points to, or over those that point to it.
- **weights kept** as float32. Entries given twice at one position are summed, as scipy does with coordinates.
- **no self-loops**: every filter adds each node to its own neighbourhood exactly once, so an isolated node's closed
  neighbourhood is itself. Self-loops in the input are dropped, and `notes` counts them.
- **features** as float32, dense (numpy) or sparse (CSR), or None. Arrays are taken as they are. A table of named columns (a
  frame of pandas or polars, an Arrow table, a file) is encoded (`sparsecut.features`): numbers standardised, text one column
  per category; a model that is fitted on the graph keeps that encoding for later ones.
- **rows in the order of the nodes**: a frame or series whose index names nodes is put in their order by it.

What lies on a GPU stays there: a CSR tensor of torch, or an edge_index of two rows, and the features beside it are checked
on the device and shared. `graph.to("cuda")` copies a graph there, for several fits.

What lies in a memory map stays there: float32 features are checked block by block and not copied, and neither is an
adjacency, which then must be all of the above already (`sparsecut.build_store` makes one of any edges).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from sparsecut.base.errors import InputError, NewValuesWarning, check_choice
from sparsecut.features import Encoder, Scale
from sparsecut.graph.canonical import DIRECTIONS, check_adjacency, split_signs
from sparsecut.graph.clock import Clock, rescaled
from sparsecut.graph.foreign import is_edge_index, is_parts, library_of, plain_adjacency
from sparsecut.graph.frozen import FrozenGraph, rows_of
from sparsecut.graph.id_kinds import Ids
from sparsecut.graph.node_ids import choose_nodes
from sparsecut.graph.node_values import (
    check_ids,
    check_same_ids,
    named_columns,
)
from sparsecut.graph.relations import Relations
from sparsecut.graph.timeline import Timeline
from sparsecut.kernels import check_mapped, is_mapped

SHARED = {"_adjacency": "adjacency", "_tensor": "features"}  # copies of parts that a replaced graph keeps


class Graph(FrozenGraph):
    """An undirected graph with optional node features, labels and ids, checked when it is made and frozen afterwards.

    Parameters
    ----------
    adjacency : scipy sparse matrix or array, numpy array, torch tensor or pandas frame, (n, n)
        Weights are zero or more. The index of a frame names the nodes. A tensor of torch may be dense or sparse, or a list
        of edges: whole numbers in two rows (`edge_index`), where an edge given once or in both directions is one edge. A
        tuple of tensors is the parts of a CSR matrix: offsets, columns, and weights where there are any.
    features : array, scipy sparse matrix, torch tensor, data frame (n, f) or dict, default=None
        Arrays are taken as they are; float16 on a GPU stays float16. The columns of a frame (pandas, polars, Arrow) may have
        any type and are encoded; the column whose values are the node ids, or the index, says which row belongs to which
        node (the rule: `sparsecut.graph.id_columns`). A dict has for each node id a list of words, a row of numbers, or a
        dict of named values.
    labels : array (n,), series, frame or dict, default=None
        Any type; -1, None, NaN and "" mean that a node has no label. A series with an index of ids, a frame with a column of
        them and a dict from id to label may name a few nodes; the others have no label.
    node_ids : array (n,), default=None
        Unique, all integers or all words; 0..n-1 where not given.
    directed : {"symmetrize", "out", "in"}, default="symmetrize"
        What becomes of an adjacency whose entry (i, j) is an edge from i to j. "symmetrize" takes max(A, Aᵀ); "out" and "in"
        keep the directions.
    feature_names : sequence of str, default=None
        Names of the columns of an array: a model then matches the columns of later graphs by name. Frames have their own.
    scale : {"auto", "standard", "log", "rank"}, bool or dict, default="auto"
        The scale of the numbers of a table of named columns; arrays are always taken as they are. "auto", or True,
        standardises them, on a log scale where the tail of a column asks for it; False takes them as they are, where
        the columns share a unit already. A dict has the scale of some columns, {"balance": "log"}; others are "auto".
    id_column : str, default=None
        The column of a frame of features or labels that holds the node ids, or "index"; found by its values where not given.
    notes : tuple of str, default=()
        Sentences about how the graph was read, kept for whoever shows the graph to a person.
    signed : bool, default=False
        Whether weights may be below zero. Such edges ask for distance: they are `demands`, and not in the adjacency.

    Attributes
    ----------
    adjacency : scipy.sparse.csr_array (n, n)
        float32, sorted, without self-loops; symmetric unless `is_directed`. That of a graph on a GPU is copied to the host
        when it is first used, and so are `features`.
    labels : array (n,) or None
    node_ids : array (n,)
    notes : tuple of str
        What was changed or guessed on the way.
    is_directed : bool
    node_types : tuple of str or None
        The types of nodes, of a graph from `from_tables` or read with `bipartite=True`: ids then begin with one of them and
        a colon, "user:7". `nodes("user")` has the ids of one type, `types` the type of every node.
    edge_types : tuple of (str, str, str) or None
        The types of edges: (type of the source, name, type of the target).
    clock : Clock or None
        Of a graph whose edges have times, their half-life and the moment at which an edge weighs 1.
    demands : scipy.sparse.csr_array (n, n) or None
        Of a signed graph the weights of the edges that ask for distance, without their sign. They are not in `adjacency`.

    Raises
    ------
    InputError
        Where the parts do not fit together or hold what no graph can; the message names the remedy.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsecut as sc
    >>> path = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    >>> graph = sc.Graph(path, features=np.eye(3), labels=[0, 0, 1], node_ids=["a", "b", "c"])
    >>> graph
    Graph(3 nodes, 2 edges, 3 features, labels)
    >>> sc.Graph(path + np.eye(3)).notes
    ('3 self-loops were dropped: filters count each node in its own neighbourhood once.',)
    """

    __slots__ = ()

    def __init__(
        self,
        adjacency: Any,
        *,
        features: Any = None,
        labels: ArrayLike | None = None,
        node_ids: ArrayLike | None = None,
        directed: str = "symmetrize",
        feature_names: Sequence[str] | None = None,
        scale: Scale = "auto",
        id_column: str | None = None,
        notes: tuple[str, ...] = (),
        signed: bool = False,
    ) -> None:
        check_choice("Graph", "directed", directed, DIRECTIONS)
        if isinstance(adjacency, Graph):
            raise InputError("The adjacency is a Graph already: pass it as it is, or its graph.adjacency.")
        adjacency_notes: tuple[str, ...] = ()
        tensor = adjacency if library_of(adjacency) == "torch" or is_parts(adjacency) else None
        adjacency, named = plain_adjacency(adjacency)
        if named is not None:
            node_ids = check_same_ids(named, node_ids)
        checked: Any
        demands = None
        if signed:
            tensor = None
            adjacency, demands = split_signs(adjacency, directed)
        if tensor is not None and adjacency is tensor:  # on a GPU, or a list of edges
            beside: Any = node_ids if features is None else features
            n_nodes = None if beside is None else len(beside)
            checked, adjacency_notes = _check_on_device(tensor, directed, n_nodes)
        elif directed != "in" and is_mapped(adjacency):
            check_mapped(adjacency, is_symmetric=directed == "symmetrize")
            checked = adjacency
        else:
            checked, adjacency_notes = check_adjacency(adjacency, directed)
        ids = None if node_ids is None else check_ids(node_ids, rows_of(checked))
        encoder = named_columns(feature_names, features)
        self._store(
            checked, features, labels, ids, directed, (*notes, *adjacency_notes), encoder, scale, id_column, demands=demands
        )

    @classmethod
    def from_canonical(
        cls,
        adjacency: Any,
        *,
        features: Any = None,
        labels: ArrayLike | None = None,
        node_ids: Ids | None,
        directed: str = "symmetrize",
        encoder: Encoder | None = None,
        scale: Scale = "auto",
        id_column: str | None = None,
        notes: tuple[str, ...] = (),
        node_types: tuple[str, ...] | None = None,
        relations: Relations | None = None,
        clock: Clock | None = None,
        demands: Any = None,
        timeline: Timeline | None = None,
    ) -> Graph:
        """A graph from an adjacency and ids that are known to be as `Graph` would make them; neither is checked again.

        For readers that made both themselves: checking would take longer than making them.

        Parameters
        ----------
        adjacency : scipy.sparse.csr_array (n, n)
            float32, sorted, without repeats, zeros and self-loops, oriented as `directed` says.
        features, labels, directed, scale, id_column, notes
            As in `Graph`; features and labels are checked.
        node_ids : array (n,) or None
            Unique; None for 0..n−1.
        encoder : Encoder, default=None
            What a matrix of features was encoded by already.
        node_types : tuple of str, default=None
            Of a graph with several types of nodes what they are called: the ids begin with one of these and a colon.
        relations : Relations, default=None
            The edges of each type, whose sum the adjacency is.
        clock : Clock, default=None
            By which the weights of the edges aged.
        demands : scipy.sparse.csr_array (n, n), default=None
            The weights of edges that ask for distance.
        timeline : Timeline, default=None
            The edges one by one, with their times.

        Returns
        -------
        Graph

        Examples
        --------
        >>> import numpy as np, scipy.sparse as sp
        >>> import sparsecut as sc
        >>> edge = sp.csr_array(np.array([[0, 1], [1, 0]], dtype=np.float32))
        >>> sc.Graph.from_canonical(edge, node_ids=np.array(["a", "b"]))
        Graph(2 nodes, 1 edges)
        """
        graph = object.__new__(cls)
        given = adjacency, features, labels, node_ids, directed, notes, encoder, scale, id_column
        graph._store(*given, node_types, relations, clock, demands, timeline)
        return graph

    def encoded_by(self, encoder: Encoder | None) -> Graph:
        """The graph with its features as a fitted encoder makes them: its columns, in its order, by its scales.

        Values that were not there when the encoder was fitted give a `NewValuesWarning` and a line in `notes`.

        Parameters
        ----------
        encoder : Encoder or None
            That of a fitted model (`model.encoder_`) or of another graph; None for a model that was fitted on an array.

        Returns
        -------
        Graph

        Examples
        --------
        >>> import numpy as np, pyarrow as pa
        >>> import sparsecut as sc
        >>> edge = np.array([[0, 1], [1, 0]])
        >>> first = sc.Graph(edge, features=pa.table({"age": [20, 40]}))
        >>> later = sc.Graph(edge, features=pa.table({"age": [30, 60]}))
        >>> later.encoded_by(first.encoder).features.ravel().tolist()
        [0.0, 3.0]
        """
        if self._source is None or (self._matrix is not None and self._source.encoder == encoder):
            return self
        matrix, notes = self._source.matrix(encoder)
        for note in notes:
            warnings.warn(note, NewValuesWarning, stacklevel=3)
        return self.replace(features=matrix, encoder=encoder, notes=(*self.notes, *notes))

    def replace(self, **changes: Any) -> Graph:
        """A copy of the graph with some of its parts replaced.

        Parameters
        ----------
        **changes
            Of `adjacency` (canonical, as in `from_canonical`), `features`, `encoder` (with `features`), `labels`,
            `node_ids`, `directed`, `scale`, `id_column`, `notes`, `node_types`, `relations`, `clock`, `demands` and
            `timeline`. Another adjacency has no relations and no timeline unless they are given with it.

        Returns
        -------
        Graph
            A new graph that shares what was not changed.

        Examples
        --------
        >>> import sparsecut as sc
        >>> graph = sc.from_edges([("a", "b"), ("b", "c")])
        >>> graph.replace(labels=[0, 0, 1])
        Graph(3 nodes, 2 edges, labels)
        """
        kept: dict[str, Any] = {
            "adjacency": self._edges,
            "features": self._source,
            "labels": self.labels,
            "node_ids": self._ids,
            "directed": "out" if self.is_directed else "symmetrize",  # the rows are oriented already
            "notes": self.notes,
            "node_types": self.node_types,
            "relations": None if "adjacency" in changes else self.relations,
            "clock": self.clock,
            "demands": self.demands,
            "timeline": None if "adjacency" in changes else self.timeline,
        }
        changed = Graph.from_canonical(**(kept | changes))
        changed._set({name: getattr(self, name) for name, part in SHARED.items() if part not in changes})
        if "node_ids" not in changes and "node_types" not in changes:
            changed._set({"_codes": self._codes})
        return changed

    def to(self, device: Any) -> Graph:
        """The graph with its edges and features on a device of torch: copied once, for several fits and transforms.

        Parameters
        ----------
        device : str or torch.device
            "cuda", "cuda:1", or "cpu" for a graph that is back in the host's memory.

        Returns
        -------
        Graph
            Itself where it is there already.

        Examples
        --------
        >>> import sparsecut as sc
        >>> graph = sc.datasets.load("digits")
        >>> graph.to("cpu") is graph
        True
        """
        from sparsecut.graph.placing import placed

        return placed(self, device)

    def __reduce__(self) -> tuple[Any, ...]:
        kept = (self.adjacency, self._source, self.labels, self.node_ids, self.notes, self.is_directed, self.node_types)
        return _rebuild, (*kept, self.relations, self.clock, self.demands, self.timeline)

    def subgraph(self, nodes: Any = None, *, positions: ArrayLike | None = None) -> Graph:
        """The graph induced by some nodes, in the order given: what a model may see before the others arrive.

        Parameters
        ----------
        nodes : list or array of node ids, or boolean mask (n,), default=None
            The nodes to keep. Integers are ids, never positions: the two agree only where the ids are 0..n-1. A mask goes
            by position; a boolean pandas Series by its index, unless that is 0..n-1.
        positions : list or array of int, default=None
            The nodes by their positions 0..n-1 instead.

        Returns
        -------
        Graph

        Examples
        --------
        >>> import numpy as np
        >>> import sparsecut as sc
        >>> graph = sc.Graph(np.ones((3, 3)), node_ids=["a", "b", "c"])
        >>> graph.subgraph(["c", "a"]).node_ids.tolist()
        ['c', 'a']
        >>> graph.subgraph(positions=[2, 0]).node_ids.tolist()
        ['c', 'a']
        """
        nodes = choose_nodes(nodes, positions, self.node_ids, "subgraph")
        return Graph(
            self.adjacency[nodes][:, nodes],
            labels=None if self.labels is None else self.labels[nodes],
            node_ids=self.node_ids[nodes],
            directed="out" if self.is_directed else "symmetrize",  # the rows are oriented already
        ).replace(
            features=None if self._source is None else self._source.take(np.asarray(nodes)),
            node_types=self.node_types,
            relations=None if self.relations is None else self.relations.take(np.asarray(nodes)),
            clock=self.clock,
            demands=None if self.demands is None else sp.csr_array(self.demands[nodes][:, nodes]),
            timeline=None if self.timeline is None else self.timeline.take(np.asarray(nodes), self.n_nodes),
        )

    def weighed(self, factors: Sequence[float]) -> Graph:
        """The graph with its types of edges added up by other factors.

        Parameters
        ----------
        factors : sequence of float
            One per type of edges, of zero or more.

        Returns
        -------
        Graph
            Itself where it has these factors.

        Examples
        --------
        >>> import numpy as np, scipy.sparse as sp
        >>> import sparsecut as sc
        >>> from sparsecut.graph.relations import Relations
        >>> one = sp.csr_array(np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]], dtype=np.float32))
        >>> other = sp.csr_array(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=np.float32))
        >>> relations = Relations.of({("a", "knows", "a"): one, ("a", "visits", "b"): other})
        >>> graph = sc.Graph(one + other).replace(adjacency=relations.added_up(), relations=relations)
        >>> graph.weighed([1.0, 3.0]).adjacency.toarray().tolist()
        [[0.0, 1.0, 3.0], [1.0, 0.0, 0.0], [3.0, 0.0, 0.0]]
        """
        if self.relations is None or tuple(factors) == self.relations.factors:
            return self
        if not self.relations.matrices:
            raise InputError(
                "The types of edges of this graph are added up, by other factors than these, and which edges are of which "
                "type is not known any more. Read the graph again, with from_tables or from its store."
            )
        relations = self.relations.weighed(factors)
        return self.replace(adjacency=relations.added_up(), relations=relations, timeline=self.timeline)

    def at(self, now: float) -> Graph:
        """The graph of a clock at another moment: all weights times one factor.

        Edges of a type without times do not age, and keep their weights.

        Parameters
        ----------
        now : float
            The moment at which an edge weighs 1, as in `clock`.

        Returns
        -------
        Graph
            Itself where it has no clock, or is at this moment.

        Examples
        --------
        >>> import sparsecut as sc
        >>> graph = sc.from_edges([("a", "b")], time=[0], half_life=5)
        >>> graph.at(10).adjacency.data.tolist()
        [0.25, 0.25]
        """
        if self.clock is None or self.clock.now == now:
            return self
        clock = replace(self.clock, now=now)
        factor = self.clock.factor_to(clock)
        relations = None if self.relations is None else self.relations.times(factor)
        is_mixed = relations is not None and not all(relations.ages)
        is_apart = relations is not None and is_mixed and relations.matrices
        edges = relations.added_up() if relations is not None and is_apart else self._aged(self.adjacency, factor)
        demands = self.demands
        if demands is not None:
            is_told = relations is None or (relations.tells_ages and not is_mapped(demands))
            demands = self._aged(demands, factor) if is_told else rescaled(demands, factor)
        brought = {"relations": relations, "demands": demands, "timeline": self.timeline}
        return self.replace(adjacency=edges, clock=clock, **brought)

    def _aged(self, weights: sp.csr_array, factor: float) -> sp.csr_array:
        """Weights times a factor, but for the edges of types without times."""
        relations = self.relations
        if relations is None or self.node_types is None or all(relations.ages):
            return rescaled(weights, factor)
        if not relations.tells_ages:
            raise InputError(
                "Types of edges with times and without join the same two types of nodes, and this graph has them added up: "
                "it cannot be brought to another moment. Read it again with now=…"
            )
        return relations.aged(weights, self.type_codes, self.node_types, factor)


def _check_on_device(tensor: Any, directed: str, n_nodes: int | None) -> tuple[Any, tuple[str, ...]]:
    """The edges of a tensor: entries where it lies on a GPU, scipy's matrix where it lies in the host's memory."""
    from sparsecut.graph.device import check_edges, check_parts, check_tensor

    if isinstance(tensor, tuple):
        entries, notes = check_parts(tensor, directed)
    elif is_edge_index(tensor):
        entries, notes = check_edges(tensor, None, n_nodes, directed)
    else:
        entries, notes = check_tensor(tensor, directed)
    return (entries, notes) if entries.indices.is_cuda else (entries.to_scipy(entries.n_rows), notes)


def _rebuild(
    adjacency: Any,
    features: Any,
    labels: Any,
    node_ids: Any,
    notes: tuple[str, ...],
    is_directed: bool,
    node_types: tuple[str, ...] | None,
    relations: Relations | None,
    clock: Clock | None,
    demands: Any,
    timeline: Timeline | None = None,
) -> Graph:
    directed = "out" if is_directed else "symmetrize"
    graph = Graph(adjacency, labels=labels, node_ids=node_ids, directed=directed, notes=notes)
    parts: dict[str, Any] = {"relations": relations, "clock": clock, "demands": demands, "timeline": timeline}
    return graph.replace(features=features, node_types=node_types, **parts)
