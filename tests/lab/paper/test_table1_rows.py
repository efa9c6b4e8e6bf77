"""Table 1's rows and published figures: complete, and as the paper prints them."""

from __future__ import annotations

from sparsecut.lab.paper.experiments import read_experiment
from sparsecut.lab.paper.table1_rows import COLUMNS, LABEL_COUNTS, ROWS, SUPERVISED, UNSUPERVISED, VARIANTS, published_figure


def test_every_row_of_table1_is_complete() -> None:
    paper = ("GCN", "SGC", "GAT", "MixHop", "DeepWalk", "GCN-unsup", "G2G", "DGI", "SCE", "MoSCE")
    assert tuple(row for row in ROWS if row not in VARIANTS) == paper
    assert SUPERVISED + UNSUPERVISED == ROWS
    for method in paper:
        for dataset in COLUMNS:
            for count in LABEL_COUNTS:
                mean, std = published_figure(method, dataset, count)
                assert 0 < std < mean < 100
        rows = next(rows for rows in read_experiment("table1")["published"].values() if method in rows)
        assert len(rows[method]) == 8


def test_a_variant_stands_below_the_row_it_varies() -> None:
    assert VARIANTS == ("DeepWalk, negative sampling",)
    assert ROWS[ROWS.index("DeepWalk") + 1] == "DeepWalk, negative sampling"


def test_figures_of_table_1_by_hand() -> None:
    assert published_figure("SCE", "pubmed", 20) == (75.8, 2.2)
    assert published_figure("MoSCE", "cora", 5) == (74.6, 2.9)
    assert published_figure("GAT", "cora_full", 5) == (43.9, 1.5)
