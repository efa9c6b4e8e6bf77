"""A corpus of broken files, each with the sentence a user sees. `{}` stands for the folder they are in."""

import gzip
import json

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
import scipy.sparse as sp
from scipy.io import savemat

import sparsecut as sc
from sparsecut.io.hostile.guards import NAME_ENCODING

EDGES = b"source,target\na,b\nb,c\n"
GUESS = "The edge file {}/"
DAMAGED = "It is damaged or not what it claims to be."
MMARKET = b"%%MatrixMarket matrix coordinate real general\n"
PACKED = gzip.compress(b"source,target\n" + b"".join(b"%d,%d\n" % (k, k + 1) for k in range(5000)))

TEXTS = {
    "ragged rows": (
        b"source,target\na,b\nb,c\nc,d,e\nd,a\n",
        "has rows of different lengths: line 4 has 3 columns, 2 are expected: 'c,d,e'.",
    ),
    "a row too short": (
        b"# made by hand\nsource,target,weight\na,b,1\n# half\nb,c\nc,d,2\n",
        "has rows of different lengths: line 5 has 2 columns, 3 are expected: 'b,c'.",
    ),
    "mixed separators": (
        b"a,b\nb,c\nc;d\nd,a\n",
        "has rows of different lengths: line 3 has 1 columns, 2 are expected: 'c;d'. It holds semicolons: are separators "
        "mixed?",
    ),
    "a word for a weight": (
        b"source,target,weight\na,b,1\nb,c,heavy\n",
        "must hold numbers in its weight column 'weight'. Got 'heavy' in row 2.",
    ),
    "a weight with a decimal comma": (
        b"source;target;weight\na;b;1,5\nb;c;1.234,25\n",
        "must hold numbers in its weight column 'weight'. Got '1,5' in row 1. Write such numbers as 1.5.",
    ),
    "a word for a weight without a header": (
        b"a,b,1\nb,c,heavy\n",
        "must hold numbers in its weight column 'f2'. Got 'heavy' in row 2.",
    ),
    "NaN as weight": (
        b"source,target,weight\na,b,1\nb,c,NaN\n",
        "must hold finite weights of zero or more in column 'weight'. Got nan in row 2.",
    ),
    "an infinite weight": (
        b"source,target,weight\na,b,inf\nb,c,1\n",
        "must hold finite weights of zero or more in column 'weight'. Got inf in row 1.",
    ),
    "a weight beyond float32": (
        b"source,target,weight\na,b,1\nb,c,1e300\n",
        "has an edge weight that is too large for float32 in column 'weight'. Got 1e+300 in row 2. Scale the edge weights "
        "down, for example divide them by the largest.",
    ),
    "a negative weight": (
        b"source,target,weight\na,b,1\nb,c,-2\n",
        "must hold finite weights of zero or more in column 'weight'. Got -2.0 in row 2. Weights below zero ask for "
        "distance, where a graph is read with signed=True (--signed).",
    ),
    "no weight": (
        b"source,target,weight\na,b,1\nb,c,\n",
        "must hold finite weights of zero or more in column 'weight'. Got an empty cell in row 2.",
    ),
    "a header mistaken for data": (
        b"1,2\n2,3\nsource,target\n3,4\n",
        "has a header among its data: row 3 holds 'source' and 'target', and all others hold integers. Remove that line.",
    ),
    "two columns of one name": (b"source,target,target\na,b,c\n", "has more than one column named 'target'. Rename one."),
    "an empty file": (b"", "is empty."),
    "nothing but comments": (b"# a,b\n% c\n\n", "holds nothing but comments and blank lines."),
    "nothing but a header": (b"source,target\n", "has no rows."),
    "one column": (
        b"a\nb\n",
        "has one column: 'a' holds no comma, tab, semicolon or space. A table needs at least two columns.",
    ),
    "an empty id": (b"source,target\na,b\n,c\n", "has an empty node id in row 2 of column 'source'."),
    "one id throughout": (
        b"source,target\na,b\na,c\na,d\n",
        "holds the same id, 'a', in all 3 rows of column 'source'. If that is meant, name the columns of both ends "
        "(source and target).",
    ),
    "UTF-16": (
        "source,target\na,b\n".encode("utf-16"),
        "is not UTF-8 text at byte 0. It begins as UTF-16 does: encoding='utf-16' (--encoding utf-16).",
    ),
    "Latin-1": ("source,target\né,b\n".encode("latin-1"), f"is not UTF-8 text at byte 14. {NAME_ENCODING}"),
}

FILES = {
    "a truncated gzip": ("x.csv.gz", PACKED[: len(PACKED) // 2], "edge",
                         "could not be read: it ends too early. Fetch or write it again."),
    "no gzip": ("x.csv.gz", EDGES, "edge", "could not be read: Not a gzipped file (b'so')."),
    "a gzip that grows without end": (
        "x.csv.gz", gzip.compress(b"source,target\n" + b"1,2\n" * 20_000_000), "edge",
        "has {size} bytes and would unpack to more than 67,108,864. " + DAMAGED),
    "Matrix Market without a banner": ("x.mtx", b"3 3 1\n1 2 1\n", "graph",
                                       "must begin with %%MatrixMarket matrix and say what it holds."),
    "Matrix Market without a size": ("x.mtx", MMARKET + b"a b c\n", "graph",
                                     "has no line that says how large the matrix is."),
    "Matrix Market that claims a billion nodes": (
        "x.mtx", MMARKET + b"1000000000 1000000000 1\n1 2 1\n", "graph",
        "claims 1,000,000,000 rows and 1,000,000,000 columns for 1 entries. " + DAMAGED),
    "Matrix Market that claims a million entries": (
        "x.mtx", MMARKET + b"10 10 1000000\n1 2 1\n", "graph",
        "could not be read: it claims 1,000,000 entries and has 66 bytes."),
    "Matrix Market with an entry outside": ("x.mtx", MMARKET + b"3 3 2\n1 2 1\n5 2 1\n", "graph",
                                            "has an entry 2 outside of the 3 × 3 matrix."),
    "Matrix Market cut short": ("x.mtx", MMARKET + b"3 3 2\n1 2 1.0\n", "graph", "claims 2 entries and has 1."),
    "complex numbers": ("x.mtx", MMARKET.replace(b"real", b"complex") + b"3 3 1\n1 2 1 0\n", "graph",
                        "holds a matrix that is 'complex'. Known kinds: real, double, integer, unsigned-integer, pattern."),
    "MATLAB v7.3": ("x.mat", b"MATLAB 7.3 MAT-file" + b" " * 200, "graph",
                    "is MATLAB v7.3 (HDF5), which is not read. Save it in MATLAB with save(..., '-v7') instead."),
    "GraphML cut short": ("x.graphml", b"<graphml><oops", "graph", "could not be read: unclosed token: line 1, column 9."),
    "GraphML that declares entities": (
        "x.graphml", b'<?xml version="1.0"?><!DOCTYPE g [<!ENTITY a "aa">]><graphml>&a;</graphml>', "graph",
        "declares XML entities, which no graph needs. It was not read."),
    "JSON cut short": ("x.json", b'{"nodes": [', "graph",
                       "could not be read: Expecting value: line 1 column 12 (char 11)."),
    "JSON of something else": (
        "x.json", b"[1, 2]", "graph",
        "must be node-link JSON: an object with a list 'nodes' and a list 'links' or 'edges'."),
    "JSON with a link to nowhere": (
        "x.json", json.dumps({"nodes": [{"id": 1}], "links": [{"source": 1, "target": 2}]}).encode(), "graph",
        "has an edge that names the node 2, which is not among its nodes."),
    "no known suffix": (
        "x.xyz", b"1 2\n", "graph",
        "has no known suffix. Known ones: .csv, .tsv, .txt, .edges, .edgelist, .parquet, .feather, .arrow, .h5ad, "
        ".graphml, .gml, .json, .mat, .mtx, .graph, .metis, .npz; text also packed: .gz, .bz2, .xz, .zst, .zip."),
}  # fmt: skip

MANY = [b"a", b"b", *(b"n%d" % k for k in range(18))]

READ_AS_IDS = " Its column 'id' was read as node ids. If another column holds them, name it: id_column=… (--id-column …)."
BESIDE = {
    "features for other nodes": (
        "features", "f.csv", b"id,x,y\na,1,2\nb,3,4\nz,5,6\n",
        "The edge file {0}/edges.csv names nodes that the features file {0}/f.csv does not: 'c'. "
        "missing='zero' (--missing zero) gives them zeros." + READ_AS_IDS),
    "labels for other nodes": (
        "labels", "l.csv", b"id,label\na,1\nb,2\nc,1\nz,3\n",
        "The labels file {0}/l.csv names nodes that the graph does not: 'z'. missing='zero' (--missing zero) accepts that."
        + READ_AS_IDS),
    "two labels for a node": ("labels", "l.csv", b"id,label\na,1\nb,2\nc,1\na,2\n",
                              "The labels file {0}/l.csv has more than one row for 'a'." + READ_AS_IDS),
    "two feature rows for a node": ("features", "f.csv", b"id,x\na,1\nb,2\nc,1\na,2\n",
                                    "The features file {0}/f.csv has more than one row for 'a'." + READ_AS_IDS),
    "a slip in a column of numbers": (
        "features", "f.csv", b"id,x\n" + b"".join(b"%s,%d\n" % (name, k) for k, name in enumerate(MANY)) + b"c,1o\n",
        "The features file {0}/f.csv holds words among the numbers of column 'x': '1o' in row 21. "
        "Correct it, or leave the cell empty."),
    "only ids": ("features", "f.csv", b"id,\na,\nb,\nc,\n",
                 "The features file {0}/f.csv has no column that could be a feature: '' was left out: all its cells "
                 "are empty."),
    "a billion features": ("features", "f.json", b'{"a": [1999999999], "b": [0], "c": [1]}',
                           "The features file {0}/f.json claims 3 rows and 2,000,000,000 columns for 3 entries. " + DAMAGED),
    "one node twice in JSON": ("features", "f.json", b'{"a": [1], "a": [2], "b": [0], "c": [1]}',
                               "The features file {0}/f.json has more than one row for 'a'."),
    "no list in JSON": ("features", "f.json", b'{"a": [1], "b": 3, "c": []}',
                        "The features file {0}/f.json must hold a list for each node. That of node 'b' is none."),
}  # fmt: skip


def message(read, *arguments, **options):
    with pytest.raises(sc.InputError) as caught:
        read(*arguments, **options)
    return str(caught.value)


@pytest.mark.parametrize("case", TEXTS)
def test_broken_edge_lists(case, tmp_path):
    content, expected = TEXTS[case]
    path = tmp_path / "edges.csv"
    path.write_bytes(content)
    assert message(sc.read_graph, path) == f"The edge file {path} {expected}"


@pytest.mark.parametrize("case", FILES)
def test_broken_graph_files(case, tmp_path):
    name, content, kind, expected = FILES[case]
    (tmp_path / name).write_bytes(content)
    expected = expected.replace("{size}", f"{len(content):,}")
    assert message(sc.read_graph, tmp_path / name) == f"The {kind} file {tmp_path / name} {expected}"


@pytest.mark.parametrize("case", BESIDE)
def test_broken_files_beside_a_graph(case, tmp_path):
    role, name, content, expected = BESIDE[case]
    (tmp_path / "edges.csv").write_bytes(EDGES)
    (tmp_path / name).write_bytes(content)

    def read() -> object:
        return sc.read_graph(tmp_path / "edges.csv", **{role: tmp_path / name}, missing=missing).features

    missing = "zero" if case == "a slip in a column of numbers" else "error"
    assert message(read) == expected.format(tmp_path)


def halved(path):
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    return path


def test_truncated_binary_files(tmp_path):
    table = pa.table({"source": [1, 2], "target": [2, 3]})
    pyarrow.parquet.write_table(table, tmp_path / "x.parquet")
    pyarrow.feather.write_feather(table, tmp_path / "x.feather")
    sp.save_npz(tmp_path / "x.npz", sp.csr_array(np.eye(4)[::-1]))
    parquet, feather, npz = (halved(tmp_path / f"x.{suffix}") for suffix in ("parquet", "feather", "npz"))
    assert message(sc.read_graph, parquet) == (
        f"The edge file {parquet} could not be read: Parquet magic bytes not found in footer. Either the file is corrupted "
        "or this is not a parquet file."
    )
    assert message(sc.read_graph, feather) == f"The edge file {feather} could not be read: Not an Arrow file."
    assert message(sc.read_graph, npz) == f"The graph file {npz} could not be read: File is not a zip file."


def test_python_objects_are_never_loaded(tmp_path):
    (tmp_path / "edges.csv").write_bytes(EDGES)
    objects = np.array([[1, "a"], [None, 2]], dtype=object)
    np.savez(tmp_path / "x.npz", adjacency=objects)
    np.save(tmp_path / "x.npy", objects)
    reason = "could not be read: it holds Python objects, which are never loaded."
    assert message(sc.read_graph, tmp_path / "x.npz") == f"The graph file {tmp_path}/x.npz {reason}"
    assert message(sc.read_graph, tmp_path / "edges.csv", features=tmp_path / "x.npy") == (
        f"The features file {tmp_path}/x.npy {reason}"
    )


def test_arrays_that_claim_more_than_they_have(tmp_path):
    (tmp_path / "edges.csv").write_bytes(EDGES)
    header = (
        b"\x93NUMPY\x01\x00\x76\x00"
        + b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000, 3), }".ljust(117)
        + b"\n"
    )
    (tmp_path / "x.npy").write_bytes(header + b"\0" * 24)
    assert message(sc.read_graph, tmp_path / "edges.csv", features=tmp_path / "x.npy") == (
        f"The features file {tmp_path}/x.npy could not be read: it claims an array of 24,000,000,000 bytes and has 152."
    )
    parts = {"data": [1.0], "row": [0], "col": [1], "shape": [10**12, 10**12], "format": b"coo"}
    np.savez(tmp_path / "x.npz", **parts)
    assert message(sc.read_graph, tmp_path / "x.npz") == (
        f"The graph file {tmp_path}/x.npz claims 1,000,000,000,000 rows and 1,000,000,000,000 columns for 1 entries. "
        + DAMAGED
    )


@pytest.mark.slow
def test_a_zip_that_grows_without_end(tmp_path):
    np.savez_compressed(tmp_path / "x.npz", adjacency=np.zeros((9000, 9000), dtype=np.float32))
    size = (tmp_path / "x.npz").stat().st_size
    assert message(sc.read_graph, tmp_path / "x.npz") == (
        f"The graph file {tmp_path}/x.npz has {size:,} bytes and would unpack to more than 268,435,456. {DAMAGED}"
    )


@pytest.mark.slow
def test_a_matlab_file_that_grows_without_end(tmp_path):
    savemat(tmp_path / "x.mat", {"A": np.zeros((6000, 6000))}, do_compression=True)
    said = message(sc.read_graph, tmp_path / "x.mat")
    assert said.startswith(f"The graph file {tmp_path}/x.mat has ")
    assert said.endswith(DAMAGED)


@pytest.mark.slow
def test_a_matlab_file_says_what_it_holds(tmp_path):
    savemat(tmp_path / "x.mat", {"P": np.eye(3), "Q": np.eye(3)})
    savemat(tmp_path / "y.mat", {"P": np.ones((3, 4))})
    assert message(sc.read_graph, tmp_path / "x.mat") == (
        f"The graph file {tmp_path}/x.mat holds P, Q. Say which one is the adjacency."
    )
    assert message(sc.read_graph, tmp_path / "x.mat", adjacency="Z") == (
        f"The graph file {tmp_path}/x.mat has no array 'Z'. It has: P, Q."
    )
    assert (
        message(sc.read_graph, tmp_path / "y.mat") == f"The graph file {tmp_path}/y.mat holds no square matrix. It has: P."
    )


def test_options_that_a_format_has_no_use_for(tmp_path):
    (tmp_path / "edges.csv").write_bytes(EDGES)
    assert message(sc.read_graph, tmp_path / "edges.csv", adjacency="A") == (
        f"The graph file {tmp_path}/edges.csv has no use for adjacency='A': its format has no such thing."
    )
    assert message(sc.read_graph, tmp_path / "edges.csv", source="from") == (
        f"The edge file {tmp_path}/edges.csv has no column 'from' for the source. It has: source, target."
    )


def test_a_byte_order_mark_and_windows_line_ends_are_accepted(tmp_path):
    (tmp_path / "edges.csv").write_bytes(b"\xef\xbb\xbfsource,target\r\na,b\r\nb,c\r\n")
    graph = sc.read_graph(tmp_path / "edges.csv")
    assert graph.node_ids.tolist() == ["a", "b", "c"]
    assert graph.n_edges == 2
