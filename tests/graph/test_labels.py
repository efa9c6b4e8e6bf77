"""Labels of any type as numbers, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from sparsecut.base.errors import InputError
from sparsecut.graph import Graph, encode_labels, labelled_nodes


@pytest.mark.parametrize(
    ("labels", "classes", "codes"),
    [
        ([3, -1, 7, 3], [3, 7], [0, -1, 1, 0]),
        ([1.5, np.nan, -1.0, 0.5], [0.5, 1.5], [1, -1, -1, 0]),
        (["b", "", "a"], ["a", "b"], [1, -1, 0]),
        (np.array(["b", None, float("nan"), "a"], dtype=object), ["a", "b"], [1, -1, -1, 0]),
        ([-1, -1], [], [-1, -1]),
    ],
)
def test_nodes_without_a_label_have_no_class(labels, classes, codes) -> None:
    found, encoded = encode_labels(labels)
    assert (found.tolist(), encoded.tolist()) == (classes, codes)
    assert labelled_nodes(np.asarray(labels)).tolist() == [node for node, code in enumerate(codes) if code >= 0]


def test_what_is_no_list_of_labels_is_refused() -> None:
    with pytest.raises(InputError, match=r"Got a Graph: pass graph\.labels"):
        encode_labels(Graph(np.ones((2, 2))))
    with pytest.raises(InputError, match=r"Got shape \(2, 2\)"):
        encode_labels(np.ones((2, 2)))
