"""What every solver answers before it solves anything."""

from __future__ import annotations

from sparsecut import Adam, ClosedForm


def test_dimension_auto_has_at_most_so_many_columns() -> None:
    assert [ClosedForm().most_columns(n_features, 1) for n_features in (12, 5000)] == [12, 128]
    assert ClosedForm().most_columns(12, 3) == 36  # levels are solved side by side
    assert [Adam().most_columns(n_features, 2) for n_features in (12, 5000)] == [12, 512]


def test_a_refit_sharpens_to_the_rank_that_was_set() -> None:
    assert ClosedForm().sharpened_rank == Adam().sharpened_rank == 16
    assert ClosedForm(effective_rank=5).sharpened_rank == 5
