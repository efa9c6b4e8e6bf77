"""The files that the examples on the pages read: made in their temporary folder before they run."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

N_PEOPLE = 160
N_COLUMNS = 130


def write_people(prefix: str = "", seed: int = 0) -> None:
    """`edges.csv`, `features.csv`, `people.csv` and `labels.csv`: 160 people, p0 to p159, of two groups."""
    generator = np.random.default_rng(seed)
    ids = np.array([f"p{number}" for number in range(N_PEOPLE)])
    groups = np.arange(N_PEOPLE) % 2
    ends = generator.integers(0, N_PEOPLE // 2, (600, 2)) * 2 + generator.integers(0, 2, (600, 1))
    Path(f"{prefix}edges.csv").write_text("source,target\n" + "\n".join(f"{ids[i]},{ids[j]}" for i, j in ends))
    rows = generator.normal(groups[:, None], size=(N_PEOPLE, N_COLUMNS))
    header = "id," + ",".join(f"x{column}" for column in range(N_COLUMNS))
    lines = [f"{name}," + ",".join(map(str, row)) for name, row in zip(ids, rows, strict=True)]
    Path(f"{prefix}features.csv").write_text("\n".join([header, *lines]))
    Path(f"{prefix}labels.csv").write_text(
        "id,label\n" + "\n".join(f"{name},{group}" for name, group in zip(ids, groups, strict=True))
    )
    ages = generator.integers(20, 80, N_PEOPLE)
    countries = generator.choice(["Chile", "Kenya", "Nepal"], N_PEOPLE)
    people = [f"{name},{age},{country}" for name, age, country in zip(ids, ages, countries, strict=True)]
    Path(f"{prefix}people.csv").write_text("id,age,country\n" + "\n".join(people))


def write_large() -> None:
    """`edges.parquet` and `features.npy`: 300 nodes, numbered, as a graph that is too large for memory would be stored."""
    import pyarrow as pa
    import pyarrow.parquet

    generator = np.random.default_rng(0)
    ends = generator.integers(0, 300, (1500, 2))
    pyarrow.parquet.write_table(pa.table({"source": ends[:, 0], "target": ends[:, 1]}), "edges.parquet")
    np.save("features.npy", generator.normal(size=(300, 16)).astype(np.float32))


def write_citations() -> None:
    """`papers.csv` (id, year and what they are about) and `citations.csv`: ten years, with new fields in the last three."""
    generator = np.random.default_rng(0)
    years = np.repeat(np.arange(2000, 2010), 60)
    fields = np.array([generator.integers(0, 3 if year < 2007 else 5) for year in years])
    about = generator.normal(size=(5, 20))[fields] + generator.normal(size=(len(years), 20))
    header = "id,year," + ",".join(f"topic{column}" for column in range(20))
    lines = [
        f"p{k},{year}," + ",".join(f"{x:.3f}" for x in row) for k, (year, row) in enumerate(zip(years, about, strict=True))
    ]
    Path("papers.csv").write_text("\n".join([header, *lines]) + "\n")
    cited = set()
    for paper in range(30, len(years)):
        alike = np.flatnonzero(fields[:paper] == fields[paper])
        for other in generator.choice(alike if len(alike) else paper, 4):
            cited.add((paper, int(other)))
    edges = "\n".join(f"p{source},p{target}" for source, target in sorted(cited))
    Path("citations.csv").write_text(f"source,target\n{edges}\n")


def write_again(namespace: dict[str, Any]) -> None:
    """The lines of the README's first block that write a file, run once more where those files are by now."""
    block = (Path(__file__).parents[1] / "README.md").read_text("utf-8").split("```python\n")[1].split("```")[0]
    lines = [line for line in block.splitlines() if line.startswith(("sc.write_embedding", "sc.report", "model.save"))]
    assert len(lines) == 3
    exec("\n".join(lines), namespace)


def make_objects() -> tuple[object, ...]:
    """One small graph as networkx, PyTorch Geometric, igraph, AnnData and pandas have it."""
    import anndata
    import igraph
    import networkx
    import pandas as pd
    import scipy.sparse as sp
    import torch

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of torch, which torch_geometric's import calls
        import torch_geometric.data

    G = networkx.karate_club_graph()
    ends = np.array(G.edges)
    A = sp.csr_matrix(networkx.to_numpy_array(G, weight=None))
    names = [f"cell {number}" for number in G.nodes]
    features = np.random.default_rng(0).normal(size=(len(names), 8)).astype(np.float32)
    cells = anndata.AnnData(
        features,
        obs=pd.DataFrame({"cell_type": [G.nodes[node]["club"] for node in G]}, index=names),
        obsm={"X_pca": features[:, :5]},
        obsp={"connectivities": A},
    )
    data = torch_geometric.data.Data(
        x=torch.as_tensor(features), edge_index=torch.as_tensor(np.vstack([ends, ends[:, ::-1]]).T.copy())
    )
    return G, data, igraph.Graph(ends.tolist()), cells, pd.DataFrame(ends, columns=["source", "target"])
