"""The contract of the semi-supervised methods, and the one loop that trains them.

A method says which network it is (`_network`), what the network is given of a graph (`_inputs`) and what it checks
(`_check`). The loop takes one step per epoch on the cross-entropy of the training nodes, then scores the validation nodes;
the weights with the best score are kept. No other label is ever read.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn
from torch.nn import functional

from sparsecut.base.errors import InputError, check_integer, check_real, first_few, parameter_error
from sparsecut.base.estimator import Estimator
from sparsecut.base.progress import Reporter, reporting
from sparsecut.engines import resolve_device
from sparsecut.features.type_encoders import Encoder
from sparsecut.graph import Graph, as_graph
from sparsecut.graph.labels import encode_labels
from sparsecut.kernels.optimizer import AdamSteps
from sparsecut.kernels.transfer import as_tensor
from sparsecut.lab.baselines.baseline import (
    Nodes,
    Run,
    check_is_fitted,
    check_seed,
    seeded,
    with_features,
    with_same_features,
)
from sparsecut.lab.baselines.declared import declared, learned
from sparsecut.lab.baselines.stopping import EarlyStopping
from sparsecut.lab.baselines.supervised.differentiable import DifferentiableMatrix
from sparsecut.lab.baselines.tensors import scale_rows
from sparsecut.model.history import History
from sparsecut.model.published import from_paper

Classifier = TypeVar("Classifier", bound="SupervisedBaseline")


class SplitNodes(Protocol):
    """The part of a `sparsecut.evaluation.Split` that a fit reads: positions of nodes. It does not read the test nodes."""

    @property
    def train(self) -> Nodes: ...

    @property
    def validation(self) -> Nodes: ...


class ClassifierNetwork(nn.Module):
    """`forward(inputs, nodes)` gives the class scores of some nodes; `penalised` are the weights under the L2 penalty."""

    @abstractmethod
    def forward(self, inputs: Any, nodes: Tensor) -> Tensor: ...

    @abstractmethod
    def penalised(self) -> list[nn.Parameter]: ...


class Optimizer(Protocol):
    def step(self) -> None: ...


@declared
class SupervisedBaseline(Estimator):
    """A method that predicts labels: it learns from those of a split's training nodes, for every node of the graph.

    Parameters
    ----------
    learning_rate : float
        Step size of Adam.
    l2 : float
        The penalty on the weights.
    epochs : int
        Steps of the training, at most.
    patience : int
        Training ends after so many epochs without a better loss (MixHop: accuracy) of the validation nodes. The best
        weights are kept.
    device : {"auto", "cpu", "cuda"}
        Where to compute; "auto" takes a GPU where there is one.
    random_state : int or None
        The seed; the same one gives the same bits on the same machine. None draws a new one.

    Attributes
    ----------
    classes_ : array
        The classes of the training nodes.
    history_ : History
        Loss and seconds per epoch.
    """

    paper = classmethod(from_paper)
    stops_on: ClassVar[str] = "loss"  # of the validation nodes, or "accuracy"

    learning_rate: float
    l2: float
    epochs: int
    patience: int
    device: str = "auto"
    random_state: int | None = 0

    network_: ClassifierNetwork = learned()
    classes_: NDArray[Any] = learned()
    n_features_in_: int = learned()
    encoder_: Encoder | None = learned()  # how a table became features
    history_: History = learned()

    @abstractmethod
    def _check(self) -> None:
        """Raise where a parameter of the method's own breaks its rule."""

    @abstractmethod
    def _network(self, n_features: int, n_classes: int) -> ClassifierNetwork:
        """The network at its start, drawn from torch's global generator."""

    @abstractmethod
    def _inputs(self, graph: Graph, device: torch.device) -> Any:
        """What the network is given of a graph, on the device."""

    def _optimizers(self, network: ClassifierNetwork) -> list[Optimizer]:
        penalised = network.penalised()
        others = [p for p in network.parameters() if not any(p is other for other in penalised)]
        rate = self.learning_rate
        return [AdamSteps(penalised, learning_rate=rate, l2=self.l2), AdamSteps(others, learning_rate=rate, l2=0)]

    def fit(self: Classifier, graph: Any, *, split: SplitNodes, progress: Reporter | None = None) -> Classifier:
        """Learn from the labels of some nodes.

        Parameters
        ----------
        graph : Graph
            With features and labels. Only labels of the split's training and validation nodes are read.
        split : Split
            `train` is learned from; `validation` says when to stop. Without any, training ends at the last epoch.
        progress : callable, optional
            Called as `progress(stage, done, total)` in place of the progress bar.

        Returns
        -------
        self
        """
        graph = with_features(self, as_graph(graph))
        self._check_all()
        task = _Task(type(self).__name__, graph, split)
        device = resolve_device(self.device, type(self).__name__)
        with seeded(self.random_state, device) as generator, reporting(progress) as report:
            run = Run(device, generator, History(), report)
            with run.history.stage("fit"):
                network = self._network(graph.n_features, len(task.classes)).to(device)
                self._train(network, self._inputs(graph, device), task, run)
        self.network_, self.classes_ = network, task.classes
        self.n_features_in_, self.encoder_ = graph.n_features, graph.encoder
        self.history_ = run.history
        return self

    def predict(self, graph: Any) -> NDArray[Any]:
        """The label of every node of a graph with the same features, one of those the training nodes had."""
        check_is_fitted(self, "fit or fit_predict")
        graph = with_same_features(self, with_features(self, as_graph(graph)))
        device = resolve_device(self.device, type(self).__name__)
        network = self.network_.to(device).eval()
        with torch.no_grad():
            scores = network(self._inputs(graph, device), torch.arange(graph.n_nodes, device=device))
        return np.asarray(self.classes_[scores.argmax(dim=1).cpu().numpy()])

    def fit_predict(self, graph: Any, split: SplitNodes, *, progress: Reporter | None = None) -> NDArray[Any]:
        """`fit`, then the label of every node of the same graph, (n,)."""
        return self.fit(graph, split=split, progress=progress).predict(graph)

    def _train(self, network: ClassifierNetwork, inputs: Any, task: _Task, run: Run) -> None:
        train, validation = (torch.from_numpy(nodes).to(run.device) for nodes in (task.train, task.validation))
        wanted, hoped = (torch.from_numpy(codes).to(run.device) for codes in (task.train_codes, task.validation_codes))
        optimizers = self._optimizers(network)
        stopping = EarlyStopping(self.patience)
        for epoch in range(1, self.epochs + 1):
            started = time.perf_counter()
            network.train()
            loss = functional.cross_entropy(network(inputs, train), wanted)
            loss.backward()  # type: ignore[no-untyped-call]
            for optimizer in optimizers:
                optimizer.step()
            is_over = len(hoped) > 0 and stopping.is_over(self._judge(network, inputs, validation, hoped), network)
            run.end_epoch(loss.item(), time.perf_counter() - started, self.epochs)
            if is_over:
                run.history.notes.append(f"Stopped after epoch {epoch}: the weights of epoch {epoch - self.patience} stay.")
                break
        stopping.restore(network)

    def _judge(self, network: ClassifierNetwork, inputs: Any, nodes: Tensor, codes: Tensor) -> float:
        """How the network does on the validation nodes: lower is better."""
        network.eval()
        with torch.no_grad():
            scores = network(inputs, nodes)
            if self.stops_on == "accuracy":
                return -float((scores.argmax(dim=1) == codes).float().mean())
            return float(functional.cross_entropy(scores, codes))

    def _check_all(self) -> None:
        name = type(self).__name__
        check_real(name, "learning_rate", self.learning_rate, above=0)
        check_real(name, "l2", self.l2)
        check_integer(name, "epochs", self.epochs, 1)
        check_integer(name, "patience", self.patience, 1)
        check_seed(self)
        self._check()


class _Task:
    """The labels a fit may see. Only positions of the split's training and validation nodes are looked up."""

    def __init__(self, caller: str, graph: Graph, split: SplitNodes) -> None:
        if graph.labels is None:
            raise InputError(f"{caller} learns from labels, and the graph has none. Pass Graph(adjacency, labels=...).")
        self.train = _positions(caller, "training", split.train, graph.n_nodes)
        validation = _positions(caller, "validation", split.validation, graph.n_nodes)
        if len(self.train) == 0:
            raise InputError(f"{caller} needs training nodes, and the split has none.")
        codes = self._codes(caller, graph.labels, np.concatenate([self.train, validation]))
        present, first = np.unique(codes[: len(self.train)], return_index=True)
        self.classes = graph.labels[self.train[first]]  # the labels' own values
        # A class that no training node has cannot be learned: its validation nodes say nothing about when to stop.
        place = np.searchsorted(present, codes).clip(max=len(present) - 1)
        is_known = present[place] == codes
        self.train_codes = place[: len(self.train)]
        self.validation = validation[is_known[len(self.train) :]]
        self.validation_codes = place[len(self.train) :][is_known[len(self.train) :]]

    @staticmethod
    def _codes(caller: str, labels: NDArray[Any], nodes: Nodes) -> Nodes:
        _, codes = encode_labels(labels[nodes])
        if (codes < 0).any():
            bare = nodes[codes < 0]
            raise InputError(
                f"{caller} got a split with {len(bare):,} training or validation nodes without a label: "
                f"{first_few(bare)}. Leave them out of the split."
            )
        return codes


def row_normalised(graph: Graph, device: torch.device) -> Tensor | DifferentiableMatrix:
    """The features with rows of sum 1, on the device."""
    assert graph.features is not None
    scaled = scale_rows(graph.features)
    return DifferentiableMatrix(scaled, device) if sp.issparse(scaled) else as_tensor(scaled, device)


def check_dropout(caller: str, name: str, value: object) -> None:
    if check_real(caller, name, value) >= 1:
        raise parameter_error(caller, name, "a number of at least 0 and below 1", value)


def _positions(caller: str, name: str, nodes: ArrayLike, n_nodes: int) -> Nodes:
    array = np.asarray(nodes)
    if array.size == 0:
        return np.empty(0, dtype=np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu" or array.min() < 0 or array.max() >= n_nodes:
        raise InputError(
            f"The {name} nodes of the split given to {caller} must be positions from 0 to {n_nodes - 1:,}. "
            f"Got {array.dtype}, shape {array.shape}, from {array.min()} to {array.max()}."
        )
    return array.astype(np.int64)
