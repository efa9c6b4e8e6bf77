"""One more format is one more file: what it declares is read, listed and held to its options."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import sparsecut as sc
from sparsecut.io import formats
from sparsecut.io.formats.graph_format import all_formats, choose_adjacency, format_of, known_suffixes

MODULE = '''
import numpy as np
from sparsecut.graph import Graph
from sparsecut.io.formats.graph_format import GraphFormat

def read(request):
    """A path of as many nodes as the file says."""
    n_nodes = int(request.path.read_text())
    return Graph(np.eye(n_nodes, k=1) + np.eye(n_nodes, k=-1), directed=request.directed)

FORMATS = (GraphFormat((".line",), read),)
'''


@pytest.fixture
def one_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a module of a new format, beside those of the library."""
    (tmp_path / "line_graphs.py").write_text(MODULE)
    monkeypatch.setattr(formats, "__path__", [*formats.__path__, str(tmp_path)])
    all_formats.cache_clear()
    yield tmp_path
    all_formats.cache_clear()


def test_one_more_format_is_one_more_file(one_more: Path) -> None:
    (one_more / "x.line").write_text("4")
    graph = sc.read_graph(one_more / "x.line")
    assert (graph.n_nodes, graph.n_edges) == (4, 3)
    with pytest.raises(sc.InputError, match=r"has no use for weight='w': its format has no such thing\.$"):
        sc.read_graph(one_more / "x.line", weight="w")
    (one_more / "x.unknown").write_text("4")
    with pytest.raises(sc.InputError, match=r"Known ones: .*\.line"):
        sc.read_graph(one_more / "x.unknown")


def test_no_two_formats_have_one_suffix() -> None:
    assert len(set(known_suffixes())) == len(known_suffixes())
    assert ".line" not in known_suffixes()


def test_planetoid_is_recognised_by_the_name_of_its_files() -> None:
    by_name = format_of(Path("ind.cora.graph"), ".graph")
    assert by_name is not None
    assert by_name.suffixes == ()
    by_suffix = format_of(Path("cora.graph"), ".graph")
    assert by_suffix is not None
    assert ".metis" in by_suffix.suffixes


def test_the_adjacency_among_matrices() -> None:
    path = Path("x.mat")
    assert choose_adjacency(["X", "Problem.A", "net"], None, path) == "net"
    assert choose_adjacency(["P", "Problem.A"], None, path) == "Problem.A"
    assert choose_adjacency(["P"], None, path) == "P"
    assert choose_adjacency(["P", "A"], "P", path) == "P"
    with pytest.raises(sc.InputError, match="Say which one is the adjacency"):
        choose_adjacency(["P", "Q"], None, path)
