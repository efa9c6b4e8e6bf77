"""OGB's node graphs, one entry each. Their checksums are not known here.

The sizes are those that OGB states. Edges, which it counts with their direction or with self-loops, are those that others
count in the undirected graphs without self-loops: 2,315,598, 123,718,024 and 3,228,124,712 entries, two per edge.
"""

from __future__ import annotations

from functools import partial

from sparsecut.datasets.dataset import Dataset, GraphSizes, RawFile
from sparsecut.datasets.ogb import ogb_files, read_ogb, read_ogb_splits
from sparsecut.datasets.papers100m import FOLDER as PAPERS_FOLDER
from sparsecut.datasets.papers100m import PAPERS100M, build_papers100m, read_papers100m

HOST = "https://snap.stanford.edu/ogb/data/nodeproppred"
HU = "Hu et al., Open Graph Benchmark: datasets for machine learning on graphs, NeurIPS 2020"
WANG = "Wang et al., Microsoft Academic Graph: when experts are not enough, Quantitative Science Studies 1(1), 2020"
DIRECTED = "Citations have a direction in the file, which is not kept: each counts once here, whichever way"

DATASETS = (
    Dataset(
        name="ogbn_arxiv",
        about="computer science papers on arXiv in 40 fields and their citations",
        sizes=GraphSizes(169343, 1157799, 128, 40),
        note=f"{DIRECTED}; OGB counts 1,166,243. The splits are by year.",
        origin=f"OGB, served by {HOST}",
        licence="ODC-BY",
        citation=f"{HU}; {WANG}",
        raw=tuple(RawFile(path, f"{HOST}/arxiv.zip", None, path.split("/")[-1]) for path in ogb_files("ogbn_arxiv", "time")),
        read=partial(read_ogb, "ogbn_arxiv"),
        read_splits=partial(read_ogb_splits, "ogbn_arxiv", "time"),
        split_sizes=((90941, 29799, 48603),),
    ),
    Dataset(
        name="ogbn_products",
        about="goods on Amazon in 47 categories, joined where they are bought together",
        sizes=GraphSizes(2449029, 61859012, 100, 47),
        note="OGB counts 61,859,140 edges, 128 self-loops among them. The splits are by sales rank.",
        origin=f"OGB, served by {HOST}",
        licence="Amazon license",
        citation=f"{HU}; Bhatia et al., The extreme classification repository, 2016",
        raw=tuple(
            RawFile(path, f"{HOST}/products.zip", None, path.split("/")[-1])
            for path in ogb_files("ogbn_products", "sales_ranking")
        ),
        read=partial(read_ogb, "ogbn_products"),
        read_splits=partial(read_ogb_splits, "ogbn_products", "sales_ranking"),
        split_sizes=((196615, 39323, 2213091),),
    ),
    Dataset(
        name="ogbn_papers100M",
        about="111 million papers and their citations, of which those on arXiv have one of 172 labels",
        sizes=GraphSizes(111059956, 1614062356, 128, 172),
        note=f"{DIRECTED}; OGB counts 1,615,685,872. 1,546,782 nodes have a label, the others −1. Its arrays are made into "
        "a store on disk the first time, which takes 8 GiB of memory and 110 GB of disk, of which 71 stay. The splits are "
        "by year.",
        origin=f"OGB, served by {HOST}",
        licence="ODC-BY",
        citation=f"{HU}; {WANG}",
        raw=tuple(RawFile(path, f"{HOST}/papers100M-bin.zip", None, path.split("/")[-1]) for path in PAPERS100M),
        by_hand=f"their archive has 57 GB; it unpacks to papers100M-bin, to be renamed {PAPERS_FOLDER}",
        build=build_papers100m,
        read=read_papers100m,
        read_splits=partial(read_ogb_splits, PAPERS_FOLDER, "time"),
        split_sizes=((1207179, 125265, 214338),),
    ),
)
