"""Channels: each is what it is alone, scaled as documented; the whole embeds other graphs unless structure is part of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from typer.testing import CliRunner

from conftest import load_or_skip, random_graph
from sparsecut import SCE, Adam, Difference, Disk, Graph, InputError, MoSCE, PageRank, Power, Symmetric, evaluate, load
from sparsecut.base.errors import DimensionWarning
from sparsecut.cli import app
from sparsecut.model.auto.constants import CONSTANTS
from sparsecut.model.channels import ChannelPart, check_channels, describe, side_by_side
from sparsecut.operators.aggregation import Projection

GRAPH = random_graph(200, 20, seed=1)
ALONE = {"own": Power(order=0), "smoothed": PageRank(restart=0.3), "neighbors": Power(order=2), "difference": Difference()}


def length(Z: np.ndarray) -> float:
    return float(np.sqrt(np.square(Z.astype(np.float64)).sum(axis=1).mean()))


@pytest.mark.parametrize("is_sparse", [False, True], ids=["dense", "sparse"])
def test_every_channel_is_what_its_filter_gives_alone(is_sparse: bool) -> None:
    graph = random_graph(200, 20, seed=1, is_sparse=is_sparse)
    weights = {"own": 0.5, "smoothed": 1.0, "neighbors": 0.25, "difference": 0.8}
    model = SCE(filter=ALONE["smoothed"], channels=weights, dimension=80).fit(graph)
    lead = length(SCE(filter=ALONE["smoothed"], dimension=20).fit_transform(graph))
    for name, columns in model.channels_.items():
        alone = SCE(filter=ALONE[name], dimension=20).fit_transform(graph)
        scaled = alone * (lead * weights[name] / length(alone))
        np.testing.assert_allclose(model.embedding_[:, columns], scaled, atol=2e-4 * lead)
    assert list(model.channels_) == list(weights)
    assert model.embedding_.shape == (200, 80)


@pytest.mark.parametrize("engine", ["memory", "disk"])
def test_a_model_with_channels_embeds_other_graphs(engine: str, tmp_path: Path) -> None:
    choice = Disk(scratch=tmp_path) if engine == "disk" else "memory"
    channels = {"own": 1.0, "smoothed": 0.5, "difference": 0.7}
    here, there = SCE(channels=channels).fit(GRAPH), SCE(channels=channels, engine=choice).fit(GRAPH)
    np.testing.assert_allclose(there.embedding_, here.embedding_, atol=1e-4)
    np.testing.assert_allclose(there.transform(GRAPH), here.embedding_, atol=1e-4)
    there.save(tmp_path / "model.safetensors")
    loaded = load(tmp_path / "model.safetensors")
    other = random_graph(70, 20, seed=5)
    np.testing.assert_allclose(loaded.transform(other), here.transform(other), atol=1e-4)
    assert loaded.channels_ == here.channels_
    assert loaded.get_params()["channels"] == channels
    assert loaded.explain() == there.explain()


def test_channels_of_different_matrices_are_loaded_apart() -> None:
    """The neighbours' mean is not a polynomial of the symmetric matrix."""
    model = SCE(filter=Symmetric(order=2), channels=("neighbors", "smoothed"), dimension=40).fit(GRAPH)
    for name, filter in (("neighbors", Power(order=2)), ("smoothed", Symmetric(order=2))):
        alone = SCE(filter=filter, dimension=20).fit_transform(GRAPH)
        part = model.embedding_[:, model.channels_[name]]
        np.testing.assert_allclose(part / length(part), alone / length(alone), atol=1e-3)
    np.testing.assert_allclose(model.transform(GRAPH), model.embedding_, atol=1e-3)


def test_the_columns_with_the_largest_variances_are_kept() -> None:
    """By hand: two channels with variances 4, 1 and 1, 0.01 of equal length after scaling."""
    parts = [
        ChannelPart(Projection((torch.eye(2),), "mean"), torch.diag(torch.tensor([4.0, 1.0], dtype=torch.float64)), 1.0),
        ChannelPart(
            Projection((torch.eye(2) * 2,), "mean"), torch.diag(torch.tensor([1.0, 0.01], dtype=torch.float64)), 0.5
        ),
    ]
    joined = side_by_side(parts, 3)
    factor = np.sqrt(5) * 0.5 / np.sqrt(1.01)
    assert [matrix.shape[1] for matrix in joined.weights] == [2, 1]
    np.testing.assert_allclose(joined.weights[1].numpy(), [[2 * factor], [0]], rtol=1e-6)
    assert joined.offset is None
    assert [matrix.shape[1] for matrix in side_by_side(parts, 2).weights] == [1, 1]  # none goes without a column
    assert side_by_side(parts, None).dimension == 4
    tiny = [parts[0], ChannelPart(parts[1].projection, parts[1].scatter, 0.01)]
    assert [matrix.shape[1] for matrix in side_by_side(tiny, None).weights] == [2, 1]


def test_structure_beside_levels_that_are_averaged() -> None:
    """MoSCE's mean over levels, and structure's, as one mean over all of them: each part is as long as it should be."""
    model = MoSCE(features="both", levels=2).fit(GRAPH)
    own = MoSCE(features="given", levels=2).fit_transform(GRAPH)
    width = own.shape[1]
    kept = model.embedding_[:, :width]
    np.testing.assert_allclose(kept, own, atol=1e-4)
    # A thousandth of the variance of the whole is left out.
    expected = CONSTANTS.graph_channels.unmeasured_structure * length(own)
    assert length(model.embedding_[:, width:]) == pytest.approx(expected, rel=2e-2)


def test_channels_of_the_graph_are_those_that_stand_alone() -> None:
    weights = {"smoothed": 1.0, "structure": 0.5, "roles": 0.3}
    model = SCE(channels=weights, filter=PageRank(restart=0.3), dimension=500)
    with pytest.warns(DimensionWarning):
        Z = model.fit_transform(GRAPH)
    parts = {name: Z[:, columns] for name, columns in model.channels_.items()}
    assert list(parts) == ["smoothed", "structure", "roles", "roles_1", "roles_2"]
    for name in ("structure", "roles"):
        with pytest.warns(DimensionWarning):
            alone = SCE(channels=name, dimension=500).fit(GRAPH)
        lone = alone.embedding_[:, alone.channels_[name]]
        part = parts[name]
        found, expected = part @ part.T / length(part) ** 2, lone @ lone.T / length(lone) ** 2
        # Beside features places have half as many columns, which hold nearly all of it.
        assert np.abs(found - expected).max() < (0.15 if name == "structure" else 1e-3)
    assert length(parts["structure"]) == pytest.approx(0.5 * length(parts["smoothed"]), rel=2e-2)
    roles = np.concatenate([parts[name] for name in ("roles", "roles_1", "roles_2")], axis=1)
    assert length(roles) == pytest.approx(0.3 * length(parts["smoothed"]), rel=2e-2)


def test_what_cannot_be_is_refused_before_any_work() -> None:
    calls: list[object] = []
    bare = Graph(GRAPH.adjacency)
    for model, given, why in (
        (SCE(features="both"), bare, "needs node features beside the structure.*features='auto'"),
        (SCE(features="both", solver=Adam(epochs=3)), GRAPH, r"trains one\. Use solver='closed_form'"),
        (SCE(channels=("own", "smoothed"), solver="adam"), GRAPH, r"trains one\. Use solver='closed_form'"),
        (SCE(channels="own", features="both"), GRAPH, "says which channels there are"),
        (SCE(channels=("structure", "roles"), dimension=3), GRAPH, "no column for each of 4 channels"),
        (SCE(channels="own"), bare, "made of node features, and the graph has none"),
        (SCE(channels=("own", "smoothed"), dimension=1), GRAPH, "no column for each of 2 channels"),
        (SCE(channels="far"), GRAPH, r"must be 'auto', one or several of 'own', 'smoothed'.*Got \('far',\)"),
        (SCE(channels={"own": 0}), GRAPH, "must be a finite number above 0"),
        (SCE(channels=3), GRAPH, "Got 3 instead"),
        (SCE(channels=("own", "own")), GRAPH, r"Got \('own', 'own'\) instead"),
        (SCE(channels=[]), GRAPH, r"Got \[\] instead"),
    ):
        with pytest.raises(InputError, match=why):
            model.fit(given, progress=lambda *stage: calls.append(stage))
    with pytest.raises(InputError, match="cannot write a file"):
        SCE(features="both").fit(GRAPH, output="Z.npy", progress=lambda *stage: calls.append(stage))
    assert not calls


def test_words_for_weights() -> None:
    assert check_channels("SCE", "auto") is None
    assert check_channels("SCE", "own") == {"own": 1.0}
    assert check_channels("SCE", ("smoothed", "own")) == {"smoothed": 1.0, "own": 1.0}
    assert describe({"own": 0.35, "smoothed": 1.0}) == "own × 0.35 beside smoothed"
    assert describe({"own": 1.0}) == "own"


def test_one_channel_is_the_filter_alone() -> None:
    for name, filter in ALONE.items():
        model = SCE(filter=ALONE["smoothed"], channels=name)
        np.testing.assert_array_equal(model.fit_transform(GRAPH), SCE(filter=filter).fit_transform(GRAPH))
        assert model.channels_ == {name: slice(0, model.embedding_.shape[1])}


def test_features_of_other_nodes_are_doubted_and_structure_weighs_more() -> None:
    """Nine in ten of Cora's nodes have another's words: the default leans on the graph, and says what to set."""
    cora = load_or_skip("cora")
    generator = np.random.default_rng(0)
    order = np.arange(cora.n_nodes)
    moved = generator.choice(cora.n_nodes, 9 * cora.n_nodes // 10, replace=False)
    order[moved] = generator.permutation(moved)
    spoiled = Graph(cora.adjacency, features=sp.csr_array(cora.features)[order], labels=cora.labels)
    models = SCE(features="given").fit(spoiled), SCE().fit(spoiled)
    given, default = (evaluate(model.embedding_, cora.labels, per_class=20, n_splits=5).mean for model in models)
    assert given + 20 < default
    assert models[1].recipe_.channels["structure"] >= CONSTANTS.graph_channels.doubted
    assert "Set features='structure' to leave them out" in models[1].explain()


@pytest.mark.slow
def test_the_shell_reaches_every_choice(tmp_path: Path) -> None:
    """`--use` is what `features=` is in Python; what cannot be is refused before the graph is looked for."""
    run = CliRunner().invoke
    for use in ("given", "structure", "both"):
        output = tmp_path / f"{use}.npy"
        said = run(app, ["embed", "digits", "--use", use, "--json", "-o", str(output)])
        assert said.exit_code == 0, said.output
        np.testing.assert_allclose(np.load(output), SCE(features=use).fit_transform(load_or_skip("digits")), atol=1e-4)
    said = run(app, ["embed", "digits", "--channels", "own,smoothed", "-o", str(tmp_path / "two.npy")])
    assert said.exit_code == 0, said.output
    two = SCE(channels=("own", "smoothed")).fit_transform(load_or_skip("digits"))
    np.testing.assert_allclose(np.load(tmp_path / "two.npy"), two, atol=1e-4)
    for arguments, why in (
        (["--use", "all"], "The --use parameter of embed must be one of 'auto', 'given', 'structure', 'both'"),
        (["--use", "both", "--method", "pca"], "The method pca has no use to set. Leave --use out"),
        (["--channels", "far"], "'own', 'smoothed', 'neighbors', 'difference', 'structure', 'roles'"),
    ):
        said = run(app, ["embed", "no-such-file.csv", *arguments, "-o", str(tmp_path / "Z.npy")])
        assert why in str(said.exception)


def test_a_note_is_made_once(tmp_path: Path) -> None:
    """The warning of a meaningless embedding is in the notes as well; at the shell it is read once, with --explain too."""
    (tmp_path / "edges.csv").write_text("a,b\nb,c\na,c\n")
    for more in ([], ["--explain"]):
        said = CliRunner().invoke(
            app, ["embed", str(tmp_path / "edges.csv"), *more, "--force", "-o", str(tmp_path / "Z.npy")]
        )
        assert said.exit_code == 0, said.output
        assert said.stderr.count("every node has the same vector") == 1
