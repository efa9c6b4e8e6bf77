"""What people cut graphs with today, behind one call: a graph's adjacency and a number of parts in, a part per node out.

    METIS (pymetis), KaHIP, KaMinPar         k balanced parts with few edges between them
    scikit-learn, scikit-network             spectral clustering: k-means on eigenvectors
    Louvain and Leiden                       communities; how many there are is their own choice (`parts` is not used)

All of them are development dependencies alone. leidenalg is GPL: it is compared with, and never imported by the library.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Peer = Callable[[Any, int], NDArray[np.int64]]

IMBALANCE = 0.03  # of the partitioners that keep a balance: KaHIP's and KaMinPar's customary 3 %, METIS's own default


def metis(A: sp.csr_array, parts: int) -> NDArray[np.int64]:
    pymetis = importlib.import_module("pymetis")
    options = pymetis.Options(ufactor=int(1000 * IMBALANCE), seed=0)
    weights = None if (A.data == 1).all() else np.maximum(np.rint(A.data), 1).astype(np.int64).tolist()
    _, members = pymetis.part_graph(
        parts, xadj=A.indptr.tolist(), adjncy=A.indices.tolist(), eweights=weights, options=options
    )
    return np.asarray(members, dtype=np.int64)


def kahip(A: sp.csr_array, parts: int, mode: int = 1) -> NDArray[np.int64]:
    """KaFFPa; mode 1 is "eco"."""
    library = importlib.import_module("kahip")
    ones, weights = np.ones(A.shape[0], dtype=int), np.maximum(np.rint(A.data), 1).astype(int)
    _, members = library.kaffpa(
        ones.tolist(), A.indptr.tolist(), weights.tolist(), A.indices.tolist(), parts, IMBALANCE, True, 0, mode
    )
    return np.asarray(members, dtype=np.int64)


def kahip_strong(A: sp.csr_array, parts: int) -> NDArray[np.int64]:
    return kahip(A, parts, mode=2)


def kaminpar(A: sp.csr_array, parts: int) -> NDArray[np.int64]:
    import tempfile
    from pathlib import Path

    library = importlib.import_module("kaminpar")
    with tempfile.TemporaryDirectory() as folder:  # its Python interface takes files alone
        path = Path(folder) / "graph.metis"
        rows = np.split(A.indices + 1, A.indptr[1:-1])
        path.write_text(f"{A.shape[0]} {A.nnz // 2}\n" + "".join(" ".join(map(str, row.tolist())) + "\n" for row in rows))
        library.reseed(0)
        graph = library.load_graph(str(path), library.GraphFileFormat.METIS)
        solver = library.KaMinPar(num_threads=1, ctx=library.default_context())
        return np.asarray(solver.compute_partition(graph, k=parts, eps=IMBALANCE), dtype=np.int64)


def scikit_learn(A: sp.csr_array, parts: int) -> NDArray[np.int64]:
    cluster = importlib.import_module("sklearn.cluster")
    matrix = sp.csr_matrix(A, dtype=np.float64)
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its remarks on convergence: the parts it returns are what is measured
        return np.asarray(
            cluster.SpectralClustering(parts, affinity="precomputed", random_state=0, assign_labels="kmeans").fit_predict(
                matrix
            )
        )


def scikit_network(A: sp.csr_array, parts: int) -> NDArray[np.int64]:
    """The pipeline of its documentation: k-means on its spectral embedding."""
    embedding, cluster = (importlib.import_module(name) for name in ("sknetwork.embedding", "sklearn.cluster"))
    Z = embedding.Spectral(parts).fit_transform(sp.csr_matrix(A))
    return np.asarray(cluster.KMeans(parts, n_init=10, random_state=0).fit_predict(Z))


def scikit_network_louvain(A: sp.csr_array, _: int) -> NDArray[np.int64]:
    clustering = importlib.import_module("sknetwork.clustering")
    return np.asarray(clustering.Louvain(random_state=0).fit_predict(sp.csr_matrix(A)))


def scikit_network_leiden(A: sp.csr_array, _: int) -> NDArray[np.int64]:
    clustering = importlib.import_module("sknetwork.clustering")
    return np.asarray(clustering.Leiden(random_state=0).fit_predict(sp.csr_matrix(A)))


def leidenalg(A: sp.csr_array, _: int) -> NDArray[np.int64]:
    igraph, library = (importlib.import_module(name) for name in ("igraph", "leidenalg"))
    upper = sp.triu(A, 1).tocoo()
    graph = igraph.Graph(n=A.shape[0], edges=np.column_stack([upper.row, upper.col]))
    found = library.find_partition(graph, library.ModularityVertexPartition, weights=upper.data.tolist(), seed=0)
    return np.asarray(found.membership)


def networkit(A: sp.csr_array, _: int, name: str = "PLM") -> NDArray[np.int64]:
    library = importlib.import_module("networkit")
    library.setSeed(0, False)
    upper = sp.triu(A, 1).tocoo()
    graph = library.GraphFromCoo(
        (upper.data.astype(float), (upper.row.astype(np.int64), upper.col.astype(np.int64))), n=A.shape[0], weighted=True
    )
    detector = getattr(library.community, name)(graph)
    detector.run()
    return np.asarray(detector.getPartition().getVector())


def networkit_leiden(A: sp.csr_array, parts: int) -> NDArray[np.int64]:
    return networkit(A, parts, "ParallelLeiden")


BY_PARTS: dict[str, Peer] = {  # asked for 2, 3, … parts each
    "METIS": metis,
    "KaHIP eco": kahip,
    "KaHIP strong": kahip_strong,
    "KaMinPar": kaminpar,
    "scikit-learn spectral": scikit_learn,
    "scikit-network spectral": scikit_network,
}
BY_THEMSELVES: dict[str, Peer] = {  # asked once
    "leidenalg": leidenalg,
    "NetworKit PLM": networkit,
    "NetworKit Leiden": networkit_leiden,
    "scikit-network Louvain": scikit_network_louvain,
    "scikit-network Leiden": scikit_network_leiden,
}
