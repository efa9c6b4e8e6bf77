"""A graph on disk in the form in which it is used: a folder of arrays that are memory-mapped, never read whole.

    graph.json      what the folder is, how many nodes and entries, how the features were encoded, and the notes of whoever
                    built it
    indptr.npy      where the neighbours of each node begin, n + 1 numbers
    indices.npy     the neighbours, both directions of every edge, ascending for each node
    weights.npy     float32, one per entry; absent where every edge weighs 1
    features.npy    float32 (n, f)
    ids.npy         the node ids; absent where they are 0..n−1
    demands/        the edges that ask for distance, of a signed graph that has some: indptr, indices, weights
    relations/0/ …  the edges of each type by themselves, of a graph with several types of edges

Weights of edges with times are those at the moment of the clock that graph.json has.

`build_store` makes one from files larger than memory (`sparsecut.io.stores.building`), `open_store` opens it as a `Graph`.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.features import Encoder, FeatureMatrix, read_encoder
from sparsecut.graph import Graph
from sparsecut.graph.clock import Clock
from sparsecut.graph.relations import Relations
from sparsecut.io.files import check_readable, exists_error, refuse_url
from sparsecut.io.hostile.guards import reading

HEADER = "graph.json"
FORMAT = "sparsecut-store"
FORMAT_VERSION = 3  # of a store with types of edges, times or signs, which version 2 does not know
PLAIN_VERSION = 2


def is_store(path: str | Path) -> bool:
    return (Path(path) / HEADER).is_file()


def open_store(path: str | Path) -> Graph:
    """The graph of a store that `build_store` made. Its arrays stay on disk.

    Parameters
    ----------
    path : str or Path
        The folder.

    Returns
    -------
    Graph
        Fit it with the disk engine where its arrays are larger than memory.

    Raises
    ------
    InputError
        Where the folder is no store, or its files are not what its header says.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> import sparsecut as sc
    >>> folder = Path(tempfile.mkdtemp())
    >>> np.save(folder / "edges.npy", np.array([[0, 1], [1, 2]]))
    >>> np.save(folder / "features.npy", np.eye(3, dtype=np.float32))
    >>> sc.build_store(folder / "store", folder / "edges.npy", features=folder / "features.npy")
    >>> sc.open_store(folder / "store")
    Graph(3 nodes, 2 edges, 3 features)
    """
    path = Path(path)
    refuse_url(path, "The store")
    if not is_store(path):
        raise InputError(f"{path} is not a store of a graph: it has no {HEADER}. Make one with sparsecut.build_store.")
    with reading(path / HEADER, "store"):
        header = json.loads((path / HEADER).read_text("utf-8"))
        if header["format"] != FORMAT or header["format_version"] not in (PLAIN_VERSION, FORMAT_VERSION):
            raise InputError(f"{path} was made by another version of sparsecut. Build the store again.")
        n_nodes, n_entries = int(header["n_nodes"]), int(header["n_entries"])
        has_weights, has_features, has_ids = (bool(header[name]) for name in ("weights", "features", "ids"))
        encoder = read_encoder(header["encoder"])
        directed, notes = str(header["directed"]), tuple(str(note) for note in header["notes"])
        types = header.get("node_types", header.get("sides"))  # absent from stores of earlier versions
        relations, clock = Relations.read(header.get("relations")), Clock.read(header.get("clock"))
        n_demands = header.get("n_demands")
        counts = header.get("type_counts")
    adjacency = mapped_matrix(path, n_nodes, n_entries, has_weights=has_weights)
    demands = None
    if n_demands is not None:
        demands = sp.csr_array((n_nodes, n_nodes), dtype=np.float32)
        if n_demands:
            demands = mapped_matrix(path / "demands", n_nodes, int(n_demands), has_weights=True)
    if relations is not None:
        folders = [path / "relations" / str(number) for number in range(len(relations.edge_types))]
        matrices = (adjacency,) if len(folders) == 1 else tuple(mapped_matrix(folder, n_nodes) for folder in folders)
        relations = replace(relations, matrices=matrices)
    graph = Graph.from_canonical(
        adjacency,
        features=_features(path, n_nodes, encoder) if has_features else None,
        node_ids=np.asarray(_map(path, "ids", (n_nodes,))) if has_ids else None,
        directed=directed,
        encoder=encoder,
        notes=notes,
        node_types=None if types is None else tuple(map(str, types)),
        relations=relations,
        clock=clock,
        demands=demands,
    )
    return graph if counts is None else graph._with_type_counts(counts)


def check_place(folder: Path, overwrite: bool) -> None:
    """Refuse a folder that exists, unless it is a store that may be replaced."""
    if not folder.exists():
        return
    if not overwrite:
        raise exists_error(folder)
    if not is_store(folder):
        raise InputError(f"The output {folder} exists and is no store, so it is not replaced. Name another folder.")


def move_store(built: Path, folder: Path) -> None:
    """Put a store that was built beside its place there; an older one goes once the new one is whole."""
    if not folder.exists():
        built.replace(folder)
        return
    older = built.with_name(f"{built.name}-replaced")
    folder.replace(older)
    built.replace(folder)
    shutil.rmtree(older)


def write_header(
    folder: Path,
    *,
    n_nodes: int,
    n_entries: int,
    directed: str,
    encoder: Encoder | None = None,
    notes: tuple[str, ...] = (),
    sides: tuple[str, str] | None = None,
    types: Mapping[str, int] | None = None,
    relations: Relations | None = None,
    clock: Clock | None = None,
    n_demands: int | None = None,
) -> None:
    """Say what the arrays of a folder are; written last, so that a folder without it is not a store.

    `types` has how many nodes of each type there are, one type after another.
    """
    has = {name: (folder / f"{name}.npy").exists() for name in ("weights", "features", "ids")}
    is_plain = relations is None and clock is None and n_demands is None
    version = PLAIN_VERSION if is_plain else FORMAT_VERSION
    header: dict[str, Any] = {"format": FORMAT, "format_version": version, "n_nodes": n_nodes, "n_entries": n_entries}
    if types is not None:
        header |= {"node_types": list(types), "type_counts": list(types.values())}
    if relations is not None:
        header["relations"] = relations.to_header()
    if clock is not None:
        header["clock"] = clock.to_header()
    if n_demands is not None:
        header["n_demands"] = n_demands
    header["encoder"] = None if encoder is None else encoder.to_header()
    header["sides"] = None if sides is None else list(sides)
    text = json.dumps({**header, "directed": directed, "notes": list(notes), **has}, indent=1)
    temporary = folder / f"{HEADER}.part"
    temporary.write_text(text + "\n", "utf-8")
    temporary.replace(folder / HEADER)


def unweighted(n_entries: int) -> NDArray[np.float32]:
    """The weights of a graph without any: one number in memory, however many entries there are."""
    return np.broadcast_to(np.float32(1), n_entries)


def mapped_matrix(
    folder: Path, n_nodes: int, n_entries: int | None = None, *, has_weights: bool | None = None
) -> sp.csr_array:
    """A matrix of a folder as it lies."""
    matrix = sp.csr_array((n_nodes, n_nodes), dtype=np.float32)
    matrix.indptr = _map(folder, "indptr", (n_nodes + 1,))
    matrix.indices = _map(folder, "indices", (n_entries,))
    if has_weights is None:
        has_weights = (folder / "weights.npy").exists()
    n_entries = len(matrix.indices)
    matrix.data = _map(folder, "weights", (n_entries,)) if has_weights else unweighted(n_entries)
    matrix.has_canonical_format = True
    return matrix


def _features(folder: Path, n_nodes: int, encoder: Encoder | None) -> Any:
    """The features as they lie.

    Whoever built the store has checked every number, so they are not checked again, unless they are another's file that the
    store points to.
    """
    features = _map(folder, "features", (n_nodes, None))
    if (folder / "features.npy").is_symlink() or features.dtype != np.float32 or not features.flags.c_contiguous:
        return features
    return FeatureMatrix(features, encoder)


def _map(folder: Path, name: str, shape: tuple[int | None, ...]) -> NDArray[Any]:
    path = check_readable(folder / f"{name}.npy", "store")
    with reading(path, "store"):
        array: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    is_right = array.ndim == len(shape) and all(
        wanted in (None, length) for wanted, length in zip(shape, array.shape, strict=True)
    )
    if not is_right:
        raise InputError(f"{path} has shape {array.shape}, which is not what {HEADER} says. Build the store again.")
    return array
