"""The methods to compare with, under the estimators' contract: a graph in, one vector a node out."""

from sparsecut.baselines.dgi import DGI
from sparsecut.baselines.features import RawFeatures, SmoothedFeatures
from sparsecut.baselines.gcn_unsup import UnsupervisedGCN

__all__ = ["DGI", "RawFeatures", "SmoothedFeatures", "UnsupervisedGCN"]
