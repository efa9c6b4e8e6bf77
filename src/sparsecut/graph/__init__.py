"""The graph that everything else takes: checked once, frozen, its nodes known by their ids.

Graph, as_graph, check_graph, DIRECTIONS, Features      the class; what may stand for a graph as an argument
labelled_nodes, encode_labels                           which nodes have a label; labels as numbers
keep_close, check_pairs, pack_pairs, unpack_pairs       what is known of pairs of nodes beforehand
find_nodes, choose_nodes                                nodes by their ids
as_id_array, as_integers, check_one_kind, id_error      what may be an id, and the error for what may not
are_word_lists, words_source, table_of_rows             lists of words and dicts of values as features
is_frame, as_arrow                                      data frames of any library, as Arrow tables
match_frame, with_others, place_labels, …               rows of tables matched to nodes: which column holds the ids
rows_and_ids, place_rows, place_values, place_graph,    vectors and values that bring the ids of their nodes
like_frame
library_of, from_torch, refuse_foreign, not_square      other libraries' objects, and the calls that convert them
loop_notes                                              the sentence about dropped self-loops
"""

from sparsecut.graph.arguments import as_graph, check_graph
from sparsecut.graph.canonical import DIRECTIONS, loop_notes
from sparsecut.graph.foreign import from_torch, library_of, not_square, refuse_foreign
from sparsecut.graph.frames import as_arrow, is_frame, match_frame, with_others
from sparsecut.graph.graph import Graph
from sparsecut.graph.id_kinds import Ids, as_id_array, as_integers, check_one_kind, id_error
from sparsecut.graph.labels import (
    LABEL_NAMES,
    as_labels,
    encode_labels,
    label_column_of,
    labelled_nodes,
    place_labels,
    spread_labels,
)
from sparsecut.graph.mappings import are_word_lists, table_of_rows, words_source
from sparsecut.graph.named_rows import like_frame, place_graph, place_rows, place_values, rows_and_ids
from sparsecut.graph.node_ids import choose_nodes, find_nodes
from sparsecut.graph.node_values import Features
from sparsecut.graph.pair_lists import check_pairs, keep_close, pack_pairs, unpack_pairs

__all__ = [
    "DIRECTIONS",
    "LABEL_NAMES",
    "Features",
    "Graph",
    "Ids",
    "are_word_lists",
    "as_arrow",
    "as_graph",
    "as_id_array",
    "as_integers",
    "as_labels",
    "check_graph",
    "check_one_kind",
    "check_pairs",
    "choose_nodes",
    "encode_labels",
    "find_nodes",
    "from_torch",
    "id_error",
    "is_frame",
    "keep_close",
    "label_column_of",
    "labelled_nodes",
    "library_of",
    "like_frame",
    "loop_notes",
    "match_frame",
    "not_square",
    "pack_pairs",
    "place_graph",
    "place_labels",
    "place_rows",
    "place_values",
    "refuse_foreign",
    "rows_and_ids",
    "spread_labels",
    "table_of_rows",
    "unpack_pairs",
    "with_others",
    "words_source",
]
