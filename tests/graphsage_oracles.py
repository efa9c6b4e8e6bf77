"""The layers of GraphSAGE with known weights, and their equations written as loops."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from sparsecut.lab.baselines.aggregators import LAYERS


def make_layer(aggregator: str, n_inputs: int = 5, n_outputs: int = 4, fan_out: int = 3):
    """A layer whose weights are all drawn, the biases too."""
    layer = LAYERS[aggregator](n_inputs, n_outputs, fan_out)
    generator = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for weight in layer.parameters():
            weight.copy_(torch.randn(weight.shape, generator=generator))
    return layer


def weights_of(layer) -> dict[str, np.ndarray]:
    return {name: weight.detach().numpy() for name, weight in layer.named_parameters()}


def by_loops(layer, rows: np.ndarray, lists: list[list[int]]) -> np.ndarray:
    """The equations of the aggregators, node by node, neighbour by neighbour."""
    w = weights_of(layer)
    out = []
    for node, neighbours in enumerate(lists):
        if hasattr(layer, "fan_out"):
            heard = sum(rows[u] for u in neighbours) / len(neighbours)
            out.append((rows[node] + layer.fan_out * heard) / (layer.fan_out + 1) @ w["weight"])
            continue
        if "hidden" in w:
            heard = np.max([np.maximum(rows[u] @ w["hidden"] + w["bias"], 0) for u in neighbours], axis=0)
        elif "inputs" in w:
            heard = torch_lstm(layer)(torch.from_numpy(rows[neighbours])[None])[1][0][0, 0].detach().numpy()
        else:
            heard = sum(rows[u] for u in neighbours) / len(neighbours)
        out.append(np.concatenate([rows[node] @ w["own"], heard @ w["neighbour"]]))
    return np.array(out)


def torch_lstm(layer) -> nn.LSTM:
    lstm = nn.LSTM(layer.inputs.shape[0], layer.state.shape[0], batch_first=True)
    with torch.no_grad():
        lstm.weight_ih_l0.copy_(layer.inputs.T)
        lstm.weight_hh_l0.copy_(layer.state.T)
        lstm.bias_ih_l0.copy_(layer.bias)
        lstm.bias_hh_l0.zero_()
    return lstm
