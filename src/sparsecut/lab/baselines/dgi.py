"""Deep Graph Infomax (Veličković et al., ICLR'19): classify vectors as of the graph or of shuffled features.

    H = σ(P·F·W + b),   H̃ = σ(P·F[order]·W + b)       the graph as it is, and with the rows of F in a random order
    c = sigmoid(mean of the rows of H)                  the summary of the graph
    loss = mean of  −log sigmoid(hᵀBc + β)  over H  and  −log(1 − sigmoid(h̃ᵀBc + β))  over H̃

The scores are H·(B·c), a vector: nn.Bilinear over every node and c would form the same from n copies of c.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import softplus

from sparsecut.base.errors import check_choice, check_integer
from sparsecut.graph import Graph
from sparsecut.kernels.transfer import as_tensor
from sparsecut.lab.baselines.baseline import Baseline, Run
from sparsecut.lab.baselines.declared import declared
from sparsecut.lab.baselines.network import GraphNetwork, TrainsNetwork
from sparsecut.lab.baselines.tensors import GraphTensors, graph_tensors
from sparsecut.operators.filters import Power, Symmetric

ENCODERS = {"gcn": Symmetric(), "mean": Power()}  # and the filter of each
FEATURES = ("scaled", "given")
N_MEAN_LAYERS = 3


@declared
class DGI(TrainsNetwork, Baseline):
    """Deep Graph Infomax (Veličković et al., 2019): vectors that a classifier can separate from those of shuffled features.

    Parameters
    ----------
    encoder : {"gcn", "mean"}, default="gcn"
        "gcn" is one convolution; "mean" is three layers of mean-pooling that keep a node apart from its neighbours, the
        authors' for large graphs with unseen nodes (there with sampled neighbourhoods, here with whole ones).
    features : {"scaled", "given"}, default="scaled"
        "scaled" divides each row by the sum of its absolute values, as DGI's code does; "given" leaves them.
    patience : int, default=20
        Training ends after so many epochs without a lower loss, and the weights with the lowest loss are kept.

    Examples
    --------
    >>> import sparsecut as sc
    >>> from sparsecut.lab.baselines import DGI
    >>> graph = sc.datasets.load("digits")
    >>> DGI(dimension=8, epochs=2).fit_transform(graph).shape
    (1797, 8)
    """

    paper_method = "dgi"

    dimension: int = 512
    encoder: str = "gcn"
    features: str = "scaled"
    patience: int = 20
    learning_rate: float = 0.001
    epochs: int = 10_000
    device: str = "auto"
    random_state: int | None = 0

    def _check(self) -> None:
        super()._check()
        check_choice("DGI", "encoder", self.encoder, tuple(ENCODERS))
        check_choice("DGI", "features", self.features, FEATURES)
        check_integer("DGI", "patience", self.patience, 1)

    def _fit(self, graph: Graph, run: Run) -> NDArray[np.float32]:
        with run.history.stage("prepare"):
            tensors = self._tensors(graph, run.device)
            infomax = Infomax(self._make_network(graph.n_features), self.dimension).to(run.device)
        self.network_ = infomax.network
        self.n_features_in_ = graph.n_features

        def loss() -> Tensor:
            order = as_tensor(run.generator.permutation(graph.n_nodes), run.device)
            return infomax.loss(tensors, order)

        self._train(infomax, loss, run, self.patience)
        return self._apply(tensors)

    def _tensors(self, graph: Graph, device: torch.device) -> GraphTensors:
        return graph_tensors(graph, device, filter=ENCODERS[self.encoder], is_scaled=self.features == "scaled")

    def _make_network(self, n_features: int) -> GraphNetwork:
        is_mean = self.encoder == "mean"
        activations = [nn.PReLU() for _ in range(N_MEAN_LAYERS if is_mean else 1)]
        return GraphNetwork(n_features, self.dimension, activations, with_own=is_mean)


class Infomax(nn.Module):
    """The encoder and the discriminator that are trained together; only the encoder is kept."""

    def __init__(self, network: GraphNetwork, dimension: int) -> None:
        super().__init__()
        self.network = network
        # Shaped as nn.Bilinear's weight, whose Xavier start is narrower than a square matrix's by about √(d/2).
        self.discriminator = nn.Parameter(nn.init.xavier_uniform_(torch.empty(1, dimension, dimension))[0])  # B
        self.bias = nn.Parameter(torch.zeros(()))  # β

    def loss(self, tensors: GraphTensors, order: Tensor) -> Tensor:
        rows = self.network.start(tensors.features)
        H = self.network.finish(rows, tensors.propagation)  # (n, d)
        H_shuffled = self.network.finish(rows.index_select(0, order), tensors.propagation)
        direction = self.discriminator @ H.mean(dim=0).sigmoid()  # B·c, (d,)
        scores, shuffled_scores = H @ direction + self.bias, H_shuffled @ direction + self.bias
        return (softplus(-scores).mean() + softplus(shuffled_scores).mean()) / 2
