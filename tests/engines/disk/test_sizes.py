"""What fits into a limit, counted by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disk_cases import limit_for
from sparsecut.base.errors import InputError
from sparsecut.engines.disk import sizes
from sparsecut.engines.disk.sizes import PanelSizes, check_in_memory, gram_bytes, plan_sizes, product_bytes

MiB = 1 << 20


@given(st.integers(1, 40), st.integers(1, 500))
def test_widths_are_as_few_as_can_be_and_about_the_same(widest: int, n_columns: int) -> None:
    widths = PanelSizes(widest, 1).widths(n_columns)
    assert sum(widths) == n_columns
    assert max(widths) <= widest
    assert max(widths) - min(widths) <= 1
    assert len(widths) == -(-n_columns // widest)


@pytest.mark.parametrize("is_series", [True, False])
def test_the_widest_panel_fills_what_is_left(is_series: bool) -> None:
    """A series comes back to its features, which take a third panel."""
    n_nodes, n_panels = 1_000_000, 3 if is_series else 2
    limit = 2 << 30
    plan = plan_sizes(n_nodes, limit, is_series=is_series, n_pairs=1000)
    assert plan.block_bytes == 16 * MiB
    fixed = sizes.BASE_BYTES + sizes.NODE_BYTES * n_nodes + sizes.PAIR_BYTES * 1000 + sizes.N_BLOCKS * plan.block_bytes
    assert fixed + 4 * n_panels * n_nodes * plan.widest <= limit < fixed + 4 * n_panels * n_nodes * (plan.widest + 1)


def test_limits_for_tests_give_the_panels_they_say() -> None:
    assert plan_sizes(300, limit_for(300, 7)).widest == 7
    assert plan_sizes(300, limit_for(300, 7, n_panels=2), is_series=False).widest == 7


@pytest.mark.parametrize("matrix_bytes", [0, gram_bytes(100_000, 3000), gram_bytes(100_000, 5500)])
def test_what_is_too_little_names_what_is_enough(matrix_bytes: int) -> None:
    options = {"n_pairs": 10_000, "matrix_bytes": matrix_bytes}
    with pytest.raises(InputError, match=r"too small for this graph: 490 MiB\. It needs at least") as caught:
        plan_sizes(100_000, 490 * MiB, **options)  # type: ignore[arg-type]
    enough = int(str(caught.value).partition("at least ")[2].split()[0])
    assert plan_sizes(100_000, enough * MiB, **options).widest >= 1  # type: ignore[arg-type]
    with pytest.raises(InputError, match="too small"):
        plan_sizes(100_000, (enough - 3) * MiB, **options)  # type: ignore[arg-type]


def test_m_has_room_for_its_sums_and_its_solver() -> None:
    assert gram_bytes(500, 1000) == 5 * 8 * 1000**2 + 8 * sizes.MIN_BLOCK  # 500 rows fit the blocks
    assert gram_bytes(100_000, 1000) == 5 * 8 * 1000**2 + 8 * 8192 * 1000
    needed = sizes.BASE_BYTES + sizes.NODE_BYTES * 500 + sizes.PAIR_BYTES * 20 + gram_bytes(500, 1000)
    plan_sizes(500, needed, n_pairs=20, matrix_bytes=gram_bytes(500, 1000))
    with pytest.raises(InputError, match="too small"):
        plan_sizes(500, needed - 1, n_pairs=20, matrix_bytes=gram_bytes(500, 1000))


def test_products_have_room_for_their_directions_and_the_small_m() -> None:
    assert product_bytes(300, 5000, 128) == 12 * 4 * 5000 * (128 + 64) + gram_bytes(300, 128 + 64)


def test_an_embedding_without_a_file_fits_or_is_refused() -> None:
    needed = sizes.BASE_BYTES + sizes.NODE_BYTES * 1000 + 4 * 1000 * 64 + 8 * sizes.MIN_BLOCK
    check_in_memory(1000, 64, needed, "SCE")
    with pytest.raises(InputError, match=r"The embedding of SCE, 1,000 × 64, does not fit .*output='embedding.npy'"):
        check_in_memory(1000, 64, needed - 1, "SCE")
