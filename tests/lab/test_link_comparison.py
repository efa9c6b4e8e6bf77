"""Methods by links: the same edges held out for all of them, and figures that are those of each alone."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
import scipy.sparse as sp

import sparsecut as sc
from shell import sparsecut
from sparsecut.evaluation import hold_out_edges, score_links
from sparsecut.lab.link_comparison import compare_links

pytestmark = pytest.mark.usefixtures("forks")

DIGITS = sc.datasets.load("digits")
GRAPH = DIGITS.subgraph(positions=np.flatnonzero(DIGITS.labels < 3))


def test_figures_are_those_of_each_method_alone_and_paired_with_the_first():
    compared = compare_links(GRAPH, "smoothed,raw", n_runs=2, metrics=("roc_auc", "ndcg@5"))
    smoothed, raw = compared
    seed = int(np.random.SeedSequence(0).generate_state(2)[0])
    split = hold_out_edges(GRAPH, 0.1, seed)
    expected = score_links(np.asarray(GRAPH.features), split, seed, ["links"], ["roc_auc", "ndcg@5"])["links"]
    assert raw.scores["links"].figures["roc_auc"][0] == pytest.approx(expected["roc_auc"], abs=0.05)
    difference = raw.scores["links"].figures["roc_auc"] - smoothed.scores["links"].figures["roc_auc"]
    assert raw.against_first["links"].mean_difference == pytest.approx(difference.mean())
    assert "ndcg@5" in repr(compared)


def test_at_the_shell_and_what_cannot_be_compared(tmp_path):
    np.savetxt(tmp_path / "edges.txt", np.transpose(sp.triu(GRAPH.adjacency).nonzero()), fmt="%d")
    np.save(tmp_path / "features.npy", GRAPH.features)
    given = ("compare", "edges.txt", "--features", "features.npy")
    words = (*given, "--methods", "smoothed,raw", "--task", "links", "--splits", 1, "--metrics", "mrr")
    told = json.loads(sparsecut(*words, "--json", folder=tmp_path).stdout)
    assert [row["method"] for row in told["methods"]] == ["smoothed", "raw"]
    assert told["methods"][0]["per_class"]["links"]["metrics"]["mrr"]["mean"] > 10
    table = sparsecut(*words, folder=tmp_path).stdout
    assert "mrr" in table
    refused = sparsecut(*words, "--probe", "tuned", "--per-class", 5, folder=tmp_path, expect=2)
    assert "The task links does not use --probe, --per-class" in refused.stderr
    two = sparsecut(*words[:-1], "mrr,roc_auc", folder=tmp_path).stdout
    assert re.search("mrr *\\W+\\n.*less smoothed", two)
    with pytest.raises(sc.InputError, match="predicts labels and has none"):
        compare_links(GRAPH, "gcn")
    wrong = sparsecut("compare", "digits", "--methods", "raw", "--task", "nodes", folder=tmp_path, expect=2)
    assert "--task" in wrong.stderr
