"""The columns that a graph brings by itself, without features: fitted on one graph, and computed for any.

    structure    a node's place among the nodes that were fitted, found by their ids (`sparsecut.features.places`)
    roles        counts around a node, which mean the same in any graph (`sparsecut.features.roles`)

They become rows of an engine as features do, and are filtered and solved like them. On a graph that changes they are
computed for some nodes alone, from those around them.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparsecut.base.errors import InputError, StrangersWarning
from sparsecut.base.progress import Reporter
from sparsecut.engines.contract import Engine
from sparsecut.engines.in_process import InProcess
from sparsecut.features.local_roles import LinkedNodes, counts_at, touched
from sparsecut.features.places import N_COLUMNS, Places, averaged, centred, filled
from sparsecut.features.roles import NodeRoles, RoleColumns
from sparsecut.features.triangles import MOST_LISTED
from sparsecut.features.weighting import Weighting
from sparsecut.graph import Graph
from sparsecut.graph.node_ids import pack_ids, unpack_ids
from sparsecut.graph.undirected import without_directions
from sparsecut.kernels.block import degrees
from sparsecut.kernels.either import on_host
from sparsecut.kernels.hashing import hash_ids
from sparsecut.kernels.polynomials import power
from sparsecut.operators.filters import Filter, Power, is_served_by

if TYPE_CHECKING:  # of graphs that change, whose code a fit does not need
    from sparsecut.updates.changing_graph import ChangingGraph
    from sparsecut.updates.node_index import NodeIndex

NONE = Weighting("none")
MEAN = Power(order=1)  # over a node and its neighbours
N_BESIDE = 64  # columns of places beside features: more hold next to nothing of the whole
N_COMPARED = 2048  # nodes whose place is compared with their neighbours'
CLEAR_AGREEMENT = 0.4  # mean cosine in the fitted graph from which on places say which nodes are neighbours …
LEAST_SHARE = 0.15  # … and of which known nodes keep so much: where they do not, their ids mean other nodes
LEAST_COMPARED = 50  # nodes: the mean of fewer says little

FEW = 256  # nodes of an update, placed one by one

NOBODY = np.empty(0, dtype=np.int64)

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class GraphColumns:
    """What a model keeps for them: places by node id, and what roles are standardised by.

    Attributes
    ----------
    places : Places or None
        The places of the fitted nodes.
    roles : NodeRoles or None
        The means and deviations of counts in the fitted graph.
    agreement : float
        The mean cosine of a fitted node's place and that of its neighbours.
    is_either_way : bool
        Whether the fitted graph has directions and edges that ask for distance. Its places are then found, and averaged
        once, along friendly edges whichever way they point: whom a node trusts and who trusts it. They go no further:
        friends of friends may be enemies.
    """

    places: Places | None = None
    roles: NodeRoles | None = None
    agreement: float = 0.0
    is_either_way: bool = False
    fitted_roles: RoleColumns | None = field(default=None, repr=False, compare=False)  # while it is fitted

    @classmethod
    def fit(
        cls, names: Sequence[str], graph: Graph, engine: Engine[Any], *, is_alone: bool, report: Reporter
    ) -> GraphColumns:
        """What the named columns need of a graph, the one of the engine's job; beside features fewer suffice."""
        places = roles = fitted_roles = None
        is_either_way = graph.demands is not None and graph.is_directed
        if "structure" in names:
            places = Places.fit(
                _links(graph) if is_either_way else graph.adjacency,
                graph.node_ids,
                n_columns=N_COLUMNS if is_alone else N_BESIDE,
                sides=graph.types if len(graph.node_types or ()) == 2 else None,
                is_directed=graph.is_directed and not is_either_way,
                is_aged=graph.clock is not None,
                report=report,
            )
        if "roles" in names:
            roles, fitted_roles = NodeRoles.fit_columns(engine, None if graph.demands is not None else _undirected(graph))
        columns = cls(places, roles, is_either_way=is_either_way, fitted_roles=fitted_roles)
        return columns if places is None else replace(columns, agreement=columns._agreement(graph, engine))

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources of columns that were fitted."""
        return tuple(name for name, kept in (("structure", self.places), ("roles", self.roles)) if kept is not None)

    def of(self, sources: Sequence[str]) -> GraphColumns:
        """What some sources need, and no more."""
        return replace(
            self,
            places=self.places if "structure" in sources else None,
            roles=self.roles if "roles" in sources else None,
            fitted_roles=None,
        )

    @property
    def has_sides(self) -> bool:
        """Whether every edge of the fitted graph joins one side to the other."""
        return self.places is not None and len(self.places.means) > 1

    def n_columns(self, source: str) -> int:
        """The width of the columns of a source."""
        return self._placing.n_columns if source == "structure" else len(self._roles.names)

    def load(self, source: str, graph: Graph, filter: Filter, engine: Engine[Any]) -> Any:
        """The columns of a source as rows of the engine, no hop of the filter taken yet."""
        if source == "roles":
            known = self.fitted_roles
            return engine.load(graph, NONE, filter, self._role_columns(engine, graph) if known is None else known)
        places = self._placing
        if self.is_either_way and graph.is_directed:
            return engine.load(graph, NONE, filter, self.whole(source, graph))
        n_columns, width = places.n_columns, places.n_columns + len(places.means)
        own = engine.load(graph, NONE, MEAN, places.on(graph.node_ids))
        placed = engine.map([own, engine.smooth(own, power(1))], averaged, width, n_columns)
        if not self._knows_all(graph):
            placed = engine.map([placed, engine.smooth(placed, power(1))], filled, width, n_columns)
        if is_served_by(filter, MEAN):
            return engine.map([placed], centred, n_columns, places.means)
        other = engine.load(graph, NONE, filter, places.on(graph.node_ids))  # for its matrix: rows have that of the first
        return engine.map([other, placed], centred_second, n_columns, places.means)

    def checked(self, graph: Graph, engine: Engine[Any], caller: str, *, is_alone: bool) -> GraphColumns:
        """The columns for a graph to transform: without places where its nodes are strangers, which is said.

        `is_alone`, nothing but the graph is embedded, and strangers are refused. Where both graphs are numbered from 0, ids
        that are the same may be other nodes: then their neighbours are others than those that they had.
        """
        if self.places is None or not len(self.places.ids):
            return self
        n_known = int((self.places.find(graph.node_ids) >= 0).sum())
        is_clear = n_known >= LEAST_COMPARED and self.agreement >= CLEAR_AGREEMENT
        if n_known and not (is_clear and self._agreement(graph, engine) < LEAST_SHARE * self.agreement):
            return self
        if n_known:
            fault = (
                f"knows {n_known:,} of the {graph.n_nodes:,} nodes by their ids, but the edges between them are not those "
                "of the fitted graph: these seem to be other nodes under the same ids"
            )
        else:
            fault = (
                f"knows none of the {graph.n_nodes:,} nodes: their ids are such as {_shown(graph.node_ids)}, the fitted "
                f"ones such as {_shown(self.places.ids)}"
            )
        what = f"{caller} places nodes by their neighbours among those that were fitted. It {fault}"
        if is_alone:
            raise InputError(
                f"{what}. Pass a graph with fitted nodes in it, under the ids that they had, fit this graph, or fit with "
                "channels='roles', which mean the same in any graph."
            )
        warnings.warn(
            f"{what}. The columns of the channel 'structure' say nothing about them. Fit with features='given' for a model "
            "of features alone.",
            StrangersWarning,
            stacklevel=4,
        )
        return replace(
            self, places=replace(self.places, ids=NOBODY, groups=NOBODY.astype(np.int32), sides=NOBODY.astype(np.int8))
        )

    def whole(self, source: str, graph: Graph) -> NDArray[np.float32]:
        """The rows of all nodes of a graph, in the host's memory."""
        if source == "structure":
            return self._placing.rows(_links(graph) if self.is_either_way else graph.adjacency, graph.node_ids)
        return np.asarray(self._role_columns(InProcess(graph), graph))

    def moved(self, source: str, graph: ChangingGraph, index: NodeIndex, ends: Integers) -> Integers:
        """The places of nodes whose rows may be others since edges with these ends changed, ascending."""
        ends = np.unique(ends)
        if source == "structure":
            near, numbers = graph.linked(ends).columns, self._numbers(index)
            strangers = near[numbers[near] < 0]  # they are placed by their neighbours, for they were not fitted
            return np.union1d(ends, strangers) if len(strangers) else ends
        if self._roles.kind.is_signed:
            return ends
        if graph.loops is None or graph.is_directed:
            return touched(_lists(graph, index), ends)
        found: Integers = graph.loops.roles.touched(ends, graph.rows.parts, graph.marks(), MOST_LISTED)
        return found

    def at(self, source: str, graph: ChangingGraph, index: NodeIndex, places: Integers) -> NDArray[np.float32]:
        """The rows of some places, as `whole` has them."""
        if source == "roles":
            return self._roles.standardised(counts_at(_lists(graph, index), places, self._roles.kind))
        if len(places) <= FEW:
            numbers, listed = self._numbers(index), graph.linked(places) if self.is_either_way else graph.rows.take(places)
            offsets, columns, weights = listed
            found = self._placing.first_rows(numbers[places], (offsets, numbers[columns], weights))
            if found is not None:
                return found
        nodes, rows = graph.around(places, 2, both_ways=self.is_either_way)
        return self._placing.rows(rows, _plain(index.ids[nodes]))[: len(places)]

    def _numbers(self, index: NodeIndex) -> Integers:
        return index.derived(self._placing, self._placing.numbers)

    def to_header(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What JSON can hold of it, and the arrays."""
        arrays: dict[str, NDArray[Any]] = {}
        if self.places is not None:
            kept = self.places
            arrays |= {f"places.{name}": getattr(kept, name) for name in ("groups", "sides", "vectors", "means")}
            arrays["places.ids"] = pack_ids(kept.ids)
        if self.roles is not None:
            arrays |= {f"roles.{name}": array for name, array in self.roles.to_arrays().items()}
        way = {"either way": True} if self.is_either_way else {}
        return {"sources": self.sources, "agreement": self.agreement, **way}, arrays

    @classmethod
    def read(cls, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> GraphColumns:
        """What `to_header` wrote."""
        places = roles = None
        if "structure" in header["sources"]:
            kept = (arrays[f"places.{name}"] for name in ("groups", "sides", "vectors", "means"))
            places = Places(unpack_ids(arrays["places.ids"]), *kept)
        if "roles" in header["sources"]:
            start = "roles."
            roles = NodeRoles.from_arrays(
                {name.removeprefix(start): arrays[name] for name in arrays if name.startswith(start)}
            )
        return cls(places, roles, float(header["agreement"]), bool(header.get("either way")))

    @property
    def _placing(self) -> Places:
        assert self.places is not None
        return self.places

    @property
    def _roles(self) -> NodeRoles:
        assert self.roles is not None
        return self.roles

    def _role_columns(self, passes: Any, graph: Graph) -> RoleColumns:
        return self._roles.columns(passes, None if self._roles.kind.is_signed else _undirected(graph))

    def _knows_all(self, graph: Graph) -> bool:
        return bool((self._placing.find(graph.node_ids) >= 0).all())

    def _agreement(self, graph: Graph, engine: Engine[Any]) -> float:
        """The mean cosine of a known node's place and the mean of its known neighbours', on a sample of nodes."""
        places = self._placing
        known = np.flatnonzero(places.find(graph.node_ids) >= 0)
        nodes = np.sort(known[np.argsort(hash_ids(graph.node_ids[known]), kind="stable")[:N_COMPARED]])
        own = engine.load(graph, NONE, MEAN, places.on(graph.node_ids))
        around = engine.take(engine.smooth(own, power(1), lazily=True), nodes)
        weights = torch.from_numpy(np.asarray(on_host(degrees(engine)[nodes]))).to(around.device).float()[:, None]
        return _mean_cosine(engine.take(own, nodes), around * (1 + weights), places)


def _links(graph: Graph) -> sp.csr_array:
    """The friendly edges whichever way they point, the weights of both ways added up."""
    return sp.csr_array(graph.adjacency + graph.adjacency.T) if graph.is_directed else graph.adjacency


def _undirected(graph: Graph) -> InProcess | None:
    """Passes over a directed graph without its directions, for triangles; None where it has none."""
    return InProcess(without_directions(graph)) if graph.is_directed else None


def centred_second(_: Tensor, placed: Tensor, means: NDArray[np.float32]) -> Tensor:
    rows: Tensor = centred(placed, means)
    return rows


def _mean_cosine(own: Tensor, sums: Tensor, places: Places) -> float:
    """Mean cosine of rows [place | side] and their neighbours', from sums over closed neighbourhoods; 0 without links."""
    neighbours, n_columns = sums - own, places.n_columns
    share = neighbours[:, n_columns:].sum(dim=1, keepdim=True)
    is_linked = share[:, 0] > 1e-6
    if not bool(is_linked.any()):
        return 0.0
    means = torch.from_numpy(places.means).to(own.device)
    parts = [rows[:, :n_columns] - rows[:, n_columns:] @ means for rows in (own, neighbours / share.clamp(min=1e-6))]
    cosines = torch.nn.functional.cosine_similarity(parts[0], parts[1], dim=1)
    return float(cosines[is_linked].double().mean())


def _lists(graph: ChangingGraph, index: NodeIndex) -> LinkedNodes:
    into = graph.columns if graph.is_directed else None
    asked = None if graph.demands is None else graph.demands.n_ends
    loops = graph.loops

    def triangles(nodes: Integers) -> NDArray[np.float64]:
        assert loops is not None
        marks, lists = graph.marks(), graph.rows.parts
        near = loops.hops.reached(nodes, lists, marks)
        found: NDArray[np.float64] = loops.roles.triangles_at(nodes, near, lists, index.hashes(), marks, MOST_LISTED)
        return found

    compiled = None if loops is None else triangles
    return LinkedNodes(graph.rows, into, lambda nodes: _plain(index.ids[nodes]), asked, compiled)


def _plain(ids: NDArray[Any]) -> NDArray[Any]:
    """Ids as a graph has them: words as an array of words."""
    return ids if ids.dtype != object else np.array(ids.tolist())


def _shown(ids: NDArray[Any]) -> str:
    return repr(ids[0].item() if hasattr(ids[0], "item") else ids[0])
