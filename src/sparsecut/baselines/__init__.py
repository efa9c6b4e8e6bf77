"""The methods to compare with, under the estimators' contract: a graph in, one vector per node out, or one label.

`methods` has every method by name, SCE and MoSCE among them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sparsecut.lazy import lazy_names

if TYPE_CHECKING:
    from sparsecut.baselines.deepwalk import DeepWalk, DeepWalkFeatures, Node2Vec
    from sparsecut.baselines.dgi import DGI
    from sparsecut.baselines.gcn_unsup import UnsupervisedGCN
    from sparsecut.baselines.graph2gauss import Graph2Gauss
    from sparsecut.baselines.graphsage import GraphSAGEGCN, GraphSAGELSTM, GraphSAGEMean, GraphSAGEPool
    from sparsecut.baselines.line import LINE
    from sparsecut.baselines.pca import SmoothedPCA
    from sparsecut.baselines.supervised import GAT, GCN, SGC, MixHop
    from sparsecut.baselines.untrained import RawFeatures, SmoothedFeatures

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

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "DGI": "sparsecut.baselines.dgi",
        "DeepWalk": "sparsecut.baselines.deepwalk",
        "DeepWalkFeatures": "sparsecut.baselines.deepwalk",
        "GAT": "sparsecut.baselines.supervised",
        "GCN": "sparsecut.baselines.supervised",
        "Graph2Gauss": "sparsecut.baselines.graph2gauss",
        "GraphSAGEGCN": "sparsecut.baselines.graphsage",
        "GraphSAGELSTM": "sparsecut.baselines.graphsage",
        "GraphSAGEMean": "sparsecut.baselines.graphsage",
        "GraphSAGEPool": "sparsecut.baselines.graphsage",
        "LINE": "sparsecut.baselines.line",
        "MixHop": "sparsecut.baselines.supervised",
        "Node2Vec": "sparsecut.baselines.deepwalk",
        "RawFeatures": "sparsecut.baselines.untrained",
        "SGC": "sparsecut.baselines.supervised",
        "SmoothedFeatures": "sparsecut.baselines.untrained",
        "SmoothedPCA": "sparsecut.baselines.pca",
        "UnsupervisedGCN": "sparsecut.baselines.gcn_unsup",
    },
)
