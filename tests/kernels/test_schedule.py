"""The order of rows on a GPU: every row once, those with many neighbours first, nodes of one planted group together."""

from __future__ import annotations

import pytest
import torch

from conftest import random_graph
from sparsecut.kernels.schedule import Schedule, groups_of, together
from sparsecut.operators.filters import Power
from sparsecut.operators.propagation import Propagation


def planted(n_rows: int = 4000, n_groups: int = 8) -> tuple[torch.Tensor, torch.Tensor]:
    """Rows about the means of groups, and the groups."""
    generator = torch.Generator().manual_seed(0)
    labels = torch.randint(n_groups, (n_rows,), generator=generator)
    means = 5 + 3 * torch.randn(n_groups, 16, generator=generator)
    return means[labels] + 0.3 * torch.randn(n_rows, 16, generator=generator), labels


def test_rows_go_by_falling_number_of_neighbours_at_first() -> None:
    offsets = torch.tensor([0, 2, 2, 7, 8])
    assert Schedule(offsets).order.tolist() == [2, 0, 3, 1]


def test_the_rows_of_a_planted_group_follow_one_another() -> None:
    rows, labels = planted()
    groups = groups_of(rows)
    for group in groups.unique():  # there are more groups than were planted; none has rows of two
        assert len(labels[groups == group].unique()) == 1
    counts = torch.arange(len(rows)) % 7 + 1
    order = together(Schedule(torch.cat([counts.new_zeros(1), counts.cumsum(0)])).order, counts, groups)
    assert torch.equal(order.long().sort().values, torch.arange(len(rows)))
    assert int((groups[order.long()].diff() != 0).sum()) == len(groups.unique()) - 1
    within = counts[order.long()][groups[order.long()] == groups[0]]
    assert bool((within.diff() <= 0).all())  # as they were: by falling number


def test_rows_with_very_many_neighbours_stay_first() -> None:
    counts = torch.ones(1000, dtype=torch.int64)
    counts[10], counts[500] = 100, 200
    order = Schedule(torch.cat([counts.new_zeros(1), counts.cumsum(0)])).order
    groups = (torch.arange(1000) % 3).to(torch.uint8)
    assert together(order, counts, groups)[:2].tolist() == [500, 10]


def test_rows_that_are_all_the_same_and_fewer_than_groups() -> None:
    assert groups_of(torch.ones(5, 3)).tolist() == [0] * 5
    assert len(groups_of(torch.randn(2, 3, generator=torch.Generator().manual_seed(0)))) == 2


@pytest.mark.cuda
@pytest.mark.skipif(not torch.cuda.is_available(), reason="torch sees no CUDA GPU here")
@pytest.mark.parametrize("width", [16, 100])
def test_the_order_changes_no_bit_of_a_hop(width: int) -> None:
    graph = random_graph(3000, 4, density=0.01)
    P, Q = (Propagation.of(graph.adjacency, Power(), torch.device("cuda")) for _ in range(2))
    rows = torch.randn(3000, width, device="cuda")
    Q.schedule.order = together(Q.schedule.order, Q.neighbors.counts(), groups_of(rows))
    assert not torch.equal(P.schedule.order, Q.schedule.order)
    assert torch.equal(P.smooth((0.2, 0.3, 0.5), rows), Q.smooth((0.2, 0.3, 0.5), rows))
