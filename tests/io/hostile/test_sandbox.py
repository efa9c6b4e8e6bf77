"""What a child that reads a damaged file may do, by children that do it on purpose."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.io import savemat

import sparsecut as sc
from sparsecut.io.hostile import sandbox_child
from sparsecut.io.hostile.sandbox import read_matrices

CHILDREN = {
    "ends early": ("import os; print('ready', flush=True); os.abort()", "scipy broke down over it. It is damaged."),
    "ends within an array": (
        """print('ready\\n{"matrices": [["A", null]]}\\n\\x93NUM', flush=True)""",
        "",
    ),
    "never ends": (
        "import time; print('ready', flush=True); time.sleep(600)",
        "after 1 s scipy is not through with it. It is damaged or not what it claims to be.",
    ),
    "says why": ("""print('ready\\n{"reason": "no."}')""", "no."),
}


@pytest.mark.parametrize("case", CHILDREN)
def test_a_child_that_fails_is_one_sentence(case: str, tmp_path: Path) -> None:
    program, said = CHILDREN[case]
    (tmp_path / "child.py").write_text(program)
    path = tmp_path / "x.mat"
    path.write_bytes(b"anything")
    with pytest.raises(sc.InputError) as raised:
        read_matrices(path, "graph", "mat", child=str(tmp_path / "child.py"), seconds=1)
    assert str(raised.value).startswith(f"The graph file {path} could not be read: {said}")


def test_a_child_without_the_library(tmp_path: Path) -> None:
    (tmp_path / "child.py").write_text("import no_such_module")
    (tmp_path / "x.mat").write_bytes(b"anything")
    with pytest.raises(sc.InputError, match=r"x\.mat cannot be looked through: .* did not start with scipy\.$"):
        read_matrices(tmp_path / "x.mat", "graph", "mat", child=str(tmp_path / "child.py"))


def test_matrices_come_back_as_they_were_saved(tmp_path: Path) -> None:
    dense = np.array([[0, 2, 0], [2, 0, 1], [0, 1, 0]])
    content = {
        "sparse": sp.csc_array(dense.astype(np.float64)),
        "whole": dense.astype(np.int16),
        "truths": dense > 0,
        "numbers": dense / 3,
        "text": "a graph",
        "complex": dense * 1j,
        "deep": np.zeros((2, 2, 2)),
        "Problem": {"A": dense / 7, "title": "x"},
    }
    savemat(tmp_path / "x.mat", content)
    found = read_matrices(tmp_path / "x.mat", "graph", "mat")
    assert sorted(found) == ["Problem.A", "numbers", "sparse", "truths", "whole"]
    assert (found["sparse"].toarray() == dense).all()
    assert found["whole"].dtype == np.int16
    assert found["truths"].dtype == np.uint8
    assert (found["truths"] == (dense > 0)).all()
    assert (found["numbers"] == dense / 3).all()
    assert (found["Problem.A"] == dense / 7).all()


def test_more_than_a_file_may_unpack_to_is_not_sent() -> None:
    assert sandbox_child.described({"A": np.zeros((100, 100))}, 10) == {"bytes": 80_000}
    assert sandbox_child.described({"A": np.zeros((2, 2))}, 32) == {"matrices": [["A", None]]}
