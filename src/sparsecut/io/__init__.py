"""Files in and out, and other libraries' objects. A format of graph files is a module in `formats`.

read_graph, build_store, open_store                          graphs from files, in memory or on disk
from_edges, from_networkx, from_igraph, from_pyg,            graphs from other libraries' objects, and back
from_anndata, to_networkx, to_pyg, add_embedding
read_embedding, write_embedding, write_columns               results
check_readable, check_writable, write_whole, reading         paths checked, files written whole, damage as one sentence
ID_NAMES, positions_of, check_known, …                       rows matched by node id
read_labels, read_node_table, align_labels                   what tables say about nodes
published_arrays, reading_published, read_json,              the raw files of named graphs
read_gnn_benchmark, read_matlab, read_planetoid_folder
work_folder, WorkFolder, RowWriter, fingerprint_of, …        pieces of a long computation, kept until it is done
"""

from sparsecut.io.adjacency import build_adjacency, undirected_adjacency
from sparsecut.io.attributes import read_labels, read_node_table
from sparsecut.io.building import build_store
from sparsecut.io.edge_objects import from_edges
from sparsecut.io.embeddings import (
    EMBEDDING_SUFFIXES,
    Embedding,
    check_embedding_path,
    ids_path,
    read_embedding,
    read_positions,
    write_embedding,
)
from sparsecut.io.files import check_readable, check_writable, refuse_url, write_error, write_whole
from sparsecut.io.formats.cells import from_anndata
from sparsecut.io.formats.matlab import read_matlab
from sparsecut.io.formats.npz_graphs import read_gnn_benchmark
from sparsecut.io.formats.planetoid_files import PLANETOID_PARTS, read_planetoid_folder, read_planetoid_split
from sparsecut.io.graphs import read_graph
from sparsecut.io.guards import reading
from sparsecut.io.holders import add_embedding, from_pyg, to_pyg
from sparsecut.io.ids import ID_NAMES, as_ids, check_known, check_unique, positions_of
from sparsecut.io.node_files import MISSING, align_labels
from sparsecut.io.numpy_files import Archive, write_npy, write_npy_header
from sparsecut.io.objects import from_igraph, from_networkx, to_networkx
from sparsecut.io.opening import check_encoding
from sparsecut.io.published_files import published_arrays, read_json, reading_published
from sparsecut.io.record_batches import STREAMED_SUFFIXES
from sparsecut.io.result_files import COLUMN_SUFFIXES, save_tensors, write_columns
from sparsecut.io.store import is_store, open_store, write_header
from sparsecut.io.table_files import as_table
from sparsecut.io.workfolder import RowWriter, WorkFolder, check_room, fingerprint_of, unfinished, work_folder

__all__ = [
    "COLUMN_SUFFIXES",
    "EMBEDDING_SUFFIXES",
    "ID_NAMES",
    "MISSING",
    "PLANETOID_PARTS",
    "STREAMED_SUFFIXES",
    "Archive",
    "Embedding",
    "RowWriter",
    "WorkFolder",
    "add_embedding",
    "align_labels",
    "as_ids",
    "as_table",
    "build_adjacency",
    "build_store",
    "check_embedding_path",
    "check_encoding",
    "check_known",
    "check_readable",
    "check_room",
    "check_unique",
    "check_writable",
    "fingerprint_of",
    "from_anndata",
    "from_edges",
    "from_igraph",
    "from_networkx",
    "from_pyg",
    "ids_path",
    "is_store",
    "open_store",
    "positions_of",
    "published_arrays",
    "read_embedding",
    "read_gnn_benchmark",
    "read_graph",
    "read_json",
    "read_labels",
    "read_matlab",
    "read_node_table",
    "read_planetoid_folder",
    "read_planetoid_split",
    "read_positions",
    "reading",
    "reading_published",
    "refuse_url",
    "save_tensors",
    "to_networkx",
    "to_pyg",
    "undirected_adjacency",
    "unfinished",
    "work_folder",
    "write_columns",
    "write_embedding",
    "write_error",
    "write_header",
    "write_npy",
    "write_npy_header",
    "write_whole",
]
