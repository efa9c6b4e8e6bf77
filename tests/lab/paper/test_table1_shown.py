"""Table 1 in words: who leads whom is computed from the cells, split by split, and numbers of splits and seeds are said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sparsecut.lab.paper import EXPERIMENTS
from sparsecut.lab.paper.results import Results
from sparsecut.lab.paper.table1_shown import against_in_words, tables
from stamps import TODAY

BASE = np.linspace(70, 80, 50)  # splits differ by far more than methods do
NOISE = np.random.default_rng(0).normal(0, 1, 50)
NOISE -= NOISE.mean()


def cell(method: str, dataset: str, count: int, *, seed: int = 0, **by_probe: Any) -> dict[str, Any]:
    scores = {probe: {"accuracies": (BASE + values).tolist()} for probe, values in by_probe.items()}
    return {"method": method, "dataset": dataset, "per_class": count, "seed": seed, "scores": scores, "code": TODAY}


@pytest.fixture
def results(tmp_path: Path) -> Results:
    """By the paper's probe SCE is ahead of DGI; by the tuned one level with 5 labels and behind with 20."""
    results = EXPERIMENTS["table1"].results(tmp_path)
    for count, tuned in ((5, 0.0), (20, 2.5)):
        results.add([cell("SCE", "cora", count, seed=seed, paper=NOISE + seed, tuned=NOISE) for seed in (0, 2)])
        results.add([cell("DGI", "cora", count, paper=-2.0 + 0 * NOISE, tuned=tuned + 0 * NOISE)])
    return results


def test_who_leads_is_computed_from_the_pairs(results: Results) -> None:
    paper, tuned = (against_in_words(results, "DGI", probe) for probe in ("paper", "tuned"))
    assert paper == (
        "With the paper probe, SCE as published is, against DGI: ahead on cora (+3.0 / +3.0), level nowhere, behind nowhere."
    )
    assert tuned == (
        "With the tuned probe, SCE as published is, against DGI: ahead nowhere, level on cora with 5 labels (0.0), behind "
        "on cora with 20 labels (−2.5)."
    )
    assert against_in_words(results, "G2G", "paper") == ""


def test_the_tables_show_both_probes_and_their_counts(results: Results) -> None:
    accuracy, tuned, against = tables(results)
    shown = dict(accuracy.rows)["SCE"][0]
    spread = f"{np.std(BASE + NOISE):.1f}"  # of each seed over the splits
    assert (shown.ours, shown.paper, shown.remark) == (f"76.0 ± {spread} ± 1.0", "74.3 ± 2.7", "50 splits, 2 seeds")
    assert dict(tuned.rows)["DGI"][1].ours == "77.5 ± 2.9"
    assert dict(tuned.rows)["DGI"][1].remark == "50 splits, 1 seed"
    assert dict(tuned.rows)["DGI"][1].verdict == "alone"  # the paper has no such figure
    assert "GAT" not in dict(tuned.rows)
    assert dict(accuracy.rows)["DeepWalk, negative sampling"][0].paper == ""
    assert dict(against.rows)["DGI"][1].ours == "paper +3.0, ahead"
    assert dict(against.rows)["DGI"][1].remark == "tuned −2.5, behind"
    assert dict(against.rows)["G2G"][0].ours == "–"
    (leaders,) = (remark for remark in against.remarks if remark.startswith("The highest mean of those that embed, tuned"))
    assert (
        "tuned probe: SCE on cora with 5 labels; DGI on cora with 20 labels. Without a figure: DeepWalk on cora;" in leaders
    )
    assert leaders.endswith("; G2G on cora; MoSCE on cora.")


def test_fewer_splits_or_seeds_are_said(results: Results) -> None:
    short = cell("GAT", "pubmed", 5, none=NOISE)
    short["scores"]["none"]["accuracies"] = short["scores"]["none"]["accuracies"][:10]
    results.add([short])
    words = tables(results)[0].remarks[0]
    assert "50 splits, 1 seed: DGI on cora" in words
    assert "50 splits, 2 seeds: SCE on cora" in words
    assert "10 splits, 1 seed: GAT on pubmed" in words
    assert "since a fit takes minutes, for G2G on pubmed and cora_full" in words
