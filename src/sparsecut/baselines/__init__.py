"""The methods to compare with, under the estimators' contract: a graph in, one vector a node out."""

from sparsecut.baselines.features import RawFeatures, SmoothedFeatures
from sparsecut.baselines.graph2gauss import Graph2Gauss
from sparsecut.baselines.graphsage import GraphSAGEGCN, GraphSAGELSTM, GraphSAGEMean, GraphSAGEPool

__all__ = [
    "Graph2Gauss",
    "GraphSAGEGCN",
    "GraphSAGELSTM",
    "GraphSAGEMean",
    "GraphSAGEPool",
    "RawFeatures",
    "SmoothedFeatures",
]
