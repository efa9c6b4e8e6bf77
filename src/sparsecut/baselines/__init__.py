"""The methods to compare with, under the estimators' contract: a graph in, one vector a node out."""

from sparsecut.baselines.features import RawFeatures, SmoothedFeatures
from sparsecut.baselines.graph2gauss import Graph2Gauss

__all__ = ["Graph2Gauss", "RawFeatures", "SmoothedFeatures"]
