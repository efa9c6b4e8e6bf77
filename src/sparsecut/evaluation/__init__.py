"""Is an embedding any good? Splits of the labels, and a linear probe over them."""

from sparsecut.evaluation.probe import evaluate, probe
from sparsecut.evaluation.scores import Comparison, Scores, compare_scores
from sparsecut.evaluation.split_files import published_splits, read_splits, write_splits
from sparsecut.evaluation.splits import Split, fraction_splits, role_split, sample_splits

__all__ = [
    "Comparison",
    "Scores",
    "Split",
    "compare_scores",
    "evaluate",
    "fraction_splits",
    "probe",
    "published_splits",
    "read_splits",
    "role_split",
    "sample_splits",
    "write_splits",
]
