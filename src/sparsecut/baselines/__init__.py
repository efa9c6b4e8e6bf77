"""The methods to compare with, under the estimators' contract: a graph in, one vector a node out."""

from sparsecut.baselines.features import RawFeatures, SmoothedFeatures
from sparsecut.baselines.graphsage import GraphSAGEGCN, GraphSAGELSTM, GraphSAGEMean, GraphSAGEPool

__all__ = ["GraphSAGEGCN", "GraphSAGELSTM", "GraphSAGEMean", "GraphSAGEPool", "RawFeatures", "SmoothedFeatures"]
