"""MUSAE's three files, small and by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from raw_files import write
from sparsecut.base.errors import InputError
from sparsecut.datasets.musae import FACEBOOK, TWITCH, read_musae

# As in the real files, the rows of target.csv and the keys of features.json are in no order.
TARGET = """id,days,mature,views,partner,new_id
905,10,True,7,False,2
117,20,False,8,True,0
333,30,True,9,False,1
"""
EDGES = "from,to\n0,2\n2,0\n1,1\n"
FEATURES = {"2": [3, 0, 3], "0": [], "1": [1]}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path / "musae/XX/target.csv", TARGET)
    write(tmp_path / "musae/XX/edges.csv", EDGES)
    write(tmp_path / "musae/XX/features.json", json.dumps(FEATURES))
    return tmp_path


def test_twitch_nodes_are_new_ids_and_a_feature_counts_once(root: Path) -> None:
    graph = read_musae("XX", TWITCH, 6, root)
    np.testing.assert_array_equal(graph.features.toarray(), [[0, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [1, 0, 0, 1, 0, 0]])
    np.testing.assert_array_equal(graph.labels, [0, 1, 1])
    np.testing.assert_array_equal(np.argwhere(np.triu(graph.adjacency.toarray())), [[0, 2]])
    assert graph.notes == ("1 self-loops were dropped: filters count each node in its own neighbourhood once.",)


def test_facebook_labels_are_words_and_page_names_may_hold_commas(root: Path) -> None:
    write(
        root / "musae/XX/target.csv", 'id,facebook_id,page_name,page_type\n1,7,"A, B",tvshow\n0,8,C,company\n2,9,D,tvshow\n'
    )
    write(root / "musae/XX/edges.csv", "id_1,id_2\n0,1\n")
    graph = read_musae("XX", FACEBOOK, 6, root)
    np.testing.assert_array_equal(graph.labels, ["company", "tvshow", "tvshow"])
    assert graph.n_edges == 1


def test_repeated_rows_count_once_and_entries_of_nobody_are_left_out(root: Path) -> None:
    write(root / "musae/XX/target.csv", TARGET + "333,30,True,9,False,1\n")
    write(root / "musae/XX/features.json", json.dumps(FEATURES | {"3": [1]}))
    graph = read_musae("XX", TWITCH, 6, root)
    assert graph.n_nodes == 3
    assert graph.notes[0] == "1 entries of features.json are for nodes that do not exist."


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("features.json", {"2": [3], "0": []}, "it has no entry for 1 nodes, the first of them 1"),
        ("features.json", FEATURES | {"1": [6]}, "it names a feature 6, beyond the 6 there are"),
        ("features.json", FEATURES | {"1": [-1]}, "is damaged"),
        ("features.json", FEATURES | {"1": ["a"]}, "is damaged"),
        ("features.json", FEATURES | {"1": 5}, "is damaged"),
        ("features.json", FEATURES | {"a": []}, "is damaged"),
        ("features.json", [1, 2], "it should hold a dict, and holds a list"),
        ("features.json", "{" * 100_000, "is damaged"),
        ("features.json", "[" * 100_000, "is damaged"),
        ("features.json", '{"0": [], "1": [', "is damaged"),
        ("features.json", b"\xff\xfe\x00", "is damaged"),
        ("target.csv", TARGET.replace("new_id", "other"), "is damaged"),
        ("target.csv", TARGET.replace(",2\n", ",5\n"), "its nodes, in column 'new_id', should be numbered from 0 on"),
        ("target.csv", TARGET.replace(",2\n", ",\n"), "it has an empty cell in column 'new_id' or 'mature'"),
        ("target.csv", TARGET + "1,2\n", "is damaged"),
        ("target.csv", "", "is damaged"),
        ("edges.csv", "from,to\n0,3\n", "is damaged"),
        ("edges.csv", "from,to\n0,x\n", "is damaged"),
        ("edges.csv", "a,b\n0,1\n", "is damaged"),
    ],
)
def test_damaged_files(file: str, content: Any, message: str, root: Path) -> None:
    write(root / "musae/XX" / file, content if isinstance(content, str | bytes) else json.dumps(content))
    with pytest.raises(InputError, match=rf"{file} is damaged: .*{message if message != 'is damaged' else ''}"):
        read_musae("XX", TWITCH, 6, root)
