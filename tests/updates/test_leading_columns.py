"""The columns that move, by hand and against the lengths themselves."""

from __future__ import annotations

import numpy as np
import pytest

from sparsecut.updates.leading_columns import LEFT_SHARE, LINE, leading


def test_columns_that_lack_little_stay_by_hand() -> None:
    """Rows of 40 columns that may lack 1: half of it may stay, in columns from 16 or from 32 on."""
    rows = np.zeros((4, 40), dtype=np.float32)
    rows[:, 0] = 2
    rows[1, 20] = rows[2, 35] = 0.4  # both stay: 0.16 of the 0.25 that may
    rows[2, 20] = 0.4  # 0.32 of both is too much
    rows[3, 39] = 0.6
    stops, stay = leading(rows, 1.0)
    assert stops.tolist() == [16, 16, 32, 40]
    np.testing.assert_allclose(stay, [0, 0.4, 0.4, 0], rtol=1e-6)


@pytest.mark.parametrize("n_columns", [3, 16, 17, 69])
def test_as_few_columns_move_as_leave_little_enough(n_columns: int) -> None:
    generator = np.random.default_rng(n_columns)
    rows = (generator.normal(size=(200, n_columns)) * 0.9 ** np.arange(n_columns)).astype(np.float32)
    most = generator.uniform(0.2, 2, 200).astype(np.float32)
    stops, stay = leading(rows, most)
    for row, stop, length, limit in zip(rows, stops.tolist(), stay, most, strict=True):
        may_stay = [
            end for end in (*range(LINE, n_columns, LINE), n_columns) if np.linalg.norm(row[end:]) <= LEFT_SHARE**0.5 * limit
        ]
        assert stop == may_stay[0]
        assert length == pytest.approx(np.linalg.norm(row[stop:]), rel=1e-5)
