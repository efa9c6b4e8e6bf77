"""The methods to compare with, under the estimators' contract: a graph in, one vector per node out, or one label.

`methods` has every method by name, SCE and MoSCE among them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sparsecut.base.lazy_names import lazy_names

if TYPE_CHECKING:
    from sparsecut.lab.baselines.deepwalk import DeepWalk, DeepWalkFeatures, Node2Vec
    from sparsecut.lab.baselines.dgi import DGI
    from sparsecut.lab.baselines.gcn_unsup import UnsupervisedGCN
    from sparsecut.lab.baselines.graph2gauss import Graph2Gauss
    from sparsecut.lab.baselines.graphsage import GraphSAGEGCN, GraphSAGELSTM, GraphSAGEMean, GraphSAGEPool
    from sparsecut.lab.baselines.line import LINE
    from sparsecut.lab.baselines.pca import SmoothedPCA
    from sparsecut.lab.baselines.supervised import GAT, GCN, SGC, MixHop
    from sparsecut.lab.baselines.untrained import RawFeatures, SmoothedFeatures

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
        "DGI": "sparsecut.lab.baselines.dgi",
        "DeepWalk": "sparsecut.lab.baselines.deepwalk",
        "DeepWalkFeatures": "sparsecut.lab.baselines.deepwalk",
        "GAT": "sparsecut.lab.baselines.supervised",
        "GCN": "sparsecut.lab.baselines.supervised",
        "Graph2Gauss": "sparsecut.lab.baselines.graph2gauss",
        "GraphSAGEGCN": "sparsecut.lab.baselines.graphsage",
        "GraphSAGELSTM": "sparsecut.lab.baselines.graphsage",
        "GraphSAGEMean": "sparsecut.lab.baselines.graphsage",
        "GraphSAGEPool": "sparsecut.lab.baselines.graphsage",
        "LINE": "sparsecut.lab.baselines.line",
        "MixHop": "sparsecut.lab.baselines.supervised",
        "Node2Vec": "sparsecut.lab.baselines.deepwalk",
        "RawFeatures": "sparsecut.lab.baselines.untrained",
        "SGC": "sparsecut.lab.baselines.supervised",
        "SmoothedFeatures": "sparsecut.lab.baselines.untrained",
        "SmoothedPCA": "sparsecut.lab.baselines.pca",
        "UnsupervisedGCN": "sparsecut.lab.baselines.gcn_unsup",
    },
)
