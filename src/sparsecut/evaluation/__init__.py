"""Is an embedding any good? A linear probe over splits of the labels, clusters, held-out links, and what needs no labels."""

from sparsecut.evaluation.clustering import ClusterScores, evaluate_clusters
from sparsecut.evaluation.compare import MethodResult, compare_methods
from sparsecut.evaluation.health import Health, measure_health
from sparsecut.evaluation.linear_probe import evaluate, probe
from sparsecut.evaluation.links import LinkScores, LinkSplit, evaluate_links, hold_out_edges, score_links
from sparsecut.evaluation.scores import Comparison, Scores, compare_scores
from sparsecut.evaluation.split_files import published_splits, read_splits, write_splits
from sparsecut.evaluation.splits import Split, fraction_splits, role_split, sample_splits

__all__ = [
    "ClusterScores",
    "Comparison",
    "Health",
    "LinkScores",
    "LinkSplit",
    "MethodResult",
    "Scores",
    "Split",
    "compare_methods",
    "compare_scores",
    "evaluate",
    "evaluate_clusters",
    "evaluate_links",
    "fraction_splits",
    "hold_out_edges",
    "measure_health",
    "probe",
    "published_splits",
    "read_splits",
    "role_split",
    "sample_splits",
    "score_links",
    "write_splits",
]
