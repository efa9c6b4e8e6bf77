"""The four aggregators of GraphSAGE, as layers: what a node says to its neighbours, and what a node makes of what it hears.

    mean  h_v = [W x_v, V · mean x_u]
    pool  h_v = [W x_v, V · max ReLU(B x_u + b)]
    lstm  h_v = [W x_v, V · LSTM(x_u in random order)]
    gcn   h_v = W · mean({x_v} ∪ {x_u})

u goes over the fixed number of neighbours sampled for v, or over all of them. A message is computed once for every node
that speaks, before it is gathered: V, B and the LSTM's input weights are linear, so features stay sparse and are never
copied for each listener. That is also why these are not torch_geometric's SAGEConv, which gathers the features themselves;
the tests compare with it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor, nn
from torch.nn.functional import embedding_bag

from sparsecut.engines.rows import Rows, project
from sparsecut.kernels.sparse import SparseMatrix
from sparsecut.kernels.transfer import as_tensor
from sparsecut.lab.baselines.neighbour_lists import NeighbourLists

NodeRows = Tensor | SparseMatrix  # features may be sparse, hidden rows are dense


class Layer(nn.Module, ABC):
    """One layer of GraphSAGE, without activation."""

    @abstractmethod
    def messages(self, rows: NodeRows) -> Tensor:
        """What each node says."""

    @abstractmethod
    def forward(self, own: NodeRows, messages: Tensor, lists: NeighbourLists, start: int) -> Tensor:
        """New rows of the nodes that own the lists. `start` is where the first of them stands among those who speak."""


class GCNLayer(Layer):
    """The mean of a node and its neighbours.

    A longer or shorter list than the fan-out weighs as the fan-out does: the average over everything that sampling could
    have drawn.
    """

    def __init__(self, n_inputs: int, n_outputs: int, fan_out: int) -> None:
        super().__init__()
        self.fan_out = fan_out
        self.weight = glorot(n_inputs, n_outputs)

    def messages(self, rows: NodeRows) -> Tensor:
        return times(rows, self.weight)

    def forward(self, own: NodeRows, messages: Tensor, lists: NeighbourLists, start: int) -> Tensor:
        heard = self.fan_out * mean_of(messages, lists)
        return (messages[start : start + len(lists)] + heard) / (self.fan_out + 1)


class ConcatLayer(Layer):
    """Half of the output from the node, half from its neighbours."""

    def __init__(self, n_inputs: int, n_outputs: int) -> None:
        super().__init__()
        self.own = glorot(n_inputs, n_outputs // 2)

    @abstractmethod
    def gather(self, messages: Tensor, lists: NeighbourLists) -> Tensor:
        """What each node makes of the messages on its list, (lists, n_outputs / 2)."""

    def forward(self, own: NodeRows, messages: Tensor, lists: NeighbourLists, start: int) -> Tensor:
        return torch.cat([times(own, self.own), self.gather(messages, lists)], dim=1)


class MeanLayer(ConcatLayer):
    def __init__(self, n_inputs: int, n_outputs: int, fan_out: int) -> None:
        super().__init__(n_inputs, n_outputs)
        self.neighbour = glorot(n_inputs, n_outputs // 2)

    def messages(self, rows: NodeRows) -> Tensor:
        return times(rows, self.neighbour)

    def gather(self, messages: Tensor, lists: NeighbourLists) -> Tensor:
        return mean_of(messages, lists)


class PoolLayer(ConcatLayer):
    """The hidden width is twice the output's: GraphSAGE's 512 for its 256."""

    def __init__(self, n_inputs: int, n_outputs: int, fan_out: int) -> None:
        super().__init__(n_inputs, n_outputs)
        self.hidden = glorot(n_inputs, 2 * n_outputs)
        self.bias = nn.Parameter(torch.zeros(2 * n_outputs))
        self.neighbour = glorot(2 * n_outputs, n_outputs // 2)

    def messages(self, rows: NodeRows) -> Tensor:
        return torch.relu(times(rows, self.hidden) + self.bias)

    def gather(self, messages: Tensor, lists: NeighbourLists) -> Tensor:
        indices, offsets = (as_tensor(array, messages.device) for array in (lists.indices, lists.offsets))
        # A gathered copy of the messages would be as large as all lists together.
        return embedding_bag(indices, messages, offsets, mode="max", include_last_offset=True) @ self.neighbour


class LSTMLayer(ConcatLayer):
    """The last state of an LSTM as wide as half the output, over lists of one length.

    Gates stand in torch.nn.LSTM's order: input, forget, cell, output. The forget gate starts at a bias of one, as in the
    cell of GraphSAGE's code: with zero, all but the last few neighbours are forgotten.
    """

    def __init__(self, n_inputs: int, n_outputs: int, fan_out: int) -> None:
        super().__init__(n_inputs, n_outputs)
        width = n_outputs // 2
        self.inputs = glorot(n_inputs, 4 * width)
        self.state = glorot(width, 4 * width)
        self.bias = nn.Parameter(torch.tensor([0.0, 1.0, 0.0, 0.0]).repeat_interleave(width))
        self.neighbour = glorot(width, width)

    def messages(self, rows: NodeRows) -> Tensor:
        return times(rows, self.inputs) + self.bias

    def gather(self, messages: Tensor, lists: NeighbourLists) -> Tensor:
        speakers = as_tensor(lists.indices.reshape(len(lists), -1), messages.device)
        state = cell = messages.new_zeros((len(lists), self.state.shape[0]))
        for step in range(speakers.shape[1]):
            gates = torch.addmm(messages.index_select(0, speakers[:, step]), state, self.state)
            entry, keep, new, exit_ = gates.chunk(4, dim=1)
            cell = torch.sigmoid(keep) * cell + torch.sigmoid(entry) * torch.tanh(new)
            state = torch.sigmoid(exit_) * torch.tanh(cell)
        return state @ self.neighbour


LAYERS: dict[str, type[GCNLayer] | type[MeanLayer] | type[LSTMLayer] | type[PoolLayer]] = {
    "gcn": GCNLayer,
    "mean": MeanLayer,
    "lstm": LSTMLayer,
    "pool": PoolLayer,
}


def glorot(n_inputs: int, n_outputs: int) -> nn.Parameter:
    return nn.Parameter(nn.init.xavier_uniform_(torch.empty(n_inputs, n_outputs)))


def times(rows: NodeRows, weight: Tensor) -> Tensor:
    return project(Rows(rows), weight) if isinstance(rows, SparseMatrix) else rows @ weight


def mean_of(messages: Tensor, lists: NeighbourLists) -> Tensor:
    lengths = lists.lengths
    weights = np.repeat((1 / lengths).astype(np.float32), lengths)
    matrix = sp.csr_array((weights, lists.indices, lists.offsets), shape=(len(lists), len(messages)))
    return times(SparseMatrix(matrix, messages.device), messages)
