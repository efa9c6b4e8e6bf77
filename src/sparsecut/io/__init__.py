"""Files in and out, and other libraries' objects. A format of graph files is a module in `formats`.

read_graph, build_store, open_store                          graphs from files, in memory or on disk
from_edges, from_tables, from_networkx, from_igraph,         graphs from other libraries' objects, and back
from_pyg, from_anndata, to_networkx, to_pyg, add_embedding
read_embedding, write_embedding, write_columns               results
check_readable, check_writable, write_whole, reading         paths checked, files written whole, damage as one sentence
ID_NAMES, positions_of, check_known, …                       rows matched by node id
read_labels, read_node_table, align_labels                   what tables say about nodes
published_arrays, reading_published, read_json,              the raw files of named graphs
read_gnn_benchmark, read_matlab, read_planetoid_folder
work_folder, WorkFolder, RowWriter, fingerprint_of, …        pieces of a long computation, kept until it is done
"""

from typing import TYPE_CHECKING

from sparsecut.base.lazy_names import lazy_names

if TYPE_CHECKING:
    from sparsecut.io.edge_objects import from_edges as from_edges
    from sparsecut.io.edges.adjacency import build_adjacency as build_adjacency
    from sparsecut.io.edges.adjacency import undirected_adjacency as undirected_adjacency
    from sparsecut.io.edges.ids import ID_NAMES as ID_NAMES
    from sparsecut.io.edges.ids import as_ids as as_ids
    from sparsecut.io.edges.ids import check_known as check_known
    from sparsecut.io.edges.ids import check_unique as check_unique
    from sparsecut.io.edges.ids import positions_of as positions_of
    from sparsecut.io.edges.table_files import as_table as as_table
    from sparsecut.io.embeddings import EMBEDDING_SUFFIXES as EMBEDDING_SUFFIXES
    from sparsecut.io.embeddings import Embedding as Embedding
    from sparsecut.io.embeddings import check_embedding_path as check_embedding_path
    from sparsecut.io.embeddings import ids_path as ids_path
    from sparsecut.io.embeddings import read_embedding as read_embedding
    from sparsecut.io.embeddings import read_positions as read_positions
    from sparsecut.io.embeddings import write_embedding as write_embedding
    from sparsecut.io.files import check_readable as check_readable
    from sparsecut.io.files import check_writable as check_writable
    from sparsecut.io.files import refuse_url as refuse_url
    from sparsecut.io.files import write_error as write_error
    from sparsecut.io.files import write_whole as write_whole
    from sparsecut.io.formats.cells import from_anndata as from_anndata
    from sparsecut.io.formats.matlab import read_matlab as read_matlab
    from sparsecut.io.formats.npz_graphs import read_gnn_benchmark as read_gnn_benchmark
    from sparsecut.io.formats.planetoid_files import PLANETOID_PARTS as PLANETOID_PARTS
    from sparsecut.io.formats.planetoid_files import read_planetoid_folder as read_planetoid_folder
    from sparsecut.io.formats.planetoid_files import read_planetoid_split as read_planetoid_split
    from sparsecut.io.graphs import read_graph as read_graph
    from sparsecut.io.hostile.guards import reading as reading
    from sparsecut.io.nodes.attributes import read_labels as read_labels
    from sparsecut.io.nodes.attributes import read_node_table as read_node_table
    from sparsecut.io.nodes.node_files import MISSING as MISSING
    from sparsecut.io.nodes.node_files import align_labels as align_labels
    from sparsecut.io.objects import from_igraph as from_igraph
    from sparsecut.io.objects import from_networkx as from_networkx
    from sparsecut.io.objects import to_networkx as to_networkx
    from sparsecut.io.opening import check_encoding as check_encoding
    from sparsecut.io.published_files import published_arrays as published_arrays
    from sparsecut.io.published_files import read_json as read_json
    from sparsecut.io.published_files import reading_published as reading_published
    from sparsecut.io.result_files import COLUMN_SUFFIXES as COLUMN_SUFFIXES
    from sparsecut.io.result_files import save_tensors as save_tensors
    from sparsecut.io.result_files import write_columns as write_columns
    from sparsecut.io.stores.building import build_store as build_store
    from sparsecut.io.stores.holders import add_embedding as add_embedding
    from sparsecut.io.stores.holders import from_pyg as from_pyg
    from sparsecut.io.stores.holders import to_pyg as to_pyg
    from sparsecut.io.stores.numpy_files import Archive as Archive
    from sparsecut.io.stores.numpy_files import write_npy as write_npy
    from sparsecut.io.stores.numpy_files import write_npy_header as write_npy_header
    from sparsecut.io.stores.store import is_store as is_store
    from sparsecut.io.stores.store import open_store as open_store
    from sparsecut.io.stores.store import write_header as write_header
    from sparsecut.io.stores.streamed_tables import files_of as files_of
    from sparsecut.io.stores.streamed_tables import is_streamed as is_streamed
    from sparsecut.io.stores.typed_building import column_of_words as column_of_words
    from sparsecut.io.stores.typed_building import folder_by_type as folder_by_type
    from sparsecut.io.stores.typed_building import reads_by_type as reads_by_type
    from sparsecut.io.stores.workfolder import RowWriter as RowWriter
    from sparsecut.io.stores.workfolder import WorkFolder as WorkFolder
    from sparsecut.io.stores.workfolder import check_room as check_room
    from sparsecut.io.stores.workfolder import fingerprint_of as fingerprint_of
    from sparsecut.io.stores.workfolder import unfinished as unfinished
    from sparsecut.io.stores.workfolder import work_folder as work_folder
    from sparsecut.io.typed.typed_graphs import from_tables as from_tables
else:
    __getattr__, __dir__ = lazy_names(__name__)
