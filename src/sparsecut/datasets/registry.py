"""The table of named graphs: sizes, origin, citation, files, and the function that reads them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sparsecut.datasets.digits import read_digits
from sparsecut.datasets.planetoid import planetoid_files, read_planetoid
from sparsecut.graph import Graph


@dataclass(frozen=True)
class Dataset:
    name: str
    about: str
    n_nodes: int
    n_edges: int
    n_features: int
    n_classes: int
    origin: str
    citation: str
    files: tuple[str, ...]
    read: Callable[[Path], Graph]


_PLANETOID = "the Planetoid repository, folder data"
_SEN = "Sen et al., Collective classification in network data, AI Magazine 29(3), 2008; split by Yang et al., ICML 2016"


def _planetoid(name: str, folder: str, about: str, sizes: tuple[int, int, int, int]) -> Dataset:
    return Dataset(
        name, about, *sizes, _PLANETOID, _SEN, planetoid_files(name, folder), partial(read_planetoid, name, folder)
    )


DATASETS = {
    dataset.name: dataset
    for dataset in (
        Dataset(
            "digits",
            "handwritten digits joined to their 10 nearest neighbours; built in",
            *(1797, 12340, 64, 10),
            "scikit-learn",
            "Alpaydin and Kaynak, Optical recognition of handwritten digits, UCI Machine Learning Repository, 1998",
            (),
            lambda _: read_digits(),
        ),
        _planetoid("cora", "Cora", "machine learning papers and their citations", (2708, 5278, 1433, 7)),
        _planetoid("citeseer", "CiteSeer", "computer science papers and their citations", (3327, 4552, 3703, 6)),
        _planetoid("pubmed", "PubMed", "papers on diabetes and their citations", (19717, 44324, 500, 3)),
    )
}
