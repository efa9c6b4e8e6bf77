"""Numbers as people write them are the numbers that they are, at the fit and in every later table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sparsecut as sc
from sparsecut.base.errors import InputError
from sparsecut.features.written_numbers import Notation, notation_of

RNG = np.random.default_rng(4)
VALUES = np.round(RNG.lognormal(7, 1.5, 60), 2)
EDGES = pd.DataFrame({"from": RNG.integers(0, 60, 400), "to": RNG.integers(0, 60, 400)})
WRITTEN = {
    "1,234.5": lambda value: f"{value:,.2f}",
    "1.234,5": lambda value: f"{value:,.2f}".translate(str.maketrans(",.", ".,")),
    "1'234.5": lambda value: f"{value:,.2f}".replace(",", "'"),
    "1 234,5": lambda value: f"{value:,.2f}".replace(".", ";").replace(",", "\N{NO-BREAK SPACE}").replace(";", ","),
    "€1,234.5": lambda value: f"€{value:,.2f}",
    "1.234,5 %": lambda value: f"{value:.2f} %".replace(".", ","),
    "-1,234.5": lambda value: f"{500 - value:,.2f}",
}


def graph_of(column: object) -> sc.Graph:
    nodes = pd.DataFrame({"id": np.arange(60), "balance": column, "zone": ["zone 1", "zone 2", "zone 3"] * 20})
    return sc.from_edges(EDGES, features=nodes)


@pytest.mark.parametrize("notation", WRITTEN)
def test_a_written_column_gives_the_features_of_its_numbers(notation: str) -> None:
    write = WRITTEN[notation]
    numbers = 500 - VALUES if notation.startswith("-") else VALUES
    written, plain = graph_of([write(value) for value in VALUES]), graph_of(numbers)
    assert np.array_equal(written.features, plain.features)


def test_a_later_table_is_read_in_the_notation_of_the_fitted_one(tmp_path: Path) -> None:
    """ "1.234" alone would be a fraction: with the model it stays a thousand and more, loaded from a file too."""
    write = WRITTEN["1.234,5"]
    model = sc.SCE(n_components=4).fit(graph_of([write(value) for value in VALUES]))
    model.save(tmp_path / "model")
    later = graph_of(["1.234", "2.345", "17"] * 20)
    for again in (model, sc.load(tmp_path / "model")):
        expected = sc.SCE(n_components=4).fit(graph_of(VALUES)).transform(graph_of([1234.0, 2345.0, 17.0] * 20))
        np.testing.assert_allclose(again.transform(later), expected, rtol=0, atol=1e-5)
    with pytest.raises(InputError, match=r"holds '1,234.5' in column 'balance', in row 1\..* written like '1.234,5'"):
        model.transform(graph_of(["1,234.5", "3,0"] * 30))


def test_a_gap_and_a_slip_among_written_numbers() -> None:
    words = [WRITTEN["1,234.5"](value) for value in VALUES]
    gap = graph_of(["", "NA", *words[2:]])
    expected = graph_of([None, None, *VALUES[2:]])
    assert np.array_equal(gap.features, expected.features)
    with pytest.raises(InputError, match="holds words among the numbers of column 'balance': 'about 12' in row 3"):
        graph_of([*words[:2], "about 12", *words[3:]]).features  # noqa: B018
    both = "'about 12' in row 3, '~5' in row 4. Correct them, or leave the cells empty."
    with pytest.raises(InputError, match=both):
        graph_of([*words[:2], "about 12", "~5", *words[4:59], "~5"]).features  # noqa: B018


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["1,234.5", "2,345.5", "0"] * 18 + ["about 12", "~5"] * 3, "'about 12' in row 55"),  # a tenth of the rows
        (["12.5", "13.5"] * 29 + ["14.5", "~9.5"], "'~9.5' in row 60"),  # of one length, and no codes: codes have no signs
    ],
)
def test_words_among_numbers_are_slips_up_to_a_tenth(words: list[str], said: str) -> None:
    with pytest.raises(InputError, match=f"holds words among the numbers of column 'balance': {said}"):
        graph_of(words).features  # noqa: B018


def test_the_row_of_a_number_in_another_notation_is_counted_past_the_gaps() -> None:
    write = WRITTEN["1.234,5"]
    model = sc.SCE(n_components=4).fit(graph_of([write(value) for value in VALUES]))
    with pytest.raises(InputError, match=r"holds '1,234.5' in column 'balance', in row 3\."):
        model.transform(graph_of([None, None, "1,234.5", *["3,0"] * 57]))


@pytest.mark.parametrize("codes", [["94043", "T8H1N", "10003"], ["1002", "01002", "M5V"]])
def test_codes_among_digits_are_names_and_no_slips(codes: list[str]) -> None:
    graph = graph_of([codes[1], *[codes[0], codes[2]] * 28, codes[0], codes[0], codes[0]])
    (column,) = (column for column in graph.encoder.columns if column.name == "balance")
    assert column.categories == tuple(sorted(codes))


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        (["1,234", "56"], [1234, 56]),
        ([" 1,234", "56 "], [1234, 56]),
        (["1,234", "5,6"], [1.234, 5.6]),
        (["0,123", "1,456"], [0.123, 1.456]),
        (["1,234", "3.5"], [1234, 3.5]),
        (["12%", "7 %"], [12, 7]),
        (["€5", "-€1,000", "€ -2"], [5, -1000, -2]),
        (["\N{MINUS SIGN}1,5", "+2,25"], [-1.5, 2.25]),
        (["12%", "7"], None),
        (["€5", "$5"], None),
        (["zone 1", "zone 2"], None),
        (["1,2,3", "4"], None),
        (["555 123", "555 124"], None),
        (["1.2.3", "1.2.4"], None),
        (["12,34,567"], None),
        (["1e5,0"], None),
    ],
)
def test_what_is_a_number(words: list[str], numbers: list[float] | None) -> None:
    found = Notation.of(words)
    assert (None if found is None else [found.number(word) for word in words]) == numbers


@pytest.mark.parametrize(
    "thousands_decimal_unit", [(",", ".", ""), (".", ",", "€"), ("'", ".", "%"), ("\N{NO-BREAK SPACE}", ",", "$")]
)
def test_a_notation_is_read_again_from_its_example(thousands_decimal_unit: tuple[str, str, str]) -> None:
    notation = Notation(*thousands_decimal_unit)
    assert Notation.from_example(notation.example) == notation
    assert notation.number(notation.example) == 1234.5


def test_words_have_no_notation() -> None:
    import pyarrow as pa

    assert notation_of(pa.chunked_array([pa.array(["red", "12"], pa.large_string())])) is None


def test_a_change_is_read_in_the_notation_that_was_fitted() -> None:
    write = WRITTEN["1.234,5"]
    model = sc.SCE(n_components=4).fit(graph_of([write(value) for value in VALUES]))
    model.update(features_changed={3: {"balance": "1.234", "zone": "zone 1"}})
    values = VALUES.copy()
    values[3] = 1234.0
    expected = model.transform(graph_of([write(value) for value in values]))
    np.testing.assert_allclose(model.embedding_, expected, atol=1e-5)


def test_forgetting_keeps_the_notation() -> None:
    write = WRITTEN["1.234,5"]
    model = sc.SCE(n_components=4).fit(graph_of([write(value) for value in VALUES]))
    model.forget([0])
    assert any(getattr(column, "written", "") == "1.234,5" for column in model.encoder_.columns)
