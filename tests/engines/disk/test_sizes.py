"""What fits into a limit, counted by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disk_cases import limit_for
from sparsecut.engines.disk import sizes
from sparsecut.engines.disk.sizes import Sizes, can_build_gram, check_in_memory, gram_bytes, plan_sizes
from sparsecut.errors import InputError

MiB = 1 << 20


@given(st.integers(1, 40), st.integers(1, 500))
def test_widths_are_as_few_as_can_be_and_about_the_same(widest: int, n_columns: int) -> None:
    widths = Sizes(widest, 1).widths(n_columns)
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


@pytest.mark.parametrize("gram_columns", [0, 3000])
def test_what_is_too_little_names_what_is_enough(gram_columns: int) -> None:
    options = {"n_pairs": 10_000, "gram_columns": gram_columns}
    with pytest.raises(InputError, match=r"too small for this graph: 490 MiB\. It needs at least") as caught:
        plan_sizes(100_000, 490 * MiB, **options)  # type: ignore[arg-type]
    enough = int(str(caught.value).partition("at least ")[2].split()[0])
    assert plan_sizes(100_000, enough * MiB, **options).widest >= 1  # type: ignore[arg-type]
    with pytest.raises(InputError, match="too small"):
        plan_sizes(100_000, (enough - 3) * MiB, **options)  # type: ignore[arg-type]


def test_m_has_room_for_its_sums_and_its_solver() -> None:
    assert gram_bytes(1000) == 5 * 8 * 1000**2
    needed = sizes.BASE_BYTES + sizes.NODE_BYTES * 500 + sizes.PAIR_BYTES * 20 + gram_bytes(1000) + 8 * sizes.MIN_BLOCK
    assert can_build_gram(500, 1000, 20, needed)
    assert not can_build_gram(500, 1000, 20, needed - 1)


def test_an_embedding_without_a_file_fits_or_is_refused() -> None:
    needed = sizes.BASE_BYTES + sizes.NODE_BYTES * 1000 + 4 * 1000 * 64 + 8 * sizes.MIN_BLOCK
    check_in_memory(1000, 64, needed, "SCE")
    with pytest.raises(InputError, match=r"The embedding of SCE, 1,000 × 64, does not fit .*output='embedding.npy'"):
        check_in_memory(1000, 64, needed - 1, "SCE")
