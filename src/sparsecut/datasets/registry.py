"""All named graphs. A file per publisher or format holds its reader, its entries and the checksums of their files."""

from __future__ import annotations

from sparsecut.datasets import benchmark, cora_full, digits, heterophilous, inductive_graphs, musae, ogb_graphs, planetoid
from sparsecut.datasets.dataset import Dataset

FILES = (digits, planetoid, cora_full, inductive_graphs, benchmark, musae, heterophilous, ogb_graphs)

DATASETS: dict[str, Dataset] = {dataset.name: dataset for file in FILES for dataset in file.DATASETS}
