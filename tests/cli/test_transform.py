"""`sparsecut transform`: nodes that came later, and features that do not fit."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from conftest import random_graph
from shell import sparsecut
from sparsecut import SCE, Adam, load, read_embedding


def test_embed_save_and_transform_nodes_that_came_later(folder: Path) -> None:
    command = ("embed", "edges.csv", "-f", "features.csv", "-o", "z.npy", "--save-model", "m.safetensors")
    sparsecut(*command, "--epochs", 2, "--no-scale", folder=folder)
    (folder / "new_edges.csv").write_text("source,target\nada,zoe\n")
    (folder / "new_features.csv").write_text("id,a,b,c,d\nzoe,1,0,0,0\nada,0,1,0,0\n")
    sparsecut("transform", "m.safetensors", "new_edges.csv", "-f", "new_features.csv", "-o", "new.parquet", folder=folder)
    Z, ids = read_embedding(folder / "new.parquet")
    assert list(ids) == ["zoe", "ada"]
    mean = (load(folder / "m.safetensors").weights_[0][:2]).mean(axis=0)  # both nodes average over both
    assert np.allclose(Z, [mean, mean], atol=1e-5)


def test_transform_with_other_features(folder: Path) -> None:
    SCE(solver=Adam(epochs=1)).fit(random_graph()).save(folder / "m.safetensors")
    done = sparsecut("transform", "m.safetensors", "edges.csv", "-f", "features.csv", "-o", "z.npy", folder=folder, expect=2)
    assert "was fitted with 12 features. Got a graph with 4" in done.stderr
