"""Which scale a column of numbers gets, against densities whose tails are known, and what each scale makes of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

import sparsecut as sc
from sparsecut.features import FeatureTable, NumberScan, TableEncoder, read_encoder
from sparsecut.features.scaling import Quantiles

N = 3000
GENERATOR = np.random.default_rng(7)


def by_hand(values: np.ndarray) -> np.ndarray:
    """The log scale, written out from its definition."""
    exponents = np.array([np.floor(np.log2(abs(x))) for x in values if x != 0])
    unit = 2.0 ** np.floor(exponents.sum() / len(exponents))
    logs = np.array([np.sign(x) * np.log(1 + abs(x) / unit) for x in values])
    return (logs - logs.mean()) / logs.std()


def encoder_of(values: Any, scale: Any = "auto") -> TableEncoder:
    return FeatureTable(pa.table({"x": values}), "The table", scale=scale).encoder


def streamed(matrix: np.ndarray, names: tuple[str, ...], n_rows: int, scale: Any = "auto") -> TableEncoder:
    def scanned(scan: NumberScan) -> NumberScan:
        for start in range(0, len(matrix), n_rows):
            scan.update(matrix[start : start + n_rows])
        return scan

    scan = scanned(NumberScan(names))
    logs = scan.of_logs(scale)
    return scan.encoder(scale=scale, logs=None if logs is None else scanned(logs))


ORDINARY = {
    "normal": GENERATOR.normal(50, 10, N),
    "uniform": GENERATOR.uniform(0, 1, N),
    "years": GENERATOR.integers(1950, 2024, N).astype(float),
    "exponential": GENERATOR.exponential(3, N),
    "two values": np.where(GENERATOR.random(N) < 0.002, 5.0, 2.0),
    "rare counts": np.append(GENERATOR.poisson(0.02, N - 1), 3).astype(float),
    "marks": (GENERATOR.random(N) < 0.001).astype(float),
    "one low slip": np.append(GENERATOR.normal(1000, 20, N - 1), 0.0),
}
TAILED = {
    "balances": GENERATOR.lognormal(6, 2.5, N),
    "debts and balances": GENERATOR.lognormal(6, 2, N) * GENERATOR.choice([-1, 1], N),
    "counts with zeros": np.floor(GENERATOR.pareto(1.0, N)),
    "tiny": 1e-30 * GENERATOR.lognormal(0, 2.5, N),
    "huge": 1e150 * GENERATOR.lognormal(0, 2.5, N),
    "few rows": np.random.default_rng(2).lognormal(0, 3, 100),
}


@pytest.mark.parametrize("kind", ORDINARY)
def test_ordinary_columns_stay_as_they_were(kind: str) -> None:
    encoder = encoder_of(ORDINARY[kind])
    assert encoder.names_out == ("x",)
    assert encoder == encoder_of(ORDINARY[kind], "standard")


@pytest.mark.parametrize("kind", TAILED)
def test_where_the_tail_asks_for_it_the_scale_is_logarithmic(kind: str) -> None:
    values = TAILED[kind]
    encoder = encoder_of(values)
    assert encoder.names_out == ("log(x)",)
    encoded, _ = encoder.encode({"x": pa.chunked_array([values])}, "The table")
    assert encoded.ravel() == pytest.approx(by_hand(values), rel=1e-5, abs=1e-6)
    furthest = np.abs(values / values.std() - (values / values.std()).mean()).max()
    assert np.abs(encoded).max() <= furthest / 2
    said = f"'x' is on a log scale, for its furthest value is {furthest:.0f} standard deviations from the mean"
    assert said in encoder.notes[0]
    assert read_encoder(encoder.to_header()) == encoder


@pytest.mark.slow
@pytest.mark.parametrize("n_rows", [1, 7, 1000, N])
def test_a_table_in_parts_gets_the_same_scales(n_rows: int) -> None:
    columns = {name: values for name, values in (ORDINARY | TAILED).items() if len(values) == N and name != "huge"}
    matrix, names = np.column_stack(list(columns.values())), tuple(columns)
    for scale in ("auto", "log", "standard", False, {"normal": "log", "balances": False}):
        whole = FeatureTable(pa.table(columns), "The table", scale=scale).encoder
        parts = streamed(matrix, names, n_rows, scale)
        assert parts.names_out == whole.names_out
        for one, other in zip(parts.columns, whole.columns, strict=True):
            assert getattr(one, "unit", None) == getattr(other, "unit", None)
        expected, _ = whole.encode({name: pa.chunked_array([values]) for name, values in columns.items()}, "The table")
        assert parts.scale_numbers(matrix) == pytest.approx(expected, rel=1e-5, abs=1e-5)


def test_scans_of_pieces_merge_to_the_scan_of_all() -> None:
    values = TAILED["balances"][:, None]
    pieces = [NumberScan(("x",)) for _ in range(3)]
    for piece, rows in zip(pieces, np.array_split(values, 3), strict=True):
        piece.update(rows)
    total = NumberScan(("x",))
    for piece in pieces:
        total.merge(piece)
    logs = total.of_logs("auto")
    assert logs is not None
    logs.update(values)
    column, whole = total.encoder(scale="auto", logs=logs).columns[0], encoder_of(values.ravel()).columns[0]
    assert (column.transform, column.unit) == ("log", whole.unit)
    assert (column.mean, column.deviation) == pytest.approx((whole.mean, whole.deviation), rel=1e-12)


def test_the_rank_scale_is_the_share_below() -> None:
    values = np.array([3.0, 1.0, 1.0, 100.0, 7.0])
    shares = np.array([0.5, 0.2, 0.2, 0.9, 0.7])  # those below, and half of those equal
    encoder = encoder_of(values, "rank")
    assert encoder.names_out == ("rank(x)",)
    scaled = (shares - shares.mean()) / shares.std()
    encoded, _ = encoder.encode({"x": pa.chunked_array([values])}, "The table")
    assert encoded.ravel() == pytest.approx(scaled)
    later, _ = encoder.encode({"x": pa.chunked_array([[-5.0, 1e9, 5.0]])}, "The table")
    assert later.ravel() == pytest.approx((np.array([0.2, 0.9, 0.6]) - shares.mean()) / shares.std())
    many = GENERATOR.lognormal(0, 3, 20_000)
    assert np.abs(Quantiles.of(many).share_below(many) - (many.argsort().argsort() + 0.5) / 20_000).max() < 1 / 256
    with pytest.raises(sc.InputError, match=r"rank scale of column 'x' needs the table in memory. Use engine='memory'"):
        streamed(values[:, None], ("x",), 2, "rank")


def test_dates_gaps_and_marks_on_a_requested_log_scale() -> None:
    table = pa.table(
        {
            "when": pa.array([0, 86_400, 10**12], pa.timestamp("s")),
            "mark": [0, 1, 1],
            "sum": [0.0, None, 8.0],
            "word": ["a", "b", "a"],
        }
    )
    encoder = FeatureTable(table, "The table", scale="log").encoder
    assert encoder.names_out == ("when", "mark", "log(sum)", "sum is missing", "word = a", "word = b")


def test_a_scale_that_is_none_gets_a_sentence() -> None:
    table = pa.table({"x": [1, 2, 3]})
    with pytest.raises(sc.InputError, match=r"must be 'auto', 'standard', 'log', 'rank', True .* Got 'cube'."):
        FeatureTable(table, "The table", scale="cube")
    with pytest.raises(sc.InputError, match=r"names columns that the table does not have: 'y'. It has: 'x'."):
        FeatureTable(table, "The table", scale={"y": "log"})


def test_a_wide_table_of_counts_is_scaled_only_where_that_is_requested() -> None:
    counts = np.random.default_rng(0).poisson(0.2, size=(300, 40)).astype(float)
    counts[0] = 500
    table = pa.table({f"w{column}": counts[:, column] for column in range(40)})
    assert not any(name.startswith("log") for name in FeatureTable(table, "The table").encoder.names_out)
    assert FeatureTable(table, "The table", scale={"w3": "log"}).encoder.names_out[3] == "log(w3)"


def test_the_store_on_disk_gets_the_scale_of_memory(tmp_path: Any) -> None:
    table = pa.table({"id": np.arange(N), "balance": TAILED["balances"], "age": ORDINARY["normal"]})
    pyarrow.parquet.write_table(table, tmp_path / "nodes.parquet", row_group_size=700)
    ends = np.column_stack([np.arange(N), (np.arange(N) + 1) % N])
    pyarrow.parquet.write_table(pa.table({"source": ends[:, 0], "target": ends[:, 1]}), tmp_path / "edges.parquet")
    held = sc.read_graph(tmp_path / "edges.parquet", features=tmp_path / "nodes.parquet")
    sc.build_store(tmp_path / "store", tmp_path / "edges.parquet", features=tmp_path / "nodes.parquet")
    stored = sc.open_store(tmp_path / "store")
    assert stored.encoder.names_out == held.encoder.names_out == ("log(balance)", "age")
    assert np.asarray(stored.features) == pytest.approx(held.features, rel=1e-6, abs=1e-6)


def test_a_log_scale_finds_the_classes_that_a_tail_hides() -> None:
    """Balances of two classes lie a factor of 30 apart, within a class over three orders of magnitude."""
    generator = np.random.default_rng(1)
    n = 1200
    classes = np.arange(n) % 2
    balances = np.exp(generator.normal(6 + 3.4 * classes, 2))
    ends = generator.integers(0, n, (2 * n, 2))
    ends = ends[(classes[ends[:, 0]] == classes[ends[:, 1]]) | (generator.random(2 * n) < 0.5)]
    scores = {}
    for scale in ("standard", "auto"):
        frame = pd.DataFrame({"balance": balances, "age": generator.normal(40, 10, n)})
        graph = sc.from_edges(ends, node_ids=np.arange(n), features=frame, labels=classes, scale=scale)
        model = sc.SCE(features="given").fit(graph)
        scores[scale] = sc.evaluate(model.embedding_, classes, per_class=20, n_splits=10).mean
        assert ("on a log scale" in str(model.explain())) == (scale == "auto")
    assert scores["auto"] > scores["standard"] + 8  # percent: 80 and 69
