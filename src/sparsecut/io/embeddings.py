"""Embeddings on disk, each row with its node's id. The suffix is the format:

- `.parquet`: columns `id` and `embedding`, a fixed-size list of float32; `x` and `y` too where positions are given. A
  folder of such files, as a cluster writes it, is read too, and so are files of others with lists of any kind or a column
  per coordinate, also `.feather` and `.arrow`, whose ids are a column `id` or the index of a pandas frame
- `.npz`: arrays `ids` and `embedding`; in files of others `node_ids`, `id` or `node_id` are the ids, too
- `.npy`: the matrix, and the ids beside it in `NAME.ids.npy`
- `.csv`: `id`, `z0`, `z1`, …
- `.w2v`, `.vec`: word2vec's text format
- `.tsv`: for TensorBoard's projector, the vectors alone; ids, and labels if given, beside them in `NAME.metadata.tsv`

Text may be packed where it is read: `.csv.gz`, `.vec.zst`, …

The order is vectors, then ids, going in and coming out: `write_embedding(path, Z, ids)`, `Z, ids = read_embedding(path)`, as
in `add_embedding(holder, Z, ids)`. Ids where vectors are expected are an error.

Files are written to a temporary name and moved into place. An existing file is replaced only with `overwrite=True`.
"""

from __future__ import annotations

import warnings
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsecut.base.errors import InputError, ReadingWarning, first_few
from sparsecut.graph import as_id_array, place_rows, place_values, rows_and_ids
from sparsecut.io.edges.ids import as_ids
from sparsecut.io.edges.table_files import describe_table, read_parquet
from sparsecut.io.files import check_readable, check_writable, write_whole
from sparsecut.io.hostile.guards import reading
from sparsecut.io.nodes.attributes import read_node_table
from sparsecut.io.opening import PACKED_SUFFIXES, check_encoding, refuse_packed, table_suffix
from sparsecut.io.stores.numpy_files import Archive, read_npy, write_npy
from sparsecut.io.vector_tables import read_vector_table, vectors_of_columns
from sparsecut.io.vectors import ids_beside, read_vectors, write_vectors
from sparsecut.kernels import release, row_blocks

ROW_GROUP_BYTES = 64 << 20
BINARY_SUFFIXES = (".parquet", ".npy", ".npz")
NPZ_IDS = ("ids", "node_ids", "id", "node_id")  # names of the array of ids, the first that is there
ARROW_SUFFIXES = (".feather", ".arrow")  # that are read, and not written
EMBEDDING_SUFFIXES = (*BINARY_SUFFIXES, ".csv", ".w2v", ".vec", ".tsv")
READ_SUFFIXES = (*EMBEDDING_SUFFIXES, *ARROW_SUFFIXES)


class Embedding(NamedTuple):
    """Vectors (n, d) and the ids (n,) of their nodes; unpacks as `Z, ids`."""

    vectors: NDArray[np.float32]
    ids: NDArray[Any]


def check_embedding_path(path: str | Path, overwrite: bool = True) -> Path:
    """The path of an embedding that could be written, found out before it is computed."""
    path = Path(path)
    for file in _files_of(path):
        check_writable(file, overwrite, EMBEDDING_SUFFIXES)
    return path


def write_embedding(
    path: str | Path,
    embedding: ArrayLike,
    node_ids: ArrayLike | None = None,
    *,
    types: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    xy: ArrayLike | None = None,
    overwrite: bool = False,
) -> None:
    """Write one vector per node; the suffix of the path is the format.

    Parameters
    ----------
    path : str or Path
        Where to; .parquet, .npy, .npz, .csv, .w2v, .vec or .tsv.
    embedding : array or frame (n, d)
        The vectors. A frame brings the ids of its rows: the index of a pandas frame, or a column named id.
    node_ids : array (n,), default=None
        The id of each row; where not given those that the frame brings, or 0..n-1.
    types : array of str (n,), default=None
        The type of every node (`Graph.types`): the column `type` of .parquet and .csv, the array `types` of .npz. Ids say it
        in all formats.
    labels : array or series (n,), default=None
        For the metadata of a .tsv. A series is matched by its index.
    xy : array or frame (n, 2), default=None
        Positions in the plane: the columns `x` and `y` of a .parquet file, where other programs find them.
    overwrite : bool, default=False
        Whether to replace files that exist.

    Raises
    ------
    InputError
        Where vectors and ids are given in the other order, do not fit together, or the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> import sparsecut as sc
    >>> path = Path(tempfile.mkdtemp()) / "vectors.parquet"
    >>> sc.write_embedding(path, np.eye(2), ["a", "b"])
    >>> Z, ids = sc.read_embedding(path)
    >>> Z.tolist(), ids.tolist()
    ([[1.0, 0.0], [0.0, 1.0]], ['a', 'b'])
    """
    if not isinstance(path, str | Path):
        raise InputError(
            f"write_embedding takes the path first: write_embedding('vectors.parquet', Z, ids). Got {type(path).__name__}."
        )
    path = Path(path)
    Z, given_ids = check_vectors(embedding, node_ids, "write_embedding(path, Z, ids)")
    ids = np.arange(len(Z)) if given_ids is None else given_ids
    types = None if types is None else np.asarray(types, dtype=np.str_)
    if types is not None and types.shape != ids.shape:
        raise InputError(f"The types must be one for each of the {len(Z):,} rows. Got shape {types.shape}.")
    labels = None if labels is None else place_values(labels, given_ids, len(Z), is_for_more=True)
    xy = None if xy is None else place_rows(xy, ids, "The frame of positions")
    if labels is not None and (path.suffix != ".tsv" or np.shape(labels) != ids.shape):
        raise InputError("Labels go only into the projector's metadata (.tsv), one per node.")
    if xy is not None and (path.suffix != ".parquet" or np.shape(xy) != (len(Z), 2)):
        raise InputError("Positions go only into a .parquet file, one x and one y per node.")
    check_embedding_path(path, overwrite)
    with ExitStack() as stack:  # all files of an embedding are moved into place after the last is written
        files = [stack.enter_context(write_whole(file, overwrite, EMBEDDING_SUFFIXES)) for file in reversed(_files_of(path))]
        temporary = files[::-1]  # the embedding itself was opened last, so that an error names it
        if path.suffix == ".npy":
            for place, array in zip(temporary, (Z, _without_objects(ids, path)), strict=True):
                with place.open("wb") as file:
                    write_npy(file, array)
        elif path.suffix == ".npz":
            beside: dict[str, Any] = {} if types is None else {"types": types}
            np.savez(temporary[0], ids=_without_objects(ids, path), embedding=Z, **beside)
        elif path.suffix in (".parquet", ".csv"):
            _write_table(temporary[0], Z, ids, None if xy is None else np.asarray(xy, dtype=np.float32), types)
        else:
            write_vectors(path, temporary, Z, ids, None if labels is None else np.asarray(labels))


def check_vectors(embedding: Any, node_ids: Any, call: str) -> tuple[NDArray[np.float32], NDArray[Any] | None]:
    """Vectors (n, d) as float32 and their ids (n,), if any. `call` is how to call it, for an error about the order."""
    embedding, node_ids = rows_and_ids(embedding, "The frame of vectors", node_ids)
    try:
        matrix, ids = np.asarray(embedding), None if node_ids is None else np.asarray(node_ids)
    except (TypeError, ValueError, RuntimeError) as error:  # rows of unequal length, a tensor on a GPU
        raise InputError(f"The vectors and ids must be arrays: {call}. {str(error).splitlines()[0]}") from error
    is_vectors = matrix.ndim == 2 and matrix.dtype.kind in "biuf"
    if ids is not None and ids.ndim == 2 and not is_vectors:
        raise InputError(
            f"The vectors come first, then the ids: {call}. Got {_described(matrix)} for the vectors and {_described(ids)} "
            "for the ids, which looks like the other order."
        )
    if not is_vectors and matrix.dtype.kind not in "biuf":
        raise InputError(f"The vectors must be numbers, one row per node: {call}. Got {_described(matrix)}.")
    if not is_vectors or not matrix.shape[1]:
        raise InputError(f"The vectors must be two-dimensional, one row per node: {call}. Got shape {matrix.shape}.")
    if ids is not None and ids.shape != matrix.shape[:1]:
        raise InputError(
            f"The ids must be one for each of the {len(matrix):,} rows of the vectors: {call}. Got {_described(ids)}."
        )
    if ids is not None:
        ids = as_id_array(node_ids, f"The list of ids given to {call.partition('(')[0]}")
    return np.ascontiguousarray(matrix, dtype=np.float32), ids


def _described(array: NDArray[Any]) -> str:
    kinds = {"U": "words", "O": "objects", "i": "integers", "u": "integers", "f": "numbers", "b": "booleans"}
    return f"{kinds.get(array.dtype.kind, array.dtype)} of shape {array.shape}"


def read_embedding(path: str | Path, *, encoding: str | None = None) -> Embedding:
    """The vectors and the node ids of any file that `write_embedding` writes, and of tables that other programs write.

    Parameters
    ----------
    path : str or Path
        .parquet, .npy, .npz, .csv, .w2v, .vec, .tsv, .feather or .arrow; or a folder of .parquet files. Text may be packed:
        .csv.gz, .csv.zst, …
    encoding : str, default=None
        The encoding of a text file, one of those that Python knows: "latin-1", "cp1252", … UTF-8 where not given.

    Returns
    -------
    Embedding
        `vectors`, float32 (n, d), and `ids` (n,), in this order: `Z, ids = read_embedding(path)`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> import sparsecut as sc
    >>> path = Path(tempfile.mkdtemp()) / "vectors.parquet"
    >>> sc.write_embedding(path, np.eye(2), ["a", "b"])
    >>> Z, ids = sc.read_embedding(path)
    >>> Z.tolist(), ids.tolist()
    ([[1.0, 0.0], [0.0, 1.0]], ['a', 'b'])
    """
    if Path(path).is_dir():
        return _read_folder(Path(path))
    path, encoding = check_readable(path, "embedding"), check_encoding("read_embedding", encoding)
    suffix = table_suffix(path)
    if suffix not in READ_SUFFIXES:
        raise InputError(
            f"The embedding file {path} must end in {', '.join(READ_SUFFIXES)}; text may be packed "
            f"({', '.join(PACKED_SUFFIXES)})."
        )
    if suffix in (*BINARY_SUFFIXES, *ARROW_SUFFIXES):
        refuse_packed(path, "embedding")
    ids: NDArray[Any] | None
    if suffix == ".parquet":
        ids, Z = _read_parquet(path)
    elif suffix in ARROW_SUFFIXES:
        ids, Z = vectors_of_columns(describe_table(path, "embedding", frozenset())[0], path)
    elif suffix == ".npy":
        ids, Z = _read_ids(path), read_npy(path, "embedding")
    elif suffix == ".npz":
        ids, Z = _read_npz(path)
    elif suffix == ".csv":
        ids, Z = read_vector_table(path, encoding)
    else:
        ids, Z = read_vectors(path, encoding)
    if Z.ndim != 2 or Z.dtype.kind not in "biuf" or (ids is not None and ids.shape != Z.shape[:1]):
        n_ids = len(Z) if ids is None else ids.size
        raise InputError(f"The embedding file {path} must hold one row per node. Got shape {Z.shape} and {n_ids:,} ids.")
    return Embedding(np.asarray(Z, dtype=np.float32), np.arange(len(Z)) if ids is None else ids)


def read_positions(path: str | Path) -> NDArray[np.float32] | None:
    """The positions in the plane that were written beside the vectors, (n, 2); None where the file has none."""
    if Path(path).is_dir():
        return None
    path = check_readable(path, "embedding")
    if path.suffix != ".parquet":
        return None
    import pyarrow as pa
    import pyarrow.parquet

    with reading(path, "embedding"):
        schema = pyarrow.parquet.read_schema(path)
    if not all(name in schema.names and pa.types.is_floating(schema.field(name).type) for name in ("x", "y")):
        return None
    table = read_parquet(path, "embedding", lambda names: dict.fromkeys(("x", "y")))
    if any(table.column(name).null_count for name in ("x", "y")):
        return None
    return np.column_stack([table.column(name).to_numpy() for name in ("x", "y")]).astype(np.float32)


def read_types(path: str | Path) -> NDArray[np.str_] | None:
    """The type of every node that was written beside the vectors; None where the file has none."""
    path = Path(path)
    if path.is_dir() or path.suffix not in (".parquet", ".npz", ".csv"):
        return None
    if path.suffix == ".npz":
        types = Archive(path, "embedding").get("types")
        return None if types is None else np.asarray(types, dtype=np.str_)
    if path.suffix == ".parquet":
        import pyarrow.parquet

        with reading(path, "embedding"):
            names = pyarrow.parquet.read_schema(path).names
        if "type" not in names:
            return None
        column = read_parquet(path, "embedding", lambda names: dict.fromkeys(["type"])).column("type")
    else:
        table = read_node_table(path, "embedding", frozenset({"id"}))[1]
        if "type" not in table.column_names:
            return None
        column = table.column("type")
    return np.array(["" if one is None else str(one) for one in column.to_pylist()], dtype=np.str_)


def ids_path(path: Path) -> Path:
    """Where the ids of an `.npy` embedding lie."""
    return path.with_suffix(".ids.npy")


def _files_of(path: Path) -> list[Path]:
    if path.suffix == ".npy":
        return [path, ids_path(path)]
    return [path, ids_beside(path)] if path.suffix == ".tsv" else [path]


def _without_objects(ids: NDArray[Any], path: Path) -> NDArray[Any]:
    """Ids that numpy can store without Python objects, which are never read back."""
    if ids.dtype != object:
        return ids
    words = [str(value) for value in ids]
    longest = max(map(len, words), default=1)
    if len(words) * longest * 4 > 2**26 + 16 * sum(map(len, words)):
        raise InputError(f"The ids are too long for {path}: one has {longest:,} characters. Write .parquet instead.")
    return np.array(words, dtype=np.str_)


def _arrow_ids(ids: NDArray[Any]) -> Any:
    import pyarrow as pa

    return pa.array([str(value) for value in ids]) if ids.dtype == object else pa.array(ids)


def _write_table(
    path: Path, Z: NDArray[np.float32], ids: NDArray[Any], xy: NDArray[np.float32] | None, types: NDArray[np.str_] | None
) -> None:
    import pyarrow as pa

    kinds = {} if types is None else {"type": pa.array(types, pa.string())}

    if path.suffix == ".parquet":
        import pyarrow.parquet

        column = _arrow_ids(ids)
        places = {} if xy is None else {"x": xy[:, 0], "y": xy[:, 1]}
        named = {
            "id": column.type,
            **{name: kind.type for name, kind in kinds.items()},
            **dict.fromkeys(places, pa.float32()),
            "embedding": pa.list_(pa.float32(), Z.shape[1]),
        }
        schema = pa.schema(named)
        # Numbers that hardly repeat have no use for a dictionary, nor for the least and the largest of a block: looking for
        # them takes as long as all the rest, and reading what is left of a dictionary takes longer.
        with pyarrow.parquet.ParquetWriter(path, schema, use_dictionary=[*kinds], write_statistics=["id", *kinds]) as writer:
            for rows in row_blocks(len(Z), 4 * Z.shape[1], ROW_GROUP_BYTES):  # Z may be larger than memory
                vectors = pa.FixedSizeListArray.from_arrays(pa.array(Z[rows].ravel()), Z.shape[1])
                n_rows = rows.stop - rows.start
                beside = {name: kind.slice(rows.start, n_rows) for name, kind in kinds.items()}
                beside |= {name: pa.array(values[rows]) for name, values in places.items()}
                ids_here = column.slice(rows.start, n_rows)
                part = pa.table({"id": ids_here, **beside, "embedding": vectors})
                writer.write_table(part)
                release(Z, rows)
    else:
        import pyarrow.csv

        columns = {f"z{column}": pa.array(Z[:, column]) for column in range(Z.shape[1])}
        pyarrow.csv.write_csv(pa.table({"id": _arrow_ids(ids), **kinds, **columns}), path)


def _read_parquet(path: Path) -> tuple[NDArray[Any], NDArray[np.float32]]:
    import pyarrow as pa

    table = read_parquet(path, "embedding")
    if not {"id", "embedding"} <= set(table.column_names) or not pa.types.is_fixed_size_list(
        table.schema.field("embedding").type
    ):
        return vectors_of_columns(table, path)  # written by another program
    with reading(path, "embedding"):
        vectors = table.column("embedding").combine_chunks()
        Z = np.asarray(vectors.flatten(), dtype=np.float32).reshape(len(vectors), vectors.type.list_size)
        return as_ids(table.column("id"), f"The embedding file {path}"), Z


def _read_folder(folder: Path) -> Embedding:
    """The parts of an embedding, in the order of their names."""
    parts = [read_embedding(path) for path in sorted(folder.glob("*.parquet"))]
    if not parts:
        raise InputError(f"The embedding folder {folder} holds no .parquet files.")
    if len({part.vectors.shape[1] for part in parts}) > 1:
        raise InputError(f"The embedding folder {folder} holds vectors of unequal lengths.")
    return Embedding(np.concatenate([part.vectors for part in parts]), np.concatenate([part.ids for part in parts]))


def _read_ids(path: Path) -> NDArray[Any] | None:
    return read_npy(ids_path(path), "ids") if ids_path(path).exists() else None


def _read_npz(path: Path) -> tuple[NDArray[Any] | None, NDArray[Any]]:
    archive = Archive(path, "embedding")
    of_ids = next((name for name in NPZ_IDS if name in archive), None)
    beside = (of_ids, "types")
    name = next((name for name in ("embedding", *archive.names) if name in archive and name not in beside), None)
    if name is None:
        raise InputError(f"The embedding file {path} holds no array beside the ids.")
    left = [other for other in archive.names if other not in (name, *beside)]
    if left:
        warnings.warn(
            f"Of {path} the array {name!r} was read as the vectors, none as their ids: the rows are the nodes 0, 1, 2, … "
            f"Left out: {first_few(left)}. An array of ids has to be called {', '.join(NPZ_IDS[:-1])} or {NPZ_IDS[-1]}."
            if of_ids is None
            else f"Of {path} the array {name!r} was read as the vectors, {of_ids!r} as their ids. "
            f"Left out: {first_few(left)}.",
            ReadingWarning,
            stacklevel=3,
        )
    return None if of_ids is None else archive[of_ids], archive[name]
