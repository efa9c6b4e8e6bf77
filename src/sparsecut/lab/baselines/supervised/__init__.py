"""The semi-supervised networks of the paper's table: a graph, the labels of some nodes in, a label for every node out."""

from sparsecut.lab.baselines.supervised.gat import GAT
from sparsecut.lab.baselines.supervised.gcn import GCN
from sparsecut.lab.baselines.supervised.mixhop import MixHop
from sparsecut.lab.baselines.supervised.sgc import SGC

__all__ = ["GAT", "GCN", "SGC", "MixHop"]
