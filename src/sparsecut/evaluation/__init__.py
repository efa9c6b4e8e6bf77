"""Is an embedding any good? A linear probe over splits of the labels, clusters, held-out links, and what needs no labels.

`evaluate` scores an embedding by labels, `evaluate_clusters` by clusters, `evaluate_links` by edges it has not seen;
`sparsecut.compare` does the first for several methods. The splits are made by a word (`make_splits`), drawn by
`sample_splits`, `fraction_splits` and `uniform_splits`, given (`role_split`) or read from files.
"""

from sparsecut.evaluation.clustering import ClusterScores, evaluate_clusters, k_means, matched_accuracy
from sparsecut.evaluation.confusion import confusion_matrix
from sparsecut.evaluation.health import Health, measure_health
from sparsecut.evaluation.linear_probe import PROTOCOLS
from sparsecut.evaluation.link_holdout import LinkSplit, hold_out_edges
from sparsecut.evaluation.link_prediction import LinkScores, evaluate_links, score_links
from sparsecut.evaluation.paired import Comparison, compare_scores
from sparsecut.evaluation.probing import evaluate, probe
from sparsecut.evaluation.scores import Scores
from sparsecut.evaluation.split_choice import make_splits
from sparsecut.evaluation.split_files import published_splits, read_splits, write_splits
from sparsecut.evaluation.splits import (
    SmallClassWarning,
    Split,
    fold_splits,
    fraction_splits,
    role_split,
    sample_splits,
    uniform_splits,
)

__all__ = [
    "PROTOCOLS",
    "ClusterScores",
    "Comparison",
    "Health",
    "LinkScores",
    "LinkSplit",
    "Scores",
    "SmallClassWarning",
    "Split",
    "compare_scores",
    "confusion_matrix",
    "evaluate",
    "evaluate_clusters",
    "evaluate_links",
    "fold_splits",
    "fraction_splits",
    "hold_out_edges",
    "k_means",
    "make_splits",
    "matched_accuracy",
    "measure_health",
    "probe",
    "published_splits",
    "read_splits",
    "role_split",
    "sample_splits",
    "score_links",
    "uniform_splits",
    "write_splits",
]
