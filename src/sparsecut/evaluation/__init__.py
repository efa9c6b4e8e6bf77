"""Is an embedding any good? A linear probe over splits of the labels, clusters, held-out links, and what needs no labels.

`evaluate` scores an embedding by labels, `evaluate_clusters` by clusters, `evaluate_links` by edges it has not seen;
`sparsecut.compare` does the first for several methods. The splits are made by a word (`make_splits`), drawn by
`sample_splits`, `fraction_splits` and `uniform_splits`, given (`role_split`) or read from files.
"""

from typing import TYPE_CHECKING

from sparsecut.base.lazy_names import lazy_names

if TYPE_CHECKING:
    from sparsecut.evaluation.clustering import ClusterScores as ClusterScores
    from sparsecut.evaluation.clustering import evaluate_clusters as evaluate_clusters
    from sparsecut.evaluation.clustering import k_means as k_means
    from sparsecut.evaluation.clustering import matched_accuracy as matched_accuracy
    from sparsecut.evaluation.health import Health as Health
    from sparsecut.evaluation.health import measure_health as measure_health
    from sparsecut.evaluation.linear_probe import PROTOCOLS as PROTOCOLS
    from sparsecut.evaluation.linear_probe import confusion_matrix as confusion_matrix
    from sparsecut.evaluation.link_holdout import LinkSplit as LinkSplit
    from sparsecut.evaluation.link_holdout import hold_out_edges as hold_out_edges
    from sparsecut.evaluation.link_prediction import LinkScores as LinkScores
    from sparsecut.evaluation.link_prediction import evaluate_links as evaluate_links
    from sparsecut.evaluation.link_prediction import score_links as score_links
    from sparsecut.evaluation.paired import Comparison as Comparison
    from sparsecut.evaluation.paired import compare_scores as compare_scores
    from sparsecut.evaluation.probing import evaluate as evaluate
    from sparsecut.evaluation.probing import probe as probe
    from sparsecut.evaluation.scores import Scores as Scores
    from sparsecut.evaluation.split_choice import make_splits as make_splits
    from sparsecut.evaluation.split_files import published_splits as published_splits
    from sparsecut.evaluation.split_files import read_splits as read_splits
    from sparsecut.evaluation.split_files import write_splits as write_splits
    from sparsecut.evaluation.splits import SmallClassWarning as SmallClassWarning
    from sparsecut.evaluation.splits import Split as Split
    from sparsecut.evaluation.splits import fold_splits as fold_splits
    from sparsecut.evaluation.splits import fraction_splits as fraction_splits
    from sparsecut.evaluation.splits import role_split as role_split
    from sparsecut.evaluation.splits import sample_splits as sample_splits
    from sparsecut.evaluation.splits import uniform_splits as uniform_splits
else:
    __getattr__, __dir__ = lazy_names(__name__)
