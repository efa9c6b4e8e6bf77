"""Numbers as targets: a ridge regression on the training nodes of a split, scored on its test nodes.

    minimise ‖y − Xw − b‖² + λ‖w‖²,   X standardised over the training nodes, b free

λ is the one of 10⁻³, 10⁻², …, 10⁵ with the smallest leave-one-out error on the training nodes, which follows from one
eigenvalue decomposition (scikit-learn's `RidgeCV`). Validation and test nodes play no part in the fit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.base.progress import Reporter, reporting
from sparsecut.evaluation.linear_probe import check_splits
from sparsecut.evaluation.metrics import figure_of_numbers
from sparsecut.evaluation.scores import Scores, digest_splits
from sparsecut.evaluation.splits import Nodes, Split
from sparsecut.evaluation.targets import ProbeTarget

PENALTIES = 10.0 ** np.arange(-3, 6)

Array = NDArray[np.float64]


def probe_numbers(
    Z: Any, goal: ProbeTarget, splits: Sequence[Split], metrics: Mapping[str, Any], progress: Reporter | None = None
) -> Scores:
    """Score an embedding by a number per node, over given splits: see `sparsecut.evaluation.probe`."""
    check_splits(splits, goal, "ridge")
    values: dict[str, Array] = {name: np.empty(len(splits)) for name in metrics}
    choices = []
    with reporting(progress) as report:
        for number, split in enumerate(splits):
            weights, penalty = fit_ridge(_rows(Z, split.train), goal.values[split.train])
            choices.append({"penalty": penalty})
            rows = _rows(Z, split.test)
            predicted = rows @ weights[:-1] + weights[-1]
            for name, scorer in metrics.items():
                if scorer is None:
                    values[name][number] = figure_of_numbers(name, goal.values[split.test], predicted)
                else:
                    from sparsecut.evaluation.probe_estimators import score_by  # loads scikit-learn

                    values[name][number] = score_by(scorer, weights, goal, rows, split.test)
            report("probe", number + 1, len(splits))
    return Scores(values, probe="ridge", choices=tuple(choices), splits=digest_splits(splits))


def fit_ridge(X: Array, y: Array) -> tuple[Array, float]:
    """The weights in the coordinates of X with the intercept last, (d + 1,), and the penalty that was chosen."""
    from sklearn.linear_model import RidgeCV

    if len(y) < 3:
        raise InputError(f"A ridge probe needs at least three training nodes. Got {len(y)}. Use a larger share.")
    centre, scale = X.mean(axis=0), X.std(axis=0)
    scale = np.where(scale > 1e-12 * np.maximum(np.abs(centre), 1e-300), scale, 1.0)
    model = RidgeCV(PENALTIES).fit((X - centre) / scale, y)
    slope = model.coef_ / scale
    return np.append(slope, model.intercept_ - centre @ slope), float(model.alpha_)


def _rows(Z: Any, nodes: Nodes) -> Array:
    rows = Z[nodes]
    return np.asarray(rows.toarray() if sp.issparse(rows) else rows, dtype=np.float64)
