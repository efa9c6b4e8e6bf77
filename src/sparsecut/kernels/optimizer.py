"""Adam (Kingma and Ba, 2015), with the L2 penalty in the gradient as the paper has it.

torch.optim.Adam computes the same, and a test holds this one to it; but the first optimiser a process makes imports torch's
compiler, about a second, which is ten times what a fit of Cora takes.
"""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

BETA_1, BETA_2, EPSILON = 0.9, 0.999, 1e-8


class AdamSteps:
    def __init__(self, parameters: Iterable[Tensor], *, learning_rate: float, l2: float) -> None:
        self.parameters = list(parameters)
        self.learning_rate = learning_rate
        self.l2 = l2
        self.n_steps = 0
        self._first = [torch.zeros_like(parameter) for parameter in self.parameters]
        self._second = [torch.zeros_like(parameter) for parameter in self.parameters]

    @torch.no_grad()
    def step(self) -> None:
        """Move every parameter against its gradient, then forget the gradient."""
        self.n_steps += 1
        correction_1, correction_2 = 1 - BETA_1**self.n_steps, 1 - BETA_2**self.n_steps
        for parameter, first, second in zip(self.parameters, self._first, self._second, strict=True):
            gradient = parameter.grad
            assert gradient is not None
            if self.l2:
                gradient = gradient.add_(parameter, alpha=self.l2)
            first.lerp_(gradient, 1 - BETA_1)
            second.mul_(BETA_2).addcmul_(gradient, gradient, value=1 - BETA_2)
            size = torch.sqrt(second / correction_2, out=gradient).add_(EPSILON)
            parameter.addcdiv_(first, size, value=-self.learning_rate / correction_1)
            parameter.grad = None
