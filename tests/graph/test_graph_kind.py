"""A model knows whether its graph had directions and weights: another kind is refused or told, on every engine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import sparsecut as sc
from local_cluster import cluster
from shell import sparsecut
from sparsecut.base.errors import InputError, OtherWeightsWarning
from sparsecut.graph.graph_kind import GraphKind
from sparsecut.model.persistence import read_model, write_model

N = 60
RANDOM = np.random.default_rng(0)
ARCS = np.triu(RANDOM.random((N, N)) < 0.08, 1) * RANDOM.integers(2, 90, (N, N))
FEATURES = RANDOM.normal(size=(N, 8)).astype(np.float32)


def graph_of(*, is_directed: bool, is_weighted: bool) -> sc.Graph:
    edges = sp.csr_array(ARCS if is_weighted else (ARCS > 0).astype(float))
    return sc.Graph(
        edges if is_directed else edges + edges.T, features=FEATURES, directed="out" if is_directed else "symmetrize"
    )


KINDS = [(is_directed, is_weighted) for is_directed in (False, True) for is_weighted in (False, True)]


@pytest.mark.parametrize("model", [sc.SCE(features="given"), sc.MoSCE(), sc.SCE(solver=sc.Adam(epochs=2))], ids=repr)
@pytest.mark.parametrize("engine", ["memory", "disk"])
@pytest.mark.parametrize(("is_directed", "is_weighted"), KINDS)
def test_other_directions_are_refused_and_other_weights_told(
    model: Any, engine: str, is_directed: bool, is_weighted: bool, tmp_path: Path
) -> None:
    fitted = type(model)(**model.get_params(deep=False) | {"engine": engine})
    fitted.fit(graph_of(is_directed=is_directed, is_weighted=is_weighted))
    fitted.save(tmp_path / "model.safetensors")
    for known in (fitted, sc.load(tmp_path / "model.safetensors")):
        assert known.kind_ == GraphKind(is_directed, is_weighted)
        for other in (is_weighted, not is_weighted):
            turned = graph_of(is_directed=not is_directed, is_weighted=other)
            words = ("a directed", "an undirected") if is_directed else ("an undirected", "a directed")
            with pytest.raises(InputError, match=f"was fitted on {words[0]} graph. Got {words[1]} one.* with directed="):
                known.transform(turned)
        lacking = "with weights. The graph to transform has none" if is_weighted else "without weights. The .* has some"
        with pytest.warns(OtherWeightsWarning, match=f"was fitted on a graph {lacking}"):
            known.transform(graph_of(is_directed=is_directed, is_weighted=not is_weighted))
        same = graph_of(is_directed=is_directed, is_weighted=is_weighted)
        np.testing.assert_allclose(known.transform(same), fitted.embedding_, atol=1e-4)  # a warning would be an error
        known.transform(sc.Graph(sp.csr_array((N, N)), features=FEATURES))  # no edges, no kind


@pytest.mark.cluster
def test_on_a_cluster(tmp_path: Path) -> None:
    model = sc.SCE(features="given").fit(graph_of(is_directed=True, is_weighted=True))
    model.set_params(engine=sc.Dask(cluster().scheduler_address, scratch=tmp_path))
    with pytest.raises(InputError, match=r"was fitted on a directed graph\. Got an undirected one"):
        model.transform(graph_of(is_directed=False, is_weighted=True))
    with pytest.warns(OtherWeightsWarning, match="has none"):
        model.transform(graph_of(is_directed=True, is_weighted=False))


def test_at_the_shell(tmp_path: Path) -> None:
    sources, targets = np.nonzero(ARCS)
    lines = [f"{a},{b},{ARCS[a, b]}" for a, b in zip(sources, targets, strict=True)]
    (tmp_path / "edges.csv").write_text("\n".join(["source,target,weight", *lines]))
    (tmp_path / "bare.csv").write_text("\n".join(["source,target", *(line.rpartition(",")[0] for line in lines)]))
    rows = [",".join(map(str, [node, *FEATURES[node]])) for node in range(N)]
    (tmp_path / "features.csv").write_text("\n".join(["id,a,b,c,d,e,f,g,h", *rows]))
    files = ["--features", "features.csv", "--directed", "out"]
    sparsecut("embed", "edges.csv", *files, "--save-model", "m.safetensors", "-o", "a.csv", folder=tmp_path)
    for engine in ("memory", "disk"):
        common = ["--features", "features.csv", "--engine", engine, "-o", f"{engine}.parquet"]
        done = sparsecut("transform", "m.safetensors", "edges.csv", *common, folder=tmp_path, expect=2)
        assert "was fitted on a directed graph. Got an undirected one" in done.stderr
        assert not (tmp_path / f"{engine}.parquet").exists()
        done = sparsecut("transform", "m.safetensors", "bare.csv", "--directed", "out", *common, folder=tmp_path)
        assert "was fitted on a graph with weights. The graph to transform has none" in done.stderr


def test_weights_that_an_update_brings_belong_to_the_graph(tmp_path: Path) -> None:
    graph = graph_of(is_directed=False, is_weighted=False)
    a, b = (int(end[0]) for end in np.nonzero(ARCS))
    model = sc.SCE(features="given").fit(graph)
    model.save(tmp_path / "model.safetensors", with_state=True)
    live = sc.load(tmp_path / "model.safetensors", in_place=True)
    live.update(features_changed={a: FEATURES[b]})
    assert not live.kind_.is_weighted  # type: ignore[union-attr]
    live.update(weights_changed=[(a, b, 5.0)])
    del live
    for again in (sc.load(tmp_path / "model.safetensors"), sc.load(tmp_path / "model.safetensors", in_place=True)):
        assert again.kind_ == GraphKind(is_directed=False, is_weighted=True)
        again.transform(again.graph_)  # without a warning
        with pytest.warns(OtherWeightsWarning):
            again.transform(graph)


def test_a_file_that_does_not_say_takes_any_graph(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    sc.SCE(features="given").fit(graph_of(is_directed=True, is_weighted=True)).save(path)
    header, tensors = read_model(path)
    assert json.loads(json.dumps(header["graph"])) == {"is_directed": True, "is_weighted": True}
    del header["graph"]
    write_model(path, header, tensors, overwrite=True)
    older = sc.load(path)
    assert older.kind_ is None
    older.transform(graph_of(is_directed=False, is_weighted=False))


def test_what_it_costs_to_be_wrong() -> None:
    """The reason for all this: the same edges without directions or weights are other vectors."""
    model = sc.SCE(features="given").fit(graph_of(is_directed=True, is_weighted=True))
    length = np.median(np.linalg.norm(model.embedding_, axis=1))
    with pytest.warns(OtherWeightsWarning):
        moved = model.transform(graph_of(is_directed=True, is_weighted=False)) - model.embedding_
    assert np.median(np.linalg.norm(moved, axis=1)) > 0.05 * length
