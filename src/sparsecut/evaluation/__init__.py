"""Is an embedding any good? Splits of the labels, and a linear probe over them."""

from sparsecut.evaluation.probe import Scores, evaluate, probe
from sparsecut.evaluation.splits import Split, published_splits, sample_splits

__all__ = ["Scores", "Split", "evaluate", "probe", "published_splits", "sample_splits"]
