"""The real graphs: their counts, their checksums, and what other sources say of them."""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from conftest import data_file, load_or_skip
from sparsecut import SCE, Adam, datasets
from sparsecut.datasets import DATASETS, Dataset, registry
from sparsecut.evaluation import published_splits
from sparsecut.io.formats.unpickling import unpickle_planetoid

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE = ("cora", "citeseer", "pubmed", "cora_full", "dblp", "amazon_photo", "blogcatalog", "facebook")
HETEROPHILOUS = ("wiki", "actor", "chameleon_filtered", "cornell", "tolokers")
TWITCH_HERE = ("twitch_de", "twitch_engb", "twitch_es")
NOT_HERE = tuple(name for name in DATASETS if name not in (*HERE, *HETEROPHILOUS, *TWITCH_HERE, "digits"))
FILES = {file.path: file for about in DATASETS.values() for file in (*about.raw, *about.without_features)}
SHA256 = {path: file.sha256 for path, file in FILES.items() if file.sha256 is not None}
PAPER = ("cora", "citeseer", "pubmed", "cora_full", "flickr", "reddit")


def test_every_graph_that_was_asked_for_is_named() -> None:
    assert datasets.names() == (
        *("digits", "cora", "citeseer", "pubmed", "cora_full"),
        *("dblp", "amazon_photo", "amazon_computers", "coauthor_cs", "coauthor_physics", "blogcatalog"),
        *("flickr", "reddit", "facebook"),
        *("twitch_de", "twitch_engb", "twitch_es", "twitch_fr", "twitch_pt", "twitch_ru"),
        *HETEROPHILOUS,
        *("ogbn_arxiv", "ogbn_products", "ogbn_papers100M"),
    )


@pytest.mark.parametrize("dataset", DATASETS.values(), ids=DATASETS)
def test_every_entry_is_complete(dataset: Dataset) -> None:
    assert min(dataset.sizes) > 0
    assert dataset.about
    assert dataset.origin
    assert re.search(r"\b(19|20)\d\d\b", dataset.citation)
    assert (dataset.read_roles is None) == (dataset.role_sizes is None)
    assert dataset.role_sizes is None or sum(dataset.role_sizes) == dataset.n_nodes
    assert (dataset.read_splits is None) == (not dataset.split_sizes)
    assert all(sum(sizes) <= dataset.n_nodes for sizes in dataset.split_sizes)
    if dataset.paper and dataset.paper != dataset.sizes:
        assert "The paper counts" in dataset.note or "the paper counts" in dataset.note
    for file in (*dataset.raw, *dataset.without_features):
        assert not Path(file.path).is_absolute()
        assert file.url is None or file.url.startswith("https://")
        for digest in (file.sha256, file.archive_sha256):
            assert digest is None or re.fullmatch("[0-9a-f]{64}", digest)
        # What nobody serves can at least be recognised.
        assert file.url or file.sha256


@pytest.mark.parametrize("name", ["digits", *HERE, *HETEROPHILOUS, *TWITCH_HERE])
def test_counts(name: str) -> None:
    """`load` compares every count; this says once more which they are, and what else holds of a loaded graph."""
    graph, dataset = load_or_skip(name), DATASETS[name]
    np.testing.assert_array_equal(graph.node_ids, np.arange(graph.n_nodes))
    assert (graph.n_nodes, graph.n_edges) == (dataset.n_nodes, dataset.n_edges)
    assert graph.n_features == (dataset.n_features if datasets.brings_features(name) else 0)
    assert len(np.unique(graph.labels)) == dataset.n_classes
    assert graph.labels.dtype.kind in "iU"
    assert graph.labels.dtype.kind == "U" or (graph.labels.min(), graph.labels.max()) == (0, dataset.n_classes - 1)
    assert not graph.is_weighted
    assert (graph.adjacency != graph.adjacency.T).nnz == 0


@pytest.mark.parametrize("name", NOT_HERE)
def test_counts_of_graphs_that_are_rarely_at_hand(name: str) -> None:
    if datasets.locate(DATASETS[name]) is None:
        pytest.skip(f"the files of {name} are not under SPARSECUT_DATA or in the cache")
    assert datasets.load(name).n_nodes == DATASETS[name].n_nodes


def test_the_table_beside_the_data_says_the_same() -> None:
    """nodes / edges / features / classes, the first number of each."""
    rows = [
        [cell.strip() for cell in line.strip("| \n").split("|")]
        for line in data_file("README.md").read_text("utf-8").splitlines()
        if line.startswith("| ") and line.count(" / ") >= 3
    ]
    told = {
        name: cells
        for names, *_, several in rows
        for name, cells in zip(names.split(", "), several.split(" · "), strict=False)
        if name in DATASETS
    }
    assert sorted(told) == sorted((*HERE, *HETEROPHILOUS))
    for name, cells in told.items():
        numbers = [re.search(r"[\d,]+", cell) for cell in cells.split(" / ")]
        counts = [int(number.group().replace(",", "")) if number else None for number in numbers]
        assert counts[:2] == [DATASETS[name].n_nodes, DATASETS[name].n_edges], name
        assert counts[2] in (None, DATASETS[name].n_features), name
        assert counts[3] == DATASETS[name].n_classes, name


def test_the_paper_table_says_the_same() -> None:
    table = tomllib.loads(data_file("../paper/published.toml").read_text("utf-8"))["datasets"]
    assert table == {name: list(DATASETS[name].paper) for name in PAPER}


@pytest.mark.parametrize("name", ["cora", "citeseer", "pubmed"])
def test_the_paper_edges_are_the_raw_entries_with_repeats(name: str) -> None:
    load_or_skip(name)
    dataset = DATASETS[name]
    neighbors = unpickle_planetoid(datasets.locate(dataset).folder / dataset.files[6])
    n_entries = sum(len(others) for others in neighbors.values())
    assert n_entries == 2 * dataset.paper.edges


def test_the_paper_edges_of_cora_full_are_directed() -> None:
    lines = data_file(DATASETS["cora_full"].without_features[0].path).read_text().splitlines()
    assert len(lines) == 2 * DATASETS["cora_full"].paper.edges


def test_checksums_are_those_of_the_files() -> None:
    lines = data_file("SHA256SUMS").read_text("utf-8").splitlines()
    listed = {path.removeprefix("./"): digest for digest, path in (line.split() for line in lines)}
    lines = data_file("heterophilous/SHA256SUMS").read_text("utf-8").splitlines()
    listed |= {f"heterophilous/{path}": digest for digest, path in (line.split() for line in lines)}
    known = {path: digest for path, digest in listed.items() if path != "README.md" and not path.startswith("splits/")}
    # The one checksum more is that of a file which is not at hand; others publish it.
    assert {path for path in SHA256 if path not in known} == {"CitationFull/cora/raw/cora.npz"}
    assert {path: SHA256[path] for path in known} == known


def test_every_file_with_datasets_is_in_the_registry() -> None:
    modules = [
        importlib.import_module(found.name) for found in pkgutil.iter_modules(datasets.__path__, f"{datasets.__name__}.")
    ]
    assert {m.__name__ for m in modules if hasattr(m, "DATASETS")} - {registry.__name__} == set(registry.FILES)


def test_every_checksum_belongs_to_a_file_of_a_graph() -> None:
    stated = [path for file in registry.FILES for path in getattr(importlib.import_module(file), "SHA256", {})]
    assert sorted(stated) == sorted(SHA256)


def test_citeseers_fifteen_nodes_have_no_features_and_class_0() -> None:
    graph = load_or_skip("citeseer")
    folder = datasets.locate(DATASETS["citeseer"]).folder
    listed = np.loadtxt(folder / "Planetoid/CiteSeer/raw/ind.citeseer.test.index", dtype=int)
    absent = np.setdiff1d(np.arange(listed.min(), listed.max() + 1), listed)
    assert len(absent) == 15
    assert graph.features[absent].nnz == 0
    np.testing.assert_array_equal(graph.labels[absent], 0)
    # No other paper is without words.
    assert np.count_nonzero(np.diff(graph.features.indptr) == 0) == 15


@pytest.mark.parametrize(("name", "per_class"), [("citeseer", 5), ("citeseer", 20), ("cora_full", 5), ("cora_full", 20)])
def test_the_published_splits_draw_so_many_of_each_class(name: str, per_class: int) -> None:
    """Which holds only if nodes and labels are numbered as in the splits, Citeseer's 15 in class 0."""
    graph = load_or_skip(name)
    classes = np.bincount(graph.labels)
    for split in published_splits(name, per_class, graph.n_nodes):
        drawn = np.bincount(graph.labels[split.train], minlength=len(classes))
        is_small = classes <= (50 if per_class == 20 else 20)
        np.testing.assert_array_equal(drawn[~is_small | (name == "citeseer")], per_class)
        if name == "cora_full":
            np.testing.assert_array_equal(drawn[is_small], classes[is_small] // 2)


def test_cora_full_says_that_it_has_no_features() -> None:
    graph = load_or_skip("cora_full")
    if datasets.brings_features("cora_full"):
        assert graph.n_features == 8710
    else:
        assert graph.features is None
        assert graph.notes[0].startswith("Cora Full has no features here: ")


def test_a_model_of_one_twitch_graph_embeds_another() -> None:
    spanish, english = load_or_skip("twitch_es"), load_or_skip("twitch_engb")
    model = SCE(dimension=8, solver=Adam(epochs=2)).fit(spanish)
    assert model.transform(english).shape == (7126, 8)


@pytest.mark.slow
def test_torch_geometric_reads_the_same_graphs() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own use of what torch deprecates
        pytest.importorskip("torch_geometric")
        from torch_geometric.io import read_npz, read_planetoid_data

    def compare(name: str, theirs: Any) -> None:
        ours = load_or_skip(name)
        i, j = theirs.edge_index.numpy()
        A = sp.coo_array((i != j, (i, j)), shape=ours.adjacency.shape).tocsr().astype(bool)
        assert (ours.adjacency.astype(bool) != A).nnz == 0
        x = theirs.x.numpy()
        if name in ("dblp", "amazon_photo"):
            x = x * ours.features.toarray()  # theirs only says which are not zero
        np.testing.assert_array_equal(x, ours.features.toarray())
        np.testing.assert_array_equal(theirs.y.numpy(), ours.labels)

    for name in ("cora", "citeseer", "pubmed"):
        load_or_skip(name)
        folder = datasets.locate(DATASETS[name]).folder / DATASETS[name].files[0]
        compare(name, read_planetoid_data(str(folder.parent), name))
    for name in ("dblp", "amazon_photo"):
        load_or_skip(name)
        compare(name, read_npz(str(datasets.locate(DATASETS[name]).folder / DATASETS[name].files[0]), to_undirected=True))
