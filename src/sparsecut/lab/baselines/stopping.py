"""Early stopping: end when nothing has improved for a while, and go back to the weights that were best."""

from __future__ import annotations

import math
from typing import Any

from torch import nn


class EarlyStopping:
    """Keeps the best of the weights it has been shown. A lower value is better; pass an accuracy with its sign turned."""

    def __init__(self, patience: int) -> None:
        self.patience = patience
        self.best = math.inf
        self.n_worse = 0
        self._weights: dict[str, Any] = {}

    def is_over(self, value: float, network: nn.Module) -> bool:
        """Whether `patience` values in a row were no better than the best."""
        if value < self.best:
            self.best, self.n_worse = value, 0
            self._weights = {name: tensor.detach().clone() for name, tensor in network.state_dict().items()}
        else:
            self.n_worse += 1
        return self.n_worse >= self.patience

    def restore(self, network: nn.Module) -> None:
        if self._weights:
            network.load_state_dict(self._weights)
