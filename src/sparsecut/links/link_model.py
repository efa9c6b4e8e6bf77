"""`Links`: who links to whom, by the closed form that ranks held-out links best."""

from __future__ import annotations

from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsecut.base.errors import InputError, check_choice, check_integer
from sparsecut.base.progress import Reporter, reporting
from sparsecut.engines import EngineChoice
from sparsecut.graph import as_graph
from sparsecut.io.edges.node_lookup import Lookup
from sparsecut.kernels.inverted import INDEXES, wants_index
from sparsecut.links.best_candidates import Recommended, first_candidates
from sparsecut.links.candidate_index import CandidateIndex, build_candidate_index
from sparsecut.links.fitted_spectrum import FittedSpectrum
from sparsecut.links.form_choice import FormTrial
from sparsecut.links.forms import Bases
from sparsecut.links.graph_edges import edges_by, engine_of
from sparsecut.links.link_files import read_links, write_links
from sparsecut.links.link_fit import fit_links
from sparsecut.links.link_sums import Incidence
from sparsecut.links.link_vectors import vectors_of
from sparsecut.links.node_kinds import find_ends

AT_ONCE = 1 << 22  # numbers of a table of scores
ROWS_AT_ONCE = 20_000
RECALL = 0.99
ROLES = ("candidates", "of_targets")


class Links:
    """Score possible links of a graph from vectors of its nodes, in closed form.

    The score is an inner product of transformed vectors, whose matrices follow from sums over nodes and edges
    (`sparsecut.links.forms` has the equations). The form, the power of the degrees and the penalty are those that rank a
    tenth of the links best, which is held out first; a model embeds the rest of the graph anew for that.

    Parameters
    ----------
    source : SCE, MoSCE or another estimator, array or frame (n, d), or a list of these
        What makes the vectors, or the vectors themselves, one per node; a frame is matched by the ids it brings. A fitted
        estimator's `embedding_` of this graph is used; otherwise a copy of it is fitted. With vectors that are given the
        choice is made by links that the vectors have seen. Of a list the one is taken that ranks held-out links best:
        `[SCE(), SCE(features="both")]` tries whether vectors should know the structure beside the features. The vectors of
        a tuple are taken together, side by side.
    graph : Graph, or an adjacency
        The known links. Directed graphs are scored along the arcs: u → v is not v → u. In a graph with two sides links are
        between the sides.
    with_spectrum : bool, default=True
        Whether forms may go by the leading singular vectors of the links beside the vectors: 64 columns at most, which
        see what vectors leave out that were made for something else. Without them everything follows from the vectors.
    index : {"auto", "exact", "approximate"}, default="auto"
        How `recommend` finds the best candidates. "exact" compares all. "approximate" builds the index of `Neighbors` (extra
        ``search``) with the first question, which takes a minute or two for a million nodes, and finds at least 99 % of
        the ten that comparing all finds, as measured then; where it cannot, all are compared. "auto" builds one for
        more than 50,000 nodes if the extra is installed.
    engine : str or EngineChoice, default=None
        Where the sums over nodes and edges are computed and models are fitted; by default the engine of the source. With
        `Disk`, or without an engine, edges of a store (`open_store`) are read some rows at a time; with `Dask` they are read
        by the workers. The vectors, 72 columns of the spectrum and the sums are in this process. `Dask` needs a `scratch`
        folder that the workers see, and for about three gigabytes of a million nodes.
    random_state : int, default=0
        Seed of the links held out, and of the index.
    progress : callable, optional
        Called as `progress(stage, done, total)` in place of the progress bar.

    Attributes
    ----------
    vectors : array (n, d)
        The vectors of the nodes.
    forms_ : dict of str to FormSum
        What `recommend` ranks by: "candidates" for sources, and "of_targets" for targets, where the graph has two sides.
        The `forms` of each are one to three closed forms, with their kinds, powers of the degrees, penalties and the
        vectors that they go by: those given ("given"), or the columns of the links' own ("spectrum").
    pair_score_ : PairScore
        What `score` and `probability` go by: the best forms with their weights.
    source_ : estimator, array or frame
        What the vectors are from: `source`, or the one that was taken of a list.
    recall_ : float
        Recall@10 of `recommend` against comparing all candidates.
    trials_ : list of FormTrial
        Every form that was tried with it, and its figures on held-out links.

    Raises
    ------
    InputError
        Where the vectors are not of the graph's nodes, or it has fewer than ten edges.

    Examples
    --------
    >>> import sparsecut as sc
    >>> graph = sc.datasets.load("digits")
    >>> links = sc.Links(sc.SCE().fit(graph), graph)
    >>> found = links.recommend(0, k=3)
    >>> len(found.ids), bool((found.probabilities > 0.02).all())
    (3, True)
    >>> links.score([(0, 1), (0, found.ids[0])]).argmax()
    np.int64(1)
    """

    def __init__(
        self,
        source: Any,
        graph: Any,
        *,
        with_spectrum: bool = True,
        index: str = "auto",
        engine: str | EngineChoice | None = None,
        random_state: int = 0,
        progress: Reporter | None = None,
    ) -> None:
        check_integer("Links", "random_state", random_state, 0)
        self.index = check_choice("Links", "index", index, INDEXES)
        self.random_state = random_state
        graph = as_graph(graph)
        with reporting(progress) as report, edges_by(engine_of(source) if engine is None else engine) as edges:
            fitted = fit_links(source, graph, random_state, bool(with_spectrum), report, edges)
        self.source_, self.trials_ = fitted.source, fitted.trials
        self.forms_, self.pair_score_ = fitted.forms, fitted.pair_score
        self._calibrations = fitted.calibrations
        self._take(fitted.vectors, fitted.incidence, FittedSpectrum.of(graph.node_ids, fitted.spectrum))

    def _take(self, vectors: Any, incidence: Incidence, spectrum: FittedSpectrum | None) -> None:
        graph = incidence.rows
        self.graph, self.ends = graph, incidence.ends
        self.vectors = vectors
        self._incidence = incidence
        self._fitted_spectrum = spectrum
        own = None if spectrum is None else spectrum.on(graph.node_ids, self._incidence).vectors()
        self._bases = Bases(vectors, own)

    def score(self, pairs: ArrayLike) -> NDArray[np.float64]:
        """Score pairs of nodes: the higher, the likelier a link. Any two pairs can be compared.

        The score of a link that the graph has is what it is without that link, as far as the vectors allow.

        Parameters
        ----------
        pairs : array-like of shape (m, 2)
            Ids of nodes: source and target. Where the graph is undirected the order does not matter.

        Returns
        -------
        array of shape (m,)
            −inf for pairs between which there can be no link: a node and itself, or two nodes of one side.

        Examples
        --------
        >>> import numpy as np, sparsecut as sc
        >>> graph = sc.datasets.load("digits")
        >>> links = sc.Links(sc.SCE().fit_transform(graph), graph)
        >>> bool(links.score([(3, 8)]) == links.score([(8, 3)]))
        True
        """
        return self.score_positions(self._positions(pairs))

    def score_positions(self, pairs: NDArray[np.int64]) -> NDArray[np.float64]:
        """`score` for pairs that are given by their rows in the graph."""
        pairs = self.ends.oriented(pairs)
        scores = self.pair_score_(self._bases, self._incidence, pairs, self.graph.adjacency)
        scores[~self.ends.are_possible(pairs)] = -np.inf
        return scores

    def probability(self, pairs: ArrayLike) -> NDArray[np.float64]:
        """The probability of a link between pairs of nodes, calibrated on held-out links.

        Of all possible pairs with a probability of 0.2, a fifth are links, known ones among them: of pairs that are not
        linked yet, fewer are links that are missing.

        Parameters
        ----------
        pairs : array-like of shape (m, 2)
            Ids of nodes, as in `score`.

        Returns
        -------
        array of shape (m,)
        """
        scores = self.score(pairs)
        return np.where(np.isneginf(scores), 0.0, self._calibrations["pairs"](np.maximum(scores, -1e300)))

    def recommend(self, nodes: Any, k: int = 10, *, with_known: bool = False, of_type: str | None = None) -> Any:
        """The best candidates for new links of a node: targets of a directed graph, nodes of the other side of two.

        Parameters
        ----------
        nodes : id, or list of ids
            The node or nodes.
        k : int, default=10
            How many candidates; fewer where there are fewer.
        with_known : bool, default=False
            Whether nodes that are linked already may be recommended.
        of_type : str, default=None
            Of a graph with types, the only type of nodes that is recommended.

        Returns
        -------
        Recommended, or list of Recommended
            One per node where a list was given.

        Examples
        --------
        >>> import sparsecut as sc
        >>> graph = sc.datasets.load("digits")
        >>> links = sc.Links(sc.SCE().fit(graph), graph)
        >>> [len(found.ids) for found in links.recommend([0, 7], k=5)]
        [5, 5]
        """
        check_integer("recommend", "k", k, 1)
        is_one = isinstance(nodes, str | bytes) or np.ndim(nodes) == 0
        asked = np.asarray([nodes] if is_one else nodes)
        positions = self._find(asked)
        may = None if of_type is None else self._of_type(of_type)
        if may is None and wants_index(self.index, self.graph.n_nodes):  # the index has the nodes of every type
            found = [self._best_by_index(int(node), k, with_known) for node in positions]
            return found[0] if is_one else found
        found = []
        step = max(1, AT_ONCE // max(self.graph.n_nodes, 1))
        for start in range(0, len(positions), step):
            part = positions[start : start + step]
            found += [
                self._best(int(node), row, k, with_known, may) for node, row in zip(part, self.score_all(part), strict=True)
            ]
        return found[0] if is_one else found

    def transform(self, graph: Any, source: Any) -> Links:
        """Links of a graph that has changed, by the forms as they are.

        New nodes are scored by their vectors, degrees and neighbours; nothing is chosen or fitted again. It is what to call
        after `model.update`, or with nodes that came later.

        Parameters
        ----------
        graph : Graph, or an adjacency
            The links as they are now.
        source : array, frame or fitted estimator
            The vectors of its nodes, of as many columns as before: `model.transform(graph)`, or the updated model.

        Returns
        -------
        Links

        Examples
        --------
        >>> import sparsecut as sc
        >>> graph = sc.datasets.load("digits")
        >>> known = graph.subgraph(positions=range(1700))
        >>> model = sc.SCE(features="given").fit(known)
        >>> later = sc.Links(model, known).transform(graph, model.transform(graph))
        >>> len(later.recommend(1750).ids)
        10
        """
        graph = as_graph(graph)
        if graph.is_directed != self.ends.is_directed:
            kinds = ("a directed", "undirected") if self.ends.is_directed else ("an undirected", "directed")
            raise InputError(f"These links were fitted on {kinds[0]} graph. Got one that is {kinds[1]}.")
        vectors = vectors_of(source, graph)
        if vectors.shape[1] != self.vectors.shape[1]:
            raise InputError(
                f"These links were fitted on vectors of {self.vectors.shape[1]} columns. Got {vectors.shape[1]}. Use the "
                "same model's."
            )
        later = object.__new__(Links)
        later.index, later.random_state = self.index, self.random_state
        later.forms_, later._calibrations, later.trials_ = self.forms_, self._calibrations, self.trials_
        later.pair_score_ = self.pair_score_
        later.source_ = source
        later._take(vectors, Incidence.of(graph, find_ends(graph)), self._fitted_spectrum)
        return later

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the forms and their calibration as safetensors, without the vectors and the graph.

        Where forms go by the spectrum of the links, its columns are in the file with the nodes' ids.

        Parameters
        ----------
        path : str or Path
            The file to write; it is whole or absent.
        overwrite : bool, default=False
            Whether to replace a file that exists.
        """
        header = {
            "is_directed": self.ends.is_directed,
            "dimension": int(self.vectors.shape[1]),
            "trials": [trial.to_dict() for trial in self.trials_],
        }
        write_links(
            path, header, self.forms_, self.pair_score_, self._calibrations, self._fitted_spectrum, overwrite=overwrite
        )

    @classmethod
    def load(cls, path: str | Path, source: Any, graph: Any, *, index: str = "auto") -> Links:
        """Read what `save` wrote, for the vectors and the graph it was fitted on, or later ones.

        Parameters
        ----------
        path : str or Path
            A file that `save` wrote. No code in it is run.
        source : array, frame or fitted estimator
            The vectors, as in `transform`.
        graph : Graph, or an adjacency
            The known links.
        index : {"auto", "exact", "approximate"}, default="auto"
            As in `Links`.

        Returns
        -------
        Links

        Examples
        --------
        >>> import sparsecut as sc, tempfile
        >>> graph = sc.datasets.load("digits")
        >>> Z = sc.SCE().fit_transform(graph)
        >>> links = sc.Links(Z, graph)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     links.save(f"{folder}/links.safetensors")
        ...     again = sc.Links.load(f"{folder}/links.safetensors", Z, graph)
        >>> bool((again.score([(0, 5)]) == links.score([(0, 5)])).all())
        True
        """
        header, forms, pair_score, calibrations, spectrum = read_links(path)
        graph = as_graph(graph)
        links = object.__new__(cls)
        links.index, links.random_state = check_choice("Links", "index", index, INDEXES), 0
        links.forms_, links._calibrations, links.source_ = forms, calibrations, source
        links.pair_score_ = pair_score
        links.trials_ = [FormTrial(**trial) for trial in header["trials"]]
        vectors = vectors_of(source, graph)
        if vectors.shape[1] != header["dimension"] or graph.is_directed != header["is_directed"]:
            kind = "a directed" if header["is_directed"] else "an undirected"
            raise InputError(
                f"{path} belongs to {kind} graph and vectors of {header['dimension']} columns. Got a graph that is "
                f"{'directed' if graph.is_directed else 'undirected'} and {vectors.shape[1]} columns."
            )
        links._take(vectors, Incidence.of(graph, find_ends(graph)), spectrum)
        return links

    def __repr__(self) -> str:
        return f"Links({self.graph.n_nodes:,} nodes, {self.forms_['candidates']})"

    def _positions(self, pairs: ArrayLike) -> NDArray[np.int64]:
        given = np.asarray(pairs)
        if given.size == 0:
            return np.empty((0, 2), dtype=np.int64)
        if given.ndim != 2 or given.shape[1] != 2:
            raise InputError(f"Pairs must be ids in two columns, source and target. Got shape {given.shape}.")
        return self._find(given.ravel()).reshape(-1, 2)

    def _find(self, ids: NDArray[Any]) -> NDArray[np.int64]:
        """The rows of nodes; a number and the word that spells it are equal."""
        if not len(ids):
            return np.empty(0, dtype=np.int64)
        return self._lookup.find(ids, "The query", "the graph")

    @cached_property
    def _lookup(self) -> Lookup:
        return Lookup(self.graph.node_ids)

    def score_all(self, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
        """What `recommend` ranks by: the scores of nodes, given by their rows, with all others, (b, n)."""
        is_source = self.ends.is_source[nodes]
        table = np.empty((len(nodes), self.graph.n_nodes))
        for role, chosen in (("candidates", is_source), ("of_targets", ~is_source)):
            if chosen.any():
                table[chosen] = self._side(role, nodes[chosen]) @ self._offered[role].T
        return table

    def _side(self, role: str, nodes: Any, *, is_offered: bool = False) -> NDArray[np.float32]:
        """The transformed vectors of nodes that are asked about in a role, or offered in it."""
        is_source = (role == "candidates") != is_offered
        rows = self.forms_[role].rows(self._bases, self._incidence, nodes, is_source=is_source)
        return rows.astype(np.float32)

    def _of_type(self, name: str) -> NDArray[np.bool_]:
        """Which nodes are of a type."""
        self.graph.nodes(name)  # or says which types there are
        return np.asarray(self.graph.type_codes == (self.graph.node_types or ()).index(name))

    def _best(
        self, node: int, scores: NDArray[np.float64], k: int, with_known: bool, of_type: NDArray[np.bool_] | None
    ) -> Recommended:
        may = (self.ends.is_target if self.ends.is_source[node] else self.ends.is_source).copy()
        may[self._left_out(node, with_known)] = False
        if of_type is not None:
            may &= of_type
        chosen = first_candidates(scores, may, k, self.graph.node_ids)
        return self._recommended(node, chosen, scores[chosen])

    def _best_by_index(self, node: int, k: int, with_known: bool) -> Recommended:
        role = "candidates" if self.ends.is_source[node] else "of_targets"
        question = self._side(role, [node])[0]
        chosen = self._index[role].best(question, self._left_out(node, with_known), k)
        if chosen is None:
            return self._best(node, self._offered[role] @ question, k, with_known, None)
        return self._recommended(node, chosen, self._offered[role][chosen] @ question)

    def _left_out(self, node: int, with_known: bool) -> NDArray[np.int64]:
        """The nodes that one is not recommended: itself, and those that it is linked to."""
        A = self.graph.adjacency
        known = A.indices[:0] if with_known else A.indices[A.indptr[node] : A.indptr[node + 1]]
        return np.append(known, node).astype(np.int64)

    def _recommended(self, node: int, chosen: NDArray[np.int64], values: NDArray[np.floating]) -> Recommended:
        role = "candidates" if self.ends.is_source[node] else "of_targets"
        scores = values.astype(np.float64)
        return Recommended(self.graph.node_ids[chosen], scores, self._calibrations[role](scores), chosen)

    @property
    def recall_(self) -> float:
        """Recall@10 of `recommend` against comparing all, as measured when the index was built; 1.0 where all are."""
        if not wants_index(self.index, self.graph.n_nodes):
            return 1.0
        return min(one.recall for one in self._index.values())

    @cached_property
    def _index(self) -> dict[str, CandidateIndex]:
        with reporting(None) as report:
            return {
                role: build_candidate_index(
                    rows,
                    self.graph.node_ids,
                    np.flatnonzero(self.ends.is_target if role == "candidates" else self.ends.is_source),
                    partial(self._side, role),
                    np.flatnonzero(self.ends.is_source if role == "candidates" else ~self.ends.is_source),
                    partial(self._left_out, with_known=False),
                    RECALL,
                    self.random_state,
                    report,
                )
                for role, rows in self._offered.items()
            }

    @cached_property
    def _offered(self) -> dict[str, NDArray[np.float32]]:
        """The transformed vectors of all nodes as candidates, by role."""
        n_nodes = self.graph.n_nodes
        parts = [slice(one, min(one + ROWS_AT_ONCE, n_nodes)) for one in range(0, n_nodes, ROWS_AT_ONCE)]
        roles = ROLES if self.ends.has_sides else ROLES[:1]
        return {role: np.concatenate([self._side(role, part, is_offered=True) for part in parts]) for role in roles}
