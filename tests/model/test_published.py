"""The paper's files: complete, consistent with each other, and accepted by the estimators."""

from __future__ import annotations

from pathlib import Path

import pytest

from sparsecut import SCE, InputError, MoSCE

ROOT = Path(__file__).parents[2]
NAMES = ("cora", "citeseer", "pubmed", "cora_full", "flickr", "reddit")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("estimator", [SCE, MoSCE])
def test_every_dataset_has_settings_that_the_estimator_accepts(estimator: type[SCE], name: str) -> None:
    model = estimator.paper(name)
    model._check()
    assert model.dimension == (256 if name == "pubmed" else 512)
    assert (model.negatives, model.n_negatives) == ("sampled", 5)


def test_settings_of_the_paper_by_hand() -> None:
    assert [SCE.paper(name).learning_rate for name in NAMES] == [0.001, 0.0001, 0.02, 0.01, 0.001, 0.001]
    assert [SCE.paper(name).l2 for name in NAMES] == [5e-4, 1e-3, 5e-4, 5e-4, 0.02, 0.02]
    assert [SCE.paper(name).epochs for name in NAMES] == [20, 200, 50, 20, 20, 4]
    assert [SCE.paper(name).alpha for name in NAMES[:4]] == [15000, 15000, 50000, 100000]
    assert [MoSCE.paper(name).l2 for name in NAMES[:4]] == [5e-4, 1e-3, 0, 0]
    assert [MoSCE.paper(name).epochs for name in NAMES[:4]] == [20, 50, 100, 30]
    assert [MoSCE.paper(name).levels for name in NAMES[:4]] == [3, 2, 3, 2]
    assert SCE.paper("cora", epochs=3).epochs == 3


def test_a_dataset_the_paper_does_not_have() -> None:
    with pytest.raises(InputError, match=r"no settings for 'imdb'\. It has them for citeseer, cora,"):
        SCE.paper("imdb")
