"""Work shared out between threads: the same results with any number, errors passed on, limits kept and given back."""

from __future__ import annotations

import os
import threading

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from threadpoolctl import threadpool_info, threadpool_limits

import sparsecut as sc
from conftest import random_graph
from sparsecut.kernels import entries, moments, products, threads
from sparsecut.kernels.threads import each, n_threads, n_threads_of, of_torch, using


def blas_threads() -> set[int]:
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def test_results_come_in_order_from_several_threads() -> None:
    meeting = threading.Barrier(3, timeout=30)

    def meet(number: int) -> tuple[int, int]:
        meeting.wait()  # passes only where three are at work at once
        return number**2, threading.get_ident()

    with using(3):
        found = each(meet, range(3), work=threads.WORTH)
    assert [square for square, _ in found] == [0, 1, 4]
    assert len({thread for _, thread in found}) == 3
    assert threading.get_ident() in {thread for _, thread in found}


def test_small_work_stays_on_one_thread() -> None:
    with using(4):
        found = each(lambda _: threading.get_ident(), range(8), work=threads.WORTH - 1)
    assert set(found) == {threading.get_ident()}


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_an_error_is_passed_on_and_what_is_left_is_left_out(n_jobs: int) -> None:
    done = []

    def fail(number: int) -> None:
        if number == 2:
            raise ValueError("the third")
        done.append(number)

    with using(n_jobs), pytest.raises(ValueError, match="the third"):
        each(fail, range(1000), work=threads.WORTH)
    assert len(done) < 1000
    with using(n_jobs):
        assert each(lambda number: number, range(5), work=threads.WORTH) == list(range(5))


def test_torch_and_blas_start_no_threads_within_and_get_theirs_back() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        with threadpool_limits(2, user_api="blas"):
            usual = blas_threads()
            with using(2):
                assert (torch.get_num_threads(), blas_threads(), n_threads()) == (1, {1}, 2)
                assert each(lambda _: torch.get_num_threads(), range(6), work=threads.WORTH) == [1] * 6
                with of_torch():
                    assert torch.get_num_threads() == 2
                assert torch.get_num_threads() == 1
            assert (torch.get_num_threads(), blas_threads()) == (3, usual)
        with pytest.raises(ZeroDivisionError), using(2):
            raise ZeroDivisionError
        assert (torch.get_num_threads(), n_threads()) == (3, 3)
    finally:
        torch.set_num_threads(before)


def test_the_number_of_threads() -> None:
    assert n_threads_of(5) == 5
    assert n_threads_of(-1) == len(os.sched_getaffinity(0))
    with threadpool_limits(1, user_api="openmp"):
        assert n_threads_of(None) == 1
    with using(7):
        assert n_threads_of(None) == 7


@pytest.mark.slow
@pytest.mark.parametrize(("precision", "is_weighted"), [("single", False), ("half", True)])
def test_the_number_of_threads_does_not_change_a_bit(precision: str, is_weighted: bool) -> None:
    """Of a graph with several blocks of each kind: of rows, of entries, and of rows whose squares are summed."""
    n_nodes, generator = 40_000, np.random.default_rng(0)
    ends = generator.integers(0, n_nodes, (2, 5 * n_nodes))
    weights = generator.uniform(0.5, 2, ends.shape[1]) if is_weighted else np.ones(ends.shape[1])
    A = sp.coo_array((weights, ends), shape=(n_nodes, n_nodes)).tocsr()
    graph = sc.Graph(A + A.T, features=generator.normal(size=(n_nodes, 24)).astype(np.float32))
    assert graph.n_nodes > 2 * max(moments.ROW_BLOCK, products.ROW_BLOCK)
    assert graph.adjacency.nnz * graph.n_features > 2 * entries.BLOCK_WORK
    for settings in ({"filter": "heat", "dimension": 11}, {"filter": "power", "negatives": "degrees"}):
        model = sc.SCE(features="given", weighting="none", channels="smoothed", **settings)
        found = [
            model.set_params(engine=sc.Memory(precision=precision, n_jobs=n_jobs)).fit_transform(graph) for n_jobs in (1, 3)
        ]
        assert np.array_equal(*found)


@pytest.mark.slow
def test_a_worker_of_joblib_gets_its_share() -> None:
    """A process of its own, which joblib has told how many threads are its own."""
    joblib = pytest.importorskip("joblib")
    with joblib.parallel_config(backend="loky", inner_max_num_threads=1):
        found = joblib.Parallel(n_jobs=2)(joblib.delayed(_fit_counted)() for _ in range(2))
    assert found == [1, 1]


def _fit_counted() -> int:
    """The most threads that a fit asks for in this process."""
    asked = []

    class Watched(sc.Power):
        def coefficients(self) -> tuple[float, ...]:
            asked.append(n_threads())
            return super().coefficients()

    sc.SCE(filter=Watched(order=1)).fit(sc.datasets.load("digits"))
    return max(asked)


def test_n_jobs_is_checked() -> None:
    for wrong in (0, -3, 1.5, "two"):
        with pytest.raises(sc.InputError, match="The n_jobs parameter of Memory must be"):
            sc.SCE(engine=sc.Memory(n_jobs=wrong)).fit(random_graph())  # type: ignore[arg-type]
