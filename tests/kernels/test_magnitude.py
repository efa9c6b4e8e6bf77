"""Numbers too large for float32 are named by their place; large ones that still work are not refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from typer.testing import CliRunner

from conftest import random_graph
from sparsecut import SCE, Adam, Graph, InputError, MoSCE
from sparsecut.cli import app
from sparsecut.lab.baselines import SmoothedFeatures, SmoothedPCA

ADJACENCY = random_graph(50).adjacency

pytestmark = pytest.mark.filterwarnings(
    "ignore::sparsecut.base.errors.ScaleWarning"
)  # one huge number is said to drown the others
KINDS = {"dense": np.asarray, "sparse": sp.csr_array, "coordinates": sp.coo_array}


def rows_with(value: float, row: int = 7, column: int = 2) -> np.ndarray:
    rows = np.random.default_rng(0).normal(size=(50, 6))
    rows[row, column] = value
    return rows


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("value", [1e39, -2.5e300])
def test_a_float64_beyond_float32_is_named_when_the_graph_is_made(kind: str, value: float) -> None:
    expected = rf"One feature is too large for float32\. Got {value:g} in row 7, column 2\. Scale the features down".replace(
        "+", r"\+"
    )
    with pytest.raises(InputError, match=expected):
        Graph(ADJACENCY, features=KINDS[kind](rows_with(value)))


def test_words_and_objects_are_told_the_same() -> None:
    for rows in (rows_with(1e39).astype(object), rows_with(1e39).astype(str)):
        with pytest.raises(InputError, match=r"too large for float32\. Got 1e\+39 in row 7, column 2"):
            Graph(ADJACENCY, features=rows)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_what_is_not_finite_is_told_as_that(kind: str, value: float) -> None:
    with pytest.raises(InputError, match=rf"must be finite\. Got {value:g} in row 7, column 2\. Fill or drop"):
        Graph(ADJACENCY, features=KINDS[kind](rows_with(value)))


@pytest.mark.parametrize(
    "model", [SCE(), SCE(solver=Adam(epochs=3)), MoSCE(), SCE(features="both")], ids=["closed", "adam", "mosce", "both"]
)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("value", [1e38, -1e30, 1e22])
def test_a_float32_whose_squares_overflow_is_named_by_fit(kind: str, value: float, model: Any) -> None:
    graph = Graph(ADJACENCY, features=KINDS[kind](rows_with(value).astype(np.float32)))
    with pytest.raises(InputError, match=r"too large for float32: .*row 7, column 2\. Scale the features down") as caught:
        model.fit(graph)
    assert f"Got {value:g}" in str(caught.value)


@pytest.mark.parametrize("value", [1e38, 3e38])
def test_counts_that_are_weighted_first_are_named_too(value: float) -> None:
    """tf-idf multiplies the columns before any row is scaled."""
    rows = np.abs(np.rint(3 * rows_with(0)))
    rows[:, 2] = 0
    rows[7, 2] = value  # a column that is there once weighs most
    for features in (rows, sp.csr_array(rows)):
        with pytest.raises(InputError, match=r"too large for float32: .*row 7, column 2"):
            SCE(weighting="tf-idf").fit(Graph(ADJACENCY, features=features))


def test_a_memory_map_is_searched_in_blocks_and_named(tmp_path: Path) -> None:
    np.save(tmp_path / "features.npy", rows_with(1e38).astype(np.float32))
    graph = Graph(ADJACENCY, features=np.load(tmp_path / "features.npy", mmap_mode="r"))
    for model in (SCE(), SCE(engine="disk"), MoSCE(engine="disk")):
        with pytest.raises(InputError, match=r"too large for float32: .*Got 1e\+38 in row 7, column 2"):
            model.fit(graph)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["features.npy"]


@pytest.mark.parametrize("engine", ["memory", "disk"])
@pytest.mark.parametrize("is_sparse", [False, True])
def test_transform_names_it_and_leaves_no_file(tmp_path: Path, engine: str, is_sparse: bool) -> None:
    model = SCE(engine=engine).fit(Graph(ADJACENCY, features=rows_with(0)))
    rows = rows_with(3e38).astype(np.float32)
    rows[7] = 3e38
    graph = Graph(ADJACENCY, features=sp.csr_array(rows) if is_sparse else rows)
    output = tmp_path / "Z.npy" if engine == "disk" else None
    with pytest.raises(InputError, match=r"too large for float32: .*Got 3e\+38 in row 7"):
        model.transform(graph, output=output)
    assert output is None or not output.exists()


@pytest.mark.parametrize("model", [SmoothedFeatures(), SmoothedPCA(dimension=3)], ids=repr)
def test_the_baselines_name_it(model: Any) -> None:
    rows = np.where(np.arange(50)[:, None] % 2, 3e38, 2.9e38) * np.ones((50, 6))
    with pytest.raises(InputError, match="too large for float32"):
        model.fit(Graph(ADJACENCY * 1e3, features=rows))


def with_weight(value: float) -> Any:
    A = ADJACENCY.toarray().astype(np.float64)
    i, j = np.argwhere(A)[0]
    A[i, j] = A[j, i] = value
    return A, f"between the nodes at positions {i} and {j}"


@pytest.mark.parametrize("kind", KINDS)
def test_an_edge_weight_beyond_float32_is_named(kind: str) -> None:
    A, place = with_weight(1e39)
    with pytest.raises(InputError, match=rf"One edge weight is too large for float32\. Got 1e\+39 {place}\. Scale the edge"):
        Graph(KINDS[kind](A))
    with pytest.raises(InputError, match=rf"edge weights must be finite\. Got inf {place}"):
        Graph(KINDS[kind](with_weight(np.inf)[0]))


def test_edges_given_twice_are_summed_before_they_are_judged() -> None:
    twice = sp.coo_array((np.full(4, 3e38, dtype=np.float32), ([0, 0, 1, 1], [1, 1, 0, 0])), shape=(3, 3))
    with pytest.raises(InputError, match=r"too large for float32\. Got 6e\+38 between the nodes at positions 0 and 1"):
        Graph(twice)


@pytest.mark.parametrize("engine", ["memory", "disk"])
@pytest.mark.filterwarnings("ignore::sparsecut.base.errors.OtherWeightsWarning")
def test_an_edge_weight_whose_products_overflow_is_named_by_fit_and_transform(engine: str) -> None:
    A, place = with_weight(3e38)
    rows = 20 + rows_with(0)
    with pytest.raises(InputError, match=rf"One edge weight is too large for float32: .*Got 3e\+38 {place}"):
        SCE(engine=engine, weighting="none").fit(Graph(A, features=rows))
    fitted = SCE(engine=engine, weighting="none").fit(Graph(ADJACENCY, features=rows))
    with pytest.raises(InputError, match=rf"One edge weight is too large for float32: .*Got 3e\+38 {place}"):
        fitted.transform(Graph(A, features=rows))


@pytest.mark.parametrize("value", [1e9, 1e15])
def test_large_features_that_work_are_embedded_as_small_ones_are(value: float) -> None:
    rows = rows_with(0)
    small, large = (SCE().fit_transform(Graph(ADJACENCY, features=scale * rows)) for scale in (1.0, value))
    np.testing.assert_allclose(large, small, atol=1e-3)


def test_features_too_small_to_train_on_are_not_told_to_shrink() -> None:
    with pytest.raises(InputError, match=r"too small to train on in float32.*Scale them up"):
        SCE(solver=Adam(epochs=5)).fit(Graph(ADJACENCY, features=1e-12 * rows_with(1)))


@pytest.mark.parametrize("engine", ["memory", "disk"])
def test_files_name_the_row_and_the_column(engine: str, tmp_path: Path) -> None:
    edges, weighted, features = (tmp_path / name for name in ("edges.csv", "weighted.csv", "features.csv"))
    edges.write_text("source,target\na,b\nb,c\nc,d\n")
    weighted.write_text("source,target,weight\na,b,1\nb,c,1e39\n")
    features.write_text("id,age,income\na,1,2\nb,3,1e39\nc,4,5\nd,1,1\n")
    run = CliRunner().invoke
    said = run(app, ["embed", str(weighted), "--engine", engine, "-o", str(tmp_path / "Z.npy")])
    assert said.exit_code != 0
    assert (
        "an edge weight that is too large for float32 in column 'weight'. Got 1e+39 in row 2. Scale the edge weights"
        in str(said.exception)
    )
    arguments = ["embed", str(edges), "--features", str(features), "--engine", engine, "-o", str(tmp_path / "Z.npy")]
    said = run(app, [*arguments, "--no-scale"])
    assert said.exit_code != 0
    assert "One feature is too large for float32. Got 1e+39 in row" in str(said.exception)
    assert not (tmp_path / "Z.npy").exists()
