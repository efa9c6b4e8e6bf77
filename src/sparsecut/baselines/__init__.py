"""The methods to compare with, under the estimators' contract: a graph in, one vector a node out."""

from sparsecut.baselines.deepwalk import DeepWalk, DeepWalkFeatures, Node2Vec
from sparsecut.baselines.features import RawFeatures, SmoothedFeatures
from sparsecut.baselines.line import LINE

__all__ = ["LINE", "DeepWalk", "DeepWalkFeatures", "Node2Vec", "RawFeatures", "SmoothedFeatures"]
