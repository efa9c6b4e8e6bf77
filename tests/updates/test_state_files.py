"""A state in a file: it goes on as if it had never been saved."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from changing import Shadow
from conftest import random_graph
from sparsecut import SCE, Graph, InputError, MoSCE, PageRank, Power, load
from sparsecut.updates.state_files import read_state


@pytest.mark.parametrize("kind", ["dense", "sparse", "directed", "words", "mosce"])
def test_a_saved_state_goes_on(kind: str, tmp_path: Path) -> None:
    graph = random_graph(50, 9, seed=1, is_weighted=True, is_sparse=kind == "sparse")
    if kind == "directed":
        graph = Graph(np.triu(graph.adjacency.toarray()), features=graph.features, directed="out")
    if kind == "words":
        graph = graph.replace(node_ids=np.array([f"n{place}" for place in range(50)]))
    model = MoSCE() if kind == "mosce" else SCE(channels=("own", "smoothed"), filter=PageRank(restart=0.3), dimension=10)
    model.fit(graph)
    shadow, generator = Shadow(graph), np.random.default_rng(0)
    for number in range(6):
        batch = shadow.random_batch(generator)
        shadow.apply(batch)
        model.update(**batch, tolerance=0.05)  # rows are left behind, and the file knows by how much
        if number == 2:
            model.save(tmp_path / "model.safetensors", with_state=True)
            kept = load(tmp_path / "model.safetensors")
        elif number > 2:
            kept.update(**batch, tolerance=0.05)
            np.testing.assert_allclose(kept.embedding_, model.embedding_, atol=1e-4)
            assert kept.span_drift_ == pytest.approx(model.span_drift_, abs=1e-5)
            assert kept.graph_.node_ids.tolist() == list(shadow.nodes)
            np.testing.assert_allclose(kept.transform(shadow.graph()), model.transform(shadow.graph()), atol=1e-5)
    kept.update(tolerance=0)
    np.testing.assert_allclose(kept.embedding_, kept.transform(shadow.graph()), atol=1e-4)


def test_a_file_without_a_state_stays_what_it_was(tmp_path: Path) -> None:
    model = SCE(filter=Power(order=1)).fit(random_graph())
    model.update(features_changed={0: np.ones(12)})
    model.save(tmp_path / "model.safetensors")
    again = load(tmp_path / "model.safetensors")
    assert not hasattr(again, "embedding_")
    with pytest.raises(InputError, match="without its state"):
        load(tmp_path / "model.safetensors", in_place=True)


def test_saving_in_its_own_place_takes_the_log_in(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    SCE(filter=Power(order=1)).fit(random_graph()).save(path, with_state=True)
    model = load(path, in_place=True)
    model.update(features_changed={0: np.ones(12)})
    size = Path(f"{path}.log").stat().st_size
    model.save(path, with_state=True)
    assert size > 0
    assert Path(f"{path}.log").stat().st_size == 0
    model.update(features_changed={1: np.ones(12)})
    np.testing.assert_allclose(load(path).embedding_, model.embedding_, atol=1e-6)
    model.refit()
    np.testing.assert_allclose(load(path).embedding_, model.embedding_, atol=1e-4)
    model.update(features_changed={2: np.ones(12)})
    np.testing.assert_allclose(load(path).embedding_, model.embedding_, atol=1e-4)


def test_a_state_of_an_earlier_version_is_refused_with_what_to_do() -> None:
    model = SCE(filter=Power(order=1)).fit(random_graph())
    given = model.recipe_, model.weights_, model.offset_, None, model.columns_
    with pytest.raises(InputError, match=r"earlier version .* with_state=True"):
        read_state({"number": 3, "rank": 16.0}, {}, *given)
