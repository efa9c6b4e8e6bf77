"""Filters: S = Σ c_k P^k F, a polynomial of a propagation matrix P (Algorithm 1 of the paper has P^k).

Ã = A + I,  D̃ = diag(Ã·1)

Power       (D̃⁻¹Ã)^k, the mean over closed neighbourhoods; the paper's filter
Symmetric   (D̃^−½ÃD̃^−½)^k
Lazy        ((I + D̃⁻¹Ã)/2)^k
Paired      (P^k + P^(k+1))/2, for graphs with two sides
PageRank    α Σ_(i<k) (1−α)^i P^i + (1−α)^k P^k
Heat        e^(−t) Σ_(i≤k) t^i/i!·P^i, scaled to sum to 1
Average     (I + P + … + P^k)/(k + 1)
Difference  I − P, the one that is high-pass
"""

from sparsecut.operators.filters.average import Average
from sparsecut.operators.filters.difference import Difference
from sparsecut.operators.filters.filter import Filter, is_served_by
from sparsecut.operators.filters.heat import Heat
from sparsecut.operators.filters.lazy import Lazy
from sparsecut.operators.filters.pagerank import PageRank
from sparsecut.operators.filters.paired_powers import Paired
from sparsecut.operators.filters.power import Power
from sparsecut.operators.filters.symmetric import Symmetric

__all__ = ["Average", "Difference", "Filter", "Heat", "Lazy", "PageRank", "Paired", "Power", "Symmetric", "is_served_by"]
