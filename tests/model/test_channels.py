"""Channels: each is what it is alone, scaled as documented; the whole embeds other graphs unless structure is part of it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from typer.testing import CliRunner

from conftest import load_or_skip, random_graph
from sparsecut import SCE, Adam, Difference, Disk, Graph, InputError, MoSCE, PageRank, Power, Symmetric, evaluate, load
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
    np.testing.assert_allclose(model.embedding_[:, :width], own, atol=1e-4)
    # A thousandth of the variance of the whole is left out.
    assert length(model.embedding_[:, width:]) ** 2 == pytest.approx(
        CONSTANTS.channels.structure_share * length(own) ** 2, rel=5e-3
    )


def test_structure_has_half_of_the_mean_square_length() -> None:
    model = SCE(features="both", filter=PageRank(restart=0.3)).fit(GRAPH)
    own = SCE(features="given", filter=PageRank(restart=0.3)).fit_transform(GRAPH)
    structure = SCE(features="structure").fit_transform(GRAPH)
    Z = model.embedding_
    first, last = Z[:, model.channels_["smoothed"]], Z[:, model.channels_["structure"]]
    np.testing.assert_allclose(first, own[:, : first.shape[1]], atol=1e-4)
    assert length(last) ** 2 == pytest.approx(CONSTANTS.channels.structure_share * length(own) ** 2, rel=5e-3)
    np.testing.assert_allclose(
        np.abs(last),
        np.abs(structure[:, : last.shape[1]]) * (length(own) * CONSTANTS.channels.structure_share**0.5 / length(structure)),
        atol=0.05,
    )
    assert "Structure has half of the mean square length of smoothed." in model.explain(details=True)
    assert f"The last {last.shape[1]} columns are the graph's structure." in model.explain()
    assert "in place of node features" not in model.explain()


def test_it_belongs_to_its_graph_and_its_features(tmp_path: Path) -> None:
    graph = random_graph(60)
    for model in (SCE(features="both"), MoSCE(features="both"), SCE(channels=("own", "structure"))):
        model.fit(graph)
        assert np.array_equal(model.transform(graph), model.embedding_)
        changed = np.array(graph.features)
        changed[3, 1] += 1
        others = (random_graph(60, seed=1), Graph(graph.adjacency, features=changed), Graph(graph.adjacency))
        for other in others:
            with pytest.raises(InputError, match=r"belongs to that graph and its features alone\. Fit the new graph"):
                model.transform(other)
        model.save(tmp_path / "model.safetensors", overwrite=True)
        loaded = load(tmp_path / "model.safetensors")
        assert loaded.explain() == model.explain()
        with pytest.raises(InputError, match="belongs to that graph and its features alone"):
            loaded.transform(graph)  # as with structure, the embedding itself is not in the file


def test_what_cannot_be_is_refused_before_any_work() -> None:
    calls: list[object] = []
    bare = Graph(GRAPH.adjacency)
    for model, given, why in (
        (SCE(features="both", engine="disk"), GRAPH, r"engine='disk'\) cannot take structure"),
        (SCE(features="both"), bare, "needs node features beside the structure.*features='auto'"),
        (SCE(features="both", solver=Adam(epochs=3)), GRAPH, r"trains one\. Use solver='closed_form'"),
        (SCE(channels=("own", "smoothed"), solver="adam"), GRAPH, r"trains one\. Use solver='closed_form'"),
        (SCE(channels="own", features="both"), GRAPH, "says which channels there are"),
        (SCE(channels="structure"), GRAPH, r"alone is features='structure'\. Use that"),
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


def test_noise_in_place_of_features_costs_little_with_both() -> None:
    """Nine in ten of Cora's nodes have another's words: structure alone is better, and both nearly keep up with it."""
    cora = load_or_skip("cora")
    generator = np.random.default_rng(0)
    order = np.arange(cora.n_nodes)
    moved = generator.choice(cora.n_nodes, 9 * cora.n_nodes // 10, replace=False)
    order[moved] = generator.permutation(moved)
    spoiled = Graph(cora.adjacency, features=sp.csr_array(cora.features)[order], labels=cora.labels)
    own, both, structure = (
        evaluate(SCE(features=part).fit_transform(spoiled), cora.labels, per_class=20, n_splits=5).mean
        for part in ("given", "both", "structure")
    )
    assert own + 8 < both
    assert both > structure - 5


@pytest.mark.slow
def test_the_shell_reaches_every_choice(tmp_path: Path) -> None:
    """`--use` is what `features=` is in Python; what cannot be is refused before the graph is looked for."""
    run = CliRunner().invoke
    for use in ("given", "structure", "both"):
        output = tmp_path / f"{use}.npy"
        said = run(app, ["embed", "digits", "--use", use, "--json", "-o", str(output)])
        assert said.exit_code == 0, said.output
        np.testing.assert_allclose(np.load(output), SCE(features=use).fit_transform(load_or_skip("digits")), atol=1e-4)
    assert "this graph alone" in " ".join(json.loads(said.stdout)["history"]["notes"])
    said = run(app, ["embed", "digits", "--channels", "own,smoothed", "-o", str(tmp_path / "two.npy")])
    assert said.exit_code == 0, said.output
    two = SCE(channels=("own", "smoothed")).fit_transform(load_or_skip("digits"))
    np.testing.assert_allclose(np.load(tmp_path / "two.npy"), two, atol=1e-4)
    for arguments, why in (
        (["--use", "all"], "The --use parameter of embed must be one of 'auto', 'given', 'structure', 'both'"),
        (["--use", "both", "--engine", "disk"], "cannot take structure: --use both needs --engine memory"),
        (["--use", "both", "--method", "pca"], "The method pca has no use to set. Leave --use out"),
        (["--channels", "far"], "'own', 'smoothed', 'neighbors', 'difference', 'structure'"),
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
        assert (said.stderr + said.stdout).count("in place of node features") == 1
