"""The rows and columns of Table 1 and the figures published for them.

The rows are the paper's, in its groups, and below the row it varies each variant of ours (`variants` of `table1.toml`),
which has no figure in the paper.
"""

from __future__ import annotations

from sparsecut.lab.paper.experiments import read_experiment

COLUMNS = ("cora", "citeseer", "pubmed", "cora_full")  # of the published table, in its order
LABEL_COUNTS = (5, 20)
SUPERVISED = tuple(read_experiment("table1")["published"]["supervised"])
VARIANTS = tuple(read_experiment("table1")["variants"])


def published_figure(method: str, dataset: str, per_class: int) -> tuple[float, float]:
    """The paper's mean and standard deviation for a cell of its own rows."""
    groups = read_experiment("table1")["published"]
    row = next(rows[method] for rows in groups.values() if method in rows)
    mean, std = row[2 * COLUMNS.index(dataset) + LABEL_COUNTS.index(per_class)]
    return mean, std


def _rows() -> tuple[str, ...]:
    experiment = read_experiment("table1")
    rows = [method for group in experiment["published"].values() for method in group]
    for name, variant in experiment["variants"].items():
        rows.insert(rows.index(variant["of"]) + 1, name)
    return tuple(rows)


ROWS = _rows()
UNSUPERVISED = tuple(row for row in ROWS if row not in SUPERVISED)
