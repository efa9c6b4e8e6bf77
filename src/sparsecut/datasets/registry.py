"""The table of named graphs, one entry each; those of OGB and the heterophilous ones stand in files of their own."""

from __future__ import annotations

from functools import partial

from sparsecut.datasets.benchmark import read_benchmark
from sparsecut.datasets.checksums import REDDIT_ARCHIVE, SHA256
from sparsecut.datasets.cora_full import EDGES, LABELS, WITH_FEATURES, read_cora_full
from sparsecut.datasets.dataset import Dataset, GraphSizes, RawFile
from sparsecut.datasets.digits import read_digits
from sparsecut.datasets.heterophilous import HETEROPHILOUS
from sparsecut.datasets.inductive_graphs import (
    FLICKR,
    REDDIT,
    read_flickr,
    read_flickr_roles,
    read_reddit,
    read_reddit_roles,
)
from sparsecut.datasets.musae import CITATION as ROZEMBERCZKI
from sparsecut.datasets.musae import FACEBOOK, TWITCH, MusaeColumns, musae_files, read_musae
from sparsecut.datasets.ogb_graphs import OGB
from sparsecut.datasets.planetoid import planetoid_files, read_planetoid, read_public_split

_PLANETOID = "https://github.com/kimiyoung/planetoid"
_BENCHMARK = "https://github.com/shchur/gnn-benchmark"
_GRAPH2GAUSS = "https://github.com/abojchevski/graph2gauss"
_MUSAE = "https://github.com/benedekrozemberczki/MUSAE"
_DGL = "https://data.dgl.ai/dataset"

_MIT = "MIT (the repository that publishes it)"
_SEN = "Sen et al., Collective classification in network data, AI Magazine 29(3), 2008"
_NAMATA = "Namata et al., Query-driven active surveying for collective classification, MLG 2012"
_YANG = "Yang et al., Revisiting semi-supervised learning with graph embeddings, ICML 2016"
_BOJCHEVSKI = "Bojchevski and Günnemann, Deep Gaussian embedding of graphs, ICLR 2018"
_MCAULEY = "McAuley et al., Image-based recommendations on styles and substitutes, SIGIR 2015"
_SHCHUR = "Shchur et al., Pitfalls of graph neural network evaluation, NeurIPS workshop on relational learning, 2018"

_REPEATS = "The paper counts edges with their repeats in the raw files"
_TWITCH_WORDS = 3170  # one vocabulary for all Twitch graphs


def _file(path: str, folder_url: str) -> RawFile:
    return RawFile(path, f"{folder_url}/{path.split('/')[-1]}", SHA256.get(path))


def _member(path: str, url: str, archive_sha256: str | None = None) -> RawFile:
    return RawFile(path, url, SHA256.get(path), path.split("/")[-1], archive_sha256)


def _planetoid(
    name: str, folder: str, about: str, *, sizes: GraphSizes, paper: GraphSizes, citation: str, note: str
) -> Dataset:
    return Dataset(
        name=name,
        about=about,
        sizes=sizes,
        paper=paper,
        note=note,
        origin=f"{_PLANETOID}, folder data",
        licence=_MIT,
        citation=f"{citation}; {_YANG}",
        raw=tuple(_file(path, f"{_PLANETOID}/raw/master/data") for path in planetoid_files(name, folder)),
        read=partial(read_planetoid, name, folder),
        read_splits=partial(read_public_split, name, folder),
        split_sizes=((20 * sizes.classes, 500, 1000),),
    )


def _benchmark(name: str, path: str, about: str, *, sizes: GraphSizes, citation: str) -> Dataset:
    return Dataset(
        name=name,
        about=about,
        sizes=sizes,
        origin=f"{_BENCHMARK}, folder data/npz",
        licence=_MIT,
        citation=citation,
        raw=(_file(path, f"{_BENCHMARK}/raw/master/data/npz"),),
        read=partial(read_benchmark, path),
    )


def _musae(name: str, folder: str, about: str, *, sizes: GraphSizes, columns: MusaeColumns, note: str) -> Dataset:
    served = (f"edges/{folder}_edges.csv", f"target/{folder}_target.csv", f"features/{folder}.json")
    return Dataset(
        name=name,
        about=about,
        sizes=sizes,
        note=note,
        origin=f"{_MUSAE}, folder input",
        licence="MIT (the LICENSE of the repository that publishes it; its README says GNU)",
        citation=ROZEMBERCZKI,
        raw=tuple(
            RawFile(path, f"{_MUSAE}/raw/master/input/{file}", SHA256.get(path))
            for path, file in zip(musae_files(folder), served, strict=True)
        ),
        read=partial(read_musae, folder, columns, sizes.features),
    )


def _twitch(name: str, folder: str, language: str, n_nodes: int, n_edges: int, note: str = "") -> Dataset:
    return _musae(
        name,
        folder,
        f"Twitch users who stream in {language}, their friendships, and whether their content is for adults",
        sizes=GraphSizes(n_nodes, n_edges, _TWITCH_WORDS, 2),
        columns=TWITCH,
        note=f"All Twitch graphs have the same features: a model trained on one embeds the others.{note}",
    )


_ALL = (
    Dataset(
        name="digits",
        about="handwritten digits joined to their 10 nearest neighbours; built in",
        sizes=GraphSizes(1797, 12339, 64, 10),
        origin="scikit-learn",
        licence="CC BY 4.0 (UCI Machine Learning Repository)",
        citation="Alpaydin and Kaynak, Optical recognition of handwritten digits, UCI Machine Learning Repository, 1998",
        raw=(),
        read=lambda _: read_digits(),
    ),
    _planetoid(
        "cora",
        "Cora",
        "machine learning papers and their citations",
        sizes=GraphSizes(2708, 5278, 1433, 7),
        paper=GraphSizes(2708, 5429, 1433, 7),
        citation=_SEN,
        note=f"{_REPEATS}.",
    ),
    _planetoid(
        "citeseer",
        "CiteSeer",
        "computer science papers and their citations",
        sizes=GraphSizes(3327, 4552, 3703, 6),
        paper=GraphSizes(3327, 4732, 3703, 6),
        citation=_SEN,
        note=f"{_REPEATS}, and 124 self-loops. 15 nodes have neither features nor a label; the published splits count them "
        "in class 0, and so they are here.",
    ),
    _planetoid(
        "pubmed",
        "PubMed",
        "papers on diabetes and their citations",
        sizes=GraphSizes(19717, 44324, 500, 3),
        paper=GraphSizes(19717, 44338, 500, 3),
        citation=_NAMATA,
        note=f"{_REPEATS}, and 3 self-loops.",
    ),
    Dataset(
        name="cora_full",
        about="computer science papers in 70 fields and their citations",
        sizes=GraphSizes(19793, 63421, 8710, 70),
        paper=GraphSizes(19793, 65311, 8710, 70),
        note="The paper counts directed edges. Where only the files of its graph are here, it loads without features.",
        origin=f"{_GRAPH2GAUSS}, folder data",
        licence=_MIT,
        citation=_BOJCHEVSKI,
        raw=(_file(WITH_FEATURES, f"{_GRAPH2GAUSS}/raw/master/data"),),
        without_features=tuple(RawFile(path, None, SHA256[path]) for path in (EDGES, LABELS)),
        read=read_cora_full,
    ),
    Dataset(
        name="flickr",
        about="photographs, joined where they share a place, a gallery or a commenter; inductive",
        sizes=GraphSizes(89250, 449878, 500, 7),
        paper=GraphSizes(89250, 899756, 500, 7),
        note="The paper counts each edge in both directions.",
        origin=f"https://github.com/GraphSAINT/GraphSAINT, served by {_DGL}",
        licence=_MIT,
        citation="Zeng et al., GraphSAINT: graph sampling based inductive learning method, ICLR 2020",
        raw=tuple(_member(path, f"{_DGL}/flickr.zip") for path in FLICKR),
        read=read_flickr,
        read_roles=read_flickr_roles,
        role_sizes=(44625, 22312, 22313),
    ),
    Dataset(
        name="reddit",
        about="posts on Reddit, joined where one user commented on both; inductive",
        sizes=GraphSizes(232965, 57307946, 602, 41),
        paper=GraphSizes(232965, 11606919, 602, 41),
        note="The registered graph is the 57 million edges of GraphSAGE's release. The paper counts 11.6 million, so its "
        "scores and seconds are of a graph with a fifth of the edges.",
        origin=f"GraphSAGE's data, served by {_DGL}",
        citation="Hamilton et al., Inductive representation learning on large graphs, NeurIPS 2017",
        raw=tuple(_member(path, f"{_DGL}/reddit.zip", REDDIT_ARCHIVE) for path in REDDIT),
        read=read_reddit,
        read_roles=read_reddit_roles,
        role_sizes=(153431, 23831, 55703),
    ),
    Dataset(
        name="dblp",
        about="computer science papers in four fields and their citations",
        sizes=GraphSizes(17716, 52867, 1639, 4),
        origin=f"{_GRAPH2GAUSS}, folder data",
        licence=_MIT,
        citation=f"Pan et al., Tri-party deep network representation, IJCAI 2016; {_BOJCHEVSKI}",
        raw=(_file("CitationFull/dblp/raw/dblp.npz", f"{_GRAPH2GAUSS}/raw/master/data"),),
        read=partial(read_benchmark, "CitationFull/dblp/raw/dblp.npz"),
    ),
    _benchmark(
        "amazon_photo",
        "Amazon/Photo/raw/amazon_electronics_photo.npz",
        "photographic goods, joined where they are bought together",
        sizes=GraphSizes(7650, 119081, 745, 8),
        citation=f"{_MCAULEY}; {_SHCHUR}",
    ),
    _benchmark(
        "amazon_computers",
        "Amazon/Computers/raw/amazon_electronics_computers.npz",
        "computer goods, joined where they are bought together",
        sizes=GraphSizes(13752, 245861, 767, 10),
        citation=f"{_MCAULEY}; {_SHCHUR}",
    ),
    _benchmark(
        "coauthor_cs",
        "Coauthor/CS/raw/ms_academic_cs.npz",
        "authors in computer science, joined where they wrote together",
        sizes=GraphSizes(18333, 81894, 6805, 15),
        citation=_SHCHUR,
    ),
    _benchmark(
        "coauthor_physics",
        "Coauthor/Physics/raw/ms_academic_phy.npz",
        "authors in physics, joined where they wrote together",
        sizes=GraphSizes(34493, 247962, 8415, 5),
        citation=_SHCHUR,
    ),
    Dataset(
        name="blogcatalog",
        about="bloggers, whom they follow, and the keywords of their blogs",
        sizes=GraphSizes(5196, 171743, 8189, 6),
        note="In its file classes are numbered from 1, here from 0.",
        origin="BlogCatalog.mat of https://github.com/xhuang31/LANE, written as .npz with the keys of gnn-benchmark",
        citation="Li et al., Unsupervised streaming feature selection in social media, CIKM 2015; "
        "Huang, Li and Hu, Label informed attributed network embedding, WSDM 2017",
        raw=(RawFile("BlogCatalog/blogcatalog.npz", None, SHA256["BlogCatalog/blogcatalog.npz"]),),
        read=partial(read_benchmark, "BlogCatalog/blogcatalog.npz", first_label=1),
    ),
    _musae(
        "facebook",
        "facebook",
        "verified Facebook pages of four kinds and the likes between them",
        sizes=GraphSizes(22470, 170823, 4714, 4),
        columns=FACEBOOK,
        note="179 self-loops in the raw file are not counted.",
    ),
    _twitch("twitch_de", "DE", "German", 9498, 153138),
    _twitch("twitch_engb", "ENGB", "English", 7126, 35324),
    _twitch("twitch_es", "ES", "Spanish", 4648, 59382),
    _twitch("twitch_fr", "FR", "French", 6549, 112666, note=" Its target.csv repeats rows; the first of each counts."),
    _twitch("twitch_pt", "PTBR", "Portuguese", 1912, 31299),
    _twitch("twitch_ru", "RU", "Russian", 4385, 37304),
    *HETEROPHILOUS,
    *OGB,
)

DATASETS = {dataset.name: dataset for dataset in _ALL}
