"""Features of a graph with types of nodes: a table, lists of words or an array for each type, side by side as one matrix.

author  paper            A node has the columns of its own type and zeros in those of the others, so no two ends of an edge
┌────┐                   between types have a column in common before anything is averaged. Types without features have no
│ F₁ │   0               columns. The matrix is sparse where one of the blocks is.
└────┘ ┌────┐
  0    │ F₂ │
       └────┘
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, first_few
from sparsecut.features.encoder import TableEncoder, Vocabulary
from sparsecut.features.feature_tables import FeatureMatrix, FeatureTable, WordLists, place_sparse_rows
from sparsecut.features.type_encoders import Encoder, TypeColumnsOf, TypeEncoders

OneType: TypeAlias = "FeatureTable | WordLists | FeatureMatrix"


class TypedFeatures:
    """What the nodes of each type have, and which row of it each node is.

    Parameters
    ----------
    node_types : sequence of str
        The types of nodes, in order.
    sources : dict of str to FeatureTable, WordLists or FeatureMatrix
        The features of the types that have some.
    codes : int array (n,)
        The type of every node, as its place among `node_types`.
    rows : int array (n,)
        The row of every node in the features of its type; −1 for none.
    """

    def __init__(
        self, node_types: Sequence[str], sources: Mapping[str, OneType], codes: NDArray[np.int16], rows: NDArray[np.int64]
    ) -> None:
        self.node_types = tuple(node_types)
        self.sources = {name: sources[name] for name in self.node_types if name in sources}
        self.codes, self.rows = codes, rows

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows), sum(source.shape[1] for source in self.sources.values())

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(
            f"{name}:{column}"
            for name, source in self.sources.items()
            for column in source.names or map(str, range(source.shape[1]))
        )

    @cached_property
    def encoder(self) -> TypeEncoders:
        """Fitted on the rows of every type. A table without a column that could be a feature has none."""
        encoders: dict[str, Any] = {name: source.encoder for name, source in self.sources.items()}
        parts = [TypeColumnsOf(name, _width(self.sources[name], encoder), encoder) for name, encoder in encoders.items()]
        if not any(part.n_columns for part in parts):
            told = [note for source in self.sources.values() for note in (source.encoder.notes if source.encoder else ())]
            raise InputError(f"No type of nodes has a column that could be a feature. {' '.join(told)}")
        return TypeEncoders(self.node_types, tuple(parts))

    def take(self, rows: NDArray[np.int64]) -> TypedFeatures:
        """The features of the nodes at positions `rows`, encoded as those of the whole graph are."""
        taken = TypedFeatures(self.node_types, self.sources, self.codes[rows], self.rows[rows])
        taken.__dict__["encoder"] = self.encoder
        return taken

    @classmethod
    def of_matrix(cls, matrix: Any, encoder: TypeEncoders, codes: NDArray[np.int16]) -> TypedFeatures:
        """Encoded features, taken apart again; `codes` are the types of the nodes as places among those of the encoder."""
        sources, rows, starts = dict[str, OneType](), np.full(len(codes), -1), encoder.starts
        for part in encoder.parts:
            here = np.flatnonzero(codes == encoder.node_types.index(part.type))
            columns = slice(starts[part.type], starts[part.type] + part.n_columns)
            sources[part.type] = FeatureMatrix(matrix[here][:, columns], part.encoder)
            rows[here] = np.arange(len(here))
        return cls(encoder.node_types, sources, codes, rows)

    def of_each_type(self, nodes: NDArray[np.int64], take: Callable[[OneType, NDArray[np.int64]], Any]) -> TypedFeatures:
        """The features of some nodes, those of each type as `take` makes them of a source and its rows."""
        codes, before = self.codes[nodes], self.rows[nodes]
        rows, sources = np.full(len(nodes), -1), dict[str, OneType]()
        for name, source in self.sources.items():
            here = np.flatnonzero((codes == self.node_types.index(name)) & (before >= 0))
            if len(here):
                sources[name] = take(source, before[here])
                rows[here] = np.arange(len(here))
        return TypedFeatures(self.node_types, sources, codes, rows)

    def matrix(self, encoder: Encoder | None) -> tuple[Any, tuple[str, ...]]:
        """(features as a fitted encoder makes them, notes)."""
        if not isinstance(encoder, TypeEncoders):
            raise InputError(
                "Each type of nodes has features of its own, and the model was fitted on one table for all nodes. Read the "
                "graph as the fitted one was."
            )
        fitted = {part.type for part in encoder.parts}
        strange = [name for name in self.sources if name not in fitted]
        if strange:
            raise InputError(
                f"Nodes of type {first_few(strange)} have features, and had none in the graph that was fitted. Leave these "
                "features out, or fit a model on such a graph."
            )
        blocks, notes = list[tuple[NDArray[np.int64], Any, int]](), list[str]()
        for part in encoder.parts:
            places = self._places(part)
            if not part.n_columns or places is None:
                blocks.append((np.full(len(self.rows), -1), np.empty((0, part.n_columns), dtype=np.float32), part.n_columns))
                continue
            block, told = self.sources[part.type].matrix(part.encoder)
            if block.shape[1] != part.n_columns:
                raise InputError(
                    f"The features of nodes of type {part.type!r} have {block.shape[1]:,} columns. The model was fitted "
                    f"with {part.n_columns:,}."
                )
            blocks.append((places, block, part.n_columns))
            notes += told
        return _side_by_side(blocks), tuple(notes)

    def _places(self, part: TypeColumnsOf) -> NDArray[np.int64] | None:
        """The row of each node in the features of a type; None where the graph has no such nodes."""
        code = self.node_types.index(part.type) if part.type in self.node_types else -2
        is_here = self.codes == code
        if part.type not in self.sources:
            if is_here.any():
                raise InputError(
                    f"Nodes of type {part.type!r} have no features, and had some in the graph that was fitted. Bring them, "
                    "or fit a model without."
                )
            return None
        return np.where(is_here, self.rows, -1)


def _width(source: OneType, encoder: TableEncoder | Vocabulary | Any) -> int:
    """How many columns the features of a type become."""
    if isinstance(encoder, TableEncoder):
        return len(encoder.names_out)
    return source.shape[1]


def _side_by_side(blocks: Sequence[tuple[NDArray[np.int64], Any, int]]) -> Any:
    """One matrix of (the row of each node, the rows, the number of columns) of every type."""
    n_nodes = len(blocks[0][0])
    if any(sp.issparse(block) for _, block, _ in blocks):
        placed = [place_sparse_rows(sp.csr_array(block, dtype=np.float32), rows) for rows, block, _ in blocks]
        return sp.csr_array(sp.hstack(placed, format="csr", dtype=np.float32))
    whole = np.zeros((n_nodes, sum(width for *_, width in blocks)), dtype=np.float32)
    start = 0
    for rows, block, width in blocks:
        found = np.flatnonzero(rows >= 0)
        whole[found, start : start + width] = block[rows[found]]
        start += width
    return whole


Source: TypeAlias = "OneType | TypedFeatures"
