"""The registry: names, options that a method has or has not, and the paper's settings."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys

import numpy as np
import pytest

from sparsecut import SCE, InputError, MoSCE, Power, datasets
from sparsecut.lab import baselines
from sparsecut.lab.baselines import methods
from sparsecut.lab.baselines.baseline import Baseline
from sparsecut.lab.baselines.methods import Method, find_method
from sparsecut.lab.baselines.supervised.classifier import SupervisedBaseline


@pytest.mark.parametrize("name", methods.names(is_supervised=False))
def test_every_method_that_learns_from_no_labels_embeds(name):
    graph = datasets.load("digits")
    model = find_method(name).make({}, {"random_state": 0, "device": "cpu", "dimension": 8, "epochs": 2})
    Z = model.fit_transform(graph, progress=lambda *_: None)
    assert len(Z) == graph.n_nodes
    assert np.isfinite(Z).all()


def test_options_reach_the_estimator():
    model = find_method("sce").make({"filter": "power", "order": 3, "dimension": None}, {"random_state": 5})
    assert isinstance(model, SCE)
    assert (model.filter, model.random_state, model.dimension) == (Power(order=3), 5, "auto")
    model = find_method("mosce").make({"order": 3})
    assert isinstance(model, MoSCE)
    assert model.levels == 3
    assert (
        find_method("sce").make({"epochs": 7}, paper="cora").get_params() == SCE.paper("cora", solver__epochs=7).get_params()
    )


def test_what_is_asked_must_be_there_and_what_is_offered_need_not():
    find_method("raw").make({}, {"dimension": 5})
    assert find_method("sce").make({"engine": "disk"}, {"device": "cuda"}).engine == "disk"  # which has no device
    with pytest.raises(InputError, match=r"The method sce has no epochs to set. Leave --epochs out"):
        find_method("sce").make({"epochs": 5})  # the closed form has none
    with pytest.raises(InputError, match=r"The method raw has no dimension to set. Leave --dimension out"):
        find_method("raw").make({"dimension": 5})
    with pytest.raises(InputError, match="no settings in the paper"):
        find_method("smoothed").make({}, paper="cora")
    with pytest.raises(InputError, match=r"There is no method 'x'. There are: sce, mosce, raw, smoothed"):
        find_method("x")


def test_a_registered_method_is_found(monkeypatch):
    monkeypatch.setattr(methods, "METHODS", dict(methods.METHODS))
    methods.register(Method("mine", "", "sparsecut.model.sce:SCE"))
    assert "mine" in methods.names()
    assert isinstance(find_method("mine").make({}), SCE)


@pytest.mark.parametrize("name", methods.names())
def test_a_method_is_registered_as_what_its_class_is(name):
    method = find_method(name)
    assert hasattr(method.estimator_class(), "fit_predict") == method.is_supervised
    assert hasattr(method.estimator_class(), "fit_transform") != method.is_supervised


def test_every_class_of_a_method_is_on_the_list():
    """A method is its file and a line of the list: no class is forgotten, and the package offers them all."""
    for module in pkgutil.walk_packages(baselines.__path__, f"{baselines.__name__}."):
        importlib.import_module(module.name)
    kinds = {*Baseline.__subclasses__(), *SupervisedBaseline.__subclasses__()}
    defined = {kind.__name__ for kind in kinds if kind.__module__.startswith(baselines.__name__)}
    listed = {find_method(name).home.partition(":")[2] for name in methods.names() if name not in ("sce", "mosce")}
    assert listed == defined == set(baselines.__all__) == set(dir(baselines))


def test_names_of_either_kind_are_all_names():
    embedding, predicting = (methods.names(is_supervised=kind) for kind in (False, True))
    assert {"gcn", "sgc", "gat", "mixhop"} <= set(predicting)
    assert {"sce", "raw"} <= set(embedding)
    assert sorted(embedding + predicting) == sorted(methods.names())


def test_the_registry_does_not_load_the_methods():
    code = "import sys, sparsecut.lab.baselines.methods; sys.exit('torch' in sys.modules or 'sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
