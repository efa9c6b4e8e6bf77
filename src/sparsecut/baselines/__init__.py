"""The methods to compare with, under the estimators' contract: a graph in, one vector a node out."""

from sparsecut.baselines.features import RawFeatures, SmoothedFeatures
from sparsecut.baselines.pca import SmoothedPCA

__all__ = ["RawFeatures", "SmoothedFeatures", "SmoothedPCA"]
