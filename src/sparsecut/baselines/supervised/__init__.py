"""The semi-supervised networks of the paper's table: a graph, the labels of some nodes in, a label for every node out."""

from sparsecut.baselines.supervised.gat import GAT
from sparsecut.baselines.supervised.gcn import GCN
from sparsecut.baselines.supervised.mixhop import MixHop
from sparsecut.baselines.supervised.sgc import SGC

__all__ = ["GAT", "GCN", "SGC", "MixHop"]
