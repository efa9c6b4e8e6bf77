"""Relations that say the same: copies of one another, or one and the same in both directions, share one weight.

Two relations lead from the nodes of a type to others of it and back. How alike they are is the cosine o of what these two
matrices make of random signs (K·Ω, a sketch of the whole matrix K), at the type where it is larger. Of relations with o
above one half each weighs 1/Σ o²: m copies weigh 1/m each.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.model.auto.constants import CONSTANTS, RelationRule
from sparsecut.model.auto.edge_trial import RandomSigns
from sparsecut.model.auto.relation_gains import means_over
from sparsecut.model.auto.relation_trial import SampledRelations


def shared_weights(sample: SampledRelations, rule: RelationRule = CONSTANTS.relations) -> list[float]:
    """The share of a weight that each relation has to itself."""
    alike = np.eye(len(sample.matrices))
    for code in np.unique(sample.codes[sample.codes >= 0]):
        nodes = np.flatnonzero(sample.codes == code)
        signs = RandomSigns.of_ids(sample.node_ids[nodes]).astype(np.float64)
        sketches = {
            number: _sketch(sp.csr_array(sample.matrices[number][nodes]), signs, nodes if ends[0] == ends[1] else None)
            for number, ends in enumerate(sample.ends)
            if code in ends
        }
        for one, first in sketches.items():
            for other, second in sketches.items():
                cosine = float((first * second).sum())
                if one != other and cosine > rule.copies:
                    alike[one, other] = max(alike[one, other], min(cosine, 1.0))
    shares: NDArray[np.float64] = 1 / (alike**2).sum(axis=1)
    return [float(share) for share in shares]


def _sketch(links: sp.csr_array, signs: NDArray[np.float64], within: NDArray[np.int64] | None) -> NDArray[np.float64]:
    """The signs over the relation and back, as one vector of length 1."""
    means, has_means = means_over(links, signs, within)
    means = np.where(has_means[:, None], means, 0.0)
    means -= means.mean(axis=0)
    sketch: NDArray[np.float64] = means / max(float(np.linalg.norm(means)), 1e-300)
    return sketch
