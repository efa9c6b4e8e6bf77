"""features="both": the two parts are what they are alone, weighted as documented, and belong to their graph."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from typer.testing import CliRunner

from conftest import load_or_skip, random_graph
from sparsecut import SCE, Adam, Graph, InputError, MoSCE, evaluate, load
from sparsecut.cli import app
from sparsecut.model.both import STRUCTURE_SHARE, structure_weight

BOTH = pytest.mark.parametrize("estimator", [SCE, MoSCE])


@BOTH
@pytest.mark.parametrize("is_sparse", [False, True])
def test_the_parts_are_those_that_each_gives_alone(estimator: type[SCE], is_sparse: bool) -> None:
    graph = random_graph(60, is_sparse=is_sparse)
    model = estimator(features="both")
    Z = model.fit_transform(graph)
    own, structure = (estimator(features=part).fit_transform(graph) for part in ("given", "structure"))
    width = own.shape[1]
    np.testing.assert_array_equal(Z[:, :width], own)
    lengths = [np.square(part.astype(np.float64)).sum(axis=1).mean() for part in (Z[:, :width], Z[:, width:])]
    assert lengths[1] == pytest.approx(STRUCTURE_SHARE * lengths[0], rel=1e-5)
    np.testing.assert_allclose(
        Z[:, width:], structure * np.sqrt(lengths[1] / np.square(structure).sum(axis=1).mean()), rtol=1e-4
    )
    # The weights are in the weights too: structure's are scaled as its columns are.
    assert len(model.weights_) == 2 * len(estimator(features="given").fit(graph).weights_)
    assert len(model.offset_) == Z.shape[1]


def test_explain_names_both_parts_and_their_weight() -> None:
    model = SCE(features="both").fit(random_graph(60))
    lines = model.explain().splitlines()
    assert any(line.startswith("Features: weighting") for line in lines)
    assert any(line.startswith("Structure: filter") for line in lines)
    (said,) = [line for line in lines if "mean square length" in line]
    assert "The features are the first 12 columns" in said
    assert "it has 0.5 of their mean square length" in said
    assert not any("took the place" in line for line in lines)


def test_a_dimension_is_halved() -> None:
    graph = random_graph(60)
    assert SCE(features="both", dimension=9).fit_transform(graph).shape == (60, 9)
    assert "the first 5 columns, structure is the last 4" in SCE(features="both", dimension=9).fit(graph).history_.notes[-1]
    with pytest.raises(InputError, match=r"needs a dimension for each of its two parts\. Got 1"):
        SCE(features="both", dimension=1).fit(graph)


@BOTH
def test_it_belongs_to_its_graph_and_its_features(estimator: type[SCE], tmp_path: Path) -> None:
    graph = random_graph(60)
    model = estimator(features="both").fit(graph)
    assert np.array_equal(model.transform(graph), model.embedding_)
    changed = np.array(graph.features)
    changed[3, 1] += 1
    others = (random_graph(60, seed=1), Graph(graph.adjacency, features=changed), Graph(graph.adjacency))
    for other in others:
        with pytest.raises(InputError, match=r"belongs to that graph and its features alone\. Fit the new graph"):
            model.transform(other)
    model.save(tmp_path / "model.safetensors")
    loaded = load(tmp_path / "model.safetensors")
    assert loaded.explain() == model.explain()
    assert loaded.get_params() == model.get_params()
    with pytest.raises(InputError, match="belongs to that graph and its features alone"):
        loaded.transform(graph)  # as with structure, the embedding itself is not in the file


def test_what_cannot_be_is_refused_before_any_work() -> None:
    graph, calls = random_graph(), []

    def progress(*stage: object) -> None:
        calls.append(stage)

    for model, given, why in (
        (SCE(features="both", engine="disk"), graph, r"engine='disk'\) cannot put structure beside.*features='given'"),
        (SCE(features="both"), Graph(graph.adjacency), "needs node features beside the structure.*features='auto'"),
        (
            SCE(features="both", solver=Adam(epochs=3)),
            graph,
            r"solved in closed form, not trained\. Use solver='closed_form'",
        ),
        (SCE(features="both", solver="adam"), graph, r"Use solver='closed_form'"),
    ):
        with pytest.raises(InputError, match=why):
            model.fit(given, progress=progress)
    with pytest.raises(InputError, match="writes no file"):
        SCE(features="both").fit(graph, output="Z.npy", progress=progress)
    assert not calls


def test_a_part_that_is_zero_leaves_the_other_as_it_is() -> None:
    rows = np.ones((4, 2), dtype=np.float32)
    assert structure_weight(0 * rows, rows) == structure_weight(rows, 0 * rows) == 1.0
    assert structure_weight(2 * rows, rows) == pytest.approx((STRUCTURE_SHARE * 4) ** 0.5)


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


def test_the_shell_reaches_every_choice(tmp_path: Path) -> None:
    """`--use` is what `features=` is in Python; what cannot be is refused before the graph is looked for."""
    run = CliRunner().invoke
    for use in ("given", "structure", "both"):
        output = tmp_path / f"{use}.npy"
        said = run(app, ["embed", "digits", "--use", use, "--json", "-o", str(output)])
        assert said.exit_code == 0, said.output
        np.testing.assert_allclose(np.load(output), SCE(features=use).fit_transform(load_or_skip("digits")), atol=1e-4)
    assert "mean square length" in " ".join(json.loads(said.stdout)["history"]["notes"])
    for arguments, why in (
        (["--use", "all"], "The --use parameter of embed must be one of 'auto', 'given', 'structure', 'both'"),
        (["--use", "both", "--engine", "disk"], "cannot take structure: --use both needs --engine memory"),
        (["--use", "both", "--method", "pca"], "The method pca has no use to set. Leave --use out"),
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
        assert said.stderr.count("tells no node from another") == 1
        assert said.stderr.count("Structure took the place") + said.stdout.count("Structure took the place") == 1
