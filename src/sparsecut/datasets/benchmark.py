"""Published graphs in the .npz format of gnn-benchmark (`sparsecut.io.formats.npz_graphs` reads it), used everywhere.

Amazon's co-purchases, the co-author graphs, DBLP, Cora Full and BlogCatalog come in it. Some of its adjacencies are directed
(who cites whom, what is bought after what); they are made undirected here, as everyone who uses these graphs does.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

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

# Of the other files it is not known.
SHA256 = {
    "Amazon/Photo/raw/amazon_electronics_photo.npz": "bdb1feb8e6ff42ee44024b04479145029c563fd42fc31bff80af20887ba0439a",
    "BlogCatalog/blogcatalog.npz": "d8b8cdd996b1ec39fe995e786594adcfb20cedf78de1b2423b9fb606c68bdfa6",
    "CitationFull/dblp/raw/dblp.npz": "554239b4783f324a980af63fcf1cb61da7b8f371acfd340a31b515451ffb1693",
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
