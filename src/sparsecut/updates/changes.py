"""What changes in a graph, as `update` is given it: edges and features by node ids, in any of the forms that users hold.

edges       pairs (id, id) or (id, id, weight): a list of tuples, an array or a frame
rows        a mapping from ids to rows, a pair (ids, matrix), or a frame with an index or a column of ids; rows of new nodes
            are whole, those of nodes that are there may have some of the columns by their names
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, first_few, parameter_error
from sparsecut.features.encoder import NamedColumns, TableEncoder, Vocabulary
from sparsecut.features.type_encoders import Encoder, TypeEncoders
from sparsecut.graph import as_arrow, as_id_array, as_integers, is_frame
from sparsecut.graph.frames import index_of
from sparsecut.graph.id_columns import name_standing
from sparsecut.graph.node_types import SEPARATOR, codes_of, with_type
from sparsecut.io.edges.edge_names import WEIGHTS, cannot_be_end, pairs_among
from sparsecut.updates.feature_changes import Present, encode_rows, overlaid, table_of, word_lists

Ids = list[Any] | NDArray[np.int64]  # integers of an array stay in one: a large batch has no Python object per id

EDGES_RULE = "pairs of node ids (m, 2) or pairs with a weight (m, 3), as a list, an array or a frame"
ROWS_RULE = "a mapping from node ids to rows, a pair (ids, matrix), or a frame with a column of ids"


@dataclass(frozen=True)
class EdgeList:
    """Edges by the ids of their ends; the weights are 1 where none were given."""

    sources: Ids = field(default_factory=list)
    targets: Ids = field(default_factory=list)
    weights: NDArray[np.float32] = field(default_factory=lambda: np.empty(0, dtype=np.float32))

    def __len__(self) -> int:
        return len(self.sources)

    def named(self, number: int) -> str:
        """An edge in words."""
        return ", ".join(
            repr(ids[number].item() if isinstance(ids, np.ndarray) else ids[number]) for ids in (self.sources, self.targets)
        )


@dataclass(frozen=True)
class RowList:
    """Rows of features by the ids of their nodes, encoded as the model's."""

    ids: list[Any] = field(default_factory=list)
    matrix: Any = None  # (m, f) float32, dense or CSR

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True)
class Changes:
    """A batch of changes, in the order in which they are made."""

    edges_removed: EdgeList = field(default_factory=EdgeList)
    nodes_removed: list[Any] = field(default_factory=list)
    nodes_added: RowList = field(default_factory=RowList)
    edges_added: EdgeList = field(default_factory=EdgeList)
    weights_changed: EdgeList = field(default_factory=EdgeList)
    features_changed: RowList = field(default_factory=RowList)
    now: float | None = None  # the moment that the graph has come to, where its edges have times

    def __len__(self) -> int:
        n_edges = len(self.edges_removed) + len(self.edges_added) + len(self.weights_changed)
        return n_edges + len(self.nodes_removed) + len(self.nodes_added) + len(self.features_changed)


def check_edges(edges: Any, caller: str, name: str, *, needs_weights: bool = False, is_signed: bool = False) -> EdgeList:
    """Edges as a user holds them; of a signed graph weights may be below zero."""
    if edges is None or (hasattr(edges, "__len__") and len(edges) == 0):
        return EdgeList()
    columns = _edge_columns(edges, caller, name)
    if len(columns) not in (2, 3) or (needs_weights and len(columns) == 2):
        rule = "pairs of node ids with their new weights (m, 3)" if needs_weights else EDGES_RULE
        raise InputError(f"The {name} parameter of {caller} must be {rule}. Got {len(columns)} columns.")
    sources, targets = (_plain_ids(column) for column in columns[:2])
    if len(columns) == 2:
        return EdgeList(sources, targets, np.ones(len(sources), dtype=np.float32))
    try:
        weights = np.asarray(columns[2], dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"The weights of {name} must be numbers. Got {first_few(list(columns[2]))}.") from None
    with np.errstate(over="ignore"):
        single = weights.astype(np.float32)
    is_wrong = ~(np.isfinite(single) & ((single != 0) if is_signed else (single > 0)))
    if is_wrong.any():
        place = int(np.argmax(is_wrong))
        raise InputError(
            f"The weights of {name} must be finite and {'not' if is_signed else 'above'} zero. Got {weights[place]:g} for "
            f"the edge {EdgeList(sources, targets).named(place)}. An edge that goes is one of edges_removed."
        )
    return EdgeList(sources, targets, single)


def check_rows(
    rows: Any, caller: str, name: str, encoder: Encoder | None, n_features: int, present: Present | None = None
) -> RowList:
    """Rows of features as a user holds them, encoded as the graph that was fitted.

    With `present`, which has the rows that nodes have, some of the columns may be given by their names: others stay.
    """
    if rows is None or (hasattr(rows, "__len__") and len(rows) == 0):
        return RowList()
    if isinstance(encoder, TypeEncoders):
        return typed_rows(rows, caller, name, encoder, n_features, present)
    if n_features == 0:
        if isinstance(rows, Mapping) or is_frame(rows) or isinstance(rows, tuple):
            raise InputError(f"The model embeds its graph without features. {name} must be a list of node ids.")
        listed = check_nodes(rows, caller, name)
        return RowList(listed, np.empty((len(listed), 0), dtype=np.float32))
    ids, values = _ids_and_values(rows, caller, name, encoder)
    listed = ids.tolist() if isinstance(ids, np.ndarray) else ids
    if len(set(listed)) < len(listed):
        repeated = next(identity for place, identity in enumerate(listed) if identity in listed[:place])
        raise InputError(f"{name} names the node {repeated!r} twice. Give it one row.")
    is_records = isinstance(values, list)
    is_named = is_records or hasattr(values, "column_names")
    if present is not None and is_named and isinstance(encoder, TableEncoder | NamedColumns):
        return RowList(listed, overlaid(values, listed, name, encoder, present))
    matrix = encode_rows(table_of(values, name, encoder) if is_records else values, encoder)
    if matrix.shape[1] != n_features:
        raise InputError(f"The rows of {name} must have {n_features:,} features, as the model. Got {matrix.shape[1]:,}.")
    return RowList(listed, matrix)


def typed_rows(
    rows: Any, caller: str, name: str, encoder: TypeEncoders, n_features: int, present: Present | None
) -> RowList:
    """Rows of nodes with types: {"author:9": row}, {"author": rows by their ids}, or ids alone of types without features."""
    whole, listed = sp.lil_array((0, n_features), dtype=np.float32), list[Any]()
    for one, given in _by_type(rows, name, encoder).items():
        part = next((part for part in encoder.parts if part.type == one and part.n_columns), None)
        first = encoder.starts.get(one, 0)
        columns = slice(first, first + (0 if part is None else part.n_columns))
        own = None if present is None or part is None else _present_of(present, one, columns)
        found = check_rows(given, caller, f"{name} of type {one!r}", None if part is None else part.encoder,
                           columns.stop - columns.start, own)  # fmt: skip
        block = sp.lil_array((len(found), n_features), dtype=np.float32)
        block[:, columns] = found.matrix
        listed += with_type(np.array(found.ids), one).tolist()
        whole = sp.lil_array(sp.vstack([whole, block]))
    return RowList(listed, sp.csr_array(whole))


def _by_type(rows: Any, name: str, encoder: TypeEncoders) -> dict[str, Any]:
    """The rows of every type, by ids without the type."""
    types = encoder.node_types
    if not isinstance(rows, Mapping | list | np.ndarray):
        raise InputError(
            f"{name} of a graph with types must be {{'{types[0]}': rows}}, {{'{types[0]}:9': row}}, or a list of ids for "
            f"types without features. Got {type(rows).__name__}."
        )
    found: dict[str, Any] = {key: rows[key] for key in rows if key in types} if isinstance(rows, Mapping) else {}
    single = [one for one in rows if not (isinstance(rows, Mapping) and one in types)]
    ids = np.array([str(one) for one in single], dtype=np.str_)
    codes = codes_of(ids, types)
    if (codes < 0).any():
        raise InputError(
            f"The ids of {name} must begin with a type, {first_few(list(types), 10)}, and a colon. "
            f"Got {str(ids[codes < 0][0])!r}."
        )
    twice = [types[code] for code in codes.tolist() if types[code] in found]
    if twice:
        raise InputError(f"{name} has the type {twice[0]!r} and single nodes of it. Give them in one of the two ways.")
    for given, one, code in zip(single, ids.tolist(), codes.tolist(), strict=True):
        own, row = one.partition(SEPARATOR)[2], rows[given] if isinstance(rows, Mapping) else None
        if row is None:
            found.setdefault(types[code], []).append(own)
        else:
            found.setdefault(types[code], {})[own] = row
    return found


def _present_of(present: Present, node_type: str, columns: slice) -> Present:
    """The rows that nodes of one type have, in the columns of their type."""
    return lambda ids: present(with_type(np.array(ids), node_type).tolist())[:, columns]


def check_nodes(nodes: Any, caller: str, name: str) -> list[Any]:
    """Node ids as a user holds them, each once."""
    if nodes is None:
        return []
    if isinstance(nodes, str | bytes | int) or not hasattr(nodes, "__iter__"):
        raise InputError(f"The {name} parameter of {caller} must be a list of node ids. Got {nodes!r}: pass [{nodes!r}].")
    ids = _plain_ids(nodes if isinstance(nodes, np.ndarray) else list(nodes))
    return list(dict.fromkeys(ids.tolist() if isinstance(ids, np.ndarray) else ids))


def _edge_columns(edges: Any, caller: str, name: str) -> list[Any]:
    if is_frame(edges):
        table = as_arrow(edges, f"The frame of {name}")
        names = _edge_names(table.column_names, name)
        return [table.column(column).to_numpy(zero_copy_only=False) for column in names]
    if isinstance(edges, np.ndarray) and edges.ndim == 2 and edges.dtype != object:
        return list(edges.T)
    if not hasattr(edges, "__iter__") or isinstance(edges, str | bytes):
        raise parameter_error(caller, name, EDGES_RULE, edges)
    listed = [tuple(edge) if isinstance(edge, list | tuple | np.ndarray) else () for edge in edges]
    if len({len(edge) for edge in listed}) != 1 or not listed[0]:
        raise InputError(f"The {name} parameter of {caller} must be {EDGES_RULE}. Got rows of different lengths or no rows.")
    return [list(column) for column in zip(*listed, strict=True)]


def _edge_names(columns: Sequence[str], name: str) -> list[str]:
    """The ends, by the names that say which is which, as where a graph is read, or else in their order; then the weights.

    A column that would not be read, or would be read as weights by its place alone, is refused.
    """
    if len(columns) < 2:
        return list(columns)
    able = [column for column in columns if not cannot_be_end(column)]
    pairs = pairs_among(able)
    ends = list(pairs[0]) if len(pairs) == 1 else list((able if len(able) > 1 else columns)[:2])
    rest = [column for column in columns if column not in ends]
    weights = [column for column in rest if column.lower() in WEIGHTS]
    if name == "edges_removed":
        return ends
    if not weights and len(rest) == 1 and not cannot_be_end(rest[0]):
        weights = rest
    if len(rest) > len(weights):
        others = first_few([column for column in rest if column not in weights])
        raise InputError(
            f"The frame of {name} has columns that are neither an end nor 'weight': {others}. Give the ends, and "
            "weights under that name where there are any."
        )
    return [*ends, *weights]


def _ids_and_values(rows: Any, caller: str, name: str, encoder: Encoder | None) -> tuple[Ids, Any]:
    """(ids, their rows: a matrix, lists of words, an Arrow table, or a list of records)."""
    fitted = (None if encoder is None else encoder.names_in) or ()
    if is_frame(rows):
        return _ids_of_frame(rows, f"The frame of {name}", fitted)
    if isinstance(rows, Mapping):
        values: Any = list(rows.values())
        if any(isinstance(row, Mapping) for row in values):
            if not all(isinstance(row, Mapping) for row in values):
                raise InputError(f"The rows of {name} must all be columns by their names, or all lists of numbers.")
            return _plain_ids(list(rows)), values
        is_words = isinstance(encoder, Vocabulary)
        return _plain_ids(list(rows)), word_lists(values, name) if is_words else _matrix_of(values, name)
    if isinstance(rows, tuple) and len(rows) == 2:
        ids, values = check_nodes(rows[0], caller, name), rows[1]
        if is_frame(values):
            if index_of(values) is not None:
                raise InputError(f"{name} has ids beside a frame whose index holds ids too. Give the frame alone.")
            values = as_arrow(values, f"The frame of {name}")
        elif isinstance(values, list):
            values = word_lists(values, name) if isinstance(encoder, Vocabulary) else _matrix_of(values, name)
        n_rows = values.shape[0] if hasattr(values, "shape") else len(values)
        if n_rows != len(rows[0]):
            raise InputError(f"{name} must have one row for each id. Got {len(rows[0]):,} ids and {n_rows:,} rows.")
        return (ids if len(ids) == len(rows[0]) else _plain_ids(rows[0])), values
    raise InputError(f"The {name} parameter of {caller} must be {ROWS_RULE}. Got {type(rows).__name__}.")


def _ids_of_frame(frame: Any, what: str, fitted: Sequence[str]) -> tuple[Ids, Any]:
    """(ids, the other columns): the column that is no fitted feature holds the ids, or else the index.

    New nodes are known by no id yet, but the model knows its features by name.
    """
    table, index = as_arrow(frame, what), index_of(frame)
    least = 1 if fitted else 3  # of a model without names any column may be a feature, unless it is called id
    others = [column for column in table.column_names if column not in fitted and name_standing(column) >= least]
    if len(others) > 1:
        best = max(map(name_standing, others))
        others = [column for column in others if name_standing(column) == best]
    if len(others) > 1:
        raise InputError(
            f"{what} has more than one column that could hold the node ids: {first_few(others)}. Make it the index "
            f"(pandas: set_index({others[0]!r})), and leave out the columns that are no features of the model."
        )
    if others:
        return _plain_ids(table.column(others[0]).to_numpy()), table.drop_columns(others)
    if index is None:
        raise InputError(f"{what} must have an index or a column 'id' with the node ids, beside the features.")
    return _plain_ids(index), table


def _matrix_of(values: list[Any], name: str) -> Any:
    """Rows of numbers as a matrix."""
    if any(sp.issparse(row) for row in values):
        return sp.vstack([sp.csr_array(row.reshape(1, -1) if row.ndim == 1 else row) for row in values], format="csr")
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"The rows of {name} must be numbers, as many in each.") from None


def _plain_ids(column: Any) -> Ids:
    """Ids as Python's integers and words; whole floats are the integers they equal."""
    array = column if isinstance(column, np.ndarray) else None
    is_whole = array is not None and array.dtype.kind == "f" and bool((array == np.floor(array)).all())
    if array is not None and (is_whole or array.dtype.kind in "iu"):
        return as_id_array(array, "A change").astype(np.int64)
    values = [value.item() if isinstance(value, np.generic) else value for value in column]
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int | str):
            raise InputError(f"A node id is an integer or a word. Got {value!r}.")
    if values and all(isinstance(value, int) for value in values):
        as_integers(values, "A change")  # refuses those beyond 64 bits
    return values
