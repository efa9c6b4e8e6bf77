"""The graph that everything else takes: checked once, frozen, its nodes known by their ids.

Graph, as_graph, check_graph, DIRECTIONS, Features      the class; what may stand for a graph as an argument
labelled_nodes, encode_labels                           which nodes have a label; labels as numbers
keep_close, check_pairs, pack_pairs, unpack_pairs       what is known of pairs of nodes beforehand
find_nodes, choose_nodes                                nodes by their ids
as_id_array, as_integers, check_one_kind, id_error      what may be an id, and the error for what may not
are_word_lists, words_source, table_of_rows             lists of words and dicts of values as features
is_frame, as_arrow                                      data frames of any library, as Arrow tables
match_frame, with_others, place_labels, …               rows of tables matched to nodes: which column holds the ids
rows_and_ids, names_of_columns, place_rows, …          vectors and values that bring the ids of their nodes
like_frame
library_of, from_torch, refuse_foreign, not_square      other libraries' objects, and the calls that convert them
loop_notes                                              the sentence about dropped self-loops
"""

from typing import TYPE_CHECKING

from sparsecut.base.lazy_names import lazy_names

if TYPE_CHECKING:
    from sparsecut.graph.arguments import as_graph as as_graph
    from sparsecut.graph.arguments import check_graph as check_graph
    from sparsecut.graph.canonical import DIRECTIONS as DIRECTIONS
    from sparsecut.graph.canonical import loop_notes as loop_notes
    from sparsecut.graph.foreign import from_torch as from_torch
    from sparsecut.graph.foreign import library_of as library_of
    from sparsecut.graph.foreign import not_square as not_square
    from sparsecut.graph.foreign import refuse_foreign as refuse_foreign
    from sparsecut.graph.frames import as_arrow as as_arrow
    from sparsecut.graph.frames import is_frame as is_frame
    from sparsecut.graph.frames import match_frame as match_frame
    from sparsecut.graph.frames import with_others as with_others
    from sparsecut.graph.graph import Graph as Graph
    from sparsecut.graph.id_kinds import Ids as Ids
    from sparsecut.graph.id_kinds import as_id_array as as_id_array
    from sparsecut.graph.id_kinds import as_integers as as_integers
    from sparsecut.graph.id_kinds import check_one_kind as check_one_kind
    from sparsecut.graph.id_kinds import id_error as id_error
    from sparsecut.graph.labels import LABEL_NAMES as LABEL_NAMES
    from sparsecut.graph.labels import as_labels as as_labels
    from sparsecut.graph.labels import encode_labels as encode_labels
    from sparsecut.graph.labels import label_column_of as label_column_of
    from sparsecut.graph.labels import labelled_nodes as labelled_nodes
    from sparsecut.graph.labels import place_labels as place_labels
    from sparsecut.graph.labels import spread_labels as spread_labels
    from sparsecut.graph.mappings import are_word_lists as are_word_lists
    from sparsecut.graph.mappings import table_of_rows as table_of_rows
    from sparsecut.graph.mappings import words_source as words_source
    from sparsecut.graph.named_rows import like_frame as like_frame
    from sparsecut.graph.named_rows import names_of_columns as names_of_columns
    from sparsecut.graph.named_rows import place_graph as place_graph
    from sparsecut.graph.named_rows import place_rows as place_rows
    from sparsecut.graph.named_rows import place_values as place_values
    from sparsecut.graph.named_rows import rows_and_ids as rows_and_ids
    from sparsecut.graph.node_ids import choose_nodes as choose_nodes
    from sparsecut.graph.node_ids import find_nodes as find_nodes
    from sparsecut.graph.node_values import Features as Features
    from sparsecut.graph.pair_lists import check_pairs as check_pairs
    from sparsecut.graph.pair_lists import keep_close as keep_close
    from sparsecut.graph.pair_lists import pack_pairs as pack_pairs
    from sparsecut.graph.pair_lists import unpack_pairs as unpack_pairs
else:
    __getattr__, __dir__ = lazy_names(__name__)
