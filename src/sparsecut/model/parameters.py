"""The parameters of the estimators: their rules, and which solver they ask for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sparsecut.arrays.streaming import parse_bytes
from sparsecut.errors import InputError, check_choice, check_integer, check_real, parameter_error
from sparsecut.features.structure import FEATURES
from sparsecut.features.weighting import WEIGHTINGS
from sparsecut.kernels.halves import PRECISIONS
from sparsecut.model.routes import ROUTES
from sparsecut.model.training import TrainingSettings
from sparsecut.operators.filters import FILTERS, POWERS
from sparsecut.operators.negatives import NegativeGraph, sampled_weight
from sparsecut.operators.objective import LOSSES, alpha_against

ENGINES = ("memory", "disk")
SOLVERS = ("auto", "spectral", "adam")
EPOCHS = 20
LEARNING_RATE = 0.001

# What only Adam's loop has, and the value that leaves it unsaid: solver="auto" takes Adam where one of them is given.
ADAM_ALONE: dict[str, Any] = {
    "loss": "inverse",
    "alpha": "auto",
    "l2": None,
    "learning_rate": None,
    "epochs": None,
    "batch_size": None,
    "route": "auto",
    "depth": 1,
    "depths": 1,
    "widths": None,
    "aggregation": "mean",
}


def solver_of(model: Any) -> str:
    """ "spectral" or "adam"."""
    return str(model.solver) if model.solver != "auto" else ("adam" if given_to_adam(model) else "spectral")


def why_solver(model: Any) -> str:
    if model.solver != "auto":
        return "it was asked for"
    given = given_to_adam(model)
    return f"{', '.join(given)} {'was' if len(given) == 1 else 'were'} given" if given else "no setting of Adam's was given"


def given_to_adam(model: Any) -> list[str]:
    """The settings of the training loop that have been given."""
    return [name for name, unsaid in ADAM_ALONE.items() if getattr(model, name, unsaid) != unsaid]


def recipe_settings(model: Any) -> dict[str, Any]:
    """What `sparsecut.model.recipe.settle` asks of an estimator, whichever engine it has."""
    names = ("weighting", "filter", "strength", "effective_rank", "length", "with_series")
    return {**{name: getattr(model, name) for name in names}, "orders": model._orders, "solver": solver_of(model)}


def training_settings(model: Any, negatives: NegativeGraph) -> TrainingSettings:
    """What the loop asks of an estimator; a given α is put in terms of this negative graph's energy."""
    alpha = model.alpha
    if alpha != "auto":
        unit = sampled_weight(negatives.n_nodes, model.n_negatives)
        alpha = alpha_against(model.loss, alpha, negatives.base_weight, unit)
    return TrainingSettings(
        loss=model.loss,
        alpha=alpha,
        l2=model.l2 or 0.0,
        learning_rate=LEARNING_RATE if model.learning_rate is None else model.learning_rate,
        epochs=0 if model.loss == "none" else (EPOCHS if model.epochs is None else model.epochs),
        batch_size=model.batch_size,
        route=model.route,
    )


def check_parameters(model: Any) -> None:
    """Raise where a parameter breaks its rule; those of the network are its own affair."""
    name = type(model).__name__
    check_choice(name, "solver", model.solver, SOLVERS)
    check_choice(name, "features", model.features, FEATURES)
    check_choice(name, "weighting", model.weighting, ("auto", *WEIGHTINGS))
    check_choice(name, "filter", model.filter, ("auto", *(FILTERS if model.with_series else POWERS)))
    check_choice(name, "loss", model.loss, LOSSES)
    check_choice(name, "route", model.route, ROUTES)
    check_choice(name, "engine", model.engine, ENGINES)
    parse_bytes(name, "memory_limit", model.memory_limit)
    if model.scratch is not None and not isinstance(model.scratch, str | Path):
        raise parameter_error(name, "scratch", "a folder's path or None", model.scratch)
    check_choice(name, "precision", model.precision, PRECISIONS)
    check_integer(name, "n_negatives", model.n_negatives, 1)
    for option in ("strength", "effective_rank", "length", "alpha"):
        if getattr(model, option) != "auto":
            check_real(name, option, getattr(model, option), above=0)
    if model.strength != "auto" and "pagerank" in model.filter and model.strength > 1:
        raise parameter_error(name, "strength", "at most 1 with the filter pagerank, a probability", model.strength)
    for option, check in (
        ("epochs", lambda value: check_integer(name, "epochs", value, 1)),
        ("learning_rate", lambda value: check_real(name, "learning_rate", value, above=0)),
        ("l2", lambda value: check_real(name, "l2", value, minimum=0)),
        ("batch_size", lambda value: check_integer(name, "batch_size", value, 2)),
        ("random_state", lambda value: check_integer(name, "random_state", value, 0)),
    ):
        if getattr(model, option) is not None:
            check(getattr(model, option))
    if model.batch_size is not None and model.route == "gram":
        raise InputError(f"{name} cannot train mini-batches over the Gram matrix. Use route='auto' or 'rows'.")
    if model.solver == "spectral" and given_to_adam(model):
        raise InputError(
            f"{name}(solver='spectral') has no training loop to give {', '.join(given_to_adam(model))} to. "
            "Use solver='adam', or leave it out."
        )
