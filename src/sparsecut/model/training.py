"""The one training loop, over M or over rows, full batch or the mini-batches of Algorithm 2, with Adam.

The loop knows only a list of energies to take one step each on. Over M there is one, Σ tr(Wᵀ M W); over rows one too, the
negative graph's energy of Z; with mini-batches one per batch. The first two are the same function of the weights, so for the
same start and the same negatives they give the same weights, step for step.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from sparsecut.base.errors import OverflowInputError
from sparsecut.base.progress import Reporter
from sparsecut.engines.contract import TrainableRows
from sparsecut.kernels.optimizer import AdamSteps
from sparsecut.model.history import History
from sparsecut.model.linear_encoder import LinearEncoder
from sparsecut.operators.losses import loss_of_energy, slope_of_energy, unit_alpha
from sparsecut.operators.negatives import NegativeGraph, quadratic_form

Energy = Callable[[LinearEncoder], Tensor]


@dataclass(frozen=True)
class TrainingSettings:
    """How to train; `sparsecut.Adam` explains each."""

    loss: str
    alpha: float | str
    l2: float
    learning_rate: float
    epochs: int
    batch_size: int | None


def train(
    encoder: LinearEncoder,
    energies: Callable[[], Iterable[Energy]],
    history: History,
    settings: TrainingSettings,
    report: Reporter,
    callback: Callable[[int], None] | None = None,
) -> None:
    """Adam on loss(energy) + l2/2·‖θ‖², `epochs` times over what `energies` yields. Changes the encoder in place."""
    can_wait = next(encoder.parameters()).is_cuda and callback is None and settings.batch_size is None
    if can_wait and _train_unasked(encoder, energies, history, settings):
        report("training", settings.epochs, settings.epochs)
        return
    loss, l2, epochs = settings.loss, settings.l2, settings.epochs
    parameters = list(encoder.parameters())
    optimizer = AdamSteps(parameters, learning_rate=settings.learning_rate, l2=l2)
    for epoch in range(epochs):
        started = time.perf_counter()
        epoch_losses, epoch_energies = [], []
        for energy_of in energies():
            energy = energy_of(encoder)
            value = energy.item()
            if value <= 0:
                continue  # no pair of this batch is apart: no direction to step in
            if not math.isfinite(value):
                raise OverflowInputError(
                    f"The energy overflowed in epoch {epoch + 1}. Scale the features down, or lower learning_rate or epochs."
                )
            if history.alpha is None:
                history.alpha = unit_alpha(loss, value) if isinstance(settings.alpha, str) else settings.alpha
            unsupervised = loss_of_energy(loss, energy, history.alpha)
            unsupervised.backward()  # type: ignore[no-untyped-call]
            penalty = l2 / 2 * sum(float(p.detach().square().sum()) for p in parameters) if l2 else 0.0
            optimizer.step()
            epoch_losses.append(unsupervised.item() + penalty)
            epoch_energies.append(value)
        if not epoch_losses:
            history.notes.append("The energy is zero: no negative pair is apart, and the weights stay as they started.")
            return
        history.loss.append(sum(epoch_losses) / len(epoch_losses))
        history.energy.append(sum(epoch_energies) / len(epoch_energies))
        history.seconds.append(time.perf_counter() - started)
        report("training", epoch + 1, epochs)
        if callback is not None:
            callback(epoch)


def _train_unasked(
    encoder: LinearEncoder, energies: Callable[[], Iterable[Energy]], history: History, settings: TrainingSettings
) -> bool:
    """All epochs at once, for a GPU: reading a value blocks until it has finished, so this loop reads none.

    Whether the steps made sense is read once, at the end. If not, the weights are as before, and the loop above says why.
    """
    started = time.perf_counter()
    parameters = list(encoder.parameters())
    before = [parameter.detach().clone() for parameter in parameters]
    optimizer = AdamSteps(parameters, learning_rate=settings.learning_rate, l2=settings.l2)
    alpha: Tensor | None = None
    seen = []
    for _ in range(settings.epochs):
        (energy_of,) = energies()
        # One matrix over M needs no graph of derivatives: tr(WᵀMW) has the gradient 2·MW. Half of the launches.
        image = None
        if isinstance(energy_of, EnergyOverGram) and len(parameters) == 1:
            image = energy_of.image(parameters[0])
        energy = energy_of(encoder) if image is None else (parameters[0].detach() * image).sum()
        if alpha is None:
            first = energy.detach().double()
            alpha = unit_alpha(settings.loss, first) if isinstance(settings.alpha, str) else first.new_tensor(settings.alpha)
        unsupervised = loss_of_energy(settings.loss, energy, alpha)
        if image is None:
            unsupervised.backward()  # type: ignore[no-untyped-call]
        else:
            parameters[0].grad = image * (2 * slope_of_energy(settings.loss, energy, alpha))
        if settings.l2:
            penalty = sum(parameter.detach().square().sum() for parameter in parameters) * (settings.l2 / 2)
            unsupervised = unsupervised.detach() + penalty
        optimizer.step()
        seen.append(torch.stack([energy.detach().double(), unsupervised.detach()]))
    assert alpha is not None
    values = torch.stack([*seen, torch.stack([alpha, alpha])]).tolist()
    if not all(math.isfinite(energy) and energy > 0 for energy, _ in values[:-1]):
        with torch.no_grad():
            for parameter, start in zip(parameters, before, strict=True):
                parameter.copy_(start)
        return False
    *epochs, (history.alpha, _) = values
    history.energy, history.loss = [energy for energy, _ in epochs], [loss for _, loss in epochs]
    history.seconds = [(time.perf_counter() - started) / settings.epochs] * settings.epochs
    return True


class EnergyOverGram:
    """Σ tr(Wᵀ M W) over the encoder's blocks: no row is touched."""

    def __init__(self, grams: dict[tuple[int, ...], Tensor]) -> None:
        self.grams = grams

    def __call__(self, encoder: LinearEncoder) -> Tensor:
        forms = [quadratic_form(self.grams[levels].matmul, matrix) for levels, matrix in encoder.blocks()]
        return torch.stack(forms).sum()

    def image(self, W: Tensor) -> Tensor:
        """M·W where there is one M."""
        (M,) = self.grams.values()
        return M @ W.detach()


def energy_over_rows(levels: Sequence[TrainableRows], negatives: NegativeGraph) -> Energy:
    """The negative graph's energy of the embedding itself."""
    return lambda encoder: negatives.energy(encoder(levels))


def energies_of_batches(
    levels: Sequence[TrainableRows], negatives: NegativeGraph, batch_size: int, generator: torch.Generator
) -> Iterator[Energy]:
    """One energy per mini-batch, over all nodes in a new random order."""
    order = torch.randperm(negatives.n_nodes, generator=generator).to(levels[0].device)
    batches = list(torch.split(order, batch_size))
    if len(batches) > 1 and len(batches[-1]) < 2:
        batches[-2:] = [torch.cat(batches[-2:])]  # one node alone has no pair
    for nodes in batches:
        needed, batch_negatives = negatives.batch(nodes)
        yield energy_over_rows([rows.take(needed) for rows in levels], batch_negatives)
