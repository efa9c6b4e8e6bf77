"""The methods to compare with, under the estimators' contract: a graph in, one vector a node out, or one label."""

from sparsecut.baselines.deepwalk import DeepWalk, DeepWalkFeatures, Node2Vec
from sparsecut.baselines.dgi import DGI
from sparsecut.baselines.features import RawFeatures, SmoothedFeatures
from sparsecut.baselines.gcn_unsup import UnsupervisedGCN
from sparsecut.baselines.graph2gauss import Graph2Gauss
from sparsecut.baselines.graphsage import GraphSAGEGCN, GraphSAGELSTM, GraphSAGEMean, GraphSAGEPool
from sparsecut.baselines.line import LINE
from sparsecut.baselines.pca import SmoothedPCA
from sparsecut.baselines.supervised import GAT, GCN, SGC, MixHop

__all__ = [
    "DGI",
    "GAT",
    "GCN",
    "LINE",
    "SGC",
    "DeepWalk",
    "DeepWalkFeatures",
    "Graph2Gauss",
    "GraphSAGEGCN",
    "GraphSAGELSTM",
    "GraphSAGEMean",
    "GraphSAGEPool",
    "MixHop",
    "Node2Vec",
    "RawFeatures",
    "SmoothedFeatures",
    "SmoothedPCA",
    "UnsupervisedGCN",
]
