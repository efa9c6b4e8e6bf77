"""Nodes by id: subgraphs and pairs of any graph agree with those of the same graph by position."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sparsecut as sc
from conftest import random_graph
from sparsecut.graph import Graph
from sparsecut.graph.node_ids import find_nodes, pack_ids, unpack_ids

PLAIN = random_graph()  # ids 0..n−1
N = PLAIN.n_nodes


def named(ids: list[Any]) -> Graph:
    return Graph(PLAIN.adjacency, features=PLAIN.features, node_ids=ids)


WORDS = named([f"n{(7 * node) % N}" for node in range(N)])
# Integers that are all positions too, of other nodes: the nastiest case.
TURNED = named([(node + 11) % N for node in range(N)])
GAPS = named([10 * node + 5 for node in range(N)])


@pytest.mark.parametrize("graph", [WORDS, TURNED, GAPS], ids=["words", "turned", "gaps"])
def test_a_subgraph_by_ids_is_the_one_by_positions(graph: Graph) -> None:
    positions = np.array([7, 3, 20])
    expected = graph.adjacency.toarray()[np.ix_(positions, positions)]
    ids = graph.node_ids[positions]
    for nodes in (ids, ids.tolist(), tuple(ids.tolist()), iter(ids.tolist()), pandas.Series(ids), pandas.Index(ids),
                  polars.Series(ids), ids.astype(object)):  # fmt: skip
        part = graph.subgraph(nodes)
        assert part.node_ids.tolist() == ids.tolist()
        assert np.array_equal(part.adjacency.toarray(), expected)
        assert np.array_equal(part.features, graph.features[positions])
    assert graph.subgraph(positions=positions).node_ids.tolist() == ids.tolist()
    assert graph.subgraph(set(ids.tolist())).node_ids.tolist() == graph.node_ids[np.sort(positions)].tolist()


def test_a_mask_goes_by_position_and_a_series_by_its_index() -> None:
    mask = np.zeros(N, dtype=bool)
    mask[[3, 7]] = True
    expected = WORDS.node_ids[[3, 7]].tolist()
    assert WORDS.subgraph(mask).node_ids.tolist() == expected
    assert WORDS.subgraph(mask.tolist()).node_ids.tolist() == expected
    assert WORDS.subgraph(pandas.Series(mask)).node_ids.tolist() == expected
    shuffled = pandas.Series(mask, index=WORDS.node_ids).sample(frac=1, random_state=0)
    assert WORDS.subgraph(shuffled).node_ids.tolist() == expected
    assert WORDS.subgraph(shuffled.astype("boolean")).node_ids.tolist() == expected
    with pytest.raises(sc.InputError, match="index of the mask given to subgraph names nodes that the graph does not have"):
        WORDS.subgraph(pandas.Series(mask, index=[f"x{node}" for node in range(N)]))
    with pytest.raises(sc.InputError, match=f"needs an entry for each of the {N} nodes. Got 2"):
        WORDS.subgraph([True, False])


@pytest.mark.parametrize(
    ("graph", "nodes", "expected"),
    [
        (WORDS, ["n1", "who", "is it"], "subgraph names nodes that the graph does not have: 'who', 'is it'. Its ids are "
                                        "'n0', 'n7', 'n14' and more; the id of the node at position i is graph.node_ids[i]"),
        (WORDS, [3], "subgraph names nodes that the graph does not have: 3."),
        (GAPS, [0, 5], "subgraph names nodes that the graph does not have: 0. Its ids are integers from 5 to 395;"),
        (GAPS, ["5"], "subgraph names nodes that the graph does not have: '5'."),
        (GAPS, [5, True], "subgraph names nodes that the graph does not have: True."),
        (GAPS, [5, None], "subgraph names nodes that the graph does not have: None."),
        (GAPS, [5, [15]], "subgraph names nodes that the graph does not have: [15]."),
        (WORDS, "n1", "subgraph takes a list of node ids or a boolean mask. Got 'n1': pass ['n1'] for one node."),
        (GAPS, 5, "subgraph takes a list of node ids or a boolean mask. Got 5: pass [5] for one node."),
        (GAPS, np.array([[5, 15]]), "subgraph takes a one-dimensional list of node ids. Got shape (1, 2)."),
        (GAPS, None, "subgraph takes nodes by id or by position. Pass subgraph(ids) or subgraph(positions=[...])."),
    ],
)  # fmt: skip
def test_unknown_ids_are_named_and_positions_are_not_taken_for_ids(graph: Graph, nodes: Any, expected: str) -> None:
    with pytest.raises(sc.InputError) as caught:
        graph.subgraph(nodes)
    assert str(caught.value).startswith(expected)


@pytest.mark.parametrize("positions", [[0, N], [-1], [0.5], [[0]], ["0"]])
def test_positions_out_of_range_are_refused(positions: Any) -> None:
    with pytest.raises(sc.InputError, match=f"positions given to subgraph must be whole numbers from 0 to {N - 1}"):
        PLAIN.subgraph(positions=positions)


@pytest.mark.slow
@given(st.lists(st.integers(-50, 50) | st.text(max_size=3), unique=True, min_size=1, max_size=30), st.data())
def test_ids_are_found_where_they_stand(ids: list[Any], data: st.DataObject) -> None:
    kind = type(ids[0])
    ids = [identity for identity in ids if type(identity) is kind]
    ids = [identity for identity in ids if "\0" not in str(identity)]  # numpy cuts such words short
    if not ids:
        return
    asked = data.draw(st.lists(st.sampled_from(ids), max_size=20))
    assert find_nodes(asked, np.array(ids), "test").tolist() == [ids.index(identity) for identity in asked]


PAIRS = [(0, 5), (3, 8), (12, 1)]


def with_pairs(name: str, pairs: Any) -> sc.SCE:
    """An estimator that is given pairs as `apart`, or as `negatives`."""
    return sc.SCE(dimension=4, **{name: sc.Pairs(pairs) if name == "negatives" else pairs})


def pairs_of(model: Any, name: str) -> list[tuple[Any, ...]]:
    pairs = model.negatives.pairs if name == "negatives" else model.apart
    return [tuple(row) for row in pairs]


@pytest.mark.parametrize("graph", [WORDS, TURNED, GAPS], ids=["words", "turned", "gaps"])
@pytest.mark.parametrize("weights", [None, [1.0, 0.25, 3.0]], ids=["plain", "weighted"])
@pytest.mark.parametrize("name", ["apart", "negatives"])
def test_pairs_by_ids_are_the_pairs_by_positions(graph: Graph, weights: list[float] | None, name: str) -> None:
    rows = [(*pair, *(() if weights is None else (weights[row],))) for row, pair in enumerate(PAIRS)]
    by_id = [(*graph.node_ids[list(row[:2])].tolist(), *row[2:]) for row in rows]
    expected = with_pairs(name, rows).fit_transform(PLAIN)
    forms = [by_id, np.array(by_id, dtype=object), pandas.DataFrame(by_id), polars.DataFrame(by_id, orient="row")]
    for pairs in forms if graph is WORDS else [*forms, np.array(by_id)]:
        assert np.array_equal(with_pairs(name, pairs).fit_transform(graph), expected)
    close = sc.keep_close(graph, by_id)
    assert (close.adjacency != sc.keep_close(PLAIN, rows).adjacency).nnz == 0
    assert (close.adjacency != graph.adjacency).nnz == 6


@pytest.mark.parametrize("name", ["apart", "negatives"])
@pytest.mark.parametrize("graph", [PLAIN, WORDS, TURNED], ids=["plain", "words", "turned"])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_a_saved_model_keeps_its_pairs(graph: Graph, name: str, is_weighted: bool, tmp_path: Path) -> None:
    pairs = [(*graph.node_ids[list(pair)].tolist(), *((0.5,) if is_weighted else ())) for pair in PAIRS]
    model = with_pairs(name, pairs).fit(graph)
    model.save(tmp_path / "m.safetensors")
    loaded = sc.load(tmp_path / "m.safetensors")
    assert pairs_of(loaded, name) == pairs
    assert np.array_equal(loaded.transform(graph), model.transform(graph))
    assert np.array_equal(loaded.fit_transform(graph), model.embedding_)
    loaded.save(tmp_path / "again.safetensors")
    assert pairs_of(sc.load(tmp_path / "again.safetensors"), name) == pairs


def test_large_integers_and_odd_words_survive_a_file(tmp_path: Path) -> None:
    graph = named([2**62 + node for node in range(N)])
    pairs = [(2**62 + 1, 2**62 + 4, 0.5)]  # apart in an integer, one in a float
    model = sc.SCE(dimension=2, apart=pairs).fit(graph)
    model.save(tmp_path / "m.safetensors")
    assert sc.load(tmp_path / "m.safetensors").apart == pairs
    odd = named(['"é\n', *(f"{node}" for node in range(N - 1))])
    model = sc.SCE(dimension=2, apart=[('"é\n', "5")]).fit(odd)
    model.save(tmp_path / "o.safetensors")
    assert sc.load(tmp_path / "o.safetensors").apart == [('"é\n', "5")]


@pytest.mark.parametrize("graph", [WORDS, TURNED], ids=["words", "turned"])
def test_a_fit_on_disk_takes_ids(graph: Graph, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"dimension": 4, "engine": sc.Disk(scratch=tmp_path)}
    expected = sc.SCE(apart=PAIRS, **settings).fit_transform(PLAIN)
    by_id = [tuple(graph.node_ids[list(pair)].tolist()) for pair in PAIRS]
    assert np.array_equal(sc.SCE(apart=by_id, **settings).fit_transform(graph), expected)


def test_unknown_ids_in_pairs_are_named() -> None:
    with pytest.raises(sc.InputError, match="apart parameter of SCE names nodes that the graph does not have: 'x y'"):
        sc.SCE(apart=[("n1", "x y")]).fit(WORDS)
    with pytest.raises(sc.InputError, match="pairs parameter of Pairs names nodes that the graph does not have: 0, 3"):
        sc.SCE(negatives=sc.Pairs([(0, 5), (3, 15)])).fit(GAPS)


def test_ids_are_kept_as_what_they_are() -> None:
    for ids in (np.array([5, -3, 2**40]), np.array(["a", "ü", "7"])):
        found = unpack_ids(pack_ids(ids))
        assert found.tolist() == ids.tolist()
