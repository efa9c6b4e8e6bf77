"""All named graphs. A file per publisher or format holds its reader, its entries and the checksums of their files."""

from __future__ import annotations

from importlib import import_module

from sparsecut.datasets.dataset import Dataset

FILES = (
    "sparsecut.datasets.digits",
    "sparsecut.datasets.planetoid",
    "sparsecut.datasets.benchmark",
    "sparsecut.datasets.inductive_graphs",
    "sparsecut.datasets.musae",
    "sparsecut.datasets.heterophilous",
    "sparsecut.datasets.ogb",
    "sparsecut.datasets.papers100m",
)

DATASETS: dict[str, Dataset] = {dataset.name: dataset for file in FILES for dataset in import_module(file).DATASETS}
