"""What the method smooths: the weighted features, or the graph's structure where it brings none."""

from sparsecut.features.structure import FEATURES, FeaturesWord, structural_features, with_structure
from sparsecut.features.weighting import WEIGHTINGS, Weighting, WeightingWord, learn_weighting

__all__ = [
    "FEATURES",
    "WEIGHTINGS",
    "FeaturesWord",
    "Weighting",
    "WeightingWord",
    "learn_weighting",
    "structural_features",
    "with_structure",
]
