"""`load`: fitted models from their files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from sparsecut.base.errors import InputError
from sparsecut.features import read_encoder
from sparsecut.features.type_encoders import Encoder
from sparsecut.graph.graph_kind import read_kind
from sparsecut.graph.pair_lists import unpack_pairs
from sparsecut.model.embedding_model import SparsestCutEmbedding
from sparsecut.model.graph_columns import GraphColumns
from sparsecut.model.history import History
from sparsecut.model.mosce import MoSCE
from sparsecut.model.persistence import read_model
from sparsecut.model.sce import SCE
from sparsecut.operators.recipe import read_recipe
from sparsecut.updates.resuming import Position
from sparsecut.updates.state_files import read_fitted, read_state
from sparsecut.updates.update_log import read_log

ESTIMATORS: dict[str, type[SparsestCutEmbedding]] = {"SCE": SCE, "MoSCE": MoSCE}


def load(path: str | Path, *, in_place: bool = False) -> SparsestCutEmbedding:
    """Read a model that `save` wrote.

    Parameters
    ----------
    path : str or Path
        A .safetensors file. No code in it is run: a filter, solver or negative graph of your own must have been imported.
    in_place : bool, default=False
        Whether every `update` goes to the disk before it is made, into the log beside the file: for a model that was saved
        with its state. A process that is killed has made an update or has not, and no other process may update it.

    Returns
    -------
    SCE or MoSCE
        Fitted: `transform` embeds other graphs with it. Of a model saved with its state `embedding_`, `graph_` and `update`
        go on where it was saved; otherwise the embedding it was fitted on is not in the file.

    Raises
    ------
    InputError
        If the file is not a whole model of this version.

    Examples
    --------
    >>> import sparsecut as sc, tempfile
    >>> graph = sc.datasets.load("digits")
    >>> model = sc.SCE().fit(graph)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(f"{folder}/model.safetensors")
    ...     again = sc.load(f"{folder}/model.safetensors")
    >>> bool((abs(again.transform(graph) - model.embedding_) < 1e-4).all())
    True
    """
    header, tensors = read_model(path, mapped=in_place)  # one process alone replaces the file then
    try:
        model: Any = ESTIMATORS[header["estimator"]](**_read_parameters(header["parameters"], tensors))
        model.kind_ = read_kind(header.get("graph"))
        encoder = read_encoder(header["encoder"])
        if "owed" in header:
            from sparsecut.updates.owed_fit import OwedFit

            model._owed = OwedFit.read(header["owed"], tensors)
        else:
            _read_learned(model, header, tensors, encoder)
    except (KeyError, TypeError, IndexError) as error:
        raise InputError(f"{path} does not hold a whole sparsecut model: {error}. Save the model again.") from error
    about = header.get("state")
    if about is None and in_place:
        raise InputError(f"{path} was saved without its state. Save it with model.save(path, with_state=True).")
    if about is not None:
        _restore(model, path, about, tensors, encoder, in_place)
    return model  # type: ignore[no-any-return]


def _read_learned(model: Any, header: dict[str, Any], tensors: dict[str, Any], encoder: Encoder | None) -> None:
    weights = [tensors[f"weights.{level}"] for level in range(sum(name.startswith("weights.") for name in tensors))]
    model.history_ = History(**header["history"])
    model.columns_ = GraphColumns.read(header["columns"], tensors)
    model.offset_ = tensors.get("offset", np.zeros(weights[0].shape[1], dtype=np.float32))
    model.recipe_ = read_recipe(header["recipe"], tensors)
    model.weights_ = weights
    model._know_features(encoder, model._n_encoded)


def _restore(
    model: Any, path: str | Path, about: dict[str, Any], tensors: dict[str, Any], encoder: Encoder | None, in_place: bool
) -> None:
    """The state of a model as of the last update that was written down."""
    try:
        key = bytes.fromhex(about["key"])
        model._position, model._renewed_at = Position(*about["position"]), int(about.get("renewed_at", -1))
        fitted = read_fitted(about, tensors, encoder)
        if fitted is None:
            given = about, tensors, model.recipe_, model.weights_, model.offset_, encoder, model.columns_
            model._state = read_state(*given)
            number = model._state.n_batches
        else:
            model._graph, model._embedding, number = fitted
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise InputError(f"{path} does not hold a whole state: {error}. Save the model again.") from error
    if in_place:
        model._follow_log(path, key, number)
        return
    for changes, tolerance, position in read_log(path, key, number):
        state = model._live()
        model._embedding = model._graph = None
        model._renewed(state.apply(state.check(changes), tolerance))
        model._follow_kind(changes)
        model._position = position or model._position


def _read_parameters(values: dict[str, Any], tensors: dict[str, Any]) -> dict[str, Any]:
    parameters = dict(values)
    for name, kind in SparsestCutEmbedding.kinds.items():
        if isinstance(parameters[name], dict):
            arrays = {key.partition(".")[2]: array for key, array in tensors.items() if key.startswith(f"{name}.")}
            parameters[name] = kind.read(parameters[name], arrays)
    if "apart" in tensors:
        parameters["apart"] = unpack_pairs(tensors["apart"])
    return parameters
