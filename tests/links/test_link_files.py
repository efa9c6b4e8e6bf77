"""Links are the same after saving and loading, and what is no file of theirs is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest
from safetensors.numpy import save_file

import sparsecut as sc
from sparsecut.links.form_sums import FormSum
from sparsecut.links.forms import solve_form
from sparsecut.links.link_sums import sum_links

GRAPH = sc.datasets.load("digits")


def test_the_same_after_loading(tmp_path):
    Z = sc.SCE(dimension=16).fit_transform(GRAPH)
    links = sc.Links(Z, GRAPH)
    links.save(tmp_path / "links.safetensors")
    again = sc.Links.load(tmp_path / "links.safetensors", Z, GRAPH)
    pairs = np.random.default_rng(0).integers(0, GRAPH.n_nodes, (100, 2))
    np.testing.assert_array_equal(again.score(pairs), links.score(pairs))
    np.testing.assert_array_equal(again.probability(pairs), links.probability(pairs))
    assert again.recommend(5).ids.tolist() == links.recommend(5).ids.tolist()
    assert again.trials_ == links.trials_
    with pytest.raises(sc.InputError, match="exists"):
        links.save(tmp_path / "links.safetensors")
    with pytest.raises(sc.InputError, match="belongs to an undirected graph and vectors of 16 columns"):
        sc.Links.load(tmp_path / "links.safetensors", Z[:, :5], GRAPH)


def test_both_forms_of_a_sum_are_kept(tmp_path):
    Z = sc.SCE(dimension=16).fit_transform(GRAPH)
    links = sc.Links(Z, GRAPH)
    pairs = [solve_form(kind, 0.5, 1.0, sum_links(Z, links._incidence, 0.5)) for kind in ("own", "both")]
    links.forms_ = dict.fromkeys(links.forms_, FormSum(tuple(pairs), (2.0, 0.5)))
    links.save(tmp_path / "two.safetensors")
    again = sc.Links.load(tmp_path / "two.safetensors", Z, GRAPH)
    assert again.forms_["candidates"].deviations == (2.0, 0.5)
    np.testing.assert_array_equal(again.score_all(np.arange(9)), links.score_all(np.arange(9)))


def test_other_files_are_refused(tmp_path):
    Z = np.ones((GRAPH.n_nodes, 2))
    (tmp_path / "text.safetensors").write_text("nothing")
    with pytest.raises(sc.InputError, match="not a whole safetensors file"):
        sc.Links.load(tmp_path / "text.safetensors", Z, GRAPH)
    save_file({"a": np.ones(2)}, tmp_path / "other.safetensors")
    with pytest.raises(sc.InputError, match="not one of links saved by sparsecut"):
        sc.Links.load(tmp_path / "other.safetensors", Z, GRAPH)
    header = {"format": "sparsecut-links", "format_version": "3", "links": json.dumps({"dimension": 2, "forms": {}})}
    save_file({"a": np.ones(2)}, tmp_path / "empty.safetensors", metadata=header)
    with pytest.raises(sc.InputError, match="does not hold whole links"):
        sc.Links.load(tmp_path / "empty.safetensors", Z, GRAPH)
    save_file({"a": np.ones(2)}, tmp_path / "later.safetensors", metadata={**header, "format_version": "9"})
    with pytest.raises(sc.InputError, match="written otherwise"):
        sc.Links.load(tmp_path / "later.safetensors", Z, GRAPH)
