"""Published graphs in the .npz format of gnn-benchmark (`sparsecut.io.formats.npz_graphs` reads it), used everywhere.

Amazon's co-purchases, the co-author graphs, DBLP, Cora Full and BlogCatalog come in it. Some of its adjacencies are directed
(who cites whom, what is bought after what); they are made undirected here, as everyone who uses these graphs does. Where the
file of Cora Full is absent, two text files may have its graph and its labels without its features.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np

from sparsecut.datasets.dataset import MIT, Dataset, GraphSizes, RawFile
from sparsecut.graph import Graph
from sparsecut.io import published_arrays, read_gnn_benchmark, reading_published, undirected_adjacency

GNN_BENCHMARK = "https://github.com/shchur/gnn-benchmark"
GRAPH2GAUSS = "https://github.com/abojchevski/graph2gauss"
BOJCHEVSKI = "Bojchevski and Günnemann, Deep Gaussian embedding of graphs, ICLR 2018"
MCAULEY = "McAuley et al., Image-based recommendations on styles and substitutes, SIGIR 2015"
SHCHUR = "Shchur et al., Pitfalls of graph neural network evaluation, NeurIPS workshop on relational learning, 2018"
DBLP = "CitationFull/dblp/raw/dblp.npz"
BLOGCATALOG = "BlogCatalog/blogcatalog.npz"
CORA_FULL = "CitationFull/cora/raw/cora.npz"
CORA_FULL_EDGES = "CitationFull/cora/raw/cora_full_edges.tsv"  # each edge and its reverse
CORA_FULL_LABELS = "CitationFull/cora/raw/cora_full_labels.txt"  # node, class

# Of the other files it is not known.
SHA256 = {
    "Amazon/Photo/raw/amazon_electronics_photo.npz": "bdb1feb8e6ff42ee44024b04479145029c563fd42fc31bff80af20887ba0439a",
    BLOGCATALOG: "d8b8cdd996b1ec39fe995e786594adcfb20cedf78de1b2423b9fb606c68bdfa6",
    # Not computed here: several projects publish it for this address.
    CORA_FULL: "62e054f93be00a3dedb15b7ac15a2a07168ceab68b40bf95f54d2289d024c6bc",
    CORA_FULL_EDGES: "e808a9b5cf12178a76c7f0228d7f6e071b50856d7858667077103688323330a8",
    CORA_FULL_LABELS: "8bae44d20695f94a0d3a8a9cf7027c4a65161f2220d41a2d8f46875e5c05803d",
    DBLP: "554239b4783f324a980af63fcf1cb61da7b8f371acfd340a31b515451ffb1693",
}


def read_benchmark(file: str, root: Path, first_label: int = 0) -> Graph:
    """The graph of one file. Weights are not kept: they are all 1. Classes are counted from 0."""
    archive = published_arrays(root / file)
    parts, labels = read_gnn_benchmark(archive), archive["labels"]
    with reading_published(archive.path):
        links = parts.adjacency.tocoo()
        links.eliminate_zeros()
        return Graph(
            undirected_adjacency(links.row, links.col, None, links.shape[0]),
            features=parts.features,
            labels=labels - first_label,
        )


def read_cora_full(root: Path) -> Graph:
    if (root / CORA_FULL).is_file():
        return read_benchmark(CORA_FULL, root)
    with reading_published(root / CORA_FULL_LABELS):
        nodes, labels = np.loadtxt(root / CORA_FULL_LABELS, dtype=np.int64, ndmin=2).T
        if not np.array_equal(nodes, np.arange(len(nodes))):
            raise ValueError("its nodes should be numbered from 0 on")
    with reading_published(root / CORA_FULL_EDGES):
        i, j = np.loadtxt(root / CORA_FULL_EDGES, dtype=np.int64, ndmin=2).T
        return Graph(
            undirected_adjacency(i, j, None, len(nodes)),
            labels=labels,
            notes=(f"Cora Full has no features here: {root / CORA_FULL}, which holds them, is absent.",),
        )


def _benchmark(name: str, path: str, about: str, *, sizes: GraphSizes, citation: str) -> Dataset:
    return Dataset(
        name=name,
        about=about,
        sizes=sizes,
        origin=f"{GNN_BENCHMARK}, folder data/npz",
        licence=MIT,
        citation=citation,
        raw=(RawFile(path, f"{GNN_BENCHMARK}/raw/master/data/npz/{Path(path).name}", SHA256.get(path)),),
        read=partial(read_benchmark, path),
    )


DATASETS = (
    Dataset(
        name="cora_full",
        about="computer science papers in 70 fields and their citations",
        sizes=GraphSizes(19793, 63421, 8710, 70),
        paper=GraphSizes(19793, 65311, 8710, 70),
        note="The paper counts directed edges. Where only the files of its graph are here, it loads without features.",
        origin=f"{GRAPH2GAUSS}, folder data",
        licence=MIT,
        citation=BOJCHEVSKI,
        raw=(RawFile(CORA_FULL, f"{GRAPH2GAUSS}/raw/master/data/cora.npz", SHA256[CORA_FULL]),),
        without_features=tuple(RawFile(path, None, SHA256[path]) for path in (CORA_FULL_EDGES, CORA_FULL_LABELS)),
        read=read_cora_full,
    ),
    Dataset(
        name="dblp",
        about="computer science papers in four fields and their citations",
        sizes=GraphSizes(17716, 52867, 1639, 4),
        origin=f"{GRAPH2GAUSS}, folder data",
        licence=MIT,
        citation=f"Pan et al., Tri-party deep network representation, IJCAI 2016; {BOJCHEVSKI}",
        raw=(RawFile(DBLP, f"{GRAPH2GAUSS}/raw/master/data/dblp.npz", SHA256[DBLP]),),
        read=partial(read_benchmark, DBLP),
    ),
    _benchmark(
        "amazon_photo",
        "Amazon/Photo/raw/amazon_electronics_photo.npz",
        "photographic goods, joined where they are bought together",
        sizes=GraphSizes(7650, 119081, 745, 8),
        citation=f"{MCAULEY}; {SHCHUR}",
    ),
    _benchmark(
        "amazon_computers",
        "Amazon/Computers/raw/amazon_electronics_computers.npz",
        "computer goods, joined where they are bought together",
        sizes=GraphSizes(13752, 245861, 767, 10),
        citation=f"{MCAULEY}; {SHCHUR}",
    ),
    _benchmark(
        "coauthor_cs",
        "Coauthor/CS/raw/ms_academic_cs.npz",
        "authors in computer science, joined where they wrote together",
        sizes=GraphSizes(18333, 81894, 6805, 15),
        citation=SHCHUR,
    ),
    _benchmark(
        "coauthor_physics",
        "Coauthor/Physics/raw/ms_academic_phy.npz",
        "authors in physics, joined where they wrote together",
        sizes=GraphSizes(34493, 247962, 8415, 5),
        citation=SHCHUR,
    ),
    Dataset(
        name="blogcatalog",
        about="bloggers, whom they follow, and the keywords of their blogs",
        sizes=GraphSizes(5196, 171743, 8189, 6),
        note="In its file classes are numbered from 1, here from 0.",
        origin="BlogCatalog.mat of https://github.com/xhuang31/LANE, written as .npz with the keys of gnn-benchmark",
        citation="Li et al., Unsupervised streaming feature selection in social media, CIKM 2015; "
        "Huang, Li and Hu, Label informed attributed network embedding, WSDM 2017",
        raw=(RawFile(BLOGCATALOG, None, SHA256[BLOGCATALOG]),),
        read=partial(read_benchmark, BLOGCATALOG, first_label=1),
    ),
)
