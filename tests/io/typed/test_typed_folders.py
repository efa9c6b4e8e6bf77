"""A folder of one table per type is the graph of its tables."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import sparsecut as sc
from tables_by_type import tables


def test_names_of_files_say_the_types(tmp_path: Path) -> None:
    nodes, edges = tables()
    nodes["author"].to_csv(tmp_path / "author.csv.gz", index=False)
    nodes["paper"].to_parquet(tmp_path / "paper.parquet")
    (tmp_path / "author__writes__paper").mkdir()
    edges["author", "writes", "paper"].to_parquet(tmp_path / "author__writes__paper" / "part-0.parquet")
    edges["paper", "in", "venue"].to_csv(tmp_path / "paper__in__venue.csv", index=False)
    (tmp_path / "notes.csv").write_text("a,b\n1,2\n")
    wanted = sc.from_tables(nodes, edges)
    for found in (sc.from_tables(tmp_path), sc.read_graph(tmp_path)):
        assert (found.node_types, found.edge_types) == (wanted.node_types, wanted.edge_types)
        assert found.node_ids.tolist() == wanted.node_ids.tolist()
        np.testing.assert_array_equal(found.adjacency.toarray(), wanted.adjacency.toarray())
        np.testing.assert_allclose(found.features, wanted.features, atol=1e-6)
        assert any("'notes.csv' are called after no type" in note for note in found.notes)


def test_two_types_in_a_name_are_edges_where_both_have_tables(tmp_path: Path) -> None:
    (tmp_path / "user.csv").write_text("id,age\n1,20\n2,30\n")
    (tmp_path / "movie.csv").write_text("id,year\n1,1990\n2,1980\n")
    (tmp_path / "user_movie.csv").write_text("user,movie\n1,2\n2,2\n")
    graph = sc.read_graph(tmp_path)
    assert graph.edge_types == (("user", "to", "movie"),)
    assert graph.node_ids.tolist() == ["movie:1", "movie:2", "user:1", "user:2"]


def test_a_folder_without_edges_says_what_is_wanted(tmp_path: Path) -> None:
    (tmp_path / "user.csv").write_text("id,age\n1,20\n")
    with pytest.raises(sc.InputError, match=r"called author__writes__paper.csv, say"):
        sc.read_graph(tmp_path)
