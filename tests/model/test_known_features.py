"""A model knows its features: fitted on one table, saved, loaded, applied to another; in Python, at the shell, on disk."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
import scipy.sparse as sp
from safetensors import safe_open
from safetensors.numpy import save_file
from sklearn.base import clone

import sparsecut as sc
from shell import sparsecut
from sparsecut.base.errors import NewValuesWarning, ScaleWarning
from sparsecut.lab.baselines import DGI

N_NODES = 40
RING = sp.csr_array(np.roll(np.eye(N_NODES), 1, axis=1) + np.roll(np.eye(N_NODES), -1, axis=1))


def people(seed: int = 0, countries: tuple[str, ...] = ("DE", "FR", "US"), age: float = 40) -> pd.DataFrame:
    generator = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "id": [f"n{number}" for number in range(N_NODES)],
            "age": generator.normal(age, 10, N_NODES).round(1),
            "income": generator.normal(50_000, 20_000, N_NODES).round(),
            "country": generator.choice(countries, N_NODES),
        }
    )


def dense_rows(table: pd.DataFrame, fitted: pd.DataFrame) -> np.ndarray:
    """The features by hand: scaled by the fitted table's numbers, one column per fitted country."""
    numbers = [(table[name] - fitted[name].mean()) / fitted[name].std(ddof=0) for name in ("age", "income")]
    marks = [(table["country"] == country) * 1.0 for country in sorted(set(fitted["country"]))]
    return np.column_stack([*numbers, *marks])


def graph_of(table: pd.DataFrame) -> sc.Graph:
    return sc.Graph(RING, features=table.set_index("id"), node_ids=[f"n{number}" for number in range(N_NODES)])


def by_hand(model: sc.SCE, table: pd.DataFrame, fitted: pd.DataFrame) -> np.ndarray:
    """What the model makes of a table, through an array that needs no encoding."""
    twin = clone(model).fit(sc.Graph(RING, features=dense_rows(fitted, fitted)))
    twin.weights_, twin.offset_, twin.recipe_ = model.weights_, model.offset_, model.recipe_
    return twin.transform(sc.Graph(RING, features=dense_rows(table, fitted)))


@pytest.mark.parametrize(
    "model",
    [sc.SCE(features="given"), sc.MoSCE(), sc.SCE(solver=sc.Adam(epochs=3)), sc.SCE(features="given", engine="disk")],
    ids=repr,
)
def test_a_later_table_is_encoded_as_the_fitted_one(model: sc.SCE, tmp_path: Path) -> None:
    fitted, later = people(), people(seed=1, age=70)
    model.fit(graph_of(fitted)).save(tmp_path / "model.safetensors")
    loaded = sc.load(tmp_path / "model.safetensors")
    expected = by_hand(model, later, fitted)
    for table in (later, later[["country", "income", "id", "age"]], later.sample(frac=1, random_state=0)):
        assert loaded.transform(graph_of(table)) == pytest.approx(expected, abs=1e-4)
    assert loaded.transform(graph_of(fitted)) == pytest.approx(model.embedding_, abs=1e-4)


def test_what_scikit_learn_says_of_features(tmp_path: Path) -> None:
    model = sc.SCE(dimension=3, channels="own").fit(graph_of(people()))
    assert model.feature_names_in_.tolist() == ["age", "income", "country"]
    assert model.n_features_in_ == 3
    assert model.get_feature_names_out().tolist() == ["sce0", "sce1", "sce2"]
    model.save(tmp_path / "m.safetensors")
    assert sc.load(tmp_path / "m.safetensors").feature_names_in_.tolist() == ["age", "income", "country"]
    model.fit(sc.Graph(RING, features=np.random.default_rng(0).normal(size=(N_NODES, 5))))
    assert model.n_features_in_ == 5
    assert not hasattr(model, "feature_names_in_")


def test_a_new_category_is_other_and_counted() -> None:
    model = sc.SCE(features="given").fit(graph_of(people()))
    later = people(seed=1, countries=("DE", "JP"))
    n_new = int((later["country"] == "JP").sum())
    with pytest.warns(NewValuesWarning, match=rf"{n_new} rows of 'country' hold categories that were not fitted \('JP'\)"):
        Z = model.transform(graph_of(later))
    assert pytest.approx(by_hand(model, later, people()), abs=1e-4) == Z


@pytest.mark.parametrize("model", [sc.SCE(features="given"), DGI(epochs=1, dimension=4)], ids=["SCE", "DGI"])
def test_other_columns_are_named(model: sc.SCE) -> None:
    model.fit(graph_of(people()))
    with pytest.raises(sc.InputError, match="it lacks 'income'"):
        model.transform(graph_of(people().drop(columns="income")))
    with pytest.raises(sc.InputError, match="it has 'height', which the model does not know"):
        model.transform(graph_of(people().assign(height=1.0)))
    with pytest.raises(sc.InputError, match="fitted on a table with the columns 'age', 'income', 'country'"):
        model.transform(sc.Graph(RING, features=np.ones((N_NODES, 5))))


def test_columns_of_an_array_are_matched_by_name() -> None:
    X = np.random.default_rng(0).normal(size=(N_NODES, 3))
    model = sc.SCE(features="given").fit(sc.Graph(RING, features=X, feature_names=["a", "b", "c"]))
    Z = model.embedding_
    turned = sc.Graph(RING, features=X[:, [2, 0, 1]], feature_names=["c", "a", "b"])
    assert model.transform(turned) == pytest.approx(Z, abs=1e-5)
    frame = pd.DataFrame(X[:, [2, 0, 1]], columns=["c", "a", "b"])
    assert model.transform(sc.Graph(RING, features=frame)) == pytest.approx(Z, abs=1e-5)  # taken as it is, like the array
    with pytest.warns(NewValuesWarning, match="have no names"):
        assert model.transform(sc.Graph(RING, features=X)) == pytest.approx(Z, abs=1e-5)


def test_numbers_of_unequal_scale() -> None:
    """An age and an income weigh the same in a table; in an array nothing is scaled, and that is told."""
    table = people()[["id", "age", "income"]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = sc.SCE(features="given").fit(graph_of(table))
    assert model.history_.effective_rank > 1.5
    assert "Features: 2 columns of numbers standardised." in model.explain()
    array = table[["age", "income"]].to_numpy()
    with pytest.warns(ScaleWarning, match=r"Column 1 holds 100.00% of the variance"):
        flat = sc.SCE(channels="smoothed").fit(sc.Graph(RING, features=array))
    assert flat.history_.effective_rank < 1.01
    assert "of the variance" in flat.explain()
    with pytest.warns(ScaleWarning, match="Column 'income' holds"):
        sc.SCE(features="given").fit(
            sc.Graph(RING, features=table.set_index("id"), node_ids=table["id"].to_numpy(), scale=False)
        )
    with pytest.warns(ScaleWarning, match="Column 1 holds"):
        sc.SCE(features="given").fit(sc.Graph(RING, features=sp.csr_array(array)))


def test_a_file_of_an_older_layout_gets_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "m.safetensors"
    sc.SCE(features="given").fit(graph_of(people())).save(path)
    with safe_open(path, framework="numpy") as file:
        metadata = {**file.metadata(), "format_version": "2", "version": "0.0.9"}
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a mapping
    save_file(tensors, path, metadata=metadata)
    with pytest.raises(
        sc.InputError, match=r"saved by an earlier sparsecut \(0\.0\.9\).* Fit the model and save it again\."
    ):
        sc.load(path)


def test_lists_of_words_keep_their_vocabulary(tmp_path: Path) -> None:
    edges = "source,target\n" + "".join(f"{number},{(number + 1) % 6}\n" for number in range(6))
    (tmp_path / "edges.csv").write_text(edges)
    fitted = {"0": ["red"], "1": ["big", "red"], "2": ["old"], "3": ["big"], "4": ["old", "red"], "5": ["big", "old"]}
    (tmp_path / "fitted.json").write_text(json.dumps(fitted))
    model = sc.SCE(features="given").fit(sc.read_graph(tmp_path / "edges.csv", features=tmp_path / "fitted.json"))
    assert model.feature_names_in_.tolist() == ["big", "old", "red"]
    later = {node: [word for word in words if word != "big"] + ["new"] * (node == "3") for node, words in fitted.items()}
    (tmp_path / "later.json").write_text(json.dumps(later))
    with pytest.warns(NewValuesWarning, match="1 entries are of 1 words that were not fitted"):
        Z = model.transform(sc.read_graph(tmp_path / "edges.csv", features=tmp_path / "later.json"))
    dense = np.array([[0.0, "old" in words, "red" in words] for words in later.values()])
    adjacency = sc.read_graph(tmp_path / "edges.csv").adjacency
    model.encoder_ = None  # the same weights, for a matrix
    assert pytest.approx(model.transform(sc.Graph(adjacency, features=dense)), abs=1e-4) == Z


def test_the_story_at_the_shell(tmp_path: Path) -> None:
    fitted, later = people(), people(seed=1, countries=("DE", "FR", "JP"), age=70)[["income", "country", "age", "id"]]
    ids = fitted["id"].to_numpy()
    pd.DataFrame({"source": ids, "target": np.roll(ids, -1)}).to_csv(tmp_path / "edges.csv", index=False)
    fitted.to_csv(tmp_path / "fitted.csv", index=False)
    later.to_csv(tmp_path / "later.csv", index=False)
    sparsecut(
        "embed",
        "edges.csv",
        "-f",
        "fitted.csv",
        "-o",
        "z.npy",
        "--use",
        "given",
        "--save-model",
        "m.safetensors",
        folder=tmp_path,
    )
    done = sparsecut("transform", "m.safetensors", "edges.csv", "-f", "later.csv", "-o", "new.npy", folder=tmp_path)
    assert "rows of 'country' hold categories that were not fitted ('JP') and are in no category" in " ".join(
        done.stderr.split()
    )
    model = sc.load(tmp_path / "m.safetensors")
    assert np.load(tmp_path / "new.npy") == pytest.approx(by_hand(model, later, fitted), abs=1e-4)
    later.drop(columns="age").to_csv(tmp_path / "less.csv", index=False)
    done = sparsecut("transform", "m.safetensors", "edges.csv", "-f", "less.csv", "-o", "no.npy", folder=tmp_path, expect=2)
    assert "it lacks 'age'" in " ".join(done.stderr.split())
    assert not (tmp_path / "no.npy").exists()


def test_a_store_is_encoded_as_the_model_was(tmp_path: Path) -> None:
    """Tables that are read in parts: standardised as in memory, and for a transform by the model's own numbers."""
    columns = ["id", "age", "income"]
    fitted, later = people()[columns], people(seed=1, age=70)[columns]
    ids = fitted["id"].to_numpy()
    pyarrow.parquet.write_table(pa.table({"source": ids, "target": np.roll(ids, -1)}), tmp_path / "edges.parquet")
    for name, table in (("fitted", fitted), ("later", later[["income", "id", "age"]])):
        pyarrow.parquet.write_table(pa.Table.from_pandas(table, preserve_index=False), tmp_path / f"{name}.parquet")
    sc.build_store(tmp_path / "store", tmp_path / "edges.parquet", features=tmp_path / "fitted.parquet")
    store = sc.open_store(tmp_path / "store")
    assert store.feature_names == ("age", "income")
    model = sc.SCE(features="given", engine="disk").fit(store)
    in_memory = sc.read_graph(tmp_path / "edges.parquet", features=tmp_path / "later.parquet")
    expected = model.transform(in_memory)
    sc.build_store(tmp_path / "later", tmp_path / "edges.parquet", features=tmp_path / "later.parquet", encoder=model)
    assert model.transform(sc.open_store(tmp_path / "later")) == pytest.approx(expected, abs=1e-4)
    sc.build_store(tmp_path / "alone", tmp_path / "edges.parquet", features=tmp_path / "later.parquet")
    with pytest.raises(sc.InputError, match=r"numbers already.*build_store\(\.\.\., encoder=model\)"):
        model.transform(sc.open_store(tmp_path / "alone"))
    model.save(tmp_path / "m.safetensors")
    command = ("transform", "m.safetensors", "edges.parquet", "-f", "later.parquet", "--engine", "disk", "-o", "z.npy")
    sparsecut(*command, folder=tmp_path)
    assert np.load(tmp_path / "z.npy") == pytest.approx(expected, abs=1e-4)
