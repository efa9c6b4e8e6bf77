"""What candidates are ranked by: one closed form, or the sum of two or three, each over the spread of its scores.

    score(u, v) = Σ_k f_k(u, v)/deviation_k = [ℓ₁ ℓ₂]·[r₁/deviation₁  r₂/deviation₂]

A sum is an inner product as its parts are. Forms err in different places, and their sum mostly ranks links better than any
of them does: the bilinear score sees both ends alike, a regression leaves out the link that it predicts, and vectors that
were made to be near see another part of the graph than the spectrum of its links.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.links.forms import SPECTRUM, LinkForm, rows_of_form, score_pairs
from sparsecut.links.link_sums import Incidence

Array = NDArray[np.float64]


@dataclass(frozen=True)
class FormSum:
    """Forms of one graph and what their scores are divided by.

    forms : one to three, with their kinds, powers of the degrees, penalties and matrices
    deviations : of their scores, over pairs without a link
    """

    forms: tuple[LinkForm, ...]
    deviations: tuple[float, ...]

    @classmethod
    def of(cls, forms: tuple[LinkForm, ...], vectors: Any, incidence: Incidence, others: NDArray[np.int64]) -> FormSum:
        """The sum with the deviations over some pairs without a link."""
        found = [float(np.std(score_pairs(form, vectors, incidence, others))) for form in forms]
        return cls(forms, tuple(one if one > 0 else 1.0 for one in found))

    def rows(self, vectors: Any, incidence: Incidence, nodes: Any, *, is_source: bool) -> Array:
        """ℓ of nodes as sources or r of nodes as targets, (b, c)."""
        parts = []
        for form, deviation in zip(self.forms, self.deviations, strict=True):
            ends = rows_of_form(form, vectors, incidence, nodes, is_source=is_source)
            parts.append(form.left(ends) if is_source else form.right(ends) / deviation)
        return np.hstack(parts)

    def score_pairs(self, vectors: Any, incidence: Incidence, pairs: NDArray[np.int64]) -> Array:
        """The scores of pairs whose source is first."""
        parts = [score_pairs(form, vectors, incidence, pairs) for form in self.forms]
        return np.asarray(sum(part / deviation for part, deviation in zip(parts, self.deviations, strict=True)))

    def __str__(self) -> str:
        return " + ".join(_in_words(form) for form in self.forms)


def _in_words(form: LinkForm) -> str:
    """The kind of a form, and what it was chosen with: both (64 columns of the spectrum, penalty 1)."""
    settings = [f"{form.n_columns} columns of the spectrum"] if form.basis == SPECTRUM else []
    settings += [f"degrees to the power {form.power:g}"] if form.power else []
    settings += [f"penalty {form.penalty:g}"] if form.penalty else []
    return f"{form.kind} ({', '.join(settings)})" if settings else form.kind
